/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c -- the list of rules: what makes a plan faster, and nothing else
 *
 * A plan is built bottom up; each node is offered to the rules as it is made, in the order of the table, until none
 * applies. A rule that needs to know what becomes of a value is of stage DEMAND: the consumer says how much it needs,
 * and the operand is offered to those. Rules of stage PLACE say where a value is evaluated; lower.c asks for them.
 *
 * Every rule can be switched off (gx_compile_options.rules), and no result changes by a byte: t/80-conformance.t runs
 * every case without any rule, t/differential.py random programs with and without.
 *
 * Cost: a few comparisons a node and rule.
 */
#include <math.h>
#include <string.h>
#include <apr_strings.h>
#include "rules.h"

/* ---- constants --------------------------------------------------------------------------------------------------- */

/* number('...'): optional white space, "-", digits with at most one point. */
static double number_of(gx_planner *p, const char *s)
{
    gx_xparse sub;
    s += strspn(s, " \t\r\n");
    int minus = *s == '-';
    s += minus;
    size_t n = strspn(s, "0123456789."), tail = strspn(s + n, " \t\r\n");
    if (!n || s[n + tail])
        return NAN;
    const char *point = memchr(s, '.', n);
    if (n == 1 && point)
        return NAN;
    if (point && memchr(point + 1, '.', n - (size_t)(point + 1 - s)))
        return NAN;
    if (gx_xparse_begin(&sub, p->env, p->text.noun, s, (u32)n) != GX_OK)
        return NAN;
    return minus ? -sub.num : sub.num;
}

/*  boolean( 'x' )   ->   true          number( '3' )   ->   3          string( true )   ->   'true'  */
static gx_plan *fold_conversion(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *value = n->kids[0];
    (void)demand;
    if (n->op == GX_X_TO_BOOL && value->op == GX_X_NUM)
        return gx_plan_bool(p, value->num < 0 || value->num > 0, value->at);
    if (n->op == GX_X_TO_BOOL && value->op == GX_X_STR)
        return gx_plan_bool(p, *value->str, value->at);
    if (n->op == GX_X_TO_NUM && value->op == GX_X_STR)
        return gx_plan_num(p, number_of(p, value->str), value->at);
    if (n->op == GX_X_TO_NUM && value->op == GX_X_BOOL)
        return gx_plan_num(p, (double)value->b, value->at);
    if (n->op == GX_X_TO_STR && value->op == GX_X_BOOL)
        return gx_plan_str(p, value->b ? "true" : "false", value->at);
    return NULL;
}

/*  true and x   ->   x          false and x   ->   false          (3.4: the right is not evaluated then:
 *                                                                 function-available('f') and f())  */
static gx_plan *fold_logic(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *left = n->kids[0];
    (void)p, (void)demand;
    return left->op != GX_X_BOOL ? NULL : (left->b != 0) == (n->op == GX_X_OR) ? left : n->kids[1];
}

/*  2 * 3   ->   6          -(1)   ->   -1          mod is left alone: it takes a machine's loop  */
static gx_plan *fold_arithmetic(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (n->kids[0]->op != GX_X_NUM || n->op == GX_X_MOD)
        return NULL;
    const double x = n->kids[0]->num, y = n->n == 2 ? n->kids[1]->num : 0;
    if (n->op == GX_X_NEG)
        return gx_plan_num(p, -x, n->at);
    if (n->kids[1]->op != GX_X_NUM)
        return NULL;
    return gx_plan_num(p,
                       n->op == GX_X_ADD       ? x + y
                           : n->op == GX_X_SUB ? x - y
                           : n->op == GX_X_MUL ? x * y
                                               : x / y,
                       n->at);
}

/*  not( true )   ->   false  */
static gx_plan *fold_not(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    return n->a == GX_F_NOT && n->kids[0]->op == GX_X_BOOL ? gx_plan_bool(p, !n->kids[0]->b, n->at) : NULL;
}

/*
 *  string-length( s ) > 0   ->   boolean( s )          string-length( s ) = 0   ->   not( boolean( s ) )
 *
 * Recursion over a long string asks that of what is left of it at every step, and to count the characters of that each
 * time would be the square of the string.
 */
static gx_plan *length_compared(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *left = n->kids[0], *right = n->kids[1];
    const int swapped = gx_plan_is_call(right, GX_F_STRING_LENGTH);
    gx_plan *length = swapped ? right : left;
    const gx_plan *number = swapped ? left : right;
    const u32 op = swapped ? gx_xop_turned(n->op) : n->op;
    (void)demand;
    if (!gx_plan_is_call(length, GX_F_STRING_LENGTH) || number->op != GX_X_NUM)
        return NULL;
    const int some = (number->num == 0 && (op == GX_X_GT || op == GX_X_NE)) || (number->num == 1 && op == GX_X_GE);
    const int none = (number->num == 0 && (op == GX_X_EQ || op == GX_X_LE)) || (number->num == 1 && op == GX_X_LT);
    if (!some && !none)
        return NULL;
    gx_plan *truth = gx_plan_convert(p, length->kids[0], GX_T_BOOL);
    return none ? gx_plan_not(p, truth, n->at) : truth;
}

/*  boolean( string-length( s ) )   ->   boolean( s )  */
static gx_plan *length_true(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    return n->op == GX_X_TO_BOOL && gx_plan_is_call(n->kids[0], GX_F_STRING_LENGTH)
        ? gx_plan_convert(p, n->kids[0]->kids[0], GX_T_BOOL)
        : NULL;
}

