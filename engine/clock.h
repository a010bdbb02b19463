/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.h -- the clock that deadlines and heartbeats are of: of this machine, the same for all of its processes, never
 * set back
 */
#ifndef GX_CLOCK_H
#define GX_CLOCK_H

#include <time.h>
#include "base.h"

static inline u64 gx_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000000u + (u64)t.tv_nsec / 1000u;
}

#endif
