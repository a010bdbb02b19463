/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gx-queue-bench.c -- many clients, one worker: how fast, and is every answer right?
 *
 *   gx-queue-bench [options] sheet.xsl... doc.xml...
 *   gx-queue-bench [options] --profiles FILE doc.xml...
 *     --worker PATH       the worker program (default: gpuxml-worker beside this program)
 *     --processes N       client processes (default 2)       --clients N     threads in each (default 2)
 *     --requests N        of each thread (default 1000)      --threads N     the worker's (default: one per core)
 *     --memory MiB        shared (default 64)                --slots N       (default 64)
 *     --device D          cpu, auto, a number or several with commas (default auto)
 *     --depth N       requests that a client has in flight (default 1: it sleeps for each, as a thread of httpd does)
 *     --pause US          a client sleeps so long between two requests: round trips of sleeping processes
 *     --deadline MS       of a request (default 5000)
 *     --keep          documents may stay with the worker: a request names the one that is there
 *     --source        the documents' bytes are sent: the worker parses them and writes the pages
 *     --any-core      a GPU's worker may evaluate on cores of its own what costs less there than a launch
 *     --profiles FILE     which of these profiles does each document match? Its packed form is sent, and the numbers of
 *                         the profiles come back
 *     --pack              of profiles: each request begins with the document's bytes, which are parsed and packed
 *     --kill MS           every so often SIGKILL the worker and start another
 *     --stop MS           every so often SIGSTOP the worker for 1.5 seconds
 *     --no-sandbox        the worker keeps its user's rights
 *     --hostile           one more process writes random bytes all over the shared memory (answers may be wrong, nobody
 *                         may die)
 *
 * With several stylesheets request k is of the k-th stylesheet and the k-th document, each list from its start again at
 * its end. Every answer is serialised and compared with the local evaluation's bytes. What the worker cannot answer is
 * evaluated here, as httpd does, and counted as local. Exit code 1: an answer was wrong or missing, or a process died
 * that should not have.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <apr_general.h>
#include "gx.h"
#include "match/list.h"
#include "match/pack.h"
#include "queue.h"

typedef struct buffer { char *at; size_t n, cap; } buffer;
typedef struct sheet { gx_program *program; gx_queue_program published; } sheet;
typedef struct document {
    sheet *sheet;
    const char *path;
    char *bytes;
    size_t n;
    gx_doc *doc;
    buffer want;
    gx_queue_kept kept;
    gxp_tree *tree;             /* with profiles; NULL: too large for a device */
    u64 tree_size;
} document;

static struct {
    const char *worker, *device;
    int processes, clients, requests, threads, depth, pause_us, deadline_ms, keep, any_core, kill_ms, stop_ms, hostile;
    int no_sandbox, source, pack;
    u32 slots;
    u64 memory;
    const char *profiles;
} opt = { .device = "auto", .processes = 2, .clients = 2, .requests = 1000, .depth = 1, .deadline_ms = 5000,
          .slots = 64, .memory = 64 };

/* shared by all processes; each thread has its part of ns */
typedef struct tally { u64 remote, on_core, local, wrong, failed, early, by_source; u32 ns[]; } tally;

static struct { gxp_set *set; gxp_flat *flat; gx_queue_program published; } profiles;
static gx_queue *queue;
static document *docs;
static int n_docs;
static tally *total;

static void die(const char *what, const char *why)
{
    fprintf(stderr, "gx-queue-bench: %s%s%s\n", what, why ? ": " : "", why ? why : "");
    exit(2);
}

static u64 now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

static void sleep_us(u64 us)
{
    struct timespec t = { (time_t)(us / 1000000), (long)(us % 1000000) * 1000 };
    nanosleep(&t, NULL);
}

static int append(void *ctx, const char *bytes, size_t n)
{
    buffer *b = (buffer *)ctx;
    if (b->n + n > b->cap) {
        b->cap = (b->n + n) * 2;
        b->at = (char *)realloc(b->at, b->cap);
        if (!b->at)
            die("no memory", NULL);
    }
    memcpy(b->at + b->n, bytes, n);
    b->n += n;
    return 0;
}

