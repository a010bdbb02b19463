/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leaf.c -- extents of tests and values (leaf.h)
 */
#include <stdlib.h>
#include <string.h>
#include "leaf.h"

/* Behind it there is room. */
static inline void put_pair(gx_buf *b, u32 x, u32 y)
{
    u32 *to = (u32 *)(void *)(b->at + b->n);
    to[0] = x;
    to[1] = y;
    b->n += 2 * sizeof *to;
}

static inline void push_pair(gxp_leaves *l, gx_buf *b, u32 x, u32 y)
{
    if (gx_buf_room(b, 2 * sizeof x))
        l->no_memory = 1;
    else
        put_pair(b, x, y);
}

static inline u32 n_tests(const gxp_set *s) { return GX_BUF_N(&s->tests, gxp_test); }

/* One more bit of a test, or of an atom behind the tests; there is room for the pair */
static inline void put_bit(gxp_leaves *l, u32 of, u32 bit)
{
    u32 *number = &l->number[of];
    if (*number == GX_NONE) {
        *number = GX_BUF_N(&l->open, u32) / 2;
        push_pair(l, &l->open, of, 0);
        if (l->no_memory) {
            *number = GX_NONE;
            return;
        }
    }
    GX_BUF_AT(&l->open, u32)[2 * *number + 1]++;
    put_pair(&l->pairs, *number, bit);
}

static inline int has_room(gxp_leaves *l, u32 n)
{
    l->no_memory |= gx_buf_room(&l->pairs, 2ull * n * sizeof(u32)) != 0;
    return !l->no_memory;
}

/* ---- numbers ---- */

static int by_position(const void *a, const void *b)
{
    const u32 *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] < y[1] ? -1 : x[1] > y[1];
}

/* The classes that have passed so far, and their extent, which is made when a bound asks for it */
typedef struct passed {
    gxp_leaves *l;
    gxp_classes *c;
    gxp_extents *e;
    u64 *row;
    u32 extent;                 /* GX_NONE: not made since the last class came */
} passed;

static void begin_passed(passed *p)
{
    p->extent = GXP_NOWHERE;
    p->row = GX_BUF_AT(&p->e->row, u64);
    memset(p->row, 0, p->e->w * sizeof *p->row);
}

static void pass(passed *p, u32 bit)
{
    p->row[bit / 64] |= (u64)1 << bit % 64;
    p->extent = GX_NONE;
}

/* An atom holds for the classes of p: its formula gets their extent, which atoms of the same elements share. */
static void passes(passed *p, u32 atom)
{
    const u32 f = p->c->set->atom_formula[atom];
    gxp_classes *c = p->c;
    if (f == GX_NONE)
        return;
    c->work += 1 + (p->extent == GX_NONE ? p->e->w / 8 : 0);
    if (p->extent == GX_NONE)
        p->extent = gxp_extent_of_new(p->e, p->row);    /* larger than the one before it */
    if (p->extent != GXP_NOWHERE)
        push_pair(p->l, &p->l->atoms, f, p->extent);
    c->over = gxp_look(c->work, c->most_work, c->deadline_us, &c->next_look);
}

static inline int is_over(const passed *p)
{
    return p->c->over != GX_OK || p->e->failed != GX_OK || p->l->no_memory;
}

/* Comparisons of numbers of one group, at[0 .. n-1] in the order of their positions */
static void compare_numbers(passed *p, const gxp_group *g, const u32 *at, u32 n)
{
    const gxp_set *s = p->c->set;
    const u32 *lists = GX_BUF_AT(&s->values.lists, u32), *below = lists + g->below, *above = lists + g->above;
    u32 b = 0, a = g->n_above;
    begin_passed(p);
    for (u32 i = 0; i < n && !is_over(p); i++) { /* those not above a last position */
        const u32 position = at[2 * i] - g->first_position;
        const u32 equal = position & 1 ? lists[g->equals + position / 2] : GX_NONE;
        if (equal != GX_NONE && s->atom_formula[equal] != GX_NONE && has_room(p->l, 1))
            put_bit(p->l, n_tests(s) + equal, at[2 * i + 1]);
        for (; b < g->n_below && below[2 * b] < position && !is_over(p); b++)
            passes(p, below[2 * b + 1]);
        pass(p, at[2 * i + 1]);
    }
    for (; b < g->n_below && !is_over(p); b++)
        passes(p, below[2 * b + 1]);
    begin_passed(p);
    for (u32 i = n; i-- > 0 && !is_over(p);) { /* those not below a first position */
        const u32 position = at[2 * i] - g->first_position;
        for (; a > 0 && above[2 * a - 2] > position && !is_over(p); a--)
            passes(p, above[2 * a - 1]);
        pass(p, at[2 * i + 1]);
    }
    for (; a > 0 && !is_over(p); a--)
        passes(p, above[2 * a - 1]);
}

static void make_numbers(gxp_leaves *l, gxp_classes *c, gxp_extents *e)
{
    const gxp_values *v = &c->set->values;
    const u32 n = GX_BUF_N(&l->positions, u32) / 2;
    u32 *at = GX_BUF_AT(&l->positions, u32), i = 0;
    passed p = { .l = l, .c = c, .e = e };
    if (n)
        qsort(at, n, 2 * sizeof *at, by_position);
    for (u32 k = 0; k < GX_BUF_N(&v->groups, gxp_group) && i < n && !is_over(&p); k++) {
        const gxp_group *g = gxp_group_at(v, k);
        const u32 from = i, end = g->first_position + 2 * g->n_bounds + 1;
        if (!g->n_bounds)
            continue;
        while (i < n && at[2 * i] < end)
            i++;
        if (i > from)
            compare_numbers(&p, g, at + 2 * from, i - from);
    }
}

