/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuxml-match.c -- which of many profiles does each document match? gpuxml-match PROFILES DOCUMENT ...
 *
 * The matcher itself is engine/match/; documents come as those of gpuxslt --each do (tools/gpuxslt/input.c). Errors are
 * one line on standard error. A document that fails costs itself alone, and so does a profile.
 */
#include <apr_general.h>
#include <apr_strings.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "engine/clock.h"
#include "gpuxml-match/thread.h"

static const char help[] =
    "Usage: gpuxml-match [options] PROFILES DOCUMENT ...\n"
    "  The ids of the profiles that each document (-: standard input) matches: with one document an id a line, with "
    "several\n"
    "  the document's name, a tab and an id. PROFILES has an id, a tab and an XPath expression a line, or is XML.\n"
    "  --count                   how many profiles each document matches, in place of their ids\n"
    "  --each                    a line for each document: its name, a tab, the ids with blanks between them\n"
    "  --json                    a JSON object a line for each document\n"
    "  --explain ID              why this profile matches, or does not\n"
    "  --check                   no document: is each profile an expression?\n"
    "Documents in place of those named:\n"
    "  --from-list FILE          the files named in FILE, one a line\n"
    "  --tar FILE                the files in a tar archive\n"
    "  --stdin-records nul|length    records from standard input, as gpuxslt --each takes them\n"
    "Others:\n"
    "  --bench N                 matches each document N times and writes how long that takes to standard error\n"
    "  --timing                  how long compiling took, how large the set is, on standard error\n"
    "  --strict                  a bad profile ends it, before any document\n"
    "  --limit KEY=VALUE         as gpuxslt has it: of documents, and steps and arena of one document's matching\n"
    "  --timeout MS              how long one document's matching may take\n"
    "  --engine cpu|gpu|auto     who matches: threads (cpu, the default), a GPU (its documents are parsed by threads), "
    "or what\n"
    "                            turns out to be faster, where there is a GPU and more than a second's work (auto)\n"
    "  --jobs N                  threads that match several documents; default: one for each core, for --bench one\n"
    "  -V, --version; -h, --help\n"
    "Exit status: 0 done, 3 wrong command line, 5 the profiles (with --strict or --check: any of them), 6 a document, "
    "9 a limit\n"
    "or no memory, 11 the result could not be written.\n";

static int usage_error(const char *sentence, const char *argument)
{
    fprintf(stderr, "gpuxml-match: %s%s%s (gpuxml-match --help lists the options)\n", sentence,
            *argument ? ": " : "", argument);
    return EXIT_USAGE;
}

static void wrong_line(void *ctx, const gx_error *what)
{
    (void)ctx;
    say(what);
}

static void wrong_profile(void *ctx, u32 profile, const gx_error *what)
{
    const tool *t = ctx;
    char line[1400];
    fprintf(stderr, "%s (profile '%.100s')\n", gx_error_format(what, line, sizeof line),
            gxp_list_at(&t->found)[profile].id);
}

/* ---- profiles ---- */

static int read_profiles(tool *t, gx_error *err)
{
    gxp_counts n;
    const u64 from = gx_now_us();
    gxp_list_begin(&t->found, t->pool, &t->kit.loader, &t->limits);
    t->found.wrong = wrong_line;
    if (gxp_list_read(&t->found, t->profiles, err) != GX_OK) {
        say(err);
        return err->status == GX_ENOMEM ? EXIT_RUN : EXIT_PROFILES;
    }
    const u64 read = gx_now_us();
    if (gxp_compile(gxp_list_at(&t->found), gxp_list_n(&t->found), wrong_profile, t, &t->set, err) != GX_OK) {
        say(err);
        return EXIT_RUN;
    }
    gxp_set_counts(t->set, &n);
    t->n_bad = n.bad + t->found.n_bad;
    if (t->n_bad)
        fprintf(stderr, "gpuxml-match: %u profile%s left out, %u loaded\n", t->n_bad, t->n_bad == 1 ? "" : "s",
                n.profiles);
    if (t->timing || t->bench)
        fprintf(stderr, "%u profiles, %u of them by the planner: read in %.1f ms, compiled in %.1f ms, %u formulas, "
                        "%.0f bytes a profile, "
                "%.0f of them for the planner's programs\n",
                n.profiles, n.exact, (double)(read - from) / 1e3, (double)(gx_now_us() - read) / 1e3, n.formulas,
                (double)n.bytes / (n.profiles ? n.profiles : 1), (double)n.exact_bytes / (n.profiles ? n.profiles : 1));
    return t->n_bad && (t->strict || t->check) ? EXIT_PROFILES : EXIT_DONE;
}

