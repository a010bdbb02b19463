/* SPDX-License-Identifier: Apache-2.0 */
/*
 * properties.c -- the facts about a plan's node, each derived here from the node and its operands' facts, and nowhere
 * else
 *
 * Cost: O(operands) for each node that is made.
 */
#include <string.h>
#include "plan.h"

#define SMALL_FANOUT 16u         /* nodes of a row */

static int is_leaf_test(u32 test)
{
    return test == GX_TEST_TEXT || test == GX_TEST_COMMENT || test == GX_TEST_PI || test == GX_TEST_PI_NAME;
}

const gx_plan *gx_plan_step_of(const gx_plan *n)
{
    return n->op != GX_X_STEP && n->origin && n->origin->op == GX_X_STEP ? n->origin : n;
}

int gx_plan_is_never(u32 axis, u32 test)
{
    const int leaf = is_leaf_test(test);
    if (axis == GX_AXIS_ATTRIBUTE || axis == GX_AXIS_PARENT || axis == GX_AXIS_ANCESTOR)
        return leaf;
    return axis == GX_AXIS_NAMESPACE && (leaf || test == GX_TEST_NS);       /* namespace nodes' names have no URI */
}

u32 gx_xop_turned(u32 op)
{
    return op == GX_X_LT ? GX_X_GT : op == GX_X_LE ? GX_X_GE : op == GX_X_GT ? GX_X_LT : op == GX_X_GE ? GX_X_LE : op;
}

/* ---- positions ---- */

static int has_nth(gx_plans preds)
{
    for (u32 i = 0; i < preds.n; i++)
        if (preds.at[i]->op == GX_X_NTH || (preds.at[i]->op == GX_X_AT && !preds.at[i]->a))
            return 1;
    return 0;
}

int gx_plan_is_positional(const gx_plan *pred)
{
    return pred->op == GX_X_NTH || pred->type == GX_T_NUM || pred->type == GX_T_ANY
        || (pred->deps & (GX_DEP_POSITION | GX_DEP_LAST));
}

int gx_plans_are_positional(gx_plans preds)
{
    for (u32 i = 0; i < preds.n; i++)
        if (gx_plan_is_positional(preds.at[i]))
            return 1;
    return 0;
}

/* ---- order ---- */

/*
 * What a step makes of an ordered, duplicate-free set, put together in the order of its nodes:
 *
 *   input      SINGLE                                  FLAT                     any
 *   output     ordered on every axis                   ordered on child,        ordered on self, attribute, namespace
 *                                                      descendant(-or-self)
 *   and FLAT   child, both siblings, leaf kinds        child, leaf kinds        attribute, namespace
 *              of every axis                           of descendant
 *   and SINGLE parent, @name, NTH                      -                        -
 */
static void derive_order(gx_plan *step)
{
    const u32 axis = GX_STEP_AXIS(step->a), test = GX_STEP_TEST(step->a), in = step->kids[0]->set;
    int sorted = (in & GX_XS_SINGLE) != 0;
    u32 out = 0;
    switch (axis) {
    case GX_AXIS_SELF:
        sorted = 1;
        out = in;
        break;
    case GX_AXIS_CHILD:
        sorted |= in & GX_XS_FLAT || gx_plan_is_unordered(step->kids[0]);     /* no order to keep */
        out = in & GX_XS_FLAT;
        break;
    case GX_AXIS_DESCENDANT: case GX_AXIS_DESCENDANT_OR_SELF:
        sorted |= in & GX_XS_FLAT;
        break;
    case GX_AXIS_ATTRIBUTE: case GX_AXIS_NAMESPACE:
        sorted = 1;
        out = GX_XS_FLAT;
        if (test == GX_TEST_NAME)
            out |= in & GX_XS_SINGLE;
        break;
    case GX_AXIS_PARENT:
        out = in & GX_XS_SINGLE ? GX_XS_SINGLE | GX_XS_FLAT : 0;
        break;
    case GX_AXIS_FOLLOWING_SIBLING: case GX_AXIS_PRECEDING_SIBLING:
        out = in & GX_XS_SINGLE ? GX_XS_FLAT : 0;
        break;
    }
    if (is_leaf_test(test))
        out |= GX_XS_FLAT;          /* nodes without children, wherever they stand */
    if ((in & GX_XS_SINGLE) && has_nth(step->preds))
        out = GX_XS_SINGLE | GX_XS_FLAT;
    step->set = (u8)out;
    step->a = (u16)((step->a & ~GX_STEP_SORTED) | (sorted || step->a & GX_STEP_SOME ? GX_STEP_SORTED : 0));
}

