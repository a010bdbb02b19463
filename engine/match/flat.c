/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flat.c -- a set's block for teams (flat.h)
 */
#include <stdlib.h>
#include <string.h>
#include "classes.h"
#include "flat.h"

typedef struct maker {
    const gxp_set *set;
    gxp_flat_formula *formula;      /* of each formula */
    gx_buf args;
    u32 *codes, n_codes;            /* where they begin in the set's code */
    gxp_flat_subscriber *subscribers;
    u32 n_subscribers;
    int no_memory;
} maker;

static u32 put(maker *m, u32 word)
{
    u32 *to = gx_buf_push(&m->args, sizeof *to);
    if (to)
        *to = word;
    else
        m->no_memory = 1;
    return GX_BUF_N(&m->args, u32) - 1;
}

/* The formulas that f triggers */
static void triggered(maker *m, u32 f)
{
    const gxp_set *s = m->set;
    const gxp_range *e = gxp_range_of(s->blocks, s->ranges, GXP_EDGES, f);
    const gxp_range *a = gxp_range_of(s->blocks, s->ranges, GXP_ANDS, f);
    for (u32 i = e ? e->from : 0; e && i < e->to; i++)
        m->formula[i] = (gxp_flat_formula){ s->word[i] << 3 | GXP_FLAT_EDGE, f };
    for (u32 i = a ? a->from : 0; a && i < a->to; i++) {
        const u32 word = s->word[i], alone = word & ~GXP_ALONE;
        const u32 *refs = word & GXP_ALONE ? &alone : s->args + word + 1, n = word & GXP_ALONE ? 1 : refs[-1];
        m->formula[i] = (gxp_flat_formula){ GXP_FLAT_AND, put(m, n + 1) };
        put(m, GXP_REF(f));
        for (u32 k = 0; k < n; k++)
            put(m, refs[k]);
    }
}

static void later(maker *m, u32 f)
{
    const u32 *args = m->set->args + m->set->word[f], n = args[0] >> 1;
    m->formula[f] = (gxp_flat_formula){ args[0] & 1 ? GXP_FLAT_OR : GXP_FLAT_AND, put(m, n) };
    for (u32 k = 1; k <= n; k++)
        put(m, args[k]);
}

static void formulas(maker *m)
{
    const gxp_set *s = m->set;
    for (u32 f = 0; f < s->n_formulas; f++) {
        const gxp_range *l = gxp_range_of(s->blocks, s->ranges, GXP_LATER, f);
        triggered(m, f);
        for (u32 i = l ? l->from : 0; l && i < l->to; i++)
            if (m->formula[s->later_of[i]].a == GX_NONE)
                later(m, s->later_of[i]);
    }
    for (u32 i = 0; i < GX_BUF_N(&s->tests, gxp_test); i++)
        if (s->test_formula[i] != GX_NONE)
            m->formula[s->test_formula[i]] = (gxp_flat_formula){ GXP_FLAT_TEST, i };
    for (u32 i = 0; i < GX_BUF_N(&s->values.atoms, gxp_atom); i++)
        if (s->atom_formula[i] != GX_NONE)
            m->formula[s->atom_formula[i]] = (gxp_flat_formula){ GXP_FLAT_ATOM, i };
}

/* ---- atoms ---- */

static void atom_of(const maker *m, u32 i, gxp_flat_atom *to)
{
    const gxp_atom *a = gxp_atom_at(&m->set->values, i);
    const gxp_group *g = gxp_group_at(&m->set->values, a->group);
    const u32 n_atoms = GX_BUF_N(&m->set->values.atoms, gxp_atom), first = n_atoms + g->first_position;
    *to = (gxp_flat_atom){ i, i, a->group, 0 };
    if (a->op < GXP_NUM_EQ)
        return;
    const u32 at = gxp_position(&m->set->values, g, a->num) & ~1u;    /* the bound is at + 1 */
    to->first = first + (a->op == GXP_GT ? at + 2 : a->op == GXP_GE || a->op == GXP_NUM_EQ ? at + 1 : 0);
    to->last = first + (a->op == GXP_LT ? at : a->op == GXP_LE || a->op == GXP_NUM_EQ ? at + 1 : 2 * g->n_bounds);
}

static void listed(const maker *m, gxp_flat_atom *atoms, u32 f)
{
    if (GXP_FLAT_KIND(&m->formula[f]) == GXP_FLAT_ATOM)
        atoms[m->formula[f].b].is_listed = 1;
}

