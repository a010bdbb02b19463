/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h -- XPath's string functions on slices of UTF-8
 *
 * A string is (pointer, bytes). It is valid UTF-8, because the parser let nothing else in; should it not be, the
 * functions still read only inside the slice and end. Characters are counted as code points (XPath 1.0, 4.2).
 *
 * Functions that cut answer with a range of their argument and copy nothing: substring and its kin, and normalize-space
 * where the string is already normal. The others come in two phases, so that a team can find room for all rows by one
 * scan in between: ..._length says how many bytes, ..._write writes just as many.
 *
 * Eight bytes are looked at together in one u64 where that pays: the order of bytes in memory is taken to be
 * little-endian.
 */
#ifndef GX_MACHINE_TEXT_H
#define GX_MACHINE_TEXT_H

#include <string.h>
#if defined(__SSE2__) && !defined(__CUDACC__)
#include <emmintrin.h>
#endif
#include "base.h"
#include "number.h"

typedef struct gx_span { u32 off, len; } gx_span;      /* bytes [off, off + len) of the string a function was given */

#define GX_EACH_BYTE 0x0101010101010101ull

#ifdef __CUDA_ARCH__
/* Unaligned loads are eight byte loads there. The aligned words that hold the bytes lie within the block or the arena,
 * too. */
GX_FN u64 gx_text_load8(const char *s)
{
    const u32 *w = (const u32 *)((size_t)s & ~(size_t)3), shift = ((u32)(size_t)s & 3) * 8;
    const u32 a = w[0], b = w[1], c = shift ? w[2] : 0;
    return (u64)__funnelshift_r(b, c, shift) << 32 | __funnelshift_r(a, b, shift);
}
#else
GX_FN u64 gx_text_load8(const char *s) { u64 x; memcpy(&x, s, sizeof x); return x; }
#endif

/* 0x80 in each byte of x that is 0, 0 in the others; exact, unlike the shorter well-known form */
GX_FN u64 gx_text_zero_bytes(u64 x)
{
    const u64 low7 = GX_EACH_BYTE * 0x7f;
    return ~(((x & low7) + low7) | x | low7);
}

/* Index of the first byte that has a bit set; x is not 0 */
GX_FN u32 gx_text_first_byte(u64 x) { return (63 - (u32)__builtin_clzll(x & (0 - x))) / 8; }

/* ---- characters -------------------------------------------------------------------------------------------------- */

GX_FN int gx_utf8_is_start(char c) { return ((u8)c & 0xc0) != 0x80; }

/* Of eight bytes those that go on with a character, 10xxxxxx: bit 0 of each */
GX_FN u64 gx_utf8_inside8(u64 x) { return (x >> 7) & ~(x >> 6) & GX_EACH_BYTE; }

/* How many of the eight bytes start a character */
GX_FN u32 gx_utf8_starts8(u64 x) { return 8 - (u32)((gx_utf8_inside8(x) * GX_EACH_BYTE) >> 56); }

/* How many of 128 bytes: their sum fits a byte, so it is made once */
GX_FN u32 gx_utf8_starts128(const char *s)
{
#if defined(__SSE2__) && !defined(__CUDACC__)
    const __m128i start = _mm_set1_epi8((char)0xc0), zero = _mm_setzero_si128();
    __m128i goes_on = zero;                     /* how many, below zero, of each sixteenth byte */
    for (u32 i = 0; i < 128; i += 16)
        goes_on = _mm_add_epi8(goes_on, _mm_cmplt_epi8(_mm_loadu_si128((const __m128i *)(const void *)(s + i)), start));
    const __m128i sums = _mm_sad_epu8(_mm_sub_epi8(zero, goes_on), zero);
    return 128 - (u32)_mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_srli_si128(sums, 8)));
#else
    u64 inside = 0;
    for (u32 i = 0; i < 128; i += 8) {
        const u64 x = gx_text_load8(s + i);
        inside += (x >> 7) & ~(x >> 6) & GX_EACH_BYTE;
    }
    return 128 - (u32)((inside * GX_EACH_BYTE) >> 56);
#endif
}

