/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.h -- indexes of keys: layout, and looking up a value in one
 *
 * One index for each key name and document, made when key() first asks (key_build.h):
 *     entries by bucket (hash & mask), in document order in a bucket:  start[b] .. start[b + 1]
 *     entry: hash, node, value
 */
#ifndef GX_MACHINE_INDEX_H
#define GX_MACHINE_INDEX_H

#include "axis.h"
#include "collect.h"
#include "machine.h"
#include "memory.h"
#include "merge.h"
#include "nodes.h"

typedef struct gx_key_entry { gx_str value; u32 hash, node; } gx_key_entry;
/* refs: u32[mask + 2], gx_key_entry[n]; in a bucket the nodes of a value are in document order when all are of one
 * xsl:key */
typedef struct gx_key_index { u32 mask, n; u32 start, entries; } gx_key_index;

/* The ids of one tree: a block holds many when it was made of fragments, and id() and key() ask about the context
 * node's only. */
typedef struct gx_tree_ids { u32 first, end; } gx_tree_ids;

GX_OP gx_tree_ids gx_tree_of(const gx_view *v, u32 node)
{
    gx_tree_ids t;

    t.first = gx_root_of(v, node);
    t.end = gx_next(v, t.first);
    return t;
}

/* For gx_merge: entries by bucket, then by node, then as they were found. */
typedef struct gx_bucketing { const gx_key_entry *found; u32 mask; } gx_bucketing;
GX_OP int gx_bucket_before(const void *ctx, u32 a, u32 b)
{
    const gx_bucketing *x = (const gx_bucketing *)ctx;
    const u32 p = x->found[a].hash & x->mask, q = x->found[b].hash & x->mask;
    return p != q ? p < q : x->found[a].node != x->found[b].node ? x->found[a].node < x->found[b].node : a < b;
}
#if TEAM_IS_SOLO
GX_OP gx_status gx_key_buckets(gx_m *m, gx_key_entry *found, u32 n, u32 n_parts, u32 mask, u32 *start,
                               gx_key_entry *entries)
{
    const gx_bucketing by = { entries, mask };
    u32 *next, *perm, *aux;

    GX_TMP(m, next, u32, (u64)mask + 2);
    for (u32 i = 0; i <= mask + 1; i++)
        start[i] = 0;
    for (u32 k = 0; k < n; k++)
        start[(found[k].hash & mask) + 1]++;
    for (u32 i = 0; i <= mask; i++)
        start[i + 1] += start[i];
    for (u32 i = 0; i <= mask; i++)
        next[i] = start[i];
    for (u32 k = 0; k < n; k++)
        entries[next[found[k].hash & mask]++] = found[k];
    if (n_parts > 1) {
        GX_TMP(m, perm, u32, n);
        GX_TMP(m, aux, u32, n);
        const u32 *order = gx_merge(m, gx_bucket_before, &by, perm, aux, start, NULL, mask + 1, n);
        for (u32 k = 0; k < n; k++)
            found[k] = entries[order[k]];
        for (u32 k = 0; k < n; k++)
            entries[k] = found[k];
    }
    return GX_OK;
}
#else
#if TEAM_IS_CPU
/* Entries of one part, by counting: each member counts its own, and places them behind those of the members before.
 * Threads merge 12 levels of 4,000 entries instead; a GPU's warps would need a count each for every bucket. */
