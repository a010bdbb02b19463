/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.h -- XPath numbers: text to double, double to text, rounding
 *
 * Both directions are exact: gx_number_parse rounds to the nearest double (ties to even), gx_number_format writes the
 * fewest digits that read back as the same double, and of those the nearest. No exponents: XPath 1.0 has none in either
 * direction.
 *
 *   digits x 10^e  --approximate, 128 bits-->  both bounds round alike? --yes-->  the double
 *                                                  \--no--> compare the digits with the midpoint of two doubles,
 *                                                  exactly
 *   double  --Schubfach (R. Giulietti, 2020)-->  digits x 10^e  --no exponent-->  "123.45"
 *
 * Both use one table of powers of ten, 26 entries of 192 bits, and the powers of five in between: 840 bytes in all.
 * Integers below 2^53 and decimals with few digits have shorter ways that need no table.
 *
 * Every function reads only its arguments and the tables, allocates nothing, and gives the same bits on host and device
 * (no contraction: -ffp-contract=off, -fmad=false). The largest frame is the exact comparison's, about 150 bytes.
 */
#ifndef GX_MACHINE_NUMBER_H
#define GX_MACHINE_NUMBER_H

#include <math.h>
#include <string.h>
#include "base.h"

/* Bytes that any double may take: "-0." + 307 zeros + 17 digits, rounded up. */
#define GX_NUMBER_CHARS 336u

/* A finite number: digits x 10^exponent. digits has no trailing zero and at most 17 places; 0 is {0, 0, 0}. */
typedef struct gx_decimal { u64 digits; i32 exponent; u32 negative; } gx_decimal;

typedef unsigned __int128 gx_u128;

GX_FN u64 gx_number_bits(double v) { u64 bits; memcpy(&bits, &v, sizeof bits); return bits; }
GX_FN double gx_number_from_bits(u64 bits) { double v; memcpy(&v, &bits, sizeof v); return v; }

#define GX_NUMBER_NAN_BITS 0x7ff8000000000000ull
#define GX_NUMBER_INF_BITS 0x7ff0000000000000ull
GX_FN double gx_number_nan(void) { return gx_number_from_bits(GX_NUMBER_NAN_BITS); }
GX_FN double gx_nan(void) { return gx_number_nan(); }
GX_FN double gx_infinity(void) { return gx_number_from_bits(GX_NUMBER_INF_BITS); }
GX_FN int gx_is_nan(double d) { return d != d; }
GX_FN double gx_number_infinity(void) { return gx_number_from_bits(GX_NUMBER_INF_BITS); }
GX_FN int gx_number_is_nan(double v) { return v != v; }
GX_FN int gx_number_is_finite(double v) { return (gx_number_bits(v) & GX_NUMBER_INF_BITS) != GX_NUMBER_INF_BITS; }

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* 10^i for i <= 19 */
GX_FN u64 gx_pow10_u64(u32 i)
{
    static const u64 table[20] = {
        1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u, 1000000000u, 10000000000ull,
        100000000000ull, 1000000000000ull, 10000000000000ull, 100000000000000ull, 1000000000000000ull,
        10000000000000000ull, 100000000000000000ull, 1000000000000000000ull, 10000000000000000000ull,
    };
    return table[i];
}

/* 10^i for i <= 22: all of these are doubles */
GX_FN double gx_pow10_double(u32 i)
{
    static const double table[23] = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
        1e19, 1e20, 1e21, 1e22
    };
    return table[i];
}

/* floor(log2(10^k)) and floor(log10(2^q)); both hold for all |k| <= 351 and |q| <= 1100 (t/41-number.c tries all that
 * is used) */
GX_FN i32 gx_log2_pow10(i32 k) { return (k * 1741647) >> 19; }

#define GX_POW10_MIN (-351)
#define GX_POW10_MAX 350

/* The first 128 bits of 10^k, rounded down: hi:lo = floor(10^k / 2^(log2_pow10(k) - 127)), so hi's top bit is set.
 * Exact for 0 <= k <= 55. One entry each 27 powers, times 5^r: 192 bits are enough for all 702 results to be exactly
 * this floor. */
