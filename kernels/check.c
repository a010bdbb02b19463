/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c -- gx-gpu-check: the GPU's teams against the solo team, byte by byte, and how fast they are
 *
 *   gx-gpu-check cases FILE [STRATEGY]       lines "xsl TAB xml": serialised results of block, grid and lane teams
 *                                            beside solo's. STRATEGY: of tree patterns and template rules, pinned
 *   gx-gpu-check batch FILE [SECONDS]        the same lines as a mix of requests: how many a second, by block and lane
 *                                            teams
 *   gx-gpu-check grid XSL XML [REPEAT]       one document by the grid team, resident
 *   gx-gpu-check xpath EXPR XML [REPEAT]
 *   gx-gpu-check list FILE [REPEAT]          the same for lines "grid or xpath TAB STRATEGY TAB XSL or EXPR TAB XML";
 *                                            what cannot be evaluated is said in its line
 *   gx-gpu-check axes XML [REPEAT]           the grid team's steps and filters on an auction site
 *                                            (bench/gen_auction.py): bytes, time, rate
 */
#include <pthread.h>
#include <sys/prctl.h>
#include <apr_general.h>
#include <apr_strings.h>
#include "../engine/gx.h"
#include "../tools/timing.h"
#include "check_bytes.h"
#include "gpu.h"

#define SLOT ((u64)1 << 20)             /* of device memory for a request of a batch */
#define COPIES 1024u                    /* of a batch's documents */

static void die(const char *why)
{
    fprintf(stderr, "gx-gpu-check: %s\n", why);
    exit(1);
}

typedef struct work {
    apr_pool_t *pool, *lines;           /* of one evaluation; of the whole list */
    gx_parser *parser;
    gx_arena *arena;
    gx_loader loader;
    gx_program *program;
    gx_doc *doc;
    void *pinned;                       /* the document, for blocks to pull */
    gx_gpu *gpu;
    u32 strategy;                       /* of tree patterns: GX_STRATEGY_* */
    gx_evaluation ev;
    gx_limits limits;
    gx_error err;
} work;

static void drop(void *ctx, const gx_error *what) { (void)ctx, (void)what; }

/* GX_STRATEGY_*; GX_N_STRATEGIES: none has that name, or it is NULL */
static u32 strategy_of(const char *name)
{
    u32 i = 0;

    while (i < GX_N_STRATEGIES && (!name || strcmp(gx_strategy_name(i), name)))
        i++;
    return i;
}

/* compiles and parses; xpath: xsl is an expression */
static gx_status load(work *w, const char *xsl, const char *xml, int xpath)
{
    gx_compile_options co = { .loader = &w->loader, .warning = drop, .strategy = w->strategy };
    gx_parse_options po;
    static bytes source;
    gx_status status;

    free(w->program);
    free(w->doc);
    w->program = NULL;
    w->doc = NULL;
    apr_pool_clear(w->pool);
    status = xpath ? gx_compile_select(xsl, &co, w->pool, &w->program, &w->err)
                   : gx_compile(xsl, &co, w->pool, &w->program, &w->err);
    if (status != GX_OK)
        return status;
    memset(&po, 0, sizeof po);
    w->limits.input = (u64)1 << 40;
    w->limits.nodes = 0x0fffffff;
    w->limits.depth = 1u << 16;
    po.limits = &w->limits;
    po.file = xml;
    po.spaces = w->program;
    po.external = &w->loader;
    po.flags = w->program->flags & GX_P_NAMESPACE_AXIS ? GX_DOC_NAMESPACES : 0;
    if (read_file(xml, &source))
        return gx_fail(&w->err, GX_EIO, xml, 0, 0, "cannot be read");
    status = gx_parse(w->parser, &po, source.at, source.n, &w->doc, &w->err);
    if (status != GX_OK)
        return status;
    gx_gpu_unpin(w->pinned);
    w->pinned = gx_gpu_pinned(w->gpu, w->doc->size);
    if (!w->pinned)
        return gx_fail(&w->err, GX_ENOMEM, xml, 0, 0, "no pinned memory");
    memcpy(w->pinned, w->doc, w->doc->size);
    return GX_OK;
}

static gx_status solo(work *w)
{
    memset(&w->ev, 0, sizeof w->ev);
    w->ev.program = w->program;
    w->ev.doc = w->doc;
    w->ev.limits = &w->limits;
    w->ev.loader = &w->loader;
    w->ev.arena = w->arena;
    w->ev.pool = w->pool;
    return gx_evaluate(&w->ev, &w->err);
}

static gx_status serialize(work *w, bytes *out)
{
    gx_serialize_options so;
    gx_media media;

    memset(&so, 0, sizeof so);
    out->n = 0;
    return w->program->flags & GX_P_XPATH ? gx_serialize_selection(&w->ev, &so, 1, NULL, append, out, &media, &w->err)
        : gx_serialize(&w->ev, &so, append, out, &media, &w->err);
}