GX_OP_BIG gx_status gx_key_tally(gx_m *m, const gx_key_entry *found, u32 n, u32 mask, u32 *start,
                                 gx_key_entry *entries)
{
    const u32 parts = team_parts(&m->t), n_counts = (mask + 1) * parts;
    u32 *hash, *counts, *order, total;

    if ((u64)(mask + 1) * parts > 0xfffffff0u)
        return gx_full(m);
    GX_TMP(m, hash, u32, n);
    GX_TMP(m, order, u32, n);
    GX_TMP(m, counts, u32, (u64)n_counts + 1);
    team_sync(&m->t);
    TEAM_FOR(&m->t, k, n)
        hash[k] = found[k].hash;
    TEAM_FOR(&m->t, c, n_counts)
        counts[c] = 0;
    team_sync(&m->t);
    team_tally(&m->t, hash, mask, mask + 1, n, parts, counts, NULL);
    GX_TRY(gx_scan(m, counts, n_counts, &total));
    TEAM_FOR(&m->t, b, mask + 2)
        start[b] = counts[b * parts];
    team_sync(&m->t);
    team_tally(&m->t, hash, mask, mask + 1, n, parts, counts, order);
    team_sync(&m->t);
    TEAM_FOR(&m->t, k, n)
        entries[k] = found[order[k]];
    team_sync(&m->t);
    return GX_OK;
}
#endif
GX_OP gx_status gx_key_buckets(gx_m *m, gx_key_entry *found, u32 n, u32 n_parts, u32 mask, u32 *start,
                               gx_key_entry *entries)
{
    const gx_bucketing by = { found, mask };
    u32 *perm, *aux, *row;

#if TEAM_IS_CPU
    if (n_parts == 1)
        return gx_key_tally(m, found, n, mask, start, entries);
#endif
    (void)n_parts;
    GX_TMP(m, perm, u32, n);
    GX_TMP(m, aux, u32, n);
    GX_TMP(m, row, u32, 2);
    gx_one_row(m, row, n);
    const u32 *order = gx_merge(m, gx_bucket_before, &by, perm, aux, row, NULL, 1, n);
    TEAM_FOR(&m->t, k, n + 1) {                 /* the buckets after the entry before, up to this entry's, begin here */
        const u32 to = k < n ? found[order[k]].hash & mask : mask + 1;
        for (u32 b = k ? (found[order[k - 1]].hash & mask) + 1 : 0; b <= to; b++)
            start[b] = k;
        if (k < n)
            entries[k] = found[order[k]];
    }
    team_sync(&m->t);
    return GX_OK;
}
#endif

/* A value's hash among the children of a node (gx_key.siblings) */
GX_OP u32 gx_key_hash_in(u32 hash, u32 parent) { return hash ^ (parent + 1) * 0x9e3779b1u; }

/* Is the entry's value s? The full hash is compared first, so bytes are compared almost only where they are equal. */
GX_OP int gx_key_is(const gx_m *m, const gx_key_entry *e, u32 hash, const char *s, u32 len)
{
    return e->hash == hash && e->value.len == len && gx_bytes_equal(gx_bytes(m, e->value), s, len);
}

/* What a row's set asked for lately. Many nodes of a set have few values (key('k', //item/@kind)), and each looked up
 * again gives all of its nodes again, to be sorted out later. */
typedef struct gx_asked { u32 n, hash[8], node[8]; } gx_asked;

/* Was this string among the last eight that the row asked for? It is remembered if not. Only a saving: what is asked
 * twice is found twice, and sorted out later. */
GX_OP int gx_asked_before(const gx_m *m, gx_asked *a, u32 node, const char *s, u32 len, u32 hash)
{
    for (u32 k = 0; k < a->n && k < 8; k++)
        if (a->hash[k] == hash) {
            u32 other;
            const char *t = gx_node_bytes(gx_view_of(m, a->node[k]), a->node[k], &other);
            if (other == len && gx_bytes_equal(s, t, len))
                return 1;
        }
    a->hash[a->n & 7] = hash;
    a->node[a->n & 7] = node;
    a->n = a->n < 15 ? a->n + 1 : 8;
    return 0;
}

/*
 * The nodes of an axis among a key's (plan/join.c): a node's are within a range of ids, which a bucket's entries stand
 * in order of, since a join's key has one declaration; of those in it one look tells. So the nearest is found by
 * halving, however many have its value.
 */
typedef struct gx_axis_probe {
    const gx_view *v;
    u32 node, axis, last;       /* last: the nodes are wanted from the end */
} gx_axis_probe;

/* The ids between which all nodes of the probe's axis lie, as ids are in document order. tree: those of the whole tree.
 * Of preceding, the ancestors lie between them as well, of child the descendants: gx_axis_probe_has() tells. An
 * attribute and a namespace node have no siblings. O(1). */
