/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.c -- gx_compile: a stylesheet to a program
 *
 *   load      modules -> s->declarations, lowest import precedence first (xslt/module.c)
 *   collect   names of templates, variables, keys, attribute sets, formats, since an expression may use what stands
 *             further down. What has no expressions (output, space, aliases, decimal formats) is done at once
 *             (xslt/declare.c)
 *   compile   globals, keys, attribute sets, templates with their patterns (xslt/body.c)
 *   link      rules to modes, flags (xslt/link.c)
 *   pack      one block (builder.c)
 *
 * Everything is in the caller's pool. The compiler's work is linear in the stylesheet's text times the number of times
 * that a module is named (GX_SHEET_MODULES), whatever the stylesheet says. link.c names its own exceptions.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include "sheet.h"
#include "xpath/xpath.h"

/* The expression that the caller gives for a parameter, or NULL. */
static const char *given_value(const gx_sheet *s, u32 qname)
{
    const gx_qname *name = GX_VEC_AT(&s->b->qnames, gx_qname, qname);
    const char *local = gx_builder_lit_text(s->b, name->local, NULL), *uri = gx_builder_lit_text(s->b, name->uri, NULL);
    const char *prefix = gx_builder_lit_text(s->b, name->prefix, NULL), *value = NULL;
    const char *written = *uri ? apr_pstrcat(s->pool, prefix, ":", local, NULL) : local;
    for (int i = 0; i < s->options->n_xpath_params; i++) {
        const gx_param *param = &s->options->xpath_params[i];
        if (!strcmp(param->name, written) || !strcmp(param->name, gx_sheet_key(s, uri, local)))
            value = param->value;
    }
    return value;
}

/* A global variable or parameter: its expression, or the body of its content. A value that the command gave replaces a
 * parameter's own: an expression without variables, namespaces or context. References to other globals become edges, in
 * which a cycle is looked for later. */
