/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 42-text.c -- machine/text.h, machine/format.h and machine/exslt.h: tables from the specifications and the peers, and
 * naive references on random strings
 *
 * Strings of the random cases are copies of their exact size on the heap: AddressSanitizer sees any byte read beyond a
 * slice.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include "engine/machine/collate.h"
#include "engine/machine/exslt.h"

static u64 seed = 0x9e3779b97f4a7c15ull;

static u32 random_below(u32 n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (u32)(seed >> 33) % n;
}

/* A string of up to `most` characters of a small alphabet, so that things repeat. malloc'd, n bytes, no end mark. */
static char *random_text(u32 most, u32 *n)
{
    static const u32 alphabet[] = {'a', 'b', 'a', 'b', ' ', '\t', 'B', 'z', 0xe9, 0xc9, 0x3b1, 0x20ac, 0x1f600,
                                   '\n', ' ', '1'};
    const u32 kinds = random_below(3) ? 8 : 16;     /* ASCII only, mostly */
    char buf[1024];
    *n = 0;
    for (u32 left = random_below(most + 1); left; left--)
        *n += gx_utf8_encode(alphabet[random_below(kinds)], buf + *n);
    char *s = malloc(*n ? *n : 1);
    memcpy(s, buf, *n);
    return s;
}

static void equals(const char *what, const char *got, u32 n, const char *want)
{
    if (n != strlen(want) || memcmp(got, want, n))
        fail_msg("%s: \"%.*s\", not \"%s\"", what, (int)n, got, want);
}

/* ---- text.h
 * --------------------------------------------------------------------------------------------------------- */

static void characters(void **state)
{
    (void)state;
    for (u32 round = 0; round < 20000; round++) {
        u32 n, count = 0;
        char *s = random_text(round % 16 ? 60 : 500, &n);
        for (u32 i = 0; i < n; i++) {
            if (!gx_utf8_is_start(s[i]))
                continue;
            assert_int_equal(gx_text_offset(s, n, count), i);
            u32 code;
            char again[4];
            const u32 size = gx_utf8_decode(s + i, n - i, &code);
            assert_int_equal(gx_utf8_encode(code, again), size);
            assert_memory_equal(again, s + i, size);
            count++;
        }
        assert_int_equal(gx_text_length(s, n), count);
        assert_int_equal(gx_text_offset(s, n, count), n);
        assert_int_equal(gx_text_offset(s, n, 0xffffffffu), n);
        free(s);
    }
}

/* Whatever the bytes are: nothing outside the slice, and an end */
/* Strings alike in many ways, among them a thousand that are one to FNV-1a (t/35-bombs.t): as evenly spread as chance
 * would, by any seed */
#define STRINGS 4096u
static u32 family(u32 which, u32 i, char *s)
{
    static const char *const pairs[12][2] = {
        {"rsygeoga", "uomycuep"}, {"vjqgphnp", "ofbfzqgg"}, {"rnichdlf", "etryhvdl"}, {"nankltvj", "dahapzoy"},
            {"jkyciihz", "pusjpbfo"},
        {"hpphuqnk", "sxfjtuat"}, {"rgilbhcn", "oakghgjl"}, {"tczzhtfh", "knayhcqh"}, {"bcschrpf", "vhbhsodm"},
        {"ojeatnrc", "pozhfibb"},
        {"ibppxaqr", "olshebki"}, {"tlsfkcja", "zytlmgjk"}
    };
    u64 x = i * 0x3d4e000ull;
    memset(s, 'a', 96);
    switch (which) {
    case 0: return (u32)sprintf(s, "%u", i);
    case 1: return (u32)sprintf(s, "item-%08u", i);
    case 2: s[0] = (char)('0' + (i >> 6)); s[1] = (char)('0' + (i & 63)); return 2;
    case 3: s[0] = (char)('0' + (i >> 6)); s[1] = (char)('0' + (i & 63)); return 8;
    case 4: s[7] = (char)('0' + (i >> 6)); s[63] = (char)('0' + (i & 63)); return 64;
    case 5: s[12] = (char)('0' + (i >> 6)); s[18] = (char)('0' + (i & 63)); return 19;
    case 6: memcpy(s, &x, 8); return 8;         /* words at equal distances */
    default:
        for (u32 k = 0; k < 12; k++)
            memcpy(s + 8 * k, pairs[k][i >> k & 1], 8);
        return 96;
    }
}

