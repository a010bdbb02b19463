/* SPDX-License-Identifier: Apache-2.0 */
/*
 * each.c -- gpuxslt --each: threads that take items, transform them and hand the results on
 *
 * The main thread reads items into a ring; workers take a few at a time, so the lock is no matter at a million
 * documents a second either. Each worker has a parser, an arena and a pool of its own, which stay warm.
 *
 * With a worker process (--team gpu), a thread sends it the sources of all items that it took, then waits for the pages
 * one after the other: what many threads have sent is a GPU's batch. What the process hands back is transformed here.
 *
 * A document that fails is named (standard error, and --report's file) and costs itself alone. What ends the run: an
 * input that cannot be read any further, an output that has no more room, and SIGINT or SIGTERM, after which every
 * worker finishes what it has. Nothing is left half written: the same command goes on where this one stopped.
 */
#include <apr_allocator.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "each.h"
#include "engine/clock.h"
#include "remote.h"

enum { TAKE = 16, MOST_SAID = 20 };     /* TAKE: items at once, without a worker process */

typedef struct bytes { char *at; size_t n, cap; } bytes;

/* An item that a thread has taken */
typedef struct place {
    each_item item;
    remote_seat *seat;                  /* NULL: there is no worker process */
    bytes in;                           /* the file's */
    int is_skipped, is_read, is_asked;  /* it was done before; in has it; the worker process was sent it */
    u64 deadline_us;                    /* of what was asked */
} place;

typedef struct run {
    const each_options *o;
    each_input *in;
    each_output *out;
    pthread_mutex_t lock;
    pthread_cond_t come, gone;          /* an item was put into the ring; there is room in it */
    each_item ring[EACH_AHEAD];
    u64 first, end, bytes;              /* ring[first % EACH_AHEAD] to ring[(end - 1) % EACH_AHEAD]; bytes that they
                                           hold */
    int is_over, is_broken;             /* nothing more comes; nothing more can be written */
    u64 done, skipped, failed, in_bytes, out_bytes;     /* atomic */
    u64 by_worker;                      /* .. pages that the worker process made of sources */
    u64 start_us;
    FILE *report;
    int is_terminal;
} run;

typedef struct worker {
    run *run;
    pthread_t thread;
    kit kit;
    place places[EACH_PLACES];
    int n_places;
    apr_pool_t *pool;
    bytes out;
    const char *name;                   /* of the document under way: for messages */
} worker;

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

/* ---- what people are told ---- */

static void clear_line(const run *r)
{
    if (r->is_terminal)
        fputs("\r\033[K", stderr);
}

