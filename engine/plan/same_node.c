/* SPDX-License-Identifier: Apache-2.0 */
/*
 * same_node.c -- "is this node one of those?" as XPath 1.0 has to ask it
 *
 *   count(.|S) = count(S)                the node is in S: a union with it has no more nodes          ->
 *       set:has-same-node(., S)
 *   count(.|S) != count(S)               it is not                                                    ->  not(the same)
 *   generate-id(.) = generate-id(S)      the same where S has at most one node, by the context node's value (Muenchian
 *                                        grouping)
 *
 *   count(.|current()) = 1               the nodes are one       ->       generate-id(.) = generate-id(current())
 *   count(a|current()/a) = 4             they are one and have 4, or they are not and have 4 together
 *   count(S|.)                           as a number: count(S) + 1 - (. is in S)
 *   T[count(.|$v) = count($v)]           the nodes of T that are in $v           ->  set:intersection(T, $v)
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

/* The set that n counts, which it may be written without (count_union below); NULL: it counts none */
static gx_plan *counted(const gx_plan *n)
{
    if (gx_plan_is_call(n, GX_F_COUNT))
        return n->kids[0];
    return n->type == GX_T_NUM && n->origin && n->origin->op == GX_X_UNION ? (gx_plan *)n->origin : NULL;
}

/* Is `more` the count of what `less` counts and one node? Then that is *one, and *set what less counts. */
static int is_counted(const gx_plan *more, gx_plan *less, gx_plan **one, gx_plan **set)
{
    gx_plan *left[MAX_OPERANDS], *right[MAX_OPERANDS];
    gx_plan *all = counted(more), *list = counted(less);        /* else one operator counts, which stands for its set */
    if (!all || all->op != GX_X_UNION || more->calls || more->hosted
        || (!list && less->op != GX_X_COUNT && less->op != GX_X_JOIN && !gx_plan_is_call(less, GX_F_KEY_COUNT)))
        return 0;
    const u32 n = operands(all, left, 0), k = operands(list ? list : less, right, 0);
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
        *set = k == 1 ? left[!skip] : list;
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

static gx_plan *has_same_node(gx_planner *p, gx_plan *n, u32 demand)
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
    gx_plan *is_in = gx_plan_func(p, GX_F_SET_HAS_SAME_NODE, GX_T_BOOL, n->at, args);
    return in ? is_in : gx_plan_not(p, is_in, n->at);
}

static gx_plan *generate_id(gx_planner *p, gx_plan *node)
{
    return gx_plan_func(p, GX_F_GENERATE_ID, GX_T_STR, node->at, gx_plans_with(p, gx_plans_none, node));
}

static int holds(u32 op, double x, double y)
{
    return op == GX_X_EQ ? x == y : op == GX_X_NE ? x != y : op == GX_X_LT ? x < y : op == GX_X_LE ? x <= y
        : op == GX_X_GT ? x > y : x >= y;
}

/*  [count( . | current() ) = 1]   ->   [generate-id( . ) = generate-id( current() )]     a join; so what asks for 2  */
static gx_plan *one_or_two(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (!p->predicates || n->op < GX_X_EQ || n->op > GX_X_GE)
        return NULL;
    const int turned = n->kids[0]->op == GX_X_NUM;
    const gx_plan *count = n->kids[turned], *number = n->kids[!turned];
    const u32 op = turned ? gx_xop_turned(n->op) : n->op;
    if (number->op != GX_X_NUM || !gx_plan_is_call(count, GX_F_COUNT) || count->kids[0]->op != GX_X_UNION)
        return NULL;
    gx_plan *left = count->kids[0]->kids[0], *right = count->kids[0]->kids[1];
    if (!is_one(left) || !is_one(right) || left->op == right->op)
        return NULL;
    const int if_same = holds(op, 1, number->num), if_not = holds(op, 2, number->num);
    if (if_same == if_not)
        return gx_plan_bool(p, if_same, n->at);
    gx_plan *same = gx_plan_binary(p, GX_X_EQ, generate_id(p, left), generate_id(p, right), n->at);
    return if_same ? same : gx_plan_not(p, same, n->at);
}

