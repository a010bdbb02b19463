/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu.cu -- the host's side of the GPU: memory, launches, completion
 *
 * Small requests go in batches: one launch, a block or a lane each. The descriptors, the documents and the results lie
 * in pinned host memory, or in what httpd's children share with the worker; the teams pull and push themselves, so a
 * batch is one launch and no copy call, and each request is finished when its own team says so. Device memory of a job,
 * as much as its document asks for:
 *     | kept | scratch | copy of the document and the parameters |
 *
 * A large document goes to the grid team: resident or copied, one cooperative launch, and one copy of the result.
 */
#include <cuda_runtime.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../engine/clock.h"
#include "bytes.h"
#include "gpu.h"
#include "launch.h"
#include "source.h"

#define SMALL_BYTES (40u << 10)         /* documents up to this get a lane, or a block of one warp */
#define SMALL_THREADS 32u
#define SOURCE_THREADS 64u              /* that parse a small source, and write its page .. */
#define MANY_SOURCES 2048u              /* .. but a warp, if there are more: all together are sooner done then */
#define LONG_BYTES (128u << 10)         /* of more, many threads are needed: */
#define LONG_THREADS 1024u              /* to parse it .. */
#define MIDDLE_THREADS 512u             /* .. and what is neither small nor long */
#define PAGE_THREADS 256u               /* to write the page of what is not small */
#define MANY_THREADS 64u                /* that evaluate what is not small. Long documents have BLOCK_THREADS each,
                                           if there are no more of them than multiprocessors */
#define SOURCE_BLOCK 6u                 /* bytes of a block for one of its source .. */
#define SOURCE_ARENA 16u                /* .. and of memory for parsing it */
#define BLOCK_THREADS 128u
#define STACK_BYTES 12288u              /* of a thread, of which a device holds 270,000: make kernels-report adds up
                                           what the deepest calls take, 9,900 of the grid's */
#define SPIN_US 300u                    /* what the grid takes for most */
#define STAGGER (17u * 128) /* so that the same place of neighbours' arenas falls on other sets of the caches */
#define POLL_US 20u /* between two looks at a batch, at least when it is not over in a few hundred us */
#define OUTLIER \
    4 /* a batch counts at most as so many times what the last ones took: the next ones do not wait for a slow one */
#define QUERY_US 1300                   /* between two questions whether a kernel failed */
#define FEED_BYTES ((u64)8 << 20)       /* of a large source, at a time */
#define GRID_PARAMS (64u << 10)         /* of a grid's job, at most */
#define GRID_NEAR \
    (128u << 10) /* bytes of a grid's result that the kernel writes to host memory: what a copy of its own would cost \
                    is 15 us */

struct gx_gpu_server {
    int device;
    u64 reserved;                       /* entries given to posters; atomic */
    cudaStream_t stream;
    gx_ring *ring;
    gx_ring_state *state;
};

struct gx_gpu {
    int device;
    char name[288], error[256];
    cudaStream_t stream, feed;          /* feed: a large source on its way */
    cudaEvent_t begin, end, fed;
    cudaEvent_t step[GX_GPU_STEPS + 1]; /* of sources: before each step, and behind the last; NULL: not timed */
    gx_gpu_server *server;              /* NULL: batches are launched */
    gx_gpu_room room;
    u32 processors, grid_blocks;
    gx_launch *launches, *grid_launch;  /* pinned */
    gx_source *sources;                 /* pinned: of launches */
    struct grid_words *grid_words;      /* device */
    char *arenas;                       /* device */
    u64 first_us;                       /* from a launch to the first answer, lately */
    gx_outbox out;
    unsigned long long *tops;           /* two, in turn */
    char *grid_arena, *grid_params;
    u64 grid_used;                      /* of the arena, from its beginning: a source's block */
    struct gx_grid_shared *grid_shared;
    char *grid_out;                     /* pinned */
    u64 grid_out_cap;
};

/* What the grid's other two kernels are asked, and say */
typedef struct grid_words { gx_bytes_request request; gx_bytes_answer parsed; gx_page_answer page; } grid_words;

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

/* Room for a grid's result of so many bytes */
static int grid_out(gx_gpu *g, u64 size)
{
    if (size <= g->grid_out_cap)
        return 0;
    cudaFreeHost(g->grid_out);
    g->grid_out = NULL;
    g->grid_out_cap = 0;
    CHECK(cudaHostAlloc((void **)&g->grid_out, size, cudaHostAllocMapped | cudaHostAllocPortable));
    g->grid_out_cap = size;
    return 0;
}

