/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_avx2.c -- the scanner with vectors of 32 bytes (AVX2, BMI)
 */
#ifdef __x86_64__
#include <immintrin.h>
#include "parser.h"
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")
#endif

#define ISA(name) gx_scan_avx2_##name
#define OWN static inline __attribute__((always_inline))
#define LOAD(s) _mm256_loadu_si256((const __m256i *)(const void *)(s))
#define BITS(v) ((u32)_mm256_movemask_epi8(v))

typedef struct block { u64 special, brackets, high, controls; int any; } block;

OWN __m256i in_set(const u8 *table, __m256i v) { return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(LOAD(table), v), v); }
OWN u32 in32(const u8 *table, const u8 *s) { return BITS(in_set(table, LOAD(s))); }
OWN u64 in64(const u8 *table, const u8 *s) { return in32(table, s) | (u64)in32(table, s + 32) << 32; }
OWN u64 is64(const u8 *s, u8 c)
{
    const __m256i all = _mm256_set1_epi8((char)c);
    return BITS(_mm256_cmpeq_epi8(LOAD(s), all)) | (u64)BITS(_mm256_cmpeq_epi8(LOAD(s + 32), all)) << 32;
}
OWN u32 differ32(const u8 *a, const u8 *b) { return ~BITS(_mm256_cmpeq_epi8(LOAD(a), LOAD(b))); }
OWN void copy32(u8 *to, const u8 *from) { _mm256_storeu_si256((__m256i *)(void *)to, LOAD(from)); }
OWN void copy64(u8 *to, const u8 *from)
{
    const __m256i a = LOAD(from), b = LOAD(from + 32);
    _mm256_storeu_si256((__m256i *)(void *)to, a);
    _mm256_storeu_si256((__m256i *)(void *)(to + 32), b);
}

OWN block classify(const u8 *s)
{
    const __m256i a = LOAD(s), b = LOAD(s + 32), blank = _mm256_set1_epi8(' '), bracket = _mm256_set1_epi8(']');
    /* as signed numbers control characters and what is not ASCII are both less than a space */
    const __m256i odd_a = _mm256_andnot_si256(in_set(gx_scan_table.line, a), _mm256_cmpgt_epi8(blank, a));
    const __m256i odd_b = _mm256_andnot_si256(in_set(gx_scan_table.line, b), _mm256_cmpgt_epi8(blank, b));
    const __m256i br_a = _mm256_cmpeq_epi8(a, bracket), br_b = _mm256_cmpeq_epi8(b, bracket);
    const __m256i any = _mm256_or_si256(_mm256_or_si256(odd_a, odd_b), _mm256_or_si256(br_a, br_b));
    block k;
    k.special = BITS(in_set(gx_scan_table.special, a)) | (u64)BITS(in_set(gx_scan_table.special, b)) << 32;
    k.any = !_mm256_testz_si256(any, any);
    k.brackets = BITS(br_a) | (u64)BITS(br_b) << 32;
    k.high = BITS(a) | (u64)BITS(b) << 32;
    k.controls = (BITS(odd_a) | (u64)BITS(odd_b) << 32) & ~k.high;
    return k;
}

OWN u32 *flatten(u32 *to, u64 bits, u32 base)
{
    const u32 n = (u32)__builtin_popcountll(bits);
    for (u32 i = 0; i < 4; i++, bits &= bits - 1)
        to[i] = base + (u32)_tzcnt_u64(bits);
    if (__builtin_expect(n > 4, 0)) {
        for (u32 i = 4; i < 8; i++, bits &= bits - 1)
            to[i] = base + (u32)_tzcnt_u64(bits);
        if (__builtin_expect(n > 8, 0))
            for (u32 i = 8; i < n; i++, bits &= bits - 1)
                to[i] = base + (u32)_tzcnt_u64(bits);
    }
    return to + n;
}

#define PAIR(...) _mm256_setr_epi8(__VA_ARGS__, __VA_ARGS__)
#include "scan_utf8.h"

OWN __m256i utf8_errors(const u8 *s)
{
    const __m256i low = _mm256_set1_epi8(15), v = LOAD(s), v1 = LOAD(s - 1), v2 = LOAD(s - 2), v3 = LOAD(s - 3);
    const __m256i pairs =
        _mm256_and_si256(_mm256_and_si256(_mm256_shuffle_epi8(UTF8_FIRST_HIGH,
                                                              _mm256_and_si256(_mm256_srli_epi16(v1, 4), low)),
                                          _mm256_shuffle_epi8(UTF8_FIRST_LOW, _mm256_and_si256(v1, low))),
                         _mm256_shuffle_epi8(UTF8_SECOND_HIGH, _mm256_and_si256(_mm256_srli_epi16(v, 4), low)));
    const __m256i is_third = _mm256_subs_epu8(v2, _mm256_set1_epi8(0xe0 - 0x80)),
                  is_fourth = _mm256_subs_epu8(v3, _mm256_set1_epi8(0xf0 - 0x80));
    const __m256i goes_on = _mm256_and_si256(_mm256_or_si256(is_third, is_fourth), _mm256_set1_epi8((char)0x80));
    const __m256i last_two = _mm256_and_si256(_mm256_and_si256(_mm256_cmpeq_epi8(v2, _mm256_set1_epi8((char)0xef)),
                                                               _mm256_cmpeq_epi8(v1, _mm256_set1_epi8((char)0xbf))),
                                              _mm256_cmpeq_epi8(_mm256_max_epu8(v, _mm256_set1_epi8((char)0xbe)), v));
    return _mm256_or_si256(_mm256_xor_si256(goes_on, pairs), last_two);
}

OWN int utf8_wrong(const u8 *s)
{
    const __m256i wrong = _mm256_or_si256(utf8_errors(s), utf8_errors(s + 32));
    return !_mm256_testz_si256(wrong, wrong);
}

#include "scan_walk.h"
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
