/*
 * call.h -- calls of the stylesheet's functions that an instruction has made
 *
 * A call takes frames, so it opens a level (function.h), and the instruction begins again when its value is there. Beginning again,
 * the expression meets the same calls in the same order: the k-th one that it meets has the k-th value of this list.
 *
 *   1st run   f(x) + g(y)     f is not in the list: GX_NEED
 *   2nd run   f(x) + g(y)     f's value; g is not in the list: GX_NEED
 *   3rd run   f(x) + g(y)     both: done, the list is dropped
 *
 * So k calls cost k + 1 runs of the instruction. What an instruction keeps for itself between its runs (a parameter's value, a key's
 * index) is not evaluated again: the calls met for it are dropped from the list when it is kept.
 */
#ifndef GX_OP_CALL_H
#define GX_OP_CALL_H

#include "machine.h"

typedef struct gx_made_call { gx_col value; u32 function, n, next, pad; } gx_made_call;      /* n: rows; next: ref */

/* The instruction begins, or begins again. */
GX_OP void gx_calls_rewind(gx_m *m) { m->calls_next = m->calls_first; m->calls_met = 0; }

/* The instruction has ended. */
GX_OP void gx_calls_clear(gx_m *m) { m->calls_first = m->calls_last = m->calls_next = m->calls_met = 0; }

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
