/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extension.h -- EXSLT's functions on columns: sets, math, strings, dates and times (www.exslt.org)
 *
 * Node-sets are ascending ids (value.h), so the set module is merges of two lists; leading() and trailing() are parts
 * of their first argument and copy nothing. What makes lists works in two passes: count, scan, fill. A row is one
 * member's.
 *
 * Host steps: functions whose bits depend on the library that computes them (host/math.c), that make trees
 * (host/strings.c), need a library (host/regexp.c) or a clock (host/now.c).
 */
#ifndef GX_MACHINE_EXTENSION_H
#define GX_MACHINE_EXTENSION_H

#include <math.h>
#include "axis.h"
#include "budget.h"
#include "collect.h"
#include "column.h"
#include "date.h"
#include "exslt.h"
#include "format.h"
#include "host_functions.h"
#include "machine.h"
#include "memory.h"
#include "nodes.h"
#include "number.h"
#include "slices.h"
#include "string_functions.h"
#include "value.h"
#include "word.h"

/* ---- sets ---- */

/* The nodes of a (ascending) that are, or with keep_common 0 are not, in b, in that order; out NULL counts. A merge,
 * O(na + nb); where one list is 32 times as long as the other, each node of the short one is looked up instead, O(short
 * x log long). */
GX_OP u32 gx_select_ids(const u32 *a, u32 na, const u32 *b, u32 nb, int keep_common, u32 *out)
{
    u32 n = 0;

    if (nb / 32 >= na || (keep_common && na / 32 >= nb)) {      /* a few among many: each is looked up */
        const int from_b = nb / 32 < na;
        for (u32 i = 0, few = from_b ? nb : na; i < few; i++) {
            const u32 x = from_b ? b[i] : a[i];
            if (gx_ids_have(from_b ? a : b, 0, from_b ? na : nb, x) != keep_common)
                continue;
            if (out)
                out[n] = x;
            n++;
        }
        return n;
    }
    for (u32 i = 0, j = 0; i < na; i++) {
        while (j < nb && b[j] < a[i])
            j++;
        if ((j < nb && b[j] == a[i]) != keep_common)
            continue;
        if (out)
            out[n] = a[i];
        n++;
    }
    return n;
}

/* set:distinct: the first node, in document order, of each distinct string-value of ids[0 .. n), to out (NULL counts);
 * how many. By an open hash table of indexes, slots: mask + 1 of them, more than n, cleared here. Expected O(bytes). At
 * a limit it ends early: gx_watch_end() fails for the caller then. */
GX_OP u32 gx_distinct_ids(const gx_m *m, const u32 *ids, u32 n, u32 *slots, u32 mask, u32 *out, gx_watch *watch)
{
    u32 count = 0;

    for (u32 i = 0; i <= mask; i++)
        slots[i] = 0;
    for (u32 i = 0; i < n; i++) {
        u32 len, h;
        const char *p = gx_node_bytes(gx_view_of(m, ids[i]), ids[i], &len);
        u64 looks = 1 + len;
        for (h = gx_hash(m->run->seed, p, len) & mask; slots[h]; h = (h + 1) & mask) {
            u32 other = ids[slots[h] - 1], other_len;
            const char *q = gx_node_bytes(gx_view_of(m, other), other, &other_len);
            if (len == other_len && gx_bytes_equal(p, q, len))
                break;
            looks++;
        }
        if (!slots[h]) {
            slots[h] = i + 1;
            if (out)
                out[count] = ids[i];
            count++;
        }
        if (gx_watch_late(m, watch, looks))
            break;
    }
    return count;
}

/* math:highest, math:lowest: the nodes whose number is the greatest (least); none when one is not a number. Two looks
 * at each. */
GX_OP double gx_extreme(const gx_m *m, const u32 *ids, u32 n, int greatest, gx_watch *watch)
{
    double best = gx_nan();

    for (u32 i = 0; i < n && !gx_watch_late(m, watch, gx_node_work(m, ids[i])); i++) {
        double d = gx_node_num(m, ids[i]);
        if (gx_is_nan(d))
            return d;
        if (!i || (greatest ? d > best : d < best))
            best = d;
    }
    return best;
}

