/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha256.c -- SHA-256 (FIPS 180-4) of bytes that lie in one piece
 *
 * Not libcrypto's: to load that takes 1.8 ms, a third of the time of gpuxslt, which is started for each small file.
 *
 * Two variants take blocks of 64 bytes into the state: plain C, and x86's instructions where the processor has them.
 * Nanoseconds a byte, blocks of 1 MB: 0.56, plain 2.8. t/60-queue-sha.c compares both with known digests and each
 * other.
 */
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif
#include "sha256.h"

typedef void blocks_fn(u32 state[8], const u8 *at, size_t n_blocks);

#define FIRST 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19

static const u32 K[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
    0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
    0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2
};

static u32 turn(u32 x, int n) { return x >> n | x << (32 - n); }

static u32 big_endian(const u8 *at) { return (u32)at[0] << 24 | (u32)at[1] << 16 | (u32)at[2] << 8 | at[3]; }

/* A round: what it does to the eight words is written into two, the next round calls them by the next names. */
static inline void turn_round(u32 a, u32 b, u32 c, u32 *d, u32 e, u32 f, u32 g, u32 *h, u32 word)
{
    *h += (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + word;
    *d += *h;
    *h += (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
}

static void blocks_plain(u32 state[8], const u8 *at, size_t n_blocks)
{
    u32 w[64];
    for (; n_blocks; n_blocks--, at += 64) {
        u32 a = state[0], b = state[1], c = state[2], d = state[3];
        u32 e = state[4], f = state[5], g = state[6], h = state[7];
        for (int i = 0; i < 16; i++)
            w[i] = big_endian(at + 4 * i);
        for (int i = 16; i < 64; i++) {
            const u32 x = w[i - 15], y = w[i - 2];
            w[i] = w[i - 16] + w[i - 7] + (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
        }
        for (int i = 0; i < 64; i += 8) {
            turn_round(a, b, c, &d, e, f, g, &h, K[i] + w[i]);
            turn_round(h, a, b, &c, d, e, f, &g, K[i + 1] + w[i + 1]);
            turn_round(g, h, a, &b, c, d, e, &f, K[i + 2] + w[i + 2]);
            turn_round(f, g, h, &a, b, c, d, &e, K[i + 3] + w[i + 3]);
            turn_round(e, f, g, &h, a, b, c, &d, K[i + 4] + w[i + 4]);
            turn_round(d, e, f, &g, h, a, b, &c, K[i + 5] + w[i + 5]);
            turn_round(c, d, e, &f, g, h, a, &b, K[i + 6] + w[i + 6]);
            turn_round(b, c, d, &e, f, g, h, &a, K[i + 7] + w[i + 7]);
        }
        state[0] += a, state[1] += b, state[2] += c, state[3] += d;
        state[4] += e, state[5] += f, state[6] += g, state[7] += h;
    }
}

/* ---- x86's instructions ---- */

#if defined(__x86_64__)
static int has_instructions(void)
{
    unsigned a, b = 0, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1) && __builtin_cpu_supports("sse4.1");
}

/* The state as the instructions want it: A B E F and C D G H, from the high end on. */
__attribute__((target("sha,sse4.1"))) static void blocks_sha(u32 state[8], const u8 *at, size_t n_blocks)
{
    const __m128i reverse = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    const __m128i dcba = _mm_loadu_si128((const __m128i *)state), hgfe = _mm_loadu_si128((const __m128i *)(state + 4));
    const __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1), efgh = _mm_shuffle_epi32(hgfe, 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
    for (; n_blocks; n_blocks--, at += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i w[4];                   /* the last 16 words of the schedule */
        for (int i = 0; i < 16; i++) {  /* four rounds each */
            __m128i *const now = &w[i & 3];
            if (i < 4)
                *now = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(at + 16 * i)), reverse);
            else
                *now = _mm_sha256msg2_epu32(
                    _mm_add_epi32(_mm_sha256msg1_epu32(*now, w[(i + 1) & 3]),
                                  _mm_alignr_epi8(w[(i + 3) & 3], w[(i + 2) & 3], 4)), w[(i + 3) & 3]);
            const __m128i sum = _mm_add_epi32(*now, _mm_load_si128((const __m128i *)(K + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#endif

static gx_sha256 digest(blocks_fn *blocks, const u8 *at, size_t n)
{
    u32 state[8] = { FIRST };
    u8 end[128] = { 0 }, out[32];
    const size_t rest = n % 64, end_size = rest < 56 ? 64 : 128;
    gx_sha256 sha;
    if (n >= 64)
        blocks(state, at, n / 64);
    if (rest)
        memcpy(end, at + n - rest, rest);
    end[rest] = 0x80;
    for (int i = 0; i < 8; i++)
        end[end_size - 8 + (size_t)i] = (u8)((u64)n * 8 >> (56 - 8 * i));
    blocks(state, end, end_size / 64);
    for (int i = 0; i < 32; i++)
        out[i] = (u8)(state[i / 4] >> (24 - 8 * (i % 4)));
    memcpy(&sha, out, sizeof sha);
    return sha;
}

gx_sha256 gx_sha256_plain(const void *bytes, size_t n) { return digest(blocks_plain, bytes, n); }

#if defined(__x86_64__)
/* Has the processor the instructions? */
static int is_fast(void)
{
    enum { NO = 1, YES = 2 };
    static int known;                   /* atomic */
    int has = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!has) {
        has = has_instructions() ? YES : NO;
        __atomic_store_n(&known, has, __ATOMIC_RELAXED);
    }
    return has == YES;
}
#endif

gx_sha256 gx_sha256_of(const void *bytes, size_t n)
{
#if defined(__x86_64__)
    if (is_fast())
        return digest(blocks_sha, bytes, n);
#endif
    return digest(blocks_plain, bytes, n);
}
