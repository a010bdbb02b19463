/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.h -- from a document's bytes to its page's, on a GPU: what two kernels do before and after the machine
 *
 *   bytes --source--> block --machine (launch.h)--> result --page--> bytes
 *
 * The three run one after the other on one stream, a block a request. The source's kernel pulls the bytes into device
 * memory, so nobody can change them any more, parses them (engine/document/bytes.h) and puts the block where the
 * request's launch looks for it; a launch whose document was refused has no program, and ends at once. The page's
 * kernel writes the page (engine/output/page_team.h) into the outbox, and says that the request is done.
 */
#ifndef GX_KERNELS_SOURCE_H
#define GX_KERNELS_SOURCE_H

#include "launch.h"
#include "engine/document/bytes_request.h"
#include "engine/output/page_request.h"

typedef struct alignas(16) gx_source {  /* pinned host memory; blocks copy it, 16 bytes a thread */
    gx_bytes_request request;           /* bytes and arena: device memory */
    const void *host;                   /* pinned: the bytes, and behind them the base URI; pulled to request.bytes */
    u64 host_size;                      /* a multiple of 16; 0: this launch has no source */
    char *doc;                          /* device memory for the block */
    u64 doc_room;
    u64 arena_bytes;                    /* of the launch's arena: the page takes what the result leaves of it */
    u64 most;                           /* bytes of the page */
    /* out */
    u32 status;                         /* of the source's kernel */
    u32 n_nodes;
    u64 size, out_at, used;             /* of the page; of the evaluation's result */
    volatile u32 done;                  /* set last: 1 + status */
    u32 pad[3];
} gx_source;

/* .. and for one large result by all blocks; the answer: device memory */
typedef struct gx_page_answer { u32 status, size; u64 at; } gx_page_answer;        /* at: in the request's arena */

#ifdef __cplusplus
extern "C" {
#endif
/* n launches and their sources */
cudaError_t gx_source_blocks(gx_source *sources, gx_launch *launches, u32 n, u32 threads, cudaStream_t stream);
cudaError_t gx_page_blocks(gx_source *sources, gx_launch *launches, u32 n, gx_outbox out, u32 threads,
                           cudaStream_t stream);
/* shared: a gx_grid_shared (team_cuda.h) */
cudaError_t gx_page_grid(const gx_page_request *request, gx_page_answer *answer, void *shared, u32 blocks,
                         cudaStream_t stream);
cudaError_t gx_page_grid_blocks(u32 *blocks);
#ifdef __cplusplus
}
#endif
#endif
