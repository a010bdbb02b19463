/* SPDX-License-Identifier: Apache-2.0 */
/*
 * squad.h -- members of a team that go through a list together: a warp on a GPU, a member alone elsewhere (team.h)
 *
 *   squad_rank, squad_size(t)     of a member in its squad, and how many these are
 *   squad_index, squads(t)        of the squad in its team, and how many these are
 *   squad_sync(t)                 what members of the squad stored before is there for the others
 *   squad_before(t, yes, &all)    how many members of a lower rank say yes, and how many of all
 *   squad_scan(t, x, &all)        the sum of x of those of a lower rank, and of all
 *   squad_first(t, x)             what the first member says
 *   squad_or(p, v)                *p |= v, for members of the squad; what it was
 *   squad_lowest(x)               the number of the lowest bit, of those that are not 0
 *
 * All members of a squad call these together, but for the last two.
 */
#ifndef GX_SQUAD_H
#define GX_SQUAD_H

#include "team.h"

#if defined GX_TEAM_BLOCK || defined GX_TEAM_GRID

GX_OP u32 squad_rank(const gx_team *t) { (void)t; return threadIdx.x % 32; }
GX_OP u32 squad_size(const gx_team *t) { (void)t; return 32; }
GX_OP u32 squad_index(const gx_team *t) { return team_rank(t) / 32; }
GX_OP u32 squads(const gx_team *t) { return team_size(t) / 32; }
GX_OP void squad_sync(const gx_team *t) { (void)t; __syncwarp(); }
GX_OP u32 squad_before(const gx_team *t, int yes, u32 *all)
{
    const u32 votes = __ballot_sync(0xffffffffu, yes);
    *all = (u32)__popc(votes);
    return (u32)__popc(votes & ((1u << squad_rank(t)) - 1));
}
GX_OP u32 squad_scan(const gx_team *t, u32 x, u32 *all)
{
    u32 sum = x;
    for (u32 d = 1; d < 32; d *= 2) {
        const u32 y = __shfl_up_sync(0xffffffffu, sum, d);
        sum += squad_rank(t) >= d ? y : 0;
    }
    *all = __shfl_sync(0xffffffffu, sum, 31);
    return sum - x;
}
GX_OP u32 squad_first(const gx_team *t, u32 x) { (void)t; return __shfl_sync(0xffffffffu, x, 0); }
GX_OP u32 squad_or(u32 *p, u32 v) { return atomicOr(p, v); }
GX_OP u32 squad_lowest(u32 x) { return (u32)__ffs((int)x) - 1; }

#else

GX_OP u32 squad_rank(const gx_team *t) { (void)t; return 0; }
GX_OP u32 squad_size(const gx_team *t) { (void)t; return 1; }
GX_OP u32 squad_index(const gx_team *t) { return team_rank(t); }
GX_OP u32 squads(const gx_team *t) { return team_size(t); }
GX_OP void squad_sync(const gx_team *t) { (void)t; }
GX_OP u32 squad_before(const gx_team *t, int yes, u32 *all)
{
    (void)t;
    *all = (u32)yes;
    return 0;
}
GX_OP u32 squad_scan(const gx_team *t, u32 x, u32 *all)
{
    (void)t;
    *all = x;
    return 0;
}
GX_OP u32 squad_first(const gx_team *t, u32 x) { (void)t; return x; }
GX_OP u32 squad_or(u32 *p, u32 v)
{
    const u32 was = *p;
    *p = was | v;
    return was;
}
GX_OP u32 squad_lowest(u32 x) { return (u32)__builtin_ctz(x); }

#endif
#endif
