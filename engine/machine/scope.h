/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scope.h -- scopes whose rows are not the caller's: WHERE, PARTS, ROUNDS, SIBLINGS, EACH, DOMAIN, OUTER, ONCE
 *
 * Each opens a scope with other rows than the one around it (fewer, some at a time, distinct ones) and closes it by
 * spreading the value over the outer rows again. eval.h calls them for the ops of these names.
 */
#ifndef GX_MACHINE_SCOPE_H
#define GX_MACHINE_SCOPE_H

#include "axis.h"
#include "budget.h"
#include "candidates.h"
#include "collect.h"
#include "column.h"
#include "cost.h"
#include "domain.h"
#include "machine.h"
#include "memory.h"
#include "nodes.h"
#include "profile.h"
#include "result.h"
#include "store.h"

/* WHERE (`and`, `or`, and conditions that follow one another): the scope of those rows of *outer where left, a BOOL
 * column, is `truth`. *inner: context, position and size of these rows, map to scope 0, and rows, each one's row of
 * *outer (NULL: all of them, and nothing is copied). So the right side is not asked where the left one decides: XPath
 * 1.0, 3.4 wants that of `and` and `or`. O(rows). Complete for everyone. Fails with GX_EARENA. */
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

/* *left := right where the inner scope has rows, else what it was: BOOL, outer->n rows. O(rows). Complete for everyone.
 * Fails with GX_EARENA. */
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
 * Rows in parts. A row's sets may be nearly all nodes: so many rows at once as would fit then, and from what one part
 * took follows how many the next is, up to eight times as many. One takes a sixteenth of the scratch, which leaves room
 * where later rows have more than earlier ones. A thread's is less: what it works with stays in its caches, and pages
 * that nobody touched need not be made.
 */
#if defined GX_TEAM_LANE || defined GX_TEAM_BLOCK
#define GX_IN_PARTS \
    0 /* what needs more gets a larger arena, at last a CPU's: related.xsl took twice as long in parts */
#else
#define GX_IN_PARTS 1
#endif
#ifdef GX_PARTS_BYTES                   /* of tests */
#elif TEAM_IS_SOLO
#define GX_PARTS_BYTES ((u64)2 << 20)
#else
#define GX_PARTS_BYTES ((u64)1 << 40)
#endif
/* *inner: the first of outer's rows, as many as would fit if each row's sets were all nodes; all rows where nothing
 * is gained. parts: room for the value of all rows, of the type that the op says (a SET's ids go on growing behind
 * it). O(rows) for the map. Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_parts_open(gx_m *m, const gx_scope *outer, u32 type, gx_scope *inner)
{
    const u64 room = (m->tmp_end - m->tmp) / 16, most = room < GX_PARTS_BYTES ? room : GX_PARTS_BYTES,
              row = (u64)m->run->n_nodes * 4;
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
    if (!(inner->parts.made = gx_tmp(m,
                                     type == GX_T_BOOL      ? (u64)n
                                         : type == GX_T_NUM ? (u64)n * sizeof(double)
                                         : type == GX_T_STR ? (u64)n * sizeof(gx_str)
                                                            : ((u64)n + 1) * 4)))
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

/* Takes a part's value, v, n rows of it, and puts it behind those of the parts before. *again: the scope is the next
 * part's, and the scratch that this one took is free; else v is the value of all rows. Complete for everyone.
 * O(rows), O(ids) for a SET. Fails with GX_EARENA, GX_ETIME between parts, and GX_EBAD for a value of another type
 * than the op says. */
GX_OP_BIG gx_status gx_parts_close(gx_m *m, gx_scope *s, u32 type, gx_v *v, int *again)
{
    gx_parts *p = &s->parts;
    const u32 n = s->n, at = p->done;

    *again = 0;
    if (!GX_IN_PARTS || !p->made)
        return GX_OK;
    const u64 shared = m->shared - p->shared, row = (m->tmp - p->tmp - shared) / n + 1,
              room = (m->tmp_end - p->tmp) / 8;
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
        GX_TMP(m, copy, u32, total);            /* behind all that is read and behind where it is put: members put it
                                                   there at the same time */
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
    const u64 most = shared < room ? shared : room;     /* what is made for each part anew is no more work than the part
                                                           itself */
    u64 next = (p->most > most ? p->most : most) / row;
    next = next > (u64)n * 8 ? (u64)n * 8 : next ? next : 1;
    s->n = next < p->all - p->done ? (u32)next : p->all - p->done;
    s->map += n;
    gx_scope_advance(s, n);
    *again = 1;
    return GX_OK;
}

