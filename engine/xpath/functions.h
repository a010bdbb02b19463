/* SPDX-License-Identifier: Apache-2.0 */
/*
 * functions.h -- inside the XPath compiler: the table of functions
 */
#ifndef GX_FUNCTIONS_H
#define GX_FUNCTIONS_H

#include "xpath.h"

/* The namespace of functions that are this engine's own */
#define GX_VENDOR_URI "urn:gpuxml"

/* Names beside gx_func for calls that become an operator instead. */
enum {
    GX_CALL_LAST = GX_N_FUNCS,
    GX_CALL_POSITION,
    GX_CALL_STRING,
    GX_CALL_BOOLEAN,
    GX_CALL_NUMBER,
    GX_CALL_TRUE,
    GX_CALL_FALSE,
    GX_CALL_CURRENT,
    GX_CALL_TWIG                /* its argument's syntax is rewritten: plan/distinct.c */
};

/* args: one letter an argument, the last one repeated: S node-set, s string, n number, b boolean, v any value. max 255:
 * no limit but the parser's. context: what the argument left out is, the context node or date:date-time(). absent: the
 * last argument, a string, where it is left out. What else is known of a function stands in program/functions.def. */
enum { GX_CALL_ON_CONTEXT = 1, GX_CALL_ON_NOW };

typedef struct gx_function_def {
    const char *uri, *name;
    u8 func, min, max;
    const char *args;
    u8 type;
    u8 context;
    u8 deps;
    const char *absent;
} gx_function_def;

/* NULL: there is none of that expanded name */
const gx_function_def *gx_function_find(const char *uri, const char *local);
/* The name of one whose name is nearly `local`, NULL */
const char *gx_function_near(const char *uri, const char *local);

#endif
