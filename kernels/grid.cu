/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grid.cu -- the machine for a team that is all blocks of a cooperative launch: one large document
 */
#define GX_TEAM_GRID
#include "launch_team.h"
#include "launch_grid.h"

/* l by value: what lies in host memory would be read by every block. answer: where it is done */
__global__ void __launch_bounds__(GX_GRID_THREADS)
    gx_grid_kernel(const __grid_constant__ gx_launch l, gx_launch *answer, gx_grid_shared *shared)
{
    __shared__ gx_shared here;
    gx_m m;
    gx_status status;

    if (blockIdx.x == 0)
        for (u64 i = threadIdx.x; i < GX_RUN_END / 8; i += blockDim.x)
            ((u64 *)l.arena)[i] = 0;
    gx_m_start(&m, l.arena, GX_RUN_END, l.kept_bytes, l.kept_bytes, l.arena_bytes, 1);
    team_begin(&m.t, shared);
    team_sync(&m.t);
    status = gx_start_team(&m, &l);
    if (status == GX_OK) {
        gx_run_shared(&m, &here);
        status = gx_machine(&m);
    }
    if (status == GX_OK && m.result->used <= l.near_size)
        TEAM_FOR(&m.t, i, (u32)((m.result->used + 15) / 16))
            ((uint4 *)l.near)[i] = ((const uint4 *)l.arena)[i];
    if (team_rank(&m.t) == 0)
        gx_launch_done(answer, status, m.result->used, 0);
}

extern "C" cudaError_t gx_grid_launch(gx_launch *launch, gx_grid_shared *d_shared, u32 blocks, cudaStream_t stream)
{
    void *args[] = { launch, &launch, &d_shared };
    return gx_launch_together((const void *)gx_grid_kernel, blocks, args, stream);
}