/* Rounds. Of `following-sibling::row[@v > current()/@v][1]` a row needs the candidates up to the first that holds (of
 * [3], the third): the first round takes a few of each node, the next four times as many of those nodes that have none,
 * behind those already seen. So a node looks at no more than five times as many as it must, where all candidates would
 * be rows x nodes. A team that shares few nodes takes all of their candidates at once. */
#define GX_ROUND_FIRST GX_COST(ROUND_FIRST)
#define GX_ROUND_WORK (1u << (TEAM_IS_SOLO ? 17 : 20))  /* candidates of all nodes together */
/* The first round's scope: a row for each node of v, a SET that becomes dense. *inner: context is v's nodes, map leads
 * to scope 0, rounds is shared by the members, with room for what is found and for two rounds' columns in turn. nth:
 * which of those that hold is wanted, 0 and 1: the first. O(nodes). Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_rounds_open(gx_m *m, const gx_scope *outer, gx_v *v, u32 nth, gx_scope *inner)
{
    gx_rounds p, *shared;
    u32 *map;

    GX_TRY(gx_v_dense(m, v, outer->n));
    GX_CLEAR(&p);
    p.row = v->off;
    p.rows = outer->n;
    p.all = gx_v_total(v);
    p.nth = nth ? nth : 1;
    p.most = TEAM_IS_SOLO || p.all > 64 ? GX_ROUND_FIRST : 0;
    GX_TMP(m, p.found, u32, p.all);
    GX_TMP(m, p.half[0], u32, (u64)p.all * 5);
    GX_TMP(m, p.half[1], u32, (u64)p.all * 5);
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

/* Remembers the candidates of this round before predicates choose among them: gx_rounds_close() needs their number, to
 * see whether a node has more, and the last one, behind which the next round goes on. */
GX_OP_BIG void gx_rounds_take(gx_m *m, gx_rounds *p, const gx_v *c)
{
    if (team_rank(&m->t) == 0) {
        p->off = c->off;
        p->ids = (const u32 *)c->data;
        p->n_seg = c->type == GX_V_CAND ? c->n_seg : 0;
    }
    team_sync(&m->t);
}

/* Takes a round's finds: c has a candidate or none for each node that was asked. *again: the scope is the next
 * round's, of those nodes that found none and have more; else c is the candidates of all nodes. O(nodes asked) a
 * round, and rounds grow fourfold. Complete for everyone. Fails with GX_EARENA, with GX_ETIME between rounds. */
GX_OP_BIG gx_status gx_rounds_close(gx_m *m, gx_scope *s, gx_v *c, int *again)
{
    gx_rounds p = *s->rounds;
    const u32 n = s->n;
    u32 *index, left;

    *again = 0;
    if (c->n_seg != n || p.n_seg != n)          /* in no program of the compiler's */
        return gx_raise(m, GX_EBAD, GX_RE_TYPE, gx_str_none());
    GX_TMP(m, index, u32, (u64)n + 1);
    TEAM_FOR(&m->t, k, n) {
        const u32 seen = p.seen ? p.seen[k] : 0;
        const int found = c->off[k + 1] - c->off[k] >= p.nth - seen;
        if (found)
            p.found[p.which ? p.which[k] : k] = ((const u32 *)c->data)[c->off[k] + p.nth - seen - 1];
        index[k] = !found && p.most && p.off[k + 1] - p.off[k] == p.most;
    }
    GX_TRY(gx_scan(m, index, n, &left));
    if (left) {
        u32 *which = p.half[p.turn], *after = which + p.all, *seen = after + p.all, *context = seen + p.all,
            *map = context + p.all;
        GX_TRY(gx_check_budget(m));
        TEAM_FOR(&m->t, k1, n)
            if (index[k1 + 1] != index[k1]) {
                which[index[k1]] = p.which ? p.which[k1] : k1;
                after[index[k1]] = p.ids[p.off[k1 + 1] - 1];
                seen[index[k1]] = (p.seen ? p.seen[k1] : 0) + (c->off[k1 + 1] - c->off[k1]);
                context[index[k1]] = s->context[k1];
                map[index[k1]] = s->map[k1];
            }
        const u32 most = p.most * 4, room = GX_ROUND_WORK / left;
        p.most = most <= room ? most : room > GX_ROUND_FIRST ? room : GX_ROUND_FIRST;
        p.turn ^= 1;
        p.which = which;
        p.after = after;
        p.seen = seen;
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
    GX_TRY(gx_v_ones(m, p.found, p.all, c));
    c->type = GX_V_CAND;
    c->n = p.rows;
    c->n_seg = p.all;
    c->row = p.row;
    return GX_OK;
}

/* SIBLINGS' scope: one row for each run of adjacent rows whose nodes have the same parent, the run's first node as its
 * context. For what depends on the parent alone: `sum(../row/@v)`. inner->rows: each outer row's inner row, NULL: the
 * same rows. O(rows). Complete for everyone. Fails with GX_EARENA. */
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
 * EACH's scope: a row for each run of rows whose sets are the same: the same range of a list (a variable's, seen from
 * frames below its own), or the same few nodes (an ancestor). *set: these rows' sets. rows: as SIBLINGS has them. Cost:
 * O(rows).
 */
