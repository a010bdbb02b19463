/* SPDX-License-Identifier: Apache-2.0 */
/*
 * twig_stream.h -- a tree pattern (gx_twig) bound to one document: a stream of nodes for each of its tests
 *
 * A stream is a list of nodes in document order. A name's stream is a slice of the name index, that of another test is
 * collected. Ids in here are the document's own, without the view's base.
 *
 * Every strategy gets the streams and the contexts and makes one stream, the answers.
 */
#ifndef GX_MACHINE_TWIG_STREAM_H
#define GX_MACHINE_TWIG_STREAM_H

#include "axis.h"
#include "budget.h"
#include "collect.h"
#include "machine.h"
#include "memory.h"

typedef struct gx_stream { const u32 *at; u32 n; } gx_stream;

typedef struct gx_twig_run {
    const gx_view *v;
    const gx_twig_node *node;
    u32 n, answer;
    gx_stream *stream;          /* by pattern node; of node 0 the contexts. Written by one member between two syncs */
} gx_twig_run;

/* The first place in [lo, hi) of ids, ascending, whose id is >= local */
GX_OP u32 gx_stream_lower(gx_stream s, u32 local) { return gx_index_lower(s.at, 0, s.n, local); }

/* The same from place i on, where it is near: in steps that double, then by halving */
GX_OP u32 gx_stream_from(gx_stream s, u32 i, u32 local)
{
    u32 lo = i, step = 1;

    if (i >= s.n || s.at[i] >= local)
        return i;
    while (step < s.n - lo && s.at[lo + step] < local) {    /* at[lo] < local */
        lo += step;
        step *= 2;
    }
    return gx_index_lower(s.at, lo + 1, step < s.n - lo ? lo + step : s.n, local);
}

GX_OP void gx_stream_set(gx_m *m, gx_stream *s, const u32 *at, u32 n)
{
    if (team_rank(&m->t) == 0) {
        s->at = at;
        s->n = n;
    }
}

/* Nodes that pass a test */
typedef struct gx_passing { const u32 *label; const gx_view *v; gx_bound_test test; u32 attached; } gx_passing;
GX_OP gx_seen gx_see_passing(const void *ctx, size_t k)
{
    const gx_passing *p = (const gx_passing *)ctx;
    return (gx_seen){ p->label[k], 0 };
}
GX_OP int gx_is_passing(const gx_passing *p, u32 label)
{
    return (u32)GX_IS_ATTACHED(GX_LABEL_KIND(label)) == p->attached && gx_test_label(p->v, p->test, label);
}
GX_OP u32 gx_find_passing(const void *ctx, size_t k, gx_seen s)
{
    return gx_id_if(gx_is_passing((const gx_passing *)ctx, s.x), (u32)k);
}
GX_COMPACTION(GX_OP_BIG, gx_compact_passing, gx_passing, gx_see_passing, gx_find_passing, gx_id_same)

GX_OP gx_passing gx_passing_of(const gx_m *m, const gx_view *v, const gx_twig_node *q)
{
    gx_passing p;

    p.label = v->label;
    p.v = v;
    p.test = gx_test_bind(m->run, v, q->axis, q->test, q->name);
    p.attached = q->axis == GX_AXIS_ATTRIBUTE;
    return p;
}

/* How many nodes a test's stream has, or at most has */
GX_OP u32 gx_stream_size(const gx_view *v, const gx_passing *p)
{
    if (p->test.test != GX_TEST_NAME)
        return v->n_nodes;
    if (p->test.label == GX_LABEL_NOTHING)
        return 0;
    const u32 id = GX_LABEL_ID(p->test.label);
    return v->index_start[id + 1] - v->index_start[id];
}

/* The streams of all tests; complete for everyone. *none: one of them is empty, and so are the answers */
GX_OP_BIG gx_status gx_streams_make(gx_m *m, gx_twig_run *r, int *none)
{
    *none = 0;
    for (u32 q = 1; q < r->n && !*none; q++) {
        const gx_passing p = gx_passing_of(m, r->v, &r->node[q]);
        u32 *at, n = gx_stream_size(r->v, &p);
        if (p.test.test == GX_TEST_NAME)
            gx_stream_set(m, &r->stream[q], n ? r->v->index + r->v->index_start[GX_LABEL_ID(p.test.label)] : NULL, n);
        else {
            GX_TRY(gx_compact_passing(m, r->v->n_nodes, &p, &at, &n, NULL));
            gx_stream_set(m, &r->stream[q], at, n);
        }
        *none = !n;
    }
    team_sync(&m->t);
    return GX_OK;
}

/* ---- nodes of a stream that are kept ---- */

typedef struct gx_flagged { const u8 *flag; const u32 *at; u32 want, pad; } gx_flagged;
GX_OP gx_seen gx_see_flag(const void *ctx, size_t k)
{
    const gx_flagged *f = (const gx_flagged *)ctx;
    return (gx_seen){ f->flag[k], f->at[k] };
}
GX_OP u32 gx_find_flag(const void *ctx, size_t k, gx_seen s)
{
    (void)k;
    return gx_id_if(s.x == ((const gx_flagged *)ctx)->want, s.y);
}
GX_OP u32 gx_flag_id(const void *ctx, size_t k, gx_seen s) { (void)s; return ((const gx_flagged *)ctx)->at[k]; }
GX_COMPACTION(GX_OP_BIG, gx_compact_flags, gx_flagged, gx_see_flag, gx_find_flag, gx_flag_id)

/* A byte for each of n, 0 for everyone after the next sync */
GX_OP gx_status gx_flags_make(gx_m *m, u32 n, u8 **flag)
{
    GX_TMP(m, *flag, u8, n);
    TEAM_FOR(&m->t, i, (n + 15) / 16)
        gx_zero(*flag + (u64)i * 16, 16);
    return GX_OK;
}

/* *s := the nodes of it whose flag is `want`; complete for everyone */
GX_OP_BIG gx_status gx_stream_keep(gx_m *m, gx_stream *s, const u8 *flag, u32 want)
{
    gx_flagged f;
    u32 *at, n;

    f.flag = flag;
    f.at = s->at;
    f.want = want;
    f.pad = 0;
    GX_TRY(gx_compact_flags(m, s->n, &f, &at, &n, NULL));
    gx_stream_set(m, s, at, n);
    team_sync(&m->t);
    return GX_OK;
}

#endif