GX_FN void gx_pow10_128(i32 k, u64 *hi, u64 *lo)
{
    static const u64 base[26][3] = {
        {0x8049a4ac0c5811aeull, 0x205b896d777d6278ull, 0xac261e9f5141430bull},    /* 10^-351 */
        {0xcf42894a5dce35eaull, 0x52064cac828675b9ull, 0x475f2b7d7df1ad7aull},
        {0xa76c582338ed2621ull, 0xaf2af2b80af6f24eull, 0x657c8f4d43323a36ull},
        {0x873e4f75e2224e68ull, 0x5a7744a6e804a291ull, 0xcc35eddfcf0996d7ull},
        {0xda7f5bf590966848ull, 0xaf39a475506a899eull, 0xa30294cc2934e662ull},
        {0xb080392cc4349decull, 0xbd8d794d96aacfb3ull, 0xfe13a5c86af64418ull},
        {0x8e938662882af53eull, 0x547eb47b7282ee9cull, 0x41b0230e1421487dull},
        {0xe65829b3046b0afaull, 0x0cb4a5a3112a5112ull, 0xa3b561b1cb208396ull},
        {0xba121a4650e4ddebull, 0x92f34d62616ce413ull, 0x21a0183e10583cd3ull},
        {0x964e858c91ba2655ull, 0x3a6a07f8d510f86full, 0xe9082f25e9c5e9ecull},
        {0xf2d56790ab41c2a2ull, 0xfae27299423fb9c3ull, 0x3695dad7e8858901ull},
        {0xc428d05aa4751e4cull, 0xaa97e14c3c26b886ull, 0x96842dc95323f5a8ull},
        {0x9e74d1b791e07e48ull, 0x775ea264cf55347dull, 0xca49f1c05120c9c7ull},
        {0x8000000000000000ull, 0x0000000000000000ull, 0x0000000000000000ull},    /* 10^0 */
        {0xcecb8f27f4200f3aull, 0x0000000000000000ull, 0x0000000000000000ull},
        {0xa70c3c40a64e6c51ull, 0x999090b65f67d924ull, 0x0000000000000000ull},
        {0x86f0ac99b4e8dafdull, 0x69a028bb3ded71a3ull, 0xdf9f915627c04e28ull},
        {0xda01ee641a708de9ull, 0xe80e6f4820cc9495ull, 0xd74baad03bc1d8d3ull},
        {0xb01ae745b101e9e4ull, 0x5ec05dcff72e7f8full, 0xc04c79ffe324301full},
        {0x8e41ade9fbebc27dull, 0x14588f13be847307ull, 0x23bd6a2059c002f5ull},
        {0xe5d3ef282a242e81ull, 0x8f1668c8a86da5faull, 0xf0b5ccf5176ecc7cull},
        {0xb9a74a0637ce2ee1ull, 0x6d953e2bd7173692ull, 0x88efb0037ac08bdeull},
        {0x95f83d0a1fb69cd9ull, 0x4abdaf101564f98eull, 0x0d5a4af7b3a98e47ull},
        {0xf24a01a73cf2dccfull, 0xbc633b39673c8cecull, 0x3d9c44cd2f36917cull},
        {0xc3b8358109e84f07ull, 0x0a862f80ec4700c8ull, 0x02606ea01029dc37ull},
        {0x9e19db92b4e31ba9ull, 0x6c07a2c26a8346d1ull, 0x4944d9f52cd0dec2ull},    /* 10^324 */
    };
    static const u64 five[27] = {
        1u, 5u, 25u, 125u, 625u, 3125u, 15625u, 78125u, 390625u, 1953125u, 9765625u, 48828125u, 244140625u, 1220703125u,
        6103515625ull, 30517578125ull, 152587890625ull, 762939453125ull, 3814697265625ull, 19073486328125ull,
        95367431640625ull, 476837158203125ull, 2384185791015625ull, 11920928955078125ull, 59604644775390625ull,
        298023223876953125ull, 1490116119384765625ull,
    };
    const u32 i = (u32)(k - GX_POW10_MIN), r = i % 27;
    const u64 *b = base[i / 27], f = five[r];
    /* f x 192 bits = p3:p2:p1:p0; at most 253 bits, at least 192. Only the upper ones count: p0 just gives its
     * carry. */
    const gx_u128 m0 = (gx_u128)b[2] * f, m1 = (gx_u128)b[1] * f + (u64)(m0 >> 64),
                  m2 = (gx_u128)b[0] * f + (u64)(m1 >> 64);
    const u64 p3 = (u64)(m2 >> 64), p2 = (u64)m2, p1 = (u64)m1;
    if (p3 == 0) {                              /* r == 0, f == 1 */
        *hi = p2;
        *lo = p1;
        return;
    }
    const u32 z = (u32)__builtin_clzll(p3);     /* 1 <= z: five[26] < 2^61 */
    *hi = p3 << z | p2 >> (64 - z);
    *lo = p2 << z | p1 >> (64 - z);
}

