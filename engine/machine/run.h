/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h -- the machine: instructions, waves, levels
 *
 * Groups of frames wait in a queue; the machine takes the first, runs its body's instructions for all its frames at
 * once, and the frames they make join the queue: breadth first, so that recursion in a stylesheet is more waves and
 * never a deeper C stack.
 *
 * A value that takes frames to compute (a variable with content, a global variable) opens a *level*: a queue of its own
 * that is worked off first. An instruction that finds such a value missing says GX_NEED; the level is run and the
 * instruction begins again: instructions write their results last, so beginning again is harmless. Calls of the
 * stylesheet's functions are such values too (call.h, machine/call_function.h), and so are indexes of keys, which take
 * no frames (key_build.h).
 */
#ifndef GX_MACHINE_RUN_H
#define GX_MACHINE_RUN_H

#include "budget.h"
#include "call.h"
#include "call_function.h"
#include "collect.h"
#include "column.h"
#include "eval.h"
#include "frames.h"
#include "key_build.h"
#include "machine.h"
#include "match.h"
#include "memory.h"
#include "numbering.h"
#include "profile.h"
#include "result.h"
#include "select.h"
#include "sort.h"
#include "step.h"
#include "store.h"
#include "strings.h"
#include "union.h"
#include "value.h"

/* A level: which value is missing, and everything that the machine takes back when it has been made. In kept memory,
 * one for each value that is waited for; a chain by `previous`. */
typedef struct gx_level {
    u32 previous;               /* ref */
    u32 kind, index;            /* GX_NEED_*; global, variable slot, function, or key's name */
    u32 n;                      /* rows of the value */
    u32 group, pc, where;       /* where to go on */
    u32 chunk;                  /* of the content's frames, 0: none */
    u32 pend_first, pend_last, made, params, calls_first, calls_last, in_function;      /* of the level below */
    u32 body, flags;            /* CALL: flags is the type wanted */
    u32 expr;                   /* GLOBAL: its select, GX_NONE */
    u32 speaks;                 /* the machine's, before */
    u32 nodes, names;           /* KEY: n rows' nodes and names, refs; 0: the one document's, all */
} gx_level;

/* What an expression of the running group is evaluated for: a row a frame, with its context node, position and size. */
GX_OP void gx_env_group(const gx_m *m, gx_env *env)
{
    gx_env_nodes(env, GX_PTR(m, const u32, m->g->context), m->g->n);
    if (m->g->position)
        env->scope.position = GX_PTR(m, const u32, m->g->position);
    if (m->g->size)
        env->scope.size = GX_PTR(m, const u32, m->g->size);
}

/* Frames of a nested body (if, choose, a variable's content) for rows[0 .. n) of the running group (NULL: all of its
 * rows, whose columns are then shared). They see the group's variables through parent_row. *chunk: a ref, 0 where the
 * body is empty or n is 0. O(n) where rows are chosen, kept as long as the result. Complete after the next sync. Fails
 * with GX_EARENA. */
GX_OP_BIG gx_status gx_nest(gx_m *m, u32 body, const u32 *rows, u32 n, u32 *chunk)
{
    const gx_body *b = &m->run->bodies[body];
    const gx_group *g = m->g;
    gx_frames f;

    *chunk = 0;
    if (b->empty || !n)
        return GX_OK;
    GX_CLEAR(&f);
    f.body = body;
    f.n = n;
    f.rule = g->rule;
    f.depth = g->depth;
    f.parent = m->group;
    if (!rows) {
        f.context = g->context;
        f.position = g->position;
        f.size = g->size;
    } else {
        u32 *kept = (u32 *)gx_keep_copy(m, rows, n, 4);
        if (!kept)
            return gx_full(m);
        f.parent_row = GX_REF_OF(m, kept);
        GX_TRY(gx_take(m, g->context, rows, n, &f.context));
        GX_TRY(gx_take(m, b->uses_position ? g->position : 0, rows, n, &f.position));
        GX_TRY(gx_take(m, b->uses_last ? g->size : 0, rows, n, &f.size));
    }
    return gx_frames_make(m, &f, chunk);
}

/* The parameters of an instruction, evaluated for the running group's rows; *params: ref, 0 = none. A variable that
 * is handed on is not copied. If one of them needs a value first (GX_NEED), the others stay in m->params, and the
 * instruction goes on there when it begins again. Complete for everyone. */
