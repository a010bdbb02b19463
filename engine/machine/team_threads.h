/* SPDX-License-Identifier: Apache-2.0 */
/*
 * team_threads.h -- starts the pthreads of a team (team.h), for those that run something by one
 */
#ifndef GX_TEAM_THREADS_H
#define GX_TEAM_THREADS_H

#include <pthread.h>
#include <string.h>
#include "team.h"

/* What a member does: the same for all, whose ctx is one */
typedef gx_status (*gx_team_work)(const gx_team *t, void *ctx);

enum { TEAM_WAIT, TEAM_GO, TEAM_QUIT };
typedef struct gx_team_thread {
    gx_team team;
    gx_team_work work;
    void *ctx;
    _Atomic u32 *gate, *sleeping;
    pthread_t id;
} gx_team_thread;

static void *gx_team_thread_run(void *arg)
{
    gx_team_thread *me = arg;
    team_wait(me->gate, TEAM_WAIT, me->sleeping, &me->team.spin);
    if (atomic_load_explicit(me->gate, memory_order_acquire) == TEAM_GO)
        me->work(&me->team, me->ctx);
    return NULL;
}

/* Each of n members, TEAM_MAX_MEMBERS at most, does its work by a thread of its own; the first by the caller, and what
 * it says is returned. GX_ENOMEM: there are not so many threads to be had, and nothing was done: members wait for each
 * other at every sync. */
static gx_status gx_team_threads(u32 n, gx_team_work work, void *ctx)
{
    gx_team_shared shared;
    gx_team_thread thread[TEAM_MAX_MEMBERS];
    _Atomic u32 gate = TEAM_WAIT, sleeping = 0;
    gx_status status = GX_ENOMEM;
    u32 started = 1;
    n = n > TEAM_MAX_MEMBERS ? TEAM_MAX_MEMBERS : n;
    memset(&shared, 0, sizeof shared);
    for (u32 i = 0; i < n; i++)
        thread[i] = (gx_team_thread){ { &shared, i, n, 0, TEAM_SPIN_LEAST }, work, ctx, &gate, &sleeping, 0 };
    while (started < n && pthread_create(&thread[started].id, NULL, gx_team_thread_run, &thread[started]) == 0)
        started++;
    team_wake(&gate, started == n ? TEAM_GO : TEAM_QUIT, &sleeping);
    if (started == n)
        status = work(&thread[0].team, ctx);
    for (u32 i = 1; i < started; i++)
        pthread_join(thread[i].id, NULL);
    return status;
}

#endif
