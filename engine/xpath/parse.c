/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.c -- XPath's grammar: from tokens to syntax
 *
 * Operators by precedence climbing, so that a level of brackets costs few C frames; GX_XPATH_DEPTH bounds them and the
 * tree. Nothing is decided here but what stands in the text: types, functions and variables are plan/build.c's.
 */
#include <string.h>
#include <apr_strings.h>
#include "xpath.h"

/* ---- making nodes ------------------------------------------------------------------------------------------------ */

/* A node that has no kids yet; at: its place in the text. It lives as long as the parser's pool, and is charged to
 * the compiler's limit. */
gx_syntax *gx_syntax_make(gx_xparse *p, gx_syntax_kind kind, u32 at)
{
    gx_builder_charge(p->env->b, sizeof(gx_syntax));
    gx_syntax *node = apr_pcalloc(p->pool, sizeof *node);
    node->kind = (u8)kind;
    node->depth = 1;
    node->at = at;
    return node;
}

/* Puts the node behind the list's last, in O(1), and keeps the parent deeper than each of its kids. */
static void append(gx_syntax **list, gx_syntax **last, gx_syntax *node, gx_syntax *parent)
{
    node->next = NULL;
    if (*last)
        (*last)->next = node;
    else
        *list = node;
    *last = node;
    if (node->depth >= parent->depth)
        parent->depth = node->depth + 1;
}

void gx_syntax_adopt(gx_syntax *parent, gx_syntax *kid)
{
    append(&parent->kids, &parent->last, kid, parent);
    parent->n++;
}

void gx_syntax_add_predicate(gx_syntax *step, gx_syntax *pred) { append(&step->preds, &step->last_pred, pred, step); }

/* A step or filter of an input */
static gx_syntax *step_of(gx_xparse *p, gx_syntax_kind kind, gx_syntax *input, u32 axis, u32 test, u32 at)
{
    gx_syntax *node = gx_syntax_make(p, kind, at);
    node->axis = (u8)axis;
    node->test = (u8)test;
    gx_syntax_adopt(node, input);
    return node;
}

/* ---- grammar ----------------------------------------------------------------------------------------------------- */

/* The sentence for a token that cannot stand here; `wanted` says what could. */
static gx_status syntax_error(const gx_xparse *p, const char *wanted)
{
    if (p->kind == GX_XT_END)
        return gx_xparse_fail(p, p->start, "%s expected at the end", wanted);
    return gx_xparse_fail(p, p->start, "%s expected before '%s'", wanted,
                          apr_pstrmemdup(p->pool, p->text + p->start, p->pos - p->start > 40 ? 40 : p->pos - p->start));
}

/* Goes on behind a token of this kind, or fails. */
static gx_status expect(gx_xparse *p, gx_xtoken kind, const char *wanted)
{
    return p->kind == kind ? gx_xparse_next(p) : syntax_error(p, wanted);
}

/* The URI of the current token's prefix. */
const char *gx_xparse_uri(const gx_xparse *p, const char *prefix)
{
    if (!*prefix)
        return "";
    const char *found = p->env->namespace_uri ? p->env->namespace_uri(p->env->ctx, prefix) : NULL;
    return !found && !strcmp(prefix, "xml") ? GX_XML_URI : found;
}

/* The namespace of a node test. An undeclared prefix is an error for when the step is reached: plan/build.c's. */
static const char *test_uri(gx_xparse *p)
{
    const char *uri = gx_xparse_uri(p, p->prefix);
    if (!uri) {
        p->undeclared = p->prefix;
        p->undeclared_at = p->start;
    }
    return uri ? uri : "";
}

/* "$" QName or the name of a function */
static gx_syntax *named(gx_xparse *p, gx_syntax_kind kind)
{
    gx_syntax *node = gx_syntax_make(p, kind, p->start);
    node->prefix = p->prefix;
    node->local = p->local;
    return node;
}

/* FunctionCall ::= FunctionName '(' (Argument (',' Argument)*)? ')', from its name. Whether there is such a function
 * is asked when the plan is built. A ')' that is missing at the text's end is a slip, as in libxslt. */
