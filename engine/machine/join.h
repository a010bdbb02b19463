/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join.h -- the nodes of a set by comparing something of theirs with something of the row's (plan/join.c)
 *
 *   $all[@id = current()/@ref]      count(//row[@v > current()/@v])
 *
 * What is compared of the nodes is evaluated once for each set that rows share, not once a row: JOIN opens a scope
 * whose rows are those sets' nodes, the candidates. What follows depends on what the values turn out to be:
 *   text       "=" of strings: the candidates' in buckets by hash, of which a row looks into one for each of its
 *              strings
 *   unequal    "!=" and not(... != ...): what is equal is found as text is, and left out (join_unequal.h)
 *   numbers    equal to one, or compared with one or two, they are sorted, and found by halving (join_order.h)
 *   searches   starts-with(), contains(): by the hash of a few bytes of what is looked for (join_search.h)
 *   pairs      a row for each row and candidate, compared as any columns are: what is few, and whatever the types
 */
#ifndef GX_MACHINE_JOIN_H
#define GX_MACHINE_JOIN_H

#include "cost.h"
#include "join_each.h"
#include "join_ends.h"
#include "join_order.h"
#include "join_search.h"
#include "join_unequal.h"
#include "joining.h"
#include "profile.h"

#ifndef GX_JOIN_PAIRS_LIMIT
#define GX_JOIN_PAIRS_LIMIT GX_COST(JOIN_PAIRS)
#endif

/* truth := not(truth), a BOOL column of n rows or const, in new memory: the old one may be shared. O(rows). Complete
 * for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_join_not(gx_m *m, gx_v *truth, u32 n)
{
    const u32 rows = gx_v_rows(truth, n);
    u8 *bits;

    GX_TMP(m, bits, u8, rows);
    TEAM_FOR(&m->t, k, rows)
        bits[k] = !((const u8 *)truth->data)[k];
    team_sync(&m->t);
    truth->data = bits;
    return GX_OK;
}

/* A join by a look at every pair: three columns of as many entries as there are rows x candidates (row, candidate,
 * node), then gx_compare(), or two of them and an "and", and what is true stays. Right for any types and operators,
 * which the other ways need not be; taken where there are few pairs. O(pairs) in time and scratch. Complete for
 * everyone. Fails with GX_EARENA, GX_ETIME. */
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
        /* Pair k: row[k] and the (k - off[row])-th candidate of that row's set. */
        which[k] = j->sets->off[gx_join_set(j->sets, row[k])] + k - off[row[k]];
        ids[k] = j->ids[which[k]];
    }
    team_sync(&m->t);
    GX_TRY(gx_v_gather(m, &x, which, pairs));
    GX_TRY(gx_v_gather(m, &y, row, pairs));
    GX_TRY(gx_compare(m, j->op == GX_JOIN_NONE_UNEQUAL ? GX_X_NE : j->op, &x, &y, pairs, &bits));
    if (j->op == GX_JOIN_NONE_UNEQUAL)
        GX_TRY(gx_join_not(m, &bits, pairs));
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

/*
 * The build side of a join by text.
 *
 *   start, mask, entries   candidates by the hash of their strings, in buckets (index.h)
 *   members, first         NULL, or where candidates share lists of strings: entries are then these lists, and list l's
 *                          candidates are members[first[l]] .. members[first[l + 1] - 1]
 */
typedef struct gx_join_texts {
    const u32 *start;
    const gx_key_entry *entries, *members;
    const u32 *first;
    u32 mask;
} gx_join_texts;