/*  substring-before( concat( s, t ), t )   ->   substring-until( s, t )     the first of what t separates, where t is a
 *                                                                           literal or a
 *                                                                           variable: no string is made  */
static gx_plan *until(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (n->a != GX_F_SUBSTRING_BEFORE || !gx_plan_is_call(n->kids[0], GX_F_CONCAT))
        return NULL;
    const gx_plan *joined = n->kids[0], *what = n->kids[1], *t = joined->kids[joined->n - 1];
    if (what->op == GX_X_TO_STR && t->op == GX_X_TO_STR) {
        what = what->kids[0];
        t = t->kids[0];
    }
    if (what->op != t->op || what->a != t->a || what->b != t->b
        || (what->op != GX_X_STR && what->op != GX_X_VAR && what->op != GX_X_GLOBAL)
        || (what->op == GX_X_STR && strcmp(what->str, t->str)))
        return NULL;
    gx_plans before = { joined->kids, joined->n - 1 };
    gx_plan *s = before.n == 1 ? before.at[0] : gx_plan_func(p, GX_F_CONCAT, GX_T_STR, joined->at, before);
    return gx_plan_func(p, GX_F_SUBSTRING_UNTIL, GX_T_STR, n->at, gx_plans_with(p, (gx_plans){ &s, 1 }, n->kids[1]));
}

/* ---- positions: predicates that are taken from the candidates without being evaluated for each ------------------- */

/*  [3]  [last()]  [position() = 3]  [position() = last()]   ->   [nth(3)]  [nth(last)]  */
static gx_plan *nth(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *number = n;
    (void)demand;
    if (n->op == GX_X_EQ) {
        number = n->kids[0]->op == GX_X_POSITION ? n->kids[1] : n->kids[1]->op == GX_X_POSITION ? n->kids[0] : NULL;
        if (!number)
            return NULL;
    }
    if (number->op == GX_X_LAST)
        return gx_plan_make(p, GX_X_NTH, GX_T_BOOL, 0, 0, n->at, 0);
    if (number->op != GX_X_NUM || !(number->num >= 1 && number->num <= 0x7fffffff) || number->num != (u32)number->num)
        return NULL;
    return gx_plan_make(p, GX_X_NTH, GX_T_BOOL, 0, (u32)number->num, n->at, 0);
}

/* The positions *first to *last that a predicate asks for, GX_NONE for all that follow */
static int range_of(const gx_plan *pred, u32 *first, u32 *last)
{
    if (pred->op == GX_X_AND) {
        u32 from, to;
        if (!range_of(pred->kids[0], first, last) || !range_of(pred->kids[1], &from, &to))
            return 0;
        *first = from > *first ? from : *first;
        *last = to < *last ? to : *last;
        return *first <= *last;
    }
    if (pred->op < GX_X_NE || pred->op > GX_X_GE)
        return 0;
    const gx_plan *left = pred->kids[0], *right = pred->kids[1];
    const int turned = right->op == GX_X_POSITION;
    const u32 op = turned ? gx_xop_turned(pred->op) : pred->op;
    const gx_plan *number = turned ? left : right;
    if ((turned ? right : left)->op != GX_X_POSITION || number->op != GX_X_NUM
        || !(number->num >= 1 && number->num < 0xffff))
        return 0;
    const u32 below = (u32)number->num;         /* positions up to here are not above the number */
    const int whole = number->num == below;
    *first = 1;
    *last = GX_NONE;
    switch (op) {
    case GX_X_LT: *last = below - (u32)whole; break;
    case GX_X_LE: *last = below; break;
    case GX_X_GT: *first = below + 1; break;
    case GX_X_GE: *first = below + !whole; break;
    default: *first = 2;
        return number->num == 1;
    }
    return *last > 0;
}

/*  [position() < 4]  [2 <= position() and position() <= 3]  [position() != 1]   ->   [nth(1..3)]  [nth(2..3)]
 *      [nth(2..)]  */
static gx_plan *range(gx_planner *p, gx_plan *n, u32 demand)
{
    u32 first, last;
    (void)demand;
    return range_of(n, &first, &last) ? gx_plan_make(p, GX_X_RANGE, GX_T_BOOL, first, last, n->at, 0) : NULL;
}

static int is_of_frame(const gx_plan *n)
{
    return !(n->deps & ~(GX_DEP_LOCAL | GX_DEP_CURRENT)) && !n->calls && !n->hosted && !n->fails;
}

/*  [$i]  [position() = $i + 1]   ->   [at( $i )]  [at( $i + 1 )]     a number that is the frame's, not the candidates',
 *                                                                    or what may be one  */
static gx_plan *at(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *number = n;
    u32 how = n->type == GX_T_ANY ? GX_AT_ANY : 0;
    (void)demand;
    if (n->op == GX_X_EQ) {
        gx_plan *other = n->kids[0]->op == GX_X_POSITION ? n->kids[1]
            : n->kids[1]->op == GX_X_POSITION            ? n->kids[0]
                                                         : NULL;
        how = other && other->type != GX_T_NUM ? GX_AT_EQUAL : 0;
        number = other ? other : n;
    }
    if ((number->type != GX_T_NUM && !how) || !number->deps || !is_of_frame(number))
        return NULL;
    return gx_plan_make(p, GX_X_AT, GX_T_BOOL, how, 0, n->at, 1, number);
}

