/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join_search.h -- joins by starts-with() and contains(): strings that are looked for in others
 *
 *   starts-with(use, value)  contains(use, value)       the row's string, the needle, in each of the candidates'
 *   turned: contains(value, use) and so on              each candidate's in the row's
 *
 * Needles are put into classes by their length. For each class that there is, q bytes at a place are hashed: a needle
 * of 5 bytes is looked up by all of them, one of 20 by 16. Where the rows' strings are the needles, those of the
 * candidates' bytes are put into the class's index that some needle has, and a row takes the place of its needle that
 * the fewest candidates have; where they are texts, each candidate is there once, and a row looks up all of its places.
 * What is found that way is compared.
 *
 * Cost: the bytes of all strings, for each class; and what is found. Memory: an entry a byte and class, of a quarter of
 * the scratch; where that is not enough, and for needles of one or two bytes in texts, a row runs through a column of
 * what 8 bytes can tell of the candidates' strings.
 */
#ifndef GX_MACHINE_JOIN_SEARCH_H
#define GX_MACHINE_JOIN_SEARCH_H

#include "joining.h"

/* What can be seen of a string that another one is looked for in: its first bytes; which pairs of bytes it has. And of
 * what of that the other's must be the same. */
typedef struct gx_seen_text { u64 seen, mask; } gx_seen_text;
/* A filter of 64 bits: string t cannot hold s unless t's `seen` has what s's `mask` selects of s's. For starts-with the
 * first 8 bytes; for contains a bit for each pair of adjacent bytes, by a hash. Strings of one byte have no pair and
 * are not filtered. O(length). */
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

/* Each row runs through all candidates: the filter's column first, then a real comparison for what passes it. Taken
 * where pairs are few or the index has no room. *out as gx_join_out() makes it, in document order. O(rows x candidates)
 * looks at 8 bytes, twice, and the bytes of what passes. Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_join_search_run(gx_m *m, const gx_joining *j, gx_v *out)
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

#define GX_N_CLASSES 16u
/* The bytes that needles of a class are hashed by */
GX_OP u32 gx_class_bytes(u32 c) { return c < 12 ? c + 1 : c == 12 ? 16 : c == 13 ? 24 : c == 14 ? 32 : 64; }
/* The class of a needle of n bytes, n > 0 */
GX_OP u32 gx_class_of(u32 n) { return n <= 12 ? n - 1 : n < 16 ? 11 : n < 24 ? 12 : n < 32 ? 13 : n < 64 ? 14 : 15; }

/* The index of one class: candidates by the hash of so many bytes */
typedef struct gx_grams { const gx_key_entry *entries; const u32 *start; u32 mask, bytes; } gx_grams;
/* Which hashes needles of a class have: those of a bucket that is not empty, perhaps */
typedef struct gx_wanted { const u32 *start; u32 mask; } gx_wanted;
#define GX_NEEDLE_PLACES 32u    /* of one that is longer than what is hashed of it */
/* How many places of a needle of `len` bytes are hashed: all at which so many bytes fit, 32 at most; the first one
 * alone for starts-with. */
GX_OP u32 gx_needle_places(u32 len, u32 bytes, u32 starts)
{
    const u32 n = len < bytes ? 0 : starts ? 1 : len - bytes + 1;
    return n < GX_NEEDLE_PLACES ? n : GX_NEEDLE_PLACES;
}

typedef struct gx_searching {
    gx_grams of[GX_N_CLASSES];
    u32 present;                /* a bit for each class that has an index */
    u32 starts, turned;
    const u32 *blank;           /* turned: the candidates with an empty string, which everything contains; n_blank of
                                   them */
    u32 n_blank;
} gx_searching;

/* The entries of candidate k in the index of class c; out NULL: only how many. As texts, one for each place of its
 * string whose hash some row's needle has (wanted), so that the index grows with what is looked for; turned, one for
 * the string itself if it is of that class. `set` goes into the hash, as in join.h. O(bytes). */
