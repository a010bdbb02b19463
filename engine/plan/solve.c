/* SPDX-License-Identifier: Apache-2.0 */
/*
 * solve.c -- conditions on something of a node and of the row together, as conditions on one of them
 *
 *   [@v + $n > 100]              ->   [number(@v) >= least-addend($n, 100)]
 *   [$n - @v >= 10]              ->   [number(@v) <= -least-addend(-$n, 10)]
 *   [@v - $n = 1]                ->   both bounds
 *   [@v + $n < @w]               ->   [$n <= something of @v and @w]
 *   [@v * $n > 100]              ->   [number(@v) >= least-factor($n, 100)][number(@v) <= greatest-factor($n, 100)]
 *   [$n div @v > 2]              ->   the same of reciprocal-place(@v)
 *   [concat($a, @k) = $s]        ->   [@k = substring($s, ..)][$s = concat($a, that)]
 *   [@v > $a][not(@v < $b)]      ->   [@v > $a][@v >= not-less($b)]
 *
 * A join compares something of the nodes with something of the row, so what a condition computes of both has to be
 * taken apart. Sums are rounded: the bound is the least number whose sum meets the condition (machine/addend.h).
 */
#include <math.h>
#include "rules.h"

static int is_of_row(const gx_plan *n)
{
    return n->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT) && !(n->deps & ~(GX_DEP_LOCAL | GX_DEP_CURRENT | GX_DEP_TREE));
}
static int is_of_node(const gx_plan *n)
{
    return n->deps & GX_DEP_CONTEXT && !(n->deps & ~(GX_DEP_CONTEXT | GX_DEP_TREE));
}

static gx_plan *negative(gx_planner *p, gx_plan *n)
{
    return gx_plan_binary(p, GX_X_SUB, gx_plan_num(p, 0, n->at), n, n->at);
}

/* x + y >= c, or (op) > c, <= c, < c */
static gx_plan *bound(gx_planner *p, u32 op, gx_plan *x, gx_plan *y, gx_plan *c)
{
    const int up = op == GX_X_GE || op == GX_X_GT, more = op == GX_X_GT || op == GX_X_LT;
    gx_plans args = gx_plans_with(p, gx_plans_none, up ? y : negative(p, y));
    args = gx_plans_with(p, args, up ? c : negative(p, c));
    args = gx_plans_with(p, args, gx_plan_num(p, more, x->at));
    gx_plan *least = gx_plan_func(p, GX_F_LEAST_ADDEND, GX_T_NUM, x->at, args);
    return gx_plan_binary(p, up ? GX_X_GE : GX_X_LE, x, up ? least : negative(p, least), x->at);
}

/*
 * x + y op c
 *
 * Where y and c are both -infinity, x + y >= c is true of all x but +infinity, whose sum is NaN. No bound from below
 * says that, so >= has another one from above: x + y <= +infinity. "=" has both bounds anyway.
 */
static gx_plan *solved(gx_planner *p, u32 op, gx_plan *x, gx_plan *y, gx_plan *c)
{
    if (op == GX_X_LT || op == GX_X_GT || ((op == GX_X_LE || op == GX_X_GE) && c->op == GX_X_NUM && isfinite(c->num)))
        return bound(p, op, x, y, c);
    if (op == GX_X_LE || op == GX_X_GE) {
        gx_plan *end = gx_plan_num(p, op == GX_X_GE ? INFINITY : -INFINITY, x->at);
        return gx_plan_binary(p, GX_X_AND, bound(p, op, x, y, c), bound(p, gx_xop_turned(op), x, y, end), x->at);
    }
    gx_plan *same = gx_plan_binary(p, GX_X_AND, bound(p, GX_X_GE, x, y, c), bound(p, GX_X_LE, x, y, c), x->at);
    return op == GX_X_EQ ? same : gx_plan_not(p, same, x->at);
}

/* x + y op c, of which one addend is the candidate's and one the row's: solved for the candidate's, so that a join by
 * order finds it. Subtraction turns one sign, and c may belong to either side. */
