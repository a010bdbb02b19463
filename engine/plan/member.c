/*
 * member.c -- "is this node one of those?" as XPath 1.0 has to ask it
 *
 *   count(.|S) = count(S)                the node is in S: a union with it has no more nodes          ->  set:has-same-node(., S)
 *   count(.|S) != count(S)               it is not                                                    ->  not(the same)
 *   generate-id(.) = generate-id(S)      the same where S has at most one node, by the context node's value (Muenchian grouping)
 *
 * with "." or current() on one side alone, the operands in any order, and <, <=, >, >= where they ask the same. Exact also for an empty
 * S: 1 is not 0, and no identifier is ''. S must be the same expression on both sides, and one that gives the same when it is evaluated
 * again: no call of the stylesheet's functions, no host step.
 *
 * Cost: one search of S a row, where a union and two counts were O(S) in time and memory.
 */
#include <string.h>
#include "xpath/xpath.h"

#define MAX_OPERANDS 16u                /* of a union */

static int is_same_list(const gx_xnode *a, const gx_xnode *b);

static int is_call(const gx_xnode *n, u32 func) { return n->op == GX_X_FUNC && n->a == func; }

/* Do both compute the same? b may be the count of a set in one operator: then that set is meant. */
static int is_same(const gx_xnode *a, const gx_xnode *b)
{
    const u32 op = b->op == GX_X_COUNT ? GX_X_STEP : b->op, func = is_call(b, GX_F_KEY_COUNT) ? GX_F_KEY : b->a;
    return a->op == op && a->a == func && a->b == b->b && !memcmp(&a->num, &b->num, sizeof a->num)
        && (a->str == b->str || (a->str && b->str && !strcmp(a->str, b->str)))
        && is_same_list(a->kids, b->kids) && is_same_list(a->preds, b->preds);
}

static int is_same_list(const gx_xnode *a, const gx_xnode *b)
{
    for (; a && b; a = a->next, b = b->next)
        if (a->op != b->op || a->a != b->a || !is_same(a, b))
            return 0;
    return !a && !b;
}

static int is_one(const gx_xnode *n) { return n->op == GX_X_CONTEXT || n->op == GX_X_CURRENT; }

/* The operands of unions in unions from left to right: how many, MAX_OPERANDS + 1 for more */
static u32 operands(gx_xnode *n, gx_xnode **out, u32 have)
{
    if (n->op == GX_X_UNION)
        return operands(n->kids->next, out, operands(n->kids, out, have));
    if (have >= MAX_OPERANDS)
        return MAX_OPERANDS + 1;
    out[have] = n;
    return have + 1;
}

/* Is `more` the count of what `less` counts and one node? Then that is *one, and *set what less counts. */
static int is_counted(gx_xnode *more, gx_xnode *less, gx_xnode **one, gx_xnode **set)
{
    gx_xnode *left[MAX_OPERANDS], *right[MAX_OPERANDS];
    const int list = is_call(less, GX_F_COUNT);         /* else one operator counts, which stands for its set */
    if (!is_call(more, GX_F_COUNT) || more->kids->op != GX_X_UNION || more->calls || more->hosted
        || (!list && less->op != GX_X_COUNT && less->op != GX_X_JOIN && !is_call(less, GX_F_KEY_COUNT)))
        return 0;
    const u32 n = operands(more->kids, left, 0), k = operands(list ? less->kids : less, right, 0);
    if (n > MAX_OPERANDS || n != k + 1)
        return 0;
    for (u32 skip = 0; skip < n; skip++) {
        u32 same = 0;
        if (!is_one(left[skip]))
            continue;
        while (same < k && is_same(left[same + (same >= skip)], right[same]))
            same++;
        if (same < k)
            continue;
        *one = left[skip];
        *set = k == 1 ? left[!skip] : less->kids;
        return 1;
    }
    return 0;
}

/* Is it generate-id() of the context node beside that of at most one node, which depends on it? Where it does not, it is a join's other
 * side (plan/join.c). */
static int is_identified(gx_xnode *left, gx_xnode *right, gx_xnode **one, gx_xnode **set)
{
    if (!is_call(left, GX_F_GENERATE_ID) || !is_call(right, GX_F_GENERATE_ID)
        || left->kids->op != GX_X_CONTEXT || !(right->kids->deps & GX_DEP_CONTEXT) || !(right->kids->set & GX_XS_SINGLE))
        return 0;
    *one = left->kids;
    *set = right->kids;
    return 1;
}

static gx_xnode *call(gx_xparse *p, u32 func, gx_xnode *first, gx_xnode *second, u32 at)
{
    gx_xnode *node = gx_xnode_make(p, GX_X_FUNC, GX_T_BOOL, at);
    node->a = (u16)func;
    node->b = second ? 2 : 1;
    node->heavy = 1;
    gx_xnode_adopt(node, first);
    if (second)
        gx_xnode_adopt(node, second);
    return node;
}

gx_xnode *gx_xnode_not(gx_xparse *p, gx_xnode *truth, u32 at) { return call(p, GX_F_NOT, truth, NULL, at); }

gx_xnode *gx_xnode_member(gx_xparse *p, u32 op, gx_xnode *left, gx_xnode *right, u32 at)
{
    gx_xnode *one, *set;
    int in = op == GX_X_EQ || op == GX_X_LE, out = op == GX_X_NE || op == GX_X_GT;
    if (op < GX_X_EQ || op > GX_X_GE)
        return NULL;
    if (is_counted(right, left, &one, &set)) {
        in = op == GX_X_EQ || op == GX_X_GE;
        out = op == GX_X_NE || op == GX_X_LT;
    } else if (!is_counted(left, right, &one, &set)
               && (op > GX_X_NE || (!is_identified(left, right, &one, &set) && !is_identified(right, left, &one, &set))))
        return NULL;
    if (!in && !out)                    /* one answer, whatever S is */
        return NULL;
    gx_xnode *member = call(p, GX_F_SET_HAS_SAME_NODE, one, set, at);
    return in ? member : gx_xnode_not(p, member, at);
}
