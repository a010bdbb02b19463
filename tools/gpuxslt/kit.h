/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kit.h -- what a thread of gpuxslt uses again for each document: parser, block, arena, pool
 *
 * One document on the command line and a million of --each are read in the same way and evaluated in the same way:
 * here.
 */
#ifndef KIT_H
#define KIT_H

#include <apr_pools.h>
#include "engine/gx.h"

/* How sources are read, as the command line says */
typedef struct kit_source {
    const gx_limits *limits;
    int external_ignore, html_entities, no_subset, xinclude, timeout_ms;
    u32 threads;                /* that read a large source; 0 = one */
    int in_place;               /* documents stay in the parser's memory (gx_parse_options): nobody copies them */
    int once;                   /* there is one source: its parser keeps no memory (gx_parse_options) */
    u64 seed;                   /* of the document's hashes; 0 = drawn by chance */
    void (*is_read)(void *ctx); /* as in gx_parse_options; NULL */
    void *is_read_ctx;
} kit_source;

typedef struct kit {
    gx_parser *parser;
    gx_arena *arena;            /* NULL: to be made, of arena_cap bytes */
    u64 arena_cap;
    apr_pool_t *run_pool;       /* cleared before each evaluation */
    gx_loader loader;           /* for one thread at a time, as its catalog is */
    void *block;                /* where documents go: a fresh mapping each time would cost page faults */
    u64 block_cap;
    void (*warning)(void *ctx, const gx_error *what);   /* of sources; NULL = nobody is told */
    void *warning_ctx;
} kit;

/* What of a file was read, malloc'd, in place of what gzip made of it; as it is if it did not. limit:
 * gx_limits.input */
gx_status kit_unpack(const char *name, u64 limit, char **at, size_t *n, size_t *cap, gx_error *err);
/* run_pool and loader are the caller's, who fills them in. GX_ENOMEM. */
gx_status kit_open(kit *k, const gx_limits *limits, gx_error *err);
/* The source as program (or NULL) wants it; it lives until the next one is parsed. base: what relative references start
 * from. */
gx_status kit_parse(kit *k, const kit_source *how, const char *name, const char *base, const char *bytes, size_t n,
                    const gx_program *program, gx_doc **doc, gx_error *err);
/* What document() reads is read like sources. */
gx_parse_options kit_documents(const kit *k, const kit_source *how);
/* Evaluates, with larger and larger arenas up to ev->limits->arena: most runs need little, and the pages stay warm. */
gx_status kit_evaluate(kit *k, gx_evaluation *ev, int timeout_ms, gx_error *err);
void kit_close(kit *k);

#endif
