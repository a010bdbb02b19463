/* SPDX-License-Identifier: Apache-2.0 */
/*
 * head.c -- heads, locks and the catalog's checks (head.h)
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "head.h"

static u32 head_crc(const gxs_head *h) { return gxs_crc(0, h, offsetof(gxs_head, crc)); }

void gxs_head_seal(gxs_head *h)
{
    h->magic = GXS_MAGIC;
    h->page_bytes = GXS_PAGE;
    h->crc = head_crc(h);
}

int gxs_head_read(int fd, gxs_head *out)
{
    gxs_head h[2];
    int found = 0;
    for (u32 i = 0; i < 2; i++) {
        const ssize_t got = pread(fd, &h[i], sizeof h[i], (off_t)i * GXS_PAGE);
        if (got < 0)
            return -1;
        if (got != sizeof h[i] || h[i].magic != GXS_MAGIC || h[i].page_bytes != GXS_PAGE || h[i].crc != head_crc(&h[i]))
            continue;
        if (!found || h[i].generation > out->generation)
            *out = h[i];
        found = 1;
    }
    return found;
}

int gxs_lock(int fd, int type, u64 at)
{
    struct flock l = { .l_type = (short)type, .l_whence = SEEK_SET, .l_start = (off_t)at, .l_len = 1 };
    while (fcntl(fd, F_OFD_SETLK, &l) < 0)
        if (errno != EINTR)
            return errno == EACCES ? EAGAIN : errno;
    return 0;
}

u64 gxs_locked_first(int fd, u64 below)
{
    while (below) {
        struct flock l = {
            .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)GXS_LOCKS, .l_len = (off_t)below
        };
        if (fcntl(fd, F_OFD_GETLK, &l) < 0)
            return 0; /* nobody knows: nothing may be used again */
        if (l.l_type == F_UNLCK)
            break;
        below = (u64)l.l_start <= GXS_LOCKS ? 0 : (u64)l.l_start - GXS_LOCKS;
    }
    return below;
}

/* ---- the catalog ---- */

int gxs_name_order(const char *a, size_t a_len, const char *b, size_t b_len)
{
    const int order = memcmp(a, b, a_len < b_len ? a_len : b_len);
    return order ? order : a_len < b_len ? -1 : a_len > b_len;
}

int gxs_is_listed(const char *list, size_t list_len, const char *name, size_t n)
{
    const char *end = list + list_len;
    for (const char *at = list; at && at < end;) {
        const char *blank = memchr(at + 1, ' ', (size_t)(end - at - 1));
        const size_t len = (size_t)((blank ? blank : end) - at) - 1;
        if (len == n && !memcmp(at + 1, name, n))
            return 1;
        at = blank;
    }
    return 0;
}

static int inside(const gxs_head *h, u64 page, u64 bytes)
{
    return page >= 2 && page <= h->n_pages && bytes <= (h->n_pages - page) * GXS_PAGE
           && gxs_extent_bytes(bytes) <= (h->n_pages - page) * GXS_PAGE;
}

static int named(const gxs_catalog *c, u32 at, u32 len) { return at <= c->names_bytes && len <= c->names_bytes - at; }

static const char *docs_wrong(const gxs_catalog *c, const gxs_doc *docs, const char *names)
{
    u64 part = 0;
    for (u32 i = 0; i < c->n_docs; i++) {
        const gxs_doc *d = &docs[i], *before = d - 1;
        if (!named(c, d->name, d->name_len) || !named(c, d->split, d->split_len)
            || !named(c, d->frames, d->frames_len) || !d->name_len
            || d->name_len > GXS_NAME)
            return "a document's name is out of range";
        if (d->first_part != part || !d->n_parts || d->n_parts > c->n_parts - part)
            return "a document's parts are out of range";
        part += d->n_parts;
        if (i && gxs_name_order(names + before->name, before->name_len, names + d->name, d->name_len) >= 0)
            return "documents are out of order";
    }
    return part == c->n_parts ? NULL : "a part is of no document";
}

/* The catalog's bytes, h->catalog_bytes of them, aligned to 8. Sizes come first: tables behind each other fill the
 * bytes exactly. Whether two extents have the same page is not looked at here, but by pages_wrong() of view.c.
 * O(catalog). */
const char *gxs_catalog_wrong(const char *bytes, const gxs_head *h)
{
    const gxs_catalog *c = (const gxs_catalog *)(const void *)bytes;
    if (h->catalog_bytes < sizeof *c)
        return "it is too short";
    const u64 docs = sizeof *c, parts = docs + c->n_docs * (u64)sizeof(gxs_doc),
              segments = parts + c->n_parts * (u64)sizeof(gxs_part),
              frees = segments + c->n_segments * (u64)sizeof(gxs_segment),
              names = frees + c->n_frees * (u64)sizeof(gxs_free);
    if (c->names_bytes > h->catalog_bytes || names != h->catalog_bytes - c->names_bytes)
        return "its sizes are wrong";
    const gxs_part *p = (const gxs_part *)(const void *)(bytes + parts);
    const gxs_segment *s = (const gxs_segment *)(const void *)(bytes + segments);
    const gxs_free *f = (const gxs_free *)(const void *)(bytes + frees);
    for (u32 i = 0; i < c->n_parts; i++)
        if (!inside(h, p[i].page, p[i].bytes) || p[i].uid >= c->next_uid)
            return "a part is out of range";
    for (u32 i = 0; i < c->n_segments; i++)
        if (!inside(h, s[i].page, s[i].bytes) || s[i].first_uid > c->next_uid
            || s[i].n_uids > c->next_uid - s[i].first_uid)
            return "an index is out of range";
    for (u32 i = 0; i < c->n_frees; i++)
        if (f[i].page < 2 || f[i].page > h->n_pages || f[i].n > h->n_pages - f[i].page)
            return "free space is out of range";
    return docs_wrong(c, (const gxs_doc *)(const void *)(bytes + docs), bytes + names);
}
