/* SPDX-License-Identifier: Apache-2.0 */
/*
 * declare.c -- every top-level declaration of a stylesheet: names first
 *
 * An expression may use what stands further down, so all names are known before an expression is compiled.
 *
 * gx_sheet_collect walks the declarations of all modules, lowest import precedence first. It enters the names of
 * templates, variables, keys, functions and attribute sets into the tables. A declaration without expressions (output,
 * white space, aliases, decimal formats) goes to the program at once. compile.c compiles the rest.
 *
 * Cost: linear in the declarations, and n log n in xsl:strip-space's names.
 */
#include <stdlib.h>
#include <string.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include "sheet.h"
#include "xpath/xpath.h"

/* ---- declarations without expressions ---- */

/* A prefix attribute of xsl:namespace-alias: its namespace, "" for a default that is not declared, NULL for another
 * one: a slip. */
static gx_status alias_side(gx_sheet *s, u32 node, const char *attribute, const char **prefix, const char **uri)
{
    const char *value = gx_sheet_attribute(s, s->module, node, "", attribute);
    *prefix = !strcmp(value, "#default") ? "" : value;
    *uri = gx_sheet_uri(s, s->module, node, *prefix);
    if (!*uri && **prefix)
        return gx_sheet_slip(s, s->module, node, "the prefix %s in the attribute %s is not declared", value, attribute);
    if (!*uri)
        *uri = "";
    return GX_OK;
}

static gx_status declare_alias(gx_sheet *s, u32 node)
{
    const char *prefix, *uri;
    gx_alias *alias = apr_palloc(s->pool, sizeof *alias);
    GX_TRY(alias_side(s, node, "stylesheet-prefix", &prefix, &uri));
    GX_TRY(alias_side(s, node, "result-prefix", &alias->prefix, &alias->uri));
    if (uri && alias->uri)
        apr_hash_set(s->aliases, uri, APR_HASH_KEY_STRING, alias);
    return GX_OK;
}

/* text with another text in the place of each of a character */
static const char *replace(gx_sheet *s, const char *text, char what, const char *by)
{
    const char *at;
    while ((at = strchr(text, what)))
        text = apr_pstrcat(s->pool, apr_pstrmemdup(s->pool, text, (apr_size_t)(at - text)), by, at + 1, NULL);
    return text;
}

/* xsl:output: its attributes over those of the declarations before it, which have a lower import precedence (16). A
 * method or a public literal that cannot be is a slip. cdata-section-elements of all declarations are one list of
 * distinct names, GX_SHEET_CDATA at most. */
