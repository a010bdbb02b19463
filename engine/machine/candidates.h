/* SPDX-License-Identifier: Apache-2.0 */
/*
 * candidates.h -- predicates' candidates: which stay, by value or by place
 *
 * Between a step and its end a set is a CAND: a segment of nodes for each context node, in the axis' order. Predicates
 * drop candidates; gx_step_end turns what is left into a SET in document order.
 */
#ifndef GX_MACHINE_CANDIDATES_H
#define GX_MACHINE_CANDIDATES_H

#include "collect.h"
#include "column.h"
#include "machine.h"
#include "memory.h"
#include "merge.h"
#include "nodes.h"
#include "order.h"
#include "value.h"

/* *out: a SET of at most one node a row; node[r]: it, or GX_NONE. Members have written it: this syncs. */
GX_OP_BIG gx_status gx_v_ones(gx_m *m, const u32 *node, u32 rows, gx_v *out)
{
    u32 *off, *ids, total;

    GX_TMP(m, off, u32, (u64)rows + 1);
    TEAM_FOR(&m->t, r, rows)
        off[r] = node[r] != GX_NONE;
    GX_TRY(gx_scan(m, off, rows, &total));
    GX_TMP(m, ids, u32, total);
    TEAM_FOR(&m->t, k, rows)
        if (node[k] != GX_NONE)
            ids[off[k]] = node[k];
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, rows, ids);
    out->off = off;
    return GX_OK;
}

/* Closes candidates: reverse segments turn round, a row's segments become one set. c is used up. *out: SET of c->n rows
 * in document order, without duplicates. Where segments of a row may interleave (not merged), gx_v_order() sorts and
 * drops what is there twice; else nothing moves. O(candidates), and the sort. Complete for everyone. Fails with
 * GX_EARENA. */
GX_OP_BIG gx_status gx_step_end(gx_m *m, gx_v *c, gx_v *out)
{
    u32 *ids = (u32 *)c->data, *off;

    if (c->reverse)
        TEAM_FOR(&m->t, s, c->n_seg)
            for (u32 i = c->off[s], j = c->off[s + 1]; i + 1 < j; i++) {
                u32 x = ids[i];
                ids[i] = ids[--j];
                ids[j] = x;
            }
    *out = gx_v_make(GX_T_SET, c->n, ids);
    if (!c->row)
        out->off = c->off;
    else {
        GX_TMP(m, off, u32, c->n + 1);
        TEAM_FOR(&m->t, r, c->n + 1)
            off[r] = c->off[c->row[r]];
        out->off = off;
    }
    team_sync(&m->t);
    if (c->merged || !c->row)
        return GX_OK;
    return gx_v_order(m, out);
}

/* The candidates of a const set are the same for every row only if the predicate does not look at rows: else each of
 * the n rows gets its own copy, segments in the same order. *c becomes n times as many segments. O(n x candidates) in
 * memory. Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_pred_spread(gx_m *m, gx_v *c, u32 n)
{
    const u32 segs = c->n_seg, total = c->off[segs];
    u32 *row, *off, *ids;

    if (!c->row && !c->reverse) {
        gx_v set = gx_v_make(GX_T_SET, 1, c->data);
        set.off = c->off;
        set.is_const = 1;
        GX_TRY(gx_v_dense(m, &set, n));
        c->data = set.data;
        c->off = set.off;
        c->n = c->n_seg = n;
        c->is_const = 0;
        return GX_OK;
    }
    /* per context segments: merge is per row, so copy segment by segment */
    GX_TMP(m, row, u32, n + 1);
    GX_TMP(m, off, u32, (u64)segs * n + 1);
    GX_TMP(m, ids, u32, (u64)total * n);
    if ((u64)segs * n > 0xfffffff0u || (u64)total * n > 0xfffffff0u)
        return gx_full(m);
    TEAM_FOR(&m->t, i, n) {
        row[i] = i * segs;
        for (u32 s = 0; s < segs; s++)
            off[i * segs + s] = i * total + c->off[s];
        for (u32 k = 0; k < total; k++)
            ids[i * total + k] = ((const u32 *)c->data)[k];
    }
    if (team_rank(&m->t) == 0) {
        row[n] = n * segs;
        off[n * segs] = n * total;
    }
    team_sync(&m->t);
    c->data = ids;
    c->off = off;
    c->row = row;
    c->n_seg = n * segs;
    c->n = n;
    c->is_const = 0;
    return GX_OK;
}

