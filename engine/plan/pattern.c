/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern.c -- match patterns (XSLT 1.0, 5.2) and their default priorities (5.5)
 *
 * Each alternative of a union becomes a gx_pattern. Its steps are stored from the last to the first, the way a node is
 * tested:
 *
 *   /a//b[c]/@d      @d PARENT    b ANCESTOR, bool_expr: boolean(c)    a ROOT
 *
 * A step whose predicates count positions gets the whole step as an expression instead, to be evaluated with the node's
 * parent as context: a[2] matches what is in child::a[2] of its parent.
 */
#include <string.h>
#include "plan.h"

typedef struct pattern_step {
    u32 axis, test, name, up;
    int positional, bracketed;  /* bracketed: it has predicates, even if none is left after folding */
    double priority;            /* if it is all there is */
    gx_plans preds;
    u32 at;
} pattern_step;

static gx_status wanted(const gx_xparse *p, const char *what)
{
    return gx_xparse_fail(p, p->start, p->kind == GX_XT_END ? "%s expected at the end" : "%s expected", what);
}

static gx_status literal_argument(gx_xparse *p, gx_planner *planner, gx_plans *list)
{
    if (p->kind != GX_XT_STR)
        return wanted(p, "a literal");
    *list = gx_plans_with(planner, *list, gx_plan_str(planner, p->local, p->start));
    return gx_xparse_next(p);
}

/* What follows the ")" of id() or key() and is neither "/" nor "|" is a slip that libxslt passes over. It need not be
 * tokens of an expression. */
static gx_status pass_over(gx_xparse *p)
{
    const u32 at = p->pos + (u32)strspn(p->text + p->pos, " \t\r\n");
    char quote = 0;

    if (at >= p->len || p->text[at] == '/' || p->text[at] == '|')
        return GX_OK;
    GX_TRY(gx_xparse_slip(p, at, "only '/', '//' or '|' may follow id() or key() in a pattern"));
    for (u32 level = 0; p->pos < p->len && (quote || level || p->text[p->pos] != '|'); p->pos++) {
        const char c = p->text[p->pos];
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else
            level = c == '[' ? level + 1 : level - (level && c == ']');
    }
    return GX_OK;
}

/* IdKeyPattern (XSLT 1.0, 5.2): id('...') or key('...', '...'), whose arguments are literals. *expr is its code, which
 * gives a set. Left behind is the token after it. */
static gx_status head(gx_xparse *p, gx_planner *planner, u32 *expr)
{
    const char *name = p->local;
    u32 at = p->start;
    gx_plans list = gx_plans_none;
    gx_plan *call;
    if (*p->prefix || (strcmp(name, "id") && strcmp(name, "key")))
        return gx_xparse_fail(p, at, "only id() and key() may begin a pattern, not %s()", name);
    GX_TRY(gx_xparse_next(p));
    GX_TRY(gx_xparse_next(p));          /* "(": it made the name a function's */
    GX_TRY(literal_argument(p, planner, &list));
    if (name[0] == 'k') {
        if (p->kind != GX_XT_COMMA)
            return wanted(p, "','");
        GX_TRY(gx_xparse_next(p));
        GX_TRY(literal_argument(p, planner, &list));
    }
    if (p->kind != GX_XT_RPAR)
        return wanted(p, "')'");
    GX_TRY(gx_plan_call(planner, "", name, at, list, &call));
    GX_TRY(pass_over(p));
    GX_TRY(gx_xparse_next(p));
    return gx_plan_emit(planner, call, GX_T_SET, expr);
}

gx_status gx_pattern_of_set(const gx_xpath_env *env, const char *text, u32 *first)
{
    gx_pattern pattern;
    memset(&pattern, 0, sizeof pattern);
    GX_TRY(gx_xpath_compile(env, text, GX_T_SET, &pattern.head));
    pattern.first = env->b->psteps.n;
    pattern.where = gx_builder_where(env->b, env->file, env->line, env->column);
    *first = gx_builder_push(env->b, &env->b->patterns, &pattern);
    return GX_OK;
}

/* One step of a pattern: its axis, test, default priority (5.5) and predicates. Only child and attribute are axes
 * here. */
