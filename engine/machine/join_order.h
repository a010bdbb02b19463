/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join_order.h -- joins by numbers: equality, and one or two comparisons with <, <=, > or >=
 *
 *   one                @v > $x                      the candidates in the order of their numbers; a row's are found by
 *                                                   halving
 *   two of one use     @v > $x and @v < $y          the same: from here to there
 *   two                @from <= $t and @to > $t     in the order of the first, and in each block of 2, 4, 8 ... of that
 *                                                   order in the order of the
 *                                                   second (a merge sort whose levels are kept): a row's are in log n
 *                                                   blocks, found by halving in each
 *
 * A set's number is its greatest or least, whichever may hold. Found nodes are put into document order after that, so
 * where a row finds a good part of the candidates it runs through all of them instead. Cost: (candidates + rows) log,
 * squared for two; and what is found.
 */
#ifndef GX_MACHINE_JOIN_ORDER_H
#define GX_MACHINE_JOIN_ORDER_H

#include "join_ends.h"
#include "joining.h"

/* The least number that is more than d, so that `>` becomes `>=`; NaN for NaN and Infinity, than which none is more.
 * Doubles of one sign are ordered as their bits are. */
GX_OP double gx_number_above(double d)
{
    u64 bits;

    if (d == 0)
        bits = 1;
    else {
        memcpy(&bits, &d, 8);
        if (gx_is_nan(d) || d == gx_infinity())
            return gx_nan();
        bits = d > 0 ? bits + 1 : bits - 1;
    }
    memcpy(&d, &bits, 8);
    return d;
}

/* The number that stands for each of n rows of v, a column of its own even where v is const: of a set's nodes the
 * greatest or the least, since a comparison with a set holds if it holds for some node (XPath 1.0, 3.4). NaN where
 * there is none. O(nodes). Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_join_column(gx_m *m, gx_v *v, u32 n, int greatest, double **out)
{
    double *d;

    GX_TRY(gx_to_extremes(m, v, n, greatest));
    *out = (double *)v->data;
    if (!v->is_const)
        return GX_OK;
    GX_TMP(m, d, double, n);
    TEAM_FOR(&m->t, r, n)
        d[r] = **out;
    team_sync(&m->t);
    *out = d;
    return GX_OK;
}

/* One of the four order operators turned into `*use >= *value`, so that the rest need only know that one: for < and <=
 * both sides change their signs; for < and > the row's number becomes the next greater one. NaN on either side stays
 * NaN and holds for nothing. O(nodes of both). Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_join_least(gx_m *m, const gx_joining *j, u32 op, gx_v *uses, gx_v *values, const double **use,
                                  const double **value)
{
    const int up = op == GX_X_GT || op == GX_X_GE, strict = op == GX_X_GT || op == GX_X_LT;
    const u64 tmp = m->tmp;
    double *u, *v, *least, *turned;

    GX_TRY(gx_join_column(m, uses, j->total, up, &u));
    *use = u;
    if (!up) {
        GX_TMP(m, turned, double, j->total);
        TEAM_FOR(&m->t, k, j->total)
            turned[k] = -u[k];
        *use = turned;
    }
    m->shared += m->tmp - tmp;
    GX_TRY(gx_join_column(m, values, j->rows, !up, &v));
    GX_TMP(m, least, double, j->rows);
    TEAM_FOR(&m->t, r, j->rows) {
        const double x = up ? v[r] : -v[r];
        least[r] = strict ? gx_number_above(x) : x;
    }
    *value = least;
    team_sync(&m->t);
    return GX_OK;
}

/* for gx_merge: NaN behind all numbers */
GX_OP int gx_join_before(const void *ctx, u32 a, u32 b)
{
    const double x = ((const double *)ctx)[a], y = ((const double *)ctx)[b];

    if (x < y || x > y)
        return x < y;
    return gx_is_nan(x) != gx_is_nan(y) ? gx_is_nan(y) : a < b;
}
/* How many of d[b .. e), ascending, are less than x; with: or equal */
GX_OP u32 gx_join_below(const double *d, u32 b, u32 e, double x, int with)
{
    const u32 first = b;

    while (b < e) {
        const u32 mid = b + (e - b) / 2;
        if (d[mid] < x || (with && d[mid] == x))
            b = mid + 1;
        else
            e = mid;
    }
    return b - first;
}

/* Each set's candidates in the order of their numbers, NaN last; sorted: these */
typedef struct gx_join_order { const u32 *order; const double *sorted; } gx_join_order;

