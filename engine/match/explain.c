/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.c -- why a profile matches the last document, or does not: its formula, an operand a line
 *
 *   no   an element a that has a child
 *   no     all of
 *   yes      an element b that has a child
 *   ...
 *
 * "yes" is what holds for some element of the document, "no" what holds for none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/number.h"
#include "run.h"

enum { MOST_LINES = 500 };

typedef struct printer {
    gxp_matcher *m;
    const gxp_set *set;
    gx_sink sink;
    void *ctx;
    u32 lines;
} printer;

static void put(const printer *p, const char *s, size_t n) { p->sink(p->ctx, s, n); }
static void put_text(const printer *p, const char *s) { put(p, s, strlen(s)); }

static void put_test(const printer *p, u32 test)
{
    const gxp_test *t = gxp_set_test(p->set, test);
    if (test < GXP_TEST_FIRST) {
        put_text(p, test == GXP_TEST_ROOT ? "the root" : test == GXP_TEST_ANY ? "any element" : "any node");
        return;
    }
    put_text(p, t->kind == GXP_ATTR ? "attribute " : "element ");
    if (t->uri_len) {
        put_text(p, "{");
        put(p, p->set->strs.at + t->uri, t->uri_len);
        put_text(p, "}");
    }
    put(p, t->kind == GXP_NS ? "*" : p->set->strs.at + t->local, t->kind == GXP_NS ? 1 : t->local_len);
}

/* A test of a value in words: whose value, the comparison, and what it is compared with. */
static void put_atom(const printer *p, u32 atom)
{
    static const char *const ops[] = { "is there", "=", "starts with", "contains", "=", "<", "<=", ">", ">=" };
    const gxp_values *v = &p->set->values;
    const gxp_atom *a = gxp_atom_at(v, atom);
    const gxp_group *g = gxp_group_at(v, a->group);
    char number[GX_NUMBER_CHARS];
    if (g->source == GXP_OF_TEXT)
        put_text(p, "a text node");
    else {
        put_text(p, g->source == GXP_OF_SELF ? "the text of " : "");
        put_test(p, g->name);
    }
    put_text(p, " ");
    put_text(p, ops[a->op]);
    if (a->op == GXP_HAS)
        return;
    put_text(p, " ");
    if (a->op >= GXP_NUM_EQ)
        put(p, number, gx_number_format(a->num, number));
    else {
        put_text(p, "\"");
        put(p, v->strs.at + a->text, a->len);
        put_text(p, "\"");
    }
}

/* The formula that has f in its range of this kind (edges, ANDs, subscribers); GX_NONE: none. Ranges ascend: f's is
 * found by halving; whose it is, by counting bits in blocks of 64 formulas. O(formulas / 64), for people. */
static u32 trigger_of(const gxp_set *s, u32 kind, u32 f)
{
    const gxp_range *r = s->ranges[kind];
    u32 lo = 0, hi = s->n_ranges[kind], block = 0;
    while (hi - lo > 1) { /* r[lo].from <= f < r[hi].from */
        const u32 mid = (lo + hi) / 2;
        if (r[mid].from <= f)
            lo = mid;
        else
            hi = mid;
    }
    if (!s->n_ranges[kind] || f < r[lo].from || f >= r[lo].to)
        return GX_NONE;
    while (block + 1 <= s->n_formulas / 64 && s->blocks[block + 1].before[kind] <= lo)
        block++;
    u64 bits = s->blocks[block].bits[kind];
    for (u32 i = s->blocks[block].before[kind]; i < lo; i++)
        bits &= bits - 1;
    return 64 * block + (u32)__builtin_ctzll(bits);
}

static void put_formula(printer *p, u32 ref, u32 depth);

static void put_operands(printer *p, const u32 *refs, u32 n, u32 depth)
{
    for (u32 i = 0; i < n; i++)
        put_formula(p, refs[i], depth);
}

/* 0: there are enough lines */
static int begin_line(printer *p, int yes, u32 negated, u32 depth)
{
    if (p->lines++ >= MOST_LINES) {
        if (p->lines == MOST_LINES + 1)
            put_text(p, "...\n");
        return 0;
    }
    put_text(p, yes ? "yes  " : "no   ");
    for (u32 i = 0; i < depth && i < 40; i++)
        put_text(p, "  ");
    put_text(p, negated ? "not: " : "");
    return 1;
}

static const char *const axes[] = { " with a child:\n", " with, below it:\n", " with, in or below it:\n" };

/* A formula's line, "yes" or "no" first, and below it its operands, one level further in. What it is shows by the
 * range that it stands in: an edge to a child or descendant, an AND with a trigger; else by its word: a test, a value,
 * OR or AND. Recursion: the formula's depth, which MOST_LINES bounds. */
static void put_formula(printer *p, u32 ref, u32 depth)
{
    const gxp_set *s = p->set;
    const u32 f = GXP_REF_FORMULA(ref), word = s->word[f];
    if (!begin_line(p, gxp_holds(p->m, f), GXP_REF_NOT(ref), depth))
        return;
    u32 trigger = trigger_of(s, GXP_EDGES, f);
    if (trigger != GX_NONE) {
        put_test(p, word >> 2);
        put_text(p, axes[word & 3]);
        put_formula(p, GXP_REF(trigger), depth + 1);
        return;
    }
    if ((trigger = trigger_of(s, GXP_ANDS, f)) != GX_NONE) {
        const u32 alone = word & ~GXP_ALONE;
        put_text(p, "all of:\n");
        put_formula(p, GXP_REF(trigger), depth + 1);
        put_operands(p, word & GXP_ALONE ? &alone : s->args + word + 1,
                     word & GXP_ALONE ? 1 : s->args[word], depth + 1);
        return;
    }
    if (word < GX_BUF_N(&s->tests, gxp_test) && s->test_formula[word] == f) {
        put_test(p, word);
        put_text(p, "\n");
        return;
    }
    if (word < GX_BUF_N(&s->values.atoms, gxp_atom) && s->atom_formula[word] == f) {
        put_atom(p, word);
        put_text(p, "\n");
        return;
    }
    put_text(p, s->args[word] & 1 ? "any of:\n" : "all of:\n");
    put_operands(p, s->args + word + 1, s->args[word] >> 1, depth + 1);
}

