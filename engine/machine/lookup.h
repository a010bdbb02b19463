/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.h -- key(), id(), and what the compiler turns into them: nodes by value, for all rows
 *
 * Rows look up one by one. Where that turns out to be long, since many nodes have the values that many rows ask for,
 * each
 * value is looked up once, and the rows that ask for it share its list (domain.h): of a row's axis it is the part of
 * that list that stands there.
 */
#ifndef GX_MACHINE_LOOKUP_H
#define GX_MACHINE_LOOKUP_H

#include "axis.h"
#include "bind.h"
#include "budget.h"
#include "collect.h"
#include "column.h"
#include "domain.h"
#include "index.h"
#include "machine.h"
#include "memory.h"
#include "nodes.h"
#include "number.h"
#include "order.h"
#include "store.h"
#include "string_functions.h"
#include "value.h"

/* Is the index of key `name` there for each document that the rows' nodes (those of them that ask for this key) are in?
 * Else GX_NEED: the machine opens a level that builds it (run.h, key_build.h), for which the rows' nodes are kept where
 * there are several documents. O(rows) then. */
GX_OP_BIG gx_status gx_key_indexes(gx_m *m, u32 name, const u32 *names, const u32 *context, u32 rows)
{
    u32 at = 0, *kept = NULL, *kept_names = NULL;

    team_sync(&m->t);
    if (gx_doc_lacking(m, name, names, context, rows, &at) == GX_NONE)
        return GX_OK;
    if (m->n_docs > 1 || names) {
        kept = (u32 *)gx_keep_copy(m, context + at, rows - at, 4);
        kept_names = names ? (u32 *)gx_keep_copy(m, names + at, rows - at, 4) : NULL;
        if (!kept || (names && !kept_names))
            return gx_full(m);
    }
    m->need_kind = GX_NEED_KEY;
    m->need_index = name;
    m->need_body = GX_NONE;
    m->need_flags = 0;
    m->need_n = kept ? rows - at : 0;
    m->need_context = kept ? GX_REF_OF(m, kept) : 0;
    m->need_params = kept_names ? GX_REF_OF(m, kept_names) : 0;
    return GX_NEED;
}

/* Does one of the ids[b .. e), all of them before the node, belong to an element that the node is in, as it or its
 * attribute? Those are not on the preceding axis. O(depth x log ids). */
GX_OP int gx_is_around(const gx_view *v, const u32 *ids, u32 b, u32 e, u32 node)
{
    for (u32 a = gx_parent(v, node); b < e && a != GX_NONE; a = gx_parent(v, a)) {
        const u32 k = gx_index_lower(ids, b, e, a);
        if (k < e
            && (ids[k] == a
                || (ids[k] - v->base < v->n_nodes && gx_is_attached(v, ids[k] - v->base) && gx_parent(v, ids[k]) == a)))
            return 1;
    }
    return 0;
}
/* ids[b .. e) without the node's ancestors and their attributes and namespace nodes, to `to` (NULL: nowhere); how many.
 * O(e - b). */
GX_OP u32 gx_not_around(const gx_view *v, const u32 *ids, u32 b, u32 e, u32 node, u32 *to)
{
    u32 n = 0;

    for (u32 k = b; k < e; k++) {
        const int here = ids[k] - v->base < v->n_nodes;         /* only a program that was not compiled here has others'
                                                                   */
        const u32 owner = here && gx_is_attached(v, ids[k] - v->base) ? gx_parent(v, ids[k]) : ids[k];
        if (here && gx_next(v, owner) > node)
            continue;
        if (to)
            to[n] = ids[k];
        n++;
    }
    return n;
}
/* The first node behind `node` and all that is below it: behind an attribute are its element's children, not the other
 * attributes */
GX_OP u32 gx_behind(const gx_view *v, u32 node)
{
    u32 from = gx_next(v, node);

    while (gx_is_attached(v, node - v->base) && from < v->base + v->n_nodes && gx_is_attached(v, from - v->base))
        from++;
    return from;
}

