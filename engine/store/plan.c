/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c -- what of an expression can be answered part by part, and what the index knows of it (ask.h)
 *
 * Works on the syntax tree. "Torn" is an element that lies in several parts, or the root: each of its parts has it with
 * its attributes, but only some of its children.
 */
#include <apr_strings.h>
#include <string.h>
#include "ask.h"
#include "head.h"
#include "machine/word.h"
#include "xpath/functions.h"
#include "xpath/xpath.h"

typedef struct look {
    const gx_compile_options *options;
    const char *torn;
    u32 deepest;
    gx_xparse *parse;
    gxs_plan *plan;
} look;

static int is_word(const look *l, const gx_syntax *s, const char *local)
{
    const char *uri = s->kind == GX_S_CALL ? gx_xparse_uri(l->parse, s->prefix) : NULL;
    return uri && !strcmp(uri, GX_VENDOR_URI) && !strcmp(s->local, local);
}

static int is_core(const gx_syntax *s, const char *local)
{
    return s->kind == GX_S_CALL && !*s->prefix && !strcmp(s->local, local);
}

/* An expression in brackets is that expression. */
static const gx_syntax *bare(const gx_syntax *s)
{
    while (s->kind == GX_S_FILTER && !s->preds && s->kids)
        s = s->kids;
    return s;
}

static void name_of(const look *l, const gx_syntax *step, const char **uri, const char **local)
{
    const gx_builder *b = l->parse->env->b;
    const gx_pname *n = (const gx_pname *)(const void *)b->pnames.at + step->name;
    const gx_lit *lits = (const gx_lit *)(const void *)b->lits.at;
    *uri = apr_pstrmemdup(l->parse->pool, (const char *)b->lit_bytes.at + lits[n->uri].off, lits[n->uri].len);
    *local = apr_pstrmemdup(l->parse->pool, (const char *)b->lit_bytes.at + lits[n->local].off, lits[n->local].len);
}

/* ---- part by part? ---- */

static int is_down(const gx_syntax *s)
{
    return s->axis <= GX_AXIS_ATTRIBUTE; /* self, child, descendant, descendant-or-self, attribute */
}

/* Functions that look at nothing but their arguments and the context node with its ancestors' attributes */
static int is_local_call(const look *l, const gx_syntax *s)
{
    static const char *const names[] = { "last",
                                         "position",
                                         "count",
                                         "local-name",
                                         "namespace-uri",
                                         "name",
                                         "string",
                                         "concat",
                                         "starts-with",
                                         "contains",
                                         "substring",
                                         "translate",
                                         "string-length",
                                         "substring-before",
                                         "substring-after",
                                         "boolean",
                                         "not",
                                         "normalize-space",
                                         "true",
                                         "false",
                                         "number",
                                         "sum",
                                         "floor",
                                         "ceiling",
                                         "round",
                                         "lang",
                                         NULL };
    for (u32 i = 0; names[i]; i++)
        if (is_core(s, names[i]))
            return 1;
    return is_word(l, s, "contains-word") || is_word(l, s, "phrase") || is_word(l, s, "score");
}

/* Does its value depend on nothing outside the context node's subtree? */
static int is_local(const look *l, const gx_syntax *s)
{
    switch (s->kind) {
    case GX_S_NUMBER:
    case GX_S_LITERAL:
    case GX_S_CONTEXT: break;
    case GX_S_CALL:
        if (!is_local_call(l, s))
            return 0;
        break;
    case GX_S_STEP:
        if (!is_down(s))
            return 0;
        break;
    case GX_S_FILTER:
    case GX_S_UNION:
    case GX_S_BINARY:
    case GX_S_NEGATE: break;
    default: /* absolute paths, variables */ return 0;
    }
    for (const gx_syntax *k = s->kids; k; k = k->next)
        if (!is_local(l, k))
            return 0;
    for (const gx_syntax *k = s->preds; k; k = k->next)
        if (!is_local(l, k))
            return 0;
    return 1;
}