/* ---- text to number ---------------------------------------------------------------------------------------------- */

/* (hi:lo) x 2^(e - 127) as the bits of a double, rounded down or (nearest) to nearest, ties to even. hi:lo is not 0. */
GX_FN u64 gx_number_round_bits(u64 hi, u64 lo, i32 e, int nearest)
{
    if (!(hi >> 63)) {                          /* a product of two normalised numbers lacks at most this one bit */
        hi = hi << 1 | lo >> 63;
        lo <<= 1;
        e--;
    }
    if (e > 1023)
        return GX_NUMBER_INF_BITS;
    const i32 keep = e >= -1022 ? 53 : e + 1075;    /* bits of the significand; fewer for subnormals */
    if (keep < 0)
        return 0;
    u64 c = keep ? hi >> (64 - keep) : 0;
    if (nearest) {
        const u64 rest = hi << keep, half = (u64)1 << 63;
        c += rest > half || (rest == half && (lo || (c & 1)));
    }
    /* c's hidden bit adds the missing 1 to the exponent, and so does a carry out of the significand */
    return e >= -1022 ? ((u64)(e + 1022) << 52) + c : c;
}

/* A number's text after the scan: the digits [first, end), with the point at `point` (== end when there is none). */
typedef struct gx_number_text { const char *first, *point, *end; } gx_number_text;

/* Nine digits of the text: positions 9k+8 .. 9k, where position 0 is the units' place. */
GX_FN u32 gx_number_chunk(const gx_number_text *t, i32 k)
{
    u32 chunk = 0;
    for (i32 position = 9 * k + 8; position >= 9 * k; position--) {
        u32 digit = 0;
        if (position >= 0 ? (i64)position < t->point - t->first : -(i64)position < t->end - t->point)
            digit = (u32)(t->point[position >= 0 ? -1 - position : -position] - '0');
        chunk = chunk * 10 + digit;
    }
    return chunk;
}

/* Compares the text's value with the midpoint between the doubles with bits b and b + 1: -1, 0 or 1. Exact: the
 * midpoint is (2c + 1) x 2^p; it is written out in base 10^9, from the top, beside the text. Integers need 35 such
 * digits, fractions a numerator of 34 words. Cost: about 1,200 multiplications, and one pass over the text's digits. */
