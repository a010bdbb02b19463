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

/* Where a batch's results go: pinned host memory, given out as they come, so that nobody has to guess their sizes */
typedef struct gx_outbox {
    char *base;
    u64 size;
    unsigned long long *top;            /* device memory: bytes that are taken */
    unsigned long long *next;           /* the next batch's top: each request of this one sets it to 0 */
} gx_outbox;

typedef struct alignas(16) gx_launch {  /* warps copy it, 16 bytes a thread; the grid gets it as the kernel's argument */
    const gx_program *program;          /* device memory; NULL: GX_EABSENT, as soon as the kernel runs */
    const gx_doc *doc;                  /* device memory; NULL: it is pulled */
    u64 doc_size;
    const void *host, *params;          /* pinned: a document and packed parameters, pulled into copy one behind the other */
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

/* Room for a result; sets *status when there is none. By one thread. (A loop of atomicCAS held 16,000 threads back to 335,000 results a second.) */
static __device__ inline u64 gx_outbox_take(const gx_outbox *out, u64 used, gx_status *status)
{
    const u64 size = (used + 15) & ~(u64)15, at = atomicAdd(out->top, (unsigned long long)size);
    if (at + size > out->size)
        *status = GX_EARENA;
    return at;
}

static __device__ inline const gx_doc *gx_launch_doc(const gx_launch *l) { return l->doc ? l->doc : (const gx_doc *)l->copy; }

/* Out of pinned host memory or into it, by all threads of the block; bytes are rounded up to 16. A load from there takes a microsecond, and one
 * behind a store waits for it: so each thread has GX_PULLED under way. Not inline: it would take the kernels' registers. */
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

/* By all threads of the block: the arena's head is cleared, document and parameters come into device memory. To be synced. */
static __device__ inline void gx_launch_pull(const gx_launch *l)
{
    for (u64 i = threadIdx.x; i < GX_RUN_END / 16; i += blockDim.x)
        ((uint4 *)l->arena)[i] = make_uint4(0, 0, 0, 0);
    gx_launch_copy(l->copy, l->host, l->host_size);
    gx_launch_copy(l->copy + l->host_size, l->params, l->params_size);
}

/* One of so many threads' part of looking at the document, which a stranger may have written */
static __device__ __noinline__ int gx_launch_bad(const gx_launch *l, u32 rank, u32 members)
{
    return l->doc_size < sizeof(gx_doc) || gx_doc_wrong(gx_launch_doc(l), l->doc_size, rank, members) != 0;
}

/* The run's tables by one member, the document's labels by all; then every member's registers are the same. The grid looks at the document
 * first; a block or warp has done so when it pulled it. */
GX_OP gx_status gx_start_team(gx_m *m, const gx_launch *l)
{
#ifdef GX_TEAM_GRID
    if (l->unchecked && team_any(&m->t, gx_launch_bad(l, team_rank(&m->t), team_size(&m->t))))
        return GX_EBAD;
#endif
    if (team_rank(&m->t) == 0) {
        gx_status status = l->program ? gx_run_fill(m, l->program, l->recursion, l->steps) : GX_EABSENT;
        if (status == GX_OK && l->params_size)
            status = gx_run_packed_params(m, (const gx_packed_params *)(l->copy + l->host_size));
        if (status == GX_OK)
            status = gx_view_open(m, gx_launch_doc(l), 0);
        m->run->deadline_us = l->budget_us ? gx_clock_us(m) + l->budget_us : 0;
        m->run->host_top = m->top;      /* where the others take their registers from */
        m->run->host_tmp = m->tmp;
        m->run->host_end = (u64)status;
    }
    team_sync(&m->t);
    m->top = m->run->host_top;
    m->tmp = m->run->host_tmp;
    m->n_docs = 1;
    if (m->run->host_end == GX_OK)
        gx_view_match(m, m->run->views, team_rank(&m->t), team_size(&m->t));
    team_sync(&m->t);
    return (gx_status)m->run->host_end;
}

#ifndef GX_TEAM_LANE
/*
 * From here on nobody writes to the run's tables and its one document's view: each block reads a copy in its shared memory. What an operator
 * needs is behind chains of pointers, and each sync takes them out of the L1. Shared memory is at one address for all blocks.
 */
typedef struct gx_shared { gx_run run; gx_view view; } gx_shared;
GX_OP void gx_run_shared(gx_m *m, gx_shared *shared)
{
    const u32 *run = (const u32 *)m->run, *view = (const u32 *)m->run->views;

    for (u32 i = threadIdx.x; i < sizeof shared->run / 4; i += blockDim.x)
        ((u32 *)&shared->run)[i] = run[i];
    for (u32 i = threadIdx.x; i < sizeof shared->view / 4; i += blockDim.x)
        ((u32 *)&shared->view)[i] = view[i];
    __syncthreads();
    if (threadIdx.x == 0)
        shared->run.views = &shared->view;
    __syncthreads();
    m->run = &shared->run;
}
#endif
#endif

/*
 * The persistent dispatcher: blocks that stay. The host writes entries and then how many there are (posted); block 0 looks at that one
 * word and passes it on to device memory; the other blocks take a number each and wait there for their entry. An entry is read before
 * its place is used again: fewer than GX_RING_ENTRIES requests are in flight.
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
