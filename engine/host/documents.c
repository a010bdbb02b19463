/* SPDX-License-Identifier: Apache-2.0 */
/*
 * documents.c -- document(): which resource a reference means, whether the run has its document already, what a
 * fragment identifier means
 *
 * A reference is a file's (files/load.c) or, where the loader has a site, that site's (gx_loader.fetch). One URI is one
 * document (XSLT 1.0, 12.1), also when it was not there: by_path remembers both.
 */
#include <string.h>
#include <apr_hash.h>
#include <apr_strings.h>
#include "clock.h"
#include "host.h"
#include "document/xinclude.h"
#include "files/uri.h"
#include "machine/bind.h"
#include "machine/nodes.h"

/* XSLT 1.0, 12.1: an error retrieving the resource may be recovered from by the empty node-set. Limits are no such
 * error, nor is what the system refuses for now: the page would come out without it. */
static gx_status missing(host *h, const gx_error *err)
{
    if (err->status != GX_EXML && err->status != GX_EIO) {
        h->error = *err;
        return err->status;
    }
    if (h->ev->warning)
        h->ev->warning(h->ev->warning_ctx, err);
    return GX_OK;
}

/* The element that element(...)'s child sequence leads to, "/1/2": the second child element of the first; GX_NONE. */
static u32 child_sequence(const gx_view *v, u32 node, const char *s, size_t n)
{
    for (size_t i = 0; node != GX_NONE && i < n;) {
        u32 which = 0, child = gx_first_child(v, node), end = gx_next(v, node);
        if (s[i++] != '/' || i == n || s[i] < '1' || s[i] > '9')
            return GX_NONE;
        for (; i < n && s[i] >= '0' && s[i] <= '9' && which < 100000000; i++)
            which = which * 10 + (u32)(s[i] - '0');
        node = GX_NONE;
        for (; child < end && node == GX_NONE; child = gx_next(v, child))
            if (gx_kind(v, child) == GX_KIND_ELEM && --which == 0)
                node = child;
    }
    return node;
}

/* What the fragment identifier `of` means in the document whose root is *node. XSLT 1.0, 12.1, leaves that to the media
 * type, and XML's (RFC 7303, 5) are shorthand pointers (the element with that ID) and element(), by ID, child sequence
 * or both. */
static gx_status fragment(host *h, char *of, u32 *node)
{
    gx_m m = gx_host_machine(h);
    const gx_view *v = gx_view_of(&m, *node);
    u32 root = *node;
    gx_error err;

    if (!*of)
        return GX_OK;
    *node = GX_NONE;
    size_t n = strlen(of);
    if (gx_uri_unescape(of) == 0 && !strchr(of, '(')) {
        *node = gx_id_node(v, of, (u32)strlen(of));
        return GX_OK;
    }
    n = strlen(of);
    if (n > 9 && !strncmp(of, "element(", 8) && of[n - 1] == ')') {
        size_t id = strcspn(of + 8, "/)");
        *node = child_sequence(v, id ? gx_id_node(v, of + 8, (u32)id) : root, of + 8 + id, n - 9 - id);
        return GX_OK;
    }
    gx_fail(&err, GX_EIO, "", 0, 0, "not supported: the fragment identifier \"#%.200s\" (only #ID and #element() are)",
            of);
    return missing(h, &err);
}

/* root: GX_NONE of what cannot be read, which is told once */
static void remember(host *h, const char *path, u32 root)
{
    apr_hash_set(h->by_path, apr_pstrdup(h->ev->pool, path), APR_HASH_KEY_STRING, (void *)((uintptr_t)root + 1));
}

/* Bytes become a document of the run: *node is its root, GX_NONE of what is no XML. uri: a file's path; or it was
 * fetched, which strangers may have written, and charset is known or NULL. */
