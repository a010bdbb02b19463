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
    /* what came of it */
    gxm_job job;                /* the worker's result lies there: to be released when the page is made */
    const char *where;          /* GPUXML_ENGINE; NULL: nothing evaluated */
    const char *why;            /* GPUXML_WHY; NULL: there was no choice */
    u64 queue_us, eval_us;      /* in the worker's queue, evaluating */
} gxm_run;

/* Evaluates where the configuration, the cost model and the worker's state say. GX_EBUSY: GPUXMLEngine gpu, and no GPU takes it. */
gx_status gxm_evaluate(gxm_run *run, gx_error *err);

#endif