/* Sorts each set's candidates by their numbers. Equal ones stay in document order, which "=" relies on to give lists
 * without sorting them again. O(candidates x log of the longest set). Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_join_sort(gx_m *m, const gx_joining *j, const double *use, gx_join_order *out)
{
    u32 *perm, *aux, *set = NULL;
    double *sorted;

    if (j->sets->n > 1) {
        GX_TMP(m, set, u32, j->total);
        gx_expand_rows(m, j->sets->off, j->sets->n, set);
    }
    GX_TMP(m, perm, u32, j->total);
    GX_TMP(m, aux, u32, j->total);
    GX_TMP(m, sorted, double, j->total);
    out->order = gx_merge(m, gx_join_before, use, perm, aux, j->sets->off, set, j->sets->n, j->total);
    out->sorted = sorted;
    TEAM_FOR(&m->t, k, j->total)
        sorted[k] = use[out->order[k]];
    team_sync(&m->t);
    return GX_OK;
}

/* Where row r's candidates begin in the order, *first, and how many they are, for j->op and the row's number x: a run,
 * found by three searches. NaN finds none, and candidates that are NaN stand behind the run. O(log candidates). */
GX_OP u32 gx_join_found(const gx_joining *j, const gx_join_order *o, u32 r, double x, u32 *first)
{
    const u32 s = gx_join_set(j->sets, r), b = j->sets->off[s],
              e = b + gx_join_below(o->sorted, b, j->sets->off[s + 1], gx_infinity(), 1);
    const u32 less = gx_join_below(o->sorted, b, e, x, 0), no_more = gx_join_below(o->sorted, b, e, x, 1);
    const int above = j->op == GX_X_GT || j->op == GX_X_GE, with = j->op == GX_X_LE || j->op == GX_X_GT;

    *first = b + (j->op == GX_X_EQ ? less : above ? (with ? no_more : less) : 0);
    if (gx_is_nan(x))
        return 0;
    return j->op == GX_X_EQ ? no_more - less : above ? e - *first : with ? no_more : less;
}

/* ---- two comparisons ---- */

/*
 * The candidates in the order of one number (low, order), and levels of it in the order of another: level l's blocks of
 * 2^l, which begin at their set's first, are sorted by it.
 *
 *   order of `low`     3  5  6  8  9       a row with x = 4 wants from 5 on
 *   level 0            7| 1| 4| 2| 3       `value`: the second number
 *   level 1            1  7| 2  4| 3
 *   level 2            1  2  4  7| 3
 *
 * From any place on, at most 2 log n blocks cover the rest of the set, and in each block those with a second number of
 * at least y are a run at its end.
 */
typedef struct gx_join_tree {
    u32 levels;
    const double *low;
    const u32 *order;
    const u32 *ids[32];
    const double *value[32];
    const u32 *end[32];         /* the first or last candidate from here to the block's end, where one is wanted */
} gx_join_tree;

/* NaN before all numbers */
GX_OP int gx_join_less(double a, double b) { return gx_is_nan(a) ? !gx_is_nan(b) : a < b; }

/* How many of d[b .. e), ascending and NaN first, come before x; with: or are equal to it */
GX_OP u32 gx_join_rank(const double *d, u32 b, u32 e, double x, int with)
{
    const u32 first = b;

    while (b < e) {
        const u32 mid = b + (e - b) / 2;
        if (with ? !gx_join_less(x, d[mid]) : gx_join_less(d[mid], x))
            b = mid + 1;
        else
            e = mid;
    }
    return b - first;
}

