/*
 * join.h -- the nodes of a set by comparing something of theirs with something of the row's (plan/join.c)
 *
 *   $all[@id = current()/@ref]      count(//row[@v > current()/@v])
 *
 * What is compared of the nodes is evaluated once for each set that rows share, not once a row: JOIN opens a scope whose rows are those
 * sets' nodes, the candidates. What follows depends on what the values turn out to be:
 *   text       "=" of strings: the candidates' in buckets by hash, of which a row looks into one for each of its strings
 *   numbers    a row runs through a column of numbers, or two; counted by one, or equal to one, they are sorted, and found by halving
 *   searches   starts-with(), contains(): a row runs through a column of what 8 bytes can tell of the candidates' strings
 *   pairs      a row for each row and candidate, compared as any columns are: what is few, and whatever the types
 */
#ifndef GX_MACHINE_JOIN_H
#define GX_MACHINE_JOIN_H

#include "axis.h"
#include "budget.h"
#include "candidates.h"
#include "collect.h"
#include "column.h"
#include "index.h"
#include "machine.h"
#include "memory.h"
#include "merge.h"
#include "nodes.h"
#include "order.h"
#include "text.h"
#include "value.h"

#ifndef GX_JOIN_FEW
#define GX_JOIN_FEW (TEAM_IS_SOLO ? 4u : 64u)   /* pairs for each row and candidate that are not worth an index; members share these, but not a row */
#endif

typedef struct gx_joining {
    const gx_join *sets;
    gx_v *value, *use;          /* of the rows, of the candidates; two of each where op_two is not 0 */
    const u32 *ids;             /* the candidates */
    u32 op, op_two, rows, total;        /* total: candidates */
    int count;                  /* how many they are is asked for */
} gx_joining;

GX_OP u32 gx_join_set(const gx_join *j, u32 r) { return j->one ? 0 : j->of_row ? j->of_row[r] : r; }

/* *inner: the candidates' scope. Rows one after the other whose ranges are the same share a set: a variable's, seen from frames below its own. */
GX_OP_BIG gx_status gx_join_open(gx_m *m, const gx_scope *outer, const gx_v *set, gx_scope *inner)
{
    const u32 n = outer->n, *heads;
    u32 *starts, n_sets = 1;
    gx_v sets = *set;

    GX_CLEAR(inner);
    inner->join.tmp = m->tmp;
    inner->join.one = set->is_const;
    if (set->is_const) {
        GX_TRY(gx_v_flat(m, &sets, n));
        sets.is_const = 0;
    } else {
        GX_TMP(m, starts, u32, (u64)n + 1);
        TEAM_FOR(&m->t, i, n) {
            u32 b, e, b0 = 0, e0 = 0;
            gx_v_range(set, i, &b, &e);
            if (i)
                gx_v_range(set, i - 1, &b0, &e0);
            starts[i] = !i || b != b0 || e != e0;
        }
        GX_TRY(gx_runs(m, starts, n, &n_sets, &heads, &inner->join.of_row));
        GX_TRY(gx_v_gather(m, &sets, heads, n_sets));
        GX_TRY(gx_v_dense(m, &sets, n_sets));
    }
    GX_TRY(gx_v_offsets(m, &sets, n_sets));
    inner->join.off = sets.off;
    inner->join.n = n_sets;
    inner->n = sets.off[n_sets];
    inner->context = (const u32 *)sets.data;
    return GX_OK;
}

/* *out: the rows' nodes, ids[off[r]] and on; or how many they are: n[r], else as off says. (Of what is only counted there may be more than off could say.) */
GX_OP_BIG gx_status gx_join_out(gx_m *m, const gx_joining *j, const u32 *n, const u32 *off, u32 *ids, gx_v *out)
{
    double *d;

    if (!j->count) {
        *out = gx_v_make(GX_T_SET, j->rows, ids);
        out->off = off;
        return GX_OK;
    }
    GX_TMP(m, d, double, j->rows);
    TEAM_FOR(&m->t, r, j->rows)
        d[r] = n ? n[r] : off[r + 1] - off[r];
    team_sync(&m->t);
    *out = gx_v_make(GX_T_NUM, j->rows, d);
    return GX_OK;
}

