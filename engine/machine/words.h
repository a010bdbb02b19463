/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.h -- bytes by the word, for one member of a team
 *
 * A GPU's thread waits as long for a byte as for 16 of them, so nothing here goes byte by byte there.
 *
 * gx_words_load: 64 bytes as 16 words of four. bits: a bit for each of these bytes that belongs to a class.
 */
#ifndef GX_WORDS_H
#define GX_WORDS_H

#include "team.h"

#define GX_WORDS_BYTES 64u
#define GX_WORDS 16u

typedef struct gx_words { u32 w[GX_WORDS]; } gx_words;

/* Of the four bytes of x: 0x80 for each that is 0; that is less than 0x20 */
GX_OP u32 gx_word_zeros(u32 x) { return ~(((x & 0x7f7f7f7fu) + 0x7f7f7f7fu) | x) & 0x80808080u; }
GX_OP u32 gx_word_controls(u32 x) { return ~(((x & 0x7f7f7f7fu) + 0x60606060u) | x) & 0x80808080u; }
/* .. that is c when only the bits of mask are looked at */
GX_OP u32 gx_word_is(u32 x, u32 mask, u32 c) { return gx_word_zeros((x & mask * 0x01010101u) ^ c * 0x01010101u); }
/* Those marks as four bits, the first byte's lowest */
GX_OP u32 gx_word_bits(u32 marks) { return marks * 0x00204081u >> 28; }
/* Bits from..to - 1 of a set of 64 */
GX_OP u64 gx_bits_between(u32 from, u32 to)
{
    return (to >= 64 ? ~0ull : (1ull << to) - 1) & (from >= 64 ? 0 : ~0ull << from);
}

#ifdef __CUDACC__

/* The four bytes at p + i; of these, p[n] and what is behind it is anything. p is 4-byte aligned, and up to seven bytes
 * behind p + n are read. */
GX_OP u32 gx_word_at(const u8 *p, u32 i, u32 n)
{
    (void)n;
    const u32 *w = (const u32 *)(p + (i & ~3u));
    return i & 3 ? __funnelshift_r(w[0], w[1], (i & 3) * 8) : w[0];
}

/* n of the 64 bytes at p, which is 16-byte aligned; up to 15 behind them are read, and whatever they are */
GX_OP void gx_words_load(gx_words *to, const u8 *p, u32 n)
{
#pragma unroll
    for (u32 k = 0; k < GX_WORDS; k += 4) {
        const uint4 q = k * 4 < n ? *(const uint4 *)(p + k * 4) : make_uint4(0, 0, 0, 0);
        to->w[k] = q.x; to->w[k + 1] = q.y; to->w[k + 2] = q.z; to->w[k + 3] = q.w;
    }
}
/* The lowest of a set that is not empty; how many there are */
GX_OP u32 gx_bits_first(u64 set) { return (u32)__ffsll((long long)set) - 1; }
GX_OP u32 gx_bits_count(u64 set) { return (u32)__popcll(set); }

/* n bytes, which do not overlap. Words are stored where `to` allows it, each made of two that are loaded: only words
 * that have a byte of `from` in them. */
GX_OP void gx_move(char *to, const char *from, u32 n)
{
    u32 i = 0;
    for (; i < n && ((size_t)(to + i) & 3); i++)
        to[i] = from[i];
    if (n - i >= 4) {
        const u32 shift = ((u32)(size_t)(from + i) & 3) * 8;
        const u32 *w = (const u32 *)((size_t)(from + i) & ~(size_t)3);
        u32 low = *w;
        for (; n - i >= 20; i += 16) {              /* four loads under way before the first store */
            const u32 a = w[1], b = w[2], c = w[3], d = w[4];
            *(u32 *)(to + i) = __funnelshift_r(low, a, shift);
            *(u32 *)(to + i + 4) = __funnelshift_r(a, b, shift);
            *(u32 *)(to + i + 8) = __funnelshift_r(b, c, shift);
            *(u32 *)(to + i + 12) = __funnelshift_r(c, d, shift);
            low = d;
            w += 4;
        }
        for (; n - i >= 4; i += 4) {
            const u32 high = shift || n - i >= 8 ? w[1] : 0;
            *(u32 *)(to + i) = __funnelshift_r(low, high, shift);
            low = high;
            w++;
        }
    }
    for (; i < n; i++)
        to[i] = from[i];
}

/* The same for what may be long: 64 bytes at a time, all of them loaded before the first is stored, since a thread that
 * moves much waits for memory and for little else. A call of its own, which where most is short costs a tenth */
GX_OP_BIG void gx_move_long(char *to, const char *from, u32 n)
{
    u32 i = 0, x[GX_WORDS + 1];

    for (; i < n && ((size_t)(to + i) & 3); i++)
        to[i] = from[i];
    if (n - i >= GX_WORDS_BYTES + 4) {
        const u32 shift = ((u32)(size_t)(from + i) & 3) * 8;
        const u32 *w = (const u32 *)((size_t)(from + i) & ~(size_t)3);
        x[0] = *w;
        for (; n - i >= GX_WORDS_BYTES + 4; i += GX_WORDS_BYTES, w += GX_WORDS) {
#pragma unroll
            for (u32 k = 1; k <= GX_WORDS; k++)
                x[k] = w[k];
#pragma unroll
            for (u32 k = 0; k < GX_WORDS; k++)
                *(u32 *)(to + i + 4 * k) = __funnelshift_r(x[k], x[k + 1], shift);
            x[0] = x[GX_WORDS];
        }
    }
    gx_move(to + i, from + i, n - i);
}

#else

GX_OP u32 gx_word_at(const u8 *p, u32 i, u32 n)
{
    u32 x = 0;
    memcpy(&x, p + i, n - i < sizeof x ? n - i : sizeof x);
    return x;
}
GX_OP void gx_words_load(gx_words *to, const u8 *p, u32 n)
{
    if (n < GX_WORDS_BYTES)
        memset(to, 0, sizeof *to);
    memcpy(to, p, n < GX_WORDS_BYTES ? n : GX_WORDS_BYTES);
}
GX_OP u32 gx_bits_first(u64 set) { return (u32)__builtin_ctzll(set); }
GX_OP u32 gx_bits_count(u64 set) { return (u32)__builtin_popcountll(set); }
GX_OP void gx_move(char *to, const char *from, u32 n) { memcpy(to, from, n); }
GX_OP void gx_move_long(char *to, const char *from, u32 n) { memcpy(to, from, n); }

#endif
#endif
