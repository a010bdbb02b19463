/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower.c -- from a plan to postfix code
 *
 * Operands first, then the operator. Two things are decided here, since they depend on where a node stands:
 *
 * Lifting. What does not change from row to row is evaluated for fewer rows: ONCE..ONCE_END for what depends on nothing
 * but the tree, OUTER..OUTER_END, inside predicates, for what depends on the frame only, or on it and the tree: which
 * is the frame's while there is one only (OUTER's a; the machine looks when it runs); SIBLINGS..SIBLINGS_END for what
 * asks of the context node for no more than its parent, as sum(../row/@v) does. The largest such subexpressions are
 * taken; what is no work (a literal, a variable) is left alone, since the machine keeps those as constants or gathers
 * them anyway.
 *
 *   //a[@id = current()/@ref]     once( root descendant::a[ { @id  outer( current @ref )  = } ] )
 *
 * Predicates that do not count positions do not care in which order, or by way of which context node, a candidate was
 * reached: where the step's result has to be put in order anyway, that is done first, and the predicates run over each
 * node once.
 *
 * Cost: O(size of the tree). C stack: the tree's depth, at most GX_XPATH_DEPTH.
 */
#include <string.h>
#include "rules.h"

enum { NOT_LIFTED, IN_SIBLINGS, IN_OUTER, IN_ONCE };     /* what surrounds a node, within its own predicate level */

typedef struct emitter {
    gx_planner *p;
    gx_builder *b;
    u32 first;                  /* of the expression's ops */
    u32 stack, max_stack;       /* columns */
    u32 scope, max_scope;
    u32 choices, joins;
    /* within EACH and CHOICE: the set that they take, which the node being lowered begins with */
    const gx_plan *on_stack;
    u32 twigs;                  /* tree patterns around the node being lowered, and .. */
    u32 n_twigs;                /* .. all of the expression's */
    u32 domain;                 /* within DOMAIN: how many values it has; else GX_NONE */
} emitter;

/* Appends an operator; returns its place in the expression. */
static u32 op(emitter *e, u32 code, u32 type, u32 a, u32 b)
{
    gx_op o = { (u8)code, (u8)type, (u16)a, b };
    return gx_builder_push(e->b, &e->b->ops, &o) - e->first;
}

static void patch(emitter *e, u32 at, u32 target) { GX_VEC_AT(&e->b->ops, gx_op, e->first + at)->b = target; }

static void pushed(emitter *e)
{
    if (++e->stack > e->max_stack)
        e->max_stack = e->stack;
}

static u32 open_scope(emitter *e, u32 code, u32 type)
{
    if (++e->scope > e->max_scope)
        e->max_scope = e->scope;
    return op(e, code, type, 0, 0);
}

static void close_scope(emitter *e, u32 open, u32 code, u32 type)
{
    e->scope--;
    patch(e, open, op(e, code, type, 0, open));
}

static u32 open_where(emitter *e, u32 truth)
{
    u32 open = open_scope(e, GX_X_WHERE, GX_T_BOOL);
    GX_VEC_AT(&e->b->ops, gx_op, e->first + open)->a = (u16)truth;
    return open;
}

static void emit(emitter *e, const gx_plan *n, u32 level, int lifted, int in_parts);
static void emit_plain(emitter *e, const gx_plan *n, u32 level, int lifted, int in_parts);

/* n, which does not begin with what is on the stack */
static void emit_apart(emitter *e, const gx_plan *n, u32 level, int lifted, int in_parts)
{
    const gx_plan *outside = e->on_stack;
    e->on_stack = NULL;
    emit(e, n, level, lifted, in_parts);
    e->on_stack = outside;
}

/* Does n begin with this set: is it the first operand of the first operand of ... n? */
static int begins_with(const gx_plan *n, const gx_plan *set)
{
    while (n != set && n->n)
        n = n->kids[0];
    return n == set;
}

/* Predicates of what is on top, one after the other. Positions that are plain numbers are operators by themselves (NTH,
 * RANGE, AT, BETWEEN); any other predicate is a scope with a row for each candidate. */