/* The code point at s (n > 0 bytes are left) and its length. What is no UTF-8 comes out as single bytes. */
GX_FN u32 gx_utf8_decode(const char *s, u32 n, u32 *code)
{
    const u32 c = (u8)s[0];
    if (c < 0xc0 || n < 2) {
        *code = c;
        return 1;
    }
    if (c < 0xe0 || n < 3) {
        *code = (c & 0x1f) << 6 | ((u8)s[1] & 0x3f);
        return 2;
    }
    if (c < 0xf0 || n < 4) {
        *code = (c & 0x0f) << 12 | ((u32)(u8)s[1] & 0x3f) << 6 | ((u8)s[2] & 0x3f);
        return 3;
    }
    *code = (c & 0x07) << 18 | ((u32)(u8)s[1] & 0x3f) << 12 | ((u32)(u8)s[2] & 0x3f) << 6 | ((u8)s[3] & 0x3f);
    return 4;
}

/* XML 1.0, 2.2 */
GX_FN int gx_is_xml_char(u32 code)
{
    return code >= 0x20 ? (code < 0xd800 || code > 0xdfff) && code != 0xfffe && code != 0xffff && code < 0x110000
                        : code == '\t' || code == '\n' || code == '\r';
}

GX_FN u32 gx_utf8_size(u32 code) { return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4; }

