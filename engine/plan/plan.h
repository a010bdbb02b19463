/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h -- an expression as a plan: a tree of operators, typed, with facts about each
 *
 *   gx_syntax --build.c, call.c--> gx_plan --rules--> gx_plan --lower.c--> gx_op[] in the builder
 *
 * From below: node.c (nodes), properties.c (facts), apply.c (rules, whichever they are), make.c (constructors, which
 * apply them), call.c and build.c, the files of rules, rules.c (which rules there are), compile.c.
 *
 * A node is named after the gx_xop that computes it. Nodes are immutable once gx_plan_derive() has seen them: whoever
 * wants another one makes a copy. So nodes may be operands of several others, and what the rules have rewritten stays
 * as it was for whoever holds it.
 */
#ifndef GX_PLAN_H
#define GX_PLAN_H

#include "xpath/xpath.h"

/* What is known of a node-set, for every row of it: */
enum {
    GX_XS_SINGLE = 1,       /* at most one node */
    GX_XS_FLAT = 2,         /* no node is an ancestor of another (implied by SINGLE, and set with it) */
    GX_XS_AGAIN = 4         /* of a VAR: other rows may have the same context node; of another set, given: it asks for
                               nothing but the context node, and is made once for those that have the same */
};

/* The fan-out of a set: how many nodes each row may have. 0: in all rows together not many more than the tree has */
enum {
    GX_FANOUT_LARGE = 1,    /* each row may have a good part of the tree's nodes */
    GX_FANOUT_FILTERED = 2      /* predicates leave fewer of them */
};

typedef struct gx_plan gx_plan;
typedef struct gx_plans { gx_plan **at; u32 n; } gx_plans;

struct gx_plan {
    u8 op;                  /* gx_xop */
    u8 type;                /* static gx_type */
    u16 a;                  /* operands as in gx_op */
    u32 b;
    u32 n;                  /* kids */
    gx_plan **kids;         /* operands in order; STEP and FILTER: the input */
    gx_plans preds;         /* STEP, FILTER: in order. A predicate is any node but SET, or a GX_X_NTH or GX_X_RANGE.
                               JOIN: what is compared of its nodes */
    double num;             /* GX_X_NUM */
    const char *str;        /* GX_X_STR */
    u32 at;                 /* byte in the text, for messages */
    u8 given;               /* GX_XS_* that its maker knows and that do not follow from the operands */
    const gx_plan *origin;  /* what a rule made it of, where other rules may make something else of that: the
                               selection that a UNION of two was, the comparison that a look-up was; NULL: none */
    /* derived (properties.c) */
    u8 set;                 /* GX_XS_* */
    u8 deps;                /* GX_DEP_* */
    u8 calls;               /* calls a function of the stylesheet, which may not end for rows that have nothing to ask
                               */
    u8 hosted;              /* asks the process for something */
    u8 fails;               /* may be an error where it is evaluated: a value is no node-set, a function or key is not
                               there */
    u8 fanout;              /* GX_FANOUT_*: of a SET; of another value: of the sets that it is made of */
    u8 shared;              /* has steps to nodes that other rows' steps lead to as well */
    u8 costly;              /* walks the document or calls a function: worth evaluating for fewer rows */
    u32 depth;              /* of the tree below, 1 = a leaf */
};

/* What its consumer needs of a node's value (the demand); a rule of stage DEMAND says for which it holds. */
enum {
    GX_WANT_SOME = 1,       /* whether there is a node */
    GX_WANT_FIRST = 2,      /* the first in document order */
    GX_WANT_LAST = 4,
    GX_WANT_COUNT = 8,      /* how many: the rule may give a NUM instead of the set */
    GX_WANT_SUM = 16,       /* the sum of its numbers in document order */
    GX_WANT_COMPARED = 32   /* a comparison with each of its nodes */
};

