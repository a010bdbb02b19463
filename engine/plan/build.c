/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.c -- from syntax to a plan
 *
 * Says what each construct means: which operator, with which operands, converted to which type (XPath 1.0, 3). Each
 * node is offered to the rules as it is made; without them the plan is the text, word for word.
 *
 * Cost: O(nodes). C stack: the syntax tree's depth, at most GX_XPATH_DEPTH.
 */
#include <apr_strings.h>
#include "rules.h"

gx_plan *gx_plan_step(gx_planner *p, gx_plan *input, u32 axis, u32 test, u32 name, gx_plans preds, u32 at)
{
    gx_plans kids = { apr_pmemdup(p->pool, &input, sizeof input), 1 };
    if (gx_plan_is_never(axis, test))
        test = GX_TEST_NEVER;
    return gx_rules_rewrite(p, gx_plan_make_of(p, GX_X_STEP, GX_T_SET, GX_STEP_MAKE(axis, test), name, at, kids, preds),
                            GX_ON_STEP);
}

gx_plan *gx_plan_filter(gx_planner *p, gx_plan *input, gx_plans preds, u32 at)
{
    gx_plans kids = { apr_pmemdup(p->pool, &input, sizeof input), 1 };
    if (!preds.n)
        return input;
    return gx_rules_rewrite(p, gx_plan_make_of(p, GX_X_FILTER, GX_T_SET, 0, 0, at, kids, preds), GX_ON_FILTER);
}

gx_plan *gx_plan_not(gx_planner *p, gx_plan *truth, u32 at)
{
    return gx_plan_func(p, GX_F_NOT, GX_T_BOOL, at, (gx_plans){ apr_pmemdup(p->pool, &truth, sizeof truth), 1 });
}

gx_plan *gx_plan_convert(gx_planner *p, gx_plan *node, u32 type)
{
    if (node->type == type)
        return node;
    if (node->type == GX_T_SET)         /* a boolean asks whether there is one */
        node = gx_rules_demand(p, node, type == GX_T_BOOL ? GX_WANT_SOME : GX_WANT_FIRST);
    if (node->type == type)
        return node;
    gx_plan *string = type == GX_T_STR ? gx_plan_string_of_call(p, node) : NULL;
    if (string)
        return string;
    const u32 op = type == GX_T_BOOL ? GX_X_TO_BOOL : type == GX_T_NUM ? GX_X_TO_NUM : GX_X_TO_STR;
    return gx_rules_rewrite(p, gx_plan_make(p, op, type, 0, 0, node->at, 1, node), GX_ON_CONVERT);
}

static const char *type_name(u32 type)
{
    static const char *const names[] = { "a value",  "a boolean",  "a number",
                                         "a string", "a node-set", "a result tree fragment" };
    return type < sizeof names / sizeof *names ? names[type] : names[0];
}

/* What can never be a node-set is an error for when the expression is reached. */
gx_status gx_plan_to_set(gx_planner *p, gx_plan **node, const char *what)
{
    gx_plan *n = *node;
    if (n->type == GX_T_SET)
        return GX_OK;
    if (n->type != GX_T_ANY && n->type != GX_T_RTF)
        GX_TRY(gx_plan_late(p, n->at, apr_psprintf(p->pool, "%s must be a node-set, not %s", what, type_name(n->type)),
                            &n));
    *node = gx_plan_make(p, GX_X_TO_SET, GX_T_SET, 0, 0, n->at, 1, n);
    return GX_OK;
}

static gx_plan *compared(gx_planner *p, gx_plan *operand)
{
    return operand->type == GX_T_SET ? gx_rules_demand(p, operand, GX_WANT_COMPARED) : operand;
}

gx_plan *gx_plan_binary(gx_planner *p, u32 op, gx_plan *left, gx_plan *right, u32 at)
{
    if (op == GX_X_OR || op == GX_X_AND) {
        left = gx_plan_convert(p, left, GX_T_BOOL);
        right = gx_plan_convert(p, right, GX_T_BOOL);
        return gx_rules_rewrite(p, gx_plan_make(p, op, GX_T_BOOL, 0, 0, at, 2, left, right), GX_ON_LOGIC);
    }
    if (op >= GX_X_ADD) {
        left = gx_plan_convert(p, left, GX_T_NUM);
        right = gx_plan_convert(p, right, GX_T_NUM);
        return gx_rules_rewrite(p, gx_plan_make(p, op, GX_T_NUM, 0, 0, at, 2, left, right), GX_ON_ARITHMETIC);
    }
    gx_plan *node = gx_plan_make(p, op, GX_T_BOOL, 0, 0, at, 2, left, right),
            *other = gx_rules_rewrite(p, node, GX_ON_COMPARE);
    if (other != node)
        return other;
    gx_plan *x = compared(p, left), *y = compared(p, right);
    return x == left && y == right ? node : gx_plan_make(p, op, GX_T_BOOL, 0, 0, at, 2, x, y);
}

static gx_status variable(gx_planner *p, const gx_syntax *s, gx_plan **out)
{
    const gx_xpath_env *env = p->env;
    const char *uri;
    gx_variable var = { 0, 0, 0, GX_T_ANY };
    GX_TRY(gx_plan_uri(p, s->prefix, s->at, &uri, out));
    if (*out)
        return GX_OK;
    if (!env->variable)
        return gx_xparse_fail(&p->text, s->at, "%s",
                              env->no_variables ? env->no_variables : "variables are not allowed here");
    if (!env->variable(env->ctx, uri, s->local, &var))
        return gx_plan_late(p, s->at,
                            apr_psprintf(p->pool, "the variable $%s%s%s is not declared", s->prefix,
                                         *s->prefix ? ":" : "", s->local),
                            out);
    if (var.hops > 0xffff)
        return gx_xparse_fail(&p->text, s->at, "instructions are nested too deeply around $%s", s->local);
    *out = gx_plan_make(p, var.global ? GX_X_GLOBAL : GX_X_VAR, var.type == GX_T_NODE ? GX_T_SET : var.type, var.hops, var.index, s->at, 0);
    return GX_OK;
}

