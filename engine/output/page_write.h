/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_write.h -- the page: lengths of items from the deepest level up, their places from the top down, their bytes
 */
#ifndef GX_PAGE_WRITE_H
#define GX_PAGE_WRITE_H

#include "page_copy.h"

/* What an item that is no frame writes; where: as gx_page_escape's. Copies of elements are written elsewhere. */
GX_OP_BIG u64 gx_page_leaf(gx_page *pg, const gx_page_item *item, char *to)
{
    const char *s;
    u32 n;
    if (item->what == GX_NONE)
        return 0;
    if (gx_page_is_copy(pg, item)) {
        const u32 head = item->facts & GX_ITEM_BEFORE ? pg->prepared->head_len : 0;
        if (to)
            gx_page_escape(to, pg->literals + pg->prepared->head, head, GX_PAGE_RAW);
        const u32 i = (u32)(item - pg->item);
        return head + (to ? 0 : gx_page_copied(pg, i, pg->copies[i + 1]));
    }
    gx_page_node_text(pg, item->row, &s, &n);
    pg->wrong |= n && item->facts & GX_ITEM_BEFORE;
    pg->wrong |= item->escape && gx_page_may_be_macro(s, n, item->escape - 1u);
    if (item->what == GX_KID_COPY && pg->is_text && gx_page_kind(pg, item->row) > GX_KIND_ELEM
        && gx_page_kind(pg, item->row) != GX_KIND_TEXT)
        return 0;
    return gx_page_escape(to, s, n, item->escape ? item->escape - 1u : pg->is_text ? (u32)GX_PAGE_RAW : GX_ESC_TEXT);
}

/* A copy before the document element decides the method by its name */
GX_OP int gx_page_is_html_root(const gx_page *pg, u32 id)
{
    const u32 *next = GX_DOC_COL(pg->doc, u32, next);
    if (gx_page_kind(pg, id) == GX_KIND_ROOT)
        for (id++; id < pg->doc->n_nodes && gx_page_kind(pg, id) != GX_KIND_ELEM; id = next[id])
            ;
    if (id >= pg->doc->n_nodes || gx_page_kind(pg, id) != GX_KIND_ELEM)
        return 0;
    const gx_label_info *l =
        &GX_DOC_COL(pg->doc, gx_label_info, labels)[GX_LABEL_ID(GX_DOC_COL(pg->doc, u32, label)[id])];
    const char *s = GX_DOC_COL(pg->doc, char, strs) + l->local;
    return l->local_len == 4 && (s[0] | 32) == 'h' && (s[1] | 32) == 't' && (s[2] | 32) == 'm' && (s[3] | 32) == 'l';
}

/* len, wants and ends of the items [first, stop), whose kids' are known; then the kids' places in their runs. */
GX_OP_BIG gx_status gx_page_level(gx_page *pg, u32 first, u32 stop)
{
    const u32 n = stop - first;
    const u64 used = pg->used;
    u32 *sums, *full, *list;
    TEAM_FOR(&pg->t, i, n) {
        gx_page_item *item = &pg->item[first + i];
        gx_page_walker w;
        u64 len;
        if (!gx_page_is_frame(item)) {
            pg->wrong |= item->facts & GX_ITEM_BEFORE && gx_page_is_copy(pg, item)
                && pg->prepared->page_flags & GX_PP_BY_NAME && gx_page_is_html_root(pg, item->row);
            len = gx_page_leaf(pg, item, NULL);
        } else {
            gx_page_walk(&w, pg, first + i, GX_WALK_LENGTH);
            len = w.len;
            item->facts |= (u8)((w.wants ? GX_ITEM_WANTS : 0) | (w.last == GX_LAST_BLOCK ? GX_ITEM_BLOCK : 0));
        }
        pg->wrong |= len > GX_PAGE_MOST;
        item->len = (u32)len;
    }
    GX_PAGE_TRY(gx_page_agree(pg));
    GX_PAGE_ROOM(pg, sums, u32, n + 1);
    GX_PAGE_ROOM(pg, full, u32, n + 1);
    GX_PAGE_ROOM(pg, list, u32, n + 1);
    /* the items that write something; of each the one before it */
    TEAM_FOR(&pg->t, i, n)
        full[i] = pg->item[first + i].len != 0;
    team_scan(&pg->t, full, n);
    TEAM_FOR(&pg->t, i, n)
        if (full[i + 1] != full[i])
            list[full[i]] = i;
    team_sync(&pg->t);
    TEAM_FOR(&pg->t, i, n) {
        gx_page_item *item = &pg->item[first + i];
        const u32 before = full[i] ? first + list[full[i] - 1] : GX_NONE;
        const u32 from = full[i] < full[n] ? first + list[full[i]] : GX_NONE;
        const u32 upto = full[i + 1] ? first + list[full[i + 1] - 1] : GX_NONE;
        item->around = (u8)((from != GX_NONE && pg->item[from].facts & GX_ITEM_WANTS ? GX_AROUND_WANTS : 0)
                            | (upto != GX_NONE && pg->item[upto].facts & GX_ITEM_BLOCK ? GX_AROUND_BLOCK : 0));
        const int line = item->len && item->facts & GX_ITEM_WANTS && before != GX_NONE && before >= item->run
            && pg->item[before].facts & GX_ITEM_BLOCK;
        sums[i] = item->len + (line ? 1u : 0);
    }
    if (team_scan(&pg->t, sums, n) > GX_PAGE_MOST)
        return pg->status = GX_EHOST;
    TEAM_FOR(&pg->t, i, n) {
        gx_page_item *item = &pg->item[first + i];
        const u32 line = sums[i + 1] - sums[i] - item->len;
        item->at = sums[i] - sums[(item->run > first ? item->run : first) - first] + line;
        item->facts |= (u8)(line ? GX_ITEM_LINE : 0);
    }
    team_sync(&pg->t);
    pg->used = used;
    return GX_OK;
}