static gx_status step(gx_xparse *p, gx_planner *planner, pattern_step *s)
{
    memset(s, 0, sizeof *s);
    s->axis = GX_AXIS_CHILD;
    s->at = p->start;
    if (p->kind == GX_XT_AT || p->kind == GX_XT_AXIS) {
        s->axis = p->kind == GX_XT_AT ? GX_AXIS_ATTRIBUTE : p->op;
        if (s->axis != GX_AXIS_CHILD && s->axis != GX_AXIS_ATTRIBUTE)
            return gx_xparse_fail(p, p->start, "the axis '%s' is not allowed in a pattern", p->local);
        GX_TRY(gx_xparse_next(p));
    }
    if (p->kind == GX_XT_DOT || p->kind == GX_XT_DOTS)
        return gx_xparse_fail(p, p->start, "'%s' is not allowed in a pattern", p->kind == GX_XT_DOT ? "." : "..");
    if (p->kind == GX_XT_VAR || p->kind == GX_XT_NUM || p->kind == GX_XT_STR || p->kind == GX_XT_LPAR)
        return wanted(p, "a step");
    s->priority = p->kind == GX_XT_NAME ? 0 : p->kind == GX_XT_NS_STAR ? -0.25 : -0.5;
    GX_TRY(gx_xparse_test(p, s->axis, &s->test, &s->name));
    if (gx_plan_is_never(s->axis, s->test))
        s->test = GX_TEST_NEVER;
    if (p->undeclared)
        return gx_xparse_fail(p, p->undeclared_at, "the prefix '%s' is not declared", p->undeclared);
    if (s->test == GX_TEST_PI_NAME)
        s->priority = 0;
    s->bracketed = p->kind == GX_XT_LBRACKET;
    gx_syntax *brackets = gx_syntax_make(p, GX_S_STEP, s->at);
    GX_TRY(gx_xparse_predicates(p, brackets));
    return gx_plan_predicates(planner, brackets, &s->preds, &s->positional);
}

/* The step's row of the table, with the code of its predicates. */
static gx_status store(gx_planner *p, const pattern_step *s)
{
    gx_pstep row = { (u8)s->axis, (u8)s->test, (u8)s->up, (u8)s->positional, s->name, GX_NONE, GX_NONE };
    if (s->preds.n && s->positional) {
        gx_plan *whole = gx_plan_step(p, gx_plan_context(p, s->at), s->axis, s->test, s->name, s->preds, s->at);
        GX_TRY(gx_plan_emit(p, whole, GX_T_SET, &row.set_expr));
    } else if (s->preds.n) {
        gx_plan *all = s->preds.at[0];
        for (u32 i = 1; i < s->preds.n; i++)
            all = gx_plan_make(p, GX_X_AND, GX_T_BOOL, 0, 0, s->at, 2, all, s->preds.at[i]);
        GX_TRY(gx_plan_emit(p, all, GX_T_BOOL, &row.bool_expr));
    }
    gx_builder_push(p->env->b, &p->env->b->psteps, &row);
    return GX_OK;
}

/* LocationPathPattern (XSLT 1.0, 5.2): the tokens up to "|" or the end become rows of the table of steps, last step
 * first, as a node is matched from itself upwards; `pattern` says where they are. Each step's `up` says how its match
 * is found above the one behind it. *priority: the default one of 5.5, 0.5 unless the pattern is a single step without
 * predicates. */
