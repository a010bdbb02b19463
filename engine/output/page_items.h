/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_items.h -- the items of a page, level by level
 *
 * A frame's body is walked in one of four ways (GX_WALK_*), by one member. In an attribute's value it is walked by its
 * instructions, since prepared bytes are escaped for text; there it may have text, values and kids alone.
 */
#ifndef GX_PAGE_ITEMS_H
#define GX_PAGE_ITEMS_H

#include "page_value.h"

enum { GX_WALK_COUNT, GX_WALK_LIST, GX_WALK_LENGTH, GX_WALK_WRITE };

enum { GX_LAST_NONE = 2 };              /* nothing was written yet; else GX_LAST_OTHER, GX_LAST_BLOCK */

typedef struct gx_page_walker {
    gx_page *pg;
    gx_page_item *me;
    const gx_group *g;
    const gx_col *slots;
    int way;
    u32 row, kid;               /* number of the next kid */
    u32 at;                     /* of the page, when it is written */
    u64 len;                    /* bytes so far: of what is too long for a page, too */
    u64 tag_end;                /* .. when a start tag ended there; ~0 */
    u32 last;
    int before;                 /* the document element has not begun */
    int wants;                  /* what was written first wants a line break after a block's tag */
} gx_page_walker;

/* How many kids a column of frames has for a row. */
GX_OP u32 gx_page_count(const gx_page *pg, const gx_col *c, u32 row)
{
    const u32 i = c->is_const ? 0 : row;
    const u32 *b = (const u32 *)gx_page_at(pg, c->b);
    switch (c->type) {
    case GX_C_KID_ROW: return 1;
    case GX_C_KID_OPT: return b[i] != GX_NONE;
    case GX_C_KID_RANGE:
    case GX_C_KID_LIST: return b[i + 1] - b[i];
    case GX_C_KID_PAIR: return ((const gx_kid *)gx_page_at(pg, c->a))[i].chunk != GX_NONE;
    }
    return 0;
}

/* .. and how many xsl:copy-of has; its value is text where there are none. */
GX_OP u32 gx_page_copies(const gx_page *pg, const gx_col *c, u32 row, int *is_value)
{
    const u32 i = c->is_const ? 0 : row;
    *is_value = 0;
    if (c->type == GX_T_SET)
        return ((const u32 *)gx_page_at(pg, c->b))[i];
    if (c->type == GX_T_NODE)
        return ((const u32 *)gx_page_at(pg, c->a))[i] != GX_NONE;
    if (c->type == GX_T_RTF && c->a)
        return c->flags & GX_C_OWN_ROWS || ((const gx_kid *)gx_page_at(pg, c->a))[i].chunk != GX_NONE;
    *is_value = 1;
    return 0;
}

/* Kid k of a column of frames or of xsl:copy-of, as an item: what is its group's ref with the row in the group, or
 * GX_KID_TEXT or GX_KID_COPY with a node's id. O(1). */
GX_OP void gx_page_kid(const gx_page *pg, const gx_col *c, u32 row, u32 k, gx_page_item *to)
{
    const u32 i = c->is_const ? 0 : row;
    const u32 *b = (const u32 *)gx_page_at(pg, c->b);
    gx_kid kid = { c->a, row };
    if (c->type == GX_C_KID_OPT)
        kid.row = b[i];
    else if (c->type == GX_C_KID_RANGE)
        kid.row = b[i] + k;
    else if (c->type == GX_C_KID_LIST)
        kid = ((const gx_kid *)gx_page_at(pg, c->a))[b[i] + k];
    else if (c->type == GX_C_KID_PAIR)
        kid = ((const gx_kid *)gx_page_at(pg, c->a))[i];
    else if (c->type == GX_T_SET) {
        kid.chunk = GX_KID_COPY;
        kid.row = ((const u32 *)gx_page_at(pg, ((const u32 *)gx_page_at(pg, c->a))[i]))[k];
    } else if (c->type == GX_T_NODE) {
        kid.chunk = GX_KID_COPY;
        kid.row = ((const u32 *)gx_page_at(pg, c->a))[i];
    } else if (c->type == GX_T_RTF && c->flags & GX_C_OWN_ROWS)
        kid.row = i;
    else if (c->type == GX_T_RTF)
        kid = ((const gx_kid *)gx_page_at(pg, c->a))[i];
    to->what = kid.chunk;
    to->row = kid.row;
    if (GX_KID_HAS_FRAME(kid)) {
        const gx_chunk *chunk = (const gx_chunk *)gx_page_at(pg, kid.chunk);
        to->what = chunk->group;
        to->row = kid.row + chunk->row0;
    }
}

