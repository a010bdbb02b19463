/* SPDX-License-Identifier: Apache-2.0 */
/*
 * twig_bits.h -- tree patterns by bits for the nodes of each stream (Shnaiderman 2011, GPU-Twig)
 *
 * Bottom up: for each test, from the last one in preorder to the first, a flag for each node of its stream says how
 * many of the test's predicates it meets; those that meet all are kept. A predicate b of a, a[b], asks
 *
 *   a child (or attribute) b     of each b that is kept: is its parent in the stream of a? Then that is flagged
 *   a descendant b               of each a: does the next b that is kept begin before a ends?
 *
 * Top down: along the spine, of each node that is kept: is its parent, or an ancestor, among those reached? Ancestors
 * reached are intervals of places in the stream below: +1 where one begins, -1 where it ends, and prefix sums.
 *
 * Flags are bytes: members set them without atomic operations, each for its own nodes or all with the same value.
 * Every question is a search by halving, and all of one edge are asked at once: O(s log s) for s nodes of all streams,
 * O(s) memory, some 6 syncs an edge.
 */
#ifndef GX_MACHINE_TWIG_BITS_H
#define GX_MACHINE_TWIG_BITS_H

#include "twig_stream.h"

/* Of the nodes of q's stream with flag e, those that have a kept c get e + 1. Complete after the next sync */
GX_OP_BIG gx_status gx_bits_edge(gx_m *m, const gx_twig_run *r, u32 q, u32 c, u32 e, u8 *flag)
{
    const gx_view *v = r->v;
    const gx_stream above = r->stream[q], below = r->stream[c];
    gx_watch watch = gx_watch_start();

    if (r->node[c].axis == GX_AXIS_DESCENDANT)
        TEAM_FOR(&m->t, i, above.n) {
            const u32 id = above.at[i], k = flag[i] == e ? gx_stream_lower(below, id + 1) : below.n;
            if (k < below.n && below.at[k] < v->next[id])
                flag[i] = (u8)(e + 1);
            if (gx_watch_late(m, &watch, 4))
                break;
        }
    else {
        const gx_passing p = gx_passing_of(m, v, &r->node[q]);
        TEAM_FOR(&m->t, k, below.n) {
            const u32 id = v->parent[below.at[k]];
            if (gx_watch_late(m, &watch, 4))
                break;
            if (id == GX_NONE || !gx_is_passing(&p, v->label[id]))
                continue;
            const u32 i = gx_stream_lower(above, id);
            if (TEAM_LOAD(&flag[i]) == e)       /* by several of its children */
                TEAM_STORE(&flag[i], (u8)(e + 1));
        }
    }
    return gx_watch_end(m, &watch);
}

/* Every stream but the contexts := the nodes below which is all that the pattern's predicates ask for */
GX_OP_BIG gx_status gx_bits_up(gx_m *m, gx_twig_run *r, int *none)
{
    *none = 0;
    for (u32 q = r->n - 1; q && !*none; q--) {
        u8 *flag = NULL;
        u32 e = 0;
        for (u32 c = q + 1; c < r->n; c++) {
            if (r->node[c].parent != q || r->node[c].spine)
                continue;
            if (!flag)
                GX_TRY(gx_flags_make(m, r->stream[q].n, &flag));
            team_sync(&m->t);
            GX_TRY(gx_bits_edge(m, r, q, c, e, flag));
            e++;
        }
        team_sync(&m->t);
        if (e)
            GX_TRY(gx_stream_keep(m, &r->stream[q], flag, e));
        *none = !r->stream[q].n;
    }
    return GX_OK;
}

/* flag := 1 for the nodes of `below` inside a node of `above` */
GX_OP_BIG gx_status gx_bits_inside(gx_m *m, const gx_view *v, gx_stream above, gx_stream below, u8 *flag)
{
    gx_watch watch = gx_watch_start();
    u32 *open;

    GX_TMP(m, open, u32, (u64)below.n + 2);
    TEAM_FOR(&m->t, i, below.n + 2)
        open[i] = 0;
    team_sync(&m->t);
    TEAM_FOR(&m->t, k, above.n) {
        const u32 lo = gx_stream_lower(below, above.at[k] + 1), hi = gx_stream_lower(below, v->next[above.at[k]]);
        if (lo < hi) {
            team_add(&open[lo], 1);
            team_add(&open[hi], GX_NONE);       /* -1: sums wrap */
        }
        if (gx_watch_late(m, &watch, 8))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    team_scan(&m->t, open, below.n + 1);
    TEAM_FOR(&m->t, i2, below.n)
        flag[i2] = open[i2 + 1] != 0;           /* with what begins there */
    return GX_OK;
}

/* Of the streams that gx_bits_up has left, the spine's := the nodes that are reached from the contexts */
GX_OP_BIG gx_status gx_bits_down(gx_m *m, gx_twig_run *r, int *none)
{
    const gx_view *v = r->v;

    for (u32 q = 1; q <= r->answer && !*none; q++) {
        if (!r->node[q].spine)
            continue;
        const gx_stream above = r->stream[r->node[q].parent], below = r->stream[q];
        const int inside = r->node[q].axis == GX_AXIS_DESCENDANT;
        if (inside && above.n == 1) {           /* a slice */
            const u32 id = above.at[0], lo = gx_stream_lower(below, id + 1), hi = gx_stream_lower(below, v->next[id]);
            team_sync(&m->t);
            gx_stream_set(m, &r->stream[q], below.at + lo, hi - lo);
            team_sync(&m->t);
        } else {
            u8 *flag;
            GX_TRY(gx_flags_make(m, below.n, &flag));
            team_sync(&m->t);
            if (inside)
                GX_TRY(gx_bits_inside(m, v, above, below, flag));
            else {
                gx_watch watch = gx_watch_start();
                TEAM_FOR(&m->t, k, below.n) {
                    const u32 id = v->parent[below.at[k]], i = gx_stream_lower(above, id);
                    flag[k] = i < above.n && above.at[i] == id;
                    if (gx_watch_late(m, &watch, 4))
                        break;
                }
                GX_TRY(gx_watch_end(m, &watch));
            }
            team_sync(&m->t);
            GX_TRY(gx_stream_keep(m, &r->stream[q], flag, 1));
        }
        *none = !r->stream[q].n;
    }
    return GX_OK;
}

/* *out: the answers */
GX_OP_BIG gx_status gx_twig_bits(gx_m *m, gx_twig_run *r, gx_stream *out)
{
    int none;

    GX_TRY(gx_streams_make(m, r, &none));
    if (!none)
        GX_TRY(gx_bits_up(m, r, &none));
    if (!none)
        GX_TRY(gx_bits_down(m, r, &none));
    out->at = none ? NULL : r->stream[r->answer].at;
    out->n = none ? 0 : r->stream[r->answer].n;
    return GX_OK;
}

#endif