static gx_status call(gx_xparse *p, gx_syntax **out)
{
    gx_syntax *node = named(p, GX_S_CALL);
    GX_TRY(gx_xparse_next(p));
    GX_TRY(expect(p, GX_XT_LPAR, "'('"));
    while (p->kind != GX_XT_RPAR) {
        gx_syntax *arg;
        if (node->n)
            GX_TRY(expect(p, GX_XT_COMMA, "',' or ')'"));
        if (p->kind == GX_XT_END && !p->env->enclosed) {    /* libxslt asks for ')' behind an argument only */
            GX_TRY(gx_xparse_loose(p, p->start, "')' expected at the end"));
            break;
        }
        if (node->n == GX_XPATH_DEPTH)
            return gx_xparse_fail(p, p->start, "more than %u arguments", GX_XPATH_DEPTH);
        GX_TRY(gx_xparse_expr(p, &arg));
        gx_syntax_adopt(node, arg);
    }
    *out = node;
    gx_status status = gx_xparse_next(p);
    if (status != GX_OK && !*node->prefix && !strcmp(node->local, "if")) /* at "then": what is meant stands before it */
        return gx_xparse_fail(p, node->at, "not supported: function if() (XPath 2.0)");
    return status;
}

/* PrimaryExpr ::= VariableReference | '(' Expr ')' | Literal | Number | FunctionCall. Brackets leave no node. */
static gx_status primary(gx_xparse *p, gx_syntax **out)
{
    switch (p->kind) {
    case GX_XT_VAR:
        *out = named(p, GX_S_VARIABLE);
        return gx_xparse_next(p);
    case GX_XT_FUNC:
        return call(p, out);
    case GX_XT_NUM:
        *out = gx_syntax_make(p, GX_S_NUMBER, p->start);
        (*out)->num = p->num;
        return gx_xparse_next(p);
    case GX_XT_STR:
        *out = named(p, GX_S_LITERAL);
        return gx_xparse_next(p);
    default:        /* "(" */
        GX_TRY(gx_xparse_next(p));
        if (p->kind == GX_XT_RPAR)
            return gx_xparse_fail(p, p->start, "not supported: '()' (XPath 2.0)");
        GX_TRY(gx_xparse_expr(p, out));
        if (p->kind == GX_XT_COMMA)
            return gx_xparse_fail(p, p->start, "not supported: a sequence with ',' (XPath 2.0)");
        return expect(p, GX_XT_RPAR, "')'");
    }
}

/* NodeTest ::= '*' | NCName ':' '*' | QName | NodeType '(' ')' | 'processing-instruction' '(' Literal ')'. *test:
 * GX_TEST_*, *name: the pname that it compares with, or 0. A prefix that is not declared leaves p->undeclared. */
gx_status gx_xparse_test(gx_xparse *p, u32 axis, u32 *test, u32 *name)
{
    gx_builder *b = p->env->b;
    const char *uri, *local = p->local;
    *name = 0;
    p->undeclared = NULL;
    switch (p->kind) {
    case GX_XT_STAR:
        *test = GX_TEST_ANY;
        break;
    case GX_XT_NS_STAR:
        uri = test_uri(p);
        *test = GX_TEST_NS;
        *name = gx_builder_pname(b, uri, "*");
        break;
    case GX_XT_NAME:
        uri = test_uri(p);
        *test = axis == GX_AXIS_NAMESPACE && *uri ? GX_TEST_NEVER : GX_TEST_NAME;
        *name = gx_builder_pname(b, uri, local);
        break;
    case GX_XT_NODE_TYPE:
        *test = p->op;
        GX_TRY(gx_xparse_next(p));
        GX_TRY(expect(p, GX_XT_LPAR, "'('"));
        if (*test == GX_TEST_PI && p->kind == GX_XT_STR) {
            *test = GX_TEST_PI_NAME;
            *name = gx_builder_pname(b, "", p->local);
            GX_TRY(gx_xparse_next(p));
        }
        return expect(p, GX_XT_RPAR, "')'");
    case GX_XT_FUNC:
        return gx_xparse_fail(p, p->start, "a function call cannot be a step: '%s()' (XPath 2.0)", p->local);
    default:
        return syntax_error(p, "a node test");
    }
    return gx_xparse_next(p);
}

/* Predicate* ::= ('[' Expr ']')*, each put behind the step's others. */
gx_status gx_xparse_predicates(gx_xparse *p, gx_syntax *step)
{
    for (u32 n = 1; p->kind == GX_XT_LBRACKET; n++) {
        gx_syntax *pred;
        u32 at = p->start;
        GX_TRY(gx_xparse_next(p));
        GX_TRY(gx_xparse_expr(p, &pred));
        GX_TRY(expect(p, GX_XT_RBRACKET, "']'"));
        if (n > GX_XPATH_DEPTH)
            return gx_xparse_fail(p, at, "more than %u predicates", GX_XPATH_DEPTH);
        gx_syntax_add_predicate(step, pred);
    }
    return GX_OK;
}

