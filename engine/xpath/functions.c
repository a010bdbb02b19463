/*
 * functions.c -- function calls: XPath 1.0 section 4, XSLT 1.0 section 12, EXSLT
 *
 * A call becomes exactly what gx_func says stands on the stack: arguments converted, optional ones filled in, names of keys and
 * decimal formats resolved to their numbers, what can be known now folded.
 *
 * A function that does not exist is an error only when it is called (XSLT 1.0, 14 and 2.5): a call of GX_F_ERROR. Of one without a prefix the
 * compiler warns (XPath's own library is closed), as of a wrong number of arguments.
 *
 * Names that are known only when the expression runs are handed on as strings, with the namespaces in scope:
 *   key(expr, v)                KEY/3               STR value NUM nslist
 *   format-number(n, p, expr)   FORMAT_NUMBER/4     NUM STR STR NUM nslist
 */
#include <string.h>
#include <apr_strings.h>
#include "program/later.h"
#include "document/names.h"
#include "xpath.h"

#define EXSL "http://exslt.org/"

/* Names beside gx_func for calls that become an operator instead. */
enum { LAST = GX_N_CORE_FUNCS, POSITION, STRING, BOOLEAN, NUMBER, TRUE_, FALSE_, CURRENT };

/* args: one letter an argument, the last one repeated: S node-set, s string, n number, b boolean, v any value.
 * max 255: no limit but the parser's. context: what the argument left out is, the context node or date:date-time(). absent: the last
 * argument, a string, where it is left out. What else is known of a function stands in program/function.h. */
enum { CONTEXT = 1, NOW };

typedef struct function {
    const char *uri, *name;
    u8 func, min, max;
    const char *args;
    u8 type;
    u8 context;
    u8 deps;
    const char *absent;
} function;

/* of an expression that is not known yet */
#define EVERYTHING (GX_DEP_CONTEXT | GX_DEP_POSITION | GX_DEP_LAST | GX_DEP_LOCAL | GX_DEP_CURRENT)

