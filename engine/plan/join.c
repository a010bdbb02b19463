/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join.c -- a search by value becomes a look-up
 *
 *   //person[@id = current()/@ref]/name      ->      key('(join)', current()/@ref)/name
 *   with  <xsl:key name="(join)" match="//person" use="@id"/>
 *
 * As it stands the search compares every person for every row: rows x persons, in time and, set at a time, in memory
 * too. The right side of "=" here does not depend on the person, and the set that is searched does not depend on the
 * row: that is what key() is, with "=" of a node-set or string against a node-set or string (XPath 3.4: some pair of
 * equal strings).
 *
 * Not done where the other side is constant for the run (one search is as cheap as the index), where a number or a
 * value of unknown type would compare otherwise, where a predicate counts positions, and within keys and patterns.
 *
 * So are searches on the axes of a node that many rows' nodes share, siblings and what is before and behind:
 *
 *   preceding-sibling::row[@k = current()/@k]         ->      those of key('(join)', current()/@k) that are on the
 *                                                             node's axis
 *   following-sibling::row[@k = current()/@k][1]      ->      the first of those in axis order
 *   preceding-sibling::row/@k = @k                    ->      is there one? (grouping without keys; also in
 *                                                             patterns)
 *   $table/row[@k = current()/@k]                     ->      the same, by way of the axis child
 *   with  <xsl:key name="(join)" match="row" use="@k"/>
 *
 * Where no key can tell (the set is a variable's, the value a number or of unknown type, the comparison another than
 * "="), the set is one that rows share all the same, and what is compared of its nodes is evaluated once for it (JOIN,
 * machine/join.h):
 *
 *   $all[@id = current()/@ref]           ->      join( $all, current()/@ref: the nodes whose @id = that )
 *   count(//row[@v > current()/@v])      ->      how many join( //row, current()/@v: @v > ) has
 *   //e[@from <= $t and @to > $t]        ->      join( //e, $t, $t: @from <= and @to > )
 *   //e[starts-with(@code, $t)]          ->      join( //e, $t: @code starts-with ), and with "contains", and either
 *                                                turned round
 *   //e[not(@id != $t)]                  ->      join( //e, $t: @id none!= )
 *   $t/row[@k = current()/@k]            ->      choice( $t: the look-up by way of the axis, else the join )
 *
 * So are the children of a context node that several rows have, in a loop within another one:
 *
 *   <xsl:for-each select="/t/g">, in it row[@k = $k]      ->      join( domain( row ), $k: @k = )
 *
 * Several conditions are joins one in the other, each over the lists that the one before has found, which rows with
 * the same values share. Where these are short, the nodes are asked one by one instead:
 *
 *   //row[@s = $s][@v > $v]      ->      choice( key('(join)', $s): filter( that )[@v > $v], else join( that, $v: @v
 * > ) )
 *   $all[@a][$some][@k = $k]     ->      join( at( filter( $all )[@a], $some ), $k: @k = )      what is the same for
 * all rows, or all nodes, comes first
 *
 * Equal joins share a key. Cost of the index: once a run and document, one pass over the nodes searched; for a few
 * nodes' axes it is not made where these have no more (gx_axis_scan).
 */
#include <string.h>
#include <apr_strings.h>
#include "rules.h"

#define MAX_STEPS 16u

/* The steps from the root to `node` as a pattern's, the last first; 0 = they are not all plain names or *. */
static u32 pattern_of(const gx_plan *node, gx_pstep *steps)
{
    u32 n = 0;
    for (const gx_plan *s = node; s->op != GX_X_ROOT; s = s->kids[0]) {
        u32 axis, test;
        if (s->op != GX_X_STEP || n == MAX_STEPS || (n && s->preds.n))
            return 0;
        axis = GX_STEP_AXIS(s->a);
        test = GX_STEP_TEST(s->a);
        if ((axis != GX_AXIS_CHILD && axis != GX_AXIS_DESCENDANT)
            || !(test == GX_TEST_NAME || (n && test == GX_TEST_ANY)))
            return 0;
        int first = s->kids[0]->op == GX_X_ROOT, child = axis == GX_AXIS_CHILD;
        u32 up = first ? (child ? GX_UP_ROOT : GX_UP_ROOT_DESC) : child ? GX_UP_PARENT : GX_UP_ANCESTOR;
        steps[n++] = (gx_pstep){ GX_AXIS_CHILD, (u8)test, (u8)up, 0, s->b, GX_NONE, GX_NONE };
    }
    return n;
}

static int is_text(const gx_plan *n) { return n->type == GX_T_SET || n->type == GX_T_STR; }

/* A predicate that is "use op value" (in either order, op for this one), or that and something else: use depends on the
 * candidate alone, value on the frame alone. */
