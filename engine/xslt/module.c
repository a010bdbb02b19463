/* SPDX-License-Identifier: Apache-2.0 */
/*
 * module.c -- stylesheet modules as documents, and the import tree
 *
 * A module is read once, however often it is imported, and each time it is named it is a unit of its own in the import
 * tree:
 *
 *   main --import--> a --import--> b            levels in post-order: b 0, a 1, c 2, main 3
 *    |  --import--> c                           a template of a imports from precedences 0 .. 0
 *    +--include--> d --import--> e              d's declarations stand in main's level; e is an import of main, after c
 *
 * A chain of modules from the main one to the one being read finds those that name themselves. GX_SHEET_MODULES bounds
 * the work: without it, n files that import each other twice would be 2^n units.
 *
 * All strings are the pool's. Recursion is over chains of imports and includes only, at most GX_SHEET_MODULES deep.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <apr_strings.h>
#include "digest.h"
#include "files/catalog.h"
#include "program/later.h"
#include "document/names.h"
#include "sheet.h"

/* Attributes: "!" after a name makes it required, "?" too, but libxslt does without the element where it is not
 * there. */
static const struct element_spec { const char *name, *attributes; int is_instruction;
} element_specs[GX_N_XSL] = {
    [GX_XSL_NONE] = { "", "", 0 },
    [GX_XSL_UNKNOWN] = { "", "", 0 },
    [GX_XSL_APPLY_IMPORTS] = { "apply-imports", "", 1 },
    [GX_XSL_APPLY_TEMPLATES] = { "apply-templates", "select mode", 1 },
    [GX_XSL_ATTRIBUTE] = { "attribute", "name! namespace", 1 },
    [GX_XSL_ATTRIBUTE_SET] = { "attribute-set", "name? use-attribute-sets", 0 },
    [GX_XSL_CALL_TEMPLATE] = { "call-template", "name!", 1 },
    [GX_XSL_CHOOSE] = { "choose", "", 1 },
    [GX_XSL_COMMENT] = { "comment", "", 1 },
    [GX_XSL_COPY] = { "copy", "use-attribute-sets", 1 },
    [GX_XSL_COPY_OF] = { "copy-of", "select!", 1 },
    [GX_XSL_DECIMAL_FORMAT] = { "decimal-format",
                                "name decimal-separator grouping-separator infinity minus-sign NaN percent per-mille "
                                "zero-digit digit pattern-separator",
                                0 },
    [GX_XSL_ELEMENT] = { "element", "name! namespace use-attribute-sets", 1 },
    [GX_XSL_FALLBACK] = { "fallback", "", 1 },
    [GX_XSL_FOR_EACH] = { "for-each", "select!", 1 },
    [GX_XSL_IF] = { "if", "test!", 1 },
    [GX_XSL_IMPORT] = { "import", "href!", 0 },
    [GX_XSL_INCLUDE] = { "include", "href!", 0 },
    [GX_XSL_KEY] = { "key", "name! match! use!", 0 },
    [GX_XSL_MESSAGE] = { "message", "terminate", 1 },
    [GX_XSL_NAMESPACE_ALIAS] = { "namespace-alias", "stylesheet-prefix? result-prefix?", 0 },
    [GX_XSL_NUMBER] = { "number", "level count from value format lang letter-value grouping-separator grouping-size",
                        1 },
    [GX_XSL_OTHERWISE] = { "otherwise", "", 0 },
    [GX_XSL_OUTPUT] = { "output",
                        "method version encoding omit-xml-declaration standalone doctype-public doctype-system "
                        "cdata-section-elements indent media-type",
                        0 },
    [GX_XSL_PARAM] = { "param", "name! select", 0 },
    [GX_XSL_PRESERVE_SPACE] = { "preserve-space", "elements?", 0 },
    [GX_XSL_PI] = { "processing-instruction", "name?", 1 },
    [GX_XSL_SORT] = { "sort", "select lang data-type order case-order", 0 },
    [GX_XSL_STRIP_SPACE] = { "strip-space", "elements?", 0 },
    [GX_XSL_STYLESHEET] = { "stylesheet", "id extension-element-prefixes exclude-result-prefixes version?", 0 },
    [GX_XSL_TEMPLATE] = { "template", "match name priority mode", 0 },
    [GX_XSL_TEXT] = { "text", "disable-output-escaping", 1 },
    [GX_XSL_TRANSFORM] = { "transform", "id extension-element-prefixes exclude-result-prefixes version?", 0 },
    [GX_XSL_VALUE_OF] = { "value-of", "select! disable-output-escaping", 1 },
    [GX_XSL_VARIABLE] = { "variable", "name! select", 1 },
    [GX_XSL_WHEN] = { "when", "test!", 0 },
    [GX_XSL_WITH_PARAM] = { "with-param", "name! select", 0 },
};

int gx_sheet_is_instruction(gx_xsl xsl) { return element_specs[xsl].is_instruction; }

static gx_xsl xsl_of(const char *local)
{
    for (u32 i = GX_XSL_UNKNOWN + 1; i < GX_N_XSL; i++)
        if (!strcmp(element_specs[i].name, local))
            return (gx_xsl)i;
    return GX_XSL_UNKNOWN;
}

static const gx_beside_spec beside_specs[] = {
    { "http://exslt.org/common", "document", 0 },
    { GX_XSLT_URI, "document", 0 },
    { "http://www.jclark.com/xt", "document", 0 },
    { "http://icl.com/saxon", "output", 0 },
    { "org.apache.xalan.xslt.extensions.Redirect", "write", 1 },
    { "http://xml.apache.org/xalan/redirect", "write", 1 },
};

const gx_beside_spec *gx_sheet_beside(const char *uri, const char *local)
{
    for (size_t i = 0; i < sizeof beside_specs / sizeof *beside_specs; i++)
        if (!strcmp(beside_specs[i].local, local) && !strcmp(beside_specs[i].uri, uri))
            return &beside_specs[i];
    return NULL;
}

int gx_sheet_element_available(const char *uri, const char *local, int writes)
{
    if (writes && gx_sheet_beside(uri, local))
        return 1;
    if (!strcmp(uri, GX_FUNC_URI))
        return !strcmp(local, "result");
    return !strcmp(uri, GX_XSLT_URI) && gx_sheet_is_instruction(xsl_of(local));
}

