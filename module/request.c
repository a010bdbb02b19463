/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.c -- the output filter: one response, from the source's bytes to the page
 *
 *   hold         before the handler runs: what of the client's headers is about the page is hidden from it (ours.c)
 *   begin        first brigade: is this response for us (ours.c)? If not: say why, step aside; the conditions are about
 *                the source then
 *   collect      every brigade: its bytes are the source's (source.c); nothing is sent yet
 *   finish       EOS: choose the stylesheets, answer conditions, evaluate one after the other, serialise what the last
 *                one makes, send
 *   fail         at any time until then: an error bucket and EOS, so that static files, CGI and proxied responses all
 *                end in
 *                the status and its ErrorDocument; never an HTTP code as the filter's return value (CGI and proxy would
 *                send an empty reply), never a part of a page
 *
 * Until the page is complete nothing goes downstream, metadata neither: a proxy's early FLUSH would send headers.
 */
#include "module.h"
#include "evaluate.h"
#include "fetch.h"
#include "match.h"
#include "media.h"
#include "ours.h"
#include "results.h"
#include "section.h"
#include "source.h"
#include "files/uri.h"
#include "machine/text.h"
#include <apr_date.h>
#include <http_connection.h>
#include "machine/result.h"
#include "stored.h"

enum {
    STAGE_NEW = 0,              /* nothing has come yet */
    STAGE_COLLECT,              /* the source is coming: no answer was sent */
    STAGE_PASS,                 /* what comes goes out as it is */
    STAGE_DONE,                 /* page or error were sent: more is an error of who sends it */
    STAGE_DROP                  /* 304 was sent: what the handler still has to say is dropped */
};

/* A stylesheet (or the selection) of this request; version NULL: not known yet, or let go */
typedef struct step { gxm_sheet *sheet; gxm_version *version; } step;

typedef struct filter_ctx {
    ap_filter_t *f;
    request_rec *r;
    const gxm_dir *conf;
    int stage;
    int is_made;                /* gxm_is_made() before the handler ran: one that takes a file for its own gets the name
                                   of the file's type later */
    step *steps;                /* each is the source of the next. Chosen at begin; where the document has a say, at EOS
                                   */
    int n_steps, at;            /* at: the one that is under way, which errors and messages are about */
    gxm_version *guess;         /* whose rules the source is parsed by before it has its say; NULL: none */
    gxm_source source;
    gx_param *params;
    int n_params;
    u64 declared;               /* the source's Content-Length, 0 = not known */
    u64 out_bytes, parse_us, find_us, queue_us, eval_us, out_us;
    u64 own_us;                 /* of eval_us, by this thread: it used its own arena */
    u32 nodes;
    u32 n_messages;             /* of xsl:message */
    int is_warned;              /* something was recovered from */
    int is_found;               /* the page, in the result cache */
    int by_worker;              /* of the last evaluation; -1: there was none */
    u64 arena_bytes;            /* the most that a step's result took */
    gxm_try way;                /* how a source that waited became a page */
    int is_ours;                /* .. and that this thread was to do all of it */
    const char *why;            /* .. and why */
    int reason, is_worker_chosen;       /* why an engine was chosen (gxm_request_facts) */
} filter_ctx;

static ap_filter_rec_t *xslt_filter, *xpath_filter;

/* GPUXMLSelect, not a stylesheet. Not by the filter's name, of which SetOutputFilter may have the wrong one: the source
 * would get out. */
static int is_select(const gxm_dir *conf) { return conf->is_select; }

/* ---- what the log and the access log are told -------------------------------------------------------------------- */

static void tell(request_rec *r, const char *name, const char *value)
{
    apr_table_setn(r->subprocess_env, name, value);
    apr_table_setn(r->notes, name, value);
}

typedef struct figure { const char *name; u64 value; } figure;

/* Has the table one of the names? An internal redirect, or a configuration, may have put it there. */
static int is_told(const apr_table_t *table, const figure *figures, int n)
{
    enum { PREFIX = sizeof "GPUXML_" - 1 };
    const apr_array_header_t *told = apr_table_elts(table);
    for (int i = 0; i < told->nelts; i++) {
        const char *key = APR_ARRAY_IDX(told, i, apr_table_entry_t).key;
        if ((*key | 32) != 'g' || strncasecmp(key, "GPUXML_", PREFIX) != 0)
            continue;
        for (int k = 0; k < n; k++)
            if ((key[PREFIX] | 32) == (figures[k].name[PREFIX] | 32) && strcasecmp(key, figures[k].name) == 0)
                return 1;
    }
    return 0;
}

/* apr_table_setn looks through all names that begin alike, which is most of what seven figures cost: 3 us. */
static void tell_numbers(request_rec *r, const figure *figures, int n)
{
    apr_table_t *const tables[] = { r->subprocess_env, r->notes };
    const int told[] = { is_told(tables[0], figures, n), is_told(tables[1], figures, n) };
    for (int i = 0; i < n; i++) {
        const char *text = apr_off_t_toa(r->pool, (apr_off_t)figures[i].value);
        for (int t = 0; t < 2; t++)
            (told[t] ? apr_table_setn : apr_table_addn)(tables[t], figures[i].name, text);
    }
}

/* How it ended, for the access log; code: of that state, see docs/reference/directives.md. */
static void tell_state(request_rec *r, const char *state, const char *code)
{
    tell(r, "GPUXML_STATE", state);
    tell(r, "GPUXML_CODE", code);
}

/* What may stand in a header: sentences have names and values of documents in them. */
static const char *header_text(apr_pool_t *p, const char *text)
{
    char *out = apr_pstrmemdup(p, text, strnlen(text, 600));
    for (char *c = out; *c; c++)
        if (*c < 0x20 || *c > 0x7e)
            *c = '?';
    return out;
}

/* GPUXMLDebug headers: what came of the request, in a sentence, too */
static const char *why_header(request_rec *r, const char *state, const char *code, const char *sentence)
{
    const char *auto_chose = apr_table_get(r->subprocess_env, "GPUXML_WHY");
    return header_text(r->pool,
                       apr_pstrcat(r->pool, state, "; ", code, auto_chose ? "; " : "", auto_chose ? auto_chose : "",
                                   *sentence ? "; " : "", sentence, NULL));
}

static const char *timing(apr_pool_t *p, const char *before, const char *name, u64 us, const char *more)
{
    return apr_psprintf(p, "%s%s%s;dur=%.3f%s", before ? before : "", before ? ", " : "", name, (double)us / 1e3, more);
}

/* GPUXMLDebug headers: the same, for who looks at the answer. Server-Timing has only what was done: of a 304 the
 * parsing, of a response that goes out as it came mostly nothing. */
static void tell_client(const filter_ctx *ctx, const char *sentence)
{
    request_rec *r = ctx->r;
    const char *state = apr_table_get(r->subprocess_env, "GPUXML_STATE"),
               *code = apr_table_get(r->subprocess_env, "GPUXML_CODE");
    const char *engine = apr_table_get(r->subprocess_env, "GPUXML_ENGINE"), *times = NULL;
    if (ctx->conf->debug != 1 || r->main || !state || !code)
        return;
    gxm_state_of(r)->why = why_header(r, state, code, sentence);       /* 412 has the headers of errors */
    apr_table_setn(r->headers_out, "X-GPUXML-Why", gxm_state_of(r)->why);
    if (ctx->source.in_bytes)
        times = timing(r->pool, times, "parse", ctx->parse_us, "");
    if (ctx->find_us)
        times = timing(r->pool, times, "kept", ctx->find_us, "");
    if (ctx->by_worker >= 0) {
        times = timing(r->pool, times, "queue", ctx->queue_us, "");
        times = timing(r->pool, times, "eval", ctx->eval_us,
                       apr_psprintf(r->pool, ";desc=\"%s\"", engine ? engine : "none"));
        times = timing(r->pool, times, "out", ctx->out_us, "");
    }
    if (times)
        apr_table_mergen(r->headers_out, "Server-Timing", times);
}

/* did: GXM_DID_*. The total is what this module added: waiting for the source is not in it. */
static void measure(const filter_ctx *ctx, const char *names, int did)
{
    gxm_request_facts f;
    f.sheet = names ? names : "none";
    f.why = apr_table_get(ctx->r->subprocess_env, "GPUXML_WHY");
    f.did = did;
    f.by_worker = ctx->by_worker;
    f.reason = ctx->reason;
    f.is_worker_chosen = ctx->is_worker_chosen;
    f.us[GXM_AT_PARSE] = ctx->parse_us;
    f.us[GXM_AT_WAIT] = ctx->queue_us;
    f.us[GXM_AT_EVALUATE] = ctx->eval_us;
    f.us[GXM_AT_WRITE] = ctx->out_us;
    f.us[GXM_AT_TOTAL] = ctx->parse_us + ctx->find_us + ctx->queue_us + ctx->eval_us + ctx->out_us;
    f.in_bytes = ctx->source.in_bytes;
    f.out_bytes = ctx->out_bytes;
    f.arena_bytes = ctx->arena_bytes;
    gxm_measure_add(&gxm_count->measure, &f);
}

static const char *step_names(const filter_ctx *ctx)
{
    const char *names = NULL;
    for (int i = 0; i < ctx->n_steps; i++)
        names =
            apr_pstrcat(ctx->r->pool, names ? names : "", names ? " " : "", gxm_sheet_name(ctx->steps[i].sheet), NULL);
    return names;
}

/* What a request took, for the access log (GPUXML_... in the environment), the counters and the histograms. did:
 * GXM_DID_... */
