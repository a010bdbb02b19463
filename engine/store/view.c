/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.c -- one generation of a store, as readers see it (store.h)
 *
 * Opening reads a head and the catalog: 40 bytes a part. Parts are read, verified and unpacked when they are asked for,
 * into the caller's memory; nothing is mapped, so a file that is cut off or overwritten while it is open is an error,
 * not a signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "files/read.h"
#include "extent.h"
#include "head.h"
#include "pack.h"

static gx_status system_error(gx_error *err, const char *path, const char *what, int number)
{
    return gx_fail(err, number == ENOMEM ? GX_ENOMEM : GX_EIO, path, 0, 0, "%s: %s", what, strerror(number));
}

/* Why neither head is good: of another version, or no store at all. */
static gx_status no_store(const gxs_view *v, gx_error *err)
{
    u32 magic;
    for (u64 at = 0; at < 2 * GXS_PAGE; at += GXS_PAGE) /* "GXS" and another digit */
        if (!gx_read_at(v->fd, at, &magic, sizeof magic) && magic != GXS_MAGIC && !((magic ^ GXS_MAGIC) & 0xffffff))
            return gx_fail(err, GX_EBAD, v->path, 0, 0,
                           "this store has the format of another version: add its documents to a new one");
    return gx_fail(err, GX_EBAD, v->path, 0, 0, "this is no store, or its first two pages are damaged");
}

/* Reads the head and takes its generation's lock. The second look sees whether a writer was faster: from then on none
 * uses this generation's space again. */
static gx_status hold(gxs_view *v, gx_error *err)
{
    for (;;) {
        gxs_head again;
        int found = gxs_head_read(v->fd, &v->head), wrong;
        if (found < 0)
            return system_error(err, v->path, "the store cannot be read", errno);
        if (!found)
            return no_store(v, err);
        if ((wrong = gxs_lock(v->fd, F_RDLCK, GXS_LOCKS + v->head.generation)))
            return system_error(err, v->path, "the store cannot be locked for reading", wrong);
        if (gxs_head_read(v->fd, &again) == 1 && again.generation == v->head.generation)
            return GX_OK;
        gxs_lock(v->fd, F_UNLCK, GXS_LOCKS + v->head.generation);
    }
}

/* The catalog of the head's generation, from whichever of its two copies has the right checksum, into v->bytes. A file
 * that is shorter than the head says is GX_EBAD before anything is allocated for it. */
static gx_status read_catalog(gxs_view *v, gx_error *err)
{
    const gxs_head *h = &v->head;
    const char *wrong = NULL;
    struct stat st;
    if (fstat(v->fd, &st) < 0)
        return system_error(err, v->path, "the store cannot be read", errno);
    if (h->n_pages > (u64)st.st_size / GXS_PAGE || h->catalog_bytes > (u64)st.st_size)
        return gx_fail(err, GX_EBAD, v->path, 0, 0, "the store is cut off: it had %llu pages of %u bytes and has %llu",
                       (unsigned long long)h->n_pages, GXS_PAGE, (unsigned long long)st.st_size / GXS_PAGE);
    if (!(v->bytes = malloc(h->catalog_bytes ? h->catalog_bytes : 1)))
        return gx_fail(err, GX_ENOMEM, v->path, 0, 0, "not enough memory for the catalog");
    for (u32 copy = 0; copy < 2; copy++) {
        const int number = gx_read_at(v->fd, h->catalog[copy] * GXS_PAGE, v->bytes, h->catalog_bytes);
        if (!number && gxs_crc(0, v->bytes, h->catalog_bytes) == h->catalog_crc) {
            wrong = gxs_catalog_wrong(v->bytes, h);
            return wrong ? gx_fail(err, GX_EBAD, v->path, 0, 0, "the catalog is wrong: %s", wrong) : GX_OK;
        }
    }
    return gx_fail(err, GX_EBAD, v->path, 0, 0, "both copies of the catalog (pages %llu and %llu) are damaged",
                   (unsigned long long)h->catalog[0], (unsigned long long)h->catalog[1]);
}

/* The catalog's tables, one behind the other; gxs_catalog_wrong() has checked that they fill it. */
static void find_tables(gxs_view *v)
{
    v->catalog = (const gxs_catalog *)(const void *)v->bytes;
    v->docs = (const gxs_doc *)(const void *)(v->catalog + 1);
    v->parts = (const gxs_part *)(const void *)(v->docs + v->catalog->n_docs);
    v->segments = (const gxs_segment *)(const void *)(v->parts + v->catalog->n_parts);
    v->frees = (const gxs_free *)(const void *)(v->segments + v->catalog->n_segments);
    v->names = (const char *)(v->frees + v->catalog->n_frees);
}

