/* SPDX-License-Identifier: Apache-2.0 */
/*
 * functions.h -- the function library on columns (XPath 1.0, 4; XSLT 1.0, 12)
 *
 * gx_call converts the arguments as program/functions.def says and makes the column; the functions below, one for each
 * type of value, call what a function is (string_functions.h, lookup.h, host_functions.h, extension.h) for all rows.
 */
#ifndef GX_MACHINE_FUNCTIONS_H
#define GX_MACHINE_FUNCTIONS_H

#include "addend.h"
#include "budget.h"
#include "candidates.h"
#include "column.h"
#include "extension.h"
#include "host_functions.h"
#include "lookup.h"
#include "machine.h"
#include "memory.h"
#include "nodes.h"
#include "number.h"
#include "string_functions.h"
#include "text.h"
#include "union.h"
#include "value.h"

/* What a call is about: rows of arguments come in, as many of the value go out. a, b: the first two arguments */
typedef struct gx_called { u32 func, argc, n, rows; gx_v *args; const gx_v *a, *b; } gx_called;

/* The arguments as the letters of functions.def want them; n: the scope's rows */
GX_OP gx_status gx_convert(gx_m *m, const char *letters, u32 argc, gx_v *args, u32 n)
{
    for (gx_v *v = args; v < args + argc; v++) {
        const char letter = *letters;
        letters += letters[1] != 0;
        if (letter == 's' ? v->type == GX_T_STR : letter == 'n' && v->type == GX_T_NUM)
            continue;                           /* nearly always: the planner has converted what it knows */
        if (letter == 's')
            GX_TRY(gx_to_str(m, v, n));
        else if (letter == 'n')
            GX_TRY(gx_to_num(m, v, n));
        else if (letter == 'b' && v->type != GX_T_BOOL)
            GX_TRY(gx_to_bool(m, v, n));
        else if (letter == 'S')
            GX_TRY(gx_is_set(m, v));
    }
    return GX_OK;
}

/* A constant argument: k, d, l or x */
GX_OP u32 gx_constant_of(const gx_v *v) { return (u32)((const double *)v->data)[0]; }

/* key() whose name is computed for each row (XSLT 1.0, 12.2). names[i]: the key's number, found by expanding the QName
 * with the namespace list that the third argument holds; GX_KEY_ABSENT where no xsl:key has it. One name for all rows
 * is looked up once. O(rows x keys). Fails as gx_lookup(), GX_NEED among them: an index must be built. */
