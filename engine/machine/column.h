/* SPDX-License-Identifier: Apache-2.0 */
/*
 * column.h -- columns on an expression's stack, and the scopes whose rows they have
 *
 * A column has a value for each row of a scope, or one for all rows (is_const). gx_v_range gives the nodes of a row of
 * a SET, whatever its layout; gx_v_dense, gx_v_offsets and gx_v_flat make the layout that an operator needs.
 */
#ifndef GX_MACHINE_COLUMN_H
#define GX_MACHINE_COLUMN_H

#include "collect.h"
#include "machine.h"
#include "memory.h"
#include "result.h"

#define GX_ROW(v, r) ((v)->is_const ? 0 : (r))

GX_OP void gx_v_range(const gx_v *v, u32 r, u32 *begin, u32 *end)
{
    if (v->is_const)
        r = 0;
    if (!v->off) {
        *begin = r;
        *end = r + 1;
    } else {
        *begin = v->off[r];
        *end = v->cnt ? v->off[r] + v->cnt[r] : v->off[r + 1];
    }
}

GX_OP gx_v gx_v_make(u8 type, u32 n, void *data)
{
    const gx_v v = { type, 0, 0, 0, n, 0, 0, data, NULL, NULL, { NULL } };
    return v;
}
GX_OP gx_v gx_v_none(void) { return gx_v_make(0, 0, NULL); }

typedef struct gx_parts {       /* PARTS: what is done */
    u32 done, all;              /* rows */
    u64 tmp;                    /* the scratch's top for the next part */
    u64 most;                   /* bytes that one is to take at most */
    u64 shared;                 /* the machine's, before */
    void *made;                 /* the value of all rows; a SET's offsets. NULL: all rows are one part */
    u32 *ids;                   /* SET: its nodes so far, made[done] of them */
} gx_parts;

typedef struct gx_rounds {      /* ROUNDS: what is found */
    const u32 *row;             /* the nodes of the rows, as a CAND has them; all, the nodes */
    u32 rows, all, most;        /* most: candidates of a node in this round, 0: all */
    u32 *found;                 /* by node; GX_NONE: none so far */
    u32 nth;                    /* which of those that are found is wanted, 1 the first */
    const u32 *which, *after, *seen;    /* by row of this round: the node's number, NULL: the same; the candidate it
                                   goes on behind, NULL: from the beginning; how many were found up to there */
    const u32 *off, *ids;       /* of this round's candidates, one segment a row */
    u32 n_seg, turn;
    u32 *half[2];               /* in turn: what the next round reads, of each row which, after, seen, context, map */
    u64 tmp;                    /* the scratch's top for the next round */
} gx_rounds;

typedef struct gx_join {        /* JOIN: the rows' sets */
    u32 n;
    u32 one;                    /* there is one for all rows */
    const u32 *of_row;          /* whose each row has; NULL: its own */
    const u32 *off;             /* n + 1: where a set's nodes begin among the candidates */
    u64 tmp;                    /* the scratch's top before them */
} gx_join;

/*
 * The rows an expression is evaluated for. An expression starts in scope 0, given by its caller; predicates open scopes
 * whose rows are the candidates, and map says which row of scope 0 each belongs to (NULL: the same row).
 */
typedef struct gx_scope {
    u32 n;
    u16 once;                   /* n == 1, standing for every row of the scope around it */
    u16 outer;                  /* of OUTER's own: its rows are the frame's */
    const u32 *context, *position, *size;
    const u32 *map;
    const u32 *rows;            /* WHERE: the row of the scope around it of each of the n; SIBLINGS: the other way
                                   round. NULL: the same */
    gx_rounds *rounds;          /* of ROUNDS; else NULL */
    union {                     /* who opened it knows which */
        gx_parts parts;
        gx_join join;
        u64 tmp;                /* SIBLINGS: the scratch's top before it */
    };
} gx_scope;

/* What variables and current() refer to: scope 0, and the row of the running group of each of its rows (NULL: the
 * same). */
typedef struct gx_env { gx_scope scope; const u32 *group_row; } gx_env;

/* first node of row r in document order (sets are in document order), or GX_NONE */
GX_OP u32 gx_v_first(const gx_v *v, u32 r)
{
    u32 b, e;

    gx_v_range(v, r, &b, &e);
    return b < e ? ((const u32 *)v->data)[b] : GX_NONE;
}

