/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numbering.h -- xsl:number (XSLT 1.0, 7.7)
 *
 * The nodes that match count and from are marked once a document, as one byte a node (and, for level="any", prefix
 * counts): then every number is a walk over siblings or ancestors, or a difference of two counts.
 */
#ifndef GX_MACHINE_NUMBERING_H
#define GX_MACHINE_NUMBERING_H

#include "axis.h"
#include "budget.h"
#include "call.h"
#include "collect.h"
#include "column.h"
#include "eval.h"
#include "format.h"
#include "machine.h"
#include "match.h"
#include "memory.h"
#include "nodes.h"
#include "number.h"
#include "value.h"

/* kept once for each document and (number spec, count or from): refs. By the document's own ids */
typedef struct gx_marks { u32 mark, before; } gx_marks;     /* mark: u8[n_nodes]; before: u32[n_nodes + 1] marked ids
                                                               below */

/* Marks the nodes of a document that match one of n_patterns patterns (an xsl:number's count or from), once for each:
 * kept, and found by its place among the document's refs (which). counts: also how many marked nodes have a lower id,
 * so that counting a range is a subtraction. O(nodes x patterns), 1 or 5 bytes a node. row: see gx_match_pattern.
 * Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_mark_nodes(gx_m *m, u32 view, u32 which, u32 first, u32 n_patterns, int counts, u32 row)
{
    const gx_view *v = &m->run->views[view];
    u32 n = v->n_nodes, *nodes, *before = NULL, met = m->calls_met;
    u8 *mark, *one, *sum;
    gx_marks *marks;

    GX_TMP(m, nodes, u32, n);
    GX_TMP(m, one, u8, n);
    GX_TMP(m, sum, u8, n);
    TEAM_FOR(&m->t, i, n) {
        nodes[i] = v->base + i;
        sum[i] = 0;
    }
    team_sync(&m->t);
    for (u32 k = 0; k < n_patterns; k++) {
        u64 tmp = m->tmp;
        GX_TRY(gx_match_pattern(m, nodes, n, first + k, row, one));
        TEAM_FOR(&m->t, i, n)
            sum[i] |= one[i];
        team_sync(&m->t);
        m->tmp = tmp;
    }
    /* kept only now: a pattern that calls a function begins again, and what it leaves behind has been written */
    GX_KEEP(m, marks, gx_marks, 1);
    GX_KEEP(m, mark, u8, n);
    if (counts)
        GX_KEEP(m, before, u32, (u64)n + 1);
    TEAM_FOR(&m->t, i, n)
        mark[i] = sum[i];
    team_sync(&m->t);
    if (counts) {
        u32 total;
        TEAM_FOR(&m->t, i, n)
            before[i] = GX_IS_ATTACHED(GX_LABEL_KIND(v->label[i])) ? 0 : mark[i];
        GX_TRY(gx_scan(m, before, n, &total));
    }
    if (team_rank(&m->t) == 0) {
        marks->mark = GX_REF_OF(m, mark);
        marks->before = before ? GX_REF_OF(m, before) : 0;
        *gx_doc_ref(m->run, view, which) = GX_REF_OF(m, marks);
    }
    if (row == GX_NONE)
        gx_calls_drop(m, met);
    team_sync(&m->t);
    return GX_OK;
}

/* What one member numbers with. */
typedef struct gx_numbering {
    u32 refs;                   /* where this number's are among a document's */
    const gx_view *view;        /* whose marks these are, by its own ids: */
    const u8 *count, *from;     /* NULL: none given */
    const u32 *count_before, *from_before;
    const u32 *row_numbers, *row_counts;        /* made before, `width` a row */
    u32 width;
    u32 *last, slots;           /* by depth and, without count, name (a power of 2): the sibling counted last, which the
                                   next one mostly follows, and its number */
    u64 work;                   /* nodes looked at */
} gx_numbering;

/* No sibling has been counted yet */
GX_OP void gx_numbering_reset(gx_numbering *x)
{
    for (u32 i = 0; i < x->slots; i++)
        x->last[2 * i] = GX_NONE;
}

/* Does the node count? By the marks of `count`, or, without that attribute, where it has the same label: node type and
 * expanded name (XSLT 1.0, 7.7). */
GX_OP int gx_counts(const gx_view *v, const gx_numbering *x, u32 node, u32 label)
{
    return x->count ? x->count[node - v->base] : gx_label(v, node) == label;
}

/* Among many siblings few may have the name: behind the first these are gone through in the index of names as well, and
 * whichever way ends first tells */
#define GX_NUMBERING_WALK GX_COST(NUMBERING)
/* 1 + how many of the node's preceding siblings count: those with this label, or those that x->count marks. Goes on
 * from the last sibling that was numbered at this depth, so that numbers of all children of a node take one walk; after
 * GX_NUMBERING_WALK siblings the walk goes along the name's index instead. O(siblings since the last one), in
 * x->work. */
