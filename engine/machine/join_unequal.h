/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join_unequal.h -- joins by "!=" and by not(... != ...), which are existential (XPath 3.4)
 *
 *   use != value            some node of the candidate's differs from some of the row's
 *   not(use != value)       none does: one of them is empty, or all nodes of both are the same
 *
 * So a candidate, and a row, is EMPTY, or ALL the same value, or MIXED; a number that is none (NaN) differs from
 * itself, and is MIXED. The pairs that are ALL the same are found by hash, and left out or put in: a row takes the
 * candidates that are not EMPTY but those, or the EMPTY ones and those.
 *
 * Cost: candidates + rows, and what is found, of "!=" nearly all; nothing of it is listed where only the count is
 * wanted.
 */
#ifndef GX_MACHINE_JOIN_UNEQUAL_H
#define GX_MACHINE_JOIN_UNEQUAL_H

#include "cost.h"
#include "domain.h"
#include "joining.h"

enum { GX_STAND_EMPTY = 0, GX_STAND_ALL, GX_STAND_MIXED };
/* What a set of values is to "!=": is says whether it is EMPTY, ALL one value (s or d, and its hash) or MIXED. */
typedef struct gx_stand { gx_str s; double d; u32 is, hash; } gx_stand;

/* What stands for each of n rows of v, as strings or as numbers: the row's nodes are read until two differ. -0 is 0,
 * and NaN is MIXED, since it differs from itself. O(nodes up to the first difference, and their bytes). Complete for
 * everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_join_stand(gx_m *m, gx_v *v, u32 n, int numbers, gx_stand **out)
{
    gx_watch watch = gx_watch_start();
    gx_stand *stand;

    if (v->type != GX_T_SET) {
        if (numbers)
            GX_TRY(gx_to_num(m, v, n));
        else
            GX_TRY(gx_to_str(m, v, n));
    }
    GX_TMP(m, stand, gx_stand, n);
    TEAM_FOR(&m->t, k, n) {
        u32 b = 0, e = 1, work = 1;
        gx_stand x;
        GX_CLEAR(&x);
        if (v->type == GX_T_SET)
            gx_v_range(v, k, &b, &e);
        x.is = b < e ? GX_STAND_ALL : GX_STAND_EMPTY;
        for (u32 i = b; i < e && x.is == GX_STAND_ALL; i++) {
            const u32 node = v->type == GX_T_SET ? ((const u32 *)v->data)[i] : 0;
            if (numbers) {
                const double d = v->type == GX_T_SET ? gx_node_num(m, node) : gx_row_num(m, v, k);
                if (gx_is_nan(d) || (i > b && d != x.d))
                    x.is = GX_STAND_MIXED;
                x.d = d == 0 ? 0 : d;           /* -0 is equal to it */
            } else {
                const gx_str s = v->type == GX_T_SET ? gx_node_str(gx_view_of(m, node), node) : gx_row_str(m, v, k);
                if (i > b && (s.len != x.s.len || !gx_bytes_equal(gx_bytes(m, s), gx_bytes(m, x.s), s.len)))
                    x.is = GX_STAND_MIXED;
                x.s = s;
                work += 1 + GX_WATCH_BYTES(s.len);
            }
        }
        if (x.is == GX_STAND_ALL && numbers) {
            u64 bits;
            memcpy(&bits, &x.d, 8);
            x.hash = (u32)((bits ^ bits >> 32) * 0x9e3779b1u);
        } else if (x.is == GX_STAND_ALL)
            x.hash = gx_hash(m->run->seed, gx_bytes(m, x.s), x.s.len);
        stand[k] = x;
        if (gx_watch_late(m, &watch, work))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    *out = stand;
    return GX_OK;
}

/* Are two rows that are ALL one value the same? Hashes are compared before bytes; numbers need none. */
GX_OP int gx_stand_same(const gx_m *m, const gx_stand *a, const gx_stand *b, int numbers)
{
    return numbers
        ? a->d == b->d
        : a->hash == b->hash && a->s.len == b->s.len && gx_bytes_equal(gx_bytes(m, a->s), gx_bytes(m, b->s), a->s.len);
}

