/* SPDX-License-Identifier: Apache-2.0 */
/*
 * twig_cost.h -- what each strategy for a tree pattern would cost for this document, in picoseconds of one thread
 *
 * How many nodes a name has is exact. How they stand to each other is estimated from a sample of each test's nodes:
 * which share has a parent, or how many ancestors, that pass the test above; how many children and nodes below they
 * have. The sample is the same for all members of a team, so all decide the same. It costs 1 or 2 us a pattern, and is
 * not taken where the contexts have few nodes below them: those are left to steps.
 *
 *   pairs       of nodes of a test and nodes of the test above that they are below
 *   reached     nodes of a test on the spine to which the spine's tests lead from the contexts
 *   share       how many of a test's nodes, of 65536, have all that the predicates ask of them
 *   rows        what steps look at: nodes reached, times those in between
 */
#ifndef GX_MACHINE_TWIG_COST_H
#define GX_MACHINE_TWIG_COST_H

#include "cost.h"
#include "twig_stream.h"

#define GX_TWIG_SMALL 512u                /* nodes below the contexts: steps, whatever the pattern */
#define GX_TWIG_SAMPLE 8u
#define GX_TWIG_SAMPLE_ALL 64u          /* of all nodes of a document, for a test that has no stream */
#define GX_TWIG_CLIMB 64u               /* ancestors that are looked at */
#define GX_TWIG_HOPS 13u                /* children that a step walks over (gx_fill_children) */
#define GX_SHARE 65536u

/* A test's nodes, and the estimates */
typedef struct gx_sized {
    gx_passing passing;
    const u32 *at;                      /* its stream, NULL: it has none */
    u64 n, pairs, reached;
    u32 hops, below;                    /* of a node, times 16: children walked over; nodes in its subtree */
    u64 share, through;                 /* through: share of this node and of those above it on the spine */
    u64 rows, left;
} gx_sized;

typedef struct gx_twig_costs { u64 ps[GX_N_STRATEGIES]; } gx_twig_costs;

GX_OP u32 gx_log2(u64 n)
{
    u32 log = 0;

    for (; n > 1; n >>= 1)
        log++;
    return log;
}

GX_OP int gx_sample_passes(const gx_twig_run *r, const gx_sized *size, u32 q, u32 id)
{
    if (q)
        return gx_is_passing(&size[q].passing, r->v->label[id]);
    const u32 i = gx_stream_lower(r->stream[0], id);
    return i < r->stream[0].n && r->stream[0].at[i] == id;
}

/* How many ancestors of id pass the test above q's, or is its parent one */
GX_OP u32 gx_sample_above(const gx_twig_run *r, const gx_sized *size, u32 q, u32 id)
{
    const gx_view *v = r->v;
    const u32 p = r->node[q].parent, far = r->node[q].axis == GX_AXIS_DESCENDANT;
    u32 n = 0, up = v->parent[id];

    if (!p && far && r->stream[0].n == 1)
        return id > r->stream[0].at[0] && id < v->next[r->stream[0].at[0]];
    for (u32 k = 0; k < (far ? GX_TWIG_CLIMB : 1) && up != GX_NONE; k++, up = v->parent[up])
        n += (u32)gx_sample_passes(r, size, p, up);
    return n;
}

/* Does the spine lead to id, of q's test? Of several ancestors that a step may have come from the nearest is taken */
GX_OP int gx_sample_reached(const gx_twig_run *r, const gx_sized *size, u32 q, u32 id)
{
    const gx_view *v = r->v;

    while (q) {
        const u32 p = r->node[q].parent;
        if (r->node[q].axis == GX_AXIS_DESCENDANT) {
            if (!p && r->stream[0].n == 1)
                return id > r->stream[0].at[0] && id < v->next[r->stream[0].at[0]];
            u32 k = 0;
            for (id = v->parent[id]; id != GX_NONE && k < GX_TWIG_CLIMB && !gx_sample_passes(r, size, p, id); k++)
                id = v->parent[id];
            if (k == GX_TWIG_CLIMB)
                return 0;
        } else
            id = v->parent[id];
        if (id == GX_NONE || !gx_sample_passes(r, size, p, id))
            return 0;
        q = p;
    }
    return 1;
}

/* Of all n nodes, where so many of the sample have been found */
GX_OP u64 gx_sample_of(u64 n, u64 found, u64 sample)
{
    return sample == n || found == sample ? found * n / (sample ? sample : 1) : (2 * found + 1) * n / (2 * sample + 2);
}

