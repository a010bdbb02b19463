/*
 * sort.h -- xsl:sort (XSLT 1.0, 10): a stable order of each row's nodes by columns of keys
 *
 * Keys are evaluated once, as columns over all pairs. The order is a merge sort of indexes by comparison of the keys in turn, ties
 * by the index itself: stable, so any correct sort gives the same result on every team. (merge.h)
 */
#ifndef GX_OP_SORT_H
#define GX_OP_SORT_H

#include "collate.h"
#include "expr.h"
#include "merge.h"

typedef struct gx_sort_key { gx_v v; const gx_alphabet *alphabet; u8 number, descending; u8 case_order; u8 pad; } gx_sort_key;

/* for gx_merge: does pair a come before pair b? */
typedef struct gx_sorting { const gx_m *m; const gx_sort_key *keys; u32 n_keys; gx_watch *watch; } gx_sorting;
GX_OP int gx_sort_before(const void *ctx, u32 a, u32 b)
{
    const gx_sorting *sorting = (const gx_sorting *)ctx;
    const gx_m *m = sorting->m;
    const gx_sort_key *keys = sorting->keys;
    const u32 n_keys = sorting->n_keys;

    for (u32 k = 0; k < n_keys; k++) {
        const gx_sort_key *key = &keys[k];
        int c;
        if (key->v.is_const)
            continue;
        if (key->number) {
            double x = ((const double *)key->v.data)[a], y = ((const double *)key->v.data)[b];
            int nx = gx_is_nan(x), ny = gx_is_nan(y);
            c = nx || ny ? ny - nx : (x > y) - (x < y);         /* NaN before all numbers */
        } else {
            gx_str x = ((const gx_str *)key->v.data)[a], y = ((const gx_str *)key->v.data)[b];
            if (gx_watch_late(m, sorting->watch, x.len < y.len ? x.len : y.len))
                break;                          /* any order will do: nobody sees it */
            c = gx_text_collate(gx_bytes(m, x), x.len, gx_bytes(m, y), y.len, key->case_order, key->alphabet);
        }
        if (c)
            return key->descending ? c > 0 : c < 0;
    }
    return a < b;
}

/* is the row-0 value of an attribute value template the given word? */
GX_OP int gx_avt_is(const gx_m *m, const gx_v *v, const char *word, u32 len)
{
    gx_str s = v->n ? gx_row_str(m, v, 0) : gx_str_none();
    return s.len == len && gx_bytes_equal(gx_bytes(m, s), word, len);
}

/*
 * Sorts the ids of each row of set (dense) by the specs. context: env of the instruction (rows of set are its rows). The result
 * replaces set's data by a scratch array.
 */
GX_OP_BIG gx_status gx_sort_set(gx_m *m, const gx_env *outer, gx_v *set, u32 first, u32 n_keys)
{
    u32 total = gx_v_total(set), *perm, *aux, *ids, *rows = NULL, *position, *size;
    gx_sort_key *keys;
    gx_env env;

    if (!set->off || total == 0)
        return GX_OK;
    GX_TMP(m, position, u32, total);
    GX_TMP(m, size, u32, total);
    GX_TRY(gx_pair_rows(m, set, &rows));
    TEAM_FOR(&m->t, k, total) {
        position[k] = k - set->off[rows[k]] + 1;
        size[k] = set->off[rows[k] + 1] - set->off[rows[k]];
    }
    team_sync(&m->t);
    env = gx_env_nodes((const u32 *)set->data, total);
    env.scope.position = position;
    env.scope.size = size;
    env.group_row = rows;
    GX_TMP(m, keys, gx_sort_key, (u64)n_keys * team_size(&m->t));
    keys += (u64)n_keys * team_rank(&m->t);
    for (u32 k = 0; k < n_keys; k++) {
        const gx_sort *s = &m->run->sorts[first + k];
        gx_v v;
        keys[k].number = s->number;
        keys[k].descending = s->descending;
        keys[k].case_order = s->upper_first == 1 ? GX_SORT_UPPER_FIRST : GX_SORT_LOWER_FIRST;
        keys[k].alphabet = NULL;
        if (s->lang != GX_NONE) {
            GX_TRY(gx_eval(m, s->lang, outer, &v));
            if (v.n) {
                gx_str lang = gx_row_str(m, &v, 0);
                keys[k].alphabet = gx_alphabet_of(gx_bytes(m, lang), lang.len);
            }
        }
        if (!s->is_static) {
            if (s->data_type != GX_NONE) {
                GX_TRY(gx_eval(m, s->data_type, outer, &v));
                keys[k].number = (u8)gx_avt_is(m, &v, "number", 6);
            }
            if (s->order != GX_NONE) {
                GX_TRY(gx_eval(m, s->order, outer, &v));
                keys[k].descending = (u8)gx_avt_is(m, &v, "descending", 10);
            }
            if (s->case_order != GX_NONE) {
                GX_TRY(gx_eval(m, s->case_order, outer, &v));
                keys[k].case_order = gx_avt_is(m, &v, "upper-first", 11) ? GX_SORT_UPPER_FIRST : GX_SORT_LOWER_FIRST;
            }
        }
        GX_TRY(gx_eval(m, s->select, &env, &keys[k].v));
        if (keys[k].number)
            GX_TRY(gx_to_num(m, &keys[k].v, total));
        else
            GX_TRY(gx_to_str(m, &keys[k].v, total));
    }
    GX_TMP(m, perm, u32, total);
    GX_TMP(m, aux, u32, total);
    GX_TMP(m, ids, u32, total);
    gx_watch watch = gx_watch_start();
    const gx_sorting sorting = { m, keys, n_keys, &watch };
    const u32 *order = gx_merge(m, gx_sort_before, &sorting, perm, aux, set->off, rows, set->n, total);
    GX_TRY(gx_watch_end(m, &watch));
    TEAM_FOR(&m->t, j, total)
        ids[j] = ((const u32 *)set->data)[order[j]];
    team_sync(&m->t);
    set->data = ids;
    return GX_OK;
}

#endif