typedef struct join { gx_plan *pred, *use, *value, *other /* NULL: nothing */; u32 op /* as JOIN_END's a */; } join;

static int is_search(u32 op)
{
    return (op & ~GX_JOIN_TURNED) == GX_JOIN_STARTS || (op & ~GX_JOIN_TURNED) == GX_JOIN_CONTAINS;
}
static int is_order(u32 op) { return op >= GX_X_LT && op <= GX_X_GE; }

/* The tree that `value` navigates from the root of is that of the set's nodes, outside of their predicate as in it:
 * they are of the context's */
static int is_in_context_tree(const gx_plan *set)
{
    while (set->op == GX_X_STEP || set->op == GX_X_FILTER || set->op == GX_X_JOIN || set->op == GX_X_AT
           || set->op == GX_X_CHOICE)
        set = set->kids[0];
    return set->op == GX_X_ROOT || set->op == GX_X_CONTEXT || (gx_plan_is_call(set, GX_F_KEY) && set->b == 2);
}

/* Is it what BESIDE gives, parts of a list that the siblings share? */
static int is_ranges(const gx_plan *n) { return gx_plan_is_call(n, GX_F_AXIS_RANGE); }

static int is_value(const gx_plan *n) { return is_text(n) || n->type == GX_T_RTF; }

/* How good a condition is where there are several: an equality finds few nodes, a search too, an inequality most */
static u32 rank_of(u32 op)
{
    return op == GX_X_EQ || op == GX_JOIN_NONE_UNEQUAL ? 3 : is_search(op) ? 2 : is_order(op) ? 1 : 0;
}

/* Are the lists of all candidates together no more than they and what they share? Not those of axes that reach a good
 * part of the tree from each: an order asks of these for their greatest only, which is found without lists. */
static int is_bounded(const gx_plan *use, u32 op)
{
    const gx_plan *s = use;
    if (!use->fanout || use->type != GX_T_SET || gx_plan_of_parent(use) || (is_order(op) && is_ranges(use)))
        return 1;
    while ((s->op == GX_X_STEP && !s->preds.n
            && (GX_STEP_AXIS(s->a) == GX_AXIS_CHILD || GX_STEP_AXIS(s->a) == GX_AXIS_ATTRIBUTE))
           || (s->op == GX_X_FILTER && !s->b) || (s->op == GX_X_AT && s->type == GX_T_SET))
        s = s->kids[0];
    return gx_plan_is_call(s, GX_F_KEY) && s->b == 2;
}

/* Is this predicate, or a part of an "and", a comparison that a join or a look-up can find by? *j: which side depends
 * on the candidate (use), which on the frame (value), and the operator as if use stood on the left. Of several parts
 * the one that finds fewest (rank_of); the rest is j->other. key: only what a look-up by key finds, too: "=" of strings
 * and node-sets (XPath 1.0, 3.4). trees: value may depend on the tree, since the candidates are of the frame's. Calls,
 * host steps and what may fail are not moved behind another condition. O(size of the predicate). */
static int is_join(gx_plan *pred, int key, int trees, join *j)
{
    j->pred = pred;
    j->other = NULL;
    if (pred->op == GX_X_AND) {
        gx_plan *left = pred->kids[0], *right = pred->kids[1];
        join first, second;             /* the second only where nothing keeps it from being an error (XPath 3.4) */
        const int one = is_join(left, key, trees, &first) && !first.other;
        const int two = !right->calls && !right->hosted && !right->fails && is_join(right, key, trees, &second)
            && !second.other && (!one || rank_of(second.op) > rank_of(first.op));
        if (!one && !two)
            return 0;
        *j = two ? second : first;
        j->pred = pred;
        j->other = two ? left : right;
        return 1;
    }
    const int was_equal = pred->origin && pred->origin->op == GX_X_EQ && pred->op == GX_X_TO_BOOL;
    if (was_equal)
        pred = (gx_plan *)pred->origin;
    const int search = pred->op == GX_X_FUNC && (pred->a == GX_F_STARTS_WITH || pred->a == GX_F_CONTAINS);
    const int none_unequal = gx_plan_is_call(pred, GX_F_NOT) && pred->kids[0]->op == GX_X_NE && !key;
    if (none_unequal)
        pred = pred->kids[0];
    if (search ? key : pred->op < GX_X_EQ || pred->op > GX_X_GE || (key && pred->op != GX_X_EQ))
        return 0;
    gx_plan *left = pred->kids[0], *right = pred->kids[1];
    /* a join asks within the candidates' tree */
    const u32 of_node = key ? GX_DEP_CONTEXT : GX_DEP_CONTEXT | GX_DEP_TREE;
    const u32 of_row = GX_DEP_LOCAL | GX_DEP_CURRENT | (trees ? GX_DEP_TREE : 0);
    int swapped = !(left->deps & GX_DEP_CONTEXT) || left->deps & ~of_node;
    j->use = swapped ? right : left;
    j->value = swapped ? left : right;
    j->op = search ? (pred->a == GX_F_CONTAINS ? GX_JOIN_CONTAINS : GX_JOIN_STARTS) | (swapped ? GX_JOIN_TURNED : 0)
        : none_unequal ? GX_JOIN_NONE_UNEQUAL : swapped ? gx_xop_turned(pred->op) : pred->op;
    if (!(j->use->deps & GX_DEP_CONTEXT) || j->use->deps & ~of_node || j->value->deps & ~of_row)
        return 0;
    if (key && was_equal && j->use->fanout)
        return 0;                       /* each node's list would be in the index */
    return key ? is_text(j->use) && is_value(j->value)
               : j->use->type != GX_T_BOOL && j->value->type != GX_T_BOOL && is_bounded(j->use, j->op)
            && !j->use->hosted && !j->use->fails;
}

