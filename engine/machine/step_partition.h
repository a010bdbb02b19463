/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_partition.h -- steps of one long row, partitioned between all members of a team
 *
 * The nodes of an axis are a range of ids or of the name index that is filtered (gx_extent), so the members share the
 * range, not the contexts. A team of one has no use for it.
 */
#ifndef GX_MACHINE_STEP_PARTITION_H
#define GX_MACHINE_STEP_PARTITION_H

#include "axis.h"
#include "budget.h"
#include "collect.h"
#include "column.h"
#include "machine.h"
#include "memory.h"
#include "nodes.h"
#include "order.h"

#if !TEAM_IS_SOLO
/*
 * An axis that is a range of ids, or of the name index, of which a filter lets some pass: what many members can share
 * one context's nodes by. A node passes the test if its label's bits in mask are label's (not for GX_TEST_NS).
 */
typedef struct gx_extent {
    const gx_view *v;
    const u32 *labels, *parents, *nexts;        /* v's: what stands behind a pointer must be loaded again after each
                                                   store */
    const u32 *index;                   /* candidate k is index[k]; NULL: from + k */
    const u32 *ids;                     /* gx_find_self and its like: contexts */
    const u8 *mark;                     /* gx_find_marked and its like: by node */
    u32 base;                           /* v's: an id is not to wait for a load that nobody needs but for it */
    u32 axis, i, from, n;               /* i: the context, for child and preceding */
    u32 mask, label;
    gx_bound_test t;
} gx_extent;

/* *r := the candidates of node's axis, `from` and `n` in ids or in the name's index; the columns and the mask are
 * gx_extent_test's to fill in. Every node of the axis that passes the test is among them; on child and preceding others
 * are too, which the filter drops by parent or next. 0: an axis that is no range, or descendant-or-self of an attribute
 * or namespace node, which is outside the range. O(log nodes). */
GX_OP int gx_extent_of(const gx_view *v, u32 axis, gx_bound_test t, u32 node, gx_extent *r)
{
    const u32 i = node - v->base, root = gx_root_of(v, node) - v->base;
    u32 from, to;

    switch (axis) {
    case GX_AXIS_CHILD:
    case GX_AXIS_DESCENDANT: from = i + 1; to = v->next[i]; break;
    case GX_AXIS_DESCENDANT_OR_SELF:
        if (gx_is_attached(v, i))
            return 0;
        from = i;
        to = v->next[i];
        break;
    case GX_AXIS_FOLLOWING: from = v->next[i]; to = v->next[root]; break;
    case GX_AXIS_PRECEDING: from = root; to = i; break;
    default: return 0;
    }
    r->v = v;
    r->base = v->base;
    r->index = NULL;
    r->axis = axis;
    r->i = i;
    r->t = t;
    if (t.test == GX_TEST_NAME && from < to) {
        u32 lo = 0, hi = 0;
        if (t.label != GX_LABEL_NOTHING) {
            lo = v->index_start[GX_LABEL_ID(t.label)];
            hi = v->index_start[GX_LABEL_ID(t.label) + 1];
            if (lo < hi && v->index[lo] < from)         /* mostly all of them are in it: a search is a chain of loads */
                lo = gx_index_lower(v->index, lo, hi, from);
            if (lo < hi && v->index[hi - 1] >= to)
                hi = gx_index_lower(v->index, lo, hi, to);
        }
        r->index = v->index + lo;
        from = 0;
        to = hi - lo;
    }
    r->from = from;
    r->n = to > from ? to - from : 0;
    return 1;
}

/* r's node test as a mask and a label, so that a candidate passes by one comparison without a branch; and pointers to
 * the view's columns. */