/* The nodes of ids[0 .. n) whose number is the extreme, in order, to out (NULL counts); how many. None where one node
 * is no number (EXSLT). Each node's number is parsed twice: in most sets few are the extreme, and a list of all numbers
 * would cost memory. */
GX_OP u32 gx_extreme_ids(const gx_m *m, const u32 *ids, u32 n, int greatest, u32 *out, gx_watch *watch)
{
    double best = gx_extreme(m, ids, n, greatest, watch);
    u32 count = 0;

    for (u32 i = 0; i < n && !gx_is_nan(best) && !gx_watch_late(m, watch, gx_node_work(m, ids[i])); i++) {
        if (gx_node_num(m, ids[i]) != best)
            continue;
        if (out)
            out[count] = ids[i];
        count++;
    }
    return count;
}

/* math:min, math:max of rows that share lists (slices.h): num[r], by a tree over the lists. *made 0: they share none,
 * or it matters which of several nodes comes first (NaN, -0), and nothing was done. O(nodes of the lists + rows x log).
 * Complete after the next sync. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_extremes_of_slices(gx_m *m, const gx_v *set, u32 rows, int greatest, double *num, int *made)
{
    gx_slices s;
    gx_range_tree tree;
    double *x = NULL;
    u32 odd = 0;

    GX_TRY(gx_slices_make(m, set, rows, &s, made));
    if (!*made)
        return GX_OK;
    GX_TRY(gx_slices_numbers(m, &s, &x));
    TEAM_FOR(&m->t, k, s.total)
        odd |= gx_is_nan(x[k]) || (x[k] == 0 && gx_number_bits(x[k]) != 0);
    *made = !team_any(&m->t, (int)odd);
    if (!*made)
        return GX_OK;
    GX_TRY(gx_range_make(m, x, s.total, greatest ? GX_RANGE_GREATEST : GX_RANGE_LEAST, &tree));
    TEAM_FOR(&m->t, r, rows)
        num[r] = gx_range_of(&tree, s.at[r], s.at[r] + s.n[r]);
    return GX_OK;
}

/* Sets made of sets, a list a row: difference, intersection, distinct, highest, lowest. *out: SET of rows in document
 * order, with a list of its own: counted, scanned, filled. distinct has a hash table for each row in one piece of
 * scratch. A row is one member's. O(nodes of both arguments), and bytes where strings or numbers are read. Complete for
 * everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_set_lists(gx_m *m, u32 func, const gx_v *args, u32 rows, gx_v *out)
{
    u32 *off, *at = NULL, *slots = NULL, *ids = NULL, total = 0;
    const gx_v *a = &args[0], *b = &args[1];

    if (func == GX_F_SET_DISTINCT) {
        GX_TMP(m, at, u32, rows + 1);
        TEAM_FOR(&m->t, i, rows) {
            u32 from, to, size = 2;
            gx_v_range(a, i, &from, &to);
            while (size <= to - from && size < 0x80000000u)
                size *= 2;
            at[i] = size;
        }
        GX_TRY(gx_scan(m, at, rows, &total));
        GX_TMP(m, slots, u32, total);
    }
    GX_TMP(m, off, u32, rows + 1);
    for (int pass = 0; pass < 2; pass++) {
        gx_watch watch = gx_watch_start();
        TEAM_FOR(&m->t, i, rows) {
            u32 from, to, from2 = 0, to2 = 0, n, *list = pass ? ids + off[i] : NULL;
            const u32 *x = (const u32 *)a->data;
            gx_v_range(a, i, &from, &to);
            if (func == GX_F_SET_DISTINCT)
                n = gx_distinct_ids(m, x + from, to - from, slots + at[i], at[i + 1] - at[i] - 1, list, &watch);
            else if (func == GX_F_MATH_HIGHEST || func == GX_F_MATH_LOWEST)
                n = gx_extreme_ids(m, x + from, to - from, func == GX_F_MATH_HIGHEST, list, &watch);
            else {
                gx_v_range(b, i, &from2, &to2);
                n = gx_select_ids(x + from, to - from, (const u32 *)b->data + from2, to2 - from2,
                                  func == GX_F_SET_INTERSECTION, list);
            }
            if (!pass)
                off[i] = n;
            if (gx_watch_late(m, &watch, (u64)(to - from) + (to2 - from2)))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        if (!pass) {
            GX_TRY(gx_scan(m, off, rows, &total));
            GX_TMP(m, ids, u32, total);
        }
    }
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, rows, ids);
    out->off = off;
    return GX_OK;
}

/* set:leading and set:trailing: the nodes of a before (behind) the first node of b; all of a for an empty b, none when
 * that node is not in a. *out: SET with off and cnt over a's ids: nothing is copied. O(log nodes) a row. Complete for
 * everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_set_parts(gx_m *m, int trailing, const gx_v *a, const gx_v *b, u32 rows, gx_v *out)
{
    u32 *off, *cnt;

    GX_TMP(m, off, u32, rows);
    GX_TMP(m, cnt, u32, rows);
    TEAM_FOR(&m->t, i, rows) {
        u32 from, to, mark = gx_v_first(b, i), k;
        const u32 *ids = (const u32 *)a->data;
        gx_v_range(a, i, &from, &to);
        if (mark != GX_NONE) {
            k = gx_index_lower(ids, from, to, mark);
            if (k == to || ids[k] != mark)
                from = to;
            else if (trailing)
                from = k + 1;
            else
                to = k;
        }
        off[i] = from;
        cnt[i] = to - from;
    }
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, rows, a->data);
    out->off = off;
    out->cnt = cnt;
    return GX_OK;
}

/* set:has-same-node() of one row: have both lists, ascending ids, a node in common? By halving in b where that is the
 * much longer one, else by a merge of both. O(a x log b), or O(a + b). */
