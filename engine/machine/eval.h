/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval.h -- XPath expressions: postfix code over columns (loop-lifted)
 *
 * gx_eval runs an expression once for all rows of a scope. The stack holds columns; a predicate's candidates become the
 * rows of a scope of their own, so position() and last() are exact for every axis. No recursion: nesting is a stack of
 * scopes.
 */
#ifndef GX_MACHINE_EVAL_H
#define GX_MACHINE_EVAL_H

#include "axis.h"
#include "budget.h"
#include "call.h"
#include "call_function.h"
#include "candidates.h"
#include "column.h"
#include "count.h"
#include "functions.h"
#include "join.h"
#include "machine.h"
#include "memory.h"
#include "nodes.h"
#include "profile.h"
#include "result.h"
#include "scope.h"
#include "step.h"
#include "twig.h"
#include "union.h"
#include "value.h"

/* *v, a variable's value for the rows of group `of`, becomes that of the rows of the innermost scope. Each row's place
 * in the running group, and from there in each group up to `of`, is composed from the maps that are not the identity:
 * O(rows) for each, a temporary list for each but the first. */
GX_OP_BIG gx_status gx_var_rows(gx_eval_state *e, const gx_group *of, gx_v *v)
{
    gx_m *m = e->m;
    const u32 *maps[2] = { e->scope->map, e->env->group_row }, *map = NULL;
    const u32 n = e->scope->n;
    const gx_group *g = m->g;

    for (u32 k = 0; ; k++) {
        const u32 *next;
        if (k < 2)
            next = maps[k];
        else if (g == of)
            return gx_v_gather(m, v, map, n);
        else {
            next = g->parent_row ? GX_PTR(m, const u32, g->parent_row) : NULL;
            g = GX_PTR(m, gx_group, g->parent);
        }
        if (next && map) {
            u32 *c;
            GX_TMP(m, c, u32, n);
            TEAM_FOR(&m->t, i, n)
                c[i] = next[map[i]];
            team_sync(&m->t);
            map = c;
        } else if (next)
            map = next;
    }
}

/* *out: variable `slot` of the body `hops` lexical levels up, for the rows of the innermost scope. O(hops) where it is
 * the same for all rows, or where those rows are that group's. Anything else is gx_var_rows's. */
GX_OP gx_status gx_load_var(gx_eval_state *e, u32 hops, u32 slot, gx_v *out)
{
    const gx_m *m = e->m;
    const gx_group *g = m->g;
    const gx_col *col;
    u32 mapped = 0;

    for (; hops; hops--) {
        mapped |= g->parent_row;
        g = GX_PTR(m, const gx_group, g->parent);
    }
    col = GX_PTR(m, const gx_col, g->vars) + slot;
    if (!col->type) {                           /* not bound: cannot be referred to before its instruction */
        *out = gx_v_make(GX_T_STR, 1, m->run->zero_str);
        out->is_const = 1;
        return GX_OK;
    }
    gx_v_load(m, col, out);
    if (out->is_const || !(mapped || e->scope->map || e->env->group_row))
        return GX_OK;
    return gx_var_rows(e, g, out);
}

/* Does the code of a predicate, ops from .. to, use position() or last() at its own level? Does it need the map to
 * scope 0 (variables, current(), OUTER)? Columns that nobody reads are not made. Code that is evaluated from a string
 * at run time (dyn:) may ask for both. O(ops). */
GX_OP void gx_pred_needs(const gx_op *ops, u32 from, u32 to, int *position, int *map)
{
    u32 depth = 0;

    *position = *map = 0;
    for (u32 i = from; i < to; i++)
        switch (ops[i].op) {
        case GX_X_PRED: depth++; break;
        case GX_X_PRED_END: depth--; break;
        case GX_X_POSITION: case GX_X_LAST: if (!depth) *position = 1; break;
        case GX_X_VAR: case GX_X_CURRENT: case GX_X_OUTER: *map = 1; break;
        case GX_X_CALL: *position |= !depth && ops[i].a & GX_CALL_PLACES; break;
        case GX_X_FUNC:                         /* what it evaluates may ask for anything */
            if (gx_function_traits(ops[i].a) & GX_FT_DYNAMIC) {
                *position |= !depth;
                *map = 1;
            }
            break;
        default: break;
        }
}

/* Are all predicates of the step at ops[at] plain conditions on the node (no number, no position)? Then it does not
 * matter in which segment a node stands, and the step is made set-wise before they are asked (XPath 1.0, 2.4: only a
 * number, position() and last() depend on the axis). O(ops of the predicates). */