/* Where candidates' values are the same ranges of a list, *use becomes these ranges and *n how many there are, and t
 * says whose they are. Nothing is done where the values are short, or where more than half of the ranges are distinct.
 * O(candidates). Complete for everyone. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_join_texts_share(gx_m *m, const gx_joining *j, gx_v *use, u32 *n, gx_join_texts *t)
{
    gx_key_entry *found, *entries;
    u32 *start, mask = 15;
    u64 nodes = 0;
    gx_domain d;

    if (use->type != GX_T_SET || use->is_const || !use->cnt || j->sets->n != 1)
        return GX_OK;
    TEAM_FOR(&m->t, k, j->total) {
        u32 b, e;
        gx_v_range(use, k, &b, &e);
        nodes += e - b;
    }
    if (team_sum(&m->t, nodes) <= (u64)GX_SLICE_NODES * j->total)
        return GX_OK;
    GX_TRY(gx_domain_of_ranges(m, use, j->total, &d));
    if (!d.of_row || d.n > j->total / 2)
        return GX_OK;
    while (mask < d.n && mask < 0x3fffffff)
        mask = mask * 2 + 1;
    GX_TMP(m, start, u32, (u64)mask + 2);
    GX_TMP(m, entries, gx_key_entry, j->total);
    GX_TMP(m, found, gx_key_entry, j->total);
    TEAM_FOR(&m->t, k1, j->total) {
        gx_key_entry x;
        GX_CLEAR(&x);
        x.hash = d.of_row[k1];          /* a bucket for each list */
        x.node = k1;
        found[k1] = x;
    }
    team_sync(&m->t);
    GX_TRY(gx_key_buckets(m, found, j->total, 1, mask, start, entries));
    t->first = start;
    t->members = entries;
    *n = d.n;
    return gx_v_gather(m, use, d.heads, d.n);
}

/* The build side of a join by "=" of strings: an entry (hash, string, candidate) for each string of each candidate, in
 * buckets by hash. Equal strings of different sets differ in their hash, so that all sets have one table. Values that
 * candidates share are hashed once (gx_join_texts_share). O(bytes of the candidates' strings); scratch that all parts
 * of the rows share. Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_join_texts_make(gx_m *m, const gx_joining *j, gx_join_texts *t)
{
    gx_v *use = j->use;
    const int sets = use->type == GX_T_SET;
    u32 mask = 15, *start, total = j->total;
    gx_key_entry *found, *entries;
    gx_watch watch = gx_watch_start();

    t->first = NULL;
    t->members = NULL;
    GX_TRY(gx_join_texts_share(m, j, use, &total, t));
    if (sets)
        GX_TRY(gx_v_dense(m, use, total));
    else
        GX_TRY(gx_to_str(m, use, total));
    const u32 n = sets ? gx_v_total(use) : total;
    while (mask < n && mask < 0x3fffffff)
        mask = mask * 2 + 1;
    GX_TMP(m, start, u32, (u64)mask + 2);
    GX_TMP(m, entries, gx_key_entry, n);
    GX_TMP(m, found, gx_key_entry, n);
    TEAM_FOR(&m->t, k, total) {
        const u32 set = j->sets->n == 1 ? 0 : gx_row_of(j->sets->off, j->sets->n, k);
        u32 b = k, e = k + 1;
        if (sets)
            gx_v_range(use, k, &b, &e);
        for (; b < e; b++) {
            const u32 node = sets ? ((const u32 *)use->data)[b] : 0;
            gx_key_entry x;
            x.value = sets ? gx_node_str(gx_view_of(m, node), node) : gx_row_str(m, use, k);
            /* The set's number goes into the hash: equal strings of other sets do not make the bucket long. */
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
    t->start = start;
    t->entries = entries;
    t->mask = mask;
    return GX_OK;
}

/* What row r finds, in the order of its strings, into f (which counts, or writes): for each string of the row's value,
 * the candidates in its bucket that have the same one. Not in document order where the row has several strings, and
 * then perhaps twice: gx_v_order() sorts that out. Values that the row asked for a moment ago are skipped. O(bytes of
 * the strings + entries of their buckets). */
