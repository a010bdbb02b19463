/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.c -- documents matched with sets of profiles on a device (match.h)
 *
 * Whoever takes a job from the queue copies and checks its tree, and makes the lists that a team needs. A set's thread
 * gathers what has come into one of two batches, sends it off, and answers the other batch meanwhile. It starts a
 * second batch beside the first only when that fills the device: a batch takes as long as its slowest document, so
 * small ones cost what large ones do.
 *
 * Room on the device follows what documents need. The first ones decide; a document with more elements than there is
 * room for has the set put there anew, with more room and fewer blocks, once nothing runs. So does, once, a document
 * whose lists need a larger pool; it is itself answered GX_EARENA, and matched by whoever asks.
 *
 * Requests that are not patient (is_patient) do not wait until a set is on the device: that takes up to a second.
 *
 * Memory: MOST_SETS sets, each with a quarter of what the device has free when it comes, and in the host what stands in
 * line, LINE_BYTES at most. What does not fit is answered GX_EARENA: the CPU matches it.
 *
 * A CUDA error ends the process, as in gpu.c; but where a set cannot be put on the device, that alone is refused.
 */
#ifdef GX_CUDA
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include "../kernels/gpu.h"
#include "../kernels/match.h"
#include "match.h"

enum {
    MOST_SETS = 4,
    BATCH = 1024,               /* documents; fewer, where their bits take more than .. */
    BITS_BYTES = 32 << 20,
    TREES_BYTES = 32 << 20,     /* of a batch; less on a small device */
    LEAST_NODES = 2048,         /* that there is room for */
    POOL = 1 << 19,             /* elements in a document's lists; if that was too little, times .. */
    MORE_POOL = 8,
    HOT_BYTES = 20 << 10        /* of a document in shared memory: kernels/match_block.cu has no more */
};
#define LINE_BYTES (256u << 20)
#define MOST_WORK (1ull << 32)  /* elements looked at for a document: a block takes less than a second for them */
#define LOOK_US 200000u
#define IDLE_US 300000000u      /* a set that nobody asks for leaves the device */
#define RETRY_US 10000000u      /* a set that could not be put on the device is tried again */
#define PAUSE_NS 20000          /* between two looks at a batch under way */

typedef struct entry { struct entry *next; gx_queue_job job; gxp_tree *tree; } entry;

typedef struct batch { entry *documents[BATCH]; u32 n; u64 bytes; } batch;

/* A set on the device, or on its way */
typedef struct station {
    gx_matchers *m;
    gx_worker_program *set;
    pthread_cond_t more;
    entry *first, **last;       /* the line; under the lock, as all up to .. */
    u32 n;
    u64 used_us;
    int closing;                /* takes no more */
    int is_tried;               /* the set is on the device, or it was found that it cannot be there */
    /* .. here. Its thread's: */
    gxp_tree like;              /* how large the first document is; no more than that */
    gxp_gpu *gpu;
    u32 most_nodes, most_hot, pool, most_documents, overlap;
    int needs_pool;
    u64 tree_bytes;             /* of a batch */
    u64 failed_us;              /* when it could not be put there; 0 = it could */
    u64 busy_us;                /* when the device was last heard of, 0 = nothing is asked of it; atomic */
    gx_q_matches *reply;
    float each_us;              /* CPU time of this thread for a document, lately */
    batch batches[2];
} station;

struct gx_matchers {
    gx_worker *w;
    int device;
    void (*launch)(void *ctx, int begins);
    void *ctx;
    pthread_mutex_t lock;
    station *stations[MOST_SETS];
    u64 line_bytes;             /* of all lines; atomic, as all below */
    u64 documents;
    u32 n_sets, n_threads;
};

static void answer(gx_matchers *m, const gx_queue_job *job, gx_status status, const char *why)
{
    gx_error err;
    gx_fail(&err, status, "", 0, 0, "%s", why);
    gx_queue_finish(m->w->queue, job, status, &err, NULL, 0);
}

