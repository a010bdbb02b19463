/* SPDX-License-Identifier: Apache-2.0 */
/*
 * module.h -- what the files of the httpd module share
 *
 *   mod_gpuxml.c   directives, hooks, the module record
 *   request.c      the output filter: one response from source bytes to the page
 *   ours.c         is the response for us, and what does its handler see of the request?
 *   expr.c         expressions, and what a page that reads one depends on
 *   section.c      <If> sections, and what a page depends on through them
 *   origin.c       where variables of the environment come from
 *   media.c        media types: taken apart and written
 *   source.c       a response's source: from its buckets to the document
 *   stored.c       documents of document stores
 *   profiles.c     sets of profiles: loaded, exchanged when their files change
 *   profile_file.c one profile of a set's file: read, put, deleted
 *   match.c        which profiles a document matches: of responses and requests
 *   matcher.c      SetHandler gpuxml-match
 *   param.c        parameters that no stylesheet declares
 *   start.c        what may keep httpd from starting
 *   sheet.c        stylesheets: compiled once, exchanged when their files change
 *   version.c      one compiled state of a stylesheet, counted
 *   fetch.c        what document() asks this server for
 *   store.c        what children have compiled, for their siblings
 *   cache.c        documents that are served again
 *   sha.c          SHA-256
 *   evaluate.c     the evaluation, here or there
 *   cost.c         the thread or the worker?
 *   kit.c          what requests find warm: parser, arena, document buffer
 *   report.c       lines about requests in the error log
 *   worker.c       the queue and the worker process
 *   counters.c     what all children count
 *   measure.c      latencies, by stage and stylesheet, and the last hour
 *   status.c       gpuxml-status in its forms, mod_status
 *   status_page.c  its page, made by status.xsl
 */
#ifndef GXM_MODULE_H
#define GXM_MODULE_H

#include <httpd.h>
#include <http_config.h>
#include <http_core.h>
#include <http_log.h>
#include <http_protocol.h>
#include <http_request.h>
#include <ap_expr.h>
#include <util_filter.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <apr_tables.h>

#include "gx.h"
#include "cost.h"
#include "expr.h"
#include "digest.h"
#include "measure.h"
#include "queue/queue.h"
#include "sha.h"

extern module AP_MODULE_DECLARE_DATA gpuxml_module;
APLOG_USE_MODULE(gpuxml);

#define GXM_UNSET (-1)
/* A file that was written less than this before it was read may be written once more without another time to show for
 * it: some file systems' clocks are so coarse. */
#define GXM_RACY_NS ((i64)2000000000)

/* ---- stylesheets (sheet.c) --------------------------------------------------------------------------------------- */

/* what tells one state of a file from another */
typedef struct gxm_stamp { u64 ino, size; i64 mtime_ns, ctime_ns; } gxm_stamp;
typedef struct gxm_file { char *path; gxm_stamp stamp; } gxm_file;

/* One compiled state of a stylesheet or selection (version.c). Read only; lives until its last user lets go. */
typedef struct gxm_version {
    gx_program *program;
    gx_features features;
    int is_pure;                /* the result depends on program, source and parameters alone: it may have an ETag */
    gx_queue_program queued;    /* the worker's handle of it; its SHA-256 */
    int is_portable;            /* gx_page_is_portable */
    u32 n_refused;              /* sources in a row that the worker did not make pages of; atomic */
    unsigned refs;
    u64 made_us;                /* when its files were read */
    int n_files;
    gxm_file *files;            /* what it was made from */
    int is_settled;             /* their stamps are surely those of what was read (GXM_RACY_NS); else it is compiled
                                   again at the next look */
    u64 since_us;               /* made_us of the first version that was made from files with these stamps */
} gxm_version;

typedef struct gxm_sheet gxm_sheet;
struct gxm_dir;

/* A stylesheet that the configuration names; xpath_params: of gx_param, its section's, complete, as the section is,
 * when the configuration has been read. It is compiled by gxm_sheets_compile. Same server, path and parameters: same
 * sheet. */
gxm_sheet *gxm_sheet_declare(cmd_parms *cmd, const char *path, const apr_array_header_t *xpath_params,
                             const struct gxm_dir *section);
