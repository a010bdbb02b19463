/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.h -- patterns (XSLT 1.0, 5.2) and the choice of template rules (5.5), for many nodes at once
 *
 * The label of a node picks the list of rules that could match it, best first. Most rules are decided by the label
 * alone or by looking at ancestors' labels: each member does that for its own nodes. A rule with predicates, id() or
 * key() is evaluated for all nodes that have come to it, as an expression over columns: pairs (owner, node) start as
 * (i, node i), lose those that fail the step, move to the parents or spread to the ancestors for the step on the left,
 * until the leftmost is through.
 */
#ifndef GX_MACHINE_MATCH_H
#define GX_MACHINE_MATCH_H

#include "axis.h"
#include "budget.h"
#include "classify.h"
#include "collect.h"
#include "column.h"
#include "eval.h"
#include "machine.h"
#include "memory.h"
#include "nodes.h"
#include "profile.h"
#include "value.h"

/*
 * Does one node match a plain pattern (names and kinds, no predicates)? Steps are compared from the last one up. Like a
 * glob with "//" for the star: the nearest ancestors that match the part between two "//" leave the most for the rest,
 * so only the last "//" ever has to be tried again. *work counts steps. O(depth x steps) at worst, a few steps as a
 * rule.
 */
GX_OP int gx_match_plain(const gx_run *r, const gx_view *v, const gx_pattern *p, u32 node, u64 *work)
{
    const gx_pstep *s = r->psteps + p->first;
    u32 retry_step = GX_NONE, retry_node = 0, k = 0;

    for (;; ++*work) {
        int ok = node != GX_NONE && gx_pstep_test(r, v, &s[k], node);
        if (ok) {
            u32 up = s[k].up;
            if (up == GX_UP_END)
                return 1;
            if (up == GX_UP_ROOT || up == GX_UP_ROOT_DESC) {
                u32 parent = gx_parent(v, node);
                if (up == GX_UP_ROOT_DESC ? gx_kind(v, gx_root_of(v, node)) == GX_KIND_ROOT
                    : parent != GX_NONE && gx_kind(v, parent) == GX_KIND_ROOT)
                    return 1;
                ok = 0;
            } else {
                node = gx_parent(v, node);
                k++;
                if (up == GX_UP_ANCESTOR) {
                    retry_step = k;
                    retry_node = node;
                }
                continue;
            }
        }
        if (retry_step == GX_NONE || retry_node == GX_NONE)
            return 0;
        retry_node = gx_parent(v, retry_node);
        if (retry_node == GX_NONE)
            return 0;
        node = retry_node;
        k = retry_step;
    }
}

/* compacts pairs (owner, node): those with keep[i] stay, in their order. keep: n + 1 entries of 0 or 1, scanned here.
 * *owner, *node, *n: the pairs, in new scratch. O(pairs). Complete for everyone. Fails with GX_EARENA. */
GX_OP gx_status gx_pairs_keep(gx_m *m, u32 **owner, u32 **node, u32 *keep, u32 *n)
{
    u32 *o, *d, total = 0, old = *n;

    GX_TRY(gx_scan(m, keep, old, &total));
    GX_TMP(m, o, u32, total);
    GX_TMP(m, d, u32, total);
    TEAM_FOR(&m->t, i, old)
        if (keep[i + 1] != keep[i]) {
            o[keep[i]] = (*owner)[i];
            d[keep[i]] = (*node)[i];
        }
    team_sync(&m->t);
    *owner = o;
    *node = d;
    *n = total;
    return GX_OK;
}

/* pairs move to all ancestors of their nodes, nearest first: a pair for each, as "//" wants. O(pairs x depth) in time
 * and scratch. Complete for everyone. Fails with GX_EARENA. */
