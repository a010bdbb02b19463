/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timing.h -- how gpuxslt --timing and its peer in bench/ measure: the same clock, the same median
 *
 * With GX_TIMING_CLOCK=thread in the environment the clock counts this thread's own CPU time (bench/run.py --clock
 * thread): what else the machine does is then not measured, nor is what other threads do.
 */
#ifndef GX_TIMING_H
#define GX_TIMING_H

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_us(void)
{
    static clockid_t clock = -1;
    struct timespec t;
    if (clock == -1) {
        const char *wanted = getenv("GX_TIMING_CLOCK");
        clock = wanted && strcmp(wanted, "thread") == 0 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    }
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts v. */
static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, by_value);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

#endif
