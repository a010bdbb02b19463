/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h -- inside the queue: one process's view of the shared memory, and the runs of units given out of it
 */
#ifndef GX_QUEUE_MEMORY_H
#define GX_QUEUE_MEMORY_H

#include "queue.h"

struct gx_slot {                /* private to the process, and to the thread that holds the slot */
    gx_queue *q;
    u32 index;
    u64 is_held;                /* atomic. A sibling that was taken over can write into shared memory that the slot is
                                   free, but not here */
    u32 spin_us;                /* how long waiting by looking is worth it: adapts */
    u64 seq;
    gx_q_run doc, params;
    gx_queue_request asked;     /* as submitted: a document that was thought kept may have to be sent after all */
    int has_sent;               /* .. with its bytes */
    void *image;                /* private copy of the result; kept for the slot's next request */
    u64 image_cap;
};

/* Everything here is private: what lies in shared memory says nothing about where things are. */
struct gx_queue {
    char *base;
    u64 size;
    gx_q_header *header;
    gx_q_slot *slots;
    u64 *pending;               /* bit i: slot i waits for the worker */
    u64 *owners;                /* one word a unit, 0 = free */
    gx_q_program *programs;
    u64 data;                   /* offset of the units */
    u32 n_slots, n_units, n_programs;
    char engine[64];            /* the worker's: what it runs on, and whether it hands back, as the header is to have it
                                   */
    u32 hands_back;
    int fd;
    int lifeline[2];            /* pipe: read end for the worker, write end held by the parent and its children; -1 */
    int many_cores;             /* spinning for what another core is doing makes sense */
    u64 looked_us;              /* atomic: when some thread last looked whether the worker's process is there */
    u32 self_pid;               /* who we are; renewed after a fork */
    u64 self_start;
    gx_slot *held;              /* [n_slots] */
    u64 *taken;                 /* [n_slots], the worker's: times taken << 48 | sequence number of what its threads
                                   evaluate, + 1; 0 = nothing */
    u32 *taking;                /* [n_slots], threads that are about to write taken */
    struct gx_seen { u64 word, since_us; } *seen;   /* sweeper: slots, then programs, whose owner had not signed yet */
};

#define gx_load(p) __atomic_load_n(p, __ATOMIC_SEQ_CST)
#define gx_store(p, v) __atomic_store_n(p, v, __ATOMIC_SEQ_CST)
#define gx_add(p, v) __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST)
#define gx_count(p) ((void)__atomic_fetch_add(p, 1, __ATOMIC_RELAXED))
#define gx_swap(p, from, to) __sync_bool_compare_and_swap(p, from, to)

#define GX_TAKEN_SEQ(taken) ((taken) & 0xffffffffffffull)

#define GX_OWNER_SLOT(index, seq) ((u64)(seq) << 16 | ((u64)(index) + 1))
#define GX_OWNER_PROGRAM(index, generation) ((u64)(generation) << 32 | (u64)(index) << 16 | 0xffffu)

/* size bytes for owner, looking from unit `home` on; 0 = none free. The bytes are whatever the last owner left. */
int gx_run_alloc(gx_queue *q, u64 owner, u64 size, u32 home, gx_q_run *out);
/* Frees the run's units that still belong to owner; a run from shared memory may be nonsense. */
void gx_run_free(gx_queue *q, gx_q_run run, u64 owner);
int gx_run_valid(const gx_queue *q, gx_q_run run);
u32 gx_run_home(const gx_queue *q, u32 slot);   /* where a slot's runs are looked for first: apart from other slots',
                                                   always the same */

/* queue.c: states of a document that may be kept
 *
 *   NEW --(answer: worth keeping)--> WORTH --(a thread)--> NAMING --> NAMED <--(answer: absent | kept)--> THERE
 *
 * With all but THERE the document is sent. Whatever answers say moves it along this way only, and its name is the
 * digest of this process's own block. */
enum { GX_KEPT_NEW = 0, GX_KEPT_WORTH, GX_KEPT_NAMING, GX_KEPT_NAMED, GX_KEPT_THERE };

/* slot.c: slots, whoever moves them on */
u32 *gx_slot_futex(gx_q_slot *s);                       /* the half of its word that a futex can watch: the state, 16
                                                           bits of the sequence number */
void gx_slot_wake(gx_q_slot *s);                        /* its owner, if that sleeps */
void gx_slot_pending(gx_queue *q, u32 index);           /* let the worker find it; then ring */
void gx_queue_ring(gx_queue *q);
/* Frees all that the slot says it has, then the slot. word: what it is now: HELD, DONE or ORPHAN. 0: it had changed. */
int gx_slot_free(gx_queue *q, u32 index, u64 word);

/* The lower half of a word, where its state is: what a futex can watch. */
static inline u32 *gx_word_futex(u64 *word) { return (u32 *)word + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__); }

static inline void gx_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* process.c */
void gx_self(gx_queue *q, u32 *pid, u64 *start);        /* this process */
int gx_process_alive(u32 pid, u64 start);
int gx_futex_wait(u32 *at, u32 expected, u64 until_us);  /* CLOCK_MONOTONIC. 0: woken, or the value had changed; 1: time
                                                            is over */
void gx_futex_wake(u32 *at, int n);

/* allowance.c: bytes that this machine, or this container, still has: a limit of its control group would end us by a
 * signal, not by an error */
u64 gx_memory_left(void);
/* What control groups allow, ~0: as much as there is. root: "", of the tests a folder with proc and sys/fs/cgroup in
 * it. */
u64 gx_group_cores(const char *root);
u64 gx_group_memory(const char *root);

/* life.c. Has the worker's heart beaten within stale_us before now_us? That is from before the look: who stands still
 * between the two takes nobody for dead. */
int gx_queue_beats(gx_queue *q, u64 stale_us, u64 now_us);
/* Is there no worker, as its parent has said or as a look at the process shows? The parent may see its end a second
 * later: httpd looks after its children so often. A process looks every 10 ms at most; who finds that it has ended
 * tells all who wait. */
int gx_queue_gone(gx_queue *q, u64 now_us);

/* sweep.c. No worker evaluates this slot any more: it goes back in line, or is answered if it had its chances or its
 * worker wants no second one. */
void gx_slot_recover(gx_queue *q, u32 index);
#define GX_UNSIGNED_US 10000000u /* held for so long without its owner's name: that died between two instructions */
/* How long this word has stood there, as far as the sweeps that asked have seen. */
u64 gx_seen_for(struct gx_seen *seen, u64 word, u64 now_us);

/* program.c. No arena of the worker's is large enough for this published program and a document of this size: the
 * request is not worth handing over. */
int gx_program_is_too_large(gx_queue *q, gx_queue_program *p, u64 doc_size);
/* For the sweep */
void gx_programs_sweep(gx_queue *q, u32 dead_pid, u64 now_us);
int gx_program_owns(const gx_queue *q, u64 owner);      /* the owner word names a program that is there */

#endif
