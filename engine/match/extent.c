/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extent.c -- sets of a document's classes, each stored once (extent.h)
 */
#include <stdlib.h>
#include <string.h>
#include "set.h"
#define ONES gxp_ones
#include "extent_ops.h"

enum { ROWS = 2048 };               /* classes that have rows of ancestors, 512 KB at most */

/* ---- storing ---- */

u64 *gxp_extents_more(gxp_extents *e)
{
    const size_t bytes = (size_t)e->w * sizeof(u64);
    if (e->words.n + e->all.n + bytes > e->most_bytes || e->words.n / sizeof(u64) >= GX_NONE - e->w)
        return gxp_extents_fail(e, GX_ELIMIT);
    if (gx_buf_room(&e->words, bytes))
        return gxp_extents_fail(e, GX_ENOMEM);
    e->roomy = e->most_bytes - e->all.n < e->words.cap ? e->most_bytes - e->all.n : e->words.cap;
    if (e->roomy > (size_t)(GX_NONE - e->w) * sizeof(u64))
        e->roomy = (size_t)(GX_NONE - e->w) * sizeof(u64);
    return (u64 *)(void *)(e->words.at + e->words.n);
}

/* The table becomes twice as large, at most half full, with all entries in it; hashes are in the entries, so no extent
 * is read. -1: no memory, and the table is as before. */
int gxp_extents_grow(gxp_extents *e)
{
    gx_buf bigger = { 0 };
    const u32 old = GX_BUF_N(&e->table, u64);
    const size_t bytes = (old ? 2 * (size_t)old : 1024) * sizeof(u64);
    u64 *to = gx_buf_push(&bigger, bytes);
    if (!to)
        return -1;
    memset(to, 0, bytes);
    const u32 mask = GX_BUF_N(&bigger, u64) - 1;
    for (u32 i = 0; i < old; i++) {
        const u64 entry = GX_BUF_AT(&e->table, u64)[i];
        u32 at = (u32)(entry >> 32) & mask;
        while (entry && to[at])
            at = (at + 1) & mask;
        if (entry)
            to[at] = entry;
    }
    gx_buf_free(&e->table);
    e->table = bigger;
    return 0;
}

/* ---- for files that are built once ---- */

u32 gxp_extent_of_new(gxp_extents *e, const u64 *words) { return extent_of_new(e, words); }
u32 gxp_extent_of_bits(gxp_extents *e, const u32 *bits, u32 n) { return extent_of_bits(e, bits, n); }

/* ---- a document begins ---- */

/* A bit for each class, so that classes of one name stand together, names in the order in which classes first have
 * them: a test's extent then has few pieces. e->bit: by class. A counting sort, O(classes + tests). -1: no memory. */
static int number_bits(gxp_extents *e, const gxp_classes *c)
{
    const gxp_class *k = GX_BUF_AT(&c->classes, gxp_class);
    const u32 n = gxp_n_classes(c), n_names = GX_BUF_N(&c->set->tests, gxp_test) + 1;
    u32 *bit = gx_buf_push(&e->bit, ((size_t)n + n_names) * sizeof *bit), *start = bit + n, next = 0;
    if (!bit)
        return -1;
#define NAME_OF(c) (k[c].name < n_names ? k[c].name : n_names - 1)
    memset(start, 0, n_names * sizeof *start);
    for (u32 i = 0; i < n; i++)
        start[NAME_OF(i)]++;
    for (u32 i = 0; i < n; i++) {
        const u32 name = NAME_OF(i);
        if (!(start[name] >> 31)) { /* the first of its name: the counts become places */
            const u32 count = start[name];
            start[name] = next | 1u << 31;
            next += count;
        }
        bit[i] = start[name]++ & ~(1u << 31);
    }
#undef NAME_OF
    return 0;
}

/* e->span: for the bit of each class where its parents' bits stand in e->list, or the only one itself, as most have
 * one alone. Turned round from the classes' items, which are their children. O(items). -1: no memory. */
static int list_parents(gxp_extents *e, const gxp_classes *c)
{
    const gxp_class *k = GX_BUF_AT(&c->classes, gxp_class);
    const u32 n = gxp_n_classes(c), n_items = GX_BUF_N(&c->items, u32), first = gxp_first_class_item(c->set);
    const u32 *items = GX_BUF_AT(&c->items, u32), *bit = GX_BUF_AT(&e->bit, u32);
    gxp_span *span = gx_buf_push(&e->span, n * sizeof *span);
    u32 *list = gx_buf_push(&e->list, (n_items + 1ull) * sizeof *list), next = 0;
    if (!span || !list)
        return -1;
    memset(span, 0, n * sizeof *span);
    for (u32 i = 0; i < n_items; i++)
        if (items[i] >= first)
            span[bit[items[i] - first]].to++;
    for (u32 b = 0; b < n; b++) {
        const u32 count = span[b].to;
        span[b] = (gxp_span){ next, next };
        next += count;
    }
    for (u32 i = 0; i < n; i++)
        for (u32 x = k[i].items; x < k[i].items + k[i].n_items; x++)
            if (items[x] >= first)
                list[span[bit[items[x] - first]].to++] = bit[i];
    for (u32 b = 0; b < n; b++)
        if (span[b].to - span[b].from == 1)
            span[b] = (gxp_span){ list[span[b].from], GXP_ONLY };
    return 0;
}

