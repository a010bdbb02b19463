/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve.c -- the queue as the worker sees it: take a request, end it
 *
 * Requests that wait are bits of `pending`. Whoever clears one looks at its slot and, if it is SUBMITTED, swaps it to
 * RUNNING: a bit too many costs that look, a bit too few is set again by the sweep. Takers begin behind the slot they
 * had last and go round, so no slot waits for ever.
 *
 * Nothing in a slot is believed: the request is copied once, and the copy is what is checked and used.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gx.h"
#include "memory.h"

const void *gx_queue_at(gx_queue *q, gx_q_run run) { return q->base + run.off; }

/* Has bit `index` of the pending words been set? Then it is ours to look at. */
static int claim_bit(gx_queue *q, u32 index)
{
    u64 bit = 1ull << index % 64;
    return (__atomic_fetch_and(&q->pending[index / 64], ~bit, __ATOMIC_SEQ_CST) & bit) != 0;
}

/* A document that is kept, a block, or a source */
static int is_doc_valid(const gx_queue *q, const gx_q_request *r)
{
    if (gx_q_is_kept(r))
        return r->has_name && !r->is_source && !r->is_match;
    if (!gx_run_valid(q, r->doc))
        return 0;
    if (r->is_match)
        return !r->is_source;
    return r->is_source ? r->base_len <= GX_QUEUE_MAX_BASE && r->doc.size > r->base_len
                        : r->doc.size >= sizeof(gx_doc);
}

static int take_slot(gx_queue *q, u32 index, gx_queue_job *job)
{
    gx_q_slot *s = &q->slots[index];
    gx_add(&q->taking[index], 1);       /* who stands still before taken says whose it is loses it to no sweep */
    u64 word = gx_load(&s->word);
    if (GX_Q_STATE(word) != GX_Q_SUBMITTED || !gx_swap(&s->word, word, GX_Q_WORD(GX_Q_SEQ(word), GX_Q_RUNNING))) {
        gx_add(&q->taking[index], (u32)-1);
        return 0;
    }
    const u64 before = gx_load(&q->taken[index]);
    job->taken = before - GX_TAKEN_SEQ(before) + (1ull << 48) + GX_Q_SEQ(word) + 1;
    gx_store(&q->taken[index], job->taken);
    gx_add(&q->taking[index], (u32)-1);
    job->slot = index;
    job->seq = GX_Q_SEQ(word);
    job->attempts = __atomic_add_fetch(&s->attempts, 1, __ATOMIC_SEQ_CST);
    memcpy(&job->request, &s->request, sizeof job->request);
    __asm__ volatile("" ::: "memory");  /* from here on the copy is what counts: nothing is fetched again */
    job->started_us = gx_now_us();
    gx_q_request *r = &job->request;
    job->kept = job->place = 0;
    job->cpu_us = job->batch_us = job->on_core = 0;
    if (is_doc_valid(q, r) && r->program < q->n_programs
        && (r->params.size == 0 || (gx_run_valid(q, r->params) && r->params.size <= GX_QUEUE_MAX_PARAM_BYTES)))
        return 1;
    gx_error err;
    gx_fail(&err, GX_EBAD, "", 0, 0, "the request in shared memory does not check out");
    gx_queue_finish(q, job, GX_EBAD, &err, NULL, 0);
    return 0;
}

int gx_queue_take(gx_queue *q, u32 *hint, gx_queue_job *job)
{
    u32 words = (q->n_slots + 63) / 64, from = *hint % q->n_slots;
    for (u32 k = 0; k <= words; k++) {          /* the first word twice: behind the hint, and at last before it */
        u32 w = (from / 64 + k) % words;
        u64 mask = k == 0 ? ~0ull << from % 64 : k == words ? ~(~0ull << from % 64) : ~0ull;
        u64 bits;
        while ((bits = gx_load(&q->pending[w]) & mask) != 0) {
            u32 index = w * 64 + (u32)__builtin_ctzll(bits);
            mask &= ~(1ull << index % 64);      /* each bit at most once a call, whoever sets it again: this loop ends
                                                   */
            if (claim_bit(q, index) && index < q->n_slots && take_slot(q, index, job)) {
                *hint = index + 1;
                return 1;
            }
        }
    }
    return 0;
}

int gx_queue_take_wait(gx_queue *q, u32 *hint, gx_queue_job *job, u64 timeout_us, u32 spin_us)
{
    gx_q_header *h = q->header;
    if (gx_queue_take(q, hint, job))
        return 1;
    u64 now = gx_now_us();
    if (q->many_cores && spin_us)
        for (u64 until = now + spin_us; gx_now_us() < until;) {
            u32 bell = gx_load(&h->doorbell);
            for (int i = 0; i < 32 && gx_load(&h->doorbell) == bell; i++)
                gx_relax();
            if (gx_load(&h->doorbell) != bell && gx_queue_take(q, hint, job))
                return 1;
        }
    gx_add(&h->sleepers, 1);
    u32 bell = gx_load(&h->doorbell);
    int got = gx_queue_take(q, hint, job);
    if (!got)
        gx_futex_wait(&h->doorbell, bell, now + timeout_us);
    gx_add(&h->sleepers, (u32)-1);
    return got || gx_queue_take(q, hint, job);
}

