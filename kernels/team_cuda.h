/* SPDX-License-Identifier: Apache-2.0 */
/*
 * team_cuda.h -- the primitives of the GPU's teams: a CUDA block, and the whole grid of a cooperative launch
 *
 * Included by engine/team.h. Members are threads; items go round the members (coalesced). Control state is replicated
 * in each thread's registers and local memory; what differs between members lies in the arena.
 *
 *   block: sync is __syncthreads. Scans and reductions go through warps (shuffles) and 32 cells of shared memory. grid:
 *   sync is a barrier of all blocks in device memory: a counter that only grows, so that who comes last does nothing
 *   more than the
 *          others (one round trip to the L2 each way; with more, 2 us on an H200). Its upper bits count the blocks that
 *          say yes: team_any is a sync and no more. A scan gives each block a contiguous part: block sums, sync, prefix
 *          over the blocks before, sync. Short columns are scanned by block 0 alone. Blocks have at most
 *          GX_GRID_THREADS threads.
 */
#ifndef GX_TEAM_CUDA_H
#define GX_TEAM_CUDA_H

#include <cuda_runtime.h>

#ifdef GX_TEAM_LANE
#define TEAM_IS_SOLO 1
#else
#define TEAM_IS_SOLO 0
#endif
#define TEAM_IS_CPU 0
#define GX_OP static __device__ inline
#define GX_OP_BIG static __device__ __noinline__
#ifdef GX_TEAM_GRID
#define GX_OP_ONCE \
    static __device__ __forceinline__ /* each call saves registers in local memory, and what all warps save comes back \
                                         from the L2 */
#else
#define GX_OP_ONCE GX_OP_BIG
#endif

#ifndef GX_BLOCK_MAX
#define GX_BLOCK_MAX 128u               /* threads of a block team: votes of more would be taken from the L1 */
#endif
#define GX_GRID_MAX 1024u               /* blocks */
#ifndef GX_GRID_THREADS
#define GX_GRID_THREADS \
    128u /* of each: with more, every warp's share of a call, a barrier and a chain of pointers costs the machine more \
            than its loads win */
#endif
/* What a thread looks at together when it finds and compacts, and when it scans: the grid's loads are many, if they fit
 * the registers */
#if !defined GX_TEAM_GRID
#define GX_FIND_ITEMS 4u                /* columns are short, and instructions what small requests wait for */
#define GX_SCAN_ITEMS 4u
#define GX_PREFIX_ITEMS 1u
#elif !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 900
#define GX_FIND_ITEMS 16u
#define GX_SCAN_ITEMS 16u
#define GX_PREFIX_ITEMS 5u              /* of 32 blocks' sums: those of 132 multiprocessors together */
#else
#define GX_FIND_ITEMS 8u
#define GX_SCAN_ITEMS 8u
#define GX_PREFIX_ITEMS 1u
#endif
#define GX_CELLS 33                     /* of a block's shared memory */
#ifdef GX_TEAM_GRID
#define GX_ROOM 1024u                   /* words of 32 candidates of a warp whose votes are kept: 17 million in all */
#define GX_VOTES (GX_GRID_THREADS / 32 * GX_ROOM)       /* of a block */
#else
#define GX_ROOM 16u
#define GX_VOTES (GX_BLOCK_MAX / 32 * GX_ROOM)
#endif

/* Of candidates in shared memory, of: bit i, whether the i-th of 32 was found; before: how many were before them (of a
 * warp's chunk) */
typedef struct gx_vote { u32 of, before; } gx_vote;

#if defined GX_TEAM_LANE

#include "engine/machine/team_one.h"

#elif defined GX_TEAM_BLOCK

typedef struct gx_team { u32 unused; } gx_team;
GX_OP u32 team_rank(const gx_team *t) { (void)t; return threadIdx.x; }
GX_OP u32 team_size(const gx_team *t) { (void)t; return blockDim.x; }
GX_OP void team_sync(gx_team *t) { (void)t; __syncthreads(); }

#else

typedef struct gx_grid_shared {         /* device memory, zero before the launch */
    u64 arrived[2];                     /* at syncs of even and odd number (gx_grid_sync) */
    u64 cell[2][GX_GRID_MAX];
    u64 total[2];
    u64 cells[2][TEAM_SCANS][GX_GRID_MAX], totals[2][TEAM_SCANS];       /* of team_scan_all */
} gx_grid_shared;
/* syncs: how many there were; yes: how often blocks had said yes at the last sync of that counter (thread 0 knows) */
typedef struct gx_team { gx_grid_shared *grid; u32 turn, syncs, yes[2]; } gx_team;
GX_OP void team_begin(gx_team *t, gx_grid_shared *zeros)
{
    t->grid = zeros;
    t->turn = t->syncs = t->yes[0] = t->yes[1] = 0;
}
GX_OP u32 team_rank(const gx_team *t) { (void)t; return blockIdx.x * blockDim.x + threadIdx.x; }
GX_OP u32 team_size(const gx_team *t) { (void)t; return gridDim.x * blockDim.x; }
/*
 * All blocks are here; does one of them say yes? Two counters in turn: who is first at the next sync counts there, so
 * that what the last one reads here is still this sync's. Of their bits 40 count arrivals, the upper 24 those that say
 * yes.
 */
