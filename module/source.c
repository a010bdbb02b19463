/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.c -- a response's source: bytes that come bucket by bucket, and the document that they are
 *
 *   bucket --> inflate, if it is compressed --> parser --> document
 *         \--> collected until the end, then its document is looked for by the bytes (cache.c); unless it is there, as
 *         above. With
 *              GPUXMLStylesheetPI alone the parser has its beginning before that: what names no stylesheet is not
 *              collected
 *   stored document (stored.c) --> itself; or nothing, where the store's index finds what is selected
 *   whole file --> its document is looked for by the file's identity, before anything is read
 *
 * Buckets are dropped as soon as the parser has their bytes, unless the source may have to be sent as it is or parsed
 * again (GPUXMLStylesheetPI, GPUXMLOnError ...=pass). What is collected is at most an eighth of the cache's budget; of
 * a longer source the parser gets what there is, and from then on the bytes as they come.
 */
#include <zlib.h>
#include "document/xinclude.h"
#include "files/read.h"
#include "fetch.h"
#include "media.h"
#include "source.h"
#include "stored.h"
#include "worker.h"

/* inflateInit2's windowBits: of gzip or zlib, whatever its header says; of bare deflate */
#define WRAPPED (15 + 32)
#define BARE (-15)

/* By what is the document known to the cache? BY_BYTES_LATER: at its end by its bytes, which are being collected. */
enum { BY_NOTHING = 0, BY_FILE, BY_BYTES_LATER, BY_BYTES };

#define MOST_WAITING (256u << 20)       /* bytes of a source that is collected to be sent to the worker */

/* The digest of the bytes that are parsed: nobody wants it; taken as they come, by the kit's `source`; in
 * gxm_source.sha; it could not be taken. */
enum { SHA_NONE = 0, SHA_COMING, SHA_KNOWN, SHA_LOST };

/* Looks for the document of the source that s->key tells, under the options that hold now. */
static gxm_cached *find_kept(gxm_source *s)
{
    if (!gxm_parsing_sha(&s->kit->text, &s->options, s->inflate != NULL, &s->key.options)) {
        s->known = BY_NOTHING;
        return NULL;
    }
    if (s->known == BY_BYTES) {
        s->is_again = gxm_cache_seen(&s->key)
            && (s->has_sha || (s->has_sha = gxm_bytes_sha(&s->key, s->kept)));
        if (!s->is_again)
            return NULL;
    }
    return gxm_cache_find(&s->key);
}

/* What external entities and xi:include may come from: as for document(). An entity is a file in any case. */
static const gx_loader *files_loader(gxm_source *s)
{
    const gxm_server *server = gxm_server_conf(s->r->server);
    if (!s->loader) {
        s->loader = apr_pcalloc(s->r->pool, sizeof *s->loader);
        s->loader->roots = (const char *const *)server->roots->elts;
        s->loader->n_roots = server->roots->nelts;
        s->loader->catalog = gx_catalog_create(s->r->pool, (const char *const *)server->catalogs->elts,
                                               server->catalogs->nelts, s->warning, s->warning_ctx);
        if (gxm_dir_conf(s->r)->documents == GXM_DOC_SUBREQUEST) {
            s->loader->site = gxm_site(s->r, s->r->pool);
            s->loader->fetch = gxm_fetch;
            s->loader->fetch_ctx = s->r;
        }
    }
    return s->loader;
}

static const char *url_of(const request_rec *r)
{
    return apr_pstrcat(r->pool, gxm_site(r, r->pool), r->unparsed_uri[0] == '/' ? r->unparsed_uri : r->uri, NULL);
}

/* gx_parse_options.again, of a file. It may be another by now than what was read: the digest is that of what is read
 * now. */
static int read_again(void *source, u64 from, char *to, size_t n)
{
    gxm_source *s = source;
    char before[4];                     /* a byte order mark */
    if (from > sizeof before || gx_read_at(s->file, 0, before, from) || gx_read_at(s->file, from, to, n))
        return -1;
    if (s->sha_state == SHA_COMING) {
        gx_lanes_begin(&s->kit->source);
        gx_lanes_add(&s->kit->source, before, from);
        gx_lanes_add(&s->kit->source, to, n);
    }
    return 0;
}

/* What the source is to be parsed with: by the section, and by what s->program wants of it, its rules of white space
 * and namespace nodes among them. Called again if the source names another program. */
