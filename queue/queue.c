/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c -- a request's owner: acquire, submit, wait, release
 *
 * queue.h draws the states. Rules that keep them true:
 *  - Only the holder of (slot, sequence) writes request; only the worker that made it RUNNING writes reply. - Memory is
 *  freed before the word becomes FREE, by owner word: freeing twice, or for a request that is over, does nothing. -
 *  What one side reads of the other's is read once into private memory, then checked. - Sleepers announce themselves,
 *  then look again, then sleep; wakers change the word, then look for sleepers. All of these are
 *    sequentially consistent, so no wake-up is lost. Every sleep has an end all the same, for wakers that die in
 *    between.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gx.h"
#include "memory.h"

#define SPIN_US 20u                     /* at most; only where another core can do the work meanwhile */
#define KEEP_BYTES \
    (64u \
     << 10) /* a result's private copy above this is not kept for the next one: in time a process has had all slots */
/* of a slot under our hands: the worker and the sweep make a few, somebody who writes what he likes more */
#define MOST_MOVES 1000u
#define LOOK_US 20000u                  /* the longest sleep without a look around: so soon a worker's death is seen */

/* The slot, if it is free; NULL: it is not. */
static gx_slot *claim(gx_queue *q, u32 index)
{
    gx_q_slot *s = &q->slots[index];
    gx_slot *h = &q->held[index];
    const u64 word = gx_load(&s->word), next = GX_Q_WORD((GX_Q_SEQ(word) + 1) & 0xffffffffffffull, GX_Q_HELD);
    u32 pid;
    u64 start;
    if (GX_Q_STATE(word) != GX_Q_FREE || gx_load(&h->is_held) || !gx_swap(&s->word, word, next))
        return NULL;
    gx_self(q, &pid, &start);
    __atomic_store_n(&s->owner_pid, pid, __ATOMIC_RELAXED);
    __atomic_store_n(&s->owner_start, start, __ATOMIC_RELAXED);
    gx_store(&s->owner_seq, GX_Q_SEQ(next));
    if (gx_load(&s->word) != next)      /* it stood still for so long that the sweep took it for dead */
        return NULL;
    __atomic_store_n(&s->attempts, 0, __ATOMIC_RELAXED);
    s->request.doc.size = s->request.params.size = s->reply.result.size = 0;
    gx_store(&s->waiting, 0);
    if (!gx_swap(&h->is_held, 0, 1)) {          /* another thread of ours, beside such a write */
        (void)gx_slot_free(q, index, next);
        return NULL;
    }
    h->seq = GX_Q_SEQ(next);
    h->doc.size = h->params.size = 0;
    return h;
}

/* A thread comes back to the slot that it has released: the memory is warm, nobody contends, and who has hundreds need
 * not look through all that are taken. */
static __thread u32 last = GX_NONE;

gx_status gx_queue_acquire(gx_queue *q, u64 wait_us, gx_slot **out)
{
    u64 until = 0;
    if (last == GX_NONE)
        last = (u32)(((u64)getpid() * 0x9e3779b9u + (u64)(size_t)&last / 64 * 0x85ebca6bu) % q->n_slots);
    for (;;) {
        u32 freed = gx_load(&q->header->freed);
        int alive = gx_queue_alive(q);
        for (u32 k = 0; alive && k < q->n_slots; k++) {
            u32 i = (last + k) % q->n_slots;
            gx_slot *h = claim(q, i);
            if (h) {
                last = i;
                *out = h;
                return GX_OK;
            }
        }
        u64 now = gx_now_us();
        if (until == 0)
            until = now + wait_us;
        if (now >= until || !alive) {   /* the next worker may take seconds to start: nobody waits for it */
            gx_count(&q->header->n_busy);
            return GX_EBUSY;
        }
        u64 slice = now + LOOK_US < until ? now + LOOK_US : until;
        gx_add(&q->header->free_waiters, 1);
        gx_futex_wait(&q->header->freed, freed, slice);
        gx_add(&q->header->free_waiters, (u32)-1);
    }
}

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

