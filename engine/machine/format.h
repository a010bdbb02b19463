/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format.h -- numbers for people: format-number() and xsl:number
 *
 * format-number() (XSLT 1.0, 12.3) is JDK 1.1's DecimalFormat: gx_format_parse reads a pattern once, gx_format_write is
 * then called for each number.
 *
 *      pattern     prefix #,##0.0# suffix ; negative prefix # negative suffix      ('...' quotes, '' is an apostrophe)
 *                         |   | |
 *                         |   | at least one, at most two decimals
 *                         groups of three; at least one digit
 *
 * What is rounded is the number as string() shows it: 1.005 to two places is 1.01, though the double lies below. A tie
 * goes away from zero, as xsltproc and people do it; JDK rounds ties to even since 1.2.
 *
 * xsl:number (7.7.1): gx_number_list_write, gx_number_value_write.
 *
 * Writers put at most `cap` bytes to `out` and return how many there are: when that is more than cap, out holds no
 * result. No allocation; output is bounded by the pattern's length plus 4 x GX_NUMBER_CHARS digits and separators.
 */
#ifndef GX_MACHINE_FORMAT_H
#define GX_MACHINE_FORMAT_H

#include "alnum.h"
#include "base.h"
#include "number.h"
#include "text.h"

/* xsl:decimal-format: characters as code points */
typedef struct gx_decimal_symbols {
    u32 decimal_separator, grouping_separator, minus_sign, percent, per_mille, zero_digit, digit, pattern_separator;
    u32 infinity_len, nan_len;
    const char *infinity, *nan;
} gx_decimal_symbols;

GX_FN void gx_decimal_symbols_default(gx_decimal_symbols *sym)
{
    sym->decimal_separator = '.';
    sym->grouping_separator = ',';
    sym->minus_sign = '-';
    sym->percent = '%';
    sym->per_mille = 0x2030;
    sym->zero_digit = '0';
    sym->digit = '#';
    sym->pattern_separator = ';';
    sym->infinity = "Infinity";
    sym->infinity_len = 8;
    sym->nan = "NaN";
    sym->nan_len = 3;
}

/* ---- a bounded output -------------------------------------------------------------------------------------------- */

typedef struct gx_sprint { char *out; u32 cap, len; } gx_sprint;

GX_FN void gx_sprint_bytes(gx_sprint *p, const char *s, u32 n)
{
    for (u32 i = 0; i < n; i++, p->len++)
        if (p->len < p->cap)
            p->out[p->len] = s[i];
}

GX_FN_BIG void gx_sprint_code(gx_sprint *p, u32 code)
{
    char utf8[4];
    if (code)                                   /* 0: a decimal format has no such character */
        gx_sprint_bytes(p, utf8, gx_utf8_encode(code, utf8));
}

/* ---- format-number(): the pattern -------------------------------------------------------------------------------- */

/* What is wrong with a pattern */
enum {
    GX_FORMAT_OK = 0,
    GX_FORMAT_TWO_POINTS,       /* more than one decimal separator */
    GX_FORMAT_DIGIT_ORDER,      /* 0 and # mixed, as in 0#.0 or 0.#0 */
    GX_FORMAT_GROUPING,         /* a grouping separator where no digit follows, or after the decimal separator */
    GX_FORMAT_AFFIX,            /* digits after the suffix began; more than one percent or per-mille */
    GX_FORMAT_QUOTE,            /* an apostrophe without its partner */
    GX_FORMAT_SUBPATTERNS       /* more than two */
};

typedef struct gx_format {
    const char *pattern;
    gx_span prefix, suffix;                     /* raw slices of pattern, with quotes */
    gx_span negative_prefix, negative_suffix;
    u32 min_integer, min_fraction, max_fraction;
    u32 grouping;               /* digits in a group, 0 = none */
    u8 has_negative;            /* negative_* are to be used, without a minus sign */
    u8 shift;                   /* 2: percent, 3: per-mille */
    u8 point_always;            /* the decimal separator even without decimals */
} gx_format;

/* One subpattern's counts, while it is read */
typedef struct gx_format_part {
    gx_span prefix, suffix;
    u32 left, zeros, right;     /* # before, 0, # after */
    i64 point;                  /* digits before the decimal separator; -1: there is none */
    i64 group;                  /* digits since the last grouping separator; -1: there is none */
    u32 shift;
} gx_format_part;

