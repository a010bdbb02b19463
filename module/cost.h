/*
 * cost.h -- where a request is evaluated: in its own thread, or by the worker
 *
 * For each program and size class (log2 of the document's nodes) two figures are learnt from what requests took:
 *
 *   thread_us   CPU time of an evaluation in the thread
 *   worker_us   submit to answer, without the time that the request waited for its turn; that is one figure for all programs,
 *               in proportion to how many were ahead
 *
 * The cheaper one is chosen by
 *
 *   cost(thread) = thread_us * max(1, threads that evaluate / cores)      a thread that has to share a core takes that much longer
 *   cost(worker) = worker_us + wait_us * requests ahead                   a thread that waits takes no core
 *
 * which is latency while the machine is idle and becomes CPU time as it fills. What was not measured yet is guessed: from the
 * size class below, else from the number of nodes. The dearer side is tried now and then, as long as what that costs stays below
 * EXPLORE_SHARE of what requests of the class cost, and never more than EXPLORE_US at once.
 *
 * Figures lie in memory that all children share: one cell is 64 bytes, written without locks; a lost update is a lost sample. A cell
 * belongs to whoever came first; programs beyond the table are guessed for. Memory of a child that was taken over can only choose badly.
 */
#ifndef GXM_COST_H
#define GXM_COST_H

#include "base.h"

#define GXM_COST_CELLS 1024u        /* power of 2 */
#define GXM_COST_CHILDREN 1024u

typedef struct gxm_cost_cell {
    u64 key;                        /* program's digest and size class; 0 = free */
    u32 size_class;
    u32 n_thread, n_worker;         /* samples */
    float thread_us, worker_us;
    float spent_us, tried_us;       /* cost of all requests; of that, for trying the dearer side */
    char name[24];                  /* of the stylesheet, for the status page */
} gxm_cost_cell;

typedef struct gxm_cost {           /* in memory that all children share; all 0 at first */
    u32 cores;
    int is_gpu;
    u32 busy, waiting;              /* threads that evaluate; that wait for the worker */
    float wait_us;                  /* of one request's turn */
    struct { u32 pid, busy, waiting; } child[GXM_COST_CHILDREN];    /* each one's part of the two: it may die with it */
    gxm_cost_cell cell[GXM_COST_CELLS];
} gxm_cost;

typedef struct gxm_choice {
    int worker;
    int is_trial;                   /* the dearer side, to see whether it still is */
    gxm_cost_cell *cell;            /* NULL: the table is full */
    float thread_us, worker_us;     /* predicted costs, load included */
    u32 size_class, ahead;
    float factor;                   /* of load in thread_us */
} gxm_choice;

typedef struct gxm_cost_facts {     /* of a request, known before it runs */
    u64 digest;                     /* of the program */
    const char *name;
    u32 n_nodes;
    u64 doc_bytes;                  /* to be moved to the worker; 0 = it keeps the document already */
    int is_recursive;               /* named templates call each other in a circle: waves of one frame (gx_features) */
} gxm_cost_facts;

/* child: what gxm_cost_child gave. */
void gxm_cost_choose(gxm_cost *cost, const gxm_cost_facts *facts, gxm_choice *out);
/* Around the evaluation: it is one of those that the others share the cores, or the worker, with. */
void gxm_cost_begin(gxm_cost *cost, u32 child, const gxm_choice *choice);
void gxm_cost_end(gxm_cost *cost, u32 child, const gxm_choice *choice);
/* What it took. thread_us, worker_us: the one that was used, 0 for the other; a worker that could not do it costs what the thread then took too.
 * wait_us: of worker_us, waiting for its turn. */
void gxm_cost_learn(gxm_cost *cost, const gxm_choice *choice, double thread_us, double worker_us, double wait_us);

/* A child's place, by its pid; and what to do when it is dead. */
u32 gxm_cost_child(gxm_cost *cost, u32 pid);
void gxm_cost_child_died(gxm_cost *cost, u32 pid);

/* "thread 11us < worker 900us", of at most size bytes; returns buf. */
char *gxm_cost_explain(const gxm_choice *choice, char *buf, u32 size);

#endif
