/* SPDX-License-Identifier: Apache-2.0 */
/*
 * formula.c -- from an expression's syntax to a formula (formula.h)
 *
 * A path is read from its last step to its first:
 *
 *   a/b[p]//d = 'v'     d AND value = 'v'  -->  b AND p AND (something below: that)  -->  a AND (a child: that)
 *
 * What cannot be said of an element by what is in it is left out: the part's answer is "true, loosely", and so is each
 * answer that was made of it. Nothing loose is negated, since the negation would not hold wherever the expression does.
 */
#include <stdlib.h>
#include <string.h>
#include "formula.h"
#include "machine/number.h"
#include "machine/text.h"

typedef struct answer {
    u32 ref;
    int loose;
} answer;

/* What kind of node an expression's context is */
enum { AT_ELEMENT, AT_VAGUE, AT_ATTR, AT_TEXT, AT_OTHER };
typedef struct place {
    u32 at;
    u32 test;           /* ELEMENT; VAGUE: an element or the root surely, if it has children or attributes; ATTR */
} place;

/* A path's last node compared with a constant; op: GXP_EQ and so on, or NOT_EQ */
enum { NOT_EQ = 100 };
typedef struct compared {
    u32 op;
    int is_num;
    const char *text;
    u32 len;
    double num;
} compared;

typedef struct maker {
    gxp_formulas *f;
    const gx_xparse *parse;
} maker;

static const answer yes = { GXP_TRUE, 0 }, no = { GXP_FALSE, 0 };

static answer loosely(maker *m)
{
    m->f->odd = 1;
    return (answer){ GXP_TRUE, 1 };
}

/* ---- interning ---- */

/* With a seed that is chance: profiles may come from strangers. */
static u64 formula_hash(const gxp_formulas *f, const gxp_formula *x, const u32 *args)
{
    const u32 high = x->kind == GXP_EDGE || x->kind == GXP_ATOM ? x->a : x->n;
    u64 h = gx_fold((u64)x->kind << 40 ^ (u64)x->axis << 36 ^ x->test ^ (u64)high << 32,
                    f->values.seed | 1);
    for (u32 i = 0; args && i < x->n; i++)
        h = gx_fold(h ^ args[i], f->values.seed | 1);
    return h ^ h >> 32;
}

static const u32 *args_of(const gxp_formulas *f, const gxp_formula *x)
{
    return x->kind >= GXP_AND ? GX_BUF_AT(&f->args, u32) + x->a : NULL;
}

static int same_formula(const gxp_formulas *f, const gxp_formula *a, const gxp_formula *b, const u32 *b_args)
{
    if (a->kind != b->kind || a->axis != b->axis || a->test != b->test || a->n != b->n)
        return 0;
    return a->kind >= GXP_AND ? !memcmp(args_of(f, a), b_args, a->n * sizeof(u32)) : a->a == b->a;
}

/* A table of numbers + 1 with room for one more than n, half of it empty; 1: it is new, and empty */
static int table_room(gx_buf *table, u32 n, u32 *no_memory)
{
    const u32 size = GX_BUF_N(table, u32);
    if (2 * (n + 1) <= size)
        return 0;
    gx_buf bigger = { 0 };
    const size_t bytes = (size ? 2 * (size_t)size : 1024) * sizeof(u32);
    if (!gx_buf_push(&bigger, bytes)) {
        *no_memory = 1;
        return 0;
    }
    memset(bigger.at, 0, bytes);
    gx_buf_free(table);
    *table = bigger;
    return 1;
}

static u32 rank_of(const gxp_formulas *f, const gxp_formula *x, const u32 *args)
{
    u32 most = 0;
    switch (x->kind) {
    case GXP_LABEL: return 0;
    case GXP_ATOM: {
        const u32 op = gxp_atom_at(&f->values, x->a)->op;
        return op == GXP_EQ || op == GXP_NUM_EQ ? GXP_RANK_VALUE : 1;
    }
    case GXP_EDGE: return gxp_formula_at(f, x->a)->rank + 1u;
    }
    for (u32 i = 0; i < x->n; i++) {
        const u32 rank = gxp_formula_at(f, GXP_REF_FORMULA(args[i]))->rank;
        most = rank > most ? rank : most;
    }
    return most + 1;
}

