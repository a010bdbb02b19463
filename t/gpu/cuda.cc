/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda.cc -- a device that is none: memory from malloc, kernels that call the solo team. Each call can be made to fail
 *
 * What fails stands in a file beside the program, PROGRAM.faults, one a line:
 *   devices N               so many devices (1)
 *   memory MiB              each device's (2048)
 *   CALL FROM COUNT ERROR   calls number FROM, counted from 1, and so many more return ERROR and do nothing. 700 and
 * above: the device is
 *                           lost to this process, every later call returns that too. -1: a kernel that never ends.
 * After one of these two the
 *                           file is blank: the next process's device is well. -N: one that takes N ms. CALL is without
 * "cuda"
 *   lost DEVICE             cannot be opened
 *   chaos N                 one of N calls for memory and one of 20 N others fails, one of N launches is slow, one of
 * 50 N never ends; many
 *                           calls take a while
 *   busy US                 a launch takes its thread so much time of a core
 *   stays                   the file: every process has these faults
 * As CUDA does, a call that fails leaves its error for the thread's next cudaGetLastError, which is how launches are
 * asked for theirs.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
extern "C" {
#include "gx.h"
}
#include "../../kernels/bytes.h"
#include "../../kernels/launch.h"
#define GX_KERNELS_MATCH_CUDA
#include "../../kernels/match.h"
#include "../../kernels/source.h"
extern "C" {
#include "document/bytes_run.h"
}
#include "cuda.h"

#define HANGS (-1)
#define MAX_DEVICES 8

typedef struct fault { char call[32]; long from, count; int error; } fault;
typedef struct head { size_t size; int device, kind; } head;            /* before each block */
enum { ON_DEVICE, PINNED };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fault faults[16];
static int n_faults = -1, n_devices = 1, is_lost[MAX_DEVICES], sticky, stays, chaos, busy_us;
static uint64_t chance;
#define MEMORY ((size_t)2 << 30)
static size_t memory = MEMORY, used[MAX_DEVICES];
static long n_blocks, n_calls;
static char *file;             /* WORKER.faults, mapped; NULL: there is none */
static size_t file_size;
static struct { char call[32]; long n; } calls[64];
static thread_local int device, last_error;

static void fault_line(const char *line)
{
    fault f;
    int n;
    memset(&f, 0, sizeof f);
    if (sscanf(line, "devices %d", &n) == 1)
        n_devices = n;
    else if (sscanf(line, "memory %d", &n) == 1)
        memory = (size_t)n << 20;
    else if (sscanf(line, "chaos %d", &n) == 1)
        chaos = n;
    else if (sscanf(line, "busy %d", &n) == 1)
        busy_us = n;
    else if (sscanf(line, "lost %d", &n) == 1)
        is_lost[n] = 1;
    else if (!strncmp(line, "stays", 5))
        stays = 1;
    else if (sscanf(line, "%31s %ld %ld %d", f.call, &f.from, &f.count, &f.error) == 4)
        faults[n_faults++] = f;
}

/* Before main: the worker gives up its right to write files. Written over, the faults are none for the next worker. */
__attribute__((constructor)) static void map_faults(void)
{
    char path[4096];
    struct stat st;
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 16);
    strcpy(path + (n > 0 ? n : 0), ".faults");
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    void *at = fstat(fd, &st) == 0 && st.st_size ? mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
                                                        fd, 0) : MAP_FAILED;
    close(fd);
    if (at != MAP_FAILED) {
        file = (char *)at;
        file_size = (size_t)st.st_size;
    }
}

static void read_faults(void)
{
    char line[256];
    n_faults = 0;
    chance = (uint64_t)getpid() * 0x9e3779b97f4a7c15u;
    for (size_t at = 0, n = 0; at < file_size; at++)
        if (file[at] != '\n' && n + 1 < sizeof line)
            line[n++] = file[at];
        else {
            line[n] = 0;
            n = 0;
            fault_line(line);
        }
}

void fake_cuda_faults(const char *line)
{
    n_faults = sticky = 0;
    memory = MEMORY;
    memset(calls, 0, sizeof calls);
    n_calls = 0;
    fault_line(line);
}

long fake_cuda_blocks(void) { return n_blocks; }
long fake_cuda_calls(void) { return n_calls; }

