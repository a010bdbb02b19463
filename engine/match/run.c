/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c -- one document: its classes, what the formulas say of them (evaluate.h), programs of profiles that need one
 */
#include <stdlib.h>
#include <string.h>
#include "machine/result.h"
#include "matcher.h"
#include "pack.h"
#include "run.h"

/* ---- one document is forgotten ---- */

/* What the last document left is taken back, not all cleared: only the formulas that held, the tests that were met.
 * O(what it met, and n_profiles / 64). The arrays stay for the next document. */
static void forget(gxp_matcher *m)
{
    const u32 *held = m->held, *waiting = GX_BUF_AT(&m->waiting, u32);
    const gxp_leaf *tests = GX_BUF_AT(&m->leaves.tests, gxp_leaf);
    for (u32 i = 0; i < m->n_held; i++) {
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
    gx_buf *const all[] = { &m->waiting, &m->ids, &m->codes, &m->below, &m->own };
    for (u32 i = 0; i < sizeof all / sizeof *all; i++)
        gx_buf_rewind(all[i]);
    memset(m->matched, 0, (m->set->n_profiles / 64 + 1) * sizeof *m->matched);
    memset(&m->cost, 0, sizeof m->cost);
    m->failed = GX_OK;
    m->n_held = 0;
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

/* *yes: what a profile's program makes of the document, in the matcher's own arena. Steps count against the
 * document's. */
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

/* Asks the programs of those profiles whose formula holds but says less than they do; a profile whose program says no
 * is taken out. An error in one is a warning and no match. Limits of steps and time are those of the whole document. */
static gx_status run_programs(gxp_matcher *m, const gx_doc *doc, const gx_limits *limits,
                              void (*warning)(void *ctx, const gx_error *what), void *ctx, gx_error *err)
{
    for (u32 i = 0; i < m->set->n_exact; i++) {
        const u32 p = m->set->exact[i].profile;
        gx_limits rest = *limits;
        int is = 0;
        if (!gxp_has_bit(m->matched, p))
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

/* All formulas over the document's classes: leaves first, then by rank (evaluate.h). What is exceeded is named by the
 * limit that a user can set: "steps" or "arena". */
static gx_status evaluate(gxp_matcher *m, gx_error *err)
{
    const u32 n = gxp_n_classes(&m->classes);
    gxp_extents_begin(&m->extents, &m->classes, m->most_bytes);
    if (m->extents.failed != GX_OK) {
        gxp_fail(m, m->extents.failed, "arena");
        return end_of(m, err);
    }
    m->root = gxp_bit_of(&m->extents, n - 1);
    m->top = gxp_bit_of(&m->extents, n - 2);
    if (m->set->n_formulas >= m->rows_from * n)
        gxp_extents_rows(&m->extents);
    gxp_leaves_make(&m->leaves, &m->classes, &m->extents);
    m->work = m->classes.work;
    if (m->classes.over != GX_OK)
        gxp_fail(m, m->classes.over, "steps");
    else if (m->extents.failed != GX_OK)
        gxp_fail(m, m->extents.failed, "arena");
    if (m->failed == GX_OK)
        m->evaluation->all(m);
    if (m->extents.failed != GX_OK)
        gxp_fail(m, m->extents.failed, "arena");
    m->cost.classes = n;
    m->cost.elements = m->classes.n_elements;
    m->cost.held += m->n_held;
    return end_of(m, err);
}

static int list_matched(gxp_matcher *m)
{
    for (u32 i = 0; i <= m->set->n_profiles / 64; i++) {
        if (gx_buf_room(&m->ids, 64 * sizeof(u32)))
            return -1;
        u32 *to = (u32 *)(void *)(m->ids.at + m->ids.n), *const first = to;
        for (u64 left = m->matched[i]; left; left &= left - 1)
            *to++ = 64 * i + (u32)__builtin_ctzll(left);
        m->ids.n += (size_t)(to - first) * sizeof *to;
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
        gxp_fail(m, m->classes.over, "steps");
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
int gxp_holds(const gxp_matcher *m, u32 formula) { return gxp_has_bit(m->holds, formula); }
void gxp_code_holds(gxp_matcher *m, const u32 *code, u8 *yes) { m->evaluation->code_holds(m, code, yes); }
int gxp_matched(const gxp_matcher *m, u32 profile) { return gxp_has_bit(m->matched, profile); }

void gxp_matcher_deadline(gxp_matcher *m, u64 deadline_us) { m->deadline_us = deadline_us; }

void gxp_match_cost(const gxp_matcher *m, gxp_cost *out)
{
    *out = m->cost;
    out->steps = work_done(m);
    out->bytes = m->extents.words.n + m->extents.all.n;
}

static const gxp_evaluation *evaluation_of_cpu(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")
        && __builtin_cpu_supports("popcnt"))
        return &gxp_evaluation_avx2;
#endif
    return &gxp_evaluation_plain;
}

void gxp_matcher_plain(gxp_matcher *m)
{
    m->evaluation = &gxp_evaluation_plain;
    m->rows_from = m->filter_from = 0;
}

/* A matcher's memory for a set: some bits and words a formula, used again for each document. GX_ENOMEM: nothing
 * stays. */
gx_status gxp_matcher_create(const gxp_set *s, gxp_matcher **out, gx_error *err)
{
    gxp_matcher *m = calloc(1, sizeof *m);
    const u32 n = s->n_formulas, n_tests = GX_BUF_N(&s->tests, gxp_test);
    if (m) {
        m->set = m->classes.set = s;
        m->evaluation = evaluation_of_cpu();
        m->rows_from = 8;
        m->filter_from = 1;
        m->slot = malloc((n + n_tests + 1ull) * sizeof *m->slot);
        m->held = malloc((n + 1ull) * sizeof *m->held);
        m->holds = calloc(n / 64 + 1, sizeof *m->holds);
        m->queued = calloc(n / 64 + 1, sizeof *m->queued);
        m->later_head = malloc((s->n_ranks + 1ull) * sizeof *m->later_head);
        m->matched = calloc(s->n_profiles / 64 + 1, sizeof *m->matched);
        m->below_test = malloc((n_tests + 1ull) * GXP_N_AXES * sizeof *m->below_test);
        m->stack = malloc((s->code_depth + 2ull) * sizeof *m->stack);
    }
    if (!m || gxp_leaves_create(&m->leaves, s) || !m->slot || !m->held || !m->holds
        || !m->queued || !m->later_head || !m->matched || !m->stack || !m->below_test) {
        gxp_matcher_free(m);
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory for a matcher");
    }
    m->test_slot = m->slot + n;
    memset(m->slot, 0xff, (n + n_tests + 1ull) * sizeof *m->slot);
    memset(m->below_test, 0xff, (n_tests + 1ull) * GXP_N_AXES * sizeof *m->below_test);
    *out = m;
    return GX_OK;
}

u64 gxp_matcher_bytes(const gxp_matcher *m)
{
    const gxp_set *s = m->set;
    const gxp_extents *e = &m->extents;
    const gxp_classes *c = &m->classes;
    const gx_buf *const bufs[] = { &m->waiting, &m->ids, &m->codes, &m->own, &e->all, &e->words, &e->table, &e->bit,
                                   &e->list, &e->span, &e->row, &e->clean, &e->above, &e->under, &e->stack, &e->single,
                                   &c->classes, &c->items, &c->label, &c->head, &c->links, &c->table, &c->mark };
    u64 n = s->n_formulas * (2 * sizeof *m->slot + 1) + s->n_profiles / 8;
    for (u32 i = 0; i < sizeof bufs / sizeof *bufs; i++)
        n += bufs[i]->cap;
    n += gxp_leaves_bytes(&m->leaves);
    return n + (m->arena ? gx_arena_bytes(m->arena) : 0);
}

/* Frees all that the matcher has; not the set. NULL is nothing. */
void gxp_matcher_free(gxp_matcher *m)
{
    if (!m)
        return;
    gx_buf *const bufs[] = { &m->waiting, &m->ids, &m->codes, &m->below, &m->own };
    void *const all[] = { m->slot, m->held, m->holds, m->queued, m->later_head, m->matched, m->stack,
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