static gx_status read_document(host *h, const char *uri, int is_fetched, const char *charset, const char *bytes,
                               size_t n, u32 *node)
{
    const u64 time = gx_now_us(), deadline = h->ev->deadline_us;
    gx_doc *doc;
    gx_parse_options options;
    gx_error err;

    memset(&options, 0, sizeof options);
    options.limits = h->ev->limits;
    options.file = uri;
    options.base_uri = uri;
    options.charset = charset;
    options.external = is_fetched ? NULL : h->ev->loader;
    options.timeout_us = !deadline ? 0 : deadline > time ? deadline - time : 1;
    options.spaces = h->ev->program;
    options.flags = h->ev->program->flags & GX_P_NAMESPACE_AXIS ? GX_DOC_NAMESPACES : 0;
    const int xinclude = h->ev->documents && h->ev->documents->xinclude;
    options.flags |= xinclude ? GX_DOC_LINES : 0;
    if (h->ev->documents) {
        options.lenient = h->ev->documents->lenient;
        options.missing_is_empty = h->ev->documents->missing_is_empty;
        options.warning = h->ev->documents->warning;
        options.warning_ctx = h->ev->documents->warning_ctx;
    }
    memset(&err, 0, sizeof err);
    if (!h->parser && gx_parser_create(&h->parser, &err) != GX_OK) {
        h->error = err;
        return err.status;
    }
    gx_status status = gx_parse(h->parser, &options, bytes, n, &doc, &err);
    if (status == GX_OK && xinclude) {
        const gx_loader answers = gx_load_answers(h->ev->loader);
        status = gx_xinclude(h->parser, &options, is_fetched ? &answers : h->ev->loader, &doc, NULL, NULL, &err);
    }
    if (status != GX_OK)
        return missing(h, &err);
    GX_TRY(gx_host_add(h, doc, NULL, 0));
    *node = h->run->views[h->run->n_docs - 1].base;
    return GX_OK;
}

static gx_status fetch_document(host *h, apr_pool_t *pool, const char *uri, u32 *node)
{
    const gx_loader *loader = h->ev->loader;
    const char *bytes, *charset = NULL;
    size_t n;
    gx_error err;

    memset(&err, 0, sizeof err);
    if (loader->fetch(loader->fetch_ctx, pool, uri, h->ev->limits, &bytes, &n, &charset, &err) != GX_OK)
        GX_TRY(missing(h, &err));
    else
        GX_TRY(read_document(h, uri, 1, charset, bytes, n, node));
    remember(h, uri, *node);
    return GX_OK;
}

/* 12.1: one URI, one document; the source may be asked for too. pool: as open_document's */
static void know_source(host *h, apr_pool_t *pool)
{
    const gx_doc *source = h->ev->doc;
    const char *name = apr_pstrmemdup(pool, GX_DOC_COL(source, char, strs) + source->base_uri, source->base_uri_len),
               *path;

    h->by_path = apr_hash_make(h->ev->pool);
    path = h->ev->loader ? gx_load_site(h->ev->loader, pool, name, "") : NULL;
    if (*name && (path || (path = gx_load_path(pool, name, NULL)) != NULL))
        remember(h, path, h->run->views[0].base);
}

/*
 * "" and "#id" (12.1): *node is the root of the document that the reference is relative to, which is in memory,
 * whatever document() may read: that of the node `from`; or, where there is none or it is in a tree that the stylesheet
 * made, the stylesheet's module, whose path base is. GX_NONE: it is none of these (an expression in an external entity
 * of the stylesheet).
 */
static gx_status own_document(host *h, const char *base, u32 from, u32 *node)
{
    const gx_program *p = h->ev->program;
    const gx_own_doc *own = GX_PROG_TAB(p, gx_own_doc, own_docs);
    void *known = apr_hash_get(h->by_path, base, APR_HASH_KEY_STRING);

    if (from != GX_NONE) {
        gx_m m = gx_host_machine(h);
        const gx_view *v = gx_view_of(&m, from);
        if (v == h->run->views || v->doc->base_uri_len) {
            *node = v->base;
            return GX_OK;
        }
    }
    if (known) {
        *node = (u32)((uintptr_t)known - 1);
        return GX_OK;
    }
    for (u32 i = 0; i < p->own_docs.n; i++)
        if (!strcmp(GX_LIT_AT(p, own[i].path), base)) {
            GX_TRY(gx_host_bind(h, (const gx_doc *)((const char *)p + own[i].off)));
            *node = h->run->views[h->run->n_docs - 1].base;
            remember(h, base, *node);
            return GX_OK;
        }
    return GX_OK;
}

