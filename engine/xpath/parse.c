/*
 * parse.c -- XPath's grammar: from tokens to a typed tree
 *
 * Operators by precedence climbing, so that a level of brackets costs few C frames; GX_XPATH_DEPTH bounds them and the tree.
 * Steps are rewritten as they are made (gx_xnode_step), while what stands to their left is at hand:
 *
 *   //x            descendant-or-self::node()/child::x           ->  descendant::x, unless a predicate counts positions
 *   //x[2]         descendant::x/parent::node()/child::x[2]      ->  from nodes only that have an x
 *   //@x           descendant-or-self::node()/attribute::x       ->  from elements only, not from every text node
 *   descendant::*, then child::x                                 ->  child::*, then descendant::x: the name index has those, and
 *                                                                   no step goes through every element
 *   x/.            child::x/self::node()                         ->  child::x
 *   x[3] x[last()] x[position() = 3]                             ->  one NTH, no predicate expression at all
 *   x[position() < 4]                                            ->  one RANGE
 *   x[$i]  x[position() > $p and position() <= $p + 10]          ->  AT, BETWEEN: taken from the set, no predicate asks each node
 *   //x[@y = $z], preceding-sibling::x/@y = @y                   ->  key() look-ups (plan/join.c)
 *   key(...)[1]  count(key(...))                                 ->  look-ups that make no list of the others
 *   count(.|$s) = count($s)                                      ->  is the node in $s? (plan/member.c)
 */
#include <math.h>
#include <string.h>
#include <apr_strings.h>
#include "xpath.h"

/* ---- making nodes ---------------------------------------------------------------------------------------------------- */

gx_xnode *gx_xnode_make(gx_xparse *p, u32 op, u32 type, u32 at)
{
    gx_xnode *node = apr_pcalloc(p->pool, sizeof *node);
    node->op = (u8)op;
    node->type = (u8)type;
    node->depth = 1;
    node->at = at;
    return node;
}

gx_xnode *gx_xnode_num(gx_xparse *p, double value, u32 at)
{
    gx_xnode *node = gx_xnode_make(p, GX_X_NUM, GX_T_NUM, at);
    node->num = value;
    return node;
}

gx_xnode *gx_xnode_bool(gx_xparse *p, int value, u32 at)
{
    gx_xnode *node = gx_xnode_make(p, GX_X_BOOL, GX_T_BOOL, at);
    node->b = value != 0;
    return node;
}

gx_xnode *gx_xnode_str(gx_xparse *p, const char *s, u32 at)
{
    gx_xnode *node = gx_xnode_make(p, GX_X_STR, GX_T_STR, at);
    node->str = s;
    return node;
}

gx_xnode *gx_xnode_context(gx_xparse *p, u32 at)
{
    gx_xnode *node = gx_xnode_make(p, GX_X_CONTEXT, GX_T_SET, at);
    node->deps = GX_DEP_CONTEXT;
    node->set = GX_XS_SINGLE | GX_XS_FLAT;
    return node;
}

gx_xnode *gx_xnode_root(gx_xparse *p, u32 at)
{
    gx_xnode *node = gx_xnode_make(p, GX_X_ROOT, GX_T_SET, at);
    node->deps = GX_DEP_TREE;
    node->set = GX_XS_SINGLE | GX_XS_FLAT;
    return node;
}

void gx_xnode_adopt(gx_xnode *parent, gx_xnode *kid)
{
    kid->next = NULL;
    if (parent->last)
        parent->last->next = kid;
    else
        parent->kids = kid;
    parent->last = kid;
    parent->deps |= kid->deps;
    parent->heavy |= kid->heavy;
    parent->shared |= kid->shared;
    parent->calls |= kid->calls;
    parent->hosted |= kid->hosted;
    parent->fails |= kid->fails;
    if (kid->type == GX_T_SET)
        parent->wide |= kid->wide;
    if (kid->depth >= parent->depth)
        parent->depth = kid->depth + 1;
}

/* number('...'): optional white space, "-", digits with at most one point. */
static double number_of(gx_xparse *p, const char *s)
{
    gx_xparse sub;
    s += strspn(s, " \t\r\n");
    int minus = *s == '-';
    s += minus;
    size_t n = strspn(s, "0123456789."), tail = strspn(s + n, " \t\r\n");
    if (!n || s[n + tail])
        return NAN;
    const char *point = memchr(s, '.', n);
    if (n == 1 && point)
        return NAN;
    if (point && memchr(point + 1, '.', n - (size_t)(point + 1 - s)))
        return NAN;
    if (gx_xparse_begin(&sub, p->env, p->noun, s, (u32)n) != GX_OK)
        return NAN;
    return minus ? -sub.num : sub.num;
}

/* string-length() asked for no more than whether there is anything: recursion over a long string asks that of what is left of it at every step, and
 * to count the characters of that each time would be the square of the string. */
static int is_length(const gx_xnode *node) { return node->op == GX_X_FUNC && node->a == GX_F_STRING_LENGTH; }

/* "string-length(s) op number" as whether there is anything in s, or whether there is not; NULL: it asks something else */
static gx_xnode *length_test(gx_xparse *p, u32 op, gx_xnode *left, gx_xnode *right, u32 at)
{
    const int swapped = is_length(right);
    gx_xnode *length = swapped ? right : left;
    const gx_xnode *number = swapped ? left : right;
    if (!is_length(length) || number->op != GX_X_NUM || op < GX_X_EQ || op > GX_X_GE)
        return NULL;
    if (swapped)
        op = gx_xop_turned(op);
    const int some = (number->num == 0 && (op == GX_X_GT || op == GX_X_NE)) || (number->num == 1 && op == GX_X_GE);
    const int none = (number->num == 0 && (op == GX_X_EQ || op == GX_X_LE)) || (number->num == 1 && op == GX_X_LT);
    gx_xnode *truth = some || none ? gx_xnode_convert(p, length->kids, GX_T_BOOL) : NULL;
    return none ? gx_xnode_not(p, truth, at) : truth;
}

