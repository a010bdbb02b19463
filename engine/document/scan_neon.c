/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_neon.c -- the scanner with vectors of 16 bytes, which every aarch64 has
 *
 * A look-up by TBL gives 0 for an index of 16 and more, so an index keeps its byte's top bit: what is not ASCII is in
 * no set. There is no instruction that makes bits of a vector: 64 bytes' bits are added up in three steps.
 */
#ifdef __aarch64__
#include <arm_neon.h>
#include "parser.h"

#define ISA(name) gx_scan_neon_##name
#define OWN static inline __attribute__((always_inline))
#define LOAD(s) vld1q_u8(s)
#define ALL(c) vdupq_n_u8(c)

typedef struct block { u64 special, brackets, high, controls; int any; } block;

OWN uint8x16_t weights(void)
{
    const u64 each = 0x8040201008040201ull;
    return vreinterpretq_u8_u64(vdupq_n_u64(each));
}

/* Bit i: byte i of the four is 0xff; else it is 0 */
OWN u64 bits64(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d)
{
    const uint8x16_t w = weights();
    const uint8x16_t ab = vpaddq_u8(vandq_u8(a, w), vandq_u8(b, w)), cd = vpaddq_u8(vandq_u8(c, w), vandq_u8(d, w));
    const uint8x16_t all = vpaddq_u8(ab, cd);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}
OWN u32 bits32(uint8x16_t a, uint8x16_t b)
{
    const uint8x16_t w = weights(), ab = vpaddq_u8(vandq_u8(a, w), vandq_u8(b, w)), all = vpaddq_u8(ab, ab);
    return vgetq_lane_u32(vreinterpretq_u32_u8(vpaddq_u8(all, all)), 0);
}

OWN uint8x16_t in_set(const u8 *table, uint8x16_t v)
{
    return vceqq_u8(vqtbl1q_u8(LOAD(table), vandq_u8(v, ALL(0x8f))), v);
}
OWN u64 in64(const u8 *table, const u8 *s)
{
    return bits64(in_set(table, LOAD(s)), in_set(table, LOAD(s + 16)), in_set(table, LOAD(s + 32)),
                  in_set(table, LOAD(s + 48)));
}
OWN u32 in32(const u8 *table, const u8 *s) { return bits32(in_set(table, LOAD(s)), in_set(table, LOAD(s + 16))); }
OWN u64 is64(const u8 *s, u8 c)
{
    return bits64(vceqq_u8(LOAD(s), ALL(c)), vceqq_u8(LOAD(s + 16), ALL(c)), vceqq_u8(LOAD(s + 32), ALL(c)),
                  vceqq_u8(LOAD(s + 48), ALL(c)));
}
OWN u32 differ32(const u8 *a, const u8 *b)
{
    return ~bits32(vceqq_u8(LOAD(a), LOAD(b)), vceqq_u8(LOAD(a + 16), LOAD(b + 16)));
}
OWN void copy32(u8 *to, const u8 *from)
{
    const uint8x16_t a = LOAD(from), b = LOAD(from + 16);
    vst1q_u8(to, a);
    vst1q_u8(to + 16, b);
}
OWN void copy64(u8 *to, const u8 *from)
{
    copy32(to, from);
    copy32(to + 32, from + 32);
}

/* Below a space, but no white space. As signed numbers control characters and what is not ASCII are both that. */
OWN uint8x16_t odd_of(uint8x16_t v)
{
    return vbicq_u8(vcltq_s8(vreinterpretq_s8_u8(v), vdupq_n_s8(' ')), in_set(gx_scan_table.line, v));
}
OWN uint8x16_t high_of(uint8x16_t v) { return vcgeq_u8(v, ALL(0x80)); }

OWN block classify(const u8 *s)
{
    const uint8x16_t a = LOAD(s), b = LOAD(s + 16), c = LOAD(s + 32), d = LOAD(s + 48), bracket = ALL(']');
    const uint8x16_t odd_a = odd_of(a), odd_b = odd_of(b), odd_c = odd_of(c), odd_d = odd_of(d);
    const uint8x16_t br_a = vceqq_u8(a, bracket), br_b = vceqq_u8(b, bracket), br_c = vceqq_u8(c, bracket),
                     br_d = vceqq_u8(d, bracket);
    const uint8x16_t odd = vorrq_u8(vorrq_u8(odd_a, odd_b), vorrq_u8(odd_c, odd_d));
    const uint8x16_t br = vorrq_u8(vorrq_u8(br_a, br_b), vorrq_u8(br_c, br_d));
    block k = { 0, 0, 0, 0, 0 };
    k.special = in64(gx_scan_table.special, s);
    k.any = vmaxvq_u8(vorrq_u8(odd, br)) != 0;
    if (k.any) {                /* rare: the bits are not needed else */
        k.brackets = bits64(br_a, br_b, br_c, br_d);
        k.high = bits64(high_of(a), high_of(b), high_of(c), high_of(d));
        k.controls = bits64(odd_a, odd_b, odd_c, odd_d) & ~k.high;
    }
    return k;
}

OWN u32 *flatten(u32 *to, u64 bits, u32 base)
{
    const u32 n = (u32)__builtin_popcountll(bits);
    /* four without a branch: without a bit left, what is written does not count */
    for (u32 i = 0; i < 4; i++, bits &= bits - 1)
        to[i] = base + (u32)__builtin_ctzll(bits | 1ull << 63);
    for (u32 i = 4; i < n; i++, bits &= bits - 1)
        to[i] = base + (u32)__builtin_ctzll(bits);
    return to + n;
}

#define PAIR(...) vreinterpretq_u8_s8((int8x16_t){ __VA_ARGS__ })
#include "scan_utf8.h"

OWN uint8x16_t utf8_errors(const u8 *s)
{
    const uint8x16_t v = LOAD(s), v1 = LOAD(s - 1), v2 = LOAD(s - 2), v3 = LOAD(s - 3);
    const uint8x16_t pairs = vandq_u8(vandq_u8(vqtbl1q_u8(UTF8_FIRST_HIGH, vshrq_n_u8(v1, 4)),
                                               vqtbl1q_u8(UTF8_FIRST_LOW, vandq_u8(v1, ALL(15)))),
                                      vqtbl1q_u8(UTF8_SECOND_HIGH, vshrq_n_u8(v, 4)));
    const uint8x16_t goes_on = vandq_u8(vorrq_u8(vqsubq_u8(v2, ALL(0xe0 - 0x80)), vqsubq_u8(v3, ALL(0xf0 - 0x80))),
                                        ALL(0x80));
    const uint8x16_t last_two = vandq_u8(vandq_u8(vceqq_u8(v2, ALL(0xef)), vceqq_u8(v1, ALL(0xbf))),
                                         vcgeq_u8(v, ALL(0xbe)));
    return vorrq_u8(veorq_u8(goes_on, pairs), last_two);
}

OWN int utf8_wrong(const u8 *s)
{
    return vmaxvq_u8(vorrq_u8(vorrq_u8(utf8_errors(s), utf8_errors(s + 16)),
                              vorrq_u8(utf8_errors(s + 32), utf8_errors(s + 48)))) != 0;
}

#include "scan_walk.h"
#endif