/* The reference of a formula, made if there is no equal one: what profiles have in common is stored once. args: of AND
 * and OR, sorted by the caller. A formula's operands have smaller numbers and ranks. Expected O(operands), amortised
 * over the growing table; no and f->no_memory without memory or beyond 2^30 formulas. */
static answer intern(maker *m, gxp_formula x, const u32 *args)
{
    gxp_formulas *f = m->f;
    const u32 n = GX_BUF_N(&f->formulas, gxp_formula);
    if (f->no_memory)
        return no;
    if (table_room(&f->formula_index, n, &f->no_memory))
        for (u32 i = 0; i < n; i++) {
            u32 *table = GX_BUF_AT(&f->formula_index, u32);
            const u32 mask = GX_BUF_N(&f->formula_index, u32) - 1;
            const gxp_formula *old = gxp_formula_at(f, i);
            u32 at = (u32)formula_hash(f, old, args_of(f, old)) & mask;
            while (table[at])
                at = (at + 1) & mask;
            table[at] = i + 1;
        }
    if (f->no_memory)
        return no;
    u32 *table = GX_BUF_AT(&f->formula_index, u32);
    const u32 mask = GX_BUF_N(&f->formula_index, u32) - 1;
    u32 at = (u32)formula_hash(f, &x, args) & mask;
    for (; table[at]; at = (at + 1) & mask)
        if (same_formula(f, gxp_formula_at(f, table[at] - 1), &x, args))
            return (answer){ GXP_REF(table[at] - 1), 0 };
    const u32 rank = rank_of(f, &x, args);
    if (x.kind >= GXP_AND) {
        u32 *copy = gx_buf_push(&f->args, x.n * sizeof *copy);
        if (copy)
            memcpy(copy, args, x.n * sizeof *copy);
        else
            f->no_memory = 1;
        x.a = GX_BUF_N(&f->args, u32) - x.n;
    }
    gxp_formula *fresh = n < 1u << 30 && rank < UINT16_MAX ? gx_buf_push(&f->formulas, sizeof *fresh) : NULL;
    if (!fresh || f->no_memory) {
        f->no_memory = 1;
        return no;
    }
    x.rank = (u16)rank;
    *fresh = x;
    table[at] = n + 1;
    return (answer){ GXP_REF(n), 0 };
}

static u32 text_of(maker *m, u32 lit, u32 *len)
{
    const gx_builder *b = m->parse->env->b;
    *len = GX_VEC_AT(&b->lits, gx_lit, lit)->len;
    return GX_VEC_AT(&b->lits, gx_lit, lit)->off;
}

/* A copy of a string behind the others, with a NUL. no_memory is set where it would not fit into 4 GB. */
static u32 keep(gxp_formulas *f, const char *s, u32 n)
{
    char *copy = f->strs.n + n < UINT32_MAX ? gx_buf_push(&f->strs, n + 1ull) : NULL;
    if (!copy) {
        f->no_memory = 1;
        return 0;
    }
    memcpy(copy, s, n);
    copy[n] = 0;
    return (u32)(copy - f->strs.at);
}

static u32 hash_of_test(const gxp_formulas *f, u32 kind, const char *uri, u32 uri_len, const char *local, u32 local_len)
{
    return (u32)gx_text_hash(f->values.seed + kind, uri, uri_len)
           ^ (u32)(gx_text_hash(f->values.seed, local, local_len) >> 8);
}

/* The number of a name test, the same for equal names: by hash, at most half full. GXP_TEST_ANY with no_memory set: out
 * of memory. */
