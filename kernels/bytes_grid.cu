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

/* The groups of chunks [from, to): the first one's number, this block's, this thread's chunk */
typedef struct gx_piece { u32 first, mine, k; int is_last; } gx_piece;
static __device__ gx_piece gx_piece_of(u32 from, u32 to)
{
    const u32 first = from / GX_CHUNK_GROUP, mine = first + blockIdx.x;
    const gx_piece p = { first, mine, mine * GX_CHUNK_GROUP + threadIdx.x, (mine + 1) * GX_CHUNK_GROUP >= to };
    return p;
}
static __device__ void gx_piece_found(const gx_coming *all, int wrong, u32 wide)
{
    wrong = __syncthreads_or(wrong);
    wide = (u32)__syncthreads_or(wide != 0);
    if (threadIdx.x == 0 && wrong)
        TEAM_STORE(&all->found[0], 1u);
    if (threadIdx.x == 0 && wide)
        TEAM_STORE(&all->found[1], 1u);
}

__global__ void __launch_bounds__(GX_CHUNK_GROUP)
    gx_bytes_turns_kernel(const gx_bytes_request *request, u32 from, u32 to)
{
    const gx_piece p = gx_piece_of(from, to);
    u32 f = GX_TURNS_NONE, of_group;
    gx_bytes b;
    gx_come_begin(&b, request);
    if (p.k < to)
        f = gx_chunk_turns(&b, p.k);
    const u32 before = gx_block_scan_by(f, gx_turns_compose, GX_TURNS_NONE, &of_group);
    if (p.k < to)
        request->chunks.all.turns[p.k] = before;
    if (threadIdx.x == 0)
        request->chunks.group[p.mine] = of_group;
}
/* group of the groups before this one, composed, and the state that these began in: each block by itself. A chunk has
 * 64 tokens at most, and a little more than 64 bytes of text: a group's are less than 2^20 */