/* Makes the tree: sorted by low, then level by level by merging neighbouring blocks; each candidate finds its place by
 * a search in the other half, so all members work on a level. low and low_two: the candidates' numbers, of which a row
 * wants those that are at least its own. *made 0: it would take more than a quarter of the scratch. O(candidates x
 * log^2), memory O(candidates x log). Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_join_tree_make(gx_m *m, const gx_joining *j, const double *low, const double *low_two,
                                      gx_join_tree *t, int *made)
{
    gx_join_order sorted = { NULL, NULL };
    u32 bits = 0, levels = 1;
    double *value, *value_up;
    u32 *ids, *ids_up, *set = NULL;

    TEAM_FOR(&m->t, q, j->sets->n)
        bits |= j->sets->off[q + 1] - j->sets->off[q];
    while (levels < 31 && team_any(&m->t, bits >> levels != 0))         /* up to the longest set */
        levels++;
    *made = 0;
    if ((u64)(levels + 2) * j->total * (j->most == 1 ? 16 : 12) > (m->tmp_end - m->tmp) / 4)
        return GX_OK;
    *made = 1;
    GX_TRY(gx_join_sort(m, j, low, &sorted));
    t->levels = levels;
    t->low = sorted.sorted;
    t->order = sorted.order;
    if (j->sets->n > 1) {
        GX_TMP(m, set, u32, j->total);
        gx_expand_rows(m, j->sets->off, j->sets->n, set);
    }
    GX_TMP(m, value, double, j->total);
    GX_TMP(m, ids, u32, j->total);
    TEAM_FOR(&m->t, k, j->total) {
        ids[k] = sorted.order[k];
        value[k] = low_two[ids[k]];
    }
    team_sync(&m->t);
    t->ids[0] = ids;
    t->value[0] = value;
    for (u32 l = 1; l < levels; l++) {
        const u32 half = (u32)1 << (l - 1);
        GX_TMP(m, value_up, double, j->total);
        GX_TMP(m, ids_up, u32, j->total);
        TEAM_FOR(&m->t, k, j->total) {
            const u32 s = set ? set[k] : 0, first = j->sets->off[s], end = j->sets->off[s + 1],
                      block = (k - first) / (2 * half) * (2 * half) + first;
            const u32 middle = end - block > half ? block + half : end,
                      stop = end - block > 2 * half ? block + 2 * half : end;
            /* its place: its own number in its half, and how many of the other half come before it */
            const u32 place = k < middle ? k + gx_join_rank(value, middle, stop, value[k], 0)
                : block + (k - middle) + gx_join_rank(value, block, middle, value[k], 1);
            value_up[place] = value[k];
            ids_up[place] = ids[k];
        }
        team_sync(&m->t);
        t->ids[l] = ids = ids_up;
        t->value[l] = value = value_up;
    }
    return GX_OK;
}

/* t->end: for each place of each level the first (or last) candidate in document order from there to its block's end,
 * so that a row which wants one node reads one place a block. A block is one member's. O(candidates x levels). Complete
 * for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_join_tree_ends(gx_m *m, const gx_joining *j, gx_join_tree *t)
{
    for (u32 l = 0; l < t->levels; l++) {
        u32 *end;
        gx_watch watch = gx_watch_start();
        GX_TMP(m, end, u32, j->total);
        for (u32 s = 0; s < j->sets->n; s++) {
            const u32 first = j->sets->off[s], n = j->sets->off[s + 1] - first, size = (u32)1 << l;
            TEAM_FOR(&m->t, b, (n >> l) + ((n & (size - 1)) != 0)) {
                u32 best = GX_NONE;
                for (u32 k = first + (n - (b << l) < size ? n : (b + 1) << l); k-- > first + (b << l); )
                    end[k] = best = gx_join_end(j->last, best, t->ids[l][k]);
                if (gx_watch_late(m, &watch, size))
                    break;
            }
        }
        GX_TRY(gx_watch_end(m, &watch));
        t->end[l] = end;
    }
    team_sync(&m->t);
    return GX_OK;
}

/* How many candidates of set s have both numbers at least x and y; out: these candidates' nodes, in any order, or with
 * j->most 1 the one that is wanted. Begins at the first candidate with low >= x and takes the largest aligned block
 * that fits, again and again. O(log^2 candidates + what is found). */
GX_OP u32 gx_join_tree_find(const gx_joining *j, const gx_join_tree *t, u32 s, double x, double y, u32 *out)
{
    u32 best = GX_NONE;
    const u32 first = j->sets->off[s],
              end = first + gx_join_below(t->low, first, j->sets->off[s + 1], gx_infinity(), 1);
    u32 n = 0;

    if (gx_is_nan(x) || gx_is_nan(y))
        return 0;
    for (u32 k = first + gx_join_below(t->low, first, end, x, 0); k < end; ) {
        u32 l = 0;
        while (l + 1 < t->levels && !((k - first) & (((u32)2 << l) - 1)) && end - k >= (u32)2 << l)
            l++;
        const u32 stop = k + ((u32)1 << l), from = k + gx_join_rank(t->value[l], k, stop, y, 0);
        if (j->most == 1)
            best = gx_join_end(j->last, best, from < stop ? t->end[l][from] : GX_NONE);
        else
            for (u32 i = from; out && i < stop; i++)
                out[n + i - from] = j->ids[t->ids[l][i]];
        n += stop - from;
        k = stop;
    }
    if (j->most != 1)
        return n;
    if (out && best != GX_NONE)
        *out = j->ids[best];
    return best != GX_NONE;
}

