/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sheet.c -- stylesheets and selections of the module: compiled once, counted, exchanged when their files change
 *
 *   declare (directive) --> compile (check_config, so that httpd -t sees errors) --> fork: every child has the programs
 *   use (request) --> a counted version; once a check interval one request looks at the files' stamps and compiles anew
 *
 * A sheet is a place; a version is what was compiled from its files at one time. Requests hold versions: a request that
 * runs while the sheet is exchanged ends with the version it began with. The exchange is a pointer under the sheet's
 * lock, held for some nanoseconds; compiling happens in the request that noticed, while the others go on with the old
 * version. When the new files do not compile the old version stays and the sheet is "broken": it is compiled again at
 * each check, so that a mended import is seen even if it is no part of the last good version. One error line is logged
 * for each state of the files, not one for each child (gxm_count->reported).
 *
 * What several virtual hosts name, with the same roots and catalogs, is one sheet: a thousand that <Use> one macro
 * compile it once.
 *
 * Sheets that only a request names (expressions, PIs, .htaccess) stand in a table of each child, which keeps
 * FOUND_BYTES of programs: those not used for longest of who has most go. Their files must lie under
 * GPUXMLStylesheetRoot. A stylesheet that is no file (a program's answer, the source itself) stands there under SHA-256
 * of its bytes, so what a program changes is another sheet.
 *
 * A restart with a broken stylesheet must not take the site down: the parent keeps the last good version of every
 * literal sheet for the life of the process (ap_retained_data) and goes on with it. Nor must a new child go back behind
 * its siblings, as the parent has the state of the last (re)start only, and is root: it shall not read what was edited
 * since. So what a child compiles anew it also writes into the store (store.c), and a child whose files do not compile
 * takes from there what is newer than its own.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <apr_hash.h>
#include "fetch.h"
#include "media.h"
#include "store.h"
#include "version.h"

#define MEND_US 1000000u /* GPUXMLCheckFiles off: one that does not compile yet (half-written) is looked at so often \
                          */
#define FOUND_BYTES ((u64)64 << 20)
#define MAX_FOUND 4096          /* paths: one file may have many */

/* What outlives restarts, of a path and the roots and catalogs that hold for it. Only the parent writes, and only while
 * it reads the configuration. */
typedef struct keepsake {
    gxm_version *good;          /* of the last reading of the configuration that found one */
    u32 place;                  /* its number in the store */
} keepsake;

typedef struct retained {
    apr_hash_t *by_name;        /* keepsake * */
    int store;                  /* a memfd; -1: none */
} retained;

struct gxm_sheet {
    const char *path;           /* of the stylesheet; or the expression */
    gxm_sheet *same;            /* another server's, which does for this one; NULL: none */
    const char *name;           /* for logs */
    int is_select;
    const apr_array_header_t *namespaces;       /* gx_param, of a selection */
    const apr_array_header_t *xpath_params;     /* gx_param, of a stylesheet's section; NULL: it is a found sheet */
    server_rec *server;         /* whose roots and catalogs hold; NULL for a found sheet, which has its own */
    const ap_directive_t *directive;
    const char *const *roots;   /* for the loader */
    int n_roots;
    const apr_array_header_t *catalogs;
    const char *vendor, *vendor_url;            /* NULL: ours */
    const gxm_dir *section;     /* which names it, in the configuration; of a stylesheet */
    int strict;
    pthread_mutex_t lock;       /* current, error, broken */
    pthread_mutex_t compiling;
    gxm_version *current;
    gx_error error;             /* why there is no current version, or why the files' newest state is not used */
    int broken;
    i64 check_us;
    u64 look_us;                /* atomic: when to look at the files again; 0: nobody did yet */
    keepsake *kept;             /* NULL: a selection or a found sheet */
    gxm_place place;            /* not a selection's */
    /* one that is no file (gxm_sheet_of_bytes): */
    const char *bytes;          /* NULL: it is one */
    size_t n_bytes;
    gx_parse_options source;
    const char *fragment;
    int fetches;
    void *block;                /* a found sheet's key and strings */
    unsigned refs;              /* found sheets: the table's and each running request's; under found_lock */
    u64 used_us;
};

/* One GPUXMLXPathParam: its section's, of which it is one, and where it stands */
typedef struct xpath_params {
    const apr_array_header_t *params;
    const char *name;
    server_rec *server;
    const ap_directive_t *directive;
} xpath_params;

static apr_array_header_t *declared;        /* gxm_sheet *; pconf */
static apr_array_header_t *declared_params; /* xpath_params; pconf */
static pthread_mutex_t found_lock = PTHREAD_MUTEX_INITIALIZER;
static apr_hash_t *found;                   /* path, NUL, found_by -> gxm_sheet; this child's */

/* What of a server's configuration makes another sheet of a path. Virtual hosts inherit the arrays of the main
 * server. */
typedef struct found_by {
    const apr_array_header_t *roots, *catalogs;
    const char *vendor, *vendor_url;
    i64 check_us, strict;
} found_by;

/* ---- compiling --------------------------------------------------------------------------------------------------- */

/* xsl:output's media types go into headers. */
static gx_status check_media(const gxm_sheet *sheet, const gx_program *p, apr_pool_t *pool, gx_error *err)
{
    const gx_output *o = GX_PROG_TAB(p, gx_output, output);
    for (u32 i = 0; i < p->output.n; i++) {
        const gx_lit *lit = o[i].media_type == GX_NONE ? NULL : &GX_LIT(p, o[i].media_type);
        const char *type = lit ? apr_pstrmemdup(pool, (const char *)p + lit->off, lit->len) : "", *why;
        gxm_media_type media;
        if (*type && (why = gxm_media_parse(pool, type, &media)) != NULL)
            return gx_fail(err, GX_ESTYLE, sheet->path, 0, 0, "xsl:output: media-type \"%s\" %s", type, why);
    }
    return GX_OK;
}

/* Is it the first time that this is said of this state of the file at `path`, by all children? By a hash in shared
 * memory: of two files that share a place each may be reported again, but none is silent. */
int gxm_first_to_report(const char *text, const char *path)
{
    gxm_stamp stamp;
    gxm_shaing h = { 0 };
    const gxm_sha of_path = gx_sha256_of(path, strlen(path));
    gxm_sha of_all;
    u64 key, *slot;
    memset(&stamp, 0, sizeof stamp);
    gxm_stamp_file(path, &stamp);
    gxm_sha_begin(&h);
    gxm_sha_str(&h, path);
    gxm_sha_str(&h, text);
    gxm_sha_add(&h, &stamp, sizeof stamp);
    const int good = gxm_sha_end(&h, &of_all);
    gxm_sha_free(&h);
    if (!good)
        return 1;
    key = of_all.word[0] | 1;
    slot = &gxm_count->reported[of_path.word[0] % (sizeof gxm_count->reported / sizeof *gxm_count->reported)];
    return __atomic_exchange_n(slot, key, __ATOMIC_RELAXED) != key;
}

static void catalog_warning(void *ctx, const gx_error *what)
{
    const gxm_sheet *sheet = ctx;
    char text[1200];
    gxm_error_text(what, text, sizeof text);
    if (gxm_first_to_report(text, *what->file ? what->file : sheet->path))
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, sheet->server, "GX0013: GPUXMLCatalog: passed over: %s", text);
}