gx_xnode *gx_xnode_convert(gx_xparse *p, gx_xnode *node, u32 type)
{
    if (node->type == type)
        return node;
    if (type == GX_T_BOOL && node->op == GX_X_NUM)
        return gx_xnode_bool(p, node->num < 0 || node->num > 0, node->at);
    if (type == GX_T_BOOL && node->op == GX_X_STR)
        return gx_xnode_bool(p, *node->str, node->at);
    if (type == GX_T_NUM && node->op == GX_X_STR)
        return gx_xnode_num(p, number_of(p, node->str), node->at);
    if (type == GX_T_NUM && node->op == GX_X_BOOL)
        return gx_xnode_num(p, node->b, node->at);
    if (type == GX_T_STR && node->op == GX_X_BOOL)
        return gx_xnode_str(p, node->b ? "true" : "false", node->at);
    if (type == GX_T_BOOL && is_length(node))
        return gx_xnode_convert(p, node->kids, GX_T_BOOL);
    if (node->op == GX_X_JOIN && type == GX_T_BOOL)
        node = gx_xnode_count_join(node);
    if (node->type == GX_T_SET)         /* a boolean asks whether there is one */
        node = gx_xnode_found(p, gx_xnode_first(p, node), type == GX_T_BOOL);
    gx_xnode *string = type == GX_T_STR ? gx_xnode_string_of_call(p, node) : NULL;
    if (string)
        return string;
    if (type == GX_T_BOOL && node->op == GX_X_STEP && !node->preds) {
        node->a |= GX_STEP_SOME | GX_STEP_SORTED;
        node->wide = node->kids->wide;
    }
    gx_xnode *to = gx_xnode_make(p, type == GX_T_BOOL ? GX_X_TO_BOOL : type == GX_T_NUM ? GX_X_TO_NUM : GX_X_TO_STR, type, node->at);
    gx_xnode_adopt(to, node);
    return to;
}

static const char *type_name(u32 type)
{
    static const char *const names[] = { "a value", "a boolean", "a number", "a string", "a node-set", "a result tree fragment" };
    return type < sizeof names / sizeof *names ? names[type] : names[0];
}

/* *node becomes a SET. What can never be one is an error now; a fragment's error is for when the expression is reached. */
gx_status gx_xnode_to_set(gx_xparse *p, gx_xnode **node, const char *what)
{
    gx_xnode *n = *node;
    if (n->type == GX_T_SET)
        return GX_OK;
    if (n->type != GX_T_ANY && n->type != GX_T_RTF)
        return gx_xparse_fail(p, n->at, "%s must be a node-set, not %s", what, type_name(n->type));
    gx_xnode *to = gx_xnode_make(p, GX_X_TO_SET, GX_T_SET, n->at);
    gx_xnode_adopt(to, n);
    to->fails = 1;
    *node = to;
    return GX_OK;
}

/* ---- steps ------------------------------------------------------------------------------------------------------------ */

/* Predicates of a step or filter. Their own position, last and context are the candidates', of the tree the input is of. */
static void adopt_predicates(gx_xnode *node, gx_xnode *preds)
{
    node->preds = preds;
    for (const gx_xnode *pred = preds; pred; pred = pred->next) {
        node->deps |= pred->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT);
        node->calls |= pred->calls;
        node->hosted |= pred->hosted;
        node->fails |= pred->fails;
        if (pred->depth >= node->depth)
            node->depth = pred->depth + 1;
    }
}

static int has_nth(const gx_xnode *preds)
{
    for (; preds; preds = preds->next)
        if (preds->op == GX_X_NTH || (preds->op == GX_X_AT && !preds->a))
            return 1;
    return 0;
}

int gx_xnode_is_positional(const gx_xnode *pred)
{
    return pred->op == GX_X_NTH || pred->type == GX_T_NUM || pred->type == GX_T_ANY
        || (pred->deps & (GX_DEP_POSITION | GX_DEP_LAST));
}

static int any_positional(const gx_xnode *preds)
{
    for (; preds; preds = preds->next)
        if (gx_xnode_is_positional(preds))
            return 1;
    return 0;
}

/* Can no node on this axis pass this test, whatever the document? */
static int is_never(u32 axis, u32 test)
{
    int leaf = test == GX_TEST_TEXT || test == GX_TEST_COMMENT || test == GX_TEST_PI || test == GX_TEST_PI_NAME;
    if (axis == GX_AXIS_ATTRIBUTE || axis == GX_AXIS_PARENT || axis == GX_AXIS_ANCESTOR)
        return leaf;
    return axis == GX_AXIS_NAMESPACE && (leaf || test == GX_TEST_NS);       /* namespace nodes' names have no URI */
}

/*
 * What a step makes of an ordered, duplicate-free set, put together in the order of its nodes:
 *
 *   input      SINGLE                                  FLAT                     any
 *   output     ordered on every axis                   ordered on child,        ordered on self, attribute, namespace
 *                                                      descendant(-or-self)
 *   and FLAT   child, both siblings, leaf kinds        child, leaf kinds        attribute, namespace
 *              of every axis                           of descendant
 *   and SINGLE parent, @name, NTH                      -                        -
 */
static void derive_order(gx_xnode *step, u32 axis, u32 test)
{
    u32 in = step->kids->set, leaf = test == GX_TEST_TEXT || test == GX_TEST_COMMENT || test == GX_TEST_PI || test == GX_TEST_PI_NAME;
    int sorted = (in & GX_XS_SINGLE) != 0;
    u32 out = 0;
    switch (axis) {
    case GX_AXIS_SELF:
        sorted = 1;
        out = in;
        break;
    case GX_AXIS_CHILD:
        sorted |= in & GX_XS_FLAT;
        out = in & GX_XS_FLAT;
        break;
    case GX_AXIS_DESCENDANT: case GX_AXIS_DESCENDANT_OR_SELF:
        sorted |= in & GX_XS_FLAT;
        break;
    case GX_AXIS_ATTRIBUTE: case GX_AXIS_NAMESPACE:
        sorted = 1;
        out = GX_XS_FLAT;
        if (test == GX_TEST_NAME)
            out |= in & GX_XS_SINGLE;
        break;
    case GX_AXIS_PARENT:
        out = in & GX_XS_SINGLE ? GX_XS_SINGLE | GX_XS_FLAT : 0;
        break;
    case GX_AXIS_FOLLOWING_SIBLING: case GX_AXIS_PRECEDING_SIBLING:
        out = in & GX_XS_SINGLE ? GX_XS_FLAT : 0;
        break;
    }
    if (leaf)
        out |= GX_XS_FLAT;          /* nodes without children, wherever they stand */
    if ((in & GX_XS_SINGLE) && has_nth(step->preds))
        out = GX_XS_SINGLE | GX_XS_FLAT;
    step->set = (u8)out;
    if (sorted)
        step->a |= GX_STEP_SORTED;
}

