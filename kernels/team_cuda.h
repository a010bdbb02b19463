/*
 * team_cuda.h -- the primitives of the GPU's teams: a CUDA block, and the whole grid of a cooperative launch
 *
 * Included by engine/team.h. Members are threads; items go round the members (coalesced). Control state is replicated in each
 * thread's registers and local memory; what differs between members lies in the arena.
 *
 *   block: sync is __syncthreads. Scans and reductions go through warps (shuffles) and 32 cells of shared memory.
 *   grid:  sync is a barrier of all blocks in device memory: a counter that only grows, so that who comes last does nothing more than the
 *          others (one round trip to the L2 each way; with more, 2 us on an H200). A scan gives each block a contiguous part: block sums,
 *          sync, prefix over the blocks before, sync. Short columns are scanned by block 0 alone. Blocks have at most 256 threads.
 */
#ifndef GX_TEAM_CUDA_H
#define GX_TEAM_CUDA_H

#include <cuda_runtime.h>

#ifdef GX_TEAM_LANE
#define TEAM_IS_SOLO 1
#else
#define TEAM_IS_SOLO 0
#endif
#define GX_OP static __device__ inline
#define GX_OP_BIG static __device__ __noinline__

#define GX_BLOCK_MAX 1024u
#define GX_GRID_MAX 1024u               /* blocks */
/* What a thread looks at together when it finds and compacts, and when it scans: the grid's loads are many, if they fit the registers */
#if defined GX_TEAM_GRID && (!defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 900)
#define GX_FIND_ITEMS 16u
#define GX_PREFIX_ITEMS 5u              /* of 32 blocks' sums: those of 132 multiprocessors together */
#define GX_KEEPS_VOTES 1
#else
#define GX_FIND_ITEMS 8u
#define GX_PREFIX_ITEMS 1u
#define GX_KEEPS_VOTES 0                /* an sm_80 spills where they are filled */
#endif
#ifdef GX_TEAM_GRID
#define GX_SCAN_ITEMS GX_FIND_ITEMS
#else
#define GX_SCAN_ITEMS 4u                /* columns are short, and so is the code */
#endif
#define GX_CELLS 33                     /* of a block's shared memory */
#define GX_VOTES 4096u                  /* words of a grid's block's: bits of which candidates were found, 17 million in all */

#if defined GX_TEAM_LANE

#include "../engine/team_one.h"

#elif defined GX_TEAM_BLOCK

typedef struct gx_team { u64 *cells; } gx_team;         /* GX_CELLS */
GX_OP u32 team_rank(const gx_team *t) { (void)t; return threadIdx.x; }
GX_OP u32 team_size(const gx_team *t) { (void)t; return blockDim.x; }
GX_OP void team_sync(gx_team *t) { (void)t; __syncthreads(); }

#else

typedef struct gx_grid_shared {         /* device memory, zero before the launch */
    unsigned arrived, pad;
    u64 cell[2][GX_GRID_MAX];
    u64 total[2];
} gx_grid_shared;
typedef struct gx_team { u64 *cells; u32 *votes; gx_grid_shared *grid; u32 turn, arrived; } gx_team;     /* arrived: blocks, when all are at the last sync */
GX_OP u32 team_rank(const gx_team *t) { (void)t; return blockIdx.x * blockDim.x + threadIdx.x; }
GX_OP u32 team_size(const gx_team *t) { (void)t; return gridDim.x * blockDim.x; }
GX_OP void team_sync(gx_team *t)
{
    t->arrived += gridDim.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned n;
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" :: "l"(&t->grid->arrived) : "memory");
        do
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(n) : "l"(&t->grid->arrived) : "memory");
        while ((int)(n - t->arrived) < 0);
    }
    __syncthreads();
}

#endif

#ifndef GX_TEAM_LANE
#define TEAM_FOR(t, i, n) for (u32 i = team_rank(t), i##_end_ = (n); i < i##_end_; i += team_size(t))
#endif
#define TEAM_STORE(p, v) (*(volatile __typeof__(*(p)) *)(p) = (v))
#define TEAM_LOAD(p) (*(const volatile __typeof__(*(p)) *)(p))

