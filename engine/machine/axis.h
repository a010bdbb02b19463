/* SPDX-License-Identifier: Apache-2.0 */
/*
 * axis.h -- node tests, and the nodes of an axis, of one context node or of a row's set
 *
 * Here one member works alone: it counts or writes the nodes of its own contexts (gx_fill). step.h distributes the
 * contexts.
 */
#ifndef GX_MACHINE_AXIS_H
#define GX_MACHINE_AXIS_H

#include "machine.h"
#include "nodes.h"

/* A node test bound to one document: test is one of GX_TEST_NAME, NODE, ANY, NS and PI after gx_test_bind(); kind is
 * the axis' principal node type (XPath 1.0, 2.3); label is the one label that passes, or for NS the label id that
 * stands for the namespace. */
typedef struct gx_bound_test { u8 test, kind; u16 pad; u32 label; } gx_bound_test;

/* A node test of the program as a test of this document's labels: what GX_TEST_NAME compares is a number of the view's
 * tables by name, GX_LABEL_NOTHING where the document has no such name. text(), comment() and the root have a label
 * each, so they become tests of a name, too, and a step compares one number a node. O(1), once a step and document. */
GX_OP gx_bound_test gx_test_bind(const gx_run *r, const gx_view *v, u32 axis, u32 test, u32 name)
{
    gx_bound_test b;

    (void)r;
    b.test = (u8)test;
    b.kind = axis == GX_AXIS_ATTRIBUTE ? GX_KIND_ATTR : axis == GX_AXIS_NAMESPACE ? GX_KIND_NS : GX_KIND_ELEM;
    b.pad = 0;
    b.label = 0;
    if (test == GX_TEST_NAME)
        b.label = b.kind == GX_KIND_ATTR ? v->attr[name] : b.kind == GX_KIND_NS ? v->nsnode[name] : v->elem[name];
    else if (test == GX_TEST_PI_NAME) {
        b.label = v->pi[name];
        b.test = GX_TEST_NAME;
    } else if (test == GX_TEST_NS)
        b.label = v->uri_test ? v->uri_test[name] : GX_NONE;
    else if (test == GX_TEST_TEXT) {
        b.label = GX_LABEL_TEXT;
        b.test = GX_TEST_NAME;
    } else if (test == GX_TEST_COMMENT) {
        b.label = GX_LABEL_COMMENT;
        b.test = GX_TEST_NAME;
    } else if (test == GX_TEST_ROOT) {
        b.label = GX_LABEL_ROOT;
        b.test = GX_TEST_NAME;
    }
    return b;
}

/* Does a node with this label pass the test? One comparison for a name. Attributes and namespace nodes are left out by
 * the axis, not here: node() passes them. */
GX_OP int gx_test_label(const gx_view *v, gx_bound_test b, u32 label)
{
    switch (b.test) {
    case GX_TEST_NAME: return label == b.label;
    case GX_TEST_NODE: return 1;
    case GX_TEST_ANY: return GX_LABEL_KIND(label) == b.kind;
    case GX_TEST_NS: return GX_LABEL_KIND(label) == b.kind && v->uri_of && v->uri_of[GX_LABEL_ID(label)] == b.label;
    case GX_TEST_PI: return GX_LABEL_KIND(label) == GX_KIND_PI;
    default: return 0;
    }
}
GX_OP int gx_test_node(const gx_view *v, gx_bound_test b, u32 node) { return gx_test_label(v, b, gx_label(v, node)); }

/* Attributes and namespace nodes stand between their element and its children, but are nobody's descendants. */
GX_OP int gx_is_attached(const gx_view *v, u32 i)
{
    return GX_IS_ATTACHED(GX_LABEL_KIND(v->label[i]));
}

