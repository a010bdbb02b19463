/*
 * block.cu -- the machine for a team that is one CUDA block: many requests at once, one block each, each with its own stylesheet
 */
#define GX_TEAM_BLOCK
#include "../engine/op/run.h"
#include "../engine/op/start.h"
#include "launch.h"

/* The block pulls its document from pinned host memory, evaluates, pushes the kept part of its arena to pinned host memory and says so. */
__global__ void gx_block_kernel(gx_launch *launches)
{
    __shared__ u64 cells[40];
    gx_launch *l = &launches[blockIdx.x];
    gx_m m;
    gx_status status;
    const gx_doc *doc = l->doc;

    if (!doc) {
        if (l->doc_size > l->doc_room) {
            if (threadIdx.x == 0)
                gx_launch_done(l, GX_EARENA, 0);
            return;
        }
        const uint4 *from = (const uint4 *)l->doc_host;
        uint4 *to = (uint4 *)l->doc_copy;
        for (u64 i = threadIdx.x; i < (l->doc_size + 15) / 16; i += blockDim.x)
            to[i] = __ldcv(from + i);
        doc = (const gx_doc *)l->doc_copy;
    }
    for (u64 i = threadIdx.x; i < GX_RUN_END / 8; i += blockDim.x)
        ((u64 *)l->arena)[i] = 0;
    __syncthreads();
    gx_m_start(&m, l->arena, GX_RUN_END, l->kept_bytes, l->kept_bytes, l->arena_bytes, 1);
    m.t.cells = cells;
    status = gx_start_team(&m, l, doc);
    if (status == GX_OK)
        status = gx_machine(&m);
    __syncthreads();
    u64 used = m.result->used;
    if (status == GX_OK && used > l->out_room)
        status = GX_EARENA;
    if (status == GX_OK) {
        const uint4 *from = (const uint4 *)l->arena;
        uint4 *to = (uint4 *)l->out;
        for (u64 i = threadIdx.x; i < (used + 15) / 16; i += blockDim.x)
            to[i] = from[i];
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
extern "C" const void *gx_block_kernel_address(void) { return (const void *)gx_block_kernel; }
