/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha.c -- SHA-256 of what comes in pieces: they are put together first (sha.h)
 *
 * What is digested here is short: an ETag's is 400 bytes. Beginning, adding to and ending a digest of libcrypto's took
 * 8,000 instructions of it, more than the digest itself.
 */
#include <string.h>
#include "sha.h"

void gxm_sha_begin(gxm_shaing *h)
{
    h->text.n = 0;
    h->is_bad = 0;
}

void gxm_sha_add(gxm_shaing *h, const void *bytes, size_t n) { h->is_bad |= gx_buf_put(&h->text, bytes, n) != 0; }

void gxm_sha_str(gxm_shaing *h, const char *s)
{
    const u64 n = s ? strlen(s) : 0;
    gxm_sha_add(h, &n, sizeof n);
    gxm_sha_add(h, s, n);
}

int gxm_sha_end(gxm_shaing *h, gxm_sha *out)
{
    if (h->is_bad)
        memset(out, 0, sizeof *out);
    else
        *out = gx_sha256_of(h->text.at, h->text.n);
    return !h->is_bad;
}

void gxm_sha_free(gxm_shaing *h)
{
    gx_buf_free(&h->text);
    memset(h, 0, sizeof *h);
}
