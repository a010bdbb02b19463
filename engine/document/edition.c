/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edition.c -- names of XML 1.0's fifth edition for a parser of the fourth
 *
 * Expat reads document type declarations. Its names are those of the fourth edition, which lists the letters of Unicode
 * 2.0; the fifth allows nearly every character. So each character of a name is spelled in characters that both allow:
 *
 *   U+0132, which may begin a name   K a a b d c           K: an ideograph that the parser's seed chooses
 *   U+0300, which may not            U+0E50 K a a d a a    a ... p: the digits of its code, base 16
 *
 * Every character that a name could have is spelled, also in literals and comments, so nobody has to know where names
 * are. What Expat passes on is read back. U+0E50, a Thai digit, may not begin a name. A reference to K with five such
 * letters behind it would be read as a spelling, but a document cannot know K.
 *
 * Cost: 8 or 11 bytes a character; nothing for documents that Expat reads as they are.
 */
#include "edition.h"
#include "names.h"

#define DIGITS 5u
#define NOT_FIRST "\xe0\xb9\x90"        /* U+0E50 */
#define MARK 3u                         /* bytes of either mark */

static u32 chosen(u64 seed) { return 0x4e00 + (u32)(gx_fold(seed, 0xd6e8feb86659fd93ull) % 20000); }

/* Bytes of the character at s if it is to be spelled, else 0; *first: it may begin a name */
static u32 spelled(const char *s, size_t n, u32 *code, int *first)
{
    char again[4];
    if (!(*s & 0x80))
        return 0;
    const u32 most = n > 4 ? 4 : (u32)n, len = gx_utf8_decode(s, most, code);
    if (len > most || gx_utf8_encode(*code, again) != len || memcmp(again, s, len))
        return 0;                       /* not UTF-8: Expat will say so */
    *first = gx_name_length(s, len, 1) > 0;
    return *first || gx_name_length(s, len, 0) ? len : 0;
}

/* One pass; what is no UTF-8 is copied as it is, which Expat then reports at its place. Grows `to` by 11 bytes a
 * character at most. */
int gx_edition_spell(u64 seed, const char *s, size_t n, gx_buf *to)
{
    char key[4];
    int any = 0;
    gx_utf8_encode(chosen(seed), key);
    for (size_t i = 0; i < n; ) {
        u32 code;
        int first;
        const u32 len = spelled(s + i, n - i, &code, &first);
        if (gx_buf_room(to, 2 * MARK + DIGITS))
            return -1;
        if (!len) {
            to->at[to->n++] = s[i++];
            continue;
        }
        char *at = to->at + to->n;
        if (!first) {
            memcpy(at, NOT_FIRST, MARK);
            at += MARK;
        }
        memcpy(at, key, MARK);
        at += MARK;
        for (u32 k = DIGITS; k; k--)
            *at++ = (char)('a' + (code >> (k - 1) * 4 & 15));
        to->n = (size_t)(at - to->at);
        i += len;
        any = 1;
    }
    return any;
}

/* The inverse, in place: what is shorter behind it moves to the front. A spelling that is cut off, or not of this
 * seed, is text. O(n). */
size_t gx_edition_read(u64 seed, char *s, size_t n)
{
    char key[4], *to = s;
    gx_utf8_encode(chosen(seed), key);
    for (size_t i = 0; i < n; ) {
        const size_t mark = n - i >= 2 * MARK && memcmp(s + i, NOT_FIRST, MARK) == 0 ? MARK : 0,
            digits = i + mark + MARK;
        u32 code = 0, k = 0;
        if (digits + DIGITS <= n && memcmp(s + i + mark, key, MARK) == 0)
            for (; k < DIGITS && s[digits + k] >= 'a' && s[digits + k] <= 'p'; k++)
                code = code << 4 | (u32)(s[digits + k] - 'a');
        if (k < DIGITS) {
            *to++ = s[i++];
            continue;
        }
        to += gx_utf8_encode(code, to);         /* at most 4 bytes in the place of 8 */
        i = digits + DIGITS;
    }
    return (size_t)(to - s);
}

size_t gx_edition_place(const char *s, size_t n, size_t at)
{
    size_t i = 0;
    for (size_t now = 0; i < n && now < at; ) {
        u32 code;
        int first;
        const u32 len = spelled(s + i, n - i, &code, &first);
        now += !len ? 1 : first ? MARK + DIGITS : 2 * MARK + DIGITS;
        i += len ? len : 1;
    }
    return i;
}
