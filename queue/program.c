/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.c -- compiled stylesheets in shared memory, published once by whoever needs one first
 *
 * A table of entries, probed from the digest on. An entry's word is generation << 32 | tag << 8 | state, tag being 24
 * bits of the digest:
 *
 *     EMPTY --(generation + 1)--> WRITING --> READY --(generation + 1)--> WRITING (evicted by another program)
 *
 * Nobody counts users: the worker copies a program before it uses it and keeps the copy, then looks whether the
 * generation is still the one that was asked for, and whether the copy's digest is. What was evicted in between is
 * simply published again.
 *
 * The digest is SHA-256: nobody makes two programs with the same one, whether he writes stylesheets or has taken a
 * child over. So the worker knows its copy by it, and an entry only says where to copy from.
 */
#include <stdlib.h>
#include <string.h>
#include "gx.h"
#include "memory.h"

enum { EMPTY = 0, WRITING, READY };
#define PROBE 32u                       /* entries looked at for one program */
#define PUBLISH_US 50000u               /* how long one waits for another that is publishing */
#define IDLE_US 1000000u /* asked for within this time: not evicted, else two sets of programs would chase each other \
                          */

#define WORD(generation, tag, state) ((u64)(generation) << 32 | (u64)(tag) << 8 | (state))
#define STATE(word) ((u32)(word) & 0xffu)
#define TAG(word) ((u32)((word) >> 8) & 0xffffffu)
#define GENERATION(word) ((u32)((word) >> 32))

void gx_queue_program_init(gx_queue_program *program, const void *block, u64 size)
{
    program->block = block;
    program->size = size;
    program->entry = ~0ull;
    program->digest = gx_sha256_of(block, size);
    program->n_not_there = 0;
}

/* ---- publishing ---- */

static int same(gx_queue *q, const gx_q_program *e, const gx_queue_program *p)
{
    gx_q_run run = e->block;
    return gx_sha256_is_same(&e->digest, &p->digest) && run.size == p->size && gx_run_valid(q, run)
        && memcmp(q->base + run.off, p->block, p->size) == 0;
}

static void touch(gx_q_program *e)
{
    u64 now = gx_now_us();
    if (now - __atomic_load_n(&e->used_us, __ATOMIC_RELAXED) > 100000)     /* seldom: the line is shared by all */
        __atomic_store_n(&e->used_us, now, __ATOMIC_RELAXED);
}

/* Takes a READY or EMPTY entry for writing and frees what it held. */
static int seize(gx_queue *q, u32 index, u64 word, u32 tag)
{
    gx_q_program *e = &q->programs[index];
    if (!gx_swap(&e->word, word, WORD(GENERATION(word) + 1, tag, WRITING)))
        return 0;
    u32 pid;
    u64 start;
    gx_self(q, &pid, &start);
    e->writer_pid = pid;
    e->writer_start = start;
    gx_store(&e->writer_generation, GENERATION(word) + 1);
    /* it stood still for so long that the sweep took it for dead */
    if (gx_load(&e->word) != WORD(GENERATION(word) + 1, tag, WRITING))
        return 0;
    if (STATE(word) == READY)
        gx_run_free(q, e->block, GX_OWNER_PROGRAM(index, GENERATION(word)));
    return 1;
}

/* Evicts the program that was not asked for longest. */
static int evict_oldest(gx_queue *q)
{
    u64 now = gx_now_us(), oldest_us = now;
    u32 oldest = GX_NONE;
    u64 oldest_word = 0;
    for (u32 i = 0; i < q->n_programs; i++) {
        u64 word = gx_load(&q->programs[i].word), used = __atomic_load_n(&q->programs[i].used_us, __ATOMIC_RELAXED);
        if (STATE(word) == READY && used + IDLE_US < now && used < oldest_us) {
            oldest_us = used;
            oldest = i;
            oldest_word = word;
        }
    }
    if (oldest == GX_NONE)
        return 0;
    if (seize(q, oldest, oldest_word, 0))
        gx_store(&q->programs[oldest].word, WORD(GENERATION(oldest_word) + 1, 0, EMPTY));
    return 1;
}

