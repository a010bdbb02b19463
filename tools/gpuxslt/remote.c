/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.c -- a queue and a worker of this process's own
 *
 * The worker is the program that httpd starts: $GPUXML_WORKER, the one beside this program (a build), or the one that
 * was installed. It ends when this process does. GPUXML_WORKER_SANDBOX=off is GPUXMLWorkerSandbox off of httpd.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "engine/clock.h"
#include "queue/queue.h"
#include "remote.h"

#ifndef GPUXML_LIBEXEC
#define GPUXML_LIBEXEC "/usr/local/lib/gpuxml"
#endif

enum { SLOTS = 4, PROGRAMS = 16, READY_US = 30000000, STEP_US = 100000 };

struct remote {
    gx_queue *queue;
    int pid;
    pthread_mutex_t lock;               /* of the programs */
    gx_queue_program programs[PROGRAMS];
    int n_programs;
    gx_queue_program profiles;          /* block: NULL, there are none */
    u32 n_profiles;
    char engine[64];
};

struct remote_seat {
    remote *remote;
    gx_slot *slot;                      /* whose result is in use */
    const gx_doc *docs[1];
    u32 doc_base[1];
    gx_queue_piece piece;               /* the source that was sent */
};

static const char *worker_path(char path[4200])
{
    const char *named = getenv("GPUXML_WORKER");
    const ssize_t n = readlink("/proc/self/exe", path, 4096);
    if (named)
        return named;
    if (n > 0) {
        path[n] = 0;
        char *slash = strrchr(path, '/');
        if (slash) {
            strcpy(slash, "/gpuxml-worker");
            if (access(path, X_OK) == 0)
                return path;
        }
    }
    return GPUXML_LIBEXEC "/gpuxml-worker";
}

/* All of the pages of the queue are there from the start, so it is no larger than what a comparison needs, or what
 * many seats do. */
static u64 queue_bytes(int seats, u64 seat_bytes, u64 programs_bytes)
{
    const u64 pages = (u64)sysconf(_SC_PHYS_PAGES), page = (u64)sysconf(_SC_PAGESIZE), quarter = pages * page / 4;
    const u64 few = (u64)256 << 20, many = (u64)seats * seat_bytes,
              want = (many > few ? many : few) + 2 * programs_bytes;
    return quarter < want ? quarter : want;
}

/* 0: *why says what became of it. */
static int wait_ready(remote *r, const char *program, char why[400])
{
    for (int waited_us = 0; waited_us < READY_US; waited_us += STEP_US) {
        if (gx_queue_wait_alive(r->queue, STEP_US) == GX_OK)
            return 1;
        if (waitpid(r->pid, NULL, WNOHANG) == r->pid) {
            r->pid = 0;
            snprintf(why, 400, "the worker %.200s ended before it was ready", program);
            return 0;
        }
    }
    snprintf(why, 400, "the worker %.200s did not become ready in %d s", program, READY_US / 1000000);
    return 0;
}

remote *remote_open(int wants_gpu, int seats, u64 seat_bytes, u64 programs_bytes, char why[400])
{
    remote *r = calloc(1, sizeof *r);
    const char *sandbox = getenv("GPUXML_WORKER_SANDBOX");
    const gx_worker_options options = { .device = wants_gpu ? "auto" : "cpu",
                                        .no_sandbox = sandbox && strcmp(sandbox, "off") == 0 };
    char path[4200];
    gx_error err = { 0 };
    const int slots = seats < SLOTS ? SLOTS : seats > (int)GX_QUEUE_MAX_SLOTS ? (int)GX_QUEUE_MAX_SLOTS : seats;
    if (!r || gx_queue_create((u32)slots, queue_bytes(seats, seat_bytes, programs_bytes), &r->queue, &err) != GX_OK) {
        snprintf(why, 400, "no memory to share with a worker: %.300s", err.text);
        free(r);
        return NULL;
    }
    pthread_mutex_init(&r->lock, NULL);
    const char *program = worker_path(path);
    if (gx_worker_spawn(r->queue, program, &options, &r->pid, &err) != GX_OK) {
        snprintf(why, 400, "the worker %.200s cannot be started: %.120s", program, err.text);
        gx_queue_destroy(r->queue);
        free(r);
        return NULL;
    }
    if (!wait_ready(r, program, why)) {
        remote_close(r);
        return NULL;
    }
    gx_queue_engine(r->queue, r->engine);
    if (wants_gpu && strncmp(r->engine, "cpu", 3) == 0) {
        snprintf(why, 400, "there is no GPU that the worker can use: it runs on %s", r->engine);
        remote_close(r);
        return NULL;
    }
    return r;
}

const char *remote_engine(const remote *r) { return r->engine; }

remote_seat *remote_sit(remote *r)
{
    remote_seat *seat = calloc(1, sizeof *seat);
    if (seat)
        seat->remote = r;
    return seat;
}

