/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unordered.c -- what a join by order finds, where the order of the nodes does not matter
 *
 *   sum( //row[@v < $v]/@w )        ->   sum-unordered( unordered( //row[@v < $v] )/@w )
 *   @w > //row[@v < $v]/@w          ->   @w > unordered( //row[@v < $v] )/@w
 *   count( //row[@v < $v]/part )    ->   count( unordered( //row[@v < $v] )/part )
 *   string( //row[@v < $v]/@id )    ->   string( first-unordered( unordered( //row[@v < $v] )/@id ) )
 *   (//row[@v < $v])[last()]        ->   join( ... )last(1)
 *   (//row[@v < $v])[3]             ->   join( ... )first(3)[3]
 *   (//row[@k != $k])[1]            ->   join( ... )first(1)        so with two orders of two things
 *
 * The nodes that a row finds are a part of one list, in the order of what is compared. To put them in document order,
 * each row needs a list of its own. A sum, a count or a comparison takes the parts as they are (machine/slices.h),
 * and so do steps on the way that lead from each node to nodes of its own. Where there is no such list, or some of its
 * ends are wanted, the join keeps these alone (machine/join_ends.h).
 */
#include <apr_strings.h>
#include "rules.h"

static int is_order(u32 op) { return op >= GX_X_LT && op <= GX_X_GE; }

/* n over its join's list in the order of what is compared; NULL: n has no such join, or its nodes would be others */
static gx_plan *without_order(gx_planner *p, const gx_plan *n)
{
    const u32 axis = n->op == GX_X_STEP ? GX_STEP_AXIS(n->a) : GX_AXIS_SELF;
    u32 k = 0;
    gx_plan *unordered;
    if (n->op == GX_X_JOIN) {
        if (n->type != GX_T_SET || n->b || !is_order(n->a & 0xff) || n->a & GX_JOIN_UNORDERED
            || (GX_JOIN_TWO(n->a) && !(n->a & GX_JOIN_ONE_USE)))
            return NULL;
        unordered = gx_plan_copy(p, n);
        unordered->a |= GX_JOIN_UNORDERED;
        return gx_plan_derive(unordered);
    }
    if (n->op == GX_X_CHOICE && n->type == GX_T_SET)
        k = 2;
    else if (n->op != GX_X_STEP || n->preds.n || GX_STEP_MOST(n->a)
             || (axis != GX_AXIS_CHILD && axis != GX_AXIS_ATTRIBUTE))
        return NULL;
    gx_plan *input = without_order(p, n->kids[k]), **kids;
    if (!input)
        return NULL;
    unordered = gx_plan_copy(p, n);
    kids = apr_pmemdup(p->pool, n->kids, n->n * sizeof *kids);
    kids[k] = input;
    unordered->kids = kids;
    return gx_plan_derive(unordered);
}

/* A join of which each row has many nodes: by an order or an inequality, all of them in document order */
static int is_long_join(const gx_plan *n)
{
    const u32 op = n->a & 0xff;
    return n->op == GX_X_JOIN && n->type == GX_T_SET && !n->b && !(n->a & GX_JOIN_UNORDERED)
        && (op == GX_X_NE || is_order(op));
}

/* join, of which each row has no more than so many: JOIN_END's b */
static gx_plan *limited(gx_planner *p, const gx_plan *join, u32 limit)
{
    gx_plan *end = gx_plan_copy(p, join);
    end->b = limit;
    end->origin = NULL;                 /* what it was made of has them all */
    end->given |= GX_JOIN_N(limit) == 1 ? GX_XS_SINGLE | GX_XS_FLAT : 0;
    return gx_plan_derive(end);
}

gx_plan *gx_plan_end_of_order(gx_planner *p, const gx_plan *n, int last)
{
    if (is_long_join(n))
        return limited(p, n, 1 | (last ? GX_JOIN_LAST : 0));
    gx_plan *unordered = without_order(p, n);
    return !unordered ? NULL
        : gx_plan_make(p, GX_X_FUNC, GX_T_SET, last ? GX_F_LAST_UNORDERED : GX_F_FIRST_UNORDERED, 1, n->at, 1,
                       unordered);
}

/*  string( join( ... )/@x )   ->   first-unordered( unordered( ... )/@x )
 *  string( join( ... ) )      ->   join( ... )first(1)  */
static gx_plan *first_unordered(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    return n->op == GX_X_CHOICE ? NULL : gx_plan_end_of_order(p, n, 0);
}

/*  ( join( ... ) )[1]            ->   join( ... )first(1)
 *  ( join( ... )/x )[last()]     ->   last-unordered( unordered( ... )/x )  */
static gx_plan *filter_unordered(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *end = n->preds.at[0];
    (void)demand;
    if (n->b || end->op != GX_X_NTH || end->b > 1)
        return NULL;
    gx_plan *one = gx_plan_end_of_order(p, n->kids[0], !end->b);
    return one ? gx_plan_filter(p, one, gx_plans_part(n->preds, 1, n->preds.n), n->at) : NULL;
}

/*  ( join( ... ) )[3]   ->   ( join( ... )first(3) )[3]          [position() < 4]   ->   first(3)  */
static gx_plan *limit_of_join(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *place = n->preds.at[0];
    (void)demand;
    if (n->b || !is_long_join(n->kids[0]) || (n->kids[0]->a & 0xff) == GX_X_NE
        || (place->op != GX_X_NTH && place->op != GX_X_RANGE) || place->b < 2 || place->b > GX_JOIN_MOST)
        return NULL;
    return gx_plan_filter(p, limited(p, n->kids[0], place->b), n->preds, n->at);
}

/* The first `limit` nodes of a set, or the last; the set itself where no limit can be pushed into it */
static gx_plan *limit_of_set(gx_planner *p, gx_plan *set, u32 limit, int last)
{
    gx_plan *count = gx_plan_num(p, limit, set->at);
    if (set->op == GX_X_UNION) {
        gx_plan *left = limit_of_set(p, set->kids[0], limit, last);
        gx_plan *right = limit_of_set(p, set->kids[1], limit, last);
        return left == set->kids[0] && right == set->kids[1] ? set
            : gx_plan_make(p, GX_X_UNION, GX_T_SET, 0, 0, set->at, 2, left, right);
    }
    if (set->set & GX_XS_SINGLE || set->fails)
        return set;
    if (is_long_join(set) && ((set->a & 0xff) != GX_X_NE || limit == 1))
        return limited(p, set, limit | (last ? GX_JOIN_LAST : 0));
    if (set->op != GX_X_VAR && !(set->op == GX_X_AT && set->type == GX_T_SET) && !gx_plan_is_call(set, GX_F_KEY))
        return set;
    return last ? gx_plan_make(p, GX_X_AT, GX_T_SET, GX_AT_FROM_END, 0, set->at, 2, set, count)
        : gx_plan_make(p, GX_X_BETWEEN, GX_T_SET, 0, 0, set->at, 3, set, gx_plan_num(p, 1, set->at), count);
}

/*  ( join( ... ) | at( $all, $some ) )[3]   ->   ( join( ... )first(3) | between( at( $all, $some ), 1, 3 ) )[3]  */
static gx_plan *limit_of_union(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *place = n->preds.at[0];
    (void)demand;
    if (n->b || n->kids[0]->op != GX_X_UNION || (place->op != GX_X_NTH && place->op != GX_X_RANGE)
        || (place->op == GX_X_RANGE && !place->b) || place->b > GX_JOIN_MOST)
        return NULL;
    gx_plan *ends = limit_of_set(p, n->kids[0], place->b ? place->b : 1, !place->b);
    return ends != n->kids[0] ? gx_plan_filter(p, ends, n->preds, n->at) : NULL;
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
static gx_plan *limit_of_parents(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *place = n->preds.at[0];
    gx_plan *join = n->kids[0];
    (void)demand;
    if (!n->b || !is_long_join(join) || (place->op != GX_X_NTH && place->op != GX_X_RANGE)
        || (place->op == GX_X_RANGE && !place->b) || place->b > GX_JOIN_MOST
        || ((join->a & 0xff) == GX_X_NE && place->b > 1))
        return NULL;
    gx_plan *limit = gx_plan_copy(p, join);
    limit->b = (place->b ? place->b : 1 | GX_JOIN_LAST) | GX_JOIN_OF_EACH;
    gx_plan *each = gx_plan_copy(p, n), *input = gx_plan_derive(limit);
    each->kids = apr_pmemdup(p->pool, &input, sizeof input);
    return gx_plan_derive(each);
}

static gx_plan *drop_order(gx_planner *p, gx_plan *n, u32 demand)
{
    if (demand == GX_WANT_COUNT && n->op == GX_X_JOIN)
        return NULL;                    /* it counts */
    return without_order(p, n);
}

/*  boolean( join( ... )/x )   ->   count( unordered( ... )/x ) > 0     where each row's nodes would be gone through  */
static gx_plan *some_unordered(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *unordered = without_order(p, n), *count;
    (void)demand;
    if (!unordered || n->kids[0]->op != GX_X_JOIN
        || gx_plan_call(p, "", "count", n->at, gx_plans_with(p, gx_plans_none, unordered), &count))
        return NULL;
    return gx_plan_binary(p, GX_X_GT, count, gx_plan_num(p, 0, n->at), n->at);
}

static const gx_rule_def rules[] = {
    { "filter-unordered", GX_ON_FILTER, GX_RULE_REWRITE, 0, filter_unordered },
    { "limit-of-join", GX_ON_FILTER, GX_RULE_REWRITE, 0, limit_of_join },
    { "limit-of-parents", GX_ON_FILTER, GX_RULE_REWRITE, 0, limit_of_parents },
    { "limit-of-union", GX_ON_FILTER, GX_RULE_REWRITE, 0, limit_of_union },
    { "place-of-shared", GX_ON_FILTER, GX_RULE_REWRITE, 0, place_of_shared },
    { "first-unordered", GX_ON_JOIN | GX_ON_STEP, GX_RULE_DEMAND, GX_WANT_FIRST, first_unordered },
    { "unordered", GX_ON_JOIN | GX_ON_STEP | GX_ON_CHOICE, GX_RULE_DEMAND,
      GX_WANT_COUNT | GX_WANT_SUM | GX_WANT_COMPARED, drop_order },
    { "some-unordered", GX_ON_STEP, GX_RULE_DEMAND, GX_WANT_SOME, some_unordered },
};
const gx_rules gx_rules_unordered = GX_RULES(rules);