static gx_status alternative(gx_xparse *p, gx_planner *planner, gx_pattern *pattern, double *priority)
{
    gx_vec steps = { NULL, 0, 0, sizeof(pattern_step) };
    pattern_step s;
    u32 up = GX_UP_END;
    int more = 1;
    memset(pattern, 0, sizeof *pattern);
    pattern->head = GX_NONE;
    *priority = 0.5;
    if (p->kind == GX_XT_FUNC) {
        GX_TRY(head(p, planner, &pattern->head));
        more = p->kind == GX_XT_SLASH || p->kind == GX_XT_SLASHES;
        up = p->kind == GX_XT_SLASH ? GX_UP_HEAD_PARENT : GX_UP_HEAD_ANCESTOR;
        if (more)
            GX_TRY(gx_xparse_next(p));
    } else if (p->kind == GX_XT_SLASH) {
        GX_TRY(gx_xparse_next(p));
        up = GX_UP_ROOT;
        if (p->kind == GX_XT_END || p->kind == GX_XT_PIPE) {
            memset(&s, 0, sizeof s);
            s.axis = GX_AXIS_CHILD;
            s.test = GX_TEST_ROOT;
            s.up = GX_UP_END;
            gx_builder_push(p->env->b, &steps, &s);
            more = 0;
        }
    } else if (p->kind == GX_XT_SLASHES) {
        GX_TRY(gx_xparse_next(p));
        up = GX_UP_ROOT_DESC;
    }
    while (more) {
        if (steps.n == GX_XPATH_DEPTH)
            return gx_xparse_fail(p, p->start, "more than %u steps", GX_XPATH_DEPTH);
        GX_TRY(step(p, planner, &s));
        s.up = up;
        gx_builder_push(p->env->b, &steps, &s);
        if (up == GX_UP_END && steps.n == 1 && !s.bracketed)
            *priority = s.priority;
        else
            *priority = 0.5;
        more = p->kind == GX_XT_SLASH || p->kind == GX_XT_SLASHES;
        up = p->kind == GX_XT_SLASH ? GX_UP_PARENT : GX_UP_ANCESTOR;
        if (more)
            GX_TRY(gx_xparse_next(p));
    }
    pattern->first = p->env->b->psteps.n;
    pattern->n = steps.n;
    for (u32 i = steps.n; i-- > 0;)
        GX_TRY(store(planner, GX_VEC_AT(&steps, pattern_step, i)));
    const pattern_step *only = GX_VEC_AT(&steps, pattern_step, 0);
    /* a PI's name is no part of what rules are dispatched by: it has to be looked at */
    pattern->simple = steps.n == 1 && !only->preds.n && only->up == GX_UP_END && only->test != GX_TEST_PI_NAME;
    pattern->where = gx_builder_where(p->env->b, p->env->file, p->env->line, p->env->column);
    return GX_OK;
}

/* Where an alternative should begin, after n of them: is there none? A slip: libxslt passes over a '|' at the very end,
 * and takes a pattern for one that matches nothing where an empty alternative is elsewhere, or white space alone. */
static gx_status empty_alternative(gx_xparse *p, u32 n, int *is_empty, int *never)
{
    *is_empty = p->kind == GX_XT_PIPE || (p->kind == GX_XT_END && p->len);
    if (!*is_empty)
        return GX_OK;
    *never = !n || p->kind == GX_XT_PIPE || p->text[p->len - 1] != '|';
    const int beside = n || p->kind == GX_XT_PIPE;
    return gx_xparse_slip(p, p->start, beside ? "a pattern is missing beside '|'" : "the pattern is empty");
}

/* A pattern as its alternatives, n rows of `patterns` from *first on, each with its default priority. GX_ESTYLE at what
 * is no pattern. */
gx_status gx_pattern_compile(const gx_xpath_env *env, const char *text, u32 *first, u32 *n, double **priority)
{
    gx_xparse p;
    gx_planner planner;
    gx_vec patterns = { NULL, 0, 0, sizeof(gx_pattern) }, priorities = { NULL, 0, 0, sizeof(double) };
    GX_TRY(gx_xparse_begin(&p, env, "pattern", text, (u32)strlen(text)));
    gx_planner_begin(&planner, &p);
    for (;;) {
        int is_empty, never;
        GX_TRY(empty_alternative(&p, patterns.n, &is_empty, &never));
        if (is_empty && never)
            patterns.n = 0;
        if (is_empty)
            break;
        gx_pattern pattern;
        double value;
        GX_TRY(alternative(&p, &planner, &pattern, &value));
        gx_builder_push(env->b, &patterns, &pattern);
        gx_builder_push(env->b, &priorities, &value);
        if (p.kind == GX_XT_END)
            break;
        if (p.kind != GX_XT_PIPE)
            return wanted(&p, "'/' or '|'");
        GX_TRY(gx_xparse_next(&p));
    }
    *first = env->b->patterns.n;
    *n = patterns.n;
    *priority = (double *)priorities.at;
    for (u32 i = 0; i < patterns.n; i++)
        gx_builder_push(env->b, &env->b->patterns, GX_VEC_AT(&patterns, gx_pattern, i));
    return GX_OK;
}