/* Params: u32 n, 0; then n x { u32 name, name_len, value, value_len } (offsets from the start); then the bytes, each
 * NUL-terminated. */
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

/* The document into shared memory: its block, or the source's pieces and its base URI. GX_EHOST: the latter is too
 * long. */
static gx_status put_doc(gx_slot *h, const gx_queue_request *r, u64 size)
{
    gx_q_request *to = &h->q->slots[h->index].request;
    const u64 base_len = r->pieces && r->base_uri ? strlen(r->base_uri) : 0;
    if (base_len > GX_QUEUE_MAX_BASE || (r->pieces && size == 0))
        return GX_EHOST;
    char *at = (char *)replace(h, &h->doc, &to->doc, size + base_len);
    if (!at)
        return GX_EBUSY;                /* counted */
    to->is_source = r->pieces != NULL;
    to->is_utf8 = r->is_utf8 != 0;
    to->base_len = (u32)base_len;
    if (!r->pieces)
        memcpy(at, r->doc, size);
    for (u32 i = 0; r->pieces && i < r->n_pieces; i++) {
        memcpy(at, r->pieces[i].at, r->pieces[i].n);
        at += r->pieces[i].n;
    }
    if (base_len)
        memcpy(at, r->base_uri, base_len);
    return GX_OK;
}

/* Of the block or source, without the base URI */
static u64 doc_size(const gx_queue_request *r)
{
    u64 size = r->pieces ? 0 : r->doc_size;
    for (u32 i = 0; r->pieces && i < r->n_pieces; i++)
        size += r->pieces[i].n;
    return size;
}

/* ---- documents that the worker keeps ---- */

int gx_queue_is_kept(const gx_queue_kept *kept)
{
    return __atomic_load_n(&kept->state, __ATOMIC_ACQUIRE) == GX_KEPT_THERE;
}

/* Has the request's document a name? One thread takes the digest, the others do not wait for it. */
static int name_doc(gx_queue_kept *kept, const gx_queue_request *r)
{
    if (__atomic_load_n(&kept->state, __ATOMIC_ACQUIRE) == GX_KEPT_WORTH
        && gx_swap(&kept->state, GX_KEPT_WORTH, GX_KEPT_NAMING)) {
        kept->name = gx_sha256_of(r->doc, r->doc_size);
        __atomic_store_n(&kept->state, GX_KEPT_NAMED, __ATOMIC_RELEASE);
    }
    return __atomic_load_n(&kept->state, __ATOMIC_ACQUIRE) >= GX_KEPT_NAMED;
}

/* What an answer said of it */
static void note_kept(gx_queue_kept *kept, u32 said, u32 place)
{
    if (said == GX_Q_WORTH_KEEPING)
        (void)gx_swap(&kept->state, GX_KEPT_NEW, GX_KEPT_WORTH);
    else if (said == GX_Q_KEPT) {
        __atomic_store_n(&kept->place, place, __ATOMIC_RELAXED);
        (void)gx_swap(&kept->state, GX_KEPT_NAMED, GX_KEPT_THERE);
    }
}