GX_OP gx_status gx_pairs_ancestors(gx_m *m, u32 **owner, u32 **node, u32 *n)
{
    u32 *at, *o, *d, total = 0;

    GX_TMP(m, at, u32, *n + 1);
    TEAM_FOR(&m->t, i, *n) {
        const gx_view *v = gx_view_of(m, (*node)[i]);
        u32 c = 0;
        for (u32 p = gx_parent(v, (*node)[i]); p != GX_NONE; p = gx_parent(v, p))
            c++;
        at[i] = c;
    }
    GX_TRY(gx_scan(m, at, *n, &total));
    GX_TMP(m, o, u32, total);
    GX_TMP(m, d, u32, total);
    TEAM_FOR(&m->t, k, *n) {
        const gx_view *v = gx_view_of(m, (*node)[k]);
        u32 w = at[k];
        for (u32 p = gx_parent(v, (*node)[k]); p != GX_NONE; p = gx_parent(v, p)) {
            o[w] = (*owner)[k];
            d[w++] = p;
        }
    }
    team_sync(&m->t);
    *owner = o;
    *node = d;
    *n = total;
    return GX_OK;
}

/* env for predicates of patterns: a row for each of n nodes. Local variables, which only xsl:number's patterns may
 * have, are those of one row of the group (row; GX_NONE: none). O(n). Complete for everyone. Fails with GX_EARENA. */
GX_OP gx_status gx_env_pattern(gx_m *m, const u32 *nodes, u32 n, u32 row, gx_env *env)
{
    gx_env_nodes(env, nodes, n);
    if (row != GX_NONE) {
        u32 *rows;
        GX_TMP(m, rows, u32, n);
        TEAM_FOR(&m->t, i, n)
            rows[i] = row;
        team_sync(&m->t);
        env->group_row = rows;
    }
    return GX_OK;
}

/* Of the pairs those stay whose node is in what expr selects for a row of env: the one of its run, or of its own number
 * where run is NULL (gx_runs). *owner, *at and *n as gx_pairs_keep's. The expression once for all rows of env, then
 * O(log of a row's set) a pair. Complete for everyone. Fails as gx_eval(). */
GX_OP gx_status gx_match_selected(gx_m *m, u32 expr, const gx_env *env, const u32 *run, u32 **owner, u32 **at, u32 *n)
{
    const u32 *node = *at, pairs = *n;
    u32 *keep;
    gx_v v;
    GX_TRY(gx_eval(m, expr, env, &v));
    GX_TMP(m, keep, u32, pairs + 1);
    TEAM_FOR(&m->t, i, pairs) {
        u32 b, e;
        gx_v_range(&v, run ? run[i] : i, &b, &e);
        keep[i] = (u32)gx_ids_have((const u32 *)v.data, b, e, node[i]);
    }
    return gx_pairs_keep(m, owner, at, keep, n);
}

/* Of the pairs those stay whose node is in what expr selects from its parent: a step with positions, `item[3]`, which
 * XSLT 1.0, 5.2 defines by that selection. Adjacent siblings share one evaluation for their parent. As
 * gx_match_selected(). */
GX_OP gx_status gx_match_set(gx_m *m, u32 expr, u32 row, u32 **owner, u32 **at, u32 *n)
{
    const u32 *node = *at, pairs = *n;
    gx_env env;
    /* the nodes are mostly siblings in order: one evaluation for each run of equal parents */
    u32 *starts, *parent, n_runs;
    const u32 *heads, *run;
    GX_TMP(m, starts, u32, pairs + 1);
    TEAM_FOR(&m->t, i, pairs)
        starts[i] =
            !i || gx_parent(gx_view_of(m, node[i]), node[i]) != gx_parent(gx_view_of(m, node[i - 1]), node[i - 1]);
    GX_TRY(gx_runs(m, starts, pairs, &n_runs, &heads, &run));
    GX_TMP(m, parent, u32, n_runs);
    TEAM_FOR(&m->t, k1, n_runs) {
        const u32 first = node[heads ? heads[k1] : k1], up = gx_parent(gx_view_of(m, first), first);
        parent[k1] = up == GX_NONE ? first : up;
    }
    team_sync(&m->t);
    GX_TRY(gx_env_pattern(m, parent, n_runs, row, &env));
    return gx_match_selected(m, expr, &env, run, owner, at, n);
}

