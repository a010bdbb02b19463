/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.h -- requests to match, on one device: sets of profiles that stay there, batches of documents for each
 *
 *   gpu.c's threads --gx_matchers_put--> a line for each set --its thread--> batches (kernels/match.h) --> ids
 *
 * A set comes to the device with its first document, and leaves it when another one needs its place or nobody has asked
 * for it for minutes. httpd's next version of its profiles is another set.
 */
#ifndef GX_WORKER_MATCH_H
#define GX_WORKER_MATCH_H

#include "dispatch.h"

typedef struct gx_matchers gx_matchers;

/* launch: a batch begins, or has ended. NULL: no memory. */
gx_matchers *gx_matchers_open(gx_worker *w, int device, void (*launch)(void *ctx, int begins), void *ctx);
/* Puts a job with this set, which is given back then, in line, or ends it. From any thread */
void gx_matchers_put(gx_matchers *m, gx_queue_job *job, gx_worker_program *set);
/* Documents matched so far, sets on the device. Here and below m may be NULL. */
void gx_matchers_tell(const gx_matchers *m, u64 *documents, u32 *sets);
/* When something is asked of the device since before this time, and it has not been heard of: 1 */
int gx_matchers_stuck(gx_matchers *m, u64 before_us);
/* w->stop is set: do threads still run? */
int gx_matchers_run(const gx_matchers *m);

#endif
