/* SPDX-License-Identifier: Apache-2.0 */
/* page_block.cu -- pages for a team that is one CUDA block: many results at once (source.h) */
#define GX_TEAM_BLOCK
#define GX_BLOCK_MAX 256u
#include "engine/output/page_write.h"
#include "source.h"

typedef struct own { gx_source source; gx_launch launch; gx_page_request request; u64 out_at; u32 status; } own;

/* By all threads; *out and *size: the page */
static __device__ gx_status write(own *o, const char **out, u32 *size)
{
    gx_page pg;
    const gx_result *result = (const gx_result *)o->launch.arena;
    if (o->source.status != GX_OK)
        return (gx_status)o->source.status;
    if (o->launch.done != 1u + (u32)GX_OK)
        return o->launch.done ? (gx_status)(o->launch.done - 1u) : GX_EHOST;
    const u64 used = (result->used + 127) & ~(u64)127;
    if (threadIdx.x == 0) {
        const gx_page_request r = { o->launch.program, result, o->launch.doc, o->source.most, o->launch.arena + used,
                                    o->source.arena_bytes > used ? o->source.arena_bytes - used : 0 };
        o->request = r;
    }
    __syncthreads();
    const gx_status status = gx_page_make(&pg, &o->request);
    *out = pg.out;
    *size = pg.size;
    return status;
}

__global__ void __launch_bounds__(GX_BLOCK_MAX)
    gx_page_block_kernel(gx_source *sources, gx_launch *launches, gx_outbox outbox)
{
    __shared__ own o;
    gx_source *source = &sources[blockIdx.x];
    const char *out = NULL;
    u32 size = 0;
    gx_launch_copy(&o.source, source, sizeof o.source);
    gx_launch_copy(&o.launch, &launches[blockIdx.x], sizeof o.launch);
    __syncthreads();
    if (!o.source.host_size)
        return;
    gx_status status = write(&o, &out, &size);
    if (threadIdx.x == 0) {
        *outbox.next = 0;
        o.out_at = status == GX_OK ? gx_outbox_take(&outbox, size, &status) : 0;
        o.status = (u32)status;
    }
    __syncthreads();
    status = (gx_status)o.status;
    if (status == GX_OK) {
        gx_launch_copy(outbox.base + o.out_at, out, size);
        __threadfence_system();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        source->size = size;
        source->out_at = o.out_at;
        source->used = o.launch.used;
        __threadfence_system();
        source->done = 1u + (u32)status;
        __threadfence_system();
    }
}

extern "C" cudaError_t gx_page_blocks(gx_source *sources, gx_launch *launches, u32 n, gx_outbox out, u32 threads,
                                      cudaStream_t stream)
{
    gx_page_block_kernel<<<n, threads, 0, stream>>>(sources, launches, out);
    return cudaGetLastError();
}
