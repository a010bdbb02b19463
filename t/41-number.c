/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 41-number.c -- machine/number.h against libc, and tables for XPath's rules
 *
 * strtod and printf of glibc are exact, so they say what is right: format must read back, be as short as any %.Ne that
 * reads back and have that one's digits; parse must equal strtod for expansions of any length, on midpoints and beside
 * them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include "engine/machine/number.h"

static u64 seed = 88172645463325252ull;

static u64 random_u64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Doubles of eight kinds; only finite ones */
static double random_double(u32 kind)
{
    for (;;) {
        const u64 r = random_u64();
        double v;
        switch (kind % 8) {
        case 0: v = gx_number_from_bits(r); break;
        case 1: v = (double)(i64)(r % 200000000) / 100; break;
        case 2: v = (double)(r >> 40) / 1000 * (r & 1 ? -1 : 1); break;
        case 3: v = gx_number_from_bits((r & 0xfffffffffffffull) | ((u64)(1023 - 60 + (r >> 58) * 2) << 52)); break;
        case 4: v = gx_number_from_bits(r >> 12); break;                        /* subnormal */
        case 5: v = gx_number_from_bits((r % 2047) << 52); break;               /* powers of two */
        case 6: v = (double)(r >> (r & 63)); break;                             /* integers */
        default: v = (double)(r % 1000000000000ull) / 1e6; break;               /* coordinates */
        }
        if (gx_number_is_finite(v))
            return v;
    }
}

static double parse(const char *s) { return gx_number_parse(s, (u32)strlen(s)); }

static void same(const char *what, double got, double want)
{
    if (gx_number_bits(got) != gx_number_bits(want) && !(got != got && want != want))
        fail_msg("%s: %.17g, not %.17g", what, got, want);
}

static void round_trips(void **state)
{
    (void)state;
    char text[GX_NUMBER_CHARS + 1];
    print_message("seed %llu\n", (unsigned long long)seed);
    for (u32 i = 0; i < 2000000; i++) {
        const double v = random_double(i);
        const u32 n = gx_number_format(v, text);
        text[n] = 0;
        assert_true(n < GX_NUMBER_CHARS);
        same(text, gx_number_parse(text, n), v == 0 ? 0 : v);
        if (i % 4 == 0)
            same(text, strtod(text, NULL), v == 0 ? 0 : v);
    }
}

static void shortest_digits(void **state)
{
    (void)state;
    for (u32 i = 0; i < 100000; i++) {
        const double v = random_double(i);
        if (v == 0)
            continue;
        char want[64], got[64], text[GX_NUMBER_CHARS + 1];
        u32 n = 1;
        do
            snprintf(want, sizeof want, "%.*e", (int)n - 1, v);
        while (strtod(want, NULL) != v && n++ < 17);
        text[gx_number_format(v, text)] = 0;
        /* with exactly n digits printf gives the nearest: the same digits must come */
        const gx_decimal d = gx_number_decimal(v);
        if (gx_number_places(d.digits) > n)
            fail_msg("%s is longer than %s", text, want);
        snprintf(got, sizeof got, "%s%llue%d", v < 0 ? "-" : "", (unsigned long long)d.digits, d.exponent);
        if (gx_number_places(d.digits) == n && strtod(got, NULL) == v) {
            char digits[24], nearest[24], *to = nearest;
            for (const char *p = want; *p && *p != 'e'; p++)
                if (*p >= '0' && *p <= '9')
                    *to++ = *p;
            *to = 0;
            digits[gx_number_write_u64(d.digits, digits)] = 0;
            assert_string_equal(digits, nearest);
        }
    }
}

static void long_expansions(void **state)
{
    (void)state;
    static char text[4000];
    for (u32 i = 0; i < 60000; i++) {
        const double v = random_double(i);
        const int places = i % 5 ? (int)(random_u64() % 40) : 1100;
        const int n = snprintf(text, sizeof text, "%.*f", places, v);
        same(text, gx_number_parse(text, (u32)n), strtod(text, NULL));
    }
}