/* GX_F_PLACE; NaN: there is no node. An attribute has no siblings. */
GX_OP double gx_place(const gx_m *m, u32 node, u32 axis)
{
    if (node == GX_NONE)
        return gx_nan();
    const gx_view *v = gx_view_of(m, node);
    if (axis == GX_AXIS_FOLLOWING_SIBLING && gx_is_attached(v, node - v->base))
        return gx_infinity();
    return axis == GX_AXIS_FOLLOWING || axis == GX_AXIS_FOLLOWING_SIBLING ? gx_behind(v, node) - 1.0 : node;
}

/*
 * GX_F_AXIS_RANGE: of each row's set the part that belongs to those on the axis of the row's node: siblings and what is
 * below them, or any nodes and attributes. Ids are in document order, so that part is a range, found by one search:
 * *out is a SET with off and cnt over the same ids. Only where preceding:: has ancestors between them, each row gets a
 * list of its own without these. O(rows x log), or O(rows x nodes of their sets) then. Complete for everyone. Fails
 * with GX_EARENA, GX_ETIME.
 */
GX_OP_BIG gx_status gx_axis_range(gx_m *m, const gx_v *set, const gx_v *nodes, u32 axis, u32 rows, gx_v *out)
{
    const u32 *ids = (const u32 *)set->data;
    const int siblings = axis == GX_AXIS_PRECEDING_SIBLING || axis == GX_AXIS_FOLLOWING_SIBLING;
    u32 *off, *cnt, *start, *own = NULL, around = 0, total;
    gx_watch watch = gx_watch_start();

    GX_TMP(m, off, u32, rows);
    GX_TMP(m, cnt, u32, rows);
    TEAM_FOR(&m->t, r, rows) {
        const u32 node = gx_v_first(nodes, r);
        const gx_view *v = gx_view_of(m, node == GX_NONE ? 0 : node);
        u32 b, e;
        gx_v_range(set, r, &b, &e);
        if (node == GX_NONE || (siblings && gx_is_attached(v, node - v->base)))
            e = b;
        else if (axis == GX_AXIS_PRECEDING_SIBLING || axis == GX_AXIS_PRECEDING) {
            e = gx_index_lower(ids, b, e, node);
            around |= !siblings && gx_is_around(v, ids, b, e, node);
        } else
            b = gx_index_lower(ids, b, e, gx_behind(v, node));
        off[r] = b;
        cnt[r] = e - b;
    }
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, rows, set->data);
    out->off = off;
    out->cnt = cnt;
    if (!team_any(&m->t, (int)around))
        return GX_OK;
    GX_TMP(m, start, u32, (u64)rows + 1);
    for (int pass = 0; pass < 2; pass++) {
        TEAM_FOR(&m->t, r, rows) {
            const u32 node = gx_v_first(nodes, r);
            const u32 n = node == GX_NONE
                ? 0
                : gx_not_around(gx_view_of(m, node), ids, off[r], off[r] + cnt[r], node, pass ? own + start[r] : NULL);
            if (!pass)
                start[r] = n;
            if (gx_watch_late(m, &watch, cnt[r] / 8))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        watch = gx_watch_start();
        if (!pass) {
            GX_TRY(gx_scan(m, start, rows, &total));
            GX_TMP(m, own, u32, total);
        }
    }
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, rows, own);
    out->off = start;
    return GX_OK;
}

/* id() of one string (XPath 1.0, 4.1): splits it at white space and puts the element of each ID into f, in the order of
 * the tokens, if it is in the tree. O(bytes), and O(log IDs) a token. */
GX_OP void gx_id_tokens(const gx_view *v, gx_tree_ids tree, const char *s, u32 len, gx_fill *f)
{
    for (u32 i = 0; i < len;) {
        u32 b, node;
        while (i < len && gx_number_space(s[i]))
            i++;
        for (b = i; i < len && !gx_number_space(s[i]);)
            i++;
        f->work += i - b;
        if (i > b && (node = gx_id_node(v, s + b, i - b)) != GX_NONE && node >= tree.first && node < tree.end)
            gx_put(f, node);
    }
}

