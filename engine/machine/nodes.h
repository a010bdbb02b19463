/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nodes.h -- nodes of the run's documents: which document, kind, parent, string-value
 *
 * A node is one number in a run. A run with one document needs no search for its view (gx_view_index).
 */
#ifndef GX_MACHINE_NODES_H
#define GX_MACHINE_NODES_H

#include "machine.h"

/* Which of the n views the node is in */
GX_OP_BIG u32 gx_view_find(const gx_view *v, u32 n, u32 node)
{
    u32 lo = 0, hi = n;                 /* v[lo].base <= node < v[hi].base */

    while (hi - lo > 1) {
        u32 mid = lo + (hi - lo) / 2;
        if (v[mid].base <= node)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}
GX_OP u32 gx_view_index(const gx_m *m, u32 node)
{
    return GX_MAX_DOCS == 1 || m->n_docs == 1 ? 0 : gx_view_find(m->run->views, m->n_docs, node);
}
/* What is made for a document when it is asked for first: refs of a gx_key_index a key name, then of gx_marks, of count
 * and from, a number; then, a mode, of its nodes' rules (classify.h) and two counts */
GX_OP u32 gx_doc_refs(const gx_program *p) { return p->key_names.n + 2 * p->numbers.n + 3 * p->modes.n; }
GX_OP u32 *gx_doc_ref(const gx_run *r, u32 view, u32 which)
{
    return &r->doc_refs[(u64)view * gx_doc_refs(r->program) + which];
}
/* From row *at on, the next document of the rows' nodes that lacks its ref `which`: its index, and *at its row; or
 * GX_NONE. names: rows with another name do not count. By all members. */
GX_OP_BIG u32 gx_doc_lacking(gx_m *m, u32 which, const u32 *names, const u32 *nodes, u32 rows, u32 *at)
{
    u32 mine = GX_NONE;

    if (m->n_docs == 1 && !names)
        return *gx_doc_ref(m->run, 0, which) ? GX_NONE : 0;
    for (u32 i = *at + team_rank(&m->t); i < rows && mine == GX_NONE; i += team_size(&m->t))
        if ((!names || names[i] == which) && !*gx_doc_ref(m->run, gx_view_index(m, nodes[i]), which))
            mine = i;
    *at = team_min(&m->t, mine);
    return *at == GX_NONE ? GX_NONE : gx_view_index(m, nodes[*at]);
}
GX_OP const gx_view *gx_view_of(const gx_m *m, u32 node) { return m->run->views + gx_view_index(m, node); }
GX_OP u32 gx_label(const gx_view *v, u32 node) { return v->label[node - v->base]; }
GX_OP u32 gx_kind(const gx_view *v, u32 node) { return GX_LABEL_KIND(v->label[node - v->base]); }
GX_OP u32 gx_next(const gx_view *v, u32 node) { return v->next[node - v->base] + v->base; }
GX_OP u32 gx_parent(const gx_view *v, u32 node)
{
    u32 p = v->parent[node - v->base];
    return p == GX_NONE ? p : p + v->base;
}
GX_OP u32 gx_root_of(const gx_view *v, u32 node)
{
    if (v->n_roots == 1)
        return v->base;
    u32 lo = 0, hi = v->n_roots;            /* roots[lo] <= node < roots[hi] */
    while (hi - lo > 1) {
        u32 mid = (lo + hi) / 2;
        if (v->roots[mid] <= node - v->base)
            lo = mid;
        else
            hi = mid;
    }
    return v->roots[lo] + v->base;
}
GX_OP int gx_view_holds(const gx_view *v, u32 node) { return node - v->base < v->n_nodes; }
/* First child or GX_NONE: skips namespace nodes and attributes. */
GX_OP u32 gx_first_child(const gx_view *v, u32 node)
{
    u32 end = v->next[node - v->base], c = node - v->base + 1;

    while (c < end) {
        u32 kind = GX_LABEL_KIND(v->label[c]);
        if (!GX_IS_ATTACHED(kind))
            return c + v->base;
        c++;
    }
    return GX_NONE;
}
/* Elsewhere than the text that elements' string-values are parts of: attributes, comments ... */
GX_OP int gx_kind_in_values(u32 kind) { return kind > GX_KIND_TEXT; }
/* string-value (XPath 1.0, 5): always a slice */
GX_OP gx_str gx_node_str(const gx_view *v, u32 node)
{
    u32 i = node - v->base;
    u32 len = v->text_len[i];

    if (!len)
        return gx_str_none();
    return gx_str_make((gx_kind_in_values(GX_LABEL_KIND(v->label[i])) ? v->values_at : v->text_at) + v->text_off[i],
                       len);
}
/* A slice of the document's heap of names */
GX_OP gx_str gx_view_name(const gx_view *v, u32 off, u32 len)
{
    return gx_str_make(GX_STR_AT(GX_STR_SPACE(v->text_at), v->doc->strs + off), len);
}
GX_OP const char *gx_node_bytes(const gx_view *v, u32 node, u32 *len)
{
    u32 i = node - v->base;

    *len = v->text_len[i];
    return (gx_kind_in_values(GX_LABEL_KIND(v->label[i])) ? v->values : v->text) + v->text_off[i];
}

#endif
