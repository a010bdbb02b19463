/*
 * gpu.c -- the GPU dispatcher: batches of small requests, a block each; large documents one at a time on the grid team
 *
 * Some threads a device, each with a stream, arenas and staging of its own. A thread takes what waits (up to a batch), copies each
 * document into its pinned staging memory and checks it there, launches one kernel, and answers each request as its block ends; the next
 * thread gathers meanwhile. A document too large for a block's slot goes to the device's grid team, which one thread at a time may use.
 *
 * Whatever a GPU team cannot do or end well (parameters, host steps, an arena that is full, an error, whose sentence the host words) is
 * answered GX_EHOST or GX_EARENA: the httpd thread evaluates it itself. A CUDA error ends this process: nothing of it can be trusted
 * after that; requests in flight are given back and the parent starts another worker.
 */
#ifdef GX_CUDA
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "dispatch.h"
#include "../kernels/gpu.h"

#define THREADS 4                       /* a device: one batch runs, others gather, check and answer */
#define BATCH 256u
#define ARENA_BYTES (1u << 20)          /* of a block's slot, a quarter of it for the document */
#define DOC_BYTES (ARENA_BYTES / 4)
#define GRID_BYTES ((u64)4 << 30)
#define STEPS 20000000u                 /* of a request without a budget of its own: a second or so; then the CPU has it, with a clock */
#define MAX_DEVICES 16
#define LOOK_US 200000u

typedef struct device {
    int index;
    gx_gpu *grid;                       /* NULL: no memory for it */
    pthread_mutex_t lock;               /* of grid */
} device;

typedef struct gpu_thread {
    gx_worker *w;
    device *dev;
    pthread_t id;
    gx_gpu *gpu;
    char *staging;                      /* BATCH x DOC_BYTES, pinned */
    u32 hint;
    int started, ended;
    gx_queue_job job[BATCH];
    gx_worker_program *program[BATCH];
    gx_gpu_job run[BATCH];
    u32 slot_of[BATCH];                 /* run -> job */
} gpu_thread;

typedef struct gpu_state { int n_devices, n_threads; device dev[MAX_DEVICES]; gpu_thread *thread[MAX_DEVICES * THREADS]; } gpu_state;

/* where a program lies on each device */
typedef struct copies { void *at[MAX_DEVICES]; } copies;

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static void forget(void *resident)
{
    copies *c = resident;
    for (int i = 0; i < MAX_DEVICES; i++)
        if (c->at[i])
            gx_gpu_forget(c->at[i]);
    free(c);
}

static const gx_program *on_device(gpu_thread *t, gx_worker_program *p)
{
    pthread_mutex_lock(&making);
    if (!p->resident) {
        p->resident = calloc(1, sizeof(copies));
        p->forget = forget;
    }
    copies *c = p->resident;
    int k = t->dev->index;
    if (c && !c->at[k])
        c->at[k] = gx_gpu_put(t->gpu, p->block, p->size);
    const gx_program *at = c ? c->at[k] : NULL;
    pthread_mutex_unlock(&making);
    return at;
}

static void answer(gpu_thread *t, u32 k, gx_status status, const char *sentence, const void *image, u64 size)
{
    gx_error err;
    if (status != GX_OK)
        gx_fail(&err, status, "", 0, 0, "%s", sentence);
    gx_queue_finish(t->w->queue, &t->job[k], status, status == GX_OK ? NULL : &err, image, size);
    gx_worker_program_done(t->program[k]);
    t->program[k] = NULL;
}

static void lost(gpu_thread *t, const gx_gpu *g)
{
    fprintf(stderr, "gpuxml-worker: device %d is lost: %s\n", t->dev->index, gx_gpu_error(g));
    _exit(3);
}

static void answer_run(gpu_thread *t, u32 k, const gx_gpu_job *j)
{
    if (j->status == GX_OK)
        answer(t, k, GX_OK, NULL, j->image, j->image_size);
    else
        answer(t, k, j->status == GX_EARENA ? GX_EARENA : GX_EHOST, "not on the GPU", NULL, 0);
}

static void done(void *ctx, u32 r)
{
    gpu_thread *t = ctx;
    answer_run(t, t->slot_of[r], &t->run[r]);
}

/* a document that is too large for a block: copied, checked, put on the device, evaluated by the grid team */
static void large(gpu_thread *t, u32 k, const gx_program *program)
{
    gx_queue_job *job = &t->job[k];
    u64 size = job->request.doc.size;
    char *doc = t->dev->grid ? malloc(size) : NULL;
    gx_gpu_job j;
    gx_error err;
    void *d = NULL;
    memset(&j, 0, sizeof j);
    j.status = GX_EARENA;
    if (doc) {
        memcpy(doc, gx_queue_at(t->w->queue, job->request.doc), size);
        if (gx_doc_check(doc, size, &err) != GX_OK)
            j.status = GX_EBAD;
        else {
            pthread_mutex_lock(&t->dev->lock);
            d = gx_gpu_put(t->dev->grid, doc, size);
            j.program = program;
            j.doc = d;
            j.doc_size = size;
            j.recursion = job->request.limits.recursion;
            j.steps = job->request.limits.steps ? job->request.limits.steps : (u64)STEPS * 100;
            if (d && gx_gpu_grid(t->dev->grid, &j, NULL))
                lost(t, t->dev->grid);
            answer_run(t, k, &j);
            gx_gpu_forget(d);
            pthread_mutex_unlock(&t->dev->lock);
            free(doc);
            return;
        }
    }
    free(doc);
    answer(t, k, j.status, "not on the GPU", NULL, 0);
}