GX_OP u32 gx_sibling_number(const gx_view *v, gx_numbering *x, u32 node, u32 label)
{
    u32 kind = gx_kind(v, node), parent = gx_parent(v, node), s, number = 1, seen = 0, named = 0, k = 0, end = 0;

    if (GX_IS_ATTACHED(kind) || parent == GX_NONE)
        return 1;
    s = gx_first_child(v, parent);
    u32 *last = x->last + 2 * ((v->depth[node - v->base] + (x->count ? 0 : GX_LABEL_ID(label))) & (x->slots - 1));
    if (*last != GX_NONE && *last < node && gx_view_holds(v, *last) && gx_parent(v, *last) == parent
        && (x->count || gx_label(v, *last) == label)) {
        s = last[0];
        number = last[1];
    }
    for (; s < node; s = gx_next(v, s), x->work++) {
        if (++seen == GX_NUMBERING_WALK && kind == GX_KIND_ELEM && !x->count) {
            end = v->index_start[GX_LABEL_ID(label) + 1];
            k = gx_index_lower(v->index, v->index_start[GX_LABEL_ID(label)], end, s - v->base);
            named = number;
        }
        if (k < end) {
            const u32 other = v->index[k++] + v->base;
            if (other >= node) {
                number = named;
                break;
            }
            named += gx_parent(v, other) == parent;
        }
        number += gx_counts(v, x, s, label);
    }
    last[0] = node;
    last[1] = number;
    return number;
}

/* The marks of this view, which have been made */
GX_OP void gx_numbering_open(const gx_m *m, const gx_number *spec, gx_numbering *x, u32 view)
{
    x->view = &m->run->views[view];
    if (spec->n_count) {
        const gx_marks *marks = GX_PTR(m, const gx_marks, *gx_doc_ref(m->run, view, x->refs));
        x->count = GX_PTR(m, const u8, marks->mark);
        x->count_before = GX_PTR(m, const u32, marks->before);
    }
    if (spec->n_from) {
        const gx_marks *marks = GX_PTR(m, const gx_marks, *gx_doc_ref(m->run, view, x->refs + 1));
        x->from = GX_PTR(m, const u8, marks->mark);
        x->from_before = GX_PTR(m, const u32, marks->before);
    }
}

/*
 * The numbers of a node by spec->level (7.7), outermost first, at most max, into out; how many there are. By one
 * member.
 *
 *   2, "any"        the nodes that count from the last one that matches `from`, up to this: a difference of two prefix
 *                   counts, or without `count` of two searches in the name's index. O(log nodes)
 *   0, "single"     the nearest ancestor-or-self that counts, and its place among its siblings
 *   1, "multiple"   all of these ancestors-or-self. O(depth), and gx_sibling_number() for each
 *
 * x holds the marks of one document at a time, and the siblings counted last.
 */
GX_OP_BIG u32 gx_numbers_of(const gx_m *m, const gx_number *spec, gx_numbering *x, u32 node, u64 *out, u32 max)
{
    const u32 k = gx_view_index(m, node);
    const gx_view *v = &m->run->views[k];
    u32 label = gx_label(v, node), n = 0;

    if (x->view != v)
        gx_numbering_open(m, spec, x, k);
    if (spec->level == 2) {
        const u32 id = node - v->base;
        u32 end = id + 1, begin = gx_root_of(v, node) - v->base, number;
        if (x->from && x->from_before[id] != x->from_before[begin]) {
            /* the last node before this one that matches from: binary search over the prefix counts */
            u32 lo = begin, hi = id, want = x->from_before[id];
            while (lo + 1 < hi) {
                u32 mid = lo + (hi - lo) / 2;
                if (x->from_before[mid] < want)
                    lo = mid;
                else
                    hi = mid;
            }
            begin = lo + 1;
        }
        /* "excluding any namespace and attribute nodes": of those the node itself alone counts */
        if (x->count)
            number = x->count_before[end] - x->count_before[begin];
        else if (GX_IS_ATTACHED(gx_kind(v, node)))
            number = 1;
        else {
            u32 lo = v->index_start[GX_LABEL_ID(label)], hi = v->index_start[GX_LABEL_ID(label) + 1];
            number = gx_index_lower(v->index, lo, hi, end) - gx_index_lower(v->index, lo, hi, begin);
        }
        if (gx_kind(v, node) == GX_KIND_ATTR && x->count && x->count[id])
            number++;
        out[0] = number; /* a list of one, even of 0: "a list of length one containing the number of nodes" */
        return 1;
    }
    for (u32 p = node; p != GX_NONE; p = gx_parent(v, p), x->work++) {
        /* only below the nearest ancestor that matches from; "multiple": the node itself ends it too, as libxslt and
         * Xalan have it */
        if ((p != node || spec->level == 1) && x->from && x->from[p - v->base])
            break;
        if (gx_counts(v, x, p, label) && n < max) {
            out[n++] = gx_sibling_number(v, x, p, label);
            if (spec->level == 0)
                break;
        }
    }
    for (u32 i = 0, j = n; i + 1 < j; i++) {
        u64 t = out[i];
        out[i] = out[--j];
        out[j] = t;
    }
    return n;
}