GX_OP int gx_step_plain(const gx_op *ops, u32 n_ops, u32 at)
{
    for (u32 i = at + 1; i < n_ops;) {
        int position, map;
        u32 end;
        if (ops[i].op == GX_X_STEP_END)
            return 1;
        if (ops[i].op != GX_X_PRED)
            return 0;
        end = ops[i].b;
        if (end <= i || end >= n_ops || ops[end - 1].type == GX_T_NUM || ops[end - 1].type == GX_T_ANY)
            return 0;
        gx_pred_needs(ops, i + 1, end, &position, &map);
        if (position)
            return 0;
        i = end + 1;
    }
    return 0;
}

GX_OP double gx_number_place(const void *from, size_t k) { return ((const u32 *)from)[k]; }
/* Opens a predicate's scope: a row for each candidate of c, n_seg segments. In: ops from .. to are the predicate's
 * code, which says what its rows need. *inner: context is c's own list; position and size (u32 of each candidate)
 * only where position() or last() is asked for at this level, map (to the rows of scope 0) only where the code looks
 * out of its scope. Complete for everyone. O(candidates) for each of the columns. Fails with GX_EARENA alone. */
GX_OP_BIG gx_status gx_pred_open(gx_eval_state *e, const gx_v *c, u32 from, u32 to, gx_scope *inner)
{
    gx_m *m = e->m;
    u32 total = c->off[c->n_seg], *position = NULL, *size = NULL, *map = NULL;
    int need_position, need_map;
    const gx_scope *outer = e->scope;

    gx_pred_needs(e->ops, from, to, &need_position, &need_map);
    GX_CLEAR(inner);
    inner->n = total;
    inner->context = (const u32 *)c->data;
    if (need_position) {
        GX_TMP(m, position, u32, total);
        GX_TMP(m, size, u32, total);
#if TEAM_IS_SOLO
        for (u32 s = 0; s < c->n_seg; s++)
            for (u32 b = c->off[s], k = b, end = c->off[s + 1]; k < end; k++) {
                position[k] = k - b + 1;
                size[k] = end - b;
            }
#else
        if (c->n_seg == 1) {
            const u32 first = c->off[0];
            TEAM_FOR(&m->t, k, total) {
                position[k] = k - first + 1;
                size[k] = total;
            }
        } else
            TEAM_FOR(&m->t, k, total) {
                u32 s = gx_row_of(c->off, c->n_seg, k);
                position[k] = k - c->off[s] + 1;
                size[k] = c->off[s + 1] - c->off[s];
            }
#endif
    }
    if (need_map) {
        GX_TMP(m, map, u32, total);
        if (outer->once) {
            TEAM_FOR(&m->t, k, total)
                map[k] = 0;
        } else {
#if TEAM_IS_SOLO
            for (u32 r = 0; r < c->n; r++) {
                u32 b = c->off[c->row ? c->row[r] : r], end = c->off[c->row ? c->row[r + 1] : r + 1];
                u32 to_row = outer->map ? outer->map[r] : r;
                for (u32 k = b; k < end; k++)
                    map[k] = to_row;
            }
#else
            TEAM_FOR(&m->t, k, total) {
                u32 r = gx_row_of(c->off, c->n_seg, k);
                if (c->row)
                    r = gx_row_of(c->row, c->n, r);
                map[k] = outer->map ? outer->map[r] : r;
            }
#endif
        }
    }
    team_sync(&m->t);
    inner->position = position;
    inner->size = size;
    inner->map = map;
    return GX_OK;
}

GX_OP gx_v gx_v_const(u8 type, const void *data)
{
    gx_v v = gx_v_make(type, 1, (void *)data);
    v.is_const = 1;
    return v;
}

/* Ops that push a value by themselves. *out: a column of the scope's n rows, or const; a literal's bytes and a
 * variable's nodes stay where they are. Complete for everyone. O(n) where a column is written, else O(1). GX_NEED: a
 * global variable has no value yet. Fails with GX_EARENA, and with GX_EBAD where a value is of another type than the
 * program says. */