/* Reads a subpattern from *at on, up to and with the pattern separator. is_loose: grouping separators in wrong places
 * do nothing, as in libxslt. */
GX_FN_BIG int gx_format_parse_part(const char *s, u32 n, const gx_decimal_symbols *sym, int is_loose, u32 *at,
                                   gx_format_part *part)
{
    enum { PREFIX, NUMBER, SUFFIX } phase = PREFIX;
    int quoted = 0;
    u32 i = *at;
    GX_CLEAR(part);
    part->point = part->group = -1;
    part->prefix.off = i;
    while (i < n) {
        u32 c;
        const u32 size = gx_utf8_decode(s + i, n - i, &c);
        const int of_number = !quoted && (c == sym->digit || c == sym->zero_digit || c == sym->grouping_separator
                                          || c == sym->decimal_separator);
        if (c == '\'')
            quoted = !quoted;                   /* '' turns it off and on: the writer makes an apostrophe of it */
        if (!quoted && c == sym->pattern_separator)
            break;
        if (of_number) {
            if (phase == SUFFIX)
                return GX_FORMAT_AFFIX;
            if (phase == PREFIX) {
                phase = NUMBER;
                part->prefix.len = i - part->prefix.off;
            }
            if (c == sym->digit || c == sym->zero_digit) {
                if (c == sym->digit)
                    *(part->zeros ? &part->right : &part->left) += 1;
                else if (part->right)
                    return GX_FORMAT_DIGIT_ORDER;
                else
                    part->zeros++;
                if (part->group >= 0 && part->point < 0)
                    part->group++;
            } else if (c == sym->decimal_separator) {   /* before the grouping separator: they may be the same character
                                                           */
                if (part->point >= 0)
                    return GX_FORMAT_TWO_POINTS;
                part->point = (i64)part->left + part->zeros + part->right;
            } else {
                if (part->point >= 0 && !is_loose)
                    return GX_FORMAT_GROUPING;
                if (part->point < 0)
                    part->group = 0;
            }
        } else {
            if (phase == NUMBER) {
                phase = SUFFIX;
                part->suffix.off = i;
            }
            if (!quoted && (c == sym->percent || c == sym->per_mille)) {
                if (part->shift)
                    return GX_FORMAT_AFFIX;
                part->shift = c == sym->percent ? 2 : 3;
            }
        }
        i += size;
    }
    if (quoted)
        return GX_FORMAT_QUOTE;
    if (phase == PREFIX)
        part->prefix.len = i - part->prefix.off;
    if (phase == SUFFIX)
        part->suffix.len = i - part->suffix.off;
    *at = i;
    if (part->group == 0 && !is_loose)
        return GX_FORMAT_GROUPING;
    return GX_FORMAT_OK;
}

GX_FN int gx_format_same_affixes(const char *s, const gx_format_part *a, const gx_format_part *b)
{
    return gx_text_equal(s + a->prefix.off, a->prefix.len, s + b->prefix.off, b->prefix.len)
        && gx_text_equal(s + a->suffix.off, a->suffix.len, s + b->suffix.off, b->suffix.len);
}

/* GX_FORMAT_OK and *out, which points to the pattern; or what is wrong. Of a second subpattern only the affixes count;
 * is_loose: more are passed over. */
GX_FN_BIG int gx_format_parse(const char *pattern, u32 n, const gx_decimal_symbols *sym, int is_loose, gx_format *out)
{
    gx_format_part part, negative;
    u32 at = 0;
    int has_negative = 0;
    int wrong = gx_format_parse_part(pattern, n, sym, is_loose, &at, &part);
    if (wrong)
        return wrong;
    if (at < n) {
        at += gx_utf8_size(sym->pattern_separator);
        wrong = gx_format_parse_part(pattern, n, sym, is_loose, &at, &negative);
        if (wrong)
            return wrong;
        if (at < n && !is_loose)
            return GX_FORMAT_SUBPATTERNS;
        /* JDK: a negative subpattern that looks like the positive one is as good as none */
        has_negative = !gx_format_same_affixes(pattern, &part, &negative);
    }

    if (part.zeros == 0 && part.left > 0 && part.point >= 0) {
        /* "#.##" means "0.##", ".##" means ".0#": one # next to the point counts as a 0 */
        const u32 n_left = part.point ? (u32)part.point : 1;
        part.right = part.left - n_left;
        part.left = n_left - 1;
        part.zeros = 1;
    }
    const i64 total = (i64)part.left + part.zeros + part.right, point = part.point >= 0 ? part.point : total;
    if ((part.point < 0 && part.right > 0) || point < part.left || point > (i64)part.left + part.zeros)
        return GX_FORMAT_DIGIT_ORDER;

    GX_CLEAR(out);
    out->pattern = pattern;
    out->prefix = part.prefix;
    out->suffix = part.suffix;
    out->has_negative = (u8)has_negative;
    if (has_negative) {
        out->negative_prefix = negative.prefix;
        out->negative_suffix = negative.suffix;
    }
    out->min_integer = (u32)(point - part.left);
    out->max_fraction = (u32)(total - point);
    out->min_fraction = (u32)((i64)part.left + part.zeros - point);
    out->grouping = part.group > 0 ? (u32)part.group : 0;
    out->shift = (u8)part.shift;
    out->point_always = part.point >= 0 && (part.point == 0 || part.point == total);
    return GX_FORMAT_OK;
}