GX_OP void gx_extent_test(gx_extent *r)
{
    const gx_view *v = r->v;

    r->labels = v->label;
    r->parents = v->parent;
    r->nexts = v->next;
    r->mask = GX_LABEL(15, 0);
    switch (r->t.test) {
    case GX_TEST_NAME: r->mask = 0xffffffffu; r->label = r->t.label; break;
    case GX_TEST_ANY: r->label = GX_LABEL(r->t.kind, 0); break;
    case GX_TEST_PI: r->label = GX_LABEL(GX_KIND_PI, 0); break;
    case GX_TEST_NODE:
        if (r->axis == GX_AXIS_ATTRIBUTE || r->axis == GX_AXIS_NAMESPACE)
            r->label = GX_LABEL(r->t.kind, 0);
        else {                          /* what is not attached; on the axes that lead up or nowhere, whatever it is */
            r->mask = r->axis == GX_AXIS_CHILD || r->axis == GX_AXIS_DESCENDANT || r->axis == GX_AXIS_DESCENDANT_OR_SELF
                || r->axis == GX_AXIS_FOLLOWING || r->axis == GX_AXIS_PRECEDING ? GX_LABEL(GX_KIND_ATTR, 0) : 0;
            r->label = 0;
        }
        break;
    default: r->label = GX_LABEL(15, 0);        /* what no node passes */
    }
}

/* An axis from the contexts ids, whose candidates are they, or nodes that are marked */
GX_OP gx_extent gx_extent_by(const gx_view *v, u32 axis, gx_bound_test t, const u32 *ids)
{
    gx_extent r;

    GX_CLEAR(&r);
    r.v = v;
    r.base = v->base;
    r.ids = ids;
    r.axis = axis;
    r.t = t;
    gx_extent_test(&r);
    return r;
}

/* Are nodes of the test's label on this axis? @text() is none, though texts have a label. */
GX_OP int gx_label_on(u32 axis, gx_bound_test t)
{
    return t.label != GX_LABEL_NOTHING && (axis != GX_AXIS_ATTRIBUTE || GX_LABEL_KIND(t.label) == GX_KIND_ATTR);
}
GX_OP int gx_extent_label(const gx_extent *r, u32 label) 
{
    return ((label ^ r->label) & r->mask) == 0;
}

#define GX_R const gx_extent *r = (const gx_extent *)ctx; (void)k
/* What is seen of candidates: the node from + k, or k; an entry of the index; a context */
GX_OP gx_seen gx_see_label(const void *ctx, size_t k) { GX_R; return (gx_seen){ r->labels[r->from + k], 0 }; }
GX_OP gx_seen gx_see_parent(const void *ctx, size_t k)
{
    GX_R;
    return (gx_seen){ r->labels[r->from + k], r->parents[r->from + k] };
}
GX_OP gx_seen gx_see_next(const void *ctx, size_t k)
{
    GX_R;
    return (gx_seen){ r->labels[r->from + k], r->nexts[r->from + k] };
}
GX_OP gx_seen gx_see_marked(const void *ctx, size_t k) { GX_R; return (gx_seen){ r->labels[k], r->mark[k] }; }
GX_OP gx_seen gx_see_index(const void *ctx, size_t k) { GX_R; return (gx_seen){ r->index[k], 0 }; }
GX_OP gx_seen gx_see_context(const void *ctx, size_t k) { GX_R; return (gx_seen){ r->ids[k], 0 }; }

/* What candidates are that a test let pass; gx_find_id: contexts */
GX_OP u32 gx_id_from(const void *ctx, size_t k, gx_seen s) { GX_R; (void)s; return r->from + (u32)k + r->base; }
GX_OP u32 gx_id_index(const void *ctx, size_t k, gx_seen s) { GX_R; return s.x + r->base; }

/* Candidates of a range: one a function, so that nothing but its loads is in the loop, and without branches (& instead
 * of &&), so that those of a tile are under way together: a compiler moves a load behind the branch that wants it */
