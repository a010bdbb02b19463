/* SPDX-License-Identifier: Apache-2.0 */
/* run_profile.c -- the machine for a team of one once more, with the hooks of profile.h */
#define GX_TEAM_SOLO
#define GX_PROFILE
#include "run.h"
#include "start.h"
#include "run_team.h"

static gx_status run(const gx_start *start, gx_profile *profile)
{
    const u64 began = gx_now_us();
    gx_m m;
    gx_profiled = profile;
    profile->instr = profile->op = NULL;
    const u64 first = profile->since = gx_profile_clock();
    gx_m_start(&m, start->base, start->top, start->top_end, start->tmp, start->tmp_end, start->n_docs);
    const gx_status status = gx_machine(&m);
    gx_profile_to(NULL, NULL);
    gx_profiled = NULL;
    profile->ticks += profile->since - first;
    profile->us += gx_now_us() - began;
    profile->evaluations++;
    return status;
}

gx_profile *gx_profile_make(const gx_program *program, apr_pool_t *pool)
{
    gx_profile *p = apr_pcalloc(pool, sizeof *p);
    p->instrs = apr_pcalloc(pool, (program->instrs.n + 1) * sizeof *p->instrs);
    p->ops = apr_pcalloc(pool, (program->ops.n + 1) * sizeof *p->ops);
    p->run = run;
    return p;
}

double gx_profile_us(const gx_profile *p, u64 ticks)
{
    return p->ticks && p->evaluations ? (double)ticks * (double)p->us / (double)p->ticks / p->evaluations : 0;
}
