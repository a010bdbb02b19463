/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 43-date.c -- machine/date.h: tables from EXSLT and XML Schema Part 2, the calendar against counting day by day,
 * random bytes
 *
 * Components and instants in the tables were computed with Python's datetime. Strings of the random cases are copies
 * of their exact size on the heap: AddressSanitizer sees any byte read beyond a slice.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include "engine/machine/date.h"

static u64 seed = 0x2545f4914f6cdd1dull;

static u32 random_below(u32 n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (u32)(seed >> 33) % n;
}

static u32 size(const char *s) { return (u32)strlen(s); }

static void equals(const char *what, const char *got, u32 n, const char *want)
{
    if (n != strlen(want) || memcmp(got, want, n))
        fail_msg("%s: \"%.*s\", not \"%s\"", what, (int)n, got, want);
}

/* ---- strings
 * -------------------------------------------------------------------------------------------------------- */

static void lexical_forms(void **state)
{
    (void)state;
    static const struct { const char *s, *again; } good[] = {       /* again: as it is written; NULL: as s */
        {"2000", NULL}, {"2000Z", NULL}, {"2000-05:00", NULL}, {"2000-05", NULL}, {"2000-05-05:00", NULL},
            {"2000-05+05:30", NULL},
        {"2000-02-29", NULL}, {"2000-02-29-14:00", NULL}, {"-0001-12-31", NULL}, {"-0005-02-29", NULL},
        {"12345-01-01", NULL},
        {"9999999999-12-31", NULL}, {"2000-02-29T23:59:59", NULL}, {"2000-02-29T23:59:59.25Z", NULL},
        {"23:00:00", NULL},
        {"23:00:00.123456789123456789", NULL}, {"23:00:00.1234567891234567899", "23:00:00.123456789123456789"},
        {"23:00:00.500", "23:00:00.5"},
        {"23:00:00.0", "23:00:00"}, {"23:00:00-00:00", "23:00:00Z"}, {"23:00:00+14:00", NULL}, {"--02-29", NULL},
        {"--12-31Z", NULL},
        {"--02--", NULL}, {"--02", "--02--"}, {"--02-05:00", "--02---05:00"}, {"--02---05:00", NULL}, {"---31", NULL},
        {"---31+01:00", NULL}
    };
    static const char *const bad[] = {
        "", "x", "200", "0000", "0000-01-01", "-0000", "012345-01-01", "10000000000", "99999999999999999999", "+2000",
            "2000-", "2000-13",
        "2000-00-01", "2000-1-01", "2000-01-1", "2000-01-00", "1999-02-29", "1900-02-29", "-0004-02-29", "2000-02-30",
        "2000-04-31",
        "2000-01-01T", "2000-01-01T10:00", "2000-01-01 10:00:00", "2000-01-01T24:00:00", "2000-01-01T23:60:00",
        "2000-01-01T23:59:60",
        "2000-01-01T10:00:00.", "2000-01-01T10:00:00z", "2000-01-01T10:00:00+5:00", "2000-01-01T10:00:00+14:01",
        "2000-01-01+15:00",
        "2000-01-01+05:60", "2000-01-01ZZ", " 2000-01-01", "2000-01-01 ", "2000Z05", "--13", "--02-30", "--02-",
        "---32", "---00", "--", "-",
        "---01-01", "P1D", "10:00", "2000-01-01T10:00:00\xc3\xa9", "2000-W05-1"
    };
    char out[64];
    gx_date d;
    for (u32 i = 0; i < sizeof good / sizeof *good; i++) {
        if (!gx_date_parse(good[i].s, size(good[i].s), &d))
            fail_msg("%s is a date/time", good[i].s);
        equals(good[i].s, out, gx_date_write(&d, d.parts, out, sizeof out), good[i].again ? good[i].again : good[i].s);
    }
    for (u32 i = 0; i < sizeof bad / sizeof *bad; i++)
        if (gx_date_parse(bad[i], size(bad[i]), &d))
            fail_msg("\"%s\" is no date/time", bad[i]);
}

