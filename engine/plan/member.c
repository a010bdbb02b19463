/* SPDX-License-Identifier: Apache-2.0 */
/*
 * member.c -- "is this node one of those?" as XPath 1.0 has to ask it
 *
 *   count(.|S) = count(S)                the node is in S: a union with it has no more nodes          ->
 *       set:has-same-node(., S)
 *   count(.|S) != count(S)               it is not                                                    ->  not(the same)
 *   generate-id(.) = generate-id(S)      the same where S has at most one node, by the context node's value (Muenchian
 *                                        grouping)
 *
 * with "." or current() on one side alone, the operands in any order, and <, <=, >, >= where they ask the same. Exact
 * also for an empty S: 1 is not 0, and no identifier is ''. S must be the same expression on both sides, and one that
 * gives the same when it is evaluated again: no call of the stylesheet's functions, no host step.
 *
 * Cost: one search of S a row, where a union and two counts were O(S) in time and memory.
 */
#include "rules.h"

#define MAX_OPERANDS 16u                /* of a union */

static int is_one(const gx_plan *n) { return n->op == GX_X_CONTEXT || n->op == GX_X_CURRENT; }

/* The operands of unions in unions from left to right: how many, MAX_OPERANDS + 1 for more */
static u32 operands(gx_plan *n, gx_plan **out, u32 have)
{
    if (n->op == GX_X_UNION)
        return operands(n->kids[1], out, operands(n->kids[0], out, have));
    if (have >= MAX_OPERANDS)
        return MAX_OPERANDS + 1;
    out[have] = n;
    return have + 1;
}

/* Is `more` the count of what `less` counts and one node? Then that is *one, and *set what less counts. */
static int is_counted(const gx_plan *more, gx_plan *less, gx_plan **one, gx_plan **set)
{
    gx_plan *left[MAX_OPERANDS], *right[MAX_OPERANDS];
    const int list = gx_plan_is_call(less, GX_F_COUNT);         /* else one operator counts, which stands for its set */
    if (!gx_plan_is_call(more, GX_F_COUNT) || more->kids[0]->op != GX_X_UNION || more->calls || more->hosted
        || (!list && less->op != GX_X_COUNT && less->op != GX_X_JOIN && !gx_plan_is_call(less, GX_F_KEY_COUNT)))
        return 0;
    const u32 n = operands(more->kids[0], left, 0), k = operands(list ? less->kids[0] : less, right, 0);
    if (n > MAX_OPERANDS || n != k + 1)
        return 0;
    for (u32 skip = 0; skip < n; skip++) {
        u32 same = 0;
        if (!is_one(left[skip]))
            continue;
        while (same < k && gx_plan_is_same(left[same + (same >= skip)], right[same]))
            same++;
        if (same < k)
            continue;
        *one = left[skip];
        *set = k == 1 ? left[!skip] : less->kids[0];
        return 1;
    }
    return 0;
}

/* Is it generate-id() of the context node beside that of at most one node, which depends on it? Where it does not, it
 * is a join's other side (plan/join.c). */
static int is_identified(const gx_plan *left, const gx_plan *right, gx_plan **one, gx_plan **set)
{
    if (!gx_plan_is_call(left, GX_F_GENERATE_ID) || !gx_plan_is_call(right, GX_F_GENERATE_ID)
        || left->kids[0]->op != GX_X_CONTEXT || !(right->kids[0]->deps & GX_DEP_CONTEXT)
        || !(right->kids[0]->set & GX_XS_SINGLE))
        return 0;
    *one = left->kids[0];
    *set = right->kids[0];
    return 1;
}

static gx_plan *member(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *one, *set, *left = n->kids[0], *right = n->kids[1];
    const u32 op = n->op;
    int in = op == GX_X_EQ || op == GX_X_LE, out = op == GX_X_NE || op == GX_X_GT;
    (void)demand;
    if (is_counted(right, left, &one, &set)) {
        in = op == GX_X_EQ || op == GX_X_GE;
        out = op == GX_X_NE || op == GX_X_LT;
    } else if (!is_counted(left, right, &one, &set)
               && (op > GX_X_NE
                   || (!is_identified(left, right, &one, &set) && !is_identified(right, left, &one, &set))))
        return NULL;
    if (!in && !out)                    /* one answer, whatever S is */
        return NULL;
    gx_plans args = gx_plans_with(p, gx_plans_with(p, gx_plans_none, one), set);
    gx_plan *member = gx_plan_func(p, GX_F_SET_HAS_SAME_NODE, GX_T_BOOL, n->at, args);
    return in ? member : gx_plan_not(p, member, n->at);
}

static const gx_rule_def rules[] = {
    { "member", GX_ON_COMPARE, GX_RULE_REWRITE, 0, member },
};
const gx_rules gx_rules_member = GX_RULES(rules);
