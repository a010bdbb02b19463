/* SPDX-License-Identifier: Apache-2.0 */
/*
 * addend.h -- which numbers x have x + y >= c, x * y >= c, or x div y >= c, as floating point computes (plan/solve.c);
 *             what sums and strings of several parts are known by (plan/apart.c)
 *
 * The sum is rounded, so that x >= c - y is not the same. But it never falls where x grows: the numbers that meet the
 * condition are all from the least one on, which is c - y or a neighbour, or else is found by halving all doubles.
 */
#ifndef GX_MACHINE_ADDEND_H
#define GX_MACHINE_ADDEND_H

#include "base.h"
#include "number.h"

GX_OP int gx_addend_does(double x, double y, double c, u32 more) { return more ? x + y > c : x + y >= c; }

/* The least x so that x + y >= c (more: > c); NaN: there is none. An x infinite where y is the opposite, whose sum is
 * NaN, counts as less than any other: so with y = c = -infinity plan/solve.c has to leave x = +infinity out. */
GX_OP double gx_least_addend(double y, double c, u32 more)
{
    const double infinity = gx_infinity();
    u64 no = gx_double_rank(-infinity), yes = gx_double_rank(infinity);

    if (y == -infinity)
        return c == -infinity && !more ? -infinity : gx_nan();
    if (!gx_addend_does(infinity, y, c, more))          /* y or c is none, or c more than any sum */
        return gx_nan();
    if (gx_addend_does(-infinity, y, c, more))
        return -infinity;
    const u64 guess = gx_double_rank(c - y);
    if (guess > no + 2 && guess < yes - 2)
        for (u64 near = guess - 1; near <= guess + 1; near++) {
            if (gx_addend_does(gx_double_of_rank(near), y, c, more))
                yes = near < yes ? near : yes;
            else
                no = near > no ? near : no;
        }
    while (yes - no > 1) {                      /* the rank `no` does not, the rank `yes` does */
        const u64 middle = no + (yes - no) / 2;
        if (gx_addend_does(gx_double_of_rank(middle), y, c, more))
            yes = middle;
        else
            no = middle;
    }
    return gx_double_of_rank(yes);
}

/*
 * A number that stands where 1 div d does among those of all others, and is another one for each other d (1 div d is
 * not): -0, -1, -infinity, infinity, 1, 0 is the order. Its place's place is d, but that both infinities, which divide
 * to 0, have the place 0.
 */
GX_OP double gx_reciprocal_place(double d)
{
    const u64 zero = gx_double_rank(0), most = gx_double_rank(gx_infinity());
    const u64 rank = gx_double_rank(d);

    if (gx_is_nan(d))
        return d;
    return rank >= zero ? gx_double_of_rank(most - rank + zero)
                        : -gx_double_of_rank(most - gx_double_rank(-d) + zero);
}

/* Is x * y op c, or what kind says? op: GX_X_EQ to GX_X_GE but GX_X_NE; kind: GX_FACTOR_* */
GX_OP int gx_factor_does(u32 op, u32 kind, double x, double y, double c)
{
    const double value = kind == GX_FACTOR_MULTIPLIED ? x * y
        : kind == GX_FACTOR_DIVIDED                   ? x / y
                                                      : y / gx_reciprocal_place(x);
    return op == GX_X_LT ? value < c
        : op == GX_X_LE  ? value <= c
        : op == GX_X_GT  ? value > c
        : op == GX_X_GE  ? value >= c
                         : value == c;
}

/* The least x so that x * y op c, y > 0, op >= or >; x * y is 0 for no x but 0 and infinite for no finite x. NaN: there
 * is none */
GX_OP double gx_least_factor(u32 op, u32 kind, double y, double c)
{
    const double infinity = gx_infinity();
    u64 no = gx_double_rank(-infinity), yes = gx_double_rank(infinity);

    if (!gx_factor_does(op, kind, infinity, y, c))
        return gx_nan();
    if (gx_factor_does(op, kind, -infinity, y, c))
        return -infinity;
    while (yes - no > 1) {                      /* the rank `no` does not, the rank `yes` does */
        const u64 middle = no + (yes - no) / 2;
        if (gx_factor_does(op, kind, gx_double_of_rank(middle), y, c))
            yes = middle;
        else
            no = middle;
    }
    return gx_double_of_rank(yes);
}