GX_FN u32 gx_utf8_encode(u32 code, char *out)
{
    const u32 n = gx_utf8_size(code);
    if (n == 1) {
        out[0] = (char)code;
        return 1;
    }
    for (u32 i = n - 1; i; i--) {
        out[i] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    out[0] = (char)(n == 2 ? 0xc0 | code : n == 3 ? 0xe0 | code : 0xf0 | code);
    return n;
}

/* string-length(). About a tenth of a nanosecond a byte, whatever the script. */
GX_FN u32 gx_text_length(const char *s, u32 n)
{
    u32 count = 0, i = 0;
    for (; n - i >= 128; i += 128)
        count += gx_utf8_starts128(s + i);
    for (; n - i >= 8; i += 8)
        count += gx_utf8_starts8(gx_text_load8(s + i));
    if (n >= 8 && i < n)                        /* the rest is the end of the last eight; zeros are starts, too */
        return count + gx_utf8_starts8(gx_text_load8(s + n - 8) >> 8 * (8 - (n - i))) - (8 - (n - i));
    for (; i < n; i++)
        count += (u32)gx_utf8_is_start(s[i]);
    return count;
}

/* Where the character number k (from 0) starts; n when there are no more than k. Eight bytes a step: where none of them
 * goes on with a character, bytes are characters. */
GX_FN u32 gx_text_offset(const char *s, u32 n, u32 k)
{
    u32 i = 0;
    for (; n - i >= 128 && k >= 128; i += 128)
        k -= gx_utf8_starts128(s + i);
    for (; n - i >= 8; i += 8) {                /* k characters from i on are still to be passed */
        const u64 x = gx_text_load8(s + i);
        const u32 starts = x & GX_EACH_BYTE * 0x80 ? gx_utf8_starts8(x) : 8;
        if (starts > k) {
            if (starts == 8)
                return i + k;
            break;
        }
        k -= starts;
    }
    for (; i < n; i++)
        if (gx_utf8_is_start(s[i]) && k-- == 0)
            break;
    return i;
}

/* substring(s, first[, length]): the characters at positions p, counted from 1, with p >= round(first) and
 * p < round(first) + round(length). NaN compares false, and -infinity + infinity is NaN: XPath 1.0, 4.2. That is: so
 * many characters are passed over, so many follow; more of them than a string has bytes mean all. */
typedef struct gx_window { u32 skip, take; } gx_window;
GX_FN gx_window gx_text_window(double first, double length)
{
    const double most = 4294967295.0, from = gx_number_round(first), to = from + gx_number_round(length);
    gx_window w = { 0, 0 };
    if (!(from < to) || !(to > 1) || from > most)
        return w;
    w.skip = from > 1 ? (u32)from - 1 : 0;
    w.take = to - 1 - w.skip < most ? (u32)(to - 1 - w.skip) : (u32)most;
    return w;
}

GX_FN gx_span gx_text_windowed(const char *s, u32 n, gx_window w)
{
    gx_span span = { 0, 0 };
    if (w.skip >= n)
        return span;
    if (n >= 16 && (u64)w.skip + w.take <= 16      /* dates and their like: bytes are characters, all of them at once */
        && !((gx_text_load8(s) | gx_text_load8(s + 8)) & GX_EACH_BYTE * 0x80)) {
        span.off = w.skip;
        span.len = w.take;
        return span;
    }
    span.off = w.skip ? gx_text_offset(s, n, w.skip) : 0;
    span.len = n - span.off;
    if (w.take < span.len)
        span.len = gx_text_offset(s + span.off, span.len, w.take);
    return span;
}

GX_FN gx_span gx_text_substring(const char *s, u32 n, double first, double length)
{
    return gx_text_windowed(s, n, gx_text_window(first, length));
}

/* substring(s, first): not the same as an infinite length, when first is -infinity */
GX_FN gx_span gx_text_substring_from(const char *s, u32 n, double first)
{
    return gx_text_substring(s, n, first < 1 ? 1 : first, gx_number_infinity());
}

/* ---- hashing ----------------------------------------------------------------------------------------------------- */

/* The product of 64 by 64 bits, its halves folded: every bit of both reaches every bit of it */
GX_FN u64 gx_fold(u64 a, u64 b)
{
#ifdef __CUDA_ARCH__
    return a * b ^ __umul64hi(a, b);
#else
    const unsigned __int128 m = (unsigned __int128)a * b;
    return (u64)m ^ (u64)(m >> 64);
#endif
}

/*
 * Of strings that a stranger chose, with a seed that nobody outside knows (gx_doc.seed): which of them collide cannot
 * be known, either, so all tables of a document's strings are as short as chance makes them. Eight bytes a step; the
 * seed is factor and start.
 */
GX_FN u64 gx_text_hash(u64 seed, const char *s, u32 len)
{
    const u64 factor = seed | 1ull << 63 | 1;           /* 0 would fold everything to 0 */
    const u32 n = len;
    u64 h = seed << 32 | seed >> 32, a = 0;
    u32 b, c;
    for (; len > 8; s += 8, len -= 8)
        h = gx_fold(h ^ gx_text_load8(s), factor);
    if (len >= 4) {                     /* the last ones by two loads that may overlap */
        memcpy(&b, s, 4);
        memcpy(&c, s + len - 4, 4);
        a = (u64)b << 32 | c;
    } else if (len)
        a = (u64)(u8)s[0] << 16 | (u64)(u8)s[len >> 1] << 8 | (u8)s[len - 1];
    /* once more, or words at equal distances could meet in few places */
    return gx_fold(gx_fold(h ^ a, factor) ^ n, 0x9e3779b97f4a7c15ull);
}

/* ---- searching --------------------------------------------------------------------------------------------------- */

GX_FN int gx_text_equal(const char *a, u32 an, const char *b, u32 bn)
{
    u32 i = 0;
    if (an != bn)
        return 0;
    for (; an - i >= 8; i += 8)
        if (gx_text_load8(a + i) != gx_text_load8(b + i))
            return 0;
    for (; i < an; i++)
        if (a[i] != b[i])
            return 0;
    return 1;
}

/* Code point order, which in UTF-8 is byte order: negative, 0, positive */
GX_FN int gx_text_compare(const char *a, u32 an, const char *b, u32 bn)
{
    const u32 n = an < bn ? an : bn;
    u32 i = 0;
    for (; n - i >= 8; i += 8) {
        const u64 differ = gx_text_load8(a + i) ^ gx_text_load8(b + i);
        if (differ) {
            i += gx_text_first_byte(differ);
            return (int)(u8)a[i] - (int)(u8)b[i];
        }
    }
    for (; i < n; i++)
        if (a[i] != b[i])
            return (int)(u8)a[i] - (int)(u8)b[i];
    return an < bn ? -1 : an > bn;
}

/* Where the right half of what[0 .. m-1] begins for which no shift up to the period of that half can match; *period.
 * GX_NONE + k wraps. */
GX_FN u32 gx_text_suffix(const char *what, u32 m, int down, u32 *period)
{
    u32 best = GX_NONE, at = 0, k = 1, p = 1;
    while (at + k < m) {
        const u8 a = (u8)what[(u32)(best + k)], b = (u8)what[at + k];
        if (a == b) {
            if (k == p) {
                at += p;
                k = 1;
            } else
                k++;
        } else if (down ? a < b : a > b) {
            at += k;
            k = 1;
            p = at - best;
        } else {
            best = at++;
            k = p = 1;
        }
    }
    *period = p;
    return best + 1;
}

/* The same as gx_text_find in n + m looks, whatever the strings (Crochemore and Perrin's two ways): slower where little
 * matches. */
GX_FN_BIG u32 gx_text_find_periodic(const char *s, u32 n, const char *what, u32 m)
{
    u32 p, p2, known = 0, keep = 0, cut = gx_text_suffix(what, m, 0, &p), cut2 = gx_text_suffix(what, m, 1, &p2), i = 0,
               k;
    if (cut2 > cut) {
        cut = cut2;
        p = p2;
    }
    for (k = 0; k < cut && what[k] == what[k + p]; k++)
        ;
    if (k == cut)
        keep = m - p;                   /* a shift by the period: so much of it is known to match again */
    else
        p = (cut > m - cut ? cut : m - cut) + 1;
    while (n - i >= m) {
        for (k = cut > known ? cut : known; k < m && what[k] == s[i + k]; k++)
            ;
        if (k < m) {
            i += k - cut + 1;
            known = 0;
            continue;
        }
        for (k = cut; k > known && what[k - 1] == s[i + k - 1]; k--)
            ;
        if (k <= known)
            return i;
        i += p;
        known = keep;
    }
    return GX_NONE;
}

/* A bit, or the top bit of a byte, for each of the next GX_TEXT_PLACES places at which what is looked for begins and, m
 * bytes on, ends as it should */
#if defined(__SSE2__) && !defined(__CUDACC__)
enum { GX_TEXT_PLACES = 16 };
GX_FN u32 gx_text_hit(u64 hits) { return (u32)__builtin_ctzll(hits); }      /* the first; there is one */
GX_FN u64 gx_text_places(const char *s, u32 m, char first, char last)
{
    const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)s),
                  b = _mm_loadu_si128((const __m128i *)(const void *)(s + m - 1));
    return (u64)(u32)_mm_movemask_epi8(
        _mm_and_si128(_mm_cmpeq_epi8(a, _mm_set1_epi8(first)), _mm_cmpeq_epi8(b, _mm_set1_epi8(last))));
}
#else
enum { GX_TEXT_PLACES = 8 };
GX_FN u32 gx_text_hit(u64 hits) { return gx_text_first_byte(hits); }
GX_FN u64 gx_text_places(const char *s, u32 m, char first, char last)
{
    return gx_text_zero_bytes((gx_text_load8(s) ^ GX_EACH_BYTE * (u8)first)
                              | (gx_text_load8(s + m - 1) ^ GX_EACH_BYTE * (u8)last));
}
#endif

