/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count.h -- count() of a step without a list of its nodes
 *
 * Contexts in document order: each goes on from what was counted for the one before (gx_counted).
 */
#ifndef GX_MACHINE_COUNT_H
#define GX_MACHINE_COUNT_H

#include "axis.h"
#include "budget.h"
#include "column.h"
#include "domain.h"
#include "machine.h"
#include "memory.h"
#include "merge.h"
#include "nodes.h"
#include "slices.h"
#include "step.h"

/*
 * How many nodes axes have whose contexts come one after another, by what the context before left: one pass for all of
 * them, not one a context. n: of the nodes of `of` (a parent's children, a tree's nodes) before local id at so many
 * pass; all: of all of them, GX_NONE = not yet known.
 */
typedef struct gx_counted { u32 of, at, n, all; } gx_counted;

/* How many siblings before node i (a row of the view), or behind it, pass the test. c remembers the parent, the place
 * and both counts: contexts of one parent in document order cost one walk over its children in all. *work counts
 * hops. */
GX_OP u32 gx_count_siblings(const gx_view *v, gx_bound_test t, u32 i, int following, gx_counted *c, u64 *work)
{
    const u32 p = v->parent[i];

    if (p == GX_NONE || gx_is_attached(v, i))
        return 0;
    if (c->of != p + v->base || i < c->at) {
        c->of = p + v->base;
        c->at = gx_first_child(v, c->of) - v->base;
        c->n = 0;
        c->all = GX_NONE;
    }
    for (; c->at < i; c->at = v->next[c->at], ++*work)
        c->n += (u32)gx_test_label(v, t, v->label[c->at]);
    if (!following)
        return c->n;
    if (c->all == GX_NONE) {
        c->all = c->n;
        for (u32 s = i; s < v->next[p]; s = v->next[s], ++*work)
            c->all += (u32)gx_test_label(v, t, v->label[s]);
    }
    return c->all - c->n - (u32)gx_test_label(v, t, v->label[i]);
}

GX_OP u32 gx_count_passes(const gx_view *v, gx_bound_test t, u32 i)
{
    return !gx_is_attached(v, i) && gx_test_label(v, t, v->label[i]);
}
/* How many nodes of the tree of `root` before local id i pass the test, attributes and namespace nodes left out. For a
 * name: two binary searches in its index. Else c holds the count up to the last place asked for, and the walk goes on
 * from there in either direction: O(distance), so contexts in document order cost one pass over the tree in all. */
GX_OP u32 gx_count_before(const gx_view *v, gx_bound_test t, u32 root, u32 i, gx_counted *c, u64 *work)
{
    if (t.test == GX_TEST_NAME) {
        u32 lo, hi;
        if (t.label == GX_LABEL_NOTHING)
            return 0;
        lo = v->index_start[GX_LABEL_ID(t.label)];
        hi = v->index_start[GX_LABEL_ID(t.label) + 1];
        lo = gx_index_lower(v->index, lo, hi, root);
        return gx_index_lower(v->index, lo, hi, i) - lo;
    }
    if (c->of != root + v->base) {
        c->of = root + v->base;
        c->at = root;
        c->n = 0;
        c->all = GX_NONE;
    }
    *work += c->at < i ? i - c->at : c->at - i;
    while (c->at < i)
        c->n += gx_count_passes(v, t, c->at++);
    while (c->at > i)
        c->n -= gx_count_passes(v, t, --c->at);
    return c->n;
}

/*
 * How many nodes one context's axis has that pass the test. c: what the context before left behind, by depth for
 * siblings (gx_step_count); *work += nodes looked at.
 *
 *   preceding   the nodes before it, less its ancestors: O(depth) beside gx_count_before()
 *   following   all nodes behind its subtree. Of a name the index counts them; else the tree's total is counted once
 *               and kept in c->all
 *   siblings    gx_count_siblings()
 *   others      gx_fill_axis() with nowhere to write
 */