static const function functions[] = {
    { "", "last",                LAST, 0, 0, "", GX_T_NUM, 0, GX_DEP_LAST, NULL },
    { "", "position",            POSITION, 0, 0, "", GX_T_NUM, 0, GX_DEP_POSITION, NULL },
    { "", "count",               GX_F_COUNT, 1, 1, "S", GX_T_NUM, 0, 0, NULL },
    { "", "id",                  GX_F_ID, 1, 1, "v", GX_T_SET, 0, GX_DEP_TREE, NULL },
    { "", "local-name",          GX_F_LOCAL_NAME, 0, 1, "S", GX_T_STR, CONTEXT, 0, NULL },
    { "", "namespace-uri",       GX_F_NAMESPACE_URI, 0, 1, "S", GX_T_STR, CONTEXT, 0, NULL },
    { "", "name",                GX_F_NAME, 0, 1, "S", GX_T_STR, CONTEXT, 0, NULL },
    { "", "string",              STRING, 0, 1, "s", GX_T_STR, CONTEXT, 0, NULL },
    { "", "concat",              GX_F_CONCAT, 2, 255, "s", GX_T_STR, 0, 0, NULL },
    { "", "starts-with",         GX_F_STARTS_WITH, 2, 2, "s", GX_T_BOOL, 0, 0, NULL },
    { "", "contains",            GX_F_CONTAINS, 2, 2, "s", GX_T_BOOL, 0, 0, NULL },
    { "", "substring-before",    GX_F_SUBSTRING_BEFORE, 2, 2, "s", GX_T_STR, 0, 0, NULL },
    { "", "substring-before(concat)", GX_F_SUBSTRING_UNTIL, 2, 2, "s", GX_T_STR, 0, 0, NULL },      /* nobody can write this name */
    { "", "substring-after",     GX_F_SUBSTRING_AFTER, 2, 2, "s", GX_T_STR, 0, 0, NULL },
    { "", "substring",           GX_F_SUBSTRING, 2, 3, "sn", GX_T_STR, 0, 0, NULL },
    { "", "string-length",       GX_F_STRING_LENGTH, 0, 1, "s", GX_T_NUM, CONTEXT, 0, NULL },
    { "", "normalize-space",     GX_F_NORMALIZE_SPACE, 0, 1, "s", GX_T_STR, CONTEXT, 0, NULL },
    { "", "translate",           GX_F_TRANSLATE, 3, 3, "s", GX_T_STR, 0, 0, NULL },
    { "", "boolean",             BOOLEAN, 1, 1, "b", GX_T_BOOL, 0, 0, NULL },
    { "", "not",                 GX_F_NOT, 1, 1, "b", GX_T_BOOL, 0, 0, NULL },
    { "", "true",                TRUE_, 0, 0, "", GX_T_BOOL, 0, 0, NULL },
    { "", "false",               FALSE_, 0, 0, "", GX_T_BOOL, 0, 0, NULL },
    { "", "lang",                GX_F_LANG, 1, 1, "s", GX_T_BOOL, 0, GX_DEP_CONTEXT, NULL },
    { "", "number",              NUMBER, 0, 1, "n", GX_T_NUM, CONTEXT, 0, NULL },
    { "", "sum",                 GX_F_SUM, 1, 1, "S", GX_T_NUM, 0, 0, NULL },
    { "", "floor",               GX_F_FLOOR, 1, 1, "n", GX_T_NUM, 0, 0, NULL },
    { "", "ceiling",             GX_F_CEILING, 1, 1, "n", GX_T_NUM, 0, 0, NULL },
    { "", "round",               GX_F_ROUND, 1, 1, "n", GX_T_NUM, 0, 0, NULL },
    /* XSLT */
    { "", "document",            GX_F_DOCUMENT, 1, 2, "vS", GX_T_SET, 0, 0, NULL },
    { "", "key",                 GX_F_KEY, 2, 2, "sv", GX_T_SET, 0, GX_DEP_TREE, NULL },
    { "", "key[1]",              GX_F_KEY_FIRST, 2, 2, "kv", GX_T_SET, 0, GX_DEP_TREE, NULL },      /* nobody can write these names */
    { "", "count(key)",          GX_F_KEY_COUNT, 2, 2, "kv", GX_T_NUM, 0, GX_DEP_TREE, NULL },
    { "", "axis(key)",           GX_F_KEY_NEAR, 4, 4, "kvSn", GX_T_SET, 0, 0, NULL },
    { "", "axis(key)[1]",        GX_F_KEY_NEAREST, 4, 4, "kvSn", GX_T_SET, 0, 0, NULL },
    { "", "format-number",       GX_F_FORMAT_NUMBER, 2, 3, "nss", GX_T_STR, 0, 0, NULL },
    { "", "current",             CURRENT, 0, 0, "", GX_T_SET, 0, 0, NULL },
    { "", "unparsed-entity-uri", GX_F_UNPARSED_ENTITY_URI, 1, 1, "s", GX_T_STR, 0, GX_DEP_TREE, NULL },
    { "", "generate-id",         GX_F_GENERATE_ID, 0, 1, "S", GX_T_STR, CONTEXT, 0, NULL },
    { "", "system-property",     GX_F_SYSTEM_PROPERTY, 1, 1, "s", GX_T_ANY, 0, 0, NULL },
    { "", "element-available",   GX_F_ELEMENT_AVAILABLE, 1, 1, "s", GX_T_BOOL, 0, 0, NULL },
    { "", "function-available",  GX_F_FUNCTION_AVAILABLE, 1, 1, "s", GX_T_BOOL, 0, 0, NULL },
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
    { EXSL "strings", "replace as string", GX_F_STR_REPLACED, 3, 3, "s", GX_T_STR, 0, 0, NULL },     /* by no call's name */
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
    { EXSL "dates-and-times", "year", GX_F_DATE_YEAR, 0, 1, "s", GX_T_NUM, NOW, 0, NULL },
    { EXSL "dates-and-times", "month-in-year", GX_F_DATE_MONTH_IN_YEAR, 0, 1, "s", GX_T_NUM, NOW, 0, NULL },
    { EXSL "dates-and-times", "week-in-year", GX_F_DATE_WEEK_IN_YEAR, 0, 1, "s", GX_T_NUM, NOW, 0, NULL },
    { EXSL "dates-and-times", "week-in-month", GX_F_DATE_WEEK_IN_MONTH, 0, 1, "s", GX_T_NUM, NOW, 0, NULL },
    { EXSL "dates-and-times", "day-in-year", GX_F_DATE_DAY_IN_YEAR, 0, 1, "s", GX_T_NUM, NOW, 0, NULL },
    { EXSL "dates-and-times", "day-in-month", GX_F_DATE_DAY_IN_MONTH, 0, 1, "s", GX_T_NUM, NOW, 0, NULL },
    { EXSL "dates-and-times", "day-of-week-in-month", GX_F_DATE_DAY_OF_WEEK_IN_MONTH, 0, 1, "s", GX_T_NUM, NOW, 0, NULL },
    { EXSL "dates-and-times", "day-in-week", GX_F_DATE_DAY_IN_WEEK, 0, 1, "s", GX_T_NUM, NOW, 0, NULL },
    { EXSL "dates-and-times", "hour-in-day", GX_F_DATE_HOUR_IN_DAY, 0, 1, "s", GX_T_NUM, NOW, 0, NULL },
    { EXSL "dates-and-times", "minute-in-hour", GX_F_DATE_MINUTE_IN_HOUR, 0, 1, "s", GX_T_NUM, NOW, 0, NULL },
    { EXSL "dates-and-times", "second-in-minute", GX_F_DATE_SECOND_IN_MINUTE, 0, 1, "s", GX_T_NUM, NOW, 0, NULL },
    { EXSL "dates-and-times", "seconds", GX_F_DATE_SECONDS, 0, 1, "s", GX_T_NUM, NOW, 0, NULL },
    { EXSL "dates-and-times", "leap-year", GX_F_DATE_LEAP_YEAR, 0, 1, "s", GX_T_BOOL, NOW, 0, NULL },
    { EXSL "dates-and-times", "leap-year", GX_F_DATE_LEAP_YEAR_TEXT, 0, 1, "s", GX_T_STR, NOW, 0, NULL },     /* gx_xnode_string_of_call */
    { EXSL "dates-and-times", "date", GX_F_DATE_DATE, 0, 1, "s", GX_T_STR, NOW, 0, NULL },
    { EXSL "dates-and-times", "time", GX_F_DATE_TIME, 0, 1, "s", GX_T_STR, NOW, 0, NULL },
    { EXSL "dates-and-times", "month-name", GX_F_DATE_MONTH_NAME, 0, 1, "s", GX_T_STR, NOW, 0, NULL },
    { EXSL "dates-and-times", "month-abbreviation", GX_F_DATE_MONTH_ABBREVIATION, 0, 1, "s", GX_T_STR, NOW, 0, NULL },
    { EXSL "dates-and-times", "day-name", GX_F_DATE_DAY_NAME, 0, 1, "s", GX_T_STR, NOW, 0, NULL },
    { EXSL "dates-and-times", "day-abbreviation", GX_F_DATE_DAY_ABBREVIATION, 0, 1, "s", GX_T_STR, NOW, 0, NULL },
    { EXSL "dates-and-times", "duration", GX_F_DATE_DURATION, 0, 1, "n", GX_T_STR, NOW, 0, NULL },
    { EXSL "dates-and-times", "sum", GX_F_DATE_SUM, 1, 1, "S", GX_T_STR, 0, 0, NULL },
    { EXSL "dates-and-times", "add", GX_F_DATE_ADD, 2, 2, "s", GX_T_STR, 0, 0, NULL },
    { EXSL "dates-and-times", "add-duration", GX_F_DATE_ADD_DURATION, 2, 2, "s", GX_T_STR, 0, 0, NULL },
    { EXSL "dates-and-times", "difference", GX_F_DATE_DIFFERENCE, 2, 2, "s", GX_T_STR, 0, 0, NULL },
    { EXSL "dates-and-times", "format-date", GX_F_DATE_FORMAT_DATE, 2, 2, "s", GX_T_STR, 0, 0, NULL },
    { EXSL "dates-and-times", "parse-date", GX_F_DATE_PARSE_DATE, 2, 2, "s", GX_T_STR, 0, 0, NULL },
    { EXSL "dates-and-times", "date-time", GX_F_DATE_NOW, 0, 0, "", GX_T_STR, 0, 0, NULL },
};