GX_OP u32 gx_find_label(const void *ctx, size_t k, gx_seen s)
{
    GX_R;
    return gx_id_if(gx_extent_label(r, s.x), r->from + (u32)k + r->base);
}
GX_OP u32 gx_find_child(const void *ctx, size_t k, gx_seen s)
{
    GX_R;
    return gx_id_if((s.y == r->i) & gx_extent_label(r, s.x), r->from + (u32)k + r->base);
}
GX_OP u32 gx_find_before(const void *ctx, size_t k, gx_seen s)
{
    GX_R;
    return gx_id_if((s.y <= r->i) & gx_extent_label(r, s.x), r->from + (u32)k + r->base);
}
GX_OP u32 gx_find_child_index(const void *ctx, size_t k, gx_seen s)
{
    GX_R;
    return gx_id_if(r->parents[s.x] == r->i, s.x + r->base);
}
GX_OP u32 gx_find_before_index(const void *ctx, size_t k, gx_seen s)
{
    GX_R;
    return gx_id_if(r->nexts[s.x] <= r->i, s.x + r->base);
}
/* Candidates that are contexts, or stand for one */
GX_OP u32 gx_find_self(const void *ctx, size_t k, gx_seen s)
{
    GX_R;
    return gx_id_if(gx_extent_label(r, r->labels[s.x - r->base]), s.x);
}
GX_OP u32 gx_find_parent(const void *ctx, size_t k, gx_seen s)
{
    GX_R;
    const u32 p = r->parents[s.x - r->base], label = r->labels[p == GX_NONE ? 0 : p];
    return gx_id_if((p != GX_NONE) & gx_extent_label(r, label), p + r->base);
}
GX_OP u32 gx_find_above(const void *ctx, size_t k, gx_seen s)           /* the parent, whatever it is */
{
    GX_R;
    const u32 p = r->parents[s.x - r->base];
    return gx_id_if(p != GX_NONE, p + r->base);
}
/* the first: attributes follow their element; namespace nodes may be between */
GX_OP u32 gx_find_any_attribute(const void *ctx, size_t k, gx_seen s)
{
    GX_R;
    const u32 i = s.x - r->base, end = r->nexts[i];
    u32 a = i + 1, label = r->labels[a < end ? a : i];
    if (a >= end || GX_LABEL_KIND(r->labels[i]) != GX_KIND_ELEM)
        return GX_NONE;
    while (GX_LABEL_KIND(label) == GX_KIND_NS && ++a < end)
        label = r->labels[a];
    return GX_LABEL_KIND(label) == GX_KIND_ATTR ? a + r->base : GX_NONE;
}
GX_OP u32 gx_find_attribute(const void *ctx, size_t k, gx_seen s) { GX_R; return gx_attribute_of(r->v, r->label, s.x); }

/* Candidates that are marked, or whose parent is */
GX_OP u32 gx_find_marked(const void *ctx, size_t k, gx_seen s)
{
    GX_R;
    return gx_id_if((s.y != 0) & gx_extent_label(r, s.x), (u32)k + r->base);
}
GX_OP u32 gx_find_below(const void *ctx, size_t k, gx_seen s)
{
    GX_R;
    const u32 mark = r->mark[s.y == GX_NONE ? 0 : s.y];
    return gx_id_if((mark != 0) & (s.y != GX_NONE) & gx_extent_label(r, s.x), (u32)k + r->base);
}
GX_OP u32 gx_find_below_index(const void *ctx, size_t k, gx_seen s)
{
    GX_R;
    /* the root's too: programs are not to be trusted */
    const u32 p = r->parents[s.x], mark = r->mark[p == GX_NONE ? 0 : p];
    return gx_id_if((mark != 0) & (p != GX_NONE), s.x + r->base);
}

/* Children or attributes that pass the test, as their parents; contexts that are marked */
GX_OP u32 gx_find_with(const void *ctx, size_t k, gx_seen s)
{
    GX_R;
    return gx_id_if((s.y != GX_NONE) & gx_extent_label(r, s.x), s.y + r->base);
}
GX_OP u32 gx_find_with_index(const void *ctx, size_t k, gx_seen s)
{
    GX_R;
    const u32 p = r->parents[s.x];
    return gx_id_if(p != GX_NONE, p + r->base);
}
GX_OP u32 gx_find_context(const void *ctx, size_t k, gx_seen s)
{
    GX_R;
    return gx_id_if(r->mark[s.x - r->base] != 0, s.x);
}

