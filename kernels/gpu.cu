/*
 * gpu.cu -- the host's side of the GPU: memory, launches, completion
 *
 * Small requests go in batches: one launch, a block a request. The descriptors, the documents and the results lie in pinned host
 * memory; blocks pull and push themselves, so a batch is one launch and no copy call, and each request is finished when its own block
 * says so. Device memory of a block's slot:
 *     | kept (3/8) | scratch (3/8) | copy of the document (1/4) |
 *
 * A large document goes to the grid team: resident or copied, one cooperative launch, and one copy of the result.
 */
#include <cuda_runtime.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gpu.h"
#include "launch.h"

#define SMALL_BYTES (40u << 10)         /* documents up to this get a block of one warp */
#define SMALL_THREADS 32u
#define BLOCK_THREADS 128u
#define GRID_THREADS 256u
#define STACK_BYTES 12288u              /* of a thread: a key's index is built inside an expression, whose use is another */
#define STAGGER (17u * 128)             /* so that the same place of neighbours' arenas falls on other sets of the caches */
#define OUT_BYTES (512u << 10)          /* of a small request's result, at most */

struct gx_gpu {
    int device;
    char name[128], error[256];
    cudaStream_t stream;
    cudaEvent_t begin, end;
    u32 n_blocks, grid_blocks;
    u64 arena_bytes, out_room, grid_bytes;
    gx_launch *launches, *grid_launch;  /* pinned */
    char *arenas, *out;                 /* device; pinned */
    char *grid_arena;
    struct gx_grid_shared *grid_shared;
    char *grid_out;
    u64 grid_out_cap;
};

#define GRID_SHARED_BYTES 65536u

static int check(gx_gpu *g, cudaError_t e, const char *what)
{
    if (e == cudaSuccess)
        return 0;
    snprintf(g->error, sizeof g->error, "%s: %s", what, cudaGetErrorString(e));
    return (int)e;
}
#define CHECK(call) do { int e_ = check(g, (call), #call); if (e_) return e_; } while (0)

extern "C" int gx_gpu_devices(char *why, size_t size)
{
    int n = 0;
    cudaError_t e = cudaGetDeviceCount(&n);

    if (e != cudaSuccess || n == 0) {
        snprintf(why, size, "no GPU: %s", e == cudaSuccess ? "no device is visible" : cudaGetErrorString(e));
        return 0;
    }
    return n;
}

static int open_all(gx_gpu *g, u64 grid_bytes)
{
    cudaDeviceProp p;
    int per_sm = 0;

    CHECK(cudaSetDevice(g->device));
    CHECK(cudaGetDeviceProperties(&p, g->device));
    snprintf(g->name, sizeof g->name, "%s, %d SMs", p.name, p.multiProcessorCount);
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, STACK_BYTES));
    CHECK(cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&g->begin));
    CHECK(cudaEventCreate(&g->end));
    if (g->n_blocks) {
        CHECK(cudaHostAlloc((void **)&g->launches, g->n_blocks * sizeof(gx_launch), cudaHostAllocMapped | cudaHostAllocPortable));
        CHECK(cudaHostAlloc((void **)&g->out, g->n_blocks * g->out_room, cudaHostAllocMapped | cudaHostAllocPortable));
        CHECK(cudaMalloc((void **)&g->arenas, g->n_blocks * (g->arena_bytes + STAGGER)));
        memset(g->launches, 0, g->n_blocks * sizeof(gx_launch));
    }
    if (grid_bytes) {
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, gx_grid_kernel_address(), (int)GRID_THREADS, 0));
        g->grid_blocks = (u32)(per_sm < 1 ? 1 : per_sm > 2 ? 2 : per_sm) * (u32)p.multiProcessorCount;
        if (g->grid_blocks > 1024)
            g->grid_blocks = 1024;
        g->grid_bytes = grid_bytes;
        CHECK(cudaMalloc((void **)&g->grid_arena, grid_bytes));
        CHECK(cudaMalloc((void **)&g->grid_shared, GRID_SHARED_BYTES));
        CHECK(cudaHostAlloc((void **)&g->grid_launch, sizeof(gx_launch), cudaHostAllocMapped | cudaHostAllocPortable));
        memset(g->grid_launch, 0, sizeof(gx_launch));
    }
    return 0;
}

extern "C" gx_gpu *gx_gpu_open(int device, u32 n_blocks, u64 arena_bytes, u64 grid_bytes, char *why, size_t size)
{
    gx_gpu *g = (gx_gpu *)calloc(1, sizeof *g);

    if (!g) {
        snprintf(why, size, "no memory");
        return NULL;
    }
    g->device = device;
    g->n_blocks = n_blocks;
    g->arena_bytes = arena_bytes & ~(u64)4095;
    g->out_room = g->arena_bytes / 8 * 3 < OUT_BYTES ? g->arena_bytes / 8 * 3 & ~(u64)4095 : OUT_BYTES;
    if (open_all(g, grid_bytes)) {
        snprintf(why, size, "%s", g->error);
        gx_gpu_close(g);
        return NULL;
    }
    return g;
}

extern "C" void gx_gpu_close(gx_gpu *g)
{
    if (!g)
        return;
    cudaSetDevice(g->device);
    if (g->stream)
        cudaStreamDestroy(g->stream);
    if (g->begin)
        cudaEventDestroy(g->begin);
    if (g->end)
        cudaEventDestroy(g->end);
    cudaFreeHost(g->launches);
    cudaFreeHost(g->out);
    cudaFreeHost(g->grid_launch);
    cudaFree(g->arenas);
    cudaFree(g->grid_arena);
    cudaFree(g->grid_shared);
    cudaFreeHost(g->grid_out);
    free(g);
}

