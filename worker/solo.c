/* SPDX-License-Identifier: Apache-2.0 */
/*
 * solo.c -- one request on the thread that took it: a team of one
 *
 * All requests of the CPU dispatcher, and of the GPU's those that cost a core less than a launch. The document and the
 * parameters are copied out of shared memory and checked, and the used part of the arena is handed back. A thread keeps
 * its kit (arena, pool, document buffer), so a request without parameters allocates nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <apr_pools.h>
#include "document/buf.h"
#include "machine/result.h"
#include "dispatch.h"

#ifndef LONGEST_US                      /* t/63-gpu-host.t has less */
#define LONGEST_US \
    60000000u /* of one evaluation, whatever deadline the request names: what takes longer is for who asks */
#endif
#define KEEP_BYTES (4u << 20)           /* a document buffer above this is not kept */

struct gx_worker_kit {
    gx_worker *w;
    gx_arena *arena;
    apr_pool_t *pool;
    char *doc;                  /* private copy of the request's, or made from its source */
    u64 doc_cap;
    gx_parser *parser;          /* of sources; NULL: there was none yet */
    gx_buf source, page;        /* private copy; what was written */
};

/* What a thread evaluates with: an arena of w->arena_bytes, which is address space until it is used, and a pool. The
 * parser comes with the first source. GX_ENOMEM. */
gx_status gx_worker_kit_create(gx_worker *w, gx_worker_kit **out, gx_error *err)
{
    gx_worker_kit *kit = (gx_worker_kit *)calloc(1, sizeof *kit);
    if (!kit)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "no memory for a thread");
    kit->w = w;
    gx_status status = gx_arena_create(w->arena_bytes, &kit->arena, err);
    /* a pool of its own allocator: threads do not meet in malloc's or the root pool's locks */
    apr_allocator_t *allocator;
    if (status == GX_OK && (apr_allocator_create(&allocator) != APR_SUCCESS
                            || apr_pool_create_ex(&kit->pool, NULL, NULL, allocator) != APR_SUCCESS))
        status = gx_fail(err, GX_ENOMEM, "", 0, 0, "no memory for a pool");
    if (status != GX_OK) {
        gx_worker_kit_free(kit);
        return status;
    }
    apr_allocator_owner_set(allocator, kit->pool);
    apr_allocator_max_free_set(allocator, 1 << 20);
    *out = kit;
    return GX_OK;
}

void gx_worker_kit_free(gx_worker_kit *kit)
{
    if (kit->pool)
        apr_pool_destroy(kit->pool);
    if (kit->arena)
        gx_arena_free(kit->arena);
    if (kit->parser)
        gx_parser_free(kit->parser);
    gx_buf_free(&kit->source);
    gx_buf_free(&kit->page);
    free(kit->doc);
    free(kit);
}

/* Room for a document's block; gx_parse_options.alloc. NULL: no memory */
static void *doc_room(void *data, u64 size)
{
    gx_worker_kit *kit = (gx_worker_kit *)data;
    if (size > kit->doc_cap) {
        free(kit->doc);
        const u64 cap = size < 65536 ? 65536 : (size + 4095) & ~(u64)4095;
        kit->doc = (char *)aligned_alloc(4096, cap);
        kit->doc_cap = kit->doc ? cap : 0;
    }
    return kit->doc;
}

static gx_status copy_doc(gx_worker_kit *kit, const gx_queue_job *job, gx_error *err)
{
    const u64 size = job->request.doc.size;
    if (!doc_room(kit, size))
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "the worker has no memory for a document of %llu bytes",
                       (unsigned long long)size);
    memcpy(kit->doc, gx_queue_at(kit->w->queue, job->request.doc), size);
    return gx_doc_check(kit->doc, size, err);
}

/* ---- requests with a source ---- */

/* A document without a declaration of its type, by its source's private copy. Whatever is wrong with it is GX_EXML: who
 * asked reads it again, and words the error. */
static gx_status read_source(gx_worker_kit *kit, const gx_queue_job *job, const gx_program *spaces,
                             const gx_limits *limits, gx_error *err)
{
    const u64 size = job->request.doc.size, n = size - job->request.base_len;
    gx_parse_options options;
    gx_doc *doc;
    if (!kit->parser && gx_parser_create(&kit->parser, err) != GX_OK)
        return GX_ENOMEM;
    kit->source.n = 0;
    char *bytes = gx_buf_push(&kit->source, size + 1);
    if (!bytes)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "the worker has no memory for a source of %llu bytes",
                       (unsigned long long)n);
    memcpy(bytes, gx_queue_at(kit->w->queue, job->request.doc), size);
    bytes[size] = 0;                    /* of the base URI, which may have other ends in it */
    memset(&options, 0, sizeof options);
    options.limits = limits;
    options.charset = job->request.is_utf8 ? "UTF-8" : NULL;
    options.base_uri = job->request.base_len ? bytes + n : NULL;
    options.spaces = spaces;
    options.no_doctype = 1;
    options.alloc = doc_room;
    options.alloc_ctx = kit;
    const gx_status status = gx_parse(kit->parser, &options, bytes, n, &doc, err);
    return status == GX_OK || status == GX_ENOMEM
        ? status
        : gx_fail(err, GX_EXML, "", 0, 0, "the worker does not read this source");
}

static int add_page(void *page, const char *bytes, size_t n)
{
    char *to = gx_buf_push((gx_buf *)page, n);
    if (to)
        memcpy(to, bytes, n);
    return !to;
}

static int say(void *spoke, const char *text, size_t n)
{
    (void)text;
    (void)n;
    *(int *)spoke = 1;
    return 0;
}

