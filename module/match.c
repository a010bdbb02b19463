/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.c -- which of the section's profiles does a response match, or a request?
 *
 *   filter GPUXMLMATCH, of responses   the response is held until its document is complete: mod_headers, behind us,
 *                                      sees what it matches. It goes out as it came
 *   filter GPUXMLMATCH, of requests    the body is read when its handler begins to read it, and handed on as it came
 *   GPUXMLMatchRequests                the same filter, and its first reading before a handler is chosen: after
 *                                      authorization (on), or before <If> sections and rewriting (early)
 *
 * What cannot be matched (no XML, not well-formed, too large) goes on as it is, without the variables. Neither filter
 * makes a request fail. Memory: the body, up to GPUXMLLimit input; what is longer is not matched, and is held no
 * longer.
 */
#include "evaluate.h"
#include "match.h"
#include "media.h"
#include "ours.h"
#include "source.h"
#include "machine/text.h"
#include <http_connection.h>

#define VARIABLE_BYTES 4000u    /* of GPUXML_MATCHES: servers and clients refuse headers of more than 8000 */

/* ---- one document ---- */

gx_status gxm_matching_begin(gxm_matching *m, request_rec *r, gx_error *err)
{
    gxm_profiles *p = gxm_dir_conf(r)->profiles;
    memset(m, 0, sizeof *m);
    m->r = r;
    m->set = gxm_profiles_use(p);
    if (!m->set)
        return gx_fail(err, GX_EBUSY, gxm_profiles_path(p), 0, 0, "the profiles could not be loaded");
    m->matcher = gxm_matcher_take(m->set);
    return m->matcher ? GX_OK : gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory for a matcher");
}

/* A profile's evaluation ended with an error: it does not match. */
static void warn(void *ctx, const gx_error *what)
{
    request_rec *r = ctx;
    char text[1200], line[1400];
    apr_snprintf(line, sizeof line, "GX0175: a profile does not match, since it ends with an error: %s [profiles %s",
                 gxm_error_text(what, text, sizeof text), gxm_profiles_name(gxm_dir_conf(r)->profiles));
    gxm_report(r, APLOG_WARNING, line, apr_psprintf(r->pool, ", uri %.256s]", r->uri));
}

/* A worker's device says which profiles match, but for those that the planner decides, which is done here.
 * *is_answered: no need to match here, whatever the status is */
static gx_status match_there(gxm_matching *m, gxm_device_set *device, const gx_doc *doc, const gx_limits *limits,
                             u64 deadline_us, gxm_worker_cpu *cpu, int *is_answered, gx_error *err)
{
    gxp_packer *packer = gxm_packer_take(m->set);
    gxm_job job = { 0 };
    const gxp_tree *tree = NULL;
    gxp_found found;
    u64 size;
    gx_status status = GX_EHOST;
    if (packer && gxp_pack(packer, doc, limits->steps, deadline_us, &tree, &size, err) == GX_OK && tree)
        status = gxm_worker_match(&job, &device->queued, device->flat->n_profiles, tree, size, deadline_us, &found,
                                  cpu, err);
    if (status == GX_OK)
        status = gxp_match_found(m->matcher, doc, limits, &found, warn, m->r, &m->ids, &m->n, err);
    else if (status != GX_ETIME) {
        GXM_COUNT(match_fallbacks, 1);
        *is_answered = 0;
    }
    gxm_job_release(&job);
    gxm_packer_give(m->set, packer);
    return status;
}

/* Is a device to match this document? *is_chosen: the cost model was asked, and its choice is in *choice. */
static int choose(gxm_matching *m, const gxm_device_set *device, const gx_doc *doc, gxm_choice *choice, int *is_chosen)
{
    static gxm_cost_count counting;
    gxm_cost_facts facts;
    if (!device || m->is_explained || !gxm_worker_has_device() || !gxm_worker_alive())
        return 0;
    if (!gxm_costs)
        return 1;
    memset(&facts, 0, sizeof facts);
    facts.digest = device->queued.digest.word[2];       /* programs have the first two words */
    facts.name = apr_pstrcat(m->r->pool, "match: ", gxm_profiles_name(gxm_dir_conf(m->r)->profiles), NULL);
    facts.n_nodes = doc->n_nodes;
    facts.doc_bytes = 8ull * doc->n_nodes;
    gxm_ask_costs(&facts, &counting, gx_now_us(), choice);
    *is_chosen = 1;
    return choice->worker;
}

