/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make.c -- the constructors: nodes with operands of the types that they want, offered to the rules as they are made
 *
 * Who builds a plan (build.c, call.c) and who rewrites one (the rules) makes nodes by these. Without rules a node is
 * what was asked for, word for word.
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

/* The step or filter n with other predicates, and the rules applied */
gx_plan *gx_plan_with(gx_planner *p, const gx_plan *n, gx_plans preds)
{
    return n->op == GX_X_FILTER ? gx_plan_filter(p, n->kids[0], preds, n->at)
        : gx_plan_step(p, n->kids[0], GX_STEP_AXIS(n->a), GX_STEP_TEST(n->a), n->b, preds, n->at);
}

gx_plan *gx_plan_func(gx_planner *p, u32 func, u32 type, u32 at, gx_plans args)
{
    return gx_rules_rewrite(p, gx_plan_make_of(p, GX_X_FUNC, type, func, args.n, at, args, gx_plans_none), GX_ON_CALL);
}

gx_plan *gx_plan_not(gx_planner *p, gx_plan *truth, u32 at)
{
    return gx_plan_func(p, GX_F_NOT, GX_T_BOOL, at, (gx_plans){ apr_pmemdup(p->pool, &truth, sizeof truth), 1 });
}

/* The string of a call that has a shorter way to it than its value: str:replace() of strings makes no tree. NULL: it
 * has none. */
gx_plan *gx_plan_string_of_call(gx_planner *p, gx_plan *node)
{
    if (gx_plan_is_call(node, GX_F_DATE_LEAP_YEAR)) {
        gx_plan *text = gx_plan_copy(p, node);
        text->a = GX_F_DATE_LEAP_YEAR_TEXT;
        text->type = GX_T_STR;
        return gx_plan_derive(text);
    }
    if (node->op == GX_X_CALL)              /* calls made together may give values of several types: strings of each,
                                               not of all */
        return gx_plan_make(p, GX_X_TO_STR, GX_T_STR, 0, 0, node->at, 1, node);
    if (node->op != GX_X_STEP || node->preds.n
        || (node->a & 0xfffu) != (GX_STEP_MAKE(GX_AXIS_CHILD, GX_TEST_NODE) | GX_STEP_SORTED)
        || !gx_plan_is_call(node->kids[0], GX_F_STR_REPLACE))
        return NULL;
    const gx_plan *call = node->kids[0];
    gx_plans args = gx_plans_none;
    for (u32 i = 0; i < call->n; i++) {
        gx_plan *arg = call->kids[i];
        if (i && (arg->type == GX_T_SET || arg->type == GX_T_ANY))
            return NULL;
        args = gx_plans_with(p, args, gx_plan_convert(p, arg, GX_T_STR));
    }
    return gx_plan_func(p, GX_F_STR_REPLACED, GX_T_STR, call->at, args);
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

/* ---- what is an error where it is reached ---- */

gx_plan *gx_plan_error(gx_planner *p, u32 at, const char *sentence)
{
    return gx_plan_func(p, GX_F_ERROR, GX_T_ANY, at, gx_plans_with(p, gx_plans_none, gx_plan_str(p, sentence, at)));
}

/* A call that cannot be made, or a variable that is not there: "a variable reference evaluates to the value", and it is
 * an error if there is none (XPath 3.1); a template that is never instantiated evaluates nothing. */
gx_status gx_plan_late(gx_planner *p, u32 at, const char *sentence, gx_plan **out)
{
    const gx_xpath_env *env = p->env;
    if (!env->forwards) {
        gx_status status = gx_xparse_fail(&p->text, at, "%s", sentence);
        if (!env->late)
            return status;
        env->late(env->ctx);
    }
    *out = gx_plan_error(p, at, sentence);
    return GX_OK;
}

gx_status gx_plan_late_failed(gx_planner *p, u32 at, gx_plan **out)
{
    const gx_xpath_env *env = p->env;
    const char *sentence = apr_pstrdup(p->pool, env->b->err->text);
    env->late(env->ctx);
    *out = gx_plan_error(p, at, sentence);
    return GX_OK;
}

gx_status gx_plan_uri(gx_planner *p, const char *prefix, u32 at, const char **uri, gx_plan **late)
{
    *late = NULL;
    *uri = gx_xparse_uri(&p->text, prefix);
    if (*uri)
        return GX_OK;
    *uri = "";
    return gx_plan_late(p, at, apr_psprintf(p->pool, "the prefix '%s' is not declared", prefix), late);
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
