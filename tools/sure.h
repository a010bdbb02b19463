/* SPDX-License-Identifier: Apache-2.0 */
/* sure.h -- for tools that measure or check on a GPU: a CUDA call that fails ends the program, with status 2 */
#ifndef GX_TOOLS_SURE_H
#define GX_TOOLS_SURE_H

#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define SURE(call) \
    do { \
        const cudaError_t e_ = (call); \
        if (e_) { \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_)); \
            exit(2); \
        } \
    } while (0)

#endif
