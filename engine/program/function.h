/* SPDX-License-Identifier: Apache-2.0 */
/*
 * function.h -- the functions of XPath, XSLT and EXSLT: their numbers, what is on the stack, and what else matters
 * about each
 *
 * functions.def lists them. Names, and the arguments of a call as it is written, are in xpath/functions.c.
 */
#ifndef GX_FUNCTION_H
#define GX_FUNCTION_H

#include "base.h"

typedef enum gx_func {
#define FUNCTION(name, args, least, most, type, traits) GX_F_##name,
#include "program/functions.def"
#undef FUNCTION
    GX_N_FUNCS
} gx_func;
#define GX_F_EXSLT GX_F_SET_DIFFERENCE  /* the first that machine/extension.h evaluates */

#define GX_F_IS_KEY(func) ((func) >= GX_F_KEY && (func) <= GX_F_KEY_COUNT)

/* Traits. HOST: a host step: a team asks its process for it, so no GPU evaluates the program (program/check.c wants
 * GX_P_HOST). IMPURE: its value may differ though the program, the source and the parameters are the same: such a page
 * has no ETag. FRESH: gives a new tree or number each time: evaluated once while an instruction runs (machine/call.h).
 * TREES: gives a root for each row, whose children are the value. DYNAMIC: evaluates an expression that is a string,
 * which may use all that its place in the stylesheet has. */
#define GX_FT_HOST 1u
#define GX_FT_IMPURE 2u
#define GX_FT_FRESH 4u
#define GX_FT_TREES 8u
#define GX_FT_DYNAMIC 16u

/* 0 where the number is no function's */
GX_FN u32 gx_function_traits(u32 func)
{
    switch (func) {
#define FUNCTION(name, args, least, most, type, traits) case GX_F_##name: return traits;
#include "program/functions.def"
#undef FUNCTION
    default: return 0;
    }
}

GX_FN int gx_function_is_host(u32 func) { return (gx_function_traits(func) & GX_FT_HOST) != 0; }

/* Its arguments' letters, as functions.def has them; "" where the number is no function's */
GX_FN const char *gx_function_args(u32 func)
{
    switch (func) {
#define FUNCTION(name, args, least, most, type, traits) case GX_F_##name: return args;
#include "program/functions.def"
#undef FUNCTION
    default: return "";
    }
}

#endif
