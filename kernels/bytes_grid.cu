/* SPDX-License-Identifier: Apache-2.0 */
/* bytes_grid.cu -- the team's parser for a team that is all blocks of a cooperative launch: one large document */
#define GX_TEAM_GRID
#define GX_GRID_THREADS 896u            /* one block a multiprocessor: its barriers cost less than those of seven */
#include "engine/document/bytes_parse.h"
#include "bytes.h"
#include "launch_grid.h"

__global__ void __launch_bounds__(GX_GRID_THREADS)
    gx_bytes_grid_kernel(const gx_bytes_request *request, gx_bytes_answer *answer, gx_grid_shared *shared)
{
    gx_bytes b;
    team_begin(&b.t, shared);
    const gx_status status = gx_bytes_parse(&b, request);
    if (team_rank(&b.t) == 0) {
        const gx_bytes_answer a = { (u32)status, 0, status ? 0 : (u64)((char *)b.doc - request->arena),
                                    status ? 0 : b.doc->size };
        *answer = a;
    }
}

extern "C" cudaError_t gx_bytes_grid(const gx_bytes_request *request, gx_bytes_answer *answer, void *shared, u32 blocks,
                                     cudaStream_t stream)
{
    gx_grid_shared *s = (gx_grid_shared *)shared;
    void *args[] = { &request, &answer, &s };
    return gx_launch_together((const void *)gx_bytes_grid_kernel, blocks, args, stream);
}

/* ---- chunks of a source that is on its way: a block takes a group of them, a thread one ---- */

/* Is the beginning no document's? All threads of the block. */
static __device__ int gx_source_open(gx_bytes *b, const char *bytes, u32 n)
{
    b->s = (const u8 *)bytes;
    b->n = n;
    return gx_bytes_declaration(b) || b->from >= n;
}
__global__ void __launch_bounds__(GX_CHUNK_GROUP)
    gx_bytes_turns_kernel(const char *bytes, u32 n, u32 from, u32 to, gx_chunks all)
{
    const u32 k = from + blockIdx.x * GX_CHUNK_GROUP + threadIdx.x;
    u32 f = GX_TURNS_NONE, of_group;
    gx_bytes b;
    gx_source_open(&b, bytes, n);
    if (k < to)
        f = gx_chunk_turns(&b, k);
    const u32 before = gx_block_scan_by(f, gx_turns_compose, GX_TURNS_NONE, &of_group);
    if (k < to)
        all.turns[k] = before;
    if (threadIdx.x == 0)
        all.group[k / GX_CHUNK_GROUP] = of_group;
}
/* all.group of the groups before this one, composed, and the state that these began in: each block by itself */
__global__ void __launch_bounds__(GX_CHUNK_GROUP)
    gx_bytes_marks_kernel(const char *bytes, u32 n, u32 from, u32 to, gx_chunks all)
{
    const u32 first = from / GX_CHUNK_GROUP, mine = first + blockIdx.x, k = mine * GX_CHUNK_GROUP + threadIdx.x,
              each = (blockIdx.x + GX_CHUNK_GROUP - 1) / GX_CHUNK_GROUP;
    u32 f = GX_TURNS_NONE, before, wide = 0;
    gx_bytes b;
    int wrong = gx_source_open(&b, bytes, n);
    for (u32 i = 0; i < each; i++) {
        const u32 group = first + threadIdx.x * each + i;
        if (group < mine)
            f = gx_turns_compose(f, all.group[group]);
    }
    gx_block_scan_by(f, gx_turns_compose, GX_TURNS_NONE, &before);
    const u32 state = gx_turns_of(before, all.state[first]);
    if (k < to)
        wrong |= gx_chunk_mark_in(&b, k, gx_turns_of(all.turns[k], state), &all, &wide);
    if (threadIdx.x == 0 && (mine + 1) * GX_CHUNK_GROUP >= to)
        all.state[mine + 1] = gx_turns_of(all.group[mine], state);
    wrong = __syncthreads_or(wrong);
    wide = (u32)__syncthreads_or(wide != 0);
    if (threadIdx.x == 0 && wrong)
        TEAM_STORE(&all.found[0], 1u);
    if (threadIdx.x == 0 && wide)
        TEAM_STORE(&all.found[1], 1u);
}

extern "C" cudaError_t gx_bytes_chunks(const char *d_bytes, u32 n, u32 from, u32 to, const gx_chunks *d_all,
                                       cudaStream_t stream)
{
    const u32 groups = gx_chunk_groups(to - from);
    if (to <= from)
        return cudaSuccess;
    gx_bytes_turns_kernel<<<groups, GX_CHUNK_GROUP, 0, stream>>>(d_bytes, n, from, to, *d_all);
    gx_bytes_marks_kernel<<<groups, GX_CHUNK_GROUP, 0, stream>>>(d_bytes, n, from, to, *d_all);
    return cudaGetLastError();
}
extern "C" size_t gx_bytes_grid_shared_size(void) { return sizeof(gx_grid_shared); }
extern "C" cudaError_t gx_bytes_grid_blocks(u32 *blocks)
{
    return gx_blocks_at_once((const void *)gx_bytes_grid_kernel, blocks);
}
