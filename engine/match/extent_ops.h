/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extent_ops.h -- extents are made (extent.h); built for any CPU and for AVX2
 *
 * Whoever includes it defines ONES(x), how many bits of a u64 are 1. ranks.h and codes.h use the functions as they are
 * built for their CPU; extent.c exports some for files that are built once.
 */
#ifndef GXP_EXTENT_OPS_H
#define GXP_EXTENT_OPS_H

#include <string.h>
#include "extent.h"
#include "machine/text.h"

#define OWN static inline __attribute__((always_inline))

static inline const u64 *pieces(const gxp_extents *e, u32 a)
{
    return GX_BUF_AT(&e->words, u64) + gxp_extent_at(e, a)->at;
}

/* ---- storing ---- */

/* Room for a whole extent behind the last */
static inline u64 *room(gxp_extents *e)
{
    if (e->words.n + e->w * sizeof(u64) > e->roomy)
        return gxp_extents_more(e);
    return (u64 *)(void *)(e->words.at + e->words.n);
}

static inline int same_words(const u64 *a, const u64 *b, u32 n)
{
    u64 other = 0;
    for (u32 i = 0; i < n; i++)
        other |= a[i] ^ b[i];
    return !other;
}

/* One more extent, whose n words were written behind the last one */
static inline u32 new_extent(gxp_extents *e, u64 summary, u32 n)
{
    const u32 fresh = GX_BUF_N(&e->all, gxp_extent);
    gxp_extent *x = fresh < 1u << 29 ? gx_buf_push(&e->all, sizeof *x) : NULL;
    if (!x) {
        gxp_extents_fail(e, GX_ENOMEM);
        return GXP_NOWHERE;
    }
    *x = (gxp_extent){ summary, (u32)(e->words.n / sizeof(u64)), { GX_NONE, GX_NONE, GX_NONE } };
    e->words.n += n * sizeof(u64);
    return fresh;
}

/* The number of the extent with these words, which stand behind the last one: an older one that is the same, or a new
 * one, to which they then belong. Open addressing by 32 bits of a hash, which are in the table beside the number; the
 * words decide. GXP_NOWHERE, with e->failed: no memory. Amortised O(words). */
static inline u32 intern_by_hash(gxp_extents *e, u64 summary, u32 n_words)
{
    const u64 *words = (const u64 *)(const void *)(e->words.at + e->words.n);
    const u32 mask = GX_BUF_N(&e->table, u64) - 1;
    u64 *table = GX_BUF_AT(&e->table, u64), hash = summary;
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
    const u32 fresh = new_extent(e, summary, n_words);
    if (!fresh)
        return GXP_NOWHERE;
    table[at] = hash << 32 | fresh;
    if (2 * (fresh + 2) > mask && gxp_extents_grow(e))
        gxp_extents_fail(e, GX_ENOMEM);
    return fresh;
}

/* The extent whose pieces, n of them, were written behind the last one; they stay if it is new. */
OWN u32 intern(gxp_extents *e, u64 summary, u32 n)
{
    const u64 *words = (const u64 *)(const void *)(e->words.at + e->words.n);
    if (!n)
        return GXP_NOWHERE;
    if (n > 1 || e->piece > 1 || (words[0] & (words[0] - 1)))
        return intern_by_hash(e, summary, n * e->piece);
    const u32 bit = 64 * (u32)__builtin_ctzll(summary) + (u32)__builtin_ctzll(words[0]);
    u32 *single = GX_BUF_AT(&e->single, u32) + bit;
    if (*single == GX_NONE) {
        const u32 fresh = new_extent(e, summary, 1);
        if (!fresh)
            return GXP_NOWHERE;
        *single = fresh;
    }
    return *single;
}

/* The pieces of w words, written behind the last extent. How many; *summary: which */
static inline u32 pack_words(gxp_extents *e, u64 *to, const u64 *words, u64 *of)
{
    u64 summary = 0;
    u32 n = 0;
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
    *of = summary;
    return n;
}

/* The extent of w words */
static inline u32 extent_of(gxp_extents *e, const u64 *words)
{
    u64 *to = room(e), summary;
    if (!to)
        return GXP_NOWHERE;
    const u32 n = pack_words(e, to, words, &summary);
    return intern(e, summary, n);
}

/* The same, of words that there is no extent of yet, or it does not matter if there is */
static inline u32 extent_of_new(gxp_extents *e, const u64 *words)
{
    u64 *to = room(e), summary;
    if (!to)
        return GXP_NOWHERE;
    const u32 n = pack_words(e, to, words, &summary);
    return n ? new_extent(e, summary, n * e->piece) : (u32)GXP_NOWHERE;
}