static void hashes(void **state)
{
    (void)state;
    static u32 bucket[2][STRINGS];
    for (u32 which = 0; which < 8; which++)
        for (u32 round = 0; round < 40; round++) {
            static u32 n_in[STRINGS], last[STRINGS];
            u32 *now = bucket[round & 1], *before = bucket[~round & 1], longest = 0, together = 0, still = 0;
            const u64 by = (u64)random_below(1u << 31) << 33 ^ (u64)random_below(1u << 31) << 8 ^ random_below(256);
            memset(n_in, 0, sizeof n_in);
            for (u32 i = 0; i < STRINGS; i++) {
                char s[96];
                const u32 n = family(which, i, s);
                char *exact = malloc(n);
                memcpy(exact, s, n);
                const u64 h = gx_text_hash(by, exact, n);
                free(exact);
                assert_true(h == gx_text_hash(by, s, n));
                now[i] = (u32)h % STRINGS;
                longest = ++n_in[now[i]] > longest ? n_in[now[i]] : longest;
            }
            if (longest > 14)           /* by chance once in a hundred thousand rounds */
                fail_msg("strings %u, seed %llx: %u in a bucket", which, (unsigned long long)by, longest);
            memset(last, 0, sizeof last);
            for (u32 i = 0; i < STRINGS && round; i++) {        /* beside the one before it in its bucket */
                const u32 other = last[before[i]];
                together += other != 0;
                still += other && now[other - 1] == now[i];
                last[before[i]] = i + 1;
            }
            if (still > 20 || (round && together < STRINGS / 4))
                fail_msg("strings %u: of %u pairs in a bucket %u are with the next seed, too", which, together, still);
        }
}

static void broken_utf8(void **state)
{
    (void)state;
    for (u32 round = 0; round < 20000; round++) {
        const u32 n = random_below(24);
        char *s = malloc(n ? n : 1), *out = malloc(4 * n + 1);
        for (u32 i = 0; i < n; i++)
            s[i] = (char)(random_below(2) ? 0x80 + random_below(128) : random_below(128));
        gx_translation tr;
        gx_translation_init(&tr, s, n / 2, s + n / 2, n - n / 2);
        const u64 length = gx_text_translate_length(&tr, s, n);
        assert_true(length <= 4 * n);
        assert_true(gx_text_translate_write(&tr, s, n, out) == length);
        gx_text_length(s, n);
        gx_text_substring(s, n, 2, 3);
        gx_text_collate(s, n / 2, s + n / 2, n - n / 2, GX_SORT_LOWER_FIRST, gx_alphabet_at(random_below(16)));
        gx_alphabet_of(s, n);
        gx_decimal_symbols sym;
        gx_format f;
        char number[64];
        gx_decimal_symbols_default(&sym);
        if (gx_format_parse(s, n, &sym, 0, &f) == GX_FORMAT_OK)
            gx_format_write(&f, &sym, -1234.5, number, sizeof number);
        const gx_number_style style = {s, n, 2, 0};
        const u64 values[3] = {1, 20, 300};
        gx_number_list_write(s, n, values, 3, &style, number, sizeof number);
        free(s);
        free(out);
    }
}