/* v, a dense SET in document order, keeps of each row its first node, or its last. O(rows). Complete for everyone.
 * Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_v_heads(gx_m *m, gx_v *v, int last)
{
    u32 *off, *ids, total;

    GX_TMP(m, off, u32, v->n + 1);
    TEAM_FOR(&m->t, i, v->n)
        off[i] = v->off[i + 1] != v->off[i];
    GX_TRY(gx_scan(m, off, v->n, &total));
    GX_TMP(m, ids, u32, total);
    TEAM_FOR(&m->t, k, v->n)
        if (off[k + 1] != off[k])
            ids[off[k]] = ((const u32 *)v->data)[last ? v->off[k + 1] - 1 : v->off[k]];
    team_sync(&m->t);
    v->data = ids;
    v->off = off;
    return GX_OK;
}

#if !TEAM_IS_SOLO
/* What is looked up: the string of row q, or of node q of a set */
GX_OP const char *gx_key_asked(const gx_m *m, const gx_v *value, u32 q, u32 *len)
{
    if (value->type == GX_T_SET) {
        const u32 node = ((const u32 *)value->data)[q];
        return gx_node_bytes(gx_view_of(m, node), node, len);
    }
    const gx_str s = gx_row_str(m, value, q);
    *len = s.len;
    return gx_bytes(m, s);
}

/*
 * key() with buckets too long for one member, by all: the entries of all rows' buckets one behind the other are one
 * column of candidates. A row has a string to look up, or one for each node of its set. *done 0: no such bucket, or
 * more candidates than that is good for; else off, ids and total as gx_lookup makes them, but off[i] the rows' counts
 * if that is all that is wanted. probe: on whose axis; node: by row. most: candidates, at most;
 * with more *done is 0, too.
 */
#define GX_LONG_BUCKET 256u
/* The ids that string q's entries must be among: those of the tree, or of the axis of its row's node, which the probe
 * is set to; none where the row has no node. of_row: where each row's strings begin, NULL: one a row. */
GX_OP gx_tree_ids gx_axis_probe_row(gx_axis_probe *probe, const u32 *nodes, const u32 *of_row, u32 rows, u32 q,
                                    gx_tree_ids tree)
{
    if (!nodes)
        return tree;
    probe->node = nodes[of_row ? gx_row_of(of_row, rows, q) : q];
    const gx_tree_ids none = { 0, 0 };
    return probe->node == GX_NONE ? none : gx_axis_probe_ids(probe, tree);
}
GX_OP_BIG gx_status gx_key_partitioned(gx_m *m, u32 ref, gx_tree_ids tree, gx_axis_probe probe, const u32 *nodes,
                                       gx_v *value, u32 rows, u64 most, int only_count, u32 *off, u32 **ids,
                                       u32 *total, int *done)
{
    const gx_key_index *index = GX_PTR(m, const gx_key_index, ref);
    const u32 *start = GX_PTR(m, const u32, index->start);
    const gx_key_entry *entries = GX_PTR(m, const gx_key_entry, index->entries);
    u32 *hash, *first, *at, *keep, *of_row = NULL, n = rows, candidates, longest = 0;
    u64 sum = 0;

    *done = 0;
    if (index->n <= GX_LONG_BUCKET)
        return GX_OK;
    if (value->type == GX_T_SET) {
        GX_TRY(gx_v_dense(m, value, rows));
        of_row = (u32 *)value->off;
        n = gx_v_total(value);
    }
    GX_TMP(m, hash, u32, n);
    GX_TMP(m, first, u32, n);
    GX_TMP(m, at, u32, (u64)n + 1);
    TEAM_FOR(&m->t, q, n) {
        u32 len;
        const char *p = gx_key_asked(m, value, q, &len);
        const gx_tree_ids in = gx_axis_probe_row(&probe, nodes, of_row, rows, q, tree);
        hash[q] = gx_hash(m->run->seed, p, len);
        if (nodes && probe.node != GX_NONE)
            hash[q] = gx_axis_probe_hash(&probe, hash[q]);
        const gx_tree_ids range = gx_key_range(index, start, entries, in, nodes ? &probe : NULL, hash[q]);
        first[q] = range.first;
        at[q] = range.end - range.first;
        /* Only the buckets' ends are read here. If none is long, each row's member reads its own (gx_search_pass). */
        longest |= at[q] > GX_LONG_BUCKET;
        sum += at[q];
    }
    if (!team_any(&m->t, (int)longest))
        return GX_OK;
    sum = team_sum(&m->t, sum);
    if (sum > most || sum > 4 * (u64)m->run->n_nodes)
        return GX_OK;
    *done = 1;
    GX_TRY(gx_scan(m, at, n, &candidates));
    m->steps += candidates / GX_WORK_PER_STEP;
    GX_TMP(m, keep, u32, (u64)candidates + 1);
    TEAM_FOR(&m->t, c, candidates) {
        /* Candidate c is an entry of the string q with at[q] <= c < at[q + 1]. */
        const u32 q = gx_row_of(at, n, c), k = first[q] + (c - at[q]);
        const gx_tree_ids in = gx_axis_probe_row(&probe, nodes, of_row, rows, q, tree);
        u32 len;
        const char *p = gx_key_asked(m, value, q, &len);
        keep[c] = entries[k].node >= in.first && entries[k].node < in.end && gx_key_is(m, &entries[k], hash[q], p, len)
            && (!nodes || gx_axis_probe_has(&probe, entries[k].node));
        /* a node with the same value twice */
        for (u32 j = k; keep[c] && j > first[q] && entries[j - 1].node == entries[k].node; j--)
            keep[c] = !gx_key_is(m, &entries[j - 1], hash[q], p, len);
    }
    GX_TRY(gx_scan(m, keep, candidates, total));
    if (only_count) {
        TEAM_FOR(&m->t, i, rows)
            off[i] = keep[at[of_row ? of_row[i + 1] : i + 1]] - keep[at[of_row ? of_row[i] : i]];
        team_sync(&m->t);
        return GX_OK;
    }
    GX_TMP(m, *ids, u32, *total);
    TEAM_FOR(&m->t, c1, candidates)
        if (keep[c1 + 1] != keep[c1]) {
            const u32 q = gx_row_of(at, n, c1);
            (*ids)[keep[c1]] = entries[first[q] + (c1 - at[q])].node;
        }
    TEAM_FOR(&m->t, i1, rows + 1)
        off[i1] = keep[at[of_row ? of_row[i1] : i1]];
    team_sync(&m->t);
    return GX_OK;
}
#endif

