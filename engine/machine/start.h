/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start.h -- the start of an evaluation: a member's registers, and the tables of the run
 *
 * What only the evaluation needs (views, bound names, marks) lies at the foot of the scratch, so that the kept half is
 * the result.
 */
#ifndef GX_MACHINE_START_H
#define GX_MACHINE_START_H

#include <stddef.h>
#include "machine.h"
#include "memory.h"
#include "nodes.h"
#include "result.h"
#include "run_team.h"

#define GX_RUN_OFF ((sizeof(gx_result) + 63) & ~(u64)63)
#define GX_RUN_END ((GX_RUN_OFF + sizeof(gx_run) + 63) & ~(u64)63)

GX_OP void gx_m_start(gx_m *m, char *base, u64 top, u64 top_end, u64 tmp, u64 tmp_end, u32 n_docs)
{
    GX_CLEAR(m);
    m->base = base;
    m->run = (gx_run *)(base + GX_RUN_OFF);
    m->result = (gx_result *)base;
    m->top = top;
    m->top_end = top_end;
    m->tmp = tmp;
    m->tmp_end = tmp_end;
    m->n_docs = n_docs;
}

#if defined GX_TEAM_SOLO || defined GX_TEAM_THREADS
#define GX_REGISTERS (sizeof(gx_m) - offsetof(gx_m, base))
_Static_assert(GX_REGISTERS <= 8 * GX_HANDED_WORDS, "a gx_handed has room for the registers");

/* A member's registers from what another team holds, after gx_m_start */
GX_OP void gx_m_take(gx_m *m, const gx_handed *held)
{
    if (held->any)
        memcpy(&m->base, held->words, GX_REGISTERS);
    m->turns = 1;
    m->turn_look = held->look;
    m->turn_long = held->long_one;
    m->turn_short = held->short_one;
    m->ran = 0;
    m->ran_since = 0;
}
GX_OP void gx_m_hold(const gx_m *m, gx_handed *held)
{
    held->any = m->held != 0;
    memcpy(held->words, &m->base, GX_REGISTERS);
}
#endif

/* One member fills in everything but host, deadline and documents; there is room for one of these. The first GX_RUN_END
 * bytes of the arena are zero. */
GX_OP gx_status gx_run_fill(gx_m *m, const gx_program *p, u32 recursion, u64 steps)
{
    gx_run *r = m->run;
    const char words[] = "truefalsebooleannumberstringnode-setRTF";      /* gx_bool_str, GX_F_OBJECT_TYPE */
    char *w;

    m->result->magic = GX_RESULT_MAGIC;
    r->program = p;
    r->lits = GX_PROG_TAB(p, gx_lit, lits);
    r->lit_at = GX_STR_AT(GX_SPACE_PROG, 0);
    r->ops = GX_PROG_TAB(p, gx_op, ops);
    r->exprs = GX_PROG_TAB(p, gx_expr, exprs);
    r->twigs = GX_PROG_TAB(p, gx_twig, twigs);
    r->twig_nodes = GX_PROG_TAB(p, gx_twig_node, twig_nodes);
    r->nums = GX_PROG_TAB(p, double, nums);
    r->psteps = GX_PROG_TAB(p, gx_pstep, psteps);
    r->patterns = GX_PROG_TAB(p, gx_pattern, patterns);
    r->rules = GX_PROG_TAB(p, gx_rule, rules);
    r->candidates = GX_PROG_TAB(p, u32, candidates);
    r->dispatch = GX_PROG_TAB(p, gx_range, dispatch);
    r->modes = GX_PROG_TAB(p, gx_mode, modes);
    r->instrs = GX_PROG_TAB(p, gx_instr, instrs);
    r->bodies = GX_PROG_TAB(p, gx_body, bodies);
    r->branches = GX_PROG_TAB(p, gx_branch, branches);
    r->with_params = GX_PROG_TAB(p, gx_with_param, with_params);
    r->sorts = GX_PROG_TAB(p, gx_sort, sorts);
    r->numbers = GX_PROG_TAB(p, gx_number, numbers);
    r->globals = GX_PROG_TAB(p, gx_global, globals);
    r->functions = GX_PROG_TAB(p, gx_function, functions);
    r->keys = GX_PROG_TAB(p, gx_key, keys);
    r->space[0] = m->base;
    r->space[GX_SPACE_PROG] = (const char *)p;
    r->space[GX_SPACE_ARENA] = m->base;
    r->step_limit = steps;
    r->max_recursion = recursion;
    for (int i = 0; i < 4; i++)
        r->ones[i] = 1;
    r->bits[4] = 1;
    r->root_context = GX_REF_OF(m, r->zero);
    r->one_ref = GX_REF_OF(m, r->ones);
    GX_KEEP_ALONE(m, r->global_cols, gx_col, p->globals.n);
    GX_KEEP_ALONE(m, r->zero_str, gx_str, 1);
    GX_KEEP_ALONE(m, w, char, sizeof words);
    GX_TMP_ALONE(m, r->views, gx_view, 1);
    GX_TMP_ALONE(m, r->global_state, u8, p->globals.n);
    GX_TMP_ALONE(m, r->rooms, gx_rooms, 1);
    GX_TMP_ALONE(m, r->onces, gx_once, GX_ONCES);
    GX_TMP_ALONE(m, r->doc_refs, u32, gx_doc_refs(p));
    if (p->flags & GX_P_COPIES) {
        GX_TMP_ALONE(m, r->copies, gx_copies, p->modes.n);
        gx_zero(r->copies, p->modes.n * sizeof *r->copies);
    }
    gx_zero(r->global_cols, p->globals.n * sizeof(gx_col));
    gx_zero(r->global_state, p->globals.n);
    GX_CLEAR(r->rooms);
    gx_zero(r->onces, GX_ONCES * sizeof *r->onces);
    gx_zero(r->doc_refs, 4 * (u64)gx_doc_refs(p));
    GX_CLEAR(r->zero_str);
    memcpy(w, words, sizeof words);
    r->words_at = (u64)(w - m->base);
    return GX_OK;
}

/* The global parameter number k is the string text[0 .. len): by one member, after gx_run_fill (XSLT 1.0, 11.4) */
GX_OP gx_status gx_run_param(gx_m *m, u32 k, const char *text, u32 len)
{
    char *bytes;
    gx_str *s;
    gx_col *c = &m->run->global_cols[k];

    GX_KEEP_ALONE(m, s, gx_str, 1);
    GX_KEEP_ALONE(m, bytes, char, len);
    memcpy(bytes, text, len);
    *s = gx_arena_str(m, bytes, len);
    GX_CLEAR(c);
    c->type = GX_T_STR;
    c->is_const = 1;
    c->n = 1;
    c->a = GX_REF_OF(m, s);
    m->run->global_state[k] = 2;
    return GX_OK;
}

/* Parameters as they travel to a team on another device: a block of its own, resolved to globals (gx_params_pack,
 * gx.h) */
typedef struct gx_packed_param { u32 global, off, len, pad; } gx_packed_param;    /* off: from the block's start */
typedef struct gx_packed_params { u32 n, pad; u64 size; gx_packed_param at[1]; } gx_packed_params;

GX_OP gx_status gx_run_packed_params(gx_m *m, const gx_packed_params *p)
{
    for (u32 i = 0; i < p->n; i++)
        GX_TRY(gx_run_param(m, p->at[i].global, (const char *)p + p->at[i].off, p->at[i].len));
    return GX_OK;
}

#endif
