/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.h -- the limits of an evaluation: steps, time
 *
 * gx_spend counts instructions, and the rows of expressions. An operator that may look at many nodes, bytes or pairs
 * counts them in a gx_watch. Both end the evaluation with GX_ETIME, for all members alike.
 */
#ifndef GX_MACHINE_BUDGET_H
#define GX_MACHINE_BUDGET_H

#include "machine.h"
#include "memory.h"

/*
 * One operator can be long: a[preceding::x] over a million nodes is 10^12 looks. Whoever loops so says how much it
 * looked at (nodes, bytes, pairs) and leaves the loop when the time or the steps are used up; gx_watch_end, called by
 * all members behind the loop and before anything that it made is used, counts the work as steps and fails then. It is
 * a sync.
 */
#define GX_WORK_PER_STEP 64u            /* looks are cheaper than an instruction's instance */
#define GX_WORK_PER_LOOK (1u << 21)     /* at the clock: about a millisecond's */
#define GX_WORK_UNSEEN \
    1024u /* a member's, before the others hear of it: a sum of all members' takes longer than a vote */
#define GX_WATCH_LATE ((u64)1 << 48)    /* more than any work; the sum of 65,535 members fits */
#define GX_WATCH_BYTES(n) ((n) / 8)     /* of strings that are run through once */

typedef struct gx_watch { u64 work, due; u32 late; } gx_watch;

/* Microseconds of the clock that deadline_us is of: CLOCK_MONOTONIC on a CPU, the device's own on a GPU */
GX_OP u64 gx_clock_us(const gx_m *m)
{
#ifdef __CUDA_ARCH__
    u64 ns;
    (void)m;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns / 1000;
#else
    const gx_host *host = m->run->host;
    return host ? host->now_us(host->ctx) : 0;
#endif
}

GX_OP gx_watch gx_watch_start(void) { gx_watch w; w.work = 0; w.due = GX_WORK_PER_LOOK; w.late = 0; return w; }
GX_OP_BIG int gx_watch_look(const gx_m *m, gx_watch *w)
{
    const gx_run *r = m->run;

    w->late = w->late || (r->deadline_us && gx_clock_us(m) > r->deadline_us);
    if (w->late || (r->step_limit && m->steps + w->work / GX_WORK_PER_STEP > r->step_limit)) {
        w->due = 0;
        return 1;
    }
    w->due = w->work + GX_WORK_PER_LOOK;
    return 0;
}
GX_OP int gx_watch_late(const gx_m *m, gx_watch *w, u64 more)
{
    w->work += more;
    return w->work >= w->due && gx_watch_look(m, w);
}
/* gx_watch_end, and *any: does a member say yes? Returns *little 1 where no member had work worth speaking of. */
GX_OP_BIG gx_status gx_watch_asks(gx_m *m, const gx_watch *w, int yes, int *any, int *little)
{
    u64 all = w->work;

    *any = yes;
    *little = 0;
    if (!TEAM_IS_SOLO) {
        all += m->unseen;
        *little = !team_any(&m->t, yes || w->late || all >= GX_WORK_UNSEEN);
        if (*little) {
            m->unseen = (u32)all;
            return GX_OK;
        }
        m->unseen = 0;
        *any = team_any(&m->t, yes);
    }
    if (!m->run->step_limit && !m->run->deadline_us)
        return GX_OK;
    all = team_sum(&m->t, w->late ? GX_WATCH_LATE : all);
    if (all >= GX_WATCH_LATE)
        return gx_raise(m, GX_ETIME, GX_RE_DEADLINE, gx_str_none());
    m->steps += all / GX_WORK_PER_STEP;
    if (m->run->step_limit && m->steps > m->run->step_limit)
        return gx_raise(m, GX_ETIME, GX_RE_STEPS, gx_str_none());
    return GX_OK;
}
GX_OP_BIG gx_status gx_watch_tell(gx_m *m, const gx_watch *w)
{
    int any, little;
    return gx_watch_asks(m, w, 0, &any, &little);
}
GX_OP gx_status gx_watch_end(gx_m *m, const gx_watch *w)
{
    if (TEAM_IS_SOLO && !w->late && w->work < GX_WORK_PER_STEP)        /* no step: in small documents nearly always */
        return GX_OK;
    return gx_watch_tell(m, w);
}

/* Between pieces of work that are watched, or too small to be; by all members. */
GX_OP_BIG gx_status gx_check_budget(gx_m *m)
{
    if (m->run->step_limit && m->steps > m->run->step_limit)
        return gx_raise(m, GX_ETIME, GX_RE_STEPS, gx_str_none());
    if (m->run->deadline_us) {
        int late = 0;
        if (team_rank(&m->t) == 0)
            late = gx_clock_us(m) > m->run->deadline_us;
        if (team_any(&m->t, late))
            return gx_raise(m, GX_ETIME, GX_RE_DEADLINE, gx_str_none());
    }
    return GX_OK;
}

/* After so much that all members have done together: is the budget to be looked at again? */
#define GX_CHECK_EVERY \
    (1u << 16) /* instances of instructions; or 256 instructions, since a crowded team may take long for each */
#define GX_ROWS_PER_INSTANCE 16u        /* an operator of an expression is less for a row */
GX_OP gx_status gx_spend(gx_m *m, u32 instances)
{
    m->since += instances < GX_CHECK_EVERY ? instances : GX_CHECK_EVERY;
    if (m->since < GX_CHECK_EVERY)
        return GX_OK;
    m->since = 0;
    return gx_check_budget(m);
}

#endif
