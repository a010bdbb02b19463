/* SPDX-License-Identifier: Apache-2.0 */
/* run_threads.c -- the machine for a team of N pthreads */
#define GX_TEAM_THREADS
#include "run.h"
#include "start.h"
#include "run_team.h"
#include "team_threads.h"

typedef struct member {
    gx_team team;
    const gx_start *start;
    const gx_handed *held;
    gx_handed *left;            /* the first member's */
    gx_status status;
} member;

static void work(void *arg)
{
    member *me = arg;
    gx_m m;
    gx_m_start(&m, me->start->base, me->start->top, me->start->top_end, me->start->tmp, me->start->tmp_end,
        me->start->n_docs);
    if (me->held)
        gx_m_take(&m, me->held);
    m.t = me->team;
    me->status = gx_machine(&m);
    if (me->left)
        gx_m_hold(&m, me->left);
}

gx_status gx_threads_run(const gx_start *start, u32 members, gx_handed *held)
{
    gx_handed left = { 0 };
    member all[TEAM_MAX_MEMBERS];
    members = members > TEAM_MAX_MEMBERS ? TEAM_MAX_MEMBERS : members;
    for (u32 i = 0; i < members; i++) {
        all[i].start = start;
        all[i].held = held;
        all[i].left = held && i == 0 ? &left : NULL;
    }
    if (!gx_team_threads(all, sizeof *all, members, work))
        return GX_ENOMEM;
    if (held) {
        held->any = left.any;
        memcpy(held->words, left.words, sizeof left.words);
    }
    return all[0].status;
}
