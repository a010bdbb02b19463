/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.h -- conversions, comparisons and arithmetic on columns (XPath 1.0: 3.4, 3.5, 4.2 to 4.4)
 *
 * A column that is const stays const: literals and globals cost one row, whatever the number of frames.
 */
#ifndef GX_MACHINE_VALUE_H
#define GX_MACHINE_VALUE_H

#include "budget.h"
#include "collect.h"
#include "column.h"
#include "machine.h"
#include "memory.h"
#include "nodes.h"
#include "number.h"
#include "range.h"
#include "row.h"
#include "slices.h"

GX_OP u8 gx_byte_some(const void *off, size_t k) { return ((const u32 *)off)[k + 1] != ((const u32 *)off)[k]; }
GX_OP u8 gx_byte_true(const void *numbers, size_t k)
{
    const double d = ((const double *)numbers)[k];
    return (d < 0) | (d > 0);
}
/* boolean() of a column (XPath 1.0, 4.3): *v becomes BOOL, n rows, or one where it is const. A set is true where it has
 * a node: with offsets, these alone are read. A number is true unless it is 0 or NaN. O(rows). Complete for everyone.
 * Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_to_bool(gx_m *m, gx_v *v, u32 n)
{
    u8 *out;

    if (v->type == GX_T_BOOL)
        return GX_OK;
    n = gx_v_rows(v, n);
    GX_TMP(m, out, u8, n);
    if (v->type == GX_T_SET && !v->is_const && v->off && !v->cnt)
        team_bytes(&m->t, n, gx_byte_some, v->off, out);
    else if (v->type == GX_T_NUM)
        team_bytes(&m->t, n, gx_byte_true, v->data, out);
    else
        TEAM_FOR(&m->t, i, n)
            out[i] = (u8)gx_row_bool(m, v, i);
    team_sync(&m->t);
    u8 is_const = v->is_const;
    *v = gx_v_make(GX_T_BOOL, n, out);
    v->is_const = is_const;
    return GX_OK;
}

GX_OP_BIG gx_status gx_to_str(gx_m *m, gx_v *v, u32 n);
/* number() of a column that is none yet (4.4): *v becomes NUM, n rows, or one where it is const. A set's number is that
 * of its first node's string-value; strings that are no numbers are NaN. O(bytes of the strings). Complete for
 * everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_make_num(gx_m *m, gx_v *v, u32 n)
{
    gx_watch watch = gx_watch_start();
    double *out;

    if (v->type == GX_T_RTF)
        GX_TRY(gx_to_str(m, v, n));     /* it may be one of all rows */
    n = gx_v_rows(v, n);
    GX_TMP(m, out, double, n);
    TEAM_FOR(&m->t, i, n) {
        out[i] = gx_row_num(m, v, i);
        if (gx_watch_late(m, &watch, gx_row_work(m, v, i)))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    u8 is_const = v->is_const;
    *v = gx_v_make(GX_T_NUM, n, out);
    v->is_const = is_const;
    return GX_OK;
}
/* Most operands of arithmetic are numbers already: a call for each was 7 % of XSLTMark's tower's instructions. */
GX_OP gx_status gx_to_num(gx_m *m, gx_v *v, u32 n)
{
    return v->type == GX_T_NUM ? GX_OK : gx_make_num(m, v, n);
}

/* The length of two strings together; of what no string can hold GX_LONGEST, for which gx_build and gx_grow find no
 * room */
#define GX_LONGEST 0xfffffff0u
GX_OP u32 gx_len_add(u32 a, u32 b) { return b < GX_LONGEST - a ? a + b : GX_LONGEST; }

/* Memory for n strings whose lengths stand in len[0 .. n): len becomes their offsets (n + 1 entries). */
GX_OP gx_status gx_build(gx_m *m, u32 *len, u32 n, char **bytes)
{
    u32 total = 0;

    GX_TRY(gx_scan(m, len, n, &total));
    *bytes = (char *)gx_keep(m, total);
    return *bytes ? GX_OK : gx_full(m);
}

/*
 * *bytes := a lone row's new string, in which s stands already, behind `before` bytes and before `after` bytes that the
 * caller writes.
 *
 * Stylesheets build long strings by recursion, concat($all, $item): copied at every step, 10,000 steps are 10,000
 * copies. What has been made here is remembered; when it is made longer, it is copied into the middle of a room of its
 * own size on that side, and from then on grows in its place. (Others' slices of it stay as they are: only what nobody
 * has yet is written.)
 */
