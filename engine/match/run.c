/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c -- the formulas' values for one document, from the leaves upwards
 *
 *   rank 0: labels that the document has    their extents are sets of classes (extent.h)
 *   each formula that holds somewhere       its edges and ANDs are evaluated; those that hold are of the next rank
 *   its profiles                            match, if it holds where they want it; or their codes are to be run
 *   codes                                   of profiles whose shared formulas all hold: they decide (code.h)
 *
 * What does not hold anywhere is not stored. An edge's extent is what its operand's parents, or ancestors, have in
 * common with its test's.
 */
#include <stdlib.h>
#include <string.h>
#include "leaf.h"
#include "machine/result.h"
#include "pack.h"
#include "run.h"

struct gxp_matcher {
    const gxp_set *set;
    gxp_classes classes;
    gxp_extents extents;
    u32 top, root;                  /* bits of classes */
    gxp_leaves leaves;
    u32 *slot;                      /* of each formula that holds: its extent */
    u64 *holds;                     /* a bit for each formula */
    u64 *queued;                    /* the same, of those that are later */
    u32 *test_slot;                 /* of each test: its extent, GX_NONE: nothing passes it */
    gx_buf held;                    /* formulas that hold, by rank */
    gx_buf codes;                   /* where the codes begin that are to be run */
    gxp_loose *stack;               /* what they have so far */
    gx_buf own;                     /* w words for each place of the stack */
    u32 *below_test;                /* of each test and axis, or GX_NONE */
    gx_buf below;                   /* which of these are known */
    gx_buf waiting;                 /* links of the lists of later ones; u32 pairs */
    u32 *later_head;                /* of each rank */
    u64 *matched;                   /* a bit for each profile */
    gx_buf ids;
    gxp_cost cost;
    u64 work, most_work, most_bytes, deadline_us;
    u64 looked, next_look;          /* formulas looked at, and when to look at limits */
    gx_status failed;               /* GX_ENOMEM, GX_ELIMIT, GX_ETIME */
    const char *limit;
    /* for programs */
    gx_arena *arena;
    u64 arena_bytes;
    apr_pool_t *pool;
};

static void fail(gxp_matcher *m, gx_status status, const char *limit)
{
    if (m->failed == GX_OK) {
        m->failed = status;
        m->limit = limit;
    }
}

static void push(gxp_matcher *m, gx_buf *b, u32 x)
{
    u32 *to = gx_buf_push(b, sizeof *to);
    if (to)
        *to = x;
    else
        fail(m, GX_ENOMEM, NULL);
}

static int has_bit(const u64 *v, u32 i) { return (int)(v[i / 64] >> i % 64 & 1); }

/* ---- a formula holds ---- */

static const gxp_range *range(const gxp_matcher *m, u32 kind, u32 f)
{
    return gxp_range_of(m->set->blocks, m->set->ranges, kind, f);
}

static void members(gxp_matcher *m, const gxp_range *r, u32 extent)
{
    const gxp_set *s = m->set;
    for (u32 i = r->from; i < r->to; i++) {
        const u32 how = GXP_HOW(s->member[i]), p = GXP_PROFILE(s->member[i]);
        if (how == GXP_BY_CODE)
            push(m, &m->codes, p);
        else if (how == GXP_ANYWHERE || gxp_extent_has(&m->extents, extent, how == GXP_AT_TOP ? m->top : m->root))
            m->matched[p / 64] |= (u64)1 << p % 64;
    }
}

static void hold(gxp_matcher *m, u32 f, u32 extent)
{
    m->holds[f / 64] |= (u64)1 << f % 64;
    m->slot[f] = extent;
    push(m, &m->held, f);
}

static void queue(gxp_matcher *m, u32 f)
{
    const gxp_set *s = m->set;
    u32 lo = 0, hi = s->n_ranks;
    if (has_bit(m->queued, f))
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
    push(m, &m->waiting, f);
    push(m, &m->waiting, m->later_head[lo]);
    m->later_head[lo] = at;
}

/* ---- what a formula triggers ---- */

