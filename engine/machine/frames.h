/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frames.h -- making frames: groups, chunks, template instantiation
 */
#ifndef GX_MACHINE_FRAMES_H
#define GX_MACHINE_FRAMES_H

#include "collect.h"
#include "column.h"
#include "copies.h"
#include "machine.h"
#include "match.h"
#include "memory.h"
#include "nodes.h"
#include "result.h"
#include "store.h"

/* ---- groups ---- */

/* The transformation ends here: for who goes on otherwise, a function or a recursion without end that the message
 * stands before */
GX_OP gx_status gx_end(gx_m *m, const gx_instr *message, u32 group)
{
    m->group = group;                           /* for the error's place */
    m->where = message->where;
    return gx_raise(m, GX_ETERMINATE, GX_RE_TERMINATED,
                    message[1].op == GX_I_TEXT ? gx_lit_str(m, message[1].a) : gx_str_none());
}

typedef struct gx_frames {      /* what gx_frames_make needs; refs */
    u32 body, n, rule, depth;
    u32 parent, parent_row, context, position, size, params;
} gx_frames;

/* *chunk := ref of n new frames, queued; 0 when the body is empty or n is 0 */
GX_OP_BIG gx_status gx_frames_make(gx_m *m, const gx_frames *f, u32 *chunk)
{
    const gx_body *b = &m->run->bodies[f->body];
    u64 bytes = sizeof(gx_chunk) + sizeof(gx_group) + ((u64)b->n_slots + b->n_vars) * sizeof(gx_col) + 32;
    char *p;
    gx_chunk *c;
    gx_group *g;
    u32 ref;

    *chunk = 0;
    if (b->empty || !f->n)
        return GX_OK;
    if (f->depth > m->run->max_recursion)
        return m->last_word ? gx_end(m, &m->run->instrs[m->last_word - 1], m->last_group)
                            : gx_raise(m, GX_ELIMIT, GX_RE_RECURSION, gx_str_none());
    GX_KEEP(m, p, char, bytes);
    c = (gx_chunk *)p;
    g = (gx_group *)(p + ((sizeof *c + 15) & ~15u));
    ref = GX_REF_OF(m, c);
    if (team_rank(&m->t) == 0) {
        gx_col *slots = (gx_col *)((char *)g + ((sizeof *g + 15) & ~15u));
        gx_zero(p, bytes);
        c->group = GX_REF_OF(m, g);
        c->n = f->n;
        g->body = f->body;
        g->n = f->n;
        g->rule = f->rule;
        g->parent = f->parent;
        g->parent_row = f->parent_row;
        g->context = f->context;
        g->position = f->position;
        g->size = f->size;
        g->slots = GX_REF_OF(m, slots);
        g->vars = GX_REF_OF(m, slots + b->n_slots);
        g->params = f->params;
        g->depth = f->depth;
        g->caller = m->group;
        g->made = m->made;
        if (m->pend_last)
            GX_PTR(m, gx_chunk, m->pend_last)->next = ref;
    }
    m->made = GX_REF_OF(m, g);
    if (!m->pend_first)
        m->pend_first = ref;
    m->pend_last = ref;
    *chunk = ref;
    return GX_OK;
}

GX_OP void gx_slot_set(gx_m *m, const gx_instr *i, gx_col c)
{
    if (team_rank(&m->t) == 0)
        GX_PTR(m, gx_col, m->g->slots)[i->slot] = c;
}
GX_OP void gx_var_set(gx_m *m, u32 slot, gx_col c)
{
    if (team_rank(&m->t) == 0)
        GX_PTR(m, gx_col, m->g->vars)[slot] = c;
    team_sync(&m->t);
}
GX_OP gx_col gx_col_kids(u8 type, u32 n, u32 a, u32 b)
{
    gx_col c;

    GX_CLEAR(&c);
    c.type = a || b ? type : 0;
    c.n = n;
    c.a = a;
    c.b = b;
    return c;
}

/* out[i] = in[at[i]] of a kept u32 column, kept; ref 0 stays 0 */
GX_OP_BIG gx_status gx_take(gx_m *m, u32 ref, const u32 *at, u32 n, u32 *out)
{
    u32 *to;
    const u32 *from = GX_PTR(m, const u32, ref);

    *out = 0;
    if (!ref)
        return GX_OK;
    GX_KEEP(m, to, u32, n);
    TEAM_FOR(&m->t, i, n)
        to[i] = from[at[i]];
    team_sync(&m->t);
    *out = GX_REF_OF(m, to);
    return GX_OK;
}

