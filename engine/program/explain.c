/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.c -- an expression's code as one line of text
 *
 * Words in the order of evaluation, operands before operators:
 *
 *   count(//a[@x > 1]/b[1])     once( root descendant::a![ { context attribute::x! 1 > } ] child::b(1)[ nth(1) ]
 *                               count/1 )
 *
 *   axis::test    a step; "!" after it: its output is in order as it comes (GX_STEP_SORTED), "?": only whether there is
 *                 a node; (n): so
 *                 many are looked for; "[ ... ]" its predicates; count(axis::test) how many nodes it has
 *   { ... }       a predicate over the candidates; nth(n), nth(last), nth(n..m)
 *   filter[ ... ] predicates of a filter expression
 *   once( ... )   evaluated once for all rows; outer( ... ) evaluated once a frame; parts( ... ) for some rows after
 *                 the others
 *   twig(a[b]/c: ... )   what the tree pattern selects from the nodes before it; the steps are one of the strategies
 *   call p:f/n    a function of the stylesheet; where( ... ) evaluated only for rows that and, or do not decide on the
 *                 left
 *   name/n        a function of n arguments; host:name/n: a host step, which no GPU can take
 *   var(h,n)      the local variable n of the body h levels out; global(n) the global variable n
 *   <12.3 us, 400 rows>     what the operator before it took in one evaluation, if it was much, and for how many rows
 *   <by hash; 900 pairs, by pairs up to 400>     which way a join or a choice went, and by what count
 */
#include <stdio.h>
#include <string.h>
#include <apr_strings.h>
#include "machine/number.h"
#include "xpath/xpath.h"

typedef struct writer { const gx_program *p; gx_sink sink; void *ctx; int words; } writer;

static void put(const writer *w, const char *s, size_t n) { if (n) w->sink(w->ctx, s, n); }
static void puts_(const writer *w, const char *s) { put(w, s, strlen(s)); }
static void put_lit(const writer *w, u32 lit) { put(w, GX_LIT_AT(w->p, lit), GX_LIT(w->p, lit).len); }

/* In quotes and on one line */
void gx_explain_text(const gx_program *program, u32 lit, char quote, gx_sink sink, void *ctx)
{
    const writer w = { program, sink, ctx, 0 };
    const char *s = GX_LIT_AT(program, lit);
    put(&w, &quote, 1);
    for (u32 i = 0, n = GX_LIT(program, lit).len; i < n; i++)
        if (s[i] == '\n')
            puts_(&w, "\\n");
        else
            put(&w, s + i, 1);
    put(&w, &quote, 1);
}

static void word(writer *w, const char *s)
{
    if (w->words++)
        puts_(w, " ");
    puts_(w, s);
}

static void word_number(writer *w, const char *before, u32 n, const char *after)
{
    char buf[64];
    snprintf(buf, sizeof buf, "%s%u%s", before, n, after);
    word(w, buf);
}

static void word_double(writer *w, double value)
{
    char buf[GX_NUMBER_CHARS + 1];
    buf[gx_number_format(value, buf)] = 0;
    word(w, buf);
}

static void put_name(writer *w, u32 pname)
{
    const gx_pname *name = &GX_PROG_TAB(w->p, gx_pname, pnames)[pname];
    if (GX_LIT(w->p, name->uri).len) {
        puts_(w, "{");
        put_lit(w, name->uri);
        puts_(w, "}");
    }
    put_lit(w, name->local);
}

static const char *const axes[16] = { "self",
                                      "child",
                                      "descendant",
                                      "descendant-or-self",
                                      "attribute",
                                      "namespace",
                                      "following",
                                      "following-sibling",
                                      "parent",
                                      "ancestor",
                                      "ancestor-or-self",
                                      "preceding",
                                      "preceding-sibling",
                                      "?",
                                      "?",
                                      "?" };

static const char *const tests[16] = { "node()", "", "*", "", "text()", "comment()", "processing-instruction()",
    "processing-instruction:", "root()", "never()", "?", "?", "?", "?", "?", "?" };

static void put_test(writer *w, u32 test, u32 name)
{
    puts_(w, tests[test]);
    if (test == GX_TEST_NAME || test == GX_TEST_NS || test == GX_TEST_PI_NAME)
        put_name(w, name);
}