#define GX_SAID_YES (1ull << 40)
GX_OP_BIG int gx_grid_sync(gx_team *t, int yes)
{
    const u32 turn = t->syncs & 1;
    const u64 all = (u64)(t->syncs++ / 2 + 1) * gridDim.x;

    yes = __syncthreads_or(yes);
    if (threadIdx.x == 0) {
        u64 *const counter = &t->grid->arrived[turn], n;
        asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(counter), "l"(yes ? GX_SAID_YES + 1 : 1ull)
                     : "memory");
        do
            asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(n) : "l"(counter) : "memory");
        while ((n & (GX_SAID_YES - 1)) < all);
        n /= GX_SAID_YES;
        yes = t->yes[turn] != (u32)n;
        t->yes[turn] = (u32)n;
    }
    return __syncthreads_or(threadIdx.x == 0 && yes);
}
GX_OP void team_sync(gx_team *t) { gx_grid_sync(t, 0); }

#endif

#ifndef GX_TEAM_LANE
#define TEAM_FOR(t, i, n) for (u32 i = team_rank(t), i##_end_ = (n); i < i##_end_; i += team_size(t))
#endif
#define TEAM_STORE(p, v) (*(volatile __typeof__(*(p)) *)(p) = (v))
#define TEAM_LOAD(p) (*(const volatile __typeof__(*(p)) *)(p))
GX_OP u64 team_claim(u64 *p, u64 v) { return atomicCAS((unsigned long long *)p, 0ull, (unsigned long long)v); }
/* Nearly always there is a lesser one already, and a load is cheaper than an atomic operation that changes nothing */
GX_OP void team_least(u64 *p, u64 v)
{
    if (v < TEAM_LOAD(p))
        atomicMin((unsigned long long *)p, (unsigned long long)v);
}

GX_OP u32 team_add(u32 *p, u32 v) { return atomicAdd(p, v); }
GX_OP void team_or(u64 *p, u64 v) { atomicOr((unsigned long long *)p, (unsigned long long)v); }

/* Eight at a time: a load whose turn a branch decides waits for the one before */
GX_OP int team_equal(const char *a, const char *b, size_t n)
{
    u32 differ = 0;
    size_t i = 0;

    for (; n - i >= 8 && !differ; i += 8)
#pragma unroll
        for (u32 j = 0; j < 8; j++)
            differ |= (u32)(a[i + j] ^ b[i + j]);
    for (; i < n; i++)
        differ |= (u32)(a[i] ^ b[i]);
    return !differ;
}

#ifndef GX_TEAM_LANE

/* ---- inside one block ---- */

/* A block's shared memory, not by a pointer kept somewhere: nvcc is to know what memory it is */
GX_OP u64 *gx_cells(void)
{
    __shared__ u64 cells[GX_CELLS];
    return cells;
}
GX_OP gx_vote *gx_votes(void)           /* this warp's, GX_ROOM */
{
    __shared__ gx_vote votes[GX_VOTES];
    return votes + (threadIdx.x >> 5) * GX_ROOM;
}

