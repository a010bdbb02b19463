/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.c -- a document that stays where it was read (place.h)
 *
 * Saves a copy of columns and heaps: a tenth of the time that parsing a megabyte takes, and the memory of both. What a
 * document of more than MOST_BYTES would need is not kept for the next one, so that one is copied.
 */
#include <stdlib.h>
#include "doc_layout.h"
#include "parser.h"

#define MOST_BYTES (32u << 20)
#define KEPT_BYTES (4u << 20)           /* a larger place goes when it is sixteen times what the last document had */

/* What the scanner asks for before it reads a window */
#define MORE_NODES (GX_SCAN_WINDOW / 2 + GX_SCAN_AHEAD + 64)
#define MORE_TEXT (GX_SCAN_WINDOW + 512)
#define MORE_VALUES (2 * GX_SCAN_WINDOW + GX_SCAN_AHEAD + 1024)

/* Offsets of columns and heaps; returns where they end. */
static u64 lay_out(const gx_place *w, gx_doc *d)
{
    u64 size = sizeof *d;
    d->label = gx_doc_place(&size, w->nodes * 4ull);
    d->parent = gx_doc_place(&size, w->nodes * 4ull);
    d->next = gx_doc_place(&size, w->nodes * 4ull);
    d->depth = gx_doc_place(&size, w->nodes * 2ull);
    d->text_off = gx_doc_place(&size, w->nodes * 4ull);
    d->text_len = gx_doc_place(&size, w->nodes * 4ull);
    d->text = gx_doc_place(&size, w->text);
    d->values = gx_doc_place(&size, w->values);
    return gx_doc_place(&size, 0);
}

/* Columns and heaps are in the place; the heaps have n_text and n_values bytes. */
static void lend(gx_parser *p, size_t n_text, size_t n_values)
{
    gx_place *w = &p->place;
    gx_doc d;
    lay_out(w, &d);
    p->label = (u32 *)(void *)(w->at + d.label);
    p->parent = (u32 *)(void *)(w->at + d.parent);
    p->next = (u32 *)(void *)(w->at + d.next);
    p->depth = (u16 *)(void *)(w->at + d.depth);
    p->text_off = (u32 *)(void *)(w->at + d.text_off);
    p->text_len = (u32 *)(void *)(w->at + d.text_len);
    p->allocated = w->nodes;
    p->is_lent = 1;
    p->text = (gx_buf){ w->at + d.text, n_text, w->text, 1 };
    p->values = (gx_buf){ w->at + d.values, n_values, w->values, 1 };
}

/* The room that a document needs which is larger than the last one by a part of 256; multiples of 16 */
static gx_place wanted(const gx_place *w, u32 part)
{
    gx_place want = *w;
    want.nodes = (u32)(w->last_nodes + (u64)w->last_nodes * part / 256 + MORE_NODES) & ~15u;
    want.text = (w->last_text + w->last_text * part / 256 + MORE_TEXT) & ~15ull;
    want.values = (w->last_values + w->last_values * part / 256 + MORE_VALUES) & ~15ull;
    gx_doc d;
    const u64 end = lay_out(&want, &d);
    want.size = end + end / 4;          /* the tables */
    return want;
}

/*
 * Before a document: do its columns and heaps lie in a block of which they stay a part (place.h), or in memory of the
 * parser's own? The former saves a copy of everything, and has room for a quarter more than the last document needed
 * (wanted); very large ones and ones with lines grow in the parser's own memory. What was read in parts joins the rest
 * there (parts.c). The block for that is kept from document to document while it fits. Without memory for it the
 * parser's own is used.
 */
void gx_place_begin(gx_parser *p)
{
    gx_place *w = &p->place;
    const gx_place least = wanted(w, 0), want = wanted(w, 64);
    const int is_lent = p->is_lent || p->text.is_lent || p->values.is_lent, is_large = want.size > MOST_BYTES;
    const int may_stay = !is_large && p->options.in_place && p->options.alloc && !p->lines;
    if (!may_stay && !is_lent)          /* the parser's own columns and heaps stay warm */
        return;
    gx_parser_free_columns(p);
    gx_buf_free(&p->text);
    gx_buf_free(&p->values);
    if (is_large) {
        free(w->at);
        w->at = NULL;
        w->nodes = 0;
        w->size = 0;
    }
    if (!may_stay)
        return;
    const int is_small = w->nodes < least.nodes || w->text < least.text || w->values < least.values;
    if (is_small || (w->size > KEPT_BYTES && want.size < w->size / 16)) {
        free(w->at);
        w->size = 0;
        w->at = malloc(want.size);
        if (w->at)
            *w = (gx_place){ w->at,      want.size,      want.nodes,    want.text,
                             want.values, want.last_nodes, want.last_text, want.last_values };
    }
    if (w->at)
        lend(p, 0, 0);
}

/* What follows columns and heaps, where a block has it in another order (doc_layout.h) */
static void lay_out_rest(gx_doc *d, u64 size)
{
    d->ns = d->ns ? gx_doc_place(&size, d->n_nodes * 4ull) : 0;
    gx_doc_layout_tables(d, &size);
    d->strs = gx_doc_place(&size, d->strs_size);
    d->size = (size + 15) & ~15ull;
}

int gx_place_end(gx_parser *p, gx_doc *d, char **block)
{
    gx_place *w = &p->place;
    w->last_nodes = d->n_nodes;
    w->last_text = d->text_size;
    w->last_values = d->values_size;
    if (!p->is_lent || !p->text.is_lent || !p->values.is_lent || d->n_nodes > w->nodes || d->text_size > w->text
        || d->values_size > w->values)
        return 0;
    lay_out_rest(d, lay_out(w, d));
    if (d->size > w->size) {
        const u64 size = d->size + d->size / 8;
        char *at = realloc(w->at, size);
        if (!at)
            return -1;
        w->at = at;
        w->size = size;
        lend(p, p->text.n, p->values.n);
    }
    *block = w->at;
    return 1;
}

int gx_place_has(const gx_parser *p, const void *block) { return p->place.at && block == p->place.at; }

void gx_place_free(gx_parser *p)
{
    free(p->place.at);
    p->place = (gx_place){ 0 };
}