static void substrings(void **state)
{
    (void)state;
    const double inf = gx_number_infinity(), nan = gx_number_nan();
    static const char euros[] = "a\xe2\x82\xac" "b\xc3\xa9" "c";
    const struct { const char *s; double first, length; const char *want; } cases[] = {
        {"12345", 2, 3, "234"}, {"12345", 1.5, 2.6, "234"}, {"12345", 0, 3, "12"}, {"12345", nan, 3, ""},
            {"12345", 1, nan, ""},
        {"12345", -42, inf, "12345"}, {"12345", -inf, inf, ""}, {"12345", 5, 1, "5"}, {"12345", 6, 1, ""},
        {"12345", 1, 5, "12345"},
        {"12345", 1, 6, "12345"}, {"12345", 3, -1, ""}, {"12345", 3, 0, ""}, {"12345", inf, inf, ""}, {"", 1, 1, ""},
        {"12345", 0.5, 1, "1"},
        {"12345", 1, 0.5, "1"}, {"12345", 1, 0.4, ""}, {"12345", -1e300, 1e300, ""}, {"12345", 1e10, 3, ""},
        {"12345", 2, 1e10, "2345"}, {"12345", 2, 4294967296.0, "2345"}, {"12345", 4294967298.0, 4294967298.0, ""},
        {"12345", 4294967296.0, 2, ""}, {"12345", -4294967295.0, 4294967298.0, "12"},
        {euros, 2, 1, "\xe2\x82\xac"}, {euros, 2, 3, "\xe2\x82\xac" "b\xc3\xa9"}, {euros, 4, 9, "\xc3\xa9" "c"},
        {euros, 5, 1, "c"}, {euros, 6, 1, ""}
    };
    const struct { const char *s; double first; const char *want; } rest[] = {
        {"12345", 2, "2345"}, {"12345", -inf, "12345"}, {"12345", inf, ""}, {"12345", nan, ""}, {"12345", 1.5, "2345"},
            {"12345", 0, "12345"},
        {"12345", 5, "5"}, {"12345", 5.5, ""}, {"12345", -3, "12345"}, {euros, 5, "c"}, {"", 1, ""}
    };
    for (u32 i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const gx_span r = gx_text_substring(cases[i].s, (u32)strlen(cases[i].s), cases[i].first, cases[i].length);
        equals(cases[i].s, cases[i].s + r.off, r.len, cases[i].want);
    }
    for (u32 i = 0; i < sizeof rest / sizeof rest[0]; i++) {
        const gx_span r = gx_text_substring_from(rest[i].s, (u32)strlen(rest[i].s), rest[i].first);
        equals("substring from", rest[i].s + r.off, r.len, rest[i].want);
    }
    for (u32 round = 0; round < 20000; round++) {       /* the definition, character by character */
        u32 n, count = 0;
        char *s = random_text(40, &n), want[256], *to = want;
        const double first = (double)random_below(100) / 2 - 5, length = (double)random_below(100) / 2 - 5;
        for (u32 i = 0; i < n; i++) {
            count += (u32)gx_utf8_is_start(s[i]);
            if (count >= gx_number_round(first) && count < gx_number_round(first) + gx_number_round(length))
                *to++ = s[i];
        }
        *to = 0;
        const gx_span r = gx_text_substring(s, n, first, length);
        equals("random substring", s + r.off, r.len, want);
        free(s);
    }
}

static void searching(void **state)
{
    (void)state;
    for (u32 round = 0; round < 60000; round++) {       /* where much matches: a few letters, pieces that come again */
        char s[400], what[120];
        const u32 letters = 1 + random_below(3), again = 1 + random_below(12), n = random_below(sizeof s),
            m = 1 + random_below(round % 2 ? 12 : sizeof what - 1);
        u32 want = GX_NONE;
        for (u32 i = 0; i < n; i++)
            s[i] = i < again || !random_below(60) ? (char)('a' + random_below(letters)) : s[i - again];
        for (u32 i = 0; i < m; i++)
            what[i] = m < n && random_below(50) ? s[(round % (n - m) + i)] : (char)('a' + random_below(letters));
        for (u32 i = 0; i + m <= n && want == GX_NONE; i++)
            if (memcmp(s + i, what, m) == 0)
                want = i;
        assert_int_equal(gx_text_find(s, n, what, m), want);
        assert_int_equal(gx_text_find_periodic(s, n, what, m), want);
    }
    for (u32 round = 0; round < 60000; round++) {
        u32 n, m, want = GX_NONE;
        char *s = random_text(70, &n), *what = random_text(1 + random_below(5), &m);
        for (u32 i = 0; i + m <= n && want == GX_NONE; i++)
            if (memcmp(s + i, what, m) == 0)
                want = i;
        assert_int_equal(gx_text_find(s, n, what, m), want);
        assert_int_equal(gx_text_contains(s, n, what, m), want != GX_NONE);
        assert_int_equal(gx_text_starts_with(s, n, what, m), m <= n && memcmp(s, what, m) == 0);
        const gx_span before = gx_text_substring_before(s, n, what, m), after = gx_text_substring_after(s, n, what, m);
        assert_int_equal(before.off + before.len, want == GX_NONE ? 0 : want);
        assert_int_equal(after.len, want == GX_NONE ? 0 : n - want - m);
        assert_true(want == GX_NONE || after.off == want + m);
        const u32 least = n < m ? n : m;
        int order = memcmp(s, what, least);
        if (order == 0)
            order = (int)n - (int)m;
        const int got = gx_text_compare(s, n, what, m);
        assert_int_equal((got > 0) - (got < 0), (order > 0) - (order < 0));
        assert_int_equal(gx_text_equal(s, n, what, m), order == 0);
        free(s);
        free(what);
    }
}

