/* SPDX-License-Identifier: Apache-2.0 */
/*
 * word.h -- words of a text: what gx:contains-word(), gx:phrase() and gx:score() look for, and a store's index keeps
 *
 * A word is letters and digits (alnum.h) one behind the other; everything else stands between words. Words are equal
 * when their letters' lower cases are (gx_text_fold), so "GPU" is "gpu", and "Straße" is not "strasse".
 */
#ifndef GX_MACHINE_WORD_H
#define GX_MACHINE_WORD_H

#include "alnum.h"
#include "collate.h"
#include "number.h"
#include "text.h"

/* The character at s, of n > 0 bytes: its size; *folded: its lower case, 0 if it is in no word */
GX_FN u32 gx_word_char(const char *s, u32 n, u32 *folded)
{
    const u8 c = (u8)*s;
    u32 code, size;

    if (c < 0x80) {
        *folded = (u32)(c - 48) < 10u || (u32)((c | 32) - 97) < 26u ? gx_text_fold(c) : 0;
        return 1;
    }
    size = gx_utf8_decode(s, n, &code);
    *folded = gx_text_is_alnum(code) ? gx_text_fold(code) : 0;
    return size;
}

/* The next word in s from at on: its length, *at: where it begins. 0: there is none. */
GX_FN u32 gx_word_next(const char *s, u32 n, u32 *at)
{
    u32 i = *at, folded = 0, size = 0;

    for (; i < n && !folded; i += size)
        size = gx_word_char(s + i, n - i, &folded);
    if (!folded)
        return 0;
    *at = i - size;
    for (; i < n; i += size) {
        size = gx_word_char(s + i, n - i, &folded);
        if (!folded)
            break;
    }
    return i - *at;
}

GX_FN int gx_word_equal(const char *a, u32 an, const char *b, u32 bn)
{
    u32 i = 0, j = 0, x, y;

    while (i < an && j < bn) {
        i += gx_word_char(a + i, an - i, &x);
        j += gx_word_char(b + j, bn - j, &y);
        if (x != y)
            return 0;
    }
    return i == an && j == bn;
}

/* Is each word of w a word of s? Of no words: yes. Cost: s once for each. */
GX_FN_BIG int gx_words_are_in(const char *s, u32 n, const char *w, u32 wn)
{
    u32 wanted = 0, len;

    for (; (len = gx_word_next(w, wn, &wanted)) != 0; wanted += len) {
        u32 at = 0, has;
        while ((has = gx_word_next(s, n, &at)) != 0 && !gx_word_equal(s + at, has, w + wanted, len))
            at += has;
        if (!has)
            return 0;
    }
    return 1;
}

/* Do the words of w stand in s one after the other, with no other word between them? Of no words: yes. Cost: s once for
 * each. */
GX_FN_BIG int gx_phrase_is_in(const char *s, u32 n, const char *w, u32 wn)
{
    u32 from = 0, len;

    for (; (len = gx_word_next(s, n, &from)) != 0; from += len) {
        u32 at = from, has = len, wanted = 0, want;
        while ((want = gx_word_next(w, wn, &wanted)) != 0) {
            if (!has || !gx_word_equal(s + at, has, w + wanted, want))
                break;
            at += has;
            wanted += want;
            has = gx_word_next(s, n, &at);
        }
        if (!want)
            return 1;
    }
    from = 0;
    return gx_word_next(w, wn, &from) == 0;
}

/* The next number of a list with blanks between them; `other` where there is none */
GX_FN double gx_word_statistic(const char *s, u32 n, u32 *at, double other)
{
    u32 from;

    while (*at < n && s[*at] == ' ')
        ++*at;
    for (from = *at; *at < n && s[*at] != ' '; ++*at)
        ;
    return *at > from ? gx_number_parse(s + from, *at - from) : other;
}

/* How well does s fit the words of w? Okapi BM25 with k1 = 1.2 and b = 0.75:
 *
 *   the sum over w's words of   weight * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average))
 *
 * tf: how often the word stands in s; length: words of s. `known` says "average weight weight ...", the average number
 * of words and the weight of each word of w. Without these, weights are 1, and b is 0. Cost: s once, and once for each
 * word. */
GX_FN_BIG double gx_words_score(const char *s, u32 n, const char *w, u32 wn, const char *known, u32 kn)
{
    u32 of = 0, wanted = 0, len;
    double norm = 1.2, sum = 0;
    const double average = gx_word_statistic(known, kn, &of, 0);

    if (average > 0) {
        u32 words = 0, has;
        for (u32 at = 0; (has = gx_word_next(s, n, &at)) != 0; at += has)
            words++;
        norm = 1.2 * (0.25 + 0.75 * words / average);
    }
    for (; (len = gx_word_next(w, wn, &wanted)) != 0; wanted += len) {
        const double weight = gx_word_statistic(known, kn, &of, 1);
        u32 at = 0, has, times = 0;
        for (; (has = gx_word_next(s, n, &at)) != 0; at += has)
            times += (u32)gx_word_equal(s + at, has, w + wanted, len);
        if (times)
            sum += weight * times * 2.2 / (times + norm);
    }
    return sum;
}

#endif