GX_OP gx_status gx_eval_leaf(gx_eval_state *e, gx_op op, gx_v *out)
{
    gx_m *m = e->m;
    const u32 n = e->scope->n;

    switch (op.op) {
    case GX_X_NUM: {
        const double *num = m->run->nums + op.b;
        if (op.a == GX_NUM_KEY && n && m->n_docs == 1 && *num >= 0 && *num < m->run->program->key_names.n
            && !*gx_doc_ref(m->run, 0, (u32)*num))
            return gx_key_indexes(m, (u32)*num, NULL, e->scope->context, n);
        *out = gx_v_const(GX_T_NUM, num);
        return GX_OK;
    }
    case GX_X_STR: {
        gx_str *s;
        GX_TMP(m, s, gx_str, 1);
        if (team_rank(&m->t) == 0)
            *s = gx_lit_str(m, op.b);
        team_sync(&m->t);
        *out = gx_v_const(GX_T_STR, s);
        return GX_OK;
    }
    case GX_X_BOOL:
        *out = gx_v_const(GX_T_BOOL, m->run->bits + (op.b ? 4 : 0));
        return GX_OK;
    case GX_X_CONTEXT:
        *out = gx_v_make(GX_T_SET, n, (void *)e->scope->context);
        return GX_OK;
    case GX_X_CURRENT: {
        const u32 *context = e->env->scope.context;
        u32 *ids;
        if (!e->scope->map) {
            *out = gx_v_make(GX_T_SET, n, (void *)(e->scope->once ? e->scope->context : context));
            return GX_OK;
        }
        GX_TMP(m, ids, u32, n);
        TEAM_FOR(&m->t, i, n)
            ids[i] = context[e->scope->map[i]];
        team_sync(&m->t);
        *out = gx_v_make(GX_T_SET, n, ids);
        return GX_OK;
    }
    case GX_X_ROOT: {
        u32 *ids;
        if (gx_one_tree(m)) {
            *out = gx_v_const(GX_T_SET, m->run->zero);
            return GX_OK;
        }
        GX_TMP(m, ids, u32, n);
        TEAM_FOR(&m->t, i, n)
            ids[i] = gx_root_of(gx_view_of(m, e->scope->context[i]), e->scope->context[i]);
        team_sync(&m->t);
        *out = gx_v_make(GX_T_SET, n, ids);
        return GX_OK;
    }
    case GX_X_POSITION: case GX_X_LAST: {
        const u32 *from = op.op == GX_X_POSITION ? e->scope->position : e->scope->size;
        double *d;
        GX_TMP(m, d, double, n);
        if (from)
            team_numbers(&m->t, n, gx_number_place, from, d);
        else
            TEAM_FOR(&m->t, i, n)
                d[i] = 1;
        team_sync(&m->t);
        *out = gx_v_make(GX_T_NUM, n, d);
        return GX_OK;
    }
    case GX_X_VAR:
        GX_TRY(gx_load_var(e, op.a, op.b, out));
        return gx_is_as_said(m, out, op.type);
    default:                    /* GX_X_GLOBAL */
        if (m->run->global_state[op.b] != 2) {
            m->need_kind = 0;
            m->need_index = op.b;
            return GX_NEED;
        }
        gx_v_load(m, &m->run->global_cols[op.b], out);
        return gx_is_as_said(m, out, op.type);
    }
}

/* STEP and COUNT of the set on top: *v takes its place. Where its lists are slices of the tree, they are looked at as
 * slices. */
GX_OP gx_status gx_eval_step(gx_eval_state *e, gx_op op, gx_v *v)
{
    gx_m *m = e->m;
    gx_v *top = e->sp - 1;
    const u32 n = e->scope->n;
    const int counts = op.op == GX_X_COUNT, preds = !counts && op.a & GX_STEP_PREDS,
              plain = preds && gx_step_plain(e->ops, e->n_ops, e->pc);

    GX_TRY(gx_is_set(m, top));
    if (top->cnt && (counts ? gx_count_is_apart(op.a) : gx_step_is_apart(op.a))) {
        int made;
        GX_TRY(counts ? gx_count_slices(m, top, op.a, op.b, n, v, &made)
                      : gx_step_slices(m, top, op.a, op.b, n, v, &made));
        if (made)
            return GX_OK;
    }
    GX_TRY(gx_v_flat(m, top, n));
    if (counts)
        GX_TRY(gx_count(m, top, op.a, op.b, v));
    else {
        GX_TRY(gx_step(m, top, op.a, op.b, preds && !plain,
                       preds && !plain && !top->off ? e->scope->rounds : NULL, v));
        if (e->scope->rounds)
            gx_rounds_take(m, e->scope->rounds, v);
        if (plain)                      /* candidates are the merged rows */
            GX_TRY(gx_v_candidates(m, v));
    }
    v->is_const = top->is_const;
    return GX_OK;
}

/* PRED: opens the scope whose rows are the candidates on top. No candidates: the predicate's ops are skipped, so it is
 * never evaluated, and nothing that it needs (an index, a value that takes frames) is made. A const set is copied for
 * each row first if the predicate looks at something that rows differ in. Costs and errors: gx_pred_open,
 * gx_pred_spread. */
GX_OP_BIG gx_status gx_eval_pred(gx_eval_state *e, gx_op op)
{
    gx_v *c = e->sp - 1;
    const u32 n = e->scope->n;

    if (!c->off[c->n_seg]) {    /* there is no candidate that it could be evaluated for: nor is what is the same for all
                                   of them */
        e->pc = op.b;
        return GX_OK;
    }
    if (c->is_const && !e->scope->once && n != 1) {
        int position, map;
        gx_pred_needs(e->ops, e->pc + 1, op.b, &position, &map);
        if (map)
            GX_TRY(gx_pred_spread(e->m, c, n));
    }
    GX_TRY(gx_pred_open(e, c, e->pc + 1, op.b, &e->scopes[e->depth + 1]));
    gx_scope_enter(e);
    return GX_OK;
}

