/* SPDX-License-Identifier: Apache-2.0 */
/*
 * levels.h -- tree patterns by an automaton whose states are bits of a word (after Guimaraes 2013)
 *
 * Each test of the pattern is a state. A word for each node holds the states that it is in:
 *
 *   //a[b]/c      bit   0 context   1 //a   2 c   3 b       the spine first, so that its next state is a shift
 *
 * Up, from the deepest level: a node is in the states whose test it passes, without those whose predicates its children
 * (here) or descendants (far) do not meet. It tells its parent. Patterns without predicates need no way up.
 * Down, from the contexts: it stays in the states of the spine that its parent, or an ancestor, leads to.
 *
 * A word by label says which tests a node passes. A team of one goes backwards and forwards through the document:
 * children have greater numbers than their parents. Other teams make a list of the nodes of each level; its order does
 * not matter.
 *
 * Cost: O(nodes from the first context to the last one's end), whatever the tests are; others than solo: two syncs a
 * level. Memory: 16 bytes a node, 8 a label; for a list of levels 4 a node.
 */
#ifndef GX_MACHINE_LEVELS_H
#define GX_MACHINE_LEVELS_H

#include "twig_stream.h"

/* A state, and the states that its predicates ask for */
typedef struct gx_holder { u64 bit, child, far; } gx_holder;

typedef struct gx_levels {
    const gx_view *v;
    const u64 *of_label;                /* by label id: the states whose test it passes */
    const gx_holder *holder;            /* states with predicates */
    u64 *here, *far;                    /* by node - lo. Up: of its children, of nodes below it; then its own, and its
                                           own with its ancestors' */
    u64 held, asked_child, asked_far;   /* of holders: their bits, what they ask of children, and of descendants */
    u64 next_child, next_far;           /* of the spine: states that a parent, or an ancestor, leads to */
    u32 lo, hi, n_holders, answer;      /* answer: the bit's number */
} gx_levels;

/* Nodes that the automaton goes through: from the first context to the last end of one. Contexts may lie in others */
GX_OP void gx_levels_range(gx_m *m, const gx_twig_run *r, gx_levels *l)
{
    const gx_stream from = r->stream[0];
    u32 end = 0;

    TEAM_FOR(&m->t, k, from.n)
        end = r->v->next[from.at[k]] > end ? r->v->next[from.at[k]] : end;
    l->v = r->v;
    l->lo = from.at[0];
    l->hi = ~team_min(&m->t, ~end);
}

/* The automaton's tables, by one member: which bit each test has, and what each state asks for */
GX_OP_BIG void gx_levels_states(const gx_twig_run *r, u64 *bit, gx_holder *holder)
{
    u32 at = 0, n = 0;

    for (u32 spine = 1; spine + 1; spine--)
        for (u32 q = 0; q < r->n; q++)
            if (r->node[q].spine == spine)
                bit[q] = (u64)1 << at++;
    for (u32 q = 0; q < r->n; q++) {
        gx_holder h;
        h.bit = bit[q];
        h.child = h.far = 0;
        for (u32 c = q + 1; c < r->n; c++)
            if (r->node[c].parent == q && !r->node[c].spine) {
                if (r->node[c].axis == GX_AXIS_DESCENDANT)
                    h.far |= bit[c];
                else
                    h.child |= bit[c];
            }
        if (h.child | h.far)
            holder[n++] = h;
    }
}