/* One test, by a sample of its nodes */
GX_OP_BIG void gx_sample(const gx_twig_run *r, gx_sized *size, u32 q)
{
    const gx_view *v = r->v;
    gx_sized *s = &size[q];
    const u32 of = s->at ? (u32)s->n : v->n_nodes, most = s->at ? GX_TWIG_SAMPLE : GX_TWIG_SAMPLE_ALL,
              tried = of < most ? of : most;
    u64 hops = 0, below = 0, reached = 0, pairs = 0, n = 0;

    for (u32 i = 0; i < tried; i++) {
        const u32 k = (u32)((u64)of * (2 * i + 1) / (2 * tried)), id = s->at ? s->at[k] : k;
        if (!s->at && !gx_is_passing(&s->passing, v->label[id]))
            continue;
        n++;
        below += v->next[id] - id - 1;
        u32 c = id + 1, walked = 0;
        for (; walked < GX_TWIG_HOPS && c < v->next[id]; c = v->next[c])
            walked++;
        hops += walked;
        if (q)
            pairs += gx_sample_above(r, size, q, id);
        if (r->node[q].spine)
            reached += (u64)gx_sample_reached(r, size, q, id);
    }
    if (!s->at)
        s->n = gx_sample_of(of, n, tried);
    s->hops = n ? (u32)(hops * 16 / n) : 0;
    s->below = n ? (u32)(below * 16 / n) : 0;
    s->pairs = gx_sample_of(s->n, pairs, n);
    s->reached = gx_sample_of(s->n, reached, n);
}

/* All tests: their nodes, and from the last one to the first what share of them has what the predicates ask for */
GX_OP_BIG void gx_twig_sizes(gx_m *m, const gx_twig_run *r, gx_sized *size)
{
    for (u32 q = 0; q < r->n; q++) {
        size[q].passing = gx_passing_of(m, r->v, &r->node[q]);
        size[q].at = q ? NULL : r->stream[0].at;
        size[q].n = q ? gx_stream_size(r->v, &size[q].passing) : r->stream[0].n;
        if (q && size[q].passing.test.test == GX_TEST_NAME)
            size[q].at = r->v->index + (size[q].n ? r->v->index_start[GX_LABEL_ID(size[q].passing.test.label)] : 0);
        size[q].share = GX_SHARE;
        gx_sample(r, size, q);
    }
    for (u32 q = r->n - 1; q; q--) {
        gx_sized *p = &size[r->node[q].parent];
        if (r->node[q].spine)
            continue;
        const u64 met = (size[q].pairs * size[q].share) / GX_SHARE;
        p->share = met >= p->n ? p->share : p->share * met / p->n;
    }
    size[0].through = size[0].share;
    for (u32 q = 1; q < r->n; q++)
        size[q].through = size[r->node[q].parent].through * size[q].share / GX_SHARE;
}

/* A step from `in` nodes of p to q's, which makes `out`. found: the first one is enough */
GX_OP u64 gx_cost_step(const gx_twig_run *r, const gx_sized *size, u32 q, u64 in, u64 out, int found)
{
    const gx_sized *p = &size[r->node[q].parent];

    if (r->node[q].axis == GX_AXIS_DESCENDANT) {
        if (!size[q].at)
            return in * GX_WORK_STEP + (found ? in * 4 : in * p->below / 16) * GX_WORK_SCAN + out * GX_WORK_OUT;
        const u64 apart = p->below ? (u64)r->v->n_nodes * 16 / p->below + 1 : in;   /* others lie in those */
        return in * GX_WORK_FLAG + out * GX_WORK_OUT
            + (r->node[q].spine && apart < in ? apart : in) * (GX_WORK_STEP + gx_log2(size[q].n) * GX_WORK_HALVE_HOT);
    }
    if (r->node[q].axis == GX_AXIS_ATTRIBUTE && size[q].at)
        return in * GX_WORK_ATTRIBUTE + out * GX_WORK_OUT;
    return in * GX_WORK_STEP + in * p->hops / (found && size[q].pairs >= p->n ? 32 : 16) * GX_WORK_HOP
        + out * GX_WORK_OUT;
}

/* rows: 0, or so many ask only whether there is an answer, and the last step stops at the first */
GX_OP_BIG u64 gx_cost_steps(const gx_twig_run *r, gx_sized *size, u32 rows)
{
    u64 ps = 0;

    size[0].rows = size[0].left = size[0].n;
    for (u32 q = 1; q < r->n; q++) {
        gx_sized *s = &size[q], *p = &size[r->node[q].parent];
        const u64 from = p->n ? p->n : 1;
        if (r->node[q].spine) {
            s->rows = s->reached * p->through / GX_SHARE;
            if (q == r->answer && rows)
                ps += gx_cost_step(r, size, q, p->left < 2 * (u64)rows ? p->left : 2 * (u64)rows, 0, 1);
            else
                ps += gx_cost_step(r, size, q, p->left, s->rows, 0);
        } else {
            const int leaf = r->node[q].end == q + 1;
            s->rows = leaf ? 0 : p->left * s->pairs / from;
            ps += gx_cost_step(r, size, q, p->left, s->rows, leaf) + p->left * GX_WORK_PREDICATE;
            const u64 met = s->pairs * s->share / GX_SHARE;
            if (met < p->n)
                p->left = p->left * met / from;
        }
        s->left = s->rows;
    }
    return ps;
}

