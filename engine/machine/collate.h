/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collate.h -- the order of text, for xsl:sort
 *
 * XSLT 1.0, 10: "in the culturally correct manner for the language specified by lang", and each processor must say what
 * that is. Ours is the same on every machine and team, and follows the first levels of the Unicode collation algorithm
 * (root order of the CLDR) for Latin, Greek and Cyrillic. Strings are compared by the first of these that differs:
 *
 *   1. letters by alphabet, neither case nor accent counting: white space and punctuation < digits < a .. z < Greek <
 *   Cyrillic <
 *      other scripts by code point. Latin U+00C0 .. U+017F count as the ASCII letters they are made from: e-acute as e,
 *      the sharp s as ss, the ligatures as their two letters. Combining marks count for nothing.
 *   2. accents, by code point of the lower-case letter, first difference from the left; none before any
 *   3. case, first difference from the left: lower first, or upper first when case-order says so
 *   4. code points
 *
 * A language that `alphabets` knows has letters of its own: Swedish a-ring follows z there. Every other language has
 * the order above, which is right for English, German, French, Italian, Portuguese, Dutch, Russian, Greek and many
 * more. It is a total order, and strings that compare equal are equal. Cost: one pass over the common beginning.
 */
#ifndef GX_MACHINE_COLLATE_H
#define GX_MACHINE_COLLATE_H

#include "text.h"

enum { GX_SORT_UPPER_FIRST = 1, GX_SORT_LOWER_FIRST = 2 /* what no case-order attribute means */ };

/* Lower case of Latin, Greek, Cyrillic, Armenian and full-width letters; everything else stays. One to one only. */
GX_FN u32 gx_text_fold(u32 c)
{
    if (c < 0x80)
        return c + ((c - 'A' < 26u) ? 32 : 0);
    if (c < 0x100)
        return c >= 0xc0 && c <= 0xde && c != 0xd7 ? c + 32 : c;
    if (c < 0x180) {
        if (c == 0x178)
            return 0xff;
        /* dotted I, dotless i, kra, 'n, long s */
        if (c == 0x130 || c == 0x131 || c == 0x138 || c == 0x149 || c == 0x17f)
            return c;
        return (c >= 0x139 && c <= 0x148) || c >= 0x179 ? c + (c & 1) : c | 1;      /* upper odd, or upper even */
    }
    if (c >= 0x218 && c <= 0x21b)               /* Romanian s and t with comma */
        return c | 1;
    if (c == 0x18f)                             /* Azerbaijani schwa */
        return 0x259;
    if (c >= 0x386 && c <= 0x3ab) {
        if (c >= 0x391)
            return c == 0x3a2 ? c : c + 32;
        return c == 0x386 ? 0x3ac : c >= 0x388 && c <= 0x38a ? c + 37 : c == 0x38c ? 0x3cc
             : c == 0x38e || c == 0x38f ? c + 63 : c;
    }
    if (c >= 0x400 && c <= 0x42f)
        return c < 0x410 ? c + 80 : c + 32;
    if ((c >= 0x460 && c <= 0x481) || (c >= 0x48a && c <= 0x4bf) || (c >= 0x4d0 && c <= 0x52f))
        return c | 1;
    if (c >= 0x4c0 && c <= 0x4ce)
        return c == 0x4c0 ? 0x4cf : c + (c & 1);
    if (c >= 0x531 && c <= 0x556)
        return c + 48;
    if ((c >= 0x1e00 && c <= 0x1e95) || (c >= 0x1ea0 && c <= 0x1eff))
        return c | 1;
    if (c >= 0xff21 && c <= 0xff3a)
        return c + 32;
    return c;
}

/* ---- alphabets of languages ---- */

/* Letters in lower case, each behind a base letter: rank 1 directly behind it, rank 2 behind those; rank 0 is the
 * letter itself. Letters of the same base and rank differ only as accents do. A pair of ASCII letters can be one
 * letter. */
typedef struct gx_letter { u16 code; u8 base, rank; } gx_letter;
typedef struct gx_alphabet { char languages[16]; char pair[2]; u8 pair_base, pair_rank, first, n; } gx_alphabet;

