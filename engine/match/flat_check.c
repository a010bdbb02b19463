/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flat_check.c -- may a team follow this set? (flat.h, nodes.h)
 *
 * A set's block may come from another process. When nothing is wrong with it, every offset, count and reference in it
 * is in range, and what a team does with it has an end and stays in its memory, whatever document it meets:
 *
 *  - a formula refers to formulas of lower ranks, so it is evaluated when these are known
 *  - a list is read only of what has one: of atoms those that are listed; in a code only of formulas that it needs, of
 *    which a team has seen that they hold
 *  - a code's stack is as deep as a team's, at most
 *  - no two formulas have the same operands, no two codes the same words: so a team's work, and this check's, is
 *    bounded by the set's size
 *
 * What matches then may be nonsense: that is the affair of whoever made the set.
 */
#include <string.h>
#include "flat.h"
#include "words.h"

enum { MOST_PROFILES = 1 << 24 };

typedef struct checker {
    const gxp_flat *f;
    const gxp_flat_formula *formula;
    const gxp_flat_atom *atom;
    const u32 *args, *code;
    u32 n_args, n_words;        /* of args, of code */
    u64 n_operands;             /* of the formulas that have been looked at */
} checker;

/* Does a column of so many bytes end before the next one begins? *at: where the last one did */
static int is_column(u64 column, u64 bytes, u64 next, u64 *at)
{
    const int is = column % 8 == 0 && column >= *at && next >= column && next - column >= bytes;
    *at = next;
    return is;
}

static int has_columns(const gxp_flat *f)
{
    u64 at = sizeof *f;
    return f->n_profiles <= MOST_PROFILES && f->n_tests < GXP_NO_NODE && f->n_groups <= f->size / sizeof(u32)
           && is_column(f->rank_start, (f->n_ranks + 1ull) * sizeof(u32), f->formula, &at)
           && is_column(f->formula, f->n_formulas * (u64)sizeof(gxp_flat_formula), f->args, &at)
           && is_column(f->args, 0, f->atom, &at)
           && is_column(f->atom, f->n_atoms * (u64)sizeof(gxp_flat_atom), f->subscriber, &at)
           && is_column(f->subscriber, f->n_subscribers * (u64)sizeof(gxp_flat_subscriber), f->code_at, &at)
           && is_column(f->code_at, f->n_codes * (u64)sizeof(u32), f->code, &at)
           && is_column(f->code, 0, f->group_of, &at) && is_column(f->group_of, 0, f->size, &at);
}

static int has_list(const checker *c, u32 f)
{
    const gxp_flat_formula *k = &c->formula[f];
    return GXP_FLAT_KIND(k) != GXP_FLAT_ATOM || (k->b < c->f->n_atoms && c->atom[k->b].is_listed);
}

/* Is formula f one that a team can evaluate? Its operands are formulas of lower ranks, those before `below`, so that
 * they are known by then; what an edge, or an OR, needs as a list is kept as one, and an AND has one list to begin
 * with. O(operands). */
static int is_formula(checker *c, u32 f, u32 below)
{
    const gxp_flat_formula *k = &c->formula[f];
    const u32 kind = GXP_FLAT_KIND(k);
    u32 lists = 0;
    switch (kind) {
    case GXP_FLAT_TEST: return k->b < c->f->n_tests;
    case GXP_FLAT_ATOM: return k->b < c->f->n_atoms;
    case GXP_FLAT_EDGE: return k->b < below && has_list(c, k->b);
    case GXP_FLAT_AND:
    case GXP_FLAT_OR: break;
    default: return 0;
    }
    if (k->b >= c->n_args || c->args[k->b] > c->n_args - k->b - 1)
        return 0;
    const u32 *args = c->args + k->b;
    c->n_operands += args[0] + 1ull;
    if (c->n_operands > c->n_args)
        return 0;
    for (u32 i = 1; i <= args[0]; i++) {
        const u32 g = GXP_REF_FORMULA(args[i]);
        if (g >= below || (kind == GXP_FLAT_OR && !has_list(c, g)))
            return 0;
        lists += !GXP_REF_NOT(args[i]) && has_list(c, g);
    }
    return kind == GXP_FLAT_OR || lists;
}

