/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depend.c -- what a response depends on: Vary for what caches see, private for what they do not
 */
#include <apr_strings.h>
#include <http_core.h>
#include "depend.h"

gxm_state *gxm_state_if_any(const request_rec *r) { return ap_get_module_config(r->request_config, &gpuxml_module); }

gxm_state *gxm_state_of(request_rec *r)
{
    gxm_state *state = gxm_state_if_any(r);
    if (!state) {
        state = apr_pcalloc(r->pool, sizeof *state);
        ap_set_module_config(r->request_config, &gpuxml_module, state);
    }
    return state;
}

static void vary_by(request_rec *r, const char *header)
{
    char *lower = apr_pstrdup(r->pool, header);
    ap_str_tolower(lower);
    if (strcmp(lower, "host") != 0              /* a part of the URL: RFC 9110, 12.5.5 */
        && !ap_find_list_item(r->pool, apr_table_getm(r->pool, r->headers_out, "Vary"), lower))
        apr_table_mergen(r->headers_out, "Vary", header);
}

void gxm_vary_by(request_rec *r, const char *header)
{
    for (; r; r = r->main)
        vary_by(r, header);
}

static void vary_by_all(request_rec *r, const apr_array_header_t *headers)
{
    for (int i = 0; headers && i < headers->nelts; i++)
        gxm_vary_by(r, APR_ARRAY_IDX(headers, i, const char *));
}

static int had_htaccess(const request_rec *r)
{
    const struct htaccess_result *h = r->htaccess;
    while (h && !h->htaccess)
        h = h->next;
    return h != NULL;
}

static void private_to(request_rec *r)
{
    if (!ap_find_list_item(r->pool, apr_table_getm(r->pool, r->headers_out, "Cache-Control"), "private"))
        apr_table_mergen(r->headers_out, "Cache-Control", "private");
}

/* Of the response, and of those that it is a part of (mod_include), which may be on their way through our filter or
 * not */
static void hide(request_rec *r, const char *what)
{
    const request_rec *own = r;
    for (; r && gxm_dir_conf(r)->is_private != GXM_PRIVATE_OFF; r = r->main) {
        gxm_state *state = gxm_state_if_any(r);
        if (state && !state->hidden)
            state->hidden = what;
        if (r != own)
            private_to(r);
    }
}

void gxm_depend_on_variable(request_rec *r, const char *name)
{
    const apr_array_header_t *headers;
    const char *hidden;
    gxm_origin_of(name, &hidden, &headers);
    vary_by_all(r, headers);
    if (hidden || had_htaccess(r))
        hide(r, hidden ? hidden : name);
}

void gxm_depend(request_rec *r, const gxm_reads *reads, const char *vary)
{
    const char *token;
    while (vary && (token = ap_get_token(r->pool, &vary, 0)) && *token) {
        gxm_vary_by(r, token);
        vary += strspn(vary, ", ");
    }
    for (int i = 0; reads->env && i < reads->env->nelts; i++)
        gxm_depend_on_variable(r, APR_ARRAY_IDX(reads->env, i, const char *));
    if (reads->hidden)
        hide(r, reads->hidden);
}
