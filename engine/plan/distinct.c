/* SPDX-License-Identifier: Apache-2.0 */
/*
 * distinct.c -- gx:twig(path): equal branches of a tree pattern match different nodes (Shnaiderman 2011)
 *
 * In XPath a[b][b] asks for one b. In GPU-Twig's patterns it asks for two: siblings with the same label match distinct
 * nodes. Here that is written in XPath's own terms, so every strategy and every team can evaluate it:
 *
 *   a[b[c]][b[d]]      ->   a[b[c]][b[d]][count(b[c] | b[d]) >= 2]
 *   a[b[c]]/b          ->   a[b[c]][count(b[c]) >= 2]/b  |  a[b[c]]/b[not(c)]
 *
 * First line: branches B1 .. Bm with one node test match distinct nodes if and only if any k of them match at least k
 * nodes together (Hall's theorem). Second line: the next step of the path is a branch, too. A node that it leads to
 * takes one of the nodes of each branch that it meets itself, those of T: then any k branches of which one is in T
 * need k + 1 nodes. There is an operand of the union for each T, in which the node meets no other branch.
 *
 * A branch is a predicate, or a part of one joined by "and", that is a relative path of child, attribute or descendant
 * steps, or compares such a path with a literal. Whatever else a predicate asks keeps XPath's meaning.
 *
 * Cost: O(2^m) conditions for m branches with one test; BRANCHES and SYNTAX_NODES bound it.
 */
#include <string.h>
#include "rules.h"

#define BRANCHES 5u             /* with one test, below one node */
#define GROUPS 64u             /* of branches with different tests */
#define SAME_NODES 256u         /* that two branches are compared by */
#define SYNTAX_NODES 20000u     /* of what the path becomes, with each shared part counted where it is used */

static gx_syntax *copy(gx_planner *p, const gx_syntax *s)
{
    gx_syntax *node = gx_syntax_make(&p->text, s->kind, s->at);
    *node = *s;
    node->next = NULL;
    return node;
}

/* A step without its predicates and its input */
static gx_syntax *bare(gx_planner *p, const gx_syntax *s)
{
    gx_syntax *node = copy(p, s);
    node->preds = node->last_pred = node->kids = node->last = NULL;
    node->n = 0;
    node->depth = 1;
    return node;
}

static gx_syntax *pair(gx_planner *p, gx_syntax_kind kind, u32 op, const gx_syntax *left, const gx_syntax *right)
{
    gx_syntax *node = gx_syntax_make(&p->text, kind, left->at);
    node->op = (u8)op;
    gx_syntax_adopt(node, copy(p, left));
    gx_syntax_adopt(node, copy(p, right));
    return node;
}

static gx_syntax *call(gx_planner *p, const char *local, const gx_syntax *argument)
{
    gx_syntax *node = gx_syntax_make(&p->text, GX_S_CALL, argument->at);
    node->prefix = "";
    node->local = local;
    gx_syntax_adopt(node, copy(p, argument));
    return node;
}

static int is_comparison(u32 op)
{
    return op == GX_X_EQ || op == GX_X_NE || op == GX_X_LT || op == GX_X_LE || op == GX_X_GT
        || op == GX_X_GE;
}

static int is_dot(const gx_syntax *s)
{
    return s->kind == GX_S_STEP && s->axis == GX_AXIS_SELF && s->test == GX_TEST_NODE && !s->preds && !s->deep;
}

static int is_edge(const gx_syntax *s)
{
    return s->kind == GX_S_STEP
        && (s->axis == GX_AXIS_CHILD || s->axis == GX_AXIS_ATTRIBUTE || (s->axis == GX_AXIS_DESCENDANT && !s->deep));
}

/* A relative path whose steps are edges; it may begin with "." */
static int is_branch_path(const gx_syntax *s)
{
    int n = 0;
    for (; is_edge(s); s = s->kids)
        n++;
    if (is_dot(s))
        s = s->kids;
    return n && s->kind == GX_S_CONTEXT;
}

static int is_branch(const gx_syntax *s)
{
    if (s->kind != GX_S_BINARY || !is_comparison(s->op))
        return is_branch_path(s);
    const gx_syntax *right = s->kids->next;
    return is_branch_path(s->kids) && (right->kind == GX_S_LITERAL || right->kind == GX_S_NUMBER);
}