static u32 jobs_of(const tool *t)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const u32 jobs = t->jobs ? t->jobs : t->bench || !t->many || cores < 1 ? 1 : (u32)cores;
    return t->n_names && jobs > (u32)t->n_names ? (u32)t->n_names : jobs;
}

/* With --timing; and always where a GPU was asked for, and the CPU has matched something */
static void tell_engine(const tool *t)
{
    const unsigned long long here = t->documents - t->by_device;
    if (!t->remote || (!t->timing && (t->engine != ENGINE_GPU || !here)))
        return;
    fprintf(stderr, "gpuxml-match: %llu of %llu documents by %s", (unsigned long long)t->by_device,
            (unsigned long long)t->documents, remote_engine(t->remote));
    if (here)
        fprintf(stderr, ", %llu by the CPU", here);
    if (t->too_large)
        fprintf(stderr, " (%llu too large for the GPU)", (unsigned long long)t->too_large);
    fputc('\n', stderr);
}

/* The first one is this thread. */
static int with_threads(tool *t, matching *workers, u32 n)
{
    gx_error err = { .status = GX_ENOMEM, .text = "not enough memory" };
    u32 opened = 0, begun = 1;
    int status = EXIT_DONE;
    void *(*const work)(void *) = t->engine == ENGINE_CPU ? match_documents : match_by_device;
    for (; opened < n && status == EXIT_DONE; opened++) {
        matching *w = &workers[opened];
        w->t = t;
        w->is_first = opened == 0;     /* a worker ends with the thread that started it */
        if (apr_pool_create(&w->kit.run_pool, t->pool) != APR_SUCCESS || kit_open(&w->kit, &t->limits, &err) != GX_OK
            || gxp_matcher_create(t->set, &w->matcher, &err) != GX_OK) {
            say(&err);
            status = EXIT_RUN;
        }
    }
    if (status == EXIT_DONE) {
        while (begun < n && pthread_create(&workers[begun].thread, NULL, work, &workers[begun]) == 0)
            begun++;
        work(&workers[0]);
        while (begun > 1)
            pthread_join(workers[--begun].thread, NULL);
        status = t->status;
        tell_engine(t);
    }
    while (opened) {
        matching *w = &workers[--opened];
        gxp_matcher_free(w->matcher);
        kit_close(&w->kit);
        free(w->file.at);
    }
    return status;
}

static int match_all(tool *t)
{
    const u32 n = jobs_of(t);
    matching *workers = calloc(n, sizeof *workers);
    snprintf(t->why, sizeof t->why, "not enough memory");
    t->in = t->list ? each_open_list(t->list, t->why)
          : t->tar  ? each_open_tar(t->tar, t->limits.input, t->why)
          : t->frames ? each_open_records(t->frames, t->limits.input)
                      : each_open_files(t->names, t->n_names);
    if (!t->in || !workers) {
        fprintf(stderr, "gpuxml-match: %s\n", t->why);
        free(workers);
        return EXIT_DOCUMENT;
    }
    char why[400];
    const char *wrong = t->engine == ENGINE_GPU ? device_open(t, n, why) : NULL;
    if (wrong) {
        fprintf(stderr, "gpuxml-match: %s\n", wrong);
        t->in->close(t->in);
        free(workers);
        return EXIT_RUN;
    }
    t->n_threads = n;
    t->began_us = gx_now_us();
    t->came = 1;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->turn_is, NULL);
    const int status = with_threads(t, workers, n);
    t->in->close(t->in);
    device_close(t);
    free(workers);
    if (t->came < 0) {
        fprintf(stderr, "gpuxml-match: %s\n", t->why);
        return EXIT_DOCUMENT;
    }
    if (t->bench && t->documents)
        fprintf(stderr, "%llu documents of %.1f KB: parsed in %.1f us, matched in %.1f us each\n",
                (unsigned long long)t->documents, (double)t->bytes / 1e3 / (double)t->documents,
                t->parse_us / (double)t->documents, t->match_us / (double)t->documents);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "gpuxml-match: standard output: %s\n", strerror(errno));
        return EXIT_OUTPUT;
    }
    return status;
}

/* ---- the command line ---- */

