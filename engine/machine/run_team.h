/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_team.h -- the machine's entry for each CPU team, between evaluate.c and the team's own translation unit
 */
#ifndef GX_RUN_TEAM_H
#define GX_RUN_TEAM_H

#include "base.h"

/* What a member starts from; evaluate.c has prepared the gx_run (machine/start.h). */
typedef struct gx_start { char *base; u64 top, top_end, tmp, tmp_end; u32 n_docs; } gx_start;

/*
 * Teams in turn: the machine's state is the arena and each member's registers, which are equal. So one team may go on,
 * before any instruction, from the registers of another. A gx_m begins with its gx_team, which is the team's own.
 */
#define GX_HANDED_WORDS 48u
typedef struct gx_handed {
    u32 look, long_one, short_one;      /* gx_team_turns */
    u32 any;                            /* words has the registers, and another team is to go on */
    u64 words[GX_HANDED_WORDS];
} gx_handed;

/* held: NULL = to the end. Else from its registers if there are any, and to the end unless there are any then. */
gx_status gx_solo_run(const gx_start *start, gx_handed *held);
/* GX_ENOMEM: threads could not be started, or (held->any is 0 then) as any other error */
gx_status gx_threads_run(const gx_start *start, u32 members, gx_handed *held);

#endif