/* exclusive prefix of x over the block's threads; *total: the sum. All threads of the block call it. */
GX_OP u64 gx_block_scan(u64 x, u64 *total)
{
    u64 *const cells = gx_cells();
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = (blockDim.x + 31) >> 5;
    u64 sum = x;

    for (unsigned d = 1; d < 32; d <<= 1) {
        u64 y = __shfl_up_sync(0xffffffffu, sum, d);
        if (lane >= d)
            sum += y;
    }
#ifdef GX_TEAM_BLOCK
    if (warps == 1) {                   /* small requests' blocks */
        *total = __shfl_sync(0xffffffffu, sum, 31);
        __syncwarp();                   /* who calls this takes it for a sync, too */
        return sum - x;
    }
#endif
    __syncthreads();                    /* the cells' last readers are done */
    if (lane == 31)
        cells[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        u64 w = lane < warps ? cells[lane] : 0, s = w;
        for (unsigned d = 1; d < 32; d <<= 1) {
            u64 y = __shfl_up_sync(0xffffffffu, s, d);
            if (lane >= d)
                s += y;
        }
        cells[lane] = s - w;
        if (lane == 31)
            cells[32] = s;
    }
    __syncthreads();
    *total = cells[32];
    return cells[warp] + sum - x;
}
/* .. of x by join, from the left; all threads of the block call it, and again only behind a __syncthreads */
GX_OP u32 gx_block_scan_by(u32 x, gx_then join, u32 none, u32 *total)
{
    u64 *const cells = gx_cells();
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = (blockDim.x + 31) >> 5;
    u32 all = x, before = none, every = none;

    for (unsigned d = 1; d < 32; d <<= 1) {
        const u32 y = __shfl_up_sync(0xffffffffu, all, d);
        if (lane >= d)
            all = join(y, all);
    }
    if (lane == 31)
        cells[warp] = all;
    __syncthreads();
    for (unsigned w = 0; w < warps; w++) {
        before = w == warp ? every : before;
        every = join(every, (u32)cells[w]);
    }
    all = __shfl_up_sync(0xffffffffu, all, 1);
    *total = every;
    return lane ? join(before, all) : before;
}
/* a[from .. to) by one block, `before` in front of it; a thread takes so many neighbours */
static __device__ __forceinline__ u32 gx_block_range_by(u32 *a, u32 from, u32 to, u32 before, gx_then join, u32 none,
                                                        int is_last)
{
    for (u32 at = from; at < to; at += blockDim.x * GX_SCAN_ITEMS) {
        u32 x[GX_SCAN_ITEMS], all = none, total;
        const u32 k = at + threadIdx.x * GX_SCAN_ITEMS;
#pragma unroll
        for (u32 j = 0; j < GX_SCAN_ITEMS; j++)
            x[j] = k + j < to ? a[k + j] : none;
#pragma unroll
        for (u32 j = 0; j < GX_SCAN_ITEMS; j++)
            all = join(all, x[j]);
        __syncthreads();
        all = join(before, gx_block_scan_by(all, join, none, &total));
#pragma unroll
        for (u32 j = 0; j < GX_SCAN_ITEMS; j++)
            if (is_last && k + j < to) {
                a[k + j] = all;
                all = join(all, x[j]);
            }
        before = join(before, total);
    }
    return before;
}
GX_OP u64 gx_block_sum(u64 x)
{
    u64 total;
    gx_block_scan(x, &total);
    return total;
}
GX_OP u32 gx_warp_min(u32 x)            /* by shuffles: the instruction for it begins with sm_80 */
{
    for (unsigned d = 16; d; d >>= 1) {
        u32 y = __shfl_xor_sync(0xffffffffu, x, d);
        x = y < x ? y : x;
    }
    return x;
}
GX_OP u32 gx_block_min(u32 x)
{
    u64 *const cells = gx_cells();
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = (blockDim.x + 31) >> 5;

    x = gx_warp_min(x);
#ifdef GX_TEAM_BLOCK
    if (warps == 1) {
        __syncwarp();
        return x;
    }
#endif
    __syncthreads();
    if (lane == 0)
        cells[warp] = x;
    __syncthreads();
    if (warp == 0) {
        u32 y = lane < warps ? (u32)cells[lane] : 0xffffffffu;
        y = gx_warp_min(y);
        if (lane == 0)
            cells[32] = y;
    }
    __syncthreads();
    return (u32)cells[32];
}
/* a[from .. to) := exclusive prefix sums plus `before`, by one block; tiles of so many entries a thread as loads can be
 * under way */
GX_OP u64 gx_block_scan_range(u32 *a, u32 from, u32 to, u64 before)
{
    for (u32 at = from; at < to; at += blockDim.x * GX_SCAN_ITEMS) {
        u32 x[GX_SCAN_ITEMS], k = at + threadIdx.x * GX_SCAN_ITEMS;
        u64 total, sum = 0, mine;
        if (k + GX_SCAN_ITEMS <= to && ((size_t)(a + k) & 15) == 0) {
#pragma unroll
            for (u32 j = 0; j < GX_SCAN_ITEMS; j += 4) {
                const uint4 q = *(const uint4 *)(a + k + j);
                x[j] = q.x; x[j + 1] = q.y; x[j + 2] = q.z; x[j + 3] = q.w;
            }
        } else
#pragma unroll
            for (u32 j = 0; j < GX_SCAN_ITEMS; j++)
                x[j] = k + j < to ? a[k + j] : 0;
#pragma unroll
        for (u32 j = 0; j < GX_SCAN_ITEMS; j++)
            sum += x[j];
        mine = before + gx_block_scan(sum, &total);
#pragma unroll
        for (u32 j = 0; j < GX_SCAN_ITEMS; j++) {
            const u32 y = x[j];
            x[j] = (u32)mine;
            mine += y;
        }
        if (k + GX_SCAN_ITEMS <= to && ((size_t)(a + k) & 15) == 0) {
#pragma unroll
            for (u32 j = 0; j < GX_SCAN_ITEMS; j += 4)
                *(uint4 *)(a + k + j) = make_uint4(x[j], x[j + 1], x[j + 2], x[j + 3]);
        } else
#pragma unroll
            for (u32 j = 0; j < GX_SCAN_ITEMS; j++)
                if (k + j < to)
                    a[k + j] = x[j];
        before += total;
    }
    return before;
}

/*
 * Finding and compacting: each warp has a part of its own, of tiles of so many candidates a lane. What bounds it is how
 * many integer instructions a candidate takes (64 lanes of a multiprocessor do one a cycle) and that loads wait for
 * each other. So: whole tiles only, whose loads need no condition and one address; those that need nothing but k are
 * under way a tile ahead (see); a store has a condition instead of standing behind a branch.
 */
#define GX_TILE (32 * GX_FIND_ITEMS)
#ifdef GX_TEAM_GRID
#define GX_WARP_NO ((blockIdx.x * blockDim.x + threadIdx.x) >> 5)
#define GX_WARPS (gridDim.x * blockDim.x >> 5)
#else
#define GX_WARP_NO (threadIdx.x >> 5)
#define GX_WARPS (blockDim.x >> 5)
#endif
/*
 * A warp's part of n candidates: from .. to. Its tiles begin at start, so far before from that the last ends at to; the
 * candidates before from are the warp's before. Fewer than a tile in all, or one warp: words of 32 candidates, start =
 * from.
 */