#define GX_KEY_ABSENT (GX_NONE - 1)     /* in place of a key's number: there is no such key */

/* What rows look up: strings, and nodes whose tree or (on_axis) axis is asked about; what, names: as gx_lookup's.
 * first: one find is enough */
typedef struct gx_search {
    const gx_v *value, *from;
    const u32 *names;
    u32 what, rows;
    int on_axis, first;
    gx_axis_probe probe;
    u64 most;                   /* entries that a member looks at before it says that this is long */
} gx_search;

/*
 * One pass over the rows, a row a member. ids NULL: off[i] := how many row i finds, one[i] := what, where it is one.
 * Else the nodes themselves, to ids[off[i]]; rows with one find are not looked up again.
 *
 * A row asks each of its from-nodes' trees (or axes) for each of its strings. What it asked for a moment ago is
 * skipped, since a set has few distinct values as a rule. *is_long: the pass was left, since some member would look at
 * more than search->most entries. O(bytes of the strings + entries of their buckets). Fails with GX_ETIME.
 */
GX_OP_BIG gx_status gx_search_pass(gx_m *m, const gx_search *search, u32 *off, u32 *one, u32 *ids, int *is_long)
{
    u64 entries = 0;
    const gx_v *value = search->value, *from = search->from;
    gx_axis_probe probe = search->probe;
    gx_watch watch = gx_watch_start();
    gx_fill f;

    TEAM_FOR(&m->t, i, search->rows) {
        u32 fb = i, fend = i + 1, b = 0, end = 1;
        const u32 name = search->names ? search->names[i] : search->what;
        if (ids && off[i + 1] - off[i] <= 1) {
            if (off[i + 1] != off[i])
                ids[off[i]] = one[i];
            continue;
        }
        f.after = NULL;
        f.out = ids ? ids + off[i] : NULL;
        f.cap = ids ? off[i + 1] - off[i] : 0;
        f.n = 0;
        f.one = GX_NONE;
        f.work = 0;
        if (search->on_axis)
            gx_v_range(from, i, &fb, &fend);
        if (value->type == GX_T_SET)
            gx_v_range(value, i, &b, &end);
        if (name == GX_KEY_ABSENT)
            fend = fb;
        for (; fb < fend; fb++) {
            const u32 asker = !search->on_axis && gx_one_tree(m) ? 0 : ((const u32 *)from->data)[fb],
                      k = gx_view_index(m, asker);
            const gx_view *v = &m->run->views[k];
            const u32 ref = name == GX_NONE ? 0 : *gx_doc_ref(m->run, k, name);
            gx_tree_ids tree = gx_tree_of(v, asker);
            gx_asked asked;
            asked.n = 0;
            probe.v = v;
            probe.node = asker;
            if (search->on_axis)
                tree = gx_axis_probe_ids(&probe, tree);
            for (u32 j = b; j < end; j++) {
                u32 len, hash;
                const char *s;
                f.work++;
                if (gx_watch_late(m, &watch, f.work))
                    break;
                if (value->type == GX_T_SET) {
                    const u32 node = ((const u32 *)value->data)[j];
                    s = gx_node_bytes(gx_view_of(m, node), node, &len);
                } else {
                    const gx_str x = gx_row_str(m, value, i);
                    s = gx_bytes(m, x);
                    len = x.len;
                }
                f.work = GX_WATCH_BYTES(len);
                f.enough = search->first ? f.n + 1 : GX_NONE;
                if (name == GX_NONE)
                    gx_id_tokens(v, tree, s, len, &f);
                else if (hash = gx_hash(m->run->seed, s, len),
                         value->type != GX_T_SET
                             || !gx_asked_before(m, &asked, ((const u32 *)value->data)[j], s, len, hash))
                    gx_key_fill(m, ref, tree, search->on_axis ? &probe : NULL, s, len,
                                search->on_axis ? gx_axis_probe_hash(&probe, hash) : hash, &f);
            }
        }
        if (!ids) {
            off[i] = f.n;
            one[i] = f.one;
        }
        entries += f.work;
        if (gx_watch_late(m, &watch, f.work) || (!ids && entries > search->most))
            break;
    }
    *is_long = 0;
    if (!ids && search->most != ~(u64)0)
        *is_long = team_any(&m->t, entries > search->most);
    return *is_long ? GX_OK : gx_watch_end(m, &watch);
}

