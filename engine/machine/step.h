/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step.h -- location steps, set at a time
 *
 * A step takes for each row a set of context nodes and makes the set of nodes on the axis that pass the node test.
 *
 * Without predicates that look at positions a row's contexts are taken together ("set-wise"), so that no node is
 * visited twice and following/preceding/descendant of a big set cost one pass, not one a context (Peters 2011, 4.3:
 * minima and maxima):
 *   descendant           contexts that are an earlier one's descendants add nothing: skipped
 *   following            only the context whose subtree ends first counts
 *   preceding            only the last context counts
 *   ancestor             a context adds only what the one before it did not: climbing stops where they meet
 *   following-sibling    a context adds the siblings up to the next context among them
 *   preceding-sibling    likewise towards the front, found from the context before
 * With positional predicates each context has its own candidates in axis order (a segment); STEP_END merges them.
 *
 * Names: a node test is one compare of labels. descendant::x is a range of the name index (two binary searches);
 * child::x walks the siblings of small subtrees and takes the index range of large ones, filtered by parent.
 */
#ifndef GX_MACHINE_STEP_H
#define GX_MACHINE_STEP_H

#include "axis.h"
#include "budget.h"
#include "collect.h"
#include "column.h"
#include "machine.h"
#include "memory.h"
#include "nodes.h"
#include "order.h"
#include "slices.h"
#include "step_partition.h"

/* May each row's contexts be taken together? Set-wise axes compare ids across contexts, so these must be of one tree,
 * another one a row if need be. Axes that give each context its own nodes gain nothing: in a run with several trees
 * nobody looks then. O(contexts); uniform. */
GX_OP_BIG int gx_step_is_setwise(gx_m *m, u32 axis, const gx_v *in)
{
    const u32 *ids = (const u32 *)in->data;
    u32 row = GX_NONE, last = GX_NONE, from = 0, end = 0;
    int apart = 0;

    if (!in->off || GX_MAX_DOCS == 1 || gx_one_tree(m) || axis == GX_AXIS_CHILD || axis == GX_AXIS_ATTRIBUTE
        || axis == GX_AXIS_NAMESPACE || axis == GX_AXIS_SELF)
        return in->off && gx_one_tree(m);
    TEAM_FOR(&m->t, k, gx_v_total(in)) {
        row = gx_row_on(in->off, in->n, k, row);
        if (row != last) {
            const u32 first = ids[in->off[row]];
            const gx_view *v = gx_view_of(m, first);
            from = gx_root_of(v, first);
            end = gx_next(v, from);
            last = row;
        }
        apart |= ids[k] < from || ids[k] >= end;
    }
    return !team_any(&m->t, apart);
}

#if !TEAM_IS_SOLO
/*
 * The step of each context by itself, or of each context as its row wants it (gx_fill_set): counted, scanned, filled.
 * Where a context has one node, that is kept when it is counted: its axis is not walked again. pairs: contexts. *off,
 * room for the rows' offsets, is the contexts' own where these are what is wanted. Other arguments as gx_step's.
 *
 * More than 100 lines, since the two passes are one loop: what is counted and what is filled must be the same nodes. It
 * is compiled into gx_step for GPUs (GX_OP_ONCE); functions of its own would save their registers in local memory.
 */