#define FEW 16u         /* nodes of a row */

/* Where input/child::x is descendant::x of some set, x being this test, that set: //x as it is parsed, and as gx_xnode_step rewrites it. Else
 * NULL. */
static gx_xnode *above(const gx_xnode *input, u32 test, u32 name)
{
    if (input->op != GX_X_STEP || input->preds || GX_STEP_TEST(input->a) != GX_TEST_NODE)
        return NULL;
    if (GX_STEP_AXIS(input->a) == GX_AXIS_DESCENDANT_OR_SELF)
        return input->kids;
    const gx_xnode *x = input->kids;
    return GX_STEP_AXIS(input->a) == GX_AXIS_PARENT && x->op == GX_X_STEP && !x->preds && GX_STEP_AXIS(x->a) == GX_AXIS_DESCENDANT
        && GX_STEP_TEST(x->a) == test && x->b == name ? x->kids : NULL;
}

/* Does a step lead to nodes that other rows' steps may lead to, too: siblings, what is before or behind, children or descendants of the
 * parent or of an ancestor? */
static int is_shared(const gx_xnode *node)
{
    const gx_xnode *input = node->kids;
    const u32 axis = node->op == GX_X_STEP ? GX_STEP_AXIS(node->a) : GX_AXIS_SELF;
    const u32 before = input->op == GX_X_STEP ? GX_STEP_AXIS(input->a) : GX_AXIS_SELF;
    return axis == GX_AXIS_FOLLOWING || axis == GX_AXIS_FOLLOWING_SIBLING || axis == GX_AXIS_PRECEDING || axis == GX_AXIS_PRECEDING_SIBLING
        || ((axis == GX_AXIS_CHILD || axis == GX_AXIS_DESCENDANT || axis == GX_AXIS_DESCENDANT_OR_SELF)
            && (before == GX_AXIS_PARENT || before == GX_AXIS_ANCESTOR || before == GX_AXIS_ANCESTOR_OR_SELF)
            && !above(input, GX_STEP_TEST(node->a), node->b));
}

/* Is all that n uses of the context node its parent (..)? */
static int is_by_parent(const gx_xnode *n)
{
    if (!(n->deps & GX_DEP_CONTEXT) || (n->op == GX_X_STEP && GX_STEP_AXIS(n->a) == GX_AXIS_PARENT && n->kids->op == GX_X_CONTEXT))
        return 1;
    for (const gx_xnode *kid = n->kids; kid; kid = kid->next)
        if (!is_by_parent(kid))
            return 0;
    return n->kids && !(n->op == GX_X_FUNC && n->a == GX_F_LANG);
}

int gx_xnode_of_parent(const gx_xnode *node)
{
    return node->shared && node->deps & GX_DEP_CONTEXT && !(node->deps & ~(GX_DEP_CONTEXT | GX_DEP_TREE)) && !node->calls && !node->hosted
        && is_by_parent(node);
}

int gx_xnode_in_rounds(const gx_xnode *node)
{
    const gx_xnode *pred = node->preds;
    if (node->op != GX_X_STEP || !pred || !is_shared(node) || GX_STEP_AXIS(node->a) == GX_AXIS_DESCENDANT_OR_SELF
        || !(node->kids->deps & ~GX_DEP_TREE))
        return 0;
    for (; pred && !gx_xnode_is_positional(pred); pred = pred->next)
        if (pred->calls || pred->hosted || pred->deps & GX_DEP_TREE)    /* what is the same for all candidates would be evaluated each time */
            return 0;
    return pred && pred != node->preds && pred->op == GX_X_NTH && pred->b == 1;
}

/* May each row have many nodes that others have too? Shared ones, those of a variable, of predicates that ask for
 * something else for each row. Not those of children, descendants, attributes and ancestors: in all they are not many more than nodes. */
static void derive_wide(gx_xnode *node)
{
    const gx_xnode *input = node->kids, *pred = node->preds;
    int wide = (input->deps & GX_DEP_LOCAL) != 0 || is_shared(node);
    if (pred && (pred->op == GX_X_NTH || pred->op == GX_X_RANGE) && pred->b && pred->b <= FEW)
        wide = 0;                       /* no more than so many are looked for */
    if (gx_xnode_in_rounds(node))
        wide = 0;
    for (; pred; pred = pred->next)
        wide |= !(input->deps & GX_DEP_CONTEXT) && pred->deps & (GX_DEP_LOCAL | GX_DEP_CURRENT);
    if (wide)
        node->wide |= GX_XW_WIDE;
    if (node->wide && node->preds)
        node->wide |= GX_XW_FILTERED;
}

/*
 * /t/row[@k = $k][1], //row[@k = $k][1]: where what stands before the first predicate that counts positions is a look-up, the positions are counted
 * among those that it finds: of each parent's. NULL: it is none
 */
static gx_xnode *count_found(gx_xparse *p, gx_xnode *input, u32 axis, u32 test, u32 name, gx_xnode *preds, u32 how, u32 at)
{
    gx_xnode *last = preds;
    if (!preds || gx_xnode_is_positional(preds) || !any_positional(preds))
        return NULL;
    while (!gx_xnode_is_positional(last->next))
        last = last->next;
    gx_xnode *counted = last->next;
    last->next = NULL;
    gx_xnode *found = gx_xnode_step(p, input, axis, test, name, preds, at);
    if (found->op == GX_X_STEP) {
        last->next = counted;
        return NULL;
    }
    gx_xnode *node = gx_xnode_make(p, GX_X_FILTER, GX_T_SET, at);
    node->b = how;
    node->heavy = 1;
    gx_xnode_adopt(node, found);
    adopt_predicates(node, counted);
    derive_wide(node);
    node->set = input->set & GX_XS_FLAT;
    return node;
}

