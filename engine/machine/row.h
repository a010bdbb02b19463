/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row.h -- a row of a column as a string, a number or a truth
 *
 * O(1), but for the string-value that a number is read from (gx_row_work).
 */
#ifndef GX_MACHINE_ROW_H
#define GX_MACHINE_ROW_H

#include "budget.h"
#include "column.h"
#include "machine.h"
#include "nodes.h"
#include "number.h"

GX_OP u32 gx_v_rows(const gx_v *v, u32 n) { return v->is_const ? 1 : n; }

GX_OP gx_str gx_bool_str(const gx_m *m, int truth)
{
    u64 at = GX_STR_AT(GX_SPACE_ARENA, m->run->words_at);
    return truth ? gx_str_make(at, 4) : gx_str_make(at + 4, 5);
}

GX_OP gx_str gx_first_str(const gx_m *m, const gx_v *v, u32 r)
{
    u32 node = gx_v_first(v, r);
    return node == GX_NONE ? gx_str_none() : gx_node_str(gx_view_of(m, node), node);
}

/* row r of a STR, SET, RTF or BOOL column as a string (NUM: not here, it needs memory) */
GX_OP gx_str gx_row_str(const gx_m *m, const gx_v *v, u32 r)
{
    r = GX_ROW(v, r);
    switch (v->type) {
    case GX_T_STR: return ((const gx_str *)v->data)[r];
    case GX_T_SET: return gx_first_str(m, v, r);
    case GX_T_RTF: return v->str ? v->str[v->merged ? 0 : r] : gx_str_none();
    case GX_T_BOOL: return gx_bool_str(m, ((const u8 *)v->data)[r]);
    default: return gx_str_none();
    }
}
/* .. of a column of strings, as gx_convert makes arguments */
GX_OP gx_str gx_str_at(const gx_v *v, u32 r) { return ((const gx_str *)v->data)[GX_ROW(v, r)]; }
/* For gx_watch_late: what it costs to run through that string */
GX_OP u64 gx_row_work(const gx_m *m, const gx_v *v, u32 r)
{
    return v->type == GX_T_NUM || v->type == GX_T_BOOL ? 0 : GX_WATCH_BYTES(gx_row_str(m, v, r).len);
}
GX_OP double gx_str_num(const gx_m *m, gx_str s) { return gx_number_parse(gx_bytes(m, s), s.len); }
GX_OP double gx_node_num(const gx_m *m, u32 node)
{
    u32 len;
    const char *p = gx_node_bytes(gx_view_of(m, node), node, &len);
    return gx_number_parse(p, len);
}
GX_OP u64 gx_node_work(const gx_m *m, u32 node)
{
    return 1 + GX_WATCH_BYTES(gx_node_str(gx_view_of(m, node), node).len);
}
GX_OP double gx_row_num(const gx_m *m, const gx_v *v, u32 r)
{
    r = GX_ROW(v, r);
    if (v->type == GX_T_NUM)
        return ((const double *)v->data)[r];
    if (v->type == GX_T_BOOL)
        return ((const u8 *)v->data)[r] ? 1.0 : 0.0;
    return gx_str_num(m, gx_row_str(m, v, r));
}
GX_OP int gx_row_bool(const gx_m *m, const gx_v *v, u32 r)
{
    u32 b, e;

    (void)m;
    switch (v->type) {
    case GX_T_BOOL: return ((const u8 *)v->data)[GX_ROW(v, r)];
    case GX_T_NUM: {
        double d = ((const double *)v->data)[GX_ROW(v, r)];
        return !(d == 0 || gx_is_nan(d));
    }
    case GX_T_STR: return ((const gx_str *)v->data)[GX_ROW(v, r)].len != 0;
    case GX_T_SET:
        gx_v_range(v, r, &b, &e);
        return b < e;
    default: return 1;          /* a result tree fragment is a node-set with a root node */
    }
}

#endif
