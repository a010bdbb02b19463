/* SPDX-License-Identifier: Apache-2.0 */
/*
 * functions.c -- the functions: XPath 1.0 section 4, XSLT 1.0 section 12, EXSLT. Their names, arguments and what is
 * known of each
 */
#include <string.h>
#include <apr_strings.h>
#include "program/later.h"
#include "document/names.h"
#include "functions.h"

#define EXSL "http://exslt.org/"

/* of an expression that is not known yet */
#define EVERYTHING (GX_DEP_CONTEXT | GX_DEP_POSITION | GX_DEP_LAST | GX_DEP_LOCAL | GX_DEP_CURRENT)

static const gx_function_def functions[] = {
    { "", "last", GX_CALL_LAST, 0, 0, "", GX_T_NUM, 0, GX_DEP_LAST, NULL },
    { "", "position", GX_CALL_POSITION, 0, 0, "", GX_T_NUM, 0, GX_DEP_POSITION, NULL },
    { "", "count", GX_F_COUNT, 1, 1, "S", GX_T_NUM, 0, 0, NULL },
    { "", "id", GX_F_ID, 1, 1, "v", GX_T_SET, 0, GX_DEP_TREE, NULL },
    { "", "local-name", GX_F_LOCAL_NAME, 0, 1, "S", GX_T_STR, GX_CALL_ON_CONTEXT, 0, NULL },
    { "", "namespace-uri", GX_F_NAMESPACE_URI, 0, 1, "S", GX_T_STR, GX_CALL_ON_CONTEXT, 0, NULL },
    { "", "name", GX_F_NAME, 0, 1, "S", GX_T_STR, GX_CALL_ON_CONTEXT, 0, NULL },
    { "", "string", GX_CALL_STRING, 0, 1, "s", GX_T_STR, GX_CALL_ON_CONTEXT, 0, NULL },
    { "", "concat", GX_F_CONCAT, 2, 255, "s", GX_T_STR, 0, 0, NULL },
    { "", "starts-with", GX_F_STARTS_WITH, 2, 2, "s", GX_T_BOOL, 0, 0, NULL },
    { "", "contains", GX_F_CONTAINS, 2, 2, "s", GX_T_BOOL, 0, 0, NULL },
    { "", "substring-before", GX_F_SUBSTRING_BEFORE, 2, 2, "s", GX_T_STR, 0, 0, NULL },
    /* nobody can write this name */
    { "", "substring-before(concat)", GX_F_SUBSTRING_UNTIL, 2, 2, "s", GX_T_STR, 0, 0, NULL },
    { "", "substring-after", GX_F_SUBSTRING_AFTER, 2, 2, "s", GX_T_STR, 0, 0, NULL },
    { "", "substring", GX_F_SUBSTRING, 2, 3, "sn", GX_T_STR, 0, 0, NULL },
    { "", "string-length", GX_F_STRING_LENGTH, 0, 1, "s", GX_T_NUM, GX_CALL_ON_CONTEXT, 0, NULL },
    { "", "normalize-space", GX_F_NORMALIZE_SPACE, 0, 1, "s", GX_T_STR, GX_CALL_ON_CONTEXT, 0, NULL },
    { "", "translate", GX_F_TRANSLATE, 3, 3, "s", GX_T_STR, 0, 0, NULL },
    { "", "boolean", GX_CALL_BOOLEAN, 1, 1, "b", GX_T_BOOL, 0, 0, NULL },
    { "", "not", GX_F_NOT, 1, 1, "b", GX_T_BOOL, 0, 0, NULL },
    { "", "true", GX_CALL_TRUE, 0, 0, "", GX_T_BOOL, 0, 0, NULL },
    { "", "false", GX_CALL_FALSE, 0, 0, "", GX_T_BOOL, 0, 0, NULL },
    { "", "lang", GX_F_LANG, 1, 1, "s", GX_T_BOOL, 0, GX_DEP_CONTEXT, NULL },
    { "", "number", GX_CALL_NUMBER, 0, 1, "n", GX_T_NUM, GX_CALL_ON_CONTEXT, 0, NULL },
    { "", "sum", GX_F_SUM, 1, 1, "S", GX_T_NUM, 0, 0, NULL },
    { "", "floor", GX_F_FLOOR, 1, 1, "n", GX_T_NUM, 0, 0, NULL },
    { "", "ceiling", GX_F_CEILING, 1, 1, "n", GX_T_NUM, 0, 0, NULL },
    { "", "round", GX_F_ROUND, 1, 1, "n", GX_T_NUM, 0, 0, NULL },
    /* XSLT */
    { "", "document", GX_F_DOCUMENT, 1, 2, "vS", GX_T_SET, 0, 0, NULL },
    { "", "key", GX_F_KEY, 2, 2, "sv", GX_T_SET, 0, GX_DEP_TREE, NULL },
    /* nobody can write these names */
    { "", "key[1]", GX_F_KEY_FIRST, 2, 2, "kv", GX_T_SET, 0, GX_DEP_TREE, NULL },
    { "", "count(key)", GX_F_KEY_COUNT, 2, 2, "kv", GX_T_NUM, 0, GX_DEP_TREE, NULL },
    { "", "axis(key)", GX_F_KEY_AXIS, 4, 4, "kvSn", GX_T_SET, 0, 0, NULL },
    { "", "axis(key)[1]", GX_F_KEY_AXIS_FIRST, 4, 4, "kvSn", GX_T_SET, 0, 0, NULL },
    { "", "format-number", GX_F_FORMAT_NUMBER, 2, 3, "nss", GX_T_STR, 0, 0, NULL },
    { "", "current", GX_CALL_CURRENT, 0, 0, "", GX_T_SET, 0, 0, NULL },
    { "", "unparsed-entity-uri", GX_F_UNPARSED_ENTITY_URI, 1, 1, "s", GX_T_STR, 0, GX_DEP_TREE, NULL },
    { "", "generate-id", GX_F_GENERATE_ID, 0, 1, "S", GX_T_STR, GX_CALL_ON_CONTEXT, 0, NULL },
    { "", "system-property", GX_F_SYSTEM_PROPERTY, 1, 1, "s", GX_T_ANY, 0, 0, NULL },
    { "", "element-available", GX_F_ELEMENT_AVAILABLE, 1, 1, "s", GX_T_BOOL, 0, 0, NULL },
    { "", "function-available", GX_F_FUNCTION_AVAILABLE, 1, 1, "s", GX_T_BOOL, 0, 0, NULL },
    /* EXSLT, and other processors' names for the same */
    { EXSL "common", "node-set", GX_F_NODE_SET, 1, 1, "v", GX_T_SET, 0, 0, NULL },
    { "http://xmlsoft.org/XSLT/namespace", "node-set", GX_F_NODE_SET, 1, 1, "v", GX_T_SET, 0, 0, NULL },
    { "http://xml.apache.org/xalan", "nodeset", GX_F_NODE_SET, 1, 1, "v", GX_T_SET, 0, 0, NULL },
    { "http://icl.com/saxon", "node-set", GX_F_NODE_SET, 1, 1, "v", GX_T_SET, 0, 0, NULL },
    { "urn:schemas-microsoft-com:xslt", "node-set", GX_F_NODE_SET, 1, 1, "v", GX_T_SET, 0, 0, NULL },
    { "http://www.jclark.com/xt", "node-set", GX_F_NODE_SET, 1, 1, "v", GX_T_SET, 0, 0, NULL },
    { EXSL "common", "object-type", GX_F_OBJECT_TYPE, 1, 1, "v", GX_T_STR, 0, 0, NULL },
    { EXSL "sets", "difference", GX_F_SET_DIFFERENCE, 2, 2, "S", GX_T_SET, 0, 0, NULL },
    { EXSL "sets", "intersection", GX_F_SET_INTERSECTION, 2, 2, "S", GX_T_SET, 0, 0, NULL },
    { EXSL "sets", "leading", GX_F_SET_LEADING, 2, 2, "S", GX_T_SET, 0, 0, NULL },
    { EXSL "sets", "trailing", GX_F_SET_TRAILING, 2, 2, "S", GX_T_SET, 0, 0, NULL },
    { EXSL "sets", "distinct", GX_F_SET_DISTINCT, 1, 1, "S", GX_T_SET, 0, 0, NULL },
    { "http://xml.apache.org/xalan", "difference", GX_F_SET_DIFFERENCE, 2, 2, "S", GX_T_SET, 0, 0, NULL },
    { "http://xml.apache.org/xalan", "intersection", GX_F_SET_INTERSECTION, 2, 2, "S", GX_T_SET, 0, 0, NULL },
    { "http://xml.apache.org/xalan", "distinct", GX_F_SET_DISTINCT, 1, 1, "S", GX_T_SET, 0, 0, NULL },
    { EXSL "sets", "has-same-node", GX_F_SET_HAS_SAME_NODE, 2, 2, "S", GX_T_BOOL, 0, 0, NULL },
    { EXSL "math", "min", GX_F_MATH_MIN, 1, 1, "S", GX_T_NUM, 0, 0, NULL },
    { EXSL "math", "max", GX_F_MATH_MAX, 1, 1, "S", GX_T_NUM, 0, 0, NULL },
    { EXSL "math", "highest", GX_F_MATH_HIGHEST, 1, 1, "S", GX_T_SET, 0, 0, NULL },
    { EXSL "math", "lowest", GX_F_MATH_LOWEST, 1, 1, "S", GX_T_SET, 0, 0, NULL },
    { EXSL "math", "abs", GX_F_MATH_ABS, 1, 1, "n", GX_T_NUM, 0, 0, NULL },
    { EXSL "math", "sqrt", GX_F_MATH_SQRT, 1, 1, "n", GX_T_NUM, 0, 0, NULL },
    { EXSL "math", "constant", GX_F_MATH_CONSTANT, 2, 2, "sn", GX_T_NUM, 0, 0, NULL },
    { EXSL "math", "power", GX_F_MATH_POWER, 2, 2, "n", GX_T_NUM, 0, 0, NULL },
    { EXSL "math", "atan2", GX_F_MATH_ATAN2, 2, 2, "n", GX_T_NUM, 0, 0, NULL },
    { EXSL "math", "exp", GX_F_MATH_EXP, 1, 1, "n", GX_T_NUM, 0, 0, NULL },
    { EXSL "math", "log", GX_F_MATH_LOG, 1, 1, "n", GX_T_NUM, 0, 0, NULL },
    { EXSL "math", "sin", GX_F_MATH_SIN, 1, 1, "n", GX_T_NUM, 0, 0, NULL },
    { EXSL "math", "cos", GX_F_MATH_COS, 1, 1, "n", GX_T_NUM, 0, 0, NULL },
    { EXSL "math", "tan", GX_F_MATH_TAN, 1, 1, "n", GX_T_NUM, 0, 0, NULL },
    { EXSL "math", "asin", GX_F_MATH_ASIN, 1, 1, "n", GX_T_NUM, 0, 0, NULL },
    { EXSL "math", "acos", GX_F_MATH_ACOS, 1, 1, "n", GX_T_NUM, 0, 0, NULL },
    { EXSL "math", "atan", GX_F_MATH_ATAN, 1, 1, "n", GX_T_NUM, 0, 0, NULL },
    { EXSL "math", "random", GX_F_MATH_RANDOM, 0, 0, "", GX_T_NUM, 0, GX_DEP_CONTEXT, NULL },
    { EXSL "strings", "concat", GX_F_STR_CONCAT, 1, 1, "S", GX_T_STR, 0, 0, NULL },
    { EXSL "strings", "padding", GX_F_STR_PADDING, 1, 2, "ns", GX_T_STR, 0, 0, " " },
    { EXSL "strings", "align", GX_F_STR_ALIGN, 2, 3, "s", GX_T_STR, 0, 0, "left" },
    { EXSL "strings", "encode-uri", GX_F_STR_ENCODE_URI, 2, 3, "sbs", GX_T_STR, 0, 0, "UTF-8" },
    { EXSL "strings", "decode-uri", GX_F_STR_DECODE_URI, 1, 2, "s", GX_T_STR, 0, 0, "UTF-8" },
    { EXSL "strings", "tokenize", GX_F_STR_TOKENIZE, 1, 2, "s", GX_T_SET, 0, 0, "\t\r\n " },
    { EXSL "strings", "split", GX_F_STR_SPLIT, 1, 2, "s", GX_T_SET, 0, 0, " " },
    { EXSL "strings", "replace", GX_F_STR_REPLACE, 3, 3, "sv", GX_T_SET, 0, 0, NULL },
    /* by no call's name */
    { EXSL "strings", "replace as string", GX_F_STR_REPLACED, 3, 3, "s", GX_T_STR, 0, 0, NULL },
    { EXSL "regular-expressions", "match", GX_F_REGEXP_MATCH, 2, 3, "s", GX_T_SET, 0, 0, "" },
    { EXSL "regular-expressions", "test", GX_F_REGEXP_TEST, 2, 3, "s", GX_T_BOOL, 0, 0, "" },
    { EXSL "regular-expressions", "replace", GX_F_REGEXP_REPLACE, 4, 4, "s", GX_T_STR, 0, 0, NULL },
    { EXSL "dynamic", "evaluate", GX_F_DYN_EVALUATE, 1, 1, "sls", GX_T_ANY, 0, EVERYTHING, NULL },
    { "http://icl.com/saxon", "evaluate", GX_F_DYN_EVALUATE, 1, 1, "sls", GX_T_ANY, 0, EVERYTHING, NULL },
    { "http://xml.apache.org/xalan", "evaluate", GX_F_DYN_EVALUATE, 1, 1, "sls", GX_T_ANY, 0, EVERYTHING, NULL },
    { EXSL "dynamic", "map", GX_F_DYN_MAP, 2, 2, "Ssls", GX_T_SET, 0, EVERYTHING, NULL },
    { EXSL "dynamic", "closure", GX_F_DYN_CLOSURE, 2, 2, "Ssls", GX_T_SET, 0, EVERYTHING, NULL },
    { EXSL "dynamic", "min", GX_F_DYN_MIN, 2, 2, "Ssls", GX_T_NUM, 0, EVERYTHING, NULL },
    { EXSL "dynamic", "max", GX_F_DYN_MAX, 2, 2, "Ssls", GX_T_NUM, 0, EVERYTHING, NULL },
    { EXSL "dynamic", "sum", GX_F_DYN_SUM, 2, 2, "Ssls", GX_T_NUM, 0, EVERYTHING, NULL },
    { EXSL "dates-and-times", "year", GX_F_DATE_YEAR, 0, 1, "s", GX_T_NUM, GX_CALL_ON_NOW, 0, NULL },
    { EXSL "dates-and-times", "month-in-year", GX_F_DATE_MONTH_IN_YEAR, 0, 1, "s", GX_T_NUM, GX_CALL_ON_NOW, 0, NULL },
    { EXSL "dates-and-times", "week-in-year", GX_F_DATE_WEEK_IN_YEAR, 0, 1, "s", GX_T_NUM, GX_CALL_ON_NOW, 0, NULL },
    { EXSL "dates-and-times", "week-in-month", GX_F_DATE_WEEK_IN_MONTH, 0, 1, "s", GX_T_NUM, GX_CALL_ON_NOW, 0, NULL },
    { EXSL "dates-and-times", "day-in-year", GX_F_DATE_DAY_IN_YEAR, 0, 1, "s", GX_T_NUM, GX_CALL_ON_NOW, 0, NULL },
    { EXSL "dates-and-times", "day-in-month", GX_F_DATE_DAY_IN_MONTH, 0, 1, "s", GX_T_NUM, GX_CALL_ON_NOW, 0, NULL },
    { EXSL "dates-and-times", "day-of-week-in-month", GX_F_DATE_DAY_OF_WEEK_IN_MONTH, 0, 1, "s", GX_T_NUM,
      GX_CALL_ON_NOW, 0, NULL },
    { EXSL "dates-and-times", "day-in-week", GX_F_DATE_DAY_IN_WEEK, 0, 1, "s", GX_T_NUM, GX_CALL_ON_NOW, 0, NULL },
    { EXSL "dates-and-times", "hour-in-day", GX_F_DATE_HOUR_IN_DAY, 0, 1, "s", GX_T_NUM, GX_CALL_ON_NOW, 0, NULL },
    { EXSL "dates-and-times", "minute-in-hour", GX_F_DATE_MINUTE_IN_HOUR, 0, 1, "s", GX_T_NUM, GX_CALL_ON_NOW, 0,
      NULL },
    { EXSL "dates-and-times", "second-in-minute", GX_F_DATE_SECOND_IN_MINUTE, 0, 1, "s", GX_T_NUM, GX_CALL_ON_NOW, 0,
      NULL },
    { EXSL "dates-and-times", "seconds", GX_F_DATE_SECONDS, 0, 1, "s", GX_T_NUM, GX_CALL_ON_NOW, 0, NULL },
    { EXSL "dates-and-times", "leap-year", GX_F_DATE_LEAP_YEAR, 0, 1, "s", GX_T_BOOL, GX_CALL_ON_NOW, 0, NULL },
    /* gx_plan_string_of_call */
    { EXSL "dates-and-times", "leap-year", GX_F_DATE_LEAP_YEAR_TEXT, 0, 1, "s", GX_T_STR, GX_CALL_ON_NOW, 0, NULL },
    { EXSL "dates-and-times", "date", GX_F_DATE_DATE, 0, 1, "s", GX_T_STR, GX_CALL_ON_NOW, 0, NULL },
    { EXSL "dates-and-times", "time", GX_F_DATE_TIME, 0, 1, "s", GX_T_STR, GX_CALL_ON_NOW, 0, NULL },
    { EXSL "dates-and-times", "month-name", GX_F_DATE_MONTH_NAME, 0, 1, "s", GX_T_STR, GX_CALL_ON_NOW, 0, NULL },
    { EXSL "dates-and-times", "month-abbreviation", GX_F_DATE_MONTH_ABBREVIATION, 0, 1, "s", GX_T_STR, GX_CALL_ON_NOW,
      0, NULL },
    { EXSL "dates-and-times", "day-name", GX_F_DATE_DAY_NAME, 0, 1, "s", GX_T_STR, GX_CALL_ON_NOW, 0, NULL },
    { EXSL "dates-and-times", "day-abbreviation", GX_F_DATE_DAY_ABBREVIATION, 0, 1, "s", GX_T_STR, GX_CALL_ON_NOW, 0,
      NULL },
    { EXSL "dates-and-times", "duration", GX_F_DATE_DURATION, 0, 1, "n", GX_T_STR, GX_CALL_ON_NOW, 0, NULL },
    { EXSL "dates-and-times", "sum", GX_F_DATE_SUM, 1, 1, "S", GX_T_STR, 0, 0, NULL },
    { EXSL "dates-and-times", "add", GX_F_DATE_ADD, 2, 2, "s", GX_T_STR, 0, 0, NULL },
    { EXSL "dates-and-times", "add-duration", GX_F_DATE_ADD_DURATION, 2, 2, "s", GX_T_STR, 0, 0, NULL },
    { EXSL "dates-and-times", "difference", GX_F_DATE_DIFFERENCE, 2, 2, "s", GX_T_STR, 0, 0, NULL },
    { EXSL "dates-and-times", "format-date", GX_F_DATE_FORMAT_DATE, 2, 2, "s", GX_T_STR, 0, 0, NULL },
    { EXSL "dates-and-times", "parse-date", GX_F_DATE_PARSE_DATE, 2, 2, "s", GX_T_STR, 0, 0, NULL },
    { EXSL "dates-and-times", "date-time", GX_F_DATE_NOW, 0, 0, "", GX_T_STR, 0, 0, NULL },
    { GX_VENDOR_URI, "contains-word", GX_F_CONTAINS_WORD, 2, 2, "s", GX_T_BOOL, 0, 0, NULL },
    { GX_VENDOR_URI, "phrase", GX_F_PHRASE, 2, 2, "s", GX_T_BOOL, 0, 0, NULL },
    { GX_VENDOR_URI, "score", GX_F_SCORE, 2, 3, "s", GX_T_NUM, 0, 0, "" },
    { GX_VENDOR_URI, "twig", GX_CALL_TWIG, 1, 1, "S", GX_T_SET, 0, 0, NULL },
};