/* A GPUXMLXPathParam was added to its section's: gxm_sheets_compile sees whether a stylesheet gets it. */
void gxm_xpath_param_declare(cmd_parms *cmd, const apr_array_header_t *xpath_params);
/* Those that no stylesheet of their section declares have a line in the log, once the stylesheets are compiled. */
void gxm_xpath_params_check(apr_pool_t *ptemp);
/* A selection; namespaces: of gx_param, prefix and URI, complete when the configuration has been read. */
gxm_sheet *gxm_select_declare(cmd_parms *cmd, const char *expression, const apr_array_header_t *namespaces);
/* A selection's expression, and these. NULL: it is a stylesheet. */
const char *gxm_select_expression(const gxm_sheet *sheet, const apr_array_header_t **namespaces);
/* Forgets what the last reading of the configuration declared. */
void gxm_sheets_reset(void);
/* check_config: compiles all that was declared. What is wrong is a gxm_start_fault; in an httpd that serves it is
 * logged, and the last good version used. */
void gxm_sheets_compile(apr_pool_t *ptemp);
/* Does a stylesheet that the configuration names declare this parameter? -1: there is none, or one that does not
 * compile. */
int gxm_sheets_have_param(const char *name);
/* -t -D DUMP_GPUXML */
void gxm_sheets_dump(apr_file_t *out);
/* post_config: the children are going to have the last good versions in common. */
void gxm_sheets_start(void);
void gxm_sheets_child_init(apr_pool_t *pchild);

/* The sheet that `value` (from an expression, a PI, .htaccess) names under the server's root; NULL and *why. */
gxm_sheet *gxm_sheet_find(request_rec *r, const char *value, const char **why);
/* The stylesheet of this request that is n bytes in memory: what this server answered (gxm_fetch), or the source
 * itself. Programs are found by these bytes. base: what its references are relative to, a URI or a path; source: how
 * the bytes are read; fragment: as gx_compile_options'; fetches: imports may ask this server, too. NULL and *why. */
gxm_sheet *gxm_sheet_of_bytes(request_rec *r, const char *base, const char *bytes, size_t n,
                              const gx_parse_options *source, const char *fragment, int fetches, const char **why);
/* The version to use now, counted; looks for changed files at most once a check interval. NULL: *err says why. */
gxm_version *gxm_sheet_use(gxm_sheet *sheet, request_rec *r, gx_error *err);
void gxm_version_release(gxm_version *version);
const char *gxm_sheet_name(const gxm_sheet *sheet);     /* base name, or the expression */

/* ---- configuration ----------------------------------------------------------------------------------------------- */

enum { GXM_PI_OFF = 0, GXM_PI_FALLBACK, GXM_PI_PREFER };
enum { GXM_DOC_NONE = 0, GXM_DOC_FILE, GXM_DOC_SUBREQUEST };
enum { GXM_PRIVATE_AUTO = 0, GXM_PRIVATE_ON, GXM_PRIVATE_OFF };
enum { GXM_START_REFUSE = 0, GXM_START_SERVE };
enum { GXM_MATCH_OFF = 0, GXM_MATCH_ON, GXM_MATCH_EARLY };      /* GPUXMLMatchRequests */
enum { GXM_LM_OFF = 0, GXM_LM_SOURCE, GXM_LM_NEWEST };
#define GXM_MAX_SHEETS 8        /* one after the other */
enum { GXM_CLASS_SOURCE = 0, GXM_CLASS_SHEET, GXM_CLASS_BUSY, GXM_CLASS_TIME, GXM_N_CLASSES };
#define GXM_PASS 1              /* in on_error, beside HTTP statuses */

/* A stylesheet as a directive names it, by one of the three */
typedef struct gxm_named {
    gxm_sheet *sheet;           /* compiled with the configuration */
    const char *value;          /* from .htaccess: found per request */
    gxm_expr *expr;             /* %{...} */
} gxm_named;
typedef struct gxm_by_root {    /* GPUXMLStylesheetFor */
    const char *uri, *local;    /* of the document element */
    const apr_array_header_t *sheets;   /* gxm_named */
} gxm_by_root;

