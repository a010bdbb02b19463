/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copies.h -- subtrees that templates only copy
 *
 * Stylesheets that change a few things in a document and keep the rest have an identity template: xsl:copy around
 * xsl:apply-templates select="@*|node()". Where no other template matches anything below a node, the node is one kid
 * without a frame (GX_KID_COPY), and the serialiser writes its subtree as xsl:copy-of would: no frames, no waves, one
 * walk over the columns.
 *
 *   site            an identity template for @*|node(), and one for price
 *     item          frames: a price is below it
 *       name        copied
 *       price       its own template
 *     people        copied, with thousands of nodes
 *
 * The stylesheet compiler finds the templates that copy (gx_rule.copies). The lists of rules by name say which names
 * are only copied in a mode; the machine asks them once for each mode of a run. Nodes with other names are *changed*.
 * A subtree without changed nodes is copied:
 *   few nodes ask: the first node of each changed label behind the node, by halving the name index
 *   many ask: the number of changed nodes before each node, made once: one pass over the label column
 *
 * Only of the first document: others come from host steps and are small, or asked for once.
 */
#ifndef GX_MACHINE_COPIES_H
#define GX_MACHINE_COPIES_H

#include "collect.h"
#include "machine.h"
#include "match.h"
#include "memory.h"
#include "nodes.h"

#define GX_RULE_COPY 0xfffffffdu        /* beside GX_RULE_BUILTIN: the node, and all below it, are copied */

/* Do templates only copy the nodes with this label, where they are applied in the mode? *attrs: set when some are
 * applied to attributes */
GX_OP int gx_label_copied(const gx_run *r, const gx_view *v, u32 mode, u32 label, int *attrs)
{
    const u32 kind = v->labels[label].kind;
    const gx_mode *x = &r->modes[mode];
    const u32 at = kind == GX_KIND_ELEM ? x->elem + v->pname_of[label]
        : kind == GX_KIND_ATTR ? x->attr + v->pname_of[label] : x->other + kind;
    const gx_range c = r->dispatch[at];

    if (kind == GX_KIND_NS)
        return 1;                                       /* copied with their element; nothing selects them */
    for (u32 k = 0; k < c.n; k++) {
        const gx_rule *rule = &r->rules[r->candidates[c.first + k]];
        if (kind == GX_KIND_ELEM) {
            if (GX_COPIES_MODE(rule->copies) != mode)
                return 0;
            *attrs |= (int)(rule->copies & GX_COPIES_ATTRS);
        } else if (!rule->copies)
            return 0;
        if (r->patterns[rule->pattern].simple)
            return 1;
    }
    return kind == GX_KIND_TEXT;                        /* what the built-in rules copy */
}

/* *out := the mode's gx_copies, made when it is asked for first: the labels of the document's nodes that are not just
 * copied. Attributes count only where some element's template asks for templates of attributes. O(labels x rules of
 * each), once a mode. Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_copies_know(gx_m *m, u32 mode, const gx_copies **out)
{
    const gx_view *v = &m->run->views[0];
    const u32 n = v->doc->n_labels;
    gx_copies *copies = &m->run->copies[mode];
    u32 *changed, *labels, count;
    int attrs = 0;

    *out = copies;
    if (copies->known)
        return GX_OK;
    GX_TMP(m, changed, u32, n + 1);
    TEAM_FOR(&m->t, i, n)
        changed[i] = v->index_start[i] != v->index_start[i + 1] && v->labels[i].kind != GX_KIND_ROOT
            && !gx_label_copied(m->run, v, mode, i, &attrs);
    if (!team_any(&m->t, attrs))                        /* xsl:copy-of select="@*" asks no template */
        TEAM_FOR(&m->t, k, n)
            changed[k] = changed[k] && v->labels[k].kind != GX_KIND_ATTR;
    GX_TRY(gx_scan(m, changed, n, &count));
    GX_KEEP(m, labels, u32, count);
    TEAM_FOR(&m->t, j, n)
        if (changed[j + 1] != changed[j])
            labels[changed[j]] = j;
    if (team_rank(&m->t) == 0) {
        copies->n = count;
        copies->labels = GX_REF_OF(m, labels);
        copies->known = 1;
    }
    team_sync(&m->t);
    return GX_OK;
}

