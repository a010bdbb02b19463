// SPDX-License-Identifier: Apache-2.0
/*
 * main.cu -- gx-sort-bench: bitonic sort by the GPU's teams beside CUB's sorts and the engine's merge sort
 *
 *   gx-sort-bench check [MOST]      every length that matters (of at most MOST items), five shapes of data: against the
 *                                   host's stable sort
 *   gx-sort-bench time [LOG_MOST]   2^10 .. 2^LOG_MOST (27) items, the least of 5 turns, results compared; a line each:
 *                                   TEAM KIND N ALGORITHM MICROSECONDS BYTES. BYTES: memory beside the items
 *   gx-sort-bench steps [LOG_MOST]  the same lines for 32-bit keys: bitonic sort as it is, and with a launch a step
 *
 * Pairs are 128-bit keys with 32-bit values. The engine's merge sort sorts row numbers by 128-bit keys and does not
 * move those. Exit status: 0 all agree, 1 something differs, 2 it could not be done.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include "sort.h"
#include "../sure.h"

struct __align__(16) wide { u64 high, low; }; /* gx_wide_key */
struct less_wide {
    __host__ __device__ bool operator()(const wide &a, const wide &b) const
    {
        return a.high < b.high || (a.high == b.high && a.low < b.low);
    }
};
struct less_number {
    template <class T> __host__ __device__ bool operator()(const T &a, const T &b) const { return a < b; }
};
struct decompose_wide {
    __host__ __device__ ::cuda::std::tuple<u64 &, u64 &> operator()(wide &x) const { return { x.high, x.low }; }
};

static const char *const kinds[SORT_KINDS] = { "32", "64", "128", "128+32" };
static const size_t sizes[SORT_KINDS] = { 4, 8, 16, 16 };
enum { BITONIC, RADIX, MERGE, ENGINE, PLAIN, ALGORITHMS };
static const char *const algorithms[ALGORITHMS] = { "bitonic", "cub-radix", "cub-merge", "engine-merge", "plain" };
enum { RANDOM, FEW, ASCENDING, DESCENDING, SAME, SHAPES };

static cudaStream_t stream;
static cudaEvent_t begun, ended;
static void *zeros;

static u64 seed = 0x9e3779b97f4a7c15ull;
static u64 random_u64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 0x2545f4914f6cdd1dull;
}
static u64 shaped(u32 shape, u32 i, u32 n)
{
    switch (shape) {
    case RANDOM: return random_u64();
    case FEW: return random_u64() % 5;
    case ASCENDING: return i;
    case DESCENDING: return n - i;
    default: return ~0ull; /* what fills a tile beyond the end, too */
    }
}

/* n items of a kind on the host, and on the device as they were, as they are sorted, and where CUB puts them */
struct columns {
    u32 kind, n;
    std::vector<char> keys;
    std::vector<u32> values;
    void *d_keys, *d_sorted, *d_other;
    u32 *d_values, *d_sorted_values, *d_other_values, *d_merged;

    columns(u32 kind_, u32 n_, u32 shape) : kind(kind_), n(n_), keys(n_ * sizes[kind_] + 1), values(n_ + 1)
    {
        for (u32 i = 0; i < n; i++) {
            const u64 x = shaped(shape, i, n);
            if (kind == SORT_32)
                ((u32 *)keys.data())[i] = (u32)x;
            else if (kind == SORT_64)
                ((u64 *)keys.data())[i] = x;
            else {
                ((u64 *)keys.data())[2 * (size_t)i] = shape == RANDOM ? x % 1021 : x;
                ((u64 *)keys.data())[2 * (size_t)i + 1] = shape == FEW ? random_u64() % 3 : x;
            }
            values[i] = i;
        }
        SURE(cudaMalloc(&d_keys, n * sizes[kind] + 16));
        SURE(cudaMalloc(&d_sorted, n * sizes[kind] + 16));
        SURE(cudaMalloc(&d_other, n * sizes[kind] + 16));
        SURE(cudaMalloc(&d_values, n * 4ull + 16));
        SURE(cudaMalloc(&d_sorted_values, n * 4ull + 16));
        SURE(cudaMalloc(&d_other_values, n * 4ull + 16));
        SURE(cudaMalloc(&d_merged, n * 8ull + 16));
        SURE(cudaMemcpy(d_keys, keys.data(), n * sizes[kind], cudaMemcpyHostToDevice));
        SURE(cudaMemcpy(d_values, values.data(), n * 4ull, cudaMemcpyHostToDevice));
    }
    ~columns()
    {
        void *all[] = { d_keys, d_sorted, d_other, d_values, d_sorted_values, d_other_values, d_merged };
        for (void *p : all)
            cudaFree(p);
    }
    void as_they_were()
    {
        SURE(cudaMemcpyAsync(d_sorted, d_keys, n * sizes[kind], cudaMemcpyDeviceToDevice, stream));
        SURE(cudaMemcpyAsync(d_sorted_values, d_values, n * 4ull, cudaMemcpyDeviceToDevice, stream));
    }
    sort_job job() const
    {
        sort_job j = { kind, n, d_sorted, d_sorted_values, d_merged };
        return j;
    }
};

