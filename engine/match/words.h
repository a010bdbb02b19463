/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.h -- words of compiled profiles: references, tests, axes, operations of code; plain C that nvcc compiles, too
 */
#ifndef GXP_WORDS_H
#define GXP_WORDS_H

#include "base.h"

enum { GXP_CHILD, GXP_BELOW, GXP_HERE_OR_BELOW, GXP_N_AXES };

/* A formula's number << 1 | negated */
#define GXP_REF(f) ((u32)(f) << 1)
#define GXP_REF_FORMULA(ref) ((ref) >> 1)
#define GXP_REF_NOT(ref) ((ref) & 1)

/* Name tests, those of attributes too. The first three are always there. */
enum { GXP_TEST_ROOT, GXP_TEST_ANY, GXP_TEST_NODE, GXP_TEST_FIRST };

/* A formula's subscribers are the profiles that it is the formula of. One word each: how the formula must hold, and the
 * profile's number; or, BY_CODE, where the profile's code (code.h) begins. */
enum { GXP_ANYWHERE, GXP_AT_TOP, GXP_AT_ROOT, GXP_BY_CODE };
#define GXP_HOW(subscriber) ((subscriber) >> 30)
#define GXP_PROFILE(subscriber) ((subscriber) & 0x3fffffffu)
#define GXP_CODE_AT GXP_PROFILE

/* Operations (code.h) */
enum {
    GXP_CODE_END,
    GXP_CODE_LOAD,              /* pushes where a shared formula holds */
    GXP_CODE_EDGE,              /* of the top: what passes the test and has it on the axis */
    GXP_CODE_JOIN,              /* the two at the top */
    GXP_CODE_MEET,              /* the top and a shared formula */
    GXP_CODE_BUT                /* the top without a shared formula, which need not hold anywhere */
};
/* Extents on the stack at once, at most: a team's members have room for so many. Deeper formulas are shared ones. */
#define GXP_CODE_DEPTH 24u
#define GXP_CODE(kind, value) ((value) << 3 | (kind))
#define GXP_CODE_KIND(word) ((word) & 7)
#define GXP_CODE_VALUE(word) ((word) >> 3)

#endif