/* What libxslt writes a number with where the pattern is malformed: as 0.0#### does. */
GX_FN void gx_format_plain(gx_format *out)
{
    GX_CLEAR(out);
    out->min_integer = out->min_fraction = 1;
    out->max_fraction = 5;
    out->pattern = "";
}

/* ---- format-number(): the number --------------------------------------------------------------------------------- */

/* An affix without its quotes. The currency sign, which XSLT forbids and Java takes, is a dollar as in Java's root
 * locale. */
GX_FN void gx_format_affix(gx_sprint *p, const char *s, gx_span span)
{
    const u32 end = span.off + span.len;
    int quoted = 0;
    for (u32 i = span.off; i < end;) {
        u32 c;
        const u32 size = gx_utf8_decode(s + i, end - i, &c);
        if (c == '\'' && i + 1 < end && s[i + 1] == '\'') {
            gx_sprint_bytes(p, "'", 1);
            i += 2;
            continue;
        }
        if (c == '\'')
            quoted = !quoted;
        else if (c == 0xa4 && !quoted)
            gx_sprint_bytes(p, "$", 1);
        else
            gx_sprint_bytes(p, s + i, size);
        i += size;
    }
}

/* d to at most `places` decimals, a tie away from zero */
GX_FN_BIG void gx_decimal_round(gx_decimal *d, u32 places)
{
    const i64 drop = -(i64)places - d->exponent;
    if (drop <= 0)
        return;
    d->exponent += (i32)drop;
    if (drop > 17) {                            /* 17 digits are less than half of 10^18 */
        d->digits = 0;
    } else {
        const u64 unit = gx_pow10_u64((u32)drop), rest = d->digits % unit;
        d->digits = d->digits / unit + (rest >= unit - rest);
    }
    if (d->digits == 0) {
        d->exponent = 0;
        return;
    }
    while (d->digits % 10 == 0) {
        d->digits /= 10;
        d->exponent++;
    }
}

/* The bytes that v takes in this format; written if they fit into cap. */
GX_FN_BIG u32 gx_format_write(const gx_format *f, const gx_decimal_symbols *sym, double v, char *out, u32 cap)
{
    gx_sprint p;
    p.out = out;
    p.cap = cap;
    p.len = 0;
    if (v != v) {
        gx_sprint_bytes(&p, sym->nan, sym->nan_len);
        return p.len;
    }
    const int with_minus = v < 0 && !f->has_negative;
    if (with_minus)
        gx_sprint_code(&p, sym->minus_sign);
    gx_format_affix(&p, f->pattern, v < 0 && f->has_negative ? f->negative_prefix : f->prefix);

    if (!gx_number_is_finite(v)) {
        gx_sprint_bytes(&p, sym->infinity, sym->infinity_len);
    } else {
        gx_decimal d = gx_number_decimal(v);
        if (d.digits)
            d.exponent += f->shift;
        gx_decimal_round(&d, f->max_fraction);

        char digits[20];
        const i64 n = d.digits ? (i64)gx_number_write_u64(d.digits, digits) : 0;
        const i64 top = d.exponent + n;         /* digits[0] stands at 10^(top - 1) */
        i64 n_fraction = d.exponent < 0 ? -(i64)d.exponent : 0;
        if (n_fraction < f->min_fraction)
            n_fraction = f->min_fraction;
        i64 n_integer = top > (i64)f->min_integer ? top : (i64)f->min_integer;
        if (n_integer <= 0)
            n_integer = n_fraction ? 0 : 1;

        for (i64 place = n_integer - 1; place >= -n_fraction; place--) {
            if (place == -1)
                gx_sprint_code(&p, sym->decimal_separator);
            const i64 i = top - 1 - place;      /* which of the digits stands at 10^place */
            gx_sprint_code(&p, sym->zero_digit + (i >= 0 && i < n ? (u32)(digits[i] - '0') : 0));
            if (f->grouping && place > 0 && place % f->grouping == 0)
                gx_sprint_code(&p, sym->grouping_separator);
        }
        if (f->point_always && n_fraction == 0)
            gx_sprint_code(&p, sym->decimal_separator);
    }
    gx_format_affix(&p, f->pattern, v < 0 && f->has_negative ? f->negative_suffix : f->suffix);
    return p.len;
}

