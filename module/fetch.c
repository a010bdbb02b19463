/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fetch.c -- what document() asks this server for (GPUXMLDocument subrequest)
 *
 * A subrequest, as mod_include makes them: mapped, access control included, answered by whatever handles it, its bytes
 * collected instead of sent. They are the source, as a browser that transforms would get it: nothing is transformed on
 * that way (subrequests inherit no-gpuxml), so a page may ask for itself, and no two pages for each other without end.
 */
#include "document/buf.h"
#include "fetch.h"
#include "media.h"
#include "ours.h"
#include "files/uri.h"

typedef struct answer { gx_buf bytes; apr_size_t most; int status; } answer;

static ap_filter_rec_t *collect_filter;

/* The last filter of a subrequest: keeps what comes, a->most bytes and no more, and passes nothing on. An error
 * bucket's status is the answer's. */
static apr_status_t collect(ap_filter_t *f, apr_bucket_brigade *bb)
{
    answer *a = f->ctx;
    apr_bucket *e;
    while ((e = APR_BRIGADE_FIRST(bb)) != APR_BRIGADE_SENTINEL(bb)) {
        const char *data;
        char *to;
        apr_size_t n;
        apr_status_t rv;
        if (AP_BUCKET_IS_ERROR(e))
            a->status = ((ap_bucket_error *)e->data)->status;
        if (!APR_BUCKET_IS_METADATA(e) && a->bytes.n < a->most) {
            rv = apr_bucket_read(e, &data, &n, APR_BLOCK_READ);
            if (rv != APR_SUCCESS) {
                a->status = HTTP_BAD_GATEWAY;
                return rv;
            }
            n = n < a->most - a->bytes.n ? n : a->most - a->bytes.n;
            to = gx_buf_push(&a->bytes, n);
            if (!to) {
                a->status = HTTP_INSUFFICIENT_STORAGE;
                return APR_ENOMEM;
            }
            memcpy(to, data, n);
        }
        apr_bucket_delete(e);
    }
    return APR_SUCCESS;
}

static apr_status_t free_answer(void *data)
{
    gx_buf_free(&((answer *)data)->bytes);
    return APR_SUCCESS;
}

/* What this server answers to GET for the URI, which begins with gxm_site(): *n bytes, limits->input + 1 at most, in
 * pool, with the charset of its Content-Type or NULL. data: the request that asks. Any status but 200 is GX_EIO, so
 * the stylesheet goes on without that document; GX_ENOMEM. */
gx_status gxm_fetch(void *data, apr_pool_t *pool, const char *uri, const gx_limits *limits, const char **bytes,
                    size_t *n, const char **charset, gx_error *err)
{
    request_rec *r = data, *sub, *last;
    const char *rest = uri + strlen(gxm_site(r, pool));
    char *path = apr_palloc(pool, 3 * strlen(rest) + 2);
    answer *a = apr_pcalloc(pool, sizeof *a);
    int status;

    apr_pool_cleanup_register(pool, a, free_answer, apr_pool_cleanup_null);
    a->most = limits->input < APR_SIZE_MAX ? (apr_size_t)limits->input + 1 : APR_SIZE_MAX;
    *path = '/';
    gx_uri_escape(rest, "", path + (*rest != '/'));     /* a source may have written it */
    if (strlen(path) > (size_t)r->server->limit_req_line)
        return gx_fail(err, GX_EIO, "", 0, 0, "document(): a URI longer than LimitRequestLine allows");
    sub = ap_sub_req_method_uri("GET", path, r, NULL);
    status = sub->status;
    if (status == HTTP_OK) {
        gxm_drop_conditions(sub);
        apr_table_setn(sub->subprocess_env, "no-gpuxml", "1");
        sub->no_local_copy = 1;
        ap_add_output_filter_handle(collect_filter, a, sub, sub->connection);
        /* where there are no filters of content yet, it came into that chain alone */
        if (sub->output_filters == sub->proto_output_filters->next)
            sub->output_filters = sub->proto_output_filters;
        status = ap_run_sub_req(sub);
        for (last = sub; last->next; last = last->next)     /* redirected */
            ;
        status = a->status ? a->status : status != OK ? status : last->status;
        *charset = gxm_charset_of(pool, last->content_type);
    }
    ap_destroy_sub_req(sub);
    if (status == HTTP_INSUFFICIENT_STORAGE && !a->bytes.at)
        return gx_fail(err, GX_ENOMEM, uri, 0, 0, "document(): out of memory");
    if (status != HTTP_OK)
        return gx_fail(err, GX_EIO, uri, 0, 0, "document(): the server answers with status %d", status);
    *bytes = a->bytes.at ? a->bytes.at : "";
    *n = a->bytes.n;
    return GX_OK;
}

const char *gxm_site(const request_rec *r, apr_pool_t *pool)
{
    return apr_pstrcat(pool, ap_http_scheme(r), "://",
                       ap_construct_server(pool, r->hostname ? r->hostname : r->server->server_hostname,
                                           ap_get_server_port(r), r),
                       NULL);
}

/* Behind all filters of content, before those of the page's request that write a response. Of this type, since it stays
 * when the subrequest is redirected internally (RewriteRule of a directory, a program's Location), which drops all
 * filters of content. */
void gxm_fetch_register(void)
{
    collect_filter = ap_register_output_filter("GPUXMLFETCH", collect, NULL, AP_FTYPE_PROTOCOL);
}