static gx_status declare_output(gx_sheet *s, u32 node, const gx_within *w, gx_output *out, gx_vec *cdata)
{
    gx_module *m = s->module;
    const struct { const char *name; u32 *lit; } strings[] = {
        { "version", &out->version }, { "encoding", &out->encoding }, { "doctype-public", &out->doctype_public },
        { "doctype-system", &out->doctype_system }, { "media-type", &out->media_type },
    };
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        const char *value = gx_sheet_attribute(s, m, node, "", strings[i].name);
        if (!value)
            continue;
        /* XML 1.0, 2.3: a public literal has few characters, a system literal stands in the quotes that it does not
         * have inside */
        static const char pubid[] =
            " \r\nABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-'()+,./:=?;!*#@$_%";
        if (strings[i].lit == &out->doctype_public
                ? value[strspn(value, pubid)] != 0
                : strings[i].lit == &out->doctype_system && strchr(value, '"') && strchr(value, '\'')) {
            GX_TRY(gx_sheet_slip(s, m, node, "no document type declaration can have the attribute %s as it is: %s",
                                 strings[i].name, value));
            value =
                strings[i].lit == &out->doctype_public ? replace(s, value, '"', "") : replace(s, value, '"', "&quot;");
        }
        *strings[i].lit = gx_builder_lit(s->b, value, strlen(value));
    }
    const struct { const char *name; u8 *flag;
    } flags[] = {
        { "indent", &out->indent },
        { "omit-xml-declaration", &out->omit_declaration },
        { "standalone", &out->standalone },
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        int yes = *flags[i].flag;
        GX_TRY(gx_sheet_yes_no(s, m, node, w, flags[i].name, 0, &yes));
        *flags[i].flag = (u8)yes;
    }
    const char *method = gx_sheet_attribute(s, m, node, "", "method"), *prefix, *uri, *local;
    if (method) {
        static const char *const methods[] = { "xml", "html", "text" };
        int known = -1, unknown = 1, is_name = 1;
        if (*method) {                      /* "" is one that is not known to libxslt */
            const gx_status status = gx_sheet_qname(s, m, node, method, "method", 0, &prefix, &uri, &local);
            const char *colon = strchr(method, ':');
            is_name = status == GX_OK;
            if (status == GX_ESTYLE && !w->forwards
                && (!colon || colon == method
                    || gx_sheet_uri(s, m, node, apr_pstrmemdup(s->pool, method, (apr_size_t)(colon - method)))))
                GX_TRY(gx_sheet_slipped(s));
            else
                GX_TRY(status);
            unknown = is_name && !*prefix;
        }
        for (int i = 0; i < 3 && *method && is_name; i++)
            if (!*prefix && !strcmp(local, methods[i]))
                known = i;
        if (known >= 0)
            out->method = (u8)(GX_METHOD_XML + known);
        else if (!is_name)
            ;                               /* as if not given, too */
        else if (!unknown)
            out->method = GX_METHOD_XML;    /* what another processor may write as it likes is still XML */
        else if (!w->forwards)              /* else as if not given, without a word (2.5) */
            GX_TRY(gx_sheet_slip(s, m, node, "the attribute method must be \"xml\", \"html\" or \"text\", not \"%s\"",
                                 method));
    }
    const char *names = gx_sheet_attribute(s, m, node, "", "cdata-section-elements"), *name;
    while (names && (name = gx_sheet_token(s, &names))) {
        GX_TRY(gx_sheet_qname(s, m, node, name, "cdata-section-elements", 1, &prefix, &uri, &local));
        u32 qname = gx_builder_qname(s->b, "", local, uri), known = 0;
        for (u32 i = 0; i < cdata->n; i++)
            known |= *GX_VEC_AT(cdata, u32, i) == qname;
        if (!known && cdata->n == GX_SHEET_CDATA)
            return gx_sheet_fail(s, m, node, "more than %u cdata-section-elements", GX_SHEET_CDATA);
        if (!known)
            gx_builder_push(s->b, cdata, &qname);
    }
    return GX_OK;
}

typedef struct ranked_space { gx_space space; u32 precedence, rank, order; } ranked_space;

/* xsl:strip-space, xsl:preserve-space: each name test with its import precedence and priority, to be sorted when all
 * are there (3.4). */
static gx_status declare_space(gx_sheet *s, u32 node, const gx_within *w, u32 precedence, int strip, gx_vec *spaces)
{
    gx_module *m = s->module;
    const char *names = gx_sheet_attribute(s, m, node, "", "elements"), *name;
    while ((name = gx_sheet_token(s, &names))) {
        const char *uri = "", *local = "*";
        size_t n = strlen(name);
        gx_space one = { .strip = (u8)strip, .test = GX_TEST_NAME };
        if (!strcmp(name, "*")) {
            one.test = GX_TEST_ANY;
        } else if (n > 2 && !strcmp(name + n - 2, ":*")) {
            one.test = GX_TEST_NS;
            const char *prefix = apr_pstrmemdup(s->pool, name, n - 2);
            uri = gx_sheet_uri(s, m, node, prefix);
            if (!uri) {
                GX_TRY(gx_sheet_slip(s, m, node, "the prefix %s of \"%s\" is not declared", prefix, name));
                continue;
            }
        } else if (w->forwards && !strncmp(name, "*:", 2)) {
            continue;                       /* XSLT 2.0 */
        } else {
            GX_TRY(gx_sheet_loose_name(s, m, node, name, "elements", 1, &uri, &local));
        }
        one.uri = gx_builder_lit(s->b, uri, strlen(uri));
        one.local = gx_builder_lit(s->b, local, strlen(local));
        ranked_space ranked = { one, precedence, one.test == GX_TEST_NAME ? 2 : one.test == GX_TEST_NS, spaces->n };
        gx_builder_push(s->b, spaces, &ranked);
    }
    return GX_OK;
}

