/*
 * remote.c -- a queue and a worker of this process's own
 *
 * The worker is the program that httpd starts: $GPUXML_WORKER, the one beside this program (a build), or the one that was
 * installed. It ends when this process does.
 */
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

enum { SLOTS = 4, PROGRAMS = 16, READY_US = 30000000 };

struct remote {
    gx_queue *queue;
    int pid;
    gx_slot *slot;                      /* whose result is in use */
    gx_queue_program programs[PROGRAMS];
    int n_programs;
    char engine[64];
    const gx_doc *docs[1];
    u32 doc_base[1];
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

/* All of the pages of the queue are there from the start, so it is no larger than what a comparison needs. */
static u64 queue_bytes(void)
{
    const u64 pages = (u64)sysconf(_SC_PHYS_PAGES), page = (u64)sysconf(_SC_PAGESIZE), quarter = pages * page / 4;
    return quarter < (u64)256 << 20 ? quarter : (u64)256 << 20;
}

remote *remote_open(int wants_gpu, char why[400])
{
    remote *r = calloc(1, sizeof *r);
    const gx_worker_options options = { .device = wants_gpu ? "auto" : "cpu" };
    char path[4200];
    gx_error err = { 0 };
    if (!r || gx_queue_create(SLOTS, queue_bytes(), &r->queue, &err) != GX_OK) {
        snprintf(why, 400, "no memory to share with a worker: %.300s", err.text);
        free(r);
        return NULL;
    }
    const char *program = worker_path(path);
    if (gx_worker_spawn(r->queue, program, &options, &r->pid, &err) != GX_OK) {
        snprintf(why, 400, "the worker %.200s cannot be started: %.120s", program, err.text);
        gx_queue_destroy(r->queue);
        free(r);
        return NULL;
    }
    if (gx_queue_wait_alive(r->queue, READY_US) != GX_OK) {
        snprintf(why, 400, "the worker %.200s did not become ready in %d s", program, READY_US / 1000000);
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

static gx_queue_program *program_of(remote *r, const gx_program *program)
{
    for (int i = 0; i < r->n_programs; i++)
        if (r->programs[i].block == program)
            return &r->programs[i];
    if (r->n_programs == PROGRAMS)
        return NULL;
    gx_queue_program_init(&r->programs[r->n_programs], program, program->size);
    return &r->programs[r->n_programs++];
}

gx_status remote_evaluate(remote *r, gx_evaluation *ev, gx_error *err)
{
    gx_queue_result result;
    gx_queue_request request = { .doc = ev->doc, .doc_size = ev->doc->size, .program = program_of(r, ev->program), .params = ev->params,
                                 .n_params = ev->n_params, .limits = ev->limits, .deadline_us = ev->deadline_us };
    memset(&result, 0, sizeof result);
    if (r->slot)
        gx_queue_release(r->slot);
    r->slot = NULL;
    if (!request.program || gx_queue_acquire(r->queue, READY_US, &r->slot) != GX_OK)
        return GX_EHOST;
    gx_status status = gx_queue_submit(r->slot, &request);
    if (status == GX_OK)
        status = gx_queue_wait(r->slot, ev->deadline_us, &result, err);
    if (status == GX_EBUSY || status == GX_EARENA || status == GX_ENOMEM || status == GX_EBAD)
        return GX_EHOST;
    if (status != GX_OK)
        return status;
    r->docs[0] = ev->doc;
    ev->base = result.base;
    ev->docs = r->docs;
    ev->doc_base = r->doc_base;
    ev->n_docs = 1;
    return GX_OK;
}

void remote_close(remote *r)
{
    if (r->slot)
        gx_queue_release(r->slot);
    kill(r->pid, SIGKILL);
    waitpid(r->pid, NULL, 0);
    gx_queue_destroy(r->queue);
    free(r);
}
