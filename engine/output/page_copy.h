/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_copy.h -- nodes of the document with all below them, as bytes of a page
 *
 * The *piece* of a node in a copy is the end tags that stand before it, then its own: a start tag with its attributes,
 * a text, a comment. Behind the last node one more piece has the end tags that are left. So a copy is its pieces, the
 * pieces of all copies stand one behind the other, and prefix sums say how long each copy is and where each node of it
 * begins: all nodes of all copies are measured, and written, at once. What is not copied costs nothing.
 *
 * The document has no namespaces, and no default one is in scope: then tags stand in a copy as they would alone.
 *
 * copies: u32[n_items + 1], pieces before those of each item. pieces: u32[copies[n_items] + 1], bytes before each.
 * ends: of each piece those of its end tags.
 */
#ifndef GX_PAGE_COPY_H
#define GX_PAGE_COPY_H

#include "page_items.h"

GX_OP u32 gx_page_kind(const gx_page *pg, u32 id) { return GX_LABEL_KIND(GX_DOC_COL(pg->doc, u32, label)[id]); }

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

/* The end tags between node id - 1 and node id, of elements from `top` on. The node before id, or the element whose
 * attribute it is, has no end tag of its own: nothing is inside. */
GX_OP_BIG u64 gx_page_ends(const gx_page *pg, u32 id, u32 top, char *to)
{
    const u32 *next = GX_DOC_COL(pg->doc, u32, next), *parent = GX_DOC_COL(pg->doc, u32, parent);
    u64 n = 0;
    u32 up = id - 1;
    if (GX_IS_ATTACHED(gx_page_kind(pg, up)))
        up = parent[up];
    if (next[up] != id)
        return 0;
    while (up != top) {
        up = parent[up];
        if (next[up] != id)
            break;
        if (gx_page_kind(pg, up) != GX_KIND_ELEM)       /* the root node */
            break;
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

/* Of piece k: whose item's it is, and which node comes in it (next[item->row]: none, the end tags alone) */
typedef struct gx_page_piece { u32 item, top, id, stop; } gx_page_piece;
GX_OP gx_page_piece gx_page_piece_of(const gx_page *pg, u32 k)
{
    u32 lo = 0, hi = pg->n_items;
    while (hi - lo > 1) {               /* copies[lo] <= k < copies[hi] */
        const u32 mid = (lo + hi) / 2;
        if (pg->copies[mid] <= k)
            lo = mid;
        else
            hi = mid;
    }
    const u32 top = pg->item[lo].row;
    const gx_page_piece piece = { lo, top, top + (k - pg->copies[lo]), GX_DOC_COL(pg->doc, u32, next)[top] };
    return piece;
}

/* Does a node come in it? Attributes are part of their element's piece. */
GX_OP int gx_page_piece_has_node(const gx_page *pg, const gx_page_piece *p)
{
    return p->id == p->top || (p->id < p->stop && !GX_IS_ATTACHED(gx_page_kind(pg, p->id)));
}

/* pg->copies, pg->pieces and pg->ends, if something is copied but text. */
GX_OP_BIG gx_status gx_page_pieces(gx_page *pg)
{
    const gx_doc *d = pg->doc;
    const u32 n = pg->n_items, *label = GX_DOC_COL(d, u32, label), *next = GX_DOC_COL(d, u32, next);
    int some = 0;
    pg->copies = pg->pieces = NULL;
    TEAM_FOR(&pg->t, i, n) {
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
    GX_PAGE_ROOM(pg, pg->copies, u32, n + 1);
    u32 *const copies = pg->copies;
    TEAM_FOR(&pg->t, i, n) {
        const gx_page_item *item = &pg->item[i];
        copies[i] = gx_page_is_copy(pg, item) ? next[item->row] - item->row + 1 : 0;
    }
    const u64 total = team_scan(&pg->t, copies, n);
    if (total > GX_PAGE_MOST)
        return pg->status = GX_EHOST;
    GX_PAGE_ROOM(pg, pg->pieces, u32, total + 1);
    GX_PAGE_ROOM(pg, pg->ends, u32, total + 1);
    u32 *const pieces = pg->pieces, *const ends = pg->ends;
    TEAM_FOR(&pg->t, k, (u32)total) {
        const gx_page_piece p = gx_page_piece_of(pg, k);
        ends[k] = p.id == p.top ? 0 : (u32)gx_page_ends(pg, p.id, p.top, NULL);
    }
    TEAM_FOR(&pg->t, j, (u32)total) {
        const gx_page_piece p = gx_page_piece_of(pg, j);
        const u64 len = ends[j] + (gx_page_piece_has_node(pg, &p) ? gx_page_own(pg, p.id, NULL) : 0);
        pg->wrong |= len > GX_PAGE_MOST;
        pieces[j] = (u32)len;
    }
    GX_PAGE_TRY(gx_page_agree(pg));
    if (team_scan(&pg->t, pieces, total) > GX_PAGE_MOST)
        return pg->status = GX_EHOST;
    return GX_OK;
}

/* Bytes of item i, a copy, before piece k */
GX_OP u32 gx_page_copied(const gx_page *pg, u32 i, u32 k) { return pg->pieces[k] - pg->pieces[pg->copies[i]]; }

/* Where piece k stands in the page */
GX_OP char *gx_page_piece_at(const gx_page *pg, const gx_page_piece *p, u32 k)
{
    const gx_page_item *item = &pg->item[p->item];
    const u32 head = item->facts & GX_ITEM_BEFORE ? pg->prepared->head_len : 0;
    return pg->out + gx_page_place(pg, item) + head + gx_page_copied(pg, p->item, k);
}

/* All copies: their pieces, one after the other, are shared out; end tags by themselves, since threads that have parted
 * in one call go through the next one each alone. */
GX_OP_BIG void gx_page_copies_write(gx_page *pg)
{
    if (!pg->pieces)
        return;
    const u32 n = pg->copies[pg->n_items];
    TEAM_FOR(&pg->t, k, n) {
        const gx_page_piece p = gx_page_piece_of(pg, k);
        if (pg->ends[k])
            gx_page_ends(pg, p.id, p.top, gx_page_piece_at(pg, &p, k));
    }
    TEAM_FOR(&pg->t, j, n) {
        const gx_page_piece p = gx_page_piece_of(pg, j);
        if (gx_page_piece_has_node(pg, &p))
            gx_page_own(pg, p.id, gx_page_piece_at(pg, &p, j) + pg->ends[j]);
    }
    team_sync(&pg->t);
}

#endif