#define GX_PACKED_BITS 20
#define GX_PACKED_MASK ((1u << GX_PACKED_BITS) - 1)
static __device__ u64 gx_counts_packed(const gx_chunks *all, u32 k)
{
    return all->tokens[k] | (u64)all->attrs[k] << GX_PACKED_BITS | (u64)all->text[k] << 2 * GX_PACKED_BITS;
}
static __device__ gx_chunk_counts gx_counts_with(gx_chunk_counts before, u64 packed)
{
    before.tokens += (u32)packed & GX_PACKED_MASK;
    before.attrs += (u32)(packed >> GX_PACKED_BITS) & GX_PACKED_MASK;
    before.text += (u32)(packed >> 2 * GX_PACKED_BITS);
    return before;
}
__global__ void __launch_bounds__(GX_CHUNK_GROUP)
    gx_bytes_marks_kernel(const gx_bytes_request *request, u32 from, u32 to)
{
    const gx_chunk_counts none = { 0, 0, 0 };
    const gx_piece p = gx_piece_of(from, to);
    const u32 each = (blockIdx.x + GX_CHUNK_GROUP - 1) / GX_CHUNK_GROUP;
    u32 f = GX_TURNS_NONE, before, wide = 0;
    u64 counts = 0, of_group;
    gx_bytes b;
    int wrong = gx_come_begin(&b, request);
    const gx_coming *const c = &request->chunks;
    const gx_chunks *const all = &c->all;
    for (u32 i = 0; i < each; i++) {
        const u32 group = p.first + threadIdx.x * each + i;
        if (group < p.mine)
            f = gx_turns_compose(f, c->group[group]);
    }
    gx_block_scan_by(f, gx_turns_compose, GX_TURNS_NONE, &before);
    const u32 state = gx_turns_of(before, c->state[p.first]);
    if (p.k < to) {
        wrong |= gx_chunk_mark_in(&b, p.k, gx_turns_of(all->turns[p.k], state), all, &wide);
        counts = gx_counts_packed(all, p.k);
    }
    gx_block_scan(counts, &of_group);
    if (threadIdx.x == 0)
        c->counts[p.mine] = gx_counts_with(none, of_group);
    if (threadIdx.x == 0 && p.is_last)
        c->state[p.mine + 1] = gx_turns_of(c->group[p.mine], state);
    gx_piece_found(c, wrong, wide);
}
/* What each chunk has becomes what those before it have; where its tokens are */
__global__ void __launch_bounds__(GX_CHUNK_GROUP)
    gx_bytes_places_kernel(const gx_bytes_request *request, u32 from, u32 to)
{
    const gx_piece p = gx_piece_of(from, to);
    u64 tokens = 0, attrs = 0, text = 0, of_group;
    gx_bytes b;
    gx_come_columns(&b, request);
    const gx_coming *const c = &request->chunks;
    const gx_chunks *const all = &c->all;
    for (u32 group = p.first + threadIdx.x; group < p.mine; group += GX_CHUNK_GROUP) {
        tokens += c->counts[group].tokens;
        attrs += c->counts[group].attrs;
        text += c->counts[group].text;
    }
    gx_chunk_counts before = c->before[p.first];
    before.tokens += (u32)gx_block_sum(tokens);
    before.attrs += (u32)gx_block_sum(attrs);
    before.text += (u32)gx_block_sum(text);
    const u64 mine = gx_block_scan(p.k < to ? gx_counts_packed(all, p.k) : 0, &of_group);
    const gx_chunk_counts behind = gx_counts_with(before, of_group);
    const int fits = gx_come_fits(&c->come, behind);
    if (p.k < to) {
        const gx_chunk_counts at = gx_counts_with(before, mine);
        all->tokens[p.k] = at.tokens;
        all->attrs[p.k] = at.attrs;
        all->text[p.k] = at.text;
        if (fits)
            gx_chunk_places(&b, p.k);
    }
    if (threadIdx.x == 0 && p.is_last) {
        c->before[p.mine + 1] = behind;
        if (to == b.n_chunks) {
            all->tokens[to] = behind.tokens;
            all->attrs[to] = behind.attrs;
            all->text[to] = behind.text;
            if (fits)
                gx_places_end(&b, behind);
        }
    }
}
#define GX_COME_BLOCKS 1056u    /* eight a multiprocessor */
__global__ void __launch_bounds__(GX_CHUNK_GROUP)
    gx_bytes_tokens_kernel(const gx_bytes_request *request, u32 from, u32 to)
{
    const u32 step = gridDim.x * blockDim.x;
    u32 first, end;
    gx_bytes b;
    if (!gx_come_tokens(request, from, to, &first, &end))
        return;
    int wrong = gx_come_begin(&b, request);
    gx_come_columns(&b, request);
    first += blockIdx.x * blockDim.x + threadIdx.x;
    for (u32 m = first; m < end; m += step)
        wrong |= gx_bytes_token(&b, m);
    for (u32 m = first; m < end && !wrong; m += step)
        wrong |= gx_bytes_token_more(&b, m);
    gx_piece_found(&request->chunks, wrong, b.wide);
}

extern "C" cudaError_t gx_bytes_chunks(const gx_bytes_request *d_request, u32 from, u32 to, cudaStream_t stream)
{
    const u32 groups = gx_chunk_groups(to - from);
    if (to <= from)
        return cudaSuccess;
    gx_bytes_turns_kernel<<<groups, GX_CHUNK_GROUP, 0, stream>>>(d_request, from, to);
    gx_bytes_marks_kernel<<<groups, GX_CHUNK_GROUP, 0, stream>>>(d_request, from, to);
    gx_bytes_places_kernel<<<groups, GX_CHUNK_GROUP, 0, stream>>>(d_request, from, to);
    gx_bytes_tokens_kernel<<<GX_COME_BLOCKS, GX_CHUNK_GROUP, 0, stream>>>(d_request, from, to);
    return cudaGetLastError();
}
static_assert(sizeof(gx_grid_shared) <= GX_GRID_SHARED_BYTES, "kernels/gpu.cu makes too little");
extern "C" size_t gx_bytes_grid_shared_size(void) { return sizeof(gx_grid_shared); }
extern "C" cudaError_t gx_bytes_grid_blocks(u32 *blocks)
{
    return gx_blocks_at_once((const void *)gx_bytes_grid_kernel, blocks);
}