/* Byte offset of the first occurrence of what[0 .. m-1] in s, or GX_NONE. The empty string is found at 0. Some places
 * are tried at once by the needle's first and last byte; the last of them are those that end with s, and may have been
 * tried before. n x m looks for "aaa...aba" in "aaa...": where that is on its way the rest is found in the other way,
 * which no deadline has to end. */
GX_FN u32 gx_text_find(const char *s, u32 n, const char *what, u32 m)
{
    if (m == 0)
        return 0;
    if (m > n)
        return GX_NONE;
    const u32 places = n - m + 1;
    const char first = what[0], last = what[m - 1];
    u64 looks = 0;                      /* at most */
    if (places < GX_TEXT_PLACES) {
        for (u32 i = 0; i < places; i++)
            if (s[i] == first && gx_text_equal(s + i, m, what, m))
                return i;
        return GX_NONE;
    }
    for (u32 i = 0; i < places; i += GX_TEXT_PLACES) {
        const u32 from = i <= places - GX_TEXT_PLACES ? i : places - GX_TEXT_PLACES;
        u64 hits = gx_text_places(s + from, m, first, last);
        if (!hits)
            continue;
        for (; hits; hits &= hits - 1) {
            const u32 at = from + gx_text_hit(hits);
            if (gx_text_equal(s + at, m, what, m))
                return at;
            looks += m;
        }
        if (looks > 16 * (u64)n) {
            const u32 at = gx_text_find_periodic(s + from, n - from, what, m);
            return at == GX_NONE ? at : from + at;
        }
    }
    return GX_NONE;
}

/* Is s short, and ends in nothing that it begins with? */
GX_FN int gx_text_is_unbordered(const char *s, u32 n)
{
    if (n == 0 || n > 16)
        return 0;
    for (u32 k = 1; k < n; k++)
        if (gx_text_equal(s, k, s + n - k, k))
            return 0;
    return 1;
}