/* Is s a truth that does not depend on the context's position? */
static int is_placeless(const gx_syntax *s)
{
    if (s->kind == GX_S_CALL && (!strcmp(s->local, "position") || !strcmp(s->local, "last") || *s->prefix))
        return 0;
    for (const gx_syntax *kid = s->kids; kid; kid = kid->next)
        if (!is_placeless(kid))
            return 0;
    return 1;
}

static int is_plain(const gx_syntax *step)
{
    static const char *const truths[] = { "not", "boolean", "true", "false", "contains", "starts-with", "lang" };

    for (const gx_syntax *s = step->preds; s; s = s->next) {
        int truth = s->kind == GX_S_STEP || s->kind == GX_S_UNION || s->kind == GX_S_LITERAL
            || (s->kind == GX_S_BINARY && (is_comparison(s->op) || s->op == GX_X_AND || s->op == GX_X_OR));
        for (u32 i = 0; s->kind == GX_S_CALL && i < sizeof truths / sizeof *truths; i++)
            truth |= !strcmp(s->local, truths[i]);
        if (!truth || !is_placeless(s))
            return 0;
    }
    return 1;
}

/* Are two lists of syntax nodes the same, with all below them? left: how many nodes may still be compared; what has
 * more counts as different, which costs conditions and never a wrong answer. */
static int is_same(const gx_syntax *a, const gx_syntax *b, u32 *left)
{
    for (; a && b; a = a->next, b = b->next) {
        if (!*left || a->kind != b->kind || a->op != b->op || a->axis != b->axis || a->test != b->test
            || a->deep != b->deep || a->name != b->name || memcmp(&a->num, &b->num, sizeof a->num)
            || !a->prefix != !b->prefix || !a->local != !b->local || (a->prefix && strcmp(a->prefix, b->prefix))
            || (a->local && strcmp(a->local, b->local)))
            return 0;
        --*left;
        if (!is_same(a->kids, b->kids, left) || !is_same(a->preds, b->preds, left))
            return 0;
    }
    return !a && !b;
}

/* Of branches with one test. It decides how many conditions are written, not what they mean */
static int is_same_branch(const gx_syntax *a, const gx_syntax *b)
{
    u32 left = SAME_NODES;
    return a->deep == b->deep && is_same(a->preds, b->preds, &left);
}

static int is_same_test(const gx_syntax *a, const gx_syntax *b)
{
    return a->axis == b->axis && a->test == b->test && a->name == b->name && !a->prefix == !b->prefix;
}

/* ---- a node's branches ------------------------------------------------------------------------------------------- */

/* Branches with one test, each as a single step from the context node with all that is asked of it */
typedef struct branches { gx_syntax *at[BRANCHES]; u32 n; } branches;

static gx_status qualified(gx_planner *p, const gx_syntax *step, gx_syntax *rest, gx_syntax *to);

/* *out: a branch as one step from the context node, with the other steps and the comparison as its predicates, built
 * from the last step to the first: b/c = 'x' becomes b[c[. = 'x']]. Its own predicates are rewritten on the way
 * (qualified). Fails where a descendant step counts positions: those would be counted along another axis. */
static gx_status branch(gx_planner *p, const gx_syntax *s, gx_syntax **out)
{
    gx_syntax *rest = NULL, *path = (gx_syntax *)s;
    if (s->kind == GX_S_BINARY) {       /* b/c = 'x'  ->  b[c[. = 'x']] */
        gx_syntax *dot = gx_syntax_make(&p->text, GX_S_STEP, s->at);
        dot->axis = GX_AXIS_SELF;
        dot->test = GX_TEST_NODE;
        gx_syntax_adopt(dot, gx_syntax_make(&p->text, GX_S_CONTEXT, s->at));
        rest = pair(p, GX_S_BINARY, s->op, dot, s->kids->next);
        path = s->kids;
    }
    for (;; path = path->kids) {
        gx_syntax *node = bare(p, path);
        const gx_syntax *input = path->kids;
        if (node->axis == GX_AXIS_DESCENDANT) {
            if (!is_plain(path))
                return gx_xparse_fail(&p->text, path->at, "gx:twig(): positions on the descendant axis");
            node->axis = GX_AXIS_CHILD;
            node->deep = 1;
        }
        gx_syntax *from = gx_syntax_make(&p->text, GX_S_CONTEXT, path->at);
        if (node->deep) {               /* .//b */
            gx_syntax *dot = gx_syntax_make(&p->text, GX_S_STEP, path->at);
            dot->axis = GX_AXIS_SELF;
            dot->test = GX_TEST_NODE;
            gx_syntax_adopt(dot, from);
            from = dot;
        }
        gx_syntax_adopt(node, from);
        GX_TRY(qualified(p, path, rest, node));
        rest = node;
        if (!is_edge(input))
            break;
    }
    *out = rest;
    return GX_OK;
}