/* May its value be a number, or depend on position() or last() of the predicate that it is? */
static int is_positional(const look *l, const gx_syntax *s, int outermost)
{
    static const char *const numbers[] = {
        "count", "sum", "floor", "ceiling", "round", "number", "string-length", NULL
    };
    s = bare(s);
    if (is_core(s, "position") || is_core(s, "last"))
        return 1;
    if (outermost
        && (s->kind == GX_S_NUMBER || s->kind == GX_S_NEGATE
            || (s->kind == GX_S_BINARY && s->op >= GX_X_ADD && s->op <= GX_X_MOD)))
        return 1;
    for (u32 i = 0; outermost && numbers[i]; i++)
        if (is_core(s, numbers[i]))
            return 1;
    if (outermost && is_word(l, s, "score"))
        return 1;
    for (const gx_syntax *k = s->kids; k; k = k->next) /* not predicates: those have positions of their own */
        if (is_positional(l, k, 0))
            return 1;
    return 0;
}

static int names_torn(const look *l, const gx_syntax *step)
{
    const char *uri, *local;
    if (step->test != GX_TEST_NAME)
        return step->test == GX_TEST_ANY || step->test == GX_TEST_NODE || step->test == GX_TEST_NS;
    name_of(l, step, &uri, &local);
    return gxs_is_listed(l->torn, strlen(l->torn), local, strlen(local));
}

/* Does the predicate ask for an attribute's value, so that an element is seen not to have it? Notes what for. */
static int is_guarded(look *l, const gx_syntax *p)
{
    const char *uri, *local;
    p = bare(p);
    if (p->kind == GX_S_BINARY && p->op == GX_X_AND)
        return is_guarded(l, p->kids) || is_guarded(l, p->kids->next);
    if (p->kind != GX_S_BINARY || p->op != GX_X_EQ || l->plan->n_guards == GXS_GUARDS)
        return 0;
    const gx_syntax *a = bare(p->kids), *value = bare(p->kids->next);
    if (a->kind == GX_S_LITERAL) {
        const gx_syntax *other = a;
        a = value;
        value = other;
    }
    if (value->kind != GX_S_LITERAL || a->kind != GX_S_STEP || a->axis != GX_AXIS_ATTRIBUTE
        || a->test != GX_TEST_NAME || a->deep || a->preds || bare(a->kids)->kind != GX_S_CONTEXT)
        return 0;
    name_of(l, a, &uri, &local);
    l->plan->guards[l->plan->n_guards++] =
        (gxs_guard){ gx_name_hash(uri, (u32)strlen(uri), local, (u32)strlen(local)), (u32)strlen(value->local),
                     apr_pstrdup(l->parse->pool, value->local) };
    return 1;
}

/* A path whose steps go down from the root. *torn: may a node of it be torn? *depth: no node of it is less deep; the
 * root is 0 deep. NULL, or why it is none. */
static const char *path_wrong(look *l, const gx_syntax *s, int *torn, u32 *depth)
{
    const char *wrong;
    int from = 1;
    s = bare(s);
    *torn = 1;
    *depth = 0;
    if (s->kind == GX_S_ROOT || s->kind == GX_S_CONTEXT)
        return NULL;
    if (s->kind == GX_S_UNION) {
        int left, right;
        u32 other;
        if ((wrong = path_wrong(l, s->kids, &left, depth)) || (wrong = path_wrong(l, s->kids->next, &right, &other)))
            return wrong;
        *depth = other < *depth ? other : *depth;
        *torn = left | right;
        return NULL;
    }
    if (s->kind != GX_S_STEP)
        return s->kind == GX_S_FILTER ? "it takes nodes by their position in all of the document" : "it is no path";
    if (!is_down(s))
        return "it leaves the way down the tree";
    if ((wrong = path_wrong(l, s->kids, &from, depth)))
        return wrong;
    *depth += s->axis != GX_AXIS_SELF && s->axis != GX_AXIS_DESCENDANT_OR_SELF;
    *torn = from && (s->axis == GX_AXIS_ATTRIBUTE || (*depth <= l->deepest && names_torn(l, s)));
    for (const gx_syntax *p = s->preds; p; p = p->next) {
        if (*torn && s->test != GX_TEST_NAME && is_guarded(l, p))
            *torn = 0;
        if (*torn)
            return "a predicate looks at an element that lies in several parts";
        if (!is_local(l, p))
            return "a predicate looks outside the element that it belongs to";
        if (from && is_positional(l, p, 1))
            return "a predicate counts positions among children of an element that lies in several parts";
    }
    return NULL;
}