static gx_plan *sum_compared(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (!p->predicates || n->op < GX_X_EQ || n->op > GX_X_GE || n->calls || n->hosted || n->fails)
        return NULL;
    for (int turned = 0; turned < 2; turned++) {
        const gx_plan *sum = n->kids[turned];
        gx_plan *c = n->kids[!turned];
        u32 op = turned ? gx_xop_turned(n->op) : n->op;
        if (sum->op != GX_X_ADD && sum->op != GX_X_SUB)
            continue;
        gx_plan *x = sum->kids[0], *y = sum->kids[1];
        const int one = (c->type == GX_T_SET && c->set & GX_XS_SINGLE && op != GX_X_NE) || c->type == GX_T_STR;
        if (!(is_of_row(x) ? is_of_node(y) : is_of_node(x) && is_of_row(y)) || (c->type != GX_T_NUM && !one))
            continue;
        if (c->deps & GX_DEP_CONTEXT ? !is_of_node(c) : c->deps && !is_of_row(c))
            continue;
        c = gx_plan_convert(p, c, GX_T_NUM);
        const int right = c->deps & GX_DEP_CONTEXT ? is_of_row(y) : is_of_node(y);      /* y is the one that is bound */
        if (sum->op == GX_X_ADD)
            return right ? solved(p, op, y, x, c) : solved(p, op, x, y, c);
        if (!right)
            return solved(p, op, x, negative(p, y), c);
        return solved(p, gx_xop_turned(op), y, negative(p, x), negative(p, c));
    }
    return NULL;
}

/* Is it a product or a quotient of something of the node, *x, and something of the row, *y? *kind: GX_FACTOR_* */
static int is_product(gx_planner *p, const gx_plan *n, gx_plan **x, gx_plan **y, u32 *kind)
{
    if (n->op != GX_X_MUL && n->op != GX_X_DIV)
        return 0;
    const int turned = is_of_row(n->kids[0]);
    *x = n->kids[turned];
    *y = n->kids[!turned];
    *kind = n->op == GX_X_MUL ? GX_FACTOR_MULTIPLIED : turned ? GX_FACTOR_DIVIDING : GX_FACTOR_DIVIDED;
    if (!is_of_node(*x) || !is_of_row(*y))
        return 0;
    if (*kind == GX_FACTOR_DIVIDING)
        *x = gx_plan_func(p, GX_F_RECIPROCAL_PLACE, GX_T_NUM, n->at, gx_plans_with(p, gx_plans_none, *x));
    return 1;
}

/*
 * x * y op c, x being of the node, or x div y, or y div x. A number of the row that is infinite, with >= or <=, would
 * leave out x = 0 in the middle of all others: so c is a finite literal then.
 */
static gx_plan *product_compared(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (!p->predicates || n->op < GX_X_EQ || n->op > GX_X_GE || n->calls || n->hosted || n->fails)
        return NULL;
    for (int turned = 0; turned < 2; turned++) {
        gx_plan *c = n->kids[!turned], *x, *y;
        const u32 given = turned ? gx_xop_turned(n->op) : n->op, op = given == GX_X_NE ? GX_X_EQ : given;
        const int one = (c->type == GX_T_SET && c->set & GX_XS_SINGLE && given != GX_X_NE) || c->type == GX_T_STR;
        u32 kind;
        if ((c->type != GX_T_NUM && !one) || (c->deps && !is_of_row(c))
            || ((op == GX_X_LE || op == GX_X_GE) && !(c->op == GX_X_NUM && isfinite(c->num)))
            || !is_product(p, n->kids[turned], &x, &y, &kind))
            continue;
        gx_plans args = gx_plans_with(p, gx_plans_with(p, gx_plans_none, y), gx_plan_convert(p, c, GX_T_NUM));
        args = gx_plans_with(p, args, gx_plan_num(p, GX_FACTOR(op, kind), n->at));
        gx_plan *least = gx_plan_func(p, GX_F_LEAST_FACTOR, GX_T_NUM, n->at, args);
        gx_plan *greatest = gx_plan_func(p, GX_F_GREATEST_FACTOR, GX_T_NUM, n->at, args);
        gx_plan *both = gx_plan_binary(p, GX_X_AND, gx_plan_binary(p, GX_X_GE, x, least, n->at),
                                       gx_plan_binary(p, GX_X_LE, x, greatest, n->at), n->at);
        return given == GX_X_NE ? gx_plan_not(p, both, n->at) : both;
    }
    return NULL;
}

