/*
 * evaluate.c -- evaluation on the CPU: the arena, the run's tables, the host steps, the sentences of errors
 *
 * gx_evaluate lays a gx_run into the arena, binds the program's names to the document and lets a team run the machine (machine/run.h).
 * Host steps are what a team asks its process for: loading a document, making trees of fragments.
 *
 * An arena is address space, twice its cap (kept memory, scratch), of which pages are taken as they are touched. Between evaluations
 * it keeps the first pages, so that a thread that serves small requests makes no page faults, and gives back what a large one took.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <apr_hash.h>
#include <apr_strings.h>
#include "clock.h"
#include "host/host.h"
#include "machine/bind.h"
#include "machine/start.h"
#include "machine/run_team.h"
#include "files/uri.h"

#define WARM_BYTES (8u << 20)           /* of each half of the arena stays with the thread */
#define ARENA_MAX ((u64)7 << 30)        /* references are 32-bit counts of words, both halves: 16 GiB */

struct gx_arena { char *base; u64 cap, used; /* used: by the last result */ };

gx_status gx_arena_create(u64 cap, gx_arena **out, gx_error *err)
{
    gx_arena *a = malloc(sizeof *a);
    void *p;

    if (cap > ARENA_MAX)
        cap = ARENA_MAX;
    cap = (cap + 0xffff) & ~0xffffull;
    p = a ? mmap(NULL, 2 * cap, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) : MAP_FAILED;
    if (p == MAP_FAILED) {
        free(a);
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "no address space for an arena of %llu bytes", (unsigned long long)cap);
    }
    a->base = p;
    a->cap = cap;
    a->used = 0;
    *out = a;
    return GX_OK;
}

void gx_arena_free(gx_arena *arena)
{
    if (!arena)
        return;
    munmap(arena->base, 2 * arena->cap);
    free(arena);
}

u64 gx_arena_bytes(const gx_arena *arena)
{
    const u64 page = (u64)sysconf(_SC_PAGESIZE), all = 2 * arena->cap;
    unsigned char in[4096];
    u64 n = 0, size;

    for (u64 at = 0; at < all; at += size) {
        size = all - at < sizeof in * page ? all - at : sizeof in * page;
        if (mincore(arena->base + at, size, in) == 0)
            for (u64 i = 0; i < size / page; i++)
                n += in[i] & 1;
    }
    return n * page;
}

static u64 pages(u64 bytes) { return (bytes + 0xffff) & ~(u64)0xffff; }

/* Before an evaluation: nobody reads the last result any more. */
static void arena_begin(gx_arena *a)
{
    if (a->used > WARM_BYTES)
        madvise(a->base + WARM_BYTES, pages(a->used) - WARM_BYTES, MADV_DONTNEED);
    a->used = 0;
}

/* After it: the result stays, what a large evaluation needed beside it goes back. */
static void arena_end(gx_arena *a, u64 used, int large)
{
    a->used = used;
    if (!large && used <= WARM_BYTES)
        return;
    u64 from = used > WARM_BYTES ? pages(used) : WARM_BYTES;
    if (from < a->cap)
        madvise(a->base + from, a->cap - from, MADV_DONTNEED);
    if (WARM_BYTES < a->cap)
        madvise(a->base + a->cap + WARM_BYTES, a->cap - WARM_BYTES, MADV_DONTNEED);
}

/* ---- host steps ---- */

/* A solo machine over the part of the arena that the step may take. */
static gx_m host_machine(host *h)
{
    gx_m m;

    gx_m_start(&m, h->base, h->run->host_top, h->run->host_end, h->run->host_tmp, h->run->host_tmp_end,
        h->run->n_docs);
    m.run = h->run;                     /* another one while an expression of dyn:evaluate runs */
    return m;
}

static apr_status_t free_block(void *block)
{
    free(block);
    return APR_SUCCESS;
}