static int open_all(gx_gpu *g)
{
    cudaDeviceProp p;

    CHECK(cudaSetDevice(g->device));
    CHECK(cudaGetDeviceProperties(&p, g->device));
    snprintf(g->name, sizeof g->name, "%s, %d SMs", p.name, p.multiProcessorCount);
    g->processors = (u32)p.multiProcessorCount;
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, STACK_BYTES));
    CHECK(cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&g->feed, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&g->fed));
    CHECK(cudaEventCreate(&g->begin));
    CHECK(cudaEventCreate(&g->end));
    if (g->room.batch) {
        g->out.size = g->room.out;
        CHECK(cudaHostAlloc((void **)&g->launches, g->room.batch * sizeof(gx_launch),
                            cudaHostAllocMapped | cudaHostAllocPortable));
        CHECK(cudaHostAlloc((void **)&g->sources, g->room.batch * sizeof(gx_source),
                            cudaHostAllocMapped | cudaHostAllocPortable));
        CHECK(cudaHostAlloc((void **)&g->out.base, g->room.out, cudaHostAllocMapped | cudaHostAllocPortable));
        CHECK(cudaMalloc((void **)&g->tops, 2 * sizeof *g->tops));
        CHECK(cudaMemset(g->tops, 0, 2 * sizeof *g->tops));
        g->out.top = g->tops;
        g->out.next = g->tops + 1;
        CHECK(cudaMalloc((void **)&g->arenas, g->room.arenas));
        memset(g->launches, 0, g->room.batch * sizeof(gx_launch));
        memset(g->sources, 0, g->room.batch * sizeof(gx_source));
    }
    if (g->room.grid) {
        g->grid_blocks = g->processors < 1024 ? g->processors : 1024;
        CHECK(cudaMalloc((void **)&g->grid_arena, g->room.grid));
        CHECK(cudaMalloc((void **)&g->grid_params, GRID_PARAMS));
        CHECK(cudaMalloc((void **)&g->grid_words, sizeof *g->grid_words));
        CHECK(cudaMalloc((void **)&g->grid_shared, GX_GRID_SHARED_BYTES));
        CHECK(cudaHostAlloc((void **)&g->grid_launch, sizeof(gx_launch), cudaHostAllocMapped | cudaHostAllocPortable));
        memset(g->grid_launch, 0, sizeof(gx_launch));
        return grid_out(g, GRID_NEAR);
    }
    return 0;
}

/* Each kernel once, with nothing to do: the first launch loads its code and reserves its stacks, which is no request's
 * affair */
static int warm_up(gx_gpu *g)
{
    gx_gpu_job j;

    memset(&j, 0, sizeof j);
    for (u32 lanes = 0; lanes < 2 && g->room.batch; lanes++) {
        const int e = gx_gpu_batch(g, &j, 1, lanes, NULL, NULL);
        if (e)
            return e;
    }
    return g->room.grid ? gx_gpu_grid(g, &j, NULL) : 0;
}

