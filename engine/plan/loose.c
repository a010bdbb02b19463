/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loose.c -- what a join by order finds, where the order of the nodes does not matter
 *
 *   sum( //row[@v < $v]/@w )        ->   sum-loose( loose( //row[@v < $v] )/@w )
 *   @w > //row[@v < $v]/@w          ->   @w > loose( //row[@v < $v] )/@w
 *   count( //row[@v < $v]/part )    ->   count( loose( //row[@v < $v] )/part )
 *
 * The nodes that a row finds are a part of one list, in the order of what is compared. To put them in document order,
 * each row needs a list of its own. Who adds, counts, or compares takes the parts as they are (machine/slices.h), and
 * so do steps on the way that lead from each node to nodes of its own.
 */
#include <apr_strings.h>
#include "rules.h"

static int is_order(u32 op) { return op >= GX_X_LT && op <= GX_X_GE; }

/* n with its join loosened; NULL: there is none, or the nodes would be others */
static gx_plan *loosened(gx_planner *p, const gx_plan *n)
{
    const u32 axis = n->op == GX_X_STEP ? GX_STEP_AXIS(n->a) : GX_AXIS_SELF;
    u32 k = 0;
    gx_plan *loose;
    if (n->op == GX_X_JOIN) {
        if (n->type != GX_T_SET || !is_order(n->a & 0xff) || n->a & GX_JOIN_LOOSE
            || (GX_JOIN_TWO(n->a) && !(n->a & GX_JOIN_ONE_USE)))
            return NULL;
        loose = gx_plan_copy(p, n);
        loose->a |= GX_JOIN_LOOSE;
        return gx_plan_derive(loose);
    }
    if (n->op == GX_X_CHOICE && n->type == GX_T_SET)
        k = 2;
    else if (n->op != GX_X_STEP || n->preds.n || GX_STEP_MOST(n->a)
             || (axis != GX_AXIS_CHILD && axis != GX_AXIS_ATTRIBUTE))
        return NULL;
    gx_plan *input = loosened(p, n->kids[k]), **kids;
    if (!input)
        return NULL;
    loose = gx_plan_copy(p, n);
    kids = apr_pmemdup(p->pool, n->kids, n->n * sizeof *kids);
    kids[k] = input;
    loose->kids = kids;
    return gx_plan_derive(loose);
}

static gx_plan *any_order(gx_planner *p, gx_plan *n, u32 demand)
{
    if (demand == GX_WANT_COUNT && n->op == GX_X_JOIN)
        return NULL;                    /* it counts */
    return loosened(p, n);
}

/*  boolean( join( ... )/x )   ->   count( loose( ... )/x ) > 0     where each row's nodes would be gone through  */
static gx_plan *some_in_any_order(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *loose = loosened(p, n), *count;
    (void)demand;
    if (!loose || n->kids[0]->op != GX_X_JOIN
        || gx_plan_call(p, "", "count", n->at, gx_plans_with(p, gx_plans_none, loose), &count))
        return NULL;
    return gx_plan_binary(p, GX_X_GT, count, gx_plan_num(p, 0, n->at), n->at);
}

static const gx_rule_def rules[] = {
    { "any-order", GX_ON_JOIN | GX_ON_STEP | GX_ON_CHOICE, GX_RULE_DEMAND,
      GX_WANT_COUNT | GX_WANT_SUM | GX_WANT_COMPARED, any_order },
    { "some-in-any-order", GX_ON_STEP, GX_RULE_DEMAND, GX_WANT_SOME, some_in_any_order },
};
const gx_rules gx_rules_loose = GX_RULES(rules);
