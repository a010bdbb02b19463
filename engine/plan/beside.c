/*
 * beside.c -- what is counted, added or compared of what is before or behind a node, siblings or all
 *
 *   sum(preceding-sibling::row/@v)              ->     sum(beside( ../row/@v, ., preceding-sibling ))
 *   count(preceding-sibling::row[@v > 50])      ->     count(beside( ../row[@v > 50], ., preceding-sibling ))
 *   @v > preceding-sibling::row/@v              ->     the same: running totals, numbers and records
 *   not(@v > following::row/@v)                 ->     not(@v > beside( //row/@v, ., following ))
 *
 * As they stand each row makes a list of its own, rows x siblings in all. But the first argument depends on the parent alone, so the siblings share
 * it (SIBLINGS), and in document order what belongs to those before a node stands before the node, and what belongs to those behind it behind all that
 * is below it: a row's nodes are a part of that set, found by halving, and stay where they are. Who goes through them goes on from the row before
 * (gx_sum, gx_to_extremes). Of all that is before or behind only nodes and their attributes: children of theirs may stand behind, of one that is around it.
 *
 * Only for who wants no more than a number: a set that is walked is as long as it is, and a first node is found without the others.
 */
#include "xpath/xpath.h"

static int is_sibling(const gx_xnode *step)
{
    return GX_STEP_AXIS(step->a) == GX_AXIS_PRECEDING_SIBLING || GX_STEP_AXIS(step->a) == GX_AXIS_FOLLOWING_SIBLING;
}

/* What those that are beside it share */
static gx_xnode *of_all(gx_xparse *p, const gx_xnode *step, const gx_xnode *near)
{
    if (step != near)
        return gx_xnode_step(p, of_all(p, step->kids, near), GX_STEP_AXIS(step->a), GX_STEP_TEST(step->a), step->b, step->preds, step->at);
    if (!is_sibling(near))
        return gx_xnode_step(p, gx_xnode_root(p, near->at), GX_AXIS_DESCENDANT, GX_STEP_TEST(near->a), near->b, near->preds, near->at);
    gx_xnode *parent = gx_xnode_step(p, gx_xnode_context(p, near->at), GX_AXIS_PARENT, GX_TEST_NODE, 0, NULL, near->at);
    return gx_xnode_step(p, parent, GX_AXIS_CHILD, GX_STEP_TEST(near->a), near->b, near->preds, near->at);
}

gx_xnode *gx_xnode_beside(gx_xparse *p, gx_xnode *set)
{
    const gx_xnode *near = set;
    u32 axis;
    if (set->op != GX_X_STEP || set->deps & ~(GX_DEP_CONTEXT | GX_DEP_TREE) || set->calls || set->hosted || set->fails)
        return set;
    for (; near->kids->op != GX_X_CONTEXT; near = near->kids) {
        axis = GX_STEP_AXIS(near->a);
        if (near->kids->op != GX_X_STEP || (axis != GX_AXIS_CHILD && axis != GX_AXIS_ATTRIBUTE && axis != GX_AXIS_SELF && axis != GX_AXIS_DESCENDANT
                                            && axis != GX_AXIS_DESCENDANT_OR_SELF))
            return set;
    }
    axis = GX_STEP_AXIS(near->a);
    if (!is_sibling(near) && ((axis != GX_AXIS_PRECEDING && axis != GX_AXIS_FOLLOWING)
                              || (set != near && (set->kids != near || GX_STEP_AXIS(set->a) != GX_AXIS_ATTRIBUTE))))
        return set;
    for (const gx_xnode *pred = near->preds; pred; pred = pred->next)
        if (gx_xnode_is_positional(pred))
            return set;

    gx_xnode *call = gx_xnode_make(p, GX_X_FUNC, GX_T_SET, set->at);
    call->a = GX_F_BESIDE;
    call->b = 3;
    gx_xnode_adopt(call, of_all(p, set, near));
    gx_xnode_adopt(call, gx_xnode_context(p, set->at));
    gx_xnode_adopt(call, gx_xnode_num(p, axis, set->at));
    call->heavy = 1;
    call->set = set->set & GX_XS_FLAT;
    call->wide = GX_XW_WIDE;
    return call;
}
