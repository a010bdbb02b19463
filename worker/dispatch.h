/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dispatch.h -- what stands between the queue and whatever evaluates: CPU threads, GPU batches, a resident GPU kernel
 *
 * A dispatcher takes jobs (gx_queue_take*), evaluates them, and ends each with gx_queue_finish. worker.c keeps the
 * heart beating, sweeps, and watches the lifeline; it starts the first dispatcher that the device asked for allows.
 *
 * What every dispatcher owes to its job, whatever it runs on:
 *  - the document is copied out of shared memory, by whomever, before it is looked at (doc_check.h), and only the copy
 *  is followed; the program
 *    comes from gx_worker_program;
 *  - GX_EHOST for a program with host steps, or a result that needs more than one document; - it stops at the job's
 *  deadline, and at w->stop; where it can look, also when nobody wants the answer any more (gx_queue_wanted).
 */
#ifndef GX_DISPATCH_H
#define GX_DISPATCH_H

#include "gx.h"
#include "queue.h"

typedef struct gx_worker {
    gx_queue *queue;
    const char *device;         /* "auto", "cpu", or a device number */
    int threads;                /* for the CPU; at least 1 */
    u32 batch;                  /* requests in a launch, at most; 0: as many as there is room for */
    u64 arena_bytes;            /* cap of one evaluation */
    u32 uid, gid;               /* whose process it is to be; 0: it stays whose it is */
    int sandbox;                /* it gives up what it does not need */
    int stop;                   /* atomic: finish what runs, take nothing more */
    void *state;                /* the dispatcher's */
} gx_worker;

typedef struct gx_dispatcher {
    const char *name;
    /* Is this device (gx_worker.device) for it? Then starts serving and writes into engine what it runs on, in a few
     * words. GX_EHOST: not for us, or there is no such hardware (err says so); another may try. */
    gx_status (*start)(gx_worker *w, char *engine, size_t size, gx_error *err);
    /* Has something been under way for longer than anything may be? Then the process ends, and another one begins anew.
     * NULL: never. */
    int (*is_stuck)(gx_worker *w);
    /* w->stop is set: returns when nothing runs any more, or after a second. */
    void (*stop)(gx_worker *w);
} gx_dispatcher;

extern const gx_dispatcher gx_dispatch_cpu;
#ifdef GX_CUDA
extern const gx_dispatcher gx_dispatch_cuda;    /* gpu.c, over kernels/ */
#endif

/* ---- programs (programs.c): private, checked copies, made once ---- */

typedef struct gx_worker_program {
    gx_program *block;          /* passed gx_program_check; nobody writes it */
    const struct gxp_flat *flat;    /* instead: a set of profiles, which passed gxp_flat_check */
    u64 size;
    gx_sha256 digest;
    u32 users;                  /* and one for the cache */
    u32 used;                   /* the cache's clock */
    /* the GPU dispatcher's, atomic: times the usual arena that documents of a size turned out to need; as
     * gx_q_program's */
    u8 room[GX_Q_CLASSES];
    u8 source_room[GX_Q_CLASSES];       /* .. sources */
    float us_per_byte;          /* the GPU dispatcher's, atomic: what it costs a core, lately; 0: it was not tried yet
                                   */
    void *resident;             /* a dispatcher's: where it lies on the device; freed by .. */
    void (*forget)(void *resident);
} gx_worker_program;

/* The program, or set of profiles, of a job, *last being that of the request which the calling thread had before, or
 * NULL: it is kept in
 * *last, as the next request is mostly of it again. (With one stylesheet all threads waited for one lock: a third of a
 * GPU worker's CPU time.) Errors: GX_EBAD, GX_EBUSY (evicted meanwhile), GX_ENOMEM; *last is as it was then. */
gx_status gx_worker_program_next(gx_worker *w, const gx_queue_job *job, gx_worker_program **last, gx_error *err);
void gx_worker_program_hold(gx_worker_program *program);    /* for another user, who .. */
void gx_worker_program_done(gx_worker_program *program);    /* .. gives it back */

/* The parameters of a job, from a private copy of their bytes; free() both. *n is 0 and both are NULL when there are
 * none. GX_EBAD, GX_ENOMEM. */
gx_status gx_worker_params(gx_worker *w, const gx_queue_job *job, char **bytes, gx_param **params, int *n,
                           gx_error *err);

/* ---- on the calling thread (solo.c) ---- */

typedef struct gx_worker_kit gx_worker_kit;     /* what a thread keeps for it: an arena, a pool, a document buffer */
gx_status gx_worker_kit_create(gx_worker *w, gx_worker_kit **out, gx_error *err);      /* GX_ENOMEM */
void gx_worker_kit_free(gx_worker_kit *kit);
/* Evaluates a job and ends it. most_us: of CPU time, 0 = any. 0: that was not enough, or w->stop is set: it is not
 * ended. job->cpu_us says what was spent. */
int gx_worker_solo(gx_worker_kit *kit, gx_queue_job *job, const gx_worker_program *program, double most_us);

/* ---- crashes (crash.c) ---- */

/* From here on a crash blames the request that its thread guards, in this queue. */
void gx_worker_crash_begin(gx_queue *queue);
/* Called by each thread that evaluates, once: a stack for the crash handler. */
void gx_worker_thread_begin(void);
/* The job this thread evaluates from now on (NULL: none): if the process crashes in it, this job is to blame, not its
 * neighbours. */
void gx_worker_guard(const gx_queue_job *job);

#endif