const gx_function_def *gx_function_find(const char *uri, const char *local)
{
    for (u32 i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, local) && !strcmp(functions[i].uri, uri))
            return &functions[i];
    return NULL;
}

const char *gx_function_name(u32 func, const char **module)
{
    *module = "";
    for (u32 i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].func == func && func < GX_N_FUNCS) {
            const int is_exslt = !strncmp(functions[i].uri, EXSL, strlen(EXSL));
            *module = is_exslt ? functions[i].uri + strlen(EXSL) : *functions[i].uri ? "gx" : "";
            return functions[i].name;
        }
    return func == GX_F_ERROR ? "error" : func == GX_F_AXIS_RANGE ? "axis-range" : func == GX_F_PLACE ? "place"
        : func == GX_F_SUM_UNORDERED ? "sum-unordered" : func == GX_F_LEAST_ADDEND ? "least-addend"
        : func == GX_F_LEAST_FACTOR ? "least-factor" : func == GX_F_GREATEST_FACTOR ? "greatest-factor"
        : func == GX_F_RECIPROCAL_PLACE ? "reciprocal-place" : func == GX_F_NOT_LESS ? "not-less"
        : func == GX_F_SUM_END ? "sum-end" : func == GX_F_LETTERS ? "letters"
        : func == GX_F_FIRST_UNORDERED ? "first-unordered" : func == GX_F_LAST_UNORDERED ? "last-unordered" : "?";
}

u32 gx_function_deps(u32 func)
{
    for (u32 i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].func == func)
            return functions[i].deps;
    return func == GX_F_ERROR ? GX_DEP_CONTEXT : 0;     /* an error depends on the context, so that no lifting makes it
                                                           come earlier */
}

const char *gx_function_near(const char *uri, const char *local)
{
    for (u32 i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].uri, uri) && gx_name_near(local, functions[i].name))
            return functions[i].name;
    return NULL;
}

const char *gx_xpath_system_property(const char *uri, const char *local, const char *vendor, const char *vendor_url)
{
    return strcmp(uri, GX_XSLT_URI) ? "" : !strcmp(local, "version") ? "1" : !strcmp(local, "vendor") ? vendor
         : !strcmp(local, "vendor-url") ? vendor_url : "";
}

/* Some of the table's names are none that anybody can write. */
int gx_xpath_function_available(const char *uri, const char *local)
{
    return gx_is_ncname(local, (u32)strlen(local)) && gx_function_find(uri, local);
}