static void components(void **state)
{
    (void)state;
    static const char letters[9] = "yMwWDdFE";
    static const struct { const char *s; i64 want[8], instant; } rows[] = {
        {"2000-02-29", {2000, 2, 9, 5, 60, 29, 5, 3}, 951782400},
            {"2004-12-31", {2004, 12, 53, 5, 366, 31, 5, 6}, 1104451200},
        {"2005-01-01", {2005, 1, 53, 1, 1, 1, 1, 7}, 1104537600},
        {"2005-01-02", {2005, 1, 53, 1, 2, 2, 1, 1}, 1104624000},
        {"2005-01-03", {2005, 1, 1, 2, 3, 3, 1, 2}, 1104710400},
        {"2008-12-29", {2008, 12, 1, 5, 364, 29, 5, 2}, 1230508800},
        {"2010-01-03", {2010, 1, 53, 1, 3, 3, 1, 1}, 1262476800},
        {"1900-02-28", {1900, 2, 9, 5, 59, 28, 4, 4}, -2203977600},
        {"1999-12-31", {1999, 12, 52, 5, 365, 31, 5, 6}, 946598400},
        {"2024-07-01", {2024, 7, 27, 1, 183, 1, 1, 2}, 1719792000},
        {"0001-01-01", {1, 1, 1, 1, 1, 1, 1, 2}, -62135596800},
        {"9999-12-31", {9999, 12, 52, 5, 365, 31, 5, 6}, 253402214400},
        {"2026-11-21", {2026, 11, 47, 4, 325, 21, 3, 7}, 1795219200},
        {"2009-12-31", {2009, 12, 53, 5, 365, 31, 5, 5}, 1262217600},
        {"1970-01-01", {1970, 1, 1, 1, 1, 1, 1, 5}, 0},
        {"-0001-12-31", {-1, 12, 52, 5, 366, 31, 5, 1}, -62135683200},
    };
    /* which letters of yMwWDdFEHms a type has: EXSLT's lists of formats */
    static const struct { const char *s, *has; } types[] = {
        {"2000-02-29T10:11:12", "yMwWDdFEHms"}, {"2000-02-29", "yMwWDdFE"}, {"2000-02", "yM"}, {"2000", "y"},
            {"10:11:12", "Hms"},
        {"--02-29", "Md"}, {"--02", "M"}, {"---29", "d"}
    };
    gx_date d;
    i64 v;
    for (u32 i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(gx_date_parse(rows[i].s, size(rows[i].s), &d));
        for (u32 k = 0; k < 8; k++)
            if (!gx_date_component(&d, letters[k], &v) || v != rows[i].want[k])
                fail_msg("%s %c: %lld, not %lld", rows[i].s, letters[k], (long long)v, (long long)rows[i].want[k]);
        assert_true(gx_date_instant(&d).whole - 86400 * gx_year_start(1970) == rows[i].instant);
    }
    for (u32 i = 0; i < sizeof types / sizeof *types; i++)
        for (const char *letter = "yMwWDdFEHms"; *letter; letter++) {
            assert_true(gx_date_parse(types[i].s, size(types[i].s), &d));
            if (gx_date_component(&d, *letter, &v) != (strchr(types[i].has, *letter) != NULL))
                fail_msg("%s %c", types[i].s, *letter);
        }
}

/* Day after day from the year -801 to 2401: weekdays go round, weeks begin on Mondays and are the year's in which
 * their Thursday is */
