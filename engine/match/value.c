/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.c -- groups and atoms of values (value.h)
 */
#include <stdlib.h>
#include <string.h>
#include "machine/number.h"
#include "machine/text.h"
#include "value.h"

static u64 atom_hash(const gxp_values *v, u32 group, u32 op, const char *text, u32 len, double num)
{
    const u64 bits = op > GXP_CONTAINS ? gx_number_bits(num) : gx_text_hash(v->seed, text, len);
    return gx_fold(bits ^ ((u64)group << 8 | op), v->seed | 1);
}

static int is_atom(const gxp_values *v, u32 i, u32 group, u32 op, const char *text, u32 len, double num)
{
    const gxp_atom *a = gxp_atom_at(v, i);
    if (a->group != group || a->op != op)
        return 0;
    if (op > GXP_CONTAINS)
        return gx_number_bits(a->num) == gx_number_bits(num);
    return a->len == len && (!len || !memcmp(v->strs.at + a->text, text, len));
}

/* The place in the table of an atom, or where it belongs. The table is never full. */
static u32 *place_of(const gxp_values *v, u32 group, u32 op, const char *text, u32 len, double num)
{
    u32 *table = GX_BUF_AT(&v->index, u32);
    const u32 mask = GX_BUF_N(&v->index, u32) - 1;
    u32 at = (u32)atom_hash(v, group, op, text, len, num) & mask;
    while (table[at] && !is_atom(v, table[at] - 1, group, op, text, len, num))
        at = (at + 1) & mask;
    return &table[at];
}

/* Room in the table for one more, half of it empty */
static int index_room(gxp_values *v)
{
    const u32 n = GX_BUF_N(&v->atoms, gxp_atom), size = GX_BUF_N(&v->index, u32);
    if (2 * (n + 1) <= size)
        return 0;
    gx_buf bigger = { 0 };
    const size_t bytes = (size ? 2 * (size_t)size : 64) * sizeof(u32);
    if (!gx_buf_push(&bigger, bytes))
        return -1;
    memset(bigger.at, 0, bytes);
    gx_buf_free(&v->index);
    v->index = bigger;
    for (u32 i = 0; i < n; i++) {
        const gxp_atom *a = gxp_atom_at(v, i);
        *place_of(v, a->group, a->op, v->strs.at + a->text, a->len, a->num) = i + 1;
    }
    return 0;
}

u32 gxp_group_add(gxp_values *v, u32 source, u32 name)
{
    gxp_group *g = gx_buf_push(&v->groups, sizeof *g);
    if (!g)
        return GX_NONE;
    memset(g, 0, sizeof *g);
    g->source = source;
    g->name = name;
    g->has = GX_NONE;
    return GX_BUF_N(&v->groups, gxp_group) - 1;
}

/* The number of the comparison `op` of the group's values with a text, or for op >= GXP_NUM_EQ with a number: one that
 * is there already, else a new one, for which the text is copied. -0 is 0. GX_NONE: no memory, or 4 GiB of text. */
u32 gxp_atom_of(gxp_values *v, u32 group, u32 op, const char *text, u32 len, double num)
{
    if (index_room(v))
        return GX_NONE;
    if (num == 0)
        num = 0; /* -0, too */
    u32 *place = place_of(v, group, op, text, len, num);
    if (*place)
        return *place - 1;
    const u32 at = (u32)v->strs.n;
    char *copy = v->strs.n + len < UINT32_MAX ? gx_buf_push(&v->strs, len) : NULL;
    gxp_atom *a = copy || !len ? gx_buf_push(&v->atoms, sizeof *a) : NULL;
    if (!a)
        return GX_NONE;
    if (len)
        memcpy(copy, text, len);
    *a = (gxp_atom){ group, op, at, len, num };
    *place = GX_BUF_N(&v->atoms, gxp_atom);
    return *place - 1;
}

u32 gxp_atom_find(const gxp_values *v, u32 group, const char *text, u32 len)
{
    return *place_of(v, group, GXP_EQ, text, len, 0) - 1;
}

/* ---- lists ---- */

static int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Pairs (position, atom) */
static int by_first(const void *a, const void *b)
{
    const u32 *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] < y[1] ? -1 : x[1] > y[1];
}

/* Where a number stands among a group's bounds: odd at one, even between two, so that "less" and "equal" are
 * comparisons of positions. */
u32 gxp_position(const gxp_values *v, const gxp_group *g, double num)
{
    const double *bounds = GX_BUF_AT(&v->bounds, double) + g->bounds;
    u32 lo = 0, hi = g->n_bounds;
    while (lo < hi) { /* bounds[lo - 1] < num <= bounds[hi] */
        const u32 mid = (lo + hi) / 2;
        if (bounds[mid] < num)
            lo = mid + 1;
        else
            hi = mid;
    }
    return 2 * lo + (lo < g->n_bounds && bounds[lo] == num);
}

