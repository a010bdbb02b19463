/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frames.h -- making frames: groups, chunks, template instantiation
 */
#ifndef GX_MACHINE_FRAMES_H
#define GX_MACHINE_FRAMES_H

#include "budget.h"
#include "collect.h"
#include "column.h"
#include "copies.h"
#include "machine.h"
#include "match.h"
#include "memory.h"
#include "merge.h"
#include "nodes.h"
#include "result.h"
#include "store.h"

/* ---- groups ---- */

/* The transformation ends here: for who goes on otherwise, a function or a recursion without end that the message
 * stands before */
GX_OP gx_status gx_end(gx_m *m, const gx_instr *message, u32 group)
{
    m->group = group;                           /* for the error's place */
    m->where = message->where;
    return gx_raise(m, GX_ETERMINATE, GX_RE_TERMINATED,
                    message[1].op == GX_I_TEXT ? gx_lit_str(m, message[1].a) : gx_str_none());
}

typedef struct gx_frames {      /* what gx_frames_make needs; refs */
    u32 body, n, rule, depth;
    u32 parent, parent_row, context, position, size, params;
} gx_frames;

/* Instantiates a body: *chunk := ref of n new frames, queued behind those that wait; 0 when the body is empty or n is
 * 0. One group of columns for all n: slots and variables are zero, context, position and size are f's (kept by the
 * caller). Frames run later (gx_machine_run), so this is O(1) in n. Complete after the next sync. Fails with
 * GX_EARENA, with GX_ELIMIT at the depth of recursion, or with the message that ends the transformation. */
GX_OP_BIG gx_status gx_frames_make(gx_m *m, const gx_frames *f, u32 *chunk)
{
    const gx_body *b = &m->run->bodies[f->body];
    u64 bytes = sizeof(gx_chunk) + sizeof(gx_group) + ((u64)b->n_slots + b->n_vars) * sizeof(gx_col) + 32;
    char *p;
    gx_chunk *c;
    gx_group *g;
    u32 ref;

    *chunk = 0;
    if (b->empty || !f->n)
        return GX_OK;
    if (f->depth > m->run->max_recursion)
        return m->last_word ? gx_end(m, &m->run->instrs[m->last_word - 1], m->last_group)
                            : gx_raise(m, GX_ELIMIT, GX_RE_RECURSION, gx_str_none());
    GX_KEEP(m, p, char, bytes);
    c = (gx_chunk *)p;
    g = (gx_group *)(p + ((sizeof *c + 15) & ~15u));
    ref = GX_REF_OF(m, c);
    if (team_rank(&m->t) == 0) {
        gx_col *slots = (gx_col *)((char *)g + ((sizeof *g + 15) & ~15u));
        gx_zero(p, bytes);
        c->group = GX_REF_OF(m, g);
        c->n = f->n;
        g->body = f->body;
        g->n = f->n;
        g->rule = f->rule;
        g->parent = f->parent;
        g->parent_row = f->parent_row;
        g->context = f->context;
        g->position = f->position;
        g->size = f->size;
        g->slots = GX_REF_OF(m, slots);
        g->vars = GX_REF_OF(m, slots + b->n_slots);
        g->params = f->params;
        g->depth = f->depth;
        g->caller = m->group;
        g->made = m->made;
        if (m->pend_last)
            GX_PTR(m, gx_chunk, m->pend_last)->next = ref;
    }
    m->made = GX_REF_OF(m, g);
    if (!m->pend_first)
        m->pend_first = ref;
    m->pend_last = ref;
    *chunk = ref;
    return GX_OK;
}

GX_OP void gx_slot_set(gx_m *m, const gx_instr *i, gx_col c)
{
    if (team_rank(&m->t) == 0)
        GX_PTR(m, gx_col, m->g->slots)[i->slot] = c;
}
GX_OP void gx_var_set(gx_m *m, u32 slot, gx_col c)
{
    if (team_rank(&m->t) == 0)
        GX_PTR(m, gx_col, m->g->vars)[slot] = c;
    team_sync(&m->t);
}
GX_OP gx_col gx_col_kids(u8 type, u32 n, u32 a, u32 b)
{
    gx_col c;

    GX_CLEAR(&c);
    c.type = a || b ? type : 0;
    c.n = n;
    c.a = a;
    c.b = b;
    return c;
}

