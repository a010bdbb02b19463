/* SPDX-License-Identifier: Apache-2.0 */
/* 46-bitonic-solo.c -- bitonic sort by a team of one (46-bitonic.h) */
#define GX_TEAM_SOLO
#define MOST_MEMBERS 1u
#include "46-bitonic.h"

static void run(const job *j, u32 members)
{
    gx_team one = {0};
    (void)members;
    sort_by_member(&one, j);
}
