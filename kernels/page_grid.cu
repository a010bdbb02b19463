/* SPDX-License-Identifier: Apache-2.0 */
/* page_grid.cu -- a page for a team that is all blocks of a cooperative launch: one large result (source.h) */
#define GX_TEAM_GRID
#include "engine/output/page_write.h"
#include "launch_grid.h"
#include "source.h"

__global__ void __launch_bounds__(GX_GRID_THREADS)
    gx_page_grid_kernel(const __grid_constant__ gx_page_request request, gx_page_answer *answer, gx_grid_shared *shared)
{
    gx_page pg;
    team_begin(&pg.t, shared);
    const gx_status status = gx_page_make(&pg, &request);
    if (team_rank(&pg.t) == 0) {
        const gx_page_answer a = { (u32)status, status ? 0 : pg.size, status ? 0 : (u64)(pg.out - request.arena) };
        *answer = a;
    }
}

extern "C" cudaError_t gx_page_grid(const gx_page_request *request, gx_page_answer *answer, void *shared, u32 blocks,
                                    cudaStream_t stream)
{
    gx_grid_shared *s = (gx_grid_shared *)shared;
    void *args[] = { (void *)request, &answer, &s };
    return gx_launch_together((const void *)gx_page_grid_kernel, blocks, args, stream);
}
extern "C" cudaError_t gx_page_grid_blocks(u32 *blocks)
{
    return gx_blocks_at_once((const void *)gx_page_grid_kernel, blocks);
}
