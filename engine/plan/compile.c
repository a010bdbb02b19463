/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.c -- expressions, attribute value templates and bare selections: what the rest of the compiler calls
 */
#include <string.h>
#include <apr_strings.h>
#include "rules.h"

/* What has no more to say than its string: of a set, that of the first node. No list of the others is made. */
static gx_plan *only_string(gx_planner *p, gx_plan *node)
{
    gx_plan *string = gx_plan_string_of_call(p, node);
    return string ? string : node->type == GX_T_SET ? gx_rules_demand(p, node, GX_WANT_FIRST) : node;
}

/* ( set )[position() <= n], or [last()] for GX_NONE */
static gx_plan *ends_of(gx_planner *p, gx_plan *set, u32 n)
{
    gx_plan *place = n != GX_NONE && n > 1 ? gx_plan_make(p, GX_X_RANGE, GX_T_BOOL, 1, n, set->at, 0)
        : gx_plan_make(p, GX_X_NTH, GX_T_BOOL, 0, n != GX_NONE, set->at, 0);
    return gx_plan_filter(p, set, gx_plans_with(p, gx_plans_none, place), set->at);
}

/* A text's plan, and the planner to go on with */
static gx_status plan_of(const gx_xpath_env *env, const char *text, u32 len, gx_planner *p, gx_plan **out)
{
    gx_xparse parse;
    gx_syntax *syntax;
    GX_TRY(gx_xparse_all(&parse, env, text, len, &syntax));
    gx_planner_begin(p, &parse);
    return gx_plan_build(p, syntax, out);
}

gx_status gx_xpath_compile(const gx_xpath_env *env, const char *text, u32 want, u32 *expr)
{
    gx_planner p;
    gx_plan *node;
    GX_TRY(plan_of(env, text, (u32)strlen(text), &p, &node));
    if (env->only_string)
        node = only_string(&p, node);
    else if (env->any_order && node->type == GX_T_SET)
        node = gx_rules_demand(&p, node, GX_WANT_COMPARED);
    if (env->first_of && node->type == GX_T_SET)
        node = ends_of(&p, node, env->first_of);
    if (env->plan)
        *env->plan = node;
    return gx_plan_emit(&p, node, want, expr);
}

/* ---- attribute value templates (XSLT 1.0, 7.6.2) ----------------------------------------------------------------- */

typedef struct avt {
    const gx_xpath_env *env;
    gx_planner whole;           /* of the template, for messages and as the code's source */
    gx_planner p;               /* of the expression last read */
    const char *at;             /* what is left of the text */
    int is_literal;             /* of a literal result element: libxslt takes it apart at once */
    int is_plain;               /* of an instruction, and has no "{": libxslt takes it as it stands */
} avt;

static void avt_begin(avt *t, const gx_xpath_env *env, const char *text)
{
    memset(t, 0, sizeof *t);
    t->env = env;
    t->at = text;
    const gx_xparse whole = {
        .env = env, .pool = env->b->pool, .noun = "attribute value template", .text = text, .len = (u32)strlen(text)
    };
    gx_planner_begin(&t->whole, &whole);
    t->p = t->whole;
}

/* An error where it is reached: the rest of the template is its expression. */
static gx_status avt_late(avt *t, const char *sentence, gx_plan **node)
{
    GX_TRY(gx_plan_late(&t->whole, (u32)(t->at - t->whole.text.text), sentence, node));
    t->p = t->whole;
    t->at += strlen(t->at);
    return GX_OK;
}

/* An expression in braces: up to the '}' that is in no literal. What is wrong in it is an error where it is reached, if
 * the template may have such. */
static gx_status avt_expression(avt *t, gx_plan **node)
{
    const char *from = t->at + 1, *to = from;
    for (char quote = 0; *to && (quote || *to != '}'); to++)        /* braces within literals do not count */
        quote = quote ? (*to == quote ? 0 : quote) : *to == '"' || *to == '\'' ? *to : 0;
    if (!*to)
        return t->is_literal ? gx_xparse_fail(&t->whole.text, (u32)(t->at - t->whole.text.text), "'{' is not closed")
                             : avt_late(t, "'{' is not closed", node);
    if (from + strspn(from, " \t\r\n") == to)
        return avt_late(t, "an expression expected between '{' and '}'", node);
    t->at = to + 1;
    const char *text = apr_pstrmemdup(t->p.pool, from, (apr_size_t)(to - from));
    const gx_status status = plan_of(t->env, text, (u32)(to - from), &t->p, node);
    if (status != GX_ESTYLE || t->is_literal || !t->env->late || t->env->forwards)
        return status;
    t->p = t->whole;
    return gx_plan_late_failed(&t->p, 0, node);
}