/* l's tables: the bit of each test, the states that need predicates (holder), the spine's transitions, and by label id
 * the states whose test a node with it passes, so that a node's states are one load. O(labels x tests), by all members.
 * Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_levels_make(gx_m *m, const gx_twig_run *r, gx_levels *l)
{
    const u32 n_labels = l->v->doc->n_labels;
    gx_passing *test;
    gx_holder *holder;
    u64 *bit, *of_label;

    GX_TMP(m, bit, u64, r->n);
    GX_TMP(m, holder, gx_holder, r->n);
    GX_TMP(m, test, gx_passing, r->n);
    GX_TMP(m, of_label, u64, n_labels);
    if (team_rank(&m->t) == 0) {
        gx_levels_states(r, bit, holder);
        for (u32 q = 1; q < r->n; q++)
            test[q] = gx_passing_of(m, l->v, &r->node[q]);
    }
    team_sync(&m->t);
    l->of_label = of_label;
    l->holder = holder;
    l->held = l->asked_child = l->asked_far = l->next_child = l->next_far = 0;
    l->n_holders = l->answer = 0;
    for (u32 q = 1; q < r->n; q++) {
        const int far = r->node[q].axis == GX_AXIS_DESCENDANT;
        if (r->node[q].spine) {
            l->answer++;
            l->next_child |= far ? 0 : bit[q];
            l->next_far |= far ? bit[q] : 0;
        } else {
            l->asked_child |= far ? 0 : bit[q];
            l->asked_far |= far ? bit[q] : 0;
        }
    }
    for (u64 asked = l->asked_child | l->asked_far; asked; l->n_holders++) {
        l->held |= holder[l->n_holders].bit;
        asked &= ~(holder[l->n_holders].child | holder[l->n_holders].far);
    }
    TEAM_FOR(&m->t, i, n_labels) {
        const u32 label = GX_LABEL(l->v->labels[i].kind, i);
        u64 states = 0;
        for (u32 q = 1; q < r->n; q++)
            states |= gx_is_passing(&test[q], label) ? bit[q] : 0;
        of_label[i] = states;
    }
    team_sync(&m->t);
    return GX_OK;
}

/* The states of node lo + i, whose children are known, as far as what is below it decides: those of its label, without
 * those whose predicates nothing below meets. It tells its parent, by an atomic or, and only what the parent does not
 * have yet: brothers mostly say the same. O(states with predicates). */
GX_OP void gx_levels_up(const gx_levels *l, u32 i)
{
    const u32 parent = l->v->parent[l->lo + i] - l->lo;         /* of a root, or before lo: great */
    u64 states = l->of_label[GX_LABEL_ID(l->v->label[l->lo + i])];

    if (states & l->held)
        for (u32 k = 0; k < l->n_holders; k++) {
            const gx_holder *h = &l->holder[k];
            if (states & h->bit && ((h->child & ~l->here[i]) | (h->far & ~l->far[i])))
                states &= ~h->bit;
        }
    const u64 child = states & l->asked_child, far = (states | l->far[i]) & l->asked_far;
    l->here[i] = states;
    l->far[i] = 0;
    if (parent >= i)
        return;
    if (child & ~TEAM_LOAD(&l->here[parent]))
        team_or(&l->here[parent], child);
    if (far & ~TEAM_LOAD(&l->far[parent]))
        team_or(&l->far[parent], far);
}

/* Of these states the ones that its ancestors lead to; its parent is done. The spine's bits are in order, so a
 * transition is a shift by one. O(1). */
GX_OP void gx_levels_down(const gx_levels *l, u32 i)
{
    const u32 parent = l->v->parent[l->lo + i] - l->lo;
    const u64 above = parent < i ? l->here[parent] : 0, far = parent < i ? l->far[parent] : 0;
    const u64 states = l->here[i] & ((above << 1 & l->next_child) | (far << 1 & l->next_far) | 1);

    l->here[i] = states;
    l->far[i] = far | states;
}

/* The nodes lo .. hi - 1, as numbers from 0, by level: list[start[d]] .. are those of depth d, in any order, since
 * members place them by atomic counts. O(nodes). Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_levels_list(gx_m *m, const gx_levels *l, u32 **list, u32 **start)
{
    const u32 n = l->hi - l->lo, levels = l->v->doc->max_depth + 1;
    u32 *place, total;

    GX_TMP(m, *list, u32, n);
    GX_TMP(m, *start, u32, (u64)levels + 1);
    GX_TMP(m, place, u32, levels);
    TEAM_FOR(&m->t, d, levels)
        (*start)[d] = 0;
    team_sync(&m->t);
    TEAM_FOR(&m->t, i, n)
        team_add(&(*start)[l->v->depth[l->lo + i]], 1);
    GX_TRY(gx_scan(m, *start, levels, &total));
    TEAM_FOR(&m->t, d2, levels)
        place[d2] = (*start)[d2];
    team_sync(&m->t);
    TEAM_FOR(&m->t, i2, n)
        (*list)[team_add(&place[l->v->depth[l->lo + i2]], 1)] = i2;
    team_sync(&m->t);
    return GX_OK;
}

/* One way through the document: up calls gx_levels_up for each node, deepest level first, down the other one. A team of
 * one has no list and goes by ids, backwards or forwards; others sync after each level. O(nodes), 2 syncs a level.
 * Complete for everyone. Fails with GX_ETIME. */
