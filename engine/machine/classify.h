/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classify.h -- the template rule of each node of a document at once: a mode's patterns as one automaton
 *
 * After Guimaraes 2013. The steps of patterns that look at ancestors are states: bits of as many words as it takes,
 * those of one pattern side by side in one word, the leftmost step first.
 *
 *   a//b/c, /d/e     bit   0 a   1 b   2 c   3 d   4 e
 *
 * A node is in a state if it passes the step's test and what stands to the left holds: nothing, the root as parent, the
 * bit before in the parent, or the bit before in any ancestor. So its states are one word of its label, and the words
 * of its parent and of all its ancestors, shifted by one. The last bit of a pattern decides it. Predicates are not part
 * of the automaton: a node in the last state of a pattern with predicates is a candidate, and match.h evaluates them.
 *
 * The way through the document is in document order. Each member takes a part of it, begins with the ancestors of its
 * first node, and keeps the states of the open elements by their depth. So there are no levels to wait for.
 *
 * Out, by node, kept to the end of the evaluation: the rule, GX_RULE_BUILTIN, or GX_RULE_ASK and the place in the list
 * of candidates whose predicates must be asked first.
 * Cost: O(nodes x words that their labels have), four syncs. Memory: 4 bytes a node; scratch: 12 bytes a label and
 * word, 16 an element that is open, word and member.
 */
#ifndef GX_MACHINE_CLASSIFY_H
#define GX_MACHINE_CLASSIFY_H

#include "axis.h"
#include "budget.h"
#include "cost.h"
#include "machine.h"
#include "memory.h"
#include "nodes.h"

#define GX_RULE_BUILTIN 0xfffffffeu     /* no template rule: the built-in one */
#define GX_RULE_ASK 0x80000000u

GX_OP int gx_pattern_plain(const gx_run *r, const gx_pattern *p)
{
    if (p->head != GX_NONE || !p->n)
        return 0;
    for (u32 i = 0; i < p->n; i++)
        if (r->psteps[p->first + i].bool_expr != GX_NONE || r->psteps[p->first + i].set_expr != GX_NONE)
            return 0;
    return 1;
}

GX_OP int gx_pstep_label(const gx_run *r, const gx_view *v, const gx_pstep *s, u32 label)
{
    const u32 kind = GX_LABEL_KIND(label);

    if (s->test == GX_TEST_ROOT)
        return kind == GX_KIND_ROOT;
    if (s->axis == GX_AXIS_ATTRIBUTE ? kind != GX_KIND_ATTR
        : s->axis == GX_AXIS_NAMESPACE ? kind != GX_KIND_NS
        : GX_IS_ATTACHED(kind) || kind == GX_KIND_ROOT)
        return 0;
    return gx_test_label(v, gx_test_bind(r, v, s->axis, s->test, s->name), label);
}
GX_OP int gx_pstep_test(const gx_run *r, const gx_view *v, const gx_pstep *s, u32 node)
{
    return gx_pstep_label(r, v, s, gx_label(v, node));
}

GX_OP gx_range gx_candidates(const gx_run *r, const gx_view *v, const gx_mode *mode, u32 node)
{
    u32 label = gx_label(v, node), kind = GX_LABEL_KIND(label), at;

    if (kind == GX_KIND_ELEM)
        at = mode->elem + v->pname_of[GX_LABEL_ID(label)];
    else if (kind == GX_KIND_ATTR)
        at = mode->attr + v->pname_of[GX_LABEL_ID(label)];
    else
        at = mode->other + kind;
    return r->dispatch[at];
}

/* Of the states of a word: those that a parent, or an ancestor, leads to, and those that begin anywhere, below the root
 * node, or in a tree with a root node */
typedef struct gx_begins { u64 child, far, any, root, tree; } gx_begins;

typedef struct gx_classifier {
    const gx_view *v;
    const gx_mode *mode;
    u32 first, n_rules, n_words;        /* the mode's rules */
    u32 *bit;                           /* by rule - first: the last state of its pattern; GX_NONE: it has none */
    gx_begins *begins;                  /* by word */
    u64 *of_label;                      /* by label's id and word: the states whose test it passes */
    u32 *word, *n_word;                 /* by label's id: those of its words that have any, n_word of them from the
                                           label's first place on */
} gx_classifier;

GX_OP int gx_has_states(const gx_run *r, const gx_pattern *p)
{
    return GX_PATTERN_CLIMBS(p, &r->psteps[p->first]);
}

/* The mode's rules, and how many words their states take */
GX_OP_BIG void gx_classify_size(const gx_run *r, u32 mode, gx_classifier *c)
{
    const u32 n = r->program->rules.n;
    u32 at = 0;

    c->mode = &r->modes[mode];
    for (c->first = 0; c->first < n && r->rules[c->first].mode != mode; )
        c->first++;
    for (c->n_rules = 0; c->first + c->n_rules < n && r->rules[c->first + c->n_rules].mode == mode; c->n_rules++) {
        const gx_pattern *p = &r->patterns[r->rules[c->first + c->n_rules].pattern];
        if (gx_has_states(r, p))
            at = ((at & 63) + p->n > 64 ? (at | 63) + 1 : at) + p->n;
    }
    c->n_words = (at + 63) / 64;
}

