/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu.h -- the GPU as C sees it: devices, contexts, evaluations by lane, block and grid teams (gpu.cu)
 *
 * Only the worker and the GPU's own tools link this. A gx_gpu belongs to one host thread at a time.
 */
#ifndef GX_GPU_H
#define GX_GPU_H

#include "../engine/base.h"
#include "engine/document/bytes_request.h"
#include "engine/document/doc.h"
#include "engine/program/program.h"
#include "engine/machine/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Devices that can be used; 0 and a sentence in why (size bytes) if there is none, no driver, or a driver too old. */
int gx_gpu_devices(char *why, size_t size);

typedef struct gx_gpu gx_gpu;
/* What a gx_gpu sets aside. batch: jobs of one launch, 0 = none; arenas: device memory for them; out: pinned memory for
 * their results. grid: the grid team's arena, 0 = none. */
typedef struct gx_gpu_room { u32 batch; u64 arenas, out, grid; } gx_gpu_room;
/* A stream and memory on the device. NULL and a sentence in why on failure. */
gx_gpu *gx_gpu_open(int device, const gx_gpu_room *room, char *why, size_t size);
void gx_gpu_close(gx_gpu *g);
const char *gx_gpu_name(const gx_gpu *g);
/* Bytes of device memory that are free, now. */
u64 gx_gpu_free_bytes(gx_gpu *g);
/* The same, and how many there are, from any thread. 0: the device does not say. */
int gx_gpu_memory(int device, u64 *free_bytes, u64 *all);
/* Bytes a second that a copy within device memory moves, read and written counted; size: of the copy. 0: it failed.
 * Waits for the device. */
double gx_gpu_copy_rate(gx_gpu *g, u64 size);

/* A copy of a block in device memory. NULL: no memory. */
void *gx_gpu_put(gx_gpu *g, const void *block, u64 size);
void gx_gpu_forget(void *device_block);
/* Memory of this process that it shares with others: kernels can pull from it from now on (it is pinned). 0: not on
 * this machine. Once, with a gx_gpu open; never undone. */
int gx_gpu_share(gx_gpu *g, void *memory, u64 size);
/* Pinned memory of this process, which kernels can pull from. NULL: none. */
void *gx_gpu_pinned(gx_gpu *g, u64 size);
void gx_gpu_unpin(void *memory);

typedef struct gx_gpu_job {
    const gx_program *program;          /* device memory (gx_gpu_put) */
    const gx_doc *doc;                  /* device memory, or NULL: it is at host */
    const void *host;                   /* the document, pinned or shared, 16-byte aligned and readable to the next 16,
                                           until the job is done. Whoever may write there: the team looks at what it
                                           pulled, GX_EBAD if that does not check out */
    u64 doc_size;
    int unchecked;                      /* doc: as it came, the team is to look at it first (GX_EBAD) */
    const void *params;                 /* pinned, until the job is done: gx_params_pack's block */
    u64 params_size;                    /* 0 = none */
    u64 steps, budget_us;               /* limits; 0 = none */
    u32 recursion;
    u32 room;                           /* times the usual arena; 0 is 1. GX_EARENA: another go with more may do */
    u64 most;                           /* of the grid: bytes of a result that can be used, GX_EARENA else; 0 = any */
    u64 tag;                            /* the caller's */
    /* A source instead of a document: its bytes are at host, doc_size of them, and base_len bytes of its base URI
     * behind them. The team parses it, and the answer is the page, of page_most bytes at most. GX_EXML: it does not
     * read this document; GX_EHOST: it does not write such pages */
    int is_source;
    u32 base_len;
    u64 seed, page_most;
    gx_bytes_limits limits;
    /* out */
    u32 n_nodes;                        /* of the source; and what the evaluation's result took */
    u64 result_bytes;
    const void *image; /* the result (result.h), or the page, in pinned memory, until the next batch; status GX_OK */
    u64 image_size;
    u64 start_cycles, machine_cycles;   /* of the team */
    int is_full;                        /* GX_EARENA, but it is the results' memory that was full: another go will do,
                                           unless image_size is larger */
    gx_status status;
} gx_gpu_job;

/* n jobs, in as many launches as their arenas ask for. lanes 0: a block each; else so many small ones in a warp. Best
 * order: small documents first, neighbours of one program. done(ctx, k) is called as each job ends, in any order.
 * Returns 0, or a CUDA error (the device is lost to this process: jobs without a call of done are not done);
 * gx_gpu_error says what. */
int gx_gpu_batch(gx_gpu *g, gx_gpu_job *jobs, u32 n, u32 lanes, void (*done)(void *ctx, u32 k), void *ctx);
/*
 * The persistent dispatcher: blocks of a warp that stay on a device and take jobs of all gx_gpus that use it as they
 * are posted, without a launch. Measured beside launches in docs/bench: a launch is a hundredth of a request, and who
 * stays leaves no room for the grid team and no moment to free memory in. So launches, which can use lanes, are the
 * worker's. NULL and a sentence in why on failure. Between serve and unserve nothing may be opened, closed, put or
 * forgotten.
 */
typedef struct gx_gpu_server gx_gpu_server;
gx_gpu_server *gx_gpu_serve(int device, char *why, size_t size);
/* Returns when what was posted has ended. */
void gx_gpu_unserve(gx_gpu_server *server);
/* Batches of g are posted there, a block each; NULL: launched again. */
void gx_gpu_use(gx_gpu *g, gx_gpu_server *server);

/* What a job takes of room.arenas */
u64 gx_gpu_job_bytes(const gx_gpu_job *j);
/* Is a document of this size small: for lanes, and for blocks of one warp? */
int gx_gpu_is_small(u64 doc_size);
/* One job by all blocks together. device_us: the kernel's time, may be NULL. */
int gx_gpu_grid(gx_gpu *g, gx_gpu_job *job, double *device_us);
const char *gx_gpu_error(const gx_gpu *g);

/* From now on, where a launch of sources spends its time: the copy there, parsing, evaluation, the page, the copy back
 * (0 in batches, whose kernels copy). 0, or a CUDA error */
#define GX_GPU_STEPS 5
int gx_gpu_time_steps(gx_gpu *g);
/* .. of the last one, when it is over. 0: nobody looked */
int gx_gpu_steps(gx_gpu *g, double us[GX_GPU_STEPS]);

#ifdef __cplusplus
}
#endif
#endif
