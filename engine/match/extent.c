/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extent.c -- sets of a document's classes, each stored once (extent.h)
 */
#include <stdlib.h>
#include <string.h>
#include "extent.h"
#include "machine/text.h"

enum { KNOWN = 1 << 13 };           /* results that are remembered: 128 KB, a part of a core's second cache */

static const u32 ONLY = GX_NONE;

static void *fail(gxp_extents *e, gx_status status)
{
    if (e->failed == GX_OK)
        e->failed = status;
    return NULL;
}

static inline const u64 *pieces(const gxp_extents *e, u32 a) { return gxp_loose_of(e, a).at; }

/* ---- storing ---- */

static u64 *more_room(gxp_extents *e)
{
    const size_t bytes = (size_t)e->w * sizeof(u64);
    if (e->words.n + e->all.n + bytes > e->most_bytes || e->words.n / sizeof(u64) >= GX_NONE - e->w)
        return fail(e, GX_ELIMIT);
    if (gx_buf_room(&e->words, bytes))
        return fail(e, GX_ENOMEM);
    e->roomy = e->most_bytes - e->all.n < e->words.cap ? e->most_bytes - e->all.n : e->words.cap;
    if (e->roomy > (size_t)(GX_NONE - e->w) * sizeof(u64))
        e->roomy = (size_t)(GX_NONE - e->w) * sizeof(u64);
    return (u64 *)(void *)(e->words.at + e->words.n);
}

/* Room for a whole extent behind the last */
static inline u64 *room(gxp_extents *e)
{
    if (e->words.n + e->w * sizeof(u64) > e->roomy)
        return more_room(e);
    return (u64 *)(void *)(e->words.at + e->words.n);
}

/* The table has twice the slots that it needs. */
static int table_grow(gxp_extents *e)
{
    gx_buf bigger = { 0 };
    const u32 old = GX_BUF_N(&e->table, u64);
    const size_t bytes = (old ? 2 * (size_t)old : 1024) * sizeof(u64);
    u64 *to = gx_buf_push(&bigger, bytes);
    if (!to)
        return -1;
    memset(to, 0, bytes);
    const u32 mask = GX_BUF_N(&bigger, u64) - 1;
    for (u32 i = 0; i < old; i++) {
        const u64 entry = GX_BUF_AT(&e->table, u64)[i];
        u32 at = (u32)(entry >> 32) & mask;
        while (entry && to[at])
            at = (at + 1) & mask;
        if (entry)
            to[at] = entry;
    }
    gx_buf_free(&e->table);
    e->table = bigger;
    return 0;
}

static inline int same_words(const u64 *a, const u64 *b, u32 n)
{
    u64 other = 0;
    for (u32 i = 0; i < n; i++)
        other |= a[i] ^ b[i];
    return !other;
}

/* The extent whose pieces, n of them, were written behind the last one; they stay if it is new. */
static u32 intern(gxp_extents *e, u64 summary, u32 n)
{
    const u64 *words = (const u64 *)(const void *)(e->words.at + e->words.n);
    const u32 n_words = n * e->piece, mask = GX_BUF_N(&e->table, u64) - 1;
    u64 *table = GX_BUF_AT(&e->table, u64), hash = summary;
    if (!n)
        return GXP_NOWHERE;
    for (u32 i = 0; i < n_words; i++)
        hash = gx_fold(hash ^ words[i], 0x9e3779b97f4a7c15ull) + i;
    hash ^= hash >> 32;
    u32 at = (u32)hash & mask;
    for (; table[at]; at = (at + 1) & mask) {
        const u32 old = (u32)table[at];
        if (table[at] >> 32 == (u32)hash && gxp_extent_at(e, old)->summary == summary
            && same_words(pieces(e, old), words, n_words))
            return old;
    }
    const u32 fresh = GX_BUF_N(&e->all, gxp_extent);
    gxp_extent *x = fresh < 1u << 29 ? gx_buf_push(&e->all, sizeof *x) : NULL;
    if (!x) {
        fail(e, GX_ENOMEM);
        return GXP_NOWHERE;
    }
    *x = (gxp_extent){ summary, (u32)(e->words.n / sizeof(u64)), { GX_NONE, GX_NONE, GX_NONE } };
    e->words.n += n_words * sizeof *words;
    table[at] = hash << 32 | fresh;
    if (2 * (fresh + 2) > mask && table_grow(e))
        fail(e, GX_ENOMEM);
    return fresh;
}

