/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slices.h -- rows whose sets are parts of a few lists
 *
 *   rows      [a b c d]  [a b]  [c d]  [x y]  [x]        what look-ups, joins and BESIDE give: ranges of lists
 *   whole     a b c d x y                                the lists, each node once
 *   at        0          0      2      4      4          where a row's nodes begin in `whole`
 *
 * An operator whose cost is that of its nodes works on `whole` once, and the rows take their parts of the result:
 * running totals and totals by group cost rows + nodes, not rows x nodes. The lists are found by the starts of the
 * ranges, or by their ends, whichever makes `whole` shorter. Cost: O(rows + whole).
 */
#ifndef GX_MACHINE_SLICES_H
#define GX_MACHINE_SLICES_H

#include "collect.h"
#include "column.h"
#include "cost.h"
#include "domain.h"
#include "machine.h"
#include "memory.h"
#include "merge.h"
#include "range.h"

#ifndef GX_SLICE_NODES                  /* tests have another */
#define GX_SLICE_NODES GX_COST(SLICE_NODES)
#endif

typedef struct gx_slices {
    u32 total;                  /* nodes in whole */
    const u32 *whole, *at, *n;  /* n: how many a row has */
} gx_slices;

/* Which bound of a range tells its list: 0 the start, 1 the end */
typedef struct gx_slice_bound { const gx_v *set; u32 end; } gx_slice_bound;

GX_OP u32 gx_slice_key(const gx_slice_bound *x, u32 r)
{
    u32 b, e;

    gx_v_range(x->set, r, &b, &e);
    return x->end ? e : b;
}

GX_OP int gx_slice_same(const gx_m *m, const void *ctx, u32 a, u32 b)
{
    (void)m;
    return gx_slice_key((const gx_slice_bound *)ctx, a) == gx_slice_key((const gx_slice_bound *)ctx, b);
}

/* The lists that the rows' ranges are parts of: rows whose ranges begin (end: 0) or end (1) at the same place have one
 * list, as long as the longest of them. *begins, *ends: each list's bounds; d: how many lists there are, and whose each
 * row is; *total: nodes of all. O(rows). Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_slice_lists(gx_m *m, const gx_v *set, u32 n, u32 end, u32 **begins, u32 **ends, gx_domain *d,
                                   u64 *total)
{
    const gx_slice_bound bound = { set, end };
    u32 *hash;
    u64 *least, sum = 0;

    GX_TMP(m, hash, u32, n);
    TEAM_FOR(&m->t, r, n) {
        const u32 x = gx_slice_key(&bound, r) * 0x9e3779b1u;
        hash[r] = x ^ x >> 15;
    }
    team_sync(&m->t);
    GX_TRY(gx_domain_make(m, n, hash, gx_slice_same, &bound, d));
    GX_TMP(m, *begins, u32, d->n);
    GX_TMP(m, *ends, u32, d->n);
    GX_TMP(m, least, u64, d->n);
    TEAM_FOR(&m->t, k, d->n)
        least[k] = GX_NONE;
    team_sync(&m->t);
    TEAM_FOR(&m->t, r1, n) {            /* the other bound: the greatest end is the least of what it lacks */
        u32 b, e;
        gx_v_range(set, r1, &b, &e);
        if (b < e)
            team_least(&least[d->of_row ? d->of_row[r1] : r1], end ? b : GX_NONE - e);
    }
    team_sync(&m->t);
    TEAM_FOR(&m->t, k1, d->n) {
        const u32 known = gx_slice_key(&bound, d->heads ? d->heads[k1] : k1),
                  other = least[k1] == GX_NONE ? known : end ? (u32)least[k1] : GX_NONE - (u32)least[k1];
        (*begins)[k1] = end ? other : known;
        (*ends)[k1] = end ? known : other;
        sum += (*ends)[k1] - (*begins)[k1];
    }
    *total = team_sum(&m->t, sum);
    return GX_OK;
}

/* The lists of the n rows of set, each node once a list, and each row's part of them. *made 0: the rows have few nodes,
 * or share less than half of them; nothing was done. The lists are copied, so nodes that only stand between ranges are
 * copied, too. O(rows + nodes of the lists). Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_slices_make(gx_m *m, const gx_v *set, u32 n, gx_slices *out, int *made)
{
    const u64 tmp = m->tmp;
    u32 *off, *ids, *at, *count, *begins = NULL, *ends = NULL, total32;
    u64 nodes = 0, total = 0;
    gx_domain d;

    *made = 0;
    if (set->type != GX_T_SET || set->is_const || !set->cnt || n <= 8)
        return GX_OK;
    TEAM_FOR(&m->t, r, n) {
        u32 b, e;
        gx_v_range(set, r, &b, &e);
        nodes += e - b;
    }
    nodes = team_sum(&m->t, nodes);
    if (nodes <= (u64)GX_SLICE_NODES * n)
        return GX_OK;
    for (u32 end = 0; end < 2 && !*made; end++) {
        GX_TRY(gx_slice_lists(m, set, n, end, &begins, &ends, &d, &total));
        *made = total * 2 <= nodes;
        if (!*made)
            m->tmp = tmp;
    }
    if (!*made)
        return GX_OK;
    GX_TMP(m, off, u32, (u64)d.n + 1);
    TEAM_FOR(&m->t, k, d.n)
        off[k] = ends[k] - begins[k];
    GX_TRY(gx_scan(m, off, d.n, &total32));
    GX_TMP(m, ids, u32, total32);
    GX_TMP(m, at, u32, n);
    GX_TMP(m, count, u32, n);
    TEAM_FOR(&m->t, i, total32) {
        const u32 list = gx_row_of(off, d.n, i);
        ids[i] = ((const u32 *)set->data)[begins[list] + i - off[list]];
    }
    TEAM_FOR(&m->t, r1, n) {
        const u32 list = d.of_row ? d.of_row[r1] : r1;
        u32 b, e;
        gx_v_range(set, r1, &b, &e);
        at[r1] = off[list] + (b < e ? b - begins[list] : 0);
        count[r1] = e - b;
    }
    team_sync(&m->t);
    out->total = total32;
    out->whole = ids;
    out->at = at;
    out->n = count;
    return GX_OK;
}

/* gx_slices_make, or else all rows' nodes as parts of one list without gaps, as a join by order gives them: ranges of
 * which neither the starts nor the ends are the same for several rows. The list stays where it is. *made 0: that would
 * be more than half as many nodes as the rows have. As gx_slices_make(). */