/* The page of an evaluation, into kit->page. GX_EHOST: something is to be said about it, which is for who asked. */
static gx_status write_page(gx_worker_kit *kit, const gx_evaluation *ev, gx_q_page *page, gx_error *err)
{
    gx_serialize_options options;
    gx_media media;
    int spoke = 0;
    if (!gx_page_is_portable(ev->program))
        return gx_fail(err, GX_EHOST, "", 0, 0, "the worker does not write such pages");
    memset(&options, 0, sizeof options);
    options.limits = ev->limits;
    options.message = say;
    options.message_ctx = &spoke;
    kit->page.n = 0;
    memset(&media, 0, sizeof media);
    const gx_status status = gx_serialize(ev, &options, add_page, &kit->page, &media, err);
    page->method = media.method;
    page->n_nodes = ev->doc->n_nodes;
    page->arena = ((const gx_result *)ev->base)->used;
    if (status == GX_ECANCEL)           /* add_page */
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "the worker has no memory for the page");
    return spoke ? gx_fail(err, GX_EHOST, "", 0, 0, "the stylesheet has something to say") : status;
}

/* ---- evaluation ---- */

typedef struct serving { gx_worker *w; const gx_queue_job *job; double until_us; int is_stopped; } serving;

static int is_over(void *data)
{
    serving *s = (serving *)data;
    s->is_stopped =
        __atomic_load_n(&s->w->stop, __ATOMIC_RELAXED) || (s->until_us > 0 && gx_thread_cpu_us() > s->until_us);
    return s->is_stopped || !gx_queue_wanted(s->w->queue, s->job);
}

/* What is too large to be kept for the next request */
static void let_go(gx_worker_kit *kit)
{
    if (kit->doc_cap > KEEP_BYTES) {
        free(kit->doc);
        kit->doc = NULL;
        kit->doc_cap = 0;
    }
    if (kit->source.n > KEEP_BYTES)
        gx_buf_free(&kit->source);
    if (kit->page.n > KEEP_BYTES)
        gx_buf_free(&kit->page);
    if (kit->parser && gx_parser_bytes(kit->parser) > KEEP_BYTES) {
        gx_parser_free(kit->parser);
        kit->parser = NULL;
    }
}

/* Evaluates one request here, on this core, and answers it. All that is read of shared memory is copied first, as its
 * owner may write there. most_us > 0: no more CPU time than that, then it is stopped. 0: it was stopped, by that or by
 * the worker's end, and not answered; else 1. */
int gx_worker_solo(gx_worker_kit *kit, gx_queue_job *job, const gx_worker_program *program, double most_us)
{
    const double cpu_us = gx_thread_cpu_us();
    gx_worker *w = kit->w;
    gx_evaluation ev;
    gx_limits limits = job->request.limits;
    gx_error err;
    char *bytes = NULL;
    gx_param *params = NULL;
    const int is_source = job->request.is_source != 0;
    gx_q_page page = { 0, 0, 0 };
    const void *image = NULL;
    u64 used = 0;
    serving serving = { w, job, most_us > 0 ? cpu_us + most_us : 0, 0 };
    memset(&ev, 0, sizeof ev);
    gx_limits_default(&limits);
    if (limits.arena > w->arena_bytes)
        limits.arena = w->arena_bytes;

    gx_status status = GX_OK;
    if (program->block->flags & GX_P_HOST)
        status = gx_fail(&err, GX_EHOST, "", 0, 0, "the stylesheet has steps that only the server can take");
    if (status == GX_OK && gx_q_is_kept(&job->request))
        status = gx_fail(&err, GX_EABSENT, "", 0, 0, "these threads keep no documents");
    if (status == GX_OK)
        status = is_source ? read_source(kit, job, program->block, &limits, &err) : copy_doc(kit, job, &err);
    if (status == GX_OK)
        status = gx_worker_params(w, job, &bytes, &params, &ev.n_params, &err);
    if (status == GX_OK) {
        u64 longest = job->started_us + LONGEST_US, deadline = job->request.deadline_us;
        ev.program = program->block;
        ev.doc = (const gx_doc *)kit->doc;
        ev.params = params;
        ev.limits = &limits;
        ev.team.kind = GX_TEAM_KIND_SOLO;
        ev.team.members = 1;
        ev.arena = kit->arena;
        ev.pool = kit->pool;
        ev.deadline_us = deadline && deadline < longest ? deadline : longest;
        ev.is_over = is_over;
        ev.is_over_ctx = &serving;
        status = gx_evaluate(&ev, &err);
        if (status == GX_ETIME && ev.deadline_us == longest && gx_now_us() >= longest)
            status = gx_fail(&err, GX_EHOST, "", 0, 0, "the worker's threads give no request so long");
    }
    if (status == GX_OK && ev.n_docs != 1)
        status = gx_fail(&err, GX_EHOST, "", 0, 0, "the result needs documents that only the server has");
    if (status == GX_OK && is_source)
        status = write_page(kit, &ev, &page, &err);
    else if (status == GX_OK) {
        image = ev.base;
        used = ((const gx_result *)image)->used;
    }
    job->cpu_us = (u32)(gx_thread_cpu_us() - cpu_us);
    const int ended = status != GX_ETIME || !serving.is_stopped;
    if (ended) {
        job->on_core = 1;
        if (status == GX_OK && is_source)
            gx_queue_finish_page(w->queue, job, &page, kit->page.at, kit->page.n);
        else
            gx_queue_finish(w->queue, job, status, status == GX_OK ? NULL : &err, image, used);
    }
    free(bytes);
    free(params);
    apr_pool_clear(kit->pool);
    let_go(kit);
    return ended;
}