#if !TEAM_IS_SOLO
typedef struct gx_kept { const u32 *ids, *keep; } gx_kept;       /* keep: the prefix sums of a flag for each */
GX_OP gx_seen gx_see_kept(const void *ctx, size_t k)
{
    const gx_kept *x = (const gx_kept *)ctx;
    return (gx_seen){ x->keep[k + 1] != x->keep[k], x->ids[k] };
}
typedef struct gx_held { const u32 *ids; const u8 *bits; } gx_held;
GX_OP gx_seen gx_see_held(const void *ctx, size_t k)
{
    const gx_held *x = (const gx_held *)ctx;
    return (gx_seen){ x->bits[k], x->ids[k] };
}
GX_OP u32 gx_find_seen(const void *ctx, size_t k, gx_seen s) { (void)ctx; (void)k; return gx_id_if(s.x != 0, s.y); }
GX_OP u32 gx_id_seen(const void *ctx, size_t k, gx_seen s) { (void)ctx; (void)k; return s.y; }
GX_COMPACTION(GX_OP_BIG, gx_compact_held, gx_held, gx_see_held, gx_find_seen, gx_id_seen)
GX_OP_BIG void gx_put_kept(gx_m *m, u32 n, const gx_kept *kept, u32 *out)
{
    const gx_kept own = *kept;
    team_put(&m->t, n, gx_see_kept, gx_find_seen, &own, own.keep, out);
}
#endif

/* keeps the candidates for which the predicate's value holds. value: a row a candidate; a number is true where it is
 * the candidate's place in its segment (3.3), else its truth counts. *c: the same segments, fewer nodes, in the same
 * order. One pass on a team of one; else flags, a scan, a scatter. O(candidates). Complete for everyone. Fails with
 * GX_EARENA. */
GX_OP_BIG gx_status gx_pred_close(gx_m *m, gx_v *c, const gx_v *value)
{
    u32 total = c->off[c->n_seg], *out, *off;
    const u32 *ids = (const u32 *)c->data;
    int number = value->type == GX_T_NUM;

    GX_TMP(m, off, u32, c->n_seg + 1);
#if TEAM_IS_SOLO
    u32 n = 0;
    GX_TMP(m, out, u32, total);
    for (u32 s = 0; s < c->n_seg; s++) {
        u32 b = c->off[s], end = c->off[s + 1];
        off[s] = n;
        for (u32 k = b; k < end; k++)
            if (number ? ((const double *)value->data)[GX_ROW(value, k)] == (double)(k - b + 1)
                       : gx_row_bool(m, value, k))
                out[n++] = ids[k];
    }
    off[c->n_seg] = n;
#else
    u32 *keep, n;
    /* one row's: nobody asks where others begin */
    if (c->n_seg == 1 && value->type == GX_T_BOOL && !value->is_const) {
        const gx_held held = { ids, (const u8 *)value->data };
        GX_TRY(gx_compact_held(m, total, &held, &out, &n, off));
        c->data = out;
        c->off = off;
        return GX_OK;
    }
    GX_TMP(m, keep, u32, total + 1);
    TEAM_FOR(&m->t, k, total)
    keep[k] = number
        ? ((const double *)value->data)[GX_ROW(value, k)] == (double)(k - c->off[gx_row_of(c->off, c->n_seg, k)] + 1)
        : (u32)gx_row_bool(m, value, k);
    GX_TRY(gx_scan(m, keep, total, &n));
    GX_TMP(m, out, u32, n);
    const gx_kept kept = { ids, keep };
    gx_put_kept(m, total, &kept, out);
    TEAM_FOR(&m->t, s2, c->n_seg + 1)
        off[s2] = keep[c->off[s2]];
    team_sync(&m->t);
#endif
    c->data = out;
    c->off = off;
    return GX_OK;
}

