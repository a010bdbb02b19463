/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.h -- calls of the stylesheet's functions that an instruction has made
 *
 * A call takes frames, so it opens a level (machine/call_function.h), and the instruction begins again when its value
 * is there. Beginning again, the expression meets the same calls in the same order: the k-th one that it meets has the
 * k-th value of this list.
 *
 *   1st run   f(x) + g(y)     f is not in the list: GX_NEED
 *   2nd run   f(x) + g(y)     f's value; g is not in the list: GX_NEED
 *   3rd run   f(x) + g(y)     both: done, the list is dropped
 *
 * So k calls cost k + 1 runs of the instruction. What an instruction keeps for itself between its runs (a parameter's
 * value, a key's index) is not evaluated again: the calls met for it are dropped from the list when it is kept.
 *
 * Functions that make trees, and math:random(), are in the list too: once made, a tree or a number stays the same, and
 * there may be only so many trees.
 */
#ifndef GX_MACHINE_CALL_H
#define GX_MACHINE_CALL_H

#include "machine.h"
#include "memory.h"
#include "result.h"

/* function: of the stylesheet, or GX_CALL_FRESH + a gx_func; n: rows; next: ref */
typedef struct gx_made_call { gx_col value; u32 function, n, next, pad; } gx_made_call;
#define GX_CALL_FRESH 0x80000000u

/* Does it give something else each time that it is evaluated: a new tree, a random number? */
GX_OP int gx_is_fresh(u32 func)
{
    return (gx_function_traits(func) & GX_FT_FRESH) != 0;
}

/* The instruction begins, or begins again. */
GX_OP void gx_calls_rewind(gx_m *m) { m->calls_next = m->calls_first; m->calls_met = 0; }

/* The instruction has ended. */
GX_OP void gx_calls_clear(gx_m *m) { m->calls_first = m->calls_last = m->calls_next = m->calls_met = 0; }

/* The next call of the list, which must be the one that is met now, or NULL: it has not been made. */
GX_OP_BIG gx_status gx_calls_meet(gx_m *m, u32 function, u32 n, const gx_made_call **made)
{
    *made = m->calls_next ? GX_PTR(m, const gx_made_call, m->calls_next) : NULL;
    if (!*made)
        return GX_OK;
    if ((*made)->function != function || (*made)->n != n)
        return gx_raise(m, GX_EDYNAMIC, GX_RE_CHANGED, gx_str_none());
    m->calls_met = m->calls_next;
    m->calls_next = (*made)->next;
    return GX_OK;
}

/* Appends a call: at the list's end, where the running instruction is or begins again. */
GX_OP_BIG gx_status gx_calls_add(gx_m *m, u32 function, u32 n, gx_col value)
{
    gx_made_call *made;
    u32 ref;

    GX_KEEP(m, made, gx_made_call, 1);
    ref = GX_REF_OF(m, made);
    team_sync(&m->t);                   /* all members have seen the list's end (gx_calls_meet) */
    if (team_rank(&m->t) == 0) {
        made->value = value;
        made->function = function;
        made->n = n;
        made->next = made->pad = 0;
        if (m->calls_last)
            GX_PTR(m, gx_made_call, m->calls_last)->next = ref;
    }
    m->calls_last = ref;
    if (!m->calls_first)
        m->calls_first = ref;
    team_sync(&m->t);
    return GX_OK;
}

/* Drops the calls met since `met` (m->calls_met of then). */
GX_OP void gx_calls_drop(gx_m *m, u32 met)
{
    if (m->calls_met == met)
        return;
    team_sync(&m->t);
    if (!met)
        m->calls_first = m->calls_next;
    else if (team_rank(&m->t) == 0)
        GX_PTR(m, gx_made_call, met)->next = m->calls_next;
    if (!m->calls_next)
        m->calls_last = met;
    m->calls_met = met;
    team_sync(&m->t);
}

#endif