static u32 test_of(maker *m, u32 kind, const char *uri, u32 uri_len, const char *local, u32 local_len)
{
    gxp_formulas *f = m->f;
    const u32 n = GX_BUF_N(&f->tests, gxp_test);
    if (kind == GXP_NS)
        local_len = 0;
    if (table_room(&f->test_index, n, &f->no_memory))
        for (u32 i = GXP_TEST_FIRST; i < n; i++) {
            const gxp_test *t = gxp_test_at(f, i);
            u32 *table = GX_BUF_AT(&f->test_index, u32), mask = GX_BUF_N(&f->test_index, u32) - 1;
            const char *strs = f->strs.at;
            u32 at = hash_of_test(f, t->kind, strs + t->uri, t->uri_len, strs + t->local, t->local_len) & mask;
            while (table[at])
                at = (at + 1) & mask;
            table[at] = i + 1;
        }
    if (f->no_memory)
        return GXP_TEST_ANY;
    u32 *table = GX_BUF_AT(&f->test_index, u32), mask = GX_BUF_N(&f->test_index, u32) - 1;
    u32 at = hash_of_test(f, kind, uri, uri_len, local, local_len) & mask;
    for (; table[at]; at = (at + 1) & mask) {
        const gxp_test *t = gxp_test_at(f, table[at] - 1);
        if (t->kind == kind && t->uri_len == uri_len && t->local_len == local_len
            && !memcmp(f->strs.at + t->uri, uri, uri_len) && !memcmp(f->strs.at + t->local, local, local_len))
            return table[at] - 1;
    }
    const gxp_test fresh = { kind, keep(f, uri, uri_len), uri_len, keep(f, local, local_len), local_len, GX_NONE };
    gxp_test *t = n < 1u << 29 ? gx_buf_push(&f->tests, sizeof *t) : NULL;
    if (!t || f->no_memory) {
        f->no_memory = 1;
        return GXP_TEST_ANY;
    }
    *t = fresh;
    table[at] = n + 1;
    return n;
}

static u32 test_of_step(maker *m, const gx_syntax *s, u32 kind)
{
    const gx_builder *b = m->parse->env->b;
    const gx_pname *name = GX_VEC_AT(&b->pnames, gx_pname, s->name);
    u32 uri_len, local_len;
    const u32 uri = text_of(m, name->uri, &uri_len), local = text_of(m, name->local, &local_len);
    return test_of(m, kind, b->lit_bytes.at + uri, uri_len, b->lit_bytes.at + local, local_len);
}

static answer label(maker *m, u32 test) { return intern(m, (gxp_formula){ .kind = GXP_LABEL, .test = test }, NULL); }

/* "An element that passes the test has on this axis what inner says." */
static answer edge(maker *m, u32 test, u32 axis, answer inner)
{
    if (inner.ref == GXP_FALSE)
        return no;
    answer out = intern(m, (gxp_formula){ .kind = GXP_EDGE, .axis = (u8)axis, .test = test,
                                          .a = GXP_REF_FORMULA(inner.ref) }, NULL);
    out.loose = inner.loose;
    return out;
}

static answer atom(maker *m, u32 group, u32 op, const char *text, u32 len, double num)
{
    const u32 i = group == GX_NONE ? GX_NONE : gxp_atom_of(&m->f->values, group, op, text, len, num);
    if (i == GX_NONE) {
        m->f->no_memory = 1;
        return no;
    }
    return intern(m, (gxp_formula){ .kind = GXP_ATOM, .a = i }, NULL);
}

/* ---- and, or, not ---- */

static int by_ref(const void *a, const void *b)
{
    const u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return x < y ? -1 : x > y;
}

/* Operands of `ref`, if it is such a formula and not negated, else itself */
static u32 operands(const gxp_formulas *f, u32 ref, u32 kind, const u32 **out, u32 *self)
{
    const gxp_formula *x = gxp_formula_at(f, GXP_REF_FORMULA(ref));
    if (!GXP_REF_NOT(ref) && x->kind == kind) {
        *out = args_of(f, x);
        return x->n;
    }
    *self = ref;
    *out = self;
    return 1;
}