GX_OP_BIG gx_status gx_key_of_names(gx_eval_state *e, const gx_called *c, gx_v *out)
{
    gx_m *m = e->m;
    u32 *names, named = gx_v_rows(c->a, c->n);
    gx_watch watch = gx_watch_start();

    GX_TMP(m, names, u32, c->n);
    TEAM_FOR(&m->t, i, named) {
        names[i] = gx_key_named(m, gx_row_str(m, c->a, i), gx_constant_of(&c->args[2]));
        if (gx_watch_late(m, &watch, m->run->program->key_names.n))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    team_sync(&m->t);
    if (named != c->n && names[0] == GX_KEY_ABSENT) {
        team_sync(&m->t);
        TEAM_FOR(&m->t, i, c->n)
            names[i] = GX_KEY_ABSENT;
        team_sync(&m->t);
        named = c->n;
    }
    return named == c->n ? gx_lookup(e, c->func, GX_NONE, names, &c->args[1], NULL, out)
                         : gx_lookup(e, c->func, names[0], NULL, &c->args[1], NULL, out);
}

/* The first of each row's nodes in document order, or the last, where they are in another order (UNORDERED). *out: SET
 * of one node or none a row. Where rows share lists, the least or greatest id of a range, O(log nodes) a row; else each
 * row's nodes are looked at. Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_end_of_unordered(gx_m *m, const gx_v *set, u32 rows, int last, gx_v *out)
{
    gx_watch watch = gx_watch_start();
    gx_range_tree tree;
    gx_slices s;
    double *x;
    u32 *end;
    int made;

    GX_TMP(m, end, u32, rows);
    GX_TRY(gx_slices_of_one(m, set, rows, &s, &made));
    if (made) {
        GX_TMP(m, x, double, s.total);
        TEAM_FOR(&m->t, k, s.total)
            x[k] = s.whole[k];
        team_sync(&m->t);
        GX_TRY(gx_range_make(m, x, s.total, last ? GX_RANGE_GREATEST : GX_RANGE_LEAST, &tree));
        TEAM_FOR(&m->t, r, rows)
            end[r] = s.n[r] ? (u32)gx_range_of(&tree, s.at[r], s.at[r] + s.n[r]) : GX_NONE;
    } else
        TEAM_FOR(&m->t, r, rows) {
            const u32 *of = (const u32 *)set->data;
            u32 b, e;
            gx_v_range(set, r, &b, &e);
            end[r] = b < e ? of[b] : GX_NONE;
            for (u32 k = b; k < e; k++)
                end[r] = (last ? of[k] > end[r] : of[k] < end[r]) ? of[k] : end[r];
            if (gx_watch_late(m, &watch, 1 + (e - b) / 8))
                break;
        }
    GX_TRY(gx_watch_end(m, &watch));
    return gx_v_ones(m, end, rows, out);
}

/* The functions whose value is a node-set make the whole column: *out is a SET of c->n rows, or const. id() and key()
 * are look-ups (lookup.h), document() and exsl:node-set() host steps. Fails as these do; GX_NEED: an index is to be
 * built first (key_build.h). */
GX_OP_BIG gx_status gx_call_set(gx_eval_state *e, const gx_called *c, gx_v *out)
{
    gx_v *args = c->args;
    switch (c->func) {
    case GX_F_ID:
        return gx_lookup(e, c->func, GX_NONE, NULL, &args[0], NULL, out);
    case GX_F_KEY:
        if (c->a->type != GX_T_NUM)
            return gx_key_of_names(e, c, out);
        return gx_lookup(e, c->func, gx_constant_of(c->a), NULL, &args[1], NULL, out);
    case GX_F_KEY_FIRST: case GX_F_KEY_AXIS: case GX_F_KEY_AXIS_FIRST:
        return gx_lookup(e, c->func, gx_constant_of(c->a), NULL, &args[1], c->argc > 2 ? &args[2] : NULL, out);
    case GX_F_AXIS_RANGE:
        GX_TRY(gx_axis_range(e->m, c->a, c->b, gx_constant_of(&args[2]), c->rows, out));
        out->is_const = c->rows == 1 && c->n != 1;
        return GX_OK;
    case GX_F_FIRST_UNORDERED: case GX_F_LAST_UNORDERED:
        GX_TRY(gx_end_of_unordered(e->m, c->a, c->rows, c->func == GX_F_LAST_UNORDERED, out));
        out->is_const = c->rows == 1 && c->n != 1;
        return GX_OK;
    case GX_F_DOCUMENT:
        return gx_document(e, c->argc, args, out);
    default:
        return gx_node_set(e, &args[0], out);
    }
}

/* Functions whose value is a number. In: c->args, converted as functions.def says. num[i]: the value of row i,
 * c->rows of them; complete after the caller's sync. O(rows), O(bytes) for string-length(), O(nodes) for sums. Fails
 * with GX_ETIME at a limit (all members alike). */
GX_OP_BIG gx_status gx_call_number(gx_m *m, const gx_called *c, double *num)
{
    const gx_v *a = c->a;
    gx_watch watch = gx_watch_start();

    switch (c->func) {
    case GX_F_COUNT:
        TEAM_FOR(&m->t, i, c->rows) {
            u32 from, to;
            gx_v_range(a, i, &from, &to);
            num[i] = to - from;
        }
        break;
    case GX_F_SUM:
        return gx_sum(m, &c->args[0], c->rows, num);
    case GX_F_SUM_UNORDERED:
        return gx_sum_unordered(m, &c->args[0], c->rows, num);
    case GX_F_PLACE:
        TEAM_FOR(&m->t, i, c->rows)
            num[i] = gx_place(m, gx_v_first(a, i), gx_constant_of(c->b));
        break;
    case GX_F_LEAST_ADDEND:
        TEAM_FOR(&m->t, i, c->rows)
            num[i] = gx_least_addend(((const double *)a->data)[GX_ROW(a, i)],
                                     ((const double *)c->b->data)[GX_ROW(c->b, i)], gx_constant_of(&c->args[2]));
        break;
    case GX_F_LEAST_FACTOR: case GX_F_GREATEST_FACTOR:
        TEAM_FOR(&m->t, i, c->rows)
            num[i] = gx_factor(((const double *)a->data)[GX_ROW(a, i)], ((const double *)c->b->data)[GX_ROW(c->b, i)],
                               gx_constant_of(&c->args[2]), c->func == GX_F_GREATEST_FACTOR);
        break;
    case GX_F_RECIPROCAL_PLACE:
        TEAM_FOR(&m->t, i, c->rows)
            num[i] = gx_reciprocal_place(((const double *)a->data)[GX_ROW(a, i)]);
        break;
    case GX_F_NOT_LESS:
        TEAM_FOR(&m->t, i, c->rows)
            num[i] = gx_not_less(((const double *)a->data)[GX_ROW(a, i)], gx_constant_of(c->b));
        break;
    case GX_F_SUM_END:
        TEAM_FOR(&m->t, i, c->rows)
            num[i] = gx_sum_end(((const double *)a->data)[GX_ROW(a, i)], ((const double *)c->b->data)[GX_ROW(c->b, i)],
                                gx_constant_of(&c->args[2]));
        break;
    case GX_F_LETTERS:
        TEAM_FOR(&m->t, i, c->rows) {
            const gx_str x = gx_str_at(a, i);
            num[i] = gx_letters(gx_bytes(m, x), x.len);
            if (gx_watch_late(m, &watch, 1 + x.len / 16))
                break;
        }
        return gx_watch_end(m, &watch);
    case GX_F_STRING_LENGTH:
        TEAM_FOR(&m->t, i, c->rows) {
            gx_str x = gx_str_at(a, i);
            num[i] = gx_text_length(gx_bytes(m, x), x.len);
            if (gx_watch_late(m, &watch, GX_WATCH_BYTES(x.len)))
                break;
        }
        return gx_watch_end(m, &watch);
    case GX_F_FLOOR:
        TEAM_FOR(&m->t, i, c->rows)
            num[i] = gx_number_floor(((const double *)a->data)[i]);
        break;
    case GX_F_CEILING:
        TEAM_FOR(&m->t, i, c->rows)
            num[i] = gx_number_ceiling(((const double *)a->data)[i]);
        break;
    default:
        TEAM_FOR(&m->t, i, c->rows)
            num[i] = gx_number_round(((const double *)a->data)[i]);
    }
    return GX_OK;
}

/* Functions whose value is true or false: bit[i], c->rows of them; complete after the caller's sync. O(bytes of both
 * strings) a row. Fails with GX_ETIME at a limit, and as the host where it is asked. */
GX_OP_BIG gx_status gx_call_bool(gx_eval_state *e, const gx_called *c, u8 *bit)
{
    gx_m *m = e->m;
    gx_str *str;
    gx_watch watch = gx_watch_start();

    switch (c->func) {
    case GX_F_STARTS_WITH: case GX_F_CONTAINS: {
        const int contains = c->func == GX_F_CONTAINS;
        TEAM_FOR(&m->t, i, c->rows) {
            gx_str x = gx_str_at(c->a, i), y = gx_str_at(c->b, i);
            bit[i] = (u8)(contains ? gx_text_contains(gx_bytes(m, x), x.len, gx_bytes(m, y), y.len)
                                   : gx_text_starts_with(gx_bytes(m, x), x.len, gx_bytes(m, y), y.len));
            if (gx_watch_late(m, &watch, GX_WATCH_BYTES(contains ? x.len : y.len)))
                break;
        }
        return gx_watch_end(m, &watch);
    }
    case GX_F_NOT:
        TEAM_FOR(&m->t, i, c->rows)
            bit[i] = !((const u8 *)c->a->data)[i];
        return GX_OK;
    case GX_F_LANG:
        TEAM_FOR(&m->t, i, c->rows) {
            bit[i] = (u8)gx_lang_row(m, e->scope->context[i], gx_row_str(m, c->a, i), &watch);
            if (gx_watch_late(m, &watch, 1))
                break;
        }
        return gx_watch_end(m, &watch);
    default:                    /* element-available, function-available: "" is false */
        GX_TMP(m, str, gx_str, c->rows);
        GX_TRY(gx_host_strings(e, c->func, 1, c->args, c->rows, gx_constant_of(c->b), str));
        TEAM_FOR(&m->t, i, c->rows)
            bit[i] = str[i].len != 0;
        return GX_OK;
    }
}

/* Which characters substring() takes of row i: its second argument rounded, for so many as the third one says; NaN
 * takes none. Without a third argument to the end, where -Infinity is the beginning. */
GX_OP gx_window gx_window_at(const gx_m *m, const gx_called *c, u32 i)
{
    const double first = gx_row_num(m, c->b, i);
    gx_window all = { 0, 0xffffffff };
    if (c->argc > 2)
        return gx_text_window(first, gx_row_num(m, &c->args[2], i));
    return first == -gx_number_infinity() ? all : gx_text_window(first, gx_number_infinity());
}

/* substring() (4.2): str[i] is a part of the first argument's bytes, nothing is copied. Characters are counted, not
 * bytes, so a row costs its string up to the end of the part. A window that is the same for all rows is computed once.
 * Fails with GX_ETIME. */
GX_OP_BIG gx_status gx_substrings(gx_m *m, const gx_called *c, gx_str *str)
{
    const int is_same = c->b->is_const && (c->argc < 3 || c->args[2].is_const);
    gx_window w = gx_window_at(m, c, 0);
    gx_watch watch = gx_watch_start();
    TEAM_FOR(&m->t, i, c->rows) {
        const gx_str x = gx_str_at(c->a, i);
        if (!is_same)
            w = gx_window_at(m, c, i);
        str[i] = gx_slice(x, gx_text_windowed(gx_bytes(m, x), x.len, w));
        if (gx_watch_late(m, &watch, GX_WATCH_BYTES(x.len)))
            break;
    }
    return gx_watch_end(m, &watch);
}

/* substring-before(), substring-after() and SUBSTRING_UNTIL (the planner's, for substring-before(concat(s, t), t): s up
 * to the first t, or all of s): str[i] shares the first argument's bytes. If t can overlap itself it may be found
 * across the end of s, so the two are joined first for all rows; else s alone is searched. O(bytes). Fails with
 * GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_call_part(gx_m *m, const gx_called *c, gx_str *str)
{
    const int joined = c->func == GX_F_SUBSTRING_UNTIL;
    gx_watch watch = gx_watch_start();

    if (joined) {
        int joins = 0;
        TEAM_FOR(&m->t, i, c->rows) {
            const gx_str y = gx_str_at(c->b, i);
            joins |= !gx_text_is_unbordered(gx_bytes(m, y), y.len);
        }
        if (team_any(&m->t, joins)) {           /* where t begins as it ends it may be found across the end of s */
            GX_TRY(gx_concat(m, c->args, 2, c->rows, str));
            team_sync(&m->t);
        } else
            TEAM_FOR(&m->t, i, c->rows)
                str[i] = gx_str_at(c->a, i);
    }
    TEAM_FOR(&m->t, i, c->rows) {
        const gx_str x = joined ? str[i] : gx_str_at(c->a, i), y = gx_str_at(c->b, i);
        gx_span part = { 0, x.len };
        if (joined) {
            const u32 at = gx_text_find(gx_bytes(m, x), x.len, gx_bytes(m, y), y.len);
            part.len = at == GX_NONE ? x.len : at;
        } else if (c->func == GX_F_SUBSTRING_BEFORE)
            part = gx_text_substring_before(gx_bytes(m, x), x.len, gx_bytes(m, y), y.len);
        else
            part = gx_text_substring_after(gx_bytes(m, x), x.len, gx_bytes(m, y), y.len);
        str[i] = gx_slice(x, part);
        if (gx_watch_late(m, &watch, GX_WATCH_BYTES(x.len)))
            break;
    }
    return gx_watch_end(m, &watch);
}