void remote_let_go(remote_seat *seat)
{
    if (seat->slot)
        gx_queue_release(seat->slot);
    seat->slot = NULL;
}

void remote_rise(remote_seat *seat)
{
    if (seat)
        remote_let_go(seat);
    free(seat);
}

static gx_queue_program *program_of(remote *r, const gx_program *program)
{
    gx_queue_program *found = NULL;
    pthread_mutex_lock(&r->lock);
    for (int i = 0; i < r->n_programs && !found; i++)
        if (r->programs[i].block == program)
            found = &r->programs[i];
    if (!found && r->n_programs < PROGRAMS) {
        found = &r->programs[r->n_programs++];
        gx_queue_program_init(found, program, program->size);
    }
    pthread_mutex_unlock(&r->lock);
    return found;
}

gx_status remote_evaluate(remote_seat *seat, gx_evaluation *ev, gx_error *err)
{
    remote *r = seat->remote;
    gx_queue_result result;
    gx_queue_request request = { .doc = ev->doc,
                                 .doc_size = ev->doc->size,
                                 .program = program_of(r, ev->program),
                                 .params = ev->params,
                                 .n_params = ev->n_params,
                                 .limits = ev->limits,
                                 .deadline_us = ev->deadline_us };
    memset(&result, 0, sizeof result);
    remote_let_go(seat);
    if (!request.program || gx_queue_acquire(r->queue, READY_US, &seat->slot) != GX_OK)
        return GX_EHOST;
    gx_status status = gx_queue_submit(seat->slot, &request);
    if (status == GX_OK)
        status = gx_queue_wait(seat->slot, ev->deadline_us, &result, err);
    if (status == GX_EBUSY || status == GX_EARENA || status == GX_ENOMEM || status == GX_EBAD)
        return GX_EHOST;
    if (status != GX_OK)
        return status;
    seat->docs[0] = ev->doc;
    ev->base = result.base;
    ev->docs = seat->docs;
    ev->doc_base = seat->doc_base;
    ev->n_docs = 1;
    return GX_OK;
}

/* 0: the queue is full, or does not take it */
static int submit(remote_seat *seat, const gx_queue_request *request)
{
    if (gx_queue_acquire(seat->remote->queue, 0, &seat->slot) != GX_OK)
        return 0;
    if (gx_queue_submit(seat->slot, request) == GX_OK)
        return 1;
    remote_let_go(seat);
    return 0;
}
static int wait_for(remote_seat *seat, u64 deadline_us, gx_queue_result *result)
{
    gx_error err = { 0 };
    memset(result, 0, sizeof *result);
    return gx_queue_wait(seat->slot, deadline_us, result, &err) == GX_OK;
}

int remote_ask(remote_seat *seat, const gx_evaluation *ev, const char *bytes, size_t n, const char *base)
{
    remote *r = seat->remote;
    remote_let_go(seat);
    seat->piece = (gx_queue_piece){ bytes, n };
    const gx_queue_request request = { .program = program_of(r, ev->program),
                                       .params = ev->params,
                                       .n_params = ev->n_params,
                                       .limits = ev->limits,
                                       .deadline_us = ev->deadline_us,
                                       .any_core = 1,
                                       .pieces = &seat->piece,
                                       .n_pieces = 1,
                                       .base_uri = base };
    return n && request.program && submit(seat, &request);
}

int remote_page(remote_seat *seat, u64 deadline_us, const char **page, size_t *n)
{
    gx_queue_result result;
    if (!wait_for(seat, deadline_us, &result))
        return 0;
    *page = result.base;
    *n = result.size;
    return 1;
}

void remote_profiles(remote *r, const void *flat, u64 size, u32 n_profiles)
{
    gx_queue_program_init(&r->profiles, flat, size);
    r->n_profiles = n_profiles;
}

int remote_match_ask(remote_seat *seat, const void *tree, u64 size)
{
    remote *r = seat->remote;
    const gx_queue_request request = { .program = &r->profiles,
                                       .doc = tree,
                                       .doc_size = size,
                                       .n_profiles = r->n_profiles,
                                       .is_patient = 1 };
    remote_let_go(seat);
    return r->n_profiles && submit(seat, &request);
}

int remote_match_found(remote_seat *seat, u64 deadline_us, gxp_found *found)
{
    gx_queue_result result;
    if (!wait_for(seat, deadline_us, &result))
        return 0;
    *found = (gxp_found){ result.matched, result.ids, result.n_ids };
    return 1;
}

void remote_close(remote *r)
{
    if (r->pid) {
        kill(r->pid, SIGKILL);
        waitpid(r->pid, NULL, 0);
    }
    gx_queue_destroy(r->queue);
    pthread_mutex_destroy(&r->lock);
    free(r);
}
