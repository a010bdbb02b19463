/*
 * eval.h -- XPath expressions: postfix code over columns (loop-lifted)
 *
 * gx_eval runs an expression once for all rows of a scope. The stack holds columns; a predicate's candidates become the rows of
 * a scope of their own, so position() and last() are exact for every axis. No recursion: nesting is a stack of scopes.
 */
#ifndef GX_OP_EXPR_H
#define GX_OP_EXPR_H

#include "call.h"
#include "machine.h"
#include "merge.h"
#include "value.h"
#include "step.h"

typedef struct gx_eval_state {
    gx_m *m;
    const gx_env *env;
    const gx_scope *scope;      /* the innermost */
    const gx_op *ops;           /* the expression's first op */
    u32 n_ops;
} gx_eval_state;

GX_OP_BIG gx_status gx_call(gx_eval_state *e, u32 func, u32 argc, gx_v *args, gx_v *out);        /* machine/functions.h */

/* The value of a function of the stylesheet for the rows of the scope, from its argc arguments; GX_NEED: its frames come first
 * (machine/call_function.h). want: what the next operator converts to, GX_T_ANY = nothing. */
GX_OP_BIG gx_status gx_call_function(gx_eval_state *e, u32 function, u32 argc, u32 want, gx_v *args, gx_v *out);

/* The same for a function of ours that gives something else each time (gx_is_fresh): evaluated once while the instruction runs. */
GX_OP_BIG gx_status gx_call_fresh(gx_eval_state *e, u32 func, u32 argc, gx_v *args, gx_v *out);

/* frames.h */
GX_OP_BIG gx_status gx_store(gx_m *m, gx_v *v, u32 n, gx_col *out);

/* JOIN's scope, and its value from set, value and the scope's use (join.h) */
GX_OP_BIG gx_status gx_join_open(gx_m *m, const gx_scope *outer, const gx_v *set, gx_scope *inner);
GX_OP_BIG gx_status gx_join_close(gx_m *m, const gx_scope *s, u32 op, int count, gx_v *args, u32 n, gx_v *out);

GX_OP gx_status gx_is_set(gx_m *m, const gx_v *v)
{
    return v->type == GX_T_SET ? GX_OK : gx_raise(m, GX_EDYNAMIC, GX_RE_NOT_A_SET, gx_str_none());
}

/* A variable's value is of the type that the expression's other operators take it for. In a program of the compiler's it is: one in shared
 * memory may be anybody's, and its check does not follow values. */
GX_OP gx_status gx_is_as_said(gx_m *m, const gx_v *v, u32 type)
{
    return type == GX_T_ANY || v->type == type ? GX_OK : gx_raise(m, GX_EBAD, GX_RE_TYPE, gx_str_none());
}

/* variable `slot` of the body `hops` lexical levels up, for the rows of the innermost scope */
GX_OP_BIG gx_status gx_load_var(gx_eval_state *e, u32 hops, u32 slot, gx_v *out)
{
    gx_m *m = e->m;
    const gx_group *g = m->g;
    const gx_scope *s = e->scope;
    const u32 *maps[2], *map = NULL;
    u32 n_maps = 0, n = s->n;
    const gx_col *col;

    for (const gx_group *up = g; ; ) {          /* is there anything to compose? find the column first: const ones need no map */
        if (!hops) {
            col = GX_PTR(m, const gx_col, up->vars) + slot;
            break;
        }
        hops--;
        up = GX_PTR(m, const gx_group, up->parent);
    }
    if (!col->type) {                           /* not bound: cannot be referred to before its instruction */
        *out = gx_v_make(GX_T_STR, 1, m->run->zero_str);
        out->is_const = 1;
        return GX_OK;
    }
    gx_v_load(m, col, out);
    if (out->is_const)
        return GX_OK;
    if (s->map)
        maps[n_maps++] = s->map;
    if (e->env->group_row)
        maps[n_maps++] = e->env->group_row;
    for (u32 k = 0; k < n_maps; k++) {
        if (!map)
            map = maps[k];
        else {
            u32 *c;
            GX_TMP(m, c, u32, n);
            TEAM_FOR(&m->t, i, n)
                c[i] = maps[k][map[i]];
            team_sync(&m->t);
            map = c;
        }
    }
    for (const gx_group *up = g; GX_PTR(m, const gx_col, up->vars) + slot != col; up = GX_PTR(m, const gx_group, up->parent)) {
        const u32 *rows = up->parent_row ? GX_PTR(m, const u32, up->parent_row) : NULL;
        if (rows && map) {
            u32 *c;
            GX_TMP(m, c, u32, n);
            TEAM_FOR(&m->t, i, n)
                c[i] = rows[map[i]];
            team_sync(&m->t);
            map = c;
        } else if (rows)
            map = rows;
    }
    return gx_v_gather(m, out, map, n);
}

/* Does the code of a predicate, ops from .. to, use position() or last() at its own level? Does it need the map to scope 0? */
GX_OP void gx_pred_needs(const gx_op *ops, u32 from, u32 to, int *position, int *map)
{
    u32 depth = 0;

    *position = *map = 0;
    for (u32 i = from; i < to; i++)
        switch (ops[i].op) {
        case GX_X_PRED: depth++; break;
        case GX_X_PRED_END: depth--; break;
        case GX_X_POSITION: case GX_X_LAST: if (!depth) *position = 1; break;
        case GX_X_VAR: case GX_X_CURRENT: case GX_X_OUTER: *map = 1; break;
        case GX_X_CALL: *position |= !depth && ops[i].a & GX_CALL_PLACES; break;
        case GX_X_FUNC:                         /* what it evaluates may ask for anything */
            if (ops[i].a >= GX_F_DYN_EVALUATE && ops[i].a <= GX_F_DYN_SUM) {
                *position |= !depth;
                *map = 1;
            }
            break;
        default: break;
        }
}

/* Are all predicates of the step at ops[at] plain conditions on the node (no number, no position)? */
GX_OP int gx_step_plain(const gx_op *ops, u32 n_ops, u32 at)
{
    for (u32 i = at + 1; i < n_ops;) {
        int position, map;
        u32 end;
        if (ops[i].op == GX_X_STEP_END)
            return 1;
        if (ops[i].op != GX_X_PRED)
            return 0;
        end = ops[i].b;
        if (end <= i || end >= n_ops || ops[end - 1].type == GX_T_NUM || ops[end - 1].type == GX_T_ANY)
            return 0;
        gx_pred_needs(ops, i + 1, end, &position, &map);
        if (position)
            return 0;
        i = end + 1;
    }
    return 0;
}

/* The candidates of a const set are the same for every row only if the predicate does not look at rows: else each of the n rows gets its own */
GX_OP_BIG gx_status gx_pred_spread(gx_m *m, gx_v *c, u32 n)
{
    const u32 segs = c->n_seg, total = c->off[segs];
    u32 *row, *off, *ids;

    if (!c->row && !c->reverse) {
        gx_v set = gx_v_make(GX_T_SET, 1, c->data);
        set.off = c->off;
        set.is_const = 1;
        GX_TRY(gx_v_dense(m, &set, n));
        c->data = set.data;
        c->off = set.off;
        c->n = c->n_seg = n;
        c->is_const = 0;
        return GX_OK;
    }
    /* per context segments: merge is per row, so copy segment by segment */
    GX_TMP(m, row, u32, n + 1);
    GX_TMP(m, off, u32, (u64)segs * n + 1);
    GX_TMP(m, ids, u32, (u64)total * n);
    if ((u64)segs * n > 0xfffffff0u || (u64)total * n > 0xfffffff0u)
        return gx_full(m);
    TEAM_FOR(&m->t, i, n) {
        row[i] = i * segs;
        for (u32 s = 0; s < segs; s++)
            off[i * segs + s] = i * total + c->off[s];
        for (u32 k = 0; k < total; k++)
            ids[i * total + k] = ((const u32 *)c->data)[k];
    }
    if (team_rank(&m->t) == 0) {
        row[n] = n * segs;
        off[n * segs] = n * total;
    }
    team_sync(&m->t);
    c->data = ids;
    c->off = off;
    c->row = row;
    c->n_seg = n * segs;
    c->n = n;
    c->is_const = 0;
    return GX_OK;
}

