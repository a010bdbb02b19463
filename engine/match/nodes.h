/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nodes.h -- the profiles that a document matches, by a team
 *
 * A formula's value is the ascending list of elements that it holds for. Each member makes whole lists: of formulas of
 * a rank, rank by rank, then of a profile's code. Most lists have a few elements, so a member makes them in a small
 * buffer of its own. Lists that outgrow it are put off, and made in long buffers by the first GXP_WIDE members.
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

#include "machine/team.h"
#include "flat.h"
#include "words.h"

#ifndef GXP_OWN
#define GXP_OWN 96u                 /* elements of a member's own buffer */
#endif
#define GXP_TOO_LONG GX_NONE

/* A list of elements */
typedef struct gxp_nodes {
    const u16 *at;
    u32 n;
} gxp_nodes;

typedef struct gxp_slot {
    u32 at, n;                      /* in the pool */
} gxp_slot;

typedef struct gxp_shared {         /* of all members */
    u32 top, n_long;                /* entries of the pool; formulas or codes put off */
    u32 work;                       /* in thousands */
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
    u32 *put_off;
    u64 *matched;
    u32 pool_size, most_nodes, most_work, work;
    const gxp_flat_formula *formula;
    const gxp_flat_atom *atom;
    const u32 *args, *item_at, *item;
    const u16 *parent, *name, *ns;
} gxp_run;

/* ---- looking ---- */

GX_OP int gxp_has(const u64 *bits, u32 i) { return (int)(bits[i / 64] >> i % 64 & 1); }