GX_OP_ONCE gx_status gx_step_pairs(gx_m *m, const gx_v *in, u32 a, u32 name, int per_context, int setwise,
                                   const gx_rounds *round, const u32 *chosen, u32 **off, u32 **out)
{
    const u32 axis = GX_STEP_AXIS(a), test = GX_STEP_TEST(a), n = in->n, pairs = gx_v_total(in),
              *ids = (const u32 *)in->data;
    const int reverse = per_context && GX_AXIS_IS_REVERSE(axis),
              climb = setwise && (axis == GX_AXIS_DESCENDANT || axis == GX_AXIS_DESCENDANT_OR_SELF),
              some = (a & GX_STEP_SOME) && !per_context;
    const u32 most = some ? 1 : round ? round->most : GX_STEP_MOST(a), *after = round ? round->after : NULL;
    const gx_view *v = pairs ? gx_view_of(m, ids[0]) : m->run->views;
    const gx_bound_test bound = gx_test_bind(m->run, v, axis, test, name);
    gx_watch watch = gx_watch_start();
    u32 total = 0;
    gx_fill f;
    u32 *count, *one, *rows = NULL, *dest = NULL;
    u8 *mark = NULL;
    gx_skew skew = { 0 };
    int little = 0,
        share = !reverse && (some || !most) && gx_one_tree(m)
        && (axis == GX_AXIS_CHILD || axis == GX_AXIS_DESCENDANT || axis == GX_AXIS_DESCENDANT_OR_SELF
            || axis == GX_AXIS_FOLLOWING || axis == GX_AXIS_PRECEDING);
    GX_TMP(m, count, u32, pairs + 1);
    GX_TMP(m, one, u32, pairs);
    if (setwise)
        GX_TRY(gx_pair_rows(m, in, &rows));
    if (climb && n == 1 && gx_marks_pay(m, pairs)) {
        GX_TRY(gx_marks_make(m, &mark));
        team_sync(&m->t);
        gx_mark_ids(m, ids, pairs, v->base, mark);
        team_sync(&m->t);
    }
    for (int pass = 0; pass < 2; pass++) {
        int any = 0;
        TEAM_FOR(&m->t, k, pairs) {
            u32 b = k, e = k + 1, c = 1, alone = 1;
            const gx_view *w = gx_view_of(m, ids[k]);
            gx_bound_test t = w == v ? bound : gx_test_bind(m->run, w, axis, test, name);
            if (pass && (count[k + 1] == count[k] || (skew.n && skew.mark[k + 1] != skew.mark[k])))
                continue;
            if (pass && count[k + 1] - count[k] == 1) {
                dest[count[k]] = one[k];
                continue;
            }
            f.n = 0;
            f.one = GX_NONE;
            f.enough = most ? most : GX_NONE;
            f.after = after ? &after[k] : NULL;
            f.out = NULL;
            f.cap = 0;
            f.work = 0;
            if (pass) {
                f.out = dest + count[k];
                f.cap = count[k + 1] - count[k];
            }
            if (setwise)
                gx_v_range(in, rows[k], &b, &e);
            if (setwise && e - b > 1) {
                alone = axis == GX_AXIS_CHILD;
                c = chosen ? chosen[rows[k]] : 1;
                if (climb)
                    alone = c = !gx_context_covered(w, ids, b, k, mark);
                if (chosen)
                    alone = c == k;
            }
            if (share && !pass && alone && gx_is_skewed(w, axis, t, ids[k])) {
                count[k] = GX_NONE;
                any = 1;
                continue;
            }
            if (setwise && e - b > 1)
                gx_fill_set(w, axis, t, ids, b, e, k, c, &f);
            else
                gx_fill_axis(w, axis, t, ids[k], reverse, &f);
            if (!pass) {
                count[k] = f.n < f.enough ? f.n : f.enough;
                one[k] = f.one;
            }
            if (gx_watch_late(m, &watch, f.work))
                break;
        }
        if (!little)                    /* what is filled is no more than what was counted */
            GX_TRY(gx_watch_asks(m, &watch, any, &any, &little));
        watch = gx_watch_start();
        if (!pass) {
            if (any) {
                GX_TRY(gx_skew_count(m, v, axis, bound, ids, pairs, count, &skew, &share));
                if (!share) {                       /* each member its own, then */
                    skew.n = 0;
                    pass--;
                    continue;
                }
                watch.work += skew.total / team_size(&m->t);
            }
            if (some && skew.n) {
                TEAM_FOR(&m->t, k1, pairs)
                    count[k1] = count[k1] != 0;
                team_sync(&m->t);
            }
            GX_TRY(gx_scan_complete(m, count, pairs, &total));
            GX_TMP(m, dest, u32, total);
            if (some) {                             /* the contexts stand for what they have */
                TEAM_FOR(&m->t, k2, pairs)
                    if (count[k2 + 1] != count[k2])
                        dest[count[k2]] = ids[k2];
                break;
            }
        } else if (skew.n)
            gx_skew_fill(m, v, &skew, count, dest);
    }
    if (per_context || !in->off)
        *off = count;
    else
        TEAM_FOR(&m->t, s, n + 1)
            (*off)[s] = count[in->off[s]];
    team_sync(&m->t);
    *out = dest;
    return GX_OK;
}
#endif

/*
 * A step that is being made. in, a, name, round: gx_step's arguments.
 *
 *   per_context   a segment of candidates for each context, in axis order (reverse: the axis is a reverse one)
 *   setwise       a row may have several contexts, of one tree: they are taken together
 *   off           where the segments begin, n_seg of them and the end
 *   chosen        of each row the context that stands for all of them on following and preceding, else NULL
 */
