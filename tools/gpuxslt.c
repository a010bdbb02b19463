/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuxslt.c -- the engine as a command: gpuxslt [options] style.xsl doc.xml ...
 *
 * gpuxslt --explain style.xsl prints the compiled program instead of running it.
 *
 * Takes xsltproc's everyday options and gives its exit numbers, so that it can stand in its place. The result goes to
 * standard output (or --output), everything else to standard error; an error is one line "file:line:column: sentence",
 * and nothing is written to the output then: a document is complete or absent.
 *
 * One document is read, parsed, evaluated and serialised --repeat times with the same parser, block and arena, as a
 * server's thread would do it; the times printed are medians. Files named on the command line are trusted, so
 * document(), xsl:import, xsl:include and external entities may read any local file, unless --read-below says where.
 * Nothing opens a network connection. What has the name of a file elsewhere is looked up in XML catalogs.
 */
#include <apr_general.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/gx.h"
#include "engine/pages.h"
#include "engine/files/uri.h"
#include "queue/queue.h"
#include "gpuxslt/below.h"
#include "gpuxslt/compare.h"
#include "gpuxslt/each.h"
#include "gpuxslt/kit.h"
#include "gpuxslt/profile.h"
#include "gpuxslt/remote.h"
#include "timing.h"

/* xsltproc's exit numbers */
enum { EXIT_NO_ARGUMENT = 1, EXIT_TOO_MANY = 2, EXIT_OPTION = 3, EXIT_SHEET_XML = 4, EXIT_SHEET = 5, EXIT_DOCUMENT = 6,
       EXIT_RUN = 9, EXIT_STOPPED = 10, EXIT_OUTPUT = 11 };

enum { MAX_PARAMS = 256, MAX_THEN = 8, MAX_REPEAT = 1000000, TEAM_NODES = 50000, READ_BYTES = 2 << 20 };

typedef struct buffer { char *at; size_t n, cap; int failed; } buffer;

/* Microseconds, one a repetition; of the (last) stylesheet's source */
typedef struct times { double *parse, *evaluate, *serialize; u32 nodes; u64 document_bytes; } times;

typedef struct command {
    const char *sheet, *xpath, *output, *encoding;
    const char *then[MAX_THEN];     /* stylesheets for what comes out, one after the other */
    gx_program *then_program[MAX_THEN];
    int n_then;
    const char **documents;
    int n_documents;
    gx_param xpath_params[MAX_PARAMS], string_params[MAX_PARAMS], namespaces[MAX_PARAMS];
    int n_xpath_params, n_string_params, n_namespaces;
    gx_limits limits;
    gx_team_spec team;              /* as it was asked for, and whether its size is fixed */
    int exact_team;
    int members;                    /* of the last evaluation */
    int repeat, timing, json, no_output, as_xml, no_catalogs, strict, explain, wants_profile;
    gx_profile *profile;    /* of the evaluations, if it is wanted */
    int wants_remote;               /* --team worker (1), gpu (2) */
    remote *remote;
    remote_seat *seat;
    int compare;
    /* --each */
    int each, jobs, again;
    each_frames frames;
    const char *out_name, *list, *tar, *split_at, *suffix, *report_name;
    /* what lives as long as the process */
    apr_pool_t *pool;
    kit kit;
    kit_source source;      /* how sources are read */
    apr_array_header_t *path, *roots;       /* const char *, of --path and --read-below */
    const char *vendor, *vendor_url;
    u64 compile_memory, compile_us;             /* 0: no limit */
    gx_rule_set rules_off;
    u32 strategy;
    buffer planned;             /* --explain: what the planner did with each expression */
    int has_choices, has_twigs;
    FILE *out;
    const char *write_below;
    below *below;           /* NULL: no files beside the result */
    int seen_messages;      /* repetitions stay silent */
} command;

static const char help[] =
    "Usage: gpuxslt [options] style.xsl doc.xml ...     transform documents with a stylesheet\n"
    "       gpuxslt [options] doc.xml                   ... that <?xml-stylesheet href=\"...\"?> in the document "
    "names\n"
    "       gpuxslt --xpath EXPR [options] doc.xml      print what an XPath expression selects\n"
    "       gpuxslt --explain style.xsl, gpuxslt --explain --xpath EXPR      print what they are compiled to; with "
    "--timing\n"
    "                                                   and a document, the time and rows of each of its parts, too\n"
    "A document may be - (standard input). Files may be named by file: URIs.\n"
    "  --then STYLE.XSL          transforms the result once more, as another source, before it is written; may be "
    "given again\n"
    "  --param NAME EXPR         a parameter's value as an XPath expression; NAME: local, prefix:local or {uri}local\n"
    "  --stringparam NAME VALUE  a parameter's value as a string\n"
    "  -o, --output FILE         write the result to FILE\n"
    "  --noout                   do not write the result\n"
    "  --write-below DIR         exsl:document, xsl:document (1.1) and redirect:write write files, beneath DIR and "
    "nowhere else\n"
    "  --read-below DIR          stylesheets, imports, document(), entities are read beneath DIR alone; again: "
    "another\n"
    "  --encoding NAME           the result's encoding, instead of xsl:output's\n"
    "  --xml                     with --xpath: nodes as XML, not their string-values\n"
    "  --ns PREFIX=URI           with --xpath: declare a prefix\n"
    "  --team solo|threads:N     evaluate in this thread (default), or a large document with up to N threads, as many "
    "as cores are free;\n"
    "                            exactly:N is N threads in any case. Sources of 2 MiB and more are read by them, too\n"
    "  --team worker|gpu         evaluate as httpd does, in a worker process: on the CPU, or on a GPU\n"
    "  --compare                 instead of a result: how long each of these takes, and xsltproc, in turns; and what "
    "to do\n"
    "  --limit KEY=VALUE         input output text steps arena depth nodes attributes name amplification recursion;\n"
    "                            K, M, G and max are understood; only amplification and recursion have one by default\n"
    "  --timeout MS              stop reading or evaluating after so many milliseconds\n"
    "  --maxdepth N              the same as --limit recursion=N\n"
    "  --compile-limit KEY=VALUE how much compiling the stylesheet may take: memory=N (K, M, G), time=N (s, ms)\n"
    "  --strict                  the stylesheet's slips, of which there are warnings, are errors\n"
    "  --ignore-external         external entities are not read: references to them are left empty\n"
    "  --html-entities           a source may use &nbsp; and its like without a DOCTYPE of XHTML\n"
    "  --parser auto|expat       expat: Expat reads all documents; else those that the faster parser leaves to it\n"
    "  --rules LIST              which of the planner's rules are applied: all (default), none, -NAME, NAME, with "
    "commas between them;\n"
    "                            the result is the same, only the time is not. --rules list prints their names\n"
    "  --strategy NAME           how paths that are tree patterns are found: auto (default), steps, bits, levels "
    "or twig\n"
    "  --timing                  print how long each step took\n"
    "  --json                    with --timing: as one JSON object, the last line on standard error\n"
    "  --profile                 print which templates and expressions the time of evaluating goes to, on standard "
    "error\n"
    "  --repeat N                do it N times; the times are medians, the result is written once\n"
    "  --path DIR:DIR...         where a file that is not at its place is looked for by its name alone\n"
    "  --vendor NAME, --vendor-url URL    what system-property() says of xsl:vendor and xsl:vendor-url\n"
    "  --xinclude                XInclude 1.0 in sources, of local files\n"
    "  --novalid                 a source's DTD (its external subset) is not read\n"
    "  --nocatalogs              no XML catalogs: else those of $XML_CATALOG_FILES (empty: none), or /etc/xml/catalog\n"
    "  --each ... --out DIR      transform many documents with one stylesheet, with as many threads as cores or -j N, "
    "or by --team gpu; DIR/x.tar and -\n"
    "                            (standard output) are tar archives. Results are written completely or not at all; "
    "what is newer than its\n"
    "                            source and the stylesheet is not made again (--again: it is)\n"
    "    FILE ...                the documents; or one of:\n"
    "    --from-list FILE        names, one a line (-: standard input)\n"
    "    --tar FILE              the files in a tar archive (-: standard input)\n"
    "    --split-at NAME FILE    each element NAME of one document, which may be larger than memory\n"
    "    --stdin-records nul|length     records on standard input, each ended by a NUL byte or begun by its length (4 "
    "bytes, big-endian);\n"
    "                            results are records on standard output, in the same order; an empty one for a "
    "document that failed\n"
    "    --suffix .EXT           of the results' names, instead of .html, .txt or .xml by xsl:output's method\n"
    "    --report FILE           what failed, one a line\n"
    "  --nonet --verbose --nowrite --nomkdir    accepted: it is always so\n"
    "  -V, --version; -h, --help\n"
    "Exit status: 0 done, 1 to 3 wrong command line, 4 or 5 the stylesheet, 6 a document, 9 an instruction or a limit, "
    "10 an expression,\n"
    "endless recursion or xsl:message terminate=\"yes\", 11 the result could not be written.\n";