/* Tables by document double when the number of documents, which is in them all, comes to a power of two: what they are to have room for, 0 = they have */
static u64 more_docs(u32 n) { return n & (n - 1) ? 0 : n ? 2 * (u64)n : 1; }

static void *grown(apr_pool_t *pool, const void *old, u64 size, u64 larger)
{
    char *new = apr_palloc(pool, larger);

    if (size)
        memcpy(new, old, size);
    memset(new + size, 0, larger - size);
    return new;
}

void gx_host_room(gx_run *r, apr_pool_t *pool)
{
    const u64 n = r->n_docs, more = more_docs(r->n_docs), refs = gx_doc_refs(r->program) * sizeof *r->doc_refs;

    if (!more)
        return;
    r->views = grown(pool, r->views, n * sizeof *r->views, more * sizeof *r->views);
    r->doc_refs = grown(pool, r->doc_refs, n * refs, more * refs);
}

/* The documents as the caller sees them */
static void list_doc(gx_evaluation *ev, const gx_doc *doc, u32 base)
{
    const u64 n = ev->n_docs, more = more_docs(ev->n_docs);

    if (more) {
        ev->docs = grown(ev->pool, ev->docs, n * sizeof *ev->docs, more * sizeof *ev->docs);
        ev->doc_base = grown(ev->pool, ev->doc_base, n * sizeof *ev->doc_base, more * sizeof *ev->doc_base);
    }
    ev->docs[n] = doc;
    ((u32 *)ev->doc_base)[n] = base;
    ev->n_docs++;
}

/* The document becomes one of the run's, where it stays as long as the evaluation. */
static gx_status add_doc(host *h, const gx_doc *doc)
{
    gx_m m = host_machine(h);
    u32 k = h->run->n_docs;

    if (k >= GX_MAX_DOCS)
        return gx_fail(&h->error, GX_ELIMIT, "", 0, 0, "more than %u documents in one transformation", GX_MAX_DOCS);
    if ((u64)h->run->n_nodes + doc->n_nodes >= 0xfffffff0u)
        return gx_fail(&h->error, GX_ELIMIT, "", 0, 0, "too many nodes in all documents together");
    gx_host_room(h->run, h->ev->pool);
    if (gx_view_bind(&m, doc, k) != GX_OK)
        return gx_fail(&h->error, GX_EARENA, "", 0, 0, "the arena is full");
    h->run->host_top = m.top;
    list_doc(h->ev, doc, h->run->views[k].base);
    return GX_OK;
}

gx_status gx_host_add(host *h, gx_doc *doc, u32 *roots, u32 n)
{
    const gx_view *v;

    apr_pool_cleanup_register(h->ev->pool, doc, free_block, apr_pool_cleanup_null);
    h->doc_bytes += doc->size;
    if (h->doc_bytes > h->ev->limits->arena)
        return gx_fail(&h->error, GX_ELIMIT, "", 0, 0, "the documents that the transformation makes or loads need more memory than arena=%llu "
            "(raise it with GPUXMLLimit arena=N)", (unsigned long long)h->ev->limits->arena);
    GX_TRY(add_doc(h, doc));
    v = &h->run->views[h->run->n_docs - 1];
    for (u32 i = 0; roots && i < n; i++)
        roots[i] = v->roots[i] + v->base;
    return GX_OK;
}

gx_status gx_host_string(host *h, const char *bytes, u64 n, gx_str *out)
{
    *out = gx_str_none();
    if (!n)
        return GX_OK;
    if (n > 0xfffffff0u || h->run->host_end - h->run->host_top < n + 16)
        return gx_fail(&h->error, GX_EARENA, "", 0, 0, "the arena is full");
    memcpy(h->base + h->run->host_top, bytes, n);
    *out = gx_str_make(GX_STR_AT(GX_SPACE_ARENA, h->run->host_top), (u32)n);
    h->run->host_top += (n + 15) & ~15ull;
    return GX_OK;
}

static char *host_string(host *h, apr_pool_t *pool, gx_str s) { return apr_pstrmemdup(pool, gx_host_bytes(h, s), s.len); }