/* ---- who shares a set's nodes ---- */

gx_plan *gx_plan_above(const gx_plan *input, u32 test, u32 name)
{
    if (input->op != GX_X_STEP || input->preds.n || GX_STEP_TEST(input->a) != GX_TEST_NODE)
        return NULL;
    if (GX_STEP_AXIS(input->a) == GX_AXIS_DESCENDANT_OR_SELF)
        return input->kids[0];
    const gx_plan *x = input->kids[0];
    return GX_STEP_AXIS(input->a) == GX_AXIS_PARENT && x->op == GX_X_STEP && !x->preds.n
        && GX_STEP_AXIS(x->a) == GX_AXIS_DESCENDANT && GX_STEP_TEST(x->a) == test && x->b == name ? x->kids[0] : NULL;
}

/* siblings, what is before or behind, children or descendants of the parent or of an ancestor */
int gx_plan_is_shared(const gx_plan *node)
{
    const gx_plan *input = node->kids[0];
    const u32 axis = node->op == GX_X_STEP || node->op == GX_X_COUNT ? GX_STEP_AXIS(node->a) : GX_AXIS_SELF;
    const u32 before = input->op == GX_X_STEP ? GX_STEP_AXIS(input->a) : GX_AXIS_SELF;
    return axis == GX_AXIS_FOLLOWING || axis == GX_AXIS_FOLLOWING_SIBLING || axis == GX_AXIS_PRECEDING
        || axis == GX_AXIS_PRECEDING_SIBLING
        || ((axis == GX_AXIS_CHILD || axis == GX_AXIS_DESCENDANT || axis == GX_AXIS_DESCENDANT_OR_SELF)
            && (before == GX_AXIS_PARENT || before == GX_AXIS_ANCESTOR || before == GX_AXIS_ANCESTOR_OR_SELF)
            && !gx_plan_above(input, GX_STEP_TEST(node->a), node->b));
}

/* Is all that n uses of the context node its parent (..)? */
static int is_by_parent(const gx_plan *n)
{
    if (!(n->deps & GX_DEP_CONTEXT)
        || (n->op == GX_X_STEP && GX_STEP_AXIS(n->a) == GX_AXIS_PARENT && n->kids[0]->op == GX_X_CONTEXT))
        return 1;
    for (u32 i = 0; i < n->n; i++)
        if (!is_by_parent(n->kids[i]))
            return 0;
    return n->n && !gx_plan_is_call(n, GX_F_LANG);
}

int gx_plan_of_parent(const gx_plan *node)
{
    return node->shared && node->deps & GX_DEP_CONTEXT && !(node->deps & ~(GX_DEP_CONTEXT | GX_DEP_TREE))
        && !node->calls && !node->hosted && is_by_parent(node);
}

/* Does a step, or a filter, ask nothing of the row that it is made for, and lead downwards? */
static int is_free(const gx_plan *s)
{
    const u32 axis = GX_STEP_AXIS(s->a);
    const int down = axis == GX_AXIS_CHILD || axis == GX_AXIS_DESCENDANT || axis == GX_AXIS_DESCENDANT_OR_SELF;
    if (s->op != GX_X_FILTER && (s->op != GX_X_STEP || !down))
        return 0;
    for (u32 i = 0; i < s->preds.n; i++)
        if (s->preds.at[i]->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT) || s->preds.at[i]->calls || s->preds.at[i]->hosted
            || s->preds.at[i]->fails)
            return 0;
    return 1;
}

const gx_plan *gx_plan_each_base(const gx_plan *path)
{
    const gx_plan *s = path;
    while (is_free(s))
        s = s->kids[0];
    if (s == path || !(s->deps & ~GX_DEP_TREE) || s->type != GX_T_SET)
        return NULL;
    if (s->op == GX_X_STEP) {
        const u32 axis = GX_STEP_AXIS(s->a);
        return axis == GX_AXIS_PARENT || axis == GX_AXIS_ANCESTOR || axis == GX_AXIS_ANCESTOR_OR_SELF ? s : NULL;
    }
    return s->op == GX_X_VAR || (s->op == GX_X_TO_SET && s->kids[0]->op == GX_X_VAR) || s->op == GX_X_AT
        || (s->op == GX_X_JOIN && !s->b)
        || gx_plan_is_call(s, GX_F_KEY) || gx_plan_is_call(s, GX_F_KEY_FIRST) || gx_plan_is_call(s, GX_F_ID) ? s : NULL;
}

