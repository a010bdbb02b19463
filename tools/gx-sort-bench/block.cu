// SPDX-License-Identifier: Apache-2.0
/* block.cu -- many small sorts at once, each by the threads of a block */
#define GX_TEAM_BLOCK
#include "sort_of.h"

template <u32 KIND> static __global__ __launch_bounds__(GX_BLOCK_MAX, 4) void sort_blocks(sort_job j)
{
    gx_team t = { 0 };
    const size_t size = KIND == SORT_32 ? 4 : KIND == SORT_64 ? 8 : 16, first = (size_t)blockIdx.x * j.n;
    sort_by_bitonic<KIND>(&t, (char *)j.keys + first * size, j.values + first, j.n);
}
static __global__ void merge_blocks(sort_job j)
{
    gx_m m;
    __shared__ u32 off[2];
    const size_t first = (size_t)blockIdx.x * j.n;
    sort_by_merge(&m, (const gx_wide_key *)j.keys + first, j.merged + 2 * first, j.n, off);
}

cudaError_t gx_sort_block(const sort_job *j, int merge, u32 sorts, u32 threads, cudaStream_t stream)
{
    if (merge)
        merge_blocks<<<sorts, threads, 0, stream>>>(*j);
    else if (j->kind == SORT_32)
        sort_blocks<SORT_32><<<sorts, threads, 0, stream>>>(*j);
    else if (j->kind == SORT_64)
        sort_blocks<SORT_64><<<sorts, threads, 0, stream>>>(*j);
    else if (j->kind == SORT_128)
        sort_blocks<SORT_128><<<sorts, threads, 0, stream>>>(*j);
    else
        sort_blocks<SORT_PAIRS><<<sorts, threads, 0, stream>>>(*j);
    return cudaGetLastError();
}
