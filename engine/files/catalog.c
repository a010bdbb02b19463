/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalog.c -- XML Catalogs (OASIS, V1.1): where what has another name lies on this machine
 *
 *   "http://docbook.sourceforge.net/release/xsl/current/html/docbook.xsl"
 *      /etc/xml/catalog       <delegateURI uriStartString="http://docbook.sourceforge.net/release/xsl/"
 *                             catalog="file:///etc/xml/docbook-xsl.xml"/>
 *      docbook-xsl.xml        <delegateURI ...
 *                             catalog="file:///usr/share/xml/docbook/stylesheet/docbook-xsl/catalog.xml"/>
 *      catalog.xml            <rewriteURI uriStartString="http://docbook.sourceforge.net/release/xsl/current/"
 *                             rewritePrefix="./"/>
 *   "file:///usr/share/xml/docbook/stylesheet/docbook-xsl/html/docbook.xsl"
 *
 * A catalog entry file is a document (gx_parse) and becomes a list of entries: which part of a name they are for, how
 * it must match, and the URI, made absolute, that it becomes. Files are read when a lookup comes to them, each once;
 * those that cannot be read, or are no catalogs, are passed over with a warning, as the specification wants it. They
 * are configuration: they may lie anywhere. <?oasis-xml-catalog?> in documents is never obeyed: a document does not
 * choose what is read.
 *
 * A lookup is a walk along a list of files. nextCatalog adds to the list; delegation replaces it (and one part of the
 * name is all that counts from then on), so it needs no stack. In a list no file is looked through twice, and a lookup
 * delegates DELEGATIONS times at most: circles end there.
 *
 * Cost of a lookup: the entries of the files that it comes to.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <apr_hash.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include "catalog.h"
#include "document/names.h"
#include "uri.h"

#define CATALOG_URI "urn:oasis:names:tc:entity:xmlns:xml:catalog"
#define FILES 1000u
#define DELEGATIONS 50u

enum part { SYSTEM, PUBLIC, URI, N_PARTS, NEXT = N_PARTS };     /* of a name, in the order in which they are asked for
                                                                   */
enum how { SAME, START, END, DELEGATE, N_HOW };                 /* likewise */

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

typedef struct entry {
    u8 part, how;
    u8 prefers_system;          /* a public identifier counts only where there is no system identifier */
    const char *match;          /* normalised */
    size_t n;                   /* its length */
    const char *to;             /* absolute URI */
} entry;

typedef struct file {
    apr_array_header_t *entries;        /* entry; NULL: it cannot be used */
    u64 seen;                           /* number of the list that it was last looked through in */
} file;

struct gx_catalog {
    apr_pool_t *pool;
    apr_array_header_t *named;          /* const char *: URIs */
    apr_hash_t *files;                  /* by URI */
    apr_array_header_t *read;           /* const char *: paths */
    u64 lists;                          /* lists of files that have been walked along */
    void (*warning)(void *ctx, const gx_error *what);
    void *warning_ctx;
    gx_error refused;                   /* gx_catalog_refused; status GX_OK: none */
};

/* ---- names ---- */

static char *escape(apr_pool_t *pool, const char *s, const char *also)
{
    char *out = apr_palloc(pool, 3 * strlen(s) + 1);
    gx_uri_escape(s, also, out);
    return out;
}

char *gx_catalog_uri(apr_pool_t *pool, const char *path)
{
    return apr_pstrcat(pool, "file://", escape(pool, path, "%?#"), NULL);
}

/* White space in a public identifier: one space within, none around (6.2). */
static char *public_normal(apr_pool_t *pool, const char *s)
{
    char *out = apr_palloc(pool, strlen(s) + 1), *to = out;
    for (; *s; s++)
        if (!gx_is_space(*s))
            *to++ = *s;
        else if (to > out && to[-1] != ' ')
            *to++ = ' ';
    if (to > out && to[-1] == ' ')
        to--;
    *to = 0;
    return out;
}

