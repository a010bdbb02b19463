/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c -- profiles read from files (list.h)
 */
#include <apr_strings.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "document/names.h"
#include "list.h"
#include "machine/text.h"

enum { INCLUDE_DEPTH = 16 };

/* A file being read, and those that include it */
typedef struct reading {
    gxp_list *list;
    const struct reading *outer;
    const char *path;
    u32 depth;
    gx_param *namespaces;       /* in the pool; never changed, since profiles point there: copied when one is added */
    int n_namespaces;
} reading;

static gx_status read_file(gxp_list *l, const reading *outer, const char *ref, reading *out, gx_error *err);

static void bad(const reading *r, u32 line, u32 column, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
static void bad(const reading *r, u32 line, u32 column, const char *fmt, ...)
{
    gx_error err;
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    gx_fail(&err, GX_ESTYLE, r->path, line, column, "%s", text);
    r->list->n_bad++;
    if (r->list->wrong)
        r->list->wrong(r->list->ctx, &err);
}

static gx_status no_memory(gx_error *err)
{
    return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory for the profiles");
}


/* One profile of a file. An id with control characters, or one that is there already, is told and left out. */
static gx_status add(const reading *r, const char *id, const char *text, u32 line, u32 column, gx_error *err)
{
    gxp_list *l = r->list;
    const char *id_end = id;
    for (size_t left = strlen(id), n; left; id_end += n, left -= n)
        if ((u8)*id_end < 0x20 || !(n = gx_xml_char(id_end, left))) { /* ids are written one a line */
            bad(r, line, 1, "the id is not made of XML's characters in UTF-8, without control characters");
            return GX_OK;
        }
    if (apr_hash_get(l->ids, id, APR_HASH_KEY_STRING)) {
        bad(r, line, 1, "there is a profile '%.100s' already", id);
        return GX_OK;
    }
    gxp_profile *p = gx_buf_push(&l->profiles, sizeof *p);
    if (!p)
        return no_memory(err);
    *p = (gxp_profile){ id, text, r->path, line, column, r->namespaces, r->n_namespaces };
    apr_hash_set(l->ids, id, APR_HASH_KEY_STRING, id);
    return GX_OK;
}

static void declare(reading *r, const char *prefix, const char *uri)
{
    gx_param *all = apr_palloc(r->list->pool, ((size_t)r->n_namespaces + 1) * sizeof *all);
    all[0] = (gx_param){ prefix, uri }; /* the first one of a name counts */
    if (r->n_namespaces)
        memcpy(all + 1, r->namespaces, (size_t)r->n_namespaces * sizeof *all);
    r->namespaces = all;
    r->n_namespaces++;
}

/* A file that another includes: what is wrong with it is said where that does so. */
static gx_status include(reading *r, const char *ref, u32 line, u32 column, gx_error *err)
{
    reading inner;
    gx_error what = { 0 };
    char text[1200];
    if (r->depth + 1 > INCLUDE_DEPTH) {
        bad(r, line, column, "more than %d files include each other", INCLUDE_DEPTH);
        return GX_OK;
    }
    const gx_status status = read_file(r->list, r, ref, &inner, &what);
    if (status == GX_ENOMEM)
        *err = what;
    else if (status != GX_OK)
        bad(r, line, column, "cannot be included: %.400s", gx_error_format(&what, text, sizeof text));
    return status == GX_ENOMEM ? status : GX_OK;
}

/* ---- lines ---- */

static const char *word(const char **at)
{
    const char *from = *at + strspn(*at, " \t");
    *at = from + strcspn(from, " \t");
    return from;
}

static gx_status directive(reading *r, const char *line, u32 number, gx_error *err)
{
    apr_pool_t *pool = r->list->pool;
    const char *at = line + 1, *name = word(&at), *name_end = at, *first = word(&at), *first_end = at,
               *second = word(&at), *second_end = at;
    if (name_end - name == 7 && !memcmp(name, "include", 7) && *first)
        return include(r, apr_pstrdup(pool, first), number, (u32)(first - line) + 1, err);
    if (name_end - name == 9 && !memcmp(name, "namespace", 9) && *second && !*word(&at))
        declare(r, apr_pstrmemdup(pool, first, (apr_size_t)(first_end - first)),
                apr_pstrmemdup(pool, second, (apr_size_t)(second_end - second)));
    else
        bad(r, number, 1, "a line that begins with '%%' is \"%%include FILE\" or \"%%namespace PREFIX URI\"");
    return GX_OK;
}

/* Lines "ID<tab>EXPRESSION", "%..." and "#..." from s to `end`, where a 0 stands; the bytes are written into. A line
 * that is none of these is noted with its place, and the others are read all the same: all mistakes are told at once.
 * Fails only where an included file cannot be read, or without memory. */
static gx_status read_lines(reading *r, char *s, char *const end, gx_error *err)
{
    u32 number = 0;
    for (char *next; s < end; s = next) {
        char *newline = memchr(s, '\n', (size_t)(end - s));
        size_t n = (size_t)((newline ? newline : end) - s);
        next = newline ? newline + 1 : end;
        s[n] = 0;
        number++;
        if (*s != '#' && strlen(s) < n) {
            bad(r, number, (u32)strlen(s) + 1, "a NUL byte");
            continue;
        }
        while (n && (s[n - 1] == '\r' || s[n - 1] == ' '))
            s[--n] = 0;
        if (!*s || *s == '#')
            continue;
        if (*s == '%') {
            GX_TRY(directive(r, s, number, err));
            continue;
        }
        char *tab = strchr(s, '\t');
        if (!tab || tab == s || !tab[1 + strspn(tab + 1, " \t")]) {
            bad(r, number, 1,
                tab == s ? "the id in front of the tab is missing"
                         : "a profile is an id, a tab and an XPath expression");
            continue;
        }
        *tab = 0;
        GX_TRY(add(r, s, tab + 1, number, (u32)(tab - s) + 2, err));
    }
    return GX_OK;
}

/* ---- XML ---- */

static const char *string_of(const gx_doc *d, u32 node, apr_pool_t *pool)
{
    const int in_values = GX_LABEL_KIND(GX_DOC_COL(d, u32, label)[node]) == GX_KIND_ATTR;
    const char *heap = in_values ? GX_DOC_COL(d, char, values) : GX_DOC_COL(d, char, text);
    return apr_pstrmemdup(pool, heap + GX_DOC_COL(d, u32, text_off)[node], GX_DOC_COL(d, u32, text_len)[node]);
}

static int is_named(const gx_doc *d, u32 node, const char *local)
{
    const gx_label_info *name = GX_DOC_COL(d, gx_label_info, labels) + GX_LABEL_ID(GX_DOC_COL(d, u32, label)[node]);
    return !name->uri_len && name->local_len == strlen(local)
           && !memcmp(GX_DOC_COL(d, char, strs) + name->local, local, name->local_len);
}

static const char *attribute_of(const gx_doc *d, u32 element, const char *local, apr_pool_t *pool)
{
    for (u32 i = element + 1; i < d->n_nodes && GX_LABEL_KIND(GX_DOC_COL(d, u32, label)[i]) == GX_KIND_ATTR; i++)
        if (is_named(d, i, local))
            return string_of(d, i, pool);
    return NULL;
}

/* Namespaces in scope of an element: *last is the list that `out` has already. */
static void scope_of(const gx_doc *d, u32 element, reading *r, u32 *last)
{
    const u32 list = d->ns ? GX_DOC_COL(d, u32, ns)[element] : 0;
    const char *strs = GX_DOC_COL(d, char, strs);
    if (list == *last)
        return;
    *last = list;
    r->namespaces = NULL;
    r->n_namespaces = 0;
    const gx_ns_list *l = GX_DOC_COL(d, gx_ns_list, ns_lists) + list;
    for (u32 i = l->first; i < l->first + l->n; i++) {
        const gx_ns_decl *ns = GX_DOC_COL(d, gx_ns_decl, ns_decls) + i;
        if (ns->prefix_len)
            declare(r, apr_pstrmemdup(r->list->pool, strs + ns->prefix, ns->prefix_len),
                    apr_pstrmemdup(r->list->pool, strs + ns->uri, ns->uri_len));
    }
}

/* A file of <profile> and <include> elements; other elements are told and left out. Namespaces are those in scope at
 * each profile. */
static gx_status xml_profiles(reading *r, const gx_doc *d, gx_error *err)
{
    const u32 *label = GX_DOC_COL(d, u32, label), *next = GX_DOC_COL(d, u32, next);
    const u32 *line = GX_DOC_COL(d, u32, line), *column = GX_DOC_COL(d, u32, column);
    apr_pool_t *pool = r->list->pool;
    u32 top = 1, last = 0;
    while (GX_LABEL_KIND(label[top]) != GX_KIND_ELEM)
        top = next[top];
    if (!is_named(d, top, "profiles"))
        return gx_fail(err, GX_EXML, r->path, line[top], column[top], "<profiles> is wanted");
    for (u32 i = top + 1; i < next[top]; i = next[i]) {
        if (GX_LABEL_KIND(label[i]) != GX_KIND_ELEM)
            continue;
        const char *id = attribute_of(d, i, "id", pool), *href = attribute_of(d, i, "href", pool);
        scope_of(d, i, r, &last);
        if (is_named(d, i, "include") && href)
            GX_TRY(include(r, href, line[i], column[i], err));
        else if (is_named(d, i, "profile") && id && *id)
            GX_TRY(add(r, id, string_of(d, i, pool), line[i], column[i], err));
        else
            bad(r, line[i], column[i], "<profile id=\"...\"> or <include href=\"...\"/> is wanted");
    }
    return GX_OK;
}

static gx_status read_xml(reading *r, const char *bytes, size_t n, gx_error *err)
{
    const gx_parse_options o = { .limits = r->list->limits, .file = r->path, .flags = GX_DOC_LINES };
    gx_parser *parser;
    gx_doc *d;
    GX_TRY(gx_parser_create(&parser, err));
    gx_status status = gx_parse(parser, &o, bytes, n, &d, err);
    gx_parser_free(parser);
    if (status != GX_OK)
        return status;
    status = xml_profiles(r, d, err);
    free(d);
    return status;
}

/* ---- files ---- */

static reading reading_of(gxp_list *l, const reading *outer, const char *path)
{
    const reading r = { .list = l, .outer = outer, .path = path, .depth = outer ? outer->depth + 1 : 0,
                        .namespaces = outer ? outer->namespaces : l->namespaces,
                        .n_namespaces = outer ? outer->n_namespaces : l->n_namespaces };
    return r;
}

static int begins_with(const char *bytes, size_t n, const char *what)
{
    return n >= strlen(what) && !memcmp(bytes, what, strlen(what));
}

static gx_status read_bytes(reading *r, const char *bytes, size_t n, gx_error *err)
{
    const int is_utf16 = begins_with(bytes, n, "\xff\xfe") || begins_with(bytes, n, "\xfe\xff");
    size_t at = begins_with(bytes, n, "\xef\xbb\xbf") ? 3 : 0;
    const char *first = bytes + at;
    while (at < n && gx_is_space(bytes[at]))
        at++;
    if (is_utf16 ? n >= 4 && (bytes[2] == '<' || bytes[3] == '<') : at < n && bytes[at] == '<')
        return read_xml(r, bytes, n, err);
    if (is_utf16)
        return gx_fail(err, GX_EIO, r->path, 1, 1, "lines of profiles are in UTF-8, not in UTF-16");
    n -= (size_t)(first - bytes);
    char *lines = apr_pstrmemdup(r->list->pool, first, n);
    return read_lines(r, lines, lines + n, err);
}

static gx_status read_file(gxp_list *l, const reading *outer, const char *ref, reading *r, gx_error *err)
{
    const char *bytes;
    size_t n;
    *r = reading_of(l, outer, NULL);
    GX_TRY(gx_load(l->loader, l->pool, NULL, ref, outer ? outer->path : "", l->limits, &r->path, &bytes, &n, err));
    if (l->read)
        l->read(l->ctx, r->path);
    for (const reading *o = outer; o; o = o->outer)
        if (!strcmp(o->path, r->path))
            return gx_fail(err, GX_EIO, r->path, 0, 0, "the file includes itself");
    if (n > l->limits->input)
        return gx_fail(err, GX_ELIMIT, r->path, 0, 0, "the file is larger than the limit 'input' allows");
    return read_bytes(r, bytes, n, err);
}

void gxp_list_begin(gxp_list *l, apr_pool_t *pool, const gx_loader *loader, const gx_limits *limits)
{
    memset(l, 0, sizeof *l);
    l->pool = pool;
    l->loader = loader;
    l->limits = limits;
    l->ids = apr_hash_make(pool);
}

gx_status gxp_list_read(gxp_list *l, const char *file, gx_error *err)
{
    reading r;
    return read_file(l, NULL, file, &r, err);
}

gx_status gxp_list_read_bytes(gxp_list *l, const char *path, const char *bytes, size_t n, gx_error *err)
{
    reading r = reading_of(l, NULL, path);
    return read_bytes(&r, bytes, n, err);
}

void gxp_list_free(gxp_list *l) { gx_buf_free(&l->profiles); }
