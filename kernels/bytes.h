/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes.h -- documents parsed on a GPU (engine/document/bytes.h)
 *
 * All pointers are the device's. answers[k]: how request k ended, and where in its arena the block is. Each returns a
 * CUDA error or 0.
 */
#ifndef GX_KERNELS_BYTES_H
#define GX_KERNELS_BYTES_H

#include <cuda_runtime.h>
#include "engine/document/bytes_request.h"

typedef struct gx_bytes_answer { u32 status; u32 pad; u64 doc, size; } gx_bytes_answer;

#ifdef __cplusplus
extern "C" {
#endif
/* n documents, a block of so many threads each */
cudaError_t gx_bytes_blocks(const gx_bytes_request *requests, gx_bytes_answer *answers, u32 n, u32 threads,
                            cudaStream_t stream);
/* One document, by all blocks. shared: gx_bytes_grid_shared_size() bytes, zeros before the launch */
cudaError_t gx_bytes_grid(const gx_bytes_request *request, gx_bytes_answer *answer, void *shared, u32 blocks,
                          cudaStream_t stream);
/* Of a request's bytes those of the chunks [from, to) are there and GX_CHUNK_AHEAD behind them (gx_chunks_known): their
 * columns, those of the chunks before them being done, and the tokens that end with them */
cudaError_t gx_bytes_chunks(const gx_bytes_request *d_request, u32 from, u32 to, cudaStream_t stream);
size_t gx_bytes_grid_shared_size(void);
cudaError_t gx_bytes_grid_blocks(u32 *blocks);
#ifdef __cplusplus
}
#endif
#endif
