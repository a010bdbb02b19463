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
 * Several steps a pass. A member copies the 2^s items that s steps exchange with each other, so that s steps cost one
 * read and one write of the columns. On a CPU the steps that stay within a tile, which fits into the first cache, are
 * one pass as well; on a GPU a tile is what one member copies. The stages up to a tile's size are one pass altogether.
 *
 * In: columns that are complete for all members, of fewer than 2^31 items. Out: the same columns in ascending order,
 * complete. Pairs are ordered by key, then by value: with row numbers as values the order is stable.
 * The comparisons do not depend on the team, so even items that are equal end where they do on any other team.
 * Cost: n (log n)^2 / 4 comparisons; no memory. Errors: none.
 *
 * The engine sorts with merge.h. On a CPU bitonic sort is the slower one: solo sorts 1.0 million pairs a second where
 * qsort sorts 4.0 (2^20 pairs; t/46-bitonic-solo --bench). No GPU has been measured yet: nvcc keeps a member's items in
 * local memory (sm_90: 32 to 96 bytes), not in registers.
 */
#ifndef GX_MACHINE_BITONIC_H
#define GX_MACHINE_BITONIC_H

#include "team.h"

#if defined GX_TEAM_SOLO || defined GX_TEAM_THREADS
#define GX_BITONIC_TILE 10u             /* the binary logarithm of a tile's items: 20 KB of pairs */
#else
#define GX_BITONIC_TILE 3u
#endif

typedef struct gx_wide_key { u64 high, low; } gx_wide_key;
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

/* gx_bitonic_32_sort(team, u32 *keys, n) */
#define BITONIC(name) gx_bitonic_32_##name
#define BITONIC_ITEM u32
#define BITONIC_COLUMNS u32 *
#define BITONIC_LOAD(c, i) (c)[i]
#define BITONIC_STORE(c, i, x) ((c)[i] = (x))
#define BITONIC_LESS(a, b) ((a) < (b))
#define BITONIC_HELD 3u
#include "bitonic_of.h"

/* gx_bitonic_64_sort(team, u64 *keys, n) */
#define BITONIC(name) gx_bitonic_64_##name
#define BITONIC_ITEM u64
#define BITONIC_COLUMNS u64 *
#define BITONIC_LOAD(c, i) (c)[i]
#define BITONIC_STORE(c, i, x) ((c)[i] = (x))
#define BITONIC_LESS(a, b) ((a) < (b))
#define BITONIC_HELD 3u
#include "bitonic_of.h"

/* gx_bitonic_128_sort(team, gx_wide_key *keys, n) */
#define BITONIC(name) gx_bitonic_128_##name
#define BITONIC_ITEM gx_wide_key
#define BITONIC_COLUMNS gx_wide_key *
#define BITONIC_LOAD(c, i) (c)[i]
#define BITONIC_STORE(c, i, x) ((c)[i] = (x))
#define BITONIC_LESS(a, b) gx_wide_key_less(a, b)
#define BITONIC_HELD 3u
#include "bitonic_of.h"

/* gx_bitonic_pairs_sort(team, gx_wide_pairs columns, n) */
#define BITONIC(name) gx_bitonic_pairs_##name
#define BITONIC_ITEM gx_wide_pair
#define BITONIC_COLUMNS gx_wide_pairs
#define BITONIC_LOAD(c, i) gx_wide_pair_load(c, i)
#define BITONIC_STORE(c, i, x) gx_wide_pair_store(c, i, x)
#define BITONIC_LESS(a, b) gx_wide_pair_less(a, b)
#define BITONIC_HELD 3u
#include "bitonic_of.h"

#endif
