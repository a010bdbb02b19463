/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.c -- predicates as conditions that are met together, or one or the other
 *
 *   //row[@id = $x or @alt = $y]             ->   //row[@id = $x] | //row[@alt = $y]
 *   //row[not(@a != $x or @b = $y)]          ->   //row[not(@a != $x)][not(@b = $y)]
 *   //row[$all or @id = $x]                  ->   at( //row, $all ) | //row[@id = $x]
 *   (a | b)[@k = $x]                         ->   a[@k = $x] | b[@k = $x]
 *   //row[position() > 5 and @k = $x]        ->   //row[position() > 5][@k = $x]
 *   //row[@v > $v]/tag[. = $t]               ->   //row/tag[. = $t][parent::node()[@v > $v]]
 *
 * Each of these is worth it only where what comes of it is a look-up or a join: else the set is walked twice instead of
 * once, and the rule says no. None applies where a predicate counts positions, calls a function of the stylesheet or
 * may be an error: then it matters for which nodes, and in which order, it is evaluated.
 */
#include <apr_strings.h>
#include "rules.h"

/* Appends the conditions that `truth`, or with negative its opposite, consists of, and what it implies that can be
 * found:  [count( tag[. = value] ) = 2]   ->   [tag = value][count( tag[. = value] ) = 2]  */
static void append_conjuncts(gx_planner *p, gx_plan *truth, int negative, gx_plans *list)
{
    if (gx_plan_is_call(truth, GX_F_NOT)) {
        append_conjuncts(p, truth->kids[0], !negative, list);
    } else if (truth->op == (negative ? GX_X_OR : GX_X_AND)) {
        append_conjuncts(p, truth->kids[0], negative, list);
        append_conjuncts(p, truth->kids[1], negative, list);
    } else if (negative && truth->op == GX_X_AND) {
        *list = gx_plans_with(p, *list, gx_plan_binary(p, GX_X_OR, gx_plan_not(p, truth->kids[0], truth->at),
                                                       gx_plan_not(p, truth->kids[1], truth->at), truth->at));
    } else {
        gx_plan *again = NULL, *some = negative ? NULL : gx_plan_implied(p, truth, &again);
        if (some)
            append_conjuncts(p, some, 0, list);
        *list = gx_plans_with(p, *list, some ? again : negative ? gx_plan_not(p, truth, truth->at) : truth);
    }
}

gx_plans gx_plans_conjuncts(gx_planner *p, gx_plans preds)
{
    gx_plans list = gx_plans_none;
    u32 i = 0;
    for (; i < preds.n && !gx_plan_is_positional(preds.at[i]); i++) {
        if (gx_plan_is_plain(preds.at[i]))
            append_conjuncts(p, preds.at[i], 0, &list);
        else
            list = gx_plans_with(p, list, preds.at[i]);
    }
    for (; i < preds.n; i++)
        list = gx_plans_with(p, list, preds.at[i]);
    return list;
}

/*  set[a and not(b or c)]   ->   set[a][not(b)][not(c)]     where that makes one of them a look-up  */
static gx_plan *conjuncts(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plans list = gx_plans_none;
    (void)demand;
    if (!n->preds.n || !gx_plans_are_plain(n->preds) || (n->op == GX_X_FILTER && n->b))
        return NULL;
    for (u32 i = 0; i < n->preds.n; i++)
        append_conjuncts(p, n->preds.at[i], 0, &list);
    if (list.n == n->preds.n)
        return NULL;
    gx_plan *other = gx_plan_with(p, n, list);
    return gx_plan_is_indexed(other) ? other : NULL;
}

/* The predicates with another one in the k-th's place; one that is the frame's alone keeps all nodes or none, where
 * they are */
static gx_plans with_side(gx_planner *p, gx_plans preds, u32 k, gx_plan *side)
{
    gx_plans list = gx_plans_none;
    const int of_frame = side->deps && !(side->deps & ~(GX_DEP_LOCAL | GX_DEP_CURRENT));
    if (of_frame)
        list = gx_plans_with(p, list, gx_plan_make(p, GX_X_AT, GX_T_BOOL, GX_AT_ANY, 0, side->at, 1, side));
    for (u32 i = 0; i < preds.n; i++)
        if (i != k || !of_frame)
            list = gx_plans_with(p, list, i == k ? side : preds.at[i]);
    return list;
}