/* Opens a store for reading: a shared hold on its generation, so that a writer leaves its pages alone, then the
 * catalog. No part is read. */
gx_status gxs_view_open(const char *path, gxs_view **out, gx_error *err)
{
    gxs_view *v = calloc(1, sizeof *v);
    gx_status status;
    if (!v || !(v->path = strdup(path))) {
        free(v);
        return gx_fail(err, GX_ENOMEM, path, 0, 0, "not enough memory");
    }
    v->fd = open(path, O_RDONLY | O_CLOEXEC);
    status = v->fd < 0 ? system_error(err, path, "the store cannot be opened", errno) : hold(v, err);
    if (status == GX_OK)
        status = read_catalog(v, err);
    if (status != GX_OK) {
        gxs_view_close(v);
        return status;
    }
    find_tables(v);
    *out = v;
    return GX_OK;
}

void gxs_view_close(gxs_view *v)
{
    if (!v)
        return;
    if (v->fd >= 0)
        close(v->fd); /* gives its lock back */
    free(v->bytes);
    free(v->path);
    free(v);
}

int gxs_view_is_newest(const gxs_view *v)
{
    struct stat own, now;
    gxs_head h;
    return fstat(v->fd, &own) == 0 && stat(v->path, &now) == 0 && own.st_ino == now.st_ino && own.st_dev == now.st_dev
           && gxs_head_read(v->fd, &h) == 1 && h.generation == v->head.generation;
}