/* Steps, their predicates, and what keeps some candidates by their places. Each takes the set or the candidates on
 * top of the stack and leaves one of them there. The type on top says how far a step has come: SET -> STEP -> CAND ->
 * (PRED, PRED_END)* -> STEP_END -> SET. Costs are those of step.h, count.h and candidates.h. */
GX_OP gx_status gx_eval_nodes(gx_eval_state *e, gx_op op)
{
    gx_m *m = e->m;
    gx_v *top = e->sp - 1, v;
    const u32 n = e->scope->n;

    switch (op.op) {
    case GX_X_STEP: case GX_X_COUNT:
        GX_TRY(gx_eval_step(e, op, &v));
        *top = v;
        return GX_OK;
    case GX_X_FILTER:
        GX_TRY(gx_is_set(m, top));
        GX_TRY(gx_v_flat(m, top, n));
        if (op.b)
            GX_TRY(gx_part_by_parent(m, top, op.b == GX_FILTER_TOGETHER, n));
        return top->type == GX_V_CAND ? GX_OK : gx_v_candidates(m, top);
    case GX_X_STEP_END:
        GX_TRY(gx_step_end(m, top, &v));
        v.is_const = top->is_const;
        *top = v;
        return GX_OK;
    case GX_X_PRED:
        return gx_eval_pred(e, op);
    case GX_X_PRED_END:
        v = *top;
        e->sp--;
        GX_TRY(gx_pred_close(m, top - 1, &v));
        gx_scope_leave(e);
        return GX_OK;
    case GX_X_NTH:
        return gx_nth(m, top, op.b);
    case GX_X_RANGE:
        return gx_first_to_last(m, top, op.a, op.b);
    case GX_X_AT:
        e->sp--;
        return gx_keep_places(m, &op, top - 1, top, NULL, n);
    default:                    /* GX_X_BETWEEN */
        e->sp -= 2;
        return gx_keep_places(m, &op, top - 2, top - 1, top, n);
    }
}

/* Operators on values: the operands on top (two, or one) make way for the result, a column of n rows, or const where
 * all operands are. Operands are converted in their places first. O(rows); comparisons of sets: see gx_compare. Fails
 * with GX_EARENA, with GX_ETIME at a limit, and with GX_EDYNAMIC where no set is. */
GX_OP gx_status gx_eval_values(gx_eval_state *e, gx_op op)
{
    gx_m *m = e->m;
    gx_v *y = e->sp - 1, *x = y - 1, v;        /* x: of two operands the left one */
    const u32 n = e->scope->n;

    switch (op.op) {
    case GX_X_UNION:
        GX_TRY(gx_is_set(m, x));
        GX_TRY(gx_is_set(m, y));
        GX_TRY(gx_union(m, x, y, n, &v));
        break;
    case GX_X_OR: case GX_X_AND:
        GX_TRY(gx_to_bool(m, x, n));
        GX_TRY(gx_to_bool(m, y, n));
        GX_TRY(gx_both(m, op.op, x, y, n, &v));
        break;
    case GX_X_EQ: case GX_X_NE: case GX_X_LT: case GX_X_LE: case GX_X_GT: case GX_X_GE:
        GX_TRY(gx_compare(m, op.op, x, y, n, &v));
        break;
    case GX_X_ADD: case GX_X_SUB: case GX_X_MUL: case GX_X_DIV: case GX_X_MOD:
        GX_TRY(gx_to_num(m, x, n));
        GX_TRY(gx_to_num(m, y, n));
        GX_TRY(gx_arith(m, op.op, x, y, n, &v));
        break;
    case GX_X_NEG: {
        double *d;
        const u32 rows = gx_v_rows(y, n);
        GX_TRY(gx_to_num(m, y, n));
        GX_TMP(m, d, double, rows);
        TEAM_FOR(&m->t, i, rows)
            d[i] = -((const double *)y->data)[i];
        team_sync(&m->t);
        y->data = d;
        return GX_OK;
    }
    case GX_X_TO_STR:  return gx_to_str(m, y, n);
    case GX_X_TO_NUM:  return gx_to_num(m, y, n);
    case GX_X_TO_BOOL: return gx_to_bool(m, y, n);
    default:           return gx_is_set(m, y);          /* GX_X_TO_SET */
    }
    *x = v;
    e->sp--;
    return GX_OK;
}

/* An environment for n nodes, each the first and last of its row (position() and last() are 1), as predicates of
 * patterns and `use` of keys want it. Written in its place, and of what only PARTS opens no more than that it did not:
 * see gx_v_load. */
GX_OP void gx_env_nodes(gx_env *env, const u32 *nodes, u32 n)
{
    env->scope.n = n;
    env->scope.once = env->scope.outer = 0;
    env->scope.context = nodes;
    env->scope.position = env->scope.size = NULL;
    env->scope.map = env->scope.rows = NULL;
    env->scope.rounds = NULL;
    env->scope.parts.made = NULL;
    env->group_row = NULL;
}

