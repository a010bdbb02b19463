/*
 * join.c -- a search by value becomes a look-up
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
 * So are searches on the axes of a node that many rows' nodes share, siblings and what is before and behind:
 *
 *   preceding-sibling::row[@k = current()/@k]         ->      those of key('(join)', current()/@k) that are on the node's axis
 *   following-sibling::row[@k = current()/@k][1]      ->      the nearest of those
 *   preceding-sibling::row/@k = @k                    ->      is there a nearest? (grouping without keys; also in patterns)
 *   $table/row[@k = current()/@k]                     ->      the same, by way of the axis child
 *   with  <xsl:key name="(join)" match="row" use="@k"/>
 *
 * Where no key can tell (the set is a variable's, the value a number or of unknown type, the comparison another than "="), the set is one that rows
 * share all the same, and what is compared of its nodes is evaluated once for it (JOIN, machine/join.h):
 *
 *   $all[@id = current()/@ref]           ->      join( $all, current()/@ref: the nodes whose @id = that )
 *   count(//row[@v > current()/@v])      ->      how many join( //row, current()/@v: @v > ) has
 *   //e[@from <= $t and @to > $t]        ->      join( //e, $t, $t: @from <= and @to > )
 *   //e[starts-with(@code, $t)]          ->      join( //e, $t: @code starts-with ), and with "contains", and either turned round
 *
 * Equal joins share a key. Cost of the index: once a run and document, one pass over the nodes searched; for a few nodes' axes it is not made
 * where these have no more (gx_near_scan).
 */
#include <string.h>
#include "xpath/xpath.h"

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

/* A predicate that is "use op value" (in either order, op for this one), or that and something else: use depends on the candidate alone, value on the
 * frame alone. */
typedef struct join { gx_xnode *pred, *use, *value, *other /* NULL: nothing */; u32 op /* as JOIN_END's a */; } join;

static int is_search(u32 op) { return op > GX_X_GE; }

static int is_value(const gx_xnode *n) { return is_text(n) || n->type == GX_T_RTF; }

u32 gx_xop_turned(u32 op)
{
    return op == GX_X_LT ? GX_X_GT : op == GX_X_LE ? GX_X_GE : op == GX_X_GT ? GX_X_LT : op == GX_X_GE ? GX_X_LE : op;
}

/* key: only what a look-up by key finds, too */
static int is_join(gx_xnode *pred, int key, join *j)
{
    j->pred = pred;
    j->other = NULL;
    if (pred->op == GX_X_AND) {
        gx_xnode *left = pred->kids, *right = left->next;
        join first, second;             /* the second only where nothing keeps it from being an error (XPath 3.4) */
        const int one = is_join(left, key, &first) && !first.other;
        const int two = (!one || is_search(first.op)) && !right->calls && !right->hosted && !right->fails && is_join(right, key, &second)
            && !second.other && (!one || !is_search(second.op));
        if (!one && !two)
            return 0;
        *j = two ? second : first;
        j->pred = pred;
        j->other = two ? left : right;
        return 1;
    }
    const int search = pred->op == GX_X_FUNC && (pred->a == GX_F_STARTS_WITH || pred->a == GX_F_CONTAINS);
    if (search ? key : pred->op < GX_X_EQ || pred->op > GX_X_GE || pred->op == GX_X_NE || (key && pred->op != GX_X_EQ))
        return 0;
    gx_xnode *left = pred->kids, *right = left->next;
    int swapped = left->deps != GX_DEP_CONTEXT;
    j->use = swapped ? right : left;
    j->value = swapped ? left : right;
    j->op = search ? (pred->a == GX_F_CONTAINS ? GX_JOIN_CONTAINS : GX_JOIN_STARTS) | (swapped ? GX_JOIN_TURNED : 0)
        : swapped ? gx_xop_turned(pred->op) : pred->op;
    if (j->use->deps != GX_DEP_CONTEXT || j->value->deps & ~(GX_DEP_LOCAL | GX_DEP_CURRENT))
        return 0;
    return key ? is_text(j->use) && is_value(j->value)
        : j->use->type != GX_T_BOOL && j->value->type != GX_T_BOOL && !j->use->wide && !j->use->hosted && !j->use->fails;
}