static void emit_predicates(emitter *e, gx_plans preds, u32 level)
{
    for (u32 i = 0; i < preds.n; i++) {
        const gx_plan *pred = preds.at[i];
        if (pred->op == GX_X_NTH || pred->op == GX_X_RANGE) {
            op(e, pred->op, GX_T_SET, pred->a, pred->b);
            continue;
        }
        if (pred->op == GX_X_AT || pred->op == GX_X_BETWEEN) {
            for (u32 k = 0; k < pred->n; k++)
                emit_apart(e, pred->kids[k], level, NOT_LIFTED, 1);
            e->stack -= pred->n;
            op(e, pred->op, GX_T_SET, pred->a, 0);
            continue;
        }
        u32 open = open_scope(e, GX_X_PRED, 0);
        emit_apart(e, pred, level + 1, NOT_LIFTED, 0);
        e->stack--;
        close_scope(e, open, GX_X_PRED_END, GX_T_SET);
    }
}

static void emit_filter(emitter *e, gx_plans preds, u32 by_parent, u32 level)
{
    u32 a = GX_STEP_MAKE(GX_AXIS_SELF, GX_TEST_NODE) | GX_STEP_PREDS | GX_STEP_SORTED;
    op(e, GX_X_FILTER, GX_T_SET, a, by_parent);
    emit_predicates(e, preds, level);
    op(e, GX_X_STEP_END, GX_T_SET, a, a);
}

/* What stands in a step for no more than n nodes (GX_STEP_MOST) */
static u32 step_most(u32 n)
{
    u32 most = n <= 8 ? n : 9;
    while (most > 8 && n <= GX_STEP_MOST_MAX && GX_STEP_MOST(most << 12) < n)
        most++;
    return n <= GX_STEP_MOST_MAX ? most : 0;
}

/*
 * A step in one of three ways:
 *
 *   no places counted   all nodes in document order, then a filter (NODES_FIRST)
 *   the first in ROUNDS some candidates of each row after the others
 *   else                candidates of each context in axis order, predicates, STEP_END
 *
 * A first predicate that is a number says how many candidates a context needs at most.
 */
static void emit_step(emitter *e, const gx_plan *n, u32 level)
{
    const int in_order = (n->a & GX_STEP_SORTED) && !GX_AXIS_IS_REVERSE(GX_STEP_AXIS(n->a));
    if (!n->preds.n || (!gx_plans_are_positional(n->preds) && !in_order && gx_rule_is_on(e->p, GX_RULE_NODES_FIRST))) {
        op(e, GX_X_STEP, GX_T_SET, n->a, n->b);
        if (n->preds.n)
            emit_filter(e, n->preds, 0, level);
        return;
    }
    if (gx_plan_in_rounds(n) && gx_rule_is_on(e->p, GX_RULE_ROUNDS)) {
        u32 rest = 0;
        while (n->preds.at[rest]->op != GX_X_NTH)
            rest++;
        rest++;
        const u32 nth = n->preds.at[rest - 1]->b, rounds = open_scope(e, GX_X_ROUNDS, GX_T_SET);
        GX_VEC_AT(&e->b->ops, gx_op, e->first + rounds)->a = (u16)nth;
        gx_rule_fired(e->p, GX_RULE_ROUNDS);
        op(e, GX_X_CONTEXT, GX_T_SET, 0, 0);
        op(e, GX_X_STEP, GX_T_SET, n->a | GX_STEP_PREDS, n->b);
        emit_predicates(e, gx_plans_part(n->preds, 0, nth > 1 ? rest - 1 : rest), level);
        close_scope(e, rounds, GX_X_ROUNDS_END, GX_T_SET);
        emit_predicates(e, gx_plans_part(n->preds, rest, n->preds.n), level);
        op(e, GX_X_STEP_END, GX_T_SET, n->a | GX_STEP_PREDS, n->a | GX_STEP_PREDS);
        return;
    }
    u32 most = n->preds.at[0]->op == GX_X_NTH || n->preds.at[0]->op == GX_X_RANGE ? step_most(n->preds.at[0]->b) : 0;
    op(e, GX_X_STEP, GX_T_SET, n->a | GX_STEP_PREDS | most << 12, n->b);
    emit_predicates(e, n->preds, level);
    op(e, GX_X_STEP_END, GX_T_SET, n->a | GX_STEP_PREDS, n->a | GX_STEP_PREDS);
}