/* The sentence for an XSLT element that 1.0 does not have: it is of a later version, or looks like one that there
 * is. */
const char *gx_sheet_unknown_element(const gx_sheet *s, const gx_sheet_name *name)
{
    const char *version = gx_later_element(name->local);
    if (version)
        return apr_psprintf(s->pool, "not supported: xsl:%s (%s)", name->local, version);
    for (u32 i = GX_XSL_UNKNOWN + 1; i < GX_N_XSL; i++)
        if (gx_name_near(name->local, element_specs[i].name))
            return apr_psprintf(s->pool, "there is no xsl:%s in XSLT 1.0 (is xsl:%s meant?)", name->local,
                                element_specs[i].name);
    return apr_psprintf(s->pool, "there is no xsl:%s in XSLT 1.0", name->local);
}

const char *gx_sheet_file(const gx_sheet *s, const gx_module *m, u32 node)
{
    u32 uri, len;
    if (!m->doc->n_bases)
        return m->path;
    gx_doc_base_of(m->doc, node, &uri, &len);
    return apr_pstrmemdup(s->pool, m->strs + uri, len);
}

gx_status gx_sheet_go_on(gx_sheet *s, const gx_module *m, u32 node)
{
    return s->b->stopped ? gx_builder_stop(s->b, gx_sheet_file(s, m, node), m->line[node], m->column[node]) : GX_OK;
}

/* An error at an element of the stylesheet. The sentence is formatted first: it may quote what stands in s->err. */
gx_status gx_sheet_fail(gx_sheet *s, const gx_module *m, u32 node, const char *fmt, ...)
{
    char text[sizeof s->err->text];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return gx_fail(s->err, GX_ESTYLE, gx_sheet_file(s, m, node), m->line[node], m->column[node], "%s", text);
}

/* What s->err says is a slip: something that is wrong by the spec and that libxslt takes. With --strict it stays an
 * error. Else it is told once (options->slip), at most GX_SHEET_SLIPS of them, and compiling goes on. */
gx_status gx_sheet_slipped(gx_sheet *s)
{
    if (s->options->strict)
        return s->err->status;
    s->err->status = GX_OK;
    char line[sizeof s->err->text + sizeof s->err->file + 64];
    gx_error_format(s->err, line, sizeof line);
    if (s->n_slips >= 2 * GX_SHEET_SLIPS || apr_hash_get(s->slips, line, APR_HASH_KEY_STRING))
        return GX_OK;                       /* a module is compiled as often as it is named */
    apr_hash_set(s->slips, apr_pstrdup(s->pool, line), APR_HASH_KEY_STRING, s);
    if (s->n_slips++ < GX_SHEET_SLIPS && s->options->slip)
        s->options->slip(s->options->warning_ctx, s->err);
    return GX_OK;
}

/* A slip at an element: GX_OK if it is tolerated (gx_sheet_slipped). */
gx_status gx_sheet_slip(gx_sheet *s, const gx_module *m, u32 node, const char *fmt, ...)
{
    char text[sizeof s->err->text];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    gx_fail(s->err, GX_ESTYLE, gx_sheet_file(s, m, node), m->line[node], m->column[node], "%s", text);
    return gx_sheet_slipped(s);
}

/* How many slips were not told, as one last line. */
void gx_sheet_slips_end(gx_sheet *s, const char *path)
{
    gx_error more;
    if (s->n_slips <= GX_SHEET_SLIPS || !s->options->slip)
        return;
    gx_fail(&more, GX_ESTYLE, path, 0, 0, "and %s%u slips more", s->n_slips == 2 * GX_SHEET_SLIPS ? "at least " : "",
            s->n_slips - GX_SHEET_SLIPS);
    s->options->slip(s->options->warning_ctx, &more);
}

u32 gx_sheet_where(gx_sheet *s, const gx_module *m, u32 node)
{
    return gx_builder_where(s->b, gx_sheet_file(s, m, node), m->line[node], m->column[node]);
}

/* ---- names and values ---- */

static int is_blank(const char *s, size_t n)
{
    while (n && gx_is_space(*s))
        s++, n--;
    return !n;
}

int gx_sheet_is_blank(const char *text) { return is_blank(text, strlen(text)); }

int gx_sheet_is_ncname(const char *text) { return gx_is_ncname(text, (u32)strlen(text)); }

/* The next word of a list separated by white space, and *list behind it; NULL: none is left. */
const char *gx_sheet_token(const gx_sheet *s, const char **list)
{
    const char *at = *list;
    while (gx_is_space(*at))
        at++;
    const char *end = at;
    while (*end && !gx_is_space(*end))
        end++;
    *list = end;
    return end > at ? apr_pstrmemdup(s->pool, at, (apr_size_t)(end - at)) : NULL;
}

u32 gx_sheet_first(const gx_module *m, u32 node)
{
    u32 at = node + 1;
    while (at < m->next[node] && GX_IS_ATTACHED(gx_sheet_kind(m, at)))
        at++;
    return at;
}

/* An element's attribute by expanded name, GX_NONE: it has none. O(attributes). */
u32 gx_sheet_attribute_node(const gx_module *m, u32 node, const char *uri, const char *local)
{
    for (u32 at = node + 1, end = gx_sheet_first(m, node); at < end; at++) {
        const gx_sheet_name *name = gx_sheet_name_of(m, at);
        if (gx_sheet_kind(m, at) == GX_KIND_ATTR && !strcmp(name->local, local) && !strcmp(name->uri, uri))
            return at;
    }
    return GX_NONE;
}

const char *gx_sheet_value(const gx_sheet *s, const gx_module *m, u32 attribute)
{
    gx_builder_charge(s->b, m->text_len[attribute] + 8ull);
    return apr_pstrmemdup(s->pool, m->values + m->text_off[attribute], m->text_len[attribute]);
}

const char *gx_sheet_attribute(const gx_sheet *s, const gx_module *m, u32 node, const char *uri, const char *local)
{
    u32 at = gx_sheet_attribute_node(m, node, uri, local);
    return at == GX_NONE ? NULL : gx_sheet_value(s, m, at);
}

/* The prefix as the element or attribute has it; a label has the first one of its name only. By halving among the odd
 * ones. */