/* Does it hold for elements only that pass a name test or have something? */
static int says_more(const gxp_formulas *f, u32 ref, u32 test)
{
    const gxp_formula *x = gxp_formula_at(f, GXP_REF_FORMULA(ref));
    if (GXP_REF_NOT(ref))
        return 0;
    if (test >= GXP_TEST_FIRST || test == GXP_TEST_ROOT)
        return x->kind == GXP_EDGE && x->test == test;
    if (test == GXP_TEST_NODE)
        return x->kind != GXP_OR;
    return x->kind == GXP_ATOM || ((x->kind == GXP_EDGE || x->kind == GXP_LABEL) && x->test >= GXP_TEST_FIRST)
        || (x->kind == GXP_EDGE && x->test == GXP_TEST_ANY);
}

/* Leaves out labels that another operand of an AND says as well. */
static u32 without_labels(const gxp_formulas *f, u32 *args, u32 n)
{
    u32 kept = 0;
    for (u32 i = 0; i < n; i++) {
        const gxp_formula *x = gxp_formula_at(f, GXP_REF_FORMULA(args[i]));
        int more = 0;
        for (u32 k = 0; k < n && !more && !GXP_REF_NOT(args[i]) && x->kind == GXP_LABEL; k++)
            more = k != i && says_more(f, args[k], x->test);
        if (!more)
            args[kept++] = args[i];
    }
    return kept;
}

/* "and" or "or" of two answers, as a formula of all their operands in order, each once: so that (a and b) and c is one
 * formula however it was written. x and not x is false at once; x or not x is true, unless one of them is loose. */
static answer both(maker *m, u32 kind, answer a, answer b)
{
    u32 self[2], n = 0, *args;
    const u32 *left, *right;
    const int loose = a.loose | b.loose;
    const u32 n_left = operands(m->f, a.ref, kind, &left, &self[0]),
              n_right = operands(m->f, b.ref, kind, &right, &self[1]);
    answer out = no;
    if (!(args = malloc((n_left + n_right) * sizeof *args))) {
        m->f->no_memory = 1;
        return no;
    }
    memcpy(args, left, n_left * sizeof *args);
    memcpy(args + n_left, right, n_right * sizeof *args);
    qsort(args, n_left + n_right, sizeof *args, by_ref);
    for (u32 i = 0; i < n_left + n_right; i++) {
        if (n && args[n - 1] == args[i])
            continue;
        if (n && (args[n - 1] ^ 1) == args[i]) { /* x and not x; x or not x */
            free(args);
            return kind == GXP_AND ? no : loose ? loosely(m) : yes;
        }
        args[n++] = args[i];
    }
    if (kind == GXP_AND)
        n = without_labels(m->f, args, n);
    out = n == 1 ? (answer){ args[0], 0 } : intern(m, (gxp_formula){ .kind = (u8)kind, .n = n }, args);
    free(args);
    out.loose = loose;
    return out;
}

/* Nothing in it that could trigger it */
static int is_negative(const gxp_formulas *f, u32 ref)
{
    const gxp_formula *x = gxp_formula_at(f, GXP_REF_FORMULA(ref));
    if (GXP_REF_NOT(ref) || x->kind != GXP_AND)
        return (int)GXP_REF_NOT(ref);
    for (u32 i = 0; i < x->n; i++)
        if (!GXP_REF_NOT(args_of(f, x)[i]))
            return 0;
    return 1;
}

/* not(not(x) and not(y)) is x or y: what is negated has a trigger. */
static answer negated(maker *m, answer a)
{
    if (a.loose)
        return loosely(m);
    if (a.ref >= GXP_TRUE || GXP_REF_NOT(a.ref) || !is_negative(m->f, a.ref))
        return (answer){ a.ref ^ 1, 0 };
    const gxp_formula x = *gxp_formula_at(m->f, GXP_REF_FORMULA(a.ref));
    answer out = { GX_BUF_AT(&m->f->args, u32)[x.a] ^ 1, 0 };
    for (u32 i = 1; i < x.n && !m->f->no_memory; i++)
        out = both(m, GXP_OR, out, (answer){ GX_BUF_AT(&m->f->args, u32)[x.a + i] ^ 1, 0 });
    return out;
}