static void tell_figures(filter_ctx *ctx, int did)
{
    request_rec *r = ctx->r;
    const char *names = step_names(ctx);
    if (names)
        tell(r, "GPUXML_STYLESHEET", names);
    if (ctx->by_worker < 0)     /* else mod_headers writes "(null)" for it */
        tell(r, "GPUXML_ENGINE", "-");
    const figure figures[] = {
        { "GPUXML_IN", ctx->source.in_bytes }, { "GPUXML_OUT", ctx->out_bytes },
        { "GPUXML_NODES", ctx->nodes },        { "GPUXML_PARSE_US", ctx->parse_us },
        { "GPUXML_QUEUE_US", ctx->queue_us },  { "GPUXML_EVAL_US", ctx->eval_us },
        { "GPUXML_OUT_US", ctx->out_us },
    };
    tell_numbers(r, figures, sizeof figures / sizeof *figures);
    GXM_COUNT(in_bytes, ctx->source.in_bytes);
    GXM_COUNT(out_bytes, ctx->out_bytes);
    GXM_COUNT(nodes, ctx->nodes);
    GXM_COUNT(parse_us, ctx->parse_us);
    GXM_COUNT(queue_us, ctx->queue_us);
    GXM_COUNT(eval_us, ctx->eval_us);
    GXM_COUNT(out_us, ctx->out_us);
    measure(ctx, names, did);
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* Every way a request can fail: its number in the log, whose fault it is, and the words for it. Numbers are never used
 * twice. */
typedef struct failure { int tag; int cls; const char *words; } failure;
static const failure upstream_failed = { 100, GXM_CLASS_SOURCE, "source ended with an error" };
static const failure source_empty = { 101, GXM_CLASS_SOURCE, "source is empty" };
static const failure source_late = { 102, GXM_CLASS_TIME, "source took too long" };
static const failure source_coding = { 103, GXM_CLASS_SOURCE, "source cannot be decoded" };
static const failure sheet_unusable = { 104, GXM_CLASS_SHEET, "no usable stylesheet" };
static const failure bad_value = { 105, GXM_CLASS_SHEET, "expression failed" };
static const failure bad_media = { 106, GXM_CLASS_SHEET,
                                   "media type or charset of the stylesheet cannot stand in a header" };
static const failure source_includes = { 121, GXM_CLASS_SOURCE, "source cannot be completed by XInclude" };
static const failure source_part = { 120, GXM_CLASS_SOURCE, "source is a part of a document" };
static const failure busy = { 119, GXM_CLASS_BUSY, "no capacity" };

/* The failure that an engine's error is, by its status and by whether the source was read or the page made: malformed
 * XML in a document that the stylesheet asked for is not the source's fault. */
static const failure *failure_of(const gx_error *err, int in_source)
{
    static const failure malformed = { 107, GXM_CLASS_SOURCE, "source not well-formed" };
    static const failure source_limit = { 108, GXM_CLASS_SOURCE, "limit reached in the source" };
    static const failure doctype = { 118, GXM_CLASS_SOURCE, "source refused (GPUXMLDTD deny)" };
    static const failure style = { 110, GXM_CLASS_SHEET, "stylesheet has an error" };
    static const failure dynamic = { 111, GXM_CLASS_SHEET, "error while transforming" };
    static const failure terminated = { 112, GXM_CLASS_SHEET, "stylesheet ended the transformation" };
    static const failure limit = { 113, GXM_CLASS_SHEET, "limit reached while transforming" };
    static const failure late = { 114, GXM_CLASS_TIME, "time is up" };
    static const failure memory = { 115, GXM_CLASS_BUSY, "out of memory" };
    static const failure file = { 116, GXM_CLASS_SHEET, "file cannot be read" };
    static const failure internal = { 117, GXM_CLASS_SHEET, "internal error" };
    switch (err->status) {
    case GX_EXML:
        return in_source ? &malformed : &dynamic;
    case GX_ELIMIT:
        return in_source ? &source_limit : &limit;
    case GX_EDOCTYPE:
        return &doctype;
    case GX_ESTYLE:
        return &style;
    case GX_EDYNAMIC:
        return &dynamic;
    case GX_ETERMINATE:
        return &terminated;
    case GX_EARENA:
        return &limit;
    case GX_ETIME:
        return &late;
    case GX_EBUSY:
        return &busy;
    case GX_ENOMEM:
        return &memory;
    case GX_EIO:
        return in_source ? &upstream_failed : &file;
    default:
        return &internal;
    }
}

/* The one place where a failure becomes an HTTP status, or GXM_PASS, where there is a source to pass. */
static int http_status(const filter_ctx *ctx, const failure *why)
{
    static const int defaults[GXM_N_CLASSES] = { HTTP_BAD_GATEWAY, HTTP_INTERNAL_SERVER_ERROR, HTTP_SERVICE_UNAVAILABLE,
                                                 HTTP_GATEWAY_TIME_OUT };
    int status = ctx->conf->on_error[why->cls];
    return status && (status != GXM_PASS || (ctx->source.is_kept && why != &source_late)) ? status : defaults[why->cls];
}

static const char *sheet_name(const filter_ctx *ctx)
{
    return ctx->n_steps ? gxm_sheet_name(ctx->steps[ctx->at].sheet) : "none";
}

/* The program that makes the page; NULL: not known yet */
static const gx_program *last_program(const filter_ctx *ctx)
{
    return ctx->n_steps && ctx->steps[ctx->n_steps - 1].version ? ctx->steps[ctx->n_steps - 1].version->program : NULL;
}

/* The path that the client asked for, whatever the server (RewriteRule, an include) has made of it since; NULL:
 * none. */
static const char *asked_path(const request_rec *r)
{
    while (r->prev || r->main)
        r = r->prev ? r->prev : r->main;
    return r->parsed_uri.path;
}

/* The request's URI, and what the client asked for if that is another one: where all pages are /index.php, or parts of
 * another, the first alone does not say which failed. */
static void say_where(const request_rec *r, char *text, size_t size)
{
    const char *asked = asked_path(r);
    const int same = !asked || strcmp(asked, r->uri) == 0;
    apr_snprintf(text, size, ", uri %.256s%s%.256s", r->uri, same ? "" : " for ", same ? "" : asked);
}

/* gx_evaluation.warning: what the stylesheet recovered from. */
static void warn(void *data, const gx_error *what)
{
    filter_ctx *ctx = data;
    ctx->is_warned = 1;
    char text[1200], line[1400], where[600];     /* a stylesheet may recover very often: nothing of the request's pool
                                                    */
    apr_snprintf(line, sizeof line, "GX0154: recovered from: %s [sheet %s", gxm_error_text(what, text, sizeof text),
                 sheet_name(ctx));
    say_where(ctx->r, where, sizeof where - 1);
    gxm_report(ctx->r, APLOG_WARNING, line, strcat(where, "]"));
}

/* gx_parse_options.warning: what the source, or a document that it or the stylesheet asks for, does that it should
 * not */
static void warn_of_source(void *data, const gx_error *what)
{
    const filter_ctx *ctx = data;
    char text[1200], line[1400], where[600];
    apr_snprintf(line, sizeof line, "GX0156: source accepted: %s [class source",
                 gxm_error_text(what, text, sizeof text));
    say_where(ctx->r, where, sizeof where - 1);
    gxm_report(ctx->r, APLOG_WARNING, line, strcat(where, "]"));
}

static void let_go(filter_ctx *ctx)
{
    gxm_try_end(&ctx->way);
    gxm_source_done(&ctx->source, ctx->own_us);
    for (int i = 0; i < ctx->n_steps; i++) {
        gxm_version_release(ctx->steps[i].version);
        ctx->steps[i].version = NULL;
    }
    gxm_version_release(ctx->guess);
    ctx->guess = NULL;
}

static apr_status_t ctx_cleanup(void *data)
{
    let_go(data);
    return APR_SUCCESS;
}

/* httpd's header filter empties the header tables of a response that ends in an error bucket: what the error page is to
 * have is set after that. */
static void put_error_headers(request_rec *of, request_rec *page)
{
    const gxm_state *state = gxm_state_if_any(of);
    if (state && state->vary)       /* 404 and 410 are kept by caches, too */
        apr_table_mergen(page->err_headers_out, "Vary", state->vary);
    if (state && gxm_is_private(of, gxm_dir_conf(of)))
        apr_table_mergen(page->err_headers_out, "Cache-Control", "private");
    if (state && state->is_busy)
        apr_table_setn(page->err_headers_out, "Retry-After", "1");
    if (state && state->why)
        apr_table_setn(page->err_headers_out, "X-GPUXML-Why", state->why);
}

/* mod_charset_lite takes every text for one in the site's charset for files. The page is in the one that its type says,
 * and an error's page has filters of its own: mod_charset_lite would log that it met one. */
static void keep_charset(const filter_ctx *ctx)
{
    ap_filter_t *f = ctx->f->next, *next;
    for (; f; f = next) {
        next = f->next;
        if (f->r == ctx->r && strcmp(f->frec->name, "xlateout") == 0)
            ap_remove_output_filter(f);
    }
}

/* Ends the response with 304 or an error. What the handler still has to say is dropped. */
static apr_status_t end_with(filter_ctx *ctx, apr_bucket_brigade *bb, int status)
{
    request_rec *r = ctx->r;
    ap_filter_t *f = ctx->f;
    ctx->stage = status == HTTP_NOT_MODIFIED ? STAGE_DROP : STAGE_DONE;
    keep_charset(ctx);
    apr_brigade_cleanup(bb);
    if (status == HTTP_NOT_MODIFIED) {
        r->status = status;
        r->status_line = NULL;
    }
    else {
        /* httpd goes by the status: after any but 200 (201, 203) it has no ErrorDocument; that of an error whose
         * ErrorDocument this is, which may be a program that said 200, keeps it from calling that again, ten times */
        r->status = r->prev && ap_is_HTTP_ERROR(r->prev->status) ? r->prev->status : HTTP_OK;
        gxm_state_of(r)->vary =
            apr_table_getm(r->pool, apr_table_overlay(r->pool, r->headers_out, r->err_headers_out), "Vary");
        APR_BRIGADE_INSERT_TAIL(bb, ap_bucket_error_create(status, NULL, r->pool, f->c->bucket_alloc));
    }
    APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_eos_create(f->c->bucket_alloc));
    return ap_pass_brigade(f->next, bb);
}

/* The source goes out as it came: nothing of the response has been changed so far. */
static apr_status_t pass_source(filter_ctx *ctx, apr_bucket_brigade *rest)
{
    apr_bucket_brigade *all = ctx->source.kept;
    ap_filter_t *f = ctx->f;
    ctx->source.kept = NULL;
    let_go(ctx);
    gxm_restore_headers(ctx->r);
    ctx->stage = STAGE_PASS;
    if (all) {
        APR_BRIGADE_CONCAT(all, rest);
        rest = all;
    }
    ap_remove_output_filter(f);
    return ap_pass_brigade(f->next, rest);
}

/* Ends the request: one line in the log, its figures, then by `status` the source as it came (GXM_PASS), or HTTP's
 * status with an ErrorDocument. details: "", or what stands behind the sentence. A part of another page (mod_include)
 * becomes that module's error text, not an error of the whole. What has failed because the client is gone is no
 * failure. bb is used up. */
static apr_status_t fail_as(filter_ctx *ctx, apr_bucket_brigade *bb, const failure *why, int status,
                            const char *details)
{
    static const char *const classes[GXM_N_CLASSES] = { "source", "sheet", "busy", "time" };
    request_rec *r = ctx->r;
    ap_filter_t *f = ctx->f;
    const char *sentence = apr_pstrcat(r->pool, why->words, *details ? ": " : "", details, NULL);
    const char *line =
        apr_psprintf(r->pool, "GX0%d: %s [class %s, sheet %s", why->tag, sentence, classes[why->cls], sheet_name(ctx));
    const int pass = status == GXM_PASS;
    char where[600];

    say_where(r, where, sizeof where - 20);
    strcat(where, pass ? ", source passed]" : "]");
    if (f->c->aborted)      /* the client has gone, so the handler stopped: that is nobody's failure (HTTP/2, where
                               httpd sees it at once) */
        ap_log_rerror(APLOG_MARK, APLOG_INFO, 0, r, "%s%s", line, where);
    else {
        gxm_report(r, APLOG_ERR, line, where);
        GXM_COUNT(error[why->cls], 1);
    }
    tell_state(r, "error", apr_psprintf(r->pool, "GX0%d", why->tag));
    tell_figures(ctx, GXM_DID_FAIL);
    if (pass) {
        GXM_COUNT(passed, 1);
        if (!r->main)       /* the next one who asks may get the page */
            apr_table_mergen(r->headers_out, "Cache-Control", "no-store");
        gxm_put_private(r, ctx->conf);
        tell_client(ctx, apr_pstrcat(r->pool, sentence, "; so the source was sent", NULL));
        return pass_source(ctx, bb);
    }
    let_go(ctx);        /* the ErrorDocument, which keeps the status and is sent as it is, may include what is
                           transformed in this thread */
    gxm_restore_headers(r);
    ctx->stage = STAGE_DONE;
    apr_brigade_cleanup(bb);
    if (r->main) {
        /* A part of another page: an error bucket would take the whole page down. The include shows its error text if
         * the handler returns an error, as that of files does; those of programs and back ends do not, so there the
         * text that mod_include has is ours to send */
        static const char text[] = "[an error occurred while processing this directive]";
        if (ctx->is_made) {
            APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_immortal_create(text, sizeof text - 1, f->c->bucket_alloc));
            APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_eos_create(f->c->bucket_alloc));
            ap_pass_brigade(f->next, bb);
        }
        return AP_FILTER_ERROR;
    }
    gxm_state_of(r)->is_busy = why->cls == GXM_CLASS_BUSY;
    if (ctx->conf->debug == 1)
        gxm_state_of(r)->why = why_header(r, "error", apr_psprintf(r->pool, "GX0%d", why->tag), sentence);
    return end_with(ctx, bb, status);
}