#define LATE "GX0015: stylesheet: an error where it is reached: %s"
#define NOT_GOOD "GX0004: stylesheet does not compile, going on with its last good state: %s"

#define NONE_GOOD                                                                                                      \
    "GX0019: stylesheet does not compile, and there is no last good state: requests that need it fail until it is "    \
    "mended: line %d of %s: %s: %s"
#define SLIP "GX0018: stylesheet: a slip that is passed over: %s"

/* What the compiler warned of. */
typedef struct heard {
    gx_error late;              /* the first that is an error only where it is reached, GX_OK if there is none */
    apr_array_header_t *slips;  /* const char * */
} heard;

static void note_late(void *ctx, const gx_error *what)
{
    heard *h = ctx;
    if (h->late.status == GX_OK)
        h->late = *what;
}

static void note_slip(void *ctx, const gx_error *what)
{
    heard *h = ctx;
    char text[1200];
    APR_ARRAY_PUSH(h->slips, const char *) = apr_pstrdup(h->slips->pool, gxm_error_text(what, text, sizeof text));
}

static void log_heard(const heard *h, int flags, server_rec *server)
{
    char text[1200];
    if (h->late.status != GX_OK)
        ap_log_error(APLOG_MARK, flags | APLOG_WARNING, 0, server, LATE, gxm_error_text(&h->late, text, sizeof text));
    for (int i = 0; i < h->slips->nelts; i++)
        ap_log_error(APLOG_MARK, flags | APLOG_WARNING, 0, server, SLIP, APR_ARRAY_IDX(h->slips, i, const char *));
}

/* All warnings as one text, by which gxm_first_to_report tells what another child has logged. */
static const char *heard_text(const heard *h)
{
    char text[1200] = "";
    if (h->late.status != GX_OK)
        gxm_error_text(&h->late, text, sizeof text);
    return apr_pstrcat(h->slips->pool, text, apr_array_pstrcat(h->slips->pool, h->slips, '\n'), NULL);
}

/* What compiling may take; and of the sentence of a limit that it reached, which directive it is. */
static gx_status compile_within(gxm_sheet *sheet, request_rec *r, gx_compile_options *options, apr_pool_t *pool,
                                gx_program **program, gx_error *err)
{
    static __thread int is_within;              /* this is for what a stylesheet being compiled fetches from here */
    const int waits = r && !is_within;          /* at the start nobody else compiles */
    const u64 until_us = waits ? gx_now_us() + gxm_timeout_us(gxm_dir_conf(r)) : 0;
    const int place = waits ? gxm_compile_begin(gxm_conf.compile_at_once, until_us) : -1;
    if (waits && place < 0)
        return gx_fail(err, GX_EBUSY, sheet->path, 0, 0, "GPUXMLCompileLimit at-once=%u: as many stylesheets "
                       "as that are being compiled", gxm_conf.compile_at_once);
    options->memory = gxm_conf.compile_memory;
    options->time_us = gxm_conf.compile_us;
    is_within++;
    const gx_status status = sheet->is_select ? gx_compile_select(sheet->path, options, pool, program, err)
                                              : gx_compile(sheet->path, options, pool, program, err);
    is_within--;
    if (place >= 0)
        gxm_compile_end(place);
    if (strstr(err->text, "takes more than its limit") || strstr(err->text, "takes longer than its limit")) {
        const size_t n = strlen(err->text);
        apr_cpystrn(err->text + n, " (GPUXMLCompileLimit)", sizeof err->text - n);
        return err->status = GX_ESTYLE;         /* no fault of the source, and the clients need not come again */
    }
    return status;
}

/* *h: the warnings, in `parent`. An error that counts only where it is reached is one at once in the place of a version
 * that has none, it is one at once: a slip of the pen does not end a page that works. r: the request that wants it,
 * NULL at the start. */
