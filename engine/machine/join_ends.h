/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join_ends.h -- of what a join finds, the first or last few nodes of each row
 *
 *   (//row[@v > $v])[1]      $all[@v > $v][last()]      $all[@v > $v][position() < 4]
 *
 * A row's candidates are a run of an order by number, [from, to). The first of them in document order is the least
 * candidate of the run, and candidates are numbered in document order. So the least of each 2, 4, 8 ... places of the
 * order is kept, and a run is log n of these. The next few: what is found splits its run in two, and the least of all
 * parts is the next.
 *
 * Cost: O(candidates) time and memory, then O(k^2 + k log n) for k nodes of a row; all nodes of all rows would be rows
 * x candidates.
 */
#ifndef GX_MACHINE_JOIN_ENDS_H
#define GX_MACHINE_JOIN_ENDS_H

#include "joining.h"

/* level[l][b]: the least (last: greatest) candidate of places b 2^l to (b + 1) 2^l of the order; place: of a candidate.
 * level[0] is the order. */
typedef struct gx_join_ends {
    int last;
    u32 levels;
    const u32 *level[32], *place;
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
    u32 *place, n = total;

    t->last = last;
    t->levels = 1;
    t->level[0] = order;
    GX_TMP(m, place, u32, total);
    TEAM_FOR(&m->t, k, total)
        place[order[k]] = k;
    t->place = place;
    while (n > 1 && t->levels < 32) {
        const u32 *below = t->level[t->levels - 1];
        const u32 half = n;
        u32 *ends;
        n = half / 2;                           /* whole blocks: a run has no use for others */
        GX_TMP(m, ends, u32, n);
        TEAM_FOR(&m->t, b, n)
            ends[b] = gx_join_end(last, below[2 * b], below[2 * b + 1]);
        team_sync(&m->t);
        t->level[t->levels++] = ends;
    }
    team_sync(&m->t);
    return GX_OK;
}

/* Of the places [from, to): O(log) */
GX_OP u32 gx_join_end_of(const gx_join_ends *t, u32 from, u32 to)
{
    u32 end = GX_NONE;

    while (from < to) {
        u32 l = 0;
        while (l + 1 < t->levels && !(from & (((u32)2 << l) - 1)) && to - from >= (u32)2 << l)
            l++;
        end = gx_join_end(t->last, end, t->level[l][from >> l]);
        from += (u32)1 << l;
    }
    return end;
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
        if (gx_watch_late(m, &watch, ends.levels * j->most))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    team_sync(&m->t);
    return gx_join_out(m, j, NULL, off, ids, out);
}

/* What a join gave in full, cut: in: a SET of j->rows */
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
