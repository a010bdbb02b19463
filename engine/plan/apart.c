/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apart.c -- comparisons of what is put together of something of the node and something of the row
 *
 *   [(@v - $n) * 2 > 100]                  ->   [@v - $n >= 50.00000000000001]
 *   [(@v - $n) * (@v - $n) < 9]            ->   [@v - $n <= 2.9999999999999996][@v - $n >= -2.9999999999999996]
 *   [@v + $n = @w + $m]                    ->   [@v - @w = $m - $n, but for rounding][@v + $n = @w + $m]
 *   [@v + $n > @w + $m]                    ->   [@v - @w > $m - $n, certainly or
 *                                                perhaps and @v + $n > @w + $m]
 *   [concat(@k, $s) = concat($k, @s)]      ->   [letters(@k) - letters(@s) = letters($k) - letters($s)][the same]
 *
 * An operator with literals that never falls, or never rises, gives way to the least number for which it meets the
 * condition. Where both sides ask node and row, what is of the node is brought to one side, since a join compares
 * something of the nodes with something of the row. The sums are other ones then, and rounded otherwise. So the new
 * condition allows for what rounding may have done, and finds a little more than is asked for: the old one is asked of
 * that. letters() is a number of a string's bytes that adds up where strings are put together, whatever their lengths.
 */
#include <math.h>
#include "machine/number.h"
#include "rules.h"

static int is_of_row(const gx_plan *n) { return !(n->deps & ~(GX_DEP_LOCAL | GX_DEP_CURRENT | GX_DEP_TREE)); }
static int is_of_node(const gx_plan *n)
{
    return n->deps & GX_DEP_CONTEXT && !(n->deps & ~(GX_DEP_CONTEXT | GX_DEP_TREE));
}

/* ---- operators with literals ---- */

/* Does it ask both the node and the row? */
static int is_mixed(const gx_plan *n)
{
    return n->deps & GX_DEP_CONTEXT && n->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT)
        && !(n->deps & ~(GX_DEP_CONTEXT | GX_DEP_LOCAL | GX_DEP_CURRENT | GX_DEP_TREE));
}

/* What an operator with one operand x and literals does, where it never falls while x rises, or never rises: the place
 * of x among its operands, -1 for any other. *falls: it never rises */
static int only_operand(const gx_plan *n, int *falls)
{
    const int turned = n->n == 2 && n->kids[0]->op == GX_X_NUM;
    const double k = n->n == 2 ? n->kids[!turned]->num : 1;
    *falls = n->op == GX_X_NEG || (n->op == GX_X_SUB && turned) || ((n->op == GX_X_MUL || n->op == GX_X_DIV) && k < 0);
    if (n->n == 2 && (n->kids[!turned]->op != GX_X_NUM || !isfinite(k) || k == 0))
        return -1;
    return n->op == GX_X_NEG || n->op == GX_X_ADD || n->op == GX_X_SUB || n->op == GX_X_MUL
            || (n->op == GX_X_DIV && !turned)
            || (n->op == GX_X_FUNC && (n->a == GX_F_FLOOR || n->a == GX_F_CEILING || n->a == GX_F_ROUND))
        ? turned : -1;
}

static double value_for(const gx_plan *n, double x)
{
    const int turned = n->n == 2 && n->kids[0]->op == GX_X_NUM;
    const double k = n->n == 2 ? n->kids[!turned]->num : 0;
    switch (n->op) {
    case GX_X_NEG: return -x;
    case GX_X_ADD: return x + k;
    case GX_X_SUB: return turned ? k - x : x - k;
    case GX_X_MUL:
        return n->kids[0] == n->kids[1] || gx_plan_is_same(n->kids[0], n->kids[1]) ? x * x : x * k;
    case GX_X_DIV: return x / k;
    default:
        return n->a == GX_F_FLOOR ? gx_number_floor(x) : n->a == GX_F_CEILING ? gx_number_ceiling(x)
                                                                              : gx_number_round(x);
    }
}

/* The least x, from `from` on, for which n of sign * x is at least c (more: more than c); NaN: there is none */
static double least_for(const gx_plan *n, double sign, double from, double c, int more)
{
    u64 no = gx_double_rank(from), yes = gx_double_rank(INFINITY);
    double value = value_for(n, sign * INFINITY);
    if (!(more ? value > c : value >= c))
        return NAN;
    value = value_for(n, sign * from);
    if (more ? value > c : value >= c)
        return from;
    while (yes - no > 1) {
        const u64 middle = no + (yes - no) / 2;
        value = value_for(n, sign * gx_double_of_rank(middle));
        if (more ? value > c : value >= c)
            yes = middle;
        else
            no = middle;
    }
    return gx_double_of_rank(yes);
}