/* ---- the index ---- */

static void need(look *l, u32 flag, u32 hash)
{
    if (l->plan->n_needs < GXS_NEEDS)
        l->plan->needs[l->plan->n_needs++] = (gxs_need){ flag, hash };
}

/* Does a path begin in the document that it is evaluated in? */
static int is_own(const gx_syntax *s)
{
    while (s->kind == GX_S_STEP || s->kind == GX_S_FILTER)
        s = s->kids;
    return s->kind == GX_S_ROOT || s->kind == GX_S_CONTEXT;
}

/* The element or attribute whose string-value q is compared: of a path its last step, of "." the step that has the
 * predicate. NULL: not known by name */
static const gx_syntax *named_step(const gx_syntax *q, const gx_syntax *step)
{
    q = bare(q);
    if (!is_own(q))
        return NULL;
    if (q->kind == GX_S_STEP && q->axis == GX_AXIS_SELF && q->test == GX_TEST_NODE && !q->deep
        && bare(q->kids)->kind == GX_S_CONTEXT)
        q = step;
    return q && q->kind == GX_S_STEP && q->test == GX_TEST_NAME && !q->prefix ? q : NULL;
}

static void need_value(look *l, const gx_syntax *q, const gx_syntax *literal, const gx_syntax *step)
{
    const char *uri, *local;
    const gx_syntax *named = named_step(q, step);
    const u32 len = (u32)strlen(literal->local);
    if (!named || len > GXS_VALUE || (named->axis > GX_AXIS_ATTRIBUTE && named->axis < GX_AXIS_FOLLOWING))
        return;
    name_of(l, named, &uri, &local);
    need(l, GXS_HAS_VALUES,
         gxs_value_hash(named->axis == GX_AXIS_ATTRIBUTE, uri, (u32)strlen(uri), local, (u32)strlen(local),
                        literal->local, len));
}

static void need_words(look *l, const gx_syntax *q, const gx_syntax *literal, const gx_syntax *step)
{
    const char *s = literal->local;
    const gx_syntax *named = named_step(q, step);
    const u32 n = (u32)strlen(s);
    if (!named || (named->axis > GX_AXIS_ATTRIBUTE && named->axis < GX_AXIS_FOLLOWING))
        return;
    for (u32 at = 0, len; (len = gx_word_next(s, n, &at)) != 0; at += len)
        need(l, GXS_HAS_WORDS, gxs_word_hash(s + at, len));
}

/* What the step finds has a name. */
static void need_name(look *l, const gx_syntax *step)
{
    const int is_attribute = step->axis == GX_AXIS_ATTRIBUTE;
    const char *uri, *local;
    gxs_plan *p = l->plan;
    if (step->test != GX_TEST_NAME || p->n_names == GXS_NAMES || !is_down(step))
        return;
    name_of(l, step, &uri, &local);
    p->locals[p->n_names] = local;
    p->names[p->n_names++] = (gxs_name){ is_attribute ? GX_KIND_ATTR : GX_KIND_ELEM,
                                         gx_name_hash(uri, (u32)strlen(uri), local, (u32)strlen(local)) };
}

static void needs_of_path(look *l, const gx_syntax *s);

/* Is a path compared with q true of some node of it only? Of a boolean it may be true without one. */
static int needs_node(const gx_syntax *q)
{
    return q->kind == GX_S_LITERAL || q->kind == GX_S_NUMBER || q->kind == GX_S_STEP || q->kind == GX_S_CONTEXT;
}