/* Best first; of two equal ones the last in the stylesheet (3.4 leaves it open). */
static int compare_spaces(const void *a, const void *b)
{
    const ranked_space *x = a, *y = b;
    if (x->precedence != y->precedence)
        return x->precedence > y->precedence ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank > y->rank ? -1 : 1;
    return x->order > y->order ? -1 : 1;
}

/* xsl:decimal-format (12.3): ten characters and strings, the default format's number is 0. A second declaration with
 * other values is an error by the spec; what libxslt makes of it (the first of a name, the last of each attribute of
 * the default) is a slip. */
static gx_status declare_decimal_format(gx_sheet *s, u32 node, int forwards, u32 precedence, gx_vec *precedences)
{
    gx_module *m = s->module;
    gx_decimal_format format = gx_builder_decimal_format(s->b), merged = format;
    const struct { const char *name; u32 *lit; int is_string;
    } fields[] = {
        { "decimal-separator", &format.decimal_separator, 0 },
        { "grouping-separator", &format.grouping_separator, 0 },
        { "infinity", &format.infinity, 1 },
        { "minus-sign", &format.minus_sign, 0 },
        { "NaN", &format.nan, 1 },
        { "percent", &format.percent, 0 },
        { "per-mille", &format.per_mille, 0 },
        { "zero-digit", &format.zero_digit, 0 },
        { "digit", &format.digit, 0 },
        { "pattern-separator", &format.pattern_separator, 0 },
    };
    const char *name = gx_sheet_attribute(s, m, node, "", "name"), *uri = "", *local = NULL;
    if (!name && *GX_VEC_AT(precedences, u32, 0) != GX_NONE)
        merged = *GX_VEC_AT(&s->b->decimal_formats, gx_decimal_format, 0);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *value = gx_sheet_attribute(s, m, node, "", fields[i].name);
        const size_t first = value ? gx_sheet_first_character(value) : 0;
        int wrong = value && !fields[i].is_string && (!first || value[first]);
        if (wrong && !forwards)
            GX_TRY(
                gx_sheet_slip(s, m, node, "the attribute %s must be one character, not \"%s\"", fields[i].name, value));
        if (value && !wrong)
            *fields[i].lit = gx_builder_lit(s->b, value, strlen(value));
        else if (wrong && !forwards && (first || fields[i].lit != &format.zero_digit))
            *fields[i].lit = gx_builder_lit(s->b, value, first);    /* the first one counts; "": there is none */
        if (value)
            ((u32 *)&merged)[fields[i].lit - (const u32 *)&format] = *fields[i].lit;
    }
    if (name)
        GX_TRY(gx_sheet_loose_name(s, m, node, name, "name", 1, &uri, &local));
    format.name = local ? gx_builder_qname(s->b, "", local, uri) : GX_NONE;
    u32 at = local ? gx_sheet_find(s, s->decimal_formats, uri, local) : 0;
    if (at == GX_NONE) {
        gx_sheet_enter(s, s->decimal_formats, uri, local, gx_builder_push(s->b, &s->b->decimal_formats, &format));
        gx_builder_push(s->b, precedences, &precedence);
        return GX_OK;
    }
    gx_decimal_format *known = GX_VEC_AT(&s->b->decimal_formats, gx_decimal_format, at);
    u32 *before = GX_VEC_AT(precedences, u32, at);
    /* Other values are an error, even with another import precedence (12.3): only for later versions the higher one
     * counts. libxslt has the first of a name, and of the default the last of each attribute. */
    if (*before != GX_NONE && (*before == precedence || !forwards) && memcmp(known, &format, sizeof format)) {
        GX_TRY(gx_sheet_slip(s, m, node, "%s decimal format%s%s is declared twice with different values",
                             name ? "the" : "the default", name ? " " : "", name ? name : ""));
        if (name)
            return GX_OK;
        format = merged;
    }
    *known = format;
    *before = precedence;
    return GX_OK;
}