GX_OP double gx_number_place(const void *from, size_t k) { return ((const u32 *)from)[k]; }
GX_OP_BIG gx_status gx_pred_open(gx_eval_state *e, const gx_v *c, u32 from, u32 to, gx_scope *inner)
{
    gx_m *m = e->m;
    u32 total = c->off[c->n_seg], *position = NULL, *size = NULL, *map = NULL;
    int need_position, need_map;
    const gx_scope *outer = e->scope;

    gx_pred_needs(e->ops, from, to, &need_position, &need_map);
    GX_CLEAR(inner);
    inner->n = total;
    inner->context = (const u32 *)c->data;
    if (need_position) {
        GX_TMP(m, position, u32, total);
        GX_TMP(m, size, u32, total);
#if TEAM_IS_SOLO
        for (u32 s = 0; s < c->n_seg; s++)
            for (u32 b = c->off[s], k = b, end = c->off[s + 1]; k < end; k++) {
                position[k] = k - b + 1;
                size[k] = end - b;
            }
#else
        if (c->n_seg == 1) {
            const u32 first = c->off[0];
            TEAM_FOR(&m->t, k, total) {
                position[k] = k - first + 1;
                size[k] = total;
            }
        } else
            TEAM_FOR(&m->t, k, total) {
                u32 s = gx_row_of(c->off, c->n_seg, k);
                position[k] = k - c->off[s] + 1;
                size[k] = c->off[s + 1] - c->off[s];
            }
#endif
    }
    if (need_map) {
        GX_TMP(m, map, u32, total);
        if (outer->once) {
            TEAM_FOR(&m->t, k, total)
                map[k] = 0;
        } else {
#if TEAM_IS_SOLO
            for (u32 r = 0; r < c->n; r++) {
                u32 b = c->off[c->row ? c->row[r] : r], end = c->off[c->row ? c->row[r + 1] : r + 1];
                u32 to_row = outer->map ? outer->map[r] : r;
                for (u32 k = b; k < end; k++)
                    map[k] = to_row;
            }
#else
            TEAM_FOR(&m->t, k, total) {
                u32 r = gx_row_of(c->off, c->n_seg, k);
                if (c->row)
                    r = gx_row_of(c->row, c->n, r);
                map[k] = outer->map ? outer->map[r] : r;
            }
#endif
        }
    }
    team_sync(&m->t);
    inner->position = position;
    inner->size = size;
    inner->map = map;
    return GX_OK;
}

#if !TEAM_IS_SOLO
typedef struct gx_kept { const u32 *ids, *keep; } gx_kept;       /* keep: the prefix sums of a flag for each */
GX_OP gx_seen gx_see_kept(const void *ctx, size_t k)
{
    const gx_kept *x = (const gx_kept *)ctx;
    return (gx_seen){ x->keep[k + 1] != x->keep[k], x->ids[k] };
}
typedef struct gx_held { const u32 *ids; const u8 *bits; } gx_held;
GX_OP gx_seen gx_see_held(const void *ctx, size_t k)
{
    const gx_held *x = (const gx_held *)ctx;
    return (gx_seen){ x->bits[k], x->ids[k] };
}
GX_OP u32 gx_find_seen(const void *ctx, size_t k, gx_seen s) { (void)ctx; (void)k; return gx_id_if(s.x != 0, s.y); }
GX_OP u32 gx_id_seen(const void *ctx, size_t k, gx_seen s) { (void)ctx; (void)k; return s.y; }
GX_COMPACTION(GX_OP_BIG, gx_compact_held, gx_held, gx_see_held, gx_find_seen, gx_id_seen)
GX_OP_BIG void gx_put_kept(gx_m *m, u32 n, const gx_kept *kept, u32 *out)
{
    const gx_kept own = *kept;
    team_put(&m->t, n, gx_see_kept, gx_find_seen, &own, own.keep, out);
}
#endif

/* keeps the candidates for which the predicate's value holds */
GX_OP_BIG gx_status gx_pred_close(gx_m *m, gx_v *c, const gx_v *value)
{
    u32 total = c->off[c->n_seg], *out, *off;
    const u32 *ids = (const u32 *)c->data;
    int number = value->type == GX_T_NUM;

    GX_TMP(m, off, u32, c->n_seg + 1);
#if TEAM_IS_SOLO
    u32 n = 0;
    GX_TMP(m, out, u32, total);
    for (u32 s = 0; s < c->n_seg; s++) {
        u32 b = c->off[s], end = c->off[s + 1];
        off[s] = n;
        for (u32 k = b; k < end; k++)
            if (number ? ((const double *)value->data)[GX_ROW(value, k)] == (double)(k - b + 1) : gx_row_bool(m, value, k))
                out[n++] = ids[k];
    }
    off[c->n_seg] = n;
#else
    u32 *keep, n;
    if (c->n_seg == 1 && value->type == GX_T_BOOL && !value->is_const) {        /* one row's: nobody asks where others begin */
        const gx_held held = { ids, (const u8 *)value->data };
        GX_TRY(gx_compact_held(m, total, &held, &out, &n, off));
        c->data = out;
        c->off = off;
        return GX_OK;
    }
    GX_TMP(m, keep, u32, total + 1);
    TEAM_FOR(&m->t, k, total)
        keep[k] = number ? ((const double *)value->data)[GX_ROW(value, k)] == (double)(k - c->off[gx_row_of(c->off, c->n_seg, k)] + 1)
            : (u32)gx_row_bool(m, value, k);
    GX_TRY(gx_scan(m, keep, total, &n));
    GX_TMP(m, out, u32, n);
    const gx_kept kept = { ids, keep };
    gx_put_kept(m, total, &kept, out);
    TEAM_FOR(&m->t, s2, c->n_seg + 1)
        off[s2] = keep[c->off[s2]];
    team_sync(&m->t);
#endif
    c->data = out;
    c->off = off;
    return GX_OK;
}

/* keeps the nth candidate of each segment (0: the last) */
GX_OP_BIG gx_status gx_nth(gx_m *m, gx_v *c, u32 nth)
{
    u32 *off, *out, total = 0;
    const u32 *ids = (const u32 *)c->data;

    GX_TMP(m, off, u32, c->n_seg + 1);
    TEAM_FOR(&m->t, s, c->n_seg) {
        u32 n = c->off[s + 1] - c->off[s];
        off[s] = nth ? n >= nth : n > 0;
    }
    GX_TRY(gx_scan(m, off, c->n_seg, &total));
    GX_TMP(m, out, u32, total);
    TEAM_FOR(&m->t, s2, c->n_seg)
        if (off[s2 + 1] != off[s2])
            out[off[s2]] = ids[nth ? c->off[s2] + nth - 1 : c->off[s2 + 1] - 1];
    team_sync(&m->t);
    c->data = out;
    c->off = off;
    return GX_OK;
}

#define GX_LAST_PLACE 0xfffffff0u       /* behind all */
/* The first place that is d or more; above: more. NaN: none */
GX_OP u32 gx_place_from(double d, u32 above)
{
    if (d < 1)
        return 1;
    if (!(d < GX_LAST_PLACE))
        return GX_LAST_PLACE;
    return (u32)d + (above || d > (u32)d);
}
/* The last one that is d or less; below: less. NaN: none, 0 */
GX_OP u32 gx_place_to(double d, u32 below)
{
    if (!(d >= 1))
        return 0;
    return d < GX_LAST_PLACE ? (u32)d - (below && d == (u32)d) : GX_LAST_PLACE - 1;
}
/* Those of a list b .. e that stand at the places row r asks for: they begin at *first, and are so many */
GX_OP u32 gx_places(const gx_v *from, const gx_v *to, u32 ends, u32 r, u32 b, u32 e, u32 *first)
{
    const u32 low = gx_place_from(((const double *)from->data)[GX_ROW(from, r)], ends & GX_BETWEEN_ABOVE);
    u32 high = gx_place_to(((const double *)to->data)[GX_ROW(to, r)], ends & GX_BETWEEN_BELOW);

    high = high < e - b ? high : e - b;
    *first = high < low ? b : b + low - 1;
    return high < low ? 0 : high - low + 1;
}
/*
 * keeps the candidates, or the nodes of a SET, from the row's first number to its second (the same one: AT); n: rows. Those of a SET stay where they
 * are; of candidates that all rows share each row takes its own.
 */