GX_OP int gx_same_node_row(const gx_v *a, const gx_v *b, u32 row)
{
    u32 i, i_end, k, k_end;
    const u32 *x = (const u32 *)a->data, *y = (const u32 *)b->data;

    gx_v_range(a, row, &i, &i_end);
    gx_v_range(b, row, &k, &k_end);
    if ((k_end - k) / 32 >= i_end - i) {        /* one node among many, mostly (plan/same_node.c) */
        for (; i < i_end; i++)
            if (gx_ids_have(y, k, k_end, x[i]))
                return 1;
        return 0;
    }
    while (i < i_end && k < k_end) {
        if (x[i] == y[k])
            return 1;
        if (x[i] < y[k])
            i++;
        else
            k++;
    }
    return 0;
}

/* ---- math ---- */

/* math:constant(name, precision): the first `precision` characters of the decimal number; NaN for another name. */
GX_OP double gx_constant_row(const char *name, u32 len, double precision)
{
    static const char names[7][8] = { "PI", "E", "SQRRT2", "LN2", "LN10", "LOG2E", "SQRT1_2" };
    static const char values[7][24] = { "3.141592653589793238462", "2.718281828459045235360", "1.414213562373095048801",
        "0.693147180559945309417", "2.302585092994045684017", "1.442695040888963407359", "0.707106781186547524400" };

    for (u32 i = 0; i < 7; i++) {
        u32 n = 0, digits = 23;
        while (names[i][n])
            n++;
        if (n != len || !team_equal(names[i], name, n))
            continue;
        if (!(precision >= 1))
            return gx_nan();
        if (precision < 23)
            digits = (u32)precision;
        return gx_number_parse(values[i], digits);
    }
    return gx_nan();
}

/* ---- dates and times ---- */

/* YEAR .. SECONDS: NaN when the string is no date/time, or none that has this. seconds() also takes durations without
 * years and months. */
