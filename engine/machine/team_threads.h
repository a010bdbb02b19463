/* SPDX-License-Identifier: Apache-2.0 */
/*
 * team_threads.h -- starts the pthreads of a team (team.h), for those that run something by one
 */
#ifndef GX_TEAM_THREADS_H
#define GX_TEAM_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include "team.h"

enum { TEAM_WAIT, TEAM_GO, TEAM_QUIT };
typedef struct gx_team_thread {
    void *member;
    void (*work)(void *member);
    _Atomic int *gate;
    pthread_t id;
} gx_team_thread;

static void *gx_team_thread_run(void *arg)
{
    const gx_team_thread *me = arg;
    int gate;
    while ((gate = atomic_load_explicit(me->gate, memory_order_acquire)) == TEAM_WAIT)
        sched_yield();
    if (gate == TEAM_GO)
        me->work(me->member);
    return NULL;
}

/* work(member) for each of n members, TEAM_MAX_MEMBERS at most, by a thread of its own; the first by the caller. all:
 * the members, of `size` bytes each, which begin with their gx_team: it is set here. 0: there are not so many threads
 * to be had, and nothing was done: members wait for each other at every sync. */
static int gx_team_threads(void *all, size_t size, u32 n, void (*work)(void *member))
{
    gx_team_shared shared;
    gx_team_thread thread[TEAM_MAX_MEMBERS];
    _Atomic int gate = TEAM_WAIT;
    u32 started = 1;
    memset(&shared, 0, sizeof shared);
    for (u32 i = 0; i < n; i++) {
        void *member = (char *)all + i * size;
        *(gx_team *)member = (gx_team){ &shared, i, n, 0, TEAM_SPIN_LEAST };
        thread[i] = (gx_team_thread){ member, work, &gate, 0 };
    }
    while (started < n && pthread_create(&thread[started].id, NULL, gx_team_thread_run, &thread[started]) == 0)
        started++;
    atomic_store_explicit(&gate, started == n ? TEAM_GO : TEAM_QUIT, memory_order_release);
    if (started == n)
        work(all);
    for (u32 i = 1; i < started; i++)
        pthread_join(thread[i].id, NULL);
    return started == n;
}

#endif
