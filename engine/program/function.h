/* SPDX-License-Identifier: Apache-2.0 */
/*
 * function.h -- the functions of XPath, XSLT and EXSLT: their numbers, what is on the stack, and what else matters
 * about each
 *
 * Whoever needs to know whether a function is a host step, gives the same value twice or evaluates a string asks
 * gx_function_traits(). Names and arguments are in xpath/functions.c.
 */
#ifndef GX_FUNCTION_H
#define GX_FUNCTION_H

#include "base.h"

/* Functions. The comment is what is on the stack after the compiler's conversions. "STR?" = argument was optional and
 * has been filled in by the compiler (context node), so the count is fixed unless said otherwise. */
typedef enum gx_func {
    GX_F_COUNT = 0, /* SET -> NUM */
    GX_F_SUM, /* SET -> NUM */
    GX_F_ID, /* SET or STR -> SET */
    GX_F_LOCAL_NAME,
    GX_F_NAMESPACE_URI,
    GX_F_NAME, /* SET -> STR */
    GX_F_CONCAT, /* n >= 2 STR -> STR */
    GX_F_STARTS_WITH,
    GX_F_CONTAINS, /* STR STR -> BOOL */
    GX_F_SUBSTRING_BEFORE,
    GX_F_SUBSTRING_AFTER, /* STR STR -> STR */
    GX_F_SUBSTRING_UNTIL, /* STR STR -> STR: substring-before(concat(s, t), t), which is s where t is not in it */
    GX_F_SUBSTRING, /* STR NUM [NUM] -> STR */
    GX_F_STRING_LENGTH, /* STR -> NUM */
    GX_F_NORMALIZE_SPACE, /* STR -> STR */
    GX_F_TRANSLATE, /* STR STR STR -> STR */
    GX_F_NOT, /* BOOL -> BOOL */
    GX_F_LANG, /* STR -> BOOL; uses the context node */
    GX_F_FLOOR,
    GX_F_CEILING,
    GX_F_ROUND, /* NUM -> NUM */
    /* XSLT */
    GX_F_KEY, /* NUM (constant: key name number, an index of the keys' name table) then any value -> SET */
    GX_F_KEY_FIRST,
    GX_F_KEY_COUNT, /* the same, of it the first node; -> NUM, how many. key(...)[1] and
                       count(key(...)) are what grouping does */
    GX_F_KEY_NEAR,
    GX_F_KEY_NEAREST, /* the same, then SET and NUM (constant: an axis) -> SET: of them those on the
                         axis of these nodes; the first in axis order. plan/join.c */
    GX_F_BESIDE, /* SET, SET (one node) and NUM (constant: an axis) -> SET: of the first, siblings and what is
                    below them, those on that axis of the node, and what is below them; or of any nodes and
                    attributes those, and those of nodes, on preceding or following. plan/beside.c */
    GX_F_PLACE, /* SET (one node) and NUM (constant: an axis) -> NUM: the node's place in document order; of an axis
                   that goes on behind it, that of the last node which the axis leaves out. plan/count.c */
    GX_F_DOCUMENT, /* any, STR base uri lit [SET] -> SET. Host step */
    GX_F_FORMAT_NUMBER, /* NUM STR NUM(constant: decimal format index) -> STR */
    GX_F_GENERATE_ID, /* SET -> STR */
    GX_F_UNPARSED_ENTITY_URI, /* STR -> STR */
    /* STR, NUM nslist -> STR/BOOL. Only where the argument is no literal (those fold). Host step */
    GX_F_SYSTEM_PROPERTY,
    GX_F_ELEMENT_AVAILABLE,
    GX_F_FUNCTION_AVAILABLE,
    GX_F_NODE_SET, /* exsl:node-set: RTF, STR or SET -> SET. Host step */
    GX_F_OBJECT_TYPE, /* any -> STR */
    GX_F_ERROR, /* STR -> nothing: calling it is the dynamic error that the sentence says (unknown extension
                   function) */
    GX_N_CORE_FUNCS,
    /* EXSLT; "host": a host step (program/check.c wants GX_P_HOST) */
    GX_F_EXSLT = 64,
    /* SET SET -> SET */
    GX_F_SET_DIFFERENCE = GX_F_EXSLT,
    GX_F_SET_INTERSECTION,
    GX_F_SET_LEADING,
    GX_F_SET_TRAILING,
    GX_F_SET_DISTINCT, /* SET -> SET */
    GX_F_SET_HAS_SAME_NODE, /* SET SET -> BOOL */
    GX_F_MATH_MIN,
    GX_F_MATH_MAX, /* SET -> NUM */
    GX_F_MATH_HIGHEST,
    GX_F_MATH_LOWEST, /* SET -> SET */
    GX_F_MATH_ABS,
    GX_F_MATH_SQRT, /* NUM -> NUM */
    GX_F_MATH_CONSTANT, /* STR NUM -> NUM */
    GX_F_MATH_POWER,
    GX_F_MATH_ATAN2, /* NUM NUM -> NUM. host: libm and a GPU's library need not agree to the bit
                      */
    GX_F_MATH_EXP,
    GX_F_MATH_LOG,
    GX_F_MATH_SIN,
    GX_F_MATH_COS,
    GX_F_MATH_TAN,
    GX_F_MATH_ASIN,
    GX_F_MATH_ACOS,
    GX_F_MATH_ATAN,
    /* NUM -> NUM. host */
    GX_F_MATH_RANDOM, /* -> NUM. host */
    GX_F_STR_CONCAT, /* SET -> STR */
    GX_F_STR_PADDING, /* NUM STR -> STR */
    GX_F_STR_ALIGN, /* STR STR STR -> STR */
    GX_F_STR_ENCODE_URI, /* STR BOOL STR -> STR */
    GX_F_STR_DECODE_URI, /* STR STR -> STR */
    /* host. A tree a row, whose root is the result; the compiler appends child::node(): */
    GX_F_STR_TOKENIZE,
    GX_F_STR_SPLIT, /* STR STR -> SET */
    GX_F_STR_REPLACE, /* STR any any -> SET */
    GX_F_REGEXP_MATCH, /* STR STR STR -> SET */
    GX_F_STR_REPLACED, /* STR STR STR -> STR. str:replace of strings by strings where a string is wanted: no
                          tree. host */
    GX_F_REGEXP_TEST, /* STR STR STR -> BOOL. host */
    GX_F_REGEXP_REPLACE, /* STR STR STR STR -> STR. host */
    /* host. Each with two more: NUM (constant: nslist), STR (constant: the variables in scope, a line each: "hops slot
     * {uri}local") */
    GX_F_DYN_EVALUATE, /* STR -> any */
    GX_F_DYN_MAP,
    GX_F_DYN_CLOSURE, /* SET STR -> SET */
    GX_F_DYN_MIN,
    GX_F_DYN_MAX,
    GX_F_DYN_SUM, /* SET STR -> NUM */
    /* dates and times, STR -> NUM where nothing else is said. Left out, the compiler puts the current time in:
     * DATE_NOW */
    GX_F_DATE = 160,
    GX_F_DATE_YEAR = GX_F_DATE,
    GX_F_DATE_MONTH_IN_YEAR,
    GX_F_DATE_WEEK_IN_YEAR,
    GX_F_DATE_WEEK_IN_MONTH,
    GX_F_DATE_DAY_IN_YEAR,
    GX_F_DATE_DAY_IN_MONTH,
    GX_F_DATE_DAY_OF_WEEK_IN_MONTH,
    GX_F_DATE_DAY_IN_WEEK,
    GX_F_DATE_HOUR_IN_DAY,
    GX_F_DATE_MINUTE_IN_HOUR,
    GX_F_DATE_SECOND_IN_MINUTE,
    GX_F_DATE_SECONDS,
    GX_F_DATE_LEAP_YEAR, /* STR -> BOOL */
    GX_F_DATE_LEAP_YEAR_TEXT, /* STR -> STR: "true", "false" or "NaN", where a string is wanted */
    GX_F_DATE_DATE,
    GX_F_DATE_TIME,
    GX_F_DATE_MONTH_NAME,
    GX_F_DATE_MONTH_ABBREVIATION,
    GX_F_DATE_DAY_NAME,
    GX_F_DATE_DAY_ABBREVIATION,
    /* STR -> STR */
    GX_F_DATE_DURATION, /* NUM -> STR */
    GX_F_DATE_SUM, /* SET -> STR */
    /* STR STR -> STR */
    GX_F_DATE_ADD,
    GX_F_DATE_ADD_DURATION,
    GX_F_DATE_DIFFERENCE,
    GX_F_DATE_FORMAT_DATE,
    GX_F_DATE_PARSE_DATE,
    GX_F_DATE_NOW, /* date:date-time() -> STR. host: one value for an evaluation */
    /* this engine's own, STR STR -> BOOL: machine/word.h */
    GX_F_CONTAINS_WORD,
    GX_F_PHRASE,
} gx_func;