GX_OP_BIG gx_status gx_between(gx_m *m, gx_v *c, const gx_v *from, const gx_v *to, u32 ends, u32 n)
{
    const u8 fixed = from->is_const && to->is_const;
    const int list = c->type == GX_V_CAND, spread = c->is_const && !fixed;
    const u32 rows = c->is_const && fixed ? 1 : n, segs = !list ? 1 : c->n_seg, total_segs = !list ? rows : spread ? segs * rows : segs;
    const u32 *ids = (const u32 *)c->data;
    u32 *off, *out = NULL, *row = NULL, total = 0;

    if (!list) {
        u32 *cnt;
        GX_TMP(m, off, u32, rows);
        GX_TMP(m, cnt, u32, rows);
        TEAM_FOR(&m->t, r, rows) {
            u32 b, e;
            gx_v_range(c, r, &b, &e);
            cnt[r] = gx_places(from, to, ends, r, b, e, &off[r]);
        }
        team_sync(&m->t);
        *c = gx_v_make(GX_T_SET, rows, c->data);
        c->is_const = rows == 1 && n != 1;
        c->off = off;
        c->cnt = cnt;
        return GX_OK;
    }

    if (spread && (u64)segs * rows > 0xfffffff0u)
        return gx_full(m);
    GX_TMP(m, off, u32, (u64)total_segs + 1);
    for (int pass = 0; pass < 2; pass++) {
        TEAM_FOR(&m->t, s, total_segs) {
            const u32 seg = spread ? s % segs : s, r = spread ? s / segs : c->row ? gx_row_of(c->row, c->n, s) : s;
            u32 first;
            const u32 kept = gx_places(from, to, ends, r, c->off[seg], c->off[seg + 1], &first);
            if (!pass)
                off[s] = kept;
            for (u32 k = 0; pass && k < kept; k++)
                out[off[s] + k] = ids[first + k];
        }
        if (!pass) {
            GX_TRY(gx_scan(m, off, total_segs, &total));
            GX_TMP(m, out, u32, total);
        }
    }
    if (spread && c->row) {
        GX_TMP(m, row, u32, (u64)rows + 1);
        TEAM_FOR(&m->t, i, rows + 1)
            row[i] = i * segs;
        c->row = row;
    }
    team_sync(&m->t);
    if (spread)
        c->is_const = 0;
    c->n = rows;
    c->n_seg = total_segs;
    c->data = out;
    c->off = off;
    return GX_OK;
}

GX_OP int gx_are_siblings(const gx_m *m, u32 a, u32 b)
{
    const u32 parent = gx_parent(gx_view_of(m, a), a);
    return parent != GX_NONE && parent == gx_parent(gx_view_of(m, b), b);
}

/* for gx_merge */
GX_OP int gx_child_before(const void *ctx, u32 a, u32 b)
{
    const u32 *parents = (const u32 *)ctx;
    return parents[a] != parents[b] ? parents[a] < parents[b] : a < b;
}
/*
 * c's nodes, children of perhaps several nodes: if there are several for a row, as candidates of each of these. together: those of one parent stand
 * together in c, as children of nodes that are not below each other do.
 */
GX_OP_BIG gx_status gx_part_by_parent(gx_m *m, gx_v *c, int together, u32 n)
{
    const u32 rows = gx_v_rows(c, n);
    u32 *row, *starts, *off, *parents, several = !together, apart = 0, n_seg;

    if (!rows || !c->off)
        return GX_OK;
    if (together)
        TEAM_FOR(&m->t, r, rows) {
            u32 b, e;
            gx_v_range(c, r, &b, &e);
            several |= b < e && !gx_are_siblings(m, ((const u32 *)c->data)[b], ((const u32 *)c->data)[e - 1]);
        }
    if (!team_any(&m->t, (int)several))
        return GX_OK;
    GX_TRY(gx_v_flat(m, c, n));
    const u32 total = c->off[rows];
    GX_TMP(m, parents, u32, total);
    GX_TMP(m, starts, u32, (u64)total + 1);
    GX_TMP(m, row, u32, (u64)rows + 1);
    TEAM_FOR(&m->t, k, total) {
        const u32 node = ((const u32 *)c->data)[k];
        parents[k] = gx_parent(gx_view_of(m, node), node);
    }
    team_sync(&m->t);
    if (!together)
        TEAM_FOR(&m->t, r, rows)
            for (u32 k = c->off[r] + 1; k < c->off[r + 1] && !apart; k++)
                apart = parents[k] < parents[k - 1];
    if (team_any(&m->t, (int)apart)) {
        u32 *perm, *aux, *set, *ids, *sorted;
        GX_TMP(m, perm, u32, total);
        GX_TMP(m, aux, u32, total);
        GX_TMP(m, set, u32, total);
        GX_TMP(m, ids, u32, total);
        GX_TMP(m, sorted, u32, total);
        gx_expand_rows(m, c->off, rows, set);
        const u32 *order = gx_merge(m, gx_child_before, parents, perm, aux, c->off, set, rows, total);
        TEAM_FOR(&m->t, k, total) {
            ids[k] = ((const u32 *)c->data)[order[k]];
            sorted[k] = parents[order[k]];
        }
        team_sync(&m->t);
        c->data = ids;
        parents = sorted;
        apart = 1;
    }
    TEAM_FOR(&m->t, k, total)
        starts[k] = !k || parents[k] != parents[k - 1];
    team_sync(&m->t);
    TEAM_FOR(&m->t, r, rows)
        if (c->off[r] < c->off[r + 1])
            starts[c->off[r]] = 1;
    team_sync(&m->t);
    GX_TRY(gx_scan(m, starts, total, &n_seg));
    GX_TMP(m, off, u32, (u64)n_seg + 1);
    TEAM_FOR(&m->t, k, total)
        if (starts[k + 1] != starts[k])
            off[starts[k]] = k;
    TEAM_FOR(&m->t, r, rows + 1)
        row[r] = starts[c->off[r]];
    if (team_rank(&m->t) == 0)
        off[n_seg] = total;
    team_sync(&m->t);
    c->type = GX_V_CAND;
    c->n = rows;
    c->off = off;
    c->cnt = NULL;
    c->row = row;
    c->n_seg = n_seg;
    c->reverse = 0;
    c->merged = !team_any(&m->t, (int)apart);
    return GX_OK;
}

/* the same for a row's truth: all places or none */
GX_OP_BIG gx_status gx_all_or_none(gx_m *m, gx_v *c, gx_v *truth, u32 n)
{
    const u32 rows = gx_v_rows(truth, n);
    gx_v from, to;
    double *d;

    GX_TRY(gx_to_bool(m, truth, n));
    GX_TMP(m, d, double, 2 * (u64)rows);
    TEAM_FOR(&m->t, r, rows) {
        const int all = ((const u8 *)truth->data)[r];
        d[r] = all;
        d[rows + r] = all ? GX_LAST_PLACE : 0;
    }
    team_sync(&m->t);
    from = gx_v_make(GX_T_NUM, rows, d);
    to = gx_v_make(GX_T_NUM, rows, d + rows);
    from.is_const = to.is_const = truth->is_const;
    return gx_between(m, c, &from, &to, 0, n);
}

/* a dense SET as candidates: a segment a row, in document order */
GX_OP_BIG gx_status gx_v_candidates(gx_m *m, gx_v *c)
{
    GX_TRY(gx_v_offsets(m, c, c->n));
    c->type = GX_V_CAND;
    c->n_seg = c->n;
    c->row = NULL;
    c->reverse = 0;
    c->merged = 1;
    return GX_OK;
}

/* keeps those whose position is equal to a row's value, which may be a set: some number of its nodes' (3.4) */
GX_OP_BIG gx_status gx_at_equal(gx_m *m, gx_v *c, gx_v *value, u32 n)
{
    const int list = c->type == GX_V_CAND;
    u32 several = 0, *row, total;
    double *d;
    gx_v bits, place;

    if (value->type == GX_T_BOOL)               /* a position is true */
        return gx_all_or_none(m, c, value, n);
    if (value->type == GX_T_SET)
        TEAM_FOR(&m->t, r, gx_v_rows(value, n)) {
            u32 b, e;
            gx_v_range(value, r, &b, &e);
            several |= e - b > 1;
        }
    if (!team_any(&m->t, (int)several)) {
        GX_TRY(gx_to_num(m, value, n));
        return gx_between(m, c, value, value, 0, n);
    }
    if (!list) {
        GX_TRY(gx_v_flat(m, c, n));
        GX_TRY(gx_v_candidates(m, c));
    }
    if (c->is_const && !value->is_const)
        GX_TRY(gx_pred_spread(m, c, n));
    total = c->off[c->n_seg];
    GX_TMP(m, row, u32, total);
    GX_TMP(m, d, double, total);
    TEAM_FOR(&m->t, k, total) {
        const u32 s = gx_row_of(c->off, c->n_seg, k);
        row[k] = c->row ? gx_row_of(c->row, c->n, s) : s;
        d[k] = k - c->off[s] + 1;
    }
    team_sync(&m->t);
    place = gx_v_make(GX_T_NUM, total, d);
    GX_TRY(gx_v_gather(m, value, row, total));
    GX_TRY(gx_compare(m, GX_X_EQ, &place, value, total, &bits));
    GX_TRY(gx_pred_close(m, c, &bits));
    if (!list) {
        const u8 is_const = c->is_const;
        gx_v set;
        GX_TRY(gx_step_end(m, c, &set));
        *c = set;
        c->is_const = is_const;
    }
    return GX_OK;
}