/* ---- names and other values ---- */

/* A class's bit to each test and value that its elements meet: any node, any element or the root, its name, its
 * namespace, what its items say. Positions among numbers are noted for make_numbers(). O(its items). */
static void put_class(gxp_leaves *l, const gxp_classes *c, u32 class, u32 bit)
{
    const gxp_set *s = c->set;
    const gxp_class *k = GX_BUF_AT(&c->classes, gxp_class) + class;
    const u32 *items = GX_BUF_AT(&c->items, u32), n_atoms = GX_BUF_N(&s->values.atoms, gxp_atom),
              first = gxp_first_class_item(s);
    const int is_root = k->name == GXP_TEST_ROOT;
    if (!has_room(l, k->n_items + 4))
        return;
    put_bit(l, GXP_TEST_NODE, bit);
    put_bit(l, is_root ? GXP_TEST_ROOT : GXP_TEST_ANY, bit);
    if (!is_root && k->name != GX_NONE)
        put_bit(l, k->name, bit);
    if (k->ns != GX_NONE)
        put_bit(l, k->ns, bit);
    for (u32 i = k->items; i < k->items + k->n_items; i++) {
        if (items[i] < n_atoms && s->atom_formula[items[i]] != GX_NONE)
            put_bit(l, n_tests(s) + items[i], bit);
        if (items[i] >= n_atoms && items[i] < first)
            push_pair(l, &l->positions, items[i] - n_atoms, bit);
    }
}

/* Extents from the pairs, which are in the order of their bits for each leaf */
static void make_extents(gxp_leaves *l, const gxp_set *s, gxp_extents *e)
{
    const u32 n = GX_BUF_N(&l->open, u32) / 2, n_pairs = GX_BUF_N(&l->pairs, u32) / 2;
    const u32 *pair = GX_BUF_AT(&l->pairs, u32);
    u32 *open = GX_BUF_AT(&l->open, u32), *bits = gx_buf_push(&l->bits, n_pairs * sizeof *bits), sum = 0;
    if (n_pairs && !bits) {
        l->no_memory = 1;
        return;
    }
    for (u32 i = 0; i < n; i++) {
        const u32 count = open[2 * i + 1];
        open[2 * i + 1] = sum;
        sum += count;
    }
    for (u32 i = 0; i < n_pairs; i++)
        bits[open[2 * pair[2 * i] + 1]++] = pair[2 * i + 1];
    for (u32 i = 0; i < n && e->failed == GX_OK; i++) {
        const u32 of = open[2 * i], from = i ? open[2 * i - 1] : 0;
        const u32 extent = gxp_extent_of_bits(e, bits + from, open[2 * i + 1] - from);
        if (of < n_tests(s))
            push_pair(l, &l->tests, of, extent);
        else
            push_pair(l, &l->atoms, s->atom_formula[of - n_tests(s)], extent);
    }
}

static void rewind_all(gxp_leaves *l)
{
    gx_buf *const all[] = { &l->tests, &l->atoms, &l->open, &l->pairs, &l->bits, &l->positions };
    for (u32 i = 0; i < GX_BUF_N(&l->open, u32) / 2; i++)
        l->number[GX_BUF_AT(&l->open, u32)[2 * i]] = GX_NONE;
    for (u32 i = 0; i < sizeof all / sizeof *all; i++)
        gx_buf_rewind(all[i]);
    l->no_memory = 0;
}

/* Where each test and each atom holds: class by class, in the order of their bits, then numbers by ranges. */
void gxp_leaves_make(gxp_leaves *l, gxp_classes *c, gxp_extents *e)
{
    const u32 n = gxp_n_classes(c), *class_of = GX_BUF_AT(&e->class_of, u32);
    rewind_all(l);
    for (u32 bit = 0; bit < n && !l->no_memory && c->over == GX_OK; bit++) {
        put_class(l, c, class_of[bit], bit);
        c->over = gxp_look(++c->work, c->most_work, c->deadline_us, &c->next_look);
    }
    make_numbers(l, c, e);
    if (!l->no_memory && c->over == GX_OK && e->failed == GX_OK)
        make_extents(l, c->set, e);
    if (l->no_memory && e->failed == GX_OK)
        e->failed = GX_ENOMEM;
}

int gxp_leaves_create(gxp_leaves *l, const gxp_set *s)
{
    const size_t n = (size_t)n_tests(s) + GX_BUF_N(&s->values.atoms, gxp_atom) + 1;
    l->number = malloc(n * sizeof *l->number);
    if (!l->number)
        return -1;
    memset(l->number, 0xff, n * sizeof *l->number);
    return 0;
}

u64 gxp_leaves_bytes(const gxp_leaves *l)
{
    return l->tests.cap + l->atoms.cap + l->open.cap + l->pairs.cap + l->bits.cap + l->positions.cap;
}

void gxp_leaves_free(gxp_leaves *l)
{
    gx_buf *const all[] = { &l->tests, &l->atoms, &l->open, &l->pairs, &l->bits, &l->positions };
    for (u32 i = 0; i < sizeof all / sizeof *all; i++)
        gx_buf_free(all[i]);
    free(l->number);
}