static int flag(tool *t, const char *name)
{
    const struct { const char *name; int *to; } flags[] = {
        { "count", &t->count }, { "each", &t->each }, { "json", &t->json },
        { "check", &t->check }, { "timing", &t->timing }, { "strict", &t->strict },
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (!strcmp(name, flags[i].name))
            return *flags[i].to = 1;
    return 0;
}

/* An option with a value; -1: there is no such one */
static int option(tool *t, const char *name, const char *value)
{
    static const char *const names[] = { "explain", "from-list", "tar", "stdin-records", "bench", "timeout", "jobs",
                                         "engine", "limit" };
    size_t i = 0;
    u64 n = 0;
    while (i < sizeof names / sizeof *names && strcmp(name, names[i]))
        i++;
    if (i == sizeof names / sizeof *names)
        return -1;
    if (!value)
        return usage_error("an argument is missing after this option", name);
    switch (i) {
    case 0: t->explain = value; break;
    case 1: t->list = value; break;
    case 2: t->tar = value; break;
    case 3:
        if (strcmp(value, "nul") && strcmp(value, "length"))
            return usage_error("--stdin-records wants nul or length", value);
        t->frames = *value == 'n' ? EACH_FRAMES_NUL : EACH_FRAMES_LENGTH;
        break;
    case 4:
        if (gx_size_parse(value, 1000000, &n) != 1 || !n)
            return usage_error("--bench wants a number from 1 to 1000000", value);
        t->bench = (u32)n;
        break;
    case 5:
        if (gx_size_parse(value, 1000000000, &n) != 1 || !n)
            return usage_error("--timeout wants milliseconds, from 1 to 1000000000", value);
        t->timeout_us = n * 1000;
        break;
    case 6:
        if (gx_size_parse(value, 1024, &n) != 1 || !n)
            return usage_error("--jobs wants a number from 1 to 1024", value);
        t->jobs = (u32)n;
        break;
    case 7:
        if (strcmp(value, "cpu") && strcmp(value, "gpu") && strcmp(value, "auto"))
            return usage_error("--engine wants cpu, gpu or auto", value);
        t->engine = *value == 'c' ? ENGINE_CPU : *value == 'g' ? ENGINE_GPU : ENGINE_AUTO;
        break;
    default: {
        const char *wrong = gx_limits_set(&t->limits, value);
        if (wrong)
            return usage_error(wrong, value);
    }
    }
    return 0;
}

static int command_line(tool *t, int argc, const char **argv, int *done)
{
    int only_names = 0;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *name = a + 1 + (a[0] && a[1] == '-');
        if (only_names || a[0] != '-' || !a[1]) {
            if (!t->profiles)
                t->profiles = a;
            else
                t->names[t->n_names++] = a;
            continue;
        }
        if (!*name) {
            only_names = 1;
            continue;
        }
        if (!strcmp(name, "help") || !strcmp(name, "h"))
            return *done = printf("%s", help), 0;
        if (!strcmp(name, "version") || !strcmp(name, "V"))
            return *done = printf("gpuxml-match %s\n", GX_VERSION), 0;
        if (flag(t, name))
            continue;
        const int status = option(t, name, i + 1 < argc ? argv[i + 1] : NULL);
        if (status < 0)
            return usage_error("unknown option", a);
        if (status)
            return status;
        i++;
    }
    const int ways = (t->n_names > 0) + !!t->list + !!t->tar + !!t->frames;
    t->many = t->n_names > 1 || t->list || t->tar || t->frames;
    if (!t->profiles)
        return usage_error("a file of profiles is wanted", "");
    if (t->engine == ENGINE_GPU && (t->explain || t->bench))
        return usage_error("--explain and --bench are of the CPU: not with --engine gpu", "");
    if (t->explain || t->bench)
        t->engine = ENGINE_CPU;
    if (t->check ? ways : ways != 1)
        return usage_error(t->check ? "--check takes no documents"
                           : "documents are wanted, or one of --from-list, --tar and --stdin-records", "");
    return 0;
}

static int run(tool *t)
{
    gx_error err = { 0 };
    int status;
    if (kit_open(&t->kit, &t->limits, &err) != GX_OK) {
        say(&err);
        return EXIT_RUN;
    }
    status = read_profiles(t, &err);
    if (!status && t->explain && gxp_find(t->set, t->explain) == GX_NONE)
        status = usage_error("there is no profile with this id", t->explain);
    if (!status && !t->check)
        status = match_all(t);
    gxp_set_free(t->set);
    gxp_list_free(&t->found);
    kit_close(&t->kit);
    return status;
}

static int no_memory(int error)
{
    (void)error;
    fprintf(stderr, "gpuxml-match: not enough memory\n");
    exit(EXIT_RUN);
}

int main(int argc, char **argv)
{
    static tool t;
    int done = 0;
    if (apr_initialize() != APR_SUCCESS || apr_pool_create_ex(&t.pool, NULL, no_memory, NULL) != APR_SUCCESS
        || apr_pool_create(&t.kit.run_pool, t.pool) != APR_SUCCESS)
        return no_memory(0);
    t.names = apr_pcalloc(t.pool, ((size_t)argc + 1) * sizeof *t.names);
    t.source.limits = &t.limits;
    gx_limits_most(&t.limits);
    if (t.limits.arena > GX_ARENA_MAX)
        t.limits.arena = GX_ARENA_MAX;
    int status = command_line(&t, argc, (const char **)argv, &done);
    if (!status && !done)
        status = run(&t);
    apr_terminate();
    return status;
}
