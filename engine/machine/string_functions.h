/* SPDX-License-Identifier: Apache-2.0 */
/*
 * string_functions.h -- functions on strings, names and numbers, on columns
 *
 * Strings that are parts of their arguments are slices, nothing is copied. Those that are new (concat, translate, ...)
 * are built in kept memory in two steps: lengths, then bytes; a team of one that can write at once does.
 */
#ifndef GX_MACHINE_STRING_FUNCTIONS_H
#define GX_MACHINE_STRING_FUNCTIONS_H

#include <string.h>
#include "budget.h"
#include "column.h"
#include "cost.h"
#include "format.h"
#include "machine.h"
#include "memory.h"
#include "nodes.h"
#include "number.h"
#include "text.h"
#include "value.h"

/* A part of s: the same bytes, none are copied. Nothing of it is the empty string, which has no place. */
GX_OP gx_str gx_slice(gx_str s, gx_span part)
{
    return part.len ? gx_str_make(s.at + part.off, part.len) : gx_str_none();
}

/* How many rows a function has to make: one where no argument depends on the row, else n. */
GX_OP u32 gx_args_rows(const gx_v *args, u32 argc, u32 n)
{
    for (u32 i = 0; i < argc; i++)
        if (!args[i].is_const)
            return n;
    return 1;
}

/*
 * Do the row's arguments after the first stand behind it already, as in concat(normalize-space($rest), ' '), $rest
 * being the end of what the same concat() made a level above? Within one string that is remembered (gx_grow): it lives
 * as long as the slice.
 */
GX_OP int gx_concat_stands(const gx_m *m, const gx_v *args, u32 argc)
{
    const gx_str s = ((const gx_str *)args[0].data)[0];
    const u64 at = GX_STR_OFF(s.at);
    u32 k = GX_STR_SPACE(s.at) == GX_SPACE_ARENA ? 0 : GX_ROOMS;
    const char *p = gx_bytes(m, s) + s.len;

    while (k < GX_ROOMS && (at < m->run->rooms->at[k].from || at + s.len > m->run->rooms->at[k].to))
        k++;
    if (k == GX_ROOMS)
        return 0;
    u64 left = m->run->rooms->at[k].to - (at + s.len);
    for (u32 j = 1; j < argc; j++) {
        const gx_str part = ((const gx_str *)args[j].data)[0];
        if (part.len > left || !gx_bytes_equal(p, gx_bytes(m, part), part.len))
            return 0;
        left -= part.len;
        p += part.len;
    }
    return 1;
}

/* concat() for one row of which one argument has GX_GROW_LEAST bytes or more. Row 0 of each argument is read. *grown 1:
 * out[0] is made, complete for everyone; 0: no argument is that long, and nothing was done. The longest argument stays
 * where it is if it is the end, or the beginning, of a room (gx_grow): then the cost is the bytes of the other
 * arguments, so that a recursion that appends to one string is linear; else all bytes are copied once. Fails with
 * GX_EARENA. */
GX_OP_BIG gx_status gx_concat_long(gx_m *m, const gx_v *args, u32 argc, gx_str *out, int *grown)
{
    u32 longest = 0;
    u64 before = 0, after = 0;
    char *bytes;
    gx_str s;

    for (u32 k = 1; k < argc; k++)
        if (((const gx_str *)args[k].data)[0].len > ((const gx_str *)args[longest].data)[0].len)
            longest = k;
    s = ((const gx_str *)args[longest].data)[0];
    *grown = s.len >= GX_GROW_LEAST;
    if (!*grown)
        return GX_OK;
    for (u32 k = 0; k < argc; k++)
        *(k < longest ? &before : &after) += k == longest ? 0 : ((const gx_str *)args[k].data)[0].len;
    if (!longest && gx_concat_stands(m, args, argc)) {
        if (team_rank(&m->t) == 0)
            out[0] = gx_str_make(s.at, (u32)(s.len + after));
        team_sync(&m->t);
        return GX_OK;
    }
    GX_TRY(gx_grow(m, before, s, after, &bytes));
    if (team_rank(&m->t) == 0) {
        char *p = bytes;
        for (u32 k = 0; k < argc; k++) {
            gx_str part = ((const gx_str *)args[k].data)[0];
            if (k != longest)
                memcpy(p, gx_bytes(m, part), part.len);
            p += part.len;
        }
        out[0] = gx_arena_str(m, bytes, (u32)(before + s.len + after));
    }
    team_sync(&m->t);
    return GX_OK;
}