/* What chaos has this call return, and how long it takes before that */
static int by_chance(const char *call, useconds_t *pause_us)
{
    const int is_launch = !strcmp(call, "block") || !strcmp(call, "lane") || !strcmp(call, "grid"),
    is_memory = strstr(call, "Alloc") != NULL;
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    const uint32_t x = (uint32_t)(chance >> 33), n = (uint32_t)chaos;
    *pause_us = x % 7 == 0 ? x / 7 % 500 : 0;
    if (is_memory)
        return x % n == 0 ? cudaErrorMemoryAllocation : 0;
    if (x % (20 * n) == 0)
        return cudaErrorLaunchFailure;
    return !is_launch ? 0 : x % (50 * n) == 1 ? HANGS : x % n == 2 ? -2 - (int)(x / n % 100) : 0;
}

/* What this call is to return */
static int asked(const char *call)
{
    int e = 0, k = 0;
    useconds_t pause_us = 0;
    pthread_mutex_lock(&lock);
    if (n_faults < 0)
        read_faults();
    n_calls++;
    if (chaos)
        e = by_chance(call, &pause_us);
    while (calls[k].call[0] && strcmp(calls[k].call, call))
        k++;
    strcpy(calls[k].call, call);
    calls[k].n++;
    for (int i = 0; i < n_faults && !e; i++)
        if ((!strcmp(faults[i].call, call) && calls[k].n >= faults[i].from
             && calls[k].n < faults[i].from + faults[i].count)
            || (!strcmp(faults[i].call, "any") && n_calls >= faults[i].from
                && n_calls < faults[i].from + faults[i].count))
            e = faults[i].error;
    if (sticky)
        e = sticky;
    else if (e >= 700)
        sticky = e;
    if ((e >= 700 || e == HANGS) && !stays && file)
        memset(file, '\n', file_size);
    pthread_mutex_unlock(&lock);
    if (pause_us)
        usleep(pause_us);
    if (e > 0)
        last_error = e;
    return e;
}
#define ASK(call) do { const int e_ = asked(call); if (e_) return e_; } while (0)

static cudaError_t failed(int e) { return last_error = e; }

static cudaError_t take(void **out, size_t size, int kind)
{
    head *h;
    pthread_mutex_lock(&lock);
    if (kind == ON_DEVICE && used[device] + size > memory) {
        pthread_mutex_unlock(&lock);
        return failed(cudaErrorMemoryAllocation);
    }
    used[device] += kind == ON_DEVICE ? size : 0;
    n_blocks++;
    pthread_mutex_unlock(&lock);
    h = (head *)((char *)malloc(size + 512) + 256 - sizeof *h);
    h->size = size;
    h->device = device;
    h->kind = kind;
    *out = h + 1;
    return cudaSuccess;
}

static cudaError_t give_back(void *p, int kind)
{
    if (!p)
        return cudaSuccess;
    head *h = (head *)p - 1;
    if (h->kind != kind)
        abort();
    pthread_mutex_lock(&lock);
    used[h->device] -= kind == ON_DEVICE ? h->size : 0;
    n_blocks--;
    pthread_mutex_unlock(&lock);
    free((char *)p - 256);
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    int e = last_error;
    last_error = sticky;
    return e;
}

const char *cudaGetErrorString(cudaError_t e)
{
    return e == cudaErrorMemoryAllocation ? "out of memory" : e == cudaErrorLaunchFailure
    ? "unspecified launch failure" : "some error";
}

cudaError_t cudaGetDeviceCount(int *n)
{
    ASK("GetDeviceCount");
    *n = n_devices;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int d)
{
    ASK("SetDevice");
    if (is_lost[d])
        return failed(cudaErrorDevicesUnavailable);
    device = d;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int d)
{
    ASK("GetDeviceProperties");
    snprintf(p->name, sizeof p->name, "Fake %d", d);
    p->multiProcessorCount = 4;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(int, size_t) { ASK("DeviceSetLimit"); return cudaSuccess; }

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    ASK("MemGetInfo");
    pthread_mutex_lock(&lock);
    *free_bytes = memory > used[device] ? memory - used[device] : 0;
    pthread_mutex_unlock(&lock);
    *total = memory;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s,
                                      unsigned) { ASK("StreamCreateWithFlags"); return take((void **)s, 16, PINNED); }