/* Is node a step from the root, to nodes that each row asks something else? */
static int is_of_root(const gx_plan *node)
{
    u32 deps = 0;
    for (u32 i = 0; i < node->preds.n; i++)
        deps |= node->preds.at[i]->deps;
    return node->kids[0]->op == GX_X_ROOT && deps & (GX_DEP_LOCAL | GX_DEP_CURRENT);
}

int gx_plan_in_rounds(const gx_plan *node)
{
    u32 i = 0;
    if (node->op != GX_X_STEP || !node->preds.n || GX_STEP_AXIS(node->a) == GX_AXIS_DESCENDANT_OR_SELF)
        return 0;
    if (!is_of_root(node) && (!gx_plan_is_shared(node) || !(node->kids[0]->deps & ~GX_DEP_TREE)))
        return 0;
    for (; i < node->preds.n && !gx_plan_is_positional(node->preds.at[i]); i++) {
        const gx_plan *pred = node->preds.at[i];
        /* what is the same for all candidates would be evaluated each time */
        if (pred->calls || pred->hosted || pred->deps & GX_DEP_TREE)
            return 0;
    }
    return i && i < node->preds.n && node->preds.at[i]->op == GX_X_NTH && node->preds.at[i]->b
        && node->preds.at[i]->b <= SMALL_FANOUT;
}

int gx_plan_is_unordered(const gx_plan *n)
{
    while (n->op == GX_X_STEP || n->op == GX_X_CHOICE)
        n = n->kids[n->op == GX_X_CHOICE ? 2 : 0];
    return n->op == GX_X_JOIN && n->a & GX_JOIN_UNORDERED;
}

int gx_plan_is_disjoint(const gx_plan *node)
{
    const u32 axis = GX_STEP_AXIS(node->a);
    return (node->op == GX_X_STEP || node->op == GX_X_COUNT) && !node->preds.n
        && (node->a & GX_STEP_SORTED || axis == GX_AXIS_CHILD || axis == GX_AXIS_ATTRIBUTE
            || axis == GX_AXIS_NAMESPACE);
}

/* May each row have many nodes that others have too? Shared ones, those of a variable, of predicates that ask for
 * something else for each row. Not those of children, descendants, attributes and ancestors: in all they are not many
 * more than nodes. */
static void derive_fanout(gx_plan *node)
{
    const gx_plan *input = node->kids[0], *first = node->preds.n ? node->preds.at[0] : NULL;
    int large = (input->deps & GX_DEP_LOCAL) != 0 || gx_plan_is_shared(node);
    if (first && (first->op == GX_X_NTH || first->op == GX_X_RANGE) && first->b && first->b <= SMALL_FANOUT)
        large = 0;                       /* no more than so many are looked for */
    if (gx_plan_in_rounds(node))
        large = 0;
    for (u32 i = 0; i < node->preds.n; i++)
        large |= !(input->deps & GX_DEP_CONTEXT) && node->preds.at[i]->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT);
    if (large)
        node->fanout |= GX_FANOUT_LARGE;
    if (node->fanout && node->preds.n)
        node->fanout |= GX_FANOUT_FILTERED;
}

/* ---- all of them ---- */

/* GX_XS_*: has each row at most one node, and can one be an ancestor of another? Follows from the operator and its
 * input, and from what the maker knew (given). */
static void derive_set(gx_plan *n)
{
    const gx_plan *input = n->n ? n->kids[0] : NULL;
    switch (n->op) {
    case GX_X_CONTEXT: case GX_X_ROOT: case GX_X_CURRENT:
        n->set = GX_XS_SINGLE | GX_XS_FLAT;
        break;
    case GX_X_STEP:
        derive_order(n);
        break;
    case GX_X_FILTER:
        n->set = n->b ? input->set & GX_XS_FLAT : has_nth(n->preds) ? GX_XS_SINGLE | GX_XS_FLAT : input->set;
        break;
    case GX_X_AT: case GX_X_BETWEEN:
        n->set = n->n == 3 || n->a & ~GX_AT_FROM_END ? input->set : GX_XS_SINGLE | GX_XS_FLAT;
        break;
    case GX_X_JOIN:
        n->set = input->set;
        break;
    case GX_X_CHOICE:
        n->set = n->kids[1]->set & n->kids[2]->set;
        break;
    case GX_X_FUNC:
        n->set = n->a == GX_F_KEY_FIRST || n->a == GX_F_KEY_AXIS_FIRST || n->a == GX_F_FIRST_UNORDERED
                || n->a == GX_F_LAST_UNORDERED ? GX_XS_SINGLE | GX_XS_FLAT : 0;
        break;
    default:
        n->set = 0;
    }
    n->set |= n->given;
    if (n->type != GX_T_SET)
        n->set = 0;
}

