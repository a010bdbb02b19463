/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_utf8.h -- tables for "is this UTF-8?" by three look-ups in 16 entries (Keiser and Lemire, 2020)
 *
 * Each pair of neighbouring bytes is looked up by the high and the low half of its first byte and the high half of its
 * second. An entry's bits are errors that the half alone does not exclude; what all three leave is an error. Bit 7 is
 * none: two bytes that continue, one behind the other, which is right where the third or fourth byte of a character is
 * due, and only there. The including file defines PAIR, which makes a vector of 16 bytes, as often as it is wide.
 * U+FFFE and U+FFFF, which XML does not allow (2.2), are looked for apart.
 */
enum {
    SHORT = 1,          /* 11______ 0_______ or 11______ 11______: a character is not finished */
    LONG = 2,           /* 0_______ 10______: a byte continues nothing */
    OVER3 = 4,          /* 11100000 100_____: three bytes where two are enough */
    LARGE = 8,          /* 11110100 1001____ and more: beyond U+10FFFF */
    SURROGATE = 16,     /* 11101101 101_____ */
    OVER2 = 32,         /* 1100000_ 10______ */
    OVER4 = 64,         /* 11110000 1000____; with a first byte of F5 and more: LARGE */
    TWO = -128,         /* 10______ 10______ */
    ANY = SHORT | LONG | TWO
};
#define UTF8_FIRST_HIGH \
    PAIR(LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, TWO, TWO, TWO, TWO, SHORT | OVER2, SHORT, \
         SHORT | OVER3 | SURROGATE, SHORT | LARGE | OVER4)
#define UTF8_FIRST_LOW \
    PAIR(ANY | OVER3 | OVER2 | OVER4, ANY | OVER2, ANY, ANY, ANY | LARGE, ANY | LARGE | OVER4, ANY | LARGE | OVER4, \
         ANY | LARGE | OVER4, ANY | LARGE | OVER4, ANY | LARGE | OVER4, ANY | LARGE | OVER4, ANY | LARGE | OVER4, \
         ANY | LARGE | OVER4, ANY | LARGE | OVER4 | SURROGATE, ANY | LARGE | OVER4, ANY | LARGE | OVER4)
#define UTF8_SECOND_HIGH \
    PAIR(SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, LONG | OVER2 | TWO | OVER3 | OVER4, \
         LONG | OVER2 | TWO | OVER3 | LARGE, LONG | OVER2 | TWO | SURROGATE | LARGE, \
         LONG | OVER2 | TWO | SURROGATE | LARGE, SHORT, SHORT, SHORT, SHORT)