static gx_gpu_job job_of(const work *w, const gx_program *program, const gx_doc *doc)
{
    gx_gpu_job j;

    memset(&j, 0, sizeof j);
    j.program = program;
    j.doc = doc;
    j.host = w->pinned;
    j.doc_size = w->doc->size;
    j.room = 16;
    j.recursion = w->limits.recursion;
    j.steps = w->limits.steps;
    return j;
}

/* the serialised result of a team's image, or its status */
static gx_status of_image(work *w, const gx_gpu_job *j, bytes *out)
{
    const gx_doc *docs[1];
    u32 base[1] = { 0 };

    if (j->status != GX_OK)
        return j->status;
    docs[0] = w->doc;
    w->ev.base = j->image;
    w->ev.docs = docs;
    w->ev.doc_base = base;
    w->ev.n_docs = 1;
    return serialize(w, out);
}

/* The case's document with one word of it changed, as a client that was taken over may send it: a team refuses it
 * exactly if gx_doc_check does. 1: as it should be. What is let pass is evaluated, whatever comes of it. */
static int damaged(work *w, gx_gpu *g, const gx_program *on_device, u32 random, int team)
{
    static const u32 values[] = { 0, 1, 2, 0x80, 0xff, 0x7fffffff, 0xffffffff };
    const u64 words = w->doc->size / 4;
    u32 *const at = (u32 *)w->pinned + (random & 1 ? random / 16 % (sizeof(gx_doc) / 4) : random / 16 % words),
               was = *at;
    void *dd = NULL;
    gx_gpu_job j;
    gx_error err;
    int bad, e;

    *at = (random & 14) < 14 ? values[random / 2 % 7] : was + 1;
    bad = gx_doc_check(w->pinned, w->doc->size, &err) != GX_OK;
    if (team == 1)
        dd = gx_gpu_put(g, w->pinned, w->doc->size);
    j = job_of(w, on_device, dd);
    j.budget_us = 2000000;
    j.room = 1;                         /* or a large one is not even begun */
    j.unchecked = 1;
    e = team == 1 ? gx_gpu_grid(g, &j, NULL) : gx_gpu_batch(g, &j, 1, team ? 1 : 0, NULL, NULL);
    *at = was;
    if (dd)
        gx_gpu_forget(dd);
    if (e)
        printf("not ok - a damaged document: %s\n", gx_gpu_error(g));
    return !e && (j.status == GX_EBAD) == bad;
}

static int cases(work *w, gx_gpu *g, const char *list)
{
    FILE *f = fopen(list, "r");
    char line[4096];
    bytes want = {0}, got = {0};
    int n = 0, same = 0, host = 0, differ = 0, full = 0, passed_on = 0, skipped = 0, spoilt = 0;
    u32 random = 2011;

    if (!f)
        return perror(list), 2;
    while (fgets(line, sizeof line, f)) {
        char *xml = strchr(line, '\t');
        gx_status expected;
        void *dp, *dd;
        const char *team[3] = { "block", "grid", "lane" };
        if (!xml)
            continue;
        *xml++ = 0;
        xml[strcspn(xml, "\t\n")] = 0;
        if (load(w, line, xml, 0) != GX_OK) {
            skipped++;                          /* an error before any evaluation: the same for all teams */
            continue;
        }
        n++;
        if (w->program->flags & GX_P_HOST) {
            host++;
            continue;
        }
        expected = solo(w);
        if (expected == GX_OK)
            expected = serialize(w, &want);
        dp = gx_gpu_put(g, w->program, w->program->size);
        dd = gx_gpu_put(g, w->doc, w->doc->size);
        for (int k = 0; k < 3; k++) {
            gx_gpu_job j = job_of(w, dp, k == 1 ? dd : NULL);
            gx_status status;
            int e = 0;
            /* as the worker does: again with more */
            for (j.room = k == 1 ? 16 : 1; j.room <= 16; j.room *= 2) {
                e = k == 1 ? gx_gpu_grid(g, &j, NULL) : gx_gpu_batch(g, &j, 1, k ? 1 : 0, NULL, NULL);
                if (e || j.status != GX_EARENA)
                    break;
            }
            if (e) {
                printf("not ok - %s %s %s: %s\n", team[k], line, xml, gx_gpu_error(g));
                return 1;
            }
            status = of_image(w, &j, &got);
            if (status == GX_EARENA && expected != GX_EARENA)
                full++;
            else if (status == GX_EHOST)        /* keys that use keys that use keys: the stack is small */
                passed_on++;
            else if (status != expected || (status == GX_OK && (want.n != got.n || memcmp(want.at, got.at, want.n)))) {
                differ++;
                printf("not ok - %s %s %s: status %d beside %d, %zu bytes beside %zu\n", team[k], line, xml, status,
                       expected, got.n, want.n);
            } else
                same++;
        }
        random = random * 1664525u + 1013904223u;
        if (!damaged(w, g, dp, random >> 4, n % 3)) {
            spoilt++;
            printf("not ok - %s %s %s: its document, damaged, is not refused as by the CPU, or is\n", team[n % 3], line,
                   xml);
        }
        gx_gpu_forget(dp);
        gx_gpu_forget(dd);
    }
    fclose(f);
    printf(
        "%d cases on block, grid and lane teams: %d results as solo's, %d differ, %d arena full and %d passed on (the "
        "CPU's), "
        "%d cases with host steps, %d not compiled or parsed; %d damaged documents, %d judged otherwise than by "
        "the CPU\n",
        n, same, differ, full, passed_on, host, skipped, n - host, spoilt);
    return differ || spoilt;
}