#define GX_GROW_LEAST 512u      /* shorter ones are copied */
GX_OP_BIG gx_status gx_grow(gx_m *m, u64 before, gx_str s, u64 after, char **bytes)
{
    gx_rooms *const r = m->run->rooms;
    const u64 at = GX_STR_OFF(s.at), total = before + s.len + after;
    u32 k = GX_STR_SPACE(s.at) == GX_SPACE_ARENA ? 0 : GX_ROOMS, next = r->next;
    gx_room room;

    while (k < GX_ROOMS && ((before && at != r->at[k].from) || (after && at + s.len != r->at[k].to)))
        k++;
    if (k < GX_ROOMS && before <= r->at[k].from - r->at[k].first && after <= r->at[k].end - r->at[k].to) {
        room = r->at[k];
        room.from -= before;
        room.to += after;
        *bytes = m->base + at - before;
        team_sync(&m->t);
    } else {
        /* A string that grows again gets as much room as it has, on the side on which it grows: it is copied once each
         * doubling. */
        const u64 lead = k < GX_ROOMS && before ? total : 0, tail = k < GX_ROOMS && after ? total : 0;
        char *p = total < GX_LONGEST ? (char *)gx_keep(m, lead + total + tail) : NULL;
        if (!p)
            return gx_full(m);
        room.first = (u64)(p - m->base);
        room.from = room.first + lead;
        room.to = room.from + total;
        room.end = room.to + tail;
        *bytes = p + lead;
        if (k == GX_ROOMS) {
            k = next;
            next = (next + 1) % GX_ROOMS;
        }
        team_sync(&m->t);
        if (team_rank(&m->t) == 0) {
            if (lead + tail)
                gx_zero(p, lead + total + tail);
            memcpy(*bytes + before, gx_bytes(m, s), s.len);
        }
    }
    if (team_rank(&m->t) == 0) {
        r->at[k] = room;
        r->next = next;
    }
    team_sync(&m->t);
    return GX_OK;
}

/* string() of n numbers (4.2): out[i]. One after the other a team of one writes each behind the last; else each number
 * is formatted twice, for its length and for its bytes. O(n). Complete for everyone, but of a team of one. Fails with
 * GX_EARENA. */
GX_OP_BIG gx_status gx_numbers_to_str(gx_m *m, const double *in, u32 n, gx_str *out)
{
#if TEAM_IS_SOLO
    for (u32 i = 0; i < n; i++) {
        char *p = m->base + m->top;
        if (m->top_end - m->top < GX_NUMBER_CHARS + 16)
            return gx_full(m);
        u32 len = gx_number_format(in[i], p);
        out[i] = gx_arena_str(m, p, len);
        m->top += len;
    }
    m->top = gx_pad(m, m->top);
    return GX_OK;
#else
    u32 *at;
    char *bytes;

    GX_TMP(m, at, u32, n + 1);
    TEAM_FOR(&m->t, i, n) {
        char buf[GX_NUMBER_CHARS];
        at[i] = gx_number_format(in[i], buf);
    }
    GX_TRY(gx_build(m, at, n, &bytes));
    TEAM_FOR(&m->t, k, n) {
        char buf[GX_NUMBER_CHARS];
        u32 len = gx_number_format(in[k], buf);
        memcpy(bytes + at[k], buf, len);
        out[k] = gx_arena_str(m, bytes + at[k], len);
    }
    team_sync(&m->t);
    return GX_OK;
#endif
}

/* out[i]: the string-value of the first node of row i, "" where it has none. All nodes are v's; set is not const. What
 * gx_first_str() asks for each row is asked once. O(n). */
GX_OP void gx_first_strs(const gx_view *v, const gx_v *set, u32 n, gx_str *out)
{
    const u32 *ids = (const u32 *)set->data, *off = set->off, *cnt = set->cnt;
    for (u32 i = 0; i < n; i++) {
        const u32 b = off ? off[i] : i, some = !off || (cnt ? cnt[i] != 0 : off[i + 1] != b);
        if (some && ids[b] != GX_NONE)
            out[i] = gx_node_str(v, ids[b]);
        else
            out[i] = gx_str_none();
    }
}

/* string() of a column (4.2): *v becomes STR, n rows, or one where it is const. A set's string is its first node's;
 * nodes' strings are slices of the document, a fragment's were made with it (and are one row where all are alike): only
 * numbers are written. O(rows), O(digits). Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_to_str(gx_m *m, gx_v *v, u32 n)
{
    gx_str *out;
    u8 is_const = v->is_const || (v->type == GX_T_RTF && v->str && v->merged);

    if (v->type == GX_T_STR)
        return GX_OK;
    n = is_const ? 1 : n;
    if (v->type == GX_T_RTF && v->str) {
        *v = gx_v_make(GX_T_STR, n, (void *)v->str);
        v->is_const = is_const;
        return GX_OK;
    }
    GX_TMP(m, out, gx_str, n);
    if (v->type == GX_T_NUM)
        GX_TRY(gx_numbers_to_str(m, (const double *)v->data, n, out));
    else {
        const gx_v set = *v;                    /* held in registers: a store to out may be one to *v */
        if (v->type == GX_T_SET && TEAM_IS_SOLO && m->n_docs == 1 && !is_const)
            gx_first_strs(m->run->views, &set, n, out);
        else if (v->type == GX_T_SET)
            TEAM_FOR(&m->t, i, n)
                out[i] = gx_first_str(m, &set, i);
        else
            TEAM_FOR(&m->t, i, n)
                out[i] = gx_row_str(m, v, i);
        team_sync(&m->t);
    }
    *v = gx_v_make(GX_T_STR, n, out);
    v->is_const = is_const;
    return GX_OK;
}