/* Which profiles match the document: m->ids, m->n of them, in the matcher's memory. By the worker's device if the set
 * is there and the cost model says so, else by this thread, which also does what the device hands back. Time and
 * choice are learnt. GX_ETIME at the deadline, or a limit. */
gx_status gxm_matching_run(gxm_matching *m, const gx_doc *doc, const gx_limits *limits, u64 deadline_us,
                           gx_error *err)
{
    const u64 from = gx_now_us();
    gxm_device_set *device = gxm_profiles_device(m->set);
    gxm_choice choice;
    gxm_worker_cpu worker_cpu = { 0, 0, 0 };
    int is_chosen = 0;
    memset(&choice, 0, sizeof choice);
    int is_answered = choose(m, device, doc, &choice, &is_chosen);
    gx_status status = GX_EHOST;
    if (is_chosen)
        gxm_cost_begin(gxm_costs, gxm_child_place, &choice);
    const double cpu_us = is_chosen && choice.is_measured ? gx_thread_cpu_us() : 0;
    gxp_matcher_deadline(m->matcher, deadline_us);
    if (is_answered)
        status = match_there(m, device, doc, limits, deadline_us, &worker_cpu, &is_answered, err);
    m->where = is_answered ? gxm_worker_kind(0) : "cpu";
    if (!is_answered)
        status = gxp_match(m->matcher, doc, limits, warn, m->r, &m->ids, &m->n, err);
    if (status == GX_ETIME)
        gx_fail(err, GX_ETIME, "", 0, 0, "matching the document takes longer than GPUXMLTimeout allows");
    const u64 took_us = gx_now_us() - from;
    if (is_chosen) {
        gxm_cost_end(gxm_costs, gxm_child_place, &choice);
        if (choice.is_measured)
            gxm_cost_learn(gxm_costs, &choice, gx_thread_cpu_us() - cpu_us, (double)took_us, worker_cpu.own_us,
                           worker_cpu.batch_us);
    }
    GXM_COUNT(match_us, took_us);
    if (status == GX_OK) {
        GXM_COUNT(match_documents, 1);
        GXM_COUNT(match_by_device, is_answered != 0);
        GXM_COUNT(match_matches, m->n);
    }
    return status;
}

void gxm_matching_end(gxm_matching *m)
{
    if (m->set)
        gxm_matcher_give(m->set, m->matcher);
    gxm_profile_set_release(m->set);
    m->set = NULL;
    m->matcher = NULL;
}

static void tell(request_rec *r, const char *name, const char *value)
{
    apr_table_setn(r->subprocess_env, name, value);
    apr_table_setn(r->notes, name, value);
}

/* An id in a list with commas, in a header: what would be mistaken there is written as in a URL. */
static size_t put_id(char *to, const char *id)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t n = 0;
    for (; *id; id++)
        if ((u8)*id > 0x20 && (u8)*id < 0x7f && !strchr("%,\"\\", *id))
            to[n++] = *id;
        else {
            to[n++] = '%';
            to[n++] = hex[(u8)*id >> 4];
            to[n++] = hex[(u8)*id & 15];
        }
    return n;
}

void gxm_matching_tell(const gxm_matching *m)
{
    request_rec *r = m->r;
    char *list = apr_palloc(r->pool, VARIABLE_BYTES + 1);
    size_t n = 0;
    for (u32 i = 0; i < m->n; i++) {
        const char *id = gxp_id(m->set->set, m->ids[i]);
        if (3 * strlen(id) + 1 > VARIABLE_BYTES - n)
            break;
        if (i)
            list[n++] = ',';
        n += put_id(list + n, id);
    }
    list[n] = 0;
    tell(r, "GPUXML_MATCHES", list);
    tell(r, "GPUXML_MATCH_COUNT", apr_psprintf(r->pool, "%u", m->n));
    tell(r, "GPUXML_MATCH_ENGINE", m->where);
}