/* May a step begin with the current token? A '/' without one is the root. */
static int begins_step(const gx_xparse *p)
{
    switch (p->kind) {
    case GX_XT_NAME:
    case GX_XT_NS_STAR:
    case GX_XT_STAR:
    case GX_XT_NODE_TYPE:
    case GX_XT_AXIS:
    case GX_XT_DOT:
    case GX_XT_DOTS:
    case GX_XT_AT:
        return 1;
    default:
        return 0;
    }
}

/* Step ::= AxisSpecifier NodeTest Predicate* | '.' | '..', from the set *path, which becomes its input. deep: "//"
 * stands before it, which the plan writes as descendant-or-self::node() or shorter. */
static gx_status step(gx_xparse *p, gx_syntax **path, int deep)
{
    u32 at = p->start, axis = GX_AXIS_CHILD, test, name;
    if (p->kind == GX_XT_DOT || p->kind == GX_XT_DOTS) {
        const char *abbreviated = p->kind == GX_XT_DOT ? "." : "..";
        *path = step_of(p, GX_S_STEP, *path, p->kind == GX_XT_DOT ? GX_AXIS_SELF : GX_AXIS_PARENT, GX_TEST_NODE, at);
        (*path)->deep = (u8)deep;
        GX_TRY(gx_xparse_next(p));
        if (p->kind == GX_XT_LBRACKET)
            return gx_xparse_fail(p, p->start, "a predicate cannot follow '%s': write %s::node()[...]", abbreviated,
                                  abbreviated[1] ? "parent" : "self");
        return GX_OK;
    }
    if (p->kind == GX_XT_AT || p->kind == GX_XT_AXIS) {
        axis = p->kind == GX_XT_AT ? GX_AXIS_ATTRIBUTE : p->op;
        GX_TRY(gx_xparse_next(p));
    }
    GX_TRY(gx_xparse_test(p, axis, &test, &name));
    *path = step_of(p, GX_S_STEP, *path, axis, test, at);
    (*path)->deep = (u8)deep;
    (*path)->name = name;
    (*path)->prefix = p->undeclared;
    (*path)->undeclared_at = p->undeclared_at;
    return gx_xparse_predicates(p, *path);
}

/* ("/" | "//") Step, any number of times, from the set *path. */
static gx_status steps(gx_xparse *p, gx_syntax **path)
{
    while (p->kind == GX_XT_SLASH || p->kind == GX_XT_SLASHES) {
        const int deep = p->kind == GX_XT_SLASHES;
        GX_TRY(gx_xparse_next(p));
        if (!begins_step(p) && p->kind != GX_XT_FUNC)
            return syntax_error(p, "a step");
        GX_TRY(step(p, path, deep));
        if ((*path)->depth > GX_XPATH_DEPTH)
            return gx_xparse_fail(p, p->start, "more than %u steps or levels of nesting", GX_XPATH_DEPTH);
    }
    return GX_OK;
}

/* "//" that one "/" or "//" more follows: a slip, in which the second one says nothing. */
static gx_status slashes_twice(gx_xparse *p)
{
    gx_xparse next = *p;
    GX_TRY(gx_xparse_next(&next));
    if (p->kind != GX_XT_SLASHES || (next.kind != GX_XT_SLASH && next.kind != GX_XT_SLASHES))
        return GX_OK;
    GX_TRY(gx_xparse_loose(p, next.start, "a step is missing between '//' and '/'"));
    const u32 nest = p->nest;
    *p = next;
    p->kind = GX_XT_SLASHES;
    p->nest = nest;
    return GX_OK;
}

/*
 * PathExpr ::= LocationPath | FilterExpr (('/' | '//') RelativeLocationPath)?
 *
 *     /a/b          STEP(STEP(ROOT, a), b)
 *     a[1]          STEP(CONTEXT, a, [1])
 *     $v[1]/a       STEP(FILTER($v, [1]), a)
 *
 * A primary expression alone gets no FILTER.
 */
static gx_status path(gx_xparse *p, gx_syntax **out)
{
    u32 at = p->start;
    switch (p->kind) {
    case GX_XT_SLASH:
        *out = gx_syntax_make(p, GX_S_ROOT, at);
        GX_TRY(gx_xparse_next(p));
        while (p->kind == GX_XT_SLASH || p->kind == GX_XT_SLASHES) {        /* white space stands between the two */
            const int deep = p->kind == GX_XT_SLASHES;
            GX_TRY(gx_xparse_loose(p, p->start, "a step is missing between '/' and '/'"));
            if (deep)
                return steps(p, out);
            GX_TRY(gx_xparse_next(p));
        }
        if (!begins_step(p))
            return GX_OK;
        GX_TRY(step(p, out, 0));
        return steps(p, out);
    case GX_XT_SLASHES:
        *out = gx_syntax_make(p, GX_S_ROOT, at);
        GX_TRY(slashes_twice(p));
        return steps(p, out);
    case GX_XT_VAR: case GX_XT_FUNC: case GX_XT_NUM: case GX_XT_STR: case GX_XT_LPAR:
        GX_TRY(primary(p, out));
        if (p->kind != GX_XT_LBRACKET && p->kind != GX_XT_SLASH && p->kind != GX_XT_SLASHES)
            return GX_OK;
        *out = step_of(p, GX_S_FILTER, *out, GX_AXIS_SELF, GX_TEST_NODE, p->start);
        GX_TRY(gx_xparse_predicates(p, *out));
        if (p->kind == GX_XT_SLASHES)
            GX_TRY(slashes_twice(p));
        return steps(p, out);
    default:
        if (!begins_step(p))
            return syntax_error(p, "an expression");
        *out = gx_syntax_make(p, GX_S_CONTEXT, at);
        GX_TRY(step(p, out, 0));
        return steps(p, out);
    }
}