gx_xnode *gx_xnode_step(gx_xparse *p, gx_xnode *input, u32 axis, u32 test, u32 name, gx_xnode *preds, u32 at)
{
    gx_xnode *counted;
    if (axis == GX_AXIS_SELF && test == GX_TEST_NODE && !preds)
        return input;
    if (input->op == GX_X_STEP && !input->preds && GX_STEP_AXIS(input->a) == GX_AXIS_DESCENDANT_OR_SELF
        && GX_STEP_TEST(input->a) == GX_TEST_NODE) {
        if (axis == GX_AXIS_ATTRIBUTE || axis == GX_AXIS_NAMESPACE) {
            input = gx_xnode_step(p, input->kids, GX_AXIS_DESCENDANT_OR_SELF, GX_TEST_ANY, 0, NULL, input->at);
        } else if (!any_positional(preds) && axis <= GX_AXIS_DESCENDANT_OR_SELF) {
            axis = axis == GX_AXIS_CHILD || axis == GX_AXIS_DESCENDANT ? GX_AXIS_DESCENDANT : GX_AXIS_DESCENDANT_OR_SELF;
            input = input->kids;
        } else if (axis == GX_AXIS_CHILD && test == GX_TEST_NAME) {
            if ((counted = count_found(p, input->kids, GX_AXIS_DESCENDANT, test, name, preds, GX_FILTER_APART, at)))
                return counted;
            input = gx_xnode_step(p, input->kids, GX_AXIS_DESCENDANT, test, name, NULL, input->at);
            input = gx_xnode_step(p, input, GX_AXIS_PARENT, GX_TEST_NODE, 0, NULL, at);
        }
    } else if (input->op == GX_X_STEP && !input->preds && GX_STEP_AXIS(input->a) == GX_AXIS_DESCENDANT
               && (GX_STEP_TEST(input->a) == GX_TEST_ANY || GX_STEP_TEST(input->a) == GX_TEST_NODE)
               && (axis == GX_AXIS_CHILD || axis == GX_AXIS_DESCENDANT) && !any_positional(preds)) {
        /* below a descendant element is: below a child element, at any depth */
        input = gx_xnode_step(p, input->kids, GX_AXIS_CHILD, GX_STEP_TEST(input->a), 0, NULL, input->at);
        axis = GX_AXIS_DESCENDANT;
    }
    if (preds && (preds->op == GX_X_AT || preds->op == GX_X_BETWEEN)) {
        const int one = input->set & GX_XS_SINGLE && !GX_AXIS_IS_REVERSE(axis);     /* one context's places are the set's */
        /* /t/row[$i]: the children are the same for all rows, and those of one node stand together */
        const int each = axis == GX_AXIS_CHILD && input->set & GX_XS_FLAT && !(input->deps & ~GX_DEP_TREE) && !any_positional(preds->next);
        if (!one && each)
            preds->a |= GX_PLACES_OF_EACH;
        if (one || each)
            return gx_xnode_filter(p, gx_xnode_step(p, input, axis, test, name, NULL, at), preds, at);
    }
    if (is_never(axis, test))
        test = GX_TEST_NEVER;
    if (axis == GX_AXIS_CHILD && input->set & GX_XS_FLAT && !(input->set & GX_XS_SINGLE) && !(input->deps & ~GX_DEP_TREE)
        && (counted = count_found(p, input, axis, test, name, preds, GX_FILTER_TOGETHER, at)))
        return counted;
    gx_xnode *step = gx_xnode_make(p, GX_X_STEP, GX_T_SET, at);
    step->a = GX_STEP_MAKE(axis, test);
    step->b = name;
    step->heavy = 1;
    gx_xnode_adopt(step, input);
    adopt_predicates(step, preds);
    derive_order(step, axis, test);
    derive_wide(step);
    step->shared |= is_shared(step) != 0;
    return preds ? gx_xnode_join(p, step) : step;
}

int gx_xnode_is_disjoint(const gx_xnode *node)
{
    const u32 axis = GX_STEP_AXIS(node->a);
    return node->op == GX_X_STEP && !node->preds
        && (node->a & GX_STEP_SORTED || axis == GX_AXIS_CHILD || axis == GX_AXIS_ATTRIBUTE || axis == GX_AXIS_NAMESPACE);
}

gx_xnode *gx_xnode_found(gx_xparse *p, gx_xnode *node, int any)
{
    if (node->op != GX_X_STEP || !node->preds || any_positional(node->preds) || !is_shared(node)
        || (!any && GX_AXIS_IS_REVERSE(GX_STEP_AXIS(node->a))))
        return gx_xnode_nearest(node, any);
    gx_xnode **last = &node->preds, *first = gx_xnode_make(p, GX_X_NTH, GX_T_BOOL, node->at);
    first->b = 1;
    first->deps = GX_DEP_POSITION | GX_DEP_LAST;
    while (*last)
        last = &(*last)->next;
    *last = first;
    if (gx_xnode_in_rounds(node))
        node->wide = node->kids->wide;
    else
        *last = NULL;
    return node;
}

gx_xnode *gx_xnode_first(gx_xparse *p, gx_xnode *node)
{
    if (node->op == GX_X_FUNC && node->a == GX_F_KEY && node->b == 2) {
        node->a = GX_F_KEY_FIRST;
        node->set = GX_XS_SINGLE | GX_XS_FLAT;
        node->wide = 0;
    }
    if (node->op == GX_X_FILTER && node->b && node->preds->op == GX_X_NTH && node->preds->b == 1 && !node->preds->next)
        return gx_xnode_first(p, node->kids);           /* the first of all is the first of its parent's */
    const u32 axis = GX_STEP_AXIS(node->a);
    if (node->op == GX_X_STEP && !node->preds && !(node->set & GX_XS_SINGLE) && node->kids->set & GX_XS_SINGLE && axis != GX_AXIS_ANCESTOR
        && axis != GX_AXIS_ANCESTOR_OR_SELF) {
        node->a |= 1 << 12;             /* GX_STEP_MOST: no more than one is looked for */
        node->wide = node->kids->wide;
    }
    if (node->op != GX_X_STEP || axis != GX_AXIS_CHILD || !node->preds)
        return node;
    gx_xnode *input = above(node->kids, GX_STEP_TEST(node->a), node->b), **last = &node->preds;
    for (; (*last)->next; last = &(*last)->next)
        if (gx_xnode_is_positional(*last))
            return node;
    if ((*last)->op != GX_X_NTH || (*last)->b != 1 || !input)
        return node;
    *last = NULL;                       /* the first of all is the first of its parent's */
    return gx_xnode_first(p, gx_xnode_step(p, input, GX_AXIS_DESCENDANT, GX_STEP_TEST(node->a), node->b, node->preds, node->at));
}

