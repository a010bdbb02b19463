/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leaf.h -- where a document's tests and values hold: the extents that all formulas are made from
 *
 *   classes in the order of their bits  -->  pairs (leaf, bit)  --sorted by leaf-->  extents
 *
 * A leaf is a name test or an atom that some class has. Its bits come in ascending order, so an extent costs what it
 * has. Comparisons of numbers with bounds are those of the sorted numbers of one group: all bounds between two
 * neighbours of the document's numbers share one extent, and an extent that no bound asks for is not made.
 */
#ifndef GXP_LEAF_H
#define GXP_LEAF_H

#include "extent.h"

typedef struct gxp_leaf {
    u32 of;                     /* the test; the atom's formula */
    u32 extent;
} gxp_leaf;

typedef struct gxp_leaves {
    gx_buf tests, atoms;        /* gxp_leaf */
    /* while they are made */
    u32 *number;                /* of each test and, behind them, each atom: its place in `open`, or GX_NONE */
    gx_buf open;                /* u32 pairs: the test or atom; how many pairs it has, then where they end in `bits` */
    gx_buf pairs, bits;
    gx_buf positions;           /* u32 pairs: a number's position, the bit of its class */
    int no_memory;
} gxp_leaves;

/* Before the first document: 0, or -1 without memory */
int gxp_leaves_create(gxp_leaves *l, const gxp_set *set);
void gxp_leaves_free(gxp_leaves *l);
u64 gxp_leaves_bytes(const gxp_leaves *l);
/* Of the classes, which count the work and say what is over; e->failed for lack of memory */
void gxp_leaves_make(gxp_leaves *l, gxp_classes *c, gxp_extents *e);

#endif
