/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join_ends.h -- of what a join finds, the first or last few nodes of each row
 *
 *   (//row[@v > $v])[1]      $all[@v > $v][last()]      $all[@v > $v][position() < 4]
 *
 * A row's candidates are a run of an order by number, [from, to). The first of them in document order is the least
 * candidate of the run (range.h), as candidates are numbered in document order. The next few: what is found splits its
 * run in two, and the least of all parts is the next.
 *
 * Cost: O(candidates) time and memory, then O(k^2 + k log n) for k nodes of a row; all nodes of all rows would be rows
 * x candidates.
 */
#ifndef GX_MACHINE_JOIN_ENDS_H
#define GX_MACHINE_JOIN_ENDS_H

#include "joining.h"
#include "range.h"

/* The order's candidates as numbers, and the place of each candidate */
typedef struct gx_join_ends {
    int last;
    gx_range_tree tree;
    const u32 *place;
} gx_join_ends;

/* Which of two candidates comes first, or last; GX_NONE: there is none */
GX_OP u32 gx_join_end(int last, u32 a, u32 b)
{
    if (a == GX_NONE || b == GX_NONE)
        return a == GX_NONE ? b : a;
    return (a < b) != (last != 0) ? a : b;
}

/* order: total candidates */
GX_OP_BIG gx_status gx_join_ends_make(gx_m *m, const u32 *order, u32 total, int last, gx_join_ends *t)
{
    double *x;
    u32 *place;

    t->last = last;
    GX_TMP(m, x, double, total);
    GX_TMP(m, place, u32, total);
    TEAM_FOR(&m->t, k, total) {
        x[k] = order[k];
        place[order[k]] = k;
    }
    team_sync(&m->t);
    t->place = place;
    return gx_range_make(m, x, total, last ? GX_RANGE_GREATEST : GX_RANGE_LEAST, &t->tree);
}

/* Of the places [from, to): O(log) */
GX_OP u32 gx_join_end_of(const gx_join_ends *t, u32 from, u32 to)
{
    return from < to ? (u32)gx_range_of(&t->tree, from, to) : GX_NONE;
}

/* The n (at most GX_JOIN_MOST) first or last candidates of the places [from, to), which has as many; out: their nodes,
 * in document order */
GX_OP void gx_join_ends_fill(const gx_joining *j, const gx_join_ends *t, u32 from, u32 to, u32 n, u32 *out)
{
    u32 begin[GX_JOIN_MOST + 1], end[GX_JOIN_MOST + 1], best[GX_JOIN_MOST + 1], parts = 1;

    begin[0] = from;
    end[0] = to;
    best[0] = gx_join_end_of(t, from, to);
    for (u32 i = 0; i < n; i++) {
        u32 k = 0;
        for (u32 p = 1; p < parts; p++)
            if (gx_join_end(t->last, best[k], best[p]) != best[k])
                k = p;
        out[t->last ? n - 1 - i : i] = j->ids[best[k]];
        const u32 at = t->place[best[k]];
        begin[parts] = at + 1;
        end[parts] = end[k];
        best[parts] = gx_join_end_of(t, at + 1, end[k]);
        parts++;
        end[k] = at;
        best[k] = gx_join_end_of(t, begin[k], at);
    }
}

/* The first or last few of each row's run: n[r] places from first[r] on of the order. *out: a SET */
GX_OP_BIG gx_status gx_join_few_of_runs(gx_m *m, const gx_joining *j, const u32 *order, const u32 *first, const u32 *n,
                                        gx_v *out)
{
    const u64 tmp = m->tmp;
    gx_join_ends ends;
    u32 *off, *ids, total;
    gx_watch watch = gx_watch_start();

    GX_TRY(gx_join_ends_make(m, order, j->total, j->last, &ends));
    m->shared += m->tmp - tmp;
    GX_TMP(m, off, u32, (u64)j->rows + 1);
    TEAM_FOR(&m->t, r, j->rows)
        off[r] = n[r] < j->most ? n[r] : j->most;
    GX_TRY(gx_scan(m, off, j->rows, &total));
    GX_TMP(m, ids, u32, total);
    TEAM_FOR(&m->t, r1, j->rows) {
        gx_join_ends_fill(j, &ends, first[r1], first[r1] + n[r1], off[r1 + 1] - off[r1], ids + off[r1]);
        if (gx_watch_late(m, &watch, ends.tree.levels * j->most))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    team_sync(&m->t);
    return gx_join_out(m, j, NULL, off, ids, out);
}

/* What a join gave in full, cut to the first j->most of each row, or the last: for the ways that do not look for ends
 * by themselves. v: a SET of j->rows rows, or const, in document order. O(rows + what is kept). Complete for everyone.
 * Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_join_cut(gx_m *m, const gx_joining *j, gx_v *v)
{
    const u32 rows = v->is_const ? 1 : j->rows;
    u32 *off, *ids, total;

    GX_TMP(m, off, u32, (u64)rows + 1);
    TEAM_FOR(&m->t, r, rows) {
        u32 b, e;
        gx_v_range(v, r, &b, &e);
        off[r] = e - b < j->most ? e - b : j->most;
    }
    GX_TRY(gx_scan(m, off, rows, &total));
    GX_TMP(m, ids, u32, total);
    TEAM_FOR(&m->t, r1, rows) {
        u32 b, e;
        gx_v_range(v, r1, &b, &e);
        const u32 n = off[r1 + 1] - off[r1], from = j->last ? e - n : b;
        for (u32 i = 0; i < n; i++)
            ids[off[r1] + i] = ((const u32 *)v->data)[from + i];
    }
    team_sync(&m->t);
    const u8 is_const = v->is_const;
    *v = gx_v_make(GX_T_SET, rows, ids);
    v->off = off;
    v->is_const = is_const;
    return GX_OK;
}

#endif
