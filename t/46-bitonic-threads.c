/* SPDX-License-Identifier: Apache-2.0 */
/* 46-bitonic-threads.c -- bitonic sort by teams of one to three threads (46-bitonic.h) */
#define GX_TEAM_THREADS
#define MOST_MEMBERS 3u
#include "46-bitonic.h"
#include "engine/machine/team_threads.h"

static gx_status work(const gx_team *t, void *ctx)
{
    gx_team mine = *t;
    sort_by_member(&mine, ctx);
    return GX_OK;
}

static void run(const job *j, u32 members) { assert_int_equal(gx_team_threads(members, work, (void *)j), GX_OK); }