extern "C" gx_gpu *gx_gpu_open(int device, const gx_gpu_room *room, char *why, size_t size)
{
    gx_gpu *g = (gx_gpu *)calloc(1, sizeof *g);

    if (!g) {
        snprintf(why, size, "no memory");
        return NULL;
    }
    g->device = device;
    g->room = *room;
    if (open_all(g) || warm_up(g)) {
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
    if (g->feed)
        cudaStreamDestroy(g->feed);
    if (g->fed)
        cudaEventDestroy(g->fed);
    if (g->begin)
        cudaEventDestroy(g->begin);
    if (g->end)
        cudaEventDestroy(g->end);
    for (u32 i = 0; i <= GX_GPU_STEPS; i++)
        if (g->step[i])
            cudaEventDestroy(g->step[i]);
    cudaFreeHost(g->launches);
    cudaFreeHost(g->sources);
    cudaFreeHost(g->out.base);
    cudaFree(g->tops);
    cudaFreeHost(g->grid_launch);
    cudaFree(g->arenas);
    cudaFree(g->grid_arena);
    cudaFree(g->grid_params);
    cudaFree(g->grid_words);
    cudaFree(g->grid_shared);
    cudaFreeHost(g->grid_out);
    free(g);
}

extern "C" int gx_gpu_memory(int device, u64 *free_bytes, u64 *all)
{
    size_t free_now = 0, total = 0;

    if (cudaSetDevice(device) != cudaSuccess || cudaMemGetInfo(&free_now, &total) != cudaSuccess)
        return 0;
    *free_bytes = free_now;
    *all = total;
    return 1;
}

extern "C" u64 gx_gpu_free_bytes(gx_gpu *g)
{
    u64 free_bytes = 0, all;

    return gx_gpu_memory(g->device, &free_bytes, &all) ? free_bytes : 0;
}

extern "C" double gx_gpu_copy_rate(gx_gpu *g, u64 size)
{
    char *a = NULL, *b = NULL;
    double best = 0;

    cudaSetDevice(g->device);
    if (cudaMalloc((void **)&a, size) == cudaSuccess && cudaMalloc((void **)&b, size) == cudaSuccess)
        for (int i = 0; i < 12; i++) {          /* the first ones warm up */
            float ms = 0;
            cudaEventRecord(g->begin, g->stream);
            cudaMemcpyAsync(b, a, size, cudaMemcpyDeviceToDevice, g->stream);
            cudaEventRecord(g->end, g->stream);
            if (cudaStreamSynchronize(g->stream) != cudaSuccess
                || cudaEventElapsedTime(&ms, g->begin, g->end) != cudaSuccess || ms <= 0)
                break;
            if (2 * (double)size / (ms * 1e-3) > best)
                best = 2 * (double)size / (ms * 1e-3);
        }
    cudaFree(a);
    cudaFree(b);
    return best;
}

extern "C" const char *gx_gpu_name(const gx_gpu *g) { return g->name; }
extern "C" const char *gx_gpu_error(const gx_gpu *g) { return g->error; }

/* Device memory, for this thread's device, in the stream's order; NULL: none */
static void *take(gx_gpu *g, u64 size)
{
    void *d = NULL;

    if (cudaMallocAsync(&d, size, g->stream) == cudaSuccess || cudaMalloc(&d, size) == cudaSuccess)
        return d;
    cudaGetLastError();                 /* forgotten: the caller has another way */
    return NULL;
}

extern "C" void *gx_gpu_put(gx_gpu *g, const void *block, u64 size)
{
    cudaSetDevice(g->device);
    void *d = take(g, size + 16);
    if (!d)
        return NULL;
    if (cudaMemcpyAsync(d, block, size, cudaMemcpyHostToDevice, g->stream) != cudaSuccess
        || cudaStreamSynchronize(g->stream) != cudaSuccess) {
        gx_gpu_forget(d);
        return NULL;
    }
    return d;
}

extern "C" int gx_gpu_share(gx_gpu *g, void *memory, u64 size)
{
    void *there = NULL;

    cudaSetDevice(g->device);
    if (cudaHostRegister(memory, size, cudaHostRegisterMapped | cudaHostRegisterPortable) == cudaSuccess
        && cudaHostGetDevicePointer(&there, memory, 0) == cudaSuccess && there == memory)
        return 1;
    cudaGetLastError();                 /* forgotten: the caller has another way */
    return 0;
}
extern "C" void *gx_gpu_pinned(gx_gpu *g, u64 size)
{
    void *p = NULL;

    cudaSetDevice(g->device);
    return cudaHostAlloc(&p, size + 16, cudaHostAllocMapped | cudaHostAllocPortable) == cudaSuccess ? p : NULL;
}
extern "C" void gx_gpu_unpin(void *memory) { cudaFreeHost(memory); }

/* cudaMalloc and cudaFree wait for all that runs on the device: the ordered ones first, which do not. */
extern "C" void gx_gpu_forget(void *device_block)
{
    if (cudaFreeAsync(device_block, cudaStreamPerThread) != cudaSuccess)
        cudaFree(device_block);
}

static void fill(gx_launch *l, const gx_gpu_job *j)
{
    l->program = j->program;
    l->doc = j->doc;
    l->doc_size = j->doc_size;
    l->unchecked = (!j->doc || j->unchecked) && !j->is_source;
    l->stays = j->is_source != 0;
    l->host = j->host;
    l->host_size = j->doc || j->is_source ? 0 : (j->doc_size + 15) & ~(u64)15;
    l->params = j->params;
    l->params_size = (j->params_size + 15) & ~(u64)15;
    l->steps = j->steps;
    l->budget_us = j->budget_us;
    l->recursion = j->recursion;
    l->out_at = 0;
    l->done = 0;
}

extern "C" int gx_gpu_is_small(u64 doc_size) { return doc_size <= SMALL_BYTES; }

static u64 up_to(u64 n, u64 of) { return (n + of - 1) & ~(of - 1); }

/* A source's block, about, at most: dense markup makes more, and needs more room */
static u64 block_room(const gx_gpu_job *j)
{
    return up_to(SOURCE_BLOCK * j->doc_size * (j->room ? j->room : 1) + (16u << 10), 128);
}

/* Of a job's arena: for what is kept, and as much for scratch */
static u64 half_arena(const gx_gpu_job *j)
{
    const u64 doc_size = j->is_source ? j->doc_size * SOURCE_BLOCK / 2 : j->doc_size;
    return ((64u << 10) + 4 * doc_size) * (j->room ? j->room : 1) & ~(u64)127;
}

/* The whole of it: a source is parsed there first */
static u64 whole_arena(const gx_gpu_job *j)
{
    const u64 parsing = up_to((SOURCE_ARENA * j->doc_size + (256u << 10)) * (j->room ? j->room : 1), 128);
    return j->is_source && parsing > 2 * half_arena(j) ? parsing : 2 * half_arena(j);
}

/* What is pulled, each part rounded up, and a source's block */
static u64 pulled_bytes(const gx_gpu_job *j)
{
    const u64 params = up_to(j->params_size, 16);
    if (j->is_source)
        return params + up_to(j->doc_size + j->base_len + 16, 128) + block_room(j);
    return params + (j->doc ? 0 : up_to(j->doc_size, 16));
}

extern "C" u64 gx_gpu_job_bytes(const gx_gpu_job *j)
{
    return up_to(whole_arena(j) + pulled_bytes(j), 128) + STAGGER;
}

/* The source of a launch whose arena is there; from: device memory for block and bytes */
static void fill_source(gx_source *s, const gx_launch *l, const gx_gpu_job *j, char *from)
{
    s->host = j->host;
    s->host_size = up_to(j->doc_size + j->base_len, 16);
    s->doc = from;
    s->doc_room = block_room(j);
    s->request.bytes = from + s->doc_room;
    s->request.n = j->doc_size;
    s->request.seed = j->seed;
    s->request.spaces = j->program;
    s->request.base_uri = s->request.bytes + j->doc_size;
    s->request.base_uri_len = j->base_len;
    s->request.limits = j->limits;
    s->request.arena = l->arena;
    s->request.arena_bytes = whole_arena(j);
    s->arena_bytes = whole_arena(j);
    s->most = j->page_most;
    s->status = 0;
    s->done = 0;
}

/* Lays a job's memory out behind what is taken; 0: no room left. */
static int place(gx_gpu *g, gx_launch *l, gx_source *source, const gx_gpu_job *j, u64 *taken)
{
    const u64 half = half_arena(j), size = gx_gpu_job_bytes(j);

    source->host_size = 0;

    if (size > g->room.arenas - *taken)
        return 0;
    l->arena = g->arenas + *taken;
    l->kept_bytes = half;
    l->arena_bytes = 2 * half;
    l->copy = l->arena + whole_arena(j);
    if (j->is_source) {
        fill_source(source, l, j, l->copy);
        l->copy += pulled_bytes(j) - up_to(j->params_size, 16);
    }
    *taken += size;
    return 1;
}

static void collect_page(gx_gpu *g, gx_gpu_job *j, const gx_source *s)
{
    j->status = (gx_status)(s->done - 1);
    j->image = g->out.base + s->out_at;
    j->image_size = s->size;
    j->is_full = j->status == GX_EARENA && s->size && (s->size >= s->most || s->out_at + s->size > g->out.size);
    j->n_nodes = s->n_nodes;
    j->result_bytes = s->used;
}

static void collect(gx_gpu *g, gx_gpu_job *j, const gx_launch *l)
{
    j->status = (gx_status)(l->done - 1);
    j->image = g->out.base + l->out_at;
    j->image_size = l->used;
    j->is_full = j->status == GX_EARENA && l->out_at + l->used > g->out.size;
    j->start_cycles = l->start_cycles;
    j->machine_cycles = l->machine_cycles;
}

static void rest(u64 us)
{
    const struct timespec pause = { (time_t)(us / 1000000), (long)(us % 1000000) * 1000 };
    nanosleep(&pause, NULL);
}

/* Jobs [from, to) run: waits for them, gives each back as it ends. The cores belong to httpd: three quarters of the
 * time until the first answer are slept at once, from then on looks come a sixteenth of the time so far apart, of a
 * longer kernel a thirty-second. (Looks every 20 us are half a millisecond of CPU time for a kernel of 3 ms.) */
static int await(gx_gpu *g, gx_gpu_job *jobs, u32 from, u32 to, void (*done)(void *ctx, u32 k), void *ctx)
{
    const u64 began = gx_now_us();
    u64 asked = began, pause_us = g->first_us * 3 / 4;
    u32 left = to - from;

    while (left) {
        u32 before = left;
        for (u32 k = from; k < to; k++) {
            gx_launch *l = &g->launches[k - from];
            gx_source *s = jobs[k].is_source ? &g->sources[k - from] : NULL;
            if (jobs[k].status != GX_NEED || !__atomic_load_n(s ? &s->done : &l->done, __ATOMIC_ACQUIRE))
                continue;
            if (left == to - from) {
                const u64 took = gx_now_us() - began, most = OUTLIER * g->first_us;
                g->first_us = took < g->first_us || !g->first_us
                    ? took
                    : g->first_us + ((took < most ? took : most) - g->first_us) / 8;
            }
            if (s)
                collect_page(g, &jobs[k], s);
            else
                collect(g, &jobs[k], l);
            left--;
            if (done)
                done(ctx, k);
        }
        if (left == before) {
            const u64 now = gx_now_us();
            if (now - asked > QUERY_US) {
                cudaError_t e = cudaStreamQuery(g->server ? g->server->stream : g->stream);
                asked = now;
                if (e != cudaSuccess && e != cudaErrorNotReady)
                    return check(g, e, "a kernel failed");
            }
            rest(pause_us);
            pause_us = gx_now_us() - began;
            pause_us = pause_us / 16 < POLL_US ? pause_us / 16 : pause_us / 32 > POLL_US ? pause_us / 32 : POLL_US;
        }
    }
    return 0;
}

/* ---- the persistent dispatcher ---- */

extern "C" gx_gpu_server *gx_gpu_serve(int device, char *why, size_t size)
{
    gx_gpu_server *s = (gx_gpu_server *)calloc(1, sizeof *s);
    cudaDeviceProp p;
    int blocks = 0;
    cudaError_t e = s ? cudaSetDevice(device) : cudaErrorMemoryAllocation;

    if (e == cudaSuccess)
        e = cudaGetDeviceProperties(&p, device);
    if (e == cudaSuccess)
        e = cudaDeviceSetLimit(cudaLimitStackSize, STACK_BYTES);
    if (e == cudaSuccess)
        e = gx_block_room(&blocks);
    if (e == cudaSuccess)
        e = cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking);
    if (e == cudaSuccess)
        e = cudaHostAlloc((void **)&s->ring, sizeof *s->ring, cudaHostAllocMapped | cudaHostAllocPortable);
    if (e == cudaSuccess)
        e = cudaMalloc((void **)&s->state, sizeof *s->state);
    if (e == cudaSuccess)
        e = cudaMemset(s->state, 0, sizeof *s->state);
    if (e == cudaSuccess) {
        s->device = device;
        memset(s->ring, 0, sizeof *s->ring);
        e = gx_block_stay(s->ring, s->state, (u32)(blocks * p.multiProcessorCount), s->stream);
    }
    if (e == cudaSuccess)
        return s;
    snprintf(why, size, "%s", s ? cudaGetErrorString(e) : "no memory");
    if (s) {
        cudaFreeHost(s->ring);
        cudaFree(s->state);
        free(s);
    }
    return NULL;
}

