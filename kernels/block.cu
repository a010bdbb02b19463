/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.cu -- the machine for a team that is one CUDA block: many requests at once, one block each, each with its own
 * stylesheet
 */
#define GX_TEAM_BLOCK
#include "launch_team.h"

static __device__ gx_status evaluate(gx_launch *l, gx_shared *shared)
{
    gx_m m;
    gx_status status;

    gx_m_start(&m, l->arena, GX_RUN_END, l->kept_bytes, l->kept_bytes, l->arena_bytes, 1);
    const long long t0 = clock64();
    status = gx_start_team(&m, l);
    const long long t1 = clock64();
    if (status == GX_OK) {
        gx_run_shared(&m, shared);
        status = gx_machine(&m);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        l->start_cycles = (u64)(t1 - t0);
        l->machine_cycles = (u64)(clock64() - t1);
    }
    return status;
}

/*
 * The block pulls its document from pinned host memory, looks at it, evaluates, pushes the kept part of its arena to
 * pinned host memory and says so.
 *
 * Program, document and arena stay in device memory, behind the L1: keeping them in shared memory was tried for small
 * requests and made a lone one slower (1.0 to 1.5 ms beside 0.9) and 1024 in flight 40% slower, since fewer blocks fit
 * a multiprocessor.
 */
typedef struct own { gx_launch mine; u64 out_at; gx_shared shared; u32 status; } own;       /* shared memory */

/* Into device memory; has this thread found something wrong with the document? A function of its own, or the kernel
 * spills. */
static __device__ __noinline__ int pull(const gx_launch *mine)
{
    gx_launch_pull(mine);
    __syncthreads();
    return mine->unchecked && gx_launch_bad(mine, threadIdx.x, blockDim.x);
}

static __device__ void serve(gx_launch *l, const gx_outbox out, own *o)
{
    gx_status status;

    gx_launch_copy(&o->mine, l, sizeof o->mine);
    __syncthreads();
    status = __syncthreads_or(pull(&o->mine)) ? GX_EBAD : evaluate(&o->mine, &o->shared);
    const u64 used = ((const gx_result *)o->mine.arena)->used;
    if (threadIdx.x == 0) {
        *out.next = 0;
        o->out_at = status == GX_OK && !o->mine.stays ? gx_outbox_take(&out, used, &status) : 0;
        o->status = (u32)status;
    }
    __syncthreads();
    status = (gx_status)o->status;
    if (status == GX_OK && !o->mine.stays) {
        gx_launch_copy(out.base + o->out_at, o->mine.arena, used);
        __threadfence_system();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        l->start_cycles = o->mine.start_cycles;
        l->machine_cycles = o->mine.machine_cycles;
        gx_launch_done(l, status, used, o->out_at);
    }
    __syncthreads();
}

/* The block that looks at the doorbell */
static __device__ void pass_on(gx_ring *ring, gx_ring_state *state)
{
    u64 seen = 0;

    for (;;) {
        const u64 posted = ring->posted;
        if (posted != seen) {
            __threadfence_system();
            atomicExch(&state->posted, (unsigned long long)posted);
            seen = posted;
        } else if (ring->stop) {
            atomicExch(&state->stop, 1ull);
            return;
        } else
            __nanosleep(500);
    }
}

/* A launch of its own for each batch, ring NULL; or blocks that stay. One kernel: two would each have the machine's
 * code. */
__global__ void __launch_bounds__(GX_BLOCK_MAX)
    gx_block_kernel(gx_launch *launches, gx_outbox out, gx_ring *ring, gx_ring_state *state)
{
    __shared__ own o;
    __shared__ gx_ring_entry entry;

    if (ring && blockIdx.x == 0) {
        if (threadIdx.x == 0)
            pass_on(ring, state);
        return;
    }
    for (;;) {
        if (threadIdx.x == 0 && !ring) {
            entry.launch = &launches[blockIdx.x];
            entry.out = out;
        } else if (threadIdx.x == 0) {
            const unsigned long long ticket = atomicAdd(&state->next, 1ull);
            int over = 0;
            while (*(volatile unsigned long long *)&state->posted <= ticket && !over) {
                over = *(volatile unsigned long long *)&state->stop != 0;
                __nanosleep(200);
            }
            __threadfence();
            const volatile gx_ring_entry *e = &ring->entry[ticket % GX_RING_ENTRIES];
            entry.launch = over ? NULL : e->launch;
            entry.out.base = e->out.base;
            entry.out.size = e->out.size;
            entry.out.top = e->out.top;
            entry.out.next = e->out.next;
        }
        __syncthreads();
        if (!entry.launch)
            return;
        serve(entry.launch, entry.out, &o);
        if (!ring)
            return;
    }
}

extern "C" cudaError_t gx_block_launch(gx_launch *d_launches, u32 n, gx_outbox out, u32 threads, cudaStream_t stream)
{
    gx_block_kernel<<<n, threads, 0, stream>>>(d_launches, out, NULL, NULL);
    return cudaGetLastError();
}

extern "C" cudaError_t gx_block_room(int *blocks)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, gx_block_kernel, 32, 0);
}

extern "C" cudaError_t gx_block_stay(gx_ring *d_ring, gx_ring_state *d_state, u32 blocks, cudaStream_t stream)
{
    const gx_outbox none = { NULL, 0, NULL, NULL };
    gx_block_kernel<<<blocks, 32, 0, stream>>>(NULL, none, d_ring, d_state);
    return cudaGetLastError();
}