static const function *find(const char *uri, const char *local)
{
    for (u32 i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, local) && !strcmp(functions[i].uri, uri))
            return &functions[i];
    return NULL;
}

const char *gx_function_signature(u32 func, u32 n, u8 *type, int *host)
{
    for (u32 i = 0; i < sizeof functions / sizeof *functions; i++) {
        const function *f = &functions[i];
        if (f->func != func || func < GX_F_EXSLT)
            continue;
        *type = f->type;
        *host = gx_function_is_host(func);
        if (gx_function_traits(func) & GX_FT_DYNAMIC)
            return n == f->max + 3u ? f->args : NULL;
        return n == f->max || (n >= f->min && n < f->max && !f->absent && !f->context) ? f->args : NULL;
    }
    return NULL;
}

const char *gx_function_name(u32 func, const char **module)
{
    *module = "";
    for (u32 i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].func == func && (func < GX_N_CORE_FUNCS || func >= GX_F_EXSLT)) {
            *module = *functions[i].uri ? functions[i].uri + strlen(EXSL) : "";
            return functions[i].name;
        }
    return func == GX_F_ERROR ? "error" : func == GX_F_BESIDE ? "beside" : "?";
}

static gx_xnode *func(gx_xparse *p, u32 id, u32 type, u32 at)
{
    gx_xnode *node = gx_xnode_make(p, GX_X_FUNC, type, at);
    node->a = (u16)id;
    node->heavy = 1;
    node->hosted = gx_function_is_host(id);
    node->wide = id == GX_F_KEY || id == GX_F_ID ? GX_XW_WIDE : 0;
    return node;
}

