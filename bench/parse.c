/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/parse.c -- the parsers beside each other, on the same bytes
 *
 *   parse [-s SECONDS] [-e ENGINE,...] FILE...      a line a file and engine: MB/s at best and in the median, ns a node
 *
 *   scan           gx_parse: bytes -> document block (the scanner, where it takes the document)
 *   in-place       the same, and the block stays in the parser's memory
 *   expat-block    gx_parse with Expat: the same block
 *   expat          Expat with empty handlers: no tree
 *   libxml2-sax    libxml2's SAX2 with empty handlers: no tree
 *   libxml2-tree   xmlReadMemory
 *   pugixml        load_buffer_inplace on a copy (the copy is timed too: the document is needed again); no namespaces,
 * few checks
 *
 * The engines take turns, so that the machine's speed may change while this runs; each keeps what it can keep
 * between documents. Time is the thread's
 * own, so that other processes do not count. Blocks are freed and allocated again by malloc, as a caller without a
 * kit does. Small documents are repeated within a turn.
 * libxml2 and pugixml are there when Debian's libxml2-dev and libpugixml-dev were when this was compiled.
 */
#define XML_DTD
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <malloc.h>
#include "gx.h"
#ifdef WITH_LIBXML2
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#endif
#ifdef WITH_PUGIXML
size_t bench_pugixml(const char *bytes, size_t n);
#endif

enum { MAX_ROUNDS = 2000 };

static gx_parser *parser;
static XML_Parser expat;
static u64 n_nodes, block_bytes;

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* ---- engines: 0, or -1 if the document is refused ---- */

static void *block_of(void *ctx, u64 size) { return (void)ctx, malloc(size); }

static int ours(const char *bytes, size_t n, int by_expat, int in_place)
{
    gx_limits limits = { .input = UINT64_MAX, .nodes = 0xfffffff0u, .depth = 65533 };
    gx_parse_options options = { .limits = &limits, .expat = by_expat, .in_place = in_place, .alloc = block_of };
    gx_error err;
    gx_doc *doc;
    if (gx_parse(parser, &options, bytes, n, &doc, &err)) {
        char line[1200];
        fprintf(stderr, "%s\n", gx_error_format(&err, line, sizeof line));
        return -1;
    }
    n_nodes = doc->n_nodes;
    block_bytes = doc->size;
    if (!gx_parser_has(parser, doc))
        free(doc);
    return 0;
}

static int run_scan(const char *bytes, size_t n) { return ours(bytes, n, 0, 0); }
static int run_in_place(const char *bytes, size_t n) { return ours(bytes, n, 0, 1); }
static int run_expat_block(const char *bytes, size_t n) { return ours(bytes, n, 1, 0); }

static void no_start(void *u, const XML_Char *n, const XML_Char **a) { (void)u, (void)n, (void)a; }
static void no_end(void *u, const XML_Char *n) { (void)u, (void)n; }
static void no_text(void *u, const XML_Char *s, int n) { (void)u, (void)s, (void)n; }

static int run_expat(const char *bytes, size_t n)
{
    XML_ParserReset(expat, NULL);
    XML_SetElementHandler(expat, no_start, no_end);
    XML_SetCharacterDataHandler(expat, no_text);
    return XML_Parse(expat, bytes, (int)n, 1) == XML_STATUS_OK ? 0 : -1;
}

#ifdef WITH_LIBXML2
static void sax_start(void *u, const xmlChar *l, const xmlChar *p, const xmlChar *uri, int n, const xmlChar **ns, int a,
                      int d, const xmlChar **atts)
{
    (void)u, (void)l, (void)p, (void)uri, (void)n, (void)ns, (void)a, (void)d, (void)atts;
}
static void sax_end(void *u, const xmlChar *l, const xmlChar *p, const xmlChar *uri) { (void)u, (void)l, (void)p,
    (void)uri; }
static void sax_text(void *u, const xmlChar *s, int n) { (void)u, (void)s, (void)n; }

static int run_libxml2_sax(const char *bytes, size_t n)
{
    xmlSAXHandler sax;
    memset(&sax, 0, sizeof sax);
    sax.initialized = XML_SAX2_MAGIC;
    sax.startElementNs = sax_start;
    sax.endElementNs = sax_end;
    sax.characters = sax.ignorableWhitespace = sax.cdataBlock = sax_text;
    xmlParserCtxtPtr c = xmlCreateMemoryParserCtxt(bytes, (int)n);
    xmlFree(c->sax);
    c->sax = &sax;
    xmlCtxtUseOptions(c, XML_PARSE_HUGE);
    const int wrong = xmlParseDocument(c);
    c->sax = NULL;
    xmlFreeParserCtxt(c);
    return wrong ? -1 : 0;
}

