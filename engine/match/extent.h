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
 * a few thousand extents. Number 0 is the empty extent. Parents and ancestors of an extent are kept with it. An extent
 * is found by its hash, that of one class by the class: most intersections that are not empty have one class, or are
 * one of the two that they were made of.
 *
 * Classes of one name have neighbouring bits, so most intersections that are empty have no piece in common and cost one
 * AND of summaries.
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
    const u64 *at;              /* its pieces; of a stored one until the next is stored */
    u32 number;                 /* GX_NONE: it is not stored */
} gxp_loose;

typedef struct gxp_span {
    u32 from, to;               /* GXP_ONLY: `from` is the only one */
} gxp_span;
#define GXP_ONLY GX_NONE

typedef struct gxp_extents {
    u32 w, piece;               /* words of an extent that has all pieces; of a piece */
    gx_buf all;                 /* gxp_extent */
    gx_buf words;
    gx_buf table;               /* all by hash: hash << 32 | number, 0 = nothing here */
    gx_buf single;              /* the extent of each bit alone, or GX_NONE; with pieces of one word */
    gx_buf bit;                 /* of each class */
    gx_buf list, span;          /* parents of each class, by its bit; a single one is in the span */
    const gxp_classes *classes;
    gx_buf class_of;            /* of each bit */
    gx_buf row, stack;          /* w words; as many as classes */
    gx_buf clean;               /* a row's words, all 0 between calls */
    u64 walked;                 /* which of its pieces are not, while classes are walked from */
    gx_buf above, under;        /* of each bit: a row of its ancestors, of its descendants; empty: not made */
    size_t roomy;               /* bytes that `words` may have without looking at limits again */
    u64 work, most_bytes;
    gx_status failed;           /* GX_ENOMEM, GX_ELIMIT: of `arena` */
} gxp_extents;

void gxp_extents_free(gxp_extents *e);
/* Those of the last document are gone. n_tests: of the set */
void gxp_extents_begin(gxp_extents *e, const gxp_classes *c, u64 most_bytes);

/* The extent of w words, which is stored even if there is one of these words */
u32 gxp_extent_of_new(gxp_extents *e, const u64 *words);
/* The extent of n bits, which ascend */
u32 gxp_extent_of_bits(gxp_extents *e, const u32 *bits, u32 n);

/* Rows of ancestors, if there are not too many classes: for a set of profiles that asks often */
void gxp_extents_rows(gxp_extents *e);
/* For extent_ops.h: room for one more in `words`, or NULL; a table of twice the size, or -1 */
u64 *gxp_extents_more(gxp_extents *e);
int gxp_extents_grow(gxp_extents *e);

static inline void *gxp_extents_fail(gxp_extents *e, gx_status status)
{
    if (e->failed == GX_OK)
        e->failed = status;
    return NULL;
}

static inline const gxp_extent *gxp_extent_at(const gxp_extents *e, u32 a)
{
    return GX_BUF_AT(&e->all, gxp_extent) + a;
}

/* Words of a row, a multiple of four */
static inline u32 gxp_stride(const gxp_extents *e) { return (e->w + 3) & ~3u; }

static inline u32 gxp_bit_of(const gxp_extents *e, u32 class) { return GX_BUF_AT(&e->bit, u32)[class]; }

#endif
