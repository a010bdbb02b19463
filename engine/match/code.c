/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code.c -- private formulas: which they are, and their code (code.h)
 */
#include <stdlib.h>
#include <string.h>
#include "code.h"

/* Who needs a formula: nobody so far, the formula of this number, a profile, or more than one, or in a way that code
 * does not have */
enum { NOBODY = 0xffffffffu, A_PROFILE = 0xfffffffeu, MANY = 0xfffffffdu };

static void needs(u32 *by, u32 f, u32 who) { by[f] = by[f] == NOBODY ? who : (u32)MANY; }

static const u32 *args_of(const gxp_formulas *f, const gxp_formula *x) { return GX_BUF_AT(&f->args, u32) + x->a; }

/* The formula that a profile's reference stands for, without the edge from the root */
static u32 top_of(const gxp_formulas *f, u32 ref)
{
    const gxp_formula *x = gxp_formula_at(f, GXP_REF_FORMULA(ref));
    return x->kind == GXP_EDGE && x->test == GXP_TEST_ROOT ? x->a : GXP_REF_FORMULA(ref);
}

/* The stack that formula i's code would need, if all that it is made of were private; depth: of its operands */
static u32 depth_of(const gxp_formulas *f, u32 i, const u8 *depth)
{
    const gxp_formula *x = gxp_formula_at(f, i);
    u32 most = 1;
    if (x->kind == GXP_EDGE)
        most = depth[x->a];
    for (u32 k = 0; x->kind == GXP_AND && k < x->n; k++) {
        const u32 ref = args_of(f, x)[k], own = GXP_REF_NOT(ref) ? 1 : 1u + depth[GXP_REF_FORMULA(ref)];
        most = own > most ? own : most;
    }
    return most < 255 ? most : 255;
}

/* Which formulas one profile alone needs, so that they become its code and are not stored: is_private, by formula;
 * their numbers become GX_NONE. How many; 0 without memory, which is as right, and slower. Operands have smaller
 * numbers: downwards over all, each formula's users are known before it. Not private: what an "or" or a negation needs,
 * and what is deeper than GXP_CODE_DEPTH. O(formulas and their operands). */
u32 gxp_find_private(const gxp_formulas *f, const u32 *refs, u32 n_refs, u32 *number, u8 *is_private)
{
    const u32 n = GX_BUF_N(&f->formulas, gxp_formula);
    u32 *by = malloc((n + 1ull) * sizeof *by), count = 0;
    u8 *depth = malloc(n + 1ull);
    memset(is_private, 0, n);
    if (!by || !depth) {                /* all are shared then: as right, and slower */
        free(by);
        free(depth);
        return 0;
    }
    for (u32 i = 0; i < n; i++)
        depth[i] = (u8)depth_of(f, i, depth);
    memset(by, 0xff, n * sizeof *by);
    for (u32 i = 0; i < n_refs; i++)
        if (refs[i] < GXP_TRUE)
            needs(by, top_of(f, refs[i]), GXP_REF_NOT(refs[i]) ? (u32)MANY : (u32)A_PROFILE);
    for (u32 i = n; i-- > 0;) {
        const gxp_formula *x = gxp_formula_at(f, i);
        if (number[i] == GX_NONE)
            continue;
        is_private[i] = (x->kind == GXP_EDGE || x->kind == GXP_AND) && depth[i] <= GXP_CODE_DEPTH
                        && (by[i] == A_PROFILE || (by[i] < MANY && is_private[by[i]]));
        count += is_private[i];
        if (x->kind == GXP_EDGE)
            needs(by, x->a, i);
        for (u32 k = 0; x->kind >= GXP_AND && k < x->n; k++) {
            const u32 ref = args_of(f, x)[k];
            needs(by, GXP_REF_FORMULA(ref), x->kind == GXP_OR || GXP_REF_NOT(ref) ? (u32)MANY : i);
        }
    }
    for (u32 i = 0; i < n; i++)
        if (is_private[i])
            number[i] = GX_NONE;
    free(by);
    free(depth);
    return count;
}

static void put(gxp_coder *c, gx_buf *to, u32 word)
{
    u32 *at = gx_buf_push(to, sizeof *at);
    if (at)
        *at = word;
    else
        c->no_memory = 1;
}