GX_OP_BIG gx_status gx_eval(gx_m *m, u32 expr, const gx_env *env, gx_v *out);
/*
 * KEY_AXIS and KEY_AXIS_FIRST without an index, for a few rows that have no more on their axes than the index would
 * have to go through: in a large document that is asked for one node's neighbours it would cost all, and be used once.
 * in: the rows' nodes. *done 0: the index is there, or better.
 */
#define GX_SCAN_ROWS 64u
#ifndef GX_SMALL_INDEX                  /* of tests */
#define GX_SMALL_INDEX 1024u
#endif
/*
 * KEY_AXIS and KEY_AXIS_FIRST (`preceding::x[@k = $v]`, compiled to a key) without the key's index, for a few rows that
 * have no more on their axes than the index would have to go through: in a large document that is asked for one node's
 * neighbours the index would cost all of it, and be used once.
 *
 * In: `what` names the key; in is a flat SET, the rows' nodes; value is what is looked for, a SET or STR; probe.axis is
 * the axis. Out: *done 1, and *out is the SET of the rows' nodes whose `use` has one of the values, or of each row's
 * first such node. *done 0, and *out is untouched: the index is there, or is the better way.
 *
 * How: the step by the axis, then `use` for all of its nodes at once, then each node's strings beside the row's values.
 * Cost: the step, over at most 2^22 candidates for several rows; then `use` for at most twice as many nodes as the
 * index would go through, and strings x values for each of these. Fails as gx_step() and the `use` expression do,
 * GX_NEED among them.
 */
GX_OP_BIG gx_status gx_axis_scan(gx_m *m, u32 what, gx_axis_probe probe, int first, const gx_v *in, const gx_v *value,
                                 u32 rows, gx_v *out, int *done)
{
    const gx_run *r = m->run;
    const gx_key *key = NULL;
    gx_v from = *in, found, use;
    u32 *keep, *off, *ids, total;
    gx_watch watch = gx_watch_start();

    *done = 0;
    for (u32 k = 0; k < r->program->keys.n; k++)
        if (r->keys[k].name == what)
            key = &r->keys[k];
    if (!key || (from.is_const && rows > 1) || !r->patterns[key->pattern].n)
        return GX_OK;
    from.is_const = 0;
    from.n = rows;
    if (!gx_v_total(&from))
        return GX_OK;
    const u32 view = gx_view_index(m, ((const u32 *)from.data)[0]);
    const gx_view *v = &r->views[view];
    const gx_pstep *s = &r->psteps[r->patterns[key->pattern].first];
    const gx_bound_test t = gx_test_bind(r, v, GX_AXIS_CHILD, s->test, s->name);
    u64 nodes = v->n_nodes;             /* that the index goes through */
    if (t.test == GX_TEST_NAME)
        nodes = t.label == GX_LABEL_NOTHING
            ? 0
            : v->index_start[GX_LABEL_ID(t.label) + 1] - v->index_start[GX_LABEL_ID(t.label)];
    /* Is the index there, or so small that it may as well be made, or are the rows too many to go through their
     * axes? */
    if (*gx_doc_ref(r, view, what) || nodes < GX_SMALL_INDEX || (rows > 1 && rows * nodes > (1u << 22)))
        return GX_OK;
    GX_TRY(gx_step(m, &from, GX_STEP_MAKE(probe.axis, s->test), s->name, 0, NULL, &found));
    GX_TRY(gx_v_offsets(m, &found, rows));
    const u32 n = found.off[rows];
    if (n > 2 * nodes)
        return GX_OK;
    gx_env env;
    gx_env_nodes(&env, (const u32 *)found.data, n);
    m->scans_axis = 1;
    /* The one place where evaluating recurses: once, since a scan within it is not made (scans_axis). */
    const gx_status status = gx_eval(m, key->use, &env, &use);
    m->scans_axis = 0;
    GX_TRY(status);
    if (use.type == GX_T_SET)
        GX_TRY(gx_v_dense(m, &use, n));
    else
        GX_TRY(gx_to_str(m, &use, n));
    GX_TMP(m, keep, u32, (u64)n + 1);
    TEAM_FOR(&m->t, k1, n) {
        u32 b = 0, e = 1, vb = 0, ve = 1, work = 0;
        const u32 row = gx_row_of(found.off, rows, k1);
        if (use.type == GX_T_SET)
            gx_v_range(&use, k1, &b, &e);
        if (value->type == GX_T_SET)
            gx_v_range(value, row, &vb, &ve);
        keep[k1] = 0;
        for (; b < e && !keep[k1]; b++) {
            const gx_str x = use.type == GX_T_SET
                ? gx_node_str(gx_view_of(m, ((const u32 *)use.data)[b]), ((const u32 *)use.data)[b])
                : gx_row_str(m, &use, k1);
            for (u32 j = vb; j < ve && !keep[k1]; j++, work++) {
                const u32 node = value->type == GX_T_SET ? ((const u32 *)value->data)[j] : 0;
                keep[k1] = (u32)gx_str_equal(m, x,
                                             value->type == GX_T_SET ? gx_node_str(gx_view_of(m, node), node)
                                                                     : gx_row_str(m, value, row));
            }
        }
        if (gx_watch_late(m, &watch, work))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    GX_TRY(gx_scan(m, keep, n, &total));
    GX_TMP(m, off, u32, (u64)rows + 1);
    GX_TMP(m, ids, u32, total);
    TEAM_FOR(&m->t, k2, n)
        if (keep[k2 + 1] != keep[k2])
            ids[keep[k2]] = ((const u32 *)found.data)[k2];
    TEAM_FOR(&m->t, r1, rows + 1)
        off[r1] = keep[found.off[r1]];
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, rows, ids);
    out->off = off;
    *done = 1;
    return first ? gx_v_heads(m, out, (int)probe.last) : GX_OK;
}

