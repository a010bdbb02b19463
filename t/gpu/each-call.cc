/* SPDX-License-Identifier: Apache-2.0 */
/*
 * each-call.cc -- kernels/gpu.cu, each of its calls failing in turn: nothing is left behind, the reason is told, and
 * the next go succeeds. Memory that cannot be had costs what asked for it, and nobody else. Exit code 0: all as it
 * should be
 */
#include <stdio.h>
#include <string.h>
#include "../../engine/clock.h"
#include "../../kernels/gpu.h"
#include "cuda_runtime.h"
#include "cuda.h"

static int wrong;

static void expect(int good, const char *what, long k)
{
    if (good)
        return;
    fprintf(stderr, "call %ld: %s\n", k, what);
    wrong = 1;
}

/* A batch of one job, and a grid of it, that end at once */
static int serves(gx_gpu *g)
{
    gx_gpu_job j;
    memset(&j, 0, sizeof j);
    if (gx_gpu_batch(g, &j, 1, 0, NULL, NULL) || j.status != GX_EABSENT)
        return 0;
    return !gx_gpu_grid(g, &j, NULL) && j.status == GX_EABSENT;
}

static void memory_is_full(gx_gpu *g)
{
    static const char block[4096] = "";
    void *put;
    fake_cuda_faults("MallocAsync 1 1 2");
    put = gx_gpu_put(g, block, sizeof block);
    expect(put != NULL, "a second way to memory", 0);
    gx_gpu_forget(put);
    expect(serves(g), "memory by the second way: the device is not lost", 0);
    fake_cuda_faults("memory 0");
    expect(!gx_gpu_put(g, block, sizeof block), "no memory", 0);
    expect(serves(g), "no memory for a block: the device is not lost", 0);
    fake_cuda_faults("HostAlloc 1 1 2");
    expect(!gx_gpu_pinned(g, 4096), "no pinned memory", 0);
    expect(serves(g), "no pinned memory: the device is not lost", 0);
    fake_cuda_faults("HostRegister 1 1 2");
    expect(!gx_gpu_share(g, &put, 8), "memory that cannot be shared", 0);
    expect(serves(g), "memory that cannot be shared: the device is not lost", 0);
}

static u64 quick_ones(gx_gpu *g)
{
    const u64 began = gx_now_us();
    fake_cuda_faults("block 1 5 -2");
    for (int i = 0; i < 5; i++)
        expect(serves(g), "a quick one", 0);
    return gx_now_us() - began;
}

/* What one request took is no reason to let the next ones wait. Where it was, each of them did so for a tenth of a
 * second, in each try; what a busy machine takes for them is seen before, and differs */
static void is_soon_back(gx_gpu *g)
{
    int is_soon = 0;
    for (int tries = 0; tries < 4 && !is_soon; tries++) {
        const u64 usual_us = quick_ones(g);
        fake_cuda_faults("block 1 1 -1000");
        expect(serves(g), "a slow one", 0);
        is_soon = quick_ones(g) < usual_us + 100000;
    }
    expect(is_soon, "quick ones behind a slow one are seen when they are done", 0);
}

int main(void)
{
    const gx_gpu_room room = { 16, 1u << 20, 1u << 20, 8u << 20 };
    char why[256];
    gx_gpu *g;
    long n;
    fake_cuda_faults("");
    g = gx_gpu_open(0, &room, why, sizeof why);
    n = fake_cuda_calls();
    expect(g && serves(g), "opened", 0);
    gx_gpu_close(g);
    expect(fake_cuda_blocks() == 0, "closed", 0);
    for (long k = 1; k <= n; k++) {
        char fault[64];
        snprintf(fault, sizeof fault, "any %ld 1 %d", k, cudaErrorMemoryAllocation);
        fake_cuda_faults(fault);
        why[0] = 0;
        g = gx_gpu_open(0, &room, why, sizeof why);
        expect(g || why[0], "a reason", k);
        gx_gpu_close(g);
        expect(fake_cuda_blocks() == 0, "nothing is left behind", k);
        fake_cuda_faults("");
        g = gx_gpu_open(0, &room, why, sizeof why);
        expect(g && serves(g), "the next go", k);
        gx_gpu_close(g);
    }
    g = gx_gpu_open(0, &room, why, sizeof why);
    memory_is_full(g);
    is_soon_back(g);
    gx_gpu_close(g);
    expect(fake_cuda_blocks() == 0, "all is given back", 0);
    printf("%ld calls\n", n);
    return wrong;
}