/* out[i] = in[at[i]] of a kept u32 column, kept; ref 0 stays 0 */
GX_OP_BIG gx_status gx_take(gx_m *m, u32 ref, const u32 *at, u32 n, u32 *out)
{
    u32 *to;
    const u32 *from = GX_PTR(m, const u32, ref);

    *out = 0;
    if (!ref)
        return GX_OK;
    GX_KEEP(m, to, u32, n);
    TEAM_FOR(&m->t, i, n)
        to[i] = from[at[i]];
    team_sync(&m->t);
    *out = GX_REF_OF(m, to);
    return GX_OK;
}

/* *out := the parameters `params` for frames whose callers are rows[0 .. n) of the running group (rows NULL: the same
 * rows, and the same ref). Const values are shared; others are gathered and kept: O(n) for each. A parameter that was
 * not given stays without a type. Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_params_for(gx_m *m, u32 params, const u32 *rows, u32 n, u32 *out)
{
    gx_params *from = GX_PTR(m, gx_params, params), *to;

    *out = params;
    if (!params || !rows)
        return GX_OK;
    const u64 bytes = sizeof *to + (u64)from->n * sizeof(gx_param_value);
    to = (gx_params *)gx_keep(m, bytes);
    if (!to)
        return gx_full(m);
    if (team_rank(&m->t) == 0)
        gx_zero(to, bytes);
    for (u32 k = 0; k < from->n; k++) {
        gx_col c = from->at[k].col;
        if (!c.is_const && c.type) {
            gx_v v;
            gx_v_load(m, &c, &v);
            GX_TRY(gx_v_gather(m, &v, rows, n));
            GX_TRY(gx_store(m, &v, n, &c));
        }
        if (team_rank(&m->t) == 0) {
            to->n = from->n;
            to->at[k].name = from->at[k].name;
            to->at[k].col = c;
        }
    }
    team_sync(&m->t);
    *out = GX_REF_OF(m, to);
    return GX_OK;
}

/* ---- templates for nodes ---- */

#define GX_TO_ELEMENT 0xfffffff0u       /* the built-in rule for elements and the root */
#define GX_TO_TEXT 0xfffffff1u
#define GX_TO_NOTHING 0xfffffff2u
#define GX_TO_DONE 0xfffffff3u
#define GX_TO_COPY 0xfffffff4u          /* GX_RULE_COPY */
#define GX_TO_HAS_FRAME(to) ((to) <= GX_TO_ELEMENT)

/* What is made for a node: its rule, or one of those above */
GX_OP u32 gx_apply_to(gx_m *m, u32 rule, u32 id)
{
    const gx_run *r = m->run;

    if (rule == GX_RULE_BUILTIN) {
        const u32 kind = gx_kind(gx_view_of(m, id), id);
        return kind == GX_KIND_ELEM || kind == GX_KIND_ROOT ? GX_TO_ELEMENT
            : kind == GX_KIND_TEXT || kind == GX_KIND_ATTR  ? GX_TO_TEXT
                                                            : GX_TO_NOTHING;
    }
    if (rule == GX_RULE_COPY)
        return GX_TO_COPY;
    return r->bodies[r->rules[rule].body].empty ? GX_TO_NOTHING : rule;
}

#define GX_APPLY_FEW 8u                 /* rules that are walked for one after the other */

typedef struct gx_apply_args {
    u32 mode, low, high, params;
    u32 position, size;         /* refs of columns to be used as they are: apply-imports keeps the current node list. 0:
                                   the pairs' own */
} gx_apply_args;

/* The nodes that rules are applied to. ids, kept; to: a rule's number or GX_TO_*, of each; first: the first node's;
 * rows: the caller's row of each, where it is asked for; position, size: kept, or NULL; off: of the callers' rows,
 * kept */
typedef struct gx_applied {
    u32 n, total, *ids, *to, first, *rows, *position, *size, *off;
    int differs;                /* not all have the same */
} gx_applied;

/* Does a body ask for position(), 1, for last(), 2? */
GX_OP u32 gx_places_of(const gx_body *body) { return (body->uses_position != 0) | (body->uses_last != 0) << 1; }

/*
 * t->to[i] := what is made for node i of t->ids: a template rule's number, a built-in rule or a copy (GX_TO_*);
 * t->first, t->differs: whether that is the same for all. *places: whether some body asks for position() or last(), so
 * that these columns are kept only then. Choosing may evaluate patterns' predicates, for all nodes at once. Cost:
 * gx_choose_rules, and O(nodes). Complete for everyone. Fails as the predicates do; GX_NEED: one of them needs a value
 * first.
 */
