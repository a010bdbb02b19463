/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gx.h -- the engine's public face: parse, compile, evaluate, serialise
 *
 *   bytes --gx_parser--> gx_doc --\
 *                                  gx_evaluate --> gx_result (in an arena) --gx_serialize--> bytes
 *   file.xsl --gx_compile--> gx_program --/
 *
 * Documents, programs and results are single relocatable blocks (doc.h, program.h, result.h): a different process may
 * do each step. No call prints, exits or keeps global state that changes; different threads may work at once on their
 * own objects, and share finished documents and programs, which nobody writes.
 *
 * Every call returns a gx_status and, when it is not GX_OK, has filled in *err; out-parameters are written only on
 * success.
 */
#ifndef GX_H
#define GX_H

#include <apr_pools.h>
#include "base.h"
#include "document/doc.h"
#include "program/program.h"
#include "machine/result.h"

#define GX_VERSION "0.1.0"

#define GX_XSLT_URI "http://www.w3.org/1999/XSL/Transform"

#ifndef GX_TRY                  /* as in machine/machine.h, which has nothing of this file */
#define GX_TRY(call) do { gx_status try_ = (call); if (try_ != GX_OK) return try_; } while (0)
#endif

typedef struct gx_error {
    gx_status status;
    char file[256];             /* document or stylesheet, "" = the source document of the request */
    u32 line, column;           /* 1-based; 0 = unknown */
    u64 byte;                   /* byte offset in a document */
    u8 told;                    /* GX_ETERMINATE: text is a message, which gx_serialize_options.message has received */
    u8 in_xpath;                /* GX_EDYNAMIC: an expression could not be evaluated, no instruction failed */
    const char *limit;          /* static: the key by which GPUXMLLimit or --limit raises what was reached, else NULL */
    char text[768];             /* the sentence, without the position */
} gx_error;