extern "C" void gx_gpu_unserve(gx_gpu_server *s)
{
    if (!s)
        return;
    cudaSetDevice(s->device);
    s->ring->stop = 1;
    cudaStreamSynchronize(s->stream);
    cudaStreamDestroy(s->stream);
    cudaFreeHost(s->ring);
    cudaFree(s->state);
    free(s);
}

extern "C" void gx_gpu_use(gx_gpu *g, gx_gpu_server *server) { g->server = server; }

/* Posters reserve their entries, write them, and ring the bell in the order in which they reserved. */
static void post(gx_gpu_server *s, gx_launch *launches, u32 n, gx_outbox out)
{
    const u64 at = __atomic_fetch_add(&s->reserved, n, __ATOMIC_RELAXED);

    for (u32 k = 0; k < n; k++) {
        gx_ring_entry *e = &s->ring->entry[(at + k) % GX_RING_ENTRIES];
        e->launch = &launches[k];
        e->out = out;
    }
    while (__atomic_load_n(&s->ring->posted, __ATOMIC_ACQUIRE) != at)
        sched_yield();
    __atomic_store_n(&s->ring->posted, at + n, __ATOMIC_RELEASE);
}

/* The jobs of one launch, and how many threads a block has: to parse, to evaluate, to write */
typedef struct batch { u32 n, small, has_sources; u64 longest; } batch;

