/*
 * step.h -- location steps, set at a time
 *
 * A step takes for each row a set of context nodes and makes the set of nodes on the axis that pass the node test.
 *
 * Without predicates that look at positions a row's contexts are taken together ("set-wise"), so that no node is visited twice
 * and following/preceding/descendant of a big set cost one pass, not one a context (Peters 2011, 4.3: minima and maxima):
 *   descendant           contexts that are an earlier one's descendants add nothing: skipped
 *   following            only the context whose subtree ends first counts
 *   preceding            only the last context counts
 *   ancestor             a context adds only what the one before it did not: climbing stops where they meet
 *   following-sibling    a context adds the siblings up to the next context among them
 *   preceding-sibling    likewise towards the front, found from the context before
 * With positional predicates each context has its own candidates in axis order (a segment); STEP_END merges them.
 *
 * Names: a node test is one compare of labels. descendant::x is a range of the name index (two binary searches); child::x
 * walks the siblings of small subtrees and takes the index range of large ones, filtered by parent.
 */
#ifndef GX_OP_STEP_H
#define GX_OP_STEP_H

#include "machine.h"

/* A node test bound to one document. */
typedef struct gx_bound_test { u8 test, kind; u16 pad; u32 label; } gx_bound_test;

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

/* Where a fill goes: out == NULL counts only, and where it counts one node, that is one. enough: no more are asked for than that n (GX_NONE: all).
 * work: nodes looked at. after: of an axis in its own order, the node behind which it goes on; NULL: from its beginning */
typedef struct gx_fill { u32 *out; u64 cap; u32 n, enough, one; u64 work; const u32 *after; } gx_fill;
GX_OP int gx_put(gx_fill *f, u32 node)      /* 1: that is enough */
{
    if (f->out && f->n < f->cap)
        f->out[f->n] = node;
    else
        f->one = node;
    return ++f->n >= f->enough;
}

/* Nodes of the axis from local id `from` to `to` (exclusive) in document order that are neither attributes nor namespaces. */
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