/* One kind of request of a batch's mix: a stylesheet and a document, and what solo makes of them. pinned: copies of the
 * document, since requests have each their own in shared memory, and thousands of lanes that pull the same lines of
 * host memory wait for each other */
typedef struct kind {
    char *xsl, *xml;
    gx_program *program;
    gx_doc *doc;
    void *on_device;
    char *pinned;
    u32 copies;
    u64 stride;
    bytes want;
} kind;

static int by_program(const void *a, const void *b)
{
    const kind *x = a, *y = b;
    return (x->on_device > y->on_device) - (x->on_device < y->on_device);
}

/* the mix of a list "xsl TAB xml", neighbours of one program: as a dispatcher gathers them */
static u32 load_mix(work *w, gx_gpu *g, const char *list, kind **out)
{
    FILE *f = fopen(list, "r");
    char line[4096];
    u32 n = 0;
    kind *all = NULL;

    if (!f)
        return perror(list), 0;
    while (fgets(line, sizeof line, f)) {
        char *xml = strchr(line, '\t');
        kind k;
        if (!xml)
            continue;
        *xml++ = 0;
        xml[strcspn(xml, "\t\n")] = 0;
        memset(&k, 0, sizeof k);
        if (load(w, line, xml, 0) != GX_OK || solo(w) != GX_OK || serialize(w, &k.want) != GX_OK) {
            fprintf(stderr, "%s %s: %s\n", line, xml, w->err.text);
            return 0;
        }
        k.xsl = strdup(line);
        k.xml = strdup(xml);
        k.program = w->program;
        k.doc = w->doc;
        w->program = NULL;
        w->doc = NULL;
        for (u32 i = 0; i < n && !k.on_device; i++)
            if (!strcmp(all[i].xsl, k.xsl))
                k.on_device = all[i].on_device;
        if (!k.on_device)
            k.on_device = gx_gpu_put(g, k.program, k.program->size);
        all = realloc(all, (n + 1) * sizeof *all);
        all[n++] = k;
    }
    fclose(f);
    for (u32 i = 0; i < n; i++) {
        kind *k = &all[i];
        k->copies = n < COPIES ? COPIES / n : 1;
        k->stride = (k->doc->size + 4095) & ~4095ull;
        if (!(k->pinned = gx_gpu_pinned(g, k->copies * k->stride)))
            die("no pinned memory");
        for (u32 c = 0; c < k->copies; c++)
            memcpy(k->pinned + c * k->stride, k->doc, k->doc->size);
    }
    if (n)
        qsort(all, n, sizeof *all, by_program);
    *out = all;
    return n;
}

static gx_gpu_job job_of_kind(const work *w, const kind *k)
{
    gx_gpu_job j;

    memset(&j, 0, sizeof j);
    j.program = k->on_device;
    j.host = k->pinned;
    j.doc_size = k->doc->size;
    j.recursion = w->limits.recursion;
    j.steps = w->limits.steps;
    return j;
}

/* n requests over the mix: each kind's requests stand together */
static void fill_jobs(const work *w, const kind *mix, u32 kinds, gx_gpu_job *jobs, u32 n)
{
    for (u32 k = 0; k < n; k++) {
        const kind *x = &mix[(u64)k * kinds / n];
        jobs[k] = job_of_kind(w, x);
        jobs[k].host = x->pinned + k % x->copies * x->stride;
    }
}

static pthread_barrier_t ready;

typedef struct client {
    work *w;
    const kind *mix;
    u32 kinds, blocks, lanes;
    gx_gpu_server *server;
    u64 done, failed;
    double until, spent;
    pthread_t id;
} client;