GX_FN const gx_letter *gx_alphabet_letters(void)
{
    static const gx_letter letters[] = { /*  0 sv fi */ { 0xe5, 'z', 1 },
                                         { 0xe4, 'z', 2 },
                                         { 0xe6, 'z', 2 },
                                         { 0xf6, 'z', 3 },
                                         { 0xf8, 'z', 3 },
                                         /*  5 da no */ { 0xe6, 'z', 1 },
                                         { 0xe4, 'z', 1 },
                                         { 0xf8, 'z', 2 },
                                         { 0xf6, 'z', 2 },
                                         { 0xe5, 'z', 3 },
                                         /* 10 es gl */ { 0xf1, 'n', 1 },
                                         /* 11 et    */ { 0x161, 's', 1 },
                                         { 'z', 's', 2 },
                                         { 0x17e, 's', 3 },
                                         { 0xf5, 'w', 1 },
                                         { 0xe4, 'w', 2 },
                                         { 0xf6, 'w', 3 },
                                         { 0xfc, 'w', 4 },
                                         /* 18 pl    */ { 0x105, 'a', 1 },
                                         { 0x107, 'c', 1 },
                                         { 0x119, 'e', 1 },
                                         { 0x142, 'l', 1 },
                                         { 0x144, 'n', 1 },
                                         { 0xf3, 'o', 1 },
                                         { 0x15b, 's', 1 },
                                         { 0x17a, 'z', 1 },
                                         { 0x17c, 'z', 2 },
                                         /* 27 sk cs */ { 0xe4, 'a', 1 },
                                         { 0xf4, 'o', 1 },
                                         /* 29 cs from here */ { 0x10d, 'c', 1 },
                                         { 0x161, 's', 1 },
                                         { 0x17e, 'z', 1 },
                                         { 0x159, 'r', 1 },
                                         /* 33 hr sl */ { 0x10d, 'c', 1 },
                                         { 0x107, 'c', 2 },
                                         { 0x111, 'd', 1 },
                                         { 0x161, 's', 1 },
                                         { 0x17e, 'z', 1 },
                                         /* 38 hu    */ { 0xf6, 'o', 1 },
                                         { 0x151, 'o', 1 },
                                         { 0xfc, 'u', 1 },
                                         { 0x171, 'u', 1 },
                                         /* 42 ro    */ { 0x103, 'a', 1 },
                                         { 0xe2, 'a', 2 },
                                         { 0xee, 'i', 1 },
                                         { 0x219, 's', 1 },
                                         { 0x15f, 's', 1 },
                                         { 0x21b, 't', 1 },
                                         { 0x163, 't', 1 },
                                         /* 49 tr az */ { 0xe7, 'c', 1 },
                                         { 0x11f, 'g', 1 },
                                         { 0x131, 'h', 1 },
                                         { 0xf6, 'o', 1 },
                                         { 0x15f, 's', 1 },
                                         { 0xfc, 'u', 1 },
                                         { 0x259, 'e', 1 },
                                         /* 56 is    */ { 0xe1, 'a', 1 },
                                         { 0xf0, 'd', 1 },
                                         { 0xe9, 'e', 1 },
                                         { 0xed, 'i', 1 },
                                         { 0xf3, 'o', 1 },
                                         { 0xfa, 'u', 1 },
                                         { 0xfd, 'y', 1 },
                                         { 0xfe, 'z', 1 },
                                         { 0xe6, 'z', 2 },
                                         { 0xf6, 'z', 3 },
                                         { 0xf8, 'z', 3 },
                                         { 0xe5, 'z', 4 },
                                         /* 68 lv    */ { 0x123, 'g', 1 },
                                         { 0x137, 'k', 1 },
                                         { 0x13c, 'l', 1 },
                                         { 0x146, 'n', 1 },
                                         { 0x10d, 'c', 1 },
                                         { 0x161, 's', 1 },
                                         { 0x17e, 'z', 1 },
                                         /* 75 lt    */ { 'y', 'i', 0 },
                                         { 0x10d, 'c', 1 },
                                         { 0x161, 's', 1 },
                                         { 0x17e, 'z', 1 },
                                         /* 79 sq    */ { 0xe7, 'c', 1 },
                                         { 0xeb, 'e', 1 } };
    return letters;
}