/* XSLT 1.0, 12.1: an error retrieving the resource may be recovered from by the empty node-set. Limits are no such error, nor is what the
 * system refuses for now: the page would come out without it. */
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

/* What the fragment identifier `of` means in the document whose root is *node. XSLT 1.0, 12.1, leaves that to the media type, and
 * XML's (RFC 7303, 5) are shorthand pointers (the element with that ID) and element(), by ID, child sequence or both. */
static gx_status fragment(host *h, char *of, u32 *node)
{
    gx_m m = host_machine(h);
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
    gx_fail(&err, GX_EIO, "", 0, 0, "not supported: the fragment identifier \"#%.200s\" (only #ID and #element() are)", of);
    return missing(h, &err);
}

/* root: GX_NONE of what cannot be read, which is told once */
static void remember(host *h, const char *path, u32 root)
{
    apr_hash_set(h->by_path, apr_pstrdup(h->ev->pool, path), APR_HASH_KEY_STRING, (void *)((uintptr_t)root + 1));
}

/* Bytes become a document of the run: *node is its root, GX_NONE of what is no XML. uri: a file's path; or it was fetched, which strangers may have
 * written, and charset is known or NULL. */
static gx_status read_document(host *h, const char *uri, int is_fetched, const char *charset, const char *bytes, size_t n, u32 *node)
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
    memset(&err, 0, sizeof err);
    if (!h->parser && gx_parser_create(&h->parser, &err) != GX_OK) {
        h->error = err;
        return err.status;
    }
    if (gx_parse(h->parser, &options, bytes, n, &doc, &err) != GX_OK)
        return missing(h, &err);
    GX_TRY(gx_host_add(h, doc, NULL, 0));
    *node = h->run->views[h->run->n_docs - 1].base;
    return GX_OK;
}

/* The URI to fetch, absolute, in pool; NULL: the reference is to no resource of the loader's site */
static const char *site_uri(const gx_loader *loader, apr_pool_t *pool, const char *ref, const char *base)
{
    const size_t n = loader->site ? strlen(loader->site) : 0;
    char *uri;
    if (!n)
        return NULL;
    if (*ref == '/' && strncasecmp(base, loader->site, n) != 0)
        base = loader->site;                    /* the stylesheet is a file, but it means what its pages would */
    uri = apr_palloc(pool, strlen(base) + strlen(ref) + 2);
    gx_uri_resolve(base, ref, uri);
    return strncasecmp(uri, loader->site, n) == 0 && strchr("/?", uri[n]) ? uri : NULL;
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
    const char *name = apr_pstrmemdup(pool, GX_DOC_COL(source, char, strs) + source->base_uri, source->base_uri_len), *path;

    h->by_path = apr_hash_make(h->ev->pool);
    path = h->ev->loader ? site_uri(h->ev->loader, pool, name, "") : NULL;
    if (*name && (path || (path = gx_load_path(pool, name, NULL)) != NULL))
        remember(h, path, h->run->views[0].base);
}

/*
 * "" and "#id" (12.1): *node is the root of the document that the reference is relative to, which is in memory, whatever document() may read: that of
 * the node `from`; or, where there is none or it is in a tree that the stylesheet made, the stylesheet's module, whose path base is. GX_NONE: it is
 * none of these (an expression in an external entity of the stylesheet).
 */
static gx_status own_document(host *h, const char *base, u32 from, u32 *node)
{
    const gx_program *p = h->ev->program;
    const gx_own_doc *own = GX_PROG_TAB(p, gx_own_doc, own_docs);
    void *known = apr_hash_get(h->by_path, base, APR_HASH_KEY_STRING);

    if (from != GX_NONE) {
        gx_m m = host_machine(h);
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
            GX_TRY(add_doc(h, (const gx_doc *)((const char *)p + own[i].off)));
            *node = h->run->views[h->run->n_docs - 1].base;
            remember(h, base, *node);
            return GX_OK;
        }
    return GX_OK;
}