/* What tells a key from others, as bytes: the steps that it is for, and the code of its value */
static char *join_content(gx_builder *b, u32 siblings, const gx_pstep *steps, u32 n_steps, const gx_expr *use, size_t *n)
{
    const size_t n_of_steps = n_steps * sizeof *steps, n_of_use = use->n * sizeof(gx_op);
    const u32 head[2] = { siblings, n_steps };
    char *content = apr_palloc(b->pool, *n = sizeof head + n_of_steps + n_of_use);
    memcpy(content, head, sizeof head);
    memcpy(content + sizeof head, steps, n_of_steps);
    memcpy(content + sizeof head + n_of_steps, GX_VEC_AT(&b->ops, gx_op, use->first), n_of_use);
    return content;
}

/* The number of the key with these steps and this value, made if there is none; GX_NONE if it cannot be. */
static u32 join_key(gx_xparse *p, u32 siblings, const gx_pstep *steps, u32 n_steps, gx_xnode *use)
{
    gx_builder *b = p->env->b;
    gx_key key = { b->key_names.n, b->patterns.n, 0, gx_builder_where(b, p->env->file, p->env->line, p->env->column), siblings };
    u32 name = gx_builder_qname(b, "", "(join)", ""), ops = b->ops.n;
    size_t n;
    if (gx_xnode_emit(p, use, GX_T_ANY, &key.use))
        return GX_NONE;
    const char *content = join_content(b, siblings, steps, n_steps, GX_VEC_AT(&b->exprs, gx_expr, key.use), &n);
    const void *known = apr_hash_get(b->join_index, content, (apr_ssize_t)n);
    if (known) {
        b->exprs.n--;                   /* nobody knows of the code just made */
        b->ops.n = ops;
        return (u32)(uintptr_t)known - 1;
    }
    apr_hash_set(b->join_index, content, (apr_ssize_t)n, (void *)((uintptr_t)key.name + 1));
    gx_pattern pattern = { b->psteps.n, n_steps, GX_NONE, 0, key.where };
    for (u32 i = 0; i < n_steps; i++)
        gx_builder_push(b, &b->psteps, &steps[i]);
    gx_builder_push(b, &b->patterns, &pattern);
    gx_builder_push(b, &b->keys, &key);
    return gx_builder_push(b, &b->key_names, &name);
}

static gx_xnode *look_up(gx_xparse *p, u32 number, gx_xnode *value, u32 at)
{
    gx_xnode *call = gx_xnode_make(p, GX_X_FUNC, GX_T_SET, at);
    call->a = GX_F_KEY;
    call->b = 2;
    call->heavy = 1;
    call->wide = GX_XW_WIDE;
    gx_xnode_adopt(call, gx_xnode_num(p, number, at));
    gx_xnode_adopt(call, value->type == GX_T_RTF ? gx_xnode_convert(p, value, GX_T_STR) : value);
    return call;
}

/* A table in another document or in a variable: document('t')/table, $t/table. These are few nodes, or their children would be too many. */
static int is_table(const gx_xnode *n)
{
    while (n->op == GX_X_STEP && GX_STEP_AXIS(n->a) == GX_AXIS_CHILD && !n->preds)
        n = n->kids;
    return n->type == GX_T_SET
        && (n->op == GX_X_VAR || n->op == GX_X_GLOBAL || (n->op == GX_X_FUNC && (n->a == GX_F_DOCUMENT || n->a == GX_F_NODE_SET)));
}

/* Is it a step to elements that other rows' steps lead to as well? */
static int is_near(const gx_xnode *step)
{
    const u32 axis = GX_STEP_AXIS(step->a), test = GX_STEP_TEST(step->a);
    if (step->op != GX_X_STEP || (test != GX_TEST_NAME && test != GX_TEST_ANY))
        return 0;
    if ((axis == GX_AXIS_CHILD || axis == GX_AXIS_DESCENDANT) && is_table(step->kids))
        return 1;
    return (step->wide & GX_XW_WIDE || gx_xnode_in_rounds(step)) && step->kids->set & GX_XS_SINGLE && step->kids->deps & ~GX_DEP_TREE
        && (axis == GX_AXIS_CHILD || axis == GX_AXIS_DESCENDANT || axis == GX_AXIS_FOLLOWING || axis == GX_AXIS_FOLLOWING_SIBLING
            || axis == GX_AXIS_PRECEDING || axis == GX_AXIS_PRECEDING_SIBLING);
}