typedef struct gxm_param_conf {
    const char *name, *text;
    gxm_expr *expr;             /* NULL: text as it is */
    const char *where;          /* the directive stands */
    const int *is_settled; /* param.c's: whether a stylesheet declares it need not be looked at; NULL: of .htaccess */
} gxm_param_conf;

typedef struct gxm_dir {
    apr_array_header_t *sheets; /* gxm_named: each makes the source of the next; or GPUXMLSelect's one; NULL: none */
    apr_array_header_t *by_root;        /* gxm_by_root: the first that fits comes before sheets; NULL: none */
    const apr_array_header_t **last_by_root;    /* whose sheets the last document got; of all requests, atomic. It may
                                                   be anything: only to be compared */
    int is_select, select_xml;
    const char *select_wrapper;
    apr_array_header_t *namespaces;     /* gx_param: prefix, URI; of this section alone */
    apr_array_header_t *xpath_params;   /* gx_param; of this section alone */
    apr_array_header_t *params;         /* gxm_param_conf */
    apr_array_header_t *types;          /* const char * */
    gxm_expr *when;
    gx_limits limits;           /* 0 = unset */
    gx_limits lower;            /* from .htaccess: 0 = unset, else an upper bound for what holds outside */
    gx_limits wanted;           /* what the .htaccess files wrote, inner ones first; 0 = nothing */
    const char *htaccess;       /* the last that wrote a limit or time; NULL: none did */
    i64 timeout_us, timeout_lower_us, timeout_wanted_us;
    int on_error[GXM_N_CLASSES];        /* 0 = default */
    int pi, pi_fetches, is_private, etag, last_modified, debug, external_ignore, external_files, html_entities, lenient,
        strict, no_doctype, documents;
    int xinclude, start, keeps_results;
    int matches_requests;       /* GXM_MATCH_OFF ... */
    struct gxm_profiles *profiles;      /* GPUXMLProfiles; NULL: none */
    const char *profiles_root;  /* what lies beneath may be changed by requests; NULL: nothing may */
    const char *profiles_at;    /* the section's path: below it a URL names a profile */
    const char *out_type, *out_charset;
} gxm_dir;

typedef struct gxm_server {
    apr_array_header_t *roots;  /* const char *: directories, absolute */
    apr_array_header_t *catalogs;       /* const char *: paths of XML catalogs */
    apr_array_header_t *stores;         /* gxm_document_store *: GPUXMLStore */
    const char *vendor, *vendor_url;    /* system-property('xsl:vendor'), ('xsl:vendor-url'); NULL: ours */
    i64 check_us;               /* -1: never */
    int check_set;
} gxm_server;

enum { GXM_ENGINE_AUTO = 0, GXM_ENGINE_GPU, GXM_ENGINE_CPU, GXM_ENGINE_WORKER, GXM_ENGINE_OFF };
typedef struct gxm_global {
    int engine;
    int queue_slots;            /* 0 = by the MPM */
    u64 shared_bytes;
    u64 cache_bytes;            /* of documents kept, each process; 0 = none */
    int cache_files;            /* only of files */
    int restart_n, restart_s, backoff_s;
    int batch;                  /* 0 = default */
    const char *devices;        /* with commas; NULL = all */
    u32 worker_uid, worker_gid; /* 0 = as httpd's children */
    u64 compile_memory, compile_us;     /* of one stylesheet; 0 = no limit */
    u32 compile_at_once;        /* stylesheets that requests name, in all children */
    int worker_is_free;         /* GPUXMLWorkerSandbox off */
    int names_by_request;       /* a directive lets documents or requests name stylesheets: only the roots say where
                                   these are */
} gxm_global;
extern gxm_global gxm_conf;
extern const char *const gxm_engine_names[];

const gxm_dir *gxm_dir_conf(const request_rec *r);
const gxm_server *gxm_server_conf(const server_rec *s);
/* The fields of gx_limits, wider ones first: one list for merging and lowering. */
#define GXM_EACH_LIMIT(DO) \
    DO(input) \
    DO(output) DO(text) DO(steps) DO(arena) DO(depth) DO(nodes) DO(attributes) DO(name) DO(amplification) \
        DO(recursion)
