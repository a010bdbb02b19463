/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sort.h -- xsl:sort (XSLT 1.0, 10): a stable order of each row's nodes by columns of keys
 *
 * Keys are evaluated once, as columns over all pairs. The order is a merge sort of indexes by comparison of the keys in
 * turn, ties by the index itself: stable, so any correct sort gives the same result on every team. (merge.h)
 */
#ifndef GX_MACHINE_SORT_H
#define GX_MACHINE_SORT_H

#include "budget.h"
#include "collate.h"
#include "column.h"
#include "eval.h"
#include "machine.h"
#include "match.h"
#include "memory.h"
#include "merge.h"
#include "value.h"

typedef struct gx_sort_way { const gx_alphabet *alphabet; u8 number, descending, case_order; } gx_sort_way;
/* ways: each row's, where attributes are computed from what differs between rows; else NULL, and `way` is every row's.
 * v: the values as strings, num: as numbers, each where a row wants it */
typedef struct gx_sort_key { gx_v v, num; gx_sort_way way; const gx_sort_way *ways; } gx_sort_key;

/* for gx_merge: does pair a come before pair b, of the same row? */
typedef struct gx_sorting {
    const gx_m *m;
    const gx_sort_key *keys;
    u32 n_keys;
    const u32 *rows, *ids;      /* of each pair; equal keys: as the ids are, which is document order */
    gx_watch *watch;
} gx_sorting;
/* Does pair a come before pair b? For gx_merge(). Keys in turn: a const key decides nothing; numbers with NaN first;
 * texts by gx_text_collate(). Descending turns the answer, and NaN with it. Equal in all keys: the order of the pairs,
 * so the sort is stable and the same on every team. O(bytes of the keys), counted. */
GX_OP int gx_sort_before(const void *ctx, u32 a, u32 b)
{
    const gx_sorting *sorting = (const gx_sorting *)ctx;
    const gx_m *m = sorting->m;
    const gx_sort_key *keys = sorting->keys;
    const u32 n_keys = sorting->n_keys;

    for (u32 k = 0; k < n_keys; k++) {
        const gx_sort_key *key = &keys[k];
        const gx_sort_way *way = key->ways ? &key->ways[sorting->rows[a]] : &key->way;
        int c;
        if (key->v.is_const)
            continue;
        if (way->number) {
            double x = ((const double *)key->num.data)[a], y = ((const double *)key->num.data)[b];
            int nx = gx_is_nan(x), ny = gx_is_nan(y);
            c = nx || ny ? ny - nx : (x > y) - (x < y);         /* NaN before all numbers */
        } else {
            gx_str x = ((const gx_str *)key->v.data)[a], y = ((const gx_str *)key->v.data)[b];
            if (gx_watch_late(m, sorting->watch, x.len < y.len ? x.len : y.len))
                break;                          /* any order will do: nobody sees it */
            c = gx_text_collate(gx_bytes(m, x), x.len, gx_bytes(m, y), y.len, way->case_order, way->alphabet);
        }
        if (c)
            return way->descending ? c > 0 : c < 0;
    }
    return sorting->ids[a] != sorting->ids[b] ? sorting->ids[a] < sorting->ids[b] : a < b;
}

/* is a row's value of an attribute value template the given word? */
GX_OP int gx_avt_is(const gx_m *m, const gx_v *v, u32 row, const char *word, u32 len)
{
    gx_str s = gx_row_str(m, v, row);
    return s.len == len && gx_bytes_equal(gx_bytes(m, s), word, len);
}

/* The key's way or ways, from the attributes of s: one for all n rows, or one for each where an attribute is a
 * template that differs. *texts, *numbers: some row is sorted as text, as numbers. O(1), or O(n). Complete after the
 * next sync. Fails with GX_EARENA, and as gx_eval. */
GX_OP gx_status gx_sort_ways(gx_m *m, const gx_env *outer, const gx_sort *s, u32 n, gx_sort_key *key, int *texts,
                             int *numbers)
{
    enum { TYPE, ORDER, LETTERS, LANG, N_AVTS };
    const u32 exprs[N_AVTS] = { s->data_type, s->order, s->case_order, s->lang };
    const gx_sort_way given = { NULL, s->number, s->descending,
                                (u8)(s->upper_first == 1 ? GX_SORT_UPPER_FIRST : GX_SORT_LOWER_FIRST) };
    gx_v avts[N_AVTS];
    gx_sort_way *ways = &key->way;
    int by_row = 0;

    GX_CLEAR(&avts);
    for (u32 k = 0; k < N_AVTS; k++)
        if (exprs[k] != GX_NONE) {
            GX_TRY(gx_eval(m, exprs[k], outer, &avts[k]));
            by_row |= !avts[k].is_const;
        }
    key->ways = NULL;
    if (by_row) {
        GX_TMP(m, ways, gx_sort_way, n);
        key->ways = ways;
    }
    *texts = *numbers = 0;
    for (u32 r = by_row ? team_rank(&m->t) : 0; r < (by_row ? n : 1); r += by_row ? team_size(&m->t) : 1) {
        gx_sort_way way = given;
        if (exprs[TYPE] != GX_NONE)
            way.number = (u8)gx_avt_is(m, &avts[TYPE], r, "number", 6);
        if (exprs[ORDER] != GX_NONE)
            way.descending = (u8)gx_avt_is(m, &avts[ORDER], r, "descending", 10);
        if (exprs[LETTERS] != GX_NONE)
            way.case_order =
                gx_avt_is(m, &avts[LETTERS], r, "upper-first", 11) ? GX_SORT_UPPER_FIRST : GX_SORT_LOWER_FIRST;
        if (exprs[LANG] != GX_NONE) {
            const gx_str lang = gx_row_str(m, &avts[LANG], r);
            way.alphabet = gx_alphabet_of(gx_bytes(m, lang), lang.len);
        }
        *(way.number ? numbers : texts) = 1;
        ways[r] = way;
    }
    if (by_row) {
        *texts = team_any(&m->t, *texts);
        *numbers = team_any(&m->t, *numbers);
    }
    return GX_OK;
}

