/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_copy.h -- nodes of the document with all below them, as bytes of a page
 *
 * The *piece* of a node is the end tags that stand before it, then its own: a start tag with its attributes, a text, a
 * comment. A subtree is the pieces of the nodes behind its top one, between the top one's start tag and its end tag. So
 * prefix sums of pieces say where each node of each copy begins, and all nodes of all copies are written at once.
 *
 * The document has no namespaces, and no default one is in scope: then tags stand in a copy as they would alone.
 *
 * pieces: u32[n_nodes + 1], bytes of the pieces before each node.
 */
#ifndef GX_PAGE_COPY_H
#define GX_PAGE_COPY_H

#include "page_items.h"

GX_OP u32 gx_page_kind(const gx_page *pg, u32 id) { return GX_LABEL_KIND(GX_DOC_COL(pg->doc, u32, label)[id]); }

/* Has the element nothing inside? */
GX_OP int gx_page_is_empty(const gx_page *pg, u32 id)
{
    const u32 stop = GX_DOC_COL(pg->doc, u32, next)[id];
    u32 i = id + 1;
    while (i < stop && GX_IS_ATTACHED(gx_page_kind(pg, i)))
        i++;
    return i == stop;
}

/* A node's name, at `to` unless that is NULL: its bytes */
GX_OP u32 gx_page_name(const gx_page *pg, u32 id, char *to)
{
    const gx_label_info *l =
        &GX_DOC_COL(pg->doc, gx_label_info, labels)[GX_LABEL_ID(GX_DOC_COL(pg->doc, u32, label)[id])];
    const char *strs = GX_DOC_COL(pg->doc, char, strs);
    const u32 prefix = l->uri_len ? l->prefix_len : 0, n = prefix ? prefix + 1 : 0;
    if (to && n) {
        gx_move(to, strs + l->prefix, prefix);
        to[prefix] = ':';
    }
    if (to)
        gx_move(to + n, strs + l->local, l->local_len);
    return n + l->local_len;
}

GX_OP u64 gx_page_literal(char *to, u64 at, const char *s)
{
    u32 n = 0;
    for (; s[n]; n++)
        if (to)
            to[at + n] = s[n];
    return at + n;
}

GX_OP_BIG u64 gx_page_start_tag(const gx_page *pg, u32 id, char *to)
{
    const u32 stop = GX_DOC_COL(pg->doc, u32, next)[id];
    u64 n = gx_page_literal(to, 0, "<");
    u32 len, i = id + 1;
    const char *s;
    n += gx_page_name(pg, id, to ? to + n : NULL);
    for (; i < stop && GX_IS_ATTACHED(gx_page_kind(pg, i)); i++) {
        if (gx_page_kind(pg, i) != GX_KIND_ATTR)
            continue;
        n = gx_page_literal(to, n, " ");
        n += gx_page_name(pg, i, to ? to + n : NULL);
        n = gx_page_literal(to, n, "=\"");
        gx_page_node_text(pg, i, &s, &len);
        n += gx_page_escape(to ? to + n : NULL, s, len, GX_ESC_ATTR);
        n = gx_page_literal(to, n, "\"");
    }
    return gx_page_literal(to, n, i == stop ? "/>" : ">");
}

/* A node's own bytes, without what is below it; of an element its start tag */
GX_OP_BIG u64 gx_page_own(const gx_page *pg, u32 id, char *to)
{
    const char *s;
    u64 n;
    u32 len;
    switch (gx_page_kind(pg, id)) {
    case GX_KIND_ELEM:
        return gx_page_start_tag(pg, id, to);
    case GX_KIND_TEXT:
        gx_page_node_text(pg, id, &s, &len);
        return gx_page_escape(to, s, len, GX_ESC_TEXT);
    case GX_KIND_COMMENT:
        gx_page_node_text(pg, id, &s, &len);
        n = gx_page_literal(to, 0, "<!--");
        n += gx_page_escape(to ? to + n : NULL, s, len, GX_PAGE_RAW);
        return gx_page_literal(to, n, "-->");
    case GX_KIND_PI:
        gx_page_node_text(pg, id, &s, &len);
        n = gx_page_literal(to, 0, "<?");
        n += gx_page_name(pg, id, to ? to + n : NULL);
        n = gx_page_literal(to, n, len ? " " : "");
        n += gx_page_escape(to ? to + n : NULL, s, len, GX_PAGE_RAW);
        return gx_page_literal(to, n, "?>");
    }
    return 0;
}

/* The end tags between node id - 1 and node id, of elements from `top` on */
GX_OP_BIG u64 gx_page_ends(const gx_page *pg, u32 id, u32 top, char *to)
{
    const u32 *next = GX_DOC_COL(pg->doc, u32, next), *parent = GX_DOC_COL(pg->doc, u32, parent);
    u64 n = 0;
    u32 up = id - 1;
    while (GX_IS_ATTACHED(gx_page_kind(pg, up)))
        up = parent[up];
    for (; up != GX_NONE && up >= top && next[up] == id; up = parent[up]) {
        if (gx_page_kind(pg, up) != GX_KIND_ELEM || gx_page_is_empty(pg, up))
            continue;
        n = gx_page_literal(to, n, "</");
        n += gx_page_name(pg, up, to ? to + n : NULL);
        n = gx_page_literal(to, n, ">");
    }
    return n;
}

