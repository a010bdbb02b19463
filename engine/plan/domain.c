/* SPDX-License-Identifier: Apache-2.0 */
/*
 * domain.c -- what an expression reads of its row, where that is little and the expression is much work
 *
 *   count( //row[concat(@k, current()/@state) = 'ab'] )                      reads current()/@state
 *   $g[not(@v < $g/@v)]/@id                                                  reads $g
 *
 * Rows that read the same have the same value, so one of them is enough (DOMAIN): five states need five scans of the
 * document, however many rows there are. lower.c asks for expressions that no rule has made a look-up or a join of, so
 * that each row would walk all nodes of a set.
 *
 * A read is a part of the expression that needs nothing but the row: a string, a number or a boolean; a set of at most
 * one node, or a variable, whose consumer asks for its string only; or a variable's set, which is the same where its
 * nodes stand in the same place of the same list.
 */
#include "rules.h"

/* Does n ask the row for anything? Within predicates only variables and current() do. */
static int is_of_row(const gx_plan *n, int inside)
{
    const u32 row = GX_DEP_LOCAL | GX_DEP_CURRENT
        | (inside ? 0 : GX_DEP_CONTEXT | GX_DEP_POSITION | GX_DEP_LAST);
    return (n->deps & row) != 0;
}

/* Does it ask nothing but the row, and is it little work? */
static int is_little(const gx_plan *n, int inside)
{
    return !n->fanout && !n->shared && !(n->deps & GX_DEP_TREE)
        && (!inside || !(n->deps & (GX_DEP_CONTEXT | GX_DEP_POSITION | GX_DEP_LAST)));
}

/* May the value of n's k-th operand be any with the same string, number and truth? */
static int asks_for_value(const gx_plan *n, u32 k)
{
    if (n->op == GX_X_FUNC)
        return k == 1 && (n->a == GX_F_KEY || n->a == GX_F_KEY_FIRST || n->a == GX_F_KEY_COUNT);
    return (n->op >= GX_X_EQ && n->op <= GX_X_GE) || n->op == GX_X_TO_STR || n->op == GX_X_TO_NUM
        || n->op == GX_X_TO_BOOL || (n->op == GX_X_JOIN && k);
}

static int add(gx_reads *reads, const gx_plan *n, int by_place)
{
    for (u32 i = 0; i < reads->n; i++)
        if (gx_plan_is_same(reads->at[i], n)) {
            reads->places |= (u32)by_place << i;
            return 1;
        }
    if (reads->n == GX_DOMAIN_MOST)
        return 0;
    reads->places |= (u32)by_place << reads->n;
    reads->at[reads->n++] = n;
    return 1;
}

/* Adds what n reads; 0: it reads too much. inside: within predicates. by_value: its consumer asks for its string. */
static int reads_of(gx_reads *reads, const gx_plan *n, int inside, int by_value)
{
    if (!is_of_row(n, inside))
        return 1;
    if (n->op == GX_X_VAR)
        return add(reads, n, !by_value);
    if (is_little(n, inside)
        && (n->type == GX_T_STR || n->type == GX_T_NUM || n->type == GX_T_BOOL || (n->type == GX_T_SET && by_value)))
        return add(reads, n, 0);
    if (n->op == GX_X_CURRENT || n->op == GX_X_POSITION || n->op == GX_X_LAST
        || (n->op == GX_X_CONTEXT && !reads->of_node)
        || (n->op == GX_X_FUNC && gx_function_deps(n->a) & ~GX_DEP_TREE))
        return 0;
    if (n->op == GX_X_CONTEXT)
        return add(reads, n, 1);
    for (u32 i = 0; i < n->n; i++)
        if (!reads_of(reads, n->kids[i], inside, asks_for_value(n, i)))
            return 0;
    for (u32 i = 0; i < n->preds.n; i++)
        if (!reads_of(reads, n->preds.at[i], 1, 0))
            return 0;
    return 1;
}

/* Is there a set in it of which each row may have a good part of the tree? */
static int has_large_fanout(const gx_plan *n)
{
    if (n->type == GX_T_SET)
        return n->fanout;
    for (u32 i = 0; i < n->n; i++)
        if (has_large_fanout(n->kids[i]))
            return 1;
    return 0;
}