/* ---- code ---- */

/* An operation of code, as a node of the tree that the code was */
typedef struct node {
    u32 word;
    u32 left, right;            /* what it takes from the stack, GX_NONE = nothing */
    u8 yes;
} node;

static int is_and(const node *x)
{
    const u32 kind = GXP_CODE_KIND(x->word);
    return kind == GXP_CODE_JOIN || kind == GXP_CODE_MEET || kind == GXP_CODE_BUT;
}

static void put_node(printer *p, const node *nodes, u32 i, u32 depth);

/* Operands of an AND, which is a row of operations */
static void put_row(printer *p, const node *nodes, u32 i, u32 depth)
{
    const node *x = &nodes[i];
    if (is_and(&nodes[x->left]))
        put_row(p, nodes, x->left, depth);
    else
        put_node(p, nodes, x->left, depth);
    if (x->right != GX_NONE)
        put_node(p, nodes, x->right, depth);
    else
        put_formula(p, GXP_REF(GXP_CODE_VALUE(x->word)) | (GXP_CODE_KIND(x->word) == GXP_CODE_BUT), depth);
}

static void put_node(printer *p, const node *nodes, u32 i, u32 depth)
{
    const node *x = &nodes[i];
    if (GXP_CODE_KIND(x->word) == GXP_CODE_LOAD) {
        put_formula(p, GXP_REF(GXP_CODE_VALUE(x->word)), depth);
        return;
    }
    if (!begin_line(p, x->yes, 0, depth))
        return;
    if (is_and(x)) {
        put_text(p, "all of:\n");
        put_row(p, nodes, i, depth + 1);
        return;
    }
    put_test(p, GXP_CODE_VALUE(x->word) >> 2);
    put_text(p, axes[GXP_CODE_VALUE(x->word) & 3]);
    put_node(p, nodes, x->left, depth + 1);
}

/* A private formula out of its code, which is postfix: a stack makes it a tree again, each node with whether it holds
 * anywhere. Without memory nothing is said. */
static void put_code(printer *p, const u32 *code)
{
    const u32 *op = code + 2 + code[1];
    u32 n = 0, depth = 0;
    while (op[n] != GXP_CODE_END)
        n++;
    node *nodes = calloc(n, sizeof *nodes);
    u32 *stack = malloc((n + 1ull) * sizeof *stack);
    u8 *yes = malloc(n);
    if (nodes && stack && yes) {
        gxp_code_holds(p->m, code, yes);
        for (u32 i = 0; i < n; i++) {
            const u32 kind = GXP_CODE_KIND(op[i]);
            nodes[i] = (node){ op[i], GX_NONE, GX_NONE, yes[i] };
            if (kind == GXP_CODE_JOIN)
                nodes[i].right = stack[--depth];
            if (kind != GXP_CODE_LOAD)
                nodes[i].left = stack[--depth];
            stack[depth++] = i;
        }
        put_node(p, nodes, n - 1, 1);
    }
    free(nodes);
    free(stack);
    free(yes);
}

static int is_always(const gxp_set *s, u32 profile)
{
    for (u32 i = 0; i < s->n_always; i++)
        if (s->always[i] == profile)
            return 1;
    return 0;
}

/* Why the profile does or does not match the document that m has run last, to the sink, MOST_LINES at most. Looks
 * through all subscribers: O(profiles). */
void gxp_explain(gxp_matcher *m, u32 profile, gx_sink sink, void *ctx)
{
    static const char *const how[] = { "somewhere in the document:\n", "the document element is:\n", "the root is:\n" };
    const gxp_set *s = gxp_set_of(m);
    printer p = { m, s, sink, ctx, 0 };
    put_text(&p, gxp_matched(m, profile) ? "matches\n" : "does not match\n");
    if (is_always(s, profile))
        put_text(&p, "no formula is wanted to hold\n");
    for (u32 k = 0; k < s->n_ranges[GXP_SUBSCRIBERS]; k++)
        for (u32 i = s->ranges[GXP_SUBSCRIBERS][k].from; i < s->ranges[GXP_SUBSCRIBERS][k].to; i++)
            if (GXP_HOW(s->subscriber[i]) == GXP_BY_CODE) {
                const u32 *code = s->code + GXP_CODE_AT(s->subscriber[i]);
                if (GXP_PROFILE(code[0]) == profile) {
                    put_text(&p, how[GXP_HOW(code[0])]);
                    put_code(&p, code);
                }
            } else if (GXP_PROFILE(s->subscriber[i]) == profile) {
                put_text(&p, how[GXP_HOW(s->subscriber[i])]);
                put_formula(&p, GXP_REF(trigger_of(s, GXP_SUBSCRIBERS, i)), 1);
            }
    if (s->is_exact[profile / 8] >> profile % 8 & 1)
        put_text(&p, "and the planner's program of the whole expression decides\n");
}
