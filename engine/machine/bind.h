/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bind.h -- a program's names bound to a document's labels, once for each document of a run
 *
 * After it a name test is one compare of u32s. Cost: a hash lookup for each label of the document; arrays of the
 * program's names. gx_view_bind is called by one member between syncs; a GPU's team shares the labels
 * (kernels/launch.h), since a chain of cold loads a label, one label after the other, is 20 us there.
 */
#ifndef GX_MACHINE_BIND_H
#define GX_MACHINE_BIND_H

#include "machine.h"
#include "memory.h"

/* Does the program have a test p:*? */
GX_OP int gx_has_wild(const gx_program *p)
{
    const gx_pname *names = GX_PROG_TAB(p, gx_pname, pnames);

    for (u32 i = 1; i < p->pnames.n; i++)
        if (GX_LIT(p, names[i].local).len == 1 && *GX_LIT_AT(p, names[i].local) == '*')
            return 1;
    return 0;
}

/* The labels first, first + step, ... of an open view (below) whose program's names lie in v->names */
GX_OP void gx_view_match(gx_m *m, gx_view *v, u32 first, u32 step)
{
    const gx_program *p = m->run->program;
    const gx_pname *names = GX_PROG_TAB(p, gx_pname, pnames);
    const gx_lit *lits = m->run->lits;
    const char *heap = GX_DOC_COL(v->doc, char, strs);
    const u32 mask = v->names_mask;

    for (u32 id = first; id < v->doc->n_labels; id += step) {
        const gx_label_info *l = &v->labels[id];
        u32 h = l->hash & mask, at = 0;
        if (id > 2)
            for (; v->names[h]; h = (h + 1) & mask) {
                const gx_pname *x = &names[v->names[h]];
                gx_lit uri = lits[x->uri], local = lits[x->local];
                if (x->hash == l->hash && uri.len == l->uri_len && local.len == l->local_len
                    && team_equal((const char *)p + local.off, heap + l->local, local.len)
                    && team_equal((const char *)p + uri.off, heap + l->uri, uri.len)) {
                    at = v->names[h];
                    break;
                }
            }
        ((u32 *)v->pname_of)[id] = at;
        if (at)
            ((u32 *)(l->kind == GX_KIND_ELEM       ? v->elem
                         : l->kind == GX_KIND_ATTR ? v->attr
                         : l->kind == GX_KIND_PI   ? v->pi
                                                   : v->nsnode))[at] = GX_LABEL(l->kind, id);
    }
}

/* Where the first label in this namespace stands, or is to stand, in an open hash table of 1 + label, few + 1 of
 * them */
GX_OP u32 *gx_uri_slot(u64 seed, const gx_label_info *labels, const char *heap, u32 *first, u32 few, const char *uri,
                       u32 len)
{
    u32 h = gx_hash(seed, uri, len) & few;

    while (first[h] && !(labels[first[h] - 1].uri_len == len && team_equal(heap + labels[first[h] - 1].uri, uri, len)))
        h = (h + 1) & few;
    return &first[h];
}

/* All of it but gx_view_match, for which the run's tables have room: the table of names for that lies above the
 * scratch's top, until something is allocated there. */