/* Is n small itself, and made of sets of a large fan-out? Calls are made for all rows at once, and in the same order
 * each time. */
static int is_narrow(const gx_plan *n)
{
    if (!n->fanout || n->calls || n->hosted)
        return 0;
    if ((n->op == GX_X_AT || n->op == GX_X_BETWEEN) && !n->kids[0]->fanout)
        return 0;                       /* its rows' nodes stay where they are, in a list that they share */
    if (gx_plan_is_unordered(n->type == GX_T_SET || !n->n ? n : n->kids[0]))
        return 0;                       /* so do what belongs to them, which is made once for that list */
    return n->type == GX_T_BOOL || n->type == GX_T_NUM || (n->op == GX_X_TO_STR && n->kids[0]->type == GX_T_SET)
        || (n->type == GX_T_SET && n->fanout & GX_FANOUT_FILTERED);
}

/* Opens the scope in which n is evaluated for fewer rows than stand around it; GX_NONE: none. The first that applies:
 * ONCE (n depends on the tree alone, and costs something), OUTER (inside predicates: on the frame), SIBLINGS (on the
 * parent). *lifted: what surrounds n from there on, so that its parts are not lifted again by less; *close: what ends
 * it. */
static u32 open_lifted(emitter *e, const gx_plan *n, u32 level, int *lifted, u32 *close)
{
    u32 open = GX_NONE;
    if (n->costly && !(n->deps & ~GX_DEP_TREE) && *lifted < IN_ONCE && gx_rule_is_on(e->p, GX_RULE_ONCE)) {
        open = open_scope(e, GX_X_ONCE, n->type);
        GX_VEC_AT(&e->b->ops, gx_op, e->first + open)->a = !n->calls && !n->hosted;
        *close = GX_X_ONCE_END;
        *lifted = IN_ONCE;
    } else if (level && n->n && n->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT)
               && !(n->deps & ~(GX_DEP_LOCAL | GX_DEP_CURRENT | GX_DEP_TREE)) && *lifted < IN_OUTER
               && gx_rule_is_on(e->p, GX_RULE_OUTER)) {
        open = open_scope(e, GX_X_OUTER, n->type);
        GX_VEC_AT(&e->b->ops, gx_op, e->first + open)->a = (n->deps & GX_DEP_TREE) != 0;
        *close = GX_X_OUTER_END;
        *lifted = IN_OUTER;
    } else if (*lifted == NOT_LIFTED && gx_plan_of_parent(n) && gx_rule_is_on(e->p, GX_RULE_SIBLINGS)) {
        open = open_scope(e, GX_X_SIBLINGS, n->type);
        *close = GX_X_SIBLINGS_END;
        *lifted = IN_SIBLINGS;
    }
    if (open != GX_NONE)
        gx_rule_fired(e->p, *close == GX_X_ONCE_END        ? GX_RULE_ONCE
                                      : *close == GX_X_OUTER_END ? GX_RULE_OUTER
                                                                 : GX_RULE_SIBLINGS);
    return open;
}

/* Opens the scope in which n is evaluated for a row of each that reads the same; GX_NONE: none. Within another one, a
 * part of n may read less than n. */
static u32 open_domain(emitter *e, const gx_plan *n, u32 level, int lifted)
{
    gx_reads reads;
    if (level || lifted != NOT_LIFTED || e->on_stack || !gx_rule_is_on(e->p, GX_RULE_DOMAIN)
        || !gx_plan_reads(n, &reads) || reads.n >= e->domain)
        return GX_NONE;
    for (u32 i = 0; i < reads.n; i++)
        emit(e, reads.at[i], level, lifted, 1);
    e->stack -= reads.n;
    const u32 open = open_scope(e, GX_X_DOMAIN, n->type);
    GX_VEC_AT(&e->b->ops, gx_op, e->first + open)->a = (u16)(reads.n | reads.places << 4);
    gx_rule_fired(e->p, GX_RULE_DOMAIN);
    e->domain = reads.n;
    return open;
}

