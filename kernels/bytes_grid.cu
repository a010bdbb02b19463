/* SPDX-License-Identifier: Apache-2.0 */
/* bytes_grid.cu -- the team's parser for a team that is all blocks of a cooperative launch: one large document */
#define GX_TEAM_GRID
#include "engine/document/bytes_parse.h"
#include "bytes.h"
#include "launch_grid.h"

__global__ void __launch_bounds__(GX_GRID_THREADS)
    gx_bytes_grid_kernel(const gx_bytes_request *request, gx_bytes_answer *answer, gx_grid_shared *shared)
{
    gx_bytes b;
    team_begin(&b.t, shared);
    const gx_status status = gx_bytes_parse(&b, request);
    if (team_rank(&b.t) == 0) {
        const gx_bytes_answer a = { (u32)status, 0, status ? 0 : (u64)((char *)b.doc - request->arena),
                                    status ? 0 : b.doc->size };
        *answer = a;
    }
}

extern "C" cudaError_t gx_bytes_grid(const gx_bytes_request *request, gx_bytes_answer *answer, void *shared, u32 blocks,
                                     cudaStream_t stream)
{
    gx_grid_shared *s = (gx_grid_shared *)shared;
    void *args[] = { &request, &answer, &s };
    return gx_launch_together((const void *)gx_bytes_grid_kernel, blocks, args, stream);
}
__global__ void __launch_bounds__(GX_GRID_THREADS)
    gx_bytes_turns_kernel(const char *bytes, u32 n, u32 from, u32 to, u32 *turns)
{
    gx_bytes_turns_of(bytes, n, from, to, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x, turns);
}

extern "C" cudaError_t gx_bytes_turns(const char *d_bytes, u32 n, u32 from, u32 to, u32 *d_turns, cudaStream_t stream)
{
    if (to > from)
        gx_bytes_turns_kernel<<<(to - from + GX_GRID_THREADS - 1) / GX_GRID_THREADS, GX_GRID_THREADS, 0, stream>>>(
            d_bytes, n, from, to, d_turns);
    return to > from ? cudaGetLastError() : cudaSuccess;
}
extern "C" size_t gx_bytes_grid_shared_size(void) { return sizeof(gx_grid_shared); }
extern "C" cudaError_t gx_bytes_grid_blocks(u32 *blocks)
{
    return gx_blocks_at_once((const void *)gx_bytes_grid_kernel, blocks);
}