/* Of the pairs those stay whose node is in what the pattern begins with, id() or key(), selects in the node's tree.
 * Adjacent nodes of one tree share one evaluation. As gx_match_selected(). */
GX_OP gx_status gx_match_head(gx_m *m, u32 expr, u32 **owner, u32 **at, u32 *n)
{
    const u32 *node = *at, pairs = *n;
    gx_env env;
    /* the nodes are mostly of one tree: one evaluation for each run of them */
    u32 *starts, *context, n_runs;
    const u32 *heads, *run;
    GX_TMP(m, starts, u32, pairs + 1);
    TEAM_FOR(&m->t, i, pairs)
        starts[i] = !i || (!gx_one_tree(m) && gx_root_of(gx_view_of(m, node[i]), node[i])
                                              != gx_root_of(gx_view_of(m, node[i - 1]), node[i - 1]));
    GX_TRY(gx_runs(m, starts, pairs, &n_runs, &heads, &run));
    GX_TMP(m, context, u32, n_runs);
    TEAM_FOR(&m->t, k1, n_runs)
        context[k1] = node[heads ? heads[k1] : k1];
    team_sync(&m->t);
    gx_env_nodes(&env, context, n_runs);
    return gx_match_selected(m, expr, &env, run, owner, at, n);
}

/* matched[i] := node i matches the pattern (any pattern). matched has n entries. row: see gx_env_pattern; GX_NONE: no
 * local variables. A pattern without predicates is asked node by node, O(depth) each. Else pairs (node asked, node of
 * this step) go from the last step to the first, all together: each step drops pairs, goes up, or fans out to
 * ancestors; an expression is evaluated once for all pairs. Complete for everyone. Fails with GX_EARENA, GX_ETIME,
 * and as gx_eval. */
GX_OP_BIG gx_status gx_match_pattern(gx_m *m, const u32 *nodes, u32 n, u32 pattern, u32 row, u8 *matched)
{
    const gx_run *r = m->run;
    const gx_pattern *p = &r->patterns[pattern];
    u32 *owner, *node, *keep, pairs = n;
    gx_env env;
    gx_v v;

    TEAM_FOR(&m->t, i, n)
        matched[i] = 0;
    team_sync(&m->t);
    if (gx_pattern_plain(r, p)) {
        gx_watch watch = gx_watch_start();
        TEAM_FOR(&m->t, i, n) {
            matched[i] = (u8)gx_match_plain(r, gx_view_of(m, nodes[i]), p, nodes[i], &watch.work);
            if (gx_watch_late(m, &watch, 1))
                break;
        }
        return gx_watch_end(m, &watch);
    }
    GX_TMP(m, owner, u32, n);
    GX_TMP(m, node, u32, n);
    TEAM_FOR(&m->t, i, n) {
        owner[i] = i;
        node[i] = nodes[i];
    }
    team_sync(&m->t);
    for (u32 k = 0; k < p->n && pairs; k++) {
        const gx_pstep *s = &r->psteps[p->first + k];
        GX_TMP(m, keep, u32, pairs + 1);
        TEAM_FOR(&m->t, i, pairs)
            keep[i] = (u32)gx_pstep_test(r, gx_view_of(m, node[i]), s, node[i]);
        GX_TRY(gx_pairs_keep(m, &owner, &node, keep, &pairs));
        if (!pairs)
            break;
        if (s->bool_expr != GX_NONE) {
            GX_TRY(gx_env_pattern(m, node, pairs, row, &env));
            GX_TRY(gx_eval(m, s->bool_expr, &env, &v));
            GX_TMP(m, keep, u32, pairs + 1);
            TEAM_FOR(&m->t, i, pairs)
                keep[i] = (u32)gx_row_bool(m, &v, i);
            GX_TRY(gx_pairs_keep(m, &owner, &node, keep, &pairs));
        } else if (s->set_expr != GX_NONE)
            GX_TRY(gx_match_set(m, s->set_expr, row, &owner, &node, &pairs));
        if (!pairs)
            break;
        if (s->up == GX_UP_PARENT || s->up == GX_UP_HEAD_PARENT || s->up == GX_UP_ROOT) {
            u32 *up;
            GX_TMP(m, keep, u32, pairs + 1);
            GX_TMP(m, up, u32, pairs);
            TEAM_FOR(&m->t, i, pairs) {
                const gx_view *w = gx_view_of(m, node[i]);
                up[i] = gx_parent(w, node[i]);
                keep[i] = up[i] != GX_NONE && (s->up != GX_UP_ROOT || gx_kind(w, up[i]) == GX_KIND_ROOT);
            }
            team_sync(&m->t);
            node = up;
            GX_TRY(gx_pairs_keep(m, &owner, &node, keep, &pairs));
        } else if (s->up == GX_UP_ANCESTOR || s->up == GX_UP_HEAD_ANCESTOR)
            GX_TRY(gx_pairs_ancestors(m, &owner, &node, &pairs));
    }
    if (p->head != GX_NONE && pairs)
        GX_TRY(gx_match_head(m, p->head, &owner, &node, &pairs));
    TEAM_FOR(&m->t, i, pairs)
        TEAM_STORE(&matched[owner[i]], (u8)1);
    team_sync(&m->t);
    return GX_OK;
}