/*  [position() > $from and position() < $to + 1]   ->   [between( $from, $to + 1 )]     or one of the two, with values
 *      of the frame  */
static gx_plan *between(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *sides[2] = { n, NULL }, *ends[2] = { NULL, NULL };
    u32 a = 0;
    (void)demand;
    if (n->op == GX_X_AND) {
        sides[0] = n->kids[0];
        sides[1] = n->kids[1];
    }
    for (u32 i = 0; i < 2 && sides[i]; i++) {
        const u32 given = sides[i]->op;
        if (given < GX_X_LT || given > GX_X_GE)
            return NULL;
        gx_plan *left = sides[i]->kids[0], *right = sides[i]->kids[1],
                *number = left->op == GX_X_POSITION ? right : left;
        const u32 is = number == right ? given : gx_xop_turned(given), high = is == GX_X_LT || is == GX_X_LE;
        if ((number == right ? left : right)->op != GX_X_POSITION || ends[high] || !is_of_frame(number))
            return NULL;
        ends[high] = number;
        a |= is == GX_X_GT ? GX_BETWEEN_ABOVE : is == GX_X_LT ? GX_BETWEEN_BELOW : 0;
    }
    return gx_plan_make(p, GX_X_BETWEEN, GX_T_BOOL, a, 0, n->at, 2, ends[0] ? ends[0] : gx_plan_num(p, 1, n->at),
                        ends[1] ? ends[1] : gx_plan_num(p, INFINITY, n->at));
}

/*  set[at( $i )]         ->   at( set, $i )          set[between( $a, $b )]   ->   between( set, $a, $b )
 *  each( step )[at( $i )] ->   at( step, $i ), among each parent's
 *
 * The nodes stay where they are. */
static gx_plan *places_of_set(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *pred = n->preds.at[0];
    (void)demand;
    const gx_plans rest = gx_plans_part(n->preds, 1, n->preds.n);
    if (pred->op != GX_X_AT && pred->op != GX_X_BETWEEN)
        return NULL;
    if (n->b && (n->b != GX_FILTER_TOGETHER || n->kids[0]->op != GX_X_STEP || gx_plans_are_positional(rest)))
        return NULL;
    gx_plans kids = gx_plans_with(p, (gx_plans){ n->kids, 1 }, pred->kids[0]);
    if (pred->n == 2)
        kids = gx_plans_with(p, kids, pred->kids[1]);
    gx_plan *one = gx_plan_make_of(p, pred->op, GX_T_SET, pred->a | (n->b ? GX_PLACES_OF_EACH : 0), 0, n->at, kids,
                                   gx_plans_none);
    return gx_plan_filter(p, one, rest, n->at);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* A step's input is descendant-or-self::node(), without predicates: "//" */
static int is_deep(const gx_plan *n)
{
    const gx_plan *input = n->kids[0];
    return input->op == GX_X_STEP && !input->preds.n && GX_STEP_AXIS(input->a) == GX_AXIS_DESCENDANT_OR_SELF
        && GX_STEP_TEST(input->a) == GX_TEST_NODE;
}

/* The step with another input and axis */
static gx_plan *step_from(gx_planner *p, const gx_plan *n, gx_plan *input, u32 axis)
{
    return gx_plan_step(p, input, axis, GX_STEP_TEST(n->a), n->b, n->preds, n->at);
}

/*  x/self::node()   ->   x  */
static gx_plan *step_to_self(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)p, (void)demand;
    return GX_STEP_AXIS(n->a) == GX_AXIS_SELF && GX_STEP_TEST(n->a) == GX_TEST_NODE && !n->preds.n ? n->kids[0] : NULL;
}

/*  s/descendant-or-self::node()/attribute::x   ->   s/descendant-or-self::'*'/attribute::x     elements only, not every
 *      text node  */
static gx_plan *deep_attributes(gx_planner *p, gx_plan *n, u32 demand)
{
    const u32 axis = GX_STEP_AXIS(n->a);
    gx_plan *input = n->kids[0];
    (void)demand;
    if (!is_deep(n) || (axis != GX_AXIS_ATTRIBUTE && axis != GX_AXIS_NAMESPACE))
        return NULL;
    return step_from(p, n,
                     gx_plan_step(p, input->kids[0], GX_AXIS_DESCENDANT_OR_SELF, GX_TEST_ANY, 0, gx_plans_none,
                                  input->at),
                     axis);
}

/*  s/descendant-or-self::node()/child::x[p]   ->   s/descendant::x[p]     unless a predicate counts positions  */
static gx_plan *deep_children(gx_planner *p, gx_plan *n, u32 demand)
{
    const u32 axis = GX_STEP_AXIS(n->a);
    (void)demand;
    if (!is_deep(n) || gx_plans_are_positional(n->preds) || axis > GX_AXIS_DESCENDANT_OR_SELF)
        return NULL;
    return step_from(p, n, n->kids[0]->kids[0],
                     axis == GX_AXIS_CHILD || axis == GX_AXIS_DESCENDANT ? GX_AXIS_DESCENDANT
                                                                         : GX_AXIS_DESCENDANT_OR_SELF);
}

/*
 *  /t/row[@k = $k][1]   ->   filter( look-up of /t/row[@k = $k] )[nth(1)]     counted among those of each parent:
 *                                                                             `how`, GX_FILTER_*
 *
 * where what stands before the first predicate that counts positions is a look-up or a join. NULL: it is none
 */
