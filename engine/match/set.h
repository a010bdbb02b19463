/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set.h -- a compiled set: the formulas in the order in which they are evaluated, and code of private ones (code.h)
 *
 *   number   0 ...                                                              n
 *            | rank 0          | rank 1                          | rank 2 ...
 *            | labels, atoms.. | edges | ands | atoms, later ones |
 *
 * Each formula is looked at when its trigger has turned out not to be empty: an edge when its operand has, an AND when
 * the operand of the highest rank that is not negated has. Edges of one trigger are neighbours, and so are ANDs, so one
 * range says which they are, and a formula needs no more than its word:
 *
 *   edge     test << 2 | axis
 *   and      ALONE | the other operand, or the place in args of their number and the operands
 *   later    the same as an AND's place in args, all operands in it; a label's test, an atom's number
 *
 * An OR has any of its operands as trigger. It is "later": put down when it is triggered, evaluated when its rank
 * begins. So is an AND whose operand of the highest rank is negated.
 */
#ifndef GXP_SET_H
#define GXP_SET_H

#include <apr_pools.h>
#include "code.h"
#include "match.h"

#define GXP_ALONE 0x80000000u

static inline u32 gxp_ones(u64 x)
{
    x -= x >> 1 & 0x5555555555555555ull;
    x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
    return (u32)((x * 0x0101010101010101ull) >> 56);
}

/* Ranges that formulas have: what they trigger, what they are */
enum { GXP_EDGES, GXP_ANDS, GXP_LATER, GXP_SUBSCRIBERS, GXP_N_RANGES };

typedef struct gxp_range {
    u32 from, to;
} gxp_range;

/* Of 64 formulas, in one cache line: a bit for each that has a range, and how many formulas before these have one */
typedef struct gxp_block {
    u64 bits[GXP_N_RANGES];
    u32 before[GXP_N_RANGES];
    u32 unused[4];
} gxp_block;

/* Formula f's range of this kind; NULL: it has none */
static inline const gxp_range *gxp_range_of(const gxp_block *blocks, gxp_range *const *ranges, u32 kind, u32 f)
{
    const gxp_block *b = &blocks[f / 64];
    const u64 word = b->bits[kind], bit = (u64)1 << f % 64;
    return word & bit ? ranges[kind] + b->before[kind] + gxp_ones(word & (bit - 1)) : NULL;
}

/* What a profile needs its program for; sorted by profile */
typedef struct gxp_exact {
    u32 profile;
    gx_program *program;
} gxp_exact;

/* How a subscriber's code starts, apart from the code, which most documents do not need then: the formula that it
 * loads, and one that it needs, too, or the test of an edge. Where these have nothing in common, the profile does not
 * match.
 *
 *   load     how << 30 | formula
 *   other    a formula; of an edge n_formulas + test (gxp_matcher.slot)
 */
enum { GXP_START_MEET, GXP_START_CHILD, GXP_START_BELOW, GXP_START_OTHER };    /* OTHER: look at the code */
typedef struct gxp_start {
    u32 load, other;
} gxp_start;

typedef struct gxp_label {          /* a name of profiles: hash table by gx_name_hash */
    u32 hash;
    u32 test;                       /* + 1; 0 = nothing here */
} gxp_label;

struct gxp_set {
    u32 n_formulas, n_ranks, n_profiles, n_bad;
    u32 n_private;                  /* formulas that are in `code` only */
    u32 *code, n_code, code_depth;  /* of the stack that it needs */
    u32 *word;
    u32 *rank_start;                /* n_ranks + 1 */
    u32 *args;
    gxp_block *blocks;
    gxp_range *ranges[GXP_N_RANGES];    /* EDGES, ANDS: of formulas; LATER: of later_of; SUBSCRIBERS: of subscriber */
    u32 n_ranges[GXP_N_RANGES];
    u32 *later_of;
    u32 *subscriber;                    /* the profiles that a formula is, and how it must hold */
    u32 *second;                    /* of each: a formula that its code needs, too; GX_NONE: no code, or no other */
    gxp_start *start;               /* of each: how its code starts */
    u32 *always;                    /* profiles that match anything */
    u32 n_always;
    u32 *atom_formula;              /* of each atom, GX_NONE: no profile has it after all */
    u32 *test_formula;              /* LABEL of each test, or GX_NONE */
    gx_buf tests, strs;             /* gxp_test */
    gxp_label *labels;
    u32 label_mask;
    gxp_values values;
    u32 text_group;                 /* GX_NONE: text nodes do not matter */
    gxp_exact *exact;
    u32 n_exact;
    u8 *is_exact;                   /* a bit for each profile */
    char *ids;                      /* one behind the other, each with a 0 */
    u32 *id_at;
    u32 *by_id;                     /* profiles, sorted by id */
    u64 bytes, exact_bytes;
};

static inline const gxp_test *gxp_set_test(const gxp_set *s, u32 i) { return GX_BUF_AT(&s->tests, gxp_test) + i; }

#endif
