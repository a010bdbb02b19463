/* SPDX-License-Identifier: Apache-2.0 */
/*
 * formula.h -- what profiles say of an element, as one graph in which equal formulas are one
 *
 *   //a[@k = 'v']/b[not(c)]//d
 *
 *   EDGE(root, below, AND(k = 'v', EDGE(a, child, AND(EDGE(b, below, d), NOT EDGE(b, child, c)))))
 *
 *   LABEL test             the element passes the name test
 *   ATOM value             an attribute, the string-value or a text node of it compares as value.h says
 *   EDGE test axis f       it passes the test, and f holds for one of its children, descendants, or itself and those
 *   AND, OR                of two formulas or more; operands of AND may be negated
 *
 * All of it looks downwards. A path's last step is therefore innermost, and what profiles have in common at their ends,
 * the branches too, is shared. Names, values and formulas are interned: equal means the same number.
 *
 * A reference is a formula's number << 1 | negated; GXP_TRUE and GXP_FALSE stand for the constants. A formula's rank is
 * above its operands'. A value that is compared starts at GXP_RANK_VALUE, so that an AND is triggered by that rather
 * than by a name (set.c).
 */
#ifndef GXP_FORMULA_H
#define GXP_FORMULA_H

#include "document/buf.h"
#include "value.h"
#include "words.h"
#include "xpath/xpath.h"

enum { GXP_LABEL, GXP_ATOM, GXP_EDGE, GXP_AND, GXP_OR };
enum { GXP_RANK_VALUE = 3 };

#define GXP_TRUE 0xfffffffeu
#define GXP_FALSE 0xffffffffu

typedef struct gxp_formula {
    u8 kind, axis;
    u16 rank;
    u32 test;       /* LABEL, EDGE */
    u32 a;          /* ATOM: its number; EDGE: a formula; AND, OR: the first of n in args */
    u32 n;
} gxp_formula;

enum { GXP_NAME, GXP_NS, GXP_ATTR, GXP_OTHER };
typedef struct gxp_test {
    u32 kind;
    u32 uri, uri_len, local, local_len;     /* slices of strs */
    u32 group;      /* values compared: of the attribute, or the string-value of the element; GX_NONE */
} gxp_test;

typedef struct gxp_formulas {
    gx_buf formulas, args, tests, strs;
    gxp_values values;
    gx_buf formula_index, test_index;       /* hash tables of numbers + 1 */
    u32 no_memory;
    u32 odd;        /* something was met that only the planner knows */
} gxp_formulas;

void gxp_formulas_begin(gxp_formulas *f);
void gxp_formulas_free(gxp_formulas *f);
/* The formula at the root that holds wherever the expression is true. *loose: perhaps elsewhere, too. */
u32 gxp_formula_of(gxp_formulas *f, const gx_xparse *parse, const gx_syntax *s, int *loose);

static inline gxp_formula *gxp_formula_at(const gxp_formulas *f, u32 i)
{
    return GX_BUF_AT(&f->formulas, gxp_formula) + i;
}

static inline gxp_test *gxp_test_at(const gxp_formulas *f, u32 i) { return GX_BUF_AT(&f->tests, gxp_test) + i; }

#endif
