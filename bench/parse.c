/*
 * bench/parse.c -- gx_parse against Expat with empty handlers, on the same bytes
 *
 *   parse FILE [RUNS]       one line: both times, their ratio, ns a node, bytes of block a byte of source
 *
 * The two take turns, and each one's median is reported: the machine's speed may change while this runs. Expat's parser is kept
 * and reset as gx_parser keeps its own.
 */
#define XML_DTD
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "gx.h"

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void no_start(void *u, const XML_Char *n, const XML_Char **a) { (void)u, (void)n, (void)a; }
static void no_end(void *u, const XML_Char *n) { (void)u, (void)n; }
static void no_text(void *u, const XML_Char *s, int n) { (void)u, (void)s, (void)n; }

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *t, int n)
{
    qsort(t, (size_t)n, sizeof *t, by_value);
    return t[n / 2];
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE [RUNS]\n", argv[0]);
        return 2;
    }
    FILE *f = fopen(argv[1], "rb");
    if (!f || fseek(f, 0, SEEK_END)) {
        perror(argv[1]);
        return 1;
    }
    long size = ftell(f);
    rewind(f);
    char *bytes = malloc((size_t)size + 1);
    if (!bytes || fread(bytes, 1, (size_t)size, f) != (size_t)size)
        return 1;
    fclose(f);

    /* small documents are repeated within a run, so that a run is long enough to time */
    int repeat = size < 100000 ? (int)(2000000 / (size + 1)) + 1 : 1, runs = argc > 2 ? atoi(argv[2]) : repeat > 1 ? 41 : 15;
    double *plain = malloc(sizeof *plain * (size_t)runs), *ours = malloc(sizeof *ours * (size_t)runs);
    XML_Parser expat = XML_ParserCreate(NULL);
    gx_parser *parser;
    gx_error err;
    gx_limits limits = { .input = UINT64_MAX, .nodes = 0xfffffff0u };
    gx_parse_options options = { .limits = &limits };
    u64 block = 0, nodes = 0;
    if (gx_parser_create(&parser, &err))
        return 1;
    for (int r = 0; r < runs; r++) {
        double t0 = now_us();
        for (int k = 0; k < repeat; k++) {
            XML_ParserReset(expat, NULL);
            XML_SetElementHandler(expat, no_start, no_end);
            XML_SetCharacterDataHandler(expat, no_text);
            if (XML_Parse(expat, bytes, (int)size, 1) != XML_STATUS_OK)
                return 1;
        }
        double t1 = now_us();
        for (int k = 0; k < repeat; k++) {
            gx_doc *doc;
            if (gx_parse(parser, &options, bytes, (size_t)size, &doc, &err)) {
                char line[1200];
                fprintf(stderr, "%s\n", gx_error_format(&err, line, sizeof line));
                return 1;
            }
            block = doc->size;
            nodes = doc->n_nodes;
            free(doc);
        }
        double t2 = now_us();
        plain[r] = (t1 - t0) / repeat;
        ours[r] = (t2 - t1) / repeat;
    }
    double a = median(plain, runs), b = median(ours, runs);
    printf("%s: %ld bytes, %llu nodes; Expat alone %.1f us (%.0f MB/s), gx_parse %.1f us (%.0f MB/s): %.2fx, %.1f ns a node on top; "
           "block %.2fx the source; best %.1f and %.1f us\n",
           argv[1], size, (unsigned long long)nodes, a, (double)size / a, b, (double)size / b, b / a, (b - a) * 1e3 / (double)nodes,
           (double)block / (double)size, plain[0], ours[0]);
    gx_parser_free(parser);
    XML_ParserFree(expat);
    return 0;
}
