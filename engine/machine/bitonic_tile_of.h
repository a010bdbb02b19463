/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bitonic_tile_of.h -- as bitonic_of.h, for the teams of a GPU: tiles in shared memory, items in registers
 *
 * A pass gives each block of threads tile after tile: 2^BITONIC_TILE items come into shared memory, up to so many steps
 * are made there, and the items go back to where they were. Within shared memory a thread holds 2^BITONIC_HELD items in
 * registers and makes BITONIC_HELD steps with them. So the columns are read and written once for
 * BITONIC_TILE - BITONIC_CHUNK steps, and shared memory once for BITONIC_HELD steps.
 *
 *    steps of neighbours (within): a tile is a run of the columns
 *    steps of items that are far apart (across): a tile is 2^n_steps chunks, each a run of 2^BITONIC_CHUNK items or
 *                                                more (128 bytes, what a warp loads at once)
 *
 *         columns   | c0  .   .   .  | c1  .   .   .  | c2  .   .   .  | c3  .   .   .  |     c0 .. c3: a tile's chunks
 *
 * Places beyond the end of the columns hold an item of ones, which is never less than another: it never moves.
 * Tiles in shared memory are padded by a word after each 2^BITONIC_PAD items, so that the 32 threads of a warp, which
 * hold items 2^k apart, meet 32 banks.
 *
 * It defines first, beside what bitonic_of.h names:
 *   BITONIC_TILE, BITONIC_CHUNK, BITONIC_PAD    binary logarithms
 *   BITONIC_SHARED(s)                           declares s, columns for a padded tile in shared memory
 *   BITONIC_LAST                                an item of ones
 */
#define BITONIC_PLACE(i) ((i) + ((i) >> BITONIC_PAD))
#ifndef GX_BITONIC_INLINE
#define GX_BITONIC_INLINE static __device__ __forceinline__
#endif

/* The tile, not by a pointer that is passed on: nvcc is to know what memory it is */
GX_BITONIC_INLINE BITONIC_COLUMNS BITONIC(shared)(void)
{
    BITONIC_SHARED(s);
    return s;
}

/* n_steps steps on bits hi - 1 .. hi - n_steps of the places of the tile, for the g-th set of 2^n_steps items that
 * these steps exchange with each other only. crossed: the first step flips all bits from lo to hi - 1, not one. */
GX_BITONIC_INLINE void BITONIC(held)(u32 lo, u32 hi, u32 n_steps, int crossed, u32 g)
{
    BITONIC_COLUMNS const s = BITONIC(shared)();
    BITONIC_ITEM x[1u << BITONIC_HELD];
    const u32 many = 1u << n_steps, bit = hi - n_steps, low = g & ((1u << bit) - 1);
    const u32 base = ((g >> bit) << hi) | low, flip = crossed ? (1u << bit) - (1u << lo) : 0;

#pragma unroll
    for (u32 i = 0; i < many; i++) {
        const u32 at = (i < many / 2 ? base : base ^ flip) | i << bit;
        x[i] = BITONIC_LOAD(s, BITONIC_PLACE(at));
    }
#pragma unroll
    for (u32 step = 0; step < n_steps; step++) {
        const u32 apart = step == 0 && crossed ? many - 1 : many >> (step + 1), top = many >> (step + 1);
#pragma unroll
        for (u32 a = 0; a < many; a++)
            if (!(a & top)) {
                const u32 b = a ^ apart;
                const BITONIC_ITEM p = x[a], q = x[b];
                if (BITONIC_LESS(q, p)) {       /* not "? :", which keeps structs in memory */
                    x[a] = q;
                    x[b] = p;
                }
            }
    }
#pragma unroll
    for (u32 i = 0; i < many; i++) {
        const u32 at = (i < many / 2 ? base : base ^ flip) | i << bit;
        BITONIC_STORE(s, BITONIC_PLACE(at), x[i]);
    }
}

/* The same with all that places depend on known when it is compiled: else nvcc keeps the items in local memory */
GX_BITONIC_INLINE void BITONIC(held_of)(u32 lo, u32 hi, u32 n_steps, int crossed, u32 g)
{
    if (crossed)
        BITONIC(held)(lo, hi, n_steps, 1, g);
    else
        BITONIC(held)(lo, hi, n_steps, 0, g);
}

/*
 * Steps on bits hi - 1 .. lo of the places of the tile, of 2^bits items. By a block; syncs before each and behind.
 * A thread holds as many items as leave no thread idle: one that holds 16 works some four times as long a round as one
 * that holds 4, for two times the steps.
 */
GX_OP_BIG void BITONIC(tile_steps)(u32 bits, u32 lo, u32 hi, int crossed)
{
    const u32 share = 32 - (u32)__clz((int)((1u << bits) / blockDim.x)), most = share < 2 ? 1 : share - 1;

    for (; hi > lo; crossed = 0) {
        const u32 held = most < BITONIC_HELD ? most : BITONIC_HELD, n_steps = hi - lo < held ? hi - lo : held;
        const u32 sets = 1u << (bits - n_steps);
        __syncthreads();
        for (u32 g = threadIdx.x; g < sets; g += blockDim.x)
            switch (n_steps) {
            case 1: BITONIC(held_of)(lo, hi, 1, crossed, g); break;
            case 2: BITONIC(held_of)(lo, hi, 2, crossed, g); break;
            case 3: BITONIC(held_of)(lo, hi, 3, crossed, g); break;
            default: BITONIC(held_of)(lo, hi, BITONIC_HELD, crossed, g);
            }
        hi -= n_steps;
    }
    __syncthreads();
}