static void report(request_rec *r, const char *what, const gx_error *err)
{
    char text[1200];
    const char *hint = "";
    if (err->limit && !strstr(err->text, "GPUXMLLimit"))
        hint = apr_psprintf(r->pool, " (raise it with GPUXMLLimit %s=)", err->limit);
    GXM_COUNT(match_errors, 1);
    gxm_report(r, APLOG_ERR,
               apr_psprintf(r->pool, "GX0176: %s not matched: %s%s [profiles %s", what,
                            gxm_error_text(err, text, sizeof text), hint,
                            gxm_profiles_name(gxm_dir_conf(r)->profiles)),
               apr_psprintf(r->pool, ", uri %.256s]", r->uri));
}

static void match_doc(request_rec *r, const char *what, const gx_doc *doc, const gx_limits *limits, u64 deadline_us)
{
    gxm_matching m;
    gx_error err = { 0 };
    gx_status status = gxm_matching_begin(&m, r, &err);
    if (status == GX_OK)
        status = gxm_matching_run(&m, doc, limits, deadline_us, &err);
    if (status == GX_OK)
        gxm_matching_tell(&m);
    else
        report(r, what, &err);
    gxm_matching_end(&m);
}

/* ---- documents in requests ---- */

/* mod_deflate's filter is in the way of the body: it takes the coding away. */
static int is_inflated(const request_rec *r)
{
    const ap_filter_t *f = r->input_filters;
    while (f && strcasecmp(f->frec->name, "deflate") != 0)
        f = f->next;
    return f != NULL;
}

int gxm_body_is_coded(const request_rec *r)
{
    const char *coding = apr_table_get(r->headers_in, "Content-Encoding");
    return coding && strcasecmp(coding, "identity") != 0 && !is_inflated(r);
}

int gxm_body_type(request_rec *r, const gxm_dir *conf)
{
    const char *type = apr_table_get(r->headers_in, "Content-Type");
    const int is_taken = (!type || gxm_is_xml_type(r->pool, conf, type)) && !gxm_body_is_coded(r);
    return is_taken ? OK : HTTP_UNSUPPORTED_MEDIA_TYPE;
}

/* A document begins that a request's body has: kit and parser, by the section's options and the charset of its
 * Content-Type. No files are read for it. gxm_body_end() is to be called whatever this returns. */
gx_status gxm_body_begin(gxm_body *b, request_rec *r, gx_error *err)
{
    const gxm_dir *conf = gxm_dir_conf(r);
    gx_parse_options *o = &b->options;
    memset(b, 0, sizeof *b);
    b->r = r;
    gxm_limits_effective(conf, &b->limits);
    gxm_limits_report(r, conf);
    o->limits = &b->limits;
    o->charset = gxm_charset_of(r->pool, apr_table_get(r->headers_in, "Content-Type"));
    o->external_ignore = conf->external_ignore == 1;
    o->html_entities = conf->html_entities == 1;
    o->lenient = conf->lenient == 1;
    o->no_doctype = conf->no_doctype == 1;
    o->timeout_us = gxm_timeout_us(conf);
    b->kit = gxm_kit_take();
    if (!b->kit)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory");
    o->alloc = gxm_kit_block;
    o->alloc_ctx = b->kit;
    return gx_parser_begin(b->kit->parser, o, err);
}

gx_status gxm_body_add(gxm_body *b, const char *bytes, size_t n, gx_error *err)
{
    const u64 from = gx_now_us();
    b->n += n;
    const gx_status status = gx_parser_feed(b->kit->parser, bytes, n, err);
    b->parse_us += gx_now_us() - from;
    return status;
}

gx_status gxm_body_doc(gxm_body *b, gx_doc **doc, gx_error *err)
{
    const u64 from = gx_now_us();
    const gx_status status = gx_parser_finish(b->kit->parser, doc, err);
    b->parse_us += gx_now_us() - from;
    return status;
}

void gxm_body_end(gxm_body *b)
{
    if (b->kit)
        gxm_kit_give(b->kit, 0);
    b->kit = NULL;
}