GX_OP u32 gx_grams_put(const gx_m *m, const gx_joining *j, const gx_searching *q, const gx_wanted *wanted, u32 c, u32 k,
                       u32 set, gx_key_entry *out)
{
    const gx_str s = gx_row_str(m, j->use, k);
    const char *p = gx_bytes(m, s);
    const u32 bytes = gx_class_bytes(c);
    const u32 places = q->turned ? s.len && gx_class_of(s.len) == c
        : s.len < bytes          ? 0
        : q->starts              ? 1
                                 : s.len - bytes + 1;
    u32 n = 0;

    for (u32 i = 0; i < places; i++) {
        const u32 hash = gx_hash(m->run->seed, p + i, bytes);
        gx_key_entry x;
        if (!q->turned && wanted->start[hash & wanted->mask] == wanted->start[(hash & wanted->mask) + 1])
            continue;
        if (out) {
            GX_CLEAR(&x);
            x.hash = gx_key_hash_in(hash, set);
            x.node = k;
            out[n] = x;
        }
        n++;
    }
    return n;
}

/* *out: which hashes the rows' needles of class c have, as buckets that may be asked "empty or not": four times as many
 * as hashes, so that few others meet one. O(bytes of the needles, 32 places each). Complete for everyone. Fails with
 * GX_EARENA. */
GX_OP_BIG gx_status gx_needles_hash(gx_m *m, const gx_joining *j, const gx_searching *q, u32 c, gx_wanted *out)
{
    const u32 bytes = gx_class_bytes(c);
    u32 *at, *start, n = 0, mask = 15;
    gx_key_entry *found, *entries;

    GX_TMP(m, at, u32, (u64)j->rows + 1);
    TEAM_FOR(&m->t, r, j->rows) {
        const u32 len = gx_row_str(m, j->value, r).len;
        at[r] = len && gx_class_of(len) == c ? gx_needle_places(len, bytes, q->starts) : 0;
    }
    team_sync(&m->t);
    GX_TRY(gx_scan(m, at, j->rows, &n));
    while (mask < 4 * (u64)n && mask < 0x3fffffff)
        mask = mask * 2 + 1;
    GX_TMP(m, start, u32, (u64)mask + 2);
    GX_TMP(m, entries, gx_key_entry, n);
    GX_TMP(m, found, gx_key_entry, n);
    TEAM_FOR(&m->t, r1, j->rows) {
        const char *p = gx_bytes(m, gx_row_str(m, j->value, r1));
        for (u32 i = 0; i < at[r1 + 1] - at[r1]; i++) {
            gx_key_entry x;
            GX_CLEAR(&x);
            x.hash = gx_hash(m->run->seed, p + i, bytes);
            x.node = r1;
            found[at[r1] + i] = x;
        }
    }
    team_sync(&m->t);
    GX_TRY(gx_key_buckets(m, found, n, 1, mask, start, entries));
    out->start = start;
    out->mask = mask;
    return GX_OK;
}