extern "C" const char *gx_gpu_name(const gx_gpu *g) { return g->name; }
extern "C" const char *gx_gpu_error(const gx_gpu *g) { return g->error; }

extern "C" void *gx_gpu_put(gx_gpu *g, const void *block, u64 size)
{
    void *d = NULL;

    cudaSetDevice(g->device);
    if (cudaMalloc(&d, size + 16) != cudaSuccess)
        return NULL;
    if (cudaMemcpyAsync(d, block, size, cudaMemcpyHostToDevice, g->stream) != cudaSuccess
        || cudaStreamSynchronize(g->stream) != cudaSuccess) {
        cudaFree(d);
        return NULL;
    }
    return d;
}
extern "C" void *gx_gpu_pinned(gx_gpu *g, u64 size)
{
    void *p = NULL;

    cudaSetDevice(g->device);
    return cudaHostAlloc(&p, size + 16, cudaHostAllocMapped | cudaHostAllocPortable) == cudaSuccess ? p : NULL;
}
extern "C" void gx_gpu_unpin(void *memory) { cudaFreeHost(memory); }

extern "C" void gx_gpu_forget(void *device_block) { cudaFree(device_block); }

static void fill(gx_launch *l, const gx_gpu_job *j)
{
    l->program = j->program;
    l->doc = j->doc;
    l->doc_host = j->doc_host;
    l->doc_size = j->doc_size;
    l->steps = j->steps;
    l->recursion = j->recursion;
    l->done = 0;
}

extern "C" int gx_gpu_batch(gx_gpu *g, gx_gpu_job *jobs, u32 n, u32 lanes, void (*done)(void *ctx, u32 k), void *ctx)
{
    u32 left = n, spins = 0;
    int small = 1;

    if (n > g->n_blocks)
        n = left = g->n_blocks;
    for (u32 k = 0; k < n; k++) {
        gx_launch *l = &g->launches[k];
        fill(l, &jobs[k]);
        l->arena = g->arenas + k * (g->arena_bytes + STAGGER);
        l->kept_bytes = g->arena_bytes / 8 * 3 & ~(u64)63;
        l->arena_bytes = 2 * l->kept_bytes;
        l->doc_copy = l->arena + l->arena_bytes;
        l->doc_room = (g->arena_bytes - l->arena_bytes) & ~(u64)15;
        l->out = g->out + k * g->out_room;
        l->out_room = g->out_room;
        jobs[k].status = GX_NEED;               /* not ended yet */
        small &= jobs[k].doc_size <= SMALL_BYTES;
    }
    CHECK(cudaSetDevice(g->device));
    CHECK(lanes ? gx_lane_launch(g->launches, n, lanes, g->stream) : gx_block_launch(g->launches, n, small ? SMALL_THREADS : BLOCK_THREADS, g->stream));
    while (left) {
        u32 before = left;
        for (u32 k = 0; k < n; k++) {
            gx_launch *l = &g->launches[k];
            u32 state;
            if (jobs[k].status != GX_NEED || !(state = __atomic_load_n(&l->done, __ATOMIC_ACQUIRE)))
                continue;
            jobs[k].status = (gx_status)(state - 1);
            jobs[k].image = l->out;
            jobs[k].image_size = l->used;
            jobs[k].start_cycles = l->start_cycles;
            jobs[k].machine_cycles = l->machine_cycles;
            left--;
            if (done)
                done(ctx, k);
        }
        if (left == before && ++spins > 64) {
            cudaError_t e = cudaStreamQuery(g->stream);
            spins = 0;
            if (e != cudaSuccess && e != cudaErrorNotReady)
                return check(g, e, "a kernel failed");
            sched_yield();
        }
    }
    return 0;
}

extern "C" int gx_gpu_grid(gx_gpu *g, gx_gpu_job *j, double *device_us)
{
    gx_launch *l = g->grid_launch;
    float ms = 0;

    if (!l) {
        j->status = GX_EARENA;
        return 0;
    }
    fill(l, j);
    l->arena = g->grid_arena;
    l->kept_bytes = (g->grid_bytes / 2) & ~(u64)63;
    l->arena_bytes = 2 * l->kept_bytes;
    CHECK(cudaSetDevice(g->device));
    CHECK(cudaMemsetAsync(g->grid_shared, 0, GRID_SHARED_BYTES, g->stream));
    CHECK(cudaEventRecord(g->begin, g->stream));
    CHECK(gx_grid_launch(l, g->grid_shared, g->grid_blocks, GRID_THREADS, g->stream));
    CHECK(cudaEventRecord(g->end, g->stream));
    CHECK(cudaStreamSynchronize(g->stream));
    CHECK(cudaEventElapsedTime(&ms, g->begin, g->end));
    if (device_us)
        *device_us = ms * 1e3;
    j->status = l->done ? (gx_status)(l->done - 1) : GX_EBAD;
    j->image_size = l->used;
    if (j->status != GX_OK)
        return 0;
    if (l->used > g->grid_out_cap) {
        cudaFreeHost(g->grid_out);
        g->grid_out = NULL;
        g->grid_out_cap = 0;
        u64 cap = l->used + l->used / 4 + (1u << 20);
        CHECK(cudaHostAlloc((void **)&g->grid_out, cap, cudaHostAllocPortable));
        g->grid_out_cap = cap;
    }
    CHECK(cudaMemcpyAsync(g->grid_out, g->grid_arena, l->used, cudaMemcpyDeviceToHost, g->stream));
    CHECK(cudaStreamSynchronize(g->stream));
    j->image = g->grid_out;
    return 0;
}