/* $v[ conditions on the candidate alone ]: DOMAIN evaluates it once for all rows that have the same $v */
static int is_of_variable(const gx_plan *set)
{
    if (set->op != GX_X_FILTER || set->b || set->kids[0]->op != GX_X_VAR)
        return 0;
    for (u32 i = 0; i < set->preds.n; i++)
        if (set->preds.at[i]->deps & ~GX_DEP_CONTEXT)
            return 0;
    return 1;
}

/* Is it found, or the same for all rows? */
static int is_cheap(const gx_plan *set)
{
    return gx_plan_is_indexed(set) || !(set->deps & ~GX_DEP_TREE) || is_of_variable(set);
}

#define MAX_SETS 64u                    /* that conditions are taken apart to: [a or b][c or d] are 4 */

/* How many sets a condition would be taken apart to, MAX_SETS + 1 for more */
static u32 n_sets(const gx_plan *pred)
{
    if (pred->op != GX_X_OR && pred->op != GX_X_AND)
        return 1;
    const u32 left = n_sets(pred->kids[0]), right = n_sets(pred->kids[1]);
    const u32 n = pred->op == GX_X_OR ? left + right : left * right;
    return n <= MAX_SETS ? n : MAX_SETS + 1;
}

/* Are they few? Alternatives of one condition alone are only as many as were written. */
static int are_few_sets(gx_plans preds)
{
    u32 n = 1, ors = 0;
    for (u32 i = 0; i < preds.n && n <= MAX_SETS; i++) {
        n *= n_sets(preds.at[i]);
        ors += preds.at[i]->op == GX_X_OR;
    }
    return n <= MAX_SETS || (ors == 1 && preds.n == 1);
}

/* The first predicate of the step or filter n that is an "or" of which both sides, each with the other predicates, are
 * found or the same for all rows, and one at least is found: a union of two nodes, else NULL. Sides are planned again,
 * and may be taken apart in turn: MAX_SETS bounds how many sets come of it. */
gx_plan *gx_plan_either(gx_planner *p, gx_plan *n)
{
    if (!gx_plans_are_plain(n->preds) || !are_few_sets(n->preds))
        return NULL;
    for (u32 k = 0; k < n->preds.n; k++) {
        const gx_plan *both = n->preds.at[k];
        if (both->op != GX_X_OR)
            continue;
        gx_plan *left = gx_plan_with(p, n, with_side(p, n->preds, k, both->kids[0]));
        if (!is_cheap(left))
            continue;
        gx_plan *right = gx_plan_with(p, n, with_side(p, n->preds, k, both->kids[1]));
        if (is_cheap(right) && (gx_plan_is_indexed(left) || gx_plan_is_indexed(right))) {
            gx_plan *either = gx_plan_make(p, GX_X_UNION, GX_T_SET, 0, 0, n->at, 2, left, right);
            either->origin = n;
            return either;
        }
    }
    return NULL;
}

/*  boolean( a | b )   ->   boolean( a ) or boolean( b )     of look-ups and joins, which need no list to say so  */
static gx_plan *some_of_union(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (!gx_plan_is_indexed(n))
        return NULL;
    gx_plan *left = gx_plan_convert(p, n->kids[0], GX_T_BOOL), *right = gx_plan_convert(p, n->kids[1], GX_T_BOOL);
    return gx_plan_binary(p, GX_X_OR, left, right, n->at);
}

/* ---- conditions on what is below a node
 * ---------------------------------------------------------------------------------------- */

/* The path use, which begins at the context node, as one from `from`; NULL: it is no such path */
static gx_plan *path_from(gx_planner *p, gx_plan *use, gx_plan *from)
{
    if (use->op == GX_X_CONTEXT)
        return from;
    gx_plan *input = use->op == GX_X_STEP ? path_from(p, use->kids[0], from) : NULL;
    return !input ? NULL
        : gx_plan_step(p, input, GX_STEP_AXIS(use->a), GX_STEP_TEST(use->a), use->b, use->preds, use->at);
}

static int is_path(const gx_plan *n)
{
    while (n->op == GX_X_STEP)
        n = n->kids[0];
    return n->op == GX_X_CONTEXT;
}

/*  g[ boolean( row[use = value] ) ]   ->   g[ row/use = value ]     which a join can find, where value is the frame's
 *  */
