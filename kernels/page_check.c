/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_check.c -- gx-page-check: from a document's bytes to its page's on a GPU (source.h): are they the serialiser's,
 * and how long does it take?
 *
 *   gx-page-check cases FILE        lines "xsl TAB xml": each on blocks, lanes and the grid: the page, or refused
 *   gx-page-check time XSL XML      microseconds, with the link: many copies in batches, one on the grid; and one core
 *
 * Exit status: 0 all agree, 1 something differs, 2 it could not be done.
 */
#include <sys/prctl.h>
#include <apr_general.h>
#include "../engine/gx.h"
#include "../tools/timing.h"
#include "check_bytes.h"
#include "gpu.h"

#define MOST 32000u                     /* copies in a batch */

typedef struct work {
    apr_pool_t *pool;
    gx_parser *parser;
    gx_arena *arena;
    gx_loader loader;
    gx_limits limits;
    gx_program *program;
    bytes source, want;
    gx_gpu *g;
    void *on_device;
} work;

/* What one core makes of the source: parsed, evaluated, written. */
static gx_status here(work *w, gx_error *err)
{
    gx_parse_options parsing;
    gx_serialize_options options;
    gx_evaluation ev;
    gx_media media;
    gx_doc *doc;
    memset(&parsing, 0, sizeof parsing);
    memset(&options, 0, sizeof options);
    memset(&ev, 0, sizeof ev);
    parsing.limits = &w->limits;
    parsing.spaces = w->program;
    gx_status status = gx_parse(w->parser, &parsing, w->source.at, w->source.n, &doc, err);
    if (status != GX_OK)
        return status;
    ev.program = w->program;
    ev.doc = doc;
    ev.limits = &w->limits;
    ev.loader = &w->loader;
    ev.arena = w->arena;
    ev.pool = w->pool;
    ev.team.members = 1;
    status = gx_evaluate(&ev, err);
    w->want.n = 0;
    if (status == GX_OK)
        status = gx_serialize(&ev, &options, append, &w->want, &media, err);
    free(doc);
    return status;
}

static gx_gpu_job job_of(const work *w, const void *pinned)
{
    gx_gpu_job j;
    memset(&j, 0, sizeof j);
    j.program = w->on_device;
    j.host = pinned;
    j.doc_size = w->source.n;
    j.is_source = 1;
    j.seed = 12345;
    j.page_most = 1u << 30;
    j.recursion = w->limits.recursion;
    j.steps = w->limits.steps;
    j.limits.text = w->limits.text;
    j.limits.depth = w->limits.depth;
    j.limits.nodes = w->limits.nodes;
    j.limits.attributes = w->limits.attributes;
    j.limits.name = w->limits.name;
    j.room = 1;
    return j;
}

static int load(work *w, const char *xsl, const char *xml)
{
    gx_compile_options compile;
    gx_error err;
    memset(&compile, 0, sizeof compile);
    compile.loader = &w->loader;
    free(w->program);
    w->program = NULL;
    apr_pool_clear(w->pool);
    return gx_compile(xsl, &compile, w->pool, &w->program, &err) == GX_OK && read_file(xml, &w->source) == 0;
}

static int is_page(const work *w, const gx_gpu_job *j)
{
    return j->image_size == w->want.n && memcmp(j->image, w->want.at, w->want.n) == 0;
}