/* *g: the index of class c over the candidates: counted, scanned, filled, put into buckets. *made 0: entries and
 * buckets would take more than a quarter of the scratch. O(bytes of the candidates' strings). Complete for everyone.
 * Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_grams_make(gx_m *m, const gx_joining *j, const gx_searching *q, u32 c, gx_grams *g, int *made)
{
    u32 *at, *start, n = 0, mask = 15;
    gx_key_entry *found, *entries;
    gx_wanted wanted = { NULL, 0 };
    gx_watch watch = gx_watch_start();

    if (!q->turned)
        GX_TRY(gx_needles_hash(m, j, q, c, &wanted));
    GX_TMP(m, at, u32, (u64)j->total + 1);
    TEAM_FOR(&m->t, k, j->total) {
        at[k] = gx_grams_put(m, j, q, &wanted, c, k, 0, NULL);
        if (gx_watch_late(m, &watch, 1 + (q->turned ? 0 : gx_row_str(m, j->use, k).len / 4)))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    watch = gx_watch_start();
    GX_TRY(gx_scan(m, at, j->total, &n));
    *made = ((u64)n * 2 * sizeof *found + (u64)n * 16) <= (m->tmp_end - m->tmp) / 4;
    if (!*made)
        return GX_OK;
    while (mask < n && mask < 0x3fffffff)
        mask = mask * 2 + 1;
    GX_TMP(m, start, u32, (u64)mask + 2);
    GX_TMP(m, entries, gx_key_entry, n);
    GX_TMP(m, found, gx_key_entry, n);
    TEAM_FOR(&m->t, k1, j->total) {
        gx_grams_put(m, j, q, &wanted, c, k1, j->sets->n == 1 ? 0 : gx_row_of(j->sets->off, j->sets->n, k1),
                     found + at[k1]);
        if (gx_watch_late(m, &watch, 1 + (at[k1 + 1] - at[k1])))
            break;
    }
    GX_TRY(gx_watch_end(m, &watch));
    GX_TRY(gx_key_buckets(m, found, n, 1, mask, start, entries));
    g->entries = entries;
    g->start = start;
    g->mask = mask;
    g->bytes = gx_class_bytes(c);
    return GX_OK;
}

/*
 * What row r finds: how many, and out: the nodes. With needles in the rows, in document order and once each: the row
 * looks up one place of its needle, the one whose bucket is shortest, and compares what it finds there. Turned, in any
 * order and perhaps twice: it looks up each place of its own text in the index of each class, and takes the empty
 * strings.
 *
 * *work += bytes hashed and compared, and entries. O(bytes of its string, for each class that is present, + entries of
 * the buckets).
 */
GX_OP u32 gx_grams_row(const gx_m *m, const gx_joining *j, const gx_searching *q, u32 r, u32 *out, u64 *work)
{
    const u32 set = gx_join_set(j->sets, r), first = j->sets->off[set], end = j->sets->off[set + 1];
    const gx_str own = gx_row_str(m, j->value, r);
    const char *p = gx_bytes(m, own);
    u32 n = 0;

    *work += 1 + GX_WATCH_BYTES(own.len);
    if (!q->turned && !own.len) {               /* in every string */
        for (u32 k = first; out && k < end; k++)
            out[k - first] = j->ids[k];
        return end - first;
    }
    for (u32 c = q->turned ? 0 : gx_class_of(own.len); c < (q->turned ? GX_N_CLASSES : gx_class_of(own.len) + 1); c++) {
        const gx_grams *g = &q->of[c];
        const u32 places = own.len < g->bytes ? 0 : q->starts ? 1 : own.len - g->bytes + 1;
        u32 from = 0, to = places;
        if (!(q->present >> c & 1))
            continue;
        if (!q->turned) {                       /* the place whose bytes the fewest have */
            u32 fewest = GX_NONE;
            for (u32 i = 0; i < places && i < GX_NEEDLE_PLACES; i++) {
                const u32 hash = gx_key_hash_in(gx_hash(m->run->seed, p + i, g->bytes), set),
                          have = g->start[(hash & g->mask) + 1] - g->start[hash & g->mask];
                if (have < fewest) {
                    fewest = have;
                    from = i;
                }
            }
            to = from + 1;
        }
        for (u32 i = from; i < to && i < places; i++) {
            const u32 hash = gx_key_hash_in(gx_hash(m->run->seed, p + i, g->bytes), set);
            u32 last = GX_NONE;
            for (u32 e = g->start[hash & g->mask], stop = g->start[(hash & g->mask) + 1]; e < stop; e++, ++*work) {
                const u32 k = g->entries[e].node;
                if (g->entries[e].hash != hash || k == last)
                    continue;
                last = k;
                const gx_str s = gx_row_str(m, j->use, k);
                const char *t = gx_bytes(m, s);
                *work += GX_WATCH_BYTES(s.len);
                if (q->turned ? own.len - i < s.len || !gx_bytes_equal(p + i, t, s.len)
                    : q->starts ? !gx_text_starts_with(t, s.len, p, own.len) : !gx_text_contains(t, s.len, p, own.len))
                    continue;
                if (out)
                    out[n] = j->ids[k];
                n++;
            }
        }
    }
    for (u32 b = 0; q->turned && b < q->n_blank; b++)
        if (q->blank[b] >= first && q->blank[b] < end) {
            if (out)
                out[n] = j->ids[q->blank[b]];
            n++;
        }
    return n;
}

