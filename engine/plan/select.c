/*
 * select.c -- predicates as conditions that are met together, or one or the other
 *
 *   //row[@id = $x or @alt = $y]             ->   //row[@id = $x] | //row[@alt = $y]
 *   //row[not(@a != $x or @b = $y)]          ->   //row[not(@a != $x)][not(@b = $y)]
 *   //row[$all or @id = $x]                  ->   at( //row, $all ) | //row[@id = $x]
 *   (a | b)[@k = $x]                         ->   a[@k = $x] | b[@k = $x]
 *   count( //row[not(@k = $x)] )             ->   count( //row ) - count( //row[@k = $x] )
 *
 * Each of these is worth it only where what comes of it is a look-up or a join: else the set is walked twice instead of once, and the
 * rule says no. None applies where a predicate counts positions, calls a function of the stylesheet or may be an error: then it matters for
 * which nodes, and in which order, it is evaluated.
 */
#include <apr_strings.h>
#include "rules.h"

static int is_plain(const gx_plan *pred) { return !gx_plan_is_positional(pred) && !pred->calls && !pred->hosted && !pred->fails; }

static int are_plain(gx_plans preds)
{
    for (u32 i = 0; i < preds.n; i++)
        if (!is_plain(preds.at[i]))
            return 0;
    return 1;
}

/* Is it found by a look-up or a join, rather than by walking a set? */
static int is_found(const gx_plan *n)
{
    while (n->op == GX_X_FILTER)
        n = n->kids[0];
    return n->op == GX_X_JOIN || n->op == GX_X_CHOICE || (n->op == GX_X_AT && n->type == GX_T_SET)
        || (n->op == GX_X_FUNC && n->a >= GX_F_KEY && n->a <= GX_F_KEY_NEAREST)
        || (n->op == GX_X_UNION && is_found(n->kids[0]) && is_found(n->kids[1]));
}

/* The step or filter n with other predicates, and the rules applied */
static gx_plan *with(gx_planner *p, const gx_plan *n, gx_plans preds)
{
    return n->op == GX_X_FILTER ? gx_plan_filter(p, n->kids[0], preds, n->at)
        : gx_plan_step(p, n->kids[0], GX_STEP_AXIS(n->a), GX_STEP_TEST(n->a), n->b, preds, n->at);
}

/* Appends the conditions that `truth`, or with negative its opposite, consists of */
static void conjuncts(gx_planner *p, gx_plan *truth, int negative, gx_plans *list)
{
    if (gx_plan_is_call(truth, GX_F_NOT)) {
        conjuncts(p, truth->kids[0], !negative, list);
    } else if (truth->op == (negative ? GX_X_OR : GX_X_AND)) {
        conjuncts(p, truth->kids[0], negative, list);
        conjuncts(p, truth->kids[1], negative, list);
    } else if (negative && truth->op == GX_X_AND) {
        *list = gx_plans_with(p, *list, gx_plan_binary(p, GX_X_OR, gx_plan_not(p, truth->kids[0], truth->at),
                                                       gx_plan_not(p, truth->kids[1], truth->at), truth->at));
    } else {
        *list = gx_plans_with(p, *list, negative ? gx_plan_not(p, truth, truth->at) : truth);
    }
}

/*  set[a and not(b or c)]   ->   set[a][not(b)][not(c)]     where that makes one of them a look-up  */
gx_plan *gx_rule_conjuncts(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plans list = gx_plans_none;
    (void)demand;
    if (!n->preds.n || !are_plain(n->preds) || (n->op == GX_X_FILTER && n->b))
        return NULL;
    for (u32 i = 0; i < n->preds.n; i++)
        conjuncts(p, n->preds.at[i], 0, &list);
    if (list.n == n->preds.n)
        return NULL;
    gx_plan *other = with(p, n, list);
    return is_found(other) ? other : NULL;
}

/* The predicates with another one in the k-th's place; one that is the frame's alone keeps all nodes or none, where they are */
static gx_plans with_side(gx_planner *p, gx_plans preds, u32 k, gx_plan *side)
{
    gx_plans list = gx_plans_none;
    const int of_frame = side->deps && !(side->deps & ~(GX_DEP_LOCAL | GX_DEP_CURRENT));
    if (of_frame)
        list = gx_plans_with(p, list, gx_plan_make(p, GX_X_AT, GX_T_BOOL, GX_AT_ANY, 0, side->at, 1, side));
    for (u32 i = 0; i < preds.n; i++)
        if (i != k || !of_frame)
            list = gx_plans_with(p, list, i == k ? side : preds.at[i]);
    return list;
}

