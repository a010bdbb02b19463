/*
 * declare.c -- gx_compile: a stylesheet to a program
 *
 *   load      modules -> s->declarations, lowest import precedence first (xslt/module.c)
 *   collect   names of templates, variables, keys, attribute sets, formats: an expression may use what stands further down.
 *             What has no expressions (output, space, aliases, decimal formats) is done at once
 *   compile   globals, keys, attribute sets, templates with their patterns (xslt/body.c)
 *   link      rules to modes, flags (xslt/link.c)
 *   pack      one block (builder.c)
 *
 * Everything is in the caller's pool. Nothing that the stylesheet says makes the compiler do work that is not linear in its text
 * times the number of times that a module is named (GX_SHEET_MODULES), apart from what link says of itself.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include "sheet.h"
#include "xpath/xpath.h"

/* ---- name tables ---- */

u32 gx_sheet_find(const gx_sheet *s, apr_hash_t *table, const char *uri, const char *local)
{
    void *found = apr_hash_get(table, gx_sheet_key(s, uri, local), APR_HASH_KEY_STRING);
    return found ? (u32)(uintptr_t)found - 1 : GX_NONE;
}

static void enter(const gx_sheet *s, apr_hash_t *table, const char *uri, const char *local, u32 index)
{
    apr_hash_set(table, gx_sheet_key(s, uri, local), APR_HASH_KEY_STRING, (void *)((uintptr_t)index + 1));
}

static u32 new_mode(gx_sheet *s, u32 name)
{
    gx_mode mode = { .name = name };
    return gx_builder_push(s->b, &s->b->modes, &mode);
}

gx_status gx_sheet_mode(gx_sheet *s, u32 node, const gx_within *w, const char *name, u32 *mode)
{
    const char *prefix, *uri, *local;
    *mode = 0;
    if (!name)
        return GX_OK;
    gx_status status = gx_sheet_qname(s, s->module, node, name, "mode", 0, &prefix, &uri, &local);
    if (status == GX_ESTYLE && w->forwards) {   /* "#all" of XSLT 2.0: an optional attribute's unknown value is ignored with it (2.5) */
        s->err->status = GX_OK;
        return GX_OK;
    }
    /* libxslt asks for no QName where a template has the mode, which no xsl:apply-templates can name then */
    if (status == GX_ESTYLE && gx_sheet_name_of(s->module, node)->xsl == GX_XSL_TEMPLATE) {
        status = gx_sheet_loose_name(s, s->module, node, name, "mode", 0, &uri, &local);
        prefix = "";
    }
    GX_TRY(status);
    *mode = gx_sheet_find(s, s->modes, uri, local);
    if (*mode == GX_NONE) {
        *mode = new_mode(s, gx_builder_qname(s->b, prefix, local, uri));
        enter(s, s->modes, uri, local, *mode);
    }
    return GX_OK;
}

/* ---- namespaces ---- */

void gx_sheet_alias(const gx_sheet *s, const char **prefix, const char **uri)
{
    const gx_alias *alias = apr_hash_get(s->aliases, *uri, APR_HASH_KEY_STRING);
    if (!alias)
        return;
    /* The author's prefix is kept as long as there is one to keep, and a namespace for it to stand for. */
    if (!**prefix || !*alias->uri)
        *prefix = !**uri || !*alias->uri ? alias->prefix : *prefix;
    if (!*alias->uri)
        *prefix = "";
    *uri = alias->uri;
}

/* All namespaces in scope at an element. */
static void add_in_scope(gx_sheet *s, u32 node)
{
    const gx_module *m = s->module;
    if (!m->ns)
        return;
    const gx_ns_list *list = &GX_DOC_COL(m->doc, gx_ns_list, ns_lists)[m->ns[node]];
    const gx_ns_decl *decl = GX_DOC_COL(m->doc, gx_ns_decl, ns_decls) + list->first;
    for (u32 i = 0; i < list->n; i++) {
        gx_nsdecl one = { gx_builder_lit(s->b, m->strs + decl[i].prefix, decl[i].prefix_len),
                          gx_builder_lit(s->b, m->strs + decl[i].uri, decl[i].uri_len) };
        gx_builder_push(s->b, &s->decls, &one);
    }
}