typedef struct gx_step_job {
    const gx_v *in;
    u32 a, name, axis, test;
    int per_context, setwise, reverse;
    const gx_rounds *round;
    u32 *off, n_seg, *chosen;
} gx_step_job;

/* chosen[r] := the place in the row's contexts of the one that counts on following or preceding
 * (gx_choose_context), 0 for a row without contexts. A member for each row; a team shares the only row of
 * following by two minima, over the ends of the subtrees and then over the places that have that end. O(contexts).
 * Complete for everyone. Does not fail. */
GX_OP_BIG gx_status gx_choose_contexts(gx_m *m, const gx_step_job *j, u32 *chosen)
{
    const u32 n = j->in->n;
    const u32 *ids = (const u32 *)j->in->data;

#if !TEAM_IS_SOLO
    if (n == 1 && j->axis == GX_AXIS_FOLLOWING) {       /* one row: the least end, by all members */
        const u32 pairs = gx_v_total(j->in);
        const gx_view *v = pairs ? gx_view_of(m, ids[0]) : m->run->views;
        u32 least = GX_NONE, at = GX_NONE;
        TEAM_FOR(&m->t, k, pairs)
            least = gx_next(v, ids[k]) < least ? gx_next(v, ids[k]) : least;
        least = team_min(&m->t, least);
        TEAM_FOR(&m->t, k, pairs)
            at = gx_next(v, ids[k]) == least && k < at ? k : at;
        at = team_min(&m->t, at);
        if (team_rank(&m->t) == 0)
            chosen[0] = pairs ? at : 0;
        team_sync(&m->t);
        return GX_OK;
    }
#endif
    TEAM_FOR(&m->t, r, n) {
        u32 b, e;
        gx_v_range(j->in, r, &b, &e);
        chosen[r] = b < e ? gx_choose_context(m, j->axis, ids, b, e) : 0;
    }
    team_sync(&m->t);
    return GX_OK;
}

#if TEAM_IS_SOLO
/* Attributes of one name in one document: one at most, and most contexts have it. n segments: of a context each, or
 * (in_off) of those from in_off[s] on; off[s]: where each begins. f: its cap is at least the number of contexts. */
GX_OP void gx_step_attributes(const gx_view *v, u32 label, const u32 *ids, u32 n, const u32 *in_off, u32 *off,
                              gx_fill *f)
{
    for (u32 s = 0, k = 0; s < n; s++) {
        off[s] = f->n;
        for (const u32 e = in_off ? in_off[s + 1] : s + 1; k < e; k++, f->work++) {
            const u32 id = gx_attribute_of(v, label, ids[k]);
            if (id != GX_NONE)
                f->out[f->n++] = id;
        }
    }
}

/* The first child of a name of each of n contexts, a segment each, in one document. Most contexts have it near their
 * first child, where a call for each would cost more than the search: a feed of 5 KB is evaluated with 6 % fewer
 * instructions. off, f: as above. */
GX_OP gx_status gx_step_first_children(gx_m *m, const gx_view *v, gx_bound_test b, const u32 *ids, u32 n, u32 *off,
                                       gx_watch *watch, gx_fill *f)
{
    const u32 *const next = v->next, *const label = v->label;
    const u32 base = v->base;

    for (u32 s = 0; s < n; s++) {
        const u32 i = ids[s] - base, end = next[i];
        u32 c = i + 1, hops = 0;
        off[s] = f->n;
        for (; c < end && label[c] != b.label && hops < 12; hops++)
            c = next[c];
        f->work += hops + 1;
        if (c < end && label[c] == b.label)
            f->out[f->n++] = c + base;
        else if (c < end) {                     /* far away: by the name's index, if that is shorter */
            f->enough = f->n + 1;
            gx_fill_children(v, b, i, f);
        }
        if (f->work >= GX_WORK_PER_LOOK / 16) {
            if (gx_watch_late(m, watch, f->work))
                return gx_watch_end(m, watch);
            f->work = 0;
        }
    }
    return GX_OK;
}

/* All children of a name of each of n contexts, appended to the open end of the scratch. off, f: as above. */
GX_OP gx_status gx_step_children(gx_m *m, const gx_view *v, gx_bound_test b, const u32 *ids, u32 n, u32 *off,
                                 gx_watch *watch, gx_fill *f)
{
    f->out = gx_tmp_open(m, &f->cap);
    for (u32 s = 0; s < n; s++) {
        off[s] = f->n;
        gx_fill_children(v, b, ids[s] - v->base, f);
        if (f->n > f->cap)
            return gx_full(m);
        if (f->work >= GX_WORK_PER_LOOK / 16) {
            if (gx_watch_late(m, watch, f->work))
                return gx_watch_end(m, watch);
            f->work = 0;
        }
    }
    return gx_tmp(m, (u64)f->n * 4) ? GX_OK : gx_full(m);
}