/* Counts the changed nodes before each. */
GX_OP_BIG gx_status gx_copies_count(gx_m *m, u32 mode)
{
    const gx_view *v = &m->run->views[0];
    gx_copies *copies = &m->run->copies[mode];
    const u32 *labels = GX_PTR(m, const u32, copies->labels), n = v->n_nodes;
    u32 *before, total;

    GX_KEEP(m, before, u32, (u64)n + 1);
    TEAM_FOR(&m->t, i, n)
        before[i] = 0;
    team_sync(&m->t);
    for (u32 k = 0; k < copies->n; k++) {
        const u32 *at = v->index + v->index_start[labels[k]];
        TEAM_FOR(&m->t, j, v->index_start[labels[k] + 1] - v->index_start[labels[k]])
            before[at[j]] = 1;
    }
    GX_TRY(gx_scan(m, before, n, &total));
    if (team_rank(&m->t) == 0)
        copies->before = GX_REF_OF(m, before);
    team_sync(&m->t);
    return GX_OK;
}

/* Is there a changed node below this one, or among its attributes? */
GX_OP int gx_copies_changed(const gx_m *m, const gx_view *v, const gx_copies *copies, u32 node)
{
    const u32 stop = v->next[node], *labels = GX_PTR(m, const u32, copies->labels);

    if (!copies->n || stop <= node + 1)
        return 0;
    if (copies->before) {
        const u32 *before = GX_PTR(m, const u32, copies->before);
        return before[node + 1] != before[stop];
    }
    for (u32 k = 0; k < copies->n; k++) {
        u32 lo = v->index_start[labels[k]], hi = v->index_start[labels[k] + 1];
        const u32 last = hi;
        while (lo < hi) {                               /* index[< lo] <= node < index[>= hi] */
            const u32 mid = lo + (hi - lo) / 2;
            if (v->index[mid] <= node)
                lo = mid + 1;
            else
                hi = mid;
        }
        if (lo < last && v->index[lo] < stop)
            return 1;
    }
    return 0;
}

/*
 * chosen[i], the rule of node i, becomes GX_RULE_COPY where the node and all below it are only copied. Attributes keep
 * their rule: the warning about an attribute that comes too late names its instruction. Roots keep it: the result
 * begins with a frame. If elements go on in several modes, those of the first mode are copied, and the others keep
 * their rule.
 */
GX_OP_BIG gx_status gx_choose_copies(gx_m *m, const u32 *nodes, u32 n, u32 *chosen)
{
    const gx_run *r = m->run;
    const gx_view *v = &r->views[0];
    const gx_copies *copies;
    u32 mode = GX_NONE;

    TEAM_FOR(&m->t, i, n) {
        const u32 rule = chosen[i], flags = rule >= GX_RULE_COPY || nodes[i] >= v->n_nodes ? 0 : r->rules[rule].copies;
        if (!flags)
            continue;
        const u32 kind = gx_kind(v, nodes[i]);
        if (kind > GX_KIND_ELEM && !GX_IS_ATTACHED(kind))
            chosen[i] = GX_RULE_COPY;
        else if (kind == GX_KIND_ELEM && GX_COPIES_MODE(flags) < mode)
            mode = GX_COPIES_MODE(flags);
    }
    mode = team_min(&m->t, mode);
    if (mode == GX_NONE)
        return GX_OK;
    GX_TRY(gx_copies_know(m, mode, &copies));
    if (copies->n && !copies->before && (u64)n * copies->n > v->n_nodes / 64)
        GX_TRY(gx_copies_count(m, mode));
    TEAM_FOR(&m->t, k, n) {
        const u32 rule = chosen[k];
        if (rule < GX_RULE_COPY && nodes[k] < v->n_nodes && GX_COPIES_MODE(r->rules[rule].copies) == mode
            && gx_kind(v, nodes[k]) == GX_KIND_ELEM && !gx_copies_changed(m, v, copies, nodes[k]))
            chosen[k] = GX_RULE_COPY;
    }
    team_sync(&m->t);
    return GX_OK;
}

#endif