GX_OP_BIG gx_status gx_with_params(gx_m *m, u32 first, u32 n, u32 *params)
{
    gx_params *p;
    gx_env env;

    *params = 0;
    if (!n)
        return GX_OK;
    gx_env_group(m, &env);
    if (!m->params) {
        p = (gx_params *)gx_keep(m, sizeof *p + (u64)n * sizeof(gx_param_value));
        if (!p)
            return gx_full(m);
        if (team_rank(&m->t) == 0) {
            gx_zero(p, sizeof *p + (u64)n * sizeof(gx_param_value));
            p->n = n;
            for (u32 k = 0; k < n; k++)
                p->at[k].name = m->run->with_params[first + k].name;
        }
        m->params = GX_REF_OF(m, p);
        team_sync(&m->t);
    }
    p = GX_PTR(m, gx_params, m->params);
    for (u32 k = 0; k < n; k++) {
        const gx_with_param *w = &m->run->with_params[first + k];
        const gx_expr *x = &m->run->exprs[w->expr];
        const gx_op *op = &m->run->ops[x->first];
        gx_col c;
        gx_v v;
        if (p->at[k].col.type)
            continue;
        if (x->n == 1 && op->op == GX_X_VAR && !op->a)      /* a variable of this body, handed on: its column */
            c = GX_PTR(m, const gx_col, m->g->vars)[op->b];
        else {
            GX_TRY(gx_eval(m, w->expr, &env, &v));
            GX_TRY(gx_store(m, &v, m->g->n, &c));
        }
        team_sync(&m->t);
        if (team_rank(&m->t) == 0)
            p->at[k].col = c;
        gx_calls_drop(m, 0);
        team_sync(&m->t);
    }
    *params = m->params;
    return GX_OK;
}

/* Truth of a BOOL expression as the list of rows where it holds. among: the n rows asked (NULL: all of the group).
 * *rows, *count: where it holds (NULL: all n of them, no list is made); *rest, *n_rest: where not, if the caller
 * wants these. Lists are scratch, ascending. O(n), and one evaluation for all rows. Complete for everyone. Fails as
 * gx_eval. */
GX_OP_BIG gx_status gx_rows_where(gx_m *m, u32 expr, const u32 *among, u32 n, u32 **rows, u32 *count, u32 **rest,
                                  u32 *n_rest)
{
    gx_env env;
    gx_v v;
    u32 *yes, *index, k, *no = NULL;

    gx_env_group(m, &env);
    if (among) {
        u32 *context, *position = NULL, *size = NULL;
        GX_TMP(m, context, u32, n);
        if (env.scope.position)
            GX_TMP(m, position, u32, n);
        if (env.scope.size)
            GX_TMP(m, size, u32, n);
        TEAM_FOR(&m->t, i, n) {
            context[i] = env.scope.context[among[i]];
            if (position)
                position[i] = env.scope.position[among[i]];
            if (size)
                size[i] = env.scope.size[among[i]];
        }
        team_sync(&m->t);
        env.scope.n = n;
        env.scope.context = context;
        env.scope.position = position;
        env.scope.size = size;
        env.group_row = among;
    }
    GX_TRY(gx_eval(m, expr, &env, &v));
    GX_TRY(gx_to_bool(m, &v, n));
    if (v.is_const) {
        int truth = ((const u8 *)v.data)[0];
        *rows = (u32 *)(truth ? among : NULL);
        *count = truth ? n : 0;
        if (rest) {
            *rest = (u32 *)(truth ? NULL : among);
            *n_rest = truth ? 0 : n;
        }
        return GX_OK;
    }
    GX_TMP(m, index, u32, n + 1);
    TEAM_FOR(&m->t, i, n)
        index[i] = ((const u8 *)v.data)[i] != 0;
    GX_TRY(gx_scan(m, index, n, &k));
    if (k == n) {
        *rows = (u32 *)among;
        *count = n;
        if (rest)
            *n_rest = 0;
        return GX_OK;
    }
    GX_TMP(m, yes, u32, k);
    if (rest)
        GX_TMP(m, no, u32, n - k);
    TEAM_FOR(&m->t, i, n) {
        u32 row = among ? among[i] : i;
        if (index[i + 1] != index[i])
            yes[index[i]] = row;
        else if (no)
            no[i - index[i]] = row;
    }
    team_sync(&m->t);
    *rows = yes;
    *count = k;
    if (rest) {
        *rest = no;
        *n_rest = n - k;
    }
    return GX_OK;
}

/* xsl:if: frames of the body for the rows where the test holds. The slot: none where it holds nowhere, KID_ROW where it
 * holds for all rows (row r is frame r), else KID_OPT, for each row its frame or GX_NONE. O(rows). Fails as
 * gx_eval(). */
GX_OP_BIG gx_status gx_run_if(gx_m *m, const gx_instr *i)
{
    u32 *rows, count, chunk, n = m->g->n, *at;
    gx_col c;

    GX_CLEAR(&c);
    GX_TRY(gx_rows_where(m, i->expr, NULL, n, &rows, &count, NULL, NULL));
    if (count)
        GX_TRY(gx_nest(m, i->a, count == n ? NULL : rows, count, &chunk));
    if (count && chunk && count == n)
        c = gx_col_kids(GX_C_KID_ROW, n, chunk, 0);
    else if (count && chunk) {
        GX_KEEP(m, at, u32, n);
        TEAM_FOR(&m->t, k, n)
            at[k] = GX_NONE;
        team_sync(&m->t);
        TEAM_FOR(&m->t, k, count)
            at[rows[k]] = k;
        team_sync(&m->t);
        c = gx_col_kids(GX_C_KID_OPT, n, chunk, GX_REF_OF(m, at));
    }
    gx_slot_set(m, i, c);
    return GX_OK;
}

