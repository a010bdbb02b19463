/* SPDX-License-Identifier: Apache-2.0 */
/* bytes_block.cu -- the team's parser for a team that is one CUDA block: many documents at once */
#define GX_TEAM_BLOCK
#define GX_BLOCK_MAX 1024u              /* threads: parsing is shared out by 64 bytes, and a large source has many */
#include "engine/document/bytes_parse.h"
#include "bytes.h"
#include "source.h"

__global__ void __launch_bounds__(GX_BLOCK_MAX)
    gx_bytes_block_kernel(const gx_bytes_request *requests, gx_bytes_answer *answers)
{
    gx_bytes b;
    const gx_status status = gx_bytes_parse(&b, &requests[blockIdx.x]);
    if (threadIdx.x == 0) {
        const gx_bytes_answer a = { (u32)status, 0, status ? 0 : (u64)((char *)b.doc - requests[blockIdx.x].arena),
                                    status ? 0 : b.doc->size };
        answers[blockIdx.x] = a;
    }
}

extern "C" cudaError_t gx_bytes_blocks(const gx_bytes_request *requests, gx_bytes_answer *answers, u32 n, u32 threads,
                                       cudaStream_t stream)
{
    gx_bytes_block_kernel<<<n, threads, 0, stream>>>(requests, answers);
    return cudaGetLastError();
}

/* A launch's document, from its source (source.h) */
__global__ void __launch_bounds__(GX_BLOCK_MAX) gx_source_block_kernel(gx_source *sources, gx_launch *launches)
{
    __shared__ gx_source mine;
    gx_source *source = &sources[blockIdx.x];
    gx_launch *launch = &launches[blockIdx.x];
    gx_bytes b;
    gx_launch_copy(&mine, source, sizeof mine);
    __syncthreads();
    if (!mine.host_size)
        return;
    gx_launch_copy((void *)mine.request.bytes, mine.host, mine.host_size);
    __syncthreads();
    gx_status status = gx_bytes_parse(&b, &mine.request);
    if (status == GX_OK && b.doc->size > mine.doc_room)
        status = GX_EARENA;
    if (status == GX_OK)
        gx_launch_copy(mine.doc, b.doc, b.doc->size);
    if (threadIdx.x == 0) {
        source->n_nodes = status == GX_OK ? b.doc->n_nodes : 0;
        source->status = (u32)status;
        launch->doc = status == GX_OK ? (const gx_doc *)mine.doc : NULL;
        if (status != GX_OK)
            launch->program = NULL;
        __threadfence_system();
    }
}

extern "C" cudaError_t gx_source_blocks(gx_source *sources, gx_launch *launches, u32 n, u32 threads,
                                        cudaStream_t stream)
{
    gx_source_block_kernel<<<n, threads, 0, stream>>>(sources, launches);
    return cudaGetLastError();
}