GX_OP void gx_join_text_row(const gx_m *m, const gx_joining *j, const gx_join_texts *t, u32 r, gx_watch *watch,
                            gx_fill *f)
{
    const gx_v *value = j->value;
    const u32 set = gx_join_set(j->sets, r);
    u32 b = 0, e = 1;
    gx_asked asked;

    asked.n = 0;
    if (value->type == GX_T_SET)
        gx_v_range(value, r, &b, &e);
    for (; b < e; b++) {
        const u32 node = value->type == GX_T_SET ? ((const u32 *)value->data)[b] : 0;
        const gx_str s = value->type == GX_T_SET ? gx_node_str(gx_view_of(m, node), node) : gx_row_str(m, value, r);
        const char *p = gx_bytes(m, s);
        const u32 text = gx_hash(m->run->seed, p, s.len), hash = gx_key_hash_in(text, set);
        u32 last = GX_NONE;             /* a candidate with the same value twice */
        f->work += 1 + GX_WATCH_BYTES(s.len);
        if (gx_watch_late(m, watch, f->work))
            return;
        f->work = 0;
        if (value->type == GX_T_SET && gx_asked_before(m, &asked, node, p, s.len, text))
            continue;
        for (u32 k = t->start[hash & t->mask], end = t->start[(hash & t->mask) + 1]; k < end; k++, f->work++)
            if (t->entries[k].node != last && gx_key_is(m, &t->entries[k], hash, p, s.len)) {
                last = t->entries[k].node;
                for (u32 i = t->members ? t->first[last] : last, end_of = t->members ? t->first[last + 1] : last + 1;
                     i < end_of; i++)
                    gx_put(f, j->ids[t->members ? t->members[i].node : i]);
            }
    }
}

/*
 * All rows' finds: counted in one pass, written in a second one, where rows with one find are not looked up again.
 * *out: as gx_join_out() makes it, a SET in document order or a NUM of counts.
 *
 * is_long: NULL, or where a member would look at more than GX_LOOKUP_LONG entries a row on average *is_long 1, and
 * nothing else: the caller then asks for each distinct value once. O(strings + entries looked at), twice. Complete for
 * everyone. Fails with GX_EARENA, GX_ETIME.
 */