/* What each row is asked with: where the candidates stand (use), those that are ALL one value by hash (entries, start,
 * mask), and the prefix sums of the EMPTY ones. none: not(use != value). */
typedef struct gx_unequal {
    const gx_stand *use;
    const gx_key_entry *entries;
    const u32 *start, *empty;
    u32 mask;
    int numbers, none;
} gx_unequal;

/* How many of set s a row takes; out NULL: only that, from the numbers of EMPTY and equal candidates, in O(entries of
 * one bucket). out: these, in document order: candidates and the bucket, which is in document order too, are gone
 * through together. For not(!=) without EMPTY ones it goes from one equal candidate to the next. *work: what it looked
 * at. */
GX_OP u32 gx_unequal_row(const gx_m *m, const gx_joining *j, const gx_unequal *q, u32 s, const gx_stand *row, u32 *out,
                         u64 *work)
{
    const u32 first = j->sets->off[s], end = j->sets->off[s + 1], empty = q->empty[end] - q->empty[first];
    const u32 hash = gx_key_hash_in(row->hash, s), stop = row->is == GX_STAND_ALL ? q->start[(hash & q->mask) + 1] : 0;
    u32 e = row->is == GX_STAND_ALL ? q->start[hash & q->mask] : 0, n = 0, equal = 0;

    if (row->is == GX_STAND_EMPTY && !q->none)
        return 0;
    if (!out) {
        if (row->is == GX_STAND_EMPTY)
            return end - first;
        for (; e < stop; e++)
            equal += q->entries[e].hash == hash && gx_stand_same(m, &q->use[q->entries[e].node], row, q->numbers);
        *work += 1 + equal;
        return q->none ? empty + equal : end - first - empty - equal;
    }
    u32 looked = 0;
    for (u32 k = first; k < end; k++, looked++) {
        int same = 0;
        for (; e < stop && q->entries[e].node <= k; e++)
            same |=
                q->entries[e].node == k && q->entries[e].hash == hash && gx_stand_same(m, &q->use[k], row, q->numbers);
        if (q->none ? same || q->use[k].is == GX_STAND_EMPTY || row->is == GX_STAND_EMPTY
                    : !same && q->use[k].is != GX_STAND_EMPTY)
            out[n++] = j->ids[k];
        else if (q->none && !empty && e < stop && q->entries[e].node > k + 1)
            k = q->entries[e].node - 1;         /* on to the next that may be equal */
        else if (q->none && !empty && e >= stop && row->is != GX_STAND_EMPTY)
            break;
    }
    *work += looked / 8 + 1;
    return n;
}