GX_FN_BIG int gx_number_compare_midpoint(const gx_number_text *t, u64 b)
{
    const u32 billion = 1000000000u;
    const u32 biased = (u32)(b >> 52);
    const u64 m = 2 * (biased ? (b & 0xfffffffffffffull) | (u64)1 << 52 : b) + 1;
    const i32 p = (i32)(biased ? biased : 1) - 1075 - 1;
    u32 w[36];
    u32 n = 0;
    u64 whole = 0;                              /* the integer part when p < 0 */

    if (p >= 0) {                               /* w: m x 2^p in base 10^9, lowest first */
        for (u64 rest = m; rest; rest /= billion)
            w[n++] = (u32)(rest % billion);
        for (i32 left = p; left > 0; left -= 29) {
            const u32 shift = left < 29 ? (u32)left : 29;
            u64 carry = 0;
            for (u32 i = 0; i < n; i++) {
                carry += (u64)w[i] << shift;
                w[i] = (u32)(carry % billion);
                carry /= billion;
            }
            if (carry)
                w[n++] = (u32)carry;            /* n <= 35: the midpoint is below 2^1024 + 2^970 */
        }
    } else if (p > -64) {
        whole = m >> -p;
    }
    if (t->point - t->first > 9 * 36)           /* no leading zeros, so the text is at least 10^324 */
        return 1;
    for (i32 k = 35; k >= 0; k--) {
        const u32 ours = p >= 0 ? ((u32)k < n ? w[k] : 0)
            : k < 3             ? (u32)(whole / gx_pow10_u64(9 * (u32)k) % billion)
                                : 0;
        const u32 theirs = gx_number_chunk(t, k);
        if (theirs != ours)
            return theirs < ours ? -1 : 1;
    }

    /* w: the fraction as a binary numerator over 2^(32 n), lowest first. Times 10^9: what leaves at the top are nine
     * digits. */
    u32 low = 0;
    n = 0;
    if (p < 0) {
        const u32 s = (u32)-p;
        const u64 fraction = s < 64 ? m & (((u64)1 << s) - 1) : m;
        const u32 pad = (32 - s % 32) % 32;     /* so that the point falls between two words */
        n = (s + pad) / 32;
        for (u32 i = 0; i < n; i++)
            w[i] = 0;
        const gx_u128 padded = (gx_u128)fraction << pad;
        for (u32 i = 0; i < n && i < 3; i++)
            w[i] = (u32)(padded >> (32 * i));
    }
    i32 k = -1;
    for (;; k--) {
        while (low < n && w[low] == 0)
            low++;
        if (low == n)
            break;                              /* the midpoint's digits have ended */
        u64 carry = 0;
        for (u32 i = low; i < n; i++) {
            carry += (u64)w[i] * billion;
            w[i] = (u32)carry;
            carry >>= 32;
        }
        const u32 theirs = gx_number_chunk(t, k);
        if (theirs != (u32)carry)
            return theirs < (u32)carry ? -1 : 1;
    }
    for (i64 i = 1 - 9 * ((i64)k + 1); i < t->end - t->point; i++)      /* what the text has beyond them */
        if (t->point[i] != '0')
            return 1;
    return 0;
}

/* m x 10^e rounded to nearest, ties to even; `more`: the true value is above that but below (m + 1) x 10^e. m is not 0.
 * The product with a 128-bit power of ten bounds the value from both sides; if both bounds round alike, that is it
 * (Eisel and Lemire's way). Else the text t itself is compared with the midpoint, exactly. O(1) nearly always, O(digits
 * of t) else. */
GX_FN_BIG double gx_number_scale(u64 m, i64 e, int more, const gx_number_text *t)
{
    if (e < -342)                               /* below 2^64 x 10^-343, less than half of the least subnormal */
        return 0;
    if (e > 308)
        return gx_number_infinity();
    u64 ghi, glo;
    const u32 z = (u32)__builtin_clzll(m);
    const u64 mn = m << z;
    gx_pow10_128((i32)e, &ghi, &glo);
    gx_u128 x = (gx_u128)mn * ghi + (u64)(((gx_u128)mn * glo) >> 64);
    const i32 top = 64 - (i32)z + gx_log2_pow10((i32)e);
    /* The true product lies in [x, x + 2): one for the bits dropped here, one for those that the table has dropped. */
    gx_u128 y = x + 2;
    if (more)
        y += (((gx_u128)ghi << 64 | glo) >> 1 >> (63 - z)) + 1;     /* and one unit of m more: g x 2^z / 2^64 */
    const u64 bits = gx_number_round_bits((u64)(x >> 64), (u64)x, top, 1);
    if (y > x && bits == gx_number_round_bits((u64)(y >> 64), (u64)y, top, 1))
        return gx_number_from_bits(bits);

    /* Too close to a midpoint for 128 bits, or exactly on it. x rounds down to the double below the value or the one
     * before. */
    u64 b = gx_number_round_bits((u64)(x >> 64), (u64)x, top, 0);
    while (b < GX_NUMBER_INF_BITS) {
        const int order = gx_number_compare_midpoint(t, b);
        if (order < 0 || (order == 0 && !(b & 1)))
            break;
        b++;
    }
    return gx_number_from_bits(b);
}

