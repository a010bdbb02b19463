/*
 * sweep.c -- what the dead leave behind
 *
 * An owner died (the parent's waitpid, or the worker's look into /proc): its slots are freed, or left to the worker if that is
 * still reading. The worker died: what it had goes back in line. Anything in shared memory that means nothing (by a crash between
 * two instructions, or by a child that writes what it likes) becomes free in the end.
 *
 * Everything here may run in several processes at once, and beside the living: each step is a compare-and-swap of the word that
 * was looked at.
 */
#include <stdio.h>
#include <string.h>
#include "gx.h"
#include "memory.h"

#define KNOWN 64u                       /* processes that a sweep remembers */
#define UNSIGNED_US 10000000u           /* held for so long without an owner's name: it died between two instructions */

/* No worker evaluates this slot any more: it goes back in line, or is answered if it had its chances or its worker wants no second one. */
static void recover_slot(gx_queue *q, u32 i)
{
    gx_q_slot *s = &q->slots[i];
    for (int tries = 0; tries < 4; tries++) {   /* a live owner moves it twice at most meanwhile: RUNNING, LEFT, ORPHAN */
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
            s->reply.line = s->reply.column = 0;
            s->reply.limit[0] = s->reply.file[0] = 0;
            snprintf(s->reply.text, sizeof s->reply.text, "the worker died while it evaluated this request");
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

static void recover(gx_queue *q)
{
    for (u32 i = 0; i < q->n_slots; i++)
        recover_slot(q, i);
    gx_store(&q->header->sleepers, 0);
}

static void tell_waiters(gx_queue *q)
{
    gx_add(&q->header->epoch, 1);
    gx_futex_wake(&q->header->epoch, 0x7fffffff);
    for (u32 i = 0; i < q->n_slots; i++)
        gx_slot_wake(&q->slots[i]);
}

void gx_queue_worker_died(gx_queue *q)
{
    gx_store(&q->header->worker_pid, 0);
    recover(q);
    tell_waiters(q);
}

gx_status gx_queue_worker_begin(gx_queue *q)
{
    u32 pid, old = gx_load(&q->header->worker_pid);
    u64 start;
    gx_self(q, &pid, &start);
    if (old != 0 && old != pid && gx_process_alive(old, q->header->worker_start))
        return GX_EBUSY;
    gx_store(&q->header->worker_pid, 0);
    recover(q);
    gx_store(&q->header->hands_back, 0);
    return GX_OK;
}

void gx_queue_hands_back(gx_queue *q) { gx_store(&q->header->hands_back, 1); }

void gx_queue_worker_ready(gx_queue *q, const char *engine)
{
    gx_q_header *h = q->header;
    snprintf(h->engine, sizeof h->engine, "%s", engine);
    gx_queue_heartbeat(q);
    gx_count(&h->n_workers);
    gx_add(&h->epoch, 1);
    gx_futex_wake(&h->epoch, 0x7fffffff);
    gx_queue_ring(q);
}

/* What a thread still has stays as it is: that may be about to answer, and does not expect others to. It is taken over from the dead. */
void gx_queue_worker_end(gx_queue *q)
{
    u32 pid;
    u64 start;
    gx_self(q, &pid, &start);
    if (gx_load(&q->header->worker_pid) != pid)
        return;
    gx_store(&q->header->worker_pid, 0);
    tell_waiters(q);
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

/* How long this word has stood there, as far as the sweeps that asked have seen. */
static u64 seen_for(gx_queue *q, u32 i, u64 word, u64 now)
{
    struct gx_seen *seen = &q->seen[i];
    if (seen->word != word) {
        seen->word = word;
        seen->since_us = now;
    }
    return now - seen->since_us;
}

void gx_queue_sweep(gx_queue *q)
{
    struct { u64 start; u32 pid; int alive; } known[KNOWN];     /* /proc is read once for a process: it has many slots, here and there */
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
            dead = seen_for(q, i, word, now) > UNSIGNED_US;
        if (dead) {                     /* as it left it: it may have moved it on before it died */
            const u64 left = gx_load(&s->word);
            if (GX_Q_SEQ(left) == GX_Q_SEQ(word))
                reclaim(q, i, left);
        }
        if (state == GX_Q_RUNNING || state == GX_Q_LEFT || state == GX_Q_ORPHAN) {
            /* says that we evaluate it, but we do not: a child wrote nonsense */
            if (gx_load(&q->taking[i]) == 0 && GX_TAKEN_SEQ(gx_load(&q->taken[i])) != GX_Q_SEQ(word) + 1
                && seen_for(q, i, word, now) > GX_QUEUE_STALE_US) {
                recover_slot(q, i);
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

void gx_queue_engine(gx_queue *q, char text[64])
{
    memcpy(text, q->header->engine, 64);
    text[63] = 0;
    for (char *c = text; *c; c++)
        if (*c < ' ' || *c > '~' || *c == '<' || *c == '&' || *c == '"')
            *c = '?';
}

void gx_queue_stats_get(gx_queue *q, gx_queue_stats *out)
{
    gx_q_header *h = q->header;
    u64 now = gx_now_us(), beat = gx_load(&h->heartbeat_us);
    memset(out, 0, sizeof *out);
    out->slots = q->n_slots;
    for (u32 i = 0; i < q->n_slots; i++) {
        u32 state = GX_Q_STATE(gx_load(&q->slots[i].word));
        if (state < GX_Q_STATES)
            out->by_state[state]++;
    }
    out->units = q->n_units;
    for (u32 i = 0; i < q->n_units; i++)
        out->units_used += gx_load(&q->owners[i]) != 0;
    for (u32 i = 0; i < q->n_programs; i++)
        out->programs += (gx_load(&q->programs[i].word) & 0xffu) != 0;
    out->worker_pid = gx_load(&h->worker_pid);
    out->epoch = gx_load(&h->epoch);
    out->alive = gx_queue_alive(q);
    out->heartbeat_age_us = now > beat ? now - beat : 0;
    gx_queue_engine(q, out->engine);
    out->submitted = gx_load(&h->n_submitted);
    out->done = gx_load(&h->n_done);
    out->failed = gx_load(&h->n_failed);
    out->late = gx_load(&h->n_late);
    out->busy = gx_load(&h->n_busy);
    out->reaped = gx_load(&h->n_reaped);
    out->retried = gx_load(&h->n_retried);
    out->poison = gx_load(&h->n_poison);
    out->workers = gx_load(&h->n_workers);
}