/* ---- comparisons (3.4) ---- */

GX_OP int gx_compare_num(u32 op, double a, double b)
{
    switch (op) {
    case GX_X_EQ: return a == b;
    case GX_X_NE: return a != b;
    case GX_X_LT: return a < b;
    case GX_X_LE: return a <= b;
    case GX_X_GT: return a > b;
    default: return a >= b;
    }
}

/* node-set = or != a string or number (XPath 1.0, 3.4): is there a node in row r of `set` that compares so with row r
 * of `other`? An empty set never does, for either operator. O(nodes up to the first), and their bytes where lengths are
 * equal or numbers are parsed. At a limit it returns 0 early: gx_watch_end() fails for the caller then. */
GX_OP int gx_compare_nodes(const gx_m *m, u32 op, const gx_v *set, u32 r, const gx_v *other, gx_watch *watch)
{
    u32 b, e;
    const u32 *ids = (const u32 *)set->data;
    int numeric = other->type == GX_T_NUM;
    double x = 0;
    gx_str s = gx_str_none();
    const char *sp = NULL;

    gx_v_range(set, r, &b, &e);
    if (b == e)
        return 0;
    if (numeric)
        x = gx_row_num(m, other, r);
    else {
        s = gx_row_str(m, other, r);
        sp = gx_bytes(m, s);
    }
    for (u32 k = b; k < e; k++) {
        const gx_view *v = gx_view_of(m, ids[k]);
        u32 len;
        const char *p = gx_node_bytes(v, ids[k], &len);
        if (gx_watch_late(m, watch, 1 + (numeric || len == s.len ? GX_WATCH_BYTES(len) : 0)))
            return 0;
        if (numeric) {
            if (gx_compare_num(op, x, gx_number_parse(p, len)))
                return 1;
        } else if ((len == s.len && gx_bytes_equal(p, sp, len)) == (op == GX_X_EQ))
            return 1;
    }
    return 0;
}

/* The greatest or least number of a set that is the same for all rows, by all members: v, a const SET, becomes a const
 * NUM, NaN for no node or no number. Each member takes its own best, up to 256 members the best of these, and then each
 * member that of the 256: it must be in all registers alike. O(nodes / members + members / 256 + 256). Complete for
 * everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_const_extreme(gx_m *m, gx_v *v, int greatest)
{
    /* Each member's best, then the best of these by `few` members, then of those by all, who must agree. */
    const u32 size = team_size(&m->t), few = size < 256 ? size : 256, rank = team_rank(&m->t);
    u32 b, e;
    double *part, best = gx_nan();
    gx_watch watch = gx_watch_start();

    gx_v_range(v, 0, &b, &e);
    GX_TMP(m, part, double, (u64)size + few);
    TEAM_FOR(&m->t, k, e - b) {
        const u32 node = ((const u32 *)v->data)[b + k];
        best = gx_farther(best, gx_node_num(m, node), greatest);
        if (gx_watch_late(m, &watch, gx_node_work(m, node)))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    part[few + rank] = best;
    team_sync(&m->t);
    if (rank < few) {
        for (u32 k = rank + few; k < size; k += few)
            best = gx_farther(best, part[few + k], greatest);
        part[rank] = best;
    }
    team_sync(&m->t);
    best = gx_nan();
    for (u32 k = 0; k < few; k++)
        best = gx_farther(best, part[k], greatest);
    team_sync(&m->t);                   /* all have read part[0] */
    if (rank == 0)
        part[0] = best;
    team_sync(&m->t);
    *v = gx_v_make(GX_T_NUM, 1, part);
    v->is_const = 1;
    return GX_OK;
}