/* details: "", or what is to be known beside why's words */
static apr_status_t fail(filter_ctx *ctx, apr_bucket_brigade *bb, const failure *why, const char *details)
{
    return fail_as(ctx, bb, why, http_status(ctx, why), details);
}

static apr_status_t fail_engine(filter_ctx *ctx, apr_bucket_brigade *bb, const gx_error *err, int in_source)
{
    const failure *why = in_source && ctx->source.fails_to_include && err->status == GX_EXML
                             ? &source_includes
                             : failure_of(err, in_source);
    const char *hint = "";
    char text[1200];
    if (err->limit && !strstr(err->text, "GPUXMLLimit"))
        hint = apr_psprintf(ctx->r->pool, " (raise it with GPUXMLLimit %s=)", err->limit);
    return fail(ctx, bb, why, apr_pstrcat(ctx->r->pool, gxm_error_text(err, text, sizeof text), hint, NULL));
}

static apr_status_t step_aside(filter_ctx *ctx, apr_bucket_brigade *bb, const char *reason);

static apr_status_t fail_source(filter_ctx *ctx, apr_bucket_brigade *bb, const gx_error *err)
{
    const char *bad_coding = ctx->source.bad_coding;
    /* nobody wanted it parsed: what is wrong with it is not our business */
    if (ctx->source.is_by_pi && !ctx->n_steps && ctx->source.names_sheet != 1)
        return step_aside(ctx, bb, "no-stylesheet");
    return bad_coding ? fail(ctx, bb, &source_coding, bad_coding) : fail_engine(ctx, bb, err, 1);
}

/* The sentence for a reason not to transform, of gxm_not_for_us or the filter's own, as X-GPUXML-Why has it; "" for
 * one that has none. */
static const char *reason_sentence(request_rec *r, const char *reason)
{
    static const char *const sentences[][2] = {
        { "off", "GPUXMLEngine is off" },
        { "no-gpuxml", "the environment has no-gpuxml" },
        { "no-transform", "its sender says Cache-Control: no-transform" },
        { "no-stylesheet", "no stylesheet is configured for it, and it names none that is used here" },
        { "when", "GPUXMLWhen is false for this request" },
        { "encoded", "its Content-Encoding is none that is read here" },
        { "head", "the answer to HEAD has no content to make a page of" },
    };
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
        if (strcmp(reason, sentences[i][0]) == 0)
            return sentences[i][1];
    if (strcmp(reason, "status") == 0)
        return apr_psprintf(r->pool, "status %d: only 2xx with content is transformed", r->status);
    if (strcmp(reason, "method") == 0)
        return apr_psprintf(r->pool, "an answer to %s is not transformed", r->method);
    if (strcmp(reason, "type") == 0)
        return r->content_type ? apr_psprintf(r->pool, "%s is none of GPUXMLTypes", r->content_type)
                               : "it has no type, so none of GPUXMLTypes";
    return "";
}

static void log_reason(request_rec *r, const char *reason)
{
    ap_log_rerror(APLOG_MARK, APLOG_DEBUG, 0, r, "GX0150: not transformed: %s (status %d, %s)", reason, r->status,
                  r->content_type ? r->content_type : "no type");
}

/* What goes out is the source: the conditions that the handler did not see are about that. */
static apr_status_t step_aside(filter_ctx *ctx, apr_bucket_brigade *bb, const char *reason)
{
    request_rec *r = ctx->r;
    int status = OK;
    log_reason(r, reason);
    if (!apr_table_get(r->subprocess_env, "GPUXML_STATE"))      /* not of an ErrorDocument of ours: gxm_redirected */
        tell_state(r, "bypass", reason);
    GXM_COUNT(bypass, 1);
    tell_client(ctx, reason_sentence(r, reason));
    gxm_put_private(r, ctx->conf);
    if (gxm_restore_headers(r))
        status = ap_meets_conditions(r);
    if (status == OK)
        return pass_source(ctx, bb);
    let_go(ctx);
    return end_with(ctx, bb, status);
}

/* ---- begin: what the request decides ----------------------------------------------------------------------------- */

/* Values come from clients. What is no XML character in UTF-8 becomes U+FFFD, so that it cannot break the page. */
static const char *clean_value(apr_pool_t *p, const char *value)
{
    const u8 *s = (const u8 *)value;
    char *out, *to;
    size_t i, n = strlen(value);

    for (i = 0; i < n && s[i] >= 0x20 && s[i] < 0x80; i++)
        ;
    if (i == n)
        return value;
    to = out = apr_palloc(p, 3 * n + 1);
    for (i = 0; i < n;) {
        const u32 len = gx_xml_char(value + i, n - i);
        if (len) {
            memcpy(to, s + i, len);
            to += len;
            i += len;
        }
        else {
            memcpy(to, "\xef\xbf\xbd", 3);
            to += 3;
            i++;
        }
    }
    *to = 0;
    return out;
}

/* GPUXMLParam's values for this request into ctx->params, expressions evaluated. NULL, or a sentence why one has no
 * value. */
static const char *set_params(filter_ctx *ctx)
{
    const apr_array_header_t *list = ctx->conf->params;
    int n = list ? list->nelts : 0;
    ctx->params = n ? apr_palloc(ctx->r->pool, n * sizeof *ctx->params) : NULL;
    for (int i = 0; i < n; i++) {
        const gxm_param_conf *param = &APR_ARRAY_IDX(list, i, gxm_param_conf);
        const char *err = NULL, *value = param->text;
        if (param->expr) {
            value = gxm_expr_string(ctx->r, param->expr, &err);
            if (err)
                return apr_psprintf(ctx->r->pool, "GPUXMLParam %s: %s", param->name, err);
            value = clean_value(ctx->r->pool, value);
        }
        ctx->params[i].name = param->name;
        ctx->params[i].value = value;
    }
    ctx->n_params = n;
    return NULL;
}

/* The sheet that a value names. From .htaccess (not is_computed) it is a path like any in the configuration, relative
 * to ServerRoot, if there is such a file; else, as an expression's value, relative to a directory of
 * GPUXMLStylesheetRoot. */
static gxm_sheet *find_sheet(request_rec *r, const char *value, int is_computed, const char **why)
{
    const char *path = is_computed || *value == '/' ? NULL : ap_server_root_relative(r->pool, value);
    gxm_sheet *sheet = path ? gxm_sheet_find(r, path, why) : NULL;
    return sheet ? sheet : gxm_sheet_find(r, value, why);
}

/* What a directive names in this request: *out, in its pool. NULL, or why one of them cannot be found. */
static const char *find_sheets(filter_ctx *ctx, const apr_array_header_t *named, gxm_sheet ***out)
{
    apr_pool_t *p = ctx->r->pool;
    gxm_sheet **sheets = apr_pcalloc(p, (apr_size_t)named->nelts * sizeof *sheets);
    for (int i = 0; i < named->nelts; i++) {
        const gxm_named *one = &APR_ARRAY_IDX(named, i, gxm_named);
        const char *value = one->value, *err = NULL;
        if (one->expr) {
            value = gxm_expr_string(ctx->r, one->expr, &err);
            if (err)
                return apr_psprintf(p, "GPUXMLStylesheet: %s", err);
        }
        sheets[i] = one->sheet ? one->sheet : find_sheet(ctx->r, value, one->expr != NULL, &err);
        if (!sheets[i])
            return apr_psprintf(p, "\"%s\": %s", value, err);
    }
    *out = sheets;
    return NULL;
}

static void tell_params(const filter_ctx *ctx)
{
    const gx_program *programs[GXM_MAX_SHEETS];
    for (int i = 0; i < ctx->n_steps; i++)
        programs[i] = ctx->steps[i].version->program;
    if (ctx->conf->params && !is_select(ctx->conf))
        gxm_params_used(ctx->r, ctx->conf, programs, ctx->n_steps, step_names(ctx));
}

/* From now on these make the page. Another stage than STAGE_COLLECT afterwards: the response has its answer, and what
 * the filter has to return. */
static apr_status_t use_sheets(filter_ctx *ctx, apr_bucket_brigade *bb, gxm_sheet *const *sheets, int n)
{
    gx_error err;
    ctx->steps = apr_pcalloc(ctx->r->pool, (apr_size_t)n * sizeof *ctx->steps);
    ctx->n_steps = n;
    for (int i = 0; i < n; i++)
        ctx->steps[i].sheet = sheets[i];
    for (ctx->at = 0; ctx->at < n; ctx->at++) {
        memset(&err, 0, sizeof err);
        ctx->steps[ctx->at].version = gxm_sheet_use(sheets[ctx->at], ctx->r, &err);
        if (!ctx->steps[ctx->at].version)
            return fail_engine(ctx, bb, &err, 0);
    }
    ctx->at = 0;
    ctx->source.program = ctx->steps->version->program;
    tell_params(ctx);
    return APR_SUCCESS;
}

static apr_status_t use_named(filter_ctx *ctx, apr_bucket_brigade *bb, const apr_array_header_t *named)
{
    gxm_sheet **sheets = NULL;
    const char *why = find_sheets(ctx, named, &sheets);
    return why ? fail(ctx, bb, &sheet_unusable, why) : use_sheets(ctx, bb, sheets, named->nelts);
}

/* The source's document element has a say: it is parsed by the rules of what the last such document got, and again only
 * if that was wrong. */
static void guess_by_root(filter_ctx *ctx)
{
    const gxm_dir *conf = ctx->conf;
    const apr_array_header_t *last = __atomic_load_n(conf->last_by_root, __ATOMIC_RELAXED), *named = conf->sheets;
    const gxm_named *first;
    gx_error err;
    for (int i = 0; i < conf->by_root->nelts; i++)
        if (APR_ARRAY_IDX(conf->by_root, i, gxm_by_root).sheets == last)
            named = last;
    first = named ? &APR_ARRAY_IDX(named, 0, gxm_named) : NULL;
    ctx->guess = first && first->sheet ? gxm_sheet_use(first->sheet, ctx->r, &err) : NULL;
    ctx->source.program = ctx->guess ? ctx->guess->program : NULL;
}

