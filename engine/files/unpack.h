/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unpack.h -- files that gzip has compressed
 */
#ifndef GX_UNPACK_H
#define GX_UNPACK_H

#include "../base.h"

int gx_is_packed(const char *bytes, size_t n);
/* Unpacked: *out (with a NUL behind it; the caller's to free), at most limit + 1 bytes. Else why not, as the end of a
 * sentence. */
const char *gx_unpack(const char *bytes, size_t n, u64 limit, char **out, size_t *n_out);

#endif
