/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.h -- the nodes that xsl:for-each and xsl:apply-templates make frames for: selected, sorted, cut
 *
 *   <xsl:for-each select="key('kind', @k)"><xsl:sort select="@v"/><xsl:if test="position() = 1">
 *
 * Keys that ask nothing but the node give the same order wherever the set is sorted: a list that rows share is sorted
 * once. Where the body shows some places only (xslt/body.c), no frames are made for the others; and where these are the
 * first few or the last, and the rows' nodes are parts of a few lists, these lists' nodes are ranked once, and a row
 * takes the least ranks of its part, or the greatest.
 *
 * Cost: sorting, of each list once or of each row's nodes; of parts O(log n) a row.
 */
#ifndef GX_MACHINE_SELECT_H
#define GX_MACHINE_SELECT_H

#include "column.h"
#include "domain.h"
#include "eval.h"
#include "machine.h"
#include "memory.h"
#include "range.h"
#include "slices.h"
#include "sort.h"

/* The places of a row's nodes for which there are frames: from .. to, or the last, GX_NONE; from 0: all. Made with
 * them, of each row: how many nodes are left out before these, and how many there are in all; NULL: no node is left
 * out. */
typedef struct gx_shown { u32 from, to; const u32 *before, *all; } gx_shown;

/* *v keeps what stands at the places p->from .. p->to of each row, as ranges (off, cnt): no node moves. p->before and
 * p->all: how many nodes of the row are left out before these, and how many there are, so that position() and last()
 * still say what they would without the cut. O(rows). Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_places_cut(gx_m *m, gx_v *v, u32 n, gx_shown *p)
{
    const u32 rows = v->is_const ? 1 : n;
    u32 *off, *cnt, *before, *all;

    GX_TMP(m, off, u32, rows);
    GX_TMP(m, cnt, u32, rows);
    GX_TMP(m, before, u32, rows);
    GX_TMP(m, all, u32, rows);
    TEAM_FOR(&m->t, r, rows) {
        u32 b, e;
        gx_v_range(v, r, &b, &e);
        const u32 size = e - b, last = size ? size - 1 : 0, first = p->from - 1;
        const u32 skip = p->from == GX_NONE || first > size ? (p->from == GX_NONE ? last : size) : first;
        const u32 stop = p->to < size ? p->to : size;
        off[r] = b + skip;
        cnt[r] = stop > skip ? stop - skip : 0;
        before[r] = skip;
        all[r] = size;
    }
    team_sync(&m->t);
    v->off = off;
    v->cnt = cnt;
    p->before = before;
    p->all = all;
    return GX_OK;
}

/* Where at most half of the rows have ranges of their own, *v becomes a row for each distinct range, *n how many, and
 * *of_row says which is whose; *of_row NULL: each row has its own, and nothing is done. O(rows). Complete for everyone.
 * Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_select_distinct(gx_m *m, gx_v *v, u32 *n, const u32 **of_row)
{
    gx_domain d;

    *of_row = NULL;
    if (v->is_const || !v->cnt || *n == 1)
        return GX_OK;
    GX_TRY(gx_domain_of_ranges(m, v, *n, &d));
    if (d.n > *n / 2)
        return GX_OK;
    GX_TRY(gx_v_gather(m, v, d.heads, d.n));
    *n = d.n;
    *of_row = d.of_row;
    return GX_OK;
}

#define GX_PLACES_MOST 16u              /* the first so many */

/* A part of the ranked nodes, and the place of its least (or greatest) rank */
typedef struct gx_ranked { u32 b, e, best; } gx_ranked;

/* The `most` nodes (at most GX_PLACES_MOST) of s->whole[b .. e) that come first in the order of the sort keys, in that
 * order, to out; how many. The range's best is asked of the tree; it splits the range into two, each with its own best,
 * and so on: at most most + 1 parts are open. O(most x (most + log nodes)). */
GX_OP u32 gx_select_least(const gx_slices *s, const gx_range_tree *tree, const u32 *order, u32 b, u32 e, u32 most,
                          u32 *out)
{
    gx_ranked parts[GX_PLACES_MOST + 1];
    u32 n = 0, found = 0;

    for (u32 begin = b, end = e; ; ) {
        if (begin < end) {
            parts[n].b = begin;
            parts[n].e = end;
            parts[n].best = (u32)gx_range_of(tree, begin, end);
            n++;
        }
        if (!n || found == most)
            return found;
        u32 k = n - 1;                          /* the rest of the part that was taken apart last waits behind it */
        for (u32 i = 0; i < n; i++)
            if (parts[i].best < parts[k].best)
                k = i;
        const gx_ranked part = parts[k];
        const u32 at = order[part.best];
        out[found++] = s->whole[at];
        parts[k] = parts[--n];
        if (part.b < at) {
            parts[n].b = part.b;
            parts[n].e = at;
            parts[n].best = (u32)gx_range_of(tree, part.b, at);
            n++;
        }
        begin = at + 1;
        end = part.e;
    }
}

/*
 * Rows that show the first few or the last of their sorted nodes, and whose nodes are parts of a few lists: the lists
 * are sorted once, each node gets its rank, a tree over the ranks answers for any part, and a row takes its few from
 * it.
 *
 * outer: the scope that the keys' expressions see; first, n_keys: the xsl:sorts. *v: SET of n rows with off and cnt;
 * p->before, p->all as in gx_places_cut(). *made 0: the rows share no lists, nothing was done. O(nodes of the lists x
 * log + rows x log), where sorting each row would be rows x nodes. Complete for everyone. Fails with GX_EARENA,
 * GX_ETIME, or as the keys do.
 */
