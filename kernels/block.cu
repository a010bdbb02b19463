/*
 * block.cu -- the machine for a team that is one CUDA block: many requests at once, one block each, each with its own stylesheet
 */
#define GX_TEAM_BLOCK
#include "../engine/op/run.h"
#include "../engine/op/start.h"
#include "launch.h"

static __device__ gx_status evaluate(gx_launch *l, u64 *cells)
{
    gx_m m;
    gx_status status;

    gx_m_start(&m, l->arena, GX_RUN_END, l->kept_bytes, l->kept_bytes, l->arena_bytes, 1);
    m.t.cells = cells;
    const long long t0 = clock64();
    status = gx_start_team(&m, l);
    const long long t1 = clock64();
    if (status == GX_OK)
        status = gx_machine(&m);
    __syncthreads();
    if (threadIdx.x == 0) {
        l->start_cycles = (u64)(t1 - t0);
        l->machine_cycles = (u64)(clock64() - t1);
    }
    return status;
}

/*
 * The block pulls its document from pinned host memory, evaluates, pushes the kept part of its arena to pinned host memory and says so.
 *
 * Program, document and arena stay in device memory, behind the L1: keeping them in shared memory was tried for small requests and
 * made a lone one slower (1.0 to 1.5 ms beside 0.9) and 1024 in flight 40% slower, since fewer blocks fit a multiprocessor.
 */
__global__ void gx_block_kernel(gx_launch *launches, gx_outbox out)
{
    __shared__ u64 cells[40];
    __shared__ gx_launch mine;
    __shared__ u64 out_at;
    gx_status status;

    if (threadIdx.x < sizeof mine / 16)
        ((uint4 *)&mine)[threadIdx.x] = __ldcv((const uint4 *)&launches[blockIdx.x] + threadIdx.x);
    __syncthreads();
    for (u64 i = threadIdx.x; i < GX_RUN_END / 16; i += blockDim.x)
        ((uint4 *)mine.arena)[i] = make_uint4(0, 0, 0, 0);
    for (u64 i = threadIdx.x; i < mine.host_size / 16; i += blockDim.x)
        ((uint4 *)mine.copy)[i] = __ldcv((const uint4 *)mine.host + i);
    __syncthreads();
    status = evaluate(&mine, cells);
    const u64 used = ((const gx_result *)mine.arena)->used;
    if (threadIdx.x == 0) {
        out_at = status == GX_OK ? gx_outbox_take(&out, used, &status) : 0;
        cells[0] = (u64)status;
    }
    __syncthreads();
    status = (gx_status)cells[0];
    if (status == GX_OK) {
        for (u64 i = threadIdx.x; i < (used + 15) / 16; i += blockDim.x)
            ((uint4 *)(out.base + out_at))[i] = ((const uint4 *)mine.arena)[i];
        __threadfence_system();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        gx_launch *l = &launches[blockIdx.x];
        l->start_cycles = mine.start_cycles;
        l->machine_cycles = mine.machine_cycles;
        gx_launch_done(l, status, used, out_at);
    }
}

extern "C" cudaError_t gx_block_launch(gx_launch *d_launches, u32 n, gx_outbox out, u32 threads, cudaStream_t stream)
{
    gx_block_kernel<<<n, threads, 0, stream>>>(d_launches, out);
    return cudaGetLastError();
}
