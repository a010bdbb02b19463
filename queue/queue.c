/*
 * queue.c -- slots: what a request goes through, seen from its owner, the worker, and those who clean up
 *
 * queue.h draws the states. Rules that keep them true:
 *  - Only the holder of (slot, sequence) writes request; only the worker that made it RUNNING writes reply.
 *  - Memory is freed before the word becomes FREE, by owner word: freeing twice, or for a request that is over, does nothing.
 *  - What one side reads of the other's is read once into private memory, then checked.
 *  - Sleepers announce themselves, then look again, then sleep; wakers change the word, then look for sleepers. All of these are
 *    sequentially consistent, so no wake-up is lost. Every sleep has an end all the same, for wakers that die in between.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gx.h"
#include "memory.h"

#define SPIN_US 20u                     /* at most; only where another core can do the work meanwhile */
#define SLICE_US 250000u                /* the longest sleep without a look around */
#define UNSIGNED_US 10000000u           /* held for so long without an owner's name: it died between two instructions */

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* The half of the word that a futex can watch: the state and 16 bits of the sequence number. */
static u32 *futex_of(gx_q_slot *s) { return (u32 *)&s->word + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__); }

static void ring(gx_queue *q)
{
    gx_add(&q->header->doorbell, 1);
    if (gx_load(&q->header->sleepers))
        gx_futex_wake(&q->header->doorbell, 1);
}

static void wake_owner(gx_q_slot *s)
{
    if (gx_load(&s->waiting))
        gx_futex_wake(futex_of(s), 1);
}

static void set_pending(gx_queue *q, u32 index)
{
    __atomic_fetch_or(&q->pending[index / 64], 1ull << index % 64, __ATOMIC_SEQ_CST);
}

static void announce_free(gx_queue *q)
{
    gx_add(&q->header->freed, 1);
    if (gx_load(&q->header->free_waiters))
        gx_futex_wake(&q->header->freed, 1);
}

/* Frees all that the slot says it has, then the slot. word: HELD, DONE or ORPHAN of this sequence. */
static int free_slot(gx_queue *q, u32 index, u64 word)
{
    gx_q_slot *s = &q->slots[index];
    u64 owner = GX_OWNER_SLOT(index, GX_Q_SEQ(word));
    gx_q_run doc = s->request.doc, params = s->request.params, result = s->reply.result;
    gx_run_free(q, doc, owner);
    gx_run_free(q, params, owner);
    gx_run_free(q, result, owner);
    if (!gx_swap(&s->word, word, GX_Q_WORD(GX_Q_SEQ(word), GX_Q_FREE)))
        return 0;
    announce_free(q);
    return 1;
}

/* ---- liveness ---- */

int gx_queue_alive(gx_queue *q)
{
    u64 beat = __atomic_load_n(&q->header->heartbeat_us, __ATOMIC_RELAXED), now = gx_now_us();
    return gx_load(&q->header->worker_pid) != 0 && now < beat + GX_QUEUE_STALE_US;
}

gx_status gx_queue_wait_alive(gx_queue *q, u64 timeout_us)
{
    u64 until = gx_now_us() + timeout_us;
    while (!gx_queue_alive(q)) {
        u64 now = gx_now_us();
        if (now >= until)
            return GX_ETIME;
        u32 epoch = gx_load(&q->header->epoch);
        if (!gx_queue_alive(q))
            gx_futex_wait(&q->header->epoch, epoch, now + 20000 < until ? now + 20000 : until);
    }
    return GX_OK;
}

/* ---- the owner ---- */