/* GX_NEED: another thread is just publishing, most likely the same: *at is the word to wait for, *word what it was. */
static gx_status try_publish(gx_queue *q, gx_queue_program *p, u32 **at, u64 *was)
{
    u64 known = __atomic_load_n(&p->entry, __ATOMIC_RELAXED);
    u32 tag = (u32)(p->digest.word[0] >> 40), first = (u32)(p->digest.word[1] % q->n_programs);
    if (known != ~0ull) {
        gx_q_program *e = &q->programs[(u32)known % q->n_programs];
        if (gx_load(&e->word) == WORD(known >> 32, tag, READY)) {
            touch(e);
            return GX_OK;
        }
    }
    u64 now = gx_now_us(), best_us = now;
    u32 best = GX_NONE;
    u64 best_word = 0;
    for (u32 k = 0; k < PROBE; k++) {
        u32 i = (first + k) % q->n_programs;
        gx_q_program *e = &q->programs[i];
        u64 word = gx_load(&e->word), used = __atomic_load_n(&e->used_us, __ATOMIC_RELAXED);
        if (STATE(word) == READY && TAG(word) == tag && same(q, e, p) && gx_load(&e->word) == word) {
            touch(e);
            __atomic_store_n(&p->entry, (u64)GENERATION(word) << 32 | i, __ATOMIC_RELAXED);
            return GX_OK;
        }
        if (STATE(word) == WRITING && TAG(word) == tag) {
            *at = gx_word_futex(&e->word);
            *was = word;
            return GX_NEED;
        }
        if (STATE(word) == EMPTY)
            used = 0;
        else if (STATE(word) != READY || used + IDLE_US >= now)
            continue;
        if (used < best_us) {
            best_us = used;
            best = i;
            best_word = word;
        }
    }
    if (best == GX_NONE)
        return GX_EBUSY;
    if (!seize(q, best, best_word, tag)) {
        *at = gx_word_futex(&q->programs[best].word);
        *was = best_word;                       /* has changed: no sleep, another look */
        return GX_NEED;
    }
    gx_q_program *e = &q->programs[best];
    u32 generation = GENERATION(best_word) + 1;
    gx_q_run run;
    /* each once at most: who writes that there are always more to evict does not keep us here */
    for (u32 evicted = 0; !gx_run_alloc(q, GX_OWNER_PROGRAM(best, generation), p->size, 0, &run); evicted++)
        if (evicted == q->n_programs || !evict_oldest(q)) {
            gx_store(&e->word, WORD(generation, 0, EMPTY));
            gx_futex_wake(gx_word_futex(&e->word), 0x7fffffff);
            return GX_EBUSY;
        }
    memcpy(q->base + run.off, p->block, p->size);
    for (u32 i = 0; i < GX_Q_CLASSES; i++)
        __atomic_store_n(&e->room[i], 0, __ATOMIC_RELAXED);
    e->block = run;
    e->digest = p->digest;
    __atomic_store_n(&e->used_us, now, __ATOMIC_RELAXED);
    if (!gx_swap(&e->word, WORD(generation, tag, WRITING), WORD(generation, tag, READY)))
        return GX_EBUSY;                        /* swept: somebody took us for dead */
    gx_futex_wake(gx_word_futex(&e->word), 0x7fffffff);         /* seldom: once for each program */
    __atomic_store_n(&p->entry, (u64)generation << 32 | best, __ATOMIC_RELAXED);
    return GX_OK;
}

/* After a start all children need the same program at once: one writes, the others wait for it, some microseconds. Not
 * for ever: it may have died. */
gx_status gx_queue_publish(gx_queue *q, gx_queue_program *p)
{
    u64 until = 0, word = 0;
    u32 *at = NULL;
    gx_status status;
    while ((status = try_publish(q, p, &at, &word)) == GX_NEED) {
        const u64 now = gx_now_us();
        if (!until)
            until = now + PUBLISH_US;
        if (now >= until)
            return GX_EBUSY;
        gx_futex_wait(at, (u32)word, now + PUBLISH_US / 10);
    }
    return status;
}

/* Somebody wrote over it, or it was evicted meanwhile. Who asks next publishes it again. */
static gx_status spoilt(gx_q_program *e, u64 word)
{
    (void)gx_swap(&e->word, word, WORD(GENERATION(word), 0, EMPTY));    /* its units: the sweep finds them */
    return GX_EBUSY;
}