GX_OP_BIG u32 gx_count_axis(const gx_view *v, u32 axis, gx_bound_test t, u32 node, gx_counted *c, u64 *work)
{
    const u32 i = node - v->base;
    gx_fill f = { NULL, 0, 0, GX_NONE, GX_NONE, 0, NULL };

    switch (axis) {
    case GX_AXIS_PRECEDING_SIBLING:
    case GX_AXIS_FOLLOWING_SIBLING:
        return gx_count_siblings(v, t, i, axis == GX_AXIS_FOLLOWING_SIBLING, c, work);
    case GX_AXIS_PRECEDING: {
        const u32 root = gx_root_of(v, node) - v->base;
        u32 before = gx_count_before(v, t, root, i, c, work);
        for (u32 p = v->parent[i]; p != GX_NONE; p = v->parent[p], ++*work)
            before -= gx_count_passes(v, t, p);
        return before;
    }
    case GX_AXIS_FOLLOWING:
        if (t.test != GX_TEST_NAME) {
            const u32 root = gx_root_of(v, node) - v->base;
            u32 before = gx_count_before(v, t, root, v->next[i], c, work);
            if (c->all == GX_NONE) {
                c->all = before;
                for (u32 k = v->next[i]; k < v->next[root]; k++, ++*work)
                    c->all += gx_count_passes(v, t, k);
            }
            return c->all - before;
        }
        /* fall through */
    default:
        gx_fill_axis(v, axis, t, node, 0, &f);
        *work += f.work;
        return f.n;
    }
}

/* How many nodes a step would give. in: a dense SET of n rows; *out: NUM. a, name: as GX_X_COUNT's operands. One
 * thread counts without a list: siblings go on from the count of the sibling before, names are counted in the name's
 * index. What many members share makes lists and looks how long they are. O(nodes looked at). Complete for everyone.
 * Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_step_count(gx_m *m, gx_v *in, u32 a, u32 name, gx_v *out)
{
    const u32 axis = GX_STEP_AXIS(a), test = GX_STEP_TEST(a), *ids = (const u32 *)in->data;
    const gx_view *v = m->run->views;
    gx_bound_test t = gx_test_bind(m->run, v, axis, test, name);
    const gx_counted none = { GX_NONE, 0, 0, GX_NONE };
    gx_counted one = none, *counted = &one;
    int by_depth = 0;
    gx_watch watch = gx_watch_start();
    double *d;

    GX_TMP(m, d, double, in->n);
#if TEAM_IS_SOLO
    /* contexts in document order have children between siblings: each depth goes on from its own */
    by_depth = (axis == GX_AXIS_PRECEDING_SIBLING || axis == GX_AXIS_FOLLOWING_SIBLING) && in->n > m->run->max_depth;
    if (by_depth) {
        GX_TMP(m, counted, gx_counted, m->run->max_depth + 1);
        for (u32 k = 0; k <= m->run->max_depth; k++)
            counted[k] = none;
    }
#endif
#if !TEAM_IS_SOLO
    if (in->n == 1 || axis == GX_AXIS_CHILD || axis == GX_AXIS_DESCENDANT || axis == GX_AXIS_DESCENDANT_OR_SELF
        || ((axis == GX_AXIS_FOLLOWING || axis == GX_AXIS_PRECEDING) && t.test != GX_TEST_NAME)) {
        gx_v set;
        GX_TRY(gx_step(m, in, a, name, 0, NULL, &set));
        TEAM_FOR(&m->t, r1, in->n) {
            u32 b, e;
            gx_v_range(&set, r1, &b, &e);
            d[r1] = e - b;
        }
        team_sync(&m->t);
        *out = gx_v_make(GX_T_NUM, in->n, d);
        return GX_OK;
    }
#endif
    TEAM_FOR(&m->t, r, in->n) {
        u64 n = 0, work = 0;
        u32 b, e;
        gx_v_range(in, r, &b, &e);
        for (; b < e; b++) {
            if (m->n_docs > 1) {
                const gx_view *w = gx_view_of(m, ids[b]);
                if (w != v) {
                    v = w;
                    t = gx_test_bind(m->run, v, axis, test, name);
                }
            }
            n += gx_count_axis(v, axis, t, ids[b], &counted[by_depth ? v->depth[ids[b] - v->base] : 0], &work);
        }
        d[r] = (double)n;
        if (gx_watch_late(m, &watch, work))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    *out = gx_v_make(GX_T_NUM, in->n, d);
    return GX_OK;
}

/* Do the contexts of a step have no node in common, whatever they are? Then a row's count is the sum of its contexts'
 * counts, and no list is needed to drop what is there twice. */
GX_OP int gx_count_is_apart(u32 a)
{
    const u32 axis = GX_STEP_AXIS(a);

    return (a & GX_STEP_SORTED) != 0 || axis == GX_AXIS_CHILD || axis == GX_AXIS_ATTRIBUTE || axis == GX_AXIS_NAMESPACE;
}

/* Of rows that share lists (slices.h), on the lists: *made 0, the rows share none. Each node of the lists is counted
 * once, and a row is the sum of its part of these counts. *out: NUM, n rows. Complete for everyone. Fails as
 * gx_step_count(). */