gx_status gx_queue_acquire(gx_queue *q, u64 wait_us, gx_slot **out)
{
    static __thread u32 last;           /* a thread comes back to its slot: the memory is warm, and nobody contends */
    u64 until = 0;
    if (last == 0)
        last = (u32)(((u64)getpid() * 0x9e3779b9u + (u64)(size_t)&last / 64 * 0x85ebca6bu) % q->n_slots);
    for (;;) {
        u32 freed = gx_load(&q->header->freed);
        int alive = gx_queue_alive(q);
        for (u32 k = 0; alive && k < q->n_slots; k++) {
            u32 i = (last + k) % q->n_slots;
            gx_q_slot *s = &q->slots[i];
            u64 word = gx_load(&s->word);
            u64 next = GX_Q_WORD((GX_Q_SEQ(word) + 1) & 0xffffffffffffull, GX_Q_HELD);
            if (GX_Q_STATE(word) != GX_Q_FREE || !gx_swap(&s->word, word, next))
                continue;
            u32 pid;
            u64 start;
            gx_self(q, &pid, &start);
            __atomic_store_n(&s->owner_pid, pid, __ATOMIC_RELAXED);
            __atomic_store_n(&s->owner_start, start, __ATOMIC_RELAXED);
            gx_store(&s->owner_seq, GX_Q_SEQ(next));
            __atomic_store_n(&s->attempts, 0, __ATOMIC_RELAXED);
            s->request.doc.size = s->request.params.size = s->reply.result.size = 0;
            gx_store(&s->waiting, 0);
            gx_slot *h = &q->held[i];
            h->seq = GX_Q_SEQ(next);
            h->doc.size = h->params.size = 0;
            last = i;
            *out = h;
            return GX_OK;
        }
        u64 now = gx_now_us();
        if (until == 0)
            until = now + wait_us;
        if (now >= until) {
            gx_count(&q->header->n_busy);
            return GX_EBUSY;
        }
        u64 slice = now + 20000 < until ? now + 20000 : until;
        if (!alive) {
            gx_queue_wait_alive(q, slice - now);
            continue;
        }
        gx_add(&q->header->free_waiters, 1);
        gx_futex_wait(&q->header->freed, freed, slice);
        gx_add(&q->header->free_waiters, (u32)-1);
    }
}

u32 gx_slot_index(const gx_slot *slot) { return slot->index; }

static u64 owner_of(const gx_slot *h) { return GX_OWNER_SLOT(h->index, h->seq); }

static int held(gx_slot *h) { return gx_load(&h->q->slots[h->index].word) == GX_Q_WORD(h->seq, GX_Q_HELD); }

/* Room of size bytes in place of *run, which also the slot names: who frees it after our death must know it. */
static void *replace(gx_slot *h, gx_q_run *run, gx_q_run *named, u64 size)
{
    gx_queue *q = h->q;
    if (!held(h))
        return NULL;
    gx_run_free(q, *run, owner_of(h));
    run->size = named->size = 0;
    if (!gx_run_alloc(q, owner_of(h), size, gx_run_home(q, h->index), run)) {
        gx_count(&q->header->n_busy);
        return NULL;
    }
    *named = *run;
    return q->base + run->off;
}

void *gx_queue_doc_alloc(void *slot, u64 size)
{
    gx_slot *h = (gx_slot *)slot;
    return replace(h, &h->doc, &h->q->slots[h->index].request.doc, size);
}

/* Params: u32 n, 0; then n x { u32 name, name_len, value, value_len } (offsets from the start); then the bytes, each NUL-terminated. */
static gx_status put_params(gx_slot *h, const gx_param *params, int n)
{
    u64 size = 8 + (u64)n * 16;
    if (n < 0 || (u32)n > GX_QUEUE_MAX_PARAMS)
        return GX_EBUSY;
    for (int i = 0; i < n; i++) {
        size += strlen(params[i].name) + strlen(params[i].value) + 2;
        if (size > GX_QUEUE_MAX_PARAM_BYTES)
            return GX_EBUSY;
    }
    char *at = (char *)replace(h, &h->params, &h->q->slots[h->index].request.params, size);
    if (!at)
        return GX_EBUSY;
    u32 *table = (u32 *)at, off = 8 + (u32)n * 16;
    *table++ = (u32)n;
    *table++ = 0;
    for (int i = 0; i < n; i++) {
        const char *text[2] = { params[i].name, params[i].value };
        for (int k = 0; k < 2; k++) {
            u32 len = (u32)strlen(text[k]);
            *table++ = off;
            *table++ = len;
            memcpy(at + off, text[k], len + 1);
            off += len + 1;
        }
    }
    return GX_OK;
}