/* The document that uri, without a fragment, names relative to base. pool: for what is needed no longer than this */
static gx_status other_document(host *h, apr_pool_t *pool, const char *uri, const char *base, u32 *node)
{
    const char *path, *bytes, *key, *fetched;
    size_t n;
    void *known;
    gx_error err;

    memset(&err, 0, sizeof err);
    /* "": the base itself. A path is no URI of the site then, but of a stylesheet's external entity */
    fetched = *uri || gx_uri_scheme(base) ? gx_load_site(h->ev->loader, pool, uri, base) : NULL;
    path = fetched ? fetched : gx_load_path(pool, uri, base);
    key = path ? path : gx_uri_scheme(uri) ? uri : apr_pstrcat(pool, base, " ", uri, NULL);
    known = apr_hash_get(h->by_path, key, APR_HASH_KEY_STRING);
    if (known) {
        *node = (u32)((uintptr_t)known - 1);
        return GX_OK;
    }
    if (path)                           /* the stylesheet by its name: it is what "" means in it */
        GX_TRY(own_document(h, path, GX_NONE, node));
    if (*node != GX_NONE)
        return GX_OK;
    if (fetched)
        return fetch_document(h, pool, fetched, node);
    if (gx_load(h->ev->loader, pool, NULL, uri, base, h->ev->limits, &path, &bytes, &n, &err) != GX_OK) {
        remember(h, key, GX_NONE);
        return missing(h, &err);
    }
    /* the path is a catalog's: it may have other names */
    known = apr_hash_get(h->by_path, path, APR_HASH_KEY_STRING);
    if (known) {
        *node = (u32)((uintptr_t)known - 1);
    } else {
        GX_TRY(read_document(h, path, 0, NULL, bytes, n, node));
        remember(h, path, *node);
    }
    if (strcmp(key, path) != 0)
        remember(h, key, *node);
    return GX_OK;
}

/* document() of one URI and base (XSLT 1.0, 12.1): *node is the root of the document, or what a fragment identifier
 * points to; GX_NONE: none, where an error is recovered from. from: the node whose base URI it is; GX_NONE: there is
 * none, as the base is the stylesheet's or empty. "" is the document of the base itself. Each document is read once an
 * evaluation. `pool` is the call's. */
static gx_status open_document(host *h, apr_pool_t *pool, gx_str uri_slice, gx_str base_slice, u32 from, u32 *node)
{
    char *uri = gx_host_copy(h, pool, uri_slice), *base = gx_host_copy(h, pool, base_slice), *hash = strchr(uri, '#');

    *node = GX_NONE;
    if (hash)
        *hash++ = 0;
    if (!h->by_path)
        know_source(h, pool);
    if (base_slice.len == 0 && from == GX_NONE && !gx_uri_scheme(uri))
        return GX_OK;                   /* relative to an empty node-set: 12.1 recovers so */
    if (!*uri)
        GX_TRY(own_document(h, base, from, node));
    if (*node == GX_NONE) {
        if (!h->ev->loader)
            return gx_fail(&h->error, GX_EDYNAMIC, "", 0, 0, "document(\"%.300s\") is switched off%s%s", uri,
                           h->ev->no_loader ? ": " : "", h->ev->no_loader ? h->ev->no_loader : "");
        GX_TRY(other_document(h, pool, uri, base, node));
    }
    return hash && *node != GX_NONE ? fragment(h, hash, node) : GX_OK;
}

gx_status gx_host_document(void *ctx, gx_str uri, gx_str base, u32 from, u32 *node)
{
    host *h = ctx;
    apr_pool_t *pool;

    GX_TRY(gx_host_look(h));
    apr_pool_create(&pool, h->ev->pool);
    gx_status status = open_document(h, pool, uri, base, from, node);
    apr_pool_destroy(pool);
    return status;
}
