/* SPDX-License-Identifier: Apache-2.0 */
/*
 * variable.c -- a variable that would hold a long list for each row, where what is asked of it needs none
 *
 *   <xsl:variable name="more" select="//row[@v > $v]"/>
 *   count( $more )                   ->   count( //row[@v > $v] )
 *   sum( $more/@w )                  ->   sum( //row[@v > $v]/@w )
 *   $more[@w > $w]                   ->   //row[@v > $v][@w > $w]          so with preceding::row and the like
 *
 * where the variable's node has what it was made of (plan/build.c: within the same body, outside of predicates). The
 * context node is the same there, and nothing else may be meant. What an equality finds is short and shared: that
 * stays. A variable that nobody asks for any more is not evaluated (xslt/body.c).
 *
 * Cost: what is asked is searched again for each who asks; as it stands each row has its list.
 */
#include "rules.h"

/* All that is before or behind the context node, siblings or all */
static int is_beside(const gx_plan *n)
{
    const u32 axis = GX_STEP_AXIS(n->a);
    return n->op == GX_X_STEP && n->kids[0]->op == GX_X_CONTEXT && !n->preds.n
        && (axis == GX_AXIS_PRECEDING || axis == GX_AXIS_PRECEDING_SIBLING || axis == GX_AXIS_FOLLOWING
            || axis == GX_AXIS_FOLLOWING_SIBLING);
}

/* Does it have a good part of a set for each row: by an axis, an order or an inequality, or what belongs to those
 * nodes? */
static int is_long(const gx_plan *n)
{
    const u32 op = n->a & 0xff;
    switch (n->op) {
    case GX_X_JOIN: return n->type == GX_T_SET && !n->b && op >= GX_X_NE && op <= GX_X_GE;
    case GX_X_UNION: return is_long(n->kids[0]) || is_long(n->kids[1]);
    case GX_X_CHOICE: return n->type == GX_T_SET && is_long(n->kids[2]);
    case GX_X_STEP: case GX_X_FILTER:
        return is_beside(n) || (!gx_plans_are_positional(n->preds) && is_long(n->kids[0]));
    default: return 0;
    }
}

/* What a variable was made of, if that is long */
static const gx_plan *made_of(const gx_plan *n)
{
    return n->op == GX_X_VAR && n->origin && is_long(n->origin) ? n->origin : NULL;
}

/* The path n with what the variable at its beginning was made of in its place; NULL: there is none */
static gx_plan *replaced(gx_planner *p, gx_plan *n)
{
    if (n->op == GX_X_VAR)
        return (gx_plan *)made_of(n);
    if (n->op != GX_X_STEP || n->preds.n)
        return NULL;
    gx_plan *input = replaced(p, n->kids[0]);
    return input ? gx_plan_step(p, input, GX_STEP_AXIS(n->a), GX_STEP_TEST(n->a), n->b, gx_plans_none, n->at) : NULL;
}

/*  count( $more )   ->   count( //row[@v > $v] )     where no list of these is made  */
static gx_plan *variable_asked(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *path = replaced(p, n);
    gx_plan *other = path ? gx_rules_demand(p, path, demand) : NULL;
    const int is_one = demand == GX_WANT_FIRST && other && other->type == GX_T_SET && other->set & GX_XS_SINGLE;
    const int is_part = other && (gx_plan_is_unordered(other) || gx_plan_is_call(other, GX_F_AXIS_RANGE));
    return other && (other->type == GX_T_NUM || is_one || is_part) ? other : NULL;
}

/*  $more[@w > $w]   ->   //row[@v > $v][@w > $w]     where a join finds that  */
static gx_plan *variable_filtered(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *made = made_of(n->kids[0]);
    (void)demand;
    if (!made || n->b || !gx_plans_are_plain(n->preds))
        return NULL;
    const gx_plan *set = is_beside(made) ? made
        : made->origin && (made->origin->op == GX_X_STEP || made->origin->op == GX_X_FILTER) ? made->origin : NULL;
    gx_plans preds = set ? set->preds : gx_plans_none;
    if (!set || !gx_plans_are_plain(preds))
        return NULL;
    for (u32 i = 0; i < n->preds.n; i++)
        preds = gx_plans_with(p, preds, n->preds.at[i]);
    gx_plan *other = gx_plan_with(p, set, preds);
    return gx_plan_is_indexed(other) ? other : NULL;
}

static const gx_rule_def rules[] = {
    { "variable-filtered", GX_ON_FILTER, GX_RULE_REWRITE, 0, variable_filtered },
    { "variable-asked", GX_ON_VARIABLE | GX_ON_STEP, GX_RULE_DEMAND,
      GX_WANT_END | GX_WANT_COUNT | GX_WANT_SUM | GX_WANT_COMPARED, variable_asked },
};
const gx_rules gx_rules_variable = GX_RULES(rules);