/* gx_lookup for the first n rows' context nodes. value: STR or SET of what is looked up; names: each row's key (NULL:
 * what is); on: nodes on whose axis the finds must be. *out: SET, in document order, or NUM where they are counted.
 * Cost: a hash and the entries of its bucket for each string; buckets that are long are read by all members
 * (gx_key_partitioned). is_long: NULL, or *is_long 1 and nothing else where a member would look at too many entries.
 * Complete for everyone. GX_NEED: an index must be built first. */
GX_OP_BIG gx_status gx_lookup_each(gx_m *m, const u32 *context, u32 n, u32 func, u32 what, const u32 *names,
                                   gx_v *value, const gx_v *on, gx_v *out, int *is_long)
{
    const int first = func == GX_F_KEY_FIRST || func == GX_F_KEY_AXIS_FIRST;
    const u32 rows = value->is_const && !names && (on ? on->is_const : (u8)gx_one_tree(m)) ? 1 : n;
    u32 *off, *one, *ids = NULL, total = 0, *nodes = NULL, several_on = 0;
    gx_v from = on ? *on : gx_v_make(GX_T_SET, n, (void *)context);
    gx_search search = { value, &from, names, what, rows, on != NULL, first, { m->run->views, 0, 0, 0 }, ~(u64)0 };
    int is_done = 0, only_count, late = 0;

    if (on) {
        search.probe.axis = (u32)((const double *)on[1].data)[0];
        search.probe.last = first && GX_AXIS_IS_REVERSE(search.probe.axis);
        GX_TRY(gx_v_flat(m, &from, n));
        GX_TMP(m, nodes, u32, rows);
        TEAM_FOR(&m->t, r, rows) {
            u32 b, end;
            gx_v_range(&from, r, &b, &end);
            nodes[r] = b < end ? ((const u32 *)from.data)[b] : GX_NONE;
            several_on |= end - b > 1;
        }
        several_on = (u32)team_any(&m->t, (int)several_on);
    }

    if (value->type != GX_T_SET)
        GX_TRY(gx_to_str(m, value, n));
    if (names)
        for (u32 k = 0; k < m->run->program->key_names.n; k++)
            GX_TRY(gx_key_indexes(m, k, names, context, rows));
    else if (what != GX_NONE)
        GX_TRY(gx_key_indexes(m, what, NULL, (const u32 *)from.data, on ? gx_v_total(&from) : rows));
    only_count = func == GX_F_KEY_COUNT && !gx_v_has_several(m, value, rows);   /* no node is found twice */
    GX_TMP(m, off, u32, rows + 1);
#if !TEAM_IS_SOLO
    if (what != GX_NONE && !names && !first && !several_on && gx_one_tree(m))
        GX_TRY(gx_key_partitioned(m, *gx_doc_ref(m->run, 0, what), gx_tree_of(m->run->views, 0), search.probe, nodes,
                                  value, rows, is_long ? (u64)GX_COST(KEY_TOGETHER) * rows : ~(u64)0, only_count, off,
                                  &ids, &total, &is_done));
#endif
    if (!is_done) {
        GX_TMP(m, one, u32, rows);
        if (is_long)
            search.most = 64 + (u64)GX_LOOKUP_LONG * (rows / team_size(&m->t) + 1);
        GX_TRY(gx_search_pass(m, &search, off, one, NULL, &late));
        if (late) {
            *is_long = 1;
            return GX_OK;
        }
        if (!only_count) {
            GX_TRY(gx_scan(m, off, rows, &total));
            GX_TMP(m, ids, u32, total);
            GX_TRY(gx_search_pass(m, &search, off, one, ids, &late));
        }
    }
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, rows, ids);
    out->off = off;
    if (!only_count)
        GX_TRY(gx_v_order(m, out));
    if (first)
        GX_TRY(gx_v_heads(m, out, (int)search.probe.last));
    else if (func == GX_F_KEY_COUNT) {
        double *num;
        GX_TMP(m, num, double, rows);
        TEAM_FOR(&m->t, k, rows)
            num[k] = only_count ? off[k] : out->off[k + 1] - out->off[k];
        team_sync(&m->t);
        *out = gx_v_make(GX_T_NUM, rows, num);
    }
    out->is_const = rows == 1 && n != 1;
    return GX_OK;
}