static u64 declared_length(const request_rec *r)
{
    const char *text = apr_table_get(r->headers_out, "Content-Length");
    apr_off_t n;
    char *end;
    return text && apr_strtoff(&n, text, &end, 10) == APR_SUCCESS && !*end && n > 0 ? (u64)n : 0;
}

/* May the worker make the page of the source's bytes? Then nobody but it has a look at them. */
static int may_send_bytes(const filter_ctx *ctx)
{
    const gxm_dir *conf = ctx->conf;
    return ctx->n_steps == 1 && conf->pi <= GXM_PI_OFF && !conf->by_root && !is_select(conf) && !conf->out_charset
        && gxm_may_send_bytes(ctx->steps->version);
}

/* The response is for us: STAGE_COLLECT. Or it has its answer, and what the filter has to return. */
static apr_status_t begin(filter_ctx *ctx, apr_bucket_brigade *bb)
{
    request_rec *r = ctx->r;
    gxm_source *source = &ctx->source;
    const char *coding, *why = gxm_not_for_us(r, ctx->conf, &coding);
    apr_status_t rv;
    gx_error err;

    if (why == gxm_when_failed)             /* whether the source may be seen as it is, nobody knows */
        return fail(ctx, bb, &bad_value, "GPUXMLWhen");
    if (why == gxm_is_part)
        return fail(ctx, bb, &source_part, "");
    if (why)
        return step_aside(ctx, bb, why);
    if (coding && !gxm_is_coding(coding)) {
        /* A client chooses by its Accept-Encoding: it must not get around a stylesheet that way. Without one the
         * browser is meant to */
        if (gxm_is_by_pi(ctx->conf))
            return step_aside(ctx, bb, "encoded");
        return fail(ctx, bb, &source_coding,
                    apr_psprintf(r->pool,
                                 "Content-Encoding %s cannot be read, gzip and deflate can (RequestHeader "
                                 "set Accept-Encoding gzip asks the back end for that)",
                                 coding));
    }
    source->r = r;
    source->is_by_pi = gxm_is_by_pi(ctx->conf);
    source->path = !ctx->is_made && r->finfo.filetype == APR_REG && r->filename ? r->filename : "";
    source->wants_sha = ctx->conf->etag != 0 && r->method_number == M_GET;
    source->warning = warn_of_source;
    source->warning_ctx = ctx;
    source->is_kept = (ctx->conf->pi > GXM_PI_OFF && !is_select(ctx->conf)) || ctx->conf->by_root
        || ctx->conf->on_error[GXM_CLASS_SHEET] == GXM_PASS || ctx->conf->on_error[GXM_CLASS_BUSY] == GXM_PASS
        || ctx->conf->on_error[GXM_CLASS_TIME] == GXM_PASS;
    gxm_limits_effective(ctx->conf, &source->limits);
    gxm_limits_report(r, ctx->conf);
    apr_pool_cleanup_register(r->pool, ctx, ctx_cleanup, apr_pool_cleanup_null);

    why = set_params(ctx);
    if (why)
        return fail(ctx, bb, &bad_value, why);
    if (ctx->conf->by_root)
        guess_by_root(ctx);
    else if (ctx->conf->sheets) {
        ctx->stage = STAGE_COLLECT;
        rv = use_named(ctx, bb, ctx->conf->sheets);
        if (ctx->stage != STAGE_COLLECT)
            return rv;
    }
    source->may_wait = may_send_bytes(ctx);
    source->kit = gxm_kit_take();
    if (!source->kit)
        return fail(ctx, bb, &busy, "out of memory");
    if (gxm_source_begin(source, bb, coding != NULL, &err) != GX_OK)
        return fail_engine(ctx, bb, &err, 1);
    ctx->stage = STAGE_COLLECT;
    if (r->output_filters == ctx->f)        /* else a filter before us may have changed the length */
        ctx->declared = declared_length(r);
    return APR_SUCCESS;
}

/* ---- the xml-stylesheet instruction ------------------------------------------------------------------------------ */

/* The path of a URI that names the host which the client asked, as generators of feeds and sitemaps write it; NULL: of
 * another one. */
static const char *own_path(request_rec *r, const char *href)
{
    apr_uri_t uri;
    if (apr_uri_parse(r->pool, href, &uri) != APR_SUCCESS || !uri.hostname || !r->hostname
        || strcasecmp(uri.hostname, r->hostname) != 0
        || (uri.scheme && strcasecmp(uri.scheme, "http") != 0 && strcasecmp(uri.scheme, "https") != 0) || !uri.path)
        return NULL;
    return apr_uri_unparse(r->pool, &uri, APR_URI_UNP_OMITSITEPART);
}

/* As a browser resolves it: beside what it asked for, whatever the server has made of that since (RewriteRule). */
static const char *beside_asked(request_rec *r, const char *href)
{
    const char *asked = asked_path(r);
    if (*href == '/' || r->main || !asked)
        return href;
    return ap_make_full_path(r->pool, ap_escape_uri(r->pool, ap_make_dirstr_parent(r->pool, asked)), href);
}

/* The document has such an instruction and goes out as it is: a line in the log tells why. */
static gxm_sheet *leave(request_rec *r, const char *href, const char *reason)
{
    char line[700], where[600];
    apr_snprintf(line, sizeof line, "GX0155: not transformed: xml-stylesheet%s%.200s%s: %s [bypass", href ? " \"" : "",
                 href ? href : "", href ? "\"" : "", reason);
    say_where(r, where, sizeof where - 1);
    gxm_report(r, APLOG_WARNING, line, strcat(where, "]"));
    return NULL;
}

/* What a relative reference in the document is relative to, as its client knows it */
static const char *base_of(request_rec *r)
{
    const char *asked = r->main ? r->uri : asked_path(r);
    return apr_pstrcat(r->pool, gxm_site(r, r->pool), asked && *asked == '/' ? ap_escape_uri(r->pool, asked) : "/",
                       NULL);
}

/* The stylesheet in the document itself (XSLT 1.0, 2.7) */
static gxm_sheet *embedded_sheet(filter_ctx *ctx, const char *id, const char **why)
{
    request_rec *r = ctx->r;
    const int fetches = ctx->conf->pi_fetches == 1;
    char *fragment = apr_pstrdup(r->pool, id);
    const char *bytes, *err = NULL;
    gxm_sheet *sheet = NULL;
    gx_error error;
    size_t n;
    memset(&error, 0, sizeof error);
    if (gx_uri_unescape(fragment) || gxm_source_bytes(&ctx->source, &bytes, &n, &error) != GX_OK)
        err = *error.text ? error.text : "not a valid URI reference";
    else
        sheet = gxm_sheet_of_bytes(r, *ctx->source.path && !fetches ? ctx->source.path : base_of(r), bytes, n,
                                   &ctx->source.options, fragment, fetches, &err);
    if (!sheet)
        *why = apr_psprintf(r->pool, "xml-stylesheet \"#%.200s\": %s", id, err);
    return sheet;
}

/* The stylesheet that a program or back end of this server answers with: the URI is asked for as document() asks
 * (fetch.c). */
static gxm_sheet *made_sheet(filter_ctx *ctx, const char *href, const char **why)
{
    request_rec *r = ctx->r;
    const char *base = base_of(r), *bytes, *charset = NULL, *err = NULL;
    char *uri = apr_palloc(r->pool, strlen(base) + strlen(href) + 2);
    gx_parse_options options;
    gxm_sheet *sheet = NULL;
    gx_error error;
    size_t n;
    memset(&error, 0, sizeof error);
    memset(&options, 0, sizeof options);
    gx_uri_resolve(base, href, uri);
    uri[strcspn(uri, "#")] = 0;
    if (gxm_fetch(r, r->pool, uri, &ctx->source.limits, &bytes, &n, &charset, &error) != GX_OK)
        err = apr_pstrdup(r->pool, error.text);
    options.charset = charset;
    if (!err)
        sheet = gxm_sheet_of_bytes(r, uri, bytes, n, &options, NULL, 1, &err);
    if (!sheet)
        *why = apr_psprintf(r->pool, "xml-stylesheet \"%.200s\": %s", href, err);
    return sheet;
}

/* The file that a browser would fetch, if it is one of ours: the URI is mapped as a request for it would be, access
 * control included, and must end beneath GPUXMLStylesheetRoot; or, where that is allowed, at a program. NULL, *why
 * NULL: no such instruction is for us; if there is one, the log says so where may_leave: nothing else makes a page of
 * the document. */
static gxm_sheet *pi_sheet(filter_ctx *ctx, const gx_doc *doc, int may_leave, const char **why)
{
    request_rec *r = ctx->r, *sub;
    const char *reason, *given = gx_doc_stylesheet(doc, r->pool, &reason), *href = given, *file = NULL, *err = NULL;
    gxm_sheet *sheet;
    int status, made, is_file;

    *why = NULL;
    if (given && (strstr(given, "://") || strncmp(given, "//", 2) == 0)) {
        href = own_path(r, given);
        reason = href ? NULL : "it is another host's";
    }
    if (given && !*given)
        reason = "it names no stylesheet";
    if (reason || !given)
        return reason && may_leave ? leave(r, given, reason) : NULL;
    if (*href == '#')
        return embedded_sheet(ctx, href + 1, why);
    if (strlen(href) > (size_t)r->server->limit_req_line) {     /* modules that look at URIs count on that */
        *why = apr_psprintf(r->pool, "xml-stylesheet \"%.100s...\": longer than LimitRequestLine allows", href);
        return NULL;
    }
    sub = ap_sub_req_lookup_uri(beside_asked(r, href), r, NULL);
    status = sub->status;
    made = status == HTTP_OK && gxm_is_made(sub);
    is_file = status == HTTP_OK && sub->finfo.filetype == APR_REG;
    file = sub->filename ? apr_pstrdup(r->pool, sub->filename) : "";
    ap_destroy_sub_req(sub);
    if (made && ctx->conf->pi_fetches == 1)
        return made_sheet(ctx, href, why);
    if (made)
        return may_leave
            ? leave(r, given, "a program makes it, or a back end (GPUXMLStylesheetPI prefer subrequest asks for it)")
            : NULL;
    sheet = is_file ? gxm_sheet_find(r, file, &err) : NULL;
    if (!sheet && status != HTTP_OK)
        err = apr_psprintf(r->pool, "the client gets no answer to a request for it but status %d", status);
    if (!sheet)
        *why = apr_psprintf(r->pool, "xml-stylesheet \"%s\": %s", href,
                            err ? err : apr_psprintf(r->pool, "no such file here (it would be %s)", file));
    return sheet;
}

/* ---- finish ------------------------------------------------------------------------------------------------------ */

typedef struct out_ctx {
    filter_ctx *ctx;
    apr_bucket_brigade *bb;
    apr_bucket *last;           /* of bb; NULL: it is empty */
    size_t room;                /* of last */
    u64 deadline_us;
    int no_memory, is_late;
} out_ctx;

