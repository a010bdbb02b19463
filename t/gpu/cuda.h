/* cuda.h -- what tests ask of the device that is none */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <time.h>
#include "../../engine/base.h"

void fake_cuda_faults(const char *line);        /* from now on, instead of the file's; calls are counted anew */
long fake_cuda_blocks(void);                    /* memory, streams and events that were not given back */
long fake_cuda_calls(void);

static inline u64 fake_cuda_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000000u + (u64)t.tv_nsec / 1000u;
}

#endif
