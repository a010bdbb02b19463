/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key_build.h -- making indexes of keys, and searching few nodes without one
 *
 * An index is built within the look-up that needs it: `match` and `use` are evaluated for the nodes of the document.
 */
#ifndef GX_MACHINE_KEY_BUILD_H
#define GX_MACHINE_KEY_BUILD_H

#include "axis.h"
#include "budget.h"
#include "call.h"
#include "collect.h"
#include "column.h"
#include "eval.h"
#include "index.h"
#include "lookup.h"
#include "machine.h"
#include "match.h"
#include "memory.h"
#include "nodes.h"
#include "step.h"
#include "value.h"

typedef struct gx_key_part {    /* of one xsl:key: its nodes, and their values for `use` */
    gx_v values;
    const u32 *nodes;
    u32 n, siblings;
} gx_key_part;

/* The nodes of the view that may match a key's pattern: those of one name, if it asks for one; else all. *from: the
 * first of the name index, GX_NONE: all. Returns how many */
GX_OP u32 gx_key_candidates(const gx_run *r, const gx_view *v, const gx_key *key, u32 *from)
{
    const gx_pattern *p = &r->patterns[key->pattern];
    const gx_pstep *step = &r->psteps[p->first];

    *from = GX_NONE;
    if (!p->n || step->test != GX_TEST_NAME)
        return v->n_nodes;
    const gx_bound_test b = gx_test_bind(r, v, step->axis, GX_TEST_NAME, step->name);
    if (b.label == GX_LABEL_NOTHING)
        return 0;
    *from = v->index_start[GX_LABEL_ID(b.label)];
    return v->index_start[GX_LABEL_ID(b.label) + 1] - *from;
}

/* One xsl:key: the nodes that match, and the values of `use` for each. *part is written by one member. *n: how many
 * values */
GX_OP_BIG gx_status gx_key_values(gx_m *m, const gx_key *key, const gx_view *v, gx_key_part *part, u32 *n)
{
    u32 from, *nodes, *keep, *list, count;
    const u32 total = gx_key_candidates(m->run, v, key, &from);
    gx_v values;
    u8 *matched;
    gx_env env;

    GX_TMP(m, nodes, u32, total);
    TEAM_FOR(&m->t, i, total)
        nodes[i] = (from == GX_NONE ? i : v->index[from + i]) + v->base;
    team_sync(&m->t);
    GX_TMP(m, matched, u8, total);
    GX_TRY(gx_match_pattern(m, nodes, total, key->pattern, GX_NONE, matched));
    GX_TMP(m, keep, u32, total + 1);
    TEAM_FOR(&m->t, i, total)
        keep[i] = matched[i];
    GX_TRY(gx_scan(m, keep, total, &count));
    GX_TMP(m, list, u32, count);
    TEAM_FOR(&m->t, i, total)
        if (keep[i + 1] != keep[i])
            list[keep[i]] = nodes[i];
    team_sync(&m->t);
    gx_env_nodes(&env, list, count);
    GX_TRY(gx_eval(m, key->use, &env, &values));
    if (values.type == GX_T_SET)
        GX_TRY(gx_v_dense(m, &values, count));
    else
        GX_TRY(gx_to_str(m, &values, count));
    *n = values.type == GX_T_SET ? gx_v_total(&values) : count;
    if (team_rank(&m->t) == 0) {
        part->values = values;
        part->nodes = list;
        part->n = count;
        part->siblings = key->siblings;
    }
    return GX_OK;
}

/* The entries of one xsl:key, in the nodes' order */
GX_OP gx_status gx_key_entries(gx_m *m, const gx_view *v, const gx_key_part *part, gx_key_entry *found)
{
    gx_watch watch = gx_watch_start();

    TEAM_FOR(&m->t, i, part->n) {
        u32 b = i, e = i + 1;
        if (part->values.type == GX_T_SET)
            gx_v_range(&part->values, i, &b, &e);
        for (u32 j = b; j < e; j++) {
            gx_key_entry x;
            if (part->values.type == GX_T_SET) {
                const u32 node = ((const u32 *)part->values.data)[j];
                x.value = gx_node_str(gx_view_of(m, node), node);
            } else
                x.value = gx_row_str(m, &part->values, i);
            x.hash = gx_hash(m->run->seed, gx_bytes(m, x.value), x.value.len);
            x.node = part->nodes[i];
            if (part->siblings)
                x.hash = gx_key_hash_in(x.hash, gx_parent(v, x.node));
            found[j] = x;
            watch.work += GX_WATCH_BYTES(x.value.len);
        }
        if (gx_watch_late(m, &watch, 1))
            break;
    }
    return gx_watch_end(m, &watch);
}