/* Is it a URI of the loader's site? */
static int is_of_site(const gx_loader *loader, const char *uri)
{
    const size_t n = loader->site ? strlen(loader->site) : 0;
    return n && strncasecmp(uri, loader->site, n) == 0 && strchr("/?", uri[n]);
}

/* The document that uri, without a fragment, names relative to base. pool: for what is needed no longer than this */
static gx_status other_document(host *h, apr_pool_t *pool, const char *uri, const char *base, u32 *node)
{
    const char *path, *bytes, *key, *fetched;
    size_t n;
    void *known;
    gx_error err;

    memset(&err, 0, sizeof err);
    fetched = *uri ? site_uri(h->ev->loader, pool, uri, base) : is_of_site(h->ev->loader, base) ? base : NULL;
    path = fetched ? fetched : gx_load_path(pool, uri, base);
    key = path ? path : gx_uri_scheme(uri) ? uri : apr_pstrcat(pool, base, " ", uri, NULL);
    known = apr_hash_get(h->by_path, key, APR_HASH_KEY_STRING);
    if (known) {
        *node = (u32)((uintptr_t)known - 1);
        return GX_OK;
    }
    if (fetched)
        return fetch_document(h, pool, fetched, node);
    if (path)                           /* the stylesheet by its name: it is what "" means in it */
        GX_TRY(own_document(h, path, GX_NONE, node));
    if (*node != GX_NONE)
        return GX_OK;
    if (gx_load(h->ev->loader, pool, NULL, uri, base, h->ev->limits, &path, &bytes, &n, &err) != GX_OK) {
        remember(h, key, GX_NONE);
        return missing(h, &err);
    }
    known = apr_hash_get(h->by_path, path, APR_HASH_KEY_STRING);        /* the path is a catalog's: it may have other names */
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

static gx_status open_document(host *h, apr_pool_t *pool, gx_str uri_slice, gx_str base_slice, u32 from, u32 *node)
{
    char *uri = host_string(h, pool, uri_slice), *base = host_string(h, pool, base_slice), *hash = strchr(uri, '#');

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
            return gx_fail(&h->error, GX_EDYNAMIC, "", 0, 0, "document() is switched off");
        GX_TRY(other_document(h, pool, uri, base, node));
    }
    return hash && *node != GX_NONE ? fragment(h, hash, node) : GX_OK;
}

static gx_status host_document(void *ctx, gx_str uri, gx_str base, u32 from, u32 *node)
{
    host *h = ctx;
    apr_pool_t *pool;

    GX_TRY(gx_host_look(h));
    apr_pool_create(&pool, h->ev->pool);
    gx_status status = open_document(h, pool, uri, base, from, node);
    apr_pool_destroy(pool);
    return status;
}

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

