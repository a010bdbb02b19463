/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch_grid.h -- cooperative launches: all blocks of GX_GRID_THREADS run at once
 */
#ifndef GX_LAUNCH_GRID_H
#define GX_LAUNCH_GRID_H

#include <cuda_runtime.h>
#include "launch.h"

/* So many blocks of the kernel run on this thread's device at once. */
static inline cudaError_t gx_blocks_at_once(const void *kernel, u32 *blocks)
{
    int each = 0, processors = 0, device = 0;
    cudaError_t e = cudaGetDevice(&device);
    e = e ? e : cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    e = e ? e : cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, GX_GRID_THREADS, 0);
    *blocks = (u32)(each * processors) < GX_GRID_MAX ? (u32)(each * processors) : GX_GRID_MAX;
    return e;
}

static inline cudaError_t gx_launch_together(const void *kernel, u32 blocks, void **args, cudaStream_t stream)
{
    return cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(GX_GRID_THREADS), args, 0, stream);
}

#endif
