/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extent.h -- inside the store: reading extents, and pieces of them, whose checksums are right (store.h)
 */
#ifndef GXS_EXTENT_H
#define GXS_EXTENT_H

#include "store.h"

typedef struct gxs_extent {
    int fd;
    u64 page, bytes;
    u32 crc; /* of the checksums of its pages */
} gxs_extent;

/* Messages begin with the page; the caller says of what. GX_EBAD: damaged; GX_EIO: cannot be read; GX_ENOMEM. */

/* All of it, in buf; *bytes: what is behind the checksums */
gx_status gxs_extent_read(const gxs_extent *x, gx_buf *buf, const char **bytes, gx_error *err);
/* The checksums, in sums, and what is behind them in their page */
gx_status gxs_extent_sums(const gxs_extent *x, gx_buf *sums, gx_error *err);
/* Its bytes at .. at + n, with the pages that they are in, appended to buf, which may move; *bytes: where they are.
 * GX_EBAD too where the extent does not have so many. */
gx_status gxs_extent_piece(const gxs_extent *x, const gx_buf *sums, u64 at, u64 n, gx_buf *buf, const char **bytes,
                           gx_error *err);

/* Its bytes at .. at + n, which nobody has verified, for a look at what to read. 0, or errno */
int gxs_extent_peek(const gxs_extent *x, u64 at, void *bytes, size_t n);

/* Has the kernel read these bytes, or the checksums, while others are used; nobody waits */
void gxs_extent_ahead(const gxs_extent *x, u64 at, u64 n);
void gxs_extent_sums_ahead(const gxs_extent *x);
/* Is its first page in the page cache? 1, too, where nobody knows */
int gxs_extent_is_near(const gxs_extent *x);

#endif