static int usage_error(int status, const char *sentence, const char *argument)
{
    fprintf(stderr, "gpuxslt: %s%s%s (gpuxslt --help lists the options)\n", sentence, *argument ? ": " : "", argument);
    return status;
}

static int out_of_memory(void)
{
    fprintf(stderr, "gpuxslt: not enough memory\n");
    return EXIT_RUN;
}

/* xsltproc's number for what stops a transformation: 10 for a message that terminates, an expression and recursion
 * without end, 9 for the rest */
static int is_stopped(const gx_error *err)
{
    return err->status == GX_ETERMINATE || err->in_xpath || (err->limit && !strcmp(err->limit, "recursion"));
}

static int report(const gx_error *err, int status)
{
    char line[1400];
    gx_error where = *err;
    if (err->told)                              /* the message has been printed: what is new is its place */
        snprintf(where.text, sizeof where.text, "terminated by this message");
    fprintf(stderr, "%s\n", gx_error_format(&where, line, sizeof line));
    if (err->limit)
        fprintf(stderr, "gpuxslt: --limit %s=VALUE raises this limit\n", err->limit);
    return status == EXIT_RUN && is_stopped(err) ? EXIT_STOPPED : status;
}

/* ---- memory and files ---- */

static int reserve(buffer *b, size_t cap)
{
    char *at = realloc(b->at, cap);
    if (!at)
        return b->failed = 1;
    if (cap > b->cap)
        gx_pages_grown(at, b->cap, cap);
    b->at = at;
    b->cap = cap;
    return 0;
}

static int append(void *ctx, const char *bytes, size_t n)
{
    buffer *b = ctx;
    if (n > b->cap - b->n) {
        const size_t cap = gx_pages_for(b->cap ? b->cap : 65536, b->n, n);
        if (cap == SIZE_MAX)
            return b->failed = 1;
        if (reserve(b, cap))
            return 1;
    }
    if (n)
        memcpy(b->at + b->n, bytes, n);
    b->n += n;
    return 0;
}

static int message(void *ctx, const char *text, size_t n)
{
    command *c = ctx;
    if (!c->seen_messages && n) {               /* as xsltproc: nothing of an empty one, and no second line end */
        fwrite(text, 1, n, stderr);
        if (text[n - 1] != '\n')
            fputc('\n', stderr);
    }
    return 0;
}

/* The file of a name on the command line, which may be a file: URI; NULL with errno */
static FILE *open_name(const command *c, const char *name, const char *mode)
{
    if (!strncasecmp(name, "file:", 5)) {
        const char *path = gx_load_path(c->pool, name, NULL);
        if (path)
            return fopen(path, mode);
        errno = EINVAL;
        return NULL;
    }
    return fopen(name, mode);
}

/* A document: where it is said to be, or by its name alone in a directory of --path. *name: where it was found */
static FILE *open_document(const command *c, const char **name)
{
    FILE *f = open_name(c, *name, "rb");
    const char *slash = strrchr(*name, '/'), *last = slash ? slash + 1 : *name;
    for (int i = 0; !f && errno == ENOENT && *last && i < c->kit.loader.n_path; i++) {
        const char *path = apr_pstrcat(c->pool, c->kit.loader.path[i], "/", last, NULL);
        if ((f = fopen(path, "rb")))
            *name = path;
    }
    return f;
}

/* The whole file, at most limits.input + 1 bytes of it: the parser then refuses it with the limit's name. */
static gx_status slurp(const command *c, const char **where, buffer *b, gx_error *err)
{
    const char *name = *where;
    int is_stdin = !strcmp(name, "-");
    FILE *f = is_stdin ? stdin : open_document(c, where);
    if (!f)
        return gx_fail(err, GX_EIO, name, 0, 0, "cannot be opened: %s", strerror(errno));
    char piece[65536];
    struct stat st;
    size_t n;
    if (fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && (u64)st.st_size <= c->limits.input)
        reserve(b, (size_t)st.st_size);         /* doubling would take twice as much */
    errno = 0;
    while (b->n <= c->limits.input && (n = fread(piece, 1, sizeof piece, f)) > 0)
        append(b, piece, n);
    int wrong = ferror(f) ? (errno ? errno : EIO) : 0;
    if (!is_stdin)
        fclose(f);
    if (wrong)
        return gx_fail(err, GX_EIO, name, 0, 0, "cannot be read: %s", strerror(wrong));
    if (b->failed)
        return gx_fail(err, GX_ENOMEM, name, 0, 0, "not enough memory to read it");
    return kit_unpack(name, c->limits.input, &b->at, &b->n, &b->cap, err);
}