/* Those of `all` that a literal result element copies, as aliases say. */
static void add_copied(gx_sheet *s, u32 all, const gx_uris *excluded)
{
    const gx_nslist list = *GX_VEC_AT(&s->b->nslists, gx_nslist, all);
    for (u32 i = 0; i < list.n; i++) {
        gx_nsdecl one = *GX_VEC_AT(&s->b->nsdecls, gx_nsdecl, list.first + i);
        if (gx_sheet_has_lit(s, excluded, one.uri))
            continue;
        if (apr_hash_count(s->aliases)) {
            const char *prefix = gx_builder_lit_text(s->b, one.prefix, NULL), *uri = gx_builder_lit_text(s->b, one.uri, NULL);
            gx_sheet_alias(s, &prefix, &uri);
            one = (gx_nsdecl){ gx_builder_lit(s->b, prefix, strlen(prefix)), gx_builder_lit(s->b, uri, strlen(uri)) };
        }
        if (one.uri)
            gx_builder_push(s->b, &s->decls, &one);
    }
}

u32 gx_sheet_nslist(gx_sheet *s, u32 node, const gx_within *w, int literal)
{
    const gx_module *m = s->module;
    struct { const void *excluded; u64 list; } key = { literal ? w->excluded : NULL, m->ns ? m->ns[node] : 0 };
    void *known = apr_hash_get(m->ns_lists, &key, sizeof key);
    if (known)
        return (u32)(uintptr_t)known - 1;
    const u32 all = literal ? gx_sheet_nslist(s, node, w, 0) : GX_NONE;
    s->decls.n = 0;
    if (literal)
        add_copied(s, all, w->excluded);
    else
        add_in_scope(s, node);
    u32 made = gx_builder_nslist(s->b, GX_VEC_AT(&s->decls, gx_nsdecl, 0), s->decls.n);
    apr_hash_set(m->ns_lists, apr_pmemdup(s->pool, &key, sizeof key), sizeof key, (void *)((uintptr_t)made + 1));
    return made;
}

/* ---- what expressions ask for ---- */

static const char *env_namespace(void *ctx, const char *prefix)
{
    const gx_sheet *s = ctx;
    return s->module ? gx_sheet_uri(s, s->module, s->node, prefix) : !strcmp(prefix, "xml") ? GX_XML_URI : NULL;
}

u32 gx_sheet_head(const char *uri, const char *local)
{
    return gx_name_hash(uri, (u32)strlen(uri), local, (u32)strlen(local)) % GX_SHEET_HEADS;
}

gx_scoped *gx_sheet_scoped(gx_sheet *s, const char *uri, const char *local)
{
    for (u32 i = s->scoped[gx_sheet_head(uri, local)]; i; ) {
        gx_scoped *var = GX_VEC_AT(&s->scope, gx_scoped, i - 1);
        if (!strcmp(var->local, local) && !strcmp(var->uri, uri))
            return var;
        i = var->outer;
    }
    return NULL;
}

static int env_variable(void *ctx, const char *uri, const char *local, gx_variable *out)
{
    gx_sheet *s = ctx;
    gx_scoped *var = gx_sheet_scoped(s, uri, local);
    if (var) {
        u32 hops = 0;
        int copied = s->copying;            /* and not into the content of a variable: that one's string-value may be asked for */
        for (const gx_body_state *body = s->body; body != var->body; body = body->up, hops++)
            copied &= body->kind != GX_B_CONTENT;
        var->as_string |= !copied;
        *out = (gx_variable){ .index = var->slot, .hops = hops, .type = var->type };
        return 1;
    }
    u32 global = gx_sheet_find(s, s->globals, uri, local);
    if (global == GX_NONE)
        return 0;
    if (s->compiling_global != GX_NONE) {
        gx_edge use = { s->compiling_global, global };
        gx_builder_push(s->b, &s->global_uses, &use);
    }
    const gx_global *g = GX_VEC_AT(&s->b->globals, gx_global, global);
    u8 type = GX_T_ANY;                     /* parameters, and what stands further down among the globals */
    if (!g->is_param && g->expr != GX_NONE)
        type = GX_VEC_AT(&s->b->exprs, gx_expr, g->expr)->type;
    else if (!g->is_param && g->body != GX_NONE)
        type = GX_T_RTF;
    *out = (gx_variable){ .global = 1, .index = global, .type = type };
    return 1;
}

static const char *env_in_scope(void *ctx)
{
    gx_sheet *s = ctx;
    const gx_body_state *body = s->body;
    apr_array_header_t *lines;
    u32 hops = 0;
    if (s->in_scope && s->in_scope_body == body)
        return s->in_scope;
    lines = apr_array_make(s->pool, (int)s->scope.n + 1, sizeof(char *));
    for (u32 i = s->scope.n; i-- > 0; ) {
        gx_scoped *var = GX_VEC_AT(&s->scope, gx_scoped, i);
        for (; body != var->body; body = body->up)
            hops++;
        var->as_string = 1;
        APR_ARRAY_PUSH(lines, const char *) = apr_psprintf(s->pool, "%u %u {%s}%s\n", hops, var->slot, var->uri, var->local);
    }
    s->in_scope_body = s->body;
    return s->in_scope = apr_array_pstrcat(s->pool, lines, 0);
}