/* Does an expression ask nothing but the node that it is evaluated for, so that it has the same value wherever that is
 * asked again? */
GX_OP int gx_asks_node(const gx_m *m, u32 expr)
{
    const gx_expr *x = &m->run->exprs[expr];
    const u32 others = GX_FT_HOST | GX_FT_IMPURE | GX_FT_FRESH | GX_FT_TREES | GX_FT_DYNAMIC;

    for (u32 i = x->first; i < x->first + x->n; i++)
        if (m->run->ops[i].op == GX_X_CALL
            || (m->run->ops[i].op == GX_X_FUNC && gx_function_traits(m->run->ops[i].a) & others))
            return 0;
    return !(x->deps & (GX_DEP_LOCAL | GX_DEP_POSITION | GX_DEP_LAST));
}

/* Do the keys, of which no attribute is computed, ask nothing but the node? */
GX_OP_BIG int gx_sorts_ask_nodes(const gx_m *m, u32 first, u32 n)
{
    for (u32 k = first; k < first + n; k++) {
        const gx_sort *s = &m->run->sorts[k];
        if (s->data_type != GX_NONE || s->order != GX_NONE || s->case_order != GX_NONE || s->lang != GX_NONE
            || !gx_asks_node(m, s->select))
            return 0;
    }
    return 1;
}

/* *order: the pairs of set, dense, in the order of the keys, row by row. outer: env of the instruction, whose rows the
 * rows of set are, if a key asks for more than its node. */
GX_OP_BIG gx_status gx_sort_order(gx_m *m, const gx_env *outer, const gx_v *set, u32 first, u32 n_keys,
                                  const u32 **order)
{
    u32 total = gx_v_total(set), *perm, *aux, *rows = NULL, *position, *size;
    gx_sort_key *keys;
    gx_env env;

    GX_TMP(m, position, u32, total);
    GX_TMP(m, size, u32, total);
    GX_TRY(gx_pair_rows(m, set, &rows));
    TEAM_FOR(&m->t, k, total) {
        position[k] = k - set->off[rows[k]] + 1;
        size[k] = set->off[rows[k] + 1] - set->off[rows[k]];
    }
    team_sync(&m->t);
    gx_env_nodes(&env, (const u32 *)set->data, total);
    env.scope.position = position;
    env.scope.size = size;
    env.group_row = rows;
    GX_TMP(m, keys, gx_sort_key, (u64)n_keys * team_size(&m->t));
    keys += (u64)n_keys * team_rank(&m->t);
    for (u32 k = 0; k < n_keys; k++) {
        const gx_sort *s = &m->run->sorts[first + k];
        gx_v v;
        int texts, numbers;
        GX_TRY(gx_sort_ways(m, outer, s, set->n, &keys[k], &texts, &numbers));
        GX_TRY(gx_eval(m, s->select, &env, &v));
        keys[k].v = keys[k].num = v;
        if (numbers)
            GX_TRY(gx_to_num(m, &keys[k].num, total));
        if (texts)
            GX_TRY(gx_to_str(m, &keys[k].v, total));
    }
    GX_TMP(m, perm, u32, total);
    GX_TMP(m, aux, u32, total);
    gx_watch watch = gx_watch_start();
    const gx_sorting sorting = { m, keys, n_keys, rows, (const u32 *)set->data, &watch };
    *order = gx_merge(m, gx_sort_before, &sorting, perm, aux, set->off, rows, set->n, total);
    return gx_watch_end(m, &watch);
}

/* Sorts the ids of each row of set (dense). The result replaces set's data by a scratch array. */
GX_OP_BIG gx_status gx_sort_set(gx_m *m, const gx_env *outer, gx_v *set, u32 first, u32 n_keys)
{
    const u32 total = gx_v_total(set), *order = NULL;
    u32 *ids;

    if (!set->off || total == 0)
        return GX_OK;
    GX_TRY(gx_sort_order(m, outer, set, first, n_keys, &order));
    GX_TMP(m, ids, u32, total);
    TEAM_FOR(&m->t, j, total)
        ids[j] = ((const u32 *)set->data)[order[j]];
    team_sync(&m->t);
    set->data = ids;
    return GX_OK;
}

#endif
