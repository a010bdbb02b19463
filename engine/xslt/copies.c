/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copies.c -- templates that only copy their node and go on below it
 *
 * The identity template in any of its usual forms. Its body is xsl:copy, and in it, in this order:
 *
 *   attributes   xsl:apply-templates or xsl:copy-of, select="@*"
 *   children     xsl:apply-templates for child::node(), or for all kinds of children:
 *                "*|text()|comment()|processing-instruction()"
 *
 * or one xsl:apply-templates for both ("@*|node()"); without parameters and sorting, and in one mode. A template that
 * is nothing but <xsl:copy/> copies attributes, text, comments and processing instructions. machine/copies.h uses this.
 */
#include "plan/rules.h"
#include "sheet.h"

enum { ATTRIBUTES = 1, ELEMENTS = 2, TEXTS = 4, COMMENTS = 8, PIS = 16, CHILDREN = ELEMENTS | TEXTS | COMMENTS | PIS };

/* What of a node's attributes and children a step from it selects */
static u32 selected_by(const gx_op *step)
{
    if (step->op != GX_X_STEP || (step->a & ~(u32)GX_STEP_SORTED) >> 8)
        return 0;
    const u32 axis = GX_STEP_AXIS(step->a), test = GX_STEP_TEST(step->a);
    if (axis == GX_AXIS_ATTRIBUTE)
        return test == GX_TEST_ANY || test == GX_TEST_NODE ? ATTRIBUTES : 0;
    if (axis != GX_AXIS_CHILD)
        return 0;
    return test == GX_TEST_NODE ? CHILDREN : test == GX_TEST_ANY ? ELEMENTS : test == GX_TEST_TEXT ? TEXTS
        : test == GX_TEST_COMMENT ? COMMENTS : test == GX_TEST_PI ? PIS : 0;
}

/* ... and an expression that is a union of such steps; 0: it is something else. GX_NONE: the default of
 * xsl:apply-templates */
static u32 selected(const gx_builder *b, u32 expr)
{
    if (expr == GX_NONE)
        return CHILDREN;
    const gx_expr *x = GX_VEC_AT(&b->exprs, gx_expr, expr);
    u32 all = 0;
    for (u32 i = 0; i < x->n; i++) {
        const gx_op *op = GX_VEC_AT(&b->ops, gx_op, x->first + i);
        if (op->op == GX_X_UNION)
            continue;
        const u32 some = op->op == GX_X_CONTEXT && i + 1 < x->n ? selected_by(op + 1) : 0;
        if (!some)
            return 0;
        all |= some;
        i++;
    }
    return all;
}

/* gx_rule.copies of a template with this body: is it an identity template, xsl:copy with nothing in it but the
 * attributes (by copy-of or templates of one mode) and then the children (by templates of that mode, unsorted, without
 * parameters)? The mode, with a bit where templates are asked about attributes; GX_COPIES_LEAF for xsl:copy alone.
 * Anything else is GX_COPIES_NOT. O(instructions of the body). */
static u32 copies_of(const gx_builder *b, const gx_body *body)
{
    const gx_instr *first = body->n > 1 ? GX_VEC_AT(&b->instrs, gx_instr, body->first) : NULL;
    u32 done = 0, mode = GX_NONE, attrs = 0;
    if (!first || first->op != GX_I_COPY || first->c != body->first + body->n - 1)
        return GX_COPIES_NOT;
    for (const gx_instr *in = first + 1; in < first + body->n - 1; in++) {
        const u32 what = selected(b, in->expr);
        if (in->op == GX_I_COPY_OF) {
            if (what != ATTRIBUTES || done)
                return GX_COPIES_NOT;
        } else {
            if (in->op != GX_I_APPLY || in->c || in->e || (mode != GX_NONE && mode != in->a))
                return GX_COPIES_NOT;
            const u32 children = what & CHILDREN;
            if (!what || what & done || (what & ATTRIBUTES && done) || (children && children != CHILDREN))
                return GX_COPIES_NOT;
            mode = in->a;
            attrs |= what & ATTRIBUTES ? GX_COPIES_ATTRS : 0;
        }
        done |= what;
    }
    if (!done)
        return GX_COPIES_LEAF;
    return done == (ATTRIBUTES | CHILDREN) ? 2 * (mode + 1) | attrs : GX_COPIES_NOT;
}

void gx_sheet_find_copies(gx_sheet *s)
{
    gx_builder *b = s->b;
    if (gx_rule_in(&b->rules_off, GX_RULE_COPIES))
        return;
    for (u32 i = 0; i < b->rules.n; i++) {
        gx_rule *rule = GX_VEC_AT(&b->rules, gx_rule, i);
        rule->copies = copies_of(b, GX_VEC_AT(&b->bodies, gx_body, rule->body));
        if (rule->copies)
            b->flags |= GX_P_COPIES;
    }
}