/* ---- one client thread ---- */

typedef struct client {
    gx_parser *parser;
    gx_arena *arena;
    apr_pool_t *pool;
    buffer out;
    u64 seed;
    gxp_matcher *matcher;       /* with profiles */
    gxp_packer *packer;
    void *block;                /* of a document that is parsed to be packed: kept, as httpd and gpuxml-match do */
    u64 block_size;
} client;

static void open_client(client *c)
{
    gx_error err;
    memset(c, 0, sizeof *c);
    if (gx_parser_create(&c->parser, &err) != GX_OK || gx_arena_create(256u << 20, &c->arena, &err) != GX_OK)
        die("cannot begin", err.text);
    apr_pool_create(&c->pool, NULL);
    if (profiles.set
        && (gxp_matcher_create(profiles.set, &c->matcher, &err) != GX_OK
            || gxp_packer_create(profiles.set, NULL, &c->packer, &err) != GX_OK))
        die("cannot begin", err.text);
}

static gx_status parse(client *c, const document *d, gx_doc **out, gx_error *err)
{
    gx_parse_options options;
    memset(&options, 0, sizeof options);
    if (!d->sheet)
        return gx_parse(c->parser, &options, d->bytes, d->n, out, err);
    options.spaces = d->sheet->program;
    options.flags = d->sheet->program->flags & GX_P_NAMESPACE_AXIS ? GX_DOC_NAMESPACES : 0;
    return gx_parse(c->parser, &options, d->bytes, d->n, out, err);
}

static gx_status write_out(client *c, const gx_evaluation *ev, gx_error *err)
{
    gx_serialize_options options;
    gx_media media;
    memset(&options, 0, sizeof options);
    c->out.n = 0;
    if (ev->program->flags & GX_P_XPATH)
        return gx_serialize_selection(ev, &options, 0, NULL, append, &c->out, &media, err);
    return gx_serialize(ev, &options, append, &c->out, &media, err);
}

/* found: what the worker said; NULL: it is matched here */
static gx_status match(client *c, const document *d, const gxp_found *found, gx_error *err)
{
    const u32 *ids;
    u32 n;
    const gx_status status = found ? gxp_match_found(c->matcher, d->doc, NULL, found, NULL, NULL, &ids, &n, err)
                                   : gxp_match(c->matcher, d->doc, NULL, NULL, NULL, &ids, &n, err);
    c->out.n = 0;
    if (status == GX_OK)
        append(&c->out, (const char *)ids, n * sizeof *ids);
    return status;
}

static gx_status evaluate_here(client *c, const document *d, gx_error *err)
{
    gx_evaluation ev;
    gx_limits limits;
    if (profiles.set)
        return match(c, d, NULL, err);
    memset(&ev, 0, sizeof ev);
    memset(&limits, 0, sizeof limits);
    gx_limits_default(&limits);
    ev.program = d->sheet->program;
    ev.doc = d->doc;
    ev.limits = &limits;
    ev.team.members = 1;
    ev.arena = c->arena;
    ev.pool = c->pool;
    gx_status status = gx_evaluate(&ev, err);
    if (status == GX_OK)
        status = write_out(c, &ev, err);
    apr_pool_clear(c->pool);
    return status;
}

/* a request in flight */
typedef struct asked {
    document *doc;
    gx_slot *slot;
    gx_status status;
    u64 from_ns, deadline_us;
    gx_queue_piece piece;       /* the source; n 0: a block is sent */
} asked;

static void *block_of(void *ctx, u64 size)
{
    client *c = (client *)ctx;
    if (size > c->block_size) {
        free(c->block);
        c->block = malloc(size);
        c->block_size = c->block ? size : 0;
    }
    return c->block;
}