static u32 small_threads(const batch *b) { return b->small < MANY_SOURCES ? SOURCE_THREADS : 32; }
static u32 parse_threads(const batch *b) { return b->longest > LONG_BYTES ? LONG_THREADS : MIDDLE_THREADS; }
static u32 machine_threads(const gx_gpu *g, const batch *b)
{
    return b->longest > LONG_BYTES && b->n - b->small <= g->processors ? BLOCK_THREADS : MANY_THREADS;
}

static cudaError_t start_sources(gx_gpu *g, const batch *b)
{
    cudaError_t e = cudaSuccess;
    if (b->small)
        e = gx_source_blocks(g->sources, g->launches, b->small, small_threads(b), g->stream);
    if (b->n > b->small && e == cudaSuccess)
        e = gx_source_blocks(g->sources + b->small, g->launches + b->small, b->n - b->small, parse_threads(b),
                             g->stream);
    return e;
}

static cudaError_t start_pages(gx_gpu *g, const batch *b)
{
    cudaError_t e = cudaSuccess;
    if (b->small)
        e = gx_page_blocks(g->sources, g->launches, b->small, g->out, small_threads(b), g->stream);
    if (b->n > b->small && e == cudaSuccess)
        e = gx_page_blocks(g->sources + b->small, g->launches + b->small, b->n - b->small, g->out, PAGE_THREADS,
                           g->stream);
    return e;
}

/* Before step k of sources */
static void step(gx_gpu *g, u32 k)
{
    if (g->step[k] && cudaEventRecord(g->step[k], g->stream) != cudaSuccess)
        cudaGetLastError();             /* forgotten: nothing but figures depends on it */
}