/* Strings of parts, one behind the other; '' of none */
static gx_plan *joined(gx_planner *p, gx_plans parts, u32 at)
{
    return !parts.n ? gx_plan_str(p, "", at)
        : parts.n == 1 ? parts.at[0] : gx_plan_func(p, GX_F_CONCAT, GX_T_STR, at, parts);
}

static gx_plan *length_of(gx_planner *p, gx_plan *string)
{
    return gx_plan_func(p, GX_F_STRING_LENGTH, GX_T_NUM, string->at, gx_plans_with(p, gx_plans_none, string));
}

/* Of the string, what is left without so many characters at its beginning and at its end: substring() */
static gx_plan *without_ends(gx_planner *p, gx_plan *string, gx_plan *before, gx_plan *behind)
{
    const u32 at = string->at;
    gx_plan *first = gx_plan_binary(p, GX_X_ADD, length_of(p, before), gx_plan_num(p, 1, at), at);
    gx_plan *length = gx_plan_binary(p, GX_X_SUB, length_of(p, string), length_of(p, before), at);
    length = gx_plan_binary(p, GX_X_SUB, length, length_of(p, behind), at);
    gx_plans args = gx_plans_with(p, gx_plans_with(p, gx_plans_none, string), first);
    return gx_plan_func(p, GX_F_SUBSTRING, GX_T_STR, at, gx_plans_with(p, args, length));
}

/*
 *  concat( $a, @k, $b ) = $s   ->   @k = middle and $s = concat( $a, middle, $b )
 *
 * middle being what is left of $s without as many characters as $a and $b have. So with node and row exchanged. What is
 * of the same side as the string stands at the ends only, or else there is more than one way to divide the string.
 */
static gx_plan *concat_compared(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (!p->predicates || (n->op != GX_X_EQ && n->op != GX_X_NE) || n->calls || n->hosted || n->fails)
        return NULL;
    for (int turned = 0; turned < 2; turned++) {
        const gx_plan *parts = n->kids[turned];
        gx_plan *whole = n->kids[!turned];
        const int one = whole->type == GX_T_SET && whole->set & GX_XS_SINGLE && n->op == GX_X_EQ;
        const int of_node = is_of_node(whole);
        if (!gx_plan_is_call(parts, GX_F_CONCAT) || (whole->type != GX_T_STR && !one)
            || (!of_node && whole->deps && !is_of_row(whole)))
            continue;
        u32 first = 0, end = parts->n, others = 0, own = 0;
        while (first < end && !(of_node ? is_of_row(parts->kids[first]) : is_of_node(parts->kids[first])))
            own += parts->kids[first++]->deps != 0;
        while (end > first && !(of_node ? is_of_row(parts->kids[end - 1]) : is_of_node(parts->kids[end - 1])))
            own += parts->kids[--end]->deps != 0;
        for (u32 i = first; i < end; i++)
            others += parts->kids[i]->deps && !(of_node ? is_of_row(parts->kids[i]) : is_of_node(parts->kids[i]));
        for (u32 i = 0; i < parts->n; i++)
            others += parts->kids[i]->deps && !is_of_row(parts->kids[i]) && !is_of_node(parts->kids[i]);
        if (first == end || others || !own)
            continue;
        const gx_plans all = { parts->kids, parts->n };
        gx_plan *string = gx_plan_convert(p, whole, GX_T_STR);
        gx_plan *before = joined(p, gx_plans_part(all, 0, first), n->at);
        gx_plan *behind = joined(p, gx_plans_part(all, end, parts->n), n->at);
        gx_plan *middle = without_ends(p, string, before, behind);
        gx_plans whole_again = gx_plans_with(p, gx_plans_with(p, gx_plans_none, before), middle);
        gx_plan *again = joined(p, gx_plans_with(p, whole_again, behind), n->at);
        gx_plan *same = gx_plan_binary(p, GX_X_EQ, joined(p, gx_plans_part(all, first, end), n->at), middle, n->at);
        same = gx_plan_binary(p, GX_X_AND, same, gx_plan_binary(p, GX_X_EQ, whole, again, n->at), n->at);
        return n->op == GX_X_EQ ? same : gx_plan_not(p, same, n->at);
    }
    return NULL;
}