GX_OP gx_tree_ids gx_axis_probe_ids(const gx_axis_probe *probe, gx_tree_ids tree)
{
    const gx_view *v = probe->v;
    const u32 parent = gx_parent(v, probe->node), axis = probe->axis;
    const int siblings = axis == GX_AXIS_FOLLOWING_SIBLING || axis == GX_AXIS_PRECEDING_SIBLING;
    const int behind = axis == GX_AXIS_FOLLOWING || axis == GX_AXIS_FOLLOWING_SIBLING,
              before = axis == GX_AXIS_PRECEDING || axis == GX_AXIS_PRECEDING_SIBLING;
    gx_tree_ids in = { probe->node + 1, gx_next(v, probe->node) };       /* child, descendant */

    if (siblings && (parent == GX_NONE || gx_is_attached(v, probe->node - v->base)))
        in.end = in.first = probe->node;
    else if (behind) {
        in.first = gx_next(v, probe->node);
        in.end = siblings ? gx_next(v, parent) : tree.end;
    } else if (before) {
        in.first = siblings ? parent : tree.first;
        in.end = probe->node;
    }
    return in;
}
/* The hash by which the index has what is on the axis */
GX_OP u32 gx_axis_probe_hash(const gx_axis_probe *probe, u32 hash)
{
    const int siblings = probe->axis == GX_AXIS_FOLLOWING_SIBLING || probe->axis == GX_AXIS_PRECEDING_SIBLING;

    if (!siblings && probe->axis != GX_AXIS_CHILD)
        return hash;
    return gx_key_hash_in(hash, siblings ? gx_parent(probe->v, probe->node) : probe->node);
}
/* Is this node, which is between the ids of gx_axis_probe_ids(), on the axis? O(1). */
GX_OP int gx_axis_probe_has(const gx_axis_probe *probe, u32 node)
{
    const gx_view *v = probe->v;

    switch (probe->axis) {
    case GX_AXIS_CHILD: return gx_parent(v, node) == probe->node;
    case GX_AXIS_FOLLOWING_SIBLING:
    case GX_AXIS_PRECEDING_SIBLING: return gx_parent(v, node) == gx_parent(v, probe->node);
    case GX_AXIS_PRECEDING: return gx_next(v, node) <= probe->node;      /* else an ancestor */
    default: return 1;
    }
}
/* The first of the entries lo .. hi - 1, which are in document order, whose node is not before `node`. */
GX_OP u32 gx_key_lower(const gx_key_entry *e, u32 lo, u32 hi, u32 node)
{
    while (lo < hi) {
        const u32 mid = lo + (hi - lo) / 2;
        if (e[mid].node < node)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}
/* The entries among which those of the hash are, as indexes; tree: the ids that count */
GX_OP gx_tree_ids gx_key_range(const gx_key_index *index, const u32 *start, const gx_key_entry *e, gx_tree_ids tree,
                               const gx_axis_probe *probe, u32 hash)
{
    const u32 b = hash & index->mask;
    gx_tree_ids at = { start[b], start[b + 1] };

    if (probe) {
        at.first = gx_key_lower(e, at.first, at.end, tree.first);
        at.end = gx_key_lower(e, at.first, at.end, tree.end);
    }
    return at;
}

/* The nodes of string s in the index `ref`, into f, in the order of the bucket, or backwards where the probe wants the
 * last. tree: the ids that count; probe: NULL, or whose axis they must be on. hash: gx_hash's of s, or the one of
 * gx_axis_probe_hash. A node that has the value twice stands twice in a row and is put once. O(entries of the bucket),
 * or of its part on the axis, up to f->enough. */
GX_OP void gx_key_fill(const gx_m *m, u32 ref, gx_tree_ids tree, const gx_axis_probe *probe, const char *s, u32 len,
                       u32 hash, gx_fill *f)
{
    const gx_key_index *index = GX_PTR(m, const gx_key_index, ref);
    const gx_key_entry *e = GX_PTR(m, const gx_key_entry, index->entries);
    u32 last = GX_NONE;                 /* a node with the same value twice */
    const gx_tree_ids at = gx_key_range(index, GX_PTR(m, const u32, index->start), e, tree, probe, hash);

    for (u32 i = at.first; i < at.end; i++, f->work++) {
        const gx_key_entry *x = &e[probe && probe->last ? at.end - 1 - (i - at.first) : i];
        if (x->node != last && x->node >= tree.first && x->node < tree.end && gx_key_is(m, x, hash, s, len)
            && (!probe || gx_axis_probe_has(probe, x->node))) {
            last = x->node;
            if (gx_put(f, last))
                return;
        }
    }
}

#endif