/* A step or a count of one: axis::test with its marks, and the "[" of its predicates, which END closes. */
static void step(writer *w, const gx_op *o)
{
    u32 test = GX_STEP_TEST(o->a);
    word(w, o->op == GX_X_COUNT ? "count(" : axes[GX_STEP_AXIS(o->a)]);
    if (o->op == GX_X_COUNT)
        puts_(w, axes[GX_STEP_AXIS(o->a)]);
    puts_(w, "::");
    put_test(w, test, o->b);
    if (o->op == GX_X_COUNT)
        puts_(w, ")");
    else if (o->a & GX_STEP_SOME)
        puts_(w, "?");
    else if (o->a & GX_STEP_SORTED)
        puts_(w, "!");
    if (GX_STEP_MOST(o->a) && !(o->a & GX_STEP_SOME)) {
        w->words = 0;
        word_number(w, "(", GX_STEP_MOST(o->a), ")");
    }
    if (o->a & GX_STEP_PREDS)
        puts_(w, "[");
}

/* name/n; "host:" before what a process must do; with the last part of a namespace for a prefix: math:max/1 */
static void function(writer *w, u32 func, u32 n)
{
    const char *module, *name = gx_function_name(func, &module);
    char buf[128];
    snprintf(buf, sizeof buf, "%s%s%s%s/%u", gx_function_is_host(func) ? "host:" : "", module, *module ? ":" : "", name,
             n);
    word(w, buf);
}

/* A tree pattern as a path. A node's last branch, of the answer none, is what the path goes on with; the others stand
 * in brackets, which are closed where they end. */
static void twig(writer *w, u32 index)
{
    const gx_twig *t = &GX_PROG_TAB(w->p, gx_twig, twigs)[index];
    const gx_twig_node *node = GX_PROG_TAB(w->p, gx_twig_node, twig_nodes) + t->first;
    word(w, "twig(");
    for (u32 i = 1; i < t->n; i++) {
        const u32 parent = node[i].parent;
        const int goes_on = node[i].end == node[parent].end && parent != t->answer;
        if (!goes_on)
            puts_(w, "[");
        puts_(w, node[i].axis == GX_AXIS_DESCENDANT                    ? (goes_on || !parent ? "//" : ".//")
                     : goes_on && parent                               ? "/"
                                                                       : "");
        puts_(w, node[i].axis == GX_AXIS_ATTRIBUTE ? "@" : "");
        put_test(w, node[i].test, node[i].name);
        if (node[i].end != i + 1)
            continue;
        for (u32 k = i; k; k = node[k].parent)          /* what ends here */
            if (node[k].end == i + 1 && (node[k].end != node[node[k].parent].end || node[k].parent == t->answer))
                puts_(w, "]");
    }
    puts_(w, ":");
}

/* The operator's words, with a space before each: those of the table, but for operators whose operands say more, such
 * as a step's name or a join's comparison. last: the expression's last operator, up to which the next one may be
 * looked at. The program must have been checked: no operand is. */
static void put_operator(writer *w, const gx_op *o, const gx_op *last)
{
    const gx_program *program = w->p;
    static const char *const words[GX_N_XOPS] = {
#define OPERATOR(name, word, pops, pushes, scope) word,
#include "program/ops.def"
#undef OPERATOR
    };
    switch (o->op) {
    case GX_X_NUM: {
        const double value = GX_PROG_TAB(program, double, nums)[o->b];
        if (o < last && o[1].op == GX_X_FUNC && o[1].a == GX_F_AXIS_RANGE && value >= 0 && value < 16)
            word(w, axes[(u32)value]);
        else
            word_double(w, value);
        break;
    }
    case GX_X_STR:
        word(w, "");
        gx_explain_text(program, o->b, '\'', w->sink, w->ctx);
        break;
    case GX_X_BOOL:
        word(w, o->b ? "true" : "false");
        break;
    case GX_X_VAR:
        word_number(w, "var(", o->a, ",");
        w->words = 0;
        word_number(w, "", o->b, ")");
        break;
    case GX_X_GLOBAL:
        word_number(w, "global(", o->b, ")");
        break;
    case GX_X_STEP: case GX_X_COUNT:
        step(w, o);
        break;
    case GX_X_FILTER:
        word(w, o->b ? "each[" : words[o->op]);
        break;
    case GX_X_NTH:
        if (o->b)
            word_number(w, "nth(", o->b, ")");
        else
            word(w, "nth(last)");
        break;
    case GX_X_ROUNDS:
        word(w, words[o->op]);
        if (o->a > 1)
            word_number(w, "nth(", o->a, ")");
        break;
    case GX_X_AT:
        word(w, o->a & GX_AT_FROM_END ? "from-end" : words[o->op]);
        break;
    case GX_X_RANGE:
        word_number(w, "nth(", o->a, o->b == GX_NONE ? "..)" : "..");
        if (o->b != GX_NONE) {
            w->words = 0;
            word_number(w, "", o->b, ")");
        }
        break;
    case GX_X_FUNC:
        function(w, o->a, o->b);
        break;
    case GX_X_TWIG:
        twig(w, o->a);
        break;
    case GX_X_CALL: {
        const gx_qname *name =
            &GX_PROG_TAB(program, gx_qname, qnames)[GX_PROG_TAB(program, gx_function, functions)[o->b].name];
        char buf[16];
        word(w, "call ");
        put_lit(w, name->prefix);
        puts_(w, ":");
        put_lit(w, name->local);
        snprintf(buf, sizeof buf, "/%u", GX_CALL_ARGC(o->a));
        puts_(w, buf);
        break;
    }
    case GX_X_JOIN_END:
        word(w,
             (o->a & 0xff) == GX_JOIN_NONE_UNEQUAL   ? "none!="
                 : (o->a & 0xff) < GX_X_ADD          ? words[o->a & 0xff]
                 : (o->a & 0xff) == GX_JOIN_STARTS   ? "starts-with"
                 : (o->a & 0xff) == GX_JOIN_CONTAINS ? "contains"
                 : o->a & 1                          ? "contained"
                                                     : "started-by");
        if (GX_JOIN_TWO(o->a))
            word(w, GX_JOIN_TWO(o->a) < GX_X_ADD ? words[GX_JOIN_TWO(o->a)] : "?");
        if (GX_JOIN_N(o->b))
            word_number(w, o->b & GX_JOIN_LAST ? ")last(" : ")first(", GX_JOIN_N(o->b),
                        o->b & GX_JOIN_OF_EACH ? ")of-each" : ")");
        else
            word(w, o->type == GX_T_NUM ? ")count" : o->a & GX_JOIN_UNORDERED ? ")unordered" : ")");
        break;
    default:
        word(w, words[o->op]);
    }
}

