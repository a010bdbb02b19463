/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count.c -- counting by what is found instead of by what is walked
 *
 *   count( //row[not(@k = $x)] )              ->   count( //row ) - count( //row[@k = $x] )
 *   count( //row[@k = $x or @v = $y] )        ->   count( //row[@k = $x] ) + count( //row[@v = $y] )
 *                                                  - count( //row[@k = $x][@v = $y] )
 *   count( //row[(@k = $x) != (@v = $y)] )    ->   count( //row[@k = $x] ) + count( //row[@v = $y] )
 *                                                  - 2 * count( //row[@k = $x][@v = $y] )
 *   [count(tag[. = $t]) != 2]                 ->   [not(count(tag[. = $t]) = 2)]
 *   [count(tag[. = $t]) = 2]                  ->   [tag = $t][count(tag[. = $t]) = 2]     the first is found
 *
 * A truth is 1 or 0: not(a) is 1 - a, "a and b" is a * b, "a or b" is a + b - a * b, "a = b" of two truths is
 * 1 - a - b + 2 * a * b. So each condition that consists of others is a sum of products of those (inclusion and
 * exclusion), and the number of nodes that meet it a sum of numbers of nodes that meet several others together. These
 * are whole numbers: no order of addition gives another. "a != b" of single values, beside an order, is that both are
 * there, less "a = b".
 *
 * It is done where each of these sets is found, by a look-up or a join, or the same for all rows.
 */
#include <apr_strings.h>
#include "rules.h"

#define MAX_TERMS 16u
#define MAX_FACTORS 6u

typedef struct term { double times; u32 n; gx_plan *factors[MAX_FACTORS]; } term;
typedef struct terms { u32 n; term at[MAX_TERMS]; } terms;

static int is_within(const gx_plan *factor, const term *t)
{
    for (u32 i = 0; i < t->n; i++)
        if (t->factors[i] == factor || gx_plan_is_same(t->factors[i], factor))
            return 1;
    return 0;
}

/* t * x, a truth being its own square, added to the sum; 0: there is no room */
static int add_product(terms *sum, double times, const term *t, const term *x)
{
    term product = *t;
    product.times *= x->times * times;
    for (u32 i = 0; i < x->n; i++)
        if (!is_within(x->factors[i], &product)) {
            if (product.n == MAX_FACTORS)
                return 0;
            product.factors[product.n++] = x->factors[i];
        }
    for (u32 k = 0; k < sum->n; k++) {
        u32 same = 0;
        while (same < product.n && is_within(product.factors[same], &sum->at[k]))
            same++;
        if (same == product.n && same == sum->at[k].n) {
            sum->at[k].times += product.times;
            return 1;
        }
    }
    if (sum->n == MAX_TERMS)
        return 0;
    sum->at[sum->n++] = product;
    return 1;
}

static int add_sum(terms *sum, double times, const terms *x)
{
    const term one = { 1, 0, { NULL } };
    for (u32 i = 0; i < x->n; i++)
        if (!add_product(sum, times, &one, &x->at[i]))
            return 0;
    return 1;
}

static int add_products(terms *sum, double times, const terms *x, const terms *y)
{
    for (u32 i = 0; i < x->n; i++)
        for (u32 k = 0; k < y->n; k++)
            if (!add_product(sum, times, &x->at[i], &y->at[k]))
                return 0;
    return 1;
}

static int is_one(const gx_plan *n)
{
    return n->type == GX_T_STR || n->type == GX_T_NUM || (n->type == GX_T_SET && n->set & GX_XS_SINGLE);
}

/* Of two values, of which each side has one at most: they differ where both are there and not equal */
static int sum_of_unequal(gx_planner *p, gx_plan *truth, terms *out)
{
    term both = { 1, 0, { NULL } };
    const term one = { 1, 0, { NULL } };
    const term equal = { 1, 1, { gx_plan_binary(p, GX_X_EQ, truth->kids[0], truth->kids[1], truth->at) } };
    for (u32 i = 0; i < 2; i++)
        if (truth->kids[i]->type == GX_T_SET)
            both.factors[both.n++] = gx_plan_convert(p, truth->kids[i], GX_T_BOOL);
    out->n = 0;
    return add_product(out, 1, &one, &both) && add_product(out, -1, &one, &equal);
}

/* A truth as a sum of products of truths that are not taken apart further, in `out`. not(), and, or, = and != of
 * truths are arithmetic, as at the top of this file; a != of numbers is 1 less the equality. 0: more than MAX_TERMS
 * products, or more than MAX_FACTORS in one. */
static int sum_of(gx_planner *p, gx_plan *truth, terms *out)
{
    const term one = { 1, 0, { NULL } };
    const int no = gx_plan_is_call(truth, GX_F_NOT) && truth->kids[0]->op != GX_X_NE;   /* not( != ) finds few */
    const int unequal = truth->op == GX_X_NE && truth->kids[0]->type == GX_T_NUM && truth->kids[1]->type == GX_T_NUM;
    const int same = (truth->op == GX_X_EQ || truth->op == GX_X_NE) && truth->kids[0]->type == GX_T_BOOL
        && truth->kids[1]->type == GX_T_BOOL;
    terms x, y;
    out->n = 0;
    if (unequal) {
        const term equal = { 1, 1, { gx_plan_binary(p, GX_X_EQ, truth->kids[0], truth->kids[1], truth->at) } };
        return add_product(out, 1, &one, &one) && add_product(out, -1, &one, &equal);
    }
    if (!no && !same && truth->op != GX_X_AND && truth->op != GX_X_OR) {
        out->n = 1;
        out->at[0] = (term){ 1, 1, { truth } };
        return 1;
    }
    if (!sum_of(p, truth->kids[0], &x) || (!no && !sum_of(p, truth->kids[1], &y)))
        return 0;
    if (truth->op == GX_X_AND)
        return add_products(out, 1, &x, &y);
    const int negative = no || (same && truth->op == GX_X_EQ);
    const double sign = negative ? -1 : 1, twice = same ? -2 : -1;
    if ((negative && !add_product(out, 1, &one, &one)) || !add_sum(out, sign, &x))
        return 0;
    return no || (add_sum(out, sign, &y) && add_products(out, sign * twice, &x, &y));
}

/* Is there a != with a comparison by order or another !=, and nothing selective (an equality, a search)? */
static int is_unequal_with_others(gx_plans preds)
{
    u32 unequal = 0, others = 0;
    for (u32 i = 0; i < preds.n; i++) {
        const gx_plan *pred = preds.at[i];
        if (!(pred->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT)) || pred->op < GX_X_NE || pred->op > GX_X_GE)
            return 0;
        if (pred->op == GX_X_NE && is_one(pred->kids[0]) && is_one(pred->kids[1]))
            unequal++;
        else if (pred->op == GX_X_NE)
            return 0;
        else
            others++;
    }
    return unequal && unequal + others > 1;
}

/* Appends what an "and" consists of */
static void append_operands(gx_planner *p, gx_plan *truth, gx_plans *list)
{
    if (truth->op != GX_X_AND) {
        *list = gx_plans_with(p, *list, truth);
        return;
    }
    append_operands(p, truth->kids[0], list);
    append_operands(p, truth->kids[1], list);
}

/* All conditions of a step or filter as one sum; 0: there is nothing to take apart */
static int sum_of_all(gx_planner *p, gx_plans preds, terms *out)
{
    gx_plans apart = gx_plans_none;
    for (u32 i = 0; i < preds.n; i++)
        append_operands(p, preds.at[i], &apart);
    const int unequal = is_unequal_with_others(apart);
    if (unequal)
        preds = apart;
    terms next, all = { 1, { { 1, 0, { NULL } } } };
    for (u32 i = 0; i < preds.n; i++) {
        if (preds.at[i]->type != GX_T_BOOL
            || !(unequal && preds.at[i]->op == GX_X_NE ? sum_of_unequal(p, preds.at[i], &next)
                                                       : sum_of(p, preds.at[i], &next)))
            return 0;
        out->n = 0;
        if (!add_products(out, 1, &all, &next))
            return 0;
        all = *out;
    }
    return out->n > 1;
}

/* The nodes of n's set that meet all factors: the frame's alone keep all nodes or none, where they are */
static gx_plan *set_of(gx_planner *p, const gx_plan *n, const term *t)
{
    gx_plans first = gx_plans_none, rest = gx_plans_none;
    for (u32 i = 0; i < t->n; i++) {
        gx_plan *truth = t->factors[i];
        if (truth->deps && !(truth->deps & ~(GX_DEP_LOCAL | GX_DEP_CURRENT)))
            first = gx_plans_with(p, first,
                                  gx_plan_make(p, GX_X_AT, GX_T_BOOL, GX_AT_ANY, 0, truth->at, 1, truth));
        else
            rest = gx_plans_with(p, rest, truth);
    }
    for (u32 i = 0; i < rest.n; i++)
        first = gx_plans_with(p, first, rest.at[i]);
    return gx_plan_with(p, n, first);
}

/*  join( set, value: use > )[@k != $k]   ->   set[use > value][@k != $k], which no rule has seen; or n  */
static gx_plan *unjoined(gx_planner *p, gx_plan *n)
{
    const gx_plan *join = n->op == GX_X_FILTER ? n->kids[0] : n;
    const u32 ops[2] = { join->a & 0xff, GX_JOIN_TWO(join->a) };
    if (join == n || join->op != GX_X_JOIN || join->b || ops[0] < GX_X_NE || ops[0] > GX_X_GE)
        return n;
    gx_plans preds = gx_plans_none;
    for (u32 i = 0; i < join->preds.n; i++)
        preds = gx_plans_with(p, preds, gx_plan_binary(p, ops[i], join->preds.at[i], join->kids[1 + i], n->at));
    for (u32 i = 0; i < n->preds.n; i++)
        preds = gx_plans_with(p, preds, n->preds.at[i]);
    return gx_plan_make_of(p, GX_X_FILTER, GX_T_SET, 0, 0, n->at, gx_plans_with(p, gx_plans_none, join->kids[0]),
                           preds);
}

/* How many nodes of n meet its conditions, by inclusion and exclusion; NULL: some are not found */
static gx_plan *count_by_terms(gx_planner *p, gx_plan *n)
{
    gx_plan *all = n->origin && n->type == GX_T_SET && n->op != GX_X_STEP ? (gx_plan *)n->origin : n, *sum = NULL;
    terms t;
    int found = 0;
    all = unjoined(p, all);
    if ((all->op != GX_X_STEP && all->op != GX_X_FILTER) || !all->preds.n || !gx_plans_are_plain(all->preds)
        || (all->op == GX_X_FILTER && all->b) || !sum_of_all(p, all->preds, &t))
        return NULL;
    gx_plan *sets[MAX_TERMS];
    for (u32 i = 0; i < t.n; i++) {
        if (!t.at[i].times)
            continue;
        sets[i] = set_of(p, all, &t.at[i]);
        found |= gx_plan_is_indexed(sets[i]);
        if (!gx_plan_is_indexed(sets[i]) && sets[i]->deps & ~GX_DEP_TREE)
            return NULL;
    }
    for (u32 i = 0; found && i < t.n; i++) {
        const double times = t.at[i].times, many = times < 0 ? -times : times;
        gx_plan *count;
        if (!times)
            continue;
        if (gx_plan_call(p, "", "count", n->at, gx_plans_with(p, gx_plans_none, sets[i]), &count))
            return NULL;
        if (many != 1)
            count = gx_plan_binary(p, GX_X_MUL, gx_plan_num(p, many, n->at), count, n->at);
        sum = sum || times < 0
            ? gx_plan_binary(p, times < 0 ? GX_X_SUB : GX_X_ADD, sum ? sum : gx_plan_num(p, 0, n->at), count, n->at)
            : count;
    }
    return sum;
}

/*  count( x[a or not(b)] )   ->   count( x ) - count( x[b] ) + count( x[a][b] )     no list is made of what may be most
 *                                                                                 nodes  */
static gx_plan *count_terms(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    return count_by_terms(p, n);
}

/*  boolean( x[not(a)] )   ->   count( x ) - count( x[a] ) > 0     of what is searched anew for each row  */
static gx_plan *some_by_count(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (gx_plan_is_indexed(n) || n->kids[0]->deps & ~GX_DEP_TREE)
        return NULL;
    gx_plan *count = count_by_terms(p, n);
    return count ? gx_plan_binary(p, GX_X_GT, count, gx_plan_num(p, 0, n->at), n->at) : NULL;
}

static gx_plan *place_of(gx_planner *p, gx_plan *node, u32 axis, u32 at)
{
    gx_plans args = gx_plans_with(p, gx_plans_with(p, gx_plans_none, node), gx_plan_num(p, axis, at));
    return gx_plan_func(p, GX_F_PLACE, GX_T_NUM, at, args);
}

/* Does a join find few by it, or the half of what is before or behind by two orders? */
static int is_sought(const gx_plan *pred)
{
    return (pred->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT))
        && (pred->op == GX_X_EQ || (pred->op >= GX_X_LT && pred->op <= GX_X_GE)
            || gx_plan_is_call(pred, GX_F_STARTS_WITH) || gx_plan_is_call(pred, GX_F_CONTAINS));
}

/*
 *  count( preceding::x[@v > $v] )   ->   count( //x[place( . ) < place( current() )][@v > $v] )
 *                                        - count( ancestor::x[@v > $v] )
 *
 * a join of two orders, of the values and of the document. following has no ancestors; siblings are the parent's
 * children.
 */
static gx_plan *count_places(gx_planner *p, gx_plan *n, u32 demand)
{
    const u32 axis = GX_STEP_AXIS(n->a), test = GX_STEP_TEST(n->a);
    const int siblings = axis == GX_AXIS_PRECEDING_SIBLING || axis == GX_AXIS_FOLLOWING_SIBLING;
    const int before = axis == GX_AXIS_PRECEDING || axis == GX_AXIS_PRECEDING_SIBLING;
    gx_plan *counts[2] = { NULL, NULL };
    (void)demand;
    if ((!siblings && axis != GX_AXIS_PRECEDING && axis != GX_AXIS_FOLLOWING) || n->kids[0]->op != GX_X_CONTEXT
        || p->predicates || p->env->no_current || !p->env->variable || n->preds.n != 1
        || !gx_plans_are_plain(n->preds) || !is_sought(n->preds.at[0]))
        return NULL;
    gx_plan *input = gx_plan_root(p, n->at);
    if (siblings)
        input = gx_plan_step(p, gx_plan_context(p, n->at), GX_AXIS_PARENT, GX_TEST_NODE, 0, gx_plans_none, n->at);
    gx_plan *own = place_of(p, gx_plan_context(p, n->at), GX_AXIS_SELF, n->at);
    gx_plan *from = place_of(p, gx_plan_make(p, GX_X_CURRENT, GX_T_SET, 0, 0, n->at, 0), axis, n->at);
    gx_plans preds = gx_plans_with(p, gx_plans_none,
                                   gx_plan_binary(p, before ? GX_X_LT : GX_X_GT, own, from, n->at));
    preds = gx_plans_with(p, preds, n->preds.at[0]);
    gx_plan *set = gx_plan_step(p, input, siblings ? GX_AXIS_CHILD : GX_AXIS_DESCENDANT, test, n->b, preds, n->at);
    if (!gx_plan_is_indexed(set)
        || gx_plan_call(p, "", "count", n->at, gx_plans_with(p, gx_plans_none, set), &counts[0]))
        return NULL;
    if (axis != GX_AXIS_PRECEDING)
        return counts[0];
    gx_plan *above = gx_plan_step(p, n->kids[0], GX_AXIS_ANCESTOR, test, n->b, n->preds, n->at);
    return gx_plan_call(p, "", "count", n->at, gx_plans_with(p, gx_plans_none, above), &counts[1])
        ? NULL : gx_plan_binary(p, GX_X_SUB, counts[0], counts[1], n->at);
}

/*
 *  count( preceding::x[not(p)] )      ->   count( preceding::x ) - count( preceding::x[p] )
 *  count( preceding::x[@k != $k] )    ->   boolean($k) * (count( preceding::x[@k] ) - count( preceding::x[@k = $k] ))
 *
 * of an axis that each node has its own part of. Two values, of which each side has one at most, differ where both are
 * there and not equal.
 */
static gx_plan *count_others(gx_planner *p, gx_plan *n, u32 demand)
{
    const u32 axis = GX_STEP_AXIS(n->a);
    gx_plan *counts[2] = { NULL, NULL };
    (void)demand;
    if ((axis != GX_AXIS_PRECEDING_SIBLING && axis != GX_AXIS_FOLLOWING_SIBLING && axis != GX_AXIS_PRECEDING
         && axis != GX_AXIS_FOLLOWING) || n->kids[0]->op != GX_X_CONTEXT || p->predicates || n->preds.n != 1
        || !gx_plans_are_plain(n->preds))
        return NULL;
    gx_plan *pred = n->preds.at[0], *has = NULL, *there = NULL, *of;
    if (gx_plan_is_call(pred, GX_F_NOT))
        of = pred->kids[0];
    else if (pred->op == GX_X_NE) {
        const int turned = pred->kids[0]->deps != GX_DEP_CONTEXT;
        gx_plan *own = pred->kids[turned], *value = pred->kids[!turned];
        if (own->deps != GX_DEP_CONTEXT || !is_one(own) || !is_one(value)
            || value->deps & ~(GX_DEP_LOCAL | GX_DEP_CURRENT))
            return NULL;
        of = gx_plan_binary(p, GX_X_EQ, own, value, pred->at);
        has = own->type == GX_T_SET ? gx_plan_convert(p, own, GX_T_BOOL) : NULL;
        there = value->type == GX_T_SET ? gx_plan_convert(p, value, GX_T_BOOL) : NULL;
    } else
        return NULL;
    if (!is_sought(of) && of->op != GX_X_EQ)
        return NULL;
    for (u32 i = 0; i < 2; i++) {
        gx_plan *pred_of = i ? of : has;
        const gx_plans preds = pred_of ? gx_plans_with(p, gx_plans_none, pred_of) : gx_plans_none;
        gx_plan *set = gx_plan_step(p, n->kids[0], axis, GX_STEP_TEST(n->a), n->b, preds, n->at);
        if (gx_plan_call(p, "", "count", n->at, gx_plans_with(p, gx_plans_none, set), &counts[i]))
            return NULL;
    }
    gx_plan *rest = gx_plan_binary(p, GX_X_SUB, counts[0], counts[1], n->at);
    return there ? gx_plan_binary(p, GX_X_MUL, gx_plan_convert(p, there, GX_T_NUM), rest, n->at) : rest;
}

/* Is it the count of a set by what the frame says, compared with a number? */
static int is_counted(const gx_plan *n, const gx_plan **count, double *number, u32 *op)
{
    if (n->op < GX_X_EQ || n->op > GX_X_GE)
        return 0;
    const int turned = n->kids[0]->op == GX_X_NUM;
    *count = n->kids[turned];
    *op = turned ? gx_xop_turned(n->op) : n->op;
    if (!gx_plan_is_call(*count, GX_F_COUNT) || n->kids[!turned]->op != GX_X_NUM
        || !((*count)->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT)) || (*count)->calls || (*count)->hosted
        || (*count)->fails)
        return 0;
    *number = n->kids[!turned]->num;
    return *number >= 0;
}

/*
 *  [count( s ) = 0]     ->   [not( boolean( s ) )]          [count( s ) >= 1]   ->   [boolean( s )]
 *  [count( s ) != 2]    ->   [not( count( s ) = 2 )]        [count( s ) <= 2]   ->   [not( count( s ) > 2 )]
 *
 * so that what is left asks for some nodes at least, which can be found
 */
static gx_plan *count_compared(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *count;
    double number;
    u32 op;
    (void)demand;
    if (!p->predicates || !is_counted(n, &count, &number, &op))
        return NULL;
    const u32 contrary = op == GX_X_NE ? GX_X_EQ : op == GX_X_LE ? GX_X_GT : op == GX_X_LT ? GX_X_GE : 0;
    if (contrary)
        return gx_plan_not(p, gx_plan_binary(p, contrary, (gx_plan *)count, gx_plan_num(p, number, n->at), n->at),
                           n->at);
    if (op == GX_X_EQ ? number == 0 : op == GX_X_GT ? number < 1 : number > 0 && number <= 1) {
        gx_plan *some = gx_plan_convert(p, count->kids[0], GX_T_BOOL);
        return op == GX_X_EQ ? gx_plan_not(p, some, n->at) : some;
    }
    return NULL;
}

/* [count( s ) = 2]   ->   [boolean( s )] */
static gx_plan *implied_by_count(gx_planner *p, gx_plan *n)
{
    const gx_plan *count;
    double number;
    u32 op;
    if (!is_counted(n, &count, &number, &op) || (op != GX_X_EQ && op != GX_X_GE && op != GX_X_GT)
        || number < (op == GX_X_GT ? 0 : 1))
        return NULL;
    gx_plan *some = gx_plan_convert(p, count->kids[0], GX_T_BOOL);
    return some->op == GX_X_EQ || (some->op == GX_X_TO_BOOL && some->kids[0]->op == GX_X_STEP) ? some : NULL;
}

gx_plan *gx_plan_implied(gx_planner *p, gx_plan *n, gx_plan **again)
{
    if (n->origin || n->op < GX_X_EQ || n->op > GX_X_GE)
        return NULL;
    p->predicates++;                    /* it is one, wherever it is taken apart */
    gx_plan *some = implied_by_count(p, n);
    if (!some)
        some = gx_plan_implied_by_squares(p, n);
    if (!some)
        some = gx_plan_implied_by_parts(p, n);
    p->predicates--;
    if (!some)
        return NULL;
    *again = gx_plan_copy(p, n);
    (*again)->origin = n;
    gx_plan_derive(*again);
    return some;
}

static const gx_rule_def rules[] = {
    { "count-compared", GX_ON_COMPARE, GX_RULE_REWRITE, 0, count_compared },
    { "count-terms", GX_ON_STEP | GX_ON_FILTER | GX_ON_UNION | GX_ON_CHOICE, GX_RULE_DEMAND, GX_WANT_COUNT,
      count_terms },
    { "count-places", GX_ON_STEP, GX_RULE_DEMAND, GX_WANT_COUNT, count_places },
    { "count-others", GX_ON_STEP, GX_RULE_DEMAND, GX_WANT_COUNT, count_others },
    { "some-by-count", GX_ON_STEP | GX_ON_FILTER, GX_RULE_DEMAND, GX_WANT_SOME, some_by_count },
};
const gx_rules gx_rules_count = GX_RULES(rules);
