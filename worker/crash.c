/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash.c -- a crash names the request it happened in before the process goes
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include "dispatch.h"

#define ALT_STACK 65536

static gx_queue *the_queue;
static __thread const gx_queue_job *volatile guarded;
static const int crash_signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };
#define N_CRASH (sizeof crash_signals / sizeof *crash_signals)
static struct sigaction before[N_CRASH];

/* Blames the request, puts back what was there before, and returns: the instruction faults again, now for good. A
 * signal that was sent instead of earned comes only once: it is sent again. */
static void on_crash(int sig, siginfo_t *info, void *context)
{
    (void)context;
    const gx_queue_job *job = guarded;
    if (job)
        gx_queue_blame(the_queue, job);
    for (size_t i = 0; i < N_CRASH; i++)
        if (crash_signals[i] == sig)
            sigaction(sig, &before[i], NULL);
    if (info->si_code <= 0)
        raise(sig);
}

void gx_worker_thread_begin(void)
{
    stack_t stack;
    memset(&stack, 0, sizeof stack);
    stack.ss_size = ALT_STACK;
    stack.ss_sp = mmap(NULL, ALT_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack.ss_sp != MAP_FAILED)      /* lives as long as the process, as do the threads */
        sigaltstack(&stack, NULL);
}

void gx_worker_guard(const gx_queue_job *job) { guarded = job; }

void gx_worker_crash_begin(gx_queue *queue)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    the_queue = queue;
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO;
    for (size_t i = 0; i < N_CRASH; i++)
        sigaction(crash_signals[i], &action, &before[i]);
}
