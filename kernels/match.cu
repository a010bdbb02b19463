/* SPDX-License-Identifier: Apache-2.0 */
/* match.cu -- the host side of match.h: two batches, each with its stream, its pinned memory and the device's */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>
#define GX_KERNELS_MATCH_CUDA
#include "match.h"

typedef struct batch {
    cudaStream_t stream;
    cudaEvent_t began, ended, back;
    char *trees, *d_trees;
    u64 *at, *d_at, *matched, *d_matched;
    u32 *status, *d_status, *d_next;
    char *d_scratch;
} batch;

struct gxp_gpu {
    gxp_gpu_room room;
    u32 n_profiles, n_formulas, n_words, blocks;
    gxp_flat *d_flat;
    u64 scratch_bytes;
    batch batches[2];
    int device;
    char why[200];
};

static int failed(gxp_gpu *g, const char *what, cudaError_t e)
{
    if (e)
        snprintf(g->why, sizeof g->why, "%s: %s", what, cudaGetErrorString(e));
    return (int)e;
}

static cudaError_t pinned(void **p, u64 size) { return cudaHostAlloc(p, size, cudaHostAllocPortable); }

static cudaError_t open_batch(const gxp_gpu *g, batch *b)
{
    const u32 n = g->room.most_documents;
    const u64 words = (u64)n * g->n_words * sizeof(u64);
    cudaError_t e = cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking);
    e = e ? e : cudaEventCreate(&b->began);
    e = e ? e : cudaEventCreate(&b->ended);
    e = e ? e : cudaEventCreate(&b->back);
    e = e ? e : pinned((void **)&b->trees, g->room.tree_bytes);
    e = e ? e : pinned((void **)&b->at, n * sizeof *b->at);
    e = e ? e : pinned((void **)&b->matched, words);
    e = e ? e : pinned((void **)&b->status, n * sizeof *b->status);
    e = e ? e : cudaMalloc((void **)&b->d_trees, g->room.tree_bytes);
    e = e ? e : cudaMalloc((void **)&b->d_at, n * sizeof *b->at);
    e = e ? e : cudaMalloc((void **)&b->d_matched, words);
    e = e ? e : cudaMalloc((void **)&b->d_status, n * sizeof *b->status);
    e = e ? e : cudaMalloc((void **)&b->d_next, sizeof *b->d_next);
    e = e ? e : cudaMalloc((void **)&b->d_scratch, g->blocks * g->scratch_bytes);
    return e;
}

static cudaError_t put_flat(gxp_gpu *g, const gxp_flat *flat)
{
    cudaError_t e = cudaMalloc((void **)&g->d_flat, flat->size);
    e = e ? e : cudaMemcpyAsync(g->d_flat, flat, flat->size, cudaMemcpyHostToDevice, g->batches[0].stream);
    return e ? e : cudaStreamSynchronize(g->batches[0].stream);
}

gxp_gpu *gxp_gpu_open(int device, const gxp_flat *flat, const gxp_gpu_room *room, char *why, size_t size)
{
    gxp_gpu *g = (gxp_gpu *)calloc(1, sizeof *g);
    if (!g) {
        snprintf(why, size, "not enough memory");
        return NULL;
    }
    g->room = *room;
    g->room.threads = room->threads ? room->threads : 256;
    g->device = device;
    g->n_formulas = flat->n_formulas;
    g->n_words = flat->n_profiles / 64 + 1;
    g->scratch_bytes = gxp_scratch_of(flat, room->most_nodes, room->pool).size;
    int e = failed(g, "the device cannot be opened", cudaSetDevice(device));
    e = e ? e
          : failed(g, "the kernel cannot be asked",
                   gxp_match_room(flat->n_formulas, room->most_nodes, room->most_hot, g->room.threads, &g->blocks));
    if (room->blocks && room->blocks < g->blocks)
        g->blocks = room->blocks;
    for (u32 i = 0; i < 2; i++)
        e = e ? e : failed(g, "no memory for a batch", open_batch(g, &g->batches[i]));
    e = e ? e : failed(g, "no memory for the profiles", put_flat(g, flat));
    if (!e)
        return g;
    snprintf(why, size, "%s", g->why);
    gxp_gpu_close(g);
    return NULL;
}

