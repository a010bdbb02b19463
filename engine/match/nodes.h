/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nodes.h -- the profiles that a document matches, by a team
 *
 * A formula's value is the ascending list of elements that it holds for: of formulas rank by rank, then of each
 * profile's code. Most lists have a few elements: a member makes such a list alone, in a buffer of its own. What is
 * longer is put off, and done by squads (squad.h), each for one list: else a warp's lanes would wait for the longest of
 * 32. A squad marks elements in bits, from which it makes the list.
 *
 *   EDGE         the parents of its operand's list that pass the test, or what is above it
 *   AND          what all other operands hold for, of the shortest list
 *   atoms        looked up in an element's items; a list only where something begins with it
 *
 * Cost: an EDGE is as long as its operand, times its levels for ancestors; an AND as its shortest list times log of the
 * others. Memory: the lists of all shared formulas, in one pool; those of codes are gone at once.
 */
#ifndef GXP_NODES_H
#define GXP_NODES_H

#include "machine/squad.h"
#include "flat.h"
#include "words.h"

#ifndef GXP_OWN
#define GXP_OWN 96u                 /* elements of a member's own buffer */
#define GXP_SHORT 80u               /* of a list that it goes through alone */
#endif
#define GXP_TOO_LONG GX_NONE

/* Four elements, which are written one by one */
typedef u64 __attribute__((may_alias)) gxp_four;

/* A list of elements */
typedef struct gxp_nodes {
    const u16 *at;
    u32 n;
} gxp_nodes;

typedef struct gxp_slot {
    u32 at, n;                      /* in the pool */
} gxp_slot;

typedef struct gxp_shared {         /* of all members */
    u32 top, n_long, n_todo;        /* entries of the pool; formulas or codes put off; codes to be run */
    u32 work;                       /* in units of 64 elements */
    u32 status;
} gxp_shared;

typedef struct gxp_run {
    gx_team t;
    const gxp_flat *flat;
    const gxp_tree *tree;
    gxp_shared *shared;
    u64 *holds;                     /* a bit for each formula */
    gxp_slot *slot;
    u16 *pool, *wide;
    u32 *put_off, *todo;
    u32 *bits;                      /* of squads, a bit for each element; 0 but while one marks there */
    u64 *matched;
    u32 pool_size, most_nodes, most_work;
    const gxp_flat_formula *formula;
    const gxp_flat_atom *atom;
    const u32 *args, *node, *item;
    const u16 *item_at, *ns;
    u32 has_ns;
} gxp_run;

/* ---- looking ---- */

GX_OP int gxp_has(const u64 *bits, u32 i) { return (int)(TEAM_LOAD(&bits[i / 64]) >> i % 64 & 1); }

GX_OP int gxp_passes(const gxp_run *r, u32 x, u32 test)
{
    if (test < GXP_TEST_FIRST)
        return test == GXP_TEST_NODE || (test == GXP_TEST_ROOT) == (x == 0);
    return r->node[x] >> 16 == test || (r->has_ns && r->ns[x] == test);
}

GX_OP u32 gxp_parent(const gxp_run *r, u32 x) { return r->node[x] & 0xffff; }

/* The i-th element, i ascending: four at a time where they are aligned. *four: the caller's, from call to call */
GX_OP u32 gxp_next(gxp_nodes l, u32 i, u64 *four)
{
    if ((uintptr_t)l.at & 7)
        return l.at[i];
    if (!(i & 3))
        *four = *(const gxp_four *)(const void *)(l.at + i);
    return (u32)(*four >> 16 * (i & 3)) & 0xffff;
}

GX_OP int gxp_atom_holds(const gxp_run *r, const gxp_flat_atom *a, u32 x)
{
    for (u32 i = r->item_at[x]; i < r->item_at[x + 1]; i++)
        if (r->item[i] - a->first <= a->last - a->first)
            return 1;
    return 0;
}

GX_OP gxp_nodes gxp_of_test(const gxp_run *r, u32 test)
{
    gxp_nodes l = { GXP_COL(r->tree, u16, all), r->tree->n };
    if (test == GXP_TEST_ROOT)
        l.n = 1;
    else if (test == GXP_TEST_ANY) {
        l.at++;
        l.n--;
    } else if (test >= GXP_TEST_FIRST) {
        const u32 *at = GXP_COL(r->tree, u32, test_at);
        const u32 from = (at[test] + 3) & ~3u;
        l.at = GXP_COL(r->tree, u16, test) + from;
        l.n = at[test + 1] - from;
    }
    return l;
}