/* Each bucket but the first looks at the clock: a page of many copies takes longer to write than to evaluate. */
static int out_sink(void *data, const char *bytes, size_t n)
{
    out_ctx *out = data;
    out->ctx->out_bytes += n;
    while (n) {
        size_t take;
        if (!out->last || out->last->length == out->room) {
            out->is_late = out->last && gx_now_us() > out->deadline_us;
            if (out->is_late)
                return 1;
            out->last = gxm_make_room(out->bb, &out->room, 0);
            out->no_memory = !out->last;
            if (out->no_memory)
                return 1;
        }
        take = out->room - out->last->length < n ? out->room - out->last->length : n;
        memcpy(((apr_bucket_heap *)out->last->data)->base + out->last->length, bytes, take);
        out->last->length += take;
        bytes += take;
        n -= take;
    }
    return 0;
}

#define MESSAGES 100 /* of one page: who writes a source may choose how many there are, and a log has an end */

static int message_sink(void *data, const char *bytes, size_t n)
{
    filter_ctx *ctx = data;
    if (ctx->n_messages++ < MESSAGES || APLOG_R_IS_LEVEL(ctx->r, APLOG_DEBUG))
        ap_log_rerror(APLOG_MARK, APLOG_INFO, 0, ctx->r, "GX0151: xsl:message: %.*s", (int)(n < 2000 ? n : 2000),
                      bytes);
    return 0;
}

#define TAG_BYTES 24

/* Everything that the page is made from: source, program, parameters, and what the configuration says about the
 * output; the same on all hosts, and after a restart. Clients and caches take pages of the same tag for the same page:
 * 192 bits of a digest that nobody can forge. NULL: no memory */
static const char *make_etag(filter_ctx *ctx)
{
    static const char hex[] = "0123456789abcdef";
    const gxm_dir *conf = ctx->conf;
    gxm_shaing *h = &ctx->source.kit->text;
    gxm_sha source, page;
    const u8 *bytes = (const u8 *)&page;
    char *tag = apr_palloc(ctx->r->pool, 2 * TAG_BYTES + 3), *to = tag;
    int select = is_select(ctx->conf) ? 1 + conf->select_xml : 0;

    if (!gxm_source_sha(&ctx->source, &source))
        return NULL;
    gxm_sha_begin(h);
    gxm_sha_str(h, GX_VERSION);
    gxm_sha_add(h, &source, sizeof source);
    gxm_sha_add(h, &ctx->n_steps, sizeof ctx->n_steps);
    for (int i = 0; i < ctx->n_steps; i++)
        gxm_sha_add(h, &ctx->steps[i].version->queued.digest, sizeof(gxm_sha));
    gxm_sha_add(h, &select, sizeof select);
    gxm_sha_str(h, conf->select_wrapper);
    gxm_sha_str(h, conf->out_charset);
    gxm_sha_str(h, conf->out_type);
    gxm_sha_str(h, ctx->source.options.charset);
    gxm_sha_str(h, ctx->source.options.base_uri);       /* unparsed-entity-uri() says where the source is */
    gxm_sha_str(h, ctx->source.options.external_base);
    gxm_sha_add(h, &ctx->source.options.external_ignore, sizeof ctx->source.options.external_ignore);
    gxm_sha_add(h, &ctx->source.options.html_entities, sizeof ctx->source.options.html_entities);
    gxm_sha_add(h, &ctx->source.options.lenient, sizeof ctx->source.options.lenient);
    for (int i = 0; i < ctx->n_params; i++) {
        gxm_sha_str(h, ctx->params[i].name);
        gxm_sha_str(h, ctx->params[i].value);
    }
    if (!gxm_sha_end(h, &page))
        return NULL;
    *to++ = '"';
    for (int i = 0; i < TAG_BYTES; i++) {
        *to++ = hex[bytes[i] >> 4];
        *to++ = hex[bytes[i] & 15];
    }
    *to++ = '"';
    *to = 0;
    return tag;
}

/* What the source's headers say of its bytes does not hold for ours. Cache-Control, Expires, cookies and the rest
 * stay. */
static void drop_source_headers(request_rec *r)
{
    static const char *const names[] = {
        "Content-Length", "Content-Range", "Accept-Ranges", "Content-Encoding", "ETag", "Last-Modified",
        "Content-Type",         /* mod_proxy's copy, which mod_cache would keep; r->content_type is sent */
        /* RFC 1864, 3230, 9530, and what follows that */
        "Content-MD5", "Digest", "Content-Digest", "Repr-Digest", "Unencoded-Digest",
        "Signature", "Signature-Input",     /* RFC 9421: over some of these, and over headers that are others now */
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        apr_table_unset(r->headers_out, names[i]);
        apr_table_unset(r->err_headers_out, names[i]);
        apr_table_unset(r->trailers_out, names[i]);
    }
    r->content_encoding = NULL;
    r->mtime = 0;
}

static const char *literal(apr_pool_t *p, const gx_program *program, u32 lit)
{
    return apr_pstrmemdup(p, GX_LIT_AT(program, lit), GX_LIT(program, lit).len);
}

/* The Content-Type that the page which program would make has, as far as that is known without making it: else NULL.
 * program NULL: not known either. */
static const char *type_without_page(const filter_ctx *ctx, const gx_program *program)
{
    static const char *const by_method[] = { NULL, "text/xml", "text/html", "text/plain" };
    const gxm_dir *conf = ctx->conf;
    apr_pool_t *p = ctx->r->pool;
    const char *type = NULL, *charset = conf->out_charset ? conf->out_charset : "UTF-8";
    if (is_select(ctx->conf))
        type = conf->select_xml ? "application/xml" : "text/plain";
    else if (program && program->output.n) {
        const gx_output *o = GX_PROG_TAB(program, gx_output, output);
        type = by_method[o->method <= GX_METHOD_TEXT ? o->method : 0];
        if (o->media_type != GX_NONE)
            type = literal(p, program, o->media_type);
        if (!conf->out_charset && o->encoding != GX_NONE)
            charset = literal(p, program, o->encoding);
    }
    return gxm_content_type(p, conf->out_type ? conf->out_type : type, charset);
}

/* Of a page; NULL: it has none. is_kept: it is kept for others (GPUXMLResultCache). */
typedef struct validators {
    const char *etag, *modified;
    int is_kept;
} validators;

/* Before the page, or an answer about it, and not earlier: until then the source may have to go out as it is, with its
 * own headers. */
static void put_headers(request_rec *r, const gxm_dir *conf, const validators *page)
{
    drop_source_headers(r);
    gxm_put_private(r, conf);
    if (page->etag) {
        /* FileETag None and mod_include before us leave a note that takes any ETag from the response; it was about the
         * source's. A filter behind us that leaves it does so later than this. */
        apr_table_unset(r->notes, "no-etag");
        apr_table_setn(r->headers_out, "ETag", page->etag);
    }
    if (page->modified)
        apr_table_setn(r->headers_out, "Last-Modified", page->modified);
}

/* Sends status 304 or 412; nothing was evaluated. A 304 has no type, but filters behind us go by it (ExpiresByType,
 * mod_cache). */
static apr_status_t answer_condition(filter_ctx *ctx, apr_bucket_brigade *bb, int status, const validators *page)
{
    request_rec *r = ctx->r;
    put_headers(r, ctx->conf, page);
    ap_set_content_type(r, type_without_page(ctx, last_program(ctx)));
    tell_state(r, "notmodified", status == HTTP_NOT_MODIFIED ? "304" : "412");
    tell_figures(ctx, GXM_DID_NOT_MODIFY);
    tell_client(ctx,
                status == HTTP_NOT_MODIFIED ? "the client has this page: nothing was evaluated"
                                            : "the client asks for another state of the page");
    GXM_COUNT(not_modified, 1);
    let_go(ctx);
    return end_with(ctx, bb, status);
}

/* mod_deflate and mod_brotli, which run behind us, append to the tag: a browser that has their form of this page has
 * this page. */
static const char *const suffixes[] = { "", "-gzip", "-br" };
enum { N_SUFFIXES = sizeof suffixes / sizeof *suffixes };

static apr_table_t *with_suffix(request_rec *r, const char *etag, int i)
{
    apr_table_t *headers = apr_table_make(r->pool, 1);
    if (etag)
        apr_table_setn(headers, "ETag", apr_psprintf(r->pool, "%.*s%s\"", (int)strlen(etag) - 1, etag, suffixes[i]));
    return headers;
}

/* If-Match; a page without ETag (NULL) is another than any */
static int is_another(request_rec *r, const char *etag)
{
    int i = 0;
    if (!apr_table_get(r->headers_in, "If-Match"))
        return 0;
    while (i < N_SUFFIXES && ap_condition_if_match(r, with_suffix(r, etag, i)) == AP_CONDITION_NOMATCH)
        i++;
    return i == N_SUFFIXES;
}

/* The filter's name; NULL for one of FilterProvider, which does not show what it stands for. */
static const char *filter_name(const ap_filter_rec_t *filter)
{
    static const char by_type[] = "bytype:";        /* AddOutputFilterByType */
    if (strncasecmp(filter->name, by_type, sizeof by_type - 1) == 0)
        return filter->name + sizeof by_type - 1;
    return filter->providers ? NULL : filter->name;
}

/* Does it pack pages? A FilterProvider may. */
static int packs(const ap_filter_rec_t *filter)
{
    const char *name = filter_name(filter);
    return !name || strcasecmp(name, "deflate") == 0 || strcasecmp(name, "brotli_compress") == 0;
}

/* For a 304, which is to have the Vary of the page: mod_deflate and mod_filter leave answers without content alone, and
 * mod_brotli does not. So they are taken out of the chain, and it is said here. is_packed: the client's form of the
 * page is. Returns whether pages may be packed. */
static int take_out_packers(const filter_ctx *ctx, int is_packed)
{
    request_rec *r = ctx->r;
    int varies = is_packed;
    for (ap_filter_t *f = ctx->f->next, *next; f; f = next) {
        next = f->next;
        if (f->r == r && packs(f->frec)) {
            varies = 1;
            ap_remove_output_filter(f);
        }
    }
    if (varies)
        gxm_vary_by(r, "Accept-Encoding");
    return varies;
}

/* If-None-Match: the ETag of the form (packed or not) that the browser has, or NULL. */
static const char *has_page(const filter_ctx *ctx, const char *etag)
{
    const int asks = apr_table_get(ctx->r->headers_in, "If-None-Match") != NULL;
    for (int i = 0; asks && i < N_SUFFIXES; i++) {
        apr_table_t *headers = with_suffix(ctx->r, etag, i);
        if (ap_condition_if_none_match(ctx->r, headers) < AP_CONDITION_WEAK)
            continue;
        take_out_packers(ctx, i > 0);
        return apr_table_get(headers, "ETag");
    }
    return NULL;
}