static gxm_version *sheet_compile(gxm_sheet *sheet, request_rec *r, apr_pool_t *parent, gx_error *err, heard *h)
{
    const gxm_version *good = sheet->current ? sheet->current : sheet->kept ? sheet->kept->good : NULL;
    gx_loader loader = { .roots = sheet->roots, .n_roots = sheet->n_roots };
    gx_compile_options options;
    gx_program *program = NULL;
    gxm_version *version;
    apr_pool_t *pool;
    gx_status status;
    i64 before_ns = (i64)apr_time_now() * 1000;
    u64 made_us = gx_now_us();

    memset(err, 0, sizeof *err);
    memset(h, 0, sizeof *h);
    h->slips = apr_array_make(parent, 4, sizeof(const char *));
    memset(&options, 0, sizeof options);
    if (!good || good->program->flags & GX_P_LATE)
        options.warning = note_late;
    options.slip = note_slip;
    options.warning_ctx = h;
    options.strict = sheet->strict;
    options.loader = &loader;
    options.bytes = sheet->bytes;
    options.n_bytes = sheet->n_bytes;
    options.source = &sheet->source;
    options.fragment = sheet->fragment;
    options.vendor = sheet->vendor;
    options.vendor_url = sheet->vendor_url;
    apr_pool_create(&pool, parent);
    if (sheet->fetches && r) {
        loader.site = gxm_site(r, pool);
        loader.fetch = gxm_fetch;
        loader.fetch_ctx = r;
    }
    loader.catalog = gx_catalog_create(pool, (const char *const *)sheet->catalogs->elts, sheet->catalogs->nelts,
                                       catalog_warning, sheet);
    if (sheet->is_select) {
        options.namespaces = (const gx_param *)sheet->namespaces->elts;
        options.n_namespaces = sheet->namespaces->nelts;
        status = compile_within(sheet, r, &options, pool, &program, err);
    }
    else {
        if (sheet->xpath_params) {
            options.xpath_params = (const gx_param *)sheet->xpath_params->elts;
            options.n_xpath_params = sheet->xpath_params->nelts;
        }
        status = compile_within(sheet, r, &options, pool, &program, err);
    }
    if (status == GX_OK && !sheet->is_select && (status = check_media(sheet, program, pool, err)) != GX_OK)
        free(program);
    apr_pool_destroy(pool);
    if (status != GX_OK) {
        if (err->status == GX_EXML)     /* the stylesheet's, no document's */
            err->status = GX_ESTYLE;
        if (err->status == GX_ENOMEM && !*err->file)
            apr_cpystrn(err->file, sheet->path, sizeof err->file);
        return NULL;
    }
    version = gxm_version_create(program, before_ns, made_us);
    if (!version)
        gx_fail(err, GX_ENOMEM, sheet->path, 0, 0, "out of memory");
    return version;
}

/* Puts a new version in its place; the old one lives as long as requests hold it. */
static void sheet_exchange(gxm_sheet *sheet, gxm_version *version)
{
    gxm_version *old;
    pthread_mutex_lock(&sheet->lock);
    old = sheet->current;
    sheet->current = version;
    sheet->broken = 0;
    pthread_mutex_unlock(&sheet->lock);
    gxm_version_release(old);
}

static void sheet_init(gxm_sheet *sheet)
{
    pthread_mutex_init(&sheet->lock, NULL);
    pthread_mutex_init(&sheet->compiling, NULL);
}

/* What of its server's configuration holds for it. */
static void sheet_configure(gxm_sheet *sheet, const gxm_server *conf)
{
    sheet->roots = (const char *const *)conf->roots->elts;
    sheet->n_roots = conf->roots->nelts;
    sheet->catalogs = conf->catalogs;
    sheet->vendor = conf->vendor;
    sheet->vendor_url = conf->vendor_url;
    sheet->check_us = conf->check_us;
}

/* ---- sheets that the configuration names ------------------------------------------------------------------------- */

static apr_status_t sheet_cleanup(void *data)
{
    gxm_sheet *sheet = data;
    gxm_version_release(sheet->current);
    sheet->current = NULL;
    return APR_SUCCESS;
}

void gxm_sheets_reset(void) { declared = declared_params = NULL; }

static gxm_sheet *declare(cmd_parms *cmd, const char *path, int is_select)
{
    gxm_sheet *sheet = apr_pcalloc(cmd->pool, sizeof *sheet);
    const char *slash = is_select ? NULL : strrchr(path, '/');
    sheet->path = path;
    sheet->name = slash ? slash + 1 : path;
    sheet->is_select = is_select;
    sheet->server = cmd->server;
    sheet->directive = cmd->directive;
    sheet_init(sheet);
    apr_pool_cleanup_register(cmd->pool, sheet, sheet_cleanup, apr_pool_cleanup_null);
    if (!declared)
        declared = apr_array_make(cmd->pool, 8, sizeof(gxm_sheet *));
    APR_ARRAY_PUSH(declared, gxm_sheet *) = sheet;
    return sheet;
}

gxm_sheet *gxm_sheet_declare(cmd_parms *cmd, const char *path, const apr_array_header_t *params, const gxm_dir *section)
{
    gxm_sheet *sheet;
    for (int i = 0; declared && i < declared->nelts; i++) {
        sheet = APR_ARRAY_IDX(declared, i, gxm_sheet *);
        if (sheet->xpath_params == params && sheet->server == cmd->server && strcmp(sheet->path, path) == 0)
            return sheet;
    }
    sheet = declare(cmd, path, 0);
    sheet->xpath_params = params;
    sheet->section = section;
    return sheet;
}

gxm_sheet *gxm_select_declare(cmd_parms *cmd, const char *expression, const apr_array_header_t *namespaces)
{
    gxm_sheet *sheet = declare(cmd, expression, 1);
    sheet->namespaces = namespaces;
    return sheet;
}

const char *gxm_select_expression(const gxm_sheet *sheet, const apr_array_header_t **namespaces)
{
    *namespaces = sheet->namespaces;
    return sheet->is_select ? sheet->path : NULL;
}

