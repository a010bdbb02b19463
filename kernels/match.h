/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.h -- batches of documents matched with one set of profiles on a GPU
 *
 *   pinned memory, filled by the caller      --link-->  trees  --a block a document-->  bits  --link-->  pinned memory
 *
 * A gxp_gpu has two batches, each with its stream: one is filled while the other is on its way. The set's block is on
 * the device as long as the gxp_gpu is open.
 */
#ifndef GX_KERNELS_MATCH_H
#define GX_KERNELS_MATCH_H

#include "engine/match/flat.h"

/* A batch as its kernel gets it */
typedef struct gxp_batch {
    const gxp_flat *flat;   /* device memory, as all below */
    const char *trees;
    const u64 *at;          /* where each document's tree begins */
    u32 *next;              /* the document that comes next; zero before the launch */
    char *scratch;          /* of each block */
    u64 scratch_bytes;
    u64 *matched;           /* of each document n_profiles / 64 + 1 words */
    u32 *status;            /* gx_status of each document */
    u32 n, most_nodes, pool, n_words;
    u64 most_work;
    u32 n_formulas, most_hot;
} gxp_batch;

typedef struct gxp_gpu_room {
    u32 most_documents;     /* of a batch */
    u64 tree_bytes;         /* of their blocks together, each rounded up to 16 bytes */
    u32 most_nodes, pool;   /* of a document (flat.h) */
    u32 most_hot;           /* gxp_tree.hot_end; of one that has more it stays in device memory */
    u32 threads;            /* of a block; 0 = 256 */
    u32 blocks;             /* at the same time, 0 = as many as the device holds */
    u64 most_work;
} gxp_gpu_room;

typedef struct gxp_gpu gxp_gpu;

#ifdef __cplusplus
extern "C" {
#endif
/* NULL and a sentence in why on failure. */
gxp_gpu *gxp_gpu_open(int device, const gxp_flat *flat, const gxp_gpu_room *room, char *why, size_t size);
void gxp_gpu_close(gxp_gpu *g);
/* Of batch 0 or 1: its pinned memory, for trees, and where each of them begins */
char *gxp_gpu_trees(gxp_gpu *g, u32 batch);
u64 *gxp_gpu_at(gxp_gpu *g, u32 batch);
/* n documents, whose trees take so many bytes, are sent off. 0, or a CUDA error: gxp_gpu_error says what, and the
 * device is lost to this process. */
int gxp_gpu_start(gxp_gpu *g, u32 batch, u32 n, u64 bytes);
/* Have they come back? 1; 0: not yet; -1: an error, which gxp_gpu_wait says */
int gxp_gpu_is_over(gxp_gpu *g, u32 batch);
/* Until they have come back. kernel_us: how long the kernel took; may be NULL */
int gxp_gpu_wait(gxp_gpu *g, u32 batch, double *kernel_us);
/* Of the k-th document of a batch that has come back: its status, GX_OK or not to be used, and its bits */
gx_status gxp_gpu_status(const gxp_gpu *g, u32 batch, u32 k);
const u64 *gxp_gpu_matched(const gxp_gpu *g, u32 batch, u32 k);
const char *gxp_gpu_error(const gxp_gpu *g);
u32 gxp_gpu_blocks(const gxp_gpu *g);
#ifdef __cplusplus
}
#endif

/* The kernel's side */
#if defined __cplusplus && defined GX_KERNELS_MATCH_CUDA
extern "C" {
cudaError_t gxp_match_blocks(const gxp_batch *b, u32 blocks, u32 threads, cudaStream_t stream);
/* How many blocks of so many threads the device runs at the same time */
cudaError_t gxp_match_room(u32 n_formulas, u32 most_nodes, u32 most_hot, u32 threads, u32 *blocks);
}
#endif
#endif
