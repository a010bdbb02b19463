/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.c -- gpuxslt --compare style.xsl doc.xml: every way of evaluation beside libxslt, parse to bytes, in turns
 *
 * Each way is a process of its own, as a user would start it: gpuxslt --timing --json --repeat N --team ..., and
 * xsltproc --repeat --timing. They take turns, ROUNDS times, so that a machine that changes its speed changes it for
 * all; the figure is the best round's. The number of repetitions follows from the first look, so that a round takes
 * about a fifth of a second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "compare.h"
#include "engine/gx.h"
#include "queue/queue.h"

enum { ROUNDS = 5, MOST_ARGS = 600, ROUND_US = 200000, SAID = 65536 };

typedef struct way {
    const char *name, *team;            /* team NULL: xsltproc */
    double parse_us, evaluate_us, write_us, total_us;   /* of the best round; total 0: it does not work here */
    char why[200];                      /* then */
} way;

/* Runs a program; what it says on standard error, its output dropped. -1: it did not end well. */
static int run(char **argv, char *said, size_t size)
{
    int pipes[2], status;
    size_t n = 0;
    if (pipe(pipes) < 0)
        return -1;
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(pipes[1], 2);
        close(pipes[0]);
        close(pipes[1]);
        if (!freopen("/dev/null", "w", stdout))
            _exit(126);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(pipes[1]);
    for (ssize_t k; pid > 0 && (k = read(pipes[0], said + n, size - 1 - n)) > 0;)
        n += (size_t)k < size - 2 - n ? (size_t)k : 0;      /* what does not fit is dropped, all but the last line's
                                                               beginning */
    said[n] = 0;
    close(pipes[0]);
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static void last_line(char *out, size_t size, char *said)
{
    for (size_t n = strlen(said); n && said[n - 1] == '\n'; n--)
        said[n - 1] = 0;
    const char *line = strrchr(said, '\n');
    snprintf(out, size, "%s", line ? line + 1 : said);
}

static double field(const char *json, const char *name)
{
    char key[40];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(json, key);
    return at ? strtod(at + strlen(key), NULL) : 0;
}

/* One round of one of ours: 0, or -1 and w->why. */
static int ours(way *w, char **args, int n, int repeat)
{
    static char said[SAID];
    char count[16], *argv[MOST_ARGS + 12] = { "/proc/self/exe", "--timing", "--json", "--noout",
                                              "--repeat",       count,      "--team", (char *)w->team };
    char line[2000];
    snprintf(count, sizeof count, "%d", repeat);
    memcpy(argv + 8, args, (size_t)n * sizeof *args);
    argv[8 + n] = NULL;
    const int failed = run(argv, said, sizeof said);
    last_line(line, sizeof line, said);
    if (failed || *line != '{') {
        snprintf(w->why, sizeof w->why, "%.199s", *line ? line : "it failed");
        return -1;
    }
    const double parse = field(line, "parse_us"), evaluate = field(line, "evaluate_us"),
                 write = field(line, "serialize_us");
    if (!w->total_us || parse + evaluate + write < w->total_us) {
        w->parse_us = parse;
        w->evaluate_us = evaluate;
        w->write_us = write;
        w->total_us = parse + evaluate + write;
    }
    return 0;
}

/* xsltproc --timing says "Parsing document doc.xml took 1 ms", whole milliseconds: with --repeat (20 times) they are
 * averages, so the process is timed instead, less one that does it once. */
static int theirs(way *w, const char *sheet, const char *document)
{
    static char said[SAID];
    char *many[] = { "xsltproc", "--nonet", "--repeat", (char *)sheet, (char *)document, NULL };
    char *once[] = { "xsltproc", "--nonet", (char *)sheet, (char *)document, NULL };
    const u64 t0 = gx_now_us();
    if (run(many, said, sizeof said) < 0) {
        snprintf(w->why, sizeof w->why, "xsltproc is not installed, or fails");
        return -1;
    }
    const u64 t1 = gx_now_us();
    if (run(once, said, sizeof said) < 0)
        return -1;
    const double us = ((double)(t1 - t0) - (double)(gx_now_us() - t1)) / 19;
    if (us > 0 && (!w->total_us || us < w->total_us))
        w->total_us = us;
    return 0;
}

static void print(const way *w, const way *base)
{
    if (!w->total_us)
        printf("%-16s %s\n", w->name, w->why);
    else if (!w->team)
        printf("%-16s %10s %10s %10s %10.0f %8.1f\n", w->name, "", "", "", w->total_us, w->total_us / base->total_us);
    else
        printf("%-16s %10.0f %10.0f %10.0f %10.0f %8.1f\n", w->name, w->parse_us, w->evaluate_us, w->write_us,
               w->total_us, w->total_us / base->total_us);
}

/* A sentence, and the directives to write */
static void advise(const way *solo, const way *gpu, const way *theirs_way)
{
    printf("\n");
    if (theirs_way->total_us)
        printf("One thread takes %.1f times less than libxslt, parse to bytes.\n",
               theirs_way->total_us / solo->total_us);
    if (!gpu->total_us)
        printf("There is no GPU here: GPUXMLEngine cpu, which is what auto does without one.\n");
    else if (gpu->evaluate_us * 1.1 < solo->evaluate_us)
        printf(
            "The GPU evaluates this %.1f times faster, for one request at a time: GPUXMLEngine auto, the default, will "
            "use it.\n"
            "If such documents are served again, a cache that holds them makes parsing go away: GPUXMLCache 256M.\n",
            solo->evaluate_us / gpu->evaluate_us);
    else
        printf(
            "For one request at a time the GPU does not pay (%.0f us there, %.0f here). GPUXMLEngine auto finds out "
            "whether it does\n"
            "when many come at once; GPUXMLEngine cpu leaves it out.\n",
            gpu->evaluate_us, solo->evaluate_us);
    if (solo->parse_us > 4 * (solo->evaluate_us + solo->write_us))
        printf("Parsing is %.0f %% of the time.\n", 100 * solo->parse_us / solo->total_us);
}

int compare_run(char **args, int n, const char *sheet, const char *document)
{
    char threads[32], threads_name[32];
    snprintf(threads, sizeof threads, "threads:%u", gx_cores());
    snprintf(threads_name, sizeof threads_name, "%u threads", gx_cores());
    way ways[] = { { .name = "one thread", .team = "solo" },
                   { .name = threads_name, .team = threads },
                   { .name = "worker (CPU)", .team = "worker" },
                   { .name = "GPU", .team = "gpu" },
                   { .name = "libxslt" } };
    const size_t n_ways = sizeof ways / sizeof *ways;
    if (n > MOST_ARGS)
        return 3;
    for (size_t i = 0; i < n_ways; i++)         /* a first look: what works, and how long it takes */
        if ((ways[i].team ? ours(&ways[i], args, n, 3) : theirs(&ways[i], sheet, document)) < 0 && !i) {
            fprintf(stderr, "%s\n", ways[0].why);
            return 9;
        }
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < n_ways; i++) {
            if (!ways[i].total_us)
                continue;
            const double repeat = ROUND_US / ways[i].total_us;
            if (isatty(2))
                fprintf(stderr, "\rround %d of %d: %-16s", round + 1, ROUNDS, ways[i].name);
            if (ways[i].team)
                ours(&ways[i], args, n, repeat < 1 ? 1 : repeat > 10000 ? 10000 : (int)repeat);
            else
                theirs(&ways[i], sheet, document);
        }
    if (isatty(2))
        fprintf(stderr, "\r\033[K");
    printf("%-16s %10s %10s %10s %10s %8s\n", "microseconds", "parse", "evaluate", "write", "total", "times");
    for (size_t i = 0; i < n_ways; i++)
        print(&ways[i], &ways[0]);
    advise(&ways[0], &ways[3], &ways[4]);
    return 0;
}