GX_OP gx_status gx_apply_choose(gx_m *m, const gx_apply_args *args, gx_applied *t, u32 *places)
{
    const gx_run *r = m->run;
    const u32 total = t->total;
    u32 *chosen, differs = 0, use = 0;

    GX_TMP(m, chosen, u32, total);
    GX_TMP(m, t->to, u32, total);
    GX_TRY(gx_choose_rules(m, t->ids, total, args->mode, args->low, args->high, chosen));
    if (r->copies)
        GX_TRY(gx_choose_copies(m, t->ids, total, chosen));
    t->first = gx_apply_to(m, chosen[0], t->ids[0]);
    TEAM_FOR(&m->t, i, total) {
        const u32 to = t->to[i] = gx_apply_to(m, chosen[i], t->ids[i]);
        differs |= to != t->first;
        if (to < GX_TO_ELEMENT)
            use |= gx_places_of(&r->bodies[r->rules[to].body]);
    }
    t->differs = team_any(&m->t, (int)differs);
    if (t->differs)                                     /* else each member met that rule alone, or none */
        use = (team_any(&m->t, use & 1) ? 1u : 0) | (team_any(&m->t, use >> 1) ? 2u : 0);
    else if (t->first < GX_TO_ELEMENT)
        use = gx_places_of(&r->bodies[r->rules[t->first].body]);
    *places = use;
    return GX_OK;
}

/* t's rows, position, size and off: kept columns, since frames read them later. places: which of position() and last()
 * some body asks for; args->position and size: columns that xsl:apply-imports passes on as they are (XSLT 1.0, 5.6: the
 * current node list stays). O(nodes). Complete after the next sync. Fails with GX_EARENA. */
GX_OP gx_status gx_apply_places(gx_m *m, const gx_v *set, const gx_apply_args *args, u32 places, gx_applied *t)
{
    if (places || args->params)
        GX_TRY(gx_pair_rows(m, set, &t->rows));
    if (args->position || args->size) {
        t->position = args->position ? GX_PTR(m, u32, args->position) : NULL;
        t->size = args->size ? GX_PTR(m, u32, args->size) : NULL;
        places = 0;
    }
    if (places & 1) {
        GX_KEEP(m, t->position, u32, t->total);
        TEAM_FOR(&m->t, i, t->total)
            t->position[i] = i - (set->off ? set->off[t->rows[i]] : i) + 1;
    }
    if (places & 2) {
        GX_KEEP(m, t->size, u32, t->total);
        TEAM_FOR(&m->t, i, t->total)
            t->size[i] = set->off ? set->off[t->rows[i] + 1] - set->off[t->rows[i]] : 1;
    }
    if (set->off) {
        t->off = (u32 *)gx_keep_copy(m, set->off, (u64)t->n + 1, 4);
        return t->off ? GX_OK : gx_full(m);
    }
    GX_KEEP(m, t->off, u32, (u64)t->n + 1);
    TEAM_FOR(&m->t, i, t->n + 1)
        t->off[i] = i;
    return GX_OK;
}

/* One rule for all: the nodes are the rows of one chunk, so no kid is written: *slot is GX_C_KID_RANGE, the chunk and
 * the rows' offsets. Takes nothing beside the parameters, which are spread from the callers' rows to the nodes; a
 * built-in rule gets none (XSLT 1.0, 5.8; XSLT 2.0 passes them on). */
GX_OP gx_status gx_apply_one(gx_m *m, const gx_apply_args *args, const gx_applied *t, gx_frames *f, gx_col *slot)
{
    const gx_run *r = m->run;
    u32 chunk;

    f->body = t->first == GX_TO_ELEMENT ? r->modes[args->mode].builtin : r->rules[t->first].body;
    f->rule = t->first == GX_TO_ELEMENT ? GX_NONE : t->first;
    f->n = t->total;
    f->context = GX_REF_OF(m, t->ids);
    f->position = t->position ? GX_REF_OF(m, t->position) : 0;
    f->size = t->size ? GX_REF_OF(m, t->size) : 0;
    if (t->first != GX_TO_ELEMENT && args->params) {
        team_sync(&m->t);
        GX_TRY(gx_params_for(m, args->params, t->rows, t->total, &f->params));
    }
    GX_TRY(gx_frames_make(m, f, &chunk));
    if (chunk)
        *slot = gx_col_kids(GX_C_KID_RANGE, t->n, chunk, GX_REF_OF(m, t->off));
    return GX_OK;
}

/* The nodes from place `at` on that have the rule: *list of *count places in t, ascending, in the scratch. One walk
 * over t for a team of one; flags, a scan and a scatter else. O(t->total) a rule. Complete for everyone. Fails with
 * GX_EARENA. */