/* "file:line:column: text" into buf; returns buf. */
char *gx_error_format(const gx_error *err, char *buf, size_t size);
/* Sets all fields; text is printf-formatted and cut to fit. Returns status. */
gx_status gx_fail(gx_error *err, gx_status status, const char *file, u32 line, u32 column, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

void gx_limits_default(gx_limits *limits);      /* fills every field that is 0 */
/* The same for documents of one's own: what is about size has the largest value that it can have; amplification and
 * recursion, which endless loops meet, have their defaults. */
void gx_limits_most(gx_limits *limits);
int gx_limits_is_most(const char *key, u64 value);      /* can this limit not be raised? */
/* A whole number, with K, M or G behind it perhaps: 1, and *value; 0: it is none; -1: it is more than `most`. */
int gx_size_parse(const char *text, u64 most, u64 *value);
/* Parses "key=value" (value as gx_size_parse's; "max"). NULL, or a static sentence what is wrong. */
const char *gx_limits_set(gx_limits *limits, const char *key_value);

/* Takes n bytes; returns 0, or anything else to stop (gx_serialize then returns GX_ECANCEL). */
typedef int (*gx_sink)(void *ctx, const char *bytes, size_t n);

/* ---- documents (parse.c) ---- */

typedef struct gx_parse_options {
    const gx_limits *limits;    /* NULL = defaults */
    int fixed_limits;           /* no GPUXMLLimit raises them: messages do not ask for one */
    const char *file;           /* for messages; "" or NULL for a request's body */
    const char *base_uri;       /* stored in the block */
    const char *charset;        /* from the transport (HTTP); beats the XML declaration, loses to a BOM. NULL = none */
    const gx_program *spaces;   /* strip-space/preserve-space rules to apply, or NULL */
    u32 flags;                  /* GX_DOC_LINES | GX_DOC_NAMESPACES */
    int external_ignore;        /* references to external or skipped entities: 0 = error, 1 = leave empty */
    int html_entities;          /* HTML's entities (&nbsp;) are declared in every document, not only where the DOCTYPE
                                   is XHTML's */
    int xinclude;               /* gx_evaluation.documents: those are given to gx_xinclude, too */
    int lenient;                /* what breaks Namespaces in XML is a warning: a name whose prefix is not declared is in
                                   no namespace, colon and all */
    void (*warning)(void *ctx, const gx_error *what);   /* the document goes on; NULL = drop */
    void *warning_ctx;
    int no_doctype;             /* a document with a document type declaration is refused where that begins: GX_EDOCTYPE
                                   */
    void *(*alloc)(void *ctx, u64 size);        /* where the finished block goes (16-byte aligned); NULL = malloc */
    void *alloc_ctx;
    int in_place;               /* with alloc: the block may stay in the parser's memory, where it was read. It is there
                                   until the parser begins another document or is freed; it has gaps, so nobody copies
                                   it. What does not fit comes from alloc. Not with GX_DOC_LINES */
    int at_once;                /* bytes are parsed as they come, not in batches, until gx_parser_names_sheet knows */
    int expat;                  /* Expat reads this document: as gx_parser_expat_only */
    u64 timeout_us;             /* of feed and finish together, then GX_ETIME; 0 = none */
    const struct gx_loader *external;   /* for documents of one's own (stylesheets, document(), the command line):
                                           external entities and DTD files are read through it. NULL = never read, as a
                                           stranger's document must be */
    int is_foreign;             /* strangers may have written the document, not the files that `external` reads: limits
                                   as without them */
    const char *external_base;  /* what its external identifiers are relative to; NULL = base_uri, or file */
    int missing_is_empty;       /* an external entity in text that `external` cannot read, and a reference that nothing
                                   declares behind a DTD, is left empty, with a warning; else an error */
    int no_subset;              /* the external subset is not read, whatever `external` is */
    void (*read)(void *ctx, const char *path);  /* is told each of these files, if not NULL */
    void *read_ctx;
    u32 threads;                /* gx_parse reads a large document by up to so many; 0 and 1 = this one */
    size_t part_bytes;          /* ... each so many bytes at least; 0 = as measured */
    int once;                   /* the parser reads no other document: its arrays are freed while the block is made */
    void (*is_read)(void *ctx); /* gx_parse: the bytes are needed no more, and the block is not made yet: who frees them
                                   now needs less memory for both. NULL = nobody is told */
    void *is_read_ctx;
    /* n bytes of what was fed, from byte `from` on, to `to`, once more: 0, or -1 if they cannot be had. With it the
     * parser need not keep them for Expat, which reads few documents. NULL = it keeps them */
    int (*again)(void *ctx, u64 from, char *to, size_t n);
    void *again_ctx;
    u64 seed;                   /* of the document's hashes; 0 = drawn by chance, as it must be where strangers write
                                   documents */
} gx_parse_options;

/* Which parser reads documents, of this process and from here on (to be said once, before the first): Expat all of
 * them, or only those that the scanner leaves to it. */
void gx_parser_expat_only(int on);
typedef struct gx_parser gx_parser;
/* A parser may be reused for any number of documents, one after another; it keeps its buffers. gx_parser_free at the
 * end. */
gx_status gx_parser_create(gx_parser **out, gx_error *err);
void gx_parser_free(gx_parser *parser);
u64 gx_parser_bytes(const gx_parser *parser);   /* of its buffers */
/* Does the document stay in its memory (in_place)? */
int gx_parser_has(const gx_parser *parser, const gx_doc *doc);
/* begin, feed any number of times, finish. An error ends the document (begin again). *options and what it points to
 * must live until finish. finish: the caller owns *doc (free() it, unless options.alloc made it). */
gx_status gx_parser_begin(gx_parser *parser, const gx_parse_options *options, gx_error *err);
gx_status gx_parser_feed(gx_parser *parser, const char *bytes, size_t n, gx_error *err);
gx_status gx_parser_finish(gx_parser *parser, gx_doc **doc, gx_error *err);
/* Does an <?xml-stylesheet?>, of whatever kind, stand before the document element? -1: that has not begun. Also after
 * an error. */
int gx_parser_names_sheet(const gx_parser *parser);
/* Was `external` asked for a file, whether it had it or not? Then other bytes than the document's own had a part in
 * it. */
int gx_parser_asked(const gx_parser *parser);
/* A whole document in memory. */
gx_status gx_parse(gx_parser *parser, const gx_parse_options *options, const char *bytes, size_t n, gx_doc **doc,
                   gx_error *err);
/* Every offset, count and index in range, ids ordered: what a block from another process must pass before it is
 * followed. */
gx_status gx_doc_check(const void *block, u64 size, gx_error *err);
/* For who makes a block (doc.c). The name index, when the header and the labels are there: each label's nodes, in
 * document order. */
void gx_doc_index(gx_doc *doc);
int gx_is_ascii(const char *s, size_t n);
/* href of the first <?xml-stylesheet?> before the document element that names an XSLT stylesheet, in pool; an alternate
 * one counts where there is no other (document/stylesheet_pi.c). NULL: there is none, and *why, unless why is NULL,
 * what is wrong with one that may have been meant so, or NULL. */
const char *gx_doc_stylesheet(const gx_doc *doc, apr_pool_t *pool, const char **why);

/* ---- files: the only place that opens any (load.c) ---- */

typedef struct gx_catalog gx_catalog;
typedef struct gx_loader {
    const char *const *roots;   /* directories that files must lie beneath (after resolving links); NULL = anywhere
                                   (command line) */
    int n_roots;
    const char *const *path;    /* directories where a file that is not at its place is looked for by its name alone, in
                                   order (xsltproc --path) */
    int n_path;
    gx_catalog *catalog;        /* asked for what is no such file; what it says must lie beneath the roots, too. NULL =
                                   none */
    /* "http://host:port" that this process can answer for; NULL = none. What document() or xsl:import names there, or
     * by a path from its root ("/menu.xml"), is no file: fetch brings it. uri: absolute, without fragment. *bytes: in
     * pool, of more than limits->input and one none is wanted; *charset: of its Content-Type, or NULL. Errors as
     * gx_load's. */
    const char *site;
    gx_status (*fetch)(void *ctx, apr_pool_t *pool, const char *uri, const gx_limits *limits, const char **bytes,
                       size_t *n, const char **charset, gx_error *err);
    void *fetch_ctx;
} gx_loader;
/* Reads the file that `ref` names relative to `base` (file paths or file: URIs; no network, no other scheme), or that
 * the catalogs have in its place. public_id: NULL, ref is a URI reference; else it is a system identifier, "" = it has
 * no public one beside it. *path: absolute path, in pool. *bytes: in pool; no more are read than limits->input and one,
 * of which the parser says that it is too many (NULL: the default). Errors: GX_EIO with a sentence that does not tell
 * more than "outside the root". */
gx_status gx_load(const gx_loader *loader, apr_pool_t *pool, const char *public_id, const char *ref, const char *base,
                  const gx_limits *limits, const char **path, const char **bytes, size_t *n, gx_error *err);
/* The URI that loader->fetch is to be asked for, absolute, in pool: what ref names relative to base, if that is a
 * resource of loader->site; else NULL. */
const char *gx_load_site(const gx_loader *loader, apr_pool_t *pool, const char *ref, const char *base);
/* What loader's site answers and no file: for documents that the site has answered with, which strangers may write */
gx_loader gx_load_answers(const gx_loader *loader);
/* The path that ref names without a catalog, whether there is a file or not; NULL: it can have none. */
const char *gx_load_path(apr_pool_t *pool, const char *ref, const char *base);

/* XInclude 1.0: where *doc, which was parsed with these options, has an xi:include, another document takes its place,
 * in which loader's files, or answers of its site, are included (document/xinclude.c). *doc is freed then unless
 * options.alloc made it, also when this fails (*doc: NULL). sees: is told of the bytes that the new document was
 * parsed from, by which it can be told from all others that the same source may become; NULL = nobody asks. */
gx_status gx_xinclude(gx_parser *parser, const gx_parse_options *options, const gx_loader *loader, gx_doc **doc,
                      void (*sees)(void *ctx, const void *bytes, size_t n), void *ctx, gx_error *err);

/* ---- XML Catalogs: what lies on this machine under another name (catalog.c) ---- */

/* The n catalog entry files (paths or file: URIs), asked in this order; they and those that they name are read when
 * they are needed, and kept as long as pool. For one thread at a time. warning: is told of each that cannot be used,
 * once; NULL = nobody is. NULL for n == 0. */
gx_catalog *gx_catalog_create(apr_pool_t *pool, const char *const *files, int n,
                              void (*warning)(void *ctx, const gx_error *what), void *warning_ctx);
/* Is this file a catalog, and what is wrong with it? Those that it names are not looked at. */
gx_status gx_catalog_check(apr_pool_t *pool, const char *file, gx_error *err);

/* ---- programs (xslt/compile.c, plan/compile.c) ---- */

/* name: local, {uri}local, or prefix:local as declared */
typedef struct gx_param { const char *name; const char *value; } gx_param;
/* Does the program take a parameter of this name, as gx_param has it? */
int gx_program_has_param(const gx_program *p, const char *name);

/* A set of the planner's rules, a bit each, by number (gx_rule_name) */
enum { GX_RULES_MOST = 256 };
typedef struct gx_rule_set { u64 bits[GX_RULES_MOST / 64]; } gx_rule_set;
static inline int gx_rule_in(const gx_rule_set *set, u32 rule) { return (int)(set->bits[rule / 64] >> rule % 64 & 1); }
static inline int gx_rule_some(const gx_rule_set *set)
{
    u64 some = 0;
    for (u32 i = 0; i < GX_RULES_MOST / 64; i++)
        some |= set->bits[i];
    return some != 0;
}
static inline void gx_rule_put(gx_rule_set *set, u32 rule, int in)
{
    const u64 bit = (u64)1 << rule % 64;
    set->bits[rule / 64] = in ? set->bits[rule / 64] | bit : set->bits[rule / 64] & ~bit;
}

typedef struct gx_planned {
    const char *file;
    u32 line, column;
    const char *text;
    u32 len;
    gx_rule_set rules;                          /* that were applied */
    /* that the machine makes, by its table of costs; joins: by pairs, or with an index */
    u32 choices, joins;
    u32 twigs;                                  /* tree patterns, each of which has several strategies */
} gx_planned;

typedef struct gx_compile_options {
    const gx_loader *loader;
    const gx_param *xpath_params;       /* values are XPath expressions; they replace the stylesheet's defaults */
    int n_xpath_params;
    const gx_param *namespaces;         /* gx_compile_select: prefix, uri */
    int n_namespaces;
    /* gx_compile: the stylesheet itself, which path only names: its base URI. NULL = path is read */
    const char *bytes;
    size_t n_bytes;
    const gx_parse_options *source;     /* its charset, html_entities and external_ignore hold for these bytes, or NULL;
                                           external entities are not read */
    const char *fragment;               /* the stylesheet is the element with this ID; NULL = the document element */
    const char *vendor, *vendor_url;    /* system-property('xsl:vendor'), ('xsl:vendor-url'); NULL = ours */
    int writes;                         /* exsl:document and its kin are instructions: gx_serialize_options.document
                                           takes what they make */
    void (*warning)(void *ctx, const gx_error *what);   /* gx_compile: of what is an error only where it is
                                           reached (the program has GX_P_LATE then). NULL = it is one at once */
    void (*slip)(void *ctx, const gx_error *what);      /* gx_compile: of each slip that libxslt tolerates, once, with
                                                           its place; after the first hundred one last call says how
                                                           many more there are. NULL = nobody is */
    void *warning_ctx;                  /* of both */
    int strict;                         /* slips, and errors only where they are reached, are errors at once */
    /* Called for each expression that a rule was applied to, or that has alternatives: where it stands, its text, a bit
     * for each such rule (gx_rule_name), and how many choices are left for when it runs. NULL = nobody is told */
    void (*planned)(void *ctx, const gx_planned *what);
    void *planned_ctx;
    gx_rule_set rules_off;              /* of the planner's rules, as gx_rules_choose says; 0: all are applied */
    u32 strategy;                       /* how tree patterns are found: GX_STRATEGY_* (program.h), 0: what costs
                                           least */
    /* The third argument of gx:score() (machine/word.h) where the words are a literal and it is left out; NULL: nothing
     * is known. It is copied. NULL = nobody is asked */
    const char *(*word_statistics)(void *ctx, const char *words);
    void *word_ctx;
    u64 memory, time_us;                /* what compiling may take; 0 = no limit. Memory is counted where lists, names,
                                           expressions and modules take it, within a third of what the process grows */
} gx_compile_options;

/* Sets gx_compile_options' memory or time_us: "memory=N" (K, M, G), "time=N" (ms, s; seconds without a unit), or "max"
 * for no limit. NULL, or what is wrong with it. */
const char *gx_compile_limit_set(u64 *memory, u64 *time_us, const char *key_value);
/* Which of the planner's rules (plan/rules.c) are switched off: "none", "all", "-name", "name", several with commas
 * between them, in this order. No result depends on it, only the time. 0: *unknown is what no rule is called. */
int gx_rules_choose(const char *list, gx_rule_set *off, const char **unknown);
const char *gx_rule_name(u32 i);        /* of the i-th, NULL behind the last */
/* How tree patterns are found (gx_compile_options.strategy): "auto", "steps" and so on; NULL behind the last */
const char *gx_strategy_name(u32 i);
/* The i-th row of the machine's table of costs (machine/cost.h): its name, the value on one thread and in a team, and
 * in words what is done up to there and beyond. 0: there is no such row. */
typedef struct gx_cost_row { const char *name, *unit, *below, *above; u32 solo, threads, gpu; } gx_cost_row;
int gx_cost_at(u32 i, gx_cost_row *out);
/* What the strategies' costs are sums of: a piece of work, in words, and what one thread takes for it. As gx_cost_at */
typedef struct gx_work_row { const char *name, *work; u32 picoseconds; } gx_work_row;
int gx_work_at(u32 i, gx_work_row *out);

/* pool: for the compiler's own needs, may be cleared afterwards. *out: one malloc'd block, free() it. Beyond the
 * options' memory it fails with GX_ELIMIT, beyond their time with GX_ETIME; limits of the stylesheet's size (sheet.h)
 * bound both where there is no such option. */
gx_status gx_compile(const char *path, const gx_compile_options *options, apr_pool_t *pool, gx_program **out,
                     gx_error *err);
/* A program (GX_P_XPATH) that evaluates one XPath expression with the root as context node. */
gx_status gx_compile_select(const char *expression, const gx_compile_options *options, apr_pool_t *pool,
                            gx_program **out, gx_error *err);
struct gx_profile;
struct gx_start;
/* What was made of a stylesheet or expression, as text for people: see program/explain_sheet.c; profile: with the times
 * of its evaluations, or NULL. For programs made in this process or checked. pool: for its own needs. */
void gx_explain_program(const gx_program *program, const struct gx_profile *profile, apr_pool_t *pool, gx_sink sink,
                        void *ctx);
/* A template, function, ... in a few words: the body's number */
void gx_explain_body(const gx_program *program, u32 body, apr_pool_t *pool, gx_sink sink, void *ctx);
/* " at file:line:column" of a place's number, or nothing */
void gx_explain_where(const gx_program *program, u32 where, gx_sink sink, void *ctx);
gx_status gx_program_check(const void *block, u64 size, gx_error *err);

typedef struct gx_features {
    int is_host;                        /* host steps: the thread evaluates it, no other device can */
    int is_recursive;                   /* named templates call each other in a circle: such calls are waves of one
                                           frame, one after the other */
} gx_features;
/* What a program (checked, or compiled here) tells of its cost. */
void gx_program_features(const gx_program *program, gx_features *out);

/* ---- evaluation (evaluate.c) ---- */

/* When a team of threads and the calling thread take turns, between two instructions. Microseconds */
typedef struct gx_team_turns {
    u32 look;               /* the calling thread looks back so often .. */
    u32 long_one;           /* .. and the team goes on if instructions took so long, on average: its syncs are lost
                               in it */
    u32 short_one;          /* the calling thread goes on if they take the team less than that */
} gx_team_turns;
extern const gx_team_turns gx_team_turns_default;

typedef struct gx_team_spec {
    int kind, members;
    const gx_team_turns *turns;         /* NULL = the team from the beginning to the end */
    u32 (*free_cores)(void);            /* with turns, if not NULL: no more members than this says when the team is
                                           first wanted. Then `members` is how many there are. */
} gx_team_spec;
enum { GX_TEAM_KIND_SOLO = 0, GX_TEAM_KIND_THREADS };

#define GX_ARENA_MAX ((u64)7 << 30)     /* references are 32-bit counts of words, both halves: 16 GiB */
typedef struct gx_arena gx_arena;       /* machine/arena.c: memory for one evaluation at a time; keeps its pages warm
                                           between them */
gx_status gx_arena_create(u64 cap_bytes, gx_arena **out, gx_error *err);
void gx_arena_free(gx_arena *arena);
u64 gx_arena_bytes(const gx_arena *arena);      /* of it that are in memory: asks the kernel, some 10 us */

/* Where an evaluation's time goes (machine/run_profile.c): a line for each of the program's instructions and operators,
 * summed over all evaluations that were given it. Solo teams only; it makes them slower. */
typedef struct gx_profile_line {
    u64 ticks, rows, times;
    u32 strategy;                       /* of a tree pattern: GX_STRATEGY_*, the one that ran last; 0: none */
    u64 estimated_ps[5];                /* by GX_STRATEGY_*, then; 0: it was not estimated */
    u32 ways;                           /* of a choice or a join: a bit for each GX_WAY_* that it took */
    u64 units, limit;                   /* what its last decision counted, and up to which number the cheap way is
                                           taken: pairs, nodes or rows */
} gx_profile_line;
enum {
    GX_WAY_FIRST = 1, GX_WAY_ELSE = 2,                  /* a choice */
    GX_WAY_PAIRS = 4, GX_WAY_HASH = 8, GX_WAY_ORDER = 16, GX_WAY_UNEQUAL = 32, GX_WAY_SEARCH = 64   /* a join */
};
typedef struct gx_profile {
    gx_profile_line *instrs, *ops;
    u64 ticks, us;                      /* of all of it; the first in the clock's own unit */
    u32 evaluations;
    /* while it runs */
    gx_status (*run)(const struct gx_start *start, struct gx_profile *profile);
    gx_profile_line *instr, *op;
    u32 first;                          /* the first operator of op's expression */
    gx_profile_line *again;             /* where an expression broke off that begins again: its operators up to there
                                           have been counted */
    u32 again_first;
    u64 since;
} gx_profile;
/* For evaluations of the program, from the pool */
gx_profile *gx_profile_make(const gx_program *program, apr_pool_t *pool);
/* Microseconds in one evaluation */
double gx_profile_us(const gx_profile *profile, u64 ticks);

typedef struct gx_evaluation {
    /* in */
    const gx_program *program;
    const gx_doc *doc;                  /* the source document */
    const gx_param *params;             /* string values for global parameters */
    int n_params;
    const gx_limits *limits;
    const gx_loader *loader;            /* for document(); NULL = document() is an error */
    const char *no_loader;              /* why there is none, for its sentence; NULL = nobody could allow it */
    const gx_parse_options *documents;  /* document(): its documents are read with this one's lenient, missing_is_empty,
                                           warning; NULL = without */
    gx_team_spec team;
    gx_profile *profile;                /* NULL = none is made */
    gx_arena *arena;
    apr_pool_t *pool;                   /* documents loaded by document() live here */
    u64 deadline_us;                    /* CLOCK_MONOTONIC, 0 = none */
    int (*is_over)(void *ctx);          /* asked with the clock, by any of the team's threads: true ends it as the
                                           deadline does, if there is one; NULL = never */
    void *is_over_ctx;
    void (*warning)(void *ctx, const gx_error *what);   /* what was recovered from (document() of a file that cannot be
                                                           read); NULL = drop */
    void *warning_ctx;
    /* out: valid until the next evaluation in the same arena */
    const void *base;                   /* the arena's start: a gx_result */
    const gx_doc **docs;                /* space GX_SPACE_DOC + k is docs[k]; docs[0] == doc */
    const u32 *doc_base;                /* node ids of docs[k] are doc_base[k] + its own */
    u32 n_docs;
    int by_team;                        /* a team of threads has had a part in it */
} gx_evaluation;
gx_status gx_evaluate(gx_evaluation *ev, gx_error *err);
/* (deadline.c) The clock that deadline_us is of, or more than any deadline when is_over says so. Is the deadline over?
 * GX_LATE: the sentence for it */
u64 gx_evaluation_now(const gx_evaluation *ev);
int gx_evaluation_is_late(const gx_evaluation *ev);
#define GX_LATE "the transformation takes longer than GPUXMLTimeout allows"
/* Parameters as a team on another device takes them (gx_packed_params, machine/start.h): names resolved, in one block
 * of at most cap bytes, 16-byte aligned. Returns its size, a multiple of 16; 0: it does not fit. */
u64 gx_params_pack(const gx_program *program, const gx_param *params, int n, void *out, u64 cap);
/* system-property(), element-available(), function-available() (func: GX_F_*) with a computed argument, a QName in the
 * namespaces of nslist: the property, or "1" for available; "" for none. Static text or in the program. */
const char *gx_runtime_property(const gx_program *program, u32 func, const char *name, u32 nslist);

/* ---- serialisation (serialize.c) ---- */

typedef struct gx_serialize_options {
    const gx_limits *limits;
    const char *encoding;               /* overrides xsl:output's; NULL = as the stylesheet says */
    gx_sink message;                    /* one call per xsl:message, text without line end; NULL = drop */
    void *message_ctx;
    /* A file beside the result (exsl:document, xsl:document of 1.1, redirect:write) is complete: n bytes. href: as the
     * stylesheet gave it, or for one within another resolved against that one's. An error ends the transformation;
     * a sentence in *err with GX_OK is a warning. NULL = drop */
    gx_status (*document)(void *ctx, const char *href, const char *bytes, size_t n, gx_error *err);
    void *document_ctx;
    /* gx_serialize_selection: the sink has all bytes of a node; NULL = nobody is told */
    void (*selected)(void *ctx);
    void *selected_ctx;
} gx_serialize_options;

/* White space of XML (1.0, 2.3) */
static inline int gx_is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
/* Bytes of the character of XML (1.0, 2.2) in UTF-8 that s, of n > 0 bytes, begins with; 0: it is none */
u32 gx_xml_char(const char *s, size_t n);
/* Can pages be written in it? Else gx_serialize takes UTF-8. */
int gx_encoding_known(const char *name);
/* static or in the program: what to declare; and by which method the page was written (GX_METHOD_*) */
typedef struct gx_media { const char *type; const char *charset; u32 method; } gx_media;

/* Writes the result as the stylesheet's xsl:output says (XSLT 1.0, 16). */
gx_status gx_serialize(const gx_evaluation *ev, const gx_serialize_options *options, gx_sink sink, void *ctx,
                       gx_media *media, gx_error *err);
/* (page.c) Can a page of this program be made from its source's bytes by a process that has nothing but these and the
 * parameters? Not with host steps, messages, an encoding other than UTF-8, or namespace nodes; nor of a selection. */
int gx_page_is_portable(const gx_program *program);
/* By which method a team writes it (output/page_team.h); 0: it does not */
u32 gx_page_method(const gx_program *program);
/* What such a page, written by that method, is to be declared as. */
void gx_page_media(const gx_program *program, u32 method, gx_media *out);
/* The result as a document for another program, which it is the source of: what xsl:output says does not matter, next's
 * rules for white space and use of namespace nodes do. Of options message and limits count. free() it. */
gx_status gx_result_as_source(const gx_evaluation *ev, const gx_serialize_options *options, const gx_program *next,
                              gx_doc **doc, gx_error *err);
/* A GX_P_XPATH program's value: kind 0 text (string-value of each node or the value, one a line), 1 xml (nodes
 * serialised; wrapped in an element `wrapper` if not NULL). */
gx_status gx_serialize_selection(const gx_evaluation *ev, const gx_serialize_options *options, int as_xml,
                                 const char *wrapper, gx_sink sink, void *ctx, gx_media *media, gx_error *err);
/* The serialiser's own code for all bodies (program.prepared): called by gx_compile when the block is being packed.
 * *out: n malloc'd bytes; NULL where there is nothing to prepare. GX_ENOMEM. */
gx_status gx_serialize_prepare(const gx_program *program, void **out, size_t *n);
/* Builds the document for result tree fragments (exsl:node-set): one tree per kid, in order; free() it. */
gx_status gx_result_to_doc(const gx_evaluation *ev, const gx_kid *kids, const gx_str *texts, u32 n, gx_doc **doc,
                           gx_error *err);

#endif