static void white_space(void **state)
{
    (void)state;
    for (u32 round = 0; round < 40000; round++) {
        u32 n, length = 0;
        char *s = random_text(50, &n), want[256];
        int pending = 0;
        for (u32 i = 0; i < n; i++) {
            if (gx_number_space(s[i])) {
                pending = length != 0;
                continue;
            }
            if (pending)
                want[length++] = ' ';
            pending = 0;
            want[length++] = s[i];
        }
        want[length] = 0;
        gx_span r;
        if (gx_text_is_normal_space(s, n, &r)) {
            equals("normal", s + r.off, r.len, want);
        } else {
            assert_int_equal(gx_text_normalize_length(s, n), length);
            char *out = malloc(length);
            assert_int_equal(gx_text_normalize_write(s, n, out), length);
            equals("normalized", out, length, want);
            free(out);
        }
        free(s);
    }
}

static void translations(void **state)
{
    (void)state;
    static const struct { const char *s, *from, *to, *want; } cases[] = {
        {"bar", "abc", "ABC", "BAr"}, {"--aaa--", "abc-", "ABC", "AAA"}, {"aba", "aa", "xy", "xbx"},
            {"abc", "", "xyz", "abc"},
        {"abc", "abc", "", ""}, {"\xc3\xa9t\xc3\xa9", "\xc3\xa9", "e", "ete"},
        {"ete", "e", "\xc3\xa9", "\xc3\xa9t\xc3\xa9"},
        {"a\xe2\x82\xac" "b", "\xe2\x82\xac" "a", "$\xe2\x82\xac", "\xe2\x82\xac$b"},
        {"a\xe2\x82\xac", "b", "c", "a\xe2\x82\xac"},
        {"x\xe2\x82\xac", "\xe2\x82\xac", "", "x"}, {"abc", "ab\xe2\x82\xac" "c", "123\xe2\x82\xac", "12\xe2\x82\xac"},
        {"", "a", "b", ""}
    };
    for (u32 i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[64];
        gx_translation tr;
        gx_translation_init(&tr, cases[i].from, (u32)strlen(cases[i].from), cases[i].to, (u32)strlen(cases[i].to));
        const u32 n = (u32)strlen(cases[i].s), length = (u32)gx_text_translate_length(&tr, cases[i].s, n);
        assert_int_equal(gx_text_translate_write(&tr, cases[i].s, n, out), length);
        equals(cases[i].s, out, length, cases[i].want);
    }
}

static int sign(int x) { return (x > 0) - (x < 0); }

static int order_of(const char *a, const char *b, int case_order, const char *lang)
{
    return sign(gx_text_collate(a, (u32)strlen(a), b, (u32)strlen(b), case_order,
                                gx_alphabet_of(lang, (u32)strlen(lang))));
}

/* words in order, separated by spaces; "_" stands for a space */
static void in_order(const char *lang, const char *words)
{
    char copy[1024], *list[64], *save;
    u32 n = 0;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
        list[n++] = w;
    for (u32 i = 0; i < n; i++)
        for (u32 j = 0; j < n; j++)
            if (order_of(list[i], list[j], GX_SORT_LOWER_FIRST, lang) != (i < j ? -1 : i > j))
                fail_msg("%s: \"%s\" and \"%s\" are not in order", lang, list[i], list[j]);
}

