/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h -- columns from scratch to kept memory
 *
 * A variable, a slot or a call's value outlives the instruction that made it. What is kept already is not copied.
 */
#ifndef GX_MACHINE_STORE_H
#define GX_MACHINE_STORE_H

#include <string.h>
#include "column.h"
#include "machine.h"
#include "memory.h"
#include "result.h"
#include "value.h"

/* Is p in kept memory, and not in scratch, the program or a document? */
GX_OP int gx_is_kept(const gx_m *m, const void *p)
{
    return (const char *)p >= m->base && (const char *)p < m->base + m->top_end;
}

/* A kept copy of n elements of `size` bytes (1, 4, 8 or 16), or p itself where it is kept already; NULL: full. Complete
 * after the next sync. O(n). */
GX_OP void *gx_keep_copy(gx_m *m, const void *p, u64 n, u32 size)
{
    char *to;

    if (gx_is_kept(m, p))
        return (void *)p;
    to = (char *)gx_keep(m, n * size);
    if (!to)
        return NULL;
#if TEAM_IS_SOLO && !defined __CUDACC__
    memcpy(to, p, n * size);
#else
    if (size == 4) {
        TEAM_FOR(&m->t, i, (u32)n)
            ((u32 *)to)[i] = ((const u32 *)p)[i];
    } else if (size == 8) {
        TEAM_FOR(&m->t, i, (u32)n)
            ((u64 *)to)[i] = ((const u64 *)p)[i];
    } else if (size == 1) {
        TEAM_FOR(&m->t, i, (u32)n)
            to[i] = ((const char *)p)[i];
    } else {
        TEAM_FOR(&m->t, i, (u32)n)
            ((gx_str *)to)[i] = ((const gx_str *)p)[i];
    }
#endif
    return to;
}

/* Do rows of the SET v share nodes, so that the list that they are ranges of, from *begin to *end, is shorter than all
 * of them together? */
GX_OP_BIG int gx_v_is_shared(gx_m *m, const gx_v *v, u32 rows, u32 *begin, u32 *end)
{
    u32 b = GX_NONE, e = 0;
    u64 total = 0;

    *begin = *end = 0;
    if (!v->cnt || v->is_const)
        return 0;
    TEAM_FOR(&m->t, r, rows)
        if (v->cnt[r]) {
            b = v->off[r] < b ? v->off[r] : b;
            e = v->off[r] + v->cnt[r] > e ? v->off[r] + v->cnt[r] : e;
            total += v->cnt[r];
        }
    *begin = team_min(&m->t, b);
    *end = ~team_min(&m->t, ~e);
    return *begin < *end && *end - *begin < team_sum(&m->t, total);
}

/* *out := v as a stored column of n rows, which lives as long as the result. Values are copied; ids that are kept
 * already (another variable's) are only referred to, and what rows share is copied once. O(rows), O(ids) of a set.
 * Complete after the next sync. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_store(gx_m *m, gx_v *v, u32 n, gx_col *out)
{
    gx_col c;
    void *p;

    GX_CLEAR(&c);
    c.type = v->type;
    c.is_const = v->is_const;
    c.n = gx_v_rows(v, n);
    switch (v->type) {
    case GX_T_SET: {
        u32 *start, *count, rows = c.n;
        if (!v->off) {                                  /* a node each */
            p = gx_keep_copy(m, v->data, rows, 4);
            if (!p)
                return gx_full(m);
            c.type = GX_T_NODE;
            c.a = GX_REF_OF(m, p);
            break;
        }
        GX_KEEP(m, start, u32, rows);
        GX_KEEP(m, count, u32, rows);
        if (v->data == (void *)m->base) {               /* ranges of kept ids already: another variable's */
            TEAM_FOR(&m->t, i, rows) {
                start[i] = v->off[i];
                count[i] = v->cnt[i];
            }
        } else {
            u32 *ids, first, begin, end;
            if (gx_v_is_shared(m, v, rows, &begin, &end)) {
                ids = (u32 *)gx_keep_copy(m, (const u32 *)v->data + begin, end - begin, 4);
                if (!ids)
                    return gx_full(m);
                first = GX_REF_OF(m, ids);
                TEAM_FOR(&m->t, k, rows) {
                    start[k] = first + v->off[k] - begin;
                    count[k] = v->cnt[k];
                }
                c.a = GX_REF_OF(m, start);
                c.b = GX_REF_OF(m, count);
                break;
            }
            GX_TRY(gx_v_flat(m, v, rows));              /* ranges with gaps: part of another set (set:leading) */
            ids = (u32 *)gx_keep_copy(m, v->data, gx_v_total(v), 4);
            if (!ids)
                return gx_full(m);
            first = GX_REF_OF(m, ids);
            TEAM_FOR(&m->t, i, rows) {
                u32 b, e;
                gx_v_range(v, i, &b, &e);
                start[i] = first + b;
                count[i] = e - b;
            }
        }
        c.a = GX_REF_OF(m, start);
        c.b = GX_REF_OF(m, count);
        break;
    }
    case GX_T_RTF:
        if (v->data) {
            p = gx_keep_copy(m, v->data, c.n, 8);
            if (!p)
                return gx_full(m);
            c.a = GX_REF_OF(m, p);
        } else if (v->n_seg) {
            c.a = v->n_seg;
            c.flags = GX_C_OWN_ROWS;
        }
        if (v->str) {
            p = gx_keep_copy(m, v->str, v->merged ? 1 : c.n, 16);
            if (!p)
                return gx_full(m);
            c.b = GX_REF_OF(m, p);
            c.flags |= v->merged ? GX_C_ONE_TEXT : 0;
        }
        c.flags |= v->quiet ? GX_C_QUIET : 0;
        m->speaks += !v->quiet;
        break;
    default:
        p = gx_keep_copy(m, v->data, c.n, v->type == GX_T_STR ? 16 : v->type == GX_T_NUM ? 8 : 1);
        if (!p)
            return gx_full(m);
        c.a = GX_REF_OF(m, p);
    }
    *out = c;
    return GX_OK;
}

/* The column of an xsl:value-of, kept: a node-set is stored as each row's first node, whose string-value the serialiser
 * reads from the document, so no text is copied; a fragment is its string. Numbers stay numbers, to be written once,
 * but inside a level they become strings, since the fragment's string-value may be asked for. O(rows). Complete after
 * the next sync. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_store_value(gx_m *m, gx_v *v, u32 n, gx_col *out)
{
    u32 *nodes, rows;

    if (v->type == GX_T_RTF) {                          /* its text */
        if (!v->str)
            return gx_store(m, v, n, out);
        GX_TRY(gx_to_str(m, v, n));
    }
    if (v->type == GX_T_NUM && m->level)                /* inside a fragment whose text may be asked for */
        GX_TRY(gx_to_str(m, v, n));
    if (v->type != GX_T_SET)
        return gx_store(m, v, n, out);
    rows = gx_v_rows(v, n);
    if (!v->off && gx_is_kept(m, v->data))
        nodes = (u32 *)v->data;
    else {
        GX_KEEP(m, nodes, u32, rows);
        TEAM_FOR(&m->t, i, rows)
            nodes[i] = gx_v_first(v, i);
    }
    GX_CLEAR(out);
    out->type = GX_T_NODE;
    out->is_const = v->is_const;
    out->n = rows;
    out->a = GX_REF_OF(m, nodes);
    return GX_OK;
}

#endif