#define GX_F_IS_KEY(func) ((func) >= GX_F_KEY && (func) <= GX_F_KEY_COUNT)

#define GX_FT_HOST 1u           /* a host step: a team asks its process for it, so no GPU evaluates the program */
#define GX_FT_IMPURE \
    2u /* its value may differ though the program, the source and the parameters are the same: such a page has no ETag \
        */
#define GX_FT_FRESH \
    4u /* gives a new tree or number each time: evaluated once while an instruction runs (machine/call.h) */
#define GX_FT_TREES 8u          /* gives a root for each row, whose children are the value */
#define GX_FT_DYNAMIC \
    16u /* evaluates an expression that is a string, which may use all that its place in the stylesheet has */

/* The one table of what functions are like. It has no default: the compiler (-Wswitch) asks for the line of each new
 * function. */
GX_FN u32 gx_function_traits(u32 func)
{
    switch ((gx_func)func) {
    case GX_F_COUNT:
    case GX_F_SUM:
    case GX_F_ID:
    case GX_F_LOCAL_NAME:
    case GX_F_NAMESPACE_URI:
    case GX_F_NAME:
    case GX_F_CONCAT:
    case GX_F_STARTS_WITH:
    case GX_F_CONTAINS:
    case GX_F_SUBSTRING_BEFORE:
    case GX_F_SUBSTRING_AFTER:
    case GX_F_SUBSTRING_UNTIL:
    case GX_F_SUBSTRING:
    case GX_F_STRING_LENGTH:
    case GX_F_NORMALIZE_SPACE:
    case GX_F_TRANSLATE:
    case GX_F_NOT:
    case GX_F_LANG:
    case GX_F_FLOOR:
    case GX_F_CEILING:
    case GX_F_ROUND:
    case GX_F_KEY:
    case GX_F_KEY_FIRST:
    case GX_F_KEY_COUNT:
    case GX_F_KEY_NEAR:
    case GX_F_KEY_NEAREST:
    case GX_F_BESIDE:
    case GX_F_PLACE:
    case GX_F_FORMAT_NUMBER:
    case GX_F_GENERATE_ID:
    case GX_F_UNPARSED_ENTITY_URI:
    case GX_F_OBJECT_TYPE: case GX_F_ERROR: case GX_N_CORE_FUNCS:
        return 0;
    case GX_F_DOCUMENT:                                                 /* reads files that no digest covers */
        return GX_FT_HOST | GX_FT_IMPURE;
    case GX_F_SYSTEM_PROPERTY: case GX_F_ELEMENT_AVAILABLE: case GX_F_FUNCTION_AVAILABLE:
        return GX_FT_HOST;
    case GX_F_NODE_SET:
        return GX_FT_HOST | GX_FT_FRESH;
    case GX_F_SET_DIFFERENCE:
    case GX_F_SET_INTERSECTION:
    case GX_F_SET_LEADING:
    case GX_F_SET_TRAILING:
    case GX_F_SET_DISTINCT:
    case GX_F_SET_HAS_SAME_NODE: case GX_F_MATH_MIN: case GX_F_MATH_MAX: case GX_F_MATH_HIGHEST: case GX_F_MATH_LOWEST:
    case GX_F_MATH_ABS: case GX_F_MATH_SQRT: case GX_F_MATH_CONSTANT:
        return 0;
    case GX_F_MATH_POWER:
    case GX_F_MATH_ATAN2:
    case GX_F_MATH_EXP:
    case GX_F_MATH_LOG:
    case GX_F_MATH_SIN:
    case GX_F_MATH_COS:
    case GX_F_MATH_TAN: case GX_F_MATH_ASIN: case GX_F_MATH_ACOS: case GX_F_MATH_ATAN:
        return GX_FT_HOST;
    case GX_F_MATH_RANDOM:
        return GX_FT_HOST | GX_FT_IMPURE | GX_FT_FRESH;
    case GX_F_STR_CONCAT:
    case GX_F_STR_PADDING:
    case GX_F_STR_ALIGN:
    case GX_F_STR_ENCODE_URI:
    case GX_F_STR_DECODE_URI: return 0;
    case GX_F_STR_TOKENIZE: case GX_F_STR_SPLIT: case GX_F_STR_REPLACE: case GX_F_REGEXP_MATCH:
        return GX_FT_HOST | GX_FT_FRESH | GX_FT_TREES;
    case GX_F_STR_REPLACED: case GX_F_REGEXP_TEST: case GX_F_REGEXP_REPLACE:
        return GX_FT_HOST;
    case GX_F_DYN_EVALUATE:
    case GX_F_DYN_MAP:
    case GX_F_DYN_CLOSURE:
    case GX_F_DYN_MIN:
    case GX_F_DYN_MAX:
    case GX_F_DYN_SUM:
        return GX_FT_HOST | GX_FT_IMPURE | GX_FT_FRESH | GX_FT_DYNAMIC; /* the string may call any of these functions */
    case GX_F_DATE_YEAR: case GX_F_DATE_MONTH_IN_YEAR: case GX_F_DATE_WEEK_IN_YEAR: case GX_F_DATE_WEEK_IN_MONTH:
    case GX_F_DATE_DAY_IN_YEAR:
    case GX_F_DATE_DAY_IN_MONTH:
    case GX_F_DATE_DAY_OF_WEEK_IN_MONTH:
    case GX_F_DATE_DAY_IN_WEEK:
    case GX_F_DATE_HOUR_IN_DAY: case GX_F_DATE_MINUTE_IN_HOUR: case GX_F_DATE_SECOND_IN_MINUTE: case GX_F_DATE_SECONDS:
    case GX_F_DATE_LEAP_YEAR:
    case GX_F_DATE_LEAP_YEAR_TEXT:
    case GX_F_DATE_DATE:
    case GX_F_DATE_TIME:
    case GX_F_DATE_MONTH_NAME:
    case GX_F_DATE_MONTH_ABBREVIATION:
    case GX_F_DATE_DAY_NAME:
    case GX_F_DATE_DAY_ABBREVIATION:
    case GX_F_DATE_DURATION:
    case GX_F_DATE_SUM:
    case GX_F_DATE_ADD:
    case GX_F_DATE_ADD_DURATION:
    case GX_F_DATE_DIFFERENCE:
    case GX_F_DATE_FORMAT_DATE:
    case GX_F_DATE_PARSE_DATE:
    case GX_F_CONTAINS_WORD: case GX_F_PHRASE:
        return 0;
    case GX_F_DATE_NOW:
        return GX_FT_HOST | GX_FT_IMPURE;                               /* one value for an evaluation: not fresh */
    }
    return 0;                                                           /* a number that is no function's */
}

GX_FN int gx_function_is_host(u32 func) { return (gx_function_traits(func) & GX_FT_HOST) != 0; }

#endif