/* AT (to NULL) or BETWEEN; n: rows */
GX_OP_BIG gx_status gx_keep_places(gx_m *m, const gx_op *op, gx_v *c, gx_v *from, gx_v *to, u32 n)
{
    const int each = op->a & GX_PLACES_OF_EACH && c->type == GX_T_SET;

    if (each)
        GX_TRY(gx_part_by_parent(m, c, 1, n));
    if (to) {
        GX_TRY(gx_to_extremes(m, from, n, 0));          /* of a set some node is enough */
        GX_TRY(gx_to_extremes(m, to, n, 1));
        GX_TRY(gx_between(m, c, from, to, op->a, n));
    } else if (from->type == GX_T_NUM)
        GX_TRY(gx_between(m, c, from, from, 0, n));
    else if (op->a & GX_AT_EQUAL)
        GX_TRY(gx_at_equal(m, c, from, n));
    else if (op->a & GX_AT_ANY)
        GX_TRY(gx_all_or_none(m, c, from, n));
    else
        return gx_raise(m, GX_EBAD, GX_RE_TYPE, gx_str_none());
    if (each && c->type == GX_V_CAND) {
        const u8 is_const = c->is_const;
        gx_v set;
        GX_TRY(gx_step_end(m, c, &set));
        *c = set;
        c->is_const = is_const;
    }
    return GX_OK;
}

/* keeps the candidates first to last (1-based) of each segment; of a lone one they stay where they are */
GX_OP_BIG gx_status gx_first_to_last(gx_m *m, gx_v *c, u32 first, u32 last)
{
    u32 *off, *out, total = 0;
    const u32 *ids = (const u32 *)c->data;

    GX_TMP(m, off, u32, c->n_seg + 1);
    TEAM_FOR(&m->t, s, c->n_seg) {
        const u32 n = c->off[s + 1] - c->off[s], stop = last < n ? last : n;
        off[s] = stop >= first ? stop - first + 1 : 0;
    }
    GX_TRY(gx_scan(m, off, c->n_seg, &total));
    if (c->n_seg == 1) {
        if (total)
            c->data = (void *)(ids + c->off[0] + first - 1);
        c->off = off;
        return GX_OK;
    }
    GX_TMP(m, out, u32, total);
    TEAM_FOR(&m->t, s2, c->n_seg)
        for (u32 k = off[s2], from = c->off[s2] + first - 1; k < off[s2 + 1]; k++, from++)
            out[k] = ids[from];
    team_sync(&m->t);
    c->data = out;
    c->off = off;
    return GX_OK;
}

/* merges two ascending lists without duplicates; out NULL counts */
GX_OP u32 gx_merge_ids(const u32 *a, u32 na, const u32 *b, u32 nb, u32 *out)
{
    u32 i = 0, j = 0, n = 0;

    while (i < na || j < nb) {
        u32 x;
        if (j >= nb || (i < na && a[i] < b[j]))
            x = a[i++];
        else {
            if (i < na && a[i] == b[j])
                i++;
            x = b[j++];
        }
        if (out)
            out[n] = x;
        n++;
    }
    return n;
}

#if !TEAM_IS_SOLO
#define GX_LONG_ROW 512u        /* ids that one member merges faster than all find their places */
/*
 * The union row by row, long rows too, by all members: an id's place is its own number and that of the other set's ids before it, those
 * that both have counted once. keep: by id of y, is it not in x; then how many before it are not.
 */
GX_OP_BIG gx_status gx_union_wide(gx_m *m, gx_v *x, gx_v *y, u32 rows, gx_v *out)
{
    u32 *off, *ids, *keep, kept = 0;

    GX_TRY(gx_v_dense(m, x, rows));
    GX_TRY(gx_v_offsets(m, x, rows));
    GX_TRY(gx_v_dense(m, y, rows));
    GX_TRY(gx_v_offsets(m, y, rows));
    const u32 *xi = (const u32 *)x->data, *yi = (const u32 *)y->data, *xo = x->off, *yo = y->off, nx = xo[rows], ny = yo[rows];
    if ((u64)nx + ny > 0xfffffff0u)
        return gx_full(m);
    m->steps += (nx + ny) / GX_WORK_PER_STEP;
    GX_TMP(m, keep, u32, (u64)ny + 1);
    TEAM_FOR(&m->t, k, ny) {
        const u32 r = gx_row_of(yo, rows, k);
        keep[k] = !gx_ids_have(xi, xo[r], xo[r + 1], yi[k]);
    }
    GX_TRY(gx_scan(m, keep, ny, &kept));
    GX_TMP(m, off, u32, (u64)rows + 1);
    GX_TMP(m, ids, u32, (u64)nx + kept);
    TEAM_FOR(&m->t, r0, rows + 1)
        off[r0] = xo[r0] + keep[yo[r0]];
    TEAM_FOR(&m->t, k1, nx) {
        const u32 r = gx_row_of(xo, rows, k1);
        ids[k1 + keep[gx_index_lower(yi, yo[r], yo[r + 1], xi[k1])]] = xi[k1];
    }
    TEAM_FOR(&m->t, k2, ny)
        if (keep[k2 + 1] != keep[k2]) {
            const u32 r = gx_row_of(yo, rows, k2);
            ids[keep[k2] + gx_index_lower(xi, xo[r], xo[r + 1], yi[k2])] = yi[k2];
        }
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, rows, ids);
    out->off = off;
    return GX_OK;
}
#endif

GX_OP_BIG gx_status gx_union(gx_m *m, gx_v *x, gx_v *y, u32 n, gx_v *out)
{
    const int is_const = x->is_const && y->is_const;
    u32 *off, *ids, total = 0, rows = is_const ? 1 : n;

#if !TEAM_IS_SOLO
    u32 longest = 0;
    TEAM_FOR(&m->t, r0, rows) {
        u32 xb, xe, yb, ye;
        gx_v_range(x, r0, &xb, &xe);
        gx_v_range(y, r0, &yb, &ye);
        longest |= (u64)(xe - xb) + (ye - yb) > GX_LONG_ROW;
    }
    if (team_any(&m->t, (int)longest)) {
        GX_TRY(gx_union_wide(m, x, y, rows, out));
        out->is_const = (u8)is_const;
        return GX_OK;
    }
#endif
    gx_watch watch = gx_watch_start();
    GX_TMP(m, off, u32, rows + 1);
    TEAM_FOR(&m->t, r, rows) {
        u32 xb, xe, yb, ye;
        gx_v_range(x, r, &xb, &xe);
        gx_v_range(y, r, &yb, &ye);
        if (gx_watch_late(m, &watch, (u64)(xe - xb) + (ye - yb)))
            break;
        off[r] = gx_merge_ids((const u32 *)x->data + xb, xe - xb, (const u32 *)y->data + yb, ye - yb, NULL);
    }
    GX_TRY(gx_watch_end(m, &watch));
    GX_TRY(gx_scan(m, off, rows, &total));
    GX_TMP(m, ids, u32, total);
    TEAM_FOR(&m->t, q, rows) {
        u32 xb, xe, yb, ye;
        gx_v_range(x, q, &xb, &xe);
        gx_v_range(y, q, &yb, &ye);
        gx_merge_ids((const u32 *)x->data + xb, xe - xb, (const u32 *)y->data + yb, ye - yb, ids + off[q]);
    }
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, rows, ids);
    out->off = off;
    out->is_const = (u8)is_const;
    return GX_OK;
}