/* For look-ups that rows share on a child, descendant or sibling axis: on, the two arguments (a node for each row of
 * the domain d, and the axis) by which the nodes of that value among all children or descendants of the row's node or
 * parent are found; gx_axis_range() then takes each row's part of them. nodes: whose axis each row's is. O(rows of d).
 * Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_lookup_around(gx_m *m, u32 axis, const u32 *nodes, const gx_domain *d, gx_v *on)
{
    const int siblings = axis == GX_AXIS_PRECEDING_SIBLING || axis == GX_AXIS_FOLLOWING_SIBLING;
    u32 *from;
    double *child;

    GX_TMP(m, from, u32, d->n);
    GX_TMP(m, child, double, 1);
    TEAM_FOR(&m->t, k, d->n) {
        const u32 node = nodes[d->heads ? d->heads[k] : k];
        const u32 parent = siblings ? gx_parent(gx_view_of(m, node), node) : node;
        from[k] = parent != GX_NONE ? parent : node;
    }
    if (team_rank(&m->t) == 0)
        *child = axis == GX_AXIS_DESCENDANT ? GX_AXIS_DESCENDANT : GX_AXIS_CHILD;
    team_sync(&m->t);
    on[0] = gx_v_make(GX_T_SET, d->n, from);
    on[1] = gx_v_make(GX_T_NUM, 1, child);
    on[1].is_const = 1;
    return GX_OK;
}

/* gx_lookup where many rows ask for the same: each distinct value (and parent, for siblings) is looked up once, rows
 * share its list, and take the part of it that is on their axis. value: of at most one string a row. *out: SET of n
 * rows with off and cnt, or NUM. O(rows + what the distinct values find). Complete for everyone. Fails as
 * gx_lookup_each(). */