/* ---- the filter of requests ---- */

static ap_filter_rec_t *request_filter;

/* A request's body that was read before its handler */
typedef struct held_body {
    request_rec *r;
    apr_bucket_brigade *bytes;  /* not handed on yet; NULL: nothing was read so far */
    apr_status_t failed;        /* what reading on will say */
    int has_end;                /* EOS is in bytes */
} held_body;

static const char held_key[] = "gpuxml request body";   /* in the pool, which a redirected request has as well */

static held_body *held_of(const request_rec *r)
{
    void *h = NULL;
    apr_pool_userdata_get(&h, held_key, r->pool);
    return h;
}

/* Reads the body, while it can still be matched; whatever was read is in h->bytes then. */
static void read_body(held_body *h, ap_filter_t *next)
{
    request_rec *r = h->r;
    apr_bucket_brigade *bb = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    gxm_body body;
    gx_error err = { 0 };
    gx_status status;
    gx_doc *doc;
    h->bytes = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    status = gxm_body_begin(&body, r, &err);
    while (status == GX_OK && !h->has_end && h->failed == APR_SUCCESS) {
        h->failed = ap_get_brigade(next, bb, AP_MODE_READBYTES, APR_BLOCK_READ, 65536);
        for (apr_bucket *e; h->failed == APR_SUCCESS && (e = APR_BRIGADE_FIRST(bb)) != APR_BRIGADE_SENTINEL(bb);) {
            const char *data;
            apr_size_t n = 0;
            h->has_end |= APR_BUCKET_IS_EOS(e);
            if (!APR_BUCKET_IS_METADATA(e))
                h->failed = apr_bucket_read(e, &data, &n, APR_BLOCK_READ);
            if (n && status == GX_OK)
                status = gxm_body_add(&body, data, n, &err);
            APR_BUCKET_REMOVE(e);
            apr_bucket_setaside(e, r->pool);
            APR_BRIGADE_INSERT_TAIL(h->bytes, e);
        }
    }
    if (h->failed != APR_SUCCESS || (status == GX_OK && !body.n))
        status = GX_ECANCEL;
    if (status == GX_OK)
        status = gxm_body_doc(&body, &doc, &err);
    if (status == GX_OK)
        match_doc(r, "request", doc, &body.limits, gx_now_us() + gxm_timeout_us(gxm_dir_conf(r)));
    else if (status != GX_ECANCEL)
        report(r, "request", &err);
    gxm_body_end(&body);
    apr_brigade_destroy(bb);
}

/* The filter of a request's body, for what reads it: the first call reads the body, while it can still be matched, and
 * matches it; then each gets its part of what was kept, in the mode that it asks for, and at last what has not been
 * read. What is not matched, by type or section, passes through. */
static apr_status_t filter_request(ap_filter_t *f, apr_bucket_brigade *bb, ap_input_mode_t mode,
                                   apr_read_type_e block, apr_off_t readbytes)
{
    held_body *h = f->ctx;
    apr_bucket *e;
    if (!h) {                   /* SetInputFilter */
        const gxm_dir *conf = gxm_dir_conf(f->r);
        if (!conf->profiles || gxm_body_type(f->r, conf) != OK || mode == AP_MODE_INIT) {
            ap_remove_input_filter(f);
            return ap_get_brigade(f->next, bb, mode, block, readbytes);
        }
        h = f->ctx = apr_pcalloc(f->r->pool, sizeof *h);
        h->r = f->r;
    }
    if (!h->bytes)
        read_body(h, f->next);
    if (APR_BRIGADE_EMPTY(h->bytes)) {
        if (h->failed != APR_SUCCESS)
            return h->failed;
        if (!h->has_end)        /* the rest of what is not matched */
            ap_remove_input_filter(f);
        return ap_get_brigade(f->next, bb, mode, block, readbytes);
    }
    if (mode == AP_MODE_GETLINE)
        return apr_brigade_split_line(bb, h->bytes, block, HUGE_STRING_LEN);
    if (mode == AP_MODE_READBYTES || mode == AP_MODE_SPECULATIVE) {
        const apr_status_t rv = apr_brigade_partition(h->bytes, readbytes, &e);
        if (rv != APR_SUCCESS && rv != APR_INCOMPLETE)
            return rv;
        if (mode == AP_MODE_SPECULATIVE) {
            for (apr_bucket *at = APR_BRIGADE_FIRST(h->bytes), *copy; at != e; at = APR_BUCKET_NEXT(at))
                if (apr_bucket_copy(at, &copy) == APR_SUCCESS)
                    APR_BRIGADE_INSERT_TAIL(bb, copy);
            return APR_SUCCESS;
        }
        while (APR_BRIGADE_FIRST(h->bytes) != e) {
            apr_bucket *first = APR_BRIGADE_FIRST(h->bytes);
            APR_BUCKET_REMOVE(first);
            APR_BRIGADE_INSERT_TAIL(bb, first);
        }
        if (e != APR_BRIGADE_SENTINEL(h->bytes) && APR_BUCKET_IS_EOS(e)) {      /* as httpd's own filter has it */
            APR_BUCKET_REMOVE(e);
            APR_BRIGADE_INSERT_TAIL(bb, e);
        }
        return APR_SUCCESS;
    }
    APR_BRIGADE_CONCAT(bb, h->bytes);
    return APR_SUCCESS;
}