typedef struct gx_planner {
    const gx_xpath_env *env;
    apr_pool_t *pool;
    gx_xparse text;         /* for messages */
    u32 source;             /* the text as a literal of the program; GX_NONE: no expression of it has been emitted */
    gx_rule_set fired;      /* the rules that were applied since the last expression was emitted */
    int within;             /* what is emitted is a part of the expression: a key's value */
    const struct gx_rules *const *rules;        /* in the order in which they are tried, NULL behind the last */
    u32 predicates;         /* predicates around the place that is being built: 0 = current() is the context node */
} gx_planner;

/* What stands in `text` will be planned, with the rules of rules.c. */
void gx_planner_begin(gx_planner *p, const gx_xparse *text);

/* ---- nodes (node.c) ---- */

/* A node of n operands, derived. No rule has seen it. */
gx_plan *gx_plan_make(gx_planner *p, u32 op, u32 type, u32 a, u32 b, u32 at, u32 n, ...);
gx_plan *gx_plan_make_of(gx_planner *p, u32 op, u32 type, u32 a, u32 b, u32 at, gx_plans kids, gx_plans preds);
gx_plan *gx_plan_copy(gx_planner *p, const gx_plan *node);      /* to be changed, and then derived */
/* The first node of a step, by conditions of which none counts positions; NULL: it would not be found in rounds */
gx_plan *gx_plan_first_in_rounds(gx_planner *p, const gx_plan *step, gx_plans preds);
gx_plan *gx_plan_num(gx_planner *p, double value, u32 at);
gx_plan *gx_plan_bool(gx_planner *p, int value, u32 at);
gx_plan *gx_plan_str(gx_planner *p, const char *s, u32 at);
gx_plan *gx_plan_context(gx_planner *p, u32 at);
gx_plan *gx_plan_root(gx_planner *p, u32 at);
/* Lists: without its k-th, with one more at its end, a part of it (which shares its array) */
gx_plans gx_plans_without(gx_planner *p, gx_plans list, u32 k);
gx_plans gx_plans_with(gx_planner *p, gx_plans list, gx_plan *more);
static inline gx_plans gx_plans_part(gx_plans list, u32 from, u32 to)
{
    gx_plans part = { list.at + from, to - from };
    return part;
}
static const gx_plans gx_plans_none = { NULL, 0 };

/* ---- facts (properties.c) ---- */

gx_plan *gx_plan_derive(gx_plan *node);         /* node itself, with its facts */
/* Does a predicate count positions, or might it? */
int gx_plan_is_positional(const gx_plan *pred);
int gx_plans_are_positional(gx_plans preds);
/* Is node a step to nodes that other rows' steps lead to as well, of which the first that meets some conditions is
 * wanted? */
int gx_plan_in_rounds(const gx_plan *node);
/* Does a step lead to nodes that other rows' steps may lead to, too? */
int gx_plan_is_shared(const gx_plan *step);
/* Is node a step without predicates that gives no node twice, whatever its contexts are? */
int gx_plan_is_disjoint(const gx_plan *node);
/* May the nodes of n be in any order, as a join gives them whose consumer does not care? */
int gx_plan_is_unordered(const gx_plan *n);
/* Does node depend on the context node by way of its parent alone, and lead to nodes that its siblings' do? */
int gx_plan_of_parent(const gx_plan *node);
/* What a path begins with that neighbouring rows may have in common (a variable, an ancestor, what a key gives), where
 * the path goes on from there without anything of the row's; NULL: it does not */
const gx_plan *gx_plan_each_base(const gx_plan *path);
/* Where input/child::x is descendant::x of some set, x being this test, that set: //x as it is parsed, and as a rule
 * rewrites it. Else NULL. */