/* set, of which only the first or (nth 0) the last node in document order is wanted: of an axis that may be long, the one at that end of it */
static gx_xnode *end_of(gx_xparse *p, gx_xnode *set, u32 nth)
{
    const u32 axis = set->op == GX_X_STEP ? GX_STEP_AXIS(set->a) : GX_AXIS_SELF;
    if (set->op == GX_X_UNION) {
        gx_xnode *both = gx_xnode_make(p, GX_X_UNION, GX_T_SET, set->at), *left = set->kids, *right = left->next;
        both->heavy = 1;
        gx_xnode_adopt(both, end_of(p, left, nth));
        gx_xnode_adopt(both, end_of(p, right, nth));
        return both;
    }
    if (axis == GX_AXIS_SELF || axis == GX_AXIS_CHILD || axis == GX_AXIS_ATTRIBUTE || axis == GX_AXIS_NAMESPACE || axis == GX_AXIS_PARENT
        || set->preds || !(set->kids->set & GX_XS_SINGLE))
        return set;
    gx_xnode *own = gx_xnode_make(p, GX_X_NTH, GX_T_BOOL, set->at);
    own->b = GX_AXIS_IS_REVERSE(axis) ? !nth : nth;
    own->deps = GX_DEP_POSITION | GX_DEP_LAST;
    return gx_xnode_step(p, set->kids, axis, GX_STEP_TEST(set->a), set->b, own, set->at);
}

gx_xnode *gx_xnode_filter(gx_xparse *p, gx_xnode *input, gx_xnode *preds, u32 at)
{
    if (!preds)
        return input;
    if (preds->op == GX_X_NTH && preds->b <= 1)
        input = end_of(p, input, preds->b);     /* (ancestor::a | preceding::a)[last()] is one of two nodes */
    if (input->op == GX_X_FUNC && input->a == GX_F_KEY && input->b == 2 && preds->op == GX_X_NTH && preds->b == 1)
        return gx_xnode_filter(p, gx_xnode_first(p, input), preds->next, at);
    if (preds->op == GX_X_AT || preds->op == GX_X_BETWEEN) {
        gx_xnode *rest = preds->next, *from = preds->kids, *to = from->next, *one = gx_xnode_make(p, preds->op, GX_T_SET, at);
        one->heavy = 1;
        one->a = preds->a;
        gx_xnode_adopt(one, input);
        gx_xnode_adopt(one, from);
        if (to)
            gx_xnode_adopt(one, to);
        const int many = to || one->a;
        one->set = many ? input->set : GX_XS_SINGLE | GX_XS_FLAT;
        if (many && !(input->deps & GX_DEP_CONTEXT))
            one->wide |= GX_XW_WIDE;
        if (one->wide)
            one->wide |= GX_XW_FILTERED;
        return gx_xnode_filter(p, one, rest, at);
    }
    gx_xnode *chosen = gx_xnode_choose(p, input, preds, at);
    if (chosen)
        return chosen;
    gx_xnode *node = gx_xnode_make(p, GX_X_FILTER, GX_T_SET, at);
    node->heavy = 1;
    gx_xnode_adopt(node, input);
    adopt_predicates(node, preds);
    derive_wide(node);
    node->set = has_nth(preds) ? GX_XS_SINGLE | GX_XS_FLAT : input->set;
    return node;
}

/* ---- grammar ---------------------------------------------------------------------------------------------------------- */

static gx_status syntax_error(const gx_xparse *p, const char *wanted)
{
    if (p->kind == GX_XT_END)
        return gx_xparse_fail(p, p->start, "%s expected at the end", wanted);
    return gx_xparse_fail(p, p->start, "%s expected before '%s'", wanted,
                          apr_pstrmemdup(p->pool, p->text + p->start, p->pos - p->start > 40 ? 40 : p->pos - p->start));
}

static gx_status expect(gx_xparse *p, gx_xtoken kind, const char *wanted)
{
    return p->kind == kind ? gx_xparse_next(p) : syntax_error(p, wanted);
}

/* The URI of the current token's prefix. */
gx_status gx_xparse_uri(const gx_xparse *p, const char *prefix, u32 at, const char **uri)
{
    *uri = "";
    if (!*prefix)
        return GX_OK;
    const char *found = p->env->namespace_uri ? p->env->namespace_uri(p->env->ctx, prefix) : NULL;
    if (!found && !strcmp(prefix, "xml"))
        found = GX_XML_URI;
    if (!found)
        return gx_xparse_fail(p, at, "the prefix '%s' is not declared", prefix);
    *uri = found;
    return GX_OK;
}

static gx_status variable(gx_xparse *p, gx_xnode **out)
{
    const gx_xpath_env *env = p->env;
    u32 at = p->start;
    const char *uri;
    gx_variable var = { 0, 0, 0, GX_T_ANY };
    GX_TRY(gx_xparse_uri(p, p->prefix, at, &uri));
    if (!env->variable)
        return gx_xparse_fail(p, at, "%s", env->no_variables ? env->no_variables : "variables are not allowed here");
    if (!env->variable(env->ctx, uri, p->local, &var)) {
        GX_TRY(gx_xparse_late(p, at, apr_psprintf(p->pool, "the variable $%s%s%s is not declared", p->prefix, *p->prefix ? ":" : "", p->local), out));
        return gx_xparse_next(p);
    }
    gx_xnode *node = gx_xnode_make(p, var.global ? GX_X_GLOBAL : GX_X_VAR, var.type == GX_T_NODE ? GX_T_SET : var.type, at);
    if (var.hops > 0xffff)
        return gx_xparse_fail(p, at, "instructions are nested too deeply around $%s", p->local);
    node->a = (u16)var.hops;
    node->b = var.index;
    node->deps = var.global ? 0 : GX_DEP_LOCAL;
    *out = node;
    return gx_xparse_next(p);
}

