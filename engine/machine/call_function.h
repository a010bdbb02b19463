/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_function.h -- functions of the stylesheet: EXSLT's func:function and func:result
 *
 * A call is one frame a row: its context is the call's, its parameters are columns. The frames are a level of their
 * own; when its queue is empty the value is put together from the func:results that were instantiated, which is at most
 * one a frame, in it or in a frame of one of its nested bodies:
 *
 *   function        row 0: RESULT      row 1: IF ---> branch row 0: CHOOSE ---> branch row 4: RESULT       row 2: none
 *   found           slot, 0            slot of the inner branch, 4                                         nothing
 *
 * One column, so one type for all rows of a call. With results of several types:
 *   - the operator behind the call converts to a string, number or boolean: each row is converted by itself, exactly;
 *   where it wants
 *     a node-set, whatever is neither that nor the empty string is an error
 *   - no func:result, and the empty string: an empty node-set where the others are node-sets (every conversion of it is
 *   the same),
 *     an empty fragment where they are fragments
 *   - numbers and strings: strings
 *   - anything else: an error, since a conversion would lose nodes or turn false() into a true string
 */
#ifndef GX_MACHINE_FUNCTION_H
#define GX_MACHINE_FUNCTION_H

#include "call.h"
#include "column.h"
#include "functions.h"
#include "machine.h"
#include "memory.h"
#include "result.h"
#include "store.h"
#include "strings.h"
#include "value.h"

typedef struct gx_found { u32 col, row, n; } gx_found;          /* a func:result: ref of its column, its row there; how
                                                                   many there are */

GX_OP gx_str gx_function_name(const gx_m *m, u32 function)
{
    return gx_lit_str(m, GX_PROG_TAB(m->run->program, gx_qname, qnames)[m->run->functions[function].name].local);
}

/* gx_store, also of sets that were gathered: ranges over scratch ids are made dense first. As gx_store(). */
GX_OP_BIG gx_status gx_store_any(gx_m *m, gx_v *v, u32 n, gx_col *out)
{
    if (v->type == GX_T_SET && v->data != (void *)m->base)
        GX_TRY(gx_v_flat(m, v, n));
    return gx_store(m, v, n, out);
}

/* The value of one of the functions that give something else each time (gx_is_fresh: random numbers, new trees):
 * evaluated once while the instruction runs, and remembered with its calls, so that the instruction gets the same value
 * when it begins again after GX_NEED. Cost and errors are the function's, and GX_EARENA. */
GX_OP_BIG gx_status gx_call_fresh(gx_eval_state *e, u32 func, u32 argc, gx_v *args, gx_v *out)
{
    gx_m *m = e->m;
    const gx_made_call *made;
    gx_col c;

    GX_TRY(gx_calls_meet(m, GX_CALL_FRESH + func, e->scope->n, &made));
    if (made) {
        gx_v_load(m, &made->value, out);
        return GX_OK;
    }
    GX_TRY(gx_call(e, func, argc, args, out));
    GX_TRY(gx_store_any(m, out, e->scope->n, &c));
    GX_TRY(gx_calls_add(m, GX_CALL_FRESH + func, e->scope->n, c));
    m->calls_met = m->calls_last;
    return GX_OK;
}

/* The value of a function of the stylesheet for the n rows of the scope, from its argc arguments. want: the type that
 * the next operator converts to, or GX_T_ANY. The first time: keeps arguments and rows, and says GX_NEED; the machine
 * runs the body's frames for all rows at once. When the instruction begins again, the call is met in the order in
 * which it was made, and *out is its value. O(rows) beside the body. Fails with GX_EARENA, and with GX_EDYNAMIC where
 * other calls are met than before. */