/* What tells a key from others, as bytes: the steps that it is for, and the code of its value */
static char *join_content(gx_builder *b, u32 siblings, const gx_pstep *steps, u32 n_steps, const gx_expr *use,
                          size_t *n)
{
    const size_t n_of_steps = n_steps * sizeof *steps, n_of_use = use->n * sizeof(gx_op);
    const u32 head[2] = { siblings, n_steps };
    char *content = apr_palloc(b->pool, *n = sizeof head + n_of_steps + n_of_use);
    memcpy(content, head, sizeof head);
    memcpy(content + sizeof head, steps, n_of_steps);
    memcpy(content + sizeof head + n_of_steps, GX_VEC_AT(&b->ops, gx_op, use->first), n_of_use);
    return content;
}

/*
 * The number of the key with these steps and this `use`, made if there is none: equal joins of a stylesheet share an
 * index. They are compared as bytes of code, which is therefore emitted first, and dropped if the key is known.
 * GX_NONE: `use` cannot be emitted. siblings: values are told apart by parent (gx_key.siblings).
 *
 * Adds a gx_key, a pattern and its steps to the program. p->within: what the rules do inside is not told as the
 * expression's own.
 */
static u32 join_key(gx_planner *p, u32 siblings, const gx_pstep *steps, u32 n_steps, gx_plan *use)
{
    gx_builder *b = p->env->b;
    gx_key key = { b->key_names.n, b->patterns.n, 0, gx_builder_where(b, p->env->file, p->env->line, p->env->column),
                   siblings };
    u32 name = gx_builder_qname(b, "", "(join)", ""), ops = b->ops.n;
    size_t n;
    p->within++;
    const gx_status status = gx_plan_emit(p, use, GX_T_ANY, &key.use);
    p->within--;
    if (status)
        return GX_NONE;
    const char *content = join_content(b, siblings, steps, n_steps, GX_VEC_AT(&b->exprs, gx_expr, key.use), &n);
    const void *known = apr_hash_get(b->join_index, content, (apr_ssize_t)n);
    if (known) {
        b->exprs.n--;                   /* nobody knows of the code just made */
        b->ops.n = ops;
        return (u32)(uintptr_t)known - 1;
    }
    apr_hash_set(b->join_index, content, (apr_ssize_t)n, (void *)((uintptr_t)key.name + 1));
    gx_pattern pattern = { b->psteps.n, n_steps, GX_NONE, 0, key.where };
    for (u32 i = 0; i < n_steps; i++)
        gx_builder_push(b, &b->psteps, &steps[i]);
    gx_builder_push(b, &b->patterns, &pattern);
    gx_builder_push(b, &b->keys, &key);
    return gx_builder_push(b, &b->key_names, &name);
}

/* key(number, value); on_axis: those of it that are on the axis of the input of this step */
static gx_plan *look_up(gx_planner *p, u32 number, gx_plan *value, const gx_plan *on_axis, u32 given, u32 at)
{
    gx_plans args = gx_plans_with(p, gx_plans_none, gx_plan_num(p, number, at));
    args = gx_plans_with(p, args, value->type == GX_T_RTF ? gx_plan_convert(p, value, GX_T_STR) : value);
    if (on_axis) {
        args = gx_plans_with(p, args, on_axis->kids[0]);
        args = gx_plans_with(p, args, gx_plan_num(p, GX_STEP_AXIS(on_axis->a), at));
    }
    gx_plan *call =
        gx_plan_make_of(p, GX_X_FUNC, GX_T_SET, on_axis ? GX_F_KEY_AXIS : GX_F_KEY, args.n, at, args, gx_plans_none);
    call->given = (u8)given;
    return gx_plan_derive(call);
}