/* The fan-out, GX_FANOUT_*: may each row's set be a good part of the tree (LARGE), and do predicates leave fewer
 * (FILTERED)? lower.c puts such into PARTS. Where only one node, a number or the ends of a run are asked for, no list
 * is made, and the operand's own fan-out counts. */
static void derive_extent(gx_plan *n)
{
    switch (n->op) {
    case GX_X_STEP:
        if (n->a & GX_STEP_SOME || GX_STEP_MOST(n->a) || gx_plan_is_unordered(n))
            n->fanout = n->kids[0]->fanout;
        else
            derive_fanout(n);
        break;
    case GX_X_COUNT:                    /* where contexts have nodes in common, it makes a list */
        if (n->kids[0]->set & GX_XS_SINGLE || gx_plan_is_disjoint(n))
            n->fanout = n->kids[0]->fanout;
        else
            derive_fanout(n);
        break;
    case GX_X_FILTER:
        derive_fanout(n);
        break;
    case GX_X_CHOICE:
        n->fanout = n->kids[1]->fanout | n->kids[2]->fanout;
        break;
    case GX_X_JOIN:
        n->fanout = n->type == GX_T_SET && !(n->a & GX_JOIN_UNORDERED)
                && (!GX_JOIN_N(n->b) || n->b & GX_JOIN_OF_EACH) ? GX_FANOUT_LARGE | GX_FANOUT_FILTERED : 0;
        break;
    case GX_X_AT: case GX_X_BETWEEN:
        if (n->type != GX_T_SET)
            break;
        if ((n->n == 3 || n->a & ~GX_AT_FROM_END) && !(n->kids[0]->deps & GX_DEP_CONTEXT))
            n->fanout |= GX_FANOUT_LARGE;
        if (n->fanout)
            n->fanout |= GX_FANOUT_FILTERED;
        break;
    case GX_X_FUNC:
        if (n->a == GX_F_KEY_FIRST || n->a == GX_F_KEY_COUNT || n->a == GX_F_KEY_AXIS_FIRST)
            n->fanout = 0;
        else if (n->a == GX_F_KEY || n->a == GX_F_KEY_AXIS || n->a == GX_F_ID)
            n->fanout |= GX_FANOUT_LARGE;
        else if (n->a == GX_F_AXIS_RANGE || n->a == GX_F_SUM_UNORDERED)    /* may have to sort each row's */
            n->fanout = GX_FANOUT_LARGE;
        break;
    }
}

/* What the operator itself adds to the facts that its operands bring: what its value depends on, whether it may fail,
 * calls a function, needs the host or costs more than a look at a row. */
static void derive_own(gx_plan *n)
{
    switch (n->op) {
    case GX_X_CONTEXT: n->deps |= GX_DEP_CONTEXT; break;
    case GX_X_ROOT: n->deps |= GX_DEP_TREE; break;
    case GX_X_CURRENT: n->deps |= GX_DEP_CURRENT; break;
    case GX_X_POSITION: n->deps |= GX_DEP_POSITION; break;
    case GX_X_LAST: n->deps |= GX_DEP_LAST; break;
    case GX_X_VAR: n->deps |= GX_DEP_LOCAL; break;
    case GX_X_NTH: n->deps |= GX_DEP_POSITION | GX_DEP_LAST; break;
    case GX_X_RANGE: n->deps |= GX_DEP_POSITION; break;
    case GX_X_AT: case GX_X_BETWEEN:
        if (n->type == GX_T_BOOL)
            n->deps |= GX_DEP_POSITION;
        else
            n->costly = 1;
        break;
    case GX_X_STEP: case GX_X_COUNT:
        n->shared |= gx_plan_is_shared(n) != 0;
        n->costly = 1;
        break;
    case GX_X_FILTER: case GX_X_UNION: case GX_X_JOIN: n->costly = 1; break;
    case GX_X_CALL:
        n->costly = n->calls = 1;
        n->deps |= GX_DEP_CONTEXT | (n->a & GX_CALL_PLACES ? GX_DEP_POSITION | GX_DEP_LAST : 0);
        break;
    case GX_X_TO_SET: n->fails = 1; break;
    case GX_X_FUNC:
        n->deps |= gx_function_deps(n->a);
        n->costly |= n->a != GX_F_ERROR;
        n->hosted |= gx_function_is_host(n->a);
        n->fails |= n->a == GX_F_ERROR || n->a == GX_F_FORMAT_NUMBER        /* a picture may be malformed */
            || (n->a == GX_F_KEY && n->b == 3);                             /* a key may not be there */
        break;
    }
}