/*
 * *v := a stored column's value. It is written in its place: a copy, of 16 bytes at a time, would wait until the
 * smaller stores before it are done, which is most of what a variable of a few rows costs.
 */
GX_OP void gx_v_load(const gx_m *m, const gx_col *c, gx_v *v)
{
    GX_CLEAR(v);
    v->type = c->type == GX_T_NODE ? GX_T_SET : c->type;
    v->is_const = c->is_const;
    v->n = c->n;
    if (c->type == GX_T_SET) {
        v->data = m->base;
        v->off = GX_PTR(m, const u32, c->a);
        v->cnt = GX_PTR(m, const u32, c->b);
    } else if (c->type == GX_T_RTF) {
        if (c->flags & GX_C_OWN_ROWS)
            v->n_seg = c->a;
        else
            v->data = c->a ? GX_PTR(m, void, c->a) : NULL;
        v->str = c->b ? GX_PTR(m, const gx_str, c->b) : NULL;
        v->merged = (c->flags & GX_C_ONE_TEXT) != 0;
        v->quiet = c->flags & GX_C_QUIET;
    } else
        v->data = GX_PTR(m, void, c->a);
}

/* The frame of row r of an RTF */
GX_OP gx_kid gx_v_kid(const gx_v *v, u32 r)
{
    gx_kid kid;

    r = GX_ROW(v, r);
    if (v->data)
        return ((const gx_kid *)v->data)[r];
    kid.chunk = v->n_seg ? v->n_seg : GX_NONE;
    kid.row = r;
    return kid;
}

/* For a host step: an RTF with data and str for each of its rows */
GX_OP_BIG gx_status gx_v_fragments(gx_m *m, gx_v *v, u32 rows)
{
    gx_kid *kid;
    gx_str *str = NULL;

    GX_TMP(m, kid, gx_kid, rows);
    if (v->str)
        GX_TMP(m, str, gx_str, rows);
    TEAM_FOR(&m->t, r, rows) {
        kid[r] = gx_v_kid(v, r);
        if (str)
            str[r] = v->str[v->merged ? 0 : r];
    }
    team_sync(&m->t);
    v->data = kid;
    v->str = str;
    v->merged = 0;
    return GX_OK;
}

/* v, a column of other rows, becomes one of n rows: out[i] = in[map[i]]. Const columns stay as they are; map NULL:
 * the same rows. Of a SET only the ranges are gathered, its ids are shared. O(n). Complete for everyone. Fails with
 * GX_EARENA. */
GX_OP_BIG gx_status gx_v_gather(gx_m *m, gx_v *v, const u32 *map, u32 n)
{
    if (v->is_const || !map)
        return GX_OK;
    const gx_v in = *v;
    switch (in.type) {
    case GX_T_BOOL: {
        u8 *d;
        GX_TMP(m, d, u8, n);
        TEAM_FOR(&m->t, i, n)
            d[i] = ((const u8 *)in.data)[map[i]];
        *v = gx_v_make(in.type, n, d);
        break;
    }
    case GX_T_NUM: {
        double *d;
        GX_TMP(m, d, double, n);
        TEAM_FOR(&m->t, i, n)
            d[i] = ((const double *)in.data)[map[i]];
        *v = gx_v_make(in.type, n, d);
        break;
    }
    case GX_T_STR: {
        gx_str *d;
        GX_TMP(m, d, gx_str, n);
        TEAM_FOR(&m->t, i, n)
            d[i] = ((const gx_str *)in.data)[map[i]];
        *v = gx_v_make(in.type, n, d);
        break;
    }
    case GX_T_SET: {
        u32 *off, *cnt;
        GX_TMP(m, off, u32, n);
        if (!in.off) {
            TEAM_FOR(&m->t, i, n)
                off[i] = ((const u32 *)in.data)[map[i]];
            *v = gx_v_make(in.type, n, off);
            break;
        }
        GX_TMP(m, cnt, u32, n);
        TEAM_FOR(&m->t, i, n) {
            u32 b, e;
            gx_v_range(&in, map[i], &b, &e);
            off[i] = b;
            cnt[i] = e - b;
        }
        *v = gx_v_make(in.type, n, in.data);
        v->off = off;
        v->cnt = cnt;
        break;
    }
    case GX_T_RTF: {
        gx_kid *kid = NULL;
        gx_str *str = NULL;
        if (in.data || in.n_seg)
            GX_TMP(m, kid, gx_kid, n);
        if (in.str && !in.merged)
            GX_TMP(m, str, gx_str, n);
        TEAM_FOR(&m->t, i, n) {
            if (kid)
                kid[i] = gx_v_kid(&in, map[i]);
            if (str)
                str[i] = in.str[map[i]];
        }
        *v = gx_v_make(in.type, n, kid);
        v->str = in.merged ? in.str : str;
        v->merged = in.merged;
        v->quiet = in.quiet;
        break;
    }
    default:
        break;
    }
    team_sync(&m->t);
    return GX_OK;
}