GX_OP_BIG gx_status gx_each_open(gx_m *m, const gx_scope *outer, gx_v *set, gx_scope *inner)
{
    const u32 n = outer->n, *heads;
    u32 *starts, *context;

    *inner = *outer;
    inner->rows = NULL;
    if (set->is_const || n <= 1)
        return GX_OK;
    GX_CLEAR(inner);
    inner->context = outer->context;
    inner->tmp = m->tmp;
    GX_TMP(m, starts, u32, (u64)n + 1);
    TEAM_FOR(&m->t, i, n) {
        const u32 *ids = (const u32 *)set->data;
        u32 b, e, b0 = 0, e0 = 0, same = i > 0;
        gx_v_range(set, i, &b, &e);
        if (i)
            gx_v_range(set, i - 1, &b0, &e0);
        if (b != b0 || e != e0) {
            same &= e - b == e0 - b0 && e - b <= GX_COST(EACH_NODES);
            for (u32 k = 0; same && k < e - b; k++)
                same = ids[b + k] == ids[b0 + k];
        }
        starts[i] = !same;
    }
    GX_TRY(gx_runs(m, starts, n, &inner->n, &heads, &inner->rows));
    if (set->cnt && inner->n > n / 8) {         /* ranges of one list: what a value finds */
        gx_domain d;
        GX_TRY(gx_domain_of_ranges(m, set, n, &d));
        inner->n = d.n;
        heads = d.heads;
        inner->rows = d.of_row;
    }
    if (!heads)
        return GX_OK;
    GX_TMP(m, context, u32, inner->n);
    TEAM_FOR(&m->t, k, inner->n)
        context[k] = outer->context[heads[k]];
    team_sync(&m->t);
    inner->context = context;
    return gx_v_gather(m, set, heads, inner->n);
}

/* Are these nodes all in the tree of node `of`? Asked of a scope's rows, this is the same each time that an instruction
 * begins again, however many trees it has made by then (call.h). */
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

/*
 * DOMAIN's scope: a row for each that has something else in one of the k values, or the rows around it where that would
 * not be fewer. places: a bit for each value that is a set whose place is meant. rows: as SIBLINGS has them. Cost:
 * O(rows) for each value.
 */
GX_OP_BIG gx_status gx_domain_open(gx_m *m, const gx_scope *outer, const gx_v *values, u32 k, u32 places,
                                   gx_scope *inner)
{
    const u32 n = outer->n;
    const u64 tmp = m->tmp;
    gx_domain d = { 1, NULL, NULL };
    u32 *context, *map, *position = NULL, *size = NULL;

    *inner = *outer;
    inner->rows = NULL;
    if (n <= GX_COST(DOMAIN_ROWS) || outer->once || !gx_in_one_tree(m, outer->context, n, outer->context[0]))
        return GX_OK;
    for (u32 i = 0; i < k; i++)
        if (places >> i & 1 && gx_domain_ascends(m, values + i, n))
            return GX_OK;
    for (u32 i = 0; i < k; i++) {
        const gx_v *v = values + i;
        const u32 by_place = places >> i & 1;
        if (v->is_const)
            continue;
        if (v->type < GX_T_BOOL || v->type > GX_T_SET
            || (v->type == GX_T_SET && (by_place ? v->off && !v->cnt : gx_v_has_several(m, v, n))))
            return GX_OK;
        GX_TRY(gx_domain_of_value(m, v, by_place, d.of_row, n, &d));
        if (!d.of_row || d.n > n / 2)
            return GX_OK;
    }
    if (!d.of_row)
        return GX_OK;
    GX_TMP(m, context, u32, d.n);
    GX_TMP(m, map, u32, d.n);
    if (outer->position)
        GX_TMP(m, position, u32, d.n);
    if (outer->size)
        GX_TMP(m, size, u32, d.n);
    TEAM_FOR(&m->t, h, d.n) {
        const u32 r = d.heads[h];
        context[h] = outer->context[r];
        map[h] = outer->map ? outer->map[r] : r;
        if (position)
            position[h] = outer->position[r];
        if (size)
            size[h] = outer->size[r];
    }
    team_sync(&m->t);
    inner->n = d.n;
    inner->context = context;
    inner->map = map;
    inner->position = position;
    inner->size = size;
    inner->rows = d.of_row;
    inner->rounds = NULL;
    inner->parts.made = NULL;
    inner->tmp = tmp;
    return GX_OK;
}