/* The index of a key's name in one document, made when it is asked for first (GX_NEED). Entries (node, value, hash)
 * of all xsl:key of the name are bucketed by hash, in document order within a bucket. O(nodes that match + values), 4
 * bytes a bucket; kept until the end. Complete for everyone. Fails with GX_EARENA, GX_ETIME, and as the key's use. */
GX_OP_BIG gx_status gx_key_build(gx_m *m, u32 name, u32 view)
{
    gx_run *r = m->run;
    const gx_view *v = &r->views[view];
    gx_key_index *index;
    gx_key_entry *entries, *found;
    gx_key_part *parts;
    u32 n = 0, mask = 15, *start, n_parts = 0;
    u32 met = m->calls_met;

    for (u32 k = 0; k < r->program->keys.n; k++)
        n_parts += r->keys[k].name == name;
    GX_TMP(m, parts, gx_key_part, n_parts);
    n_parts = 0;
    for (u32 k = 0; k < r->program->keys.n; k++) {
        u32 more;
        if (r->keys[k].name != name)
            continue;
        GX_TRY(gx_key_values(m, &r->keys[k], v, &parts[n_parts++], &more));
        n += more;
    }
    team_sync(&m->t);
    while (mask < n && mask < 0x3fffffff)
        mask = mask * 2 + 1;
    GX_KEEP(m, index, gx_key_index, 1);
    GX_KEEP(m, start, u32, (u64)mask + 2);
    GX_KEEP(m, entries, gx_key_entry, n);
    GX_TMP(m, found, gx_key_entry, n);
    for (u32 k = 0, at = 0; k < n_parts; k++) {
        const gx_key_part part = parts[k];
        GX_TRY(gx_key_entries(m, v, &part, found + at));
        at += part.values.type == GX_T_SET ? gx_v_total(&part.values) : part.n;
    }
    GX_TRY(gx_key_buckets(m, found, n, n_parts, mask, start, entries));
    if (team_rank(&m->t) == 0) {
        index->mask = mask;
        index->n = n;
        index->start = GX_REF_OF(m, start);
        index->entries = GX_REF_OF(m, entries);
        *gx_doc_ref(r, view, name) = GX_REF_OF(m, index);
    }
    m->lasting++;
    gx_calls_drop(m, met);
    team_sync(&m->t);
    return GX_OK;
}

/* The index of key `name` for each document that the rows' context nodes (those of them that ask for this key) are
 * in. */
GX_OP_BIG gx_status gx_key_indexes(gx_m *m, u32 name, const u32 *names, const u32 *context, u32 rows)
{
    team_sync(&m->t);
    for (u32 at = 0, view; (view = gx_doc_lacking(m, name, names, context, rows, &at)) != GX_NONE; ) {
        if (m->key_depth == GX_KEY_DEPTH)
            return gx_raise(m, GX_KEY_TOO_DEEP, GX_RE_KEY_DEPTH, gx_str_none());
        m->key_depth++;
        const gx_status status = gx_key_build(m, name, view);
        m->key_depth--;
        GX_TRY(status);
    }
    return GX_OK;
}

/*
 * KEY_AXIS and KEY_AXIS_FIRST without an index, for a few rows that have no more on their axes than the index would
 * have to go through: in a large document that is asked for one node's neighbours it would cost all, and be used once.
 * in: the rows' nodes. *done 0: the index is there, or better.
 */
