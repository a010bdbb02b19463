/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranks.h -- shared formulas of one document, from the leaves upwards; built as extent_ops.h is
 *
 *   rank 0: labels that the document has    their extents are sets of classes
 *   each formula that holds somewhere       its edges and ANDs are evaluated; those that hold are of the next rank
 *   all that hold, by number                their profiles match, if they hold where these want it; or have code to run
 *
 * What does not hold anywhere is not stored. An edge's extent is what its operand's parents, or ancestors, have in
 * common with its test's.
 */
#include "extent_ops.h"
#include "matcher.h"

/* ---- a formula holds ---- */

/* The range of this kind that the formula with this bit of the block has */
OWN const gxp_range *range(const gxp_set *s, const gxp_block *b, u32 kind, u64 bit)
{
    return s->ranges[kind] + b->before[kind] + ONES(b->bits[kind] & (bit - 1));
}

OWN void hold(gxp_matcher *m, u32 f, u32 extent)
{
    m->holds[f / 64] |= (u64)1 << f % 64;
    m->slot[f] = extent;
    m->held[m->n_held++] = f;
}

static void queue(gxp_matcher *m, u32 f)
{
    const gxp_set *s = m->set;
    u32 lo = 0, hi = s->n_ranks;
    if (gxp_has_bit(m->queued, f))
        return;
    m->queued[f / 64] |= (u64)1 << f % 64;
    while (hi - lo > 1) { /* rank_start[lo] <= f < rank_start[hi] */
        const u32 mid = (lo + hi) / 2;
        if (s->rank_start[mid] <= f)
            lo = mid;
        else
            hi = mid;
    }
    const u32 at = GX_BUF_N(&m->waiting, u32);
    gxp_push(m, &m->waiting, f);
    gxp_push(m, &m->waiting, m->later_head[lo]);
    m->later_head[lo] = at;
}

/* ---- what a formula triggers ---- */

/* One more formula is looked at, of a range the i-th: is it over? Limits are looked at with every sixteenth. */
OWN int is_over_soon(gxp_matcher *m, u32 i)
{
    if (i % 16 == 0)
        return gxp_is_over(m);
    m->looked += m->extents.piece;
    return 0;
}

static void edges(gxp_matcher *m, const gxp_range *r, u32 extent)
{
    const gxp_set *s = m->set;
    m->cost.tried += r->to - r->from;
    for (u32 f = r->from; f < r->to; f++) {
        if (is_over_soon(m, f - r->from))
            return;
        const u32 test = m->test_slot[s->word[f] >> 2];
        if (test == GX_NONE)
            continue;
        const u32 found = extent_and(&m->extents, extent_up(&m->extents, extent, s->word[f] & 3), test);
        if (found != GXP_NOWHERE)
            hold(m, f, found);
    }
}

/* What all operands, but the one that it is of, leave of an extent */
static u32 and_all(gxp_matcher *m, u32 extent, const u32 *refs, u32 n, u32 but)
{
    for (u32 k = 0; k < n && extent != GXP_NOWHERE; k++) {
        const u32 f = GXP_REF_FORMULA(refs[k]);
        if (k == but)
            continue;
        if (gxp_has_bit(m->holds, f))
            extent = GXP_REF_NOT(refs[k]) ? extent_but(&m->extents, extent, m->slot[f])
                                          : extent_and(&m->extents, extent, m->slot[f]);
        else if (!GXP_REF_NOT(refs[k]))
            extent = GXP_NOWHERE;
    }
    return extent;
}

static void ands(gxp_matcher *m, const gxp_range *r, u32 extent)
{
    const gxp_set *s = m->set;
    m->cost.tried += r->to - r->from;
    for (u32 f = r->from; f < r->to; f++) {
        if (is_over_soon(m, f - r->from))
            return;
        const u32 word = s->word[f], alone = word & ~GXP_ALONE;
        const u32 *refs = word & GXP_ALONE ? &alone : s->args + word + 1, n = word & GXP_ALONE ? 1 : refs[-1];
        const u32 found = and_all(m, extent, refs, n, GX_NONE);
        if (found != GXP_NOWHERE)
            hold(m, f, found);
    }
}

static void expand(gxp_matcher *m, u32 f)
{
    const gxp_set *s = m->set;
    const gxp_block *b = &s->blocks[f / 64];
    const u64 bit = (u64)1 << f % 64;
    if (b->bits[GXP_EDGES] & bit)
        edges(m, range(s, b, GXP_EDGES, bit), m->slot[f]);
    if (b->bits[GXP_ANDS] & bit)
        ands(m, range(s, b, GXP_ANDS, bit), m->slot[f]);
    if (b->bits[GXP_LATER] & bit) {
        const gxp_range *l = range(s, b, GXP_LATER, bit);
        for (u32 i = l->from; i < l->to; i++)
            queue(m, s->later_of[i]);
    }
}

