/* SPDX-License-Identifier: Apache-2.0 */
/*
 * date.h -- EXSLT's dates and times: values, calendar, arithmetic, patterns
 *
 * A date/time is one of XML Schema's types (Part 2, 3.2.7 to 3.2.14), told apart by the parts that it has:
 *
 *     parts      year month day time           parts      year month day time
 *     dateTime    x     x    x   x             time                        x
 *     date        x     x    x                 gMonthDay        x    x
 *     gYearMonth  x     x                      gMonth           x
 *     gYear       x                            gDay                  x
 *
 * The calendar is the proleptic Gregorian one. Years are astronomical inside (0 is "-0001", XML Schema 1.0 has no year
 * 0); a string without a time zone counts as UTC where two are compared. Seconds are whole ones and 10^-18ths: further
 * digits are dropped. gMonth is read as --MM-- (2001, which EXSLT refers to) and --MM (2004), and written as --MM--. No
 * hour 24, no leap seconds.
 *
 * Ranges: years of up to 10 digits, durations below 10^12 months and 10^18 seconds. What is beyond them is no value:
 * sums of two stay far inside 64 bits, and are looked at before they become a value again.
 *
 * Integers only: every team gives the same bytes. Writers as in format.h: at most `cap` bytes go to out, the answer is
 * how many there are; NULL and 0 only count. No value gives 0 bytes. No allocation.
 */
#ifndef GX_MACHINE_DATE_H
#define GX_MACHINE_DATE_H

#include "base.h"
#include "exslt.h"
#include "number.h"

enum { GX_DATE_YEAR = 1, GX_DATE_MONTH = 2, GX_DATE_DAY = 4, GX_DATE_TIME = 8, GX_DATE_FULL = 7 };

#define GX_DATE_YEARS 9999999999ll
#define GX_DURATION_MONTHS 1000000000000ll
#define GX_DURATION_SECONDS 1000000000000000000ll
#define GX_ATTO 1000000000000000000ull

/* whole + atto / 10^18 seconds; atto < 10^18, so whole is the floor */
typedef struct gx_seconds { i64 whole; u64 atto; } gx_seconds;

/* Parts that it does not have are month 1, day 1, hour 0 and so on (EXSLT, date:format-date; XML Schema Part 2, E). */
typedef struct gx_date {
    u32 parts;
    u32 month, day, hour, minute, second;
    i64 year;
    u64 atto;
    u32 has_zone;
    i32 zone;                   /* minutes east of UTC */
} gx_date;

typedef struct gx_duration { i64 months; gx_seconds time; } gx_duration;

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

GX_FN i64 gx_floor_div(i64 a, i64 b) { return a / b - (a % b < 0); }        /* b > 0 */

GX_FN gx_seconds gx_seconds_make(i64 whole, u64 atto)
{
    gx_seconds s;
    s.whole = whole;
    s.atto = atto;
    return s;
}

GX_FN gx_seconds gx_seconds_negate(gx_seconds s)
{
    return s.atto ? gx_seconds_make(-s.whole - 1, GX_ATTO - s.atto) : gx_seconds_make(-s.whole, 0);
}

GX_FN gx_seconds gx_seconds_add(gx_seconds a, gx_seconds b)
{
    const u64 atto = a.atto + b.atto;
    return gx_seconds_make(a.whole + b.whole + (atto >= GX_ATTO), atto >= GX_ATTO ? atto - GX_ATTO : atto);
}

/* v in decimal, with leading zeros up to `width` digits */
GX_FN_BIG void gx_sprint_padded(gx_sprint *p, u64 v, u32 width)
{
    char digits[20];
    const u32 n = gx_number_write_u64(v, digits);
    for (u32 i = n; i < width; i++)
        gx_sprint_bytes(p, "0", 1);
    gx_sprint_bytes(p, digits, n);
}

/* ".25"; nothing for 0 */
GX_FN void gx_sprint_fraction(gx_sprint *p, u64 atto)
{
    char digits[18];
    u32 n = 18;
    if (!atto)
        return;
    gx_number_write_digits(atto, 18, digits);
    while (digits[n - 1] == '0')
        n--;
    gx_sprint_bytes(p, ".", 1);
    gx_sprint_bytes(p, digits, n);
}

