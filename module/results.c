/* SPDX-License-Identifier: Apache-2.0 */
/*
 * results.c -- pages kept in an object cache of httpd's: shmcb for the children of one host; memcache, redis for
 *              several hosts
 *
 * A page is known by its ETag, a digest of all that it is made from. What is found is therefore never stale, and there
 * is nothing to remove: pages go when their time is up or the cache wants their room.
 *
 *   ETag --> head (mark, lengths, the ETag again), Content-Type, the page's bytes
 *
 * A provider that says AP_SOCACHE_FLAG_NOTMPSAFE has its objects in memory of this host. The request's thread calls it,
 * under a lock of all children. The others ask a server, which may hang: a thread of a small pool calls it, and the
 * request waits WAIT_US at most. Who gave up leaves the task to that thread. After a failure nobody asks for QUIET_US.
 * A failure is a miss, and a line in the log once a second.
 *
 * The pool's threads may hang with their provider. No child waits for them when it ends, so what they use is never
 * freed.
 */
#include <apr_strings.h>
#include <apr_thread_pool.h>
#include <ap_provider.h>
#include <ap_socache.h>
#include <pthread.h>
#include <stdlib.h>
#include <util_mutex.h>
#include "results.h"
#include "source.h"

#define WAIT_US 20000u
#define QUIET_US 1000000u
#define MOST_THREADS 8
#define MOST_WAITING 64u
#define MARK 0x31727867u        /* "gxr1" */
#define MOST_TAG 100u
#define MUTEX "gpuxml-results"

/* Before a page's bytes: Content-Type and page follow it. */
typedef struct head { u32 mark, n_tag, n_type, unused; u64 n_page; char tag[MOST_TAG + 4]; } head;

static struct {
    const ap_socache_provider_t *provider;      /* NULL: there is no cache */
    ap_socache_instance_t *instance;
    const char *name;           /* as configured */
    u64 most;                   /* bytes of a page */
    apr_interval_time_t expires;
    apr_global_mutex_t *mutex;  /* of a provider in this host's memory; NULL: it asks a server */
    server_rec *server;
    apr_thread_pool_t *threads;
    u64 quiet_until_us;         /* atomic */
} cache;

/* ---- configuration ---- */

void gxm_results_reset(apr_pool_t *pconf)
{
    memset(&cache, 0, sizeof cache);
    cache.most = 256 << 10;
    cache.expires = apr_time_from_sec(3600);
    ap_mutex_register(pconf, MUTEX, NULL, APR_LOCK_DEFAULT, 0);
}

/* GPUXMLResultCache's values, one a call: off, max=BYTES, expires=TIME, or NAME[:ARGUMENTS] of one of httpd's object
 * caches. NULL, or the sentence for what is wrong. */
const char *gxm_results_set(cmd_parms *cmd, const char *text)
{
    const char *arg = strchr(text, ':'), *name, *err;
    if (strcasecmp(text, "off") == 0) {
        cache.provider = NULL;
        return NULL;
    }
    if (strncmp(text, "max=", 4) == 0) {
        cache.most = gxm_size(text + 4, 1, 64 << 20);
        return cache.most ? NULL : apr_psprintf(cmd->pool, "GPUXMLResultCache: %s is no size from 1 to 64M", text);
    }
    if (strncmp(text, "expires=", 8) == 0)
        return ap_timeout_parameter_parse(text + 8, &cache.expires, "s") == APR_SUCCESS
                && cache.expires >= apr_time_from_sec(1)
            ? NULL : "GPUXMLResultCache: expires= is a time of at least 1s, like 10min";
    name = arg ? apr_pstrmemdup(cmd->temp_pool, text, (apr_size_t)(arg - text)) : text;
    cache.provider = ap_lookup_provider(AP_SOCACHE_PROVIDER_GROUP, name, AP_SOCACHE_PROVIDER_VERSION);
    if (!cache.provider)
        return apr_psprintf(cmd->pool,
                            "GPUXMLResultCache: httpd has no object cache \"%s\"; LoadModule mod_socache_%s?", name,
                            name);
    err = cache.provider->create(&cache.instance, arg ? arg + 1 : NULL, cmd->temp_pool, cmd->pool);
    if (err) {
        cache.provider = NULL;
        return apr_psprintf(cmd->pool, "GPUXMLResultCache %s: %s", text, err);
    }
    cache.name = text;
    return NULL;
}

