/* SPDX-License-Identifier: Apache-2.0 */
/*
 * space.c -- pages of a store for a writer, and what goes into them (writer.h)
 *
 * Space that this generation's readers, or the generation itself, may need is not touched; what is written before a
 * commit fails is free again.
 */
#include <errno.h>
#include <string.h>
#include "writer.h"

gx_status gxs_writer_failed(gxs_writer *w, const char *what, int number, gx_error *err)
{
    w->is_over = 1;
    return gx_fail(err, number == ENOMEM ? GX_ENOMEM : GX_EIO, w->path, 0, 0, "%s: %s", what, strerror(number));
}

gx_status gxs_writer_no_memory(gxs_writer *w, gx_error *err)
{
    return gxs_writer_failed(w, "the store cannot be changed", ENOMEM, err);
}

u64 gxs_take_pages(gxs_writer *w, u64 n)
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

void gxs_give_pages(gxs_writer *w, u64 page, u64 n, u64 since)
{
    gxs_free *f = n ? gx_buf_push(&w->frees, sizeof *f) : NULL;
    if (f)
        *f = (gxs_free){ page, n, since };
    w->is_over |= n && !f;
}

gx_status gxs_put_extent(gxs_writer *w, u64 *page, u64 *bytes, u32 *crc, gx_error *err)
{
    gx_buf *b = &w->scratch;
    const u64 n = b->n, sums = gxs_sums_bytes(n), all = sums + n, rounded = gxs_pages(all) * GXS_PAGE;
    if (gx_buf_room(b, rounded - n))
        return gxs_writer_no_memory(w, err);
    memmove(b->at + sums, b->at, n);
    memset(b->at, 0, sums);
    memset(b->at + all, 0, rounded - all);
    for (u64 i = 0; i < gxs_pages(all); i++) {
        const u32 sum = gxs_page_crc(b->at, 0, i, sums, all);
        memcpy(b->at + 4 * i, &sum, 4);
    }
    *page = gxs_take_pages(w, rounded / GXS_PAGE);
    *bytes = n;
    *crc = gxs_crc(0, b->at, sums);
    const int wrong = w->disk.write(w->disk.ctx, w->fd, *page * GXS_PAGE, b->at, rounded);
    return wrong ? gxs_writer_failed(w, "the store cannot be written", wrong, err) : GX_OK;
}