/* The nearest double */
GX_FN double gx_seconds_number(gx_seconds s)
{
    char text[48];
    gx_sprint p = gx_sprint_to(text, sizeof text);
    const int negative = s.whole < 0;
    if (negative)
        s = gx_seconds_negate(s);
    gx_sprint_padded(&p, (u64)s.whole, 1);
    gx_sprint_fraction(&p, s.atto);
    const double v = gx_number_parse(text, p.len);
    return negative ? -v : v;
}

GX_FN int gx_date_digit(char c) { return (u32)(u8)c - '0' < 10u; }

/* Two digits of s at *i, of a value from low to high */
GX_FN int gx_date_two(const char *s, u32 n, u32 *i, u32 low, u32 high, u32 *v)
{
    if (n - *i < 2 || !gx_date_digit(s[*i]) || !gx_date_digit(s[*i + 1]))
        return 0;
    *v = (u32)(s[*i] - '0') * 10 + (u32)(s[*i + 1] - '0');
    *i += 2;
    return *v >= low && *v <= high;
}

/* The digits behind a point, at least one */
GX_FN_BIG int gx_date_fraction(const char *s, u32 n, u32 *i, u64 *atto)
{
    u32 taken = 0;
    const u32 from = *i;
    *atto = 0;
    for (; *i < n && gx_date_digit(s[*i]); ++*i)
        if (taken < 18) {
            *atto = *atto * 10 + (u32)(s[*i] - '0');
            taken++;
        }
    *atto *= gx_pow10_u64(18 - taken);
    return *i > from;
}

/* ---- calendar ---------------------------------------------------------------------------------------------------- */

GX_FN int gx_year_is_leap(i64 y) { return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0); }

/* Days of the year before month 1 .. 13 */
GX_FN u32 gx_month_start(int leap, u32 month)
{
    static const u16 start[13] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365 };
    return start[month - 1] + (u32)(leap && month > 2);
}

GX_FN u32 gx_month_days(i64 year, u32 month)
{
    const int leap = gx_year_is_leap(year);
    return gx_month_start(leap, month + 1) - gx_month_start(leap, month);
}

/* Days from 0001-01-01, a Monday, to the first day of a year */
GX_FN i64 gx_year_start(i64 year)
{
    const i64 y = year - 1;
    return 365 * y + gx_floor_div(y, 4) - gx_floor_div(y, 100) + gx_floor_div(y, 400);
}

GX_FN_BIG i64 gx_date_days(const gx_date *d)
{
    return gx_year_start(d->year) + gx_month_start(gx_year_is_leap(d->year), d->month) + d->day - 1;
}

GX_FN u32 gx_days_weekday(i64 days) { return (u32)(days - 7 * gx_floor_div(days, 7)); }        /* 0: Monday */

/* d's year, month and day from a day's number */
GX_FN_BIG void gx_date_set_days(gx_date *d, i64 days)
{
    d->year = gx_floor_div(days * 400, 146097) + 1;     /* at most one off: 400 years have 146097 days */
    while (days < gx_year_start(d->year))
        d->year--;
    while (days >= gx_year_start(d->year + 1))
        d->year++;
    const u32 of_year = (u32)(days - gx_year_start(d->year));
    const int leap = gx_year_is_leap(d->year);
    for (d->month = 12; gx_month_start(leap, d->month) > of_year;)
        d->month--;
    d->day = of_year - gx_month_start(leap, d->month) + 1;
}

/* ISO 8601: week 1 has the year's first Thursday, and a week belongs to its Thursday's year */
GX_FN_BIG u32 gx_days_week(i64 days)
{
    gx_date thursday;
    const i64 day = days - gx_days_weekday(days) + 3;
    gx_date_set_days(&thursday, day);
    return (u32)((day - gx_year_start(thursday.year)) / 7) + 1;
}

/* ---- strings of a date/time -------------------------------------------------------------------------------------- */

GX_FN void gx_date_clear(gx_date *d)
{
    d->parts = d->hour = d->minute = d->second = d->has_zone = 0;
    d->month = d->day = 1;
    d->year = 1;
    d->atto = 0;
    d->zone = 0;
}

GX_FN int gx_date_is_day(const gx_date *d)
{
    return d->day
        <= (d->parts & GX_DATE_MONTH ? gx_month_days(d->parts & GX_DATE_YEAR ? d->year : 2000, d->month) : 31);
}

