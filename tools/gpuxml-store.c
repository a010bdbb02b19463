/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuxml-store.c -- documents that are parsed once and asked for years: gpuxml-store FILE.gxs COMMAND ...
 *
 * The store itself is engine/store/; the commands are in tools/gpuxml-store/. Errors are one line on standard error;
 * what changes the store has happened when the command ends with 0, and else has not. Files named on the command line
 * are one's own: external entities, and stylesheets' document() and xsl:import, read local files.
 */
#include <apr_general.h>
#include <apr_strings.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gpuxml-store/tool.h"

static const char help[] =
    "Usage: gpuxml-store FILE.gxs COMMAND [options] ...\n"
    "  add FILE ...              stores XML documents (-: standard input) under their names as given; one of that name "
    "is replaced.\n"
    "                            All of them, or, after an error, none\n"
    "    --name NAME             the document's name, of one file\n"
    "    --split-at ELEMENT      a document of any size, in parts that begin at such elements: memory for one part;\n"
    "                            may be given several times, or as 'a|b'\n"
    "    --part-bytes N          a part's source (256K)\n"
    "    --index all|values|words|none     what queries find parts by (all)\n"
    "  remove NAME ...\n"
    "  list [--json]             the documents, one a line\n"
    "  query EXPR [NAME ...]     what an XPath expression selects in these documents, or in all, in the order of their "
    "names\n"
    "    --xml                   nodes as XML, not their string-values\n"
    "    --ns PREFIX=URI         declares a prefix (gx is urn:gpuxml: gx:contains-word(., 'w1 w2'), gx:phrase(., 'w1 "
    "w2'))\n"
    "    --rank NUMBER           the best first: an expression evaluated for each result, as gx:score(title, 'w1 w2')\n"
    "    --top N                 of these so many\n"
    "    --no-index              every part is looked at\n"
    "    --timing [--json]       how long, and how many parts were read, on standard error\n"
    "  transform STYLE.xsl NAME  with --param NAME EXPR, --stringparam NAME VALUE\n"
    "  export NAME               the document as XML\n"
    "  check                     reads all of the store: damaged pages, and what they belong to\n"
    "  compact [--index ...]     a new file without free space and with a new index, in the old one's place\n"
    "Options of all: -o, --output FILE; --encoding NAME; --memory N: for a split document that is needed whole (1G);\n"
    "  --limit KEY=VALUE, --timeout MS, as gpuxslt has them; --quiet; -V, --version; -h, --help\n"
    "Exit status: 0 done, 3 wrong command line, 4 the store, 5 the expression or stylesheet, 6 a document, 7 something "
    "is damaged,\n"
    "9 evaluation or a limit, 11 the result could not be written.\n";

static int usage_error(const char *sentence, const char *argument)
{
    fprintf(stderr, "gpuxml-store: %s%s%s (gpuxml-store --help lists the options)\n", sentence, *argument ? ": " : "",
            argument);
    return EXIT_USAGE;
}

int tool_report(const gx_error *err)
{
    char line[1400];
    fprintf(stderr, "%s\n", gx_error_format(err, line, sizeof line));
    switch (err->status) {
    case GX_EBAD: return EXIT_DAMAGED;
    case GX_EXML: return EXIT_DOCUMENT;
    case GX_EIO:
    case GX_EBUSY: return EXIT_STORE;
    case GX_ESTYLE: return EXIT_EXPRESSION;
    default: return EXIT_RUN;
    }
}

void tool_warning(void *ctx, const gx_error *what)
{
    char text[1400];
    (void)ctx;
    fprintf(stderr, "warning: %s\n", gx_error_format(what, text, sizeof text));
}

void tool_progress(tool *t, const char *fmt, ...)
{
    const double now = (double)gx_now_us();
    va_list args;
    if (t->quiet || !isatty(STDERR_FILENO) || (fmt && now - t->progress_us < 5e5) || (!fmt && !t->progress_us))
        return;
    if (fmt && !t->progress_us) { /* nothing in the first half second */
        t->progress_us = now;
        return;
    }
    fputs("\r\033[K", stderr);
    if (fmt) {
        va_start(args, fmt);
        vfprintf(stderr, fmt, args);
        va_end(args);
        t->progress_us = now;
    }
    fflush(stderr);
}

