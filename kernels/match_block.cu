/* SPDX-License-Identifier: Apache-2.0 */
/* match_block.cu -- the profiles that documents match, for a team that is one CUDA block: many documents at once */
#include <cuda_runtime.h>
#define GX_TEAM_BLOCK
#define GX_KERNELS_MATCH_CUDA
#include "engine/match/nodes.h"
#include "match.h"

enum { MOST_THREADS = 256, MOST_HOLDS = 32 << 10, MOST_BITS = 16 << 10 };

/* In shared memory, where it fits: which formulas hold, and what the warps mark */
typedef struct layout {
    u32 holds, bits;        /* bytes; 0: in the scratch */
} layout;

static layout layout_of(u32 n_formulas, u32 most_nodes, u32 threads)
{
    const u32 holds = (n_formulas / 64 + 1) * 8, bits = threads / 32 * ((most_nodes + 32) / 32) * 4;
    const layout l = { holds <= MOST_HOLDS ? holds : 0, bits <= MOST_BITS ? bits : 0 };
    return l;
}

/* Blocks take one document after the other, since they take unequally long. What members know of a run is the same for
 * all, so one copy does: in shared memory, and not 200 bytes of each thread's. */
__global__ void __launch_bounds__(MOST_THREADS, 5) gxp_block_kernel(const __grid_constant__ gxp_batch b, const layout l)
{
    extern __shared__ u64 near_memory[];
    __shared__ gxp_shared shared;
    __shared__ gxp_run r;
    __shared__ u32 next;
    for (;;) {
        if (threadIdx.x == 0) {
            next = atomicAdd(b.next, 1);
            if (next < b.n) {
                const gxp_request q = { b.flat, (const gxp_tree *)(b.trees + b.at[next]),
                                        b.scratch + blockIdx.x * b.scratch_bytes, b.most_nodes, b.pool,
                                        b.matched + (size_t)next * b.n_words, b.most_work };
                const gxp_near near = { &shared, l.holds ? near_memory : NULL,
                                        l.bits ? (u32 *)((char *)near_memory + l.holds) : NULL };
                gxp_run_begin(&r, &q, near);
            }
        }
        __syncthreads();
        const u32 k = next;
        if (k >= b.n)
            return;
        const gx_status status = gxp_nodes_run(&r);
        if (threadIdx.x == 0)
            b.status[k] = (u32)status;
        __syncthreads();
    }
}

extern "C" cudaError_t gxp_match_blocks(const gxp_batch *b, u32 blocks, u32 threads, cudaStream_t stream)
{
    const layout l = layout_of(b->n_formulas, b->most_nodes, threads);
    gxp_block_kernel<<<blocks, threads, l.holds + l.bits, stream>>>(*b, l);
    return cudaGetLastError();
}

extern "C" cudaError_t gxp_match_room(u32 n_formulas, u32 most_nodes, u32 threads, u32 *blocks)
{
    const layout l = layout_of(n_formulas, most_nodes, threads);
    int each = 0, processors = 0, device = 0;
    cudaError_t e = cudaGetDevice(&device);
    e = e ? e : cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    e = e ? e
          : cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, gxp_block_kernel, (int)threads, l.holds + l.bits);
    *blocks = (u32)(each * processors);
    return e;
}
