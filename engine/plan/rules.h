/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.h -- inside the planner: what rewrites a plan
 */
#ifndef GX_RULES_H
#define GX_RULES_H

#include "plan.h"

/* The nodes that a rule may look at */
enum {
    GX_ON_STEP = 1,
    GX_ON_FILTER = 2,
    GX_ON_PREDICATE = 4,
    GX_ON_LOGIC = 8 /* and, or */,
    GX_ON_COMPARE = 16,
    GX_ON_ARITHMETIC = 32,
    GX_ON_CALL = 64 /* of a function of ours */,
    GX_ON_CONVERT = 128,
    GX_ON_JOIN = 256,
    GX_ON_UNION = 512,
    GX_ON_CHOICE = 1024,
    GX_ON_VARIABLE = 2048
};

typedef enum gx_rule_stage {
    GX_RULE_REWRITE,        /* tried when a node is made, bottom up */
    GX_RULE_DEMAND,         /* tried on an operand when its consumer says what it needs of it */
    GX_RULE_PLACE           /* no function: lower.c asks whether it may */
} gx_rule_stage;

/* Another node that gives the same values (DEMAND: as far as `demand`, GX_WANT_*, can tell), or NULL: the rule does not
 * apply. n stays as it is. What it returns was made with the constructors, which have applied the rules to it: a rule
 * must get nearer to what it wants. */
typedef gx_plan *gx_rule_apply(gx_planner *p, gx_plan *n, u32 demand);

#define GX_WANT_END (GX_WANT_SOME | GX_WANT_FIRST)

typedef struct gx_rule_def { const char *name; u16 on; u8 stage, demand; gx_rule_apply *apply; } gx_rule_def;

/* Rules that others ask for */
typedef enum gx_rule_id {
    GX_RULE_ONCE,
    GX_RULE_OUTER,
    GX_RULE_SIBLINGS,
    GX_RULE_PARTS,
    GX_RULE_ROUNDS,
    GX_RULE_NODES_FIRST,
    GX_RULE_TRUE,
    GX_RULE_EACH,
    GX_RULE_COPIES,
    GX_RULE_TWIG,
    GX_RULE_DOMAIN,
    GX_RULE_PLACES
} gx_rule_id;
int gx_rule_is_on(const gx_planner *p, gx_rule_id rule);

/* ---- applying them (apply.c) ---- */

/* n as the first rule of stage REWRITE that applies makes it, or n */
gx_plan *gx_rules_rewrite(gx_planner *p, gx_plan *n, u32 on);
/* n for a consumer that needs no more than `demand` of it: another node, perhaps a NUM for GX_WANT_COUNT */
gx_plan *gx_rules_demand(gx_planner *p, gx_plan *n, u32 demand);

/* What a file has at its end: its rules, in the order in which they are tried. rules.c puts the files in order. */
typedef struct gx_rules { const gx_rule_def *at; u32 n; } gx_rules;
#define GX_RULES(list) { list, sizeof list / sizeof *list }
extern const gx_rules gx_rules_truth, gx_rules_variable, gx_rules_solve, gx_rules_apart, gx_rules_count,
    gx_rules_same_node, gx_rules_select_sets, gx_rules_join, gx_rules_select, gx_rules_axis_range, gx_rules_unordered,
    gx_rules_first;

/* A rule of stage PLACE was applied */
void gx_rule_fired(gx_planner *p, u32 rule);

/* What an expression reads of its row (domain.c): GX_DOMAIN_MOST values at most. places: of which the place is meant,
 * not the string, a bit each; of_node: the context node itself may be one */
typedef struct gx_reads { const gx_plan *at[GX_DOMAIN_MOST]; u32 n, places, of_node; } gx_reads;
/* 0: n is not much work, or it reads more than that */
int gx_plan_reads(const gx_plan *n, gx_reads *reads);

/* Does a predicate count no positions, call nothing, and can it be no error? Does each? */
int gx_plan_is_plain(const gx_plan *pred);
int gx_plans_are_plain(gx_plans preds);
/* Is n an access path (a look-up or a join), rather than a walk over a set? */
int gx_plan_is_indexed(const gx_plan *n);
/* The step or filter n with other predicates, and the rules applied */
gx_plan *gx_plan_with(gx_planner *p, const gx_plan *n, gx_plans preds);
/*  x[a or b]   ->   x[a] | x[b]     where both are found, or one is and the other is the same for all rows; or NULL  */
gx_plan *gx_plan_either(gx_planner *p, gx_plan *n);
/* The first (or last) of what an order finds, or of a path from there; NULL: n is no such */
gx_plan *gx_plan_end_of_order(gx_planner *p, const gx_plan *n, int last);
/* What a comparison implies and a look-up or join may find, if it does; *again: the comparison, of which that is not
 * asked again. The ways: of a count, of a sum of squares, of what is put together of node and row */
gx_plan *gx_plan_implied(gx_planner *p, gx_plan *n, gx_plan **again);
gx_plan *gx_plan_implied_by_squares(gx_planner *p, gx_plan *n);
gx_plan *gx_plan_implied_by_parts(gx_planner *p, gx_plan *n);

/* Predicates with "and", and not() of an "or", taken apart, up to the first that counts positions */
gx_plans gx_plans_conjuncts(gx_planner *p, gx_plans preds);

#endif
