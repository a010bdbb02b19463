/* SPDX-License-Identifier: Apache-2.0 */
/*
 * truth.c -- comparisons of truths, as the conditions that they are
 *
 *   (@k = $k) = true()                       ->   @k = $k
 *   number(@k = $k) = 1                      ->   @k = $k              (@k = $k) > 0   the same
 *   string(@k = $k) = 'false'                ->   not(@k = $k)
 *   (@k = $k) + (@s = $s) = 1                ->   @k = $k and not(@s = $s) or not(@k = $k) and @s = $s
 *   boolean(tag) = boolean($row/tag)         ->   number(boolean(tag)) = number(boolean($row/tag))    in a predicate
 *
 * A join finds numbers; truths it does not know. Each rule gives the same truth for every value (XPath 1.0, 3.4).
 */
#include <string.h>
#include "rules.h"

/*  b = true()   ->   b          b != true()   ->   not(b)          not( not(b) )   ->   b          of a truth b, so
 * that what it compares can be found  */
static gx_plan *truth_itself(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (gx_plan_is_call(n, GX_F_NOT)) {
        const gx_plan *inner = n->kids[0];
        return gx_plan_is_call(inner, GX_F_NOT) && inner->kids[0]->type == GX_T_BOOL ? inner->kids[0] : NULL;
    }
    if (n->op != GX_X_EQ && n->op != GX_X_NE)
        return NULL;
    const int turned = n->kids[0]->op == GX_X_BOOL;
    gx_plan *truth = n->kids[turned];
    const gx_plan *value = n->kids[!turned];
    if (truth->type != GX_T_BOOL || value->op != GX_X_BOOL)
        return NULL;
    return (value->b != 0) == (n->op == GX_X_EQ) ? truth : gx_plan_not(p, truth, n->at);
}

static int holds(u32 op, double x, double y)
{
    return op == GX_X_EQ ? x == y : op == GX_X_NE ? x != y : op == GX_X_LT ? x < y : op == GX_X_LE ? x <= y
        : op == GX_X_GT ? x > y : x >= y;
}

/* Does `side op constant` hold where the truth that side consists of is `is`? -1: it is no truth, or not known */
static int holds_for(const gx_plan *side, u32 op, const gx_plan *constant, int is)
{
    const int equality = op == GX_X_EQ || op == GX_X_NE;
    if (side->op == GX_X_TO_STR && equality && constant->op == GX_X_STR)
        return !strcmp(is ? "true" : "false", constant->str) == (op == GX_X_EQ);
    if (side->op == GX_X_TO_STR || constant->op != GX_X_NUM)
        return -1;
    if (side->type == GX_T_BOOL && equality)    /* the number is a truth then */
        return holds(op, is, constant->num < 0 || constant->num > 0);
    return holds(op, is, constant->num);
}

/*  number( b ) = 1   ->   b          b > 0   ->   b          string( b ) = 'false'   ->   not( b )     of a truth b  */
static gx_plan *truth_compared(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (n->op < GX_X_EQ || n->op > GX_X_GE)
        return NULL;
    const int turned = n->kids[0]->op == GX_X_NUM || n->kids[0]->op == GX_X_STR;
    gx_plan *side = n->kids[turned];
    gx_plan *truth = side->op == GX_X_TO_NUM || side->op == GX_X_TO_STR ? side->kids[0] : side;
    if (truth->type != GX_T_BOOL || truth->op == GX_X_BOOL || truth->calls || truth->hosted || truth->fails)
        return NULL;
    const u32 op = turned ? gx_xop_turned(n->op) : n->op;
    const int if_not = holds_for(side, op, n->kids[!turned], 0), if_is = holds_for(side, op, n->kids[!turned], 1);
    if (if_not < 0 || if_is < 0)
        return NULL;
    return if_not == if_is ? gx_plan_bool(p, if_is, n->at) : if_is ? truth : gx_plan_not(p, truth, n->at);
}

/*  [boolean( a ) = boolean( $b )]   ->   [number( boolean( a ) ) = number( boolean( $b ) )]     one is the candidate's,
 *                                                                                               one the frame's  */