static gx_plan *count_indexed(gx_planner *p, gx_plan *n, gx_plan *input, u32 axis, u32 how)
{
    u32 counts = 0;
    if (!gx_plans_are_positional(n->preds))
        return NULL;
    while (!gx_plan_is_positional(n->preds.at[counts]))
        counts++;
    if (!counts)
        return NULL;
    gx_plan *found = gx_plan_step(p, input, axis, GX_STEP_TEST(n->a), n->b, gx_plans_part(n->preds, 0, counts), n->at);
    if (found->op == GX_X_STEP)
        return NULL;
    gx_plan *node = gx_plan_make_of(p, GX_X_FILTER, GX_T_SET, 0, how, n->at,
                                    (gx_plans){ apr_pmemdup(p->pool, &found, sizeof found), 1 },
                                    gx_plans_part(n->preds, counts, n->preds.n));
    node->given = input->set & GX_XS_FLAT;
    return gx_rules_rewrite(p, gx_plan_derive(node), GX_ON_FILTER);
}

static gx_plan *deep_indexed(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    return is_deep(n) && GX_STEP_AXIS(n->a) == GX_AXIS_CHILD && GX_STEP_TEST(n->a) == GX_TEST_NAME
        ? count_indexed(p, n, n->kids[0]->kids[0], GX_AXIS_DESCENDANT, GX_FILTER_APART) : NULL;
}

static gx_plan *children_indexed(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *input = n->kids[0];
    (void)demand;
    if (GX_STEP_AXIS(n->a) != GX_AXIS_CHILD)
        return NULL;
    if (input->op == GX_X_CONTEXT)
        return count_indexed(p, n, input, GX_AXIS_CHILD, 0);
    return !(input->set & GX_XS_SINGLE) && !(input->deps & ~GX_DEP_TREE)
        ? count_indexed(p, n, input, GX_AXIS_CHILD, input->set & GX_XS_FLAT ? GX_FILTER_TOGETHER : GX_FILTER_APART)
        : NULL;
}

/*  s/descendant-or-self::node()/child::x[2]   ->   s/descendant::x/parent::node()/child::x[2]     from nodes only that
 *      have an x  */
static gx_plan *deep_parents(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *input = n->kids[0];
    (void)demand;
    if (!is_deep(n) || GX_STEP_AXIS(n->a) != GX_AXIS_CHILD || GX_STEP_TEST(n->a) != GX_TEST_NAME)
        return NULL;
    input = gx_plan_step(p, input->kids[0], GX_AXIS_DESCENDANT, GX_TEST_NAME, n->b, gx_plans_none, input->at);
    input = gx_plan_step(p, input, GX_AXIS_PARENT, GX_TEST_NODE, 0, gx_plans_none, n->at);
    return step_from(p, n, input, GX_AXIS_CHILD);
}

/*  s/descendant::'*'/child::x   ->   s/child::'*'/descendant::x     below a descendant element is: below a child
 *                                                                   element, at any depth.
 *                                                                   The name index has those, and no step goes through
 *                                                                   every element  */
static gx_plan *child_first(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *input = n->kids[0];
    const u32 axis = GX_STEP_AXIS(n->a);
    (void)demand;
    if (input->op != GX_X_STEP || input->preds.n || GX_STEP_AXIS(input->a) != GX_AXIS_DESCENDANT
        || (GX_STEP_TEST(input->a) != GX_TEST_ANY && GX_STEP_TEST(input->a) != GX_TEST_NODE)
        || (axis != GX_AXIS_CHILD && axis != GX_AXIS_DESCENDANT) || gx_plans_are_positional(n->preds))
        return NULL;
    input = gx_plan_step(p, input->kids[0], GX_AXIS_CHILD, GX_STEP_TEST(input->a), 0, gx_plans_none, input->at);
    return step_from(p, n, input, GX_AXIS_DESCENDANT);
}

/*  s/child::x[at( $i )]   ->   at( s/child::x, $i )     one context's places are the set's; of /t/row[$i] the children
 *                                                       are the same for all
 *                                                       rows, and those of one node stand together  */
static gx_plan *places_of_step(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *input = n->kids[0], *first = n->preds.n ? n->preds.at[0] : NULL;
    const u32 axis = GX_STEP_AXIS(n->a);
    (void)demand;
    if (!first || (first->op != GX_X_AT && first->op != GX_X_BETWEEN))
        return NULL;
    const int one = input->set & GX_XS_SINGLE && !GX_AXIS_IS_REVERSE(axis);
    const int each = axis == GX_AXIS_CHILD && input->set & GX_XS_FLAT && !(input->deps & ~GX_DEP_TREE)
        && !gx_plans_are_positional(gx_plans_part(n->preds, 1, n->preds.n));
    if (!one && !each)
        return NULL;
    gx_plan *set = gx_plan_step(p, input, axis, GX_STEP_TEST(n->a), n->b, gx_plans_none, n->at), *filter;
    if (one)
        return gx_plan_filter(p, set, n->preds, n->at);
    filter = gx_plan_make_of(p, GX_X_FILTER, GX_T_SET, 0, GX_FILTER_TOGETHER, n->at,
                             gx_plans_with(p, gx_plans_none, set), n->preds);
    filter->given = input->set & GX_XS_FLAT;
    return gx_rules_rewrite(p, gx_plan_derive(filter), GX_ON_FILTER);
}

/* ---- demand: what a consumer that needs less of a set saves ------------------------------------------------------ */