/* The automaton without its tests, by one member: each pattern that has states gets as many neighbouring bits as it has
 * steps, all in one word, its last step's bit the highest. begins, by word: from what each state can be entered (the
 * parent's states, any ancestor's, the root), so that a step of the automaton is a shift and three masks. O(steps of
 * the rules). */
GX_OP_BIG void gx_classify_states(const gx_run *r, gx_classifier *c)
{
    u32 at = 0;

    for (u32 w = 0; w < c->n_words; w++)
        GX_CLEAR(&c->begins[w]);
    for (u32 k = 0; k < c->n_rules; k++) {
        const gx_pattern *p = &r->patterns[r->rules[c->first + k].pattern];
        c->bit[k] = GX_NONE;
        if (!gx_has_states(r, p))
            continue;
        at = ((at & 63) + p->n > 64 ? (at | 63) + 1 : at) + p->n;
        c->bit[k] = at - 1;
        for (u32 i = 0; i < p->n; i++) {
            const u64 bit = (u64)1 << ((at - 1 - i) & 63);
            gx_begins *b = &c->begins[(at - 1) / 64];
            switch (r->psteps[p->first + i].up) {
            case GX_UP_PARENT: b->child |= bit; break;
            case GX_UP_ANCESTOR: b->far |= bit; break;
            case GX_UP_ROOT: b->root |= bit; break;
            case GX_UP_ROOT_DESC: b->tree |= bit; break;
            default: b->any |= bit;
            }
        }
    }
}

/* The labels that pass the steps of rule first + k */
GX_OP void gx_classify_tests(const gx_run *r, const gx_classifier *c, u32 k)
{
    const gx_view *v = c->v;

    if (c->bit[k] == GX_NONE)
        return;
    const gx_pattern *p = &r->patterns[r->rules[c->first + k].pattern];
    for (u32 i = 0; i < p->n; i++) {
        const gx_pstep *s = &r->psteps[p->first + i];
        const gx_bound_test b = gx_test_bind(r, v, s->axis, s->test, s->name);
        const u64 bit = (u64)1 << ((c->bit[k] - i) & 63);
        u32 from = 0, to = v->doc->n_labels;
        if (b.test == GX_TEST_NAME && b.label == GX_LABEL_NOTHING)
            continue;
        if (b.test == GX_TEST_NAME) {
            from = GX_LABEL_ID(b.label);
            to = from + 1;
        }
        for (u32 id = from; id < to; id++)
            if (gx_pstep_label(r, v, s, GX_LABEL(v->labels[id].kind, id)))
                team_or(&c->of_label[(u64)id * c->n_words + c->bit[k] / 64], bit);
    }
}

/* The words of a label that have states */
GX_OP void gx_classify_words(const gx_classifier *c, u32 id)
{
    const u64 first = (u64)id * c->n_words;
    u32 n = 0;

    for (u32 w = 0; w < c->n_words; w++)
        if (c->of_label[first + w])
            c->word[first + n++] = w;
    c->n_word[id] = n;
}

/* The states of a node: into its place of the stack, from its parent's, which is one below. Of a node without children
 * only the words that its label has. tree: as gx_begins' */
GX_OP void gx_classify_enter(const gx_classifier *c, u64 *stack, u32 i, int *tree)
{
    const gx_view *v = c->v;
    const u32 n = c->n_words, parent = v->parent[i], label = v->label[i];
    const u64 row = (u64)GX_LABEL_ID(label) * n;
    u64 *here = stack + 2 * (u64)n * v->depth[i];
    const u64 *up = here - 2 * (u64)n;
    const int is_root = parent == GX_NONE, is_leaf = v->next[i] == i + 1;
    const int below_root = !is_root && GX_LABEL_KIND(v->label[parent]) == GX_KIND_ROOT;

    if (is_root)
        *tree = GX_LABEL_KIND(label) == GX_KIND_ROOT;
    if (!is_leaf)
        for (u32 w = 0; w < n; w++) {
            here[w] = 0;
            here[n + w] = is_root ? 0 : up[n + w];
        }
    for (u32 k = 0; k < c->n_word[GX_LABEL_ID(label)]; k++) {
        const u32 w = c->word[row + k];
        const gx_begins *b = &c->begins[w];
        u64 open = b->any | (below_root ? b->root : 0) | (*tree ? b->tree : 0);
        if (!is_root)
            open |= (up[w] << 1 & b->child) | (up[n + w] << 1 & b->far);
        here[w] = c->of_label[row + w] & open;
        if (!is_leaf)
            here[n + w] |= here[w];
    }
}