/* The scope of the rows of *outer where left is `truth` */
GX_OP_BIG gx_status gx_where_open(gx_m *m, const gx_scope *outer, const gx_v *left, u32 truth, gx_scope *inner)
{
    u32 n = outer->n, count, *index, *rows, *context, *position = NULL, *size = NULL, *map;

    GX_TMP(m, index, u32, n + 1);
    TEAM_FOR(&m->t, i, n)
        index[i] = ((const u8 *)left->data)[GX_ROW(left, i)] == truth;
    GX_TRY(gx_scan(m, index, n, &count));
    *inner = *outer;
    inner->rows = NULL;
    if (count == n)
        return GX_OK;
    GX_TMP(m, rows, u32, count);
    GX_TMP(m, context, u32, count);
    GX_TMP(m, map, u32, count);
    if (outer->position)
        GX_TMP(m, position, u32, count);
    if (outer->size)
        GX_TMP(m, size, u32, count);
    TEAM_FOR(&m->t, i, n)
        if (index[i + 1] != index[i]) {
            u32 k = index[i];
            rows[k] = i;
            context[k] = outer->context[i];
            map[k] = outer->map ? outer->map[i] : i;
            if (position)
                position[k] = outer->position[i];
            if (size)
                size[k] = outer->size[i];
        }
    team_sync(&m->t);
    inner->n = count;
    inner->context = context;
    inner->position = position;
    inner->size = size;
    inner->map = map;
    inner->rows = rows;
    return GX_OK;
}

/* *left := right where the scope has rows */
GX_OP_BIG gx_status gx_where_close(gx_m *m, const gx_scope *outer, const gx_scope *inner, const gx_v *right, gx_v *left)
{
    u8 *bits;

    GX_TMP(m, bits, u8, outer->n);
    TEAM_FOR(&m->t, i, outer->n)
        bits[i] = ((const u8 *)left->data)[GX_ROW(left, i)];
    team_sync(&m->t);
    TEAM_FOR(&m->t, k, inner->n)
        bits[inner->rows ? inner->rows[k] : k] = ((const u8 *)right->data)[GX_ROW(right, k)];
    team_sync(&m->t);
    *left = gx_v_make(GX_T_BOOL, outer->n, bits);
    return GX_OK;
}

/*
 * Rows in parts. A row's sets may be nearly all nodes: so many rows at once as would fit then, and from what one part took follows how many
 * the next is, up to eight times as many. One takes a sixteenth of the scratch, which leaves room where later rows have more than earlier
 * ones. A thread's is less: what it works with stays in its caches, and pages that nobody touched need not be made.
 */
#if defined GX_TEAM_LANE || defined GX_TEAM_BLOCK
#define GX_IN_PARTS 0                   /* what needs more gets a larger arena, at last a CPU's: related.xsl took twice as long in parts */
#else
#define GX_IN_PARTS 1
#endif
#ifdef GX_PARTS_BYTES                   /* of tests */
#elif TEAM_IS_SOLO
#define GX_PARTS_BYTES ((u64)2 << 20)
#else
#define GX_PARTS_BYTES ((u64)1 << 40)
#endif
GX_OP_BIG gx_status gx_parts_open(gx_m *m, const gx_scope *outer, u32 type, gx_scope *inner)
{
    const u64 room = (m->tmp_end - m->tmp) / 16, most = room < GX_PARTS_BYTES ? room : GX_PARTS_BYTES, row = (u64)m->run->n_nodes * 4;
    const u32 n = outer->n;

    *inner = *outer;
    inner->rows = NULL;
    inner->parts.made = NULL;
    if (!GX_IN_PARTS || n <= 1 || n * row <= most)
        return GX_OK;
    inner->parts.done = 0;
    inner->parts.all = n;
    inner->parts.most = most;
    inner->parts.ids = NULL;
    if (!outer->map) {
        u32 *map;
        GX_TMP(m, map, u32, n);
        TEAM_FOR(&m->t, i, n)
            map[i] = i;
        inner->map = map;
    }
    if (!(inner->parts.made = gx_tmp(m, type == GX_T_BOOL ? (u64)n : type == GX_T_NUM ? (u64)n * sizeof(double) : type == GX_T_STR
        ? (u64)n * sizeof(gx_str) : ((u64)n + 1) * 4)))
        return gx_full(m);
    if (type == GX_T_SET) {
        inner->parts.ids = (u32 *)(m->base + m->tmp);
        if (team_rank(&m->t) == 0)
            *(u32 *)inner->parts.made = 0;
    }
    team_sync(&m->t);
    inner->parts.shared = m->shared;
    inner->parts.tmp = m->tmp;
    inner->n = most / row < n ? (u32)(most / row) : n;
    if (!inner->n)
        inner->n = 1;
    return GX_OK;
}

/* The scope's columns begin so many rows further on */
GX_OP void gx_scope_advance(gx_scope *s, u32 rows)
{
    s->context += rows;
    if (s->position)
        s->position += rows;
    if (s->size)
        s->size += rows;
}

/* Takes a part's value. *again: the scope is the next part's; else v is the value of all rows. */
GX_OP_BIG gx_status gx_parts_close(gx_m *m, gx_scope *s, u32 type, gx_v *v, int *again)
{
    gx_parts *p = &s->parts;
    const u32 n = s->n, at = p->done;

    *again = 0;
    if (!GX_IN_PARTS || !p->made)
        return GX_OK;
    const u64 shared = m->shared - p->shared, row = (m->tmp - p->tmp - shared) / n + 1, room = (m->tmp_end - p->tmp) / 8;
    m->shared = p->shared;
    if (v->type != type)
        return gx_raise(m, GX_EBAD, GX_RE_TYPE, gx_str_none());
    if (type == GX_T_BOOL) {
        TEAM_FOR(&m->t, i, n)
            ((u8 *)p->made)[at + i] = ((const u8 *)v->data)[GX_ROW(v, i)];
    } else if (type == GX_T_NUM) {
        TEAM_FOR(&m->t, i, n)
            ((double *)p->made)[at + i] = ((const double *)v->data)[GX_ROW(v, i)];
    } else if (type == GX_T_STR) {
        TEAM_FOR(&m->t, i, n)
            ((gx_str *)p->made)[at + i] = ((const gx_str *)v->data)[GX_ROW(v, i)];
    } else {
        u32 *off = (u32 *)p->made, *copy;
        const u32 before = off[at];
        GX_TRY(gx_v_dense(m, v, n));
        GX_TRY(gx_v_offsets(m, v, n));
        const u32 total = v->off[n];
        const u64 end = ((u64)((char *)(p->ids + before) - m->base) + (u64)total * 4 + 15) & ~15ull;
        if ((u64)before + total > 0xfffffff0u || end > m->tmp_end)
            return gx_full(m);
        if (m->tmp < end)                       /* what is read may be no scratch: what is left of a variable's list */
            m->tmp = end;
        GX_TMP(m, copy, u32, total);            /* behind all that is read and behind where it is put: members put it there at the same time */
        TEAM_FOR(&m->t, k, total)
            copy[k] = ((const u32 *)v->data)[k];
        TEAM_FOR(&m->t, i, n)
            off[at + i + 1] = before + v->off[i + 1];
        team_sync(&m->t);
        TEAM_FOR(&m->t, k2, total)
            p->ids[before + k2] = copy[k2];
        p->tmp = end;
    }
    team_sync(&m->t);
    m->tmp = p->tmp;
    p->done += n;
    if (p->done == p->all) {
        *v = gx_v_make((u8)type, p->all, type == GX_T_SET ? (void *)p->ids : p->made);
        if (type == GX_T_SET)
            v->off = (const u32 *)p->made;
        return GX_OK;
    }
    GX_TRY(gx_check_budget(m));                 /* each part is short, there may be thousands */
    const u64 most = shared < room ? shared : room;     /* what is made for each part anew is no more work than the part itself */
    u64 next = (p->most > most ? p->most : most) / row;
    next = next > (u64)n * 8 ? (u64)n * 8 : next ? next : 1;
    s->n = next < p->all - p->done ? (u32)next : p->all - p->done;
    s->map += n;
    gx_scope_advance(s, n);
    *again = 1;
    return GX_OK;
}

/*
 * Rounds. Of `following-sibling::row[@v > current()/@v][1]` a row needs the candidates up to the first that holds: the first round takes a few
 * of each node, the next four times as many of those nodes that have none, behind those already seen. So a node looks at no more than five times
 * as many as it must, where all candidates would be rows x nodes. A team that shares few nodes takes all of their candidates at once.
 */
