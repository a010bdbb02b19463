/* SPDX-License-Identifier: Apache-2.0 */
/*
 * digest.h -- a quick 128-bit digest of bytes that arrive in pieces: where to look for them, and whether they were
 * spoilt by accident
 *
 * Two lanes, each a folded 64 x 64 -> 128 bit multiplication of the 16 bytes at hand with what came before. How the
 * bytes are split over the calls does not matter. About 10 GB/s.
 *
 * It is not a cryptographic hash: anybody makes two texts with the same digest within milliseconds (t/digest.py).
 * Whoever takes bytes for the same compares them, or their SHA-256 (module/sha.h, queue/sha256.h).
 */
#ifndef GX_DIGEST_H
#define GX_DIGEST_H

#include "machine/text.h"

typedef struct gx_digest { u64 a, b; } gx_digest;

typedef struct gx_digesting {
    u64 a, b, n;        /* lanes; bytes so far */
    u8 tail[16];        /* n % 16 bytes that wait for more */
} gx_digesting;

static inline void gx_digest_block(gx_digesting *h, const u8 *block)
{
    u64 x, y;
    memcpy(&x, block, 8);
    memcpy(&y, block + 8, 8);
    /* x and y are added outside the product too: a factor that happens to be 0 then loses no input */
    u64 a = gx_fold(h->a ^ x, y ^ 0x9f1a3c5be7d28641ull) + (h->b ^ y);
    u64 b = gx_fold(h->b ^ y ^ 0x6b8d42f19c3e57a5ull, x + 0xd1b54a32d192ed03ull) + (h->a << 23 | h->a >> 41) + x;
    h->a = a;
    h->b = b;
}

static inline void gx_digest_begin(gx_digesting *h)
{
    memset(h, 0, sizeof *h);
    h->a = 0x243f6a8885a308d3ull;       /* digits of pi */
    h->b = 0x13198a2e03707344ull;
}

/* n bytes more. Whole blocks of 16 are folded in at once, the rest waits in `tail`; bytes are copied nowhere else. */
static inline void gx_digest_add(gx_digesting *h, const void *bytes, size_t n)
{
    const u8 *at = bytes;
    size_t have = h->n & 15;
    if (!n)             /* bytes may be NULL then */
        return;
    h->n += n;
    if (have) {
        size_t take = 16 - have < n ? 16 - have : n;
        memcpy(h->tail + have, at, take);
        if (have + take < 16)
            return;
        gx_digest_block(h, h->tail);
        at += take;
        n -= take;
    }
    for (; n >= 16; at += 16, n -= 16)
        gx_digest_block(h, at);
    if (n)
        memcpy(h->tail, at, n);
}

/* A string with its length, so that "ab","c" and "a","bc" differ. NULL and "" are the same. */
static inline void gx_digest_str(gx_digesting *h, const char *s)
{
    u64 n = s ? strlen(s) : 0;
    gx_digest_add(h, &n, sizeof n);
    gx_digest_add(h, s, n);
}

static inline gx_digest gx_digest_end(gx_digesting *h)
{
    gx_digest out;
    u8 last[16] = { 0 };
    memcpy(last, h->tail, h->n & 15);
    gx_digest_block(h, last);
    memset(last, 0, sizeof last);
    memcpy(last, &h->n, 8);
    gx_digest_block(h, last);
    gx_digest_block(h, last);
    out.a = h->a;
    out.b = h->b;
    return out;
}

static inline gx_digest gx_digest_of(const void *bytes, size_t n)
{
    gx_digesting h;
    gx_digest_begin(&h);
    gx_digest_add(&h, bytes, n);
    return gx_digest_end(&h);
}

static inline int gx_digest_is_same(gx_digest x, gx_digest y) { return x.a == y.a && x.b == y.b; }

#endif
