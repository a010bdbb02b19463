/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps.c -- the host steps as the machine calls them (gx_host), and which file does each
 */
#include <string.h>
#include <apr_hash.h>
#include <apr_strings.h>
#include "host.h"

/* Trees of n fragments as a document */
static gx_status make_trees(host *h, const gx_kid *kids, const gx_str *texts, u32 n, u32 *roots)
{
    gx_doc *doc;
    gx_error err;

    memset(&err, 0, sizeof err);
    h->ev->base = h->base;
    if (gx_result_to_doc(h->ev, kids, texts, n, &doc, &err) != GX_OK) {
        h->error = err;
        return err.status;
    }
    return gx_host_add(h, doc, roots, n);
}

typedef struct gx_fragment { gx_kid kid; u32 root; } gx_fragment;

/* A fragment is known by its frame: a variable's value, handed on or bound again, is one tree, however often it is
 * asked for. */
static gx_status host_node_set(void *ctx, const gx_kid *kids, const gx_str *texts, u32 n, u32 *roots)
{
    host *h = ctx;
    u32 n_new = 0;
    apr_pool_t *pool;

    if (!n)
        return GX_OK;
    if (!kids) {                            /* a string becomes a text node; an empty one can only be an empty tree */
        GX_TRY(make_trees(h, NULL, texts, n, roots));
        for (u32 i = 0; i < n; i++)
            roots[i] += texts[i].len > 0;
        return GX_OK;
    }
    if (!h->by_frame)
        h->by_frame = apr_hash_make(h->ev->pool);
    /* a fragment's entry: two cells of the pool and the hash's */
    GX_TRY(gx_host_take(h, (u64)n * (sizeof(gx_fragment) + 64)));
    apr_pool_create(&pool, h->ev->pool);
    gx_fragment **all = apr_palloc(pool, n * sizeof *all), **added = apr_palloc(pool, n * sizeof *added);
    gx_kid *frames = apr_palloc(pool, n * sizeof *frames);
    for (u32 i = 0; i < n; i++) {
        const int has_frame = GX_KID_HAS_FRAME(kids[i]);
        all[i] = has_frame ? apr_hash_get(h->by_frame, &kids[i], sizeof kids[i]) : NULL;
        if (all[i])
            continue;
        added[n_new] = all[i] = apr_palloc(h->ev->pool, sizeof **all);
        frames[n_new++] = all[i]->kid = kids[i];
        if (has_frame)
            apr_hash_set(h->by_frame, &all[i]->kid, sizeof kids[i], all[i]);
    }
    gx_status status = n_new ? make_trees(h, frames, NULL, n_new, roots) : GX_OK;
    for (u32 i = 0; i < n_new && status == GX_OK; i++)
        added[i]->root = roots[i];
    for (u32 i = 0; i < n && status == GX_OK; i++)
        roots[i] = all[i]->root;
    apr_pool_destroy(pool);
    return status;
}

static gx_status host_function(void *ctx, u32 func, u32 argc, const gx_str *const *args, u32 n, u32 nslist, gx_str *out)
{
    host *h = ctx;
    gx_status status = GX_OK;
    apr_pool_t *pool;

    (void)argc;
    apr_pool_create(&pool, h->ev->pool);
    for (u32 i = 0; i < n && status == GX_OK; i++) {
        const char *text = gx_runtime_property(h->ev->program, func, gx_host_copy(h, pool, args[0][i]), nslist);
        status = gx_host_string(h, text, strlen(text), &out[i]);
        apr_pool_clear(pool);
        if (status == GX_OK)
            status = gx_host_look(h);
    }
    apr_pool_destroy(pool);
    return status;
}

static gx_status host_call(void *ctx, u32 func, const gx_v *args, u32 n, void *out)
{
    switch (func) {
    case GX_F_STR_TOKENIZE: case GX_F_STR_SPLIT: case GX_F_STR_REPLACE: case GX_F_STR_REPLACED:
        return gx_host_cut(ctx, func, args, n, out);
    case GX_F_REGEXP_MATCH: case GX_F_REGEXP_TEST: case GX_F_REGEXP_REPLACE:
        return gx_host_regexp(ctx, func, args, n, out);
    case GX_F_DATE_NOW:
        return gx_host_now(ctx, n, out);
    default:
        return gx_host_math(ctx, func, args, n, out);
    }
}
static u64 host_now(void *ctx) { return gx_evaluation_now(((const host *)ctx)->ev); }

void gx_host_steps(host *h, gx_host *steps)
{
    memset(steps, 0, sizeof *steps);
    steps->ctx = h;
    steps->document = gx_host_document;
    steps->node_set = host_node_set;
    steps->function = host_function;
    steps->call = host_call;
    steps->dynamic = gx_host_dynamic;
    steps->now_us = host_now;
}