GX_FN int gx_date_scan_year(const char *s, u32 n, u32 *i, i64 *year)
{
    const int negative = *i < n && s[*i] == '-';
    const u32 from = *i += (u32)negative;
    i64 v = 0;
    for (; *i < n && gx_date_digit(s[*i]) && *i - from < 11; ++*i)
        v = v * 10 + (s[*i] - '0');
    if (*i - from < 4 || (*i - from > 4 && s[from] == '0') || v == 0 || v > GX_DATE_YEARS)
        return 0;
    *year = negative ? 1 - v : v;
    return 1;
}

GX_FN_BIG int gx_date_scan_time(const char *s, u32 n, u32 *i, gx_date *d)
{
    if (!gx_date_two(s, n, i, 0, 23, &d->hour) || *i == n || s[(*i)++] != ':'
        || !gx_date_two(s, n, i, 0, 59, &d->minute) || *i == n || s[(*i)++] != ':'
        || !gx_date_two(s, n, i, 0, 59, &d->second))
        return 0;
    if (*i == n || s[*i] != '.')
        return 1;
    ++*i;
    return gx_date_fraction(s, n, i, &d->atto);
}

/* Z, +hh:mm, -hh:mm at *i */
GX_FN_BIG int gx_date_scan_zone(const char *s, u32 n, u32 *i, gx_date *d)
{
    u32 hours, minutes;
    d->has_zone = 1;
    d->zone = 0;
    if (*i < n && s[*i] == 'Z') {
        ++*i;
        return 1;
    }
    if (*i == n || (s[*i] != '+' && s[*i] != '-'))
        return 0;
    const int west = s[(*i)++] == '-';
    if (!gx_date_two(s, n, i, 0, 14, &hours) || *i == n || s[(*i)++] != ':' || !gx_date_two(s, n, i, 0, 59, &minutes)
        || hours * 60 + minutes > 840)
        return 0;
    d->zone = (i32)(hours * 60 + minutes) * (west ? -1 : 1);
    return 1;
}

/* The date/time that s is; 0 when it is none. The forms are tried in turn, since "2000-05:00" is a year with a zone. */
GX_FN_BIG int gx_date_parse(const char *s, u32 n, gx_date *d)
{
    static const char forms[9][7] = { "Y-M-DT", "Y-M-D", "Y-M", "Y", "t", "--M-D", "--M--", "--M", "---D" };

    for (u32 k = 0; k < 9; k++) {
        u32 i = 0;
        int ok = 1;
        gx_date_clear(d);
        for (const char *f = forms[k]; *f && ok; f++)
            switch (*f) {
            case 'Y':
                d->parts |= GX_DATE_YEAR;
                ok = gx_date_scan_year(s, n, &i, &d->year);
                break;
            case 'M':
                d->parts |= GX_DATE_MONTH;
                ok = gx_date_two(s, n, &i, 1, 12, &d->month);
                break;
            case 'D':
                d->parts |= GX_DATE_DAY;
                ok = gx_date_two(s, n, &i, 1, 31, &d->day);
                break;
            case 'T':
                d->parts |= GX_DATE_TIME;
                ok = i < n && s[i++] == 'T' && gx_date_scan_time(s, n, &i, d);
                break;
            case 't':
                d->parts |= GX_DATE_TIME;
                ok = gx_date_scan_time(s, n, &i, d);
                break;
            default:
                ok = i < n && s[i++] == '-';
            }
        if (ok && i < n)
            ok = gx_date_scan_zone(s, n, &i, d);
        if (ok && i == n)
            return gx_date_is_day(d);
    }
    return 0;
}

/* The form that `parts` stands for, with the zone. parts: one of the eight types' */
GX_FN_BIG u32 gx_date_write(const gx_date *d, u32 parts, char *out, u32 cap)
{
    gx_sprint p = gx_sprint_to(out, cap);
    if (parts & GX_DATE_YEAR) {
        if (d->year < 1)
            gx_sprint_bytes(&p, "-", 1);
        gx_sprint_padded(&p, (u64)(d->year < 1 ? 1 - d->year : d->year), 4);
    } else if (parts & (GX_DATE_MONTH | GX_DATE_DAY))
        gx_sprint_bytes(&p, "-", 1);
    if (parts & (GX_DATE_MONTH | GX_DATE_DAY))
        gx_sprint_bytes(&p, "-", 1);
    if (parts & GX_DATE_MONTH)
        gx_sprint_padded(&p, d->month, 2);
    if (parts & GX_DATE_DAY) {
        gx_sprint_bytes(&p, "-", 1);
        gx_sprint_padded(&p, d->day, 2);
    } else if (parts == GX_DATE_MONTH)
        gx_sprint_bytes(&p, "--", 2);
    if (parts & GX_DATE_TIME) {
        if (parts & GX_DATE_DAY)
            gx_sprint_bytes(&p, "T", 1);
        gx_sprint_padded(&p, d->hour, 2);
        gx_sprint_bytes(&p, ":", 1);
        gx_sprint_padded(&p, d->minute, 2);
        gx_sprint_bytes(&p, ":", 1);
        gx_sprint_padded(&p, d->second, 2);
        gx_sprint_fraction(&p, d->atto);
    }
    if (d->has_zone && d->zone == 0)
        gx_sprint_bytes(&p, "Z", 1);
    else if (d->has_zone) {
        const u32 minutes = (u32)(d->zone < 0 ? -d->zone : d->zone);
        gx_sprint_bytes(&p, d->zone < 0 ? "-" : "+", 1);
        gx_sprint_padded(&p, minutes / 60, 2);
        gx_sprint_bytes(&p, ":", 1);
        gx_sprint_padded(&p, minutes % 60, 2);
    }
    return p.len;
}