/*  key(k, v)[1]   ->   the first of the look-up, of which no list is made  */
static gx_plan *first_of_key(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (n->a != GX_F_KEY || n->b != 2)
        return NULL;
    gx_plan *first = gx_plan_copy(p, n);
    first->a = GX_F_KEY_FIRST;
    return gx_plan_derive(first);
}

/*  count( key(k, v) )   ->   how many the look-up finds  */
static gx_plan *count_of_key(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (n->a != GX_F_KEY || n->b != 2)
        return NULL;
    gx_plan *count = gx_plan_copy(p, n);
    count->a = GX_F_KEY_COUNT;
    count->type = GX_T_NUM;
    return gx_plan_derive(count);
}

/*  first( filter( look-up )[nth(1)] )   ->   first( look-up )     the first of all is the first of its parent's  */
static gx_plan *first_of_parents_indexed(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    return n->b && n->preds.n == 1 && n->preds.at[0]->op == GX_X_NTH && n->preds.at[0]->b == 1
        ? gx_rules_demand(p, n->kids[0], GX_WANT_FIRST) : NULL;
}

/*  first( x/child::y )   ->   x/child::y, of which no more than one is looked for  */
static gx_plan *first_on_axis(gx_planner *p, gx_plan *n, u32 demand)
{
    const u32 axis = GX_STEP_AXIS(n->a);
    (void)demand;
    if (n->preds.n || n->set & GX_XS_SINGLE || !(n->kids[0]->set & GX_XS_SINGLE) || axis == GX_AXIS_ANCESTOR
        || axis == GX_AXIS_ANCESTOR_OR_SELF || GX_STEP_MOST(n->a))
        return NULL;
    gx_plan *first = gx_plan_copy(p, n);
    first->a |= 1 << 12;
    return gx_plan_derive(first);
}

/*  first( s//x[p][1] )   ->   first( s/descendant::x[p] )     the first of all is the first of its parent's  */
static gx_plan *first_of_parents(gx_planner *p, gx_plan *n, u32 demand)
{
    const u32 last = n->preds.n - 1;
    (void)demand;
    if (GX_STEP_AXIS(n->a) != GX_AXIS_CHILD || !n->preds.n || gx_plans_are_positional(gx_plans_part(n->preds, 0, last))
        || n->preds.at[last]->op != GX_X_NTH || n->preds.at[last]->b != 1)
        return NULL;
    gx_plan *input = gx_plan_above(n->kids[0], GX_STEP_TEST(n->a), n->b);
    return input
        ? gx_plan_step(p, input, GX_AXIS_DESCENDANT, GX_STEP_TEST(n->a), n->b, gx_plans_part(n->preds, 0, last), n->at)
        : NULL;
}

/*  first( following-sibling::x[p] )   ->   following-sibling::x[p][1]     in rounds: the search ends with the first on
 *                                                                         the axis, where
 *                                                                         that is the first in document order, or any
 *                                                                         will do  */
static gx_plan *first_in_rounds(gx_planner *p, gx_plan *n, u32 demand)
{
    if (!n->preds.n || gx_plans_are_positional(n->preds)
        || (demand != GX_WANT_SOME && GX_AXIS_IS_REVERSE(GX_STEP_AXIS(n->a))))
        return NULL;
    return gx_plan_first_in_rounds(p, n, n->preds);
}

/*  boolean( x/y )   ->   x/y?     any set that is empty when the step's is  */
static gx_plan *some_on_axis(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (n->preds.n || n->a & GX_STEP_SOME)
        return NULL;
    gx_plan *some = gx_plan_copy(p, n);
    some->a |= GX_STEP_SOME;
    return gx_plan_derive(some);
}

/*  count( join( ... ) )   ->   how many the join finds, unless it keeps the first few alone  */
static gx_plan *count_of_join(gx_planner *p, gx_plan *n, u32 demand)
{
    if (n->type != GX_T_SET || (GX_JOIN_N(n->b) && demand != GX_WANT_SOME))
        return NULL;
    gx_plan *count = gx_plan_copy(p, n);
    count->b = 0;                       /* whether there is one does not depend on how many are kept */
    count->type = GX_T_NUM;
    return gx_plan_derive(count);
}

/*  count( x/y )   ->   how many the step finds, where it finds no node twice  */
static gx_plan *count_on_axis(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (n->op != GX_X_STEP || n->preds.n || n->a & GX_STEP_SOME || GX_STEP_MOST(n->a))
        return NULL;
    gx_plan *count = gx_plan_copy(p, n);
    count->op = GX_X_COUNT;
    count->type = GX_T_NUM;
    return gx_plan_derive(count);
}

/* set, of which only the first or (nth 0) the last node in document order is wanted: of an axis that may be long, the
 * one at that end of it */
static gx_plan *end_of(gx_planner *p, gx_plan *set, u32 nth_one)
{
    if (set->op == GX_X_UNION) {
        gx_plan *left = end_of(p, set->kids[0], nth_one), *right = end_of(p, set->kids[1], nth_one);
        return left == set->kids[0] && right == set->kids[1]
            ? set
            : gx_plan_make(p, GX_X_UNION, GX_T_SET, 0, 0, set->at, 2, left, right);
    }
    const u32 axis = set->op == GX_X_STEP ? GX_STEP_AXIS(set->a) : GX_AXIS_SELF;
    if (axis == GX_AXIS_SELF || axis == GX_AXIS_CHILD || axis == GX_AXIS_ATTRIBUTE || axis == GX_AXIS_NAMESPACE
        || axis == GX_AXIS_PARENT || set->preds.n || !(set->kids[0]->set & GX_XS_SINGLE))
        return set;
    gx_plan *own = gx_plan_make(p, GX_X_NTH, GX_T_BOOL, 0, GX_AXIS_IS_REVERSE(axis) ? !nth_one : nth_one, set->at, 0);
    return gx_plan_step(p, set->kids[0], axis, GX_STEP_TEST(set->a), set->b, gx_plans_with(p, gx_plans_none, own),
                        set->at);
}

