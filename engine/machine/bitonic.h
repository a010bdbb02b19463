/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bitonic.h -- bitonic sort (Peters 2011, chapter 5): in place, by comparison, any number of items
 *
 * Blocks of 2^k sorted items are merged to blocks of 2^(k+1) in k + 1 steps. A step compares items a fixed distance
 * apart, each item once, so all pairs of a step are independent. The first step of a merge is crossed, which leaves the
 * lesser item at the lower place in every comparison of every step:
 *
 *    crossed   1 . . 1    then, in each half     1 . 1 .    and    1 1 2 2
 *              . 2 2 .                           . 2 . 2
 *
 * So places beyond the end behave as if they held an item greater than all, which never moves: nothing is padded.
 *
 * Several steps a pass. On a CPU a member copies the 2^s items that s steps exchange with each other, so that s steps
 * cost one read and one write of the columns; the steps that stay within a tile, which fits into the first cache, are
 * one pass as well (bitonic_of.h). On a GPU tiles lie in shared memory, for steps of neighbours and for those that are
 * far apart, and a thread copies 2^s items of a tile into registers (bitonic_tile_of.h). The stages up to a tile's size
 * are one pass altogether.
 *
 * In: columns that are complete for all members, of fewer than 2^31 items. Out: the same columns in ascending order,
 * complete. Pairs are ordered by key, then by value: with row numbers as values the order is stable.
 * The comparisons do not depend on the team, so even items that are equal end where they do on any other team.
 * Cost: n (log n)^2 / 4 comparisons; no memory beside a tile. Errors: none.
 *
 * The engine sorts with merge.h. On a CPU bitonic sort is the slower one: solo sorts 1.0 million pairs a second where
 * qsort sorts 4.0 (2^20 pairs; t/46-bitonic-solo --bench). On a GPU: docs/bench/sort-gpu-*.md (gx-sort-bench).
 */
#ifndef GX_MACHINE_BITONIC_H
#define GX_MACHINE_BITONIC_H

#include "team.h"

#if defined GX_TEAM_BLOCK
#define GX_BITONIC_TILES(i, n) for (u32 i = 0; i < (n); i++)
#define GX_BITONIC_BLOCKS 1u
#elif defined GX_TEAM_GRID
#define GX_BITONIC_TILES(i, n) for (u32 i = blockIdx.x; i < (n); i += gridDim.x)
#define GX_BITONIC_BLOCKS gridDim.x
#elif defined GX_TEAM_LANE
#define GX_BITONIC_TILE 3u              /* the binary logarithm of a tile's items */
#else
#define GX_BITONIC_TILE 10u             /* 20 KB of pairs */
#endif

typedef struct gx_wide_key { u64 high, low; } __attribute__((aligned(16))) gx_wide_key;
typedef struct gx_wide_pair { gx_wide_key key; u32 value; } gx_wide_pair;
typedef struct gx_wide_pairs { gx_wide_key *key; u32 *value; } gx_wide_pairs;

GX_OP int gx_wide_key_less(gx_wide_key a, gx_wide_key b)
{
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}
GX_OP int gx_wide_pair_less(gx_wide_pair a, gx_wide_pair b)
{
    return gx_wide_key_less(a.key, b.key) || (!gx_wide_key_less(b.key, a.key) && a.value < b.value);
}
GX_OP gx_wide_key gx_wide_key_last(void)
{
    gx_wide_key x;
    x.high = x.low = ~0ull;
    return x;
}
GX_OP gx_wide_pair gx_wide_pair_last(void)
{
    gx_wide_pair x;
    x.key = gx_wide_key_last();
    x.value = ~0u;
    return x;
}
GX_OP gx_wide_pair gx_wide_pair_load(gx_wide_pairs c, u64 i)
{
    gx_wide_pair x;
    x.key = c.key[i];
    x.value = c.value[i];
    return x;
}
GX_OP void gx_wide_pair_store(gx_wide_pairs c, u64 i, gx_wide_pair x)
{
    c.key[i] = x.key;
    c.value[i] = x.value;
}

