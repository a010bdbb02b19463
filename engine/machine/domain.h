/* SPDX-License-Identifier: Apache-2.0 */
/*
 * domain.h -- the distinct rows for which something must be evaluated
 *
 *   rows          a b a a c b        what their values are
 *   heads         0 1 4              the first row of each value: the domain
 *   of_row        0 1 0 0 2 1        which of these each row is
 *
 * An operator that evaluates for the heads and gathers by of_row has done what all rows need: 4,000 rows that look up
 * one of five states make five lists, which the rows share. For equal rows next to each other gx_runs (column.h) is
 * cheaper.
 *
 * Cost: rows; an entry of 24 bytes for each.
 */
#ifndef GX_MACHINE_DOMAIN_H
#define GX_MACHINE_DOMAIN_H

#include "collect.h"
#include "column.h"
#include "cost.h"
#include "index.h"
#include "machine.h"
#include "memory.h"
#include "row.h"
#include "text.h"

#ifndef GX_LOOKUP_LONG                  /* tests have another */
#define GX_LOOKUP_LONG GX_COST(LOOKUP_LONG)
#endif

/* heads, of_row NULL: each row is one of its own */
typedef struct gx_domain { u32 n; const u32 *heads, *of_row; } gx_domain;

/* Are rows a and b, whose hashes are the same, the same? */
typedef int gx_domain_same(const gx_m *m, const void *ctx, u32 a, u32 b);

/*
 * *out: the distinct ones of n rows. hash: of each row; same says of two rows with one hash whether they are the same.
 *
 * Rows are put into buckets by hash, in their order, and each row looks for the first of its bucket that is the same:
 * so the heads are the first rows, and ascend. All rows different: heads and of_row are NULL. Expected O(n); O(n x rows
 * of a bucket) where `same` says no to equal hashes. Complete for everyone. Fails with GX_EARENA, GX_ETIME.
 */