/* The value of an attribute value template of xsl:number for all rows, a STR; one empty string where it is absent. As
 * gx_eval(). */
GX_OP gx_status gx_number_option(gx_m *m, const gx_env *env, u32 expr, gx_v *v)
{
    if (expr == GX_NONE) {
        *v = gx_v_const(GX_T_STR, m->run->zero_str);
        return GX_OK;
    }
    GX_TRY(gx_eval(m, expr, env, v));
    return gx_to_str(m, v, env->scope.n);
}

/* do the patterns look at local variables? */
GX_OP int gx_patterns_local(const gx_run *r, u32 first, u32 n)
{
    for (u32 k = first; k < first + n; k++) {
        const gx_pattern *p = &r->patterns[k];
        for (u32 i = p->first; i < p->first + p->n; i++) {
            const gx_pstep *s = &r->psteps[i];
            if ((s->bool_expr != GX_NONE && r->exprs[s->bool_expr].deps & GX_DEP_LOCAL)
                || (s->set_expr != GX_NONE && r->exprs[s->set_expr].deps & GX_DEP_LOCAL))
                return 1;
        }
    }
    return 0;
}

/* A document's marks for a number's count and from; row: as in gx_match_pattern. Those of count may be there already,
 * when a function is called in from and the instruction began again. Cost and errors: gx_mark_nodes(). */
GX_OP_BIG gx_status gx_number_marks(gx_m *m, const gx_number *spec, u32 refs, u32 view, u32 row)
{
    if (spec->n_count && (row != GX_NONE || !*gx_doc_ref(m->run, view, refs)))
        GX_TRY(gx_mark_nodes(m, view, refs, spec->count, spec->n_count, spec->level == 2, row));
    if (spec->n_from)
        GX_TRY(gx_mark_nodes(m, view, refs + 1, spec->from, spec->n_from, spec->level == 2, row));
    return GX_OK;
}

/* White space and digits at the beginning: what libxslt reads of a grouping-size. */
GX_OP u32 gx_number_digits(const char *s, u32 n)
{
    u32 i = 0;
    while (i < n && (s[i] == ' ' || (s[i] >= '\t' && s[i] <= '\r')))
        i++;
    while (i < n && s[i] >= '0' && s[i] <= '9')
        i++;
    return i;
}

/* The numbers of rows whose patterns look at local variables: those are other patterns for every row, so the numbers
 * are made row by row, into x->row_numbers, x->row_counts and x->width (how many a row has room for). Member 0 counts.
 * Marks are given back after each row where nothing else was kept meanwhile. Rare. Cost: the marks of a document for
 * each row. Complete for everyone. Fails as gx_mark_nodes(). */
GX_OP gx_status gx_number_local(gx_m *m, const gx_number *spec, const gx_env *env, u32 max, gx_numbering *x)
{
    const u32 n = env->scope.n;
    u64 *numbers;
    u32 *row_numbers, *counts, width = spec->level == 1 ? max : 1;
    GX_TMP(m, row_numbers, u32, (u64)n * width);
    GX_TMP(m, counts, u32, n);
    GX_TMP(m, numbers, u64, max);
    for (u32 row = 0; row < n; row++) {
        const u64 tmp = m->tmp, top = m->top;
        const u32 docs = m->n_docs, lasting = m->lasting;
        GX_TRY(gx_number_marks(m, spec, x->refs, gx_view_index(m, env->scope.context[row]), row));
        x->view = NULL;
        if (team_rank(&m->t) == 0) {
            gx_numbering_reset(x);
            counts[row] = gx_numbers_of(m, spec, x, env->scope.context[row], numbers, max);
            for (u32 k = 0; k < counts[row] && k < width; k++)
                row_numbers[(u64)row * width + k] = (u32)numbers[k];
        }
        team_sync(&m->t);
        m->tmp = tmp;
        /* calls that have been made stay until the instruction ends, documents, indexes and programs until the
         * end */
        if (!m->run->program->functions.n && m->n_docs == docs && m->lasting == lasting)
            gx_keep_back(m, top);
    }
    x->row_numbers = row_numbers;
    x->row_counts = counts;
    x->width = width;
    return GX_OK;
}

