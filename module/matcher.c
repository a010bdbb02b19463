/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matcher.c -- SetHandler gpuxml-match: a document is posted, the answer is what it matches
 *
 *   POST LOCATION                text, JSON or XML, by Accept: the ids of the profiles that the document matches
 *   POST LOCATION?explain=ID     text: why this profile matches, or does not
 *   GET, PUT, DELETE LOCATION/ID one profile of the set's file (profile_file.c), where GPUXMLProfilesRoot allows it
 *
 * Statuses: 400 the document is not well-formed, 413 it is larger than GPUXMLLimit input, 415 its type or coding is
 * none that is read, 422 it reaches another limit, or a profile that is put is no expression, 503 no memory, or no
 * profiles,
 * 504 the time is up. Unlike a page's source, what is at fault comes from the client. Each such answer says why, in a
 * line of text; the log has it as well.
 *
 * A document is parsed while it comes. Until it is complete the request holds a parser, no matcher.
 */
#include "depend.h"
#include "match.h"
#include "profile_file.h"
#include "document/buf.h"
#include "machine/text.h"
#include <mod_core.h>

#define TEXT_BYTES ((size_t)64 << 10)   /* of a profile that is put */

/* ---- answers ---- */

/* The line of text that an answer other than 200 is, with its status, and a line in the log */
static int say(request_rec *r, int status, const char *what)
{
    char line[1400];
    apr_snprintf(line, sizeof line, "GX0177: gpuxml-match answers %d: %s [profiles %s", status, what,
                 gxm_profiles_name(gxm_dir_conf(r)->profiles));
    gxm_report(r, status < 500 ? APLOG_INFO : APLOG_ERR, line, apr_psprintf(r->pool, ", uri %.256s]", r->uri));
    r->status = status;
    if (status == HTTP_SERVICE_UNAVAILABLE)
        apr_table_setn(r->headers_out, "Retry-After", "1");
    ap_set_content_type(r, "text/plain; charset=utf-8");
    ap_rprintf(r, "%s\n", what);
    return OK;
}

static int say_error(request_rec *r, const gx_error *err, int in_document)
{
    char text[1200];
    int status = HTTP_UNPROCESSABLE_ENTITY;
    const char *hint = "";
    if (err->status == GX_ENOMEM || err->status == GX_EBUSY)
        status = HTTP_SERVICE_UNAVAILABLE;
    else if (err->status == GX_ETIME)
        status = HTTP_GATEWAY_TIME_OUT;
    else if (err->limit && strcmp(err->limit, "input") == 0)
        status = HTTP_REQUEST_ENTITY_TOO_LARGE;
    else if (err->status == GX_EXML && in_document)
        status = HTTP_BAD_REQUEST;
    if (err->limit && !strstr(err->text, "GPUXMLLimit"))
        hint = apr_psprintf(r->pool, " (GPUXMLLimit %s=)", err->limit);
    GXM_COUNT(match_errors, 1);
    return say(r, status, apr_pstrcat(r->pool, gxm_error_text(err, text, sizeof text), hint, NULL));
}

/* ---- Accept (RFC 9110, 12.5.1) ---- */

static const struct { const char *type, *sent; } forms[] = {
    { "text/plain", "text/plain; charset=utf-8" }, { "application/json", "application/json" },
    { "application/xml", "application/xml; charset=utf-8" }, { "text/xml", "text/xml; charset=utf-8" }
};
enum { FORM_TEXT = 0, FORM_JSON, FORM_XML, N_FORMS = sizeof forms / sizeof *forms };

/* How close range is to type: 3 the same, 2 its kind, 1 any; 0: not at all */
static int closeness(const char *range, const char *type)
{
    const size_t kind = strcspn(type, "/") + 1;
    return strcasecmp(range, type) == 0 ? 3 : strncasecmp(range, type, kind) == 0 && strcmp(range + kind, "*") == 0 ? 2
         : strcmp(range, "*/*") == 0 ? 1 : 0;
}

/* What an Accept says of a type, by the range of it that is closest */
typedef struct liking {
    int q, close, place;        /* q: in thousandths, 0: it is not wanted; place: of the range, from 1 */
} liking;