/* n bytes: counted, and in a walk that writes moved to their place. */
GX_OP void gx_page_put(gx_page_walker *w, const char *s, u32 n)
{
    if (w->way == GX_WALK_WRITE)
        gx_move(w->pg->out + w->at + w->len, s, n);
    w->len += n;
}

/* Kid k of the run that begins with item `run` */
GX_OP void gx_page_list(gx_page *pg, const gx_col *c, u32 row, u32 run, u32 k, u32 escape, u32 facts)
{
    gx_page_item *item = &pg->item[run + k];
    gx_page_kid(pg, c, row, k, item);
    item->run = run;
    item->escape = (u8)escape;
    item->facts = (u8)facts;
}

/* A long run's kids, later, by all members (gx_page_spans): one frame with a million kids would be one member's work.
 * Adds a span for each GX_SPAN_KIDS of them. */
GX_OP_BIG void gx_page_list_later(const gx_page_walker *w, const gx_col *c, u32 run, u32 n, u32 escape)
{
    const gx_page *pg = w->pg;
    const u32 column = (u32)(((const char *)c - pg->base) / 4), spans = (n + GX_SPAN_KIDS - 1) / GX_SPAN_KIDS;
    gx_page_span *span = pg->spans + team_add(pg->n_spans, spans);
    for (u32 from = 0; from < n; from += GX_SPAN_KIDS, span++) {
        const gx_page_span s = {
            column, w->row, run, from, n - from < GX_SPAN_KIDS ? n : from + GX_SPAN_KIDS, escape
        };
        *span = s;
    }
}

/*
 * n kids of column c come next, in any of the four ways: COUNT adds them to w->kid; LIST writes their items, which are
 * one run; LENGTH and WRITE, when theirs are known, add the run's length and what their ends say of line breaks, and
 * WRITE tells the run where it begins. escape: of an attribute's value, as an item's.
 *
 * pg->wrong: more than one kid where the document element is expected. O(1), LIST O(n).
 */
GX_OP_BIG void gx_page_kids(gx_page_walker *w, const gx_col *c, u32 n, u32 escape)
{
    gx_page *pg = w->pg;
    const u32 run = w->kid;
    w->kid += n;
    if (w->before && n > 1)
        pg->wrong = 1;
    if (w->way == GX_WALK_LIST) {
        if (n > GX_LONG_RUN)
            gx_page_list_later(w, c, run, n, escape);
        else
            for (u32 k = 0; k < n; k++)
                gx_page_list(pg, c, w->row, run, k, escape, w->before ? GX_ITEM_BEFORE : 0);
    }
    if (w->way < GX_WALK_LENGTH || !n)
        return;
    gx_page_item *first = &pg->item[run];
    const gx_page_item *last = first + n - 1;
    const u32 sum = last->at + last->len;
    if (!sum)
        return;
    const int wants = (first->around & GX_AROUND_WANTS) != 0;
    if (w->last == GX_LAST_NONE)
        w->wants = wants;
    if (wants && w->last == GX_LAST_BLOCK)
        gx_page_put(w, "\n", 1);
    if (w->way == GX_WALK_WRITE)
        first->base = w->at + (u32)w->len;
    w->len += sum;
    w->last = last->around & GX_AROUND_BLOCK ? GX_LAST_BLOCK : GX_LAST_OTHER;
}