/* What the states of a node say: its rule, or the candidate to be asked */
GX_OP u32 gx_classify_rule(const gx_run *r, const gx_classifier *c, const u64 *here, u32 node)
{
    const gx_range list = gx_candidates(r, c->v, c->mode, node);
    const u64 *passes = c->of_label + (u64)GX_LABEL_ID(gx_label(c->v, node)) * c->n_words;

    for (u32 k = 0; k < list.n; k++) {
        const u32 rule = r->candidates[list.first + k];
        const u32 bit = rule - c->first < c->n_rules ? c->bit[rule - c->first] : GX_NONE;
        const gx_pattern *p = &r->patterns[r->rules[rule].pattern];
        if (p->simple)
            return rule;
        if (bit != GX_NONE && !((passes[bit / 64] & here[bit / 64]) >> (bit & 63) & 1))
            continue;                   /* of a leaf the other words are not its own */
        if (bit != GX_NONE && gx_pattern_plain(r, p))
            return rule;
        if (bit != GX_NONE || !p->n || gx_pstep_test(r, c->v, &r->psteps[p->first], node))
            return GX_RULE_ASK | k;
    }
    return GX_RULE_BUILTIN;
}

/* A member's part of the document. Each entry of *out is written by one */
GX_OP_BIG gx_status gx_classify_part(gx_m *m, const gx_classifier *c, u64 *stack, u32 *out)
{
    const gx_view *v = c->v;
    const u32 size = team_size(&m->t), rank = team_rank(&m->t);
    const u32 from = (u32)((u64)v->n_nodes * rank / size), to = (u32)((u64)v->n_nodes * (rank + 1) / size);
    gx_watch watch = gx_watch_start();
    int tree = 0;

    if (from < to) {                    /* the ancestors of the first node, into the places that they get */
        for (u32 p = v->parent[from]; p != GX_NONE; p = v->parent[p])
            stack[2 * (u64)c->n_words * v->depth[p]] = p;
        for (u32 d = 0; d < v->depth[from]; d++)
            gx_classify_enter(c, stack, (u32)stack[2 * (u64)c->n_words * d], &tree);
    }
    for (u32 i = from; i < to; i++) {
        gx_classify_enter(c, stack, i, &tree);
        out[i] = gx_classify_rule(m->run, c, stack + 2 * (u64)c->n_words * v->depth[i], v->base + i);
        if (gx_watch_late(m, &watch, 1 + c->n_words / 8))
            break;
    }
    return gx_watch_end(m, &watch);
}

/* Where the document's column for a mode is, and behind it what its waves have cost so far, in units of 1024 ps, and
 * how many nodes they had */
GX_OP u32 gx_classified_ref(const gx_run *r, u32 mode)
{
    return r->program->key_names.n + 2 * r->program->numbers.n + 3 * mode;
}

/* Classifies the nodes of a document: a word for each node, its rule in the mode or the first candidate that must be
 * asked (gx_rule_classified). Members take parts of the nodes, each with a stack of its own. O(nodes x words of
 * states that their labels have), 4 bytes a node, kept until the end. Where there is too little room nothing is made,
 * and nothing is wrong. Complete for everyone. Fails with GX_ETIME. */
GX_OP_BIG gx_status gx_classify(gx_m *m, u32 mode, u32 view)
{
    const gx_run *r = m->run;
    const u64 mark = m->tmp;
    gx_classifier c;
    u64 *stacks;
    u32 *out;

    c.v = &r->views[view];
    gx_classify_size(r, mode, &c);
    const u64 cells = (u64)c.v->doc->n_labels * c.n_words, open = 2 * (u64)c.n_words * (c.v->doc->max_depth + 1);
    const u64 room = (u64)c.n_rules * 4 + c.n_words * sizeof(gx_begins) + cells * 12 + c.v->doc->n_labels * 4
        + open * team_size(&m->t) * 8 + 128;
    if (!c.n_words || room > m->tmp_end - m->tmp || (u64)c.v->n_nodes * 16 > m->top_end - m->top)
        return GX_OK;
    GX_TMP(m, c.bit, u32, c.n_rules);
    GX_TMP(m, c.begins, gx_begins, c.n_words);
    GX_TMP(m, c.of_label, u64, cells);
    GX_TMP(m, c.word, u32, cells);
    GX_TMP(m, c.n_word, u32, c.v->doc->n_labels);
    GX_TMP(m, stacks, u64, open * team_size(&m->t));
    if (team_rank(&m->t) == 0)
        gx_classify_states(r, &c);
    TEAM_FOR(&m->t, i, cells)
        c.of_label[i] = 0;
    team_sync(&m->t);
    TEAM_FOR(&m->t, k, c.n_rules)
        gx_classify_tests(r, &c, k);
    team_sync(&m->t);
    TEAM_FOR(&m->t, id, c.v->doc->n_labels)
        gx_classify_words(&c, id);
    team_sync(&m->t);
    GX_KEEP(m, out, u32, c.v->n_nodes);
    GX_TRY(gx_classify_part(m, &c, stacks + open * team_rank(&m->t), out));
    if (team_rank(&m->t) == 0)
        *gx_doc_ref(r, view, gx_classified_ref(r, mode)) = GX_REF_OF(m, out);
    m->lasting++;
    team_sync(&m->t);
    m->tmp = mark;
    return GX_OK;
}

#endif