/* xsl:choose, and if-else: each branch is asked for the rows that no branch before it took, and gets its frames at
 * once. The slot: KID_ROW where one branch took all rows, else KID_PAIR, the chunk and row of each. O(rows x
 * branches) at most. Fails as gx_eval. */
GX_OP_BIG gx_status gx_run_choose(gx_m *m, const gx_instr *i)
{
    u32 n = m->g->n, left = n, *among = NULL, chunk;
    gx_kid *kids = NULL;
    gx_col c;

    GX_CLEAR(&c);
    for (u32 k = 0; k < i->b && left; k++) {
        const gx_branch *b = &m->run->branches[i->a + k];
        u32 *rows = among, count = left, *rest = NULL, n_rest = 0;
        /* xsl:otherwise has no test: it takes what is left. */
        if (b->expr != GX_NONE)
            GX_TRY(gx_rows_where(m, b->expr, among, left, &rows, &count, &rest, &n_rest));
        if (count) {
            GX_TRY(gx_nest(m, b->body, count == n ? NULL : rows, count, &chunk));
            if (chunk && count == n)
                c = gx_col_kids(GX_C_KID_ROW, n, chunk, 0);
            else if (chunk) {
                if (!kids) {
                    GX_KEEP(m, kids, gx_kid, n);
                    TEAM_FOR(&m->t, j, n) {
                        kids[j].chunk = GX_NONE;
                        kids[j].row = 0;
                    }
                    team_sync(&m->t);
                }
                TEAM_FOR(&m->t, j, count) {
                    kids[rows[j]].chunk = chunk;
                    kids[rows[j]].row = j;
                }
                team_sync(&m->t);
            }
        }
        if (!n_rest)
            break;
        among = rest;
        left = n_rest;
    }
    if (kids)
        c = gx_col_kids(GX_C_KID_PAIR, n, GX_REF_OF(m, kids), 0);
    gx_slot_set(m, i, c);
    return GX_OK;
}

/* xsl:for-each: a frame for each node of each row's set, or for those at some places, all in one group. The slot:
 * KID_RANGE, row r has frames off[r] .. off[r + 1]. Position and size are made only where the body asks for them.
 * O(nodes selected), kept for as long as the result. Fails as gx_eval, and with GX_EARENA. */
GX_OP_BIG gx_status gx_run_for_each(gx_m *m, const gx_instr *i)
{
    gx_v v;
    gx_env env;
    gx_frames f;
    const gx_body *b = &m->run->bodies[i->a];
    u32 total, *ids, *rows = NULL, chunk, n = m->g->n, *off;
    gx_shown places = { i->d, i->e, NULL, NULL };
    gx_col c;

    GX_CLEAR(&c);
    gx_env_group(m, &env);
    GX_TRY(gx_select(m, &env, i->expr, i->b, i->c, &places, &v));
    total = gx_v_total(&v);
    if (total && !b->empty) {
        GX_CLEAR(&f);
        f.body = i->a;
        f.n = total;
        f.rule = GX_NONE;
        f.depth = m->g->depth;
        f.parent = m->group;
        ids = (u32 *)gx_keep_copy(m, v.data, total, 4);
        if (!ids)
            return gx_full(m);
        f.context = GX_REF_OF(m, ids);
        if (v.off) {
            off = (u32 *)gx_keep_copy(m, v.off, (u64)n + 1, 4);
            if (!off)
                return gx_full(m);
            GX_KEEP(m, rows, u32, total);
            gx_expand_rows(m, v.off, n, rows);
            f.parent_row = GX_REF_OF(m, rows);
        } else {
            GX_KEEP(m, off, u32, (u64)n + 1);
            TEAM_FOR(&m->t, k, n + 1)
                off[k] = k;
        }
        if (b->uses_position) {
            u32 *position;
            GX_KEEP(m, position, u32, total);
            TEAM_FOR(&m->t, k, total)
                position[k] = (v.off ? k - v.off[rows[k]] + 1 : 1)
                    + (places.before ? places.before[rows ? rows[k] : k] : 0);
            f.position = GX_REF_OF(m, position);
        }
        if (b->uses_last) {
            u32 *size;
            GX_KEEP(m, size, u32, total);
            TEAM_FOR(&m->t, k, total)
                size[k] = places.all ? places.all[rows ? rows[k] : k] : v.off ? v.off[rows[k] + 1] - v.off[rows[k]] : 1;
            f.size = GX_REF_OF(m, size);
        }
        team_sync(&m->t);
        GX_TRY(gx_frames_make(m, &f, &chunk));
        c = gx_col_kids(GX_C_KID_RANGE, n, chunk, GX_REF_OF(m, off));
    }
    gx_slot_set(m, i, c);
    return GX_OK;
}