GX_OP gx_status gx_view_open(gx_m *m, const gx_doc *doc, u32 k)
{
    const gx_program *p = m->run->program;
    const gx_pname *names = GX_PROG_TAB(p, gx_pname, pnames);
    const gx_lit *lits = m->run->lits;
    u32 n = p->pnames.n, mask = 15, *table, *elem, *attr, *pi, *nsnode, *pname_of, *uri_of = NULL, *uri_test = NULL;
    gx_view *v = &m->run->views[k];
    const gx_label_info *labels = GX_DOC_COL(doc, gx_label_info, labels);
    const char *heap = GX_DOC_COL(doc, char, strs);
    u64 tmp;
/* the first document's arrays stay at the foot of the scratch; later ones (host steps) come while it is in use */
#define GX_BIND(array, n) do { (array) = (u32 *)(k ? gx_keep(m, (u64)(n) * 4) : gx_tmp(m, (u64)(n) * 4)); \
    if (!(array)) return gx_full_alone(m); } while (0)

    GX_CLEAR(v);
    v->doc = doc;
    v->label = GX_DOC_COL(doc, u32, label);
    v->parent = GX_DOC_COL(doc, u32, parent);
    v->next = GX_DOC_COL(doc, u32, next);
    v->depth = GX_DOC_COL(doc, u16, depth);
    v->text_off = GX_DOC_COL(doc, u32, text_off);
    v->text_len = GX_DOC_COL(doc, u32, text_len);
    v->ns = doc->ns ? GX_DOC_COL(doc, u32, ns) : NULL;
    v->index_start = GX_DOC_COL(doc, u32, index_start);
    v->index = GX_DOC_COL(doc, u32, index);
    v->labels = labels;
    v->roots = GX_DOC_COL(doc, u32, roots);
    v->text = GX_DOC_COL(doc, char, text);
    v->values = GX_DOC_COL(doc, char, values);
    v->text_at = GX_STR_AT(GX_SPACE_DOC + k, doc->text);
    v->values_at = GX_STR_AT(GX_SPACE_DOC + k, doc->values);
    v->base = k ? m->run->views[k - 1].base + m->run->views[k - 1].n_nodes : 0;
    v->n_nodes = doc->n_nodes;
    v->n_roots = doc->n_roots;
    v->flags = doc->flags;
    if (k == 0) {
        m->run->space[GX_SPACE_DOC] = (const char *)doc;
        m->run->seed = doc->seed;
    }

    GX_BIND(elem, 4 * (u64)n);
    attr = elem + n;
    pi = attr + n;
    nsnode = pi + n;
    GX_BIND(pname_of, doc->n_labels);
    if (gx_has_wild(p)) {
        GX_BIND(uri_of, doc->n_labels);
        GX_BIND(uri_test, n);
    }
    tmp = m->tmp;
    while (mask < 2 * n)
        mask = 2 * mask + 1;
    GX_TMP_ALONE(m, table, u32, mask + 1);
    gx_zero(table, ((u64)mask + 1) * 4);
    for (u32 i = 0; i < n; i++) {
        elem[i] = attr[i] = pi[i] = nsnode[i] = GX_LABEL_NOTHING;
        if (!i)
            continue;
        u32 h = names[i].hash & mask;
        while (table[h])
            h = (h + 1) & mask;
        table[h] = i;
    }
    if (uri_of) {                       /* p:* tests: labels' namespaces by the first label that has each */
        u32 *first, few = 15;           /* by hash: 1 + that label */
        while (few < 2 * doc->n_labels)
            few = 2 * few + 1;
        GX_TMP_ALONE(m, first, u32, few + 1);
        gx_zero(first, ((u64)few + 1) * 4);
        for (u32 id = 0; id < doc->n_labels; id++) {
            u32 *slot = gx_uri_slot(doc->seed, labels, heap, first, few, heap + labels[id].uri, labels[id].uri_len);
            if (!*slot)
                *slot = id + 1;
            uri_of[id] = *slot - 1;
        }
        for (u32 i = 0; i < n; i++)     /* 0: no label, GX_NONE */
            uri_test[i] = *gx_uri_slot(doc->seed, labels, heap, first, few, (const char *)p + lits[names[i].uri].off,
                                       lits[names[i].uri].len)
                - 1;
    }
    v->elem = elem;
    v->attr = attr;
    v->pi = pi;
    v->nsnode = nsnode;
    v->pname_of = pname_of;
    v->uri_of = uri_of;
    v->uri_test = uri_test;
    v->names = table;
    v->names_mask = mask;
    m->tmp = tmp;
    m->run->n_docs = m->n_docs = k + 1;
    m->run->n_nodes = v->base + doc->n_nodes;
    if (doc->max_depth > m->run->max_depth)
        m->run->max_depth = doc->max_depth;
    return GX_OK;
}

GX_OP gx_status gx_view_bind(gx_m *m, const gx_doc *doc, u32 k)
{
    GX_TRY(gx_view_open(m, doc, k));
    gx_view_match(m, &m->run->views[k], 0, 1);
    return GX_OK;
}

/* ---- IDs ---- */

/* The element with this ID, GX_NONE if there is none. The document's IDs are sorted by seeded hashes: O(log IDs), and a
 * comparison of bytes for each that has the same hash. */
GX_OP u32 gx_id_node(const gx_view *v, const char *s, u32 len)
{
    const gx_doc_id *ids = GX_DOC_COL(v->doc, gx_doc_id, ids);
    const char *heap = GX_DOC_COL(v->doc, char, strs);
    u32 hash = gx_hash(v->doc->seed, s, len), lo = 0, hi = v->doc->n_ids;

    while (lo < hi) {
        u32 mid = (lo + hi) / 2;
        if (ids[mid].hash < hash)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < v->doc->n_ids && ids[lo].hash == hash; lo++)
        if (ids[lo].value_len == len && team_equal(heap + ids[lo].value, s, len))
            return ids[lo].node + v->base;
    return GX_NONE;
}

#endif