/* A table in another document or in a variable: document('t')/table, $t/table. These are few nodes, or their children
 * would be too many. */
static int is_table(const gx_plan *n)
{
    while (n->op == GX_X_STEP && GX_STEP_AXIS(n->a) == GX_AXIS_CHILD && !n->preds.n)
        n = n->kids[0];
    return n->type == GX_T_SET
        && (n->op == GX_X_VAR || n->op == GX_X_GLOBAL || gx_plan_is_call(n, GX_F_DOCUMENT)
            || gx_plan_is_call(n, GX_F_NODE_SET));
}

/* Is it a step to elements that other rows' steps lead to as well? */
static int is_axis_key(const gx_plan *step)
{
    const u32 axis = GX_STEP_AXIS(step->a), test = GX_STEP_TEST(step->a);
    if (step->op != GX_X_STEP || (test != GX_TEST_NAME && test != GX_TEST_ANY))
        return 0;
    if ((axis == GX_AXIS_CHILD || axis == GX_AXIS_DESCENDANT) && is_table(step->kids[0]))
        return 1;
    return (step->fanout & GX_FANOUT_LARGE || gx_plan_in_rounds(step)) && step->kids[0]->set & GX_XS_SINGLE
        && step->kids[0]->deps & ~GX_DEP_TREE
        && (axis == GX_AXIS_CHILD || axis == GX_AXIS_DESCENDANT || axis == GX_AXIS_FOLLOWING
            || axis == GX_AXIS_FOLLOWING_SIBLING || axis == GX_AXIS_PRECEDING || axis == GX_AXIS_PRECEDING_SIBLING);
}

/* Those that the step leads to, without its predicates, where use = value; NULL: they cannot be looked up. */
static gx_plan *look_up_on_axis(gx_planner *p, const gx_plan *step, gx_plan *use, gx_plan *value)
{
    const gx_pstep name = { GX_AXIS_CHILD, (u8)GX_STEP_TEST(step->a), GX_UP_END, 0, step->b, GX_NONE, GX_NONE };
    const u32 axis = GX_STEP_AXIS(step->a);
    const u32 number =
        join_key(p, axis == GX_AXIS_CHILD || axis == GX_AXIS_FOLLOWING_SIBLING || axis == GX_AXIS_PRECEDING_SIBLING,
                 &name, 1, use);
    return number == GX_NONE ? NULL : look_up(p, number, value, step, step->set & GX_XS_FLAT, step->at);
}

/*  first( axis(key) )   ->   axis(key)[1]    of which only the first node in document order is wanted, or any, where
 *                                            that is one  */
static gx_plan *first_of_axis_key(gx_planner *p, gx_plan *n, u32 demand)
{
    if (n->a != GX_F_KEY_AXIS || (demand != GX_WANT_SOME && GX_AXIS_IS_REVERSE((u32)n->kids[n->n - 1]->num)))
        return NULL;
    gx_plan *first = gx_plan_copy(p, n);
    first->a = GX_F_KEY_AXIS_FIRST;
    return gx_plan_derive(first);
}

static int is_of_rows(const gx_plan *pred) { return (pred->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT)) != 0; }
static int is_apart(const gx_plan *pred)
{
    return !gx_plan_is_positional(pred) && !pred->calls && !pred->hosted && !pred->fails;
}


/* Is it what a look-up or a join finds, of which rows with the same values have the same? */
static int is_indexed_list(const gx_plan *n)
{
    if ((n->op == GX_X_FILTER && !n->b) || (n->op == GX_X_AT && n->type == GX_T_SET && n->a == GX_AT_ANY)) {
        for (u32 i = 0; i < n->preds.n; i++)
            if (is_of_rows(n->preds.at[i]) || !is_apart(n->preds.at[i]))
                return 0;
        return is_indexed_list(n->kids[0]);
    }
    return (gx_plan_is_call(n, GX_F_KEY) && n->b == 2) || (n->op == GX_X_JOIN && n->type == GX_T_SET);
}

/* The set of which rows have all or nothing: at( at( set, $a ), $b ) */
static const gx_plan *unguarded(const gx_plan *n)
{
    while (n->op == GX_X_AT && n->type == GX_T_SET && n->a == GX_AT_ANY)
        n = n->kids[0];
    return n;
}

/* Does the expression give the same set for many rows: a variable, what depends on the tree only, or on the parent,
 * or what a value finds? */