static int start(gx_gpu *g, const batch *b, u32 lanes)
{
    unsigned long long *top = g->out.top;

    g->out.top = g->out.next;
    g->out.next = top;
    if (g->server) {
        post(g->server, g->launches, b->n, g->out);
        return 0;
    }
    cudaGetLastError();                 /* a launch's error is this thread's last one: not what failed before, and had
                                           another way */
    step(g, 0);
    step(g, 1);
    cudaError_t e = b->has_sources ? start_sources(g, b) : cudaSuccess;
    step(g, 2);
    if (b->small && e == cudaSuccess)
        e = lanes ? gx_lane_launch(g->launches, b->small, g->out, lanes, g->stream)
                  : gx_block_launch(g->launches, b->small, g->out, SMALL_THREADS, g->stream);
    if (b->n > b->small && e == cudaSuccess)
        e = gx_block_launch(g->launches + b->small, b->n - b->small, g->out, machine_threads(g, b), g->stream);
    step(g, 3);
    if (b->has_sources && e == cudaSuccess)
        e = start_pages(g, b);
    step(g, 4);
    step(g, 5);
    return check(g, e, "kernels cannot be launched");
}

/* ---- batches ---- */

extern "C" int gx_gpu_batch(gx_gpu *g, gx_gpu_job *jobs, u32 n, u32 lanes, void (*done)(void *ctx, u32 k), void *ctx)
{
    CHECK(cudaSetDevice(g->device));
    for (u32 from = 0, to; from < n; from = to) {
        batch b = { 0, 0, 0, 0 };                       /* small: leading jobs of small documents */
        u64 taken = 0;
        for (to = from; to < n && to - from < g->room.batch; to++) {
            gx_launch *l = &g->launches[to - from];
            fill(l, &jobs[to]);
            jobs[to].status = GX_NEED;                  /* not ended yet */
            jobs[to].is_full = 0;
            if (!place(g, l, &g->sources[to - from], &jobs[to], &taken))
                break;
            b.has_sources |= jobs[to].is_source != 0;
            b.small += b.small == to - from && gx_gpu_is_small(jobs[to].doc_size);
            b.longest = jobs[to].doc_size > b.longest ? jobs[to].doc_size : b.longest;
        }
        if (to == from) {                               /* larger than all of the memory */
            jobs[to].status = GX_EARENA;
            if (done)
                done(ctx, to);
            to++;
            continue;
        }
        b.n = to - from;
        int e = start(g, &b, lanes);
        if (!e)
            e = await(g, jobs, from, to, done, ctx);
        if (e)
            return e;
    }
    return 0;
}

/* One block a multiprocessor at most: two are no faster on 5 million nodes and 30% slower on 65,000, where barriers are
 * what costs, and small requests find room beside one. Fewer for small documents: a barrier of fewer blocks is shorter.
 * */
static u32 grid_blocks(const gx_gpu *g, u64 doc_size)
{
    const u64 wanted = doc_size >> 16 < 16 ? 16 : doc_size >> 16;
    return wanted < g->grid_blocks ? (u32)wanted : g->grid_blocks;
}

/* For the grid's kernel: the first SPIN_US by looking again and again, then with pauses of a sixteenth of the time so
 * far. (cudaStreamSynchronize keeps a core busy for as long as the kernel takes.) */
static cudaError_t await_end(gx_gpu *g)
{
    const u64 began = gx_now_us();
    cudaError_t e;

    while ((e = cudaEventQuery(g->end)) == cudaErrorNotReady) {
        const u64 took = gx_now_us() - began;
        if (took > SPIN_US)
            rest(took / 16);
    }
    return e;
}

static int grid_machine(gx_gpu *g, gx_gpu_job *j, double *device_us)
{
    gx_launch *l = g->grid_launch;
    float ms = 0;

    fill(l, j);
    if (j->params_size > GRID_PARAMS) {
        j->status = GX_EARENA;
        return 0;
    }
    l->copy = g->grid_params;
    l->arena = g->grid_arena + g->grid_used;
    l->kept_bytes = ((g->room.grid - g->grid_used) / 2) & ~(u64)63;
    l->arena_bytes = 2 * l->kept_bytes;
    l->near = g->grid_out;
    l->near_size = g->grid_out && !j->is_source ? GRID_NEAR : 0;
    CHECK(cudaSetDevice(g->device));
    if (j->params_size)
        CHECK(cudaMemcpyAsync(g->grid_params, j->params, j->params_size, cudaMemcpyHostToDevice, g->stream));
    CHECK(cudaMemsetAsync(g->grid_shared, 0, GX_GRID_SHARED_BYTES, g->stream));
    CHECK(cudaEventRecord(g->begin, g->stream));
    CHECK(gx_grid_launch(l, g->grid_shared, grid_blocks(g, j->doc_size), g->stream));
    CHECK(cudaEventRecord(g->end, g->stream));
    CHECK(await_end(g));
    CHECK(cudaEventElapsedTime(&ms, g->begin, g->end));
    if (device_us)
        *device_us = ms * 1e3;
    j->status = l->done ? (gx_status)(l->done - 1) : GX_EBAD;
    j->image_size = l->used;
    if (j->status == GX_OK && j->most && l->used > j->most)
        j->status = GX_EARENA;
    if (j->status != GX_OK || j->is_source)
        return 0;
    if (l->used > l->near_size) {
        if (l->used > g->grid_out_cap && grid_out(g, l->used + l->used / 4 + (1u << 20))) {
            j->status = GX_EARENA;
            return 0;
        }
        CHECK(cudaMemcpyAsync(g->grid_out, l->arena, l->used, cudaMemcpyDeviceToHost, g->stream));
        CHECK(cudaStreamSynchronize(g->stream));
    }
    j->image = g->grid_out;
    return 0;
}