/*
 * The first candidate from *at on that matches: its rule; or, when it takes an expression to know, GX_NONE with *at =
 * the candidate; or GX_RULE_BUILTIN. low, high: apply-imports considers low <= precedence < high only.
 */
GX_OP u32 gx_rule_scan(const gx_m *m, const gx_view *v, gx_range c, u32 node, u32 low, u32 high, u32 *at,
                       gx_watch *watch)
{
    const gx_run *r = m->run;

    for (u32 k = *at; k < c.n && !gx_watch_late(m, watch, 1); k++) {
        u32 rule = r->candidates[c.first + k];
        const gx_rule *x = &r->rules[rule];
        const gx_pattern *p = &r->patterns[x->pattern];
        if (x->precedence < low || x->precedence >= high)
            continue;
        if (p->simple)
            return rule;
        if (gx_pattern_plain(r, p)) {
            if (gx_match_plain(r, v, p, node, &watch->work))
                return rule;
        } else if (!p->n || gx_pstep_test(r, v, &r->psteps[p->first], node)) {
            *at = k;
            return GX_NONE;
        }
    }
    *at = c.n;
    return GX_RULE_BUILTIN;
}

/* How many looks at candidates and steps a wave's n nodes would take: an estimate from 16 of them, at equal distances.
 * Nodes of other documents than v do not count. The same for all members. 16 times the cost of gx_rule_scan(). */
GX_OP_BIG u64 gx_rule_looks(const gx_m *m, const gx_view *v, const gx_mode *mode, const u32 *nodes, u32 n)
{
    gx_watch looks = gx_watch_start();
    u32 sampled = 0;

    for (u32 k = 0; k < 16; k++) {
        const u32 node = nodes[(u64)n * k / 16];
        u32 at = 0;
        if (!gx_view_holds(v, node))
            continue;
        gx_rule_scan(m, v, gx_candidates(m->run, v, mode, node), node, 0, GX_NONE, &at, &looks);
        sampled++;
    }
    return sampled ? looks.work * n / sampled : 0;
}

/* Adds what a wave's looks cost to what the mode's waves have cost in a document so far: *paid, in units of 1024 ps */
GX_OP u32 gx_rule_paid(u32 paid, u64 looks)
{
    const u64 all = paid + looks * GX_WORK_CLASS_LOOK / 1024;
    return all < GX_NONE ? (u32)all : GX_NONE;
}