static void say(run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(run *r, const char *fmt, ...)
{
    va_list args;
    flockfile(stderr);
    clear_line(r);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    funlockfile(stderr);
}

static void failed(run *r, const char *line)
{
    const u64 n = __atomic_add_fetch(&r->failed, 1, __ATOMIC_RELAXED);
    if (r->report) {
        flockfile(r->report);
        fprintf(r->report, "%s\n", line);
        funlockfile(r->report);
    }
    if (!r->report || n <= MOST_SAID)
        say(r, "%s", line);
    if (r->report && n == MOST_SAID)
        say(r, "gpuxslt: more errors go to %s alone", r->o->report);
}

/* ", 1:02:03 left" */
static void put_left(char text[48], double s)
{
    if (s >= 3600)
        snprintf(text, 48, ", %d:%02d:%02d left", (int)(s / 3600), (int)(s / 60) % 60, (int)s % 60);
    else
        snprintf(text, 48, ", %d:%02d left", (int)(s / 60), (int)s % 60);
}

/* "12,345 of 100,000 documents, 4,210/s, 0:21 left, 3 errors" */
static void put_progress(const run *r, int is_last)
{
    const double s = (double)(gx_now_us() - r->start_us) / 1e6;
    const u64 n = __atomic_load_n(&r->done, __ATOMIC_RELAXED), skipped = __atomic_load_n(&r->skipped, __ATOMIC_RELAXED);
    const u64 bad = __atomic_load_n(&r->failed, __ATOMIC_RELAXED), all = n + skipped + bad;
    const u64 total = r->in->total, part = r->in->total_bytes ? r->in->read_bytes : 0;
    const double share = total ? (double)all / (double)total : part ? (double)part / (double)r->in->total_bytes : 0;
    char left[48] = "", of[40] = "", lead[64];
    if (total)
        snprintf(of, sizeof of, " of %llu", (unsigned long long)total);
    if (!is_last && share > 0 && s > 1)
        put_left(left, s / share * (1 - share));
    if (is_last)
        snprintf(lead, sizeof lead, "gpuxslt: ");
    else
        snprintf(lead, sizeof lead, "\r\033[K%3.0f %% ", 100 * share);
    flockfile(stderr);
    fprintf(stderr, "%s%llu%s document%s, %.0f/s, %.1f MB/s in%s", lead, (unsigned long long)all, is_last ? "" : of,
            all == 1 ? "" : "s", (double)(n + bad) / (s > 0 ? s : 1),
            (double)__atomic_load_n(&r->in_bytes, __ATOMIC_RELAXED) / 1e6 / (s > 0 ? s : 1), left);
    if (skipped)
        fprintf(stderr, ", %llu done before", (unsigned long long)skipped);
    if (bad)
        fprintf(stderr, ", %llu error%s", (unsigned long long)bad, bad == 1 ? "" : "s");
    if (is_last && r->o->remote)
        fprintf(stderr, ", %llu of sources by the worker (%s)", (unsigned long long)r->by_worker,
                remote_engine(r->o->remote));
    if (is_last)
        fputc('\n', stderr);
    fflush(stderr);
    funlockfile(stderr);
}

static int is_all_over(run *r)
{
    pthread_mutex_lock(&r->lock);
    const int over = r->is_over;
    pthread_mutex_unlock(&r->lock);
    return over;
}

static void *watch(void *ctx)
{
    run *r = ctx;
    while (!is_all_over(r)) {
        const struct timespec pause = { 0, 200000000 };
        nanosleep(&pause, NULL);
        put_progress(r, 0);
    }
    return NULL;
}

/* ---- one document ---- */

static int append(void *ctx, const char *bytes, size_t n)
{
    worker *w = ctx;
    if (w->out.cap - w->out.n < n) {
        const size_t cap = 2 * (w->out.cap + n);
        char *more = realloc(w->out.at, cap);
        if (!more)
            return 1;
        w->out.at = more;
        w->out.cap = cap;
    }
    memcpy(w->out.at + w->out.n, bytes, n);
    w->out.n += n;
    return 0;
}

static int message(void *ctx, const char *text, size_t n)
{
    worker *w = ctx;
    say(w->run, "%s: %.*s", w->name, (int)n, text);
    return 0;
}

static void warning(void *ctx, const gx_error *what)
{
    worker *w = ctx;
    char text[1200];
    say(w->run, "warning: %s", gx_error_format(what, text, sizeof text));
}

static gx_status read_file(const char *name, u64 most, bytes *in, gx_error *err)
{
    FILE *f = fopen(name, "rb");
    size_t n;
    if (!f)
        return gx_fail(err, GX_EIO, name, 0, 0, "cannot be opened: %s", strerror(errno));
    setvbuf(f, NULL, _IONBF, 0);
    in->n = 0;
    do {
        if (in->cap - in->n < 65536) {
            const size_t cap = 2 * (in->cap + 65536);
            char *more = realloc(in->at, cap);
            if (!more) {
                fclose(f);
                return gx_fail(err, GX_ENOMEM, name, 0, 0, "not enough memory to read it");
            }
            in->at = more;
            in->cap = cap;
        }
        errno = 0;
        n = fread(in->at + in->n, 1, in->cap - in->n, f);
        in->n += n;
    } while (n && in->n <= most);
    const int wrong = ferror(f) ? (errno ? errno : EIO) : 0;
    fclose(f);
    if (wrong)
        return gx_fail(err, GX_EIO, name, 0, 0, "cannot be read: %s", strerror(wrong));
    return kit_unpack(name, most, &in->at, &in->n, &in->cap, err);
}

static u64 deadline_of(const worker *w)
{
    const int timeout_ms = w->run->o->source.timeout_ms;
    return timeout_ms ? gx_now_us() + (u64)timeout_ms * 1000 : 0;
}

/* By the worker process, if there is one that takes it, else by this thread. */
static gx_status evaluate(worker *w, remote_seat *seat, gx_evaluation *ev, gx_error *err)
{
    const int timeout_ms = w->run->o->source.timeout_ms;
    gx_status status = GX_EHOST;
    if (seat) {
        ev->deadline_us = deadline_of(w);
        status = remote_evaluate(seat, ev, err);
    }
    return status == GX_EHOST ? kit_evaluate(&w->kit, ev, timeout_ms, err) : status;
}

static gx_status read_item(worker *w, place *p, gx_error *err)
{
    if (p->item.wrong)
        return gx_fail(err, GX_EIO, p->item.name, 0, 0, "%s", p->item.wrong);
    if (!p->item.bytes && !p->is_read)
        GX_TRY(read_file(p->item.name, w->run->o->limits->input, &p->in, err));
    p->is_read = 1;
    return GX_OK;
}

/* What relative references of the item start from */
static const char *base_of(const each_item *item) { return item->bytes ? "./" : item->name; }

/* Sends the item's source to the worker process. An error shows when the item's turn comes. */
static void ask(worker *w, place *p)
{
    const each_options *o = w->run->o;
    const gx_evaluation ev = { .program = o->program,
                               .params = o->params,
                               .n_params = o->n_params,
                               .limits = o->limits,
                               .deadline_us = p->deadline_us = deadline_of(w) };
    gx_error err;
    if (read_item(w, p, &err) == GX_OK)
        p->is_asked = remote_ask(p->seat, &ev, p->item.bytes ? p->item.bytes : p->in.at,
                                 p->item.bytes ? p->item.n : p->in.n, base_of(&p->item));
}

/* May the worker process make pages of sources, as far as the command line says? */
static int may_ask(const each_options *o)
{
    return o->remote && !o->source.xinclude && !o->encoding && gx_page_is_portable(o->program);
}

static gx_status transform(worker *w, place *p, gx_error *err)
{
    const each_options *o = w->run->o;
    const each_item *item = &p->item;
    const gx_parse_options documents = kit_documents(&w->kit, &o->source);
    gx_evaluation ev = { .program = o->program,
                         .params = o->params,
                         .n_params = o->n_params,
                         .limits = o->limits,
                         .loader = &w->kit.loader,
                         .documents = &documents,
                         .team = { GX_TEAM_KIND_SOLO, 1, NULL },
                         .pool = w->kit.run_pool,
                         .warning = warning,
                         .warning_ctx = w };
    const gx_serialize_options write = {
        .limits = o->limits, .encoding = o->encoding, .message = message, .message_ctx = w
    };
    gx_media media;
    gx_doc *doc;
    GX_TRY(read_item(w, p, err));
    GX_TRY(kit_parse(&w->kit, &o->source, item->name, base_of(item), item->bytes ? item->bytes : p->in.at,
                     item->bytes ? item->n : p->in.n, o->program, &doc, err));
    ev.doc = doc;
    GX_TRY(evaluate(w, p->seat, &ev, err));
    w->out.n = 0;
    const gx_status status = gx_serialize(&ev, &write, append, w, &media, err);
    return status == GX_ECANCEL ? gx_fail(err, GX_ENOMEM, item->name, 0, 0, "not enough memory for the result")
                                : status;
}

/* The line that names what failed; an error of the stylesheet's does not say for which document. */
static void name_error(char line[1800], const each_item *item, const gx_error *err)
{
    char text[1200];
    gx_error_format(err, text, sizeof text);
    if (strncmp(text, item->name, strlen(item->name)) == 0)
        snprintf(line, 1800, "%s", text);
    else
        snprintf(line, 1800, "%.500s: %s", item->name, text);
}

static void work_on(worker *w, place *p)
{
    run *r = w->run;
    each_item *item = &p->item;
    gx_error err = { 0 };
    char line[1800], why[400] = "";
    const char *page;
    size_t n_page;
    gx_status status = GX_OK;
    int full = 0;
    w->name = item->name;
    if (p->is_asked && remote_page(p->seat, p->deadline_us, &page, &n_page))
        __atomic_fetch_add(&r->by_worker, 1, __ATOMIC_RELAXED);
    else {
        status = transform(w, p, &err);
        page = status != GX_OK ? NULL : w->out.at ? w->out.at : "";
        n_page = w->out.n;
    }
    const int put = each_output_put(r->out, item, page, n_page, why, &full);
    if (status != GX_OK) {
        name_error(line, item, &err);
        failed(r, line);
    } else if (put != 0) {
        snprintf(line, sizeof line, "%.500s: %s", item->name, why);
        failed(r, line);
    } else {
        __atomic_fetch_add(&r->done, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&r->out_bytes, n_page, __ATOMIC_RELAXED);
    }
    __atomic_fetch_add(&r->in_bytes, item->bytes ? item->n : p->in.n, __ATOMIC_RELAXED);
    if (full) {
        pthread_mutex_lock(&r->lock);
        r->is_broken = 1;
        pthread_cond_broadcast(&r->gone);
        pthread_mutex_unlock(&r->lock);
    }
}

/* Was it done before, by a run that ended early? */
static int skip(run *r, const each_item *item)
{
    const int is_done = !r->o->again && each_output_is_done(r->out, item, r->o->newest_ns);
    if (is_done)
        __atomic_fetch_add(&r->skipped, 1, __ATOMIC_RELAXED);
    return is_done;
}

/* ---- the ring ---- */

/* As many items as w has places for, fewer where others would stand idle; 0: nothing more comes. */
static int take(worker *w)
{
    run *r = w->run;
    int n = 0;
    pthread_mutex_lock(&r->lock);
    while (r->first == r->end && !r->is_over)
        pthread_cond_wait(&r->come, &r->lock);
    const int share = (int)((r->end - r->first) / (u64)(2 * r->o->jobs)) + 1;
    while (n < w->n_places && n < share && r->first < r->end) {
        place *p = &w->places[n++];
        p->item = r->ring[r->first++ % EACH_AHEAD];
        p->is_skipped = p->is_read = p->is_asked = 0;
        p->in.n = 0;
        r->bytes -= p->item.n;
    }
    pthread_cond_signal(&r->gone);
    pthread_mutex_unlock(&r->lock);
    return n;
}

static void *work(void *ctx)
{
    worker *w = ctx;
    run *r = w->run;
    const int asks = may_ask(r->o);
    int n;
    while ((n = take(w)) > 0) {
        for (int i = 0; i < n; i++)
            if (skip(r, &w->places[i].item))
                w->places[i].is_skipped = 1;
            else if (asks)
                ask(w, &w->places[i]);
        for (int i = 0; i < n; i++) {
            if (!w->places[i].is_skipped && !is_interrupted && !r->is_broken)
                work_on(w, &w->places[i]);
            if (w->places[i].seat)
                remote_let_go(w->places[i].seat);
            each_item_free(&w->places[i].item);
        }
    }
    return NULL;
}

/* Waits until there is room for an item: in the ring, in memory, and in the order in which a stream has its results. 0:
 * all is over. */
static int wait_for_room(run *r)
{
    int good;
    pthread_mutex_lock(&r->lock);
    for (;;) {
        const u64 written = each_output_written(r->out);
        good = !is_interrupted && !r->is_broken;
        if (!good || (r->end - r->first < EACH_AHEAD && (r->bytes < EACH_BYTES || r->end == r->first)
                      && (written == UINT64_MAX || r->end - written < EACH_AHEAD - 1)))
            break;
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);      /* a stream's writers do not signal, and a signal handler cannot */
        until.tv_nsec += 20000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&r->gone, &r->lock, &until);
    }
    pthread_mutex_unlock(&r->lock);
    return good;
}