static void bring(gx_plan *node, const gx_plan *kid, u32 deps)
{
    node->deps |= kid->deps & deps;
    node->calls |= kid->calls;
    node->hosted |= kid->hosted;
    node->fails |= kid->fails;
    if (kid->depth >= node->depth)
        node->depth = kid->depth + 1;
}

/* The facts of a node from those of its operands and predicates, which must have theirs. Predicates bring local
 * variables and current() alone: position, last and context are the candidates' own. O(operands). Returns the node. */
gx_plan *gx_plan_derive(gx_plan *n)
{
    n->deps = n->calls = n->hosted = n->fails = n->fanout = n->shared = n->costly = 0;
    n->depth = 1;
    for (u32 i = 0; i < n->n; i++) {
        const gx_plan *kid = n->kids[i];
        bring(n, kid, 0xff);
        n->costly |= kid->costly;
        n->shared |= kid->shared;
        if (kid->type == GX_T_SET)
            n->fanout |= kid->fanout;
    }
    /* Predicates' own position, last and context are the candidates', of the tree that the input is of. */
    for (u32 i = 0; i < n->preds.n; i++)
        bring(n, n->preds.at[i], GX_DEP_LOCAL | GX_DEP_CURRENT);
    derive_own(n);
    derive_set(n);
    derive_extent(n);
    return n;
}

/* ---- equality ---- */

static int are_same(gx_plan *const *a, u32 n, gx_plan *const *b, u32 m)
{
    if (n != m)
        return 0;
    for (u32 i = 0; i < n; i++)
        if (a[i] != b[i] && (a[i]->op != b[i]->op || a[i]->a != b[i]->a || !gx_plan_is_same(a[i], b[i])))
            return 0;
    return 1;
}

int gx_plan_is_same(const gx_plan *a, const gx_plan *b)
{
    const u32 op = b->op == GX_X_COUNT ? GX_X_STEP : b->op, func = gx_plan_is_call(b, GX_F_KEY_COUNT) ? GX_F_KEY : b->a;
    return a->op == op && a->a == func && a->b == b->b && !memcmp(&a->num, &b->num, sizeof a->num)
        && (a->str == b->str || (a->str && b->str && !strcmp(a->str, b->str)))
        && are_same(a->kids, a->n, b->kids, b->n) && are_same(a->preds.at, a->preds.n, b->preds.at, b->preds.n);
}

int gx_plan_is_plain(const gx_plan *pred)
{
    return !gx_plan_is_positional(pred) && !pred->calls && !pred->hosted && !pred->fails;
}

int gx_plans_are_plain(gx_plans preds)
{
    for (u32 i = 0; i < preds.n; i++)
        if (!gx_plan_is_plain(preds.at[i]))
            return 0;
    return 1;
}

/* Does the axis lead to what stands before or behind a node? */
static int is_order_axis(u32 axis)
{
    return axis == GX_AXIS_PRECEDING || axis == GX_AXIS_FOLLOWING || axis == GX_AXIS_PRECEDING_SIBLING
        || axis == GX_AXIS_FOLLOWING_SIBLING;
}

/* Is n an access path (a look-up, a join, or an order axis of one), rather than a walk over a set? */
int gx_plan_is_indexed(const gx_plan *n)
{
    while (n->op == GX_X_FILTER || (n->op == GX_X_STEP && is_order_axis(GX_STEP_AXIS(n->a))))
        n = n->kids[0];
    return n->op == GX_X_JOIN || n->op == GX_X_CHOICE || (n->op == GX_X_AT && n->type == GX_T_SET)
        || (n->op == GX_X_FUNC && n->a >= GX_F_KEY && n->a <= GX_F_KEY_AXIS_FIRST)
        || (n->op == GX_X_UNION && gx_plan_is_indexed(n->kids[0]) && gx_plan_is_indexed(n->kids[1]));
}
