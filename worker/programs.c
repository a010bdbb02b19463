/*
 * programs.c -- the worker's own copies of the programs in shared memory
 *
 * Copied, checked, and from then on private: what happens to the shared bytes later does not matter, and a request can still be
 * served when its program has been evicted from shared memory. A table of rows by digest, of WAYS places each: of a full row the
 * least recently asked for goes, and is freed when its last user is done with it.
 *
 * A mutex a row, held for a few loads; threads that serve the same stylesheet again keep theirs and do not come here.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "dispatch.h"

#define ROWS 256u
#define WAYS 8u

static pthread_mutex_t locks[ROWS] = { [0 ... ROWS - 1] = PTHREAD_MUTEX_INITIALIZER };
static gx_worker_program *cache[ROWS][WAYS];
static u32 clock_now;                   /* atomic: the rows share it */

void gx_worker_program_hold(gx_worker_program *p) { __atomic_add_fetch(&p->users, 1, __ATOMIC_RELAXED); }

void gx_worker_program_done(gx_worker_program *p)
{
    if (!p || __atomic_sub_fetch(&p->users, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    if (p->resident && p->forget)
        p->forget(p->resident);
    free(p->block);
    free(p);
}

static gx_worker_program *find(gx_worker_program **row, gx_digest digest)
{
    for (u32 i = 0; i < WAYS; i++)
        if (row[i] && gx_digest_is_same(row[i]->digest, digest)) {
            row[i]->used = __atomic_add_fetch(&clock_now, 1, __ATOMIC_RELAXED);
            gx_worker_program_hold(row[i]);
            return row[i];
        }
    return NULL;
}

/* The job's program as it is in shared memory. Its users: who asked, and the table. */
static gx_status copy(gx_worker *w, const gx_queue_job *job, gx_worker_program **out, gx_error *err)
{
    void *block;
    u64 size;
    gx_status status = gx_queue_program_copy(w->queue, job, &block, &size);
    if (status != GX_OK)
        return gx_fail(err, status, "", 0, 0, status == GX_EBUSY ? "the stylesheet is not in shared memory any more"
                                                                 : "the stylesheet in shared memory does not check out");
    status = size < sizeof(gx_program) ? gx_fail(err, GX_EBAD, "", 0, 0, "the stylesheet in shared memory is cut short")
                                       : gx_program_check(block, size, err);
    gx_worker_program *p = status == GX_OK ? (gx_worker_program *)calloc(1, sizeof *p) : NULL;
    if (!p) {
        free(block);
        return status != GX_OK ? status : gx_fail(err, GX_ENOMEM, "", 0, 0, "the worker has no memory for a stylesheet");
    }
    p->block = (gx_program *)block;
    p->size = size;
    p->digest = job->request.digest;
    p->users = 2;
    *out = p;
    return GX_OK;
}

/* Puts p into its row. What was in its place, or NULL. */
static gx_worker_program *put(gx_worker_program **row, gx_worker_program *p)
{
    u32 at = 0;
    p->used = __atomic_add_fetch(&clock_now, 1, __ATOMIC_RELAXED);
    for (u32 i = 0; i < WAYS && row[at]; i++)
        if (!row[i] || p->used - row[i]->used > p->used - row[at]->used)
            at = i;
    gx_worker_program *old = row[at];
    row[at] = p;
    return old;
}

static gx_status get(gx_worker *w, const gx_queue_job *job, gx_worker_program **out, gx_error *err)
{
    const gx_digest digest = job->request.digest;
    gx_worker_program **row = cache[digest.a % ROWS], *p = NULL, *other, *gone;
    pthread_mutex_t *lock = &locks[digest.a % ROWS];
    pthread_mutex_lock(lock);
    *out = find(row, digest);
    pthread_mutex_unlock(lock);
    if (*out)
        return GX_OK;
    gx_status status = copy(w, job, &p, err);
    if (status != GX_OK)
        return status;
    pthread_mutex_lock(lock);
    other = find(row, digest);          /* another thread was faster */
    gone = other ? p : put(row, p);
    pthread_mutex_unlock(lock);
    if (other)
        p->users = 1;
    gx_worker_program_done(gone);
    *out = other ? other : p;
    return GX_OK;
}

gx_status gx_worker_program_next(gx_worker *w, const gx_queue_job *job, gx_worker_program **last, gx_error *err)
{
    if (*last && gx_digest_is_same((*last)->digest, job->request.digest))
        return GX_OK;
    gx_worker_program *p;
    gx_status status = get(w, job, &p, err);
    if (status != GX_OK)
        return status;
    gx_worker_program_done(*last);
    *last = p;
    return GX_OK;
}

gx_status gx_worker_params(gx_worker *w, const gx_queue_job *job, char **bytes, gx_param **params, int *n, gx_error *err)
{
    u64 size = job->request.params.size;
    *bytes = NULL;
    *params = NULL;
    *n = 0;
    if (size == 0)
        return GX_OK;
    *bytes = (char *)malloc(size);
    if (!*bytes)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "the worker has no memory for parameters");
    memcpy(*bytes, gx_queue_at(w->queue, job->request.params), size);
    if (gx_queue_params_decode(*bytes, size, params, n) != GX_OK)
        return gx_fail(err, GX_EBAD, "", 0, 0, "the request's parameters do not check out");
    return GX_OK;
}