/* ---- xsl:number: the tokens -------------------------------------------------------------------------------------- */

/* The zero of the family that the digit c belongs to (Unicode Nd), or 0 if c is none */
GX_FN u32 gx_number_zero_of(u32 c)
{
    static const u16 zeros[] = { 0x30,   0x660,  0x6f0,  0x7c0,  0x966,  0x9e6,  0xa66,  0xae6,  0xb66,  0xbe6,
                                 0xc66,  0xce6,  0xd66,  0xde6,  0xe50,  0xed0,  0xf20,  0x1040, 0x1090, 0x17e0,
                                 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620,
                                 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10 };
    for (u32 i = 0; i < sizeof zeros / sizeof zeros[0]; i++)
        if (c - zeros[i] < 10u)
            return zeros[i];
    if (c >= 0x1d7ce && c <= 0x1d7ff)
        return c - (c - 0x1d7ce) % 10;
    return 0;
}

typedef struct gx_number_token { gx_span separator, token; } gx_number_token;

/* The next token after byte *at, with the separator before it. 0: there is none; separator is then what was left. */
GX_FN_BIG int gx_number_next_token(const char *format, u32 n, u32 *at, gx_number_token *t)
{
    u32 i = *at, c;
    t->separator.off = i;
    while (i < n) {
        const u32 size = gx_utf8_decode(format + i, n - i, &c);
        if (gx_text_is_alnum(c))
            break;
        i += size;
    }
    t->separator.len = i - t->separator.off;
    t->token.off = i;
    while (i < n) {
        const u32 size = gx_utf8_decode(format + i, n - i, &c);
        if (!gx_text_is_alnum(c))
            break;
        i += size;
    }
    t->token.len = i - t->token.off;
    *at = i;
    return t->token.len != 0;
}

/* ---- xsl:number: one number -------------------------------------------------------------------------------------- */

/* grouping-separator and grouping-size; size 0 or an empty separator = none. letter_traditional:
 * letter-value="traditional" */
typedef struct gx_number_style {
    const char *separator;
    u32 separator_len, group_size;
    int letter_traditional;
} gx_number_style;

/* The decimal digits s[0 .. n-1] in the family of `zero`, at least `width` of them */
GX_FN_BIG void gx_number_print_decimal(gx_sprint *p, const char *s, u32 n, u32 zero, u32 width,
                                       const gx_number_style *style)
{
    for (u32 left = n > width ? n : width; left; left--) {
        gx_sprint_code(p, zero + (left <= n ? (u32)(s[n - left] - '0') : 0));
        if (style->group_size && left > 1 && (left - 1) % style->group_size == 0)
            gx_sprint_bytes(p, style->separator, style->separator_len);
    }
}

/* a, b, .. z, aa, ab, ..: `size` letters from `first` on; value > 0 */
GX_FN_BIG void gx_number_print_letters(gx_sprint *p, u64 value, u32 first, u32 size)
{
    u32 letters[16];                            /* enough for 2^64 in an alphabet of 22 */
    u32 n = 0;
    for (; value; value = (value - 1) / size)
        letters[n++] = (u32)((value - 1) % size);
    while (n) {
        const u32 letter = letters[--n];
        gx_sprint_code(p, first + letter + (first == 0x391 && letter >= 17));     /* there is no capital final sigma */
    }
}