/* Is it a list that is there anyway, or that rows share? */
static int is_kept(const gx_plan *n)
{
    return n->op == GX_X_VAR || (n->op == GX_X_TO_SET && n->kids[0]->op == GX_X_VAR) || !(n->deps & ~GX_DEP_TREE)
        || gx_plan_is_indexed(n);
}

static gx_plan *count_of(gx_planner *p, gx_plan *set)
{
    gx_plan *count;
    if (is_one(set) || set->op == GX_X_ROOT)
        return gx_plan_num(p, 1, set->at);
    return gx_plan_call(p, "", "count", set->at, gx_plans_with(p, gx_plans_none, set), &count) ? NULL : count;
}

/*
 *  count( $all | . )     ->   count( $all ) + 1 - number( has-same-node( ., $all ) )
 *  count( //a/b | x )    ->   count( //a/b ) + count( x ) - count( set:intersection( x, //a/b ) )
 *
 * No list is made of what may be all nodes, for each row.
 */
static gx_plan *count_union(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (n->calls || n->hosted)
        return NULL;
    for (int turned = 0; turned < 2; turned++) {
        gx_plan *kept = n->kids[turned], *added = n->kids[!turned], *common;
        const int one = added->set & GX_XS_SINGLE;
        if (!(added->deps & ~GX_DEP_TREE) || !(one ? is_kept(kept) : !(kept->deps & ~GX_DEP_TREE)))
            continue;
        gx_plan *counts[2] = { count_of(p, kept), count_of(p, added) };
        const gx_plans both = gx_plans_with(p, gx_plans_with(p, gx_plans_none, added), kept);
        if (one)
            common = gx_plan_convert(p, gx_plan_func(p, GX_F_SET_HAS_SAME_NODE, GX_T_BOOL, n->at, both), GX_T_NUM);
        else
            common = count_of(p, gx_plan_func(p, GX_F_SET_INTERSECTION, GX_T_SET, n->at, both));
        if (!counts[0] || !counts[1] || !common)
            return NULL;
        gx_plan *sum = gx_plan_binary(p, GX_X_ADD, counts[0], counts[1], n->at);
        sum = gx_plan_copy(p, gx_plan_binary(p, GX_X_SUB, sum, common, n->at));
        sum->origin = n;                /* which count( . | S ) = count( S ) is known by */
        return gx_plan_derive(sum);
    }
    return NULL;
}

/* Is b from the row's node what a is from the candidate: children or attributes, each of which belongs to one node? */
static int is_twin(const gx_plan *a, const gx_plan *b)
{
    const u32 axis = a->op == GX_X_STEP ? GX_STEP_AXIS(a->a) : GX_AXIS_SELF;
    if (a->op == GX_X_CONTEXT)
        return b->op == GX_X_CURRENT;
    return (axis == GX_AXIS_CHILD || axis == GX_AXIS_ATTRIBUTE) && b->op == GX_X_STEP && a->a == b->a && a->b == b->b
        && !a->preds.n && !b->preds.n && is_twin(a->kids[0], b->kids[0]);
}

/*  [count( a | current()/a ) = 4]   ->   [. is current() and count( a ) = 4
 *                                         or . is not and count( a ) + count( current()/a ) = 4]  */
static gx_plan *twins_counted(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (!p->predicates || n->op < GX_X_EQ || n->op > GX_X_GE || n->calls || n->hosted || n->fails)
        return NULL;
    const int turned = gx_plan_is_call(n->kids[1], GX_F_COUNT);
    const gx_plan *count = n->kids[turned];
    gx_plan *number = n->kids[!turned];
    const u32 op = turned ? gx_xop_turned(n->op) : n->op;
    if (number->op != GX_X_NUM || !gx_plan_is_call(count, GX_F_COUNT) || count->kids[0]->op != GX_X_UNION)
        return NULL;
    const gx_plan *both = count->kids[0];
    const int back = !is_twin(both->kids[0], both->kids[1]);
    gx_plan *a = both->kids[back], *b = both->kids[!back];
    if (!is_twin(a, b) || is_one(a))
        return NULL;
    gx_plan *counts[2] = { count_of(p, a), count_of(p, b) };
    if (!counts[0] || !counts[1])
        return NULL;
    gx_plan *current = gx_plan_make(p, GX_X_CURRENT, GX_T_SET, 0, 0, n->at, 0);
    gx_plan *candidate = gx_plan_context(p, n->at);
    gx_plan *same = gx_plan_binary(p, GX_X_EQ, generate_id(p, candidate), generate_id(p, current), n->at);
    gx_plan *own = gx_plan_binary(p, op, counts[0], number, n->at);
    gx_plan *sum = gx_plan_binary(p, op, gx_plan_binary(p, GX_X_ADD, counts[0], counts[1], n->at), number, n->at);
    return gx_plan_binary(p, GX_X_OR, gx_plan_binary(p, GX_X_AND, same, own, n->at),
                          gx_plan_binary(p, GX_X_AND, gx_plan_not(p, same, n->at), sum, n->at), n->at);
}