/* A step by name of in's n rows, a context each: to an attribute, the first child (all 0), or all children. The
 * commonest of all, and in small documents no longer than what other steps ask before they begin. *out has no offsets
 * where each row has its one node. */
GX_OP_BIG gx_status gx_step_of_each(gx_m *m, const gx_v *in, u32 axis, u32 name, int all, gx_v *out)
{
    const gx_view *v = m->run->views;
    const gx_bound_test bound = gx_test_bind(m->run, v, axis, GX_TEST_NAME, name);
    const u32 *ids = (const u32 *)in->data;
    const u32 n = in->n;
    gx_watch watch = gx_watch_start();
    gx_fill f;
    u32 *off;

    GX_TMP(m, off, u32, (u64)n + 1);
    f.after = NULL;
    f.n = 0;
    f.enough = GX_NONE;
    f.work = 0;
    if (all)
        GX_TRY(gx_step_children(m, v, bound, ids, n, off, &watch, &f));
    else {
        GX_TMP(m, f.out, u32, n);
        f.cap = n;
        if (axis == GX_AXIS_ATTRIBUTE)
            gx_step_attributes(v, bound.label, ids, n, NULL, off, &f);
        else
            GX_TRY(gx_step_first_children(m, v, bound, ids, n, off, &watch, &f));
    }
    gx_watch_late(m, &watch, f.work);
    GX_TRY(gx_watch_end(m, &watch));
    off[n] = f.n;
    *out = gx_v_make(GX_T_SET, n, f.out);
    out->off = f.n == n && !all ? NULL : off;
    return GX_OK;
}

/* All segments, in one pass of one thread: appended to the open end of the scratch, so nothing is counted first.
 * **out: the nodes, as many as off[n_seg] says. Descendants of nested contexts are taken once (climb), names by the
 * name's index where that is shorter; where the consumer wants the first few, a segment ends there. O(nodes looked
 * at). Fails with GX_EARENA, GX_ETIME. */
GX_OP gx_status gx_step_one_pass(gx_m *m, const gx_step_job *j, u32 **out)
{
    const gx_v *in = j->in;
    const u32 axis = j->axis, *ids = (const u32 *)in->data, *after = j->round ? j->round->after : NULL;
    const int climb = j->setwise && (axis == GX_AXIS_DESCENDANT || axis == GX_AXIS_DESCENDANT_OR_SELF);
    const u32 most = j->a & GX_STEP_SOME && !j->per_context ? 1
        : j->round                                          ? j->round->most
                                                            : GX_STEP_MOST(j->a);
    const gx_view *v = m->run->views;
    gx_bound_test bound = gx_test_bind(m->run, v, axis, j->test, j->name);
    gx_watch watch = gx_watch_start();
    gx_fill f;

    f.out = gx_tmp_open(m, &f.cap);
    f.after = NULL;
    f.n = 0;
    f.enough = GX_NONE;
    f.work = 0;
    const int named = bound.test == GX_TEST_NAME && m->n_docs == 1
        && (axis == GX_AXIS_ATTRIBUTE
            || (axis == GX_AXIS_CHILD && most == 1 && !after && (j->per_context || !in->off)));
    if (named && f.cap < gx_v_total(in))
        return gx_full(m);
    if (named && axis == GX_AXIS_ATTRIBUTE)
        gx_step_attributes(v, bound.label, ids, j->n_seg, j->per_context ? NULL : in->off, j->off, &f);
    else if (named)
        GX_TRY(gx_step_first_children(m, v, bound, ids, j->n_seg, j->off, &watch, &f));
    for (u32 s = 0; !named && s < j->n_seg; s++) {
        u32 b, e, covered_to = 0;
        j->off[s] = f.n;
        if (most)
            f.enough = f.n + most;
        if (after)
            f.after = &after[s];
        if (j->per_context) {
            b = s;
            e = s + 1;
        } else
            gx_v_range(in, s, &b, &e);
        for (u32 k = b; k < e && f.n < f.enough; k++) {
            if (m->n_docs > 1) {
                const gx_view *w = gx_view_of(m, ids[k]);
                if (w != v) {
                    v = w;
                    bound = gx_test_bind(m->run, v, axis, j->test, j->name);
                }
            }
            if (climb) {
                u32 i = ids[k] - v->base;
                if (i >= covered_to || e - b == 1)
                    covered_to = v->next[i];
                else if (!gx_is_attached(v, i))
                    continue;
                gx_fill_axis(v, axis, bound, ids[k], 0, &f);
            } else if (axis == GX_AXIS_CHILD)
                gx_fill_children(v, bound, ids[k] - v->base, &f);
            else if (j->setwise && e - b > 1)
                gx_fill_set(v, axis, bound, ids, b, e, k, j->chosen ? j->chosen[s] : 1, &f);
            else
                gx_fill_axis(v, axis, bound, ids[k], j->reverse, &f);
            if (f.n > f.cap)
                return gx_full(m);
            if (f.work >= GX_WORK_PER_LOOK / 16) {
                if (gx_watch_late(m, &watch, f.work))
                    return gx_watch_end(m, &watch);
                f.work = 0;
            }
        }
    }
    gx_watch_late(m, &watch, f.work);
    GX_TRY(gx_watch_end(m, &watch));
    j->off[j->n_seg] = f.n;
    *out = f.out;
    return gx_tmp(m, (u64)f.n * 4) ? GX_OK : gx_full(m);
}
#else
/*
 * gx_step for teams. It takes the first way that fits:
 *
 *   marks       one row with very many contexts: a byte a node (gx_step_marked)
 *   partition   one row with one context whose axis is long, or an axis that gives each context one node at most: the
 *               members share the candidates (gx_step_partitioned)
 *   single      rows with one context each, and one node at most for each (gx_step_single)
 *   pairs       anything else: the members share the contexts (gx_step_pairs)
 *
 * The first three bind the test once: they need one tree, or one context. *ordered: each row's nodes are in document
 * order already. j->off: the rows' or segments' offsets, perhaps in other memory than before. Fails with GX_EARENA,
 * GX_ETIME.
 */