static liking liking_of(apr_pool_t *p, const char *accept, const char *type)
{
    char *rest, *range = apr_strtok(apr_pstrdup(p, accept), ",", &rest);
    liking best = { 0, 0, 0 };
    for (int place = 1; range; range = apr_strtok(NULL, ",", &rest), place++) {
        char *params, *name = apr_strtok(range, "; \t", &params), *param;
        liking own = { 1000, name ? closeness(name, type) : 0, place };
        while (name && (param = apr_strtok(NULL, "; \t", &params)) != NULL)
            if (strncasecmp(param, "q=", 2) == 0) {
                const double value = strtod(param + 2, NULL);
                own.q = value >= 0 && value <= 1 ? (int)(value * 1000 + 0.5) : 0;
            }
        if (own.close > best.close || (own.close && own.close == best.close && own.q > best.q))
            best = own;
    }
    return best;
}

/* A client that names a type likes it better than one that a wildcard lets through, and the first of those best. */
static int is_better(const liking *a, const liking *b)
{
    return a->q != b->q ? a->q > b->q : a->close != b->close ? a->close > b->close : a->place < b->place;
}

/* The form that the client likes best, the first of those; -1: it takes none */
static int form_of(request_rec *r)
{
    const char *accept = apr_table_getm(r->pool, r->headers_in, "Accept");
    liking best = { 0, 0, 0 };
    int form = -1;
    if (!accept || !accept[strspn(accept, ", \t")])
        return FORM_TEXT;
    for (int i = 0; i < N_FORMS; i++) {
        const liking own = liking_of(r->pool, accept, forms[i].type);
        if (own.q && (form < 0 || is_better(&own, &best))) {
            best = own;
            form = i;
        }
    }
    return form;
}

/* ---- what matches ---- */

static void put_json_string(request_rec *r, const char *s)
{
    ap_rputc('"', r);
    for (; *s; s++)
        if (*s == '"' || *s == '\\')
            ap_rprintf(r, "\\%c", *s);
        else if ((u8)*s < 0x20)
            ap_rprintf(r, "\\u%04x", (unsigned)*s);
        else
            ap_rputc(*s, r);
    ap_rputc('"', r);
}

static void put_xml_string(request_rec *r, const char *s)
{
    for (; *s; s++)
        if (strchr("<>&\"", *s) || (u8)*s < 0x20)
            ap_rprintf(r, "&#%u;", (unsigned)*s);
        else
            ap_rputc(*s, r);
}

/* The profiles that match, in the order of the set: ids a line each, or JSON, or XML. */
static void put_matches(request_rec *r, const gxm_matching *m, int form)
{
    if (form == FORM_JSON)
        ap_rprintf(r, "{\"matches\":%u,\"ids\":[", m->n);
    else if (form >= FORM_XML)
        ap_rprintf(r, "<matches n=\"%u\">", m->n);
    for (u32 i = 0; i < m->n; i++) {
        const char *id = gxp_id(m->set->set, m->ids[i]);
        if (form == FORM_TEXT)
            ap_rvputs(r, id, "\n", NULL);
        else if (form == FORM_JSON) {
            if (i)
                ap_rputc(',', r);
            put_json_string(r, id);
        }
        else {
            ap_rputs("<match id=\"", r);
            put_xml_string(r, id);
            ap_rputs("\"/>", r);
        }
    }
    ap_rputs(form == FORM_JSON ? "]}\n" : form >= FORM_XML ? "</matches>\n" : "", r);
}

static int to_client(void *ctx, const char *bytes, size_t n) { return ap_rwrite(bytes, (int)n, ctx) < 0; }

/* The value of explain= in the query, decoded; NULL: it is not asked for. *bad: it cannot be decoded */
static const char *explained_id(request_rec *r, int *bad)
{
    char *rest, *one = r->args ? apr_strtok(apr_pstrdup(r->pool, r->args), "&", &rest) : NULL;
    *bad = 0;
    for (; one; one = apr_strtok(NULL, "&", &rest))
        if (strncmp(one, "explain=", 8) == 0) {
            *bad = ap_unescape_urlencoded(one + 8) != OK;
            return one + 8;
        }
    return NULL;
}

/* The document. What is left of a body that is refused httpd reads, or closes the connection. OK, or a status: httpd's,
 * of a body that did not come, or DONE: it is answered. */
