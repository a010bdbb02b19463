/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_functions.h -- functions that ask the team's process: document(), exsl:node-set(), system-property() and its
 * like
 *
 * One member asks, for all rows; the others wait (gx_host_begin, gx_docs_changed). A team on a GPU has no process to
 * ask: GX_EHOST, and the evaluation begins again on a CPU.
 */
#ifndef GX_MACHINE_HOST_FUNCTIONS_H
#define GX_MACHINE_HOST_FUNCTIONS_H

#include "collect.h"
#include "column.h"
#include "machine.h"
#include "memory.h"
#include "nodes.h"
#include "order.h"
#include "result.h"
#include "string_functions.h"
#include "value.h"

/* Before a host step: what memory it may take. */
GX_OP void gx_host_begin(gx_m *m)
{
    if (team_rank(&m->t) == 0) {
        m->run->host_top = m->top;
        m->run->host_tmp = m->tmp;
    }
    team_sync(&m->t);
}

/* After a host step that may have added documents. */
GX_OP void gx_docs_changed(gx_m *m)
{
    team_sync(&m->t);
    m->n_docs = m->run->n_docs;
    m->top = m->run->host_top > m->top ? m->run->host_top : m->top;
}

/* A function of strings that the process answers (system-property(), regexp:test(), ...), for all rows in one call:
 * argc columns of strings, spread to one a row, since the host does not know const columns. out[i]: the strings, in
 * memory of the host's. One call and two syncs, whatever the rows. GX_EHOST without a host; GX_EDYNAMIC with the host's
 * sentence. */
GX_OP_BIG gx_status gx_host_strings(gx_eval_state *e, u32 func, u32 argc, gx_v *args, u32 rows, u32 nslist, gx_str *out)
{
    gx_m *m = e->m;
    const gx_str *in[4];
    gx_status status = GX_OK;

    if (!m->run->host)
        return gx_raise(m, GX_EHOST, GX_RE_NO_HOST, gx_str_none());
    for (u32 k = 0; k < argc && k < 4; k++) {
        gx_str *all;
        GX_TRY(gx_to_str(m, &args[k], rows));
        in[k] = (const gx_str *)args[k].data;
        if (args[k].is_const && rows > 1) {
            GX_TMP(m, all, gx_str, rows);
            TEAM_FOR(&m->t, i, rows)
                all[i] = in[k][0];
            in[k] = all;
        }
    }
    gx_host_begin(m);
    if (team_rank(&m->t) == 0)
        status = m->run->host->function(m->run->host->ctx, func, argc, in, rows, nslist, out);
    gx_docs_changed(m);
    if (team_any(&m->t, status != GX_OK))
        return gx_raise(m, GX_EDYNAMIC, GX_RE_HOST, gx_str_none());
    return GX_OK;
}

/* document() (XSLT 1.0, 12.1): one member asks the host for each row's URIs, or each of its nodes', in the order of
 * rows, since a document must be the same whatever the team is. What cannot be loaded is no node. *out: SET in
 * document order, const where all arguments are. O(rows) beside loading. Complete for everyone; views may have moved
 * (gx_docs_changed). Fails with GX_EHOST on a GPU, and as the host. */
