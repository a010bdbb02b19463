/*
 * solo.c -- one request on the thread that took it: a team of one
 *
 * All requests of the CPU dispatcher, and of the GPU's those that cost a core less than a launch. The document and the parameters are copied out of
 * shared memory and checked, and the used part of the arena is handed back. A thread keeps its kit (arena, pool, document buffer), so a request
 * without parameters allocates nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <apr_pools.h>
#include "dispatch.h"

#ifndef LONGEST_US                      /* t/63-gpu-host.t has less */
#define LONGEST_US 60000000u            /* of one evaluation, whatever deadline the request names: what takes longer is for who asks */
#endif
#define KEEP_BYTES (4u << 20)           /* a document buffer above this is not kept */

struct gx_worker_kit {
    gx_worker *w;
    gx_arena *arena;
    apr_pool_t *pool;
    char *doc;                  /* private copy of the request's */
    u64 doc_cap;
};

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
    free(kit->doc);
    free(kit);
}

static gx_status copy_doc(gx_worker_kit *kit, const gx_queue_job *job, gx_error *err)
{
    u64 size = job->request.doc.size;
    if (size > kit->doc_cap) {
        free(kit->doc);
        u64 cap = size < 65536 ? 65536 : size;
        kit->doc = (char *)malloc(cap);
        kit->doc_cap = kit->doc ? cap : 0;
        if (!kit->doc)
            return gx_fail(err, GX_ENOMEM, "", 0, 0, "the worker has no memory for a document of %llu bytes", (unsigned long long)size);
    }
    memcpy(kit->doc, gx_queue_at(kit->w->queue, job->request.doc), size);
    return gx_doc_check(kit->doc, size, err);
}

typedef struct serving { gx_worker *w; const gx_queue_job *job; double until_us; int is_stopped; } serving;

static int is_over(void *data)
{
    serving *s = (serving *)data;
    s->is_stopped = __atomic_load_n(&s->w->stop, __ATOMIC_RELAXED) || (s->until_us > 0 && gx_thread_cpu_us() > s->until_us);
    return s->is_stopped || !gx_queue_wanted(s->w->queue, s->job);
}

int gx_worker_solo(gx_worker_kit *kit, gx_queue_job *job, const gx_worker_program *program, double most_us)
{
    const double cpu_us = gx_thread_cpu_us();
    gx_worker *w = kit->w;
    gx_evaluation ev;
    gx_limits limits = job->request.limits;
    gx_error err;
    char *bytes = NULL;
    gx_param *params = NULL;
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
    if (status == GX_OK && job->request.resident)
        status = gx_fail(&err, GX_EABSENT, "", 0, 0, "these threads keep no documents");
    if (status == GX_OK)
        status = copy_doc(kit, job, &err);
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
    if (status == GX_OK) {
        image = ev.base;
        used = ((const gx_result *)image)->used;
    }
    job->cpu_us = (u32)(gx_thread_cpu_us() - cpu_us);
    const int ended = status != GX_ETIME || !serving.is_stopped;
    if (ended) {
        job->on_core = 1;
        gx_queue_finish(w->queue, job, status, status == GX_OK ? NULL : &err, image, used);
    }
    free(bytes);
    free(params);
    apr_pool_clear(kit->pool);
    if (kit->doc_cap > KEEP_BYTES) {
        free(kit->doc);
        kit->doc = NULL;
        kit->doc_cap = 0;
    }
    return ended;
}