static int read_document(request_rec *r, gxm_body *body, gx_doc **doc)
{
    apr_bucket_brigade *bb = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    gx_error err = { 0 };
    gx_status status = gxm_body_begin(body, r, &err);
    int end = 0;
    while (status == GX_OK && !end) {
        const apr_status_t rv = ap_get_brigade(r->input_filters, bb, AP_MODE_READBYTES, APR_BLOCK_READ, 65536);
        if (rv != APR_SUCCESS)
            return ap_map_http_request_error(rv, HTTP_BAD_REQUEST);
        for (apr_bucket *e = APR_BRIGADE_FIRST(bb); e != APR_BRIGADE_SENTINEL(bb) && status == GX_OK && !end;
             e = APR_BUCKET_NEXT(e)) {
            const char *data;
            apr_size_t n = 0;
            end = APR_BUCKET_IS_EOS(e);
            if (!APR_BUCKET_IS_METADATA(e) && apr_bucket_read(e, &data, &n, APR_BLOCK_READ) != APR_SUCCESS)
                return HTTP_BAD_REQUEST;
            if (n)
                status = gxm_body_add(body, data, n, &err);
        }
        apr_brigade_cleanup(bb);
    }
    if (status == GX_OK && !body->n)
        return say(r, HTTP_BAD_REQUEST, "a document is wanted in the request's body"), DONE;
    if (status == GX_OK)
        status = gxm_body_doc(body, doc, &err);
    return status == GX_OK ? OK : (say_error(r, &err, 1), DONE);
}

/* Matches the document and writes the answer; explain: the id of one profile, of which it is said why. Returns a
 * status for the handler, with the sentence written; time is that of the section from here on. */
static int answer_document(request_rec *r, const gx_doc *doc, const gx_limits *limits, int form, const char *explain)
{
    gxm_matching m;
    gx_error err = { 0 };
    u32 profile = 0;
    int status = OK;
    const u64 deadline_us = gx_now_us() + gxm_timeout_us(gxm_dir_conf(r));
    gx_status done = gxm_matching_begin(&m, r, &err);
    m.is_explained = explain != NULL;
    if (done == GX_OK && explain && (profile = gxp_find(m.set->set, explain)) == GX_NONE)
        status = say(r, HTTP_NOT_FOUND, "there is no profile with this id");
    else if (done != GX_OK || (done = gxm_matching_run(&m, doc, limits, deadline_us, &err)) != GX_OK)
        status = say_error(r, &err, 0);
    else {
        gxm_matching_tell(&m);
        apr_table_setn(r->headers_out, "Cache-Control", "no-store");
        ap_set_content_type(r, forms[explain ? FORM_TEXT : form].sent);
        if (explain)
            gxp_explain(m.matcher, profile, to_client, r);
        else
            put_matches(r, &m, form);
    }
    gxm_matching_end(&m);
    return status;
}

/* POST of a document: is what is sent and wanted something that can be, then the document is read and answered. */
static int match_document(request_rec *r, const gxm_dir *conf)
{
    gxm_body body;
    gx_doc *doc;
    int bad, form, status;
    const char *explain = explained_id(r, &bad);
    if (bad)
        return say(r, HTTP_BAD_REQUEST, "explain= is no id");
    if (!explain)
        gxm_vary_by(r, "Accept");
    if ((form = explain ? FORM_TEXT : form_of(r)) < 0)
        return say(r, HTTP_NOT_ACCEPTABLE, "the answer is text/plain, application/json or application/xml");
    if (gxm_body_type(r, conf) != OK)
        return say(r, HTTP_UNSUPPORTED_MEDIA_TYPE, "the document has a type that is none of GPUXMLTypes, or a "
                   "Content-Encoding (SetInputFilter DEFLATE reads gzip)");
    memset(&body, 0, sizeof body);
    status = read_document(r, &body, &doc);
    if (status == OK)
        status = answer_document(r, doc, &body.limits, form, explain);
    gxm_body_end(&body);
    return status == DONE ? OK : status;
}

/* ---- one profile ---- */

/* The profile's id: what the URL has behind the section's path; NULL: nothing */
static const char *profile_id(const request_rec *r, const gxm_dir *conf)
{
    size_t n = conf->profiles_at ? strlen(conf->profiles_at) : 0;
    while (n && conf->profiles_at[n - 1] == '/')
        n--;
    if (conf->profiles_at && strncmp(r->uri, conf->profiles_at, n) == 0 && r->uri[n] == '/')
        return r->uri[n + 1] ? r->uri + n + 1 : NULL;
    return r->path_info && r->path_info[0] == '/' && r->path_info[1] ? r->path_info + 1 : NULL;
}

static const char *etag_of(apr_pool_t *p, const char *text)
{
    const gxm_sha sha = gx_sha256_of(text, strlen(text));
    char *tag = apr_palloc(p, 2 * 16 + 3);
    ap_bin2hex(&sha, 16, tag + 1);
    tag[0] = tag[33] = '"';
    tag[34] = 0;
    return tag;
}