/* concat(): out[i] for rows rows, of argc columns of strings (const ones have one row). All results stand in one piece
 * of kept memory, in the order of the rows. Two passes, lengths then bytes: O(rows x argc + bytes of the results). A
 * result of 4 GB and more has no room (gx_len_add). Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_concat(gx_m *m, const gx_v *args, u32 argc, u32 rows, gx_str *out)
{
    u32 *at;
    char *bytes;

    if (rows == 1) {
        int grown;
        GX_TRY(gx_concat_long(m, args, argc, out, &grown));
        if (grown)
            return GX_OK;
    }
    GX_TMP(m, at, u32, rows + 1);
    TEAM_FOR(&m->t, i, rows) {
        u32 len = 0;
        for (u32 k = 0; k < argc; k++)
            len = gx_len_add(len, ((const gx_str *)args[k].data)[GX_ROW(&args[k], i)].len);
        at[i] = len;
    }
    GX_TRY(gx_build(m, at, rows, &bytes));
    TEAM_FOR(&m->t, j, rows) {
        char *p = bytes + at[j];
        for (u32 k = 0; k < argc; k++) {
            gx_str s = ((const gx_str *)args[k].data)[GX_ROW(&args[k], j)];
            memcpy(p, gx_bytes(m, s), s.len);
            p += s.len;
        }
        out[j] = gx_arena_str(m, bytes + at[j], at[j + 1] - at[j]);
    }
    team_sync(&m->t);
    return GX_OK;
}

/* normalize-space(): out[i] for rows rows of strings. A string that is normal but for its ends is a slice of the
 * argument, and where all are, which is the rule in data, nothing is built. Else two passes over those that are not.
 * O(bytes of the arguments). Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_normalize(gx_m *m, const gx_v *arg, u32 rows, gx_str *out)
{
    const gx_str *in = (const gx_str *)arg->data;
    u32 *at, build = 0;
    char *bytes = NULL;
    gx_watch watch = gx_watch_start();

    GX_TMP(m, at, u32, rows + 1);
    TEAM_FOR(&m->t, i, rows) {
        gx_span span;
        const char *s = gx_bytes(m, in[i]);
        if (gx_watch_late(m, &watch, GX_WATCH_BYTES(in[i].len)))
            break;
        at[i] = 0;
        if (gx_text_is_normal_space(s, in[i].len, &span))
            out[i] = gx_slice(in[i], span);
        else {
            at[i] = gx_text_normalize_length(s, in[i].len);
            build = 1;
        }
    }
    GX_TRY(gx_watch_end(m, &watch));
    if (!team_any(&m->t, (int)build))
        return GX_OK;
    GX_TRY(gx_build(m, at, rows, &bytes));
    TEAM_FOR(&m->t, k, rows)
        if (at[k + 1] != at[k]) {
            gx_text_normalize_write(gx_bytes(m, in[k]), in[k].len, bytes + at[k]);
            out[k] = gx_arena_str(m, bytes + at[k], at[k + 1] - at[k]);
        }
    team_sync(&m->t);
    return GX_OK;
}

/* gx_translation_apply in pieces of some bytes, since it looks through all of the second argument for a character
 * beyond ASCII */
#define GX_TRANSLATE_PIECE 1024u
GX_OP_BIG u64 gx_translate_row(const gx_m *m, const gx_translation *tr, gx_str s, char *out, gx_watch *watch)
{
    const char *p = gx_bytes(m, s);
    u64 len = 0;

    for (u32 b = 0, e; b < s.len; b = e) {
        e = s.len - b > GX_TRANSLATE_PIECE ? b + GX_TRANSLATE_PIECE : s.len;
        while (e < s.len && !gx_utf8_is_start(p[e]))
            e++;
        len += gx_translation_apply(tr, p + b, e - b, out ? out + len : NULL);
        if (gx_watch_late(m, watch, (e - b) * (1 + (tr->others ? (u64)tr->from_len : 0)) / 4))
            break;
    }
    return len;
}