static void put(run *r, const each_item *item)
{
    pthread_mutex_lock(&r->lock);
    r->ring[r->end++ % EACH_AHEAD] = *item;
    r->bytes += item->n;
    pthread_cond_signal(&r->come);
    pthread_mutex_unlock(&r->lock);
}

/* All items; 0, or 6 and a line when the input cannot be read to its end. */
static int read_all(run *r)
{
    u64 number = 0;
    while (wait_for_room(r)) {
        each_item item = { 0 };
        char why[400] = "";
        const int n = r->in->next(r->in, &item, why);
        if (n == 0)
            return 0;
        item.number = ++number;
        if (n < 0 || !item.name || (!item.bytes && !item.wrong && item.n)) {
            failed(r, n < 0 ? why : "not enough memory");
            each_item_free(&item);
            return 6;
        }
        put(r, &item);
    }
    return 0;
}

/* ---- */

static int begin_worker(worker *w, run *r)
{
    gx_error err;
    apr_allocator_t *allocator;
    w->run = r;
    if (apr_allocator_create(&allocator) != APR_SUCCESS
        || apr_pool_create_ex(&w->pool, NULL, NULL, allocator) != APR_SUCCESS)
        return 0;
    apr_allocator_owner_set(allocator, w->pool);
    if (apr_pool_create(&w->kit.run_pool, w->pool) != APR_SUCCESS || kit_open(&w->kit, r->o->limits, &err) != GX_OK)
        return 0;
    w->n_places = r->o->remote ? EACH_PLACES : TAKE;
    for (int i = 0; i < w->n_places && r->o->remote; i++)
        if (!(w->places[i].seat = remote_sit(r->o->remote)))
            return 0;
    w->kit.warning = warning;
    w->kit.warning_ctx = w;
    w->kit.loader = r->o->loader;
    w->kit.loader.catalog = r->o->open_catalog ? r->o->open_catalog(w->pool) : NULL;
    return pthread_create(&w->thread, NULL, work, w) == 0;
}