static void listed_operands(const maker *m, gxp_flat_atom *atoms, const gxp_flat_formula *x)
{
    const u32 kind = GXP_FLAT_KIND(x), *args = GX_BUF_AT(&m->args, u32) + x->b;
    u32 others = 0;
    if (kind == GXP_FLAT_EDGE)
        listed(m, atoms, x->b);
    for (u32 k = 1; kind == GXP_FLAT_AND && k <= args[0]; k++)
        others += !GXP_REF_NOT(args[k]) && GXP_FLAT_KIND(&m->formula[GXP_REF_FORMULA(args[k])]) != GXP_FLAT_ATOM;
    for (u32 k = 1; kind >= GXP_FLAT_AND && !others && k <= args[0]; k++)
        if (!GXP_REF_NOT(args[k]))
            listed(m, atoms, GXP_REF_FORMULA(args[k]));
}

/* ---- codes ---- */

static __thread const gxp_set *sorting;     /* for by_operations */

static const u32 *operations(const gxp_set *s, u32 code) { return s->code + code + 2 + s->code[code + 1]; }

/* Of which kinds they are; then the words themselves */
static int by_operations(const void *a, const void *b)
{
    const u32 at_a = *(const u32 *)a, at_b = *(const u32 *)b;
    const u32 *x = operations(sorting, at_a), *y = operations(sorting, at_b);
    u32 i = 0;
    while (GXP_CODE_KIND(x[i]) == GXP_CODE_KIND(y[i]) && x[i] != GXP_CODE_END)
        i++;
    if (GXP_CODE_KIND(x[i]) != GXP_CODE_KIND(y[i]))
        return GXP_CODE_KIND(x[i]) < GXP_CODE_KIND(y[i]) ? -1 : 1;
    for (i = 0; x[i] == y[i] && x[i] != GXP_CODE_END; i++)
        ;
    return x[i] != y[i] ? (x[i] < y[i] ? -1 : 1) : at_a < at_b ? -1 : at_a > at_b;
}

static u32 length(const gxp_set *s, u32 code)
{
    const u32 *op = operations(s, code);
    u32 n = 0;
    while (op[n] != GXP_CODE_END)
        n++;
    return 2 + s->code[code + 1] + n + 1;
}

/* The set's subscribers as two arrays: those of shared formulas, and codes, sorted by the kinds of their operations, so
 * that members that run side by side take the same branches. -1: out of memory. */
static int split_subscribers(maker *m)
{
    const gxp_set *s = m->set;
    m->codes = malloc((s->n_profiles + 1ull) * sizeof *m->codes);
    m->subscribers = malloc((s->n_profiles + 1ull) * sizeof *m->subscribers);
    if (!m->codes || !m->subscribers)
        return -1;
    for (u32 f = 0; f < s->n_formulas; f++) {
        const gxp_range *r = gxp_range_of(s->blocks, s->ranges, GXP_SUBSCRIBERS, f);
        for (u32 i = r ? r->from : 0; r && i < r->to; i++)
            if (GXP_HOW(s->subscriber[i]) == GXP_BY_CODE)
                m->codes[m->n_codes++] = GXP_CODE_AT(s->subscriber[i]);
            else
                m->subscribers[m->n_subscribers++] = (gxp_flat_subscriber){ f, s->subscriber[i] };
    }
    sorting = s;
    if (m->n_codes)
        qsort(m->codes, m->n_codes, sizeof *m->codes, by_operations);
    return 0;
}

/* ---- the block ---- */

/* The group of each item: atoms and positions */
static void groups_of(const gxp_set *s, u32 *to)
{
    const u32 n_atoms = GX_BUF_N(&s->values.atoms, gxp_atom);
    for (u32 i = 0; i < n_atoms; i++)
        to[i] = gxp_atom_at(&s->values, i)->group;
    for (u32 i = 0; i < GX_BUF_N(&s->values.groups, gxp_group); i++) {
        const gxp_group *g = gxp_group_at(&s->values, i);
        for (u32 k = 0; g->n_bounds && k <= 2 * g->n_bounds; k++)
            to[n_atoms + g->first_position + k] = i;
    }
}

/* All columns of the block, in their places. Atoms whose elements something needs as a list are marked (listed); the
 * others are only looked up for one element at a time. */