/* ---- collecting names ---- */

/* An xsl:template's name and body number; nothing in it is compiled yet. Two of one name and import precedence are an
 * error (6). */
static gx_status collect_template(gx_sheet *s, const gx_declaration *d)
{
    gx_module *m = d->module;
    gx_template t = { *d, gx_sheet_reserve_body(s), GX_NONE };
    int simplified = gx_sheet_is_simplified(d);
    const char *name = simplified ? NULL : gx_sheet_attribute(s, m, d->node, "", "name");
    int has_match = simplified || gx_sheet_attribute_node(m, d->node, "", "match") != GX_NONE;
    if (!name && !has_match)
        return gx_sheet_fail(s, m, d->node, "xsl:template needs the attribute match or the attribute name");
    if (!has_match && !m->within.forwards && gx_sheet_attribute_node(m, d->node, "", "mode") != GX_NONE)
        GX_TRY(
            gx_sheet_slip(s, m, d->node, "xsl:template without the attribute match may not have the attribute mode"));
    if (name) {
        const char *prefix, *uri, *local;
        GX_TRY(gx_sheet_qname(s, m, d->node, name, "name", 0, &prefix, &uri, &local));
        t.name = gx_builder_qname(s->b, prefix, local, uri);
        u32 other = gx_sheet_find(s, s->named, uri, local);
        if (other != GX_NONE && GX_VEC_AT(&s->templates, gx_template, other)->at.precedence == d->precedence)
            return gx_sheet_fail(s, m, d->node, "there are two templates named %s with the same import precedence",
                                 name);
        gx_sheet_enter(s, s->named, uri, local, s->templates.n);
    }
    gx_builder_push(s->b, &s->templates, &t);
    return GX_OK;
}

/* A global variable's name. Of several the one with the highest import precedence counts, which comes last; two with
 * the same are an error (11.4), of parameters a slip. */
static gx_status collect_global(gx_sheet *s, const gx_declaration *d)
{
    gx_module *m = d->module;
    const char *prefix, *uri, *local, *name = gx_sheet_attribute(s, m, d->node, "", "name");
    GX_TRY(gx_sheet_qname(s, m, d->node, name, "name", 0, &prefix, &uri, &local));
    gx_global g = { .name = gx_builder_qname(s->b, prefix, local, uri),
                    .expr = GX_NONE,
                    .body = GX_NONE,
                    .is_param = gx_sheet_name_of(m, d->node)->xsl == GX_XSL_PARAM,
                    .where = gx_sheet_where(s, m, d->node) };
    u32 at = gx_sheet_find(s, s->globals, uri, local);
    if (at == GX_NONE) {
        gx_sheet_enter(s, s->globals, uri, local, gx_builder_push(s->b, &s->b->globals, &g));
        gx_builder_push(s->b, &s->global_at, d);
        return GX_OK;
    }
    gx_declaration *other = GX_VEC_AT(&s->global_at, gx_declaration, at);
    if (other->precedence == d->precedence) {
        static const char sentence[] = "the global variable %s is declared twice with the same import precedence";
        return g.is_param ? gx_sheet_slip(s, m, d->node, sentence, name)        /* libxslt: the first one counts */
                          : gx_sheet_fail(s, m, d->node, sentence, name);
    }
    *other = *d;
    *GX_VEC_AT(&s->b->globals, gx_global, at) = g;
    return GX_OK;
}

/* May a function ask for position() or last() of its call? By the words that it is written with: yes, if in doubt. */
static int asks_places(const gx_sheet *s, const gx_module *m, u32 function)
{
    static const char *const words[] = { "position", "last", "evaluate", "dyn" };
    for (u32 node = function + 1; node < m->next[function]; node++) {
        const gx_sheet_name *name = gx_sheet_name_of(m, node);
        u32 kind = gx_sheet_kind(m, node);
        if (kind == GX_KIND_ELEM && (name->xsl == GX_XSL_CALL_TEMPLATE || name->xsl == GX_XSL_APPLY_IMPORTS))
            return 1;
        if (kind != GX_KIND_ATTR)
            continue;
        if (!strcmp(name->local, "use-attribute-sets"))
            return 1;
        const char *value = gx_sheet_value(s, m, node);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strstr(value, words[i]))
                return 1;
    }
    return 0;
}