GX_OP_BIG double gx_date_number_row(u32 func, const char *s, u32 n)
{
    static const char letters[12] = "yMwWDdFEHms";      /* YEAR .. SECOND_IN_MINUTE */
    gx_date d;
    gx_duration lasts;
    i64 v;

    if (gx_date_parse(s, n, &d)) {
        if (func == GX_F_DATE_SECONDS)
            return d.parts & GX_DATE_YEAR ? gx_seconds_number(
                       gx_seconds_add(gx_date_instant(&d), gx_seconds_make(-86400 * gx_year_start(1970), 0)))
                                          : gx_nan();
        if (!gx_date_component(&d, letters[func - GX_F_DATE_YEAR], &v))
            return gx_nan();
        return func == GX_F_DATE_SECOND_IN_MINUTE ? gx_seconds_number(gx_seconds_make(v, d.atto)) : (double)v;
    }
    if (func == GX_F_DATE_SECONDS && gx_duration_parse(s, n, &lasts) && !lasts.months)
        return gx_seconds_number(lasts.time);
    return gx_nan();
}

/* 1, 0, or -1: the string has no year */
GX_OP i32 gx_leap_year_row(const char *s, u32 n)
{
    gx_date d;
    return gx_date_parse(s, n, &d) && d.parts & GX_DATE_YEAR ? gx_year_is_leap(d.year) : -1;
}

/* Row i of a date function whose value is a string, to out (cap bytes; NULL counts); its length. An argument that is no
 * date, or lacks a part that the function needs, gives "", as EXSLT says. O(bytes of the arguments); date:sum O(bytes
 * of its nodes). Does not fail. */
GX_OP_BIG u32 gx_date_string_row(const gx_m *m, u32 func, const gx_v *args, u32 i, char *out, u32 cap)
{
    gx_date d, other;
    gx_duration lasts;
    gx_str s, t = gx_str_none();
    const char *p, *q;

    if (func == GX_F_DATE_DURATION)
        return gx_duration_of_number(gx_row_num(m, &args[0], i), out, cap);
    lasts.months = 0;
    lasts.time = gx_seconds_make(0, 0);
    if (func == GX_F_DATE_SUM) {
        u32 b, e;
        gx_v_range(&args[0], i, &b, &e);
        for (u32 k = b; k < e; k++) {
            u32 node = ((const u32 *)args[0].data)[k], len;
            p = gx_node_bytes(gx_view_of(m, node), node, &len);
            if (!gx_duration_add(&lasts, p, len))
                return 0;
        }
        return b < e ? gx_duration_write(lasts, out, cap) : 0;
    }
    s = gx_row_str(m, &args[0], i);
    p = gx_bytes(m, s);
    if (func >= GX_F_DATE_ADD)
        t = gx_row_str(m, &args[1], i);
    q = gx_bytes(m, t);
    if (func == GX_F_DATE_LEAP_YEAR_TEXT) {
        const i32 leap = gx_leap_year_row(p, s.len);
        gx_sprint text = gx_sprint_to(out, cap);
        gx_sprint_bytes(&text, leap < 0 ? "NaN" : leap ? "true" : "false", leap < 0 ? 3 : leap ? 4 : 5);
        return text.len;
    }
    if (func == GX_F_DATE_ADD_DURATION)
        return gx_duration_add(&lasts, p, s.len) && gx_duration_add(&lasts, q, t.len)
            ? gx_duration_write(lasts, out, cap)
            : 0;
    if (func == GX_F_DATE_PARSE_DATE)
        return gx_date_read_write(p, s.len, q, t.len, out, cap);
    if (!gx_date_parse(p, s.len, &d))
        return 0;
    switch (func) {
    case GX_F_DATE_DATE:
        return (d.parts & GX_DATE_FULL) == GX_DATE_FULL ? gx_date_write(&d, GX_DATE_FULL, out, cap) : 0;
    case GX_F_DATE_TIME:
        return d.parts & GX_DATE_TIME ? gx_date_write(&d, GX_DATE_TIME, out, cap) : 0;
    case GX_F_DATE_ADD:
        return gx_duration_parse(q, t.len, &lasts) ? gx_date_add(&d, &lasts, out, cap) : 0;
    case GX_F_DATE_DIFFERENCE:
        return gx_date_parse(q, t.len, &other) ? gx_date_difference(&d, &other, out, cap) : 0;
    case GX_F_DATE_FORMAT_DATE:
        return gx_date_format(&d, q, t.len, out, cap);
    default:
        return gx_date_name_write(&d, func < GX_F_DATE_DAY_NAME ? 'M' : 'E',
                                  func == GX_F_DATE_MONTH_NAME || func == GX_F_DATE_DAY_NAME, out, cap);
    }
}