static void serve_batch(gpu_thread *t, u32 n)
{
    u32 runs = 0;
    for (u32 k = 0; k < n; k++) {
        gx_queue_job *job = &t->job[k];
        gx_limits limits = job->request.limits;
        gx_error err;
        const gx_program *program;
        u64 size = job->request.doc.size;
        gx_status status = gx_worker_program_get(t->w, job, &t->program[k], &err);
        gx_limits_default(&limits);
        if (status != GX_OK) {
            t->program[k] = NULL;
            gx_queue_finish(t->w->queue, job, status, &err, NULL, 0);
            continue;
        }
        if (t->program[k]->block->flags & GX_P_HOST || job->request.params.size || !(program = on_device(t, t->program[k]))) {
            answer(t, k, GX_EHOST, "not on the GPU", NULL, 0);
            continue;
        }
        if (size > DOC_BYTES) {
            large(t, k, program);
            continue;
        }
        char *doc = t->staging + (u64)runs * DOC_BYTES;
        memcpy(doc, gx_queue_at(t->w->queue, job->request.doc), size);
        if (gx_doc_check(doc, size, &err) != GX_OK) {
            answer(t, k, GX_EBAD, err.text, NULL, 0);
            continue;
        }
        gx_gpu_job *j = &t->run[runs];
        memset(j, 0, sizeof *j);
        j->program = program;
        j->doc_host = doc;
        j->doc_size = size;
        j->recursion = limits.recursion;
        j->steps = limits.steps ? limits.steps : STEPS;
        t->slot_of[runs++] = k;
    }
    if (runs && gx_gpu_batch(t->gpu, t->run, runs, 0, done, t))
        lost(t, t->gpu);
}

static void *serve(void *arg)
{
    gpu_thread *t = arg;
    gx_worker_thread_begin();
    while (!__atomic_load_n(&t->w->stop, __ATOMIC_ACQUIRE)) {
        u32 n = (u32)gx_queue_take_wait(t->w->queue, &t->hint, &t->job[0], LOOK_US, 20);
        if (!n)
            continue;
        while (n < BATCH && gx_queue_take(t->w->queue, &t->hint, &t->job[n]))
            n++;
        serve_batch(t, n);
    }
    __atomic_store_n(&t->ended, 1, __ATOMIC_RELEASE);
    return NULL;
}

static gx_status gpu_start(gx_worker *w, char *engine, size_t size, gx_error *err)
{
    char why[256];
    int n, first = 0, last;
    if (!strcmp(w->device, "cpu"))
        return gx_fail(err, GX_EHOST, "", 0, 0, "the CPU is asked for");
    n = gx_gpu_devices(why, sizeof why);
    last = n < MAX_DEVICES ? n : MAX_DEVICES;
    if (strcmp(w->device, "auto") != 0) {
        first = atoi(w->device);
        last = first < n && first >= 0 ? first + 1 : 0;
    }
    if (last <= first)
        return gx_fail(err, GX_EHOST, "", 0, 0, "%s", n ? "there is no such device" : why);
    gpu_state *state = calloc(1, sizeof *state);
    if (!state)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "no memory");
    w->state = state;
    for (int d = first; d < last; d++) {
        device *dev = &state->dev[state->n_devices];
        dev->index = d;
        pthread_mutex_init(&dev->lock, NULL);
        dev->grid = gx_gpu_open(d, 0, 0, GRID_BYTES, why, sizeof why);
        state->n_devices++;
        for (int i = 0; i < THREADS; i++) {
            gpu_thread *t = calloc(1, sizeof *t);
            if (!t)
                return gx_fail(err, GX_ENOMEM, "", 0, 0, "no memory");
            t->w = w;
            t->dev = dev;
            t->hint = (u32)(d * THREADS + i) * 64;
            t->gpu = gx_gpu_open(d, BATCH, ARENA_BYTES, 0, why, sizeof why);
            t->staging = t->gpu ? gx_gpu_pinned(t->gpu, (u64)BATCH * DOC_BYTES) : NULL;
            if (!t->staging) {
                free(t);
                if (i == 0 && state->n_threads == 0)
                    return gx_fail(err, GX_EHOST, "", 0, 0, "device %d: %s", d, why);
                break;
            }
            state->thread[state->n_threads++] = t;
        }
    }
    for (int i = 0; i < state->n_threads; i++)
        state->thread[i]->started = pthread_create(&state->thread[i]->id, NULL, serve, state->thread[i]) == 0;
    if (!state->thread[0]->started)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "no thread can be started");
    snprintf(engine, size, "gpu, %d x %s", state->n_devices, gx_gpu_name(state->thread[0]->gpu));
    return GX_OK;
}

static void gpu_stop(gx_worker *w)
{
    gpu_state *state = w->state;
    struct timespec pause = { 0, 10000000 };
    for (int tries = 0; tries < 100; tries++) {
        int running = 0;
        for (int i = 0; i < state->n_threads; i++)
            running += state->thread[i]->started && !__atomic_load_n(&state->thread[i]->ended, __ATOMIC_ACQUIRE);
        if (!running)
            return;
        nanosleep(&pause, NULL);
    }
}

const gx_dispatcher gx_dispatch_cuda = { "gpu", gpu_start, gpu_stop };
#else
/* ISO C wants something in a file */
typedef int gx_no_gpu;
#endif