/* The extent of n bits, which ascend; GXP_NOWHERE of none, or with e->failed. O(n and the pieces that they touch). */
static inline u32 extent_of_bits(gxp_extents *e, const u32 *bits, u32 n)
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

/* What a op b has goes to `to`; its summary. Unless it unites, `to` may be where the pieces of a are, and of b if it
 * intersects: what is overwritten was read. Op and piece are constants where it matters. */
OWN u64 combine(u64 *to, u32 op, u64 of_a, const u64 *x, u64 of_b, const u64 *y, u32 piece)
{
    u64 out = 0;
    for (u64 left = op == GXP_SUBTRACT ? of_a : combined(op, of_a, of_b); left; left &= left - 1) {
        const u32 k = (u32)__builtin_ctzll(left);
        const u64 below = ((u64)1 << k) - 1;
        const u64 *p = x + (size_t)ONES(of_a & below) * piece, *q = y + (size_t)ONES(of_b & below) * piece;
        u64 some = 0;
        for (u32 i = 0; i < piece; i++)
            some |= to[i] = op == GXP_INTERSECT ? p[i] & q[i]
                                                : combined(op, of_a >> k & 1 ? p[i] : 0, of_b >> k & 1 ? q[i] : 0);
        to += some ? piece : 0;
        out |= (u64)(some != 0) << k;
    }
    return out;
}

static inline u32 extent_make(gxp_extents *e, u32 a, u32 op, u32 b)
{
    u64 *to = room(e);
    if (!to)
        return GXP_NOWHERE;
    const gxp_extent *x = gxp_extent_at(e, a), *y = gxp_extent_at(e, b);
    const u64 summary = combine(to, op, x->summary, pieces(e, a), y->summary, pieces(e, b), e->piece);
    return intern(e, summary, ONES(summary));
}

/* An intersection, with pieces of one word. Where it is all of b it is not looked for. */
static inline u32 meet_extents(gxp_extents *e, u32 a, u32 b)
{
    u64 *const first = room(e), *to = first;
    if (!to)
        return GXP_NOWHERE;
    const gxp_extent *x = gxp_extent_at(e, a), *y = gxp_extent_at(e, b);
    const u64 of_a = x->summary, of_b = y->summary, *p = pieces(e, a), *q = pieces(e, b);
    u64 out = 0, other = of_b & ~of_a;
    for (u64 left = of_a & of_b; left; left &= left - 1) {
        const u64 one = left & -left, of_b_here = q[ONES(of_b & (one - 1))],
                  both = p[ONES(of_a & (one - 1))] & of_b_here;
        *to = both;
        to += both != 0;
        out |= both ? one : 0;
        other |= both ^ of_b_here;
    }
    return other ? intern(e, out, (u32)(to - first)) : b;
}

OWN u32 extent_and(gxp_extents *e, u32 a, u32 b)
{
    if (!(gxp_extent_at(e, a)->summary & gxp_extent_at(e, b)->summary))
        return GXP_NOWHERE;
    return a == b ? a : e->piece == 1 ? meet_extents(e, a, b) : extent_make(e, a, GXP_INTERSECT, b);
}

OWN u32 extent_but(gxp_extents *e, u32 a, u32 b)
{
    if (!(gxp_extent_at(e, a)->summary & gxp_extent_at(e, b)->summary))
        return a;
    return a == b ? (u32)GXP_NOWHERE : extent_make(e, a, GXP_SUBTRACT, b);
}

OWN u32 extent_or(gxp_extents *e, u32 a, u32 b)
{
    return a == b || !b ? a : !a ? b : extent_make(e, a, GXP_UNITE, b);
}

static inline int extent_has(const gxp_extents *e, u32 a, u32 bit)
{
    const u64 summary = gxp_extent_at(e, a)->summary;
    const u32 k = bit / 64 / e->piece;
    if (!(summary >> k & 1))
        return 0;
    const u64 *piece = pieces(e, a) + (size_t)ONES(summary & (((u64)1 << k) - 1)) * e->piece;
    return (int)(piece[bit / 64 % e->piece] >> bit % 64 & 1);
}

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
    if (span.to == GXP_ONLY)
        put_in(row, span.from, words);
    for (u32 i = span.from; span.to != GXP_ONLY && i < span.to; i++)
        put_in(row, list[i], words);
}