gx_status gx_queue_submit(gx_slot *h, const gx_queue_request *r)
{
    gx_queue *q = h->q;
    gx_q_slot *s = &q->slots[h->index];
    if (((const gx_program *)r->program->block)->flags & GX_P_HOST)
        return GX_EHOST;
    if (!held(h) || !gx_queue_alive(q) || gx_queue_publish(q, r->program) != GX_OK)
        goto busy;
    if (h->doc.size == 0 || r->doc != q->base + h->doc.off) {
        void *at = gx_queue_doc_alloc(h, r->doc_size);
        if (!at)
            return GX_EBUSY;            /* counted */
        memcpy(at, r->doc, r->doc_size);
    }
    gx_q_request *to = &s->request;
    gx_run_free(q, h->params, owner_of(h));     /* of an earlier submit */
    h->params.size = to->params.size = 0;
    if (r->n_params != 0 && put_params(h, r->params, r->n_params) != GX_OK)
        goto busy;
    u64 entry = __atomic_load_n(&r->program->entry, __ATOMIC_RELAXED);
    to->doc.size = r->doc_size < h->doc.size ? r->doc_size : h->doc.size;
    to->program = (u32)entry;
    to->generation = (u32)(entry >> 32);
    to->digest[0] = r->program->digest[0];
    to->digest[1] = r->program->digest[1];
    to->deadline_us = r->deadline_us;
    if (r->limits)
        to->limits = *r->limits;
    else
        memset(&to->limits, 0, sizeof to->limits);
    s->submitted_us = gx_now_us();
    if (!gx_swap(&s->word, GX_Q_WORD(h->seq, GX_Q_HELD), GX_Q_WORD(h->seq, GX_Q_SUBMITTED)))
        goto busy;
    set_pending(q, h->index);
    gx_count(&q->header->n_submitted);
    ring(q);
    return GX_OK;

busy:
    gx_count(&q->header->n_busy);
    return GX_EBUSY;
}

/* Stops waiting. 1: the answer has come meanwhile. 0: it is HELD again, or LEFT with the worker still reading. */
static int leave(gx_slot *h)
{
    gx_queue *q = h->q;
    gx_q_slot *s = &q->slots[h->index];
    for (;;) {
        u64 word = gx_load(&s->word);
        if (word == GX_Q_WORD(h->seq, GX_Q_DONE))
            return 1;
        if (word == GX_Q_WORD(h->seq, GX_Q_SUBMITTED)) {
            if (!gx_swap(&s->word, word, GX_Q_WORD(h->seq, GX_Q_HELD)))
                continue;
        } else if (word == GX_Q_WORD(h->seq, GX_Q_RUNNING)) {
            if (!gx_swap(&s->word, word, GX_Q_WORD(h->seq, GX_Q_LEFT)))
                continue;
        }
        gx_count(&q->header->n_late);
        return 0;
    }
}

/* The key as a static string, as gx_error has it; NULL for what is none. */
static const char *limit_key(const char *name)
{
    static const char *const keys[] = { "input", "output", "text", "steps", "arena", "depth", "nodes", "attributes", "name",
                                        "amplification", "recursion" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], name) == 0)
            return keys[i];
    return NULL;
}

static void copy_text(char *to, const char *from, size_t size)
{
    memcpy(to, from, size);
    to[size - 1] = 0;
}

static gx_status read_reply(gx_slot *h, gx_queue_result *out, gx_error *err)
{
    gx_queue *q = h->q;
    gx_q_slot *s = &q->slots[h->index];
    gx_q_reply *from = &s->reply;
    u32 status = gx_load(&from->status);
    gx_q_run result;
    result.off = gx_load(&from->result.off);
    result.size = gx_load(&from->result.size);
    if (status == GX_OK) {
        if (!gx_run_valid(q, result) || result.size < sizeof(gx_result))
            return gx_fail(err, GX_EBAD, "", 0, 0, "the worker's answer does not check out");
        out->base = q->base + result.off;
        out->size = result.size;
        out->attempts = s->attempts;
        out->queue_us = from->started_us - s->submitted_us;
        out->evaluate_us = from->finished_us - from->started_us;
        return GX_OK;
    }
    if (status >= GX_NEED && status != GX_EBUSY)
        status = GX_EBAD;
    if (err) {
        char name[sizeof from->limit];
        memset(err, 0, sizeof *err);
        err->status = (gx_status)status;
        err->line = from->line;
        err->column = from->column;
        err->byte = from->byte;
        copy_text(err->file, from->file, sizeof err->file);
        copy_text(err->text, from->text, sizeof err->text);
        copy_text(name, from->limit, sizeof name);
        err->limit = limit_key(name);
    }
    return (gx_status)status;
}

