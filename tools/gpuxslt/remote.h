/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.h -- evaluation by a worker process of one's own, as httpd's children have it done: gpuxslt --team worker,
 * --team gpu
 */
#ifndef REMOTE_H
#define REMOTE_H

#include "engine/gx.h"
#include "engine/match/pack.h"

typedef struct remote remote;
typedef struct remote_seat remote_seat;         /* a thread's place at the worker */

/* Starts a worker for so many seats, seat_bytes of shared memory each and what programs take, and waits until it is
 * ready. wants_gpu: one that runs on the CPU is no success. NULL: *why is a sentence. */
remote *remote_open(int wants_gpu, int seats, u64 seat_bytes, u64 programs_bytes, char why[400]);
const char *remote_engine(const remote *r);     /* what it runs on */
void remote_close(remote *r);                   /* when no seat is taken any more */
remote_seat *remote_sit(remote *r);             /* NULL: no memory */
void remote_rise(remote_seat *seat);
void remote_let_go(remote_seat *seat);          /* what its last call gave is not needed any more */
/* As gx_evaluate; the result lives until the seat's next call. GX_EHOST: the worker does not take it: evaluate it
 * here. */
gx_status remote_evaluate(remote_seat *seat, gx_evaluation *ev, gx_error *err);

/* A page from a source's bytes, in two calls: a thread with several seats asks at all of them before it waits at the
 * first, and what waits together is what a GPU's batches are made of. ev: program, parameters, limits and deadline. The
 * bytes and base stay until remote_page. 0: it is not to be had there. */
int remote_ask(remote_seat *seat, const gx_evaluation *ev, const char *bytes, size_t n, const char *base);
/* 1: *page, until the seat's next call. 0: the worker does not make it, whatever the reason is: make it here, and
 * its error will have its usual words. */
int remote_page(remote_seat *seat, u64 deadline_us, const char **page, size_t *n);

/* Documents matched with a set of profiles (engine/match/flat.h), in two calls likewise. Before any is sent: */
void remote_profiles(remote *r, const void *flat, u64 size, u32 n_profiles);
/* A tree that was packed to be sent. 0: it cannot be done there */
int remote_match_ask(remote_seat *seat, const void *tree, u64 size);
/* 1: which profiles, until the seat's next call. 0: match it here */
int remote_match_found(remote_seat *seat, u64 deadline_us, gxp_found *found);

#endif