u32 gxp_extent_of(gxp_extents *e, const u64 *words)
{
    u64 *to = room(e), summary = 0;
    u32 n = 0;
    if (!to)
        return GXP_NOWHERE;
    for (u32 k = 0; k < e->w && e->piece == 1; k++) {
        *to = words[k];
        to += words[k] != 0;
        n += words[k] != 0;
        summary |= (u64)(words[k] != 0) << k;
    }
    for (u32 k = 0; k < e->w / e->piece && e->piece > 1; k++) {
        u64 some = 0;
        for (u32 x = 0; x < e->piece; x++)
            some |= to[x] = words[k * e->piece + x];
        to += some ? e->piece : 0;
        n += some != 0;
        summary |= (u64)(some != 0) << k;
    }
    return intern(e, summary, n);
}

u32 gxp_extent_of_bits(gxp_extents *e, const u32 *bits, u32 n)
{
    const u32 piece = e->piece;
    u64 *to = room(e), summary = 0;
    u32 last = GX_NONE, n_pieces = 0;
    if (!to)
        return GXP_NOWHERE;
    for (u32 i = 0; i < n; i++) { /* to: the piece that the last bit is in, if there is one */
        const u32 k = bits[i] / 64 / piece;
        if (k != last) {
            to += last == GX_NONE ? 0 : piece;
            memset(to, 0, piece * sizeof *to);
            summary |= (u64)1 << k;
            n_pieces++;
            last = k;
        }
        to[bits[i] / 64 - k * piece] |= (u64)1 << bits[i] % 64;
    }
    return intern(e, summary, n_pieces);
}

/* ---- combining ---- */

static inline u64 combined(u32 op, u64 a, u64 b)
{
    return op == GXP_INTERSECT ? a & b : op == GXP_SUBTRACT ? a & ~b : a | b;
}

typedef u32 ones_in(u64 x);

/* What a op b has goes to `to`; its summary. Unless it unites, `to` may be where the pieces of a are, and of b if it
 * intersects: what is overwritten was read. Op, piece and ones are constants where it matters. */
static inline __attribute__((always_inline)) u64 combine(u64 *to, u32 op, u64 of_a, const u64 *x, u64 of_b,
                                                         const u64 *y, u32 piece, ones_in *ones)
{
    u64 out = 0;
    for (u64 left = op == GXP_SUBTRACT ? of_a : combined(op, of_a, of_b); left; left &= left - 1) {
        const u32 k = (u32)__builtin_ctzll(left);
        const u64 below = ((u64)1 << k) - 1;
        const u64 *p = x + (size_t)ones(of_a & below) * piece, *q = y + (size_t)ones(of_b & below) * piece;
        u64 some = 0;
        for (u32 i = 0; i < piece; i++)
            some |= to[i] = op == GXP_INTERSECT ? p[i] & q[i]
                                                : combined(op, of_a >> k & 1 ? p[i] : 0, of_b >> k & 1 ? q[i] : 0);
        to += some ? piece : 0;
        out |= (u64)(some != 0) << k;
    }
    return out;
}

#ifdef __x86_64__
__attribute__((target("popcnt"))) static inline u32 ones_popcnt(u64 x) { return (u32)__builtin_popcountll(x); }
__attribute__((target("popcnt,bmi"))) static u64 meet_popcnt(u64 *to, u64 of_a, const u64 *x, u64 of_b, const u64 *y)
{
    return combine(to, GXP_INTERSECT, of_a, x, of_b, y, 1, ones_popcnt);
}
#endif

static u64 combine_any(const gxp_extents *e, u64 *to, u32 op, u64 of_a, const u64 *x, u64 of_b, const u64 *y)
{
#ifdef __x86_64__
    if (e->has_popcnt && e->piece == 1 && op == GXP_INTERSECT)
        return meet_popcnt(to, of_a, x, of_b, y);
#endif
    return combine(to, op, of_a, x, of_b, y, e->piece, gxp_ones);
}