/* JOIN: the set and the values are on the stack; the uses are evaluated for the candidates, in a scope whose rows they
 * are, and JOIN_END takes all of them off. Its operands say operator, how many are wanted, and of what. */
static void emit_join(emitter *e, const gx_plan *n, u32 level)
{
    const u32 join = open_scope(e, GX_X_JOIN, GX_T_SET);
    e->joins++;
    for (u32 i = 0; i < n->preds.n; i++)        /* of the candidates in parts, where their fan-out is large */
        emit_apart(e, n->preds.at[i], level + 1, NOT_LIFTED, !n->preds.at[i]->fanout);
    e->stack -= GX_JOIN_TWO(n->a) ? 2 : 1;
    close_scope(e, join, GX_X_JOIN_END, n->type);
    GX_VEC_AT(&e->b->ops, gx_op, e->first + join)->a = n->a;
    GX_VEC_AT(&e->b->ops, gx_op, e->b->ops.n - 1)->a = n->a;
    GX_VEC_AT(&e->b->ops, gx_op, e->b->ops.n - 1)->b = n->b;
}

/*  $t/child::x   ->   $t each( child::x )          ancestor::t/child::g   ->   ancestor::t each( child::g )
 *
 * A path from something that neighbouring rows have in common, for them together. 0: n is none */
static int emit_each(emitter *e, const gx_plan *n, u32 level, int lifted)
{
    const gx_plan *base = gx_plan_each_base(n);
    const gx_plan *outside = e->on_stack;
    const int is_apart = outside && (base == outside || !base || !begins_with(base, outside));
    if ((lifted != NOT_LIFTED && lifted != IN_OUTER) || !base || is_apart || !gx_rule_is_on(e->p, GX_RULE_EACH))
        return 0;
    emit(e, base, level, lifted, 1);
    const u32 open = open_scope(e, GX_X_EACH, GX_T_SET);
    gx_rule_fired(e->p, GX_RULE_EACH);
    e->on_stack = base;
    emit(e, n, level, lifted, 1);
    e->on_stack = outside;
    close_scope(e, open, GX_X_EACH_END, GX_T_SET);
    return 1;
}

/* Two ways, of which one is chosen when it runs. Where both begin with the set that it is chosen by, that stays on
 * the stack for them. */
static void emit_choice(emitter *e, const gx_plan *n, u32 level, int lifted)
{
    const gx_plan *set = n->kids[0], *outside = e->on_stack;
    const int stays = n->a == GX_CHOICE_FOUND && begins_with(n->kids[1], set) && begins_with(n->kids[2], set);
    emit(e, set, level, lifted, 1);
    const u32 open = open_scope(e, GX_X_CHOICE, GX_T_SET);
    e->choices++;
    GX_VEC_AT(&e->b->ops, gx_op, e->first + open)->a = n->a == GX_CHOICE_FOUND ? stays : n->a;
    e->stack -= !stays;
    e->on_stack = stays ? set : NULL;
    emit(e, n->kids[1], level, lifted, 1);
    const u32 otherwise = op(e, GX_X_OTHERWISE, n->type, 0, 0);
    e->stack -= !stays;
    emit(e, n->kids[2], level, lifted, 1);
    e->on_stack = outside;
    patch(e, open, otherwise);
    patch(e, otherwise, op(e, GX_X_CHOICE_END, n->type, 0, open));
    e->scope--;
}

/*  root/descendant::a[b]/child::c[@x > 1]   ->   root twig( descendant::a[b] child::c ) filter[ @x > 1 ]
 *
 * What a tree pattern selects, with the steps that select it as one of the strategies. 0: n is none */