static void add(gx_xnode *call, gx_xnode *arg)
{
    gx_xnode_adopt(call, arg);
    call->b++;
}

/* The argument left out of a date function: date:date-time(), or its seconds where a number is wanted */
static gx_xnode *now(gx_xparse *p, const function *f, u32 at)
{
    gx_xnode *time = func(p, GX_F_DATE_NOW, GX_T_STR, at);
    if (*f->args != 'n')
        return time;
    gx_xnode *seconds = func(p, GX_F_DATE_SECONDS, GX_T_NUM, at);
    add(seconds, time);
    return seconds;
}

/* An error for when the call is reached. It depends on the context, so that no lifting makes it come earlier. */
static gx_xnode *error_call(gx_xparse *p, u32 at, const char *sentence)
{
    gx_xnode *node = func(p, GX_F_ERROR, GX_T_ANY, at);
    node->deps = GX_DEP_CONTEXT;
    node->heavy = 0;
    node->fails = 1;
    add(node, gx_xnode_str(p, sentence, at));
    return node;
}

/* A call that cannot be made, or a variable that is not there: "a variable reference evaluates to the value", and it is an error if there is
 * none (XPath 3.1); a template that is never instantiated evaluates nothing. */
gx_status gx_xparse_late(gx_xparse *p, u32 at, const char *sentence, gx_xnode **out)
{
    const gx_xpath_env *env = p->env;
    if (!env->forwards) {
        gx_status status = gx_xparse_fail(p, at, "%s", sentence);
        if (!env->late)
            return status;
        env->late(env->ctx);
    }
    *out = error_call(p, at, sentence);
    return GX_OK;
}

/* A literal argument that names something. *known: it is a literal; then *uri and *local are its expanded name. */
static gx_status literal_name(gx_xparse *p, const gx_xnode *arg, int *known, const char **uri, const char **local)
{
    *known = arg->op == GX_X_STR;
    if (!*known)
        return GX_OK;
    const char *colon = strchr(arg->str, ':'), *prefix = "";
    *local = arg->str;
    if (colon) {
        prefix = apr_pstrmemdup(p->pool, arg->str, (apr_size_t)(colon - arg->str));
        *local = colon + 1;
    }
    if (!**local || strchr(*local, ':') || (colon && !*prefix))
        return gx_xparse_fail(p, arg->at, "'%s' is not a name", arg->str);
    return gx_xparse_uri(p, prefix, arg->at, uri);
}

static gx_status key_call(gx_xparse *p, gx_xnode *name, gx_xnode *value, u32 at, gx_xnode **out)
{
    const gx_xpath_env *env = p->env;
    const char *uri, *local;
    int known;
    if (!env->key)
        return gx_xparse_fail(p, at, "key() is not available here");
    gx_xnode *call = func(p, GX_F_KEY, GX_T_SET, at);
    call->deps = GX_DEP_TREE;
    GX_TRY(literal_name(p, name, &known, &uri, &local));
    if (!known) {
        call->fails = 1;
        add(call, gx_xnode_convert(p, name, GX_T_STR));
        add(call, value);
        add(call, gx_xnode_num(p, env->nslist, at));
    } else {
        u32 number = env->key(env->ctx, uri, local);
        if (number == GX_NONE) {
            *out = error_call(p, at, apr_psprintf(p->pool, "there is no xsl:key named '%s'", name->str));
            return GX_OK;
        }
        add(call, gx_xnode_num(p, number, at));
        add(call, value);
    }
    *out = call;
    return GX_OK;
}

static gx_status format_number_call(gx_xparse *p, gx_xnode *args, u32 n, u32 at, gx_xnode **out)
{
    const gx_xpath_env *env = p->env;
    const char *uri, *local;
    int known;
    gx_xnode *picture = args->next, *name = n == 3 ? picture->next : NULL;
    gx_xnode *call = func(p, GX_F_FORMAT_NUMBER, GX_T_STR, at);
    call->fails = 1;                        /* the picture may be malformed */
    add(call, gx_xnode_convert(p, args, GX_T_NUM));
    add(call, gx_xnode_convert(p, picture, GX_T_STR));
    *out = call;
    if (!name) {
        add(call, gx_xnode_num(p, 0, at));
        return GX_OK;
    }
    GX_TRY(literal_name(p, name, &known, &uri, &local));
    if (!known) {
        add(call, gx_xnode_convert(p, name, GX_T_STR));
        add(call, gx_xnode_num(p, env->nslist, at));
        return GX_OK;
    }
    u32 format = env->decimal_format ? env->decimal_format(env->ctx, uri, local) : GX_NONE;
    if (format == GX_NONE)
        *out = error_call(p, at, apr_psprintf(p->pool, "there is no xsl:decimal-format named '%s'", name->str));
    else
        add(call, gx_xnode_num(p, format, at));
    return GX_OK;
}