void gxm_xpath_param_declare(cmd_parms *cmd, const apr_array_header_t *params)
{
    if (!declared_params)
        declared_params = apr_array_make(cmd->pool, 4, sizeof(xpath_params));
    APR_ARRAY_PUSH(declared_params, xpath_params) = (xpath_params){
        params, APR_ARRAY_IDX(params, params->nelts - 1, gx_param).name, cmd->server,
                                                                    cmd->directive };
}

/* As raw structs in memory of a process that may load another build of this module at a restart: its name tells their
 * layout. */
static retained *retained_get(void)
{
    char name[80];
    retained *r;
    apr_snprintf(name, sizeof name, "mod_gpuxml-last-good %s %d.%d.%d.%d.%d", GX_VERSION, (int)sizeof(retained),
                 (int)sizeof(keepsake), (int)sizeof(gxm_version), (int)sizeof(gx_program), (int)sizeof(gxm_stored));
    r = ap_retained_data_get(name);
    if (!r) {
        apr_pool_t *forever;
        apr_pool_create(&forever, NULL);
        r = ap_retained_data_create(name, sizeof *r);
        r->by_name = apr_hash_make(forever);
        r->store = -1;
    }
    return r;
}

/* What outlives restarts of a stylesheet: its last good program and its place in the store. Found by all that makes
 * another program of the same file: path, roots, catalogs, parameters of XPath, strictness. In the retained pool, so a
 * name that is configured no more stays there. */
static keepsake *keepsake_of(const gxm_sheet *sheet, apr_pool_t *ptemp)
{
    apr_hash_t *by_name = retained_get()->by_name;
    apr_pool_t *forever = apr_hash_pool_get(by_name);
    /* paths are absolute */
    const char *name = sheet->strict ? apr_pstrcat(ptemp, "strict ", sheet->path, NULL) : sheet->path;
    keepsake *kept;
    for (int i = 0; i < sheet->n_roots; i++)
        name = apr_pstrcat(ptemp, name, "\n", sheet->roots[i], NULL);
    for (int i = 0; i < sheet->catalogs->nelts; i++)
        name = apr_pstrcat(ptemp, name, "\n\n", APR_ARRAY_IDX(sheet->catalogs, i, const char *), NULL);
    for (int i = 0; i < sheet->xpath_params->nelts; i++) {
        const gx_param *param = &APR_ARRAY_IDX(sheet->xpath_params, i, gx_param);
        name = apr_pstrcat(ptemp, name, "\n\n\n", param->name, "\n", param->value, NULL);
    }
    kept = apr_hash_get(by_name, name, APR_HASH_KEY_STRING);
    if (!kept) {
        kept = apr_pcalloc(forever, sizeof *kept);
        kept->place = apr_hash_count(by_name);
        apr_hash_set(by_name, apr_pstrdup(forever, name), APR_HASH_KEY_STRING, kept);
    }
    return kept;
}

static void retain(keepsake *kept, gxm_version *version)
{
    gxm_version *old = kept->good;
    kept->good = gxm_version_hold(version);
    gxm_version_release(old);
}

/* Whether an earlier sheet of this reading does for this one, which compiling and every check then do once for both. */
static int is_same_as_earlier(gxm_sheet *sheet, apr_hash_t *earlier)
{
    gxm_sheet *other = apr_hash_get(earlier, &sheet->kept, sizeof sheet->kept);
    if (!other)
        apr_hash_set(earlier, &sheet->kept, sizeof sheet->kept, sheet);
    else if (other->check_us == sheet->check_us)
        sheet->same = other;
    return sheet->same != NULL;
}

/* The administrator named the file, so what it imports from beside it is as good as what lies beneath the configured
 * roots. */
static void add_own_root(gxm_sheet *sheet, apr_pool_t *p)
{
    const char **roots = apr_palloc(p, (sheet->n_roots + 1) * sizeof *roots);
    roots[0] = ap_make_dirstr_parent(p, sheet->path);
    memcpy(roots + 1, sheet->roots, sheet->n_roots * sizeof *roots);
    sheet->roots = roots;
    sheet->n_roots++;
}

/* Of the first reading of a start, when it is not known yet who serves without it. */
static void note_fault(const gxm_sheet *sheet, const gx_error *err, apr_pool_t *ptemp)
{
    static const char hint[] = " (GPUXMLNamespace declares one, in the same section)";
    const int has_hint = sheet->is_select && strstr(err->text, "prefix");
    char text[1200];
    if (!gxm_is_restart())
        gxm_start_fault(declared->pool, sheet->server, sheet->directive, sheet->section, sheet->is_select,
                        apr_pstrcat(ptemp, sheet->directive->directive, ": ", gxm_error_text(err, text, sizeof text),
                                    has_hint ? hint : "", NULL));
}

/* Compiles a stylesheet of the configuration. One with an error is a fault that keeps httpd from starting; at a
 * restart the last good program goes on, and the log says so. */
static void compile_declared(gxm_sheet *sheet, apr_pool_t *ptemp)
{
    gxm_version *good = sheet->kept ? sheet->kept->good : NULL, *version;
    gx_error err;
    heard h;
    char text[1200];

    version = sheet_compile(sheet, NULL, ptemp, &err, &h);
    if (version) {
        log_heard(&h, APLOG_STARTUP, sheet->server);
        sheet_exchange(sheet, version);
        if (sheet->kept)
            retain(sheet->kept, version);
        return;
    }
    gxm_error_text(&err, text, sizeof text);
    sheet->error = err;
    sheet->broken = 1;
    if (!gxm_is_restart())
        note_fault(sheet, &err, ptemp);
    else if (good) {
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, sheet->server, NOT_GOOD, text);
        sheet_exchange(sheet, gxm_version_hold(good));
        sheet->broken = 1;
    } else
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, sheet->server, NONE_GOOD, sheet->directive->line_num,
                     sheet->directive->filename, sheet->directive->directive, text);
}

