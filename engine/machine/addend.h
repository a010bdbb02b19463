/* SPDX-License-Identifier: Apache-2.0 */
/*
 * addend.h -- which numbers x have x + y >= c, or x * y >= c, as floating point computes (plan/solve.c)
 *
 * The sum is rounded, so that x >= c - y is not the same. But it never falls where x grows: the numbers that meet the
 * condition are all from the least one on, which is c - y or a neighbour, or else is found by halving all doubles.
 */
#ifndef GX_MACHINE_ADDEND_H
#define GX_MACHINE_ADDEND_H

#include "base.h"
#include "number.h"

/* Doubles as whole numbers in the same order, and back */
GX_OP u64 gx_double_rank(double d)
{
    u64 bits;
    memcpy(&bits, &d, 8);
    return bits >> 63 ? ~bits : bits | (u64)1 << 63;
}
GX_OP double gx_double_of_rank(u64 rank)
{
    const u64 bits = rank >> 63 ? rank & ~((u64)1 << 63) : ~rank;
    double d;
    memcpy(&d, &bits, 8);
    return d;
}

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

/* Is x * y op c? op: GX_X_EQ to GX_X_GE but GX_X_NE */
GX_OP int gx_factor_does(u32 op, double x, double y, double c)
{
    const double product = x * y;
    return op == GX_X_LT ? product < c
        : op == GX_X_LE  ? product <= c
        : op == GX_X_GT  ? product > c
        : op == GX_X_GE  ? product >= c
                         : product == c;
}

/* The least x so that x * y op c, y > 0 and finite, op >= or >; NaN: there is none */
GX_OP double gx_least_factor(u32 op, double y, double c)
{
    const double infinity = gx_infinity();
    u64 no = gx_double_rank(-infinity), yes = gx_double_rank(infinity);

    if (!gx_factor_does(op, infinity, y, c))
        return gx_nan();
    if (gx_factor_does(op, -infinity, y, c))
        return -infinity;
    while (yes - no > 1) {                      /* the rank `no` does not, the rank `yes` does */
        const u64 middle = no + (yes - no) / 2;
        if (gx_factor_does(op, gx_double_of_rank(middle), y, c))
            yes = middle;
        else
            no = middle;
    }
    return gx_double_of_rank(yes);
}

/*
 * The least, or with `greatest` the greatest x so that x * y op c; NaN: there is none. A product rises with x where
 * y > 0 and falls where y < 0, so that the numbers that meet the condition are all from the one to the other, but for
 * y infinite, c as well, and >= or <=: which solve.c leaves alone.
 */
GX_OP double gx_factor(double y, double c, u32 op, u32 greatest)
{
    const double infinity = gx_infinity(), sign = y < 0 ? -1 : 1;       /* y < 0: x * y is -x * -y */
    const double least = gx_double_of_rank(gx_double_rank(0) + 1),
                 most = gx_double_of_rank(gx_double_rank(infinity) - 1);
    const u32 top = y < 0 ? !greatest : greatest != 0;
    const int rises = op == GX_X_GE || op == GX_X_GT;

    if (gx_is_nan(y) || gx_is_nan(c))
        return gx_nan();
    y *= sign;
    if (y == 0)                                 /* infinite x: NaN */
        return !gx_factor_does(op, 0, y, c) ? gx_nan() : greatest ? most : -most;
    if (y == infinity) {                        /* x = 0: NaN */
        if (gx_factor_does(op, 1, y, c))
            return sign * (top ? infinity : least);
        return !gx_factor_does(op, -1, y, c) ? gx_nan() : sign * (top ? -least : -infinity);
    }
    if (rises || (op == GX_X_EQ && !top)) {
        const double from = gx_least_factor(op == GX_X_GT ? GX_X_GT : GX_X_GE, y, c);
        return gx_is_nan(from) || !top ? sign * from : sign * infinity;
    }
    /* x * y <= c: -x * y >= -c */
    const double to = -gx_least_factor(op == GX_X_LT ? GX_X_GT : GX_X_GE, y, -c);
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

#endif