typedef struct gx_part { u32 start, from, to; } gx_part;
GX_OP int gx_in_tiles(u32 n) { return n >= GX_TILE && GX_WARPS > 1; }
GX_OP gx_part gx_warp_part(u32 n)
{
    const u32 tile = gx_in_tiles(n) ? GX_TILE : 32, tiles = n / tile + (n % tile != 0),
              each = tiles / GX_WARPS + (tiles % GX_WARPS != 0);
    const u64 begin = (u64)each * tile * GX_WARP_NO, end = begin + (u64)each * tile;
    gx_part p;

    p.from = begin < n ? (u32)begin : n;
    p.to = end < n ? (u32)end : n;
    p.start = gx_in_tiles(n) ? p.to - (p.to - p.from + GX_TILE - 1) / GX_TILE * GX_TILE : p.from;
    return p;
}
/* A warp takes a part 32 entries at a time: of those of one key the first one counts for all. A grid's warps have many:
 * counts of few keys are in shared memory meanwhile, since each 32 entries wait for those before; the keys of
 * GX_TALLY_AHEAD times 32 do not. (Blocks, which have few, are no faster with it.) */
#define GX_TALLY_AHEAD 4u
GX_OP u32 team_parts(const gx_team *t) { (void)t; return GX_WARPS; }
/* The entries [from, to), counts[key * step]. By a warp */
static __device__ __forceinline__ void gx_tally_part(const u32 *key, u32 mask, u32 from, u32 to, u32 *counts, u32 step,
                                                     u32 *out)
{
    const u32 lane = threadIdx.x & 31;

    for (; from < to; from += 32 * GX_TALLY_AHEAD) {
        u32 mine[GX_TALLY_AHEAD];
#pragma unroll
        for (u32 j = 0; j < GX_TALLY_AHEAD; j++)
            mine[j] = from + 32 * j + lane < to ? key[from + 32 * j + lane] & mask : 0xffffffffu;
#pragma unroll
        for (u32 j = 0; j < GX_TALLY_AHEAD; j++) {
            const u32 i = from + 32 * j + lane, same = __match_any_sync(0xffffffffu, mine[j]),
                      first = (u32)__ffs((int)same) - 1;
            u32 c = 0;
            if (lane == first && i < to) {
                c = counts[mine[j] * step];
                counts[mine[j] * step] = c + (u32)__popc(same);
            }
            c = __shfl_sync(0xffffffffu, c, (int)first) + (u32)__popc(same & ((1u << lane) - 1));
            if (out && i < to)
                out[c] = i;
            __syncwarp();               /* the next ones' counts may be another lane's */
        }
    }
}
GX_OP_BIG void team_tally(gx_team *t, const u32 *key, u32 mask, u32 keys, u32 n, u32 parts, u32 *counts, u32 *out)
{
    const u32 size = (n + parts - 1) / parts;
#ifdef GX_TEAM_GRID
    enum { MOST = 256 };
    __shared__ u32 own[GX_GRID_THREADS / 32 * MOST];
    u32 *const here = own + (threadIdx.x >> 5) * MOST;
    const u32 lane = threadIdx.x & 31;
#endif

    (void)t, (void)keys;
    for (u32 part = GX_WARP_NO; part < parts; part += GX_WARPS) {
        const u64 end = (u64)(part + 1) * size;
        const u32 to = end < n ? (u32)end : n;
#ifdef GX_TEAM_GRID
        if (keys <= MOST) {
            for (u32 k = lane; k < keys; k += 32)
                here[k] = counts[k * parts + part];
            __syncwarp();
            gx_tally_part(key, mask, part * size, to, here, 1, out);
            for (u32 k = lane; k < keys; k += 32)
                counts[k * parts + part] = here[k];
            __syncwarp();
            continue;
        }
#endif
        gx_tally_part(key, mask, part * size, to, counts + part, parts, out);
    }
}
static __device__ __forceinline__ void gx_see_tile(size_t first, gx_see see, const void *ctx, gx_seen *s)
{
#pragma unroll
    for (u32 j = 0; j < GX_FIND_ITEMS; j++)
        s[j] = see(ctx, first + j * 32);
}
static __device__ __forceinline__ void gx_find_tile(size_t first, gx_find find, const void *ctx, const gx_seen *s,
                                                    u32 *id)
{
#pragma unroll
    for (u32 j = 0; j < GX_FIND_ITEMS; j++)
        id[j] = find(ctx, first + j * 32, s[j]);
}
/* The ids of the tile at `at`; s: what was seen of it, then what is seen of the next (of itself, if none begins before
 * end: what is not set nvcc takes for whatever it likes, and loaded it for the last time) */
