/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_avx512.c -- the scanner where AVX-512 has bytes and can compress them (VBMI2): the whole of a block in one
 * vector, bits without a detour
 */
#ifdef __x86_64__
#include <immintrin.h>
#include "parser.h"
#ifdef __clang__
#pragma clang attribute push( \
    __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2"))), \
    apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")
#endif

#define ISA(name) gx_scan_avx512_##name
#define OWN static inline __attribute__((always_inline))
#define LOAD(s) _mm512_loadu_si512((const void *)(s))
#define LOAD32(s) _mm256_loadu_si256((const __m256i *)(const void *)(s))
#define ALL(c) _mm512_set1_epi8((char)(c))

typedef struct block { u64 special, brackets, high, controls; int any; } block;

OWN u64 in_set(const u8 *table, __m512i v) { return _mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(LOAD(table), v), v); }
OWN u64 in64(const u8 *table, const u8 *s) { return in_set(table, LOAD(s)); }
OWN u32 in32(const u8 *table, const u8 *s)
{
    const __m256i v = LOAD32(s);
    return _mm256_cmpeq_epi8_mask(_mm256_shuffle_epi8(LOAD32(table), v), v);
}
OWN u64 is64(const u8 *s, u8 c) { return _mm512_cmpeq_epi8_mask(LOAD(s), ALL(c)); }
OWN u32 differ32(const u8 *a, const u8 *b) { return _mm256_cmpneq_epi8_mask(LOAD32(a), LOAD32(b)); }
OWN void copy32(u8 *to, const u8 *from) { _mm256_storeu_si256((__m256i *)(void *)to, LOAD32(from)); }
OWN void copy64(u8 *to, const u8 *from)
{
    const __m256i a = LOAD32(from), b = LOAD32(from + 32);
    _mm256_storeu_si256((__m256i *)(void *)to, a);
    _mm256_storeu_si256((__m256i *)(void *)(to + 32), b);
}

OWN block classify(const u8 *s)
{
    const __m512i v = LOAD(s);
    block k;
    k.special = in_set(gx_scan_table.special, v);
    k.brackets = _mm512_cmpeq_epi8_mask(v, ALL(']'));
    /* as signed numbers control characters and what is not ASCII are both less than a space */
    const u64 odd = _mm512_cmplt_epi8_mask(v, ALL(' ')) & ~in_set(gx_scan_table.line, v);
    k.high = _mm512_movepi8_mask(v);
    k.controls = odd & ~k.high;
    k.any = (odd | k.brackets) != 0;
    return k;
}

OWN u32 *flatten(u32 *to, u64 bits, u32 base)
{
    static const u8 ramp[64]
        __attribute__((aligned(64))) = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                         32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                         48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63 };
    const u32 n = (u32)__builtin_popcountll(bits);
    const __m512i places = _mm512_maskz_compress_epi8(bits, LOAD(ramp)), from = _mm512_set1_epi32((int)base);
    _mm512_storeu_si512(to, _mm512_add_epi32(from, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(places))));
    if (__builtin_expect(n > 16, 0)) {
        _mm512_storeu_si512(to + 16,
                            _mm512_add_epi32(from, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(places, 1))));
        _mm512_storeu_si512(to + 32,
                            _mm512_add_epi32(from, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(places, 2))));
        _mm512_storeu_si512(to + 48,
                            _mm512_add_epi32(from, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(places, 3))));
    }
    return to + n;
}

#define PAIR(...) _mm512_broadcast_i32x4(_mm_setr_epi8(__VA_ARGS__))
#include "scan_utf8.h"

OWN int utf8_wrong(const u8 *s)
{
    const __m512i low = ALL(15), v = LOAD(s), v1 = LOAD(s - 1), v2 = LOAD(s - 2), v3 = LOAD(s - 3);
    const __m512i pairs =
        _mm512_and_si512(_mm512_and_si512(_mm512_shuffle_epi8(UTF8_FIRST_HIGH,
                                                              _mm512_and_si512(_mm512_srli_epi16(v1, 4), low)),
                                          _mm512_shuffle_epi8(UTF8_FIRST_LOW, _mm512_and_si512(v1, low))),
                         _mm512_shuffle_epi8(UTF8_SECOND_HIGH, _mm512_and_si512(_mm512_srli_epi16(v, 4), low)));
    const __m512i goes_on = _mm512_and_si512(_mm512_or_si512(_mm512_subs_epu8(v2, ALL(0xe0 - 0x80)),
                                                             _mm512_subs_epu8(v3, ALL(0xf0 - 0x80))),
                                             ALL(0x80));
    const u64 last_two = _mm512_cmpeq_epi8_mask(v2, ALL(0xef)) & _mm512_cmpeq_epi8_mask(v1, ALL(0xbf))
        & _mm512_cmpge_epu8_mask(v, ALL(0xbe));
    return (_mm512_test_epi8_mask(_mm512_xor_si512(goes_on, pairs), ALL(0xff)) | last_two) != 0;
}

#include "scan_walk.h"
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
