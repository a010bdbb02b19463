/* SPDX-License-Identifier: Apache-2.0 */
/*
 * range.h -- sums and extremes of ranges of a column of numbers
 *
 *   level 0    3   1   4   1   5   9   2
 *   level 1    4       5       14              a pair each; what has no other half is in no pair
 *   level 2    9               .
 *
 * A range is made of at most two pairs of each level. Cost: O(n) to make, 8 bytes a number and as many again for all
 * levels; O(log n) to ask. Sums are those of whole numbers without rounding (gx_range_exact), whose order is no matter;
 * extremes leave NaN out, and are NaN where there is nothing else.
 */
#ifndef GX_MACHINE_RANGE_H
#define GX_MACHINE_RANGE_H

#include "budget.h"
#include "machine.h"
#include "memory.h"
#include "number.h"

enum { GX_RANGE_SUM, GX_RANGE_LEAST, GX_RANGE_GREATEST };

typedef struct gx_range_tree { u32 how, n, levels; const double *level[32]; } gx_range_tree;

/* Of two numbers the farther one; NaN: there is none */
GX_OP double gx_farther(double a, double b, int greatest)
{
    return gx_is_nan(a) || (greatest ? b > a : b < a) ? gx_is_nan(b) ? a : b : a;
}

GX_OP double gx_range_both(u32 how, double a, double b)
{
    return how == GX_RANGE_SUM ? a + b : gx_farther(a, b, how == GX_RANGE_GREATEST);
}

/* *exact: are all whole numbers, and so small that no sum of some of them is rounded? */
GX_OP_BIG gx_status gx_range_exact(gx_m *m, const double *x, u32 n, int *exact)
{
    const double most = 9007199254740992.0;     /* 2^53 */
    u32 other = 0;
    u64 sum = 0;

    TEAM_FOR(&m->t, k, n) {
        const double d = x[k] < 0 ? -x[k] : x[k];
        if (!(d < most) || d != (double)(u64)d) {
            other = 1;
            break;
        }
        sum += (u64)d;
        if (sum >= (u64)1 << 53) {
            other = 1;
            break;
        }
    }
    *exact = !team_any(&m->t, (int)other);
    if (*exact)                         /* fewer than 2^11 members have less than 2^53 each */
        *exact = team_sum(&m->t, sum) < (u64)1 << 53;
    return GX_OK;
}

GX_OP_BIG gx_status gx_range_make(gx_m *m, const double *x, u32 n, u32 how, gx_range_tree *t)
{
    double *up;

    t->how = how;
    t->n = n;
    t->level[0] = x;
    t->levels = 1;
    for (u32 of = n / 2; of; of /= 2) {
        const double *below = t->level[t->levels - 1];
        GX_TMP(m, up, double, of);
        TEAM_FOR(&m->t, k, of)
            up[k] = gx_range_both(how, below[2 * k], below[2 * k + 1]);
        team_sync(&m->t);
        t->level[t->levels++] = up;
    }
    return GX_OK;
}

/* Of level 0's numbers b .. e - 1 */
GX_OP double gx_range_of(const gx_range_tree *t, u32 b, u32 e)
{
    double out = t->how == GX_RANGE_SUM ? 0 : gx_nan();

    for (u32 l = 0; b < e; l++, b /= 2, e /= 2) {
        if (b & 1)
            out = gx_range_both(t->how, out, t->level[l][b++]);
        if (e & 1)
            out = gx_range_both(t->how, out, t->level[l][--e]);
    }
    return out;
}

#endif