/* The streams that have no slice of the name index are collected */
GX_OP u64 gx_cost_streams(const gx_twig_run *r, const gx_sized *size)
{
    u64 ps = 0;

    for (u32 q = 1; q < r->n; q++)
        ps += size[q].at ? 0 : r->v->n_nodes * GX_WORK_SCAN + size[q].n * GX_WORK_OUT;
    return ps;
}

/* Bits, or joins */
GX_OP_BIG u64 gx_cost_edges(const gx_twig_run *r, gx_sized *size, int joined)
{
    u64 ps = gx_cost_streams(r, size);

    for (u32 q = 1; q < r->n; q++)              /* nodes that the way up leaves */
        size[q].left = (size[q].n * size[q].share + GX_SHARE - 1) / GX_SHARE;
    size[0].left = size[0].n;
    for (u32 q = r->n - 1; q; q--) {
        const gx_sized *p = &size[r->node[q].parent];
        const u64 below = size[q].left;
        if (r->node[q].spine)
            continue;
        if (joined)
            ps += r->node[q].axis == GX_AXIS_DESCENDANT
                      ? p->n * GX_WORK_MERGE_UP + below * GX_WORK_MERGE_SKIP
                      : below * GX_WORK_MERGE + (p->n < 4 * below ? p->n : 4 * below) * GX_WORK_MERGE_SKIP;
        else
            ps += r->node[q].axis == GX_AXIS_DESCENDANT ? p->n * (GX_WORK_HALVE_HOT * gx_log2(below + 1) + GX_WORK_FLAG)
                                                        : below * GX_WORK_HOP
                                                              + size[q].pairs * GX_WORK_HALVE * gx_log2(p->n + 1);
        ps += p->n * GX_WORK_FLAG;
    }
    for (u32 q = 1; q < r->n; q++) {
        const gx_sized *p = &size[r->node[q].parent];
        const u64 above = p->left, below = size[q].left;
        if (!r->node[q].spine)
            continue;
        if (r->node[q].axis == GX_AXIS_DESCENDANT && above == 1)
            ps += GX_WORK_HALVE * gx_log2(below + 1);
        else if (joined)
            ps += below * GX_WORK_MERGE + (above < 4 * below ? above : 4 * below) * GX_WORK_MERGE_SKIP
                + below * GX_WORK_FLAG;
        else if (r->node[q].axis == GX_AXIS_DESCENDANT)
            ps += above * 2 * GX_WORK_HALVE * gx_log2(below + 1) + below * 3 * GX_WORK_FLAG;
        else
            ps += below * (GX_WORK_HALVE * gx_log2(above + 1) + GX_WORK_FLAG);
        size[q].left = size[q].reached * size[q].through / GX_SHARE + 1;
    }
    return ps;
}

GX_OP u64 gx_cost_levels(const gx_twig_run *r, const gx_sized *size)
{
    u64 n = 0;
    int asks = 0;

    for (u32 q = 1; q < r->n; q++)
        asks |= !r->node[q].spine;
    if (r->stream[0].n) {
        const u32 last = r->stream[0].at[r->stream[0].n - 1];
        n = r->v->next[last] - r->stream[0].at[0];
        if (r->v->next[r->stream[0].at[0]] > r->v->next[last])
            n = r->v->next[r->stream[0].at[0]] - r->stream[0].at[0];
    }
    u64 hits = 0;
    for (u32 q = 1; q < r->n; q++)
        hits += size[q].n;
    return n * (GX_WORK_LEVEL_DOWN + (asks ? GX_WORK_LEVEL_UP : 0)) + hits * GX_WORK_LEVEL_HIT
        + (u64)r->v->doc->n_labels * r->n * GX_WORK_HOP;
}

/* What each strategy costs. r: with its contexts. rows: as gx_cost_steps' */
GX_OP_BIG void gx_twig_cost(gx_m *m, const gx_twig_run *r, u32 rows, gx_sized *size, gx_twig_costs *costs)
{
    const u64 fixed = (u64)r->n * GX_WORK_NODE;

    gx_twig_sizes(m, r, size);
    costs->ps[GX_STRATEGY_AUTO] = 0;
    costs->ps[GX_STRATEGY_STEPS] = fixed + gx_cost_steps(r, size, rows);
    costs->ps[GX_STRATEGY_BITS] = fixed + gx_cost_edges(r, size, 0);
    costs->ps[GX_STRATEGY_TWIG] = fixed + gx_cost_edges(r, size, 1);
    costs->ps[GX_STRATEGY_LEVELS] = fixed + gx_cost_levels(r, size);
}

/* Have the contexts few nodes below them? */
GX_OP int gx_twig_is_small(const gx_view *v, const u32 *ids, u32 pairs)
{
    u64 below = 0;

    for (u32 k = 0; k < pairs && below < GX_TWIG_SMALL; k++) {
        if (!gx_view_holds(v, ids[k]))
            return 1;                   /* several documents: steps, too */
        below += gx_next(v, ids[k]) - ids[k];
    }
    return below < GX_TWIG_SMALL;
}

#endif