static __device__ __forceinline__ void gx_next_tile(u32 at, u32 end, gx_see see, gx_find find, const void *ctx,
                                                    gx_seen *s, u32 *id)
{
    const u32 lane = threadIdx.x & 31;
    gx_seen next[GX_FIND_ITEMS];

    gx_see_tile((size_t)(at + GX_TILE < end ? at + GX_TILE : at) + lane, see, ctx, next);
    gx_find_tile((size_t)at + lane, find, ctx, s, id);
#pragma unroll
    for (u32 j = 0; j < GX_FIND_ITEMS; j++)
        s[j] = next[j];
}
/* *p := x if is, without a branch. The arena is global memory. */
static __device__ __forceinline__ void gx_store_if(int is, u32 *p, u32 x)
{
    asm volatile("{ .reg .pred is; setp.ne.s32 is, %0, 0; @is st.global.u32 [%1], %2; }" :: "r"(is), "l"(p), "r"(x));
}
static __device__ __forceinline__ void gx_mark_if(int is, u8 *p)
{
    asm volatile("{ .reg .pred is; setp.ne.s32 is, %0, 0; @is st.global.u8 [%1], %2; }" :: "r"(is), "l"(p), "r"(1));
}

#define GX_CHUNK (GX_ROOM * 32)         /* candidates: what a warp's votes have room for */

/* The votes on the candidates at .. end of n, p the warp's part; how many were found. By the whole warp, as what
 * follows. */
static __device__ __forceinline__ u32 gx_warp_vote(gx_vote *votes, gx_part p, u32 at, u32 end, u32 n, gx_see see,
                                                   gx_find find, const void *ctx)
{
    const u32 lane = threadIdx.x & 31, words = (end - at + 31) / 32;
    u32 sum = 0;

    __syncwarp();                       /* the chunk before is written */
    if (!gx_in_tiles(n))
#pragma unroll 1
        for (u32 w = 0; w < words; w++) {
            const u32 k = at + w * 32 + lane < end ? at + w * 32 + lane : end - 1;
            const u32 of = __ballot_sync(0xffffffffu, find(ctx, k, see(ctx, k)) != GX_NONE);
            if (lane == 0)
                votes[w].of = of;
        }
    else {
        gx_seen s[GX_FIND_ITEMS];
        gx_see_tile((size_t)at + lane, see, ctx, s);
        for (u32 w = 0; w < words; w += GX_FIND_ITEMS) {
            u32 id[GX_FIND_ITEMS];
            gx_next_tile(at + w * 32, end, see, find, ctx, s, id);
#pragma unroll
            for (u32 j = 0; j < GX_FIND_ITEMS; j++) {
                const u32 of = __ballot_sync(0xffffffffu, id[j] != GX_NONE);
                if (lane == 0)
                    votes[w + j].of = of;
            }
        }
    }
    __syncwarp();
#pragma unroll 1
    for (u32 w = 0; w < words; w += 32) {
        const u32 k = at + (w + lane) * 32;
        u32 of = w + lane < words ? votes[w + lane].of : 0, upto;
        if (k < p.from)
            of = p.from - k < 32 ? of & 0xffffffffu << (p.from - k) : 0;
        if (k < end && end - k < 32)
            of &= (1u << (end - k)) - 1;
        upto = __popc(of);
        for (unsigned d = 1; d < 32; d <<= 1) {
            const u32 y = __shfl_up_sync(0xffffffffu, upto, d);
            upto += lane >= d ? y : 0;
        }
        if (w + lane < words) {
            votes[w + lane].of = of;
            votes[w + lane].before = sum + upto - __popc(of);
        }
        sum += __shfl_sync(0xffffffffu, upto, 31);
    }
    __syncwarp();
    return sum;
}
/* The ids of those found among them, from out on */
static __device__ __forceinline__ void gx_warp_write(const gx_vote *votes, u32 at, u32 end, u32 n, gx_see see,
                                                     gx_find id_of, const void *ctx, u32 *out)
{
    const u32 lane = threadIdx.x & 31, words = (end - at + 31) / 32, below = (1u << lane) - 1;

    if (!gx_in_tiles(n))
#pragma unroll 1
        for (u32 w = 0; w < words; w++) {
            const u32 k = at + w * 32 + lane < end ? at + w * 32 + lane : end - 1;
            const gx_vote v = votes[w];
            gx_store_if(v.of >> lane & 1, out + v.before + __popc(v.of & below), id_of(ctx, k, see(ctx, k)));
        }
    else
#pragma unroll 1
        for (u32 w = 0; w < words; w += GX_FIND_ITEMS) {
            gx_seen s[GX_FIND_ITEMS];
            u32 id[GX_FIND_ITEMS];
            gx_see_tile((size_t)at + w * 32 + lane, see, ctx, s);
            gx_find_tile((size_t)at + w * 32 + lane, id_of, ctx, s, id);
#pragma unroll
            for (u32 j = 0; j < GX_FIND_ITEMS; j++) {
                const gx_vote v = votes[w + j];
                gx_store_if(v.of >> lane & 1, out + v.before + __popc(v.of & below), id[j]);
            }
        }
}
/* This warp's part of a count; what team_fill then finds in the votes, if one chunk is all */
static __device__ __forceinline__ u32 gx_warp_count(u32 n, gx_see see, gx_find find, const void *ctx)
{
    const gx_part p = gx_warp_part(n);
    gx_vote *const votes = gx_votes();
    u32 sum = 0;

    for (u32 at = p.start; at < p.to; at += GX_CHUNK)
        sum += gx_warp_vote(votes, p, at, p.to - at < GX_CHUNK ? p.to : at + GX_CHUNK, n, see, find, ctx);
    return sum;
}
static __device__ __forceinline__ void team_fill(gx_team *t, u32 n, gx_see see, gx_find find, gx_find id_of,
                                                 const void *ctx, u64 before, u32 *out)
{
    const gx_part p = gx_warp_part(n);
    gx_vote *const votes = gx_votes();

    out += before;
    for (u32 at = p.start; at < p.to; at += GX_CHUNK) {
        const u32 end = p.to - at < GX_CHUNK ? p.to : at + GX_CHUNK;
        u32 sum = 0;
        if (p.to - p.start > GX_CHUNK)  /* the votes are the last chunk's */
            sum = gx_warp_vote(votes, p, at, end, n, see, find, ctx);
        gx_warp_write(votes, at, end, n, see, id_of, ctx, out);
        out += sum;
    }
    team_sync(t);
}