static int is_common(const gx_plan *n)
{
    n = unguarded(n);
    if (n->op == GX_X_TO_SET)
        n = n->kids[0];
    return n->op == GX_X_VAR || !(n->deps & ~GX_DEP_TREE) || gx_plan_of_parent(n) || gx_plan_each_base(n)
        || is_indexed_list(n);
}

/* set[preds], which no rule has seen */
static gx_plan *filter_of(gx_planner *p, gx_plan *set, gx_plans preds, u32 at)
{
    return gx_plan_make_of(p, GX_X_FILTER, GX_T_SET, 0, 0, at, gx_plans_with(p, gx_plans_none, set), preds);
}

/*  at( set, $a )[preds]   ->   at( set[preds], $a )     so that rows share what the conditions of the nodes leave  */
static gx_plan *filter_under(gx_planner *p, gx_plan *set, gx_plans preds)
{
    if (unguarded(set) == set)
        return filter_of(p, set, preds, set->at);
    return gx_plan_make(p, GX_X_AT, GX_T_SET, GX_AT_ANY, 0, set->at, 2, filter_under(p, set->kids[0], preds),
                        set->kids[1]);
}

/* set[those of the predicates that are the same for all rows], and of that all or nothing by those that are the same
 * for all its nodes; these are taken out of the list, up to the first that counts positions */
static gx_plan *reduced(gx_planner *p, gx_plan *set, gx_plans *list)
{
    const u32 of_rows = GX_DEP_LOCAL | GX_DEP_CURRENT | (is_in_context_tree(set) ? GX_DEP_TREE : 0);
    gx_plans own = gx_plans_none, rest = gx_plans_none;
    gx_plan *out = set;
    int positions = 0;
    for (u32 i = 0; i < list->n; i++) {
        gx_plan *pred = list->at[i];
        positions |= gx_plan_is_positional(pred);
        if (!positions && is_apart(pred) && !is_of_rows(pred))
            own = gx_plans_with(p, own, pred);
        else
            rest = gx_plans_with(p, rest, pred);
    }
    if (own.n)
        out = filter_under(p, set, own);
    *list = gx_plans_none;
    positions = 0;
    for (u32 i = 0; i < rest.n; i++) {
        gx_plan *pred = rest.at[i];
        positions |= gx_plan_is_positional(pred);
        if (!positions && is_apart(pred) && !(pred->deps & ~of_rows) && pred->type == GX_T_BOOL)
            out = gx_plan_make(p, GX_X_AT, GX_T_SET, GX_AT_ANY, 0, pred->at, 2, out, pred);
        else
            *list = gx_plans_with(p, *list, pred);
    }
    return out;
}

/* Takes the first that orders, and nothing else, out of the list of predicates: *second. 0: there is none */
static int take_second(gx_planner *p, gx_plans *list, int trees, join *second)
{
    for (u32 i = 0; i < list->n; i++)
        if (is_join(list->at[i], 0, trees, second) && !second->other && is_order(second->op)) {
            *list = gx_plans_without(p, *list, i);
            return 1;
        }
    return 0;
}

/* The predicates without the one that was found, or with what is left of it */
static gx_plans rest_of(gx_planner *p, gx_plans preds, const join *found)
{
    gx_plans rest = gx_plans_none;
    for (u32 i = 0; i < preds.n; i++)
        if (preds.at[i] != found->pred || found->other)
            rest = gx_plans_with(p, rest, preds.at[i] != found->pred ? preds.at[i] : found->other);
    return rest;
}

/* Is it the children of the context node, which loops may come to several times? */
static int is_children(const gx_planner *p, const gx_plan *set)
{
    const u32 axis = GX_STEP_AXIS(set->a);
    return !p->predicates && !p->env->no_current && set->op == GX_X_STEP && set->kids[0]->op == GX_X_CONTEXT
        && (axis == GX_AXIS_CHILD || axis == GX_AXIS_DESCENDANT);
}

/* Does it ask a variable that frames with the same context node have other values of? */
static int asks_again(const gx_plan *n)
{
    if (n->op == GX_X_VAR)
        return n->given & GX_XS_AGAIN;
    for (u32 i = 0; i < n->n; i++)
        if (asks_again(n->kids[i]))
            return 1;
    return 0;
}

/* The set, which is made once for each context node */
static gx_plan *made_once(gx_planner *p, const gx_plan *set)
{
    gx_plan *once = gx_plan_copy(p, set);
    once->given |= GX_XS_AGAIN;
    return gx_plan_derive(once);
}

