/*
 * xpath_join.c -- a search by value becomes a look-up
 *
 *   //person[@id = current()/@ref]/name      ->      key('(join)', current()/@ref)/name
 *   with  <xsl:key name="(join)" match="//person" use="@id"/>
 *
 * As it stands the search compares every person for every row: rows x persons, in time and, set at a time, in memory too. The
 * right side of "=" here does not depend on the person, and the set that is searched does not depend on the row: that is what
 * key() is, with "=" of a node-set or string against a node-set or string (XPath 3.4: some pair of equal strings).
 *
 * Not done where the other side is constant for the run (one search is as cheap as the index), where a number or a value of
 * unknown type would compare otherwise, where a predicate counts positions, and within keys and patterns.
 *
 * Equal joins share a key. Cost of the index: once a run and document, one pass over the nodes searched.
 */
#include <string.h>
#include "xpath.h"

#define MAX_STEPS 16u

/* The steps from the root to `node` as a pattern's, the last first; 0 = they are not all plain names or *. */
static u32 pattern_of(const gx_xnode *node, gx_pstep *steps)
{
    u32 n = 0;
    for (const gx_xnode *s = node; s->op != GX_X_ROOT; s = s->kids) {
        u32 axis, test;
        if (s->op != GX_X_STEP || n == MAX_STEPS || (n && s->preds))
            return 0;
        axis = GX_STEP_AXIS(s->a);
        test = GX_STEP_TEST(s->a);
        if ((axis != GX_AXIS_CHILD && axis != GX_AXIS_DESCENDANT) || !(test == GX_TEST_NAME || (n && test == GX_TEST_ANY)))
            return 0;
        int first = s->kids->op == GX_X_ROOT, child = axis == GX_AXIS_CHILD;
        u32 up = first ? (child ? GX_UP_ROOT : GX_UP_ROOT_DESC) : child ? GX_UP_PARENT : GX_UP_ANCESTOR;
        steps[n++] = (gx_pstep){ GX_AXIS_CHILD, (u8)test, (u8)up, 0, s->b, GX_NONE, GX_NONE };
    }
    return n;
}

static int is_text(const gx_xnode *n) { return n->type == GX_T_SET || n->type == GX_T_STR; }

/* "use = value" in either order: use depends on the candidate alone, value on the frame alone. */
static int is_join(const gx_xnode *pred, gx_xnode **use, gx_xnode **value)
{
    if (pred->op != GX_X_EQ)
        return 0;
    gx_xnode *left = pred->kids, *right = left->next;
    int swapped = left->deps != GX_DEP_CONTEXT;
    *use = swapped ? right : left;
    *value = swapped ? left : right;
    return (*use)->deps == GX_DEP_CONTEXT && is_text(*use) && (*value)->deps
        && !((*value)->deps & ~(GX_DEP_LOCAL | GX_DEP_CURRENT)) && (is_text(*value) || (*value)->type == GX_T_RTF);
}

/* Is this key the one with these steps and that code? */
static int is_same(gx_builder *b, const gx_key *key, const gx_pstep *steps, u32 n_steps, const gx_expr *use)
{
    const gx_pattern *pattern = GX_VEC_AT(&b->patterns, gx_pattern, key->pattern);
    const gx_expr *other = GX_VEC_AT(&b->exprs, gx_expr, key->use);
    return pattern->n == n_steps && other->n == use->n
        && !memcmp(GX_VEC_AT(&b->psteps, gx_pstep, pattern->first), steps, n_steps * sizeof *steps)
        && !memcmp(GX_VEC_AT(&b->ops, gx_op, other->first), GX_VEC_AT(&b->ops, gx_op, use->first), use->n * sizeof(gx_op));
}

/* The number of the key with these steps and this value, made if there is none; GX_NONE if it cannot be. */
static u32 join_key(gx_xparse *p, const gx_pstep *steps, u32 n_steps, gx_xnode *use)
{
    gx_builder *b = p->env->b;
    gx_key key = { b->key_names.n, b->patterns.n, 0, gx_builder_where(b, p->env->file, p->env->line, p->env->column) };
    u32 name = gx_builder_qname(b, "", "(join)", ""), ops = b->ops.n;
    if (gx_xnode_emit(p, use, GX_T_ANY, &key.use))
        return GX_NONE;
    for (u32 i = 0; i < b->keys.n; i++) {
        const gx_key *known = GX_VEC_AT(&b->keys, gx_key, i);
        if (*GX_VEC_AT(&b->key_names, u32, known->name) == name
            && is_same(b, known, steps, n_steps, GX_VEC_AT(&b->exprs, gx_expr, key.use))) {
            b->exprs.n--;               /* nobody knows of the code just made */
            b->ops.n = ops;
            return known->name;
        }
    }
    gx_pattern pattern = { b->psteps.n, n_steps, GX_NONE, 0, key.where };
    for (u32 i = 0; i < n_steps; i++)
        gx_builder_push(b, &b->psteps, &steps[i]);
    gx_builder_push(b, &b->patterns, &pattern);
    gx_builder_push(b, &b->keys, &key);
    return gx_builder_push(b, &b->key_names, &name);
}

gx_xnode *gx_xnode_join(gx_xparse *p, gx_xnode *step)
{
    const gx_xpath_env *env = p->env;
    gx_pstep steps[MAX_STEPS];
    gx_xnode *use = NULL, *value = NULL, *found = NULL;
    if (!env->key || !env->variable || env->no_variables || env->no_key || env->no_current)
        return step;
    for (gx_xnode *pred = step->preds; pred; pred = pred->next) {
        if (gx_xnode_is_positional(pred) || pred->calls)        /* a key would call for nodes that are not asked for */
            return step;
        if (!found && is_join(pred, &use, &value))
            found = pred;
    }
    u32 n_steps = found ? pattern_of(step, steps) : 0;
    u32 number = n_steps ? join_key(p, steps, n_steps, use) : GX_NONE;
    if (number == GX_NONE)
        return step;

    gx_xnode *call = gx_xnode_make(p, GX_X_FUNC, GX_T_SET, step->at), rest = { 0 };
    call->a = GX_F_KEY;
    call->b = 2;
    call->heavy = 1;
    call->wide = GX_XW_WIDE;
    call->deps = GX_DEP_TREE;
    call->set = step->set & GX_XS_FLAT;
    gx_xnode_adopt(call, gx_xnode_num(p, number, step->at));
    gx_xnode_adopt(call, value->type == GX_T_RTF ? gx_xnode_convert(p, value, GX_T_STR) : value);
    for (gx_xnode *pred = step->preds, *next; pred; pred = next) {
        next = pred->next;
        if (pred != found)
            gx_xnode_adopt(&rest, pred);
    }
    return gx_xnode_filter(p, call, rest.kids, step->at);
}
