/* SPDX-License-Identifier: Apache-2.0 */
/* run.h -- what is known of the last document that was matched: for explain.c */
#ifndef GXP_RUN_H
#define GXP_RUN_H

#include "set.h"

const gxp_set *gxp_set_of(const gxp_matcher *m);
int gxp_holds(const gxp_matcher *m, u32 formula);   /* for some element */
int gxp_matched(const gxp_matcher *m, u32 profile);

#endif