/* The document's tree, as it was packed at the start or is now. GX_EHOST: it has none */
static gx_status pack(client *c, const document *d, gx_queue_request *request)
{
    const gxp_tree *tree = d->tree;
    gx_doc *doc;
    gx_error err;
    request->doc_size = d->tree_size;
    request->n_profiles = profiles.flat->n_profiles;
    request->is_patient = 1;
    if (tree && opt.pack) {
        const gx_parse_options options = { .alloc = block_of, .alloc_ctx = c };
        gx_status status = gx_parse(c->parser, &options, d->bytes, d->n, &doc, &err);
        if (status == GX_OK)
            status = gxp_pack(c->packer, doc, 0, 0, &tree, &request->doc_size, &err);
        if (status != GX_OK)
            return status;
    }
    request->doc = tree;
    return tree ? GX_OK : GX_EHOST;
}

static void post(client *c, document *d, asked *a)
{
    gx_queue_request request;
    memset(a, 0, sizeof *a);
    a->doc = d;
    a->status = gx_queue_acquire(queue, (u64)opt.deadline_ms * 1000, &a->slot);
    if (a->status != GX_OK) {
        a->slot = NULL;
        return;
    }
    memset(&request, 0, sizeof request);
    a->from_ns = now_ns();
    if (profiles.set)
        a->status = pack(c, d, &request);
    else if (opt.source && gx_page_is_portable(d->sheet->program)) {
        a->piece = (gx_queue_piece){ d->bytes, d->n };
        request.pieces = &a->piece;
        request.n_pieces = 1;
    } else {
        request.doc = d->doc;
        request.doc_size = d->doc->size;
    }
    request.program = profiles.set ? &profiles.published : &d->sheet->published;
    request.kept = opt.keep ? &d->kept : NULL;
    request.any_core = opt.any_core;
    request.deadline_us = a->deadline_us = gx_now_us() + (u64)opt.deadline_ms * 1000;
    if (a->status == GX_OK)
        a->status = gx_queue_submit(a->slot, &request);
}

/* 1: answered by the worker. 0: not; c->out is as it was. *took_ns; counts. */
static int collect(client *c, asked *a, u64 *took_ns, tally *counts)
{
    gx_error err;
    gx_queue_result result;
    int answered = 0;
    if (a->status == GX_OK)
        a->status = gx_queue_wait(a->slot, a->deadline_us, &result, &err);
    *took_ns = now_ns() - a->from_ns;
    counts->early += a->status == GX_ETIME && gx_now_us() < a->deadline_us && !opt.hostile;
    if (a->status == GX_OK && profiles.set) {
        const gxp_found found = { result.matched, result.ids, result.n_ids };
        answered = match(c, a->doc, &found, &err) == GX_OK;
        counts->remote += (u64)answered;
    } else if (a->status == GX_OK && a->piece.n) {
        c->out.n = 0;
        append(&c->out, (const char *)result.base, result.size);
        answered = 1;
        counts->remote++;
        counts->by_source++;
        counts->on_core += (u64)result.on_core;
    } else if (a->status == GX_OK) {
        const gx_doc *one = a->doc->doc;
        u32 base = 0;
        gx_evaluation ev;
        gx_limits limits;
        memset(&ev, 0, sizeof ev);
        memset(&limits, 0, sizeof limits);
        gx_limits_default(&limits);
        ev.program = a->doc->sheet->program;
        ev.doc = one;
        ev.limits = &limits;
        ev.base = result.base;
        ev.docs = &one;
        ev.doc_base = &base;
        ev.n_docs = 1;
        answered = opt.hostile || write_out(c, &ev, &err) == GX_OK;
        counts->remote += (u64)answered;
        counts->on_core += (u64)(answered && result.on_core);
    }
    if (a->slot)
        gx_queue_release(a->slot);
    return answered;
}

