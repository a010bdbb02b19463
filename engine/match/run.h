/* SPDX-License-Identifier: Apache-2.0 */
/* run.h -- what is known of the last document that was matched: for explain.c */
#ifndef GXP_RUN_H
#define GXP_RUN_H

#include "set.h"

const gxp_set *gxp_set_of(const gxp_matcher *m);
int gxp_holds(const gxp_matcher *m, u32 formula);   /* for some element */
int gxp_matched(const gxp_matcher *m, u32 profile);
/* Of each operation of a code up to GXP_CODE_END: whether it leaves anything */
void gxp_code_holds(gxp_matcher *m, const u32 *code, u8 *yes);

/* As on a CPU without AVX2, and as if there were many profiles for each class */
void gxp_matcher_plain(gxp_matcher *m);

#endif
