/* run_threads.c -- the machine for a team of N pthreads */
#define GX_TEAM_THREADS
#include <pthread.h>
#include "run.h"
#include "start.h"
#include "run_team.h"

enum { WAIT, GO, QUIT };
typedef struct member { const gx_start *start; gx_team team; gx_status status; pthread_t thread; _Atomic int *gate; } member;

static void *work(void *arg)
{
    member *me = arg;
    gx_m m;
    int gate;

    while ((gate = atomic_load_explicit(me->gate, memory_order_acquire)) == WAIT)
        sched_yield();
    if (gate == QUIT)
        return NULL;
    gx_m_start(&m, me->start->base, me->start->top, me->start->top_end, me->start->tmp, me->start->tmp_end,
        me->start->n_docs);
    m.t = me->team;
    me->status = gx_machine(&m);
    return NULL;
}

gx_status gx_threads_run(const gx_start *start, u32 members)
{
    gx_team_shared shared;
    member all[TEAM_MAX_MEMBERS];
    u32 started = 1;
    _Atomic int gate = WAIT;

    if (members > TEAM_MAX_MEMBERS)
        members = TEAM_MAX_MEMBERS;
    memset(&shared, 0, sizeof shared);
    for (u32 i = 0; i < members; i++) {
        all[i].start = start;
        all[i].team.shared = &shared;
        all[i].team.rank = i;
        all[i].team.size = members;
        all[i].team.turn = 0;
        all[i].team.spin = TEAM_SPIN_LEAST;
        all[i].gate = &gate;
    }
    for (; started < members; started++)
        if (pthread_create(&all[started].thread, NULL, work, &all[started]))
            break;
    /* members wait for each other at every sync: all of them, or none */
    atomic_store_explicit(&gate, started < members ? QUIT : GO, memory_order_release);
    if (started == members)
        work(&all[0]);
    for (u32 i = 1; i < started; i++)
        pthread_join(all[i].thread, NULL);
    return started == members ? all[0].status : GX_ENOMEM;
}