/* keeps the nth candidate of each segment (0: the last): *c has at most one node a segment. Reads offsets, and a node
 * of each segment, whatever its length. O(segments). Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_nth(gx_m *m, gx_v *c, u32 nth)
{
    u32 *off, *out, total = 0;
    const u32 *ids = (const u32 *)c->data;

    GX_TMP(m, off, u32, c->n_seg + 1);
    TEAM_FOR(&m->t, s, c->n_seg) {
        u32 n = c->off[s + 1] - c->off[s];
        off[s] = nth ? n >= nth : n > 0;
    }
    GX_TRY(gx_scan(m, off, c->n_seg, &total));
    GX_TMP(m, out, u32, total);
    TEAM_FOR(&m->t, s2, c->n_seg)
        if (off[s2 + 1] != off[s2])
            out[off[s2]] = ids[nth ? c->off[s2] + nth - 1 : c->off[s2 + 1] - 1];
    team_sync(&m->t);
    c->data = out;
    c->off = off;
    return GX_OK;
}

#define GX_LAST_PLACE 0xfffffff0u       /* behind all */
/* The first place that is d or more; above: more. NaN: none */
GX_OP u32 gx_place_from(double d, u32 above)
{
    if (d < 1)
        return 1;
    if (!(d < GX_LAST_PLACE))
        return GX_LAST_PLACE;
    return (u32)d + (above || d > (u32)d);
}
/* The last one that is d or less; below: less. NaN: none, 0 */
GX_OP u32 gx_place_to(double d, u32 below)
{
    if (!(d >= 1))
        return 0;
    return d < GX_LAST_PLACE ? (u32)d - (below && d == (u32)d) : GX_LAST_PLACE - 1;
}
/* Those of a list b .. e that stand at the places row r asks for: they begin at *first, and are so many */
GX_OP u32 gx_places(const gx_v *from, const gx_v *to, u32 ends, u32 r, u32 b, u32 e, u32 *first)
{
    const u32 low = gx_place_from(((const double *)from->data)[GX_ROW(from, r)], ends & GX_BETWEEN_ABOVE);
    u32 high = gx_place_to(((const double *)to->data)[GX_ROW(to, r)], ends & GX_BETWEEN_BELOW);

    high = high < e - b ? high : e - b;
    *first = high < low ? b : b + low - 1;
    return high < low ? 0 : high - low + 1;
}
/*
 * keeps the candidates, or the nodes of a SET, from the row's first number to its second (the same one: AT); n: rows.
 *
 *   SET                      *c: a slice a row (off, cnt) of the list where it is: O(rows), no node is read
 *   CAND, one for all rows   each row takes its own part of each segment: O(rows x segments + nodes kept)
 *   CAND                     O(segments + nodes kept)
 *
 * ends: whether a bound itself is left out (GX_BETWEEN_*). NaN keeps nothing. Complete for everyone. Fails with
 * GX_EARENA.
 */
GX_OP_BIG gx_status gx_between(gx_m *m, gx_v *c, const gx_v *from, const gx_v *to, u32 ends, u32 n)
{
    const u8 fixed = from->is_const && to->is_const;
    const int list = c->type == GX_V_CAND, spread = c->is_const && !fixed;
    const u32 rows = c->is_const && fixed ? 1 : n, segs = !list ? 1 : c->n_seg,
              total_segs = !list ? rows
        : spread                 ? segs * rows
                                 : segs;
    const u32 *ids = (const u32 *)c->data;
    u32 *off, *out = NULL, *row = NULL, total = 0;

    if (!list) {
        u32 *cnt;
        GX_TMP(m, off, u32, rows);
        GX_TMP(m, cnt, u32, rows);
        TEAM_FOR(&m->t, r, rows) {
            u32 b, e;
            gx_v_range(c, r, &b, &e);
            cnt[r] = gx_places(from, to, ends, r, b, e, &off[r]);
        }
        team_sync(&m->t);
        *c = gx_v_make(GX_T_SET, rows, c->data);
        c->is_const = rows == 1 && n != 1;
        c->off = off;
        c->cnt = cnt;
        return GX_OK;
    }

    if (spread && (u64)segs * rows > 0xfffffff0u)
        return gx_full(m);
    GX_TMP(m, off, u32, (u64)total_segs + 1);
    for (int pass = 0; pass < 2; pass++) {
        TEAM_FOR(&m->t, s, total_segs) {
            const u32 seg = spread ? s % segs : s, r = spread ? s / segs : c->row ? gx_row_of(c->row, c->n, s) : s;
            u32 first;
            /* The first pass counts, the second copies: places are computed twice, since they cost less than an array
             * of them. */
            const u32 kept = gx_places(from, to, ends, r, c->off[seg], c->off[seg + 1], &first);
            if (!pass)
                off[s] = kept;
            for (u32 k = 0; pass && k < kept; k++)
                out[off[s] + k] = ids[first + k];
        }
        if (!pass) {
            GX_TRY(gx_scan(m, off, total_segs, &total));
            GX_TMP(m, out, u32, total);
        }
    }
    if (spread && c->row) {
        GX_TMP(m, row, u32, (u64)rows + 1);
        TEAM_FOR(&m->t, i, rows + 1)
            row[i] = i * segs;
        c->row = row;
    }
    team_sync(&m->t);
    if (spread)
        c->is_const = 0;
    c->n = rows;
    c->n_seg = total_segs;
    c->data = out;
    c->off = off;
    return GX_OK;
}