static answer conjunction(maker *m, answer a, answer b)
{
    if (m->f->no_memory || (a.ref == GXP_FALSE) || b.ref == GXP_FALSE)
        return no;
    if (a.ref == GXP_TRUE || b.ref == GXP_TRUE)
        return (answer){ a.ref == GXP_TRUE ? b.ref : a.ref, a.loose | b.loose };
    return both(m, GXP_AND, a, b);
}

/* test: what each operand's context is, which gives a negation something to be triggered by */
static answer disjunction(maker *m, answer a, answer b, u32 test)
{
    if (m->f->no_memory)
        return no;
    if ((a.ref == GXP_TRUE && !a.loose) || (b.ref == GXP_TRUE && !b.loose))
        return yes;
    if (a.ref == GXP_TRUE || b.ref == GXP_TRUE)
        return loosely(m);
    if (a.ref != GXP_FALSE && is_negative(m->f, a.ref))
        a = (answer){ conjunction(m, a, label(m, test)).ref, a.loose };
    if (b.ref != GXP_FALSE && is_negative(m->f, b.ref))
        b = (answer){ conjunction(m, b, label(m, test)).ref, b.loose };
    if (a.ref == GXP_FALSE || b.ref == GXP_FALSE)
        return a.ref == GXP_FALSE ? b : a;
    return m->f->no_memory ? no : both(m, GXP_OR, a, b);
}

/* ---- places ---- */

/* Where a path's value is taken: an element of a name, an attribute, a text node; VAGUE where it may be several of
 * these, OTHER where no formula can say it. */
static place place_of(maker *m, const gx_syntax *s, place base)
{
    for (;; s = s->kids) {
        if (s->kind == GX_S_CONTEXT)
            return base;
        if (s->kind == GX_S_ROOT)
            return (place){ AT_ELEMENT, GXP_TEST_ROOT };
        if (s->kind == GX_S_FILTER || s->kind == GX_S_UNION)
            return (place){ AT_VAGUE, GXP_TEST_NODE };
        if (s->kind != GX_S_STEP || s->axis > GX_AXIS_ATTRIBUTE)
            return (place){ AT_OTHER, GXP_TEST_NODE };
        if (s->axis == GX_AXIS_ATTRIBUTE)
            return s->test == GX_TEST_NAME ? (place){ AT_ATTR, test_of_step(m, s, GXP_ATTR) } : (place){ AT_OTHER, 0 };
        switch (s->test) {
        case GX_TEST_NAME: return (place){ AT_ELEMENT, test_of_step(m, s, GXP_NAME) };
        case GX_TEST_NS: return (place){ AT_ELEMENT, test_of_step(m, s, GXP_NS) };
        case GX_TEST_ANY: return (place){ AT_ELEMENT, GXP_TEST_ANY };
        case GX_TEST_TEXT: return (place){ AT_TEXT, 0 };
        case GX_TEST_NODE:
            if (s->axis == GX_AXIS_SELF && !s->deep)
                continue;
            if (s->axis == GX_AXIS_SELF || s->axis == GX_AXIS_DESCENDANT_OR_SELF)
                return (place){ AT_VAGUE, GXP_TEST_NODE };
        } /* fallthrough */
        return (place){ AT_OTHER, GXP_TEST_NODE };
    }
}

/* The group of what is compared at a place; GX_NONE: not known */
static u32 group_of(maker *m, place at)
{
    gxp_formulas *f = m->f;
    if (at.at == AT_VAGUE || at.at == AT_OTHER
        || (at.at == AT_ELEMENT && at.test != GXP_TEST_ANY && at.test < GXP_TEST_FIRST))
        return GX_NONE;
    const u32 test = at.at == AT_TEXT ? (u32)GXP_TEST_NODE : at.test;
    gxp_test *t = gxp_test_at(f, test);
    if (t->group == GX_NONE)
        t->group = gxp_group_add(&f->values,
                                 at.at == AT_ATTR ? GXP_OF_ATTR : at.at == AT_TEXT ? GXP_OF_TEXT : GXP_OF_SELF, test);
    f->no_memory |= t->group == GX_NONE;
    return t->group;
}

