/*
 * gpu.h -- the GPU as C sees it: devices, contexts, evaluations by block and grid teams (gpu.cu)
 *
 * Only the worker and the GPU's own tools link this. A gx_gpu belongs to one host thread.
 */
#ifndef GX_GPU_H
#define GX_GPU_H

#include "../engine/base.h"
#include "../engine/doc.h"
#include "../engine/program.h"
#include "../engine/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Devices that can be used; 0 and a sentence in why (size bytes) if there is none, no driver, or a driver too old. */
int gx_gpu_devices(char *why, size_t size);

typedef struct gx_gpu gx_gpu;
/* A stream, staging memory and n_blocks arenas of arena_bytes each on the device; grid_bytes: the grid team's arena, 0 = none.
 * NULL and a sentence in why on failure. */
gx_gpu *gx_gpu_open(int device, u32 n_blocks, u64 arena_bytes, u64 grid_bytes, char *why, size_t size);
void gx_gpu_close(gx_gpu *g);
const char *gx_gpu_name(const gx_gpu *g);

/* A copy of a block in device memory. NULL: no memory. */
void *gx_gpu_put(gx_gpu *g, const void *block, u64 size);
void gx_gpu_forget(void *device_block);
/* Pinned memory of this process, which blocks can pull from. NULL: none. */
void *gx_gpu_pinned(gx_gpu *g, u64 size);
void gx_gpu_unpin(void *memory);

typedef struct gx_gpu_job {
    const gx_program *program;          /* device memory (gx_gpu_put) */
    const gx_doc *doc;                  /* device memory, or NULL: doc_host is pulled by the block itself */
    const void *doc_host;               /* checked, in memory that stays until the job is done */
    u64 doc_size;
    u64 steps;                          /* limits */
    u32 recursion;
    u32 pad;
    /* out */
    const void *image;                  /* the result (result.h) in pinned memory, until the next batch; status GX_OK */
    u64 image_size;
    u64 start_cycles, machine_cycles;   /* of the block */
    gx_status status;                   /* GX_EARENA also when the document or the result does not fit: evaluate elsewhere */
} gx_gpu_job;

/* n <= n_blocks jobs, one launch. lanes 0: a block each; else as many requests in a warp, neighbours best of one program. done(ctx, k) is called as each job ends, in any order. Returns 0, or a CUDA error (the
 * device is lost to this process: jobs without a call of done are not done); gx_gpu_error says what. */
int gx_gpu_batch(gx_gpu *g, gx_gpu_job *jobs, u32 n, u32 lanes, void (*done)(void *ctx, u32 k), void *ctx);
/* One job by all blocks together. device_us: the kernel's time, may be NULL. */
int gx_gpu_grid(gx_gpu *g, gx_gpu_job *job, double *device_us);
const char *gx_gpu_error(const gx_gpu *g);

#ifdef __cplusplus
}
#endif
#endif
