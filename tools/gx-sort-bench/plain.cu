// SPDX-License-Identifier: Apache-2.0
/*
 * plain.cu -- bitonic sort of 32-bit keys with a launch for each step
 *
 * Peters 2011 calls this the variant that is not optimised (figure 5.11).
 *
 * The steps are those of engine/machine/bitonic.h. Each reads and writes all keys in the card's memory.
 */
#include "sort.h"

enum { PLAIN_THREADS = 256 };

/* A step on pairs of keys 2^apart places from each other, or, crossed, as far from both ends of 2^(apart + 1) places */
static __global__ void one_step(u32 *keys, u32 n, u32 apart, int crossed)
{
    const u32 pair = blockIdx.x * PLAIN_THREADS + threadIdx.x, half = 1u << apart;
    const u32 low = (pair >> apart << (apart + 1)) | (pair & (half - 1));
    const u32 high = crossed ? low ^ (2 * half - 1) : low + half;

    if (low < n && high < n) {
        const u32 a = keys[low], b = keys[high];
        if (b < a) {
            keys[low] = b;
            keys[high] = a;
        }
    }
}

cudaError_t gx_sort_plain(const sort_job *j, cudaStream_t stream)
{
    u32 places = 1;

    while (places < j->n)
        places *= 2;
    const u32 blocks = (places / 2 + PLAIN_THREADS - 1) / PLAIN_THREADS;
    for (u32 merge = 1; 1u << merge <= places; merge++)
        for (u32 apart = merge; apart--;)
            one_step<<<blocks, PLAIN_THREADS, 0, stream>>>((u32 *)j->keys, j->n, apart, apart + 1 == merge);
    return cudaGetLastError();
}
