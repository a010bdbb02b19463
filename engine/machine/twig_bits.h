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

/* Of the nodes of q's stream with flag e, those that have a kept c get e + 1. A descendant: each node of q looks for
 * the first of c's stream behind itself. A child: each node of c looks for its parent in q's stream; that several do it
 * at once is why flags are stored atomically. O(nodes of one stream x log of the other). Complete after the next sync.
 * Fails with GX_ETIME. */
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

/* flag := is its parent in `above`? For each node of `below` */
GX_OP_BIG gx_status gx_bits_child(gx_m *m, const gx_view *v, gx_stream above, gx_stream below, u8 *flag)
{
    gx_watch watch = gx_watch_start();

    TEAM_FOR(&m->t, k, below.n) {
        const u32 id = v->parent[below.at[k]], i = gx_stream_lower(above, id);
        flag[k] = i < above.n && above.at[i] == id;
        if (gx_watch_late(m, &watch, 4))
            break;
    }
    return gx_watch_end(m, &watch);
}

#endif
