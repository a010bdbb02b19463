/* SPDX-License-Identifier: Apache-2.0 */
/* 46-bitonic-threads.c -- bitonic sort by teams of one to three threads (46-bitonic.h) */
#define GX_TEAM_THREADS
#define MOST_MEMBERS 3u
#include "46-bitonic.h"
#include "engine/machine/team_threads.h"

typedef struct member { gx_team team; const job *j; } member;

static void work(void *arg)
{
    member *me = arg;
    sort_by_member(&me->team, me->j);
}

static void run(const job *j, u32 members)
{
    member all[MOST_MEMBERS];
    for (u32 i = 0; i < members; i++)
        all[i].j = j;
    assert_true(gx_team_threads(all, sizeof *all, members, work));
}
