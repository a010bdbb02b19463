/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h -- document order: sets as marks, sorting, merging a row's segments
 *
 * A dense set is ordered by marking its nodes and collecting the marks; a sparse one is sorted. gx_v_order looks
 * whether there is anything to do first.
 */
#ifndef GX_MACHINE_ORDER_H
#define GX_MACHINE_ORDER_H

#include "collect.h"
#include "column.h"
#include "machine.h"
#include "memory.h"

/* ---- sets as marks ---- */

/* A byte a node costs what a few looks at each of so many ids cost, or less. */
GX_OP int gx_marks_pay(const gx_m *m, u32 ids) { return ids >= 16 && ids >= m->run->n_nodes / 64; }

/* *mark: a byte a node, zero for everyone after the next team_sync */
GX_OP gx_status gx_marks_make(gx_m *m, u8 **mark)
{
    const u32 n = m->run->n_nodes;

    GX_TMP(m, *mark, u8, n);
    TEAM_FOR(&m->t, i, (n + 15) / 16)
        gx_zero(*mark + (u64)i * 16, 16);
    return GX_OK;
}
typedef struct gx_marked { const u8 *mark; } gx_marked;
GX_OP gx_seen gx_see_mark(const void *ctx, size_t k) { return (gx_seen){ ((const gx_marked *)ctx)->mark[k], 0 }; }
GX_OP u32 gx_find_mark(const void *ctx, size_t k, gx_seen s) { (void)ctx; return gx_id_if(s.x != 0, (u32)k); }
GX_OP gx_seen gx_see_id(const void *ids, size_t k) { return (gx_seen){ ((const u32 *)ids)[k], 0 }; }
GX_OP u32 gx_find_id(const void *ids, size_t k, gx_seen s) { (void)ids; (void)k; return s.x; }
GX_COMPACTION(GX_OP_BIG, gx_compact_marks, gx_marked, gx_see_mark, gx_find_mark, gx_id_same)
GX_OP_BIG void gx_mark_ids(gx_m *m, const u32 *ids, u32 n, u32 base, u8 *mark)
{
    team_mark(&m->t, n, gx_see_id, gx_find_id, ids, base, mark);
}

/* ---- document order ---- */

/* Sorts n ids in place, by one member: by insertion where they are few, else heap sort, which needs no memory, no
 * recursion and has no bad case. O(n log n). */
GX_OP void gx_sort_ids(u32 *a, u32 n)          /* heap sort: no extra memory, no recursion, no bad case */
{
    if (n < 24) {
        for (u32 i = 1; i < n; i++) {
            u32 x = a[i], j = i;
            for (; j && a[j - 1] > x; j--)
                a[j] = a[j - 1];
            a[j] = x;
        }
        return;
    }
    for (u32 k = n / 2 + n; k-- > 1;) {
        u32 root, end, x;
        if (k >= n) {                   /* build the heap */
            root = k - n;
            end = n;
            x = a[root];
        } else {                        /* take the largest off */
            x = a[k];
            a[k] = a[0];
            root = 0;
            end = k;
        }
        for (;;) {
            u32 child = 2 * root + 1;
            if (child >= end)
                break;
            if (child + 1 < end && a[child + 1] > a[child])
                child++;
            if (a[child] <= x)
                break;
            a[root] = a[child];
            root = child;
        }
        a[root] = x;
    }
}

/*
 * Puts each row's ids into document order and drops duplicates; v is a dense SET whose arrays are scratch of this
 * instruction. Rows that are in order already cost one look. A row that is a good part of the document is sorted by
 * marking nodes.
 */
GX_OP_BIG gx_status gx_v_order(gx_m *m, gx_v *v)
{
    u32 *ids = (u32 *)v->data, *off = (u32 *)v->off, *cnt, *out, n = v->n, total = 0, bad = 0;

    if (!off)
        return GX_OK;
#if TEAM_IS_SOLO
    for (u32 i = 0; i < n; i++)
        for (u32 k = off[i] + 1; k < off[i + 1]; k++)
            if (ids[k - 1] >= ids[k]) {
                bad = 1;
                break;
            }
#else
    const u32 first = off[0];
    TEAM_FOR(&m->t, k1, off[n] - first) {
        const u32 k = first + k1;
        if (k1 && ids[k - 1] >= ids[k])
            bad |= off[gx_row_of(off, n, k)] != k;      /* a row's first */
    }
#endif
    if (!team_any(&m->t, bad))
        return GX_OK;
    GX_TMP(m, cnt, u32, n + 1);
    total = off[n];
    if (n == 1 && total > (TEAM_IS_SOLO ? m->run->n_nodes / 32 : 1024)) {       /* mark, then collect */
        u8 *mark;
        GX_TRY(gx_marks_make(m, &mark));
        team_sync(&m->t);
        gx_mark_ids(m, ids, total, 0, mark);
        team_sync(&m->t);
        const gx_marked marks = { mark };
        GX_TRY(gx_compact_marks(m, m->run->n_nodes, &marks, &out, &total, cnt));
        v->data = out;
        v->off = cnt;
        return GX_OK;
    }
    TEAM_FOR(&m->t, i2, n) {
        u32 b = off[i2], e = off[i2 + 1], w = b;
        gx_sort_ids(ids + b, e - b);
        for (u32 k = b; k < e; k++)
            if (k == b || ids[k] != ids[k - 1])
                ids[w++] = ids[k];
        cnt[i2] = w - b;
    }
    GX_TRY(gx_scan(m, cnt, n, &total));
    GX_TMP(m, out, u32, total);
    TEAM_FOR(&m->t, i3, n)
        for (u32 k = cnt[i3], from = off[i3]; k < cnt[i3 + 1]; k++, from++)
            out[k] = ids[from];
    team_sync(&m->t);
    v->data = out;
    v->off = cnt;
    return GX_OK;
}

#endif
