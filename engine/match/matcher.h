/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matcher.h -- what a thread's matcher has, for the files that evaluate a document: run.c (all of it), ranks.h, codes.h
 */
#ifndef GXP_MATCHER_H
#define GXP_MATCHER_H

#include "leaf.h"

struct gxp_matcher {
    const gxp_set *set;
    const struct gxp_evaluation *evaluation;
    gxp_classes classes;
    gxp_extents extents;
    u32 rows_from;                  /* so many formulas for each class make rows of ancestors worth their while */
    u32 filter_from, filters;       /* so many codes for each class, what is below a test; are there so many? */
    u32 top, root;                  /* bits of classes */
    gxp_leaves leaves;
    u32 *slot;                      /* of each formula that holds: its extent; GX_NONE. Behind these test_slot */
    u64 *holds;                     /* a bit for each formula */
    u64 *queued;                    /* the same, of those that are later */
    u32 *test_slot;                 /* of each test: its extent, GX_NONE: nothing passes it */
    u32 *held, n_held;              /* formulas that hold, by rank */
    gx_buf codes;                   /* subscribers whose codes are to be run */
    struct gxp_loose *stack;        /* what they have so far */
    gx_buf own;                     /* twice w words for each place of the stack */
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

static inline void gxp_fail(gxp_matcher *m, gx_status status, const char *limit)
{
    if (m->failed == GX_OK) {
        m->failed = status;
        m->limit = limit;
    }
}

static inline void gxp_push(gxp_matcher *m, gx_buf *b, u32 x)
{
    u32 *to = gx_buf_push(b, sizeof *to);
    if (to)
        *to = x;
    else
        gxp_fail(m, GX_ENOMEM, NULL);
}

static inline int gxp_has_bit(const u64 *v, u32 i) { return (int)(v[i / 64] >> i % 64 & 1); }

/* One more formula is looked at: is it over? */
static inline int gxp_is_over(gxp_matcher *m)
{
    m->looked += m->extents.piece;
    const u64 work = m->work + m->extents.work + m->looked;
    if (work >= m->next_look || m->extents.failed != GX_OK) {
        const gx_status status = gxp_look(work, m->most_work, m->deadline_us, &m->next_look);
        if (m->extents.failed != GX_OK)
            gxp_fail(m, m->extents.failed, "arena");
        else if (status != GX_OK)
            gxp_fail(m, status, "steps");
        if (m->most_work && m->next_look > m->most_work)
            m->next_look = m->most_work + 1;
    }
    return m->failed != GX_OK;
}

/* How a document is evaluated, of two builds of evaluate.h */
typedef struct gxp_evaluation {
    /* What matches, by the formulas; m->failed otherwise */
    void (*all)(gxp_matcher *m);
    /* Of each operation of a code up to GXP_CODE_END: whether it leaves anything */
    void (*code_holds)(gxp_matcher *m, const u32 *code, u8 *yes);
} gxp_evaluation;
extern const gxp_evaluation gxp_evaluation_plain;
#ifdef __x86_64__
extern const gxp_evaluation gxp_evaluation_avx2;
#endif

#endif