/* use(to, k, id) for each k < n: what is done with an id loads nothing, or it would wait for the store before */
static __device__ __forceinline__ void gx_each(gx_team *t, u32 n, gx_see see, gx_find find, const void *ctx,
                                               void (*use)(const void *to, size_t k, u32 id), const void *to)
{
    const u32 lane = threadIdx.x & 31;
    const gx_part p = gx_warp_part(n);
    gx_seen s[GX_FIND_ITEMS];

    if (!gx_in_tiles(n)) {
        TEAM_FOR(t, k, n)
            use(to, k, find(ctx, k, see(ctx, k)));
        return;
    }
    if (p.start < p.to)
        gx_see_tile((size_t)p.start + lane, see, ctx, s);
    for (u32 at = p.start; at < p.to; at += GX_TILE) {
        u32 id[GX_FIND_ITEMS];
        gx_next_tile(at, p.to, see, find, ctx, s, id);
#pragma unroll
        for (u32 j = 0; j < GX_FIND_ITEMS; j++)
            use(to, (size_t)at + lane + j * 32, id[j]);
    }
}
static __device__ __forceinline__ void gx_use_id(const void *out, size_t k, u32 id) { ((u32 *)out)[k] = id; }
static __device__ __forceinline__ void gx_use_flag(const void *out, size_t k, u32 id)
{
    ((u32 *)out)[k] = id != GX_NONE;
}
typedef struct gx_mark_at { u8 *mark; u32 base; } gx_mark_at;
static __device__ __forceinline__ void gx_use_mark(const void *to, size_t k, u32 id)
{
    const gx_mark_at *const m = (const gx_mark_at *)to;
    (void)k;
    gx_mark_if(id != GX_NONE, m->mark + (id - m->base));
}
static __device__ __forceinline__ void team_map(gx_team *t, u32 n, gx_see see, gx_find find, const void *ctx, u32 *out)
{
    gx_each(t, n, see, find, ctx, gx_use_id, out);
}
static __device__ __forceinline__ void team_flag(gx_team *t, u32 n, gx_see see, gx_find find, const void *ctx, u32 *out)
{
    gx_each(t, n, see, find, ctx, gx_use_flag, out);
}
static __device__ __forceinline__ void team_mark(gx_team *t, u32 n, gx_see see, gx_find find, const void *ctx, u32 base,
                                                 u8 *mark)
{
    const gx_mark_at at = { mark, base };
    gx_each(t, n, see, find, ctx, gx_use_mark, &at);
}
/* Not by gx_each: where ids go is loaded too, before they are looked for */
static __device__ __forceinline__ void team_put(gx_team *t, u32 n, gx_see see, gx_find find, const void *ctx,
                                                const u32 *to, u32 *out)
{
    const u32 lane = threadIdx.x & 31;
    const gx_part p = gx_warp_part(n);
    gx_seen s[GX_FIND_ITEMS];

    if (!gx_in_tiles(n)) {
        TEAM_FOR(t, k, n) {
            const u32 id = find(ctx, k, see(ctx, k));
            gx_store_if(id != GX_NONE, out + to[k], id);
        }
        return;
    }
    if (p.start < p.to)
        gx_see_tile((size_t)p.start + lane, see, ctx, s);
    for (u32 at = p.start; at < p.to; at += GX_TILE) {
        u32 id[GX_FIND_ITEMS], place[GX_FIND_ITEMS];
#pragma unroll
        for (u32 j = 0; j < GX_FIND_ITEMS; j++)
            place[j] = to[(size_t)at + lane + j * 32];
        gx_next_tile(at, p.to, see, find, ctx, s, id);
#pragma unroll
        for (u32 j = 0; j < GX_FIND_ITEMS; j++)
            gx_store_if(id[j] != GX_NONE, out + place[j], id[j]);
    }
}