/* [x >= d], or [x <= -d] of the opposite; below: those that the bound leaves out, all but NaN where it is NaN itself */
static gx_plan *beyond(gx_planner *p, gx_plan *x, double sign, double d, int below)
{
    if (below)
        d = isnan(d) ? INFINITY : d == -INFINITY ? NAN : gx_double_of_rank(gx_double_rank(d) - 1);
    return gx_plan_binary(p, below == (sign > 0) ? GX_X_LE : GX_X_GE, x, gx_plan_num(p, sign * d, x->at), x->at);
}

/* A comparison with a literal, which stands on the right then */
typedef struct limit { gx_plan *around; gx_plan *literal; u32 op; } limit;

/* 0: neither side is a literal */
static int is_limit(const gx_plan *n, limit *l)
{
    const int turned = n->kids[0]->op == GX_X_NUM;
    *l = (limit){ n->kids[turned], n->kids[!turned], turned ? gx_xop_turned(n->op) : n->op };
    return l->literal->op == GX_X_NUM;
}

/* May a predicate have another condition in its place? */
static int is_replaceable(const gx_planner *p, const gx_plan *n)
{
    return p->predicates && !n->calls && !n->hosted && !n->fails;
}

/*
 *  [(@v - $n) div 10 > 3]   ->   [@v - $n >= d]          [floor(@v + $n) = 3]   ->   both bounds
 *
 * an operator around something of both, and literals, by the least number for which it meets the condition.
 */
static gx_plan *literal_compared(gx_planner *p, gx_plan *n, u32 demand)
{
    limit l;
    int falls;
    (void)demand;
    if (n->op < GX_X_EQ || n->op > GX_X_GE || !is_replaceable(p, n) || !is_limit(n, &l) || isnan(l.literal->num))
        return NULL;
    const gx_plan *around = l.around;
    const double c = l.literal->num;
    const u32 op = l.op;
    const int at = around->type == GX_T_NUM ? only_operand(around, &falls) : -1;
    if (at < 0 || !is_mixed(around))
        return NULL;
    gx_plan *x = gx_plan_convert(p, around->kids[at], GX_T_NUM);
    const double sign = falls ? -1 : 1;
    const double least = least_for(around, sign, -INFINITY, c, op == GX_X_GT || op == GX_X_LE);
    if (op != GX_X_EQ && op != GX_X_NE)
        return beyond(p, x, sign, least, op == GX_X_LT || op == GX_X_LE);
    const double above = least_for(around, sign, -INFINITY, c, 1);
    gx_plan *same = gx_plan_binary(p, GX_X_AND, beyond(p, x, sign, least, 0), beyond(p, x, sign, above, 1), n->at);
    return op == GX_X_EQ ? same : gx_plan_not(p, same, n->at);
}

static int is_square(const gx_plan *n)
{
    return n->op == GX_X_MUL && is_mixed(n->kids[0]) && gx_plan_is_same(n->kids[0], n->kids[1]);
}

/*  [(@v - $n) * (@v - $n) < 9]   ->   [@v - $n <= d][@v - $n >= -d]          > and >=: or  */
static gx_plan *square_compared(gx_planner *p, gx_plan *n, u32 demand)
{
    limit l;
    (void)demand;
    if (n->op < GX_X_LT || n->op > GX_X_GE || !is_replaceable(p, n) || !is_limit(n, &l) || isnan(l.literal->num)
        || !is_square(l.around))
        return NULL;
    const int below = l.op == GX_X_LT || l.op == GX_X_LE;
    gx_plan *x = l.around->kids[0];
    const double least = least_for(l.around, 1, 0, l.literal->num, l.op == GX_X_GT || l.op == GX_X_LE);
    gx_plan *up = beyond(p, x, 1, least == 0 && below ? -INFINITY : least, below);
    gx_plan *down = beyond(p, x, -1, least == 0 && below ? -INFINITY : least, below);
    return gx_plan_binary(p, below ? GX_X_AND : GX_X_OR, up, down, n->at);
}

/* [x * x + y * y < c], of which no part is less than 0   ->   [x * x < c]: the first that is the square of something of
 * both; NULL: there is none */