/* What relative references in the document start from: its name as it was given, so that the URIs in a result (of
 * unparsed entities, say) are not of this machine's directories. */
static const char *base_uri(const char *name)
{
    return strcmp(name, "-") ? name : "./";
}

/* ---- the stylesheet that a document names ---- */

/* The file of the stylesheet that the document names, perhaps itself; NULL if it names none. */
static const char *named_stylesheet(command *c, const gx_doc *d, const char *document)
{
    const char *href = gx_doc_stylesheet(d, c->pool, NULL), *slash = strrchr(document, '/');
    if (href && *href == '#')                   /* within it: gx_compile looks there, in a file */
        return strcmp(document, "-") ? document : NULL;
    if (!href || *href == '/' || gx_uri_scheme(href) || !slash)
        return href;
    return apr_pstrcat(c->pool, apr_pstrmemdup(c->pool, document, (apr_size_t)(slash + 1 - document)), href, NULL);
}

/* ---- one document ---- */

static void warning(void *ctx, const gx_error *what)
{
    char text[1200];
    (void)ctx;
    fprintf(stderr, "warning: %s\n", gx_error_format(what, text, sizeof text));
}

/* As libxml2's programs find them */
static gx_catalog *open_catalogs(apr_pool_t *pool)
{
    const char *list = getenv("XML_CATALOG_FILES");
    apr_array_header_t *files = apr_array_make(pool, 4, sizeof(const char *));
    char *last = NULL;
    if (!list)
        list = access("/etc/xml/catalog", F_OK) == 0 ? "/etc/xml/catalog" : "";
    for (char *file = apr_strtok(apr_pstrdup(pool, list), " \t\n\r", &last); file;
         file = apr_strtok(NULL, " \t\n\r", &last))
        APR_ARRAY_PUSH(files, const char *) = file;
    return gx_catalog_create(pool, (const char *const *)files->elts, files->nelts, warning, NULL);
}

static gx_status parse(command *c, const char *name, const buffer *bytes, const gx_program *program, gx_doc **doc,
                       gx_error *err)
{
    c->kit.warning = c->seen_messages ? NULL : warning;
    c->source.threads = c->team.kind != GX_TEAM_KIND_THREADS || bytes->n < READ_BYTES ? 1 : (u32)c->team.members;
    if (c->source.threads > 1 && !c->exact_team) {
        const u32 cores = gx_cores_free();
        c->source.threads = c->source.threads > cores ? cores : c->source.threads;
    }
    return kit_parse(&c->kit, &c->source, name, base_uri(name), bytes->at, bytes->n, program, doc, err);
}

/* As many threads as are of use, where they are. A thread without a core of its own keeps the others waiting at every
 * sync for as long as something else runs in its place: on two busy cores two threads took 3 times as long as one. And
 * a small document takes no longer than the threads' beginning. */
static gx_team_spec team_for(command *c, const gx_doc *doc)
{
    gx_team_spec team = c->team;
    if (team.kind == GX_TEAM_KIND_THREADS && !c->exact_team) {
        if (doc->n_nodes < TEAM_NODES)
            team.members = 1;
        team.turns = &gx_team_turns_default;
        team.free_cores = gx_cores_free;
    }
    return team;
}

/* In the worker of --team worker and gpu, if that takes it, else here. */
static gx_status evaluate(command *c, gx_evaluation *ev, gx_error *err)
{
    if (c->seat) {
        ev->deadline_us = c->source.timeout_ms ? gx_now_us() + (u64)c->source.timeout_ms * 1000 : 0;
        const gx_status status = remote_evaluate(c->seat, ev, err);
        if (status != GX_EHOST)
            return status;
        if (!c->seen_messages)
            fprintf(stderr, "warning: the worker does not take this (host steps, or its memory): evaluated here\n");
    }
    ev->team = team_for(c, ev->doc);
    const gx_status status = kit_evaluate(&c->kit, ev, c->source.timeout_ms, err);
    c->members = ev->by_team ? ev->team.members : 1;
    return status;
}

/* Who takes the files beside the result: of repetitions the first one alone writes them. */
static gx_status (*files_beside(const command *c))(void *, const char *, const char *, size_t, gx_error *)
{
    return c->below && !c->seen_messages ? below_write : NULL;
}

/* All stylesheets in turn. *between: the last one's source, if that was another's result: free() it when the result was
 * written. */
static gx_status evaluate_all(command *c, gx_evaluation *ev, const gx_program *program, gx_doc **between, gx_error *err)
{
    gx_serialize_options o = { .limits = &c->limits,
                               .message = message,
                               .message_ctx = c,
                               .document = files_beside(c),
                               .document_ctx = c->below };
    ev->program = program;
    gx_status status = evaluate(c, ev, err);
    for (int i = 0; i < c->n_then && status == GX_OK; i++) {
        gx_doc *made;
        status = gx_result_as_source(ev, &o, c->then_program[i], &made, err);
        if (status != GX_OK)
            break;
        free(*between);
        ev->doc = *between = made;
        ev->program = c->then_program[i];
        status = evaluate(c, ev, err);
    }
    return status;
}

static gx_status serialize(command *c, const gx_evaluation *ev, buffer *result, gx_error *err)
{
    gx_serialize_options o = { .limits = &c->limits,
                               .encoding = c->encoding,
                               .message = message,
                               .message_ctx = c,
                               .document = files_beside(c),
                               .document_ctx = c->below };
    gx_media media;
    result->n = 0;
    gx_status status = c->xpath ? gx_serialize_selection(ev, &o, c->as_xml, NULL, append, result, &media, err)
                                : gx_serialize(ev, &o, append, result, &media, err);
    return status == GX_ECANCEL ? gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory for the result") : status;
}

/* The most memory this process has had, in bytes; 0 = unknown. Not getrusage: its figure includes the process that
 * started this one. */
static unsigned long long peak_bytes(void)
{
    char line[256];
    unsigned long long kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "VmHWM: %llu kB", &kb) != 1)
        ;
    if (f)
        fclose(f);
    return kb * 1024;
}