int tool_write(void *ctx, const char *bytes, size_t n)
{
    tool *t = ctx;
    if (!t->out)
        t->out = t->output ? fopen(t->output, "wb") : stdout;
    return !t->out || fwrite(bytes, 1, n, t->out) != n;
}

int tool_finish_output(tool *t)
{
    if (!t->out)
        tool_write(t, "", 0);
    if (t->out && !ferror(t->out) && !fflush(t->out) && (t->out == stdout || !fclose(t->out)))
        return EXIT_DONE;
    fprintf(stderr, "gpuxml-store: %s: %s\n", t->output ? t->output : "standard output", strerror(errno));
    return EXIT_OUTPUT;
}

/* ---- the command line ---- */

/* A size that is not 0; 0: it is none */
static int parse_bytes(const char *s, u64 *out) { return gx_size_parse(s, UINT64_MAX, out) == 1 && *out; }

static int parse_index(const char *s, u32 *out)
{
    static const struct {
        const char *name;
        u32 flags;
    } names[] = { { "all", GXS_HAS_VALUES | GXS_HAS_WORDS },
                  { "values", GXS_HAS_VALUES },
                  { "words", GXS_HAS_WORDS },
                  { "none", 0 } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(s, names[i].name)) {
            *out = names[i].flags;
            return 1;
        }
    return 0;
}

static int add_param(gx_param *params, int *n, const char *name, const char *value)
{
    if (*n == MAX_PARAMS)
        return usage_error("too many of these", name);
    params[(*n)++] = (gx_param){ name, value };
    return 0;
}

/* An option with arguments a[0], a[1]: its exit number; *n: how many it took, -1: there is no such option */
static int option(tool *t, const char *name, const char **a, int left, int *n)
{
    static const struct {
        const char *name;
        int n;
    } all[] = { { "name", 1 },   { "split-at", 1 },    { "part-bytes", 1 }, { "index", 1 },  { "xml", 0 },
                { "ns", 1 },     { "no-index", 0 },    { "timing", 0 },     { "json", 0 },   { "quiet", 0 },
                { "param", 2 },  { "stringparam", 2 }, { "o", 1 },          { "output", 1 }, { "encoding", 1 },
                { "rank", 1 },   { "top", 1 },         { "memory", 1 },     { "limit", 1 },       { "timeout", 1 } };
    *n = -1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(name, all[i].name))
            *n = all[i].n;
    if (*n > left)
        return usage_error("an argument is missing after this option", name);
    const char *wrong = NULL;
    if (!strcmp(name, "name"))
        t->name = a[0];
    else if (!strcmp(name, "split-at"))
        t->split_at = t->split_at ? apr_pstrcat(t->pool, t->split_at, "|", a[0], NULL) : a[0];
    else if (!strcmp(name, "part-bytes"))
        wrong = parse_bytes(a[0], &t->part_bytes) && t->part_bytes <= 1u << 30
                    ? NULL
                    : "--part-bytes wants a number of bytes, at most 1G";
    else if (!strcmp(name, "memory"))
        wrong = parse_bytes(a[0], &t->memory) ? NULL : "--memory wants a number of bytes (K, M, G)";
    else if (!strcmp(name, "rank"))
        t->rank = a[0];
    else if (!strcmp(name, "top"))
        wrong = parse_bytes(a[0], &t->top) ? NULL : "--top wants a number";
    else if (!strcmp(name, "index"))
        wrong = parse_index(a[0], &t->index) ? NULL : "--index wants all, values, words or none";
    else if (!strcmp(name, "ns")) {
        const char *equals = strchr(a[0], '=');
        return equals ? add_param(t->namespaces, &t->n_namespaces,
                                  apr_pstrmemdup(t->pool, a[0], (apr_size_t)(equals - a[0])), equals + 1)
                      : usage_error("--ns wants PREFIX=URI", a[0]);
    } else if (!strcmp(name, "param"))
        return add_param(t->xpath_params, &t->n_xpath_params, a[0], a[1]);
    else if (!strcmp(name, "stringparam"))
        return add_param(t->string_params, &t->n_string_params, a[0], a[1]);
    else if (!strcmp(name, "o") || !strcmp(name, "output"))
        t->output = a[0];
    else if (!strcmp(name, "encoding"))
        t->encoding = a[0];
    else if (!strcmp(name, "limit"))
        wrong = gx_limits_set(&t->limits, a[0]);
    else if (!strcmp(name, "timeout")) {
        u64 ms = 0;
        wrong = parse_bytes(a[0], &ms) && ms <= INT_MAX ? NULL : "--timeout wants milliseconds";
        t->source.timeout_ms = (int)ms;
    } else {
        t->as_xml |= !strcmp(name, "xml");
        t->no_index |= !strcmp(name, "no-index");
        t->timing |= !strcmp(name, "timing");
        t->json |= !strcmp(name, "json");
        t->quiet |= !strcmp(name, "quiet");
    }
    return wrong ? usage_error(wrong, a[0]) : 0;
}