GX_FN int gx_number_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/* XPath 1.0's number() of a string: white space, '-', Digits with an optional '.', white space; NaN for anything else.
 * Correctly rounded whatever the length. Cost: one pass over the text; about 10 ns for a price. */
GX_FN double gx_number_parse(const char *s, u32 n)
{
    if (n && n < 10) {                          /* digits alone, nearly always */
        u32 v = 0, i = 0;
        for (; i < n && (u32)(u8)s[i] - '0' <= 9; i++)
            v = v * 10 + ((u32)(u8)s[i] - '0');
        if (i == n)
            return v;
    }
    const char *end = s + n;
    while (s < end && gx_number_space(*s))
        s++;
    const u64 sign = s < end && *s == '-' ? (u64)1 << 63 : 0;
    s += sign != 0;

    const char *start = s;
    while (s < end && *s == '0')
        s++;
    gx_number_text t;
    t.first = s;
    u64 m = 0;                                  /* the first 19 digits that count */
    u32 taken = 0;
    i64 exponent = 0;
    u32 dropped = 0;                            /* not all of those after the 19th are 0 */
    for (; s < end; s++) {
        const u32 digit = (u32)(u8)*s - '0';
        if (digit > 9)
            break;
        if (taken < 19) {
            m = m * 10 + digit;
            taken++;
        } else {
            exponent++;
            dropped |= digit;
        }
    }
    t.point = s;
    i64 n_digits = s - start;
    if (s < end && *s == '.') {
        s++;
        const char *fraction = s;
        for (; s < end; s++) {
            const u32 digit = (u32)(u8)*s - '0';
            if (digit > 9)
                break;
            if (taken < 19) {
                m = m * 10 + digit;
                taken += m != 0;
                exponent--;
            } else {
                dropped |= digit;
            }
        }
        n_digits += s - fraction;
    }
    t.end = s;
    while (s < end && gx_number_space(*s))
        s++;
    if (s != end || n_digits == 0)
        return gx_number_nan();

    double v;
    if (m == 0)
        v = 0;
    else if (!dropped && m < (u64)1 << 53 && exponent <= 22 && exponent >= -22)
        /* both operands are doubles, so the one operation's rounding is the only one */
        v = exponent < 0 ? (double)m / gx_pow10_double((u32)-exponent) : (double)m * gx_pow10_double((u32)exponent);
    else
        v = gx_number_scale(m, exponent, dropped != 0, &t);
    return sign ? -v : v;
}

/* ---- number to text ---------------------------------------------------------------------------------------------- */

/* The upper bits of cp x g, where anything lost below sets the last bit ("round to odd"): comparisons with the result
 * are as good as with the exact product. g is above the true power by less than one, so a lone last bit means nothing.
 * */
GX_FN u64 gx_number_round_to_odd(u64 ghi, u64 glo, u64 cp)
{
    const gx_u128 y = (gx_u128)ghi * cp + (u64)(((gx_u128)glo * cp) >> 64);
    return (u64)(y >> 64) | ((u64)y > 1);
}

/* The shortest decimal of the finite number c x 2^q (c not 0), by Schubfach: among the multiples of 10^k and 10^(k+1),
 * where 10^k is just below the width of the interval that rounds to the number, at most two of each can lie inside it.
 * */
