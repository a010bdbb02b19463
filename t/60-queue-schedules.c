/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 60-queue-schedules.c -- the queue between any two of its accesses to shared memory: all schedules with few deviations
 *
 * The queue's sources are compiled once more as for ThreadSanitizer (Makefile: watched), whose calls before each
 * access, atomic or plain, are answered here: what threads of several processes do is run as coroutines of one, and
 * each such call may go on with another.
 * A scenario is run again and again, depth first, each time with the choices of the run before up to the last that has
 * one left.
 *
 *   in turn      who runs goes on until it sleeps or ends; then comes the first in line who can
 *   deviation    somebody else comes instead, and goes to the front; who was to run, to the end. At most `bound` of
 * them a run: nearly all
 *                races need one or two, where who is made to wait waits as long as others have something to do
 *   point        an access to 8 bytes that another one was seen to access too, one of both writing: elsewhere a
 * deviation changes nothing.
 *                Who is seen to access what is learnt on the way, mostly by the passes with smaller bounds that come
 * first
 *
 * Futexes are modelled, and so is time: it stands still but where somebody's part is to let it go on. So who sleeps in
 * the end, and is no worker's thread, slept through what was to wake it. Where processes die their sleepers' times
 * end: `time_heals`. Who dies takes no further step, wherever it is, from when the part begins that says so.
 *
 * Held true: a unit of the memory is written, and documents and results are read, by those alone whose request has it;
 * an answer is of the request's document, program and parameters; a slot has one owner; nothing is left over in the
 * end, counters add up.
 *
 * Memory is sequentially consistent here: what weaker hardware does, this does not see.
 *
 * 60-queue-schedules [BOUND [WORD]]: another bound (3: an hour), scenarios with that word in their name. GX_TRACE=1:
 * what the run that failed did.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <cmocka.h>
#include <time.h>
#include <ucontext.h>
#include "gx.h"
#include "memory.h"

#define MAX_PARTS 8
#define MAX_SLOTS 2u
#define MAX_STEPS 100000u               /* of a run: it does not end */
#define MAX_PATH 4096
#define STACK (256u << 10)
#define FIRST_PID 0x7000000u            /* no process has such a number */
#define WORDS 32768u                    /* 8 bytes each: the shared memory, and the last ones for what else is shared */
#define CLOCK_WORD (WORDS - 1)
#define DEAD_WORD (WORDS - 2)
#define PRIVATE_WORD(process, i) (WORDS - 64 + (u64)(process) * 2 * MAX_SLOTS + (i))      /* taken, taking */
#define HEAL_US 500000u                 /* a worker sweeps so often */
#define FOREVER_US 3600000000u

enum { PARENT, CHILD_A, CHILD_B, WORKER, WORKER_2, WORKER_3, PROCESSES };
enum { READY, ASLEEP, OVER, DEAD, NOT_YET };

typedef struct part {                   /* what one thread does */
    const char *name;
    void (*run)(void);
    int process;
    int serves;                         /* sleeps in the end, and may */
    /* what it is to do */
    int program, other_process, times, hands_back, keeps, leaves_at_once, comes_last;
    u64 size, wait_us, jump_us;         /* a document's; until it gives up; what a clock goes on by */
    u32 allowed;                        /* bits: what may come instead of an answer */
    /* how far it is */
    int state, timed_out, reads_program;
    u64 asleep_at, until_us, owner;
    ucontext_t at;
} part;

typedef struct scenario {
    const char *name;
    u32 slots, units;
    int bound, time_heals, unpublished; /* in make test; see above; programs are not there yet */
    part parts[MAX_PARTS];
} scenario;

#define BIT(status) (1u << (status))

static part parts[MAX_PARTS], *order[MAX_PARTS], *me;
static u32 n_parts;
static char stacks[MAX_PARTS][STACK] __attribute__((aligned(64)));
static ucontext_t home;
static gx_queue *view[PROCESSES];
static int as_process, is_dead[PROCESSES];
static u64 clock_us;
static struct { u32 pick, of, at; } path[MAX_PATH];     /* at: 2 x the step, + 1: of somebody who stops there */
static u32 path_length, depth, steps, deviations, bound;
static u8 readers[WORDS], writers[WORDS];       /* of 8 bytes: bits of parts */
static int learnt, tracing, some_died, worker_went;
static char broken_text[512];
static const gx_slot *in_use[MAX_SLOTS];
static const part *taker[MAX_SLOTS];
static u64 n_delivered;
static struct { gx_program block; u64 token; } blocks[2];
static gx_queue_program programs[PROCESSES][2];
static gx_queue_kept kept;

typedef struct document { gx_doc doc; u64 token; } document;
typedef struct answer { gx_result result; u64 token, program, param; } answer;

/* ---- schedules ---- */

static void broken(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = snprintf(broken_text, sizeof broken_text, "%s: ", me ? me->name : "in the end");
    vsnprintf(broken_text + n, sizeof broken_text - (size_t)n, format, args);
    va_end(args);
    if (me)
        setcontext(&home);
}