/* An OR, or an AND with all its operands, when these are known */
static void later(gxp_matcher *m, u32 f)
{
    const u32 *args = m->set->args + m->set->word[f], n = args[0] >> 1, *refs = args + 1;
    u32 found = GXP_NOWHERE, k = 0;
    m->cost.tried++;
    if (args[0] & 1) {
        for (; k < n; k++)
            if (gxp_has_bit(m->holds, GXP_REF_FORMULA(refs[k])))
                found = extent_or(&m->extents, found, m->slot[GXP_REF_FORMULA(refs[k])]);
    } else {
        while (GXP_REF_NOT(refs[k]))        /* its trigger, at the latest, is none */
            k++;
        if (gxp_has_bit(m->holds, GXP_REF_FORMULA(refs[k])))
            found = and_all(m, m->slot[GXP_REF_FORMULA(refs[k])], refs, n, k);
    }
    if (found != GXP_NOWHERE)
        hold(m, f, found);
}

/* ---- all ranks ---- */

static void rank_begins(gxp_matcher *m, u32 rank)
{
    const gxp_set *s = m->set;
    const u32 from = s->rank_start[rank], to = s->rank_start[rank + 1];
    const gxp_leaf *tests = GX_BUF_AT(&m->leaves.tests, gxp_leaf), *atoms = GX_BUF_AT(&m->leaves.atoms, gxp_leaf);
    for (u32 i = 0; rank == 0 && i < GX_BUF_N(&m->leaves.tests, gxp_leaf); i++) {
        m->test_slot[tests[i].of] = tests[i].extent;
        if (s->test_formula[tests[i].of] != GX_NONE)
            hold(m, s->test_formula[tests[i].of], tests[i].extent);
    }
    const int has_atoms = rank == 1 || rank == GXP_RANK_VALUE;
    for (u32 i = 0; has_atoms && i < GX_BUF_N(&m->leaves.atoms, gxp_leaf); i++)
        if (atoms[i].of >= from && atoms[i].of < to)
            hold(m, atoms[i].of, atoms[i].extent);
    for (u32 at = m->later_head[rank]; at != GX_NONE && !gxp_is_over(m); at = GX_BUF_AT(&m->waiting, u32)[at + 1])
        later(m, GX_BUF_AT(&m->waiting, u32)[at]);
}

static void all_ranks(gxp_matcher *m)
{
    u32 start = 0;
    for (u32 rank = 0; rank < m->set->n_ranks; rank++) {
        rank_begins(m, rank);
        const u32 end = m->n_held; /* complete: what is triggered from here on is of a later rank */
        for (u32 i = start; i < end && m->failed == GX_OK; i++) {
            expand(m, m->held[i]);
        }
        start = end;
    }
    if (m->extents.failed != GX_OK)
        gxp_fail(m, m->extents.failed, "arena");
}

/* ---- profiles ---- */

static void subscribers(gxp_matcher *m, const gxp_range *r, u32 f)
{
    const gxp_set *s = m->set;
    if (gx_buf_room(&m->codes, (r->to - r->from) * sizeof(u32))) {
        gxp_fail(m, GX_ENOMEM, NULL);
        return;
    }
    u32 *codes = (u32 *)(void *)(m->codes.at + m->codes.n), *const first = codes;
    for (u32 i = r->from; i < r->to; i++) {
        const u32 how = GXP_HOW(s->subscriber[i]), p = GXP_PROFILE(s->subscriber[i]);
        if (how == GXP_BY_CODE) {       /* its code's memory is not touched where another that it needs lacks */
            *codes = i;
            codes += s->second[i] == GX_NONE || gxp_has_bit(m->holds, s->second[i]);
        } else if (how == GXP_ANYWHERE || extent_has(&m->extents, m->slot[f], how == GXP_AT_TOP ? m->top : m->root))
            m->matched[p / 64] |= (u64)1 << p % 64;
    }
    m->codes.n += (size_t)(codes - first) * sizeof *codes;
}

/* Of all formulas that hold, by their numbers: in the order in which subscribers, and their codes, lie in memory */
static void all_subscribers(gxp_matcher *m)
{
    const gxp_block *b = m->set->blocks;
    for (u32 i = 0; i <= m->set->n_formulas / 64; i++) {
        const u64 word = b[i].bits[GXP_SUBSCRIBERS];
        const gxp_range *r = m->set->ranges[GXP_SUBSCRIBERS] + b[i].before[GXP_SUBSCRIBERS];
        for (u64 left = word & m->holds[i]; left; left &= left - 1)
            subscribers(m, r + ONES(word & ((left & -left) - 1)), 64 * i + (u32)__builtin_ctzll(left));
    }
}