GX_OP int team_equal(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return 0;
    return 1;
}

#ifndef GX_TEAM_LANE

/* ---- inside one block ---- */

/* exclusive prefix of x over the block's threads; *total: the sum. All threads of the block call it. cells: 33 */
GX_OP u64 gx_block_scan(u64 *cells, u64 x, u64 *total)
{
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = (blockDim.x + 31) >> 5;
    u64 sum = x;

    for (unsigned d = 1; d < 32; d <<= 1) {
        u64 y = __shfl_up_sync(0xffffffffu, sum, d);
        if (lane >= d)
            sum += y;
    }
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
GX_OP u64 gx_block_sum(u64 *cells, u64 x)
{
    u64 total;
    gx_block_scan(cells, x, &total);
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
GX_OP u32 gx_block_min(u64 *cells, u32 x)
{
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = (blockDim.x + 31) >> 5;

    x = gx_warp_min(x);
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
/* a[from .. to) := exclusive prefix sums plus `before`, by one block; tiles of so many entries a thread as loads can be under way */
GX_OP u64 gx_block_scan_range(u64 *cells, u32 *a, u32 from, u32 to, u64 before)
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
        mine = before + gx_block_scan(cells, sum, &total);
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
 * Finding and compacting: each warp has a part of its own, and so many items a lane whose loads are all under way together. Memory is as
 * fast as it can be when some 32 KB are on their way to each multiprocessor; find must not branch, or its loads wait for each other.
 */
#ifdef GX_TEAM_GRID
#define GX_WARP_NO ((blockIdx.x * blockDim.x + threadIdx.x) >> 5)
#define GX_WARPS (gridDim.x * blockDim.x >> 5)
#else
#define GX_WARP_NO (threadIdx.x >> 5)
#define GX_WARPS (blockDim.x >> 5)
#endif
GX_OP void gx_warp_part(u32 n, u32 *from, u32 *to)
{
    const u32 tile = 32 * GX_FIND_ITEMS, tiles = n / tile + (n % tile != 0), each = tiles / GX_WARPS + (tiles % GX_WARPS != 0);
    const u64 begin = (u64)each * tile * GX_WARP_NO, end = begin + (u64)each * tile;

    *from = begin < n ? (u32)begin : n;
    *to = end < n ? (u32)end : n;
}
/* A column that find(ctx, k) will read at k: each warp asks for its part at once, so that memory is as busy as it can be, whatever fits registers */
GX_OP void team_ahead(gx_team *t, const u32 *column, u32 n)
{
    u32 from, to;

    (void)t;
    gx_warp_part(n, &from, &to);
    for (u32 k = from + (threadIdx.x & 31) * 32; k < to; k += 32 * 32)
        asm volatile("prefetch.global.L2 [%0];" :: "l"(column + k));
}
/* id[j] := find(ctx, k), k = first + j * step; find(ctx, other), to be ignored, where that is not below n */
static __device__ __forceinline__ void gx_find_tile(u32 first, u32 step, u32 n, u32 other, u32 (*find)(const void *ctx, u32 k), const void *ctx, u32 *id)
{
#pragma unroll
    for (u32 j = 0; j < GX_FIND_ITEMS; j++) {
        const u32 k = first + j * step;
        id[j] = find(ctx, k < n ? k : other);
    }
}
#ifdef GX_TEAM_BLOCK
static __device__ __forceinline__ u64 gx_warp_count(u32 from, u32 to, u32 (*find)(const void *ctx, u32 k), const void *ctx)
{
    const u32 lane = threadIdx.x & 31;
    u64 sum = 0;

    for (u32 at = from; at < to; at += 32 * GX_FIND_ITEMS) {
        u32 id[GX_FIND_ITEMS];
        gx_find_tile(at + lane, 32, to, from, find, ctx, id);
#pragma unroll
        for (u32 j = 0; j < GX_FIND_ITEMS; j++)
            sum += (id[j] != 0xffffffffu) & (at + j * 32 + lane < to);
    }
    return sum;
}
#endif
static __device__ __forceinline__ void gx_warp_fill(u32 from, u32 to, u32 (*find)(const void *ctx, u32 k), const void *ctx, u64 before, u32 *out)
{
    const u32 lane = threadIdx.x & 31;

    for (u32 at = from; at < to; at += 32 * GX_FIND_ITEMS) {
        u32 id[GX_FIND_ITEMS];
        gx_find_tile(at + lane, 32, to, from, find, ctx, id);
#pragma unroll
        for (u32 j = 0; j < GX_FIND_ITEMS; j++) {
            const int is = (id[j] != 0xffffffffu) & (at + j * 32 + lane < to);
            const unsigned votes = __ballot_sync(0xffffffffu, is);
            if (is)
                out[before + __popc(votes & ((1u << lane) - 1))] = id[j];
            before += __popc(votes);
        }
    }
}

/* flags: 0 or 1 instead of the ids */
static __device__ __forceinline__ void gx_map(gx_team *t, u32 n, u32 (*find)(const void *ctx, u32 k), const void *ctx, u32 *out, int flags)
{
    const u32 size = team_size(t);

    for (u32 at = 0; at < n; at += size * GX_FIND_ITEMS) {
        u32 id[GX_FIND_ITEMS];
        gx_find_tile(at + team_rank(t), size, n, 0, find, ctx, id);
#pragma unroll
        for (u32 j = 0; j < GX_FIND_ITEMS; j++)
            if (at + j * size + team_rank(t) < n)
                out[at + j * size + team_rank(t)] = flags ? id[j] != 0xffffffffu : id[j];
    }
}
static __device__ __forceinline__ void team_map(gx_team *t, u32 n, u32 (*find)(const void *ctx, u32 k), const void *ctx, u32 *out)
{
    gx_map(t, n, find, ctx, out, 0);
}
static __device__ __forceinline__ void team_flag(gx_team *t, u32 n, u32 (*find)(const void *ctx, u32 k), const void *ctx, u32 *out)
{
    gx_map(t, n, find, ctx, out, 1);
}
static __device__ __forceinline__ void team_put(gx_team *t, u32 n, u32 (*find)(const void *ctx, u32 k), const void *ctx, const u32 *to, u32 *out)
{
    const u32 size = team_size(t);

    for (u32 at = 0; at < n; at += size * GX_FIND_ITEMS) {
        u32 id[GX_FIND_ITEMS], place[GX_FIND_ITEMS];
#pragma unroll
        for (u32 j = 0; j < GX_FIND_ITEMS; j++) {
            const u32 k = at + j * size + team_rank(t);
            place[j] = to[k < n ? k : 0];
        }
        gx_find_tile(at + team_rank(t), size, n, 0, find, ctx, id);
#pragma unroll
        for (u32 j = 0; j < GX_FIND_ITEMS; j++)
            if ((id[j] != 0xffffffffu) & (at + j * size + team_rank(t) < n))
                out[place[j]] = id[j];
    }
}

static __device__ __forceinline__ void team_mark(gx_team *t, u32 n, u32 (*find)(const void *ctx, u32 k), const void *ctx, u32 base, u8 *mark)
{
    const u32 size = team_size(t);

    for (u32 at = 0; at < n; at += size * GX_FIND_ITEMS) {
        u32 id[GX_FIND_ITEMS];
        gx_find_tile(at + team_rank(t), size, n, 0, find, ctx, id);
#pragma unroll
        for (u32 j = 0; j < GX_FIND_ITEMS; j++)
            if (id[j] != 0xffffffffu)
                TEAM_STORE(&mark[id[j] - base], (u8)1);
    }
}

#if defined GX_TEAM_BLOCK

GX_OP_BIG u64 team_scan(gx_team *t, u32 *a, u32 n)
{
    __syncthreads();
    u64 total = gx_block_scan_range(t->cells, a, 0, n, 0);
    __syncthreads();
    return total;
}
GX_OP_BIG u64 team_sum(gx_team *t, u64 x) { return gx_block_sum(t->cells, x); }
GX_OP_BIG u32 team_min(gx_team *t, u32 x) { return gx_block_min(t->cells, x); }
GX_OP int team_any(gx_team *t, int x) { (void)t; return __syncthreads_or(x); }

#else

/* The blocks' sums: their total, *before: of the blocks before this one. One sync. */
GX_OP u64 gx_blocks_prefix(gx_team *t, u64 sum, u64 *before)
{
    u64 *cell = t->grid->cell[t->turn ^= 1], all = 0, mine = 0;

    if (threadIdx.x == 0)
        cell[blockIdx.x] = sum;
    team_sync(t);
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
            t->cells[0] = mine;
            t->cells[1] = all;
        }
    }
    __syncthreads();
    *before = t->cells[0];
    return t->cells[1];
}

/* The sum of a[from .. to) by one block */
GX_OP u64 gx_block_sum_range(u64 *cells, const u32 *a, u32 from, u32 to)
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
    return gx_block_sum(cells, sum);
}