const char *gx_sheet_prefix(const gx_sheet *s, const gx_module *m, u32 node)
{
    const gx_doc_odd *odd = GX_DOC_COL(m->doc, gx_doc_odd, odd);
    u32 lo = 0, hi = m->doc->n_odd;
    while (lo < hi) {                       /* odd[lo - 1].node < node <= odd[hi].node */
        u32 mid = (lo + hi) / 2;
        if (odd[mid].node < node)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo < m->doc->n_odd && odd[lo].node == node)
        return apr_pstrmemdup(s->pool, m->strs + odd[lo].prefix, odd[lo].prefix_len);
    return gx_sheet_name_of(m, node)->prefix;
}

#define SCANNED_PREFIXES 16u    /* namespaces in scope that are looked through */

/* The declaration of a prefix of n bytes in the module's list, NULL. */
static const gx_ns_decl *find_prefix(const gx_sheet *s, const gx_module *m, u32 number, const char *prefix, size_t n)
{
    const gx_ns_list *list = &GX_DOC_COL(m->doc, gx_ns_list, ns_lists)[number];
    const gx_ns_decl *decl = GX_DOC_COL(m->doc, gx_ns_decl, ns_decls) + list->first;
    apr_hash_t **known = &m->prefixes[number];
    if (list->n > SCANNED_PREFIXES && !*known) {
        *known = apr_hash_make(s->pool);
        for (u32 i = 0; i < list->n; i++)
            apr_hash_set(*known, m->strs + decl[i].prefix, decl[i].prefix_len, &decl[i]);
    }
    if (list->n > SCANNED_PREFIXES)
        return apr_hash_get(*known, prefix, (apr_ssize_t)n);
    for (u32 i = 0; i < list->n; i++)
        if (decl[i].prefix_len == n && !memcmp(m->strs + decl[i].prefix, prefix, n))
            return &decl[i];
    return NULL;
}

/* Bytes of the text's first character, 0 for an empty text. */
size_t gx_sheet_first_character(const char *text)
{
    const u8 *at = (const u8 *)text;
    if (!*at)
        return 0;
    for (at++; (*at & 0xc0) == 0x80; )
        at++;
    return (size_t)(at - (const u8 *)text);
}

const char *gx_sheet_uri(const gx_sheet *s, const gx_module *m, u32 node, const char *prefix)
{
    if (!strcmp(prefix, "xml"))
        return GX_XML_URI;
    const gx_ns_decl *decl = m->ns ? find_prefix(s, m, m->ns[node], prefix, strlen(prefix)) : NULL;
    return decl ? apr_pstrmemdup(s->pool, m->strs + decl->uri, decl->uri_len) : NULL;
}

/* An attribute's text as a QName: *prefix (may be NULL), *uri, *local. default_ns: a name without a prefix is in the
 * default namespace. GX_ESTYLE with the attribute's name for what is no QName or has a prefix that is not declared. */
gx_status gx_sheet_qname(gx_sheet *s, gx_module *m, u32 node, const char *text, const char *attribute, int default_ns,
                         const char **prefix, const char **uri, const char **local)
{
    const char *rest = text, *name = gx_sheet_token(s, &rest);
    if (!name || !gx_sheet_is_blank(rest))
        return gx_sheet_fail(s, m, node, "the attribute %s is no QName: \"%s\"", attribute, text);
    const char *colon = strchr(name, ':');
    const char *before = colon ? apr_pstrmemdup(s->pool, name, (apr_size_t)(colon - name)) : "";
    const char *after = colon ? colon + 1 : name;
    if ((colon && !gx_sheet_is_ncname(before)) || !gx_sheet_is_ncname(after))
        return gx_sheet_fail(s, m, node, "the attribute %s is no QName: \"%s\"", attribute, text);
    const char *found = "";
    if (colon || default_ns) {
        found = gx_sheet_uri(s, m, node, before);
        if (!found && colon)
            return gx_sheet_fail(s, m, node, "the prefix %s of \"%s\" is not declared", before, name);
    }
    if (prefix)
        *prefix = before;
    *uri = found ? found : "";
    *local = after;
    return GX_OK;
}

/* A name that libxslt takes as it stands where it is no QName: a slip, and the whole text is the local name. */
gx_status gx_sheet_loose_name(gx_sheet *s, gx_module *m, u32 node, const char *text, const char *attribute,
                              int prefix_too, const char **uri, const char **local)
{
    gx_status status = gx_sheet_qname(s, m, node, text, attribute, 0, NULL, uri, local);
    if (status != GX_ESTYLE || (!prefix_too && *text && strchr(text + 1, ':')))
        return status;
    GX_TRY(gx_sheet_slipped(s));
    *uri = "";
    *local = text;
    return GX_OK;
}

const char *gx_sheet_key(const gx_sheet *s, const char *uri, const char *local)
{
    return apr_pstrcat(s->pool, "{", uri, "}", local, NULL);
}

int gx_sheet_is_words(const gx_module *m, u32 node)
{
    return gx_sheet_kind(m, node) == GX_KIND_TEXT && !is_blank(m->text + m->text_off[node], m->text_len[node]);
}

int gx_sheet_has_uri(const gx_uris *list, const char *uri)
{
    for (; list; list = list->next)
        if (!strcmp(list->uri, uri))
            return 1;
    return 0;
}

static void mark(gx_sheet *s, u32 lit, u8 is_marked)
{
    static const u8 no;
    while (s->is_marked.n <= lit)
        gx_builder_push(s->b, &s->is_marked, &no);
    *GX_VEC_AT(&s->is_marked, u8, lit) = is_marked;
}

/* Is the namespace `lit` in a list of excluded or extension namespaces? Marks by literal answer it; they are set anew
 * when the list is another one, or by one entry when it grew by one. */
int gx_sheet_has_lit(gx_sheet *s, const gx_uris *list, u32 lit)
{
    if (list && list->next == s->marked) {
        mark(s, list->lit, 1);
    } else if (list != s->marked) {
        for (const gx_uris *old = s->marked; old; old = old->next)
            mark(s, old->lit, 0);
        for (const gx_uris *new = list; new; new = new->next)
            mark(s, new->lit, 1);
    }
    s->marked = list;
    return lit < s->is_marked.n && *GX_VEC_AT(&s->is_marked, u8, lit);
}

