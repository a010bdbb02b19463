/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extent.h -- where formulas hold in one document: sets of its classes, each stored once
 *
 * An extent is a set of classes (classes.h), a bit for each. Only the pieces that are not 0 are stored:
 *
 *   summary 0...0101    which pieces there are: here the first and the third
 *   piece, piece        each of `piece` words, 1 for up to 4,096 classes
 *
 * Equal extents have one number, so what is computed from them is computed once: tens of thousands of formulas hold for
 * a few thousand extents. Number 0 is the empty extent. Parents and ancestors of an extent are kept with it; the last
 * intersections, differences and unions are found in a table of fixed size.
 *
 * Classes of one name have neighbouring bits, so most intersections that are empty have no piece in common and cost one
 * AND of summaries.
 *
 * What a profile's code computes on its way (code.h) is a loose extent: the same summary and pieces in memory of the
 * caller, without a number unless it equals its operand. 60 to 94 % of these operations are made once in a document, so
 * looking for their results costs more than it saves.
 *
 * A call that fails for lack of memory, or because of the limit, sets `failed` and returns GXP_NOWHERE.
 */
#ifndef GXP_EXTENT_H
#define GXP_EXTENT_H

#include "classes.h"

enum { GXP_NOWHERE = 0 };
enum { GXP_INTERSECT, GXP_SUBTRACT, GXP_UNITE };

typedef struct gxp_extent {
    u64 summary;
    u32 at;                     /* of its first piece in `words` */
    u32 up[GXP_N_AXES];         /* its classes' parents, ancestors, these and itself; GX_NONE: not known yet */
} gxp_extent;

typedef struct gxp_loose {
    u64 summary;
    const u64 *at;              /* its pieces; of a stored one until the next is stored, then gxp_loose_of finds them */
    u32 number;                 /* GX_NONE: it is not stored */
} gxp_loose;

typedef struct gxp_span {
    u32 from, to;
} gxp_span;

typedef struct gxp_known {      /* a op b is out; of another document where the stamp is another */
    u64 key;
    u32 out, stamp;
} gxp_known;

typedef struct gxp_extents {
    u32 w, piece;               /* words of an extent that has all pieces; of a piece */
    gx_buf all;                 /* gxp_extent */
    gx_buf words;
    gx_buf table;               /* all by hash: hash << 32 | number, 0 = nothing here */
    gxp_known *known;
    u32 stamp;
    int has_popcnt;
    gx_buf bit;                 /* of each class */
    gx_buf list, span;          /* parents of each class, by its bit; a single one is in the span */
    const gxp_classes *classes;
    gx_buf class_of;            /* of each bit */
    gx_buf row, stack;          /* w words; as many as classes */
    gx_buf clean;               /* w words, all 0 between calls */
    size_t roomy;               /* bytes that `words` may have without looking at limits again */
    u64 work, most_bytes;
    gx_status failed;           /* GX_ENOMEM, GX_ELIMIT: of `arena` */
} gxp_extents;

/* Before the first document: 0, or -1 without memory */
int gxp_extents_create(gxp_extents *e);
void gxp_extents_free(gxp_extents *e);
/* Those of the last document are gone. n_tests: of the set */
void gxp_extents_begin(gxp_extents *e, const gxp_classes *c, u64 most_bytes);

/* The extent of w words */
u32 gxp_extent_of(gxp_extents *e, const u64 *words);
/* The extent of n bits, which ascend */
u32 gxp_extent_of_bits(gxp_extents *e, const u32 *bits, u32 n);
u32 gxp_extent_make(gxp_extents *e, u32 a, u32 op, u32 b);
u32 gxp_extent_climb(gxp_extents *e, u32 a, u32 axis);
/* Children, descendants, these and itself of an extent's classes. Not kept */
u32 gxp_extent_below(gxp_extents *e, u32 a, u32 axis);
int gxp_extent_has(const gxp_extents *e, u32 a, u32 bit);

static inline const gxp_extent *gxp_extent_at(const gxp_extents *e, u32 a)
{
    return GX_BUF_AT(&e->all, gxp_extent) + a;
}

static inline gxp_loose gxp_loose_of(const gxp_extents *e, u32 a)
{
    const gxp_extent *x = gxp_extent_at(e, a);
    return (gxp_loose){ x->summary, GX_BUF_AT(&e->words, u64) + x->at, a };
}

static inline u32 gxp_bit_of(const gxp_extents *e, u32 class) { return GX_BUF_AT(&e->bit, u32)[class]; }

static inline u32 gxp_extent_and(gxp_extents *e, u32 a, u32 b)
{
    if (!(gxp_extent_at(e, a)->summary & gxp_extent_at(e, b)->summary))
        return GXP_NOWHERE;
    return a == b ? a : gxp_extent_make(e, a, GXP_INTERSECT, b);
}

static inline u32 gxp_extent_but(gxp_extents *e, u32 a, u32 b)
{
    if (!(gxp_extent_at(e, a)->summary & gxp_extent_at(e, b)->summary))
        return a;
    return a == b ? (u32)GXP_NOWHERE : gxp_extent_make(e, a, GXP_SUBTRACT, b);
}

static inline u32 gxp_extent_or(gxp_extents *e, u32 a, u32 b)
{
    return a == b || !b ? a : !a ? b : gxp_extent_make(e, a, GXP_UNITE, b);
}

static inline u32 gxp_extent_up(gxp_extents *e, u32 a, u32 axis)
{
    const u32 up = gxp_extent_at(e, a)->up[axis];
    return up != GX_NONE ? up : gxp_extent_climb(e, a, axis);
}

/* *a := a and b, a without b, a and b, what passes the test and has a on the axis. own: room for w words; the pieces of
 * *a may lie there already */
void gxp_loose_and(gxp_extents *e, gxp_loose *a, u32 b, u64 *own);
void gxp_loose_but(gxp_extents *e, gxp_loose *a, u32 b, u64 *own);
void gxp_loose_join(gxp_extents *e, gxp_loose *a, const gxp_loose *b, u64 *own);
void gxp_loose_edge(gxp_extents *e, gxp_loose *a, u32 axis, u32 test, u64 *own);
/* Have they a class in common? */
int gxp_loose_meets(const gxp_extents *e, const gxp_loose *a, const gxp_loose *b);

#endif
