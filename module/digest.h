/*
 * digest.h -- a 128-bit digest of bytes that arrive in pieces, for ETags and for "is this the same program"
 *
 * Two lanes, each a folded 64 x 64 -> 128 bit multiplication of the 16 bytes at hand with what came before. How the bytes are
 * split over the calls does not matter. It is not a cryptographic hash: whoever can make two sources collide can make a client
 * keep the older of his own two pages, no more. About 10 GB/s, where SHA-1 would cost as much as evaluating a small feed.
 */
#ifndef GXM_DIGEST_H
#define GXM_DIGEST_H

#include <string.h>
#include "base.h"

typedef struct gxm_digest { u64 a, b; } gxm_digest;

typedef struct gxm_hash {
    u64 a, b, n;        /* lanes; bytes so far */
    u8 tail[16];        /* n % 16 bytes that wait for more */
} gxm_hash;

static inline u64 gxm_fold(u64 x, u64 y)
{
    unsigned __int128 product = (unsigned __int128)x * y;
    return (u64)product ^ (u64)(product >> 64);
}

static inline void gxm_hash_block(gxm_hash *h, const u8 *block)
{
    u64 x, y;
    memcpy(&x, block, 8);
    memcpy(&y, block + 8, 8);
    /* x and y are added outside the product too: a factor that happens to be 0 then loses no input */
    u64 a = gxm_fold(h->a ^ x, y ^ 0x9f1a3c5be7d28641ull) + (h->b ^ y);
    u64 b = gxm_fold(h->b ^ y ^ 0x6b8d42f19c3e57a5ull, x + 0xd1b54a32d192ed03ull) + (h->a << 23 | h->a >> 41) + x;
    h->a = a;
    h->b = b;
}

static inline void gxm_hash_init(gxm_hash *h)
{
    memset(h, 0, sizeof *h);
    h->a = 0x243f6a8885a308d3ull;       /* digits of pi */
    h->b = 0x13198a2e03707344ull;
}

static inline void gxm_hash_add(gxm_hash *h, const void *bytes, size_t n)
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
        gxm_hash_block(h, h->tail);
        at += take;
        n -= take;
    }
    for (; n >= 16; at += 16, n -= 16)
        gxm_hash_block(h, at);
    if (n)
        memcpy(h->tail, at, n);
}

/* A string with its length, so that "ab","c" and "a","bc" differ. NULL and "" are the same. */
static inline void gxm_hash_str(gxm_hash *h, const char *s)
{
    u64 n = s ? strlen(s) : 0;
    gxm_hash_add(h, &n, sizeof n);
    gxm_hash_add(h, s, n);
}

static inline gxm_digest gxm_hash_end(gxm_hash *h)
{
    gxm_digest out;
    u8 last[16] = { 0 };
    memcpy(last, h->tail, h->n & 15);
    gxm_hash_block(h, last);
    memset(last, 0, sizeof last);
    memcpy(last, &h->n, 8);
    gxm_hash_block(h, last);
    gxm_hash_block(h, last);
    out.a = h->a;
    out.b = h->b;
    return out;
}

#endif
