/* SPDX-License-Identifier: Apache-2.0 */
/*
 * axis_range.c -- what is counted, added or compared of what precedes or follows a node, its siblings or all nodes
 *
 *   sum(preceding-sibling::row/@v)              ->     sum(axis-range( ../row/@v, ., preceding-sibling ))
 *   count(preceding-sibling::row[@v > 50])      ->     count(axis-range( ../row[@v > 50], ., preceding-sibling ))
 *   @v > preceding-sibling::row/@v              ->     the same: running totals, numbers and records
 *   not(@v > following::row/@v)                 ->     not(@v > axis-range( //row/@v, ., following ))
 *
 * As they stand each row makes a list of its own, rows x siblings in all. But the first argument depends on the parent
 * alone, so the siblings share it (SIBLINGS), and in document order what belongs to those before a node stands before
 * the node, and what belongs to those behind it behind all that is below it: a row's nodes are a part of that set,
 * found by halving, and stay where they are. Who goes through them goes on from the row before (gx_sum,
 * gx_to_extremes). Of all that is before or behind only nodes and their attributes: children of theirs may stand
 * behind, of one that is around it.
 *
 * Only for who wants no more than a number: a set that is walked is as long as it is, and a first node is found without
 * the others.
 */
#include "rules.h"

static int is_sibling(const gx_plan *step)
{
    return GX_STEP_AXIS(step->a) == GX_AXIS_PRECEDING_SIBLING || GX_STEP_AXIS(step->a) == GX_AXIS_FOLLOWING_SIBLING;
}

/* The set of which the axis of each row is a range: the step's nodes of the parent, or of the whole tree */
static gx_plan *all_of_axis(gx_planner *p, const gx_plan *step, const gx_plan *first)
{
    const u32 test = GX_STEP_TEST(step->a);
    if (step != first)
        return gx_plan_step(p, all_of_axis(p, gx_plan_step_of(step->kids[0]), first), GX_STEP_AXIS(step->a), test,
                            step->b, step->preds, step->at);
    if (!is_sibling(first))
        return gx_plan_step(p, gx_plan_root(p, first->at), GX_AXIS_DESCENDANT, test, first->b, first->preds, first->at);
    gx_plan *parent =
        gx_plan_step(p, gx_plan_context(p, first->at), GX_AXIS_PARENT, GX_TEST_NODE, 0, gx_plans_none, first->at);
    return gx_plan_step(p, parent, GX_AXIS_CHILD, test, first->b, first->preds, first->at);
}

/* The rule above, for a count, a sum or a comparison. Not where a step on the way leaves the context's tree, calls,
 * counts positions, or is one that count-on-axis counts without a list. */
static gx_plan *axis_range(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *set = gx_plan_step_of(n), *first = set;
    u32 axis;
    if (set->op != GX_X_STEP || gx_plan_is_call(n, GX_F_AXIS_RANGE) || (n != set && demand == GX_WANT_COUNT))
        return NULL;
    if (set->deps & ~(GX_DEP_CONTEXT | GX_DEP_TREE) || set->calls || set->hosted || set->fails)
        return NULL;
    if (demand == GX_WANT_COUNT && !set->preds.n && set->kids[0]->op == GX_X_CONTEXT)
        return NULL;                    /* count-on-axis makes no list either */
    for (; first->kids[0]->op != GX_X_CONTEXT; first = gx_plan_step_of(first->kids[0])) {
        axis = GX_STEP_AXIS(first->a);
        if (gx_plan_step_of(first->kids[0])->op != GX_X_STEP
            || (axis != GX_AXIS_CHILD && axis != GX_AXIS_ATTRIBUTE && axis != GX_AXIS_SELF && axis != GX_AXIS_DESCENDANT
                && axis != GX_AXIS_DESCENDANT_OR_SELF))
            return NULL;
    }
    axis = GX_STEP_AXIS(first->a);
    const int is_attribute = set != first && gx_plan_step_of(set->kids[0]) == first
        && GX_STEP_AXIS(set->a) == GX_AXIS_ATTRIBUTE;
    if (!is_sibling(first)
        && ((axis != GX_AXIS_PRECEDING && axis != GX_AXIS_FOLLOWING) || (set != first && !is_attribute)))
        return NULL;
    if (gx_plans_are_positional(first->preds))
        return NULL;
    gx_plan *call = gx_plan_make(p, GX_X_FUNC, GX_T_SET, GX_F_AXIS_RANGE, 3, set->at, 3, all_of_axis(p, set, first),
                                 gx_plan_context(p, set->at), gx_plan_num(p, axis, set->at));
    call->given = set->set & GX_XS_FLAT;
    call->origin = set;
    return gx_plan_derive(call);
}

static const gx_rule_def rules[] = {
    { "axis-range", GX_ON_STEP | GX_ON_CALL | GX_ON_FILTER, GX_RULE_DEMAND,
      GX_WANT_COUNT | GX_WANT_SUM | GX_WANT_COMPARED, axis_range },
};
const gx_rules gx_rules_axis_range = GX_RULES(rules);