/* Lowers each limit to the bound's, where that has one. */
void gxm_limits_lower(gx_limits *limits, const gx_limits *bound);
/* GPUXMLLimit and GPUXMLTimeout: what the server's configuration says, less where an .htaccess wants less. */
void gxm_limits_effective(const gxm_dir *dir, gx_limits *out);
/* Logs once which limits and times an .htaccess file wanted higher than they may be. */
void gxm_limits_report(request_rec *r, const gxm_dir *dir);
u64 gxm_timeout_us(const gxm_dir *dir);

/* ---- the start (start.c) ---- */

void gxm_start_reset(void);
/* The configuration is read by an httpd that serves, or is about to: faults do not take it down, so they are for the
 * log. */
int gxm_is_restart(void);
/* A fault that keeps httpd from starting, unless section (NULL: the server) says GPUXMLOnError start=serve. is_syntax:
 * it is the configuration's own, in no file that may change. */
void gxm_start_fault(apr_pool_t *pconf, server_rec *s, const ap_directive_t *at, const gxm_dir *section, int is_syntax,
                     const char *sentence);
/* check_config: logs the faults; returns OK, or of httpd -t an error. */
int gxm_start_check(server_rec *main, apr_pool_t *ptemp);
/* post_config: OK, or an error at the first reading of a start. */
int gxm_start_verdict(apr_pool_t *ptemp);

/* ---- parameters (param.c) ---- */

void gxm_params_reset(void);
/* A GPUXMLParam of the configuration; the result is for gxm_param_conf. */
int *gxm_param_declare(cmd_parms *cmd, const char *name);
/* When all stylesheets have been compiled: warns of those that none declares. */
void gxm_params_check(apr_pool_t *ptemp);
/* The request's page is made by these n programs, whose names are for the log. */
void gxm_params_used(request_rec *r, const gxm_dir *conf, const gx_program *const *programs, int n, const char *names);

/* ---- what is kept warm (kit.c) ----------------------------------------------------------------------------------- */

typedef struct gxm_kit {
    gx_parser *parser;
    gx_arena *arena;
    u64 arena_bytes;            /* its cap */
    char *block;                /* where the parser puts the finished document */
    u64 block_size;
    gx_lanes source;            /* the digest of a source, while its bytes come */
    gxm_shaing text;            /* for all others */
    /* kit.c's */
    u64 kept_bytes;
    u64 touched_bytes;          /* of the arena, when they were last counted */
    u32 core;                   /* that gave it back */
    int is_listed;              /* nobody has it */
    struct gxm_kit *newer, *older;
} gxm_kit;

/* The kit that this core used last, the one that was last given back, or a new one. NULL: no memory. */
gxm_kit *gxm_kit_take(void);
/* eval_us: of the evaluation in its arena; a long one may have touched much of that. */
void gxm_kit_give(gxm_kit *kit, u64 eval_us);
/* Another arena in place of the kit's; GX_ENOMEM: it has none now. */
gx_status gxm_kit_arena(gxm_kit *kit, u64 bytes, gx_error *err);
/* The document is in the block, and the parser has been asked all: what it holds of a large one (source and columns,
 * more than kits keep) goes before the page is made. */
void gxm_kit_read(gxm_kit *kit, const gx_doc *doc);
/* gx_parse_options.alloc; ctx is the kit */
void *gxm_kit_block(void *kit, u64 size);

/* ---- counters (counters.c) --------------------------------------------------------------------------------------- */

#define GXM_LINES 64            /* different ones in a second */
typedef struct gxm_line {       /* of the error log (report.c) */
    u64 key, at_us;             /* when it was last written */
    u64 more;                   /* how often it was not written since */
    int level;
    char text[240];
} gxm_line;

typedef struct gxm_child {      /* what a child has: it goes when the child does */
    u32 pid;                    /* 0: the place is free */
    u64 cache_bytes;            /* of documents kept */
} __attribute__((aligned(64))) gxm_child;