/* ---- strings ---- */

/* The bytes of row i of a function that makes a string; out NULL counts. A length that no string has is GX_LONGEST:
 * "full". */
GX_OP_BIG u32 gx_string_row(const gx_m *m, u32 func, const gx_v *args, u32 i, char *out, u32 cap)
{
    gx_str s, t;
    const char *p;

    if (func >= GX_F_DATE_YEAR)
        return gx_date_string_row(m, func, args, i, out, cap);
    switch (func) {
    case GX_F_STR_CONCAT: {
        u32 b, e;
        u64 n = 0;
        gx_v_range(&args[0], i, &b, &e);
        for (u32 k = b; k < e; k++) {
            u32 node = ((const u32 *)args[0].data)[k], len;
            p = gx_node_bytes(gx_view_of(m, node), node, &len);
            if (out)
                memcpy(out + n, p, len);
            n += len;
        }
        return n < GX_LONGEST ? (u32)n : GX_LONGEST;
    }
    case GX_F_STR_PADDING: {
        s = gx_row_str(m, &args[1], i);
        u64 n = gx_text_padding(gx_row_num(m, &args[0], i), gx_bytes(m, s), s.len, out, cap);
        return n < GX_LONGEST ? (u32)n : GX_LONGEST;
    }
    case GX_F_STR_ALIGN: {
        gx_str how = gx_row_str(m, &args[2], i);
        p = gx_bytes(m, how);
        s = gx_row_str(m, &args[0], i);
        t = gx_row_str(m, &args[1], i);
        return gx_text_align(gx_bytes(m, s), s.len, gx_bytes(m, t), t.len,
            how.len == 5 && team_equal(p, "right", 5) ? GX_ALIGN_RIGHT
            : how.len == 6 && team_equal(p, "center", 6) ? GX_ALIGN_CENTER : GX_ALIGN_LEFT, out, cap);
    }
    default:                                    /* STR_ENCODE_URI, STR_DECODE_URI: in no other encoding than UTF-8 */
        t = gx_row_str(m, &args[func == GX_F_STR_ENCODE_URI ? 2 : 1], i);
        p = gx_bytes(m, t);
        if (t.len != 5 || (p[0] | 32) != 'u' || (p[1] | 32) != 't' || (p[2] | 32) != 'f' || p[3] != '-' || p[4] != '8')
            return 0;
        s = gx_row_str(m, &args[0], i);
        if (s.len > GX_LONGEST / 3)
            return GX_LONGEST;
        return func == GX_F_STR_ENCODE_URI
            ? gx_text_encode_uri(gx_bytes(m, s), s.len, gx_row_bool(m, &args[1], i), out, cap)
            : gx_text_decode_uri(gx_bytes(m, s), s.len, out, cap);
    }
}

/* What row i's arguments cost to run through, at some 10 nanoseconds a byte */
GX_OP u64 gx_string_work(const gx_m *m, const gx_v *args, u32 argc, u32 i)
{
    u64 work = 1;

    for (u32 k = 0; k < argc; k++)
        work += 4 * gx_row_work(m, &args[k], i);
    return work;
}

