/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane.cu -- the machine for a team that is one CUDA thread: a warp evaluates up to 32 requests, one in each lane
 *
 * The machine works set at a time, so requests of one stylesheet take the same way through it, whatever their documents
 * hold: lanes part in the loops over rows and bytes only. A warp for one request issues 200,000 instructions for a
 * small feed, nearly all of them control flow that its 32 lanes repeat; here the same control flow serves 32 requests
 * (docs/bench: four to five times as many a second). Documents are pulled and looked at, and results moved, by the
 * whole warp.
 */
#define GX_TEAM_LANE
#include "launch_team.h"

static __device__ gx_status evaluate(gx_launch *l)
{
    gx_m m;
    gx_status status;

    gx_m_start(&m, l->arena, GX_RUN_END, l->kept_bytes, l->kept_bytes, l->arena_bytes, 1);
    const long long t0 = clock64();
    status = gx_start_team(&m, l);
    const long long t1 = clock64();
    if (status == GX_OK)
        status = gx_machine(&m);
    l->start_cycles = (u64)(t1 - t0);
    l->machine_cycles = (u64)(clock64() - t1);
    return status;
}

/* By the warp, of the requests mine[0 .. count): into device memory; ended: GX_OK, or GX_EBAD where a document is not
 * to be followed. A function of its own, or the kernel spills. */
static __device__ __noinline__ void pull(const gx_launch *mine, u32 count, u32 *ended)
{
    const u32 lane = threadIdx.x;

    for (u32 k = 0; k < count; k++)
        gx_launch_pull(&mine[k]);
    __syncwarp();
    for (u32 k = 0; k < count; k++) {
        const int bad = __any_sync(0xffffffffu, mine[k].unchecked && gx_launch_bad(&mine[k], lane, 32));
        if (lane == 0)
            ended[k] = bad ? GX_EBAD : GX_OK;
    }
}

/* lanes: requests of a warp. Neighbours in launches should be of one program. */
__global__ void __launch_bounds__(32) gx_lane_kernel(gx_launch *launches, u32 n, gx_outbox out, u32 lanes)
{
    __shared__ gx_launch mine[32];
    __shared__ u32 ended[32];
    const u32 from = blockIdx.x * lanes, count = n - from < lanes ? n - from : lanes, lane = threadIdx.x;

    gx_launch_copy(mine, launches + from, count * sizeof(gx_launch));
    __syncwarp();
    pull(mine, count, ended);
    __syncwarp();
    if (lane < count) {
        gx_status status = ended[lane] == GX_OK ? evaluate(&mine[lane]) : GX_EBAD;
        *out.next = 0;
        mine[lane].used = ((const gx_result *)mine[lane].arena)->used;
        if (status == GX_OK && !mine[lane].stays)
            mine[lane].out_at = gx_outbox_take(&out, mine[lane].used, &status);
        ended[lane] = (u32)status;
    }
    __syncwarp();
    for (u32 k = 0; k < count; k++)
        if (ended[k] == GX_OK && !mine[k].stays)
            gx_launch_copy(out.base + mine[k].out_at, mine[k].arena, mine[k].used);
    __threadfence_system();
    __syncwarp();
    if (lane < count) {
        gx_launch *l = &launches[from + lane];
        l->start_cycles = mine[lane].start_cycles;
        l->machine_cycles = mine[lane].machine_cycles;
        gx_launch_done(l, (gx_status)ended[lane], mine[lane].used, mine[lane].out_at);
    }
}

extern "C" cudaError_t gx_lane_launch(gx_launch *d_launches, u32 n, gx_outbox out, u32 lanes, cudaStream_t stream)
{
    gx_lane_kernel<<<(n + lanes - 1) / lanes, 32, 0, stream>>>(d_launches, n, out, lanes);
    return cudaGetLastError();
}