static gx_plan *some_compared(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *step = n->kids[0];
    (void)demand;
    if (n->op != GX_X_TO_BOOL || !p->predicates || step->op != GX_X_STEP || !step->preds.n || gx_plan_is_shared(step)
        || step->deps & ~(GX_DEP_CONTEXT | GX_DEP_LOCAL | GX_DEP_CURRENT) || !is_path(step)
        || !gx_plans_are_plain(step->preds))
        return NULL;
    const gx_plan *last = step->preds.at[step->preds.n - 1];
    if (last->op < GX_X_EQ || last->op > GX_X_GE)
        return NULL;
    const int turned = last->kids[0]->deps != GX_DEP_CONTEXT;
    gx_plan *use = last->kids[turned], *value = last->kids[!turned];
    const u32 rows = GX_DEP_LOCAL | GX_DEP_CURRENT, of_rows = value->deps & rows;
    const u32 others = value->deps & ~(rows | GX_DEP_TREE);
    if (use->type != GX_T_SET || use->deps != GX_DEP_CONTEXT || !is_path(use) || !of_rows || others
        || value->type == GX_T_BOOL || value->type == GX_T_ANY)
        return NULL;
    gx_plan *all = gx_plan_with(p, step, gx_plans_part(step->preds, 0, step->preds.n - 1));
    return gx_plan_binary(p, turned ? gx_xop_turned(last->op) : last->op, path_from(p, use, all), value, n->at);
}

/* Is it a path to nodes below the context node, each of which belongs to one node only? */
static int is_inverted(const gx_plan *path)
{
    const gx_plan *s = path;
    for (; s->op == GX_X_STEP; s = s->kids[0]) {
        const u32 axis = GX_STEP_AXIS(s->a);
        if ((axis != GX_AXIS_CHILD && axis != GX_AXIS_ATTRIBUTE) || !gx_plans_are_plain(s->preds))
            return 0;
    }
    return s != path && s->op == GX_X_CONTEXT;
}

/* set[ path ] from the nodes that the path leads to back to the set's; NULL: no look-up or join finds them */
static gx_plan *back_from(gx_planner *p, gx_plan *set, gx_plan *path)
{
    gx_plan *out = path_from(p, path, set), *inner = out;
    while (inner->op == GX_X_STEP && inner != set)
        inner = inner->kids[0];
    if (inner == set || !gx_plan_is_indexed(inner))
        return NULL;
    for (const gx_plan *s = path; s->op == GX_X_STEP; s = s->kids[0])
        out = gx_plan_step(p, out, GX_AXIS_PARENT, GX_TEST_NODE, 0, gx_plans_none, s->at);
    return out;
}

/*  g[ row[@k = $k][@v = $v] ]   ->   g/row[@k = $k][@v = $v]/parent::node()     a semi-join: what is asked of the nodes
 *                                                                             below finds those above  */
static gx_plan *semi_join(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (!n->preds.n || !gx_plans_are_plain(n->preds) || (n->op == GX_X_FILTER && n->b))
        return NULL;
    const gx_plans preds = gx_plans_conjuncts(p, n->preds);
    for (u32 k = 0; k < preds.n; k++) {
        const gx_plan *some = preds.at[k];
        if (some->op != GX_X_TO_BOOL || !(some->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT)) || !is_inverted(some->kids[0]))
            continue;
        gx_plan *set = n->op == GX_X_FILTER ? n->kids[0] : gx_plan_with(p, n, gx_plans_none);
        gx_plan *back = back_from(p, set, some->kids[0]);
        if (back)
            return gx_plan_filter(p, back, gx_plans_without(p, preds, k), n->at);
    }
    return NULL;
}

/* ---- conditions on what stands beside a node ---- */

/* The axis on which y has x where x has y on this one; GX_AXIS_SELF: it is none of those */
static u32 axis_back(u32 axis)
{
    return axis == GX_AXIS_PRECEDING_SIBLING ? GX_AXIS_FOLLOWING_SIBLING
        : axis == GX_AXIS_FOLLOWING_SIBLING  ? GX_AXIS_PRECEDING_SIBLING
        : axis == GX_AXIS_PRECEDING          ? GX_AXIS_FOLLOWING
        : axis == GX_AXIS_FOLLOWING          ? GX_AXIS_PRECEDING
                                             : GX_AXIS_SELF;
}

/* x or *, which the axes of elements lead to */
static int is_element_test(u32 test) { return test == GX_TEST_NAME || test == GX_TEST_ANY; }