/* translate(): out[i] for rows rows of args[0], by the characters of args[1] and args[2]. The table is made once a
 * member and pass where these are the same for all rows, else for each row. Two passes, lengths then bytes: O(bytes of
 * the arguments), and for a character beyond ASCII a search of the second argument. Complete for everyone. Fails with
 * GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_translate(gx_m *m, const gx_v *args, u32 rows, gx_str *out)
{
    u32 *at;
    char *bytes = NULL;
    int same = args[1].is_const && args[2].is_const;

    GX_TMP(m, at, u32, rows + 1);
    for (int pass = 0; pass < 2; pass++) {
        gx_watch watch = gx_watch_start();
        gx_translation tr;
        int ready = 0;
        TEAM_FOR(&m->t, i, rows) {
            gx_str s = gx_row_str(m, &args[0], i);
            u64 len;
            if (!ready || !same) {
                gx_str from = gx_row_str(m, &args[1], i), to = gx_row_str(m, &args[2], i);
                gx_translation_init(&tr, gx_bytes(m, from), from.len, gx_bytes(m, to), to.len);
                ready = 1;
                watch.work += GX_WATCH_BYTES((u64)from.len + to.len);
            }
            len = gx_translate_row(m, &tr, s, pass ? bytes + at[i] : NULL, &watch);
            if (gx_watch_late(m, &watch, 0))
                break;
            if (!pass)
                at[i] = len > GX_LONGEST ? GX_LONGEST : (u32)len;
            else
                out[i] = gx_arena_str(m, bytes + at[i], at[i + 1] - at[i]);
        }
        GX_TRY(gx_watch_end(m, &watch));
        if (!pass)
            GX_TRY(gx_build(m, at, rows, &bytes));
    }
    team_sync(&m->t);
    return GX_OK;
}

/* local-name() (what: 0), namespace-uri() (1), name() (2) of each row's first node; '' for no node and for nodes
 * without a name. All are slices of the document's names but a name() with a prefix, which is built: these make the
 * second pass. A node whose prefix is not that of its label, because another element of the same name came first with
 * another one, is found among the document's odd ones by halving. O(rows). Complete for everyone. Fails with
 * GX_EARENA. */
GX_OP_BIG gx_status gx_names(gx_m *m, const gx_v *arg, u32 rows, int what, gx_str *out)
{
    u32 *at, build = 0;
    char *bytes = NULL;

    GX_TMP(m, at, u32, rows + 1);
    for (int pass = 0; pass < 2; pass++) {
        TEAM_FOR(&m->t, i, rows) {
            u32 node = gx_v_first(arg, i), kind;
            const gx_view *v;
            const gx_label_info *l;
            u32 prefix, prefix_len;
            if (!pass) {
                at[i] = 0;
                out[i] = gx_str_none();
            }
            if (node == GX_NONE)
                continue;
            v = gx_view_of(m, node);
            kind = gx_kind(v, node);
            /* XPath 1.0, 5: these have no expanded name; namespace nodes have a local part alone. */
            if (kind == GX_KIND_ROOT || kind == GX_KIND_TEXT || kind == GX_KIND_COMMENT)
                continue;
            l = &v->labels[GX_LABEL_ID(gx_label(v, node))];
            if (what == 1) {
                if (kind != GX_KIND_NS && !pass && l->uri_len)
                    out[i] = gx_view_name(v, l->uri, l->uri_len);
                continue;
            }
            prefix = l->prefix;
            prefix_len = l->prefix_len;
            if (v->doc->n_odd) {
                const gx_doc_odd *odd = GX_DOC_COL(v->doc, gx_doc_odd, odd);
                u32 lo = 0, hi = v->doc->n_odd;
                while (lo < hi) {
                    u32 mid = (lo + hi) / 2;
                    if (odd[mid].node < node - v->base)
                        lo = mid + 1;
                    else
                        hi = mid;
                }
                if (lo < v->doc->n_odd && odd[lo].node == node - v->base) {
                    prefix = odd[lo].prefix;
                    prefix_len = odd[lo].prefix_len;
                }
            }
            if (what == 0 || !prefix_len || kind == GX_KIND_NS || kind == GX_KIND_PI) {
                if (!pass && l->local_len)
                    out[i] = gx_view_name(v, l->local, l->local_len);
            } else if (!pass) {
                at[i] = prefix_len + 1 + l->local_len;
                build = 1;
            } else {
                char *p = bytes + at[i];
                const char *heap = GX_DOC_COL(v->doc, char, strs);
                memcpy(p, heap + prefix, prefix_len);
                p[prefix_len] = ':';
                memcpy(p + prefix_len + 1, heap + l->local, l->local_len);
                out[i] = gx_arena_str(m, p, at[i + 1] - at[i]);
            }
        }
        if (!pass) {
            if (!team_any(&m->t, (int)build))
                return GX_OK;
            GX_TRY(gx_build(m, at, rows, &bytes));
        }
    }
    team_sync(&m->t);
    return GX_OK;
}

