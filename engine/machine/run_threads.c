/* SPDX-License-Identifier: Apache-2.0 */
/* run_threads.c -- the machine for a team of N pthreads */
#define GX_TEAM_THREADS
#include "run.h"
#include "start.h"
#include "run_team.h"
#include "team_threads.h"

/* left: by the first member; others may not have taken held yet */
typedef struct running { const gx_start *start; const gx_handed *held; gx_handed left; } running;

static gx_status work(const gx_team *t, void *ctx)
{
    running *all = ctx;
    const gx_start *s = all->start;
    gx_m m;
    gx_m_start(&m, s->base, s->top, s->top_end, s->tmp, s->tmp_end, s->n_docs);
    if (all->held)
        gx_m_take(&m, all->held);
    m.t = *t;
    const gx_status status = gx_machine(&m);
    if (all->held && team_rank(t) == 0)
        gx_m_hold(&m, &all->left);
    return status;
}

gx_status gx_threads_run(const gx_start *start, u32 members, gx_handed *held)
{
    running all = { start, held, { 0 } };
    if (held)
        all.left = *held;               /* it stays as it is where there are no threads */
    const gx_status status = gx_team_threads(members, work, &all);
    if (held)
        *held = all.left;
    return status;
}