static void grow(gxp_coder *c)
{
    if (++c->depth > c->deepest)
        c->deepest = c->depth;
}

static void put_formula(gxp_coder *c, u32 i);

/* A shared operand that must hold, of which *n came before. The first of all is loaded. */
static void put_shared(gxp_coder *c, u32 ref, u32 *n)
{
    const u32 f = c->number[GXP_REF_FORMULA(ref)];
    put(c, &c->needed, f);
    put(c, &c->code, GXP_CODE(*n ? GXP_CODE_MEET : GXP_CODE_LOAD, f));
    if (!(*n)++)
        grow(c);
}

static void put_negated(gxp_coder *c, const gxp_formula *x, const u32 *args)
{
    for (u32 k = 0; k < x->n; k++)
        if (GXP_REF_NOT(args[k]))
            put(c, &c->code, GXP_CODE(GXP_CODE_BUT, c->number[GXP_REF_FORMULA(args[k])]));
}

/* Two that are shared come first: they cost least, and mostly leave nothing. A single one meets the first private one,
 * which needs no place on the stack then. */
static void put_and(gxp_coder *c, const gxp_formula *x)
{
    const u32 *args = args_of(c->f, x);
    u32 n = 0, n_shared = 0, n_private = 0;
    for (u32 k = 0; k < x->n; k++)
        if (!GXP_REF_NOT(args[k]) && c->is_private[GXP_REF_FORMULA(args[k])])
            n_private++;
        else if (!GXP_REF_NOT(args[k]))
            n_shared++;
    const int is_single = n_shared == 1 && n_private;
    for (u32 k = 0; k < x->n && !is_single; k++)
        if (!GXP_REF_NOT(args[k]) && !c->is_private[GXP_REF_FORMULA(args[k])])
            put_shared(c, args[k], &n);
    if (n)
        put_negated(c, x, args);
    for (u32 k = 0; k < x->n; k++) {
        const u32 f = GXP_REF_FORMULA(args[k]);
        if (GXP_REF_NOT(args[k]) || !c->is_private[f])
            continue;
        put_formula(c, f);
        if (n++) {
            put(c, &c->code, GXP_CODE_JOIN);
            c->depth--;
            continue;
        }
        for (u32 b = 0; b < x->n && is_single; b++)
            if (!GXP_REF_NOT(args[b]) && !c->is_private[GXP_REF_FORMULA(args[b])])
                put_shared(c, args[b], &n);
        put_negated(c, x, args);
    }
}

static void put_formula(gxp_coder *c, u32 i)
{
    const gxp_formula *x = gxp_formula_at(c->f, i);
    if (!c->is_private[i]) {
        put(c, &c->needed, c->number[i]);
        put(c, &c->code, GXP_CODE(GXP_CODE_LOAD, c->number[i]));
        grow(c);
    } else if (x->kind == GXP_EDGE) {
        put_formula(c, x->a);
        put(c, &c->code, GXP_CODE(GXP_CODE_EDGE, x->test << 2 | x->axis));
    } else
        put_and(c, x);
}

/* Code of a private formula behind the coder's others: head, how many shared formulas it needs and which, operations.
 * *entry: the needed one that is evaluated last, which wakes it. no_memory is set where there is none. */
u32 gxp_code_of(gxp_coder *c, u32 formula, u32 head, u32 *entry)
{
    const u32 at = GX_BUF_N(&c->code, u32);
    c->needed.n = 0;
    c->depth = 0;
    put(c, &c->code, head);
    put(c, &c->code, 0);
    put_formula(c, formula);
    put(c, &c->code, GXP_CODE_END);
    const u32 n = GX_BUF_N(&c->needed, u32), n_ops = GX_BUF_N(&c->code, u32) - at - 2;
    const u32 *needed = GX_BUF_AT(&c->needed, u32);
    u32 *room = gx_buf_push(&c->code, n * sizeof *room), *code = GX_BUF_AT(&c->code, u32) + at;
    if (!room || c->no_memory) {
        c->no_memory = 1;
        return 0;
    }
    memmove(code + 2 + n, code + 2, n_ops * sizeof *code);
    memcpy(code + 2, needed, n * sizeof *code);
    code[1] = n;
    *entry = 0;
    for (u32 i = 0; i < n; i++)
        if (needed[i] > *entry)
            *entry = needed[i];
    return at;
}