/* Each row looks at all of its candidates' two numbers: better than the tree where most of them are found, since the
 * tree's finds must be sorted and these stand in document order. *out as gx_join_out() makes it. O(rows x candidates),
 * twice, two loads and no branch each. Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_join_run_through(gx_m *m, const gx_joining *j, const double *low, const double *least,
                                        const double *low_two, const double *least_two, gx_v *out)
{
    u32 *off, *ids = NULL, total = 0;

    GX_TMP(m, off, u32, (u64)j->rows + 1);
    for (int pass = 0; pass < 2; pass++) {
        gx_watch watch = gx_watch_start();
        TEAM_FOR(&m->t, r, j->rows) {
            const u32 s = gx_join_set(j->sets, r), end = j->sets->off[s + 1];
            const double x = least[r], y = least_two[r];
            u32 n = pass ? off[r] : 0;
            for (u32 k = j->sets->off[s]; k < end; k++) {
                const u32 is = (low[k] >= x) & (low_two[k] >= y);
                if (pass && is)
                    ids[n] = j->ids[k];
                n += is;
            }
            if (!pass)
                off[r] = n;
            if (gx_watch_late(m, &watch, 1 + (end - j->sets->off[s]) / 16))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        if (!pass) {
            if (j->count)
                return gx_join_out(m, j, off, NULL, NULL, out);
            GX_TRY(gx_scan(m, off, j->rows, &total));
            GX_TMP(m, ids, u32, total);
        }
    }
    team_sync(&m->t);
    return gx_join_out(m, j, NULL, off, ids, out);
}

/* Two comparisons, `[@from <= $t and @to > $t]`: by the tree, or by running through all candidates where there is no
 * room for a tree, or an eighth and more of the pairs is found. pairs: of all rows and their candidates. *out: SET in
 * document order, or NUM. Cost: see gx_join_tree_make and gx_join_tree_find. Complete for everyone. Fails with
 * GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_join_two(gx_m *m, const gx_joining *j, u64 pairs, gx_v *out)
{
    const double *low, *low_two, *least, *least_two;
    gx_join_tree tree;
    u32 *off, *ids, total = 0;
    u64 found = 0;
    int made;

    m->shared += m->tmp - j->sets->tmp;
    GX_TRY(gx_join_least(m, j, j->op, j->use, j->value, &low, &least));
    GX_TRY(gx_join_least(m, j, j->op_two, j->use + 1, j->value + 1, &low_two, &least_two));
    GX_CLEAR(&tree);
    const u64 tmp = m->tmp;
    GX_TRY(gx_join_tree_make(m, j, low, low_two, &tree, &made));
    if (!made)
        return gx_join_run_through(m, j, low, least, low_two, least_two, out);
    if (j->most == 1)
        GX_TRY(gx_join_tree_ends(m, j, &tree));
    m->shared += m->tmp - tmp;
    GX_TMP(m, off, u32, (u64)j->rows + 1);
    gx_watch watch = gx_watch_start();
    TEAM_FOR(&m->t, r, j->rows) {
        off[r] = gx_join_tree_find(j, &tree, gx_join_set(j->sets, r), least[r], least_two[r], NULL);
        found += off[r];
        if (gx_watch_late(m, &watch, tree.levels))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    found = team_sum(&m->t, found);
    if (j->count)
        return gx_join_out(m, j, off, NULL, NULL, out);
    if (found * 8 > pairs)                      /* to sort them would be more than to run through all */
        return gx_join_run_through(m, j, low, least, low_two, least_two, out);
    GX_TRY(gx_scan(m, off, j->rows, &total));
    GX_TMP(m, ids, u32, total);
    watch = gx_watch_start();
    TEAM_FOR(&m->t, r1, j->rows) {
        gx_join_tree_find(j, &tree, gx_join_set(j->sets, r1), least[r1], least_two[r1], ids + off[r1]);
        if (gx_watch_late(m, &watch, tree.levels + (off[r1 + 1] - off[r1]) / 8))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    *out = gx_v_make(GX_T_SET, j->rows, ids);
    out->off = off;
    return gx_v_order(m, out);
}

/* ---- one order ---- */

