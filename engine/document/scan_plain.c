/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_plain.c -- the scanner without vectors: any processor. Eight bytes in a word where that pays, see machine/text.h
 */
#include <string.h>
#include "scan.h"
#include "machine/text.h"

#define ISA(name) gx_scan_plain_##name

typedef struct block { u64 special, brackets, high, controls; int any; } block;

/* The top bits of eight bytes as eight bits */
static inline u64 gather(u64 tops) { return ((tops & GX_EACH_BYTE * 0x80) >> 7) * 0x0102040810204080ull >> 56; }

static inline u64 in_n(const u8 *table, const u8 *s, u32 n)
{
    u64 bits = 0;
    for (u32 i = 0; i < n; i++)
        bits |= (u64)(s[i] < 0x80 && table[s[i] & 15] == s[i]) << i;
    return bits;
}
static inline u64 in64(const u8 *table, const u8 *s) { return in_n(table, s, 64); }
static inline u32 in32(const u8 *table, const u8 *s) { return (u32)in_n(table, s, 32); }
static inline u64 is64(const u8 *s, u8 c)
{
    u64 bits = 0;
    for (u32 i = 0; i < 64; i += 8)
        bits |= gather(gx_text_zero_bytes(gx_text_load8((const char *)s + i) ^ GX_EACH_BYTE * c)) << i;
    return bits;
}
static inline u32 differ32(const u8 *a, const u8 *b)
{
    u32 bits = 0;
    for (u32 i = 0; i < 32; i += 8)
        bits |=
            (u32)(gather(~gx_text_zero_bytes(gx_text_load8((const char *)a + i) ^ gx_text_load8((const char *)b + i)))
                  << i);
    return bits;
}
static inline void copy32(u8 *to, const u8 *from) { memcpy(to, from, 32); }
static inline void copy64(u8 *to, const u8 *from) { memcpy(to, from, 64); }

static inline block classify(const u8 *s)
{
    block k = { 0, 0, 0, 0, 0 };
    for (u32 i = 0; i < 64; i += 8) {
        const u64 w = gx_text_load8((const char *)s + i);
        k.special |= gather(gx_text_zero_bytes(w ^ GX_EACH_BYTE * '<') | gx_text_zero_bytes(w ^ GX_EACH_BYTE * '&')
                            | gx_text_zero_bytes(w ^ GX_EACH_BYTE * '\r'))
            << i;
        k.brackets |= gather(gx_text_zero_bytes(w ^ GX_EACH_BYTE * ']')) << i;
        k.high |= gather(w) << i;
        const u64 lines = gx_text_zero_bytes(w ^ GX_EACH_BYTE * '\t') | gx_text_zero_bytes(w ^ GX_EACH_BYTE * '\n')
            | gx_text_zero_bytes(w ^ GX_EACH_BYTE * '\r');
        k.controls |= gather(gx_text_zero_bytes(w & GX_EACH_BYTE * 0xe0) & ~lines) << i;
    }
    k.any = (k.brackets | k.high | k.controls) != 0;
    return k;
}

static inline u32 *flatten(u32 *to, u64 bits, u32 base)
{
    for (; bits; bits &= bits - 1)
        *to++ = base + (u32)__builtin_ctzll(bits);
    return to;
}

/* From the character on that the block begins in; what goes beyond it is judged by what is there */
static inline int utf8_wrong(const u8 *s)
{
    i32 at = 0;
    for (i32 back = 1; back <= 3 && !at; back++)
        if (s[-back] >= (back == 1 ? 0xc0 : back == 2 ? 0xe0 : 0xf0))
            at = -back;
    while (at < 64) {
        const u32 c = s[at], n = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
        u32 code = n == 1 ? c : c & (0x7fu >> n), have = 1;
        if (c >= 0x80 && (c < 0xc2 || c > 0xf4))
            return 1;
        for (; have < n && at + (i32)have < 64; have++) {
            if ((s[at + (i32)have] & 0xc0) != 0x80)
                return 1;
            code = code << 6 | (s[at + (i32)have] & 0x3f);
        }
        if (have > 1 && have < n) {             /* the second byte decides whether it is too long, too large or a
                                                   surrogate */
            const u32 second = s[at + 1];
            if ((c == 0xe0 && second < 0xa0) || (c == 0xed && second > 0x9f) || (c == 0xf0 && second < 0x90)
                || (c == 0xf4 && second > 0x8f))
                return 1;
        }
        if (have == n
            && ((n == 3 && code < 0x800) || (n == 4 && code < 0x10000) || !(c < 0x80 || gx_is_xml_char(code))))
            return 1;
        at += (i32)n;
    }
    return 0;
}

#include "scan_walk.h"