/* CUB's sorts; *bytes: its memory, of which it is told how much there is (NULL: it says how much it wants) */
static cudaError_t cub_sort(int algorithm, columns &c, void *memory, size_t *bytes)
{
    const int n = (int)c.n;
    if (algorithm == RADIX)
        switch (c.kind) {
        case SORT_32:
            return cub::DeviceRadixSort::SortKeys(memory, *bytes, (u32 *)c.d_sorted, (u32 *)c.d_other, n, 0, 32,
                                                  stream);
        case SORT_64:
            return cub::DeviceRadixSort::SortKeys(memory, *bytes, (u64 *)c.d_sorted, (u64 *)c.d_other, n, 0, 64,
                                                  stream);
        case SORT_128:
            return cub::DeviceRadixSort::SortKeys(memory, *bytes, (wide *)c.d_sorted, (wide *)c.d_other, n,
                                                  decompose_wide{}, stream);
        default:
            return cub::DeviceRadixSort::SortPairs(memory, *bytes, (wide *)c.d_sorted, (wide *)c.d_other,
                                                   c.d_sorted_values, c.d_other_values, n, decompose_wide{}, stream);
        }
    switch (c.kind) {
    case SORT_32: return cub::DeviceMergeSort::SortKeys(memory, *bytes, (u32 *)c.d_sorted, n, less_number{}, stream);
    case SORT_64: return cub::DeviceMergeSort::SortKeys(memory, *bytes, (u64 *)c.d_sorted, n, less_number{}, stream);
    case SORT_128: return cub::DeviceMergeSort::SortKeys(memory, *bytes, (wide *)c.d_sorted, n, less_wide{}, stream);
    default:
        return cub::DeviceMergeSort::StableSortPairs(memory, *bytes, (wide *)c.d_sorted, c.d_sorted_values, n,
                                                     less_wide{}, stream);
    }
}

static u64 hash(const void *p, size_t n)
{
    u64 h = 1469598103934665603ull;
    for (size_t i = 0; i + 4 <= n; i += 4)
        h = (h ^ *(const u32 *)((const char *)p + i)) * 1099511628211ull;
    return h;
}
/* Of the result: its items' bytes, and for pairs and the engine's merge the values */
static u64 result_hash(columns &c, int algorithm)
{
    std::vector<char> keys(c.n * sizes[c.kind] + 1);
    std::vector<u32> values(c.n + 1);
    const int moved = algorithm == RADIX;
    if (algorithm == ENGINE) {
        SURE(cudaMemcpy(values.data(), c.d_merged, c.n * 4ull, cudaMemcpyDeviceToHost));
        for (u32 i = 0; i < c.n; i++)
            memcpy(&keys[i * sizes[c.kind]], &c.keys[values[i] * sizes[c.kind]], sizes[c.kind]);
    } else {
        SURE(cudaMemcpy(keys.data(), moved ? c.d_other : c.d_sorted, c.n * sizes[c.kind], cudaMemcpyDeviceToHost));
        SURE(cudaMemcpy(values.data(), moved ? c.d_other_values : c.d_sorted_values, c.n * 4ull,
                        cudaMemcpyDeviceToHost));
    }
    return hash(keys.data(), c.n * sizes[c.kind]) ^ (c.kind == SORT_PAIRS ? hash(values.data(), c.n * 4ull) : 0);
}