/* The same list for the same namespaces in the same order: what was made for it is found by it. */
static const gx_uris *add_uri(gx_sheet *s, const char *uri, u32 lit, const gx_uris *next)
{
    struct { u64 lit; const gx_uris *next; } key = { lit, next };
    gx_uris *one = apr_hash_get(s->uris, &key, sizeof key);
    if (!one) {
        one = apr_palloc(s->pool, sizeof *one);
        *one = (gx_uris){ uri, lit, next };
        apr_hash_set(s->uris, apr_pmemdup(s->pool, &key, sizeof key), sizeof key, one);
    }
    return one;
}

/* Adds the namespaces that the prefixes of an attribute's value designate. */
static gx_status add_uris(gx_sheet *s, gx_module *m, u32 node, const char *prefixes, const char *attribute,
                          int forwards, const gx_uris **list)
{
    const char *prefix;
    while ((prefix = gx_sheet_token(s, &prefixes))) {
        int is_default = !strcmp(prefix, "#default");
        const char *uri = gx_sheet_uri(s, m, node, is_default ? "" : prefix);
        if (!uri && is_default)
            continue;                       /* nothing is excluded: the same as an error recovered from */
        if (!uri && forwards)
            continue;                       /* "#all" of XSLT 2.0 */
        if (!uri) {
            GX_TRY(gx_sheet_slip(s, m, node, "the prefix %s in %s is not declared", prefix, attribute));
            continue;
        }
        u32 lit = gx_builder_lit(s->b, uri, strlen(uri));
        if (!gx_sheet_has_lit(s, *list, lit))
            *list = add_uri(s, uri, lit, *list);
    }
    return GX_OK;
}

/* "1.0" as a number, however it is written */
static int is_version_1(const char *text)
{
    const char *at = text;
    while (gx_is_space(*at))
        at++;
    while (*at == '0')
        at++;
    if (*at++ != '1')
        return 0;
    if (*at == '.')
        at++;
    while (*at == '0')
        at++;
    return gx_sheet_is_blank(at);
}

/* What an element's own attributes change for all that is within it: xml:space, version (forwards), and the namespaces
 * that are extensions or excluded. Of literal elements and xsl:stylesheet, where these attributes may stand. */
gx_status gx_sheet_within(gx_sheet *s, gx_module *m, u32 node, gx_within *w)
{
    const gx_sheet_name *name = gx_sheet_name_of(m, node);
    const char *space = gx_sheet_attribute(s, m, node, GX_XML_URI, "space");
    if (space)
        w->preserve = !strcmp(space, "preserve");
    int is_sheet = name->xsl == GX_XSL_STYLESHEET || name->xsl == GX_XSL_TRANSFORM;
    if (name->xsl != GX_XSL_NONE && !is_sheet)
        return GX_OK;
    const char *uri = is_sheet ? "" : GX_XSLT_URI, *value;
    if ((value = gx_sheet_attribute(s, m, node, uri, "version")))
        w->forwards = !is_version_1(value);
    if ((value = gx_sheet_attribute(s, m, node, uri, "extension-element-prefixes"))) {
        GX_TRY(add_uris(s, m, node, value, "extension-element-prefixes", w->forwards, &w->extension));
        GX_TRY(add_uris(s, m, node, value, "extension-element-prefixes", w->forwards, &w->excluded));
    }
    if ((value = gx_sheet_attribute(s, m, node, uri, "exclude-result-prefixes")))
        GX_TRY(add_uris(s, m, node, value, "exclude-result-prefixes", w->forwards, &w->excluded));
    return GX_OK;
}

static int is_mark(char c) { return c == '!' || c == '?'; }

/* Whether `name` is a word of `list`. */
static const char *find_word(const char *list, const char *name, size_t n)
{
    for (const char *at = list; *at; ) {
        size_t len = strcspn(at, " ");
        size_t bare = len - is_mark(at[len - 1]);
        if (bare == n && !memcmp(at, name, n))
            return at;
        at += len;
        at += *at == ' ';
    }
    return NULL;
}

/* A slip for an attribute that the element may not have: one of a later version, one that looks like a known one ("is
 * it meant?"), or any. */
static gx_status unknown_attribute(gx_sheet *s, const gx_module *m, u32 node, const struct element_spec *spec,
                                   const gx_sheet_name *name)
{
    const char *version = *name->uri ? NULL : gx_later_attribute(name->local);
    if (version)
        return gx_sheet_slip(s, m, node, "not supported: the attribute %s of xsl:%s (%s)", name->local, spec->name,
                             version);
    for (const char *at = spec->attributes; *at; at += strspn(at, " !?")) {
        const char *known = apr_pstrmemdup(s->pool, at, strcspn(at, " !?"));
        if (!*name->uri && gx_name_near(name->local, known))
            return gx_sheet_slip(s, m, node, "xsl:%s may not have the attribute %s (is %s meant?)", spec->name,
                                 name->local, known);
        at += strlen(known);
    }
    return gx_sheet_slip(s, m, node, "xsl:%s may not have the attribute %s%s", spec->name, *name->uri ? "xsl:" : "",
                         name->local);
}

/* An XSLT element against its row of element_specs: attributes that it may not have are slips, those that it needs
 * ("!") errors, those that libxslt does without ("?") slips. *complete (may be NULL): all are there. With a later
 * version nothing is unknown (2.5). */
gx_status gx_sheet_check_attributes(gx_sheet *s, gx_module *m, u32 node, const gx_within *w, int *complete)
{
    const struct element_spec *spec = &element_specs[gx_sheet_name_of(m, node)->xsl];
    int has_all = 1;
    for (u32 at = node + 1; at < gx_sheet_first(m, node) && !w->forwards; at++) {
        const gx_sheet_name *name = gx_sheet_name_of(m, at);
        if (gx_sheet_kind(m, at) != GX_KIND_ATTR)
            continue;
        if (!strcmp(name->uri, GX_XSLT_URI)
            || (!*name->uri && !find_word(spec->attributes, name->local, strlen(name->local))))
            GX_TRY(unknown_attribute(s, m, node, spec, name));
    }
    for (const char *at = spec->attributes; *at; ) {
        size_t len = strcspn(at, " ");
        const char *name = is_mark(at[len - 1]) ? apr_pstrmemdup(s->pool, at, len - 1) : NULL;
        if (name && gx_sheet_attribute_node(m, node, "", name) == GX_NONE) {
            if (at[len - 1] == '!')
                return gx_sheet_fail(s, m, node, "xsl:%s needs the attribute %s", spec->name, name);
            GX_TRY(gx_sheet_slip(s, m, node, "xsl:%s needs the attribute %s", spec->name, name));
            has_all = 0;
        }
        at += len;
        at += *at == ' ';
    }
    if (complete)
        *complete = has_all;
    return GX_OK;
}

