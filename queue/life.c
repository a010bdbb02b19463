/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life.c -- the worker's life as all processes see it: it begins, beats, ends or dies; and what the status page says
 *
 * There is one worker at a time: the header has its pid, and when its heart last beat. epoch counts those that came and
 * went, and is the futex of who waits for one.
 */
#include <stdio.h>
#include <string.h>
#include "gx.h"
#include "memory.h"

#define GONE_LOOK_US 10000u
#define LOOK_US 20000u                  /* who waits for one looks so often: a dying one may have woken nobody */

/* ---- is there one? ---- */

/* A beat of the future is none: it would stand for a worker that hangs for ever. Only what was made while we stood
 * still may be later than now. */
static u64 last_beat(gx_queue *q, u64 now_us)
{
    const u64 beat = gx_load(&q->header->heartbeat_us);
    return beat > now_us && beat > gx_now_us() ? 0 : beat;
}

int gx_queue_beats(gx_queue *q, u64 stale_us, u64 now_us)
{
    return now_us < last_beat(q, now_us) + stale_us;
}

int gx_queue_alive(gx_queue *q)
{
    const u64 now = gx_now_us();
    return gx_load(&q->header->worker_pid) != 0 && gx_queue_beats(q, GX_QUEUE_STALE_US, now);
}

u64 gx_queue_silent_us(gx_queue *q)
{
    const u64 now = gx_now_us(), beat = last_beat(q, now);
    return now > beat ? now - beat : 0;
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
            gx_futex_wait(&q->header->epoch, epoch, now + LOOK_US < until ? now + LOOK_US : until);
    }
    return GX_OK;
}

/* ---- the worker itself ---- */

/* The requests that a dead worker had. */
static void recover(gx_queue *q)
{
    for (u32 i = 0; i < q->n_slots; i++)
        gx_slot_recover(q, i);
    gx_store(&q->header->sleepers, 0);
}

static void next_epoch(gx_queue *q)
{
    gx_add(&q->header->epoch, 1);
    gx_futex_wake(&q->header->epoch, 0x7fffffff);
}

static void tell_waiters(gx_queue *q)
{
    next_epoch(q);
    for (u32 i = 0; i < q->n_slots; i++)
        gx_slot_wake(&q->slots[i]);
}

/* Who the header says is the worker does not matter: anybody may have written that. */
void gx_queue_worker_begin(gx_queue *q)
{
    gx_store(&q->header->worker_pid, 0);
    recover(q);
    q->hands_back = 0;
    gx_store(&q->header->hands_back, 0);
    gx_store(&q->header->n_devices, 0);
}

void gx_queue_hands_back(gx_queue *q)
{
    q->hands_back = 1;
    gx_store(&q->header->hands_back, 1);
}

void gx_queue_worker_ready(gx_queue *q, const char *engine)
{
    snprintf(q->engine, sizeof q->engine, "%s", engine);
    gx_queue_heartbeat(q);
    gx_count(&q->header->n_workers);
    next_epoch(q);
    gx_queue_ring(q);
}

/* With all that the header says of the worker, in case somebody wrote over it: there is one, and it is this one. */
void gx_queue_heartbeat(gx_queue *q)
{
    u32 pid;
    u64 start;
    gx_self(q, &pid, &start);
    memcpy(q->header->engine, q->engine, sizeof q->header->engine);
    gx_store(&q->header->hands_back, q->hands_back);
    gx_store(&q->header->heartbeat_us, gx_now_us());
    gx_store(&q->header->worker_start, start);
    gx_store(&q->header->worker_pid, pid);
}

/* What a thread still has stays as it is: that may be about to answer, and does not expect others to. It is taken over
 * from the dead. */
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

/* ---- who waits for it, and its parent ---- */

int gx_queue_gone(gx_queue *q, u64 now_us)
{
    gx_q_header *h = q->header;
    u32 pid = gx_load(&h->worker_pid);
    u64 start = gx_load(&h->worker_start), looked = gx_load(&q->looked_us);
    if (pid == 0)
        return 1;
    if (now_us < looked + GONE_LOOK_US || !gx_swap(&q->looked_us, looked, now_us) || gx_load(&h->worker_pid) != pid
        || gx_process_alive(pid, start))
        return 0;
    if (gx_swap(&h->worker_pid, pid, 0))        /* a mistake of ours the next heartbeat mends */
        tell_waiters(q);
    return 1;
}

void gx_queue_worker_died(gx_queue *q)
{
    gx_store(&q->header->worker_pid, 0);
    recover(q);
    tell_waiters(q);
}

/* ---- what people are told ---- */

static void keep_words(char text[64])
{
    text[63] = 0;
    for (char *c = text; *c; c++)
        if (*c < ' ' || *c > '~' || *c == '<' || *c == '&' || *c == '"' || *c == '\\')
            *c = '?';
}

void gx_queue_engine(gx_queue *q, char text[64])
{
    memcpy(text, q->header->engine, 64);
    keep_words(text);
}

void gx_queue_tell_devices(gx_queue *q, const gx_q_device *device, u32 n)
{
    memcpy(q->header->device, device, n * sizeof *device);
    gx_store(&q->header->n_devices, n);
}

/* More in use than there is, somebody else wrote. */
static void get_devices(gx_queue *q, gx_queue_stats *out)
{
    const u32 n = gx_load(&q->header->n_devices);
    out->n_devices = n < GX_Q_DEVICES ? n : GX_Q_DEVICES;
    for (u32 i = 0; i < out->n_devices; i++) {
        gx_q_device *d = &out->device[i];
        memcpy(d, &q->header->device[i], sizeof *d);
        keep_words(d->name);
        if (d->memory_used > d->memory)
            d->memory_used = d->memory;
    }
}

void gx_queue_stats_get(gx_queue *q, gx_queue_stats *out)
{
    gx_q_header *h = q->header;
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
    out->heartbeat_age_us = gx_queue_silent_us(q);
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
    get_devices(q, out);
}