/* Does it begin at the root, or at a variable? */
static int is_of_root(const gx_plan *n)
{
    while (n->op == GX_X_STEP || (n->op == GX_X_FILTER && !n->b))
        n = n->kids[0];
    return n->op == GX_X_ROOT;
}

/*  s[has-same-node( ., $v )]        ->   set:intersection( s, $v )
 *  s[not( has-same-node( ., $v ) )] ->   set:difference( s, $v )     of a set that rows have in common  */
static gx_plan *intersection(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (!n->preds.n || !gx_plans_are_plain(n->preds) || (n->op == GX_X_FILTER && n->b))
        return NULL;
    for (u32 k = 0; k < n->preds.n; k++) {
        const int no = gx_plan_is_call(n->preds.at[k], GX_F_NOT);
        const gx_plan *test = no ? n->preds.at[k]->kids[0] : n->preds.at[k];
        if (!gx_plan_is_call(test, GX_F_SET_HAS_SAME_NODE) || test->kids[0]->op != GX_X_CONTEXT)
            continue;
        gx_plan *of = test->kids[1], *set = gx_plan_with(p, n, gx_plans_without(p, n->preds, k));
        if (!(of->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT))
            || of->deps & ~(GX_DEP_LOCAL | GX_DEP_CURRENT | (is_of_root(n) ? GX_DEP_TREE : 0))
            || !(set->op == GX_X_VAR || !(set->deps & ~GX_DEP_TREE)))
            continue;
        const u32 func = no ? GX_F_SET_DIFFERENCE : GX_F_SET_INTERSECTION;
        const gx_plans both = gx_plans_with(p, gx_plans_with(p, gx_plans_none, set), of);
        gx_plan *call = gx_plan_copy(p, gx_plan_func(p, func, GX_T_SET, n->at, both));
        call->given = set->set & GX_XS_FLAT;
        return gx_plan_derive(call);
    }
    return NULL;
}

/*  count( set:difference( s, $v ) )   ->   count( s ) - count( set:intersection( s, $v ) )     s the same for all  */
static gx_plan *count_difference(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (n->a != GX_F_SET_DIFFERENCE || n->kids[0]->deps & ~GX_DEP_TREE || !(n->kids[1]->deps & ~GX_DEP_TREE)
        || n->calls || n->hosted)
        return NULL;
    const gx_plans both = { n->kids, 2 };
    gx_plan *all = count_of(p, n->kids[0]),
            *common = count_of(p, gx_plan_func(p, GX_F_SET_INTERSECTION, GX_T_SET, n->at, both));
    return all && common ? gx_plan_binary(p, GX_X_SUB, all, common, n->at) : NULL;
}

static const gx_rule_def rules[] = {
    { "has-same-node", GX_ON_COMPARE, GX_RULE_REWRITE, 0, has_same_node },
    { "twins-counted", GX_ON_COMPARE, GX_RULE_REWRITE, 0, twins_counted },
    { "one-or-two", GX_ON_COMPARE, GX_RULE_REWRITE, 0, one_or_two },
    { "intersection", GX_ON_STEP | GX_ON_FILTER, GX_RULE_REWRITE, 0, intersection },
    { "count-union", GX_ON_UNION, GX_RULE_DEMAND, GX_WANT_COUNT, count_union },
    { "count-difference", GX_ON_CALL, GX_RULE_DEMAND, GX_WANT_COUNT, count_difference },
};
const gx_rules gx_rules_same_node = GX_RULES(rules);