u32 gxp_extent_make(gxp_extents *e, u32 a, u32 op, u32 b)
{
    if (op != GXP_SUBTRACT && a > b) {
        const u32 x = a;
        a = b;
        b = x;
    }
    const u64 key = (u64)a << 32 | b << 2 | op;
    gxp_known *known = &e->known[gx_fold(key, 0x9e3779b97f4a7c15ull) & (KNOWN - 1)];
    if (known->key == key && known->stamp == e->stamp)
        return known->out;
    u64 *to = room(e);
    if (!to)
        return GXP_NOWHERE;
    const gxp_extent *x = gxp_extent_at(e, a), *y = gxp_extent_at(e, b);
    const u64 summary = combine_any(e, to, op, x->summary, pieces(e, a), y->summary, pieces(e, b));
    const u32 out = intern(e, summary, gxp_ones(summary));
    *known = (gxp_known){ key, out, e->stamp };
    return out;
}

int gxp_extent_has(const gxp_extents *e, u32 a, u32 bit)
{
    const u64 summary = gxp_extent_at(e, a)->summary;
    const u32 k = bit / 64 / e->piece;
    if (!(summary >> k & 1))
        return 0;
    const u64 *piece = pieces(e, a) + (size_t)gxp_ones(summary & (((u64)1 << k) - 1)) * e->piece;
    return (int)(piece[bit / 64 % e->piece] >> bit % 64 & 1);
}

static inline __attribute__((always_inline)) int meets(gxp_loose a, gxp_loose b, u32 piece, ones_in *ones)
{
    u64 some = 0;
    for (u64 left = a.summary & b.summary; left && !some; left &= left - 1) {
        const u64 below = (left & -left) - 1;
        const u64 *p = a.at + (size_t)ones(a.summary & below) * piece;
        const u64 *q = b.at + (size_t)ones(b.summary & below) * piece;
        for (u32 i = 0; i < piece; i++)
            some |= p[i] & q[i];
    }
    return some != 0;
}

#ifdef __x86_64__
__attribute__((target("popcnt,bmi"))) static int meets_popcnt(gxp_loose a, gxp_loose b, u32 piece)
{
    return piece == 1 ? meets(a, b, 1, ones_popcnt) : meets(a, b, piece, ones_popcnt);
}
#endif

/* ---- parents and ancestors ---- */

/* A class is in the row: was it before? */
static inline int put(u64 *row, u32 bit)
{
    const u64 old = row[bit / 64], one = (u64)1 << bit % 64;
    row[bit / 64] = old | one;
    return (old & one) != 0;
}

/* The same; the word that it is in is one of 64 */
static inline int put_in(u64 *row, u32 bit, u64 *words)
{
    *words |= (u64)1 << bit / 64 % 64;
    return put(row, bit);
}

/* Parents join the row. Most classes have one: it is `from` then, and `to` says so. */
static inline void parents_of(gxp_extents *e, u32 bit, u64 *row, u64 *words)
{
    const gxp_span span = GX_BUF_AT(&e->span, gxp_span)[bit];
    const u32 *list = GX_BUF_AT(&e->list, u32);
    if (span.to == ONLY)
        put_in(row, span.from, words);
    for (u32 i = span.from; span.to != ONLY && i < span.to; i++)
        put_in(row, list[i], words);
}

/* Ancestors join the row; where one is there already, its own are, too. */
static void ancestors_of(gxp_extents *e, u32 bit, u64 *row, u64 *words)
{
    const gxp_span *spans = GX_BUF_AT(&e->span, gxp_span);
    const u32 *list = GX_BUF_AT(&e->list, u32);
    u32 *const bottom = GX_BUF_AT(&e->stack, u32), *top = bottom;
    for (;;) {
        gxp_span span = spans[bit];
        while (span.to == ONLY && !put_in(row, span.from, words))
            span = spans[span.from];
        if (span.to != ONLY) {
            e->work += span.to - span.from;
            for (; span.from < span.to; span.from++)
                if (!put_in(row, list[span.from], words))
                    *top++ = list[span.from];
        }
        if (top == bottom)
            return;
        bit = *--top;
    }
}

static inline u64 all_pieces(const gxp_extents *e)
{
    return e->w / e->piece == 64 ? ~(u64)0 : ((u64)1 << e->w / e->piece) - 1;
}