GX_OP_BIG gx_status gx_slices_of_one(gx_m *m, const gx_v *set, u32 n, gx_slices *out, int *made)
{
    u64 nodes = 0, *bound;
    u32 *at, *count;

    GX_TRY(gx_slices_make(m, set, n, out, made));
    if (*made || set->type != GX_T_SET || set->is_const || !set->cnt || n <= 8)
        return GX_OK;
    GX_TMP(m, bound, u64, 2);
    if (team_rank(&m->t) == 0)
        bound[0] = bound[1] = GX_NONE;
    team_sync(&m->t);
    TEAM_FOR(&m->t, r, n) {
        u32 b, e;
        gx_v_range(set, r, &b, &e);
        nodes += e - b;
        if (b < e) {
            team_least(&bound[0], b);
            team_least(&bound[1], GX_NONE - e);
        }
    }
    nodes = team_sum(&m->t, nodes);
    const u32 first = (u32)bound[0], total = (u32)bound[0] == GX_NONE ? 0 : GX_NONE - (u32)bound[1] - first;
    if (nodes <= (u64)GX_SLICE_NODES * n || (u64)total * 2 > nodes)
        return GX_OK;
    GX_TMP(m, at, u32, n);
    GX_TMP(m, count, u32, n);
    TEAM_FOR(&m->t, r1, n) {
        u32 b, e;
        gx_v_range(set, r1, &b, &e);
        at[r1] = b < e ? b - first : 0;
        count[r1] = e - b;
    }
    team_sync(&m->t);
    out->total = total;
    out->whole = (const u32 *)set->data + first;
    out->at = at;
    out->n = count;
    *made = 1;
    return GX_OK;
}

/* for gx_merge: rows by where their parts begin, then by how long they are */
GX_OP int gx_slice_before(const void *ctx, u32 a, u32 b)
{
    const gx_slices *s = (const gx_slices *)ctx;

    return s->at[a] != s->at[b] ? s->at[a] < s->at[b] : s->n[a] != s->n[b] ? s->n[a] < s->n[b] : a < b;
}

/*
 * num[r] := the sum of the numbers of row r's nodes, as if they were added in document order, from x, the number of
 * each node of `whole`. Additions of doubles are rounded, so the order shows:
 *
 *   whole numbers, no sum can be rounded   any order gives the same: a tree over the list, O(log nodes) a row
 *   else                                   rows that begin at the same node go on from each other, shortest first
 *
 * O((rows + nodes) x log). Rows that begin at different nodes and overlap are summed anew each: O(rows x nodes) at
 * worst, which the watch ends. Complete after the next sync. Fails with GX_EARENA, GX_ETIME.
 */
GX_OP_BIG gx_status gx_slices_sum(gx_m *m, const gx_slices *s, const double *x, u32 n, double *num)
{
    gx_range_tree tree;
    gx_watch watch = gx_watch_start();
    u32 *perm, *aux, *off, at = 0, first = GX_NONE;
    double sum = 0;
    int exact;

    GX_TRY(gx_range_exact(m, x, s->total, &exact));
    if (exact) {
        GX_TRY(gx_range_make(m, x, s->total, GX_RANGE_SUM, &tree));
        TEAM_FOR(&m->t, r, n)
            num[r] = gx_range_of(&tree, s->at[r], s->at[r] + s->n[r]);
        return GX_OK;
    }
    GX_TMP(m, perm, u32, n);
    GX_TMP(m, aux, u32, n);
    GX_TMP(m, off, u32, 2);
    gx_one_row(m, off, n);
    const u32 *order = gx_merge(m, gx_slice_before, s, perm, aux, off, NULL, 1, n);
    TEAM_FOR(&m->t, i, n) {
        const u32 r = order[i];
        if (s->at[r] != first) {
            first = at = s->at[r];
            sum = 0;
        }
        const u32 from = at, end = first + s->n[r];
        for (; at < end; at++)
            sum += x[at];
        num[r] = sum;
        if (gx_watch_late(m, &watch, 1 + (at - from) / 8))
            break;
    }
    return gx_watch_end(m, &watch);
}

#endif
