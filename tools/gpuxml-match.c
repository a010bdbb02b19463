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
#include "engine/match/list.h"
#include "gpuxslt/each.h"

enum { EXIT_DONE = 0, EXIT_USAGE = 3, EXIT_PROFILES = 5, EXIT_DOCUMENT = 6, EXIT_RUN = 9, EXIT_OUTPUT = 11 };

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
    "  --jobs N                  threads that match several documents; default: one for each core, for --bench one\n"
    "  -V, --version; -h, --help\n"
    "Exit status: 0 done, 3 wrong command line, 5 the profiles (with --strict or --check: any of them), 6 a document, "
    "9 a limit\n"
    "or no memory, 11 the result could not be written.\n";

typedef struct tool {
    const char *profiles, *explain, *list, *tar;
    const char **names;
    int n_names, count, each, json, check, timing, strict, many;
    each_frames frames;
    u32 bench, jobs;
    gx_limits limits;
    kit_source source;
    kit kit;
    apr_pool_t *pool;
    gxp_list found;
    gxp_set *set;
    u32 n_bad;
    u64 timeout_us;
    /* of all threads, under the lock */
    pthread_mutex_t lock;
    pthread_cond_t turn_is;
    each_input *in;
    u64 taken, turn;            /* documents that somebody has; whose result comes next */
    int came, status;           /* what in->next said last; the exit status */
    char why[400];
    double parse_us, match_us;  /* --bench: sums of the least times */
    u64 documents, bytes;
} tool;

/* A thread: the set of profiles is read only, all else is its own */
typedef struct worker {
    tool *t;
    kit kit;
    gxp_matcher *matcher;
    struct { char *at; size_t n, cap; } file;
    FILE *out;                  /* its document's result, until it is its turn */
    double parse_us, match_us;
    size_t bytes;
    pthread_t thread;
} worker;

static int usage_error(const char *sentence, const char *argument)
{
    fprintf(stderr, "gpuxml-match: %s%s%s (gpuxml-match --help lists the options)\n", sentence, *argument ? ": " : "", argument);
    return EXIT_USAGE;
}

static void say(const gx_error *err)
{
    char line[1400];
    fprintf(stderr, "%s\n", gx_error_format(err, line, sizeof line));
    if (err->limit)
        fprintf(stderr, "gpuxml-match: --limit %s=VALUE raises this limit\n", err->limit);
    if (err->status == GX_ETIME)
        fprintf(stderr, "gpuxml-match: --timeout MS raises this limit\n");
}

static int status_of(const gx_error *err)
{
    return err->status == GX_ELIMIT || err->status == GX_ENOMEM || err->status == GX_ETIME ? EXIT_RUN : EXIT_DOCUMENT;
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
    fprintf(stderr, "%s (profile '%.100s')\n", gx_error_format(what, line, sizeof line), gxp_list_at(&t->found)[profile].id);
}

static void warning(void *ctx, const gx_error *what)
{
    char line[1400];
    (void)ctx;
    fprintf(stderr, "warning: %s\n", gx_error_format(what, line, sizeof line));
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
        fprintf(stderr, "gpuxml-match: %u profile%s left out, %u loaded\n", t->n_bad, t->n_bad == 1 ? "" : "s", n.profiles);
    if (t->timing || t->bench)
        fprintf(stderr, "%u profiles, %u of them by the planner: read in %.1f ms, compiled in %.1f ms, %u formulas, %.0f bytes a profile, "
                "%.0f of them for the planner's programs\n",
                n.profiles, n.exact, (double)(read - from) / 1e3, (double)(gx_now_us() - read) / 1e3, n.formulas,
                (double)n.bytes / (n.profiles ? n.profiles : 1), (double)n.exact_bytes / (n.profiles ? n.profiles : 1));
    return t->n_bad && (t->strict || t->check) ? EXIT_PROFILES : EXIT_DONE;
}

/* ---- one document ---- */

static void put_json(FILE *out, const char *s)
{
    putc('"', out);
    for (; *s; s++)
        if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if ((unsigned char)*s < ' ')
            fprintf(out, "\\u%04x", *s);
        else
            putc(*s, out);
    putc('"', out);
}