/* post_config: all stylesheets and expressions that the configuration names, each once, however many sections have it.
 * ptemp: for this call. */
void gxm_sheets_compile(apr_pool_t *ptemp)
{
    static const char none[] =
        "GPUXMLXPathParam: it is compiled into the stylesheets that the same section names by their paths, "
        "and there is none";
    apr_hash_t *earlier = apr_hash_make(ptemp);
    for (int i = 0; declared_params && i < declared_params->nelts; i++) {
        const xpath_params *one = &APR_ARRAY_IDX(declared_params, i, xpath_params);
        int k = 0;
        while (declared && k < declared->nelts && APR_ARRAY_IDX(declared, k, gxm_sheet *)->xpath_params != one->params)
            k++;
        if (declared && k < declared->nelts)
            continue;
        if (!gxm_is_restart())
            gxm_start_fault(declared_params->pool, one->server, one->directive, NULL, 1, none);
    }
    for (int i = 0; declared && i < declared->nelts; i++) {
        gxm_sheet *sheet = APR_ARRAY_IDX(declared, i, gxm_sheet *);
        sheet_configure(sheet, gxm_server_conf(sheet->server));
        if (!sheet->is_select) {        /* its section says it, else the server */
            const gxm_dir *dir = ap_get_module_config(sheet->server->lookup_defaults, &gpuxml_module);
            sheet->strict = (sheet->section->strict == GXM_UNSET ? dir->strict : sheet->section->strict) == 1;
        }
        if (!sheet->is_select) {
            add_own_root(sheet, declared->pool);
            sheet->kept = keepsake_of(sheet, ptemp);
            sheet->place = gxm_store_place(sheet->kept->place);
            if (is_same_as_earlier(sheet, earlier)) {
                if (!sheet->same->current)
                    note_fault(sheet, &sheet->same->error, ptemp);
                continue;
            }
        }
        compile_declared(sheet, ptemp);
    }
}

/* 1: a stylesheet that gets it declares it; 0: none does; -1: one does not compile, or there is none */
static int is_xpath_param_taken(const xpath_params *one)
{
    int n = 0, n_broken = 0;
    for (int i = 0; declared && i < declared->nelts; i++) {
        const gxm_sheet *named = APR_ARRAY_IDX(declared, i, gxm_sheet *), *sheet = named->same ? named->same : named;
        if (named->xpath_params != one->params)
            continue;
        n++;
        n_broken += !sheet->current;
        if (sheet->current && gx_program_has_param(sheet->current->program, one->name))
            return 1;
    }
    return n && !n_broken ? 0 : -1;
}

void gxm_xpath_params_check(apr_pool_t *ptemp)
{
    apr_hash_t *told = apr_hash_make(ptemp); /* a macro writes the same one a thousand times */
    for (int i = 0; declared_params && i < declared_params->nelts; i++) {
        const xpath_params *one = &APR_ARRAY_IDX(declared_params, i, xpath_params);
        if (apr_hash_get(told, one->name, APR_HASH_KEY_STRING) || is_xpath_param_taken(one))
            continue;
        apr_hash_set(told, one->name, APR_HASH_KEY_STRING, one);
        ap_log_error(APLOG_MARK, APLOG_STARTUP | APLOG_WARNING, 0, one->server,
                     "GX0021: line %d of %s: GPUXMLXPathParam %s: no stylesheet of its section has a top-level "
                     "xsl:param of this name", one->directive->line_num, one->directive->filename, one->name);
    }
}

int gxm_sheets_have_param(const char *name)
{
    int n = 0, n_broken = 0;
    for (int i = 0; declared && i < declared->nelts; i++) {
        const gxm_sheet *named = APR_ARRAY_IDX(declared, i, gxm_sheet *), *sheet = named->same ? named->same : named;
        n += !sheet->is_select;
        n_broken += !sheet->current;
        if (!sheet->is_select && sheet->current && gx_program_has_param(sheet->current->program, name))
            return 1;
    }
    return n && !n_broken ? 0 : -1;
}

void gxm_sheets_dump(apr_file_t *out)
{
    for (int i = 0; declared && i < declared->nelts; i++) {
        const gxm_sheet *sheet = APR_ARRAY_IDX(declared, i, gxm_sheet *);
        const gxm_version *version = sheet->same ? sheet->same->current : sheet->current;
        const gx_program *p = version ? version->program : NULL;
        apr_file_printf(out, "  %s %s (%s:%d)", sheet->is_select ? "select" : "stylesheet", sheet->path,
                        sheet->directive->filename, sheet->directive->line_num);
        if (p)
            apr_file_printf(out, ": %u bytes, %u files, %u rules%s", (unsigned)p->size, p->files.n, p->rules.n,
                            p->flags & GX_P_HOST ? ", has host steps: CPU only" : "");
        else
            apr_file_printf(out, ": does not compile");
        apr_file_printf(out, "\n");
    }
}

/* Without a store each child has its own last good versions. */
void gxm_sheets_start(void) { gxm_store_start(&retained_get()->store); }

/* ---- sheets that a request names --------------------------------------------------------------------------------- */

void gxm_sheets_child_init(apr_pool_t *pchild)
{
    found = apr_hash_make(pchild);
}