gx_status gx_queue_wait(gx_slot *h, u64 deadline_us, gx_queue_result *out, gx_error *err)
{
    gx_queue *q = h->q;
    gx_q_slot *s = &q->slots[h->index];
    const u64 done = GX_Q_WORD(h->seq, GX_Q_DONE);
    u64 now = gx_now_us(), gone_us = 0;

    if (q->many_cores && h->spin_us) {
        u64 until = now + h->spin_us;
        while (gx_load(&s->word) != done && gx_now_us() < until)
            for (int i = 0; i < 16; i++)
                relax();
        /* looking pays only while answers come that soon: else try it less and less, but now and then again */
        h->spin_us = gx_load(&s->word) == done ? SPIN_US : h->spin_us / 2;
    } else if ((h->seq & 63) == 0)
        h->spin_us = SPIN_US;

    for (;;) {
        u64 word = gx_load(&s->word);
        if (word == done)
            return read_reply(h, out, err);
        if (word != GX_Q_WORD(h->seq, GX_Q_SUBMITTED) && word != GX_Q_WORD(h->seq, GX_Q_RUNNING))
            return gx_fail(err, GX_EBAD, "", 0, 0, "the request's slot was taken away");
        now = gx_now_us();
        if (now >= deadline_us) {
            if (leave(h))
                continue;
            return gx_fail(err, GX_ETIME, "", 0, 0, "no answer from the worker before the deadline");
        }
        u64 slice = SLICE_US;
        if (gx_load(&q->header->worker_pid) == 0) {
            if (gone_us == 0)
                gone_us = now;
            slice = 20000;
        } else
            gone_us = 0;
        if (gone_us ? now - gone_us >= GX_QUEUE_RESTART_US : !gx_queue_alive(q)) {
            if (leave(h))
                continue;
            return gx_fail(err, GX_EBUSY, "", 0, 0, gone_us ? "the worker is gone" : "the worker hangs");
        }
        gx_store(&s->waiting, 1);
        if (gx_load(&s->word) != done)
            gx_futex_wait(futex_of(s), (u32)word, now + slice < deadline_us ? now + slice : deadline_us);
        gx_store(&s->waiting, 0);
    }
}

void gx_queue_release(gx_slot *h)
{
    gx_queue *q = h->q;
    gx_q_slot *s = &q->slots[h->index];
    for (;;) {
        u64 word = gx_load(&s->word);
        if (GX_Q_SEQ(word) != h->seq)
            return;
        switch (GX_Q_STATE(word)) {
        case GX_Q_HELD:
        case GX_Q_DONE:
            if (free_slot(q, h->index, word))
                return;
            break;
        case GX_Q_SUBMITTED:
            (void)gx_swap(&s->word, word, GX_Q_WORD(h->seq, GX_Q_HELD));
            break;
        case GX_Q_RUNNING:
        case GX_Q_LEFT:
            if (gx_swap(&s->word, word, GX_Q_WORD(h->seq, GX_Q_ORPHAN)))
                return;
            break;
        default:
            return;
        }
    }
}

/* ---- the worker ---- */

const void *gx_queue_at(gx_queue *q, gx_q_run run) { return q->base + run.off; }

/* Has bit `index` of the pending words been set? Then it is ours to look at. */
static int claim_bit(gx_queue *q, u32 index)
{
    u64 bit = 1ull << index % 64;
    return (__atomic_fetch_and(&q->pending[index / 64], ~bit, __ATOMIC_SEQ_CST) & bit) != 0;
}