GX_COMPACTION(GX_OP_ONCE, gx_compact_marked, gx_extent, gx_see_marked, gx_find_marked, gx_id_from)
GX_COMPACTION(GX_OP_ONCE, gx_compact_below, gx_extent, gx_see_parent, gx_find_below, gx_id_from)
GX_COMPACTION(GX_OP_ONCE, gx_compact_below_index, gx_extent, gx_see_index, gx_find_below_index, gx_id_index)
GX_COMPACTION(GX_OP_ONCE, gx_compact_self, gx_extent, gx_see_context, gx_find_self, gx_find_id)
GX_COMPACTION(GX_OP_ONCE, gx_compact_parent, gx_extent, gx_see_context, gx_find_parent, gx_find_above)
GX_COMPACTION(GX_OP_ONCE, gx_compact_attribute, gx_extent, gx_see_context, gx_find_attribute, gx_find_attribute)
GX_COMPACTION(GX_OP_ONCE, gx_compact_child, gx_extent, gx_see_parent, gx_find_child, gx_id_from)
GX_COMPACTION(GX_OP_ONCE, gx_compact_child_index, gx_extent, gx_see_index, gx_find_child_index, gx_id_index)
GX_COMPACTION(GX_OP_ONCE, gx_compact_before, gx_extent, gx_see_next, gx_find_before, gx_id_from)
GX_COMPACTION(GX_OP_ONCE, gx_compact_before_index, gx_extent, gx_see_index, gx_find_before_index, gx_id_index)
GX_COMPACTION(GX_OP_ONCE, gx_compact_label, gx_extent, gx_see_label, gx_find_label, gx_id_from)

/* Marks, of a view's nodes */
#define GX_MARKING(name, see, find) \
    GX_OP_BIG void name(gx_m *m, u32 count, const gx_extent *r, u8 *mark) \
    { \
        const gx_extent own = *r; \
        team_mark(&m->t, count, see, find, &own, own.base, mark); \
    }
GX_MARKING(gx_mark_with, gx_see_parent, gx_find_with)
GX_MARKING(gx_mark_with_index, gx_see_index, gx_find_with_index)
GX_MARKING(gx_mark_above, gx_see_context, gx_find_above)

/*
 * name(m, count, r, some, off, &out, &total): for each k < count the id that find gives, if any; off: how many before
 * it; some: if it is only asked whether there is one, any id will do.
 */
#define GX_SINGLE(name, see, find) \
    GX_OP_BIG gx_status name(gx_m *m, u32 count, const gx_extent *r, int some, u32 *off, u32 **out, u32 *total) \
    { \
        const gx_extent own = *r; \
        team_flag(&m->t, count, see, find, &own, off); \
        GX_TRY(gx_scan(m, off, count, total)); \
        if (some) \
            *out = (u32 *)own.ids; \
        else { \
            GX_TMP(m, *out, u32, *total); \
            team_put(&m->t, count, see, find, &own, off, *out); \
        } \
        return GX_OK; \
    }
GX_OP_BIG void gx_copy_index(gx_m *m, u32 count, const gx_extent *r, u32 *out)
{
    const gx_extent own = *r;
    team_map(&m->t, count, gx_see_index, gx_id_index, &own, out);
}
GX_SINGLE(gx_single_context, gx_see_context, gx_find_context)
GX_SINGLE(gx_single_self, gx_see_context, gx_find_self)
GX_SINGLE(gx_single_parent, gx_see_context, gx_find_parent)
GX_SINGLE(gx_single_any_attribute, gx_see_context, gx_find_any_attribute)
GX_SINGLE(gx_single_attribute, gx_see_context, gx_find_attribute)

/*
 * Rows of one context each, and an axis that gives it one node at most, or of which one is enough (some): *one 0: no
 * such step. off: n + 1 entries; the rows' offsets on return. One tree. Which of so many contexts have a child or
 * attribute, these mark.
 */