static u32 decide(u32 of, u32 at)
{
    if (depth == path_length) {
        if (depth == MAX_PATH) {
            broken("more than %d choices", MAX_PATH);
            return 0;
        }
        path[path_length].pick = 0;
        path[path_length].at = at;
        path[path_length++].of = of;
    } else if (path[depth].of != of || path[depth].at != at)
        broken("the same choices led elsewhere");
    return path[depth++].pick;
}

/* Puts part p before all others, or behind them; what ends somebody's time, or life, stays behind those that stand
 * still. */
static void put(part *p, int first)
{
    u32 n = 0;
    while (order[n] != p)
        n++;
    for (; first ? n > 0 : n + 1 < n_parts && (p->comes_last || !order[n + 1]->comes_last); n += first ? -1u : 1u)
        order[n] = order[first ? n - 1 : n + 1];
    order[n] = p;
}

/* Who goes on: stay, unless NULL, or else the first who can; while there are deviations left, anybody. NULL: nobody
 * can. */
static part *choose(part *stay)
{
    part *may[MAX_PARTS];
    u32 n = 0;
    if (stay)
        may[n++] = stay;
    for (u32 i = 0; i < n_parts; i++)
        if (order[i]->state == READY && order[i] != stay)
            may[n++] = order[i];
    if (n == 0)
        return NULL;
    const u32 pick = n == 1 || deviations == bound ? 0 : decide(n, 2 * steps + !stay);
    if (pick) {
        deviations++;
        put(may[0], 0);
        put(may[pick], 1);
    }
    return may[pick];
}

static void switch_to(part *next)
{
    part *from = me;
    if (next == from)
        return;
    if (tracing && next)
        fprintf(stderr, "#   -> %s\n", next->name);
    me = next;
    swapcontext(&from->at, next ? &next->at : &home);
}

/* Here others may go on: time passes. */
static void pause_here(void)
{
    if (me->comes_last)
        put(me, 0);
    switch_to(choose(NULL));
}

static void begin_part(void)
{
    me->run();
    me->state = OVER;
    switch_to(choose(NULL));
}

/* ---- what is accessed ---- */

static const char *describe(u64 word)
{
    static char text[80];
    const gx_queue *q = view[PARENT];
    const u64 off = word * 8, slots = (u64)((char *)q->slots - q->base), pending = (u64)((char *)q->pending - q->base);
    const u64 owners = (u64)((char *)q->owners - q->base), entries = (u64)((char *)q->programs - q->base);
    if (word >= PRIVATE_WORD(0, 0))
        snprintf(text, sizeof text, "%s", word == CLOCK_WORD ? "clock" : word == DEAD_WORD ? "who is dead"
                 : "taken, taking");
    else if (off >= q->data)
        snprintf(text, sizeof text, "unit %u + %u", (u32)((off - q->data) / GX_QUEUE_UNIT),
                 (u32)((off - q->data) % GX_QUEUE_UNIT));
    else if (off >= entries)
        snprintf(text, sizeof text, "program %u + %u", (u32)((off - entries) / sizeof *q->programs),
                 (u32)((off - entries) % sizeof *q->programs));
    else if (off >= owners)
        snprintf(text, sizeof text, "owner of unit %u: %llx", (u32)((off - owners) / 8),
                 (unsigned long long)q->owners[(off - owners) / 8]);
    else if (off >= pending)
        snprintf(text, sizeof text, "pending");
    else if (off >= slots) {
        const u32 i = (u32)((off - slots) / sizeof *q->slots), in = (u32)((off - slots) % sizeof *q->slots);
        static const char *const state[] = { "FREE", "HELD", "SUBMITTED", "RUNNING", "DONE", "LEFT", "ORPHAN" };
        snprintf(text, sizeof text, "slot %u (%u %s) + %u%s", i, (u32)GX_Q_SEQ(q->slots[i].word),
                 state[GX_Q_STATE(q->slots[i].word) % GX_Q_STATES],
                 in, in == 0 ? " word" : in == 8 ? " waiting, attempts" : in < offsetof(gx_q_slot, request) ? " owner"
                 : in < offsetof(gx_q_slot, reply) ? " request" : " reply");
    } else
        snprintf(text, sizeof text, "header + %u", (u32)off);
    return text;
}

/* By me. Where another one's may come before or after it others may go on. */
static void access_words(u64 first, u64 last, int writes)
{
    const u8 mine = (u8)(1u << (me - parts));
    int is_point = 0;
    for (u64 w = first; w <= last; w++) {
        u8 *known = writes ? &writers[w] : &readers[w];
        learnt |= !(*known & mine);
        *known |= mine;
        is_point |= ((writes ? readers[w] | writers[w] : writers[w]) & ~mine) != 0;
    }
    if (++steps > MAX_STEPS)
        broken("does not end");
    /* what has been learnt since makes no difference for a path that is taken again */
    if (depth < path_length)
        is_point = path[depth].at == 2 * steps;
    if (is_point)
        switch_to(choose(me));
    if (tracing && is_point)
        fprintf(stderr, "#   %s: %s %s\n", me->name, writes ? "writes" : "reads", describe(first));
}

