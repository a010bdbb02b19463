/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.h -- documents of gpuxml-match, matched by threads
 *
 *   thread.c   a thread takes the next document, reads and matches it, and writes the result when it is its turn
 *   device.c   the same with many documents under way at a worker's GPU
 */
#ifndef GPUXML_MATCH_THREAD_H
#define GPUXML_MATCH_THREAD_H

#include <pthread.h>
#include "engine/match/list.h"
#include "../gpuxslt/each.h"
#include "../gpuxslt/remote.h"

enum { EXIT_DONE = 0, EXIT_USAGE = 3, EXIT_PROFILES = 5, EXIT_DOCUMENT = 6, EXIT_RUN = 9, EXIT_OUTPUT = 11 };
enum { ENGINE_CPU, ENGINE_GPU, ENGINE_AUTO };

typedef struct tool {
    const char *profiles, *explain, *list, *tar;
    const char **names;
    int n_names, count, each, json, check, timing, strict, many, engine;
    each_frames frames;
    u32 bench, jobs;
    gx_limits limits;
    kit_source source;
    kit kit;
    apr_pool_t *pool;
    gxp_list found;
    gxp_set *set;
    u32 n_bad;
    u64 timeout_us;
    remote *remote;             /* a worker with a GPU; NULL: there is none, or it is not wanted */
    struct gxp_flat *flat;      /* the set, as that has it */
    u32 n_threads;
    u64 began_us;
    u32 n_exact;                /* profiles that need the document after the device has answered */
    /* of all threads, under the lock */
    pthread_mutex_t lock;
    pthread_cond_t turn_is;
    each_input *in;
    u64 taken, turn;            /* documents that somebody has; whose result comes next */
    int came, status;           /* what in->next said last; the exit status */
    char why[400];
    double parse_us, match_us;  /* --bench: sums of the least times */
    u64 documents, bytes, by_device, too_large;  /* too_large: for the device */
} tool;

/* A thread: the set of profiles is read only, all else is its own */
typedef struct matching {
    tool *t;
    kit kit;
    gxp_matcher *matcher;
    struct { char *at; size_t n, cap; } file;
    FILE *out;                  /* its document's result, until it is its turn */
    double parse_us, match_us;
    size_t bytes;
    int is_first, has_tried;    /* the main thread; has it tried to start a worker? (auto) */
    pthread_t thread;
} matching;

/* A document that a thread has taken, until its result is written */
typedef struct document {
    each_item item;
    u64 number;
    char *result;               /* malloc'd */
    size_t n;
} document;

void say(const gx_error *err);
/* The next document; 0: there is none any more. */
int take(tool *t, document *d);
/* What stands in its file, or came with it. GX_OK and *bytes: until the thread's next one */
gx_status read_document(matching *w, const each_item *item, const char **name, const char **bytes, size_t *n,
                        gx_error *err);
/* Parses and matches it here, and makes its result */
gx_status match_here(matching *w, document *d, gx_error *err);
/* Its result: these profiles, which a device has found */
gx_status make_result(matching *w, document *d, const char *name, const u32 *ids, u32 n, gx_error *err);
/* Once all before it have come: the document's result, or what is wrong. It is gone then. */
void in_turn(matching *w, document *d, gx_status status, gx_error *err);
void *match_documents(void *w);
void warn_of(void *ctx, const gx_error *what);

/* device.c. The same, of documents that a worker's device matches */
void *match_by_device(void *w);
/* Starts the worker for so many threads. NULL, or why there is none; with ENGINE_AUTO that is no error. */
const char *device_open(tool *t, u32 n_threads, char why[400]);
void device_close(tool *t);

#endif