/* xsl:apply-templates: parameters, the nodes, then frames of the rule that each node chooses (gx_apply, match.h),
 * grouped by rule. The slot: the frames of each row in the nodes' order. O(nodes x candidates of a rule). Fails as
 * gx_eval(). */
GX_OP_BIG gx_status gx_run_apply(gx_m *m, const gx_instr *i)
{
    gx_v v;
    gx_apply_args a;
    gx_col c;

    gx_shown all = { 0, 0, NULL, NULL };
    gx_env env;
    GX_CLEAR(&a);
    GX_TRY(gx_with_params(m, i->b, i->c, &a.params));
    gx_env_group(m, &env);
    GX_TRY(gx_select(m, &env, i->expr, i->d, i->e, &all, &v));
    a.mode = i->a;
    a.high = GX_NONE;
    GX_TRY(gx_apply(m, &v, &a, &c));
    gx_slot_set(m, i, c);
    return GX_OK;
}

/* xsl:apply-imports: the running group's context nodes choose again, in its rule's mode, among the rules that its
 * module imports (import_low .. precedence). GX_EDYNAMIC where no template is the current one. O(rows x candidates). */
GX_OP_BIG gx_status gx_run_apply_imports(gx_m *m, const gx_instr *i)
{
    gx_v v = gx_v_make(GX_T_SET, m->g->n, GX_PTR(m, void, m->g->context));
    gx_apply_args a;
    gx_col c;

    GX_CLEAR(&c);
    GX_CLEAR(&a);
    a.position = m->g->position;
    a.size = m->g->size;
    if (m->g->rule == GX_NONE)                          /* 5.6: in xsl:for-each, or around all templates */
        return gx_raise(m, GX_EDYNAMIC, GX_RE_NO_RULE, gx_str_none());
    GX_TRY(gx_with_params(m, i->b, i->c, &a.params));
    const gx_rule *rule = &m->run->rules[m->g->rule];
    a.mode = rule->mode;
    a.low = rule->import_low;
    a.high = rule->precedence;
    GX_TRY(gx_apply(m, &v, &a, &c));
    gx_slot_set(m, i, c);
    return GX_OK;
}

/* xsl:call-template: the body's frames, one a row, over the group's own columns of context, position and size; nothing
 * is copied but parameters. One level deeper: gx_frames_make() has the limit. O(1) beside parameters. */
GX_OP_BIG gx_status gx_run_call(gx_m *m, const gx_instr *i)
{
    gx_frames f;
    u32 chunk;
    const gx_group *g = m->g;

    GX_CLEAR(&f);
    GX_TRY(gx_with_params(m, i->b, i->c, &f.params));
    f.body = i->a;
    f.n = g->n;
    f.rule = g->rule;
    f.depth = g->depth + 1;
    f.context = g->context;
    f.position = g->position;
    f.size = g->size;
    GX_TRY(gx_frames_make(m, &f, &chunk));
    gx_slot_set(m, i, gx_col_kids(GX_C_KID_ROW, g->n, chunk, 0));
    return GX_OK;
}

/* xsl:variable and xsl:param. A parameter that was passed takes its column as it is. Content (a body) says GX_NEED
 * once: the level's frames make the fragment, gx_level_close() sets the variable, and the group goes on behind this
 * instruction. A select is evaluated for all rows and stored. O(rows). */
GX_OP_BIG gx_status gx_run_var(gx_m *m, const gx_instr *i)
{
    gx_env env;
    gx_v v;
    gx_col c;

    if (i->op == GX_I_PARAM && m->g->params) {
        const gx_params *p = GX_PTR(m, const gx_params, m->g->params);
        for (u32 k = 0; k < p->n; k++)
            if (p->at[k].name == i->d) {
                gx_var_set(m, i->b, p->at[k].col);
                return GX_OK;
            }
    }
    if (i->expr == GX_NONE && i->a != GX_NONE) {
        m->need_kind = GX_NEED_VAR;
        m->need_index = i->b;
        m->need_body = i->a;
        m->need_flags = i->flags;
        /* copied, it is a part of that level's string */
        if (m->level && GX_PTR(m, const gx_level, m->level)->kind != GX_NEED_CALL)
            m->need_flags |= GX_PTR(m, const gx_level, m->level)->flags & GX_IF_STRING;
        return GX_NEED;
    }
    if (i->expr == GX_NONE)
        v = gx_v_const(GX_T_STR, m->run->zero_str);
    else {
        gx_env_group(m, &env);
        GX_TRY(gx_eval(m, i->expr, &env, &v));
    }
    GX_TRY(gx_store(m, &v, m->g->n, &c));
    gx_var_set(m, i->b, c);
    return GX_OK;
}

/* An xsl:message that terminates, or an error, where functions run: the serialiser does not come by there, so the
 * instruction itself ends the evaluation, with GX_ETERMINATE or GX_EDYNAMIC. Other messages are found by it through
 * gx_said_add(). */