GX_OP_BIG gx_status gx_document(gx_eval_state *e, u32 argc, gx_v *args, gx_v *out)
{
    gx_m *m = e->m;
    u32 n = e->scope->n, rows = gx_args_rows(args, argc, n), *off, total = 0, *ids;
    gx_str base = gx_row_str(m, &args[1], 0);
    u32 bad = 0;

    if (!m->run->host)
        return gx_raise(m, GX_EHOST, GX_RE_NO_HOST, gx_str_none());
    if (args[0].type != GX_T_SET)
        GX_TRY(gx_to_str(m, &args[0], rows));
    GX_TMP(m, off, u32, rows + 1);
    TEAM_FOR(&m->t, i, rows) {
        u32 b = 0, end = 1;
        if (args[0].type == GX_T_SET)
            gx_v_range(&args[0], i, &b, &end);
        off[i] = end - b;
    }
    GX_TRY(gx_scan(m, off, rows, &total));
    GX_TMP(m, ids, u32, total);
    gx_host_begin(m);
    if (team_rank(&m->t) == 0)
        for (u32 i = 0; i < rows && !bad; i++)
            for (u32 k = off[i]; k < off[i + 1]; k++) {
                gx_str uri, from = base;
                u32 node = GX_NONE;
                if (args[0].type == GX_T_SET) {
                    u32 b, end;
                    gx_v_range(&args[0], i, &b, &end);
                    node = ((const u32 *)args[0].data)[b + k - off[i]];
                    uri = gx_node_str(gx_view_of(m, node), node);
                } else
                    uri = gx_row_str(m, &args[0], i);
                /* the base: of the second argument's first node; else of the node itself; else of the stylesheet */
                if (argc > 2 && (node = gx_v_first(&args[2], i)) == GX_NONE)
                    from = gx_str_none();       /* of no node at all */
                if (node != GX_NONE) {
                    const gx_view *v = gx_view_of(m, node);
                    u32 at = v->doc->base_uri, len = v->doc->base_uri_len;
                    if (uri.len)            /* "" is the document of the node (12.1) */
                        gx_doc_base_of(v->doc, node - v->base, &at, &len);
                    /* a tree that the stylesheet made: the stylesheet's */
                    from = len ? gx_view_name(v, at, len) : base;
                }
                if (m->run->host->document(m->run->host->ctx, uri, from, node, &ids[k]) != GX_OK) {
                    bad = 1;
                    break;
                }
                m->n_docs = m->run->n_docs;
            }
    gx_docs_changed(m);
    if (team_any(&m->t, (int)bad))
        return gx_raise(m, GX_EDYNAMIC, GX_RE_HOST, gx_str_none());
    /* what could not be loaded is no node (GX_NONE): drop */
    u32 *keep, *at, *list, count;
    GX_TMP(m, keep, u32, total + 1);
    TEAM_FOR(&m->t, k, total)
        keep[k] = ids[k] != GX_NONE;
    GX_TRY(gx_scan(m, keep, total, &count));
    GX_TMP(m, list, u32, count);
    GX_TMP(m, at, u32, rows + 1);
    TEAM_FOR(&m->t, k, total)
        if (keep[k + 1] != keep[k])
            list[keep[k]] = ids[k];
    TEAM_FOR(&m->t, i, rows + 1)
        at[i] = keep[off[i]];
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, rows, list);
    out->off = at;
    GX_TRY(gx_v_order(m, out));
    out->is_const = rows == 1 && n != 1;
    return GX_OK;
}

/* exsl:node-set(): a node-set stays as it is; a fragment or a string of each row becomes a tree, one document for all
 * rows, whose roots are *out. The host builds it out of the fragment's frames (gx_result_to_doc). O(nodes of the
 * trees). GX_EHOST without a host; GX_EDYNAMIC with the host's sentence. */
GX_OP_BIG gx_status gx_node_set(gx_eval_state *e, gx_v *arg, gx_v *out)
{
    gx_m *m = e->m;
    u32 rows = gx_v_rows(arg, e->scope->n), *ids;
    gx_status status = GX_OK;
    gx_str *texts = NULL;

    if (arg->type == GX_T_SET) {
        *out = *arg;
        return GX_OK;
    }
    if (!m->run->host)
        return gx_raise(m, GX_EHOST, GX_RE_NO_HOST, gx_str_none());
    if (arg->type == GX_T_RTF)
        GX_TRY(gx_v_fragments(m, arg, rows));
    else
        GX_TRY(gx_to_str(m, arg, rows));
    texts = arg->type == GX_T_RTF ? (gx_str *)arg->str : (gx_str *)arg->data;
    GX_TMP(m, ids, u32, rows);
    gx_host_begin(m);
    if (team_rank(&m->t) == 0)
        status = m->run->host->node_set(m->run->host->ctx, arg->type == GX_T_RTF ? (const gx_kid *)arg->data : NULL,
                                        texts, rows, ids);
    gx_docs_changed(m);
    if (team_any(&m->t, status != GX_OK))
        return gx_raise(m, GX_EDYNAMIC, GX_RE_HOST, gx_str_none());
    *out = gx_v_make(GX_T_SET, rows, ids);
    out->is_const = arg->is_const;
    return GX_OK;
}

/* What a function gives for no rows: a column of its type without any. */
GX_OP gx_v gx_call_none(const gx_m *m, u32 func)
{
    const u8 type = gx_function_type(func);
    gx_v v = gx_v_make(type != GX_T_ANY ? type : func == GX_F_DYN_EVALUATE ? GX_T_SET : GX_T_STR, 0, m->run->zero);
    if (v.type == GX_T_SET)
        v.off = m->run->zero;
    return v;
}

#endif
