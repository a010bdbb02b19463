/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ours.c -- is a response for us, and what of the client's request does its handler see?
 *
 * The client's conditions and ranges are about our page, not about the source: they are hidden from the handler until
 * it has run, unless the response will most likely pass as it is (leaves_ranges, leaves_conditions). So are, from a
 * back end, the codings that we cannot read.
 */
#include "media.h"
#include "ours.h"
#include "section.h"

/* ---- what the request says before the handler runs ---- */

int gxm_is_active(const gxm_dir *conf) { return conf->sheets || conf->by_root || conf->pi > GXM_PI_OFF; }

/* XHTML and SVG are XML, but documents for the browser as they are. */
int gxm_is_xml_type(apr_pool_t *p, const gxm_dir *conf, const char *content_type)
{
    if (!content_type)
        return 0;
    if (conf->types) {
        for (int i = 0; i < conf->types->nelts; i++)
            if (gxm_media_is(p, content_type, APR_ARRAY_IDX(conf->types, i, const char *)))
                return 1;
        return 0;
    }
    return gxm_media_is(p, content_type, "text/xml") || gxm_media_is(p, content_type, "application/xml")
        || (gxm_media_is(p, content_type, "+xml") && !gxm_media_is(p, content_type, "application/xhtml+xml")
            && !gxm_media_is(p, content_type, "image/svg+xml"));
}

static int is_xml(const request_rec *r, const gxm_dir *conf)
{
    return gxm_is_xml_type(r->pool, conf, r->content_type);
}

int gxm_is_made(const request_rec *r)
{
    return r->proxyreq || (r->handler && strcmp(r->handler, "default-handler") != 0);
}

int gxm_is_other_file(request_rec *r, const gxm_dir *conf)
{
    return !gxm_is_made(r) && r->finfo.filetype == APR_REG
        && r->content_type && !is_xml(r, conf) && !apr_table_get(r->subprocess_env, "force-gpuxml");
}

int gxm_is_by_pi(const gxm_dir *conf) { return !conf->sheets && !conf->by_root; }

static int is_proxied(const request_rec *r)
{
    return r->proxyreq || (r->handler && strncmp(r->handler, "proxy:", 6) == 0);
}

/* Most likely not for us. Before a back end has answered there is only the type that the name has here (AddType) to go
 * by. */
static int looks_like_other(const request_rec *r, const gxm_dir *conf)
{
    return (r->content_type ? !is_xml(r, conf) : gxm_is_by_pi(conf))
        && !apr_table_get(r->subprocess_env, "force-gpuxml");
}

/* The back end sees the client's Range: of a film it has to cut the part, since of a response that passes through httpd
 * only the back end can. If a part of XML comes then it is refused (not_for_us). Several ranges are hidden all the
 * same: multipart/byteranges would not say what they are of. */
static int leaves_ranges(const request_rec *r, const gxm_dir *conf)
{
    const char *range = apr_table_get(r->headers_in, "Range");
    return range && !strchr(range, ',') && is_proxied(r) && looks_like_other(r, conf);
}

/* GPUXMLWhen says no before the handler runs, as it does to a feed reader. (It is asked again when the response is
 * there; only that adds to Vary.) */
static int is_unwanted(request_rec *r, const gxm_dir *conf)
{
    return conf->when && gxm_expr_is_false_now(r, conf->when);
}

/* The handler sees the client's conditions: whether the browser still has the right film, or feed, the back end or
 * program can tell; else it would send all of it again each time. Should a page be made after all: they do not know the
 * page's ETag, so they send the source. But not of what has a type of XML: a cache that has both page and source asks
 * with the ETags of both. */
static int leaves_conditions(request_rec *r, const gxm_dir *conf)
{
    return (r->content_type && is_proxied(r) && looks_like_other(r, conf)) || is_unwanted(r, conf);
}

int gxm_is_coding(const char *coding)
{
    return strcasecmp(coding, "gzip") == 0 || strcasecmp(coding, "x-gzip") == 0 || strcasecmp(coding, "deflate") == 0;
}

/* ---- what the handler does not see ---- */

static const char *const held_headers[] = { "Range",         "If-Range",          "If-Match",
                                            "If-None-Match", "If-Modified-Since", "If-Unmodified-Since",
                                            "A-IM" };
#define N_HELD (sizeof held_headers / sizeof *held_headers)
#define N_RANGES 2              /* the first ones */

/* Browsers would like brotli; we cannot read it. A back end is asked for what we can of the codings that the client
 * takes. */
