/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c -- is this block a program that can be followed blindly?
 *
 * A program that comes from another process is checked once; after that the machine uses its indexes, ranges and
 * operands as they are. Checked are: every table lies in the block; every index is in its table; expressions are
 * well-formed code whose operands have the types their operators want and which need no more stack and scopes than they
 * say; blocks of instructions nest; bodies form trees along their parents, and variables are reached along them; the
 * slots an instruction writes exist.
 *
 * Not checked: that the program does something sensible; that literals are UTF-8; `prepared`, which belongs to the
 * serialiser; the type of a variable's value, which the machine sees when it loads it (it compares with gx_op.type).
 *
 * Cost: O(size of the block); overlapping ranges and long chains cannot multiply the work, since lengths are summed up
 * and held to the table they are in, or to WORK_PER_BYTE. Scratch memory: a few bytes per instruction, expression and
 * body.
 */
#include <stdlib.h>
#include <string.h>
#include "xpath/xpath.h"

#define MAX_LEXICAL_DEPTH 10000u        /* bodies within bodies */
#define T_CANDIDATES 16u                /* stack entry between STEP[ or FILTER and STEP_END */
#define WORK_PER_BYTE 16u               /* table rows looked at per byte of the block: real programs stay below 1 */

typedef struct scope { u32 open, base; u8 op; } scope;
typedef struct entry { u8 type; u32 num; } entry;       /* num: index of nums when it is a constant, else GX_NONE */

typedef struct checker {
    const gx_program *p;
    const char *what;           /* the first thing found wrong */
    u64 work;                   /* rows looked at through ranges that could overlap */
    entry *stack;               /* the largest expression's */
    scope *scopes;
    u32 *open;                  /* by instr: the opening instruction around it */
    u32 *depth;                 /* by body: 1 + depth of its lexical parent, 0 = not yet known */
    u32 *owner;                 /* by expr: 1 + body whose variables it uses, 0 = none yet */
    u8 *has_vars;               /* by expr */
    u32 *slot_of;               /* by slot: 1 + the last body in which an instruction stores there */
} checker;

/* Remembers what is wrong, for the message. Always 0, so that a check can end with it. */
static int bad(checker *c, const char *what)
{
    if (!c->what)
        c->what = what;
    return 0;
}

/* Counts rows that are looked at through a range which may overlap others. A block in which ranges overlap without
 * end is refused before it has cost much. */
static int spend(checker *c, u64 rows)
{
    c->work += rows;
    return c->work <= c->p->size * WORK_PER_BYTE || bad(c, "too many references to the same things");
}

static int in(u32 i, gx_table t) { return i < t.n; }
static int opt(u32 i, gx_table t) { return i == GX_NONE || i < t.n; }
static int range(u32 first, u32 n, gx_table t) { return first <= t.n && n <= t.n - first; }

#define TAB(type, table) GX_PROG_TAB(c->p, type, table)

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* Does the table, of rows of `size` bytes, lie in the block, behind its head and aligned? Written without sums that
 * could overflow. */
static int check_table(checker *c, gx_table t, u32 size, u64 block)
{
    return (t.off >= sizeof(gx_program) && t.off % 16 == 0 && t.off <= block && t.n <= (block - t.off) / size)
        || bad(c, "a table is outside the block");
}

/* All tables, and that those are not empty which the machine looks at without asking: number 0 of literals, names,
 * places, modes and decimal formats, and one output. */
static int check_tables(checker *c)
{
    const gx_program *p = c->p;
    static const struct { u32 table, size; } tables[] = {
#define TABLE(name, type) { offsetof(gx_program, name), sizeof(type) },
        GX_EACH_TABLE(TABLE) TABLE(prepared, u8)
#undef TABLE
    };
    for (u32 i = 0; i < sizeof tables / sizeof *tables; i++)
        if (!check_table(c, *(const gx_table *)((const char *)p + tables[i].table), tables[i].size, p->size))
            return 0;
    if (!p->lits.n || !p->pnames.n || !p->wheres.n || !p->modes.n || !p->decimal_formats.n || p->output.n != 1
        || p->n_key_names != p->key_names.n || !in(p->start_mode, p->modes) || !in(p->vendor, p->lits)
        || !in(p->vendor_url, p->lits) || ((p->flags & GX_P_XPATH) && !p->globals.n))
        return bad(c, "a table that every program has is missing");
    return 1;
}

/* Literals end with a NUL in the block, and together are no longer than the block, so that no string is counted
 * twice; what consists of literals refers to some that there are. */
