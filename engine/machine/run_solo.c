/* run_solo.c -- the machine for a team of one: the calling thread */
#define GX_TEAM_SOLO
#include "run.h"
#include "start.h"
#include "run_team.h"

gx_status gx_solo_run(const gx_start *start)
{
    gx_m m;

    gx_m_start(&m, start->base, start->top, start->top_end, start->tmp, start->tmp_end, start->n_docs);
    return gx_machine(&m);
}
