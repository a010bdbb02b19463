/* SPDX-License-Identifier: Apache-2.0 */
/*
 * first.c -- the first node that a search finds, without the others
 *
 *   string( //row[@v > $v] )            ->   //row[@v > $v][1]         some candidates after the others (ROUNDS)
 *   string( //row[@v > $v]/@id )        ->   //row[@v > $v][@id][1]/@id
 *   string( //row[@v > $v][1]/@id )     ->   choice( //row[not(@id)]: none: that, else as it stands )
 *   preceding::x[@a = $a or @b = $b][1] ->   of the nearest by one and the nearest by the other the nearer
 *
 * An order, an inequality or a negation finds a good part of the set for each row, and who takes the string of that
 * wants one node. (What an equality finds is short, and rows share it: that stays.) In the last form each parent's
 * first is wanted; the first of all is one of these, and if each row has the attribute, it is the first that has one.
 *
 * Cost: the candidates up to the first, for each row; at most all of them, as before.
 */
#include "rules.h"

/* Does an equality or a search find it, which is short? */
static int is_short(const gx_plan *n)
{
    while (n->op == GX_X_FILTER)
        n = n->kids[0];
    const u32 op = n->a & 0xff;
    return n->op != GX_X_STEP && (n->op != GX_X_JOIN || (op != GX_X_NE && (op < GX_X_LT || op > GX_X_GE)));
}

/* The search from the root that n is or was, if it counts no positions; NULL: it is none */
static const gx_plan *search_of(const gx_plan *n)
{
    const gx_plan *step = n->op == GX_X_STEP ? n : n->origin;
    if (!step || step->op != GX_X_STEP || step->kids[0]->op != GX_X_ROOT || !step->preds.n
        || !gx_plans_are_plain(step->preds) || is_short(n))
        return NULL;
    return step;
}

/* Its first node that meets one more condition (or NULL); NULL: neither by an order nor in rounds */
static gx_plan *first_of(gx_planner *p, const gx_plan *search, gx_plan *more)
{
    const gx_plans preds = more ? gx_plans_with(p, search->preds, more) : search->preds;
    gx_plan *set = gx_plan_step(p, search->kids[0], GX_STEP_AXIS(search->a), GX_STEP_TEST(search->a), search->b, preds,
                                search->at);
    gx_plan *first = gx_plan_end_of_order(p, set, 0);
    return first ? first : gx_plan_first_in_rounds(p, search, preds);
}

/*  first( join( //x, $v: use > ) )   ->   //x[use > $v][1]  */
static gx_plan *first_indexed(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *search = n->b && n->op == GX_X_FILTER ? NULL : search_of(n);
    (void)demand;
    return search && n->op != GX_X_STEP ? first_of(p, search, NULL) : NULL;
}

/* The search of which n takes each parent's first: as it is parsed, or of what is found; NULL: n is something else */
static const gx_plan *search_of_parents(gx_planner *p, const gx_plan *n)
{
    const u32 last = n->preds.n - 1;
    if (!n->preds.n || n->preds.at[last]->op != GX_X_NTH || n->preds.at[last]->b != 1)
        return NULL;
    if (n->op == GX_X_FILTER)
        return n->b && !last ? search_of(n->kids[0]) : NULL;
    gx_plan *above = n->op == GX_X_STEP && GX_STEP_AXIS(n->a) == GX_AXIS_CHILD
        ? gx_plan_above(n->kids[0], GX_STEP_TEST(n->a), n->b) : NULL;
    if (!above || above->op != GX_X_ROOT || !last)
        return NULL;
    const u32 step = GX_STEP_MAKE(GX_AXIS_DESCENDANT, GX_STEP_TEST(n->a));
    gx_plan *search = gx_plan_make_of(p, GX_X_STEP, GX_T_SET, step, n->b, n->at,
                                      gx_plans_with(p, gx_plans_none, above), gx_plans_part(n->preds, 0, last));
    return search_of(search);
}

static gx_plan *attribute_of(gx_planner *p, gx_plan *input, const gx_plan *attribute)
{
    return gx_plan_step(p, input, GX_AXIS_ATTRIBUTE, GX_TEST_NAME, attribute->b, gx_plans_none, attribute->at);
}

/*  first( //x[p]/@a )   ->   //x[p][@a][1]/@a          first( //x[p][1]/@a )   ->   choice( //x[not(@a)]: none:
 *      //x[p][@a][1]/@a else //x[p][1]/@a )  */