static void end_entry(gx_matchers *m, entry *e)
{
    __atomic_sub_fetch(&m->line_bytes, e->tree->size, __ATOMIC_RELAXED);
    free(e->tree);
    free(e);
}

static void refuse(gx_matchers *m, entry *e, gx_status status, const char *why)
{
    answer(m, &e->job, status, why);
    end_entry(m, e);
}

static void set_busy(station *s, u64 since) { __atomic_store_n(&s->busy_us, since, __ATOMIC_RELAXED); }

static int stops(const station *s) { return __atomic_load_n(&s->m->w->stop, __ATOMIC_ACQUIRE); }

/* ---- the set on the device ---- */

static u32 power_of_2(u32 least, u32 n)
{
    while (least < n)
        least *= 2;
    return least;
}

/* Room for a document like this one, in place of what there was. 0: the device has none, which the log says once. */
static int open_gpu(station *s, const gxp_tree *like)
{
    const gxp_flat *flat = s->set->flat;
    const u64 words = flat->n_profiles / 64 + 1;
    u64 free_bytes = 0, all = 0;
    char why[200] = "";
    const u32 nodes = power_of_2(LEAST_NODES, like->n), hot = (u32)(like->hot_end + like->hot_end / 4);
    set_busy(s, gx_now_us());
    gxp_gpu_close(s->gpu);
    s->gpu = NULL;
    s->most_nodes = nodes > s->most_nodes ? nodes : s->most_nodes;
    s->most_hot = hot > s->most_hot ? (hot < HOT_BYTES ? hot : HOT_BYTES) : s->most_hot;
    (void)gx_gpu_memory(s->m->device, &free_bytes, &all);
    const u64 budget = free_bytes / 4, share = budget / 16, trees = share < TREES_BYTES ? share : TREES_BYTES;
    const u64 most = (share < BITS_BYTES ? share : BITS_BYTES) / (words * sizeof(u64));
    s->most_documents = most > BATCH ? BATCH : most < 16 ? 16 : (u32)most;
    const u64 fixed = flat->size + 2 * (trees + s->most_documents * words * sizeof(u64));
    const u64 scratch = gxp_scratch_of(flat, s->most_nodes, s->pool).size;
    const u64 blocks = budget > fixed ? (budget - fixed) / 2 / scratch : 0;
    const gxp_gpu_room room = { s->most_documents, trees, s->most_nodes, s->pool, s->most_hot, 0,
                                blocks < 1u << 20 ? (u32)blocks : 1u << 20, MOST_WORK };
    if (blocks)
        s->gpu = gxp_gpu_open(s->m->device, flat, &room, why, sizeof why);
    set_busy(s, 0);
    if (s->gpu) {
        s->tree_bytes = trees;
        s->overlap = gxp_gpu_blocks(s->gpu) / 2 + 1;
        s->failed_us = 0;
        return 1;
    }
    if (!s->failed_us)
        fprintf(stderr, "gpuxml-worker: device %d has no room for %u profiles: %s\n", s->m->device, flat->n_profiles,
                *why ? why : "its memory is too small");
    s->failed_us = gx_now_us();
    return 0;
}

/* Can this document be sent? -1: not while something runs. GX_OK, or how it is answered */
static int has_room(station *s, const gxp_tree *tree, int is_running)
{
    const int is_small = tree->n <= s->most_nodes && s->gpu;
    if (is_small && !(s->needs_pool && s->pool == POOL))
        return GX_OK;
    if (is_running)
        return -1;
    if (s->failed_us && gx_now_us() < s->failed_us + RETRY_US)
        return GX_EARENA;
    if (s->needs_pool)
        s->pool = POOL * MORE_POOL;
    s->needs_pool = 0;
    return open_gpu(s, tree) ? GX_OK : GX_EARENA;
}

static void lost(station *s)
{
    fprintf(stderr, "gpuxml-worker: device %d is lost: %s\n", s->m->device, gxp_gpu_error(s->gpu));
    _exit(3);
}

/* ---- batches ---- */