/* A comparison of the value at a place with a constant, as an atom; with NaN it is decided at once. != is the negation
 * of =, which holds for one node: of several it is loose. */
static answer value_at(maker *m, place at, const compared *c)
{
    const u32 group = group_of(m, at);
    const int is_num = c->is_num || (c->op >= GXP_LT && c->op != NOT_EQ);
    double num = c->is_num ? c->num : 0;
    if (group == GX_NONE || (c->op == NOT_EQ && at.at == AT_TEXT))
        return loosely(m);
    if (is_num && !c->is_num)
        num = gx_number_parse(c->text, c->len);
    if (is_num && gx_is_nan(num))
        return c->op == NOT_EQ ? yes : no;
    if (c->op == NOT_EQ || c->op == GXP_EQ) {
        const answer equal = atom(m, group, is_num ? GXP_NUM_EQ : GXP_EQ, is_num ? "" : c->text,
                                  is_num ? 0 : c->len, num);
        return c->op == NOT_EQ ? negated(m, equal) : equal;
    }
    return atom(m, group, c->op, is_num ? "" : c->text, is_num ? 0 : c->len, num);
}

/* ---- paths ---- */

static answer truth(maker *m, const gx_syntax *s, place base);

/* An attribute, or a text node, with what is said of it */
static answer leaf(maker *m, place here, answer node)
{
    const int known = node.ref != GXP_TRUE && !GXP_REF_NOT(node.ref)
        && gxp_formula_at(m->f, GXP_REF_FORMULA(node.ref))->kind == GXP_ATOM;
    if (node.ref == GXP_FALSE || known || m->f->no_memory)
        return node;
    return conjunction(m, node, atom(m, group_of(m, here), GXP_HAS, "", 0, 0));
}

static answer path(maker *m, const gx_syntax *s, place base, answer inner, const compared *c);

/* One step of a path read from its end: its node has `inner` (or compares as c); the answer is what that says of the
 * node that the step starts from. Predicates and the test are met with inner, then the axis leads up. What formulas
 * cannot say is loosely(): true, and left to the planner's program. */
static answer step(maker *m, const gx_syntax *s, place base, answer inner, const compared *c)
{
    const place here = place_of(m, s, base), from = place_of(m, s->kids, base);
    answer node = c ? value_at(m, here, c) : inner;
    if (here.at == AT_OTHER || from.at == AT_OTHER)
        return loosely(m);
    if ((from.at == AT_ATTR || from.at == AT_TEXT) && (s->axis != GX_AXIS_SELF || s->deep || s->test != GX_TEST_NODE))
        return s->axis == GX_AXIS_CHILD ? no : loosely(m);
    if (s->preds && (here.at == AT_VAGUE || here.at == AT_TEXT))
        node = (answer){ node.ref, 1 };
    else
        for (const gx_syntax *p = s->preds; p; p = p->next)
            node = conjunction(m, node, truth(m, p, here));
    if (here.at == AT_ATTR || here.at == AT_TEXT) {
        const int is_self = s->axis == GX_AXIS_SELF;
        if (is_self && (s->test != GX_TEST_NODE || s->deep))
            return loosely(m);
        node = is_self ? node : leaf(m, here, node);
        if (!is_self && here.at == AT_TEXT && (s->axis == GX_AXIS_DESCENDANT || s->axis == GX_AXIS_DESCENDANT_OR_SELF))
            return edge(m, from.test, GXP_HERE_OR_BELOW, node);
        return s->deep ? edge(m, from.test, GXP_HERE_OR_BELOW, node) : node;
    }
    node = conjunction(m, node, label(m, here.test));
    switch (s->axis) {
    case GX_AXIS_SELF: return s->deep ? edge(m, from.test, GXP_HERE_OR_BELOW, node) : node;
    case GX_AXIS_CHILD: return edge(m, from.test, s->deep ? GXP_BELOW : GXP_CHILD, node);
    case GX_AXIS_DESCENDANT: return edge(m, from.test, GXP_BELOW, node);
    default: return edge(m, from.test, GXP_HERE_OR_BELOW, node);
    }
}