GX_OP_BIG u64 team_scan(gx_team *t, u32 *a, u32 n)
{
    u64 total = 0, before;

    team_sync(t);
    if (n <= 8192) {
        u64 *const all = &t->grid->total[t->turn ^= 1];
        if (blockIdx.x == 0) {
            total = gx_block_scan_range(t->cells, a, 0, n, 0);
            if (threadIdx.x == 0)
                *all = total;
        }
        team_sync(t);
        return *(volatile u64 *)all;
    }
    const u32 part = ((n + gridDim.x - 1) / gridDim.x + 3) & ~3u, from = part * blockIdx.x < n ? part * blockIdx.x : n;
    const u32 to = from + part < n ? from + part : n;
    total = gx_blocks_prefix(t, gx_block_sum_range(t->cells, a, from, to), &before);
    gx_block_scan_range(t->cells, a, from, to, before);
    team_sync(t);
    return total;
}
GX_OP_BIG u64 team_sum(gx_team *t, u64 x)
{
    u64 *cell = t->grid->cell[t->turn ^= 1], sum = 0;

    x = gx_block_sum(t->cells, x);
    if (threadIdx.x == 0)
        cell[blockIdx.x] = x;
    team_sync(t);
    for (u32 b = threadIdx.x; b < gridDim.x; b += blockDim.x)
        sum += *(volatile u64 *)&cell[b];
    return gx_block_sum(t->cells, sum);
}
GX_OP_BIG u32 team_min(gx_team *t, u32 x)
{
    u64 *cell = t->grid->cell[t->turn ^= 1];
    u32 least = 0xffffffffu;

    x = gx_block_min(t->cells, x);
    if (threadIdx.x == 0)
        cell[blockIdx.x] = x;
    team_sync(t);
    for (u32 b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
        u32 y = (u32)*(volatile u64 *)&cell[b];
        least = y < least ? y : least;
    }
    return gx_block_min(t->cells, least);
}
GX_OP int team_any(gx_team *t, int x) { return team_sum(t, x != 0) != 0; }

