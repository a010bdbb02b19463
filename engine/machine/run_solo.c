/* SPDX-License-Identifier: Apache-2.0 */
/* run_solo.c -- the machine for a team of one: the calling thread */
#define GX_TEAM_SOLO
#include "bind.h"
#include "run.h"
#include "start.h"
#include "run_team.h"
#include "solo.h"

gx_status gx_solo_run(const gx_start *start, gx_handed *held)
{
    gx_m m;

    gx_m_start(&m, start->base, start->top, start->top_end, start->tmp, start->tmp_end, start->n_docs);
    if (held)
        gx_m_take(&m, held);
    const gx_status status = gx_machine(&m);
    if (held)
        gx_m_hold(&m, held);
    return status;
}

gx_status gx_solo_bind(gx_m *m, const gx_doc *doc, u32 k) { return gx_view_bind(m, doc, k); }
gx_status gx_solo_eval(gx_m *m, u32 expr, const gx_env *env, gx_v *out) { return gx_eval(m, expr, env, out); }
gx_status gx_solo_order(gx_m *m, gx_v *v) { return gx_v_order(m, v); }
gx_status gx_solo_strings(gx_m *m, gx_v *v, u32 n) { return gx_to_str(m, v, n); }
gx_status gx_solo_fragments(gx_m *m, gx_v *v, u32 n) { return gx_v_fragments(m, v, n); }