/* ---- components -------------------------------------------------------------------------------------------------- */

/* A component by its letter in patterns: y year (as written: never 0), M month, w week in year, W week in month (from
 * Mondays), D day in year, d day in month, F the how many-th of its weekday in the month, E weekday (1 Sunday), H hour,
 * m minute, s second. 0: d does not have what it is made of. */
GX_FN_BIG int gx_date_component(const gx_date *d, char letter, i64 *v)
{
    const u32 needs = letter == 'y' ? GX_DATE_YEAR : letter == 'M' ? GX_DATE_MONTH : letter == 'd' ? GX_DATE_DAY
                    : letter == 'H' || letter == 'm' || letter == 's' ? GX_DATE_TIME : GX_DATE_FULL;
    if ((d->parts & needs) != needs)
        return 0;
    switch (letter) {
    case 'y': *v = d->year < 1 ? d->year - 1 : d->year; break;
    case 'M': *v = d->month; break;
    case 'w': *v = gx_days_week(gx_date_days(d)); break;
    case 'W': *v = (d->day - 1 + gx_days_weekday(gx_date_days(d) - d->day + 1)) / 7 + 1; break;
    case 'D': *v = gx_date_days(d) - gx_year_start(d->year) + 1; break;
    case 'd': *v = d->day; break;
    case 'F': *v = (d->day - 1) / 7 + 1; break;
    case 'E': *v = (gx_days_weekday(gx_date_days(d)) + 1) % 7 + 1; break;
    case 'H': *v = d->hour; break;
    case 'm': *v = d->minute; break;
    default:  *v = d->second;
    }
    return 1;
}

/* The name of month 1 .. 12 or of weekday 1 .. 7; its first three letters are its abbreviation */
GX_FN const char *gx_date_name(int weekday, u32 k, u32 *n)
{
    static const char names[19][10] = { "January", "February",  "March",    "April",    "May",      "June",   "July",
                                        "August",  "September", "October",  "November", "December", "Sunday", "Monday",
                                        "Tuesday", "Wednesday", "Thursday", "Friday",   "Saturday" };
    const char *name = names[(weekday ? 12 : 0) + k - 1];
    for (*n = 0; name[*n];)
        ++*n;
    return name;
}

GX_FN void gx_sprint_name(gx_sprint *p, int weekday, u32 k, int whole)
{
    u32 n;
    const char *name = gx_date_name(weekday, k, &n);
    gx_sprint_bytes(p, name, whole ? n : 3);
}

/* date:month-name, day-name and their abbreviations: letter M or E */
GX_FN u32 gx_date_name_write(const gx_date *d, char letter, int whole, char *out, u32 cap)
{
    gx_sprint p = gx_sprint_to(out, cap);
    i64 v;
    if (gx_date_component(d, letter, &v))
        gx_sprint_name(&p, letter == 'E', (u32)v, whole);
    return p.len;
}

/* Seconds since 0001-01-01T00:00:00Z */
GX_FN gx_seconds gx_date_instant(const gx_date *d)
{
    return gx_seconds_make(gx_date_days(d) * 86400 + d->hour * 3600 + d->minute * 60 + d->second - d->zone * 60,
                           d->atto);
}

/* ---- durations --------------------------------------------------------------------------------------------------- */