GX_OP_BIG gx_status gx_run_spoken(gx_m *m, const gx_instr *i)
{
    if (i->op == GX_I_ERROR)
        return gx_raise(m, GX_EDYNAMIC, GX_RE_INSTRUCTION, gx_lit_str(m, i->a));
    return i->flags & GX_IF_TERMINATE ? gx_end(m, i, m->group) : GX_OK;
}

/* Literal output: the serialiser has it. In most bodies that is two instructions of three. */
GX_OP int gx_only_writes(u32 op)
{
    return 1u << op & (1u << GX_I_END | 1u << GX_I_TEXT | 1u << GX_I_ELEM | 1u << GX_I_ATTR | 1u << GX_I_COMMENT
                       | 1u << GX_I_COPY);
}

/* One instruction for all rows of the running group. What it makes goes to its slot or variable last, so that it can
 * begin again after GX_NEED. Complete after the next sync. */
GX_OP_BIG gx_status gx_run_instr(gx_m *m, const gx_instr *i)
{
    gx_v v;
    gx_col c;
    gx_env env;

    switch (i->op) {
    case GX_I_VALUE:
        gx_env_group(m, &env);
        GX_TRY(gx_eval(m, i->expr, &env, &v));
        GX_TRY(gx_store_value(m, &v, m->g->n, &c));
        gx_slot_set(m, i, c);
        return GX_OK;
    case GX_I_COPY_OF:
        gx_env_group(m, &env);
        GX_TRY(gx_eval(m, i->expr, &env, &v));
        if (v.type == GX_T_NUM && m->level)
            GX_TRY(gx_to_str(m, &v, m->g->n));
        GX_TRY(gx_store(m, &v, m->g->n, &c));
        gx_slot_set(m, i, c);
        return GX_OK;
    case GX_I_ELEM_DYN: case GX_I_ATTR_DYN: case GX_I_PI:
        if (i->expr == GX_NONE)
            return GX_OK;
        gx_env_group(m, &env);
        GX_TRY(gx_eval(m, i->expr, &env, &v));
        GX_TRY(gx_to_str(m, &v, m->g->n));
        GX_TRY(gx_store(m, &v, m->g->n, &c));
        gx_slot_set(m, i, c);
        if (i->op != GX_I_PI && i->a != GX_NONE) {
            GX_TRY(gx_eval(m, i->a, &env, &v));
            GX_TRY(gx_to_str(m, &v, m->g->n));
            GX_TRY(gx_store(m, &v, m->g->n, &c));
            if (team_rank(&m->t) == 0)
                GX_PTR(m, gx_col, m->g->slots)[i->slot + 1] = c;
        }
        return GX_OK;
    case GX_I_IF: return gx_run_if(m, i);
    case GX_I_CHOOSE: return gx_run_choose(m, i);
    case GX_I_FOR_EACH: return gx_run_for_each(m, i);
    case GX_I_APPLY: return gx_run_apply(m, i);
    case GX_I_APPLY_IMPORTS: return gx_run_apply_imports(m, i);
    case GX_I_CALL: return gx_run_call(m, i);
    case GX_I_VAR: case GX_I_PARAM: return gx_run_var(m, i);
    case GX_I_RESULT:
        gx_env_group(m, &env);
        GX_TRY(gx_eval(m, i->expr, &env, &v));
        GX_TRY(gx_store(m, &v, m->g->n, &c));
        gx_slot_set(m, i, c);
        return GX_OK;
    case GX_I_ERROR: case GX_I_MESSAGE:         /* the serialiser's, which does not come by in a function */
        m->speaks++;
        if (i->flags & GX_IF_TERMINATE && !m->last_word) {
            m->last_word = (u32)(i - m->run->instrs) + 1;
            m->last_group = m->group;
        }
        return m->in_function ? gx_run_spoken(m, i) : GX_OK;
    case GX_I_NUMBER:
        gx_env_group(m, &env);
        GX_TRY(gx_number_rows(m, i->a, &env, &v));
        GX_TRY(gx_store(m, &v, m->g->n, &c));
        gx_slot_set(m, i, c);
        return GX_OK;
    default:
        return GX_OK;           /* what only the serialiser looks at */
    }
}

/* ---- levels ---- */

/* A value is missing (m->need_*): remembers where to go on, and begins a queue of its own for the frames that make
 * the value, if it takes frames. What it leaves is complete after the next sync, which gx_machine_run begins with.
 * O(1), but for the frames' first group. Fails with GX_EARENA, and with GX_EDYNAMIC where a global variable needs
 * itself. */