static const char lone_brace[] = "'}' stands alone: write '}}'";

/* The literal text up to the next expression, doubled braces as one. A lone '}' is a slip in an attribute without
 * expressions, else an error. */
static gx_status avt_literal(avt *t, const char **literal, gx_plan **node)
{
    const char *to = t->at;
    while (*to && (*to != '{' || to[1] == '{'))
        to += *to == '{' ? 2 : 1;
    char *out = apr_palloc(t->p.pool, (apr_size_t)(to - t->at) + 1);
    u32 n = 0;
    while (t->at < to) {
        if (*t->at == '{' || *t->at == '}') {
            if (t->at[1] == *t->at)
                t->at++;
            else if (t->is_plain)
                GX_TRY(gx_xparse_slip(&t->whole.text, (u32)(t->at - t->whole.text.text), lone_brace));
            else
                return avt_late(t, lone_brace, node);
        }
        out[n++] = *t->at++;
    }
    out[n] = 0;
    *literal = out;
    return GX_OK;
}

/* The next part: *literal, or an expression's tree *node. Both NULL: there is none. */
static gx_status avt_next(avt *t, const char **literal, gx_plan **node)
{
    *literal = NULL;
    *node = NULL;
    if (!*t->at)
        return GX_OK;
    return *t->at == '{' && t->at[1] != '{' ? avt_expression(t, node) : avt_literal(t, literal, node);
}

/* An attribute value template as parts, a literal or an expression each: an instruction's attributes, whose strings are
 * written one behind the other and never put together. */
gx_status gx_avt_compile(const gx_xpath_env *env, const char *text, gx_avt_part **parts, u32 *n)
{
    avt t;
    const char *literal;
    gx_plan *node;
    gx_vec list = { NULL, 0, 0, sizeof(gx_avt_part) };
    avt_begin(&t, env, text);
    t.is_literal = 1;
    for (;;) {
        gx_avt_part part = { GX_NONE, GX_NONE };
        GX_TRY(avt_next(&t, &literal, &node));
        if (node)
            GX_TRY(gx_plan_emit(&t.p, only_string(&t.p, node), GX_T_ANY, &part.expr));
        else if (literal)
            part.lit = gx_builder_lit(env->b, literal, strlen(literal));
        else
            break;
        gx_builder_push(env->b, &list, &part);
    }
    *parts = (gx_avt_part *)list.at;
    *n = list.n;
    return GX_OK;
}

/* An attribute value template as one expression, concat() of its parts. *literal: it has no expression, and this is its
 * value. */
gx_status gx_avt_expr(const gx_xpath_env *env, const char *text, u32 *expr, const char **literal)
{
    avt t;
    const char *part;
    gx_plan *node;
    gx_plans parts = gx_plans_none;
    u32 n = 0;
    avt_begin(&t, env, text);
    t.is_plain = env->slip && !strchr(text, '{');
    *literal = NULL;
    for (;;) {
        GX_TRY(avt_next(&t, &part, &node));
        if (!node && !part)
            break;
        if (++n > GX_XPATH_DEPTH)
            return gx_xparse_fail(&t.whole.text, 0, "more than %u parts", GX_XPATH_DEPTH);
        if (n == 1 && !node)
            *literal = part;
        if (!node)
            node = gx_plan_str(&t.p, part, 0);
        parts = gx_plans_with(&t.p, parts, gx_plan_convert(&t.p, node, GX_T_STR));
    }
    if (!n)
        *literal = "";
    if (!n || (n == 1 && *literal))
        return GX_OK;
    *literal = NULL;
    return gx_plan_emit(&t.whole, n == 1 ? parts.at[0] : gx_plan_func(&t.whole, GX_F_CONCAT, GX_T_STR, 0, parts),
                        GX_T_STR, expr);
}

/* ---- a program of one expression --------------------------------------------------------------------------------- */

typedef struct select_env { const gx_compile_options *options; const gx_select_scope *scope; } select_env;