/* FunctionCall, from its name. */
static gx_status call(gx_xparse *p, gx_xnode **out)
{
    const char *prefix = p->prefix, *local = p->local;
    u32 at = p->start, n = 0;
    gx_xnode list = { 0 };
    GX_TRY(gx_xparse_next(p));
    GX_TRY(expect(p, GX_XT_LPAR, "'('"));
    while (p->kind != GX_XT_RPAR) {
        gx_xnode *arg;
        if (n)
            GX_TRY(expect(p, GX_XT_COMMA, "',' or ')'"));
        if (n == GX_XPATH_DEPTH)
            return gx_xparse_fail(p, p->start, "more than %u arguments", GX_XPATH_DEPTH);
        GX_TRY(gx_xparse_expr(p, &arg));
        gx_xnode_adopt(&list, arg);
        n++;
    }
    GX_TRY(gx_xparse_call(p, prefix, local, at, list.kids, n, out));
    return gx_xparse_next(p);
}

static gx_status primary(gx_xparse *p, gx_xnode **out)
{
    switch (p->kind) {
    case GX_XT_VAR:
        return variable(p, out);
    case GX_XT_FUNC:
        return call(p, out);
    case GX_XT_NUM:
        *out = gx_xnode_num(p, p->num, p->start);
        return gx_xparse_next(p);
    case GX_XT_STR:
        *out = gx_xnode_str(p, p->local, p->start);
        return gx_xparse_next(p);
    default:        /* "(" */
        GX_TRY(gx_xparse_next(p));
        if (p->kind == GX_XT_RPAR)
            return gx_xparse_fail(p, p->start, "not supported: '()' (XPath 2.0)");
        GX_TRY(gx_xparse_expr(p, out));
        if (p->kind == GX_XT_COMMA)
            return gx_xparse_fail(p, p->start, "not supported: a sequence with ',' (XPath 2.0)");
        return expect(p, GX_XT_RPAR, "')'");
    }
}

gx_status gx_xparse_test(gx_xparse *p, u32 axis, u32 *test, u32 *name)
{
    gx_builder *b = p->env->b;
    const char *uri, *local = p->local;
    *name = 0;
    switch (p->kind) {
    case GX_XT_STAR:
        *test = GX_TEST_ANY;
        break;
    case GX_XT_NS_STAR:
        GX_TRY(gx_xparse_uri(p, p->prefix, p->start, &uri));
        *test = GX_TEST_NS;
        *name = gx_builder_pname(b, uri, "*");
        break;
    case GX_XT_NAME:
        GX_TRY(gx_xparse_uri(p, p->prefix, p->start, &uri));
        *test = axis == GX_AXIS_NAMESPACE && *uri ? GX_TEST_NEVER : GX_TEST_NAME;
        *name = gx_builder_pname(b, uri, local);
        break;
    case GX_XT_NODE_TYPE:
        *test = p->op;
        GX_TRY(gx_xparse_next(p));
        GX_TRY(expect(p, GX_XT_LPAR, "'('"));
        if (*test == GX_TEST_PI && p->kind == GX_XT_STR) {
            *test = GX_TEST_PI_NAME;
            *name = gx_builder_pname(b, "", p->local);
            GX_TRY(gx_xparse_next(p));
        }
        if (is_never(axis, *test))
            *test = GX_TEST_NEVER;
        return expect(p, GX_XT_RPAR, "')'");
    case GX_XT_FUNC:
        return gx_xparse_fail(p, p->start, "a function call cannot be a step: '%s()' (XPath 2.0)", p->local);
    default:
        return syntax_error(p, "a node test");
    }
    if (is_never(axis, *test))
        *test = GX_TEST_NEVER;
    return gx_xparse_next(p);
}

/* [3], [last()], [position() = 3], [position() = last()] as NTH: *nth is 0 for the last. */
static int nth_of(const gx_xnode *pred, u32 *nth)
{
    if (pred->op == GX_X_EQ) {
        const gx_xnode *left = pred->kids, *right = left->next;
        if (left->op == GX_X_POSITION)
            pred = right;
        else if (right->op == GX_X_POSITION)
            pred = left;
        else
            return 0;
    }
    *nth = 0;
    if (pred->op == GX_X_LAST)
        return 1;
    if (pred->op != GX_X_NUM || !(pred->num >= 1 && pred->num <= 0x7fffffff) || pred->num != (u32)pred->num)
        return 0;
    *nth = (u32)pred->num;
    return 1;
}

/* [$i], [position() = $i + 1]: a number that is the frame's, not the candidates'; or what may be one. *how: GX_AT_* */
static gx_xnode *place_of(gx_xnode *pred, u32 *how)
{
    *how = pred->type == GX_T_ANY ? GX_AT_ANY : 0;
    if (pred->op == GX_X_EQ) {
        gx_xnode *left = pred->kids, *right = left->next, *number = left->op == GX_X_POSITION ? right : right->op == GX_X_POSITION ? left : NULL;
        *how = number && number->type != GX_T_NUM ? GX_AT_EQUAL : 0;
        pred = number ? number : pred;
    }
    return (pred->type == GX_T_NUM || *how) && pred->deps && !(pred->deps & ~(GX_DEP_LOCAL | GX_DEP_CURRENT)) && !pred->calls && !pred->hosted
        && !pred->fails ? pred : NULL;
}

/* [position() > $from and position() < $to + 1], or one of the two, with values of the frame: as BETWEEN; NULL: it is none */
static gx_xnode *between(gx_xparse *p, gx_xnode *pred, u32 at)
{
    gx_xnode *sides[2] = { pred, NULL }, *ends[2] = { NULL, NULL };
    u32 a = 0;
    if (pred->op == GX_X_AND) {
        sides[0] = pred->kids;
        sides[1] = pred->kids->next;
    }
    for (u32 i = 0; i < 2 && sides[i]; i++) {
        const u32 given = sides[i]->op;
        if (given < GX_X_LT || given > GX_X_GE)
            return NULL;
        gx_xnode *left = sides[i]->kids, *right = left->next, *number = left->op == GX_X_POSITION ? right : left;
        const u32 is = number == right ? given : gx_xop_turned(given), high = is == GX_X_LT || is == GX_X_LE;
        if ((number == right ? left : right)->op != GX_X_POSITION || ends[high]
            || number->deps & ~(GX_DEP_LOCAL | GX_DEP_CURRENT) || number->calls || number->hosted || number->fails)
            return NULL;
        ends[high] = number;
        a |= is == GX_X_GT ? GX_BETWEEN_ABOVE : is == GX_X_LT ? GX_BETWEEN_BELOW : 0;
    }
    gx_xnode *places = gx_xnode_make(p, GX_X_BETWEEN, GX_T_BOOL, at);
    places->a = (u16)a;
    gx_xnode_adopt(places, ends[0] ? ends[0] : gx_xnode_num(p, 1, at));
    gx_xnode_adopt(places, ends[1] ? ends[1] : gx_xnode_num(p, INFINITY, at));
    places->deps |= GX_DEP_POSITION;
    return places;
}

