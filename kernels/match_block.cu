/* SPDX-License-Identifier: Apache-2.0 */
/* match_block.cu -- the profiles that documents match, for a team that is one CUDA block: many documents at once */
#include <cuda_runtime.h>
#define GX_TEAM_BLOCK
#define GX_KERNELS_MATCH_CUDA
#include "engine/match/nodes.h"
#include "match.h"

enum { MOST_THREADS = 256, MOST_HOLDS = 32 << 10, MOST_BITS = 16 << 10, MOST_HOT = 20 << 10 };

/* In shared memory, where it fits: which formulas hold, what the warps mark, what of a document is looked at most. All
 * lanes look there at once, each in another place: that takes 4 cycles, and 20 from lines of the L1. */
typedef struct layout {
    u32 holds, bits, hot;   /* bytes; 0: in the scratch, or the document */
} layout;

static layout layout_of(u32 n_formulas, u32 most_nodes, u32 most_hot, u32 threads)
{
    const u32 holds = (n_formulas / 64 + 1) * 8, bits = (threads / 32 * ((most_nodes + 32) / 32) * 4 + 15) & ~15u;
    const layout l = { holds <= MOST_HOLDS ? (holds + 15) & ~15u : 0, bits <= MOST_BITS ? bits : 0,
                       most_hot <= MOST_HOT ? (most_hot + 15) & ~15u : 0 };
    return l;
}

/* Blocks take one document after the other, since they take unequally long. What members know of a run is the same for
 * all, so one copy does: in shared memory, and not 200 bytes of each thread's. */
__global__ void __launch_bounds__(MOST_THREADS, 5) gxp_block_kernel(const __grid_constant__ gxp_batch b, const layout l)
{
    extern __shared__ __align__(16) char near_memory[];
    __shared__ gxp_shared shared;
    __shared__ gxp_run r;
    __shared__ u32 next;
    for (;;) {
        if (threadIdx.x == 0)
            next = atomicAdd(b.next, 1);
        __syncthreads();
        const u32 k = next;
        if (k >= b.n)
            return;
        const gxp_tree *tree = (const gxp_tree *)(b.trees + b.at[k]);
        const u32 hot = (u32)tree->hot_end <= l.hot ? (u32)tree->hot_end : 0;
        char *const copy = near_memory + l.holds + l.bits;
        for (u32 i = threadIdx.x; i < hot / 16; i += blockDim.x)
            ((uint4 *)copy)[i] = ((const uint4 *)tree)[i];
        __syncthreads();
        if (threadIdx.x == 0) {
            const gxp_request q = { b.flat, tree, b.scratch + blockIdx.x * b.scratch_bytes, b.most_nodes, b.pool,
                                    b.matched + (size_t)k * b.n_words, b.most_work };
            const gxp_near near = { &shared, l.holds ? (u64 *)near_memory : NULL,
                                    l.bits ? (u32 *)(near_memory + l.holds) : NULL, hot ? (gxp_tree *)copy : NULL };
            gxp_run_begin(&r, &q, near);
        }
        __syncthreads();
        const gx_status status = gxp_nodes_run(&r);
        if (threadIdx.x == 0)
            b.status[k] = (u32)status;
        __syncthreads();
    }
}

static cudaError_t more_shared(void)
{
    return cudaFuncSetAttribute(gxp_block_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                MOST_HOLDS + MOST_BITS + MOST_HOT);
}

extern "C" cudaError_t gxp_match_blocks(const gxp_batch *b, u32 blocks, u32 threads, cudaStream_t stream)
{
    const layout l = layout_of(b->n_formulas, b->most_nodes, b->most_hot, threads);
    const cudaError_t e = more_shared();
    if (e)
        return e;
    gxp_block_kernel<<<blocks, threads, l.holds + l.bits + l.hot, stream>>>(*b, l);
    return cudaGetLastError();
}

extern "C" cudaError_t gxp_match_room(u32 n_formulas, u32 most_nodes, u32 most_hot, u32 threads, u32 *blocks)
{
    const layout l = layout_of(n_formulas, most_nodes, most_hot, threads);
    int each = 0, processors = 0, device = 0;
    cudaError_t e = cudaGetDevice(&device);
    e = e ? e : more_shared();
    e = e ? e : cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    e = e ? e
          : cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, gxp_block_kernel, (int)threads,
                                                          l.holds + l.bits + l.hot);
    *blocks = (u32)(each * processors);
    return e;
}
