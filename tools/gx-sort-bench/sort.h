/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sort.h -- the sorts of the GPU's teams that gx-sort-bench compares
 *
 * Columns lie in device memory. A launch that fails returns its error; the result is complete when the stream is.
 */
#ifndef GX_SORT_BENCH_H
#define GX_SORT_BENCH_H

#include <cuda_runtime.h>
#include "base.h"

enum { SORT_32, SORT_64, SORT_128, SORT_PAIRS, SORT_KINDS };

/* of a kind: its keys, and for pairs a value each. merged: room for 2 numbers an item, for the engine's merge sort; the
 * sorted numbers come into its first half. */
typedef struct sort_job { u32 kind, n; void *keys; u32 *values, *merged; } sort_job;

/* Grid team: one cooperative launch; *zeros is device memory for gx_sort_grid_size() bytes */
size_t gx_sort_grid_size(void);
cudaError_t gx_sort_grid(const sort_job *j, int merge, void *zeros, cudaStream_t stream);
/* Block team: `sorts` columns of n items, one behind the other, each by a block of `threads` */
cudaError_t gx_sort_block(const sort_job *j, int merge, u32 sorts, u32 threads, cudaStream_t stream);
/* 32-bit keys, a launch for each step */
cudaError_t gx_sort_plain(const sort_job *j, cudaStream_t stream);

#endif