/* [position() < 4], [2 <= position() and position() <= 3], [position() != 1]: the positions *first to *last, GX_NONE for all that follow */
static int range_of(const gx_xnode *pred, u32 *first, u32 *last)
{
    if (pred->op == GX_X_AND) {
        u32 from, to;
        if (!range_of(pred->kids, first, last) || !range_of(pred->kids->next, &from, &to))
            return 0;
        *first = from > *first ? from : *first;
        *last = to < *last ? to : *last;
        return *first <= *last;
    }
    if (pred->op < GX_X_NE || pred->op > GX_X_GE)
        return 0;
    const gx_xnode *left = pred->kids, *right = left->next;
    const int turned = right->op == GX_X_POSITION;
    const u32 op = turned ? gx_xop_turned(pred->op) : pred->op;
    const gx_xnode *number = turned ? left : right;
    if ((turned ? right : left)->op != GX_X_POSITION || number->op != GX_X_NUM || !(number->num >= 1 && number->num < 0xffff))
        return 0;
    const u32 below = (u32)number->num;         /* positions up to here are not above the number */
    const int whole = number->num == below;
    *first = 1;
    *last = GX_NONE;
    switch (op) {
    case GX_X_LT: *last = below - (u32)whole; break;
    case GX_X_LE: *last = below; break;
    case GX_X_GT: *first = below + 1; break;
    case GX_X_GE: *first = below + !whole; break;
    default: *first = 2;
        return number->num == 1;
    }
    return *last > 0;
}

gx_status gx_xparse_predicates(gx_xparse *p, gx_xnode **list, int *positional)
{
    gx_xnode head = { 0 };
    u32 nth, last, how, n = 0;
    while (p->kind == GX_XT_LBRACKET) {
        gx_xnode *pred, *number;
        u32 at = p->start;
        GX_TRY(gx_xparse_next(p));
        p->predicates++;
        GX_TRY(gx_xparse_expr(p, &pred));
        p->predicates--;
        GX_TRY(expect(p, GX_XT_RBRACKET, "']'"));
        if (++n > GX_XPATH_DEPTH)
            return gx_xparse_fail(p, at, "more than %u predicates", GX_XPATH_DEPTH);
        if (nth_of(pred, &nth)) {
            pred = gx_xnode_make(p, GX_X_NTH, GX_T_BOOL, at);
            pred->b = nth;
            pred->deps = GX_DEP_POSITION | GX_DEP_LAST;
        } else if (range_of(pred, &nth, &last)) {
            pred = gx_xnode_make(p, GX_X_RANGE, GX_T_BOOL, at);
            pred->a = (u16)nth;
            pred->b = last;
            pred->deps = GX_DEP_POSITION;
        } else if ((number = place_of(pred, &how))) {
            pred = gx_xnode_make(p, GX_X_AT, GX_T_BOOL, at);
            pred->a = (u16)how;
            gx_xnode_adopt(pred, number);
            pred->deps |= GX_DEP_POSITION;
        } else if ((number = between(p, pred, at))) {
            pred = number;
        } else if (pred->type != GX_T_NUM && pred->type != GX_T_ANY) {
            pred = gx_xnode_convert(p, pred, GX_T_BOOL);
        }
        if (pred->op == GX_X_BOOL && pred->b)
            continue;               /* [true()], ['x']: keeps all */
        gx_xnode_adopt(&head, pred);
    }
    *list = head.kids;
    *positional = any_positional(head.kids);
    return GX_OK;
}

static int begins_step(const gx_xparse *p)
{
    switch (p->kind) {
    case GX_XT_NAME: case GX_XT_NS_STAR: case GX_XT_STAR: case GX_XT_NODE_TYPE: case GX_XT_AXIS: case GX_XT_DOT: case GX_XT_DOTS:
    case GX_XT_AT:
        return 1;
    default:
        return 0;
    }
}

static gx_status step(gx_xparse *p, gx_xnode **path)
{
    u32 at = p->start, axis = GX_AXIS_CHILD, test, name;
    int positional;
    gx_xnode *preds;
    if (p->kind == GX_XT_DOT || p->kind == GX_XT_DOTS) {
        const char *abbreviated = p->kind == GX_XT_DOT ? "." : "..";
        if (p->kind == GX_XT_DOTS)
            *path = gx_xnode_step(p, *path, GX_AXIS_PARENT, GX_TEST_NODE, 0, NULL, at);
        GX_TRY(gx_xparse_next(p));
        if (p->kind == GX_XT_LBRACKET)
            return gx_xparse_fail(p, p->start, "a predicate cannot follow '%s': write %s::node()[...]", abbreviated,
                                  abbreviated[1] ? "parent" : "self");
        return GX_OK;
    }
    if (p->kind == GX_XT_AT || p->kind == GX_XT_AXIS) {
        axis = p->kind == GX_XT_AT ? GX_AXIS_ATTRIBUTE : p->op;
        GX_TRY(gx_xparse_next(p));
    }
    GX_TRY(gx_xparse_test(p, axis, &test, &name));
    GX_TRY(gx_xparse_predicates(p, &preds, &positional));
    *path = gx_xnode_step(p, *path, axis, test, name, preds, at);
    return GX_OK;
}

/* ("/" | "//") Step, any number of times, from the set *path. */
static gx_status steps(gx_xparse *p, gx_xnode **path)
{
    while (p->kind == GX_XT_SLASH || p->kind == GX_XT_SLASHES) {
        if (p->kind == GX_XT_SLASHES)
            *path = gx_xnode_step(p, *path, GX_AXIS_DESCENDANT_OR_SELF, GX_TEST_NODE, 0, NULL, p->start);
        GX_TRY(gx_xparse_next(p));
        if (!begins_step(p) && p->kind != GX_XT_FUNC)
            return syntax_error(p, "a step");
        GX_TRY(step(p, path));
        if ((*path)->depth > GX_XPATH_DEPTH)
            return gx_xparse_fail(p, p->start, "more than %u steps or levels of nesting", GX_XPATH_DEPTH);
    }
    return GX_OK;
}