static void close_batch(batch *b)
{
    void *const on_host[] = { b->trees, b->at, b->matched, b->status };
    void *const on_device[] = { b->d_trees, b->d_at, b->d_matched, b->d_status, b->d_next, b->d_scratch };
    for (u32 i = 0; i < sizeof on_host / sizeof *on_host; i++)
        if (on_host[i])
            cudaFreeHost(on_host[i]);
    for (u32 i = 0; i < sizeof on_device / sizeof *on_device; i++)
        if (on_device[i])
            cudaFree(on_device[i]);
    if (b->began)
        cudaEventDestroy(b->began);
    if (b->ended)
        cudaEventDestroy(b->ended);
    if (b->back)
        cudaEventDestroy(b->back);
    if (b->stream)
        cudaStreamDestroy(b->stream);
}

void gxp_gpu_close(gxp_gpu *g)
{
    if (!g)
        return;
    for (u32 i = 0; i < 2; i++)
        close_batch(&g->batches[i]);
    if (g->d_flat)
        cudaFree(g->d_flat);
    free(g);
}

char *gxp_gpu_trees(gxp_gpu *g, u32 i) { return g->batches[i].trees; }
u64 *gxp_gpu_at(gxp_gpu *g, u32 i) { return g->batches[i].at; }
const char *gxp_gpu_error(const gxp_gpu *g) { return g->why; }
u32 gxp_gpu_blocks(const gxp_gpu *g) { return g->blocks; }
gx_status gxp_gpu_status(const gxp_gpu *g, u32 i, u32 k) { return (gx_status)g->batches[i].status[k]; }
const u64 *gxp_gpu_matched(const gxp_gpu *g, u32 i, u32 k) { return g->batches[i].matched + (size_t)k * g->n_words; }

static cudaError_t start(gxp_gpu *g, batch *b, u32 n, u64 bytes)
{
    const gxp_batch launch = { g->d_flat, b->d_trees, b->d_at, b->d_next, b->d_scratch, g->scratch_bytes, b->d_matched,
                               b->d_status, n, g->room.most_nodes, g->room.pool, g->n_words, g->room.most_work,
                               g->n_formulas, g->room.most_hot };
    cudaError_t e = cudaMemcpyAsync(b->d_trees, b->trees, bytes, cudaMemcpyHostToDevice, b->stream);
    e = e ? e : cudaMemcpyAsync(b->d_at, b->at, n * sizeof *b->at, cudaMemcpyHostToDevice, b->stream);
    e = e ? e : cudaMemsetAsync(b->d_next, 0, sizeof *b->d_next, b->stream);
    e = e ? e : cudaEventRecord(b->began, b->stream);
    e = e ? e : gxp_match_blocks(&launch, g->blocks < n ? g->blocks : n, g->room.threads, b->stream);
    e = e ? e : cudaEventRecord(b->ended, b->stream);
    e = e ? e : cudaMemcpyAsync(b->status, b->d_status, n * sizeof *b->status, cudaMemcpyDeviceToHost, b->stream);
    e = e ? e
          : cudaMemcpyAsync(b->matched, b->d_matched, (u64)n * g->n_words * sizeof(u64), cudaMemcpyDeviceToHost,
                            b->stream);
    return e ? e : cudaEventRecord(b->back, b->stream);
}

int gxp_gpu_start(gxp_gpu *g, u32 i, u32 n, u64 bytes)
{
    return n ? failed(g, "documents cannot be sent", start(g, &g->batches[i], n, bytes)) : 0;
}

int gxp_gpu_is_over(gxp_gpu *g, u32 i)
{
    const cudaError_t e = cudaEventQuery(g->batches[i].back);
    return e == cudaErrorNotReady ? 0 : failed(g, "matching failed", e) ? -1 : 1;
}

int gxp_gpu_wait(gxp_gpu *g, u32 i, double *kernel_us)
{
    float ms = 0;
    int e = failed(g, "matching failed", cudaStreamSynchronize(g->batches[i].stream));
    if (!e && kernel_us)
        e = failed(g, "events cannot be read", cudaEventElapsedTime(&ms, g->batches[i].began, g->batches[i].ended));
    if (!e && kernel_us)
        *kernel_us = 1000.0 * ms;
    return e;
}