/* One more formula is looked at: is it over? */
static inline int is_over(gxp_matcher *m)
{
    m->looked += m->extents.piece;
    const u64 work = m->work + m->extents.work + m->looked;
    if (work >= m->next_look || m->extents.failed != GX_OK) {
        const gx_status status = gxp_look(work, m->most_work, m->deadline_us, &m->next_look);
        if (m->extents.failed != GX_OK)
            fail(m, m->extents.failed, "arena");
        else if (status != GX_OK)
            fail(m, status, "steps");
        if (m->most_work && m->next_look > m->most_work)
            m->next_look = m->most_work + 1;
    }
    return m->failed != GX_OK;
}

static void edges(gxp_matcher *m, const gxp_range *r, u32 extent)
{
    const gxp_set *s = m->set;
    m->cost.tried += r->to - r->from;
    for (u32 f = r->from; f < r->to && !is_over(m); f++) {
        const u32 test = m->test_slot[s->word[f] >> 2];
        if (test == GX_NONE)
            continue;
        const u32 found = gxp_extent_and(&m->extents, gxp_extent_up(&m->extents, extent, s->word[f] & 3), test);
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
        if (has_bit(m->holds, f))
            extent = GXP_REF_NOT(refs[k]) ? gxp_extent_but(&m->extents, extent, m->slot[f])
                                          : gxp_extent_and(&m->extents, extent, m->slot[f]);
        else if (!GXP_REF_NOT(refs[k]))
            extent = GXP_NOWHERE;
    }
    return extent;
}

static void ands(gxp_matcher *m, const gxp_range *r, u32 extent)
{
    const gxp_set *s = m->set;
    m->cost.tried += r->to - r->from;
    for (u32 f = r->from; f < r->to && !is_over(m); f++) {
        const u32 word = s->word[f], alone = word & ~GXP_ALONE;
        const u32 *refs = word & GXP_ALONE ? &alone : s->args + word + 1, n = word & GXP_ALONE ? 1 : refs[-1];
        const u32 found = and_all(m, extent, refs, n, GX_NONE);
        if (found != GXP_NOWHERE)
            hold(m, f, found);
    }
}

static void expand(gxp_matcher *m, u32 f)
{
    const gxp_range *e = range(m, GXP_EDGES, f), *a = range(m, GXP_ANDS, f);
    const gxp_range *l = range(m, GXP_LATER, f), *p = range(m, GXP_MEMBERS, f);
    if (p)
        members(m, p, m->slot[f]);
    if (e)
        edges(m, e, m->slot[f]);
    if (a)
        ands(m, a, m->slot[f]);
    for (u32 i = l ? l->from : 0; l && i < l->to; i++)
        queue(m, m->set->later_of[i]);
}