gx_plan *gx_plan_above(const gx_plan *input, u32 test, u32 name);
/* The step that n is, or that a rule made n of, a look-up or what is left of it */
const gx_plan *gx_plan_step_of(const gx_plan *n);
/* Can no node on this axis pass this test, whatever the document? */
int gx_plan_is_never(u32 axis, u32 test);
/* Do both compute the same? b may be the count of a set in one operator: then that set is meant. */
int gx_plan_is_same(const gx_plan *a, const gx_plan *b);
static inline int gx_plan_is_call(const gx_plan *n, u32 func) { return n->op == GX_X_FUNC && n->a == func; }
/* The comparison that has its operands the other way round */
u32 gx_xop_turned(u32 op);

/* ---- building, with the rules applied (make.c, call.c, build.c) ---- */

gx_status gx_plan_build(gx_planner *p, const gx_syntax *syntax, gx_plan **out);
/* A step's or filter's predicates; *positional: one of them counts positions, or might. */
gx_status gx_plan_predicates(gx_planner *p, const gx_syntax *step, gx_plans *list, int *positional);
gx_plan *gx_plan_step(gx_planner *p, gx_plan *input, u32 axis, u32 test, u32 name, gx_plans preds, u32 at);
/* input itself without predicates */
gx_plan *gx_plan_filter(gx_planner *p, gx_plan *input, gx_plans preds, u32 at);
gx_plan *gx_plan_convert(gx_planner *p, gx_plan *node, u32 type);       /* to BOOL, NUM or STR */
gx_plan *gx_plan_not(gx_planner *p, gx_plan *truth, u32 at);            /* of a BOOL */
gx_plan *gx_plan_binary(gx_planner *p, u32 op, gx_plan *left, gx_plan *right, u32 at);
/* *node becomes a SET, checked when it runs where that is not known; what can never be one is an error. */
gx_status gx_plan_to_set(gx_planner *p, gx_plan **node, const char *what);
/* A call that is an error, as the sentence says, when it is reached */
gx_plan *gx_plan_error(gx_planner *p, u32 at, const char *sentence);
/* What is an error where it is evaluated (gx_xpath_env.late). */
gx_status gx_plan_late(gx_planner *p, u32 at, const char *sentence, gx_plan **out);
/* The same of an expression that cannot be read: b->err says why. env->late must be there. */
gx_status gx_plan_late_failed(gx_planner *p, u32 at, gx_plan **out);
/* The URI that a prefix stands for. If it is not declared, *late is the error that this is where it is reached, else
 * NULL. */
gx_status gx_plan_uri(gx_planner *p, const char *prefix, u32 at, const char **uri, gx_plan **late);
/* A call of a function. */
gx_status gx_plan_call(gx_planner *p, const char *prefix, const char *local, u32 at, gx_plans args, gx_plan **out);
/* A call of a function of ours with arguments as they stand on the stack, of as many kids */
gx_plan *gx_plan_func(gx_planner *p, u32 func, u32 type, u32 at, gx_plans args);
/* node as a string where that is not its value's string: str:replace of strings (no tree is made for it),
 * date:leap-year ("NaN", which no boolean is). Else NULL. */
gx_plan *gx_plan_string_of_call(gx_planner *p, gx_plan *node);

/* ---- tree patterns (twig.c) ---- */

typedef struct gx_twig_shape {
    const gx_plan *base;        /* whose nodes it begins at */
    u32 n, answer;
    u32 n_preds;                /* of the path's last step that belong to it: the others are a filter behind it */
    gx_twig_node nodes[GX_TWIG_NODES];
} gx_twig_shape;
/* The tree pattern that the path n ends with, which begins at `stop` if it gets there. 0: it does with none. */
int gx_plan_twig(const gx_plan *n, const gx_plan *stop, gx_twig_shape *shape);

/* gx:twig(path) as a path of XPath's meaning (distinct.c) */
gx_status gx_plan_distinct(gx_planner *p, const gx_syntax *path, gx_syntax **out);

/* ---- code (lower.c) ---- */

/* Appends the code of a plan, converted to `want`, to the builder. The planner's text is its source, for messages and
 * --explain. */
gx_status gx_plan_emit(gx_planner *p, gx_plan *node, u32 want, u32 *expr);

#endif