/* Of its path, and of the roots and catalogs that hold for it. 0: no memory */
static int sha_of_name(const gxm_sheet *sheet, gxm_sha *out)
{
    gxm_shaing h = { 0 };
    gxm_sha_begin(&h);
    gxm_sha_str(&h, sheet->path);
    for (int i = 0; i < sheet->n_roots; i++)
        gxm_sha_str(&h, sheet->roots[i]);
    gxm_sha_str(&h, "");
    for (int i = 0; i < sheet->catalogs->nelts; i++)
        gxm_sha_str(&h, APR_ARRAY_IDX(sheet->catalogs, i, const char *));
    gxm_sha_str(&h, sheet->vendor ? sheet->vendor : "");
    gxm_sha_str(&h, sheet->vendor_url ? sheet->vendor_url : "");
    gxm_sha_str(&h, sheet->strict ? "strict" : "");
    const int good = gxm_sha_end(&h, out);
    gxm_sha_free(&h);
    return good;
}

static void found_free(gxm_sheet *sheet)
{
    gxm_version_release(sheet->current);
    pthread_mutex_destroy(&sheet->lock);
    pthread_mutex_destroy(&sheet->compiling);
    free(sheet->block);
    free(sheet);
}

static apr_status_t found_release(void *data)
{
    gxm_sheet *sheet = data;
    int last;
    pthread_mutex_lock(&found_lock);
    last = --sheet->refs == 0;
    pthread_mutex_unlock(&found_lock);
    if (last)
        found_free(sheet);
    return APR_SUCCESS;
}

/* What sheets with the same roots, mostly one virtual host's, have of the table; and the one of them that was not used
 * for longest. */
typedef struct share {
    u64 bytes, n;
    gxm_sheet *oldest;
    const void *key;            /* oldest's */
    apr_ssize_t key_len;
} share;

/* What each virtual host's sheets (by their roots) take of the table of found ones: share * by roots, in p; *bytes:
 * all together. With found_lock held. O(sheets). */
static apr_hash_t *found_shares(apr_pool_t *p, u64 *bytes)
{
    apr_hash_t *shares = apr_hash_make(p);
    *bytes = 0;
    for (apr_hash_index_t *i = apr_hash_first(p, found); i; i = apr_hash_next(i)) {
        gxm_sheet *sheet = apr_hash_this_val(i);
        share *own = apr_hash_get(shares, &sheet->roots, sizeof sheet->roots);
        u64 size;
        if (!own) {
            own = apr_pcalloc(p, sizeof *own);
            apr_hash_set(shares, &sheet->roots, sizeof sheet->roots, own);
        }
        pthread_mutex_lock(&sheet->lock);
        size = sheet->n_bytes + (sheet->current ? sheet->current->program->size : 0);
        pthread_mutex_unlock(&sheet->lock);
        *bytes += size;
        own->bytes += size;
        own->n++;
        if (!own->oldest || sheet->used_us < own->oldest->used_us) {
            own->oldest = sheet;
            own->key = apr_hash_this_key(i);
            own->key_len = apr_hash_this_key_len(i);
        }
    }
    return shares;
}

/* With found_lock held: makes room for one more. Who has most gives way: nobody takes the others' place with thousands
 * of his own. */
static void found_evict(apr_pool_t *parent)
{
    apr_pool_t *p;
    apr_pool_create(&p, parent);
    for (;; apr_pool_clear(p)) {
        u64 bytes;
        apr_hash_t *shares = found_shares(p, &bytes);
        share *most = NULL;
        if (bytes <= FOUND_BYTES && apr_hash_count(found) < MAX_FOUND)
            break;
        for (apr_hash_index_t *i = apr_hash_first(p, shares); i; i = apr_hash_next(i)) {
            share *own = apr_hash_this_val(i);
            if (!most || (bytes > FOUND_BYTES ? own->bytes > most->bytes : own->n > most->n))
                most = own;
        }
        apr_hash_set(found, most->key, most->key_len, NULL);
        if (--most->oldest->refs == 0)
            found_free(most->oldest);
    }
    apr_pool_destroy(p);
}

/* The file under one of the roots that value names: relative to a root, or absolute beneath one; *exists: it is there.
 * Whether a link leads out again is decided by the loader when it opens the file. */
static const char *resolve(apr_pool_t *p, const gxm_server *conf, const char *value, int *exists)
{
    const char *first = NULL;
    *exists = 0;
    for (int i = 0; i < conf->roots->nelts; i++) {
        const char *root = APR_ARRAY_IDX(conf->roots, i, const char *);
        char *path;
        struct stat st;
        if (apr_filepath_merge(&path, root, value, APR_FILEPATH_NOTABOVEROOT, p) != APR_SUCCESS)
            continue;
        if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
            *exists = 1;
            return path;
        }
        if (!first)
            first = path;
    }
    return first;
}

/* The reason, and which the roots are: whoever reads it wrote a path of his own, or did not write the configuration. */
static const char *with_roots(apr_pool_t *p, const char *reason, const gxm_server *conf)
{
    return apr_psprintf(p, "%s GPUXMLStylesheetRoot (%s)", reason, apr_array_pstrcat(p, conf->roots, ' '));
}

/* A found sheet's key: what names it, then what of the server's configuration makes another one of it. Also room for
 * its strings. */
typedef struct found_key { char *at; size_t len; } found_key;

static found_key found_key_of(request_rec *r, const void *name, size_t n)
{
    const gxm_server *conf = gxm_server_conf(r->server);
    const found_by by = { conf->roots,      conf->catalogs, conf->vendor,
                          conf->vendor_url, conf->check_us, gxm_dir_conf(r)->strict == 1 };
    found_key key = { apr_palloc(r->pool, n + sizeof by), n + sizeof by };
    memcpy(key.at, name, n);
    memcpy(key.at + n, &by, sizeof by);
    return key;
}

/* With found_lock held: a sheet for the key, with a block that begins with it and has `more` bytes behind. NULL: no
 * memory. */