static u64 host_hash(const columns &c)
{
    std::vector<u32> order(c.n);
    std::vector<char> keys(c.n * sizes[c.kind] + 1);
    for (u32 i = 0; i < c.n; i++)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) {
        if (c.kind == SORT_32)
            return ((const u32 *)c.keys.data())[a] < ((const u32 *)c.keys.data())[b];
        if (c.kind == SORT_64)
            return ((const u64 *)c.keys.data())[a] < ((const u64 *)c.keys.data())[b];
        const u64 *const x = (const u64 *)c.keys.data() + 2 * (size_t)a;
        const u64 *const y = (const u64 *)c.keys.data() + 2 * (size_t)b;
        return x[0] < y[0] || (x[0] == y[0] && x[1] < y[1]);
    });
    for (u32 i = 0; i < c.n; i++)
        memcpy(&keys[i * sizes[c.kind]], &c.keys[order[i] * sizes[c.kind]], sizes[c.kind]);
    return hash(keys.data(), c.n * sizes[c.kind]) ^ (c.kind == SORT_PAIRS ? hash(order.data(), c.n * 4ull) : 0);
}

static u32 failed, checked;

static int check(u32 most)
{
    static const u32 lengths[] = { 0,    1,    2,     3,     7,     31,     33,     127,     128,
                                   129,  1000, 2047,  2048,  2049,  4095,   4096,   4097,    5000,
                                   8191, 8193, 16385, 65536, 65537, 100003, 524287, 1048577, 3000001 };
    for (u32 kind = 0; kind < SORT_KINDS; kind++)
        for (u32 n : lengths)
            for (u32 shape = 0; shape < SHAPES && n <= most; shape++) {
                columns c(kind, n, shape);
                const u64 right = host_hash(c);
                for (u32 how = 0; how < 7; how++) { /* grid, blocks of 32, 64, 128 threads; merge: grid, block; plain */
                    const int merge = how == 4 || how == 5;
                    if (n > 100003 && how && how != 4 && how != 6)
                        continue;
                    if ((merge && kind < SORT_128) || (how == 6 && kind != SORT_32))
                        continue;
                    sort_job j = c.job();
                    c.as_they_were();
                    SURE(how == 6             ? gx_sort_plain(&j, stream)
                         : how == 0 || how == 4 ? gx_sort_grid(&j, merge, zeros, stream)
                                              : gx_sort_block(&j, merge, 1, how == 5 ? 128 : 16u << how, stream));
                    SURE(cudaStreamSynchronize(stream));
                    checked++;
                    if (result_hash(c, merge ? ENGINE : BITONIC) != right) {
                        failed++;
                        printf("not ok: %s bits, %u items, shape %u, way %u\n", kinds[kind], n, shape, how);
                    }
                }
            }
    printf("%u sorts checked, %u differ\n", checked, failed);
    return failed != 0;
}

static float timed(const char *what, cudaError_t (*go)(void *), void *ctx, columns &c)
{
    float best = 1e30f;
    for (u32 turn = 0; turn < 6; turn++) { /* the first is not counted */
        float ms;
        c.as_they_were();
        SURE(cudaEventRecord(begun, stream));
        const cudaError_t e = go(ctx);
        if (e) {
            fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
            exit(2);
        }
        SURE(cudaEventRecord(ended, stream));
        SURE(cudaEventSynchronize(ended));
        SURE(cudaEventElapsedTime(&ms, begun, ended));
        best = turn && ms < best ? ms : best;
        if (turn && ms > 400)
            break;
    }
    return best * 1000;
}

struct call {
    int algorithm;
    columns *c;
    void *memory;
    size_t bytes;
    u32 sorts;
};
static cudaError_t go_grid(void *ctx)
{
    call *const k = (call *)ctx;
    if (k->algorithm == RADIX || k->algorithm == MERGE)
        return cub_sort(k->algorithm, *k->c, k->memory, &k->bytes);
    const sort_job j = k->c->job();
    return k->algorithm == PLAIN ? gx_sort_plain(&j, stream) : gx_sort_grid(&j, k->algorithm == ENGINE, zeros, stream);
}
static cudaError_t go_block(void *ctx)
{
    call *const k = (call *)ctx;
    sort_job j = k->c->job();
    j.n /= k->sorts;
    return gx_sort_block(&j, k->algorithm == ENGINE, k->sorts, 128, stream);
}
struct offset_of {
    u32 n;
    __host__ __device__ u32 operator()(u32 i) const { return i * n; }
};
static cudaError_t go_segments(void *ctx)
{
    call *const k = (call *)ctx;
    const u32 n = k->c->n / k->sorts;
    const auto first = thrust::make_transform_iterator(thrust::make_counting_iterator(0u), offset_of{ n });
    return k->c->kind == SORT_32
               ? cub::DeviceSegmentedSort::SortKeys(k->memory, k->bytes, (u32 *)k->c->d_sorted, (u32 *)k->c->d_other,
                                                    k->c->n, k->sorts, first, first + 1, stream)
               : cub::DeviceSegmentedSort::SortKeys(k->memory, k->bytes, (u64 *)k->c->d_sorted, (u64 *)k->c->d_other,
                                                    k->c->n, k->sorts, first, first + 1, stream);
}