GX_OP gx_status gx_step_by_team(gx_m *m, gx_step_job *j, u32 **out, int *ordered)
{
    const gx_v *in = j->in;
    const u32 axis = j->axis, n = in->n, pairs = gx_v_total(in), *ids = (const u32 *)in->data;
    const int some = (j->a & GX_STEP_SOME) && !j->per_context;
    const gx_view *v = m->run->views;
    u32 total = 0;
    int done = 0, single = 0;

    if (!j->reverse && n == 1 && pairs && (j->setwise || pairs == 1) && (!j->round || !j->round->most)) {
        const u32 first = j->chosen ? j->chosen[0] : 0;
        const gx_view *w = gx_view_of(m, ids[first]);
        const gx_bound_test bound = gx_test_bind(m->run, w, axis, j->test, j->name);
        if (j->setwise && !j->chosen)
            GX_TRY(gx_step_marked(m, w, axis, bound, ids, pairs, out, j->off, &done));
        *ordered = done;
        if (!done)
            GX_TRY(gx_step_partitioned(m, w, axis, bound, ids + first, j->chosen ? 1 : pairs, out, j->off, &done));
    }
    if (!done && !j->per_context && !in->off && pairs && gx_one_tree(m))
        GX_TRY(gx_step_single(m, v, axis, gx_test_bind(m->run, v, axis, j->test, j->name), ids, n, some, j->off, out,
                              &total, &single));
    if (done && !single)
        *ordered |= axis != GX_AXIS_PARENT;
    else if (!single)
        GX_TRY(gx_step_pairs(m, in, j->a, j->name, j->per_context, j->setwise, j->round, j->chosen, &j->off, out));
    return GX_OK;
}
#endif