static const char *option_namespace(void *ctx, const char *prefix)
{
    const gx_compile_options *options = ((const select_env *)ctx)->options;
    for (int i = 0; options && i < options->n_namespaces; i++)
        if (!strcmp(options->namespaces[i].name, prefix))
            return options->namespaces[i].value;
    return NULL;
}

static int scope_variable(void *ctx, const char *uri, const char *local, gx_variable *out)
{
    const gx_select_scope *scope = ((const select_env *)ctx)->scope;
    return scope->variable(scope->ctx, uri, local, out);
}

static const char *scope_text(void *ctx) { return ((const select_env *)ctx)->scope->in_scope; }

static u32 default_format_only(void *ctx, const char *uri, const char *local)
{
    (void)ctx, (void)uri, (void)local;
    return GX_NONE;
}

static void push_defaults(gx_builder *b)
{
    gx_decimal_format format = gx_builder_decimal_format(b);
    gx_output output = { GX_METHOD_UNSET, 2, 2, 2, GX_NONE, GX_NONE, GX_NONE, GX_NONE, GX_NONE, 0, 0 };
    gx_body body;
    gx_mode mode = { GX_NONE, 0, b->pnames.n, 2 * b->pnames.n, 0, 0 };
    gx_range none = { 0, 0 };
    memset(&body, 0, sizeof body);
    body.parent = body.template_name = GX_NONE;
    body.empty = 1;
    gx_builder_push(b, &b->decimal_formats, &format);
    gx_builder_push(b, &b->output, &output);
    gx_builder_push(b, &b->bodies, &body);
    gx_builder_push(b, &b->modes, &mode);
    for (u32 i = 0; i < 2 * b->pnames.n + GX_N_KINDS; i++)
        gx_builder_push(b, &b->dispatch, &none);
}

gx_status gx_compile_select(const char *expression, const gx_compile_options *options, apr_pool_t *pool,
                            gx_program **out, gx_error *err)
{
    return gx_select_compile(expression, options, NULL, pool, out, err);
}

/* One expression as a program of its own (GPUXPATH, --xpath, dyn:evaluate()): a global variable without a stylesheet
 * around it. scope: NULL, or the variables in sight of dyn:evaluate(). */
gx_status gx_select_compile(const char *expression, const gx_compile_options *options, const gx_select_scope *scope,
                            apr_pool_t *pool, gx_program **out, gx_error *err)
{
    select_env ctx = { options, scope };
    gx_builder *b = gx_builder_create(pool, err);
    gx_builder_limit(b, options ? options->memory : 0, options ? options->time_us : 0);
    gx_builder_vendor(b, options ? options->vendor : NULL, options ? options->vendor_url : NULL);
    b->options = options;
    if (options) {
        b->rules_off = options->rules_off;
        b->flags |= GX_P_WITH_STRATEGY(options->strategy);
    }
    gx_xpath_env env;
    gx_global value = { 0, GX_NONE, GX_NONE, 0, 0, 0 };
    memset(&env, 0, sizeof env);
    env.b = b;
    env.file = "";
    env.ctx = &ctx;
    env.namespace_uri = option_namespace;
    env.decimal_format = default_format_only;
    if (scope) {
        env.variable = scope_variable;
        env.in_scope = scope_text;
    } else {
        env.no_variables = "variables are not available here";
    }
    env.base_uri = scope ? scope->base_uri : "";
    gx_vec decls = { NULL, 0, 0, sizeof(gx_nsdecl) };
    for (int i = 0; options && i < options->n_namespaces; i++) {
        const gx_param *ns = &options->namespaces[i];
        gx_nsdecl decl = { gx_builder_lit(b, ns->name, strlen(ns->name)),
                           gx_builder_lit(b, ns->value, strlen(ns->value)) };
        gx_builder_push(b, &decls, &decl);
    }
    env.nslist = gx_builder_nslist(b, (gx_nsdecl *)decls.at, decls.n);
    GX_TRY(gx_xpath_compile(&env, expression, GX_T_ANY, &value.expr));
    b->flags |= GX_P_XPATH;
    value.name = gx_builder_qname(b, "", "", "");
    gx_builder_push(b, &b->globals, &value);
    push_defaults(b);
    return gx_builder_pack(b, out);
}