/* KEY_AXIS and KEY_AXIS_FIRST of a few rows, if gx_axis_scan() answers for them: *done. Else the index is asked. */
GX_OP_BIG gx_status gx_eval_axis(gx_eval_state *e, u32 func, u32 argc, gx_v *args, gx_v *out, int *done)
{
    gx_m *m = e->m;
    const u32 n = e->scope->n;
    gx_v *value = &args[1], from;

    *done = 0;
    if (!n || m->scans_axis)
        return GX_OK;
    GX_TRY(gx_convert(m, gx_function_args(func), argc, args, n));
    const u32 rows = value->is_const && args[2].is_const ? 1 : n;
    if (rows > GX_SCAN_ROWS)
        return GX_OK;
    if (value->type != GX_T_SET)
        GX_TRY(gx_to_str(m, value, n));
    from = args[2];
    GX_TRY(gx_v_flat(m, &from, n));
    const int first = func == GX_F_KEY_AXIS_FIRST;
    const u32 axis = gx_constant_of(&args[3]);
    const gx_axis_probe probe = { m->run->views, 0, axis, first && GX_AXIS_IS_REVERSE(axis) };
    GX_TRY(gx_axis_scan(m, gx_constant_of(&args[0]), probe, first, &from, value, rows, out, done));
    if (*done)
        out->is_const = rows == 1 && n != 1;
    return GX_OK;
}

/* FUNC and CALL: the arguments on top make way for the value, n rows or const. A call of a func:function learns from
 * the op behind it which type is wanted, since its rows may have several types. Functions that make new nodes
 * (gx_is_fresh) must answer the same when the instruction is run again (GX_NEED), so gx_call_fresh() remembers what
 * they made. Costs and errors are the function's. */
GX_OP gx_status gx_eval_call(gx_eval_state *e, gx_op op)
{
    const u32 argc = op.op == GX_X_FUNC ? op.b : GX_CALL_ARGC(op.a);
    gx_v *args = e->sp - argc, v;
    int done = 0;

    if (op.op == GX_X_FUNC && (op.a == GX_F_KEY_AXIS || op.a == GX_F_KEY_AXIS_FIRST))
        GX_TRY(gx_eval_axis(e, op.a, argc, args, &v, &done));
    if (done)
        ;
    else if (op.op == GX_X_CALL) {      /* what is behind the call says which type is wanted */
        const u32 next = e->pc + 1 < e->n_ops ? e->ops[e->pc + 1].op : GX_X_END;
        const u32 want = next == GX_X_TO_STR ? GX_T_STR
            : next == GX_X_TO_NUM            ? GX_T_NUM
            : next == GX_X_TO_BOOL           ? GX_T_BOOL
            : next == GX_X_TO_SET            ? GX_T_SET
                                             : GX_T_ANY;
        GX_TRY(gx_call_function(e, op.b, argc, want, args, &v));
    } else if ((e->m->run->program->functions.n || e->m->run->program->keys.n) && gx_is_fresh(op.a))
        GX_TRY(gx_call_fresh(e, op.a, argc, args, &v));
    else
        GX_TRY(gx_call(e, op.a, argc, args, &v));
    *args = v;
    e->sp -= argc;
    e->sp++;
    return GX_OK;
}

/* ONCE: a scope of one row, if all rows are of one tree; or the value that is known already, and then its ops are
 * skipped. Rows of several trees keep the scope as it is, and the value is computed for each. O(rows) for the look
 * whether they are of one tree. */