GX_FN_BIG void gx_number_print_roman(gx_sprint *p, u32 value, int upper)
{
    static const u16 worth[13] = {1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1};
    static const char letters[27] = "m cmd cdc xcl xlx ixv ivi ";
    for (u32 i = 0; i < 13; i++)
        for (; value >= worth[i]; value -= worth[i])
            for (u32 k = 0; k < 2 && letters[2 * i + k] != ' '; k++)
                gx_sprint_code(p, (u32)(u8)letters[2 * i + k] - (upper ? 32 : 0));
}

/* Greek numerals, 1 .. 999,999: a letter each for units, tens, hundreds; thousands after a lower left keraia. */
GX_FN_BIG void gx_number_print_greek(gx_sprint *p, u32 value, int upper)
{
    static const u16 letters[27] = {
        0x3b1, 0x3b2, 0x3b3, 0x3b4, 0x3b5, 0x3db, 0x3b6, 0x3b7, 0x3b8,       /* 1 .. 9; 6 is stigma */
        0x3b9, 0x3ba, 0x3bb, 0x3bc, 0x3bd, 0x3be, 0x3bf, 0x3c0, 0x3df,       /* 10 .. 90; 90 is koppa */
        0x3c1, 0x3c3, 0x3c4, 0x3c5, 0x3c6, 0x3c7, 0x3c8, 0x3c9, 0x3e1        /* 100 .. 900; 900 is sampi */
    };
    for (i32 place = 5; place >= 0; place--) {
        const u32 digit = (u32)(value / gx_pow10_u64((u32)place) % 10);
        if (digit) {
            const u32 c = letters[place % 3 * 9 + (i32)digit - 1];
            if (place >= 3)
                gx_sprint_code(p, 0x375);
            gx_sprint_code(p, !upper ? c : c >= 0x3d0 ? c - 1 : c - 32);
        }
    }
}

/* Hebrew numerals, 1 .. 999,999, thousands first */
GX_FN_BIG void gx_number_print_hebrew(gx_sprint *p, u32 value)
{
    static const u16 tens[9] = {0x5d9, 0x5db, 0x5dc, 0x5de, 0x5e0, 0x5e1, 0x5e2, 0x5e4, 0x5e6};
    for (u32 thousands = value / 1000, half = 0; half < 2; half++) {
        u32 v = half ? value % 1000 : thousands;
        for (; v >= 400; v -= 400)
            gx_sprint_code(p, 0x5ea);
        if (v >= 100)
            gx_sprint_code(p, 0x5e7 + v / 100 - 1);
        v %= 100;
        if (v == 15 || v == 16) {               /* 9 + 6 and 9 + 7: the plain ones would spell a name of God */
            gx_sprint_code(p, 0x5d8);
            gx_sprint_code(p, 0x5d0 + v - 10);
            continue;
        }
        if (v >= 10)
            gx_sprint_code(p, tens[v / 10 - 1]);
        if (v % 10)
            gx_sprint_code(p, 0x5d0 + v % 10 - 1);
    }
}

/* 1: the token is 0*1 of some family of digits; its length is the least number of digits, *width, in the family of
 * *zero. */
GX_FN int gx_number_decimal_token(const char *token, u32 n, u32 *zero, u32 *width)
{
    u32 c;
    *zero = *width = 0;
    for (u32 i = 0; i < n; ++*width) {
        i += gx_utf8_decode(token + i, n - i, &c);
        const u32 family = gx_number_zero_of(c);
        if (family == 0 || (*zero && family != *zero) || c != family + (i == n))
            return 0;
        *zero = family;
    }
    return n != 0;
}

/* One number by one token. s: its decimal digits; value: the same, or 0 when it is 0 or 2^64 and more: only decimals
 * can do these. A token nobody knows counts as "1". */
GX_FN_BIG void gx_number_print(gx_sprint *p, const char *token, u32 n, u64 value, const char *s, u32 s_len,
                           const gx_number_style *style)
{
    u32 c, zero, width;
    if (n && gx_utf8_decode(token, n, &c) && value) {       /* "ix" counts as "i": libxslt and Saxon agree */
        if (c == 'a' || c == 'A') {
            gx_number_print_letters(p, value, c, 26);
            return;
        }
        if ((c == 'i' || c == 'I') && value <= 5000) {
            gx_number_print_roman(p, (u32)value, c == 'I');
            return;
        }
        if (c == 0x3b1 || c == 0x391) {
            if (style->letter_traditional && value <= 999999)
                gx_number_print_greek(p, (u32)value, c == 0x391);
            else
                gx_number_print_letters(p, value, c, c == 0x3b1 ? 25 : 24);
            return;
        }
        if (c == 0x430 || c == 0x410) {         /* the 32 letters of the Russian alphabet that stand in one row */
            gx_number_print_letters(p, value, c, 32);
            return;
        }
        if (c == 0x5d0 && value <= 999999) {
            gx_number_print_hebrew(p, (u32)value);
            return;
        }
        if (c == 0x10d0) {                      /* Georgian */
            gx_number_print_letters(p, value, c, 33);
            return;
        }
    }
    if (!gx_number_decimal_token(token, n, &zero, &width)) {
        zero = '0';
        width = 1;
    }
    gx_number_print_decimal(p, s, s_len, zero, width, style);
}