/* GPUXMLStylesheetFor: the stylesheets for this document; NULL: there are none */
static const apr_array_header_t *sheets_by_root(const gxm_dir *conf, const gx_doc *doc)
{
    const u32 *label = GX_DOC_COL(doc, u32, label), *next = GX_DOC_COL(doc, u32, next);
    const char *strs = GX_DOC_COL(doc, char, strs);
    const gx_label_info *name;
    u32 n = 1;
    while (conf->by_root && n < doc->n_nodes && GX_LABEL_KIND(label[n]) != GX_KIND_ELEM)
        n = next[n];
    if (!conf->by_root || n >= doc->n_nodes)
        return NULL;
    name = &GX_DOC_COL(doc, gx_label_info, labels)[GX_LABEL_ID(label[n])];
    for (int i = 0; i < conf->by_root->nelts; i++) {
        const gxm_by_root *rule = &APR_ARRAY_IDX(conf->by_root, i, gxm_by_root);
        if (strlen(rule->local) == name->local_len && memcmp(rule->local, strs + name->local, name->local_len) == 0
            && strlen(rule->uri) == name->uri_len && memcmp(rule->uri, strs + name->uri, name->uri_len) == 0) {
            __atomic_store_n(conf->last_by_root, rule->sheets, __ATOMIC_RELAXED);
            return rule->sheets;
        }
    }
    return NULL;
}

/* Where the document has a say in what makes the page: by its xml-stylesheet instruction, or its document element's
 * name. Another stage than STAGE_COLLECT afterwards: the response has its answer, and what the filter has to return. */
static apr_status_t ask_doc(filter_ctx *ctx, apr_bucket_brigade *bb, gx_doc **doc)
{
    const gxm_dir *conf = ctx->conf;
    const apr_array_header_t *named;
    gxm_sheet *by_pi = NULL;
    gxm_version *before;
    const char *why = NULL;
    gx_status status;
    apr_status_t rv;
    gx_error err;
    u64 start;

    if (is_select(conf) || (conf->pi <= GXM_PI_OFF && !conf->by_root))
        return APR_SUCCESS;
    named = sheets_by_root(conf, *doc);
    if (!named && !ctx->n_steps)
        named = conf->sheets;
    if (conf->pi == GXM_PI_PREFER || (conf->pi == GXM_PI_FALLBACK && !named && !ctx->n_steps))
        by_pi = pi_sheet(ctx, *doc, !named && !ctx->n_steps, &why);
    if (why)
        return fail(ctx, bb, &sheet_unusable, why);
    if (!by_pi && !named)
        return ctx->n_steps ? APR_SUCCESS : step_aside(ctx, bb, "no-stylesheet");
    /* what the source was parsed by: it stays until it is known to be as good, or parsed again */
    before = ctx->n_steps ? ctx->steps->version : ctx->guess;
    for (int i = 1; i < ctx->n_steps; i++)
        gxm_version_release(ctx->steps[i].version);
    ctx->n_steps = 0;
    ctx->guess = before;
    rv = by_pi ? use_sheets(ctx, bb, &by_pi, 1) : use_named(ctx, bb, named);
    if (ctx->stage != STAGE_COLLECT)
        return rv;
    start = gx_now_us();
    memset(&err, 0, sizeof err);
    status = gxm_source_again(&ctx->source, doc, &err);
    gxm_version_release(ctx->guess);
    ctx->guess = NULL;
    ctx->parse_us += gx_now_us() - start;
    return status == GX_OK ? APR_SUCCESS : fail_source(ctx, bb, &err);
}

/* The page is made of source, programs and parameters alone, and goes out so: mod_include behind us may put anything
 * into it. A FilterProvider may be mod_include, too, but is mod_deflate nearly always. */
static int is_pure(const filter_ctx *ctx)
{
    int i = 0;
    if (ctx->source.asked)
        return 0;
    for (const ap_filter_t *f = ctx->f->next; f; f = f->next) {
        const char *name = f->r == ctx->r ? filter_name(f->frec) : NULL;
        if (name && strcasecmp(name, "includes") == 0)
            return 0;
    }
    while (i < ctx->n_steps && ctx->steps[i].version->is_pure)
        i++;
    return i == ctx->n_steps;
}

/* GPUXMLLastModified: the page's, or NULL */
static const char *last_modified(const filter_ctx *ctx)
{
    request_rec *r = ctx->r;
    const char *text = apr_table_get(r->headers_out, "Last-Modified");
    apr_time_t time = text ? apr_date_parse_http(text) : APR_DATE_BAD;
    char *out;
    if (ctx->conf->last_modified <= GXM_LM_OFF || time == APR_DATE_BAD || !is_pure(ctx) || ctx->source.includes
        || gxm_is_private(r, ctx->conf))
        return NULL;
    for (int i = 0; i < ctx->n_steps && ctx->conf->last_modified == GXM_LM_NEWEST; i++)
        for (int k = 0; k < ctx->steps[i].version->n_files; k++)
            if (ctx->steps[i].version->files[k].stamp.mtime_ns / 1000 > time)
                time = ctx->steps[i].version->files[k].stamp.mtime_ns / 1000;
    out = apr_palloc(r->pool, APR_RFC822_DATE_LEN);
    apr_rfc822_date(out, time < r->request_time ? time : r->request_time);      /* a file's time may lie ahead */
    return out;
}

/* What the page's validators are, if it has any, and what the client's conditions say about them (RFC 9110, 13.2.2).
 * Returns as ask_doc. */
static apr_status_t answer_conditions(filter_ctx *ctx, apr_bucket_brigade *bb, validators *page)
{
    request_rec *r = ctx->r;
    apr_table_t *headers;
    const char *had;
    int status = 0;
    gxm_restore_headers(r);
    if (r->method_number != M_GET)
        return APR_SUCCESS;
    /* only a validator that somebody asked for, and that tells users apart: the digest has the parameters in it */
    if ((gxm_is_private(r, ctx->conf) ? ctx->conf->etag == 1 : ctx->conf->etag != 0) && is_pure(ctx))
        page->etag = make_etag(ctx);
    page->modified = last_modified(ctx);
    headers = apr_table_make(r->pool, 1);
    if (page->modified)
        apr_table_setn(headers, "Last-Modified", page->modified);
    if (is_another(r, page->etag)
        || (page->modified && !apr_table_get(r->headers_in, "If-Match")
            && ap_condition_if_unmodified_since(r, headers) >= AP_CONDITION_WEAK))
        status = HTTP_PRECONDITION_FAILED;
    else if (page->etag && (had = has_page(ctx, page->etag)) != NULL) {
        page->etag = had;
        status = HTTP_NOT_MODIFIED;
    } else if (page->modified && !apr_table_get(r->headers_in, "If-None-Match")
               && ap_condition_if_modified_since(r, headers) >= AP_CONDITION_WEAK) {
        if (take_out_packers(ctx, 0))
            page->etag = NULL;          /* that of the form which the client has is not known */
        status = HTTP_NOT_MODIFIED;
    }
    return status ? answer_condition(ctx, bb, status, page) : APR_SUCCESS;
}

static void begin_run(const filter_ctx *ctx, gx_evaluation *ev, gxm_run *run)
{
    const step *step = &ctx->steps[ctx->at];
    memset(run, 0, sizeof *run);
    run->r = ctx->r;
    run->sheet = step->sheet;
    run->version = step->version;
    run->kit = ctx->source.kit;
    run->cached = ctx->at ? NULL : ctx->source.cached;
    run->ev = ev;
    ev->program = step->version->program;
}

static void keep_reason(filter_ctx *ctx, const gxm_run *run)
{
    if (!run->reason)
        return;
    ctx->reason = run->reason;
    ctx->is_worker_chosen = run->is_worker_chosen;
}

static void tell_run(filter_ctx *ctx, const gxm_run *run)
{
    ctx->queue_us += run->queue_us;
    ctx->eval_us += run->eval_us;
    ctx->by_worker = run->where ? strcmp(run->where, "cpu") != 0 : -1;
    ctx->own_us += ctx->by_worker ? 0 : run->eval_us;
    if (run->where)
        tell(ctx->r, "GPUXML_ENGINE", run->where);
    if (run->why)
        tell(ctx->r, "GPUXML_WHY", run->why);
    keep_reason(ctx, run);
}

/* Evaluates ctx->at. */
static gx_status evaluate_step(filter_ctx *ctx, gx_evaluation *ev, gxm_run *run, gx_error *err)
{
    gx_status status;
    begin_run(ctx, ev, run);
    run->is_ours = ctx->is_ours && ctx->at == 0;
    run->why = run->is_ours ? ctx->why : NULL;
    ev->arena = ctx->source.kit->arena;
    status = gxm_evaluate(run, err);
    tell_run(ctx, run);
    if (status == GX_OK && ((const gx_result *)ev->base)->used > ctx->arena_bytes)
        ctx->arena_bytes = ((const gx_result *)ev->base)->used;
    return status;
}

/* The page of a source that nobody has parsed, by the worker. GX_EXML: it is to be made here. */
static gx_status make_page_there(filter_ctx *ctx, out_ctx *out, gx_media *media, gx_error *err)
{
    gx_evaluation ev;
    gxm_bytes bytes;
    gxm_page page;
    gxm_run run;
    memset(&ev, 0, sizeof ev);
    ev.params = ctx->params;
    ev.n_params = ctx->n_params;
    ev.limits = &ctx->source.limits;
    ev.deadline_us = out->deadline_us;
    begin_run(ctx, &ev, &run);
    if (!gxm_try_begin(&ctx->way, &run, ctx->source.in_bytes)) {
        ctx->is_ours = ctx->way.is_chosen;
        ctx->why = run.why;
        keep_reason(ctx, &run);
        return GX_EXML;
    }
    bytes.n_pieces = gxm_source_pieces(&ctx->source, &bytes.pieces);
    bytes.n = ctx->source.in_bytes;
    bytes.is_utf8 = ctx->source.options.charset != NULL;
    bytes.base_uri = ctx->source.options.base_uri;
    if (!bytes.n_pieces)
        return GX_EXML;
    const gx_status status = gxm_evaluate_bytes(&run, &ctx->way, &bytes, &page, err);
    if (status != GX_EXML)
        tell_run(ctx, &run);
    if (status == GX_OK) {
        const u64 start = gx_now_us();
        gx_page_media(run.version->program, page.facts.method, media);
        ctx->nodes = page.facts.n_nodes;
        if (page.facts.arena > ctx->arena_bytes)
            ctx->arena_bytes = page.facts.arena;
        const int is_full = page.n && out_sink(out, page.bytes, page.n);
        ctx->out_us += gx_now_us() - start;
        gxm_job_release(&run.job);
        if (is_full)
            return gx_fail(err, GX_ECANCEL, "", 0, 0, "no memory or time for the page");
    } else
        gxm_job_release(&run.job);
    return status;
}

/* The page of a stored document of which the index finds what is selected: this thread makes it. */
static gx_status make_selected(filter_ctx *ctx, gx_evaluation *ev, const gx_serialize_options *options, out_ctx *out,
                               gx_media *media, gx_error *err)
{
    const gxm_dir *conf = ctx->conf;
    gxm_kit *kit = ctx->source.kit;
    const u64 start = gx_now_us();
    ctx->at = 0;
    if (!kit->arena)
        GX_TRY(gxm_kit_arena(kit, ctx->source.limits.arena, err));
    ev->program = ctx->steps[0].version->program;
    ev->arena = kit->arena;
    media->type = conf->select_xml ? "application/xml" : "text/plain";
    media->charset = "UTF-8";
    const gx_status status = gxm_selected_write(ctx->source.selected, ev, options, conf->select_xml,
                                                conf->select_wrapper, out_sink, out, &ctx->nodes, err);
    ctx->own_us = gx_now_us() - start;
    ctx->eval_us += ctx->own_us;
    ctx->by_worker = 0;
    tell(ctx->r, "GPUXML_ENGINE", "cpu");
    return status;
}