/* One large sort, by algorithms whose bit is in `which` */
static void time_grid(u32 kinds_to, u32 most, u32 which)
{
    for (u32 kind = 0; kind < kinds_to; kind++)
        for (u32 log = 10; log <= most; log++) {
            columns c(kind, 1u << log, RANDOM);
            u64 right = 0;
            for (int a = 0; a < ALGORITHMS; a++) {
                call k = { a, &c, NULL, 0, 0 };
                if (!(which >> a & 1) || (a == ENGINE && (kind < SORT_128 || log > 24))
                    || (a == PLAIN && kind != SORT_32))
                    continue;
                if (a == RADIX || a == MERGE) {
                    SURE(cub_sort(a, c, NULL, &k.bytes));
                    SURE(cudaMalloc(&k.memory, k.bytes + 16));
                }
                const float us = timed(algorithms[a], go_grid, &k, c);
                const u64 h = log <= 24 ? result_hash(c, a) : 0;
                const u64 beside =
                    a == ENGINE ? 8ull * c.n
                                : k.bytes + (a == RADIX ? c.n * (sizes[kind] + (kind == SORT_PAIRS ? 4 : 0)) : 0);
                right = a ? right : h;
                failed += h != right;
                printf("grid %s %u %s %.1f %llu%s\n", kinds[kind], c.n, algorithms[a], us, (unsigned long long)beside,
                       h != right ? " DIFFERS" : "");
                fflush(stdout);
                cudaFree(k.memory);
            }
        }
}

static int time_all(u32 most)
{
    time_grid(SORT_KINDS, most, ~0u);
    for (u32 kind = 0; kind < SORT_KINDS; kind++)
        for (u32 log = 5; log <= 14; log++) { /* 4 million items in all */
            columns c(kind, 1u << 22, RANDOM);
            for (int a = 0; a < ALGORITHMS; a++) {
                call k = { a, &c, NULL, 0, 1u << (22 - log) };
                if (a == MERGE || a == PLAIN || (a == ENGINE && kind < SORT_128) || (a == RADIX && kind > SORT_64))
                    continue;
                if (a == RADIX) {
                    SURE(go_segments(&k));
                    SURE(cudaMalloc(&k.memory, k.bytes + 16));
                }
                const float us = timed(algorithms[a], a == RADIX ? go_segments : go_block, &k, c);
                printf("block %s %u %s %.1f %llu\n", kinds[kind], 1u << log,
                       a == RADIX ? "cub-segmented" : algorithms[a], us,
                       (unsigned long long)(a == ENGINE  ? 8ull << log
                                            : a == RADIX ? (k.bytes + c.n * sizes[kind]) / k.sorts
                                                         : 0));
                fflush(stdout);
                cudaFree(k.memory);
            }
        }
    return failed != 0;
}

int main(int argc, char **argv)
{
    cudaDeviceProp card;
    SURE(cudaGetDeviceProperties(&card, 0));
    printf("# %s\n", card.name);
    SURE(cudaStreamCreate(&stream));
    SURE(cudaEventCreate(&begun));
    SURE(cudaEventCreate(&ended));
    SURE(cudaMalloc(&zeros, gx_sort_grid_size()));
    if (argc > 1 && !strcmp(argv[1], "check"))
        return check(argc > 2 ? (u32)atoi(argv[2]) : ~0u);
    if (argc > 1 && !strcmp(argv[1], "time"))
        return time_all(argc > 2 ? (u32)atoi(argv[2]) : 27);
    if (argc > 1 && !strcmp(argv[1], "steps")) {
        time_grid(SORT_32 + 1, argc > 2 ? (u32)atoi(argv[2]) : 27, 1u << BITONIC | 1u << PLAIN);
        return failed != 0;
    }
    fprintf(stderr, "usage: gx-sort-bench check [MOST] | time [LOG_MOST] | steps [LOG_MOST]\n");
    return 2;
}