static void *batches(void *arg)
{
    client *c = arg;
    char why[256];
    const gx_gpu_room room = { c->blocks, c->blocks * SLOT, c->blocks * SLOT / 8, 0 };
    gx_gpu *g = gx_gpu_open(0, &room, why, sizeof why);
    gx_gpu_job *jobs = calloc(c->blocks, sizeof *jobs);

    if (!g || !jobs)
        fprintf(stderr, "%s\n", why);
    pthread_barrier_wait(&ready);       /* making arenas and pinning memory is not what is measured */
    pthread_barrier_wait(&ready);       /* bench_threads began to serve meanwhile */
    if (!g || !jobs)
        exit(1);
    gx_gpu_use(g, c->server);
    c->until += now_us();
    c->spent = -now_us();
    while (now_us() < c->until) {
        fill_jobs(c->w, c->mix, c->kinds, jobs, c->blocks);
        if (gx_gpu_batch(g, jobs, c->blocks, c->lanes, NULL, NULL)) {
            fprintf(stderr, "%s\n", gx_gpu_error(g));
            break;
        }
        for (u32 k = 0; k < c->blocks; k++) {
            c->done++;
            c->failed += jobs[k].status != GX_OK;
        }
    }
    c->spent += now_us();
    pthread_barrier_wait(&ready);
    pthread_barrier_wait(&ready);
    gx_gpu_close(g);
    free(jobs);
    return NULL;
}

/* every answer of one batch beside solo's bytes */
static u32 wrong_in_batch(work *w, const kind *mix, u32 kinds, u32 n, u32 lanes, int stay)
{
    char why[256];
    const gx_gpu_room room = { n, n * SLOT, n * SLOT / 8, 0 };
    gx_gpu *g = gx_gpu_open(0, &room, why, sizeof why);
    gx_gpu_job *jobs = calloc(n, sizeof *jobs);
    bytes got = {0};
    u32 wrong = 0;

    fill_jobs(w, mix, kinds, jobs, n);
    gx_gpu_server *server = stay ? gx_gpu_serve(0, why, sizeof why) : NULL;
    if (!g || (stay && !server))
        return n;
    gx_gpu_use(g, server);
    if (gx_gpu_batch(g, jobs, n, lanes, NULL, NULL))
        return n;
    gx_gpu_unserve(server);
    for (u32 k = 0; k < n; k++) {
        const kind *x = &mix[(u64)k * kinds / n];
        w->program = x->program;
        w->ev.program = x->program;
        w->doc = x->doc;
        wrong += of_image(w, &jobs[k], &got) != GX_OK || got.n != x->want.n || memcmp(got.at, x->want.at, got.n);
    }
    w->program = NULL;
    w->doc = NULL;
    gx_gpu_close(g);
    free(jobs);
    free(got.at);
    return wrong;
}

/* one request after the other */
static int bench_alone(work *w, gx_gpu *g, const kind *mix, u32 lanes, const char *name)
{
    static double lone[1000];
    gx_gpu_job j;

    for (int i = 0; i < 1000; i++) {
        double t = now_us();
        j = job_of_kind(w, &mix[0]);
        if (gx_gpu_batch(g, &j, 1, lanes, NULL, NULL))
            return fprintf(stderr, "%s\n", gx_gpu_error(g)), 1;
        lone[i] = now_us() - t;
    }
    const double p50 = median(lone, 1000);
    printf("  alone, %s: p50 %.1f us, p99 %.1f us; cycles: %llu to lay out the run, %llu in the machine\n", name, p50,
           lone[990], (unsigned long long)j.start_cycles, (unsigned long long)j.machine_cycles);
    return 0;
}

static void bench_threads(work *w, const kind *mix, u32 kinds, int threads, u32 batch, u32 lanes, int stay,
                          double seconds)
{
    client all[8];
    double rate = 0;
    u64 failed = 0;
    char why[256];
    gx_gpu_server *server = NULL;

    pthread_barrier_init(&ready, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++) {
        client c = { .w = w, .mix = mix, .kinds = kinds, .blocks = batch, .lanes = lanes, .until = seconds * 1e6 };
        all[i] = c;
        pthread_create(&all[i].id, NULL, batches, &all[i]);
    }
    pthread_barrier_wait(&ready);
    if (stay && !(server = gx_gpu_serve(0, why, sizeof why)))
        die(why);
    for (int i = 0; i < threads; i++)
        all[i].server = server;
    pthread_barrier_wait(&ready);
    pthread_barrier_wait(&ready);
    gx_gpu_unserve(server);
    pthread_barrier_wait(&ready);
    for (int i = 0; i < threads; i++) {
        pthread_join(all[i].id, NULL);
        rate += all[i].spent > 0 ? (double)all[i].done / all[i].spent * 1e6 : 0;
        failed += all[i].failed;
    }
    pthread_barrier_destroy(&ready);
    printf("  %d threads x batches of %4u, %2u lanes a warp%s: %9.0f requests/s, %llu not ended on the GPU\n", threads,
           batch, lanes,
           stay        ? " (blocks that stay)"
               : lanes ? ""
                       : " (block)",
           rate, (unsigned long long)failed);
    fflush(stdout);
}

