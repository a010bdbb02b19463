/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commit.c -- the catalog, then the head: what was put becomes the newest generation (store.h)
 *
 * The catalog is written anew by each commit, some 100 bytes a document and 40 a part.
 */
#include <stdlib.h>
#include <string.h>
#include "head.h"
#include "writer.h"

static int by_name(const void *a, const void *b)
{
    const gxs_entry *x = *(gxs_entry *const *)a, *y = *(gxs_entry *const *)b;
    return gxs_name_order(x->name, x->doc.name_len, y->name, y->doc.name_len);
}

static int by_page(const void *a, const void *b)
{
    const gxs_free *x = a, *y = b;
    return x->page < y->page ? -1 : x->page > y->page;
}

/* Neighbours become one, of the later generation. */
static void join_frees(gx_buf *frees)
{
    gxs_free *f = GX_BUF_AT(frees, gxs_free);
    u32 n = 0;
    if (frees->n)
        qsort(f, GX_BUF_N(frees, gxs_free), sizeof *f, by_page);
    for (u32 i = 0; i < GX_BUF_N(frees, gxs_free); i++) {
        if (!f[i].n)
            continue;
        if (n && f[n - 1].page + f[n - 1].n == f[i].page) {
            f[n - 1].n += f[i].n;
            f[n - 1].since = f[i].since > f[n - 1].since ? f[i].since : f[n - 1].since;
        } else
            f[n++] = f[i];
    }
    frees->n = n * sizeof *f;
}

static int by_uid(const void *a, const void *b)
{
    const u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return x < y ? -1 : x > y;
}

/* Index segments all of whose parts were removed go, and their pages are free when no reader has this generation any
 * more. A segment has a range of uids: is there a part in it? O((parts + segments) log parts). 0: no memory. */
static int drop_segments(gxs_writer *w, const gx_buf *parts)
{
    const u32 n = GX_BUF_N(parts, gxs_part);
    gxs_segment *s = GX_BUF_AT(&w->segments, gxs_segment);
    u64 *uids = malloc((n + 1) * sizeof *uids);
    u32 kept = 0;
    if (!uids)
        return 0;
    for (u32 i = 0; i < n; i++)
        uids[i] = GX_BUF_AT(parts, gxs_part)[i].uid;
    qsort(uids, n, sizeof *uids, by_uid);
    for (u32 i = 0; i < GX_BUF_N(&w->segments, gxs_segment); i++) {
        u32 lo = 0, hi = n;
        while (lo < hi) { /* uids[lo - 1] < first_uid <= uids[hi] */
            const u32 mid = (lo + hi) / 2;
            if (uids[mid] < s[i].first_uid)
                lo = mid + 1;
            else
                hi = mid;
        }
        if (lo < n && uids[lo] < s[i].first_uid + s[i].n_uids)
            s[kept++] = s[i];
        else
            gxs_give_pages(w, s[i].page, gxs_pages(gxs_extent_bytes(s[i].bytes)), w->head.generation + 1);
    }
    w->segments.n = kept * sizeof *s;
    free(uids);
    return 1;
}

/* The catalog in `out`: docs with their names' places, parts, segments, frees; of at least so many bytes. 0: no memory
 */