/* The default namespace where the expression stands, "" = none: only element-available() uses it, as instructions' names do. */
static const char *default_namespace(const gx_xpath_env *env)
{
    if (env->nslist >= env->b->nslists.n)
        return "";
    const gx_nslist *list = GX_VEC_AT(&env->b->nslists, gx_nslist, env->nslist);
    for (u32 i = list->first; i < list->first + list->n; i++)
        if (!GX_VEC_AT(&env->b->nsdecls, gx_nsdecl, i)->prefix)        /* lit 0 is "" */
            return gx_builder_lit_text(env->b, GX_VEC_AT(&env->b->nsdecls, gx_nsdecl, i)->uri, NULL);
    return "";
}

const char *gx_xpath_system_property(const char *uri, const char *local)
{
    return strcmp(uri, GX_XSLT_URI) ? "" : !strcmp(local, "version") ? "1" : !strcmp(local, "vendor") ? "gpuxml"
         : !strcmp(local, "vendor-url") ? "urn:gpuxml" : "";
}

/* system-property, element-available, function-available */
static gx_status property_call(gx_xparse *p, const function *f, gx_xnode *arg, u32 at, gx_xnode **out)
{
    const gx_xpath_env *env = p->env;
    const char *uri, *local;
    int known;
    arg = gx_xnode_convert(p, arg, GX_T_STR);
    GX_TRY(literal_name(p, arg, &known, &uri, &local));
    if (!known) {
        gx_xnode *call = func(p, f->func, f->type, at);
        add(call, arg);
        add(call, gx_xnode_num(p, env->nslist, at));
        *out = call;
    } else if (f->func == GX_F_FUNCTION_AVAILABLE) {
        gx_callee callee;
        *out = gx_xnode_bool(p, gx_xpath_function_available(uri, local) || (env->function && env->function(env->ctx, uri, local, &callee)), at);
    } else if (f->func == GX_F_ELEMENT_AVAILABLE) {
        if (!strchr(arg->str, ':'))
            uri = default_namespace(env);
        *out = gx_xnode_bool(p, env->element_available && env->element_available(env->ctx, uri, local), at);
    } else {
        const char *value = gx_xpath_system_property(uri, local);
        *out = strcmp(value, "1") ? gx_xnode_str(p, value, at) : gx_xnode_num(p, 1, at);
    }
    return GX_OK;
}

static const char *arguments(u32 n) { return n == 1 ? "argument" : "arguments"; }

static gx_status wrong_arity(gx_xparse *p, const function *f, u32 n, u32 at, gx_xnode **out)
{
    const char *sentence = n < f->min
        ? apr_psprintf(p->pool, "%s() wants %s%u %s, not %u", f->name, f->max > f->min ? "at least " : "", f->min, arguments(f->min), n)
        : f->max ? apr_psprintf(p->pool, "%s() wants %s%u %s, not %u", f->name, f->max > f->min ? "at most " : "", f->max,
                                arguments(f->max), n)
        : apr_psprintf(p->pool, "%s() takes no arguments", f->name);
    return gx_xparse_late(p, at, sentence, out);
}

static gx_status unknown_function(gx_xparse *p, const char *prefix, const char *uri, const char *local, u32 at, gx_xnode **out)
{
    const char *version = *prefix ? NULL : gx_later_function(local);
    const char *sentence = *prefix ? apr_psprintf(p->pool, "not supported: function %s:%s (%s)", prefix, local, uri)
                         : version ? apr_psprintf(p->pool, "not supported: function %s() (%s)", local, version)
                         : apr_psprintf(p->pool, "there is no function %s()", local);
    for (u32 i = 0; i < sizeof functions / sizeof *functions && !version; i++)
        if (!strcmp(functions[i].uri, uri) && gx_name_near(local, functions[i].name)) {
            sentence = apr_pstrcat(p->pool, sentence, " (is ", *prefix ? prefix : "", *prefix ? ":" : "", functions[i].name, "() meant?)", NULL);
            break;
        }
    if (!*prefix)
        return gx_xparse_late(p, at, sentence, out);
    *out = error_call(p, at, sentence);         /* 14: "must not signal an error merely because" of it */
    return GX_OK;
}

static int is_leap_year(const gx_xnode *node) { return node->op == GX_X_FUNC && node->a == GX_F_DATE_LEAP_YEAR; }

/* What document() resolves its first argument against: "" and "#id" are in the document itself (XSLT 12.1), and any other argument than a
 * literal may turn out to be one of these. */