static int bench_batch(work *w, gx_gpu *g, const char *list, double seconds)
{
    static const struct { int threads; u32 batch, lanes;
    } runs[] = { { 1, 64, 0 },   { 1, 64, 1 },   { 1, 256, 0 },  { 1, 256, 1 },   { 1, 256, 2 },   { 1, 1024, 0 },
                 { 1, 1024, 1 }, { 1, 1024, 4 }, { 1, 1024, 8 }, { 2, 256, 1 },   { 2, 256, 4 },   { 2, 1024, 0 },
                 { 2, 1024, 1 }, { 2, 1024, 4 }, { 2, 1024, 8 }, { 2, 1024, 16 }, { 4, 256, 1 },   { 4, 256, 4 },
                 { 4, 256, 8 },  { 4, 1024, 1 }, { 4, 1024, 4 }, { 4, 1024, 8 },  { 4, 1024, 16 }, { 4, 1024, 32 },
                 { 4, 2048, 0 }, { 4, 2048, 4 }, { 4, 2048, 8 }, { 4, 2048, 16 }, { 4, 2048, 32 }, { 8, 2048, 16 },
                 { 8, 2048, 32 } };
    kind *mix;
    u32 kinds = load_mix(w, g, list, &mix);
    char why[256];
    u64 bytes = 0;
    int bad = 0;

    if (!kinds)
        return 2;
    for (u32 k = 0; k < kinds; k++)
        bytes += mix[k].doc->size;
    printf("%s: %u kinds of requests, blocks of %llu bytes on average\n", list, kinds,
           (unsigned long long)(bytes / kinds));
    if (bench_alone(w, g, mix, 0, "block team") || bench_alone(w, g, mix, 1, "lane team"))
        return 1;
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++)
        bench_threads(w, mix, kinds, runs[r].threads, runs[r].batch, runs[r].lanes, 0, seconds);
    gx_gpu_server *server = gx_gpu_serve(0, why, sizeof why);
    if (!server)
        die(why);
    gx_gpu_use(g, server);
    if (bench_alone(w, g, mix, 0, "blocks that stay"))
        return 1;
    gx_gpu_use(g, NULL);
    gx_gpu_unserve(server);
    for (int threads = 1; threads <= 4; threads *= 2)
        for (u32 batch = threads == 1 ? 64 : 1024; batch <= 2048; batch *= 4)
            bench_threads(w, mix, kinds, threads, batch, 0, 1, seconds);
    u32 differ = wrong_in_batch(w, mix, kinds, 512, 0, 1);
    bad |= differ != 0;
    printf("  512 answers, 0 lanes (blocks that stay): %u differ from solo's\n", differ);
    for (u32 lanes = 0; lanes <= 32; lanes = lanes ? lanes * 2 : 1) {
        u32 wrong = wrong_in_batch(w, mix, kinds, 512, lanes, 0);
        bad |= wrong != 0;
        printf("  512 answers, %u lanes: %u differ from solo's\n", lanes, wrong);
    }
    return bad;
}

/* Medians of `repeat` evaluations by solo and by the grid team, whose results are the same: one line. what: for it */
static int bench_grid(work *w, gx_gpu *g, const char *what, int repeat)
{
    bytes want = {0}, got = {0};
    double *us = calloc((size_t)repeat, sizeof *us), *cpu = calloc((size_t)repeat, sizeof *cpu),
           *wall = calloc((size_t)repeat, sizeof *wall);
    void *dp = NULL, *dd = NULL;
    int rc = 2;

    for (int i = 0; i < repeat; i++) {
        double t = now_us();
        if (solo(w) != GX_OK) {
            printf("not ok - %s: solo: %s\n", what, w->err.text);
            goto end;
        }
        cpu[i] = now_us() - t;
    }
    if (serialize(w, &want) != GX_OK)
        goto end;
    dp = gx_gpu_put(g, w->program, w->program->size);
    dd = gx_gpu_put(g, w->doc, w->doc->size);
    rc = 1;
    for (int i = 0; i < repeat; i++) {
        gx_gpu_job j = job_of(w, dp, dd);
        double t = now_us();
        if (gx_gpu_grid(g, &j, &us[i])) {
            printf("not ok - %s: %s\n", what, gx_gpu_error(g));
            goto end;
        }
        wall[i] = now_us() - t;
        if (of_image(w, &j, &got) != GX_OK || got.n != want.n || memcmp(got.at, want.at, want.n)) {
            printf("not ok - %s: grid differs (status %d)\n", what, j.status);
            goto end;
        }
    }
    const double device_us = median(us, repeat), solo_us = median(cpu, repeat), wall_us = median(wall, repeat);
    printf("%-50s %10u nodes  solo %10.1f us  grid kernel %10.1f us  with result copied %10.1f us  (%.1fx)  "
           "%zu bytes out\n",
           what, w->doc->n_nodes, solo_us, device_us, wall_us, solo_us / wall_us, want.n);
    rc = 0;
end:
    if (dp)
        gx_gpu_forget(dp);
    if (dd)
        gx_gpu_forget(dd);
    free(us);
    free(cpu);
    free(wall);
    free(want.at);
    free(got.at);
    fflush(stdout);
    return rc;
}