/* Do the nodes that have not been asked for yet cost more than the automaton, if they cost what the others did? asked:
 * before this wave of n nodes, which is paid for */
GX_OP int gx_rule_pays(u32 paid, u32 asked, u32 n, u32 n_nodes, u64 whole)
{
    const u64 left = asked < n_nodes ? n_nodes - asked : n_nodes;      /* all have been: they are asked for again */
    return (u64)paid * 4096 >= whole && (u64)paid * left >= whole / 1024 * ((u64)asked + n);
}

/*
 * Is the mode's automaton to classify the document of the first node (classify.h)? If it is pinned; or when it pays,
 * and the waves have cost at least a quarter of what it costs: before, too little is known.
 * A team of one counts looks; others see samples of large waves. *is_classified: some document is.
 * On a GPU it has to be pinned: no costs were measured there.
 */
GX_OP_BIG gx_status gx_choose_automaton(gx_m *m, const u32 *nodes, u32 n, u32 mode_index, int *is_classified)
{
    const gx_run *r = m->run;
    const u32 pinned = GX_P_STRATEGY(r->program->flags);

    *is_classified = 0;
    if (pinned ? pinned != GX_STRATEGY_LEVELS : !TEAM_IS_CPU)
        return GX_OK;
    u32 view = 0;
    if (m->n_docs > 1) {
        team_sync(&m->t);               /* nodes that others wrote are looked at */
        view = gx_view_index(m, nodes[0]);
    }
    const gx_view *v = &r->views[view];
    u32 *ref = gx_doc_ref(r, view, gx_classified_ref(r, mode_index));

    *is_classified = *ref || m->n_docs > 1;
    if (*ref) {
        GX_PROFILE_RULES(GX_STRATEGY_LEVELS);
        return GX_OK;
    }
    if (!pinned) {
        if ((!TEAM_IS_SOLO && n < GX_CLASSIFY_WAVE) || v->n_nodes < 16 * GX_CLASSIFY_WAVE)
            return GX_OK;
        team_sync(&m->t);               /* likewise */
        const u64 words = (r->modes[mode_index].states + 63) / 64;
        const u64 whole = v->n_nodes * (GX_WORK_CLASS_NODE + words * GX_WORK_CLASS_WORD);
        const u64 looks = n < GX_CLASSIFY_WAVE ? 0 : gx_rule_looks(m, v, &r->modes[mode_index], nodes, n);
        const u32 paid = gx_rule_paid(ref[1], looks);
        const int pays = gx_rule_pays(paid, ref[2], n, v->n_nodes, whole);
        if (!TEAM_IS_SOLO) {
            team_sync(&m->t);           /* all have read them */
            if (team_rank(&m->t) == 0) {
                ref[1] = paid;
                ref[2] += n;
            }
        }
        if (!pays)
            return GX_OK;
    }
    GX_TRY(gx_classify(m, mode_index, view));
    if (*ref) {
        *is_classified = 1;
        GX_PROFILE_RULES(GX_STRATEGY_LEVELS);
    }
    return GX_OK;
}

/* The same as gx_rule_scan from 0 on, of a node that has been classified */
GX_OP u32 gx_rule_classified(u32 what, u32 *at)
{
    if (what == GX_RULE_BUILTIN || !(what & GX_RULE_ASK))
        return what;
    *at = what & ~GX_RULE_ASK;
    return GX_NONE;
}

/*
 * rules[i] := the template rule for node i in the mode, or GX_RULE_BUILTIN. low, high: import precedences that may be
 * chosen (xsl:apply-imports). Complete for everyone.
 *
 * Each node goes through the candidates of its label, best rule first, until one is sure. A candidate with a predicate
 * must be asked: nodes that wait for the same rule are asked together, one round for each rule. O(nodes x candidates)
 * and a round's O(nodes) for each rule that is asked. Where that has cost more than the mode's automaton would, all
 * nodes of the document are classified instead (classify.h). Fails with GX_EARENA, GX_ETIME, and as gx_eval.
 */