static gx_plan *square_of_sum(gx_planner *p, const gx_plan *sum, u32 op, gx_plan *c)
{
    if (sum->op != GX_X_ADD)
        return sum->op == GX_X_MUL && gx_plan_is_same(sum->kids[0], sum->kids[1])
            ? (is_square(sum) ? gx_plan_binary(p, op, (gx_plan *)sum, c, sum->at) : gx_plan_bool(p, 1, sum->at)) : NULL;
    gx_plan *left = square_of_sum(p, sum->kids[0], op, c), *right = square_of_sum(p, sum->kids[1], op, c);
    return !left || !right ? NULL : left->op == GX_X_BOOL ? right : left;
}

gx_plan *gx_plan_implied_by_squares(gx_planner *p, gx_plan *n)
{
    limit l;
    if (!is_limit(n, &l) || (l.op != GX_X_LT && l.op != GX_X_LE) || l.around->op != GX_X_ADD)
        return NULL;
    gx_plan *some = square_of_sum(p, l.around, l.op, l.literal);
    return some && some->op == GX_X_AND ? some : NULL;
}

/* ---- both sides ---- */

#define MAX_PARTS 8u
#define MAX_TIMES 0x1p100               /* so that no part is so large, or so small, that gx_sum_end() would not know */

/* What is of the node, and what of the row: signed sums, and the sums of absolute values */
typedef struct sides { gx_plan *sum[2], *size[2]; u32 n; } sides;

static gx_plan *call_of(gx_planner *p, u32 func, gx_plan *n)
{
    return gx_plan_func(p, func, GX_T_NUM, n->at, gx_plans_with(p, gx_plans_none, n));
}

static void add_to(gx_planner *p, gx_plan **sum, int minus, gx_plan *n)
{
    gx_plan *before = *sum ? *sum : gx_plan_num(p, 0, n->at);
    *sum = gx_plan_binary(p, minus ? GX_X_SUB : GX_X_ADD, before, n, n->at);
}

/* Adds a part of a comparison's left side, or takes it off: what is of the row goes to the other side. 0: it is of
 * both */
static int add_part(gx_planner *p, gx_plan *n, int minus, sides *s)
{
    const int row = is_of_row(n);
    if ((!row && !is_of_node(n)) || s->n++ == MAX_PARTS)
        return 0;
    add_to(p, &s->sum[row], minus != row, n);
    return 1;
}

/* The operands of + and -, and what is multiplied with a literal or divided by one */
static int add_numbers(gx_planner *p, gx_plan *n, double times, sides *s)
{
    const int row = is_of_row(n), mixed = !row && !is_of_node(n);
    if (mixed && n->op == GX_X_NEG)
        return add_numbers(p, n->kids[0], -times, s);
    if (mixed && (n->op == GX_X_ADD || n->op == GX_X_SUB))
        return add_numbers(p, n->kids[0], times, s)
            && add_numbers(p, n->kids[1], n->op == GX_X_SUB ? -times : times, s);
    if (mixed && (n->op == GX_X_MUL || n->op == GX_X_DIV)) {
        const int turned = n->op == GX_X_MUL && n->kids[0]->op == GX_X_NUM;
        const double by = n->kids[!turned]->num, all = n->op == GX_X_MUL ? times * by : times / by;
        return n->kids[!turned]->op == GX_X_NUM && fabs(all) < MAX_TIMES && fabs(all) > 1 / MAX_TIMES
            && add_numbers(p, n->kids[turned], all, s);
    }
    gx_plan *number = gx_plan_convert(p, n, GX_T_NUM);
    if (fabs(times) != 1)
        number = gx_plan_binary(p, GX_X_MUL, number, gx_plan_num(p, fabs(times), n->at), n->at);
    if (!add_part(p, number, times < 0, s))
        return 0;
    add_to(p, &s->size[row], 0, call_of(p, GX_F_MATH_ABS, number));
    return 1;
}

static int add_strings(gx_planner *p, gx_plan *n, int minus, sides *s)
{
    if (gx_plan_is_call(n, GX_F_CONCAT) && !is_of_row(n) && !is_of_node(n)) {
        for (u32 i = 0; i < n->n; i++)
            if (!add_strings(p, n->kids[i], minus, s))
                return 0;
        return 1;
    }
    return add_part(p, call_of(p, GX_F_LETTERS, gx_plan_convert(p, n, GX_T_STR)), minus, s);
}

static int is_single(const gx_plan *n)
{
    return n->type == GX_T_NUM || n->type == GX_T_STR || (n->type == GX_T_SET && n->set & GX_XS_SINGLE);
}

