/* SPDX-License-Identifier: Apache-2.0 */
/*
 * twig_edges.h -- a tree pattern edge by edge: bottom up for what its predicates ask, top down for the answers
 *
 * Both ways narrow the streams of the pattern's tests. How an edge is answered is the strategy's: by joins
 * (twig_join.h) or by bits (twig_bits.h).
 */
#ifndef GX_MACHINE_TWIG_EDGES_H
#define GX_MACHINE_TWIG_EDGES_H

#include "twig_bits.h"
#include "twig_join.h"

/* Every stream but the contexts := the nodes below which is all that the pattern's predicates ask for */
GX_OP_BIG gx_status gx_edges_up(gx_m *m, gx_twig_run *r, const gx_joins *j, int *none)
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
            GX_TRY(j ? gx_join_edge(m, r, j, q, c, e, flag) : gx_bits_edge(m, r, q, c, e, flag));
            e++;
        }
        team_sync(&m->t);
        if (e)
            GX_TRY(gx_stream_keep(m, &r->stream[q], flag, e));
        *none = !r->stream[q].n;
    }
    return GX_OK;
}

/* Of the streams that gx_edges_up has left, the spine's := the nodes that are reached from the contexts, step by step
 * from the root of the pattern. Below a single context descendants are a slice, which is only looked up; else flags, by
 * a join (j) or by marks (NULL), and a compaction. *none: some stream is empty, so the pattern selects nothing. Cost:
 * an edge's. Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_edges_down(gx_m *m, gx_twig_run *r, const gx_joins *j, int *none)
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
                GX_TRY(j ? gx_join_inside(m, v, j, above, below, flag) : gx_bits_inside(m, v, above, below, flag));
            else
                GX_TRY(j ? gx_join_child(m, v, j, above, below, flag) : gx_bits_child(m, v, above, below, flag));
            team_sync(&m->t);
            GX_TRY(gx_stream_keep(m, &r->stream[q], flag, 1));
        }
        *none = !r->stream[q].n;
    }
    return GX_OK;
}

/* *out: the answers, by joins or by bits */
GX_OP_BIG gx_status gx_twig_edges(gx_m *m, gx_twig_run *r, int joined, gx_stream *out)
{
    gx_joins joins;
    int none;

    GX_TRY(gx_streams_make(m, r, &none));
    if (!none && joined)
        GX_TRY(gx_joins_make(m, r, &joins));
    if (!none)
        GX_TRY(gx_edges_up(m, r, joined ? &joins : NULL, &none));
    if (!none)
        GX_TRY(gx_edges_down(m, r, joined ? &joins : NULL, &none));
    out->at = none ? NULL : r->stream[r->answer].at;
    out->n = none ? 0 : r->stream[r->answer].n;
    return GX_OK;
}

#endif