/* sum() of each row, in document order: doubles do not add up the same in another. num[r], complete after the
 * caller's sync. A long row's numbers are read by all members, and added up by one; a row that has the nodes of the
 * one before, and others behind them (GX_F_AXIS_RANGE), goes on from there. O(bytes of the nodes), of shared nodes
 * once.
 * Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_sum(gx_m *m, gx_v *set, u32 rows, double *num)
{
    gx_watch watch = gx_watch_start();
    int together = 0;                   /* there is a row for all members */
    u64 nodes = 0;
#if !TEAM_IS_SOLO
    int longest = 0, shared = 0;
    TEAM_FOR(&m->t, r0, rows) {
        u32 b, e, before, end;
        gx_v_range(set, r0, &b, &e);
        gx_v_range(set, r0 ? r0 - 1 : 0, &before, &end);
        nodes += e - b;
        longest |= e - b > 64;
        shared |= r0 && b == before && b < end;
    }
    together = team_any(&m->t, longest) && !team_any(&m->t, shared);
    nodes = together && set->cnt ? team_sum(&m->t, nodes) : 0;
#endif
    if (set->cnt && (!together || nodes > GX_COST(SUM_TOGETHER)) && !gx_grows(m, set, rows)) {
        gx_slices s;
        double *x = NULL;
        int made;
        GX_TRY(gx_slices_make(m, set, rows, &s, &made));
        if (made) {
            GX_TRY(gx_slices_numbers(m, &s, &x));
            return gx_slices_sum(m, &s, x, rows, num);
        }
    }
#if !TEAM_IS_SOLO
    if (together) {
        double *x;
        GX_TRY(gx_v_dense(m, set, rows));
        GX_TMP(m, x, double, set->off[rows]);
        TEAM_FOR(&m->t, k, set->off[rows]) {
            const u32 node = ((const u32 *)set->data)[k];
            x[k] = gx_node_num(m, node);
            if (gx_watch_late(m, &watch, gx_node_work(m, node)))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        TEAM_FOR(&m->t, r1, rows) {
            double sum = 0;
            for (u32 k = set->off[r1]; k < set->off[r1 + 1]; k++)
                sum += x[k];
            num[r1] = sum;
        }
        return GX_OK;
    }
#endif
    u32 first = 0, at = 0;              /* sum: of the nodes from first up to here */
    double sum = 0;
    TEAM_FOR(&m->t, r, rows) {
        u32 b, e;
        gx_v_range(set, r, &b, &e);
        if (b != first || e < at) {
            first = at = b;
            sum = 0;
        }
        for (; at < e && !gx_watch_late(m, &watch, gx_node_work(m, ((const u32 *)set->data)[at])); at++)
            sum += gx_node_num(m, ((const u32 *)set->data)[at]);
        num[r] = sum;
    }
    return gx_watch_end(m, &watch);
}

/* sum() of nodes that a join gives in the order of what it compared (UNORDERED). Where no sum can be rounded any
 * order will do, and the lists that rows share are added once; else each row's nodes are put in document order
 * first. */
GX_OP_BIG gx_status gx_sum_unordered(gx_m *m, gx_v *set, u32 rows, double *num)
{
    gx_slices s;
    double *x = NULL;
    int made = 0, exact = 0;

    GX_TRY(gx_slices_of_one(m, set, rows, &s, &made));
    if (made) {
        GX_TRY(gx_slices_numbers(m, &s, &x));
        GX_TRY(gx_range_exact(m, x, s.total, &exact));
    }
    if (exact)
        return gx_slices_sum(m, &s, x, rows, num);
    GX_TRY(gx_v_dense(m, set, rows));
    GX_TRY(gx_v_order(m, set));
    return gx_sum(m, set, rows, num);
}

/* lang() of one node (XPath 1.0, 4.3): the nearest xml:lang of the node or above it is the language, or is it with a
 * suffix behind "-". Letters of ASCII are compared without case. O(depth + attributes up to that element), counted in
 * *watch; a watch that is late answers 0, and its owner fails. */