static void env_asks_own(void *ctx)
{
    gx_sheet *s = ctx;
    const gx_module *m = s->module;
    if (apr_hash_get(s->own, m->path, APR_HASH_KEY_STRING))
        return;
    const gx_own_doc own = { .path = gx_builder_lit(s->b, m->path, strlen(m->path)) };
    apr_hash_set(s->own, m->path, APR_HASH_KEY_STRING, m);
    gx_builder_push(s->b, &s->b->own_docs, &own);
}

static u32 env_key(void *ctx, const char *uri, const char *local)
{
    gx_sheet *s = ctx;
    gx_edge use = { s->compiling_key, gx_sheet_find(s, s->keys, uri, local) };
    if (use.from != GX_NONE && use.to != GX_NONE)
        gx_builder_push(s->b, &s->key_uses, &use);
    return use.to;
}

static u32 env_decimal_format(void *ctx, const char *uri, const char *local)
{
    return gx_sheet_find(ctx, ((gx_sheet *)ctx)->decimal_formats, uri, local);
}

static int env_element_available(void *ctx, const char *uri, const char *local)
{
    return gx_sheet_element_available(uri, local, ((const gx_sheet *)ctx)->options->writes);
}

static int env_function(void *ctx, const char *uri, const char *local, gx_callee *out)
{
    const gx_sheet *s = ctx;
    u32 at = gx_sheet_find(s, s->functions, uri, local);
    if (at == GX_NONE)
        return 0;
    *out = (gx_callee){ at, GX_VEC_AT(&s->user_functions, gx_user_function, at)->n_params, s->places };
    return 1;
}

int gx_sheet_is_late(const gx_sheet *s) { return s->options->warning && !s->options->strict && !s->at_once; }

static gx_status env_slip(void *sheet) { return gx_sheet_slipped(sheet); }

void gx_sheet_late(void *sheet)
{
    gx_sheet *s = sheet;
    s->options->warning(s->options->warning_ctx, s->err);
    s->err->status = GX_OK;
    s->b->flags |= GX_P_LATE;
}

gx_xpath_env gx_sheet_env(gx_sheet *s, u32 node, const gx_within *w)
{
    const gx_module *m = s->module;
    s->node = node;
    const char *file = gx_sheet_file(s, m, node);
    return (gx_xpath_env){
        .b = s->b, .file = file, .line = m->line[node], .column = m->column[node], .ctx = s,
        .namespace_uri = env_namespace, .variable = env_variable, .in_scope = env_in_scope, .key = env_key,
        .decimal_format = env_decimal_format, .element_available = env_element_available, .function = env_function,
        .asks_own = env_asks_own,
        .base_uri = file, .document_uri = m->path, .nslist = gx_sheet_nslist(s, node, w, 0),
        .late = gx_sheet_is_late(s) ? gx_sheet_late : NULL, .slip = env_slip, .forwards = w->forwards,
    };
}

/* Later versions allow variables in a template's match (5.2 forbids them) and key() in an xsl:key, and peers do so in 1.0: so it is here.
 * In an xsl:key a variable stays an error: its value could depend on the key. */
static void forbid_variables_in_keys(gx_sheet *s, gx_xpath_env *env)
{
    if (s->compiling_key != GX_NONE) {
        env->variable = NULL;
        env->no_variables = "variables are not allowed in xsl:key";
    }
}

gx_status gx_sheet_compile_pattern(gx_sheet *s, u32 node, const gx_within *w, const char *text, u32 *first, u32 *n, double **priority)
{
    gx_xpath_env env = gx_sheet_env(s, node, w);
    env.no_current = !s->body;              /* not in match; in xsl:number it has a meaning */
    forbid_variables_in_keys(s, &env);
    return gx_pattern_compile(&env, text, first, n, priority);
}

/* ---- declarations without expressions ---- */