#endif

#ifdef GX_TEAM_GRID
/* What the warp's part takes of the votes, from where: NULL, more than it has */
GX_OP u32 *gx_warp_votes(gx_team *t, u32 from, u32 to)
{
    const u32 room = GX_VOTES / (blockDim.x >> 5), tile = 32 * GX_FIND_ITEMS;
    return GX_KEEPS_VOTES && (to - from + tile - 1) / tile * GX_FIND_ITEMS <= room ? t->votes + (threadIdx.x >> 5) * room : NULL;
}
static __device__ __forceinline__ u64 team_count(gx_team *t, u32 n, u32 (*find)(const void *ctx, u32 k), const void *ctx, u64 *before)
{
    const u32 lane = threadIdx.x & 31;
    u32 from, to;
    u64 block, blocks, sum = 0;

    gx_warp_part(n, &from, &to);
    u32 *const votes = gx_warp_votes(t, from, to);
    for (u32 at = from; at < to; at += 32 * GX_FIND_ITEMS) {
        u32 id[GX_FIND_ITEMS], word = 0;
        gx_find_tile(at + lane, 32, to, from, find, ctx, id);
#pragma unroll
        for (u32 j = 0; j < GX_FIND_ITEMS; j++) {
            const u32 vote = __ballot_sync(0xffffffffu, (id[j] != 0xffffffffu) & (at + j * 32 + lane < to));
            sum += __popc(vote);
            word = lane == j ? vote : word;
        }
        if (votes && lane < GX_FIND_ITEMS)
            votes[(at - from) / 32 + lane] = word;
    }
    const u64 mine = gx_block_scan(t->cells, lane ? 0 : sum, &block), warp = __shfl_sync(0xffffffffu, mine, 0);
    const u64 all = gx_blocks_prefix(t, block, &blocks);
    *before = blocks + warp;
    return all;
}
static __device__ __forceinline__ void team_fill(gx_team *t, u32 n, u32 (*find)(const void *ctx, u32 k), u32 (*id_of)(const void *ctx, u32 k), const void *ctx,
    u64 before, u32 *out)
{
    const u32 lane = threadIdx.x & 31;
    u32 from, to;

    gx_warp_part(n, &from, &to);
    const u32 *const votes = gx_warp_votes(t, from, to), words = (to - from + 31) / 32;
    if (!votes)
        gx_warp_fill(from, to, find, ctx, before, out);
    for (u32 w = 0; votes && w < words; w += 32) {
        const u32 mask = w + lane < words ? votes[w + lane] : 0;
        u32 upto = __popc(mask);
        for (unsigned d = 1; d < 32; d <<= 1) {
            const u32 y = __shfl_up_sync(0xffffffffu, upto, d);
            upto += lane >= d ? y : 0;
        }
#pragma unroll 1
        for (u32 j = 0; j < 32; j += GX_FIND_ITEMS) {
            u32 id[GX_FIND_ITEMS], vote[GX_FIND_ITEMS];
#pragma unroll
            for (u32 q = 0; q < GX_FIND_ITEMS; q++) {   /* those not found: from, so that all loads are under way */
                vote[q] = __shfl_sync(0xffffffffu, mask, j + q);
                id[q] = id_of(ctx, vote[q] >> lane & 1 ? from + (w + j + q) * 32 + lane : from);
            }
#pragma unroll
            for (u32 q = 0; q < GX_FIND_ITEMS; q++) {
                const u32 first = __shfl_sync(0xffffffffu, upto, j + q) - __popc(vote[q]);
                if (vote[q] >> lane & 1)
                    out[before + first + __popc(vote[q] & ((1u << lane) - 1))] = id[q];
            }
        }
        before += __shfl_sync(0xffffffffu, upto, 31);
    }
    team_sync(t);
}
#else
static __device__ __forceinline__ u64 team_count(gx_team *t, u32 n, u32 (*find)(const void *ctx, u32 k), const void *ctx, u64 *before)
{
    u32 from, to;
    u64 block;

    gx_warp_part(n, &from, &to);
    *before = __shfl_sync(0xffffffffu, gx_block_scan(t->cells, gx_warp_count(from, to, find, ctx), &block), 0);
    return block;
}
static __device__ __forceinline__ void team_fill(gx_team *t, u32 n, u32 (*find)(const void *ctx, u32 k), u32 (*id_of)(const void *ctx, u32 k), const void *ctx,
    u64 before, u32 *out)
{
    u32 from, to;

    (void)id_of;
    gx_warp_part(n, &from, &to);
    gx_warp_fill(from, to, find, ctx, before, out);
    team_sync(t);
}
#endif
#endif
#endif