static void set_options(gxm_source *s)
{
    const gxm_dir *conf = gxm_dir_conf(s->r);
    const gx_program *program = s->program;
    gx_parse_options *o = &s->options;
    memset(o, 0, sizeof *o);
    o->limits = &s->limits;
    o->charset = gxm_charset_of(s->r->pool, s->r->content_type);
    o->base_uri = conf->documents == GXM_DOC_SUBREQUEST ? url_of(s->r) : NULL;
    o->spaces = program;
    o->flags = program && program->flags & GX_P_NAMESPACE_AXIS ? GX_DOC_NAMESPACES : 0;
    o->external_ignore = conf->external_ignore == 1;
    o->html_entities = conf->html_entities == 1;
    o->lenient = conf->lenient == 1;
    o->warning = s->warning;
    o->warning_ctx = s->warning_ctx;
    if (conf->external_files == 1) {
        o->external = files_loader(s);
        o->is_foreign = 1;
    }
    o->xinclude = conf->xinclude == 1;
    if (o->xinclude)
        o->flags |= GX_DOC_LINES;           /* for sentences about an xi:include */
    if (o->xinclude || o->external)
        o->external_base = *s->path ? s->path : url_of(s->r);
    o->no_doctype = conf->no_doctype == 1;
    o->at_once = s->is_by_pi;
    o->timeout_us = gxm_timeout_us(conf);
    o->alloc = gxm_kit_block;
    o->alloc_ctx = s->kit;
    if (s->is_file && !s->inflate && !s->is_by_pi) {
        o->again = read_again;
        o->again_ctx = s;
    }
}

/* Before the parser sees a byte. What is to be kept is kept for those who want it. */
static void sha_begin(gxm_source *s)
{
    const int is_known = s->known == BY_BYTES && s->has_sha && !s->inflate;
    s->sha_state = is_known ? SHA_KNOWN : s->wants_sha || s->known == BY_FILE || s->is_again ? SHA_COMING : SHA_NONE;
    if (is_known)
        s->sha = s->key.sha;
    else if (s->sha_state == SHA_COMING)
        gx_lanes_begin(&s->kit->source);
}

/* A stored document stands for itself where a parser would make the same of its XML. */
static gx_status use_stored(gxm_source *s, gx_error *err)
{
    const gx_doc *d = s->stored->doc;
    const gx_program *program = s->program;
    if (!(program && program->spaces.n) && !s->options.flags) {
        s->cached = gxm_cache_hold(s->stored);
        s->sha = s->cached->source;
        s->sha_state = SHA_KNOWN;
        s->in_bytes = s->cached->in_bytes;
        return GX_OK;
    }
    return d->n_ids || d->n_entities || d->n_bases
               ? gx_fail(err, GX_EDYNAMIC, "", 0, 0,
                         "the stylesheet strips white space or uses the namespace axis, or GPUXMLXInclude is on, and "
                         "the stored document has IDs, unparsed entities or external entities that its XML alone does "
                         "not say")
               : GX_OK;
}

/* From the first byte. s->cached afterwards: there is nothing to parse. BY_BYTES_LATER: nor is there yet, unless
 * s->looks. */
static gx_status parse_begin(gxm_source *s, gx_error *err)
{
    set_options(s);
    gxm_cache_release(s->cached);
    s->cached = NULL;
    s->sha_state = SHA_NONE;
    s->in_bytes = s->coded_bytes = 0;
    s->inflated = 0;
    if (s->selected) {
        s->sha = s->selected->sha;
        s->sha_state = SHA_KNOWN;
        s->in_bytes = s->selected->source_bytes;
        return GX_OK;
    }
    if (s->stored) {
        const gx_status status = use_stored(s, err);
        if (status != GX_OK || s->cached)
            return status;
    }
    if (s->collects && !s->looks)
        return GX_OK;
    if ((s->known == BY_FILE || s->known == BY_BYTES) && (s->cached = find_kept(s)) != NULL) {
        s->sha = s->cached->source;
        s->sha_state = SHA_KNOWN;
        s->in_bytes = s->cached->in_bytes;
        return GX_OK;
    }
    sha_begin(s);
    /* nobody gets a copy: no worker, no cache */
    s->options.in_place = !gxm_worker_wanted() && gxm_conf.engine != GXM_ENGINE_GPU && !s->options.xinclude
        && s->known != BY_FILE && !s->is_again;
    return gx_parser_begin(s->kit->parser, &s->options, err);
}

static gx_status no_coding_memory(gx_error *err) { return gx_fail(err, GX_ENOMEM, "", 0, 0, "no memory to decode it"); }