/* A prefix attribute of xsl:namespace-alias: its namespace, "" for a default that is not declared, NULL for another one: a slip. */
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
        /* XML 1.0, 2.3: a public literal has few characters, a system literal stands in the quotes that it does not have inside */
        static const char pubid[] = " \r\nABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-'()+,./:=?;!*#@$_%";
        if (strings[i].lit == &out->doctype_public ? value[strspn(value, pubid)] != 0
                                                   : strings[i].lit == &out->doctype_system && strchr(value, '"') && strchr(value, '\'')) {
            GX_TRY(gx_sheet_slip(s, m, node, "no document type declaration can have the attribute %s as it is: %s", strings[i].name, value));
            value = strings[i].lit == &out->doctype_public ? replace(s, value, '"', "") : replace(s, value, '"', "&quot;");
        }
        *strings[i].lit = gx_builder_lit(s->b, value, strlen(value));
    }
    const struct { const char *name; u8 *flag; } flags[] = {
        { "indent", &out->indent }, { "omit-xml-declaration", &out->omit_declaration }, { "standalone", &out->standalone },
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        int yes = *flags[i].flag;
        GX_TRY(gx_sheet_yes_no(s, m, node, w, flags[i].name, 0, &yes));
        *flags[i].flag = (u8)yes;
    }
    const char *method = gx_sheet_attribute(s, m, node, "", "method"), *prefix, *uri, *local;
    if (method) {
        static const char *const methods[] = { "xml", "html", "text" };
        int known = -1, unknown = 1;
        if (*method) {                      /* "" is one that is not known to libxslt */
            GX_TRY(gx_sheet_qname(s, m, node, method, "method", 0, &prefix, &uri, &local));
            unknown = !*prefix && !w->forwards && strcmp(local, "xhtml");
        }
        for (int i = 0; i < 3 && *method; i++)
            if (!*prefix && !strcmp(local, methods[i]))
                known = i;
        if (known >= 0)
            out->method = (u8)(GX_METHOD_XML + known);
        else if (!unknown)
            out->method = GX_METHOD_XML;    /* what another processor may write as it likes is still XML */
        else
            GX_TRY(gx_sheet_slip(s, m, node, "the attribute method must be \"xml\", \"html\" or \"text\", not \"%s\"", method));
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

/* Bytes of the first character; 0 = none. */
static size_t first_character(const char *text)
{
    const u8 *at = (const u8 *)text;
    if (!*at)
        return 0;
    for (at++; (*at & 0xc0) == 0x80; )
        at++;
    return (size_t)(at - (const u8 *)text);
}

static gx_status declare_decimal_format(gx_sheet *s, u32 node, int forwards, u32 precedence, gx_vec *precedences)
{
    gx_module *m = s->module;
    gx_decimal_format format = gx_builder_decimal_format(s->b);
    const struct { const char *name; u32 *lit; int is_string; } fields[] = {
        { "decimal-separator", &format.decimal_separator, 0 }, { "grouping-separator", &format.grouping_separator, 0 },
        { "infinity", &format.infinity, 1 }, { "minus-sign", &format.minus_sign, 0 }, { "NaN", &format.nan, 1 },
        { "percent", &format.percent, 0 }, { "per-mille", &format.per_mille, 0 }, { "zero-digit", &format.zero_digit, 0 },
        { "digit", &format.digit, 0 }, { "pattern-separator", &format.pattern_separator, 0 },
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *value = gx_sheet_attribute(s, m, node, "", fields[i].name);
        const size_t first = value ? first_character(value) : 0;
        int wrong = value && !fields[i].is_string && (!first || value[first]);
        if (wrong && !forwards)
            GX_TRY(gx_sheet_slip(s, m, node, "the attribute %s must be one character, not \"%s\"", fields[i].name, value));
        if (value && !wrong)
            *fields[i].lit = gx_builder_lit(s->b, value, strlen(value));
        else if (wrong && first && !forwards)       /* the first one counts */
            *fields[i].lit = gx_builder_lit(s->b, value, first);
    }
    const char *name = gx_sheet_attribute(s, m, node, "", "name"), *uri = "", *local = NULL;
    if (name)
        GX_TRY(gx_sheet_loose_name(s, m, node, name, "name", 1, &uri, &local));
    format.name = local ? gx_builder_qname(s->b, "", local, uri) : GX_NONE;
    u32 at = local ? gx_sheet_find(s, s->decimal_formats, uri, local) : 0;
    if (at == GX_NONE) {
        enter(s, s->decimal_formats, uri, local, gx_builder_push(s->b, &s->b->decimal_formats, &format));
        gx_builder_push(s->b, precedences, &precedence);
        return GX_OK;
    }
    gx_decimal_format *known = GX_VEC_AT(&s->b->decimal_formats, gx_decimal_format, at);
    u32 *before = GX_VEC_AT(precedences, u32, at);
    /* Other values are an error, even with another import precedence (12.3): only for later versions the higher one counts. libxslt has the first of a
     * name in a file, and the last default. */
    if (*before != GX_NONE && (*before == precedence || !forwards) && memcmp(known, &format, sizeof format)) {
        GX_TRY(gx_sheet_slip(s, m, node, "%s decimal format%s%s is declared twice with different values", name ? "the" : "the default",
                             name ? " " : "", name ? name : ""));
        if (name && *before == precedence)
            return GX_OK;
    }
    *known = format;
    *before = precedence;
    return GX_OK;
}

/* ---- collecting names ---- */

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
        GX_TRY(gx_sheet_slip(s, m, d->node, "xsl:template without the attribute match may not have the attribute mode"));
    if (name) {
        const char *prefix, *uri, *local;
        GX_TRY(gx_sheet_qname(s, m, d->node, name, "name", 0, &prefix, &uri, &local));
        t.name = gx_builder_qname(s->b, prefix, local, uri);
        u32 other = gx_sheet_find(s, s->named, uri, local);
        if (other != GX_NONE && GX_VEC_AT(&s->templates, gx_template, other)->at.precedence == d->precedence)
            return gx_sheet_fail(s, m, d->node, "there are two templates named %s with the same import precedence", name);
        enter(s, s->named, uri, local, s->templates.n);
    }
    gx_builder_push(s->b, &s->templates, &t);
    return GX_OK;
}