/* *out: the number of each node of `whole`, NaN where its string-value is none. O(bytes). Complete for everyone. Fails
 * with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_slices_numbers(gx_m *m, const gx_slices *s, double **out)
{
    gx_watch watch = gx_watch_start();
    double *x;

    GX_TMP(m, x, double, s->total);
    TEAM_FOR(&m->t, k, s->total) {
        x[k] = gx_node_num(m, s->whole[k]);
        if (gx_watch_late(m, &watch, gx_node_work(m, s->whole[k])))
            break;
    }
    *out = x;
    return gx_watch_end(m, &watch);
}

/* The greatest or least number of each row of v, whose rows are slices of one list: each number of the list is parsed
 * once, and a tree over them answers a row in O(log n). v becomes NUM, n rows, NaN for an empty row. O(nodes of the
 * list + rows x log). Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_slices_extreme(gx_m *m, gx_v *v, const gx_slices *s, u32 n, int greatest)
{
    gx_range_tree tree;
    double *x = NULL, *d;

    GX_TRY(gx_slices_numbers(m, s, &x));
    GX_TRY(gx_range_make(m, x, s->total, greatest ? GX_RANGE_GREATEST : GX_RANGE_LEAST, &tree));
    GX_TMP(m, d, double, n);
    TEAM_FOR(&m->t, r, n)
        d[r] = gx_range_of(&tree, s->at[r], s->at[r] + s->n[r]);
    team_sync(&m->t);
    *v = gx_v_make(GX_T_NUM, n, d);
    return GX_OK;
}

/* Does each row have the nodes of the row before, or of the one behind, and few others? Then an extreme that goes on
 * from the row before looks at few nodes a row. O(rows). */
GX_OP_BIG int gx_grows(gx_m *m, const gx_v *v, u32 n)
{
    u64 other = 0;

    TEAM_FOR(&m->t, r, n) {
        u32 b, e, b0 = 0, e0 = 0;
        gx_v_range(v, r, &b, &e);
        if (r)
            gx_v_range(v, r - 1, &b0, &e0);
        other += !r || (b != b0 && e != e0) ? e - b : b != b0 ? (b < b0 ? b0 - b : b - b0) : (e < e0 ? e0 - e : e - e0);
    }
    return team_sum(&m->t, other) <= (u64)GX_SLICE_NODES * n;
}

/*
 * v becomes NUM; of a SET the greatest or the least number of each row, NaN where there is none: compared by <, <=, >,
 * >= these stand for all. A row that has the nodes of the one before and others beside them goes on from there: the
 * ranges of a set that siblings share (GX_F_AXIS_RANGE) grow from row to row, or shrink; then the rows are gone through
 * from the last.
 */