/* An element of func: may have this one attribute; others are slips. */
gx_status gx_sheet_check_func(gx_sheet *s, gx_module *m, u32 node, const char *attribute)
{
    for (u32 at = node + 1; at < gx_sheet_first(m, node); at++) {
        const gx_sheet_name *name = gx_sheet_name_of(m, at);
        if (gx_sheet_kind(m, at) == GX_KIND_ATTR && !*name->uri && strcmp(name->local, attribute))
            GX_TRY(gx_sheet_slip(s, m, node, "func:%s may not have the attribute %s", gx_sheet_name_of(m, node)->local,
                                 name->local));
    }
    return GX_OK;
}

/* Are all XSLT elements below node, and node, where they may stand? For children that are passed over as slips and not
 * compiled: libxslt looks at these, too. GX_ESTYLE at the first that is misplaced. */
gx_status gx_sheet_check_places(gx_sheet *s, const gx_module *m, u32 node)
{
    for (u32 at = node; at < m->next[node]; at++) {
        if (gx_sheet_kind(m, at) != GX_KIND_ELEM)
            continue;
        const gx_xsl xsl = gx_sheet_name_of(m, at)->xsl, parent = gx_sheet_name_of(m, m->parent[at])->xsl;
        int is_wrong = 0;
        switch (xsl) {
        case GX_XSL_WITH_PARAM: is_wrong = parent != GX_XSL_CALL_TEMPLATE && parent != GX_XSL_APPLY_TEMPLATES; break;
        case GX_XSL_SORT: is_wrong = parent != GX_XSL_FOR_EACH && parent != GX_XSL_APPLY_TEMPLATES; break;
        case GX_XSL_WHEN: case GX_XSL_OTHERWISE: is_wrong = parent != GX_XSL_CHOOSE; break;
        default: is_wrong = xsl > GX_XSL_UNKNOWN && xsl != GX_XSL_PARAM && !gx_sheet_is_instruction(xsl);
        }
        if (is_wrong)
            return gx_sheet_fail(s, m, at, "xsl:%s is not allowed here", gx_sheet_name_of(m, at)->local);
    }
    return GX_OK;
}

/* Has an element no content? Elements are allowed with a later version. is_slip: libxslt does not look, unless what
 * stands there is misplaced anyway. */
gx_status gx_sheet_check_empty(gx_sheet *s, gx_module *m, u32 node, const gx_within *w, int is_slip)
{
    static const char sentence[] = "xsl:%s must be empty";
    for (u32 at = gx_sheet_first(m, node); at < m->next[node]; at = m->next[at]) {
        const int is_element = gx_sheet_kind(m, at) == GX_KIND_ELEM;
        if ((w->forwards && is_element) || (!is_element && !gx_sheet_is_words(m, at)))
            continue;
        if (!is_slip || (is_element && gx_sheet_check_places(s, m, at) != GX_OK))
            return gx_sheet_fail(s, m, at, sentence, gx_sheet_name_of(m, node)->local);
        GX_TRY(gx_sheet_slip(s, m, at, sentence, gx_sheet_name_of(m, node)->local));
    }
    return GX_OK;
}

/* A yes/no attribute to *yes, which stays as it is where it is missing, or unknown with a later version. */
gx_status gx_sheet_yes_no(gx_sheet *s, gx_module *m, u32 node, const gx_within *w, const char *attribute, int is_slip,
                          int *yes)
{
    static const char sentence[] = "the attribute %s must be \"yes\" or \"no\", not \"%s\"";
    const char *value = gx_sheet_attribute(s, m, node, "", attribute);
    if (!value)
        return GX_OK;
    if (!strcmp(value, "yes") || !strcmp(value, "no"))
        *yes = *value == 'y';
    else if (!w->forwards)
        return is_slip ? gx_sheet_slip(s, m, node, sentence, attribute, value)
                       : gx_sheet_fail(s, m, node, sentence, attribute, value);
    return GX_OK;
}

/* ---- documents ---- */

static void *pool_alloc(void *pool, u64 size)
{
    /* APR aligns to 8, a block wants 16 */
    return (void *)APR_ALIGN((uintptr_t)apr_palloc(pool, (apr_size_t)size + 16), 16);
}

/* A parsed document as a module: its columns as pointers, and the names of its labels as C strings, each with what XSLT
 * element it is. O(labels); the text stays in the document. */
static gx_module *new_module(gx_sheet *s, const gx_doc *doc, const char *path)
{
    gx_module *m = apr_pcalloc(s->pool, sizeof *m);
    gx_builder_charge(s->b, doc->n_ns_lists * sizeof *m->prefixes + doc->n_labels * (sizeof(gx_sheet_name) + 32ull));
    m->path = path;
    m->doc = doc;
    m->label = GX_DOC_COL(doc, u32, label);
    m->parent = GX_DOC_COL(doc, u32, parent);
    m->next = GX_DOC_COL(doc, u32, next);
    m->text_off = GX_DOC_COL(doc, u32, text_off);
    m->text_len = GX_DOC_COL(doc, u32, text_len);
    m->ns = doc->ns ? GX_DOC_COL(doc, u32, ns) : NULL;
    m->line = GX_DOC_COL(doc, u32, line);
    m->column = GX_DOC_COL(doc, u32, column);
    m->text = GX_DOC_COL(doc, char, text);
    m->values = GX_DOC_COL(doc, char, values);
    m->strs = GX_DOC_COL(doc, char, strs);
    m->ns_lists = apr_hash_make(s->pool);
    m->prefixes = apr_pcalloc(s->pool, doc->n_ns_lists * sizeof *m->prefixes);
    m->top = GX_NONE;
    const gx_label_info *info = GX_DOC_COL(doc, gx_label_info, labels);
    gx_sheet_name *names = apr_pcalloc(s->pool, doc->n_labels * sizeof *names);
    for (u32 i = 0; i < doc->n_labels; i++) {
        names[i].uri = apr_pstrmemdup(s->pool, m->strs + info[i].uri, info[i].uri_len);
        names[i].local = apr_pstrmemdup(s->pool, m->strs + info[i].local, info[i].local_len);
        names[i].prefix = apr_pstrmemdup(s->pool, m->strs + info[i].prefix, info[i].prefix_len);
        if (info[i].kind == GX_KIND_ELEM && !strcmp(names[i].uri, GX_XSLT_URI))
            names[i].xsl = xsl_of(names[i].local);
    }
    m->names = names;
    return m;
}