/* In range, and months and seconds not of different signs: such a duration has no string. */
GX_FN int gx_duration_is_valid(const gx_duration *d)
{
    const int later = d->time.whole > 0 || (d->time.whole == 0 && d->time.atto);
    return d->months <= GX_DURATION_MONTHS && d->months >= -GX_DURATION_MONTHS && d->time.whole < GX_DURATION_SECONDS
        && d->time.whole >= -GX_DURATION_SECONDS && !(d->months > 0 && d->time.whole < 0) && !(d->months < 0 && later);
}

/* XML Schema Part 2, 3.2.6: [-]PnYnMnDTnHnMnS. 0: it is none. */
GX_FN_BIG int gx_duration_parse(const char *s, u32 n, gx_duration *d)
{
    static const char units[7] = "YMDHMS";
    static const u32 size[6] = { 12, 1, 86400, 3600, 60, 1 };
    const int negative = n > 0 && s[0] == '-';
    u32 i = (u32)negative, next = 0, in_time = 0;       /* next: units before this one have been or are left out */
    int any = 0;

    d->months = 0;
    d->time = gx_seconds_make(0, 0);
    if (i == n || s[i++] != 'P')
        return 0;
    while (i < n) {
        u64 v = 0, atto = 0;
        u32 k;
        if (s[i] == 'T' && !in_time) {
            next = in_time = 3;
            any = 0;                                    /* something has to follow */
            i++;
            continue;
        }
        if (!gx_date_digit(s[i]))
            return 0;
        for (; i < n && gx_date_digit(s[i]); i++) {
            v = v * 10 + (u32)(s[i] - '0');
            if (v > GX_ATTO)
                return 0;
        }
        const int point = i < n && s[i] == '.';
        if (point) {
            i++;
            if (!gx_date_fraction(s, n, &i, &atto))
                return 0;
        }
        for (k = next; i < n && k < 3 + in_time && units[k] != s[i];)
            k++;
        if (i == n || k == 3 + in_time || (point && k != 5) || v > GX_ATTO / size[k])
            return 0;
        if (k < 2)
            d->months += (i64)(v * size[k]);
        else
            d->time = gx_seconds_add(d->time, gx_seconds_make((i64)(v * size[k]), atto));
        if (!gx_duration_is_valid(d))
            return 0;
        next = k + 1;
        any = 1;
        i++;
    }
    if (negative) {
        d->months = -d->months;
        d->time = gx_seconds_negate(d->time);
    }
    return any;
}

/* Nothing for a duration that is not valid */
GX_FN_BIG u32 gx_duration_write(gx_duration d, char *out, u32 cap)
{
    gx_sprint p = gx_sprint_to(out, cap);
    const int negative = d.months < 0 || d.time.whole < 0;
    if (!gx_duration_is_valid(&d))
        return 0;
    if (negative) {
        d.months = -d.months;
        d.time = gx_seconds_negate(d.time);
    }
    const u64 whole = (u64)d.time.whole, months = (u64)d.months, rest = whole % 86400;
    const u64 values[6] = { months / 12, months % 12, whole / 86400, rest / 3600, rest / 60 % 60, rest % 60 };
    gx_sprint_bytes(&p, negative ? "-P" : "P", negative ? 2 : 1);
    for (u32 k = 0; k < 6; k++) {
        if (k == 3 && (rest || d.time.atto))
            gx_sprint_bytes(&p, "T", 1);
        if (!values[k] && !(k == 5 && d.time.atto))
            continue;
        gx_sprint_padded(&p, values[k], 1);
        if (k == 5)
            gx_sprint_fraction(&p, d.time.atto);
        gx_sprint_bytes(&p, &"YMDHMS"[k], 1);
    }
    if (!months && !whole && !d.time.atto)
        gx_sprint_bytes(&p, "0D", 2);
    return p.len;
}

/* date:duration(number): digits of the number as XPath writes it */
GX_FN_BIG u32 gx_duration_of_number(double v, char *out, u32 cap)
{
    gx_duration d;
    d.months = 0;
    if (!(v < 1e18 && v > -1e18))
        return 0;
    const gx_decimal x = gx_number_decimal(v);
    if (x.exponent >= 0)
        d.time = gx_seconds_make((i64)(x.digits * gx_pow10_u64((u32)x.exponent)), 0);
    else if (x.exponent >= -18) {
        const u64 scale = gx_pow10_u64((u32)-x.exponent);
        d.time = gx_seconds_make((i64)(x.digits / scale), x.digits % scale * gx_pow10_u64((u32)(18 + x.exponent)));
    } else
        d.time = gx_seconds_make(0, x.exponent > -36 ? x.digits / gx_pow10_u64((u32)(-18 - x.exponent)) : 0);
    if (x.negative)
        d.time = gx_seconds_negate(d.time);
    return gx_duration_write(d, out, cap);
}