gx_status gx_queue_submit(gx_slot *h, const gx_queue_request *r)
{
    gx_queue *q = h->q;
    gx_q_slot *s = &q->slots[h->index];
    gx_queue_kept *const kept = r->pieces || r->n_profiles ? NULL : r->kept;
    const int has_name = kept && name_doc(kept, r), is_kept = has_name && gx_queue_is_kept(kept);
    const u64 size = doc_size(r);
    if (!r->n_profiles && ((const gx_program *)r->program->block)->flags & GX_P_HOST)
        return GX_EHOST;
    if (!held(h) || !gx_queue_alive(q) || gx_queue_publish(q, r->program) != GX_OK)
        goto busy;
    if (!r->n_profiles && gx_program_is_too_large(q, r->program, size))
        return GX_EARENA;
    gx_q_request *to = &s->request;
    to->is_source = to->base_len = 0;
    if (!is_kept) {
        const gx_status status = put_doc(h, r, size);
        if (status != GX_OK)
            return status;
    }
    gx_run_free(q, h->params, owner_of(h));     /* of an earlier submit */
    h->params.size = to->params.size = 0;
    if (r->n_params != 0 && put_params(h, r->params, r->n_params) != GX_OK)
        goto busy;
    u64 entry = __atomic_load_n(&r->program->entry, __ATOMIC_RELAXED);
    if (is_kept)
        to->doc.size = 0;
    to->has_name = has_name;
    if (has_name)
        to->name = kept->name;
    to->place = kept ? __atomic_load_n(&kept->place, __ATOMIC_RELAXED) : 0;
    to->keeps = kept != NULL;
    to->any_core = r->any_core != 0;
    to->is_match = r->n_profiles != 0;
    to->is_patient = r->is_patient != 0;
    h->asked = *r;
    h->has_sent = !is_kept;
    to->program = (u32)entry;
    to->generation = (u32)(entry >> 32);
    to->digest = r->program->digest;
    to->deadline_us = r->deadline_us;
    if (r->limits)
        to->limits = *r->limits;
    else
        memset(&to->limits, 0, sizeof to->limits);
    s->submitted_us = gx_now_us();
    if (!gx_swap(&s->word, GX_Q_WORD(h->seq, GX_Q_HELD), GX_Q_WORD(h->seq, GX_Q_SUBMITTED)))
        goto busy;
    gx_slot_pending(q, h->index);
    gx_count(&q->header->n_submitted);
    gx_queue_ring(q);
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
    for (u32 moves = 0; moves < MOST_MOVES; moves++) {
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
        break;
    }
    gx_count(&q->header->n_late);
    return 0;
}

/* The key as a static string, as gx_error has it; NULL for what is none. */
static const char *limit_key(const char *name)
{
    static const char *const keys[] = { "input", "output",     "text", "steps",         "arena",    "depth",
                                        "nodes", "attributes", "name", "amplification", "recursion" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], name) == 0)
            return keys[i];
    return NULL;
}

/* A sentence of the worker's, as anybody may have written it: no line ends or escapes, for logs and response headers.
 * */
static void copy_text(char *to, const char *from, size_t size)
{
    memcpy(to, from, size);
    to[size - 1] = 0;
    for (; *to; to++)
        if ((unsigned char)*to < ' ' || *to == 0x7f)
            *to = '?';
}

/* Which profiles match, out of h->image. GX_EBAD: they are none that the request's set can have */
static gx_status read_matches(const gx_slot *h, u64 size, gx_queue_result *out, gx_error *err)
{
    const gx_q_matches *head = h->image;
    const u32 n_profiles = h->asked.n_profiles, n_words = n_profiles / 64 + 1;
    const u32 *ids = (const u32 *)(head + 1);
    const u64 *words = (const u64 *)(head + 1);
    u32 is_wrong = head->n > (head->is_bits ? n_words : n_profiles);
    const u64 n = is_wrong ? 0 : head->n;
    is_wrong |= size != sizeof *head + n * (head->is_bits ? sizeof *words : sizeof *ids);
    if (head->is_bits)
        is_wrong |= is_wrong || n != n_words || words[n_words - 1] >> n_profiles % 64 != 0;
    else
        for (u64 i = 0; i < n && !is_wrong; i++)
            is_wrong = ids[i] >= n_profiles || (i && ids[i] <= ids[i - 1]);
    if (is_wrong)
        return gx_fail(err, GX_EBAD, "", 0, 0, "the worker's answer does not check out");
    out->matched = head->is_bits ? words : NULL;
    out->ids = head->is_bits ? NULL : ids;
    out->n_ids = head->is_bits ? 0 : head->n;
    return GX_OK;
}