/* What EXSLT's functions make out of strings (str:padding, str:align, str:encode-uri, ...): out[i] for rows rows, all
 * in one piece of kept memory. Two passes over gx_string_row(), lengths then bytes. O(bytes of arguments and results).
 * Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_strings_made(gx_m *m, u32 func, const gx_v *args, u32 argc, u32 rows, gx_str *out)
{
    u32 *at;
    char *bytes = NULL;

    gx_watch watch = gx_watch_start();
    GX_TMP(m, at, u32, rows + 1);
    TEAM_FOR(&m->t, i, rows) {
        at[i] = gx_string_row(m, func, args, i, NULL, 0);
        if (gx_watch_late(m, &watch, gx_string_work(m, args, argc, i)))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    GX_TRY(gx_build(m, at, rows, &bytes));
    watch = gx_watch_start();
    TEAM_FOR(&m->t, k, rows) {
        gx_string_row(m, func, args, k, bytes + at[k], at[k + 1] - at[k]);
        out[k] = gx_arena_str(m, bytes + at[k], at[k + 1] - at[k]);
        if (gx_watch_late(m, &watch, gx_string_work(m, args, argc, k) + GX_WATCH_BYTES(at[k + 1] - at[k])))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    team_sync(&m->t);
    return GX_OK;
}

/* ---- host steps ---- */

/* A function that the process computes (gx_host.call): member 0 asks for all rows at once, the others wait. out: as the
 * function's type has it, a double, u8, gx_str or root id a row. Complete for everyone. GX_EHOST where there is no host
 * (a GPU), GX_EDYNAMIC where it says no; its sentence is the host's. */
GX_OP_BIG gx_status gx_host_call(gx_m *m, u32 func, const gx_v *args, u32 rows, void *out)
{
    gx_status status = GX_OK;

    if (!m->run->host)
        return gx_raise(m, GX_EHOST, GX_RE_NO_HOST, gx_str_none());
    gx_host_begin(m);
    if (team_rank(&m->t) == 0)
        status = m->run->host->call(m->run->host->ctx, func, args, rows, out);
    gx_docs_changed(m);
    if (team_any(&m->t, status != GX_OK))
        return gx_raise(m, GX_EDYNAMIC, GX_RE_HOST, gx_str_none());
    return GX_OK;
}

/* dyn:evaluate() and its kin: a host step. Member 0 hands the scope's rows (contexts, positions, sizes, and which frame
 * each stands for) and the texts to the host (host/dynamic.c), which compiles each distinct text once and evaluates it
 * by the solo machine. *out: the host's column, as complete as any. Steps that it took count against this machine's
 * budget. GX_NEED: an expression needs a variable's value first, and the whole call begins again; GX_EHOST without a
 * host. */
GX_OP_BIG gx_status gx_call_dynamic(gx_eval_state *e, u32 func, const gx_v *args, gx_v *out)
{
    gx_m *m = e->m;
    const gx_v *last = args + (func == GX_F_DYN_EVALUATE ? 0 : 1);
    gx_dynamic *d;

    if (!m->run->host)
        return gx_raise(m, GX_EHOST, GX_RE_NO_HOST, gx_str_none());
    GX_TMP(m, d, gx_dynamic, 1);
    gx_host_begin(m);
    if (team_rank(&m->t) == 0) {
        GX_CLEAR(d);
        d->func = func;
        d->n = e->scope->n;
        d->set = args[0];
        d->text = last[0];
        d->nslist = (u32)((const double *)last[1].data)[0];
        d->in_scope = gx_row_str(m, &last[2], 0);
        d->base = gx_row_str(m, &last[3], 0);
        d->context = e->scope->context;
        d->position = e->scope->position;
        d->size = e->scope->size;
        d->map = e->scope->map;
        d->group_row = e->env->group_row;
        d->group = m->group;
        d->where = m->where;
        d->steps = m->steps;
        d->status = m->run->host->dynamic(m->run->host->ctx, d);
    }
    gx_docs_changed(m);
    m->lasting++;
    m->steps = d->steps;
    if (d->status == GX_NEED) {
        m->need_kind = d->need_kind;
        m->need_index = d->need_index;
        m->need_body = d->need_body;
        m->need_flags = d->need_flags;
        return GX_NEED;
    }
    if (d->status != GX_OK)
        return gx_raise(m, GX_EDYNAMIC, GX_RE_HOST, gx_str_none());
    *out = d->value;
    return GX_OK;
}