/* *sum += the duration s (date:add-duration; date:sum adds "as if using" it). 0: s is no duration, or the sum is not
 * valid. */
GX_FN_BIG int gx_duration_add(gx_duration *sum, const char *s, u32 n)
{
    gx_duration d;
    if (!gx_duration_parse(s, n, &d))
        return 0;
    sum->months += d.months;
    sum->time = gx_seconds_add(sum->time, d.time);
    return gx_duration_is_valid(sum);
}

/* ---- functions of two -------------------------------------------------------------------------------------------- */

/* date:add (XML Schema Part 2, Appendix E): months first, the day kept in the month, then the rest. The result has the
 * parts of d and as many more as are not at their first value. */
GX_FN_BIG u32 gx_date_add(const gx_date *date, const gx_duration *by, char *out, u32 cap)
{
    gx_date d = *date;
    const i64 months = d.year * 12 + (d.month - 1) + by->months;

    if (!(d.parts & GX_DATE_YEAR))
        return 0;
    d.year = gx_floor_div(months, 12);
    d.month = (u32)(months - 12 * d.year) + 1;
    if (d.day > gx_month_days(d.year, d.month))
        d.day = gx_month_days(d.year, d.month);
    const gx_seconds time = gx_seconds_add(gx_seconds_make(d.hour * 3600 + d.minute * 60 + d.second, d.atto), by->time);
    const i64 days = gx_floor_div(time.whole, 86400);
    const u32 rest = (u32)(time.whole - 86400 * days);
    gx_date_set_days(&d, gx_date_days(&d) + days);
    d.hour = rest / 3600;
    d.minute = rest / 60 % 60;
    d.second = rest % 60;
    d.atto = time.atto;
    if (d.year > GX_DATE_YEARS || d.year < 1 - GX_DATE_YEARS)
        return 0;
    if (rest || d.atto)
        d.parts |= GX_DATE_FULL | GX_DATE_TIME;
    if (d.day > 1)
        d.parts |= GX_DATE_FULL;
    if (d.month > 1)
        d.parts |= GX_DATE_MONTH;
    return gx_date_write(&d, d.parts, out, cap);
}

/* date:difference: from a to b, both cut to what the less specific one has */
GX_FN_BIG u32 gx_date_difference(const gx_date *from, const gx_date *to, char *out, u32 cap)
{
    gx_date a = *from, b = *to;
    gx_duration d;
    const u32 parts = a.parts & b.parts;

    if (!(parts & GX_DATE_YEAR))
        return 0;
    d.months = 0;
    d.time = gx_seconds_make(0, 0);
    if (!(parts & GX_DATE_MONTH))
        d.months = (b.year - a.year) * 12;
    else if (!(parts & GX_DATE_DAY))
        d.months = (b.year - a.year) * 12 + b.month - a.month;
    else {
        if (!(parts & GX_DATE_TIME)) {
            a.hour = a.minute = a.second = b.hour = b.minute = b.second = 0;
            a.atto = b.atto = 0;
        }
        d.time = gx_seconds_add(gx_date_instant(&b), gx_seconds_negate(gx_date_instant(&a)));
    }
    return gx_duration_write(d, out, cap);
}

/* ---- patterns: JDK 1.1's SimpleDateFormat, names in English ------------------------------------------------------ */

GX_FN int gx_date_letter(char c) { return ((u32)(u8)c | 32) - 'a' < 26u; }