static void put_result(const tool *t, FILE *out, const char *name, const u32 *ids, u32 n)
{
    if (t->json) {
        fprintf(out, "{\"document\":");
        put_json(out, name);
        fprintf(out, ",\"matches\":%u", n);
        for (u32 i = 0; i < n && !t->count; i++) {
            fprintf(out, "%s", i ? "," : ",\"ids\":[");
            put_json(out, gxp_id(t->set, ids[i]));
        }
        fprintf(out, "%s}\n", t->count ? "" : n ? "]" : ",\"ids\":[]");
        return;
    }
    if (t->count) {
        t->many ? fprintf(out, "%s\t%u\n", name, n) : fprintf(out, "%u\n", n);
        return;
    }
    if (t->each)
        fprintf(out, "%s\t", name);
    for (u32 i = 0; i < n; i++)
        if (t->each)
            fprintf(out, "%s%s", i ? " " : "", gxp_id(t->set, ids[i]));
        else if (t->many)
            fprintf(out, "%s\t%s\n", name, gxp_id(t->set, ids[i]));
        else
            fprintf(out, "%s\n", gxp_id(t->set, ids[i]));
    if (t->each)
        putc('\n', out);
}

static int to_file(void *out, const char *bytes, size_t n) { return fwrite(bytes, 1, n, out) != n; }

static u64 cpu_ns(void)
{
    struct timespec at;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return (u64)at.tv_sec * 1000000000u + (u64)at.tv_nsec;
}

static gx_status match_bytes(worker *w, const char *name, const char *bytes, size_t n, gx_error *err)
{
    const tool *t = w->t;
    const u32 *ids, times = t->bench ? t->bench : 1;
    u32 n_ids = 0;
    u64 least = UINT64_MAX, least_parse = UINT64_MAX;
    gx_doc *doc;
    for (u32 i = 0; i < times; i++) {
        const u64 from = cpu_ns();
        GX_TRY(kit_parse(&w->kit, &t->source, name, name, bytes, n, NULL, &doc, err));
        const u64 parsed = cpu_ns();
        gxp_matcher_deadline(w->matcher, t->timeout_us ? gx_now_us() + t->timeout_us : 0);
        GX_TRY(gxp_match(w->matcher, doc, &t->limits, warning, NULL, &ids, &n_ids, err));
        const u64 took = cpu_ns() - parsed;
        least = took < least ? took : least;
        least_parse = parsed - from < least_parse ? parsed - from : least_parse;
    }
    w->parse_us = (double)least_parse / 1e3;
    w->match_us = (double)least / 1e3;
    w->bytes = n;
    if (t->bench > 1 && !t->many) {
        gxp_cost c;
        gxp_match_cost(w->matcher, &c);
        fprintf(stderr, "%s: %u elements, %u classes, %u formulas held, %u tried, %u programs, %u matches\n", name, c.elements,
                c.classes, c.held, c.tried, c.exact, n_ids);
    }
    if (t->explain)
        gxp_explain(w->matcher, gxp_find(t->set, t->explain), to_file, w->out);
    else
        put_result(t, w->out, name, ids, n_ids);
    return GX_OK;
}

static gx_status read_file(worker *w, const char *name, gx_error *err)
{
    FILE *f = strcmp(name, "-") ? fopen(name, "rb") : stdin;
    size_t n;
    if (!f)
        return gx_fail(err, GX_EIO, name, 0, 0, "cannot be opened: %s", strerror(errno));
    w->file.n = 0;
    do {
        if (w->file.cap - w->file.n < 65536) {
            const size_t cap = 2 * (w->file.cap + 65536);
            char *more = realloc(w->file.at, cap);
            if (!more) {
                n = 0;
                errno = ENOMEM;
                break;
            }
            w->file.at = more;
            w->file.cap = cap;
        }
        errno = 0;
        n = fread(w->file.at + w->file.n, 1, w->file.cap - w->file.n, f);
        w->file.n += n;
    } while (n && w->file.n <= w->t->limits.input);
    const int wrong = ferror(f) || errno == ENOMEM ? (errno ? errno : EIO) : 0;
    if (f != stdin)
        fclose(f);
    if (wrong)
        return gx_fail(err, GX_EIO, name, 0, 0, "cannot be read: %s", strerror(wrong));
    return kit_unpack(name, w->t->limits.input, &w->file.at, &w->file.n, &w->file.cap, err);
}

static gx_status match_item(worker *w, const each_item *item, gx_error *err)
{
    if (item->wrong)
        return gx_fail(err, GX_EIO, item->name, 0, 0, "%s", item->wrong);
    if (item->bytes)
        return match_bytes(w, item->name, item->bytes, item->n, err);
    GX_TRY(read_file(w, item->name, err));
    return match_bytes(w, strcmp(item->name, "-") ? item->name : "standard input", w->file.at, w->file.n, err);
}

