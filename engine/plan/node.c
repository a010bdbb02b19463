/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node.c -- making a plan's nodes, and lists of them
 */
#include <stdarg.h>
#include <string.h>
#include <apr_strings.h>
#include "plan.h"

gx_plan *gx_plan_make_of(gx_planner *p, u32 op, u32 type, u32 a, u32 b, u32 at, gx_plans kids, gx_plans preds)
{
    gx_builder_charge(p->env->b, sizeof(gx_plan));
    gx_plan *node = apr_pcalloc(p->pool, sizeof *node);
    node->op = (u8)op;
    node->type = (u8)type;
    node->a = (u16)a;
    node->b = b;
    node->at = at;
    node->n = kids.n;
    node->kids = kids.at;
    node->preds = preds;
    return gx_plan_derive(node);
}

gx_plan *gx_plan_make(gx_planner *p, u32 op, u32 type, u32 a, u32 b, u32 at, u32 n, ...)
{
    gx_builder_charge(p->env->b, n * sizeof(gx_plan *));
    gx_plans kids = { n ? apr_palloc(p->pool, n * sizeof *kids.at) : NULL, n };
    va_list args;
    va_start(args, n);
    for (u32 i = 0; i < n; i++)
        kids.at[i] = va_arg(args, gx_plan *);
    va_end(args);
    return gx_plan_make_of(p, op, type, a, b, at, kids, gx_plans_none);
}

gx_plan *gx_plan_copy(gx_planner *p, const gx_plan *node) { return apr_pmemdup(p->pool, node, sizeof *node); }

gx_plan *gx_plan_first_in_rounds(gx_planner *p, const gx_plan *step, gx_plans preds)
{
    gx_plan *first = gx_plan_copy(p, step);
    first->preds = gx_plans_with(p, preds, gx_plan_make(p, GX_X_NTH, GX_T_BOOL, 0, 1, step->at, 0));
    gx_plan_derive(first);
    return gx_plan_in_rounds(first) ? first : NULL;
}

gx_plan *gx_plan_num(gx_planner *p, double value, u32 at)
{
    gx_plan *node = gx_plan_make(p, GX_X_NUM, GX_T_NUM, 0, 0, at, 0);
    node->num = value;
    return node;
}

gx_plan *gx_plan_bool(gx_planner *p, int value, u32 at)
{
    return gx_plan_make(p, GX_X_BOOL, GX_T_BOOL, 0, value != 0, at, 0);
}

gx_plan *gx_plan_str(gx_planner *p, const char *s, u32 at)
{
    gx_plan *node = gx_plan_make(p, GX_X_STR, GX_T_STR, 0, 0, at, 0);
    node->str = s;
    return node;
}

gx_plan *gx_plan_context(gx_planner *p, u32 at) { return gx_plan_make(p, GX_X_CONTEXT, GX_T_SET, 0, 0, at, 0); }
gx_plan *gx_plan_root(gx_planner *p, u32 at) { return gx_plan_make(p, GX_X_ROOT, GX_T_SET, 0, 0, at, 0); }

gx_plans gx_plans_without(gx_planner *p, gx_plans list, u32 k)
{
    gx_builder_charge(p->env->b, list.n * sizeof *list.at);
    gx_plans rest = { apr_palloc(p->pool, list.n * sizeof *rest.at), list.n - 1 };
    memcpy(rest.at, list.at, k * sizeof *rest.at);
    memcpy(rest.at + k, list.at + k + 1, (list.n - k - 1) * sizeof *rest.at);
    return rest;
}

gx_plans gx_plans_with(gx_planner *p, gx_plans list, gx_plan *more)
{
    gx_builder_charge(p->env->b, list.n * sizeof *list.at);
    gx_plans all = { apr_palloc(p->pool, (list.n + 1) * sizeof *all.at), list.n + 1 };
    if (list.n)
        memcpy(all.at, list.at, list.n * sizeof *all.at);
    all.at[list.n] = more;
    return all;
}