#define GX_ROUND_FIRST 8u
#define GX_ROUND_WORK (1u << (TEAM_IS_SOLO ? 17 : 20))  /* candidates of all nodes together */
GX_OP_BIG gx_status gx_rounds_open(gx_m *m, const gx_scope *outer, gx_v *v, gx_scope *inner)
{
    gx_rounds p, *shared;
    u32 *map;

    GX_TRY(gx_v_dense(m, v, outer->n));
    GX_CLEAR(&p);
    p.row = v->off;
    p.rows = outer->n;
    p.all = gx_v_total(v);
    p.most = TEAM_IS_SOLO || p.all > 64 ? GX_ROUND_FIRST : 0;
    GX_TMP(m, p.found, u32, p.all);
    GX_TMP(m, p.half[0], u32, (u64)p.all * 4);
    GX_TMP(m, p.half[1], u32, (u64)p.all * 4);
    GX_TMP(m, shared, gx_rounds, 1);
    GX_TMP(m, map, u32, p.all);
    p.tmp = m->tmp;
    TEAM_FOR(&m->t, k, p.all) {
        const u32 r = v->off ? gx_row_of(v->off, outer->n, k) : k;
        p.found[k] = GX_NONE;
        map[k] = outer->once ? 0 : outer->map ? outer->map[r] : r;
    }
    if (team_rank(&m->t) == 0)
        *shared = p;
    team_sync(&m->t);
    GX_CLEAR(inner);
    inner->n = p.all;
    inner->context = (const u32 *)v->data;
    inner->map = map;
    inner->rounds = shared;
    return GX_OK;
}

/* The candidates that the predicates will choose from */
GX_OP_BIG void gx_rounds_take(gx_m *m, gx_rounds *p, const gx_v *c)
{
    if (team_rank(&m->t) == 0) {
        p->off = c->off;
        p->ids = (const u32 *)c->data;
        p->n_seg = c->type == GX_V_CAND ? c->n_seg : 0;
    }
    team_sync(&m->t);
}

/* Takes a round's finds. *again: the scope is the next round's; else c is the candidates of all nodes. */
GX_OP_BIG gx_status gx_rounds_close(gx_m *m, gx_scope *s, gx_v *c, int *again)
{
    gx_rounds p = *s->rounds;
    const u32 n = s->n;
    u32 *off, *ids, *index, left, total;

    *again = 0;
    if (c->n_seg != n || p.n_seg != n)          /* in no program of the compiler's */
        return gx_raise(m, GX_EBAD, GX_RE_TYPE, gx_str_none());
    GX_TMP(m, index, u32, (u64)n + 1);
    TEAM_FOR(&m->t, k, n) {
        const int found = c->off[k + 1] != c->off[k];
        if (found)
            p.found[p.which ? p.which[k] : k] = ((const u32 *)c->data)[c->off[k]];
        index[k] = !found && p.most && p.off[k + 1] - p.off[k] == p.most;
    }
    GX_TRY(gx_scan(m, index, n, &left));
    if (left) {
        u32 *which = p.half[p.turn], *after = which + p.all, *context = after + p.all, *map = context + p.all;
        GX_TRY(gx_check_budget(m));
        TEAM_FOR(&m->t, k1, n)
            if (index[k1 + 1] != index[k1]) {
                which[index[k1]] = p.which ? p.which[k1] : k1;
                after[index[k1]] = p.ids[p.off[k1 + 1] - 1];
                context[index[k1]] = s->context[k1];
                map[index[k1]] = s->map[k1];
            }
        const u32 most = p.most * 4, room = GX_ROUND_WORK / left;
        p.most = most <= room ? most : room > GX_ROUND_FIRST ? room : GX_ROUND_FIRST;
        p.turn ^= 1;
        p.which = which;
        p.after = after;
        team_sync(&m->t);
        if (team_rank(&m->t) == 0)
            *s->rounds = p;
        team_sync(&m->t);
        s->n = left;
        s->context = context;
        s->map = map;
        m->tmp = p.tmp;
        *again = 1;
        return GX_OK;
    }
    GX_TMP(m, off, u32, (u64)p.all + 1);
    TEAM_FOR(&m->t, i, p.all)
        off[i] = p.found[i] != GX_NONE;
    GX_TRY(gx_scan(m, off, p.all, &total));
    GX_TMP(m, ids, u32, total);
    TEAM_FOR(&m->t, j, p.all)
        if (off[j + 1] != off[j])
            ids[off[j]] = p.found[j];
    team_sync(&m->t);
    *c = gx_v_make(GX_V_CAND, p.rows, ids);
    c->off = off;
    c->n_seg = p.all;
    c->row = p.row;
    return GX_OK;
}

/* SIBLINGS' scope. Its rows are those of the rows around it, NULL: the same. */
GX_OP_BIG gx_status gx_siblings_open(gx_m *m, const gx_scope *outer, gx_scope *inner)
{
    const u32 n = outer->n, *heads;
    u32 *starts, *context;

    GX_CLEAR(inner);
    inner->context = outer->context;
    inner->tmp = m->tmp;
    GX_TMP(m, starts, u32, (u64)n + 1);
    TEAM_FOR(&m->t, i, n)
        starts[i] = !i || !gx_are_siblings(m, outer->context[i - 1], outer->context[i]);
    GX_TRY(gx_runs(m, starts, n, &inner->n, &heads, &inner->rows));
    if (!heads)
        return GX_OK;
    GX_TMP(m, context, u32, inner->n);
    TEAM_FOR(&m->t, k, inner->n)
        context[k] = outer->context[heads[k]];
    team_sync(&m->t);
    inner->context = context;
    return GX_OK;
}

/*
 * OUTER's scope: the frames that the scope around it has rows of, one after the other, as its map ascends. In parts those are few: all frames
 * for each part would be frames x parts. *outer is scope 0.
 */
GX_OP_BIG gx_status gx_outer_open(gx_m *m, const gx_scope *outer, const gx_scope *around, gx_scope *inner)
{
    const u32 first = around->n && around->map ? around->map[0] : 0;
    const u32 n = !around->map ? outer->n : around->n ? around->map[around->n - 1] - first + 1 : 0;

    *inner = *outer;
    if (n == outer->n)
        return GX_OK;
    u32 *map;
    GX_TMP(m, map, u32, n);
    TEAM_FOR(&m->t, i, n)
        map[i] = first + i;
    team_sync(&m->t);
    inner->n = n;
    inner->map = map;
    gx_scope_advance(inner, first);
    return GX_OK;
}

/* Are these nodes all in the tree of node `of`? Asked of a scope's rows, this is the same each time that an instruction begins again,
 * however many trees it has made by then (call.h). */
GX_OP_BIG int gx_in_one_tree(gx_m *m, const u32 *nodes, u32 n, u32 of)
{
    int apart = 0;

    if (GX_MAX_DOCS == 1 || !n || gx_one_tree(m))
        return 1;
    const gx_view *v = gx_view_of(m, of);
    const u32 root = gx_root_of(v, of), end = v->base + v->next[root - v->base];
    TEAM_FOR(&m->t, i, n)
        apart |= nodes[i] < root || nodes[i] >= end;
    return !team_any(&m->t, apart);
}

/* Its value for the rows around it */
GX_OP_BIG gx_status gx_outer_close(gx_m *m, const gx_scope *inner, const gx_scope *around, gx_v *v)
{
    u32 *rows;

    if (inner->n == 1) {
        v->is_const = 1;
        v->n = 1;
        return GX_OK;
    }
    if (!inner->map || !inner->n)
        return gx_v_gather(m, v, around->map, around->n);
    GX_TMP(m, rows, u32, around->n);
    TEAM_FOR(&m->t, i, around->n)
        rows[i] = around->map[i] - inner->map[0];
    team_sync(&m->t);
    return gx_v_gather(m, v, rows, around->n);
}

/*
 * What ONCE marks is evaluated once a wave. Loops by recursion, `$i <= count(/t/row)` and `/t/row[$i]`, have a wave a step: what is met a second time
 * is kept then, and is the same until the end. (Not the first time: most are not met again, and a copy of a large set is work.)
 */