static int has_body(const request_rec *r)
{
    return apr_table_get(r->headers_in, "Content-Length") || apr_table_get(r->headers_in, "Transfer-Encoding");
}

static void match_now(request_rec *r, int when)
{
    const gxm_dir *conf = gxm_dir_conf(r);
    if (conf->matches_requests != when || !conf->profiles || r->main || r->prev || !has_body(r) || held_of(r)
        || gxm_body_type(r, conf) != OK)
        return;
    held_body *h = apr_pcalloc(r->pool, sizeof *h);
    h->r = r;
    apr_pool_userdata_setn(h, held_key, NULL, r->pool);
    read_body(h, r->input_filters);
    ap_add_input_filter_handle(request_filter, h, r, r->connection);
}

int gxm_match_early(request_rec *r)
{
    match_now(r, GXM_MATCH_EARLY);
    return DECLINED;
}

int gxm_match_fixups(request_rec *r)
{
    match_now(r, GXM_MATCH_ON);
    return DECLINED;
}

/* The new request has the connection's filters only: what was read of the body is behind them. */
void gxm_match_redirected(request_rec *r)
{
    static const char *const names[] = { "GPUXML_MATCHES", "GPUXML_MATCH_COUNT", "GPUXML_MATCH_ENGINE" };
    held_body *h = r->prev ? held_of(r->prev) : NULL;
    if (!h)
        return;
    h->r = r;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = apr_table_get(r->prev->subprocess_env, names[i]);
        if (value)
            apr_table_setn(r->subprocess_env, names[i], value);
    }
    if (!ap_is_HTTP_ERROR(r->prev->status))
        ap_add_input_filter_handle(request_filter, h, r, r->connection);
}

/* ---- the filter of responses ---- */

typedef struct held_response {
    int is_over;                /* what comes goes out as it is */
    gxm_source source;
} held_response;

static apr_status_t response_cleanup(void *data)
{
    gxm_source_done(&((held_response *)data)->source, 0);
    return APR_SUCCESS;
}

/* What was held, and the rest, go out; the filter is done. */
static apr_status_t pass(ap_filter_t *f, apr_bucket_brigade *rest)
{
    held_response *h = f->ctx;
    apr_bucket_brigade *all = h->source.kept;
    h->source.kept = NULL;
    gxm_source_done(&h->source, 0);
    h->is_over = 1;
    if (all) {
        APR_BRIGADE_CONCAT(all, rest);
        rest = all;
    }
    ap_remove_output_filter(f);
    return ap_pass_brigade(f->next, rest);
}

static apr_status_t give_up(ap_filter_t *f, apr_bucket_brigade *bb, const gx_error *err)
{
    const held_response *h = f->ctx;
    gx_error what = *err;
    if (h->source.bad_coding)
        gx_fail(&what, GX_EXML, "", 0, 0, "it cannot be decoded: %s", h->source.bad_coding);
    report(f->r, "response", &what);
    return pass(f, bb);
}