GX_OP_ONCE gx_status gx_step_single(gx_m *m, const gx_view *v, u32 axis, gx_bound_test t, const u32 *ids, u32 n,
                                    int some, u32 *off, u32 **out, u32 *total, int *one)
{
    const int any = axis == GX_AXIS_ATTRIBUTE && t.test != GX_TEST_NAME,
              below = some && (axis == GX_AXIS_CHILD || axis == GX_AXIS_ATTRIBUTE) && gx_marks_pay(m, n);
    u8 *mark;

    *one = 0;
    if (t.test == GX_TEST_NS || (axis != GX_AXIS_SELF && axis != GX_AXIS_PARENT && axis != GX_AXIS_ATTRIBUTE && !below)
        || (any && (!some || (t.test != GX_TEST_ANY && t.test != GX_TEST_NODE))))
        return GX_OK;
    *one = 1;
    m->steps += (below ? v->n_nodes : n) / GX_WORK_PER_STEP;
    gx_extent r = gx_extent_by(v, axis, t, ids);
    if (below) {
        GX_TRY(gx_marks_make(m, &mark));
        team_sync(&m->t);
        if (t.test != GX_TEST_NAME)
            gx_mark_with(m, v->n_nodes, &r, mark);
        else if (gx_label_on(axis, t)) {
            r.index = v->index + v->index_start[GX_LABEL_ID(t.label)];
            gx_mark_with_index(m, v->index_start[GX_LABEL_ID(t.label) + 1] - v->index_start[GX_LABEL_ID(t.label)], &r,
                               mark);
        }
        team_sync(&m->t);
        r.mark = mark;
        GX_TRY(gx_single_context(m, n, &r, some, off, out, total));
    } else if (axis == GX_AXIS_SELF)
        GX_TRY(gx_single_self(m, n, &r, some, off, out, total));
    else if (axis == GX_AXIS_PARENT)
        GX_TRY(gx_single_parent(m, n, &r, some, off, out, total));
    else if (any)
        GX_TRY(gx_single_any_attribute(m, n, &r, some, off, out, total));
    else
        GX_TRY(gx_single_attribute(m, n, &r, some, off, out, total));
    team_sync(&m->t);
    return GX_OK;
}

/*
 * One row's step from so many contexts that a byte a node is worth it: marks for the contexts, or for what they lead
 * to, and then the nodes, or those of the name, in their order. off: the row's offsets. *done 0: no such axis, or too
 * few. One tree.
 */
GX_OP_ONCE gx_status gx_step_marked(gx_m *m, const gx_view *v, u32 axis, gx_bound_test t, const u32 *ids, u32 pairs,
                                    u32 **out, u32 *off, int *done)
{
    const int up = axis == GX_AXIS_PARENT || axis == GX_AXIS_ANCESTOR || axis == GX_AXIS_ANCESTOR_OR_SELF;
    u32 n;
    u8 *mark;

    *done = 0;
    if (t.test == GX_TEST_NS || !gx_marks_pay(m, pairs))
        return GX_OK;
    if (!up && axis != GX_AXIS_CHILD && axis != GX_AXIS_ATTRIBUTE)
        return GX_OK;
    *done = 1;
    m->steps += v->n_nodes / GX_WORK_PER_STEP;
    gx_extent r = gx_extent_by(v, axis, t, ids);
    GX_TRY(gx_marks_make(m, &mark));
    team_sync(&m->t);
    if (axis == GX_AXIS_PARENT)
        gx_mark_above(m, pairs, &r, mark);
    else if (!up)
        gx_mark_ids(m, ids, pairs, v->base, mark);
    else                                /* above a mark everything is marked, or about to be by who made it */
        TEAM_FOR(&m->t, k, pairs)
    for (u32 p = axis == GX_AXIS_ANCESTOR ? v->parent[ids[k] - v->base] : ids[k] - v->base;
         p != GX_NONE && !TEAM_LOAD(&mark[p]); p = v->parent[p])
        TEAM_STORE(&mark[p], (u8)1);
    team_sync(&m->t);
    r.mark = mark;
    if (up)
        GX_TRY(gx_compact_marked(m, v->n_nodes, &r, out, &n, off));
    else if (t.test != GX_TEST_NAME)
        GX_TRY(gx_compact_below(m, v->n_nodes, &r, out, &n, off));
    else if (!gx_label_on(axis, t)) {
        gx_one_row(m, off, 0);
        team_sync(&m->t);
    } else {
        const u32 first = v->index_start[GX_LABEL_ID(t.label)],
                  named = v->index_start[GX_LABEL_ID(t.label) + 1] - first;
        r.index = v->index + first;
        GX_TRY(gx_compact_below_index(m, named, &r, out, &n, off));
    }
    return GX_OK;
}