GX_OP gx_once *gx_once_at(const gx_m *m, u32 op) { return m->run->onces + op % GX_ONCES; }
GX_OP int gx_once_known(const gx_m *m, u32 op, u32 node)
{
    return m->run->onces && gx_once_at(m, op)->op == op + 1 && gx_once_at(m, op)->root == gx_root_of(gx_view_of(m, node), node);
}
GX_OP_BIG gx_status gx_once_keep(gx_m *m, u32 op, u32 node, gx_v *v)
{
    gx_once *once = gx_once_at(m, op);
    const u32 seen = m->onces_seen;

    m->onces_seen |= 1u << op % 32;
    if (!m->run->onces || !(seen & 1u << op % 32) || once->op)
        return GX_OK;
    if (v->type == GX_T_SET) {
        GX_TRY(gx_v_flat(m, v, 1));
        if (gx_v_total(v) > (m->top_end - m->top) / 64)     /* a sixteenth of what is left */
            return GX_OK;
    }
    gx_col value;
    GX_TRY(gx_store(m, v, 1, &value));
    team_sync(&m->t);
    if (team_rank(&m->t) == 0) {
        once->op = op + 1;
        once->root = gx_root_of(gx_view_of(m, node), node);
        once->value = value;
    }
    m->lasting++;
    team_sync(&m->t);
    return GX_OK;
}

GX_OP gx_v gx_v_const(u8 type, const void *data) { gx_v v = gx_v_make(type, 1, (void *)data); v.is_const = 1; return v; }