#if defined GX_TEAM_BLOCK || defined GX_TEAM_GRID
#define GX_BITONIC_GPU 1
/* 2^tile items, and a word of padding after each 2^pad */
#define GX_BITONIC_ROOM(tile, pad) ((1u << (tile)) + (1u << ((tile) - (pad))))
#else
#define GX_BITONIC_GPU 0
#endif

/* gx_bitonic_32_sort(team, u32 *keys, n) */
#define BITONIC(name) gx_bitonic_32_##name
#define BITONIC_ITEM u32
#define BITONIC_COLUMNS u32 *
#define BITONIC_LOAD(c, i) (c)[i]
#define BITONIC_STORE(c, i, x) ((c)[i] = (x))
#define BITONIC_LESS(a, b) ((a) < (b))
#if GX_BITONIC_GPU
#define BITONIC_HELD 4u
#define BITONIC_TILE 12u
#define BITONIC_CHUNK 5u
#define BITONIC_PAD 5u
#define BITONIC_SHARED(s) __shared__ u32 s[GX_BITONIC_ROOM(12, 5)]
#define BITONIC_LAST 0xffffffffu
#include "bitonic_tile_of.h"
#else
#define BITONIC_HELD 3u
#include "bitonic_of.h"
#endif

/* gx_bitonic_64_sort(team, u64 *keys, n) */
#define BITONIC(name) gx_bitonic_64_##name
#define BITONIC_ITEM u64
#define BITONIC_COLUMNS u64 *
#define BITONIC_LOAD(c, i) (c)[i]
#define BITONIC_STORE(c, i, x) ((c)[i] = (x))
#define BITONIC_LESS(a, b) ((a) < (b))
#if GX_BITONIC_GPU
#define BITONIC_HELD 4u
#define BITONIC_TILE 12u
#define BITONIC_CHUNK 4u
#define BITONIC_PAD 4u
#define BITONIC_SHARED(s) __shared__ u64 s[GX_BITONIC_ROOM(12, 4)]
#define BITONIC_LAST 0xffffffffffffffffull
#include "bitonic_tile_of.h"
#else
#define BITONIC_HELD 3u
#include "bitonic_of.h"
#endif

/* gx_bitonic_128_sort(team, gx_wide_key *keys, n) */
#define BITONIC(name) gx_bitonic_128_##name
#define BITONIC_ITEM gx_wide_key
#define BITONIC_COLUMNS gx_wide_key *
#define BITONIC_LOAD(c, i) (c)[i]
#define BITONIC_STORE(c, i, x) ((c)[i] = (x))
#define BITONIC_LESS(a, b) gx_wide_key_less(a, b)
#if GX_BITONIC_GPU
#define BITONIC_HELD 3u
#define BITONIC_TILE 11u
#define BITONIC_CHUNK 3u
#define BITONIC_PAD 3u
#define BITONIC_SHARED(s) __shared__ gx_wide_key s[GX_BITONIC_ROOM(11, 3)]
#define BITONIC_LAST gx_wide_key_last()
#include "bitonic_tile_of.h"
#else
#define BITONIC_HELD 3u
#include "bitonic_of.h"
#endif

/* gx_bitonic_pairs_sort(team, gx_wide_pairs columns, n) */
#define BITONIC(name) gx_bitonic_pairs_##name
#define BITONIC_ITEM gx_wide_pair
#define BITONIC_COLUMNS gx_wide_pairs
#define BITONIC_LOAD(c, i) gx_wide_pair_load(c, i)
#define BITONIC_STORE(c, i, x) gx_wide_pair_store(c, i, x)
#define BITONIC_LESS(a, b) gx_wide_pair_less(a, b)
#define BITONIC_HELD 3u
#if GX_BITONIC_GPU
#define BITONIC_TILE 11u
#define BITONIC_CHUNK 3u
#define BITONIC_PAD 3u
#define BITONIC_SHARED(s) \
    __shared__ gx_wide_key s##_keys[GX_BITONIC_ROOM(11, 3)]; \
    __shared__ u32 s##_values[GX_BITONIC_ROOM(11, 3)]; \
    const gx_wide_pairs s = { s##_keys, s##_values }
#define BITONIC_LAST gx_wide_pair_last()
#include "bitonic_tile_of.h"
#else
#include "bitonic_of.h"
#endif

#endif
