/* SPDX-License-Identifier: Apache-2.0 */
/* match_block.cu -- the profiles that documents match, for a team that is one CUDA block: many documents at once */
#include <cuda_runtime.h>
#define GX_TEAM_BLOCK
#define GX_KERNELS_MATCH_CUDA
#include "engine/match/nodes.h"
#include "match.h"

enum { MOST_THREADS = 512, MOST_SHARED = 48 << 10 };

/* Which formulas hold is looked up with each operation: in shared memory, where it fits */
static u32 shared_bytes(u32 n_formulas)
{
    const u32 bytes = (n_formulas / 64 + 1) * 8;
    return bytes <= MOST_SHARED - 1024 ? bytes : 0;
}

/* Blocks take one document after the other, since they take unequally long. */
__global__ void __launch_bounds__(MOST_THREADS) gxp_block_kernel(const __grid_constant__ gxp_batch b, int holds_here)
{
    extern __shared__ u64 holds[];
    __shared__ gxp_shared shared;
    __shared__ u32 next;
    gxp_run r;
    for (;;) {
        if (threadIdx.x == 0)
            next = atomicAdd(b.next, 1);
        __syncthreads();
        const u32 k = next;
        if (k >= b.n)
            return;
        const gxp_request q = { b.flat, (const gxp_tree *)(b.trees + b.at[k]), b.scratch + blockIdx.x * b.scratch_bytes,
                                b.most_nodes, b.pool, b.matched + (size_t)k * b.n_words, b.most_work };
        gxp_run_begin(&r, &q, &shared, holds_here ? holds : NULL);
        const gx_status status = gxp_nodes_run(&r);
        if (threadIdx.x == 0)
            b.status[k] = (u32)status;
        __syncthreads();
    }
}

extern "C" cudaError_t gxp_match_blocks(const gxp_batch *b, u32 blocks, u32 threads, cudaStream_t stream)
{
    const u32 shared = shared_bytes(b->n_formulas);
    gxp_block_kernel<<<blocks, threads, shared, stream>>>(*b, shared != 0);
    return cudaGetLastError();
}

extern "C" cudaError_t gxp_match_room(u32 n_formulas, u32 threads, u32 *blocks)
{
    int each = 0, processors = 0, device = 0;
    cudaError_t e = cudaGetDevice(&device);
    e = e ? e : cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    e = e ? e
          : cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, gxp_block_kernel, (int)threads,
                                                          shared_bytes(n_formulas));
    *blocks = (u32)(each * processors);
    return e;
}