GX_FN int gx_text_contains(const char *s, u32 n, const char *what, u32 m)
{
    return gx_text_find(s, n, what, m) != GX_NONE;
}
GX_FN int gx_text_starts_with(const char *s, u32 n, const char *what, u32 m)
{
    return m <= n && gx_text_equal(s, m, what, m);
}

GX_FN gx_span gx_text_substring_before(const char *s, u32 n, const char *what, u32 m)
{
    const u32 at = gx_text_find(s, n, what, m);
    gx_span span;
    span.off = 0;
    span.len = at == GX_NONE ? 0 : at;
    return span;
}

GX_FN gx_span gx_text_substring_after(const char *s, u32 n, const char *what, u32 m)
{
    const u32 at = gx_text_find(s, n, what, m);
    gx_span span;
    span.off = at == GX_NONE ? 0 : at + m;
    span.len = at == GX_NONE ? 0 : n - span.off;
    return span;
}

/* ---- normalize-space() ------------------------------------------------------------------------------------------- */

GX_FN gx_span gx_text_trim(const char *s, u32 n)
{
    gx_span span;
    u32 i = 0;
    while (i < n && gx_number_space(s[i]))
        i++;
    while (n > i && gx_number_space(s[n - 1]))
        n--;
    span.off = i;
    span.len = n - i;
    return span;
}

/* 1: *span of s is the answer as it stands. 0: *span is s trimmed; it needs _length and _write. One pass, 8 bytes a
 * time. */
GX_FN int gx_text_is_normal_space(const char *s, u32 n, gx_span *span)
{
    *span = gx_text_trim(s, n);
    const char *t = s + span->off;
    const u32 length = span->len;
    u32 i = 0;
    u64 before = 0;                             /* was the byte before t[i] a space? as a bit of t[i]'s byte */
    for (; length - i >= 8; i += 8) {
        const u64 x = gx_text_load8(t + i);
        const u64 spaces = gx_text_zero_bytes(x ^ GX_EACH_BYTE * ' ');
        /* below ' ' */
        const u64 controls = ~(((x & GX_EACH_BYTE * 0x7f) + GX_EACH_BYTE * 0x60) | x) & GX_EACH_BYTE * 0x80;
        if (controls | (spaces & (spaces << 8 | before)))
            break;
        before = spaces >> 56;
    }
    for (i -= i != 0; i < length; i++)          /* after a trim t[i + 1] is there whenever t[i] is white space */
        if ((u8)t[i] <= ' ' && gx_number_space(t[i]) && (t[i] != ' ' || gx_number_space(t[i + 1])))
            return 0;
    return 1;
}

GX_FN u32 gx_text_normalize_length(const char *s, u32 n)
{
    const gx_span span = gx_text_trim(s, n);
    const char *t = s + span.off;
    u32 length = span.len;
    for (u32 i = 0; i < span.len; i++)
        length -= (u32)(gx_number_space(t[i]) && gx_number_space(t[i + 1]));
    return length;
}

/* out may be s. Returns normalize_length. */
GX_FN u32 gx_text_normalize_write(const char *s, u32 n, char *out)
{
    const gx_span span = gx_text_trim(s, n);
    const char *t = s + span.off;
    u32 length = 0;
    for (u32 i = 0; i < span.len; i++) {
        const char c = t[i];
        if (!gx_number_space(c))
            out[length++] = c;
        else if (!gx_number_space(t[i + 1]))
            out[length++] = ' ';
    }
    return length;
}

/* ---- translate() ------------------------------------------------------------------------------------------------- */

/* translate()'s second and third argument, ready for many strings. ascii[c]: what becomes of the ASCII character c. It
 * has 160 bytes and points to the arguments. */
#define GX_TRANSLATE_DROP 0x80u
#define GX_TRANSLATE_LOOK 0x81u         /* its replacement is not ASCII */
typedef struct gx_translation {
    const char *from, *to;
    u32 from_len, to_len;
    u8 ascii[128];
    u8 others;              /* `from` has characters beyond ASCII: these have to be looked for */
    u8 bytewise;            /* ASCII for ASCII throughout: the length stays, and a byte does not look at its neighbours
                               */
} gx_translation;