/* The bytes of the items [first, stop), but of copies, and the places of their kids' runs */
GX_OP_BIG void gx_page_level_write(gx_page *pg, u32 first, u32 stop)
{
    TEAM_FOR(&pg->t, i, stop - first) {
        gx_page_item *item = &pg->item[first + i];
        gx_page_walker w;
        if (!item->len)
            continue;
        char *to = pg->out + gx_page_place(pg, item);
        if (item->facts & GX_ITEM_LINE)
            to[-1] = '\n';
        if (!gx_page_is_frame(item))
            gx_page_leaf(pg, item, to);
        else
            gx_page_walk(&w, pg, first + i, GX_WALK_WRITE);
    }
    team_sync(&pg->t);
}

/*
 * pg->out, pg->size := the request's page. pg->t: this member's place in its team; all of a team call it, each with a
 * gx_page of its own. GX_EHOST: refused, the serialiser writes it. GX_EARENA: the arena is too small, and size is 0; or
 * the page is longer than `most`, and size says how long.
 */
GX_OP_BIG gx_status gx_page_make(gx_page *pg, const gx_page_request *r)
{
    const gx_result *result = (const gx_result *)r->result;
    pg->r = r;
    pg->p = r->program;
    pg->base = (const char *)r->result;
    pg->doc = r->doc;
    pg->used = 0;
    pg->size = 0;
    pg->status = GX_OK;
    pg->wrong = 0;
    pg->list = GX_NONE;
    pg->instrs = GX_PROG_TAB(pg->p, gx_instr, instrs);
    pg->bodies = GX_PROG_TAB(pg->p, gx_body, bodies);
    pg->prepared = (const gx_prepared *)((const char *)pg->p + pg->p->prepared.off);
    if (pg->p->prepared.n < sizeof(gx_prepared) || pg->prepared->magic != GX_PREPARED_MAGIC
        || !(pg->prepared->page_flags & GX_PP_PAGE) || pg->prepared->messages || !result->root || result->n_docs > 1)
        return pg->status = GX_EHOST;
    pg->words = (const u32 *)pg->prepared;
    pg->literals = (const char *)pg->prepared + pg->prepared->bytes;
    pg->is_text = pg->prepared->method == GX_METHOD_TEXT;
    GX_PAGE_ROOM(pg, pg->levels, u32, GX_PAGE_LEVELS);
    GX_PAGE_TRY(gx_page_items(pg));
    /* one set of namespaces for all code */
    const u32 low = team_min(&pg->t, pg->list), high = ~team_min(&pg->t, pg->list == GX_NONE ? GX_NONE : ~pg->list);
    pg->wrong |= low != GX_NONE && low != high;
    pg->list = low;
    GX_PAGE_TRY(gx_page_pieces(pg));
    for (u32 level = pg->n_levels; level-- > 0; )
        GX_PAGE_TRY(gx_page_level(pg, pg->levels[level], pg->levels[level + 1]));
    const u64 size = pg->item[0].len;
    if (size == 0 && !pg->is_text)
        return pg->status = GX_EHOST;
    if (size > GX_PAGE_MOST)
        return pg->status = GX_EHOST;
    pg->size = (u32)size;
    if (size + 1 > r->most)
        return pg->status = GX_EARENA;
    GX_PAGE_ROOM(pg, pg->out, char, size + 16);
    if (team_rank(&pg->t) == 0)
        pg->item[0].at = 0;             /* its own run, which begins at 0 */
    team_sync(&pg->t);
    for (u32 level = 0; level < pg->n_levels; level++)
        gx_page_level_write(pg, pg->levels[level], pg->levels[level + 1]);
    gx_page_copies_write(pg);
    if (pg->prepared->page_flags & GX_PP_LINE && size && pg->out[size - 1] != '\n') {
        team_sync(&pg->t);
        if (team_rank(&pg->t) == 0)
            pg->out[size] = '\n';
        pg->size++;
    }
    if (team_rank(&pg->t) == 0)
        for (u32 i = pg->size; i & 15; i++)
            pg->out[i] = 0;             /* it is copied by 16 bytes */
    team_sync(&pg->t);
    return GX_OK;
}

#endif