GX_OP_BIG gx_status gx_to_extremes(gx_m *m, gx_v *v, u32 n, int greatest)
{
    u32 first = 0, at = 0, b, e = 0, end = 0;   /* best: of the nodes from first up to at */
    double *d, best = gx_nan();
    gx_watch watch = gx_watch_start();

    if (v->type != GX_T_SET || !v->off)
        return gx_to_num(m, v, n);
    if (v->is_const)
        return gx_const_extreme(m, v, greatest);
    if (v->cnt && !gx_grows(m, v, n)) {
        gx_slices s;
        int made;
        GX_TRY(gx_slices_make(m, v, n, &s, &made));
        if (made)
            return gx_slices_extreme(m, v, &s, n, greatest);
    }
    GX_TMP(m, d, double, n);
    if (n) {
        gx_v_range(v, n - 1, &b, &end);
        gx_v_range(v, 0, &b, &e);
    }
    /* Rows that end together begin one behind the other: from the last row on they grow. */
    const int shrinks = n > 1 && e == end;
    TEAM_FOR(&m->t, i, n) {
        const u32 r = shrinks ? n - 1 - i : i;
        gx_v_range(v, r, &b, &e);
        if (b > first || e < at || first == at) {
            first = at = b;
            best = gx_nan();
        }
        for (; at < e && !gx_watch_late(m, &watch, gx_node_work(m, ((const u32 *)v->data)[at])); at++)
            best = gx_farther(best, gx_node_num(m, ((const u32 *)v->data)[at]), greatest);
        for (; first > b && !gx_watch_late(m, &watch, gx_node_work(m, ((const u32 *)v->data)[first - 1])); first--)
            best = gx_farther(best, gx_node_num(m, ((const u32 *)v->data)[first - 1]), greatest);
        d[r] = best;
        if (gx_watch_late(m, &watch, 1))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    *v = gx_v_make(GX_T_NUM, n, d);
    return GX_OK;
}

/* x = y, x != y of two node-sets in row r (3.4): is there a pair of nodes whose string-values compare so? = looks at
 * each pair: nodes of x x nodes of y, the product, so large sets go by gx_compare_meeting(). != needs few: O(nodes of x
 * + nodes of y). Bytes are compared only where lengths are equal. At a limit it returns 0 early: gx_watch_end() fails
 * for the caller then. */
GX_OP int gx_compare_sets(const gx_m *m, u32 op, const gx_v *x, const gx_v *y, u32 r, gx_watch *watch)
{
    u32 xb, xe, yb, ye;
    const u32 *xi = (const u32 *)x->data, *yi = (const u32 *)y->data;

    gx_v_range(x, r, &xb, &xe);
    gx_v_range(y, r, &yb, &ye);
    for (u32 i = xb; i < xe; i++) {
        u32 n;
        const char *p = gx_node_bytes(gx_view_of(m, xi[i]), xi[i], &n);
        /* !=: once x's first node is equal to all of y, these are equal, and one of them is enough for the others of
         * x */
        if (op == GX_X_NE && i > xb && yb < ye)
            ye = yb + 1;
        if (gx_watch_late(m, watch, ye - yb))
            return 0;
        for (u32 k = yb; k < ye; k++) {
            u32 len;
            const char *q;
            q = gx_node_bytes(gx_view_of(m, yi[k]), yi[k], &len);
            if (n == len && gx_watch_late(m, watch, GX_WATCH_BYTES(n)))
                return 0;
            if ((n == len && gx_bytes_equal(p, q, n)) == (op == GX_X_EQ))
                return 1;
        }
    }
    return 0;
}

/* The hash of the string-value of each node of a flat SET, in the set's order, one behind the other over all rows.
 * O(bytes). Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_set_hashes(gx_m *m, const gx_v *v, u32 **hashes)
{
    u32 *h, total = gx_v_total(v);
    gx_watch watch = gx_watch_start();

    GX_TMP(m, h, u32, total);
    TEAM_FOR(&m->t, k, total) {
        u32 node = ((const u32 *)v->data)[k], len;
        const char *p = gx_node_bytes(gx_view_of(m, node), node, &len);
        h[k] = gx_hash(m->run->seed, p, len);
        if (gx_watch_late(m, &watch, GX_WATCH_BYTES(len)))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    *hashes = h;
    return GX_OK;
}

/*
 * x = y of large sets, by an open hash table of y's distinct string-values: as many looks as nodes, not as pairs.
 *
 *   hx, hy   hashes of all nodes of x and of y
 *   slots    the tables: 1 + an index of y's nodes, 0 for an empty place
 *   at       where each row's table begins in slots; NULL: y is the same for all rows and has one table
 */
typedef struct gx_meeting { const gx_v *x, *y; u32 *hx, *hy, *slots, *at; } gx_meeting;

/* The place in the table where the string-value of v's node number k stands, or the empty one where it is to stand.
 * Linear probing; bytes are compared only where the 32-bit hashes are equal. The hash is seeded, so a document cannot
 * choose strings that collide. Expected O(1) probes, since tables are at most half full. */
GX_OP_BIG u32 *gx_meeting_slot(const gx_m *m, const gx_meeting *t, const gx_v *v, const u32 *hashes, u32 k, u32 *slots,
                               u32 mask, gx_watch *watch)
{
    const u32 node = ((const u32 *)v->data)[k], hash = hashes[k];
    u32 len, h = hash & mask;
    const char *p = gx_node_bytes(gx_view_of(m, node), node, &len);

    for (watch->work++; slots[h]; h = (h + 1) & mask, watch->work++) {
        const u32 other = ((const u32 *)t->y->data)[slots[h] - 1];
        u32 n;
        if (t->hy[slots[h] - 1] != hash)
            continue;
        const char *q = gx_node_bytes(gx_view_of(m, other), other, &n);
        watch->work += GX_WATCH_BYTES(n);
        if (n == len && gx_bytes_equal(p, q, n))
            break;
    }
    return &slots[h];
}
/* Places of row r's table: a power of 2, at least twice as many as y's nodes, so that a look ends soon. */
GX_OP u32 gx_meeting_places(const gx_v *y, u32 r)
{
    u32 b, e, places = 2;

    gx_v_range(y, r, &b, &e);
    while (places < 2 * (u64)(e - b) && places < 0x80000000u)
        places *= 2;
    return places;
}
/* Row r's table, by one member: cleared, then each distinct string-value of y's row is put in. */
GX_OP void gx_meeting_fill(const gx_m *m, const gx_meeting *t, u32 r, gx_watch *watch)
{
    const u32 mask = gx_meeting_places(t->y, r) - 1;
    u32 *slots = t->slots + (t->at ? t->at[r] : 0), b, e;

    for (u32 i = 0; i <= mask; i++)
        slots[i] = 0;
    gx_v_range(t->y, r, &b, &e);
    for (u32 k = b; k < e && !gx_watch_late(m, watch, 0); k++) {
        u32 *slot = gx_meeting_slot(m, t, t->y, t->hy, k, slots, mask, watch);
        if (!*slot)
            *slot = k + 1;
    }
}
/* Is some string-value of x's row r in the row's table? By one member, after gx_meeting_fill(). */
GX_OP int gx_meeting_is(const gx_m *m, const gx_meeting *t, u32 r, gx_watch *watch)
{
    const u32 mask = gx_meeting_places(t->y, r) - 1;
    u32 *slots = t->slots + (t->at ? t->at[r] : 0), b, e;

    gx_v_range(t->x, r, &b, &e);
    for (u32 i = b; i < e && !gx_watch_late(m, watch, 0); i++)
        if (*gx_meeting_slot(m, t, t->x, t->hx, i, slots, mask, watch))
            return 1;
    return 0;
}

/* bits[r] := is a string-value of x's row r among those of y's. The set that is the same for all rows, if one is, makes
 * the one table, which member 0 fills; else each row's member fills its own, in a place that a scan gave it. Expected
 * O(bytes of both sets), where pairs would be O(nodes x nodes) a row. Complete for everyone. Fails with GX_EARENA,
 * GX_ETIME. */
GX_OP_BIG gx_status gx_compare_meeting(gx_m *m, const gx_v *x, const gx_v *y, u32 rows, u8 *bits)
{
    gx_meeting t = { y->is_const ? x : y, y->is_const ? y : x, NULL, NULL, NULL, NULL };
    const u32 tables = t.y->is_const ? 1 : rows;
    gx_watch watch = gx_watch_start();
    u32 total = 0;

    GX_TRY(gx_set_hashes(m, t.x, &t.hx));
    GX_TRY(gx_set_hashes(m, t.y, &t.hy));
    if (tables > 1) {
        GX_TMP(m, t.at, u32, (u64)rows + 1);
        TEAM_FOR(&m->t, i, rows)
            t.at[i] = gx_meeting_places(t.y, i);
        GX_TRY(gx_scan(m, t.at, rows, &total));
    } else
        total = gx_meeting_places(t.y, 0);
    GX_TMP(m, t.slots, u32, total);
    if (tables == 1 && team_rank(&m->t) == 0)
        gx_meeting_fill(m, &t, 0, &watch);
    team_sync(&m->t);
    TEAM_FOR(&m->t, r, rows) {
        if (tables > 1)
            gx_meeting_fill(m, &t, r, &watch);
        bits[r] = (u8)gx_meeting_is(m, &t, r, &watch);
        if (gx_watch_late(m, &watch, 1))
            break;
    }
    return gx_watch_end(m, &watch);
}

/* Row r of a comparison of any two types but two sets (XPath 1.0, 3.4): the rules in the order of the spec. With a
 * boolean = and != compare truths; < and its kin compare numbers, of a set the number of its truth. With a set some
 * node decides. Else numbers where one is a number or the operator asks for an order, and strings. What it reads is
 * counted in *watch. */
GX_OP int gx_compare_row(const gx_m *m, u32 op, const gx_v *x, const gx_v *y, u32 r, gx_watch *watch)
{
    int equality = op == GX_X_EQ || op == GX_X_NE;

    if (equality && (x->type == GX_T_BOOL || y->type == GX_T_BOOL))
        return (gx_row_bool(m, x, r) == gx_row_bool(m, y, r)) == (op == GX_X_EQ);
    if (x->type == GX_T_SET && y->type != GX_T_BOOL)
        return gx_compare_nodes(m, op, x, r, y, watch);
    if (y->type == GX_T_SET && x->type != GX_T_BOOL)
        return gx_compare_nodes(m, op, y, r, x, watch);
    if (x->type == GX_T_SET || y->type == GX_T_SET) {   /* < with a boolean: both sides as numbers of booleans */
        double a = x->type == GX_T_SET ? gx_row_bool(m, x, r) : gx_row_num(m, x, r);
        double b = y->type == GX_T_SET ? gx_row_bool(m, y, r) : gx_row_num(m, y, r);
        return gx_compare_num(op, a, b);
    }
    if (!equality || x->type == GX_T_NUM || y->type == GX_T_NUM) {
        watch->work += gx_row_work(m, x, r) + gx_row_work(m, y, r);
        return gx_compare_num(op, gx_row_num(m, x, r), gx_row_num(m, y, r));
    }
    const gx_str a = gx_row_str(m, x, r), b = gx_row_str(m, y, r);
    watch->work += a.len == b.len ? GX_WATCH_BYTES(a.len) : 0;
    return gx_str_equal(m, a, b) == (op == GX_X_EQ);
}

/* Two columns of numbers; step: 0 where row 0 stands for all of them. which: bits of the answers that make a comparison
 * true */
typedef struct gx_two { const double *a, *b; size_t a_step, b_step; u32 which; } gx_two;
GX_OP gx_two gx_two_of(u32 op, const gx_v *x, const gx_v *y)
{
    const gx_two two = { (const double *)x->data, (const double *)y->data, !x->is_const, !y->is_const,
                         op == GX_X_EQ       ? 2u
                             : op == GX_X_NE ? 1u + 4 + 8
                             : op == GX_X_LT ? 1u
                             : op == GX_X_LE ? 1u + 2
                             : op == GX_X_GT ? 4u
                                             : 4u + 2 };
    return two;
}
GX_OP u8 gx_byte_compared(const void *ctx, size_t k)
{
    const gx_two *t = (const gx_two *)ctx;
    const double a = t->a[k * t->a_step], b = t->b[k * t->b_step];
    const u32 less = a < b, same = a == b, greater = a > b;     /* 8: none of them, one is not a number */
    return ((less | same << 1 | greater << 2 | (8 & -(u32)!(less | same | greater))) & t->which) != 0;
}

/*
 * A set's nodes beside one string, by all members of a team: `//item[@id = 'x']`. Few nodes have its length, and these
 * are looked at; the rows of those that are equal are true.
 */
#if !TEAM_IS_SOLO
typedef struct gx_length { const u32 *ids, *text_len; u32 base, len; } gx_length;
GX_OP gx_seen gx_see_node(const void *ctx, size_t k) { return (gx_seen){ ((const gx_length *)ctx)->ids[k], 0 }; }
GX_OP u32 gx_find_length(const void *ctx, size_t k, gx_seen s)
{
    const gx_length *l = (const gx_length *)ctx;
    return gx_id_if(l->text_len[s.x - l->base] == l->len, (u32)k);
}
GX_COMPACTION(GX_OP_BIG, gx_compact_length, gx_length, gx_see_node, gx_find_length, gx_id_same)
#endif
#ifndef GX_TEXT_TEST
#define GX_TEXT_TEST 4096u              /* rows and more: fewer are not worth a compaction */
#endif
GX_OP int gx_is_text_test(const gx_m *m, u32 op, const gx_v *x, const gx_v *y, u32 rows)
{
    return !TEAM_IS_SOLO && op == GX_X_EQ && m->n_docs == 1 && x->type == GX_T_SET && !x->is_const && !x->cnt
        && y->type == GX_T_STR && y->is_const && rows >= GX_TEXT_TEST;
}
/* The rows of gx_is_text_test(): bits[r] := is some node's string-value equal to y's string? In four steps by all
 * members: bits cleared, 16 a store; lengths compared, a column of u32 and no bytes; those of the right length
 * compacted; their bytes compared, and the row of each equal one found by halving. O(nodes) reads of a length, O(bytes)
 * of those that have it. Complete after the next sync. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_compare_text(gx_m *m, const gx_v *x, const gx_v *y, u32 rows, u8 *bits)
{
#if !TEAM_IS_SOLO
    const gx_view *v = m->run->views;
    const gx_str s = gx_row_str(m, y, 0);
    const char *sp = gx_bytes(m, s);
    const u32 first = x->off ? x->off[0] : 0, total = x->off ? x->off[rows] - first : rows;
    const gx_length length = { (const u32 *)x->data + first, v->text_len, v->base, s.len };
    u32 *at, n;

    m->steps += total / GX_WORK_PER_STEP;
    TEAM_FOR(&m->t, i, (rows + 15) / 16)
        gx_zero(bits + (u64)i * 16, 16);
    GX_TRY(gx_compact_length(m, total, &length, &at, &n, NULL));
    TEAM_FOR(&m->t, k, n) {
        const u32 place = first + at[k];
        u32 len;
        const char *p = gx_node_bytes(v, ((const u32 *)x->data)[place], &len);
        if (gx_bytes_equal(p, sp, len))
            TEAM_STORE(&bits[x->off ? gx_row_of(x->off, rows, place) : place], (u8)1);
    }
#else
    (void)m; (void)x; (void)y; (void)rows; (void)bits;
#endif
    return GX_OK;
}

/* = != < <= > >= (XPath 1.0, 3.4). *out: BOOL column of n rows, const when both are. x and y may be converted:
 * fragments to strings, of < and its kin each set to the one number that decides, its least or greatest. Cost:
 * O(rows) of numbers; O(bytes) of strings; two sets: the product of a row's nodes, or by hash of both where that is
 * less (gx_compare_meeting). Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_compare(gx_m *m, u32 op, gx_v *x, gx_v *y, u32 n, gx_v *out)
{
    u8 *bits;
    if (x->type == GX_T_RTF && y->type != GX_T_BOOL)
        GX_TRY(gx_to_str(m, x, n));
    if (y->type == GX_T_RTF && x->type != GX_T_BOOL)
        GX_TRY(gx_to_str(m, y, n));
    const u32 rows = x->is_const && y->is_const ? 1 : n;
    const int sets = x->type == GX_T_SET && y->type == GX_T_SET;
    int meeting = 0;
    gx_watch watch = gx_watch_start();

    GX_TMP(m, bits, u8, rows);
    if (sets && op == GX_X_EQ) {        /* != looks at each node once or twice */
        GX_TRY(gx_v_flat(m, x, rows));
        GX_TRY(gx_v_flat(m, y, rows));
        const u64 nx = gx_v_total(x), ny = gx_v_total(y),
                  pairs = nx * ny / (x->is_const || y->is_const || !rows ? 1 : rows);
        meeting = pairs > 4096 && pairs > 4 * (nx + ny);
    } else if (op != GX_X_EQ && op != GX_X_NE && x->type != GX_T_BOOL && y->type != GX_T_BOOL) {
        const int up = op == GX_X_LT || op == GX_X_LE;
        GX_TRY(gx_to_extremes(m, x, rows, !up));
        GX_TRY(gx_to_extremes(m, y, rows, up));
    }
    if (x->type == GX_T_NUM && y->type == GX_T_NUM) {
        const gx_two two = gx_two_of(op, x, y);
        team_bytes(&m->t, rows, gx_byte_compared, &two, bits);
    } else if (gx_is_text_test(m, op, x, y, rows))
        GX_TRY(gx_compare_text(m, x, y, rows, bits));
    else if (meeting)
        GX_TRY(gx_compare_meeting(m, x, y, rows, bits));
    else TEAM_FOR(&m->t, i, rows) {
        bits[i] = (u8)(sets ? gx_compare_sets(m, op, x, y, i, &watch) : gx_compare_row(m, op, x, y, i, &watch));
        if (gx_watch_late(m, &watch, 0))
            break;
    }
    if (x->type != GX_T_NUM || y->type != GX_T_NUM)
        GX_TRY(gx_watch_end(m, &watch));
    else
        team_sync(&m->t);
    *out = gx_v_make(GX_T_BOOL, rows, bits);
    out->is_const = rows == 1 && x->is_const && y->is_const;
    return GX_OK;
}