GX_FN void gx_number_shortest(u64 c, i32 q, int at_power_of_2, gx_decimal *out)
{
    const u32 odd = (u32)(c & 1);               /* the interval's ends belong to it if c is even: ties go to even */
    const u64 cb = 4 * c, cbl = cb - 2 + (u64)at_power_of_2, cbr = cb + 2;
    const i32 k = (q * 1262611 - (at_power_of_2 ? 524031 : 0)) >> 22;   /* floor(log10(2^q)), or of 3/4 2^q */
    const i32 h = q + gx_log2_pow10(-k) + 1;
    u64 ghi, glo;
    gx_pow10_128(-k, &ghi, &glo);
    ghi += ++glo == 0;                          /* Schubfach wants the power rounded up */
    const u64 lower = gx_number_round_to_odd(ghi, glo, cbl << h) + odd;
    const u64 value = gx_number_round_to_odd(ghi, glo, cb << h);
    const u64 upper = gx_number_round_to_odd(ghi, glo, cbr << h) - odd;

    const u64 s = value / 4;
    out->exponent = k;
    if (s >= 10) {
        const u64 tens = s / 10;
        const int below = lower <= 40 * tens, above = 40 * tens + 40 <= upper;
        if (below != above) {
            out->digits = tens + (u64)above;
            out->exponent = k + 1;
            return;
        }
    }
    const int below = lower <= 4 * s, above = 4 * s + 4 <= upper;
    const u64 middle = 4 * s + 2;
    out->digits = s + (below != above ? (u64)above : (u64)(value > middle || (value == middle && (s & 1))));
}

/* Prices, percentages, coordinates: with at most 15 digits, of which 2 or 6 are decimals. Decimals of 15 digits are
 * farther apart than doubles, so no other one of as few digits reads back as a; and the division is what reading would
 * do. Saves two thirds of Schubfach's time, costs it a fifth when it fails. */
GX_FN int gx_number_decimal_short(double a, gx_decimal *out)
{
    if (!(a >= 1e-5 && a < 1e13))
        return 0;
    const u64 cents = (u64)(a * 1e2 + 0.5);
    if ((double)cents / 1e2 == a) {
        out->digits = cents;
        out->exponent = -2;
        return 1;
    }
    const u64 millionths = (u64)(a * 1e6 + 0.5);
    if (a < 1e9 && (double)millionths / 1e6 == a) {
        out->digits = millionths;
        out->exponent = -6;
        return 1;
    }
    return 0;
}

/* The shortest decimal that reads back as v, and of those the nearest to v (XPath 1.0, 4.2: "as many, but only as many,
 * more digits as are needed"). v is finite; -0 is 0. Integers below 2^53 and short fractions have shorter ways. The
 * digits end in no zero. */