/* The response's first brigade: is it one that is matched (2xx, whole, XML by its type, no part of another page, a
 * coding that is read here)? Then its source begins, all of which is kept to be sent. GX_ECANCEL: it is not. */
static gx_status begin(ap_filter_t *f, apr_bucket_brigade *bb, gx_error *err)
{
    request_rec *r = f->r;
    const gxm_dir *conf = gxm_dir_conf(r);
    held_response *h = f->ctx = apr_pcalloc(r->pool, sizeof *h);
    const char *coding = NULL;
    if (!conf->profiles || r->main || r->status < 200 || r->status > 299 || r->status == HTTP_PARTIAL_CONTENT
        || r->status == HTTP_NO_CONTENT || !gxm_is_xml_type(r->pool, conf, r->content_type))
        return GX_ECANCEL;
    coding = gxm_coding_of(r);
    if (coding && !gxm_is_coding(coding))
        return GX_ECANCEL;
    h->source.r = r;
    h->source.is_kept = 1;
    h->source.path = "";
    gxm_limits_effective(conf, &h->source.limits);
    apr_pool_cleanup_register(r->pool, h, response_cleanup, apr_pool_cleanup_null);
    h->source.kit = gxm_kit_take();
    if (!h->source.kit)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory");
    return gxm_source_begin(&h->source, bb, coding != NULL, err);
}

static apr_status_t finish(ap_filter_t *f, apr_bucket_brigade *bb)
{
    held_response *h = f->ctx;
    gx_error err = { 0 };
    gx_doc *doc;
    gx_status status = gxm_source_end(&h->source, &err);
    if (status == GX_OK && !h->source.in_bytes && !h->source.came)
        return pass(f, bb);             /* HEAD */
    if (status == GX_OK)
        status = gxm_source_doc(&h->source, &doc, &err);
    if (status != GX_OK)
        return give_up(f, bb, &err);
    match_doc(f->r, "response", doc, &h->source.limits, gx_now_us() + gxm_timeout_us(gxm_dir_conf(f->r)));
    return pass(f, bb);
}

/* The filter of a response: keeps it until its end, matches it, so that headers can tell, and sends it as it came.
 * What cannot be matched is sent, too, and the log says why. */
static apr_status_t filter_response(ap_filter_t *f, apr_bucket_brigade *bb)
{
    held_response *h = f->ctx;
    gx_error err = { 0 };
    apr_bucket *e;
    if (h && h->is_over)
        return ap_pass_brigade(f->next, bb);
    if (APR_BRIGADE_EMPTY(bb))
        return APR_SUCCESS;
    if (!h) {
        const gx_status status = begin(f, bb, &err);
        h = f->ctx;
        if (status != GX_OK)
            return status == GX_ECANCEL ? pass(f, bb) : give_up(f, bb, &err);
    }
    while ((e = APR_BRIGADE_FIRST(bb)) != APR_BRIGADE_SENTINEL(bb)) {
        const char *data = NULL;
        apr_size_t n = 0;
        if (APR_BUCKET_IS_EOS(e))
            return finish(f, bb);
        if (AP_BUCKET_IS_ERROR(e) || AP_BUCKET_IS_EOC(e))
            return pass(f, bb);
        if (APR_BUCKET_IS_METADATA(e)) {        /* a FLUSH would send the headers */
            apr_bucket_delete(e);
            continue;
        }
        if (!h->source.cached && gxm_source_read(e, &data, &n) != APR_SUCCESS)
            return pass(f, bb);
        if (gxm_source_add(&h->source, e, data, n, &err) != GX_OK)
            return give_up(f, bb, &err);
    }
    return APR_SUCCESS;
}

void gxm_match_register(void)
{
    ap_register_output_filter("GPUXMLMATCH", filter_response, NULL, AP_FTYPE_RESOURCE);
    request_filter = ap_register_input_filter("GPUXMLMATCH", filter_request, NULL, AP_FTYPE_RESOURCE);
}