/* PathExpr */
static gx_status path(gx_xparse *p, gx_xnode **out)
{
    u32 at = p->start;
    switch (p->kind) {
    case GX_XT_SLASH:
        *out = gx_xnode_root(p, at);
        GX_TRY(gx_xparse_next(p));
        if (!begins_step(p))
            return GX_OK;
        GX_TRY(step(p, out));
        return steps(p, out);
    case GX_XT_SLASHES:
        *out = gx_xnode_root(p, at);
        return steps(p, out);
    case GX_XT_VAR: case GX_XT_FUNC: case GX_XT_NUM: case GX_XT_STR: case GX_XT_LPAR: {
        gx_xnode *preds;
        int positional;
        GX_TRY(primary(p, out));
        if (p->kind != GX_XT_LBRACKET && p->kind != GX_XT_SLASH && p->kind != GX_XT_SLASHES)
            return GX_OK;
        GX_TRY(gx_xnode_to_set(p, out, p->kind == GX_XT_LBRACKET ? "what a predicate filters" : "what a path begins with"));
        at = p->start;
        GX_TRY(gx_xparse_predicates(p, &preds, &positional));
        *out = gx_xnode_filter(p, *out, preds, at);
        return steps(p, out);
    }
    default:
        if (!begins_step(p))
            return syntax_error(p, "an expression");
        *out = gx_xnode_context(p, at);
        GX_TRY(step(p, out));
        return steps(p, out);
    }
}

static gx_status union_of(gx_xparse *p, gx_xnode **out)
{
    GX_TRY(path(p, out));
    while (p->kind == GX_XT_PIPE) {
        gx_xnode *right, *both = gx_xnode_make(p, GX_X_UNION, GX_T_SET, p->start);
        GX_TRY(gx_xparse_next(p));
        GX_TRY(path(p, &right));
        GX_TRY(gx_xnode_to_set(p, out, "the left side of '|'"));
        GX_TRY(gx_xnode_to_set(p, &right, "the right side of '|'"));
        both->heavy = 1;
        gx_xnode_adopt(both, *out);
        gx_xnode_adopt(both, right);
        *out = both;
    }
    return GX_OK;
}

/* One level deeper: every way from the parser into itself leads through here. */
static gx_status enter(gx_xparse *p)
{
    if (++p->nest > GX_XPATH_DEPTH)
        return gx_xparse_fail(p, p->start, "more than %u levels of nesting", GX_XPATH_DEPTH);
    return GX_OK;
}

static gx_status unary(gx_xparse *p, gx_xnode **out)
{
    u32 at = p->start;
    int minuses = 0;
    while (p->kind == GX_XT_OP && p->op == GX_X_SUB) {
        minuses++;
        GX_TRY(gx_xparse_next(p));
    }
    GX_TRY(union_of(p, out));
    if (!minuses)
        return GX_OK;
    gx_xnode *value = gx_xnode_convert(p, *out, GX_T_NUM);
    if (value->op == GX_X_NUM)
        value = gx_xnode_num(p, minuses & 1 ? -value->num : value->num, at);
    else if (minuses & 1) {             /* --x is number(x) */
        gx_xnode *neg = gx_xnode_make(p, GX_X_NEG, GX_T_NUM, at);
        gx_xnode_adopt(neg, value);
        value = neg;
    }
    *out = value;
    return GX_OK;
}

/* Two operands of one operator, folded where that is exact: literals, and what a constant on the left decides alone. */
static gx_xnode *combine(gx_xparse *p, u32 op, gx_xnode *left, gx_xnode *right, u32 at)
{
    u32 type = GX_T_BOOL;
    if (op == GX_X_OR || op == GX_X_AND) {
        left = gx_xnode_convert(p, left, GX_T_BOOL);
        right = gx_xnode_convert(p, right, GX_T_BOOL);
        if (left->op == GX_X_BOOL)      /* 3.4: the right is then not evaluated: function-available('f') and f() */
            return (left->b != 0) == (op == GX_X_OR) ? left : right;
    } else if (op >= GX_X_ADD) {
        type = GX_T_NUM;
        left = gx_xnode_convert(p, left, GX_T_NUM);
        right = gx_xnode_convert(p, right, GX_T_NUM);
        if (left->op == GX_X_NUM && right->op == GX_X_NUM && op != GX_X_MOD) {
            double x = left->num, y = right->num;
            return gx_xnode_num(p, op == GX_X_ADD ? x + y : op == GX_X_SUB ? x - y : op == GX_X_MUL ? x * y : x / y, at);
        }
    }
    gx_xnode *node = gx_xnode_member(p, op, left, right, at);
    if (!node)
        node = length_test(p, op, left, right, at);
    if (!node && op == GX_X_EQ)
        node = gx_xnode_join_equal(p, left, right, at);
    if (node)
        return node;
    node = gx_xnode_make(p, op, type, at);
    const int compares = op >= GX_X_EQ && op <= GX_X_GE;
    gx_xnode_adopt(node, compares ? gx_xnode_beside(p, left) : left);
    gx_xnode_adopt(node, compares ? gx_xnode_beside(p, right) : right);
    return node;
}

static gx_status binary(gx_xparse *p, u32 least, gx_xnode **out)
{
    GX_TRY(enter(p));
    GX_TRY(unary(p, out));
    while (p->kind == GX_XT_OP && p->precedence >= least) {
        u32 op = p->op, at = p->start, precedence = p->precedence;
        gx_xnode *right;
        GX_TRY(gx_xparse_next(p));
        GX_TRY(binary(p, precedence + 1, &right));
        *out = combine(p, op, *out, right, at);
    }
    if ((*out)->depth > GX_XPATH_DEPTH)
        return gx_xparse_fail(p, p->start, "more than %u operators or levels of nesting", GX_XPATH_DEPTH);
    p->nest--;
    return GX_OK;
}

gx_status gx_xparse_expr(gx_xparse *p, gx_xnode **out) { return binary(p, 1, out); }

gx_status gx_xparse_all(gx_xparse *p, const gx_xpath_env *env, const char *text, u32 len, gx_xnode **out)
{
    GX_TRY(gx_xparse_begin(p, env, "expression", text, len));
    GX_TRY(gx_xparse_expr(p, out));
    return p->kind == GX_XT_END ? GX_OK : syntax_error(p, "an operator");
}
