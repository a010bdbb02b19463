/*
 * cpu.c -- the dispatcher without a GPU: threads, each a team of one
 *
 * A thread takes a request, copies document and params out of shared memory, checks, evaluates in its own arena and hands the
 * used part of the arena back. It keeps its arena, its document buffer and its last program, so a request allocates nothing.
 *
 * One thread at a time looks for work without sleeping, for 20 microseconds after its last request; the others sleep.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <apr_pools.h>
#include "dispatch.h"

#define SPIN_US 20u
#define LOOK_US 200000u                 /* the longest sleep: how soon w->stop is seen */
#ifndef LONGEST_US                      /* t/63-gpu-host.t has less */
#define LONGEST_US 60000000u            /* of one evaluation, whatever deadline the request names: what takes longer is for who asks */
#endif
#define KEEP_BYTES (4u << 20)           /* a document buffer above this is not kept */

typedef struct cpu_thread {
    gx_worker *w;
    pthread_t id;
    u32 hint;
    int ended;                  /* atomic */
    gx_arena *arena;
    apr_pool_t *pool;
    char *doc;                  /* private copy of the request's */
    u64 doc_cap;
    gx_worker_program *program; /* the last request's */
} cpu_thread;

typedef struct cpu_state {
    int looking;                /* atomic: a thread spins */
    int n;                      /* that run */
    cpu_thread thread[];
} cpu_state;

static gx_status copy_doc(cpu_thread *t, const gx_queue_job *job, gx_error *err)
{
    u64 size = job->request.doc.size;
    if (size > t->doc_cap) {
        free(t->doc);
        u64 cap = size < 65536 ? 65536 : size;
        t->doc = (char *)malloc(cap);
        t->doc_cap = t->doc ? cap : 0;
        if (!t->doc)
            return gx_fail(err, GX_ENOMEM, "", 0, 0, "the worker has no memory for a document of %llu bytes", (unsigned long long)size);
    }
    memcpy(t->doc, gx_queue_at(t->w->queue, job->request.doc), size);
    return gx_doc_check(t->doc, size, err);
}

typedef struct cpu_serving { gx_worker *w; const gx_queue_job *job; } cpu_serving;

static int is_over(void *data)
{
    const cpu_serving *s = (const cpu_serving *)data;
    return __atomic_load_n(&s->w->stop, __ATOMIC_RELAXED) || !gx_queue_wanted(s->w->queue, s->job);
}

static void serve_one(cpu_thread *t, gx_queue_job *job)
{
    const double cpu_us = gx_thread_cpu_us();
    gx_evaluation ev;
    gx_limits limits = job->request.limits;
    gx_error err;
    char *bytes = NULL;
    gx_param *params = NULL;
    const void *image = NULL;
    u64 used = 0;
    cpu_serving serving = { t->w, job };
    memset(&ev, 0, sizeof ev);
    gx_limits_default(&limits);
    if (limits.arena > t->w->arena_bytes)
        limits.arena = t->w->arena_bytes;

    gx_status status = gx_worker_program_next(t->w, job, &t->program, &err);
    if (status == GX_OK && (t->program->block->flags & GX_P_HOST))
        status = gx_fail(&err, GX_EHOST, "", 0, 0, "the stylesheet has steps that only the server can take");
    if (status == GX_OK && job->request.resident)
        status = gx_fail(&err, GX_EABSENT, "", 0, 0, "these threads keep no documents");
    if (status == GX_OK)
        status = copy_doc(t, job, &err);
    if (status == GX_OK)
        status = gx_worker_params(t->w, job, &bytes, &params, &ev.n_params, &err);
    if (status == GX_OK) {
        u64 longest = job->started_us + LONGEST_US, deadline = job->request.deadline_us;
        ev.program = t->program->block;
        ev.doc = (const gx_doc *)t->doc;
        ev.params = params;
        ev.limits = &limits;
        ev.team.kind = GX_TEAM_KIND_SOLO;
        ev.team.members = 1;
        ev.arena = t->arena;
        ev.pool = t->pool;
        ev.deadline_us = deadline && deadline < longest ? deadline : longest;
        ev.is_over = is_over;
        ev.is_over_ctx = &serving;
        status = gx_evaluate(&ev, &err);
        if (status == GX_ETIME && ev.deadline_us == longest && gx_now_us() >= longest)
            status = gx_fail(&err, GX_EHOST, "", 0, 0, "the worker's threads give no request so long");
    }
    if (status == GX_OK && ev.n_docs != 1)
        status = gx_fail(&err, GX_EHOST, "", 0, 0, "the result needs documents that only the server has");
    if (status == GX_OK) {
        image = ev.base;
        used = ((const gx_result *)image)->used;
    }
    job->cpu_us = (u32)(gx_thread_cpu_us() - cpu_us);
    if (status != GX_ETIME || !__atomic_load_n(&t->w->stop, __ATOMIC_RELAXED))      /* else another worker, or the waiter itself, begins again */
        gx_queue_finish(t->w->queue, job, status, status == GX_OK ? NULL : &err, image, used);
    free(bytes);
    free(params);
    apr_pool_clear(t->pool);
    if (t->doc_cap > KEEP_BYTES) {
        free(t->doc);
        t->doc = NULL;
        t->doc_cap = 0;
    }
}