/* The exact midpoint of two neighbours (a long double holds it), and a hair above it */
static void midpoints(void **state)
{
    (void)state;
    static char text[4000];
    for (u32 i = 0; i < 40000; i++) {
        double v = random_double(i);
        v = v < 0 ? -v : v;
        const double next = gx_number_from_bits(gx_number_bits(v) + 1);
        if (!gx_number_is_finite(next))
            continue;
        int n = snprintf(text, sizeof text, "%.1100Lf", ((long double)v + (long double)next) / 2);
        same(text, gx_number_parse(text, (u32)n), strtod(text, NULL));
        memcpy(text + n, "000000000000000000001", 22);
        n += 21;
        same(text, gx_number_parse(text, (u32)n), strtod(text, NULL));
        same(text, gx_number_parse(text, (u32)n), next);
    }
}

/* All table entries: the floor of log2, and the 128 bits within one unit of what long division of neighbours says */
static void powers_of_ten(void **state)
{
    (void)state;
    u64 hi, lo, hi2, lo2;
    for (i32 k = GX_POW10_MIN; k <= GX_POW10_MAX; k++) {
        gx_pow10_128(k, &hi, &lo);
        assert_true(hi >> 63);
        if (k == GX_POW10_MAX)
            break;
        /* next = 10 x this: 1.25 x this with 3 more in the exponent, or 0.625 x and 4 more */
        gx_pow10_128(k + 1, &hi2, &lo2);
        const gx_u128 a = (gx_u128)hi << 64 | lo, b = (gx_u128)hi2 << 64 | lo2;
        const int wraps = gx_log2_pow10(k + 1) - gx_log2_pow10(k) == 4;
        assert_true(wraps || gx_log2_pow10(k + 1) - gx_log2_pow10(k) == 3);
        const gx_u128 low = wraps ? a / 8 * 5 : a + a / 4;
        assert_true(b + 8 >= low && b <= low + 8);
    }
    assert_int_equal(gx_log2_pow10(0), 0);
    gx_pow10_128(0, &hi, &lo);
    assert_true(hi == (u64)1 << 63 && lo == 0);
}

static void number_of_text(void **state)
{
    (void)state;
    static const struct { const char *text; double value; } cases[] = {
        {"0", 0}, {"-0", -0.0}, {"1", 1}, {" \t\r\n12.5 \n", 12.5}, {"-3", -3}, {".5", .5}, {"5.", 5},
            {"-.5", -.5}, {"007", 7},
        {"0.1", .1}, {"00000000000000000000000000000000000000.1", .1}, {"9007199254740993", 9007199254740992.0},
        {"9007199254740993.0000000000000000000000000000001", 9007199254740994.0},
        {"18446744073709551616", 18446744073709551616.0},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
        {"1797693134862315708145274237317043567980705675258449965989174768031572607800285387605895586327668781715404589"
         "5"
         "3514382464234321326889464182768467546703537516986049910576551282076245490090389328944075868508455133942304583"
         "2"
         "36903222948165808559332123348274797826204144723168738177180919299881250404026184124858368",
             1.7976931348623157e308},
        {"1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070963302864"
         "1"
         "6692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366"
         "9"
         "59622842914819860834936475292719074168444365510704342711559699508093042880177904174497791",
             1.7976931348623157e308},
        {"1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070963302864"
         "1"
         "6692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366"
         "9"
         "59622842914819860834936475292719074168444365510704342711559699508093042880177904174497792", (double)INFINITY},
        {"0.00000000000000000000000000000000000000000000000000000000000000000001", 1e-68},
    };
    static const char *const nans[] = {
        "", " ", "-", ".", "-.", "+1", "1e3", "1E3", "0x10", "--1", "- 1", "1-", "1 2", "1.2.3", "NaN", "Infinity",
            "1,000", "1f",
        "\xc2\xa0\061", "\xd9\xa1"
    };
    char ones[400];
    for (u32 i = 0; i < sizeof cases / sizeof cases[0]; i++)
        same(cases[i].text, parse(cases[i].text), cases[i].value);
    for (u32 i = 0; i < sizeof nans / sizeof nans[0]; i++)
        if (!gx_number_is_nan(parse(nans[i])))
            fail_msg("\"%s\" is not NaN but %.17g", nans[i], parse(nans[i]));
    memset(ones, '1', sizeof ones);
    same("400 ones", gx_number_parse(ones, 400), gx_number_infinity());
    same("309 ones", gx_number_parse(ones, 309), 1.1111111111111112e308);
    memset(ones, '0', sizeof ones);
    ones[1] = '.';
    ones[398] = '1';
    same("1e-397", gx_number_parse(ones, 399), 0);
    ones[1 + 324] = '3';
    same("3e-324", gx_number_parse(ones, 399), 4.9406564584124654e-324);
    ones[1 + 324] = '2';
    same("2e-324", gx_number_parse(ones, 399), 0);
}