/* A fragment is known by its frame: a variable's value, handed on or bound again, is one tree, however often it is asked for. */
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
    apr_pool_create(&pool, h->ev->pool);
    gx_fragment **all = apr_palloc(pool, n * sizeof *all), **added = apr_palloc(pool, n * sizeof *added);
    gx_kid *frames = apr_palloc(pool, n * sizeof *frames);
    for (u32 i = 0; i < n; i++) {
        const int has_frame = kids[i].chunk != GX_NONE && kids[i].chunk != GX_KID_TEXT;
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
        const char *text = gx_runtime_property(h->ev->program, func, host_string(h, pool, args[0][i]), nslist);
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

static u64 now(const gx_evaluation *ev) { return ev->is_over && ev->is_over(ev->is_over_ctx) ? ~0ull : gx_now_us(); }
static u64 host_now(void *ctx) { return now(((const host *)ctx)->ev); }
int gx_evaluation_is_late(const gx_evaluation *ev) { return ev->deadline_us && now(ev) > ev->deadline_us; }

gx_status gx_host_look(host *h)
{
    return gx_evaluation_is_late(h->ev) ? gx_fail(&h->error, GX_ETIME, "", 0, 0, "%s", GX_LATE) : GX_OK;
}

/* ---- sentences ---- */

static const char *error_text(gx_m *m, const host *h, char *buf, size_t size)
{
    const gx_result *r = m->result;
    u32 n = r->error_text.len > 200 ? 200 : r->error_text.len;
    const char *s = n ? gx_bytes(m, r->error_text) : "";

    switch (r->error) {
    case GX_RE_ARENA: snprintf(buf, size, "the transformation needs more memory than arena=%llu (raise it with GPUXMLLimit arena=N)",
        (unsigned long long)h->ev->limits->arena); break;
    case GX_RE_STEPS: snprintf(buf, size, "more than steps=%llu steps (raise it with GPUXMLLimit steps=N)",
        (unsigned long long)h->ev->limits->steps); break;
    case GX_RE_DEADLINE: snprintf(buf, size, "%s", GX_LATE); break;
    case GX_RE_RECURSION: snprintf(buf, size, "templates or functions nested deeper than recursion=%u (endless recursion? else raise it with "
        "GPUXMLLimit recursion=N)", h->ev->limits->recursion); break;
    case GX_RE_NOT_A_SET: snprintf(buf, size, "the expression must be a node-set, and its value is something else (a variable with content is none: exsl:node-set() makes one of it)"); break;
    case GX_RE_NO_RULE: snprintf(buf, size, "xsl:apply-imports has no current template rule: it is in xsl:for-each, or not called by a rule"); break;
    case GX_RE_CIRCULAR: snprintf(buf, size, "the global variable $%.*s depends on itself", (int)n, s); break;
    case GX_RE_FUNCTION: case GX_RE_INSTRUCTION: snprintf(buf, size, "%.*s", (int)n, s); break;
    case GX_RE_NO_KEY: snprintf(buf, size, "there is no xsl:key named '%.*s'", (int)n, s); break;
    case GX_RE_KEY_DEPTH: snprintf(buf, size, "more than %u keys use one another", GX_KEY_DEPTH); break;
    case GX_RE_NO_DECIMAL_FORMAT: snprintf(buf, size, "there is no xsl:decimal-format named '%.*s'", (int)n, s); break;
    case GX_RE_FORMAT: snprintf(buf, size, "format-number(): the pattern '%.*s' is malformed", (int)n, s); break;
    case GX_RE_HOST: snprintf(buf, size, "%.480s", h->error.text); break;
    case GX_RE_RESULTS: snprintf(buf, size, "the function %.*s instantiates more than one func:result", (int)n, s); break;
    case GX_RE_MIXED: snprintf(buf, size, "the function %.*s gives values of different types in calls that are made together; convert them, "
        "with string() for instance, in its func:results or where it is called", (int)n, s); break;
    case GX_RE_CHANGED: snprintf(buf, size, "functions are called in another order when the expression is evaluated again"); break;
    case GX_RE_TERMINATED: snprintf(buf, size, "terminated by xsl:message%s%.*s", n ? ": " : "", (int)n, s); break;
    case GX_RE_TYPE: snprintf(buf, size, "the compiled program is damaged: a variable's type"); break;
    case GX_RE_NO_HOST: snprintf(buf, size, "needs a host step"); break;
    default: snprintf(buf, size, "evaluation failed (%u)", r->status);
    }
    return buf;
}

/* " [in template x at line 5, from template at other.xsl:7, ...]", at most 5 deep. file: of the error; others are named. */
static void error_stack(gx_m *m, u32 file, char *buf, size_t size)
{
    const gx_program *p = m->run->program;
    const gx_qname *names = GX_PROG_TAB(p, gx_qname, qnames);
    const gx_where *wheres = GX_PROG_TAB(p, gx_where, wheres);
    u32 ref = m->result->error_group, shown = 0, last = GX_NONE;
    size_t n = 0;

    for (; ref && shown < 5; ref = GX_PTR(m, gx_group, ref)->caller) {
        u32 body = GX_PTR(m, gx_group, ref)->body;
        const gx_body *b;
        while (m->run->bodies[body].parent != GX_NONE)
            body = m->run->bodies[body].parent;
        b = &m->run->bodies[body];
        if (body == last || (b->kind != GX_B_TEMPLATE && b->kind != GX_B_FUNCTION) || !b->where)
            continue;
        last = body;
        if (n + 160 > size)
            break;
        n += (size_t)snprintf(buf + n, size - n, "%s", shown ? ", from " : " [in ");
        if (b->template_name != GX_NONE)
            n += (size_t)snprintf(buf + n, size - n, "%s %.40s ", b->kind == GX_B_FUNCTION ? "function" : "template", GX_LIT_AT(p, names[b->template_name].local));
        else
            n += (size_t)snprintf(buf + n, size - n, "template ");
        const char *path = GX_LIT_AT(p, wheres[b->where].file), *slash = strrchr(path, '/');
        if (wheres[b->where].file == file)
            n += (size_t)snprintf(buf + n, size - n, "at line %u", wheres[b->where].line);
        else
            n += (size_t)snprintf(buf + n, size - n, "at %.60s:%u", slash ? slash + 1 : path, wheres[b->where].line);
        shown++;
    }
    if (shown && n + 2 < size)
        memcpy(buf + n, "]", 2);
}

static gx_status fail_with(gx_m *m, host *h, gx_error *err)
{
    const gx_program *p = m->run->program;
    const gx_result *r = m->result;
    const gx_where *w = GX_PROG_TAB(p, gx_where, wheres) + r->where;
    char text[512], stack[560] = "";
    gx_status status = r->status;

    if (r->error == GX_RE_HOST && h->error.file[0] && h->error.status != GX_EIO) {   /* a loaded document is at fault */
        *err = h->error;
        return err->status;
    }
    if (r->error == GX_RE_HOST && h->error.status != GX_OK)
        status = h->error.status;
    error_stack(m, w->file, stack, sizeof stack);
    gx_fail(err, status, GX_LIT_AT(p, w->file), w->line, w->column, "%s%s", error_text(m, h, text, sizeof text), stack);
    err->in_xpath = status == GX_EDYNAMIC && r->error != GX_RE_NO_RULE && r->error != GX_RE_INSTRUCTION;
    err->limit = r->error == GX_RE_ARENA ? "arena" : r->error == GX_RE_STEPS ? "steps" : r->error == GX_RE_RECURSION ? "recursion" : NULL;
    return status;
}

/* ---- evaluation ---- */

/* The global that a parameter "local", "{uri}local" or "prefix:local" is for; GX_NONE: the stylesheet has no such parameter. */
static u32 param_global(const gx_program *p, const char *name)
{
    const gx_qname *names = GX_PROG_TAB(p, gx_qname, qnames);
    const gx_global *globals = GX_PROG_TAB(p, gx_global, globals);
    const gx_lit *lits = GX_PROG_TAB(p, gx_lit, lits);
    const char *before = "", *local = name, *end;
    size_t n = 0;
    int is_uri = 1;

    if ((*name == '{' && (end = strchr(name, '}'))) || ((end = strchr(name, ':')) && end > name)) {
        is_uri = *end == '}';
        before = name + is_uri;
        n = (size_t)(end - before);
        local = end + 1;
    }
    for (u32 k = 0; k < p->globals.n; k++) {
        const gx_qname *q = &names[globals[k].name];
        const gx_lit *is = &lits[is_uri ? q->uri : q->prefix];
        if (globals[k].is_param && !strcmp(GX_LIT_AT(p, q->local), local) && is->len == n && !memcmp((const char *)p + is->off, before, n))
            return k;
    }
    return GX_NONE;
}

u64 gx_params_pack(const gx_program *p, const gx_param *params, int n, void *out, u64 cap)
{
    gx_packed_params *to = out;
    u64 size = sizeof *to + (u64)(n < 0 ? 0 : n) * sizeof *to->at;

    if (size > cap)
        return 0;
    to->n = to->pad = 0;
    for (int i = 0; i < n; i++) {
        u32 k = param_global(p, params[i].name);
        u64 len = strlen(params[i].value);
        if (k == GX_NONE)
            continue;
        if (len > cap - size)
            return 0;
        memcpy((char *)out + size, params[i].value, len);
        to->at[to->n].global = k;
        to->at[to->n].off = (u32)size;
        to->at[to->n].len = (u32)len;
        to->at[to->n++].pad = 0;
        size += len;
    }
    to->size = (size + 15) & ~15ull;
    return to->size <= cap ? to->size : 0;
}

/* Global parameters given as strings; gx_run_fill is done. */
static gx_status set_params(gx_m *m, const gx_evaluation *ev)
{
    for (int i = 0; i < ev->n_params; i++) {
        u32 k = param_global(ev->program, ev->params[i].name);
        if (k != GX_NONE)
            GX_TRY(gx_run_param(m, k, ev->params[i].value, (u32)strlen(ev->params[i].value)));
    }
    return GX_OK;
}

static gx_status prepare(gx_m *m, gx_evaluation *ev, const gx_host *steps)
{
    gx_run *r = m->run;

    GX_TRY(gx_run_fill(m, ev->program, ev->limits->recursion, ev->limits->steps));
    r->host = steps;
    r->host_end = m->top_end;
    r->host_tmp_end = m->tmp_end;
    r->deadline_us = ev->deadline_us;
    GX_TRY(gx_view_bind(m, ev->doc, 0));
    list_doc(ev, ev->doc, 0);
    return set_params(m, ev);
}

gx_status gx_evaluate(gx_evaluation *ev, gx_error *err)
{
    gx_arena *a = ev->arena;
    gx_m m;
    host h;
    gx_host steps;
    gx_start start;
    gx_limits limits = {0};
    gx_status status;
    u64 cap;

    if (ev->limits)
        limits = *ev->limits;
    gx_limits_default(&limits);
    const gx_limits *given = ev->limits;
    ev->limits = &limits;
    cap = limits.arena < a->cap ? limits.arena : a->cap;
    if (cap < 65536)
        cap = 65536;
    memset(&h, 0, sizeof h);
    h.ev = ev;
    h.base = a->base;
    memset(&steps, 0, sizeof steps);
    steps.ctx = &h;
    steps.document = host_document;
    steps.node_set = host_node_set;
    steps.function = host_function;
    steps.call = host_call;
    steps.dynamic = gx_host_dynamic;
    steps.now_us = host_now;
    ev->n_docs = 0;
    ev->base = a->base;

    /* gx_result, gx_run, then kept memory; scratch in the other half */
    arena_begin(a);
    memset(a->base, 0, GX_RUN_END);
    gx_m_start(&m, a->base, GX_RUN_END, cap, a->cap, a->cap + cap, 0);
    h.run = m.run;
    status = prepare(&m, ev, &steps);
    if (status == GX_OK) {
        start.base = a->base;
        start.top = m.top;
        start.top_end = m.top_end;
        start.tmp = m.tmp;
        start.tmp_end = m.tmp_end;
        start.n_docs = 1;
        if (ev->team.kind == GX_TEAM_KIND_THREADS && ev->team.members > 1) {
            status = gx_threads_run(&start, (u32)ev->team.members);
            if (status == GX_ENOMEM)
                status = gx_solo_run(&start);
        } else
            status = gx_solo_run(&start);
    } else if (m.result->status == GX_OK)
        m.result->status = status;
    if (status != GX_OK)
        status = fail_with(&m, &h, err);
    if (h.parser)
        gx_parser_free(h.parser);
    gx_host_regexp_free(&h);
    arena_end(a, m.result->used > m.top ? m.result->used : m.top, ev->doc->n_nodes > 20000);
    ev->limits = given;
    return status;
}
