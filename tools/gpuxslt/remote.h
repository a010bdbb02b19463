/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.h -- evaluation by a worker process of one's own, as httpd's children have it done: gpuxslt --team worker,
 * --team gpu
 */
#ifndef REMOTE_H
#define REMOTE_H

#include "engine/gx.h"

typedef struct remote remote;
typedef struct remote_seat remote_seat;         /* a thread's place at the worker */

/* Starts a worker for so many threads and waits until it is ready. wants_gpu: one that runs on the CPU is no success.
 * NULL: *why is a sentence. */
remote *remote_open(int wants_gpu, int seats, char why[400]);
const char *remote_engine(const remote *r);     /* what it runs on */
void remote_close(remote *r);                   /* when no seat is taken any more */
remote_seat *remote_sit(remote *r);             /* NULL: no memory */
void remote_rise(remote_seat *seat);
/* As gx_evaluate; the result lives until the seat's next call. GX_EHOST: the worker does not take it: evaluate it
 * here. */
gx_status remote_evaluate(remote_seat *seat, gx_evaluation *ev, gx_error *err);

#endif