GX_OP_BIG gx_status gx_eval_once(gx_eval_state *e, gx_op op)
{
    gx_m *m = e->m;
    const u32 at = (u32)(e->ops - m->run->ops) + e->pc, n = e->scope->n;
    gx_scope *s = &e->scopes[e->depth + 1];

    *s = *e->scope;
    if (!s->once && gx_in_one_tree(m, e->scope->context, n, n ? e->scope->context[0] : 0)) {
        if (op.a && gx_once_known(m, at, n ? e->scope->context[0] : 0)) {
            gx_v_load(m, &gx_once_at(m, at)->value, e->sp++);
            e->pc = op.b;
            return GX_OK;
        }
        s->once = 2;                    /* opened here */
        s->context = n ? e->scope->context : m->run->zero;
        s->n = 1;
        s->map = NULL;
    }
    gx_scope_enter(e);
    return GX_OK;
}

/* Ops that open a scope with other rows than the one around it, or find that there is nothing to run (pc then goes to
 * the op that closes it). In: what the op needs is on top of the stack (ops.def). Out: e->scope is the new one, its
 * columns in the scratch; CHOICE and TWIG open none, they choose what runs. O(rows around it), and what is said at
 * each operator in scope.h. Fails with GX_EARENA, or as the operator. */
GX_OP_BIG gx_status gx_eval_open(gx_eval_state *e, gx_op op)
{
    gx_m *m = e->m;
    gx_scope *inner = &e->scopes[e->depth + 1];
    const u32 n = e->scope->n;
    gx_v *top = e->sp - 1, v;
    int made;

    switch (op.op) {
    case GX_X_ONCE:
        return gx_eval_once(e, op);
    case GX_X_OUTER: {
        const gx_scope *rows = &e->scopes[0];
        const u32 outer = !op.a || !n || (gx_in_one_tree(m, e->scope->context, n, e->scope->context[0])
                                          && gx_in_one_tree(m, rows->context, rows->n, e->scope->context[0]));
        if (outer)
            GX_TRY(gx_outer_open(m, rows, e->scope, inner));
        else
            *inner = *e->scope;
        inner->outer = (u16)outer;
        break;
    }
    case GX_X_WHERE:
        GX_TRY(gx_where_open(m, e->scope, top, op.a, inner));
        if (!inner->n) {
            e->pc = op.b;
            return GX_OK;
        }
        break;
    case GX_X_JOIN: {
        const gx_v *set = top - (GX_JOIN_TWO(op.a) ? 2 : 1);
        GX_TRY(gx_is_set(m, set));
        GX_TRY(gx_join_open(m, e->scope, set, inner));
        break;
    }
    case GX_X_SIBLINGS:
        GX_TRY(gx_siblings_open(m, e->scope, inner));
        break;
    case GX_X_EACH:
        GX_TRY(gx_each_open(m, e->scope, top, inner));
        break;
    case GX_X_DOMAIN:
        e->sp -= GX_DOMAIN_N(op.a);
        GX_TRY(gx_domain_open(m, e->scope, e->sp, GX_DOMAIN_N(op.a), GX_DOMAIN_PLACES(op.a), inner));
        break;
    case GX_X_PARTS:
        GX_TRY(gx_parts_open(m, e->scope, op.type, inner));
        break;
    case GX_X_ROUNDS:
        e->sp--;
        GX_TRY(gx_rounds_open(m, e->scope, top, op.a, inner));
        break;
    case GX_X_CHOICE:           /* the ops of a way run for the same rows */
        GX_TRY(gx_is_set(m, top));
        if (!gx_choice_is_cheap(m, e->scope, top, op.a))
            e->pc = op.b;
        e->sp -= op.a != GX_CHOICE_FOUND;
        return GX_OK;
    default:                    /* GX_X_TWIG: either a strategy has made the answer, or the steps in it do */
        GX_TRY(gx_is_set(m, top));
        GX_TRY(gx_twig_select(m, op.a, top, n, &v, &made));
        if (made) {
            v.is_const = top->is_const;
            *top = v;
            e->pc = op.b;
        }
        return GX_OK;
    }
    gx_scope_enter(e);
    return GX_OK;
}

/* Ops that close it. In: the value of the inner rows is on top. Out: the same for the rows around, spread by
 * inner->rows, so O(rows of both). PARTS and ROUNDS go back to their first op while rows are left. Complete for
 * everyone. */