/*
 * set[preds] by a comparison of its nodes with something of the row's, or NULL.
 *
 *   found      the condition that finds fewest (rank_of), of those before the first that counts positions
 *   base       the set under the conditions that are the same for all rows or for all nodes (reduced)
 *   joined     filter( join( base, value: use op ) )[what is left], a second order being part of the join
 *
 * Where the set is itself what a look-up found, its lists may be short: then it is a CHOICE between asking each node
 * and the join, made when the rows are known. A set that is not common to rows is joined only where frames with the
 * same context node ask again (again). O(size of the predicates) plans are made.
 */
static gx_plan *choose(gx_planner *p, gx_plan *set, gx_plans preds, u32 at)
{
    join second, j, found = { NULL, NULL, NULL, NULL, 0 };
    const int trees = is_in_context_tree(set);
    const int again = !is_common(set);
    if ((again && !is_children(p, set)) || set->calls || set->hosted)
        return NULL;
    for (u32 i = 0; i < preds.n; i++) {
        gx_plan *pred = preds.at[i];
        const int is = !pred->calls && !gx_plan_is_positional(pred) && is_join(pred, 0, trees, &j);
        if (pred->calls || (pred->hosted && (!is || j.other)))
            return NULL;                /* a value is asked for once a row, as it is around a predicate */
        if (gx_plan_is_positional(pred))
            break;
        if (is && (!found.pred || rank_of(j.op) > rank_of(found.op))
            && (again ? asks_again(j.value) : j.value->deps & ~GX_DEP_TREE || unguarded(set)->deps & GX_DEP_LOCAL))
            found = j;
    }
    if (!found.pred && again)
        return NULL;
    if (!found.pred) {
        gx_plans rest = preds;
        gx_plan *base = reduced(p, set, &rest);
        return !rest.n && base->op == GX_X_AT ? base : NULL;
    }
    gx_plans rest = rest_of(p, preds, &found);
    gx_plan *base = reduced(p, set, &rest);
    if (again && base->op == GX_X_AT)
        return NULL;
    if (again)
        base = made_once(p, base);
    gx_plans kids = gx_plans_with(p, gx_plans_with(p, gx_plans_none, base), found.value);
    gx_plans uses = gx_plans_with(p, gx_plans_none, found.use);
    u32 ops = found.op;
    if (is_order(found.op) && take_second(p, &rest, trees, &second)) {
        ops |= second.op << 8 | (gx_plan_is_same(found.use, second.use) ? GX_JOIN_ONE_USE : 0);
        kids = gx_plans_with(p, kids, second.value);
        uses = gx_plans_with(p, uses, second.use);
    }
    gx_plan *joined = gx_plan_filter(p, gx_plan_make_of(p, GX_X_JOIN, GX_T_SET, ops, 0, at, kids, uses), rest, at);
    if (!is_indexed_list(set))
        return joined;
    return gx_plan_make(p, GX_X_CHOICE, GX_T_SET, GX_CHOICE_FOUND, 0, at, 3, set, filter_of(p, set, preds, at), joined);
}

/* What a rule made of n, which remembers it where conditions are left: who counts, or wants the first, has another
 * way (count.c, first.c) */
static gx_plan *made_of(gx_planner *p, gx_plan *made, const gx_plan *n)
{
    if (!made || (made->op != GX_X_FILTER && made->op != GX_X_CHOICE && made->op != GX_X_JOIN
                  && !gx_plan_is_call(made, GX_F_KEY_AXIS) && !gx_plan_is_call(made, GX_F_KEY_AXIS_FIRST))
            || made->origin)
        return made;
    made = gx_plan_copy(p, made);
    made->origin = n->origin ? n->origin : n;
    return gx_plan_derive(made);
}

/* n, which is set[preds], as two sets where one of the conditions is an "or" and none of the others finds few: an order
 * finds a good part of the set, which a list of each row would have to be asked again. NULL: not so */
static gx_plan *or_first(gx_planner *p, const gx_plan *n, const gx_plan *set, gx_plans preds)
{
    int or = 0, order = 0;
    join j;
    for (u32 i = 0; i < preds.n; i++) {
        if (!is_apart(preds.at[i]))
            return NULL;
        or |= preds.at[i]->op == GX_X_OR;
        if (!is_join(preds.at[i], 0, is_in_context_tree(set), &j))
            continue;
        if (rank_of(j.op) > 1)
            return NULL;
        order = 1;
    }
    if (!or || !order)
        return NULL;
    gx_plan *apart = gx_plan_copy(p, n);
    apart->preds = preds;
    return gx_plan_either(p, gx_plan_derive(apart));
}

/*  set[use op value]   ->   join( set, value: use op )     where the set is one that rows share  */
static gx_plan *join_filter(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (n->b)
        return NULL;
    const gx_plans preds = gx_plans_conjuncts(p, n->preds);
    gx_plan *either = or_first(p, n, n->kids[0], preds);
    return either ? either : made_of(p, choose(p, n->kids[0], preds, n->at), n);
}