/* ---- xsl:number: the list ---------------------------------------------------------------------------------------- */

/* huge: decimal digits of the only number when it does not fit into a u64, else NULL */
GX_FN_BIG u32 gx_number_print_list(const char *format, u32 n, const u64 *values, u32 count, const char *huge,
                                   u32 huge_len, const gx_number_style *style, char *out, u32 cap)
{
    gx_sprint p;
    p.out = out;
    p.cap = cap;
    p.len = 0;
    if (count == 0)
        return 0;                               /* no number at all, no text: as the suites have it */

    gx_number_token t, next;
    u32 at = 0;
    const int has_token = gx_number_next_token(format, n, &at, &t);
    gx_sprint_bytes(&p, format + t.separator.off, t.separator.len);
    const char *token = has_token ? format + t.token.off : "1", *separator = ".";
    u32 token_len = has_token ? t.token.len : 1, separator_len = 1;
    for (u32 i = 0; i < count; i++) {
        if (i) {
            /* the last token and the separator before it serve all further numbers; with one token that is "." */
            u32 ahead = at;
            if (gx_number_next_token(format, n, &ahead, &next)) {
                at = ahead;
                token = format + next.token.off;
                token_len = next.token.len;
                separator = format + next.separator.off;
                separator_len = next.separator.len;
            }
            gx_sprint_bytes(&p, separator, separator_len);
        }
        if (huge) {
            gx_number_print(&p, token, token_len, 0, huge, huge_len, style);
        } else {
            char digits[20];
            gx_number_print(&p, token, token_len, values[i], digits, gx_number_write_u64(values[i], digits), style);
        }
    }
    while (gx_number_next_token(format, n, &at, &next))
        ;                                       /* skip the tokens that had no number */
    /* with no format token one is the first and the last */
    const gx_span end = has_token ? next.separator : t.separator;
    gx_sprint_bytes(&p, format + end.off, end.len);
    return p.len;
}

/* The numbers of xsl:number with the format tokens (7.7.1); 0 is written in decimals whatever the token. */
GX_FN u32 gx_number_list_write(const char *format, u32 n, const u64 *values, u32 count, const gx_number_style *style,
                               char *out, u32 cap)
{
    return gx_number_print_list(format, n, values, count, NULL, 0, style, out, cap);
}

/* xsl:number value="v": rounded. What is negative, infinite or NaN comes as string(v), without the format (XSLT 1.0
 * erratum E24, the recovery). What rounds to 0 too, unless the first token is a decimal one: that can count from 0, as
 * libxslt and Saxon do. */
GX_FN u32 gx_number_value_write(const char *format, u32 n, double v, const gx_number_style *style, char *out, u32 cap)
{
    char text[GX_NUMBER_CHARS];
    int plain = !(v >= 0) || !gx_number_is_finite(v);
    if (!plain && v < 0.5) {
        gx_number_token t;
        u32 at = 0, zero, width;
        plain = gx_number_next_token(format, n, &at, &t)
             && !gx_number_decimal_token(format + t.token.off, t.token.len, &zero, &width);
    }
    if (plain) {
        gx_sprint p;
        p.out = out;
        p.cap = cap;
        p.len = 0;
        gx_sprint_bytes(&p, text, gx_number_format(v, text));
        return p.len;
    }
    const double whole = gx_number_round(v);
    if (whole <= 9007199254740992.0) {          /* 2^53: above it string() has fewer digits than the integer, and both
                                                   must be the same number to a reader */
        const u64 value = (u64)whole;
        return gx_number_print_list(format, n, &value, 1, NULL, 0, style, out, cap);
    }
    return gx_number_print_list(format, n, NULL, 1, text, gx_number_format(whole, text), style, out, cap);
}

#endif
