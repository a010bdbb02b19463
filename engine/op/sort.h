/*
 * sort.h -- xsl:sort (XSLT 1.0, 10): a stable order of each row's nodes by columns of keys
 *
 * Keys are evaluated once, as columns over all pairs. The order is a merge sort of indexes by comparison of the keys in turn, ties
 * by the index itself: stable, so any correct sort gives the same result on every team. Several members merge together: each
 * looks up where its entries go.
 */
#ifndef GX_OP_SORT_H
#define GX_OP_SORT_H

#include "collate.h"
#include "expr.h"

typedef struct gx_sort_key { gx_v v; const gx_alphabet *alphabet; u8 number, descending; u8 case_order; u8 pad; } gx_sort_key;

GX_OP int gx_sort_before(const gx_m *m, const gx_sort_key *keys, u32 n_keys, u32 a, u32 b)
{
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
            c = gx_text_collate(gx_bytes(m, x), x.len, gx_bytes(m, y), y.len, key->case_order, key->alphabet);
        }
        if (c)
            return key->descending ? c > 0 : c < 0;
    }
    return a < b;
}

/* perm[i .. e) in order, by insertion */
GX_OP void gx_sort_few(const gx_m *m, const gx_sort_key *keys, u32 n_keys, u32 *perm, u32 i, u32 e)
{
    for (u32 j = i + 1; j < e; j++) {
        u32 x = perm[j], k = j;
        for (; k > i && gx_sort_before(m, keys, n_keys, x, perm[k - 1]); k--)
            perm[k] = perm[k - 1];
        perm[k] = x;
    }
}

#if TEAM_IS_SOLO
/* perm[b .. e) in order; aux: as large */
GX_OP_BIG void gx_sort_run(const gx_m *m, const gx_sort_key *keys, u32 n_keys, u32 *perm, u32 *aux, u32 b, u32 e)
{
    u32 *from = perm, *to = aux;

    for (u32 i = b; i < e; i += 8)
        gx_sort_few(m, keys, n_keys, perm, i, i + 8 < e ? i + 8 : e);
    for (u32 width = 8; width < e - b; width *= 2) {
        for (u32 i = b; i < e; i += 2 * width) {
            u32 l = i, lend = i + width < e ? i + width : e, r = lend, rend = lend + width < e ? lend + width : e;
            for (u32 k = i; k < rend; k++)
                if (l < lend && (r >= rend || !gx_sort_before(m, keys, n_keys, from[r], from[l])))
                    to[k] = from[l++];
                else
                    to[k] = from[r++];
        }
        u32 *x = from;
        from = to;
        to = x;
    }
    if (from != perm)
        for (u32 i = b; i < e; i++)
            perm[i] = from[i];
}
#else
/* Each row's perm[off[r] .. off[r + 1]) in order, by all members; rows: by entry. Returns perm or aux, where they are. */
GX_OP_BIG const u32 *gx_sort_rows(gx_m *m, const gx_sort_key *keys, u32 n_keys, u32 *perm, u32 *aux, const u32 *off, const u32 *rows, u32 n, u32 total)
{
    u32 *from = perm, *to = aux, longest = 0;

    TEAM_FOR(&m->t, r, n)
        longest = off[r + 1] - off[r] > longest ? off[r + 1] - off[r] : longest;
    longest = ~team_min(&m->t, ~longest);
    TEAM_FOR(&m->t, i, total) {
        const u32 e = off[rows[i] + 1];
        if ((i - off[rows[i]]) % 8 == 0)
            gx_sort_few(m, keys, n_keys, perm, i, i + 8 < e ? i + 8 : e);
    }
    team_sync(&m->t);
    for (u32 width = 8; width < longest; width *= 2) {
        TEAM_FOR(&m->t, k, total) {
            const u32 b = off[rows[k]], e = off[rows[k] + 1], first = b + (k - b) / (2 * width) * (2 * width), x = from[k];
            const u32 second = e - first > width ? first + width : e, end = e - first > 2 * width ? first + 2 * width : e;
            u32 lo = k < second ? second : first, hi = k < second ? end : second, other = lo;
            while (lo < hi) {                   /* those of the other run that come before x */
                const u32 mid = lo + (hi - lo) / 2;
                if (gx_sort_before(m, keys, n_keys, from[mid], x))
                    lo = mid + 1;
                else
                    hi = mid;
            }
            to[k < second ? k + (lo - other) : k - (second - first) + (lo - other)] = x;
        }
        team_sync(&m->t);
        u32 *x = from;
        from = to;
        to = x;
    }
    return from;
}
#endif

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
    TEAM_FOR(&m->t, i, total)
        perm[i] = i;
    team_sync(&m->t);
#if TEAM_IS_SOLO
    for (u32 r = 0; r < set->n; r++)
        gx_sort_run(m, keys, n_keys, perm, aux, set->off[r], set->off[r + 1]);
    const u32 *order = perm;
#else
    const u32 *order = gx_sort_rows(m, keys, n_keys, perm, aux, set->off, rows, set->n, total);
#endif
    TEAM_FOR(&m->t, j, total)
        ids[j] = ((const u32 *)set->data)[order[j]];
    team_sync(&m->t);
    set->data = ids;
    return GX_OK;
}

#endif