static int are_formulas(checker *c)
{
    const u32 *start = GXP_COL(c->f, u32, rank_start);
    if (start[0] || start[c->f->n_ranks] != c->f->n_formulas)
        return 0;
    for (u32 r = 0; r < c->f->n_ranks; r++) {
        if (start[r + 1] < start[r] || start[r + 1] > c->f->n_formulas)
            return 0;
        for (u32 f = start[r]; f < start[r + 1]; f++)
            if (!is_formula(c, f, start[r]))
                return 0;
    }
    return 1;
}

/* May a code's operation read the list of f, which one of its n needed formulas then is? They descend. O(log n). */
static int is_needed(const checker *c, const u32 *needed, u32 n, u32 f)
{
    u32 lo = 0, hi = n;
    while (lo < hi) {
        const u32 mid = lo + (hi - lo) / 2;
        if (needed[mid] > f)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && needed[lo] == f && has_list(c, f);
}

/* Is the code that begins at word `at` one that nodes.h can run: ends within the block, loads before it combines, never
 * deeper than GXP_CODE_DEPTH, and refers only to formulas that exist and, where it needs a list, to those that it says
 * it needs? The word behind it; 0: it is not. O(words log words). */
static u32 code_end(const checker *c, u32 at)
{
    if (at >= c->n_words || c->n_words - at < 4 || GXP_PROFILE(c->code[at]) >= c->f->n_profiles)
        return 0;
    const u32 n = c->code[at + 1], *needed = c->code + at + 2, first = at + 2;
    u32 depth = 0;
    if (n > c->n_words - first)
        return 0;
    for (u32 i = 0; i < n; i++)
        if (needed[i] >= c->f->n_formulas || (i && needed[i] > needed[i - 1]))
            return 0;
    for (u32 i = first + n; i < c->n_words; i++) {
        const u32 kind = GXP_CODE_KIND(c->code[i]), value = GXP_CODE_VALUE(c->code[i]);
        const int is_first = i == first + n, is_shared = kind == GXP_CODE_MEET || kind == GXP_CODE_BUT;
        if (c->code[i] == GXP_CODE_END)
            return is_first ? 0 : i + 1;
        if (kind == GXP_CODE_END || kind > GXP_CODE_BUT || (is_first && kind != GXP_CODE_LOAD))
            return 0;
        if (is_shared && value >= c->f->n_formulas)
            return 0;
        if (kind == GXP_CODE_LOAD && (!is_needed(c, needed, n, value) || (!is_first && ++depth > GXP_CODE_DEPTH)))
            return 0;
        if (kind == GXP_CODE_MEET && has_list(c, value) && !is_needed(c, needed, n, value))
            return 0;
        if (kind == GXP_CODE_JOIN && !depth--)
            return 0;
    }
    return 0;
}

/* Columns in their places first (has_columns), as all others are found by them; then each formula, value, subscriber
 * and code. What is looked at later by number is in range after that. Nesting and loops cannot be: ranks ascend, codes
 * have no jumps. */
int gxp_flat_check(const void *block, u64 size)
{
    const gxp_flat *f = block;
    if (size < sizeof *f || f->size != size || !has_columns(f))
        return GX_EBAD;
    checker c = { f, GXP_COL(f, gxp_flat_formula, formula), GXP_COL(f, gxp_flat_atom, atom),
                        GXP_COL(f, u32, args), GXP_COL(f, u32, code), (u32)((f->atom - f->args) / sizeof(u32)),
                        (u32)((f->group_of - f->code) / sizeof(u32)), 0 };
    const gxp_flat_subscriber *m = GXP_COL(f, gxp_flat_subscriber, subscriber);
    const u32 *code_at = GXP_COL(f, u32, code_at), *group_of = GXP_COL(f, u32, group_of);
    int is_sound = are_formulas(&c);
    for (u32 i = 0; i < f->n_atoms; i++)
        is_sound &= c.atom[i].group < f->n_groups;
    for (u64 i = 0; i < (size - f->group_of) / sizeof(u32); i++)
        is_sound &= group_of[i] < f->n_groups;
    for (u32 i = 0; is_sound && i < f->n_subscribers; i++)
        is_sound = m[i].formula < f->n_formulas && GXP_PROFILE(m[i].how) < f->n_profiles && has_list(&c, m[i].formula);
    for (u32 i = 0, end = 0; is_sound && i < f->n_codes; i++)
        is_sound = code_at[i] >= end && (end = code_end(&c, code_at[i])) != 0;
    return is_sound ? GX_OK : GX_EBAD;
}