GX_OP int gx_lang_row(const gx_m *m, u32 node, gx_str lang, gx_watch *watch)
{
    const gx_view *v = gx_view_of(m, node);
    const char *want = gx_bytes(m, lang), *heap = GX_DOC_COL(v->doc, char, strs);

    for (u32 p = node; p != GX_NONE; p = gx_parent(v, p)) {
        u32 i = p - v->base;
        watch->work++;
        if (GX_LABEL_KIND(v->label[i]) != GX_KIND_ELEM)
            continue;
        for (u32 a = i + 1; a < v->next[i]; a++) {
            u32 kind = GX_LABEL_KIND(v->label[a]), len;
            const gx_label_info *l;
            const char *s;
            if (!GX_IS_ATTACHED(kind) || gx_watch_late(m, watch, 1))
                break;
            l = &v->labels[GX_LABEL_ID(v->label[a])];
            if (kind != GX_KIND_ATTR || l->local_len != 4 || !team_equal(heap + l->local, "lang", 4) || l->uri_len != 36
                || !team_equal(heap + l->uri, "http://www.w3.org/XML/1998/namespace", 36))
                continue;
            s = gx_node_bytes(v, a + v->base, &len);
            /* The nearest xml:lang decides, whatever those around it say. */
            if (len < lang.len || (len > lang.len && s[lang.len] != '-'))
                return 0;
            for (u32 k = 0; k < lang.len; k++) {
                char x = s[k], y = want[k];
                x = x >= 'A' && x <= 'Z' ? (char)(x + 32) : x;
                y = y >= 'A' && y <= 'Z' ? (char)(y + 32) : y;
                if (x != y)
                    return 0;
            }
            return 1;
        }
    }
    return 0;
}

/* Is s, a QName in the namespaces of nslist, the name q? */
GX_OP int gx_qname_is(const gx_m *m, gx_str s, u32 nslist, const gx_qname *q)
{
    const char *text = gx_bytes(m, s), *p = (const char *)m->run->program;
    const gx_lit *lits = m->run->lits;
    u32 colon = 0;
    gx_lit local = lits[q->local], uri = lits[q->uri];

    while (colon < s.len && text[colon] != ':')
        colon++;
    if (colon == s.len)
        return !uri.len && local.len == s.len && team_equal(text, p + local.off, s.len);
    if (local.len != s.len - colon - 1 || !team_equal(text + colon + 1, p + local.off, local.len))
        return 0;
    const gx_nslist *list = GX_PROG_TAB(m->run->program, gx_nslist, nslists) + nslist;
    const gx_nsdecl *d = GX_PROG_TAB(m->run->program, gx_nsdecl, nsdecls) + list->first;
    for (u32 i = 0; i < list->n; i++)
        if (lits[d[i].prefix].len == colon && team_equal(text, p + lits[d[i].prefix].off, colon))
            return lits[d[i].uri].len == uri.len && team_equal(p + lits[d[i].uri].off, p + uri.off, uri.len);
    return 0;
}

/* ---- format-number() ---- */

/* An xsl:decimal-format of the program, by its number, with its characters decoded. The compiler has checked that each
 * of the eight is one character. */
GX_OP gx_decimal_symbols gx_symbols(const gx_m *m, u32 format)
{
    const gx_decimal_format *d = GX_PROG_TAB(m->run->program, gx_decimal_format, decimal_formats) + format;
    const gx_lit *lits = m->run->lits;
    const char *p = (const char *)m->run->program;
    gx_decimal_symbols s;
    u32 from[8], *to[8];

    from[0] = d->decimal_separator;  to[0] = &s.decimal_separator;
    from[1] = d->grouping_separator; to[1] = &s.grouping_separator;
    from[2] = d->minus_sign;         to[2] = &s.minus_sign;
    from[3] = d->percent;            to[3] = &s.percent;
    from[4] = d->per_mille;          to[4] = &s.per_mille;
    from[5] = d->zero_digit;         to[5] = &s.zero_digit;
    from[6] = d->digit;              to[6] = &s.digit;
    from[7] = d->pattern_separator;  to[7] = &s.pattern_separator;
    for (u32 i = 0; i < 8; i++)
        gx_utf8_decode(p + lits[from[i]].off, lits[from[i]].len, to[i]);
    s.infinity = p + lits[d->infinity].off;
    s.infinity_len = lits[d->infinity].len;
    s.nan = p + lits[d->nan].off;
    s.nan_len = lits[d->nan].len;
    return s;
}

/* The number of the xsl:decimal-format with this name, GX_NONE if there is none. */
GX_OP u32 gx_decimal_format_named(const gx_m *m, gx_str name, u32 nslist)
{
    const gx_decimal_format *all = GX_PROG_TAB(m->run->program, gx_decimal_format, decimal_formats);
    for (u32 k = 1; k < m->run->program->decimal_formats.n; k++)
        if (all[k].name != GX_NONE
            && gx_qname_is(m, name, nslist, GX_PROG_TAB(m->run->program, gx_qname, qnames) + all[k].name))
            return k;
    return GX_NONE;
}