GX_OP_BIG gx_status gx_choose_rules(gx_m *m, const u32 *nodes, u32 n, u32 mode_index, u32 low, u32 high, u32 *rules)
{
    const gx_run *r = m->run;
    const gx_mode *mode = &r->modes[mode_index];
    u32 *at, pending = 0;
    u64 looks;
    int waiting, little, is_classified = 0;
    gx_watch watch = gx_watch_start();

    if (mode->states && n && !low && high == GX_NONE)
        GX_TRY(gx_choose_automaton(m, nodes, n, mode_index, &is_classified));
    GX_TMP(m, at, u32, n);
    TEAM_FOR(&m->t, i, n) {
        const u32 view = gx_view_index(m, nodes[i]);
        const gx_view *v = &r->views[view];
        const u32 ref = is_classified ? *gx_doc_ref(r, view, gx_classified_ref(r, mode_index)) : 0;
        at[i] = 0;
        rules[i] = ref ? gx_rule_classified(GX_PTR(m, const u32, ref)[nodes[i] - v->base], &at[i])
                       : gx_rule_scan(m, v, gx_candidates(r, v, mode, nodes[i]), nodes[i], low, high, &at[i], &watch);
        pending |= rules[i] == GX_NONE;
        if (gx_watch_late(m, &watch, 0))
            break;
    }
    looks = watch.work;
    GX_TRY(gx_watch_asks(m, &watch, (int)pending, &waiting, &little));
    while (waiting) {
        /* all that wait for the same rule as the first one that waits */
        watch = gx_watch_start();
        u32 first = GX_NONE, rule, count, *index, *list, *asked;
        u8 *matched;
        gx_range c;
        TEAM_FOR(&m->t, i, n)
            if (rules[i] == GX_NONE) {
                first = i;
                break;
            }
        first = team_min(&m->t, first);
        c = gx_candidates(r, gx_view_of(m, nodes[first]), mode, nodes[first]);
        rule = r->candidates[c.first + at[first]];
        GX_TMP(m, index, u32, n + 1);
        pending = 0;
        TEAM_FOR(&m->t, i, n) {
            index[i] = 0;
            if (rules[i] == GX_NONE) {
                gx_range d = gx_candidates(r, gx_view_of(m, nodes[i]), mode, nodes[i]);
                index[i] = r->candidates[d.first + at[i]] == rule;
                pending |= !index[i];
            }
        }
        GX_TRY(gx_scan(m, index, n, &count));
        GX_TMP(m, list, u32, count);
        GX_TMP(m, asked, u32, count);
        GX_TMP(m, matched, u8, count);
        TEAM_FOR(&m->t, i, n)
            if (index[i + 1] != index[i]) {
                list[index[i]] = i;
                asked[index[i]] = nodes[i];
            }
        team_sync(&m->t);
        GX_TRY(gx_match_pattern(m, asked, count, r->rules[rule].pattern, GX_NONE, matched));
        TEAM_FOR(&m->t, k, count) {
            u32 i = list[k];
            if (matched[k])
                rules[i] = rule;
            else {
                const gx_view *v = gx_view_of(m, nodes[i]);
                at[i]++;
                rules[i] = gx_rule_scan(m, v, gx_candidates(r, v, mode, nodes[i]), nodes[i], low, high, &at[i], &watch);
                pending |= rules[i] == GX_NONE;
            }
            if (gx_watch_late(m, &watch, 0))
                break;
        }
        looks += watch.work + count / 4 + n / 16 + 4;       /* a round's own loops, in looks */
        GX_TRY(gx_watch_asks(m, &watch, (int)pending, &waiting, &little));
    }
    if (TEAM_IS_SOLO && mode->states && n && !is_classified) {
        u32 *ref = gx_doc_ref(r, gx_view_index(m, nodes[0]), gx_classified_ref(r, mode_index));
        ref[1] = gx_rule_paid(ref[1], looks);
        ref[2] += n;
    }
    return GX_OK;
}

#endif