/* n bytes, escaped for there */
GX_OP void gx_page_escaped(gx_page_walker *w, const char *s, u32 n, u32 where)
{
    if (w->way < GX_WALK_LENGTH || !n)
        return;
    w->pg->wrong |= gx_page_may_be_macro(s, n, where);
    w->len += gx_page_escape(w->way == GX_WALK_WRITE ? w->pg->out + w->at + w->len : NULL, s, n, where);
}

GX_OP_BIG void gx_page_value_out(gx_page_walker *w, const gx_col *c, u32 where)
{
    char num[GX_NUMBER_CHARS] __attribute__((aligned(16)));
    const char *s;
    u32 n;
    if (!gx_page_value(w->pg, c, w->row, num, &s, &n))
        w->pg->wrong = 1;
    else
        gx_page_escaped(w, s, n, where);
}

/* A frame that is a part of an attribute's value: texts, values and kids, escaped for there. Anything else (an element,
 * a comment) would be dropped by events with a warning, so the page is refused: pg->wrong. */
GX_OP_BIG void gx_page_walk_value(gx_page_walker *w)
{
    const gx_page *pg = w->pg;
    const gx_body *b = &pg->bodies[w->g->body];
    const u32 where = w->me->escape - 1u;
    for (u32 pc = b->first; pc < b->first + b->n; pc++) {
        const gx_instr *in = &pg->instrs[pc];
        switch (in->op) {
        case GX_I_TEXT:
            gx_page_escaped(w, GX_LIT_AT(pg->p, in->a), GX_LIT(pg->p, in->a).len, where);
            break;
        case GX_I_VALUE: case GX_I_NUMBER:
            gx_page_value_out(w, &w->slots[in->slot], where);
            break;
        case GX_I_VAR: case GX_I_PARAM:
            break;
        case GX_I_IF: case GX_I_CHOOSE: case GX_I_FOR_EACH: case GX_I_APPLY: case GX_I_APPLY_IMPORTS: case GX_I_CALL: {
            const gx_col *c = &w->slots[in->slot];
            gx_page_kids(w, c, gx_page_count(pg, c, w->row), w->me->escape);
            break;
        }
        default:
            w->pg->wrong = 1;
            return;
        }
    }
}

/* Prepared bytes (BYTES), with what is known only now: a line break before a block's tag, and "/>" for an element that
 * turns out empty (output/serialize.c, run_code, does the same). The document element has begun behind them. */
GX_OP void gx_page_bytes(gx_page_walker *w, const u32 *code)
{
    const gx_page *pg = w->pg;
    const char *s = pg->literals + code[1];
    u32 n = code[2], skip = 0;
    w->before = 0;
    if (w->way < GX_WALK_LENGTH)
        return;
    if (code[3] & GX_SO_CLOSES && w->tag_end == w->len) {
        if (pg->prepared->method == GX_METHOD_XML) {    /* nothing is inside: one tag */
            while (s[skip] != '>')
                skip++;
            if (w->way == GX_WALK_WRITE)
                pg->out[w->at + w->len - 1] = '/';
        }
    } else if (code[3] & GX_LAST_BLOCK && w->last == GX_LAST_BLOCK)
        gx_page_put(w, "\n", 1);
    if (w->last == GX_LAST_NONE)
        w->wants = (code[3] & GX_LAST_BLOCK) != 0;
    gx_page_put(w, s + skip, n - skip);
    if (code[4] & GX_SO_OPENS)
        w->tag_end = w->len;
    w->last = code[4] & GX_LAST_BLOCK ? GX_LAST_BLOCK : GX_LAST_OTHER;
}

/* A frame's prepared code, in the walker's way, by one member. Operators that only events can do (GEN, GOTO) make
 * pg->wrong: the page is then written by the process that asked. O(operators); LENGTH and WRITE also O(bytes of
 * values), WRITE O(bytes). */