GX_OP gx_status gx_apply_places_of(gx_m *m, const gx_applied *t, u32 at, u32 rule, u32 **list, u32 *count)
{
#if TEAM_IS_SOLO
    u32 n = 0, *places = gx_tmp_open(m, &(u64){0});
    if ((m->tmp_end - m->tmp) / 4 < t->total - at)
        return gx_full(m);
    for (u32 i = at; i < t->total; i++)
        if (t->to[i] == rule)
            places[n++] = i;
    gx_tmp(m, (u64)n * 4);
    *count = n;
    *list = places;
#else
    u32 *index, *places;
    (void)at;
    GX_TMP(m, index, u32, t->total + 1);
    TEAM_FOR(&m->t, i, t->total)
        index[i] = t->to[i] == rule;
    GX_TRY(gx_scan(m, index, t->total, count));
    GX_TMP(m, places, u32, *count);
    TEAM_FOR(&m->t, i, t->total)
        if (index[i + 1] != index[i])
            places[index[i]] = i;
    team_sync(&m->t);
    *list = places;
#endif
    return GX_OK;
}

/* Orders places by what is made for their nodes, then by place: for gx_merge() */
GX_OP int gx_apply_before(const void *ctx, u32 a, u32 b)
{
    const u32 *to = (const u32 *)ctx;
    return to[a] != to[b] ? to[a] < to[b] : a < b;
}

/* The places that are not done in runs of one rule: *order holds the places, those of a rule one behind the other and
 * ascending. *runs: where in it each of *n_runs runs begins, in the order in which the rules are met, as they would be
 * one after the other. In the scratch. O(total log total), whatever the number of rules. Complete for everyone. Fails
 * with GX_EARENA. */
GX_OP gx_status gx_apply_runs(gx_m *m, const gx_applied *t, const u32 **order, u32 **runs, u32 *n_runs)
{
    const u32 total = t->total;
    u32 *perm, *aux, *off, *begin, *list;

    GX_TMP(m, perm, u32, total);
    GX_TMP(m, aux, u32, total);
    GX_TMP(m, off, u32, 2);
    GX_TMP(m, begin, u32, (u64)total + 1);
    gx_one_row(m, off, total);
    team_sync(&m->t);
    const u32 *sorted = gx_merge(m, gx_apply_before, t->to, perm, aux, off, NULL, 1, total);
    u32 *at = sorted == perm ? aux : perm;              /* by place: where its run begins */
    TEAM_FOR(&m->t, k, total) {
        const u32 place = sorted[k], to = t->to[place];
        at[place] = k;
        begin[place] = to != GX_TO_DONE && (!k || t->to[sorted[k - 1]] != to);
    }
    team_sync(&m->t);
    GX_TRY(gx_scan(m, begin, total, n_runs));
    GX_TMP(m, list, u32, *n_runs);
    TEAM_FOR(&m->t, i, total)
        if (begin[i + 1] != begin[i])
            list[begin[i]] = at[i];
    team_sync(&m->t);
    *order = sorted;
    *runs = list;
    return GX_OK;
}

/* The frames of one rule, for the nodes at these places: a chunk of `count` frames whose columns are gathered from t's,
 * and kids[place] refers to the frame, or to nothing where the body is empty. The nodes are GX_TO_DONE behind it.
 * Parameters are gathered by the callers' rows. O(count). Complete for everyone. Fails with GX_EARENA, GX_ELIMIT. */
GX_OP gx_status gx_apply_rule(gx_m *m, const gx_apply_args *args, const gx_applied *t, u32 rule, const u32 *list,
                              u32 count, gx_frames *f, gx_kid *kids)
{
    const gx_run *r = m->run;
    u32 chunk;

    f->body = rule == GX_TO_ELEMENT ? r->modes[args->mode].builtin : r->rules[rule].body;
    f->rule = rule == GX_TO_ELEMENT ? GX_NONE : rule;
    f->n = count;
    f->params = 0;
    const gx_body *body = &r->bodies[f->body];
    const u32 position = t->position && body->uses_position ? GX_REF_OF(m, t->position) : 0;
    const u32 size = t->size && body->uses_last ? GX_REF_OF(m, t->size) : 0;
    GX_TRY(gx_take(m, GX_REF_OF(m, t->ids), list, count, &f->context));
    GX_TRY(gx_take(m, position, list, count, &f->position));
    GX_TRY(gx_take(m, size, list, count, &f->size));
    if (args->params && rule != GX_TO_ELEMENT) {
        u32 *callers;
        GX_TMP(m, callers, u32, count);
        TEAM_FOR(&m->t, i, count)
            callers[i] = t->rows[list[i]];
        team_sync(&m->t);
        GX_TRY(gx_params_for(m, args->params, callers, count, &f->params));
    }
    GX_TRY(gx_frames_make(m, f, &chunk));
    TEAM_FOR(&m->t, k, count) {
        kids[list[k]].chunk = chunk ? chunk : GX_NONE;
        kids[list[k]].row = k;
        t->to[list[k]] = GX_TO_DONE;
    }
    team_sync(&m->t);
    return GX_OK;
}