GX_OP_BIG gx_status gx_call_function(gx_eval_state *e, u32 function, u32 argc, u32 want, gx_v *args, gx_v *out)
{
    gx_m *m = e->m;
    const gx_scope *s = e->scope;
    const gx_function *f = &m->run->functions[function];
    const gx_body *body = &m->run->bodies[f->body];
    const gx_made_call *made;
    gx_params *params = NULL;
    u32 n = s->n, *context, *position = NULL, *size = NULL;

    if (!n) {                                   /* candidates of a predicate that are all gone: nobody calls */
        *out = gx_v_make(GX_T_SET, 0, m->run->zero);
        out->off = m->run->zero;
        return GX_OK;
    }
    GX_TRY(gx_calls_meet(m, function, n, &made));
    if (made) {
        gx_v_load(m, &made->value, out);
        return GX_OK;
    }
    if (argc) {
        const u64 bytes = sizeof *params + (u64)argc * sizeof(gx_param_value);
        params = (gx_params *)gx_keep(m, bytes);
        if (!params)
            return gx_full(m);
        if (team_rank(&m->t) == 0)
            gx_zero(params, bytes);
    }
    for (u32 k = 0; k < argc; k++) {
        gx_col c;
        GX_TRY(gx_store_any(m, &args[k], n, &c));
        if (team_rank(&m->t) == 0) {
            params->n = argc;
            params->at[k].name = m->run->instrs[body->first + k].d;
            params->at[k].col = c;
        }
    }
    context = (u32 *)gx_keep_copy(m, s->context, n, 4);
    if (body->uses_position && s->position)
        position = (u32 *)gx_keep_copy(m, s->position, n, 4);
    if (body->uses_last && s->size)
        size = (u32 *)gx_keep_copy(m, s->size, n, 4);
    if (!context || (body->uses_position && s->position && !position) || (body->uses_last && s->size && !size))
        return gx_full(m);
    team_sync(&m->t);
    m->need_kind = GX_NEED_CALL;
    m->need_index = function;
    m->need_body = f->body;
    m->need_flags = want;
    m->need_n = n;
    m->need_context = GX_REF_OF(m, context);
    m->need_position = position ? GX_REF_OF(m, position) : 0;
    m->need_size = size ? GX_REF_OF(m, size) : 0;
    m->need_params = params ? GX_REF_OF(m, params) : 0;
    return GX_NEED;
}

/* The func:results of one row of a group: its own RESULT instructions', and those of the frames that its if, choose and
 * for-each have made, which have been looked at already. n: how many there are, of which one may be; col and row: where
 * the last of them is. O(instructions of the body + kids of the row). */
GX_OP gx_found gx_found_row(const gx_m *m, const gx_group *g, u32 row)
{
    const gx_body *b = &m->run->bodies[g->body];
    gx_found found;

    found.col = found.row = found.n = 0;
    for (u32 pc = b->first, end = b->first + b->n; pc < end; pc++) {
        const gx_instr *i = &m->run->instrs[pc];
        const gx_col *slot = GX_PTR(m, const gx_col, g->slots) + i->slot;
        gx_row_kids kids;
        if (i->op == GX_I_RESULT) {
            found.col = GX_REF_OF(m, slot);
            found.row = row;
            found.n++;
            continue;
        }
        if ((i->op != GX_I_IF && i->op != GX_I_CHOOSE && i->op != GX_I_FOR_EACH) || !slot->type)
            continue;
        kids = gx_kids_of_row(m, slot, row);
        for (u32 k = kids.from; k < kids.to; k++) {
            gx_kid kid = gx_kid_at(&kids, k);
            if (kid.chunk == GX_NONE || !kid.chunk)
                continue;
            const gx_chunk *c = GX_PTR(m, const gx_chunk, kid.chunk);
            const gx_found *inner =
                GX_PTR(m, const gx_found, GX_PTR(m, const gx_group, c->group)->len) + c->row0 + kid.row;
            if (inner->n) {
                found.col = inner->col;
                found.row = inner->row;
                found.n += inner->n;
            }
        }
    }
    return found;
}

/* found[r] := the func:result of row r of chunk (0: no frames), n rows. last: the group made last in the level. Groups
 * are visited from the last one made back to the first: nested ones come before those that hold them, so one pass is
 * enough and nothing recurses. O(frames of the level x instructions). Complete for everyone. Fails with GX_EARENA, and
 * with GX_EDYNAMIC where a row has two (EXSLT func:result: at most one). */