GX_OP int gxp_passes(const gxp_run *r, u32 x, u32 test)
{
    if (test < GXP_TEST_FIRST)
        return test == GXP_TEST_NODE || (test == GXP_TEST_ROOT) == (x == 0);
    return r->name[x] == test || (r->tree->has_ns && r->ns[x] == test);
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
        l.at = GXP_COL(r->tree, u16, test) + at[test];
        l.n = at[test + 1] - at[test];
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

/* So many elements were looked at. Is it over? */
GX_OP int gxp_is_over(gxp_run *r, u32 n)
{
    r->work += n + 1;
    if (r->work >= 4096) {
        const u32 all = team_add(&r->shared->work, r->work >> 10) + (r->work >> 10);
        r->work &= 1023;
        if (r->most_work && all > r->most_work)
            TEAM_STORE(&r->shared->status, (u32)GX_ELIMIT);
    }
    return TEAM_LOAD(&r->shared->status) != GX_OK;
}

/* ---- making: what is written to `to`, of `room`; its length, or GXP_TOO_LONG ---- */

/* `to` may be where the list is. Parents of ascending elements ascend, but for those that come back from a deeper one to
 * an ancestor of it: these are put in their places. */
GX_OP u32 gxp_parents(gxp_run *r, gxp_nodes l, u32 test, u16 *to, u32 room)
{
    u32 n = 0, last = GXP_NO_NODE;
    for (u32 i = 0; i < l.n; i++) {
        const u32 p = r->parent[l.at[i]];
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
        r->work += n - k;
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
GX_OP u32 gxp_ancestors(gxp_run *r, gxp_nodes l, u32 axis, u32 test, u16 *to, u32 room)
{
    const u32 taken = l.at == to ? l.n : 0;
    u16 *const out = to + taken;
    u32 n = 0, least = 0;
    for (u32 i = 0; i < l.n; i++) {
        const u32 from = n, y = l.at[i];
        for (u32 x = axis == GXP_BELOW ? r->parent[y] : y; x != GXP_NO_NODE && x >= least; x = r->parent[x]) {
            r->work++;
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

GX_OP u32 gxp_edge(gxp_run *r, gxp_nodes l, u32 test_axis, u16 *to, u32 room)
{
    const u32 axis = test_axis & 3, test = test_axis >> 2;
    return axis == GXP_CHILD ? gxp_parents(r, l, test, to, room) : gxp_ancestors(r, l, axis, test, to, room);
}

/* Of a short and a long list. `to` is neither, or where the short one is. */
GX_OP u32 gxp_few_of(gxp_nodes few, gxp_nodes many, u16 *to, u32 room)
{
    u32 n = 0;
    for (u32 i = 0; i < few.n; i++) {
        const u32 x = few.at[i];
        if (!gxp_is_in(many, x))
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
    for (u32 i = 0; i < l.n; i++) {
        const u32 x = l.at[i];
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

/* args: how many, references */
GX_OP u32 gxp_all(const gxp_run *r, const u32 *args, u16 *to, u32 room)
{
    gxp_nodes least = { NULL, GX_NONE };
    u32 n = 0;
    for (u32 k = 1; k <= args[0]; k++) {
        const u32 f = GXP_REF_FORMULA(args[k]);
        if (GXP_REF_NOT(args[k]))
            continue;
        if (!gxp_has(r->holds, f))
            return 0;
        if (gxp_has_list(r, f)) {
            const gxp_nodes l = gxp_list_of(r, f);
            least = l.n < least.n ? l : least;
        }
    }
    for (u32 i = 0; i < least.n; i++) {
        const u32 x = least.at[i];
        u32 k = 1;
        while (k <= args[0] && gxp_holds_at(r, GXP_REF_FORMULA(args[k]), x) != (int)GXP_REF_NOT(args[k]))
            k++;
        if (k <= args[0])
            continue;
        if (n == room)
            return GXP_TOO_LONG;
        to[n++] = (u16)x;
    }
    return n;
}

/* The least of all lists that is above the last one, again and again */
GX_OP u32 gxp_any(const gxp_run *r, const u32 *args, u16 *to, u32 room)
{
    u32 n = 0, from = 0;
    for (;;) {
        u32 least = GXP_NO_NODE;
        for (u32 k = 1; k <= args[0]; k++) {
            const u32 f = GXP_REF_FORMULA(args[k]);
            if (!gxp_has(r->holds, f))
                continue;
            const gxp_nodes l = gxp_list_of(r, f);
            u32 lo = 0, hi = l.n;
            while (lo < hi) {
                const u32 mid = (lo + hi) / 2;
                if (l.at[mid] < from)
                    lo = mid + 1;
                else
                    hi = mid;
            }
            if (lo < l.n && l.at[lo] < least)
                least = l.at[lo];
        }
        if (least == GXP_NO_NODE)
            return n;
        if (n == room)
            return GXP_TOO_LONG;
        to[n++] = (u16)least;
        from = least + 1;
    }
}

/* ---- formulas ---- */

GX_OP void gxp_set_holds(gxp_run *r, u32 f) { team_or(&r->holds[f / 64], (u64)1 << f % 64); }

/* One formula, whose operands are known; 0: its list is too long for the buffer */
GX_OP_BIG int gxp_formula_run(gxp_run *r, u32 f, u16 *own, u32 room)
{
    const gxp_flat_formula *k = &r->formula[f];
    u32 n = 0;
    switch (GXP_FLAT_KIND(k)) {
    case GXP_FLAT_TEST:
        if (gxp_of_test(r, k->b).n)
            gxp_set_holds(r, f);
        return 1;
    case GXP_FLAT_ATOM:
        if (!r->atom[k->b].is_listed) {
            gxp_set_holds(r, f);
            return 1;
        }
        n = gxp_list_atom(r, &r->atom[k->b], own, room);
        break;
    case GXP_FLAT_EDGE:
        if (!gxp_has(r->holds, k->b))
            return 1;
        n = gxp_edge(r, gxp_list_of(r, k->b), k->a >> 3, own, room);
        break;
    case GXP_FLAT_AND: n = gxp_all(r, r->args + k->b, own, room); break;
    default: n = gxp_any(r, r->args + k->b, own, room); break;
    }
    if (n == GXP_TOO_LONG)
        return 0;
    if (gxp_is_over(r, n) || !n)
        return 1;
    const u32 at = team_add(&r->shared->top, n);
    if (at + n > r->pool_size) {
        TEAM_STORE(&r->shared->status, (u32)GX_EARENA);
        return 1;
    }
    for (u32 i = 0; i < n; i++)
        r->pool[at + i] = own[i];
    r->slot[f].at = at;
    r->slot[f].n = n;
    gxp_set_holds(r, f);
    return 1;
}

GX_OP void gxp_put_off(gxp_run *r, u32 what)
{
    const u32 at = team_add(&r->shared->n_long, 1);
    if (at < GXP_LONG)
        r->put_off[at] = what;
    else
        TEAM_STORE(&r->shared->status, (u32)GX_EARENA);
}

GX_OP u32 gxp_wide_room(const gxp_run *r) { return 2 * r->most_nodes + 64; }

/* What was put off, by members with long buffers; begins and ends with a sync */
#define GXP_PUT_OFF(r, run_one) \
    do { \
        team_sync(&(r)->t); \
        const u32 n_off = (r)->shared->n_long < GXP_LONG ? (r)->shared->n_long : (u32)GXP_LONG; \
        const u32 wide = team_size(&(r)->t) < GXP_WIDE ? team_size(&(r)->t) : (u32)GXP_WIDE; \
        for (u32 i = team_rank(&(r)->t); i < n_off && team_rank(&(r)->t) < wide; i += wide) \
            if (!run_one((r), (r)->put_off[i], (r)->wide + (size_t)team_rank(&(r)->t) * gxp_wide_room(r), \
                         gxp_wide_room(r))) \
                TEAM_STORE(&(r)->shared->status, (u32)GX_EARENA); \
        team_sync(&(r)->t); \
        if (team_rank(&(r)->t) == 0) \
            (r)->shared->n_long = 0; \
        team_sync(&(r)->t); \
    } while (0)

GX_OP void gxp_rank_run(gxp_run *r, u32 from, u32 to, u16 *own)
{
    TEAM_FOR(&r->t, i, to - from) {
        if (!gxp_formula_run(r, from + i, own, GXP_OWN))
            gxp_put_off(r, from + i);
    }
    GXP_PUT_OFF(r, gxp_formula_run);
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
        if (r->parent[l.at[i]] == 1)
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

/* A profile's code. What it leaves is too long for the buffer: 0 */
GX_OP_BIG int gxp_code_run(gxp_run *r, u32 c, u16 *own, u32 room)
{
    const u32 *code = GXP_COL(r->flat, u32, code) + GXP_COL(r->flat, u32, code_at)[c];
    const u32 n_needed = code[1], how = GXP_HOW(code[0]);
    const u32 *const first = code + 2 + n_needed, *instead = NULL;
    gxp_frame stack[GXP_FLAT_STACK], top = { { NULL, 0 }, 0 };
    u32 depth = 0;
    for (u32 i = 0; i < n_needed; i++)
        if (!gxp_has(r->holds, code[2 + i]))
            return 1;
    for (const u32 *op = first; *op != GXP_CODE_END; op++) {
        const int is_last = op[1] == GXP_CODE_END, is_any = is_last && how == GXP_ANYWHERE;
        u32 kind = GXP_CODE_KIND(*op), value = GXP_CODE_VALUE(*op), n = 0, left;
        if (gxp_is_over(r, top.list.n))
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
            value = GXP_CODE_VALUE(*op);        /* the loaded one is met at once, its place taken by the shortest */
            kind = GXP_CODE_MEET;
        } else if (op == instead)
            continue;
        /* of the last one it is enough to know that there is something: no room for it */
        left = is_any ? 0 : room - top.base;
        if (is_last && how == GXP_AT_TOP && kind == GXP_CODE_EDGE) {
            if (gxp_edge_at_top(r, top.list, value))
                gxp_matches(r, GXP_PROFILE(code[0]));
            return 1;
        }
        if (kind == GXP_CODE_JOIN) {
            const gxp_nodes right = top.list;
            top = stack[--depth];
            left = is_any ? 0 : room - top.base;
            n = gxp_both(top.list, right, own + top.base, left);
        } else if (kind == GXP_CODE_EDGE)
            n = gxp_edge(r, top.list, value, own + top.base, left);
        else
            n = gxp_meet(r, top.list, value, kind == GXP_CODE_BUT, own + top.base, left);
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

GX_OP void gxp_members_run(gxp_run *r)
{
    const gxp_flat_member *m = GXP_COL(r->flat, gxp_flat_member, member);
    TEAM_FOR(&r->t, i, r->flat->n_members) {
        const u32 f = m[i].formula;
        if (gxp_has(r->holds, f) && gxp_is_there(gxp_list_of(r, f), GXP_HOW(m[i].how)))
            gxp_matches(r, GXP_PROFILE(m[i].how));
    }
}

/* ---- a document ---- */

/* shared and holds may be in faster memory than the scratch: NULL = there */
GX_OP void gxp_run_begin(gxp_run *r, const gxp_request *q, gxp_shared *shared, u64 *holds)
{
    const gxp_flat *f = q->flat;
    char *at = q->scratch;
    r->flat = f;
    r->tree = q->tree;
    r->matched = q->matched;
    r->pool_size = q->pool;
    r->most_nodes = q->most_nodes;
    r->most_work = q->most_work >> 10 > 0xffffffffu ? 0 : (u32)(q->most_work >> 10);
    r->work = 0;
    r->formula = GXP_COL(f, gxp_flat_formula, formula);
    r->atom = GXP_COL(f, gxp_flat_atom, atom);
    r->args = GXP_COL(f, u32, args);
    r->item_at = GXP_COL(q->tree, u32, item_at);
    r->item = GXP_COL(q->tree, u32, item);
    r->parent = GXP_COL(q->tree, u16, parent);
    r->name = GXP_COL(q->tree, u16, name);
    r->ns = GXP_COL(q->tree, u16, ns);
    r->shared = shared ? shared : (gxp_shared *)(void *)at;
    at += 256;
    r->slot = (gxp_slot *)(void *)at;
    at += 8ull * (f->n_formulas + 2ull);
    r->holds = holds ? holds : (u64 *)(void *)at;
    at += (f->n_formulas / 64 + 1) * 8ull;
    r->put_off = (u32 *)(void *)at;
    at += 4ull * GXP_LONG;
    r->pool = (u16 *)(void *)at;
    at += 2ull * ((q->pool + 2ull) & ~1ull);
    r->wide = (u16 *)(void *)at;
}

GX_OP gx_status gxp_nodes_run(gxp_run *r)
{
    const gxp_flat *f = r->flat;
    const u32 *rank = GXP_COL(f, u32, rank_start);
    u16 own[GXP_OWN];
    TEAM_FOR(&r->t, i, f->n_formulas / 64 + 1)
        r->holds[i] = 0;
    TEAM_FOR(&r->t, i, f->n_profiles / 64 + 1)
        r->matched[i] = 0;
    if (team_rank(&r->t) == 0) {
        r->shared->top = r->shared->n_long = r->shared->work = 0;
        r->shared->status = r->tree->n > r->most_nodes ? (u32)GX_EARENA : (u32)GX_OK;
    }
    team_sync(&r->t);
    for (u32 k = 0; k < f->n_ranks; k++)
        gxp_rank_run(r, rank[k], rank[k + 1], own);
    gxp_members_run(r);
    TEAM_FOR(&r->t, i, f->n_codes) {
        if (!gxp_code_run(r, i, own, GXP_OWN))
            gxp_put_off(r, i);
    }
    GXP_PUT_OFF(r, gxp_code_run);
    return (gx_status)TEAM_LOAD(&r->shared->status);
}

#endif