/* Tile number `tile` of 2^bits neighbours: sorted from the start, or the last `bits` steps of a merge. By a block. */
GX_OP_BIG void BITONIC(within)(BITONIC_COLUMNS c, u32 n, u32 bits, u32 tile, int from_start)
{
    BITONIC_COLUMNS const s = BITONIC(shared)();
    const u32 first = tile << bits;

#pragma unroll 8
    for (u32 i = threadIdx.x; i < 1u << bits; i += blockDim.x)
        BITONIC_STORE(s, BITONIC_PLACE(i), first + i < n ? BITONIC_LOAD(c, first + i) : BITONIC_LAST);
    for (u32 merge = from_start ? 1 : bits; merge <= bits; merge++)
        BITONIC(tile_steps)(bits, 0, merge, from_start);
#pragma unroll 8
    for (u32 i = threadIdx.x; i < 1u << bits && first + i < n; i += blockDim.x)
        BITONIC_STORE(c, first + i, BITONIC_LOAD(s, BITONIC_PLACE(i)));
    __syncthreads();
}

/* n_steps steps of a merge of blocks of 2^block items, block > bits, for one tile of 2^bits. By a block of threads. */
GX_OP_BIG void BITONIC(across)(BITONIC_COLUMNS c, u32 n, u32 bits, u32 block, u32 n_steps, int crossed, u32 tile)
{
    BITONIC_COLUMNS const s = BITONIC(shared)();
    const u32 wide = bits - n_steps, apart = block - n_steps, last = (1u << apart) - 1;
    const u64 start = (u64)(tile >> (block - bits)) << block;
    const u32 chunk = (tile & ((1u << (block - bits)) - 1)) << wide;

#define BITONIC_FROM(i) (start + ((u64)((i) >> wide) << apart) + (crossed && (i) >> (bits - 1) ? last - at : at))
#pragma unroll 8
    for (u32 i = threadIdx.x; i < 1u << bits; i += blockDim.x) {
        const u32 at = chunk + (i & ((1u << wide) - 1));
        const u64 from = BITONIC_FROM(i);
        BITONIC_STORE(s, BITONIC_PLACE(i), from < n ? BITONIC_LOAD(c, from) : BITONIC_LAST);
    }
    BITONIC(tile_steps)(bits, wide, bits, crossed);
#pragma unroll 8
    for (u32 i = threadIdx.x; i < 1u << bits; i += blockDim.x) {
        const u32 at = chunk + (i & ((1u << wide) - 1));
        const u64 to = BITONIC_FROM(i);
        if (to < n)
            BITONIC_STORE(c, to, BITONIC_LOAD(s, BITONIC_PLACE(i)));
    }
#undef BITONIC_FROM
    __syncthreads();
}

/* Tiles are halved, down to 512 items, while there is a block for each half. */
GX_OP_BIG void BITONIC(sort)(gx_team *t, BITONIC_COLUMNS c, u32 n)
{
    u32 bits = 0;

    while (bits < BITONIC_TILE && 1u << bits < n)
        bits++;
    while (bits > 9 && ((u64)n + (1u << (bits - 1)) - 1) >> (bits - 1) <= GX_BITONIC_BLOCKS)
        bits--;
    const u32 most = bits > BITONIC_CHUNK ? bits - BITONIC_CHUNK : 1;
    const u32 tiles = (u32)(((u64)n + (1u << bits) - 1) >> bits);
    GX_BITONIC_TILES(tile, tiles)
        BITONIC(within)(c, n, bits, tile, 1);
    team_sync(t);
    for (u32 merge = bits + 1; (u64)1 << (merge - 1) < n; merge++) {
        int crossed = 1;
        for (u32 block = merge; block > bits; crossed = 0) {
            const u32 left = block - bits, passes = (left + most - 1) / most, n_steps = (left + passes - 1) / passes;
            const u32 all = (u32)((((u64)n + ((u64)1 << block) - 1) >> block) << (block - bits));
            GX_BITONIC_TILES(tile, all)
                BITONIC(across)(c, n, bits, block, n_steps, crossed, tile);
            team_sync(t);
            block -= n_steps;
        }
        GX_BITONIC_TILES(tile, tiles)
            BITONIC(within)(c, n, bits, tile, 0);
        team_sync(t);
    }
}

#undef BITONIC
#undef BITONIC_ITEM
#undef BITONIC_COLUMNS
#undef BITONIC_LOAD
#undef BITONIC_STORE
#undef BITONIC_LESS
#undef BITONIC_HELD
#undef BITONIC_TILE
#undef BITONIC_CHUNK
#undef BITONIC_PAD
#undef BITONIC_SHARED
#undef BITONIC_LAST
#undef BITONIC_PLACE