/* Ancestors join the row; where one is there already, its own are, too. */
static inline void ancestors_of(gxp_extents *e, u32 bit, u64 *row, u64 *words)
{
    const gxp_span *spans = GX_BUF_AT(&e->span, gxp_span);
    const u32 *list = GX_BUF_AT(&e->list, u32);
    u32 *const bottom = GX_BUF_AT(&e->stack, u32), *top = bottom;
    for (;;) {
        gxp_span span = spans[bit];
        while (span.to == GXP_ONLY && !put_in(row, span.from, words))
            span = spans[span.from];
        if (span.to != GXP_ONLY) {
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

/* climb() for the axis child, with pieces of one word: no ancestor is followed, and a word's spans are neighbours.
 * Returns which words of the clean row are not 0 any more; take() cleans it. */
static inline u64 climb_to_parents(gxp_extents *e, u32 a)
{
    const gxp_span *spans = GX_BUF_AT(&e->span, gxp_span);
    const u32 *list = GX_BUF_AT(&e->list, u32);
    u64 *row = GX_BUF_AT(&e->clean, u64), words = 0;
    const u64 *at = pieces(e, a);
    for (u64 left = gxp_extent_at(e, a)->summary; left; left &= left - 1) {
        const gxp_span *of_word = spans + 64 * (size_t)__builtin_ctzll(left);
        e->work += ONES(*at);
        for (u64 bits = *at++; bits; bits &= bits - 1) {
            const gxp_span span = of_word[__builtin_ctzll(bits)];
            if (span.to == GXP_ONLY) {
                row[span.from / 64] |= (u64)1 << span.from % 64;
                words |= (u64)1 << span.from / 64;
            }
            for (u32 i = span.from; span.to != GXP_ONLY && i < span.to; i++)
                put_in(row, list[i], &words);
        }
    }
    return words;
}

/* The parents of a's classes, or their ancestors, join the clean row e->clean. Returns which of its pieces may be
 * other than 0, which take() then reads and cleans. Counts as work what it walks through. O(bits of a, and what is
 * found above them: no class is walked from twice). */
static inline u64 climb(gxp_extents *e, u32 a, u32 axis)
{
    if (e->piece == 1 && axis == GXP_CHILD)
        return climb_to_parents(e, a);
    u64 *row = GX_BUF_AT(&e->clean, u64), words = 0, n = 0;
    const u64 *at = pieces(e, a), of_a = gxp_extent_at(e, a)->summary;
    const u32 piece = e->piece;
    for (u64 left = of_a; left; left &= left - 1)
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
    return piece > 1 ? all_pieces(e) : words;
}

/* These pieces of the row go to `to` unless they are 0, and the row is clean again. How many went; *summary: which */
static inline u32 take(gxp_extents *e, u64 which, u64 *to, u64 *summary)
{
    u64 *row = GX_BUF_AT(&e->clean, u64), out = 0;
    const u32 piece = e->piece;
    u32 n = 0;
    for (; which; which &= which - 1) {
        const u32 k = (u32)__builtin_ctzll(which);
        u64 *p = row + (size_t)k * piece, some = 0;
        for (u32 i = 0; i < piece; i++) {
            some |= to[i] = p[i];
            p[i] = 0;
        }
        to += some ? piece : 0;
        n += some != 0;
        out |= (u64)(some != 0) << k;
    }
    *summary = out;
    return n;
}

/* Four words at once, as the CPU can; so many times they are in registers */
enum { GXP_AT_ONCE = 6 };
typedef u64 four_words __attribute__((vector_size(32), aligned(8), may_alias));

/* to |= row, of stride words */
OWN void add_row(u64 *to, const u64 *row, u32 stride)
{
    for (u32 k = 0; k < stride; k += 4)
        *(four_words *)(to + k) |= *(const four_words *)(row + k);
}

/* The union of the rows of an extent's classes: n times four words from each row's word `from` on. They stay in
 * registers, since n is a constant. */
OWN void unite_rows(u64 *to, const u64 *rows, u32 from, u32 stride, u64 summary, const u64 *at, const u32 n)
{
    four_words sum[GXP_AT_ONCE];
#pragma GCC unroll 6
    for (u32 i = 0; i < n; i++)
        sum[i] = (four_words){ 0, 0, 0, 0 };
    for (; summary; summary &= summary - 1)
        for (u64 bits = *at++; bits; bits &= bits - 1) {
            const size_t bit = 64 * (size_t)__builtin_ctzll(summary) + (size_t)__builtin_ctzll(bits);
            const four_words *row = (const four_words *)(rows + bit * stride + from);
#pragma GCC unroll 6
            for (u32 i = 0; i < n; i++)
                sum[i] |= row[i];
        }
#pragma GCC unroll 6
    for (u32 i = 0; i < n; i++)
        ((four_words *)(to + from))[i] = sum[i];
}

/* Ancestors or descendants, by their rows */
static inline u32 by_rows(gxp_extents *e, u32 a, const gx_buf *of)
{
    const u64 *rows = GX_BUF_AT(of, u64), *at = pieces(e, a), summary = gxp_extent_at(e, a)->summary;
    u64 *row = GX_BUF_AT(&e->row, u64);
    const u32 stride = gxp_stride(e);
    for (u32 from = 0; from < stride; from += 4 * GXP_AT_ONCE)
        switch (stride - from < 4 * GXP_AT_ONCE ? (stride - from) / 4 : (u32)GXP_AT_ONCE) {
        case 1: unite_rows(row, rows, from, stride, summary, at, 1); break;
        case 2: unite_rows(row, rows, from, stride, summary, at, 2); break;
        case 3: unite_rows(row, rows, from, stride, summary, at, 3); break;
        case 4: unite_rows(row, rows, from, stride, summary, at, 4); break;
        case 5: unite_rows(row, rows, from, stride, summary, at, 5); break;
        default: unite_rows(row, rows, from, stride, summary, at, GXP_AT_ONCE);
        }
    e->work++;
    return extent_of(e, row);
}

static inline u32 above(gxp_extents *e, u32 a, u32 axis)
{
    if (axis == GXP_BELOW && e->above.n)
        return by_rows(e, a, &e->above);
    u64 *to = room(e), summary;
    if (!to)
        return GXP_NOWHERE;
    const u64 which = climb(e, a, axis);
    const u32 n = take(e, which, to, &summary);
    return intern(e, summary, n);
}

static inline u32 extent_up(gxp_extents *e, u32 a, u32 axis);

/* The classes' parents, ancestors, or these and themselves, which are kept with them */
static inline u32 extent_climb(gxp_extents *e, u32 a, u32 axis)
{
    const u32 out = axis == GXP_HERE_OR_BELOW ? extent_or(e, a, extent_up(e, a, GXP_BELOW)) : above(e, a, axis);
    if (e->failed == GX_OK)
        GX_BUF_AT(&e->all, gxp_extent)[a].up[axis] = out;
    return out;
}

static inline u32 extent_up(gxp_extents *e, u32 a, u32 axis)
{
    const u32 up = gxp_extent_at(e, a)->up[axis];
    return up != GX_NONE ? up : extent_climb(e, a, axis);
}

/* Ancestors of one class after the other are put down; what the pieces of the summary have of them goes to their places
 * in `to`, and they are forgotten. */
static inline void extents_walk(gxp_extents *e, u32 bit)
{
    u64 words = 0;
    e->work++;
    ancestors_of(e, bit, GX_BUF_AT(&e->clean, u64), &words);
    e->walked |= words;
}

static inline void extents_walked(gxp_extents *e, u64 summary, u64 *to)
{
    u64 *row = GX_BUF_AT(&e->clean, u64);
    const u32 piece = e->piece;
    const size_t bytes = piece * sizeof *row;
    for (u64 left = summary; left; left &= left - 1) {
        const size_t k = (u32)__builtin_ctzll(left);
        memcpy(to + k * piece, row + k * piece, bytes);
    }
    for (u64 left = piece > 1 ? all_pieces(e) : e->walked; left; left &= left - 1)
        memset(row + (size_t)(u32)__builtin_ctzll(left) * piece, 0, bytes);
    e->walked = 0;
}

/* ---- children and descendants ---- */

/* Children join the row; of descendants also theirs, where a class is there for the first time. */
static inline void children_of(gxp_extents *e, u32 bit, u64 *row, int all)
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

/* Children, descendants, these and itself of an extent's classes. Not kept */
static inline u32 extent_below(gxp_extents *e, u32 a, u32 axis)
{
    if (axis != GXP_CHILD && e->under.n) {
        const u32 all = by_rows(e, a, &e->under);
        return axis == GXP_HERE_OR_BELOW ? extent_or(e, a, all) : all;
    }
    u64 *row = GX_BUF_AT(&e->row, u64);
    const u64 *at = pieces(e, a);
    const u32 piece = e->piece;
    memset(row, 0, e->w * sizeof *row);
    for (u64 left = gxp_extent_at(e, a)->summary; left; left &= left - 1)
        for (u32 x = 0; x < piece; x++)
            for (u64 bits = *at++; bits; bits &= bits - 1)
                children_of(e, 64 * ((u32)__builtin_ctzll(left) * piece + x) + (u32)__builtin_ctzll(bits), row,
                            axis != GXP_CHILD);
    const u32 out = extent_of(e, row);
    return axis == GXP_HERE_OR_BELOW ? extent_or(e, a, out) : out;
}

#endif
