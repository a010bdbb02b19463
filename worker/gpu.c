/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu.c -- the GPU dispatcher: batches of small requests, a lane or a block each; large documents one at a time on the
 * grid team
 *
 * Some threads a device, each with a stream, arenas and staging of its own. A thread takes what waits (up to a batch),
 * launches, and answers each request as its team ends; the next thread gathers meanwhile. The teams pull the documents
 * out of shared memory, and look at what they pulled before they follow it: no core of the host touches a document. The
 * more requests are in flight on the device, the more share a warp (lanes_for).
 *
 * A document too large for that goes to the device's large thread: the grid team evaluates one after the other on a
 * stream of its own, so that nobody small waits behind. Such documents stay in device memory, the least recently used
 * going when the budget is spent, by the SHA-256 of the bytes that went there: a request with the digest instead of the
 * bytes moves only the result. When some stand in the grid's line, wide threads, with larger arenas, give the next
 * ones a block each: slower for one, sooner for all. A source of 1 MB takes the grid 1.0 ms and a block 2.3, but 512 of
 * them take blocks 21 ms.
 *
 * A lone small request takes a warp the better part of a millisecond, and its launch the thread's core longer than most
 * evaluations would. So a thread evaluates itself (solo.c) what it took, when that is FEW_RUNS at most, each allows it,
 * and all are thought to cost it less than the launch. What that is, and what each stylesheet costs a byte of document,
 * it learns; one that is new is tried. Nothing gets more than CORE_DEAR launches' worth (and what passes until the
 * machine looks at the clock): the device has it then, and its stylesheet's next ones.
 *
 * A request with a source goes the same ways. Its document is parsed before, and its page written behind the
 * evaluation, by kernels on the same stream (kernels/source.h): its bytes are pulled, and its page comes back.
 *
 * Whatever a GPU team cannot do or end well (host steps, an arena that stays too small, an error, whose sentence the
 * host words) is answered GX_EHOST or GX_EARENA: the httpd thread evaluates it itself. So is what there is no memory
 * for. A CUDA error ends this process: nothing of it can be trusted after that; requests in flight are given back and
 * the parent starts another worker, which launches none of them a second time: one may be to blame, its neighbours are
 * not. So does a device that says nothing for STUCK_US. One that cannot be opened is left out.
 */
#ifdef GX_CUDA
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include "dispatch.h"
#include "../kernels/gpu.h"
#include "match.h"

#define MAX_DEVICES 16
#define MAX_THREADS 12                  /* a device: about half of its time a thread waits for a kernel */
#define BATCH 1024u
#define STAGE_BYTES \
    (24u << 20) /* pinned, a thread's: parameters, and where kernels cannot pull from shared memory the documents */
#define ARENAS_BYTES (512u << 20)       /* device memory, a thread's, where there is plenty */
#define DOC_BYTES (256u << 10)          /* a larger document, or source, is the grid team's .. */
#define WIDE_BYTES (2u << 20)           /* .. or, up to this, a block's of a wide thread, if the grid's line is long */
#define WIDE_SOURCE_BYTES (4u << 20)    /* .. and a source up to this: its parser has more threads than the machine */
#define WIDE_THREADS 3                  /* a device */
#define WIDE_ARENAS_BYTES ((u64)2 << 30)
#define GRID_BYTES ((u64)4 << 30)
#define MAX_ROOM 16u                    /* times the usual arena; what needs more goes to the CPU */
#define ROOM_STEP 4u                    /* times what was too little, the next request of the kind gets */
#define LOOK_US 200000u
#define TELL_US 500000u                 /* between two reports of what the devices do */
#ifndef STUCK_US                        /* t/63-gpu-host.t has less of these */
#define LONGEST_US 10000000u            /* of a request, whatever its deadline: what takes longer is for the CPU */
#define STUCK_US 30000000u /* no launch takes so long: its requests have LONGEST_US, those of a few before it too */
#define OUT_BYTES (32u << 20)           /* pinned, a thread's: results */
#endif
#define FEW_RUNS 8u                     /* of a batch: the CPU time of each answer is measured */
#define SHARE_BYTES (32u << 10) /* of a thread's CPU time a request costs as much as so many bytes of documents do */
#define LAUNCH_US 50                    /* of a thread's CPU time a launch costs, until it is known */
#define CORE_BYTES \
    (4u << 10) /* of a thread's CPU time a request that it evaluates costs as much as so many bytes of documents do */
#define CORE_DEAR 2 /* times what a launch costs: when an evaluation here has taken that, the device has it */
#define MAX_LINE 512u                   /* large requests that may wait for blocks */
#define MAX_GRID_LINE 64u               /* for the grid */
#define GRID_LINE 4u /* so many make it long: a block takes 1 to 20 times as long as the grid, which takes one after the
                        other .. */
#define LINE_BYTES (512u << 10)         /* .. and for a source one for each so many bytes of it */
#define MAX_RESIDENT 256

/* A document in device memory. Only the large thread touches these. */
typedef struct resident {
    gx_sha256 name;
    int has_name;                       /* else only the request that it came with is to have it */
    int checked;
    u64 size, used;
    void *at;
} resident;

typedef struct large_job { gx_queue_job job; gx_worker_program *program; } large_job;

/* Large jobs that wait; any thread puts and takes. n: also read without the lock. */
typedef struct line { pthread_mutex_t lock; pthread_cond_t more; large_job job[MAX_LINE]; u32 first, n; } line;

/* What a device has done, for the status page. It is busy while at least one launch is under way. */
typedef struct use {
    pthread_mutex_t lock;
    u32 n_launches;                     /* under way; since .. */
    u64 since_us, busy_us;
    u64 batch[GX_Q_BATCHES], batch_requests, grid_requests;
    u64 core_requests;                  /* atomic */
} use;

typedef struct device {
    gx_worker *w;
    int index, n_wide;
    char name[64];
    use use;
    u32 in_flight;                      /* requests launched for lanes and blocks; atomic */
    gx_gpu *grid;                       /* NULL: no memory for it */
    gx_matchers *matchers;
    pthread_t id;
    line for_grid, for_blocks;
    int started, ended;
    resident docs[MAX_RESIDENT];
    u64 doc_bytes, doc_budget, clock;
    u64 busy_us;                        /* the grid's, as a gpu_thread's */
} device;