static apr_status_t destroy(void *s)
{
    if (cache.provider)
        cache.provider->destroy(cache.instance, s);
    cache.provider = NULL;
    return APR_SUCCESS;
}

int gxm_results_start(apr_pool_t *pconf, server_rec *s)
{
    struct ap_socache_hints hints = { 32, 16384, apr_time_from_sec(60) };
    apr_status_t rv = APR_SUCCESS;
    if (!cache.provider)
        return OK;
    cache.server = s;
    if (cache.provider->flags & AP_SOCACHE_FLAG_NOTMPSAFE)
        rv = ap_global_mutex_create(&cache.mutex, NULL, MUTEX, NULL, s, pconf, 0);
    if (rv == APR_SUCCESS)
        rv = cache.provider->init(cache.instance, "mod_gpuxml", &hints, s, pconf);
    if (rv != APR_SUCCESS) {
        cache.provider = NULL;
        ap_log_error(APLOG_MARK, APLOG_ERR, rv, s, "GX0024: GPUXMLResultCache %s cannot be used", cache.name);
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    apr_pool_cleanup_register(pconf, s, destroy, apr_pool_cleanup_null);
    return OK;
}

/* A child's part: the mutex of a cache that several processes must not enter at once, else threads that ask it, so
 * that a request waits no longer than it wants to. A failure switches the cache off in this child. */
void gxm_results_child_init(apr_pool_t *pchild, server_rec *s)
{
    apr_status_t rv = APR_SUCCESS;
    apr_pool_t *own;
    if (!cache.provider)
        return;
    if (cache.mutex)
        rv = apr_global_mutex_child_init(&cache.mutex, apr_global_mutex_lockfile(cache.mutex), pchild);
    else {
        rv = apr_pool_create_unmanaged_ex(&own, NULL, NULL);
        if (rv == APR_SUCCESS)
            rv = apr_thread_pool_create(&cache.threads, 0, MOST_THREADS, own);
        if (rv == APR_SUCCESS)
            apr_thread_pool_threshold_set(cache.threads, 0);    /* a task does not wait while there may be a thread
                                                                   more */
    }
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_ERR, rv, s, "GX0024: GPUXMLResultCache %s cannot be used in this child",
                     cache.name);
        cache.provider = NULL;
    }
}

int gxm_results_are_kept(void) { return cache.provider != NULL; }

/* ---- failures ---- */

static int is_quiet(void) { return gx_now_us() < __atomic_load_n(&cache.quiet_until_us, __ATOMIC_RELAXED); }

static const char not_kept[] = "a page cannot be kept";

/* Counts a failure, and words it: of a request (what repeats it within a second is not written), or of a thread that
 * works for none any more (r: NULL). */
static void tell(request_rec *r, const char *what, apr_status_t rv)
{
    char line[300], why[120];
    GXM_COUNT(result_failures, 1);
    apr_snprintf(line, sizeof line, "GX0157: result cache %.100s: %s%s%s", cache.name, what, rv ? ": " : "",
                 rv ? apr_strerror(rv, why, sizeof why) : "");
    if (r)
        gxm_report(r, APLOG_WARNING, line, "");
    else if (!is_quiet())               /* of several that fail at once, one tells */
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, cache.server, "%s", line);
}

static void be_quiet(void) { __atomic_store_n(&cache.quiet_until_us, gx_now_us() + QUIET_US, __ATOMIC_RELAXED); }

static void failed(request_rec *r, const char *what, apr_status_t rv)
{
    be_quiet();
    tell(r, what, rv);
}

/* ---- a call of the provider ---- */

