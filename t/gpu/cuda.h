/* SPDX-License-Identifier: Apache-2.0 */
/* cuda.h -- what tests ask of the device that is none */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include "../../engine/clock.h"

void fake_cuda_faults(const char *line);        /* from now on, instead of the file's; calls are counted anew */
long fake_cuda_blocks(void);                    /* memory, streams and events that were not given back */
long fake_cuda_calls(void);

#endif