/* Puts a branch into the group with its test, made if there is none. Fails beyond BRANCHES of one name or GROUPS of
 * names: conditions grow as 2^BRANCHES. */
static gx_status add_branch(gx_planner *p, gx_syntax *branch, branches *group, u32 *n)
{
    u32 g = 0;

    while (g < *n && !is_same_test(group[g].at[0], branch))
        g++;
    if (g == *n && g < GROUPS)
        group[(*n)++].n = 0;
    if (g == GROUPS || group[g].n == BRANCHES)
        return gx_xparse_fail(&p->text, branch->at, "gx:twig(): more than %u branches with %s",
                              g == GROUPS ? GROUPS : BRANCHES, g == GROUPS ? "different names" : "one name");
    group[g].at[group[g].n++] = branch;
    return GX_OK;
}

/* A predicate with its branches rewritten, and added to their groups */
static gx_status conjuncts(gx_planner *p, const gx_syntax *s, gx_syntax **to, branches *group, u32 *n)
{
    if (s->kind == GX_S_BINARY && s->op == GX_X_AND) {
        gx_syntax *left, *right;
        GX_TRY(conjuncts(p, s->kids, &left, group, n));
        GX_TRY(conjuncts(p, s->kids->next, &right, group, n));
        *to = pair(p, GX_S_BINARY, GX_X_AND, left, right);
        return GX_OK;
    }
    *to = copy(p, s);
    if (!is_branch(s))
        return GX_OK;
    GX_TRY(branch(p, s, to));
    return add_branch(p, *to, group, n);
}

/* Predicates of `to`: for each set J of branches, count(their nodes) >= |J|, or one more where J has a branch of
 * `taken` (Hall's theorem; see this file's head). Branches that are the same need the condition of their largest set
 * only, and sets of one branch none. O(2^branches) predicates. */
static void enough(gx_planner *p, const branches *b, u32 taken, gx_syntax *to)
{
    for (u32 j = 1; j < 1u << b->n; j++) {
        u32 k = 0, is_largest = 1;
        gx_syntax *all = NULL;
        for (u32 i = 0; i < b->n; i++) {
            int is_new = 1;
            for (u32 h = 0; h < i; h++)
                if (is_same_branch(b->at[h], b->at[i])) {
                    /* with every other one that is the same, more are asked for of the same nodes */
                    is_largest &= (j >> h & 1) == (j >> i & 1);
                    is_new = 0;
                }
            if (!(j >> i & 1))
                continue;
            k++;
            if (is_new)
                all = all ? pair(p, GX_S_UNION, 0, all, b->at[i]) : b->at[i];
        }
        k += (j & taken) != 0;
        if (k < 2 || !is_largest)
            continue;
        gx_syntax *number = gx_syntax_make(&p->text, GX_S_NUMBER, all->at);
        number->num = k;
        gx_syntax_add_predicate(to, pair(p, GX_S_BINARY, GX_X_GE, call(p, "count", all), number));
    }
}

/* What is asked of a node: its predicates, rewritten; its branches, by their test */
typedef struct asked {
    gx_syntax **pred;
    u32 n_preds, until;         /* until: this many predicates have branches in them or before them */
    branches *group;
    u32 n;
} asked;

static u32 n_branches(const asked *a)
{
    u32 n = 0;
    for (u32 g = 0; g < a->n; g++)
        n += a->group[g].n;
    return n;
}

/* Reads step's predicates into *a: each rewritten, and its branches by their test. rest: one more branch, the step that
 * follows in a branch's path, rewritten already; or NULL. Fails as branch() and add_branch(). */
