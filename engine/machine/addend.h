/* SPDX-License-Identifier: Apache-2.0 */
/*
 * addend.h -- which numbers x have x + y >= c, as floating point adds (plan/solve.c)
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