static void sort_order(void **state)
{
    (void)state;
    assert_int_equal(order_of("", " ", GX_SORT_LOWER_FIRST, ""), -1);
    assert_int_equal(order_of(" ", "-", GX_SORT_LOWER_FIRST, ""), -1);
    in_order("", "- _ ~ 0 10 2 a A á ä Ä ab Ab AB b B cote coté côte côté document Märtens Möller Mueller must "
                 "Namespaces prefix preFIX "
                 "to URI use XML XSLT XSLT-defined z Z α Α ά β σ ς τ а А б");
    in_order("", "Straße Strassen Straßen strat");            /* sharp s is ss with an accent */
    in_order("", "ad ae æ af oe œ of");
    in_order("ru", "е ё еж ж и й к я");
    in_order("uk", "г ґ д е є ж з и і ї й к");
    in_order("el", "α ά αβ β ι ί ϊ κ σ ς τ ω ώ");
    in_order("sr", "г д ђ е и ј к л љ м н њ о т ћ у ч џ ш");
    in_order("de", "a ä az z");
    in_order("de-AT", "a ä az z");
    in_order("sv", "a az z å ä ö");
    in_order("fi", "v w y z å ä ö");
    in_order("da", "a az z æ ø å aab");                      /* aa is a letter, beside a-ring */
    in_order("nb-NO", "z æ Æ ø Ø å Å");
    in_order("es", "n nz ñ Ñ ña o");
    in_order("et", "s sz š z ž t w õ ä ö ü x y");
    in_order("pl", "a ą b c ć d e ę l ł m n ń o ó s ś z ź ż");
    in_order("cs", "c cz č d h hz ch Ch CH i r ř s š z ž");
    in_order("sk", "a ä b c č d h ch i o ó oz ô p");
    in_order("hr", "c č ć d đ e s š z ž");
    in_order("hu", "o ó oz ö ő p u ú uz ü ű v");
    in_order("ro", "a ă â b i î j s ș t ț u");
    in_order("tr", "c ç d g ğ h ı I ız i İ iz j o ö p s ş t u ü v");
    in_order("az", "e ə f h ı i");
    in_order("is", "a á b d ð e é z þ æ ö");
    in_order("lv", "c č g ģ h k ķ l ļ n ņ s š z ž");
    in_order("lt", "c č i y j s š z ž");
    in_order("sq", "c ç d e ë f");
    assert_null(gx_alphabet_of("svx", 3));
    assert_null(gx_alphabet_of("s", 1));
    assert_non_null(gx_alphabet_of("SV-se", 5));
    assert_int_equal(order_of("prefix", "preFIX", GX_SORT_UPPER_FIRST, ""), 1);
    assert_int_equal(order_of("a", "B", GX_SORT_UPPER_FIRST, ""), -1);
    assert_int_equal(order_of("a\xcc\x81z", "ab", GX_SORT_LOWER_FIRST, ""), 1);    /* a combining mark is an accent */
    assert_int_equal(order_of("a\xcc\x81", "ab", GX_SORT_LOWER_FIRST, ""), -1);
    for (u32 round = 0; round < 40000; round++) {       /* total: antisymmetric, transitive, equal only when equal */
        u32 an, bn, cn;
        const gx_alphabet *l = gx_alphabet_at(random_below(16));
        char *a = random_text(12, &an), *b = random_text(12, &bn), *c = random_text(12, &cn);
        const int ab = gx_text_collate(a, an, b, bn, GX_SORT_LOWER_FIRST, l),
            ba = gx_text_collate(b, bn, a, an, GX_SORT_LOWER_FIRST, l);
        const int bc = gx_text_collate(b, bn, c, cn, GX_SORT_LOWER_FIRST, l),
            ac = gx_text_collate(a, an, c, cn, GX_SORT_LOWER_FIRST, l);
        assert_int_equal(sign(ab), -sign(ba));
        assert_int_equal(ab == 0, gx_text_equal(a, an, b, bn));
        if (ab <= 0 && bc <= 0)
            assert_true(ac <= 0);
        free(a);
        free(b);
        free(c);
    }
    /* folding is idempotent everywhere */
    for (u32 c = 0; c < 0x11000; c++)
        assert_int_equal(gx_text_fold(gx_text_fold(c)), gx_text_fold(c));
}

/* ---- format.h
 * ------------------------------------------------------------------------------------------------------- */

static void format_as(const gx_decimal_symbols *sym, const char *pattern, double v, const char *want)
{
    gx_format f;
    char out[512], what[128];
    snprintf(what, sizeof what, "format-number(%.17g, '%s')", v, pattern);
    const int wrong = gx_format_parse(pattern, (u32)strlen(pattern), sym, 0, &f);
    u32 n = wrong ? (u32)snprintf(out, sizeof out, "error %d", wrong) : gx_format_write(&f, sym, v, out, sizeof out);
    equals(what, out, n, want);
    for (u32 cap = 0; !wrong && cap < n; cap++) {       /* never beyond cap, and the same length is told */
        char *small = malloc(cap ? cap : 1);
        assert_int_equal(gx_format_write(&f, sym, v, small, cap), n);
        free(small);
    }
}