static gx_status call(gx_planner *p, const gx_syntax *s, gx_plan **out)
{
    gx_plans args = { apr_palloc(p->pool, s->n * sizeof *args.at), 0 };
    for (const gx_syntax *kid = s->kids; kid; kid = kid->next)
        GX_TRY(gx_plan_build(p, kid, &args.at[args.n++]));
    return gx_plan_call(p, s->prefix, s->local, s->at, args, out);
}

gx_status gx_plan_predicates(gx_planner *p, const gx_syntax *step, gx_plans *list, int *positional)
{
    u32 n = 0;
    for (const gx_syntax *s = step->preds; s; s = s->next)
        n++;
    gx_plans all = { n ? apr_palloc(p->pool, n * sizeof *all.at) : NULL, 0 };
    for (const gx_syntax *s = step->preds; s; s = s->next) {
        gx_plan *pred;
        p->predicates++;
        GX_TRY(gx_plan_build(p, s, &pred));
        pred = gx_rules_rewrite(p, pred, GX_ON_PREDICATE);
        if (pred->type != GX_T_NUM && pred->type != GX_T_ANY)
            pred = gx_plan_convert(p, pred, GX_T_BOOL);
        p->predicates--;
        if (pred->op != GX_X_BOOL || !pred->b || !gx_rule_is_on(p, GX_RULE_TRUE))
            all.at[all.n++] = pred;
    }
    *list = all;
    *positional = gx_plans_are_positional(all);
    return GX_OK;
}

static gx_status step(gx_planner *p, const gx_syntax *s, gx_plan **out)
{
    gx_plan *input;
    gx_plans preds;
    int positional;
    GX_TRY(gx_plan_build(p, s->kids, &input));
    if (s->deep)
        input = gx_plan_step(p, input, GX_AXIS_DESCENDANT_OR_SELF, GX_TEST_NODE, 0, gx_plans_none, s->at);
    if (s->prefix) {                    /* the step is one from a set that cannot be had */
        const char *uri;
        GX_TRY(gx_plan_uri(p, s->prefix, s->undeclared_at, &uri, &input));
        GX_TRY(gx_plan_to_set(p, &input, "what a path begins with"));
    }
    GX_TRY(gx_plan_predicates(p, s, &preds, &positional));
    *out = gx_plan_step(p, input, s->axis, s->test, s->name, preds, s->at);
    return GX_OK;
}

static gx_status filter(gx_planner *p, const gx_syntax *s, gx_plan **out)
{
    gx_plan *input;
    gx_plans preds;
    int positional;
    GX_TRY(gx_plan_build(p, s->kids, &input));
    GX_TRY(gx_plan_to_set(p, &input, s->preds ? "what a predicate filters" : "what a path begins with"));
    GX_TRY(gx_plan_predicates(p, s, &preds, &positional));
    *out = gx_plan_filter(p, input, preds, s->at);
    return GX_OK;
}

static gx_status pair(gx_planner *p, const gx_syntax *s, gx_plan **out)
{
    gx_plan *left, *right;
    GX_TRY(gx_plan_build(p, s->kids, &left));
    GX_TRY(gx_plan_build(p, s->kids->next, &right));
    if (s->kind == GX_S_BINARY) {
        *out = gx_plan_binary(p, s->op, left, right, s->at);
        return GX_OK;
    }
    GX_TRY(gx_plan_to_set(p, &left, "the left side of '|'"));
    GX_TRY(gx_plan_to_set(p, &right, "the right side of '|'"));
    *out = gx_plan_make(p, GX_X_UNION, GX_T_SET, 0, 0, s->at, 2, left, right);
    return GX_OK;
}

static gx_status negate(gx_planner *p, const gx_syntax *s, gx_plan **out)
{
    gx_plan *value;
    GX_TRY(gx_plan_build(p, s->kids, &value));
    value = gx_plan_convert(p, value, GX_T_NUM);
    *out = s->op == 2 ? value           /* --x is number(x) */
        : gx_rules_rewrite(p, gx_plan_make(p, GX_X_NEG, GX_T_NUM, 0, 0, s->at, 1, value), GX_ON_ARITHMETIC);
    return GX_OK;
}

gx_status gx_plan_build(gx_planner *p, const gx_syntax *s, gx_plan **out)
{
    GX_TRY(gx_builder_go_on(p->env->b, p->env->file, p->env->line, p->env->column));
    switch (s->kind) {
    case GX_S_NUMBER: *out = gx_plan_num(p, s->num, s->at); return GX_OK;
    case GX_S_LITERAL: *out = gx_plan_str(p, s->local, s->at); return GX_OK;
    case GX_S_VARIABLE: return variable(p, s, out);
    case GX_S_CALL: return call(p, s, out);
    case GX_S_CONTEXT: *out = gx_plan_context(p, s->at); return GX_OK;
    case GX_S_ROOT: *out = gx_plan_root(p, s->at); return GX_OK;
    case GX_S_STEP: return step(p, s, out);
    case GX_S_FILTER: return filter(p, s, out);
    case GX_S_NEGATE: return negate(p, s, out);
    default: return pair(p, s, out);
    }
}