GX_OP void gx_fill_children(const gx_view *v, gx_bound_test b, u32 i, gx_fill *f)
{
    u32 end = v->next[i], c = f->after ? v->next[*f->after - v->base] : i + 1, hops = 0;

    if (b.test == GX_TEST_NAME && b.label == GX_LABEL_NOTHING)
        return;
    f->work++;
    while (c < end) {
        u32 label = v->label[c], kind = GX_LABEL_KIND(label);
        if (GX_IS_ATTACHED(kind)) {
            c++;
            continue;
        }
        if (b.test == GX_TEST_NAME && ++hops == 13 && end - c > 64) {
            /* many children or deep ones: the name's index range, when that is shorter than what is left to walk */
            u32 hi0 = v->index_start[GX_LABEL_ID(b.label) + 1];
            u32 lo = gx_index_lower(v->index, v->index_start[GX_LABEL_ID(b.label)], hi0, c);
            u32 hi = gx_index_lower(v->index, lo, hi0, end);
            if (hi - lo < (end - c) / 8) {
                f->work += hi - lo;
                for (; lo < hi; lo++)
                    if (v->parent[v->index[lo]] == i && gx_put(f, v->index[lo] + v->base))
                        return;
                return;
            }
        }
        if (gx_test_label(v, b, label) && gx_put(f, c + v->base))
            return;
        f->work++;
        c = v->next[c];
    }
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

/* The axis of one context node in document order (axis order for reverse axes when `reverse`). */
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
        root = gx_root_of(v, node) - v->base;
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

/* The attribute of a name: an element has at most one, what is no element none. Namespace nodes and others may stand before it. */
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
 * What context k of the row's contexts ids[b .. e) (document order, no duplicates, all of one tree) adds to the row's result.
 * chosen: following, preceding: the context that counts; descendant: 1 when k is in no other context's subtree.
 */
GX_OP_BIG void gx_fill_set(const gx_view *v, u32 axis, gx_bound_test t, const u32 *ids, u32 b, u32 e, u32 k, u32 chosen, gx_fill *f)
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
        /* An ancestor at or before the previous context is an ancestor-or-self of it: everything above has been added. Added in
         * reverse order; the caller sorts. */
        u32 before = k > b ? ids[k - 1] - v->base : GX_NONE;
        for (p = axis == GX_AXIS_ANCESTOR ? v->parent[i] : i; p != GX_NONE; p = v->parent[p], f->work++) {
            if (before != GX_NONE && p <= before) {
                /* p < before: p holds both contexts, so it was added with `before`. p == before: it is nobody's ancestor so far */
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
        u32 from;
        kind = GX_LABEL_KIND(v->label[i]);
        if (GX_IS_ATTACHED(kind) || v->parent[i] == GX_NONE)
            return;
        from = gx_first_child(v, v->parent[i] + v->base) - v->base;
        if (k > b && ids[k - 1] - v->base >= from) {
            /* start at the previous context among the siblings: climb from the previous context to this level */
            u32 q = ids[k - 1] - v->base;
            while (q != GX_NONE && v->parent[q] != v->parent[i])
                q = v->parent[q];
            if (q != GX_NONE && q < i && gx_ids_have(ids, b, k, q + v->base))
                from = q;
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

/* The `chosen` argument of gx_fill_set for following and preceding. */
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

/* Is context k a descendant of another context of its row? mark: the row's contexts by node, or NULL */
GX_OP int gx_context_covered(const gx_view *v, const u32 *ids, u32 b, u32 k, const u8 *mark)
{
    if (gx_is_attached(v, ids[k] - v->base))
        return 0;
    for (u32 p = v->parent[ids[k] - v->base]; k > b && p != GX_NONE && p + v->base >= ids[b]; p = v->parent[p])
        if (mark ? mark[p] : gx_ids_have(ids, b, k, p + v->base))
            return 1;
    return 0;
}

GX_OP int gx_one_tree(const gx_m *m) { return m->n_docs == 1 && m->run->views[0].n_roots == 1; }

/* ---- sets as marks ---- */

/* A byte a node costs what a few looks at each of so many ids cost, or less. */
GX_OP int gx_marks_pay(const gx_m *m, u32 ids) { return ids >= 16 && ids >= m->run->n_nodes / 64; }

/* *mark: a byte a node, zero for everyone after the next team_sync */
GX_OP gx_status gx_marks_make(gx_m *m, u8 **mark)
{
    const u32 n = m->run->n_nodes;

    GX_TMP(m, *mark, u8, n);
    TEAM_FOR(&m->t, i, (n + 15) / 16)
        gx_zero(*mark + (u64)i * 16, 16);
    return GX_OK;
}
typedef struct gx_marked { const u8 *mark; } gx_marked;
GX_OP gx_seen gx_see_mark(const void *ctx, size_t k) { return (gx_seen){ ((const gx_marked *)ctx)->mark[k], 0 }; }
GX_OP u32 gx_find_mark(const void *ctx, size_t k, gx_seen s) { (void)ctx; return gx_id_if(s.x != 0, (u32)k); }
GX_OP gx_seen gx_see_id(const void *ids, size_t k) { return (gx_seen){ ((const u32 *)ids)[k], 0 }; }
GX_OP u32 gx_find_id(const void *ids, size_t k, gx_seen s) { (void)ids; (void)k; return s.x; }
GX_COMPACTION(GX_OP_BIG, gx_compact_marks, gx_marked, gx_see_mark, gx_find_mark, gx_id_same)
GX_OP_BIG void gx_mark_ids(gx_m *m, const u32 *ids, u32 n, u32 base, u8 *mark) { team_mark(&m->t, n, gx_see_id, gx_find_id, ids, base, mark); }

/* ---- document order ---- */

GX_OP void gx_sort_ids(u32 *a, u32 n)          /* heap sort: no extra memory, no recursion, no bad case */
{
    if (n < 24) {
        for (u32 i = 1; i < n; i++) {
            u32 x = a[i], j = i;
            for (; j && a[j - 1] > x; j--)
                a[j] = a[j - 1];
            a[j] = x;
        }
        return;
    }
    for (u32 k = n / 2 + n; k-- > 1;) {
        u32 root, end, x;
        if (k >= n) {                   /* build the heap */
            root = k - n;
            end = n;
            x = a[root];
        } else {                        /* take the largest off */
            x = a[k];
            a[k] = a[0];
            root = 0;
            end = k;
        }
        for (;;) {
            u32 child = 2 * root + 1;
            if (child >= end)
                break;
            if (child + 1 < end && a[child + 1] > a[child])
                child++;
            if (a[child] <= x)
                break;
            a[root] = a[child];
            root = child;
        }
        a[root] = x;
    }
}

/*
 * Puts each row's ids into document order and drops duplicates; v is a dense SET whose arrays are scratch of this instruction.
 * Rows that are in order already cost one look. A row that is a good part of the document is sorted by marking nodes.
 */
GX_OP_BIG gx_status gx_v_order(gx_m *m, gx_v *v)
{
    u32 *ids = (u32 *)v->data, *off = (u32 *)v->off, *cnt, *out, n = v->n, total = 0, bad = 0;

    if (!off)
        return GX_OK;
#if TEAM_IS_SOLO
    for (u32 i = 0; i < n; i++)
        for (u32 k = off[i] + 1; k < off[i + 1]; k++)
            if (ids[k - 1] >= ids[k]) {
                bad = 1;
                break;
            }
#else
    const u32 first = off[0];
    TEAM_FOR(&m->t, k1, off[n] - first) {
        const u32 k = first + k1;
        if (k1 && ids[k - 1] >= ids[k])
            bad |= off[gx_row_of(off, n, k)] != k;      /* a row's first */
    }
#endif
    if (!team_any(&m->t, bad))
        return GX_OK;
    GX_TMP(m, cnt, u32, n + 1);
    total = off[n];
    if (n == 1 && total > (TEAM_IS_SOLO ? m->run->n_nodes / 32 : 1024)) {       /* mark, then collect */
        u8 *mark;
        GX_TRY(gx_marks_make(m, &mark));
        team_sync(&m->t);
        gx_mark_ids(m, ids, total, 0, mark);
        team_sync(&m->t);
        const gx_marked marks = { mark };
        GX_TRY(gx_compact_marks(m, m->run->n_nodes, &marks, &out, &total, cnt));
        v->data = out;
        v->off = cnt;
        return GX_OK;
    }
    TEAM_FOR(&m->t, i2, n) {
        u32 b = off[i2], e = off[i2 + 1], w = b;
        gx_sort_ids(ids + b, e - b);
        for (u32 k = b; k < e; k++)
            if (k == b || ids[k] != ids[k - 1])
                ids[w++] = ids[k];
        cnt[i2] = w - b;
    }
    GX_TRY(gx_scan(m, cnt, n, &total));
    GX_TMP(m, out, u32, total);
    TEAM_FOR(&m->t, i3, n)
        for (u32 k = cnt[i3], from = off[i3]; k < cnt[i3 + 1]; k++, from++)
            out[k] = ids[from];
    team_sync(&m->t);
    v->data = out;
    v->off = cnt;
    return GX_OK;
}

/* ---- the step ---- */

/* rows[p] := the row of pair p */
GX_OP gx_status gx_pair_rows(gx_m *m, const gx_v *v, u32 **rows)
{
    u32 *r;

    GX_TMP(m, r, u32, gx_v_total(v));
    if (v->off)
        gx_expand_rows(m, v->off, v->n, r);
    else {
        TEAM_FOR(&m->t, i, v->n)
            r[i] = i;
        team_sync(&m->t);
    }
    *rows = r;
    return GX_OK;
}

#if !TEAM_IS_SOLO
/*
 * An axis that is a range of ids, or of the name index, of which a filter lets some pass: what many members can share one context's
 * nodes by. A node passes the test if its label's bits in mask are label's (not for GX_TEST_NS).
 */
typedef struct gx_extent {
    const gx_view *v;
    const u32 *labels, *parents, *nexts;        /* v's: what stands behind a pointer must be loaded again after each store */
    const u32 *index;                   /* candidate k is index[k]; NULL: from + k */
    const u32 *ids;                     /* gx_find_self and its like: contexts */
    const u8 *mark;                     /* gx_find_marked and its like: by node */
    u32 base;                           /* v's: an id is not to wait for a load that nobody needs but for it */
    u32 axis, i, from, n;               /* i: the context, for child and preceding */
    u32 mask, label;
    gx_bound_test t;
} gx_extent;

/* 0: no such axis, or an attribute's or namespace node's. */
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

/* r's node test; its columns */
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
GX_OP gx_seen gx_see_parent(const void *ctx, size_t k) { GX_R; return (gx_seen){ r->labels[r->from + k], r->parents[r->from + k] }; }
GX_OP gx_seen gx_see_next(const void *ctx, size_t k) { GX_R; return (gx_seen){ r->labels[r->from + k], r->nexts[r->from + k] }; }
GX_OP gx_seen gx_see_marked(const void *ctx, size_t k) { GX_R; return (gx_seen){ r->labels[k], r->mark[k] }; }
GX_OP gx_seen gx_see_index(const void *ctx, size_t k) { GX_R; return (gx_seen){ r->index[k], 0 }; }
GX_OP gx_seen gx_see_context(const void *ctx, size_t k) { GX_R; return (gx_seen){ r->ids[k], 0 }; }

/* What candidates are that a test let pass; gx_find_id: contexts */
GX_OP u32 gx_id_from(const void *ctx, size_t k, gx_seen s) { GX_R; (void)s; return r->from + (u32)k + r->base; }
GX_OP u32 gx_id_index(const void *ctx, size_t k, gx_seen s) { GX_R; return s.x + r->base; }

/* Candidates of a range: one a function, so that nothing but its loads is in the loop, and without branches (& instead of &&), so that
 * those of a tile are under way together: a compiler moves a load behind the branch that wants it */
GX_OP u32 gx_find_label(const void *ctx, size_t k, gx_seen s) { GX_R; return gx_id_if(gx_extent_label(r, s.x), r->from + (u32)k + r->base); }
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
GX_OP u32 gx_find_child_index(const void *ctx, size_t k, gx_seen s) { GX_R; return gx_id_if(r->parents[s.x] == r->i, s.x + r->base); }
GX_OP u32 gx_find_before_index(const void *ctx, size_t k, gx_seen s) { GX_R; return gx_id_if(r->nexts[s.x] <= r->i, s.x + r->base); }
/* Candidates that are contexts, or stand for one */
GX_OP u32 gx_find_self(const void *ctx, size_t k, gx_seen s) { GX_R; return gx_id_if(gx_extent_label(r, r->labels[s.x - r->base]), s.x); }
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
GX_OP u32 gx_find_any_attribute(const void *ctx, size_t k, gx_seen s)   /* the first: attributes follow their element; namespace nodes may be between */
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
GX_OP u32 gx_find_marked(const void *ctx, size_t k, gx_seen s) { GX_R; return gx_id_if((s.y != 0) & gx_extent_label(r, s.x), (u32)k + r->base); }
GX_OP u32 gx_find_below(const void *ctx, size_t k, gx_seen s)
{
    GX_R;
    const u32 mark = r->mark[s.y == GX_NONE ? 0 : s.y];
    return gx_id_if((mark != 0) & (s.y != GX_NONE) & gx_extent_label(r, s.x), (u32)k + r->base);
}
GX_OP u32 gx_find_below_index(const void *ctx, size_t k, gx_seen s)
{
    GX_R;
    const u32 p = r->parents[s.x], mark = r->mark[p == GX_NONE ? 0 : p];      /* the root's too: programs are not to be trusted */
    return gx_id_if((mark != 0) & (p != GX_NONE), s.x + r->base);
}

/* Children or attributes that pass the test, as their parents; contexts that are marked */
GX_OP u32 gx_find_with(const void *ctx, size_t k, gx_seen s) { GX_R; return gx_id_if((s.y != GX_NONE) & gx_extent_label(r, s.x), s.y + r->base); }
GX_OP u32 gx_find_with_index(const void *ctx, size_t k, gx_seen s)
{
    GX_R;
    const u32 p = r->parents[s.x];
    return gx_id_if(p != GX_NONE, p + r->base);
}
GX_OP u32 gx_find_context(const void *ctx, size_t k, gx_seen s) { GX_R; return gx_id_if(r->mark[s.x - r->base] != 0, s.x); }

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
 * name(m, count, r, some, off, &out, &total): for each k < count the id that find gives, if any; off: how many before it; some: if it is only
 * asked whether there is one, any id will do.
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
 * Rows of one context each, and an axis that gives it one node at most, or of which one is enough (some): *one 0: no such step. off: n + 1
 * entries; the rows' offsets on return. One tree. Which of so many contexts have a child or attribute, these mark.
 */
GX_OP_ONCE gx_status gx_step_single(gx_m *m, const gx_view *v, u32 axis, gx_bound_test t, const u32 *ids, u32 n, int some, u32 *off, u32 **out, u32 *total, int *one)
{
    const int any = axis == GX_AXIS_ATTRIBUTE && t.test != GX_TEST_NAME, below = some && (axis == GX_AXIS_CHILD || axis == GX_AXIS_ATTRIBUTE) && gx_marks_pay(m, n);
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
            gx_mark_with_index(m, v->index_start[GX_LABEL_ID(t.label) + 1] - v->index_start[GX_LABEL_ID(t.label)], &r, mark);
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
 * One row's step from so many contexts that a byte a node is worth it: marks for the contexts, or for what they lead to, and then the nodes,
 * or those of the name, in their order. off: the row's offsets. *wide 0: no such axis, or too few. One tree.
 */
GX_OP_ONCE gx_status gx_step_marked(gx_m *m, const gx_view *v, u32 axis, gx_bound_test t, const u32 *ids, u32 pairs, u32 **out, u32 *off, int *wide)
{
    const int up = axis == GX_AXIS_PARENT || axis == GX_AXIS_ANCESTOR || axis == GX_AXIS_ANCESTOR_OR_SELF;
    u32 n;
    u8 *mark;

    *wide = 0;
    if (t.test == GX_TEST_NS || !gx_marks_pay(m, pairs))
        return GX_OK;
    if (!up && axis != GX_AXIS_CHILD && axis != GX_AXIS_ATTRIBUTE)
        return GX_OK;
    *wide = 1;
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
            for (u32 p = axis == GX_AXIS_ANCESTOR ? v->parent[ids[k] - v->base] : ids[k] - v->base; p != GX_NONE && !TEAM_LOAD(&mark[p]); p = v->parent[p])
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
        const u32 first = v->index_start[GX_LABEL_ID(t.label)], named = v->index_start[GX_LABEL_ID(t.label) + 1] - first;
        r.index = v->index + first;
        GX_TRY(gx_compact_below_index(m, named, &r, out, &n, off));
    }
    return GX_OK;
}

/*
 * One row's step that all members take together, its nodes in k's order: one context's axis that is a range and not too short to be
 * worth it (ids: it alone), or an axis that gives one node a context (ids: all of the row's). off: the row's offsets. *wide 0: no such step.
 */
GX_OP_ONCE gx_status gx_step_wide(gx_m *m, const gx_view *v, u32 axis, gx_bound_test t, const u32 *ids, u32 pairs, u32 **out, u32 *off, int *wide)
{
    gx_extent r;
    u32 n;

    *wide = 0;
    if (t.test == GX_TEST_NS)
        return GX_OK;
    if (axis == GX_AXIS_SELF || axis == GX_AXIS_PARENT || (axis == GX_AXIS_ATTRIBUTE && t.test == GX_TEST_NAME)) {
        r = gx_extent_by(v, axis, t, ids);
        *wide = 1;
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
    *wide = 1;
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
 * Contexts whose nodes are too many for one member ("heavy"), by all members: their ranges one behind the other are one column of
 * candidates. mark: by context; pair, from, off: by heavy context; row, keep: by candidate.
 */
#define GX_HEAVY_RANGE 512u
#define GX_HEAVY_CHILDREN 64u
typedef struct gx_heavy { u32 n, total; u32 *mark, *pair, *from, *off, *row, *keep; const u32 *index; } gx_heavy;

GX_OP_BIG int gx_is_heavy(const gx_view *v, u32 axis, gx_bound_test t, u32 node)
{
    const u32 i = node - v->base;
    gx_extent r;

    if ((axis == GX_AXIS_CHILD || axis == GX_AXIS_DESCENDANT || axis == GX_AXIS_DESCENDANT_OR_SELF) && v->next[i] - i <= GX_HEAVY_RANGE)
        return 0;
    if (!gx_extent_of(v, axis, t, node, &r) || r.n <= GX_HEAVY_RANGE)
        return 0;
    if (axis == GX_AXIS_CHILD && !r.index) {            /* the subtree is large: are the children many? */
        u32 c = i + 1, hops = 0;
        while (c < v->next[i] && hops++ < GX_HEAVY_CHILDREN)
            c = v->next[c];
        return c < v->next[i];
    }
    return 1;
}

GX_OP u32 gx_heavy_node(const gx_heavy *h, u32 r)
{
    const u32 j = h->row[r], at = h->from[j] + r - h->off[j];
    return h->index ? h->index[at] : at;
}

/* count[k]: GX_NONE for heavy pairs on entry, how many nodes theirs are on return. *done 0: more candidates than that is good for. */
GX_OP_BIG gx_status gx_heavy_count(gx_m *m, const gx_view *v, u32 axis, gx_bound_test t, const u32 *ids, u32 pairs, u32 *count, gx_heavy *h, int *done)
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
        const u32 c = gx_heavy_node(h, r), i = ids[h->pair[h->row[r]]] - v->base;
        h->keep[r] = !gx_is_attached(v, c) && gx_test_label(v, t, v->label[c]) && (axis != GX_AXIS_CHILD || v->parent[c] == i)
            && (axis != GX_AXIS_PRECEDING || v->next[c] <= i);
    }
    GX_TRY(gx_scan(m, h->keep, h->total, &kept));
    TEAM_FOR(&m->t, j2, h->n)
        count[h->pair[j2]] = h->keep[h->off[j2 + 1]] - h->keep[h->off[j2]];
    team_sync(&m->t);
    *done = 1;
    return GX_OK;
}

/* at[k]: where the nodes of pair k begin in out */
GX_OP_BIG void gx_heavy_fill(gx_m *m, const gx_view *v, const gx_heavy *h, const u32 *at, u32 *out)
{
    TEAM_FOR(&m->t, r, h->total)
        if (h->keep[r + 1] != h->keep[r]) {
            const u32 j = h->row[r];
            out[at[h->pair[j]] + h->keep[r] - h->keep[h->off[j]]] = gx_heavy_node(h, r) + v->base;
        }
}

/*
 * The step of each context by itself, or of each context as its row wants it (gx_fill_set): counted, scanned, filled. Where a context has one
 * node, that is kept when it is counted: its axis is not walked again. pairs: contexts. *off, room for the rows' offsets, is the contexts' own
 * where these are what is wanted. Other arguments as gx_step's.
 */
GX_OP_ONCE gx_status gx_step_pairs(gx_m *m, const gx_v *in, u32 a, u32 name, int per_context, const gx_rounds *round, const u32 *chosen, u32 **off, u32 **out)
{
    const u32 axis = GX_STEP_AXIS(a), test = GX_STEP_TEST(a), n = in->n, pairs = gx_v_total(in), *ids = (const u32 *)in->data;
    const int setwise = !per_context && in->off && gx_one_tree(m), reverse = per_context && GX_AXIS_IS_REVERSE(axis);
    const int climb = setwise && (axis == GX_AXIS_DESCENDANT || axis == GX_AXIS_DESCENDANT_OR_SELF), some = (a & GX_STEP_SOME) && !per_context;
    const u32 most = some ? 1 : round ? round->most : GX_STEP_MOST(a), *after = round ? round->after : NULL;
    const gx_view *v = m->run->views;
    const gx_bound_test bound = gx_test_bind(m->run, v, axis, test, name);
    gx_watch watch = gx_watch_start();
    u32 total = 0;
    gx_fill f;
    u32 *count, *one, *rows = NULL, *dest = NULL;
    u8 *mark = NULL;
    gx_heavy heavy = { 0 };
    int little = 0, share = !reverse && (some || !most) && gx_one_tree(m) && (axis == GX_AXIS_CHILD || axis == GX_AXIS_DESCENDANT || axis == GX_AXIS_DESCENDANT_OR_SELF
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
            if (pass && (count[k + 1] == count[k] || (heavy.n && heavy.mark[k + 1] != heavy.mark[k])))
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
            if (share && !pass && alone && gx_is_heavy(w, axis, t, ids[k])) {
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
                GX_TRY(gx_heavy_count(m, v, axis, bound, ids, pairs, count, &heavy, &share));
                if (!share) {                       /* each member its own, then */
                    heavy.n = 0;
                    pass--;
                    continue;
                }
                watch.work += heavy.total / team_size(&m->t);
            }
            if (some && heavy.n) {
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
        } else if (heavy.n)
            gx_heavy_fill(m, v, &heavy, count, dest);
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
 * in: a dense SET of n rows. Not per context: *out is the merged SET. per_context: CAND, a segment for each pair of `in`, in axis
 * order. a, name: as GX_X_STEP's operands. round: NULL, or which candidates of each row's one context are looked for.
 */
GX_OP_BIG gx_status gx_step(gx_m *m, gx_v *in, u32 a, u32 name, int per_context, const gx_rounds *round, gx_v *out)
{
    u32 axis = GX_STEP_AXIS(a), test = GX_STEP_TEST(a), n = in->n, total = 0, pairs = gx_v_total(in);
    u32 *off, *chosen = NULL;
    const u32 *ids = (const u32 *)in->data;
    int setwise = !per_context && in->off && gx_one_tree(m), reverse = per_context && GX_AXIS_IS_REVERSE(axis);
    u32 n_seg = per_context ? pairs : n;
    int ordered = 0;                    /* by the way it was made */
    const int some = (a & GX_STEP_SOME) && !per_context;
    const gx_view *v = m->run->views;
    gx_bound_test bound = gx_test_bind(m->run, v, axis, test, name);
    gx_fill f;

    if (!per_context && axis == GX_AXIS_SELF && test == GX_TEST_NODE) {
        *out = *in;
        return GX_OK;
    }
    GX_TMP(m, off, u32, n_seg + 1);
    if (setwise && (axis == GX_AXIS_FOLLOWING || axis == GX_AXIS_PRECEDING)) {
        GX_TMP(m, chosen, u32, n);
        if (n == 1 && axis == GX_AXIS_FOLLOWING && !TEAM_IS_SOLO) {     /* one row: the least end, by all members */
            u32 least = GX_NONE, at = GX_NONE;
            TEAM_FOR(&m->t, k, pairs)
                least = gx_next(v, ids[k]) < least ? gx_next(v, ids[k]) : least;
            least = team_min(&m->t, least);
            TEAM_FOR(&m->t, k, pairs)
                at = gx_next(v, ids[k]) == least && k < at ? k : at;
            at = team_min(&m->t, at);
            if (team_rank(&m->t) == 0)
                chosen[0] = pairs ? at : 0;
        } else
            TEAM_FOR(&m->t, r, n) {
                u32 b, e;
                gx_v_range(in, r, &b, &e);
                chosen[r] = b < e ? gx_choose_context(m, axis, ids, b, e) : 0;
            }
        team_sync(&m->t);
    }
#if TEAM_IS_SOLO
    /* one pass: append to the open end of the scratch */
    const int climb = setwise && (axis == GX_AXIS_DESCENDANT || axis == GX_AXIS_DESCENDANT_OR_SELF);
    const u32 most = some ? 1 : round ? round->most : GX_STEP_MOST(a), *after = round ? round->after : NULL;
    gx_watch watch = gx_watch_start();
    f.out = gx_tmp_open(m, &f.cap);
    f.after = NULL;
    f.n = 0;
    f.enough = GX_NONE;
    f.work = 0;
    const int named = axis == GX_AXIS_ATTRIBUTE && bound.test == GX_TEST_NAME && m->n_docs == 1;
    if (named && f.cap < pairs)
        return gx_full(m);
    for (u32 s = 0, k = 0; named && s < n_seg; s++) {   /* one at most, and most contexts have it */
        off[s] = f.n;
        for (const u32 e = per_context || !in->off ? s + 1 : in->off[s + 1]; k < e; k++, f.work++) {
            const u32 id = gx_attribute_of(v, bound.label, ids[k]);
            if (id != GX_NONE)
                f.out[f.n++] = id;
        }
    }
    for (u32 s = 0; !named && s < n_seg; s++) {
        u32 b, e, covered_to = 0;
        off[s] = f.n;
        if (most)
            f.enough = f.n + most;
        if (after)
            f.after = &after[s];
        if (per_context) {
            b = s;
            e = s + 1;
        } else
            gx_v_range(in, s, &b, &e);
        for (u32 k = b; k < e && f.n < f.enough; k++) {
            if (m->n_docs > 1) {
                const gx_view *w = gx_view_of(m, ids[k]);
                if (w != v) {
                    v = w;
                    bound = gx_test_bind(m->run, v, axis, test, name);
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
            else if (setwise && e - b > 1)
                gx_fill_set(v, axis, bound, ids, b, e, k, chosen ? chosen[s] : 1, &f);
            else
                gx_fill_axis(v, axis, bound, ids[k], reverse, &f);
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
    off[n_seg] = f.n;
    total = f.n;
    if (!gx_tmp(m, (u64)total * 4))
        return gx_full(m);
#else
    int wide = 0, single = 0;
    f.out = NULL;
    f.n = 0;
    f.cap = 0;
    if (!reverse && n == 1 && pairs && (setwise || pairs == 1) && (!round || !round->most)) {
        const u32 first = chosen ? chosen[0] : 0;
        const gx_view *w = gx_view_of(m, ids[first]);
        if (setwise && !chosen)
            GX_TRY(gx_step_marked(m, w, axis, gx_test_bind(m->run, w, axis, test, name), ids, pairs, &f.out, off, &wide));
        ordered = wide;
        if (!wide)
            GX_TRY(gx_step_wide(m, w, axis, gx_test_bind(m->run, w, axis, test, name), ids + first, chosen ? 1 : pairs, &f.out, off, &wide));
    }
    if (!wide && !per_context && !in->off && pairs && gx_one_tree(m))
        GX_TRY(gx_step_single(m, v, axis, bound, ids, n, some, off, &f.out, &total, &single));
    if (single)
        ;
    else if (wide)
        ordered |= axis != GX_AXIS_PARENT;
    else
        GX_TRY(gx_step_pairs(m, in, a, name, per_context, round, chosen, &off, &f.out));
#endif
    if (per_context) {
        *out = gx_v_make(GX_V_CAND, n, f.out);
        out->off = off;
        out->n_seg = n_seg;
        out->row = in->off;
        out->reverse = (u8)reverse;
        return GX_OK;
    }
    *out = gx_v_make(GX_T_SET, n, f.out);
    out->off = off;
    if (ordered || !in->off || (a & GX_STEP_SORTED))
        return GX_OK;
    return gx_v_order(m, out);
}

/*
 * How many nodes axes have whose contexts come one after another, by what the context before left: one pass for all of them, not one a
 * context. n: of the nodes of `of` (a parent's children, a tree's nodes) before local id at so many pass; all: of all of them, GX_NONE = not
 * yet known.
 */
typedef struct gx_counted { u32 of, at, n, all; } gx_counted;

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
/* of the tree of `root`, before i */
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

/* How many nodes the axis of one context has */
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

/* in: a dense SET of n rows; *out: NUM. a, name: as GX_X_COUNT's operands. What many members share makes lists and looks how long they are. */
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

/* Closes candidates: reverse segments turn round, a row's segments become one set. */
GX_OP_BIG gx_status gx_step_end(gx_m *m, gx_v *c, gx_v *out)
{
    u32 *ids = (u32 *)c->data, *off;

    if (c->reverse)
        TEAM_FOR(&m->t, s, c->n_seg)
            for (u32 i = c->off[s], j = c->off[s + 1]; i + 1 < j; i++) {
                u32 x = ids[i];
                ids[i] = ids[--j];
                ids[j] = x;
            }
    *out = gx_v_make(GX_T_SET, c->n, ids);
    if (!c->row)
        out->off = c->off;
    else {
        GX_TMP(m, off, u32, c->n + 1);
        TEAM_FOR(&m->t, r, c->n + 1)
            off[r] = c->off[c->row[r]];
        out->off = off;
    }
    team_sync(&m->t);
    if (c->merged || !c->row)
        return GX_OK;
    return gx_v_order(m, out);
}

#endif
