/* SPDX-License-Identifier: Apache-2.0 */
/*
 * union.h -- the union of two sets a row
 *
 * Sets are in document order, so it is a merge; a team merges a long row by looking up each node's place in the other
 * set.
 */
#ifndef GX_MACHINE_UNION_H
#define GX_MACHINE_UNION_H

#include "axis.h"
#include "budget.h"
#include "collect.h"
#include "column.h"
#include "cost.h"
#include "machine.h"
#include "memory.h"

GX_OP gx_status gx_is_set(gx_m *m, const gx_v *v)
{
    return v->type == GX_T_SET ? GX_OK : gx_raise(m, GX_EDYNAMIC, GX_RE_NOT_A_SET, gx_str_none());
}

/* A variable's value is of the type that the expression's other operators take it for. In a program of the compiler's
 * it is: one in shared memory may be anybody's, and its check does not follow values. */
GX_OP gx_status gx_is_as_said(gx_m *m, const gx_v *v, u32 type)
{
    return type == GX_T_ANY || v->type == type ? GX_OK : gx_raise(m, GX_EBAD, GX_RE_TYPE, gx_str_none());
}

/* merges two ascending lists without duplicates; out NULL counts */
GX_OP u32 gx_merge_ids(const u32 *a, u32 na, const u32 *b, u32 nb, u32 *out)
{
    u32 i = 0, j = 0, n = 0;

    while (i < na || j < nb) {
        u32 x;
        if (j >= nb || (i < na && a[i] < b[j]))
            x = a[i++];
        else {
            if (i < na && a[i] == b[j])
                i++;
            x = b[j++];
        }
        if (out)
            out[n] = x;
        n++;
    }
    return n;
}

#if !TEAM_IS_SOLO
#define GX_LONG_ROW 512u        /* ids that one member merges faster than all find their places */
/*
 * The union row by row, long rows too, by all members: an id's place is its own number and that of the other set's ids
 * before it, those that both have counted once. keep: by id of y, is it not in x; then how many before it are not.
 */
GX_OP_BIG gx_status gx_union_partitioned(gx_m *m, gx_v *x, gx_v *y, u32 rows, gx_v *out)
{
    u32 *off, *ids, *keep, kept = 0;

    GX_TRY(gx_v_dense(m, x, rows));
    GX_TRY(gx_v_offsets(m, x, rows));
    GX_TRY(gx_v_dense(m, y, rows));
    GX_TRY(gx_v_offsets(m, y, rows));
    const u32 *xi = (const u32 *)x->data, *yi = (const u32 *)y->data, *xo = x->off, *yo = y->off, nx = xo[rows],
              ny = yo[rows];
    if ((u64)nx + ny > 0xfffffff0u)
        return gx_full(m);
    m->steps += (nx + ny) / GX_WORK_PER_STEP;
    GX_TMP(m, keep, u32, (u64)ny + 1);
    TEAM_FOR(&m->t, k, ny) {
        const u32 r = gx_row_of(yo, rows, k);
        keep[k] = !gx_ids_have(xi, xo[r], xo[r + 1], yi[k]);
    }
    GX_TRY(gx_scan(m, keep, ny, &kept));
    GX_TMP(m, off, u32, (u64)rows + 1);
    GX_TMP(m, ids, u32, (u64)nx + kept);
    TEAM_FOR(&m->t, r0, rows + 1)
        off[r0] = xo[r0] + keep[yo[r0]];
    TEAM_FOR(&m->t, k1, nx) {
        const u32 r = gx_row_of(xo, rows, k1);
        ids[k1 + keep[gx_index_lower(yi, yo[r], yo[r + 1], xi[k1])]] = xi[k1];
    }
    TEAM_FOR(&m->t, k2, ny)
        if (keep[k2 + 1] != keep[k2]) {
            const u32 r = gx_row_of(yo, rows, k2);
            ids[keep[k2] + gx_index_lower(xi, xo[r], xo[r + 1], yi[k2])] = yi[k2];
        }
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, rows, ids);
    out->off = off;
    return GX_OK;
}
#endif

/* x | y: *out has each row's nodes of both, in document order, each once; const when both are. Two passes of a merge,
 * one to count, one to write: O(nodes of both), a member for each row. Rows of many nodes are merged by all members
 * together (gx_union_partitioned). Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_union(gx_m *m, gx_v *x, gx_v *y, u32 n, gx_v *out)
{
    const int is_const = x->is_const && y->is_const;
    u32 *off, *ids, total = 0, rows = is_const ? 1 : n;

#if !TEAM_IS_SOLO
    u32 longest = 0;
    TEAM_FOR(&m->t, r0, rows <= GX_COST(UNION_TOGETHER) ? rows : 0) {
        u32 xb, xe, yb, ye;
        gx_v_range(x, r0, &xb, &xe);
        gx_v_range(y, r0, &yb, &ye);
        longest |= (u64)(xe - xb) + (ye - yb) > GX_LONG_ROW;
    }
    if (team_any(&m->t, (int)longest)) {
        GX_TRY(gx_union_partitioned(m, x, y, rows, out));
        out->is_const = (u8)is_const;
        return GX_OK;
    }
#endif
    gx_watch watch = gx_watch_start();
    GX_TMP(m, off, u32, rows + 1);
    TEAM_FOR(&m->t, r, rows) {
        u32 xb, xe, yb, ye;
        gx_v_range(x, r, &xb, &xe);
        gx_v_range(y, r, &yb, &ye);
        if (gx_watch_late(m, &watch, (u64)(xe - xb) + (ye - yb)))
            break;
        off[r] = gx_merge_ids((const u32 *)x->data + xb, xe - xb, (const u32 *)y->data + yb, ye - yb, NULL);
    }
    GX_TRY(gx_watch_end(m, &watch));
    GX_TRY(gx_scan(m, off, rows, &total));
    GX_TMP(m, ids, u32, total);
    TEAM_FOR(&m->t, q, rows) {
        u32 xb, xe, yb, ye;
        gx_v_range(x, q, &xb, &xe);
        gx_v_range(y, q, &yb, &ye);
        gx_merge_ids((const u32 *)x->data + xb, xe - xb, (const u32 *)y->data + yb, ye - yb, ids + off[q]);
    }
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, rows, ids);
    out->off = off;
    out->is_const = (u8)is_const;
    return GX_OK;
}

#endif