GX_OP_BIG gx_status gx_join_pairs(gx_m *m, const gx_joining *j, gx_v *out)
{
    u32 *off, *row, *which, *ids, pairs;
    gx_v x = *j->use, y = *j->value, bits, c;

    GX_TMP(m, off, u32, (u64)j->rows + 1);
    TEAM_FOR(&m->t, r, j->rows) {
        const u32 s = gx_join_set(j->sets, r);
        off[r] = j->sets->off[s + 1] - j->sets->off[s];
    }
    GX_TRY(gx_scan(m, off, j->rows, &pairs));
    GX_TMP(m, row, u32, pairs);
    GX_TMP(m, which, u32, pairs);
    GX_TMP(m, ids, u32, pairs);
    gx_expand_rows(m, off, j->rows, row);
    TEAM_FOR(&m->t, k, pairs) {
        which[k] = j->sets->off[gx_join_set(j->sets, row[k])] + k - off[row[k]];
        ids[k] = j->ids[which[k]];
    }
    team_sync(&m->t);
    GX_TRY(gx_v_gather(m, &x, which, pairs));
    GX_TRY(gx_v_gather(m, &y, row, pairs));
    GX_TRY(gx_compare(m, j->op, &x, &y, pairs, &bits));
    if (j->op_two) {
        gx_v first = bits;
        x = j->use[1];
        y = j->value[1];
        GX_TRY(gx_v_gather(m, &x, which, pairs));
        GX_TRY(gx_v_gather(m, &y, row, pairs));
        GX_TRY(gx_compare(m, j->op_two, &x, &y, pairs, &c));
        GX_TRY(gx_both(m, GX_X_AND, &first, &c, pairs, &bits));
    }
    c = gx_v_make(GX_V_CAND, j->rows, ids);
    c.off = off;
    c.n_seg = j->rows;
    GX_TRY(gx_pred_close(m, &c, &bits));
    return gx_join_out(m, j, NULL, c.off, (u32 *)c.data, out);
}