static void format_number(void **state)
{
    (void)state;
    const double inf = gx_number_infinity(), nan = gx_number_nan(), p = 3.1415;
    const struct { const char *pattern; double v; const char *want; } cases[] = {
        /* libxslt's table, for which ties go away from zero */
        {"prefix#,#,###.##suffix", p, "prefix3.14suffix"}, {"_#,#,###.##_", -p, "-_3.14_"},
            {"_#,#,000.000##_", -p, "-_003.1415_"},
        {"_#.#_;_(#.#)_", -p, "_(3.1)_"},
        {"#", -1, "-1"}, {"#", -.5, "-1"}, {"#", 0, "0"}, {"#", .5, "1"}, {"0", -.5, "-1"}, {"0", .5, "1"},
        {".", -1, "-1."}, {".", 0, "0."},
        {".", .5, "1."}, {"#.", -.5, "-1."}, {"0.", 0, "0."}, {".#", -1, "-1.0"}, {".#", -.5, "-.5"}, {".#", 0, ".0"},
        {".##", .5, ".5"},
        {".0", 1, "1.0"}, {"#.#", -1, "-1"}, {"#.#", -.5, "-0.5"}, {"#.#", 0, "0"}, {"0.0", 0, "0.0"},
        {"#.0", .5, ".5"}, {"0.#", .5, "0.5"},
        /* Xalan's and W3C's */
        {"000,000.000###;###,###.000###", 2392.14 * -36.58, "-087,504.4812"},
            {"000,000.000###;-###,###.000###", 2392.14 * -36.58, "-087,504.4812"},
        {"000,000.000###", 2792.14 * -36.58, "-102,136.4812"}, {"###,##0,00.00", 987654321, "9,87,65,43,21.00"},
        {"00000.00", 239236.588, "239236.59"},
        {"\xc2\xa4###.####", 95.4857, "$95.4857"}, {"###.###%", .4857, "48.57%"},
        {"-###,###.###", -26931.4, "--26,931.4"},
        {"zzz-###,###.###", -26931.4, "-zzz-26,931.4"}, {"+###,###.###;-###,###.###", -26931.4, "-26,931.4"},
        {"#############", nan, "NaN"},
        {"###", inf, "Infinity"}, {"a#b", -inf, "-aInfinityb"}, {"$#.00", 12.5, "$12.50"}, {"00%", .25, "25%"},
        {"abc0.00123", 1.5, "abc1.50123"},
        /* ours */
        {"0.00", 1.005, "1.01"}, {"0.00", 2.675, "2.68"}, {"0.0", 0.04, "0.0"}, {"0", 9.5, "10"},
            {"#,##0", 999999.5, "1,000,000"},
        {"#", 1e23, "100000000000000000000000"}, {"#,##0", 1e21, "1,000,000,000,000,000,000,000"},
        {"0.0##", 1e-300, "0.0"}, {"#0.0\xe2\x80\xb0", .01234, "12.3\xe2\x80\xb0"},
        {"0.####################", 1e-18, "0.000000000000000001"},
        {"0.00000000000000000000", .1, "0.10000000000000000000"}, {"0", -0.0, "0"},
        {"'#'0.0", p, "#3.1"}, {"'it''s' 0", 5, "it's 5"}, {"''0''", 5, "'5'"}, {"abc", 5, "abc5"}, {"", 5, "5"},
        {"0;(0)", -5, "(5)"}, {"0;0", -5, "-5"},
        {"0 'a;b'", 5, "5 a;b"}, {"0000,00", 5, "00,00,05"}, {"0%;(0%)", -.2, "(20%)"},
        /* malformed */
        {"######,%", 32, "error 3"}, {"######,;000,000", -9, "error 3"}, {"0.0,0", 1, "error 3"}, {"0#", 1, "error 2"},
            {"0.#0", 1, "error 2"}, {"0.0.0", 1, "error 1"},
        {"###%###", 1, "error 4"}, {"0%\xe2\x80\xb0", 1, "error 4"}, {"0'", 1, "error 5"}, {"0;0;0", 1, "error 6"}
    };
    gx_decimal_symbols sym;
    gx_decimal_symbols_default(&sym);
    for (u32 i = 0; i < sizeof cases / sizeof cases[0]; i++)
        format_as(&sym, cases[i].pattern, cases[i].v, cases[i].want);

    sym.decimal_separator = '|';
    sym.grouping_separator = '.';
    format_as(&sym, "000.000|###", 931.4857, "000.931|486");
    sym.decimal_separator = ',';
    sym.grouping_separator = ' ';
    format_as(&sym, "### ### ###,#####", 7654321.4857, "7 654 321,4857");
    gx_decimal_symbols_default(&sym);
    sym.digit = '!';
    sym.pattern_separator = '\\';
    format_as(&sym, "+!!!,!!!.!!!\\-!!,!!!.!!!", 26931.4, "+26,931.4");
    format_as(&sym, "+!!,!!!.!!!\\-!!!,!!!.!!!", -26931.4, "-26,931.4");
    gx_decimal_symbols_default(&sym);
    sym.minus_sign = '_';
    sym.percent = 'c';
    sym.infinity = "huge";
    sym.infinity_len = 4;
    sym.nan = "";
    sym.nan_len = 0;
    format_as(&sym, "###,###.###", -26931.4, "_26,931.4");
    format_as(&sym, "###.###c", .4857, "48.57c");
    format_as(&sym, "#", -inf, "_huge");
    format_as(&sym, "#", nan, "");
    gx_decimal_symbols_default(&sym);
    sym.zero_digit = 0x660;                             /* Arabic-Indic */
    sym.decimal_separator = 0x66b;
    format_as(&sym, "#\xd9\xab\xd9\xa0\xd9\xa0", 12.345, "\xd9\xa1\xd9\xa2\xd9\xab\xd9\xa3\xd9\xa5");
}