/* Those that a near step leads to, without its predicates, where use = value; NULL: they cannot be looked up. */
static gx_xnode *look_near(gx_xparse *p, const gx_xnode *step, gx_xnode *use, gx_xnode *value)
{
    const gx_pstep name = { GX_AXIS_CHILD, (u8)GX_STEP_TEST(step->a), GX_UP_END, 0, step->b, GX_NONE, GX_NONE };
    const u32 axis = GX_STEP_AXIS(step->a);
    const u32 number = join_key(p, axis == GX_AXIS_CHILD || axis == GX_AXIS_FOLLOWING_SIBLING || axis == GX_AXIS_PRECEDING_SIBLING, &name, 1, use);
    if (number == GX_NONE)
        return NULL;
    gx_xnode *call = look_up(p, number, value, step->at);
    call->a = GX_F_KEY_NEAR;
    call->b = 4;
    call->set = step->set & GX_XS_FLAT;
    gx_xnode_adopt(call, step->kids);
    gx_xnode_adopt(call, gx_xnode_num(p, axis, step->at));
    return call;
}

gx_xnode *gx_xnode_nearest(gx_xnode *node, int any)
{
    if (node->op == GX_X_FUNC && node->a == GX_F_KEY_NEAR && (any || !GX_AXIS_IS_REVERSE((u32)node->last->num))) {
        node->a = GX_F_KEY_NEAREST;
        node->set = GX_XS_SINGLE | GX_XS_FLAT;
        node->wide = 0;
    }
    return node;
}

/* Does the expression give the same set for many rows: a variable, what depends on the tree only, or on the parent? */
static int is_common(const gx_xnode *n)
{
    if (n->op == GX_X_TO_SET)
        n = n->kids;
    return n->op == GX_X_VAR || !(n->deps & ~GX_DEP_TREE) || gx_xnode_of_parent(n);
}

/* Takes the first that orders, and nothing else, out of the list of predicates: *second. 0: there is none */
static int take_second(gx_xnode *list, join *second)
{
    gx_xnode rest = { 0 };
    int taken = 0;
    for (gx_xnode *pred = list->kids, *next; pred; pred = next) {
        next = pred->next;
        if (!taken && is_join(pred, 0, second) && !second->other && second->op != GX_X_EQ && !is_search(second->op))
            taken = 1;
        else
            gx_xnode_adopt(&rest, pred);
    }
    list->kids = rest.kids;
    return taken;
}

gx_xnode *gx_xnode_choose(gx_xparse *p, gx_xnode *set, gx_xnode *preds, u32 at)
{
    join second, j, found = { NULL, NULL, NULL, NULL, 0 };
    gx_xnode rest = { 0 };
    if (!is_common(set) || set->calls || set->hosted)
        return NULL;
    for (gx_xnode *pred = preds; pred; pred = pred->next) {
        if (pred->calls || pred->hosted)
            return NULL;
        if (gx_xnode_is_positional(pred))
            break;
        if (is_join(pred, 0, &j) && (!found.pred || (j.op == GX_X_EQ && found.op != GX_X_EQ) || is_search(found.op) > is_search(j.op)) && (j.value->deps || set->deps & GX_DEP_LOCAL))
            found = j;
    }
    if (!found.pred)
        return NULL;
    for (gx_xnode *pred = preds, *next; pred; pred = next) {
        next = pred->next;
        if (pred != found.pred)
            gx_xnode_adopt(&rest, pred);
        else if (found.other)
            gx_xnode_adopt(&rest, found.other);
    }
    gx_xnode *node = gx_xnode_make(p, GX_X_JOIN, GX_T_SET, at);
    node->a = (u16)found.op;
    node->heavy = 1;
    gx_xnode_adopt(node, set);
    gx_xnode_adopt(node, found.value);
    node->preds = found.use;
    found.use->next = NULL;
    if (found.op != GX_X_EQ && !is_search(found.op) && take_second(&rest, &second)) {
        node->a |= (u16)(second.op << 8);
        gx_xnode_adopt(node, second.value);
        found.use->next = second.use;
        second.use->next = NULL;
        if (second.use->depth >= node->depth)
            node->depth = second.use->depth + 1;
    }
    if (found.use->depth >= node->depth)
        node->depth = found.use->depth + 1;
    node->set = set->set;
    node->wide = GX_XW_WIDE | GX_XW_FILTERED;
    return gx_xnode_filter(p, node, rest.kids, at);
}

gx_xnode *gx_xnode_count_join(gx_xnode *join)
{
    join->type = GX_T_NUM;
    join->set = join->wide = 0;
    return join;
}

/* The step as a JOIN of the same one without predicates, else the step itself */
static gx_xnode *choose_step(gx_xparse *p, gx_xnode *step)
{
    gx_xnode *preds = step->preds, *chosen;
    for (const gx_xnode *pred = preds; pred; pred = pred->next)
        if (gx_xnode_is_positional(pred))
            return step;                /* they count what each of several nodes has */
    gx_xnode *set = gx_xnode_step(p, step->kids, GX_STEP_AXIS(step->a), GX_STEP_TEST(step->a), step->b, NULL, step->at);
    chosen = gx_xnode_choose(p, set, preds, step->at);
    return chosen ? chosen : step;
}