/* What the rows, which stand for `row`, take: counted, then written where they are not only counted. *out as
 * gx_join_out() makes it, in document order. is_long: NULL, or *is_long 1 and nothing else where the rows look at more
 * entries than GX_LOOKUP_LONG each. O(rows + what is listed). Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_unequal_ask(gx_m *m, const gx_joining *j, const gx_unequal *q, const gx_stand *row, gx_v *out,
                                   int *is_long)
{
    const u64 most = is_long ? 64 + (u64)GX_LOOKUP_LONG * (j->rows / team_size(&m->t) + 1) : ~(u64)0;
    u32 *off, *ids = NULL, total = 0;
    u64 all = 0;

    GX_TMP(m, off, u32, (u64)j->rows + 1);
    for (int pass = 0; pass < 2; pass++) {
        gx_watch watch = gx_watch_start();
        TEAM_FOR(&m->t, r, j->rows) {
            u64 work = 1;
            const u32 taken =
                gx_unequal_row(m, j, q, gx_join_set(j->sets, r), &row[r], pass ? ids + off[r] : NULL, &work);
            if (!pass)
                off[r] = taken;
            all += work;
            if (gx_watch_late(m, &watch, work) || (!pass && all > most))
                break;
        }
        if (!pass && is_long && (*is_long = team_any(&m->t, all > most)) != 0)
            return GX_OK;
        GX_TRY(gx_watch_end(m, &watch));
        if (!pass) {
            if (j->count)
                return gx_join_out(m, j, off, NULL, NULL, out);
            GX_TRY(gx_scan(m, off, j->rows, &total));
            GX_TMP(m, ids, u32, total);
        }
    }
    team_sync(&m->t);
    return gx_join_out(m, j, NULL, off, ids, out);
}

/* "!=", of which the first or last candidate of each row is wanted: that is one of two of its set. The first that is
 * not EMPTY, unless all of it is what the row is; then the first that is something else. Both are found once a set.
 * *out: SET of one node or none a row. O(candidates + rows). Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_unequal_end(gx_m *m, const gx_joining *j, const gx_stand *use, const gx_stand *row, int numbers,
                                   gx_v *out)
{
    u32 *one, *other, *end;
    gx_watch watch = gx_watch_start();

    GX_TMP(m, one, u32, j->sets->n);
    GX_TMP(m, other, u32, j->sets->n);
    TEAM_FOR(&m->t, s, j->sets->n) {
        const u32 first = j->sets->off[s], n = j->sets->off[s + 1] - first;
        one[s] = other[s] = GX_NONE;
        for (u32 i = 0; i < n && other[s] == GX_NONE; i++) {
            const u32 k = j->last ? first + n - 1 - i : first + i;
            if (use[k].is == GX_STAND_EMPTY)
                continue;
            if (one[s] == GX_NONE)
                one[s] = k;
            if (use[one[s]].is == GX_STAND_MIXED)
                break;                          /* every row's */
            if (use[k].is == GX_STAND_MIXED || !gx_stand_same(m, &use[k], &use[one[s]], numbers))
                other[s] = k;
        }
        if (gx_watch_late(m, &watch, n / 8 + 1))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    team_sync(&m->t);
    GX_TMP(m, end, u32, j->rows);
    TEAM_FOR(&m->t, r, j->rows) {
        const u32 s = gx_join_set(j->sets, r);
        u32 k = row[r].is == GX_STAND_EMPTY ? GX_NONE : one[s];
        if (k != GX_NONE && row[r].is == GX_STAND_ALL && use[k].is == GX_STAND_ALL
            && gx_stand_same(m, &use[k], &row[r], numbers))
            k = other[s];
        end[r] = k == GX_NONE ? k : j->ids[k];
    }
    return gx_v_ones(m, end, j->rows, out);
}

/* for gx_domain_make */
typedef struct gx_unequal_rows { const gx_joining *j; const gx_unequal *q; const gx_stand *row; } gx_unequal_rows;
GX_OP int gx_unequal_same(const gx_m *m, const void *ctx, u32 a, u32 b)
{
    const gx_unequal_rows *x = (const gx_unequal_rows *)ctx;

    return gx_join_set(x->j->sets, a) == gx_join_set(x->j->sets, b) && x->row[a].is == x->row[b].is
        && (x->row[a].is != GX_STAND_ALL || gx_stand_same(m, &x->row[a], &x->row[b], x->q->numbers));
}

/* gx_unequal_ask for each distinct row of each set; rows share what that takes, so a list of nearly all candidates is
 * made once a value and not once a row. *out: SET, j->rows rows, or NUM. O(rows + distinct rows x candidates). Complete
 * for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_unequal_distinct(gx_m *m, const gx_joining *j, const gx_unequal *q, const gx_stand *row,
                                        gx_v *out)
{
    const gx_unequal_rows rows = { j, q, row };
    gx_joining distinct = *j;
    gx_join sets = *j->sets;
    gx_domain d;
    gx_stand *heads;
    u32 *hash, *of_head;

    GX_TMP(m, hash, u32, j->rows);
    TEAM_FOR(&m->t, r, j->rows)
        hash[r] = gx_key_hash_in(row[r].is == GX_STAND_ALL ? row[r].hash : row[r].is, gx_join_set(j->sets, r));
    team_sync(&m->t);
    GX_TRY(gx_domain_make(m, j->rows, hash, gx_unequal_same, &rows, &d));
    if (!d.heads)
        return gx_unequal_ask(m, j, q, row, out, NULL);
    GX_TMP(m, heads, gx_stand, d.n);
    GX_TMP(m, of_head, u32, d.n);
    TEAM_FOR(&m->t, k, d.n) {
        heads[k] = row[d.heads[k]];
        of_head[k] = gx_join_set(j->sets, d.heads[k]);
    }
    team_sync(&m->t);
    sets.of_row = of_head;
    distinct.sets = &sets;
    distinct.rows = d.n;
    const u64 tmp = m->tmp;
    GX_TRY(gx_unequal_ask(m, &distinct, q, heads, out, NULL));
    if (d.n <= j->rows / 2)             /* more rows need no more lists, or few */
        m->shared += m->tmp - tmp;
    return gx_v_gather(m, out, d.of_row, j->rows);
}