/* func:function: enters its name, its parameters (the xsl:params that come first) and a body that is compiled later, so
 * that functions may call one another. The last one of the highest import precedence counts; two of the same precedence
 * fail. A declaration without a name that a call could use is a slip. */
static gx_status collect_function(gx_sheet *s, const gx_declaration *d)
{
    gx_module *m = d->module;
    const char *name = gx_sheet_attribute(s, m, d->node, "", "name"), *prefix, *uri, *local;
    gx_user_function f = { *d, GX_NONE, 0 };
    if (!name)
        return gx_sheet_slip(s, m, d->node, "func:function needs the attribute name");
    GX_TRY(gx_sheet_check_func(s, m, d->node, "name"));
    if (gx_sheet_qname(s, m, d->node, name, "name", 0, &prefix, &uri, &local) != GX_OK)
        return gx_sheet_slipped(s);         /* no call can name it */
    if (!*uri)
        return gx_sheet_slip(s, m, d->node, "the name of a function must have a prefix: \"%s\"", name);
    for (u32 at = gx_sheet_first(m, d->node); at < m->next[d->node]; at = m->next[at]) {
        u32 kind = gx_sheet_kind(m, at);
        int param = kind == GX_KIND_ELEM && gx_sheet_name_of(m, at)->xsl == GX_XSL_PARAM;
        if ((kind == GX_KIND_ELEM && !param) || gx_sheet_is_words(m, at))
            break;
        f.n_params += (u32)param;
    }
    if (f.n_params > GX_XPATH_DEPTH)
        return gx_sheet_fail(s, m, d->node, "a function has more than %u parameters", GX_XPATH_DEPTH);
    s->places |= asks_places(s, m, d->node);
    u32 at = gx_sheet_find(s, s->functions, uri, local);
    if (at == GX_NONE) {
        f.body = gx_sheet_reserve_body(s);
        gx_function out = { gx_builder_qname(s->b, prefix, local, uri), f.body, f.n_params,
                            gx_sheet_where(s, m, d->node), 0 };
        gx_builder_push(s->b, &s->user_functions, &f);
        gx_sheet_enter(s, s->functions, uri, local, gx_builder_push(s->b, &s->b->functions, &out));
        return GX_OK;
    }
    gx_user_function *other = GX_VEC_AT(&s->user_functions, gx_user_function, at);
    if (other->at.precedence == d->precedence)
        return gx_sheet_fail(s, m, d->node, "there are two functions named %s with the same import precedence", name);
    f.body = other->body;
    *other = f;
    gx_function *out = GX_VEC_AT(&s->b->functions, gx_function, at);
    out->n_params = f.n_params;
    out->where = gx_sheet_where(s, m, d->node);
    return GX_OK;
}

/* A key's or attribute set's name to a number, and the declaration to the list. */
static gx_status collect_named(gx_sheet *s, const gx_declaration *d, apr_hash_t *table, u32 *n_names, gx_vec *list,
                               const char **uri, const char **local)
{
    const char *name = gx_sheet_attribute(s, d->module, d->node, "", "name");
    if (table == s->keys)
        GX_TRY(gx_sheet_loose_name(s, d->module, d->node, name, "name", 0, uri, local));
    else
        GX_TRY(gx_sheet_qname(s, d->module, d->node, name, "name", 0, NULL, uri, local));
    gx_named_declaration one = { gx_sheet_find(s, table, *uri, *local), *d };
    if (one.index == GX_NONE) {
        one.index = (*n_names)++;
        gx_sheet_enter(s, table, *uri, *local, one.index);
    }
    gx_builder_push(s->b, list, &one);
    return GX_OK;
}

/* All declarations, lowest import precedence first, so that a later one may replace an earlier one; then the rules for
 * white space in order of choice, and the one xsl:output that comes of all. Fails with GX_ESTYLE at the declaration. */