static void *run_client(void *arg)
{
    client c;
    gx_error err;
    tally mine;
    u32 *ns = total->ns + (size_t)arg * (size_t)opt.requests;       /* 0: answered here */
    memset(&mine, 0, sizeof mine);
    asked *flight = (asked *)calloc((size_t)opt.depth, sizeof *flight);
    open_client(&c);
    for (int i = 0, posted = 0; i < opt.requests; i++) {
        u64 took_ns = 0;
        for (; posted < opt.requests && posted - i < opt.depth; posted++)
            post(&c, &docs[((u64)(size_t)arg + (u64)posted) % (u64)n_docs], &flight[posted % opt.depth]);
        asked *a = &flight[i % opt.depth];
        const document *d = a->doc;
        if (collect(&c, a, &took_ns, &mine))
            ns[i] = took_ns > 4000000000u ? 4000000000u : (u32)took_ns;
        else {
            mine.local++;
            if (evaluate_here(&c, d, &err) != GX_OK) {
                mine.failed++;
                continue;
            }
        }
        if (!opt.hostile && (c.out.n != d->want.n || memcmp(c.out.at, d->want.at, c.out.n) != 0))
            mine.wrong++;
        if (opt.pause_us)
            sleep_us((u64)opt.pause_us);
    }
    free(flight);
    __atomic_add_fetch(&total->remote, mine.remote, __ATOMIC_RELAXED);
    __atomic_add_fetch(&total->on_core, mine.on_core, __ATOMIC_RELAXED);
    __atomic_add_fetch(&total->by_source, mine.by_source, __ATOMIC_RELAXED);
    __atomic_add_fetch(&total->local, mine.local, __ATOMIC_RELAXED);
    __atomic_add_fetch(&total->wrong, mine.wrong, __ATOMIC_RELAXED);
    __atomic_add_fetch(&total->failed, mine.failed, __ATOMIC_RELAXED);
    __atomic_add_fetch(&total->early, mine.early, __ATOMIC_RELAXED);
    return NULL;
}

static pid_t fork_clients(int k)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    pthread_t *id = (pthread_t *)calloc((size_t)opt.clients, sizeof *id);
    for (int i = 0; i < opt.clients; i++)
        if (pthread_create(&id[i], NULL, run_client, (void *)(size_t)(k * opt.clients + i)) != 0)
            _exit(3);
    for (int i = 0; i < opt.clients; i++)
        pthread_join(id[i], NULL);
    _exit(0);
}

static pid_t fork_hostile(void)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    u64 s = 88172645463325252ull, *memory = (u64 *)gx_queue_base(queue), n = gx_queue_size(queue) / 8;
    for (;;) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        u64 at = s % (s & (1ull << 40) ? n : n / 16 + 1);      /* most often into slots, tables, and the first documents
                                                                  */
        memory[at] = s & (1ull << 41) ? memory[at] + s % 9 - 4 : s * 0x2545f4914f6cdd1dull;
        if (s % 64 == 0)
            sleep_us(2000);             /* so that some requests get far before they are spoilt */
    }
}

/* ---- the parent ---- */

static void read_file(document *d)
{
    FILE *f = fopen(d->path, "rb");
    char block[65536];
    buffer b = { NULL, 0, 0 };
    size_t n;
    if (!f)
        die(d->path, strerror(errno));
    while ((n = fread(block, 1, sizeof block, f)) > 0)
        append(&b, block, n);
    fclose(f);
    d->bytes = b.at;
    d->n = b.n;
}

static int spawn(void)
{
    gx_worker_options options;
    gx_error err;
    int pid;
    memset(&options, 0, sizeof options);
    options.threads = opt.threads;
    const int is_list = opt.device && strchr(opt.device, ',');
    options.device = is_list ? "auto" : opt.device;
    options.visible = is_list ? opt.device : NULL;
    options.no_sandbox = opt.no_sandbox;
    if (gx_worker_spawn(queue, opt.worker, &options, &pid, &err) != GX_OK)
        die("no worker", err.text);
    return pid;
}

static double cpu_us(const struct timeval *t) { return (double)t->tv_sec * 1e6 + (double)t->tv_usec; }

static int by_value(const void *a, const void *b)
{
    u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return x < y ? -1 : x > y;
}

static int number(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*end || n < 0 || n > 100000000)
        die(text, "is no such number");
    return (int)n;
}