static const char *document_base(const gx_xpath_env *env, const gx_xnode *uri)
{
    const int is_literal = uri->op == GX_X_STR, is_own = is_literal && (!*uri->str || *uri->str == '#');
    const char *base = env->document_uri && is_own ? env->document_uri : env->base_uri;
    if (env->asks_own && (is_own || !is_literal))
        env->asks_own(env->ctx);
    return base ? base : "";
}

/* The same for expressions that are made while the stylesheet runs */
static const char *dynamic_base(const gx_xpath_env *env)
{
    const char *base = env->document_uri ? env->document_uri : env->base_uri;
    if (env->asks_own)
        env->asks_own(env->ctx);
    return base ? base : "";
}

/* substring-before(concat(s, t), t), the first of what t separates, makes no string where t is a literal or a variable. */
static void until(gx_xnode *call)
{
    gx_xnode *joined = call->kids, *what = call->last, *t = joined->last, *before = joined->kids;
    if (joined->op != GX_X_FUNC || joined->a != GX_F_CONCAT)
        return;
    if (what->op == GX_X_TO_STR && t->op == GX_X_TO_STR) {
        what = what->kids;
        t = t->kids;
    }
    if (what->op != t->op || what->a != t->a || what->b != t->b || (what->op != GX_X_STR && what->op != GX_X_VAR && what->op != GX_X_GLOBAL)
        || (what->op == GX_X_STR && strcmp(what->str, t->str)))
        return;
    while (before->next != joined->last)
        before = before->next;
    before->next = NULL;
    joined->last = before;
    if (--joined->b == 1) {
        before->next = call->last;
        call->kids = before;
    }
    call->a = GX_F_SUBSTRING_UNTIL;
}

/* Where the nodes of a set stand, seen from the context node: the axes of these names share no node (XPath 2.2). 0: not known */
enum { BEFORE = 1, ABOVE = 2, HERE = 4, BEHIND = 8 };

static u32 region(const gx_xnode *set)
{
    if (set->op == GX_X_CONTEXT)
        return HERE;
    if (set->op == GX_X_UNION) {
        const u32 left = region(set->kids), right = region(set->last);
        return left && right ? left | right : 0;
    }
    if (set->op != GX_X_STEP || set->calls || set->hosted)
        return 0;
    const u32 from = region(set->kids), first = set->kids->op == GX_X_CONTEXT;
    switch (GX_STEP_AXIS(set->a)) {
    case GX_AXIS_SELF: case GX_AXIS_CHILD: case GX_AXIS_ATTRIBUTE: case GX_AXIS_DESCENDANT: case GX_AXIS_DESCENDANT_OR_SELF:
        return from & ABOVE ? 0 : from;         /* below an ancestor is everything */
    case GX_AXIS_PRECEDING: case GX_AXIS_PRECEDING_SIBLING: return first ? BEFORE : 0;
    case GX_AXIS_FOLLOWING: case GX_AXIS_FOLLOWING_SIBLING: return first ? BEHIND : 0;
    case GX_AXIS_ANCESTOR: case GX_AXIS_PARENT:             return first ? ABOVE : 0;
    case GX_AXIS_ANCESTOR_OR_SELF:                          return first ? ABOVE | HERE : 0;
    default:                                                return 0;
    }
}

/* count(preceding::x | ancestor::x) is the sum of both counts, which need no list; so is sum(preceding-sibling::x | .), as the one node comes last */
static int is_apart(u32 func, const gx_xnode *both)
{
    if (both->op != GX_X_UNION)
        return 0;
    const gx_xnode *left = both->kids, *right = both->last;
    const u32 a = region(left), b = region(right);
    if (func == GX_F_COUNT)
        return a && b && !(a & b) && left->op != GX_X_CONTEXT && right->op != GX_X_CONTEXT;     /* count(.|S) = count(S): plan/member.c */
    return (a == BEFORE && b == HERE && right->set & GX_XS_SINGLE) || (b == BEFORE && a == HERE && left->set & GX_XS_SINGLE);
}

static gx_status count_apart(gx_xparse *p, const char *name, gx_xnode *both, u32 at, gx_xnode **out)
{
    gx_xnode *sum = gx_xnode_make(p, GX_X_ADD, GX_T_NUM, at), *left = both->kids, *right = left->next, *x, *y;
    left->next = NULL;
    GX_TRY(gx_xparse_call(p, "", name, at, left, 1, &x));
    GX_TRY(gx_xparse_call(p, "", name, at, right, 1, &y));
    gx_xnode_adopt(sum, x);
    gx_xnode_adopt(sum, y);
    *out = sum;
    return GX_OK;
}