static void number_lists(void **state)
{
    (void)state;
    static const struct { const char *format, *want; u32 n; u64 values[5]; int traditional; } cases[] = {
        {"1", "1", 1, {1}, 0}, {"1.1", "1.2.3", 3, {1, 2, 3}, 0}, {"(A) ", "(C) ", 1, {3}, 0},
            {".A+a 1", ".C+b 1 2 1", 5, {3, 2, 1, 2, 1}, 0},
        {"*%A|+", "*%C.A.A|+", 3, {3, 1, 1}, 0}, {"*1+1*1", "*1+2*3*4", 4, {1, 2, 3, 4}, 0},
        {"(A--1)", "(B--3--4)", 3, {2, 3, 4}, 0},
        {"(1.)", "(1.2.)", 2, {1, 2}, 0}, {"A.1. ", "A. ", 1, {1}, 0}, {"...A...", "...B.C...", 2, {2, 3}, 0},
        {"1", "", 0, {0}, 0}, {"", "7", 1, {7}, 0},
        {"--", "--7--", 1, {7}, 0}, {"01", "05", 1, {5}, 0}, {"001", "1,000", 1, {1000}, 0},
        {"0001", "0,012", 1, {12}, 0}, {"x", "5", 1, {5}, 0},
        {"10", "5", 1, {5}, 0}, {"a", "0", 1, {0}, 0}, {"a", "z", 1, {26}, 0}, {"a", "aa", 1, {27}, 0},
        {"a", "bxw", 1, {1999}, 0}, {"A", "AEM", 1, {819}, 0},
        {"A", "EQXD", 1, {100000}, 0}, {"I", "MCMXCIX", 1, {1999}, 0}, {"i", "xlix", 1, {49}, 0},
        {"i", "mmmm", 1, {4000}, 0}, {"i", "5,001", 1, {5001}, 0},
        {"1", "18,446,744,073,709,551,615", 1, {0xffffffffffffffffull}, 0},
        {"a", "gkgwbylwrxtlpo", 1, {0xffffffffffffffffull}, 0},
        {"\xd9\xa0\xd9\xa1", "\xd9\xa0\xd9\xa5", 1, {5}, 0}, {"\xce\xb1", "\xcf\x89", 1, {25}, 0},
        {"\xce\xb1", "\xce\xb1\xce\xb1", 1, {26}, 0},
        {"\xce\xb1", "\xcf\x9b", 1, {6}, 1}, {"\xce\xb1", "\xce\xbb\xce\xb2", 1, {32}, 1},
        {"\xce\x91", "\xce\xa3", 1, {18}, 0},
        {"\xd0\xb0", "\xd1\x8f", 1, {32}, 0}, {"\xd7\x90", "\xd7\x98\xd7\x95", 1, {15}, 0},
        {"\xd7\x90", "\xd7\x99\xd7\x90", 1, {11}, 0}
    };
    const struct { const char *format; double v; const char *want; } values[] = {
        {"(1) ", gx_number_nan(), "NaN"}, {"(I) ", 0, "0"}, {"(I) ", -5, "-5"}, {"1", .4, "0"}, {"(01)", 0, "(00)"},
            {"\xd9\xa0\xd9\xa1", 0, "\xd9\xa0\xd9\xa0"}, {"a", .4, "0.4"}, {"1", -.1, "-0.1"}, {"1", .5, "1"},
            {"1", 2.5, "3"}, {"A", 99.53, "CV"},
        {"1", gx_number_infinity(), "Infinity"}, {"(1)", 1e21, "(1,000,000,000,000,000,000,000)"},
        {"a", 1e20, "100,000,000,000,000,000,000"}
    };
    gx_number_style style = {",", 1, 3, 0};
    char out[256];
    for (u32 i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        style.letter_traditional = cases[i].traditional;
        const u32 n = gx_number_list_write(cases[i].format, (u32)strlen(cases[i].format), cases[i].values, cases[i].n,
                                           &style, out, sizeof out);
        equals(cases[i].format, out, n, cases[i].want);
    }
    for (u32 i = 0; i < sizeof values / sizeof values[0]; i++) {
        const u32 n = gx_number_value_write(values[i].format, (u32)strlen(values[i].format), values[i].v, &style, out,
                                            sizeof out);
        equals(values[i].format, out, n, values[i].want);
    }
    style.group_size = 0;
    const u64 million = 1000000;
    equals("no groups", out, gx_number_list_write("1", 1, &million, 1, &style, out, sizeof out), "1000000");
}