typedef struct gpu_thread {
    device *dev;
    int wide;                           /* takes from for_blocks, not from the queue */
    pthread_t id;
    gx_gpu *gpu;
    char *staging;                      /* pinned */
    gx_worker_program *last;            /* of the request before */
    u64 arenas;                         /* bytes of device memory */
    u64 staged, pulled, placed;         /* bytes: there; of documents; of arenas */
    u32 runs;                           /* of this batch */
    double own_us;                      /* CPU time of this batch for its requests, one by one */
    float us_per_byte, batch_us;        /* lately: of that, of documents' bytes and SHARE_BYTES a request; a request's
                                           share of the rest .. */
    float launch_us;                    /* .. which is so much, with few requests; the wait for them not counted */
    gx_worker_kit *kit;                 /* NULL: evaluates nothing itself */
    u32 hint;
    int started, ended;
    u64 busy_us;                        /* when the device was last heard of; 0: nothing is asked of it; atomic */
    gx_queue_job job[BATCH];
    gx_worker_program *program[BATCH];
    gx_gpu_job run[BATCH];              /* tag: its job */
} gpu_thread;

typedef struct gpu_state {
    int shared, n_devices, n_threads;
    pthread_t teller;
    device dev[MAX_DEVICES];
    gpu_thread *thread[MAX_DEVICES * (MAX_THREADS + WIDE_THREADS)];
} gpu_state;

/* where a program lies on each device */
typedef struct copies { void *at[MAX_DEVICES]; } copies;

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static void forget(void *resident)
{
    copies *c = resident;
    for (int i = 0; i < MAX_DEVICES; i++)
        if (c->at[i])
            gx_gpu_forget(c->at[i]);
    free(c);
}

static const gx_program *on_device(gx_gpu *g, int device, gx_worker_program *p)
{
    copies *c = __atomic_load_n((copies **)&p->resident, __ATOMIC_ACQUIRE);
    void *at = c ? __atomic_load_n(&c->at[device], __ATOMIC_ACQUIRE) : NULL;
    if (at)
        return at;
    pthread_mutex_lock(&making);
    c = p->resident;
    if (!c && (c = calloc(1, sizeof *c))) {
        p->forget = forget;
        __atomic_store_n((copies **)&p->resident, c, __ATOMIC_RELEASE);
    }
    at = c ? c->at[device] : NULL;
    if (c && !at)
        __atomic_store_n(&c->at[device], at = gx_gpu_put(g, p->block, p->size), __ATOMIC_RELEASE);
    pthread_mutex_unlock(&making);
    return at;
}

/* since: when the device was last heard of; 0: nothing is asked of it. */
static void set_busy(u64 *busy_us, u64 since) { __atomic_store_n(busy_us, since, __ATOMIC_RELAXED); }

static void launch_begins(use *u)
{
    pthread_mutex_lock(&u->lock);
    if (!u->n_launches++)
        u->since_us = gx_now_us();
    pthread_mutex_unlock(&u->lock);
}

/* Of documents that are matched */
static void launch_match(void *ctx, int begins)
{
    use *u = ctx;
    if (begins) {
        launch_begins(u);
        return;
    }
    pthread_mutex_lock(&u->lock);
    if (!--u->n_launches)
        u->busy_us += gx_now_us() - u->since_us;
    pthread_mutex_unlock(&u->lock);
}

/* n: requests of a batch; 0: it was the grid's */
static void launch_ends(use *u, u32 n)
{
    const u32 log2 = n ? 31u - (u32)__builtin_clz(n) : 0;
    pthread_mutex_lock(&u->lock);
    if (!--u->n_launches)
        u->busy_us += gx_now_us() - u->since_us;
    if (n) {
        u->batch[log2 < GX_Q_BATCHES ? log2 : GX_Q_BATCHES - 1]++;
        u->batch_requests += n;
    } else
        u->grid_requests++;
    pthread_mutex_unlock(&u->lock);
}

/* What the asker is told of a page beside its bytes */
static gx_q_page page_of(const gx_worker_program *program, const gx_gpu_job *j)
{
    const gx_q_page page = { gx_page_method(program->block), j->n_nodes, j->result_bytes };
    return page;
}

/* What the device has made of a request goes to its waiter, and the program is let go. Errors of the transformation
 * are not worded here: those are GX_EHOST, and the waiter's thread finds them again with their words. 0: the waiter
 * had gone. */
static int answer(gx_worker *w, const gx_queue_job *job, gx_worker_program *program, const gx_gpu_job *j)
{
    gx_error err;
    gx_status status = j->status;
    const int is_page = j->is_source && status == GX_OK;
    /* not LONGEST_US */
    if (status == GX_ETIME && job->request.deadline_us && job->request.deadline_us <= gx_now_us())
        gx_fail(&err, status, "", 0, 0, "the transformation takes longer than GPUXMLTimeout allows");
    else if (status == GX_EXML && j->is_source)
        gx_fail(&err, status, "", 0, 0, "the GPU does not read this source");
    else if (status != GX_OK && status != GX_EARENA && status != GX_EBAD && status != GX_EABSENT)
        gx_fail(&err, status = GX_EHOST, "", 0, 0, "not on the GPU");
    else if (status != GX_OK)
        gx_fail(&err, status, "", 0, 0,
                status == GX_EBAD ? "the request in shared memory does not check out" : "not on the GPU");
    const gx_q_page page = is_page ? page_of(program, j) : (gx_q_page){ 0, 0, 0 };
    const int delivered = is_page
        ? gx_queue_finish_page(w->queue, job, &page, j->image, j->image_size)
        : gx_queue_finish(w->queue, job, status, status == GX_OK ? NULL : &err, j->image, j->image_size);
    gx_worker_program_done(program);
    return delivered;
}

static void refuse(gx_worker *w, const gx_queue_job *job, gx_worker_program *program, gx_status status)
{
    gx_gpu_job j;
    memset(&j, 0, sizeof j);
    j.status = status;
    j.is_source = (int)job->request.is_source;
    answer(w, job, program, &j);
}

/* 0: nobody waits for it any more, and it is ended: it may have stood in line for long. */
static int is_wanted(gx_worker *w, const gx_queue_job *job)
{
    if (gx_queue_wanted(w->queue, job))
        return 1;
    gx_queue_finish(w->queue, job, GX_ETIME, NULL, NULL, 0);
    return 0;
}