cudaError_t cudaStreamDestroy(cudaStream_t s) { ASK("StreamDestroy"); return give_back(s, PINNED); }
cudaError_t cudaStreamSynchronize(cudaStream_t) { ASK("StreamSynchronize"); return cudaSuccess; }
cudaError_t cudaStreamQuery(cudaStream_t) { ASK("StreamQuery"); return cudaErrorNotReady; }
cudaError_t cudaEventCreate(cudaEvent_t *e) { ASK("EventCreate"); return take((void **)e, 16, PINNED); }
cudaError_t cudaEventDestroy(cudaEvent_t e) { ASK("EventDestroy"); return give_back(e, PINNED); }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { ASK("EventRecord"); return cudaSuccess; }

cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { ASK("StreamWaitEvent"); return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t) { ASK("EventQuery"); return cudaSuccess; }

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t)
{
    ASK("EventElapsedTime");
    *ms = 1;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **p, size_t size) { ASK("Malloc"); return take(p, size, ON_DEVICE); }
cudaError_t cudaFree(void *p) { ASK("Free"); return give_back(p, ON_DEVICE); }
cudaError_t cudaMallocAsync(void **p, size_t size, cudaStream_t) { ASK("MallocAsync"); return take(p, size,
    ON_DEVICE); }
cudaError_t cudaFreeAsync(void *p, cudaStream_t) { ASK("FreeAsync"); return give_back(p, ON_DEVICE); }
cudaError_t cudaHostAlloc(void **p, size_t size, unsigned) { ASK("HostAlloc"); return take(p, size, PINNED); }
cudaError_t cudaFreeHost(void *p) { ASK("FreeHost"); return give_back(p, PINNED); }
cudaError_t cudaHostRegister(void *, size_t, unsigned) { ASK("HostRegister"); return cudaSuccess; }

cudaError_t cudaHostGetDevicePointer(void **d, void *p, unsigned)
{
    ASK("HostGetDevicePointer");
    *d = p;
    return cudaSuccess;
}

cudaError_t cudaMemset(void *p, int value, size_t size)
{
    ASK("Memset");
    memset(p, value, size);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t size, cudaStream_t) { return cudaMemset(p, value, size); }

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, int, cudaStream_t)
{
    ASK("MemcpyAsync");
    memcpy(to, from, size);
    return cudaSuccess;
}

/* ---- kernels ---- */

static thread_local gx_arena *arena;
static thread_local apr_pool_t *pool;

/* base: where the result lies; *size: its bytes */
static gx_status evaluate(const gx_launch *l, const void **base, u64 *size)
{
    gx_evaluation ev;
    gx_limits limits;
    gx_error err;
    const gx_doc *doc = l->doc;
    gx_status status;
    *size = 0;
    if (!l->program)
        return GX_EABSENT;
    if (!arena && (gx_arena_create(64u << 20, &arena, &err) != GX_OK || apr_pool_create(&pool, NULL) != APR_SUCCESS))
        abort();
    if (!doc) {
        memcpy(l->copy, l->host, l->host_size);
        doc = (const gx_doc *)l->copy;
    }
    if (l->unchecked && gx_doc_check(doc, l->doc_size, &err) != GX_OK)
        return GX_EBAD;
    memset(&ev, 0, sizeof ev);
    memset(&limits, 0, sizeof limits);
    gx_limits_default(&limits);
    limits.recursion = l->recursion;
    limits.steps = l->steps;
    ev.program = l->program;
    ev.doc = doc;
    ev.limits = &limits;
    ev.team.members = 1;
    ev.arena = arena;
    ev.pool = pool;
    ev.deadline_us = l->budget_us ? gx_now_us() + l->budget_us : 0;
    status = gx_evaluate(&ev, &err);
    if (status == GX_OK) {
        *base = ev.base;
        *size = ((const gx_result *)ev.base)->used;
    }
    apr_pool_clear(pool);
    return status == GX_OK && *size > l->kept_bytes ? GX_EARENA : status;
}

/* A kernel that took so long already */
static gx_status evaluate_late(const gx_launch *l, u64 ms, const void **base, u64 *size)
{
    return l->budget_us && ms * 1000 >= l->budget_us ? GX_ETIME : evaluate(l, base, size);
}