/* The row of pair k when row r has pairs off[r] .. off[r + 1] - 1. */
GX_OP u32 gx_row_of(const u32 *off, u32 n, u32 k)
{
    u32 lo = 0, hi = n;                 /* off[lo] <= k < off[hi] */

    while (hi - lo > 1) {
        u32 mid = lo + (hi - lo) / 2;
        if (off[mid] <= k)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* The same for a member that goes through ascending k: last is what it got for one before, GX_NONE at first */
GX_OP u32 gx_row_on(const u32 *off, u32 n, u32 k, u32 last)
{
#if TEAM_IS_CPU
    if (last != GX_NONE) {
        while (off[last + 1] <= k)
            last++;
        return last;
    }
#endif
    (void)last;
    return gx_row_of(off, n, k);
}

/* rows[k] := the row of each of the pairs; off as above. Teams look each pair up, so that one long row is no one
 * member's. */
GX_OP void gx_expand_rows(gx_m *m, const u32 *off, u32 n, u32 *rows)
{
#if TEAM_IS_SOLO
    (void)m;
    for (u32 r = 0; r < n; r++)
        for (u32 k = off[r]; k < off[r + 1]; k++)
            rows[k] = r;
#else
    u32 row = GX_NONE;
    TEAM_FOR(&m->t, k, off[n])
        rows[k] = row = gx_row_on(off, n, k, row);
#endif
    team_sync(&m->t);
}

/*
 * Rows one after the other that are the same to who asks are one run: starts[i] is 1 where row i begins one, else 0 (n
 * + 1 entries, scanned here). heads: the first row of each of *n_runs; of_row: the run of each row; both NULL: each row
 * is a run of its own.
 */
GX_OP_BIG gx_status gx_runs(gx_m *m, u32 *starts, u32 n, u32 *n_runs, const u32 **heads, const u32 **of_row)
{
    u32 *head, *run;

    *heads = *of_row = NULL;
    GX_TRY(gx_scan(m, starts, n, n_runs));
    if (*n_runs == n)
        return GX_OK;
    GX_TMP(m, head, u32, *n_runs);
    GX_TMP(m, run, u32, n);
    TEAM_FOR(&m->t, i, n) {
        if (starts[i + 1] != starts[i])
            head[starts[i]] = i;
        run[i] = starts[i + 1] - 1;
    }
    team_sync(&m->t);
    *heads = head;
    *of_row = run;
    return GX_OK;
}

/* Makes a SET's ranges dense (off of n + 1, no cnt) and not const: what steps and frames iterate over. n: rows
 * wanted. A const set is repeated for each row, n x its nodes: gx_v_flat where that is not needed. O(1) for a set
 * that is dense, else O(n + ids). Complete for everyone. Fails with GX_EARENA. */
GX_OP gx_status gx_v_dense(gx_m *m, gx_v *v, u32 n)
{
    u32 *off, *ids, total = 0;

    if (!v->is_const && !v->cnt)
        return GX_OK;
    GX_TMP(m, off, u32, n + 1);
    if (n == 1) {                       /* where they are: recursion passes what is left of a list, which nobody copies
                                           then (gx_store) */
        u32 b, e;
        gx_v_range(v, 0, &b, &e);
        gx_one_row(m, off, e - b);
        team_sync(&m->t);
        *v = gx_v_make(GX_T_SET, 1, (u32 *)v->data + b);
        v->off = off;
        return GX_OK;
    }
    if (v->is_const) {                  /* the same nodes for each row */
        u32 b, e;
        gx_v_range(v, 0, &b, &e);
        const u32 each = e - b;
        if ((u64)n * each >= 0xfffffff0u)
            return gx_full(m);
        GX_TMP(m, ids, u32, n * each);
        TEAM_FOR(&m->t, i, n + 1)
            off[i] = i * each;
#if TEAM_IS_SOLO
        for (u32 k = 0; k < n; k++)
            for (u32 j = 0; j < each; j++)
                ids[k * each + j] = ((const u32 *)v->data)[b + j];
#else
        TEAM_FOR(&m->t, k, n * each)
            ids[k] = ((const u32 *)v->data)[b + k % each];
#endif
        team_sync(&m->t);
        *v = gx_v_make(GX_T_SET, n, ids);
        v->off = off;
        return GX_OK;
    }
    TEAM_FOR(&m->t, i, n) {
        u32 b, e;
        gx_v_range(v, i, &b, &e);
        off[i] = e - b;
    }
    GX_TRY(gx_scan(m, off, n, &total));
    GX_TMP(m, ids, u32, total);
#if TEAM_IS_SOLO
    for (u32 k = 0; k < n; k++) {
        u32 b, e;
        gx_v_range(v, k, &b, &e);
        for (u32 j = b, at = off[k]; j < e; j++)
            ids[at++] = ((const u32 *)v->data)[j];
    }
#else
    u32 r = GX_NONE;
    TEAM_FOR(&m->t, k, total) {
        u32 b, e;
        r = gx_row_on(off, n, k, r);
        gx_v_range(v, r, &b, &e);
        ids[k] = ((const u32 *)v->data)[b + k - off[r]];
    }
    team_sync(&m->t);
#endif
    *v = gx_v_make(GX_T_SET, n, ids);
    v->off = off;
    return GX_OK;
}
/* off where there is none, since each of a dense set's n rows has one node */
GX_OP gx_status gx_v_offsets(gx_m *m, gx_v *v, u32 n)
{
    u32 *off;

    if (v->off)
        return GX_OK;
    GX_TMP(m, off, u32, (u64)n + 1);
    TEAM_FOR(&m->t, i, n + 1)
        off[i] = i;
    team_sync(&m->t);
    v->off = off;
    return GX_OK;
}
/* gx_v_dense, but a const set stays const (one dense row) */
GX_OP gx_status gx_v_flat(gx_m *m, gx_v *v, u32 n)
{
    const u8 is_const = v->is_const;

    if (v->cnt)
        GX_TRY(gx_v_dense(m, v, is_const ? 1 : n));
    v->is_const = is_const;
    v->n = is_const ? 1 : n;
    return GX_OK;
}
GX_OP u32 gx_v_total(const gx_v *v) { return v->off ? v->off[v->n] : v->n; }    /* of a dense set */

/* rows[p] := the row of pair p */
GX_OP gx_status gx_pair_rows(gx_m *m, const gx_v *v, u32 **rows)
{
    u32 *r;

    GX_TMP(m, r, u32, gx_v_total(v));
    if (v->off)
        gx_expand_rows(m, v->off, v->n, r);
    else {
        TEAM_FOR(&m->t, i, v->n)
            r[i] = i;
        team_sync(&m->t);
    }
    *rows = r;
    return GX_OK;
}

/* An expression that is being evaluated (eval.h) */
typedef struct gx_eval_state {
    gx_m *m;
    const gx_env *env;
    const gx_scope *scope;      /* the innermost */
    const gx_op *ops;           /* the expression's first op */
    gx_v *sp;                   /* the stack: behind its topmost column */
    gx_scope *scopes;           /* of the scopes around each other; `depth`: the innermost one's place */
    u32 n_ops, depth;
    u32 pc;                     /* the op that runs, of ops that may go on elsewhere */
} gx_eval_state;

GX_OP void gx_scope_enter(gx_eval_state *e) { e->scope = &e->scopes[++e->depth]; }
GX_OP void gx_scope_leave(gx_eval_state *e) { e->scope = &e->scopes[--e->depth]; }

#endif