/*  //x[use op value]   ->   join( //x, value: use op )     positions are what each of several nodes has  */
static gx_plan *join_step(gx_planner *p, gx_plan *step, u32 demand)
{
    (void)demand;
    if (!step->preds.n || gx_plans_are_positional(step->preds))
        return NULL;
    gx_plan *set =
        gx_plan_step(p, step->kids[0], GX_STEP_AXIS(step->a), GX_STEP_TEST(step->a), step->b, gx_plans_none, step->at);
    const gx_plans preds = gx_plans_conjuncts(p, step->preds);
    gx_plan *either = or_first(p, step, set, preds);
    return either ? either : made_of(p, choose(p, set, preds, step->at), step);
}

/*  //x[position() > 5][use op value]   ->   join( //x[position() > 5], value: use op )     what counts positions is
 *                                                                                         the same for all rows  */
static gx_plan *join_behind(gx_planner *p, gx_plan *n, u32 demand)
{
    u32 counted = n->preds.n;
    (void)demand;
    while (counted && !gx_plan_is_positional(n->preds.at[counted - 1]))
        counted--;
    if (!counted || counted == n->preds.n || (n->op == GX_X_FILTER && n->b))
        return NULL;
    for (u32 i = 0; i < counted; i++)
        if (is_of_rows(n->preds.at[i]) || n->preds.at[i]->calls || n->preds.at[i]->hosted || n->preds.at[i]->fails)
            return NULL;
    const gx_plans rest = gx_plans_part(n->preds, counted, n->preds.n);
    gx_plan *set = gx_plan_with(p, n, gx_plans_part(n->preds, 0, counted));
    return choose(p, set, gx_plans_conjuncts(p, rest), n->at);
}

/*
 * //x[use = value] -> key('(join)', value) see this file's head
 *
 * The set is either a path of plain names from the root, whose steps become the key's pattern (pattern_of), or a step
 * to an axis that many rows share (is_axis_key), which becomes key() cut to that axis. Of several equalities one whose
 * value differs from row to row is taken, the others stay predicates.
 *
 * Positions: `[use = value][1]` is the first on the axis, `[n]` on a reverse axis is counted from the end of the list,
 * any other position on a reverse axis, or of several context nodes, is not done. NULL also where calls would be made
 * for nodes that are not asked for. Adds a key to the program, unless it has an equal one.
 */
static gx_plan *key(gx_planner *p, gx_plan *step, u32 demand)
{
    const gx_xpath_env *env = p->env;
    gx_pstep steps[MAX_STEPS];
    gx_plan *call, *ordered = NULL;             /* the first predicate that counts positions, or might */
    join j, found = { NULL, NULL, NULL, NULL, 0 };
    int others = 0, calls = 0;
    (void)demand;
    if (!step->preds.n || !env->key || !env->variable)
        return NULL;
    const gx_plans preds = gx_plans_conjuncts(p, step->preds);
    for (u32 i = 0; i < preds.n && !ordered; i++) {
        gx_plan *pred = preds.at[i];
        if (gx_plan_is_positional(pred)) {
            ordered = pred;
            break;
        }
        calls |= pred->calls;           /* a key would call for nodes that are not asked for */
        const int is = is_join(pred, 1, is_in_context_tree(step), &j);
        others |= !is || found.pred;
        if (is && (!found.pred || (!is_of_rows(found.value) && is_of_rows(j.value))))
            found = j;                  /* what differs between rows finds fewer than what is the same for all */
    }
    if (!found.pred || calls)
        return NULL;
    const int on_axis = is_axis_key(step), reverse = GX_AXIS_IS_REVERSE(GX_STEP_AXIS(step->a));
    const int single = step->kids[0]->set & GX_XS_SINGLE;
    const int is_first =
        on_axis && single && ordered && ordered->op == GX_X_NTH && ordered->b == 1 && !others && !found.other;
    gx_plans rest = rest_of(p, preds, &found);
    if (on_axis) {
        const int from_end = reverse && single && ordered && !is_first && ordered == rest.at[0]
            && ordered->op == GX_X_NTH && ordered->b;
        if ((ordered && !is_first && !from_end && (reverse || !single)) || found.use->hosted
            || (!(found.value->deps & ~GX_DEP_TREE) && !(step->kids[0]->deps & ~GX_DEP_TREE))
            || !(call = look_up_on_axis(p, step, found.use, found.value)))
            return NULL;                /* positions from the end, or of each of several nodes' own; or one search for
                                           all rows */
        if (from_end) {
            gx_plan *place = gx_plan_num(p, ordered->b, ordered->at);
            call = gx_plan_make(p, GX_X_AT, GX_T_SET, GX_AT_FROM_END, 0, step->at, 2, call, place);
            return gx_plan_filter(p, call, gx_plans_part(rest, 1, rest.n), step->at);
        }
        /* many nodes of it: navigated once */
        if (!single && is_table(step->kids[0]) && !gx_plans_are_positional(rest)) {
            gx_plan *join = join_step(p, step, 0), *by_key = gx_plan_filter(p, call, rest, step->at);
            return !join || (step->kids[0]->deps & ~(GX_DEP_LOCAL | GX_DEP_TREE)) ? by_key
                : gx_plan_make(p, GX_X_CHOICE, GX_T_SET, 0, 0, step->at, 3, step->kids[0], by_key, join);
        }
        if (is_first) {
            call = gx_plan_copy(p, call);
            call->a = GX_F_KEY_AXIS_FIRST;
            gx_plan_derive(call);
            rest = gx_plans_part(rest, 1, rest.n);
        }
    } else {
        const u32 n_steps =
            !ordered && !env->no_current && found.value->deps & ~GX_DEP_TREE ? pattern_of(step, steps) : 0;
        const u32 number = n_steps ? join_key(p, 0, steps, n_steps, found.use) : GX_NONE;
        if (number == GX_NONE)
            return NULL;
        call = look_up(p, number, found.value, NULL, step->set & GX_XS_FLAT, step->at);
    }
    return made_of(p, gx_plan_filter(p, call, rest, step->at), step);
}

