/*
 * remote.h -- evaluation by a worker process of one's own, as httpd's children have it done: gpuxslt --team worker, --team gpu
 */
#ifndef REMOTE_H
#define REMOTE_H

#include "engine/gx.h"

typedef struct remote remote;

/* Starts a worker and waits until it is ready. wants_gpu: one that runs on the CPU is no success. NULL: *why is a sentence. */
remote *remote_open(int wants_gpu, char why[400]);
const char *remote_engine(const remote *r);     /* what it runs on */
/* As gx_evaluate; the result lives until the next call. GX_EHOST: the worker does not take it: evaluate it here. For one thread. */
gx_status remote_evaluate(remote *r, gx_evaluation *ev, gx_error *err);
void remote_close(remote *r);

#endif