/* *out: n == env->scope.n rows, or const. Everything is scratch of the running instruction, or kept, or the program's. */
GX_OP_BIG gx_status gx_eval(gx_m *m, u32 expr, const gx_env *env, gx_v *out)
{
    const gx_expr *x = &m->run->exprs[expr];
    gx_v local[GX_LOCAL_STACK], *st = local;
    gx_scope local_scopes[6], *scopes = local_scopes;
    gx_eval_state e;
    u32 top = 0, depth = 0, n;

    if (x->max_stack + 2u > GX_LOCAL_STACK || x->max_scope + 1u > 6) {          /* a stack for each member */
        u32 size = x->max_stack + 2, levels = x->max_scope + 2;
        gx_v *all;
        gx_scope *all_scopes;
        GX_TMP(m, all, gx_v, (u64)size * team_size(&m->t));
        GX_TMP(m, all_scopes, gx_scope, (u64)levels * team_size(&m->t));
        st = all + (u64)size * team_rank(&m->t);
        scopes = all_scopes + (u64)levels * team_rank(&m->t);
    }
    e.m = m;
    e.env = env;
    e.ops = m->run->ops + x->first;
    e.n_ops = x->n;
    e.scope = &env->scope;
    n = e.scope->n;
    if (x->max_scope) {                         /* what is copied waits for what was just written: see gx_v_load */
        scopes[0] = env->scope;
        e.scope = scopes;
    }
    if (x->max_stack == 1)                      /* the value is made where it is wanted */
        st = out;
    for (u32 pc = 0; pc < x->n; pc++) {
        const gx_op op = e.ops[pc];
        gx_v v;
        GX_TRY(gx_spend(m, n / GX_ROWS_PER_INSTANCE));
        switch (op.op) {
        case GX_X_NUM:
            st[top++] = gx_v_const(GX_T_NUM, m->run->nums + op.b);
            break;
        case GX_X_STR: {
            gx_str *s;
            GX_TMP(m, s, gx_str, 1);
            if (team_rank(&m->t) == 0)
                *s = gx_lit_str(m, op.b);
            team_sync(&m->t);
            st[top++] = gx_v_const(GX_T_STR, s);
            break;
        }
        case GX_X_BOOL:
            st[top++] = gx_v_const(GX_T_BOOL, m->run->bits + (op.b ? 4 : 0));
            break;
        case GX_X_CONTEXT:
            st[top++] = gx_v_make(GX_T_SET, n, (void *)e.scope->context);
            break;
        case GX_X_CURRENT: {
            u32 *ids;
            if (!e.scope->map) {
                st[top++] = gx_v_make(GX_T_SET, n, (void *)(e.scope->once ? e.scope->context : env->scope.context));
                break;
            }
            GX_TMP(m, ids, u32, n);
            TEAM_FOR(&m->t, i, n)
                ids[i] = env->scope.context[e.scope->map[i]];
            team_sync(&m->t);
            st[top++] = gx_v_make(GX_T_SET, n, ids);
            break;
        }
        case GX_X_ROOT: {
            u32 *ids;
            if (gx_one_tree(m)) {
                st[top++] = gx_v_const(GX_T_SET, m->run->zero);
                break;
            }
            GX_TMP(m, ids, u32, n);
            TEAM_FOR(&m->t, i, n)
                ids[i] = gx_root_of(gx_view_of(m, e.scope->context[i]), e.scope->context[i]);
            team_sync(&m->t);
            st[top++] = gx_v_make(GX_T_SET, n, ids);
            break;
        }
        case GX_X_POSITION: case GX_X_LAST: {
            double *d;
            const u32 *from = op.op == GX_X_POSITION ? e.scope->position : e.scope->size;
            GX_TMP(m, d, double, n);
            if (from)
                team_numbers(&m->t, n, gx_number_place, from, d);
            else
                TEAM_FOR(&m->t, i, n)
                    d[i] = 1;
            team_sync(&m->t);
            st[top++] = gx_v_make(GX_T_NUM, n, d);
            break;
        }
        case GX_X_VAR:
            GX_TRY(gx_load_var(&e, op.a, op.b, &st[top]));
            GX_TRY(gx_is_as_said(m, &st[top], op.type));
            top++;
            break;
        case GX_X_GLOBAL:
            if (m->run->global_state[op.b] != 2) {
                m->need_kind = 0;
                m->need_index = op.b;
                return GX_NEED;
            }
            gx_v_load(m, &m->run->global_cols[op.b], &st[top]);
            GX_TRY(gx_is_as_said(m, &st[top], op.type));
            top++;
            break;
        case GX_X_STEP: {
            const int preds = (op.a & GX_STEP_PREDS) != 0, plain = preds && gx_step_plain(e.ops, x->n, pc);
            GX_TRY(gx_is_set(m, &st[top - 1]));
            GX_TRY(gx_v_flat(m, &st[top - 1], n));
            GX_TRY(gx_step(m, &st[top - 1], op.a, op.b, preds && !plain, preds && !plain && !st[top - 1].off ? e.scope->rounds : NULL, &v));
            if (e.scope->rounds)
                gx_rounds_take(m, e.scope->rounds, &v);
            if (plain)                  /* candidates are the merged rows */
                GX_TRY(gx_v_candidates(m, &v));
            v.is_const = st[top - 1].is_const;
            st[top - 1] = v;
            break;
        }
        case GX_X_COUNT:
            GX_TRY(gx_is_set(m, &st[top - 1]));
            GX_TRY(gx_v_flat(m, &st[top - 1], n));
            GX_TRY(gx_step_count(m, &st[top - 1], op.a, op.b, &v));
            v.is_const = st[top - 1].is_const;
            st[top - 1] = v;
            break;
        case GX_X_FILTER:
            GX_TRY(gx_is_set(m, &st[top - 1]));
            GX_TRY(gx_v_flat(m, &st[top - 1], n));
            if (op.b)
                GX_TRY(gx_part_by_parent(m, &st[top - 1], op.b == GX_FILTER_TOGETHER, n));
            if (st[top - 1].type != GX_V_CAND)
                GX_TRY(gx_v_candidates(m, &st[top - 1]));
            break;
        case GX_X_STEP_END:
            GX_TRY(gx_step_end(m, &st[top - 1], &v));
            v.is_const = st[top - 1].is_const;
            st[top - 1] = v;
            break;
        case GX_X_PRED: {
            gx_v *c = &st[top - 1];
            if (!c->off[c->n_seg]) {    /* there is no candidate that it could be evaluated for: nor is what is the same for all of them */
                pc = op.b;
                break;
            }
            if (c->is_const && !e.scope->once && n != 1) {
                int position, map;
                gx_pred_needs(e.ops, pc + 1, op.b, &position, &map);
                if (map)
                    GX_TRY(gx_pred_spread(m, c, n));
            }
            GX_TRY(gx_pred_open(&e, c, pc + 1, op.b, &scopes[depth + 1]));
            depth++;
            e.scope = &scopes[depth];
            n = e.scope->n;
            break;
        }
        case GX_X_PRED_END:
            v = st[--top];
            GX_TRY(gx_pred_close(m, &st[top - 1], &v));
            e.scope = &scopes[--depth];
            n = e.scope->n;
            break;
        case GX_X_NTH:
            GX_TRY(gx_nth(m, &st[top - 1], op.b));
            break;
        case GX_X_AT:
            top--;
            GX_TRY(gx_keep_places(m, &op, &st[top - 1], &st[top], NULL, n));
            break;
        case GX_X_BETWEEN:
            top -= 2;
            GX_TRY(gx_keep_places(m, &op, &st[top - 1], &st[top], &st[top + 1], n));
            break;
        case GX_X_RANGE:
            GX_TRY(gx_first_to_last(m, &st[top - 1], op.a, op.b));
            break;
        case GX_X_UNION:
            GX_TRY(gx_is_set(m, &st[top - 2]));
            GX_TRY(gx_is_set(m, &st[top - 1]));
            GX_TRY(gx_union(m, &st[top - 2], &st[top - 1], n, &v));
            st[--top - 1] = v;
            break;
        case GX_X_OR: case GX_X_AND:
            GX_TRY(gx_to_bool(m, &st[top - 2], n));
            GX_TRY(gx_to_bool(m, &st[top - 1], n));
            GX_TRY(gx_both(m, op.op, &st[top - 2], &st[top - 1], n, &v));
            st[--top - 1] = v;
            break;
        case GX_X_EQ: case GX_X_NE: case GX_X_LT: case GX_X_LE: case GX_X_GT: case GX_X_GE:
            GX_TRY(gx_compare(m, op.op, &st[top - 2], &st[top - 1], n, &v));
            st[--top - 1] = v;
            break;
        case GX_X_ADD: case GX_X_SUB: case GX_X_MUL: case GX_X_DIV: case GX_X_MOD:
            GX_TRY(gx_to_num(m, &st[top - 2], n));
            GX_TRY(gx_to_num(m, &st[top - 1], n));
            GX_TRY(gx_arith(m, op.op, &st[top - 2], &st[top - 1], n, &v));
            st[--top - 1] = v;
            break;
        case GX_X_NEG: {
            double *d;
            u32 rows = gx_v_rows(&st[top - 1], n);
            GX_TRY(gx_to_num(m, &st[top - 1], n));
            GX_TMP(m, d, double, rows);
            TEAM_FOR(&m->t, i, rows)
                d[i] = -((const double *)st[top - 1].data)[i];
            team_sync(&m->t);
            st[top - 1].data = d;
            break;
        }
        case GX_X_TO_STR: GX_TRY(gx_to_str(m, &st[top - 1], n)); break;
        case GX_X_TO_NUM: GX_TRY(gx_to_num(m, &st[top - 1], n)); break;
        case GX_X_TO_BOOL: GX_TRY(gx_to_bool(m, &st[top - 1], n)); break;
        case GX_X_TO_SET: GX_TRY(gx_is_set(m, &st[top - 1])); break;
        case GX_X_FUNC:
            if (m->run->program->functions.n && gx_is_fresh(op.a))
                GX_TRY(gx_call_fresh(&e, op.a, op.b, &st[top - op.b], &v));
            else
                GX_TRY(gx_call(&e, op.a, op.b, &st[top - op.b], &v));
            top -= op.b;
            st[top++] = v;
            break;
        case GX_X_CALL: {
            u32 argc = GX_CALL_ARGC(op.a), next = pc + 1 < x->n ? e.ops[pc + 1].op : GX_X_END;
            u32 want = next == GX_X_TO_STR ? GX_T_STR : next == GX_X_TO_NUM ? GX_T_NUM : next == GX_X_TO_BOOL ? GX_T_BOOL
                     : next == GX_X_TO_SET ? GX_T_SET : GX_T_ANY;
            GX_TRY(gx_call_function(&e, op.b, argc, want, &st[top - argc], &v));
            top -= argc;
            st[top++] = v;
            break;
        }
        case GX_X_ONCE: {
            gx_scope *s = &scopes[depth + 1];
            *s = *e.scope;
            if (!s->once && gx_in_one_tree(m, e.scope->context, n, n ? e.scope->context[0] : 0)) {
                if (op.a && gx_once_known(m, x->first + pc, n ? e.scope->context[0] : 0)) {
                    gx_v_load(m, &gx_once_at(m, x->first + pc)->value, &st[top++]);
                    pc = op.b;
                    break;
                }
                s->once = 2;            /* opened here */
                s->context = n ? e.scope->context : m->run->zero;
                s->n = 1;
                s->map = NULL;
            }
            depth++;
            e.scope = s;
            n = s->n;
            break;
        }
        case GX_X_ONCE_END:
            if (e.scope->once == 2) {
                st[top - 1].is_const = 1;
                st[top - 1].n = 1;
                if (e.ops[op.b].a)
                    GX_TRY(gx_once_keep(m, x->first + op.b, e.scope->context[0], &st[top - 1]));
            }
            e.scope = &scopes[--depth];
            n = e.scope->n;
            break;
        case GX_X_OUTER: {
            const gx_scope *rows = &scopes[0];
            const u32 outer = !op.a || !n || (gx_in_one_tree(m, e.scope->context, n, e.scope->context[0])
                                              && gx_in_one_tree(m, rows->context, rows->n, e.scope->context[0]));
            if (outer)
                GX_TRY(gx_outer_open(m, &scopes[0], e.scope, &scopes[depth + 1]));
            else
                scopes[depth + 1] = *e.scope;
            e.scope = &scopes[++depth];
            scopes[depth].outer = (u16)outer;
            n = e.scope->n;
            break;
        }
        case GX_X_OUTER_END:
            e.scope = &scopes[--depth];
            n = e.scope->n;
            if (scopes[depth + 1].outer)
                GX_TRY(gx_outer_close(m, &scopes[depth + 1], e.scope, &st[top - 1]));
            break;
        case GX_X_WHERE:
            GX_TRY(gx_where_open(m, e.scope, &st[top - 1], op.a, &scopes[depth + 1]));
            if (!scopes[depth + 1].n) {
                pc = op.b;
                break;
            }
            depth++;
            e.scope = &scopes[depth];
            n = e.scope->n;
            break;
        case GX_X_WHERE_END:
            top--;
            GX_TRY(gx_where_close(m, &scopes[depth - 1], &scopes[depth], &st[top], &st[top - 1]));
            e.scope = &scopes[--depth];
            n = e.scope->n;
            break;
        case GX_X_JOIN: {
            const gx_v *set = &st[top - (GX_JOIN_TWO(op.a) ? 3 : 2)];
            GX_TRY(gx_is_set(m, set));
            GX_TRY(gx_join_open(m, e.scope, set, &scopes[depth + 1]));
            e.scope = &scopes[++depth];
            n = e.scope->n;
            break;
        }
        case GX_X_JOIN_END:
            n = scopes[depth - 1].n;
            top -= GX_JOIN_TWO(op.a) ? 4 : 2;
            GX_TRY(gx_join_close(m, e.scope, op.a, op.type == GX_T_NUM, &st[top - 1], n, &v));
            e.scope = &scopes[--depth];
            st[top - 1] = v;
            break;
        case GX_X_SIBLINGS:
            GX_TRY(gx_siblings_open(m, e.scope, &scopes[depth + 1]));
            e.scope = &scopes[++depth];
            n = e.scope->n;
            break;
        case GX_X_SIBLINGS_END:
            e.scope = &scopes[--depth];
            n = e.scope->n;
            if (scopes[depth + 1].n == 1)
                m->shared += m->tmp - scopes[depth + 1].tmp;
            GX_TRY(gx_v_gather(m, &st[top - 1], scopes[depth + 1].rows, n));
            break;
        case GX_X_PARTS:
            GX_TRY(gx_parts_open(m, e.scope, op.type, &scopes[depth + 1]));
            e.scope = &scopes[++depth];
            n = e.scope->n;
            break;
        case GX_X_ROUNDS:
            GX_TRY(gx_rounds_open(m, e.scope, &st[--top], &scopes[depth + 1]));
            e.scope = &scopes[++depth];
            n = e.scope->n;
            break;
        case GX_X_PARTS_END: case GX_X_ROUNDS_END: {
            int again;
            GX_TRY(op.op == GX_X_PARTS_END ? gx_parts_close(m, &scopes[depth], op.type, &st[top - 1], &again) : gx_rounds_close(m, &scopes[depth], &st[top - 1], &again));
            if (again) {
                top--;
                pc = op.b;
            } else
                e.scope = &scopes[--depth];
            n = e.scope->n;
            break;
        }
        default:
            break;
        }
    }
    if (st != out)
        *out = st[0];
    return GX_OK;
}

#endif