/* parameters for frames whose callers are rows[0 .. n) of the running group (rows NULL: the same rows) */
GX_OP_BIG gx_status gx_params_for(gx_m *m, u32 params, const u32 *rows, u32 n, u32 *out)
{
    gx_params *from = GX_PTR(m, gx_params, params), *to;

    *out = params;
    if (!params || !rows)
        return GX_OK;
    const u64 bytes = sizeof *to + (u64)from->n * sizeof(gx_param_value);
    to = (gx_params *)gx_keep(m, bytes);
    if (!to)
        return gx_full(m);
    if (team_rank(&m->t) == 0)
        gx_zero(to, bytes);
    for (u32 k = 0; k < from->n; k++) {
        gx_col c = from->at[k].col;
        if (!c.is_const && c.type) {
            gx_v v;
            gx_v_load(m, &c, &v);
            GX_TRY(gx_v_gather(m, &v, rows, n));
            GX_TRY(gx_store(m, &v, n, &c));
        }
        if (team_rank(&m->t) == 0) {
            to->n = from->n;
            to->at[k].name = from->at[k].name;
            to->at[k].col = c;
        }
    }
    team_sync(&m->t);
    *out = GX_REF_OF(m, to);
    return GX_OK;
}

/* ---- templates for nodes ---- */

#define GX_TO_ELEMENT 0xfffffff0u       /* the built-in rule for elements and the root */
#define GX_TO_TEXT 0xfffffff1u
#define GX_TO_NOTHING 0xfffffff2u
#define GX_TO_DONE 0xfffffff3u
#define GX_TO_COPY 0xfffffff4u          /* GX_RULE_COPY */
#define GX_TO_HAS_FRAME(to) ((to) <= GX_TO_ELEMENT)

/* What is made for a node: its rule, or one of those above */
GX_OP u32 gx_apply_to(gx_m *m, u32 rule, u32 id)
{
    const gx_run *r = m->run;

    if (rule == GX_RULE_BUILTIN) {
        const u32 kind = gx_kind(gx_view_of(m, id), id);
        return kind == GX_KIND_ELEM || kind == GX_KIND_ROOT ? GX_TO_ELEMENT
            : kind == GX_KIND_TEXT || kind == GX_KIND_ATTR  ? GX_TO_TEXT
                                                            : GX_TO_NOTHING;
    }
    if (rule == GX_RULE_COPY)
        return GX_TO_COPY;
    return r->bodies[r->rules[rule].body].empty ? GX_TO_NOTHING : rule;
}

typedef struct gx_apply_args {
    u32 mode, low, high, params;
    u32 position, size;         /* refs of columns to be used as they are: apply-imports keeps the current node list. 0:
                                   the pairs' own */
} gx_apply_args;

/*
 * Instantiates a template rule for each node of set (dense, rows of the running group, already sorted). *slot: the kid
 * column. Nodes of one rule become one chunk, in the order of the pairs.
 */