static gx_plan *first_attribute(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *input = n->kids[0], *search;
    (void)demand;
    if (GX_STEP_AXIS(n->a) != GX_AXIS_ATTRIBUTE || GX_STEP_TEST(n->a) != GX_TEST_NAME || n->preds.n || n->origin
        || GX_STEP_MOST(n->a) || input->set & GX_XS_SINGLE)
        return NULL;
    const int each = !(search = search_of(input));
    if (each && !(search = search_of_parents(p, input)))
        return NULL;
    gx_plan *has = gx_plan_convert(p, attribute_of(p, gx_plan_context(p, n->at), n), GX_T_BOOL);
    gx_plan *first = first_of(p, search, has);
    if (!first)
        return NULL;
    first = attribute_of(p, first, n);
    if (!each)
        return first;
    gx_plans lacks = gx_plans_with(p, gx_plans_none, gx_plan_not(p, has, n->at));
    gx_plan *others = gx_plan_step(p, search->kids[0], GX_STEP_AXIS(search->a), GX_STEP_TEST(search->a), search->b,
                                   lacks, n->at);
    gx_plan *plain = gx_plan_copy(p, n);
    plain->origin = n;                  /* it is not taken apart again */
    return gx_plan_make(p, GX_X_CHOICE, GX_T_SET, GX_CHOICE_NONE, 0, n->at, 3, others, first, gx_plan_derive(plain));
}

#define MAX_FIRST 4u                    /* of a search that goes on for each of them */

/*
 *  preceding::x[@v > $v][position() < 4]   ->   preceding::x[@v > $v][1] | preceding::x[@v > $v][2] | ...[3]
 *
 * each of which is looked for in rounds, or counted from the end of a look-up, so that no row has a list of all
 */
static gx_plan *first_k(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *all = NULL;
    u32 k = 0;
    (void)demand;
    while (k < n->preds.n && !gx_plan_is_positional(n->preds.at[k]))
        k++;
    if (!k || k == n->preds.n || n->preds.at[k]->op != GX_X_RANGE || n->preds.at[k]->b > MAX_FIRST
        || n->calls || n->hosted || n->fails || gx_plans_are_positional(gx_plans_part(n->preds, k + 1, n->preds.n)))
        return NULL;
    for (u32 i = n->preds.at[k]->a; i <= n->preds.at[k]->b; i++) {
        gx_plans preds = gx_plans_with(p, gx_plans_part(n->preds, 0, k),
                                       gx_plan_make(p, GX_X_NTH, GX_T_BOOL, 0, i, n->at, 0));
        for (u32 j = k + 1; j < n->preds.n; j++)
            preds = gx_plans_with(p, preds, n->preds.at[j]);
        gx_plan *one = gx_plan_step(p, n->kids[0], GX_STEP_AXIS(n->a), GX_STEP_TEST(n->a), n->b, preds, n->at);
        const int placed = (one->op == GX_X_AT && one->a & GX_AT_FROM_END) || gx_plan_is_call(one, GX_F_KEY_AXIS_FIRST);
        const int single = one->n && one->kids[0]->set & GX_XS_SINGLE && one->kids[0]->deps & GX_DEP_CONTEXT;
        if (!placed && !(single && gx_plan_in_rounds(one)))
            return NULL;
        all = all ? gx_plan_make(p, GX_X_UNION, GX_T_SET, 0, 0, n->at, 2, all, one) : one;
    }
    return all;
}

/*
 *  preceding::x[@a = $a or @b = $b][1]   ->   ( preceding::x[@a = $a][1] | preceding::x[@b = $b][1] )[last()]
 *
 * of two look-ups the nearer one: on an axis that goes back the later, on one that goes on the first
 */
static gx_plan *first_of_either(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *ones[2];
    (void)demand;
    if (n->preds.n != 2 || n->preds.at[0]->op != GX_X_OR || n->preds.at[1]->op != GX_X_NTH || n->preds.at[1]->b != 1
        || !gx_plan_is_plain(n->preds.at[0]) || !(n->kids[0]->set & GX_XS_SINGLE))
        return NULL;
    for (u32 i = 0; i < 2; i++) {
        const gx_plans preds = gx_plans_with(p, gx_plans_with(p, gx_plans_none, n->preds.at[0]->kids[i]),
                                             n->preds.at[1]);
        ones[i] = gx_plan_step(p, n->kids[0], GX_STEP_AXIS(n->a), GX_STEP_TEST(n->a), n->b, preds, n->at);
        if (!gx_plan_is_call(ones[i], GX_F_KEY_AXIS_FIRST)
            && !(gx_plan_is_indexed(ones[i]) && ones[i]->set & GX_XS_SINGLE))
            return NULL;
    }
    gx_plan *both = gx_plan_make(p, GX_X_UNION, GX_T_SET, 0, 0, n->at, 2, ones[0], ones[1]);
    gx_plan *end = gx_plan_make(p, GX_X_NTH, GX_T_BOOL, 0, !GX_AXIS_IS_REVERSE(GX_STEP_AXIS(n->a)), n->at, 0);
    return gx_plan_filter(p, both, gx_plans_with(p, gx_plans_none, end), n->at);
}

static const gx_rule_def rules[] = {
    { "first-of-either", GX_ON_STEP, GX_RULE_REWRITE, 0, first_of_either },
    { "first-k", GX_ON_STEP, GX_RULE_REWRITE, 0, first_k },
    { "first-indexed", GX_ON_JOIN | GX_ON_FILTER, GX_RULE_DEMAND, GX_WANT_FIRST, first_indexed },
    { "first-attribute", GX_ON_STEP, GX_RULE_DEMAND, GX_WANT_FIRST, first_attribute },
};
const gx_rules gx_rules_first = GX_RULES(rules);
