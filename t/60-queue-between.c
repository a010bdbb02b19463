/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 60-queue-between.c -- the queue between two of its instructions: a thread stands still there while others go on
 *
 * The functions that the queue calls at such places are replaced by ones that let something happen first.
 */
#define _GNU_SOURCE             /* RTLD_NEXT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <pthread.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "gx.h"
#include "memory.h"

#define MiB (1u << 20)
#define TAKEN_FOR_DEAD_US 11000000u     /* program.c, sweep.c: UNSIGNED_US */

static void (*at_getpid)(void), (*at_wake)(void);   /* once */
static gx_queue *q;

static void once(void (**what)(void))
{
    void (*f)(void) = __atomic_exchange_n(what, NULL, __ATOMIC_SEQ_CST);
    if (f)
        f();
}

/* A process signs with its number what it took: memory.c, gx_self */
pid_t getpid(void)
{
    once(&at_getpid);
    return ((pid_t (*)(void))dlsym(RTLD_NEXT, "getpid"))();
}

long syscall(long n, ...)
{
    long a[6];
    va_list args;
    va_start(args, n);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    if (n == SYS_futex && a[1] == FUTEX_WAKE)
        once(&at_wake);
    return ((long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"))(n, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void make(u32 slots)
{
    gx_error err;
    if (gx_queue_create(slots, 2 * MiB, &q, &err) != GX_OK)
        fail_msg("%s", err.text);
    gx_queue_worker_begin(q);
    gx_queue_worker_ready(q, "test");
}

static void make_program(gx_queue_program *program, gx_program *block)
{
    memset(block, 0, sizeof *block);
    block->magic = GX_PROG_MAGIC;
    block->size = sizeof *block;
    gx_queue_program_init(program, block, sizeof *block);
}

/* ---- taken, but not signed: the sweep gives it to the next one after a while ---- */

static gx_slot *other;

static void slot_is_lost(void)
{
    q->seen[0].word = gx_load(&q->slots[0].word);
    q->seen[0].since_us = gx_now_us() - TAKEN_FOR_DEAD_US;
    gx_queue_sweep(q);
    assert_int_equal(gx_queue_acquire(q, 0, &other), GX_OK);
}

static void test_slot_lost_before_signed(void **state)
{
    (void)state;
    gx_slot *slot = NULL;
    make(1);
    /* a thread's first call asks for the number elsewhere, too */
    assert_int_equal(gx_queue_acquire(q, 0, &slot), GX_OK);
    gx_queue_release(slot);
    at_getpid = slot_is_lost;
    assert_int_equal(gx_queue_acquire(q, 1000, &slot), GX_EBUSY);
    assert_true(gx_load(&q->slots[0].word) == GX_Q_WORD(other->seq, GX_Q_HELD));       /* it is theirs alone */
    gx_queue_release(other);
    gx_queue_destroy(q);
}

static void program_is_lost(void)
{
    for (u32 i = 0; i < q->n_programs; i++) {
        q->seen[q->n_slots + i].word = gx_load(&q->programs[i].word);
        q->seen[q->n_slots + i].since_us = gx_now_us() - TAKEN_FOR_DEAD_US;
    }
    gx_queue_sweep(q);
}

static void test_program_lost_before_signed(void **state)
{
    (void)state;
    gx_queue_program program;
    gx_program block;
    gx_queue_stats s;
    make(1);
    make_program(&program, &block);
    at_getpid = program_is_lost;
    assert_int_equal(gx_queue_publish(q, &program), GX_OK);
    gx_queue_stats_get(q, &s);
    assert_int_equal(s.programs, 1);
    /* in the second try: nothing was written where others may write by then */
    assert_int_equal(s.units_used, 1);
    gx_queue_destroy(q);
}

/* ---- answered, but the worker's thread has not ended the job yet ---- */

static pthread_barrier_t answered, go_on;

static void stand_still(void)
{
    pthread_barrier_wait(&answered);
    pthread_barrier_wait(&go_on);
}

static void *answer_absent(void *job)
{
    gx_error err;
    gx_fail(&err, GX_EABSENT, "", 0, 0, "gone");
    gx_queue_finish(q, job, GX_EABSENT, &err, NULL, 0);
    return NULL;
}

static void *wait_for_it(void *slot)
{
    gx_queue_result r;
    gx_error err;
    return (void *)(uintptr_t)gx_queue_wait(slot, gx_now_us() + 10000000, &r, &err);
}

static void make_request(gx_queue_request *request, gx_queue_program *program, gx_program *block,
                         char doc[sizeof(gx_doc)])
{
    make_program(program, block);
    memset(doc, 0, sizeof(gx_doc));
    memset(request, 0, sizeof *request);
    request->doc = doc;
    request->doc_size = sizeof(gx_doc);
    request->program = program;
}

/* The same request once more, with its document: the thread that had it first must not say that nobody has it now, or
 * the sweep would give it to a second one, and an answer's memory could be written while it is read. */
static void test_ended_late(void **state)
{
    (void)state;
    gx_queue_program program;
    gx_program block;
    gx_queue_request request;
    gx_queue_job first, again, none;
    gx_slot *slot;
    gx_result result;
    gx_queue_kept kept = { .state = GX_KEPT_THERE };
    u32 hint = 0;
    char doc[sizeof(gx_doc)];
    pthread_t worker, owner;
    void *status;
    make(1);
    make_request(&request, &program, &block, doc);
    request.kept = &kept;
    assert_int_equal(gx_queue_acquire(q, 0, &slot), GX_OK);
    assert_int_equal(gx_queue_submit(slot, &request), GX_OK);
    pthread_create(&owner, NULL, wait_for_it, slot);
    while (!gx_load(&q->slots[0].waiting))
        usleep(100);
    assert_int_equal(gx_queue_take(q, &hint, &first), 1);
    at_wake = stand_still;
    pthread_create(&worker, NULL, answer_absent, &first);
    pthread_barrier_wait(&answered);
    /* the owner wakes by itself, or saw it before it slept */
    while (!gx_queue_take_wait(q, &hint, &again, 10000, 0))
        gx_queue_heartbeat(q);
    assert_int_equal(again.request.doc.size, sizeof doc);
    pthread_barrier_wait(&go_on);
    pthread_join(worker, NULL);
    q->seen[0].word = gx_load(&q->slots[0].word);               /* it takes longer than a sweep trusts an unknown one */
    q->seen[0].since_us = gx_now_us() - 2 * GX_QUEUE_STALE_US;
    gx_queue_sweep(q);
    assert_int_equal(gx_queue_take(q, &hint, &none), 0);
    memset(&result, 0, sizeof result);
    result.used = sizeof result;
    assert_int_equal(gx_queue_finish(q, &again, GX_OK, NULL, &result, sizeof result), 1);
    pthread_join(owner, &status);
    assert_int_equal((uintptr_t)status, GX_OK);
    gx_queue_release(slot);
    gx_queue_destroy(q);
}

/* ---- the worker is asked to end while a thread writes an answer ---- */

static gx_result *unreadable;

static void on_fault(int sig)
{
    (void)sig;
    stand_still();
    mprotect(unreadable, 4096, PROT_READ);
}

static void *answer_slowly(void *job)
{
    /* its memory is taken, and it is copied there */
    gx_queue_finish(q, job, GX_OK, NULL, unreadable, sizeof *unreadable);
    return NULL;
}

/* Nobody may be told of an answer whose memory that thread, finding that it is too late, then gives back. */
static void test_end_while_answering(void **state)
{
    (void)state;
    gx_queue_program program;
    gx_program block;
    gx_queue_request request;
    gx_queue_job job;
    gx_queue_result r;
    gx_error err;
    gx_slot *slot;
    u32 hint = 0;
    char doc[sizeof(gx_doc)];
    pthread_t worker;
    struct sigaction stop = { .sa_handler = on_fault }, before;
    make(1);
    make_request(&request, &program, &block, doc);
    unreadable = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(unreadable != MAP_FAILED);
    unreadable->used = sizeof *unreadable;
    mprotect(unreadable, 4096, PROT_NONE);
    sigaction(SIGSEGV, &stop, &before);
    assert_int_equal(gx_queue_acquire(q, 0, &slot), GX_OK);
    assert_int_equal(gx_queue_submit(slot, &request), GX_OK);
    q->slots[0].attempts = GX_QUEUE_MAX_ATTEMPTS - 1;           /* a worker died of it, or beside it, before */
    assert_int_equal(gx_queue_take(q, &hint, &job), 1);
    pthread_create(&worker, NULL, answer_slowly, &job);
    pthread_barrier_wait(&answered);
    gx_queue_worker_end(q);
    pthread_barrier_wait(&go_on);
    pthread_join(worker, NULL);
    sigaction(SIGSEGV, &before, NULL);
    munmap(unreadable, 4096);
    if (gx_queue_wait(slot, gx_now_us() + 1000000, &r, &err) == GX_OK)
        assert_true(gx_load(&q->owners[(q->slots[0].reply.result.off - q->data) / GX_QUEUE_UNIT]) == GX_OWNER_SLOT(0,
            job.seq));
    gx_queue_release(slot);
    gx_queue_destroy(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_slot_lost_before_signed),
                                        cmocka_unit_test(test_program_lost_before_signed),
                                        cmocka_unit_test(test_ended_late), cmocka_unit_test(test_end_while_answering) };
    alarm(60);
    pthread_barrier_init(&answered, NULL, 2);
    pthread_barrier_init(&go_on, NULL, 2);
    return cmocka_run_group_tests_name("queue, between", tests, NULL, NULL);
}