gx_status gx_sheet_collect(gx_sheet *s, gx_collected *c)
{
    gx_vec cdata = { .size = sizeof(u32) }, spaces = { .size = sizeof(ranked_space) },
           precedences = { .size = sizeof(u32) };
    gx_output output = { .indent = 2, .omit_declaration = 2, .standalone = 2, .version = GX_NONE, .encoding = GX_NONE,
                         .doctype_public = GX_NONE, .doctype_system = GX_NONE, .media_type = GX_NONE };
    const gx_decimal_format standard = gx_builder_decimal_format(s->b);     /* the default one, until it is declared */
    const u32 undeclared = GX_NONE;
    gx_builder_push(s->b, &s->b->decimal_formats, &standard);
    gx_builder_push(s->b, &precedences, &undeclared);
    for (u32 i = 0; i < s->declarations.n; i++) {
        const gx_declaration *d = GX_VEC_AT(&s->declarations, gx_declaration, i);
        gx_module *m = s->module = d->module;
        gx_within w = m->within;
        const char *uri, *local;
        gx_xsl xsl = gx_sheet_name_of(m, d->node)->xsl;
        GX_TRY(gx_sheet_go_on(s, m, d->node));
        GX_TRY(gx_sheet_within(s, m, d->node, &w));
        switch (xsl) {
        case GX_XSL_KEY:
        case GX_XSL_OUTPUT:
        case GX_XSL_STRIP_SPACE:
        case GX_XSL_PRESERVE_SPACE:
        case GX_XSL_DECIMAL_FORMAT:
        case GX_XSL_NAMESPACE_ALIAS:
            GX_TRY(gx_sheet_check_empty(s, m, d->node, &w, xsl == GX_XSL_NAMESPACE_ALIAS));
            break;
        default:
            break;
        }
        switch (xsl) {
        case GX_XSL_NAMESPACE_ALIAS:
            GX_TRY(declare_alias(s, d->node));
            break;
        case GX_XSL_OUTPUT:
            GX_TRY(declare_output(s, d->node, &w, &output, &cdata));
            break;
        case GX_XSL_STRIP_SPACE: case GX_XSL_PRESERVE_SPACE:
            GX_TRY(declare_space(s, d->node, &w, d->precedence, xsl == GX_XSL_STRIP_SPACE, &spaces));
            break;
        case GX_XSL_DECIMAL_FORMAT:
            GX_TRY(declare_decimal_format(s, d->node, w.forwards, d->precedence, &precedences));
            break;
        case GX_XSL_KEY: {
            u32 known = c->n_keys;
            GX_TRY(collect_named(s, d, s->keys, &c->n_keys, &c->keys, &uri, &local));
            if (c->n_keys > known) {
                u32 qname = gx_builder_qname(s->b, "", local, uri);
                gx_builder_push(s->b, &s->b->key_names, &qname);
            }
            break;
        }
        case GX_XSL_ATTRIBUTE_SET:
            GX_TRY(collect_named(s, d, s->attribute_sets, &c->n_sets, &c->sets, &uri, &local));
            break;
        case GX_XSL_VARIABLE: case GX_XSL_PARAM:
            GX_TRY(collect_global(s, d));
            break;
        default:                            /* xsl:template, a function, or a simplified stylesheet */
            if (xsl == GX_XSL_NONE && !gx_sheet_is_simplified(d))
                GX_TRY(collect_function(s, d));
            else
                GX_TRY(collect_template(s, d));
        }
    }
    if (spaces.n)
        qsort(spaces.at, spaces.n, spaces.size, compare_spaces);
    for (u32 i = 0; i < spaces.n; i++)
        gx_builder_push(s->b, &s->b->spaces, &GX_VEC_AT(&spaces, ranked_space, i)->space);
    output.cdata = s->b->cdata.n;
    output.n_cdata = cdata.n;
    for (u32 i = 0; i < cdata.n; i++)
        gx_builder_push(s->b, &s->b->cdata, GX_VEC_AT(&cdata, u32, i));
    gx_builder_push(s->b, &s->b->output, &output);
    return GX_OK;
}
