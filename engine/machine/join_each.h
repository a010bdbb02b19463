/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join_each.h -- of what a join finds, the first or last few nodes of each parent
 *
 *   //row[@v > $v][last()]      /shop/g/row[@v > $v][1]
 *
 * Positions count the nodes of one parent. So each set's candidates are taken apart by their parents, and a row becomes
 * as many rows as its set has parents: each of these keeps the first or last few of one parent's (join_ends.h), and
 * what they keep is put together again. In a list of all that the join finds, each row would have most nodes.
 *
 *   set 0: a1 a2 b1 b2 b3      set 0: a1 a2    set 1: b1 b2 b3
 *   row 0: set 0               row 0: set 0    row 1: set 1
 *   row 1: set 0               row 2: set 0    row 3: set 1
 *
 * Cost: rows x parents, so where these are nearly as many as the nodes it is not done: then all are found, as before.
 */
#ifndef GX_MACHINE_JOIN_EACH_H
#define GX_MACHINE_JOIN_EACH_H

#include "candidates.h"
#include "joining.h"

/* A join as one of rows and parents: from[r] is where the rows that r became begin */
typedef struct gx_join_each {
    int made;                   /* 0: it stays as it is */
    gx_joining j;
    gx_join sets;
    gx_v values[2], uses[2];
    const u32 *from;
} gx_join_each;

/*
 * For a join of which the first few of each parent's are wanted: the sets are taken apart by parent, and each row
 * becomes one for each parent of its set. out->j: the join of these rows; values and uses are gathered for it. pairs:
 * of all rows and their candidates.
 *
 * out->made 0: each set has one parent, so the join is as it stands; or there would be more than an eighth as many rows
 * as pairs, and it is cheaper to find all and cut. O(candidates x log + rows made). Complete for everyone. Fails with
 * GX_EARENA.
 */
GX_OP_BIG gx_status gx_join_each_open(gx_m *m, const gx_joining *j, u64 pairs, gx_join_each *out)
{
    const u32 n = j->sets->n, two = j->op_two != 0;
    u32 *from, *row, *of_row, *at, rows;
    gx_v parts = gx_v_make(GX_T_SET, n, (void *)j->ids);
    u64 wanted = 0;

    out->made = 0;
    parts.off = j->sets->off;
    GX_TRY(gx_part_by_parent(m, &parts, 0, n));
    if (parts.type != GX_V_CAND)                /* of one parent each */
        return GX_OK;
    TEAM_FOR(&m->t, r, j->rows) {
        const u32 s = gx_join_set(j->sets, r);
        wanted += parts.row[s + 1] - parts.row[s];
    }
    wanted = team_sum(&m->t, wanted);
    if (wanted > pairs / 8)
        return GX_OK;
    GX_TMP(m, from, u32, (u64)j->rows + 1);
    TEAM_FOR(&m->t, r, j->rows) {
        const u32 s = gx_join_set(j->sets, r);
        from[r] = parts.row[s + 1] - parts.row[s];
    }
    GX_TRY(gx_scan(m, from, j->rows, &rows));
    GX_TMP(m, row, u32, rows);
    GX_TMP(m, of_row, u32, rows);
    GX_TMP(m, at, u32, j->total);
    gx_expand_rows(m, from, j->rows, row);
    TEAM_FOR(&m->t, k, rows)
        of_row[k] = parts.row[gx_join_set(j->sets, row[k])] + k - from[row[k]];
    TEAM_FOR(&m->t, k, j->total) {              /* where each candidate stood */
        const u32 s = n == 1 ? 0 : gx_row_of(j->sets->off, n, k);
        at[k] = gx_index_lower(j->ids, j->sets->off[s], j->sets->off[s + 1], ((const u32 *)parts.data)[k]);
    }
    team_sync(&m->t);
    for (u32 i = 0; i <= two; i++) {
        out->values[i] = j->value[i];
        out->uses[i] = j->use[i];
        GX_TRY(gx_v_gather(m, &out->values[i], row, rows));
        GX_TRY(gx_v_gather(m, &out->uses[i], at, j->total));
    }
    out->sets = *j->sets;
    out->sets.n = parts.n_seg;
    out->sets.one = 0;
    out->sets.of_row = of_row;
    out->sets.off = parts.off;
    out->j = *j;
    out->j.sets = &out->sets;
    out->j.value = out->values;
    out->j.use = out->uses;
    out->j.ids = (const u32 *)parts.data;
    out->j.rows = rows;
    out->from = from;
    out->made = 1;
    return GX_OK;
}

/* What the rows and parents found, as what j's rows did */
GX_OP_BIG gx_status gx_join_each_close(gx_m *m, const gx_joining *j, const gx_join_each *each, gx_v *v)
{
    u32 *off;

    GX_TRY(gx_v_dense(m, v, each->j.rows));
    GX_TRY(gx_v_offsets(m, v, each->j.rows));
    GX_TMP(m, off, u32, (u64)j->rows + 1);
    TEAM_FOR(&m->t, r, j->rows + 1)
        off[r] = v->off[each->from[r]];
    team_sync(&m->t);
    *v = gx_v_make(GX_T_SET, j->rows, v->data);
    v->off = off;
    return gx_v_order(m, v);
}

#endif