static void print_timing(const command *c, const char *name, times *t, const gx_evaluation *ev, size_t input,
                         size_t output)
{
    double parse_us = median(t->parse, c->repeat), evaluate_us = median(t->evaluate, c->repeat);
    double serialize_us = median(t->serialize, c->repeat);
    const gx_result *result = ev->base;
    char team[32] = "solo";
    if (c->members > 1)
        snprintf(team, sizeof team, "threads:%d", c->members);
    if (c->wants_remote)
        strcpy(team, c->wants_remote == 1 ? "worker" : "gpu");
    if (c->json)
        fprintf(
            stderr,
            "{\"parse_us\":%.2f,\"evaluate_us\":%.2f,\"serialize_us\":%.2f,\"nodes\":%u,\"document_bytes\":%llu,"
            "\"input_bytes\":%zu,\"arena_bytes\":%llu,\"output_bytes\":%zu,"
            "\"peak_bytes\":%llu,\"team\":\"%s\",\"repeat\":%d}\n",
            parse_us, evaluate_us, serialize_us, t->nodes, (unsigned long long)t->document_bytes, input,
            (unsigned long long)result->used, output, peak_bytes(), team, c->repeat);
    else
        fprintf(stderr,
                "%s: parse %.1f us, evaluate %.1f us, serialise %.1f us; %u nodes in %llu bytes, arena %llu bytes, "
                "result %zu bytes; %s, median of %d\n",
                name, parse_us, evaluate_us, serialize_us, t->nodes, (unsigned long long)t->document_bytes,
                (unsigned long long)result->used, output, team, c->repeat);
}

static void output_failed(const command *c)
{
    fprintf(stderr, "gpuxslt: %s: %s\n", c->output ? c->output : "standard output", strerror(errno));
}

/* The file is opened when there is something to write: a failed transformation leaves an older result as it was. */
static int write_result(command *c, const buffer *result)
{
    if (!c->out)
        c->out = c->output ? open_name(c, c->output, "wb") : stdout;
    if (c->out && fwrite(result->at ? result->at : "", 1, result->n, c->out) == result->n && !fflush(c->out))
        return 1;
    output_failed(c);
    return 0;
}

/* The result is written, then the files beside it get their names; or none of them is there. */
static int finish_files(command *c, int status)
{
    char why[400];
    if (!c->below)
        return status;
    if (status) {
        below_abandon(c->below);
        return status;
    }
    if (below_commit(c->below, why))
        return 0;
    fprintf(stderr, "gpuxslt: --write-below %s: %s\n", c->write_below, why);
    return EXIT_OUTPUT;
}

/* A source that is parsed once is freed when it has been read, before its block is made. Its size is still needed. */
static void free_source(void *ctx)
{
    buffer *b = ctx;
    free(b->at);
    b->at = NULL;
    b->cap = 0;
}

static int transform_times(command *c, const char *name, const gx_program *program, buffer *bytes, buffer *result,
                           times *t)
{
    gx_error err = { 0 };
    gx_status parsed;
    const gx_parse_options documents = kit_documents(&c->kit, &c->source);
    gx_evaluation ev = { .params = c->string_params,
                         .n_params = c->n_string_params,
                         .limits = &c->limits,
                         .loader = &c->kit.loader,
                         .documents = &documents,
                         .team = c->team,
                         .pool = c->kit.run_pool,
                         .warning = warning };
    if (c->wants_profile)
        ev.profile = c->profile = gx_profile_make(program, c->pool);
    c->source.once = c->repeat == 1;
    c->source.is_read = c->repeat == 1 ? free_source : NULL;
    c->source.is_read_ctx = bytes;
    for (int i = 0; i < c->repeat; i++) {
        gx_doc *doc, *between = NULL;
        int status = 0;
        double t0 = now_us();
        parsed = parse(c, name, bytes, program, &doc, &err);
        c->source.is_read = NULL;
        if (parsed != GX_OK)
            return report(&err, EXIT_DOCUMENT);
        double t1 = now_us();
        ev.doc = doc;
        if (evaluate_all(c, &ev, program, &between, &err) != GX_OK)
            status = report(&err, EXIT_RUN);
        double t2 = now_us();
        if (!status && serialize(c, &ev, result, &err) != GX_OK)
            status = report(&err, c->below && err.status == GX_EIO ? EXIT_OUTPUT : EXIT_RUN);
        t->nodes = ev.doc->n_nodes;
        t->document_bytes = ev.doc->size;
        free(between);
        if (status)
            return status;
        c->seen_messages = 1;
        t->parse[i] = t1 - t0;
        t->evaluate[i] = t2 - t1;
        t->serialize[i] = now_us() - t2;
    }
    if (!c->no_output && !write_result(c, result))
        return EXIT_OUTPUT;
    if (c->timing && !c->explain)
        print_timing(c, name, t, &ev, bytes->n, result->n);
    if (c->wants_profile && !c->explain)
        profile_print(program, c->profile, c->pool, stderr);
    return 0;
}

static void append_text(buffer *out, const char *s) { append(out, s, strlen(s)); }

/* An expression that rules were applied to: where it stands and its text on one line, the rules, and what is left to
 * the machine */
static void planned(void *ctx, const gx_planned *what)
{
    command *c = ctx;
    buffer *out = &c->planned;
    const char *slash = strrchr(what->file, '/');
    char number[120];
    snprintf(number, sizeof number, ":%u:%u ", what->line, what->column);
    append_text(out, "  ");
    if (*what->file) {
        append_text(out, slash ? slash + 1 : what->file);
        append_text(out, number);
    }
    for (u32 i = 0; i < what->len; i++)
        append(out, what->text[i] == '\n' ? " " : what->text + i, 1);
    append_text(out, "\n    rules:");
    for (u32 i = 0; gx_rule_name(i); i++)
        if (gx_rule_in(&what->rules, i)) {
            append_text(out, " ");
            append_text(out, gx_rule_name(i));
        }
    append_text(out, gx_rule_some(&what->rules) ? "\n" : " none\n");
    if (what->choices || what->joins)
        append_text(out, "    alternatives:");
    if (what->choices) {
        snprintf(number, sizeof number, " %u of two ways, by what is found (CHOICE_ROWS, CHOICE_TREE, CHOICE_FOUND)%s",
                 what->choices, what->joins ? "," : "\n");
        append_text(out, number);
    }
    if (what->joins) {
        snprintf(number, sizeof number, " %u of a join, by pairs or by an index (JOIN_PAIRS)\n", what->joins);
        append_text(out, number);
    }
    c->has_choices |= what->choices || what->joins;
    c->has_twigs |= what->twigs;
}

/* A limit of the table: 0 and 2^30 are none */
static const char *limit(char *text, size_t size, u32 n)
{
    snprintf(text, size, "%u", n);
    return !n ? "never" : n >= 1u << 30 ? "always" : text;
}

/* The table that the alternatives are chosen by */
static void append_costs(buffer *out)
{
    gx_cost_row row;
    char line[256], solo[16], threads[16], gpu[16];
    append_text(out, "costs: up to how many the first way is taken, by one thread, by threads and on a GPU\n");
    for (u32 i = 0; gx_cost_at(i, &row); i++) {
        snprintf(line, sizeof line, "  %-14s %6s %6s %7s  %s: %s, else %s\n", row.name,
                 limit(solo, sizeof solo, row.solo), limit(threads, sizeof threads, row.threads),
                 limit(gpu, sizeof gpu, row.gpu), row.unit, row.below, row.above);
        append_text(out, line);
    }
}