/*  (ancestor::a | preceding::a)[last()]   ->   (ancestor::a[1] | preceding::a[1])[last()]     one of two nodes  */
static gx_plan *end_of_union(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_plan *first = n->preds.at[0];
    (void)demand;
    if (n->b || first->op != GX_X_NTH || first->b > 1)
        return NULL;
    gx_plan *end = end_of(p, n->kids[0], first->b);
    return end != n->kids[0] ? gx_plan_filter(p, end, n->preds, n->at) : NULL;
}

/*  key(k, v)[nth(1)]   ->   first( key(k, v) )          (//x[p])[nth(1)]   ->   //x[p][1] in rounds  */
static gx_plan *filtered_first(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *input = n->kids[0];
    const gx_plan *first = n->preds.at[0];
    (void)demand;
    const int key = gx_plan_is_call(input, GX_F_KEY) && input->b == 2;
    if (n->b || first->op != GX_X_NTH || first->b != 1
        || (!key && !input->origin && (input->op != GX_X_STEP || input->kids[0]->op != GX_X_ROOT)))
        return NULL;
    gx_plan *one = gx_rules_demand(p, input, GX_WANT_FIRST);
    return one != input && (key || gx_plan_in_rounds(one) || one->set & GX_XS_SINGLE)
        ? gx_plan_filter(p, one, gx_plans_part(n->preds, 1, n->preds.n), n->at) : NULL;
}

/*  first( a | b )   ->   first( a ) | first( b )     one of two nodes  */
static gx_plan *first_of_union(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *left = gx_rules_demand(p, n->kids[0], demand), *right = gx_rules_demand(p, n->kids[1], demand);
    if ((left == n->kids[0] && right == n->kids[1]) || left->type != GX_T_SET || right->type != GX_T_SET)
        return NULL;
    return gx_plan_make(p, GX_X_UNION, GX_T_SET, 0, 0, n->at, 2, left, right);
}

/*  count( choice( s: a else b ) )   ->   choice( s: count( a ) else count( b ) )     so with what else is asked of the
 *      two  */
static gx_plan *through_choice(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *ways[2];
    if (n->type != GX_T_SET)
        return NULL;
    for (u32 i = 0; i < 2; i++) {
        ways[i] = gx_rules_demand(p, n->kids[1 + i], demand);
        if (demand == GX_WANT_SOME)
            ways[i] = gx_plan_convert(p, ways[i], GX_T_BOOL);
        else if (demand == GX_WANT_COUNT && ways[i]->type == GX_T_SET)
            ways[i] = gx_plan_make(p, GX_X_FUNC, GX_T_NUM, GX_F_COUNT, 1, n->at, 1, ways[i]);
        else if (demand == GX_WANT_FIRST && ways[i]->type != GX_T_SET)
            ways[i] = n->kids[1 + i];
    }
    if (ways[0] == n->kids[1] && ways[1] == n->kids[2])
        return NULL;
    return gx_plan_make(p, GX_X_CHOICE, ways[0]->type, n->a, 0, n->at, 3, n->kids[0], ways[0], ways[1]);
}

/* ---- unions of regions ------------------------------------------------------------------------------------------- */

/* Where the nodes of a set stand, seen from the context node: the axes of these names share no node (XPath 2.2). 0: not
 * known */
enum { BEFORE = 1, ABOVE = 2, HERE = 4, BEHIND = 8 };

/* Where a set's nodes lie beside the context node: before, behind, above, here or below; 0: it cannot be said. */
static u32 region(const gx_plan *set)
{
    if (set->op == GX_X_CONTEXT)
        return HERE;
    if (set->op == GX_X_UNION) {
        const u32 left = region(set->kids[0]), right = region(set->kids[1]);
        return left && right ? left | right : 0;
    }
    if (set->op != GX_X_STEP || set->calls || set->hosted)
        return 0;
    const u32 from = region(set->kids[0]), first = set->kids[0]->op == GX_X_CONTEXT;
    switch (GX_STEP_AXIS(set->a)) {
    case GX_AXIS_SELF:
    case GX_AXIS_CHILD:
    case GX_AXIS_ATTRIBUTE:
    case GX_AXIS_DESCENDANT:
    case GX_AXIS_DESCENDANT_OR_SELF: return from & ABOVE ? 0 : from; /* below an ancestor is everything */
    case GX_AXIS_PRECEDING: case GX_AXIS_PRECEDING_SIBLING: return first ? BEFORE : 0;
    case GX_AXIS_FOLLOWING: case GX_AXIS_FOLLOWING_SIBLING: return first ? BEHIND : 0;
    case GX_AXIS_ANCESTOR: case GX_AXIS_PARENT:             return first ? ABOVE : 0;
    case GX_AXIS_ANCESTOR_OR_SELF:                          return first ? ABOVE | HERE : 0;
    default:                                                return 0;
    }
}

