/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.h -- which of many profiles (XPath expressions) does a document match?
 *
 *   profiles --gxp_compile--> gxp_set (shared, read only) --\
 *                                                            gxp_match --> a bit for each profile
 *   gx_doc --------------------------------------------------/
 *
 * A profile matches when boolean() of its expression is true with the root as context node. The answer is the one that
 * evaluating each profile by itself gives.
 *
 * All profiles become one graph of formulas about an element (formula.h). Equal formulas are one, whichever profile
 * they come from. A document becomes classes of elements that no formula can tell apart (classes.h). A formula's value
 * is an extent, the set of classes that it holds for. Extents are made from the leaves upwards, and only those that are
 * not empty (run.c): what the document lacks is never looked at. Equal extents are one, and what is made of two of them
 * is made once (extent.h).
 *
 * What the graph cannot say (positions, other axes, most functions) is left out of the formula, which then holds
 * wherever the expression does and perhaps elsewhere. Where it holds, the planner's program for the profile decides.
 *
 * A formula that one profile alone needs is no part of the graph but of that profile's code, which is run if all shared
 * formulas hold that it needs (code.h).
 *
 * Cost of a document: one pass over its nodes, and for each formula that holds somewhere, and each whose first operand
 * does, some words of bits. Errors: GX_ENOMEM; GX_ELIMIT with the limit's name: `arena` for the bits, `steps`
 * for all of a document, programs included; GX_ETIME.
 */
#ifndef GXP_MATCH_H
#define GXP_MATCH_H

#include "gx.h"

typedef struct gxp_profile {
    const char *id, *text;
    const char *file;           /* where it stands, for messages */
    u32 line, column;           /* of the text's first character; 0 = unknown */
    const gx_param *namespaces; /* prefix, uri */
    int n_namespaces;
} gxp_profile;

typedef struct gxp_set gxp_set;

typedef struct gxp_counts {
    u32 profiles;               /* in the set */
    u32 bad;                    /* left out, each with a call of `wrong` */
    u32 exact;                  /* of the profiles: those that the planner's program decides */
    u32 formulas;               /* distinct */
    u64 bytes;                  /* of memory; of it for those programs: */
    u64 exact_bytes;
} gxp_counts;

/* A set of these profiles, in this order, which are not needed any longer afterwards. wrong: is told of each that is no
 * expression, with its place; the others count. */
gx_status gxp_compile(const gxp_profile *profiles, u32 n, void (*wrong)(void *ctx, u32 profile, const gx_error *what),
                      void *ctx, gxp_set **out, gx_error *err);
void gxp_set_free(gxp_set *set);
void gxp_set_counts(const gxp_set *set, gxp_counts *out);
/* The id of the i-th profile of the set */
const char *gxp_id(const gxp_set *set, u32 i);
/* The number of the profile with this id, GX_NONE: there is none */
u32 gxp_find(const gxp_set *set, const char *id);

/* What one thread keeps from document to document */
typedef struct gxp_matcher gxp_matcher;
gx_status gxp_matcher_create(const gxp_set *set, gxp_matcher **out, gx_error *err);
void gxp_matcher_free(gxp_matcher *m);
u64 gxp_matcher_bytes(const gxp_matcher *m);    /* of memory that it has, more or less */
/* The documents that follow end then, with GX_ETIME; by CLOCK_MONOTONIC, 0 = never */
void gxp_matcher_deadline(gxp_matcher *m, u64 deadline_us);
/* The numbers of the profiles that doc matches, ascending: *n in *ids, until the next call. limits: NULL = defaults. A
 * profile whose evaluation ends with an error does not match; warning, if not NULL, is told. */
gx_status gxp_match(gxp_matcher *m, const gx_doc *doc, const gx_limits *limits,
                    void (*warning)(void *ctx, const gx_error *what), void *ctx, const u32 **ids, u32 *n,
                    gx_error *err);
/* What the last document cost */
typedef struct gxp_cost {
    u32 classes, elements;      /* of the document */
    u32 held;                   /* formulas that held somewhere */
    u32 tried;                  /* formulas looked at, those too */
    u32 exact;                  /* programs run */
    u64 steps, bytes;           /* as the limit counts them; of memory for where formulas hold */
} gxp_cost;
void gxp_match_cost(const gxp_matcher *m, gxp_cost *out);
/* The formula of the i-th profile, and which of its operands held in the last document, as text for people. */
void gxp_explain(gxp_matcher *m, u32 profile, gx_sink sink, void *ctx);

#endif
