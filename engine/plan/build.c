/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.c -- from syntax to a plan
 *
 * Says what each construct means: which operator, with which operands, converted to which type (XPath 1.0, 3).
 *
 * Cost: O(nodes). C stack: the syntax tree's depth, at most GX_XPATH_DEPTH.
 */
#include <string.h>
#include <apr_strings.h>
#include "xpath/functions.h"
#include "rules.h"

/* A variable reference (XPath 1.0, 3.1) as a plan node: a global, or a local so many bodies out. Its type and plan are
 * those of its declaration, as far as they are known; within a predicate the plan is not followed, since its context
 * is another. A variable that is not declared is an error when it is evaluated, where the version is
 * forwards-compatible or the caller keeps such errors for then, else now (gx_plan_late). */
static gx_status variable(gx_planner *p, const gx_syntax *s, gx_plan **out)
{
    const gx_xpath_env *env = p->env;
    const char *uri;
    gx_variable var = { 0, 0, 0, GX_T_ANY, 0, NULL };
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
    *out = gx_plan_make(p, var.global ? GX_X_GLOBAL : GX_X_VAR, var.type == GX_T_NODE ? GX_T_SET : var.type, var.hops,
                        var.index, s->at, 0);
    (*out)->given = var.again ? GX_XS_AGAIN : 0;
    (*out)->origin = p->predicates ? NULL : var.plan;
    gx_plan_derive(*out);
    return GX_OK;
}

/* Is it a call of gx:twig(), and not of a stylesheet's function of that name? */
static int is_twig(gx_planner *p, const gx_syntax *s)
{
    const char *uri = *s->prefix && !strcmp(s->local, "twig") ? gx_xparse_uri(&p->text, s->prefix) : NULL;
    gx_callee callee;

    return uri && !strcmp(uri, GX_VENDOR_URI)
        && !(p->env->function && p->env->function(p->env->ctx, uri, s->local, &callee));
}

static gx_status call(gx_planner *p, const gx_syntax *s, gx_plan **out)
{
    gx_plans args = { apr_palloc(p->pool, s->n * sizeof *args.at), 0 };
    gx_syntax *distinct;
    for (const gx_syntax *kid = s->kids; kid; kid = kid->next) {
        if (is_twig(p, s)) {
            GX_TRY(gx_plan_distinct(p, kid, &distinct));
            GX_TRY(gx_plan_build(p, distinct, &args.at[args.n++]));
        } else
            GX_TRY(gx_plan_build(p, kid, &args.at[args.n++]));
    }
    return gx_plan_call(p, s->prefix, s->local, s->at, args, out);
}

/* Predicates in order (XPath 1.0, 2.4): a number stays one, as it is compared with position(), what is of no known
 * type is decided when it is evaluated, all else becomes a boolean. [true()] is dropped. *list is in the planner's
 * pool. */
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