GX_OP_BIG gx_status gx_join_texts_ask(gx_m *m, const gx_joining *j, const gx_join_texts *t, gx_v *out, int *is_long)
{
    const int several = gx_v_has_several(m, j->value, j->rows);
    const u64 most = is_long ? 64 + (u64)GX_LOOKUP_LONG * (j->rows / team_size(&m->t) + 1) : ~(u64)0;
    u32 *off, *one, *ids = NULL, total = 0;
    u64 entries = 0;

    GX_TMP(m, off, u32, (u64)j->rows + 1);
    GX_TMP(m, one, u32, j->rows);
    for (int pass = 0; pass < 2; pass++) {
        gx_watch watch = gx_watch_start();
        TEAM_FOR(&m->t, r, j->rows) {
            if (pass && off[r + 1] - off[r] <= 1) {     /* as most look-ups: not once more */
                if (off[r + 1] != off[r])
                    ids[off[r]] = one[r];
                continue;
            }
            gx_fill f;
            GX_CLEAR(&f);
            f.enough = GX_NONE;
            f.out = pass ? ids + off[r] : NULL;
            f.cap = pass ? off[r + 1] - off[r] : 0;
            gx_join_text_row(m, j, t, r, &watch, &f);
            if (!pass) {
                off[r] = f.n;
                one[r] = f.one;
                entries += f.work;
            }
            if (gx_watch_late(m, &watch, f.work) || (!pass && entries > most))
                break;
        }
        if (!pass && is_long && (*is_long = team_any(&m->t, entries > most)) != 0)
            return GX_OK;
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

/* The rows that have different strings, or ask different sets: *distinct, with these rows' value and sets; d says which
 * row is which of them. The value is a STR, or a SET of at most one node a row. Cost: rows. */
GX_OP_BIG gx_status gx_join_distinct(gx_m *m, const gx_joining *j, gx_v *value, gx_join *sets, gx_joining *distinct,
                                     gx_domain *d)
{
    u32 *of, *of_head;

    GX_TMP(m, of, u32, j->rows);
    TEAM_FOR(&m->t, r, j->rows)
        of[r] = gx_join_set(j->sets, r);
    team_sync(&m->t);
    GX_TRY(gx_domain_of_text(m, j->value, of, j->rows, d));
    *value = *j->value;
    GX_TRY(gx_v_gather(m, value, d->heads, d->n));
    GX_TMP(m, of_head, u32, d->n);
    TEAM_FOR(&m->t, k, d->n)
        of_head[k] = of[d->heads ? d->heads[k] : k];
    team_sync(&m->t);
    *sets = *j->sets;
    sets->of_row = of_head;
    *distinct = *j;
    distinct->sets = sets;
    distinct->value = value;
    distinct->rows = d->n;
    return GX_OK;
}

/* "=" of strings: a table of the candidates' strings, in which each row looks up its own. If that turns out to be long
 * and rows have one string each, every distinct string of each set is looked up once, and its rows share the list.
 * O(bytes of both sides + what is found). Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_join_text(gx_m *m, const gx_joining *j, gx_v *out)
{
    gx_joining distinct;
    gx_join sets;
    gx_join_texts t;
    gx_domain d;
    gx_v value;
    int is_long = 0;

    GX_TRY(gx_join_texts_make(m, j, &t));
    if (j->value->type != GX_T_SET)
        GX_TRY(gx_to_str(m, j->value, j->rows));
    const int may_share = j->rows > 1 && !j->value->is_const && !gx_v_has_several(m, j->value, j->rows);
    GX_TRY(gx_join_texts_ask(m, j, &t, out, may_share ? &is_long : NULL));
    if (!is_long)
        return GX_OK;
    GX_TRY(gx_join_distinct(m, j, &value, &sets, &distinct, &d));
    const u64 tmp = m->tmp;
    GX_TRY(gx_join_texts_ask(m, &distinct, &t, out, NULL));
    if (d.n <= j->rows / 2)             /* more rows need no more lists, or few */
        m->shared += m->tmp - tmp;
    return gx_v_gather(m, out, d.of_row, j->rows);
}

/* starts-with() and contains(). Where at most half of the rows' strings are distinct, each is searched for once and
 * rows share what it finds. few: as gx_join_search has it. Cost and errors: gx_join_search; finding the distinct ones
 * is O(bytes). */
GX_OP_BIG gx_status gx_join_searched(gx_m *m, const gx_joining *j, int few, gx_v *out)
{
    gx_joining distinct;
    gx_join sets;
    gx_domain d;
    gx_v value;

    GX_TRY(gx_to_str(m, j->value, j->rows));
    const u64 tmp = m->tmp;
    if (few || j->value->is_const || j->rows == 1)
        return gx_join_search(m, j, few, out);
    GX_TRY(gx_join_distinct(m, j, &value, &sets, &distinct, &d));
    if (d.n > j->rows / 2) {
        m->tmp = tmp;
        return gx_join_search(m, j, few, out);
    }
    GX_TRY(gx_join_search(m, &distinct, few, out));
    return gx_v_gather(m, out, d.of_row, j->rows);
}

/*
 * Takes the way that fits the operator, the types of both columns (known only now) and the number of pairs:
 *
 *   starts-with, contains     join_search.h
 *   != and not(!=)            join_unequal.h
 *   < <= > >=, = of numbers   join_order.h
 *   = of anything else        gx_join_text
 *   few pairs, booleans, or what none of these can do       gx_join_pairs
 *
 * ops: JOIN_END's a; pairs: of all rows and their candidates. *out: SET or NUM, j->rows rows. m->shared grows by the
 * scratch that more rows would share (PARTS asks for it). Fails as the way does.
 */
GX_OP_BIG gx_status gx_join_run(gx_m *m, const gx_joining *j, u32 ops, u64 pairs, gx_v *out)
{
    const u32 op = j->op, way = op & ~GX_JOIN_TURNED, two = j->op_two != 0,
              search = way == GX_JOIN_STARTS || way == GX_JOIN_CONTAINS;
    const gx_v *value = j->value, *use = j->use;
    const int can = value->type != GX_T_BOOL && use->type != GX_T_BOOL && value[two].type != GX_T_BOOL
        && use[two].type != GX_T_BOOL;
    const u64 limit = (u64)GX_JOIN_PAIRS_LIMIT * (j->rows + j->total);
    const int few = pairs <= limit;
    int done = 0;

    if (search) {
        GX_PROFILE_WAY(GX_WAY_SEARCH, pairs, limit);
        GX_TRY(gx_join_searched(m, j, few, out));
        done = 1;
    }
    if (!done && !few && can && (op == GX_X_NE || op == GX_JOIN_NONE_UNEQUAL)) {
        GX_PROFILE_WAY(GX_WAY_UNEQUAL, pairs, limit);
        GX_TRY(gx_join_unequal(m, j, out));
        done = 1;
    }
    if (!done && !few && can) {
        if (op != GX_X_EQ || value->type == GX_T_NUM || use->type == GX_T_NUM) {
            GX_TRY(gx_join_numbers(m, j, (ops & GX_JOIN_ONE_USE) != 0, pairs, out, &done));
            if (done)
                GX_PROFILE_WAY(GX_WAY_ORDER, pairs, limit);
        } else {
            GX_PROFILE_WAY(GX_WAY_HASH, pairs, limit);
            GX_TRY(gx_join_text(m, j, out));
            done = 1;
        }
    }
    if (!done) {
        const u64 tmp = m->tmp;
        GX_PROFILE_WAY(GX_WAY_PAIRS, pairs, limit);
        GX_TRY(gx_join_pairs(m, j, out));
        /* so many rows that pairs are not few take less */
        const int shares = few && can && (j->sets->one || j->sets->of_row);
        m->shared += (shares ? m->tmp - (out->off ? (u64)out->off[j->rows] * 4 : 0) : tmp) - j->sets->tmp;
    }
    return j->most && !j->count ? gx_join_cut(m, j, out) : GX_OK;
}

/* The value of JOIN for the n rows around the candidates' scope s: *out is a SET of nodes, or a NUM where the planner
 * wants how many they are; const where the set and the values are. end: JOIN_END. args: the set, the values (two for a
 * join by two comparisons), and what the candidates have to compare with them (uses). With GX_JOIN_OF_EACH the first
 * few of each parent are wanted: sets are taken apart by parent first (join_each.h). Complete for everyone. Fails with
 * GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_join_close(gx_m *m, const gx_scope *s, gx_op end, gx_v *args, u32 n, gx_v *out)
{
    const u32 ops = end.a, two = GX_JOIN_TWO(ops) != 0, most = GX_JOIN_N(end.b);
    gx_v *value = args + 1, *use = value + 1 + two;
    const u8 is_const = args->is_const && value->is_const && value[two].is_const;
    gx_joining j = { &s->join, value, use, s->context, ops & 0xff, GX_JOIN_TWO(ops), is_const ? 1 : n, s->n,
                     end.type == GX_T_NUM, (ops & GX_JOIN_UNORDERED) != 0, most, (end.b & GX_JOIN_LAST) != 0 };
    u64 pairs = 0;
    gx_join_each each;

    TEAM_FOR(&m->t, r, j.rows) {
        const u32 k = gx_join_set(j.sets, r);
        pairs += j.sets->off[k + 1] - j.sets->off[k];
    }
    pairs = team_sum(&m->t, pairs);
    each.made = 0;
    if (end.b & GX_JOIN_OF_EACH) {
        GX_TRY(gx_join_each_open(m, &j, pairs, &each));
        j.most = 0;                             /* if it stays as it is, all are found */
    }
    GX_TRY(gx_join_run(m, each.made ? &each.j : &j, ops, pairs, out));
    if (each.made)
        GX_TRY(gx_join_each_close(m, &j, &each, out));
    out->is_const = is_const;
    return GX_OK;
}

#endif