/* May an expression that steps follow select attributes or text? */
static int ends_in_leaf(const gx_syntax *s)
{
    if (s->kind == GX_S_UNION)
        return ends_in_leaf(s->kids) || ends_in_leaf(s->kids->next);
    if (s->kind == GX_S_FILTER)
        return ends_in_leaf(s->kids);
    return s->kind != GX_S_STEP || s->axis == GX_AXIS_ATTRIBUTE || s->test == GX_TEST_TEXT || s->test == GX_TEST_NODE;
}

/* Where the path has a node that has `inner`, or compares as c (NULL: any), as a statement about the node that it
 * starts from: steps from the last to the first. loosely(): a part that formulas cannot say. Recurses by unions
 * only. */
static answer path(maker *m, const gx_syntax *s, place base, answer inner, const compared *c)
{
    for (;; s = s->kids) {
        if (m->f->no_memory)
            return no;
        switch (s->kind) {
        case GX_S_CONTEXT: return c ? value_at(m, base, c) : inner;
        case GX_S_ROOT:
            if (base.at != AT_ELEMENT || base.test != GXP_TEST_ROOT || c)
                return loosely(m);
            return inner;
        case GX_S_STEP: {
            const answer node = step(m, s, base, inner, c);
            if (node.ref == GXP_FALSE)
                return no;
            inner = node;
            c = NULL;
            continue;
        }
        case GX_S_UNION:
            if (inner.ref != GXP_TRUE && ends_in_leaf(s))
                return loosely(m);
            return disjunction(m, path(m, s->kids, base, inner, c), path(m, s->kids->next, base, inner, c),
                               base.at == AT_ELEMENT ? base.test : (u32)GXP_TEST_NODE);
        case GX_S_FILTER:
            if (inner.ref != GXP_TRUE && ends_in_leaf(s))
                return loosely(m);
            if (s->preds) {
                inner = (answer){ inner.ref, 1 };
                m->f->odd = 1;
            }
            continue;
        default: return loosely(m);
        }
    }
}

/* ---- predicates ---- */

static int is_path(const gx_syntax *s)
{
    return s->kind == GX_S_STEP || s->kind == GX_S_FILTER || s->kind == GX_S_UNION || s->kind == GX_S_ROOT
        || s->kind == GX_S_CONTEXT;
}

/* A number or a string that stands in the text */
static int is_constant(const gx_syntax *s, compared *c)
{
    if (s->kind == GX_S_LITERAL) {
        c->text = s->local;
        c->len = (u32)strlen(s->local);
        return 1;
    }
    const int minus = s->kind == GX_S_NEGATE && s->op == 1;
    s = minus ? s->kids : s;
    if (s->kind != GX_S_NUMBER)
        return 0;
    c->is_num = 1;
    c->num = minus ? -s->num : s->num;
    return 1;
}

/* A path compared with a constant, either way round; everything else is loose. */
static answer comparison(maker *m, const gx_syntax *s, place base)
{
    static const u32 ops[] = { GXP_EQ, NOT_EQ, GXP_LT, GXP_LE, GXP_GT, GXP_GE };
    static const u32 turned[] = { GXP_EQ, NOT_EQ, GXP_GT, GXP_GE, GXP_LT, GXP_LE };
    const gx_syntax *a = s->kids, *b = s->kids->next;
    compared c = { .op = ops[s->op - GX_X_EQ], .text = "" };
    if (is_path(a) && is_constant(b, &c))
        return path(m, a, base, yes, &c);
    c.op = turned[s->op - GX_X_EQ];
    if (is_path(b) && is_constant(a, &c))
        return path(m, b, base, yes, &c);
    return loosely(m);
}

/* A path that selects one node at most: "." or an attribute */
static int is_single(const gx_syntax *s)
{
    return s->kind == GX_S_STEP && !s->deep && !s->preds && s->kids->kind == GX_S_CONTEXT
        && ((s->axis == GX_AXIS_SELF && s->test == GX_TEST_NODE)
            || (s->axis == GX_AXIS_ATTRIBUTE && s->test == GX_TEST_NAME));
}