GX_OP_BIG gx_status gx_join_text(gx_m *m, const gx_joining *j, gx_v *out)
{
    gx_v *use = j->use, *value = j->value;
    const int sets = use->type == GX_T_SET;
    u32 mask = 15, several = 0, *start, *off, *one, *ids = NULL, total = 0;
    gx_key_entry *found, *entries;
    gx_watch watch = gx_watch_start();
    gx_fill f;

    if (sets)
        GX_TRY(gx_v_dense(m, use, j->total));
    else
        GX_TRY(gx_to_str(m, use, j->total));
    if (value->type != GX_T_SET)
        GX_TRY(gx_to_str(m, value, j->rows));
    const u32 n = sets ? gx_v_total(use) : j->total;
    while (mask < n && mask < 0x3fffffff)
        mask = mask * 2 + 1;
    GX_TMP(m, start, u32, (u64)mask + 2);
    GX_TMP(m, entries, gx_key_entry, n);
    GX_TMP(m, found, gx_key_entry, n);
    TEAM_FOR(&m->t, k, j->total) {
        const u32 set = j->sets->n == 1 ? 0 : gx_row_of(j->sets->off, j->sets->n, k);
        u32 b = k, e = k + 1;
        if (sets)
            gx_v_range(use, k, &b, &e);
        for (; b < e; b++) {
            const u32 node = sets ? ((const u32 *)use->data)[b] : 0;
            gx_key_entry x;
            x.value = sets ? gx_node_str(gx_view_of(m, node), node) : gx_row_str(m, use, k);
            x.hash = gx_key_hash_in(gx_hash(m->run->seed, gx_bytes(m, x.value), x.value.len), set);
            x.node = k;
            found[b] = x;
            watch.work += GX_WATCH_BYTES(x.value.len);
        }
        if (gx_watch_late(m, &watch, 1))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    GX_TRY(gx_key_buckets(m, found, n, 1, mask, start, entries));
    m->shared += m->tmp - j->sets->tmp;

    if (value->type == GX_T_SET)
        TEAM_FOR(&m->t, r, j->rows) {
            u32 b, e;
            gx_v_range(value, r, &b, &e);
            several |= e - b > 1;
        }
    several = (u32)team_any(&m->t, (int)several);
    GX_TMP(m, off, u32, (u64)j->rows + 1);
    GX_TMP(m, one, u32, j->rows);
    for (int pass = 0; pass < 2; pass++) {
        watch = gx_watch_start();
        TEAM_FOR(&m->t, r, j->rows) {
            const u32 set = gx_join_set(j->sets, r);
            u32 b = 0, e = 1;
            if (pass && off[r + 1] - off[r] <= 1) {     /* as most look-ups: not once more */
                if (off[r + 1] != off[r])
                    ids[off[r]] = one[r];
                continue;
            }
            gx_asked asked;
            asked.n = 0;
            GX_CLEAR(&f);
            f.enough = GX_NONE;
            f.out = pass ? ids + off[r] : NULL;
            f.cap = pass ? off[r + 1] - off[r] : 0;
            if (value->type == GX_T_SET)
                gx_v_range(value, r, &b, &e);
            for (; b < e; b++) {
                const u32 node = value->type == GX_T_SET ? ((const u32 *)value->data)[b] : 0;
                const gx_str s = value->type == GX_T_SET ? gx_node_str(gx_view_of(m, node), node) : gx_row_str(m, value, r);
                const char *p = gx_bytes(m, s);
                const u32 text = gx_hash(m->run->seed, p, s.len), hash = gx_key_hash_in(text, set);
                u32 last = GX_NONE;     /* a candidate with the same value twice */
                f.work += 1 + GX_WATCH_BYTES(s.len);
                if (gx_watch_late(m, &watch, f.work))
                    break;
                f.work = 0;
                if (value->type == GX_T_SET && gx_asked_before(m, &asked, node, p, s.len, text))
                    continue;
                for (u32 k = start[hash & mask], end = start[(hash & mask) + 1]; k < end; k++, f.work++)
                    if (entries[k].node != last && gx_key_is(m, &entries[k], hash, p, s.len)) {
                        last = entries[k].node;
                        gx_put(&f, j->ids[last]);
                    }
            }
            if (!pass) {
                off[r] = f.n;
                one[r] = f.one;
            }
            if (gx_watch_late(m, &watch, f.work))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        if (!pass) {
            if (j->count && !several)
                return gx_join_out(m, j, off, NULL, NULL, out);
            GX_TRY(gx_scan(m, off, j->rows, &total));
            GX_TMP(m, ids, u32, total);
        }
    }
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, j->rows, ids);
    out->off = off;
    GX_TRY(gx_v_order(m, out));
    return gx_join_out(m, j, NULL, out->off, (u32 *)out->data, out);
}

/* The least number that is more than d; NaN: there is none */
GX_OP double gx_number_above(double d)
{
    u64 bits;

    if (d == 0)
        bits = 1;
    else {
        memcpy(&bits, &d, 8);
        if (gx_is_nan(d) || d == gx_infinity())
            return gx_nan();
        bits = d > 0 ? bits + 1 : bits - 1;
    }
    memcpy(&d, &bits, 8);
    return d;
}

/* The number that stands for each of n rows of v: of a set's the greatest or the least */
GX_OP_BIG gx_status gx_join_column(gx_m *m, gx_v *v, u32 n, int greatest, double **out)
{
    double *d;

    GX_TRY(gx_to_extremes(m, v, n, greatest));
    *out = (double *)v->data;
    if (!v->is_const)
        return GX_OK;
    GX_TMP(m, d, double, n);
    TEAM_FOR(&m->t, r, n)
        d[r] = **out;
    team_sync(&m->t);
    *out = d;
    return GX_OK;
}

/* The candidates' numbers and the rows', so that op is `*use >= *value`: what is to be less has its sign turned */
GX_OP_BIG gx_status gx_join_least(gx_m *m, const gx_joining *j, u32 op, gx_v *uses, gx_v *values, const double **use, const double **value)
{
    const int up = op == GX_X_GT || op == GX_X_GE, strict = op == GX_X_GT || op == GX_X_LT;
    const u64 tmp = m->tmp;
    double *u, *v, *least, *turned;

    GX_TRY(gx_join_column(m, uses, j->total, up, &u));
    *use = u;
    if (!up) {
        GX_TMP(m, turned, double, j->total);
        TEAM_FOR(&m->t, k, j->total)
            turned[k] = -u[k];
        *use = turned;
    }
    m->shared += m->tmp - tmp;
    GX_TRY(gx_join_column(m, values, j->rows, !up, &v));
    GX_TMP(m, least, double, j->rows);
    TEAM_FOR(&m->t, r, j->rows) {
        const double x = up ? v[r] : -v[r];
        least[r] = strict ? gx_number_above(x) : x;
    }
    *value = least;
    team_sync(&m->t);
    return GX_OK;
}

/* for gx_merge: NaN behind all numbers */
GX_OP int gx_join_before(const void *ctx, u32 a, u32 b)
{
    const double x = ((const double *)ctx)[a], y = ((const double *)ctx)[b];

    if (x < y || x > y)
        return x < y;
    return gx_is_nan(x) != gx_is_nan(y) ? gx_is_nan(y) : a < b;
}
/* How many of d[b .. e), ascending, are less than x; with: or equal */
GX_OP u32 gx_join_below(const double *d, u32 b, u32 e, double x, int with)
{
    const u32 first = b;

    while (b < e) {
        const u32 mid = b + (e - b) / 2;
        if (d[mid] < x || (with && d[mid] == x))
            b = mid + 1;
        else
            e = mid;
    }
    return b - first;
}

/* Each set's candidates in the order of their numbers, NaN last; sorted: these */
typedef struct gx_join_order { const u32 *order; const double *sorted; } gx_join_order;

GX_OP_BIG gx_status gx_join_sort(gx_m *m, const gx_joining *j, const double *use, gx_join_order *out)
{
    u32 *perm, *aux, *set = NULL;
    double *sorted;

    if (j->sets->n > 1) {
        GX_TMP(m, set, u32, j->total);
        gx_expand_rows(m, j->sets->off, j->sets->n, set);
    }
    GX_TMP(m, perm, u32, j->total);
    GX_TMP(m, aux, u32, j->total);
    GX_TMP(m, sorted, double, j->total);
    out->order = gx_merge(m, gx_join_before, use, perm, aux, j->sets->off, set, j->sets->n, j->total);
    out->sorted = sorted;
    TEAM_FOR(&m->t, k, j->total)
        sorted[k] = use[out->order[k]];
    team_sync(&m->t);
    return GX_OK;
}

/* Those of a row whose number is x: *first and as many behind it as it returns */
GX_OP u32 gx_join_found(const gx_joining *j, const gx_join_order *o, u32 r, double x, u32 *first)
{
    const u32 s = gx_join_set(j->sets, r), b = j->sets->off[s], e = b + gx_join_below(o->sorted, b, j->sets->off[s + 1], gx_infinity(), 1);
    const u32 less = gx_join_below(o->sorted, b, e, x, 0), no_more = gx_join_below(o->sorted, b, e, x, 1);
    const int above = j->op == GX_X_GT || j->op == GX_X_GE, with = j->op == GX_X_LE || j->op == GX_X_GT;

    *first = b + (j->op == GX_X_EQ ? less : above ? (with ? no_more : less) : 0);
    if (gx_is_nan(x))
        return 0;
    return j->op == GX_X_EQ ? no_more - less : above ? e - *first : with ? no_more : less;
}

/* *done 0: "=" of a number and of sets, of which one node would not stand for all */
GX_OP_BIG gx_status gx_join_numbers(gx_m *m, const gx_joining *j, gx_v *out, int *done)
{
    const int up = j->op == GX_X_GT || j->op == GX_X_GE, sorts = j->op == GX_X_EQ || (j->count && !j->op_two);
    u32 *off, *first = NULL, *ids = NULL, several = 0, total = 0;
    gx_join_order sorted = { NULL, NULL };
    const double *low = NULL, *low_two = NULL, *least = NULL, *least_two = NULL;        /* a candidate's numbers, and what they must be at least */
    double *use, *value = NULL;

    *done = 0;
    for (int k = 0; k < 2 && j->op == GX_X_EQ; k++) {
        const gx_v *v = k ? j->value : j->use;
        if (v->type == GX_T_SET)
            TEAM_FOR(&m->t, r, gx_v_rows(v, k ? j->rows : j->total)) {
                u32 b, e;
                gx_v_range(v, r, &b, &e);
                several |= e - b > 1;
            }
    }
    if (team_any(&m->t, (int)several))
        return GX_OK;
    *done = 1;
    if (sorts) {
        GX_TRY(gx_join_column(m, j->use, j->total, up, &use));
        GX_TRY(gx_join_sort(m, j, use, &sorted));
        m->shared += m->tmp - j->sets->tmp;
        GX_TRY(gx_join_column(m, j->value, j->rows, !up, &value));
        GX_TMP(m, first, u32, j->rows);
    } else {
        m->shared += m->tmp - j->sets->tmp;
        GX_TRY(gx_join_least(m, j, j->op, j->use, j->value, &low, &least));
        low_two = low;
        least_two = least;
        if (j->op_two)
            GX_TRY(gx_join_least(m, j, j->op_two, j->use + 1, j->value + 1, &low_two, &least_two));
    }
    GX_TMP(m, off, u32, (u64)j->rows + 1);
    for (int pass = 0; pass < 2; pass++) {
        gx_watch watch = gx_watch_start();
        TEAM_FOR(&m->t, r, j->rows) {
            const u32 s = gx_join_set(j->sets, r), end = j->sets->off[s + 1];
            u32 n = pass ? off[r] : 0, work = 1;
            if (sorts && !pass)
                n = gx_join_found(j, &sorted, r, value[r], &first[r]);
            else if (sorts)
                for (u32 k = first[r]; n < off[r + 1]; k++)
                    ids[n++] = j->ids[sorted.order[k]];                 /* equal ones stand in document order */
            else {
                const double x = least[r], y = least_two[r];
                for (u32 k = j->sets->off[s]; k < end; k++) {
                    const u32 is = (low[k] >= x) & (low_two[k] >= y);
                    if (pass && is)
                        ids[n] = j->ids[k];
                    n += is;
                }
                work += (end - j->sets->off[s]) / 16;
            }
            if (!pass)
                off[r] = n;
            if (gx_watch_late(m, &watch, work))
                break;
        }
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

/* What can be seen of a string that another one is looked for in: its first bytes; which pairs of bytes it has. And of what of that the other's must be
 * the same. */
typedef struct gx_seen_text { u64 seen, mask; } gx_seen_text;
GX_OP gx_seen_text gx_see_text(u32 search, const char *p, u32 n)
{
    gx_seen_text t = { 0, 0 };

    if (search == GX_JOIN_STARTS) {
        for (u32 i = 0; i < n && i < 8; i++)
            t.seen |= (u64)(u8)p[i] << 8 * i;
        t.mask = n < 8 ? ((u64)1 << 8 * n) - 1 : ~(u64)0;
    } else {
        for (u32 i = 1; i < n; i++)
            t.seen |= (u64)1 << (((u8)p[i - 1] * 31u + (u8)p[i]) & 63);
        t.mask = t.seen;
    }
    return t;
}

GX_OP_BIG gx_status gx_join_search(gx_m *m, const gx_joining *j, gx_v *out)
{
    const u32 search = j->op & ~GX_JOIN_TURNED, turned = j->op & GX_JOIN_TURNED;
    u64 *seen, *mask = NULL;
    u32 *off, *one, *ids = NULL, total = 0;
    gx_watch watch = gx_watch_start();

    GX_TRY(gx_to_str(m, j->use, j->total));
    GX_TMP(m, seen, u64, j->total);
    if (turned)
        GX_TMP(m, mask, u64, j->total);
    TEAM_FOR(&m->t, k, j->total) {
        const gx_str s = gx_row_str(m, j->use, k);
        const gx_seen_text t = gx_see_text(search, gx_bytes(m, s), s.len);
        seen[k] = t.seen;
        if (mask)
            mask[k] = t.mask;
        if (gx_watch_late(m, &watch, 1 + GX_WATCH_BYTES(s.len)))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    m->shared += m->tmp - j->sets->tmp;
    GX_TRY(gx_to_str(m, j->value, j->rows));
    GX_TMP(m, off, u32, (u64)j->rows + 1);
    GX_TMP(m, one, u32, j->rows);
    team_sync(&m->t);
    for (int pass = 0; pass < 2; pass++) {
        watch = gx_watch_start();
        TEAM_FOR(&m->t, r, j->rows) {
            if (pass && off[r + 1] - off[r] <= 1) {
                if (off[r + 1] != off[r])
                    ids[off[r]] = one[r];
                continue;
            }
            const u32 set = gx_join_set(j->sets, r), end = j->sets->off[set + 1];
            const gx_str own = gx_row_str(m, j->value, r);
            const gx_seen_text t = gx_see_text(search, gx_bytes(m, own), own.len);
            u32 n = pass ? off[r] : 0;
            u64 work = 1 + (end - j->sets->off[set]) / 16 + GX_WATCH_BYTES(own.len);
            for (u32 k = j->sets->off[set]; k < end; k++) {
                if ((seen[k] ^ t.seen) & (mask ? mask[k] : t.mask))
                    continue;
                const gx_str other = gx_row_str(m, j->use, k), s = turned ? own : other, what = turned ? other : own;
                work += GX_WATCH_BYTES(s.len);
                if (search == GX_JOIN_STARTS ? !gx_text_starts_with(gx_bytes(m, s), s.len, gx_bytes(m, what), what.len)
                    : !gx_text_contains(gx_bytes(m, s), s.len, gx_bytes(m, what), what.len))
                    continue;
                if (pass)
                    ids[n] = j->ids[k];
                else
                    one[r] = j->ids[k];
                n++;
                if (gx_watch_late(m, &watch, work))
                    break;
                work = 0;
            }
            if (!pass)
                off[r] = n;
            if (gx_watch_late(m, &watch, work))
                break;
        }
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

/* The value of JOIN for the n rows around the candidates' scope s: a SET, or how many they are. args: set, values, uses */
GX_OP_BIG gx_status gx_join_close(gx_m *m, const gx_scope *s, u32 ops, int count, gx_v *args, u32 n, gx_v *out)
{
    const u32 op = ops & 0xff, two = GX_JOIN_TWO(ops) != 0;
    gx_v *value = args + 1, *use = value + 1 + two;
    const u8 is_const = args->is_const && value->is_const && value[two].is_const;
    const gx_joining j = { &s->join, value, use, s->context, op, GX_JOIN_TWO(ops), is_const ? 1 : n, s->n, count };
    u64 pairs = 0;
    int done = 0;
    const int can = value->type != GX_T_BOOL && use->type != GX_T_BOOL && value[two].type != GX_T_BOOL && use[two].type != GX_T_BOOL;

    TEAM_FOR(&m->t, r, j.rows) {
        const u32 k = gx_join_set(j.sets, r);
        pairs += j.sets->off[k + 1] - j.sets->off[k];
    }
    pairs = team_sum(&m->t, pairs);
    const int few = pairs <= (u64)GX_JOIN_FEW * (j.rows + j.total);
    if (op > GX_X_GE) {
        GX_TRY(gx_join_search(m, &j, out));
        done = 1;
    }
    if (!done && !few && can) {
        if (op != GX_X_EQ || value->type == GX_T_NUM || use->type == GX_T_NUM)
            GX_TRY(gx_join_numbers(m, &j, out, &done));
        else {
            GX_TRY(gx_join_text(m, &j, out));
            done = 1;
        }
    }
    if (!done) {
        const u64 tmp = m->tmp;
        GX_TRY(gx_join_pairs(m, &j, out));
        /* so many rows that pairs are not few take less */
        m->shared += (few && can && (j.sets->one || j.sets->of_row) ? m->tmp - (out->off ? (u64)out->off[j.rows] * 4 : 0) : tmp) - j.sets->tmp;
    }
    out->is_const = is_const;
    return GX_OK;
}

#endif