GX_OP_BIG gx_status gx_apply(gx_m *m, gx_v *set, const gx_apply_args *args, gx_col *slot)
{
    const gx_run *r = m->run;
    u32 n = set->n, total = gx_v_total(set), *chosen, *to, *off, *ids, *rows = NULL, *position = NULL, *size = NULL;
    u32 differs = 0, first, use_position = 0, use_size = 0;
    gx_frames f;
    gx_kid *kids;

    GX_CLEAR(slot);
    if (!total)
        return GX_OK;
    ids = (u32 *)gx_keep_copy(m, set->data, total, 4);
    if (!ids)
        return gx_full(m);
    GX_TMP(m, chosen, u32, total);
    GX_TMP(m, to, u32, total);
    GX_TRY(gx_choose_rules(m, ids, total, args->mode, args->low, args->high, chosen));
    if (r->copies)
        GX_TRY(gx_choose_copies(m, ids, total, chosen));
    first = gx_apply_to(m, chosen[0], ids[0]);
    TEAM_FOR(&m->t, i, total) {
        to[i] = gx_apply_to(m, chosen[i], ids[i]);
        differs |= to[i] != first;
        if (to[i] < GX_TO_ELEMENT) {
            use_position |= r->bodies[r->rules[to[i]].body].uses_position;
            use_size |= r->bodies[r->rules[to[i]].body].uses_last;
        }
    }
    differs = (u32)team_any(&m->t, (int)differs);
    if (!differs && first == GX_TO_NOTHING)
        return GX_OK;
    if (differs) {                                      /* else each member met that rule alone, or none */
        use_position = (u32)team_any(&m->t, (int)use_position);
        use_size = (u32)team_any(&m->t, (int)use_size);
    } else if (first < GX_TO_ELEMENT) {
        use_position = r->bodies[r->rules[first].body].uses_position;
        use_size = r->bodies[r->rules[first].body].uses_last;
    }
    if (use_position || use_size || args->params)
        GX_TRY(gx_pair_rows(m, set, &rows));
    if (args->position || args->size) {
        position = args->position ? GX_PTR(m, u32, args->position) : NULL;
        size = args->size ? GX_PTR(m, u32, args->size) : NULL;
        use_position = use_size = 0;
    }
    if (use_position) {
        GX_KEEP(m, position, u32, total);
        TEAM_FOR(&m->t, i, total)
            position[i] = i - (set->off ? set->off[rows[i]] : i) + 1;
    }
    if (use_size) {
        GX_KEEP(m, size, u32, total);
        TEAM_FOR(&m->t, i, total)
            size[i] = set->off ? set->off[rows[i] + 1] - set->off[rows[i]] : 1;
    }
    if (set->off) {
        off = (u32 *)gx_keep_copy(m, set->off, (u64)n + 1, 4);
        if (!off)
            return gx_full(m);
    } else {
        GX_KEEP(m, off, u32, (u64)n + 1);
        TEAM_FOR(&m->t, i, n + 1)
            off[i] = i;
    }

    GX_CLEAR(&f);
    f.depth = m->g ? m->g->depth + 1 : 0;
    if (!differs && GX_TO_HAS_FRAME(first)) {             /* one rule for all: rows of one chunk */
        u32 chunk;
        f.body = first == GX_TO_ELEMENT ? r->modes[args->mode].builtin : r->rules[first].body;
        f.rule = first == GX_TO_ELEMENT ? GX_NONE : first;
        f.n = total;
        f.context = GX_REF_OF(m, ids);
        f.position = position ? GX_REF_OF(m, position) : 0;
        f.size = size ? GX_REF_OF(m, size) : 0;
        if (first != GX_TO_ELEMENT && args->params) {
            team_sync(&m->t);
            GX_TRY(gx_params_for(m, args->params, rows, total, &f.params));
        }
        GX_TRY(gx_frames_make(m, &f, &chunk));
        if (chunk)
            *slot = gx_col_kids(GX_C_KID_RANGE, n, chunk, GX_REF_OF(m, off));
        return GX_OK;
    }
    GX_KEEP(m, kids, gx_kid, total);
    TEAM_FOR(&m->t, i, total) {
        kids[i].chunk = to[i] == GX_TO_TEXT ? GX_KID_TEXT : to[i] == GX_TO_COPY ? GX_KID_COPY : GX_NONE;
        kids[i].row = ids[i];
        if (!GX_TO_HAS_FRAME(to[i]))
            to[i] = GX_TO_DONE;
    }
    team_sync(&m->t);
    for (u32 from = 0;;) {                              /* one pass for each rule that is used */
        u32 at = GX_NONE, rule, count, *index, *list, chunk;
        TEAM_FOR(&m->t, i, total)
            if (i >= from && to[i] != GX_TO_DONE) {
                at = i;
                break;
            }
        at = team_min(&m->t, at);
        if (at == GX_NONE)
            break;
        from = at + 1;
        rule = to[at];
#if TEAM_IS_SOLO
        count = 0;
        list = gx_tmp_open(m, &(u64){0});
        if ((m->tmp_end - m->tmp) / 4 < total - at)
            return gx_full(m);
        for (u32 i = at; i < total; i++)
            if (to[i] == rule)
                list[count++] = i;
        gx_tmp(m, (u64)count * 4);
        (void)index;
#else
        GX_TMP(m, index, u32, total + 1);
        TEAM_FOR(&m->t, i, total)
            index[i] = to[i] == rule;
        GX_TRY(gx_scan(m, index, total, &count));
        GX_TMP(m, list, u32, count);
        TEAM_FOR(&m->t, i, total)
            if (index[i + 1] != index[i])
                list[index[i]] = i;
        team_sync(&m->t);
#endif
        f.body = rule == GX_TO_ELEMENT ? r->modes[args->mode].builtin : r->rules[rule].body;
        f.rule = rule == GX_TO_ELEMENT ? GX_NONE : rule;
        f.n = count;
        f.params = 0;
        GX_TRY(gx_take(m, GX_REF_OF(m, ids), list, count, &f.context));
        GX_TRY(gx_take(m, position && r->bodies[f.body].uses_position ? GX_REF_OF(m, position) : 0, list, count,
                       &f.position));
        GX_TRY(gx_take(m, size && r->bodies[f.body].uses_last ? GX_REF_OF(m, size) : 0, list, count, &f.size));
        if (args->params && rule != GX_TO_ELEMENT) {
            u32 *callers;
            GX_TMP(m, callers, u32, count);
            TEAM_FOR(&m->t, i, count)
                callers[i] = rows[list[i]];
            team_sync(&m->t);
            GX_TRY(gx_params_for(m, args->params, callers, count, &f.params));
        }
        GX_TRY(gx_frames_make(m, &f, &chunk));
        TEAM_FOR(&m->t, k, count) {
            kids[list[k]].chunk = chunk ? chunk : GX_NONE;
            kids[list[k]].row = k;
            to[list[k]] = GX_TO_DONE;
        }
        team_sync(&m->t);
    }
    *slot = gx_col_kids(GX_C_KID_LIST, n, GX_REF_OF(m, kids), GX_REF_OF(m, off));
    return GX_OK;
}

#endif
