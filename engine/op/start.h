/* start.h -- a member's registers at the start of an evaluation */
#ifndef GX_OP_START_H
#define GX_OP_START_H

#include "machine.h"

GX_OP void gx_m_start(gx_m *m, char *base, u64 run_off, u64 top, u64 top_end, u64 tmp, u64 tmp_end, u32 n_docs)
{
    memset(m, 0, sizeof *m);
    m->base = base;
    m->run = (gx_run *)(base + run_off);
    m->result = (gx_result *)base;
    m->top = top;
    m->top_end = top_end;
    m->tmp = tmp;
    m->tmp_end = tmp_end;
    m->n_docs = n_docs;
}

#endif