static int options(int argc, char **argv)
{
    static const struct { const char *name; int *value;
    } numbers[] = {
        { "--processes", &opt.processes },  { "--clients", &opt.clients }, { "--requests", &opt.requests },
        { "--threads", &opt.threads },      { "--depth", &opt.depth },     { "--pause", &opt.pause_us },
        { "--deadline", &opt.deadline_ms }, { "--kill", &opt.kill_ms },    { "--stop", &opt.stop_ms },
    };
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        size_t k = 0, n = sizeof numbers / sizeof *numbers;
        if (strcmp(argv[i], "--keep") == 0)
            opt.keep = 1;
        else if (strcmp(argv[i], "--source") == 0)
            opt.source = 1;
        else if (strcmp(argv[i], "--pack") == 0)
            opt.pack = 1;
        else if (strcmp(argv[i], "--any-core") == 0)
            opt.any_core = 1;
        else if (strcmp(argv[i], "--no-sandbox") == 0)
            opt.no_sandbox = 1;
        else if (strcmp(argv[i], "--hostile") == 0)
            opt.hostile = 1;
        else {
            const char *value = i + 1 < argc ? argv[i + 1] : (die(argv[i], "needs a value"), "");
            while (k < n && strcmp(argv[i], numbers[k].name) != 0)
                k++;
            if (k < n)
                *numbers[k].value = number(value);
            else if (strcmp(argv[i], "--memory") == 0)
                opt.memory = (u64)number(value);
            else if (strcmp(argv[i], "--slots") == 0)
                opt.slots = (u32)number(value);
            else if (strcmp(argv[i], "--worker") == 0)
                opt.worker = value;
            else if (strcmp(argv[i], "--device") == 0)
                opt.device = value;
            else if (strcmp(argv[i], "--profiles") == 0)
                opt.profiles = value;
            else
                die(argv[i], "no such option");
            i++;
        }
    }
    if (opt.depth < 1)
        opt.depth = 1;
    if (argc - i < 2 - (opt.profiles != NULL))
        die("usage: gx-queue-bench [options] sheet.xsl... doc.xml...", "the options stand at the top of its source");
    return i;
}

static int is_sheet(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".xsl") == 0;
}

static const char *beside(const char *self)
{
    static char path[4096];
    const char *slash = strrchr(self, '/');
    snprintf(path, sizeof path, "%.*sgpuxml-worker", slash ? (int)(slash - self + 1) : 0, self);
    return path;
}

static void read_profiles(client *c)
{
    gxp_list found;
    gx_loader loader;
    gx_limits limits;
    gx_error err;
    char text[1200];
    memset(&loader, 0, sizeof loader);
    memset(&limits, 0, sizeof limits);
    gx_limits_default(&limits);
    gxp_list_begin(&found, c->pool, &loader, &limits);
    if (gxp_list_read(&found, opt.profiles, &err) != GX_OK
        || gxp_compile(gxp_list_at(&found), gxp_list_n(&found), NULL, NULL, &profiles.set, &err) != GX_OK)
        die(gx_error_format(&err, text, sizeof text), NULL);
    if (gxp_flat_make(profiles.set, &profiles.flat) != GX_OK)
        die(opt.profiles, "is too large for a device");
    gxp_list_free(&found);
    gx_queue_program_init(&profiles.published, profiles.flat, profiles.flat->size);
    printf("%u profiles, %.1f MB\n", profiles.flat->n_profiles, (double)profiles.flat->size / 1e6);
    apr_pool_clear(c->pool);
}

/* Documents that are matched */
static void read_matched(client *c, int argc, char **argv, int first)
{
    gx_error err;
    char text[1200];
    u64 bytes = 0, packed = 0, matches = 0;
    n_docs = argc - first;
    docs = (document *)calloc((size_t)n_docs, sizeof *docs);
    for (int i = 0; i < n_docs; i++) {
        document *d = &docs[i];
        const gxp_tree *tree;
        d->path = argv[first + i];
        read_file(d);
        if (parse(c, d, &d->doc, &err) != GX_OK || match(c, d, NULL, &err) != GX_OK
            || gxp_pack(c->packer, d->doc, 0, 0, &tree, &d->tree_size, &err) != GX_OK)
            die(gx_error_format(&err, text, sizeof text), NULL);
        d->want = c->out;
        memset(&c->out, 0, sizeof c->out);
        d->tree = tree ? malloc(d->tree_size) : NULL;
        if (d->tree)
            memcpy(d->tree, tree, d->tree_size);
        bytes += d->n;
        packed += d->tree_size;
        matches += d->want.n / sizeof(u32);
    }
    printf("%d documents: %.1f KB, sent as %.1f KB, %.0f matches each\n", n_docs, (double)bytes / n_docs / 1e3,
           (double)packed / n_docs / 1e3, (double)matches / n_docs);
}