/* Would its bytes alone make its document, whoever reads them? */
static int is_plain(gxm_source *s)
{
    const gx_parse_options *o = &s->options;
    set_options(s);
    return !s->is_by_pi && !o->xinclude && !o->flags && (!o->charset || strcasecmp(o->charset, "utf-8") == 0);
}

/* The source begins with this brigade: what can it be known by (a file, its bytes, a document of a store), is it to be
 * kept, may it wait for a worker that parses, is it coded? Then its parser. GX_ENOMEM, or the parser's error. */
gx_status gxm_source_begin(gxm_source *s, apr_bucket_brigade *first, int is_coded, gx_error *err)
{
    s->is_file = gxm_file_whole(s->r, first, &s->key, &s->file);
    gx_digest_begin(&s->collected);
    s->names_sheet = -1;
    s->selected = gxm_stored_selected(first);
    s->stored = s->selected ? NULL : gxm_stored_doc(first);
    const int is_stored = s->stored || s->selected;
    if (gxm_conf.cache_bytes && !is_stored)
        s->known = s->is_file ? BY_FILE : gxm_conf.cache_files ? BY_NOTHING : BY_BYTES_LATER;
    s->looks = s->is_by_pi && s->known == BY_BYTES_LATER;
    s->may_wait = s->may_wait && !is_stored && s->known != BY_FILE && !is_coded && is_plain(s);
    s->collects = s->known == BY_BYTES_LATER || s->may_wait;
    if (s->is_kept || s->collects)
        s->kept = apr_brigade_create(s->r->pool, s->r->connection->bucket_alloc);
    if (is_coded) {
        s->inflate = apr_pcalloc(s->r->pool, sizeof *s->inflate);
        if (inflateInit2(s->inflate, WRAPPED) != Z_OK) {
            s->inflate = NULL;
            return no_coding_memory(err);
        }
    }
    return parse_begin(s, err);
}

/* ---- bytes to the parser ---- */

static void note_sheet(gxm_source *s)
{
    if (s->names_sheet < 0)
        s->names_sheet = gx_parser_names_sheet(s->kit->parser);
}

#define LOOK_BYTES 1024

/* While it is not known whether it names a stylesheet, and only that may make it ours, a little at a time: the rest may
 * be nobody's business, how much of it there is included. */
static gx_status feed_plain(gxm_source *s, const char *bytes, size_t n, gx_error *err)
{
    gx_status status = GX_OK;
    if (s->into) {
        char *to = gx_buf_push(s->into, n);
        if (!to)
            return gx_fail(err, GX_ENOMEM, "", 0, 0, "no memory for the source's bytes");
        memcpy(to, bytes, n);
        return GX_OK;
    }
    if (s->sha_state == SHA_COMING)
        gx_lanes_add(&s->kit->source, bytes, n);
    s->in_bytes += n;
    while (n && status == GX_OK && (!s->is_by_pi || s->names_sheet) && !(s->looks && s->names_sheet == 1)) {
        const size_t some = s->is_by_pi && s->names_sheet < 0 && n > LOOK_BYTES ? LOOK_BYTES : n;
        status = gx_parser_feed(s->kit->parser, bytes, some, err);
        note_sheet(s);
        bytes += some;
        n -= some;
    }
    return status;
}

