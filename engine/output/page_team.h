/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_team.h -- a result (machine/result.h) to the bytes of its page, by all members of a team
 *
 *   frame table --levels--> items --lengths, from the deepest level up--> places, from the top down --> bytes
 *
 * One source for all teams: the blocks and the grid of a GPU write with it, the solo and the threads team are its
 * checked twin. The bytes are those of the serialiser (serialize.c).
 *
 * An *item* is a frame, or a node whose text, or which itself, is copied. The items of a level are the kids of those of
 * the level above, in their order, so the kids of an item, and those of each of its operators, stand beside each other.
 * A frame's own bytes come from code that prepare.c made for this (prepared.h): literal bytes, values, kids. That code
 * knows all but two things, and both need no look at what stands far away:
 *   - html's line breaks: a block's tag has one before it if a block's tag stands before it. An item has at most one
 *     such place that depends on its surroundings, before its first byte (`wants`), and tells what stands behind its
 *     last one (`ends`).
 *   - whether something was written between two tags: a sum of lengths.
 *
 * It writes xml, html and text in UTF-8, and only what it is sure of: the rest (indented xml, computed names, comments
 * of the stylesheet, namespaces that copies would need, ...) it refuses with GX_EHOST. All memory is one arena of the
 * caller's. The result was made by this process, or this device, and is followed blindly.
 *
 * Cost: each frame's code is walked four times (kids counted, kids listed, length, bytes) by one member, which does
 * no more than GX_LONG_RUN steps for the kids of an operator: longer runs are listed by the team, and a kid finds its
 * place by its run's first item. Text is read twice. A level takes some ten syncs.
 */
#ifndef GX_PAGE_TEAM_H
#define GX_PAGE_TEAM_H

#include "page_request.h"
#include "machine/number.h"
#include "machine/result.h"
#include "machine/team.h"
#include "prepared.h"

#define GX_PAGE_LEVELS 1024u            /* frames within each other */
#define GX_PAGE_MOST 0x7fff0000u        /* bytes of a page: lengths are u32 */

enum { GX_PAGE_RAW = 4 };               /* beside GX_ESC_*: bytes as they are */

/* of an item: it comes before the document element; a line break stands before it; it wants one after a block's tag;
 * what it ends with */
enum { GX_ITEM_BEFORE = 1, GX_ITEM_LINE = 2, GX_ITEM_WANTS = 4, GX_ITEM_BLOCK = 8 };
/* .. around it: the first item of its level, from it on, that writes something wants a line break; the last one, up to
 * it, ends with a block's tag */
enum { GX_AROUND_WANTS = 1, GX_AROUND_BLOCK = 2 };

typedef struct gx_page_item {
    u32 what;                   /* ref of a gx_group; or GX_KID_TEXT, GX_KID_COPY, GX_NONE */
    u32 row;                    /* row in it, or node id */
    u32 kids;                   /* number of its first kid */
    u32 run;                    /* of the first kid of the same operator */
    u32 len;                    /* bytes, without a line break before it */
    u32 at;                     /* bytes before it in its run; behind the line break */
    u32 base;                   /* of the first of a run: bytes of the page before the run */
    u8 escape;                  /* 0, or 1 + GX_ESC_*: it is part of an attribute's value */
    u8 facts;                   /* GX_ITEM_* */
    u8 around;                  /* GX_AROUND_* */
    u8 pad;
} gx_page_item;

/* Up to GX_SPAN_KIDS kids of a run that is too long for the member that meets it: the team lists them. */
#define GX_SPAN_KIDS 128u
#define GX_LONG_RUN 32u
typedef struct gx_page_span {
    u32 column;                 /* ref of the gx_col whose kids they are */
    u32 row;
    u32 run;                    /* number of the run's first item */
    u32 from, to;               /* the kids [from, to) of the run */
    u32 escape;
} gx_page_span;

typedef struct gx_page {
    gx_team t;
    const gx_page_request *r;
    const gx_program *p;
    const gx_prepared *prepared;
    const u32 *words;           /* of prepared */
    const char *literals;
    const gx_instr *instrs;
    const gx_body *bodies;
    const char *base;           /* the result */
    const gx_doc *doc;
    u64 used;                   /* of the arena */
    gx_status status;           /* the same for all members */
    int is_text;                /* by method */
    int wrong;                  /* of this member: it met something that it does not write */
    u32 list;                   /* of this member: the namespaces that code counts on; GX_NONE = none yet */
    gx_page_item *item;
    u32 n_items, *levels, n_levels;     /* where each begins; and behind the last */
    gx_page_span *spans;        /* of the level that is listed */
    u32 *n_spans;
    u32 *copies, *pieces, *ends; /* of the nodes that are copied (page_copy.h) */
    char *out;                  /* the page */
    u32 size;
} gx_page;

/* Room for n of a size, 16-byte aligned; all members ask for the same. NULL: pg->status is GX_EARENA */
GX_OP void *gx_page_room(gx_page *pg, u64 n, u32 size)
{
    const u64 at = (pg->used + 15) & ~15ull;
    if (n > pg->r->arena_bytes || at + n * size > pg->r->arena_bytes) {
        pg->status = GX_EARENA;
        return NULL;
    }
    pg->used = at + n * size;
    return pg->r->arena + at;
}
#define GX_PAGE_ROOM(pg, var, type, n) \
    do { if (((var) = (type *)gx_page_room(pg, n, sizeof(type))) == NULL) return (pg)->status; } while (0)
#define GX_PAGE_TRY(call) do { const gx_status status_ = (call); if (status_ != GX_OK) return status_; } while (0)

/* Where the item begins in the page, when its parent is written */
GX_OP u32 gx_page_place(const gx_page *pg, const gx_page_item *item) { return pg->item[item->run].base + item->at; }

/* All members, with what each met: GX_OK, or the page is refused. A sync. */
GX_OP gx_status gx_page_agree(gx_page *pg)
{
    if (team_any(&pg->t, pg->wrong))
        pg->status = GX_EHOST;
    return pg->status;
}

#endif