/* unparsed-entity-uri() (XSLT 1.0, 12.4): of the context node's document, "" where it declares no such entity. Names
 * are compared one after the other: O(rows x entities), which the watch counts. Fails with GX_ETIME. */
GX_OP_BIG gx_status gx_entity_uris(gx_eval_state *e, const gx_called *c, gx_str *str)
{
    gx_m *m = e->m;
    gx_watch watch = gx_watch_start();

    TEAM_FOR(&m->t, i, c->rows) {
        const gx_view *v = gx_view_of(m, e->scope->context[i]);
        const gx_doc_entity *ent = GX_DOC_COL(v->doc, gx_doc_entity, entities);
        const char *heap = GX_DOC_COL(v->doc, char, strs);
        gx_str name = gx_row_str(m, c->a, i);
        str[i] = gx_str_none();
        if (gx_watch_late(m, &watch, v->doc->n_entities))
            break;
        for (u32 k = 0; k < v->doc->n_entities; k++)
            if (ent[k].name_len == name.len && team_equal(heap + ent[k].name, gx_bytes(m, name), name.len)) {
                if (ent[k].uri_len)
                    str[i] = gx_view_name(v, ent[k].uri, ent[k].uri_len);
                break;
            }
    }
    return gx_watch_end(m, &watch);
}