/* argv: sheets, then documents; each document is evaluated here, for what the worker must answer. */
static void read_work(client *c, int argc, char **argv, int first)
{
    gx_error err;
    gx_compile_options compile;
    char text[1200];
    memset(&compile, 0, sizeof compile);
    int n_sheets = 1;
    while (first + n_sheets < argc - 1 && is_sheet(argv[first + n_sheets]))
        n_sheets++;
    sheet *sheets = (sheet *)calloc((size_t)n_sheets, sizeof *sheets);
    for (int i = 0; i < n_sheets; i++) {
        if (gx_compile(argv[first + i], &compile, c->pool, &sheets[i].program, &err) != GX_OK)
            die(gx_error_format(&err, text, sizeof text), NULL);
        gx_queue_program_init(&sheets[i].published, sheets[i].program, sheets[i].program->size);
    }
    int n_paths = argc - first - n_sheets;
    n_docs = n_paths > n_sheets ? n_paths : n_sheets;
    docs = (document *)calloc((size_t)n_docs, sizeof *docs);
    for (int i = 0; i < n_docs; i++) {
        docs[i].sheet = &sheets[i % n_sheets];
        docs[i].path = argv[first + n_sheets + i % n_paths];
        read_file(&docs[i]);
        if (parse(c, &docs[i], &docs[i].doc, &err) != GX_OK || evaluate_here(c, &docs[i], &err) != GX_OK)
            die(gx_error_format(&err, text, sizeof text), NULL);
        docs[i].want = c->out;
        memset(&c->out, 0, sizeof c->out);
    }
}

/* What became of the worker and of the clients */
typedef struct fate { int worker, kills, stops, died; u64 us; } fate;

/* Clients run, and the worker is stopped and killed beneath them, until the last of them has ended. */
static void supervise(fate *run)
{
    int status;
    u64 begin = gx_now_us(), next_kill = begin + (u64)opt.kill_ms * 1000, next_stop = begin + (u64)opt.stop_ms * 1000,
        resume = 0;
    pid_t hostile = opt.hostile ? fork_hostile() : 0;
    int left = opt.processes;
    static pid_t *client_pid;
    client_pid = (pid_t *)calloc((size_t)opt.processes, sizeof *client_pid);
    for (int k = 0; k < opt.processes; k++)
        client_pid[k] = fork_clients(k);
    while (left > 0) {
        for (int k = 0; k < opt.processes; k++)
            if (client_pid[k] && waitpid(client_pid[k], &status, WNOHANG) == client_pid[k]) {
                if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
                    fprintf(stderr, "gx-queue-bench: a client died: status %x\n", status);
                    run->died++;
                }
                gx_queue_reap(queue, (u32)client_pid[k]);
                client_pid[k] = 0;
                left--;
            }
        u64 now = gx_now_us();
        if (opt.stop_ms && !resume && now >= next_stop) {
            kill(run->worker, SIGSTOP);
            resume = now + 1500000;
            run->stops++;
        }
        if (resume && now >= resume) {
            kill(run->worker, SIGCONT);
            resume = 0;
            next_stop = now + (u64)opt.stop_ms * 1000;
        }
        if (opt.kill_ms && now >= next_kill) {
            kill(run->worker, SIGKILL);
            run->kills++;
            next_kill = now + (u64)opt.kill_ms * 1000;
        }
        if (waitpid(run->worker, &status, WNOHANG) == run->worker) {
            if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
                fprintf(stderr, "gx-queue-bench: the worker died by itself: status %x\n", status);
                run->died++;
            }
            gx_queue_worker_died(queue);
            run->worker = spawn();
            resume = 0;
        }
        sleep_us(1000);
    }
    run->us = gx_now_us() - begin;
    if (hostile) {
        kill(hostile, SIGKILL);
        waitpid(hostile, &status, 0);
    }
}