GX_OP_BIG gx_status gx_lookup_shared(gx_m *m, const u32 *context, u32 n, u32 func, u32 what, const gx_v *value,
                                     const gx_v *on, gx_v *out)
{
    const u32 axis = on ? (u32)((const double *)on[1].data)[0] : 0;
    const int siblings = axis == GX_AXIS_PRECEDING_SIBLING || axis == GX_AXIS_FOLLOWING_SIBLING;
    const int all = !on || axis == GX_AXIS_PRECEDING || axis == GX_AXIS_FOLLOWING;
    u32 *of = NULL;
    gx_v x = *value, around[2];
    gx_domain d;

    if (!all) {
        const u32 *nodes = (const u32 *)on->data;
        GX_TMP(m, of, u32, n);
        TEAM_FOR(&m->t, r, n)
            of[r] = siblings ? gx_parent(gx_view_of(m, nodes[r]), nodes[r]) : nodes[r];
        team_sync(&m->t);
    }
    GX_TRY(gx_domain_of_text(m, &x, of, n, &d));
    GX_TRY(gx_v_gather(m, &x, d.heads, d.n));
    if (!all)
        GX_TRY(gx_lookup_around(m, axis, (const u32 *)on->data, &d, around));
    GX_TRY(gx_lookup_each(m, context, d.n, on ? GX_F_KEY_AXIS : func, what, NULL, &x, all ? NULL : around, out, NULL));
    GX_TRY(gx_v_gather(m, out, d.of_row, n));
    if (!on || axis == GX_AXIS_CHILD || axis == GX_AXIS_DESCENDANT)
        return GX_OK;
    x = *out;
    return gx_axis_range(m, &x, on, axis, n, out);
}

/* key() and id() (XSLT 1.0, 12.2; XPath 1.0, 4.1), and what the compiler turns into them. what: the key name's number,
 * or GX_NONE for id(); names: the key's number in each row instead, or NULL. value: any type. Context nodes, or those
 * whose axis is asked for, say which tree. func: one of gx_func's for keys, or another: all nodes. on: KEY_AXIS's and
 * KEY_AXIS_FIRST's last two arguments. *out: SET of n rows in document order, NUM for KEY_COUNT, or const. Row by row
 * first; if that turns out to be long, by distinct values. GX_NEED: an index must be built first. Fails with GX_EARENA,
 * GX_ETIME. */
GX_OP_BIG gx_status gx_lookup(gx_eval_state *e, u32 func, u32 what, const u32 *names, gx_v *value, const gx_v *on,
                              gx_v *out)
{
    gx_m *m = e->m;
    const u32 n = e->scope->n, *context = e->scope->context;
    const int is_first = func == GX_F_KEY_FIRST || func == GX_F_KEY_AXIS_FIRST;
    const int one_on = !on || (!on->is_const && !on->off);
    int is_long = 0;

    if (value->type != GX_T_SET)
        GX_TRY(gx_to_str(m, value, n));
    const int may_share = n > 8 && what != GX_NONE && !names && !is_first && one_on && gx_one_tree(m)
        && (!value->is_const || (on && !on->is_const))
        && !gx_v_has_several(m, value, n);
    GX_TRY(gx_lookup_each(m, context, n, func, what, names, value, on, out, may_share ? &is_long : NULL));
    return is_long ? gx_lookup_shared(m, context, n, func, what, value, on, out) : GX_OK;
}

/* The number of the key with this name, GX_KEY_ABSENT if there is none: no node has a value for it (XSLT 1.0, 12.2). */
GX_OP u32 gx_key_named(const gx_m *m, gx_str name, u32 nslist)
{
    const u32 *names = GX_PROG_TAB(m->run->program, u32, key_names);

    for (u32 k = 0; k < m->run->program->key_names.n; k++)
        if (gx_qname_is(m, name, nslist, GX_PROG_TAB(m->run->program, gx_qname, qnames) + names[k]))
            return k;
    return GX_KEY_ABSENT;
}

#endif