/* The parents, or ancestors, of x's classes join the clean row, in these of its pieces */
static inline __attribute__((always_inline)) u64 climb(gxp_extents *e, gxp_loose x, u32 axis)
{
    u64 *row = GX_BUF_AT(&e->clean, u64), words = 0, n = 0;
    const u64 *at = x.at;
    const u32 piece = e->piece;
    for (u64 left = x.summary; left; left &= left - 1)
        for (u32 i = 0; i < piece; i++)
            for (u64 bits = *at++; bits; bits &= bits - 1) {
                const u32 bit = 64 * ((u32)__builtin_ctzll(left) * piece + i) + (u32)__builtin_ctzll(bits);
                n++;
                if (axis == GXP_CHILD)
                    parents_of(e, bit, row, &words);
                else
                    ancestors_of(e, bit, row, &words);
            }
    e->work += n;
    at = x.at;
    for (u64 left = axis == GXP_HERE_OR_BELOW ? x.summary : 0; left; left &= left - 1)
        for (u32 i = 0; i < piece; i++)
            row[(u32)__builtin_ctzll(left) * piece + i] |= *at++;
    return piece > 1 ? all_pieces(e) : axis == GXP_HERE_OR_BELOW ? words | x.summary : words;
}

/* These pieces of the row, or what b has of them, go to `to` unless they are 0, and the row is clean again. How many
 * went; *summary: which */
static u32 take(gxp_extents *e, u64 which, const gxp_loose *b, u64 *to, u64 *summary)
{
    u64 *row = GX_BUF_AT(&e->clean, u64), out = 0;
    const u32 piece = e->piece;
    u32 n = 0;
    const u64 *q = b ? b->at : NULL;
    for (u64 left = b ? which & b->summary : which, of_b = b ? b->summary : 0; left; left &= left - 1) {
        const u32 k = (u32)__builtin_ctzll(left);
        const u64 *p = row + (size_t)k * piece;
        u64 some = 0;
        for (; of_b && (of_b & -of_b) != (left & -left); of_b &= of_b - 1)
            q += piece;
        for (u32 i = 0; i < piece; i++)
            some |= to[i] = b ? p[i] & q[i] : p[i];
        to += some ? piece : 0;
        n += some != 0;
        out |= (u64)(some != 0) << k;
    }
    for (; which; which &= which - 1)
        memset(row + (size_t)(u32)__builtin_ctzll(which) * piece, 0, piece * sizeof *row);
    *summary = out;
    return n;
}

static u32 above(gxp_extents *e, u32 a, u32 axis)
{
    u64 *to = room(e), summary;
    if (!to)
        return GXP_NOWHERE;
    const u64 which = climb(e, gxp_loose_of(e, a), axis);
    const u32 n = take(e, which, NULL, to, &summary);
    return intern(e, summary, n);
}

u32 gxp_extent_climb(gxp_extents *e, u32 a, u32 axis)
{
    const u32 out = axis == GXP_HERE_OR_BELOW ? gxp_extent_or(e, a, gxp_extent_up(e, a, GXP_BELOW)) : above(e, a, axis);
    if (e->failed == GX_OK)
        GX_BUF_AT(&e->all, gxp_extent)[a].up[axis] = out;
    return out;
}

/* ---- loose extents ---- */

static inline gxp_loose now(const gxp_extents *e, const gxp_loose *a)
{
    return a->number == GX_NONE ? *a : gxp_loose_of(e, a->number);
}

static inline void left_over(gxp_extents *e, gxp_loose *a, u32 op, const gxp_loose *b, u64 *own)
{
    const u64 *x = a->number == GX_NONE ? a->at : pieces(e, a->number);
    const u64 *y = b->number == GX_NONE ? b->at : pieces(e, b->number);
    a->summary = combine_any(e, own, op, a->summary, x, b->summary, y);
    a->at = own;
    a->number = GX_NONE;
}

void gxp_loose_and(gxp_extents *e, gxp_loose *a, u32 b, u64 *own)
{
    const gxp_loose other = gxp_loose_of(e, b);
    if (!(a->summary & other.summary))
        a->summary = 0;
    else if (a->number != b)
        left_over(e, a, GXP_INTERSECT, &other, own);
}

void gxp_loose_but(gxp_extents *e, gxp_loose *a, u32 b, u64 *own)
{
    const gxp_loose other = gxp_loose_of(e, b);
    if (a->summary & other.summary)
        left_over(e, a, GXP_SUBTRACT, &other, own);
}