/* A function of the stylesheet. Its value depends on its context; on the position there only if some function asks for that. */
static gx_status stylesheet_call(gx_xparse *p, const gx_callee *callee, const char *name, u32 at, gx_xnode *args, u32 n, gx_xnode **out)
{
    if (n > callee->n_params) {
        const char *sentence = callee->n_params
            ? apr_psprintf(p->pool, "%s() wants at most %u %s, not %u", name, callee->n_params, arguments(callee->n_params), n)
            : apr_psprintf(p->pool, "%s() takes no arguments", name);
        return gx_xparse_late(p, at, sentence, out);
    }
    gx_xnode *call = gx_xnode_make(p, GX_X_CALL, GX_T_ANY, at);
    call->heavy = call->calls = 1;
    call->deps = GX_DEP_CONTEXT | (callee->places ? GX_DEP_POSITION | GX_DEP_LAST : 0);
    call->a = (u16)(n | (callee->places ? GX_CALL_PLACES : 0));
    call->b = callee->index;
    for (gx_xnode *arg = args, *next; arg; arg = next) {
        next = arg->next;
        gx_xnode_adopt(call, arg);
    }
    *out = call;
    return GX_OK;
}

/* Can *set count its nodes without making a list of them? Then it has become that operator. */
static int counts_itself(gx_xparse *p, gx_xnode **set)
{
    gx_xnode *node = *set;
    if (node->op == GX_X_FUNC && node->a == GX_F_KEY && node->b == 2) {
        node->a = GX_F_KEY_COUNT;
        node->type = GX_T_NUM;
        node->wide = 0;
        return 1;
    }
    if (node->op == GX_X_JOIN) {
        gx_xnode_count_join(node);
        return 1;
    }
    if (node->op == GX_X_STEP && (node->preds || node->kids->op != GX_X_CONTEXT))
        node = *set = gx_xnode_beside(p, node);
    if (!gx_xnode_is_disjoint(node))
        return 0;
    node->op = GX_X_COUNT;
    node->type = GX_T_NUM;
    node->set = 0;
    node->wide = node->kids->wide;
    return 1;
}

/* The call as the table has it: each argument converted, what is left out filled in. */
static gx_status plain_call(gx_xparse *p, const function *f, u32 at, gx_xnode *args, u32 n, gx_xnode **out)
{
    gx_xnode *call = func(p, f->func, f->type, at);
    call->deps = f->deps;
    const char *want = f->args;
    for (gx_xnode *arg = args, *next; arg; arg = next) {
        next = arg->next;
        switch (*want) {
        case 'S': GX_TRY(gx_xnode_to_set(p, &arg, apr_psprintf(p->pool, "the argument of %s()", f->name))); break;
        case 's': arg = gx_xnode_convert(p, arg, GX_T_STR); break;
        case 'n': arg = gx_xnode_convert(p, arg, GX_T_NUM); break;
        case 'b': arg = gx_xnode_convert(p, arg, GX_T_BOOL); break;
        }
        if (f->func == GX_F_NAME || f->func == GX_F_LOCAL_NAME || f->func == GX_F_NAMESPACE_URI || f->func == GX_F_GENERATE_ID)
            arg = gx_xnode_first(p, arg);
        if (f->func == GX_F_SUM)
            arg = gx_xnode_beside(p, arg);
        add(call, arg);
        want += want[1] != 0;
        if (f->func == GX_F_DOCUMENT && arg == call->kids)
            add(call, gx_xnode_str(p, document_base(p->env, arg), at));
    }
    if (gx_function_traits(f->func) & GX_FT_DYNAMIC) {
        add(call, gx_xnode_num(p, p->env->nslist, at));
        add(call, gx_xnode_str(p, p->env->in_scope ? p->env->in_scope(p->env->ctx) : "", at));
        add(call, gx_xnode_str(p, dynamic_base(p->env), at));
        p->env->b->flags |= GX_P_NAMESPACE_AXIS;        /* it may walk it */
    }
    if (f->func == GX_F_SUBSTRING_BEFORE)
        until(call);
    if (f->absent && n < f->max)
        add(call, gx_xnode_str(p, f->absent, at));
    if (f->func == GX_F_NODE_SET && (call->kids->type == GX_T_RTF || call->kids->type == GX_T_STR))
        call->set = GX_XS_SINGLE | GX_XS_FLAT;
    *out = call;
    if (gx_function_traits(f->func) & GX_FT_TREES) {
        call->set = GX_XS_SINGLE | GX_XS_FLAT;
        *out = gx_xnode_step(p, call, GX_AXIS_CHILD, GX_TEST_NODE, 0, NULL, at);
    }
    return GX_OK;
}