/* Has a row few of the set's nodes, or are there few rows? What is done for each row and node is then less than what is
 * done once for all nodes. Where rows are taken in parts, those of all parts count: a part of a few rows would take the
 * way that makes the next part as small. */
#ifndef GX_CHOICE_ROWS
#define GX_CHOICE_ROWS GX_COST(CHOICE_ROWS)
#endif
#ifndef GX_CHOICE_FOUND_NODES
#define GX_CHOICE_FOUND_NODES GX_COST(CHOICE_FOUND)
#endif
/* CHOICE: is the first of two ways to the same nodes the cheaper one? It costs rows x nodes of the row's set, the other
 * one about all nodes once. So: few rows, or a set that is short for each row on average; with GX_CHOICE_NONE only an
 * empty set. Where rows are taken in parts, those of all parts count: a part of a few rows would take the way that
 * makes the next part as small. O(rows). Uniform: every member gets the same answer. */
GX_OP_BIG int gx_choice_is_cheap(gx_m *m, const gx_scope *s, const gx_v *set, u32 how)
{
    const u32 n = s->n;
    u64 nodes = 0;

    if (how != GX_CHOICE_NONE && (s->parts.made ? s->parts.all : n) <= GX_CHOICE_ROWS) {
        GX_PROFILE_WAY(GX_WAY_FIRST, n, GX_CHOICE_ROWS);
        return 1;
    }
    TEAM_FOR(&m->t, r, set->is_const ? 1 : n) {
        u32 b, e;
        gx_v_range(set, r, &b, &e);
        nodes += e - b;
    }
    nodes = team_sum(&m->t, nodes);
    const u64 rows = set->is_const ? 1 : n;
    const u64 limit = how == GX_CHOICE_NONE ? 0
        : rows * (how == GX_CHOICE_FOUND ? GX_CHOICE_FOUND_NODES : GX_COST(CHOICE_TREE));
    GX_PROFILE_WAY(nodes <= limit ? GX_WAY_FIRST : GX_WAY_ELSE, nodes, limit);
    return nodes <= limit;
}

/*
 * OUTER's scope: the frames that the scope around it has rows of, one after the other, as its map ascends. In parts
 * those are few: all frames for each part would be frames x parts. *outer is scope 0.
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

/* OUTER's value for the rows around it: v, a row a frame of the inner scope, becomes a row for each row of `around`, by
 * its frame. One frame: v becomes const. O(rows around). Complete for everyone. Fails with GX_EARENA. */
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
 * What ONCE marks is evaluated once a wave. Loops by recursion, `$i <= count(/t/row)` and `/t/row[$i]`, have a wave a
 * step: what is met a second time is kept then, and is the same until the end. (Not the first time: most are not met
 * again, and a copy of a large set is work.)
 */
GX_OP gx_once *gx_once_at(const gx_m *m, u32 op) { return m->run->onces + op % GX_ONCES; }
GX_OP int gx_once_known(const gx_m *m, u32 op, u32 node)
{
    return m->run->onces && gx_once_at(m, op)->op == op + 1
        && gx_once_at(m, op)->root == gx_root_of(gx_view_of(m, node), node);
}
/* The value of an ONCE is kept for the rest of the run, beside its operator and tree, when it is asked for a second
 * time: the first time it may have been the only one. Not a set of more than a sixteenth of the memory that is left. v
 * is a const column. O(size of the value). Complete for everyone. Fails with GX_EARENA. */
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

#endif