static entry *line_first(station *s)
{
    pthread_mutex_lock(&s->m->lock);
    entry *e = s->first;
    pthread_mutex_unlock(&s->m->lock);
    return e;
}

static void line_drop_first(station *s)
{
    pthread_mutex_lock(&s->m->lock);
    s->first = s->first->next;
    if (!s->first)
        s->last = &s->first;
    s->n--;
    s->used_us = gx_now_us();
    pthread_mutex_unlock(&s->m->lock);
}

/* Until something stands in line, or it is to end: 0 */
static int await(station *s)
{
    gx_matchers *m = s->m;
    pthread_mutex_lock(&m->lock);
    while (!s->n && !s->closing) {
        const u64 now = gx_now_us(), until = now + LOOK_US;
        const struct timespec t = { (time_t)(until / 1000000), (long)(until % 1000000 * 1000) };
        s->closing = stops(s) || now > s->used_us + IDLE_US;
        if (!s->closing)
            pthread_cond_clockwait(&s->more, &m->lock, CLOCK_MONOTONIC, &t);
    }
    const int is_more = s->n != 0;
    pthread_mutex_unlock(&m->lock);
    return is_more;
}

static u32 line_length(station *s)
{
    pthread_mutex_lock(&s->m->lock);
    const u32 n = s->n;
    pthread_mutex_unlock(&s->m->lock);
    return n;
}

/* Documents from the station's line become batch i, as long as they fit; those that never fit are refused, those that
 * nobody waits for any more dropped. is_running: another batch is under way, so room may come later. */
static void gather(station *s, u32 i, int is_running)
{
    batch *b = &s->batches[i];
    entry *e;
    b->n = 0;
    b->bytes = 0;
    while ((e = line_first(s)) != NULL) {
        const u64 size = (e->tree->size + 15) & ~15ull;
        int room = has_room(s, e->tree, is_running || b->n);
        if (room == GX_OK && size > s->tree_bytes)
            room = GX_EARENA;
        if (room < 0 || (room == GX_OK && (b->n == s->most_documents || b->bytes + size > s->tree_bytes)))
            return;
        line_drop_first(s);
        if (room != GX_OK)
            refuse(s->m, e, GX_EARENA, "the device has no room for these profiles or this document");
        else if (!gx_queue_wanted(s->m->w->queue, &e->job))
            refuse(s->m, e, GX_ETIME, "");
        else {
            memcpy(gxp_gpu_trees(s->gpu, i) + b->bytes, e->tree, e->tree->size);
            gxp_gpu_at(s->gpu, i)[b->n] = b->bytes;
            b->bytes += size;
            b->documents[b->n++] = e;
        }
    }
}

/* The answer, at s->reply: its size */
static u64 make_reply(station *s, const u64 *matched, u32 n_profiles)
{
    gx_q_matches *head = s->reply;
    u32 *ids = (u32 *)(void *)(head + 1), n = 0;
    const u32 n_words = n_profiles / 64 + 1;
    for (u32 w = 0; w < n_words; w++)
        n += (u32)__builtin_popcountll(matched[w]);
    head->is_bits = n * sizeof *ids > n_words * sizeof *matched;
    head->n = head->is_bits ? n_words : n;
    if (head->is_bits) {
        memcpy(ids, matched, n_words * sizeof *matched);
        return sizeof *head + n_words * sizeof *matched;
    }
    n = 0;
    for (u32 w = 0; w < n_words; w++)
        for (u64 left = matched[w]; left; left &= left - 1)
            ids[n++] = 64 * w + (u32)__builtin_ctzll(left);
    return sizeof *head + n * sizeof *ids;
}