gx_status gx_queue_program_copy(gx_queue *q, const gx_queue_job *job, void **block, u64 *size)
{
    if (job->request.program >= q->n_programs)
        return GX_EBAD;
    gx_q_program *e = &q->programs[job->request.program];
    u64 word = gx_load(&e->word);
    if (STATE(word) != READY || GENERATION(word) != job->request.generation)
        return GX_EBUSY;                        /* evicted meanwhile */
    gx_q_run run;
    /* each read once: what is checked is what is used */
    run.off = __atomic_load_n(&e->block.off, __ATOMIC_RELAXED);
    run.size = __atomic_load_n(&e->block.size, __ATOMIC_RELAXED);
    if (!gx_run_valid(q, run))
        return spoilt(e, word);
    void *copy = malloc(run.size);
    if (!copy)
        return GX_ENOMEM;
    memcpy(copy, q->base + run.off, run.size);
    const gx_sha256 digest = gx_sha256_of(copy, run.size);
    if (!gx_sha256_is_same(&digest, &job->request.digest)) {
        free(copy);
        if (gx_load(&e->word) != word)
            return GX_EBUSY;                    /* evicted while it was copied */
        const gx_sha256 said = e->digest;
        return gx_sha256_is_same(&said, &job->request.digest) ? spoilt(e, word)
            : GX_EBAD;
    }
    *block = copy;
    *size = run.size;
    return GX_OK;
}

/* ---- memory that it takes ---- */

#define TRY_EACH 256u                   /* of the requests whose arena would be too small one in so many is tried */

int gx_program_is_too_large(gx_queue *q, gx_queue_program *p, u64 doc_size)
{
    const u64 entry = __atomic_load_n(&p->entry, __ATOMIC_RELAXED);
    const gx_q_program *e = &q->programs[(u32)entry % q->n_programs];
    if (__atomic_load_n(&e->room[gx_queue_size_class(doc_size)], __ATOMIC_RELAXED) != GX_Q_NOT_THERE)
        return 0;
    return __atomic_add_fetch(&p->n_not_there, 1, __ATOMIC_RELAXED) % TRY_EACH != 0;
}

/* The entry of the job's program, if it is still there; NULL. */
static gx_q_program *entry_of(gx_queue *q, const gx_queue_job *job)
{
    gx_q_program *e = job->request.program < q->n_programs ? &q->programs[job->request.program] : NULL;
    const u64 word = e ? gx_load(&e->word) : 0;
    return e && STATE(word) == READY && GENERATION(word) == job->request.generation ? e : NULL;
}

void gx_queue_room_get(gx_queue *q, const gx_queue_job *job, u8 room[GX_Q_CLASSES])
{
    const gx_q_program *e = entry_of(q, job);
    for (u32 i = 0; i < GX_Q_CLASSES; i++)
        room[i] = e ? __atomic_load_n(&e->room[i], __ATOMIC_RELAXED) : 0;
}

/* Beside an eviction it may reach the next program's entry: that learns its own. */
void gx_queue_room_set(gx_queue *q, const gx_queue_job *job, u32 size_class, u8 room)
{
    gx_q_program *e = entry_of(q, job);
    if (e)
        __atomic_store_n(&e->room[size_class], room, __ATOMIC_RELAXED);
}

/* ---- tidying ---- */

int gx_program_owns(const gx_queue *q, u64 owner)
{
    u32 index = (u32)(owner >> 16) & 0xffffu;
    if (index >= q->n_programs)
        return 0;
    u64 word = gx_load(&q->programs[index].word);
    return STATE(word) != EMPTY && GENERATION(word) == (u32)(owner >> 32);
}

void gx_programs_sweep(gx_queue *q, u32 dead_pid, u64 now_us)
{
    for (u32 i = 0; i < q->n_programs; i++) {
        gx_q_program *e = &q->programs[i];
        u64 word = gx_load(&e->word);
        if (STATE(word) <= READY && STATE(word) != WRITING)
            continue;
        int dead;
        if (STATE(word) > READY)
            dead = 1;                           /* nonsense */
        else if (gx_load(&e->writer_generation) == GENERATION(word))
            dead = dead_pid ? e->writer_pid == dead_pid : !gx_process_alive(e->writer_pid, e->writer_start);
        else
            dead = gx_seen_for(&q->seen[q->n_slots + i], word, now_us) > GX_UNSIGNED_US;
        if (dead)
            (void)gx_swap(&e->word, word, WORD(GENERATION(word), 0, EMPTY));    /* its units: the sweep finds them */
    }
}