/* languages: two letters each, separated by spaces */
GX_FN const gx_alphabet *gx_alphabet_at(u32 i)
{
    static const gx_alphabet alphabets[] = { { "sv fi", "", 0, 0, 0, 5 },
                                             { "da no nb nn", { 'a', 'a' }, 'z', 3, 5, 5 },
                                             { "es gl", "", 0, 0, 10, 1 },
                                             { "et", "", 0, 0, 11, 7 },
                                             { "pl", "", 0, 0, 18, 9 },
                                             { "sk", { 'c', 'h' }, 'h', 1, 27, 5 },
                                             { "cs", { 'c', 'h' }, 'h', 1, 29, 4 },
                                             { "hr bs sl", "", 0, 0, 33, 5 },
                                             { "hu", "", 0, 0, 38, 4 },
                                             { "ro", "", 0, 0, 42, 7 },
                                             { "tr az", "", 0, 0, 49, 7 },
                                             { "is", "", 0, 0, 56, 12 },
                                             { "lv", "", 0, 0, 68, 7 },
                                             { "lt", "", 0, 0, 75, 4 },
                                             { "sq", "", 0, 0, 79, 2 } };
    return i < sizeof alphabets / sizeof alphabets[0] ? &alphabets[i] : NULL;
}

/* The alphabet of a language tag ("sv", "da-DK"), NULL for the order of all others. */
GX_FN_BIG const gx_alphabet *gx_alphabet_of(const char *lang, u32 n)
{
    if (n < 2 || (n > 2 && lang[2] != '-'))
        return NULL;
    const gx_alphabet *a;
    const char x = (char)gx_text_fold((u8)lang[0]), y = (char)gx_text_fold((u8)lang[1]);
    for (u32 i = 0; (a = gx_alphabet_at(i)) != NULL; i++)
        for (u32 k = 0; a->languages[k]; k += 3) {
            if (a->languages[k] == x && a->languages[k + 1] == y)
                return a;
            if (!a->languages[k + 2])
                break;
        }
    return NULL;
}

/* ---- letters to weights ---- */

#define GX_RANKS 8                              /* weights between two letters of a script */

/* One letter of a string as it is compared. */
typedef struct gx_unit { u32 weight, accent, upper; } gx_unit;     /* upper: 0, 1; of a pair 0 .. 3 */
typedef struct gx_units { const char *s; u32 n, i, pending; const gx_alphabet *alphabet; } gx_units;

GX_FN u32 gx_letter_weight(u32 c, u32 rank)
{
    const u32 w = c - 'a' < 26u ? 0x90 + c - 'a' : c - '0' < 10u ? 0x80 + c - '0' : c < 0x80 ? c : c + 0x100;
    return w * GX_RANKS + rank;
}

/* The letter that folded letter c is made from; *rank: behind it; *second: the other letter of a ligature, or 0. */
GX_FN u32 gx_letter_base(u32 c, u32 *rank, u32 *second)
{
    static const char latin[193] =              /* the ASCII letters that U+00C0 .. U+017F are made from, ' ' = none */
        "aaaaaaaceeeeiiiidnooooo ouuuuytsaaaaaaaceeeeiiiidnooooo ouuuuyty"
        "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkkllllllllllnnnnnnnnnoooooooorrrrrrssssssss"
        "ttttttuuuuuuuuuuuuwwyyyzzzzzzs";
    *rank = 0;
    *second = 0;
    if (c < 0xc0)
        return c;
    if (c < 0x180) {
        *second = c == 0xdf ? 's' : c == 0xe6 || c == 0x153 ? 'e' : c == 0x133 ? 'j' : 0;      /* sharp s, ae, oe, ij */
        return latin[c - 0xc0] == ' ' ? c : (u32)(u8)latin[c - 0xc0];
    }
    if (c == 0x219 || c == 0x21b)
        return c == 0x219 ? 's' : 't';
    if (c >= 0x390 && c <= 0x3ce) {             /* Greek: accents, final sigma */
        switch (c) {
        case 0x3ac: return 0x3b1;
        case 0x3ad: return 0x3b5;
        case 0x3ae: return 0x3b7;
        case 0x390: case 0x3af: case 0x3ca: return 0x3b9;
        case 0x3b0: case 0x3cb: case 0x3cd: return 0x3c5;
        case 0x3cc: return 0x3bf;
        case 0x3ce: return 0x3c9;
        case 0x3c2: return 0x3c3;
        }
    } else if (c >= 0x450 && c <= 0x45f) {      /* Cyrillic letters beyond the Russian ones: into their alphabets'
                                                   places */
        static const u8 base[16] = { 5, 5, 4, 3, 5, 7, 8, 8, 9, 11, 13, 18, 10, 8, 19, 23 },
                        behind[16] = { 0, 0, 1, 2, 1, 1, 1, 2, 1, 1, 1, 1, 1, 0, 1, 1 };
        *rank = behind[c - 0x450];
        return 0x430 + base[c - 0x450];
    } else if (c == 0x491) {
        *rank = 1;
        return 0x433;
    }
    return c;
}