/* gx_step() in general */
GX_OP_BIG gx_status gx_step_any(gx_m *m, gx_v *in, u32 a, u32 name, int per_context, const gx_rounds *round,
                                gx_v *out)
{
    const u32 axis = GX_STEP_AXIS(a), test = GX_STEP_TEST(a);
    gx_step_job j = { in, a, name, axis, test, per_context, 0, per_context && GX_AXIS_IS_REVERSE(axis), round, NULL,
                      per_context ? gx_v_total(in) : in->n, NULL };
    u32 *nodes = NULL;
    int ordered = 0;                    /* by the way it was made */

    if (!per_context && axis == GX_AXIS_SELF && test == GX_TEST_NODE) {
        *out = *in;
        return GX_OK;
    }
    j.setwise = !per_context && gx_step_is_setwise(m, axis, in);
    GX_TMP(m, j.off, u32, j.n_seg + 1);
    if (j.setwise && (axis == GX_AXIS_FOLLOWING || axis == GX_AXIS_PRECEDING)) {
        GX_TMP(m, j.chosen, u32, in->n);
        GX_TRY(gx_choose_contexts(m, &j, j.chosen));
    }
#if TEAM_IS_SOLO
    GX_TRY(gx_step_one_pass(m, &j, &nodes));
#else
    GX_TRY(gx_step_by_team(m, &j, &nodes, &ordered));
#endif
    *out = gx_v_make(per_context ? GX_V_CAND : GX_T_SET, in->n, nodes);
    out->off = j.off;
    if (per_context) {
        out->n_seg = j.n_seg;
        out->row = in->off;
        out->reverse = (u8)j.reverse;
        return GX_OK;
    }
    return ordered || !in->off || (a & GX_STEP_SORTED) ? GX_OK : gx_v_order(m, out);
}

/*
 * A location step (XPath 1.0, 2.1). in: a dense SET of n rows, its contexts. a, name: as GX_X_STEP's operands.
 *
 *   not per_context   *out: the SET of n rows that the step gives, in document order, each node once a row.
 *                     `self::node()` is `in` itself
 *   per_context       *out: CAND, a segment for each context, in axis order: predicates on positions follow
 *
 * round: NULL, or which candidates of each row's one context are looked for (ROUNDS). GX_STEP_SORTED in a is the
 * planner's word that rows come out in order, so they are not looked at; else gx_v_order() sorts what needs it.
 *
 * Cost: the nodes looked at. Of contexts in one tree an axis visits a node once or a few times, however they nest;
 * per_context, and of contexts in several trees, it is the sum over the contexts, square for axes such as preceding.
 * Complete for everyone. Fails with GX_EARENA, GX_ETIME.
 */
GX_OP gx_status gx_step(gx_m *m, gx_v *in, u32 a, u32 name, int per_context, const gx_rounds *round, gx_v *out)
{
#if TEAM_IS_SOLO
    const u32 axis = GX_STEP_AXIS(a), most = a & GX_STEP_SOME ? 1 : GX_STEP_MOST(a);

    const int one_each = !in->off || (in->n == 1 && in->off[0] == 0 && in->off[1] == 1);

    if (!per_context && one_each && GX_STEP_TEST(a) == GX_TEST_NAME && m->n_docs == 1
        && (axis == GX_AXIS_ATTRIBUTE || (axis == GX_AXIS_CHILD && !round && most <= 1)))
        return gx_step_of_each(m, in, axis, name, axis == GX_AXIS_CHILD && !most, out);
#endif
    return gx_step_any(m, in, a, name, per_context, round, out);
}

/* The step of rows that share lists (slices.h), on the lists: *made 0, the rows share none. From each node the step
 * leads to other nodes, in the nodes' order (gx_step_is_apart), so the nodes of a slice of `whole` are a slice of what
 * all of `whole` leads to. *out: SET of n rows with off and cnt. O(rows + nodes of the lists and of the step), where
 * row by row it would be rows x nodes. Fails as gx_step(). */
GX_OP_BIG gx_status gx_step_slices(gx_m *m, const gx_v *in, u32 a, u32 name, u32 n, gx_v *out, int *made)
{
    gx_slices s;
    gx_v whole, found;
    u32 *off, *cnt;

    GX_TRY(gx_slices_make(m, in, n, &s, made));
    if (!*made)
        return GX_OK;
    whole = gx_v_make(GX_T_SET, s.total, (void *)s.whole);
    GX_TRY(gx_step_any(m, &whole, a, name, 0, NULL, &found));          /* with offsets */
    GX_TMP(m, off, u32, n);
    GX_TMP(m, cnt, u32, n);
    TEAM_FOR(&m->t, r, n) {
        off[r] = found.off[s.at[r]];
        cnt[r] = found.off[s.at[r] + s.n[r]] - off[r];
    }
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, n, found.data);
    out->off = off;
    out->cnt = cnt;
    return GX_OK;
}

/* Does a step lead from each of several nodes to other nodes, in the nodes' order? */
GX_OP int gx_step_is_apart(u32 a)
{
    const u32 axis = GX_STEP_AXIS(a);

    return !(a & (GX_STEP_PREDS | GX_STEP_SOME)) && !GX_STEP_MOST(a) && a & GX_STEP_SORTED
        && (axis == GX_AXIS_ATTRIBUTE || axis == GX_AXIS_CHILD);
}

#endif