/*
 * Lays one group's lists out, when all its atoms are known (order[0 .. n-1]): what put_value() asks for.
 *
 *   parts    atoms of starts-with and contains
 *   bounds   the distinct numbers that atoms compare with, ascending
 *   equals   by bound: the atom "= it", or GX_NONE
 *   below, above   pairs (position, atom) of < <= and > >=, ascending
 *
 * A value's position is 2k between bounds and 2k + 1 at bound k, so each order atom holds from, or up to, one position.
 * -1: no memory. O(n log n).
 */
static int finish_group(gxp_values *v, gxp_group *g, const u32 *order, u32 n)
{
    const gxp_atom *atoms = GX_BUF_AT(&v->atoms, gxp_atom);
    u32 numbers = 0, n_below = 0, n_above = 0;
    for (u32 i = 0; i < n; i++) {
        const gxp_atom *a = &atoms[order[i]];
        g->n_eq += a->op == GXP_EQ;
        if (a->op == GXP_EQ && a->len > g->longest)
            g->longest = a->len;
        if (a->op == GXP_HAS)
            g->has = order[i];
        g->n_parts += a->op == GXP_STARTS || a->op == GXP_CONTAINS;
        numbers += a->op >= GXP_NUM_EQ;
        n_below += a->op == GXP_LT || a->op == GXP_LE;
        n_above += a->op == GXP_GT || a->op == GXP_GE;
    }
    g->bounds = GX_BUF_N(&v->bounds, double);
    double *bounds = gx_buf_push(&v->bounds, numbers * sizeof *bounds);
    g->parts = GX_BUF_N(&v->lists, u32);
    if ((numbers && !bounds) || gx_buf_room(&v->lists, ((size_t)g->n_parts + 3 * (size_t)numbers) * sizeof(u32)))
        return -1;
    u32 *lists = GX_BUF_AT(&v->lists, u32) + g->parts, *parts = lists, k = 0;
    for (u32 i = 0; i < n; i++) {
        const gxp_atom *a = &atoms[order[i]];
        if (a->op == GXP_STARTS || a->op == GXP_CONTAINS)
            *parts++ = order[i];
        if (a->op >= GXP_NUM_EQ)
            bounds[k++] = a->num;
    }
    if (numbers)
        qsort(bounds, numbers, sizeof *bounds, by_number);
    for (u32 i = 0; i < numbers; i++)
        if (!i || bounds[i] != bounds[i - 1])
            bounds[g->n_bounds++] = bounds[i];
    v->bounds.n = (g->bounds + (size_t)g->n_bounds) * sizeof *bounds;
    g->equals = g->parts + g->n_parts;
    g->below = g->equals + g->n_bounds;
    g->above = g->below + 2 * n_below;
    u32 *equals = parts, *below = equals + g->n_bounds, *above = below + 2 * n_below;
    for (u32 i = 0; i < g->n_bounds; i++)
        equals[i] = GX_NONE;
    for (u32 i = 0; i < n; i++) {
        const gxp_atom *a = &atoms[order[i]];
        if (a->op < GXP_NUM_EQ)
            continue;
        const u32 at = gxp_position(v, g, a->num) & ~1u; /* of what is less; one more is equal */
        if (a->op == GXP_NUM_EQ)
            equals[at / 2] = order[i];
        else if (a->op == GXP_LT || a->op == GXP_LE) {
            below[2 * g->n_below] = at + (a->op == GXP_LE);
            below[2 * g->n_below++ + 1] = order[i];
        } else {
            above[2 * g->n_above] = at + (a->op == GXP_GT ? 2 : 1);
            above[2 * g->n_above++ + 1] = order[i];
        }
    }
    if (g->n_below)
        qsort(below, g->n_below, 2 * sizeof(u32), by_first);
    if (g->n_above)
        qsort(above, g->n_above, 2 * sizeof(u32), by_first);
    gx_buf_push(&v->lists, (size_t)(above + 2 * g->n_above - lists) * sizeof(u32));
    g->first_position = v->n_positions;
    v->n_positions += g->n_bounds ? 2 * g->n_bounds + 1 : 0;
    return 0;
}

int gxp_values_finish(gxp_values *v)
{
    const u32 n = GX_BUF_N(&v->atoms, gxp_atom), n_groups = GX_BUF_N(&v->groups, gxp_group);
    u32 *start = calloc((size_t)n_groups + 2, sizeof *start), *order = malloc(((size_t)n + 1) * sizeof *order);
    int failed = !start || !order || index_room(v);
    if (!failed) {
        for (u32 i = 0; i < n; i++)
            start[gxp_atom_at(v, i)->group + 2]++;
        for (u32 g = 0; g <= n_groups; g++)
            start[g + 1] += start[g];
        for (u32 i = 0; i < n; i++)
            order[start[gxp_atom_at(v, i)->group + 1]++] = i;
    }
    for (u32 g = 0; g < n_groups && !failed; g++)
        failed = finish_group(v, gxp_group_at(v, g), order + start[g], start[g + 1] - start[g]);
    free(start);
    free(order);
    return failed ? -1 : 0;
}

void gxp_values_free(gxp_values *v)
{
    gx_buf_free(&v->groups);
    gx_buf_free(&v->atoms);
    gx_buf_free(&v->strs);
    gx_buf_free(&v->index);
    gx_buf_free(&v->lists);
    gx_buf_free(&v->bounds);
}