GX_OP_BIG gx_status gx_level_open(gx_m *m, u32 pc)
{
    gx_level *l;
    u32 kind = m->need_kind, body = m->need_body, expr = GX_NONE, chunk = 0;
    const gx_global *global = NULL;

    if (kind == GX_NEED_KEY && m->key_depth++ == GX_KEY_DEPTH)
        return gx_raise(m, GX_ELIMIT, GX_RE_KEY_DEPTH, gx_str_none());
    if (kind == GX_NEED_GLOBAL) {
        global = &m->run->globals[m->need_index];
        /* 1: its level is open below this one; 2: it has its value. */
        if (m->run->global_state[m->need_index] == 1)
            return gx_raise(m, GX_EDYNAMIC, GX_RE_CIRCULAR,
                gx_lit_str(m, GX_PROG_TAB(m->run->program, gx_qname, qnames)[global->name].local));
        team_sync(&m->t);
        if (team_rank(&m->t) == 0)
            m->run->global_state[m->need_index] = 1;
        body = global->body;
        expr = global->expr;
        m->need_flags = global->flags | GX_IF_STRING;
    }
    GX_KEEP(m, l, gx_level, 1);
    if (team_rank(&m->t) == 0) {
        l->previous = m->level;
        l->kind = kind;
        l->index = m->need_index;
        l->n = kind == GX_NEED_GLOBAL ? 1 : kind == GX_NEED_VAR ? m->g->n : m->need_n;
        l->nodes = kind == GX_NEED_KEY ? m->need_context : 0;
        l->names = kind == GX_NEED_KEY ? m->need_params : 0;
        l->group = m->group;
        l->pc = pc;
        l->where = m->where;
        /* What the level below was doing, to go on with when this one closes. */
        l->pend_first = m->pend_first;
        l->pend_last = m->pend_last;
        l->made = m->made;
        l->params = m->params;
        l->calls_first = m->calls_first;
        l->calls_last = m->calls_last;
        l->in_function = m->in_function;
        l->body = body;
        l->flags = m->need_flags;
        l->expr = expr;
        l->speaks = m->speaks;
    }
    m->level = GX_REF_OF(m, l);
    m->pend_first = m->pend_last = m->made = m->params = 0;
    gx_calls_clear(m);
    if (kind == GX_NEED_GLOBAL || kind == GX_NEED_CALL)
        m->in_function = kind == GX_NEED_CALL;
    if (expr == GX_NONE && body != GX_NONE) {
        if (kind == GX_NEED_GLOBAL) {
            gx_frames f;
            GX_CLEAR(&f);
            f.body = body;
            f.n = 1;
            f.rule = GX_NONE;
            f.context = m->run->root_context;
            f.position = f.size = m->run->one_ref;
            GX_TRY(gx_frames_make(m, &f, &chunk));
        } else if (kind == GX_NEED_CALL) {
            gx_frames f;
            GX_CLEAR(&f);
            f.body = body;
            f.n = m->need_n;
            f.rule = GX_NONE;
            f.depth = m->g ? m->g->depth + 1 : 1;
            f.context = m->need_context;
            f.position = m->need_position;
            f.size = m->need_size;
            f.params = m->need_params;
            GX_TRY(gx_frames_make(m, &f, &chunk));
        } else
            GX_TRY(gx_nest(m, body, NULL, m->g->n, &chunk));
    }
    if (team_rank(&m->t) == 0)
        l->chunk = chunk;
    return GX_OK;
}

/* A function's frames are remembered for their messages: the serialiser walks them for these, in the order in which
 * functions were called. O(1), kept as long as the result. */
GX_OP_BIG gx_status gx_said_add(gx_m *m, u32 chunk, u32 n)
{
    gx_said *said;

    GX_KEEP(m, said, gx_said, 1);
    if (team_rank(&m->t) == 0) {
        said->chunk = chunk;
        said->n = n;
        said->next = said->pad = 0;
        *(m->said ? &GX_PTR(m, gx_said, m->said)->next : &m->result->said) = GX_REF_OF(m, said);
    }
    m->said = GX_REF_OF(m, said);
    return GX_OK;
}

/* The level's queue is empty: makes the value of its n rows (a function's results, a global's expression, a
 * fragment's text, a key's indexes), puts it where it was needed, and takes the state of the level below back. *pc: the
 * instruction to go on with. Complete for everyone. O(frames of the level) where texts are put together. GX_NEED: a
 * global's expression or a key's use needs another value first, the level is closed again after it. */