/* ---- words ---- */

/* bit[i]: are the words of b's row all in a's row, or, is_phrase, one behind the other there? O(bytes of a x words of
 * b) a row, which the watch counts. Fails with GX_ETIME. */
GX_OP_BIG gx_status gx_words(gx_m *m, int is_phrase, const gx_v *a, const gx_v *b, u32 rows, u8 *bit)
{
    gx_watch watch = gx_watch_start();

    TEAM_FOR(&m->t, i, rows) {
        const gx_str s = gx_row_str(m, a, i), w = gx_row_str(m, b, i);
        bit[i] = (u8)(is_phrase ? gx_phrase_is_in(gx_bytes(m, s), s.len, gx_bytes(m, w), w.len)
                                : gx_words_are_in(gx_bytes(m, s), s.len, gx_bytes(m, w), w.len));
        if (gx_watch_late(m, &watch, GX_WATCH_BYTES((u64)s.len * (1 + w.len / 2))))
            break;
    }
    return gx_watch_end(m, &watch);
}

/* num[i]: how well a text (argument 0) fits words (1), with the weights of 2; word.h says how. O(bytes x words) a row.
 * Fails with GX_ETIME. */
GX_OP_BIG gx_status gx_scores(gx_m *m, const gx_v *args, u32 rows, double *num)
{
    gx_watch watch = gx_watch_start();

    TEAM_FOR(&m->t, i, rows) {
        const gx_str s = gx_row_str(m, &args[0], i), w = gx_row_str(m, &args[1], i), k = gx_row_str(m, &args[2], i);
        num[i] = gx_words_score(gx_bytes(m, s), s.len, gx_bytes(m, w), w.len, gx_bytes(m, k), k.len);
        if (gx_watch_late(m, &watch, GX_WATCH_BYTES((u64)s.len * (1 + w.len / 2))))
            break;
    }
    return gx_watch_end(m, &watch);
}

/* ---- calls ---- */

/* Row i of a function that makes a number, but not by a host step */
GX_OP double gx_number_row_of(gx_m *m, u32 func, const gx_v *a, const gx_v *b, u32 i, gx_watch *watch)
{
    u32 from = 0, to = 0;

    if (func == GX_F_MATH_ABS)
        return fabs(gx_row_num(m, a, i));
    if (func == GX_F_MATH_SQRT)                 /* correctly rounded everywhere; EXSLT: of a negative number zero */
        return gx_row_num(m, a, i) < 0 ? 0 : sqrt(gx_row_num(m, a, i));
    if (func == GX_F_MATH_MIN || func == GX_F_MATH_MAX) {
        gx_v_range(a, i, &from, &to);
        return gx_extreme(m, (const u32 *)a->data + from, to - from, func == GX_F_MATH_MAX, watch);
    }
    const gx_str s = gx_row_str(m, a, i);
    return func == GX_F_MATH_CONSTANT ? gx_constant_row(gx_bytes(m, s), s.len, gx_row_num(m, b, i))
                                      : gx_date_number_row(func, gx_bytes(m, s), s.len);
}

/* EXSLT's functions with a number for a result: num[i] for rows rows, complete after the caller's sync. Least and
 * greatest of slices of one list are answered by a tree over that list (gx_extremes_of_slices). O(nodes of the rows).
 * Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_extension_numbers(gx_m *m, u32 func, const gx_v *args, u32 rows, double *num)
{
    const gx_v *a = &args[0], *b = &args[1];
    gx_watch watch = gx_watch_start();
    int made = 0;

    if (func == GX_F_SCORE)
        return gx_scores(m, args, rows, num);
    if (a->cnt && (func == GX_F_MATH_MIN || func == GX_F_MATH_MAX))
        GX_TRY(gx_extremes_of_slices(m, a, rows, func == GX_F_MATH_MAX, num, &made));
    if (!made)
        TEAM_FOR(&m->t, i, rows) {
            num[i] = gx_number_row_of(m, func, a, b, i, &watch);
            if (gx_watch_late(m, &watch, gx_row_work(m, a, i)))
                break;
        }
    return gx_watch_end(m, &watch);
}

/* EXSLT's functions with a boolean for a result, and the word functions: bit[i] for rows rows, complete after the
 * caller's sync. Fails with GX_ETIME. */