/*
 * One row's step that all members take together, its nodes in k's order: one context's axis that is a range and not too
 * short to be worth it (ids: it alone), or an axis that gives one node a context (ids: all of the row's). off: the
 * row's offsets. *done 0: no such step.
 */
GX_OP_ONCE gx_status gx_step_partitioned(gx_m *m, const gx_view *v, u32 axis, gx_bound_test t, const u32 *ids,
                                         u32 pairs, u32 **out, u32 *off, int *done)
{
    gx_extent r;
    u32 n;

    *done = 0;
    if (t.test == GX_TEST_NS)
        return GX_OK;
    if (axis == GX_AXIS_SELF || axis == GX_AXIS_PARENT || (axis == GX_AXIS_ATTRIBUTE && t.test == GX_TEST_NAME)) {
        r = gx_extent_by(v, axis, t, ids);
        *done = 1;
        if (axis == GX_AXIS_SELF)
            GX_TRY(gx_compact_self(m, pairs, &r, out, &n, off));
        else if (axis == GX_AXIS_PARENT)
            GX_TRY(gx_compact_parent(m, pairs, &r, out, &n, off));
        else
            GX_TRY(gx_compact_attribute(m, pairs, &r, out, &n, off));
        return GX_OK;
    }
    if (pairs != 1 || !gx_extent_of(v, axis, t, ids[0], &r) || (r.n < 512 && !r.index))
        return GX_OK;
    gx_extent_test(&r);
    *done = 1;
    if (axis == GX_AXIS_CHILD) {
        if (r.index)
            GX_TRY(gx_compact_child_index(m, r.n, &r, out, &n, off));
        else
            GX_TRY(gx_compact_child(m, r.n, &r, out, &n, off));
    } else if (axis == GX_AXIS_PRECEDING) {
        if (r.index)
            GX_TRY(gx_compact_before_index(m, r.n, &r, out, &n, off));
        else
            GX_TRY(gx_compact_before(m, r.n, &r, out, &n, off));
    } else if (!r.index)
        GX_TRY(gx_compact_label(m, r.n, &r, out, &n, off));
    else {
        GX_TMP(m, *out, u32, r.n);
        gx_copy_index(m, r.n, &r, *out);
        gx_one_row(m, off, r.n);
        team_sync(&m->t);
    }
    return GX_OK;
}

/*
 * Contexts whose nodes are too many for one member (skew), by all members: their ranges one behind the other are one
 * column of candidates. mark: by context; pair, from, off: by skewed context; row, keep: by candidate.
 */
#define GX_SKEW_RANGE 512u
#define GX_SKEW_CHILDREN 64u
typedef struct gx_skew { u32 n, total; u32 *mark, *pair, *from, *off, *row, *keep; const u32 *index; } gx_skew;

/* Has the context more candidates on the axis than one member should walk? Then all members share them (gx_skew_count).
 * child:: without an index counts its subtree as candidates, so that is shared only where the children themselves are
 * many. O(log nodes), at most 64 hops. */
GX_OP_BIG int gx_is_skewed(const gx_view *v, u32 axis, gx_bound_test t, u32 node)
{
    const u32 i = node - v->base;
    gx_extent r;

    if ((axis == GX_AXIS_CHILD || axis == GX_AXIS_DESCENDANT || axis == GX_AXIS_DESCENDANT_OR_SELF)
        && v->next[i] - i <= GX_SKEW_RANGE)
        return 0;
    if (!gx_extent_of(v, axis, t, node, &r) || r.n <= GX_SKEW_RANGE)
        return 0;
    if (axis == GX_AXIS_CHILD && !r.index) {            /* the subtree is large: are the children many? */
        u32 c = i + 1, hops = 0;
        while (c < v->next[i] && hops++ < GX_SKEW_CHILDREN)
            c = v->next[c];
        return c < v->next[i];
    }
    return 1;
}

