/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.h -- which instruction and which operator the time goes to, when somebody asks (gx_profile)
 *
 * Only run_profile.c compiles the machine with GX_PROFILE; elsewhere these hooks are nothing. Time is a sum of pieces:
 * at each hook what has passed since the last one is added to the instruction and the operator that were at work, so
 * an operator's time is its own, without that of what it has evaluated (a key's values, a pattern's predicate).
 */
#ifndef GX_MACHINE_PROFILE_H
#define GX_MACHINE_PROFILE_H

#include "machine.h"

#ifdef GX_PROFILE

#include "clock.h"
#include "gx.h"

static __thread gx_profile *gx_profiled;

/* Whatever counts steadily and is read in some nanoseconds; gx_profile.ticks and .us say how long one is. */
static inline u64 gx_profile_clock(void)
{
#if defined __x86_64__
    return __builtin_ia32_rdtsc();
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
#endif
}

/* What follows is this line's; instr, op: NULL = none's. */
static inline void gx_profile_to(gx_profile_line *instr, gx_profile_line *op)
{
    gx_profile *p = gx_profiled;
    const u64 now = gx_profile_clock();
    if (p->instr)
        p->instr->ticks += now - p->since;
    if (p->op)
        p->op->ticks += now - p->since;
    p->since = now;
    p->instr = instr;
    p->op = op;
}

static inline void gx_profile_instr(u32 pc, u32 rows)
{
    gx_profile_line *line = &gx_profiled->instrs[pc];
    gx_profile_to(line, NULL);
    line->times++;
    line->rows += rows;
}

/* What has to wait for a variable's value, or a function's, is run again: one time of the two counts. */
static inline void gx_profile_done(const gx_m *m, gx_status status, gx_profile_line *instr, gx_profile_line *op)
{
    if (status == GX_NEED) {
        gx_profiled->instr->times--;
        gx_profiled->instr->rows -= m->g->n;
        if (m->need_kind == GX_NEED_KEY || m->need_kind == GX_NEED_GLOBAL) {
            gx_profiled->again = gx_profiled->op;
            gx_profiled->again_first = gx_profiled->first;
        }
    }
    gx_profile_to(instr, op);
}

/* first: of its expression's operators */
static inline void gx_profile_op(u32 index, u32 first, u32 rows)
{
    gx_profile *p = gx_profiled;
    gx_profile_line *line = &p->ops[index];
    gx_profile_to(p->instr, line);
    p->first = first;
    if (p->again && first == p->again_first && line <= p->again) {
        if (line == p->again)
            p->again = NULL;
        return;
    }
    line->times++;
    line->rows += rows;
}

/* Of a tree pattern: by which strategy it was found last */
static inline void gx_profile_strategy(u32 strategy)
{
    if (gx_profiled->op)
        gx_profiled->op->strategy = strategy;
}

/* Of the running instruction: how its nodes' template rules were found */
static inline void gx_profile_rules(u32 strategy)
{
    if (gx_profiled->instr)
        gx_profiled->instr->strategy = strategy;
}

/* Of a choice or a join: which way it goes, and the count that decided, against the limit of the first way */
static inline void gx_profile_way(u32 way, u64 units, u64 limit)
{
    if (gx_profiled->op) {
        gx_profiled->op->ways |= way;
        gx_profiled->op->units = units;
        gx_profiled->op->limit = limit;
    }
}

static inline void gx_profile_estimates(const u64 *ps)
{
    if (gx_profiled->op)
        memcpy(gx_profiled->op->estimated_ps, ps, sizeof gx_profiled->op->estimated_ps);
}

/* A function of the stylesheet runs instructions within an operator: both go on behind it. */
#define GX_PROFILE_INSTR(m, pc) \
    gx_profile_line *const profile_instr = gx_profiled->instr, *const profile_op = gx_profiled->op; \
    gx_profile_instr(pc, (m)->g->n)
#define GX_PROFILE_DONE(m, status) gx_profile_done(m, status, profile_instr, profile_op)
#define GX_PROFILE_EVAL() gx_profile_line *const profile_outer = gx_profiled->op
#define GX_PROFILE_OP(index, first, rows) gx_profile_op(index, first, rows)
#define GX_PROFILE_STRATEGY(strategy) gx_profile_strategy(strategy)
#define GX_PROFILE_RULES(strategy) gx_profile_rules(strategy)
#define GX_PROFILE_ESTIMATES(ps) gx_profile_estimates(ps)
#define GX_PROFILE_WAY(way, units, limit) gx_profile_way(way, units, limit)
#define GX_PROFILE_EVAL_DONE() gx_profile_to(gx_profiled->instr, profile_outer)

#else

#define GX_PROFILE_INSTR(m, pc) ((void)0)
#define GX_PROFILE_DONE(m, status) ((void)0)
#define GX_PROFILE_EVAL() ((void)0)
#define GX_PROFILE_OP(index, first, rows) ((void)0)
#define GX_PROFILE_STRATEGY(strategy) ((void)0)
#define GX_PROFILE_RULES(strategy) ((void)0)
#define GX_PROFILE_ESTIMATES(ps) ((void)0)
#define GX_PROFILE_WAY(way, units, limit) ((void)0)
#define GX_PROFILE_EVAL_DONE() ((void)0)

#endif
#endif