static int cases(work *w, const char *list)
{
    static const char *const team[] = { "block", "lane", "grid" };
    char line[4096];
    int same = 0, refused = 0, unread = 0, full = 0, differ = 0, others = 0;
    FILE *f = fopen(list, "r");
    if (!f)
        return perror(list), 2;
    while (fgets(line, sizeof line, f)) {
        char *xml = strchr(line, '\t');
        gx_error err;
        if (!xml)
            continue;
        *xml++ = 0;
        xml[strcspn(xml, "\t\n")] = 0;
        if (!load(w, line, xml) || !w->source.n || !gx_page_method(w->program)) {
            others++;
            continue;
        }
        const gx_status expected = here(w, &err);
        char *pinned = gx_gpu_pinned(w->g, w->source.n + 64);
        w->on_device = gx_gpu_put(w->g, w->program, w->program->size);
        if (!pinned || !w->on_device)
            return fprintf(stderr, "no memory\n"), 2;
        memcpy(pinned, w->source.at, w->source.n);
        for (int k = 0; k < 3; k++) {
            gx_gpu_job j = job_of(w, pinned);
            int e = 0;
            for (j.room = 1; j.room <= 16; j.room *= 4) {
                e = k == 2 ? gx_gpu_grid(w->g, &j, NULL) : gx_gpu_batch(w->g, &j, 1, (u32)k, NULL, NULL);
                if (e || j.status != GX_EARENA)
                    break;
            }
            if (e)
                return printf("not ok - %s %s %s: %s\n", team[k], line, xml, gx_gpu_error(w->g)), 1;
            if (j.status == GX_OK && (expected != GX_OK || !is_page(w, &j))) {
                differ++;
                printf("not ok - %s %s %s: %llu bytes beside %zu, expected status %d\n", team[k], line, xml,
                       (unsigned long long)j.image_size, w->want.n, (int)expected);
            } else
                *(j.status == GX_OK ? &same : j.status == GX_EXML ? &unread : j.status == GX_EARENA ? &full : &refused)
                    += 1;
        }
        gx_gpu_forget(w->on_device);
        gx_gpu_unpin(pinned);
    }
    fclose(f);
    printf(
        "%d pages the same, %d refused, %d sources not read, %d arenas too small, %d differ; %d cases not for pages\n",
        same, refused, unread, full, differ, others);
    return differ != 0;
}

enum { ROUNDS = 7 };

/* n copies by one batch: the median of microseconds; -1: not possible. *wrong: pages that are not what they should be
 */
static double time_batch(work *w, char *pinned, u64 stride, u32 n, u32 lanes, u32 *wrong)
{
    gx_gpu_job *jobs = malloc(n * sizeof *jobs);
    double us[ROUNDS];
    *wrong = 0;
    for (int i = 0; i < ROUNDS && jobs; i++) {
        for (u32 k = 0; k < n; k++)
            jobs[k] = job_of(w, pinned + k * stride);
        const double began = now_us();
        if (gx_gpu_batch(w->g, jobs, n, lanes, NULL, NULL))
            return printf("%s\n", gx_gpu_error(w->g)), -1;
        us[i] = now_us() - began;
        for (u32 k = 0; k < n && i == 0; k++)
            *wrong += jobs[k].status != GX_OK || !is_page(w, &jobs[k]);
    }
    free(jobs);
    return median(us, ROUNDS);
}

static void row(const work *w, const char *team, u32 n, double us, u32 wrong)
{
    double step[GX_GPU_STEPS];
    printf("| %s | %u | %.0f | %.0f | %.3f | %.3f | %u |", team, n, us, n / us * 1e6,
           (double)w->source.n * n / us / 1e3, (double)w->want.n * n / us / 1e3, wrong);
    if (!strncmp(team, "one", 3) || !gx_gpu_steps(w->g, step))
        printf(" |\n");
    else
        printf(" %.0f + %.0f + %.0f + %.0f + %.0f |\n", step[0], step[1], step[2], step[3], step[4]);
    fflush(stdout);
}