gx_status gx_xparse_call(gx_xparse *p, const char *prefix, const char *local, u32 at, gx_xnode *args, u32 n, gx_xnode **out)
{
    const char *uri;
    GX_TRY(gx_xparse_uri(p, prefix, at, &uri));
    const gx_xpath_env *env = p->env;
    gx_callee callee;
    if (*uri && env->function && env->function(env->ctx, uri, local, &callee))     /* before a function of ours with that name */
        return stylesheet_call(p, &callee, apr_pstrcat(p->pool, prefix, ":", local, NULL), at, args, n, out);
    const function *f = *prefix && !*uri ? NULL : find(uri, local);
    if (!f)
        return unknown_function(p, prefix, uri, local, at, out);
    if (n < f->min || (f->max != 255 && n > f->max))
        return wrong_arity(p, f, n, at, out);
    if (!n && f->context)
        args = f->context == NOW ? now(p, f, at) : gx_xnode_context(p, at);

    switch (f->func) {
    case LAST: case POSITION:
        *out = gx_xnode_make(p, f->func == LAST ? GX_X_LAST : GX_X_POSITION, GX_T_NUM, at);
        (*out)->deps = f->deps;
        return GX_OK;
    case TRUE_: case FALSE_:
        *out = gx_xnode_bool(p, f->func == TRUE_, at);
        return GX_OK;
    case STRING: case NUMBER: case BOOLEAN:
        *out = gx_xnode_convert(p, args, f->type);
        if (f->func == BOOLEAN && is_leap_year(args)) {         /* a boolean from here on: "false", no more "NaN" */
            *out = gx_xnode_make(p, GX_X_TO_BOOL, GX_T_BOOL, at);
            gx_xnode_adopt(*out, args);
        }
        return GX_OK;
    case CURRENT:
        if (p->env->no_current)
            return gx_xparse_fail(p, at, "current() is not allowed in a pattern");
        *out = gx_xnode_context(p, at);
        if (p->predicates) {            /* outside predicates the current node is the context node */
            (*out)->op = GX_X_CURRENT;
            (*out)->deps = GX_DEP_CURRENT;
        }
        return GX_OK;
    case GX_F_KEY:
        return key_call(p, args, args->next, at, out);
    case GX_F_SUM:
        if (is_apart(f->func, args))
            return count_apart(p, f->name, args, at, out);
        break;
    case GX_F_COUNT:
        if (is_apart(f->func, args))
            return count_apart(p, f->name, args, at, out);
        if (counts_itself(p, &args)) {
            *out = args;
            return GX_OK;
        }
        break;
    case GX_F_FORMAT_NUMBER:
        return format_number_call(p, args, n, at, out);
    case GX_F_SYSTEM_PROPERTY: case GX_F_ELEMENT_AVAILABLE: case GX_F_FUNCTION_AVAILABLE:
        return property_call(p, f, args, at, out);
    case GX_F_NOT:
        args = gx_xnode_convert(p, args, GX_T_BOOL);
        if (args->op == GX_X_BOOL) {
            *out = gx_xnode_bool(p, !args->b, at);
            return GX_OK;
        }
        break;
    case GX_F_ID: case GX_F_NODE_SET:
        if (args->type == GX_T_NUM || args->type == GX_T_BOOL || (args->type == GX_T_RTF && f->func == GX_F_ID))
            args = gx_xnode_convert(p, args, GX_T_STR);
        break;
    }
    return plain_call(p, f, at, args, n, out);
}

gx_xnode *gx_xnode_string_of_call(gx_xparse *p, gx_xnode *node)
{
    gx_xnode *call = node->kids;
    if (is_leap_year(node)) {
        node->a = GX_F_DATE_LEAP_YEAR_TEXT;
        node->type = GX_T_STR;
        return node;
    }
    if (node->op == GX_X_CALL) {            /* calls made together may give values of several types: strings of each, not of all */
        gx_xnode *string = gx_xnode_make(p, GX_X_TO_STR, GX_T_STR, node->at);
        gx_xnode_adopt(string, node);
        return string;
    }
    if (node->op != GX_X_STEP || node->preds || (node->a & 0xfffu) != (GX_STEP_MAKE(GX_AXIS_CHILD, GX_TEST_NODE) | GX_STEP_SORTED)
        || call->op != GX_X_FUNC || call->a != GX_F_STR_REPLACE)
        return NULL;
    for (const gx_xnode *arg = call->kids->next; arg; arg = arg->next)
        if (arg->type == GX_T_SET || arg->type == GX_T_ANY)
            return NULL;
    gx_xnode *string = func(p, GX_F_STR_REPLACED, GX_T_STR, call->at);
    for (gx_xnode *arg = call->kids, *next; arg; arg = next) {
        next = arg->next;
        add(string, gx_xnode_convert(p, arg, GX_T_STR));
    }
    return string;
}

/* Some of the table's names are none that anybody can write. */
int gx_xpath_function_available(const char *uri, const char *local)
{
    return gx_is_ncname(local, (u32)strlen(local)) && find(uri, local);
}