/* A document by name, by halving: the catalog has them in order. NULL: there is none. */
const gxs_doc *gxs_view_find(const gxs_view *v, const char *name)
{
    const size_t len = strlen(name);
    u32 lo = 0, hi = v->catalog->n_docs;
    while (lo < hi) { /* docs[lo - 1] < name <= docs[hi] */
        const u32 mid = (lo + hi) / 2;
        const gxs_doc *d = &v->docs[mid];
        const int order = gxs_name_order(v->names + d->name, d->name_len, name, len);
        if (order == 0)
            return d;
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

/* The document that a part belongs to: parts of a document stand together. */
const gxs_doc *gxs_view_doc_of(const gxs_view *v, u32 part)
{
    u32 lo = 0, hi = v->catalog->n_docs - 1;
    while (lo < hi) { /* docs[lo].first_part <= part */
        const u32 mid = (lo + hi + 1) / 2;
        if (v->docs[mid].first_part <= part)
            lo = mid;
        else
            hi = mid - 1;
    }
    return &v->docs[lo];
}

/* ---- parts ---- */

/* How messages name a part */
static void part_name(const gxs_view *v, u32 part, char what[300])
{
    const gxs_doc *of = gxs_view_doc_of(v, part);
    const int len = of->name_len < 200 ? (int)of->name_len : 200;
    if (of->n_parts > 1)
        snprintf(what, 300, "document \"%.*s\", part %u of %u", len, v->names + of->name, part - of->first_part + 1,
                 of->n_parts);
    else
        snprintf(what, 300, "document \"%.*s\"", len, v->names + of->name);
}

/* An error of what was read, with the part's name */
static gx_status part_wrong(const gxs_view *v, const char *what, gx_status status, const gx_error *why, gx_error *err)
{
    return status == GX_OK ? GX_OK : gx_fail(err, status, v->path, 0, 0, "%s: %s", what, why->text);
}

/* A whole part into the room's buffers, which are used again: one read, a checksum, unpacking. What is wrong names the
 * part and its pages. */
gx_status gxs_part_read(const gxs_view *v, u32 part, gxs_room *room, gx_doc **doc, gx_error *err)
{
    const gxs_part *p = &v->parts[part];
    const gxs_extent x = { v->fd, p->page, p->bytes, p->crc };
    char what[300];
    const char *bytes;
    gx_error why;
    gx_status status = gxs_extent_read(&x, &room->raw, &bytes, &why);
    if (status == GX_OK)
        status = gxs_unpack(bytes, p->bytes, &room->block, doc, &why);
    if (status == GX_OK)
        return GX_OK;
    part_name(v, part, what);
    return part_wrong(v, what, status, &why, err);
}

/* The part's front in room->raw. *bytes: of it; 0: the part has no chunks, or is wrong */
static gx_status read_front(const gxs_extent *x, gxs_room *room, u64 *bytes, gx_error *err)
{
    const char *at;
    const u64 sums = gxs_sums_bytes(x->bytes), rest = gxs_pages(sums + sizeof(gxs_packed)) * GXS_PAGE - sums,
              first = x->bytes < rest ? x->bytes : rest; /* behind the checksums, in their page */
    GX_TRY(gxs_extent_sums(x, &room->sums, err));
    room->raw.n = 0;
    GX_TRY(gxs_extent_piece(x, &room->sums, 0, first, &room->raw, &at, err));
    *bytes = first < sizeof(gxs_packed) ? 0 : gxs_front_bytes(at, x->bytes);
    if (*bytes > first) {
        room->raw.n = 0;
        GX_TRY(gxs_extent_piece(x, &room->sums, 0, *bytes, &room->raw, &at, err));
    }
    memmove(room->raw.at, at, *bytes); /* its page may begin with checksums */
    return GX_OK;
}

/* The chunk that a record is in */
static u32 chunk_of(const gxs_chunk *c, u32 n, u32 record)
{
    u32 lo = 0, hi = n - 1;
    while (lo < hi) { /* c[lo].record <= record */
        const u32 mid = (lo + hi + 1) / 2;
        if (c[mid].record <= record)
            lo = mid;
        else
            hi = mid - 1;
    }
    return lo;
}

/* The bytes of the pieces' chunks behind the front; neighbours are read at once. at: their offsets in room->raw, which
 * may move; table: that of the chunks' places. */
static gx_status read_chunks(const gxs_extent *x, gxs_room *room, size_t table, const gxs_piece *p, u64 *at, u32 n,
                             gx_error *err)
{
    for (u32 i = 0, end; i < n; i = end) {
        const gxs_chunk *c = (const gxs_chunk *)(const void *)(room->raw.at + table);
        const u64 from = c[p[i].chunk].at;
        const char *bytes;
        for (end = i + 1; end < n && p[end].chunk <= p[end - 1].chunk + 1; end++)
            ;
        const u64 size = c[p[end - 1].chunk + 1].at - from;
        for (u32 k = i; k < end; k++)
            at[k] = c[p[k].chunk].at - from;
        GX_TRY(gxs_extent_piece(x, &room->sums, from, size, &room->raw, &bytes, err));
        for (u32 k = i; k < end; k++)
            at[k] += (u64)(bytes - room->raw.at);
    }
    return GX_OK;
}

/* What to read of a part: these records; or chunks with nodes of these names, or all if there are any */
typedef struct wanted {
    const u32 *records;
    const gxs_name *names;
    u32 n;
    int by_record;
} wanted;

/* The pieces, without their bytes; numbers: room for as many. *sum: bytes of their chunks */
static u32 pick_pieces(const wanted *w, const char *front, const gxs_chunk *c, u32 all, u32 *numbers, gxs_piece *p,
                       u64 *sum)
{
    const u32 most = w->names ? gxs_chunks_named(front, c, w->names, w->n, numbers) : w->n;
    u32 n = 0;
    *sum = 0;
    for (u32 i = 0; i < most; i++) {
        const u32 chunk = w->names ? numbers[i] : chunk_of(c, all, w->records[i]);
        const u32 record = w->names ? 0 : w->records[i] - c[chunk].record;
        const int is_next = n && p[n - 1].chunk == chunk;
        *sum += is_next ? 0 : c[chunk + 1].at - c[chunk].at;
        if (is_next && p[n - 1].to == record)
            p[n - 1].to++;
        else
            p[n++] = (gxs_piece){ NULL, chunk, record, w->names ? GX_NONE : record + 1 };
    }
    return n;
}

/* *doc NULL: nothing of it is wanted, or, *whole, all is to be read */
static gx_status read_some(const gxs_extent *x, const wanted *w, gxs_room *room, gx_doc **doc, int *whole,
                           gx_error *err)
{
    u64 front, sum = 0;
    *doc = NULL;
    *whole = 1;
    GX_TRY(read_front(x, room, &front, err));
    const gxs_chunk *c = front ? gxs_chunks(room->raw.at, x->bytes) : NULL;
    if (!c)
        return GX_OK; /* gxs_part_read says what is wrong, if anything is */
    const u32 all = (u32)(((const char *)(room->raw.at + front) - (const char *)c) / sizeof *c) - 1,
              most = w->names ? all : w->n;
    room->pieces.n = 0;
    gxs_piece *p = gx_buf_push(&room->pieces, (size_t)most * (sizeof *p + sizeof(u64) + sizeof(u32)));
    if (!p)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory for a document");
    u64 *at = (u64 *)(void *)(p + most);
    if (w->names && !w->by_record) {
        *whole = gxs_has_names(room->raw.at, c, w->names, w->n);
        return GX_OK;
    }
    const u32 n = pick_pieces(w, room->raw.at, c, all, (u32 *)(void *)(at + most), p, &sum);
    *whole = n && 2 * sum > x->bytes;
    if (!n || *whole)
        return GX_OK;
    GX_TRY(read_chunks(x, room, (size_t)((const char *)c - room->raw.at), p, at, n, err));
    for (u32 i = 0; i < n; i++)
        p[i].bytes = room->raw.at + at[i];
    return gxs_unpack_pieces(room->raw.at, x->bytes, p, n, &room->block, doc, err);
}

/* Some records or names of a part. Where that would be nearly all of it, or it was stored as it is, the whole part. */
static gx_status part_read_some(const gxs_view *v, u32 part, const wanted *w, gxs_room *room, gx_doc **doc,
                                gx_error *err)
{
    const gxs_part *p = &v->parts[part];
    const gxs_extent x = { v->fd, p->page, p->bytes, p->crc };
    char what[300];
    int whole;
    gx_error why;
    const gx_status status = read_some(&x, w, room, doc, &whole, &why);
    if (status == GX_OK)
        return whole ? gxs_part_read(v, part, room, doc, err) : GX_OK;
    part_name(v, part, what);
    return part_wrong(v, what, status, &why, err);
}

static gxs_extent extent_of(const gxs_view *v, u32 part)
{
    const gxs_part *p = &v->parts[part];
    return (gxs_extent){ v->fd, p->page, p->bytes, p->crc };
}

void gxs_front_ahead(const gxs_view *v, u32 part)
{
    const gxs_extent x = extent_of(v, part);
    gxs_extent_sums_ahead(&x);
    gxs_extent_ahead(&x, 0, sizeof(gxs_packed));
}

/* Tells the system which chunks of a part will be read for these records (ascending), each once. Only a hint: whatever
 * is wrong is found when they are read. */
void gxs_records_ahead(const gxs_view *v, u32 part, const u32 *records, u32 n, gxs_room *room)
{
    const gxs_extent x = extent_of(v, part);
    gx_error err;
    u64 front;
    if (read_front(&x, room, &front, &err) != GX_OK || !front)
        return; /* reading it says why */
    const gxs_chunk *c = gxs_chunks(room->raw.at, x.bytes);
    const u32 all = c ? (u32)(((const char *)(room->raw.at + front) - (const char *)c) / sizeof *c) - 1 : 0;
    for (u32 i = 0, last = GX_NONE; all && i < n; i++) {
        const u32 chunk = chunk_of(c, all, records[i]);
        if (chunk != last)
            gxs_extent_ahead(&x, c[chunk].at, c[chunk + 1].at - c[chunk].at);
        last = chunk;
    }
}

int gxs_part_is_near(const gxs_view *v, u32 part)
{
    const gxs_extent x = extent_of(v, part);
    return gxs_extent_is_near(&x);
}

gx_status gxs_part_read_records(const gxs_view *v, u32 part, const u32 *records, u32 n, gxs_room *room, gx_doc **doc,
                                gx_error *err)
{
    const wanted w = { records, NULL, n, 1 };
    return part_read_some(v, part, &w, room, doc, err);
}

gx_status gxs_part_read_named(const gxs_view *v, u32 part, const gxs_name *names, u32 n, int by_record, gxs_room *room,
                              gx_doc **doc, gx_error *err)
{
    const wanted w = { NULL, names, n, by_record };
    return part_read_some(v, part, &w, room, doc, err);
}

/* What a part says that it has, from its first bytes. Not verified by its checksum, so each figure is held to the
 * part's size. */
gx_status gxs_part_sizes(const gxs_view *v, u32 part, u64 *nodes, u64 *text, u64 *values, gx_error *err)
{
    const gxs_part *p = &v->parts[part];
    const gxs_extent x = extent_of(v, part);
    gxs_packed h;
    if (p->bytes < sizeof h || gxs_extent_peek(&x, 0, &h, sizeof h) || h.magic != GXS_PACKED
        || h.doc.n_nodes > p->bytes || h.doc.text_size > p->bytes || h.doc.values_size > p->bytes)
        return gx_fail(err, GX_EBAD, v->path, 0, 0, "page %llu is damaged: no part begins there",
                       (unsigned long long)p->page);
    *nodes = h.doc.n_nodes;
    *text = h.doc.text_size;
    *values = h.doc.values_size;
    return GX_OK;
}

void gxs_room_free(gxs_room *room)
{
    gx_buf_free(&room->raw);
    gx_buf_free(&room->block);
    gx_buf_free(&room->sums);
    gx_buf_free(&room->pieces);
}

/* ---- checking all of it ---- */

typedef struct span {
    u64 page, n;
} span;

static int by_page(const void *a, const void *b)
{
    const span *x = a, *y = b;
    return x->page < y->page ? -1 : x->page > y->page;
}

/* Each page behind the two heads is in one extent of the catalog, one of its own two copies, or free: none twice, none
 * lost. NULL, or what is wrong. Sorts them all: O(n log n). */
static const char *pages_wrong(const gxs_view *v)
{
    const gxs_catalog *c = v->catalog;
    const u64 copy = gxs_pages(v->head.catalog_bytes);
    u64 n = 0, page = 2;
    span *all = malloc((c->n_parts + (size_t)c->n_segments + c->n_frees + 2) * sizeof *all);
    const char *wrong = NULL;
    if (!all)
        return "not enough memory to compare them";
    all[n++] = (span){ v->head.catalog[0], copy };
    all[n++] = (span){ v->head.catalog[1], copy };
    for (u32 i = 0; i < c->n_parts; i++)
        all[n++] = (span){ v->parts[i].page, gxs_pages(gxs_extent_bytes(v->parts[i].bytes)) };
    for (u32 i = 0; i < c->n_segments; i++)
        all[n++] = (span){ v->segments[i].page, gxs_pages(gxs_extent_bytes(v->segments[i].bytes)) };
    for (u32 i = 0; i < c->n_frees; i++)
        all[n++] = (span){ v->frees[i].page, v->frees[i].n };
    qsort(all, n, sizeof *all, by_page);
    for (u64 i = 0; i < n && !wrong; page = all[i].page + all[i].n, i++)
        wrong = all[i].page < page ? "two things have the same page" : all[i].page > page ? "pages are lost" : NULL;
    if (!wrong && page != v->head.n_pages)
        wrong = "pages are lost";
    free(all);
    return wrong;
}

static gx_status check_segment(const gxs_view *v, u32 k, gx_buf *buf, gx_error *err)
{
    const gxs_segment *s = &v->segments[k];
    const gxs_extent x = { v->fd, s->page, s->bytes, s->crc };
    const char *bytes;
    gx_error why;
    const gx_status status = gxs_extent_read(&x, buf, &bytes, &why);
    return status == GX_OK ? GX_OK : gx_fail(err, status, v->path, 0, 0, "an index: %s", why.text);
}

/* Reads everything: pages that overlap, both copies of the catalog, each part (verified and unpacked) and each index
 * segment. told() hears of each fault; their number comes back. One part is in memory at a time. */
u32 gxs_view_check(const gxs_view *v, void (*told)(void *ctx, const gx_error *what),
                   void (*progress)(void *ctx, u32 done, u32 all), void *ctx)
{
    const u32 all = v->catalog->n_parts + v->catalog->n_segments;
    gxs_room room = { 0 };
    const char *pages = pages_wrong(v);
    gx_error err;
    u32 n = 0;
    if (pages) {
        gx_fail(&err, GX_EBAD, v->path, 0, 0, "the catalog: %s", pages);
        told(ctx, &err);
        n++;
    }
    gx_buf_room(&room.raw, v->head.catalog_bytes);
    for (u32 copy = 0; copy < 2 && room.raw.cap >= v->head.catalog_bytes; copy++)
        if (gx_read_at(v->fd, v->head.catalog[copy] * GXS_PAGE, room.raw.at, v->head.catalog_bytes)
            || gxs_crc(0, room.raw.at, v->head.catalog_bytes) != v->head.catalog_crc) {
            gx_fail(&err, GX_EBAD, v->path, 0, 0, "the catalog's copy at page %llu is damaged; the other one is whole",
                    (unsigned long long)v->head.catalog[copy]);
            told(ctx, &err);
            n++;
        }
    for (u32 i = 0; i < all; i++) {
        const u32 k = i - v->catalog->n_parts;
        gx_doc *doc;
        const gx_status status =
            i < v->catalog->n_parts ? gxs_part_read(v, i, &room, &doc, &err) : check_segment(v, k, &room.raw, &err);
        if (status != GX_OK) {
            told(ctx, &err);
            n++;
        }
        if (progress)
            progress(ctx, i + 1, all);
    }
    gxs_room_free(&room);
    return n;
}