/* gx_parse_options.read, too: of a DTD or an entity; and of catalogs that were asked */
static void add_file(void *sheet, const char *path)
{
    gx_builder *b = ((gx_sheet *)sheet)->b;
    const u32 file = gx_builder_lit(b, path, strlen(path));
    for (u32 i = 0; i < b->files.n; i++)
        if (*GX_VEC_AT(&b->files, u32, i) == file)
            return;
    gx_builder_push(b, &b->files, &file);
}

/* A file may have a thousand names (links), and all are in memory until the stylesheet is compiled; and a module is
 * compiled as often as it is named. */
static gx_status spend(gx_sheet *s, const char *path, u64 bytes, u64 nodes)
{
    gx_limits limits = { 0 };
    gx_limits_default(&limits);
    s->n_bytes += bytes;
    s->n_nodes += nodes;
    if (s->n_bytes > limits.input || s->n_nodes > GX_SHEET_NODES)
        return gx_fail(s->err, GX_ELIMIT, path, 0, 0,
                       "the stylesheet's modules have more than %llu bytes or %u nodes in all",
                       (unsigned long long)limits.input, GX_SHEET_NODES);
    return GX_OK;
}

/* What makes a document of a module's bytes: once for the compiler, once for document(''). */
static gx_parse_options parse_options(gx_sheet *s, const gx_module *m, const gx_limits *limits)
{
    const gx_parse_options *source = s->options->bytes && m->bytes == s->options->bytes ? s->options->source : NULL;
    gx_parse_options options = { .limits = limits,
                                 .fixed_limits = 1,
                                 .file = m->path,
                                 .base_uri = m->path,
                                 .charset = m->charset,
                                 .external = m->is_foreign ? NULL : s->options->loader,
                                 .html_entities = source && source->html_entities,
                                 .external_ignore = source && source->external_ignore,
                                 .lenient = !s->options->strict,
                                 .missing_is_empty = !s->options->strict,
                                 .warning = s->options->slip,
                                 .warning_ctx = s->options->warning_ctx };
    return options;
}

/* Parses a module's bytes, which `of` has with its path, charset and whether it is a stranger's, into a document that
 * lives as long as the compiler's pool; *out is a new module of it. Depth and nodes have limits of their own; bytes
 * and block are charged to the compilation's memory, and its time is looked at before and after. The file, and those
 * of its external entities, join the list of files that the program depends on. */
static gx_status read_document(gx_sheet *s, const gx_module *of, gx_module **out)
{
    gx_limits limits = { .depth = GX_SHEET_DEPTH, .nodes = GX_SHEET_NODES };
    gx_limits_default(&limits);
    gx_parse_options options = parse_options(s, of, &limits);
    options.flags = GX_DOC_LINES;
    options.read = add_file;
    options.read_ctx = s;
    options.alloc = pool_alloc;
    options.alloc_ctx = s->pool;
    gx_doc *doc;
    if (!of->is_foreign)
        add_file(s, of->path);
    gx_builder_charge(s->b, of->n_bytes);
    GX_TRY(gx_builder_go_on(s->b, of->path, 0, 0));
    GX_TRY(gx_parse(s->parser, &options, of->bytes, of->n_bytes, &doc, s->err));
    gx_builder_charge(s->b, doc->size);
    *out = new_module(s, doc, of->path);
    (*out)->bytes = of->bytes;
    (*out)->n_bytes = of->n_bytes;
    (*out)->charset = of->charset;
    (*out)->is_foreign = of->is_foreign;
    return spend(s, of->path, of->n_bytes, 0);
}

static void *zeroed_alloc(void *pool, u64 size)
{
    void *block = pool_alloc(pool, size);
    memset(block, 0, size);
    return block;
}

/* document('') and whatever names a module by document(): the modules' bytes are parsed again, without stripping for
 * the stylesheet but with the program's xsl:strip-space, and appended to the program. With a seed that follows from the
 * bytes and no chance bytes between columns, so equal stylesheets are equal programs. */
gx_status gx_sheet_add_own(gx_sheet *s, gx_program **program)
{
    gx_limits limits = { .nodes = GX_SHEET_NODES };
    gx_limits_default(&limits);
    for (u32 i = 0; i < (*program)->own_docs.n; i++) {
        const char *path = GX_LIT_AT(*program, GX_PROG_TAB(*program, gx_own_doc, own_docs)[i].path);
        const gx_module *m = apr_hash_get(s->own, path, APR_HASH_KEY_STRING);
        /* the same seed and no chance bytes between columns: programs of the same files are the same bytes, by which
         * they are known */
        gx_parse_options options = parse_options(s, m, &limits);
        options.warning = NULL;             /* it was told when the module was read */
        options.spaces = *program;
        options.flags = (*program)->flags & GX_P_NAMESPACE_AXIS ? GX_DOC_NAMESPACES : 0;
        options.seed = gx_digest_of(m->bytes, m->n_bytes).a | 1;
        options.alloc = zeroed_alloc;
        options.alloc_ctx = s->pool;
        gx_doc *doc;
        u32 off;
        GX_TRY(gx_parse(s->parser, &options, m->bytes, m->n_bytes, &doc, s->err));
        gx_builder_charge(s->b, 2 * doc->size);
        GX_TRY(gx_builder_go_on(s->b, path, 0, 0));
        GX_TRY(gx_builder_append(s->b, program, doc, doc->size, &off));
        gx_own_doc *own = (gx_own_doc *)((char *)*program + (*program)->own_docs.off) + i;
        own->off = off;
        own->size = (u32)doc->size;
    }
    return GX_OK;
}