static void append_works(buffer *out)
{
    gx_work_row row;
    append_text(out, "costs of tree patterns' strategies, picoseconds of one thread\n");
    for (u32 i = 0; gx_work_at(i, &row); i++) {
        char line[256];
        snprintf(line, sizeof line, "  %s: %u, %s\n", row.name, row.picoseconds, row.work);
        append_text(out, line);
    }
}

static int explain(command *c, const gx_program *program)
{
    buffer text = { 0 };
    gx_explain_program(program, c->profile, c->pool, append, &text);
    if (c->planned.n) {
        append_text(&text, "rules applied\n");
        append(&text, c->planned.at, c->planned.n);
    }
    if (c->has_choices)
        append_costs(&text);
    if (c->has_twigs && c->strategy == 0)
        append_works(&text);
    text.failed |= c->planned.failed;
    free(c->planned.at);
    int status = text.failed ? out_of_memory() : write_result(c, &text) ? 0 : EXIT_OUTPUT;
    free(text.at);
    return status;
}

/* xsltproc's number: the stylesheet itself is not there or no XML, or there is an error in it or in what it imports */
static int sheet_status(command *c, const char *sheet, gx_status status, const gx_error *err)
{
    const char *path = gx_load_path(c->pool, sheet, NULL);
    gx_error own;
    if (status == GX_EIO || status == GX_EBUSY)
        return err->line ? EXIT_SHEET : EXIT_SHEET_XML;         /* else the line is that of xsl:import */
    gx_fail(&own, status, path ? path : sheet, 0, 0, "%s", ""); /* shortened as err's is */
    return status == GX_EXML && !strcmp(err->file, own.file) ? EXIT_SHEET_XML : EXIT_SHEET;
}

static int compile(command *c, const char *sheet, gx_program **program)
{
    gx_error err = { 0 };
    gx_compile_options o = { .loader = &c->kit.loader,
                             .xpath_params = c->xpath_params,
                             .n_xpath_params = c->n_xpath_params,
                             .namespaces = c->namespaces,
                             .n_namespaces = c->n_namespaces,
                             .warning = warning,
                             .slip = warning,
                             .strict = c->strict,
                             .planned = c->explain ? planned : NULL,
                             .planned_ctx = c,
                             .rules_off = c->rules_off,
                             .strategy = c->strategy,
                             .vendor = c->vendor,
                             .vendor_url = c->vendor_url,
                             .writes = c->write_below != NULL,
                             .memory = c->compile_memory,
                             .time_us = c->compile_us };
    apr_pool_t *pool;
    if (apr_pool_create(&pool, c->pool) != APR_SUCCESS)
        return out_of_memory();
    double t0 = now_us();
    gx_status status =
        c->xpath ? gx_compile_select(c->xpath, &o, pool, program, &err) : gx_compile(sheet, &o, pool, program, &err);
    if (status != GX_OK)
        report(&err, 0);
    else if (c->timing && !c->json && !c->explain)
        fprintf(stderr, "%s: compile %.1f us, program %llu bytes\n", c->xpath ? c->xpath : sheet, now_us() - t0,
                (unsigned long long)(*program)->size);
    apr_pool_destroy(pool);
    return status == GX_OK ? 0 : c->xpath ? EXIT_SHEET : sheet_status(c, sheet, status, &err);
}

/* program NULL: the document says which. */
static int transform(command *c, const char *name, const gx_program *program)
{
    gx_error err = { 0 };
    buffer bytes = { 0 }, result = { 0 };
    gx_program *named = NULL;
    double *v = malloc(sizeof *v * 3 * (size_t)c->repeat);
    int status = 0;
    if (!v)
        status = out_of_memory();
    else if (slurp(c, &name, &bytes, &err) != GX_OK)
        status = report(&err, EXIT_DOCUMENT);
    if (!status && !program) {
        gx_doc *doc;
        const char *sheet;
        if (parse(c, name, &bytes, NULL, &doc, &err) != GX_OK)
            status = report(&err, EXIT_DOCUMENT);
        else if (!(sheet = named_stylesheet(c, doc, name)))
            status = usage_error(EXIT_NO_ARGUMENT, "no stylesheet given, and the document names none", name);
        else
            status = compile(c, sheet, &named);
    }
    if (!status) {
        times t = { v, v + c->repeat, v + 2 * c->repeat, 0, 0 };
        c->seen_messages = 0;
        status = finish_files(c, transform_times(c, name, program ? program : named, &bytes, &result, &t));
    }
    free(v);
    free(named);
    free(bytes.at);
    free(result.at);
    return status;
}

/* The documents one after the other. One that fails does not keep the others from theirs; the status is the last
 * failure's, as xsltproc's is. */
static int transform_all(command *c, const gx_program *program)
{
    int status = 0;
    for (int i = 0; i < c->n_documents && status != EXIT_OUTPUT; i++) {
        int wrong = transform(c, c->documents[i], program);
        status = wrong ? wrong : status;
    }
    return status;
}

/* ---- the command line ---- */

static int parse_count(const char *s, long low, long high, int *out)
{
    char *end;
    errno = 0;
    long n = strtol(s, &end, 10);
    if (errno || *end || end == s || n < low || n > high)
        return 0;
    *out = (int)n;
    return 1;
}

static int parse_team(const char *s, gx_team_spec *team, int *exact, int *wants_remote)
{
    *wants_remote = 0;
    if (!strcmp(s, "solo")) {
        team->kind = GX_TEAM_KIND_SOLO;
        team->members = 1;
        return 1;
    }
    if (!strcmp(s, "worker") || !strcmp(s, "gpu")) {
        team->kind = GX_TEAM_KIND_SOLO;
        team->members = 1;
        *wants_remote = *s == 'w' ? 1 : 2;
        return 1;
    }
    team->kind = GX_TEAM_KIND_THREADS;
    *exact = !strncmp(s, "exactly:", 8);
    return (*exact || !strncmp(s, "threads:", 8)) && parse_count(s + 8, 1, 1024, &team->members);
}

/* Options that take arguments, and how many */
static const struct { const char *name; int n;
} with_arguments[] = {
    { "param", 2 },
    { "stringparam", 2 },
    { "output", 1 },
    { "o", 1 },
    { "encoding", 1 },
    { "then", 1 },
    { "xpath", 1 },
    { "ns", 1 },
    { "team", 1 },
    { "compile-limit", 1 },
    { "limit", 1 },
    { "timeout", 1 },
    { "maxdepth", 1 },
    { "maxvars", 1 },
    { "rules", 1 },
    { "strategy", 1 },
    { "repeat", 1 },
    { "parser", 1 },
    { "path", 1 },
    { "vendor", 1 },
    { "vendor-url", 1 },
    { "j", 1 },
    { "out", 1 },
    { "from-list", 1 },
    { "tar", 1 },
    { "split-at", 1 },
    { "stdin-records", 1 },
    { "suffix", 1 },
    { "report", 1 },
    { "writesubtree", 1 },
    { "write-below", 1 },
    { "read-below", 1 },
};