/* A table for translate() (4.2): for each character of ASCII its replacement, a mark that it is dropped, or one that
 * the replacement must be looked up because it has several bytes. The first occurrence in `from` counts. others: `from`
 * has characters beyond ASCII, which gx_translation_apply() searches for. bytewise: every byte becomes one byte.
 * O(bytes of from and to). */
GX_FN void gx_translation_init(gx_translation *tr, const char *from, u32 from_len, const char *to, u32 to_len)
{
    tr->from = from;
    tr->from_len = from_len;
    tr->to = to;
    tr->to_len = to_len;
    tr->others = 0;
    for (u32 c = 0; c < 128; c++)
        tr->ascii[c] = (u8)c;
    /* The first occurrence in `from` counts; `given` has a bit for each ASCII character already met. */
    u64 given[2];
    given[0] = given[1] = 0;
    u32 j = 0;                                  /* byte in `to` of the replacement, in step with i */
    for (u32 i = 0; i < from_len;) {
        const u32 c = (u8)from[i];
        u32 code = 0, size = 0, replacement = 0;
        if (j < to_len)
            size = gx_utf8_decode(to + j, to_len - j, &replacement);
        if (c >= 0x80) {
            tr->others = 1;
            i += gx_utf8_decode(from + i, from_len - i, &code);
        } else {
            if (!(given[c >> 6] >> (c & 63) & 1))
                tr->ascii[c] = (u8)(size == 0 ? GX_TRANSLATE_DROP : size > 1 ? GX_TRANSLATE_LOOK : replacement);
            given[c >> 6] |= (u64)1 << (c & 63);
            i++;
        }
        j += size;
    }
    tr->bytewise = !tr->others;
    for (u32 c = 0; c < 128; c++)
        tr->bytewise &= tr->ascii[c] < 0x80;
}

/* What becomes of the character c[0 .. size-1]: a range of `to` (may be empty), or 0 for "stays". O(from). */
GX_FN int gx_translation_look(const gx_translation *tr, const char *c, u32 size, gx_span *replacement)
{
    u32 j = 0, code;
    for (u32 i = 0; i < tr->from_len;) {
        const u32 from_size = gx_utf8_decode(tr->from + i, tr->from_len - i, &code);
        const u32 to_size = j < tr->to_len ? gx_utf8_decode(tr->to + j, tr->to_len - j, &code) : 0;
        if (from_size == size && gx_text_equal(tr->from + i, size, c, size)) {
            replacement->off = j;
            replacement->len = to_size;
            return 1;
        }
        i += from_size;
        j += to_size;
    }
    return 0;
}

/* The pass over s that both phases share: out == NULL only counts. A replacement may be longer than what it replaces,
 * so the count is a u64: up to 4 n. */
GX_FN u64 gx_translation_apply(const gx_translation *tr, const char *s, u32 n, char *out)
{
    u64 length = 0;
    if (tr->bytewise) {                         /* lower case to upper, and the like: the usual translate() */
        for (u32 i = 0; out && i < n; i++)
            out[i] = (u8)s[i] < 0x80 ? (char)tr->ascii[(u8)s[i]] : s[i];
        return n;
    }
    for (u32 i = 0; i < n;) {
        const u32 c = (u8)s[i];
        const u32 becomes = c < 0x80 ? tr->ascii[c] : GX_TRANSLATE_LOOK;
        if (becomes < 0x80) {
            if (out)
                out[length] = (char)becomes;
            length++;
            i++;
        } else if (becomes == GX_TRANSLATE_DROP) {
            i++;
        } else {
            u32 code;
            gx_span r;
            const u32 size = c < 0x80 ? 1 : gx_utf8_decode(s + i, n - i, &code);
            const char *p = s + i;
            u32 len = size;
            if ((c < 0x80 || tr->others) && gx_translation_look(tr, s + i, size, &r)) {
                p = tr->to + r.off;
                len = r.len;
            }
            for (u32 k = 0; out && k < len; k++)
                out[length + k] = p[k];
            length += len;
            i += size;
        }
    }
    return length;
}

GX_FN u64 gx_text_translate_length(const gx_translation *tr, const char *s, u32 n)
{
    return gx_translation_apply(tr, s, n, NULL);
}

GX_FN u64 gx_text_translate_write(const gx_translation *tr, const char *s, u32 n, char *out)
{
    return gx_translation_apply(tr, s, n, out);
}

#endif