static void report(const fate *run, const gx_queue_stats *queue_stats, u64 samples)
{
    const gx_queue_stats s = *queue_stats;
    const u64 n = total->remote, asked = n + total->local;
    qsort(total->ns, samples, sizeof *total->ns, by_value);
    const u32 *ns = total->ns + (samples - n);
    printf("engine %s; %d processes of %d clients\n", s.engine, opt.processes, opt.clients);
    printf(
        "%llu requests, %.0f a second; worker %llu, local %llu, wrong %llu, failed %llu, on the worker's cores %llu, "
        "of sources %llu\n",
        (unsigned long long)asked, (double)asked * 1e6 / (double)run->us, (unsigned long long)total->remote,
        (unsigned long long)total->local, (unsigned long long)total->wrong, (unsigned long long)total->failed,
        (unsigned long long)total->on_core, (unsigned long long)total->by_source);
    if (n)
        printf("round trip: p50 %.1f us, p99 %.1f us, max %.0f us\n", ns[n / 2] / 1e3, ns[n - n / 100 - 1] / 1e3,
               ns[n - 1] / 1e3);
    printf("handed over %llu\n", (unsigned long long)s.submitted);
    printf(
        "workers %llu (killed %d, stopped %d), retried %llu, refused after a crash %llu, late %llu, turned away %llu, "
        "told too early %llu\n",
        (unsigned long long)s.workers, run->kills, run->stops, (unsigned long long)s.retried,
        (unsigned long long)s.poison,
        (unsigned long long)s.late, (unsigned long long)s.busy, (unsigned long long)total->early);
    printf("left over: %u slots, %u units beside %u programs\n", s.slots - s.by_state[GX_Q_FREE], s.units_used,
           s.programs);
}

int main(int argc, char **argv)
{
    gx_error err;
    static client c;
    int first = options(argc, argv), status;
    if (!opt.worker)
        opt.worker = beside(argv[0]);
    apr_initialize();
    if (opt.profiles) {
        apr_pool_create(&c.pool, NULL);
        read_profiles(&c);
    }
    open_client(&c);
    opt.profiles ? read_matched(&c, argc, argv, first) : read_work(&c, argc, argv, first);
    fflush(stdout);
    if (gx_queue_create(opt.slots, opt.memory << 20, &queue, &err) != GX_OK)
        die(err.text, NULL);
    u64 samples = (u64)opt.processes * (u64)opt.clients * (u64)opt.requests;
    total = (tally *)mmap(NULL, sizeof *total + samples * 4, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (total == MAP_FAILED)
        die("no memory", NULL);
    fate run = { .worker = spawn() };
    if (gx_queue_wait_alive(queue, 10000000) != GX_OK)
        die("the worker does not come up", NULL);
    supervise(&run);
    gx_queue_stats s;
    kill(run.worker, SIGCONT);
    sleep_us(600000);                   /* a sweep */
    gx_queue_stats_get(queue, &s);
    report(&run, &s, samples);
    const u64 asked = total->remote + total->local;
    int lost = asked != samples && !run.died;
    struct rusage clients, all;
    getrusage(RUSAGE_CHILDREN, &clients);       /* the clients, and workers that were killed */
    kill(run.worker, SIGTERM);
    waitpid(run.worker, &status, 0);
    getrusage(RUSAGE_CHILDREN, &all);
    printf("CPU us a request: clients %.1f + %.1f, worker %.1f + %.1f (user + system)\n",
           cpu_us(&clients.ru_utime) / (double)asked, cpu_us(&clients.ru_stime) / (double)asked,
           (cpu_us(&all.ru_utime) - cpu_us(&clients.ru_utime)) / (double)asked,
           (cpu_us(&all.ru_stime) - cpu_us(&clients.ru_stime)) / (double)asked);
    gx_queue_destroy(queue);
    return total->wrong || total->failed || total->early || lost || run.died
        || (!opt.hostile && s.slots != s.by_state[GX_Q_FREE]);
}