/* out[k] := of(ctx, k), a tile's loads before its stores */
#define GX_TEAM_OF(name, type, gx_of) \
    static __device__ __forceinline__ void name(gx_team *t, u32 n, gx_of of, const void *ctx, type *out) \
    { \
        const u32 lane = threadIdx.x & 31; \
        const gx_part p = gx_warp_part(n); \
        if (!gx_in_tiles(n)) { \
            TEAM_FOR(t, k, n) \
                out[k] = of(ctx, k); \
            return; \
        } \
        for (u32 at = p.start; at < p.to; at += GX_TILE) { \
            type x[GX_FIND_ITEMS]; \
            _Pragma("unroll") for (u32 j = 0; j < GX_FIND_ITEMS; j++) \
                x[j] = of(ctx, (size_t)at + lane + j * 32); \
            _Pragma("unroll") for (u32 j = 0; j < GX_FIND_ITEMS; j++) \
                out[(size_t)at + lane + j * 32] = x[j]; \
        } \
    }
GX_TEAM_OF(team_bytes, u8, gx_byte_of)
GX_TEAM_OF(team_numbers, double, gx_number_of)

#if defined GX_TEAM_BLOCK

GX_OP_BIG u64 team_scan_complete(gx_team *t, u32 *a, u32 n)
{
    u64 total = gx_block_scan_range(a, 0, n, 0);
    if (threadIdx.x == 0)
        a[n] = (u32)total;
    __syncthreads();
    return total;
}
GX_OP void team_scan_all(gx_team *t, u32 *const *columns, u32 k, u32 n, u64 *totals)
{
    for (u32 i = 0; i < k; i++)
        totals[i] = team_scan_complete(t, columns[i], n);
}
static __device__ __forceinline__ u32 team_scan_by(gx_team *t, u32 *a, u32 n, gx_then join, u32 none)
{
    __syncthreads();
    const u32 all = gx_block_range_by(a, 0, n, none, join, none, 1);
    if (threadIdx.x == 0)
        a[n] = all;
    __syncthreads();
    return all;
}
GX_OP_BIG u64 team_sum(gx_team *t, u64 x) { (void)t; return gx_block_sum(x); }
GX_OP_BIG u32 team_min(gx_team *t, u32 x) { (void)t; return gx_block_min(x); }
GX_OP int team_any(gx_team *t, int x) { (void)t; return __syncthreads_or(x); }

#else

/* The blocks' sums, which `cell` has: their total, *before: of the blocks before this one */
GX_OP u64 gx_blocks_sums(const u64 *cell, u64 *before)
{
    u64 all = 0, mine = 0;

    __syncthreads();
    if (threadIdx.x < 32) {
        for (u32 from = 0; from < gridDim.x; from += GX_PREFIX_ITEMS * 32) {
            u64 x[GX_PREFIX_ITEMS];
#pragma unroll
            for (u32 j = 0; j < GX_PREFIX_ITEMS; j++) {
                const u32 b = from + j * 32 + threadIdx.x;
                x[j] = __ldcg((const unsigned long long *)&cell[b < gridDim.x ? b : 0]);
            }
#pragma unroll
            for (u32 j = 0; j < GX_PREFIX_ITEMS; j++) {
                const u32 b = from + j * 32 + threadIdx.x;
                all += b < gridDim.x ? x[j] : 0;
                mine += b < blockIdx.x ? x[j] : 0;
            }
        }
        for (unsigned d = 16; d; d >>= 1) {
            all += __shfl_xor_sync(0xffffffffu, all, d);
            mine += __shfl_xor_sync(0xffffffffu, mine, d);
        }
        if (threadIdx.x == 0) {
            gx_cells()[0] = mine;
            gx_cells()[1] = all;
        }
    }
    __syncthreads();
    *before = gx_cells()[0];
    return gx_cells()[1];
}
/* .. of these. One sync. */
GX_OP u64 gx_blocks_prefix(gx_team *t, u64 sum, u64 *before)
{
    u64 *cell = t->grid->cell[t->turn ^= 1];

    if (threadIdx.x == 0)
        cell[blockIdx.x] = sum;
    team_sync(t);
    return gx_blocks_sums(cell, before);
}

/* The sum of a[from .. to) by one block */
GX_OP u64 gx_block_sum_range(const u32 *a, u32 from, u32 to)
{
    const u32 tile = 4 * 8 * blockDim.x;
    u64 sum = 0;

    if (((size_t)(a + from) & 15) == 0)
        for (; from + tile <= to; from += tile) {
            uint4 q[8];
#pragma unroll
            for (u32 j = 0; j < 8; j++)
                q[j] = ((const uint4 *)(a + from))[j * blockDim.x + threadIdx.x];
#pragma unroll
            for (u32 j = 0; j < 8; j++)
                sum += (u64)q[j].x + q[j].y + q[j].z + q[j].w;
        }
#pragma unroll 8
    for (u32 i = from + threadIdx.x; i < to; i += blockDim.x)
        sum += a[i];
    return gx_block_sum(sum);
}