static int check_strings(checker *c)
{
    const gx_program *p = c->p;
    u64 total = 0;
    for (u32 i = 0; i < p->lits.n; i++) {
        gx_lit l = TAB(gx_lit, lits)[i];
        total += (u64)l.len + 1;
        if (total > p->size || l.off >= p->size || l.len >= p->size - l.off || ((const char *)p)[l.off + l.len])
            return bad(c, "a literal");
    }
    if (TAB(gx_lit, lits)[0].len)
        return bad(c, "the empty literal");
    for (u32 i = 0; i < p->pnames.n; i++) {
        gx_pname n = TAB(gx_pname, pnames)[i];
        if (!in(n.uri, p->lits) || !in(n.local, p->lits))
            return bad(c, "a name");
    }
    for (u32 i = 0; i < p->qnames.n; i++) {
        gx_qname n = TAB(gx_qname, qnames)[i];
        if (!in(n.uri, p->lits) || !in(n.local, p->lits) || !in(n.prefix, p->lits))
            return bad(c, "a qualified name");
    }
    for (u32 i = 0; i < p->nsdecls.n; i++)
        if (!in(TAB(gx_nsdecl, nsdecls)[i].prefix, p->lits) || !in(TAB(gx_nsdecl, nsdecls)[i].uri, p->lits))
            return bad(c, "a namespace declaration");
    for (u32 i = 0; i < p->nslists.n; i++)
        if (!range(TAB(gx_nslist, nslists)[i].first, TAB(gx_nslist, nslists)[i].n, p->nsdecls))
            return bad(c, "a namespace list");
    for (u32 i = 0; i < p->wheres.n; i++)
        if (!in(TAB(gx_where, wheres)[i].file, p->lits))
            return bad(c, "a position");
    for (u32 i = 0; i < p->files.n; i++)
        if (!in(TAB(u32, files)[i], p->lits))
            return bad(c, "a file name");
    for (u32 i = 0; i < p->key_names.n; i++)
        if (!in(TAB(u32, key_names)[i], p->qnames))
            return bad(c, "a key name");
    for (u32 i = 0; i < p->cdata.n; i++)
        if (!in(TAB(u32, cdata)[i], p->qnames))
            return bad(c, "a CDATA element");
    return 1;
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

/* the types of ops.def and functions.def */
#define TYPE_NONE GX_T_ANY              /* nothing asks for it */
#define TYPE_ANY GX_T_ANY
#define TYPE_BOOL GX_T_BOOL
#define TYPE_NUM GX_T_NUM
#define TYPE_STR GX_T_STR
#define TYPE_SET GX_T_SET

/* Arguments and result of a function, as functions.def has them. NULL: no such function with so many arguments. */
static const char *signature(u32 func, u32 n, u8 *type)
{
    static const struct { const char *args; u32 least, most; u8 type; } functions[GX_N_FUNCS] = {
#define FUNCTION(name, args, least, most, type, traits) { args, least, most, TYPE_##type },
#include "program/functions.def"
#undef FUNCTION
    };
    if (func >= GX_N_FUNCS)
        return NULL;
    *type = functions[func].type;
    if (func == GX_F_KEY && n == 3)
        return "svl";
    if (func == GX_F_FORMAT_NUMBER && n == 4)
        return "nssl";
    return n >= functions[func].least && n <= functions[func].most ? functions[func].args : NULL;
}

/* Is this operand a whole number below `below` that stands in the code? The machine uses such a number as an index. */
static int is_constant(const checker *c, entry e, u32 below)
{
    if (e.num == GX_NONE)
        return 0;
    double value = TAB(double, nums)[e.num];
    return value >= 0 && value < below && value == (double)(u32)value;
}

/* May an operand be where functions.def and ops.def have this letter? Candidates are no value: only C takes them. */
static int check_argument(const checker *c, entry e, char kind)
{
    switch (kind) {
    case 'S': return e.type == GX_T_SET;
    case 'C': return e.type == T_CANDIDATES;
    case 's': return e.type == GX_T_STR;
    case 'n': return e.type == GX_T_NUM;
    case 'b': return e.type == GX_T_BOOL;
    case 'k': return is_constant(c, e, c->p->n_key_names);
    case 'd': return is_constant(c, e, c->p->decimal_formats.n);
    case 'l': return is_constant(c, e, c->p->nslists.n);
    case 'f': return is_constant(c, e, GX_FACTOR_KINDS << 3);
    case 'x': return is_constant(c, e, GX_AXIS_PRECEDING_SIBLING + 1);
    default:  return e.type != T_CANDIDATES;
    }
}

/* What an operator pops and pushes, of ops.def */
static const struct { const char *pops; u8 pushes; } operators[GX_N_XOPS] = {
#define OPERATOR(name, word, pops, pushes, scope) { pops, TYPE_##pushes },
#include "program/ops.def"
#undef OPERATOR
};

/* An expression's code, as far as it has been followed */
typedef struct code {
    checker *c;
    const gx_expr *x;
    const gx_op *ops;
    u32 sp, base;               /* the stack, and where the innermost scope's part of it begins */
    u32 n_scopes, n_preds;
    u32 n_own;                  /* scopes whose rows are nobody's else */
} code;

/* Are these operands on top of the stack? */
static int has(const code *k, const char *letters)
{
    const u32 n = (u32)strlen(letters);
    if (k->sp < k->base + n)
        return 0;
    for (u32 i = 0; i < n; i++)
        if (!check_argument(k->c, k->c->stack[k->sp - n + i], letters[i]))
            return 0;
    return 1;
}

static entry *top(const code *k) { return &k->c->stack[k->sp - 1]; }
static scope *innermost(const code *k) { return k->n_scopes ? &k->c->scopes[k->n_scopes - 1] : NULL; }

/* May the op at i stand where it does: in rounds, and where no frame's values can be had? */
static int check_place(const code *k, u32 i)
{
    const gx_op *o = &k->ops[i];
    const scope *s = innermost(k);
    if (s && s->op == GX_X_ROUNDS && i > s->open + 2 && o->op != GX_X_PRED && o->op != GX_X_NTH && o->op != GX_X_RANGE
        && o->op != GX_X_ROUNDS_END)
        return bad(k->c, "candidates in rounds");
    if (k->n_own && (o->op == GX_X_VAR || o->op == GX_X_CURRENT || o->op == GX_X_OUTER || o->op == GX_X_CALL
                     || (o->op == GX_X_FUNC && gx_function_traits(o->a) & GX_FT_DYNAMIC)))
        return bad(k->c, "a frame's value where there is none");
    return 1;
}

/* Besides its operands, what does a scope's first op ask for? */
static int opens_well(const code *k, u32 i)
{
    const gx_op *o = &k->ops[i], *ops = k->ops;
    switch (o->op) {
    case GX_X_ROUNDS: return o->b >= i + 3 && ops[i + 1].op == GX_X_CONTEXT && ops[i + 2].op == GX_X_STEP;
    case GX_X_CHOICE: return ops[o->b].b > o->b && ops[o->b].b < k->x->n && ops[ops[o->b].b].op == GX_X_CHOICE_END
            && o->a <= GX_CHOICE_NONE;
    case GX_X_TWIG:   return in(o->a, k->c->p->twigs) && o->type == GX_T_SET;
    case GX_X_PARTS:  return o->type >= GX_T_BOOL && o->type <= GX_T_SET && ops[o->b].type == o->type;
    case GX_X_OUTER:  return k->n_preds != 0;
    case GX_X_DOMAIN: return GX_DOMAIN_N(o->a) && GX_DOMAIN_N(o->a) <= GX_DOMAIN_MOST
            && has(k, "vvvv" + GX_DOMAIN_MOST - GX_DOMAIN_N(o->a));
    case GX_X_JOIN:   return ops[o->b].a == o->a && (!GX_JOIN_TWO(o->a) || has(k, "Svv"));
    default:          return 1;
    }
}

/*
 * The op at i opens a scope that ends at o->b, with the op that follows it in ops.def. What the ops in it may pop
 * begins at k->base:
 *
 *     stack  | of the scopes around | base: what it begins with | what the ops in it push ... sp |
 *
 * JOIN and WHERE leave their operands below the base for their end; ROUNDS, DOMAIN and most CHOICEs take theirs; EACH
 * and TWIG hand theirs on to the ops in it.
 */
static int open_scope(code *k, u32 i)
{
    const gx_op *o = &k->ops[i];
    const int two = o->op == GX_X_JOIN && GX_JOIN_TWO(o->a);
    if (k->n_scopes >= k->x->max_scope || o->b <= i || o->b >= k->x->n || k->ops[o->b].op != o->op + 1
        || (!two && !has(k, operators[o->op].pops)) || !opens_well(k, i))
        return bad(k->c, "a scope of an expression");
    k->c->scopes[k->n_scopes++] = (scope){ i, k->base, o->op };
    k->n_preds += o->op == GX_X_PRED;
    k->n_own += gx_op_scope(o->op) == GX_SCOPE_OWNS;
    /* what the ops in it begin with */
    const int takes = o->op == GX_X_ROUNDS || (o->op == GX_X_CHOICE && o->a != GX_CHOICE_FOUND);
    const int stays = o->op == GX_X_EACH || o->op == GX_X_TWIG || (o->op == GX_X_CHOICE && o->a == GX_CHOICE_FOUND);
    k->sp -= o->op == GX_X_DOMAIN ? GX_DOMAIN_N(o->a) : (u32)takes;
    k->base = k->sp - stays;
    return 1;
}

/* OTHERWISE: the first way has made its value, the second one begins with the same stack. */
static int turn_choice(code *k, u32 i)
{
    const gx_op *o = &k->ops[i];
    const scope *s = innermost(k);
    if (!s || s->op != GX_X_CHOICE || k->ops[s->open].b != i || k->sp != k->base + 1 || !has(k, "v")
        || top(k)->type != o->type || k->ops[o->b].type != o->type)
        return bad(k->c, "a choice of an expression");
    k->sp = k->base;
    if (k->ops[s->open].a == GX_CHOICE_FOUND)
        k->c->stack[k->sp++] = (entry){ GX_T_SET, GX_NONE };
    return 1;
}

/* A JOIN's ways: which comparisons it was told, whether they can be together, and what it gives. */
static int check_join(const code *k, const gx_op *o)
{
    const u32 two = GX_JOIN_TWO(o->a), one = o->a & 0xff, way = one & ~GX_JOIN_TURNED;
    const int search = way == GX_JOIN_STARTS || way == GX_JOIN_CONTAINS;
    if ((o->type != GX_T_SET && o->type != GX_T_NUM) || GX_JOIN_N(o->b) > GX_JOIN_MOST
        || o->b & ~(0xffu | GX_JOIN_LAST | GX_JOIN_OF_EACH) || (GX_JOIN_N(o->b) && o->type != GX_T_SET)
        || (!search && one != GX_JOIN_NONE_UNEQUAL && (one < GX_X_EQ || one > GX_X_GE))
        || (o->a & GX_JOIN_ONE_USE && !two)
        || (o->a & GX_JOIN_UNORDERED && (one < GX_X_LT || one > GX_X_GE || GX_JOIN_N(o->b)))
        || (two && (two < GX_X_LT || two > GX_X_GE || one < GX_X_LT || one > GX_X_GE)))
        return bad(k->c, "a join");
    return 1;
}

/* The op at i closes the innermost scope, which must be one of its kind that ends here, with just one value above the
 * base. The value takes the place of what the scope's first op left on the stack. */
static int close_scope(code *k, u32 i)
{
    const gx_op *o = &k->ops[i];
    const scope *s = innermost(k);
    const int choice = o->op == GX_X_CHOICE_END, two = o->op == GX_X_JOIN_END && GX_JOIN_TWO(o->a);
    if (!s || s->op != o->op - 1 - choice || k->ops[choice ? k->ops[s->open].b : s->open].b != i
        || k->sp != k->base + 1 + two || (two && k->c->stack[k->base].type == T_CANDIDATES)
        || (top(k)->type == T_CANDIDATES) != (o->op == GX_X_ROUNDS_END)
        || ((o->op == GX_X_ONCE_END || o->op == GX_X_PARTS_END || o->op == GX_X_ROUNDS_END) && o->b != s->open))
        return bad(k->c, "a scope's end in an expression");
    k->base = s->base;
    k->n_scopes--;
    k->n_own -= gx_op_scope(s->op) == GX_SCOPE_OWNS;
    switch (o->op) {
    case GX_X_PRED_END:
        k->n_preds--;
        k->sp--;
        return 1;
    case GX_X_WHERE_END:
        k->sp--;
        if (k->c->stack[k->sp].type != GX_T_BOOL)
            return bad(k->c, "a scope's type in an expression");
        top(k)->num = GX_NONE;
        return 1;
    case GX_X_JOIN_END:
        if (!check_join(k, o))
            return 0;
        k->sp -= two ? 4 : 2;
        *top(k) = (entry){ o->type, GX_NONE };
        return 1;
    case GX_X_ROUNDS_END:
        return 1;
    default:
        if (o->type != top(k)->type)
            return bad(k->c, "a scope's type in an expression");
        if (choice)
            top(k)->num = GX_NONE;
        return 1;
    }
}

/* Keeps some of the candidates below its numbers, of AT and BETWEEN also of a SET's nodes. */
static int count_places(code *k, const gx_op *o)
{
    if (o->op == GX_X_AT || o->op == GX_X_BETWEEN) {
        const char *numbers = o->op == GX_X_BETWEEN ? "vv" : o->a ? "v" : "n";
        const u32 n = (u32)strlen(numbers);
        if (!has(k, numbers) || k->sp < k->base + n + 1)
            return bad(k->c, "a place without its operands");
        const u8 type = k->c->stack[k->sp - 1 - n].type;
        if (type != GX_T_SET && (type != T_CANDIDATES || o->a & GX_PLACES_OF_EACH))
            return bad(k->c, "a place without its operands");
        k->sp -= n;
        return 1;
    }
    if (!has(k, operators[o->op].pops) || (o->op == GX_X_RANGE && !o->a)
        || (o->op == GX_X_STEP_END && GX_STEP_AXIS(o->b) > GX_AXIS_PRECEDING_SIBLING))
        return bad(k->c, "what keeps some of the candidates");
    if (o->op == GX_X_STEP_END)
        top(k)->type = GX_T_SET;
    return 1;
}

/* Are the numbers of a leaf in their tables? *e: what it pushes, as far as the operator says it. */
static int check_leaf(const code *k, u32 index, const gx_op *o, entry *e)
{
    checker *c = k->c;
    const gx_program *p = c->p;
    switch (o->op) {
    case GX_X_NUM:
        e->num = o->b;
        return in(o->b, p->nums) || bad(c, "a number of an expression");
    case GX_X_STR:
        return in(o->b, p->lits) || bad(c, "a string of an expression");
    case GX_X_VAR:
        c->has_vars[index] = 1;
        e->type = o->type;
        return o->type <= GX_T_RTF || bad(c, "a variable's type");
    case GX_X_GLOBAL:
        e->type = o->type;
        return (in(o->b, p->globals) && o->type <= GX_T_RTF) || bad(c, "a global variable");
    case GX_X_STEP: case GX_X_COUNT:
        return (GX_STEP_AXIS(o->a) <= GX_AXIS_PRECEDING_SIBLING && GX_STEP_TEST(o->a) <= GX_TEST_NEVER
                && in(o->b, p->pnames)) || bad(c, "a step");
    case GX_X_END:
        return bad(c, "the end within an expression");
    case GX_X_CALL:
        return (in(o->b, p->functions) && GX_CALL_ARGC(o->a) <= TAB(gx_function, functions)[o->b].n_params)
            || bad(c, "a call of a function");
    default:
        return 1;
    }
}

/* *pops: how many operands a leaf pops, which are on the stack. *e: what it pushes, of a function its result. */
static int check_pops(const code *k, const gx_op *o, u32 *pops, entry *e)
{
    checker *c = k->c;
    const char *letters = operators[o->op].pops;
    if (o->op != GX_X_FUNC && o->op != GX_X_CALL) {
        *pops = (u32)strlen(letters);
        return has(k, letters) || bad(c, "an operator's operands");
    }
    *pops = o->op == GX_X_CALL ? GX_CALL_ARGC(o->a) : o->b;
    letters = "v";
    if (o->op == GX_X_FUNC) {
        letters = signature(o->a, o->b, &e->type);
        if (!letters)
            return bad(c, "a function call");
        /* a worker refuses programs by this flag: a host step that does not say so would be taken there */
        if (!(c->p->flags & GX_P_HOST) && gx_function_is_host(o->a))
            return bad(c, "a host step in a program without any");
    }
    if (*pops > k->sp - k->base)
        return bad(c, "a call without its arguments");
    for (u32 i = 0; i < *pops; i++, letters += letters[1] != 0)
        if (!check_argument(c, c->stack[k->sp - *pops + i], *letters))
            return bad(c, "an argument of a function");
    return 1;
}

/* Follows one op: where it stands, its operands, their types, and what it pushes. The stack stays below the size that
 * the expression says, which is what the machine has room for. */
static int check_op(code *k, u32 index, u32 i)
{
    const gx_op *o = &k->ops[i];
    u32 pops;
    if (o->op >= GX_N_XOPS)
        return bad(k->c, "an unknown operator");
    if (!check_place(k, i))
        return 0;
    switch (gx_op_scope(o->op)) {
    case GX_SCOPE_OPENS: case GX_SCOPE_OWNS: return open_scope(k, i);
    case GX_SCOPE_CLOSES: return close_scope(k, i);
    case GX_SCOPE_TURNS:  return turn_choice(k, i);
    case GX_SCOPE_COUNTS: return count_places(k, o);
    default:              break;
    }
    entry e = { operators[o->op].pushes, GX_NONE };
    if (!check_leaf(k, index, o, &e) || !check_pops(k, o, &pops, &e))
        return 0;
    if (o->type != e.type)
        return bad(k->c, "an operator's type");
    if (o->op == GX_X_FILTER || (o->op == GX_X_STEP && (o->a & GX_STEP_PREDS)))
        e.type = T_CANDIDATES;
    k->sp -= pops;
    if (k->sp >= k->x->max_stack)
        return bad(k->c, "an expression's stack");
    k->c->stack[k->sp++] = e;
    return 1;
}

/* Follows an expression from its first op to its last. There are no jumps but a scope's, from its first op to its end
 * and back, so one pass sees each state of the stack that the machine can meet. At the end there is one value, of the
 * expression's type. */
static int check_code(checker *c, u32 index)
{
    const gx_expr *x = &TAB(gx_expr, exprs)[index];
    code k = { .c = c, .x = x, .ops = TAB(gx_op, ops) + x->first };
    for (u32 i = 0; i < x->n; i++)
        if (!check_op(&k, index, i))
            return 0;
    return (k.sp == 1 && !k.n_scopes && c->stack[0].type == x->type && x->type != T_CANDIDATES)
        || bad(c, "an expression's result");
}

/* A tree in preorder, with one spine from its root to the answer */
static int check_twig(checker *c, const gx_twig *t)
{
    const gx_program *p = c->p;
    const gx_twig_node *node = TAB(gx_twig_node, twig_nodes) + t->first;
    if (!range(t->first, t->n, p->twig_nodes) || t->n < 2 || t->n > GX_TWIG_NODES || !t->answer || t->answer >= t->n
        || node->end != t->n || node->parent != GX_NONE || node->axis != GX_AXIS_SELF || t->flags > GX_TWIG_SOME)
        return bad(c, "a tree pattern");
    for (u32 i = 1; i < t->n; i++) {
        const gx_twig_node *x = &node[i];
        const int edge = x->axis == GX_AXIS_CHILD || x->axis == GX_AXIS_ATTRIBUTE || x->axis == GX_AXIS_DESCENDANT;
        const int test = x->test == GX_TEST_NAME || x->test == GX_TEST_ANY || x->test == GX_TEST_NODE
            || x->test == GX_TEST_TEXT || x->test == GX_TEST_COMMENT;
        if (!edge || !test || !in(x->name, p->pnames) || x->parent >= i || x->end <= i || x->end > node[x->parent].end
            || (i > x->parent + 1 && node[i - 1].end > i))
            return bad(c, "a tree pattern's node");
    }
    for (u32 i = 0, k = t->answer; i < t->n; i++) {     /* from the answer up there is the spine, and nowhere else */
        const u32 at = t->n - 1 - i;
        if (node[at].spine != (at == k))
            return bad(c, "a tree pattern's spine");
        k = at == k ? node[at].parent : k;
    }
    return 1;
}

/* All expressions. Their ranges together are no longer than the table of ops, so none is followed twice; the largest
 * stack is allocated once for all. */
static int check_exprs(checker *c)
{
    const gx_program *p = c->p;
    u64 total = 0;
    u32 stack = 0, scopes = 0;
    if (GX_P_STRATEGY(p->flags) >= GX_N_STRATEGIES)
        return bad(c, "a strategy");
    for (u32 i = 0; i < p->twigs.n; i++)
        if (!check_twig(c, &TAB(gx_twig, twigs)[i]))
            return 0;
    for (u32 i = 0; i < p->exprs.n; i++) {
        const gx_expr *x = &TAB(gx_expr, exprs)[i];
        total += x->n;
        if (!range(x->first, x->n, p->ops) || total > p->ops.n || !in(x->where, p->wheres) || !in(x->source, p->lits))
            return bad(c, "an expression");
        stack = x->max_stack > stack ? x->max_stack : stack;
        scopes = x->max_scope > scopes ? x->max_scope : scopes;
    }
    c->stack = malloc((stack + 1) * sizeof *c->stack);
    c->scopes = malloc((scopes + 1) * sizeof *c->scopes);
    if (!c->stack || !c->scopes)
        return bad(c, NULL);
    for (u32 i = 0; i < p->exprs.n; i++)
        if (!check_code(c, i))
            return 0;
    return 1;
}

/* Expression i stands in a body (GX_NONE: in none): are its variables there? want: GX_T_ANY or the type it must
 * have. */
static int check_use(checker *c, u32 i, u32 body, u32 want)
{
    const gx_program *p = c->p;
    if (!in(i, p->exprs))
        return bad(c, "an expression's number");
    const gx_expr *x = &TAB(gx_expr, exprs)[i];
    if (want != GX_T_ANY && x->type != want)
        return bad(c, "an expression's type");
    if (!c->has_vars[i] || (body != GX_NONE && c->owner[i] == body + 1))
        return 1;
    if (c->owner[i] || body == GX_NONE)
        return bad(c, "an expression with variables where they are not");
    c->owner[i] = body + 1;
    const gx_op *ops = TAB(gx_op, ops) + x->first;
    for (u32 k = 0; k < x->n; k++) {
        if (ops[k].op != GX_X_VAR)
            continue;
        u32 at = body;
        if (!spend(c, ops[k].a))
            return 0;
        for (u32 hops = ops[k].a; hops && at != GX_NONE; hops--)
            at = TAB(gx_body, bodies)[at].parent;
        if (at == GX_NONE || ops[k].b >= TAB(gx_body, bodies)[at].n_vars)
            return bad(c, "a variable's place");
    }
    return 1;
}

static int check_optional_use(checker *c, u32 i, u32 body, u32 want)
{
    return i == GX_NONE || check_use(c, i, body, want);
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

/* Pattern i, used in a body or (GX_NONE) outside of all: its steps in their order, from the last to the first, and
 * the expressions of its predicates, which see that body's variables. */
static int check_pattern(checker *c, u32 i, u32 body)
{
    const gx_program *p = c->p;
    if (!in(i, p->patterns))
        return bad(c, "a pattern's number");
    const gx_pattern *t = &TAB(gx_pattern, patterns)[i];
    if (!range(t->first, t->n, p->psteps) || (!t->n && t->head == GX_NONE) || !in(t->where, p->wheres)
        || (t->simple && (t->n != 1 || t->head != GX_NONE)))
        return bad(c, "a pattern");
    if (!spend(c, t->n) || !check_optional_use(c, t->head, body, GX_T_SET))
        return 0;
    for (u32 k = 0; k < t->n; k++) {
        const gx_pstep *s = &TAB(gx_pstep, psteps)[t->first + k];
        int inner = s->up == GX_UP_PARENT || s->up == GX_UP_ANCESTOR, head = s->up >= GX_UP_HEAD_PARENT;
        if (s->up > GX_UP_HEAD_ANCESTOR || s->test > GX_TEST_NEVER || s->axis > GX_AXIS_PRECEDING_SIBLING
            || !in(s->name, p->pnames) || inner != (k + 1 < t->n) || (k + 1 == t->n && head != (t->head != GX_NONE)))
            return bad(c, "a step of a pattern");
        if (!check_optional_use(c, s->set_expr, body, GX_T_SET)
            || !check_optional_use(c, s->bool_expr, body, GX_T_BOOL))
            return 0;
    }
    return 1;
}

/* Is this a body, and directly within `parent` (GX_NONE: in none)? */
static int is_child(const checker *c, u32 body, u32 parent)
{
    return in(body, c->p->bodies) && TAB(gx_body, bodies)[body].parent == parent;
}

/* Template rules, the tables that lead from a node's name to its candidates, modes, and keys. Each mode has a
 * dispatch entry for every name and kind, since the machine adds a name's number to the first. */
static int check_rules(checker *c)
{
    const gx_program *p = c->p;
    for (u32 i = 0; i < p->rules.n; i++) {
        const gx_rule *r = &TAB(gx_rule, rules)[i];
        if (!in(r->body, p->bodies) || TAB(gx_body, bodies)[r->body].parent != GX_NONE || !in(r->mode, p->modes)
            || !in(r->where, p->wheres) || r->copies / 2 > p->modes.n)
            return bad(c, "a template rule");
        if (!check_pattern(c, r->pattern, GX_NONE))
            return 0;
    }
    for (u32 i = 0; i < p->candidates.n; i++)
        if (!in(TAB(u32, candidates)[i], p->rules))
            return bad(c, "a candidate rule");
    for (u32 i = 0; i < p->dispatch.n; i++)
        if (!range(TAB(gx_range, dispatch)[i].first, TAB(gx_range, dispatch)[i].n, p->candidates))
            return bad(c, "a dispatch entry");
    for (u32 i = 0; i < p->modes.n; i++) {
        const gx_mode *m = &TAB(gx_mode, modes)[i];
        if (!opt(m->name, p->qnames) || !range(m->elem, p->pnames.n, p->dispatch)
            || !range(m->attr, p->pnames.n, p->dispatch) || !range(m->other, GX_N_KINDS, p->dispatch)
            || !is_child(c, m->builtin, GX_NONE))
            return bad(c, "a mode");
    }
    for (u32 i = 0; i < p->keys.n; i++) {
        const gx_key *k = &TAB(gx_key, keys)[i];
        if (k->name >= p->n_key_names || !in(k->where, p->wheres))
            return bad(c, "a key");
        if (!check_pattern(c, k->pattern, GX_NONE) || !check_use(c, k->use, GX_NONE, GX_T_ANY))
            return 0;
    }
    return 1;
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

/* Bodies are ranges of instructions, together no longer than their table, and trees along their parents, so that the
 * machine arrives when it goes up to a variable's body. */
static int check_bodies(checker *c)
{
    const gx_program *p = c->p;
    const gx_body *bodies = TAB(gx_body, bodies);
    u64 total = 0;
    for (u32 i = 0; i < p->bodies.n; i++) {
        const gx_body *b = &bodies[i];
        total += b->n;
        if (!range(b->first, b->n, p->instrs) || total > p->instrs.n || !opt(b->parent, p->bodies)
            || !opt(b->template_name, p->qnames) || !in(b->where, p->wheres) || b->n_slots > 0x10000
            || b->n_vars > 0x1000000)
            return bad(c, "a body");
    }
    for (u32 i = 0; i < p->bodies.n; i++) {     /* each body's depth is set once: the walks are linear together */
        u32 steps = 0, at = i;
        while (at != GX_NONE && !c->depth[at]) {
            if (++steps > MAX_LEXICAL_DEPTH)
                return bad(c, "a body within itself");
            at = bodies[at].parent;
        }
        u32 known = at == GX_NONE ? 0 : c->depth[at];
        if (known + steps > MAX_LEXICAL_DEPTH)
            return bad(c, "bodies nested too deeply");
        for (at = i; steps; steps--, at = bodies[at].parent)
            c->depth[at] = known + steps;
    }
    return 1;
}

/* Parameters passed by an instruction of this body: names, and expressions that see its variables. */
static int check_with_params(checker *c, u32 first, u32 n, u32 body)
{
    if (!range(first, n, c->p->with_params))
        return bad(c, "parameters passed");
    if (!spend(c, n))
        return 0;
    for (u32 i = first; i < first + n; i++) {
        const gx_with_param *w = &TAB(gx_with_param, with_params)[i];
        if (!in(w->name, c->p->qnames) || !in(w->where, c->p->wheres))
            return bad(c, "a parameter passed");
        if (!check_use(c, w->expr, body, GX_T_ANY))
            return 0;
    }
    return 1;
}

/* Sort keys of an instruction of this body. Attributes are strings: the machine reads them so. */
static int check_sorts(checker *c, u32 first, u32 n, u32 body)
{
    if (!range(first, n, c->p->sorts))
        return bad(c, "sort keys");
    if (!spend(c, n))
        return 0;
    for (u32 i = first; i < first + n; i++) {
        const gx_sort *s = &TAB(gx_sort, sorts)[i];
        if (!in(s->where, c->p->wheres))
            return bad(c, "a sort key");
        if (!check_use(c, s->select, body, GX_T_ANY) || !check_optional_use(c, s->data_type, body, GX_T_STR)
            || !check_optional_use(c, s->order, body, GX_T_STR) || !check_optional_use(c, s->lang, body, GX_T_STR)
            || !check_optional_use(c, s->case_order, body, GX_T_STR))
            return 0;
    }
    return 1;
}

/* xsl:number i in this body: its level, the patterns that count and from consist of, its value and its format's parts
 */
static int check_number(checker *c, u32 i, u32 body)
{
    if (!in(i, c->p->numbers))
        return bad(c, "a number instruction");
    const gx_number *n = &TAB(gx_number, numbers)[i];
    if (n->level > 2 || !range(n->count, n->n_count, c->p->patterns) || !range(n->from, n->n_from, c->p->patterns)
        || !in(n->where, c->p->wheres))
        return bad(c, "a number instruction");
    if (!spend(c, (u64)n->n_count + n->n_from))
        return 0;
    for (u32 k = 0; k < n->n_count; k++)
        if (!check_pattern(c, n->count + k, body))
            return 0;
    for (u32 k = 0; k < n->n_from; k++)
        if (!check_pattern(c, n->from + k, body))
            return 0;
    return (!n->has_value || check_use(c, n->value, body, GX_T_NUM)) && check_optional_use(c, n->format, body, GX_T_STR)
        && check_optional_use(c, n->lang, body, GX_T_STR) && check_optional_use(c, n->letter_value, body, GX_T_STR)
        && check_optional_use(c, n->grouping_separator, body, GX_T_STR)
        && check_optional_use(c, n->grouping_size, body, GX_T_STR);
}

/* Is everything that an instruction of `body` refers to in its table, and of the type that the machine takes it for?
 * Where its block ends is looked at elsewhere. 0: bad() has said what is not, or the checker's work is spent. O(its
 * branches, sorts and parameters). */
static int check_operands(checker *c, const gx_instr *o, u32 body)
{
    const gx_program *p = c->p;
    switch (o->op) {
    case GX_I_END: case GX_I_COMMENT: case GX_I_COPY: case GX_I_MESSAGE:
        return 1;
    case GX_I_TEXT: case GX_I_ERROR:
        return in(o->a, p->lits) || bad(c, "an instruction's text");
    case GX_I_VALUE: case GX_I_COPY_OF: case GX_I_RESULT:
        return check_use(c, o->expr, body, GX_T_ANY);
    case GX_I_ELEM:
        return (in(o->a, p->qnames) && opt(o->b, p->nslists)) || bad(c, "an element");
    case GX_I_ATTR:
        return in(o->a, p->qnames) || bad(c, "an attribute");
    case GX_I_ELEM_DYN: case GX_I_ATTR_DYN:
        return (opt(o->b, p->nslists) || bad(c, "an element's namespaces")) && check_use(c, o->expr, body, GX_T_STR)
            && check_optional_use(c, o->a, body, GX_T_STR);
    case GX_I_PI:
        return check_use(c, o->expr, body, GX_T_STR);
    case GX_I_IF:
        return check_use(c, o->expr, body, GX_T_BOOL) && (is_child(c, o->a, body) || bad(c, "an if's body"));
    case GX_I_CHOOSE:
        if (!range(o->a, o->b, p->branches))
            return bad(c, "branches");
        if (!spend(c, o->b))
            return 0;
        for (u32 i = o->a; i < o->a + o->b; i++) {
            const gx_branch *b = &TAB(gx_branch, branches)[i];
            if (!check_optional_use(c, b->expr, body, GX_T_BOOL) || !is_child(c, b->body, body))
                return bad(c, "a branch");
        }
        return 1;
    case GX_I_FOR_EACH:
        return check_use(c, o->expr, body, GX_T_SET) && (is_child(c, o->a, body) || bad(c, "a for-each's body"))
            && check_sorts(c, o->b, o->c, body);
    case GX_I_APPLY:
        return check_use(c, o->expr, body, GX_T_SET) && (in(o->a, p->modes) || bad(c, "a mode's number"))
            && check_with_params(c, o->b, o->c, body) && check_sorts(c, o->d, o->e, body);
    case GX_I_APPLY_IMPORTS:
        return check_with_params(c, o->b, o->c, body);
    case GX_I_CALL:
        return (is_child(c, o->a, GX_NONE) || bad(c, "a called template")) && check_with_params(c, o->b, o->c, body);
    case GX_I_VAR: case GX_I_PARAM:
        if (o->b >= TAB(gx_body, bodies)[body].n_vars
            || (o->expr == GX_NONE && o->a != GX_NONE && !is_child(c, o->a, body))
            || (o->op == GX_I_PARAM && !in(o->d, p->qnames)))
            return bad(c, "a variable");
        return check_optional_use(c, o->expr, body, GX_T_ANY);
    case GX_I_NUMBER:
        return check_number(c, o->a, body);
    default:
        return bad(c, "an unknown instruction");
    }
}

/* How many of its frame's slots does an instruction write? run.h and the serialiser go by the same numbers. */
static u32 slots_used(const gx_instr *o)
{
    switch (o->op) {
    case GX_I_ELEM_DYN: case GX_I_ATTR_DYN:
        return o->a == GX_NONE ? 1 : 2;
    case GX_I_VALUE:
    case GX_I_PI:
    case GX_I_COPY_OF:
    case GX_I_IF:
    case GX_I_CHOOSE:
    case GX_I_FOR_EACH:
    case GX_I_APPLY:
    case GX_I_APPLY_IMPORTS: case GX_I_CALL: case GX_I_NUMBER: case GX_I_RESULT:
        return 1;
    default:
        return 0;
    }
}

/* A body's instructions: blocks nest and know their ends (the serialiser jumps there), each slot has one writer, and
 * all that they refer to is there. */
static int check_instrs(checker *c, u32 body)
{
    const gx_instr *instrs = TAB(gx_instr, instrs);
    const gx_body *b = &TAB(gx_body, bodies)[body];
    u32 open = GX_NONE;
    for (u32 pc = b->first; pc < b->first + b->n; pc++) {
        const gx_instr *o = &instrs[pc];
        if (!in(o->where, c->p->wheres) || (slots_used(o) && o->slot + slots_used(o) > b->n_slots))
            return bad(c, "an instruction");
        for (u32 k = 0; k < slots_used(o); k++) {   /* what one instruction stores no other one does: readers go by the
                                                       instruction */
            if (c->slot_of[o->slot + k] == body + 1)
                return bad(c, "an instruction's slot");
            c->slot_of[o->slot + k] = body + 1;
        }
        if (o->op == GX_I_END) {
            if (open == GX_NONE || o->a != open || instrs[open].c != pc)
                return bad(c, "the end of an instruction's content");
            open = c->open[open];
        } else if (gx_iop_has_end(o->op)) {
            c->open[pc] = open;
            open = pc;
        }
        if (!check_operands(c, o, body))
            return 0;
    }
    return open == GX_NONE || bad(c, "content without an end");
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

/* Documents that lie in the program (document('')) are checked as those of a worker's client are; together they are
 * no longer than the block. */
static int check_own_docs(checker *c)
{
    gx_error err;
    u64 total = 0;
    for (u32 i = 0; i < c->p->own_docs.n; i++) {
        const gx_own_doc *d = &TAB(gx_own_doc, own_docs)[i];
        total += d->size;
        if (!in(d->path, c->p->lits) || d->off % 16 || d->off > c->p->size || d->size > c->p->size - d->off
            || total > c->p->size || gx_doc_check((const char *)c->p + d->off, d->size, &err) != GX_OK)
            return bad(c, "the document of a module");
    }
    return 1;
}

/* What stands on a stylesheet's top level: global variables, functions with their parameters, decimal formats, white
 * space rules, and the output declaration. */
static int check_declarations(checker *c)
{
    const gx_program *p = c->p;
    for (u32 i = 0; i < p->globals.n; i++) {
        const gx_global *g = &TAB(gx_global, globals)[i];
        if (!in(g->name, p->qnames) || !in(g->where, p->wheres)
            || (g->body != GX_NONE && !is_child(c, g->body, GX_NONE)))
            return bad(c, "a global variable's declaration");
        if (!check_optional_use(c, g->expr, GX_NONE, GX_T_ANY))
            return 0;
    }
    for (u32 i = 0; i < p->functions.n; i++) {
        const gx_function *f = &TAB(gx_function, functions)[i];
        if (!in(f->name, p->qnames) || !in(f->where, p->wheres) || !is_child(c, f->body, GX_NONE)
            || f->n_params > TAB(gx_body, bodies)[f->body].n)
            return bad(c, "a function");
        if (!spend(c, f->n_params))
            return 0;
        for (u32 k = 0; k < f->n_params; k++)
            if (TAB(gx_instr, instrs)[TAB(gx_body, bodies)[f->body].first + k].op != GX_I_PARAM)
                return bad(c, "a function's parameter");
    }
    for (u32 i = 0; i < p->decimal_formats.n; i++) {
        const gx_decimal_format *f = &TAB(gx_decimal_format, decimal_formats)[i];
        const u32 lits[] = {
            f->decimal_separator, f->grouping_separator, f->infinity,   f->minus_sign, f->nan,
            f->percent,           f->per_mille,          f->zero_digit, f->digit,      f->pattern_separator
        };
        for (u32 k = 0; k < sizeof lits / sizeof *lits; k++)
            if (!in(lits[k], p->lits))
                return bad(c, "a decimal format");
        if (!opt(f->name, p->qnames))
            return bad(c, "a decimal format's name");
    }
    for (u32 i = 0; i < p->spaces.n; i++)
        if (!in(TAB(gx_space, spaces)[i].uri, p->lits) || !in(TAB(gx_space, spaces)[i].local, p->lits)
            || TAB(gx_space, spaces)[i].test > GX_TEST_NEVER)
            return bad(c, "a white space rule");
    const gx_output *out = TAB(gx_output, output);
    return (out->method <= GX_METHOD_TEXT && opt(out->version, p->lits) && opt(out->encoding, p->lits)
            && opt(out->doctype_public, p->lits) && opt(out->doctype_system, p->lits) && opt(out->media_type, p->lits)
            && range(out->cdata, out->n_cdata, p->cdata)) || bad(c, "the output declaration");
}

/* The checks in an order in which each may rely on those before: tables before indexes, bodies before variables. 0:
 * c->what says what is wrong, NULL for out of memory. */
static int check(checker *c)
{
    const gx_program *p = c->p;
    if (!check_tables(c) || !check_strings(c))
        return 0;
    c->open = calloc(p->instrs.n + 1, sizeof *c->open);
    c->depth = calloc(p->bodies.n + 1, sizeof *c->depth);
    c->owner = calloc(p->exprs.n + 1, sizeof *c->owner);
    c->has_vars = calloc(p->exprs.n + 1, 1);
    if (!c->open || !c->depth || !c->owner || !c->has_vars)
        return bad(c, NULL);
    if (!check_exprs(c) || !check_bodies(c) || !check_rules(c) || !check_declarations(c) || !check_own_docs(c))
        return 0;
    u32 slots = 0;
    for (u32 i = 0; i < p->bodies.n; i++)
        slots = TAB(gx_body, bodies)[i].n_slots > slots ? TAB(gx_body, bodies)[i].n_slots : slots;
    c->slot_of = calloc(slots + 1, sizeof *c->slot_of);
    if (!c->slot_of)
        return bad(c, NULL);
    for (u32 i = 0; i < p->bodies.n; i++)
        if (!check_instrs(c, i))
            return 0;
    return 1;
}

/* Is the block at `block` (16-byte aligned, `size` bytes) a program that the machine can follow blindly? GX_EBAD with
 * what is damaged, GX_ENOMEM. */
gx_status gx_program_check(const void *block, u64 size, gx_error *err)
{
    checker c;
    memset(&c, 0, sizeof c);
    c.p = block;
    if ((uintptr_t)block % 16 || size < sizeof(gx_program) || c.p->magic != GX_PROG_MAGIC
        || c.p->size < sizeof(gx_program) || c.p->size > size)
        return gx_fail(err, GX_EBAD, "", 0, 0, "this is no compiled program");
    int good = check(&c);
    free(c.stack);
    free(c.scopes);
    free(c.open);
    free(c.depth);
    free(c.owner);
    free(c.has_vars);
    free(c.slot_of);
    if (good)
        return GX_OK;
    if (!c.what)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "no memory to check the compiled program");
    return gx_fail(err, GX_EBAD, "", 0, 0, "the compiled program is damaged: %s", c.what);
}