static int timing(work *w, const char *xsl, const char *xml)
{
    static const u32 lanes[] = { 0, 8, 16, 32 };
    gx_error err;
    double us[ROUNDS];
    int wrong = 0;
    if (!load(w, xsl, xml) || here(w, &err) != GX_OK)
        return fprintf(stderr, "%s %s: cannot be used\n", xsl, xml), 2;
    const u64 stride = (w->source.n + 63 + 64) & ~(u64)63;
    u32 most = w->source.n > 2000000 ? 1 : w->source.n > 100000 ? 64 : w->source.n > 20000 ? 1000 : MOST;
    char *pinned = gx_gpu_pinned(w->g, most * stride);
    w->on_device = gx_gpu_put(w->g, w->program, w->program->size);
    if (!pinned || !w->on_device)
        return fprintf(stderr, "no memory\n"), 2;
    for (u32 k = 0; k < most; k++)
        memcpy(pinned + k * stride, w->source.at, w->source.n);
    printf("\n%s, %s: %zu bytes, page %zu bytes\n\n", strrchr(xsl, '/') ? strrchr(xsl, '/') + 1 : xsl,
           strrchr(xml, '/') ? strrchr(xml, '/') + 1 : xml, w->source.n, w->want.n);
    printf("| team | copies | us | pages/s | GB/s in | GB/s out | wrong | "
           "copy + parse + evaluate + page + copy, us, last |\n"
           "|---|--:|--:|--:|--:|--:|--:|---|\n");
    for (int i = 0; i < ROUNDS; i++) {
        const double began = now_us();
        for (u32 k = 0; k < (w->source.n > 1000000 ? 1u : 16u); k++)
            here(w, &err);
        us[i] = (now_us() - began) / (w->source.n > 1000000 ? 1 : 16);
    }
    row(w, "one core", 1, median(us, ROUNDS), 0);
    for (u32 n = 1; n <= most && w->source.n < 2000000;
         n = n == 1 && most >= 132 ? 132 : n < 1000 && most >= 1000 ? 1000 : n == 1000 ? 4000 : n * 8)
        for (int k = 0; k < 4; k++) {
            char team[40];
            u32 bad;
            if (lanes[k] && (n < 132 || !gx_gpu_is_small(w->source.n)))
                continue;
            const double t = time_batch(w, pinned, stride, n, lanes[k], &bad);
            if (t < 0)
                return 1;
            wrong += bad != 0;
            snprintf(team, sizeof team, lanes[k] ? "lanes, %u a warp" : "blocks", lanes[k]);
            row(w, team, n, t, bad);
        }
    for (int i = 0; i < ROUNDS; i++) {
        gx_gpu_job j = job_of(w, pinned);
        const double began = now_us();
        if (gx_gpu_grid(w->g, &j, NULL))
            return printf("%s\n", gx_gpu_error(w->g)), 1;
        us[i] = now_us() - began;
        if (i == ROUNDS - 1) {
            const u32 bad = j.status != GX_OK || !is_page(w, &j);
            row(w, "grid", 1, median(us, ROUNDS), bad);
            wrong += bad != 0;
        }
    }
    gx_gpu_forget(w->on_device);
    gx_gpu_unpin(pinned);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    work w;
    char why[256];
    gx_error err;
    int rc = 2;
    const int is_time = argc > 3 && !strcmp(argv[1], "time");
    if (argc < 3 || (!is_time && strcmp(argv[1], "cases")))
        return fprintf(stderr, "usage: gx-page-check cases FILE | time XSL XML\n"), 2;
    prctl(PR_SET_TIMERSLACK, 1000ul);   /* ns: as the worker's threads have it */
    apr_initialize();
    memset(&w, 0, sizeof w);
    w.limits.input = (u64)1 << 40;
    w.limits.nodes = 0x0fffffff;
    w.limits.depth = 1u << 16;
    gx_limits_default(&w.limits);
    apr_pool_create(&w.pool, NULL);
    if (gx_parser_create(&w.parser, &err) != GX_OK || gx_arena_create((u64)4 << 30, &w.arena, &err) != GX_OK)
        return fprintf(stderr, "%s\n", err.text), 2;
    if (!gx_gpu_devices(why, sizeof why))
        return printf("1..0 # SKIP %s\n", why), 0;
    const gx_gpu_room room = { is_time ? MOST : 1, is_time ? (u64)12 << 30 : 64u << 20, is_time ? 1u << 30 : 32u << 20,
                               (u64)(is_time ? 10 : 1) << 30 };
    w.g = gx_gpu_open(0, &room, why, sizeof why);
    if (!w.g)
        return fprintf(stderr, "%s\n", why), 2;
    printf("# %s\n", gx_gpu_name(w.g));
    if (is_time && gx_gpu_time_steps(w.g))
        fprintf(stderr, "%s\n", gx_gpu_error(w.g));
    rc = is_time ? timing(&w, argv[2], argv[3]) : cases(&w, argv[2]);
    gx_gpu_close(w.g);
    apr_terminate();
    return rc;
}
