/* SPDX-License-Identifier: Apache-2.0 */
/*
 * programs.c -- the worker's own copies of the programs in shared memory
 *
 * Copied, checked, and from then on private: what happens to the shared bytes later does not matter, and a request can
 * still be served when its program has been evicted from shared memory. A table of rows by digest, of WAYS places each:
 * of a full row the least recently asked for goes, and is freed when its last user is done with it.
 *
 * A program is known by the SHA-256 of the copy: a request gets the bytes that it names, wherever shared memory says
 * that they lie.
 *
 * All of them together are no larger than the shared memory: who publishes one large program after the other takes
 * this process no more memory than the parent has given to it. What does not fit is kept by the threads that use it,
 * and copied again for others.
 *
 * A mutex a row, held for a few loads; threads that serve the same stylesheet again keep theirs and do not come here.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "dispatch.h"
#include "match/flat.h"

#define ROWS 256u
#define WAYS 8u

static pthread_mutex_t locks[ROWS] = { [0 ... ROWS - 1] = PTHREAD_MUTEX_INITIALIZER };
static gx_worker_program *cache[ROWS][WAYS];
static u64 kept_bytes;                  /* atomic: of all that the table has */
static u32 clock_now;                   /* atomic: the rows share it */

void gx_worker_program_hold(gx_worker_program *p) { __atomic_add_fetch(&p->users, 1, __ATOMIC_RELAXED); }

void gx_worker_program_done(gx_worker_program *p)
{
    if (!p || __atomic_sub_fetch(&p->users, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    if (p->resident && p->forget)
        p->forget(p->resident);
    free(p->flat ? (void *)p->flat : p->block);
    free(p);
}

static int is_of(const gx_worker_program *p, const gx_queue_job *job)
{
    return !p->flat == !job->request.is_match && gx_sha256_is_same(&p->digest, &job->request.digest);
}

static gx_worker_program *find(gx_worker_program **row, const gx_queue_job *job)
{
    for (u32 i = 0; i < WAYS; i++)
        if (row[i] && is_of(row[i], job)) {
            row[i]->used = __atomic_add_fetch(&clock_now, 1, __ATOMIC_RELAXED);
            gx_worker_program_hold(row[i]);
            return row[i];
        }
    return NULL;
}

/* Is its serialiser's code what its instructions compile to? gx_program_check knows nothing of that, and the serialiser
 * follows it. */
static gx_status check_prepared(const gx_program *p, gx_error *err)
{
    void *made = NULL;
    size_t n = 0;
    if (gx_serialize_prepare(p, &made, &n) != GX_OK)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "the worker has no memory for a stylesheet");
    const int same = n == p->prepared.n && (!n || memcmp(made, (const char *)p + p->prepared.off, n) == 0);
    free(made);
    return same ? GX_OK : gx_fail(err, GX_EBAD, "", 0, 0, "the stylesheet in shared memory does not check out");
}

static gx_status check(const void *block, u64 size, int is_set, gx_error *err)
{
    if (is_set)
        return gxp_flat_check(block, size) == GX_OK
            ? GX_OK
            : gx_fail(err, GX_EBAD, "", 0, 0, "the profiles in shared memory do not check out");
    if (size < sizeof(gx_program))
        return gx_fail(err, GX_EBAD, "", 0, 0, "the stylesheet in shared memory is cut short");
    const gx_status status = gx_program_check(block, size, err);
    return status == GX_OK ? check_prepared(block, err) : status;
}

/* The job's program as it is in shared memory. Its users: who asked, and the table. */
static gx_status copy(gx_worker *w, const gx_queue_job *job, gx_worker_program **out, gx_error *err)
{
    void *block;
    u64 size;
    gx_status status = gx_queue_program_copy(w->queue, job, &block, &size);
    if (status != GX_OK)
        return gx_fail(err, status, "", 0, 0,
                       status == GX_EBUSY ? "the stylesheet is not in shared memory any more"
                                          : "the stylesheet in shared memory does not check out");
    status = check(block, size, job->request.is_match != 0, err);
    gx_worker_program *p = status == GX_OK ? (gx_worker_program *)calloc(1, sizeof *p) : NULL;
    if (!p) {
        free(block);
        return status != GX_OK ? status
                               : gx_fail(err, GX_ENOMEM, "", 0, 0, "the worker has no memory for a stylesheet");
    }
    if (job->request.is_match)
        p->flat = block;
    else
        p->block = (gx_program *)block;
    p->size = size;
    p->digest = job->request.digest;
    p->users = 2;
    gx_queue_room_get(w->queue, job, p->room);
    *out = p;
    return GX_OK;
}

/* Puts p into its row. What was in its place, or NULL; p itself: there is no room for it. */
static gx_worker_program *put(gx_worker *w, gx_worker_program **row, gx_worker_program *p)
{
    u32 at = 0;
    p->used = __atomic_add_fetch(&clock_now, 1, __ATOMIC_RELAXED);
    for (u32 i = 0; i < WAYS && row[at]; i++)
        if (!row[i] || p->used - row[i]->used > p->used - row[at]->used)
            at = i;
    gx_worker_program *old = row[at];
    const u64 less = old ? old->size : 0;
    if (__atomic_add_fetch(&kept_bytes, p->size - less, __ATOMIC_RELAXED) > gx_queue_size(w->queue)) {
        __atomic_sub_fetch(&kept_bytes, p->size - less, __ATOMIC_RELAXED);
        return p;
    }
    row[at] = p;
    return old;
}

/* The program that the job names, with a use for the caller: from the cache, or copied out of shared memory and
 * checked, outside the row's lock; if two threads do that, one copy is thrown away. Fails as copy(). */
static gx_status get(gx_worker *w, const gx_queue_job *job, gx_worker_program **out, gx_error *err)
{
    const u64 at = job->request.digest.word[0] % ROWS;
    gx_worker_program **row = cache[at], *p = NULL, *other, *gone;
    pthread_mutex_t *lock = &locks[at];
    pthread_mutex_lock(lock);
    *out = find(row, job);
    pthread_mutex_unlock(lock);
    if (*out)
        return GX_OK;
    gx_status status = copy(w, job, &p, err);
    if (status != GX_OK)
        return status;
    pthread_mutex_lock(lock);
    other = find(row, job);             /* another thread was faster */
    gone = other ? p : put(w, row, p);
    pthread_mutex_unlock(lock);
    if (other)
        p->users = 1;
    gx_worker_program_done(gone);
    *out = other ? other : p;
    return GX_OK;
}

gx_status gx_worker_program_next(gx_worker *w, const gx_queue_job *job, gx_worker_program **last, gx_error *err)
{
    if (*last && is_of(*last, job))
        return GX_OK;
    gx_worker_program *p;
    gx_status status = get(w, job, &p, err);
    if (status != GX_OK)
        return status;
    gx_worker_program_done(*last);
    *last = p;
    return GX_OK;
}

gx_status gx_worker_params(gx_worker *w, const gx_queue_job *job, char **bytes, gx_param **params, int *n,
                           gx_error *err)
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
