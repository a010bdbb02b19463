/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.h -- evaluation in the worker process, as the filter sees it
 */
#ifndef GXM_WORKER_H
#define GXM_WORKER_H

#include "match/pack.h"
#include "module.h"

typedef struct gxm_job {        /* a request's part of the queue, from evaluate until the page is made; all 0 at first
                                   */
    gx_slot *slot;
    const gx_doc *docs[1];
    u32 doc_base[1];
} gxm_job;

void gxm_job_release(gxm_job *job);

/* Requests may go to the worker; GPUXMLEngine auto asks the cost model for each. */
int gxm_worker_wanted(void);
int gxm_worker_alive(void);
int gxm_worker_has_device(void);        /* there is a queue, and its worker has a GPU */
/* Is there a queue, but no worker that is ready at the moment? */
int gxm_worker_is_away(void);
const char *gxm_worker_kind(int on_core);       /* "gpu" or, on_core or without one, "worker" */
const char *gxm_worker_verdict(void);   /* what evaluates, and why: for the status page */

typedef struct gxm_worker_cpu { u32 own_us, batch_us; int on_core; } gxm_worker_cpu;    /* gx_queue_result */
/* As gx_evaluate; *queue_us of the time taken was waiting, *cpu is the worker's CPU time. kept: see
 * gx_queue_request; NULL for a document that is not cached. GX_EHOST: no worker, no room, or not for it: evaluate here.
 * */
gx_status gxm_worker_evaluate(gxm_job *job, gx_evaluation *ev, gxm_version *version, gx_queue_kept *kept, u64 *queue_us,
                              gxm_worker_cpu *cpu, gx_error *err);

typedef struct gxm_bytes {      /* a source that was collected */
    const gx_queue_piece *pieces;
    u32 n_pieces;
    u64 n;
    int is_utf8;                /* its transport says so */
    const char *base_uri;       /* NULL = none */
} gxm_bytes;
typedef struct gxm_page { const char *bytes; u64 n; gx_q_page facts; } gxm_page;        /* in the job's slot */
/* The page of a source that nobody has parsed: the worker does all. As gxm_worker_evaluate; ev: parameters, limits,
 * deadline. GX_EXML: it does not read this source. */
gx_status gxm_worker_page(gxm_job *job, const gx_evaluation *ev, gxm_version *version, const gxm_bytes *source,
                          gxm_page *page, u64 *queue_us, gxm_worker_cpu *cpu, gx_error *err);

/* The profiles that a packed document matches, but for those that the planner decides: *found, in the job's slot. set:
 * as the worker gets it. Any error but GX_ETIME: match here. */
gx_status gxm_worker_match(gxm_job *job, gx_queue_program *set, u32 n_profiles, const void *tree, u64 size,
                           u64 deadline_us, gxp_found *found, gxm_worker_cpu *cpu, gx_error *err);

/* post_config of the second pass. What fails is logged; httpd starts without the worker then. */
void gxm_worker_start(apr_pool_t *pconf, server_rec *s);
void gxm_worker_monitor(void);                      /* hook monitor: a worker that hangs is killed, one that died too
                                                       often started again */
void gxm_worker_child_exited(int pid, u32 place);   /* hook child_status; GXM_CHILDREN: it has no place */
extern gxm_cost *gxm_costs;                         /* the cost model: NULL unless GPUXMLEngine auto has a worker */
void gxm_worker_child_init(void);
/* Hook monitor: a sample of the counters, and of what the queue and its devices tell. */
void gxm_worker_sample(void);
int gxm_worker_stats(gx_queue_stats *out);          /* 0: there is no queue */

#endif