static void end_worker(worker *w)
{
    for (int i = 0; i < w->n_places; i++) {
        remote_rise(w->places[i].seat);
        free(w->places[i].in.at);
    }
    kit_close(&w->kit);
    if (w->pool)
        apr_pool_destroy(w->pool);
    free(w->out.at);
}

int each_run(const each_options *o, each_input *in, each_output *out)
{
    struct sigaction handler, before_int, before_term;
    run *r = calloc(1, sizeof *r);
    worker *workers = calloc((size_t)o->jobs, sizeof *workers);
    pthread_t watcher;
    int n = 0, status = 11, is_watched = 0;
    char why[400] = "";
    if (!r || !workers) {
        fprintf(stderr, "gpuxslt: not enough memory\n");
        return status;
    }
    *r = (run){ .o = o, .in = in, .out = out, .start_us = gx_now_us(), .is_terminal = isatty(2) };
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->come, NULL);
    pthread_cond_init(&r->gone, NULL);
    if (o->report && !(r->report = fopen(o->report, "w"))) {
        fprintf(stderr, "gpuxslt: %s: cannot be written: %s\n", o->report, strerror(errno));
        goto end;
    }
    memset(&handler, 0, sizeof handler);
    handler.sa_handler = interrupt;
    sigaction(SIGINT, &handler, &before_int);
    sigaction(SIGTERM, &handler, &before_term);
    while (n < o->jobs && begin_worker(&workers[n], r))
        n++;
    if (!n)
        fprintf(stderr, "gpuxslt: no thread can be started\n");
    is_watched = n && r->is_terminal && pthread_create(&watcher, NULL, watch, r) == 0;
    status = n ? read_all(r) : 11;
    pthread_mutex_lock(&r->lock);
    r->is_over = 1;
    pthread_cond_broadcast(&r->come);
    pthread_mutex_unlock(&r->lock);
    for (int i = 0; i < n; i++)
        pthread_join(workers[i].thread, NULL);
    if (is_watched)
        pthread_join(watcher, NULL);
    sigaction(SIGINT, &before_int, NULL);
    sigaction(SIGTERM, &before_term, NULL);
    clear_line(r);
    put_progress(r, 1);
    if (is_interrupted)
        fprintf(stderr, "gpuxslt: interrupted; the same command goes on from here\n");
    if (is_interrupted)
        each_output_abandon(out);
    status = r->is_broken ? 11 : is_interrupted ? 130 : r->failed ? 6 : status;
end:
    for (int i = 0; i < o->jobs; i++)
        end_worker(&workers[i]);
    if (each_close_output(out, why) != 0) {
        fprintf(stderr, "gpuxslt: %s\n", why);
        status = 11;
    }
    in->close(in);
    if (r->report && fclose(r->report) != 0) {
        fprintf(stderr, "gpuxslt: %s cannot be written: %s\n", o->report, strerror(errno));
        status = 11;
    }
    free(workers);
    free(r);
    return status;
}