/* Of what number is `use` an order, if pred is one (negated: if it is not() of one)? *op as with use on the left */
static gx_plan *order_of(gx_plan *pred, int negated, gx_plan **use, u32 *op)
{
    if (negated && !gx_plan_is_call(pred, GX_F_NOT))
        return NULL;
    const gx_plan *order = negated ? pred->kids[0] : pred;
    if (order->op < GX_X_LT || order->op > GX_X_GE)
        return NULL;
    const int turned = !is_of_node(order->kids[0]);
    gx_plan *value = order->kids[!turned];
    *use = order->kids[turned];
    *op = turned ? gx_xop_turned(order->op) : order->op;
    const int one = value->type == GX_T_NUM || value->type == GX_T_STR
        || (value->type == GX_T_SET && value->set & GX_XS_SINGLE);
    return is_of_node(*use) && is_of_row(value) && one ? value : NULL;
}

/*
 *  [@v > $a][not(@v < $b)]   ->   [@v > $a][@v >= not-less($b)]
 *
 * The first condition says that @v is there and a number, and so the second is an order: of all where $b is none.
 */
static gx_plan *not_less(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (!n->preds.n || !gx_plans_are_plain(n->preds) || (n->op == GX_X_FILTER && n->b))
        return NULL;
    const gx_plans preds = gx_plans_conjuncts(p, n->preds);
    for (u32 k = 0; k < preds.n; k++) {
        gx_plan *use, *other, *value = NULL;
        u32 op, any;
        if (!(value = order_of(preds.at[k], 1, &use, &op)) || !(use->type == GX_T_NUM || use->set & GX_XS_SINGLE))
            continue;
        int is_number = 0;
        for (u32 i = 0; i < preds.n && !is_number; i++)
            is_number = order_of(preds.at[i], 0, &other, &any) && gx_plan_is_same(use, other);
        if (!is_number)
            continue;
        const int less = op == GX_X_LT || op == GX_X_LE, more = op == GX_X_LE || op == GX_X_GE;
        gx_plan *number = gx_plan_convert(p, value, GX_T_NUM);
        gx_plans args = gx_plans_with(p, gx_plans_none, less ? number : negative(p, number));
        args = gx_plans_with(p, args, gx_plan_num(p, more, n->at));
        gx_plan *bound_of = gx_plan_func(p, GX_F_NOT_LESS, GX_T_NUM, n->at, args);
        gx_plans list = gx_plans_none;
        for (u32 i = 0; i < preds.n; i++)
            list = gx_plans_with(p, list, i != k ? preds.at[i]
                : gx_plan_binary(p, less ? GX_X_GE : GX_X_LE, use, less ? bound_of : negative(p, bound_of), n->at));
        return gx_plan_with(p, n, list);
    }
    return NULL;
}

static const gx_rule_def rules[] = {
    { "not-less", GX_ON_STEP | GX_ON_FILTER, GX_RULE_REWRITE, 0, not_less },
    { "product-compared", GX_ON_COMPARE, GX_RULE_REWRITE, 0, product_compared },
    { "concat-compared", GX_ON_COMPARE, GX_RULE_REWRITE, 0, concat_compared },
    { "sum-compared", GX_ON_COMPARE, GX_RULE_REWRITE, 0, sum_compared },
};
const gx_rules gx_rules_solve = GX_RULES(rules);
