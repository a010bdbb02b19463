/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.h -- one evaluation as a kernel gets it: a descriptor in pinned host memory
 */
#ifndef GX_LAUNCH_H
#define GX_LAUNCH_H

#include <cuda_runtime.h>
#include "../engine/base.h"
#include "engine/document/doc.h"
#include "engine/document/doc_check.h"
#include "engine/program/program.h"

#define GX_GRID_SHARED_BYTES 81920u     /* of device memory: room for a gx_grid_shared (team_cuda.h) */

/* Where a batch's results go: pinned host memory, given out as they come, so that nobody has to guess their sizes */
typedef struct gx_outbox {
    char *base;
    u64 size;
    unsigned long long *top;            /* device memory: bytes that are taken */
    unsigned long long *next;           /* the next batch's top: each request of this one sets it to 0 */
} gx_outbox;

typedef struct alignas(16) gx_launch {  /* warps copy it, 16 bytes a thread; the grid gets it as the kernel's argument
                                           */
    const gx_program *program;          /* device memory; NULL: GX_EABSENT, as soon as the kernel runs */
    const gx_doc *doc;                  /* device memory; NULL: it is pulled */
    u64 doc_size;
    const void *host, *params;          /* pinned: a document and packed parameters, pulled into copy one behind the
                                           other */
    char *copy;
    u64 host_size, params_size;         /* multiples of 16; 0 = none */
    char *arena;
    u64 kept_bytes, arena_bytes;
    u64 steps, budget_us;               /* 0 = no limit */
    u32 recursion;
    volatile u32 done;                  /* set last: 1 + status */
    u64 used, out_at;                   /* the result's size and place in the outbox */
    char *near;                         /* pinned: the grid puts a result of at most near_size bytes there too */
    u64 near_size;
    u64 start_cycles, machine_cycles;   /* laying out the run, running the machine */
    u32 unchecked;                      /* nobody has looked at the document yet: the team does, before it follows it */
    u32 stays; /* the result is for the next kernel (source.h): blocks and lanes do not push it */
} gx_launch;

#if defined GX_TEAM_LANE || defined GX_TEAM_BLOCK || defined GX_TEAM_GRID
static __device__ inline void gx_launch_done(gx_launch *l, gx_status status, u64 used, u64 out_at)
{
    l->used = used;
    l->out_at = out_at;
    __threadfence_system();
    l->done = 1u + (u32)status;
    __threadfence_system();
}

/* Room for a result; sets *status when there is none. By one thread. (A loop of atomicCAS held 16,000 threads back to
 * 335,000 results a second.) */
static __device__ inline u64 gx_outbox_take(const gx_outbox *out, u64 used, gx_status *status)
{
    const u64 size = (used + 15) & ~(u64)15, at = atomicAdd(out->top, (unsigned long long)size);
    if (at + size > out->size)
        *status = GX_EARENA;
    return at;
}

static __device__ inline const gx_doc *gx_launch_doc(const gx_launch *l)
{
    return l->doc ? l->doc : (const gx_doc *)l->copy;
}

/* Out of pinned host memory or into it, by all threads of the block; bytes are rounded up to 16. A load from there
 * takes a microsecond, and one behind a store waits for it: so each thread has GX_PULLED under way. Not inline: it
 * would take the kernels' registers. */
#define GX_PULLED 8u
static __device__ __noinline__ void gx_launch_copy(void *to, const void *from, u64 bytes)
{
    const u64 n = (bytes + 15) / 16;

    for (u64 i = threadIdx.x; i < n; i += GX_PULLED * blockDim.x) {
        uint4 x[GX_PULLED];
#pragma unroll
        for (u32 j = 0; j < GX_PULLED; j++)
            if (i + j * blockDim.x < n)
                x[j] = __ldcv((const uint4 *)from + i + j * blockDim.x);
#pragma unroll
        for (u32 j = 0; j < GX_PULLED; j++)
            if (i + j * blockDim.x < n)
                ((uint4 *)to)[i + j * blockDim.x] = x[j];
    }
}

#endif

/*
 * The persistent dispatcher: blocks that stay. The host writes entries and then how many there are (posted); block 0
 * looks at that one word and passes it on to device memory; the other blocks take a number each and wait there for
 * their entry. An entry is read before its place is used again: fewer than GX_RING_ENTRIES requests are in flight.
 */
#define GX_RING_ENTRIES 16384u
typedef struct gx_ring_entry { gx_launch *launch; gx_outbox out; } gx_ring_entry;
typedef struct gx_ring {                /* pinned host memory */
    volatile u64 posted;
    volatile u64 stop;                  /* ends the blocks when all that was posted is taken */
    gx_ring_entry entry[GX_RING_ENTRIES];
} gx_ring;
typedef struct gx_ring_state { unsigned long long next, posted, stop; } gx_ring_state;     /* device memory */

struct gx_grid_shared;
#ifdef __cplusplus
extern "C" {
#endif
cudaError_t gx_block_stay(gx_ring *d_ring, gx_ring_state *d_state, u32 blocks, cudaStream_t stream);
/* Blocks of it that a multiprocessor holds. */
cudaError_t gx_block_room(int *blocks);
cudaError_t gx_block_launch(gx_launch *d_launches, u32 n, gx_outbox out, u32 threads, cudaStream_t stream);
cudaError_t gx_lane_launch(gx_launch *d_launches, u32 n, gx_outbox out, u32 lanes, cudaStream_t stream);
cudaError_t gx_grid_launch(gx_launch *launch, struct gx_grid_shared *d_shared, u32 blocks, cudaStream_t stream);
#ifdef __cplusplus
}
#endif
#endif
