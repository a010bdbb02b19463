/* SPDX-License-Identifier: Apache-2.0 */
/*
 * math.c -- EXSLT's math functions that are host steps
 *
 * libm's sine and a GPU's need not agree to the last bit, and what a page says must not depend on who computed it. So
 * these are computed here, for every team; a program that calls them is not sent to a GPU (GX_P_HOST).
 */
#include <math.h>
#include <sys/random.h>
#include <time.h>
#include "host.h"

/* math:random(): 0 <= x < 1, of 53 random bits; xorshift64*, seeded by the system once an evaluation. */
static double next_random(host *h)
{
    if (!h->random && (getrandom(&h->random, sizeof h->random, GRND_NONBLOCK) != sizeof h->random || !h->random))
        h->random = (u64)time(NULL) * 0x9e3779b97f4a7c15ull | 1;
    h->random ^= h->random >> 12;
    h->random ^= h->random << 25;
    h->random ^= h->random >> 27;
    return (double)(h->random * 0x2545f4914f6cdd1dull >> 11) * 0x1p-53;
}

static double value(host *h, u32 func, double x, double y)
{
    switch (func) {
    case GX_F_MATH_POWER: return pow(x, y);
    case GX_F_MATH_ATAN2: return atan2(x, y);
    case GX_F_MATH_EXP: return exp(x);
    case GX_F_MATH_LOG: return log(x);
    case GX_F_MATH_SIN: return sin(x);
    case GX_F_MATH_COS: return cos(x);
    case GX_F_MATH_TAN: return tan(x);
    case GX_F_MATH_ASIN: return asin(x);
    case GX_F_MATH_ACOS: return acos(x);
    case GX_F_MATH_ATAN: return atan(x);
    default: return next_random(h);
    }
}

gx_status gx_host_math(host *h, u32 func, const gx_v *args, u32 n, double *out)
{
    for (u32 i = 0; i < n; i++) {
        double x = 0, y = 0;
        if (func != GX_F_MATH_RANDOM)
            x = ((const double *)args[0].data)[GX_ROW(&args[0], i)];
        if (func == GX_F_MATH_POWER || func == GX_F_MATH_ATAN2)
            y = ((const double *)args[1].data)[GX_ROW(&args[1], i)];
        out[i] = value(h, func, x, y);
    }
    return GX_OK;
}