/* The result, copied and then checked: what follows references goes by its size. */
static gx_status read_result(gx_slot *h, gx_queue_result *out, gx_error *err)
{
    const gx_q_slot *s = &h->q->slots[h->index];
    const gx_q_reply *from = &s->reply;
    const gx_q_run result = { gx_load(&from->result.off), gx_load(&from->result.size) };
    const u64 least = h->asked.pieces       ? sizeof(gx_q_page)
                      : h->asked.n_profiles ? sizeof(gx_q_matches)
                                            : sizeof(gx_result);
    if (!gx_run_valid(h->q, result) || result.size < least)
        return gx_fail(err, GX_EBAD, "", 0, 0, "the worker's answer does not check out");
    if (result.size > h->image_cap) {
        free(h->image);
        h->image_cap = result.size < 16384 ? 16384 : result.size;
        h->image = malloc(h->image_cap);
        if (!h->image) {
            h->image_cap = 0;
            return gx_fail(err, GX_EBUSY, "", 0, 0, "no memory for a result of %llu bytes",
                           (unsigned long long)result.size);
        }
    }
    memcpy(h->image, h->q->base + result.off, result.size);
    out->base = h->image;
    out->size = result.size;
    if (h->asked.n_profiles) {
        GX_TRY(read_matches(h, result.size, out, err));
    } else if (h->asked.pieces) {
        memcpy(&out->page, h->image, sizeof out->page);
        out->base = (const char *)h->image + sizeof out->page;
        out->size -= sizeof out->page;
    } else if (((const gx_result *)h->image)->used > result.size)
        return gx_fail(err, GX_EBAD, "", 0, 0, "the worker's answer does not check out");
    out->attempts = s->attempts;
    if (h->asked.kept && !h->asked.pieces && !h->asked.n_profiles)
        note_kept(h->asked.kept, gx_load(&from->kept), gx_load(&from->place));
    out->queue_us = from->started_us - s->submitted_us;
    out->evaluate_us = from->finished_us - from->started_us;
    return GX_OK;
}

static gx_status read_error(const gx_q_reply *from, gx_status status, gx_error *err)
{
    char name[sizeof from->limit];
    if (!err)
        return status;
    memset(err, 0, sizeof *err);
    err->status = status;
    err->line = from->line;
    err->column = from->column;
    err->byte = from->byte;
    copy_text(err->file, from->file, sizeof err->file);
    copy_text(err->text, from->text, sizeof err->text);
    copy_text(name, from->limit, sizeof name);
    err->limit = limit_key(name);
    return status;
}

static gx_status read_reply(gx_slot *h, gx_queue_result *out, gx_error *err)
{
    const gx_q_reply *from = &h->q->slots[h->index].reply;
    const u32 status = gx_load(&from->status);
    out->cpu_us = gx_load(&from->cpu_us);
    out->batch_us = gx_load(&from->batch_us);
    out->on_core = gx_load(&from->on_core) != 0;
    if (status == GX_OK)
        return read_result(h, out, err);
    return read_error(from, status < GX_NEED || status == GX_EBUSY ? (gx_status)status : GX_EBAD, err);
}

static u64 at_most(u64 n, u64 most) { return n < most ? n : most; }

/* Looks for the answer without sleeping: that pays only while answers come so soon. Else it is tried less and less, but
 * now and then again. */
static void spin(gx_slot *h, u64 done)
{
    const gx_q_slot *s = &h->q->slots[h->index];
    if (h->q->many_cores && h->spin_us) {
        const u64 until = gx_now_us() + h->spin_us;
        while (gx_load(&s->word) != done && gx_now_us() < until)
            for (int i = 0; i < 16; i++)
                gx_relax();
        h->spin_us = gx_load(&s->word) == done ? SPIN_US : h->spin_us / 2;
    } else if ((h->seq & 63) == 0)
        h->spin_us = SPIN_US;
}