static gxm_sheet *found_add(request_rec *r, found_key key, size_t more)
{
    gxm_sheet *sheet = calloc(1, sizeof *sheet);
    char *block = malloc(key.len + more);
    if (!sheet || !block) {
        free(sheet);
        free(block);
        return NULL;
    }
    memcpy(block, key.at, key.len);
    found_evict(r->pool);
    sheet->block = block;
    sheet_configure(sheet, gxm_server_conf(r->server));
    sheet->strict = gxm_dir_conf(r)->strict == 1;
    sheet->refs = 1;
    sheet_init(sheet);
    apr_hash_set(found, block, (apr_ssize_t)key.len, sheet);
    return sheet;
}

/* With found_lock held: a request has it until found_release. */
static gxm_sheet *found_take(gxm_sheet *sheet)
{
    sheet->refs++;
    sheet->used_us = gx_now_us();
    return sheet;
}

/* The sheet of a path that a request has named (an expression, .htaccess, the source), beneath the server's roots. It
 * is added to the table if the file exists; compiled when it is used. Taken until the request's pool goes. NULL: *why
 * says why not. */
gxm_sheet *gxm_sheet_find(request_rec *r, const char *value, const char **why)
{
    const gxm_server *conf = gxm_server_conf(r->server);
    const char *path;
    found_key key;
    gxm_sheet *sheet;
    int exists;

    if (!*value) {
        *why = "no stylesheet is named";
        return NULL;
    }
    path = resolve(r->pool, conf, value, &exists);
    if (!path) {
        *why = with_roots(r->pool, "outside", conf);
        return NULL;
    }
    key = found_key_of(r, path, strlen(path) + 1);
    pthread_mutex_lock(&found_lock);
    sheet = apr_hash_get(found, key.at, (apr_ssize_t)key.len);
    if (!sheet && !exists) {            /* made-up names take no place in the table; a file that has gone keeps its last
                                           good state */
        pthread_mutex_unlock(&found_lock);
        *why = with_roots(r->pool, "no such file beneath", conf);
        return NULL;
    }
    if (!sheet && (sheet = found_add(r, key, 0)) != NULL) {
        sheet->path = sheet->block;     /* the key begins with it */
        sheet->name = strrchr(sheet->path, '/') ? strrchr(sheet->path, '/') + 1 : sheet->path;
        gxm_sha name;
        if (sha_of_name(sheet, &name))
            sheet->place = gxm_store_place_by_name(&name);
    }
    if (sheet)
        found_take(sheet);
    pthread_mutex_unlock(&found_lock);
    if (sheet)
        apr_pool_cleanup_register(r->pool, sheet, found_release, apr_pool_cleanup_null);
    else
        *why = "out of memory";
    return sheet;
}

/* Of all that makes another program of the bytes, behind a NUL, with which no path begins. 0: no memory */
static int name_of_bytes(const char *bytes, size_t n, const char *const *strings, int n_strings,
                         char name[1 + sizeof(gxm_sha)])
{
    gxm_shaing h = { 0 };
    gxm_sha sha;
    gxm_sha_begin(&h);
    for (int i = 0; i < n_strings; i++)
        gxm_sha_str(&h, strings[i]);
    gxm_sha_add(&h, bytes, n);
    const int good = gxm_sha_end(&h, &sha);
    gxm_sha_free(&h);
    *name = 0;
    memcpy(name + 1, &sha, sizeof sha);
    return good;
}

/* The string's copy at *to, which moves behind it; NULL of NULL */
static const char *put_string(char **to, const char *s)
{
    char *at = *to;
    if (!s)
        return NULL;
    memcpy(at, s, strlen(s) + 1);
    *to += strlen(s) + 1;
    return at;
}

/* The sheet of n bytes that are in memory: a source that has its stylesheet in itself (fragment: the ID of the
 * element), or a fetched one. Known by a hash of the bytes and of all options that matter; the sheet has copies in one
 * block. As gxm_sheet_find() else. */
gxm_sheet *gxm_sheet_of_bytes(request_rec *r, const char *base, const char *bytes, size_t n,
                              const gx_parse_options *source, const char *fragment, int fetches, const char **why)
{
    const char *charset = source->charset ? source->charset : "", *id = fragment ? fragment : "";
    const char options[] = { (char)('0' + !!source->html_entities),
                             (char)('0' + !!source->external_ignore),
                             (char)('0' + !!source->lenient),
                             (char)('0' + !!fetches),
                             (char)('0' + !!fragment),
                             0 };
    const char *const strings[] = { base, charset, id, options };
    char name[1 + sizeof(gxm_sha)];
    gxm_sheet *sheet = NULL;
    found_key key;

    *why = "out of memory";
    if (!name_of_bytes(bytes, n, strings, 4, name))
        return NULL;
    key = found_key_of(r, name, sizeof name);
    pthread_mutex_lock(&found_lock);
    sheet = apr_hash_get(found, key.at, (apr_ssize_t)key.len);
    if (!sheet && (sheet = found_add(r, key, strlen(base) + strlen(charset) + strlen(id) + 3 + n)) != NULL) {
        char *to = (char *)sheet->block + key.len;
        sheet->path = put_string(&to, base);
        sheet->name = strrchr(sheet->path, '/') ? strrchr(sheet->path, '/') + 1 : sheet->path;
        sheet->source.charset = put_string(&to, source->charset);
        sheet->source.html_entities = source->html_entities;
        sheet->source.external_ignore = source->external_ignore;
        sheet->source.lenient = source->lenient;
        sheet->fragment = put_string(&to, fragment);
        sheet->fetches = fetches;
        sheet->bytes = memcpy(to, bytes, n);
        sheet->n_bytes = n;
    }
    if (sheet)
        found_take(sheet);
    pthread_mutex_unlock(&found_lock);
    if (sheet)
        apr_pool_cleanup_register(r->pool, sheet, found_release, apr_pool_cleanup_null);
    return sheet;
}