/* The list of a formula that holds, and is no atom without one */
GX_OP gxp_nodes gxp_list_of(const gxp_run *r, u32 f)
{
    gxp_nodes l;
    if (GXP_FLAT_KIND(&r->formula[f]) == GXP_FLAT_TEST)
        return gxp_of_test(r, r->formula[f].b);
    l.at = r->pool + r->slot[f].at;
    l.n = r->slot[f].n;
    return l;
}

GX_OP int gxp_is_in(gxp_nodes l, u32 x)
{
    u32 lo = 0, hi = l.n;
    while (lo < hi) {               /* at[lo - 1] < x <= at[hi] */
        const u32 mid = (lo + hi) / 2;
        if (l.at[mid] < x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < l.n && l.at[lo] == x;
}

GX_OP int gxp_holds_at(const gxp_run *r, u32 f, u32 x)
{
    const gxp_flat_formula *k = &r->formula[f];
    switch (GXP_FLAT_KIND(k)) {
    case GXP_FLAT_TEST: return gxp_passes(r, x, k->b);
    case GXP_FLAT_ATOM: return gxp_atom_holds(r, &r->atom[k->b], x);
    default: return gxp_has(r->holds, f) && gxp_is_in(gxp_list_of(r, f), x);
    }
}

/* So many elements were looked at; few are not worth counting. Is it over? */
GX_OP int gxp_is_over(gxp_run *r, u32 n)
{
    if (n >= 64) {
        const u32 all = team_add(&r->shared->work, n / 64);
        if (r->most_work && all > r->most_work)
            TEAM_STORE(&r->shared->status, (u32)GX_ELIMIT);
    }
    return TEAM_LOAD(&r->shared->status) != GX_OK;
}

/* The same for all of a squad */
GX_OP int gxp_is_squad_over(gxp_run *r, u32 n)
{
    return (int)squad_first(&r->t, squad_rank(&r->t) == 0 ? (u32)gxp_is_over(r, n) : 0);
}

/* ---- by one member: what is written to `to`, of `room`; its length, or GXP_TOO_LONG ---- */

/* `to` may be where the list is. Parents of ascending elements ascend, but for those that come back from a deeper one
 * to an ancestor of it: these are put in their places. */
GX_OP u32 gxp_parents(const gxp_run *r, gxp_nodes l, u32 test, u16 *to, u32 room)
{
    u32 n = 0, last = GXP_NO_NODE;
    u64 four = 0;
    for (u32 i = 0; i < l.n; i++) {
        const u32 p = gxp_parent(r, gxp_next(l, i, &four));
        if (p == last || p == GXP_NO_NODE)
            continue;
        last = p;
        if (!gxp_passes(r, p, test))
            continue;
        u32 k = n;
        while (k && to[k - 1] > p)
            k--;
        if (k && to[k - 1] == p)
            continue;
        if (n == room)
            return GXP_TOO_LONG;
        for (u32 m = n++; m > k; m--)
            to[m] = to[m - 1];
        to[k] = (u16)p;
    }
    return n;
}

/*
 * Ancestors, or these and the elements themselves. The list may be at `to`.
 *
 * From an element upwards to the one before it in the list: what is above that, too, has been found with it. So what is
 * found with one element comes behind all that was found before it.
 */
GX_OP u32 gxp_ancestors(const gxp_run *r, gxp_nodes l, u32 axis, u32 test, u16 *to, u32 room)
{
    const u32 taken = l.at == to ? l.n : 0;
    u16 *const out = to + taken;
    u32 n = 0, least = 0;
    u64 four = 0;
    for (u32 i = 0; i < l.n; i++) {
        const u32 from = n, y = gxp_next(l, i, &four);
        for (u32 x = axis == GXP_BELOW ? gxp_parent(r, y) : y; x != GXP_NO_NODE && x >= least; x = gxp_parent(r, x)) {
            if (!gxp_passes(r, x, test))
                continue;
            if (n + taken >= room)
                return GXP_TOO_LONG;
            out[n++] = (u16)x;
        }
        for (u32 a = from, b = n; a + 1 < b; a++) {
            const u16 x = out[a];
            out[a] = out[--b];
            out[b] = x;
        }
        least = axis == GXP_BELOW ? y : y + 1;
    }
    for (u32 i = 0; taken && i < n; i++)
        to[i] = out[i];
    return n;
}

GX_OP u32 gxp_edge(const gxp_run *r, gxp_nodes l, u32 test_axis, u16 *to, u32 room)
{
    const u32 axis = test_axis & 3, test = test_axis >> 2;
    return axis == GXP_CHILD ? gxp_parents(r, l, test, to, room) : gxp_ancestors(r, l, axis, test, to, room);
}

/* Of a short and a long list. `to` is neither, or where the short one is. */
GX_OP u32 gxp_few_of(gxp_nodes few, gxp_nodes many, u16 *to, u32 room)
{
    u32 n = 0;
    u64 four = 0;
    for (u32 i = 0; i < few.n; i++) {
        const u32 x = gxp_next(few, i, &four);
        if (!gxp_is_in(many, x))
            continue;
        if (n == room)
            return GXP_TOO_LONG;
        to[n++] = (u16)x;
    }
    return n;
}

GX_OP u32 gxp_meet_atom(const gxp_run *r, gxp_nodes l, const gxp_flat_atom *a, int is_not, u16 *to, u32 room)
{
    const u32 first = a->first, most = a->last - a->first;
    u32 n = 0;
    u64 four = 0;
    for (u32 k = 0; k < l.n; k++) {
        const u32 x = gxp_next(l, k, &four), end = r->item_at[x + 1];
        u32 i = r->item_at[x];
        while (i < end && r->item[i] - first > most)
            i++;
        if ((i < end) == is_not)
            continue;
        if (n == room)
            return GXP_TOO_LONG;
        to[n++] = (u16)x;
    }
    return n;
}

/* Where a formula holds of a list, or where it does not. `to` may be where the list is. */
GX_OP u32 gxp_meet(const gxp_run *r, gxp_nodes l, u32 f, int is_not, u16 *to, u32 room)
{
    u32 n = 0;
    if (GXP_FLAT_KIND(&r->formula[f]) >= GXP_FLAT_EDGE && !is_not && gxp_has(r->holds, f)) {
        const gxp_nodes other = gxp_list_of(r, f);
        return other.n < l.n && l.at != to ? gxp_few_of(other, l, to, room) : gxp_few_of(l, other, to, room);
    }
    if (GXP_FLAT_KIND(&r->formula[f]) == GXP_FLAT_ATOM)
        return gxp_meet_atom(r, l, &r->atom[r->formula[f].b], is_not, to, room);
    u64 four = 0;
    for (u32 i = 0; i < l.n; i++) {
        const u32 x = gxp_next(l, i, &four);
        if (gxp_holds_at(r, f, x) == is_not)
            continue;
        if (n == room)
            return GXP_TOO_LONG;
        to[n++] = (u16)x;
    }
    return n;
}

/* Of two lists; `to` may be where the first is, or before both. */
GX_OP u32 gxp_both(gxp_nodes a, gxp_nodes b, u16 *to, u32 room)
{
    u32 n = 0;
    for (u32 i = 0, k = 0; i < a.n && k < b.n;) {
        const u32 x = a.at[i], y = b.at[k];
        i += x <= y;
        k += y <= x;
        if (x != y)
            continue;
        if (n == room)
            return GXP_TOO_LONG;
        to[n++] = (u16)x;
    }
    return n;
}

GX_OP u32 gxp_list_atom(const gxp_run *r, const gxp_flat_atom *a, u16 *to, u32 room)
{
    const u32 *at = GXP_COL(r->tree, u32, group_at), *items = GXP_COL(r->tree, u32, group_item);
    const u16 *nodes = GXP_COL(r->tree, u16, group_node);
    u32 n = 0;
    for (u32 i = at[a->group]; i < at[a->group + 1]; i++) {
        if (items[i] - a->first > a->last - a->first || (n && to[n - 1] == nodes[i]))
            continue;
        if (n == room)
            return GXP_TOO_LONG;
        to[n++] = nodes[i];
    }
    return n;
}

GX_OP int gxp_has_list(const gxp_run *r, u32 f)
{
    return GXP_FLAT_KIND(&r->formula[f]) != GXP_FLAT_ATOM || r->atom[r->formula[f].b].is_listed;
}

/* The shortest list of what must hold, of an AND's args: how many, references; n = 0: something holds nowhere */
GX_OP gxp_nodes gxp_shortest_of(const gxp_run *r, const u32 *args)
{
    gxp_nodes least = { NULL, GX_NONE };
    for (u32 k = 1; k <= args[0]; k++) {
        const u32 f = GXP_REF_FORMULA(args[k]);
        if (GXP_REF_NOT(args[k]))
            continue;
        if (!gxp_has(r->holds, f)) {
            least.n = 0;
            return least;
        }
        if (gxp_has_list(r, f)) {
            const gxp_nodes l = gxp_list_of(r, f);
            least = l.n < least.n ? l : least;
        }
    }
    return least;
}

/* ---- by a squad: all its members call these; the same ---- */

GX_OP u32 *gxp_bits_of(const gxp_run *r) { return r->bits + (size_t)squad_index(&r->t) * ((r->most_nodes + 32) / 32); }

/* The elements that are marked and pass a test; none is marked any more. */
GX_OP u32 gxp_squad_list(const gxp_run *r, u32 test, u16 *to, u32 room)
{
    u32 *bits = gxp_bits_of(r), n = 0, all;
    squad_sync(&r->t);
    for (u32 from = 0; from < (r->tree->n + 31) / 32; from += squad_size(&r->t)) {
        const u32 w = from + squad_rank(&r->t);
        u32 marked = w < (r->tree->n + 31) / 32 ? bits[w] : 0, some = 0, count = 0;
        if (marked)
            bits[w] = 0;
        for (; marked; marked &= marked - 1)
            if (gxp_passes(r, 32 * w + squad_lowest(marked), test)) {
                some |= marked & (0 - marked);
                count++;
            }
        u32 at = n + squad_scan(&r->t, count, &all);
        for (; some && at < room; some &= some - 1)
            to[at++] = (u16)(32 * w + squad_lowest(some));
        n += all;
    }
    squad_sync(&r->t);
    return n > room ? GXP_TOO_LONG : n;
}

GX_OP u32 gxp_squad_edge(const gxp_run *r, gxp_nodes l, u32 test_axis, u16 *to, u32 room)
{
    const u32 axis = test_axis & 3;
    u32 *bits = gxp_bits_of(r);
    for (u32 i = squad_rank(&r->t); i < l.n; i += squad_size(&r->t)) {
        u32 x = axis == GXP_HERE_OR_BELOW ? l.at[i] : gxp_parent(r, l.at[i]);
        while (x != GXP_NO_NODE && !(squad_or(&bits[x / 32], 1u << x % 32) >> x % 32 & 1) && axis != GXP_CHILD)
            x = gxp_parent(r, x);
    }
    return gxp_squad_list(r, test_axis >> 2, to, room);
}

GX_OP u32 gxp_squad_put(const gxp_run *r, int yes, u32 x, u32 n, u16 *to, u32 room)
{
    u32 all;
    const u32 at = n + squad_before(&r->t, yes, &all);
    if (yes && at < room)
        to[at] = (u16)x;
    return n + all;
}

GX_OP u32 gxp_squad_end(const gxp_run *r, u32 n, u32 room)
{
    squad_sync(&r->t);
    return n > room ? GXP_TOO_LONG : n;
}

GX_OP u32 gxp_squad_meet(const gxp_run *r, gxp_nodes l, u32 f, int is_not, u16 *to, u32 room)
{
    u32 n = 0;
    for (u32 from = 0; from < l.n; from += squad_size(&r->t)) {
        const u32 i = from + squad_rank(&r->t), x = i < l.n ? l.at[i] : 0;
        n = gxp_squad_put(r, i < l.n && gxp_holds_at(r, f, x) != is_not, x, n, to, room);
    }
    return gxp_squad_end(r, n, room);
}

GX_OP u32 gxp_squad_both(const gxp_run *r, gxp_nodes a, gxp_nodes b, u16 *to, u32 room)
{
    u32 n = 0;
    for (u32 from = 0; from < a.n; from += squad_size(&r->t)) {
        const u32 i = from + squad_rank(&r->t), x = i < a.n ? a.at[i] : 0;
        n = gxp_squad_put(r, i < a.n && gxp_is_in(b, x), x, n, to, room);
    }
    return gxp_squad_end(r, n, room);
}

/* What all of an AND's operands leave of the shortest list, one after the other; that list is gone through once more */
GX_OP u32 gxp_all(const gxp_run *r, const u32 *args, gxp_nodes least, u16 *to, u32 room, int squad)
{
    for (u32 k = 1; k <= args[0] && least.n; k++) {
        const u32 f = GXP_REF_FORMULA(args[k]);
        const int is_not = (int)GXP_REF_NOT(args[k]);
        const u32 n = squad ? gxp_squad_meet(r, least, f, is_not, to, room) : gxp_meet(r, least, f, is_not, to, room);
        if (n == GXP_TOO_LONG)
            return n;
        least.at = to;
        least.n = n;
    }
    return least.n;
}

GX_OP u32 gxp_squad_any(const gxp_run *r, const u32 *args, u16 *to, u32 room)
{
    u32 *bits = gxp_bits_of(r);
    for (u32 k = 1; k <= args[0]; k++) {
        const u32 f = GXP_REF_FORMULA(args[k]);
        if (!gxp_has(r->holds, f))
            continue;
        const gxp_nodes l = gxp_list_of(r, f);
        for (u32 i = squad_rank(&r->t); i < l.n; i += squad_size(&r->t))
            squad_or(&bits[l.at[i] / 32], 1u << l.at[i] % 32);
    }
    return gxp_squad_list(r, GXP_TEST_NODE, to, room);
}

GX_OP u32 gxp_squad_atom(const gxp_run *r, const gxp_flat_atom *a, u16 *to, u32 room)
{
    const u32 *at = GXP_COL(r->tree, u32, group_at), *items = GXP_COL(r->tree, u32, group_item);
    const u16 *nodes = GXP_COL(r->tree, u16, group_node);
    u32 *bits = gxp_bits_of(r);
    for (u32 i = at[a->group] + squad_rank(&r->t); i < at[a->group + 1]; i += squad_size(&r->t))
        if (items[i] - a->first <= a->last - a->first)
            squad_or(&bits[nodes[i] / 32], 1u << nodes[i] % 32);
    return gxp_squad_list(r, GXP_TEST_NODE, to, room);
}

/* ---- formulas ---- */

GX_OP void gxp_set_holds(gxp_run *r, u32 f) { team_or(&r->holds[f / 64], (u64)1 << f % 64); }

/* A formula's list, n elements, is copied to the pool, where it stays until the document ends, and the formula holds;
 * of none nothing is kept. By one member, or by a squad, whose members copy each their share. Complete for others
 * after the next sync. Where the pool is full the run's status is GX_EARENA. */
GX_OP void gxp_keep(gxp_run *r, u32 f, const u16 *list, u32 n, int squad)
{
    const u32 rank = squad ? squad_rank(&r->t) : 0, size = squad ? squad_size(&r->t) : 1;
    u32 at = 0;
    if ((squad ? gxp_is_squad_over(r, n) : gxp_is_over(r, n)) || !n)
        return;
    if (rank == 0)
        at = team_add(&r->shared->top, (n + 3) & ~3u);
    if (squad)
        at = squad_first(&r->t, at);
    if (at + n + 4 > r->pool_size) {
        TEAM_STORE(&r->shared->status, (u32)GX_EARENA);
        return;
    }
    for (u32 i = rank; i < n; i += size)
        r->pool[at + i] = list[i];
    if (rank == 0) {
        r->slot[f].at = at;
        r->slot[f].n = n;
        gxp_set_holds(r, f);
    }
}

/* One formula, whose operands are known; by one member, or by a squad. 0: it is too long */
GX_OP int gxp_formula(gxp_run *r, u32 f, u16 *own, u32 room, int squad)
{
    const gxp_flat_formula *k = &r->formula[f];
    const u32 *args = r->args + k->b;
    u32 n = 0;
    switch (GXP_FLAT_KIND(k)) {
    case GXP_FLAT_TEST:
        if (gxp_of_test(r, k->b).n)
            gxp_set_holds(r, f);
        return 1;
    case GXP_FLAT_ATOM: {
        const gxp_flat_atom *a = &r->atom[k->b];
        const u32 *at = GXP_COL(r->tree, u32, group_at);
        if (!a->is_listed) {
            gxp_set_holds(r, f);
            return 1;
        }
        if (!squad && at[a->group + 1] - at[a->group] > GXP_SHORT)
            return 0;
        n = squad ? gxp_squad_atom(r, a, own, room) : gxp_list_atom(r, a, own, room);
        break;
    }
    case GXP_FLAT_EDGE: {
        if (!gxp_has(r->holds, k->b))
            return 1;
        const gxp_nodes l = gxp_list_of(r, k->b);
        if (!squad && l.n > GXP_SHORT)
            return 0;
        n = squad ? gxp_squad_edge(r, l, k->a >> 3, own, room) : gxp_edge(r, l, k->a >> 3, own, room);
        break;
    }
    case GXP_FLAT_AND: {
        const gxp_nodes l = gxp_shortest_of(r, args);
        if (!squad && l.n > GXP_SHORT)
            return 0;
        n = gxp_all(r, args, l, own, room, squad);
        break;
    }
    default:
        if (!squad)
            return 0;
        n = gxp_squad_any(r, args, own, room);
    }
    if (n == GXP_TOO_LONG)
        return 0;
    gxp_keep(r, f, own, n, squad);
    return 1;
}

GX_OP_BIG int gxp_formula_member(gxp_run *r, u32 f, u16 *own) { return gxp_formula(r, f, own, GXP_OWN, 0); }
GX_OP_BIG int gxp_formula_squad(gxp_run *r, u32 f, u16 *wide, u32 room) { return gxp_formula(r, f, wide, room, 1); }

/* By members that come to it or do not */
GX_OP void gxp_put_off(gxp_run *r, u32 what) { r->put_off[team_add(&r->shared->n_long, 1)] = what; }

GX_OP u32 gxp_wide_room(const gxp_run *r) { return 2 * r->most_nodes + 64; }

/* What was put off, by squads with long buffers; begins and ends with a sync. end: the status, the same for all */
#define GXP_PUT_OFF(r, by_squad, end) \
    do { \
        team_sync(&(r)->t); \
        const u32 n_off = (r)->shared->n_long; \
        const u32 n_squads = squads(&(r)->t) < GXP_WIDE ? squads(&(r)->t) : (u32)GXP_WIDE; \
        u16 *const wide = (r)->wide + (size_t)squad_index(&(r)->t) * gxp_wide_room(r); \
        for (u32 i = squad_index(&(r)->t); i < n_off && squad_index(&(r)->t) < n_squads; i += n_squads) \
            if (!by_squad((r), (r)->put_off[i], wide, gxp_wide_room(r))) \
                TEAM_STORE(&(r)->shared->status, (u32)GX_EARENA); \
        team_sync(&(r)->t); \
        (end) = (gx_status)TEAM_LOAD(&(r)->shared->status); \
        if (team_rank(&(r)->t) == 0) \
            (r)->shared->n_long = 0; \
        team_sync(&(r)->t); \
    } while (0)

GX_OP gx_status gxp_rank_run(gxp_run *r, u32 from, u32 to, u16 *own)
{
    gx_status status;
    TEAM_FOR(&r->t, i, to - from) {
        if (!gxp_formula_member(r, from + i, own))
            gxp_put_off(r, from + i);
    }
    GXP_PUT_OFF(r, gxp_formula_squad, status);
    return status;
}

/* ---- profiles ---- */

GX_OP int gxp_is_there(gxp_nodes l, u32 how)
{
    return l.n && (how == GXP_ANYWHERE || gxp_is_in(l, how == GXP_AT_TOP ? 1 : 0));
}

GX_OP void gxp_matches(gxp_run *r, u32 profile) { team_or(&r->matched[profile / 64], (u64)1 << profile % 64); }

typedef struct gxp_frame {
    gxp_nodes list;
    u32 base;                       /* where in the buffer the next list may be written */
} gxp_frame;

/* A last operation: does it leave what is above all, the document element? */
GX_OP int gxp_edge_at_top(const gxp_run *r, gxp_nodes l, u32 test_axis)
{
    const u32 axis = test_axis & 3;
    if (!gxp_passes(r, 1, test_axis >> 2))
        return 0;
    if (axis != GXP_CHILD)
        return l.at[l.n - 1] > (axis == GXP_BELOW);
    for (u32 i = 0; i < l.n; i++)
        if (gxp_parent(r, l.at[i]) == 1)
            return 1;
    return 0;
}

/* The shortest list of a formula that is loaded and those that it meets next; the others follow as they stand */
GX_OP const u32 *gxp_shortest(const gxp_run *r, const u32 *load)
{
    const u32 *best = load;
    u32 n = gxp_list_of(r, GXP_CODE_VALUE(*load)).n;
    for (const u32 *op = load + 1; GXP_CODE_KIND(*op) == GXP_CODE_MEET; op++) {
        const u32 f = GXP_CODE_VALUE(*op);
        if (gxp_has_list(r, f) && gxp_list_of(r, f).n < n) {
            n = gxp_list_of(r, f).n;
            best = op;
        }
    }
    return best;
}

GX_OP const u32 *gxp_code_at(const gxp_run *r, u32 c)
{
    return GXP_COL(r->flat, u32, code) + GXP_COL(r->flat, u32, code_at)[c];
}

/* Does each shared formula hold somewhere that a code needs? */
GX_OP int gxp_code_may(const gxp_run *r, u32 c)
{
    const u32 *code = gxp_code_at(r, c), n = code[1];
    for (u32 i = 0; i < n; i++)
        if (!gxp_has(r->holds, code[2 + i]))
            return 0;
    return 1;
}

/* One operation on the top of the stack, whose result goes to `to` */
GX_OP u32 gxp_operate(const gxp_run *r, u32 kind, u32 value, gxp_nodes l, u16 *to, u32 room, int squad)
{
    if (kind == GXP_CODE_EDGE)
        return squad ? gxp_squad_edge(r, l, value, to, room) : gxp_edge(r, l, value, to, room);
    return squad ? gxp_squad_meet(r, l, value, kind == GXP_CODE_BUT, to, room)
                 : gxp_meet(r, l, value, kind == GXP_CODE_BUT, to, room);
}

/* A profile's code, by one member, or by a squad. 0: what it goes through, or leaves, is too long */
GX_OP int gxp_code(gxp_run *r, u32 c, u16 *own, u32 room, int squad)
{
    const u32 *code = gxp_code_at(r, c), *const first = code + 2 + code[1], *instead = NULL;
    const u32 how = GXP_HOW(code[0]);
    gxp_frame stack[GXP_CODE_DEPTH], top = { { NULL, 0 }, 0 };
    u32 depth = 0;
    for (const u32 *op = first; *op != GXP_CODE_END; op++) {
        const int is_last = op[1] == GXP_CODE_END, is_any = is_last && how == GXP_ANYWHERE;
        u32 kind = GXP_CODE_KIND(*op), value = GXP_CODE_VALUE(*op), n = 0, left;
        if (squad ? gxp_is_squad_over(r, top.list.n) : gxp_is_over(r, top.list.n))
            return 1;
        if (kind == GXP_CODE_LOAD) {
            if (op != first) {
                stack[depth++] = top;
                if (top.list.at == own + top.base)
                    top.base += top.list.n;
            }
            instead = gxp_shortest(r, op);
            top.list = gxp_list_of(r, GXP_CODE_VALUE(*instead));
            instead = instead == op ? NULL : instead;
            if (!instead)
                continue;
            kind = GXP_CODE_MEET;       /* the loaded one is met at once, its place taken by the shortest */
        } else if (op == instead)
            continue;
        if (!squad && top.list.n > GXP_SHORT)
            return 0;
        if (is_last && how == GXP_AT_TOP && kind == GXP_CODE_EDGE) {
            if (gxp_edge_at_top(r, top.list, value))
                gxp_matches(r, GXP_PROFILE(code[0]));
            return 1;
        }
        if (kind == GXP_CODE_JOIN) {
            const gxp_nodes right = top.list;
            top = stack[--depth];
            left = is_any ? 0 : room - top.base;
            n = squad ? gxp_squad_both(r, top.list, right, own + top.base, left)
                      : gxp_both(top.list, right, own + top.base, left);
        } else {    /* of the last one it is enough to know that there is something: no room for it */
            left = is_any ? 0 : room - top.base;
            n = gxp_operate(r, kind, value, top.list, own + top.base, left, squad);
        }
        if (n == GXP_TOO_LONG && !is_any)
            return 0;
        if (!n)
            return 1;
        if (n == GXP_TOO_LONG) {
            gxp_matches(r, GXP_PROFILE(code[0]));
            return 1;
        }
        top.list.at = own + top.base;
        top.list.n = n;
    }
    if (gxp_is_there(top.list, how))
        gxp_matches(r, GXP_PROFILE(code[0]));
    return 1;
}

GX_OP_BIG int gxp_code_member(gxp_run *r, u32 c, u16 *own) { return gxp_code(r, c, own, GXP_OWN, 0); }
GX_OP_BIG int gxp_code_squad(gxp_run *r, u32 c, u16 *wide, u32 room) { return gxp_code(r, c, wide, room, 1); }

/* Those that may match are listed first, so that no member waits while others go through theirs. */
GX_OP gx_status gxp_codes_run(gxp_run *r, u16 *own)
{
    const u32 n = r->flat->n_codes, size = squad_size(&r->t);
    gx_status status;
    for (u32 from = squad_index(&r->t) * size; from < n; from += squads(&r->t) * size) {
        const u32 c = from + squad_rank(&r->t);
        const int may = c < n && gxp_code_may(r, c);
        u32 all, at = 0;
        const u32 before = squad_before(&r->t, may, &all);
        if (all && squad_rank(&r->t) == 0)
            at = team_add(&r->shared->n_todo, all);
        at = squad_first(&r->t, at);
        if (may)
            r->todo[at + before] = c;
    }
    team_sync(&r->t);
    const u32 n_todo = r->shared->n_todo;
    TEAM_FOR(&r->t, i, n_todo) {
        if (!gxp_code_member(r, r->todo[i], own))
            gxp_put_off(r, r->todo[i]);
    }
    GXP_PUT_OFF(r, gxp_code_squad, status);
    return status;
}

GX_OP void gxp_subscribers_run(gxp_run *r)
{
    const gxp_flat_subscriber *m = GXP_COL(r->flat, gxp_flat_subscriber, subscriber);
    TEAM_FOR(&r->t, i, r->flat->n_subscribers) {
        const u32 f = m[i].formula;
        if (gxp_has(r->holds, f) && gxp_is_there(gxp_list_of(r, f), GXP_HOW(m[i].how)))
            gxp_matches(r, GXP_PROFILE(m[i].how));
    }
}

/* ---- a document ---- */

/* What is in faster memory than the scratch; NULL: is there */
typedef struct gxp_near {
    gxp_shared *shared;
    u64 *holds;
    u32 *bits;
    const gxp_tree *tree;           /* a copy up to hot_end */
} gxp_near;

/* Where everything of a run is, for this member: the set's and document's columns, and the scratch of q, or what
 * `near` has in its place. Nothing is written but *r, which is the member's own. */
GX_OP void gxp_run_begin(gxp_run *r, const gxp_request *q, gxp_near near)
{
    const gxp_flat *f = q->flat;
    const gxp_scratch s = gxp_scratch_of(f, q->most_nodes, q->pool);
    r->flat = f;
    r->tree = q->tree;
    r->matched = q->matched;
    r->pool_size = q->pool;
    r->most_nodes = q->most_nodes;
    r->most_work = q->most_work >> 6 > 0xffffffffu ? 0 : (u32)(q->most_work >> 6);
    r->formula = GXP_COL(f, gxp_flat_formula, formula);
    r->atom = GXP_COL(f, gxp_flat_atom, atom);
    r->args = GXP_COL(f, u32, args);
    r->node = GXP_COL(near.tree ? near.tree : q->tree, u32, node);
    r->item_at = GXP_COL(near.tree ? near.tree : q->tree, u16, item_at);
    r->item = GXP_COL(near.tree ? near.tree : q->tree, u32, item);
    r->ns = GXP_COL(q->tree, u16, ns);
    r->has_ns = q->tree->has_ns;
    r->shared = near.shared ? near.shared : (gxp_shared *)(void *)q->scratch;
    r->slot = (gxp_slot *)(void *)(q->scratch + s.slot);
    r->holds = near.holds ? near.holds : (u64 *)(void *)(q->scratch + s.holds);
    r->put_off = (u32 *)(void *)(q->scratch + s.put_off);
    r->todo = (u32 *)(void *)(q->scratch + s.todo);
    r->bits = near.bits ? near.bits : (u32 *)(void *)(q->scratch + s.bits);
    r->pool = (u16 *)(void *)(q->scratch + s.pool);
    r->wide = (u16 *)(void *)(q->scratch + s.wide);
}

/* Matches the document: by all members of the team, with r of gxp_run_begin(). Clears what the last one left,
 * evaluates ranks of formulas one after the other, each of which needs those before it, then subscribers and codes.
 * r->matched has a bit for each profile, complete after the next sync. GX_EARENA: more elements or lists than there is
 * room for; else what stopped it, by limits or time. Uniform. */
GX_OP gx_status gxp_nodes_run(gxp_run *r)
{
    const gxp_flat *f = r->flat;
    const u32 *rank = GXP_COL(f, u32, rank_start);
    u64 buffer[(GXP_OWN + 3) / 4];
    u16 *const own = (u16 *)(void *)buffer;
    TEAM_FOR(&r->t, i, f->n_formulas / 64 + 1)
        r->holds[i] = 0;
    TEAM_FOR(&r->t, i, f->n_profiles / 64 + 1)
        r->matched[i] = 0;
    if (squad_index(&r->t) < GXP_WIDE)
        for (u32 w = squad_rank(&r->t); w < (r->most_nodes + 32) / 32; w += squad_size(&r->t))
            gxp_bits_of(r)[w] = 0;
    if (team_rank(&r->t) == 0) {
        r->shared->top = r->shared->n_long = r->shared->n_todo = r->shared->work = 0;
        r->shared->status = GX_OK;
    }
    team_sync(&r->t);
    gx_status status = r->tree->n > r->most_nodes ? GX_EARENA : GX_OK;
    for (u32 k = 0; k < f->n_ranks && status == GX_OK; k++)
        status = gxp_rank_run(r, rank[k], rank[k + 1], own);
    if (status != GX_OK)
        return status;
    gxp_subscribers_run(r);
    return gxp_codes_run(r, own);
}

#endif