/* Batch i is under way: until it has come back, and all of it is answered */
static void end_batch(station *s, u32 i)
{
    const struct timespec pause = { 0, PAUSE_NS };
    const u32 n_profiles = s->set->flat->n_profiles;
    batch *b = &s->batches[i];
    int is_over;
    while (!(is_over = gxp_gpu_is_over(s->gpu, i)))
        nanosleep(&pause, NULL);
    if (is_over < 0 || gxp_gpu_wait(s->gpu, i, NULL))
        lost(s);
    s->m->launch(s->m->ctx, 0);
    set_busy(s, gx_now_us());
    for (u32 k = 0; k < b->n; k++) {
        entry *e = b->documents[k];
        if (gxp_gpu_status(s->gpu, i, k) == GX_OK) {
            const u64 size = make_reply(s, gxp_gpu_matched(s->gpu, i, k), n_profiles);
            e->job.cpu_us += (u32)s->each_us;
            gx_queue_finish(s->m->w->queue, &e->job, GX_OK, NULL, s->reply, size);
            end_entry(s->m, e);
        } else {
            s->needs_pool |= gxp_gpu_status(s->gpu, i, k) == GX_EARENA;
            refuse(s->m, e, GX_EARENA, "this document takes more than the device has for it");
        }
    }
    __atomic_add_fetch(&s->m->documents, b->n, __ATOMIC_RELAXED);
}

static void leave(station *s)
{
    gx_matchers *m = s->m;
    gxp_gpu_close(s->gpu);
    pthread_mutex_lock(&m->lock);
    for (u32 i = 0; i < MOST_SETS; i++)
        if (m->stations[i] == s)
            m->stations[i] = NULL;
    __atomic_sub_fetch(&m->n_sets, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&m->lock);
    gx_worker_program_done(s->set);
    pthread_cond_destroy(&s->more);
    free(s->reply);
    free(s);
    __atomic_sub_fetch(&m->n_threads, 1, __ATOMIC_RELEASE);
}

/* A station's life: one set on one device. While a batch runs the next is gathered, if enough wait. Ends when it was
 * not used for long, or the worker stops. */
static void *serve(void *arg)
{
    station *s = arg;
    int running = -1;           /* the batch under way */
    double cpu_us = gx_thread_cpu_us();
    prctl(PR_SET_TIMERSLACK, 1000ul);
    gx_worker_thread_begin();
    (void)open_gpu(s, &s->like);
    pthread_mutex_lock(&s->m->lock);
    s->is_tried = 1;
    pthread_mutex_unlock(&s->m->lock);
    while (running >= 0 || await(s)) {
        const u32 i = running == 0;
        u32 n = 0;
        if (running < 0 || line_length(s) >= s->overlap) {
            gather(s, i, running >= 0);
            n = s->batches[i].n;
        }
        if (n) {
            set_busy(s, gx_now_us());
            s->m->launch(s->m->ctx, 1);
            if (gxp_gpu_start(s->gpu, i, n, s->batches[i].bytes))
                lost(s);
        }
        if (running >= 0) {
            const u32 ended = s->batches[running].n;
            end_batch(s, (u32)running);
            const double now = gx_thread_cpu_us();
            s->each_us += ((float)((now - cpu_us) / ended) - s->each_us) / 8;
            cpu_us = now;
        }
        running = n ? (int)i : -1;
        if (!n)
            set_busy(s, 0);
    }
    leave(s);
    return NULL;
}

/* ---- from other threads ---- */

/* The station of a set; under the lock. NULL: there is no place for it now */
static station *station_of(gx_matchers *m, gx_worker_program *set, const gxp_tree *like)
{
    station *oldest = NULL, **place = NULL;
    for (u32 i = 0; i < MOST_SETS; i++) {
        station *s = m->stations[i];
        if (!s)
            place = &m->stations[i];
        else if (!s->closing && gx_sha256_is_same(&s->set->digest, &set->digest))
            return s;
        else if (!s->closing && (!oldest || s->used_us < oldest->used_us))
            oldest = s;
    }
    if (!place) {                       /* the next one who asks finds its place */
        if (oldest && !oldest->n) {
            oldest->closing = 1;
            pthread_cond_signal(&oldest->more);
        }
        return NULL;
    }
    station *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->m = m;
    s->set = set;
    s->pool = POOL;
    s->like = *like;
    s->last = &s->first;
    s->used_us = gx_now_us();
    s->reply = malloc(sizeof *s->reply + (set->flat->n_profiles / 64 + 1ull) * sizeof(u64));
    pthread_cond_init(&s->more, NULL);
    pthread_t thread;
    __atomic_add_fetch(&m->n_threads, 1, __ATOMIC_RELAXED);
    if (!s->reply || stops(s) || pthread_create(&thread, NULL, serve, s)) {
        __atomic_sub_fetch(&m->n_threads, 1, __ATOMIC_RELAXED);
        free(s->reply);
        free(s);
        return NULL;
    }
    pthread_detach(thread);
    gx_worker_program_hold(set);
    __atomic_add_fetch(&m->n_sets, 1, __ATOMIC_RELAXED);
    return *place = s;
}

