/* SPDX-License-Identifier: Apache-2.0 */
/*
 * features.c -- what a program tells of its cost before it runs
 */
#include <stdlib.h>
#include "gx.h"

#define PASSES 64u      /* a chain of more named templates than this counts as a circle */

static u32 template_of(const gx_body *bodies, u32 body)
{
    while (bodies[body].parent != GX_NONE)
        body = bodies[body].parent;
    return body;
}

/* Named templates that call each other in a circle. Templates whose calls all lead to templates that end are taken
 * away, until none is left (they end) or nothing changes. */
static int is_recursive(const gx_program *p)
{
    const gx_body *bodies = GX_PROG_TAB(p, gx_body, bodies);
    const gx_instr *instrs = GX_PROG_TAB(p, gx_instr, instrs);
    u8 *open = calloc(p->bodies.n ? p->bodies.n : 1, 2), *stays = open ? open + p->bodies.n : NULL;
    int left = 1;
    if (!open)
        return 0;
    for (u32 b = 0; b < p->bodies.n; b++)
        open[b] = 1;
    for (u32 pass = 0, changed = 1; pass < PASSES && changed && left; pass++) {
        changed = 0;
        left = 0;
        for (u32 b = 0; b < p->bodies.n; b++)
            stays[b] = 0;
        for (u32 b = 0; b < p->bodies.n; b++) {
            u32 from = template_of(bodies, b);
            if (!open[from] || stays[from])
                continue;
            for (u32 i = bodies[b].first; i < bodies[b].first + bodies[b].n; i++)
                stays[from] |= instrs[i].op == GX_I_CALL && open[template_of(bodies, instrs[i].a)];
        }
        for (u32 b = 0; b < p->bodies.n; b++) {
            changed |= open[b] != stays[b];
            open[b] = stays[b];
            left |= open[b];
        }
    }
    free(open);
    return left;
}

void gx_program_features(const gx_program *p, gx_features *out)
{
    out->is_host = (p->flags & GX_P_HOST) != 0;
    out->is_recursive = is_recursive(p) || p->functions.n;       /* calls of functions run as deep as recursion does */
}