/* The step that a path begins with, to an axis with a key (is_axis_key), if the other steps lead to what belongs to
 * each node alone. NULL: none */
static gx_plan *axis_key_part(gx_plan *path)
{
    for (gx_plan *s = path; s->op == GX_X_STEP; s = s->kids[0]) {
        const u32 axis = GX_STEP_AXIS(s->a);
        if (is_axis_key(s))
            return s->preds.n ? NULL : s;
        if (axis != GX_AXIS_CHILD && axis != GX_AXIS_ATTRIBUTE && axis != GX_AXIS_SELF)
            return NULL;
        for (u32 i = 0; i < s->preds.n; i++)
            if (s->preds.at[i]->calls || s->preds.at[i]->hosted
                || s->preds.at[i]->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT | GX_DEP_TREE))
                return NULL;
    }
    return NULL;
}

/* A path from `on_axis` on, as one from the context node. No rule sees its steps again. */
static gx_plan *from_context(gx_planner *p, const gx_plan *path, const gx_plan *on_axis)
{
    if (path == on_axis)
        return gx_plan_context(p, on_axis->at);
    gx_plan *step = gx_plan_copy(p, path), *input = from_context(p, path->kids[0], on_axis);
    step->kids = apr_pmemdup(p->pool, &input, sizeof input);
    return gx_plan_derive(step);
}

/*  preceding-sibling::x/@k = @k   ->   boolean( first( axis(key) ) )     where a comparison searches an axis for
 *                                                                        a value  */
static gx_plan *axis_key_compared(gx_planner *p, gx_plan *n, u32 demand)
{
    (void)demand;
    if (n->op != GX_X_EQ || !p->env->key || !p->env->variable)
        return NULL;
    for (int turned = 0; turned < 2; turned++) {
        gx_plan *use = n->kids[turned], *value = n->kids[!turned], *on_axis = axis_key_part(use);
        if (!on_axis || !is_value(value) || value->calls || !((value->deps | on_axis->kids[0]->deps) & ~GX_DEP_TREE))
            continue;
        gx_plan *call = look_up_on_axis(p, on_axis, from_context(p, use, on_axis), value);
        if (!call)
            return NULL;
        gx_plan *some = gx_plan_copy(p, gx_plan_convert(p, call, GX_T_BOOL));
        some->origin = n;               /* where a join can search all candidates, that is better */
        return gx_plan_derive(some);
    }
    return NULL;
}

static const gx_rule_def rules[] = {
    { "axis-key-compared", GX_ON_COMPARE, GX_RULE_REWRITE, 0, axis_key_compared },
    { "key", GX_ON_STEP, GX_RULE_REWRITE, 0, key },
    { "join-step", GX_ON_STEP, GX_RULE_REWRITE, 0, join_step },
    { "join-filter", GX_ON_FILTER, GX_RULE_REWRITE, 0, join_filter },
    { "join-behind", GX_ON_STEP | GX_ON_FILTER, GX_RULE_REWRITE, 0, join_behind },
    { "first-of-axis-key", GX_ON_CALL, GX_RULE_DEMAND, GX_WANT_END, first_of_axis_key },
};
const gx_rules gx_rules_join = GX_RULES(rules);