/* Are these characters of XML, in UTF-8? Whatever is not would stand in the result as it is. */
static int is_text(const char *s)
{
    size_t n = strlen(s);
    for (u32 len; n; s += len, n -= len)
        if (!(len = gx_xml_char(s, n)))
            return 0;
    return 1;
}

/* --each's: -1: it is none of them. */
static int each_option(command *c, const char *name, const char *value)
{
    if (!strcmp(name, "out"))
        c->out_name = value;
    else if (!strcmp(name, "from-list"))
        c->list = value;
    else if (!strcmp(name, "tar"))
        c->tar = value;
    else if (!strcmp(name, "split-at"))
        c->split_at = value;
    else if (!strcmp(name, "suffix"))
        c->suffix = value;
    else if (!strcmp(name, "report"))
        c->report_name = value;
    else if (!strcmp(name, "j")) {
        if (!parse_count(value, 1, 1024, &c->jobs))
            return usage_error(EXIT_OPTION, "-j wants a number of threads from 1 to 1024", value);
    } else if (!strcmp(name, "stdin-records")) {
        if (strcmp(value, "nul") && strcmp(value, "length"))
            return usage_error(EXIT_OPTION, "--stdin-records wants nul or length", value);
        c->frames = *value == 'n' ? EACH_FRAMES_NUL : EACH_FRAMES_LENGTH;
    } else
        return -1;
    return 0;
}

static int list_rules(int *done)
{
    const char *name;
    for (u32 i = 0; (name = gx_rule_name(i)); i++)
        printf("%s\n", name);
    *done = 1;
    return 0;
}

/* Directories, separated by colons or spaces, as xsltproc takes them */
static void add_path(command *c, const char *list)
{
    char *last = NULL;
    for (char *dir = apr_strtok(apr_pstrdup(c->pool, list), ": ", &last); dir; dir = apr_strtok(NULL, ": ", &last))
        APR_ARRAY_PUSH(c->path, const char *) = dir;
    c->kit.loader.path = (const char *const *)c->path->elts;
    c->kit.loader.n_path = c->path->nelts;
}

static int option_with_arguments(command *c, const char *name, char **a)
{
    const int of_each = each_option(c, name, a[0]);
    if (of_each >= 0)
        return of_each;
    if (!strcmp(name, "param") || !strcmp(name, "stringparam")) {
        int is_string = name[0] == 's';
        int *n = is_string ? &c->n_string_params : &c->n_xpath_params;
        if (*n == MAX_PARAMS)
            return usage_error(EXIT_TOO_MANY, "too many parameters", a[0]);
        if (!is_text(a[1]))
            return usage_error(EXIT_OPTION, "a parameter's value must be characters of XML in UTF-8", a[0]);
        (is_string ? c->string_params : c->xpath_params)[(*n)++] = (gx_param){ a[0], a[1] };
    } else if (!strcmp(name, "ns")) {
        char *equals = strchr(a[0], '=');
        if (!equals || c->n_namespaces == MAX_PARAMS)
            return usage_error(EXIT_OPTION, "--ns wants PREFIX=URI", a[0]);
        c->namespaces[c->n_namespaces++] =
            (gx_param){ apr_pstrmemdup(c->pool, a[0], (apr_size_t)(equals - a[0])), equals + 1 };
    } else if (!strcmp(name, "output") || !strcmp(name, "o")) {
        c->output = a[0];
    } else if (!strcmp(name, "encoding")) {
        c->encoding = a[0];
    } else if (!strcmp(name, "write-below")) {
        c->write_below = a[0];
    } else if (!strcmp(name, "read-below")) {
        APR_ARRAY_PUSH(c->roots, const char *) = a[0];
        c->kit.loader.roots = (const char *const *)c->roots->elts;
        c->kit.loader.n_roots = c->roots->nelts;
    } else if (!strcmp(name, "then")) {
        if (c->n_then == MAX_THEN)
            return usage_error(EXIT_TOO_MANY, "too many stylesheets", a[0]);
        c->then[c->n_then++] = a[0];
    } else if (!strcmp(name, "xpath")) {
        c->xpath = a[0];
    } else if (!strcmp(name, "team")) {
        if (!parse_team(a[0], &c->team, &c->exact_team, &c->wants_remote))
            return usage_error(EXIT_OPTION,
                               "--team wants solo, threads:N or exactly:N with N from 1 to 1024, worker or gpu", a[0]);
    } else if (!strcmp(name, "limit")) {
        const char *wrong = gx_limits_set(&c->limits, a[0]);
        if (wrong)
            return usage_error(EXIT_OPTION, wrong, a[0]);
    } else if (!strcmp(name, "compile-limit")) {
        const char *wrong = gx_compile_limit_set(&c->compile_memory, &c->compile_us, a[0]);
        if (wrong)
            return usage_error(EXIT_OPTION, wrong, a[0]);
    } else if (!strcmp(name, "maxdepth")) {
        const char *wrong = gx_limits_set(&c->limits, apr_pstrcat(c->pool, "recursion=", a[0], NULL));
        if (wrong)
            return usage_error(EXIT_OPTION, wrong, a[0]);
    } else if (!strcmp(name, "path")) {
        add_path(c, a[0]);
    } else if (!strcmp(name, "vendor")) {
        c->vendor = a[0];
    } else if (!strcmp(name, "vendor-url")) {
        c->vendor_url = a[0];
    } else if (!strcmp(name, "timeout")) {
        if (!parse_count(a[0], 1, INT_MAX, &c->source.timeout_ms))
            return usage_error(EXIT_OPTION, "--timeout wants milliseconds", a[0]);
    } else if (!strcmp(name, "parser")) {
        if (strcmp(a[0], "auto") && strcmp(a[0], "expat"))
            return usage_error(EXIT_OPTION, "--parser wants auto or expat", a[0]);
        gx_parser_expat_only(a[0][0] == 'e');
    } else if (!strcmp(name, "rules")) {
        const char *unknown;
        if (!gx_rules_choose(a[0], &c->rules_off, &unknown))
            return usage_error(EXIT_OPTION, "--rules: there is no such rule (--rules list prints them)", unknown);
    } else if (!strcmp(name, "strategy")) {
        for (c->strategy = 0; gx_strategy_name(c->strategy) && strcmp(a[0], gx_strategy_name(c->strategy));)
            c->strategy++;
        if (!gx_strategy_name(c->strategy))
            return usage_error(EXIT_OPTION, "--strategy wants auto, steps, bits, levels or twig", a[0]);
    } else if (!strcmp(name, "repeat")) {
        if (!parse_count(a[0], 1, MAX_REPEAT, &c->repeat))
            return usage_error(EXIT_OPTION, "--repeat wants a number from 1 to 1000000", a[0]);
    }   /* maxvars, writesubtree: xsltproc's, nothing here depends on them */
    return 0;
}