GX_OP_BIG gx_status gx_count_slices(gx_m *m, const gx_v *in, u32 a, u32 name, u32 n, gx_v *out, int *made)
{
    gx_slices s;
    gx_v whole, counts;
    double *num;

    GX_TRY(gx_slices_make(m, in, n, &s, made));
    if (!*made)
        return GX_OK;
    whole = gx_v_make(GX_T_SET, s.total, (void *)s.whole);
    GX_TRY(gx_step_count(m, &whole, a, name, &counts));
    GX_TMP(m, num, double, n);
    GX_TRY(gx_slices_sum(m, &s, (const double *)counts.data, n, num));
    team_sync(&m->t);
    *out = gx_v_make(GX_T_NUM, n, num);
    return GX_OK;
}

/* Does the count of one context help to count the next one in document order? */
GX_OP int gx_counts_on(u32 axis, u32 test)
{
    return axis == GX_AXIS_PRECEDING_SIBLING || axis == GX_AXIS_FOLLOWING_SIBLING
        || ((axis == GX_AXIS_PRECEDING || axis == GX_AXIS_FOLLOWING) && test != GX_TEST_NAME);
}

/* for gx_merge: rows by their node */
GX_OP int gx_count_before_row(const void *ctx, u32 a, u32 b)
{
    const u32 *node = (const u32 *)ctx;

    return node[a] != node[b] ? node[a] < node[b] : a < b;
}

/* gx_step_count of rows with one node or none, whose nodes are not in document order: sorted, counted, and put back
 * into the rows. *made 0: at most one row in eight goes backwards, and nothing was done. It is for axes that go on from
 * the context before (gx_counts_on), where each step backwards would begin anew. O(rows x log rows) beside the count.
 * Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_count_in_order(gx_m *m, const gx_v *in, u32 a, u32 name, gx_v *out, int *made)
{
    const u32 n = in->n;
    u32 back = 0, *node, *perm, *aux, *off, *sorted, *one;
    gx_v ordered, counts;
    double *num;

    *made = 0;
    TEAM_FOR(&m->t, r, n)
        back += r && gx_v_first(in, r) < gx_v_first(in, r - 1);
    if (team_sum(&m->t, back) <= n / 8)
        return GX_OK;
    *made = 1;
    GX_TMP(m, node, u32, n);
    GX_TMP(m, perm, u32, n);
    GX_TMP(m, aux, u32, n);
    GX_TMP(m, off, u32, 2);
    GX_TMP(m, sorted, u32, n);
    GX_TMP(m, one, u32, (u64)n + 1);
    GX_TMP(m, num, double, n);
    TEAM_FOR(&m->t, r1, n)
        node[r1] = gx_v_first(in, r1);
    gx_one_row(m, off, n);
    const u32 *order = gx_merge(m, gx_count_before_row, node, perm, aux, off, NULL, 1, n);
    TEAM_FOR(&m->t, k, n) {             /* rows without a node come last */
        sorted[k] = node[order[k]];
        one[k] = sorted[k] != GX_NONE;
    }
    u32 total;
    GX_TRY(gx_scan(m, one, n, &total));
    ordered = gx_v_make(GX_T_SET, n, sorted);
    ordered.off = one;
    GX_TRY(gx_step_count(m, &ordered, a, name, &counts));
    TEAM_FOR(&m->t, k1, n)
        num[order[k1]] = ((const double *)counts.data)[k1];
    team_sync(&m->t);
    *out = gx_v_make(GX_T_NUM, n, num);
    return GX_OK;
}

/* GX_X_COUNT: count() of a step. in: a dense SET of in->n rows; *out: NUM, as many. Where a row's contexts may have
 * nodes in common, the step's set is made and its length taken, since count() counts a node once; else nothing is
 * listed (gx_step_count). Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_count(gx_m *m, gx_v *in, u32 a, u32 name, gx_v *out)
{
    const u32 axis = GX_STEP_AXIS(a);
    int made = 0;

    if (!gx_count_is_apart(a) && gx_v_has_several(m, in, in->n)) {
        gx_v set;
        double *num;
        GX_TRY(gx_step(m, in, a, name, 0, NULL, &set));
        GX_TMP(m, num, double, in->n);
        TEAM_FOR(&m->t, r, in->n) {
            u32 b, e;
            gx_v_range(&set, r, &b, &e);
            num[r] = e - b;
        }
        team_sync(&m->t);
        *out = gx_v_make(GX_T_NUM, in->n, num);
        return GX_OK;
    }
    if (in->n > 8 && gx_counts_on(axis, GX_STEP_TEST(a)) && !gx_v_has_several(m, in, in->n))
        GX_TRY(gx_count_in_order(m, in, a, name, out, &made));
    return made ? GX_OK : gx_step_count(m, in, a, name, out);
}

#endif