/* Have both nodes the same parent? Not so two roots, which have none. */
GX_OP int gx_are_siblings(const gx_m *m, u32 a, u32 b)
{
    const u32 parent = gx_parent(gx_view_of(m, a), a);
    return parent != GX_NONE && parent == gx_parent(gx_view_of(m, b), b);
}

/* For gx_merge: by parent, then by place. ctx: the parents. */
GX_OP int gx_child_before(const void *ctx, u32 a, u32 b)
{
    const u32 *parents = (const u32 *)ctx;
    return parents[a] != parents[b] ? parents[a] < parents[b] : a < b;
}
/* c's nodes, children of perhaps several nodes: if there are several for a row, as candidates of each of these.
 * together: those of one parent stand together in c, as children of nodes that are not below each other do; then a look
 * at each row's first and last node tells whether there is anything to part. Else parents are compared along each row,
 * and only if they go back the row is sorted by parent, then by node (gx_merge). *c: CAND, a segment a parent, row r's
 * segments row[r] .. row[r + 1]; or still a SET where each row has one parent. O(nodes), the sort O(nodes x log).
 * Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_part_by_parent(gx_m *m, gx_v *c, int together, u32 n)
{
    const u32 rows = gx_v_rows(c, n);
    u32 *row, *starts, *off, *parents, several = !together, apart = 0, n_seg;

    if (!rows || !c->off)
        return GX_OK;
    if (together)
        TEAM_FOR(&m->t, r, rows) {
            u32 b, e;
            gx_v_range(c, r, &b, &e);
            several |= b < e && !gx_are_siblings(m, ((const u32 *)c->data)[b], ((const u32 *)c->data)[e - 1]);
        }
    if (!team_any(&m->t, (int)several))
        return GX_OK;
    GX_TRY(gx_v_flat(m, c, n));
    const u32 total = c->off[rows];
    GX_TMP(m, parents, u32, total);
    GX_TMP(m, starts, u32, (u64)total + 1);
    GX_TMP(m, row, u32, (u64)rows + 1);
    TEAM_FOR(&m->t, k, total) {
        const u32 node = ((const u32 *)c->data)[k];
        parents[k] = gx_parent(gx_view_of(m, node), node);
    }
    team_sync(&m->t);
    if (!together)
        TEAM_FOR(&m->t, r, rows)
            for (u32 k = c->off[r] + 1; k < c->off[r + 1] && !apart; k++)
                apart = parents[k] < parents[k - 1];
    if (team_any(&m->t, (int)apart)) {
        u32 *perm, *aux, *set, *ids, *sorted;
        GX_TMP(m, perm, u32, total);
        GX_TMP(m, aux, u32, total);
        GX_TMP(m, set, u32, total);
        GX_TMP(m, ids, u32, total);
        GX_TMP(m, sorted, u32, total);
        gx_expand_rows(m, c->off, rows, set);
        /* By parent, then by node: a parent's children come together, and stay in document order among themselves. */
        const u32 *order = gx_merge(m, gx_child_before, parents, perm, aux, c->off, set, rows, total);
        TEAM_FOR(&m->t, k, total) {
            ids[k] = ((const u32 *)c->data)[order[k]];
            sorted[k] = parents[order[k]];
        }
        team_sync(&m->t);
        c->data = ids;
        parents = sorted;
        apart = 1;
    }
    TEAM_FOR(&m->t, k, total)
        /* A segment begins where the parent changes; below, where a row begins, too. */
        starts[k] = !k || parents[k] != parents[k - 1];
    team_sync(&m->t);
    TEAM_FOR(&m->t, r, rows)
        if (c->off[r] < c->off[r + 1])
            starts[c->off[r]] = 1;
    team_sync(&m->t);
    GX_TRY(gx_scan(m, starts, total, &n_seg));
    GX_TMP(m, off, u32, (u64)n_seg + 1);
    TEAM_FOR(&m->t, k, total)
        if (starts[k + 1] != starts[k])
            off[starts[k]] = k;
    TEAM_FOR(&m->t, r, rows + 1)
        row[r] = starts[c->off[r]];
    if (team_rank(&m->t) == 0)
        off[n_seg] = total;
    team_sync(&m->t);
    c->type = GX_V_CAND;
    c->n = rows;
    c->off = off;
    c->cnt = NULL;
    c->row = row;
    c->n_seg = n_seg;
    c->reverse = 0;
    c->merged = !team_any(&m->t, (int)apart);
    return GX_OK;
}