/* format-number() (XSLT 1.0, 12.3) of rows numbers: out[i]. args: number, picture, and a format by number (argc 3) or
 * by a computed name and its namespaces (argc 4). A constant picture is parsed once a member and pass. Two passes,
 * lengths, then bytes: O(bytes of pictures and results). Complete for everyone. Fails with GX_EARENA, GX_ETIME; with
 * GX_EDYNAMIC for a name that no xsl:decimal-format has, and, with --strict, a bad picture. */
GX_OP_BIG gx_status gx_format_number(gx_m *m, const gx_v *args, u32 argc, u32 rows, gx_str *out)
{
    u32 *at, bad = GX_NONE, unnamed = GX_NONE;
    char *bytes = NULL;
    const int is_named = argc == 4;     /* by a computed name */
    const int is_strict = (m->run->program->flags & GX_P_STRICT) != 0;
    const int by_row = !args[1].is_const || (is_named && !args[2].is_const);
    gx_decimal_symbols sym = gx_symbols(m, argc == 3 ? (u32)((const double *)args[2].data)[0] : 0);

    GX_TMP(m, at, u32, rows + 1);
    for (int pass = 0; pass < 2; pass++) {
        gx_watch watch = gx_watch_start();
        gx_format f;
        int ready = 0;
        TEAM_FOR(&m->t, i, rows) {
            if (!ready || by_row) {
                gx_str s = gx_row_str(m, &args[1], i);
                if (is_named) {
                    u32 k =
                        gx_decimal_format_named(m, gx_row_str(m, &args[2], i), (u32)((const double *)args[3].data)[0]);
                    if (k == GX_NONE) {
                        unnamed = unnamed < i ? unnamed : i;
                        at[i] = 0;
                        continue;
                    }
                    sym = gx_symbols(m, k);
                }
                watch.work += s.len;
                if (gx_format_parse(gx_bytes(m, s), s.len, &sym, !is_strict, &f) != 0) {
                    if (is_strict) {
                        bad = bad < i ? bad : i;
                        at[i] = 0;
                        continue;
                    }
                    gx_format_plain(&f);
                }
                ready = 1;
            }
            double d = gx_row_num(m, &args[0], i);
            if (!pass)
                at[i] = gx_format_write(&f, &sym, d, NULL, 0);
            else {
                gx_format_write(&f, &sym, d, bytes + at[i], at[i + 1] - at[i]);
                out[i] = gx_arena_str(m, bytes + at[i], at[i + 1] - at[i]);
            }
            if (gx_watch_late(m, &watch, pass ? at[i + 1] - at[i] : at[i]))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        if (!pass) {
            unnamed = team_min(&m->t, unnamed);
            if (unnamed != GX_NONE)
                return gx_raise(m, GX_EDYNAMIC, GX_RE_NO_DECIMAL_FORMAT, gx_row_str(m, &args[2], unnamed));
            bad = team_min(&m->t, bad);
            if (bad != GX_NONE)
                return gx_raise(m, GX_EDYNAMIC, GX_RE_FORMAT, gx_row_str(m, &args[1], bad));
            GX_TRY(gx_build(m, at, rows, &bytes));
        }
    }
    team_sync(&m->t);
    return GX_OK;
}

/* generate-id() of each row's first node: "id" and the node's number in base 36 digits; '' for no node. Ids of other
 * documents come after the first one's, so nodes of several documents differ. 16 bytes a row are kept, whatever the
 * length: one pass. Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_generate_ids(gx_m *m, const gx_v *arg, u32 rows, gx_str *out)
{
    char *bytes = (char *)gx_keep(m, (u64)rows * 16);

    if (!bytes)
        return gx_full(m);
    TEAM_FOR(&m->t, i, rows) {
        u32 node = gx_v_first(arg, i), len;
        char *p = bytes + (u64)i * 16;
        gx_zero(p, 16);
        if (node == GX_NONE) {
            out[i] = gx_str_none();
            continue;
        }
        p[0] = 'i';
        p[1] = 'd';
        len = gx_number_write_u64((u64)node + 1, p + 2);
        out[i] = gx_arena_str(m, p, len + 2);
    }
    team_sync(&m->t);
    return GX_OK;
}

#endif