/* The worker has not kept the document that the request named: once more, with its bytes. */
static gx_status send_again(gx_slot *h)
{
    gx_q_slot *s = &h->q->slots[h->index];
    const gx_queue_request again = h->asked;
    (void)gx_swap(&again.kept->state, GX_KEPT_THERE, GX_KEPT_NAMED);
    gx_add(&s->attempts, (u32)-1);      /* no worker died of it */
    if (gx_swap(&s->word, GX_Q_WORD(h->seq, GX_Q_DONE), GX_Q_WORD(h->seq, GX_Q_HELD)))
        return gx_queue_submit(h, &again);
    return GX_OK;                       /* the slot was taken away: who waits will see it */
}

/* The worker is gone, or hangs. It may have died of this request: then nobody else tries it. */
static gx_status given_up(const gx_slot *h, int is_gone, gx_error *err)
{
    if (is_gone && gx_load(&h->q->slots[h->index].attempts) >= GX_QUEUE_MAX_ATTEMPTS) {
        gx_count(&h->q->header->n_poison);
        return gx_fail(err, GX_EBAD, "", 0, 0, GX_QUEUE_POISON);
    }
    return gx_fail(err, GX_EBUSY, "", 0, 0, is_gone ? "the worker is gone" : "the worker hangs");
}

gx_status gx_queue_wait(gx_slot *h, u64 deadline_us, gx_queue_result *out, gx_error *err)
{
    gx_queue *q = h->q;
    gx_q_slot *s = &q->slots[h->index];
    const u64 done = GX_Q_WORD(h->seq, GX_Q_DONE);
    u64 now = gx_now_us();
    if (deadline_us == 0)
        deadline_us = ~0ull;
    /* who is in a hurry must have time left to do it alone */
    const u64 half = deadline_us > now ? (deadline_us - now) / 2 : 0;
    const u64 stale_us = at_most(half > 3 * GX_QUEUE_BEAT_US ? half : 3 * GX_QUEUE_BEAT_US, GX_QUEUE_STALE_US);

    spin(h, done);
    for (;;) {
        u64 word = gx_load(&s->word);
        if (word == done && gx_load(&s->reply.status) == GX_EABSENT && !h->has_sent) {
            if (send_again(h) != GX_OK)
                return gx_fail(err, GX_EBUSY, "", 0, 0, "no room to send the document again");
            continue;
        }
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
        const int is_gone = gx_queue_gone(q, now);
        if (is_gone || !gx_queue_beats(q, stale_us, now)) {
            if (leave(h))
                continue;
            return given_up(h, is_gone, err);
        }
        gx_store(&s->waiting, 1);
        if (gx_load(&s->word) != done)
            gx_futex_wait(gx_slot_futex(s), (u32)word, now + LOOK_US < deadline_us ? now + LOOK_US : deadline_us);
        gx_store(&s->waiting, 0);
    }
}

void gx_queue_release(gx_slot *h)
{
    gx_queue *q = h->q;
    const u32 index = h->index;
    const u64 seq = h->seq;
    gx_q_slot *s = &q->slots[index];
    if (h->image_cap > KEEP_BYTES) {
        free(h->image);
        h->image = NULL;
        h->image_cap = 0;
    }
    last = index;
    gx_store(&h->is_held, 0);           /* before it is free: *h is the next thread's from then on */
    for (u32 moves = 0; moves < MOST_MOVES; moves++) {       /* then the sweep finds it, when this process has ended */
        u64 word = gx_load(&s->word);
        if (GX_Q_SEQ(word) != seq)
            return;
        switch (GX_Q_STATE(word)) {
        case GX_Q_HELD:
        case GX_Q_DONE:
            if (gx_slot_free(q, index, word))
                return;
            break;
        case GX_Q_SUBMITTED:
            (void)gx_swap(&s->word, word, GX_Q_WORD(seq, GX_Q_HELD));
            break;
        case GX_Q_RUNNING:
        case GX_Q_LEFT:
            if (gx_swap(&s->word, word, GX_Q_WORD(seq, GX_Q_ORPHAN)))
                return;
            break;
        default:
            return;
        }
    }
}