static int bench_one(work *w, gx_gpu *g, const char *xsl, const char *xml, int repeat, int xpath)
{
    if (load(w, xsl, xml, xpath) != GX_OK)
        return fprintf(stderr, "%s\n", w->err.text), 2;
    return bench_grid(w, g, xsl, repeat);
}

/* The lines of a file; 1: one of them failed */
static int bench_list(work *w, gx_gpu *g, const char *path, int repeat)
{
    static bytes list;
    char *rest = NULL;
    int bad = 0;

    if (read_file(path, &list) || append(&list, "", 1))
        return fprintf(stderr, "%s cannot be read\n", path), 2;
    w->limits.recursion = 100000;
    for (char *line = strtok_r(list.at, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *part = NULL, *what = apr_pstrdup(w->lines, line);
        const char *kind = strtok_r(line, "\t", &part), *strategy = strtok_r(NULL, "\t", &part);
        const char *xsl = strtok_r(NULL, "\t", &part), *xml = strtok_r(NULL, "\t", &part);

        w->strategy = strategy_of(strategy);
        if (!xml || w->strategy == GX_N_STRATEGIES)
            return fprintf(stderr, "not kind TAB strategy TAB stylesheet TAB document: %s\n", what), 2;
        if (load(w, xsl, xml, !strcmp(kind, "xpath")) != GX_OK) {
            printf("not ok - %s: %s\n", what, w->err.text);
            bad = 1;
            continue;
        }
        bad |= bench_grid(w, g, what, repeat) != 0;
    }
    return bad;
}

/*
 * Axes and filters by themselves. A step's time is what count(FROM) takes less than count(TO): the kernel's start, the
 * machine's frame and the steps before are in both. The bytes are the least that any way of doing it must move: the
 * columns' entries of the nodes that have to be looked at, the context ids read, the result's ids written; each once,
 * as if nothing were in a cache. MOVES counts them: bytes a node, for so many nodes as an expression counts on this
 * document; N is all nodes, C the contexts, R the results.
 */
typedef struct axis_case { const char *name, *from, *to; struct { const char *count; int bytes; } moves[5]; } axis_case;

static const axis_case AXES[] = {
    /* label of each node */
    { "descendant::* of the root", "/", "/descendant::*", { { "N", 4 }, { "R", 4 } } },
    { "descendant::node() of the root", "/", "/descendant::node()", { { "N", 4 }, { "R", 4 } } },
    /* index: read, write */
    { "descendant::text() of the root", "/", "/descendant::text()", { { "R", 4 + 4 } } },
    { "descendant::text() of descriptions",
      "//description",
      "//description/descendant::text()",
      { { "C", 4 + 4 }, { "R", 4 + 4 } } },
    /* next; label, next */
    { "child::node() of elements", "//*", "//*/child::node()", { { "C", 4 + 4 }, { "//@*", 4 }, { "R", 4 + 4 + 4 } } },
    { "child::date of bidders",
      "//bidder",
      "//bidder/date",
      { { "C", 4 + 4 }, { "//bidder/node()", 4 + 4 }, { "R", 4 } } },
    /* next, the label that ends them; label */
    { "attribute::* of elements", "//*", "//*/@*", { { "C", 4 + 4 + 4 }, { "R", 4 + 4 } } },
    { "attribute::person of personrefs", "//personref", "//personref/@person", { { "C", 4 + 4 }, { "R", 4 + 4 } } },
    /* parent; its label */
    { "parent::* of texts", "//text()", "//text()/parent::*", { { "C", 4 + 4 }, { "R", 4 + 4 } } },
    { "ancestor::* of emphs",
      "//emph",
      "//emph/ancestor::*",
      { { "C", 4 + 4 }, { "//emph/ancestor::node()", 4 + 4 }, { "R", 4 } } },
    { "self::bidder of elements", "//*", "//*/self::bidder", { { "C", 4 + 4 }, { "R", 4 } } },
    { "following::* of bidders",
      "//bidder",
      "//bidder/following::*",
      { { "C", 4 + 4 }, { "//bidder/following::node()", 4 }, { "//bidder/following::*/@*", 4 }, { "R", 4 } } },
    /* index, next */
    { "preceding::item of quantities", "//quantity", "//quantity/preceding::item", { { "C", 4 }, { "R", 4 + 4 + 4 } } },
    { "preceding::text() of quantities",
      "//quantity",
      "//quantity/preceding::text()",
      { { "C", 4 }, { "R", 4 + 4 + 4 } } },
    { "following-sibling::bidder of bidders",
      "//bidder",
      "//bidder/following-sibling::bidder",
      { { "C", 4 + 4 }, { "//bidder/following-sibling::node()", 4 + 4 }, { "R", 4 } } },
    { "preceding-sibling::* of quantities",
      "//quantity",
      "//quantity/preceding-sibling::*",
      { { "C", 4 + 4 }, { "//quantity/preceding-sibling::node()", 4 + 4 }, { "R", 4 } } },
    /* next, first label */
    { "[@*] of elements", "//*", "//*[@*]", { { "C", 4 + 4 + 4 }, { "R", 4 } } },
    { "[. = 'Yes'] of elements",
      "//*",
      "//*[. = 'Yes']",
      { { "C", 4 + 4 }, { "//*[string-length() = 3]", 4 + 3 }, { "R", 4 } } },
    { "[text()] of elements",
      "//*",
      "//*[text()]",
      { { "C", 4 + 4 }, { "//*/child::node()", 4 + 4 }, { "//@*", 4 }, { "R", 4 } } },
    { "[increase > 20] of bidders",
      "//bidder",
      "//bidder[increase > 20]",
      /* text_off, text_len, characters */
      { { "C", 4 + 4 }, { "//bidder/node()", 4 + 4 }, { "//bidder/increase", 4 + 4 + 5 }, { "R", 4 } } },
    { "[position() mod 2 = 1] of elements", "//*", "(//*)[position() mod 2 = 1]", { { "C", 4 }, { "R", 4 } } },
};

/* count(what) on w's document, which stays, and once more in the same kernel if `twice`; us: the median of repeat grid
 * kernels that say the same as solo, NULL: by solo alone */
static int count_of(work *w, const void *d_doc, const char *what, int twice, int repeat, double *us, double *count)
{
    gx_compile_options co = { .loader = &w->loader };
    bytes want = {0}, got = {0};
    double times[99];
    char query[256];
    void *dp;
    int bad = 0;

    snprintf(query, sizeof query, twice ? "(count(%s) + count(%s)) div 2" : "count(%s)", what, what);
    free(w->program);
    w->program = NULL;
    apr_pool_clear(w->pool);
    if (gx_compile_select(query, &co, w->pool, &w->program, &w->err) != GX_OK || solo(w) != GX_OK
        || serialize(w, &want) != GX_OK || append(&want, "", 1))
        return fprintf(stderr, "%s: %s\n", query, w->err.text), 1;
    *count = atof(want.at);
    dp = us ? gx_gpu_put(w->gpu, w->program, w->program->size) : NULL;
    for (int i = 0; us && i < repeat && !bad; i++) {
        gx_gpu_job j = job_of(w, dp, d_doc);
        if (gx_gpu_grid(w->gpu, &j, &times[i]))
            bad = fprintf(stderr, "%s: %s\n", query, gx_gpu_error(w->gpu));
        else if (of_image(w, &j, &got) != GX_OK || got.n + 1 != want.n || memcmp(got.at, want.at, got.n))
            bad = printf("not ok - %s: the grid team says otherwise (status %d)\n", query, j.status);
    }
    if (us && !bad)
        *us = median(times, repeat);
    if (us)
        gx_gpu_forget(dp);
    free(want.at);
    free(got.at);
    return bad != 0;
}

static int bench_axes(work *w, gx_gpu *g, const char *xml, int repeat)
{
    double rate = gx_gpu_copy_rate(g, (u64)1 << 30), lowest = 1e9;
    void *dd;
    int rc = 0;

    repeat = repeat < 1 ? 1 : repeat > 99 ? 99 : repeat;
    if (rate <= 0 || load(w, "1", xml, 1) != GX_OK)
        return fprintf(stderr, "%s\n", rate > 0 ? w->err.text : "no room for two gigabytes to copy"), 2;
    dd = gx_gpu_put(g, w->doc, w->doc->size);
    printf("%s: %u nodes; a copy of 1 GiB within device memory moves %.0f GB/s; medians of %d\n\n", xml,
           w->doc->n_nodes, rate / 1e9, repeat);
    printf(
        "| step or filter | contexts | results | MB to move | whole kernel us | step us | GB/s | %% of copy | again us "
        "| again GB/s | again %% |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (size_t k = 0; k < sizeof AXES / sizeof *AXES; k++) {
        const axis_case *a = &AXES[k];
        double from_us, to_us, from_2_us, to_2_us, contexts, results, bytes = 0, nodes, percent, again;
        if (count_of(w, dd, a->from, 0, repeat, &from_us, &contexts)
            || count_of(w, dd, a->to, 0, repeat, &to_us, &results)
            || count_of(w, dd, a->from, 1, repeat, &from_2_us, &contexts)
            || count_of(w, dd, a->to, 1, repeat, &to_2_us, &results)) {
            rc = 1;
            continue;
        }
        for (size_t i = 0; i < sizeof a->moves / sizeof *a->moves && a->moves[i].count; i++) {
            const char *what = a->moves[i].count;
            nodes = !strcmp(what, "N") ? w->doc->n_nodes : !strcmp(what, "C") ? contexts : results;
            if (what[0] == '/' && count_of(w, dd, what, 0, 0, NULL, &nodes))
                return 1;
            bytes += nodes * a->moves[i].bytes;
        }
        if (to_us - from_us < 1) {              /* below what two medians can tell */
            printf("| %s | %.0f | %.0f | %.2f | %.1f | < 1 | | | | | |\n", a->name, contexts, results, bytes / 1e6,
                   to_us);
            continue;
        }
        percent = bytes / ((to_us - from_us) * 1e-6) / rate * 100;
        if (bytes >= 1e7)               /* less is moved in the time of a few barriers, whoever does it */
            lowest = percent < lowest ? percent : lowest;
        again = to_2_us - to_us - (from_2_us - from_us);
        again = again < 1 ? 1 : again;
        printf("| %s | %.0f | %.0f | %.2f | %.1f | %.1f | %.0f | %.0f | %.1f | %.0f | %.0f |\n", a->name, contexts,
               results, bytes / 1e6, to_us, to_us - from_us, bytes / (to_us - from_us) / 1e3, percent, again,
               bytes / again / 1e3, bytes / (again * 1e-6) / rate * 100);
        fflush(stdout);
    }
    printf("\nlowest of those that move 10 MB and more: %.0f %% of the copy's rate\n", lowest);
    gx_gpu_forget(dd);
    return rc;
}

int main(int argc, char **argv)
{
    work w;
    char why[256];
    gx_gpu *g;
    int rc = 2;

    if (argc < 3)
        return fprintf(
                   stderr,
                   "usage: gx-gpu-check cases FILE [STRATEGY] | batch FILE [SECONDS] | grid XSL XML [REPEAT] | "
                   "xpath EXPR XML [REPEAT] | list FILE [REPEAT] | axes XML [REPEAT]\n"),
               2;
    prctl(PR_SET_TIMERSLACK, 1000ul);   /* ns: as the worker's threads have it */
    apr_initialize();
    memset(&w, 0, sizeof w);
    gx_limits_default(&w.limits);
    apr_pool_create(&w.pool, NULL);
    apr_pool_create(&w.lines, NULL);
    if (gx_parser_create(&w.parser, &w.err) != GX_OK || gx_arena_create((u64)4 << 30, &w.arena, &w.err) != GX_OK)
        return fprintf(stderr, "%s\n", w.err.text), 2;
    if (!gx_gpu_devices(why, sizeof why))
        return printf("1..0 # SKIP %s\n", why), 0;
    const gx_gpu_room room = { 1, 64u << 20, 32u << 20, (u64)(strcmp(argv[1], "cases") ? 6 : 1) << 30 };
    g = gx_gpu_open(0, &room, why, sizeof why);
    if (!g)
        return fprintf(stderr, "%s\n", why), 1;
    w.gpu = g;
    printf("# %s\n", gx_gpu_name(g));
    if (!strcmp(argv[1], "cases")) {
        w.strategy = argc > 3 ? strategy_of(argv[3]) : GX_STRATEGY_AUTO;
        if (w.strategy == GX_N_STRATEGIES)
            die("there is no such strategy");
        rc = cases(&w, g, argv[2]);
    }
    else if (!strcmp(argv[1], "batch"))
        rc = bench_batch(&w, g, argv[2], argc > 3 ? atof(argv[3]) : 0.5);
    else if (!strcmp(argv[1], "grid") && argc > 3)
        rc = bench_one(&w, g, argv[2], argv[3], argc > 4 ? atoi(argv[4]) : 9, 0);
    else if (!strcmp(argv[1], "xpath") && argc > 3)
        rc = bench_one(&w, g, argv[2], argv[3], argc > 4 ? atoi(argv[4]) : 9, 1);
    else if (!strcmp(argv[1], "list"))
        rc = bench_list(&w, g, argv[2], argc > 3 ? atoi(argv[3]) : 9);
    else if (!strcmp(argv[1], "axes"))
        rc = bench_axes(&w, g, argv[2], argc > 3 ? atoi(argv[3]) : 9);
    gx_gpu_close(g);
    apr_terminate();
    return rc;
}
