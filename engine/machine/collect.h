/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collect.h -- prefix sums, and compactions of what a team finds
 *
 * team.h has the primitives; here they take room from the arena and check that a total fits a column.
 */
#ifndef GX_MACHINE_COLLECT_H
#define GX_MACHINE_COLLECT_H

#include "machine.h"
#include "memory.h"

/* a[0..n) := exclusive prefix sums, a[n] := their total (a has n + 1 entries). A total that no column could hold is
 * "full". */
GX_OP gx_status gx_scanned(gx_m *m, u64 sum, u32 *total)
{
    if (sum >= 0xfffffff0u)
        return gx_full(m);
    *total = (u32)sum;
    return GX_OK;
}
GX_OP gx_status gx_scan(gx_m *m, u32 *a, u32 n, u32 *total) { return gx_scanned(m, team_scan(&m->t, a, n), total); }
GX_OP gx_status gx_scan_complete(gx_m *m, u32 *a, u32 n, u32 *total)
{
    return gx_scanned(m, team_scan_complete(&m->t, a, n), total);
}

/* The id if is, which it is then: nobody needs to look at it to know that it is one */
GX_OP u32 gx_id_if(int is, u32 id)
{
    GX_ASSUME(id != GX_NONE);
    return is ? id : GX_NONE;
}
GX_OP u32 gx_id_same(const void *ctx, size_t k, gx_seen s) { (void)ctx; (void)s; return (u32)k; }

/* off := one row's offsets, of n nodes; complete after the next sync */
GX_OP void gx_one_row(gx_m *m, u32 *off, u32 n)
{
    if (team_rank(&m->t) == 0) {
        off[0] = 0;
        off[1] = n;
    }
}

/*
 * name(m, count, ctx, &out, &n, off), ctx a type: out[0 .. n) := the ids that find gives for k < count, in order; see,
 * id_of: as team_fill's. Room is taken from the scratch. off: NULL, or 2 entries, the offsets of one row that has them
 * all. With its own ctx: what stands behind a pointer would be loaded for each tile. how: GX_OP_BIG, or GX_OP_ONCE if
 * it is called in one place.
 */
#define GX_COMPACTION(how, name, type, see, find, id_of) \
    how gx_status name(gx_m *m, u32 count, const type *ctx, u32 **out, u32 *n, u32 *off) \
    { \
        const type own = *ctx; \
        u64 before, sum = team_count(&m->t, count, see, find, &own, &before); \
        GX_TMP(m, *out, u32, sum); \
        if (off) \
            gx_one_row(m, off, (u32)sum); \
        team_fill(&m->t, count, see, find, id_of, &own, before, *out); \
        *n = (u32)sum; \
        return GX_OK; \
    }

#endif
