/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalog_read.c -- catalog entry files are read: documents (gx_parse) become lists of entries
 *
 *   <rewriteURI uriStartString="http://x/" rewritePrefix="./"/>  -->  { URI, START, "http://x/", "file:///etc/xml/x/" }
 *
 * A file is read when a look-up comes to it, once. What is wrong in it is a warning, and the entry is passed over.
 */
#include <stdlib.h>
#include <string.h>
#include <apr_strings.h>
#include "catalog_file.h"
#include "document/names.h"
#include "uri.h"

#define CATALOG_URI "urn:oasis:names:tc:entity:xmlns:xml:catalog"

static const struct kind { const char *name, *match, *to; u8 part, how;
} kinds[] = {
    { "system", "systemId", "uri", SYSTEM, SAME },
    { "rewriteSystem", "systemIdStartString", "rewritePrefix", SYSTEM, START },
    { "systemSuffix", "systemIdSuffix", "uri", SYSTEM, END },
    { "delegateSystem", "systemIdStartString", "catalog", SYSTEM, DELEGATE },
    { "public", "publicId", "uri", PUBLIC, SAME },
    { "delegatePublic", "publicIdStartString", "catalog", PUBLIC, DELEGATE },
    { "uri", "name", "uri", URI, SAME },
    { "rewriteURI", "uriStartString", "rewritePrefix", URI, START },
    { "uriSuffix", "uriSuffix", "uri", URI, END },
    { "delegateURI", "uriStartString", "catalog", URI, DELEGATE },
    { "nextCatalog", NULL, "catalog", NEXT, DELEGATE },
};

/* ---- reading a catalog entry file ---- */

typedef struct reader {
    gx_catalog *c;
    const gx_doc *doc;
    const char *path;
    const u32 *label, *next, *text_off, *text_len, *line, *column;
    const gx_label_info *labels;
    const char *strs, *values;
} reader;

/* A catalog or group element, up to node `end` */
typedef struct scope { const struct scope *up; u32 end; const char *base; u8 prefers_system; } scope;

#define WARN(r, node, ...) do { \
    gx_error what = { 0 }; \
    gx_fail(&what, GX_EXML, (r)->path, (r)->line[node], (r)->column[node], __VA_ARGS__); \
    gx_catalog_warn((r)->c, &what); \
} while (0)

static int is_named(const reader *r, u32 node, u32 kind, const char *uri, const char *local)
{
    const gx_label_info *i = &r->labels[GX_LABEL_ID(r->label[node])];
    return GX_LABEL_KIND(r->label[node]) == kind && i->uri_len == strlen(uri)
        && !memcmp(r->strs + i->uri, uri, i->uri_len) && i->local_len == strlen(local)
        && !memcmp(r->strs + i->local, local, i->local_len);
}

static const char *attribute(const reader *r, u32 element, const char *uri, const char *local)
{
    for (u32 n = element + 1; n < r->next[element] && GX_IS_ATTACHED(GX_LABEL_KIND(r->label[n])); n++)
        if (is_named(r, n, GX_KIND_ATTR, uri, local))
            return apr_pstrmemdup(r->c->pool, r->values + r->text_off[n], r->text_len[n]);
    return NULL;
}

static const char *absolute(const reader *r, const char *base, const char *ref)
{
    char *out = apr_palloc(r->c->pool, strlen(base) + strlen(ref) + 2);
    gx_uri_resolve(base, ref, out);
    return out;
}

static const char *base_of(const reader *r, u32 element, const char *outer)
{
    const char *own = attribute(r, element, GX_XML_URI, "base");
    return own ? absolute(r, outer, own) : outer;
}

static const scope *enter(const reader *r, u32 element, const scope *up, const char *base)
{
    scope *s = apr_palloc(r->c->pool, sizeof *s);
    const char *prefer = attribute(r, element, "", "prefer");
    *s = (scope){ up, r->next[element], base_of(r, element, base), up && up->prefers_system };
    if (prefer && (!strcmp(prefer, "system") || !strcmp(prefer, "public")))
        s->prefers_system = *prefer == 's';
    else if (prefer)
        WARN(r, element, "prefer must be public or system, not \"%.100s\"", prefer);
    return s;
}

static void add_entry(const reader *r, const struct kind *k, u32 element, const scope *in, apr_array_header_t *entries)
{
    const char *to = attribute(r, element, "", k->to), *match = k->match ? attribute(r, element, "", k->match) : "";
    if (!to || !match) {
        WARN(r, element, "%s needs the attribute %s: the entry is ignored", k->name, to ? k->match : k->to);
        return;
    }
    gx_catalog_entry *e = apr_array_push(entries);
    match = k->part == PUBLIC ? gx_catalog_public(r->c->pool, match) : gx_catalog_escape(r->c->pool, match, "");
    *e = (gx_catalog_entry){ k->part, k->how, in->prefers_system, match, strlen(match),
                              absolute(r, base_of(r, element, in->base), to) };
}