static int make_catalog(gxs_writer *w, gx_buf *out, size_t least)
{
    const u32 n = apr_hash_count(w->docs);
    gx_buf parts = { 0 }, names = { 0 };
    gxs_entry **all = malloc((n + 1) * sizeof *all);
    gxs_catalog c = { .n_docs = n };
    u32 i = 0;
    int ok = all && gx_buf_push(out, sizeof c);
    for (apr_hash_index_t *h = apr_hash_first(w->pool, w->docs); ok && h; h = apr_hash_next(h)) {
        void *e;
        apr_hash_this(h, NULL, NULL, &e);
        all[i++] = e;
    }
    if (ok)
        qsort(all, n, sizeof *all, by_name);
    for (i = 0; ok && i < n; i++) {
        gxs_doc *d = &all[i]->doc;
        d->first_part = GX_BUF_N(&parts, gxs_part);
        d->n_parts = all[i]->n_parts;
        d->name = (u32)names.n;
        d->split = (u32)names.n + d->name_len;
        d->frames = d->split + d->split_len;
        char *name = gx_buf_push(&names, d->name_len + d->split_len + d->frames_len);
        void *part = gx_buf_push(&parts, d->n_parts * sizeof(gxs_part)), *doc = gx_buf_push(out, sizeof *d);
        if (!(ok = name && part && doc))
            break;
        memcpy(name, all[i]->name, d->name_len);
        memcpy(name + d->name_len, all[i]->split, d->split_len);
        memcpy(name + d->name_len + d->split_len, all[i]->frames, d->frames_len);
        memcpy(part, all[i]->parts, d->n_parts * sizeof(gxs_part));
        memcpy(doc, d, sizeof *d);
    }
    ok = ok && drop_segments(w, &parts);
    join_frees(&w->frees);
    const size_t size = out->n + parts.n + w->segments.n + w->frees.n + names.n;
    if (ok && size < least) {
        char *more = gx_buf_push(&names, least - size);
        if ((ok = more != NULL))
            memset(more, 0, least - size);
    }
    const gx_buf *tables[] = { &parts, &w->segments, &w->frees, &names };
    for (u32 k = 0; ok && k < 4; k++) {
        void *to = gx_buf_push(out, tables[k]->n);
        if ((ok = to != NULL) && tables[k]->n)
            memcpy(to, tables[k]->at, tables[k]->n);
    }
    c.n_parts = GX_BUF_N(&parts, gxs_part);
    c.n_segments = GX_BUF_N(&w->segments, gxs_segment);
    c.n_frees = GX_BUF_N(&w->frees, gxs_free);
    c.next_uid = w->next_uid;
    c.names_bytes = names.n;
    if (ok)
        memcpy(out->at, &c, sizeof c);
    gx_buf_free(&parts);
    gx_buf_free(&names);
    free(all);
    return ok;
}

/* Places for both copies, which the catalog then says are not free: that makes its list of free space shorter, never
 * longer, and its names are filled up to the size that places were taken for. */
static gx_status put_catalog(gxs_writer *w, gxs_head *h, gx_error *err)
{
    gx_buf *b = &w->scratch;
    const u64 most = gxs_pages(w->head.catalog_bytes);
    gxs_give_pages(w, w->head.catalog[0], most, w->head.generation + 1);
    gxs_give_pages(w, w->head.catalog[1], most, w->head.generation + 1);
    b->n = 0;
    if (!make_catalog(w, b, 0))
        return gxs_writer_no_memory(w, err);
    const u64 bytes = b->n, pages = gxs_pages(bytes);
    h->catalog[0] = gxs_take_pages(w, pages);
    h->catalog[1] = gxs_take_pages(w, pages);
    b->n = 0;
    if (!make_catalog(w, b, bytes) || gx_buf_room(b, GXS_PAGE))
        return gxs_writer_no_memory(w, err);
    h->catalog_bytes = bytes;
    h->catalog_crc = gxs_crc(0, b->at, bytes);
    memset(b->at + bytes, 0, pages * GXS_PAGE - bytes);
    for (u32 copy = 0; copy < 2; copy++) {
        const int wrong = w->disk.write(w->disk.ctx, w->fd, h->catalog[copy] * GXS_PAGE, b->at, pages * GXS_PAGE);
        if (wrong)
            return gxs_writer_failed(w, "the store cannot be written", wrong, err);
    }
    return GX_OK;
}

/* The order is what makes it durable: index and two copies of the catalog to free pages, sync, then the one page of
 * the head that is the older one of two, sync. Until that page is there a reader, and who opens the store after a
 * crash, sees the generation before. */
gx_status gxs_commit(gxs_writer *w, gx_error *err)
{
    gxs_head h = { 0 };
    char page[GXS_PAGE];
    int wrong;
    if (w->is_over)
        return gx_fail(err, GX_EIO, w->path, 0, 0, "nothing was stored, as something could not be written");
    gxs_put_abandon(w);
    GX_TRY(gxs_put_segment(w, err));
    GX_TRY(put_catalog(w, &h, err));
    if ((wrong = w->disk.sync(w->disk.ctx, w->fd)))
        return gxs_writer_failed(w, "the store cannot be written", wrong, err);
    h.generation = w->head.generation + 1;
    h.n_pages = w->n_pages;
    gxs_head_seal(&h);
    memset(page, 0, sizeof page);
    memcpy(page, &h, sizeof h);
    if ((wrong = w->disk.write(w->disk.ctx, w->fd, (h.generation & 1 ? 0 : 1) * GXS_PAGE, page, sizeof page))
        || (wrong = w->disk.sync(w->disk.ctx, w->fd)))
        return gxs_writer_failed(w, "the store cannot be written", wrong, err);
    w->head = h;
    w->oldest = gxs_locked_first(w->fd, h.generation);
    return GX_OK;
}