/* Evaluates and serialises. media's names are in the last program's block. */
static gx_status make_page(filter_ctx *ctx, gx_doc *doc, out_ctx *out, gx_media *media, gx_error *err)
{
    request_rec *r = ctx->r;
    const gxm_dir *conf = ctx->conf;
    const gxm_server *server = gxm_server_conf(r->server);
    gx_loader loader = { .roots = (const char *const *)server->roots->elts, .n_roots = server->roots->nelts };
    gx_serialize_options options;
    gx_doc *made = NULL;
    gx_evaluation ev;
    gx_status status;
    gxm_run run;
    u64 start;

    memset(&ev, 0, sizeof ev);
    ev.doc = doc;
    ev.params = ctx->params;
    ev.n_params = ctx->n_params;
    ev.limits = &ctx->source.limits;
    if (conf->documents > GXM_DOC_NONE) {
        loader.catalog =
            gx_catalog_create(r->pool, (const char *const *)server->catalogs->elts, server->catalogs->nelts, warn, ctx);
        ev.loader = &loader;
    }
    ev.no_loader = "GPUXMLDocument says what it may read";
    if (conf->documents == GXM_DOC_SUBREQUEST) {
        loader.site = gxm_site(r, r->pool);
        loader.fetch = gxm_fetch;
        loader.fetch_ctx = r;
    }
    ev.team.kind = GX_TEAM_KIND_SOLO;
    ev.team.members = 1;
    ev.pool = r->pool;
    ev.deadline_us = out->deadline_us;
    ev.documents = &ctx->source.options;
    ev.warning = warn;
    ev.warning_ctx = ctx;
    memset(&options, 0, sizeof options);
    options.limits = &ctx->source.limits;
    options.encoding = conf->out_charset;
    if (APLOG_R_IS_LEVEL(r, APLOG_INFO)) {
        options.message = message_sink;
        options.message_ctx = ctx;
    }
    if (ctx->source.selected)
        return make_selected(ctx, &ev, &options, out, media, err);
    for (ctx->at = 0; (status = evaluate_step(ctx, &ev, &run, err)) == GX_OK && ctx->at < ctx->n_steps - 1; ctx->at++) {
        gx_doc *before = made;
        start = gx_now_us();
        status = gx_result_as_source(&ev, &options, ctx->steps[ctx->at + 1].version->program, &made, err);
        ctx->out_us += gx_now_us() - start;
        gxm_job_release(&run.job);
        if (status != GX_OK)
            break;
        free(before);
        ev.doc = made;
    }
    if (status == GX_OK) {
        start = gx_now_us();
        if (is_select(ctx->conf))
            status = gx_serialize_selection(&ev, &options, conf->select_xml, conf->select_wrapper, out_sink, out, media,
                                            err);
        else
            status = gx_serialize(&ev, &options, out_sink, out, media, err);
        ctx->out_us += gx_now_us() - start;
    }
    if (ctx->n_messages > MESSAGES)
        ap_log_rerror(APLOG_MARK, APLOG_INFO, 0, r, "GX0151: %u times xsl:message (LogLevel gpuxml:debug shows all)",
                      ctx->n_messages);
    gxm_job_release(&run.job);
    free(made);
    return status;
}

static void open_page(filter_ctx *ctx, out_ctx *out, u64 start)
{
    memset(out, 0, sizeof *out);
    out->ctx = ctx;
    out->bb = apr_brigade_create(ctx->r->pool, ctx->f->c->bucket_alloc);
    out->deadline_us = start + gxm_timeout_us(ctx->conf);
}

static apr_status_t fail_page(filter_ctx *ctx, apr_bucket_brigade *bb, out_ctx *out, gx_error *err)
{
    apr_brigade_destroy(out->bb);
    ctx->out_bytes = 0;
    if (out->no_memory)
        return fail(ctx, bb, &busy, "out of memory for the page");
    if (out->is_late)
        gx_fail(err, GX_ETIME, "", 0, 0, "writing the page takes longer than GPUXMLTimeout allows");
    return fail_engine(ctx, bb, err, 0);
}

/* The page, which out->bb has and ctx->out_bytes counts, goes out with its type, length and validators; a part of
 * another page has no headers of its own. The kit is given back first, as sending may take long. bb is used up. */
static apr_status_t send_page(filter_ctx *ctx, apr_bucket_brigade *bb, out_ctx *out, const char *type,
                              const validators *page)
{
    request_rec *r = ctx->r;
    ap_filter_t *f = ctx->f;
    if (!r->main) {
        put_headers(r, ctx->conf, page);
        ap_set_content_length(r, (apr_off_t)ctx->out_bytes);
    }
    ap_set_content_type(r, type);
    keep_charset(ctx);
    tell_state(r, "done", ctx->is_found ? "kept" : "-");
    tell_figures(ctx, GXM_DID_PAGE);
    tell_client(ctx, apr_pstrcat(r->pool, ctx->is_found ? "found in the result cache, made by " : "made by ",
                                 apr_table_get(r->subprocess_env, "GPUXML_STYLESHEET"), NULL));
    GXM_COUNT(done, 1);
    let_go(ctx);
    ctx->stage = STAGE_DONE;
    apr_brigade_cleanup(bb);
    APR_BRIGADE_INSERT_TAIL(out->bb, apr_bucket_eos_create(f->c->bucket_alloc));
    return ap_pass_brigade(f->next, out->bb);
}

/* May the page be kept for others (GPUXMLResultCache)? It is known by its ETag. What Cache-Control says of the source
 * holds for the page. */
static int is_result_kept(const filter_ctx *ctx, const validators *page)
{
    request_rec *r = ctx->r;
    const char *of_source = apr_table_get(r->headers_out, "Cache-Control"),
               *of_error = apr_table_get(r->err_headers_out, "Cache-Control"),
               *of_client = apr_table_get(r->headers_in, "Cache-Control");
    return ctx->conf->keeps_results == 1 && page->etag && !r->main && gxm_results_are_kept()
        && !gxm_is_private(r, ctx->conf) && !ap_find_token(r->pool, of_client, "no-store")
        && !ap_find_token(r->pool, of_source, "no-store") && !ap_find_token(r->pool, of_source, "private")
        && !ap_find_token(r->pool, of_error, "no-store") && !ap_find_token(r->pool, of_error, "private");
}

/* What was made, or the error that came instead */
static apr_status_t finish_page(filter_ctx *ctx, apr_bucket_brigade *bb, gx_status status, out_ctx *out,
                                const gx_media *media, const validators *page, gx_error *err)
{
    const char *type;
    if (status != GX_OK)
        return fail_page(ctx, bb, out, err);
    /* names in the program's block: it is let go in send_page */
    type = gxm_content_type(ctx->r->pool, ctx->conf->out_type ? ctx->conf->out_type : media->type, media->charset);
    if (!type) {
        apr_brigade_destroy(out->bb);
        ctx->out_bytes = 0;
        return fail(ctx, bb, &bad_media, "");
    }
    if (page->is_kept && !ctx->n_messages && !ctx->is_warned)       /* what it says to the log it says each time */
        gxm_result_keep(ctx->r, page->etag, out->bb, ctx->out_bytes, type);
    return send_page(ctx, bb, out, type, page);
}

/* What needs no page to be made: conditions are answered, and a page that the result cache has, if it is no longer than
 * this request's may be, is sent. Returns as ask_doc. */
static apr_status_t answer_unmade(filter_ctx *ctx, apr_bucket_brigade *bb, u64 start, validators *page)
{
    const u64 most = ctx->source.limits.output;
    const char *type;
    out_ctx out;
    u64 asked;
    const apr_status_t rv = answer_conditions(ctx, bb, page);
    page->is_kept = ctx->stage == STAGE_COLLECT && is_result_kept(ctx, page);
    if (!page->is_kept)
        return rv;
    open_page(ctx, &out, start);
    asked = gx_now_us();
    ctx->is_found = gxm_result_find(ctx->r, page->etag, out.bb, &ctx->out_bytes, &type)
        && (!most || ctx->out_bytes <= most);
    ctx->find_us = gx_now_us() - asked;
    if (ctx->is_found)
        return send_page(ctx, bb, &out, type, page);
    ctx->out_bytes = 0;
    apr_brigade_destroy(out.bb);
    return APR_SUCCESS;
}

/* A source that waits: conditions are answered by its digest, and the worker may make the page. Returns as ask_doc;
 * *is_asked: the conditions need not be looked at again. */
static apr_status_t finish_there(filter_ctx *ctx, apr_bucket_brigade *bb, u64 start, validators *page, int *is_asked)
{
    gx_media media = { NULL, NULL, 0 };
    gx_status status;
    apr_status_t rv;
    gx_error err;
    out_ctx out;
    if (!ctx->r->main) {
        rv = answer_unmade(ctx, bb, start, page);
        if (ctx->stage != STAGE_COLLECT)
            return rv;
        *is_asked = 1;
    }
    memset(&err, 0, sizeof err);
    open_page(ctx, &out, start);
    status = make_page_there(ctx, &out, &media, &err);
    if (status == GX_EXML) {
        apr_brigade_destroy(out.bb);
        return APR_SUCCESS;
    }
    return finish_page(ctx, bb, status, &out, &media, page, &err);
}

/* The source is all there: makes the page and sends it, or answers without one (304, 412), or fails. First by the
 * worker out of the bytes, if they wait for that; what it hands back is parsed here. bb: what is left of the source,
 * used up. */
static apr_status_t finish(filter_ctx *ctx, apr_bucket_brigade *bb)
{
    const u64 start = gx_now_us();
    validators page = { NULL, NULL, 0 };
    gx_media media = { NULL, NULL, 0 };
    int is_asked = ctx->r->main != NULL;
    u64 parsing = start;
    apr_status_t rv;
    gx_error err;
    gx_doc *doc;
    out_ctx out;
    gx_status status;

    if (ctx->source.waits) {
        rv = finish_there(ctx, bb, start, &page, &is_asked);
        if (ctx->stage != STAGE_COLLECT)
            return rv;
        parsing = gx_now_us();
    }
    memset(&err, 0, sizeof err);
    status = ctx->source.selected ? (doc = NULL, GX_OK) : gxm_source_doc(&ctx->source, &doc, &err);
    ctx->parse_us += gx_now_us() - parsing;
    if (status != GX_OK)
        return fail_source(ctx, bb, &err);
    rv = ask_doc(ctx, bb, &doc);
    if (ctx->stage != STAGE_COLLECT)
        return rv;
    ctx->nodes = doc ? doc->n_nodes : 0;
    if (!is_asked) {
        rv = answer_unmade(ctx, bb, start, &page);
        if (ctx->stage != STAGE_COLLECT)
            return rv;
    }
    open_page(ctx, &out, start);
    status = make_page(ctx, doc, &out, &media, &err);
    return finish_page(ctx, bb, status, &out, &media, &page, &err);
}