GX_OP_BIG gx_status gx_select_end(gx_m *m, const gx_env *outer, u32 first, u32 n_keys, gx_shown *p, gx_v *v, int *made)
{
    const u32 n = m->g->n, is_last = p->from == GX_NONE, most = is_last ? 1 : p->to;
    const u64 tmp = m->tmp;
    u32 *ids, *off, *cnt, *before;
    gx_range_tree tree;
    gx_slices s;
    double *rank;

    GX_TRY(gx_slices_of_one(m, v, n, &s, made));
    if (!*made) {
        m->tmp = tmp;
        return GX_OK;
    }
    gx_v whole = gx_v_make(GX_T_SET, 1, (void *)s.whole);
    const u32 *order = NULL;
    GX_TMP(m, off, u32, 2);
    gx_one_row(m, off, s.total);
    team_sync(&m->t);
    whole.off = off;
    GX_TRY(gx_sort_order(m, outer, &whole, first, n_keys, &order));
    GX_TMP(m, rank, double, s.total);
    TEAM_FOR(&m->t, k, s.total)
        rank[order[k]] = k;
    team_sync(&m->t);
    GX_TRY(gx_range_make(m, rank, s.total, is_last ? GX_RANGE_GREATEST : GX_RANGE_LEAST, &tree));
    GX_TMP(m, ids, u32, (u64)n * most);
    GX_TMP(m, off, u32, n);
    GX_TMP(m, cnt, u32, n);
    GX_TMP(m, before, u32, n);
    gx_watch watch = gx_watch_start();
    TEAM_FOR(&m->t, r, n) {
        const u32 size = s.n[r], end = s.at[r] + size,
                  have = gx_select_least(&s, &tree, order, s.at[r], end, most, ids + (u64)r * most);
        before[r] = is_last ? size - have : p->from - 1 < have ? p->from - 1 : have;
        off[r] = r * most + (is_last ? 0 : before[r]);
        cnt[r] = have - (is_last ? 0 : before[r]);
        if (gx_watch_late(m, &watch, 1 + have))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    *v = gx_v_make(GX_T_SET, n, ids);
    v->off = off;
    v->cnt = cnt;
    p->before = before;
    p->all = s.n;
    return GX_OK;
}

/* *column, of u32 for rows that others share (of_row; NULL: the same) or that stand for all (is_const), becomes one of
 * n rows. O(n). Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_places_spread(gx_m *m, const u32 *of_row, int is_const, u32 n, const u32 **column)
{
    u32 *out;

    if (!of_row && !is_const)
        return GX_OK;
    GX_TMP(m, out, u32, n);
    TEAM_FOR(&m->t, r, n)
        out[r] = (*column)[is_const ? 0 : of_row[r]];
    team_sync(&m->t);
    *column = out;
    return GX_OK;
}

/*
 * The nodes that the running group's rows make frames for: selected, sorted (XSLT 1.0, 10), cut to the places that the
 * body shows. expr: the select expression, GX_NONE: child::node(); first_sort, n_sorts: its xsl:sorts; p: the places.
 * *v: a dense SET of the group's rows, in the order of their frames.
 *
 * Keys that look at nothing but the node sort the same list alike, so rows that share a list sort it once (of_nodes).
 * Cost: the expression, then O(nodes x log) for each list that is sorted. Complete for everyone. Fails as expressions
 * do; GX_NEED: one of them needs a value first.
 */
GX_OP_BIG gx_status gx_select(gx_m *m, const gx_env *env, u32 expr, u32 first_sort, u32 n_sorts, gx_shown *p, gx_v *v)
{
    const int of_nodes = n_sorts && gx_sorts_ask_nodes(m, first_sort, n_sorts);
    const u32 *of_row = NULL;
    u32 n = m->g->n;

    p->before = p->all = NULL;
    if (expr == GX_NONE) {
        gx_v in = gx_v_make(GX_T_SET, n, (void *)env->scope.context);
        GX_TRY(gx_step(m, &in, GX_STEP_MAKE(GX_AXIS_CHILD, GX_TEST_NODE) | GX_STEP_SORTED, 0, 0, NULL, v));
    } else {
        GX_TRY(gx_eval(m, expr, env, v));
        GX_TRY(gx_is_set(m, v));
    }
    if (of_nodes && p->from && (p->to <= GX_PLACES_MOST || p->from == GX_NONE)) {
        int made;
        GX_TRY(gx_select_end(m, env, first_sort, n_sorts, p, v, &made));
        if (made)
            return gx_v_dense(m, v, n);
    }
    if (of_nodes || (p->from && !n_sorts))
        GX_TRY(gx_select_distinct(m, v, &n, &of_row));
    if (n_sorts) {
        if (of_nodes)
            GX_TRY(gx_v_flat(m, v, n));
        else
            GX_TRY(gx_v_dense(m, v, n));
        GX_TRY(gx_sort_set(m, env, v, first_sort, n_sorts));
    }
    if (p->from) {
        GX_TRY(gx_places_cut(m, v, n, p));
        GX_TRY(gx_places_spread(m, of_row, v->is_const, m->g->n, &p->before));
        GX_TRY(gx_places_spread(m, of_row, v->is_const, m->g->n, &p->all));
    }
    GX_TRY(gx_v_gather(m, v, of_row, m->g->n));
    return gx_v_dense(m, v, m->g->n);
}

#endif