/* -1: no such option. *done: print what it printed and go. */
static int option(command *c, const char *name, int *done)
{
    static const char *const harmless[] = { "nonet",  "verbose", "v",         "nowrite", "nomkdir",
                                            "nodict", "norman",  "nodtdattr", "huge",    NULL };
    if (!strcmp(name, "noout"))
        c->no_output = 1;
    else if (!strcmp(name, "compare"))
        c->compare = 1;
    else if (!strcmp(name, "each"))
        c->each = 1;
    else if (!strcmp(name, "again"))
        c->again = 1;
    else if (!strcmp(name, "timing"))
        c->timing = 1;
    else if (!strcmp(name, "json"))
        c->timing = c->json = 1;
    else if (!strcmp(name, "explain"))
        c->explain = 1;
    else if (!strcmp(name, "profile"))
        c->wants_profile = 1;
    else if (!strcmp(name, "xml"))
        c->as_xml = 1;
    else if (!strcmp(name, "strict"))
        c->strict = 1;
    else if (!strcmp(name, "ignore-external"))
        c->source.external_ignore = 1;
    else if (!strcmp(name, "html-entities"))
        c->source.html_entities = 1;
    else if (!strcmp(name, "novalid"))
        c->source.no_subset = 1;
    else if (!strcmp(name, "nocatalogs"))
        c->no_catalogs = 1;
    else if (!strcmp(name, "version") || !strcmp(name, "V"))
        *done = printf("gpuxslt %s: XSLT 1.0 and XPath 1.0\n", GX_VERSION);
    else if (!strcmp(name, "help") || !strcmp(name, "h"))
        *done = printf("%s", help);
    else if (!strcmp(name, "xinclude"))
        c->source.xinclude = 1;
    else if (!strcmp(name, "xincludestyle"))
        return usage_error(EXIT_OPTION, "XInclude in stylesheets is not supported: resolve it before", name);
    else if (!strcmp(name, "catalogs"))
        return usage_error(EXIT_OPTION, "SGML catalogs are not supported: name XML catalogs in XML_CATALOG_FILES",
                           name);
    else if (!strcmp(name, "html"))
        return usage_error(EXIT_OPTION, "HTML input is not supported: documents must be XML", name);
    else {
        for (int i = 0; harmless[i]; i++)
            if (!strcmp(name, harmless[i]))
                return 0;
        return -1;
    }
    return 0;
}

/* --each: one stylesheet, one kind of input, one output. */
static int each_command_line(command *c)
{
    const int kinds = !!c->list + !!c->tar + !!c->split_at + !!c->frames;
    if (!c->each)
        return usage_error(EXIT_OPTION, "--out, --from-list, --tar, --split-at and --stdin-records go with --each", "");
    if (c->xpath || c->n_then || c->output || c->repeat != 1 || c->timing)
        return usage_error(EXIT_OPTION,
                           "--each takes a stylesheet, and none of --xpath, --then, --output, --repeat and --timing",
                           "");
    if (kinds > 1)
        return usage_error(EXIT_OPTION,
                           "--each wants one of documents, --from-list, --tar, --split-at and --stdin-records", "");
    if (!c->n_documents)
        return usage_error(EXIT_NO_ARGUMENT, "--each wants a stylesheet", "");
    c->sheet = *c->documents++;
    c->n_documents--;
    if (c->split_at ? c->n_documents != 1 : kinds ? c->n_documents != 0 : c->n_documents == 0)
        return usage_error(EXIT_NO_ARGUMENT,
                           c->split_at ? "--split-at wants one document"
                               : kinds ? "--each has documents from elsewhere: name the "
                                         "stylesheet only"
                                       : "--each wants documents, or --from-list, --tar, --split-at or --stdin-records",
                           "");
    if (c->frames && c->out_name && strcmp(c->out_name, "-"))
        return usage_error(EXIT_OPTION, "--stdin-records writes records to standard output, not to --out", c->out_name);
    if (!c->frames && !c->out_name)
        return usage_error(EXIT_OPTION, "--each wants --out DIRECTORY, or --out FILE.tar", "");
    return 0;
}

static int command_line(command *c, int argc, char **argv, int *done)
{
    int only_files = 0;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (only_files || a[0] != '-' || !a[1]) {
            c->documents[c->n_documents++] = a;
            continue;
        }
        if (!strcmp(a, "--")) {
            only_files = 1;
            continue;
        }
        const char *name = a + 1 + (a[1] == '-');       /* -param as well as --param, like xsltproc */
        int known = 0, status = 0;
        for (size_t k = 0; k < sizeof with_arguments / sizeof *with_arguments && !known; k++) {
            if (strcmp(name, with_arguments[k].name))
                continue;
            known = 1;
            if (argc - 1 - i < with_arguments[k].n)
                return usage_error(EXIT_OPTION, "an argument is missing after this option", a);
            if (!strcmp(name, "rules") && !strcmp(argv[i + 1], "list"))
                return list_rules(done);
            status = option_with_arguments(c, name, argv + i + 1);
            i += with_arguments[k].n;
        }
        if (!known)
            status = option(c, name, done);
        if (status < 0)
            return usage_error(EXIT_OPTION, "unknown option", a);
        if (status || *done)
            return status;
    }
    if (c->n_then && (c->xpath || c->explain || c->wants_profile))
        return usage_error(EXIT_OPTION, "--then goes with a stylesheet and a document", "");
    if (c->explain && c->n_documents != !c->xpath + c->timing)
        return usage_error(EXIT_NO_ARGUMENT,
                           "--explain wants one stylesheet, or --xpath; with --timing a document, too",
                           "");
    if ((c->wants_profile || (c->explain && c->timing)) && (c->wants_remote || c->team.kind == GX_TEAM_KIND_THREADS))
        return usage_error(EXIT_OPTION, "--profile and --explain --timing are of this thread's work: leave --team out",
                           "");
    if (c->explain) {
        c->wants_profile = c->no_output = c->timing;
        c->sheet = c->xpath ? NULL : *c->documents++;
        c->n_documents -= !c->xpath;
        return 0;
    }
    if (c->write_below && (c->xpath || c->each || c->list || c->tar || c->split_at || c->frames || c->out_name))
        return usage_error(EXIT_OPTION, "--write-below goes with a stylesheet and documents that are named", "");
    if (c->compare && (c->n_documents != 2 || c->xpath || c->n_then || c->explain || c->each || c->output))
        return usage_error(EXIT_OPTION, "--compare wants a stylesheet and a document, and parameters perhaps", "");
    if (c->each || c->list || c->tar || c->split_at || c->frames || c->out_name)
        return each_command_line(c);
    if (c->n_documents == 0)
        return usage_error(EXIT_NO_ARGUMENT, "nothing to do: give a stylesheet and a document", "");
    if (!c->xpath && c->n_documents > 1) {
        c->sheet = *c->documents++;
        c->n_documents--;
    }
    return 0;
}