/* xsl:number for the n rows of env: *out is STR. Two passes, one for the lengths of the strings, one to write them.
 * Without a value, a row's number is counted from the marks of its document (gx_mark_nodes), which are made first if
 * this is the first time; patterns that look at local variables are asked row by row (gx_number_local). O(rows x
 * depth) at most, O(rows x log nodes) for level="any". Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_number_rows(gx_m *m, u32 spec_index, const gx_env *env, gx_v *out)
{
    const gx_number *spec = &m->run->numbers[spec_index];
    u32 n = env->scope.n, *at, max = m->run->max_depth + 2;
    gx_v value, format, letter, separator, size;
    gx_numbering x;
    gx_str *str;
    u64 *numbers;
    char *bytes = NULL;
    int local = 0;

    gx_watch watch = gx_watch_start();
    GX_CLEAR(&x);
    for (x.slots = 16; x.slots < max; )
        x.slots *= 2;
    GX_TMP(m, x.last, u32, 2 * (u64)x.slots * team_size(&m->t));
    x.last += 2 * (u64)x.slots * team_rank(&m->t);
    x.refs = m->run->program->key_names.n + 2 * spec_index;
    value = gx_v_none();
    if (spec->has_value) {
        GX_TRY(gx_eval(m, spec->value, env, &value));
        GX_TRY(gx_to_num(m, &value, n));
    } else {
        local = gx_patterns_local(m->run, spec->count, spec->n_count)
            || gx_patterns_local(m->run, spec->from, spec->n_from);
        if (!local && (spec->n_count || spec->n_from))
            for (u32 row = 0, view;
                 (view = gx_doc_lacking(m, x.refs + !!spec->n_from, NULL, env->scope.context, n, &row)) != GX_NONE;)
                GX_TRY(gx_number_marks(m, spec, x.refs, view, GX_NONE));
    }
    GX_TRY(gx_number_option(m, env, spec->format, &format));
    GX_TRY(gx_number_option(m, env, spec->letter_value, &letter));
    GX_TRY(gx_number_option(m, env, spec->grouping_separator, &separator));
    GX_TRY(gx_number_option(m, env, spec->grouping_size, &size));
    GX_TMP(m, str, gx_str, n);
    GX_TMP(m, at, u32, n + 1);
    if (local)
        GX_TRY(gx_number_local(m, spec, env, max, &x));
    GX_TMP(m, numbers, u64, (u64)max * team_size(&m->t));
    numbers += (u64)max * team_rank(&m->t);
    for (int pass = 0; pass < 2; pass++) {
        gx_numbering_reset(&x);
        TEAM_FOR(&m->t, i, n) {
            gx_str f = gx_row_str(m, &format, i), sep = gx_row_str(m, &separator, i), sz = gx_row_str(m, &size, i);
            gx_str lv = gx_row_str(m, &letter, i);
            const char *fp = spec->format == GX_NONE ? "1" : gx_bytes(m, f);
            u32 fn = spec->format == GX_NONE ? 1 : f.len;
            gx_number_style style;
            double group = gx_number_parse(gx_bytes(m, sz), gx_number_digits(gx_bytes(m, sz), sz.len));
            char *p = pass ? bytes + at[i] : NULL;
            u32 cap = pass ? at[i + 1] - at[i] : 0, len, first;
            GX_CLEAR(&style);
            style.separator = gx_bytes(m, sep);
            style.separator_len = sep.len ? gx_utf8_decode(style.separator, sep.len, &first) : 0;
            style.group_size = group >= 1 && group < 1e9 ? (u32)group : 0;
            style.letter_traditional = lv.len == 11;    /* "traditional", not "alphabetic" */
            if (spec->has_value)
                len = gx_number_value_write(fp, fn, gx_row_num(m, &value, i), &style, p, cap);
            else {
                u32 count;
                if (x.row_counts) {
                    count = x.row_counts[i];
                    for (u32 k = 0; k < count; k++)
                        numbers[k] = x.row_numbers[(u64)i * x.width + k];
                } else
                    count = gx_numbers_of(m, spec, &x, env->scope.context[i], numbers, max);
                len = count ? gx_number_list_write(fp, fn, numbers, count, &style, p, cap) : 0;
            }
            if (!pass)
                at[i] = len;
            else
                str[i] = gx_arena_str(m, p, len);
            if (gx_watch_late(m, &watch, x.work + fn + len))
                break;
            x.work = 0;
        }
        GX_TRY(gx_watch_end(m, &watch));
        watch = gx_watch_start();
        if (!pass)
            GX_TRY(gx_build(m, at, n, &bytes));
    }
    team_sync(&m->t);
    *out = gx_v_make(GX_T_STR, n, str);
    return GX_OK;
}

#endif
