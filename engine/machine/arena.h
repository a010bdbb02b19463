/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h -- the memory of one evaluation at a time on a CPU
 */
#ifndef GX_MACHINE_ARENA_H
#define GX_MACHINE_ARENA_H

#include "gx.h"

struct gx_arena { char *base; u64 cap, used; };         /* 2 * cap bytes of address space; used: bytes of the last
                                                           result */

/* Before an evaluation: nobody reads the last result any more. */
void gx_arena_begin(gx_arena *arena);
/* After it: the result, `used` bytes, stays; what a large evaluation needed beside it goes back to the system. */
void gx_arena_end(gx_arena *arena, u64 used, int large);

#endif
