/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_team.h -- the machine's entry for each CPU team, between evaluate.c and the team's own translation unit
 */
#ifndef GX_RUN_TEAM_H
#define GX_RUN_TEAM_H

#include "base.h"

/* What a member starts from; evaluate.c has prepared the gx_run (machine/start.h). */
typedef struct gx_start { char *base; u64 top, top_end, tmp, tmp_end; u32 n_docs; } gx_start;

gx_status gx_solo_run(const gx_start *start);
gx_status gx_threads_run(const gx_start *start, u32 members);   /* GX_ENOMEM: threads could not be started */

#endif