static void calendar(void **state)
{
    (void)state;
    gx_date d, again;
    gx_date_clear(&d);
    d.year = -800;
    d.parts = GX_DATE_FULL;
    i64 days = gx_date_days(&d);
    for (u32 weekday = gx_days_weekday(days), week = gx_days_week(days); d.year <= 2401; days++) {
        assert_true(gx_date_days(&d) == days);
        gx_date_set_days(&again, days);
        assert_true(again.year == d.year && again.month == d.month && again.day == d.day);
        assert_int_equal(gx_days_weekday(days), weekday);
        if (gx_days_week(days) != week)
            fail_msg("%lld-%u-%u: week %u, not %u", (long long)d.year, d.month, d.day, gx_days_week(days), week);
        static const u32 length[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
        const u32 leap = d.year % 400 == 0 || (d.year % 100 != 0 && d.year % 4 == 0);
        if (++d.day > length[d.month - 1] + (d.month == 2 ? leap : 0)) {
            d.day = 1;
            if (++d.month == 13) {
                d.month = 1;
                d.year++;
            }
        }
        weekday = (weekday + 1) % 7;
        /* a Monday: its Thursday is in the next year's first days, or it is one more week */
        if (weekday == 0)
            week = (d.month == 12 && d.day >= 29) || (d.month == 1 && d.day <= 4) ? 1 : week + 1;
    }
}

/* ---- numbers and durations
 * ------------------------------------------------------------------------------------------- */

static void durations(void **state)
{
    (void)state;
    static const struct { const char *s, *again; } good[] = {
        {"P1Y2M3DT4H5M6.7S", "P1Y2M3DT4H5M6.7S"}, {"-P1Y", "-P1Y"}, {"P14M", "P1Y2M"}, {"PT36H", "P1DT12H"},
            {"PT0S", "P0D"}, {"-P0D", "P0D"},
        {"PT90S", "PT1M30S"}, {"-PT0.5S", "-PT0.5S"}, {"-P1DT0.25S", "-P1DT0.25S"}, {"P0Y0M1D", "P1D"},
        {"P2YT1M", "P2YT1M"},
        {"PT0.0000000000000000001S", "P0D"}, {"P1000000000000M", "P83333333333Y4M"},
        {"P11574074074074D", "P11574074074074D"}
    };
    static const char *const bad[] = {
        "", "P", "-P", "PT", "P1YT", "P1", "1D", "P1D1Y", "P1Y1Y", "P1.5D", "PT1.S", "PT.5S", "P-1D", "+P1D", "P1H",
            "PT1D", "P1W", "p1d", " P1D",
        "P1D ", "--P1D", "P1000000000001M", "P99999999999Y", "P11574074074075D", "PT99999999999999999999S", "PT1.5M",
        "PT1ST", "TP1D"
    };
    static const struct { const char *a, *b, *sum; } sums[] = {
        {"P1Y", "P13M", "P2Y1M"}, {"P1D", "-P1D", "P0D"}, {"P1M", "-P1D", ""}, {"-P1M", "PT0.5S", ""},
            {"P1M", "-P1M", "P0D"},
        {"PT0.75S", "PT0.75S", "PT1.5S"}, {"-PT0.75S", "PT0.5S", "-PT0.25S"}, {"P1D", "", ""}, {"x", "P1D", ""},
        {"P1000000000000M", "P1M", ""}, {"P1M2D", "-P1M1D", "P1D"}, {"P1M", "-P2MT1S", "-P1MT1S"}
    };
    static const struct { double v; const char *want; } numbers[] = {
        {0, "P0D"}, {60, "PT1M"}, {90061.5, "P1DT1H1M1.5S"}, {-0.5, "-PT0.5S"}, {1e17, "P1157407407407DT9H46M40S"},
            {1e18, ""}, {-1e300, ""},
        {1e-18, "PT0.000000000000000001S"}, {1e-19, "P0D"}, {1e-300, "P0D"}, {1.1, "PT1.1S"}, {86400, "P1D"}
    };
    static const struct { i64 whole; u64 atto; double want; } seconds[] = {
        {0, 0, 0}, {-1, GX_ATTO / 2, -0.5}, {1, GX_ATTO / 4, 1.25}, {-62135683200, 0, -62135683200.0},
            {999999999999999999, 0, 1e18}, {12, GX_ATTO / 10, 12.1}
    };
    char out[128];
    gx_duration d;
    for (u32 i = 0; i < sizeof good / sizeof *good; i++) {
        if (!gx_duration_parse(good[i].s, size(good[i].s), &d))
            fail_msg("%s is a duration", good[i].s);
        equals(good[i].s, out, gx_duration_write(d, out, sizeof out), good[i].again);
    }
    for (u32 i = 0; i < sizeof bad / sizeof *bad; i++)
        if (gx_duration_parse(bad[i], size(bad[i]), &d))
            fail_msg("\"%s\" is no duration", bad[i]);
    for (u32 i = 0; i < sizeof sums / sizeof *sums; i++) {
        d.months = 0;
        d.time = gx_seconds_make(0, 0);
        const int ok = gx_duration_add(&d, sums[i].a, size(sums[i].a))
            && gx_duration_add(&d, sums[i].b, size(sums[i].b));
        equals(sums[i].a, out, ok ? gx_duration_write(d, out, sizeof out) : 0, sums[i].sum);
    }
    for (u32 i = 0; i < sizeof numbers / sizeof *numbers; i++)
        equals(numbers[i].want, out, gx_duration_of_number(numbers[i].v, out, sizeof out), numbers[i].want);
    assert_int_equal(gx_duration_of_number(gx_number_nan(), out, sizeof out), 0);
    assert_int_equal(gx_duration_of_number(-gx_number_infinity(), out, sizeof out), 0);
    for (u32 i = 0; i < sizeof seconds / sizeof *seconds; i++)
        assert_true(gx_seconds_number(gx_seconds_make(seconds[i].whole, seconds[i].atto)) == seconds[i].want);
}

static void arithmetic(void **state)
{
    (void)state;
    static const struct { const char *date, *by, *want; } adds[] = {
        /* XML Schema Part 2, Appendix E; a time of day is kept where EXSLT's shorter forms have none */
        {"2000-01-12T12:13:14Z", "P1Y3M5DT7H10M3.3S", "2001-04-17T19:23:17.3Z"}, {"2000-01", "-P3M", "1999-10"},
        {"2000-03-30", "P1D", "2000-03-31"}, {"2000-03-31", "P1M", "2000-04-30"}, {"2000-03-30", "P1M", "2000-04-30"},
        {"2000-01-31", "P1M", "2000-02-29"}, {"1999-01-31", "P1M", "1999-02-28"}, {"2000-02-29", "P1Y", "2001-02-28"},
        {"2000-03-31", "-P1M", "2000-02-29"},
        {"2000-02-28", "P400D", "2001-04-03"}, {"0001-01-01", "P1000000D", "2738-11-29"},
        {"1999-12-31T23:59:59", "PT1S", "2000-01-01T00:00:00"},
        {"2000-01-01", "PT36H", "2000-01-02T12:00:00"}, {"2000-01-01", "PT48H", "2000-01-03"},
        {"2000", "P1M", "2000-02"}, {"2000", "P12M", "2001"},
        {"2000", "-P1D", "1999-12-31"}, {"2000-01-01+05:00", "P1D", "2000-01-02+05:00"}, {"0001", "-P1Y", "-0001"},
        {"-0001", "P1Y", "0001"},
        {"2000-01-01T00:00:00", "-PT0.25S", "1999-12-31T23:59:59.75"}, {"9999999999-12-31", "P1D", ""},
        {"2000", "P83333333333Y", ""},
        {"2000", "-P11574074074073D", ""}, {"--10-29", "P1D", ""}, {"---29", "P1D", ""}, {"10:31:07", "PT1S", ""},
        {"--10", "P1M", ""}
    };
    static const struct { const char *from, *to, *want; } differences[] = {
        {"2000", "2001-05-05", "P1Y"}, {"2000-05", "2001-02-03T10:00:00", "P9M"}, {"2001-02", "2000-05", "-P9M"},
            {"2000-05", "2000-05", "P0D"},
        {"1999-12-31", "2026-11-21", "P9822D"}, {"1999-12-31T10:00:00", "2026-11-21", "P9822D"},
        {"1900-02-28T23:59:59.5", "2000-03-01T00:00:00", "P36525DT0.5S"},
        {"2000-01-01T00:00:00Z", "2000-01-01T00:00:00+01:00", "-PT1H"}, {"2000-01-02", "2000-01-01", "-P1D"},
        {"-0001", "0001", "P1Y"},
        {"2000", "--10", ""}, {"10:00:00", "11:00:00", ""}, {"---01", "---02", ""}
    };
    char out[128];
    gx_date a, b;
    gx_duration by;
    for (u32 i = 0; i < sizeof adds / sizeof *adds; i++) {
        assert_true(gx_date_parse(adds[i].date, size(adds[i].date), &a));
        assert_true(gx_duration_parse(adds[i].by, size(adds[i].by), &by));
        equals(adds[i].date, out, gx_date_add(&a, &by, out, sizeof out), adds[i].want);
    }
    for (u32 i = 0; i < sizeof differences / sizeof *differences; i++) {
        assert_true(gx_date_parse(differences[i].from, size(differences[i].from), &a));
        assert_true(gx_date_parse(differences[i].to, size(differences[i].to), &b));
        equals(differences[i].from, out, gx_date_difference(&a, &b, out, sizeof out), differences[i].want);
    }
}

/* ---- patterns
 * ------------------------------------------------------------------------------------------------------- */

static void patterns(void **state)
{
    (void)state;
    static const struct { const char *date, *pattern, *want; } formats[] = {
        {"2001-07-04T12:08:56.235-07:00", "yyyy.MM.dd G 'at' HH:mm:ss z", "2001.07.04 AD at 12:08:56 GMT-07:00"},
        {"2001-07-04T12:08:56", "EEE, MMM d, ''yy", "Wed, Jul 4, '01"}, {"2001-07-04T12:08:56", "h:mm a", "12:08 PM"},
        {"2001-07-04T00:08:56Z", "hh 'o''clock' a, z", "12 o'clock AM, GMT"},
        {"2001-07-04T12:08:56.235", "K:mm k SSS S", "0:08 12 235 235"},
        {"2001-07-04T00:00:00.0009", "k K S", "24 0 0"},
        {"2001-07-04", "EEEE MMMM D DDDD F w W", "Wednesday July 185 0185 1 27 2"},
        {"2001", "yyyy-MM-dd HH:mm:ss", "2001-01-01 00:00:00"}, {"-0044-03", "y G", "44 BC"},
        {"10:11:12", "yyyy[HH:mm]dd", "[10:11]"},
        {"--07-04", "MMM d, yyyy EE", "Jul 4,  "}, {"---04", "dd.MM.", "04.."}, {"2001-07-04", "", ""},
        {"2001-07-04", "yyyy b", ""}, {"2001-07-04", "'", ""},
        {"2001-07-04", "'quoted", "quoted"}, {"2001-07-04", "\xe2\x82\xac d", "\xe2\x82\xac 4"}
    };
    static const struct { const char *s, *pattern, *want; } reads[] = {
        {"2001.07.04 at 12:08:56", "yyyy.MM.dd 'at' HH:mm:ss", "2001-07-04T12:08:56"},
            {"July 4, 2001", "MMMM d, yyyy", "2001-07-04"},
        {"Wed, Jul 4, '01", "EEE, MMM d, ''yy", "2001-07-04"}, {"12:08 PM", "h:mm a", "12:08:00"},
        {"12:08 AM", "h:mm a", "00:08:00"},
        {"20010704", "yyyyMMdd", "2001-07-04"}, {"2001", "yyyy", "2001"}, {"07/2001", "MM/yyyy", "2001-07"},
        {"4.7.", "d.M.", "--07-04"},
        {"jul", "MMM", "--07--"}, {"4", "d", "---04"}, {"4 10", "d H", "0001-01-04T10:00:00"},
        {"2001 10", "yyyy H", "2001-01-01T10:00:00"},
        {"2001 4", "yyyy d", "2001-01-04"}, {"185 2001", "D yyyy", "2001-07-04"}, {"44 BC", "y G", "-0044"},
        {"10:00:00 GMT+02:00", "HH:mm:ss z", "10:00:00+02:00"},
        {"10:00:00.235 GMT", "HH:mm:ss.SSS z", "10:00:00.235Z"}, {"70", "yy", "1970"}, {"68", "yy", "2068"},
        {"24", "k", "00:00:00"},
        {"2001-02-29", "yyyy-MM-dd", ""}, {"13", "MM", ""}, {"32", "d", ""}, {"25", "H", ""}, {"", "yyyy", ""},
        {"x", "yyyy", ""}, {"2001 ", "yyyy", ""},
        {"2001", "yyyy ", ""}, {"2001", "b", ""}, {"0", "yyyy", ""}, {"99999999999999999999999", "yyyy", ""},
        {"366 2001", "D yyyy", ""}, {"", "", ""},
        {"Ju", "MMM", ""}, {"A", "a", ""}, {"G", "z", ""}, {"Wed", "EEE", ""}
    };
    char out[128];
    gx_date d;
    for (u32 i = 0; i < sizeof formats / sizeof *formats; i++) {
        assert_true(gx_date_parse(formats[i].date, size(formats[i].date), &d));
        equals(formats[i].pattern, out, gx_date_format(&d, formats[i].pattern, size(formats[i].pattern), out,
                                                       sizeof out), formats[i].want);
    }
    for (u32 i = 0; i < sizeof reads / sizeof *reads; i++)
        equals(reads[i].s, out, gx_date_read_write(reads[i].s, size(reads[i].s), reads[i].pattern,
                                                   size(reads[i].pattern), out, sizeof out), reads[i].want);
}

/* ---- any bytes
 * ------------------------------------------------------------------------------------------------------ */

/* Mostly what dates, durations and patterns are made of */
static char *random_text(u32 *n)
{
    static const char alphabet[] = "00112359---::.TZ+PYMDHSGyMdHhmsSkKaEDFwWz'' \xc3\xa9";
    static const char *const starts[] = {"", "", "2000-01-", "P1Y", "9999999999-", "-0001-0", "23:59:", "PT9",
                                         "2000-02-29T23:59:59"};
    char buf[64];
    const char *start = starts[random_below(sizeof starts / sizeof *starts)];
    *n = size(start);
    memcpy(buf, start, *n);
    for (u32 left = random_below(16); left; left--)
        buf[(*n)++] = alphabet[random_below(sizeof alphabet - 1)];
    char *s = malloc(*n ? *n : 1);
    memcpy(s, buf, *n);
    return s;
}

/* Whatever comes in: nothing is read outside it, counting says what writing does, a short buffer is not overrun, and
 * what is written is a date/time or duration again. */
static void any_bytes(void **state)
{
    (void)state;
    for (u32 round = 0; round < 300000; round++) {
        u32 n, m;
        char *s = random_text(&n), *t = random_text(&m), out[256], few[4];
        gx_date d, other;
        gx_duration by;
        by.months = 0;
        by.time = gx_seconds_make(0, 0);
        const int dated = gx_date_parse(s, n, &d), lasts = gx_duration_parse(t, m, &by);
        u32 len = gx_date_read_write(s, n, t, m, out, sizeof out);
        assert_true(len <= sizeof out && len == gx_date_read_write(s, n, t, m, NULL, 0));
        assert_true(!len || gx_date_parse(out, len, &other));
        if (dated) {
            len = gx_date_format(&d, t, m, out, sizeof out);
            assert_true(len == gx_date_format(&d, t, m, NULL, 0) && len == gx_date_format(&d, t, m, few, sizeof few));
            len = gx_date_write(&d, d.parts, out, sizeof out);
            assert_true(gx_date_parse(out, len, &other) && gx_date_days(&other) == gx_date_days(&d)
                        && other.atto == d.atto);
            if (gx_date_parse(t, m, &other)) {
                len = gx_date_difference(&d, &other, out, sizeof out);
                assert_true(!len || gx_duration_parse(out, len, &by));
            }
        }
        if (dated && lasts) {
            len = gx_date_add(&d, &by, out, sizeof out);
            assert_true(len == gx_date_add(&d, &by, NULL, 0));
            assert_true(!len || gx_date_parse(out, len, &other));
        }
        if (lasts) {
            gx_duration again;
            len = gx_duration_write(by, out, sizeof out);
            assert_true(len && len == gx_duration_write(by, NULL, 0) && gx_duration_parse(out, len, &again));
            assert_true(again.months == by.months && again.time.whole == by.time.whole
                        && again.time.atto == by.time.atto);
        }
        free(s);
        free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lexical_forms), cmocka_unit_test(components), cmocka_unit_test(calendar),
            cmocka_unit_test(durations),
        cmocka_unit_test(arithmetic),    cmocka_unit_test(patterns),   cmocka_unit_test(any_bytes),
    };
    return cmocka_run_group_tests_name("dates and times", tests, NULL, NULL);
}
