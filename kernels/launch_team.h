/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch_team.h -- how a GPU's team begins the evaluation that its launch describes
 */
#ifndef GX_LAUNCH_TEAM_H
#define GX_LAUNCH_TEAM_H

#include "engine/machine/run.h"
#include "engine/machine/start.h"
#include "launch.h"

/* By all threads of the block: the arena's head is cleared, document and parameters come into device memory. To be
 * synced. */
static __device__ inline void gx_launch_pull(const gx_launch *l)
{
    for (u64 i = threadIdx.x; i < GX_RUN_END / 16; i += blockDim.x)
        ((uint4 *)l->arena)[i] = make_uint4(0, 0, 0, 0);
    gx_launch_copy(l->copy, l->host, l->host_size);
    gx_launch_copy(l->copy + l->host_size, l->params, l->params_size);
}

/* One of so many threads' part of looking at the document, which a stranger may have written */
static __device__ __noinline__ int gx_launch_bad(const gx_launch *l, u32 rank, u32 members)
{
    return l->doc_size < sizeof(gx_doc) || gx_doc_wrong(gx_launch_doc(l), l->doc_size, rank, members) != 0;
}

/* The run's tables by one member, the document's labels by all; then every member's registers are the same. The grid
 * looks at the document first; a block or warp has done so when it pulled it. */
GX_OP gx_status gx_start_team(gx_m *m, const gx_launch *l)
{
#ifdef GX_TEAM_GRID
    if (l->unchecked && team_any(&m->t, gx_launch_bad(l, team_rank(&m->t), team_size(&m->t))))
        return GX_EBAD;
#endif
    if (team_rank(&m->t) == 0) {
        gx_status status = l->program ? gx_run_fill(m, l->program, l->recursion, l->steps) : GX_EABSENT;
        if (status == GX_OK && l->params_size)
            status = gx_run_packed_params(m, (const gx_packed_params *)(l->copy + l->host_size));
        if (status == GX_OK)
            status = gx_view_open(m, gx_launch_doc(l), 0);
        m->run->deadline_us = l->budget_us ? gx_clock_us(m) + l->budget_us : 0;
        m->run->host_top = m->top;      /* where the others take their registers from */
        m->run->host_tmp = m->tmp;
        m->run->host_end = (u64)status;
    }
    team_sync(&m->t);
    m->top = m->run->host_top;
    m->tmp = m->run->host_tmp;
    m->n_docs = 1;
    if (m->run->host_end == GX_OK)
        gx_view_match(m, m->run->views, team_rank(&m->t), team_size(&m->t));
    team_sync(&m->t);
    return (gx_status)m->run->host_end;
}

#ifndef GX_TEAM_LANE
/*
 * From here on nobody writes to the run's tables and its one document's view: each block reads a copy in its shared
 * memory. What an operator needs is behind chains of pointers, and each sync takes them out of the L1. Shared memory is
 * at one address for all blocks.
 */
typedef struct gx_shared { gx_run run; gx_view view; } gx_shared;
GX_OP void gx_run_shared(gx_m *m, gx_shared *shared)
{
    const u32 *run = (const u32 *)m->run, *view = (const u32 *)m->run->views;

    for (u32 i = threadIdx.x; i < sizeof shared->run / 4; i += blockDim.x)
        ((u32 *)&shared->run)[i] = run[i];
    for (u32 i = threadIdx.x; i < sizeof shared->view / 4; i += blockDim.x)
        ((u32 *)&shared->view)[i] = view[i];
    __syncthreads();
    if (threadIdx.x == 0)
        shared->run.views = &shared->view;
    __syncthreads();
    m->run = &shared->run;
}
#endif

#endif