GX_OP_BIG gx_status gx_domain_make(gx_m *m, u32 n, const u32 *hash, gx_domain_same *same, const void *ctx,
                                   gx_domain *out)
{
    u32 mask = 15, *start, *first, *at, *heads, *of_row;
    gx_key_entry *found, *entries;
    gx_watch watch = gx_watch_start();

    out->n = n;
    out->heads = out->of_row = NULL;
    while (mask < n && mask < 0x3fffffff)
        mask = mask * 2 + 1;
    GX_TMP(m, start, u32, (u64)mask + 2);
    GX_TMP(m, entries, gx_key_entry, n);
    GX_TMP(m, found, gx_key_entry, n);
    GX_TMP(m, first, u32, n);
    GX_TMP(m, at, u32, (u64)n + 1);
    TEAM_FOR(&m->t, r, n) {
        gx_key_entry x;
        GX_CLEAR(&x);
        x.hash = hash[r];
        x.node = r;
        found[r] = x;
    }
    team_sync(&m->t);
    GX_TRY(gx_key_buckets(m, found, n, 1, mask, start, entries));
    team_sync(&m->t);
    TEAM_FOR(&m->t, r, n) {
        u32 k = start[hash[r] & mask];
        while (entries[k].node != r && (entries[k].hash != hash[r] || !same(m, ctx, entries[k].node, r)))
            k++;                        /* r itself stands in its bucket */
        first[r] = entries[k].node;
        at[r] = first[r] == r;
        if (gx_watch_late(m, &watch, 1 + (k - start[hash[r] & mask])))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    u32 distinct;
    GX_TRY(gx_scan(m, at, n, &distinct));
    if (distinct == n)
        return GX_OK;
    GX_TMP(m, heads, u32, distinct);
    GX_TMP(m, of_row, u32, n);
    TEAM_FOR(&m->t, r, n) {
        if (first[r] == r)
            heads[at[r]] = r;
        of_row[r] = at[first[r]];
    }
    team_sync(&m->t);
    out->n = distinct;
    out->heads = heads;
    out->of_row = of_row;
    return GX_OK;
}

/* ---- by string, and something else (of: NULL, nothing) ---- */

typedef struct gx_domain_text { const gx_v *value; const u32 *of; } gx_domain_text;

/* The string of row r, of which value has no more than one: *none 1 where it has none */
GX_OP const char *gx_domain_bytes(const gx_m *m, const gx_v *value, u32 r, u32 *len, u32 *none)
{
    *none = *len = 0;
    if (value->type == GX_T_SET) {
        const u32 node = gx_v_first(value, r);
        *none = node == GX_NONE;
        return *none ? "" : gx_node_bytes(gx_view_of(m, node), node, len);
    }
    const gx_str s = gx_row_str(m, value, r);
    *len = s.len;
    return gx_bytes(m, s);
}

GX_OP int gx_domain_same_text(const gx_m *m, const void *ctx, u32 a, u32 b)
{
    const gx_domain_text *x = (const gx_domain_text *)ctx;
    u32 la, lb, na, nb;
    const char *p = gx_domain_bytes(m, x->value, a, &la, &na), *q = gx_domain_bytes(m, x->value, b, &lb, &nb);

    return (!x->of || x->of[a] == x->of[b]) && na == nb && la == lb && gx_bytes_equal(p, q, la);
}

/* value: STR, or a SET of at most one node a row */
GX_OP_BIG gx_status gx_domain_of_text(gx_m *m, const gx_v *value, const u32 *of, u32 n, gx_domain *out)
{
    const gx_domain_text text = { value, of };
    gx_watch watch = gx_watch_start();
    u32 *hash;

    GX_TMP(m, hash, u32, n);
    TEAM_FOR(&m->t, r, n) {
        u32 len, none;
        const char *p = gx_domain_bytes(m, value, r, &len, &none);
        hash[r] = gx_hash(m->run->seed, p, len);
        if (of)
            hash[r] = gx_key_hash_in(hash[r], of[r]);
        if (gx_watch_late(m, &watch, 1 + GX_WATCH_BYTES(len)))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    return gx_domain_make(m, n, hash, gx_domain_same_text, &text, out);
}

/* ---- by where a SET's rows stand: the same range is the same set ---- */

GX_OP int gx_domain_same_range(const gx_m *m, const void *ctx, u32 a, u32 b)
{
    u32 ab, ae, bb, be;

    (void)m;
    gx_v_range((const gx_v *)ctx, a, &ab, &ae);
    gx_v_range((const gx_v *)ctx, b, &bb, &be);
    return ab == bb && ae == be;
}

GX_OP_BIG gx_status gx_domain_of_ranges(gx_m *m, const gx_v *set, u32 n, gx_domain *out)
{
    u32 *hash;

    GX_TMP(m, hash, u32, n);
    TEAM_FOR(&m->t, r, n) {
        u32 b, e;
        gx_v_range(set, r, &b, &e);
        const u32 x = (b * 0x9e3779b1u) ^ (e * 0x85ebca6bu);
        hash[r] = x ^ x >> 15;
    }
    team_sync(&m->t);
    return gx_domain_make(m, n, hash, gx_domain_same_range, set, out);
}

/* ---- by a value of any type ---- */

/* by_place: a SET by its nodes, else by the string of its only node */
typedef struct gx_domain_value { const gx_v *value; const u32 *of; u32 by_place; } gx_domain_value;

GX_OP u32 gx_domain_mixed(u64 x)
{
    x *= 0x9e3779b97f4a7c15u;
    return (u32)(x >> 32) ^ (u32)x;
}

/* What a row has where that is a number or a truth, as bits */
GX_OP u64 gx_domain_bits(const gx_v *v, u32 r)
{
    u64 bits = 0;
    if (v->type == GX_T_NUM)
        memcpy(&bits, (const double *)v->data + r, 8);
    else
        bits = ((const u8 *)v->data)[r] != 0;
    return bits;
}

GX_OP int gx_domain_same_value(const gx_m *m, const void *ctx, u32 a, u32 b)
{
    const gx_domain_value *x = (const gx_domain_value *)ctx;
    const gx_domain_text text = { x->value, x->of };

    if (x->value->type == GX_T_STR || (x->value->type == GX_T_SET && !x->by_place))
        return gx_domain_same_text(m, &text, a, b);
    if (x->of && x->of[a] != x->of[b])
        return 0;
    if (x->value->type != GX_T_SET)
        return gx_domain_bits(x->value, a) == gx_domain_bits(x->value, b);
    if (x->value->off)
        return gx_domain_same_range(m, x->value, a, b);
    return ((const u32 *)x->value->data)[a] == ((const u32 *)x->value->data)[b];
}

/* value: not const; BOOL, NUM, STR, or a SET, of at most one node a row if not by place */
GX_OP_BIG gx_status gx_domain_of_value(gx_m *m, const gx_v *value, u32 by_place, const u32 *of, u32 n, gx_domain *out)
{
    const gx_domain_value x = { value, of, by_place };
    u32 *hash;

    if (value->type == GX_T_STR || (value->type == GX_T_SET && !by_place))
        return gx_domain_of_text(m, value, of, n, out);
    GX_TMP(m, hash, u32, n);
    TEAM_FOR(&m->t, r, n) {
        u32 b = 0, e = 0;
        if (value->type == GX_T_SET && value->off)
            gx_v_range(value, r, &b, &e);
        else if (value->type == GX_T_SET)
            b = ((const u32 *)value->data)[r];
        const u64 bits = value->type == GX_T_SET ? (u64)e << 32 | b : gx_domain_bits(value, r);
        hash[r] = gx_domain_mixed(bits ^ (of ? (u64)of[r] << 20 : 0));
    }
    team_sync(&m->t);
    return gx_domain_make(m, n, hash, gx_domain_same_value, &x, out);
}

/* Are a SET's rows a node each, in document order and no two the same? */
GX_OP_BIG int gx_domain_ascends(gx_m *m, const gx_v *v, u32 n)
{
    const u32 *ids = (const u32 *)v->data;
    u32 falls = 0;

    if (v->type != GX_T_SET || v->off || v->is_const)
        return 0;
    TEAM_FOR(&m->t, r, n)
        if (r && ids[r] <= ids[r - 1]) {
            falls = 1;
            break;
        }
    return !team_any(&m->t, (int)falls);
}

/* Has a row of v more than one node? */
GX_OP_BIG int gx_v_has_several(gx_m *m, const gx_v *v, u32 n)
{
    u32 several = 0;

    if (v->type == GX_T_SET)
        TEAM_FOR(&m->t, r, v->is_const ? 1 : n) {
            u32 b, e;
            gx_v_range(v, r, &b, &e);
            several |= e - b > 1;
        }
    return team_any(&m->t, (int)several);
}

#endif