#define GXM_COMPILES 64         /* stylesheets that are compiled at once, at most */

typedef struct gxm_counters {   /* in memory that all children share */
    u32 compiling[GXM_COMPILES];        /* the process that compiles in this place, 0: nobody does */
    u64 done, not_modified, bypass, error[GXM_N_CLASSES], passed;
    u64 in_bytes, out_bytes, nodes;
    u64 parse_us, queue_us, eval_us, out_us;
    u64 reloads, reload_errors;
    u64 profiles, profiles_bad, profiles_bytes;         /* GPUXMLProfiles, in use; left out; memory */
    u64 profile_reloads, match_documents, match_matches, match_errors, match_us, match_by_device, match_fallbacks;
    u64 cache_hits, cache_misses;
    u64 result_hits, result_misses, result_failures;
    u64 by_worker, by_cpu, worker_fallbacks, worker_starts, worker_deaths;
    u64 by_bytes, bytes_refused;        /* pages that the worker made of a source's bytes; sources that it handed back
                                           */
    u64 reported[64];           /* digests of reload errors that some child has logged: one line a change, not one a
                                   child */
    u64 told[256];              /* gxm_report_once: digests of lines, a hash table; 0: a free place */
    u64 more_lines;             /* not written, and of no place in the table */
    gxm_line lines[GXM_LINES];
    gxm_child child[GXM_CHILDREN];
    u64 started_us, restarts;   /* since 1970; of httpd, which did not lose the counters */
    gxm_measure measure;
} gxm_counters;
extern gxm_counters *gxm_count;             /* never NULL */
#define GXM_COUNT(field, n) __atomic_fetch_add(&gxm_count->field, (n), __ATOMIC_RELAXED)
#define GXM_TOLD(field) __atomic_load_n(&gxm_count->field, __ATOMIC_RELAXED)
/* A size in bytes, of a directive, from least (not 0) to most; 0: text is none, or another. */
static inline u64 gxm_size(const char *text, u64 least, u64 most)
{
    u64 n;
    return gx_size_parse(text, most, &n) == 1 && n >= least ? n : 0;
}

/* post_config: the mapping that the process has, or a new one. Without memory for it nothing is counted. */
void gxm_counters_start(const server_rec *s);
u64 gxm_cache_bytes(void);                  /* of documents kept, all children's */
extern u32 gxm_child_place;                 /* this process's in gxm_count->child */
void gxm_child_begin(void);
/* A place among those of which n may compile at once, waited for until then; -1: there was none. */
int gxm_compile_begin(u32 n, u64 until_us);
void gxm_compile_end(int place);
u32 gxm_child_ended(int pid);               /* in the parent: the place that it had, which is free now; GXM_CHILDREN:
                                               none */
int gxm_status_handler(request_rec *r);
void gxm_status_register(void);

/* ---- the error log (report.c) ------------------------------------------------------------------------------------ */

/* Logs line and where, unless the same line was logged less than a second ago. line: a tag and what happened, without
 * what differs from request to request, and an open bracket; where: the request, and the bracket's end. */
void gxm_report(request_rec *r, int level, const char *line, const char *where);
/* As gx_error_format; where the engine says that directories are not allowed, with the directive that allows them. */
char *gxm_error_text(const gx_error *err, char *buf, size_t size);
/* Logs line, which has nothing in it that differs from request to request, once until httpd is restarted. There is room
 * for some 200 such lines. */
void gxm_report_once(request_rec *r, int level, const char *line);
/* 1 for the first child that sees this state of things: text is about the file at path. */
int gxm_first_to_report(const char *text, const char *path);
void gxm_report_rest(const server_rec *s);  /* hook monitor: counts of what was not logged */

/* ---- the filter (request.c) -------------------------------------------------------------------------------------- */

void gxm_filter_register(void);
void gxm_filter_insert(request_rec *r);     /* hook insert_filter */
void gxm_error_headers(request_rec *r);     /* hook insert_error_filter */
int gxm_hold_conditions(request_rec *r);    /* hook handler, before all but mod_cache's (ours.c) */
int gxm_redirected(request_rec *r);         /* hook post_read_request */

#endif
