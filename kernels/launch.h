/*
 * launch.h -- one evaluation as a kernel gets it: a descriptor in pinned host memory
 */
#ifndef GX_LAUNCH_H
#define GX_LAUNCH_H

#include <cuda_runtime.h>
#include "../engine/base.h"
#include "../engine/doc.h"
#include "../engine/program.h"

typedef struct gx_launch {
    const gx_program *program;          /* device memory */
    const gx_doc *doc;                  /* device memory; NULL: pull doc_host into doc_copy */
    const void *doc_host;
    char *doc_copy;
    u64 doc_size, doc_room;
    char *arena;
    u64 kept_bytes, arena_bytes;
    char *out;                          /* pinned host memory */
    u64 out_room;
    u64 steps;
    u32 recursion;
    volatile u32 done;                  /* set last: 1 + status */
    u64 used;
    u64 start_cycles, machine_cycles;   /* of the block: laying out the run, running the machine */
} gx_launch;

#if defined GX_TEAM_LANE || defined GX_TEAM_BLOCK || defined GX_TEAM_GRID
static __device__ inline void gx_launch_done(gx_launch *l, gx_status status, u64 used)
{
    l->used = used;
    __threadfence_system();
    l->done = 1u + (u32)status;
    __threadfence_system();
}

/* The run's tables, by one member; then every member's registers are the same as its. */
GX_OP gx_status gx_start_team(gx_m *m, const gx_launch *l, const gx_doc *doc)
{
    if (team_rank(&m->t) == 0) {
        gx_status status = gx_run_fill(m, l->program, 1, l->recursion, l->steps);
        if (status == GX_OK)
            status = gx_view_bind(m, doc, 0);
        m->run->host_top = m->top;      /* where the others take their registers from */
        m->run->host_tmp = m->tmp;
        m->run->host_end = (u64)status;
    }
    team_sync(&m->t);
    m->top = m->run->host_top;
    m->tmp = m->run->host_tmp;
    m->n_docs = 1;
    return (gx_status)m->run->host_end;
}
#endif

struct gx_grid_shared;
#ifdef __cplusplus
extern "C" {
#endif
cudaError_t gx_block_launch(gx_launch *d_launches, u32 n, u32 threads, cudaStream_t stream);
cudaError_t gx_lane_launch(gx_launch *d_launches, u32 n, u32 lanes, cudaStream_t stream);
cudaError_t gx_grid_launch(gx_launch *d_launch, struct gx_grid_shared *d_shared, u32 blocks, u32 threads, cudaStream_t stream);
const void *gx_grid_kernel_address(void);
#ifdef __cplusplus
}
#endif
#endif