/* The local id of candidate r: its context's range, at the place that the offsets say. */
GX_OP u32 gx_skew_node(const gx_skew *h, u32 r)
{
    const u32 j = h->row[r], at = h->from[j] + r - h->off[j];
    return h->index ? h->index[at] : at;
}

/*
 * Counts the nodes of all skewed contexts together. In: count[k] is GX_NONE for those. Out: count[k] is how many nodes
 * context k has, and h holds what gx_skew_fill() needs: the contexts (pair), where each one's candidates begin in the
 * document or index (from) and in the common column (off), each candidate's context (row) and the prefix sums of those
 * that pass (keep).
 *
 * *done 0: the candidates are more than four times the run's nodes, so columns for them would cost more memory than the
 * skew costs time; count keeps its GX_NONE then. O(candidates). Complete for everyone. Fails with GX_EARENA.
 */
GX_OP_BIG gx_status gx_skew_count(gx_m *m, const gx_view *v, u32 axis, gx_bound_test t, const u32 *ids, u32 pairs,
                                   u32 *count, gx_skew *h, int *done)
{
    u64 sum = 0;
    u32 kept;

    *done = 0;
    h->index = NULL;
    GX_TMP(m, h->mark, u32, (u64)pairs + 1);
    TEAM_FOR(&m->t, k, pairs)
        h->mark[k] = count[k] == GX_NONE;
    GX_TRY(gx_scan(m, h->mark, pairs, &h->n));
    GX_TMP(m, h->pair, u32, h->n);
    GX_TMP(m, h->from, u32, h->n);
    GX_TMP(m, h->off, u32, (u64)h->n + 1);
    TEAM_FOR(&m->t, k2, pairs)
        if (h->mark[k2 + 1] != h->mark[k2]) {
            const u32 j = h->mark[k2];
            gx_extent r;
            gx_extent_of(v, axis, t, ids[k2], &r);
            h->pair[j] = k2;
            h->off[j] = r.n;
            h->from[j] = r.index ? (u32)(r.index - v->index) : r.from;
            sum += r.n;
        }
    if (t.test == GX_TEST_NAME)
        h->index = v->index;
    if (team_sum(&m->t, sum) > 4 * (u64)m->run->n_nodes)
        return GX_OK;
    GX_TRY(gx_scan(m, h->off, h->n, &h->total));
    GX_TMP(m, h->row, u32, h->total);
    GX_TMP(m, h->keep, u32, (u64)h->total + 1);
    gx_expand_rows(m, h->off, h->n, h->row);
    TEAM_FOR(&m->t, r, h->total) {
        const u32 c = gx_skew_node(h, r), i = ids[h->pair[h->row[r]]] - v->base;
        h->keep[r] = !gx_is_attached(v, c) && gx_test_label(v, t, v->label[c])
            && (axis != GX_AXIS_CHILD || v->parent[c] == i) && (axis != GX_AXIS_PRECEDING || v->next[c] <= i);
    }
    GX_TRY(gx_scan(m, h->keep, h->total, &kept));
    TEAM_FOR(&m->t, j2, h->n)
        count[h->pair[j2]] = h->keep[h->off[j2 + 1]] - h->keep[h->off[j2]];
    team_sync(&m->t);
    *done = 1;
    return GX_OK;
}

/* out[at[k] ..] := the nodes of each skewed context k, in document order, as gx_skew_count() found them. Complete after
 * the next sync. */
GX_OP_BIG void gx_skew_fill(gx_m *m, const gx_view *v, const gx_skew *h, const u32 *at, u32 *out)
{
    TEAM_FOR(&m->t, r, h->total)
        if (h->keep[r + 1] != h->keep[r]) {
            const u32 j = h->row[r];
            out[at[h->pair[j]] + h->keep[r] - h->keep[h->off[j]]] = gx_skew_node(h, r) + v->base;
        }
}
#endif

#endif