/* exsl:object-type(), of the words that lie in the arena one after the other */
GX_OP gx_str gx_object_type(const gx_m *m, u8 type)
{
    const u32 at = type == GX_T_BOOL ? 9 : type == GX_T_NUM ? 16 : type == GX_T_STR ? 22 : type == GX_T_SET ? 28 : 36;
    const u32 len = type == GX_T_BOOL ? 7 : type == GX_T_NUM || type == GX_T_STR ? 6 : type == GX_T_SET ? 8 : 3;
    return gx_str_make(GX_STR_AT(GX_SPACE_ARENA, m->run->words_at) + at, len);
}

/* Functions whose value is a string: str[i], c->rows of them; complete after the caller's sync. Parts of an argument
 * share its bytes, other bytes are kept (memory.h) for as long as the result. O(bytes). Fails with GX_EARENA,
 * GX_ETIME, or the sentence of the function. */
GX_OP_BIG gx_status gx_call_string(gx_eval_state *e, const gx_called *c, gx_str *str)
{
    gx_m *m = e->m;
    switch (c->func) {
    case GX_F_LOCAL_NAME:          return gx_names(m, c->a, c->rows, 0, str);
    case GX_F_NAMESPACE_URI:       return gx_names(m, c->a, c->rows, 1, str);
    case GX_F_NAME:                return gx_names(m, c->a, c->rows, 2, str);
    case GX_F_CONCAT:              return gx_concat(m, c->args, c->argc, c->rows, str);
    case GX_F_SUBSTRING_BEFORE:
    case GX_F_SUBSTRING_AFTER:
    case GX_F_SUBSTRING_UNTIL:     return gx_call_part(m, c, str);
    case GX_F_SUBSTRING:           return gx_substrings(m, c, str);
    case GX_F_NORMALIZE_SPACE:     return gx_normalize(m, c->a, c->rows, str);
    case GX_F_TRANSLATE:           return gx_translate(m, c->args, c->rows, str);
    case GX_F_FORMAT_NUMBER:       return gx_format_number(m, c->args, c->argc, c->rows, str);
    case GX_F_GENERATE_ID:         return gx_generate_ids(m, c->a, c->rows, str);
    case GX_F_UNPARSED_ENTITY_URI: return gx_entity_uris(e, c, str);
    case GX_F_SYSTEM_PROPERTY:     return gx_host_strings(e, c->func, 1, c->args, c->rows, gx_constant_of(c->b), str);
    case GX_F_OBJECT_TYPE:
        TEAM_FOR(&m->t, i, c->rows)
            str[i] = gx_object_type(m, c->a->type);
        return GX_OK;
    default:                    /* GX_F_ERROR, and a number that is no function's */
        return gx_raise(m, GX_EDYNAMIC, GX_RE_FUNCTION, c->func == GX_F_ERROR ? gx_row_str(m, c->a, 0) : gx_str_none());
    }
}

