/* SPDX-License-Identifier: Apache-2.0 */
/*
 * solo.h -- the solo machine as the host's files use it: the run's start, and the operators that host steps borrow
 *
 * run_solo.c compiles the machine for a team of one member and defines these functions. A file that calls one of them
 * does not compile the machine once more. The caller's gx_m must be a solo one: the file defines GX_TEAM_SOLO (host.h
 * does it). Each function has the contract of the operator behind it.
 */
#ifndef GX_MACHINE_SOLO_H
#define GX_MACHINE_SOLO_H

#include "column.h"
#include "machine.h"

gx_status gx_solo_bind(gx_m *m, const gx_doc *doc, u32 k);                      /* gx_view_bind, bind.h */
gx_status gx_solo_eval(gx_m *m, u32 expr, const gx_env *env, gx_v *out);        /* gx_eval, eval.h */
gx_status gx_solo_order(gx_m *m, gx_v *v);                                      /* gx_v_order, order.h */
gx_status gx_solo_strings(gx_m *m, gx_v *v, u32 n);                             /* gx_to_str, value.h */
gx_status gx_solo_fragments(gx_m *m, gx_v *v, u32 n);                           /* gx_v_fragments, column.h */

#endif