static int emit_twig(emitter *e, const gx_plan *n, u32 level, int lifted, int in_parts)
{
    gx_twig_shape shape;
    const gx_plan *outside = e->on_stack, *steps = n;
    if (e->twigs || e->b->twigs.n >= GX_TWIGS_MOST || !gx_rule_is_on(e->p, GX_RULE_TWIG)
        || !gx_plan_twig(n, outside, &shape))
        return 0;
    gx_twig twig = { e->b->twig_nodes.n, shape.n, shape.answer, n->a & GX_STEP_SOME ? GX_TWIG_SOME : 0 };
    for (u32 i = 0; i < shape.n; i++)
        gx_builder_push(e->b, &e->b->twig_nodes, &shape.nodes[i]);
    emit(e, shape.base, level, lifted, in_parts);
    const u32 open = open_scope(e, GX_X_TWIG, GX_T_SET);
    gx_rule_fired(e->p, GX_RULE_TWIG);
    e->n_twigs++;
    GX_VEC_AT(&e->b->ops, gx_op, e->first + open)->a = (u16)gx_builder_push(e->b, &e->b->twigs, &twig);
    if (shape.n_preds < n->preds.n) {
        gx_plan *part = gx_plan_copy(e->p, n);
        part->preds = gx_plans_part(n->preds, 0, shape.n_preds);
        steps = gx_plan_derive(part);
    }
    e->on_stack = shape.base;
    e->twigs++;
    emit_plain(e, steps, level, lifted, 1);
    e->twigs--;
    e->on_stack = outside;
    close_scope(e, open, GX_X_TWIG_END, GX_T_SET);
    if (shape.n_preds < n->preds.n)
        emit_filter(e, gx_plans_part(n->preds, shape.n_preds, n->preds.n), 0, level);
    return 1;
}

/*
 * n's operands in their order, then its operator. The right side of `and` and `or` is put into WHERE if it calls
 * functions, asks the host or may fail: it must not be evaluated for rows whose left side decides (XPath 1.0, 3.4).
 *
 * Only the first operand can begin with what is on the stack (e->on_stack). A key name that is constant is marked, so
 * that the machine can build its index before the value is evaluated.
 */
static void emit_plain(emitter *e, const gx_plan *n, u32 level, int lifted, int in_parts)
{
    const u32 begins = e->b->ops.n;
    u32 where = GX_NONE;
    for (u32 i = 0; i < n->n; i++) {
        const gx_plan *kid = n->kids[i];
        if (i && (kid->calls || kid->hosted || kid->fails) && (n->op == GX_X_OR || n->op == GX_X_AND))
            where = open_where(e, n->op == GX_X_AND);
        if (i)
            emit_apart(e, kid, level, lifted, in_parts);
        else
            emit(e, kid, level, lifted, in_parts);
    }
    switch (where == GX_NONE ? n->op : GX_X_WHERE) {
    case GX_X_WHERE:
        close_scope(e, where, GX_X_WHERE_END, GX_T_BOOL);
        break;
    case GX_X_STEP:
        emit_step(e, n, level);
        break;
    case GX_X_FILTER:
        emit_filter(e, n->preds, n->b, level);
        break;
    case GX_X_JOIN:
        emit_join(e, n, level);
        break;
    case GX_X_VAR:
        if (e->p->env->refers)
            e->p->env->refers(e->p->env->ctx, n->a, n->b);
        op(e, n->op, n->type, n->a, n->b);
        break;
    case GX_X_NUM:
        op(e, GX_X_NUM, GX_T_NUM, 0, gx_builder_num(e->b, n->num));
        break;
    case GX_X_STR:
        op(e, GX_X_STR, GX_T_STR, 0, gx_builder_lit(e->b, n->str, strlen(n->str)));
        break;
    default:
        if (n->op == GX_X_FUNC && (n->a == GX_F_KEY || n->a == GX_F_KEY_FIRST || n->a == GX_F_KEY_COUNT)
            && n->kids[0]->op == GX_X_NUM && GX_VEC_AT(&e->b->ops, gx_op, begins)->op == GX_X_NUM)
            GX_VEC_AT(&e->b->ops, gx_op, begins)->a = GX_NUM_KEY;
        op(e, n->op, n->type, n->a, n->b);
    }
    e->stack -= n->n;
    pushed(e);
}