/* A bomb stops at the parser's own limit: it sees the bytes 16 KiB at a time. */
static gx_status feed(gxm_source *s, const char *bytes, size_t n, gx_error *err)
{
    z_stream *z = s->inflate;
    char out[16384];
    if (!z)
        return feed_plain(s, bytes, n, err);
    /* "deflate" is zlib's format (RFC 9110, 8.4.1.2), but some servers send it bare, and browsers read both. Nothing
     * bare begins with the first byte of the others: gzip's would be a block of the type that there is not, zlib's a
     * stored block whose padding is not 0 */
    if (!s->coded_bytes)
        inflateReset2(z, ((u8)*bytes & 15) == Z_DEFLATED || (u8)*bytes == 0x1f ? WRAPPED : BARE);
    s->coded_bytes += n;
    if (s->coded_bytes > s->limits.input) {         /* empty members without end make no byte that the parser would
                                                       count */
        gx_fail(err, GX_ELIMIT, "", 0, 0, "the compressed source has more bytes than input=%" APR_UINT64_T_FMT,
                (apr_uint64_t)s->limits.input);
        err->limit = "input";
        return GX_ELIMIT;
    }
    z->next_in = (Bytef *)bytes;
    while (n) {
        z->avail_in = n > 0x40000000 ? 0x40000000 : (uInt)n;
        n -= z->avail_in;
        for (;;) {
            int rc;
            size_t got;
            gx_status status;
            if (s->inflated) {              /* another member, or padding, after the first one's end */
                if (!z->avail_in)
                    break;
                if (*z->next_in == 0) {
                    z->next_in++;
                    z->avail_in--;
                    continue;
                }
                if (inflateReset(z) != Z_OK)
                    goto bad;
                s->inflated = 0;
            }
            z->next_out = (Bytef *)out;
            z->avail_out = sizeof out;
            rc = inflate(z, Z_NO_FLUSH);
            got = sizeof out - z->avail_out;
            if (got && (status = feed_plain(s, out, got, err)) != GX_OK)
                return status;
            if (rc == Z_STREAM_END)
                s->inflated = 1;
            else if (rc == Z_BUF_ERROR && !got)
                break;                      /* wants more input */
            else if (rc == Z_MEM_ERROR)
                return no_coding_memory(err);
            else if (rc != Z_OK)
                goto bad;
            if (!z->avail_in && z->avail_out && !s->inflated)
                break;
        }
    }
    return GX_OK;
bad:
    s->bad_coding = !s->in_bytes ? "it is neither gzip nor deflate" : z->msg ? z->msg : "";
    return GX_EXML;
}

#define READ_BYTES 65536

/* A file is read, not mapped: while somebody writes it over (cp, a shell's >) it is short for a moment, and who looks
 * then at a page that was mapped dies of SIGBUS, with all the requests of the process. */
apr_status_t gxm_source_read(apr_bucket *e, const char **data, apr_size_t *n)
{
    if (APR_BUCKET_IS_FILE(e)) {
        apr_bucket_file_enable_mmap(e, 0);
        apr_bucket_file_set_buf_size(e, READ_BYTES);
    }
    return apr_bucket_read(e, data, n, APR_BLOCK_READ);
}

/* ---- what is kept ---- */

apr_bucket *gxm_make_room(apr_bucket_brigade *bb, size_t *size, size_t n)
{
    size_t want = !*size ? APR_BUCKET_BUFF_SIZE : *size < 32768 ? 32768 : *size < 1048576 ? *size * 2 : *size;
    apr_bucket *e;
    char *bytes;
    while (want < n)
        want = want < 32768 ? 32768 : want * 2;
    bytes = want == APR_BUCKET_BUFF_SIZE ? apr_bucket_alloc(want, bb->bucket_alloc) : malloc(want);
    if (!bytes)
        return NULL;
    *size = want;
    e = apr_bucket_heap_create(bytes, want, want == APR_BUCKET_BUFF_SIZE ? apr_bucket_free : free, bb->bucket_alloc);
    e->length = 0;
    APR_BRIGADE_INSERT_TAIL(bb, e);
    return e;
}

/* Keeps the bucket, whose n bytes are at data. All but large ones are put together: each has room for 8000 bytes, even
 * that of a program that writes line by line, and costs httpd's allocator a system call or two (16 ms for 11 MB). 0: no
 * memory; it is kept for this call of the filter. */
static int keep(gxm_source *s, apr_bucket *e, const char *data, size_t n)
{
    apr_status_t rv;
    if (n && n < 65536) {
        apr_bucket *last = APR_BRIGADE_LAST(s->kept);
        apr_bucket_heap *heap = last != APR_BRIGADE_SENTINEL(s->kept) && APR_BUCKET_IS_HEAP(last) ? last->data : NULL;
        if (!heap || heap->refcount.refcount != 1 || heap->alloc_len - ((size_t)last->start + last->length) < n)
            last = gxm_make_room(s->kept, &s->room, n);
        if (last) {
            heap = last->data;
            memcpy(heap->base + last->start + last->length, data, n);
            last->length += n;
            apr_bucket_delete(e);
            return 1;
        }
    }
    APR_BUCKET_REMOVE(e);
    rv = apr_bucket_setaside(e, s->r->pool);
    APR_BRIGADE_INSERT_TAIL(s->kept, e);
    return rv == APR_SUCCESS || rv == APR_ENOTIMPL;
}

