/* SPDX-License-Identifier: Apache-2.0 */
/*
 * joining.h -- JOIN's scope: the sets that rows share, their candidates, and how a join gives its value (join.h)
 */
#ifndef GX_MACHINE_JOINING_H
#define GX_MACHINE_JOINING_H

#include "axis.h"
#include "budget.h"
#include "candidates.h"
#include "collect.h"
#include "column.h"
#include "domain.h"
#include "index.h"
#include "machine.h"
#include "memory.h"
#include "merge.h"
#include "nodes.h"
#include "order.h"
#include "text.h"
#include "value.h"

typedef struct gx_joining {
    const gx_join *sets;
    gx_v *value, *use;          /* of the rows, of the candidates; two of each where op_two is not 0 */
    const u32 *ids;             /* the candidates */
    u32 op, op_two, rows, total;        /* total: candidates */
    int count;                  /* how many they are is asked for */
    int unordered;                  /* they may be in any order */
    u32 most;                   /* no more than so many of a row are, in document order; 0: all are */
    int last;                   /* ... the last ones */
} gx_joining;

GX_OP u32 gx_join_set(const gx_join *j, u32 r) { return j->one ? 0 : j->of_row ? j->of_row[r] : r; }

/* *inner: the candidates' scope. Rows whose ranges are the same share a set: a variable's, seen from frames below its
 * own, or what a value finds. */
GX_OP_BIG gx_status gx_join_open(gx_m *m, const gx_scope *outer, const gx_v *set, gx_scope *inner)
{
    const u32 n = outer->n, *heads;
    u32 *starts, n_sets = 1;
    gx_v sets = *set;

    GX_CLEAR(inner);
    inner->join.tmp = m->tmp;
    inner->join.one = set->is_const;
    if (set->is_const) {
        GX_TRY(gx_v_flat(m, &sets, n));
        sets.is_const = 0;
    } else {
        GX_TMP(m, starts, u32, (u64)n + 1);
        TEAM_FOR(&m->t, i, n) {
            u32 b, e, b0 = 0, e0 = 0;
            gx_v_range(set, i, &b, &e);
            if (i)
                gx_v_range(set, i - 1, &b0, &e0);
            starts[i] = !i || b != b0 || e != e0;
        }
        GX_TRY(gx_runs(m, starts, n, &n_sets, &heads, &inner->join.of_row));
        if (set->cnt && n_sets > 8) {   /* ranges of one list: each that there is once, however its rows are spread */
            gx_domain d;
            GX_TRY(gx_domain_of_ranges(m, set, n, &d));
            n_sets = d.n;
            heads = d.heads;
            inner->join.of_row = d.of_row;
        }
        GX_TRY(gx_v_gather(m, &sets, heads, n_sets));
        GX_TRY(gx_v_dense(m, &sets, n_sets));
    }
    GX_TRY(gx_v_offsets(m, &sets, n_sets));
    inner->join.off = sets.off;
    inner->join.n = n_sets;
    inner->n = sets.off[n_sets];
    inner->context = (const u32 *)sets.data;
    return GX_OK;
}

/* *out: the rows' nodes, ids[off[r]] and on; or how many they are: n[r], else as off says. (Of what is only counted
 * there may be more than off could say.) */
GX_OP_BIG gx_status gx_join_out(gx_m *m, const gx_joining *j, const u32 *n, const u32 *off, u32 *ids, gx_v *out)
{
    double *d;

    if (!j->count) {
        *out = gx_v_make(GX_T_SET, j->rows, ids);
        out->off = off;
        return GX_OK;
    }
    GX_TMP(m, d, double, j->rows);
    TEAM_FOR(&m->t, r, j->rows)
        d[r] = n ? n[r] : off[r + 1] - off[r];
    team_sync(&m->t);
    *out = gx_v_make(GX_T_NUM, j->rows, d);
    return GX_OK;
}

#endif