GX_OP_BIG void gx_page_walk_code(gx_page_walker *w, const u32 *code)
{
    gx_page *pg = w->pg;
    for (;;) {
        const u64 before = w->len;
        switch (code[0]) {
        case GX_SO_END:
            return;
        case GX_SO_BYTES:
            gx_page_bytes(w, code);
            code += 5;
            break;
        case GX_SO_TEXT: case GX_SO_RAW:
            gx_page_value_out(w, &w->slots[code[1]], code[0] == GX_SO_TEXT ? GX_ESC_TEXT : (u32)GX_PAGE_RAW);
            if (w->len != before)
                w->last = GX_LAST_OTHER;
            code += 2;
            break;
        case GX_SO_ATTR:
            gx_page_value_out(w, &w->slots[code[1]], code[2]);
            code += 3;
            break;
        case GX_SO_KIDS: {
            const gx_col *c = &w->slots[pg->instrs[code[1]].slot];
            gx_page_kids(w, c, gx_page_count(pg, c, w->row), 0);
            code += 2;
            break;
        }
        case GX_SO_ATTR_KIDS: {
            const gx_col *c = &w->slots[pg->instrs[code[1]].slot];
            const u32 last = w->last;
            gx_page_kids(w, c, gx_page_count(pg, c, w->row), 1 + code[2]);
            w->last = last;
            code += 3;
            break;
        }
        case GX_SO_COPIES: {
            const gx_col *c = &w->slots[code[1]];
            int is_value;
            const u32 n = gx_page_copies(pg, c, w->row, &is_value);
            if (is_value && w->before)
                pg->wrong = 1;
            else if (is_value) {
                gx_page_value_out(w, c, pg->is_text ? (u32)GX_PAGE_RAW : GX_ESC_TEXT);
                if (w->len != before)
                    w->last = GX_LAST_OTHER;
            } else
                gx_page_kids(w, c, n, 0);
            code += 2;
            break;
        }
        default:                        /* left to events */
            pg->wrong = 1;
            return;
        }
    }
}

/* Item `number`, a frame, in that way: sets the walker up and runs it. All code of a page must be made for the same
 * list of namespaces (pg->list), since nothing is declared inside; else, or where the body has no code for pages,
 * pg->wrong. Both are looked at by all members afterwards (gx_page_agree). */
GX_OP void gx_page_walk(gx_page_walker *w, gx_page *pg, u32 number, int way)
{
    gx_page_item *me = &pg->item[number];
    const gx_group *g = (const gx_group *)gx_page_at(pg, me->what);
    w->pg = pg;
    w->me = me;
    w->g = g;
    w->slots = (const gx_col *)gx_page_at(pg, g->slots);
    w->way = way;
    w->row = me->row;
    w->kid = me->kids;
    w->at = way == GX_WALK_WRITE ? gx_page_place(pg, me) : 0;
    w->len = 0;
    w->tag_end = ~(u64)0;
    w->last = GX_LAST_NONE;
    w->before = (me->facts & GX_ITEM_BEFORE) != 0;
    w->wants = 0;
    if (me->escape) {
        gx_page_walk_value(w);
        return;
    }
    const u32 entry = pg->words[pg->prepared->page + 2 * g->body + (u32)w->before];
    if (!entry) {
        pg->wrong = 1;
        return;
    }
    const u32 list = pg->words[entry];
    if (list != GX_NONE) {
        pg->wrong |= pg->list != GX_NONE && pg->list != list;
        pg->list = list;
    }
    gx_page_walk_code(w, pg->words + entry + 1);
}

GX_OP int gx_page_is_frame(const gx_page_item *item)
{
    return item->what != GX_KID_TEXT && item->what != GX_KID_COPY && item->what != GX_NONE;
}

/* The kids of long runs; then all kids of the level are there for everyone. */
GX_OP_BIG void gx_page_spans(gx_page *pg)
{
    const u64 n = (u64)TEAM_LOAD(pg->n_spans) * GX_SPAN_KIDS;
    if (!n)
        return;
    TEAM_FOR(&pg->t, i, n) {
        const gx_page_span *s = &pg->spans[i / GX_SPAN_KIDS];
        const u32 k = s->from + (u32)(i % GX_SPAN_KIDS);
        if (k < s->to)
            gx_page_list(pg, (const gx_col *)gx_page_at(pg, s->column), s->row, s->run, k, s->escape, 0);
    }
    team_sync(&pg->t);
}

