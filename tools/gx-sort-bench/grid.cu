// SPDX-License-Identifier: Apache-2.0
/* grid.cu -- one large sort by all blocks of a cooperative launch */
#define GX_TEAM_GRID
#include "sort_of.h"
#include "kernels/launch_grid.h"

template <u32 KIND>
static __global__ __launch_bounds__(GX_GRID_THREADS, 4) void sort_grid(sort_job j, gx_grid_shared *zeros)
{
    gx_team t;
    team_begin(&t, zeros);
    sort_by_bitonic<KIND>(&t, j.keys, j.values, j.n);
}
static __global__ __launch_bounds__(GX_GRID_THREADS) void merge_grid(sort_job j, gx_grid_shared *zeros)
{
    gx_m m;
    team_begin(&m.t, zeros);
    sort_by_merge(&m, j.keys, j.merged, j.n, j.merged + 2 * (size_t)j.n);
}

size_t gx_sort_grid_size(void) { return sizeof(gx_grid_shared); }

cudaError_t gx_sort_grid(const sort_job *j, int merge, void *zeros, cudaStream_t stream)
{
    static const void *const kernels[SORT_KINDS] = { (const void *)sort_grid<SORT_32>, (const void *)sort_grid<SORT_64>,
                                                     (const void *)sort_grid<SORT_128>,
                                                     (const void *)sort_grid<SORT_PAIRS> };
    const void *const kernel = merge ? (const void *)merge_grid : kernels[j->kind];
    sort_job copy = *j;
    void *args[] = { &copy, &zeros };
    u32 blocks;
    cudaError_t e = gx_blocks_at_once(kernel, &blocks);

    e = e ? e : cudaMemsetAsync(zeros, 0, sizeof(gx_grid_shared), stream);
    return e ? e : gx_launch_together(kernel, blocks, args, stream);
}