static void text_of_number(void **state)
{
    (void)state;
    static const struct { double value; const char *text; } cases[] = {
        {0, "0"}, {-0.0, "0"}, {1, "1"}, {-1, "-1"}, {10, "10"}, {99, "99"}, {100, "100"}, {12345678, "12345678"},
            {.5, "0.5"},
        {-.5, "-0.5"}, {.1, "0.1"}, {1.0 / 3, "0.3333333333333333"}, {2.0 / 3, "0.6666666666666666"},
        {1e15, "1000000000000000"},
        {9007199254740991.0, "9007199254740991"}, {9007199254740992.0, "9007199254740992"},
        {1e21, "1000000000000000000000"},
        {1e22, "10000000000000000000000"}, {1e23, "100000000000000000000000"}, {1.5e300 / 1.5e294, "1000000"},
        {1e-5, "0.00001"},
        {1e-7, "0.0000001"}, {123456.789, "123456.789"}, {0.30000000000000004, "0.30000000000000004"}, {19.99, "19.99"},
        {1234567890123.25, "1234567890123.25"}, {2.2250738585072014e-5, "0.000022250738585072014"},
        {52.520008, "52.520008"},
        {5e-1, "0.5"}, {4294967295.5, "4294967295.5"}, {1e100 / 1e90, "10000000000"}
    };
    char text[GX_NUMBER_CHARS + 1];
    for (u32 i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        text[gx_number_format(cases[i].value, text)] = 0;
        assert_string_equal(text, cases[i].text);
    }
    text[gx_number_format(gx_number_nan(), text)] = 0;
    assert_string_equal(text, "NaN");
    text[gx_number_format(gx_number_infinity(), text)] = 0;
    assert_string_equal(text, "Infinity");
    text[gx_number_format(-gx_number_infinity(), text)] = 0;
    assert_string_equal(text, "-Infinity");
    assert_true(gx_number_format(-2.2250738585072014e-308, text) == 327);       /* the longest */
    assert_true(gx_number_format(-1.7976931348623157e308, text) == 310);
}

static void rounding(void **state)
{
    (void)state;
    const double inf = gx_number_infinity();
    const struct { double value, rounded; } cases[] = {
        {0, 0}, {-0.0, -0.0}, {.4, 0}, {.5, 1}, {1.5, 2}, {2.5, 3}, {-.2, -0.0}, {-.5, -0.0}, {-.6, -1},
            {-1.5, -1}, {-2.5, -2},
        {-2.6, -3}, {0.49999999999999994, 0}, {-0.49999999999999994, -0.0}, {-0.50000000000000011, -1},
        {-1e-20, -0.0}, {1e-20, 0},
        {4503599627370495.5, 4503599627370496.0}, {4503599627370497.0, 4503599627370497.0},
        {-4503599627370495.5, -4503599627370495.0},
        {9007199254740991.0, 9007199254740991.0}, {1e300, 1e300}, {inf, inf}, {-inf, -inf},
        {gx_number_nan(), gx_number_nan()}
    };
    for (u32 i = 0; i < sizeof cases / sizeof cases[0]; i++)
        same("round", gx_number_round(cases[i].value), cases[i].rounded);
    same("mod", gx_number_mod(5, 2), 1);
    same("mod", gx_number_mod(5, -2), 1);
    same("mod", gx_number_mod(-5, 2), -1);
    same("mod", gx_number_mod(-5, -2), -1);
    same("mod", gx_number_mod(1.5, .5), 0);
    same("mod", gx_number_mod(1, 0), gx_number_nan());
    same("mod", gx_number_mod(5, inf), 5);
    same("floor", gx_number_floor(-1.5), -2);
    same("ceiling", gx_number_ceiling(-.5), -0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_of_ten),    cmocka_unit_test(number_of_text),  cmocka_unit_test(text_of_number),
        cmocka_unit_test(rounding),         cmocka_unit_test(round_trips),     cmocka_unit_test(shortest_digits),
        cmocka_unit_test(long_expansions),  cmocka_unit_test(midpoints),
    };
    return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