/* A document is to be matched with `set`, which is let go here: its tree is copied out of shared memory and checked
 * (another process may write there), and stands in the line of the set's station, which is opened if there is none. A
 * job that is not patient is refused while the station is opening. All answers come from the station's thread, or from
 * here. */
void gx_matchers_put(gx_matchers *m, gx_queue_job *job, gx_worker_program *set)
{
    const double cpu_us = gx_thread_cpu_us();
    gxp_tree *tree = NULL;
    gx_worker_guard(job);
    const int status =
        gxp_tree_complete(gx_queue_at(m->w->queue, job->request.doc), job->request.doc.size, set->flat, &tree);
    gx_worker_guard(NULL);
    entry *e = status == GX_OK ? malloc(sizeof *e) : NULL;
    if (!e) {
        free(tree);
        if (status == GX_EBAD)
            answer(m, job, GX_EBAD, "the request in shared memory does not check out");
        else
            answer(m, job, GX_ENOMEM, "the worker has no memory for a document");
        gx_worker_program_done(set);
        return;
    }
    e->next = NULL;
    e->tree = tree;
    e->job = *job;
    e->job.cpu_us = (u32)(gx_thread_cpu_us() - cpu_us);
    const int is_full = __atomic_add_fetch(&m->line_bytes, tree->size, __ATOMIC_RELAXED) > LINE_BYTES;
    pthread_mutex_lock(&m->lock);
    station *s = is_full ? NULL : station_of(m, set, tree);
    if (s && !job->request.is_patient && !s->is_tried)
        s = NULL;
    if (s) {
        *s->last = e;
        s->last = &e->next;
        s->used_us = gx_now_us();
        if (!s->n++)
            pthread_cond_signal(&s->more);
    }
    pthread_mutex_unlock(&m->lock);
    if (!s)
        refuse(m, e, GX_EARENA, "the device has no room for more documents or profiles now");
    gx_worker_program_done(set);
}

gx_matchers *gx_matchers_open(gx_worker *w, int device, void (*launch)(void *ctx, int begins), void *ctx)
{
    gx_matchers *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->w = w;
    m->device = device;
    m->launch = launch;
    m->ctx = ctx;
    pthread_mutex_init(&m->lock, NULL);
    return m;
}

void gx_matchers_tell(const gx_matchers *m, u64 *documents, u32 *sets)
{
    *documents = m ? __atomic_load_n(&m->documents, __ATOMIC_RELAXED) : 0;
    *sets = m ? __atomic_load_n(&m->n_sets, __ATOMIC_RELAXED) : 0;
}

int gx_matchers_stuck(gx_matchers *m, u64 before_us)
{
    int is = 0;
    if (!m)
        return 0;
    pthread_mutex_lock(&m->lock);
    for (u32 i = 0; i < MOST_SETS; i++) {
        const u64 since = m->stations[i] ? __atomic_load_n(&m->stations[i]->busy_us, __ATOMIC_RELAXED) : 0;
        is |= since && since < before_us;
    }
    pthread_mutex_unlock(&m->lock);
    return is;
}

int gx_matchers_run(const gx_matchers *m) { return m && __atomic_load_n(&m->n_threads, __ATOMIC_ACQUIRE); }
#else
typedef int gx_no_match;        /* ISO C wants something in a file */
#endif