/* ---- one large source: parsed, evaluated and written by the grid, one after the other ---- */

/* The source into device memory. While its next piece is on its way, the last one's chunks are looked at, and its
 * tokens read. all: the request's, which is on the device, too */
static int grid_feed(gx_gpu *g, const gx_gpu_job *j, char *d_bytes, const gx_coming *all)
{
    const u64 size = up_to(j->doc_size + j->base_len, 16), table = GX_BYTES_STRINGS * sizeof(u64);
    u32 from = 0;
    CHECK(cudaEventRecord(g->fed, g->stream));          /* the memory is ours from there on */
    CHECK(cudaStreamWaitEvent(g->feed, g->fed, 0));
    CHECK(cudaMemsetAsync(all->found, 0, 2 * sizeof(u32), g->stream));
    CHECK(cudaMemsetAsync(all->state, 0, sizeof(u32), g->stream));
    CHECK(cudaMemsetAsync(all->before, 0, sizeof *all->before, g->stream));
    if (all->come.most) {
        CHECK(cudaMemsetAsync(all->come.strings, 0, table, g->stream));
        CHECK(cudaMemsetAsync(all->come.strings_first, 0xff, table, g->stream));
    }
    for (u64 at = 0; at < size; at += FEED_BYTES) {
        const u64 end = size - at < FEED_BYTES ? size : at + FEED_BYTES;
        CHECK(cudaMemcpyAsync(d_bytes + at, (const char *)j->host + at, end - at, cudaMemcpyHostToDevice, g->feed));
        CHECK(cudaEventRecord(g->fed, g->feed));
        CHECK(cudaStreamWaitEvent(g->stream, g->fed, 0));
        const u32 to = gx_chunks_known(end, j->doc_size);
        CHECK(gx_bytes_chunks(&g->grid_words->request, from, to, g->stream));
        from = to;
    }
    return 0;
}

/* Its block, j->doc, or j->status says why there is none. It stays in the arena if that leaves most of it, else *copy
 * is memory of its own. d_bytes: room for the source */
static int grid_parse(gx_gpu *g, gx_gpu_job *j, char *d_bytes, void **copy)
{
    gx_bytes_request r;
    gx_bytes_answer a;
    u32 blocks = 0, most = (u32)(j->doc_size / GX_COME_TOKEN_BYTES) + 1;
    memset(&r, 0, sizeof r);
    r.bytes = d_bytes;
    r.n = j->doc_size;
    r.seed = j->seed;
    r.spaces = j->program;
    r.base_uri = d_bytes + j->doc_size;
    r.base_uri_len = j->base_len;
    r.limits = j->limits;
    r.arena = g->grid_arena;
    r.arena_bytes = g->room.grid;
    if (gx_chunks_lay(NULL, NULL, j->doc_size, most) > r.arena_bytes / 4)
        most = 0;                       /* the block needs the room */
    const u64 chunks = gx_chunks_lay(NULL, NULL, j->doc_size, most) + 128;
    if (j->doc_size > 0x7fffffff || chunks > r.arena_bytes) {
        j->status = GX_EARENA;
        return 0;
    }
    r.arena_bytes = (r.arena_bytes - chunks) & ~(u64)127;
    gx_chunks_lay(&r.chunks, g->grid_arena + r.arena_bytes, j->doc_size, most);
    CHECK(gx_bytes_grid_blocks(&blocks));
    CHECK(cudaMemcpyAsync(&g->grid_words->request, &r, sizeof r, cudaMemcpyHostToDevice, g->stream));
    const int e = grid_feed(g, j, d_bytes, &r.chunks);
    if (e)
        return e;
    step(g, 1);
    CHECK(cudaMemsetAsync(g->grid_shared, 0, GX_GRID_SHARED_BYTES, g->stream));
    CHECK(gx_bytes_grid(&g->grid_words->request, &g->grid_words->parsed, g->grid_shared, blocks, g->stream));
    CHECK(cudaMemcpyAsync(&a, &g->grid_words->parsed, sizeof a, cudaMemcpyDeviceToHost, g->stream));
    CHECK(cudaStreamSynchronize(g->stream));
    j->status = (gx_status)a.status;
    if (j->status != GX_OK)
        return 0;
    j->doc = (const gx_doc *)(g->grid_arena + a.doc);
    if (up_to(a.doc + a.size, 128) <= g->room.grid / 4) {
        g->grid_used = up_to(a.doc + a.size, 128);
        return 0;
    }
    *copy = take(g, a.size + 16);
    if (!*copy) {
        j->status = GX_EARENA;
        return 0;
    }
    CHECK(cudaMemcpyAsync(*copy, j->doc, a.size, cudaMemcpyDeviceToDevice, g->stream));
    j->doc = (const gx_doc *)*copy;
    return 0;
}