/* The kept bytes go to the parser. */
static gx_status feed_kept(gxm_source *s, gx_error *err)
{
    apr_bucket *e = APR_BRIGADE_FIRST(s->kept), *next;
    for (; e != APR_BRIGADE_SENTINEL(s->kept); e = next) {
        const char *data;
        apr_size_t n;
        gx_status status;
        if (gxm_source_read(e, &data, &n) != APR_SUCCESS)
            return gx_fail(err, GX_EIO, "", 0, 0, "the source cannot be read again");
        if (n && (status = feed(s, data, n, err)) != GX_OK)
            return status;
        next = APR_BUCKET_NEXT(e);      /* reading may have split it */
        if (!s->is_kept)
            apr_bucket_delete(e);
    }
    return GX_OK;
}

static gx_status feed_collected(gxm_source *s, gx_error *err)
{
    s->in_bytes = 0;
    return feed_kept(s, err);
}

/* The end of what is collected: it is known by its bytes now, or, if there are too many, by nothing. Unless its
 * document is kept, the parser gets them. */
static gx_status end_collecting(gxm_source *s, int known, int is_end, gx_error *err)
{
    gx_status status;
    if (s->known == BY_BYTES_LATER)
        gxm_bytes_key(&s->key, &s->collected);
    s->known = known;
    s->collects = s->looks = 0;
    status = parse_begin(s, err);
    if (s->cached && !s->is_kept)
        apr_brigade_cleanup(s->kept);
    if (status != GX_OK || s->cached)
        return status;
    if (is_end && s->may_wait && !s->is_again && s->collected.n) {
        s->waits = 1;
        s->in_bytes = s->collected.n;
        if (s->sha_state == SHA_COMING) {       /* conditions are answered before it is parsed, if it ever is */
            s->has_sha = gxm_bytes_sha(&s->key, s->kept);
            s->sha_state = s->has_sha ? SHA_KNOWN : SHA_LOST;
            s->sha = s->key.sha;
        }
        return GX_OK;
    }
    return feed_collected(s, err);
}

/* One bucket, whose n bytes are at `data`: to the digest, to the parser or to what is kept, and away if nobody wants
 * it. What becomes larger than may wait or be looked for is parsed from here on. */
gx_status gxm_source_add(gxm_source *s, apr_bucket *e, const char *data, size_t n, gx_error *err)
{
    const u64 most = s->may_wait ? MOST_WAITING : gxm_conf.cache_bytes / 8;
    gx_status status = GX_OK;
    s->came += n;
    if (s->collects && s->known == BY_BYTES_LATER)
        gx_digest_add(&s->collected, data, n);
    else if (s->collects)
        s->collected.n += n;            /* nobody looks for it by its bytes */
    if (n && (!s->collects || s->looks))
        status = feed(s, data, n, err);
    if (s->names_sheet == 1)
        s->looks = 0;
    if (!s->is_kept && !s->collects)
        apr_bucket_delete(e);
    else if (!keep(s, e, data, n) && status == GX_OK)
        status = gx_fail(err, GX_ENOMEM, "", 0, 0, "no memory to keep the source");
    /* more than that may be in the cache's way, or is more than the worker takes */
    if (status == GX_OK && s->collects && s->collected.n > (most < s->limits.input ? most : s->limits.input))
        return end_collecting(s, BY_NOTHING, 0, err);
    return status;
}

gx_status gxm_source_end(gxm_source *s, gx_error *err)
{
    const u64 kept_most = gxm_conf.cache_bytes / 8;
    if (!s->collects)
        return GX_OK;
    return end_collecting(
        s, s->known == BY_BYTES_LATER && s->collected.n && s->collected.n <= kept_most ? BY_BYTES : BY_NOTHING, 1, err);
}

/* The bytes of a source that waits, as pieces where they lie, in the request's pool: how many; 0: it does not wait, or
 * a bucket cannot be read. */
u32 gxm_source_pieces(gxm_source *s, const gx_queue_piece **out)
{
    gx_queue_piece *pieces;
    u32 n = 0, i = 0;
    if (!s->waits)
        return 0;
    for (apr_bucket *e = APR_BRIGADE_FIRST(s->kept); e != APR_BRIGADE_SENTINEL(s->kept); e = APR_BUCKET_NEXT(e)) {
        const char *data;
        apr_size_t size;
        if (gxm_source_read(e, &data, &size) != APR_SUCCESS)       /* may split it: the rest is the next one */
            return 0;
        n++;
    }
    pieces = apr_palloc(s->r->pool, n * sizeof *pieces);
    for (apr_bucket *e = APR_BRIGADE_FIRST(s->kept); e != APR_BRIGADE_SENTINEL(s->kept); e = APR_BUCKET_NEXT(e), i++) {
        apr_size_t size;
        if (i == n || gxm_source_read(e, &pieces[i].at, &size) != APR_SUCCESS)
            return 0;
        pieces[i].n = size;
    }
    *out = pieces;
    return n;
}

