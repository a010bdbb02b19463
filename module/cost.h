/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cost.h -- where a request is evaluated: in its own thread, or by the worker
 *
 * For each program and size class (log2 of the document's nodes) is learnt from what requests took:
 *
 *   thread_us       CPU time of an evaluation in the thread
 *   worker_us       submit to answer, less the thread's CPU time
 *   worker_cpu_us   CPU time of the worker's way: the thread's part, and what the worker says it took
 *
 * and for the machine
 *
 *   load            what a microsecond on a core costs: 1 while cores are idle, else (time on a core + time in line for
 *                   one) / time on a core,
 *                   as the kernel counts it for httpd's threads; at least threads that evaluate / cores
 *
 * The cheaper side is chosen by
 *
 *   cost(thread) = thread_us * load
 *   cost(worker) = worker_us / company(load) + worker_cpu_us * load
 *
 * which is latency while the machine is idle and becomes CPU time as it fills. The CPU time has to be priced: a thread
 * that has a core finishes soonest if it evaluates there and then, even while all others stand in line behind it; who
 * hands the core on goes back to the end of that line. By latency alone everybody would choose the thread, and a full
 * machine would leave its GPU idle. For the same reason worker_us is divided by a high load: while it was measured, the
 * worker's threads and this one stood in line for cores too, some times and each as long as the load says, and it is
 * when the GPU is not used that they wait longest. By more than the load itself, since what a load of 15 leaves of the
 * device's time does not matter beside that. And what a batch takes, whoever is in it, is divided alike: a lone trial
 * bears all of it, which many would share. So a full machine takes the worker for better than it is, uses it, and
 * becomes less full. (Without that 256 clients of a 50 KB feed stayed with the thread, at 0.8 of what the GPU serves.)
 *
 * That is a circle: where the device is slow beside the cores (a smaller GPU, faster cores) everybody went over, the
 * cores stood idle while 250 requests waited for the device, all came back: 0.55 of the better fixed choice. So what is
 * divided is not what is remembered, and on a full machine a die decides between sides that cost nearly the same: some
 * stay, and the load finds where both cost the same.
 *
 * What each request finds cheaper is not what serves most. Requests choose like drivers between two roads: who takes
 * the core is charged what it costs him, not what others then wait; and what nobody tells (cold caches, the kernel's
 * switching) is in no price. So on a full machine what counts is counted. Where most requests are of one cell, all of
 * them go one way for a moment, before and after which each goes as its prices say; the way that serves more requests a
 * second is kept, and looked at again after HOLD_US, twice that, and so on, or when something changes. Tried is the way
 * that most take anyway; the other one later, if both cost nearly the same. (On a simulated machine with 100 kinds of
 * load and cores the worst was 0.83 of the better fixed choice, and is 0.97 in the long run.)
 *
 * What was not measured yet is guessed: from the size class below, else from the number of nodes. The dearer side is
 * tried now and then, as long as what that costs stays below EXPLORE_SHARE of what requests of the class cost; what one
 * trial costs beyond EXPLORE_US counts several times.
 *
 * Figures lie in memory that all children share: one cell is 64 bytes, written without locks; a lost update is a lost
 * sample. On a machine with many cores it is not the sums that cost but the lines that all of them write, and the
 * kernel's locks in telling a thread's time: of a busy child's requests one every GXM_COUNT_US is counted and measured,
 * for all that only looked since (gxm_cost_is_time). It is the child that counts and not the thread: httpd's threads
 * take turns, hundreds of them, so that each comes seldom. A cell belongs to whoever came first, until nobody asked for
 * it in GXM_COST_IDLE counted requests: each edited stylesheet is a new program, and a server runs for months. Programs
 * beyond the table are guessed for. Memory of a child that was taken over can only choose badly.
 */
#ifndef GXM_COST_H
#define GXM_COST_H

#include "base.h"

#define GXM_COST_CELLS 1024u        /* power of 2 */
#define GXM_COST_IDLE 16384u
#define GXM_CHILDREN 1024u          /* of httpd */
#define GXM_COUNT_US 5000u          /* between a child's requests that are counted */
#define GXM_TELL_US 500u            /* between those whose threads tell what they did */
#define GXM_TELL_AGAIN_US 10000u    /* the same thread */

typedef struct gxm_cost_cell {
    u64 key;                        /* program's digest and size class; 0 = free */
    u32 size_class;
    u32 n_thread, n_worker;         /* samples */
    float thread_us, worker_us, worker_cpu_us;
    float spent_us, tried_us;       /* cost of all requests; of that, for trying the dearer side */
    u32 used;                       /* n_counted, when it was last asked for */
    char name[20];                  /* of the stylesheet, for the status page */
} gxm_cost_cell;

typedef struct gxm_cost_child_place {   /* a cache line each: only its own threads write it */
    u32 busy;
} __attribute__((aligned(64))) gxm_cost_child_place;

enum { GXM_EACH, GXM_ALL_WORKER, GXM_ALL_THREAD };

typedef struct gxm_cost_ways {      /* written by requests that are counted, read by all */
    u32 cell;                       /* 1 + that of most requests; 0 = none */
    u32 way;                        /* how its requests go now */
    u32 kept, tried;                /* the way that was found to serve most; the one it is, or was, compared with */
    u32 stage;
    u32 all, own, worker;           /* requests in this stage: all, the cell's, of these the worker's */
    u64 began_us;                   /* the stage; whoever exchanges it ends the stage */
    float each, one_way;            /* requests a second, measured */
    float rate, held_us, hold_us;   /* what the way that is kept serves; for how long it was, and is to be, kept */
} __attribute__((aligned(64))) gxm_cost_ways;

typedef struct gxm_cost {           /* in memory that all children share; all 0 at first */
    u32 cores;
    int is_gpu;
    float ran_us, stood_us;         /* lately: all threads on a core, and in line for one */
    u64 told_us;                    /* when these two were last brought up to date */
    u32 busy;                       /* threads that evaluate, of all children, when a request was last counted */
    u32 n_children;                 /* no place from here on was ever taken */
    u32 n_counted;                  /* requests, for what is used */
    gxm_cost_ways ways;
    gxm_cost_child_place child[GXM_CHILDREN];
    gxm_cost_cell __attribute__((aligned(64))) cell[GXM_COST_CELLS];
} gxm_cost;

typedef struct gxm_choice {
    int worker;
    int is_trial;                   /* the dearer side, to see whether it still is */
    int is_one_way;                 /* as all of its cell go now, whatever is cheaper */
    int is_measured;                /* to be learnt from: it is counted, or few of its kind were, or the worker's */
    gxm_cost_cell *cell;            /* NULL: the table is full */
    float thread_us, worker_us;     /* predicted costs, load included */
    u32 size_class;
    float load;
} gxm_choice;

typedef struct gxm_cost_facts {     /* of a request, known before it runs */
    u64 digest;                     /* of the program */
    const char *name;
    u32 n_nodes;
    u64 doc_bytes;                  /* to be moved to the worker; 0 = it keeps the document already */
    int is_recursive;               /* named templates call each other in a circle: waves of one frame (gx_features) */
    int only_look;                  /* nothing is written: not a trial, and not counted */
    u32 others;                     /* requests that only looked since one was counted: this one stands for them too */
} gxm_cost_facts;

typedef struct gxm_cost_count {     /* of a child; all 0 at first */
    u64 at_us;
    u32 others;
} __attribute__((aligned(64))) gxm_cost_count;

/* 1: it is time (every_us since the last one), and the request stands for *others too (NULL: nobody asks). now_us:
 * CLOCK_MONOTONIC. */
int gxm_cost_is_time(gxm_cost_count *count, u32 every_us, u64 now_us, u32 *others);

void gxm_cost_choose(gxm_cost *cost, const gxm_cost_facts *facts, gxm_choice *out);
/* Around the evaluation: it is one of those that the others share the cores with. child: its place. */
void gxm_cost_begin(gxm_cost *cost, u32 child, const gxm_choice *choice);
void gxm_cost_end(gxm_cost *cost, u32 child, const gxm_choice *choice);
/* What it took: CPU time of this thread, time, CPU time of the worker for it and its share of what a batch takes. A
 * worker that could not do it costs what the thread then took, too. */
void gxm_cost_learn(gxm_cost *cost, const gxm_choice *choice, double cpu_us, double took_us, double worker_cpu_us,
                    double batch_us);
/* What a thread did since it last told: so long on a core, so long in line for one. now_us: CLOCK_MONOTONIC. */
void gxm_cost_tell(gxm_cost *cost, u64 now_us, double ran_us, double stood_us);
/* At least 1. */
float gxm_cost_load(gxm_cost *cost);

/* What is known of it now, for the status page: other threads write it meanwhile. */
gxm_cost_cell gxm_cost_look(const gxm_cost_cell *c);

/* A child has this place; and what to do when it is dead. */
void gxm_cost_child(gxm_cost *cost, u32 child);
void gxm_cost_child_died(gxm_cost *cost, u32 child);

/* "thread 11us < worker 900us", of at most size bytes; returns buf. */
char *gxm_cost_explain(const gxm_choice *choice, char *buf, u32 size);
/* What was found of requests that all go one way, likewise; "" if nothing was compared. */
char *gxm_cost_explain_ways(const gxm_cost *cost, char *buf, u32 size);

#endif