/* This block's part of n entries, whole words of four */
GX_OP u32 gx_block_part(u32 n, u32 *to)
{
    const u32 part = ((n + gridDim.x - 1) / gridDim.x + 3) & ~3u, from = part * blockIdx.x < n ? part * blockIdx.x : n;
    *to = from + part < n ? from + part : n;
    return from;
}
GX_OP_BIG u64 team_scan_complete(gx_team *t, u32 *a, u32 n)
{
    u64 total = 0, before;

    if (n <= 8192) {
        u64 *const all = &t->grid->total[t->turn ^= 1];
        if (blockIdx.x == 0) {
            total = gx_block_scan_range(a, 0, n, 0);
            if (threadIdx.x == 0) {
                *all = total;
                a[n] = (u32)total;
            }
        }
        team_sync(t);
        return *(volatile u64 *)all;
    }
    u32 to;
    const u32 from = gx_block_part(n, &to);
    total = gx_blocks_prefix(t, gx_block_sum_range(a, from, to), &before);
    gx_block_scan_range(a, from, to, before);
    if (team_rank(t) == 0)
        a[n] = (u32)total;
    team_sync(t);
    return total;
}
GX_OP_BIG void team_scan_all(gx_team *t, u32 *const *columns, u32 k, u32 n, u64 *totals)
{
    const u32 turn = t->turn ^= 1;
    u32 to;

    if (n <= 8192) {
        for (u32 i = blockIdx.x; i < k; i += gridDim.x) {
            const u64 total = gx_block_scan_range(columns[i], 0, n, 0);
            if (threadIdx.x == 0) {
                t->grid->totals[turn][i] = total;
                columns[i][n] = (u32)total;
            }
        }
        team_sync(t);
        for (u32 i = 0; i < k; i++)
            totals[i] = *(volatile u64 *)&t->grid->totals[turn][i];
        return;
    }
    const u32 from = gx_block_part(n, &to);
    for (u32 i = 0; i < k; i++) {
        const u64 sum = gx_block_sum_range(columns[i], from, to);
        if (threadIdx.x == 0)
            t->grid->cells[turn][i][blockIdx.x] = sum;
    }
    team_sync(t);
    for (u32 i = 0; i < k; i++) {
        u64 before;
        totals[i] = gx_blocks_sums(t->grid->cells[turn][i], &before);
        gx_block_scan_range(columns[i], from, to, before);
        if (team_rank(t) == 0)
            columns[i][n] = (u32)totals[i];
    }
    team_sync(t);
}
static __device__ __forceinline__ u32 team_scan_by(gx_team *t, u32 *a, u32 n, gx_then join, u32 none)
{
    u64 *const cell = t->grid->cell[t->turn ^= 1];
    const u32 each = (gridDim.x + blockDim.x - 1) / blockDim.x, first = threadIdx.x * each;
    u32 to, before = none, all = none, mine = none, total;

    team_sync(t);
    const u32 from = gx_block_part(n, &to), of_block = gx_block_range_by(a, from, to, none, join, none, 0);
    if (threadIdx.x == 0)
        cell[blockIdx.x] = of_block;
    team_sync(t);
    for (u32 j = first; j < first + each && j < gridDim.x; j++) {
        const u32 x = (u32)__ldcg((const unsigned long long *)&cell[j]);
        before = j < blockIdx.x ? join(before, x) : before;
        all = join(all, x);
    }
    gx_block_scan_by(before, join, none, &mine);
    __syncthreads();
    gx_block_scan_by(all, join, none, &total);
    gx_block_range_by(a, from, to, mine, join, none, 1);
    if (team_rank(t) == 0)
        a[n] = total;
    team_sync(t);
    return total;
}
GX_OP_BIG u64 team_sum(gx_team *t, u64 x)
{
    u64 *cell = t->grid->cell[t->turn ^= 1], sum = 0;

    x = gx_block_sum(x);
    if (threadIdx.x == 0)
        cell[blockIdx.x] = x;
    team_sync(t);
    for (u32 b = threadIdx.x; b < gridDim.x; b += blockDim.x)
        sum += *(volatile u64 *)&cell[b];
    return gx_block_sum(sum);
}
GX_OP_BIG u32 team_min(gx_team *t, u32 x)
{
    u64 *cell = t->grid->cell[t->turn ^= 1];
    u32 least = 0xffffffffu;

    x = gx_block_min(x);
    if (threadIdx.x == 0)
        cell[blockIdx.x] = x;
    team_sync(t);
    for (u32 b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
        u32 y = (u32)*(volatile u64 *)&cell[b];
        least = y < least ? y : least;
    }
    return gx_block_min(least);
}
GX_OP int team_any(gx_team *t, int x) { return gx_grid_sync(t, x); }

#endif
GX_OP u64 team_scan(gx_team *t, u32 *a, u32 n)
{
    team_sync(t);
    return team_scan_complete(t, a, n);
}

static __device__ __forceinline__ u64 team_count(gx_team *t, u32 n, gx_see see, gx_find find, const void *ctx,
                                                 u64 *before)
{
    const u32 sum = gx_warp_count(n, see, find, ctx);
#ifdef GX_TEAM_BLOCK
    if (blockDim.x == 32) {
        __syncwarp();
        *before = 0;
        return sum;
    }
#endif
    u64 all, blocks = 0, mine = gx_block_scan((threadIdx.x & 31) ? 0 : sum, &all);

    mine = __shfl_sync(0xffffffffu, mine, 0);
#ifdef GX_TEAM_GRID
    all = gx_blocks_prefix(t, all, &blocks);
#endif
    *before = blocks + mine;
    return all;
}
#endif
#endif