/* The next unit; 0 at the end. */
GX_FN int gx_units_next(gx_units *u, gx_unit *out)
{
    u32 c, next;
    out->accent = 0;
    out->upper = 0;
    if (u->pending) {
        out->weight = u->pending;
        u->pending = 0;
        return 1;
    }
    if (u->i >= u->n)
        return 0;
    u->i += gx_utf8_decode(u->s + u->i, u->n - u->i, &c);
    u32 folded = gx_text_fold(c), rank = 0, second = 0, base;
    out->upper = folded != c;
    const gx_alphabet *a = u->alphabet;
    if (a) {
        /* Turkish: dotless i and dotted i are two letters */
        if (a->languages[0] == 't' && (c == 'I' || c == 0x130)) {
            folded = c == 'I' ? 0x131 : 'i';
            out->upper = 1;
        }
        if (a->pair[0] && folded == (u32)a->pair[0] && u->i < u->n && gx_text_fold((u8)u->s[u->i]) == (u32)a->pair[1]) {
            out->upper = 2 * out->upper + ((u8)u->s[u->i] != (u8)a->pair[1]);
            u->i++;
            out->accent = 1;
            out->weight = gx_letter_weight(a->pair_base, a->pair_rank);
            return 1;
        }
        const gx_letter *l = gx_alphabet_letters() + a->first;
        for (u32 k = 0; k < a->n; k++)
            if (l[k].code == folded) {
                out->accent = folded;
                out->weight = gx_letter_weight(l[k].base, l[k].rank);
                goto marks;
            }
    }
    base = gx_letter_base(folded, &rank, &second);
    out->accent = base == folded ? 0 : folded;
    out->weight = gx_letter_weight(base, rank);
    if (second)
        u->pending = gx_letter_weight(second, 0);
marks:
    while (u->n - u->i >= 2 && ((u8)u->s[u->i] == 0xcc || ((u8)u->s[u->i] == 0xcd && (u8)u->s[u->i + 1] < 0xb0))) {
        u->i += gx_utf8_decode(u->s + u->i, u->n - u->i, &next);
        out->accent = out->accent * 31 + 0x10000 + next;
    }
    return 1;
}

/* Negative, 0, positive. case_order: GX_SORT_*. */
GX_FN_BIG int gx_text_collate(const char *a, u32 an, const char *b, u32 bn, int case_order, const gx_alphabet *alphabet)
{
    gx_units ua, ub;
    gx_unit x, y;
    int accent = 0, letter_case = 0;
    u32 same = 0;
    /* equal ASCII: most characters of most comparisons. The last equal one may belong to what follows: a pair, a
     * mark */
    while (same < an && same < bn && a[same] == b[same] && (u8)a[same] < 0x80)
        same++;
    /* nothing that follows changes their weights */
    if (!alphabet && same < an && same < bn && ((u8)a[same] | (u8)b[same]) < 0x80) {
        const u32 wa = gx_letter_weight(gx_text_fold((u8)a[same]), 0),
                  wb = gx_letter_weight(gx_text_fold((u8)b[same]), 0);
        if (wa != wb)
            return wa < wb ? -1 : 1;
    }
    if (same)
        same--;
    if (alphabet && same && alphabet->pair[0])  /* "aaa": which two are the pair is known only from the beginning */
        same = 0;
    ua.s = a;
    ua.n = an;
    ub.s = b;
    ub.n = bn;
    ua.i = ub.i = same;
    ua.pending = ub.pending = 0;
    ua.alphabet = ub.alphabet = alphabet;
    for (;;) {
        const int more_a = gx_units_next(&ua, &x), more_b = gx_units_next(&ub, &y);
        if (!more_a || !more_b) {
            if (more_a || more_b)
                return more_a ? 1 : -1;
            break;
        }
        if (x.weight != y.weight)
            return x.weight < y.weight ? -1 : 1;
        if (x.accent != y.accent && !accent)
            accent = x.accent < y.accent ? -1 : 1;
        if (x.upper != y.upper && !letter_case)
            letter_case = (x.upper < y.upper) == (case_order == GX_SORT_LOWER_FIRST) ? -1 : 1;
    }
    return accent ? accent : letter_case ? letter_case : gx_text_compare(a, an, b, bn);
}

#endif