static void hold_codings(request_rec *r, gxm_state *state)
{
    const char *codings = apr_table_get(r->headers_in, "Accept-Encoding"), *ours = "";
    char *rest, *one = codings ? apr_strtok(apr_pstrdup(r->pool, codings), ",", &rest) : NULL;
    for (; one; one = apr_strtok(NULL, ",", &rest)) {
        one += strspn(one, " \t");
        if (gxm_is_coding(apr_pstrmemdup(r->pool, one, strcspn(one, "; \t"))))
            ours = apr_pstrcat(r->pool, ours, *ours ? ", " : "", one, NULL);
    }
    state->codings = codings;
    if (codings)
        apr_table_setn(r->headers_in, "Accept-Encoding", *ours ? ours : "identity");
}

/* The first handler but mod_cache's: what mod_cache has it sends itself, without us, and looks at the conditions. */
int gxm_hold_conditions(request_rec *r)
{
    gxm_state *state = gxm_state_if_any(r);
    const gxm_dir *conf = gxm_dir_conf(r);
    size_t n_hidden;
    if (!state)
        return DECLINED;
    if (!r->main && is_proxied(r) && !looks_like_other(r, conf))
        hold_codings(r, state);
    if (r->method_number != M_GET)      /* a PUT's If-Match is about what the handler is going to change: it must see it
                                           */
        return DECLINED;
    state->had_local_copy = !r->no_local_copy;
    r->no_local_copy = 1;       /* else the default handler answers 304 by the source's own time, whatever the
                                   stylesheet's */
    if (r->main)
        return DECLINED;
    for (size_t i = leaves_ranges(r, conf) ? N_RANGES : 0; i < N_HELD; i++) {
        const char *value = apr_table_get(r->headers_in, held_headers[i]);
        if (!value)
            continue;
        if (!state->held)
            state->held = apr_table_make(r->pool, 4);
        apr_table_setn(state->held, held_headers[i], value);
    }
    if (!state->held)
        return DECLINED;
    n_hidden = leaves_conditions(r, conf) ? N_RANGES : N_HELD;
    for (size_t i = 0; i < n_hidden; i++)
        if (apr_table_get(state->held, held_headers[i]))
            apr_table_unset(r->headers_in, held_headers[i]);
    return DECLINED;
}

void gxm_drop_conditions(request_rec *r)
{
    for (size_t i = 0; i < N_HELD; i++)
        apr_table_unset(r->headers_in, held_headers[i]);
    apr_table_unset(r->headers_in, "Accept-Encoding");
}

int gxm_restore_headers(request_rec *r)
{
    gxm_state *state = gxm_state_if_any(r);
    if (state && state->had_local_copy)
        r->no_local_copy = 0;
    if (!state || !state->held)
        return 0;
    for (size_t i = 0; i < N_HELD; i++) {
        const char *value = apr_table_get(state->held, held_headers[i]);
        if (value)
            apr_table_setn(r->headers_in, held_headers[i], value);
    }
    state->held = NULL;
    return 1;
}

void gxm_restore_codings(request_rec *r)
{
    gxm_state *state = gxm_state_if_any(r);
    if (state && state->codings)
        apr_table_setn(r->headers_in, "Accept-Encoding", state->codings);
}

/* ---- what the response depends on ---- */

/* ap_find_token would find Accept-Language in a list that has Accept. */
/* Whether it is transformed may depend on a variable: of all that might be, if any request may set it. */
static void depend_on_switches(request_rec *r)
{
    static const char *const ours[] = { "no-gpuxml", "force-gpuxml" };
    for (int i = 0; i < 2; i++) {
        const apr_array_header_t *headers;
        const char *hidden;
        if (gxm_origin_of(ours[i], &hidden, &headers))
            gxm_depend_on_variable(r, ours[i]);
    }
}

int gxm_is_private(const request_rec *r, const gxm_dir *conf)
{
    const gxm_state *state = gxm_state_if_any(r);
    return conf->is_private == GXM_PRIVATE_ON || (conf->is_private != GXM_PRIVATE_OFF && state && state->hidden);
}

/* Cache-Control: private on what depends on something that caches cannot see; what the source says against it goes,
 * other directives stay. Not for parts of another page. */