/* The xsl:stylesheet with this ID, for a stylesheet embedded in a document (2.7). */
static u32 find_embedded(const gx_sheet *s, const gx_module *m, const char *id)
{
    for (u32 node = 1; node < m->doc->n_nodes; node++) {
        if (gx_sheet_kind(m, node) != GX_KIND_ELEM)
            continue;
        gx_xsl xsl = gx_sheet_name_of(m, node)->xsl;
        if (xsl != GX_XSL_STYLESHEET && xsl != GX_XSL_TRANSFORM)
            continue;
        const char *value = gx_sheet_attribute(s, m, node, "", "id");
        if (value && !strcmp(value, id))
            return node;
    }
    return GX_NONE;
}

/* Finds the element that is the stylesheet (XSLT 1.0, 2.2 and 2.3), and what is in force in it: the document element,
 * or the one that the fragment, or the document's own xml-stylesheet processing instruction, names by its ID (2.7,
 * embedded stylesheets). Fails with a sentence that says what the document element is instead. */
static gx_status find_top(gx_sheet *s, gx_module *m, const char *fragment)
{
    u32 top = 1;
    while (top < m->doc->n_nodes && gx_sheet_kind(m, top) != GX_KIND_ELEM)
        top = m->next[top];
    gx_xsl xsl = gx_sheet_name_of(m, top)->xsl;
    int is_sheet = xsl == GX_XSL_STYLESHEET || xsl == GX_XSL_TRANSFORM;
    int is_simplified = xsl == GX_XSL_NONE && gx_sheet_attribute_node(m, top, GX_XSLT_URI, "version") != GX_NONE;
    if (!fragment && !is_sheet && !is_simplified) {
        const char *href = gx_doc_stylesheet(m->doc, s->pool, NULL);
        fragment = href && *href == '#' ? href + 1 : NULL;
    }
    if (fragment) {
        u32 node = find_embedded(s, m, fragment);
        if (node == GX_NONE)
            return gx_sheet_fail(s, m, top, "there is no stylesheet with the ID \"%s\" in the document", fragment);
        m->top = node;
    } else if (is_sheet || is_simplified) {
        m->top = top;
    } else {
        const gx_sheet_name *name = gx_sheet_name_of(m, top);
        if (!strcmp(name->local, "stylesheet") || !strcmp(name->local, "transform"))
            return gx_sheet_fail(s, m, top, "not a stylesheet: the namespace of %s is \"%s\", not \"%s\"", name->local,
                                 name->uri, GX_XSLT_URI);
        return gx_sheet_fail(
            s, m, top,
            "not a stylesheet: the document element is %s, neither xsl:stylesheet nor an element with xsl:version",
            name->local);
    }
    m->within = (gx_within){ .excluded = add_uri(s, GX_XSLT_URI, gx_builder_lit(s->b, GX_XSLT_URI, strlen(GX_XSLT_URI)),
                                                 NULL) };
    GX_TRY(gx_sheet_within(s, m, m->top, &m->within));
    if (gx_sheet_name_of(m, m->top)->xsl != GX_XSL_NONE)
        GX_TRY(gx_sheet_check_attributes(s, m, m->top, &m->within, NULL));
    return GX_OK;
}

/* ---- the import tree ---- */

/* modules being read, innermost first */
typedef struct chain { const gx_module *module; const struct chain *up; } chain;
typedef struct import { gx_module *by; u32 node; const chain *chain; } import;

/* The bytes of what href, without its fragment, names, in *out: a file, or what the loader fetches. An error is not
 * told where it was asked for yet. */
static gx_status load_module(gx_sheet *s, const char *href, const char *base, gx_module *out)
{
    static const gx_loader anywhere;
    const gx_loader *loader = s->options->loader ? s->options->loader : &anywhere;
    gx_limits limits = { 0 };
    if (!out->is_foreign)
        return gx_load(loader, s->pool, NULL, href, base, NULL, &out->path, &out->bytes, &out->n_bytes, s->err);
    gx_limits_default(&limits);
    s->b->flags |= GX_P_FETCHED;
    return loader->fetch(loader->fetch_ctx, s->pool, out->path, &limits, &out->bytes, &out->n_bytes, &out->charset,
                         s->err);
}

/* *out: the document of a module, parsed once however many modules are in it. by: who asks, at which node; NULL:
 * the main stylesheet, whose bytes the caller may have given. Found by its path, or by the URI under which a
 * catalog or a loader's site has it. Files are read beneath the roots of the loader only. Errors are told at the
 * element that asked. */
static gx_status open_document(gx_sheet *s, const char *href, gx_module *by, u32 node, gx_module **out)
{
    const char *base = by ? gx_sheet_file(s, by, node) : NULL,
               *fetched = by ? gx_load_site(s->options->loader, s->pool, href, base) : NULL;
    const int is_given = !by && s->options->bytes;
    gx_module of = { .bytes = s->options->bytes, .n_bytes = s->options->n_bytes, .is_foreign = is_given || fetched };
    gx_module *document = NULL;
    if (is_given && s->options->source)
        of.charset = s->options->source->charset;
    /* "#id": in the same document; "": the document itself, a cycle */
    of.path = by && !*href ? by->path : is_given ? href : fetched ? fetched : gx_load_path(s->pool, href, base);
    if (of.path)
        document = apr_hash_get(s->documents, of.path, APR_HASH_KEY_STRING);
    if (!document) {
        gx_status status = is_given ? GX_OK : load_module(s, href, base, &of);
        if (status != GX_OK && by)          /* say where it was asked for */
            return gx_fail(s->err, status, base, by->line[node], by->column[node], "%s",
                           apr_pstrdup(s->pool, s->err->text));
        if (status != GX_OK)
            return status;
        document = apr_hash_get(s->documents, of.path, APR_HASH_KEY_STRING);
    }
    if (!document) {
        GX_TRY(read_document(s, &of, &document));
        apr_hash_set(s->documents, of.path, APR_HASH_KEY_STRING, document);
    }
    *out = document;
    return GX_OK;
}

/* The module that the href of an xsl:import or xsl:include names. by == NULL: the main stylesheet. */
static gx_status open_module(gx_sheet *s, const char *href, gx_module *by, u32 node, const chain *up, gx_module **out)
{
    if (s->n_modules++ >= GX_SHEET_MODULES)
        return gx_sheet_fail(s, by, node, "the stylesheet imports and includes more than %u modules", GX_SHEET_MODULES);
    const char *hash = by || !s->options->bytes ? strchr(href, '#') : NULL,
               *fragment = hash ? hash + 1
        : by                    ? NULL
                                : s->options->fragment;
    gx_module *document;
    GX_TRY(
        open_document(s, hash ? apr_pstrmemdup(s->pool, href, (apr_size_t)(hash - href)) : href, by, node, &document));
    GX_TRY(spend(s, document->path, 0, document->doc->n_nodes));
    gx_module *m = apr_pmemdup(s->pool, document, sizeof *m);
    GX_TRY(find_top(s, m, fragment));
    for (; up; up = up->up)
        if (up->module->doc == m->doc && up->module->top == m->top)
            return gx_sheet_fail(s, by, node, "%s imports or includes itself", m->path);
    *out = m;
    return GX_OK;
}