static void run(gx_launch *l, gx_outbox out, u64 ms)
{
    const void *base = NULL;
    gx_status status = evaluate_late(l, ms, &base, &l->used);
    __atomic_store_n(out.next, 0, __ATOMIC_RELAXED);        /* kernels of one launch may run beside each other */
    if (status == GX_OK && l->stays)
        memcpy(l->arena, base, l->used);
    else if (status == GX_OK) {
        l->out_at = __atomic_fetch_add(out.top, (l->used + 15) & ~(u64)15, __ATOMIC_RELAXED);
        if (l->out_at + l->used > out.size)
            status = GX_EARENA;
        else
            memcpy(out.base + l->out_at, base, l->used);
    }
    __atomic_store_n(&l->done, 1u + (u32)status, __ATOMIC_RELEASE);
}

typedef struct slow { gx_launch *launches; u32 n, ms; gx_outbox out; } slow;

static void *run_slowly(void *arg)
{
    slow *s = (slow *)arg;
    usleep(s->ms * 1000);
    for (u32 k = 0; k < s->n; k++)
        run(&s->launches[k], s->out, s->ms);
    free(s);
    if (arena) {
        gx_arena_free(arena);
        apr_pool_destroy(pool);
    }
    return NULL;
}

static uint64_t thread_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static cudaError_t launch(const char *call, gx_launch *launches, u32 n, gx_outbox out)
{
    int e = asked(call);
    for (const uint64_t until = thread_us() + (uint64_t)busy_us; thread_us() < until;)
        ;
    for (u32 k = 0; k < n && !e; k++)
        run(&launches[k], out, 0);
    if (e < HANGS) {
        slow *s = (slow *)malloc(sizeof *s);
        pthread_t id;
        *s = { launches, n, (u32)-e, out };
        if (pthread_create(&id, NULL, run_slowly, s) || pthread_detach(id))
            abort();
    }
    return cudaGetLastError();          /* as after <<<>>> */
}

extern "C" cudaError_t gx_block_launch(gx_launch *l, u32 n, gx_outbox out, u32,
                                       cudaStream_t) { return launch("block", l, n, out); }
extern "C" cudaError_t gx_lane_launch(gx_launch *l, u32 n, gx_outbox out, u32,
                                      cudaStream_t) { return launch("lane", l, n, out); }

extern "C" cudaError_t gx_grid_launch(gx_launch *l, struct gx_grid_shared *, u32, cudaStream_t)
{
    const void *base = NULL;
    gx_status status;
    int e = asked("grid");
    while (e == HANGS)
        sleep(1);                       /* in cudaStreamSynchronize, in truth */
    if (e > 0)
        return e;
    usleep((useconds_t)(-e * 1000));
    status = evaluate_late(l, (u64)-e, &base, &l->used);
    if (status == GX_OK && l->used <= l->kept_bytes)
        memcpy(l->used <= l->near_size ? l->near : l->arena, base, l->used);
    l->done = 1u + (u32)status;
    return cudaSuccess;
}

/* ---- sources ---- */

static void parse(gx_source *s, gx_launch *l)
{
    gx_doc *doc;
    memcpy((void *)s->request.bytes, s->host, s->host_size);
    gx_status status = gx_bytes_run_solo(&s->request, &doc);
    if (status == GX_OK && doc->size > s->doc_room)
        status = GX_EARENA;
    if (status == GX_OK) {
        memmove(s->doc, doc, doc->size);
        l->doc = (const gx_doc *)s->doc;
        s->n_nodes = l->doc->n_nodes;
    } else
        l->program = NULL;
    s->status = (u32)status;
}

extern "C" cudaError_t gx_source_blocks(gx_source *sources, gx_launch *launches, u32 n, u32, cudaStream_t)
{
    const int e = asked("source");
    while (e == HANGS)
        sleep(1);                       /* and all behind it, in truth */
    if (e < 0)
        usleep((useconds_t)(-e * 1000));
    for (u32 k = 0; k < n && e <= 0; k++)
        if (sources[k].host_size)
            parse(&sources[k], &launches[k]);
    return e > 0 ? failed(e) : cudaSuccess;
}

