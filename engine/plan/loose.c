/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loose.c -- what a join by order finds, where the order of the nodes does not matter
 *
 *   sum( //row[@v < $v]/@w )        ->   sum-loose( loose( //row[@v < $v] )/@w )
 *   @w > //row[@v < $v]/@w          ->   @w > loose( //row[@v < $v] )/@w
 *   count( //row[@v < $v]/part )    ->   count( loose( //row[@v < $v] )/part )
 *   string( //row[@v < $v]/@id )    ->   string( first-loose( loose( //row[@v < $v] )/@id ) )
 *   (//row[@v < $v])[last()]        ->   join( ... )last(1)
 *   (//row[@v < $v])[3]             ->   join( ... )first(3)[3]
 *   (//row[@k != $k])[1]            ->   join( ... )first(1)        so with two orders of two things
 *
 * The nodes that a row finds are a part of one list, in the order of what is compared. To put them in document order,
 * each row needs a list of its own. Who adds, counts, or compares takes the parts as they are (machine/slices.h), and
 * so do steps on the way that lead from each node to nodes of its own. Where there is no such list, or some of its ends
 * are wanted, the join keeps these alone (machine/join_ends.h).
 */
#include <apr_strings.h>
#include "rules.h"

static int is_order(u32 op) { return op >= GX_X_LT && op <= GX_X_GE; }

/* n with its join loosened; NULL: there is none, or the nodes would be others */
static gx_plan *loosened(gx_planner *p, const gx_plan *n)
{
    const u32 axis = n->op == GX_X_STEP ? GX_STEP_AXIS(n->a) : GX_AXIS_SELF;
    u32 k = 0;
    gx_plan *loose;
    if (n->op == GX_X_JOIN) {
        if (n->type != GX_T_SET || n->b || !is_order(n->a & 0xff) || n->a & GX_JOIN_LOOSE
            || (GX_JOIN_TWO(n->a) && !(n->a & GX_JOIN_ONE_USE)))
            return NULL;
        loose = gx_plan_copy(p, n);
        loose->a |= GX_JOIN_LOOSE;
        return gx_plan_derive(loose);
    }
    if (n->op == GX_X_CHOICE && n->type == GX_T_SET)
        k = 2;
    else if (n->op != GX_X_STEP || n->preds.n || GX_STEP_MOST(n->a)
             || (axis != GX_AXIS_CHILD && axis != GX_AXIS_ATTRIBUTE))
        return NULL;
    gx_plan *input = loosened(p, n->kids[k]), **kids;
    if (!input)
        return NULL;
    loose = gx_plan_copy(p, n);
    kids = apr_pmemdup(p->pool, n->kids, n->n * sizeof *kids);
    kids[k] = input;
    loose->kids = kids;
    return gx_plan_derive(loose);
}

/* A join of which each row has many nodes: by an order or an inequality, all of them in document order */
static int is_long_join(const gx_plan *n)
{
    const u32 op = n->a & 0xff;
    return n->op == GX_X_JOIN && n->type == GX_T_SET && !n->b && !(n->a & GX_JOIN_LOOSE)
        && (op == GX_X_NE || is_order(op));
}

/* join, of which each row has no more than so many: JOIN_END's b */
static gx_plan *few_of(gx_planner *p, const gx_plan *join, u32 few)
{
    gx_plan *end = gx_plan_copy(p, join);
    end->b = few;
    end->origin = NULL;                 /* what it was made of has them all */
    end->given |= GX_JOIN_N(few) == 1 ? GX_XS_SINGLE | GX_XS_FLAT : 0;
    return gx_plan_derive(end);
}

gx_plan *gx_plan_end_of_order(gx_planner *p, const gx_plan *n, int last)
{
    if (is_long_join(n))
        return few_of(p, n, 1 | (last ? GX_JOIN_LAST : 0));
    gx_plan *loose = loosened(p, n);
    return !loose ? NULL
        : gx_plan_make(p, GX_X_FUNC, GX_T_SET, last ? GX_F_LAST_LOOSE : GX_F_FIRST_LOOSE, 1, n->at, 1, loose);
}

/*  string( join( ... )/@x )   ->   first-loose( loose( ... )/@x )
 *  string( join( ... ) )      ->   join( ... )first(1)  */
static gx_plan *first_in_any_order(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    return n->op == GX_X_CHOICE ? NULL : gx_plan_end_of_order(p, n, 0);
}

/*  ( join( ... ) )[1]            ->   join( ... )first(1)
 *  ( join( ... )/x )[last()]     ->   last-loose( loose( ... )/x )  */
static gx_plan *filter_in_any_order(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *end = n->preds.at[0];
    (void)demand;
    if (n->b || end->op != GX_X_NTH || end->b > 1)
        return NULL;
    gx_plan *one = gx_plan_end_of_order(p, n->kids[0], !end->b);
    return one ? gx_plan_filter(p, one, gx_plans_part(n->preds, 1, n->preds.n), n->at) : NULL;
}

/*  ( join( ... ) )[3]   ->   ( join( ... )first(3) )[3]          [position() < 4]   ->   first(3)  */
static gx_plan *few_of_join(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *place = n->preds.at[0];
    (void)demand;
    if (n->b || !is_long_join(n->kids[0]) || (n->kids[0]->a & 0xff) == GX_X_NE
        || (place->op != GX_X_NTH && place->op != GX_X_RANGE) || place->b < 2 || place->b > GX_JOIN_MOST)
        return NULL;
    return gx_plan_filter(p, few_of(p, n->kids[0], place->b), n->preds, n->at);
}

/* Of a set, the first few nodes, or the last; the set itself: they are no fewer */
static gx_plan *few_of_set(gx_planner *p, gx_plan *set, u32 few, int last)
{
    gx_plan *count = gx_plan_num(p, few, set->at);
    if (set->op == GX_X_UNION) {
        gx_plan *left = few_of_set(p, set->kids[0], few, last), *right = few_of_set(p, set->kids[1], few, last);
        return left == set->kids[0] && right == set->kids[1] ? set
            : gx_plan_make(p, GX_X_UNION, GX_T_SET, 0, 0, set->at, 2, left, right);
    }
    if (set->set & GX_XS_SINGLE || set->fails)
        return set;
    if (is_long_join(set) && ((set->a & 0xff) != GX_X_NE || few == 1))
        return few_of(p, set, few | (last ? GX_JOIN_LAST : 0));
    if (set->op != GX_X_VAR && !(set->op == GX_X_AT && set->type == GX_T_SET) && !gx_plan_is_call(set, GX_F_KEY))
        return set;
    return last ? gx_plan_make(p, GX_X_AT, GX_T_SET, GX_AT_FROM_END, 0, set->at, 2, set, count)
        : gx_plan_make(p, GX_X_BETWEEN, GX_T_SET, 0, 0, set->at, 3, set, gx_plan_num(p, 1, set->at), count);
}

/*  ( join( ... ) | at( $all, $some ) )[3]   ->   ( join( ... )first(3) | between( at( $all, $some ), 1, 3 ) )[3]  */
static gx_plan *few_of_union(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *place = n->preds.at[0];
    (void)demand;
    if (n->b || n->kids[0]->op != GX_X_UNION || (place->op != GX_X_NTH && place->op != GX_X_RANGE)
        || (place->op == GX_X_RANGE && !place->b) || place->b > GX_JOIN_MOST)
        return NULL;
    gx_plan *few = few_of_set(p, n->kids[0], place->b ? place->b : 1, !place->b);
    return few != n->kids[0] ? gx_plan_filter(p, few, n->preds, n->at) : NULL;
}

/*  $s[last()]   ->   from-end( $s, 1 )          $s[7]   ->   at( $s, 7 )     what rows share stays where it is  */
static gx_plan *place_of_shared(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *place = n->preds.at[0], *set = n->kids[0];
    (void)demand;
    if (n->b || place->op != GX_X_NTH || set->op != GX_X_VAR || set->type != GX_T_SET)
        return NULL;
    gx_plan *one = gx_plan_make(p, GX_X_AT, GX_T_SET, place->b ? 0 : GX_AT_FROM_END, 0, n->at, 2, set,
                                gx_plan_num(p, place->b ? place->b : 1, n->at));
    return gx_plan_filter(p, one, gx_plans_part(n->preds, 1, n->preds.n), n->at);
}

/*  each( join( ... ) )[last()]   ->   each( join( ... )last(1)of-each )[last()]
 *
 * Positions count those of each parent: the join keeps no more of one than may be asked for. */
static gx_plan *few_of_parents(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *place = n->preds.at[0];
    gx_plan *join = n->kids[0];
    (void)demand;
    if (!n->b || !is_long_join(join) || (place->op != GX_X_NTH && place->op != GX_X_RANGE)
        || (place->op == GX_X_RANGE && !place->b) || place->b > GX_JOIN_MOST
        || ((join->a & 0xff) == GX_X_NE && place->b > 1))
        return NULL;
    gx_plan *few = gx_plan_copy(p, join);
    few->b = (place->b ? place->b : 1 | GX_JOIN_LAST) | GX_JOIN_OF_EACH;
    gx_plan *each = gx_plan_copy(p, n), *input = gx_plan_derive(few);
    each->kids = apr_pmemdup(p->pool, &input, sizeof input);
    return gx_plan_derive(each);
}

static gx_plan *any_order(gx_planner *p, gx_plan *n, u32 demand)
{
    if (demand == GX_WANT_COUNT && n->op == GX_X_JOIN)
        return NULL;                    /* it counts */
    return loosened(p, n);
}

/*  boolean( join( ... )/x )   ->   count( loose( ... )/x ) > 0     where each row's nodes would be gone through  */
static gx_plan *some_in_any_order(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *loose = loosened(p, n), *count;
    (void)demand;
    if (!loose || n->kids[0]->op != GX_X_JOIN
        || gx_plan_call(p, "", "count", n->at, gx_plans_with(p, gx_plans_none, loose), &count))
        return NULL;
    return gx_plan_binary(p, GX_X_GT, count, gx_plan_num(p, 0, n->at), n->at);
}

static const gx_rule_def rules[] = {
    { "filter-in-any-order", GX_ON_FILTER, GX_RULE_REWRITE, 0, filter_in_any_order },
    { "few-of-join", GX_ON_FILTER, GX_RULE_REWRITE, 0, few_of_join },
    { "few-of-parents", GX_ON_FILTER, GX_RULE_REWRITE, 0, few_of_parents },
    { "few-of-union", GX_ON_FILTER, GX_RULE_REWRITE, 0, few_of_union },
    { "place-of-shared", GX_ON_FILTER, GX_RULE_REWRITE, 0, place_of_shared },
    { "first-in-any-order", GX_ON_JOIN | GX_ON_STEP, GX_RULE_DEMAND, GX_WANT_FIRST, first_in_any_order },
    { "any-order", GX_ON_JOIN | GX_ON_STEP | GX_ON_CHOICE, GX_RULE_DEMAND,
      GX_WANT_COUNT | GX_WANT_SUM | GX_WANT_COMPARED, any_order },
    { "some-in-any-order", GX_ON_STEP, GX_RULE_DEMAND, GX_WANT_SOME, some_in_any_order },
};
const gx_rules gx_rules_loose = GX_RULES(rules);