/* An OR, or an AND with all its operands, when these are known */
static void later(gxp_matcher *m, u32 f)
{
    const u32 *args = m->set->args + m->set->word[f], n = args[0] >> 1, *refs = args + 1;
    u32 found = GXP_NOWHERE, k = 0;
    m->cost.tried++;
    if (args[0] & 1) {
        for (; k < n; k++)
            if (has_bit(m->holds, GXP_REF_FORMULA(refs[k])))
                found = gxp_extent_or(&m->extents, found, m->slot[GXP_REF_FORMULA(refs[k])]);
    } else {
        while (GXP_REF_NOT(refs[k]))        /* its trigger, at the latest, is none */
            k++;
        if (has_bit(m->holds, GXP_REF_FORMULA(refs[k])))
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
    for (u32 i = 0; rank <= GXP_RANK_VALUE && i < GX_BUF_N(&m->leaves.atoms, gxp_leaf); i++)
        if (atoms[i].of >= from && atoms[i].of < to)
            hold(m, atoms[i].of, atoms[i].extent);
    for (u32 at = m->later_head[rank]; at != GX_NONE && !is_over(m); at = GX_BUF_AT(&m->waiting, u32)[at + 1])
        later(m, GX_BUF_AT(&m->waiting, u32)[at]);
}

static void all_ranks(gxp_matcher *m)
{
    u32 start = 0;
    for (u32 rank = 0; rank < m->set->n_ranks; rank++) {
        rank_begins(m, rank);
        const u32 end = GX_BUF_N(&m->held, u32); /* complete: what is triggered from here on is of a later rank */
        for (u32 i = start; i < end && m->failed == GX_OK; i++) {
            expand(m, GX_BUF_AT(&m->held, u32)[i]);
        }
        start = end;
    }
    if (m->extents.failed != GX_OK)
        fail(m, m->extents.failed, "arena");
}

/* ---- code ---- */

static int needed_hold(const gxp_matcher *m, const u32 *code)
{
    u32 n = code[1];
    while (n && has_bit(m->holds, code[1 + n]))
        n--;
    return !n;
}

/* Room for what is on the stack */
static int own_room(gxp_matcher *m)
{
    const u64 bytes = (m->set->code_depth + 2ull) * m->extents.w * sizeof(u64);
    if (bytes > m->most_bytes)
        fail(m, GX_ELIMIT, "arena");
    else if (m->own.n < bytes && !gx_buf_push(&m->own, bytes - m->own.n))
        fail(m, GX_ENOMEM, NULL);
    return m->failed != GX_OK;
}

/* Of a test: what has something that passes it above, on an axis; made when it is wanted */
static u32 below_test(gxp_matcher *m, u32 test, u32 axis)
{
    u32 *known = &m->below_test[GXP_N_AXES * test + axis];
    if (*known == GX_NONE) {
        *known = gxp_extent_below(&m->extents, m->test_slot[test], axis);
        push(m, &m->below, GXP_N_AXES * test + axis);
    }
    return *known;
}

/* What an operation leaves on the stack, whose top is at *at: does it leave anything? */
static inline int operate(gxp_matcher *m, u32 word, gxp_loose **at)
{
    gxp_extents *e = &m->extents;
    const u32 value = GXP_CODE_VALUE(word), kind = GXP_CODE_KIND(word);
    gxp_loose *top = *at;
    if (kind == GXP_CODE_LOAD)
        *at = ++top;
    else if (kind == GXP_CODE_JOIN)
        *at = --top;
    u64 *own = GX_BUF_AT(&m->own, u64) + (size_t)(top - m->stack) * e->w;
    switch (kind) {
    case GXP_CODE_LOAD:
        *top = gxp_loose_of(e, m->slot[value]);
        break;
    case GXP_CODE_EDGE:
        if (m->test_slot[value >> 2] == GX_NONE)
            *top = gxp_loose_of(e, GXP_NOWHERE);
        else if (top->number == GX_NONE)    /* only what has the test above it matters */
            gxp_loose_and(e, top, below_test(m, value >> 2, value & 3), own);
        if (top->summary)
            gxp_loose_edge(e, top, value & 3, m->test_slot[value >> 2], own);
        break;
    case GXP_CODE_JOIN:
        gxp_loose_join(e, top, top + 1, own);
        break;
    case GXP_CODE_MEET:
        gxp_loose_and(e, top, m->slot[value], own);
        break;
    default:
        if (has_bit(m->holds, value))
            gxp_loose_but(e, top, m->slot[value], own);
    }
    return top->summary != 0;
}

/* What code of a document needs: of each way in which a profile must hold */
typedef struct from {
    u32 extent;                     /* where it must hold; ANYWHERE: GXP_NOWHERE, and the test says where */
    u32 below[GXP_N_AXES];
} from;

static int meets(const gxp_matcher *m, const gxp_loose *a, u32 b)
{
    const gxp_loose other = gxp_loose_of(&m->extents, b);
    return gxp_loose_meets(&m->extents, a, &other);
}

/* The last operation: whether it leaves anything where the profile must hold is all that matters. So no parents are
 * looked for: something has the top on its axis if something of the top is on the other's. */
static int ends_well(gxp_matcher *m, u32 word, gxp_loose *top, const from *must)
{
    const u32 value = GXP_CODE_VALUE(word), kind = GXP_CODE_KIND(word);
    if (kind == GXP_CODE_EDGE) {
        const u32 test = value >> 2, axis = value & 3;
        if (m->test_slot[test] == GX_NONE)
            return 0;
        if (!must->extent)
            return meets(m, top, below_test(m, test, axis));
        return gxp_extent_and(&m->extents, must->extent, m->test_slot[test]) && meets(m, top, must->below[axis]);
    }
    if (!must->extent && kind == GXP_CODE_MEET)
        return meets(m, top, m->slot[value]);
    if (!must->extent && kind == GXP_CODE_JOIN)
        return gxp_loose_meets(&m->extents, top - 1, top);
    return operate(m, word, &top) && (!must->extent || meets(m, top, must->extent));
}

/* Without an end where nothing is left */
void gxp_code_holds(gxp_matcher *m, const u32 *code, u8 *yes)
{
    const u32 *op = code + 2 + code[1];
    gxp_loose *top = m->stack;
    if (m->failed != GX_OK || own_room(m))
        return;
    for (u32 i = 0; op[i] != GXP_CODE_END; i++) {
        const u32 kind = GXP_CODE_KIND(op[i]), is_of_shared = kind == GXP_CODE_LOAD || kind == GXP_CODE_MEET;
        const int lacks = is_of_shared && !has_bit(m->holds, GXP_CODE_VALUE(op[i]));
        if (lacks)
            *(kind == GXP_CODE_LOAD ? ++top : top) = gxp_loose_of(&m->extents, GXP_NOWHERE);
        yes[i] = !lacks && operate(m, op[i], &top);
    }
}

/* Limits are looked at between codes, and within a long one */
static void run_code(gxp_matcher *m, const u32 *code, const from *from)
{
    const u32 how = GXP_HOW(code[0]), p = GXP_PROFILE(code[0]);
    const u32 *const first = code + 2 + code[1], *op = first;
    gxp_loose *top = m->stack;
    int holds = 1;
    while (holds && op[1] != GXP_CODE_END) {
        holds = operate(m, *op++, &top);
        if ((op - first) % 16 == 0 && is_over(m))
            return;
    }
    const u32 n = (u32)(op - first);
    m->looked += (u64)n * m->extents.piece;
    m->cost.tried += n + holds;
    m->cost.held += n - !holds;
    if (holds && m->extents.failed == GX_OK && ends_well(m, *op, top, &from[how])) {
        m->matched[p / 64] |= (u64)1 << p % 64;
        m->cost.held++;
    }
}

/* The extent that has this bit alone, and what is below it */
static from from_bit(gxp_matcher *m, u32 bit)
{
    u64 *row = GX_BUF_AT(&m->extents.row, u64);
    from f;
    memset(row, 0, m->extents.w * sizeof *row);
    row[bit / 64] = (u64)1 << bit % 64;
    f.extent = gxp_extent_of(&m->extents, row);
    for (u32 axis = 0; axis < GXP_N_AXES; axis++)
        f.below[axis] = gxp_extent_below(&m->extents, f.extent, axis);
    return f;
}

static void run_codes(gxp_matcher *m)
{
    const u32 n = GX_BUF_N(&m->codes, u32), *at = GX_BUF_AT(&m->codes, u32), *all = m->set->code;
    if (!n || own_room(m))
        return;
    const from from[] = { { GXP_NOWHERE, { GXP_NOWHERE, GXP_NOWHERE, GXP_NOWHERE } }, from_bit(m, m->top),
                          from_bit(m, m->root) };
    for (u32 i = 0; i < n && !is_over(m); i++) {
        if (i + 16 < n) {
            __builtin_prefetch(all + at[i + 16]);
            __builtin_prefetch(all + at[i + 16] + 16);
        }
        if (needed_hold(m, all + at[i]))
            run_code(m, all + at[i], from);
    }
}

/* What the last document left is taken back, not all cleared. */
static void forget(gxp_matcher *m)
{
    const u32 *held = GX_BUF_AT(&m->held, u32), *waiting = GX_BUF_AT(&m->waiting, u32);
    const gxp_leaf *tests = GX_BUF_AT(&m->leaves.tests, gxp_leaf);
    for (u32 i = 0; i < GX_BUF_N(&m->held, u32); i++) {
        m->holds[held[i] / 64] = 0;
        m->slot[held[i]] = GX_NONE;
    }
    for (u32 i = 0; i < GX_BUF_N(&m->below, u32); i++)
        m->below_test[GX_BUF_AT(&m->below, u32)[i]] = GX_NONE;
    for (u32 i = 0; i < GX_BUF_N(&m->leaves.tests, gxp_leaf); i++)
        m->test_slot[tests[i].of] = GX_NONE;
    for (u32 i = 0; i < GX_BUF_N(&m->waiting, u32); i += 2)
        m->queued[waiting[i] / 64] = 0;
    for (u32 i = 0; i < m->set->n_ranks; i++)
        m->later_head[i] = GX_NONE;
    gx_buf *const all[] = { &m->held, &m->waiting, &m->ids, &m->codes, &m->below, &m->own };
    for (u32 i = 0; i < sizeof all / sizeof *all; i++)
        gx_buf_rewind(all[i]);
    memset(m->matched, 0, (m->set->n_profiles / 64 + 1) * sizeof *m->matched);
    memset(&m->cost, 0, sizeof m->cost);
    m->failed = GX_OK;
    m->work = m->looked = m->next_look = 0;
}

/* ---- programs ---- */

static gx_status late(gx_error *err)
{
    return gx_fail(err, GX_ETIME, "", 0, 0, "matching the document takes longer than the limit 'timeout' allows");
}

static gx_status over(const char *limit, gx_error *err)
{
    gx_fail(err, GX_ELIMIT, "", 0, 0,
            strcmp(limit, "steps") ? "matching the document needs more memory than the limit 'arena' allows"
                                   : "matching the document needs more steps than the limit 'steps' allows");
    err->limit = limit;
    return GX_ELIMIT;
}

static u64 work_done(const gxp_matcher *m) { return m->work + m->extents.work + m->looked; }

typedef struct answer {
    char text[8];
    u32 n;
} answer;

static int append(void *ctx, const char *bytes, size_t n)
{
    answer *a = ctx;
    for (size_t i = 0; i < n && a->n < sizeof a->text; i++)
        a->text[a->n++] = bytes[i];
    return 0;
}

static gx_status program_says(gxp_matcher *m, const gxp_exact *e, const gx_doc *doc, const gx_limits *limits, int *yes,
                              gx_error *err)
{
    if (!m->pool && apr_pool_create(&m->pool, NULL) != APR_SUCCESS)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory to match the document");
    if (m->arena && m->arena_bytes != limits->arena) {
        gx_arena_free(m->arena);
        m->arena = NULL;
    }
    if (!m->arena)
        GX_TRY(gx_arena_create(limits->arena, &m->arena, err));
    m->arena_bytes = limits->arena;
    apr_pool_clear(m->pool);
    gx_evaluation ev = { .program = e->program, .doc = doc, .limits = limits, .arena = m->arena, .pool = m->pool,
                         .no_loader = "a profile reads no other document", .deadline_us = m->deadline_us };
    const gx_serialize_options o = { .limits = limits };
    gx_media media;
    answer a = { "", 0 };
    m->cost.exact++;
    GX_TRY(gx_evaluate(&ev, err));
    m->work += ((const gx_result *)ev.base)->steps + 1;
    GX_TRY(gx_serialize_selection(&ev, &o, 0, NULL, append, &a, &media, err));
    *yes = a.n >= 4 && !memcmp(a.text, "true", 4);
    return GX_OK;
}

static gx_status run_programs(gxp_matcher *m, const gx_doc *doc, const gx_limits *limits,
                              void (*warning)(void *ctx, const gx_error *what), void *ctx, gx_error *err)
{
    for (u32 i = 0; i < m->set->n_exact; i++) {
        const u32 p = m->set->exact[i].profile;
        gx_limits rest = *limits;
        int is = 0;
        if (!has_bit(m->matched, p))
            continue;
        if (m->deadline_us && gx_now_us() > m->deadline_us) /* many that are quick take long as well */
            return late(err);
        if (m->most_work && work_done(m) >= m->most_work)
            return over("steps", err);
        rest.steps = m->most_work ? m->most_work - work_done(m) : 0;
        const gx_status status = program_says(m, &m->set->exact[i], doc, &rest, &is, err);
        if (status != GX_OK && err->limit && !strcmp(err->limit, "steps"))
            return over("steps", err);
        if (status == GX_ETIME && m->deadline_us && gx_now_us() > m->deadline_us)
            return late(err);
        if (status == GX_ENOMEM)
            return status;
        if (status != GX_OK && warning)
            warning(ctx, err);
        if (!is)
            m->matched[p / 64] &= ~((u64)1 << p % 64);
    }
    return GX_OK;
}

/* ---- one document ---- */

static gx_status end_of(gxp_matcher *m, gx_error *err)
{
    if (m->failed == GX_OK)
        return GX_OK;
    if (m->failed == GX_ETIME)
        return late(err);
    if (m->failed == GX_ENOMEM)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory to match the document");
    return over(m->limit, err);
}

static gx_status evaluate(gxp_matcher *m, gx_error *err)
{
    const u32 n = gxp_n_classes(&m->classes);
    gxp_extents_begin(&m->extents, &m->classes, m->most_bytes);
    if (m->extents.failed != GX_OK) {
        fail(m, m->extents.failed, "arena");
        return end_of(m, err);
    }
    m->root = gxp_bit_of(&m->extents, n - 1);
    m->top = gxp_bit_of(&m->extents, n - 2);
    gxp_leaves_make(&m->leaves, &m->classes, &m->extents);
    m->work = m->classes.work;
    if (m->classes.over != GX_OK)
        fail(m, m->classes.over, "steps");
    else if (m->extents.failed != GX_OK)
        fail(m, m->extents.failed, "arena");
    if (m->failed == GX_OK)
        all_ranks(m);
    if (m->failed == GX_OK)
        run_codes(m);
    if (m->extents.failed != GX_OK)
        fail(m, m->extents.failed, "arena");
    m->cost.classes = n;
    m->cost.elements = m->classes.n_elements;
    m->cost.held += GX_BUF_N(&m->held, u32);
    return end_of(m, err);
}

static int list_matched(gxp_matcher *m)
{
    for (u32 i = 0; i <= m->set->n_profiles / 64; i++)
        for (u64 left = m->matched[i]; left; left &= left - 1) {
            u32 *to = gx_buf_push(&m->ids, sizeof *to);
            if (!to)
                return -1;
            *to = 64 * i + (u32)__builtin_ctzll(left);
        }
    return 0;
}

static gx_limits begin(gxp_matcher *m, const gx_limits *limits)
{
    gx_limits filled = { 0 };
    if (limits)
        filled = *limits;
    gx_limits_default(&filled);
    forget(m);
    m->most_work = filled.steps;
    m->most_bytes = filled.arena;
    return filled;
}

/* When the formulas have said what matches */
static gx_status end(gxp_matcher *m, const gx_doc *doc, const gx_limits *limits,
                     void (*warning)(void *ctx, const gx_error *what), void *ctx, const u32 **ids, u32 *n,
                     gx_error *err)
{
    for (u32 i = 0; i < m->set->n_always; i++)
        m->matched[m->set->always[i] / 64] |= (u64)1 << m->set->always[i] % 64;
    GX_TRY(run_programs(m, doc, limits, warning, ctx, err));
    if (list_matched(m))
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory to match the document");
    *ids = GX_BUF_AT(&m->ids, u32);
    *n = GX_BUF_N(&m->ids, u32);
    return GX_OK;
}

gx_status gxp_match(gxp_matcher *m, const gx_doc *doc, const gx_limits *limits,
                    void (*warning)(void *ctx, const gx_error *what), void *ctx, const u32 **ids, u32 *n, gx_error *err)
{
    const gx_limits filled = begin(m, limits);
    m->classes.most_work = m->most_work;
    m->classes.deadline_us = m->deadline_us;
    GX_TRY(gxp_classes_make(&m->classes, doc, err));
    m->work = m->classes.work;
    if (m->classes.over != GX_OK) {
        fail(m, m->classes.over, "steps");
        return end_of(m, err);
    }
    GX_TRY(evaluate(m, err));
    return end(m, doc, &filled, warning, ctx, ids, n, err);
}

gx_status gxp_match_bits(gxp_matcher *m, const gx_doc *doc, const gx_limits *limits, const u64 *matched,
                         void (*warning)(void *ctx, const gx_error *what), void *ctx, const u32 **ids, u32 *n,
                         gx_error *err)
{
    const gx_limits filled = begin(m, limits);
    memcpy(m->matched, matched, (m->set->n_profiles / 64 + 1) * sizeof *m->matched);
    return end(m, doc, &filled, warning, ctx, ids, n, err);
}

gx_status gxp_match_found(gxp_matcher *m, const gx_doc *doc, const gx_limits *limits, const gxp_found *found,
                          void (*warning)(void *ctx, const gx_error *what), void *ctx, const u32 **ids, u32 *n,
                          gx_error *err)
{
    if (found->matched)
        return gxp_match_bits(m, doc, limits, found->matched, warning, ctx, ids, n, err);
    const gx_limits filled = begin(m, limits);
    for (u32 i = 0; i < found->n; i++)
        m->matched[found->ids[i] / 64] |= (u64)1 << found->ids[i] % 64;
    return end(m, doc, &filled, warning, ctx, ids, n, err);
}

const gxp_set *gxp_set_of(const gxp_matcher *m) { return m->set; }
int gxp_holds(const gxp_matcher *m, u32 formula) { return has_bit(m->holds, formula); }
int gxp_matched(const gxp_matcher *m, u32 profile) { return has_bit(m->matched, profile); }

void gxp_matcher_deadline(gxp_matcher *m, u64 deadline_us) { m->deadline_us = deadline_us; }

void gxp_match_cost(const gxp_matcher *m, gxp_cost *out)
{
    *out = m->cost;
    out->steps = work_done(m);
    out->bytes = m->extents.words.n + m->extents.all.n;
}

gx_status gxp_matcher_create(const gxp_set *s, gxp_matcher **out, gx_error *err)
{
    gxp_matcher *m = calloc(1, sizeof *m);
    const u32 n = s->n_formulas, n_tests = GX_BUF_N(&s->tests, gxp_test);
    if (m) {
        m->set = m->classes.set = s;
        m->slot = malloc((n + 1ull) * sizeof *m->slot);
        m->holds = calloc(n / 64 + 1, sizeof *m->holds);
        m->queued = calloc(n / 64 + 1, sizeof *m->queued);
        m->test_slot = malloc((n_tests + 1ull) * sizeof *m->test_slot);
        m->later_head = malloc((s->n_ranks + 1ull) * sizeof *m->later_head);
        m->matched = calloc(s->n_profiles / 64 + 1, sizeof *m->matched);
        m->below_test = malloc((n_tests + 1ull) * GXP_N_AXES * sizeof *m->below_test);
        m->stack = malloc((s->code_depth + 2ull) * sizeof *m->stack);
    }
    if (!m || gxp_extents_create(&m->extents) || gxp_leaves_create(&m->leaves, s) || !m->slot || !m->holds || !m->queued
        || !m->test_slot || !m->later_head || !m->matched || !m->stack || !m->below_test) {
        gxp_matcher_free(m);
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory for a matcher");
    }
    memset(m->slot, 0xff, (n + 1ull) * sizeof *m->slot);
    memset(m->test_slot, 0xff, (n_tests + 1ull) * sizeof *m->test_slot);
    memset(m->below_test, 0xff, (n_tests + 1ull) * GXP_N_AXES * sizeof *m->below_test);
    *out = m;
    return GX_OK;
}

u64 gxp_matcher_bytes(const gxp_matcher *m)
{
    const gxp_set *s = m->set;
    const gxp_extents *e = &m->extents;
    const gxp_classes *c = &m->classes;
    const gx_buf *const bufs[] = { &m->held, &m->waiting, &m->ids, &m->codes, &m->own, &e->all, &e->words,
                                   &e->table, &e->bit, &e->list, &e->span, &e->row, &e->clean, &e->stack, &c->classes,
                                   &c->items, &c->label, &c->head, &c->links, &c->table, &c->mark };
    u64 n = s->n_formulas * (sizeof *m->slot + 1) + s->n_profiles / 8;
    for (u32 i = 0; i < sizeof bufs / sizeof *bufs; i++)
        n += bufs[i]->cap;
    n += gxp_leaves_bytes(&m->leaves);
    return n + (m->arena ? gx_arena_bytes(m->arena) : 0);
}

void gxp_matcher_free(gxp_matcher *m)
{
    if (!m)
        return;
    gx_buf *const bufs[] = { &m->held, &m->waiting, &m->ids, &m->codes, &m->below, &m->own };
    void *const all[] = { m->slot, m->holds, m->queued, m->test_slot, m->later_head, m->matched, m->stack,
                          m->below_test };
    for (u32 i = 0; i < sizeof bufs / sizeof *bufs; i++)
        gx_buf_free(bufs[i]);
    for (u32 i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    gxp_classes_free(&m->classes);
    gxp_extents_free(&m->extents);
    gxp_leaves_free(&m->leaves);
    if (m->arena)
        gx_arena_free(m->arena);
    if (m->pool)
        apr_pool_destroy(m->pool);
    free(m);
}