static gx_status read_predicates(gx_planner *p, const gx_syntax *step, gx_syntax *rest, asked *a)
{
    u32 n = 1;

    for (const gx_syntax *s = step->preds; s; s = s->next)
        n++;
    a->pred = apr_palloc(p->pool, n * sizeof *a->pred);
    a->group = apr_palloc(p->pool, GROUPS * sizeof *a->group);
    a->n = a->n_preds = a->until = 0;
    for (const gx_syntax *s = step->preds; s; s = s->next) {
        const u32 had = n_branches(a);
        GX_TRY(conjuncts(p, s, &a->pred[a->n_preds++], a->group, &a->n));
        if (n_branches(a) > had)
            a->until = a->n_preds;
    }
    if (rest) {
        a->pred[a->n_preds++] = rest;
        if (rest->kind == GX_S_STEP && rest->axis != GX_AXIS_SELF)
            GX_TRY(add_branch(p, rest, a->group, &a->n));
        a->until = a->n_preds;
    }
    return GX_OK;
}

/* The predicates of `to`; those that count stand behind the last one with a branch, before positions that follow */
static void write_predicates(gx_planner *p, const asked *a, gx_syntax *to)
{
    for (u32 i = 0; i < a->n_preds; i++) {
        gx_syntax_add_predicate(to, copy(p, a->pred[i]));
        for (u32 g = 0; i + 1 == a->until && g < a->n; g++)
            enough(p, &a->group[g], 0, to);
    }
}

static gx_status qualified(gx_planner *p, const gx_syntax *step, gx_syntax *rest, gx_syntax *to)
{
    asked a;
    GX_TRY(read_predicates(p, step, rest, &a));
    write_predicates(p, &a, to);
    return GX_OK;
}

/* ---- the path ---------------------------------------------------------------------------------------------------- */

/* Sets of branches of which each has with one branch all that are the same */
static int is_closed(const branches *b, u32 set)
{
    for (u32 i = 1; i < b->n; i++)
        for (u32 h = 0; h < i; h++)
            if ((set >> h & 1) != (set >> i & 1) && is_same_branch(b->at[h], b->at[i]))
                return 0;
    return 1;
}

/* input/next, where next meets no branch that is not in `taken`: those become not(self::node()[...]) predicates. far:
 * next is no child of input's node but below one of its children, so that branches for children need not be excluded.
 * of_next: what next's own predicates ask for. */
static gx_syntax *step_to(gx_planner *p, const gx_syntax *input, const gx_syntax *next, const asked *of_next,
                          const branches *b, u32 taken, int far)
{
    gx_syntax *node = bare(p, next);
    if (far) {                          /* below any child */
        gx_syntax *child = gx_syntax_make(&p->text, GX_S_STEP, next->at);
        child->axis = GX_AXIS_CHILD;
        child->test = GX_TEST_ANY;
        gx_syntax_adopt(child, copy(p, input));
        input = child;
    }
    gx_syntax_adopt(node, copy(p, input));
    write_predicates(p, of_next, node);
    for (u32 i = 0; i < b->n; i++) {
        if (taken >> i & 1 || (far && !b->at[i]->deep))
            continue;
        gx_syntax *self = gx_syntax_make(&p->text, GX_S_STEP, next->at);
        self->axis = GX_AXIS_SELF;
        self->test = GX_TEST_NODE;
        gx_syntax_adopt(self, gx_syntax_make(&p->text, GX_S_CONTEXT, next->at));
        for (const gx_syntax *s = b->at[i]->preds; s; s = s->next)
            gx_syntax_add_predicate(self, copy(p, s));
        gx_syntax_add_predicate(node, call(p, "not", self));
    }
    return node;
}

/* A step whose axis is child or attribute, perhaps behind "//" */
static gx_status plain_step(gx_planner *p, const gx_syntax *s, gx_syntax **out)
{
    *out = (gx_syntax *)s;
    if (s->axis != GX_AXIS_DESCENDANT)
        return GX_OK;
    if (!is_plain(s))
        return gx_xparse_fail(&p->text, s->at, "gx:twig(): positions on the descendant axis");
    *out = copy(p, s);
    (*out)->axis = GX_AXIS_CHILD;
    (*out)->deep = 1;
    return GX_OK;
}

/* How many nodes s has, with what follows it in its list; counts no further than most */
static u32 size_of(const gx_syntax *s, u32 most)
{
    u32 n = 0;

    for (; s && n < most; s = s->next) {
        n++;
        n += n < most ? size_of(s->kids, most - n) : 0;
        n += n < most ? size_of(s->preds, most - n) : 0;
    }
    return n;
}

