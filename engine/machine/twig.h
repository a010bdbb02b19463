/* SPDX-License-Identifier: Apache-2.0 */
/*
 * twig.h -- GX_X_TWIG: what a tree pattern selects, by one of several strategies
 *
 *   steps     the operators between TWIG and TWIG_END: one step after the other, predicates for each candidate
 *   bits      twig_bits.h: flags for the nodes of each test, bottom up, then top down
 *   twig      twig_join.h: joins of the streams of each test, with stacks, bottom up, then top down
 *   levels    levels.h: an automaton through all nodes, level by level
 *
 * The strategy is the program's (--strategy), or what costs least for this document. Strategies other than steps work
 * on all contexts of all rows at once and give one list of answers. That is divided among the rows where each row's
 * contexts lie apart from the others': then a row's answers are those between its first context and the next row's.
 * Otherwise, and where there is little room in the arena, steps are taken, whatever was asked for.
 */
#ifndef GX_MACHINE_TWIG_H
#define GX_MACHINE_TWIG_H

#include "column.h"
#include "levels.h"
#include "nodes.h"
#include "profile.h"
#include "twig_cost.h"
#include "twig_edges.h"
#include "twig_stream.h"

/* Are all contexts of one view, ascending, and of different rows not within each other? in: flat */
GX_OP_BIG gx_status gx_twig_apart(gx_m *m, const gx_v *in, const gx_view *v, int *apart)
{
    const u32 *ids = (const u32 *)in->data, pairs = gx_v_total(in);
    int bad = 0;

    TEAM_FOR(&m->t, k, pairs) {
        u32 to = k + 1;                 /* the first context of the rows behind */
        if (in->off && in->n > 1)
            to = in->off[gx_row_of(in->off, in->n, k) + 1];
        bad |= !gx_view_holds(v, ids[k]) || (k && ids[k - 1] >= ids[k])
            || (in->n > 1 && to < pairs && gx_view_holds(v, ids[to]) && gx_next(v, ids[k]) > ids[to]);
    }
    *apart = !team_any(&m->t, bad);
    return GX_OK;
}

/* Bytes of scratch that a strategy takes at most, but for the contexts */
GX_OP u64 gx_twig_room(const gx_m *m, const gx_twig_run *r, u32 strategy)
{
    u64 room = (u64)r->n * sizeof(gx_stream) + 64;

    if (strategy == GX_STRATEGY_LEVELS)
        return room + gx_levels_room(r);
    u32 most = 0;
    for (u32 q = 1; q < r->n; q++) {
        const gx_passing p = gx_passing_of(m, r->v, &r->node[q]);
        const u32 n = gx_stream_size(r->v, &p);
        room += (u64)n * 16 + 256;
        most = n > most ? n : most;
    }
    return strategy == GX_STRATEGY_TWIG ? room + gx_joins_room(m, r->v, most) : room;
}

/* The strategy that costs least, of those that there is room for. On a GPU steps: no costs were measured there */
GX_OP_BIG gx_status gx_twig_cheapest(gx_m *m, const gx_twig_run *r, u32 rows, u64 room, u32 *strategy)
{
    gx_twig_costs costs;
    gx_sized *size;

    GX_TMP(m, size, gx_sized, (u64)r->n * team_size(&m->t));
    gx_twig_cost(m, r, rows, size + (u64)r->n * team_rank(&m->t), &costs);
    GX_PROFILE_ESTIMATES(costs.ps);
    *strategy = GX_STRATEGY_STEPS;
    for (u32 s = GX_STRATEGY_STEPS + 1; s < GX_N_STRATEGIES; s++)
        if (costs.ps[s] < costs.ps[*strategy] && gx_twig_room(m, r, s) <= room)
            *strategy = s;
    return GX_OK;
}

/* The answers, with the view's base, at `mark` of the scratch, which a strategy took from there on. Complete for
 * everyone. NULL: there is no room */
