/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stored.c -- SetHandler gpuxml-store: what a URL below the store's name answers (stored.h)
 *
 *   handler -> bucket that stands for a document -> our filter takes the document (source.c)
 *                                                -> anybody else reads the document's XML
 *           where GPUXMLSelect asks for what the store's index knows, our filter takes what is selected instead, and no
 *           document is made (select_by_index)
 *
 * Each process has a store's newest generation open. Before it is used the file's head is looked at: a commit, or
 * another file of that name, is seen by the next request. Documents are kept in the cache, by their version and their
 * parts' checksums.
 */
#include "stored.h"
#include <pthread.h>
#include "store/ask.h"

typedef struct gxm_store_view {
    gxs_view *view;
    unsigned refs; /* under the lock */
} gxm_store_view;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- generations ---- */

static void let_go(gxm_store_view *v)
{
    if (v && --v->refs == 0) {
        gxs_view_close(v->view);
        free(v);
    }
}

/* The newest generation of the store, with a reference: opened anew if there is a newer one than this process has.
 * Readers of the older one keep it. */
static gx_status use_view(gxm_document_store *store, gxm_store_view **out, gx_error *err)
{
    gx_status status = GX_OK;
    pthread_mutex_lock(&lock);
    if (!store->view || !gxs_view_is_newest(store->view->view)) {
        gxm_store_view *v = calloc(1, sizeof *v);
        status = v ? gxs_view_open(store->path, &v->view, err)
                   : gx_fail(err, GX_ENOMEM, store->path, 0, 0, "not enough memory");
        if (status == GX_OK) {
            v->refs = 1;
            let_go(store->view);
            store->view = v;
        } else
            free(v);
    }
    if (status == GX_OK) {
        store->view->refs++;
        *out = store->view;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static apr_status_t view_cleanup(void *v)
{
    pthread_mutex_lock(&lock);
    let_go(v);
    pthread_mutex_unlock(&lock);
    return APR_SUCCESS;
}

/* ---- a document ---- */

/* What tells a document from others: SHA-256 of what the store says of it and its parts */
static int identity(gxm_shaing *h, const gxs_view *v, const gxs_doc *d, gxm_sha *out)
{
    const u64 facts[] = { d->version, d->source_bytes, d->n_nodes, d->n_parts };
    gxm_sha_begin(h);
    gxm_sha_str(h, "stored document");
    gxm_sha_add(h, facts, sizeof facts);
    for (u32 i = 0; i < d->n_parts; i++) {
        const gxs_part *p = &v->parts[d->first_part + i];
        const u64 part[] = { p->bytes, p->block_bytes, p->crc, p->spine };
        gxm_sha_add(h, part, sizeof part);
    }
    return gxm_sha_end(h, out);
}

/* The document, with a reference: from the cache, by `sha`, or read from the file, all parts put together, and kept if
 * the cache has room. GX_ELIMIT by the section's `input`. */
static gx_status load(request_rec *r, const gxs_view *v, const gxs_doc *d, const gxm_sha *sha, gxm_cached **out,
                      gx_error *err)
{
    gxm_key key;
    gx_limits limits;
    gxs_room room = { 0 };
    gx_buf whole = { 0 };
    gx_doc *doc;
    memset(&key, 0, sizeof key);
    memcpy(key.id, sha, sizeof key.id);
    key.size = d->source_bytes;
    key.sha = *sha;
    if ((*out = gxm_cache_find(&key)))
        return GX_OK;
    gxm_limits_effective(gxm_dir_conf(r), &limits);
    if (d->source_bytes > limits.input) {
        gx_fail(err, GX_ELIMIT, v->path, 0, 0, "the stored document has more bytes than input=%" APR_UINT64_T_FMT,
                (apr_uint64_t)limits.input);
        err->limit = "input";
        return GX_ELIMIT;
    }
    gx_status status = gxs_whole(v, d, ~(u64)0, "", &room, &whole, &doc, err);
    if (status == GX_OK && !(*out = gxm_cache_put(&key, -1, doc, sha, d->source_bytes))
        && !(*out = gxm_cache_alone(doc, sha, d->source_bytes)))
        status = gx_fail(err, GX_ENOMEM, v->path, 0, 0, "not enough memory");
    gxs_room_free(&room);
    gx_buf_free(&whole);
    return status;
}

/* ---- what the index finds ---- */

typedef struct gxm_selecting {
    const gxs_view *view;
    const gxs_doc *doc;
    const char *expression;
    gx_compile_options options; /* namespaces */
    int fits;                   /* the document may be made, too */
} gxm_selecting;

/* NULL: the whole document is needed, or wanted. err says nothing of it. */
static const gxm_selected *select_by_index(request_rec *r, const gxs_view *v, const gxs_doc *d, const gxm_sha *sha)
{
    const gxm_dir *conf = gxm_dir_conf(r);
    const apr_array_header_t *namespaces = NULL;
    const char *charset = conf->out_charset;
    gx_limits limits;
    gxs_plan plan;
    gx_error err;
    gxm_sheet *sheet = conf->is_select && conf->sheets && conf->sheets->nelts == 1
                           ? APR_ARRAY_IDX(conf->sheets, 0, gxm_named).sheet
                           : NULL;
    const char *expression = sheet ? gxm_select_expression(sheet, &namespaces) : NULL;
    if (!expression || conf->xinclude == 1 || (charset && strcasecmp(charset, "utf-8") != 0))
        return NULL;
    gxm_selecting *how = apr_pcalloc(r->pool, sizeof *how);
    gxm_selected *s = apr_pcalloc(r->pool, sizeof *s);
    gxm_limits_effective(conf, &limits);
    how->view = v;
    how->doc = d;
    how->expression = expression;
    how->options.namespaces = namespaces ? (const gx_param *)(const void *)namespaces->elts : NULL;
    how->options.n_namespaces = namespaces ? namespaces->nelts : 0;
    how->fits = d->source_bytes <= limits.input;
    *s = (gxm_selected){ *sha, d->source_bytes, how };
    const gxs_question q = { .expression = expression, .options = &how->options };
    return gxs_ask_way(v, d, &q, r->pool, &plan, &err) == GX_OK && plan.way == GXS_EACH
                   && (plan.n_needs || !how->fits)
               ? s
               : NULL;
}

/* An answer that is being written */
typedef struct answering {
    const gx_evaluation *ev;
    apr_pool_t *pool; /* of one part's evaluation */
    gx_sink sink;
    void *ctx;
    u64 bytes, most; /* most: 0: no limit */
    u32 nodes;
} answering;

static gx_status evaluate_part(void *ctx, gx_evaluation *ev, gx_error *err)
{
    answering *a = ctx;
    const gx_doc *doc = ev->doc;
    if (a->ev->deadline_us && gx_now_us() > a->ev->deadline_us)
        return gx_fail(err, GX_ETIME, "", 0, 0, "reading the store takes longer than GPUXMLTimeout allows");
    apr_pool_clear(a->pool);
    *ev = *a->ev;
    ev->doc = doc;
    ev->pool = a->pool;
    a->nodes += doc->n_nodes;
    return gx_evaluate(ev, err);
}

static int put_answer(void *ctx, const char *bytes, size_t n)
{
    answering *a = ctx;
    a->bytes += n;
    return (a->most && a->bytes > a->most) || a->sink(a->ctx, bytes, n);
}

/* Evaluates the selection over the parts that the index has found, and writes the results as they come, within
 * `wrapper` as XML. *nodes: of the parts. GX_ELIMIT: longer than ev->limits->output; GX_ECANCEL: the sink would not. */
gx_status gxm_selected_write(const gxm_selected *s, const gx_evaluation *ev, const gx_serialize_options *options,
                             int as_xml, const char *wrapper, gx_sink sink, void *ctx, u32 *nodes, gx_error *err)
{
    const gxm_selecting *how = s->how;
    answering a = { .ev = ev, .sink = sink, .ctx = ctx, .most = ev->limits->output };
    const gxs_question q = { .expression = how->expression,
                             .options = &how->options,
                             .program = ev->program,
                             .serialize = options,
                             .as_xml = as_xml,
                             .memory = how->fits ? ~(u64)0 : 0,
                             .evaluate = evaluate_part,
                             .ctx = &a };
    gxs_room room = { 0 };
    gxs_counts counts = { 0 };
    gxs_asked asked;
    if (apr_pool_create(&a.pool, ev->pool) != APR_SUCCESS)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory");
    const char *begin = "", *end = "";
    if (as_xml && wrapper) {
        begin = apr_psprintf(ev->pool, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<%s>\n", wrapper);
        end = apr_psprintf(ev->pool, "</%s>\n", wrapper);
    }
    gx_status status = gxs_ask_begin(how->view, &q, ev->pool, &asked, err);
    if (status != GX_OK)
        return status;
    if (put_answer(&a, begin, strlen(begin)))
        status = GX_ECANCEL;
    if (status == GX_OK)
        status = gxs_ask(how->view, how->doc, &q, &asked, &room, ev->pool, put_answer, &a, &counts, err);
    if (status == GX_OK && put_answer(&a, end, strlen(end)))
        status = GX_ECANCEL;
    if (status != GX_OK && a.most && a.bytes > a.most) {
        status = gx_fail(err, GX_ELIMIT, "", 0, 0, "the page is longer than output=%" APR_UINT64_T_FMT,
                         (apr_uint64_t)a.most);
        err->limit = "output";
    }
    gxs_ask_end(&asked);
    gxs_room_free(&room);
    apr_pool_destroy(a.pool);
    *nodes = a.nodes;
    return status;
}

/* ---- the bucket ---- */

typedef struct stored {
    apr_bucket_refcount refcount;
    request_rec *r;
    gxm_cached *cached;           /* NULL: `selected`, and nobody has asked for the document */
    const gxm_selected *selected; /* NULL: the document is there */
} stored;

static int append(void *ctx, const char *bytes, size_t n) { return gx_buf_put(ctx, bytes, n); }

/* The document's XML to *out, for who reads the bucket's bytes instead of the document. */
static gx_status write_xml(const stored *s, gx_buf *out, gx_error *err)
{
    gx_limits limits;
    gx_program *program;
    gxm_kit *kit = gxm_kit_take();
    gx_status status = kit ? gx_compile_select("/", NULL, s->r->pool, &program, err)
                           : gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory");
    gxm_limits_effective(gxm_dir_conf(s->r), &limits);
    if (status == GX_OK && !kit->arena && (status = gxm_kit_arena(kit, limits.arena, err)) != GX_OK)
        free(program);
    if (status == GX_OK) {
        gx_evaluation ev = { .program = program,
                             .doc = s->cached->doc,
                             .limits = &limits,
                             .arena = kit->arena,
                             .team = { GX_TEAM_KIND_SOLO, 1, NULL },
                             .pool = s->r->pool };
        const gx_serialize_options o = { .limits = &limits };
        status = gx_evaluate(&ev, err);
        if (status == GX_OK)
            status = gx_serialize_selection(&ev, &o, 1, NULL, append, out, NULL, err);
        free(program);
    }
    if (kit)
        gxm_kit_give(kit, 0);
    return status;
}

static int report(request_rec *r, const gx_error *err)
{
    char text[1200];
    const int busy = err->status == GX_ENOMEM || err->status == GX_EBUSY || err->status == GX_EIO;
    ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "GX0170: stored document: %s [uri %.256s]",
                  gxm_error_text(err, text, sizeof text), r->uri);
    return busy ? HTTP_SERVICE_UNAVAILABLE : HTTP_INTERNAL_SERVER_ERROR;
}

static apr_status_t cached_cleanup(void *cached)
{
    gxm_cache_release(cached);
    return APR_SUCCESS;
}

/* The document itself, which lives as long as the request */
static gx_status load_cached(request_rec *r, const gxs_view *v, const gxs_doc *d, const gxm_sha *sha, gxm_cached **out,
                             gx_error *err)
{
    GX_TRY(load(r, v, d, sha, out, err));
    apr_pool_cleanup_register(r->pool, *out, cached_cleanup, apr_pool_cleanup_null);
    return GX_OK;
}

/* The bucket becomes one of the heap with the document's XML: for a filter that is not ours. */
static apr_status_t bucket_read(apr_bucket *e, const char **bytes, apr_size_t *n, apr_read_type_e block)
{
    stored *s = e->data;
    gx_buf xml = { 0 };
    gx_error err = { 0 };
    (void)block;
    gx_status status = GX_OK;
    if (!s->cached)
        status = load_cached(s->r, s->selected->how->view, s->selected->how->doc, &s->selected->sha, &s->cached, &err);
    if (status != GX_OK || write_xml(s, &xml, &err) != GX_OK) {
        gx_buf_free(&xml);
        report(s->r, &err);
        return APR_EGENERAL;
    }
    if (apr_bucket_shared_destroy(s))
        apr_bucket_free(s);
    *bytes = xml.at;
    *n = xml.n;
    apr_bucket_heap_make(e, xml.at, xml.n, free);
    return APR_SUCCESS;
}

static void bucket_destroy(void *data)
{
    if (apr_bucket_shared_destroy(data))
        apr_bucket_free(data);
}

static const apr_bucket_type_t stored_type = { "GXSTORED",
                                               5,
                                               APR_BUCKET_DATA,
                                               bucket_destroy,
                                               bucket_read,
                                               apr_bucket_setaside_noop,
                                               apr_bucket_split_notimpl,
                                               apr_bucket_shared_copy };

static apr_bucket *bucket_create(request_rec *r, gxm_cached *cached, const gxm_selected *selected)
{
    apr_bucket_alloc_t *list = r->connection->bucket_alloc;
    apr_bucket *e = apr_bucket_alloc(sizeof *e, list);
    stored *s = apr_bucket_alloc(sizeof *s, list);
    APR_BUCKET_INIT(e);
    e->free = apr_bucket_free;
    e->list = list;
    s->r = r;
    s->cached = cached;
    s->selected = selected;
    e = apr_bucket_shared_make(e, s, 0, 0);
    e->length = (apr_size_t)-1;
    e->type = &stored_type;
    return e;
}

static const stored *stored_of(const apr_bucket_brigade *bb)
{
    const apr_bucket *e = APR_BRIGADE_FIRST(bb);
    return e != APR_BRIGADE_SENTINEL(bb) && e->type == &stored_type ? e->data : NULL;
}

gxm_cached *gxm_stored_doc(const apr_bucket_brigade *bb) { return stored_of(bb) ? stored_of(bb)->cached : NULL; }

const gxm_selected *gxm_stored_selected(const apr_bucket_brigade *bb)
{
    return stored_of(bb) ? stored_of(bb)->selected : NULL;
}

/* ---- the handler ---- */

/* The store whose name is a part of the URL's path, the first such one, and the document's name: all behind that. */
static gxm_document_store *find_store(const request_rec *r, const char **doc)
{
    const apr_array_header_t *all = gxm_server_conf(r->server)->stores;
    for (const char *at = r->uri; all && at && *at == '/'; at = strchr(at + 1, '/')) {
        const size_t n = strcspn(at + 1, "/");
        for (int i = 0; i < all->nelts; i++) {
            gxm_document_store *s = APR_ARRAY_IDX(all, i, gxm_document_store *);
            if (strlen(s->name) == n && !memcmp(s->name, at + 1, n) && at[1 + n] == '/' && at[2 + n]) {
                *doc = at + n + 2;
                return s;
            }
        }
    }
    return NULL;
}

/* SetHandler gpuxml-store: GET of a document, known by an ETag of what the store says of it, so conditions cost no
 * reading. The answer is a bucket that has the document, or the selection that the index can answer; the filter takes
 * these as they are. */
int gxm_stored_handler(request_rec *r)
{
    gxm_store_view *held;
    gxm_cached *cached = NULL;
    gxm_shaing h;
    gxm_sha sha;
    gx_error err = { 0 };
    const char *name;
    char tag[2 * 16 + 3];
    int status;
    if (!r->handler || strcmp(r->handler, "gpuxml-store") != 0)
        return DECLINED;
    ap_allow_methods(r, REPLACE_ALLOW, "GET", NULL);
    if (r->method_number != M_GET)
        return HTTP_METHOD_NOT_ALLOWED;
    gxm_document_store *store = find_store(r, &name);
    if (!store)
        return HTTP_NOT_FOUND;
    if (use_view(store, &held, &err) != GX_OK)
        return report(r, &err);
    apr_pool_cleanup_register(r->pool, held, view_cleanup, apr_pool_cleanup_null);
    const gxs_doc *d = gxs_view_find(held->view, name);
    if (!d)
        return HTTP_NOT_FOUND;
    memset(&h, 0, sizeof h);
    const int known = identity(&h, held->view, d, &sha);
    gxm_sha_free(&h);
    if (!known) {
        gx_fail(&err, GX_ENOMEM, store->path, 0, 0, "not enough memory");
        return report(r, &err);
    }
    ap_bin2hex(&sha, 16, tag + 1);
    tag[0] = tag[33] = '"';
    tag[34] = 0;
    ap_set_content_type(r, "application/xml");
    apr_table_set(r->headers_out, "ETag", tag);
    if ((status = ap_meets_conditions(r)) != OK)
        return status;
    const gxm_selected *selected = select_by_index(r, held->view, d, &sha);
    if (!selected && load_cached(r, held->view, d, &sha, &cached, &err) != GX_OK)
        return report(r, &err);
    apr_bucket_brigade *bb = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    APR_BRIGADE_INSERT_TAIL(bb, bucket_create(r, cached, selected));
    APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_eos_create(r->connection->bucket_alloc));
    return ap_pass_brigade(r->output_filters, bb) == APR_SUCCESS ? OK : AP_FILTER_ERROR;
}
