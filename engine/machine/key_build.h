/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key_build.h -- making indexes of keys
 *
 * An instruction that looks up in an index that is not there says GX_NEED (gx_key_indexes, lookup.h). The machine opens
 * a level for it (run.h), evaluates `match` and `use` for the nodes of the document here, and the instruction begins
 * again. What they need first, another key's index perhaps, opens a level of its own. So nothing recurses.
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

/* found[] := the entries of one xsl:key, one for each string of each node, in the nodes' order. With part->siblings the
 * parent's number goes into the hash. O(bytes of the strings). Fails with GX_ETIME. */
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

/* The indexes of key `name` that the documents of these rows' nodes lack, one after the other. GX_NEED: something else
 * first; called again, it goes on with those that are still lacking. */
GX_OP_BIG gx_status gx_key_build_all(gx_m *m, u32 name, const u32 *names, const u32 *nodes, u32 rows)
{
    for (u32 at = 0, view; (view = gx_doc_lacking(m, name, names, nodes, rows, &at)) != GX_NONE; )
        GX_TRY(gx_key_build(m, name, view));
    return GX_OK;
}

#endif