/*
 * All items of the page, level by level from the root: pg->item, with the kids of each in one run on the level below;
 * pg->levels, where each level begins; pg->n_items.
 *
 * A level is four steps, by all members: count each frame's kids, scan the counts, give each frame the place of its
 * run, list the kids. So the tree is breadth first, and no member waits for a deep branch. Items lie in the arena
 * behind the result, the counts of a level behind its items, spans behind all room for items.
 *
 * O(items + operators of their code, twice). Complete for everyone. GX_EARENA: no room for so many; GX_EHOST: more
 * levels than GX_PAGE_LEVELS, or a page that a team does not write (wrong).
 */
GX_OP_BIG gx_status gx_page_items(gx_page *pg)
{
    const gx_result *result = (const gx_result *)pg->base;
    const u64 at = (pg->used + 15) & ~15ull;
    const u64 cap = pg->r->arena_bytes > at ? (pg->r->arena_bytes - at) / (sizeof(gx_page_item) + 4) : 0;
    u32 first = 0, n = 1, *counts;
    pg->item = (gx_page_item *)(pg->r->arena + at);
    pg->n_levels = 0;
    if (cap < 16)
        return pg->status = GX_EARENA;
    /* behind cap items, 4 bytes for each: a span of 24 bytes stands for more than GX_LONG_RUN kids */
    pg->n_spans = (u32 *)(pg->item + cap);
    pg->spans = (gx_page_span *)(pg->n_spans + 1);
    if (team_rank(&pg->t) == 0) {
        const gx_chunk *chunk = (const gx_chunk *)gx_page_at(pg, result->root);
        const gx_page_item root = {
            chunk->group, chunk->row0, 0, 0, 0, 0, 0, 0, (u8)(pg->is_text ? 0 : GX_ITEM_BEFORE), 0, 0
        };
        pg->item[0] = root;
    }
    team_sync(&pg->t);
    for (;;) {
        gx_page_walker w;
        if (team_rank(&pg->t) == 0)
            pg->levels[pg->n_levels] = first;
        pg->n_levels++;
        if (pg->n_levels + 1 >= GX_PAGE_LEVELS)
            return pg->status = GX_EHOST;
        if ((u64)first + n + n / 8 + 16 > cap)
            return pg->status = GX_EARENA;
        /* behind the items that there are */
        counts = (u32 *)(pg->item + first + n);
        TEAM_FOR(&pg->t, i, n) {
            gx_page_item *item = &pg->item[first + i];
            item->kids = 0;
            counts[i] = 0;
            if (!gx_page_is_frame(item))
                continue;
            gx_page_walk(&w, pg, first + i, GX_WALK_COUNT);
            counts[i] = w.kid;
        }
        GX_PAGE_TRY(gx_page_agree(pg));
        const u64 total = team_scan(&pg->t, counts, n);
        if (first + n + total > cap || total > cap - n / 8 - 16)
            return pg->status = GX_EARENA;
        TEAM_FOR(&pg->t, i, n)
            pg->item[first + i].kids = first + n + counts[i];
        if (team_rank(&pg->t) == 0)
            *pg->n_spans = 0;
        team_sync(&pg->t);
        if (!total)
            break;
        TEAM_FOR(&pg->t, i, n)
            if (gx_page_is_frame(&pg->item[first + i]))
                gx_page_walk(&w, pg, first + i, GX_WALK_LIST);
        GX_PAGE_TRY(gx_page_agree(pg));
        gx_page_spans(pg);
        first += n;
        n = (u32)total;
    }
    pg->n_items = first + n;
    if (team_rank(&pg->t) == 0)
        pg->levels[pg->n_levels] = pg->n_items;
    team_sync(&pg->t);
    pg->used = at + (u64)pg->n_items * sizeof(gx_page_item);
    return GX_OK;
}

#endif