/* keeps all of a row's candidates or nodes, or none, as its truth says: a predicate that does not depend on the node,
 * met once a row. n: rows. As gx_between(), of which it is a case: the nodes of a SET stay where they are. */
GX_OP_BIG gx_status gx_all_or_none(gx_m *m, gx_v *c, gx_v *truth, u32 n)
{
    const u32 rows = gx_v_rows(truth, n);
    gx_v from, to;
    double *d;

    GX_TRY(gx_to_bool(m, truth, n));
    GX_TMP(m, d, double, 2 * (u64)rows);
    TEAM_FOR(&m->t, r, rows) {
        const int all = ((const u8 *)truth->data)[r];
        d[r] = all;
        d[rows + r] = all ? GX_LAST_PLACE : 0;
    }
    team_sync(&m->t);
    from = gx_v_make(GX_T_NUM, rows, d);
    to = gx_v_make(GX_T_NUM, rows, d + rows);
    from.is_const = to.is_const = truth->is_const;
    return gx_between(m, c, &from, &to, 0, n);
}

/* a dense SET as candidates: a segment a row, in document order */
GX_OP_BIG gx_status gx_v_candidates(gx_m *m, gx_v *c)
{
    GX_TRY(gx_v_offsets(m, c, c->n));
    c->type = GX_V_CAND;
    c->n_seg = c->n;
    c->row = NULL;
    c->reverse = 0;
    c->merged = 1;
    return GX_OK;
}

/* keeps those whose position is equal to a row's value: `$all[position() = $i]`. One number a row is gx_between(); a
 * truth keeps all or none; a set of several nodes keeps each position that some node's number is equal to (3.4), and
 * only then each candidate is compared. c: SET or CAND, and the same again behind it. O(rows), or O(candidates x nodes
 * of a row's value). Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_at_equal(gx_m *m, gx_v *c, gx_v *value, u32 n)
{
    const int list = c->type == GX_V_CAND;
    u32 several = 0, *row, total;
    double *d;
    gx_v bits, place;

    if (value->type == GX_T_BOOL)               /* a position is true */
        return gx_all_or_none(m, c, value, n);
    if (value->type == GX_T_SET)
        TEAM_FOR(&m->t, r, gx_v_rows(value, n)) {
            u32 b, e;
            gx_v_range(value, r, &b, &e);
            several |= e - b > 1;
        }
    if (!team_any(&m->t, (int)several)) {
        GX_TRY(gx_to_num(m, value, n));
        return gx_between(m, c, value, value, 0, n);
    }
    if (!list) {
        GX_TRY(gx_v_flat(m, c, n));
        GX_TRY(gx_v_candidates(m, c));
    }
    if (c->is_const && !value->is_const)
        GX_TRY(gx_pred_spread(m, c, n));
    total = c->off[c->n_seg];
    GX_TMP(m, row, u32, total);
    GX_TMP(m, d, double, total);
    TEAM_FOR(&m->t, k, total) {
        const u32 s = gx_row_of(c->off, c->n_seg, k);
        row[k] = c->row ? gx_row_of(c->row, c->n, s) : s;
        d[k] = k - c->off[s] + 1;
    }
    team_sync(&m->t);
    place = gx_v_make(GX_T_NUM, total, d);
    GX_TRY(gx_v_gather(m, value, row, total));
    GX_TRY(gx_compare(m, GX_X_EQ, &place, value, total, &bits));
    GX_TRY(gx_pred_close(m, c, &bits));
    if (!list) {
        const u8 is_const = c->is_const;
        gx_v set;
        GX_TRY(gx_step_end(m, c, &set));
        *c = set;
        c->is_const = is_const;
    }
    return GX_OK;
}