static gx_status check_size(gx_planner *p, const gx_syntax *s)
{
    if (size_of(s, SYNTAX_NODES) >= SYNTAX_NODES || s->depth > GX_XPATH_DEPTH)
        return gx_xparse_fail(&p->text, s->at, "gx:twig(): a pattern with too many branches of one name");
    return GX_OK;
}

/*
 * input/next, with different nodes for next and for the branches with its test, among those of input's last step: a
 * union with an operand for each set of branches that next's node meets itself (taken), of which the others need nodes
 * beside it. With "//" before next, an operand may be two: next is a child, or further below.
 *
 * O(2^branches) operands; check_size() fails what becomes too large. Fails where a branch beside next counts positions.
 */
static gx_status join_next(gx_planner *p, gx_syntax *input, const asked *of, const gx_syntax *next,
                           const asked *of_next, gx_syntax **out)
{
    static const branches none;
    const branches *b = &none;

    for (u32 g = 0; g < of->n; g++)
        if (is_same_test(of->group[g].at[0], next))
            b = &of->group[g];
    for (u32 i = 0; i < b->n; i++)
        if (!is_plain(b->at[i]))
            return gx_xparse_fail(&p->text, b->at[i]->at, "gx:twig(): positions in a branch beside a step of its name");
    *out = NULL;
    for (u32 taken = 0; taken < 1u << b->n; taken++) {
        int parts = 1;
        if (!is_closed(b, taken))
            continue;
        for (u32 i = 0; next->deep && i < b->n; i++)    /* is it one of the children that the branch asks for? */
            if (!b->at[i]->deep && !(taken >> i & 1))
                parts = 2;
        for (int far = 0; far < parts; far++) {
            gx_syntax *from = input, *step = (gx_syntax *)next;
            if (taken) {
                from = gx_syntax_make(&p->text, GX_S_FILTER, input->at);
                gx_syntax_adopt(from, copy(p, input));
                enough(p, b, taken, from);
            }
            if (parts == 2 && !far) {
                step = copy(p, next);
                step->deep = 0;
            }
            gx_syntax *path = step_to(p, from, step, of_next, b, taken, far);
            *out = *out ? pair(p, GX_S_UNION, 0, *out, path) : path;
        }
    }
    return b->n ? check_size(p, *out) : GX_OK;
}

/* s, a path, rewritten from its beginning to its end; *a: what its last step asks for, so that the step behind it is a
 * branch of it. Both sides of a union are rewritten by themselves. What is no edge of a pattern (another axis) ends the
 * pattern: the next step begins a new one. Recurses along the path, whose depth the parser limits. */
static gx_status rewrite(gx_planner *p, const gx_syntax *s, gx_syntax **out, asked *a)
{
    gx_syntax *input, *step;
    asked of;

    if (s->kind == GX_S_UNION) {
        gx_syntax *left, *right;
        GX_TRY(rewrite(p, s->kids, &left, a));
        GX_TRY(rewrite(p, s->kids->next, &right, a));
        *out = pair(p, GX_S_UNION, 0, left, right);
        return GX_OK;
    }
    if (s->kind == GX_S_FILTER) {       /* where a path begins: $set[b][b] */
        *out = bare(p, s);
        gx_syntax_adopt(*out, copy(p, s->kids));
        GX_TRY(read_predicates(p, s, NULL, a));
        write_predicates(p, a, *out);
        return GX_OK;
    }
    a->n = a->n_preds = a->until = 0;
    *out = copy(p, s);
    if (s->kind != GX_S_STEP)
        return GX_OK;
    GX_TRY(rewrite(p, s->kids, &input, &of));
    if (is_edge(s))
        GX_TRY(plain_step(p, s, &step));
    else {                              /* no part of the pattern */
        step = (gx_syntax *)s;
        of.n = 0;
    }
    GX_TRY(read_predicates(p, step, NULL, a));
    return join_next(p, input, &of, step, a, out);
}

gx_status gx_plan_distinct(gx_planner *p, const gx_syntax *path, gx_syntax **out)
{
    asked unused;

    GX_TRY(rewrite(p, path, out, &unused));
    return check_size(p, *out);
}