/*
 * One comparison of numbers, or two of one `use` that are a range (`[@v > $a and @v < $b]`): each set is sorted once,
 * and a row's candidates are a run of that order. What is done with the runs depends on what is wanted:
 *
 *   a count                      the runs' lengths; nothing is listed
 *   the first or last few        gx_join_few_of_runs
 *   "=", or UNORDERED            rows share the sorted list: a range each, nothing is copied
 *   an eighth of all or more     gx_join_run_through
 *   else                         runs are copied and sorted into document order
 *
 * one_use: both comparisons are about the same column. *done 0: "=" of a number and of sets, of which one node would
 * not stand for all, so that pairs must be compared. O((candidates + rows) x log + what is found x log). Complete for
 * everyone. Fails with GX_EARENA, GX_ETIME.
 */
GX_OP_BIG gx_status gx_join_numbers(gx_m *m, const gx_joining *j, int one_use, u64 pairs, gx_v *out, int *done)
{
    const int up = j->op == GX_X_GT || j->op == GX_X_GE, two_up = j->op_two == GX_X_GT || j->op_two == GX_X_GE;
    const int range = j->op_two && one_use && up != two_up && !gx_v_has_several(m, j->use, j->total);
    u32 *off, *first = NULL, *ids = NULL, total = 0;
    gx_join_order sorted = { NULL, NULL };
    double *use, *value = NULL, *value_two = NULL;
    gx_joining other = *j;
    u64 found = 0;

    *done = 0;
    if (j->op == GX_X_EQ && (gx_v_has_several(m, j->value, j->rows) || gx_v_has_several(m, j->use, j->total)))
        return GX_OK;
    *done = 1;
    if (j->op_two && !range)
        return gx_join_two(m, j, pairs, out);
    other.op = j->op_two;
    GX_TRY(gx_join_column(m, j->use, j->total, up, &use));
    GX_TRY(gx_join_sort(m, j, use, &sorted));
    m->shared += m->tmp - j->sets->tmp;
    GX_TRY(gx_join_column(m, j->value, j->rows, !up, &value));
    if (range)
        GX_TRY(gx_join_column(m, j->value + 1, j->rows, !two_up, &value_two));
    GX_TMP(m, first, u32, j->rows);
    GX_TMP(m, off, u32, (u64)j->rows + 1);
    for (int pass = 0; pass < 2; pass++) {
        gx_watch watch = gx_watch_start();
        TEAM_FOR(&m->t, r, j->rows) {
            u32 n = pass ? off[r] : 0;
            if (!pass) {
                n = gx_join_found(j, &sorted, r, value[r], &first[r]);
                if (range) {                    /* between the two: where both begin, to where both end */
                    u32 begin, more = gx_join_found(&other, &sorted, r, value_two[r], &begin);
                    const u32 end = first[r] + n < begin + more ? first[r] + n : begin + more;
                    first[r] = begin > first[r] ? begin : first[r];
                    n = end > first[r] ? end - first[r] : 0;
                }
                off[r] = n;
                found += n;
            } else
                for (u32 k = first[r]; n < off[r + 1]; k++)
                    ids[n++] = j->ids[sorted.order[k]];
            if (gx_watch_late(m, &watch, 1))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        if (!pass) {
            if (j->count)
                return gx_join_out(m, j, off, NULL, NULL, out);
            if (j->most)
                return gx_join_few_of_runs(m, j, sorted.order, first, off, out);
            /* rows share them where they are; equal ones stand in document order */
            if ((j->op == GX_X_EQ && !range) || j->unordered) {
                GX_TMP(m, ids, u32, j->total);
                TEAM_FOR(&m->t, k, j->total)
                    ids[k] = j->ids[sorted.order[k]];
                team_sync(&m->t);
                *out = gx_v_make(GX_T_SET, j->rows, ids);
                out->off = first;
                out->cnt = off;
                return GX_OK;
            }
            /* sorting them costs more than running through all */
            if (!range && team_sum(&m->t, found) * 8 > pairs) {
                const double *low, *least;
                GX_TRY(gx_join_least(m, j, j->op, j->use, j->value, &low, &least));
                return gx_join_run_through(m, j, low, least, low, least, out);
            }
            GX_TRY(gx_scan(m, off, j->rows, &total));
            GX_TMP(m, ids, u32, total);
        }
    }
    team_sync(&m->t);
    GX_TRY(gx_join_out(m, j, NULL, off, ids, out));
    return gx_v_order(m, out);
}

#endif