/* The operator: *out as gx_join_out() makes it, a SET for each row, or a NUM where they are counted. In this order:
 * where each candidate stands (EMPTY, ALL or MIXED), a list of the EMPTY ones, a table by hash of those that are ALL
 * one value; then where each row stands, and its answer out of both. Of one first node (most == 1) no table is needed:
 * an end of the set is taken, or the one behind it. What is found is listed once for each distinct row. O(candidates +
 * rows + what is found). Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_join_unequal(gx_m *m, const gx_joining *j, gx_v *out)
{
    gx_unequal q;
    gx_stand *row, *use;
    gx_key_entry *found, *entries;
    u32 *start, *empty, *at, n = 0, total = 0, mask = 15;
    int is_long = 0;

    GX_CLEAR(&q);
    q.numbers = j->use->type == GX_T_NUM || j->value->type == GX_T_NUM;
    q.none = j->op == GX_JOIN_NONE_UNEQUAL;
    GX_TRY(gx_join_stand(m, j->use, j->total, q.numbers, &use));
    if (j->most == 1 && !q.none) {
        m->shared += m->tmp - j->sets->tmp;
        GX_TRY(gx_join_stand(m, j->value, j->rows, q.numbers, &row));
        return gx_unequal_end(m, j, use, row, q.numbers, out);
    }
    GX_TMP(m, empty, u32, (u64)j->total + 1);
    GX_TMP(m, at, u32, (u64)j->total + 1);
    TEAM_FOR(&m->t, k, j->total) {
        empty[k] = use[k].is == GX_STAND_EMPTY;
        at[k] = use[k].is == GX_STAND_ALL;
    }
    team_sync(&m->t);
    GX_TRY(gx_scan(m, empty, j->total, &total));
    GX_TRY(gx_scan(m, at, j->total, &n));
    while (mask < n && mask < 0x3fffffff)
        mask = mask * 2 + 1;
    GX_TMP(m, start, u32, (u64)mask + 2);
    GX_TMP(m, entries, gx_key_entry, n);
    GX_TMP(m, found, gx_key_entry, n);
    TEAM_FOR(&m->t, k1, j->total)
        if (at[k1 + 1] != at[k1]) {
            gx_key_entry x;
            GX_CLEAR(&x);
            x.hash = gx_key_hash_in(use[k1].hash, j->sets->n == 1 ? 0 : gx_row_of(j->sets->off, j->sets->n, k1));
            x.node = k1;
            found[at[k1]] = x;
        }
    team_sync(&m->t);
    GX_TRY(gx_key_buckets(m, found, n, 1, mask, start, entries));
    m->shared += m->tmp - j->sets->tmp;
    q.use = use;
    q.entries = entries;
    q.start = start;
    q.empty = empty;
    q.mask = mask;
    GX_TRY(gx_join_stand(m, j->value, j->rows, q.numbers, &row));
    if (j->count || j->rows == 1)
        GX_TRY(gx_unequal_ask(m, j, &q, row, out, j->rows > 1 ? &is_long : NULL));
    return j->rows == 1 || (j->count && !is_long) ? GX_OK : gx_unequal_distinct(m, j, &q, row, out);
}

#endif