GX_OP int gx_page_is_copy(const gx_page *pg, const gx_page_item *item)
{
    return item->what == GX_KID_COPY && !pg->is_text && gx_page_kind(pg, item->row) != GX_KIND_TEXT;
}

/* pg->pieces, if something is copied but text. */
GX_OP_BIG gx_status gx_page_pieces(gx_page *pg)
{
    const gx_doc *d = pg->doc;
    const u32 n = d->n_nodes, *label = GX_DOC_COL(d, u32, label);
    int some = 0;
    pg->pieces = NULL;
    TEAM_FOR(&pg->t, i, pg->n_items) {
        const gx_page_item *item = &pg->item[i];
        if (!gx_page_is_copy(pg, item))
            continue;
        some = 1;
        pg->wrong |= item->escape || GX_IS_ATTACHED(GX_LABEL_KIND(label[item->row]));
    }
    if (!team_any(&pg->t, some))
        return GX_OK;
    if (!(pg->prepared->page_flags & GX_PP_COPY) || d->n_ns_lists > 1 || d->n_odd)
        pg->wrong = 1;
    if (pg->list != GX_NONE) {
        const gx_nslist *l = &GX_PROG_TAB(pg->p, gx_nslist, nslists)[pg->list];
        for (u32 i = 0; i < l->n; i++)
            pg->wrong |= !GX_LIT(pg->p, GX_PROG_TAB(pg->p, gx_nsdecl, nsdecls)[l->first + i].prefix).len;
    }
    GX_PAGE_TRY(gx_page_agree(pg));
    GX_PAGE_ROOM(pg, pg->pieces, u32, n + 1);
    u32 *const pieces = pg->pieces;
    TEAM_FOR(&pg->t, i, n) {
        const u64 len = (i ? gx_page_ends(pg, i, 0, NULL) : 0) + gx_page_own(pg, i, NULL);
        pg->wrong |= len > GX_PAGE_MOST;
        pieces[i] = (u32)len;
    }
    GX_PAGE_TRY(gx_page_agree(pg));
    if (team_scan(&pg->t, pieces, n) > GX_PAGE_MOST)
        return pg->status = GX_EHOST;
    return GX_OK;
}

/* Bytes of a copy */
GX_OP u32 gx_page_copy_length(const gx_page *pg, u32 top)
{
    const u32 stop = GX_DOC_COL(pg->doc, u32, next)[top], n = pg->doc->n_nodes;
    const u32 before = top ? (u32)gx_page_ends(pg, top, 0, NULL) : 0;
    const u32 inside = pg->pieces[stop < n ? stop : n] - pg->pieces[top] - before;
    return inside + (u32)gx_page_ends(pg, stop, top, NULL);
}

/* All copies: their nodes, one after the other, are shared out. */
GX_OP_BIG gx_status gx_page_copies_write(gx_page *pg)
{
    const u32 *next = GX_DOC_COL(pg->doc, u32, next);
    const u32 n = pg->n_items;
    u32 *first;
    if (!pg->pieces)
        return GX_OK;
    GX_PAGE_ROOM(pg, first, u32, n + 1);
    TEAM_FOR(&pg->t, i, n) {
        const gx_page_item *item = &pg->item[i];
        first[i] = gx_page_is_copy(pg, item) ? next[item->row] - item->row + 1 : 0;
    }
    const u64 total = team_scan(&pg->t, first, n);
    if (total > GX_PAGE_MOST)
        return pg->status = GX_EHOST;
    TEAM_FOR(&pg->t, k, (u32)total) {
        u32 lo = 0, hi = n;
        while (hi - lo > 1) {           /* first[lo] <= k < first[hi] */
            const u32 mid = (lo + hi) / 2;
            if (first[mid] <= k)
                lo = mid;
            else
                hi = mid;
        }
        const gx_page_item *item = &pg->item[lo];
        const u32 top = item->row, id = top + (k - first[lo]), stop = next[top];
        if (id < stop && GX_IS_ATTACHED(gx_page_kind(pg, id)))
            continue;
        const u32 before = top ? (u32)gx_page_ends(pg, top, 0, NULL) : 0;
        const u32 at = id == top ? 0
            : pg->pieces[id < pg->doc->n_nodes ? id : pg->doc->n_nodes] - pg->pieces[top] - before;
        char *to = pg->out + item->at + (item->facts & GX_ITEM_BEFORE ? pg->prepared->head_len : 0) + at;
        if (id != top)
            to += gx_page_ends(pg, id, top, to);
        if (id < stop)
            gx_page_own(pg, id, to);
    }
    team_sync(&pg->t);
    return GX_OK;
}

#endif