static void write(gx_source *s, gx_launch *l, gx_outbox out)
{
    const u64 used = (l->used + 127) & ~(u64)127;
    const gx_page_request r = { l->program, l->arena, l->doc, s->most, l->arena + used,
                                s->arena_bytes > used ? s->arena_bytes - used : 0 };
    const char *page = "";
    u32 size = 0;
    gx_status status = s->status ? (gx_status)s->status : l->done ? (gx_status)(l->done - 1) : GX_EHOST;
    if (status == GX_OK)
        status = gx_page_run_solo(&r, &page, &size);
    __atomic_store_n(out.next, 0, __ATOMIC_RELAXED);
    s->size = size;
    s->used = l->used;
    if (status == GX_OK) {
        s->out_at = __atomic_fetch_add(out.top, (size + 15) & ~(u64)15, __ATOMIC_RELAXED);
        if (s->out_at + size > out.size)
            status = GX_EARENA;
        else
            memcpy(out.base + s->out_at, page, size);
    }
    __atomic_store_n(&s->done, 1u + (u32)status, __ATOMIC_RELEASE);
}

typedef struct late { gx_source *sources; gx_launch *launches; u32 n; gx_outbox out; } late;

/* Behind a machine's kernel that takes its time, and may never end */
static void *write_late(void *arg)
{
    late *w = (late *)arg;
    for (u32 k = 0; k < w->n; k++) {
        if (!w->sources[k].host_size)
            continue;
        while (!__atomic_load_n(&w->launches[k].done, __ATOMIC_ACQUIRE))
            usleep(1000);
        write(&w->sources[k], &w->launches[k], w->out);
    }
    free(w);
    return NULL;
}

extern "C" cudaError_t gx_page_blocks(gx_source *sources, gx_launch *launches, u32 n, gx_outbox out, u32, cudaStream_t)
{
    const int e = asked("page");
    if (e > 0)
        return failed(e);
    if (e == HANGS)
        return cudaSuccess;
    late *w = (late *)malloc(sizeof *w);
    pthread_t id;
    *w = { sources, launches, n, out };
    if (pthread_create(&id, NULL, write_late, w) || pthread_detach(id))
        abort();
    return cudaSuccess;
}

extern "C" cudaError_t gx_bytes_grid_blocks(u32 *blocks) { *blocks = 1; return cudaSuccess; }
extern "C" cudaError_t gx_page_grid_blocks(u32 *blocks) { *blocks = 1; return cudaSuccess; }

extern "C" cudaError_t gx_bytes_grid(const gx_bytes_request *r, gx_bytes_answer *a, void *, u32, cudaStream_t)
{
    gx_doc *doc;
    ASK("bytes");
    a->status = (u32)gx_bytes_run_solo(r, &doc);
    a->doc = a->status ? 0 : (u64)((char *)doc - r->arena);
    a->size = a->status ? 0 : doc->size;
    return cudaSuccess;
}

extern "C" cudaError_t gx_bytes_chunks(const gx_bytes_request *r, u32 from, u32 to, cudaStream_t)
{
    ASK("chunks");
    gx_bytes_run_chunks(r, from, to);
    return cudaSuccess;
}

extern "C" cudaError_t gx_page_grid(const gx_page_request *r, gx_page_answer *a, void *, u32, cudaStream_t)
{
    const char *page = r->arena;
    u32 size = 0;
    ASK("pages");
    a->status = (u32)gx_page_run_solo(r, &page, &size);
    a->size = size;
    a->at = (u64)(page - r->arena);
    return cudaSuccess;
}

extern "C" cudaError_t gx_block_room(int *blocks) { *blocks = 1; return cudaSuccess; }
extern "C" cudaError_t gx_block_stay(gx_ring *, gx_ring_state *, u32,
                                     cudaStream_t) { return failed(cudaErrorLaunchFailure); }

extern "C" cudaError_t gxp_match_room(u32, u32, u32, u32, u32 *blocks) { *blocks = 3; return cudaSuccess; }

extern "C" cudaError_t gxp_match_blocks(const gxp_batch *b, u32, u32, cudaStream_t)
{
    ASK("match");
    for (u32 k = 0; k < b->n; k++) {
        const gxp_request r = { b->flat, (const gxp_tree *)(const void *)(b->trees + b->at[k]), b->scratch,
                                b->most_nodes, b->pool, b->matched + (size_t)k * b->n_words, b->most_work };
        b->status[k] = (u32)gxp_nodes_run_solo(&r);
    }
    return cudaSuccess;
}