/* x or y, x and y, of two BOOL columns (3.4): *out BOOL, n rows, or one where both are const. Both sides have been
 * evaluated by then: a right side that calls functions or may fail is compiled to WHERE instead, which keeps it from
 * rows that do not ask for it. O(rows). Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_both(gx_m *m, u32 op, const gx_v *x, const gx_v *y, u32 n, gx_v *out)
{
    const u32 rows = x->is_const && y->is_const ? 1 : n;
    u8 *bits;

    GX_TMP(m, bits, u8, rows);
    TEAM_FOR(&m->t, i, rows) {
        const u8 a = ((const u8 *)x->data)[GX_ROW(x, i)], b = ((const u8 *)y->data)[GX_ROW(y, i)];
        bits[i] = op == GX_X_OR ? a | b : a & b;
    }
    team_sync(&m->t);
    *out = gx_v_make(GX_T_BOOL, rows, bits);
    out->is_const = x->is_const && y->is_const;
    return GX_OK;
}

/* ---- arithmetic (3.5) ---- */

#define GX_TWO const gx_two *t = (const gx_two *)ctx; const double a = t->a[k * t->a_step], b = t->b[k * t->b_step]
GX_OP double gx_number_sum(const void *ctx, size_t k) { GX_TWO; return a + b; }
GX_OP double gx_number_difference(const void *ctx, size_t k) { GX_TWO; return a - b; }
GX_OP double gx_number_product(const void *ctx, size_t k) { GX_TWO; return a * b; }
GX_OP double gx_number_quotient(const void *ctx, size_t k) { GX_TWO; return a / b; }
/* fmod is long, and tiles repeat what they call */
GX_OP_BIG double gx_rest(double a, double b) { return gx_number_mod(a, b); }
GX_OP double gx_number_rest(const void *ctx, size_t k) { GX_TWO; return gx_rest(a, b); }
/* + - * div mod of two NUM columns (3.5): *out NUM of n rows, one where both are const. IEEE doubles, rounded once, the
 * same on each team (no fused multiply-add). One read of each column, one write. Complete for everyone. Fails with
 * GX_EARENA. */
GX_OP_BIG gx_status gx_arith(gx_m *m, u32 op, const gx_v *x, const gx_v *y, u32 n, gx_v *out)
{
    const gx_two two = gx_two_of(op, x, y);
    double *d;
    u32 rows = x->is_const && y->is_const ? 1 : n;

    GX_TMP(m, d, double, rows);
    switch (op) {
    case GX_X_ADD: team_numbers(&m->t, rows, gx_number_sum, &two, d); break;
    case GX_X_SUB: team_numbers(&m->t, rows, gx_number_difference, &two, d); break;
    case GX_X_MUL: team_numbers(&m->t, rows, gx_number_product, &two, d); break;
    case GX_X_DIV: team_numbers(&m->t, rows, gx_number_quotient, &two, d); break;
    default: team_numbers(&m->t, rows, gx_number_rest, &two, d);
    }
    team_sync(&m->t);
    *out = gx_v_make(GX_T_NUM, rows, d);
    out->is_const = x->is_const && y->is_const;
    return GX_OK;
}

#endif