/* Has each side one value, and is one of them put together of both? */
static int is_candidate(const gx_planner *p, const gx_plan *n)
{
    const gx_plan *left = n->kids[0], *right = n->kids[1];
    return is_replaceable(p, n) && !n->origin && n->op >= GX_X_EQ && n->op <= GX_X_GE && is_single(left)
        && is_single(right) && n->deps & GX_DEP_CONTEXT
        && n->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT)
        && !(is_of_row(left) && is_of_node(right)) && !(is_of_node(left) && is_of_row(right));
}

/* The least or greatest that a side's sum may be */
static gx_plan *end_of(gx_planner *p, const sides *s, u32 side, u32 greatest)
{
    gx_plans args = gx_plans_with(p, gx_plans_with(p, gx_plans_none, s->sum[side]), s->size[side]);
    args = gx_plans_with(p, args, gx_plan_num(p, greatest, s->sum[side]->at));
    return gx_plan_func(p, GX_F_SUM_END, GX_T_NUM, s->sum[side]->at, args);
}

static int sums_of(gx_planner *p, gx_plan *n, sides *s)
{
    *s = (sides){ { NULL, NULL }, { NULL, NULL }, 0 };
    return (n->kids[0]->type == GX_T_NUM || n->kids[1]->type == GX_T_NUM) && add_numbers(p, n->kids[0], 1, s)
        && add_numbers(p, n->kids[1], -1, s) && s->sum[0] && s->sum[1];
}

gx_plan *gx_plan_implied_by_parts(gx_planner *p, gx_plan *n)
{
    sides s;
    if (n->op != GX_X_EQ || !is_candidate(p, n))
        return NULL;
    if (sums_of(p, n, &s))
        return gx_plan_binary(p, GX_X_AND,
                              gx_plan_binary(p, GX_X_GE, end_of(p, &s, 0, 1), end_of(p, &s, 1, 0), n->at),
                              gx_plan_binary(p, GX_X_LE, end_of(p, &s, 0, 0), end_of(p, &s, 1, 1), n->at), n->at);
    s = (sides){ { NULL, NULL }, { NULL, NULL }, 0 };
    if (n->kids[0]->type == GX_T_NUM || n->kids[1]->type == GX_T_NUM || !add_strings(p, n->kids[0], 0, &s)
        || !add_strings(p, n->kids[1], 1, &s) || !s.sum[0] || !s.sum[1])
        return NULL;
    return gx_plan_binary(p, GX_X_EQ, s.sum[0], s.sum[1], n->at);
}

/*  [@v + $n > @w + $m]   ->   [certainly or perhaps and @v + $n > @w + $m]     by what is of the node, and of the
 *                                                                              row  */
static gx_plan *parts_compared(gx_planner *p, gx_plan *n, u32 demand)
{
    sides s;
    (void)demand;
    if (n->op < GX_X_LT || !is_candidate(p, n) || !sums_of(p, n, &s))
        return NULL;
    const int up = n->op == GX_X_GT || n->op == GX_X_GE;
    gx_plan *itself = gx_plan_copy(p, n);
    itself->origin = n;                 /* it is not taken apart again */
    gx_plan_derive(itself);
    gx_plan *surely = gx_plan_binary(p, up ? GX_X_GT : GX_X_LT, end_of(p, &s, 0, !up), end_of(p, &s, 1, up), n->at);
    gx_plan *perhaps = gx_plan_binary(p, up ? GX_X_GE : GX_X_LE, end_of(p, &s, 0, up), end_of(p, &s, 1, !up), n->at);
    gx_plan *others = gx_plan_binary(p, up ? GX_X_LE : GX_X_GE, end_of(p, &s, 0, !up), end_of(p, &s, 1, up), n->at);
    gx_plan *between = gx_plan_binary(p, GX_X_AND, others, perhaps, n->at);
    return gx_plan_binary(p, GX_X_OR, surely, gx_plan_binary(p, GX_X_AND, between, itself, n->at), n->at);
}

static const gx_rule_def rules[] = {
    { "literal-compared", GX_ON_COMPARE, GX_RULE_REWRITE, 0, literal_compared },
    { "square-compared", GX_ON_COMPARE, GX_RULE_REWRITE, 0, square_compared },
    { "parts-compared", GX_ON_COMPARE, GX_RULE_REWRITE, 0, parts_compared },
};
const gx_rules gx_rules_apart = GX_RULES(rules);
