/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.c -- what is known only when all of a stylesheet is compiled
 *
 * Dispatch. A mode's rules, best first, are spread over lists by the names that they can match, so that finding a
 * node's rule is one table access and, nearly always, one candidate:
 *
 *   rules of a mode, best first        elem[a]  elem[b]  elem[0]  other[text]
 *     0  a[@x]                          0
 *     1  b                                       1 (cut)
 *     2  a                              2 (cut)
 *     3  node()                                           3        3
 *
 * A list ends after a rule that the name alone decides ("cut"), unless some xsl:apply-imports may have to look behind
 * it. elem[0] is for names that the program does not know: rules for a namespace stand there too, and in the lists of
 * the names of that namespace. Names without a rule of their own share elem[0] or the list of their namespace. Modes
 * without rules for a kind share one empty table. Size: modes x names ranges, limited by MAX_DISPATCH.
 *
 * Flags of bodies flow from bodies to those that contain or call them, along edges that say which of them they pass on:
 *
 *                        position, last   not only text   messages
 *   branch -> parent          x                 x            x
 *   for-each -> parent                          x            x
 *   content -> parent         x                              x        (a variable's value is no output of its body)
 *   called -> caller          x                 x            x
 *   imported -> caller        x                              x
 *   rule -> its mode -> where templates are applied          x
 *
 * O(bodies + edges): a body is revisited only when it gets a flag that it did not have.
 */
#include <stdlib.h>
#include <string.h>
#include "sheet.h"

#define MAX_DISPATCH (8u << 20)         /* entries of the dispatch tables: 64 MiB */
#define MAX_CANDIDATES (32u << 20)

/* ---- graphs ---- */

/* Edges by their origin: those of node k are to[start[k]] .. to[start[k + 1] - 1]. */
typedef struct graph { u32 *start, *to, *label; } graph;

/* Edges sorted by where they start (counting sort): node k's are start[k] .. start[k + 1] of to[] and label[]. O(n +
 * edges). */
static graph make_graph(const gx_sheet *s, const gx_edge *edges, const u32 *labels, u32 n_edges, u32 n)
{
    gx_builder_charge(s->b, (n + 2ull * n_edges) * sizeof(u32));
    graph g = { apr_pcalloc(s->pool, (n + 2) * sizeof(u32)), apr_palloc(s->pool, (n_edges + 1) * sizeof(u32)),
                apr_palloc(s->pool, (n_edges + 1) * sizeof(u32)) };
    for (u32 i = 0; i < n_edges; i++)
        g.start[edges[i].from + 2]++;
    for (u32 k = 2; k <= n + 1; k++)
        g.start[k] += g.start[k - 1];
    for (u32 i = 0; i < n_edges; i++) {     /* start[k + 1] moves from where k's edges begin to where they end */
        u32 at = g.start[edges[i].from + 1]++;
        g.to[at] = edges[i].to;
        g.label[at] = labels ? labels[i] : 0;
    }
    return g;
}

/* A node on a cycle of the edges between n nodes, GX_NONE for none. Nodes without incoming edges are taken away until
 * none is left, without recursion. O(n + edges). */
u32 gx_sheet_cycle(const gx_sheet *s, const gx_edge *edges, u32 n_edges, u32 n)
{
    graph g = make_graph(s, edges, NULL, n_edges, n);
    u32 *n_in = apr_pcalloc(s->pool, (n + 1) * sizeof(u32)), *ready = apr_palloc(s->pool, (n + 1) * sizeof(u32)),
        n_ready = 0;
    for (u32 i = 0; i < n_edges; i++)
        n_in[edges[i].to]++;
    for (u32 k = 0; k < n; k++)
        if (!n_in[k])
            ready[n_ready++] = k;
    for (u32 done = 0; done < n_ready; done++)
        for (u32 i = g.start[ready[done]]; i < g.start[ready[done] + 1]; i++)
            if (!--n_in[g.to[i]])
                ready[n_ready++] = g.to[i];
    if (n_ready == n)
        return GX_NONE;
    /* What is left lies on a cycle or behind one; n steps back along edges from there end on a cycle. */
    u32 *from = apr_palloc(s->pool, n * sizeof(u32)), at = 0;
    for (u32 i = 0; i < n_edges; i++)
        if (n_in[edges[i].from] && n_in[edges[i].to])
            from[edges[i].to] = edges[i].from;
    while (!n_in[at])
        at++;
    for (u32 i = 0; i < n; i++)
        at = from[at];
    return at;
}

/* Marks the nodes at which some edge of a depth-first walk closes a cycle, and says how many are new. The walk has a
 * stack of its own. O(n + edges). */
u32 gx_sheet_back_edges(const gx_sheet *s, const gx_edge *edges, u32 n_edges, u32 n, u8 *marked)
{
    enum { NEW, OPEN, DONE };
    const graph g = make_graph(s, edges, NULL, n_edges, n);
    u8 *state = apr_pcalloc(s->pool, n + 1);
    u32 *open = apr_palloc(s->pool, (n + 1) * sizeof(u32)), *at = apr_palloc(s->pool, (n + 1) * sizeof(u32));
    u32 n_back = 0;
    memcpy(at, g.start, (n + 1) * sizeof(u32));
    for (u32 root = 0; root < n; root++) {
        u32 depth = 0;
        if (state[root] == NEW)
            open[depth++] = root;
        while (depth) {                     /* open[]: the path to the node at hand; at[node]: its next edge */
            const u32 node = open[depth - 1];
            state[node] = OPEN;
            if (at[node] == g.start[node + 1]) {
                state[node] = DONE;
                depth--;
                continue;
            }
            const u32 to = g.to[at[node]++];
            if (state[to] == NEW)
                open[depth++] = to;
            else if (state[to] == OPEN)
                n_back += !marked[to], marked[to] = 1;
        }
    }
    return n_back;
}

/* ---- rules to modes ---- */

typedef struct ranked_rule { gx_rule rule; u32 order; } ranked_rule;

static int compare_rules(const void *a, const void *b)
{
    const ranked_rule *x = a, *y = b;
    if (x->rule.mode != y->rule.mode)
        return x->rule.mode < y->rule.mode ? -1 : 1;
    if (x->rule.precedence != y->rule.precedence)
        return x->rule.precedence > y->rule.precedence ? -1 : 1;
    if (x->rule.priority != y->rule.priority)
        return x->rule.priority > y->rule.priority ? -1 : 1;
    return x->order > y->order ? -1 : 1;
}

static void sort_rules(gx_sheet *s)
{
    u32 n = s->b->rules.n;
    gx_builder_charge(s->b, n * sizeof(ranked_rule));
    ranked_rule *ranked = apr_palloc(s->pool, (n + 1) * sizeof *ranked);
    for (u32 i = 0; i < n; i++)
        ranked[i] = (ranked_rule){ *GX_VEC_AT(&s->b->rules, gx_rule, i), i };
    if (n)
        qsort(ranked, n, sizeof *ranked, compare_rules);
    for (u32 i = 0; i < n; i++)
        *GX_VEC_AT(&s->b->rules, gx_rule, i) = ranked[i].rule;
}

#define KIND_BIT(kind) (1u << (kind))

/* The kinds of nodes that a pattern can match, a bit each, by its last step's axis and test (XSLT 1.0, 5.2). All of
 * them for a pattern without a step, such as key(): its nodes are known only when it is evaluated. 0: it matches
 * nothing. */
static u32 kinds_of(const gx_builder *b, const gx_pattern *pattern)
{
    if (!pattern->n)
        return (1u << GX_N_KINDS) - 1;
    const gx_pstep *step = GX_VEC_AT(&b->psteps, gx_pstep, pattern->first);
    u32 principal = step->axis == GX_AXIS_ATTRIBUTE ? GX_KIND_ATTR
        : step->axis == GX_AXIS_NAMESPACE           ? GX_KIND_NS
                                                    : GX_KIND_ELEM;
    switch (step->test) {
    case GX_TEST_ROOT: return KIND_BIT(GX_KIND_ROOT);
    case GX_TEST_NAME: case GX_TEST_ANY: case GX_TEST_NS: return KIND_BIT(principal);
    case GX_TEST_NODE:
        return principal != GX_KIND_ELEM ? KIND_BIT(principal)
               : KIND_BIT(GX_KIND_ELEM) | KIND_BIT(GX_KIND_TEXT) | KIND_BIT(GX_KIND_COMMENT) | KIND_BIT(GX_KIND_PI);
    case GX_TEST_TEXT: return principal == GX_KIND_ELEM ? KIND_BIT(GX_KIND_TEXT) : 0;
    case GX_TEST_COMMENT: return principal == GX_KIND_ELEM ? KIND_BIT(GX_KIND_COMMENT) : 0;
    case GX_TEST_PI: case GX_TEST_PI_NAME: return principal == GX_KIND_ELEM ? KIND_BIT(GX_KIND_PI) : 0;
    default: return 0;
    }
}

typedef struct dispatcher {
    gx_sheet *s;
    int cut;                    /* no xsl:apply-imports: a rule that always matches ends its list */
    u32 empty_table;            /* dispatch entries that are all empty, GX_NONE until needed */
    /* the rules of the mode at hand that can match the kind at hand, best first */
    u32 *generic, n_generic;    /* every name, or a namespace */
    u32 *named, *named_start;   /* by pname */
    u32 *uri_list;              /* range + 1 by uri lit of the list that the names of a namespace share; reset by mode
                                   and kind */
    int any_ns;
} dispatcher;

static const gx_pattern *pattern_of(const dispatcher *d, u32 rule)
{
    return GX_VEC_AT(&d->s->b->patterns, gx_pattern, GX_VEC_AT(&d->s->b->rules, gx_rule, rule)->pattern);
}

/* The test and the name of a rule's own node; GX_TEST_NODE for id() and key(). */
static u32 test_of(const dispatcher *d, u32 rule, u32 *name)
{
    const gx_pattern *pattern = pattern_of(d, rule);
    *name = 0;
    if (!pattern->n)
        return GX_TEST_NODE;
    const gx_pstep *step = GX_VEC_AT(&d->s->b->psteps, gx_pstep, pattern->first);
    *name = step->name;
    return step->test;
}

/* Adds a candidate to the list being made; 1: the list is complete. other: the list is for nodes whose name says
 * nothing (those that have none, or one that the program does not know), so that a test for a target or a namespace is
 * still to be made. */
static int add_candidate(dispatcher *d, u32 rule, int other)
{
    u32 name, test = test_of(d, rule, &name);
    gx_builder_push(d->s->b, &d->s->b->candidates, &rule);
    return d->cut && pattern_of(d, rule)->simple && !(other && (test == GX_TEST_PI_NAME || test == GX_TEST_NS));
}

static u32 uri_of(const dispatcher *d, u32 pname) { return GX_VEC_AT(&d->s->b->pnames, gx_pname, pname)->uri; }

/* The list of one name: its own rules merged with those that do not ask for a name. Rule indexes are ranks. */
static gx_range make_list(dispatcher *d, u32 pname)
{
    gx_range range = { d->s->b->candidates.n, 0 };
    u32 i = d->named_start[pname], n = d->named_start[pname + 1], j = 0, name;
    while (i < n || j < d->n_generic) {
        if (j == d->n_generic || (i < n && d->named[i] < d->generic[j])) {
            if (add_candidate(d, d->named[i++], 0))
                break;
            continue;
        }
        u32 rule = d->generic[j++];
        if (test_of(d, rule, &name) == GX_TEST_NS && pname && uri_of(d, name) != uri_of(d, pname))
            continue;
        if (add_candidate(d, rule, !pname))
            break;
    }
    range.n = d->s->b->candidates.n - range.first;
    return range;
}

static u32 push_ranges(dispatcher *d, gx_range range, u32 n)
{
    u32 first = d->s->b->dispatch.n;
    for (u32 i = 0; i < n; i++)
        gx_builder_push(d->s->b, &d->s->b->dispatch, &range);
    return first;
}

/*
 * The table by name of one mode for elements or attributes (kind): for each name of the program the list of rules that
 * may match a node of that name, best first; the entry for names that no pattern mentions comes first. rules: the
 * mode's n from `first`, by rank. Returns its place among the ranges.
 *
 * Rules with a name are counted and sorted by it (named), others (*, p:*, node()) are merged into each list. Names
 * without rules of their own share the list of their namespace where p:* patterns need one, else the entry for other
 * names. O(rules + names + lengths of the lists); no rules for this kind: one empty table, shared.
 */
static u32 make_table(dispatcher *d, u32 first, u32 n, u32 kind)
{
    gx_builder *b = d->s->b;
    u32 n_names = b->pnames.n, n_able = 0, name;
    for (u32 rule = first; rule < first + n; rule++)
        n_able += kinds_of(b, pattern_of(d, rule)) >> kind & 1;
    if (!n_able) {
        if (d->empty_table == GX_NONE)
            d->empty_table = push_ranges(d, (gx_range){ 0, 0 }, n_names);
        return d->empty_table;
    }
    d->n_generic = 0;
    d->any_ns = 0;
    memset(d->named_start, 0, (n_names + 2) * sizeof(u32));
    for (u32 rule = first; rule < first + n; rule++) {
        if (!(kinds_of(b, pattern_of(d, rule)) & KIND_BIT(kind)))
            continue;
        u32 test = test_of(d, rule, &name);
        if (test == GX_TEST_NAME) {
            d->named_start[name + 2]++;
        } else {
            d->generic[d->n_generic++] = rule;
            d->any_ns |= test == GX_TEST_NS;
        }
    }
    for (u32 k = 2; k <= n_names + 1; k++)
        d->named_start[k] += d->named_start[k - 1];
    for (u32 rule = first; rule < first + n; rule++)        /* in order of rank: the lists of the names are too */
        if ((kinds_of(b, pattern_of(d, rule)) & KIND_BIT(kind)) && test_of(d, rule, &name) == GX_TEST_NAME)
            d->named[d->named_start[name + 1]++] = rule;
    gx_range other = make_list(d, 0);
    u32 table = push_ranges(d, other, n_names);
    if (d->any_ns)
        memset(d->uri_list, 0, b->lits.n * sizeof(u32));
    for (u32 k = 1; k < n_names && b->candidates.n <= MAX_CANDIDATES; k++) {
        gx_range *entry = GX_VEC_AT(&b->dispatch, gx_range, table + k);
        if (d->named_start[k] != d->named_start[k + 1]) {
            *entry = make_list(d, k);
        } else if (d->any_ns) {             /* the first name of a namespace makes the list, the others take it from
                                               there */
            u32 *known = &d->uri_list[uri_of(d, k)];
            if (!*known) {
                *entry = make_list(d, k);
                *known = k;
            } else {
                *entry = *GX_VEC_AT(&b->dispatch, gx_range, table + *known);
            }
        }
    }
    return table;
}

/* The tables by which a node's candidates are found, for each mode: by element name, by attribute name, and by kind for
 * the rest (the picture above). At the end, rules whose test the lists do not decide alone are no longer "simple", and
 * each mode's states for an automaton of its patterns are counted. O(modes x (rules + names)), limited by MAX_DISPATCH
 * and MAX_CANDIDATES: GX_ELIMIT. */
static gx_status make_dispatch(gx_sheet *s, int apply_imports)
{
    gx_builder *b = s->b;
    u32 n_rules = b->rules.n, n_names = b->pnames.n, rule = 0;
    dispatcher d = { .s = s, .cut = !apply_imports, .empty_table = GX_NONE };
    d.generic = apr_palloc(s->pool, (n_rules + 1) * sizeof(u32));
    d.named = apr_palloc(s->pool, (n_rules + 1) * sizeof(u32));
    d.named_start = apr_palloc(s->pool, (n_names + 3) * sizeof(u32));
    d.uri_list = apr_palloc(s->pool, (b->lits.n + 1) * sizeof(u32));
    for (u32 m = 0; m < b->modes.n; m++) {
        GX_TRY(gx_builder_go_on(b, "", 0, 0));
        u32 first = rule;
        while (rule < n_rules && GX_VEC_AT(&b->rules, gx_rule, rule)->mode == m)
            rule++;
        gx_mode *mode = GX_VEC_AT(&b->modes, gx_mode, m);
        mode->elem = make_table(&d, first, rule - first, GX_KIND_ELEM);
        mode->attr = make_table(&d, first, rule - first, GX_KIND_ATTR);
        mode->other = push_ranges(&d, (gx_range){ 0, 0 }, GX_N_KINDS);
        for (u32 kind = 0; kind < GX_N_KINDS; kind++) {
            if (kind == GX_KIND_ELEM || kind == GX_KIND_ATTR)
                continue;
            gx_range range = { b->candidates.n, 0 };
            for (u32 i = first; i < rule; i++)
                if ((kinds_of(b, pattern_of(&d, i)) & KIND_BIT(kind)) && add_candidate(&d, i, 1))
                    break;
            range.n = b->candidates.n - range.first;
            *GX_VEC_AT(&b->dispatch, gx_range, mode->other + kind) = range;
        }
        if (b->dispatch.n > MAX_DISPATCH || b->candidates.n > MAX_CANDIDATES)
            return gx_fail(s->err, GX_ELIMIT, GX_VEC_AT(&s->templates, gx_template, 0)->at.module->path, 0, 0,
                           "too many modes and patterns: their tables would need more than %u entries", MAX_DISPATCH);
    }
    /* The machine takes a simple pattern's word for it: only those that every list they stand in has decided may be
     * simple. */
    for (u32 i = 0; i < n_rules; i++) {
        u32 name, test = test_of(&d, i, &name);
        if (test == GX_TEST_PI_NAME || test == GX_TEST_NS)
            GX_VEC_AT(&b->patterns, gx_pattern, GX_VEC_AT(&b->rules, gx_rule, i)->pattern)->simple = 0;
    }
    for (u32 i = 0; i < n_rules; i++) {
        const gx_pattern *p = pattern_of(&d, i);
        if (p->n && GX_PATTERN_CLIMBS(p, GX_VEC_AT(&b->psteps, gx_pstep, p->first)))
            GX_VEC_AT(&b->modes, gx_mode, GX_VEC_AT(&b->rules, gx_rule, i)->mode)->states += p->n;
    }
    return GX_OK;
}

/* ---- flags ---- */

/* SPEAKS: messages, errors: must be walked to be seen */
enum { POSITION = 1, LAST = 2, NOT_TEXT = 4, SPEAKS = 8, ALL = 15 };

typedef struct flow {
    gx_sheet *s;
    gx_vec edges, passes;       /* gx_edge child -> parent; u32 mask */
    u8 *flags;                  /* by node: the bodies, "some rule's body", the modes */
} flow;

static void flows(flow *f, u32 from, u32 to, u32 mask)
{
    gx_edge edge = { from, to };
    if (from == GX_NONE)
        return;
    gx_builder_push(f->s->b, &f->edges, &edge);
    gx_builder_push(f->s->b, &f->passes, &mask);
}

/* What an instruction says about its body, as flags of its own or as an edge along which flags flow from the bodies
 * that it runs: do they ask for position() or last(), write anything but text, or speak (messages)? imports, and the
 * nodes behind it: "some rule's body" and each mode's. O(branches). */
static void read_instr(flow *f, const gx_instr *instr, u32 body, u32 imports)
{
    gx_builder *b = f->s->b;
    switch (instr->op) {
    case GX_I_TEXT: case GX_I_VALUE:
        f->flags[body] |= instr->flags & GX_IF_DOE ? NOT_TEXT : 0;
        break;
    case GX_I_NUMBER:
        break;
    case GX_I_VAR: case GX_I_PARAM:
        flows(f, instr->a, body, POSITION | LAST | SPEAKS);
        break;
    case GX_I_IF:
        flows(f, instr->a, body, ALL);
        break;
    case GX_I_CHOOSE:
        for (u32 i = 0; i < instr->b; i++)
            flows(f, GX_VEC_AT(&b->branches, gx_branch, instr->a + i)->body, body, ALL);
        break;
    case GX_I_FOR_EACH:
        flows(f, instr->a, body, NOT_TEXT | SPEAKS);
        break;
    case GX_I_CALL:
        flows(f, instr->a, body, ALL);
        break;
    case GX_I_APPLY_IMPORTS:
        flows(f, imports, body, POSITION | LAST | SPEAKS);
        f->flags[body] |= NOT_TEXT;
        break;
    case GX_I_APPLY:
        flows(f, imports + 1 + instr->a, body, SPEAKS);
        f->flags[body] |= NOT_TEXT;
        break;
    case GX_I_MESSAGE: case GX_I_ERROR:
        f->flags[body] |= NOT_TEXT | SPEAKS;
        break;
    default:
        f->flags[body] |= NOT_TEXT;
        break;
    }
}

/* Edges and flags as the instructions have them; imports as in read_instr. */
static void read_program(flow *f, u32 imports)
{
    gx_builder *b = f->s->b;
    for (u32 i = 0; i < b->rules.n; i++) {
        const gx_rule *rule = GX_VEC_AT(&b->rules, gx_rule, i);
        flows(f, rule->body, imports, POSITION | LAST | SPEAKS);
        flows(f, rule->body, imports + 1 + rule->mode, SPEAKS);
    }
    for (u32 i = 0; i < b->modes.n; i++)
        flows(f, imports + 1 + i, imports, SPEAKS);     /* what built-in rules apply */
    for (u32 k = 0; k < b->bodies.n; k++) {
        const gx_body *body = GX_VEC_AT(&b->bodies, gx_body, k);
        f->flags[k] |= (body->uses_position ? POSITION : 0) | (body->uses_last ? LAST : 0);
        for (u32 i = 0; i < body->n; i++)
            read_instr(f, GX_VEC_AT(&b->instrs, gx_instr, body->first + i), k, imports);
    }
}

/* Flags go along all edges, from a node to what it leads to, as far as an edge's label lets them pass, until nothing
 * changes: the least fixed point. A node waits at most once at a time, and is worked off anew only if it has got a
 * flag, so this is O(nodes + edges) for each of the few flags. */
static void spread(flow *f, u32 n_nodes)
{
    gx_sheet *s = f->s;
    graph g = make_graph(s, (const gx_edge *)f->edges.at, (const u32 *)f->passes.at, f->edges.n, n_nodes);
    u32 *todo = apr_palloc(s->pool, n_nodes * sizeof(u32)), n_todo = 0;
    u8 *waits = apr_pcalloc(s->pool, n_nodes);
    for (u32 k = 0; k < n_nodes; k++) {
        todo[n_todo++] = k;
        waits[k] = 1;
    }
    while (n_todo) {                        /* at most n_nodes wait: each waits once */
        u32 k = todo[--n_todo];
        waits[k] = 0;
        for (u32 i = g.start[k]; i < g.start[k + 1]; i++) {
            u32 to = g.to[i], had = f->flags[to];
            f->flags[to] |= (u8)(f->flags[k] & g.label[i]);
            if (f->flags[to] != had && !waits[to]) {
                waits[to] = 1;
                todo[n_todo++] = to;
            }
        }
    }
}

/* Is the content of a variable nothing but text? flags: by body */
static u8 text_only(const u8 *flags, u32 expr, u32 body)
{
    return expr == GX_NONE && body != GX_NONE && !(flags[body] & (NOT_TEXT | SPEAKS)) ? GX_IF_TEXT_ONLY : 0;
}

/* What spread() found, into bodies, variables, globals and functions: who needs position and size, whose value is text
 * only, who speaks. */
static void store_flags(gx_builder *b, const u8 *flags)
{
    for (u32 k = 0; k < b->bodies.n; k++) {
        gx_body *body = GX_VEC_AT(&b->bodies, gx_body, k);
        body->uses_position = !!(flags[k] & POSITION);
        body->uses_last = !!(flags[k] & LAST);
    }
    for (u32 i = 0; i < b->instrs.n; i++) {
        gx_instr *instr = GX_VEC_AT(&b->instrs, gx_instr, i);
        if (instr->op == GX_I_VAR || instr->op == GX_I_PARAM)
            instr->flags |= text_only(flags, instr->expr, instr->a);
    }
    for (u32 i = 0; i < b->globals.n; i++) {
        gx_global *global = GX_VEC_AT(&b->globals, gx_global, i);
        global->flags |= text_only(flags, global->expr, global->body);
    }
    for (u32 i = 0; i < b->functions.n; i++) {
        gx_function *function = GX_VEC_AT(&b->functions, gx_function, i);
        function->speaks = !!(flags[function->body] & SPEAKS);
    }
}

/* The global variables that something refers to (dyn:evaluate: to all), and whose content may have messages or
 * errors */
static gx_vec speaking_globals(gx_sheet *s, const u8 *flags)
{
    gx_builder *b = s->b;
    gx_vec speaking = { .size = sizeof(u32) };
    u8 *used = apr_pcalloc(s->pool, b->globals.n + 1), dynamic = 0;
    for (u32 i = 0; i < b->ops.n; i++) {
        const gx_op *op = GX_VEC_AT(&b->ops, gx_op, i);
        if (op->op == GX_X_GLOBAL)
            used[op->b] = 1;
        if (op->op == GX_X_FUNC && gx_function_traits(op->a) & GX_FT_DYNAMIC)
            dynamic = 1;                    /* its string may name any */
    }
    for (u32 i = 0; i < b->globals.n; i++) {
        u32 body = GX_VEC_AT(&b->globals, gx_global, i)->body;
        if ((used[i] || dynamic) && body != GX_NONE && flags[body] & SPEAKS)
            gx_builder_push(b, &speaking, &i);
    }
    return speaking;
}

/* Rules in order of choice, copies found, flags spread; then a start mode where globals have something to say, and the
 * dispatch tables of all modes. */
gx_status gx_sheet_link(gx_sheet *s)
{
    int apply_imports = 0;
    for (u32 i = 0; i < s->b->instrs.n; i++)
        apply_imports |= GX_VEC_AT(&s->b->instrs, gx_instr, i)->op == GX_I_APPLY_IMPORTS;
    u32 imports = s->b->bodies.n, n_nodes = imports + 1 + s->b->modes.n;
    flow f = { s, { .size = sizeof(gx_edge) }, { .size = sizeof(u32) }, apr_pcalloc(s->pool, n_nodes) };
    sort_rules(s);
    gx_sheet_find_copies(s);
    read_program(&f, imports);
    spread(&f, n_nodes);
    store_flags(s->b, f.flags);
    gx_vec speaking = speaking_globals(s, f.flags);
    if (speaking.n) {                       /* before all else, in a mode that has no rules */
        gx_mode mode = { .name = GX_NONE, .builtin = gx_sheet_reserve_body(s) };
        GX_TRY(gx_sheet_compile_start(s, (const u32 *)speaking.at, speaking.n, mode.builtin));
        s->b->start_mode = gx_builder_push(s->b, &s->b->modes, &mode);
    }
    return make_dispatch(s, apply_imports);
}
