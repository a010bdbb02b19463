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
#include <string.h>
#include <strings.h>
#include <apr_strings.h>
#include "catalog_file.h"
#include "document/spaces.h"
#include "uri.h"

#define FILES 1000u
#define DELEGATIONS 50u

/* ---- names ---- */

char *gx_catalog_escape(apr_pool_t *pool, const char *s, const char *also)
{
    char *out = apr_palloc(pool, 3 * strlen(s) + 1);
    gx_uri_escape(s, also, out);
    return out;
}

char *gx_catalog_uri(apr_pool_t *pool, const char *path)
{
    return apr_pstrcat(pool, "file://", gx_catalog_escape(pool, path, "%?#"), NULL);
}

char *gx_catalog_public(apr_pool_t *pool, const char *s)
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
    return gx_catalog_public(pool, out);
}

/* ---- files ---- */

void gx_catalog_warn(const gx_catalog *c, const gx_error *what)
{
    if (c->warning)
        c->warning(c->warning_ctx, what);
}

gx_catalog_file *gx_catalog_get(gx_catalog *c, const char *uri)
{
    gx_catalog_file *f = apr_hash_get(c->files, uri, APR_HASH_KEY_STRING);
    if (f || apr_hash_count(c->files) > FILES)
        return f;
    f = apr_pcalloc(c->pool, sizeof *f);
    apr_hash_set(c->files, apr_pstrdup(c->pool, uri), APR_HASH_KEY_STRING, f);
    if (apr_hash_count(c->files) <= FILES) {
        c->read_file(c, uri, f);
    } else {
        gx_error what = { 0 };
        gx_fail(&what, GX_ELIMIT, uri, 0, 0, "more than %u catalog entry files: this and all further ones are ignored",
                FILES);
        gx_catalog_warn(c, &what);
    }
    return f;
}

/* ---- lookups ---- */

typedef struct query { const char *id[N_PARTS]; } query;        /* normalised; NULL: it does not count */
/* files; n: what matched, of one that was delegated to */
typedef struct list { const char *uri; size_t n; struct list *next; } list;

static int matches(const gx_catalog_entry *e, const query *q, u8 part, u8 how)
{
    const char *id = q->id[part];
    if (e->part != part || e->how != how || (part == PUBLIC && e->prefers_system && q->id[SYSTEM]))
        return 0;
    size_t n = strlen(id);
    return how == SAME ? !strcmp(id, e->match) : e->n <= n && !strncmp(how == END ? id + n - e->n : id, e->match, e->n);
}

/* The URI for q by f, in pool, or the files that f delegates it to (7.1.2, 7.2.2: steps 2 to 7); then q has one part
 * left. */
static const char *look_in(const gx_catalog_file *f, apr_pool_t *pool, query *q, list **delegates)
{
    for (u8 part = 0; part < N_PARTS; part++)
        for (u8 how = 0; how < N_HOW && q->id[part]; how++) {
            const gx_catalog_entry *best = NULL;
            for (int i = 0; i < f->entries->nelts; i++) {
                const gx_catalog_entry *e = &APR_ARRAY_IDX(f->entries, i, gx_catalog_entry);
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

/* What the catalogs say a query resolves to (OASIS XML Catalogs 1.1, 7), in pool; NULL: nothing. The named files are
 * looked in, then those that nextCatalog leads to, each once (seen); delegates replace the list, at most DELEGATIONS
 * times, so circles end. O(entries of the files). */
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
            gx_catalog_file *f = gx_catalog_get(c, at->uri);
            if (!f || !f->entries || f->seen == c->lists)
                continue;
            f->seen = c->lists;
            const char *found = look_in(f, pool, &q, &delegates);
            if (found)
                return found;
            end = &at->next;
            for (int i = 0; i < f->entries->nelts && !delegates; i++) {
                const gx_catalog_entry *e = &APR_ARRAY_IDX(f->entries, i, gx_catalog_entry);
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
    query q = { .id[SYSTEM] = other ? NULL : gx_catalog_escape(pool, system_id, ""),
                .id[PUBLIC] = own ? own : gx_catalog_public(pool, public_id) };
    if (!*q.id[PUBLIC])
        q.id[PUBLIC] = other;
    return q;
}

/* 7.2.1 */
static query uri_query(apr_pool_t *pool, const char *uri)
{
    const char *public_id = public_of_urn(pool, uri);
    return (query){ .id[PUBLIC] = public_id, .id[URI] = public_id ? NULL : gx_catalog_escape(pool, uri, "") };
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