/* A function of the language (functions.def): converts the arguments in their places and calls by the type of the
 * value. args: argc columns. *out: n == scope rows, or const when all arguments are and the function looks at nothing
 * else. A constant is computed once, whatever n is. Complete for everyone. No rows: no error, and nothing is asked. */
GX_OP_BIG gx_status gx_call(gx_eval_state *e, u32 func, u32 argc, gx_v *args, gx_v *out)
{
    gx_m *m = e->m;
    const int by_context = func == GX_F_LANG || (func == GX_F_UNPARSED_ENTITY_URI && m->n_docs > 1);
    const u32 n = e->scope->n, rows = by_context ? n : gx_args_rows(args, argc, n);
    const gx_called c = { func, argc, n, rows, args, &args[0], &args[1] };

    if (func >= GX_F_EXSLT)
        return gx_call_extension(e, func, argc, args, out);
    if (n == 0) {               /* called for nobody (in a predicate without candidates): no error, nothing to ask */
        *out = gx_call_none(m, func);
        return GX_OK;
    }
    GX_TRY(gx_convert(m, gx_function_args(func), argc, args, n));
    switch (gx_function_type(func)) {
    case GX_T_SET:
        return gx_call_set(e, &c, out);
    case GX_T_NUM: {
        double *num;
        if (func == GX_F_KEY_COUNT)
            return gx_lookup(e, func, gx_constant_of(c.a), NULL, &args[1], NULL, out);
        GX_TMP(m, num, double, rows);
        GX_TRY(gx_call_number(m, &c, num));
        *out = gx_v_make(GX_T_NUM, rows, num);
        break;
    }
    case GX_T_BOOL: {
        u8 *bit;
        GX_TMP(m, bit, u8, rows);
        GX_TRY(gx_call_bool(e, &c, bit));
        *out = gx_v_make(GX_T_BOOL, rows, bit);
        break;
    }
    default: {
        gx_str *str;
        GX_TMP(m, str, gx_str, rows);
        GX_TRY(gx_call_string(e, &c, str));
        *out = gx_v_make(GX_T_STR, rows, str);
        break;
    }
    }
    team_sync(&m->t);
    out->is_const = rows == 1 && !by_context && gx_args_rows(args, argc, 2) == 1;
    return GX_OK;
}

#endif