/* first index position in [lo, hi) whose node is >= local id */
GX_OP u32 gx_index_lower(const u32 *index, u32 lo, u32 hi, u32 local)
{
    while (lo < hi) {
        u32 mid = lo + (hi - lo) / 2;
        if (index[mid] < local)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Where a fill goes: out == NULL counts only, and where it counts one node, that is one. enough: no more are asked for
 * than that n (GX_NONE: all). work: nodes looked at. after: of an axis in its own order, the node behind which it goes
 * on; NULL: from its beginning */
typedef struct gx_fill { u32 *out; u64 cap; u32 n, enough, one; u64 work; const u32 *after; } gx_fill;
/* Adds a node to f and returns 1 when f has enough. f->n also counts nodes beyond f->cap, which are not written: the
 * caller compares the two afterwards. */
GX_OP int gx_put(gx_fill *f, u32 node)      /* 1: that is enough */
{
    if (f->out && f->n < f->cap)
        f->out[f->n] = node;
    else
        f->one = node;
    return ++f->n >= f->enough;
}

/* The nodes with local ids from .. to - 1 in document order that pass the test and are neither attributes nor namespace
 * nodes. For a name: a binary search in the name's index, then one step for each node found; to count them, a second
 * search and no step. Any other test reads the label of each node of the range. f->work is an upper bound: what the
 * range may cost, counted before it is walked. */
GX_OP void gx_fill_range(const gx_view *v, gx_bound_test b, u32 from, u32 to, gx_fill *f)
{
    if (b.test == GX_TEST_NAME) {
        u32 lo, hi;
        if (b.label == GX_LABEL_NOTHING || from >= to)
            return;
        lo = v->index_start[GX_LABEL_ID(b.label)];
        hi = v->index_start[GX_LABEL_ID(b.label) + 1];
        lo = gx_index_lower(v->index, lo, hi, from);
        f->work += hi - lo;
        if (f->out) {
            while (lo < hi && v->index[lo] < to && !gx_put(f, v->index[lo] + v->base))
                lo++;
        } else {
            hi = gx_index_lower(v->index, lo, hi, to);
            if (lo < hi)
                f->one = v->index[lo] + v->base;
            f->n += hi - lo;
        }
        return;
    }
    if (from == 0 && b.test == GX_TEST_NODE && from < to) {
        if (gx_put(f, v->base))
            return;
        from = 1;
    }
    f->work += to > from ? to - from : 0;
    for (u32 i = from; i < to; i++) {
        u32 kind = GX_LABEL_KIND(v->label[i]);
        if (!GX_IS_ATTACHED(kind) && gx_test_label(v, b, v->label[i]) && gx_put(f, i + v->base))
            return;
    }
}

/* The children of node i (a row of the view) that pass the test, in document order, into f, which counts them, or
 * writes them and says when it has enough. f->after: only those behind that child. Of a name, after 12 children that
 * were hopped over, the rest of the name's index is read instead where that is less than an eighth of what is left.
 * O(children), or O(log nodes + nodes of the name below i). */
GX_OP void gx_fill_children(const gx_view *v, gx_bound_test b, u32 i, gx_fill *f)
{
    const u32 end = v->next[i];
    u32 c = f->after ? v->next[*f->after - v->base] : i + 1, hops = 0;

    if (b.test == GX_TEST_NAME && b.label == GX_LABEL_NOTHING)
        return;
    f->work++;
    if (b.test != GX_TEST_NAME) {
        for (; c < end; c = v->next[c], f->work++) {
            const u32 label = v->label[c];
            if (!GX_IS_ATTACHED(GX_LABEL_KIND(label)) && gx_test_label(v, b, label) && gx_put(f, c + v->base))
                return;
        }
        return;
    }
    const u32 *const next = v->next, *const label = v->label;
    for (; c < end; c = next[c], hops++) {      /* attributes have other labels */
        if (label[c] == b.label && gx_put(f, c + v->base))
            break;
        if (hops == 12 && end - c > 64) {
            /* many children or deep ones: the name's index range, when that is shorter than what is left to walk */
            const u32 from = v->next[c], hi0 = v->index_start[GX_LABEL_ID(b.label) + 1];
            u32 lo = gx_index_lower(v->index, v->index_start[GX_LABEL_ID(b.label)], hi0, from);
            const u32 hi = gx_index_lower(v->index, lo, hi0, end);
            if (hi - lo < (end - from) / 8) {
                f->work += hi - lo;
                for (; lo < hi; lo++)
                    if (v->parent[v->index[lo]] == i && gx_put(f, v->index[lo] + v->base))
                        break;
                break;
            }
        }
    }
    f->work += hops;
}

/* The sibling before i, which is not the first: i - 1 is the end of its subtree */
GX_OP u32 gx_previous(const gx_view *v, u32 i)
{
    const u32 p = v->parent[i];
    u32 q = i - 1;

    while (v->parent[q] != p)
        q = v->parent[q];
    return q;
}

/* gx_fill_axis of the preceding axis: node i of the view, from `from` on backwards, in the tree that begins at root.
 * Cost: of a name its nodes before i; else all nodes before i. */
GX_OP void gx_fill_preceding(const gx_view *v, gx_bound_test b, u32 i, u32 from, u32 root, int reverse, gx_fill *f)
{
    u32 kind;
    if (b.test == GX_TEST_NAME) {
        u32 lo, hi;
        if (b.label == GX_LABEL_NOTHING)
            return;
        lo = v->index_start[GX_LABEL_ID(b.label)];
        hi = gx_index_lower(v->index, lo, v->index_start[GX_LABEL_ID(b.label) + 1], from);
        lo = gx_index_lower(v->index, lo, hi, root);
        for (u32 k = 0; k < hi - lo; k++) {
            const u32 q = v->index[reverse ? hi - 1 - k : lo + k];
            f->work++;
            if (v->next[q] <= i && gx_put(f, q + v->base))          /* else an ancestor */
                return;
        }
    } else if (reverse) {
        u32 anc = v->parent[i];
        while (anc != GX_NONE && anc >= from)
            anc = v->parent[anc];
        for (u32 q = from; q-- > root; f->work++) {
            if (q == anc) {
                anc = v->parent[q];
                continue;
            }
            kind = GX_LABEL_KIND(v->label[q]);
            if (!GX_IS_ATTACHED(kind) && gx_test_label(v, b, v->label[q]) && gx_put(f, q + v->base))
                return;
        }
    } else
        for (u32 q = root; q < i; q++, f->work++) {
            kind = GX_LABEL_KIND(v->label[q]);
            if (v->next[q] <= i && !GX_IS_ATTACHED(kind) && gx_test_label(v, b, v->label[q])
                && gx_put(f, q + v->base))
                return;
        }
}

/*
 * The nodes of one context's axis (XPath 1.0, 2.2) that pass the test, into f: in document order, and for a reverse
 * axis in axis order when `reverse`.
 *
 * Ids are positions in document order and a subtree is i .. next[i] - 1, so descendant and following are ranges.
 * Attributes and namespace nodes stand directly behind their element; next[] leads from a sibling to the next one. Two
 * axes have no direction of their own in the columns: siblings before a node are found by gx_previous(), which climbs
 * from the node before, and ancestors come last one first, so in document order they are counted and then written from
 * the back.
 *
 * f->after makes child, descendant, following, preceding and the sibling axes go on behind that node (ROUNDS); the
 * other axes have few nodes and ignore it.
 *
 * Cost: attributes of the element; siblings on one side (preceding-sibling in document order: from the first child);
 * depth for ancestors; else as gx_fill_range() and gx_fill_preceding(). Does not fail; see gx_put().
 */
GX_OP_BIG void gx_fill_axis(const gx_view *v, u32 axis, gx_bound_test b, u32 node, int reverse, gx_fill *f)
{
    u32 i = node - v->base, kind, p;
    u32 root;
    const u32 from = f->after ? *f->after - v->base : i;

    switch (axis) {
    case GX_AXIS_SELF:
        if (gx_test_label(v, b, v->label[i]))
            gx_put(f, node);
        return;
    case GX_AXIS_CHILD:
        gx_fill_children(v, b, i, f);
        return;
    case GX_AXIS_DESCENDANT_OR_SELF:
        if (gx_test_label(v, b, v->label[i]) && gx_put(f, node))
            return;
        gx_fill_range(v, b, i + 1, v->next[i], f);
        return;
    case GX_AXIS_DESCENDANT:
        gx_fill_range(v, b, from + 1, v->next[i], f);
        return;
    case GX_AXIS_ATTRIBUTE:
    case GX_AXIS_NAMESPACE:
        if (GX_LABEL_KIND(v->label[i]) != GX_KIND_ELEM)
            return;
        for (u32 a = i + 1, end = v->next[i]; a < end; a++) {
            kind = GX_LABEL_KIND(v->label[a]);
            if (!GX_IS_ATTACHED(kind))
                return;
            if (kind == (axis == GX_AXIS_ATTRIBUTE ? GX_KIND_ATTR : GX_KIND_NS) && gx_test_label(v, b, v->label[a])
                && gx_put(f, a + v->base))
                return;
        }
        return;
    case GX_AXIS_FOLLOWING:
        root = gx_root_of(v, node) - v->base;
        gx_fill_range(v, b, f->after ? from + 1 : v->next[i], v->next[root], f);
        return;
    case GX_AXIS_FOLLOWING_SIBLING:
        kind = GX_LABEL_KIND(v->label[i]);
        if (GX_IS_ATTACHED(kind) || v->parent[i] == GX_NONE)
            return;
        for (u32 s = v->next[from], end = v->next[v->parent[i]]; s < end; s = v->next[s], f->work++)
            if (gx_test_label(v, b, v->label[s]) && gx_put(f, s + v->base))
                return;
        return;
    case GX_AXIS_PARENT:
        if (v->parent[i] != GX_NONE && gx_test_label(v, b, v->label[v->parent[i]]))
            gx_put(f, v->parent[i] + v->base);
        return;
    case GX_AXIS_ANCESTOR:
    case GX_AXIS_ANCESTOR_OR_SELF:
        p = axis == GX_AXIS_ANCESTOR ? v->parent[i] : i;
        f->work += v->depth[i];
        if (reverse || f->enough != GX_NONE) {
            for (; p != GX_NONE; p = v->parent[p])
                if (gx_test_label(v, b, v->label[p]) && gx_put(f, p + v->base))
                    return;
        } else {                        /* count, then from the back */
            u32 n = 0, at;
            for (u32 q = p; q != GX_NONE; q = v->parent[q])
                if (gx_test_label(v, b, v->label[q])) {
                    f->one = q + v->base;
                    n++;
                }
            at = f->n += n;
            if (f->out && at <= f->cap)
                for (; p != GX_NONE; p = v->parent[p])
                    if (gx_test_label(v, b, v->label[p]))
                        f->out[--at] = p + v->base;
        }
        return;
    case GX_AXIS_PRECEDING:
        gx_fill_preceding(v, b, i, from, gx_root_of(v, node) - v->base, reverse, f);
        return;
    case GX_AXIS_PRECEDING_SIBLING:
        kind = GX_LABEL_KIND(v->label[i]);
        if (GX_IS_ATTACHED(kind) || v->parent[i] == GX_NONE)
            return;
        p = gx_first_child(v, v->parent[i] + v->base) - v->base;
        if (reverse) {
            i = from;
            while (i > p) {
                i = gx_previous(v, i);
                f->work++;
                if (gx_test_label(v, b, v->label[i]) && gx_put(f, i + v->base))
                    return;
            }
        } else
            for (u32 s = p; s < i; s = v->next[s], f->work++)
                if (gx_test_label(v, b, v->label[s]) && gx_put(f, s + v->base))
                    return;
        return;
    }
}

/* The attribute of a name: an element has at most one, what is no element none. Namespace nodes and others may stand
 * before it. */
GX_OP u32 gx_attribute_of(const gx_view *v, u32 label, u32 node)
{
    const u32 i = node - v->base;

    if (GX_LABEL_KIND(v->label[i]) != GX_KIND_ELEM)
        return GX_NONE;
    for (u32 a = i + 1, end = v->next[i]; a < end && gx_is_attached(v, a); a++)
        if (v->label[a] == label)
            return a + v->base;
    return GX_NONE;
}

/* Is id among set[lo .. hi) (ascending)? */
GX_OP int gx_ids_have(const u32 *set, u32 lo, u32 hi, u32 id)
{
    lo = gx_index_lower(set, lo, hi, id);
    return lo < hi && set[lo] == id;
}

/*
 * What context k of the row's contexts ids[b .. e) (document order, no duplicates, all of one tree) adds to the row's
 * result. Over all k each node of the row's step is added, some more than once (a parent of contexts that are not
 * adjacent): gx_v_order() sorts, and drops what is there twice. chosen: for following and preceding, the place of the
 * one context that counts (gx_choose_context); for descendant, 1 when k is in no other context's subtree.
 *
 * Each k looks only at contexts near its own, so members can take them in any order. Cost: what it adds; for ancestors
 * the climb to where the context before is met; for siblings a walk to the nearest context among them, and a binary
 * search in ids for each sibling that has contexts inside.
 */
GX_OP_BIG void gx_fill_set(const gx_view *v, u32 axis, gx_bound_test t, const u32 *ids, u32 b, u32 e, u32 k, u32 chosen,
                           gx_fill *f)
{
    u32 node = ids[k], i = node - v->base, kind, p;

    switch (axis) {
    case GX_AXIS_DESCENDANT:
    case GX_AXIS_DESCENDANT_OR_SELF:
        if (chosen)
            gx_fill_axis(v, axis, t, node, 0, f);
        return;
    case GX_AXIS_FOLLOWING:
    case GX_AXIS_PRECEDING:
        if (k == chosen)
            gx_fill_axis(v, axis, t, node, 0, f);
        return;
    case GX_AXIS_ANCESTOR:
    case GX_AXIS_ANCESTOR_OR_SELF: {
        /* An ancestor at or before the previous context is an ancestor-or-self of it: everything above has been added.
         * Added in reverse order; the caller sorts. */
        u32 before = k > b ? ids[k - 1] - v->base : GX_NONE;
        for (p = axis == GX_AXIS_ANCESTOR ? v->parent[i] : i; p != GX_NONE; p = v->parent[p], f->work++) {
            if (before != GX_NONE && p <= before) {
                /* p < before: p holds both contexts, so it was added with `before`. p == before: it is nobody's
                 * ancestor so far */
                if (p == before && axis == GX_AXIS_ANCESTOR && gx_test_label(v, t, v->label[p]))
                    gx_put(f, p + v->base);
                return;
            }
            if (gx_test_label(v, t, v->label[p]) && gx_put(f, p + v->base))
                return;
        }
        return;
    }
    case GX_AXIS_FOLLOWING_SIBLING:
        kind = GX_LABEL_KIND(v->label[i]);
        if (GX_IS_ATTACHED(kind) || v->parent[i] == GX_NONE)
            return;
        for (u32 s = v->next[i], end = v->next[v->parent[i]], at = k + 1; s < end; s = v->next[s], f->work++) {
            if (gx_test_label(v, t, v->label[s]) && gx_put(f, s + v->base))
                return;
            for (; at < e && ids[at] < s + v->base; f->work++)  /* contexts inside the sibling before */
                at++;
            if (at < e && ids[at] == s + v->base)
                return;
        }
        return;
    case GX_AXIS_PRECEDING_SIBLING: {
        u32 first, from;
        kind = GX_LABEL_KIND(v->label[i]);
        if (GX_IS_ATTACHED(kind) || v->parent[i] == GX_NONE)
            return;
        from = first = gx_first_child(v, v->parent[i] + v->base) - v->base;
        /* Start at the nearest sibling that is a context: it has added those before it. Contexts inside a sibling that
         * is none are skipped together. */
        for (u32 at = k; at > b && ids[at - 1] - v->base >= first; f->work++) {
            u32 q = ids[at - 1] - v->base;
            while (q != GX_NONE && v->parent[q] != v->parent[i])
                q = v->parent[q];
            if (q == GX_NONE || q >= i)         /* only a damaged program's contexts are not in order */
                break;
            at = gx_index_lower(ids, b, at - 1, q + v->base);
            if (ids[at] == q + v->base) {
                from = q;
                break;
            }
        }
        for (u32 s = from; s < i; s = v->next[s], f->work++)
            if (gx_test_label(v, t, v->label[s]) && gx_put(f, s + v->base))
                return;
        return;
    }
    case GX_AXIS_PARENT:
        /* contexts after one another mostly have the same parent */
        p = v->parent[i];
        if (p == GX_NONE || (k > b && v->parent[ids[k - 1] - v->base] == p))
            return;
        if (gx_test_label(v, t, v->label[p]))
            gx_put(f, p + v->base);
        return;
    default:
        gx_fill_axis(v, axis, t, node, 0, f);
    }
}

/* The place in ids of the context whose axis is that of all: preceding of the last context holds preceding of every
 * other one, and following of the context whose subtree ends first holds the others'. Else b. O(1) for preceding, O(e -
 * b) for following. */
GX_OP u32 gx_choose_context(const gx_m *m, u32 axis, const u32 *ids, u32 b, u32 e)
{
    u32 best = b;

    if (axis == GX_AXIS_PRECEDING)
        return e - 1;
    if (axis == GX_AXIS_FOLLOWING)
        for (u32 k = b; k < e; k++) {
            const gx_view *v = gx_view_of(m, ids[k]);
            if (gx_next(v, ids[k]) < gx_next(gx_view_of(m, ids[best]), ids[best]))
                best = k;
        }
    return best;
}

/* Is context k a descendant of another context of its row? Then its descendants are that one's, and it adds nothing. An
 * attribute is never covered: it is nobody's descendant. mark: the row's contexts, a byte a node, or NULL: each
 * ancestor is looked up in ids by halving. O(depth), or O(depth x log contexts). */
GX_OP int gx_context_covered(const gx_view *v, const u32 *ids, u32 b, u32 k, const u8 *mark)
{
    if (gx_is_attached(v, ids[k] - v->base))
        return 0;
    for (u32 p = v->parent[ids[k] - v->base]; k > b && p != GX_NONE && p + v->base >= ids[b]; p = v->parent[p])
        if (mark ? mark[p] : gx_ids_have(ids, b, k, p + v->base))
            return 1;
    return 0;
}

/* Do all nodes of the run belong to one tree? Set-wise steps compare ids across contexts, which means something only
 * there. */
GX_OP int gx_one_tree(const gx_m *m) { return m->n_docs == 1 && m->run->views[0].n_roots == 1; }

#endif