static gx_syntax *pair(gx_xparse *p, gx_syntax_kind kind, u32 op, gx_syntax *left, gx_syntax *right, u32 at)
{
    gx_syntax *node = gx_syntax_make(p, kind, at);
    node->op = (u8)op;
    gx_syntax_adopt(node, left);
    gx_syntax_adopt(node, right);
    return node;
}

/* UnionExpr ::= PathExpr ('|' PathExpr)*, from left to right */
static gx_status union_of(gx_xparse *p, gx_syntax **out)
{
    GX_TRY(path(p, out));
    while (p->kind == GX_XT_PIPE) {
        gx_syntax *right;
        u32 at = p->start;
        GX_TRY(gx_xparse_next(p));
        /* libxslt reads plain paths as patterns */
        if (p->kind == GX_XT_END && !p->env->enclosed && !strpbrk(p->text, "[(@:$'\"+=<>!,")) {
            GX_TRY(gx_xparse_loose(p, at, "a path is missing behind '|'"));
            break;
        }
        GX_TRY(path(p, &right));
        *out = pair(p, GX_S_UNION, 0, *out, right, at);
    }
    return GX_OK;
}

/* One level deeper: every way from the parser into itself leads through here. */
static gx_status enter(gx_xparse *p)
{
    if (++p->nest > GX_XPATH_DEPTH)
        return gx_xparse_fail(p, p->start, "more than %u levels of nesting", GX_XPATH_DEPTH);
    return GX_OK;
}

/* UnaryExpr ::= UnionExpr | '-' UnaryExpr. Minuses are counted, so that a row of them is no recursion: two of them
 * only make a number of it. */
static gx_status unary(gx_xparse *p, gx_syntax **out)
{
    u32 at = p->start, minuses = 0;
    while (p->kind == GX_XT_OP && p->op == GX_X_SUB) {
        minuses++;
        GX_TRY(gx_xparse_next(p));
    }
    GX_TRY(union_of(p, out));
    if (!minuses)
        return GX_OK;
    gx_syntax *node = gx_syntax_make(p, GX_S_NEGATE, at);
    node->op = minuses & 1 ? 1 : 2;
    gx_syntax_adopt(node, *out);
    *out = node;
    return GX_OK;
}

/* OrExpr down to MultiplicativeExpr, by precedence climbing: operators that bind at least as tightly as `least`, all
 * of which are left-associative. One C frame for each level of precedence that the text uses, not for each that there
 * is. */
static gx_status binary(gx_xparse *p, u32 least, gx_syntax **out)
{
    GX_TRY(enter(p));
    GX_TRY(unary(p, out));
    while (p->kind == GX_XT_OP && p->precedence >= least) {
        u32 op = p->op, at = p->start, precedence = p->precedence;
        gx_syntax *right;
        GX_TRY(gx_xparse_next(p));
        GX_TRY(binary(p, precedence + 1, &right));
        *out = pair(p, GX_S_BINARY, op, *out, right, at);
    }
    if ((*out)->depth > GX_XPATH_DEPTH)
        return gx_xparse_fail(p, p->start, "more than %u operators or levels of nesting", GX_XPATH_DEPTH);
    p->nest--;
    return GX_OK;
}

gx_status gx_xparse_expr(gx_xparse *p, gx_syntax **out) { return binary(p, 1, out); }

/* A whole expression: nothing may follow it. *out is written on success only. */
gx_status gx_xparse_all(gx_xparse *p, const gx_xpath_env *env, const char *text, u32 len, gx_syntax **out)
{
    GX_TRY(gx_xparse_begin(p, env, "expression", text, len));
    GX_TRY(gx_xparse_expr(p, out));
    return p->kind == GX_XT_END ? GX_OK : syntax_error(p, "an operator");
}