static gx_plan *either(gx_planner *p, gx_plan *n)
{
    if (!are_plain(n->preds))
        return NULL;
    for (u32 k = 0; k < n->preds.n; k++) {
        const gx_plan *both = n->preds.at[k];
        if (both->op != GX_X_OR)
            continue;
        gx_plan *left = with(p, n, with_side(p, n->preds, k, both->kids[0]));
        if (!is_found(left))
            continue;
        gx_plan *right = with(p, n, with_side(p, n->preds, k, both->kids[1]));
        if (is_found(right))
            return gx_plan_make(p, GX_X_UNION, GX_T_SET, 0, 0, n->at, 2, left, right);
    }
    return NULL;
}

/*  x[a or b]   ->   x[a] | x[b]  */
gx_plan *gx_rule_or_step(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    return n->preds.n ? either(p, n) : NULL;
}

gx_plan *gx_rule_or_filter(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    return n->b ? NULL : either(p, n);
}

/*  (x/y)[p]   ->   x/y[p]     where p does not count positions  */
gx_plan *gx_rule_filter_step(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *step = n->kids[0];
    gx_plans preds = step->preds;
    (void)demand;
    if (n->b || step->op != GX_X_STEP || gx_plans_are_positional(step->preds) || gx_plans_are_positional(n->preds))
        return NULL;
    for (u32 i = 0; i < n->preds.n; i++)
        preds = gx_plans_with(p, preds, n->preds.at[i]);
    gx_plan *other = with(p, step, preds);
    return is_found(other) ? other : NULL;
}

/*  (a | b)[p]   ->   a[p] | b[p]  */
gx_plan *gx_rule_filter_union(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *both = n->kids[0];
    (void)demand;
    if (n->b || both->op != GX_X_UNION || !are_plain(n->preds))
        return NULL;
    gx_plan *left = gx_plan_filter(p, both->kids[0], n->preds, n->at), *right = gx_plan_filter(p, both->kids[1], n->preds, n->at);
    return is_found(left) && is_found(right) ? gx_plan_make(p, GX_X_UNION, GX_T_SET, 0, 0, n->at, 2, left, right) : NULL;
}

/*  count( x[not(p)] )   ->   count( x ) - count( x[p] )     where the second is found: what is left out is few  */
gx_plan *gx_rule_count_not(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (!n->preds.n || !are_plain(n->preds) || (n->op == GX_X_FILTER && n->b))
        return NULL;
    for (u32 k = 0; k < n->preds.n; k++) {
        gx_plan *pred = n->preds.at[k];
        if (!gx_plan_is_call(pred, GX_F_NOT))
            continue;
        gx_plan *out = with(p, n, with_side(p, n->preds, k, pred->kids[0]));
        if (!is_found(out))
            continue;
        gx_plan *all = with(p, n, gx_plans_without(p, n->preds, k)), *counts[2] = { all, out };
        for (u32 i = 0; i < 2; i++)
            if (gx_plan_call(p, "", "count", n->at, (gx_plans){ apr_pmemdup(p->pool, &counts[i], sizeof counts[i]), 1 }, &counts[i]))
                return NULL;
        return gx_plan_binary(p, GX_X_SUB, counts[0], counts[1], n->at);
    }
    return NULL;
}

static int is_atom(const gx_plan *n) { return n->type == GX_T_STR || n->type == GX_T_NUM || n->type == GX_T_BOOL; }

/*  not( 'a' != $n )   ->   'a' = $n     of values that are no node-sets, NaN too: it is unequal to itself  */
gx_plan *gx_rule_not_compared(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (n->a != GX_F_NOT)               /* another call may have no argument */
        return NULL;
    const gx_plan *compare = n->kids[0];
    if ((compare->op != GX_X_NE && compare->op != GX_X_EQ) || !is_atom(compare->kids[0]) || !is_atom(compare->kids[1]))
        return NULL;
    return gx_plan_binary(p, compare->op == GX_X_NE ? GX_X_EQ : GX_X_NE, compare->kids[0], compare->kids[1], compare->at);
}