/* The path from behind `first`, its first step, as one from the context node */
static gx_plan *path_behind(gx_planner *p, gx_plan *path, const gx_plan *first)
{
    return path == first ? gx_plan_context(p, first->at)
        : gx_plan_step(p, path_behind(p, (gx_plan *)gx_plan_step_of(path->kids[0]), first), GX_STEP_AXIS(path->a),
                       GX_STEP_TEST(path->a), path->b, path->preds, path->at);
}

/* The predicate is true of a node where some y on an axis of the node meets conditions: the step to y, without
 * predicates; *conds: the conditions. NULL: it is not of that form, or the axis has no inverse here */
static gx_plan *inverted_step(gx_planner *p, gx_plan *some, gx_plans *conds)
{
    const gx_plan *was = some->op == GX_X_TO_BOOL && some->origin ? some->origin : some;
    gx_plan *path = NULL, *value = NULL, *first;
    u32 op = 0;
    if (was->op >= GX_X_EQ && was->op <= GX_X_GE) {
        const int turned = was->kids[0]->type != GX_T_SET || !(was->kids[0]->deps & GX_DEP_CONTEXT);
        path = was->kids[turned];
        value = was->kids[!turned];
        op = turned ? gx_xop_turned(was->op) : was->op;
    } else if (some->op == GX_X_TO_BOOL)
        path = some->kids[0];
    path = path ? (gx_plan *)gx_plan_step_of(path) : NULL;
    if (!path || path->type != GX_T_SET || (value && (value->type == GX_T_BOOL || value->deps & GX_DEP_CONTEXT)))
        return NULL;
    for (first = path; first->op == GX_X_STEP && first->kids[0]->op != GX_X_CONTEXT;
         first = (gx_plan *)gx_plan_step_of(first->kids[0]))
        if (!gx_plans_are_plain(first->preds))
            return NULL;
    if (first->op != GX_X_STEP || axis_back(GX_STEP_AXIS(first->a)) == GX_AXIS_SELF
        || !is_element_test(GX_STEP_TEST(first->a)) || !gx_plans_are_plain(first->preds))
        return NULL;
    *conds = first->preds;
    if (value || path != first) {
        gx_plan *rest = path_behind(p, path, first);
        rest = value ? gx_plan_binary(p, op, rest, value, was->at) : gx_plan_convert(p, rest, GX_T_BOOL);
        *conds = gx_plans_with(p, *conds, rest);
    }
    return conds->n ? first : NULL;
}

/*
 *  //x[ following-sibling::y[@id = $id] ]   ->   //y[@id = $id]/preceding-sibling::x
 *  ../x[ preceding-sibling::y/@k = $k ]     ->   ../y[@k = $k]/following-sibling::x
 *  //x[ following::y/@k = $k ]              ->   ( //y[@k = $k] )[last()]/preceding::x     all before one of them
 *
 * A semi-join over the inverse axis: the condition finds the nodes of the inner step first, and the inverse of its axis
 * leads from them to the candidates.
 */
static gx_plan *semi_join_inverse(gx_planner *p, gx_plan *n, u32 demand)
{
    const u32 test = GX_STEP_TEST(n->a), step = GX_STEP_AXIS(n->a);
    (void)demand;
    if (!n->preds.n || !is_element_test(test) || (step != GX_AXIS_CHILD && step != GX_AXIS_DESCENDANT)
        || (step == GX_AXIS_DESCENDANT && n->kids[0]->op != GX_X_ROOT) || !gx_plans_are_plain(n->preds))
        return NULL;
    const gx_plans preds = gx_plans_conjuncts(p, n->preds);
    for (u32 k = 0; k < preds.n; k++) {
        gx_plans conds;
        gx_plan *first = (preds.at[k]->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT)) ? inverted_step(p, preds.at[k], &conds)
            : NULL;
        const u32 back = first ? axis_back(GX_STEP_AXIS(first->a)) : GX_AXIS_SELF;
        const int siblings = back == GX_AXIS_PRECEDING_SIBLING || back == GX_AXIS_FOLLOWING_SIBLING;
        if (!first || (step == GX_AXIS_CHILD && !siblings))
            continue;
        gx_plan *found = gx_plan_step(p, n->kids[0], step, GX_STEP_TEST(first->a), first->b, conds, n->at);
        if (!gx_plan_is_indexed(found))
            continue;
        if (back == GX_AXIS_PRECEDING) {
            gx_plan *last = gx_plan_make(p, GX_X_NTH, GX_T_BOOL, 0, 0, n->at, 0);
            found = gx_plan_filter(p, found, gx_plans_with(p, gx_plans_none, last), n->at);
        }
        return gx_plan_step(p, found, back, test, n->b, gx_plans_without(p, preds, k), n->at);
    }
    return NULL;
}