/* What must be in a part for a predicate of `step` to be true there */
static void needs_of(look *l, const gx_syntax *p, const gx_syntax *step)
{
    p = bare(p);
    if (p->kind == GX_S_BINARY && p->op == GX_X_AND) {
        needs_of(l, p->kids, step);
        needs_of(l, p->kids->next, step);
    } else if (p->kind == GX_S_BINARY && p->op >= GX_X_EQ && p->op <= GX_X_GE) {
        const gx_syntax *a = bare(p->kids), *b = bare(p->kids->next);
        if (p->op == GX_X_EQ && b->kind == GX_S_LITERAL)
            need_value(l, a, b, step);
        else if (p->op == GX_X_EQ && a->kind == GX_S_LITERAL)
            need_value(l, b, a, step);
        if (needs_node(b))
            needs_of_path(l, a);
        if (needs_node(a))
            needs_of_path(l, b);
    } else if (p->kind == GX_S_CALL && p->n == 2 && (is_word(l, p, "contains-word") || is_word(l, p, "phrase"))) {
        if (bare(p->kids->next)->kind == GX_S_LITERAL)
            need_words(l, p->kids, bare(p->kids->next), step);
    } else
        needs_of_path(l, p);
}

/* What must be there for a path to have a node; of what is no path nothing is known. */
static void needs_of_path(look *l, const gx_syntax *s)
{
    if (!is_own(s))
        return;
    for (s = bare(s); s->kind == GX_S_STEP; s = bare(s->kids)) {
        need_name(l, s);
        for (const gx_syntax *p = s->preds; p; p = p->next)
            needs_of(l, p, s);
    }
}

/* The same of the path that is asked for. A * that is guarded may be an element that lies in several parts: then what
 * else must be there may be in other parts than the guard's value, which must be seen. So of the outermost such step
 * the attributes count, and nothing else. */
static void needs_of_question(look *l, const gx_syntax *s)
{
    gxs_plan *p = l->plan;
    needs_of_path(l, s);
    for (const gx_syntax *step = bare(s); step->kind == GX_S_STEP; step = bare(step->kids))
        for (const gx_syntax *k = step->test != GX_TEST_NAME ? step->preds : NULL; k; k = k->next) {
            const u32 before = p->n_guards;
            if (!is_guarded(l, k))
                continue;
            p->n_needs = p->n_names = 0;
            const gxs_guard *g = &p->guards[before];
            p->locals[p->n_names] = "";
            p->names[p->n_names++] = (gxs_name){ GX_KIND_ATTR, g->name };
            if (g->value_len <= GXS_VALUE)
                need(l, GXS_HAS_VALUES, gxs_named_value_hash(1, g->name, g->value, g->value_len));
        }
    p->n_guards = 0;
}

/* ---- the plan ---- */

static const char *namespace_of(void *ctx, const char *prefix)
{
    const gx_compile_options *o = ctx;
    for (int i = 0; o && i < o->n_namespaces; i++)
        if (!strcmp(o->namespaces[i].name, prefix))
            return o->namespaces[i].value;
    return NULL;
}

/* How an expression is asked: of each part (EACH), if no answer of it can lie in several of them, or of the whole
 * document put together (WHOLE, with the reason in plan->why). plan->needs: terms that a record must have to be in the
 * answer. torn, deepest: the elements that lie in several parts, and how deep. O(expression), without the store. */
gx_status gxs_plan_make(const char *expression, const gx_compile_options *options, const char *torn, u32 deepest,
                        apr_pool_t *pool, gxs_plan *plan, gx_error *err)
{
    gx_xpath_env env = {
        .b = gx_builder_create(pool, err), .file = "", .ctx = (void *)(uintptr_t)options, .namespace_uri = namespace_of
    };
    gx_xparse parse;
    gx_syntax *syntax;
    int is_torn = 0;
    u32 depth;
    memset(plan, 0, sizeof *plan);
    GX_TRY(gx_xparse_all(&parse, &env, expression, (u32)strlen(expression), &syntax));
    look l = { options, torn ? torn : "", torn ? deepest : 0, &parse, plan };
    const gx_syntax *s = bare(syntax), *path = is_core(s, "count") && s->n == 1 ? bare(s->kids) : s;
    plan->is_count = path != s;
    plan->is_path = (plan->is_count || s->kind == GX_S_STEP) && is_own(path);
    if (plan->is_path)
        needs_of_question(&l, path);
    plan->why = path_wrong(&l, path, &is_torn, &depth);
    if (!plan->why && is_torn)
        plan->why = "an element that lies in several parts is, or may be, in the result";
    plan->way = plan->why ? GXS_WHOLE : GXS_EACH;
    return GX_OK;
}