/* Once all before it have come: the document's result, or what is wrong */
static void in_turn(worker *w, u64 number, gx_status status, const gx_error *err, const char *result, size_t n)
{
    tool *t = w->t;
    pthread_mutex_lock(&t->lock);
    while (t->turn != number)
        pthread_cond_wait(&t->turn_is, &t->lock);
    if (status != GX_OK) {
        say(err);
        t->status = status_of(err);
    } else {
        fwrite(result, 1, n, stdout);
        t->parse_us += w->parse_us;
        t->match_us += w->match_us;
        t->documents++;
        t->bytes += w->bytes;
    }
    t->turn++;
    pthread_cond_broadcast(&t->turn_is);
    pthread_mutex_unlock(&t->lock);
}

static void *work(void *ctx)
{
    worker *w = ctx;
    tool *t = w->t;
    for (;;) {
        each_item item = { 0 };
        gx_error err = { .status = GX_ENOMEM, .text = "not enough memory" };
        char *result = NULL;
        size_t n = 0;
        pthread_mutex_lock(&t->lock);
        if (t->came > 0)
            t->came = t->in->next(t->in, &item, t->why);
        const int came = t->came;
        const u64 number = t->taken;
        t->taken += came > 0;
        pthread_mutex_unlock(&t->lock);
        if (came <= 0)
            return NULL;
        w->out = open_memstream(&result, &n);
        gx_status status = item.name && w->out ? match_item(w, &item, &err) : GX_ENOMEM;
        if (w->out && fclose(w->out) && status == GX_OK)
            status = gx_fail(&err, GX_ENOMEM, "", 0, 0, "not enough memory for the result");
        if (!err.file[0])
            snprintf(err.file, sizeof err.file, "%s", item.name ? item.name : "");
        in_turn(w, number, status, &err, result, n);
        free(result);
        each_item_free(&item);
    }
}

static u32 jobs_of(const tool *t)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const u32 jobs = t->jobs ? t->jobs : t->bench || !t->many || cores < 1 ? 1 : (u32)cores;
    return t->n_names && jobs > (u32)t->n_names ? (u32)t->n_names : jobs;
}

/* The first worker is this thread. */
static int with_workers(tool *t, worker *workers, u32 n)
{
    gx_error err = { .status = GX_ENOMEM, .text = "not enough memory" };
    u32 opened = 0, begun = 1;
    int status = EXIT_DONE;
    for (; opened < n && status == EXIT_DONE; opened++) {
        worker *w = &workers[opened];
        w->t = t;
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
    }
    while (opened) {
        worker *w = &workers[--opened];
        gxp_matcher_free(w->matcher);
        kit_close(&w->kit);
        free(w->file.at);
    }
    return status;
}

static int match_all(tool *t)
{
    const u32 n = jobs_of(t);
    worker *workers = calloc(n, sizeof *workers);
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
    t->came = 1;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->turn_is, NULL);
    const int status = with_workers(t, workers, n);
    t->in->close(t->in);
    free(workers);
    if (t->came < 0) {
        fprintf(stderr, "gpuxml-match: %s\n", t->why);
        return EXIT_DOCUMENT;
    }
    if (t->bench && t->documents)
        fprintf(stderr, "%llu documents of %.1f KB: parsed in %.1f us, matched in %.1f us each\n", (unsigned long long)t->documents,
                (double)t->bytes / 1e3 / (double)t->documents, t->parse_us / (double)t->documents, t->match_us / (double)t->documents);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "gpuxml-match: standard output: %s\n", strerror(errno));
        return EXIT_OUTPUT;
    }
    return status;
}

/* ---- the command line ---- */

static int flag(tool *t, const char *name)
{
    const struct { const char *name; int *to; } flags[] = { { "count", &t->count }, { "each", &t->each }, { "json", &t->json },
                                                            { "check", &t->check }, { "timing", &t->timing }, { "strict", &t->strict } };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (!strcmp(name, flags[i].name))
            return *flags[i].to = 1;
    return 0;
}

/* An option with a value; -1: there is no such one */
static int option(tool *t, const char *name, const char *value)
{
    static const char *const names[] = { "explain", "from-list", "tar", "stdin-records", "bench", "timeout", "jobs", "limit" };
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
    if (t->check ? ways : ways != 1)
        return usage_error(t->check ? "--check takes no documents" : "documents are wanted, or one of --from-list, --tar and --stdin-records", "");
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