int gx_queue_wanted(gx_queue *q, const gx_queue_job *job)
{
    return gx_load(&q->slots[job->slot].word) == GX_Q_WORD(job->seq, GX_Q_RUNNING);
}

/* head, unless NULL, stands before the result. */
static int finish(gx_queue *q, const gx_queue_job *job, gx_status status, const gx_error *err, const gx_q_page *head,
                  const void *result, u64 size)
{
    gx_q_slot *s = &q->slots[job->slot];
    const u64 running = GX_Q_WORD(job->seq, GX_Q_RUNNING), owner = GX_OWNER_SLOT(job->slot, job->seq);
    gx_q_run run = { 0, 0 };
    int delivered = 0;
    if (gx_load(&s->word) == running) {
        gx_q_reply *to = &s->reply;
        gx_error full;
        if (status == GX_OK) {
            const u64 head_size = head ? sizeof *head : 0;
            if (gx_run_alloc(q, owner, head_size + size, gx_run_home(q, job->slot), &run)) {
                if (head)
                    memcpy(q->base + run.off, head, head_size);
                if (size)
                    memcpy(q->base + run.off + head_size, result, size);
            } else {
                status = gx_fail(&full, GX_EARENA, "", 0, 0, "no shared memory is free for a result of %llu bytes",
                                 (unsigned long long)size);
                err = &full;
            }
        }
        to->result = run;
        to->kept = status == GX_OK ? job->kept : GX_Q_NOT_KEPT;
        to->place = job->place;
        to->cpu_us = job->cpu_us;
        to->batch_us = job->batch_us;
        to->on_core = job->on_core;
        to->line = err ? err->line : 0;
        to->column = err ? err->column : 0;
        to->byte = err ? err->byte : 0;
        to->started_us = job->started_us;
        to->finished_us = gx_now_us();
        if (status != GX_OK) {
            snprintf(to->limit, sizeof to->limit, "%s", err && err->limit ? err->limit : "");
            snprintf(to->file, sizeof to->file, "%s", err ? err->file : "");
            snprintf(to->text, sizeof to->text, "%s", err ? err->text : "");
        }
        gx_store(&to->status, (u32)status);
        delivered = gx_swap(&s->word, running, GX_Q_WORD(job->seq, GX_Q_DONE));
        if (delivered) {
            gx_count(&q->header->n_done);
            if (status != GX_OK)
                gx_count(&q->header->n_failed);
            gx_slot_wake(s);
        } else
            gx_run_free(q, run, owner);
    }
    if (!delivered && !gx_swap(&s->word, GX_Q_WORD(job->seq, GX_Q_LEFT), GX_Q_WORD(job->seq, GX_Q_HELD))
        && gx_load(&s->word) == GX_Q_WORD(job->seq, GX_Q_ORPHAN))
        gx_slot_free(q, job->slot, GX_Q_WORD(job->seq, GX_Q_ORPHAN));
    /* last: till here nobody else may take it; and the slot may be another job's by now */
    (void)gx_swap(&q->taken[job->slot], job->taken, job->taken - GX_TAKEN_SEQ(job->taken));
    return delivered;
}

int gx_queue_finish(gx_queue *q, const gx_queue_job *job, gx_status status, const gx_error *err, const void *result,
                    u64 size)
{
    return finish(q, job, status, err, NULL, result, size);
}

int gx_queue_finish_page(gx_queue *q, const gx_queue_job *job, const gx_q_page *page, const void *bytes, u64 size)
{
    return finish(q, job, GX_OK, NULL, page, bytes, size);
}

void gx_queue_blame(gx_queue *q, const gx_queue_job *job)
{
    gx_q_slot *s = &q->slots[job->slot];
    if (gx_load(&s->word) == GX_Q_WORD(job->seq, GX_Q_RUNNING))
        gx_store(&s->attempts, GX_QUEUE_MAX_ATTEMPTS);
}

gx_status gx_queue_params_decode(char *bytes, u64 size, gx_param **out, int *n)
{
    u32 count;
    if (size == 0) {
        *out = NULL;
        *n = 0;
        return GX_OK;
    }
    if (size < 8)
        return GX_EBAD;
    memcpy(&count, bytes, 4);
    if (count > GX_QUEUE_MAX_PARAMS || size < 8 + (u64)count * 16)
        return GX_EBAD;
    gx_param *params = (gx_param *)malloc((count + 1) * sizeof *params);
    if (!params)
        return GX_ENOMEM;
    for (u32 i = 0; i < count; i++) {
        u32 t[4];
        memcpy(t, bytes + 8 + (u64)i * 16, 16);
        for (int k = 0; k < 4; k += 2)
            if ((u64)t[k] + t[k + 1] >= size || bytes[t[k] + t[k + 1]] != 0) {
                free(params);
                return GX_EBAD;
            }
        params[i].name = bytes + t[0];
        params[i].value = bytes + t[2];
    }
    *out = params;
    *n = (int)count;
    return GX_OK;
}
