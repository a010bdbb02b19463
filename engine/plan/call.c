/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c -- function calls: from a name and arguments to operators
 *
 * A call becomes exactly what gx_func says stands on the stack: arguments converted, optional ones filled in, names of
 * keys and decimal formats resolved to their numbers.
 *
 * A function that does not exist is an error only when it is called (XSLT 1.0, 14 and 2.5): a call of GX_F_ERROR. Of
 * one without a prefix the compiler warns (XPath's own library is closed), as of a wrong number of arguments.
 *
 * Names that are known only when the expression runs are handed on as strings, with the namespaces in scope:
 *   key(expr, v)                KEY/3               STR value NUM nslist
 *   format-number(n, p, expr)   FORMAT_NUMBER/4     NUM STR STR NUM nslist
 */
#include <string.h>
#include <apr_strings.h>
#include "program/later.h"
#include "xpath/functions.h"
#include "rules.h"

static gx_plan *func(gx_planner *p, u32 id, u32 type, u32 at, gx_plan *first, gx_plan *second, gx_plan *third)
{
    gx_plans args = gx_plans_none;
    args = first ? gx_plans_with(p, args, first) : args;
    args = second ? gx_plans_with(p, args, second) : args;
    args = third ? gx_plans_with(p, args, third) : args;
    return gx_plan_func(p, id, type, at, args);
}

/* The argument left out of a date function: date:date-time(), or its seconds where a number is wanted */
static gx_plan *now(gx_planner *p, const gx_function_def *f, u32 at)
{
    gx_plan *time = func(p, GX_F_DATE_NOW, GX_T_STR, at, NULL, NULL, NULL);
    return *f->args == 'n' ? func(p, GX_F_DATE_SECONDS, GX_T_NUM, at, time, NULL, NULL) : time;
}

/* A set without nodes, of which something is said at once. */
static gx_status empty_set(gx_planner *p, u32 at, const char *sentence, gx_plan **out)
{
    *out = gx_plan_step(p, gx_plan_context(p, at), GX_AXIS_CHILD, GX_TEST_NEVER, 0, gx_plans_none, at);
    return gx_xparse_slip(&p->text, at, sentence);
}

/* A literal argument that names something. *known: it is a literal; then *uri and *local are its expanded name. *late:
 * or the error that it is where it is reached, else NULL. */
static gx_status literal_name(gx_planner *p, const gx_plan *arg, int *known, const char **uri, const char **local,
                              gx_plan **late)
{
    *late = NULL;
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
        return gx_plan_late(p, arg->at, apr_psprintf(p->pool, "'%s' is not a name", arg->str), late);
    return gx_plan_uri(p, prefix, arg->at, uri, late);
}

/* key(): a literal name becomes the key's number now, and a name that no xsl:key has, or a key that depends on itself,
 * an empty set with a warning. A computed name is looked up at run time, in the namespaces of this place. */
static gx_status key_call(gx_planner *p, gx_plan *name, gx_plan *value, u32 at, gx_plan **out)
{
    const gx_xpath_env *env = p->env;
    const char *uri, *local;
    int known;
    if (!env->key)
        return gx_xparse_fail(&p->text, at, "key() is not available here");
    if (name->op == GX_X_STR && !*name->str)
        return empty_set(p, name->at, "'' is not a name", out);
    GX_TRY(literal_name(p, name, &known, &uri, &local, out));
    if (*out)
        return GX_OK;
    if (!known) {
        *out = func(p, GX_F_KEY, GX_T_SET, at, gx_plan_convert(p, name, GX_T_STR), value,
                    gx_plan_num(p, env->nslist, at));
        return GX_OK;
    }
    const u32 number = env->key(env->ctx, uri, local);
    if (number == GX_NONE)
        return empty_set(p, at, apr_psprintf(p->pool, "there is no xsl:key named '%s'", name->str), out);
    if (number == GX_KEY_ITSELF)
        return empty_set(p, at, apr_psprintf(p->pool, "the key '%s' depends on itself", name->str), out);
    *out = func(p, GX_F_KEY, GX_T_SET, at, gx_plan_num(p, number, at), value, NULL);
    return GX_OK;
}

/* A malformed literal: a slip, and the number is written plainly. */
static gx_status check_picture(gx_planner *p, const gx_plan *picture, u32 format)
{
    if (picture->op != GX_X_STR || gx_builder_picture(p->env->b, picture->str, format))
        return GX_OK;
    return gx_xparse_slip(&p->text, picture->at,
                          apr_psprintf(p->pool, "format-number(): the pattern '%s' is malformed", picture->str));
}

/* format-number(): the format's number, or its computed name and namespaces. A literal pattern is checked now. A
 * literal name that no xsl:decimal-format has is an error where it is reached. */
static gx_status format_number_call(gx_planner *p, gx_plans args, u32 at, gx_plan **out)
{
    const gx_xpath_env *env = p->env;
    const char *uri, *local;
    int known;
    gx_plan *name = args.n == 3 ? args.at[2] : NULL;
    gx_plans list = gx_plans_with(p, gx_plans_none, gx_plan_convert(p, args.at[0], GX_T_NUM));
    list = gx_plans_with(p, list, gx_plan_convert(p, args.at[1], GX_T_STR));
    if (!name) {
        list = gx_plans_with(p, list, gx_plan_num(p, 0, at));
        *out = gx_plan_func(p, GX_F_FORMAT_NUMBER, GX_T_STR, at, list);
        return check_picture(p, args.at[1], 0);
    }
    GX_TRY(literal_name(p, name, &known, &uri, &local, out));
    if (*out)
        return GX_OK;
    const u32 format = known && env->decimal_format ? env->decimal_format(env->ctx, uri, local) : GX_NONE;
    if (!known) {
        list = gx_plans_with(p, list, gx_plan_convert(p, name, GX_T_STR));
        list = gx_plans_with(p, list, gx_plan_num(p, env->nslist, at));
    } else if (format != GX_NONE) {
        list = gx_plans_with(p, list, gx_plan_num(p, format, at));
    } else {
        *out = gx_plan_error(p, at, apr_psprintf(p->pool, "there is no xsl:decimal-format named '%s'", name->str));
        return GX_OK;
    }
    *out = gx_plan_func(p, GX_F_FORMAT_NUMBER, GX_T_STR, at, list);
    return known ? check_picture(p, args.at[1], format) : GX_OK;
}

/* The default namespace where the expression stands, "" = none: only element-available() uses it, as instructions'
 * names do. */
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

/* system-property(), element-available() and function-available() (XSLT 1.0, 12.4 and 15). With a literal they are
 * answered now: the prefix is looked up here, an element's name without one is in the default namespace. Else the call
 * gets the namespaces in scope as its second argument, for property.c to answer. A literal that is no name is a slip.
 */
static gx_status property_call(gx_planner *p, const gx_function_def *f, gx_plan *arg, u32 at, gx_plan **out)
{
    const gx_xpath_env *env = p->env;
    const char *uri, *local;
    int known;
    arg = gx_plan_convert(p, arg, GX_T_STR);
    /* none has that name */
    if (f->func == GX_F_SYSTEM_PROPERTY && arg->op == GX_X_STR && (!*arg->str || *arg->str == ':')) {
        *out = gx_plan_str(p, "", at);
        return gx_xparse_slip(&p->text, arg->at, apr_psprintf(p->pool, "'%s' is not a name", arg->str));
    }
    GX_TRY(literal_name(p, arg, &known, &uri, &local, out));
    if (*out)
        return GX_OK;
    if (!known) {
        *out = func(p, f->func, f->type, at, arg, gx_plan_num(p, env->nslist, at), NULL);
    } else if (f->func == GX_F_FUNCTION_AVAILABLE) {
        gx_callee callee;
        *out = gx_plan_bool(p, gx_xpath_function_available(uri, local)
                            || (env->function && env->function(env->ctx, uri, local, &callee)), at);
    } else if (f->func == GX_F_ELEMENT_AVAILABLE) {
        if (!strchr(arg->str, ':'))
            uri = default_namespace(env);
        *out = gx_plan_bool(p, env->element_available && env->element_available(env->ctx, uri, local), at);
    } else {
        const char *value = gx_xpath_system_property(uri, local, gx_builder_lit_text(env->b, env->b->vendor, NULL),
                                                     gx_builder_lit_text(env->b, env->b->vendor_url, NULL));
        *out = strcmp(local, "version") || !*value ? gx_plan_str(p, value, at) : gx_plan_num(p, 1, at);
    }
    return GX_OK;
}

static const char *arguments(u32 n) { return n == 1 ? "argument" : "arguments"; }

static gx_status wrong_arity(gx_planner *p, const gx_function_def *f, u32 n, u32 at, gx_plan **out)
{
    const char *sentence = n < f->min ? apr_psprintf(p->pool, "%s() wants %s%u %s, not %u", f->name,
                                                     f->max > f->min ? "at least " : "", f->min, arguments(f->min), n)
        : f->max ? apr_psprintf(p->pool, "%s() wants %s%u %s, not %u", f->name, f->max > f->min ? "at most " : "",
                                f->max, arguments(f->max), n)
                 : apr_psprintf(p->pool, "%s() takes no arguments", f->name);
    return gx_plan_late(p, at, sentence, out);
}

static gx_status unknown_function(gx_planner *p, const char *prefix, const char *uri, const char *local, u32 at,
                                  gx_plan **out)
{
    const char *version = *prefix ? NULL : gx_later_function(local);
    const char *sentence = *prefix ? apr_psprintf(p->pool, "not supported: function %s:%s (%s)", prefix, local, uri)
                         : version ? apr_psprintf(p->pool, "not supported: function %s() (%s)", local, version)
                         : apr_psprintf(p->pool, "there is no function %s()", local);
    const char *meant = version ? NULL : gx_function_near(uri, local);
    if (meant)
        sentence = apr_pstrcat(p->pool, sentence, " (is ", *prefix ? prefix : "", *prefix ? ":" : "", meant,
                               "() meant?)", NULL);
    if (!*prefix)
        return gx_plan_late(p, at, sentence, out);
    *out = gx_plan_error(p, at, sentence);         /* 14: "must not signal an error merely because" of it */
    return GX_OK;
}

/* What document() resolves its first argument against: "" and "#id" are in the document itself (XSLT 12.1), and any
 * other argument than a literal may turn out to be one of these. */
static const char *document_base(const gx_xpath_env *env, const gx_plan *uri)
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

/* A function of the stylesheet. Its value depends on its context; on the position there only if some function asks for
 * that. */
static gx_status stylesheet_call(gx_planner *p, const gx_callee *callee, const char *name, u32 at, gx_plans args,
                                 gx_plan **out)
{
    if (args.n > callee->n_params) {
        const char *sentence = callee->n_params ? apr_psprintf(p->pool, "%s() wants at most %u %s, not %u", name,
                                                               callee->n_params, arguments(callee->n_params), args.n)
                                                : apr_psprintf(p->pool, "%s() takes no arguments", name);
        return gx_plan_late(p, at, sentence, out);
    }
    *out = gx_plan_make_of(p, GX_X_CALL, GX_T_ANY, args.n | (callee->places ? GX_CALL_PLACES : 0), callee->index, at,
                           args, gx_plans_none);
    return GX_OK;
}

/* An argument as its letter in the table wants it */
static gx_status argument(gx_planner *p, const gx_function_def *f, char want, gx_plan **arg)
{
    switch (want) {
    case 'S': GX_TRY(gx_plan_to_set(p, arg, apr_psprintf(p->pool, "the argument of %s()", f->name))); break;
    case 's': *arg = gx_plan_convert(p, *arg, GX_T_STR); break;
    case 'n': *arg = gx_plan_convert(p, *arg, GX_T_NUM); break;
    case 'b': *arg = gx_plan_convert(p, *arg, GX_T_BOOL); break;
    }
    if (f->func == GX_F_NAME || f->func == GX_F_LOCAL_NAME || f->func == GX_F_NAMESPACE_URI
        || f->func == GX_F_GENERATE_ID)
        *arg = gx_rules_demand(p, *arg, GX_WANT_FIRST);
    if (f->func == GX_F_MATH_MIN || f->func == GX_F_MATH_MAX)
        *arg = gx_rules_demand(p, *arg, GX_WANT_COMPARED);
    return GX_OK;
}

/* What is known of words that gx:score() looks for; NULL: nothing */
static const char *word_statistics(const gx_planner *p, const gx_plan *words)
{
    const gx_compile_options *o = p->env->b->options;
    return o && o->word_statistics && words->op == GX_X_STR ? o->word_statistics(o->word_ctx, words->str) : NULL;
}

/* The call as the table has it: each argument converted, what is left out filled in. */
static gx_status plain_call(gx_planner *p, const gx_function_def *f, u32 at, gx_plans args, gx_plan **out)
{
    gx_plans list = { apr_palloc(p->pool, (args.n + 4) * sizeof *list.at), 0 };         /* with what is filled in */
    const char *want = f->args;
    for (u32 i = 0; i < args.n; i++) {
        gx_plan *arg = args.at[i];
        GX_TRY(argument(p, f, *want, &arg));
        list.at[list.n++] = arg;
        want += want[1] != 0;
        if (f->func == GX_F_DOCUMENT && !i)
            list.at[list.n++] = gx_plan_str(p, document_base(p->env, arg), at);
    }
    if (gx_function_traits(f->func) & GX_FT_DYNAMIC) {
        list.at[list.n++] = gx_plan_num(p, p->env->nslist, at);
        list.at[list.n++] = gx_plan_str(p, p->env->in_scope ? p->env->in_scope(p->env->ctx) : "", at);
        list.at[list.n++] = gx_plan_str(p, dynamic_base(p->env), at);
        p->env->b->flags |= GX_P_NAMESPACE_AXIS;        /* it may walk it */
    }
    if (f->absent && args.n < f->max) {
        const char *other = f->func == GX_F_SCORE ? word_statistics(p, args.at[1]) : NULL;
        list.at[list.n++] = gx_plan_str(p, other ? other : f->absent, at);
    }
    gx_plan *call = gx_plan_func(p, f->func, f->type, at, list), *tree;
    if (gx_function_traits(f->func) & GX_FT_TREES
        || (f->func == GX_F_NODE_SET && (list.at[0]->type == GX_T_RTF || list.at[0]->type == GX_T_STR))) {
        tree = gx_plan_copy(p, call);
        tree->given = GX_XS_SINGLE | GX_XS_FLAT;
        call = gx_plan_derive(tree);
    }
    *out = gx_function_traits(f->func) & GX_FT_TREES
               ? gx_plan_step(p, call, GX_AXIS_CHILD, GX_TEST_NODE, 0, gx_plans_none, at) : call;
    return GX_OK;
}

/* count(), sum(): the operand is asked for no more than that */
static gx_status aggregate(gx_planner *p, const gx_function_def *f, u32 at, gx_plan *set, gx_plan **out)
{
    GX_TRY(gx_plan_to_set(p, &set, apr_psprintf(p->pool, "the argument of %s()", f->name)));
    gx_plan *call = gx_plan_make(p, GX_X_FUNC, GX_T_NUM, f->func, 1, at, 1, set),
            *other = gx_rules_rewrite(p, call, GX_ON_CALL);
    if (other == call) {
        gx_plan *less = gx_rules_demand(p, set, f->func == GX_F_COUNT ? GX_WANT_COUNT : GX_WANT_SUM);
        const u32 func = f->func == GX_F_SUM && gx_plan_is_unordered(less) ? GX_F_SUM_UNORDERED : f->func;
        if (less != set)
            other = less->type == GX_T_NUM ? less : gx_plan_make(p, GX_X_FUNC, GX_T_NUM, func, 1, at, 1, less);
    }
    *out = other;
    return GX_OK;
}

/* A function call as a plan: a function of the stylesheet comes before one of ours with its name; then what becomes an
 * operator (position(), string(), current(), ...), and what converts its arguments. Unknown functions and wrong numbers
 * of arguments are errors, or late ones, as the stylesheet's version says. */
gx_status gx_plan_call(gx_planner *p, const char *prefix, const char *local, u32 at, gx_plans args, gx_plan **out)
{
    const char *uri;
    GX_TRY(gx_plan_uri(p, prefix, at, &uri, out));
    if (*out)
        return GX_OK;
    const gx_xpath_env *env = p->env;
    gx_callee callee;
    /* before a function of ours with that name */
    if (*uri && env->function && env->function(env->ctx, uri, local, &callee))
        return stylesheet_call(p, &callee, apr_pstrcat(p->pool, prefix, ":", local, NULL), at, args, out);
    const gx_function_def *f = *prefix && !*uri ? NULL : gx_function_find(uri, local);
    if (!f)
        return unknown_function(p, prefix, uri, local, at, out);
    if (args.n < f->min || (f->max != 255 && args.n > f->max))
        return wrong_arity(p, f, args.n, at, out);
    if (!args.n && f->context)
        args = gx_plans_with(p, args, f->context == GX_CALL_ON_NOW ? now(p, f, at) : gx_plan_context(p, at));
    gx_plan *first = args.n ? args.at[0] : NULL;

    switch (f->func) {
    case GX_CALL_LAST: case GX_CALL_POSITION:
        *out = gx_plan_make(p, f->func == GX_CALL_LAST ? GX_X_LAST : GX_X_POSITION, GX_T_NUM, 0, 0, at, 0);
        return GX_OK;
    case GX_CALL_TRUE: case GX_CALL_FALSE:
        *out = gx_plan_bool(p, f->func == GX_CALL_TRUE, at);
        return GX_OK;
    case GX_CALL_STRING: case GX_CALL_NUMBER: case GX_CALL_BOOLEAN:
        /* a boolean from here on: "false", no more "NaN" */
        *out = f->func == GX_CALL_BOOLEAN && gx_plan_is_call(first, GX_F_DATE_LEAP_YEAR)
            ? gx_plan_make(p, GX_X_TO_BOOL, GX_T_BOOL, 0, 0, at, 1, first) : gx_plan_convert(p, first, f->type);
        return GX_OK;
    case GX_CALL_CURRENT:
        if (p->env->no_current)         /* libxslt has the node that is matched, as XSLT 2.0 */
            GX_TRY(gx_xparse_slip(&p->text, at, "current() is not allowed in a pattern"));
        /* outside predicates the current node is the context node */
        *out = p->predicates ? gx_plan_make(p, GX_X_CURRENT, GX_T_SET, 0, 0, at, 0) : gx_plan_context(p, at);
        return GX_OK;
    case GX_CALL_TWIG:
        *out = first;
        return gx_plan_to_set(p, out, "the argument of twig()");
    case GX_F_KEY:
        return key_call(p, first, args.at[1], at, out);
    case GX_F_SUM: case GX_F_COUNT:
        return aggregate(p, f, at, first, out);
    case GX_F_FORMAT_NUMBER:
        return format_number_call(p, args, at, out);
    case GX_F_SYSTEM_PROPERTY: case GX_F_ELEMENT_AVAILABLE: case GX_F_FUNCTION_AVAILABLE:
        return property_call(p, f, first, at, out);
    case GX_F_ID: case GX_F_NODE_SET:
        if (first->type == GX_T_NUM || first->type == GX_T_BOOL || (first->type == GX_T_RTF && f->func == GX_F_ID))
            args = gx_plans_with(p, gx_plans_none, gx_plan_convert(p, first, GX_T_STR));
        break;
    }
    return plain_call(p, f, at, args, out);
}