/* ---- use --------------------------------------------------------------------------------------------------------- */

const char *gxm_sheet_name(const gxm_sheet *sheet) { return sheet->name; }

/* Looks at the files and compiles if they have changed. Called by one thread at a time, without sheet->lock. */
static void sheet_refresh(gxm_sheet *sheet, request_rec *r)
{
    gxm_version *version, *siblings;
    gx_error err;
    heard h;
    char text[1200];
    int had_one = sheet->current != NULL;

    if (sheet->current && !sheet->broken && !gxm_version_is_stale(sheet->current))
        return;
    version = sheet_compile(sheet, r, r->pool, &err, &h);
    if (version) {
        const int was_mended = sheet->broken && (had_one || sheet->kept);
        const int is_new =
            was_mended || (had_one && !gx_sha256_is_same(&version->queued.digest, &sheet->current->queued.digest));
        const char *said = heard_text(&h);
        int first = (is_new || *said) && gxm_first_to_report(said, sheet->path);
        /* files from the future (of another machine, or before the clock was set back) settle so: nobody writes them
         * any more */
        if (had_one && gxm_version_is_same(version, sheet->current)) {
            version->since_us = sheet->current->since_us;
            version->is_settled |= version->made_us - version->since_us > GXM_RACY_NS / 1000;
        }
        if (!sheet->bytes)      /* what has no file has no other name for siblings to find it by */
            gxm_store_put(&sheet->place, version);
        sheet_exchange(sheet, version);
        if (first)
            log_heard(&h, 0, r->server);
        if (is_new) {
            GXM_COUNT(reloads, 1);
            if (first)
                ap_log_error(APLOG_MARK, APLOG_NOTICE, 0, r->server, "GX0003: stylesheet %s: new version in use",
                             sheet->path);
        }
        return;
    }
    siblings = sheet->bytes ? NULL : gxm_store_get(&sheet->place, sheet->path, had_one ? sheet->current->made_us : 0);
    if (siblings)
        sheet_exchange(sheet, siblings);
    pthread_mutex_lock(&sheet->lock);
    sheet->error = err;
    sheet->broken = 1;
    pthread_mutex_unlock(&sheet->lock);
    if (sheet->current) {   /* without one, every request that needs it says so itself */
        gxm_error_text(&err, text, sizeof text);
        if (gxm_first_to_report(text, sheet->path)) {
            GXM_COUNT(reload_errors, 1);
            ap_log_error(APLOG_MARK, APLOG_ERR, 0, r->server, NOT_GOOD, text);
        }
    }
}

/* Its files could not be read for now, and there is nothing else to use, or (GPUXMLCheckFiles off) no other time to
 * look: the next request does. */
static int is_put_off(const gxm_sheet *sheet)
{
    return sheet->broken && (sheet->error.status == GX_EBUSY || sheet->error.status == GX_ENOMEM)
        && (!sheet->current || sheet->check_us < 0);
}

/* When to look at its files again, of which what there is now has just been seen. */
static u64 next_look(const gxm_sheet *sheet)
{
    const u64 now = gx_now_us();
    if (is_put_off(sheet))
        return now;
    return sheet->check_us >= 0 ? now + (u64)sheet->check_us : sheet->current ? UINT64_MAX : now + MEND_US;
}

/* As pthread_mutex_lock, but no longer than a request may take: a stylesheet of many MB takes seconds, and all threads
 * might wait for it. */
static int lock_in_time(pthread_mutex_t *lock, const request_rec *r)
{
    const u64 until = gx_now_us() + gxm_timeout_us(gxm_dir_conf(r));
    const struct timespec t = { (time_t)(until / 1000000), (long)(until % 1000000 * 1000) };
    return pthread_mutex_clocklock(lock, CLOCK_MONOTONIC, &t);      /* somebody may set the other clock meanwhile */
}

/* The sheet's program, with a reference for the caller. If it is time, one thread looks whether files have changed and
 * compiles anew, while the others go on with the version that is there; only a child's first use waits, no longer than
 * a request may take. NULL: *err says why there is none. */
gxm_version *gxm_sheet_use(gxm_sheet *named, request_rec *r, gx_error *err)
{
    gxm_sheet *sheet = named->same ? named->same : named;
    gxm_version *version = NULL;
    u64 look = __atomic_load_n(&sheet->look_us, __ATOMIC_RELAXED);
    const int looks = !sheet->is_select && (sheet->server == NULL || sheet->check_us >= 0);
    /* This child's first use: everyone waits for the compiler. Of a found sheet there is no version yet; of another one
     * the parent's, which may be older than what the siblings have */
    const int first = look == 0;

    if (looks && gx_now_us() >= look
        && (first ? lock_in_time(&sheet->compiling, r) : pthread_mutex_trylock(&sheet->compiling)) == 0) {
        /* someone else may have looked while this thread waited */
        if (__atomic_load_n(&sheet->look_us, __ATOMIC_RELAXED) == look) {
            sheet_refresh(sheet, r);
            __atomic_store_n(&sheet->look_us, next_look(sheet), __ATOMIC_RELAXED);
        }
        pthread_mutex_unlock(&sheet->compiling);
    }
    pthread_mutex_lock(&sheet->lock);
    if (sheet->current)
        version = gxm_version_hold(sheet->current);
    else if (sheet->error.status == GX_OK)
        gx_fail(err, GX_EBUSY, sheet->path, 0, 0, "it is still being compiled");
    else
        *err = sheet->error;
    pthread_mutex_unlock(&sheet->lock);
    return version;
}