/* The public identifier that a URN stands for (6.4); NULL: it is no such URN. */
static char *public_of_urn(apr_pool_t *pool, const char *urn)
{
    static const struct {
        const char *in, *out;
    } codes[] = { { "+", " " },   { ":", "//" },  { ";", "::" },  { "%2B", "+" }, { "%3A", ":" }, { "%2F", "/" },
                  { "%3B", ";" }, { "%27", "'" }, { "%3F", "?" }, { "%23", "#" }, { "%25", "%" } };
    if (strncasecmp(urn, "urn:publicid:", 13) != 0)
        return NULL;
    char *out = apr_palloc(pool, 2 * strlen(urn) + 1), *to = out;
    for (const char *s = urn + 13; *s; ) {
        size_t k = 0;
        while (k < sizeof codes / sizeof *codes && strncasecmp(s, codes[k].in, strlen(codes[k].in)) != 0)
            k++;
        if (k < sizeof codes / sizeof *codes) {
            to = stpcpy(to, codes[k].out);
            s += strlen(codes[k].in);
        } else {
            *to++ = *s++;
        }
    }
    *to = 0;
    return public_normal(pool, out);
}

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
    warn((r)->c, &what); \
} while (0)

static void warn(const gx_catalog *c, const gx_error *what)
{
    if (c->warning)
        c->warning(c->warning_ctx, what);
}

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
    entry *e = apr_array_push(entries);
    match = k->part == PUBLIC ? public_normal(r->c->pool, match) : escape(r->c->pool, match, "");
    *e = (entry){ k->part, k->how, in->prefers_system, match, strlen(match), absolute(r, base_of(r, element, in->base), to) };
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

static void read_file(gx_catalog *c, const char *uri, file *f)
{
    gx_error err = { 0 };
    gx_doc *doc;
    const char *path;
    if (parse(c, uri, &doc, &path, &err) != GX_OK) {
        if (err.status == GX_EBUSY || err.status == GX_ENOMEM)
            c->refused = err;
        else
            warn(c, &err);
        return;
    }
    reader r = { c, doc, path, GX_DOC_COL(doc, u32, label), GX_DOC_COL(doc, u32, next), GX_DOC_COL(doc, u32, text_off),
                 GX_DOC_COL(doc, u32, text_len), GX_DOC_COL(doc, u32, line), GX_DOC_COL(doc, u32, column),
                 GX_DOC_COL(doc, gx_label_info, labels), GX_DOC_COL(doc, char, strs), GX_DOC_COL(doc, char, values) };
    u32 top = 1;
    while (GX_LABEL_KIND(r.label[top]) != GX_KIND_ELEM)
        top++;
    if (is_named(&r, top, GX_KIND_ELEM, CATALOG_URI, "catalog")) {
        f->entries = apr_array_make(c->pool, 16, sizeof(entry));
        read_entries(&r, top, uri, f->entries);
    } else {
        WARN(&r, top, "not an XML catalog: the document element must be catalog in the namespace " CATALOG_URI);
    }
    free(doc);
}

static file *get_file(gx_catalog *c, const char *uri)
{
    file *f = apr_hash_get(c->files, uri, APR_HASH_KEY_STRING);
    if (f || apr_hash_count(c->files) > FILES)
        return f;
    f = apr_pcalloc(c->pool, sizeof *f);
    apr_hash_set(c->files, apr_pstrdup(c->pool, uri), APR_HASH_KEY_STRING, f);
    if (apr_hash_count(c->files) <= FILES) {
        read_file(c, uri, f);
    } else {
        gx_error what = { 0 };
        gx_fail(&what, GX_ELIMIT, uri, 0, 0, "more than %u catalog entry files: this and all further ones are ignored",
                FILES);
        warn(c, &what);
    }
    return f;
}

/* ---- lookups ---- */

typedef struct query { const char *id[N_PARTS]; } query;        /* normalised; NULL: it does not count */
/* files; n: what matched, of one that was delegated to */
typedef struct list { const char *uri; size_t n; struct list *next; } list;

static int matches(const entry *e, const query *q, u8 part, u8 how)
{
    const char *id = q->id[part];
    if (e->part != part || e->how != how || (part == PUBLIC && e->prefers_system && q->id[SYSTEM]))
        return 0;
    size_t n = strlen(id);
    return how == SAME ? !strcmp(id, e->match) : e->n <= n && !strncmp(how == END ? id + n - e->n : id, e->match, e->n);
}

/* The URI for q by f, in pool, or the files that f delegates it to (7.1.2, 7.2.2: steps 2 to 7); then q has one part
 * left. */