#define MUCH 0.01               /* of all time */

/* <twig; estimated: steps 210.4 us, bits ..> */
static void put_strategy(writer *w, const gx_profile_line *line)
{
    char buf[80];

    puts_(w, " <");
    puts_(w, gx_strategy_name(line->strategy));
    for (u32 i = GX_STRATEGY_STEPS; i < GX_N_STRATEGIES && line->estimated_ps[GX_STRATEGY_STEPS]; i++) {
        snprintf(buf, sizeof buf, "%s %s %.1f us", i == GX_STRATEGY_STEPS ? "; estimated:" : ",", gx_strategy_name(i),
                 (double)line->estimated_ps[i] / 1e6);
        puts_(w, buf);
    }
    puts_(w, ">");
}

/* <by order; 16000000 pairs, by pairs up to 32000>        <else; 4000 units, the first way up to 2> */
static void put_ways(writer *w, const gx_profile_line *line)
{
    static const char *const names[] = { "first way", "else", "by pairs", "by hash", "by order", "by what is equal",
                                         "by a search" };
    const int is_choice = (line->ways & (GX_WAY_FIRST | GX_WAY_ELSE)) != 0;
    char buf[120];

    puts_(w, " <");
    for (u32 i = 0, n = 0; i < sizeof names / sizeof *names; i++)
        if (line->ways >> i & 1) {
            puts_(w, n++ ? ", " : "");
            puts_(w, names[i]);
        }
    snprintf(buf, sizeof buf,
             is_choice ? "; %llu found, the first way up to %llu>" : "; %llu pairs, by pairs up to %llu>",
             (unsigned long long)line->units, (unsigned long long)line->limit);
    puts_(w, buf);
}

/* One expression on one line to the sink; with a profile, behind each operator the strategy and way that it took, and
 * its time if that was MUCH of all. Times are those of one evaluation. */
void gx_explain_times(const gx_program *program, const gx_profile *profile, u32 expr, gx_sink sink, void *ctx)
{
    writer w = { program, sink, ctx, 0 };
    const gx_expr *x = &GX_PROG_TAB(program, gx_expr, exprs)[expr];
    const gx_op *ops = GX_PROG_TAB(program, gx_op, ops) + x->first;
    for (u32 i = 0; i < x->n; i++) {
        put_operator(&w, &ops[i], &ops[x->n - 1]);
        const gx_profile_line *line = profile ? &profile->ops[x->first + i] : NULL;
        if (line && line->strategy)
            put_strategy(&w, line);
        if (line && line->ways)
            put_ways(&w, line);
        if (line && (double)line->ticks > MUCH * (double)profile->ticks) {
            char buf[80];
            const u64 rows = line->rows / profile->evaluations;
            snprintf(buf, sizeof buf, " <%.1f us, %llu row%s>", gx_profile_us(profile, line->ticks),
                     (unsigned long long)rows, rows == 1 ? "" : "s");
            puts_(&w, buf);
        }
    }
}

void gx_explain_expr(const gx_program *program, u32 expr, gx_sink sink, void *ctx)
{
    gx_explain_times(program, NULL, expr, sink, ctx);
}