/* One run of `count` equal letters. 0: the letter means nothing. */
GX_FN_BIG int gx_date_field_write(gx_sprint *p, const gx_date *d, char letter, u32 count)
{
    i64 v = 0;
    u64 number;
    const int has_time = (d->parts & GX_DATE_TIME) != 0;
    switch (letter) {
    case 'G':
        if (d->parts & GX_DATE_YEAR)
            gx_sprint_bytes(p, d->year < 1 ? "BC" : "AD", 2);
        return 1;
    case 'M': case 'E':
        if (!gx_date_component(d, letter, &v))
            return 1;
        if (letter == 'E' || count > 2)
            gx_sprint_name(p, letter == 'E', (u32)v, count > 3);
        else
            gx_sprint_padded(p, (u64)v, count);
        return 1;
    case 'a':
        if (has_time)
            gx_sprint_bytes(p, d->hour < 12 ? "AM" : "PM", 2);
        return 1;
    case 'z':
        if (d->has_zone) {
            gx_date zone;
            char text[8];
            gx_date_clear(&zone);
            zone.has_zone = 1;
            zone.zone = d->zone;
            gx_sprint_bytes(p, "GMT", 3);
            if (d->zone)
                gx_sprint_bytes(p, text, gx_date_write(&zone, 0, text, sizeof text));
        }
        return 1;
    case 'S': case 'k': case 'K': case 'h':
        if (!has_time)
            return 1;
        number = letter == 'S' ? d->atto / (GX_ATTO / 1000) : letter == 'k' ? (d->hour ? d->hour : 24)
               : letter == 'K' || d->hour % 12 ? d->hour % 12 : 12;
        break;
    case 'y': case 'd': case 'H': case 'm': case 's': case 'D': case 'F': case 'w': case 'W':
        if (!gx_date_component(d, letter, &v))
            return 1;
        number = (u64)(v < 0 ? -v : v);                 /* the era says the sign */
        if (letter == 'y' && count == 2)
            number %= 100;
        break;
    default:
        return 0;
    }
    gx_sprint_padded(p, number, count);
    return 1;
}

/* date:format-date. An unknown letter: nothing, as the pattern is no pattern. */
GX_FN_BIG u32 gx_date_format(const gx_date *date, const char *pattern, u32 n, char *out, u32 cap)
{
    gx_sprint p = gx_sprint_to(out, cap);
    gx_date d = *date;
    int quoted = 0;
    if (d.parts & GX_DATE_YEAR)                         /* right-truncated: what is missing has its first value */
        d.parts = GX_DATE_FULL | GX_DATE_TIME;
    for (u32 i = 0, count = 1; i < n && p.len < 0xf0000000u; i += count) {
        count = 1;
        if (pattern[i] == '\'') {
            if (i + 1 < n && pattern[i + 1] == '\'') {
                gx_sprint_bytes(&p, "'", 1);
                count = 2;
            } else
                quoted = !quoted;
        } else if (quoted || !gx_date_letter(pattern[i]))
            gx_sprint_bytes(&p, pattern + i, 1);
        else {
            while (i + count < n && pattern[i + count] == pattern[i])
                count++;
            if (!gx_date_field_write(&p, &d, pattern[i], count))
                return 0;
        }
    }
    return p.len;
}

/* A name at s[*i], case ignored: its number, with the whole name or its three letters; 0: none */
GX_FN u32 gx_date_scan_name(int weekday, const char *s, u32 n, u32 *i)
{
    for (u32 k = 1; k <= (weekday ? 7u : 12u); k++) {
        u32 len, same = 0;
        const char *name = gx_date_name(weekday, k, &len);
        while (same < len && *i + same < n && (s[*i + same] | 32) == (name[same] | 32))
            same++;
        if (same >= 3) {
            *i += same == len ? len : 3;
            return k;
        }
    }
    return 0;
}

/* What parse-date has read beside the date itself */
typedef struct gx_date_read { gx_date d; u32 half, pm, bc, day_of_year; } gx_date_read;

