/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.h -- values that profiles compare: equal strings in a hash table, numbers between sorted bounds
 *
 * A group is what is compared: an attribute by name, the string-value of elements by name test, any text node child.
 * An atom is a group, an operator and a constant. Texts are found in one table by (group, bytes). A group's numbers are
 * sorted; a number's position among them says which comparisons it passes:
 *
 *   bounds          10       20              position 0 1  2  3  4
 *   numbers      3  10  15   20   99                  < =  <  =  <     of 10, 20
 *
 *   < b_i: position <= 2i     <= b_i: <= 2i + 1     = b_i: 2i + 1     >= b_i: >= 2i + 1     > b_i: >= 2i + 2
 */
#ifndef GXP_VALUE_H
#define GXP_VALUE_H

#include "document/buf.h"

enum { GXP_OF_ATTR, GXP_OF_SELF, GXP_OF_TEXT };
enum { GXP_HAS, GXP_EQ, GXP_STARTS, GXP_CONTAINS, GXP_NUM_EQ, GXP_LT, GXP_LE, GXP_GT, GXP_GE };

typedef struct gxp_atom {
    u32 group;
    u32 op;
    u32 text, len;      /* EQ, STARTS, CONTAINS: a slice of strs */
    double num;         /* the others, after HAS */
} gxp_atom;

typedef struct gxp_group {
    u32 source;
    u32 name;           /* its test */
    u32 has;            /* the atom that there is such a value, or GX_NONE */
    u32 longest;        /* of the texts for EQ; 0: none, or only "" */
    u32 n_eq;           /* texts for EQ */
    u32 parts, n_parts; /* STARTS and CONTAINS: atoms, in `lists` */
    u32 bounds, n_bounds;           /* in `bounds`, ascending; positions first_position .. + 2 * n_bounds */
    u32 first_position;
    u32 equals;         /* of each bound the atom NUM_EQ, or GX_NONE: in `lists` */
    u32 below, n_below; /* LT and LE atoms by their last position, GT and GE by their first: pairs in `lists` */
    u32 above, n_above;
} gxp_group;

typedef struct gxp_values {
    gx_buf groups, atoms, strs;
    gx_buf index;               /* hash table of atoms + 1 by (group, op, constant) */
    gx_buf lists;               /* u32 */
    gx_buf bounds;              /* double */
    u32 n_positions;
    u64 seed;
} gxp_values;

static inline gxp_atom *gxp_atom_at(const gxp_values *v, u32 i) { return GX_BUF_AT(&v->atoms, gxp_atom) + i; }
static inline gxp_group *gxp_group_at(const gxp_values *v, u32 i) { return GX_BUF_AT(&v->groups, gxp_group) + i; }

/* Numbers; GX_NONE without memory. */
u32 gxp_group_add(gxp_values *v, u32 source, u32 name);
u32 gxp_atom_of(gxp_values *v, u32 group, u32 op, const char *text, u32 len, double num);
/* The atom of a group that is equal to a text; GX_NONE: no profile asks for it. */
u32 gxp_atom_find(const gxp_values *v, u32 group, const char *text, u32 len);
/* Lists and bounds of all groups, when all atoms are there. 0, or -1 without memory. */
int gxp_values_finish(gxp_values *v);
/* The position of a number, which is not NaN, among a group's bounds */
u32 gxp_position(const gxp_values *v, const gxp_group *g, double num);
void gxp_values_free(gxp_values *v);

#endif
