/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes.c -- sixteen lanes of BLAKE3's compression function: the digest of a source
 *
 * The vectors are the compiler's. A word of all lanes is one vector of AVX-512, two of AVX2, four of what every
 * processor of x86 or ARM has. Words of a text are dealt to the lanes one by one, so that they are loaded as they lie.
 * Nanoseconds a byte of 1 MB: AVX-512 0.11, AVX2 0.24, plain 0.43. (SHA-256: 0.56 by x86's instructions for it, else
 * 2.8; eight lanes of it 0.33, 0.65, 1.3.) t/60-queue-sha.c compares all with each other and with digests that another
 * program counted.
 */
#include <string.h>
#include "lanes.h"

typedef u32 word __attribute__((vector_size(4 * GX_LANES)));    /* of each lane */
typedef void turns_fn(u32 state[8][GX_LANES], const u8 *at, size_t n_turns, u64 turn);

static const u32 first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

#define TURN(x, n) ((x) >> (n) | (x) << (32 - (n)))

static inline __attribute__((always_inline)) void mix(word *a, word *b, word *c, word *d, const word *x,
                                                      const word *y)
{
    *a += *b + *x, *d = TURN(*d ^ *a, 16);
    *c += *d, *b = TURN(*b ^ *c, 12);
    *a += *b + *y, *d = TURN(*d ^ *a, 8);
    *c += *d, *b = TURN(*b ^ *c, 7);
}

static inline __attribute__((always_inline)) void turns(u32 state[8][GX_LANES], const u8 *at, size_t n_turns, u64 turn)
{
    /* which words of the block a round takes, in their order */
    static const u8 order[7][16] = {
        { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
        { 2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8 },
        { 3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1 },
        { 10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6 },
        { 12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4 },
        { 9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7 },
        { 11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13 },
    };
    static const word none = { 0 }, lane = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
    word s[8], w[16], v[16];
    memcpy(s, state, sizeof s);
    for (; n_turns; n_turns--, at += GX_LANES_TURN, turn++) {
        memcpy(w, at, sizeof w);
        memcpy(v, s, sizeof s);
        for (int i = 0; i < 4; i++)
            v[8 + i] = none + first[i];
        v[12] = none + (u32)turn;
        v[13] = none + (u32)(turn >> 32);
        v[14] = none + 64;
        v[15] = lane;
#pragma GCC unroll 7
        for (int k = 0; k < 7; k++) {
            const u8 *of = order[k];
            mix(&v[0], &v[4], &v[8], &v[12], &w[of[0]], &w[of[1]]);
            mix(&v[1], &v[5], &v[9], &v[13], &w[of[2]], &w[of[3]]);
            mix(&v[2], &v[6], &v[10], &v[14], &w[of[4]], &w[of[5]]);
            mix(&v[3], &v[7], &v[11], &v[15], &w[of[6]], &w[of[7]]);
            mix(&v[0], &v[5], &v[10], &v[15], &w[of[8]], &w[of[9]]);
            mix(&v[1], &v[6], &v[11], &v[12], &w[of[10]], &w[of[11]]);
            mix(&v[2], &v[7], &v[8], &v[13], &w[of[12]], &w[of[13]]);
            mix(&v[3], &v[4], &v[9], &v[14], &w[of[14]], &w[of[15]]);
        }
        for (int i = 0; i < 8; i++)
            s[i] = v[i] ^ v[8 + i];
    }
    memcpy(state, s, sizeof s);
}

static void turns_plain(u32 state[8][GX_LANES], const u8 *at, size_t n_turns, u64 turn)
{
    turns(state, at, n_turns, turn);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void turns_avx2(u32 state[8][GX_LANES], const u8 *at, size_t n_turns, u64 turn)
{
    turns(state, at, n_turns, turn);
}

__attribute__((target("avx512f,prefer-vector-width=512"))) static void turns_avx512(u32 state[8][GX_LANES],
                                                                                    const u8 *at, size_t n_turns,
                                                                                    u64 turn)
{
    turns(state, at, n_turns, turn);
}

enum { ASKED = 1, BY_AVX2 = 2, BY_AVX512 = 4 };

/* What the processor has */
static int variants(void)
{
    static int known;                   /* atomic */
    int has = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!has) {
        has = ASKED | (__builtin_cpu_supports("avx2") ? BY_AVX2 : 0)
            | (__builtin_cpu_supports("avx512f") ? BY_AVX512 : 0);
        __atomic_store_n(&known, has, __ATOMIC_RELAXED);
    }
    return has;
}
#endif

static turns_fn *turns_of(const gx_lanes *l)
{
#if defined(__x86_64__)
    const int has = variants() & ~l->without;
    if (has & BY_AVX512)
        return turns_avx512;
    if (has & BY_AVX2)
        return turns_avx2;
#endif
    (void)l;
    return turns_plain;
}

void gx_lanes_begin(gx_lanes *l)
{
    for (int i = 0; i < 8; i++)
        for (int lane = 0; lane < GX_LANES; lane++)
            l->state[i][lane] = first[i];
    l->n = 0;
    l->without = 0;
}

void gx_lanes_add(gx_lanes *l, const void *bytes, size_t n)
{
    const u8 *at = bytes;
    const size_t had = l->n % GX_LANES_TURN;
    const u64 turn = l->n / GX_LANES_TURN;
    size_t took = 0;
    if (!n)
        return;
    l->n += n;
    if (had) {
        took = n < GX_LANES_TURN - had ? n : GX_LANES_TURN - had;
        memcpy(l->rest + had, at, took);
        if (had + took < GX_LANES_TURN)
            return;
        turns_of(l)(l->state, l->rest, 1, turn);
    }
    const size_t n_turns = (n - took) / GX_LANES_TURN;
    if (n_turns)
        turns_of(l)(l->state, at + took, n_turns, turn + (had > 0));
    took += n_turns * GX_LANES_TURN;
    memcpy(l->rest, at + took, n - took);
}

gx_sha256 gx_lanes_end(gx_lanes *l)
{
    u8 all[sizeof l->state + sizeof l->n];
    const size_t rest = l->n % GX_LANES_TURN;
    if (rest) {
        memset(l->rest + rest, 0, GX_LANES_TURN - rest);
        turns_of(l)(l->state, l->rest, 1, l->n / GX_LANES_TURN);
    }
    memcpy(all, l->state, sizeof l->state);
    memcpy(all + sizeof l->state, &l->n, sizeof l->n);
    return gx_sha256_of(all, sizeof all);
}