/* ---- exslt.h
 * -------------------------------------------------------------------------------------------------------- */

static void exslt_strings(void **state)
{
    (void)state;
    static const struct { const char *uri; int reserved; const char *want, *back; } uris[] = {
        {"http://a.b/c d?e=\xc3\xa9", 0, "http://a.b/c%20d?e=%C3%A9", "http://a.b/c d?e=\xc3\xa9"},
        {"http://a/", 1, "http%3A%2F%2Fa%2F", "http://a/"}, {"50%", 0, "50%25", "50%"}, {"50%20", 0, "50%20", "50 "},
        {"50%20", 1, "50%20", "50 "}, {"-_.!~*'()", 1, "-_.!~*'()", "-_.!~*'()"}, {"", 1, "", ""}
    };
    static const char *const undecodable[] = {"%FF", "%C3", "%C3x", "%C0%80", "%ED%A0%80", "a%00", "%EF%BF%BF",
                                              "%F5%80%80%80"};
    static const struct { const char *s, *pad; int how; const char *want; } aligned[] = {
        {"abc", "------", GX_ALIGN_LEFT, "abc---"}, {"abc", "------", GX_ALIGN_RIGHT, "---abc"},
            {"abc", "------", GX_ALIGN_CENTER, "-abc--"},
        {"abcdef", "--", GX_ALIGN_CENTER, "ab"}, {"", "xyz", GX_ALIGN_LEFT, "xyz"},
        {"\xc3\xa9", "1\xe2\x82\xac" "3", GX_ALIGN_RIGHT, "1\xe2\x82\xac\xc3\xa9"}
    };
    static const struct { double count; const char *pad, *want; } padded[] = {
        {5, "ab", "ababa"}, {3, "a\xc3\xa9", "a\xc3\xa9" "a"}, {0, "a", ""}, {-1, "a", ""}, {4, "", ""},
            {1.5, "x", "xx"}
    };
    char out[128], back[128];
    for (u32 i = 0; i < sizeof uris / sizeof uris[0]; i++) {
        const u32 n = gx_text_encode_uri(uris[i].uri, (u32)strlen(uris[i].uri), uris[i].reserved, out, sizeof out);
        equals(uris[i].uri, out, n, uris[i].want);
        equals(uris[i].want, back, gx_text_decode_uri(out, n, back, sizeof back), uris[i].back);
    }
    for (u32 i = 0; i < sizeof undecodable / sizeof undecodable[0]; i++)
        assert_int_equal(gx_text_decode_uri(undecodable[i], (u32)strlen(undecodable[i]), out, sizeof out), 0);
    for (u32 i = 0; i < sizeof aligned / sizeof aligned[0]; i++) {
        const u32 n = gx_text_align(aligned[i].s, (u32)strlen(aligned[i].s), aligned[i].pad,
                                    (u32)strlen(aligned[i].pad), aligned[i].how,
                                    out, sizeof out);
        equals(aligned[i].s, out, n, aligned[i].want);
    }
    for (u32 i = 0; i < sizeof padded / sizeof padded[0]; i++) {
        const u32 m = (u32)strlen(padded[i].pad);
        equals(padded[i].pad, out, (u32)gx_text_padding(padded[i].count, padded[i].pad, m, out, sizeof out),
               padded[i].want);
    }
    assert_true(gx_text_padding(gx_number_nan(), "a", 1, out, sizeof out) == 0);
    assert_true(gx_text_padding(gx_number_infinity(), "ab", 2, NULL, 0) == 4294967295u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters),   cmocka_unit_test(broken_utf8),  cmocka_unit_test(substrings),
            cmocka_unit_test(searching),
        cmocka_unit_test(white_space),  cmocka_unit_test(translations), cmocka_unit_test(sort_order),
        cmocka_unit_test(format_number),
        cmocka_unit_test(number_lists), cmocka_unit_test(exslt_strings), cmocka_unit_test(hashes),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