/* What is not of the catalogs' namespace is ignored with all that it holds, as is what a later version has there
 * (6). */
static void read_entries(const reader *r, u32 top, const char *uri, apr_array_header_t *entries)
{
    const scope *in = enter(r, top, NULL, uri);
    for (u32 node = top + 1; node < r->next[top]; ) {
        while (node >= in->end)
            in = in->up;
        if (is_named(r, node, GX_KIND_ELEM, CATALOG_URI, "group")) {
            in = enter(r, node, in, in->base);
            node++;
            continue;
        }
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (is_named(r, node, GX_KIND_ELEM, CATALOG_URI, kinds[k].name))
                add_entry(r, &kinds[k], node, in, entries);
        node = r->next[node];
    }
}

static gx_status parse(gx_catalog *c, const char *uri, gx_doc **doc, const char **path, gx_error *err)
{
    const char *bytes;
    size_t n;
    gx_parser *parser;
    apr_pool_t *pool;
    apr_pool_create(&pool, c->pool);
    gx_status status = gx_load(NULL, pool, NULL, uri, NULL, NULL, path, &bytes, &n, err);
    if (status == GX_OK && (status = gx_parser_create(&parser, err)) == GX_OK) {
        APR_ARRAY_PUSH(c->read, const char *) = *path = apr_pstrdup(c->pool, *path);
        gx_parse_options options = { .fixed_limits = 1, .file = *path, .flags = GX_DOC_LINES };
        status = gx_parse(parser, &options, bytes, n, doc, err);
        gx_parser_free(parser);
    }
    apr_pool_destroy(pool);
    return status;
}

/* Reads one catalog into f->entries, which stays NULL where it cannot be read: other catalogs may still have the
 * answer, so that is a warning. Lack of memory or descriptors is not: c->refused, and the request fails. */
static void read_file(gx_catalog *c, const char *uri, gx_catalog_file *f)
{
    gx_error err = { 0 };
    gx_doc *doc;
    const char *path;
    if (parse(c, uri, &doc, &path, &err) != GX_OK) {
        if (err.status == GX_EBUSY || err.status == GX_ENOMEM)
            c->refused = err;
        else
            gx_catalog_warn(c, &err);
        return;
    }
    reader r = { c, doc, path, GX_DOC_COL(doc, u32, label), GX_DOC_COL(doc, u32, next), GX_DOC_COL(doc, u32, text_off),
                 GX_DOC_COL(doc, u32, text_len), GX_DOC_COL(doc, u32, line), GX_DOC_COL(doc, u32, column),
                 GX_DOC_COL(doc, gx_label_info, labels), GX_DOC_COL(doc, char, strs), GX_DOC_COL(doc, char, values) };
    u32 top = 1;
    while (GX_LABEL_KIND(r.label[top]) != GX_KIND_ELEM)
        top++;
    if (is_named(&r, top, GX_KIND_ELEM, CATALOG_URI, "catalog")) {
        f->entries = apr_array_make(c->pool, 16, sizeof(gx_catalog_entry));
        read_entries(&r, top, uri, f->entries);
    } else {
        WARN(&r, top, "not an XML catalog: the document element must be catalog in the namespace " CATALOG_URI);
    }
    free(doc);
}

/* ---- the calls of gx.h ---- */

gx_catalog *gx_catalog_create(apr_pool_t *pool, const char *const *files, int n,
                              void (*warning)(void *ctx, const gx_error *what), void *warning_ctx)
{
    if (!n)
        return NULL;
    gx_catalog *c = apr_pcalloc(pool, sizeof *c);
    c->pool = pool;
    c->read_file = read_file;
    c->named = apr_array_make(pool, n, sizeof(const char *));
    c->files = apr_hash_make(pool);
    c->read = apr_array_make(pool, 4, sizeof(const char *));
    c->warning = warning;
    c->warning_ctx = warning_ctx;
    for (int i = 0; i < n; i++) {
        const char *path = gx_load_path(pool, files[i], NULL);
        APR_ARRAY_PUSH(c->named, const char *) = path ? gx_catalog_uri(pool, path) : files[i];
    }
    return c;
}

static void first_error(void *ctx, const gx_error *what)
{
    gx_error *err = ctx;
    if (err->status == GX_OK)
        *err = *what;
}

gx_status gx_catalog_check(apr_pool_t *pool, const char *file, gx_error *err)
{
    memset(err, 0, sizeof *err);
    gx_catalog *c = gx_catalog_create(pool, &file, 1, first_error, err);
    gx_catalog_get(c, APR_ARRAY_IDX(c->named, 0, const char *));
    if (gx_catalog_refused(c))
        *err = *gx_catalog_refused(c);
    return err->status;
}