/* A plan node as code, with the scopes that it runs in, the outermost first: DOMAIN, then ONCE, OUTER or SIBLINGS
 * (open_lifted), then PARTS; inside them the operator in the way that its kind asks for. level: predicates around
 * it. */
static void emit(emitter *e, const gx_plan *n, u32 level, int lifted, int in_parts)
{
    if (n == e->on_stack)
        return;
    const u32 around = e->domain, domain = open_domain(e, n, level, lifted);
    u32 close = 0, parts = GX_NONE;
    const u32 open = e->on_stack ? GX_NONE : open_lifted(e, n, level, &lifted, &close);
    if (!in_parts && lifted != IN_ONCE && is_narrow(n) && gx_rule_is_on(e->p, GX_RULE_PARTS)) {
        parts = open_scope(e, GX_X_PARTS, n->type);
        gx_rule_fired(e->p, GX_RULE_PARTS);
        in_parts = 1;
    }
    if (n->op == GX_X_CHOICE)
        emit_choice(e, n, level, lifted);
    else if (!emit_each(e, n, level, lifted) && !emit_twig(e, n, level, lifted, in_parts))
        emit_plain(e, n, level, lifted, in_parts);
    if (parts != GX_NONE)
        close_scope(e, parts, GX_X_PARTS_END, n->type);
    if (open != GX_NONE)
        close_scope(e, open, close, n->type);
    if (domain != GX_NONE)
        close_scope(e, domain, GX_X_DOMAIN_END, n->type);
    e->domain = around;
}

/* Whoever explains the program hears what was done with the expression. */
static void tell(gx_planner *p, const emitter *e)
{
    const gx_compile_options *o = p->env->b->options;
    const gx_planned what = { p->env->file, p->env->line, p->env->column, p->text.text, p->text.len, p->fired,
                              e->choices,   e->joins,      e->n_twigs };
    if (p->within)
        return;
    if (o && o->planned && (gx_rule_some(&p->fired) || e->choices || e->joins))
        o->planned(o->planned_ctx, &what);
    memset(&p->fired, 0, sizeof p->fired);
}

/* A plan as an expression of the program, its value converted to `want`. *expr: its number. What the rules did is told
 * to who explains the program. GX_ESTYLE: it needs more than 65,535 values or scopes at once. */
gx_status gx_plan_emit(gx_planner *p, gx_plan *node, u32 want, u32 *expr)
{
    gx_builder *b = p->env->b;
    if (want == GX_T_SET)
        GX_TRY(gx_plan_to_set(p, &node, "the value"));
    else if (want != GX_T_ANY)
        node = gx_plan_convert(p, node, want);

    emitter e = { p, b, b->ops.n, 0, 0, 0, 0, 0, 0, NULL, 0, 0, GX_NONE };
    emit(&e, node, 0, NOT_LIFTED, 0);
    if (e.max_stack > 0xffff || e.max_scope > 0xffff)
        return gx_xparse_fail(&p->text, 0, "too many values at once");
    gx_expr x;
    memset(&x, 0, sizeof x);
    x.first = e.first;
    x.n = b->ops.n - e.first;
    x.type = node->type;
    x.deps = node->deps;
    x.max_stack = (u16)e.max_stack;
    x.max_scope = (u16)e.max_scope;
    x.where = gx_builder_where(b, p->env->file, p->env->line, p->env->column);
    if (p->source == GX_NONE)           /* once: a text of many expressions would be hashed for each */
        p->source = gx_builder_lit(b, p->text.text, p->text.len);
    x.source = p->source;
    op(&e, GX_X_END, 0, 0, 0);
    *expr = gx_builder_push(b, &b->exprs, &x);
    tell(p, &e);
    return GX_OK;
}