static int take_slot(gx_queue *q, u32 index, gx_queue_job *job)
{
    gx_q_slot *s = &q->slots[index];
    u64 word = gx_load(&s->word);
    if (GX_Q_STATE(word) != GX_Q_SUBMITTED || !gx_swap(&s->word, word, GX_Q_WORD(GX_Q_SEQ(word), GX_Q_RUNNING)))
        return 0;
    gx_store(&q->taken[index], GX_Q_SEQ(word) + 1);
    job->slot = index;
    job->seq = GX_Q_SEQ(word);
    job->attempts = __atomic_add_fetch(&s->attempts, 1, __ATOMIC_SEQ_CST);
    memcpy(&job->request, &s->request, sizeof job->request);
    __asm__ volatile("" ::: "memory");  /* from here on the copy is what counts: nothing is fetched again */
    job->started_us = gx_now_us();
    gx_q_request *r = &job->request;
    if (gx_run_valid(q, r->doc) && r->doc.size >= sizeof(gx_doc) && r->program < q->n_programs
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
            mask &= ~(1ull << index % 64);      /* each bit at most once a call, whoever sets it again: this loop ends */
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
                relax();
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

int gx_queue_finish(gx_queue *q, const gx_queue_job *job, gx_status status, const gx_error *err, const void *result, u64 size)
{
    gx_q_slot *s = &q->slots[job->slot];
    const u64 running = GX_Q_WORD(job->seq, GX_Q_RUNNING), owner = GX_OWNER_SLOT(job->slot, job->seq);
    gx_q_run run = { 0, 0 };
    gx_store(&q->taken[job->slot], 0);
    if (gx_load(&s->word) == running) {
        gx_q_reply *to = &s->reply;
        gx_error full;
        if (status == GX_OK) {
            if (gx_run_alloc(q, owner, size, gx_run_home(q, job->slot), &run))
                memcpy(q->base + run.off, result, size);
            else {
                status = gx_fail(&full, GX_EARENA, "", 0, 0, "no shared memory is free for a result of %llu bytes",
                                 (unsigned long long)size);
                err = &full;
            }
        }
        to->result = run;
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
        if (gx_swap(&s->word, running, GX_Q_WORD(job->seq, GX_Q_DONE))) {
            gx_count(&q->header->n_done);
            if (status != GX_OK)
                gx_count(&q->header->n_failed);
            wake_owner(s);
            return 1;
        }
        gx_run_free(q, run, owner);
    }
    u64 word = gx_load(&s->word);
    if (word == GX_Q_WORD(job->seq, GX_Q_LEFT) && gx_swap(&s->word, word, GX_Q_WORD(job->seq, GX_Q_HELD)))
        return 0;
    word = gx_load(&s->word);
    if (word == GX_Q_WORD(job->seq, GX_Q_ORPHAN))
        free_slot(q, job->slot, word);
    return 0;
}

void gx_queue_blame(gx_queue *q, const gx_queue_job *job)
{
    gx_q_slot *s = &q->slots[job->slot];
    if (gx_load(&s->word) == GX_Q_WORD(job->seq, GX_Q_RUNNING))
        gx_store(&s->attempts, GX_QUEUE_MAX_ATTEMPTS);
}

/* With the name, in case somebody wrote over it: there is one worker, and it is this one. */
void gx_queue_heartbeat(gx_queue *q)
{
    u32 pid;
    u64 start;
    gx_self(q, &pid, &start);
    gx_store(&q->header->heartbeat_us, gx_now_us());
    gx_store(&q->header->worker_start, start);
    gx_store(&q->header->worker_pid, pid);
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

/* ---- cleaning up ---- */

/* No worker evaluates this slot any more: it goes back in line, or is answered if it had its chances. */
static void recover_slot(gx_queue *q, u32 i)
{
    gx_q_slot *s = &q->slots[i];
    for (int tries = 0; tries < 4; tries++) {   /* a live owner moves it twice at most meanwhile: RUNNING, LEFT, ORPHAN */
        u64 word = gx_load(&s->word), seq = GX_Q_SEQ(word);
        switch (GX_Q_STATE(word)) {
        case GX_Q_RUNNING:
            if (gx_load(&s->attempts) < GX_QUEUE_MAX_ATTEMPTS) {
                if (gx_swap(&s->word, word, GX_Q_WORD(seq, GX_Q_SUBMITTED))) {
                    set_pending(q, i);
                    gx_count(&q->header->n_retried);
                    return;
                }
                break;
            }
            s->reply.result.size = 0;
            s->reply.line = s->reply.column = 0;
            s->reply.limit[0] = s->reply.file[0] = 0;
            snprintf(s->reply.text, sizeof s->reply.text, "the worker died while it evaluated this request");
            gx_store(&s->reply.status, (u32)GX_EBAD);
            if (gx_swap(&s->word, word, GX_Q_WORD(seq, GX_Q_DONE))) {
                gx_count(&q->header->n_poison);
                wake_owner(s);
                return;
            }
            break;
        case GX_Q_LEFT:
            if (gx_swap(&s->word, word, GX_Q_WORD(seq, GX_Q_HELD)))
                return;
            break;
        case GX_Q_ORPHAN:
            free_slot(q, i, word);
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

void gx_queue_worker_died(gx_queue *q)
{
    gx_q_header *h = q->header;
    gx_store(&h->worker_pid, 0);
    recover(q);
    gx_add(&h->epoch, 1);
    gx_futex_wake(&h->epoch, 0x7fffffff);
    for (u32 i = 0; i < q->n_slots; i++)
        wake_owner(&q->slots[i]);
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
    return GX_OK;
}

void gx_queue_worker_ready(gx_queue *q, const char *engine)
{
    gx_q_header *h = q->header;
    snprintf(h->engine, sizeof h->engine, "%s", engine);
    gx_queue_heartbeat(q);
    gx_count(&h->n_workers);
    gx_add(&h->epoch, 1);
    gx_futex_wake(&h->epoch, 0x7fffffff);
    ring(q);
}

void gx_queue_worker_end(gx_queue *q)
{
    u32 pid;
    u64 start;
    gx_self(q, &pid, &start);
    if (gx_load(&q->header->worker_pid) == pid)
        gx_queue_worker_died(q);
}

/* The slot's owner is dead. */
static int reclaim(gx_queue *q, u32 index, u64 word)
{
    gx_q_slot *s = &q->slots[index];
    u64 seq = GX_Q_SEQ(word);
    int ours;
    switch (GX_Q_STATE(word)) {
    case GX_Q_SUBMITTED:                /* not for the worker any more */
        ours = gx_swap(&s->word, word, GX_Q_WORD(seq, GX_Q_HELD)) && free_slot(q, index, GX_Q_WORD(seq, GX_Q_HELD));
        break;
    case GX_Q_HELD:
    case GX_Q_DONE:
        ours = free_slot(q, index, word);
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
    u64 now = gx_now_us();
    u32 known_pid = 0;
    u64 known_start = 0;
    int known = 0, missed = 0;
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
            if (pid != known_pid || start != known_start) {     /* a process has many slots in a row: /proc is read once for them */
                known_pid = pid;
                known_start = start;
                known = gx_process_alive(pid, start);
            }
            dead = !known;
        } else
            dead = seen_for(q, i, word, now) > UNSIGNED_US;
        if (dead)
            reclaim(q, i, word);
        if (state == GX_Q_RUNNING || state == GX_Q_LEFT || state == GX_Q_ORPHAN) {
            /* says that we evaluate it, but we do not: a child wrote nonsense */
            if (gx_load(&q->taken[i]) != GX_Q_SEQ(word) + 1 && seen_for(q, i, word, now) > GX_QUEUE_STALE_US)
                recover_slot(q, i);
        } else if (!dead && state == GX_Q_SUBMITTED && !(gx_load(&q->pending[i / 64]) >> i % 64 & 1)) {
            set_pending(q, i);
            missed = 1;
        }
    }
    gx_programs_sweep(q, 0, now);
    sweep_units(q);
    if (missed)
        ring(q);
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
    copy_text(out->engine, h->engine, sizeof out->engine);
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