GX_OP_BIG gx_status gx_eval_close(gx_eval_state *e, gx_op op)
{
    gx_m *m = e->m;
    gx_scope *inner = &e->scopes[e->depth];
    gx_v *top = e->sp - 1;
    int again;

    switch (op.op) {
    case GX_X_OTHERWISE:
        e->pc = op.b;
        return GX_OK;
    case GX_X_CHOICE_END: case GX_X_TWIG_END:
        return GX_OK;
    case GX_X_PARTS_END: case GX_X_ROUNDS_END:
        GX_TRY(op.op == GX_X_PARTS_END ? gx_parts_close(m, inner, op.type, top, &again)
                                       : gx_rounds_close(m, inner, top, &again));
        if (again) {
            e->sp--;
            e->pc = op.b;
        } else
            gx_scope_leave(e);
        return GX_OK;
    case GX_X_ONCE_END:
        if (inner->once == 2) {
            top->is_const = 1;
            top->n = 1;
            if (e->ops[op.b].a)
                GX_TRY(gx_once_keep(m, (u32)(e->ops - m->run->ops) + op.b, inner->context[0], top));
        }
        gx_scope_leave(e);
        return GX_OK;
    default:
        break;
    }
    gx_scope_leave(e);
    const u32 n = e->scope->n;
    switch (op.op) {
    case GX_X_OUTER_END:
        return inner->outer ? gx_outer_close(m, inner, e->scope, top) : GX_OK;
    case GX_X_WHERE_END:
        e->sp--;
        return gx_where_close(m, e->scope, inner, top, top - 1);
    case GX_X_JOIN_END: {
        const u32 pops = GX_JOIN_TWO(op.a) ? 4 : 2;
        gx_v *set = top - pops, v;
        e->sp -= pops;
        GX_TRY(gx_join_close(m, inner, op, set, n, &v));
        *set = v;
        return GX_OK;
    }
    default:                    /* GX_X_SIBLINGS_END, GX_X_EACH_END, GX_X_DOMAIN_END */
        if (op.op != GX_X_SIBLINGS_END && !inner->rows)
            return GX_OK;
        if (inner->n == 1)
            m->shared += m->tmp - inner->tmp;
        return gx_v_gather(m, top, inner->rows, n);
    }
}

/*
 * Runs the ops of an expression one after the other. *out: n == env->scope.n rows, or const. Everything is scratch of
 * the running instruction, or kept, or the program's. Complete after the next sync.
 *
 * Cost: an op of few rows costs the loop around it, some 25 instructions. So the next op is in a register; ops that may
 * go elsewhere find their place in e.pc, and leave it there. GX_NEED: a value is missing (run.h), and *out is not
 * written. The operators stand in ops.def in the order of these functions.
 */
GX_OP_BIG gx_status gx_eval(gx_m *m, u32 expr, const gx_env *env, gx_v *out)
{
    const gx_expr *x = &m->run->exprs[expr];
    const gx_op *const ops = m->run->ops + x->first, *const end = ops + x->n;
    gx_v local[GX_LOCAL_STACK], *st = local;
    gx_scope local_scopes[6];
    gx_eval_state e;

    e.scopes = local_scopes;
    if (x->max_stack + 2u > GX_LOCAL_STACK || x->max_scope + 1u > 6) {          /* a stack for each member */
        u32 size = x->max_stack + 2, levels = x->max_scope + 2;
        gx_v *all;
        gx_scope *all_scopes;
        GX_TMP(m, all, gx_v, (u64)size * team_size(&m->t));
        GX_TMP(m, all_scopes, gx_scope, (u64)levels * team_size(&m->t));
        st = all + (u64)size * team_rank(&m->t);
        e.scopes = all_scopes + (u64)levels * team_rank(&m->t);
    }
    if (x->max_stack == 1)                      /* the value is made where it is wanted */
        st = out;
    e.m = m;
    e.env = env;
    e.ops = ops;
    e.n_ops = x->n;
    e.sp = st;
    e.depth = 0;
    e.scope = &env->scope;
    if (x->max_scope) {                         /* what is copied waits for what was just written: see gx_v_load */
        e.scopes[0] = env->scope;
        e.scope = e.scopes;
    }
    GX_PROFILE_EVAL();
    for (const gx_op *op = ops; op < end; op++) {
        GX_PROFILE_OP(x->first + (u32)(op - ops), x->first, e.scope->n);
        if (e.scope->n >= GX_ROWS_PER_INSTANCE)
            GX_TRY(gx_spend(m, e.scope->n / GX_ROWS_PER_INSTANCE));
        if (op->op < GX_X_STEP) {
            GX_TRY(gx_eval_leaf(&e, *op, e.sp++));
            continue;
        }
        if (op->op >= GX_X_UNION && op->op < GX_X_FUNC) {
            GX_TRY(gx_eval_values(&e, *op));
            continue;
        }
        e.pc = (u32)(op - ops);
        if (op->op < GX_X_UNION)
            GX_TRY(gx_eval_nodes(&e, *op));
        else if (op->op < GX_X_ONCE)
            GX_TRY(gx_eval_call(&e, *op));
        else if (gx_op_opens(op->op))
            GX_TRY(gx_eval_open(&e, *op));
        else
            GX_TRY(gx_eval_close(&e, *op));
        op = ops + e.pc;
    }
    GX_PROFILE_EVAL_DONE();
    if (st != out)
        *out = st[0];
    return GX_OK;
}

#endif
