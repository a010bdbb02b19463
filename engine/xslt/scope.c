/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scope.c -- what an expression sees where it stands: names, namespaces, variables, keys, functions
 *
 * The XPath compiler asks through a table of callbacks (gx_xpath_env). gx_sheet_env makes it for an element of the
 * stylesheet. The callbacks look into the name tables, which declare.c fills before any expression is compiled, and
 * into the stack of local variables, which body.c pushes and pops.
 *
 * A reference to a global, a key or an attribute set leaves an edge (global_uses, key_uses, set_uses). compile.c looks
 * for cycles among the edges when everything is compiled.
 */
#include <string.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include "plan/plan.h"
#include "sheet.h"
#include "xpath/xpath.h"

/* ---- name tables ---- */

u32 gx_sheet_find(const gx_sheet *s, apr_hash_t *table, const char *uri, const char *local)
{
    void *found = apr_hash_get(table, gx_sheet_key(s, uri, local), APR_HASH_KEY_STRING);
    return found ? (u32)(uintptr_t)found - 1 : GX_NONE;
}

void gx_sheet_enter(const gx_sheet *s, apr_hash_t *table, const char *uri, const char *local, u32 index)
{
    apr_hash_set(table, gx_sheet_key(s, uri, local), APR_HASH_KEY_STRING, (void *)((uintptr_t)index + 1));
}

u32 gx_sheet_new_mode(gx_sheet *s, u32 name)
{
    gx_mode mode = { .name = name };
    return gx_builder_push(s->b, &s->b->modes, &mode);
}

/* The number of a mode by its name, 0 without one; a new one is made where it is first named. A name that is no QName:
 * with a later version it is ignored (2.5), of a template a slip, else GX_ESTYLE. */
gx_status gx_sheet_mode(gx_sheet *s, u32 node, const gx_within *w, const char *name, u32 *mode)
{
    const char *prefix, *uri, *local;
    *mode = 0;
    if (!name)
        return GX_OK;
    gx_status status = gx_sheet_qname(s, s->module, node, name, "mode", 0, &prefix, &uri, &local);
    /* "#all" of XSLT 2.0: an optional attribute's unknown value is ignored with it (2.5) */
    if (status == GX_ESTYLE && w->forwards) {
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
        *mode = gx_sheet_new_mode(s, gx_builder_qname(s->b, prefix, local, uri));
        gx_sheet_enter(s, s->modes, uri, local, *mode);
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
            const char *prefix = gx_builder_lit_text(s->b, one.prefix, NULL);
            const char *uri = gx_builder_lit_text(s->b, one.uri, NULL);
            gx_sheet_alias(s, &prefix, &uri);
            one = (gx_nsdecl){ gx_builder_lit(s->b, prefix, strlen(prefix)), gx_builder_lit(s->b, uri, strlen(uri)) };
        }
        if (one.uri)
            gx_builder_push(s->b, &s->decls, &one);
    }
}

/* The number of the list of namespaces in scope at node; literal: of those that a literal element copies, without the
 * excluded ones. Equal scopes of a module share a list: found by hash, made once. */
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

/* A variable reference, for the XPath compiler: a local one as (slot, how many bodies up), a global one as its index.
 * On the way it is noted whether the reference needs a string-value, and which global uses which. 0: there is none. */
static int env_variable(void *ctx, const char *uri, const char *local, gx_variable *out)
{
    gx_sheet *s = ctx;
    gx_scoped *var = gx_sheet_scoped(s, uri, local);
    if (var) {
        u32 hops = 0;
        int copied = s->copying;            /* and not into a variable's content, whose string-value may be asked for */
        int again = var->is_param, same = var->plan && !s->elsewhere;
        for (const gx_body_state *body = s->body; body != var->body; body = body->up, hops++) {
            copied &= body->kind != GX_B_CONTENT;
            again |= body->kind == GX_B_FOR_EACH;
            same = same && body->kind == GX_B_BRANCH && !(var->plan->deps & GX_DEP_LOCAL);
        }
        var->as_string |= !copied;
        var->is_asked |= same;
        *out = (gx_variable){ .index = var->slot, .hops = hops, .type = var->type, .again = (u8)again,
                              .plan = same ? var->plan : NULL };
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

static void env_refers(void *ctx, u32 hops, u32 slot)
{
    gx_sheet *s = ctx;
    const gx_body_state *body = s->body;
    while (hops-- && body)
        body = body->up;
    for (u32 i = 0; i < s->scope.n; i++) {
        gx_scoped *var = GX_VEC_AT(&s->scope, gx_scoped, i);
        if (var->body == body && var->slot == slot)
            var->is_used = 1;
    }
}

/* All variables in scope as text, a line each (hops, slot, {uri}name), for dyn:evaluate(), which compiles expressions
 * at run time. Any of them may be asked for its string then. Made once a scope. */
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
        var->is_used = 1;
        APR_ARRAY_PUSH(lines, const char *) = apr_psprintf(s->pool, "%u %u {%s}%s\n", hops,
                                                             var->slot, var->uri, var->local);
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
    if (use.from == GX_NONE || use.to == GX_NONE)
        return use.to;
    if (s->unasked_keys[use.to])
        return GX_KEY_ITSELF;
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

/* What an expression at node sees: the callbacks of this file, its place for messages, its namespaces and base URI. */
gx_xpath_env gx_sheet_env(gx_sheet *s, u32 node, const gx_within *w)
{
    const gx_module *m = s->module;
    s->node = node;
    const char *file = gx_sheet_file(s, m, node);
    return (gx_xpath_env){
        .b = s->b, .file = file, .line = m->line[node], .column = m->column[node], .ctx = s,
        .namespace_uri = env_namespace, .variable = env_variable, .refers = env_refers, .in_scope = env_in_scope,
        .key = env_key, .decimal_format = env_decimal_format, .element_available = env_element_available,
        .function = env_function,
        .asks_own = env_asks_own,
        .base_uri = file, .document_uri = m->path, .nslist = gx_sheet_nslist(s, node, w, 0),
        .late = gx_sheet_is_late(s) ? gx_sheet_late : NULL, .slip = env_slip, .forwards = w->forwards,
        .enclosed = s->enclosed,
    };
}

gx_xpath_env gx_sheet_bare_env(gx_sheet *s, const char *path)
{
    return (gx_xpath_env) { .b = s->b, .file = path, .ctx = s, .namespace_uri = env_namespace, .key = env_key,
                            .decimal_format = env_decimal_format, .element_available = env_element_available,
                            .base_uri = "", .nslist = gx_builder_nslist(s->b, NULL, 0) };
}

/* Later versions allow variables in a template's match (5.2 forbids them) and key() in an xsl:key, and peers do so in
 * 1.0: so it is here. In an xsl:key a variable stays an error: its value could depend on the key. */
void gx_sheet_forbid_variables(gx_sheet *s, gx_xpath_env *env)
{
    if (s->compiling_key != GX_NONE) {
        env->variable = NULL;
        env->no_variables = "variables are not allowed in xsl:key";
    }
}

gx_status gx_sheet_compile_pattern(gx_sheet *s, u32 node, const gx_within *w, const char *text, u32 *first, u32 *n,
                                   double **priority)
{
    gx_xpath_env env = gx_sheet_env(s, node, w);
    env.no_current = !s->body;              /* not in match; in xsl:number it has a meaning */
    gx_sheet_forbid_variables(s, &env);
    s->elsewhere++;
    const gx_status status = gx_pattern_compile(&env, text, first, n, priority);
    s->elsewhere--;
    return status;
}