/* Which classes the n strings of v are of, a bit for each; empty strings are of none. Uniform. O(n) and a vote a
 * class. */
GX_OP_BIG u32 gx_needle_classes(gx_m *m, const gx_v *v, u32 n)
{
    u32 own = 0, all = 0;

    TEAM_FOR(&m->t, k, n) {
        const gx_str s = gx_row_str(m, v, k);
        own |= s.len ? (u32)1 << gx_class_of(s.len) : 0;
    }
    for (u32 c = 0; c < GX_N_CLASSES; c++)
        all |= team_any(&m->t, own >> c & 1) ? (u32)1 << c : 0;
    return all;
}

/* The join by starts-with() or contains(): an index for each class of needles that is present, then each row's
 * look-ups, counted and then written. few: pairs of rows and candidates are not worth an index. *out as gx_join_out()
 * makes it, in document order. Costs are in this file's head. Complete for everyone. Fails with GX_EARENA, GX_ETIME. */
GX_OP_BIG gx_status gx_join_search(gx_m *m, const gx_joining *j, int few, gx_v *out)
{
    gx_searching q;
    u32 *off, *ids = NULL, *blank, total = 0;
    int made = 1;

    if (few)
        return gx_join_search_run(m, j, out);
    GX_CLEAR(&q);
    q.starts = (j->op & ~GX_JOIN_TURNED) == GX_JOIN_STARTS;
    q.turned = (j->op & GX_JOIN_TURNED) != 0;
    GX_TRY(gx_to_str(m, j->use, j->total));
    GX_TRY(gx_to_str(m, j->value, j->rows));
    q.present = q.turned ? gx_needle_classes(m, j->use, j->total) : gx_needle_classes(m, j->value, j->rows);
    const u64 tmp = m->tmp;
    for (u32 c = 0; c < GX_N_CLASSES && made; c++)
        if (q.present >> c & 1)
            GX_TRY(gx_grams_make(m, j, &q, c, &q.of[c], &made));
    if (!made) {
        m->tmp = tmp;
        return gx_join_search_run(m, j, out);
    }
    if (q.turned) {
        GX_TMP(m, blank, u32, (u64)j->total + 1);
        GX_TMP(m, ids, u32, (u64)j->total);
        TEAM_FOR(&m->t, k, j->total)
            blank[k] = !gx_row_str(m, j->use, k).len;
        team_sync(&m->t);
        GX_TRY(gx_scan(m, blank, j->total, &q.n_blank));
        TEAM_FOR(&m->t, k1, j->total)
            if (blank[k1 + 1] != blank[k1])
                ids[blank[k1]] = k1;
        q.blank = ids;
        team_sync(&m->t);
    }
    m->shared += m->tmp - j->sets->tmp;
    GX_TMP(m, off, u32, (u64)j->rows + 1);
    for (int pass = 0; pass < 2; pass++) {
        gx_watch watch = gx_watch_start();
        TEAM_FOR(&m->t, r, j->rows) {
            u64 work = 1;
            const u32 n = gx_grams_row(m, j, &q, r, pass ? ids + off[r] : NULL, &work);
            if (!pass)
                off[r] = n;
            if (gx_watch_late(m, &watch, work))
                break;
        }
        GX_TRY(gx_watch_end(m, &watch));
        if (!pass) {
            if (j->count && !q.turned)
                return gx_join_out(m, j, off, NULL, NULL, out);
            GX_TRY(gx_scan(m, off, j->rows, &total));
            GX_TMP(m, ids, u32, total);
        }
    }
    team_sync(&m->t);
    *out = gx_v_make(GX_T_SET, j->rows, ids);
    out->off = off;
    if (q.turned)
        GX_TRY(gx_v_order(m, out));
    return gx_join_out(m, j, NULL, out->off, (u32 *)out->data, out);
}

#endif