static void access_memory(const volatile void *p, u64 size, int writes)
{
    if (!me)
        return;
    const gx_queue *q = view[me->process];
    const u64 off = (u64)((const volatile char *)p - q->base);
    if (off < q->size) {
        access_words(off / 8, (off + size - 1) / 8, writes);
        const u64 owner = off < q->data ? me->owner : q->owners[(off - q->data) / GX_QUEUE_UNIT];
        if (owner != me->owner && (owner & 0xffffu) != 0xffffu && (writes || !me->reads_program))
            broken("%s %s, whose owner is %llx", writes ? "writes" : "reads", describe(off / 8),
                   (unsigned long long)owner);
        for (u32 i = 0; writes && me->serves && i < q->n_slots; i++)
            if (p >= (void *)&q->slots[i].reply && p < (void *)(&q->slots[i].reply + 1) && taker[i] != me)
                broken("answers slot %u, which another thread has taken", i);
    } else {
        const u64 taken = (u64)((const volatile char *)p - (char *)q->taken) / sizeof *q->taken;
        const u64 taking = (u64)((const volatile char *)p - (char *)q->taking) / sizeof *q->taking;
        if (taken < MAX_SLOTS || taking < MAX_SLOTS) {
            const u64 word = PRIVATE_WORD(me->process, taken < MAX_SLOTS ? taken : MAX_SLOTS + taking);
            access_words(word, word, writes);
        }
    }
}

/* What the compiler calls, as it is known to ThreadSanitizer. */
void __tsan_init(void);
void __tsan_init(void) { }
void __tsan_func_entry(void *pc);
void __tsan_func_entry(void *pc) { (void)pc; }
void __tsan_func_exit(void *unused);
void __tsan_func_exit(void *unused) { (void)unused; }
#define PLAIN(size) \
    void __tsan_read##size(void *p); \
    void __tsan_read##size(void *p) { access_memory(p, size, 0); } \
    void __tsan_write##size(void *p); \
    void __tsan_write##size(void *p) { access_memory(p, size, 1); }
PLAIN(1) PLAIN(2) PLAIN(4) PLAIN(8) PLAIN(16)
void __tsan_read_range(void *p, long size);
void __tsan_read_range(void *p, long size) { access_memory(p, (u64)size, 0); }
void __tsan_write_range(void *p, long size);
void __tsan_write_range(void *p, long size) { access_memory(p, size, 1); }
#define ADDS(bits, name, sum) \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile void *at, uint##bits##_t v, int order); \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile void *at, uint##bits##_t v, int order) \
    { \
        volatile uint##bits##_t *p = at; \
        (void)order, access_memory(p, bits / 8, 1); \
        const uint##bits##_t old = *p; \
        *p = sum; \
        return old; \
    }