/* From the root downwards: a class's ancestors are its parents and theirs. */
static void rows_above(gxp_extents *e, u64 *rows)
{
    const gxp_span *spans = GX_BUF_AT(&e->span, gxp_span);
    const u32 *list = GX_BUF_AT(&e->list, u32), *bits = GX_BUF_AT(&e->bit, u32), stride = gxp_stride(e);
    for (u32 i = gxp_n_classes(e->classes); i-- > 0;) {
        const gxp_span span = spans[bits[i]];
        u64 *row = rows + (size_t)bits[i] * stride;
        if (span.to == GXP_ONLY) {
            memcpy(row, rows + (size_t)span.from * stride, stride * sizeof *row);
            put(row, span.from);
            continue;
        }
        memset(row, 0, stride * sizeof *row);
        for (u32 at = span.from; at < span.to; at++) {
            add_row(row, rows + (size_t)list[at] * stride, stride);
            put(row, list[at]);
        }
    }
}

/* From the leaves upwards: descendants are children and theirs. */
static void rows_under(gxp_extents *e, u64 *rows)
{
    const gxp_class *k = GX_BUF_AT(&e->classes->classes, gxp_class);
    const u32 *bits = GX_BUF_AT(&e->bit, u32), *items = GX_BUF_AT(&e->classes->items, u32), stride = gxp_stride(e);
    const u32 first = gxp_first_class_item(e->classes->set);
    for (u32 i = 0; i < gxp_n_classes(e->classes); i++) {
        u64 *row = rows + (size_t)bits[i] * stride;
        memset(row, 0, stride * sizeof *row);
        for (u32 at = k[i].items; at < k[i].items + k[i].n_items; at++)
            if (items[at] >= first) {
                add_row(row, rows + (size_t)bits[items[at] - first] * stride, stride);
                put(row, bits[items[at] - first]);
            }
    }
}

void gxp_extents_rows(gxp_extents *e)
{
    const size_t bytes = (size_t)gxp_n_classes(e->classes) * gxp_stride(e) * sizeof(u64);
    if (e->piece > 1 || gxp_n_classes(e->classes) > ROWS)
        return;
    u64 *above = gx_buf_push(&e->above, bytes), *under = gx_buf_push(&e->under, bytes);
    if (!above || !under) {             /* slower, and as right */
        e->above.n = e->under.n = 0;
        return;
    }
    rows_above(e, above);
    rows_under(e, under);
}

/* A new document's classes: memory is used again, the table shrinks if the last document filled little of it, and the
 * first extent is the empty one. Bits are numbered so that a row is whole pieces of 64 words. e->failed: out of
 * memory. */
void gxp_extents_begin(gxp_extents *e, const gxp_classes *c, u64 most_bytes)
{
    gx_buf *const bufs[] = { &e->all,   &e->words, &e->bit,      &e->list,  &e->span,
                             &e->stack, &e->row,   &e->class_of, &e->clean, &e->above, &e->under,
                             &e->single };
    const u32 n_before = GX_BUF_N(&e->all, gxp_extent), slots = GX_BUF_N(&e->table, u64);
    for (u32 i = 0; i < sizeof bufs / sizeof *bufs; i++)
        gx_buf_rewind(bufs[i]);
    if (slots > 4096 && n_before < slots / 32)
        gx_buf_free(&e->table);
    else if (slots)
        memset(e->table.at, 0, e->table.n);
    e->w = (gxp_n_classes(c) + 63) / 64;
    e->piece = (e->w + 63) / 64;
    e->w = (e->w + e->piece - 1) / e->piece * e->piece;     /* whole pieces */
    e->work = 0;
    e->most_bytes = most_bytes;
    e->failed = GX_OK;
    e->roomy = 0;
    gxp_extent *empty = gx_buf_push(&e->all, sizeof *empty);
    u64 *row = gx_buf_push(&e->row, gxp_stride(e) * sizeof *row);
    u64 *clean = gx_buf_push(&e->clean, gxp_stride(e) * sizeof *clean);
    u32 *single = gx_buf_push(&e->single, e->piece == 1 ? 64 * e->w * sizeof *single : sizeof *single);
    if (!single || !empty || !row || !clean || !gx_buf_push(&e->stack, gxp_n_classes(c) * sizeof(u32))
        || (!e->table.n && gxp_extents_grow(e))) {
        gxp_extents_fail(e, GX_ENOMEM);
        return;
    }
    memset(single, 0xff, e->single.n);
    memset(clean, 0, gxp_stride(e) * sizeof *clean);
    *empty = (gxp_extent){ 0, 0, { GXP_NOWHERE, GXP_NOWHERE, GXP_NOWHERE } };
    e->classes = c;
    u32 *class_of = gx_buf_push(&e->class_of, gxp_n_classes(c) * sizeof *class_of);
    if (!class_of || number_bits(e, c) || list_parents(e, c))
        gxp_extents_fail(e, GX_ENOMEM);
    for (u32 i = 0; i < gxp_n_classes(c) && e->failed == GX_OK; i++)
        class_of[gxp_bit_of(e, i)] = i;
}

void gxp_extents_free(gxp_extents *e)
{
    gx_buf *const bufs[] = { &e->all,  &e->words, &e->table, &e->bit,     &e->list,
                             &e->span, &e->stack, &e->row,   &e->class_of, &e->clean, &e->above, &e->under,
                             &e->single };
    for (u32 i = 0; i < sizeof bufs / sizeof *bufs; i++)
        gx_buf_free(bufs[i]);
}