GX_OP_BIG gx_status gx_levels_walk(gx_m *m, const gx_levels *l, const u32 *list, const u32 *start, int is_up)
{
    const u32 n = l->hi - l->lo, levels = list ? l->v->doc->max_depth + 1 : 1;

    for (u32 d = 0; d < levels; d++) {
        const u32 level = is_up ? levels - 1 - d : d, from = list ? start[level] : 0;
        const u32 count = list ? start[level + 1] - from : n;
        gx_watch watch = gx_watch_start();
        if (!count)
            continue;
        TEAM_FOR(&m->t, k, count) {
            const u32 i = list ? list[from + k] : is_up ? n - 1 - k : k;
            if (is_up)
                gx_levels_up(l, i);
            else
                gx_levels_down(l, i);
            if (gx_watch_late(m, &watch, 1))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        team_sync(&m->t);
    }
    return GX_OK;
}

/* Nodes in the answer's state */
typedef struct gx_in_state { const u64 *here; u32 lo, bit; } gx_in_state;
GX_OP gx_seen gx_see_state(const void *ctx, size_t k)
{
    const gx_in_state *s = (const gx_in_state *)ctx;
    return (gx_seen){ (u32)(s->here[k] >> s->bit) & 1u, 0 };
}
GX_OP u32 gx_find_state(const void *ctx, size_t k, gx_seen s)
{
    return gx_id_if((int)s.x, ((const gx_in_state *)ctx)->lo + (u32)k);
}
GX_OP u32 gx_state_id(const void *ctx, size_t k, gx_seen s)
{
    (void)s;
    return ((const gx_in_state *)ctx)->lo + (u32)k;
}
GX_COMPACTION(GX_OP_ONCE, gx_compact_states, gx_in_state, gx_see_state, gx_find_state, gx_state_id)

/* Bytes of scratch that are taken at most */
GX_OP u64 gx_levels_room(const gx_twig_run *r)
{
    return (u64)r->v->n_nodes * 24 + (u64)r->v->doc->n_labels * 8 + (u64)(r->v->doc->max_depth + 1) * 8
        + (u64)r->n * (sizeof(gx_holder) + sizeof(gx_passing) + 8) + 256;
}

/* The strategy `levels` of a tree pattern: *out is the answer's nodes as local ids, ascending, without duplicates. Up
 * if there are predicates, then down from the contexts, then the nodes in the answer's state. Cost and memory: see
 * above; gx_levels_room() says before whether the scratch is enough. Complete for everyone. Fails with GX_EARENA,
 * GX_ETIME. */
GX_OP_BIG gx_status gx_twig_levels(gx_m *m, const gx_twig_run *r, gx_stream *out)
{
    gx_levels l;
    gx_in_state found;
    u32 *list = NULL, *start = NULL, *at;

    gx_levels_range(m, r, &l);
    GX_TRY(gx_levels_make(m, r, &l));
    const u32 n = l.hi - l.lo;
    GX_TMP(m, l.here, u64, n);
    GX_TMP(m, l.far, u64, n);
    if (!TEAM_IS_SOLO)
        GX_TRY(gx_levels_list(m, &l, &list, &start));
    TEAM_FOR(&m->t, i, n) {
        l.here[i] = l.n_holders ? 0 : l.of_label[GX_LABEL_ID(l.v->label[l.lo + i])];
        l.far[i] = 0;
    }
    team_sync(&m->t);
    if (l.n_holders)
        GX_TRY(gx_levels_walk(m, &l, list, start, 1));
    TEAM_FOR(&m->t, k, r->stream[0].n)
        l.here[r->stream[0].at[k] - l.lo] |= 1;         /* no test has this bit */
    team_sync(&m->t);
    GX_TRY(gx_levels_walk(m, &l, list, start, 0));
    found.here = l.here;
    found.lo = l.lo;
    found.bit = l.answer;
    GX_TRY(gx_compact_states(m, n, &found, &at, &out->n, NULL));
    out->at = at;
    return GX_OK;
}

#endif