/*
 * xsl:apply-templates and xsl:apply-imports: instantiates a template rule for each node of set (dense, rows of the
 * running group, sorted as xsl:sort says). *slot: the kids of the running group's rows, in the order of the pairs.
 *
 * Nodes of one rule become one chunk of frames, which later run as one group: that is what makes the machine set-wise.
 * All nodes with the same rule need no kids at all (gx_apply_one); texts and whole subtrees that are copied are kids
 * without frames.
 *
 * Cost: choosing the rules; O(nodes) for each of the first GX_APPLY_FEW rules that are used, O(nodes log nodes) for all
 * others together. The clock is looked at between rules. Complete for everyone.
 * The frames run later (gx_machine_run). Fails with GX_EARENA, GX_ELIMIT, or as patterns' predicates do.
 */
GX_OP_BIG gx_status gx_apply(gx_m *m, gx_v *set, const gx_apply_args *args, gx_col *slot)
{
    gx_applied t;
    gx_frames f;
    gx_kid *kids;
    u32 places = 0;

    GX_CLEAR(slot);
    GX_CLEAR(&t);
    t.n = set->n;
    t.total = gx_v_total(set);
    if (!t.total)
        return GX_OK;
    t.ids = (u32 *)gx_keep_copy(m, set->data, t.total, 4);
    if (!t.ids)
        return gx_full(m);
    GX_TRY(gx_apply_choose(m, args, &t, &places));
    if (!t.differs && t.first == GX_TO_NOTHING)
        return GX_OK;
    GX_TRY(gx_apply_places(m, set, args, places, &t));
    GX_CLEAR(&f);
    f.depth = m->g ? m->g->depth + 1 : 0;
    if (!t.differs && GX_TO_HAS_FRAME(t.first))
        return gx_apply_one(m, args, &t, &f, slot);
    GX_KEEP(m, kids, gx_kid, t.total);
    TEAM_FOR(&m->t, i, t.total) {
        kids[i].chunk = t.to[i] == GX_TO_TEXT ? GX_KID_TEXT : t.to[i] == GX_TO_COPY ? GX_KID_COPY : GX_NONE;
        kids[i].row = t.ids[i];
        if (!GX_TO_HAS_FRAME(t.to[i]))
            t.to[i] = GX_TO_DONE;
    }
    team_sync(&m->t);
    const u32 *order = NULL;
    u32 *runs = NULL, n_runs = 0;
    for (u32 from = 0, k = 0;; k++) {                   /* a pass for each of the first rules that are used */
        u32 at = GX_NONE, count = 0, *list = NULL;
        for (u32 i = from + team_rank(&m->t); i < t.total; i += team_size(&m->t))
            if (t.to[i] != GX_TO_DONE) {
                at = i;
                break;
            }
        at = team_min(&m->t, at);
        if (at == GX_NONE)
            break;
        if (k == GX_APPLY_FEW) {
            GX_TRY(gx_apply_runs(m, &t, &order, &runs, &n_runs));
            break;
        }
        from = at + 1;
        const u32 rule = t.to[at];
        GX_TRY(gx_apply_places_of(m, &t, at, rule, &list, &count));
        GX_TRY(gx_apply_rule(m, args, &t, rule, list, count, &f, kids));
    }
    for (u32 k = 0; k < n_runs; k++) {
        const u32 rule = t.to[order[runs[k]]];
        u32 lo = runs[k] + 1, hi = t.total;
        while (lo < hi) {                               /* order[runs[k]] .. order[lo - 1] have the rule */
            const u32 mid = lo + (hi - lo) / 2;
            if (t.to[order[mid]] == rule)
                lo = mid + 1;
            else
                hi = mid;
        }
        team_sync(&m->t);                               /* all have looked before places are done */
        GX_TRY(gx_apply_rule(m, args, &t, rule, order + runs[k], lo - runs[k], &f, kids));
        GX_TRY(gx_spend(m, GX_CHECK_EVERY / 256 + (lo - runs[k]) / GX_ROWS_PER_INSTANCE));
    }
    *slot = gx_col_kids(GX_C_KID_LIST, t.n, GX_REF_OF(m, kids), GX_REF_OF(m, t.off));
    return GX_OK;
}

#endif