static void append_operands(gx_planner *p, gx_plan *truth, gx_plans *list)
{
    if (truth->op != GX_X_AND) {
        *list = gx_plans_with(p, *list, truth);
        return;
    }
    append_operands(p, truth->kids[0], list);
    append_operands(p, truth->kids[1], list);
}

/*  x[@k = $k and position() > 5]   ->   x[position() > 5][@k = $k]     what counts positions counts those of the same
 *                                                                    nodes, and the rest may be found  */
static gx_plan *position_apart(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    for (u32 k = 0; k < n->preds.n && !(n->op == GX_X_FILTER && n->b); k++) {
        const gx_plan *both = n->preds.at[k];
        gx_plans parts = gx_plans_none, others = gx_plans_none, list = gx_plans_part(n->preds, 0, k);
        gx_plan *counts = NULL;
        if (both->op != GX_X_AND || !gx_plan_is_positional(both) || both->calls || both->hosted || both->fails)
            continue;
        append_operands(p, n->preds.at[k], &parts);
        for (u32 i = 0; i < parts.n; i++)
            if (!gx_plan_is_positional(parts.at[i]))
                others = gx_plans_with(p, others, parts.at[i]);
            else
                counts = counts ? gx_plan_binary(p, GX_X_AND, counts, parts.at[i], both->at) : parts.at[i];
        if (!others.n)
            continue;
        list = gx_plans_with(p, list, gx_rules_rewrite(p, counts, GX_ON_PREDICATE));
        for (u32 i = 0; i < others.n; i++)
            list = gx_plans_with(p, list, others.at[i]);
        for (u32 i = k + 1; i < n->preds.n; i++)
            list = gx_plans_with(p, list, n->preds.at[i]);
        return gx_plan_with(p, n, list);
    }
    return NULL;
}

/*  x[a or b]   ->   x[a] | x[b]  */
static gx_plan *or_step(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    return n->preds.n ? gx_plan_either(p, n) : NULL;
}

/* set[a or b]   ->   set[a] | set[b]          set[a or b][3]   ->   ( set[a] | set[b] )[3]  */
static gx_plan *or_filter(gx_planner *p, gx_plan *n, u32 demand)
{
    u32 counts = 0;
    (void)demand;
    if (n->b)
        return NULL;
    while (counts < n->preds.n && !gx_plan_is_positional(n->preds.at[counts]))
        counts++;
    if (!counts || counts == n->preds.n)
        return gx_plan_either(p, n);
    gx_plan *before = gx_plan_copy(p, n);
    before->preds = gx_plans_part(n->preds, 0, counts);
    gx_plan *either = gx_plan_either(p, gx_plan_derive(before));
    return either ? gx_plan_filter(p, either, gx_plans_part(n->preds, counts, n->preds.n), n->at) : NULL;
}

/*  (x/y)[p]   ->   x/y[p]     where p does not count positions  */
static gx_plan *filter_step(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *step = n->kids[0];
    gx_plans preds = step->preds;
    (void)demand;
    if (n->b || step->op != GX_X_STEP || gx_plans_are_positional(step->preds) || gx_plans_are_positional(n->preds))
        return NULL;
    for (u32 i = 0; i < n->preds.n; i++)
        preds = gx_plans_with(p, preds, n->preds.at[i]);
    gx_plan *other = gx_plan_with(p, step, preds);
    return gx_plan_is_indexed(other) ? other : NULL;
}

/*  (a | b)[p]   ->   a[p] | b[p]  */
static gx_plan *filter_union(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *both = n->kids[0];
    (void)demand;
    if (n->b || both->op != GX_X_UNION || !gx_plans_are_plain(n->preds))
        return NULL;
    gx_plan *left = gx_plan_filter(p, both->kids[0], n->preds, n->at),
            *right = gx_plan_filter(p, both->kids[1], n->preds, n->at);
    return gx_plan_is_indexed(left) && gx_plan_is_indexed(right)
        ? gx_plan_make(p, GX_X_UNION, GX_T_SET, 0, 0, n->at, 2, left, right) : NULL;
}