static void lost(const device *d, const gx_gpu *g)
{
    fprintf(stderr, "gpuxml-worker: device %d is lost: %s\n", d->index, gx_gpu_error(g));
    _exit(3);
}

/* What of a job's limits a kernel looks after. GX_ETIME: too late already. */
static gx_status set_limits(const gx_queue_job *job, gx_gpu_job *j)
{
    gx_limits limits = job->request.limits;
    u64 deadline = job->request.deadline_us, now = gx_now_us();
    gx_limits_default(&limits);
    j->recursion = limits.recursion;
    j->steps = limits.steps;
    j->budget_us = LONGEST_US;
    if (deadline && deadline <= now)
        return GX_ETIME;
    if (deadline && deadline - now < LONGEST_US)
        j->budget_us = deadline - now;
    return GX_OK;
}

/* Bytes of a job's document, or source */
static u64 doc_bytes(const gx_queue_job *job)
{
    return job->request.doc.size - (job->request.is_source ? job->request.base_len : 0);
}

/* A source's part of a run. GX_EHOST: its pages are not written here */
static gx_status set_source(const gx_queue_job *job, const gx_worker_program *p, u64 most, gx_gpu_job *j)
{
    gx_limits limits = job->request.limits;
    gx_limits_default(&limits);
    if (!gx_page_method(p->block) || getrandom(&j->seed, sizeof j->seed, 0) != sizeof j->seed)
        return GX_EHOST;
    j->is_source = 1;
    j->base_len = job->request.base_len;
    j->page_most = limits.output && limits.output < most ? limits.output : most;
    j->limits.text = limits.text;
    j->limits.depth = limits.depth;
    j->limits.nodes = limits.nodes;
    j->limits.attributes = limits.attributes;
    j->limits.name = limits.name;
    return doc_bytes(job) > limits.input ? GX_EXML : GX_OK;
}

/* The parameters, packed at `to` (cap bytes). GX_OK with *size 0: there are none. GX_EARENA: they do not fit. */
static gx_status pack_params(gx_worker *w, const gx_queue_job *job, const gx_program *program, char *to, u64 cap,
                             u64 *size)
{
    char *bytes;
    gx_param *params;
    int n;
    gx_error err;
    gx_status status = gx_worker_params(w, job, &bytes, &params, &n, &err);
    *size = 0;
    if (status == GX_OK && n) {
        *size = gx_params_pack(program, params, n, to, cap);
        if (!*size)
            status = GX_EARENA;
    }
    free(bytes);
    free(params);
    return status;
}

/* Documents of this size need so much with this program: the next ones begin with it, also those of the next worker. */
static void set_room(gx_worker *w, const gx_queue_job *job, gx_worker_program *p, u64 doc_size, u32 room)
{
    const u32 size_class = gx_queue_size_class(doc_size);
    if (job->request.is_source)         /* for this worker alone to know: the shared figures are of blocks */
        __atomic_store_n(&p->source_room[size_class], (u8)room, __ATOMIC_RELAXED);
    else if (__atomic_exchange_n(&p->room[size_class], (u8)room, __ATOMIC_RELAXED) != room)
        gx_queue_room_set(w->queue, job, size_class, (u8)room);
}

/* ---- large documents ---- */

static resident *find_resident(device *d, const gx_sha256 *name)
{
    for (int i = 0; i < MAX_RESIDENT; i++)
        if (d->docs[i].at && d->docs[i].has_name && gx_sha256_is_same(&d->docs[i].name, name)) {
            d->docs[i].used = ++d->clock;
            return &d->docs[i];
        }
    return NULL;
}

static void drop(device *d, resident *r)
{
    gx_gpu_forget(r->at);
    d->doc_bytes -= r->size;
    memset(r, 0, sizeof *r);
}

static resident *find_place(device *d)
{
    for (int i = 0; i < MAX_RESIDENT; i++)
        if (!d->docs[i].at)
            return &d->docs[i];
    return NULL;
}

/* The least recently used one goes. 0: there is none. */
static int drop_oldest(device *d)
{
    resident *oldest = NULL;
    for (int i = 0; i < MAX_RESIDENT; i++)
        if (d->docs[i].at && (!oldest || d->docs[i].used < oldest->used))
            oldest = &d->docs[i];
    if (oldest)
        drop(d, oldest);
    return oldest != NULL;
}

/* size bytes in device memory. NULL: it has no room for them. */
static resident *put_doc(device *d, const void *bytes, u64 size)
{
    resident *r;
    /* the device may be full before the budget is spent: others use it too */
    while (!(r = find_place(d)) || d->doc_bytes + size > d->doc_budget || !(r->at = gx_gpu_put(d->grid, bytes, size)))
        if (!drop_oldest(d))
            return NULL;
    r->has_name = r->checked = 0;
    r->size = size;
    r->used = ++d->clock;
    d->doc_bytes += size;
    return r;
}

/* The same, by a name. What goes there is copied first: in shared memory it could be another document's by then.
 * GX_EHOST: it is not what it is called. */
static gx_status put_named(device *d, const gx_q_request *request, resident **out)
{
    const u64 size = request->doc.size;
    void *copy = malloc(size);
    gx_status status = GX_EARENA;
    if (copy) {
        memcpy(copy, gx_queue_at(d->w->queue, request->doc), size);
        const gx_sha256 name = gx_sha256_of(copy, size);
        if (!gx_sha256_is_same(&name, &request->name))
            status = GX_EHOST;
        else if ((*out = put_doc(d, copy, size)) != NULL) {
            (*out)->name = name;
            (*out)->has_name = 1;
            status = GX_OK;
        }
    }
    free(copy);
    return status;
}

/* The job's document in device memory: the one it names, or its bytes, put there; the grid is to check them. */
static gx_status large_doc(device *d, const gx_q_request *request, resident **out)
{
    if (request->has_name && (*out = find_resident(d, &request->name)) != NULL)
        return GX_OK;
    if (gx_q_is_kept(request))
        return GX_EABSENT;
    if (request->doc.size > d->doc_budget)
        return GX_EARENA;
    if (request->has_name)
        return put_named(d, request, out);
    *out = put_doc(d, gx_queue_at(d->w->queue, request->doc), request->doc.size);
    return *out ? GX_OK : GX_EARENA;
}