/* One field. `most`: digits that a number may take. 0: s does not have it there. */
GX_FN_BIG int gx_date_field_read(gx_date_read *r, char letter, u32 count, const char *s, u32 n, u32 *i, u32 most)
{
    gx_date *d = &r->d;
    const u32 from = *i;
    u64 v = 0;

    switch (letter) {
    case 'G':
        if (n - *i < 2 || (s[*i + 1] != 'D' && s[*i + 1] != 'C') || s[*i] != (s[*i + 1] == 'D' ? 'A' : 'B'))
            return 0;
        r->bc = s[*i] == 'B';
        *i += 2;
        return 1;
    case 'E':
        return gx_date_scan_name(1, s, n, i) != 0;
    case 'M':
        if (count < 3)
            break;
        d->parts |= GX_DATE_MONTH;
        d->month = gx_date_scan_name(0, s, n, i);
        return d->month != 0;
    case 'a':
        if (n - *i < 2 || (s[*i + 1] | 32) != 'm' || ((s[*i] | 32) != 'a' && (s[*i] | 32) != 'p'))
            return 0;
        r->pm = (s[*i] | 32) == 'p';
        *i += 2;
        return 1;
    case 'z':
        if (n - *i >= 3
            && ((s[*i] == 'G' && s[*i + 1] == 'M' && s[*i + 2] == 'T')
                || (s[*i] == 'U' && s[*i + 1] == 'T' && s[*i + 2] == 'C'))) {
            *i += 3;
            if (*i == n || (s[*i] != '+' && s[*i] != '-')) {
                d->has_zone = 1;
                return 1;
            }
        }
        return gx_date_scan_zone(s, n, i, d);
    }
    for (; *i < n && *i - from < most && gx_date_digit(s[*i]); ++*i)
        if (v <= (u64)GX_DATE_YEARS)
            v = v * 10 + (u32)(s[*i] - '0');
    if (*i == from || v > (u64)GX_DATE_YEARS)
        return 0;
    switch (letter) {
    case 'y':
        d->parts |= GX_DATE_YEAR;
        d->year = (i64)(count == 2 && *i - from == 2 ? v + (v < 69 ? 2000 : 1900) : v);
        return v > 0 || count == 2;
    case 'M':
        d->parts |= GX_DATE_MONTH;
        d->month = (u32)v;
        return v >= 1 && v <= 12;
    case 'd':
        d->parts |= GX_DATE_DAY;
        d->day = (u32)v;
        return v >= 1 && v <= 31;
    case 'D':
        r->day_of_year = (u32)v;
        return v >= 1 && v <= 366;
    case 'w': case 'W': case 'F':                       /* no part of any result */
        return 1;
    case 'S':
        d->parts |= GX_DATE_TIME;
        d->atto = v * (GX_ATTO / 1000);
        return v < 1000;
    case 'm':
        d->parts |= GX_DATE_TIME;
        d->minute = (u32)v;
        return v < 60;
    case 's':
        d->parts |= GX_DATE_TIME;
        d->second = (u32)v;
        return v < 60;
    case 'H': case 'k': case 'K': case 'h':
        d->parts |= GX_DATE_TIME;
        r->half = letter == 'K' || letter == 'h';
        d->hour = (u32)(letter == 'k' && v == 24 ? 0 : letter == 'h' && v == 12 ? 0 : v);
        return letter == 'H' ? v < 24 : letter == 'k' ? v >= 1 && v <= 24 : letter == 'K' ? v < 12 : v >= 1 && v <= 12;
    default:
        return 0;
    }
}

/* date:parse-date: the least specific type that has all that the pattern named. Years of two digits are 1969 ..
 * 2068. */
GX_FN_BIG u32 gx_date_read_write(const char *s, u32 n, const char *pattern, u32 m, char *out, u32 cap)
{
    gx_date_read r;
    gx_date *d = &r.d;
    u32 i = 0;
    int quoted = 0;

    gx_date_clear(d);
    r.half = r.pm = r.bc = r.day_of_year = 0;
    for (u32 k = 0, count = 1; k < m; k += count) {
        count = 1;
        const int quote = pattern[k] == '\'', two = quote && k + 1 < m && pattern[k + 1] == '\'';
        if (quote && !two) {
            quoted = !quoted;
        } else if (quote || quoted || !gx_date_letter(pattern[k])) {
            if (i == n || s[i++] != pattern[k])
                return 0;
            count += (u32)two;
        } else {
            while (k + count < m && pattern[k + count] == pattern[k])
                count++;
            /* a number that another field follows at once ends where the pattern says */
            const int abuts = k + count < m && gx_date_letter(pattern[k + count]);
            if (!gx_date_field_read(&r, pattern[k], count, s, n, &i, abuts ? count : 0xffffffffu))
                return 0;
        }
    }
    if (i != n)
        return 0;
    if (r.half)
        d->hour += 12 * r.pm;
    if (r.bc)
        d->year = 1 - d->year;
    if (r.day_of_year) {
        if (r.day_of_year > 365u + (u32)gx_year_is_leap(d->year))
            return 0;
        gx_date_set_days(d, gx_year_start(d->year) + r.day_of_year - 1);
        d->parts |= GX_DATE_MONTH | GX_DATE_DAY;
    }
    if (!d->parts)
        return 0;
    if (d->parts & GX_DATE_TIME && d->parts != GX_DATE_TIME)
        d->parts |= GX_DATE_FULL;
    if (d->parts & GX_DATE_YEAR && d->parts & GX_DATE_DAY)
        d->parts |= GX_DATE_MONTH;
    return gx_date_is_day(d) ? gx_date_write(d, d->parts, out, cap) : 0;
}

#endif