static int run_libxml2_tree(const char *bytes, size_t n)
{
    xmlDocPtr doc = xmlReadMemory(bytes, (int)n, "bench.xml", NULL,
                                  XML_PARSE_HUGE | XML_PARSE_NONET | XML_PARSE_COMPACT);
    if (doc)
        xmlFreeDoc(doc);
    return doc ? 0 : -1;
}
#endif
#ifdef WITH_PUGIXML
static int run_pugixml(const char *bytes, size_t n) { return bench_pugixml(bytes, n) ? 0 : -1; }
#endif

static const struct { const char *name; int (*run)(const char *bytes, size_t n); } engines[] = {
    { "scan", run_scan }, { "in-place", run_in_place }, { "expat-block", run_expat_block }, { "expat", run_expat },
#ifdef WITH_LIBXML2
    { "libxml2-sax", run_libxml2_sax }, { "libxml2-tree", run_libxml2_tree },
#endif
#ifdef WITH_PUGIXML
    { "pugixml", run_pugixml },
#endif
};
enum { N_ENGINES = sizeof engines / sizeof *engines };

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static char *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END))
        return NULL;
    *n = (size_t)ftell(f);
    rewind(f);
    char *bytes = malloc(*n + 1);
    if (bytes && fread(bytes, 1, *n, f) != *n)
        return NULL;
    fclose(f);
    return bytes;
}

/* Is the engine among those asked for? NULL: all are. */
static int is_chosen(const char *list, const char *name)
{
    const size_t len = strlen(name);
    for (const char *at = list; at && (at = strstr(at, name)); at += len)
        if ((at == list || at[-1] == ',') && (!at[len] || at[len] == ','))
            return 1;
    return !list;
}

static int bench(const char *path, double seconds, const char *list)
{
    static double times[N_ENGINES][MAX_ROUNDS];
    int failed[N_ENGINES] = { 0 };
    size_t n;
    char *bytes = read_file(path, &n);
    if (!bytes) {
        perror(path);
        return 1;
    }
    const int repeat = n < 200000 ? (int)(400000 / (n + 1)) + 1 : 1;
    int rounds = 0;
    const double until = now_us() + seconds * 1e6;
    for (; rounds < 3 || (rounds < MAX_ROUNDS && now_us() < until); rounds++)
        for (int e = 0; e < N_ENGINES; e++) {
            if (!is_chosen(list, engines[e].name))
                continue;
            const double from = now_us();
            for (int k = 0; k < repeat && !failed[e]; k++)
                failed[e] = engines[e].run(bytes, n);
            times[e][rounds] = (now_us() - from) / repeat;
        }
    const char *slash = strrchr(path, '/');
    printf("%s: %zu bytes, %llu nodes, block %.2f times the source, %d rounds\n", slash ? slash + 1 : path, n,
           (unsigned long long)n_nodes,
           (double)block_bytes / (double)n, rounds);
    for (int e = 0; e < N_ENGINES; e++) {
        if (!is_chosen(list, engines[e].name))
            continue;
        if (failed[e]) {
            printf("  %-13s refuses it\n", engines[e].name);
            continue;
        }
        qsort(times[e], (size_t)rounds, sizeof **times, by_value);
        printf("  %-13s %8.0f MB/s at best, %8.0f median, %7.1f ns a node\n", engines[e].name, (double)n / times[e][0],
               (double)n / times[e][rounds / 2], times[e][0] * 1e3 / (double)n_nodes);
    }
    free(bytes);
    return 0;
}

int main(int argc, char **argv)
{
    gx_error err;
    double seconds = 2;
    const char *list = NULL;
    int i = 1, failed = 0;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2)
        if (strcmp(argv[i], "-s") == 0)
            seconds = atof(argv[i + 1]);
        else if (strcmp(argv[i], "-e") == 0)
            list = argv[i + 1];
    if (i >= argc) {
        fprintf(stderr, "usage: %s [-s SECONDS] [-e ENGINE,...] FILE...\n", argv[0]);
        return 2;
    }
    /* memory that was freed is used again, as kits and the cache do with theirs; glibc allows no more */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 2000000000);
    expat = XML_ParserCreate(NULL);
    if (!expat || gx_parser_create(&parser, &err))
        return 1;
    for (; i < argc; i++)
        failed |= bench(argv[i], seconds, list);
    gx_parser_free(parser);
    XML_ParserFree(expat);
    return failed;
}
