/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.c -- changing a store: extents, then the catalog, then the head (store.h)
 *
 * The catalog is written anew by each commit, some 100 bytes a document and 40 a part. Space that this generation's
 * readers, or the generation itself, may need is not touched; what is written before the commit fails is free again.
 */
#include <apr_hash.h>
#include <apr_pools.h>
#include <apr_strings.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "head.h"
#include "pack.h"
#include "terms.h"

enum { MOST_FRAMES = 4096 }; /* bytes of their names that the catalog takes: a query's plan looks at each */

typedef struct entry { /* a document of the catalog that is being made */
    gxs_doc doc;
    const char *name, *split, *frames; /* in the writer's pool, as parts */
    gxs_part *parts;
    u32 n_parts;
    int is_long; /* a part has several chunks */
} entry;

struct gxs_writer {
    int fd;
    const char *path;
    gxs_disk disk;
    apr_pool_t *pool;
    gxs_head head;          /* of the newest generation */
    apr_hash_t *docs;       /* name -> entry */
    gx_buf segments, frees; /* gxs_segment, gxs_free */
    u64 oldest;             /* generation that a reader may have */
    u64 n_pages, next_uid;
    entry *open;       /* the document that is being put */
    gx_buf open_parts; /* gxs_part */
    gx_buf frames;     /* the local names of its frames, each behind a blank */
    gxs_records records;
    gx_buf scratch;
    gxs_terms *terms; /* of parts that no segment has yet */
    int is_over;
};