/*
 * The least, or with `greatest` the greatest x so that x * y op c; NaN: there is none. how: GX_FACTOR. A product rises
 * with x where y > 0 and falls where y < 0, so that the numbers that meet the condition are all from the one to the
 * other, but for y infinite (a divisor 0), c infinite as well, and >= or <=: which solve.c leaves alone.
 */
GX_OP double gx_factor(double y, double c, u32 how, u32 greatest)
{
    const u32 op = GX_X_EQ + (how & 7), kind = how >> 3;
    const double infinity = gx_infinity();
    const double least = gx_double_of_rank(gx_double_rank(0) + 1),
                 most = gx_double_of_rank(gx_double_rank(infinity) - 1);
    const int rises = op == GX_X_GE || op == GX_X_GT;

    if (gx_is_nan(y) || gx_is_nan(c))
        return gx_nan();
    const int falls = gx_double_rank(y) < gx_double_rank(0);    /* -0 divides to the opposite */
    const double sign = falls ? -1 : 1;                         /* x * y is -x * -y */
    const u32 top = falls ? !greatest : greatest != 0;
    y *= sign;
    if (kind == GX_FACTOR_DIVIDED ? y == infinity : y == 0)     /* 0 for all x but the infinite, for which it is NaN */
        return !gx_factor_does(op, kind, 0, y, c) ? gx_nan() : greatest ? most : -most;
    if (kind == GX_FACTOR_DIVIDED ? y == 0 : y == infinity) {   /* infinite for all x but 0, for which it is NaN */
        if (gx_factor_does(op, kind, 1, y, c))
            return sign * (top ? infinity : least);
        return !gx_factor_does(op, kind, -1, y, c) ? gx_nan() : sign * (top ? -least : -infinity);
    }
    if (rises || (op == GX_X_EQ && !top)) {
        const double from = gx_least_factor(op == GX_X_GT ? GX_X_GT : GX_X_GE, kind, y, c);
        return gx_is_nan(from) || !top ? sign * from : sign * infinity;
    }
    /* x * y <= c: -x * y >= -c */
    const double to = -gx_least_factor(op == GX_X_LT ? GX_X_GT : GX_X_GE, kind, y, -c);
    return gx_is_nan(to) || top ? sign * to : sign * -infinity;
}

/* The least x for which not(x < d) (more: not(x <= d)); NaN: none. d NaN: all are. */
GX_OP double gx_not_less(double d, u32 more)
{
    if (gx_is_nan(d))
        return -gx_infinity();
    if (!more)
        return d;
    return d == gx_infinity() ? gx_nan() : gx_double_of_rank(gx_double_rank(d == 0 ? 0 : d) + 1);
}

/* The least, or with `greatest` the greatest, that a sum of a few numbers may be without rounding: sum is what it is
 * with it, size the sum of their absolute values. Nothing is known where some operand may have been infinite. */
GX_OP double gx_sum_end(double sum, double size, u32 greatest)
{
    const double most = size / 1099511627776.0 + 1e-270;        /* 2^40 */

    if (gx_is_nan(size))
        return size;
    if (size >= 1e270)
        return greatest ? gx_infinity() : -gx_infinity();
    return greatest ? sum + most : sum - most;
}

/* A whole number for each byte, added up: strings that are put together have the sum of theirs, and no sum of fewer
 * than 2^33 bytes is rounded. */
GX_OP double gx_letters(const char *p, u32 n)
{
    double sum = 0;

    for (u32 i = 0; i < n; i++)
        sum += (u32)(((u32)(u8)p[i] + 1) * 0x9e3779b1u) >> 12;
    return sum;
}

#endif