static gx_status collect_global(gx_sheet *s, const gx_declaration *d)
{
    gx_module *m = d->module;
    const char *prefix, *uri, *local, *name = gx_sheet_attribute(s, m, d->node, "", "name");
    GX_TRY(gx_sheet_qname(s, m, d->node, name, "name", 0, &prefix, &uri, &local));
    gx_global g = { .name = gx_builder_qname(s->b, prefix, local, uri), .expr = GX_NONE, .body = GX_NONE,
                    .is_param = gx_sheet_name_of(m, d->node)->xsl == GX_XSL_PARAM, .where = gx_sheet_where(s, m, d->node) };
    u32 at = gx_sheet_find(s, s->globals, uri, local);
    if (at == GX_NONE) {
        enter(s, s->globals, uri, local, gx_builder_push(s->b, &s->b->globals, &g));
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

/* func:function: the last one of the highest import precedence counts. */
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
        gx_function out = { gx_builder_qname(s->b, prefix, local, uri), f.body, f.n_params, gx_sheet_where(s, m, d->node), 0 };
        gx_builder_push(s->b, &s->user_functions, &f);
        enter(s, s->functions, uri, local, gx_builder_push(s->b, &s->b->functions, &out));
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

typedef struct named_declaration { u32 index; gx_declaration at; } named_declaration;

/* A key's or attribute set's name to a number, and the declaration to the list. */
static gx_status collect_named(gx_sheet *s, const gx_declaration *d, apr_hash_t *table, u32 *n_names, gx_vec *list, const char **uri, const char **local)
{
    const char *name = gx_sheet_attribute(s, d->module, d->node, "", "name");
    if (table == s->keys)
        GX_TRY(gx_sheet_loose_name(s, d->module, d->node, name, "name", 0, uri, local));
    else
        GX_TRY(gx_sheet_qname(s, d->module, d->node, name, "name", 0, NULL, uri, local));
    named_declaration one = { gx_sheet_find(s, table, *uri, *local), *d };
    if (one.index == GX_NONE) {
        one.index = (*n_names)++;
        enter(s, table, *uri, *local, one.index);
    }
    gx_builder_push(s->b, list, &one);
    return GX_OK;
}

typedef struct collected { gx_vec keys, sets; u32 n_keys, n_sets; } collected;      /* named_declaration; by ascending precedence */

static gx_status collect(gx_sheet *s, collected *c)
{
    gx_vec cdata = { .size = sizeof(u32) }, spaces = { .size = sizeof(ranked_space) }, precedences = { .size = sizeof(u32) };
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
        GX_TRY(gx_sheet_within(s, m, d->node, &w));
        switch (xsl) {
        case GX_XSL_KEY: case GX_XSL_OUTPUT: case GX_XSL_STRIP_SPACE: case GX_XSL_PRESERVE_SPACE: case GX_XSL_DECIMAL_FORMAT:
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

/* ---- compiling ---- */

/* The expression that the caller gives for a parameter, or NULL. */
static const char *given_value(const gx_sheet *s, u32 qname)
{
    const gx_qname *name = GX_VEC_AT(&s->b->qnames, gx_qname, qname);
    const char *local = gx_builder_lit_text(s->b, name->local, NULL), *uri = gx_builder_lit_text(s->b, name->uri, NULL);
    const char *written = *uri ? apr_pstrcat(s->pool, gx_builder_lit_text(s->b, name->prefix, NULL), ":", local, NULL) : local, *value = NULL;
    for (int i = 0; i < s->options->n_xpath_params; i++) {
        const gx_param *param = &s->options->xpath_params[i];
        if (!strcmp(param->name, written) || !strcmp(param->name, gx_sheet_key(s, uri, local)))
            value = param->value;
    }
    return value;
}

static gx_status compile_global(gx_sheet *s, u32 index)
{
    const gx_declaration *d = GX_VEC_AT(&s->global_at, gx_declaration, index);
    gx_global g = *GX_VEC_AT(&s->b->globals, gx_global, index);
    const char *given = g.is_param ? given_value(s, g.name) : NULL;
    s->body = NULL;
    if (given) {
        const gx_qname *name = GX_VEC_AT(&s->b->qnames, gx_qname, g.name);
        gx_xpath_env env = {
            .b = s->b, .file = apr_pstrcat(s->pool, "parameter ", gx_builder_lit_text(s->b, name->local, NULL), NULL), .ctx = s,
            .namespace_uri = env_namespace, .no_variables = "variables are not available here", .key = env_key,
            .decimal_format = env_decimal_format, .element_available = env_element_available, .base_uri = "",
            .nslist = gx_builder_nslist(s->b, NULL, 0),
        };
        s->module = NULL;                   /* no namespaces */
        GX_TRY(gx_xpath_compile(&env, given, GX_T_ANY, &g.expr));
    } else {
        gx_within w = d->module->within;
        s->module = d->module;
        s->compiling_global = index;
        GX_TRY(gx_sheet_within(s, d->module, d->node, &w));
        GX_TRY(gx_sheet_compile_value(s, d->node, &w, &g.expr, &g.body));
        s->compiling_global = GX_NONE;
    }
    g.flags = g.body != GX_NONE ? GX_IF_STRING : 0;
    *GX_VEC_AT(&s->b->globals, gx_global, index) = g;
    return GX_OK;
}

static gx_status compile_globals(gx_sheet *s)
{
    for (u32 i = 0; i < s->b->globals.n; i++)
        GX_TRY(compile_global(s, i));
    u32 bad = gx_sheet_cycle(s, (const gx_edge *)s->global_uses.at, s->global_uses.n, s->b->globals.n);
    if (bad == GX_NONE)
        return GX_OK;
    const gx_declaration *d = GX_VEC_AT(&s->global_at, gx_declaration, bad);
    return gx_sheet_fail(s, d->module, d->node, "the value of the variable %s depends on itself",
                         gx_sheet_attribute(s, d->module, d->node, "", "name"));
}

/* key() calls among the ops from `first` on. */
static u32 count_key_calls(const gx_sheet *s, u32 first)
{
    u32 n = 0;
    for (u32 i = first; i < s->b->ops.n; i++) {
        const gx_op *op = GX_VEC_AT(&s->b->ops, gx_op, i);
        n += op->op == GX_X_FUNC && GX_F_IS_KEY(op->a);
    }
    return n;
}

/* Whether one of n patterns begins with key(): peers refuse it in an xsl:key, and take key() in its predicates. */
static int begins_with_key(const gx_sheet *s, u32 first, u32 n)
{
    for (u32 i = first; i < first + n; i++) {
        u32 head = GX_VEC_AT(&s->b->patterns, gx_pattern, i)->head;
        const gx_expr *expr = head == GX_NONE ? NULL : GX_VEC_AT(&s->b->exprs, gx_expr, head);
        for (u32 j = 0; expr && j < expr->n; j++) {
            const gx_op *op = GX_VEC_AT(&s->b->ops, gx_op, expr->first + j);
            if (op->op == GX_X_FUNC && GX_F_IS_KEY(op->a))
                return 1;
        }
    }
    return 0;
}

static gx_status compile_keys(gx_sheet *s, const collected *c)
{
    for (u32 i = 0; i < c->keys.n; i++) {
        const named_declaration *k = GX_VEC_AT(&c->keys, named_declaration, i);
        gx_module *m = s->module = k->at.module;
        u32 node = k->at.node, first, n, use, first_op = s->b->ops.n, first_edge = s->key_uses.n;
        double *priority;
        gx_within w = m->within;
        s->compiling_key = k->index;
        GX_TRY(gx_sheet_compile_pattern(s, node, &w, gx_sheet_attribute(s, m, node, "", "match"), &first, &n, &priority));
        if (begins_with_key(s, first, n))
            return gx_sheet_fail(s, m, node, "a key's match may not begin with key()");
        gx_xpath_env env = gx_sheet_env(s, node, &w);
        forbid_variables_in_keys(s, &env);
        GX_TRY(gx_xpath_compile(&env, gx_sheet_attribute(s, m, node, "", "use"), GX_T_ANY, &use));
        if (count_key_calls(s, first_op) > s->key_uses.n - first_edge)
            return gx_sheet_fail(s, m, node, "key() with a computed name is not allowed in xsl:key");
        for (u32 j = 0; j < n; j++) {
            gx_key key = { k->index, first + j, use, gx_sheet_where(s, m, node), 0 };
            gx_builder_push(s->b, &s->b->keys, &key);
        }
    }
    s->compiling_key = GX_NONE;
    u32 bad = gx_sheet_cycle(s, (const gx_edge *)s->key_uses.at, s->key_uses.n, c->n_keys);
    for (u32 i = 0; bad != GX_NONE && i < c->keys.n; i++) {
        const named_declaration *k = GX_VEC_AT(&c->keys, named_declaration, i);
        if (k->index == bad)
            return gx_sheet_fail(s, k->at.module, k->at.node, "the key %s depends on itself",
                                 gx_sheet_attribute(s, k->at.module, k->at.node, "", "name"));
    }
    return GX_OK;
}

static gx_status compile_attribute_sets(gx_sheet *s, const collected *c)
{
    for (u32 i = 0; i < c->n_sets; i++) {
        u32 body = gx_sheet_reserve_body(s);
        gx_builder_push(s->b, &s->set_bodies, &body);
    }
    gx_vec *definitions = apr_pcalloc(s->pool, (c->n_sets + 1) * sizeof *definitions);
    for (u32 i = 0; i < c->sets.n; i++) {
        const named_declaration *one = GX_VEC_AT(&c->sets, named_declaration, i);
        definitions[one->index].size = sizeof(gx_declaration);
        gx_builder_push(s->b, &definitions[one->index], &one->at);
    }
    for (u32 i = 0; i < c->n_sets; i++) {
        s->compiling_set = i;
        GX_TRY(gx_sheet_compile_attribute_set(s, (const gx_declaration *)definitions[i].at, definitions[i].n,
                                                    *GX_VEC_AT(&s->set_bodies, u32, i)));
    }
    s->compiling_set = GX_NONE;
    u32 bad = gx_sheet_cycle(s, (const gx_edge *)s->set_uses.at, s->set_uses.n, c->n_sets);
    if (bad == GX_NONE)
        return GX_OK;
    const gx_declaration *d = GX_VEC_AT(&definitions[bad], gx_declaration, 0);
    return gx_sheet_fail(s, d->module, d->node, "the attribute set %s uses itself", gx_sheet_attribute(s, d->module, d->node, "", "name"));
}

/* '-'? Digits ('.' Digits?)? | '-'? '.' Digits. Exact for what people write: both parts of the quotient are. Where it returns 0, *out is what libxslt
 * takes it for: an exponent counts, "-" is 0, and what is no number is lower than all others. */
static int parse_priority(const char *text, double *out)
{
    double value = 0, scale = 1;
    const char *at = text + strspn(text, " \t\r\n");
    int negative = *at == '-', digits = 0;
    for (at += negative; *at >= '0' && *at <= '9'; at++, digits++)
        value = value * 10 + (*at - '0');
    if (*at == '.')
        for (at++; *at >= '0' && *at <= '9'; at++, digits++)
            if (scale < 1e15) {
                value = value * 10 + (*at - '0');
                scale *= 10;
            }
    *out = (negative ? -value : value) / scale;
    if (digits && gx_sheet_is_blank(at))
        return 1;
    if (digits && (*at | 32) == 'e') {
        const int down = at[1] == '-';
        int power = 0;
        for (at += 1 + (at[1] == '-' || at[1] == '+'); *at >= '0' && *at <= '9'; at++)
            power = power < 1000 ? power * 10 + (*at - '0') : power;
        for (; power; power--)
            *out = down ? *out / 10 : *out * 10;
    }
    if (*text != '-' && !digits)
        *out = -INFINITY;
    else if (!gx_sheet_is_blank(at))
        *out = -INFINITY;
    return 0;
}

static gx_status compile_rules(gx_sheet *s, const gx_template *t)
{
    gx_module *m = s->module = t->at.module;
    u32 node = t->at.node, first, n;
    double *priority, given = 0;
    int simplified = gx_sheet_is_simplified(&t->at);
    const char *match = simplified ? "/" : gx_sheet_attribute(s, m, node, "", "match");
    const char *priority_text = simplified ? NULL : gx_sheet_attribute(s, m, node, "", "priority");
    gx_within w = m->within;
    if (priority_text && !parse_priority(priority_text, &given)) {
        if (!w.forwards)
            GX_TRY(gx_sheet_slip(s, m, node, "the attribute priority is no number: \"%s\"", priority_text));
        else
            priority_text = NULL;
    }
    if (!match)
        return GX_OK;
    gx_rule rule = { .body = t->body, .precedence = t->at.precedence, .import_low = t->at.low, .where = gx_sheet_where(s, m, node) };
    GX_TRY(gx_sheet_mode(s, node, &w, simplified ? NULL : gx_sheet_attribute(s, m, node, "", "mode"), &rule.mode));
    GX_TRY(gx_sheet_compile_pattern(s, node, &w, match, &first, &n, &priority));
    for (u32 i = 0; i < n; i++) {
        rule.pattern = first + i;
        rule.priority = priority_text ? given : priority[i];
        gx_builder_push(s->b, &s->b->rules, &rule);
    }
    return GX_OK;
}

static gx_status compile_program(gx_sheet *s, const char *path)
{
    collected c = { .keys = { .size = sizeof(named_declaration) }, .sets = { .size = sizeof(named_declaration) } };
    new_mode(s, GX_NONE);
    GX_TRY(gx_sheet_load(s, path));
    GX_TRY(collect(s, &c));

    gx_xpath_env env = { .b = s->b, .file = path, .ctx = s, .namespace_uri = env_namespace, .base_uri = "",
                         .nslist = gx_builder_nslist(s->b, NULL, 0) };
    GX_TRY(gx_xpath_compile(&env, "node()", GX_T_SET, &s->node_select));
    GX_TRY(compile_keys(s, &c));
    GX_TRY(compile_attribute_sets(s, &c));
    GX_TRY(compile_globals(s));
    for (u32 i = 0; i < s->user_functions.n; i++) {
        const gx_user_function f = *GX_VEC_AT(&s->user_functions, gx_user_function, i);
        GX_TRY(gx_sheet_compile_function(s, &f, GX_VEC_AT(&s->b->functions, gx_function, i)->name));
    }
    for (u32 i = 0; i < s->templates.n; i++) {
        const gx_template t = *GX_VEC_AT(&s->templates, gx_template, i);
        GX_TRY(compile_rules(s, &t));
        GX_TRY(gx_sheet_compile_template(s, &t));
    }
    for (u32 i = 0; i < s->b->modes.n; i++) {
        u32 body = gx_sheet_reserve_body(s);
        GX_VEC_AT(&s->b->modes, gx_mode, i)->builtin = body;
        GX_TRY(gx_sheet_compile_builtin(s, i, body));
    }
    return gx_sheet_link(s);
}

gx_status gx_compile(const char *path, const gx_compile_options *options, apr_pool_t *pool, gx_program **out, gx_error *err)
{
    static const gx_compile_options none;
    gx_sheet s = { .pool = pool, .err = err, .options = options ? options : &none, .b = gx_builder_create(pool, err),
                   .compiling_global = GX_NONE, .compiling_set = GX_NONE, .compiling_key = GX_NONE, .node_select = GX_NONE, .copy_test = GX_NONE,
                   .element_test = GX_NONE, .declarations = { .size = sizeof(gx_declaration) }, .templates = { .size = sizeof(gx_template) },
                   .user_functions = { .size = sizeof(gx_user_function) },
                   .global_at = { .size = sizeof(gx_declaration) }, .set_bodies = { .size = sizeof(u32) },
                   .set_uses = { .size = sizeof(gx_edge) }, .global_uses = { .size = sizeof(gx_edge) },
                   .key_uses = { .size = sizeof(gx_edge) }, .scope = { .size = sizeof(gx_scoped) }, .decls = { .size = sizeof(gx_nsdecl) },
                   .is_marked = { .size = 1 } };
    gx_builder_vendor(s.b, s.options->vendor, s.options->vendor_url);
    apr_hash_t **tables[] = { &s.documents, &s.slips, &s.own, &s.modes, &s.globals, &s.named, &s.keys, &s.decimal_formats, &s.attribute_sets,
                              &s.functions, &s.aliases, &s.uris };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        *tables[i] = apr_hash_make(pool);
    s.b->rules_off = s.options->rules_off;
    if (s.options->strict)
        s.b->flags |= GX_P_STRICT;
    GX_TRY(gx_parser_create(&s.parser, err));
    gx_program *program = NULL;
    s.b->flags |= s.options->writes ? GX_P_WRITES : 0;
    gx_status status = compile_program(&s, path);
    if (status == GX_OK)
        status = gx_builder_pack(s.b, &program);
    if (status == GX_OK)
        status = gx_sheet_add_own(&s, &program);
    gx_parser_free(s.parser);
    gx_sheet_slips_end(&s, path);
    if (status == GX_OK)
        *out = program;
    else
        free(program);
    return status;
}