void gxp_loose_join(gxp_extents *e, gxp_loose *a, const gxp_loose *b, u64 *own)
{
    if (!(a->summary & b->summary))
        a->summary = 0;
    else
        left_over(e, a, GXP_INTERSECT, b, own);
}

void gxp_loose_edge(gxp_extents *e, gxp_loose *a, u32 axis, u32 test, u64 *own)
{
    if (a->number != GX_NONE) {
        *a = gxp_loose_of(e, gxp_extent_up(e, a->number, axis));
        gxp_loose_and(e, a, test, own);
        return;
    }
    const gxp_loose of_test = gxp_loose_of(e, test);
    take(e, climb(e, *a, axis), &of_test, own, &a->summary);
    a->at = own;
}

int gxp_loose_meets(const gxp_extents *e, const gxp_loose *a, const gxp_loose *b)
{
#ifdef __x86_64__
    if (e->has_popcnt)
        return meets_popcnt(now(e, a), now(e, b), e->piece);
#endif
    return meets(now(e, a), now(e, b), e->piece, gxp_ones);
}

/* ---- children and descendants ---- */

/* Children join the row; of descendants also theirs, where a class is there for the first time. */
static void children_of(gxp_extents *e, u32 bit, u64 *row, int all)
{
    const gxp_class *k = GX_BUF_AT(&e->classes->classes, gxp_class);
    const u32 *items = GX_BUF_AT(&e->classes->items, u32), *class_of = GX_BUF_AT(&e->class_of, u32);
    const u32 first = gxp_first_class_item(e->classes->set), *bits = GX_BUF_AT(&e->bit, u32);
    u32 *const bottom = GX_BUF_AT(&e->stack, u32), *top = bottom;
    for (;;) {
        const gxp_class *at = &k[class_of[bit]];
        e->work += at->n_items;
        for (u32 i = at->items; i < at->items + at->n_items; i++)
            if (items[i] >= first && !put(row, bits[items[i] - first]) && all)
                *top++ = bits[items[i] - first];
        if (top == bottom)
            return;
        bit = *--top;
    }
}

u32 gxp_extent_below(gxp_extents *e, u32 a, u32 axis)
{
    u64 *row = GX_BUF_AT(&e->row, u64);
    const u64 *at = pieces(e, a);
    const u32 piece = e->piece;
    memset(row, 0, e->w * sizeof *row);
    for (u64 left = gxp_extent_at(e, a)->summary; left; left &= left - 1)
        for (u32 x = 0; x < piece; x++)
            for (u64 bits = *at++; bits; bits &= bits - 1)
                children_of(e, 64 * ((u32)__builtin_ctzll(left) * piece + x) + (u32)__builtin_ctzll(bits), row,
                            axis != GXP_CHILD);
    const u32 out = gxp_extent_of(e, row);
    return axis == GXP_HERE_OR_BELOW ? gxp_extent_or(e, a, out) : out;
}

/* ---- a document begins ---- */

/* The classes' bits, in the order of their names */
static int number_bits(gxp_extents *e, const gxp_classes *c)
{
    const gxp_class *k = GX_BUF_AT(&c->classes, gxp_class);
    const u32 n = gxp_n_classes(c), n_names = GX_BUF_N(&c->set->tests, gxp_test) + 1;
    u32 *bit = gx_buf_push(&e->bit, ((size_t)n + n_names) * sizeof *bit), *start = bit + n, next = 0;
    if (!bit)
        return -1;
#define NAME_OF(c) (k[c].name < n_names ? k[c].name : n_names - 1)
    memset(start, 0, n_names * sizeof *start);
    for (u32 i = 0; i < n; i++)
        start[NAME_OF(i)]++;
    for (u32 i = 0; i < n; i++) {
        const u32 name = NAME_OF(i);
        if (!(start[name] >> 31)) { /* the first of its name: the counts become places */
            const u32 count = start[name];
            start[name] = next | 1u << 31;
            next += count;
        }
        bit[i] = start[name]++ & ~(1u << 31);
    }
#undef NAME_OF
    return 0;
}