/* A HEAD that a back end answered: there is no body to make ours from, so its length and validators are not known. */
static apr_status_t finish_head(filter_ctx *ctx, apr_bucket_brigade *bb)
{
    request_rec *r = ctx->r;
    if (!r->main) {
        drop_source_headers(r);
        gxm_put_private(r, ctx->conf);
        gxm_restore_headers(r);
        ap_set_content_type(r, ctx->source.is_by_pi ? NULL      /* whether there would be a page at all */
                            : type_without_page(ctx, ctx->conf->pi != GXM_PI_PREFER ? last_program(ctx) : NULL));
    }
    tell_state(r, "bypass", "head");
    tell_client(ctx, reason_sentence(r, "head"));
    GXM_COUNT(bypass, 1);
    let_go(ctx);
    ctx->stage = STAGE_PASS;
    ap_remove_output_filter(ctx->f);
    return ap_pass_brigade(ctx->f->next, bb);
}

/* ---- the filter -------------------------------------------------------------------------------------------------- */

/* The end of the source: nothing of it at all (an error, or HEAD), less than was declared, or a document, which
 * finish() takes. */
static apr_status_t end_of_source(filter_ctx *ctx, apr_bucket_brigade *bb)
{
    request_rec *r = ctx->r;
    gxm_source *source = &ctx->source;
    const u64 start = gx_now_us();
    gx_error err;
    gx_status status;

    memset(&err, 0, sizeof err);
    status = gxm_source_end(source, &err);
    ctx->parse_us += gx_now_us() - start;
    if (status != GX_OK)
        return fail_source(ctx, bb, &err);
    if (!source->in_bytes && r->header_only)
        return finish_head(ctx, bb);
    if (!source->in_bytes && !source->came)
        return source->is_by_pi ? step_aside(ctx, bb, "no-stylesheet") : fail(ctx, bb, &source_empty, "");
    if (source->came && source->came < ctx->declared)       /* a program died: unlike with a back end, httpd does not
                                                               tell */
        return fail(ctx, bb, &upstream_failed,
                    apr_psprintf(r->pool, "%" APR_UINT64_T_FMT " bytes of its Content-Length, %" APR_UINT64_T_FMT,
                                 (apr_uint64_t)source->came, (apr_uint64_t)ctx->declared));
    return finish(ctx, bb);
}

static apr_status_t fail_upstream(filter_ctx *ctx, apr_bucket_brigade *bb, int status)
{
    const char *details = apr_psprintf(ctx->r->pool, "status %d", status);
    return ap_is_HTTP_ERROR(status) ? fail_as(ctx, bb, &upstream_failed, status, details)
                                    : fail(ctx, bb, &upstream_failed, details);
}

/* One brigade of the source, bucket by bucket, to its parser, up to the end of the response. Buckets are deleted as
 * they are read, so a source of any length takes a bucket's memory beside the document's. A source that names no
 * stylesheet, where it was to name one, goes on as it came. */
static apr_status_t collect(filter_ctx *ctx, apr_bucket_brigade *bb)
{
    gxm_source *source = &ctx->source;
    apr_bucket *e;

    while ((e = APR_BRIGADE_FIRST(bb)) != APR_BRIGADE_SENTINEL(bb)) {
        const char *data = NULL;
        apr_size_t n = 0;
        apr_status_t rv;
        gx_error err;
        gx_status status;
        u64 start;

        if (APR_BUCKET_IS_EOS(e))
            return end_of_source(ctx, bb);
        if (AP_BUCKET_IS_ERROR(e))
            return fail_upstream(ctx, bb, ((ap_bucket_error *)e->data)->status);
        if (AP_BUCKET_IS_EOC(e))
            return fail(ctx, bb, &upstream_failed, "the connection ended early");
        if (APR_BUCKET_IS_METADATA(e)) {
            apr_bucket_delete(e);
            continue;
        }
        rv = source->cached || source->selected ? APR_SUCCESS : gxm_source_read(e, &data, &n);
        if (rv != APR_SUCCESS) {
            char text[120];
            return fail(ctx, bb, APR_STATUS_IS_TIMEUP(rv) ? &source_late : &upstream_failed,
                        apr_pstrdup(ctx->r->pool, apr_strerror(rv, text, sizeof text)));
        }
        memset(&err, 0, sizeof err);
        start = gx_now_us();            /* reading may have meant waiting for a program */
        status = gxm_source_add(source, e, data, n, &err);
        ctx->parse_us += gx_now_us() - start;
        if (status != GX_OK)
            return fail_source(ctx, bb, &err);
        if (source->is_by_pi && source->names_sheet == 0)
            return step_aside(ctx, bb, "no-stylesheet");
    }
    return APR_SUCCESS;
}

/* The filter of one response, called with each of its brigades. ctx->stage says what becomes of them: collected until
 * the end, passed on as they are, or dropped behind an answer. Nothing is sent before the page is whole: until then an
 * error can have its status. */
static apr_status_t filter(ap_filter_t *f, apr_bucket_brigade *bb)
{
    filter_ctx *ctx = f->ctx;
    apr_status_t rv;

    if (APR_BRIGADE_EMPTY(bb))
        return APR_SUCCESS;
    if (!ctx) {                 /* added after the handler had begun: there was no init */
        ctx = f->ctx = apr_pcalloc(f->r->pool, sizeof *ctx);
        ctx->conf = gxm_dir_conf(f->r);
    }
    if (ctx->stage == STAGE_DONE) {
        apr_brigade_cleanup(bb);
        return AP_FILTER_ERROR;
    }
    if (ctx->stage == STAGE_DROP) {
        apr_brigade_cleanup(bb);
        return APR_SUCCESS;
    }
    if (ctx->stage == STAGE_PASS)
        return ap_pass_brigade(f->next, bb);
    if (ctx->stage == STAGE_NEW) {
        gxm_state *state = gxm_state_of(f->r);
        ctx->f = f;
        ctx->r = f->r;
        ctx->by_worker = -1;
        /* two ways lead into the chain (a directive of ours, SetOutputFilter): the first one does it, and has told what
         * it did */
        if (state->is_taken)
            return pass_source(ctx, bb);
        state->is_taken = 1;
        gxm_restore_codings(f->r);
        rv = begin(ctx, bb);
        if (ctx->stage != STAGE_COLLECT)
            return rv;
    }
    return collect(ctx, bb);
}

/* A program may name a file as its answer (X-Sendfile). mod_xsendfile puts that in the place of all that comes to it,
 * an error of ours included, and has its filter behind ours: the file would go out as it is. It comes first. */
static void sendfile_first(ap_filter_t *f)
{
    ap_filter_t **at = &f->next, **to = &f->r->output_filters, *sendfile;
    while (*at && ((*at)->r != f->r || strcasecmp((*at)->frec->name, "xsendfile") != 0))
        at = &(*at)->next;
    sendfile = *at;
    if (!sendfile)
        return;
    *at = sendfile->next;
    while (*to != f)
        to = &(*to)->next;
    sendfile->next = f;
    *to = sendfile;
}

static int filter_init(ap_filter_t *f)
{
    request_rec *r = f->r;
    filter_ctx *ctx = apr_pcalloc(r->pool, sizeof *ctx);
    f->ctx = ctx;
    ctx->conf = gxm_dir_conf(r);
    ctx->is_made = gxm_is_made(r);
    sendfile_first(f);
    if (gxm_conf.engine != GXM_ENGINE_OFF && gxm_is_active(ctx->conf) && !apr_table_get(r->subprocess_env, "no-gpuxml")
        && !gxm_is_other_file(r, ctx->conf))
        gxm_state_of(r);            /* gxm_hold_conditions goes by it */
    return OK;
}

/* After an internal redirect (a RewriteRule of a directory, mod_actions, a program's Location, an ErrorDocument) the
 * new request gets the headers as we left them in the old one, so those are the client's first. The access log asks the
 * last request: of an error of ours that says what became of it. */
int gxm_redirected(request_rec *r)
{
    static const char *const ours[] = { "no-gpuxml", "force-gpuxml" };
    gxm_state *state = r->prev ? gxm_state_if_any(r->prev) : NULL;
    gxm_match_redirected(r);
    const char *was = state ? apr_table_get(r->prev->subprocess_env, "GPUXML_STATE") : NULL;
    if (was && strcmp(was, "error") == 0) {
        const apr_array_header_t *told = apr_table_elts(r->prev->subprocess_env);
        for (int i = 0; i < told->nelts; i++) {
            const apr_table_entry_t *e = &APR_ARRAY_IDX(told, i, apr_table_entry_t);
            if (strncmp(e->key, "GPUXML_", 7) == 0)
                tell(r, e->key, e->val);
        }
    }
    /* httpd calls it REDIRECT_no-gpuxml now; whoever set it (RewriteRule ... [E=no-gpuxml:1] of a directory) meant the
     * answer */
    for (int i = 0; r->prev && !ap_is_HTTP_ERROR(r->prev->status) && i < 2; i++) {
        const char *value = apr_table_get(r->prev->subprocess_env, ours[i]);
        if (value)
            apr_table_setn(r->subprocess_env, ours[i], value);
    }
    if (state) {
        gxm_restore_codings(r->prev);
        gxm_restore_headers(r->prev);
        if (state->had_local_copy)
            r->no_local_copy = 0;
    }
    return DECLINED;
}

/* insert_filter: the filter is added where a section has a stylesheet, or may have one by the source's, unless
 * SetOutputFilter has added it already. A file of another type gets none, so its conditions and ranges stay httpd's. */
void gxm_filter_insert(request_rec *r)
{
    const gxm_dir *conf = gxm_dir_conf(r);
    ap_filter_rec_t *want;
    if (r->prev)                /* an ErrorDocument of our own */
        put_error_headers(r->prev, r);
    if (!gxm_is_active(conf) && !gxm_sections_matter(r))    /* else the source depends on what the page does */
        return;
    if (gxm_is_other_file(r, conf)) {
        log_reason(r, "type");
        if (conf->debug == 1 && !r->main)
            apr_table_setn(r->headers_out, "X-GPUXML-Why", why_header(r, "bypass", "type", reason_sentence(r, "type")));
        return;
    }
    want = is_select(conf) ? xpath_filter : xslt_filter;
    for (ap_filter_t *f = r->output_filters; f && f->frec->ftype <= AP_FTYPE_RESOURCE; f = f->next)
        if (f->r == r && (f->frec == xslt_filter || f->frec == xpath_filter))
            return;
    ap_add_output_filter_handle(want, NULL, r, r->connection);
}

void gxm_error_headers(request_rec *r)
{
    gxm_restore_codings(r);         /* for the access log */
    gxm_restore_headers(r);
    put_error_headers(r, r);
}

void gxm_filter_register(void)
{
    gxm_fetch_register();
    /* Without flags for mod_filter: it would take ETag and length from what we have sent, or pass, and no-transform is
     * looked at in ours.c. */
    xslt_filter = ap_register_output_filter("GPUXSLT", filter, filter_init, AP_FTYPE_RESOURCE);
    xpath_filter = ap_register_output_filter("GPUXPATH", filter, filter_init, AP_FTYPE_RESOURCE);
}