typedef struct task {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    int is_ended, is_left;      /* is_left: the request waits no longer; the thread frees it */
    int is_store;
    apr_status_t rv;
    unsigned char *data;        /* the task's: of `most` bytes and head, or what is to be stored */
    unsigned int n;
    unsigned int n_tag;
    unsigned char tag[MOST_TAG];
} task;

static task *task_new(const char *etag, unsigned char *data, size_t n, int is_store)
{
    task *t = calloc(1, sizeof *t);
    pthread_condattr_t attr;
    if (!t)
        return NULL;
    pthread_mutex_init(&t->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&t->ended, &attr);
    pthread_condattr_destroy(&attr);
    t->n_tag = (unsigned int)strlen(etag);
    memcpy(t->tag, etag, t->n_tag);
    t->data = data;
    t->n = (unsigned int)n;
    t->is_store = is_store;
    return t;
}

static void task_free(task *t)
{
    pthread_cond_destroy(&t->ended);
    pthread_mutex_destroy(&t->lock);
    free(t->data);
    free(t);
}

static void call(task *t, apr_pool_t *pool)
{
    if (t->is_store)
        t->rv = cache.provider->store(cache.instance, cache.server, t->tag, t->n_tag,
                                      apr_time_now() + cache.expires, t->data, t->n, pool);
    else
        t->rv = cache.provider->retrieve(cache.instance, cache.server, t->tag, t->n_tag, t->data, &t->n, pool);
}

/* A thread's work: asks the cache, and tells who waits. Whoever of the two comes last frees the task. */
static void *APR_THREAD_FUNC run_task(apr_thread_t *thread, void *data)
{
    task *t = data;
    apr_pool_t *pool;
    int is_left;
    (void)thread;
    t->rv = apr_pool_create_unmanaged_ex(&pool, NULL, NULL);
    if (t->rv == APR_SUCCESS) {
        call(t, pool);
        apr_pool_destroy(pool);
    }
    if (t->is_store && t->rv != APR_SUCCESS) {
        tell(NULL, not_kept, t->rv);
        be_quiet();
    }
    pthread_mutex_lock(&t->lock);
    t->is_ended = 1;
    is_left = t->is_left;
    pthread_cond_signal(&t->ended);
    pthread_mutex_unlock(&t->lock);
    if (is_left)
        task_free(t);
    return NULL;
}

/* Waits for the task, WAIT_US at most. 0: it was left, and is no longer the caller's. */
static int wait_for(task *t)
{
    struct timespec until;
    int is_ended;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)WAIT_US * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&t->lock);
    while (!t->is_ended && pthread_cond_timedwait(&t->ended, &t->lock, &until) == 0)
        ;
    is_ended = t->is_ended;
    t->is_left = !is_ended;
    pthread_mutex_unlock(&t->lock);
    return is_ended;
}

/* Gives the task to the pool. A store is left at once: nobody waits for it. 0: it could not be given; freed. */
static int give(task *t)
{
    t->is_left = t->is_store;
    if (apr_thread_pool_tasks_count(cache.threads) <= MOST_WAITING
        && apr_thread_pool_push(cache.threads, run_task, t, APR_THREAD_TASK_PRIORITY_NORMAL, NULL) == APR_SUCCESS)
        return 1;
    task_free(t);
    return 0;
}

/* Looks it up. The task with what was found, the caller's; or NULL. */
static task *retrieve(request_rec *r, const char *etag)
{
    const size_t room = sizeof(head) + MOST_TAG + cache.most;
    unsigned char *data = malloc(room);
    task *t = data ? task_new(etag, data, room, 0) : NULL;
    apr_status_t rv;
    if (!t) {
        free(data);
        return NULL;
    }
    if (cache.mutex) {
        rv = apr_global_mutex_lock(cache.mutex);
        if (rv == APR_SUCCESS) {
            call(t, r->pool);
            apr_global_mutex_unlock(cache.mutex);
        } else
            t->rv = rv;
    } else {
        if (!give(t)) {
            failed(r, "too many requests wait for it", 0);
            return NULL;
        }
        if (!wait_for(t)) {
            failed(r, "no answer in 20 ms", 0);
            return NULL;
        }
    }
    rv = t->rv;
    if (rv == APR_SUCCESS)
        return t;
    task_free(t);
    if (!APR_STATUS_IS_NOTFOUND(rv))
        failed(r, "it cannot be read", rv);
    return NULL;
}