GX_OP_BIG u32 *gx_twig_answers(gx_m *m, const gx_view *v, gx_stream found, u64 mark)
{
    const u64 size = ((u64)found.n * 4 + 15) & ~15ull;
    const char *const at = (const char *)found.at, *const first = m->base + mark, *const end = m->base + m->tmp;
    u32 *to = (u32 *)(m->base + mark);

    if (!v->base && (at < first || at >= end)) {        /* a slice of the name index */
        m->tmp = mark;
        return (u32 *)found.at;
    }
    if (at >= first && at < end && at < first + size) { /* what one member writes another would read */
        to = (u32 *)found.at;
        mark = (u64)(at - m->base);
    } else if (mark + size > m->tmp_end)
        return NULL;
    TEAM_FOR(&m->t, k, found.n)
        to[k] = found.at[k] + v->base;
    m->tmp = mark + size;
    team_sync(&m->t);
    return to;
}

/*
 * in: a SET of n rows, or const. *made 1: *out is what the pattern selects for each row. 0: steps are to do it; `in`
 * may have been made flat.
 */
GX_OP_BIG gx_status gx_twig_select(gx_m *m, u32 twig, gx_v *in, u32 n, gx_v *out, int *made)
{
    const gx_twig *t = &m->run->twigs[twig];
    const u32 pinned = GX_P_STRATEGY(m->run->program->flags);
    u32 strategy = pinned;
    gx_twig_run r;
    gx_stream found;
    u32 *off, *ids, pairs;
    u64 room, mark;
    int apart;

    *made = 0;
    GX_PROFILE_STRATEGY(GX_STRATEGY_STEPS);
    if (pinned == GX_STRATEGY_STEPS || (pinned == GX_STRATEGY_AUTO && !TEAM_IS_CPU))
        return GX_OK;
    GX_TRY(gx_v_flat(m, in, n));
    pairs = gx_v_total(in);
    if (!pairs)
        return GX_OK;
    r.v = gx_view_of(m, ((const u32 *)in->data)[0]);
    r.node = m->run->twig_nodes + t->first;
    r.n = t->n;
    r.answer = t->answer;
    if (pinned == GX_STRATEGY_AUTO && gx_twig_is_small(r.v, (const u32 *)in->data, pairs))
        return GX_OK;
    GX_TRY(gx_twig_apart(m, in, r.v, &apart));
    room = ((u64)pairs + in->n) * 8 + r.n * (sizeof(gx_stream) + (u64)team_size(&m->t) * sizeof(gx_sized)) + 128;
    if (!apart || room > m->tmp_end - m->tmp)
        return GX_OK;
    room = m->tmp_end - m->tmp - room;
    if (pinned != GX_STRATEGY_AUTO && gx_twig_room(m, &r, pinned) > room)
        return GX_OK;
    mark = m->tmp;
    GX_TMP(m, r.stream, gx_stream, r.n);
    GX_TMP(m, off, u32, (u64)in->n + 1);
    ids = (u32 *)in->data;
    if (r.v->base) {
        GX_TMP(m, ids, u32, pairs);
        TEAM_FOR(&m->t, k, pairs)
            ids[k] = ((const u32 *)in->data)[k] - r.v->base;
    }
    gx_stream_set(m, &r.stream[0], ids, pairs);
    team_sync(&m->t);
    if (pinned == GX_STRATEGY_AUTO)
        GX_TRY(gx_twig_cheapest(m, &r, t->flags & GX_TWIG_SOME ? in->n : 0, room, &strategy));
    if (strategy == GX_STRATEGY_STEPS) {
        team_sync(&m->t);               /* nobody looks at the contexts any more */
        m->tmp = mark;
        return GX_OK;
    }
    GX_PROFILE_STRATEGY(strategy);
    mark = m->tmp;
    GX_TRY(strategy == GX_STRATEGY_LEVELS ? gx_twig_levels(m, &r, &found)
                                          : gx_twig_edges(m, &r, strategy == GX_STRATEGY_TWIG, &found));
    TEAM_FOR(&m->t, row, in->n + 1) {           /* rows without contexts stand before the next one's first */
        const u32 first = in->off ? in->off[row] : row;
        off[row] = !row ? 0 : row == in->n || first >= pairs ? found.n : gx_stream_lower(found, ids[first]);
    }
    team_sync(&m->t);
    ids = found.n ? gx_twig_answers(m, r.v, found, mark) : off;
    if (!ids)
        return gx_full(m);
    *out = gx_v_make(GX_T_SET, in->n, ids);
    out->off = off;
    *made = 1;
    return GX_OK;
}

#endif
