/* SPDX-License-Identifier: Apache-2.0 */
/* run_threads.c -- the machine for a team of N pthreads */
#define GX_TEAM_THREADS
#include "run.h"
#include "start.h"
#include "run_team.h"
#include "team_threads.h"

typedef struct member { gx_team team; const gx_start *start; gx_status status; } member;

static void work(void *arg)
{
    member *me = arg;
    gx_m m;
    gx_m_start(&m, me->start->base, me->start->top, me->start->top_end, me->start->tmp, me->start->tmp_end,
        me->start->n_docs);
    m.t = me->team;
    me->status = gx_machine(&m);
}

gx_status gx_threads_run(const gx_start *start, u32 members)
{
    member all[TEAM_MAX_MEMBERS];
    members = members > TEAM_MAX_MEMBERS ? TEAM_MAX_MEMBERS : members;
    for (u32 i = 0; i < members; i++)
        all[i].start = start;
    return gx_team_threads(all, sizeof *all, members, work) ? all[0].status : GX_ENOMEM;
}