GX_OP_BIG gx_status gx_level_close(gx_m *m, u32 *pc)
{
    gx_level l = *GX_PTR(m, gx_level, m->level);
    gx_v v;
    gx_col c;
    u32 n = l.n, made = m->made;

    GX_CLEAR(&c);
    if (l.kind == GX_NEED_KEY) {
        m->group = l.group;                     /* for errors */
        m->where = l.where;
        const gx_status status = gx_key_build_all(m, l.index, l.names ? GX_PTR(m, const u32, l.names) : NULL,
                                                  l.nodes ? GX_PTR(m, const u32, l.nodes) : NULL, n);
        if (status == GX_NEED)
            m->group = 0;
        GX_TRY(status);
        m->key_depth--;
    } else if (l.kind == GX_NEED_CALL) {
        m->group = l.group;                     /* for errors */
        m->where = l.where;
        GX_TRY(gx_function_value(m, l.chunk, n, made, l.index, l.flags, &c));
        if (l.chunk && m->run->functions[l.index].speaks)
            GX_TRY(gx_said_add(m, l.chunk, n));
    } else if (l.kind == GX_NEED_GLOBAL && l.expr != GX_NONE) {
        gx_env env;
        const gx_expr *x = &m->run->exprs[l.expr];
        m->where = x->where;
        gx_env_nodes(&env, m->run->zero, 1);
        env.scope.position = env.scope.size = m->run->ones;
        GX_TRY(gx_eval(m, l.expr, &env, &v));           /* GX_NEED: another global first; this level is closed again
                                                           after it */
        GX_TRY(gx_v_flat(m, &v, 1));
        v.is_const = 1;
        GX_TRY(gx_store(m, &v, n, &c));
    } else {
        gx_str *str = NULL;
        u32 differ = 0;
        if (l.flags & GX_IF_STRING) {
            GX_TMP(m, str, gx_str, n);
            if (l.chunk)
                GX_TRY(gx_fragment_strings(m, l.chunk, n, made, str));
            else
                TEAM_FOR(&m->t, i, n)
                    str[i] = gx_str_none();
            if (!l.chunk)
                team_sync(&m->t);
            TEAM_FOR(&m->t, i, n)               /* one literal for all, or nothing, very often */
                differ |= str[i].at != str[0].at || str[i].len != str[0].len;
            differ = (u32)team_any(&m->t, (int)differ);
        }
        v = gx_v_make(GX_T_RTF, n, NULL);
        v.n_seg = l.chunk;
        v.str = str;
        v.merged = !differ;
        v.quiet = m->speaks == l.speaks;
        v.is_const = l.kind == GX_NEED_GLOBAL;
        GX_TRY(gx_store(m, &v, n, &c));
    }
    m->level = l.previous;
    m->pend_first = l.pend_first;
    m->pend_last = l.pend_last;
    m->made = l.made;
    m->params = l.params;
    m->calls_first = l.calls_first;
    m->calls_last = l.calls_last;
    m->in_function = l.in_function;
    m->group = l.group;
    m->g = l.group ? GX_PTR(m, gx_group, l.group) : NULL;
    *pc = l.pc;
    team_sync(&m->t);
    if (l.kind == GX_NEED_GLOBAL) {
        if (team_rank(&m->t) == 0) {
            m->run->global_cols[l.index] = c;
            m->run->global_state[l.index] = 2;
        }
    } else if (l.kind == GX_NEED_CALL)
        GX_TRY(gx_calls_add(m, l.index, n, c));
    else if (l.kind == GX_NEED_VAR)
        gx_var_set(m, l.index, c);
    gx_calls_rewind(m);
    team_sync(&m->t);
    return GX_OK;
}

#if defined GX_TEAM_SOLO || defined GX_TEAM_THREADS
#define GX_TURN_INSTRS 16u      /* a team looks at the clock after so many: all members must do what one has seen */
/* Is it the other team's turn? Asked before each instruction. Long instructions are a team's, short ones would wait for
 * each other at every sync. Solo looks at the clock after turn_look microseconds, and hands over where instructions
 * took turn_long on average since; threads look after 16 instructions, and hand back below turn_short. Member 0's clock
 * counts, so all members decide alike. */
GX_OP_BIG int gx_turn_ends(gx_m *m)
{
    if (!TEAM_IS_SOLO && m->ran_since && ++m->ran < GX_TURN_INSTRS)
        return 0;
    const u64 now = gx_clock_us(m), took = now - m->ran_since;
    if (m->ran_since && TEAM_IS_SOLO && (++m->ran, took < m->turn_look))
        return 0;
    const u64 limit = (u64)m->ran * (TEAM_IS_SOLO ? m->turn_long : m->turn_short);
    int ends = m->ran_since != 0;
    if (TEAM_IS_SOLO)
        ends = ends && took >= limit;
    else if (ends)
        ends = team_any(&m->t, team_rank(&m->t) == 0 && took < limit);
    m->ran = 0;
    m->ran_since = now;
    return ends;
}
#endif

/*
 * Waves until nothing waits. m->level is 0 at the start and the end. Or until another team goes on: m->held.
 *
 *   take the first group that waits -> run its instructions, one after the other, for all its frames
 *     an instruction says GX_NEED   -> forget what it queued, open a level, run that level's groups
 *     no group waits                -> close the level, go on with the instruction that needed it
 *
 * Each instruction begins with an empty scratch: a sync says that nobody reads the old one. Limits are looked at
 * between instructions (gx_spend). Fails as the instruction that fails, all members alike.
 */