static int get_profile(request_rec *r, const char *path, const char *id)
{
    const char *text, *why;
    int status = gxm_profile_read(r->pool, path, id, &text, &why);
    if (status != OK)
        return say(r, status, why);
    if (!text)
        return HTTP_NOT_FOUND;
    apr_table_setn(r->headers_out, "ETag", etag_of(r->pool, text));
    apr_table_setn(r->headers_out, "Cache-Control", "private, no-cache");
    ap_set_content_type(r, "text/plain; charset=utf-8");
    if ((status = ap_meets_conditions(r)) != OK)
        return status;
    ap_rvputs(r, text, "\n", NULL);
    return OK;
}

/* The expression that is put: *text. OK, or a status, DONE: it is answered */
static int read_text(request_rec *r, const char **text)
{
    gx_buf all = { 0 };
    int status = ap_setup_client_block(r, REQUEST_CHUNKED_DECHUNK);
    long got = 0;
    if (status != OK)
        return status;
    const int has_body = ap_should_client_block(r);
    while (has_body && all.n <= TEXT_BYTES && !gx_buf_room(&all, 8192)
           && (got = ap_get_client_block(r, all.at + all.n, 8192)) > 0)
        all.n += (size_t)got;
    const size_t n = all.n;
    char *copy = apr_pstrmemdup(r->pool, n ? all.at : "", n);
    const int has_nul = strlen(copy) < n;
    gx_buf_free(&all);
    if (got < 0)
        return HTTP_BAD_REQUEST;
    if (n > TEXT_BYTES)
        return say(r, HTTP_REQUEST_ENTITY_TOO_LARGE, "an expression of more than 64 KiB"), DONE;
    for (size_t end = n; end && strchr(" \t\r\n", copy[end - 1]); end--)
        copy[end - 1] = 0;
    const char *why = has_nul ? "an expression has no NUL byte" : gxm_profile_text_wrong(copy);
    if (why)
        return say(r, HTTP_UNPROCESSABLE_ENTITY, why), DONE;
    *text = copy + strspn(copy, " ");
    return OK;
}

/* ---- a change ---- */

typedef struct verdict { request_rec *r; const char *why; } verdict;

static void wrong(void *ctx, u32 profile, const gx_error *what)
{
    verdict *v = ctx;
    char text[1200];
    gx_error err = *what;
    (void)profile;
    err.line = err.column = 0;
    v->why = apr_pstrdup(v->r->pool, gx_error_format(&err, text, sizeof text));
}

/* Is it an expression? NULL, or why not */
static const char *profile_wrong(request_rec *r, const gxp_profile *p)
{
    gxp_profile own = *p;
    verdict v = { r, NULL };
    gxp_set *set = NULL;
    gx_error err = { 0 };
    own.file = "";
    if (gxp_compile(&own, 1, wrong, &v, &set, &err) != GX_OK)
        return err.text[0] ? apr_pstrdup(r->pool, err.text) : "not enough memory";
    gxp_set_free(set);
    return v.why;
}