/* One request on the whole device: its document is there already, or put there, or made of its source; the answer
 * follows. A document stays if it was found right and has a name by which it can be asked for again; the job says
 * which. */
static void serve_large(device *d, large_job *l)
{
    gx_gpu_job j;
    resident *doc = NULL;
    static __thread char params[65536] __attribute__((aligned(16)));
    const double cpu_us = gx_thread_cpu_us();
    const gx_q_request *request = &l->job.request;
    memset(&j, 0, sizeof j);
    j.program = on_device(d->grid, d->index, l->program);
    j.status = !j.program ? GX_EARENA
        : request->is_source ? set_source(&l->job, l->program, gx_queue_size(d->w->queue), &j)
                             : large_doc(d, request, &doc);
    if (j.status == GX_OK)
        j.status = set_limits(&l->job, &j);
    if (j.status == GX_OK)
        j.status = pack_params(d->w, &l->job, l->program->block, params, sizeof params, &j.params_size);
    if (j.status == GX_OK) {
        j.doc = doc ? doc->at : NULL;
        j.doc_size = doc ? doc->size : doc_bytes(&l->job);
        j.host = doc ? NULL : gx_queue_at(d->w->queue, request->doc);
        j.unchecked = doc && !doc->checked;
        j.params = params;
        j.most = gx_queue_size(d->w->queue);
        launch_begins(&d->use);
        if (gx_gpu_grid(d->grid, &j, NULL))
            lost(d, d->grid);
        launch_ends(&d->use, 0);
        if (doc) {
            l->job.kept = doc->has_name ? GX_Q_KEPT : request->keeps ? GX_Q_WORTH_KEEPING : GX_Q_NOT_KEPT;
            l->job.place = (u32)d->index;
            doc->checked = j.status != GX_EBAD;
        }
        if (j.status == GX_EARENA)
            set_room(d->w, &l->job, l->program, j.doc_size, GX_Q_NOT_THERE);
    }
    l->job.cpu_us = (u32)(gx_thread_cpu_us() - cpu_us);
    answer(d->w, &l->job, l->program, &j);
    if (doc && !(doc->checked && doc->has_name))        /* nobody may, or can, name it */
        drop(d, doc);
}

static void line_init(line *l)
{
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->more, NULL);
}

static u32 line_length(const line *l) { return __atomic_load_n(&l->n, __ATOMIC_RELAXED); }

/* 0: there are `most` already. */
static int line_put(line *l, u32 most, const gx_queue_job *job, gx_worker_program *program)
{
    pthread_mutex_lock(&l->lock);
    const int put = l->n < most;
    if (put) {
        large_job *last = &l->job[(l->first + l->n) % MAX_LINE];
        last->job = *job;
        last->program = program;
        __atomic_store_n(&l->n, l->n + 1, __ATOMIC_RELAXED);
        pthread_cond_signal(&l->more);
    }
    pthread_mutex_unlock(&l->lock);
    return put;
}