GX_OP_BIG gx_status gx_extension_bools(gx_m *m, u32 func, const gx_v *args, u32 rows, u8 *bit)
{
    const gx_v *a = &args[0], *b = &args[1];

    if (func == GX_F_CONTAINS_WORD || func == GX_F_PHRASE)
        return gx_words(m, func == GX_F_PHRASE, a, b, rows, bit);
    TEAM_FOR(&m->t, i, rows)
        if (func == GX_F_DATE_LEAP_YEAR) {
            gx_str s = gx_row_str(m, a, i);
            bit[i] = gx_leap_year_row(gx_bytes(m, s), s.len) == 1;
        } else
            bit[i] = (u8)gx_same_node_row(a, b, i);
    return GX_OK;
}

/* A function of EXSLT (func >= GX_F_EXSLT), as gx_call (machine/functions.h): args: argc columns, which the compiler
 * has converted; *out: the value's column of n rows, or const where all arguments are. math:random() is asked for each
 * row. Three ways: dyn: functions evaluate strings, host functions ask the process, the rest is computed here. No rows:
 * no call, no error. Complete for everyone. Fails as the function does. */
GX_OP_BIG gx_status gx_call_extension(gx_eval_state *e, u32 func, u32 argc, gx_v *args, gx_v *out)
{
    gx_m *m = e->m;
    const u32 n = e->scope->n, rows = func == GX_F_MATH_RANDOM ? n : gx_args_rows(args, argc, n);
    const u8 type = gx_function_type(func);
    const int host = gx_function_is_host(func);
    gx_str *str;
    double *num;
    u32 *roots;
    u8 *bit;

    if (n == 0) {
        *out = gx_call_none(m, func);
        return GX_OK;
    }
    if (gx_function_traits(func) & GX_FT_DYNAMIC)
        return gx_call_dynamic(e, func, args, out);
    if (func == GX_F_STR_REPLACE)               /* lists of nodes, or a string for each */
        for (u32 k = 1; k < 3; k++)
            if (args[k].type != GX_T_SET)
                GX_TRY(gx_to_str(m, &args[k], n));
    switch (type) {
    case GX_T_SET:
        if (host) {
            GX_TMP(m, roots, u32, rows);
            GX_TRY(gx_host_call(m, func, args, rows, roots));
            *out = gx_v_make(type, rows, roots);
        } else if (func == GX_F_SET_LEADING || func == GX_F_SET_TRAILING)
            GX_TRY(gx_set_parts(m, func == GX_F_SET_TRAILING, &args[0], &args[1], rows, out));
        else
            GX_TRY(gx_set_lists(m, func, args, rows, out));
        break;
    case GX_T_BOOL:
        GX_TMP(m, bit, u8, rows);
        GX_TRY(host ? gx_host_call(m, func, args, rows, bit) : gx_extension_bools(m, func, args, rows, bit));
        *out = gx_v_make(type, rows, bit);
        break;
    case GX_T_STR:
        GX_TMP(m, str, gx_str, rows);
        GX_TRY(host ? gx_host_call(m, func, args, rows, str) : gx_strings_made(m, func, args, argc, rows, str));
        *out = gx_v_make(type, rows, str);
        break;
    default:
        GX_TMP(m, num, double, rows);
        GX_TRY(host ? gx_host_call(m, func, args, rows, num) : gx_extension_numbers(m, func, args, rows, num));
        *out = gx_v_make(type, rows, num);
    }
    team_sync(&m->t);
    out->is_const = func != GX_F_MATH_RANDOM && gx_args_rows(args, argc, 2) == 1;
    return GX_OK;
}

#endif