static gx_status compile_global(gx_sheet *s, u32 index)
{
    const gx_declaration *d = GX_VEC_AT(&s->global_at, gx_declaration, index);
    gx_global g = *GX_VEC_AT(&s->b->globals, gx_global, index);
    const char *given = g.is_param ? given_value(s, g.name) : NULL;
    s->body = NULL;
    if (given) {
        const gx_qname *name = GX_VEC_AT(&s->b->qnames, gx_qname, g.name);
        const char *text = gx_builder_lit_text(s->b, name->local, NULL);
        gx_xpath_env env = gx_sheet_bare_env(s, apr_pstrcat(s->pool, "parameter ", text, NULL));
        env.no_variables = "variables are not available here";
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

/* libxslt's reading of a key's match: a path with "//" before each alternative. NULL: there is an empty one. */
static const char *match_as_path(gx_sheet *s, const char *match)
{
    char *const path = apr_palloc(s->pool, 3 * strlen(match) + 3), *to = path;
    for (const char *at = match; ; at++) {
        const char *from = at + strspn(at, " \t\r\n");
        char quote = 0;
        int level = 0;
        for (at = from; *at && (quote || level || *at != '|'); at++) {
            quote = quote ? (*at == quote ? 0 : quote) : *at == '"' || *at == '\'' ? *at : 0;
            level += quote ? 0 : *at == '[' ? 1 : *at == ']' && level ? -1 : 0;
        }
        if (at == from)
            return NULL;
        if (to > path)
            *to++ = '|';
        if (*from != '/')
            *to++ = '/', *to++ = '/';
        memcpy(to, from, (size_t)(at - from));
        to += at - from;
        *to = 0;
        if (!*at)
            return path;
    }
}

/* The match of an xsl:key. What is no pattern is a slip where libxslt finds nodes by it. */
static gx_status compile_key_match(gx_sheet *s, u32 node, const gx_within *w, u32 *first, u32 *n)
{
    gx_module *m = s->module;
    const char *match = gx_sheet_attribute(s, m, node, "", "match"), *path;
    double *priority;
    gx_status status = gx_sheet_compile_pattern(s, node, w, match, first, n, &priority);
    if (status == GX_OK && !*n)
        return gx_sheet_fail(s, m, node, "the pattern of an xsl:key may not be empty");
    if (status == GX_OK && begins_with_key(s, *first, *n))
        return gx_sheet_fail(s, m, node, "a key's match may not begin with key()");
    if (status != GX_ESTYLE || !gx_sheet_is_late(s) || !(path = match_as_path(s, match)))
        return status;
    const gx_error no_pattern = *s->err;
    gx_xpath_env env = gx_sheet_env(s, node, w);
    gx_sheet_forbid_variables(s, &env);
    if (gx_pattern_of_set(&env, path, first) != GX_OK) {
        *s->err = no_pattern;               /* its sentence quotes what is written */
        return status;
    }
    *s->err = no_pattern;
    *n = 1;
    return gx_sheet_slipped(s);
}

/* One xsl:key: a row of `keys` for each alternative of match, all with the same use. No variables (12.2). */
static gx_status compile_key(gx_sheet *s, const gx_named_declaration *k, gx_vec *keys)
{
    gx_module *m = s->module = k->at.module;
    const u32 node = k->at.node;
    u32 first, n, use;
    gx_within w = m->within;
    s->compiling_key = k->index;
    GX_TRY(compile_key_match(s, node, &w, &first, &n));
    gx_xpath_env env = gx_sheet_env(s, node, &w);
    gx_sheet_forbid_variables(s, &env);
    GX_TRY(gx_xpath_compile(&env, gx_sheet_attribute(s, m, node, "", "use"), GX_T_ANY, &use));
    for (u32 j = 0; j < n; j++) {
        const gx_key key = { k->index, first + j, use, gx_sheet_where(s, m, node), 0 };
        gx_builder_push(s->b, keys, &key);
    }
    return GX_OK;
}

static gx_status compile_each_key(gx_sheet *s, const gx_collected *c, gx_vec *keys)
{
    keys->n = s->key_uses.n = 0;
    for (u32 i = 0; i < c->keys.n; i++)
        GX_TRY(compile_key(s, GX_VEC_AT(&c->keys, gx_named_declaration, i), keys));
    s->compiling_key = GX_NONE;
    return GX_OK;
}

/* A key that depends on itself has nothing where it asks for itself, as libxslt finds it: a slip. Where there is one,
 * all keys are compiled again, and none of them may ask for it. */
static gx_status compile_keys(gx_sheet *s, const gx_collected *c)
{
    u8 *on_cycle = apr_pcalloc(s->pool, c->n_keys + 1);
    s->unasked_keys = apr_pcalloc(s->pool, c->n_keys + 1);
    gx_vec keys = { .size = sizeof(gx_key) };       /* the compiler's own ones are in s->b->keys already */
    GX_TRY(compile_each_key(s, c, &keys));
    if (gx_sheet_back_edges(s, (const gx_edge *)s->key_uses.at, s->key_uses.n, c->n_keys, on_cycle)) {
        s->unasked_keys = on_cycle;
        GX_TRY(compile_each_key(s, c, &keys));
    }
    for (u32 i = 0; i < keys.n; i++)
        gx_builder_push(s->b, &s->b->keys, GX_VEC_AT(&keys, gx_key, i));
    return GX_OK;
}

/* The bodies of all attribute sets: definitions of one name together. A set that uses itself, perhaps by others, is an
 * error (7.1.4). */
static gx_status compile_attribute_sets(gx_sheet *s, const gx_collected *c)
{
    for (u32 i = 0; i < c->n_sets; i++) {
        u32 body = gx_sheet_reserve_body(s);
        gx_builder_push(s->b, &s->set_bodies, &body);
    }
    gx_vec *definitions = apr_pcalloc(s->pool, (c->n_sets + 1) * sizeof *definitions);
    for (u32 i = 0; i < c->sets.n; i++) {
        const gx_named_declaration *one = GX_VEC_AT(&c->sets, gx_named_declaration, i);
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
    return gx_sheet_fail(s, d->module, d->node, "the attribute set %s uses itself",
                         gx_sheet_attribute(s, d->module, d->node, "", "name"));
}

/* '-'? Digits ('.' Digits?)? | '-'? '.' Digits. Exact for what people write: both parts of the quotient are. Where it
 * returns 0, *out is what libxslt takes it for: an exponent counts, "-" is 0, and what is no number is lower than all
 * others. */
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

/* A template's rules: one for each alternative of match, with its mode, import precedence and priority (5.5). A
 * simplified stylesheet is a template for "/". */
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
    gx_rule rule = { .body = t->body, .precedence = t->at.precedence, .import_low = t->at.low,
                     .where = gx_sheet_where(s, m, node) };
    GX_TRY(gx_sheet_mode(s, node, &w, simplified ? NULL : gx_sheet_attribute(s, m, node, "", "mode"), &rule.mode));
    GX_TRY(gx_sheet_compile_pattern(s, node, &w, match, &first, &n, &priority));
    for (u32 i = 0; i < n; i++) {
        rule.pattern = first + i;
        rule.priority = priority_text ? given : priority[i];
        gx_builder_push(s->b, &s->b->rules, &rule);
    }
    return GX_OK;
}

/* The stages in order; each needs the names that the one before has entered, and none the code of another one. The
 * start mode comes first, number 0. */
static gx_status compile_program(gx_sheet *s, const char *path)
{
    gx_collected c = { .keys = { .size = sizeof(gx_named_declaration) },
                       .sets = { .size = sizeof(gx_named_declaration) } };
    gx_sheet_new_mode(s, GX_NONE);
    GX_TRY(gx_sheet_load(s, path));
    GX_TRY(gx_sheet_collect(s, &c));

    gx_xpath_env env = gx_sheet_bare_env(s, path);
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
        GX_TRY(gx_sheet_go_on(s, t.at.module, t.at.node));
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

/* The passes are compile_program()'s; then the tables are packed to one block, and the stylesheet's own document is
 * added where document('') asks for it. Slips are told at the end. Memory and time are limited by options: b->stopped
 * then, without a place in a file. *out is malloc'd; all else is pool's. */
gx_status gx_compile(const char *path, const gx_compile_options *options, apr_pool_t *pool, gx_program **out,
                     gx_error *err)
{
    static const gx_compile_options none;
    gx_sheet s = { .pool = pool, .err = err, .options = options ? options : &none, .b = gx_builder_create(pool, err),
                   .compiling_global = GX_NONE, .compiling_set = GX_NONE, .compiling_key = GX_NONE,
                   .node_select = GX_NONE, .copy_test = GX_NONE,
                   .element_test = GX_NONE, .declarations = { .size = sizeof(gx_declaration) },
                   .templates = { .size = sizeof(gx_template) },
                   .user_functions = { .size = sizeof(gx_user_function) },
                   .global_at = { .size = sizeof(gx_declaration) }, .set_bodies = { .size = sizeof(u32) },
                   .set_uses = { .size = sizeof(gx_edge) }, .global_uses = { .size = sizeof(gx_edge) },
                   .key_uses = { .size = sizeof(gx_edge) }, .scope = { .size = sizeof(gx_scoped) },
                   .decls = { .size = sizeof(gx_nsdecl) },
                   .is_marked = { .size = 1 } };
    gx_builder_limit(s.b, s.options->memory, s.options->time_us);
    gx_builder_vendor(s.b, s.options->vendor, s.options->vendor_url);
    apr_hash_t **tables[] = { &s.documents, &s.slips, &s.own, &s.modes, &s.globals, &s.named, &s.keys,
                              &s.decimal_formats, &s.attribute_sets,
                              &s.functions, &s.aliases, &s.uris };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        *tables[i] = apr_hash_make(pool);
    s.b->rules_off = s.options->rules_off;
    s.b->flags |= GX_P_WITH_STRATEGY(s.options->strategy);
    s.b->options = s.options;
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
    if (s.b->stopped && status == s.b->stopped && !*err->file)          /* no place is the cause */
        apr_cpystrn(err->file, path, sizeof err->file);
    gx_sheet_slips_end(&s, path);
    if (status == GX_OK)
        *out = program;
    else
        free(program);
    return status;
}