static int disk_write(void *ctx, int fd, u64 at, const void *bytes, size_t n)
{
    const char *from = bytes;
    (void)ctx;
    while (n) {
        const ssize_t put = pwrite(fd, from, n < (1u << 30) ? n : 1u << 30, (off_t)at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put < 0 ? errno : EIO;
        from += put;
        at += (u64)put;
        n -= (size_t)put;
    }
    return 0;
}

static int disk_sync(void *ctx, int fd)
{
    (void)ctx;
    return fdatasync(fd) < 0 ? errno : 0;
}

static gx_status failed(gxs_writer *w, const char *what, int number, gx_error *err)
{
    w->is_over = 1;
    return gx_fail(err, number == ENOMEM ? GX_ENOMEM : GX_EIO, w->path, 0, 0, "%s: %s", what, strerror(number));
}

static gx_status no_memory(gxs_writer *w, gx_error *err)
{
    return failed(w, "the store cannot be changed", ENOMEM, err);
}

/* ---- opening ---- */

int gxs_sync_folder(const char *path)
{
    char *name = strdup(path), *slash = name ? strrchr(name, '/') : NULL;
    int wrong = name ? 0 : ENOMEM, fd;
    if (slash)
        slash[slash == name] = 0;
    fd = name ? open(slash ? name : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (name && fd < 0)
        wrong = errno;
    if (fd >= 0 && fsync(fd) < 0 && errno != EINVAL) /* EINVAL: the file system does not know it */
        wrong = errno;
    if (fd >= 0)
        close(fd);
    free(name);
    return wrong;
}

/* A store of no documents, complete before it has its name: nobody ever sees half of one. */
static int create_file(const char *path, u64 generation, apr_pool_t *pool, const gxs_disk *disk)
{
    const char *name = apr_psprintf(pool, "%s.new-%ld", path, (long)getpid());
    char pages[4 * GXS_PAGE];
    gxs_catalog c = { 0 };
    gxs_head h = { .generation = generation,
                   .n_pages = 4,
                   .catalog = { 2, 3 },
                   .catalog_bytes = sizeof c,
                   .catalog_crc = gxs_crc(0, &c, sizeof c) };
    int wrong = 0, fd;
    gxs_head_seal(&h);
    memset(pages, 0, sizeof pages); /* the catalog is zeros */
    memcpy(pages + (generation & 1 ? 0 : GXS_PAGE), &h, sizeof h);
    if ((fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) < 0)
        return errno;
    if ((wrong = disk->write(disk->ctx, fd, 0, pages, sizeof pages)) == 0 && (wrong = disk->sync(disk->ctx, fd)) == 0
        && link(name, path) < 0)
        wrong = errno;
    close(fd);
    unlink(name);
    return wrong ? wrong : gxs_sync_folder(path);
}

/* The file with the writer's lock, and still the one of this name: compacting puts another in its place. */
static gx_status open_locked(gxs_writer *w, int create, gx_error *err)
{
    for (;;) {
        struct stat own, now;
        int wrong;
        w->fd = open(w->path, O_RDWR | O_CLOEXEC);
        if (w->fd < 0 && errno == ENOENT && create) {
            if ((wrong = create_file(w->path, 1, w->pool, &w->disk)) && wrong != EEXIST)
                return failed(w, "the store cannot be made", wrong, err);
            continue;
        }
        if (w->fd < 0)
            return failed(w, "the store cannot be opened for writing", errno, err);
        wrong = gxs_lock(w->fd, F_WRLCK, GXS_LOCKS - 1);
        if (wrong == EAGAIN)
            return gx_fail(err, GX_EBUSY, w->path, 0, 0,
                           "another process is changing this store: try again when it has ended");
        if (wrong)
            return failed(w, "the store cannot be locked", wrong, err);
        if (fstat(w->fd, &own) == 0 && stat(w->path, &now) == 0 && own.st_ino == now.st_ino && own.st_dev == now.st_dev)
            return GX_OK;
        close(w->fd);
    }
}

/* The newest catalog as entries */
static gx_status load(gxs_writer *w, gx_error *err)
{
    gxs_view *v;
    GX_TRY(gxs_view_open(w->path, &v, err));
    const gxs_catalog *c = v->catalog;
    w->head = v->head;
    w->n_pages = v->head.n_pages;
    w->next_uid = c->next_uid;
    for (u32 i = 0; i < c->n_docs; i++) {
        const gxs_doc *d = &v->docs[i];
        entry *e = apr_pcalloc(w->pool, sizeof *e);
        e->doc = *d;
        e->name = apr_pstrmemdup(w->pool, v->names + d->name, d->name_len);
        e->split = apr_pstrmemdup(w->pool, v->names + d->split, d->split_len);
        e->frames = apr_pstrmemdup(w->pool, v->names + d->frames, d->frames_len);
        e->parts = apr_pmemdup(w->pool, v->parts + d->first_part, d->n_parts * sizeof *e->parts);
        e->n_parts = d->n_parts;
        apr_hash_set(w->docs, e->name, d->name_len, e);
    }
    void *segments = gx_buf_push(&w->segments, c->n_segments * sizeof *v->segments + 1);
    void *frees = gx_buf_push(&w->frees, c->n_frees * sizeof *v->frees + 1);
    if (segments && frees) {
        memcpy(segments, v->segments, w->segments.n = c->n_segments * sizeof *v->segments);
        memcpy(frees, v->frees, w->frees.n = c->n_frees * sizeof *v->frees);
    }
    gxs_view_close(v);
    w->oldest = gxs_locked_first(w->fd, w->head.generation);
    return segments && frees ? GX_OK : no_memory(w, err);
}

gx_status gxs_writer_open(const char *path, int create, u32 index, const gxs_disk *disk, gxs_writer **out,
                          gx_error *err)
{
    apr_pool_t *pool;
    if (apr_pool_create(&pool, NULL) != APR_SUCCESS)
        return gx_fail(err, GX_ENOMEM, path, 0, 0, "not enough memory");
    gxs_writer *w = apr_pcalloc(pool, sizeof *w);
    w->pool = pool;
    w->fd = -1;
    w->path = apr_pstrdup(pool, path);
    w->docs = apr_hash_make(pool);
    w->disk = disk ? *disk : (gxs_disk){ disk_write, disk_sync, NULL };
    gx_status status = open_locked(w, create, err);
    if (status == GX_OK)
        status = load(w, err);
    if (status == GX_OK && !(w->terms = gxs_terms_create(index)))
        status = no_memory(w, err);
    if (status != GX_OK) {
        gxs_writer_close(w);
        return status;
    }
    *out = w;
    return GX_OK;
}

gx_status gxs_writer_create(const char *path, u64 generation, u32 index, gxs_writer **out, gx_error *err)
{
    const gxs_disk disk = { disk_write, disk_sync, NULL };
    apr_pool_t *pool;
    if (apr_pool_create(&pool, NULL) != APR_SUCCESS)
        return gx_fail(err, GX_ENOMEM, path, 0, 0, "not enough memory");
    const int wrong = create_file(path, generation, pool, &disk);
    apr_pool_destroy(pool);
    if (wrong)
        return gx_fail(err, GX_EIO, path, 0, 0, "the store cannot be made: %s", strerror(wrong));
    return gxs_writer_open(path, 0, index, NULL, out, err);
}

void gxs_writer_close(gxs_writer *w)
{
    if (!w)
        return;
    gx_buf_free(&w->open_parts);
    gx_buf_free(&w->frames);
    gxs_records_free(&w->records);
    gxs_terms_free(w->terms);
    gx_buf_free(&w->segments);
    gx_buf_free(&w->frees);
    gx_buf_free(&w->scratch);
    if (w->fd >= 0)
        close(w->fd);
    apr_pool_destroy(w->pool);
}

u64 gxs_writer_generation(const gxs_writer *w) { return w->head.generation + 1; }

/* ---- space ---- */

/* n pages that no reader needs: the first that fit, or at the file's end */
static u64 take_pages(gxs_writer *w, u64 n)
{
    gxs_free *f = GX_BUF_AT(&w->frees, gxs_free);
    for (u32 i = 0, all = GX_BUF_N(&w->frees, gxs_free); i < all; i++)
        if (f[i].n >= n && f[i].since <= w->oldest) {
            const u64 page = f[i].page;
            f[i].page += n;
            f[i].n -= n;
            return page;
        }
    w->n_pages += n;
    return w->n_pages - n;
}

static void give_pages(gxs_writer *w, u64 page, u64 n, u64 since)
{
    gxs_free *f = n ? gx_buf_push(&w->frees, sizeof *f) : NULL;
    if (f)
        *f = (gxs_free){ page, n, since };
    w->is_over |= n && !f;
}

/* The bytes of w->scratch, with their checksums, in an extent of their own */
static gx_status put_extent(gxs_writer *w, u64 *page, u64 *bytes, u32 *crc, gx_error *err)
{
    gx_buf *b = &w->scratch;
    const u64 n = b->n, all = gxs_extent_bytes(n), sums = all - 4 * gxs_pages(n), rounded = gxs_pages(all) * GXS_PAGE;
    if (gx_buf_room(b, rounded - n))
        return no_memory(w, err);
    memset(b->at + n, 0, rounded - n);
    for (u64 at = 0, i = 0; at < n; at += GXS_PAGE, i++) {
        const u32 sum = gxs_page_crc(b->at, at, n);
        memcpy(b->at + sums + 4 * i, &sum, 4);
    }
    *page = take_pages(w, rounded / GXS_PAGE);
    *bytes = n;
    *crc = gxs_crc(0, b->at + sums, all - sums);
    const int wrong = w->disk.write(w->disk.ctx, w->fd, *page * GXS_PAGE, b->at, rounded);
    return wrong ? failed(w, "the store cannot be written", wrong, err) : GX_OK;
}

static void give_parts(gxs_writer *w, const gxs_part *p, u32 n, u64 since)
{
    for (u32 i = 0; i < n; i++)
        give_pages(w, p[i].page, gxs_pages(gxs_extent_bytes(p[i].bytes)), since);
}

/* ---- documents ---- */

gx_status gxs_put_begin(gxs_writer *w, const char *name, const char *split, gx_error *err)
{
    const size_t len = strlen(name);
    for (size_t i = 0; i < len; i++)
        if ((u8)name[i] < ' ' || name[i] == 127)
            return gx_fail(err, GX_ESTYLE, w->path, 0, 0, "a document's name cannot have control characters");
    if (!len || len > GXS_NAME)
        return gx_fail(err, GX_ESTYLE, w->path, 0, 0, "a document's name must have 1 to %u bytes", GXS_NAME);
    gxs_put_abandon(w);
    w->open_parts.n = w->frames.n = 0;
    w->open = apr_pcalloc(w->pool, sizeof *w->open);
    w->open->name = apr_pstrdup(w->pool, name);
    w->open->split = apr_pstrdup(w->pool, split ? split : "");
    w->open->doc.version = w->head.generation + 1;
    return GX_OK;
}

/* What the terms of the parts so far are found by */
static gx_status put_segment(gxs_writer *w, gx_error *err)
{
    gxs_segment s = { 0 };
    s.n_uids = gxs_terms_parts(w->terms); /* 0 without an index */
    s.first_uid = w->next_uid - s.n_uids;
    if (!s.n_uids)
        return GX_OK;
    w->scratch.n = 0;
    const gx_status status = gxs_terms_write(w->terms, &w->scratch);
    if (status == GX_ELIMIT)
        return gx_fail(err, GX_ELIMIT, w->path, 0, 0,
                       "a part has too many terms for an index: split the document, or store it with --index none");
    if (status != GX_OK)
        return no_memory(w, err);
    GX_TRY(put_extent(w, &s.page, &s.bytes, &s.crc, err));
    gxs_segment *to = gx_buf_push(&w->segments, sizeof s);
    if (!to)
        return no_memory(w, err);
    *to = s;
    return GX_OK;
}

/* The names of the part's frames join those of the document. 0: no memory */
static int note_frames(gxs_writer *w, const gx_doc *doc)
{
    const u32 *frame = GX_BUF_AT(&w->records.frames, u32), *label = GX_DOC_COL(doc, u32, label);
    const gx_label_info *info = GX_DOC_COL(doc, gx_label_info, labels);
    u32 last = GX_NONE;
    for (u32 i = 0; i < GX_BUF_N(&w->records.frames, u32); i++) {
        const u32 id = GX_LABEL_ID(label[frame[i]]), n = info[id].local_len;
        const char *name = GX_DOC_COL(doc, char, strs) + info[id].local;
        if (id == last || gxs_is_listed(w->frames.at, w->frames.n, name, n))
            continue;
        last = id;
        char *to = gx_buf_push(&w->frames, n + 1);
        if (!to)
            return 0;
        *to = ' ';
        memcpy(to + 1, name, n);
    }
    return 1;
}

gx_status gxs_put_part(gxs_writer *w, const gx_doc *doc, u32 spine, u64 source_bytes, gx_error *err)
{
    gxs_part p = { 0 };
    entry *e = w->open;
    w->scratch.n = 0;
    if (gxs_terms_full(w->terms))
        GX_TRY(put_segment(w, err));
    w->scratch.n = 0;
    if (!gxs_records_find(&w->records, doc, spine, e->split) || !note_frames(w, doc))
        return no_memory(w, err);
    GX_TRY(gxs_pack(doc, &w->records, &w->scratch, err));
    e->is_long |= gxs_records_n(&w->records) > 1 && ((gxs_packed *)(void *)w->scratch.at)->n_chunks > 1;
    GX_TRY(put_extent(w, &p.page, &p.bytes, &p.crc, err));
    p.block_bytes = doc->size;
    p.spine = spine;
    p.uid = w->next_uid++;
    gxs_part *to = gx_buf_push(&w->open_parts, sizeof p);
    if (!to || gxs_terms_add(w->terms, doc, &w->records) != GX_OK)
        return no_memory(w, err);
    *to = p;
    e->doc.source_bytes += source_bytes;
    e->doc.n_nodes += doc->n_nodes;
    return GX_OK;
}

gx_status gxs_put_end(gxs_writer *w, const char *torn, gx_error *err)
{
    entry *e = w->open;
    if (w->is_over)
        return no_memory(w, err);
    if (torn)
        e->split = apr_pstrcat(w->pool, e->split, torn, NULL);
    gxs_remove(w, e->name);
    e->doc.name_len = (u32)strlen(e->name);
    e->doc.split_len = (u32)strlen(e->split);
    e->doc.frames_len = e->is_long && w->frames.n <= MOST_FRAMES ? (u32)w->frames.n : 0;
    e->frames = apr_pstrmemdup(w->pool, w->frames.at ? w->frames.at : "", e->doc.frames_len);
    e->n_parts = GX_BUF_N(&w->open_parts, gxs_part);
    e->parts = apr_pmemdup(w->pool, w->open_parts.at, w->open_parts.n);
    apr_hash_set(w->docs, e->name, e->doc.name_len, e);
    w->open = NULL;
    return GX_OK;
}

void gxs_put_abandon(gxs_writer *w)
{
    if (w->open)
        give_parts(w, GX_BUF_AT(&w->open_parts, gxs_part), GX_BUF_N(&w->open_parts, gxs_part),
                   0); /* nobody has seen them */
    w->open = NULL;
}

int gxs_remove(gxs_writer *w, const char *name)
{
    entry *e = apr_hash_get(w->docs, name, APR_HASH_KEY_STRING);
    if (!e)
        return 0;
    give_parts(w, e->parts, e->n_parts, e->doc.version > w->head.generation ? 0 : w->head.generation + 1);
    apr_hash_set(w->docs, name, APR_HASH_KEY_STRING, NULL);
    return 1;
}

/* ---- committing ---- */

static int by_name(const void *a, const void *b)
{
    const entry *x = *(entry *const *)a, *y = *(entry *const *)b;
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

/* Segments all of whose parts were removed go. */
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
            give_pages(w, s[i].page, gxs_pages(gxs_extent_bytes(s[i].bytes)), w->head.generation + 1);
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
    entry **all = malloc((n + 1) * sizeof *all);
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
    give_pages(w, w->head.catalog[0], most, w->head.generation + 1);
    give_pages(w, w->head.catalog[1], most, w->head.generation + 1);
    b->n = 0;
    if (!make_catalog(w, b, 0))
        return no_memory(w, err);
    const u64 bytes = b->n, pages = gxs_pages(bytes);
    h->catalog[0] = take_pages(w, pages);
    h->catalog[1] = take_pages(w, pages);
    b->n = 0;
    if (!make_catalog(w, b, bytes) || gx_buf_room(b, GXS_PAGE))
        return no_memory(w, err);
    h->catalog_bytes = bytes;
    h->catalog_crc = gxs_crc(0, b->at, bytes);
    memset(b->at + bytes, 0, pages * GXS_PAGE - bytes);
    for (u32 copy = 0; copy < 2; copy++) {
        const int wrong = w->disk.write(w->disk.ctx, w->fd, h->catalog[copy] * GXS_PAGE, b->at, pages * GXS_PAGE);
        if (wrong)
            return failed(w, "the store cannot be written", wrong, err);
    }
    return GX_OK;
}

gx_status gxs_commit(gxs_writer *w, gx_error *err)
{
    gxs_head h = { 0 };
    char page[GXS_PAGE];
    int wrong;
    if (w->is_over)
        return gx_fail(err, GX_EIO, w->path, 0, 0, "nothing was stored, as something could not be written");
    gxs_put_abandon(w);
    GX_TRY(put_segment(w, err));
    GX_TRY(put_catalog(w, &h, err));
    if ((wrong = w->disk.sync(w->disk.ctx, w->fd)))
        return failed(w, "the store cannot be written", wrong, err);
    h.generation = w->head.generation + 1;
    h.n_pages = w->n_pages;
    gxs_head_seal(&h);
    memset(page, 0, sizeof page);
    memcpy(page, &h, sizeof h);
    if ((wrong = w->disk.write(w->disk.ctx, w->fd, (h.generation & 1 ? 0 : 1) * GXS_PAGE, page, sizeof page))
        || (wrong = w->disk.sync(w->disk.ctx, w->fd)))
        return failed(w, "the store cannot be written", wrong, err);
    w->head = h;
    w->oldest = gxs_locked_first(w->fd, h.generation);
    return GX_OK;
}