void gxm_put_private(request_rec *r, const gxm_dir *conf)
{
    /* RFC 9213: these would come before it */
    static const char *const others[] = { "CDN-Cache-Control", "Surrogate-Control" };
    apr_table_t *const tables[] = { r->headers_out, r->err_headers_out };
    if (r->main || !gxm_is_private(r, conf))
        return;
    for (int i = 0; i < 2; i++) {
        const char *had = apr_table_getm(r->pool, tables[i], "Cache-Control"), *left = NULL, *item;
        apr_table_unset(tables[i], others[0]);
        apr_table_unset(tables[i], others[1]);
        /* what the source says of caches of many */
        while (had && (item = ap_get_list_item(r->pool, &had)) != NULL)
            if (strcmp(item, "public") != 0 && strncmp(item, "s-maxage", 8) != 0 && strcmp(item, "private") != 0)
                left = left ? apr_pstrcat(r->pool, left, ", ", item, NULL) : item;
        if (left)
            apr_table_setn(tables[i], "Cache-Control", left);
        else
            apr_table_unset(tables[i], "Cache-Control");
    }
    apr_table_mergen(r->headers_out, "Cache-Control", "private");
}

/* ---- when the response is there ---- */

/* Not WebDAV's: its answers are XML that its clients read (207, locks). */
static int is_method(const request_rec *r)
{
    return r->method_number == M_GET || r->method_number == M_POST || r->method_number == M_PUT
        || r->method_number == M_DELETE || r->method_number == M_PATCH;
}

/* What is left of a list of codings without those that change nothing; NULL: none. */
static const char *codings_of(apr_pool_t *p, const char *list)
{
    const char *left = NULL;
    char *rest, *one = list ? apr_strtok(apr_pstrdup(p, list), ", \t", &rest) : NULL;
    for (; one; one = apr_strtok(NULL, ", \t", &rest))
        if (strcasecmp(one, "identity") != 0)
            left = left ? apr_pstrcat(p, left, ", ", one, NULL) : one;
    return left;
}

/* RFC 9111, 5.2.2.6: who only stands between must not transform this. For the site's own files and programs we are the
 * origin. In a request it is a wish, and would get around the stylesheet. */
static int is_not_to_transform(const request_rec *r)
{
    return r->proxyreq
        && (ap_find_list_item(r->pool, apr_table_getm(r->pool, r->headers_out, "Cache-Control"), "no-transform")
            || ap_find_list_item(r->pool, apr_table_getm(r->pool, r->err_headers_out, "Cache-Control"),
                                 "no-transform"));
}

const char gxm_when_failed[] = "when-failed", gxm_is_part[] = "part";

/* Not the whole: a range, or what has changed since the client asked last (RFC 3229, feeds) */
static int is_part(const request_rec *r) { return r->status == HTTP_PARTIAL_CONTENT || r->status == HTTP_IM_USED; }

const char *gxm_coding_of(request_rec *r)
{
    const char *coding = apr_table_getm(r->pool, r->headers_out, "Content-Encoding");
    if (!coding)
        coding = apr_table_getm(r->pool, r->err_headers_out, "Content-Encoding");
    return codings_of(r->pool, coding ? coding : r->content_encoding);
}

/* The expression comes last: it costs most, and it alone makes Vary. */
const char *gxm_not_for_us(request_rec *r, const gxm_dir *conf, const char **coding)
{
    const char *err = NULL;

    *coding = gxm_coding_of(r);
    if (gxm_conf.engine == GXM_ENGINE_OFF)
        return "off";
    if (is_xml(r, conf) || apr_table_get(r->subprocess_env, "force-gpuxml")
        || (r->status == HTTP_NOT_MODIFIED && !r->content_type)) {
        depend_on_switches(r);
        gxm_sections_depend(r);
    }
    if (apr_table_get(r->subprocess_env, "no-gpuxml"))
        return "no-gpuxml";
    if (r->status == HTTP_NOT_MODIFIED && conf->when && (!r->content_type || is_xml(r, conf)))
        gxm_expr_is_true(r, conf->when, &err);  /* the handler's (is_unwanted): it has the Vary that its 200 would have
                                                   */
    if (r->status < 200 || r->status > 299 || r->status == HTTP_NO_CONTENT || r->status == HTTP_RESET_CONTENT
        || (is_part(r) && gxm_is_by_pi(conf)))
        return "status";
    if (!is_method(r) || r->status == HTTP_MULTI_STATUS)
        return "method";
    if (!apr_table_get(r->subprocess_env, "force-gpuxml")) {
        if (!is_xml(r, conf))
            return "type";
        if (is_not_to_transform(r))
            return "no-transform";
    }
    if (!gxm_is_active(conf))
        return "no-stylesheet";
    if (conf->when) {
        int yes = gxm_expr_is_true(r, conf->when, &err);
        if (err)
            return gxm_when_failed;
        if (!yes)
            return "when";
    }
    return is_part(r) ? gxm_is_part : NULL;
}