/* When the stylesheet's files were last written: a result that is older is made again. */
static i64 newest_file(apr_pool_t *pool, const gx_program *program)
{
    const u32 *files = GX_PROG_TAB(program, u32, files);
    i64 newest = 0;
    struct stat st;
    for (u32 i = 0; i < program->files.n; i++) {
        const gx_lit lit = GX_LIT(program, files[i]);
        const char *path = apr_pstrmemdup(pool, (const char *)program + lit.off, lit.len);
        const i64 time = stat(path, &st) == 0 ? (i64)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec : 0;
        newest = time > newest ? time : newest;
    }
    return newest;
}

static const char *suffix_of(const gx_program *program)
{
    static const char *const suffixes[] = { ".xml", ".xml", ".html", ".txt" };
    return suffixes[GX_PROG_TAB(program, gx_output, output)->method & 3];
}

/* Threads of --each. With a GPU two a core: while one waits for its pages the other reads and writes. */
static int jobs_of(const command *c)
{
    const int cores = (int)gx_cores();
    return c->jobs ? c->jobs : c->wants_remote == 2 ? 2 * cores : cores;
}

static int run_each(command *c, const gx_program *program)
{
    const each_options o = { .program = program,
                             .limits = &c->limits,
                             .params = c->string_params,
                             .n_params = c->n_string_params,
                             .encoding = c->encoding,
                             .open_catalog = c->no_catalogs ? NULL : open_catalogs,
                             .again = c->again,
                             .source = c->source,
                             .loader = c->kit.loader,
                             .jobs = jobs_of(c),
                             .remote = c->remote,
                             .newest_ns = newest_file(c->pool, program),
                             .report = c->report_name };
    char why[400] = "not enough memory";
    each_input *in = c->list ? each_open_list(c->list, why)
        : c->tar             ? each_open_tar(c->tar, c->limits.input, why)
        : c->split_at        ? each_open_split(*c->documents, c->split_at, c->limits.input, why)
        : c->frames          ? each_open_records(c->frames, c->limits.input)
                             : each_open_files(c->documents, c->n_documents);
    if (!in) {
        fprintf(stderr, "gpuxslt: %s\n", why);
        return EXIT_DOCUMENT;
    }
    each_output *out =
        each_open_output(c->out_name ? c->out_name : "-", c->frames, c->suffix ? c->suffix : suffix_of(program), why);
    if (!out) {
        fprintf(stderr, "gpuxslt: %s\n", why);
        in->close(in);
        return EXIT_OUTPUT;
    }
    return each_run(&o, in, out);
}

static int run(command *c)
{
    gx_error err = { 0 };
    gx_program *program = NULL;
    char why[400];
    int status = 0;
    gx_limits_most(&c->limits);         /* local files are one's own */
    if (c->limits.arena > GX_ARENA_MAX)
        c->limits.arena = GX_ARENA_MAX;
    c->source.limits = &c->limits;
    c->source.in_place = !c->wants_remote;
    c->kit.warning = warning;
    c->kit.loader.catalog = c->no_catalogs ? NULL : open_catalogs(c->pool);
    if (kit_open(&c->kit, &c->limits, &err) != GX_OK)
        return report(&err, EXIT_RUN);
    if (c->write_below && !c->explain && !(c->below = below_open(c->write_below, c->strict, why))) {
        fprintf(stderr, "gpuxslt: --write-below %s: %s\n", c->write_below, why);
        status = EXIT_OUTPUT;
    }
    if (!status && (c->sheet || c->xpath))
        status = compile(c, c->sheet, &program);
    for (int i = 0; i < c->n_then && !status; i++)
        status = compile(c, c->then[i], &c->then_program[i]);
    if (c->explain && c->timing && !status)
        status = transform_all(c, program);
    if (c->explain && !status)
        status = explain(c, program);
    if (!status && c->wants_remote) {
        char why[400] = "";
        c->remote = remote_open(c->wants_remote == 2, c->each ? jobs_of(c) * EACH_PLACES : 1, 256 << 10, 0, why);
        c->seat = c->remote ? remote_sit(c->remote) : NULL;
        if (!c->remote) {
            fprintf(stderr, "gpuxslt: --team %s: %s\n", c->wants_remote == 2 ? "gpu" : "worker", why);
            status = EXIT_RUN;
        }
    }
    if (!status)
        status = c->each ? run_each(c, program) : c->explain ? 0 : transform_all(c, program);
    if (c->out && fclose(c->out) && !status) {      /* NFS, and a quota, may refuse what was written only now */
        output_failed(c);
        status = EXIT_OUTPUT;
    }
    for (int i = 0; i < c->n_then; i++)
        free(c->then_program[i]);
    free(program);
    remote_rise(c->seat);
    if (c->remote)
        remote_close(c->remote);
    kit_close(&c->kit);
    return status;
}

/* What APR calls instead of returning NULL, which nobody asks its pools for. */
static int no_memory(int error)
{
    (void)error;
    exit(out_of_memory());
}

int main(int argc, char **argv)
{
    static command c;
    int done = 0, status;
    c.repeat = 1;
    c.team.members = 1;
    c.documents = calloc((size_t)argc + 1, sizeof *c.documents);
    const char **documents = c.documents;
    if (!documents || apr_initialize() != APR_SUCCESS
        || apr_pool_create_ex(&c.pool, NULL, no_memory, NULL) != APR_SUCCESS
        || apr_pool_create(&c.kit.run_pool, c.pool) != APR_SUCCESS)
        return out_of_memory();
    c.path = apr_array_make(c.pool, 4, sizeof(const char *));
    c.roots = apr_array_make(c.pool, 4, sizeof(const char *));
    status = command_line(&c, argc, argv, &done);
    if (!status && !done && c.compare) {
        int n = 0;
        for (int i = 1; i < argc; i++)
            if (strcmp(argv[i], "--compare") && strcmp(argv[i], "-compare"))
                argv[n++] = argv[i];
        status = compare_run(argv, n, c.sheet, *c.documents);
    } else if (!status && !done)
        status = run(&c);
    apr_terminate();
    free(documents);
    return status;
}