static gx_plan *truths_equal(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *sides[2];
    (void)demand;
    if ((n->op != GX_X_EQ && n->op != GX_X_NE) || !p->predicates)
        return NULL;
    for (u32 i = 0; i < 2; i++) {
        const gx_plan *side = n->kids[i], *other = n->kids[!i];
        if (side->type != GX_T_BOOL || side->calls || side->hosted || side->fails)
            return NULL;
        if (side->deps != GX_DEP_CONTEXT && other->deps != GX_DEP_CONTEXT)
            return NULL;
        if (side->deps & GX_DEP_CONTEXT ? side->deps != GX_DEP_CONTEXT
                                        : !(side->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT)))
            return NULL;
        sides[i] = gx_plan_convert(p, n->kids[i], GX_T_NUM);
    }
    if (n->kids[0]->deps == n->kids[1]->deps)
        return NULL;
    gx_plan *same = gx_plan_binary(p, GX_X_EQ, sides[0], sides[1], n->at);
    return n->op == GX_X_EQ ? same : gx_plan_not(p, same, n->at);
}

#define MAX_TRUTHS 3u

/* The truths that a number adds up, and the rest that is a constant; 0: it adds something else */
static int truths_of(gx_plan *n, gx_plan **truths, u32 *many, double *rest)
{
    if (n->op == GX_X_ADD)
        return truths_of(n->kids[0], truths, many, rest) && truths_of(n->kids[1], truths, many, rest);
    if (n->op == GX_X_NUM) {
        *rest += n->num;
        return 1;
    }
    if (n->op != GX_X_TO_NUM || n->kids[0]->type != GX_T_BOOL || *many == MAX_TRUTHS)
        return 0;
    truths[(*many)++] = n->kids[0];
    return 1;
}

/*  [number( a ) + number( b ) = 1]   ->   [a and not( b ) or not( a ) and b]     for each choice of truths whose sum
 *                                                                                meets it  */
static gx_plan *truths_added(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *truths[MAX_TRUTHS], *any = NULL;
    u32 many = 0, met = 0;
    double rest = 0;
    (void)demand;
    if (!p->predicates || n->op < GX_X_EQ || n->op > GX_X_GE || n->calls || n->hosted || n->fails)
        return NULL;
    const int turned = n->kids[0]->op == GX_X_NUM;
    const u32 op = turned ? gx_xop_turned(n->op) : n->op;
    if (n->kids[turned]->op != GX_X_ADD || n->kids[!turned]->op != GX_X_NUM
        || !truths_of(n->kids[turned], truths, &many, &rest) || many < 2)
        return NULL;
    for (u32 choice = 0; choice < 1u << many; choice++) {
        u32 sum = 0;
        gx_plan *all = NULL;
        for (u32 i = 0; i < many; i++)
            sum += choice >> i & 1;
        if (!holds(op, sum + rest, n->kids[!turned]->num))
            continue;
        met++;
        for (u32 i = 0; i < many; i++) {
            gx_plan *truth = choice >> i & 1 ? truths[i] : gx_plan_not(p, truths[i], n->at);
            all = all ? gx_plan_binary(p, GX_X_AND, all, truth, n->at) : truth;
        }
        any = any ? gx_plan_binary(p, GX_X_OR, any, all, n->at) : all;
    }
    return any && met < 1u << many ? any : gx_plan_bool(p, met != 0, n->at);
}

static const gx_rule_def rules[] = {
    { "truths-added", GX_ON_COMPARE, GX_RULE_REWRITE, 0, truths_added },
    { "truth-itself", GX_ON_COMPARE | GX_ON_CALL, GX_RULE_REWRITE, 0, truth_itself },
    { "truth-compared", GX_ON_COMPARE, GX_RULE_REWRITE, 0, truth_compared },
    { "truths-equal", GX_ON_COMPARE, GX_RULE_REWRITE, 0, truths_equal },
};
const gx_rules gx_rules_truth = GX_RULES(rules);