#define ATOMIC(bits) \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile void *p, int order); \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile void *p, int order) \
    { (void)order, access_memory(p, bits / 8, 0); return *(const volatile uint##bits##_t *)p; } \
    void __tsan_atomic##bits##_store(volatile void *p, uint##bits##_t v, int order); \
    void __tsan_atomic##bits##_store(volatile void *p, uint##bits##_t v, int order) \
    { (void)order, access_memory(p, bits / 8, 1); *(volatile uint##bits##_t *)p = v; } \
    ADDS(bits, fetch_add, old + v)
ATOMIC(8) ATOMIC(32) ATOMIC(64) ADDS(64, fetch_or, old | v) ADDS(64, fetch_and, old & v)
/* clang's, and gcc's by way of it */
uint64_t __tsan_atomic64_compare_exchange_val(volatile void *at, uint64_t from, uint64_t to, int order,
                                              int order_failed);
uint64_t __tsan_atomic64_compare_exchange_val(volatile void *at, uint64_t from, uint64_t to, int order,
                                              int order_failed)
{
    volatile uint64_t *p = at;
    (void)order, (void)order_failed, access_memory(p, 8, 1);
    const uint64_t old = *p;
    if (old == from)
        *p = to;
    return old;
}
_Bool __tsan_atomic32_compare_exchange_strong(volatile void *at, void *from, uint32_t to, int order, int order_failed);
_Bool __tsan_atomic32_compare_exchange_strong(volatile void *at, void *from, uint32_t to, int order, int order_failed)
{
    volatile uint32_t *p = at;
    uint32_t want;
    (void)order, (void)order_failed, access_memory(p, 4, 1);
    memcpy(&want, from, 4);
    const uint32_t old = *p;
    if (old == want)
        *p = to;
    return old == want || (memcpy(from, &old, 4), 0);
}

_Bool __tsan_atomic64_compare_exchange_strong(volatile void *at, void *from, uint64_t to, int order, int order_failed);
_Bool __tsan_atomic64_compare_exchange_strong(volatile void *at, void *from, uint64_t to, int order, int order_failed)
{
    uint64_t want;
    memcpy(&want, from, 8);
    const uint64_t old = __tsan_atomic64_compare_exchange_val(at, want, to, order, order_failed);
    return old == want || (memcpy(from, &old, 8), 0);
}

/* What the queue calls under these names instead of the library's (Makefile). */
void *watched_memcpy(void *to, const void *from, size_t n);
void *watched_memcpy(void *to, const void *from, size_t n)
{
    if (n) {
        access_memory(from, n, 0);
        access_memory(to, n, 1);
    }
    return memcpy(to, from, n);
}

/* clang's for copies and zeros of structs, from its version 16 on */
void *__tsan_memcpy(void *to, const void *from, size_t n);
void *__tsan_memcpy(void *to, const void *from, size_t n) { return watched_memcpy(to, from, n); }
void *__tsan_memset(void *to, int byte, size_t n);
void *__tsan_memset(void *to, int byte, size_t n)
{
    if (n)
        access_memory(to, n, 1);
    return memset(to, byte, n);
}

int watched_memcmp(const void *a, const void *b, size_t n);
int watched_memcmp(const void *a, const void *b, size_t n)
{
    if (me)
        me->reads_program++;            /* publish: it looks afterwards whether this was still what it was */
    access_memory(a, n, 0);
    if (me)
        me->reads_program--;
    return memcmp(a, b, n);
}

pid_t watched_getpid(void);
pid_t watched_getpid(void) { return (pid_t)(FIRST_PID + (u32)(me ? me->process : as_process)); }

int watched_kill(pid_t pid, int sig);
int watched_kill(pid_t pid, int sig)
{
    (void)sig;
    if (me)
        access_words(DEAD_WORD, DEAD_WORD, 0);
    errno = ESRCH;
    return is_dead[(u32)pid - FIRST_PID] ? -1 : 0;
}

int watched_clock_gettime(clockid_t id, struct timespec *out);
int watched_clock_gettime(clockid_t id, struct timespec *out)
{
    (void)id;
    if (me)
        access_words(CLOCK_WORD, CLOCK_WORD, 0);
    out->tv_sec = (time_t)(clock_us / 1000000);
    out->tv_nsec = (long)(clock_us % 1000000) * 1000;
    return 0;
}

/* Of system calls by number only futexes. Woken is who slept first. */
long watched_syscall(long n, u32 *at, int what, u32 value, const struct timespec *until, void *unused, u32 mask);
long watched_syscall(long n, u32 *at, int what, u32 value, const struct timespec *until, void *unused, u32 mask)
{
    (void)n, (void)unused, (void)mask;
    const u64 off = (u64)((char *)at - view[me ? me->process : as_process]->base);
    if (what == FUTEX_WAKE) {
        access_memory(at, 4, 1);
        for (u32 i = 0; i < n_parts && value; i++)
            if (parts[i].state == ASLEEP && parts[i].asleep_at == off) {
                parts[i].state = READY;
                value--;
            }
        return 0;
    }
    access_memory(at, 4, 0);
    if (*at != value) {
        errno = EAGAIN;
        return -1;
    }
    me->asleep_at = off;
    me->until_us = (u64)until->tv_sec * 1000000 + (u64)until->tv_nsec / 1000;
    me->timed_out = me->until_us <= clock_us;
    if (!me->timed_out) {
        me->state = ASLEEP;
        switch_to(choose(NULL));
    }
    errno = ETIMEDOUT;
    return me->timed_out ? -1 : 0;
}

static void time_goes_on(u64 us)
{
    clock_us += us;
    for (u32 i = 0; i < n_parts; i++)
        if (parts[i].state == ASLEEP && parts[i].until_us <= clock_us) {
            parts[i].state = READY;
            parts[i].timed_out = 1;
        }
}

/* ---- parts ---- */

static u64 token_of(const part *p) { return 0x1000u + (u64)(p - parts); }

/* A child's thread with a request. */
static void client(void)
{
    gx_queue *q = view[me->process];
    gx_slot *slot;
    gx_error err;
    gx_queue_result r;
    char value[16];
    gx_param param = { "token", value };
    gx_queue_request request;
    struct { document d; char more[3 * GX_QUEUE_UNIT]; } *doc;
    static __typeof__(*doc) docs[MAX_PARTS];
    gx_status status;
    while ((status = gx_queue_acquire(q, FOREVER_US, &slot)) == GX_EBUSY)
        gx_queue_wait_alive(q, FOREVER_US);     /* acquire waits for no worker: this one comes back later */
    if (status != GX_OK)
        broken("no slot");
    me->owner = GX_OWNER_SLOT(slot->index, slot->seq);
    if (in_use[slot->index])
        broken("slot %u has an owner", slot->index);
    in_use[slot->index] = slot;
    doc = &docs[me - parts];
    doc->d.token = token_of(me);
    snprintf(value, sizeof value, "%u", (u32)token_of(me));
    memset(&request, 0, sizeof request);
    request.doc = doc;
    request.doc_size = me->size ? me->size : sizeof(document);
    request.program = &programs[me->process][me->program];
    request.params = &param;
    request.n_params = 1;
    request.deadline_us = me->wait_us ? clock_us + me->wait_us : 0;
    request.kept = me->keeps ? &kept : NULL;
    status = gx_queue_submit(slot, &request);
    if (status == GX_OK && !me->leaves_at_once) {
        status = gx_queue_wait(slot, request.deadline_us, &r, &err);
        const answer *a = (const answer *)r.base;
        if (status == GX_OK && (r.size != sizeof *a || a->token != token_of(me)
                                || a->program != blocks[me->program].token || a->param != token_of(me)))
            broken("an answer for %llx, %llx, %llx", (unsigned long long)a->token, (unsigned long long)a->program,
                   (unsigned long long)a->param);
    }
    if (worker_went && status == GX_EBUSY)
        status = GX_OK;                 /* without a worker nothing is submitted, and nobody waits for its answer */
    if (status != GX_OK && !(me->allowed & BIT(status)))
        broken("status %d", status);
    in_use[slot->index] = NULL;
    gx_queue_release(slot);
}

static void look_at_owner(const gx_queue_job *job, gx_q_run run, const char *what)
{
    gx_queue *q = view[me->process];
    if (run.size && q->owners[(run.off - q->data) / GX_QUEUE_UNIT] != GX_OWNER_SLOT(job->slot, job->seq))
        broken("the %s is another's while it is evaluated", what);
}

static void evaluate(const gx_queue_job *job)
{
    gx_queue *q = view[me->process];
    gx_error err;
    answer a;
    document doc;
    void *block;
    u64 size;
    char text[256];
    gx_param *params;
    int n;
    me->owner = GX_OWNER_SLOT(job->slot, job->seq);
    taker[job->slot] = me;
    me->reads_program = 1;
    gx_status status = gx_queue_program_copy(q, job, &block, &size);
    me->reads_program = 0;
    memset(&a, 0, sizeof a);
    a.result.used = sizeof a;
    if (status == GX_OK) {
        a.program = ((const __typeof__(blocks[0]) *)block)->token;
        free(block);
        if (gx_q_is_kept(&job->request))
            status = GX_EABSENT;
    }
    if (status == GX_OK) {
        watched_memcpy(&doc, gx_queue_at(q, job->request.doc), sizeof doc);
        watched_memcpy(text, gx_queue_at(q, job->request.params), job->request.params.size);
        if (gx_queue_params_decode(text, job->request.params.size, &params, &n) != GX_OK)
            broken("parameters");
        a.token = doc.token;
        a.param = strtoull(params[0].value, NULL, 10);
        free(params);
        if (a.program != blocks[parts[a.token - token_of(parts)].program].token || a.param != a.token)
            broken("the program or the parameters of another request");
    }
    look_at_owner(job, job->request.doc, "document");
    look_at_owner(job, job->request.params, "parameters");
    if (status != GX_OK)
        gx_fail(&err, status, "", 0, 0, "no answer");
    n_delivered += (u64)gx_queue_finish(q, job, status, status == GX_OK ? NULL : &err, &a, sizeof a);
    me->owner = 0;
}

/* A worker's thread. */
static void server(void)
{
    u32 hint = 0;
    gx_queue_job job;
    for (;;)
        if (gx_queue_take_wait(view[me->process], &hint, &job, FOREVER_US, 0))
            evaluate(&job);
}

static void begin_worker(int process, int hands_back)
{
    gx_queue_worker_begin(view[process]);
    if (hands_back)
        gx_queue_hands_back(view[process]);
    gx_queue_worker_ready(view[process], "test");
    gx_queue_sweep(view[process]);
}

static void next_worker(void)
{
    begin_worker(me->process, me->hands_back);
    server();
}

static void die(int process)
{
    access_words(DEAD_WORD, DEAD_WORD, 1);
    is_dead[process] = some_died = 1;
    worker_went |= process >= WORKER;
    for (u32 i = 0; i < n_parts; i++)
        if (parts[i].process == process) {
            parts[i].state = DEAD;
            if (parts[i].owner && parts[i].run == client)
                in_use[(parts[i].owner & 0xffffu) - 1] = NULL;
        }
    if (tracing)
        fprintf(stderr, "#   process %d dies\n", process);
}

/* The parent: a child dies and it sees that. */
static void child_dies(void)
{
    die(me->other_process);
    gx_queue_reap(view[PARENT], FIRST_PID + (u32)me->other_process);
}

/* It dies, and only the worker's sweep finds out. */
static void child_is_gone(void) { die(me->other_process); }

/* The parent: a worker dies, another is started, so many times. */
static void workers_die(void)
{
    for (int i = 0; i < me->times; i++) {
        if (i)
            pause_here();
        die(WORKER + i);
        gx_queue_worker_died(view[PARENT]);
        for (u32 k = 0; k < n_parts; k++)
            if (parts[k].process == WORKER + i + 1)
                parts[k].state = READY;
    }
}

/* The worker's main thread: is asked to end. */
static void worker_ends(void)
{
    worker_went = 1;
    gx_queue_worker_end(view[me->process]);
}

/* The worker's main thread: heart and sweep. */
static void sweeper(void)
{
    for (int i = 0; i < me->times; i++) {
        if (i) {
            pause_here();
            access_words(CLOCK_WORD, CLOCK_WORD, 1);
            time_goes_on(me->jump_us);
        }
        gx_queue_heartbeat(view[me->process]);
        gx_queue_sweep(view[me->process]);
    }
}

static void time_passes(void)
{
    for (int i = 0; i < me->times; i++) {
        access_words(CLOCK_WORD, CLOCK_WORD, 1);
        time_goes_on(me->jump_us);
        pause_here();
    }
}

/* ---- runs ---- */

static int live_worker(void)
{
    for (int p = WORKER; p < PROCESSES; p++)
        if (!is_dead[p] && view[PARENT]->header->worker_pid == FIRST_PID + (u32)p)
            return p;
    return -1;
}

/* All as if it were new. */
static void set_up(const scenario *s)
{
    gx_slot *slot;
    const gx_queue *q = view[PARENT];
    memset(q->base, 0, (size_t)((char *)q->programs - q->base) + 32 * sizeof *q->programs);
    memset(is_dead, 0, sizeof is_dead);
    memset(in_use, 0, sizeof in_use);
    n_delivered = 0;
    clock_us = 1000000000;
    me = NULL;
    some_died = worker_went = 0;
    broken_text[0] = 0;
    kept = (gx_queue_kept){ .state = GX_KEPT_THERE };
    for (int p = 0; p < PROCESSES; p++) {
        gx_queue *v = view[p];
        v->n_slots = s->slots;
        v->n_units = s->units;
        v->n_programs = 32;
        v->many_cores = 0;
        v->self_pid = FIRST_PID + (u32)p;
        v->self_start = 2;
        memset(v->taken, 0, MAX_SLOTS * sizeof *v->taken);
        memset(v->taking, 0, MAX_SLOTS * sizeof *v->taking);
        memset(v->seen, 0, (MAX_SLOTS + 32) * sizeof *v->seen);
        for (u32 i = 0; i < MAX_SLOTS; i++) {
            v->held[i].seq = v->held[i].is_held = 0;
            v->held[i].spin_us = 0;
        }
        for (int k = 0; k < 2; k++)
            programs[p][k].entry = ~0ull;
    }
    n_parts = 0;
    for (as_process = WORKER; n_parts < MAX_PARTS && s->parts[n_parts].name; n_parts++)
        ;
    begin_worker(WORKER, s->parts[0].hands_back);
    as_process = PARENT;
    /* a thread begins with the slot that it had last, and all of ours are one thread: it is to be the first */
    for (u32 i = 1; i < s->slots; i++)
        q->slots[i].word = GX_Q_HELD;
    if (gx_queue_acquire(view[PARENT], 0, &slot) != GX_OK)
        broken("no slot");
    gx_queue_release(slot);
    for (u32 i = 1; i < s->slots; i++)
        q->slots[i].word = GX_Q_FREE;
    for (int p = 0; p < PROCESSES && !s->unpublished; p++)
        if (gx_queue_publish(view[p], &programs[p][0]) != GX_OK)
            broken("no program");
    memcpy(parts, s->parts, sizeof parts);
    for (u32 i = 0; i < n_parts; i++) {
        part *p = &parts[i];
        order[i] = p;
        p->state = p->process > WORKER ? NOT_YET : READY;
        getcontext(&p->at);
        p->at.uc_stack.ss_sp = stacks[i];
        p->at.uc_stack.ss_size = STACK;
        makecontext(&p->at, begin_part, 0);
    }
}

static void look_at_end(const scenario *s)
{
    const gx_queue *q = view[PARENT];
    const int worker = live_worker();
    u32 asleep = 0;
    if (worker >= 0 && some_died) {     /* who died between two instructions: in ten seconds it is known */
        as_process = worker;
        for (int i = 0; i < 3; i++) {
            gx_queue_sweep(view[worker]);
            clock_us += 11000000;
        }
    }
    for (u32 i = 0; i < n_parts; i++)
        asleep += parts[i].state == ASLEEP;
    for (u32 i = 0; i < s->slots; i++)
        if (GX_Q_STATE(q->slots[i].word) != GX_Q_FREE)
            broken("%s is not free", describe((u64)((char *)&q->slots[i] - q->base) / 8));
    for (u32 i = 0; i < s->units; i++)
        if (q->owners[i] && ((q->owners[i] & 0xffffu) != 0xffffu || !gx_program_owns(q, q->owners[i])))
            broken("unit %u is not free: %llx", i, (unsigned long long)q->owners[i]);
    if (!some_died && (q->header->sleepers != asleep || q->header->free_waiters))
        broken("%u sleepers, %u wait for slots", q->header->sleepers, q->header->free_waiters);
    if (!some_died && q->header->n_done != n_delivered)
        broken("%u answers, %u counted", (u32)n_delivered, (u32)q->header->n_done);
}

/* 0: broken_text says why. */
static int run_once(const scenario *s)
{
    volatile int heals = 0;
    set_up(s);
    depth = deviations = steps = 0;
    for (;;) {
        volatile int here = 0;
        getcontext(&home);
        if (!here) {
            here = 1;
            part *first = choose(NULL);
            if (first) {
                me = first;
                setcontext(&first->at);
            }
        }
        me = NULL;
        if (broken_text[0])
            return 0;
        int waits = 0;
        for (u32 i = 0; i < n_parts; i++)
            if (parts[i].state == ASLEEP && !parts[i].serves) {
                waits = 1;
                if (!s->time_heals || heals > 60)
                    broken("%s sleeps and nobody wakes it: %s", parts[i].name, describe(parts[i].asleep_at / 8));
            }
        if (broken_text[0])
            return 0;
        if (!waits)
            break;
        heals = heals + 1;
        time_goes_on(HEAL_US);
        as_process = live_worker();
        if (as_process >= 0) {
            gx_queue_heartbeat(view[as_process]);
            gx_queue_sweep(view[as_process]);
        }
    }
    look_at_end(s);
    return !broken_text[0];
}

/* The next path in depth-first order. 0: that was the last. */
static int next_path(void)
{
    while (path_length && path[path_length - 1].pick + 1 == path[path_length - 1].of)
        path_length--;
    if (!path_length)
        return 0;
    path[path_length - 1].pick++;
    return 1;
}

static u64 explore(const scenario *s, u32 most)
{
    u64 runs = 0;
    memset(readers, 0, sizeof readers);
    memset(writers, 0, sizeof writers);
    for (bound = 0; bound <= most; bound += bound == most || !learnt) {
        learnt = 0;
        path_length = 0;
        do {
            runs++;
            if (!run_once(s)) {
                char text[sizeof broken_text];
                strcpy(text, broken_text);
                tracing = getenv("GX_TRACE") != NULL;
                if (tracing)
                    run_once(s);
                fail_msg("%s, schedule %llu, %u deviations: %s", s->name, (unsigned long long)runs, deviations, text);
            }
        } while (next_path());
    }
    return runs;
}

/* ---- scenarios ---- */

#define CLIENT_A .name = "client A", .run = client, .process = CHILD_A
#define CLIENT_B .name = "client B", .run = client, .process = CHILD_B
#define SERVER .name = "worker", .run = server, .process = WORKER, .serves = 1
#define SERVER_TOO .name = "worker's other thread", .run = server, .process = WORKER, .serves = 1
#define SERVER_2 .name = "second worker", .run = next_worker, .process = WORKER_2, .serves = 1
#define SERVER_3 .name = "third worker", .run = next_worker, .process = WORKER_3, .serves = 1
#define SWEEP(n, us) .name = "sweep", .run = sweeper, .process = WORKER, .times = n, .jump_us = us
#define WORKERS_DIE(n) .name = "parent", .run = workers_die, .process = PARENT, .comes_last = 1, .times = n
#define CHILD_DIES .name = "parent", .run = child_dies, .process = PARENT, .comes_last = 1, .other_process = CHILD_A
#define CLOCK(us) .name = "clock", .run = time_passes, .process = PARENT, .comes_last = 1, .times = 1, .jump_us = us
#define MAY_LACK .allowed = BIT(GX_EBUSY) | BIT(GX_EARENA)
#define MAY_BE_BUSY .allowed = BIT(GX_EBUSY)

/* slots, units (a program, a document, parameters and an answer take one each), deviations in make test */
static const scenario scenarios[] = {
    { "a client, a worker", 1, 4, 3, .parts = { { SERVER }, { CLIENT_A } } },
    { "two clients, one slot", 1, 4, 2, .parts = { { SERVER }, { CLIENT_A }, { CLIENT_B } } },
    { "two threads on each side", 2, 8, 2, .parts = { { SERVER }, { SERVER_TOO }, { CLIENT_A },
        { .name = "client A's other thread", .run = client, .process = CHILD_A } } },
    { "the deadline comes", 1, 4, 2,
        .parts = { { SERVER }, { CLIENT_A, .wait_us = 100000, .allowed = BIT(GX_ETIME) }, { CLOCK(150000) },
                   { CLIENT_B } } },
    { "released before the answer", 1, 4, 2, .parts = { { SERVER }, { CLIENT_A, .leaves_at_once = 1 }, { CLIENT_B } } },
    { "too little memory", 2, 3, 2,
      .parts = { { SERVER }, { CLIENT_A, MAY_LACK }, { CLIENT_B, MAY_LACK, .size = 2 * GX_QUEUE_UNIT } } },
    { "a child dies", 1, 6, 2, .time_heals = 1, .parts = { { SERVER }, { CLIENT_A }, { CLIENT_B, MAY_BE_BUSY },
                                                           { CHILD_DIES } } },
    { "a child dies beside a sweep", 1, 6, 2, .time_heals = 1,
        .parts = { { SERVER }, { CLIENT_A }, { CLIENT_B, MAY_BE_BUSY }, { CHILD_DIES }, { SWEEP(1, 0) } } },
    { "a child dies, which a sweep finds out", 1, 6, 2, .time_heals = 1,
        .parts = { { CLIENT_A }, { .name = "its end", .run = child_is_gone, .process = PARENT, .comes_last = 1,
                                   .other_process = CHILD_A },
                   { SWEEP(1, 0) }, { CLIENT_B }, { SERVER, .comes_last = 1 } } },
    { "a worker dies", 1, 6, 2, .parts = { { SERVER }, { CLIENT_A }, { SERVER_2 }, { WORKERS_DIE(1) } } },
    { "two workers die", 1, 6, 2,
        .parts = { { SERVER }, { CLIENT_A, .allowed = BIT(GX_EBAD) }, { SERVER_2 }, { SERVER_3 },
                   { WORKERS_DIE(2) } } },
    { "two workers die that hand back", 1, 6, 2,
        .parts = { { SERVER, .hands_back = 1 }, { CLIENT_A, .allowed = BIT(GX_EHOST) }, { SERVER_2, .hands_back = 1 },
                   { SERVER_3, .hands_back = 1 }, { WORKERS_DIE(2) } } },
    { "a worker ends, dies", 1, 6, 2, .parts = { { SERVER }, { CLIENT_A }, { SERVER_2 }, { WORKERS_DIE(1) },
        { .name = "worker's main thread", .run = worker_ends, .process = WORKER } } },
    { "a worker dies, the deadline comes", 1, 6, 2,
        .parts = { { SERVER }, { CLIENT_A, .wait_us = 100000, .allowed = BIT(GX_ETIME) | BIT(GX_EBUSY) }, { SERVER_2 },
                   { WORKERS_DIE(1) },
                   { CLOCK(150000) } } },
    { "a child and a worker die", 1, 6, 2, .time_heals = 1,
      .parts = { { SERVER }, { CLIENT_A }, { SERVER_2 }, { WORKERS_DIE(1) }, { CHILD_DIES } } },
    { "the document is not there any more", 1, 4, 2, .parts = { { SERVER }, { SERVER_TOO }, { CLIENT_A, .keeps = 1 },
                                                                { SWEEP(3, 600000) } } },
    { "a thread stands still", 1, 4, 2, .parts = { { SERVER }, { SERVER_TOO }, { CLIENT_A }, { SWEEP(3, 600000) } } },
    /* three deviations: who signs after ten seconds, between the sweep's look and its swap, loses the slot and writes
     * on. Let it be */
    { "a child stands still for long", 1, 4, 2, .time_heals = 1,
        .parts = { { SERVER }, { CLIENT_A, MAY_BE_BUSY }, { CLIENT_B, MAY_BE_BUSY }, { SWEEP(2, 11000000) } } },
    { "a publisher stands still for long", 2, 8, 2, .time_heals = 1, .unpublished = 1,
        .parts = { { SERVER }, { CLIENT_A, MAY_BE_BUSY }, { CLIENT_B, MAY_BE_BUSY }, { SWEEP(2, 11000000) } } },
    { "two programs, room for one", 2, 3, 2, .unpublished = 1,
        .parts = { { SERVER }, { CLIENT_A, MAY_LACK }, { CLIENT_B, MAY_LACK, .program = 1 }, { SWEEP(3, 600000) } } },
};

static u32 most;                        /* deviations asked for; 0: the scenario's */

static void test_scenario(void **state)
{
    const scenario *s = *state;
    struct timespec began, ended;
    const u32 limit = most ? most : (u32)s->bound;
    clock_gettime(CLOCK_MONOTONIC, &began);
    const u64 runs = explore(s, limit);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    print_message("# %s: %llu schedules, at most %u deviations, %.1f s\n", s->name, (unsigned long long)runs, limit,
                  (double)(ended.tv_sec - began.tv_sec) + (double)(ended.tv_nsec - began.tv_nsec) / 1e9);
}

int main(int argc, char **argv)
{
    enum { N = sizeof scenarios / sizeof *scenarios };
    struct CMUnitTest tests[N];
    u32 n = 0;
    gx_error err;
#ifdef __SANITIZE_ADDRESS__
    return printf("1..0 # SKIP AddressSanitizer does not know coroutines, and the queue is compiled without it here\n"),
        0;
#endif
    most = argc > 1 ? (u32)atoi(argv[1]) : 0;
    if (gx_queue_create(MAX_SLOTS, 1u << 20, &view[PARENT], &err) != GX_OK)
        return printf("Bail out! %s\n", err.text), 1;
    const gx_queue_shape shape = gx_queue_shape_of(view[PARENT]);
    for (int p = 1; p < PROCESSES; p++)
        if (gx_queue_attach(view[PARENT]->fd, &shape, &view[p], &err) != GX_OK)
            return printf("Bail out! %s\n", err.text), 1;
    for (u64 k = 0; k < 2; k++) {
        blocks[k].block.magic = GX_PROG_MAGIC;
        blocks[k].block.size = sizeof blocks[k];
        blocks[k].token = 0xa0 + k;
        for (int p = 0; p < PROCESSES; p++)
            gx_queue_program_init(&programs[p][k], &blocks[k], sizeof blocks[k]);
    }
    for (u32 i = 0; i < N; i++)
        if (argc <= 2 || strstr(scenarios[i].name, argv[2]))
            tests[n++] = (struct CMUnitTest){ scenarios[i].name, test_scenario, NULL, NULL,
                                              (void *)(uintptr_t)&scenarios[i] };
    return _cmocka_run_group_tests("queue, schedules", tests, n, NULL, NULL);
}
