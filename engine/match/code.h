/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code.h -- the part of a profile that it has for itself, as code that a stack machine runs
 *
 * A formula is private if one profile alone needs it, in one place, neither negated nor in an OR. Of 100,000 profiles
 * with 15 steps nineteen of twenty are. The others are shared, and evaluated once for all (run.c). A private formula
 * must hold if its profile is to match; so must the shared ones that it is made of. Unless all of these hold somewhere,
 * nothing of the code runs:
 *
 *   how << 30 | profile
 *   the number of shared formulas that must hold, and these
 *   operations, of which each leaves an extent on the stack: if that is empty the profile does not match
 *   GXP_CODE_END
 *
 *   //a[@k = 'v']/b[not(c)]//d     LOAD (d)  EDGE (b below)  BUT (b child c)  EDGE (a child)  MEET (k = 'v')  END
 *
 * The code of a profile is entered from one of its shared formulas, the one of the highest number (a late rank is the
 * least likely to hold). How it starts is known apart from it (gxp_start): two of three codes end there. Cost: 4 bytes
 * for each operation, no more for each formula, and 12 for a profile.
 */
#ifndef GXP_CODE_H
#define GXP_CODE_H

#include "formula.h"

/* Formulas that are private: is_private[i] = 1. Those whose code would need a deeper stack than GXP_CODE_DEPTH are not.
 * refs: of profiles; number: GX_NONE of those that nobody needs, and of private ones afterwards. Their count */
u32 gxp_find_private(const gxp_formulas *f, const u32 *refs, u32 n_refs, u32 *number, u8 *is_private);

typedef struct gxp_coder {
    const gxp_formulas *f;
    const u32 *number;
    const u8 *is_private;
    gx_buf code, needed;
    u32 depth, deepest;         /* of the stack */
    u32 no_memory;
} gxp_coder;

/* The code of a private formula, behind what there is: where it begins. head: its first word; *entry: the shared
 * formula, by its number in the set, from which it is entered */
u32 gxp_code_of(gxp_coder *c, u32 formula, u32 head, u32 *entry);

#endif