static void *serve(void *arg)
{
    cpu_thread *t = (cpu_thread *)arg;
    cpu_state *state = (cpu_state *)t->w->state;
    int fresh = 0;                      /* just served one: the next may be on its way */
    gx_worker_thread_begin();
    while (!__atomic_load_n(&t->w->stop, __ATOMIC_ACQUIRE)) {
        gx_queue_job job;
        int look = fresh && !__atomic_exchange_n(&state->looking, 1, __ATOMIC_ACQ_REL);
        int got = gx_queue_take_wait(t->w->queue, &t->hint, &job, LOOK_US, look ? SPIN_US : 0);
        if (look)
            __atomic_store_n(&state->looking, 0, __ATOMIC_RELEASE);
        fresh = got;
        if (!got)
            continue;
        gx_worker_guard(&job);
        serve_one(t, &job);
        gx_worker_guard(NULL);
    }
    __atomic_store_n(&t->ended, 1, __ATOMIC_RELEASE);
    return NULL;
}

static gx_status make_thread(gx_worker *w, cpu_thread *t, gx_error *err)
{
    gx_status status = gx_arena_create(w->arena_bytes, &t->arena, err);
    if (status != GX_OK)
        return status;
    /* a pool of its own allocator: threads do not meet in malloc's or the root pool's locks */
    apr_allocator_t *allocator;
    if (apr_allocator_create(&allocator) != APR_SUCCESS
        || apr_pool_create_ex(&t->pool, NULL, NULL, allocator) != APR_SUCCESS)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "no memory for a pool");
    apr_allocator_owner_set(allocator, t->pool);
    apr_allocator_max_free_set(allocator, 1 << 20);
    const int error = pthread_create(&t->id, NULL, serve, t);
    return error ? gx_fail(err, GX_ENOMEM, "", 0, 0, "no thread can be started: %s", strerror(error)) : GX_OK;
}

static gx_status cpu_start(gx_worker *w, char *engine, size_t size, gx_error *err)
{
    if (strcmp(w->device, "cpu") != 0 && strcmp(w->device, "auto") != 0)
        return gx_fail(err, GX_EHOST, "", 0, 0, "device %s is no CPU", w->device);
    cpu_state *state = (cpu_state *)calloc(1, sizeof *state + (size_t)w->threads * sizeof(cpu_thread));
    if (!state)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "no memory for %d threads", w->threads);
    w->state = state;
    for (; state->n < w->threads; state->n++) {
        cpu_thread *t = &state->thread[state->n];
        t->w = w;
        t->hint = (u32)state->n * 64;
        gx_status status = make_thread(w, t, err);
        if (status != GX_OK && state->n == 0)
            return status;
        if (status != GX_OK) {      /* where little is allowed (ulimit -v, -u) few threads are better than none */
            fprintf(stderr, "gpuxml-worker: %d threads instead of %d: %s\n", state->n, w->threads, err->text);
            if (t->arena)
                gx_arena_free(t->arena);
            break;
        }
    }
    snprintf(engine, size, "cpu, %d thread%s", state->n, state->n == 1 ? "" : "s");
    return GX_OK;
}

static void cpu_stop(gx_worker *w)
{
    cpu_state *state = (cpu_state *)w->state;
    struct timespec pause = { 0, 10000000 };
    for (int tries = 0; tries < 100; tries++) {
        int running = 0;
        for (int i = 0; i < state->n; i++)
            running += !__atomic_load_n(&state->thread[i].ended, __ATOMIC_ACQUIRE);
        if (!running) {
            for (int i = 0; i < state->n; i++)
                pthread_join(state->thread[i].id, NULL);
            return;
        }
        nanosleep(&pause, NULL);
    }
}

const gx_dispatcher gx_dispatch_cpu = { "cpu", cpu_start, NULL, cpu_stop };