GX_OP_BIG gx_status gx_find_results(gx_m *m, u32 chunk, u32 n, u32 last, u32 function, gx_found *found)
{
    const gx_found *all;
    u32 twice = 0;

    /* last made first: nested ones */
    for (u32 ref = chunk ? last : 0; ref; ref = GX_PTR(m, gx_group, ref)->made) {
        gx_group *g = GX_PTR(m, gx_group, ref);
        gx_found *rows;
        GX_TMP(m, rows, gx_found, g->n);
        if (team_rank(&m->t) == 0)
            g->len = GX_REF_OF(m, rows);
        TEAM_FOR(&m->t, r, g->n)
            rows[r] = gx_found_row(m, g, r);
        team_sync(&m->t);
    }
    all = chunk ? GX_PTR(m, const gx_found, GX_PTR(m, gx_group, GX_PTR(m, gx_chunk, chunk)->group)->len) : NULL;
    TEAM_FOR(&m->t, r, n) {
        found[r].col = found[r].row = found[r].n = 0;
        if (all)
            found[r] = all[r];
        twice |= found[r].n > 1;
    }
    if (team_any(&m->t, (int)twice)) {
        m->where = m->run->functions[function].where;
        return gx_raise(m, GX_EDYNAMIC, GX_RE_RESULTS, gx_function_name(m, function));
    }
    team_sync(&m->t);
    return GX_OK;
}

/* Which types there are: bit t for GX_T_*, bit 0 for rows whose value is the empty string. The same for every
 * member. */
GX_OP_BIG u32 gx_found_types(gx_m *m, const gx_found *found, u32 n)
{
    u32 mine = 0, all = 0;

    TEAM_FOR(&m->t, r, n) {
        u32 bit = 0;
        if (found[r].n) {
            gx_v v;
            gx_v_load(m, GX_PTR(m, const gx_col, found[r].col), &v);
            if (v.type != GX_T_STR || gx_row_str(m, &v, found[r].row).len)
                bit = v.type;
        }
        mine |= 1u << bit;
    }
    for (u32 bit = 0; bit <= GX_T_RTF; bit++)
        all |= (u32)team_any(&m->t, mine >> bit & 1) << bit;
    return all;
}

/* The one type for these (a bit each, bit 0 for empty strings); GX_T_ANY: there is none (see this file's head).
 * O(1). */
GX_OP u32 gx_common_type(u32 types)
{
    u32 others = types & ~1u;

    if (others == 1u << GX_T_SET || others == 1u << GX_T_RTF)
        return others == 1u << GX_T_SET ? GX_T_SET : GX_T_RTF;
    if (!(others & ~(1u << GX_T_NUM | 1u << GX_T_STR)) && (others != 1u << GX_T_NUM || types & 1))
        return GX_T_STR;
    for (u32 t = GX_T_BOOL; t <= GX_T_RTF; t++)
        if (types == 1u << t)
            return t;
    return GX_T_ANY;
}

/* The value of row r as a column of its own type; without a func:result the empty string (EXSLT) */
GX_OP gx_v gx_found_value(const gx_m *m, gx_found f)
{
    gx_v v;

    if (f.n)
        gx_v_load(m, GX_PTR(m, const gx_col, f.col), &v);
    else {
        v = gx_v_make(GX_T_STR, 1, m->run->zero_str);
        v.is_const = 1;
    }
    return v;
}

/* *out := the call's column of n rows, kept. chunk: its frames; last: the group made last. want: GX_T_ANY, or the
 * type that every row is converted to. Rows without a func:result are "". O(frames to find the results, and rows).
 * Fails with GX_EARENA, and with GX_EDYNAMIC where rows differ in type and no type is wanted, or where a node-set is
 * wanted and a row has another type. A few lines more than 100: a column of each type is made in its own way, and
 * none has anything in common with another. */