static const char *look_in(const file *f, apr_pool_t *pool, query *q, list **delegates)
{
    for (u8 part = 0; part < N_PARTS; part++)
        for (u8 how = 0; how < N_HOW && q->id[part]; how++) {
            const entry *best = NULL;
            for (int i = 0; i < f->entries->nelts; i++) {
                const entry *e = &APR_ARRAY_IDX(f->entries, i, entry);
                if (!matches(e, q, part, how))
                    continue;
                if (!best || e->n > best->n)    /* of as long ones the first */
                    best = e;
                if (how == DELEGATE) {          /* the longest first */
                    list **at = delegates, *one = apr_palloc(pool, sizeof *one);
                    while (*at && (*at)->n >= e->n)
                        at = &(*at)->next;
                    *one = (list){ e->to, e->n, *at };
                    *at = one;
                }
            }
            if (!best)
                continue;
            if (how != DELEGATE)
                return how == START ? apr_pstrcat(pool, best->to, q->id[part] + best->n, NULL)
                                    : apr_pstrdup(pool, best->to);
            for (u8 other = 0; other < N_PARTS; other++)
                if (other != part)
                    q->id[other] = NULL;
            return NULL;
        }
    return NULL;
}

static const char *resolve(gx_catalog *c, apr_pool_t *pool, query q)
{
    list *files = NULL, **end = &files;
    for (int i = 0; i < c->named->nelts; i++, end = &(*end)->next) {
        *end = apr_palloc(pool, sizeof **end);
        **end = (list){ APR_ARRAY_IDX(c->named, i, const char *), 0, NULL };
    }
    for (u32 times = 0; files && times <= DELEGATIONS; times++) {
        list *delegates = NULL;
        c->lists++;
        for (list *at = files; at && !delegates; at = at->next) {
            file *f = get_file(c, at->uri);
            if (!f || !f->entries || f->seen == c->lists)
                continue;
            f->seen = c->lists;
            const char *found = look_in(f, pool, &q, &delegates);
            if (found)
                return found;
            end = &at->next;
            for (int i = 0; i < f->entries->nelts && !delegates; i++) {
                const entry *e = &APR_ARRAY_IDX(f->entries, i, entry);
                if (e->part != NEXT)
                    continue;
                list *one = apr_palloc(pool, sizeof *one);
                *one = (list){ e->to, 0, *end };
                *end = one;
                end = &one->next;
            }
        }
        files = delegates;
    }
    return NULL;
}

/* 7.1.1. A system identifier that is a public one in disguise does not count beside another public identifier. */
static query external_query(apr_pool_t *pool, const char *public_id, const char *system_id)
{
    const char *own = public_of_urn(pool, public_id), *other = public_of_urn(pool, system_id);
    query q = { .id[SYSTEM] = other ? NULL : escape(pool, system_id, ""),
                .id[PUBLIC] = own ? own : public_normal(pool, public_id) };
    if (!*q.id[PUBLIC])
        q.id[PUBLIC] = other;
    return q;
}

/* 7.2.1 */
static query uri_query(apr_pool_t *pool, const char *uri)
{
    const char *public_id = public_of_urn(pool, uri);
    return (query){ .id[PUBLIC] = public_id, .id[URI] = public_id ? NULL : escape(pool, uri, "") };
}

/* What entries of the right kind do not have is looked up as the other kind, too: libxml2 does so, and catalogs have
 * come to rely on it. */
const char *gx_catalog_find(gx_catalog *c, apr_pool_t *pool, const char *public_id, const char *uri)
{
    if (!c)
        return NULL;
    query external = external_query(pool, public_id ? public_id : "", uri), reference = uri_query(pool, uri);
    const char *found = resolve(c, pool, public_id ? external : reference);
    return found ? found : resolve(c, pool, public_id ? reference : external);
}

const gx_error *gx_catalog_refused(const gx_catalog *c) { return c->refused.status == GX_OK ? NULL : &c->refused; }

void gx_catalog_files(const gx_catalog *c, void (*each)(void *ctx, const char *path), void *ctx)
{
    for (int i = 0; c && i < c->read->nelts; i++)
        each(ctx, APR_ARRAY_IDX(c->read, i, const char *));
}

/* ---- the calls of gx.h ---- */

gx_catalog *gx_catalog_create(apr_pool_t *pool, const char *const *files, int n,
                              void (*warning)(void *ctx, const gx_error *what), void *warning_ctx)
{
    if (!n)
        return NULL;
    gx_catalog *c = apr_pcalloc(pool, sizeof *c);
    c->pool = pool;
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
    get_file(c, APR_ARRAY_IDX(c->named, 0, const char *));
    if (gx_catalog_refused(c))
        *err = *gx_catalog_refused(c);
    return err->status;
}
