/*
 * block.cu -- the machine for a team that is one CUDA block: many requests at once, one block each, each with its own stylesheet
 */
#define GX_TEAM_BLOCK
#include "../engine/op/run.h"
#include "../engine/op/start.h"
#include "launch.h"

/* copies bytes / 16 rounded up, by the block */
static __device__ void pull(void *to, const void *from, u64 bytes)
{
    for (u64 i = threadIdx.x; i < (bytes + 15) / 16; i += blockDim.x)
        ((uint4 *)to)[i] = __ldcv((const uint4 *)from + i);
}

static __device__ gx_status evaluate(gx_launch *l, const gx_doc *doc, u64 *cells)
{
    gx_m m;
    gx_status status;

    for (u64 i = threadIdx.x; i < GX_RUN_END / 8; i += blockDim.x)
        ((u64 *)l->arena)[i] = 0;
    __syncthreads();
    gx_m_start(&m, l->arena, GX_RUN_END, l->kept_bytes, l->kept_bytes, l->arena_bytes, 1);
    m.t.cells = cells;
    const long long t0 = clock64();
    status = gx_start_team(&m, l, doc);
    const long long t1 = clock64();
    if (status == GX_OK)
        status = gx_machine(&m);
    __syncthreads();
    if (threadIdx.x == 0) {
        l->start_cycles = (u64)(t1 - t0);
        l->machine_cycles = (u64)(clock64() - t1);
    }
    return status;
}

/*
 * The block pulls its document from pinned host memory, evaluates, pushes the kept part of its arena to pinned host memory and says so.
 *
 * Program, document and arena stay in device memory, behind the L1: keeping them in shared memory was tried for small requests and
 * made a lone one slower (1.0 to 1.5 ms beside 0.9) and 1024 in flight 40% slower, since fewer blocks fit a multiprocessor.
 */
__global__ void gx_block_kernel(gx_launch *launches)
{
    __shared__ u64 cells[40];
    gx_launch *l = &launches[blockIdx.x];
    gx_status status = GX_EARENA;
    char *arena = l->arena;
    const gx_doc *doc = l->doc;

    if (!doc && l->doc_size <= l->doc_room) {
        pull(l->doc_copy, l->doc_host, l->doc_size);
        __syncthreads();
        doc = (const gx_doc *)l->doc_copy;
    }
    if (doc)
        status = evaluate(l, doc, cells);
    const u64 used = ((const gx_result *)arena)->used;
    if (status == GX_OK && used > l->out_room)
        status = GX_EARENA;
    if (status == GX_OK) {
        for (u64 i = threadIdx.x; i < (used + 15) / 16; i += blockDim.x)
            ((uint4 *)l->out)[i] = ((const uint4 *)arena)[i];
        __threadfence_system();
    }
    __syncthreads();
    if (threadIdx.x == 0)
        gx_launch_done(l, status, used);
}

extern "C" cudaError_t gx_block_launch(gx_launch *d_launches, u32 n, u32 threads, cudaStream_t stream)
{
    gx_block_kernel<<<n, threads, 0, stream>>>(d_launches);
    return cudaGetLastError();
}