GX_OP_BIG gx_status gx_function_value(gx_m *m, u32 chunk, u32 n, u32 last, u32 function, u32 want, gx_col *out)
{
    gx_found *found;
    u32 type = want, types;
    gx_col c;

    GX_TMP(m, found, gx_found, n);
    GX_TRY(gx_find_results(m, chunk, n, last, function, found));
    if (want == GX_T_ANY || want == GX_T_SET) {
        types = gx_found_types(m, found, n);
        if (want == GX_T_ANY)
            type = gx_common_type(types);
        else if (types & ~(1u | 1u << GX_T_SET))
            return gx_raise(m, GX_EDYNAMIC, GX_RE_NOT_A_SET, gx_str_none());
    }
    GX_CLEAR(&c);
    c.type = (u8)type;
    c.n = n;
    switch (type) {
    case GX_T_BOOL: {
        u8 *to;
        GX_KEEP(m, to, u8, n);
        TEAM_FOR(&m->t, r, n) {
            gx_v v = gx_found_value(m, found[r]);
            to[r] = (u8)gx_row_bool(m, &v, found[r].row);
        }
        c.a = GX_REF_OF(m, to);
        break;
    }
    case GX_T_NUM: {
        double *to;
        GX_KEEP(m, to, double, n);
        TEAM_FOR(&m->t, r, n) {
            gx_v v = gx_found_value(m, found[r]);
            to[r] = gx_row_num(m, &v, found[r].row);
        }
        c.a = GX_REF_OF(m, to);
        break;
    }
    case GX_T_STR: {
        gx_str *to;
        double *num;
        u32 numbers = 0;
        GX_KEEP(m, to, gx_str, n);
        GX_TMP(m, num, double, n);
        TEAM_FOR(&m->t, r, n) {
            gx_v v = gx_found_value(m, found[r]);
            num[r] = v.type == GX_T_NUM ? gx_row_num(m, &v, found[r].row) : 0;
            numbers |= v.type == GX_T_NUM;
        }
        if (team_any(&m->t, (int)numbers))
            GX_TRY(gx_numbers_to_str(m, num, n, to));
        TEAM_FOR(&m->t, r, n) {
            gx_v v = gx_found_value(m, found[r]);
            if (v.type != GX_T_NUM)
                to[r] = gx_row_str(m, &v, found[r].row);
        }
        c.a = GX_REF_OF(m, to);
        break;
    }
    case GX_T_SET: {
        u32 *start, *count;
        GX_KEEP(m, start, u32, n);
        GX_KEEP(m, count, u32, n);
        TEAM_FOR(&m->t, r, n) {
            gx_v v = gx_found_value(m, found[r]);
            u32 b = 0, e = 0;
            if (v.type == GX_T_SET)
                gx_v_range(&v, found[r].row, &b, &e);
            start[r] = GX_REF_OF(m, v.data) + b;
            count[r] = e - b;
        }
        c.a = GX_REF_OF(m, start);
        c.b = GX_REF_OF(m, count);
        break;
    }
    case GX_T_RTF: {
        gx_kid *kid;
        gx_str *str;
        GX_KEEP(m, kid, gx_kid, n);
        GX_KEEP(m, str, gx_str, n);
        TEAM_FOR(&m->t, r, n) {
            gx_v v = gx_found_value(m, found[r]);
            u32 at = GX_ROW(&v, found[r].row);
            kid[r].chunk = GX_NONE;
            kid[r].row = 0;
            if (v.type == GX_T_RTF)
                kid[r] = gx_v_kid(&v, at);
            str[r] = gx_row_str(m, &v, at);
        }
        c.a = GX_REF_OF(m, kid);
        c.b = GX_REF_OF(m, str);
        break;
    }
    default:
        return gx_raise(m, GX_EDYNAMIC, GX_RE_MIXED, gx_function_name(m, function));
    }
    team_sync(&m->t);
    *out = c;
    return GX_OK;
}

#endif