static int is_atom(const gx_plan *n) { return n->type == GX_T_STR || n->type == GX_T_NUM || n->type == GX_T_BOOL; }

/*  not( 'a' != $n )   ->   'a' = $n     of values that are no node-sets, NaN too: it is unequal to itself  */
static gx_plan *not_compared(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (n->a != GX_F_NOT)               /* another call may have no argument */
        return NULL;
    const gx_plan *compare = n->kids[0];
    if (p->predicates && compare->op == GX_X_EQ && (gx_plan_is_call(compare->kids[0], GX_F_COUNT)
                                                    || gx_plan_is_call(compare->kids[1], GX_F_COUNT)))
        return NULL;                    /* count.c turns "!=" into this */
    if ((compare->op != GX_X_NE && compare->op != GX_X_EQ) || !is_atom(compare->kids[0]) || !is_atom(compare->kids[1]))
        return NULL;
    return gx_plan_binary(p, compare->op == GX_X_NE ? GX_X_EQ : GX_X_NE, compare->kids[0], compare->kids[1],
                          compare->at);
}

/* What an order or an inequality finds of all, and what it was made of: //x[@v > $v]; NULL: it is no such */
static const gx_plan *ordered_search(const gx_plan *n)
{
    const u32 op = n->a & 0xff;
    const gx_plan *step = n->op == GX_X_JOIN && n->type == GX_T_SET && !n->b && op >= GX_X_NE && op <= GX_X_GE
        ? n->origin : NULL;
    return step && step->op == GX_X_STEP && step->preds.n && gx_plans_are_plain(step->preds)
        && !(step->kids[0]->deps & ~GX_DEP_TREE) ? step : NULL;
}

/*  //x[@v > $v]/y[. = $y]   ->   //x/y[. = $y][ parent::node()[@v > $v] ]     where a look-up finds the children  */
static gx_plan *children_first(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *search = n->preds.n && GX_STEP_AXIS(n->a) == GX_AXIS_CHILD && gx_plans_are_plain(n->preds)
        ? ordered_search(n->kids[0]) : NULL;
    (void)demand;
    if (!search)
        return NULL;
    gx_plan *found = gx_plan_step(p, gx_plan_with(p, search, gx_plans_none), GX_AXIS_CHILD, GX_STEP_TEST(n->a), n->b,
                                  n->preds, n->at);
    if (!gx_plan_is_call(found, GX_F_KEY))
        return NULL;
    p->predicates++;
    gx_plan *parent = gx_plan_step(p, gx_plan_context(p, n->at), GX_AXIS_PARENT, GX_TEST_NODE, 0, search->preds, n->at);
    gx_plan *is = gx_plan_convert(p, parent, GX_T_BOOL);
    p->predicates--;
    return gx_plan_filter(p, found, gx_plans_with(p, gx_plans_none, is), n->at);
}

static const gx_rule_def sets[] = {
    { "children-first", GX_ON_STEP, GX_RULE_REWRITE, 0, children_first },
    { "some-compared", GX_ON_CONVERT, GX_RULE_REWRITE, 0, some_compared },
    { "position-apart", GX_ON_STEP | GX_ON_FILTER, GX_RULE_REWRITE, 0, position_apart },
    { "conjuncts", GX_ON_STEP | GX_ON_FILTER, GX_RULE_REWRITE, 0, conjuncts },
    { "filter-step", GX_ON_FILTER, GX_RULE_REWRITE, 0, filter_step },
    { "filter-union", GX_ON_FILTER, GX_RULE_REWRITE, 0, filter_union },
};
const gx_rules gx_rules_select_sets = GX_RULES(sets);

static const gx_rule_def rules[] = {
    { "or-step", GX_ON_STEP, GX_RULE_REWRITE, 0, or_step },
    { "or-filter", GX_ON_FILTER, GX_RULE_REWRITE, 0, or_filter },
    { "semi-join", GX_ON_STEP | GX_ON_FILTER, GX_RULE_REWRITE, 0, semi_join },
    { "semi-join-inverse", GX_ON_STEP, GX_RULE_REWRITE, 0, semi_join_inverse },
    { "not-compared", GX_ON_CALL, GX_RULE_REWRITE, 0, not_compared },
    { "some-of-union", GX_ON_UNION, GX_RULE_DEMAND, GX_WANT_SOME, some_of_union },
};
const gx_rules gx_rules_select = GX_RULES(rules);
