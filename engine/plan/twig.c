/* SPDX-License-Identifier: Apache-2.0 */
/*
 * twig.c -- location paths as tree patterns
 *
 *   //a[b[c]//d]/e[@x > 1]     ->   filter( twig( root: //a[b[c]//d]/e ), @x > 1 )
 *
 * A path is a tree pattern, or begins with one, where its steps lead to children, attributes or descendants and their
 * predicates ask only whether there are nodes. The machine has several strategies for those (machine/twig.h); the
 * steps that the path consists of are one of them. What else a path asks of the pattern's last node is a filter behind
 * it. A step within the pattern that has another predicate is where the pattern begins.
 *
 * Cost: O(size of the path).
 */
#include "rules.h"

static int is_edge(u32 axis)
{
    return axis == GX_AXIS_CHILD || axis == GX_AXIS_ATTRIBUTE || axis == GX_AXIS_DESCENDANT;
}

static int is_test(u32 test)
{
    return test == GX_TEST_NAME || test == GX_TEST_ANY || test == GX_TEST_NODE || test == GX_TEST_TEXT
        || test == GX_TEST_COMMENT;
}

/* A step that can be a pattern's node, whatever its predicates are. Where only some node is asked for, it does not
 * matter how many are looked for. */
static int is_node(const gx_plan *n)
{
    return n->op == GX_X_STEP && is_edge(GX_STEP_AXIS(n->a)) && is_test(GX_STEP_TEST(n->a))
        && (n->a & GX_STEP_SOME || !GX_STEP_MOST(n->a))
        && !gx_plan_is_never(GX_STEP_AXIS(n->a), GX_STEP_TEST(n->a));
}

static int is_condition(const gx_plan *pred);

static int are_conditions(gx_plans preds)
{
    for (u32 i = 0; i < preds.n; i++)
        if (!is_condition(preds.at[i]))
            return 0;
    return 1;
}

/* Does a predicate ask for nothing but nodes below the context node? */
static int is_condition(const gx_plan *pred)
{
    if (pred->op == GX_X_AND)
        return is_condition(pred->kids[0]) && is_condition(pred->kids[1]);
    if (pred->op != GX_X_TO_BOOL || pred->kids[0]->op != GX_X_STEP)
        return 0;
    const gx_plan *s = pred->kids[0];
    for (; s->op == GX_X_STEP; s = s->kids[0])
        if (!is_node(s) || !are_conditions(s->preds))
            return 0;
    return s->op == GX_X_CONTEXT;
}

/* Appends a node; GX_NONE: there are too many */
static u32 add_node(gx_twig_shape *t, const gx_plan *step, u32 parent)
{
    if (t->n >= GX_TWIG_NODES)
        return GX_NONE;
    gx_twig_node *node = &t->nodes[t->n];
    *node = (gx_twig_node){ GX_AXIS_SELF, GX_TEST_NODE, 0, 0, 0, parent, t->n + 1 };
    if (step) {
        node->axis = (u8)GX_STEP_AXIS(step->a);
        node->test = (u8)GX_STEP_TEST(step->a);
        node->name = step->b;
    }
    return t->n++;
}

static void close_node(gx_twig_shape *t, u32 node) { t->nodes[node].end = t->n; }

static int add_condition(gx_twig_shape *t, const gx_plan *pred, u32 parent);

/* The steps from `base` to step, which is not base itself, below node `parent`; *last: step's. n_preds: how many of
 * step's predicates belong to the pattern */
static int add_path(gx_twig_shape *t, const gx_plan *step, u32 n_preds, const gx_plan *base, u32 parent, u32 *last)
{
    if (step->kids[0] != base && !add_path(t, step->kids[0], step->kids[0]->preds.n, base, parent, &parent))
        return 0;
    const u32 node = add_node(t, step, parent);
    if (node == GX_NONE)
        return 0;
    for (u32 i = 0; i < n_preds; i++)
        if (!add_condition(t, step->preds.at[i], node))
            return 0;
    *last = node;
    return 1;
}

static int add_condition(gx_twig_shape *t, const gx_plan *pred, u32 parent)
{
    if (pred->op == GX_X_AND)
        return add_condition(t, pred->kids[0], parent) && add_condition(t, pred->kids[1], parent);
    const gx_plan *base = pred->kids[0];
    u32 last;
    while (base->op == GX_X_STEP)
        base = base->kids[0];
    if (!add_path(t, pred->kids[0], pred->kids[0]->preds.n, base, parent, &last))
        return 0;
    for (; last != parent; last = t->nodes[last].parent)
        close_node(t, last);
    return 1;
}

/* Is the path that ends in n a tree pattern? *t: its shape, from `stop` or the first node that no pattern has. Not a
 * single step, nor steps without a condition from nodes that differ between rows. */
int gx_plan_twig(const gx_plan *n, const gx_plan *stop, gx_twig_shape *t)
{
    if (n == stop || !is_node(n))
        return 0;
    t->n_preds = 0;
    while (t->n_preds < n->preds.n && is_condition(n->preds.at[t->n_preds]))
        t->n_preds++;
    if (gx_plans_are_positional(gx_plans_part(n->preds, t->n_preds, n->preds.n)))
        return 0;
    const gx_plan *base = n->kids[0];
    while (base != stop && is_node(base) && are_conditions(base->preds))
        base = base->kids[0];
    u32 last;
    t->base = base;
    t->n = 0;
    add_node(t, NULL, GX_NONE);
    if (!add_path(t, n, t->n_preds, base, 0, &last))
        return 0;
    t->answer = last;
    for (u32 i = last; i != GX_NONE; i = t->nodes[i].parent) {
        close_node(t, i);
        t->nodes[i].spine = 1;
    }
    /* a single step is its only strategy; so are steps without a condition from a node of each row */
    u32 spine = 0;
    for (u32 i = 1; i < t->n; i++)
        spine += t->nodes[i].spine;
    return t->n > 2 && (t->n > spine + 1 || !(base->deps & ~GX_DEP_TREE));
}
