/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate.h -- a request's evaluation, wherever it takes place
 */
#ifndef GXM_EVALUATE_H
#define GXM_EVALUATE_H

#include "cache.h"
#include "worker.h"

typedef struct gxm_run {
    request_rec *r;
    const gxm_sheet *sheet;
    gxm_version *version;
    gxm_kit *kit;               /* whose arena ev has */
    gxm_cached *cached;         /* the document, if that is kept; NULL */
    gx_evaluation *ev;
    int is_ours;                /* the choice was made already (gxm_try): this thread evaluates */
    /* what came of it */
    gxm_job job;                /* the worker's result lies there: to be released when the page is made */
    const char *where;          /* GPUXML_ENGINE; NULL: nothing evaluated */
    const char *why;            /* GPUXML_WHY; NULL: there was no choice */
    int reason, is_worker_chosen;       /* the same, to be counted (gxm_request_facts) */
    u64 queue_us, eval_us;      /* in the worker's queue, evaluating */
} gxm_run;

/* Asks the cost model about a request of which facts has the digest, the name and the size. counting: of its kind */
void gxm_ask_costs(gxm_cost_facts *facts, gxm_cost_count *counting, u64 now, gxm_choice *choice);

/* The whole way from a source's bytes to its page, for the cost model: by the worker, or all of it by this thread. All
 * 0 at first */
typedef struct gxm_try {
    int is_chosen;              /* the model was asked */
    gxm_choice choice;
    u64 start_us;
    double cpu_us;
    gxm_worker_cpu worker;
} gxm_try;
/* Is a source of n bytes, which waits, to be sent? */
int gxm_try_begin(gxm_try *way, gxm_run *run, u64 n);
/* The page is made, or failed. */
void gxm_try_end(gxm_try *way);

/* May the worker be asked to make pages of this program from sources' bytes, if any? It is not known yet whether it
 * will be: gxm_evaluate_bytes. */
int gxm_may_send_bytes(const gxm_version *version);
/* The page of a source that was not parsed, by the worker. GX_EXML: it is to be parsed and evaluated (gxm_evaluate). */
gx_status gxm_evaluate_bytes(gxm_run *run, gxm_try *way, const gxm_bytes *source, gxm_page *page, gx_error *err);
/* Evaluates where the configuration, the cost model and the worker's state say. GX_EBUSY: GPUXMLEngine gpu, and no GPU
 * takes it. */
gx_status gxm_evaluate(gxm_run *run, gx_error *err);

#endif