GX_FN_BIG gx_decimal gx_number_decimal(double v)
{
    gx_decimal d;
    const u64 bits = gx_number_bits(v), magnitude = bits & ~((u64)1 << 63);
    d.digits = 0;
    d.exponent = 0;
    d.negative = magnitude && bits >> 63;
    if (!magnitude)
        return d;
    const double a = gx_number_from_bits(magnitude);
    if (a < 9007199254740992.0 && (double)(u64)a == a) {
        d.digits = (u64)a;                      /* an integer below 2^53 */
    } else if (!gx_number_decimal_short(a, &d)) {
        const u64 fraction = bits & 0xfffffffffffffull;
        const i32 biased = (i32)(magnitude >> 52);
        if (biased)
            gx_number_shortest(fraction | (u64)1 << 52, biased - 1075, fraction == 0 && biased > 1, &d);
        else
            gx_number_shortest(fraction, -1074, 0, &d);
        if (d.digits % 100000000 == 0) {
            d.digits /= 100000000;
            d.exponent += 8;
        }
    }
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

/* How many decimal places v has; 1 for 0. */
GX_FN u32 gx_number_places(u64 v)
{
    const u32 t = (u32)(64 - __builtin_clzll(v | 1)) * 1233 >> 12;      /* log10(2) = 1233 / 4096 */
    return t + (v >= gx_pow10_u64(t)) + (v == 0);
}

/* v's n lowest decimal places to out[0 .. n-1] */
GX_FN void gx_number_write_digits(u64 v, u32 n, char *out)
{
    static const char pairs[201] =
        "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
        "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
    while (n >= 2) {
        const u32 two = (u32)(v % 100) * 2;
        v /= 100;
        n -= 2;
        out[n] = pairs[two];
        out[n + 1] = pairs[two + 1];
    }
    if (n)
        out[0] = (char)('0' + v % 10);
}

GX_FN u32 gx_number_write_u64(u64 v, char *out)     /* at most 20 bytes */
{
    const u32 n = gx_number_places(v);
    gx_number_write_digits(v, n, out);
    return n;
}

/* XPath 1.0's string() of a number: "NaN", "Infinity", "-Infinity", "0" for both zeros, else the shortest decimal
 * without an exponent. Returns the bytes written to out, at most GX_NUMBER_CHARS. */
GX_FN_BIG u32 gx_number_format(double v, char *out)
{
    const u32 few = v >= 0 && v < 100 ? (u32)v : 100;
    if (few < 100 && few == v) {                /* places and counts, nearly always */
        out[0] = (char)('0' + (few < 10 ? few : few / 10));
        out[1] = (char)('0' + few % 10);
        return 1 + (few >= 10);
    }
    if (!gx_number_is_finite(v)) {
        if (v != v) {
            memcpy(out, "NaN", 3);
            return 3;
        }
        memcpy(out, v < 0 ? "-Infinity" : "Infinity", 8 + (v < 0));
        return 8 + (v < 0);
    }
    char *at = out;
    if (v < 0)
        *at++ = '-';
    const double a = v < 0 ? -v : v;
    if (a < 9007199254740992.0 && (double)(u64)a == a)
        return (u32)(at - out) + gx_number_write_u64((u64)a, at);

    const gx_decimal d = gx_number_decimal(a);
    const i32 n = (i32)gx_number_places(d.digits);
    const i32 point = n + d.exponent;           /* digits before the point */
    if (d.exponent >= 0) {                      /* 2^53 and more */
        gx_number_write_digits(d.digits, (u32)n, at);
        memset(at + n, '0', (size_t)d.exponent);
        at += point;
    } else if (point > 0) {
        const u64 scale = gx_pow10_u64((u32)-d.exponent);   /* fewer than 17 */
        gx_number_write_digits(d.digits / scale, (u32)point, at);
        at[point] = '.';
        gx_number_write_digits(d.digits % scale, (u32)-d.exponent, at + point + 1);
        at += n + 1;
    } else {
        at[0] = '0';
        at[1] = '.';
        memset(at + 2, '0', (size_t)-point);
        gx_number_write_digits(d.digits, (u32)n, at + 2 - point);
        at += 2 - point + n;
    }
    return (u32)(at - out);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

GX_FN double gx_number_floor(double v) { return floor(v); }
GX_FN double gx_number_ceiling(double v) { return ceil(v); }

/* XPath 1.0's round(): the nearest integer, of two the one closer to +infinity; -0 for [-0.5, -0]. NaN and infinities
 * stay. Not floor(v + 0.5): that sum rounds, for 0.49999999999999994 and for odd numbers above 2^52. */
GX_FN double gx_number_round(double v)
{
    if (v > -2147483648.0 && v < 2147483648.0 && (double)(i32)v == v)   /* substring()'s, nearly always */
        return v;
    const double whole = floor(v);
    if (!(v - whole >= 0.5))                    /* the difference is exact, but for tiny negative ones, which it rounds
                                                   to 1 */
        return whole;
    return v < 0 ? -(-whole - 1) : whole + 1;   /* -(0) is -0 */
}

/* Doubles as whole numbers in the same order, and back */
GX_FN u64 gx_double_rank(double d)
{
    u64 bits;
    memcpy(&bits, &d, 8);
    return bits >> 63 ? ~bits : bits | (u64)1 << 63;
}
GX_FN double gx_double_of_rank(u64 rank)
{
    const u64 bits = rank >> 63 ? rank & ~((u64)1 << 63) : ~rank;
    double d;
    memcpy(&d, &bits, 8);
    return d;
}

/* XPath 1.0's mod: the remainder has the dividend's sign. */
GX_FN_BIG double gx_number_mod(double a, double b)
{
    const double most = 2147483647;
    /* without fmod's loop */
    if (a >= -most && a <= most && b >= -most && b <= most && a == (i32)a && b == (i32)b && b != 0) {
        const i32 rest = (i32)a % (i32)b;
        return rest ? rest : copysign(0.0, a);
    }
    return fmod(a, b);
}

#endif