GX_OP_BIG gx_status gx_machine_run(gx_m *m)
{
    u32 pc = 0;
    u64 scratch = m->tmp;

    if (m->held) {                                      /* this team goes on: the group is the running one */
        pc = m->held - 1;
        m->held = 0;
    } else {
        m->group = 0;
        m->g = NULL;
    }
    for (;;) {
        gx_status status = GX_OK;
        u32 end;
        if (!m->g) {
            team_sync(&m->t);
            m->tmp = scratch;
            if (m->pend_first) {                        /* the next wave */
                u32 chunk = m->pend_first;
                m->pend_first = GX_PTR(m, const gx_chunk, chunk)->next;
                if (!m->pend_first)
                    m->pend_last = 0;
                m->group = GX_PTR(m, const gx_chunk, chunk)->group;
                m->g = GX_PTR(m, gx_group, m->group);
                pc = m->run->bodies[m->g->body].first;
            } else if (m->level) {
                status = gx_level_close(m, &pc);
                if (status == GX_NEED) {
                    GX_TRY(gx_level_open(m, 0));
                    continue;
                }
                GX_TRY(status);
                continue;
            } else
                return GX_OK;
        }
        end = m->run->bodies[m->g->body].first + m->run->bodies[m->g->body].n;
        while (pc < end) {
            const gx_instr *i = &m->run->instrs[pc];
            if (gx_only_writes(i->op)) {
                GX_PROFILE_INSTR(m, pc);
                GX_PROFILE_DONE(m, GX_OK);
                m->steps += m->g->n;
                pc++;
                continue;
            }
            u32 first = m->pend_first, last = m->pend_last, made = m->made;
            if (m->tmp != scratch) {                    /* the scratch is used anew: everybody is done with what was in
                                                           it */
                team_sync(&m->t);
                m->tmp = scratch;
            }
#if defined GX_TEAM_SOLO || defined GX_TEAM_THREADS
            if (m->turns && gx_turn_ends(m)) {
                m->held = pc + 1;
                team_sync(&m->t);
                return GX_OK;
            }
#endif
            m->where = i->where;
            m->steps += m->g->n;
            GX_TRY(gx_spend(m, m->g->n < GX_CHECK_EVERY ? m->g->n + GX_CHECK_EVERY / 256 : GX_CHECK_EVERY));
            GX_PROFILE_INSTR(m, pc);
            status = gx_run_instr(m, i);
            GX_PROFILE_DONE(m, status);
            if (status == GX_NEED) {                    /* frames that it made already are made again: forget them */
                team_sync(&m->t);
                m->pend_first = first;
                m->pend_last = last;
                m->made = made;
                if (last && team_rank(&m->t) == 0)
                    GX_PTR(m, gx_chunk, last)->next = 0;
                GX_TRY(gx_level_open(m, m->need_kind == GX_NEED_VAR ? pc + 1 : pc));
                m->group = 0;
                m->g = NULL;
                break;
            }
            GX_TRY(status);
            m->params = 0;
            gx_calls_clear(m);
            pc++;
        }
        if (status != GX_NEED) {
            m->group = 0;
            m->g = NULL;
        }
    }
}

/* The first groups, and m->root: those of the start mode's rule for the root node, or the level of the one expression
 * that is a program of its own (GX_P_XPATH). A pattern that looks at a global variable runs the machine for it first.
 */
GX_OP_ONCE gx_status gx_machine_begin(gx_m *m)
{
    gx_v v = gx_v_make(GX_T_SET, 1, m->run->zero);
    gx_apply_args a;
    gx_col c;
    gx_status status;
    const u32 turns = m->turns;

    m->begun = 1;
    if (m->run->program->flags & GX_P_XPATH) {
        m->need_kind = GX_NEED_GLOBAL;
        m->need_index = 0;
        m->group = 0;
        m->g = NULL;
        m->root = GX_REF_OF(m, &m->run->global_cols[0]);
        return gx_level_open(m, 0);
    }
    m->turns = 0;                                       /* what is known here is in no register */
    for (;;) {
        u64 scratch = m->tmp;
        GX_CLEAR(&a);
        a.mode = m->run->program->start_mode;
        a.high = GX_NONE;
        m->group = 0;
        m->g = NULL;
        status = gx_apply(m, &v, &a, &c);
        m->tmp = scratch;
        if (status != GX_NEED)
            break;
        status = gx_level_open(m, 0);                   /* a pattern that looks at a global variable */
        if (status == GX_OK)
            status = gx_machine_run(m);
        if (status != GX_OK)
            break;
    }
    gx_calls_clear(m);
    m->turns = turns;
    if (status == GX_OK)
        m->root = c.type == GX_C_KID_RANGE ? c.a : 0;
    return status;
}

/* The whole evaluation, from a prepared gx_run (evaluate.c), or what another team has left of it. If m->held is set
 * then, another one goes on. Every member calls it with its own m. */
GX_OP_BIG gx_status gx_machine(gx_m *m)
{
    gx_status status = m->begun ? GX_OK : gx_machine_begin(m);

    if (status == GX_OK)
        status = gx_machine_run(m);
    if (status == GX_OK && m->held)
        return GX_OK;
    if (status != GX_OK)
        team_sync(&m->t);                               /* somebody may be about to say what is wrong */
    if (team_rank(&m->t) == 0) {
        m->result->root = m->root;
        m->result->used = m->top;
        m->result->steps = m->steps;
        m->result->n_docs = m->run->n_docs;
        if (status != GX_OK && m->result->status == GX_OK)
            m->result->status = status;
    }
    team_sync(&m->t);
    return status;
}

#endif
