/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes.c -- sixteen lanes of BLAKE3's compression function: the digest of a source
 *
 * The vectors are the compiler's. Words of a text are dealt to the lanes one by one, so that they are loaded as they
 * lie. The lanes of one vector go through a turn together: all sixteen with AVX-512, eight with AVX2, four with what
 * every processor of x86 or ARM has. (Sixteen everywhere are more words than there are registers: 0.36 and 1.07 ns.)
 * Nanoseconds a byte of 1 MB, EPYC: AVX2 0.30, plain 0.64 (SHA-256: 0.72 by x86's instructions for it, else 3.5);
 * Xeon: AVX-512 0.11. t/60-queue-sha.c compares all with each other and with digests that another program counted.
 */
#include <string.h>
#include "lanes.h"

typedef void turns_fn(u32 state[8][GX_LANES], const u8 *at, size_t n_turns, u64 turn);

static const u32 first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
static const u32 lanes[GX_LANES] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
/* Which words of the block a round takes, in their order */
static const u8 order[7][16] = {
    { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
    { 2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8 },
    { 3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1 },
    { 10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6 },
    { 12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4 },
    { 9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7 },
    { 11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13 },
};

#define TURN(x, n) ((x) >> (n) | (x) << (32 - (n)))

#define NAME turns_plain
#define TARGET
#define PART 4
#define BY_BYTES 0
#include "lanes_turns.h"

#if defined(__x86_64__)
#ifdef __clang__                /* knows neither */
#define SHUFFLES 0
#define AVX512 "avx512f"
#else
#define SHUFFLES 1
#define AVX512 "avx512f,prefer-vector-width=512"
#endif
#define NAME turns_avx2
#define TARGET __attribute__((target("avx2")))
#define PART 8
#define BY_BYTES SHUFFLES
#include "lanes_turns.h"

#define NAME turns_avx512
#define TARGET __attribute__((target(AVX512)))
#define PART 16
#define BY_BYTES 0
#include "lanes_turns.h"

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
