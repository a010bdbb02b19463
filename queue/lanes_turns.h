/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes_turns.h -- turns of sixteen lanes, PART of them at a time; included for each instruction set (lanes.c)
 *
 *   NAME, TARGET    the function, and what it is compiled for
 *   PART            lanes in a vector of this instruction set: the sixteen words of a part's state fill its registers
 *   BY_BYTES        turns of 16 and 8 bits are one shuffle of bytes, not two shifts and an OR
 */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define WORD JOIN(NAME, _word)
#define MIX JOIN(NAME, _mix)

typedef u32 WORD __attribute__((vector_size(4 * PART)));        /* of each lane */

#if BY_BYTES
typedef u8 JOIN(NAME, _bytes) __attribute__((vector_size(4 * PART)));
#define TURN_16(x) ((WORD)__builtin_shuffle((JOIN(NAME, _bytes))(x), by_16))
#define TURN_8(x) ((WORD)__builtin_shuffle((JOIN(NAME, _bytes))(x), by_8))
static const JOIN(NAME, _bytes) by_16 = { 2,  3,  0,  1,  6,  7,  4,  5,  10, 11, 8,  9,  14, 15, 12, 13,
                                          18, 19, 16, 17, 22, 23, 20, 21, 26, 27, 24, 25, 30, 31, 28, 29 };
static const JOIN(NAME, _bytes) by_8 = { 1,  2,  3,  0,  5,  6,  7,  4,  9,  10, 11, 8,  13, 14, 15, 12,
                                         17, 18, 19, 16, 21, 22, 23, 20, 25, 26, 27, 24, 29, 30, 31, 28 };
#else
#define TURN_16(x) TURN(x, 16)
#define TURN_8(x) TURN(x, 8)
#endif

TARGET static inline __attribute__((always_inline)) void MIX(WORD *a, WORD *b, WORD *c, WORD *d, WORD x, WORD y)
{
    *a += *b + x, *d = TURN_16(*d ^ *a);
    *c += *d, *b = TURN(*b ^ *c, 12);
    *a += *b + y, *d = TURN_8(*d ^ *a);
    *c += *d, *b = TURN(*b ^ *c, 7);
}

TARGET static void NAME(u32 state[8][GX_LANES], const u8 *at, size_t n_turns, u64 turn)
{
    WORD s[8], w[16], v[16], none = { 0 }, lane;
    for (; n_turns; n_turns--, at += GX_LANES_TURN, turn++)
        for (u32 part = 0; part < GX_LANES; part += PART) {
            for (int i = 0; i < 16; i++)
                memcpy(&w[i], at + 4 * (i * GX_LANES + part), sizeof *w);
            for (int i = 0; i < 8; i++)
                memcpy(&s[i], &state[i][part], sizeof *s);
            memcpy(&lane, lanes + part, sizeof lane);
            memcpy(v, s, sizeof s);
            for (int i = 0; i < 4; i++)
                v[8 + i] = none + first[i];
            v[12] = none + (u32)turn;
            v[13] = none + (u32)(turn >> 32);
            v[14] = none + 64;
            v[15] = lane;
#pragma GCC unroll 7
            for (int k = 0; k < 7; k++) {
                const u8 *of = order[k];
                MIX(&v[0], &v[4], &v[8], &v[12], w[of[0]], w[of[1]]);
                MIX(&v[1], &v[5], &v[9], &v[13], w[of[2]], w[of[3]]);
                MIX(&v[2], &v[6], &v[10], &v[14], w[of[4]], w[of[5]]);
                MIX(&v[3], &v[7], &v[11], &v[15], w[of[6]], w[of[7]]);
                MIX(&v[0], &v[5], &v[10], &v[15], w[of[8]], w[of[9]]);
                MIX(&v[1], &v[6], &v[11], &v[12], w[of[10]], w[of[11]]);
                MIX(&v[2], &v[7], &v[8], &v[13], w[of[12]], w[of[13]]);
                MIX(&v[3], &v[4], &v[9], &v[14], w[of[14]], w[of[15]]);
            }
            for (int i = 0; i < 8; i++)
                s[i] = v[i] ^ v[8 + i];
            for (int i = 0; i < 8; i++)
                memcpy(&state[i][part], &s[i], sizeof *s);
        }
}

#undef TURN_16
#undef TURN_8
#undef MIX
#undef WORD
#undef JOIN
#undef JOIN_
#undef NAME
#undef TARGET
#undef PART
#undef BY_BYTES