/* ---- the document ---- */

int gxm_source_sha(gxm_source *s, gxm_sha *out)
{
    if (s->sha_state == SHA_COMING) {
        s->sha = gx_lanes_end(&s->kit->source);
        s->sha_state = SHA_KNOWN;
    }
    *out = s->sha;
    return s->sha_state == SHA_KNOWN;
}

static void sees(void *source, const void *bytes, size_t n)
{
    gx_lanes_add(&((gxm_source *)source)->kit->source, bytes, n);
}

/* The files that it includes may change: it is not kept, and its digest is that of what they make of it. */
static gx_status include(gxm_source *s, gx_doc **doc, gx_error *err)
{
    s->sha_state = SHA_COMING;
    gx_lanes_begin(&s->kit->source);
    const gx_status status = gx_xinclude(s->kit->parser, &s->options, files_loader(s), doc, sees, s, err);
    s->includes = 1;
    s->fails_to_include = status != GX_OK;
    return status;
}

static gx_status parse_finish(gxm_source *s, gx_doc **doc, gx_error *err)
{
    gx_status status = gx_parser_finish(s->kit->parser, doc, err);
    note_sheet(s);
    if (status == GX_OK && s->options.xinclude && gx_xinclude_wanted(*doc))
        return include(s, doc, err);
    s->asked |= gx_parser_asked(s->kit->parser);
    gxm_sha sha;
    if (status == GX_OK && !s->asked && (s->known == BY_FILE || (s->known == BY_BYTES && s->is_again))
        && gxm_source_sha(s, &sha))
        s->cached = gxm_cache_put(&s->key, s->file, *doc, &sha, s->in_bytes);
    if (status == GX_OK)
        gxm_kit_read(s->kit, *doc);
    return status;
}

gx_status gxm_source_doc(gxm_source *s, gx_doc **doc, gx_error *err)
{
    if (s->waits) {
        s->waits = 0;
        const gx_status status = feed_collected(s, err);
        if (status != GX_OK)
            return status;
    }
    if (s->cached) {
        *doc = s->cached->doc;
        return GX_OK;
    }
    if (s->inflate && !s->inflated) {
        s->bad_coding = "compressed data ends early";
        return GX_EXML;
    }
    return parse_finish(s, doc, err);
}

gx_status gxm_source_again(gxm_source *s, gx_doc **doc, gx_error *err)
{
    gxm_sha before, now;
    gx_status status;
    int good = gxm_parsing_sha(&s->kit->text, &s->options, s->inflate != NULL, &before);
    set_options(s);
    good &= gxm_parsing_sha(&s->kit->text, &s->options, s->inflate != NULL, &now);
    if (good && gx_sha256_is_same(&before, &now))
        return GX_OK;
    status = parse_begin(s, err);
    if (s->cached) {
        *doc = s->cached->doc;
        return GX_OK;
    }
    if (status == GX_OK)
        status = feed_kept(s, err);
    return status == GX_OK ? parse_finish(s, doc, err) : status;
}

static apr_status_t free_bytes(void *buf)
{
    gx_buf_free(buf);
    return APR_SUCCESS;
}

/* The parser has seen them, so there are no more than it takes. */
gx_status gxm_source_bytes(gxm_source *s, const char **bytes, size_t *n, gx_error *err)
{
    gx_buf *buf = apr_pcalloc(s->r->pool, sizeof *buf);
    apr_pool_cleanup_register(s->r->pool, buf, free_bytes, apr_pool_cleanup_null);
    s->into = buf;
    s->coded_bytes = 0;
    s->inflated = 0;
    gx_status status = feed_kept(s, err);
    s->into = NULL;
    *bytes = buf->at ? buf->at : "";
    *n = buf->n;
    return status;
}

void gxm_source_done(gxm_source *s, u64 eval_us)
{
    if (s->kit)
        gxm_kit_give(s->kit, eval_us);
    s->kit = NULL;
    gxm_cache_release(s->cached);
    s->cached = NULL;
    if (s->kept)
        apr_brigade_cleanup(s->kept);
    s->kept = NULL;
    if (s->inflate)
        inflateEnd(s->inflate);
    s->inflate = NULL;
}