static int command_line(tool *t, int argc, const char **argv, int *done)
{
    int only_names = 0;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        int n, status;
        if (only_names || a[0] != '-' || !a[1]) {
            if (!t->store)
                t->store = a;
            else if (!t->command)
                t->command = a;
            else
                t->args[t->n_args++] = a;
            continue;
        }
        if (!strcmp(a, "--")) {
            only_names = 1;
            continue;
        }
        const char *name = a + 1 + (a[1] == '-');
        if (!strcmp(name, "help") || !strcmp(name, "h"))
            *done = printf("%s", help);
        else if (!strcmp(name, "version") || !strcmp(name, "V"))
            *done = printf("gpuxml-store %s\n", GX_VERSION);
        if (*done)
            return 0;
        status = option(t, name, argv + i + 1, argc - 1 - i, &n);
        if (n < 0)
            return usage_error("unknown option", a);
        if (status)
            return status;
        i += n;
    }
    return t->command ? 0 : usage_error("a store and a command are wanted", "");
}

static int run(tool *t)
{
    static const struct {
        const char *name;
        int (*run)(tool *t);
        int least, most;
        const char *wants;
    } commands[] = {
        { "add", tool_add, 1, INT_MAX, "add wants files" },
        { "remove", tool_remove, 1, INT_MAX, "remove wants names of documents" },
        { "list", tool_list, 0, 0, "list takes no names" },
        { "query", tool_query, 1, INT_MAX, "query wants an XPath expression" },
        { "transform", tool_transform, 2, 2, "transform wants a stylesheet and a document's name" },
        { "export", tool_export, 1, 1, "export wants a document's name" },
        { "check", tool_check, 0, 0, "check takes no names" },
        { "compact", tool_compact, 0, 0, "compact takes no names" },
    };
    gx_error err = { 0 };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(t->command, commands[i].name))
            continue;
        if (t->n_args < commands[i].least || t->n_args > commands[i].most)
            return usage_error(commands[i].wants, "");
        if (t->top && !t->rank)
            return usage_error("--top goes with --rank", "");
        if (t->name && t->n_args != 1)
            return usage_error("--name goes with one file", t->name);
        if (kit_open(&t->kit, &t->limits, &err) != GX_OK)
            return tool_report(&err);
        const int status = commands[i].run(t);
        kit_close(&t->kit);
        return status;
    }
    return usage_error("there is no such command", t->command);
}

static int no_memory(int error)
{
    (void)error;
    fprintf(stderr, "gpuxml-store: not enough memory\n");
    exit(EXIT_RUN);
}

int main(int argc, char **argv)
{
    static tool t;
    int done = 0;
    if (apr_initialize() != APR_SUCCESS || apr_pool_create_ex(&t.pool, NULL, no_memory, NULL) != APR_SUCCESS
        || apr_pool_create(&t.kit.run_pool, t.pool) != APR_SUCCESS)
        return no_memory(0);
    t.args = apr_pcalloc(t.pool, ((size_t)argc + 1) * sizeof *t.args);
    t.index = GXS_HAS_VALUES | GXS_HAS_WORDS;
    t.part_bytes = 256 << 10;
    t.memory = 1u << 30;
    t.source.limits = &t.limits;
    gx_limits_most(&t.limits);
    if (t.limits.arena > GX_ARENA_MAX)
        t.limits.arena = GX_ARENA_MAX;
    t.namespaces[t.n_namespaces++] = (gx_param){ "gx", "urn:gpuxml" };
    int status = command_line(&t, argc, (const char **)argv, &done);
    if (!status && !done)
        status = run(&t);
    apr_terminate();
    return status;
}