static int grid_page(gx_gpu *g, gx_gpu_job *j)
{
    const gx_launch *l = g->grid_launch;
    const u64 used = up_to(l->used, 128);
    const u64 room = g->room.grid - g->grid_used;
    const gx_page_request r = { j->program, l->arena, j->doc, j->page_most, l->arena + used,
                                room > used ? room - used : 0 };
    gx_page_answer a;
    gx_doc head;
    u32 blocks = 0;
    CHECK(gx_page_grid_blocks(&blocks));
    CHECK(cudaMemsetAsync(g->grid_shared, 0, GX_GRID_SHARED_BYTES, g->stream));
    CHECK(gx_page_grid(&r, &g->grid_words->page, g->grid_shared, blocks, g->stream));
    CHECK(cudaMemcpyAsync(&a, &g->grid_words->page, sizeof a, cudaMemcpyDeviceToHost, g->stream));
    CHECK(cudaMemcpyAsync(&head, j->doc, sizeof head, cudaMemcpyDeviceToHost, g->stream));
    CHECK(cudaStreamSynchronize(g->stream));
    j->status = (gx_status)a.status;
    j->n_nodes = head.n_nodes;
    j->result_bytes = l->used;
    j->image_size = a.size;
    if (j->status != GX_OK)
        return 0;
    if (a.size > g->grid_out_cap && grid_out(g, a.size + a.size / 4 + (1u << 20))) {
        cudaGetLastError();
        j->status = GX_EARENA;
        return 0;
    }
    step(g, 4);
    CHECK(cudaMemcpyAsync(g->grid_out, r.arena + a.at, a.size, cudaMemcpyDeviceToHost, g->stream));
    CHECK(cudaStreamSynchronize(g->stream));
    j->image = g->grid_out;
    return 0;
}

static int grid_source(gx_gpu *g, gx_gpu_job *j, double *device_us)
{
    step(g, 0);
    char *d_bytes = (char *)take(g, up_to(j->doc_size + j->base_len, 16) + 16);
    void *copy = NULL;
    int e = 0;
    j->status = d_bytes ? GX_OK : GX_EARENA;
    if (j->status == GX_OK)
        e = grid_parse(g, j, d_bytes, &copy);
    step(g, 2);
    if (!e && j->status == GX_OK)
        e = grid_machine(g, j, device_us);
    step(g, 3);
    if (!e && j->status == GX_OK)
        e = grid_page(g, j);
    step(g, 5);
    g->grid_used = 0;
    j->doc = NULL;
    if (copy)
        gx_gpu_forget(copy);
    if (d_bytes)
        gx_gpu_forget(d_bytes);
    return e;
}

extern "C" int gx_gpu_grid(gx_gpu *g, gx_gpu_job *j, double *device_us)
{
    if (!g->grid_launch) {
        j->status = GX_EARENA;
        return 0;
    }
    CHECK(cudaSetDevice(g->device));
    return j->is_source ? grid_source(g, j, device_us) : grid_machine(g, j, device_us);
}

extern "C" int gx_gpu_time_steps(gx_gpu *g)
{
    CHECK(cudaSetDevice(g->device));
    for (u32 i = 0; i <= GX_GPU_STEPS; i++)
        CHECK(cudaEventCreate(&g->step[i]));
    return 0;
}

extern "C" int gx_gpu_steps(gx_gpu *g, double us[GX_GPU_STEPS])
{
    cudaSetDevice(g->device);
    if (!g->step[GX_GPU_STEPS] || cudaStreamSynchronize(g->stream) != cudaSuccess)
        return 0;
    for (u32 i = 0; i < GX_GPU_STEPS; i++) {
        float ms = 0;
        if (cudaEventElapsedTime(&ms, g->step[i], g->step[i + 1]) != cudaSuccess)
            return 0;
        us[i] = ms * 1e3;
    }
    return 1;
}