/* ---- pages ---- */

static apr_status_t free_task(void *t)
{
    task_free(t);
    return APR_SUCCESS;
}

static int is_header_text(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f)
            return 0;
    return n > 0;
}

/* Is it what was stored under this tag, all of it? Others may write into that cache. */
static int is_whole(const task *t, const char *etag)
{
    const head *h = (const head *)t->data;
    const size_t n_tag = strlen(etag);
    return t->n >= sizeof *h && h->mark == MARK && h->n_tag == n_tag && memcmp(h->tag, etag, n_tag) == 0
        && h->n_type <= MOST_TAG && h->n_page <= cache.most && t->n == sizeof *h + h->n_type + h->n_page
        && is_header_text((const char *)(h + 1), h->n_type);
}

/* The page that was kept under this ETag: 1, and its *n bytes are in bb, from the request's pool, with their type. 0:
 * there is none, or what the cache has is not what was kept, or it has failed lately (is_quiet). */
int gxm_result_find(request_rec *r, const char *etag, apr_bucket_brigade *bb, u64 *n, const char **type)
{
    const char *bytes;
    const head *h;
    task *t;
    if (!cache.provider || strlen(etag) > MOST_TAG || is_quiet())
        return 0;
    t = retrieve(r, etag);
    if (t && !is_whole(t, etag)) {
        task_free(t);
        t = NULL;
        failed(r, "what it has is not what was kept", 0);
    }
    if (!t) {
        GXM_COUNT(result_misses, 1);
        return 0;
    }
    GXM_COUNT(result_hits, 1);
    h = (const head *)t->data;
    bytes = (const char *)(h + 1) + h->n_type;
    *type = apr_pstrmemdup(r->pool, (const char *)(h + 1), h->n_type);
    *n = h->n_page;
    apr_pool_cleanup_register(r->pool, t, free_task, apr_pool_cleanup_null);
    if (h->n_page)
        APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_pool_create(bytes, h->n_page, r->pool, bb->bucket_alloc));
    return 1;
}

/* Keeps the page in bb, n bytes, which stays the caller's, under its ETag. Where threads ask the cache nobody waits
 * for it. Pages larger than max=, and what fails, are not kept: the request is not held up by it. */
void gxm_result_keep(request_rec *r, const char *etag, apr_bucket_brigade *bb, u64 n, const char *type)
{
    const size_t n_type = strlen(type), n_tag = strlen(etag), size = sizeof(head) + n_type + n;
    unsigned char *data;
    apr_size_t room = n;
    head *h;
    task *t;
    if (!cache.provider || n > cache.most || n_type > MOST_TAG || n_tag > MOST_TAG || is_quiet())
        return;
    data = calloc(1, size);
    t = data ? task_new(etag, data, size, 1) : NULL;
    if (!t) {
        free(data);
        return;
    }
    h = (head *)data;
    *h = (head){ .mark = MARK, .n_tag = (u32)n_tag, .n_type = (u32)n_type, .n_page = n };
    memcpy(h->tag, etag, n_tag);
    memcpy(h + 1, type, n_type);
    if (apr_brigade_flatten(bb, (char *)(h + 1) + n_type, &room) != APR_SUCCESS || room != n) {
        task_free(t);
        return;
    }
    if (!cache.mutex) {
        if (!give(t))
            failed(r, "too many requests wait for it", 0);
        return;
    }
    t->rv = apr_global_mutex_lock(cache.mutex);
    if (t->rv == APR_SUCCESS) {
        call(t, r->pool);
        apr_global_mutex_unlock(cache.mutex);
    }
    if (t->rv != APR_SUCCESS)
        tell(r, not_kept, t->rv);               /* of this page: others may fit */
    task_free(t);
}