static gx_xnode *join_key_of(gx_xparse *p, gx_xnode *step)
{
    const gx_xpath_env *env = p->env;
    gx_pstep steps[MAX_STEPS];
    gx_xnode *call, rest = { 0 }, *ordered = step->preds;       /* the first predicate that counts positions, or might */
    join j, found = { NULL, NULL, NULL, NULL, 0 };
    int others = 0, calls = 0;
    if (!env->key || !env->variable)
        return step;
    for (; ordered && !gx_xnode_is_positional(ordered); ordered = ordered->next) {
        calls |= ordered->calls;        /* a key would call for nodes that are not asked for */
        if (!found.pred && is_join(ordered, 1, &j))
            found = j;
        else
            others = 1;
    }
    if (!found.pred || calls)
        return step;
    const int near = is_near(step), reverse = GX_AXIS_IS_REVERSE(GX_STEP_AXIS(step->a));
    const int single = step->kids->set & GX_XS_SINGLE;
    const int nearest = near && single && ordered && ordered->op == GX_X_NTH && ordered->b == 1 && !others && !found.other;
    if (near) {
        if ((ordered && !nearest && (reverse || !single)) || found.use->hosted || (!found.value->deps && !(step->kids->deps & ~GX_DEP_TREE))
            || !(call = look_near(p, step, found.use, found.value)))
            return step;                /* positions from the end, or of each of several nodes' own; or one search for all rows */
        if (nearest)
            gx_xnode_nearest(call, 1);
    } else {
        const u32 n_steps = !ordered && !env->no_current && found.value->deps ? pattern_of(step, steps) : 0;
        const u32 number = n_steps ? join_key(p, 0, steps, n_steps, found.use) : GX_NONE;
        if (number == GX_NONE)
            return step;
        call = look_up(p, number, found.value, step->at);
        call->deps |= GX_DEP_TREE;
        call->set = step->set & GX_XS_FLAT;
    }
    for (gx_xnode *pred = step->preds, *next; pred; pred = next) {
        next = pred->next;
        if (pred != found.pred && !(nearest && pred == ordered))
            gx_xnode_adopt(&rest, pred);
        else if (pred == found.pred && found.other)
            gx_xnode_adopt(&rest, found.other);
    }
    return gx_xnode_filter(p, call, rest.kids, step->at);
}

gx_xnode *gx_xnode_join(gx_xparse *p, gx_xnode *step)
{
    gx_xnode *join = join_key_of(p, step);
    return join == step ? choose_step(p, step) : join;
}

/* The near step that a path begins with, and goes on from to what belongs to each node alone; *from: the step behind it. NULL: none */
static gx_xnode *near_part(gx_xnode *path, gx_xnode **from)
{
    *from = NULL;
    for (gx_xnode *s = path; s->op == GX_X_STEP; s = s->kids) {
        const u32 axis = GX_STEP_AXIS(s->a);
        if (is_near(s))
            return s->preds ? NULL : s;
        if (axis != GX_AXIS_CHILD && axis != GX_AXIS_ATTRIBUTE && axis != GX_AXIS_SELF)
            return NULL;
        for (const gx_xnode *pred = s->preds; pred; pred = pred->next)
            if (pred->calls || pred->hosted || pred->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT | GX_DEP_TREE))
                return NULL;
        *from = s;
    }
    return NULL;
}

gx_xnode *gx_xnode_join_equal(gx_xparse *p, gx_xnode *left, gx_xnode *right, u32 at)
{
    const gx_xpath_env *env = p->env;
    if (!env->key || !env->variable)
        return NULL;
    for (int turned = 0; turned < 2; turned++) {
        gx_xnode *use = turned ? right : left, *value = turned ? left : right, *from, *step = near_part(use, &from);
        if (!step || !is_value(value) || value->calls || !((value->deps | step->kids->deps) & ~GX_DEP_TREE))
            continue;
        gx_xnode *node = gx_xnode_context(p, at), *call;
        if (from) {
            from->kids = from->last = node;
            for (gx_xnode *s = use; s != node; s = s->kids)
                s->deps = GX_DEP_CONTEXT;
        } else
            use = node;
        if (!(call = look_near(p, step, use, value))) {
            if (from)
                from->kids = from->last = step;
            return NULL;
        }
        return gx_xnode_convert(p, call, GX_T_BOOL);
    }
    return NULL;
}
