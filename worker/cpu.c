/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu.c -- the dispatcher without a GPU: threads, each a team of one
 *
 * A thread takes a request and evaluates it (solo.c). It keeps its kit and its last program.
 *
 * One thread at a time looks for work without sleeping, for 20 microseconds after its last request; the others sleep.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "dispatch.h"

#define SPIN_US 20u
#define LOOK_US 200000u                 /* the longest sleep: how soon w->stop is seen */

typedef struct cpu_thread {
    gx_worker *w;
    pthread_t id;
    u32 hint;
    int ended;                  /* atomic */
    gx_worker_kit *kit;
    gx_worker_program *program; /* the last request's */
} cpu_thread;

typedef struct cpu_state {
    int looking;                /* atomic: a thread spins */
    int n;                      /* that run */
    cpu_thread thread[];
} cpu_state;

static void serve_one(cpu_thread *t, gx_queue_job *job)
{
    gx_error err;
    if (job->request.is_match) {        /* no faster here than where the document was parsed */
        gx_fail(&err, GX_EHOST, "", 0, 0, "this worker matches no documents");
        gx_queue_finish(t->w->queue, job, GX_EHOST, &err, NULL, 0);
        return;
    }
    const gx_status status = gx_worker_program_next(t->w, job, &t->program, &err);
    if (status == GX_OK)
        (void)gx_worker_solo(t->kit, job, t->program, 0);   /* stopped: another worker, or the waiter itself, begins
                                                               again */
    else
        gx_queue_finish(t->w->queue, job, status, &err, NULL, 0);
}

/* A thread's life: takes a request, evaluates it, until w->stop. One thread at a time spins for the next one, so that
 * requests in a row are taken without waking anybody; others sleep. */
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
    gx_status status = gx_worker_kit_create(w, &t->kit, err);
    if (status != GX_OK)
        return status;
    const int error = pthread_create(&t->id, NULL, serve, t);
    return error ? gx_fail(err, GX_ENOMEM, "", 0, 0, "no thread can be started: %s", strerror(error)) : GX_OK;
}

/* w->threads threads, or as many as there are rights and memory for, one at least. GX_EHOST: another device is wanted.
 * engine: what the status page says, `size` bytes. */
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
            if (t->kit)
                gx_worker_kit_free(t->kit);
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
