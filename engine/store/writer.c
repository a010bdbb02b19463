/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.c -- changing a store: opening it, documents that are put and removed (store.h); commit.c makes them durable
 */
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
#include "writer.h"

enum { MOST_FRAMES = 4096 }; /* bytes of their names that the catalog takes: a query's plan looks at each */

/* All n bytes at this place of the file, in calls of at most 1 GB. 0, or errno; a write of nothing is EIO. */
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

/* ---- opening ---- */

/* Makes the directory entry of `path` durable. 0, or errno. */
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
                return gxs_writer_failed(w, "the store cannot be made", wrong, err);
            continue;
        }
        if (w->fd < 0)
            return gxs_writer_failed(w, "the store cannot be opened for writing", errno, err);
        wrong = gxs_lock(w->fd, F_WRLCK, GXS_LOCKS - 1);
        if (wrong == EAGAIN)
            return gx_fail(err, GX_EBUSY, w->path, 0, 0,
                           "another process is changing this store: try again when it has ended");
        if (wrong)
            return gxs_writer_failed(w, "the store cannot be locked", wrong, err);
        if (fstat(w->fd, &own) == 0 && stat(w->path, &now) == 0 && own.st_ino == now.st_ino && own.st_dev == now.st_dev)
            return GX_OK;
        close(w->fd);
    }
}

/* The newest catalog as entries by name, in the writer's pool, with segments and free pages in arrays that grow. Which
 * generations readers have is looked at last: their pages are not to be used. Fails as gxs_view_open(). */
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
        gxs_entry *e = apr_pcalloc(w->pool, sizeof *e);
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
    return segments && frees ? GX_OK : gxs_writer_no_memory(w, err);
}

/* Opens a store for writing, or creates it: an exclusive lock, the catalog of the last generation as a table of
 * documents, and an empty index segment. disk: NULL, or what writes and syncs in its place (tests). */
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
        status = gxs_writer_no_memory(w, err);
    if (status != GX_OK) {
        gxs_writer_close(w);
        return status;
    }
    *out = w;
    return GX_OK;
}

/* A new store with the generation that follows, as compacting makes one, opened for writing. */
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

/* ---- documents ---- */

static void give_parts(gxs_writer *w, const gxs_part *p, u32 n, u64 since)
{
    for (u32 i = 0; i < n; i++)
        gxs_give_pages(w, p[i].page, gxs_pages(gxs_extent_bytes(p[i].bytes)), since);
}

/* A document's parts follow. Nothing is seen of it until gxs_put_end() and a commit. GX_ESTYLE for a name that is
 * empty, too long or has control characters. */
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

/* Writes the terms that have been collected as one segment of the index, and begins another one. GX_ELIMIT where they
 * would not fit into 4 GB. */
gx_status gxs_put_segment(gxs_writer *w, gx_error *err)
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
        return gxs_writer_no_memory(w, err);
    GX_TRY(gxs_put_extent(w, &s.page, &s.bytes, &s.crc, err));
    gxs_segment *to = gx_buf_push(&w->segments, sizeof s);
    if (!to)
        return gxs_writer_no_memory(w, err);
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

/* One part of the open document: its records found, its block packed and written to free pages, its terms added. A full
 * segment is written first. O(bytes of the part); nothing of it stays in memory but 40 bytes and its terms. */
gx_status gxs_put_part(gxs_writer *w, const gx_doc *doc, u32 spine, u64 source_bytes, gx_error *err)
{
    gxs_part p = { 0 };
    gxs_entry *e = w->open;
    w->scratch.n = 0;
    if (gxs_terms_full(w->terms))
        GX_TRY(gxs_put_segment(w, err));
    w->scratch.n = 0;
    if (!gxs_records_find(&w->records, doc, spine, e->split) || !note_frames(w, doc))
        return gxs_writer_no_memory(w, err);
    GX_TRY(gxs_pack(doc, &w->records, &w->scratch, err));
    e->is_long |= gxs_records_n(&w->records) > 1 && ((gxs_packed *)(void *)w->scratch.at)->n_chunks > 1;
    GX_TRY(gxs_put_extent(w, &p.page, &p.bytes, &p.crc, err));
    p.block_bytes = doc->size;
    p.spine = spine;
    p.uid = w->next_uid++;
    gxs_part *to = gx_buf_push(&w->open_parts, sizeof p);
    if (!to || gxs_terms_add(w->terms, doc, &w->records) != GX_OK)
        return gxs_writer_no_memory(w, err);
    *to = p;
    e->doc.source_bytes += source_bytes;
    e->doc.n_nodes += doc->n_nodes;
    return GX_OK;
}

/* The document's parts are complete: it takes the place of one of the same name, in memory. torn: names of elements
 * that lie in several parts. */
gx_status gxs_put_end(gxs_writer *w, const char *torn, gx_error *err)
{
    gxs_entry *e = w->open;
    if (w->is_over)
        return gxs_writer_no_memory(w, err);
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

/* Takes a document out, in memory. Its pages are free for the generation after the next commit, since readers may hold
 * this one; pages that were never committed are free at once. 0: there is no such document. */
int gxs_remove(gxs_writer *w, const char *name)
{
    gxs_entry *e = apr_hash_get(w->docs, name, APR_HASH_KEY_STRING);
    if (!e)
        return 0;
    give_parts(w, e->parts, e->n_parts, e->doc.version > w->head.generation ? 0 : w->head.generation + 1);
    apr_hash_set(w->docs, name, APR_HASH_KEY_STRING, NULL);
    return 1;
}
