/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.c -- asking the index (terms.h): of each segment its checksums, one entry of begins and one bucket are read
 *
 * Cost: some 10 microseconds a segment and term; a segment has millions of terms.
 */
#include <stdlib.h>
#include <string.h>
#include "head.h"
#include "number.h"
#include "terms.h"

gx_status gxs_parts_all(const gxs_view *v, gxs_parts *parts, gx_error *err)
{
    const u64 end = v->catalog->next_uid, first = v->catalog->n_segments ? v->segments[0].first_uid : end;
    parts->first = first;
    parts->n = end > first ? end - first : 0;
    if (!(parts->bits = malloc((parts->n / 64 + 1) * sizeof *parts->bits)))
        return gx_fail(err, GX_ENOMEM, v->path, 0, 0, "not enough memory");
    memset(parts->bits, 0xff, (parts->n / 64 + 1) * sizeof *parts->bits);
    return GX_OK;
}

void gxs_parts_free(gxs_parts *parts)
{
    free(parts->bits);
    parts->bits = NULL;
}

static gx_status damaged(const gxs_view *v, u64 page, gx_error *err)
{
    return gx_fail(err, GX_EBAD, v->path, 0, 0,
                   "an index is damaged near page %llu: --no-index asks without it, compact makes it anew",
                   (unsigned long long)page);
}

/* Bytes at .. at + n of a segment, of pages whose checksums are right, in buf; *bytes: where they are there */
static gx_status piece(const gxs_view *v, const gxs_segment *s, const u32 *sums, u64 at, u64 n, gx_buf *buf,
                       const char **bytes, gx_error *err)
{
    const u64 from = at / GXS_PAGE * GXS_PAGE, to = (at + n + GXS_PAGE - 1) / GXS_PAGE * GXS_PAGE,
              end = to < s->bytes ? to : s->bytes;
    if (at > s->bytes || n > s->bytes - at)
        return damaged(v, s->page, err);
    if (gx_buf_room(buf, end - from))
        return gx_fail(err, GX_ENOMEM, v->path, 0, 0, "not enough memory");
    if (gxs_read(v->fd, s->page * GXS_PAGE + from, buf->at, end - from))
        return damaged(v, s->page + from / GXS_PAGE, err);
    for (u64 p = from; p < end; p += GXS_PAGE)
        if (gxs_page_crc(buf->at, p - from, end - from) != sums[p / GXS_PAGE])
            return damaged(v, s->page + p / GXS_PAGE, err);
    *bytes = buf->at + (at - from);
    return GX_OK;
}

/* Marks the parts (numbers in the segment) that a bucket has for the hash. */
static int find_in_bucket(const u8 *at, const u8 *end, u64 before, u32 hash, u32 n_parts, u8 *found)
{
    int wrong = 0;
    while (at < end && !wrong) {
        const u64 first = gxs_number_get(&at, end, &wrong), n = first & 1 ? 1 : gxs_number_get(&at, end, &wrong);
        u64 part = 0;
        before += first / 2;
        if (n > n_parts || before > hash)
            return !wrong && n <= n_parts;
        for (u64 i = 0; i < n && !wrong; i++) {
            part += gxs_number_get(&at, end, &wrong);
            if (part >= n_parts)
                return 0;
            if (before == hash)
                found[part] = 1;
        }
        if (before == hash)
            break;
    }
    return !wrong;
}

/* 1 for each part of the segment that may have the term, in found */
static gx_status find_in_segment(const gxs_view *v, const gxs_segment *s, u32 flag, u32 hash, u8 *found, gx_buf bufs[2],
                                 gx_error *err)
{
    const u64 all = gxs_extent_bytes(s->bytes), n_sums = gxs_pages(s->bytes), sums_at = all - 4 * n_sums;
    const u32 *sums;
    const char *bytes;
    gxs_terms_head h;
    u32 begins[2];
    if (gx_buf_room(&bufs[0], 4 * n_sums + 1))
        return gx_fail(err, GX_ENOMEM, v->path, 0, 0, "not enough memory");
    if (gxs_read(v->fd, s->page * GXS_PAGE + sums_at, bufs[0].at, 4 * n_sums)
        || gxs_crc(0, bufs[0].at, 4 * n_sums) != s->crc)
        return damaged(v, s->page + sums_at / GXS_PAGE, err);
    sums = GX_BUF_AT(&bufs[0], u32);
    GX_TRY(piece(v, s, sums, 0, sizeof h, &bufs[1], &bytes, err));
    memcpy(&h, bytes, sizeof h);
    if (h.bits > 24 || h.n_parts != s->n_uids)
        return damaged(v, s->page, err);
    if (!(h.flags & flag)) {
        memset(found, 1, s->n_uids);
        return GX_OK;
    }
    const u32 bucket = h.bits ? hash >> (32 - h.bits) : 0;
    GX_TRY(piece(v, s, sums, sizeof h + 4ull * bucket, 8, &bufs[1], &bytes, err));
    memcpy(begins, bytes, 8);
    if (begins[1] < begins[0])
        return damaged(v, s->page, err);
    GX_TRY(piece(v, s, sums, begins[0], begins[1] - begins[0], &bufs[1], &bytes, err));
    const u64 base = h.bits ? (u64)bucket << (32 - h.bits) : 0;
    return find_in_bucket((const u8 *)bytes, (const u8 *)bytes + (begins[1] - begins[0]), base, hash, h.n_parts, found)
               ? GX_OK
               : damaged(v, s->page + begins[0] / GXS_PAGE, err);
}

gx_status gxs_parts_with(const gxs_view *v, u32 flag, u32 hash, gxs_parts *parts, gx_error *err)
{
    gx_buf bufs[2] = { { 0 }, { 0 } };
    gx_status status = GX_OK;
    hash += !hash;
    for (u32 i = 0; i < v->catalog->n_segments && status == GX_OK; i++) {
        const gxs_segment *s = &v->segments[i];
        u8 *found = calloc(s->n_uids + 1ull, 1);
        status = found ? find_in_segment(v, s, flag, hash, found, bufs, err)
                       : gx_fail(err, GX_ENOMEM, v->path, 0, 0, "not enough memory");
        for (u64 k = 0; k < s->n_uids && status == GX_OK; k++) {
            const u64 bit = s->first_uid + k - parts->first;
            if (!found[k] && s->first_uid >= parts->first && bit < parts->n)
                parts->bits[bit / 64] &= ~(1ull << bit % 64);
        }
        free(found);
    }
    gx_buf_free(&bufs[0]);
    gx_buf_free(&bufs[1]);
    return status;
}
