/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.c -- processes and threads: who is alive, how they wait for each other
 *
 * A process is its number and its start time: a number comes again, both together do not.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "memory.h"

/* /proc/pid/stat from the blank before field 3, the state, on; NULL = cannot be read. The command (field 2) may contain
 * anything but ends at the last ')'. */
static const char *process_state(u32 pid, char buf[1024])
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    ssize_t n = read(fd, buf, 1023);
    close(fd);
    if (n <= 0)
        return NULL;
    buf[n] = 0;
    const char *p = strrchr(buf, ')');
    return p && p[1] == ' ' ? p + 1 : NULL;
}

/* Field 22; 0 = cannot be read, 1 = a zombie. */
static u64 process_start(u32 pid)
{
    char buf[1024];
    const char *p = process_state(pid, buf);
    if (!p)
        return 0;
    if (p[1] == 'Z' || p[1] == 'X')
        return 1;
    for (int field = 2; field < 21; field++)       /* p: the blank before field + 1 */
        if (!(p = strchr(p + 1, ' ')))
            return 0;
    return strtoull(p + 1, NULL, 10) + 2;           /* + 2: never one of the two special values */
}

int gx_process_stopped(u32 pid)
{
    char buf[1024];
    const char *p = process_state(pid, buf);
    return p && p[1] == 'T';
}

int gx_process_alive(u32 pid, u64 start)
{
    if (pid == 0 || pid > 0x7fffffffu || (kill((pid_t)pid, 0) != 0 && errno == ESRCH))
        return 0;
    u64 now = process_start(pid);
    /* one that cannot be read (hidepid), or could not read its own (ChrootDir): it is there, and pids seldom come again
     * within a request */
    return now == 0 || now == start || (start == 0 && now != 1);
}

/* Every thread that finds the pid of before the fork writes the same two values: start first. */
void gx_self(gx_queue *q, u32 *pid, u64 *start)
{
    u32 me = (u32)getpid();
    if (__atomic_load_n(&q->self_pid, __ATOMIC_ACQUIRE) != me) {
        __atomic_store_n(&q->self_start, process_start(me), __ATOMIC_RELAXED);
        __atomic_store_n(&q->self_pid, me, __ATOMIC_RELEASE);
    }
    *pid = me;
    *start = __atomic_load_n(&q->self_start, __ATOMIC_RELAXED);
}

int gx_futex_wait(u32 *at, u32 expected, u64 until_us)
{
    struct timespec t;
    t.tv_sec = (time_t)(until_us / 1000000u);
    t.tv_nsec = (long)(until_us % 1000000u) * 1000;
    /* WAIT_BITSET takes an absolute time; without FUTEX_PRIVATE_FLAG: the waker is another process */
    long rc = syscall(SYS_futex, at, FUTEX_WAIT_BITSET, expected, &t, NULL, FUTEX_BITSET_MATCH_ANY);
    return rc != 0 && errno == ETIMEDOUT;
}

void gx_futex_wake(u32 *at, int n) { syscall(SYS_futex, at, FUTEX_WAKE, n, NULL, NULL, 0); }

double gx_thread_cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

u64 gx_seen_for(struct gx_seen *seen, u64 word, u64 now_us)
{
    if (seen->word != word) {
        seen->word = word;
        seen->since_us = now_us;
    }
    return now_us - seen->since_us;
}