/* Lists of parents by bits, from the classes' items that are classes */
static int list_parents(gxp_extents *e, const gxp_classes *c)
{
    const gxp_class *k = GX_BUF_AT(&c->classes, gxp_class);
    const u32 n = gxp_n_classes(c), n_items = GX_BUF_N(&c->items, u32), first = gxp_first_class_item(c->set);
    const u32 *items = GX_BUF_AT(&c->items, u32), *bit = GX_BUF_AT(&e->bit, u32);
    gxp_span *span = gx_buf_push(&e->span, n * sizeof *span);
    u32 *list = gx_buf_push(&e->list, (n_items + 1ull) * sizeof *list), next = 0;
    if (!span || !list)
        return -1;
    memset(span, 0, n * sizeof *span);
    for (u32 i = 0; i < n_items; i++)
        if (items[i] >= first)
            span[bit[items[i] - first]].to++;
    for (u32 b = 0; b < n; b++) {
        const u32 count = span[b].to;
        span[b] = (gxp_span){ next, next };
        next += count;
    }
    for (u32 i = 0; i < n; i++)
        for (u32 x = k[i].items; x < k[i].items + k[i].n_items; x++)
            if (items[x] >= first)
                list[span[bit[items[x] - first]].to++] = bit[i];
    for (u32 b = 0; b < n; b++)
        if (span[b].to - span[b].from == 1)
            span[b] = (gxp_span){ list[span[b].from], ONLY };
    return 0;
}

void gxp_extents_begin(gxp_extents *e, const gxp_classes *c, u64 most_bytes)
{
    gx_buf *const bufs[] = { &e->all,   &e->words, &e->bit,      &e->list, &e->span,
                             &e->stack, &e->row,   &e->class_of, &e->clean };
    const u32 n_before = GX_BUF_N(&e->all, gxp_extent), slots = GX_BUF_N(&e->table, u64);
    for (u32 i = 0; i < sizeof bufs / sizeof *bufs; i++)
        gx_buf_rewind(bufs[i]);
    if (slots > 4096 && n_before < slots / 32)
        gx_buf_free(&e->table);
    else if (slots)
        memset(e->table.at, 0, e->table.n);
    if (++e->stamp == 0) {
        memset(e->known, 0, KNOWN * sizeof *e->known);
        e->stamp = 1;
    }
    e->w = (gxp_n_classes(c) + 63) / 64;
    e->piece = (e->w + 63) / 64;
    e->w = (e->w + e->piece - 1) / e->piece * e->piece;     /* whole pieces */
    e->work = 0;
    e->most_bytes = most_bytes;
    e->failed = GX_OK;
    e->roomy = 0;
    gxp_extent *empty = gx_buf_push(&e->all, sizeof *empty);
    u64 *row = gx_buf_push(&e->row, e->w * sizeof *row), *clean = gx_buf_push(&e->clean, e->w * sizeof *clean);
    if (!empty || !row || !clean || !gx_buf_push(&e->stack, gxp_n_classes(c) * sizeof(u32))
        || (!e->table.n && table_grow(e))) {
        fail(e, GX_ENOMEM);
        return;
    }
    memset(clean, 0, e->w * sizeof *clean);
    *empty = (gxp_extent){ 0, 0, { GXP_NOWHERE, GXP_NOWHERE, GXP_NOWHERE } };
    e->classes = c;
    u32 *class_of = gx_buf_push(&e->class_of, gxp_n_classes(c) * sizeof *class_of);
    if (!class_of || number_bits(e, c) || list_parents(e, c))
        fail(e, GX_ENOMEM);
    for (u32 i = 0; i < gxp_n_classes(c) && e->failed == GX_OK; i++)
        class_of[gxp_bit_of(e, i)] = i;
}

int gxp_extents_create(gxp_extents *e)
{
    e->known = calloc(KNOWN, sizeof *e->known);
#ifdef __x86_64__
    e->has_popcnt = __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi");
#endif
    return e->known ? 0 : -1;
}

void gxp_extents_free(gxp_extents *e)
{
    gx_buf *const bufs[] = { &e->all,  &e->words, &e->table, &e->bit,     &e->list,
                             &e->span, &e->stack, &e->row,   &e->class_of, &e->clean };
    for (u32 i = 0; i < sizeof bufs / sizeof *bufs; i++)
        gx_buf_free(bufs[i]);
    free(e->known);
}