/* The first in line, to *out; 0: nobody stands there. wait: for LOOK_US, if nobody does. */
static int line_take(line *l, int wait, large_job *out)
{
    if (!wait && !line_length(l))
        return 0;
    pthread_mutex_lock(&l->lock);
    if (wait && !l->n) {
        const u64 until = gx_now_us() + LOOK_US;
        const struct timespec t = { (time_t)(until / 1000000), (long)(until % 1000000 * 1000) };
        /* somebody may set the other clock meanwhile */
        pthread_cond_clockwait(&l->more, &l->lock, CLOCK_MONOTONIC, &t);
    }
    const int taken = l->n != 0;
    if (taken) {
        *out = l->job[l->first];
        l->first = (l->first + 1) % MAX_LINE;
        __atomic_store_n(&l->n, l->n - 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&l->lock);
    return taken;
}

static void *serve_grid(void *arg)
{
    device *d = arg;
    prctl(PR_SET_TIMERSLACK, 1000ul);   /* ns: the pauses between looks at a kernel are meant */
    gx_worker_thread_begin();
    while (line_length(&d->for_grid) || !__atomic_load_n(&d->w->stop, __ATOMIC_ACQUIRE)) {
        large_job l;
        if (!line_take(&d->for_grid, 0, &l) && !line_take(&d->for_blocks, 0, &l) && !line_take(&d->for_grid, 1, &l))
            continue;
        set_busy(&d->busy_us, gx_now_us());
        if (is_wanted(d->w, &l.job))
            serve_large(d, &l);
        else
            gx_worker_program_done(l.program);
        set_busy(&d->busy_us, 0);
    }
    __atomic_store_n(&d->ended, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* Is a large request better off with a block, when so many stand in the grid's line? */
static int suits_blocks(const gx_q_request *r, u32 line)
{
    const u64 size = r->doc.size;
    if (!r->is_source)
        return size && size <= WIDE_BYTES && line >= GRID_LINE;
    return size <= WIDE_SOURCE_BYTES && line && line >= size / LINE_BYTES;
}

/* To the device that has the document, or to the one that has least to do, of those that had memory for a grid; to
 * blocks when the grid's line is long */
static void pass_on(gx_worker *w, const gx_queue_job *job, gx_worker_program *program)
{
    gpu_state *state = w->state;
    const gx_q_request *r = &job->request;
    const int is_kept = gx_q_is_kept(r);
    device *d = NULL, *wide = NULL;
    for (int i = 0; i < state->n_devices; i++) {
        device *other = &state->dev[i];
        if (other->started
            && (!d
                || (is_kept ? r->place == (u32)other->index
                            : line_length(&other->for_grid) < line_length(&d->for_grid))))
            d = other;
        if (other->n_wide && (!wide || line_length(&other->for_blocks) < line_length(&wide->for_blocks)))
            wide = other;
    }
    const u8 *rooms = r->is_source ? program->source_room : program->room;
    const u8 room = __atomic_load_n(&rooms[gx_queue_size_class(doc_bytes(job))], __ATOMIC_RELAXED);
    const int is_block_enough = room != GX_Q_NOT_THERE;
    const int for_blocks = wide && is_block_enough && !(program->block->flags & GX_P_HOST)
        && suits_blocks(r, d ? line_length(&d->for_grid) : MAX_GRID_LINE);
    if (!(for_blocks && line_put(&wide->for_blocks, MAX_LINE, job, program))
        && !(d && line_put(&d->for_grid, MAX_GRID_LINE, job, program)))
        refuse(w, job, program, GX_EARENA);
}

/* ---- batches: small documents, and such large ones as would wait too long for the grid ---- */

/* How many requests share a warp when so many are in flight on a device. Measured on an H200 (docs/bench): a block of a
 * warp each is fastest up to about 600, since it alone uses several lanes a request; from then on the control flow,
 * which lanes share, is what counts. */
static u32 lanes_for(u32 in_flight)
{
    return in_flight < 640 ? 0 : in_flight < 2048 ? 4 : in_flight < 8192 ? 8 : in_flight < 16384 ? 16 : 32;
}

/* What documents of this size were found to need, else what the next smaller kind did: the usual arena grows with the
 * document. Shared memory may have
 * said anything: no more than there is. */
static u32 known_room(const gx_worker_program *p, u64 doc_size, int is_source)
{
    const u8 *rooms = is_source ? p->source_room : p->room;
    for (u32 size_class = gx_queue_size_class(doc_size), steps = 0; steps < 3; size_class--, steps++) {
        const u32 room = __atomic_load_n(&rooms[size_class], __ATOMIC_RELAXED);
        if (room)
            return room < MAX_ROOM ? room : MAX_ROOM;
        if (!size_class)
            break;
    }
    return 1;
}

/* The largest room that this thread has for a job. */
static u32 most_room(const gpu_thread *t, const gx_gpu_job *j)
{
    gx_gpu_job large = *j;
    for (large.room = MAX_ROOM; large.room > 1 && gx_gpu_job_bytes(&large) > t->arenas; large.room /= 2)
        ;
    return large.room;
}

/* Of a job that ended: the next ones of its kind begin with what it needed. Of one that needs more, but not all, a
 * quarter is tried next: they share
 * what memory there is. 1: its own arena was too small, and there is a larger one. */
static int remember_room(gpu_thread *t, u32 k, const gx_gpu_job *j)
{
    gx_worker *w = t->dev->w;
    gx_worker_program *p = t->program[k];
    u8 *at = &(j->is_source ? p->source_room : p->room)[gx_queue_size_class(j->doc_size)];
    const u32 room = j->room ? j->room : 1, known = __atomic_load_n(at, __ATOMIC_RELAXED);
    if (j->status == GX_OK && (known == 0 || known == GX_Q_NOT_THERE))
        set_room(w, &t->job[k], p, j->doc_size, room);
    if (j->status != GX_EARENA || (j->is_source && j->is_full))         /* its page is long: that is its own affair */
        return 0;
    if (!j->is_full && room < most_room(t, j)) {
        if (known < room * ROOM_STEP)
            set_room(w, &t->job[k], p, j->doc_size, room * ROOM_STEP);
        return 1;
    }
    if (t->wide)        /* not for others to know: the grid may */
        __atomic_store_n(at, GX_Q_NOT_THERE, __ATOMIC_RELAXED);
    else
        set_room(w, &t->job[k], p, j->doc_size, GX_Q_NOT_THERE);
    return 0;
}

/* A launch is done with request r of the thread's batch: it is answered, or kept for another try (it was cut short, or
 * with more room), or handed to the grid, which has all of the device's memory. Called while the batch's others still
 * run. */
static void done(void *ctx, u32 r)
{
    gpu_thread *t = ctx;
    gx_gpu_job *j = &t->run[r];
    u32 k = (u32)j->tag;
    set_busy(&t->busy_us, gx_now_us());
    if (j->is_full && (j->is_source ? j->image_size < j->page_most : j->image_size <= OUT_BYTES))
        return;                                             /* again, as it is (run_batch) */
    if (remember_room(t, k, j))                             /* again, with all there is */
        return;
    if (j->status == GX_EARENA && t->wide && t->dev->started
        && line_put(&t->dev->for_grid, MAX_GRID_LINE, &t->job[k], t->program[k])) {
        t->program[k] = NULL;
        return;
    }
    t->job[k].cpu_us = (u32)((float)(j->doc_size + SHARE_BYTES) * t->us_per_byte);
    t->job[k].batch_us = (u32)t->batch_us;
    const double before = t->runs <= FEW_RUNS ? gx_thread_cpu_us() : 0;
    answer(t->dev->w, &t->job[k], t->program[k], j);
    t->own_us += t->runs <= FEW_RUNS ? gx_thread_cpu_us() - before : 0;
    t->program[k] = NULL;
}

/* Small documents first, programs together, sizes together: what shares a warp should take the same way as long. */
static int by_way(const void *a, const void *b)
{
    const gx_gpu_job *x = a, *y = b;
    int small = gx_gpu_is_small(y->doc_size) - gx_gpu_is_small(x->doc_size);
    return small ? small : x->program != y->program ? (x->program > y->program) - (x->program < y->program)
        : (x->doc_size > y->doc_size) - (x->doc_size < y->doc_size);
}

/* Launches n staged requests together, and again those that want another try and are still wanted, with all the room
 * there is, until none is left. */
static void run_batch(gpu_thread *t, u32 n)
{
    device *d = t->dev;
    while (n) {
        u32 left = 0, in_flight = __atomic_add_fetch(&d->in_flight, n, __ATOMIC_RELAXED);
        set_busy(&t->busy_us, gx_now_us());
        qsort(t->run, n, sizeof *t->run, by_way);
        launch_begins(&d->use);
        if (gx_gpu_batch(t->gpu, t->run, n, lanes_for(in_flight), done, t))
            lost(d, t->gpu);
        launch_ends(&d->use, n);
        __atomic_sub_fetch(&d->in_flight, n, __ATOMIC_RELAXED);
        for (u32 r = 0; r < n; r++) {
            const u64 k = t->run[r].tag;
            if (!t->program[k])
                continue;
            if (!is_wanted(d->w, &t->job[k])) {
                gx_worker_program_done(t->program[k]);
                continue;
            }
            t->run[left] = t->run[r];
            if (!t->run[r].is_full)
                t->run[left].room = most_room(t, &t->run[left]);        /* no request is tried with too little twice */
            left++;
        }
        n = left;
    }
    set_busy(&t->busy_us, 0);
}

/* The next request, as job k. A wide thread gets its program with it. 0: there is none; wait: nor came one in
 * LOOK_US. */
static int take(gpu_thread *t, u32 k, int wait)
{
    gx_worker *w = t->dev->w;
    large_job l;
    t->program[k] = NULL;
    if (!t->wide)
        return wait ? gx_queue_take_wait(w->queue, &t->hint, &t->job[k], LOOK_US, 20)
                    : gx_queue_take(w->queue, &t->hint, &t->job[k]);
    if (!line_take(&t->dev->for_blocks, wait, &l))
        return 0;
    t->job[k] = l.job;
    t->program[k] = l.program;
    return 1;
}

/* Makes a run of job k. 0: answered already, or passed on. -1: the staging memory is full. */
static int stage(gpu_thread *t, u32 k, gx_gpu_job *j)
{
    device *d = t->dev;
    gx_queue_job *job = &t->job[k];
    const u64 size = job->request.doc.size, copied = ((gpu_state *)d->w->state)->shared ? 0 : (size + 15) & ~15ull;
    const u64 wanted = copied + (job->request.params.size ? 2 * job->request.params.size + 64 : 0);
    const int match = job->request.is_match != 0, large = !match && !t->wide && (!size || size > DOC_BYTES);
    gx_error err;
    gx_status status;
    if (!match && !large && wanted > STAGE_BYTES - t->staged)
        return -1;
    gx_worker_program *p = t->program[k];
    t->program[k] = NULL;
    if (!is_wanted(d->w, job)) {
        if (p)
            gx_worker_program_done(p);
        return 0;
    }
    if (!p) {
        status = gx_worker_program_next(d->w, job, &t->last, &err);
        if (status != GX_OK) {
            gx_queue_finish(d->w->queue, job, status, &err, NULL, 0);
            return 0;
        }
        p = t->last;
        gx_worker_program_hold(p);
    }
    if (match) {
        d->matchers ? gx_matchers_put(d->matchers, job, p) : refuse(d->w, job, p, GX_EARENA);
        return 0;
    }
    if (large) {
        pass_on(d->w, job, p);
        return 0;
    }
    memset(j, 0, sizeof *j);
    char *at = t->staging + t->staged;
    j->program = p->block->flags & GX_P_HOST ? NULL : on_device(t->gpu, d->index, p);
    status = j->program ? set_limits(job, j) : GX_EHOST;
    if (status == GX_OK && job->request.is_source)
        status = set_source(job, p, OUT_BYTES, j);
    j->host = gx_queue_at(d->w->queue, job->request.doc);
    if (status == GX_OK && copied)
        j->host = memcpy(at, j->host, size);
    if (status == GX_OK)
        status = pack_params(d->w, job, p->block, at + copied, wanted - copied, &j->params_size);
    if (status != GX_OK) {
        refuse(d->w, job, p, status);
        return 0;
    }
    t->program[k] = p;
    j->params = at + copied;
    j->doc_size = doc_bytes(job);
    const u32 known = known_room(p, j->doc_size, j->is_source), most = most_room(t, j);
    j->room = known < most ? known : most;
    j->tag = k;
    t->staged += copied + j->params_size;
    t->pulled += size;
    t->placed += gx_gpu_job_bytes(j);
    return 1;
}

/* On the device for one more like the last of so many, and for its result, should that be half as long as its document:
 * what would have to wait for this batch to end is left to the other threads. */
static int has_room(const gpu_thread *t, u32 runs)
{
    const gx_gpu_job *last = &t->run[runs - 1];
    return !runs || (t->placed + gx_gpu_job_bytes(last) <= t->arenas && (t->pulled + last->doc_size) / 2 <= OUT_BYTES);
}

/* ---- on this thread: a few small requests, where that costs its core less than a launch ---- */

/* What its core needs for a document of so many bytes, about; 0: not tried yet. */
static float core_us(gx_worker_program *p, u64 bytes)
{
    float us_per_byte;
    __atomic_load(&p->us_per_byte, &us_per_byte, __ATOMIC_RELAXED);
    return us_per_byte * (float)(bytes + CORE_BYTES);
}

static void set_core_us(gx_worker_program *p, u64 bytes, float us)
{
    const float us_per_byte = us / (float)(bytes + CORE_BYTES);
    __atomic_store(&p->us_per_byte, &us_per_byte, __ATOMIC_RELAXED);
}

/* Job k has its program then. */
static int may_core(gpu_thread *t, u32 k)
{
    const gx_q_request *r = &t->job[k].request;
    gx_error err;
    if (!r->any_core || r->is_match || gx_q_is_kept(r) || r->doc.size > DOC_BYTES)
        return 0;
    if (!t->program[k]) {
        if (gx_worker_program_next(t->dev->w, &t->job[k], &t->last, &err) != GX_OK)
            return 0;
        gx_worker_program_hold(t->program[k] = t->last);
    }
    return !(t->program[k]->block->flags & GX_P_HOST);
}

/* Job k. 0: it takes more than most_us of CPU time, and is not ended. */
static int serve_core(gpu_thread *t, u32 k, float most_us)
{
    gx_queue_job *job = &t->job[k];
    gx_worker_program *p = t->program[k];
    const float known = core_us(p, job->request.doc.size);
    gx_worker_guard(job);
    const int ended = gx_worker_solo(t->kit, job, p, most_us);
    gx_worker_guard(NULL);
    const float us = (float)job->cpu_us;
    set_core_us(p, job->request.doc.size, ended && known > 0 ? (known + us) / 2 : us);
    if (ended)
        gx_worker_program_done(p);
    return ended;
}

/* The first k of n jobs are done with: the others come to the front. How many these are. */
static u32 keep_from(gpu_thread *t, u32 k, u32 n)
{
    memmove(t->job, t->job + k, (n - k) * sizeof *t->job);
    memmove(t->program, t->program + k, (n - k) * sizeof *t->program);
    return n - k;
}

/* Takes more than the n jobs that are there, and evaluates all: if they may be, are few, and cost less than a launch.
 * Returns how many are left, for the device. */
static u32 serve_few(gpu_thread *t, u32 n)
{
    float here_us = 0, launch_us = t->launch_us;
    u32 served = 0;
    for (u32 k = 0; k < n; k++) {
        if (!may_core(t, k))
            return n;
        const u64 bytes = t->job[k].request.doc.size;
        here_us += core_us(t->program[k], bytes);
        launch_us += (float)(bytes + SHARE_BYTES) * t->us_per_byte;
        if (k + 1 == n && n <= FEW_RUNS)
            n += (u32)take(t, n, 0);
    }
    if (n > FEW_RUNS)
        return n;
    if (here_us > launch_us) {          /* tried again when the price has become less: some hundred requests later */
        for (u32 k = 0; k < n; k++)
            set_core_us(t->program[k], 0, core_us(t->program[k], 0) * (1 - 1 / 256.0f));
        return n;
    }
    while (served < n && serve_core(t, served, launch_us * CORE_DEAR))
        served++;                       /* a launch for one is a launch for the others behind it */
    __atomic_add_fetch(&t->dev->use.core_requests, served, __ATOMIC_RELAXED);
    return keep_from(t, served, n);
}

/* What the last batch cost this thread, learnt for the next one's requests: they are answered before it is over. Of a
 * batch of many all is taken for its requests' own: who asks for the time at each answer pays for that. */
static void count_cpu(gpu_thread *t, double began_us, double *since_us)
{
    const double now = gx_thread_cpu_us(), all = now - *since_us, own = t->runs <= FEW_RUNS ? t->own_us : all;
    const float each = (float)(own / (double)(t->pulled + (u64)t->runs * SHARE_BYTES)),
                share = (float)((all - own) / t->runs);
    const float weight = t->us_per_byte > 0 ? 0.125f : 1;
    t->us_per_byte += (each - t->us_per_byte) * weight;
    t->batch_us += (share - t->batch_us) * weight;
    if (t->runs <= FEW_RUNS) {          /* the first launch takes long: what costs less than that were never launched
                                           again */
        const float launch = (float)(now - began_us - own), most = 2 * t->launch_us + 1;
        t->launch_us += ((launch < most ? launch : most) - t->launch_us) * 0.125f;
    }
    *since_us = now;
}

/* A thread's life: takes requests as long as they fit a batch, stages and runs them. Where requests are few and cheap
 * a core of the worker's takes them (serve_few). What did not fit is the next batch's first. Ends with w->stop and an
 * empty line. */
static void *serve(void *arg)
{
    gpu_thread *t = arg;
    gx_worker *w = t->dev->w;
    double cpu_us = gx_thread_cpu_us();
    prctl(PR_SET_TIMERSLACK, 1000ul);   /* ns: the pauses between looks at a batch are meant */
    u32 n = 0;                          /* job[0] ... were taken already: what did not fit the last batch */
    const u32 most = w->batch && w->batch < BATCH ? w->batch : BATCH;
    gx_worker_thread_begin();
    while (n || (t->wide && line_length(&t->dev->for_blocks)) || !__atomic_load_n(&w->stop, __ATOMIC_ACQUIRE)) {
        u32 runs = 0, k = 0;
        if (!n && !(n = (u32)take(t, 0, 1)))
            continue;
        if (t->kit && t->job[0].request.any_core) {
            n = serve_few(t, n);
            cpu_us = gx_thread_cpu_us();
            if (!n)
                continue;
        }
        t->staged = t->pulled = t->placed = 0;
        const double began_us = gx_thread_cpu_us();
        set_busy(&t->busy_us, gx_now_us());      /* programs are put there */
        for (; k < most && (k < n || (has_room(t, runs) && take(t, k, 0))); k++) {
            n = k < n ? n : k + 1;
            const int made = stage(t, k, &t->run[runs]);
            if (made < 0)
                break;
            runs += (u32)made;
        }
        t->runs = runs;
        t->own_us = runs && runs <= FEW_RUNS ? gx_thread_cpu_us() - began_us : 0;         /* so far */
        run_batch(t, runs);
        if (runs)
            count_cpu(t, began_us, &cpu_us);
        n = keep_from(t, k, n);
    }
    __atomic_store_n(&t->ended, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* ---- what the status page shows ---- */

static void describe(device *d, gx_q_device *out)
{
    use *u = &d->use;
    u64 free_bytes, all;
    memset(out, 0, sizeof *out);
    memcpy(out->name, d->name, sizeof out->name);
    if (gx_gpu_memory(d->index, &free_bytes, &all)) {
        out->memory = all;
        out->memory_used = all - free_bytes;
    }
    out->core_requests = __atomic_load_n(&u->core_requests, __ATOMIC_RELAXED);
    pthread_mutex_lock(&u->lock);
    out->busy_us = u->busy_us + (u->n_launches ? gx_now_us() - u->since_us : 0);
    memcpy(out->batch, u->batch, sizeof out->batch);
    out->batch_requests = u->batch_requests;
    out->grid_requests = u->grid_requests;
    pthread_mutex_unlock(&u->lock);
    gx_matchers_tell(d->matchers, &out->match_requests, &out->match_sets);
}

/* A thread of its own, as a device that hangs would stop it: then the figures stay as they are. */
static void *tell(void *arg)
{
    gx_worker *w = arg;
    gpu_state *state = w->state;
    const struct timespec pause = { 0, TELL_US * 1000 };
    gx_q_device devices[MAX_DEVICES];
    while (!__atomic_load_n(&w->stop, __ATOMIC_ACQUIRE)) {
        for (int i = 0; i < state->n_devices; i++)
            describe(&state->dev[i], &devices[i]);
        gx_queue_tell_devices(w->queue, devices, (u32)state->n_devices);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/* ---- start and stop ---- */

static gpu_thread *open_thread(device *d, u64 arenas, char *why, size_t size)
{
    const gx_gpu_room room = { BATCH, arenas, OUT_BYTES, 0 };
    gpu_thread *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->dev = d;
    t->arenas = arenas;
    t->launch_us = LAUNCH_US;
    t->gpu = gx_gpu_open(d->index, &room, why, size);
    t->staging = t->gpu ? gx_gpu_pinned(t->gpu, STAGE_BYTES) : NULL;
    if (t->staging)
        return t;
    if (t->gpu)
        snprintf(why, size, "no pinned memory");
    gx_gpu_close(t->gpu);
    free(t);
    return NULL;
}

static void open_grid(device *d)
{
    char why[256];
    gx_gpu_room room = { 0, 0, 0, GRID_BYTES };
    while (room.grid >= 64u << 20 && !(d->grid = gx_gpu_open(d->index, &room, why, sizeof why)))
        room.grid /= 2;
    if (!d->grid)
        return;
    d->doc_budget = gx_gpu_free_bytes(d->grid) / 2;
    d->started = pthread_create(&d->id, NULL, serve_grid, d) == 0;
}

/* The device's threads, each with a stream and arenas, as large as its memory allows; then a few with wide arenas, the
 * grid's, and what matches profiles. 0: not even one thread; `why`, of `size` bytes, says what is missing. */
static int open_device(gpu_state *state, gx_worker *w, int index, int threads, char *why, size_t size)
{
    device *d = &state->dev[state->n_devices];
    u64 arenas = ARENAS_BYTES;
    d->w = w;
    d->index = index;
    gpu_thread *t = open_thread(d, arenas, why, size);
    for (; !t && arenas >= 32u << 20; t = open_thread(d, arenas, why, size))
        arenas /= 2;
    if (!t)
        return 0;
    if (!state->n_devices)
        state->shared = gx_gpu_share(t->gpu, gx_queue_base(w->queue), gx_queue_size(w->queue));
    u64 each = gx_gpu_free_bytes(t->gpu) / 4 / (u64)threads;        /* the others' */
    if (arenas > each)
        arenas = each > 32u << 20 ? each : 32u << 20;
    for (int i = 0; i < threads && t; i++) {
        gx_error err;
        t->hint = (u32)state->n_threads * 64;
        (void)gx_worker_kit_create(w, &t->kit, &err);
        state->thread[state->n_threads++] = t;
        t = i + 1 < threads ? open_thread(d, arenas, why, size) : NULL;
    }
    u64 wide = gx_gpu_free_bytes(state->thread[state->n_threads - 1]->gpu) / 16;
    if (wide > WIDE_ARENAS_BYTES)
        wide = WIDE_ARENAS_BYTES;
    for (; wide > 64u << 20 && d->n_wide < WIDE_THREADS && (t = open_thread(d, wide, why, size)); d->n_wide++) {
        t->wide = 1;
        state->thread[state->n_threads++] = t;
    }
    line_init(&d->for_grid);
    line_init(&d->for_blocks);
    pthread_mutex_init(&d->use.lock, NULL);
    d->matchers = gx_matchers_open(w, index, launch_match, &d->use);
    snprintf(d->name, sizeof d->name, "%s", gx_gpu_name(state->thread[state->n_threads - 1]->gpu));
    open_grid(d);
    state->n_devices++;
    return 1;
}

/* All devices that can be seen, or the one that w->device names, and their threads. A device that cannot be used is
 * left out. GX_EHOST: there is none, or none is asked for. engine: what the status page says. */
static gx_status gpu_start(gx_worker *w, char *engine, size_t size, gx_error *err)
{
    char why[256] = "";
    int n, first = 0, last;
    if (!strcmp(w->device, "cpu"))
        return gx_fail(err, GX_EHOST, "", 0, 0, "%s", "");     /* nobody asked for a GPU: nothing to tell */
    n = gx_gpu_devices(why, sizeof why);
    last = n < MAX_DEVICES ? n : MAX_DEVICES;
    if (n && strcmp(w->device, "auto")) {
        char *end;
        const long number = strtol(w->device, &end, 10);
        first = (int)number;
        if (*end || end == w->device || number < 0 || number >= last)
            return gx_fail(err, GX_EHOST, "", 0, 0, "there is no device %s: %d can be seen", w->device, n);
        last = first + 1;
    }
    if (!n)
        return gx_fail(err, GX_EHOST, "", 0, 0, "%s", why);
    gpu_state *state = calloc(1, sizeof *state);
    if (!state)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "no memory");
    w->state = state;
    const int share = (int)gx_cores() * 3 / 4 / (last - first),
              threads = share < 2 ? 2
        : share > MAX_THREADS     ? MAX_THREADS
                                  : share;
    for (int k = first; k < last; k++)
        if (!open_device(state, w, k, threads, why, sizeof why))
            fprintf(stderr, "gpuxml-worker: device %d is left out: %s\n", k, why);
    if (!state->n_devices) {
        w->state = NULL;
        free(state);
        return gx_fail(err, GX_EHOST, "", 0, 0, "no device can be used");
    }
    gx_queue_hands_back(w->queue);
    for (int i = 0; i < state->n_threads; i++)
        state->thread[i]->started = pthread_create(&state->thread[i]->id, NULL, serve, state->thread[i]) == 0;
    if (!state->thread[0]->started)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "no thread can be started");
    (void)pthread_create(&state->teller, NULL, tell, w);        /* without it the status page knows less */
    snprintf(engine, size, "gpu, %d x %s", state->n_devices, gx_gpu_name(state->thread[0]->gpu));
    return GX_OK;
}

static void gpu_stop(gx_worker *w)
{
    gpu_state *state = w->state;
    struct timespec pause = { 0, 10000000 };
    for (int tries = 0; tries < 100; tries++) {
        int running = 0;
        for (int i = 0; i < state->n_threads; i++)
            running += state->thread[i]->started && !__atomic_load_n(&state->thread[i]->ended, __ATOMIC_ACQUIRE);
        for (int i = 0; i < state->n_devices; i++)
            running += (state->dev[i].started && !__atomic_load_n(&state->dev[i].ended, __ATOMIC_ACQUIRE))
                       || gx_matchers_run(state->dev[i].matchers);
        if (!running)
            return;
        nanosleep(&pause, NULL);
    }
}

static int gpu_is_stuck(gx_worker *w)
{
    gpu_state *state = w->state;
    const u64 now = gx_now_us();
    for (int i = 0; i < state->n_devices; i++)
        if (gx_matchers_stuck(state->dev[i].matchers, now - STUCK_US))
            return 1;
    for (int i = 0; i < state->n_threads + state->n_devices; i++) {
        u64 *busy_us = i < state->n_threads ? &state->thread[i]->busy_us : &state->dev[i - state->n_threads].busy_us;
        const u64 since = __atomic_load_n(busy_us, __ATOMIC_RELAXED);
        if (since && now > since + STUCK_US)
            return 1;
    }
    return 0;
}

const gx_dispatcher gx_dispatch_cuda = { "gpu", gpu_start, gpu_is_stuck, gpu_stop };
#else
/* ISO C wants something in a file */
typedef int gx_no_gpu;
#endif