/* `$all[last() - n]` with a number for each row: keeps of each row's nodes the one at the row's place from the end, 1
 * the last; a place that is no integer, or outside, keeps none. *c: SET of one node or none a row, where the nodes were
 * (off, cnt). O(rows). Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_at_from_end(gx_m *m, gx_v *c, const gx_v *place, u32 n)
{
    const u8 is_const = c->is_const && place->is_const;
    const u32 rows = is_const ? 1 : n;
    u32 *off, *cnt;

    if (c->type != GX_T_SET || place->type != GX_T_NUM)         /* in no program of the compiler's */
        return gx_raise(m, GX_EBAD, GX_RE_TYPE, gx_str_none());
    GX_TMP(m, off, u32, rows);
    GX_TMP(m, cnt, u32, rows);
    TEAM_FOR(&m->t, r, rows) {
        const double d = ((const double *)place->data)[GX_ROW(place, r)];
        u32 b, e;
        gx_v_range(c, r, &b, &e);
        cnt[r] = d >= 1 && d <= e - b && d == (u32)d;
        off[r] = cnt[r] ? e - (u32)d : b;
    }
    team_sync(&m->t);
    *c = gx_v_make(GX_T_SET, rows, c->data);
    c->is_const = is_const && n != 1;
    c->off = off;
    c->cnt = cnt;
    return GX_OK;
}

/* The operators AT (to NULL) and BETWEEN for n rows: of a SET or CAND those at the places that the row's values say.
 * OF_EACH: places count among each parent's children. A set as a bound of BETWEEN is its least or greatest number,
 * since some node is enough. The two GX_EBAD are for damaged programs only. As gx_between(). */
GX_OP_BIG gx_status gx_keep_places(gx_m *m, const gx_op *op, gx_v *c, gx_v *from, gx_v *to, u32 n)
{
    const int each = op->a & GX_PLACES_OF_EACH && c->type == GX_T_SET;

    if (each)
        GX_TRY(gx_part_by_parent(m, c, 1, n));
    if (to) {
        GX_TRY(gx_to_extremes(m, from, n, 0));          /* of a set some node is enough */
        GX_TRY(gx_to_extremes(m, to, n, 1));
        GX_TRY(gx_between(m, c, from, to, op->a, n));
    } else if (op->a & GX_AT_FROM_END)
        GX_TRY(gx_at_from_end(m, c, from, n));
    else if (from->type == GX_T_NUM)
        GX_TRY(gx_between(m, c, from, from, 0, n));
    else if (op->a & GX_AT_EQUAL)
        GX_TRY(gx_at_equal(m, c, from, n));
    else if (op->a & GX_AT_ANY)
        GX_TRY(gx_all_or_none(m, c, from, n));
    else
        return gx_raise(m, GX_EBAD, GX_RE_TYPE, gx_str_none());
    if (each && c->type == GX_V_CAND) {
        const u8 is_const = c->is_const;
        gx_v set;
        GX_TRY(gx_step_end(m, c, &set));
        *c = set;
        c->is_const = is_const;
    }
    return GX_OK;
}

/* keeps the candidates first to last (1-based) of each segment: `[position() <= 10]` with constant bounds. *c: the same
 * segments, shorter; a lone segment is cut where it lies, others are copied. O(segments + nodes kept). Complete for
 * everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_first_to_last(gx_m *m, gx_v *c, u32 first, u32 last)
{
    u32 *off, *out, total = 0;
    const u32 *ids = (const u32 *)c->data;

    GX_TMP(m, off, u32, c->n_seg + 1);
    TEAM_FOR(&m->t, s, c->n_seg) {
        const u32 n = c->off[s + 1] - c->off[s], stop = last < n ? last : n;
        off[s] = stop >= first ? stop - first + 1 : 0;
    }
    GX_TRY(gx_scan(m, off, c->n_seg, &total));
    if (c->n_seg == 1) {
        if (total)
            c->data = (void *)(ids + c->off[0] + first - 1);
        c->off = off;
        return GX_OK;
    }
    GX_TMP(m, out, u32, total);
    TEAM_FOR(&m->t, s2, c->n_seg)
        for (u32 k = off[s2], from = c->off[s2] + first - 1; k < off[s2 + 1]; k++, from++)
            out[k] = ids[from];
    team_sync(&m->t);
    c->data = out;
    c->off = off;
    return GX_OK;
}

#endif