/*
 * Collects a module's declarations in document order, those of included modules in their places (XSLT 1.0, 2.6.1), and
 * its imports in the order in which they count. What is not allowed at the top level fails, or, of a later version, is
 * left out (2.5). up: the chain of modules that include or import this one, by which open_module() sees a cycle.
 *
 * Recurses by includes. O(top-level elements). Declarations whose attributes are wrong are left out where slips are
 * warnings.
 */
static gx_status gather(gx_sheet *s, gx_module *m, const chain *up, gx_vec *declarations, gx_vec *imports)
{
    chain *here = apr_palloc(s->pool, sizeof *here);
    *here = (chain){ m, up };
    const gx_within *w = &m->within;
    if (gx_sheet_name_of(m, m->top)->xsl == GX_XSL_NONE) {
        gx_declaration whole = { m, m->top, 0, 0 };
        gx_builder_push(s->b, declarations, &whole);
        return GX_OK;
    }
    int imports_over = 0;
    for (u32 node = gx_sheet_first(m, m->top); node < m->next[m->top]; node = m->next[node]) {
        GX_TRY(gx_sheet_go_on(s, m, node));
        if (gx_sheet_is_words(m, node))
            return gx_sheet_fail(s, m, node, "text is not allowed at the top level of a stylesheet");
        if (gx_sheet_kind(m, node) != GX_KIND_ELEM)
            continue;
        const gx_sheet_name *name = gx_sheet_name_of(m, node);
        if (!*name->uri && w->forwards)     /* 2.5: not allowed here by XSLT 1.0 */
            continue;
        if (!*name->uri)
            return gx_sheet_fail(s, m, node, "the top-level element %s must have a namespace", name->local);
        if (name->xsl == GX_XSL_IMPORT && imports_over)
            return gx_sheet_fail(s, m, node, "xsl:import must come before all other elements");
        if (name->xsl != GX_XSL_IMPORT)
            imports_over = 1;
        switch (name->xsl) {
        case GX_XSL_NONE:                   /* user data, or a function */
            if (gx_sheet_is_func(name, "function")) {
                gx_declaration one = { m, node, 0, 0 };
                gx_builder_push(s->b, declarations, &one);
            }
            break;
        case GX_XSL_IMPORT: {
            import one = { m, node, here };
            gx_builder_push(s->b, imports, &one);
            break;
        }
        case GX_XSL_INCLUDE: {
            gx_module *included;
            GX_TRY(gx_sheet_check_attributes(s, m, node, w, NULL));
            GX_TRY(gx_sheet_check_empty(s, m, node, w, 1));
            GX_TRY(open_module(s, gx_sheet_attribute(s, m, node, "", "href"), m, node, here, &included));
            GX_TRY(gather(s, included, here, declarations, imports));
            break;
        }
        case GX_XSL_ATTRIBUTE_SET:
        case GX_XSL_DECIMAL_FORMAT:
        case GX_XSL_KEY:
        case GX_XSL_NAMESPACE_ALIAS:
        case GX_XSL_OUTPUT:
        case GX_XSL_PARAM:
        case GX_XSL_PRESERVE_SPACE:
        case GX_XSL_STRIP_SPACE:
        case GX_XSL_TEMPLATE:
        case GX_XSL_VARIABLE: {
            gx_declaration one = { m, node, 0, 0 };
            int complete;
            GX_TRY(gx_sheet_check_attributes(s, m, node, w, &complete));
            if (complete)
                gx_builder_push(s->b, declarations, &one);
            break;
        }
        default:
            if (w->forwards)
                break;
            if (name->xsl == GX_XSL_UNKNOWN)
                return gx_sheet_fail(s, m, node, "%s", gx_sheet_unknown_element(s, name));
            return gx_sheet_fail(s, m, node, "xsl:%s is not allowed at the top level", name->local);
        }
    }
    return GX_OK;
}

/* A level of the import tree, in post-order: this module's declarations are gathered with those of its includes, then
 * each import is read as a level of its own, and then these declarations are appended with the next precedence. `low`:
 * the first precedence among its imports, which xsl:apply-imports asks for. Recursion: chains of imports. */
static gx_status read_level(gx_sheet *s, gx_module *m, const chain *up)
{
    gx_vec declarations = { .size = sizeof(gx_declaration) }, imports = { .size = sizeof(import) };
    GX_TRY(gather(s, m, up, &declarations, &imports));
    u32 low = s->n_levels;
    for (u32 i = 0; i < imports.n; i++) {
        import one = *GX_VEC_AT(&imports, import, i);
        gx_module *imported;
        GX_TRY(gx_sheet_check_attributes(s, one.by, one.node, &one.by->within, NULL));
        GX_TRY(gx_sheet_check_empty(s, one.by, one.node, &one.by->within, 1));
        GX_TRY(open_module(s, gx_sheet_attribute(s, one.by, one.node, "", "href"), one.by, one.node, one.chain,
                           &imported));
        GX_TRY(read_level(s, imported, one.chain));
    }
    u32 precedence = s->n_levels++;
    for (u32 i = 0; i < declarations.n; i++) {
        gx_declaration *one = GX_VEC_AT(&declarations, gx_declaration, i);
        one->precedence = precedence;
        one->low = low;
        gx_builder_push(s->b, &s->declarations, one);
    }
    return GX_OK;
}

/* The main module and, in order of import precedence, all declarations of all modules. */
gx_status gx_sheet_load(gx_sheet *s, const char *path)
{
    gx_module *m;
    GX_TRY(open_module(s, path, NULL, 0, NULL, &m));
    GX_TRY(read_level(s, m, NULL));
    if (s->options->loader)
        gx_catalog_files(s->options->loader->catalog, add_file, s);
    return GX_OK;
}