#define GX_SCAN_ROWS 64u
#ifndef GX_SMALL_INDEX                  /* of tests */
#define GX_SMALL_INDEX 1024u
#endif
GX_OP_BIG gx_status gx_axis_scan(gx_m *m, u32 what, gx_axis_probe probe, int first, const gx_v *in, const gx_v *value,
                                 u32 rows, gx_v *out, int *done)
{
    const gx_run *r = m->run;
    const gx_key *key = NULL;
    gx_v from = *in, found, use;
    u32 *keep, *off, *ids, total;
    gx_watch watch = gx_watch_start();

    *done = 0;
    for (u32 k = 0; k < r->program->keys.n; k++)
        if (r->keys[k].name == what)
            key = &r->keys[k];
    if (!key || rows > GX_SCAN_ROWS || (from.is_const && rows > 1) || m->key_depth == GX_KEY_DEPTH
        || !r->patterns[key->pattern].n)
        return GX_OK;
    from.is_const = 0;
    from.n = rows;
    if (!gx_v_total(&from))
        return GX_OK;
    const u32 view = gx_view_index(m, ((const u32 *)from.data)[0]);
    const gx_view *v = &r->views[view];
    const gx_pstep *s = &r->psteps[r->patterns[key->pattern].first];
    const gx_bound_test t = gx_test_bind(r, v, GX_AXIS_CHILD, s->test, s->name);
    u64 nodes = v->n_nodes;             /* that the index goes through */
    if (t.test == GX_TEST_NAME)
        nodes = t.label == GX_LABEL_NOTHING
            ? 0
            : v->index_start[GX_LABEL_ID(t.label) + 1] - v->index_start[GX_LABEL_ID(t.label)];
    if (*gx_doc_ref(r, view, what) || nodes < GX_SMALL_INDEX || (rows > 1 && rows * nodes > (1u << 22)))
        return GX_OK;
    GX_TRY(gx_step(m, &from, GX_STEP_MAKE(probe.axis, s->test), s->name, 0, NULL, &found));
    GX_TRY(gx_v_offsets(m, &found, rows));
    const u32 n = found.off[rows];
    if (n > 2 * nodes)
        return GX_OK;
    gx_env env;
    gx_env_nodes(&env, (const u32 *)found.data, n);
    m->key_depth++;
    const gx_status status = gx_eval(m, key->use, &env, &use);
    m->key_depth--;
    GX_TRY(status);
    if (use.type == GX_T_SET)
        GX_TRY(gx_v_dense(m, &use, n));
    else
        GX_TRY(gx_to_str(m, &use, n));
    GX_TMP(m, keep, u32, (u64)n + 1);
    TEAM_FOR(&m->t, k1, n) {
        u32 b = 0, e = 1, vb = 0, ve = 1, work = 0;
        const u32 row = gx_row_of(found.off, rows, k1);
        if (use.type == GX_T_SET)
            gx_v_range(&use, k1, &b, &e);
        if (value->type == GX_T_SET)
            gx_v_range(value, row, &vb, &ve);
        keep[k1] = 0;
        for (; b < e && !keep[k1]; b++) {
            const gx_str x = use.type == GX_T_SET
                ? gx_node_str(gx_view_of(m, ((const u32 *)use.data)[b]), ((const u32 *)use.data)[b])
                : gx_row_str(m, &use, k1);
            for (u32 j = vb; j < ve && !keep[k1]; j++, work++) {
                const u32 node = value->type == GX_T_SET ? ((const u32 *)value->data)[j] : 0;
                keep[k1] = (u32)gx_str_equal(m, x,
                                             value->type == GX_T_SET ? gx_node_str(gx_view_of(m, node), node)
                                                                     : gx_row_str(m, value, row));
            }
        }
        if (gx_watch_late(m, &watch, work))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    GX_TRY(gx_scan(m, keep, n, &total));
    GX_TMP(m, off, u32, (u64)rows + 1);
    GX_TMP(m, ids, u32, total);
    TEAM_FOR(&m->t, k2, n)
        if (keep[k2 + 1] != keep[k2])
            ids[keep[k2]] = ((const u32 *)found.data)[k2];
    TEAM_FOR(&m->t, r1, rows + 1)
        off[r1] = keep[found.off[r1]];
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, rows, ids);
    out->off = off;
    *done = 1;
    return first ? gx_v_heads(m, out, (int)probe.last) : GX_OK;
}

#endif