static void fill(const maker *m, gxp_flat *to)
{
    const gxp_set *s = m->set;
    char *base = (char *)to;
    gxp_flat_atom *atoms = (gxp_flat_atom *)(void *)(base + to->atom);
    u32 *code_at = (u32 *)(void *)(base + to->code_at), *code = (u32 *)(void *)(base + to->code), at = 0;
    memcpy(base + to->rank_start, s->rank_start, (s->n_ranks + 1ull) * sizeof *s->rank_start);
    memcpy(base + to->formula, m->formula, s->n_formulas * sizeof *m->formula);
    if (m->args.n)
        memcpy(base + to->args, m->args.at, m->args.n);
    memcpy(base + to->subscriber, m->subscribers, m->n_subscribers * sizeof *m->subscribers);
    for (u32 i = 0; i < to->n_atoms; i++)
        atom_of(m, i, &atoms[i]);
    groups_of(s, (u32 *)(void *)(base + to->group_of));
    for (u32 f = 0; f < s->n_formulas; f++)
        listed_operands(m, atoms, &m->formula[f]);
    for (u32 i = 0; i < m->n_subscribers; i++)
        listed(m, atoms, m->subscribers[i].formula);
    for (u32 i = 0; i < m->n_codes; i++) {
        const u32 n = length(s, m->codes[i]);
        memcpy(code + at, s->code + m->codes[i], n * sizeof *code);
        for (const u32 *op = operations(s, m->codes[i]); *op != GXP_CODE_END; op++)
            if (GXP_CODE_KIND(*op) == GXP_CODE_LOAD)
                listed(m, atoms, GXP_CODE_VALUE(*op));
        code_at[i] = at;
        at += n;
    }
}

/* *out: the set as one block of offsets (flat.h), malloc'd: counted, laid out, filled. GX_OK or GX_ENOMEM. O(size of
 * the set). */
static int make(maker *m, gxp_flat **out)
{
    const gxp_set *s = m->set;
    gxp_flat head = { .size = sizeof head };
    u64 words = 0;
    m->formula = malloc((s->n_formulas + 1ull) * sizeof *m->formula);
    if (!m->formula || split_subscribers(m))
        return GX_ENOMEM;
    memset(m->formula, 0xff, s->n_formulas * sizeof *m->formula);
    formulas(m);
    if (m->no_memory)
        return GX_ENOMEM;
    for (u32 i = 0; i < m->n_codes; i++)
        words += length(s, m->codes[i]);
    head.n_formulas = s->n_formulas;
    head.n_ranks = s->n_ranks;
    head.n_profiles = s->n_profiles;
    head.n_tests = GX_BUF_N(&s->tests, gxp_test);
    head.n_groups = GX_BUF_N(&s->values.groups, gxp_group);
    head.n_atoms = GX_BUF_N(&s->values.atoms, gxp_atom);
    head.n_codes = m->n_codes;
    head.n_subscribers = m->n_subscribers;
    head.rank_start = gxp_place(&head.size, (s->n_ranks + 1ull) * sizeof(u32));
    head.formula = gxp_place(&head.size, s->n_formulas * sizeof(gxp_flat_formula));
    head.args = gxp_place(&head.size, m->args.n);
    head.atom = gxp_place(&head.size, head.n_atoms * sizeof(gxp_flat_atom));
    head.subscriber = gxp_place(&head.size, m->n_subscribers * sizeof(gxp_flat_subscriber));
    head.code_at = gxp_place(&head.size, m->n_codes * sizeof(u32));
    head.code = gxp_place(&head.size, words * sizeof(u32));
    head.group_of = gxp_place(&head.size, gxp_first_class_item(s) * sizeof(u32));
    gxp_flat *to = calloc(1, head.size);
    if (!to)
        return GX_ENOMEM;
    *to = head;
    fill(m, to);
    *out = to;
    return GX_OK;
}

int gxp_flat_make(const gxp_set *set, gxp_flat **out)
{
    maker m = { .set = set };
    if (set->code_depth > GXP_CODE_DEPTH || GX_BUF_N(&set->tests, gxp_test) >= GXP_NO_NODE)
        return GX_ELIMIT;
    const int status = make(&m, out);
    gx_buf_free(&m.args);
    free(m.formula);
    free(m.codes);
    free(m.subscribers);
    return status;
}
