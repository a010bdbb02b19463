/* SPDX-License-Identifier: Apache-2.0 */
/*
 * functions.h -- the function library on columns (XPath 1.0, 4; XSLT 1.0, 12)
 *
 * gx_call converts the arguments, calls what a function is (string_functions.h, lookup.h, host_functions.h,
 * extension.h) for all rows, and makes the column.
 */
#ifndef GX_MACHINE_FUNCTIONS_H
#define GX_MACHINE_FUNCTIONS_H

#include "budget.h"
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

/* args: the columns of the arguments; *out: n == scope rows, or const when all arguments are and the function looks at
 * nothing else */
GX_OP_BIG gx_status gx_call(gx_eval_state *e, u32 func, u32 argc, gx_v *args, gx_v *out)
{
    gx_m *m = e->m;
    int by_context = func == GX_F_LANG || (func == GX_F_UNPARSED_ENTITY_URI && m->n_docs > 1);
    u32 n = e->scope->n, rows = by_context ? n : gx_args_rows(args, argc, n);
    gx_str *str = NULL;
    double *num = NULL;
    u8 *bit = NULL;
    gx_watch watch = gx_watch_start();

    if (func >= GX_F_EXSLT)
        return gx_call_extension(e, func, argc, args, out);
    if (n == 0) {           /* called for nobody (in a predicate without candidates): no error, and no document to ask
                               */
        *out = gx_call_none(m, func);
        return GX_OK;
    }
    /* what comes out, and the types that go in */
    switch (func) {
    case GX_F_COUNT: case GX_F_SUM: case GX_F_STRING_LENGTH: case GX_F_FLOOR: case GX_F_CEILING: case GX_F_ROUND:
    case GX_F_PLACE:
        GX_TMP(m, num, double, rows);
        break;
    case GX_F_STARTS_WITH: case GX_F_CONTAINS: case GX_F_NOT: case GX_F_LANG:
        GX_TMP(m, bit, u8, rows);
        break;
    case GX_F_KEY:
    case GX_F_KEY_FIRST:
    case GX_F_KEY_COUNT:
    case GX_F_KEY_NEAR:
    case GX_F_KEY_NEAREST:
    case GX_F_BESIDE:
    case GX_F_ID:
    case GX_F_DOCUMENT:
    case GX_F_NODE_SET:
        break;
    default:
        GX_TMP(m, str, gx_str, rows);
    }
    switch (func) {
    case GX_F_COUNT:
    case GX_F_SUM:
    case GX_F_LOCAL_NAME:
    case GX_F_NAMESPACE_URI:
    case GX_F_NAME:
    case GX_F_PLACE:
    case GX_F_GENERATE_ID: GX_TRY(gx_is_set(m, &args[0])); break;
    case GX_F_CONCAT: case GX_F_STARTS_WITH: case GX_F_CONTAINS: case GX_F_SUBSTRING_BEFORE: case GX_F_SUBSTRING_AFTER:
    case GX_F_SUBSTRING_UNTIL:
    case GX_F_STRING_LENGTH:
    case GX_F_NORMALIZE_SPACE:
    case GX_F_TRANSLATE:
    case GX_F_LANG:
    case GX_F_UNPARSED_ENTITY_URI:
    case GX_F_ERROR:
        for (u32 k = 0; k < argc; k++)
            GX_TRY(gx_to_str(m, &args[k], n));
        break;
    case GX_F_SUBSTRING:
        GX_TRY(gx_to_str(m, &args[0], n));
        GX_TRY(gx_to_num(m, &args[1], n));
        if (argc > 2)
            GX_TRY(gx_to_num(m, &args[2], n));
        break;
    case GX_F_FORMAT_NUMBER:
        GX_TRY(gx_to_num(m, &args[0], n));
        GX_TRY(gx_to_str(m, &args[1], n));
        break;
    case GX_F_FLOOR: case GX_F_CEILING: case GX_F_ROUND:
        GX_TRY(gx_to_num(m, &args[0], n));
        break;
    case GX_F_NOT:
        GX_TRY(gx_to_bool(m, &args[0], n));
        break;
    default:
        break;
    }

    const gx_v *a = &args[0], *b = &args[1];
    switch (func) {
    case GX_F_COUNT:
        TEAM_FOR(&m->t, i, rows) {
            u32 from, to;
            gx_v_range(a, i, &from, &to);
            num[i] = to - from;
        }
        break;
    case GX_F_SUM:
        GX_TRY(gx_sum(m, &args[0], rows, num));
        break;
    case GX_F_ID:
        return gx_lookup(e, func, GX_NONE, NULL, &args[0], NULL, out);
    case GX_F_KEY_FIRST: case GX_F_KEY_COUNT: case GX_F_KEY_NEAR: case GX_F_KEY_NEAREST:
        return gx_lookup(e, func, (u32)((const double *)a->data)[0], NULL, &args[1], argc > 2 ? &args[2] : NULL, out);
    case GX_F_BESIDE:
        GX_TRY(gx_beside(m, a, b, (u32)((const double *)args[2].data)[0], rows, out));
        out->is_const = rows == 1 && n != 1;
        return GX_OK;
    case GX_F_PLACE:
        TEAM_FOR(&m->t, i, rows)
            num[i] = gx_place(m, gx_v_first(a, i), (u32)((const double *)b->data)[0]);
        break;
    case GX_F_KEY: {
        u32 *names, named = gx_v_rows(a, n);
        if (a->type == GX_T_NUM)
            return gx_lookup(e, func, (u32)((const double *)a->data)[0], NULL, &args[1], NULL, out);
        GX_TMP(m, names, u32, n);
        TEAM_FOR(&m->t, i, named) {
            names[i] = gx_key_named(m, gx_row_str(m, a, i), (u32)((const double *)args[2].data)[0]);
            if (gx_watch_late(m, &watch, m->run->program->key_names.n))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        team_sync(&m->t);
        if (named != n && names[0] == GX_KEY_ABSENT) {
            team_sync(&m->t);
            TEAM_FOR(&m->t, i, n)
                names[i] = GX_KEY_ABSENT;
            team_sync(&m->t);
            named = n;
        }
        return named == n ? gx_lookup(e, func, GX_NONE, names, &args[1], NULL, out)
                          : gx_lookup(e, func, names[0], NULL, &args[1], NULL, out);
    }
    case GX_F_LOCAL_NAME:
        GX_TRY(gx_names(m, a, rows, 0, str));
        break;
    case GX_F_NAMESPACE_URI:
        GX_TRY(gx_names(m, a, rows, 1, str));
        break;
    case GX_F_NAME:
        GX_TRY(gx_names(m, a, rows, 2, str));
        break;
    case GX_F_CONCAT:
        GX_TRY(gx_concat(m, args, argc, rows, str));
        break;
    case GX_F_STARTS_WITH: case GX_F_CONTAINS:
        TEAM_FOR(&m->t, i, rows) {
            gx_str x = gx_row_str(m, a, i), y = gx_row_str(m, b, i);
            bit[i] = (u8)(func == GX_F_CONTAINS ? gx_text_contains(gx_bytes(m, x), x.len, gx_bytes(m, y), y.len)
                : gx_text_starts_with(gx_bytes(m, x), x.len, gx_bytes(m, y), y.len));
            if (gx_watch_late(m, &watch, GX_WATCH_BYTES(func == GX_F_CONTAINS ? x.len : y.len)))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        break;
    case GX_F_SUBSTRING_BEFORE: case GX_F_SUBSTRING_AFTER:
        TEAM_FOR(&m->t, i, rows) {
            gx_str x = gx_row_str(m, a, i), y = gx_row_str(m, b, i);
            str[i] = gx_slice(x,
                              func == GX_F_SUBSTRING_BEFORE
                                  ? gx_text_substring_before(gx_bytes(m, x), x.len, gx_bytes(m, y), y.len)
                                  : gx_text_substring_after(gx_bytes(m, x), x.len, gx_bytes(m, y), y.len));
            if (gx_watch_late(m, &watch, GX_WATCH_BYTES(x.len)))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        break;
    case GX_F_SUBSTRING_UNTIL: {
        int joins = 0;
        TEAM_FOR(&m->t, i, rows) {
            const gx_str y = gx_row_str(m, b, i);
            joins |= !gx_text_is_unbordered(gx_bytes(m, y), y.len);
        }
        if (team_any(&m->t, joins)) {           /* where t begins as it ends it may be found across the end of s */
            GX_TRY(gx_concat(m, args, 2, rows, str));
            team_sync(&m->t);
        } else
            TEAM_FOR(&m->t, i1, rows)
                str[i1] = gx_row_str(m, a, i1);
        TEAM_FOR(&m->t, i2, rows) {
            const gx_str x = str[i2], y = gx_row_str(m, b, i2);
            const u32 at = gx_text_find(gx_bytes(m, x), x.len, gx_bytes(m, y), y.len);
            const gx_span span = { 0, at == GX_NONE ? x.len : at };
            str[i2] = gx_slice(x, span);
            if (gx_watch_late(m, &watch, GX_WATCH_BYTES(x.len)))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        break;
    }
    case GX_F_SUBSTRING:
        TEAM_FOR(&m->t, i, rows) {
            gx_str x = gx_row_str(m, a, i);
            double first = gx_row_num(m, b, i);
            if (argc > 2)
                str[i] = gx_slice(x, gx_text_substring(gx_bytes(m, x), x.len, first, gx_row_num(m, &args[2], i)));
            else if (first == -gx_number_infinity())
                str[i] = x;
            else
                str[i] = gx_slice(x, gx_text_substring(gx_bytes(m, x), x.len, first, gx_number_infinity()));
            if (gx_watch_late(m, &watch, GX_WATCH_BYTES(x.len)))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        break;
    case GX_F_STRING_LENGTH:
        TEAM_FOR(&m->t, i, rows) {
            gx_str x = gx_row_str(m, a, i);
            num[i] = gx_text_length(gx_bytes(m, x), x.len);
            if (gx_watch_late(m, &watch, GX_WATCH_BYTES(x.len)))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        break;
    case GX_F_NORMALIZE_SPACE:
        GX_TRY(gx_normalize(m, a, rows, str));
        break;
    case GX_F_TRANSLATE:
        GX_TRY(gx_translate(m, args, rows, str));
        break;
    case GX_F_NOT:
        TEAM_FOR(&m->t, i, rows)
            bit[i] = !((const u8 *)a->data)[i];
        break;
    case GX_F_LANG:
        TEAM_FOR(&m->t, i, rows) {
            bit[i] = (u8)gx_lang_row(m, e->scope->context[i], gx_row_str(m, a, i), &watch);
            if (gx_watch_late(m, &watch, 1))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        break;
    case GX_F_FLOOR:
        TEAM_FOR(&m->t, i, rows)
            num[i] = gx_number_floor(((const double *)a->data)[i]);
        break;
    case GX_F_CEILING:
        TEAM_FOR(&m->t, i, rows)
            num[i] = gx_number_ceiling(((const double *)a->data)[i]);
        break;
    case GX_F_ROUND:
        TEAM_FOR(&m->t, i, rows)
            num[i] = gx_number_round(((const double *)a->data)[i]);
        break;
    case GX_F_FORMAT_NUMBER:
        GX_TRY(gx_format_number(m, args, argc, rows, str));
        break;
    case GX_F_GENERATE_ID:
        GX_TRY(gx_generate_ids(m, a, rows, str));
        break;
    case GX_F_UNPARSED_ENTITY_URI:
        TEAM_FOR(&m->t, i, rows) {
            const gx_view *v = gx_view_of(m, e->scope->context[i]);
            const gx_doc_entity *ent = GX_DOC_COL(v->doc, gx_doc_entity, entities);
            const char *heap = GX_DOC_COL(v->doc, char, strs);
            gx_str name = gx_row_str(m, a, i);
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
        GX_TRY(gx_watch_end(m, &watch));
        break;
    case GX_F_DOCUMENT:
        return gx_document(e, argc, args, out);
    case GX_F_NODE_SET:
        return gx_node_set(e, &args[0], out);
    case GX_F_OBJECT_TYPE:
        TEAM_FOR(&m->t, i, rows)
        str[i] = gx_str_make(GX_STR_AT(GX_SPACE_ARENA, m->run->words_at)
                                 + (a->type == GX_T_BOOL      ? 9
                                        : a->type == GX_T_NUM ? 16
                                        : a->type == GX_T_STR ? 22
                                        : a->type == GX_T_SET ? 28
                                                              : 36),
                             a->type == GX_T_BOOL                             ? 7
                                 : a->type == GX_T_NUM || a->type == GX_T_STR ? 6
                                 : a->type == GX_T_SET                        ? 8
                                                                              : 3);
        break;
    case GX_F_ERROR:
        return gx_raise(m, GX_EDYNAMIC, GX_RE_FUNCTION, gx_row_str(m, a, 0));
    case GX_F_SYSTEM_PROPERTY: case GX_F_ELEMENT_AVAILABLE: case GX_F_FUNCTION_AVAILABLE: {
        u32 nslist = argc > 1 ? (u32)((const double *)args[1].data)[0] : 0;
        GX_TRY(gx_host_strings(e, func, 1, args, rows, nslist, str));
        if (func != GX_F_SYSTEM_PROPERTY) {     /* "" is false */
            GX_TMP(m, bit, u8, rows);
            TEAM_FOR(&m->t, i, rows)
                bit[i] = str[i].len != 0;
        }
        break;
    }
    default:
        return gx_raise(m, GX_EDYNAMIC, GX_RE_FUNCTION, gx_str_none());
    }
    team_sync(&m->t);
    *out = bit ? gx_v_make(GX_T_BOOL, rows, bit) : num ? gx_v_make(GX_T_NUM, rows, num) : gx_v_make(GX_T_STR, rows, str);
    out->is_const = rows == 1 && !by_context && gx_args_rows(args, argc, 2) == 1;
    return GX_OK;
}

#endif