/* A function of a predicate: not(), boolean(), true(), false(), and starts-with() and contains() of one node's value
 * and a literal. Everything else is loose: the profile's program decides. */
static answer call(maker *m, const gx_syntax *s, place base)
{
    if (*s->prefix)
        return loosely(m);
    if (!strcmp(s->local, "not") && s->n == 1)
        return negated(m, truth(m, s->kids, base));
    if (!strcmp(s->local, "boolean") && s->n == 1)
        return truth(m, s->kids, base);
    if (!strcmp(s->local, "true") && !s->n)
        return yes;
    if (!strcmp(s->local, "false") && !s->n)
        return no;
    const int starts = !strcmp(s->local, "starts-with");
    if ((starts || !strcmp(s->local, "contains")) && s->n == 2 && is_single(s->kids)
        && s->kids->next->kind == GX_S_LITERAL) {
        const char *text = s->kids->next->local;
        const compared c = { .op = starts ? GXP_STARTS : GXP_CONTAINS, .text = text, .len = (u32)strlen(text) };
        return *text ? path(m, s->kids, base, yes, &c) : yes;
    }
    return loosely(m);
}

/* boolean() of an expression; a number's is the planner's: as a predicate it is a position */
static answer truth(maker *m, const gx_syntax *s, place base)
{
    if (m->f->no_memory)
        return no;
    switch (s->kind) {
    case GX_S_LITERAL: return *s->local ? yes : no;
    case GX_S_CALL: return call(m, s, base);
    case GX_S_BINARY:
        if (s->op == GX_X_AND)
            return conjunction(m, truth(m, s->kids, base), truth(m, s->kids->next, base));
        if (s->op == GX_X_OR && base.at == AT_ELEMENT)
            return disjunction(m, truth(m, s->kids, base), truth(m, s->kids->next, base), base.test);
        if (s->op == GX_X_OR && base.at == AT_ATTR) /* of an element that has it: AND with the attribute follows */
            return disjunction(m, leaf(m, base, truth(m, s->kids, base)), leaf(m, base, truth(m, s->kids->next, base)),
                               GXP_TEST_ANY);
        return s->op >= GX_X_EQ && s->op <= GX_X_GE ? comparison(m, s, base) : loosely(m);
    case GX_S_NUMBER:
    case GX_S_NEGATE:
    case GX_S_VARIABLE: return loosely(m);
    default: return path(m, s, base, yes, NULL);
    }
}

/* The formula of an expression, as a reference. *loose: it may hold where the expression does not. A negation that no
 * element need meet is bound to the root, so that it holds in one place. */
u32 gxp_formula_of(gxp_formulas *f, const gx_xparse *parse, const gx_syntax *s, int *loose)
{
    maker m = { f, parse };
    f->odd = 0;
    answer a = truth(&m, s, (place){ AT_ELEMENT, GXP_TEST_ROOT });
    if (a.ref < GXP_TRUE && !f->no_memory && is_negative(f, a.ref))
        a.ref = conjunction(&m, a, label(&m, GXP_TEST_ROOT)).ref;
    *loose = a.loose;
    f->odd |= (u32)a.loose;
    return a.ref;
}

void gxp_formulas_begin(gxp_formulas *f)
{
    memset(f, 0, sizeof *f);
    for (u32 i = 0; i < GXP_TEST_FIRST; i++) {
        gxp_test *t = gx_buf_push(&f->tests, sizeof *t);
        if (t)
            *t = (gxp_test){ GXP_OTHER, 0, 0, 0, 0, GX_NONE };
        else
            f->no_memory = 1;
    }
}

void gxp_formulas_free(gxp_formulas *f)
{
    gx_buf_free(&f->formulas);
    gx_buf_free(&f->args);
    gx_buf_free(&f->tests);
    gx_buf_free(&f->strs);
    gx_buf_free(&f->formula_index);
    gx_buf_free(&f->test_index);
    gxp_values_free(&f->values);
}