/*  (a | b)/child::x   ->   a/child::x | b/child::x     a step of each node, whatever set it came in  */
static gx_plan *steps_below(gx_planner *p, gx_plan *set)
{
    if (set->op != GX_X_STEP)
        return set;
    gx_plan *input = steps_below(p, set->kids[0]);
    if (input->op != GX_X_UNION)
        return set;
    gx_plan *left = step_from(p, set, input->kids[0], GX_STEP_AXIS(set->a)),
            *right = step_from(p, set, input->kids[1], GX_STEP_AXIS(set->a));
    return gx_plan_make(p, GX_X_UNION, GX_T_SET, 0, 0, set->at, 2, left, right);
}

/*
 *  count( preceding::x | ancestor::x )        ->   count( preceding::x ) + count( ancestor::x )     regions that share
 *      no node
 *  sum( (preceding-sibling::x | .)/@v )       ->   sum( preceding-sibling::x/@v ) + sum( ./@v )     as the one node
 *      comes last, the order of addition stays
 */
static gx_plan *regions_apart(gx_planner *p, gx_plan *n, u32 demand)
{
    gx_plan *both, *x, *y;
    (void)demand;
    if (n->a != GX_F_COUNT && n->a != GX_F_SUM)
        return NULL;
    both = steps_below(p, n->kids[0]);
    if (both->op != GX_X_UNION)
        return NULL;
    gx_plan *left = both->kids[0], *right = both->kids[1];
    const u32 a = region(left), b = region(right);
    const int apart = n->a == GX_F_COUNT
        /* count(.|S) = count(S): same_node.c */
        ? a && b && !(a & b) && left->op != GX_X_CONTEXT && right->op != GX_X_CONTEXT
        : (a == BEFORE && b == HERE && right->set & GX_XS_SINGLE)
            || (b == BEFORE && a == HERE && left->set & GX_XS_SINGLE);
    const char *name = n->a == GX_F_COUNT ? "count" : "sum";
    if (!apart || gx_plan_call(p, "", name, n->at, (gx_plans){ &left, 1 }, &x)
        || gx_plan_call(p, "", name, n->at, (gx_plans){ &right, 1 }, &y))
        return NULL;
    return gx_plan_make(p, GX_X_ADD, GX_T_NUM, 0, 0, n->at, 2, x, y);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static const gx_rule_def places[] = {
    /* what depends on the tree alone: for one row */
    [GX_RULE_ONCE]        = { "once", 0, GX_RULE_PLACE, 0, NULL },
    /* in predicates, what depends on the frame alone: a frame each */
    [GX_RULE_OUTER]       = { "outer", 0, GX_RULE_PLACE, 0, NULL },
    /* what depends on the parent alone: a parent each */
    [GX_RULE_SIBLINGS]    = { "siblings", 0, GX_RULE_PLACE, 0, NULL },
    /* sets of a good part of the tree: for some rows after the others */
    [GX_RULE_PARTS]       = { "parts", 0, GX_RULE_PLACE, 0, NULL },
    /* the first that meets a condition: some candidates after the others */
    [GX_RULE_ROUNDS]      = { "rounds", 0, GX_RULE_PLACE, 0, NULL },
    /* put in order, then ask the predicates of each node once */
    [GX_RULE_NODES_FIRST] = { "nodes-first", 0, GX_RULE_PLACE, 0, NULL },
    [GX_RULE_TRUE]        = { "true-predicate", 0, GX_RULE_PLACE, 0, NULL },/* [true()], ['x'] keep all */
    /* a path from what neighbouring rows have in common: for them together */
    [GX_RULE_EACH]        = { "each", 0, GX_RULE_PLACE, 0, NULL },
    [GX_RULE_COPIES]      = { "copies", 0, GX_RULE_PLACE, 0, NULL },        /* identity templates: subtrees */
    /* paths that are tree patterns: by the strategy that costs least (plan/twig.c) */
    [GX_RULE_TWIG]        = { "twig", 0, GX_RULE_PLACE, 0, NULL },
    /* what reads little of its row and walks sets that others walk too: for rows that read something else */
    [GX_RULE_DOMAIN]      = { "domain", 0, GX_RULE_PLACE, 0, NULL },
    [GX_RULE_PLACES]      = { "places", 0, GX_RULE_PLACE, 0, NULL },        /* xsl:for-each that shows some of them */
};

static const gx_rule_def rewrites[] = {
    { "fold-conversion", GX_ON_CONVERT, GX_RULE_REWRITE, 0, fold_conversion },
    { "fold-logic", GX_ON_LOGIC, GX_RULE_REWRITE, 0, fold_logic },
    { "fold-arithmetic", GX_ON_ARITHMETIC, GX_RULE_REWRITE, 0, fold_arithmetic },
    { "fold-not", GX_ON_CALL, GX_RULE_REWRITE, 0, fold_not },
    { "length-compared", GX_ON_COMPARE, GX_RULE_REWRITE, 0, length_compared },
    { "length-true", GX_ON_CONVERT, GX_RULE_REWRITE, 0, length_true },
    { "until", GX_ON_CALL, GX_RULE_REWRITE, 0, until },
    { "regions-apart", GX_ON_CALL, GX_RULE_REWRITE, 0, regions_apart },
    { "nth", GX_ON_PREDICATE, GX_RULE_REWRITE, 0, nth },
    { "range", GX_ON_PREDICATE, GX_RULE_REWRITE, 0, range },
    { "at", GX_ON_PREDICATE, GX_RULE_REWRITE, 0, at },
    { "between", GX_ON_PREDICATE, GX_RULE_REWRITE, 0, between },
    { "step-to-self", GX_ON_STEP, GX_RULE_REWRITE, 0, step_to_self },
    { "deep-attributes", GX_ON_STEP, GX_RULE_REWRITE, 0, deep_attributes },
    { "deep-children", GX_ON_STEP, GX_RULE_REWRITE, 0, deep_children },
    { "deep-indexed", GX_ON_STEP, GX_RULE_REWRITE, 0, deep_indexed },
    { "deep-parents", GX_ON_STEP, GX_RULE_REWRITE, 0, deep_parents },
    { "child-first", GX_ON_STEP, GX_RULE_REWRITE, 0, child_first },
    { "places-of-step", GX_ON_STEP, GX_RULE_REWRITE, 0, places_of_step },
    { "children-indexed", GX_ON_STEP, GX_RULE_REWRITE, 0, children_indexed },
    { "end-of-union", GX_ON_FILTER, GX_RULE_REWRITE, 0, end_of_union },
    { "filtered-first", GX_ON_FILTER, GX_RULE_REWRITE, 0, filtered_first },
    { "places-of-set", GX_ON_FILTER, GX_RULE_REWRITE, 0, places_of_set },
};

static const gx_rule_def demands[] = {
    { "through-choice", GX_ON_CHOICE, GX_RULE_DEMAND, GX_WANT_END | GX_WANT_COUNT, through_choice },
    { "first-of-union", GX_ON_UNION, GX_RULE_DEMAND, GX_WANT_END, first_of_union },
    { "count-of-join", GX_ON_JOIN, GX_RULE_DEMAND, GX_WANT_SOME | GX_WANT_COUNT, count_of_join },
    { "first-of-key", GX_ON_CALL, GX_RULE_DEMAND, GX_WANT_END, first_of_key },
    { "count-of-key", GX_ON_CALL, GX_RULE_DEMAND, GX_WANT_COUNT, count_of_key },
    { "first-of-parents-indexed", GX_ON_FILTER, GX_RULE_DEMAND, GX_WANT_END, first_of_parents_indexed },
    { "first-on-axis", GX_ON_STEP, GX_RULE_DEMAND, GX_WANT_END, first_on_axis },
    { "first-of-parents", GX_ON_STEP, GX_RULE_DEMAND, GX_WANT_END, first_of_parents },
    { "first-in-rounds", GX_ON_STEP, GX_RULE_DEMAND, GX_WANT_END, first_in_rounds },
    { "some-on-axis", GX_ON_STEP, GX_RULE_DEMAND, GX_WANT_SOME, some_on_axis },
    { "count-on-axis", GX_ON_STEP, GX_RULE_DEMAND, GX_WANT_COUNT, count_on_axis },
};

static const gx_rules own_places = GX_RULES(places), own_rewrites = GX_RULES(rewrites), own_demands = GX_RULES(demands);

/* All rules, in the order in which they are tried. A file's rules stand at its end. */
static const gx_rules *const families[] = {
    &own_places,
    &own_rewrites,
    &gx_rules_truth,
    &gx_rules_variable,
    &gx_rules_solve,
    &gx_rules_apart,
    &gx_rules_count,
    &gx_rules_same_node,
    &gx_rules_select_sets,
    &gx_rules_join,
    &gx_rules_select,
    &gx_rules_axis_range,
    &gx_rules_unordered,
    &gx_rules_first,
    &own_demands,
    NULL
};

static const gx_rule_def *rule_at(u32 i)
{
    for (const gx_rules *const *f = families; *f; i -= (*f++)->n)
        if (i < (*f)->n)
            return &(*f)->at[i];
    return NULL;
}

void gx_planner_begin(gx_planner *p, const gx_xparse *text)
{
    memset(p, 0, sizeof *p);
    p->env = text->env;
    p->pool = text->pool;
    p->text = *text;
    p->source = GX_NONE;
    p->rules = families;
}

/* The number of the rule with a name of so many bytes; GX_NONE: there is none */
static u32 rule_named(const char *name, size_t length)
{
    const gx_rule_def *rule;
    for (u32 i = 0; (rule = rule_at(i)) != NULL; i++)
        if (strlen(rule->name) == length && !strncmp(rule->name, name, length))
            return i;
    return GX_NONE;
}

/* A list of rules' names, separated by commas: -name switches one off, name or +name on, "none" and "all" set all;
 * later ones come after earlier ones. *off is written over. 0: *unknown points to the rest of the list from the name
 * on that there is no rule for. */
int gx_rules_choose(const char *list, gx_rule_set *off, const char **unknown)
{
    memset(off, 0, sizeof *off);
    while (*list) {
        const size_t n = strcspn(list, ",");
        const int minus = *list == '-', plus = *list == '+';
        const char *name = list + (minus || plus);
        const size_t length = n - (size_t)(minus || plus);
        const u32 i = rule_named(name, length);
        if (length == 4 && !strncmp(name, "none", 4) && !minus)
            memset(off, 0xff, sizeof *off);
        else if (length == 3 && !strncmp(name, "all", 3) && !minus)
            memset(off, 0, sizeof *off);
        else if (i == GX_NONE) {
            *unknown = name;
            return 0;
        } else
            gx_rule_put(off, i, minus);
        list += n + (list[n] == ',');
    }
    return 1;
}

const char *gx_rule_name(u32 i)
{
    const gx_rule_def *rule = i < GX_RULES_MOST ? rule_at(i) : NULL;
    return rule ? rule->name : NULL;
}