/* Does it walk nodes of the candidate, and ask each of them something of the row? */
static int has_walk(const gx_plan *n)
{
    if (n->op == GX_X_STEP && n->preds.n && is_of_row(n->preds.at[0], 1))
        return 1;
    for (u32 i = 0; i < n->n; i++)
        if (has_walk(n->kids[i]))
            return 1;
    return 0;
}

static int is_long_join(const gx_plan *n)
{
    const u32 op = n->a & 0xff;
    return n->op == GX_X_JOIN && n->type == GX_T_SET && n->fanout && op > GX_X_EQ && op <= GX_X_GE;
}

/* Would each row walk a set that is not its own, and ask each node something else; or make a long list of its own? */
static int scans(const gx_plan *n)
{
    if (n->op == GX_X_STEP || n->op == GX_X_COUNT || n->op == GX_X_FILTER) {
        const gx_plan *input = n->kids[0];
        const int common = !is_of_row(input, 0) || input->op == GX_X_VAR || is_long_join(input);
        for (u32 i = 0; i < n->preds.n; i++) {
            const gx_plan *pred = n->preds.at[i];
            if (pred->op == GX_X_NTH || pred->op == GX_X_RANGE)
                break;                          /* it leaves few */
            if (is_of_row(pred, 1) && (common || has_large_fanout(pred) || has_walk(pred)))
                return 1;
        }
        if (n->op != GX_X_FILTER && is_long_join(input))
            return 1;
    }
    for (u32 i = 0; i < n->n; i++) {
        const gx_plan *kid = n->kids[i];
        if (n->op == GX_X_FUNC && n->a != GX_F_KEY && n->type == GX_T_SET && kid->fanout && is_of_row(kid, 0))
            return 1;
        if (kid->fanout && scans(kid))
            return 1;
    }
    return 0;
}

/* Does it walk the context node's children, or join them, and ask each of them something of the row? */
static int walks(const gx_plan *n)
{
    if (n->op == GX_X_JOIN && n->kids[0]->given & GX_XS_AGAIN)
        return 1;
    if (n->op == GX_X_STEP && n->preds.n && !gx_plan_is_positional(n->preds.at[0]) && n->kids[0]->deps & GX_DEP_CONTEXT
        && (GX_STEP_AXIS(n->a) == GX_AXIS_CHILD || GX_STEP_AXIS(n->a) == GX_AXIS_DESCENDANT)
        && is_of_row(n->preds.at[0], 1))
        return 1;
    return n->n == 1 && walks(n->kids[0]);
}

/* A table's cells, a row for each pair of nodes: nothing but the node and variables, which cost next to nothing where
 * no node comes twice. What is read of the node follows from it. */
static int reads_of_cell(const gx_plan *n, gx_reads *reads)
{
    const u32 own = GX_DEP_CONTEXT | GX_DEP_CURRENT;
    gx_reads all = { { NULL }, 0, 0, 1 };
    if (!n->costly || !(n->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT)) || n->deps & ~(GX_DEP_LOCAL | own)
        || (n->type != GX_T_NUM && n->deps & GX_DEP_LOCAL) || !walks(n) || !reads_of(&all, n, 0, 0))
        return 0;
    reads->of_node = 1;
    for (u32 i = 0; i < all.n; i++) {
        const gx_plan *read = all.at[i];
        if (read->op != GX_X_VAR && read->op != GX_X_CONTEXT && read->deps & ~own)
            return 0;
        if (read->op == GX_X_VAR || read->op == GX_X_CONTEXT) {
            reads->places |= (all.places >> i & 1) << reads->n;
            reads->at[reads->n++] = read;
        }
    }
    return reads->n > 1 || (reads->n == 1 && reads->at[0]->op == GX_X_CONTEXT);
}

int gx_plan_reads(const gx_plan *n, gx_reads *reads)
{
    reads->n = reads->places = reads->of_node = 0;
    if (n->given & GX_XS_AGAIN && n->op != GX_X_VAR) {
        while (n->op != GX_X_CONTEXT)
            n = n->kids[0];
        return add(reads, n, 1);
    }
    if (n->calls || n->hosted || n->fails || n->type < GX_T_BOOL || n->type > GX_T_SET)
        return 0;
    if (n->fanout && scans(n))
        return reads_of(reads, n, 0, 0) && reads->n;
    return reads_of_cell(n, reads);
}