/* Has the file a line that declares a prefix, or includes another? */
static int has_directive(const gx_buf *file)
{
    const char *at = file->at, *end = at + file->n;
    if (file->n >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    for (; at && at < end; at = (at = memchr(at, '\n', (size_t)(end - at))) ? at + 1 : NULL)
        if (*at == '%')
            return 1;
    return 0;
}

/* What the file's directives make of the profile that is put: prefixes that are declared before it, and whether another
 * file of the set has the id before */
static int put_among_directives(gxm_profile_edit *e, const gx_buf *file)
{
    request_rec *r = e->ctx;
    const gxp_profile *found = NULL;
    gxp_list list;
    gx_error err = { 0 };
    int status = OK;
    const gx_status read = gxm_profiles_list(gxm_dir_conf(r)->profiles, r->pool, file->at, file->n, &list, &err);
    for (u32 i = 0; i < gxp_list_n(&list) && !found; i++)
        if (strcmp(gxp_list_at(&list)[i].id, e->id) == 0)
            found = &gxp_list_at(&list)[i];
    if (read == GX_ENOMEM) {
        e->why = "not enough memory";
        status = HTTP_SERVICE_UNAVAILABLE;
    }
    else if (!found || strcmp(found->file, e->path) != 0) {
        e->why = "the profile is in another file, which this one includes";
        status = HTTP_CONFLICT;
    }
    else if ((e->why = profile_wrong(r, found)) != NULL)
        status = HTTP_UNPROCESSABLE_ENTITY;
    gxp_list_free(&list);
    return status;
}

static int put_is_wrong(gxm_profile_edit *e, const gx_buf *file)
{
    request_rec *r = e->ctx;
    const apr_array_header_t *ns = gxm_profiles_namespaces(gxm_dir_conf(r)->profiles);
    const gxp_profile p = { e->id, e->text, "", 1, 1, (const gx_param *)ns->elts, ns->nelts };
    if (has_directive(file))
        return put_among_directives(e, file);
    e->why = profile_wrong(r, &p);
    return e->why ? HTTP_UNPROCESSABLE_ENTITY : OK;
}

/* gxm_profile_edit.may: the request's conditions are about the profile as it is. */
static int may_change(gxm_profile_edit *e, const char *old, const gx_buf *file)
{
    request_rec *r = e->ctx;
    int status = OK;
    if (!old && apr_table_get(r->headers_in, "If-Match"))
        return HTTP_PRECONDITION_FAILED;
    if (!old && !e->text)
        return HTTP_NOT_FOUND;
    if (old) {
        apr_table_setn(r->headers_out, "ETag", etag_of(r->pool, old));
        status = ap_meets_conditions(r);
        apr_table_unset(r->headers_out, "ETag");
    }
    return status == OK && e->text ? put_is_wrong(e, file) : status;
}

/* PUT or DELETE of one profile: checks id and expression, changes the file, and has the set loaded anew, before it
 * answers with 201 or 204. Conditions are looked at under the file's lock (may_change). */
static int change_profile(request_rec *r, const char *path, const char *id)
{
    gxm_profile_edit e = { .pool = r->pool, .path = path, .id = id, .may = may_change, .ctx = r,
                           .deadline_us = gx_now_us() + gxm_timeout_us(gxm_dir_conf(r)) };
    const char *why = gxm_profile_id_wrong(id);
    int status;
    if (why)
        return say(r, HTTP_UNPROCESSABLE_ENTITY, why);
    if (r->method_number == M_PUT) {
        if (apr_table_get(r->headers_in, "Content-Range"))      /* RFC 9110, 14.5 */
            return say(r, HTTP_BAD_REQUEST, "an expression is put as a whole, without Content-Range");
        if (gxm_body_is_coded(r))
            return say(r, HTTP_UNSUPPORTED_MEDIA_TYPE, "the expression has a Content-Encoding");
        if ((status = read_text(r, &e.text)) != OK)
            return status == DONE ? OK : status;
    }
    status = gxm_profile_change(&e);
    if (status != OK)
        return e.why ? say(r, status, e.why) : status;
    gxm_profiles_look(gxm_dir_conf(r)->profiles);
    ap_log_rerror(APLOG_MARK, APLOG_INFO, 0, r, "GX0178: profile '%.100s' of %s %s by %s", id, path,
                  e.text ? "put" : "deleted", r->user);
    if (e.text)
        apr_table_setn(r->headers_out, "ETag", etag_of(r->pool, e.text));
    r->status = e.was_there ? HTTP_NO_CONTENT : HTTP_CREATED;
    return OK;
}

static int one_profile(request_rec *r, const gxm_dir *conf, const char *id)
{
    const char *path = gxm_profiles_path(conf->profiles);
    if (!gxm_profiles_is_beneath(path, conf->profiles_root))
        return HTTP_NOT_FOUND;
    ap_allow_methods(r, REPLACE_ALLOW, "GET", "HEAD", "PUT", "DELETE", "OPTIONS", NULL);
    if (r->method_number == M_OPTIONS)
        return ap_send_http_options(r);
    if (r->method_number != M_GET && r->method_number != M_PUT && r->method_number != M_DELETE)
        return HTTP_METHOD_NOT_ALLOWED;
    if (!r->user) {             /* whoever may come here without a name may match, and no more */
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "GX0179: profiles are read and changed by users that httpd has "
                      "authenticated only (AuthType, Require) [uri %.256s]", r->uri);
        return HTTP_FORBIDDEN;
    }
    return r->method_number == M_GET ? get_profile(r, path, id) : change_profile(r, path, id);
}

int gxm_match_handler(request_rec *r)
{
    const gxm_dir *conf = gxm_dir_conf(r);
    const char *id;
    if (!r->handler || strcmp(r->handler, "gpuxml-match") != 0)
        return DECLINED;
    if (!conf->profiles) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r,
                      "GX0179: SetHandler gpuxml-match without GPUXMLProfiles [uri %.256s]",
                      r->uri);
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    if ((id = profile_id(r, conf)) != NULL)
        return one_profile(r, conf, id);
    ap_allow_methods(r, REPLACE_ALLOW, "POST", "OPTIONS", NULL);
    if (r->method_number == M_OPTIONS)
        return ap_send_http_options(r);
    return r->method_number == M_POST ? match_document(r, conf) : HTTP_METHOD_NOT_ALLOWED;
}
