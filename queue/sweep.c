/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep.c -- what the dead leave behind
 *
 * An owner died (the parent's waitpid, or the worker's look into /proc): its slots are freed, or left to the worker if
 * that is still reading. The worker died (life.c): what it had goes back in line. Anything in shared memory that means
 * nothing (by a crash between two instructions, or by a child that writes what it likes) becomes free in the end.
 *
 * Everything here may run in several processes at once, and beside the living: each step is a compare-and-swap of the
 * word that was looked at.
 */
#include <stdio.h>
#include <string.h>
#include "gx.h"
#include "memory.h"

#define KNOWN 64u                       /* processes that a sweep remembers */

void gx_slot_recover(gx_queue *q, u32 i)
{
    gx_q_slot *s = &q->slots[i];
    for (int tries = 0; tries < 4; tries++) {   /* a live owner moves it twice at most meanwhile: RUNNING, LEFT, ORPHAN
                                                   */
        u64 word = gx_load(&s->word), seq = GX_Q_SEQ(word);
        const int had_chances = gx_load(&s->attempts) >= GX_QUEUE_MAX_ATTEMPTS;
        switch (GX_Q_STATE(word)) {
        case GX_Q_RUNNING:
            if (!had_chances && !gx_load(&q->header->hands_back)) {
                if (gx_swap(&s->word, word, GX_Q_WORD(seq, GX_Q_SUBMITTED))) {
                    gx_slot_pending(q, i);
                    gx_count(&q->header->n_retried);
                    return;
                }
                break;
            }
            s->reply.result.size = 0;
            s->reply.line = s->reply.column = s->reply.on_core = 0;
            s->reply.limit[0] = s->reply.file[0] = 0;
            snprintf(s->reply.text, sizeof s->reply.text, GX_QUEUE_POISON);
            gx_store(&s->reply.status, (u32)(had_chances ? GX_EBAD : GX_EHOST));
            if (gx_swap(&s->word, word, GX_Q_WORD(seq, GX_Q_DONE))) {
                gx_count(had_chances ? &q->header->n_poison : &q->header->n_retried);
                gx_slot_wake(s);
                return;
            }
            break;
        case GX_Q_LEFT:
            if (gx_swap(&s->word, word, GX_Q_WORD(seq, GX_Q_HELD)))
                return;
            break;
        case GX_Q_ORPHAN:
            gx_slot_free(q, i, word);
            return;
        default:
            return;
        }
    }
}

/* The slot's owner is dead. */
static int reclaim(gx_queue *q, u32 index, u64 word)
{
    gx_q_slot *s = &q->slots[index];
    u64 seq = GX_Q_SEQ(word);
    int ours;
    switch (GX_Q_STATE(word)) {
    case GX_Q_SUBMITTED:                /* not for the worker any more */
        ours = gx_swap(&s->word, word, GX_Q_WORD(seq, GX_Q_HELD)) && gx_slot_free(q, index, GX_Q_WORD(seq, GX_Q_HELD));
        break;
    case GX_Q_HELD:
    case GX_Q_DONE:
        ours = gx_slot_free(q, index, word);
        break;
    case GX_Q_RUNNING:
    case GX_Q_LEFT:
        ours = gx_swap(&s->word, word, GX_Q_WORD(seq, GX_Q_ORPHAN));
        break;
    default:
        return 0;
    }
    if (ours)
        gx_count(&q->header->n_reaped);
    return ours;
}

/* Units whose word names a request or program that is over. */
static void sweep_units(gx_queue *q)
{
    for (u32 i = 0; i < q->n_units; i++) {
        u64 owner = gx_load(&q->owners[i]);
        u32 slot = (u32)(owner & 0xffffu) - 1;
        if (owner == 0)
            continue;
        int over;
        if ((owner & 0xffffu) == 0xffffu)
            over = !gx_program_owns(q, owner);
        else if (slot >= q->n_slots)
            over = 1;
        else {
            u64 word = gx_load(&q->slots[slot].word);
            over = GX_Q_SEQ(word) != owner >> 16 || GX_Q_STATE(word) == GX_Q_FREE;
        }
        if (over)
            (void)gx_swap(&q->owners[i], owner, 0);
    }
}

u32 gx_queue_reap(gx_queue *q, u32 pid)
{
    u32 n = 0;
    for (u32 i = 0; i < q->n_slots; i++) {
        gx_q_slot *s = &q->slots[i];
        for (int tries = 0; tries < 3; tries++) {       /* the worker may move it on under our hands, twice at most */
            u64 word = gx_load(&s->word);
            if (GX_Q_STATE(word) == GX_Q_FREE || gx_load(&s->owner_seq) != GX_Q_SEQ(word)
                || __atomic_load_n(&s->owner_pid, __ATOMIC_RELAXED) != pid)
                break;
            if (reclaim(q, i, word)) {
                n++;
                break;
            }
        }
    }
    gx_programs_sweep(q, pid, gx_now_us());
    sweep_units(q);
    return n;
}

void gx_queue_sweep(gx_queue *q)
{
    struct { u64 start; u32 pid; int alive; } known[KNOWN];     /* /proc is read once for a process: it has many slots,
                                                                   here and there */
    u64 now = gx_now_us();
    int missed = 0;
    memset(known, 0, sizeof known);
    for (u32 i = 0; i < q->n_slots; i++) {
        gx_q_slot *s = &q->slots[i];
        u64 word = gx_load(&s->word);
        u32 state = GX_Q_STATE(word);
        if (state == GX_Q_FREE)
            continue;
        if (state >= GX_Q_STATES) {                     /* nonsense: nobody can hold it */
            (void)gx_swap(&s->word, word, GX_Q_WORD(GX_Q_SEQ(word), GX_Q_FREE));
            continue;
        }
        int dead;
        if (gx_load(&s->owner_seq) == GX_Q_SEQ(word)) {
            u32 pid = __atomic_load_n(&s->owner_pid, __ATOMIC_RELAXED);
            u64 start = __atomic_load_n(&s->owner_start, __ATOMIC_RELAXED);
            u32 k = pid % KNOWN;
            if (known[k].pid != pid || known[k].start != start) {
                known[k].pid = pid;
                known[k].start = start;
                known[k].alive = gx_process_alive(pid, start);
            }
            dead = !known[k].alive;
        } else
            dead = gx_seen_for(&q->seen[i], word, now) > GX_UNSIGNED_US;
        if (dead) {                     /* as it left it: it may have moved it on before it died */
            const u64 left = gx_load(&s->word);
            if (GX_Q_SEQ(left) == GX_Q_SEQ(word))
                reclaim(q, i, left);
        }
        if (state == GX_Q_RUNNING || state == GX_Q_LEFT || state == GX_Q_ORPHAN) {
            /* says that we evaluate it, but we do not: a child wrote nonsense */
            if (gx_load(&q->taking[i]) == 0 && GX_TAKEN_SEQ(gx_load(&q->taken[i])) != GX_Q_SEQ(word) + 1
                && gx_seen_for(&q->seen[i], word, now) > GX_QUEUE_STALE_US) {
                gx_slot_recover(q, i);
                missed = 1;
            }
        } else if (!dead && state == GX_Q_SUBMITTED && !(gx_load(&q->pending[i / 64]) >> i % 64 & 1)) {
            gx_slot_pending(q, i);
            missed = 1;
        }
    }
    gx_programs_sweep(q, 0, now);
    sweep_units(q);
    if (missed)
        gx_queue_ring(q);
}
