/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 46-bitonic.h -- machine/bitonic.h against qsort, for the team of the file that includes this
 *
 * It defines first: run(work, kind, columns, n, members), which calls work() by every member of a team. Columns are
 * copies of their exact size on the heap: AddressSanitizer sees any item beyond the end.
 *
 *   PROGRAM --bench      million items a second, beside qsort's
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "engine/machine/bitonic.h"

enum { KEYS_32, KEYS_64, KEYS_128, PAIRS, N_KINDS };
static const char *const kind_names[] = {"32 bits", "64 bits", "128 bits", "128 bits and a value"};

typedef struct job { u32 kind, n; void *keys; u32 *values; } job;

static void sort_by_member(gx_team *t, const job *j)
{
    const gx_wide_pairs pairs = {j->keys, j->values};
    switch (j->kind) {
    case KEYS_32: gx_bitonic_32_sort(t, j->keys, j->n); break;
    case KEYS_64: gx_bitonic_64_sort(t, j->keys, j->n); break;
    case KEYS_128: gx_bitonic_128_sort(t, j->keys, j->n); break;
    default: gx_bitonic_pairs_sort(t, pairs, j->n);
    }
}
static void run(const job *j, u32 members);

static u64 seed = 0x9e3779b97f4a7c15ull;

static u64 random_u64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 0x2545f4914f6cdd1dull;
}

enum { RANDOM, FEW, ASCENDING, DESCENDING, SAME, N_SHAPES };
static u64 item_of(u32 shape, u32 i, u32 n)
{
    switch (shape) {
    case RANDOM: return random_u64();
    case FEW: return random_u64() % 5;
    case ASCENDING: return i;
    case DESCENDING: return n - i;
    default: return 7;
    }
}

/* Reference: the items as pairs of (key, value), whatever their kind; values are 0 where there are none. */
static int compare(const void *a, const void *b)
{
    const gx_wide_pair *x = a, *y = b;
    if (x->key.high != y->key.high)
        return x->key.high < y->key.high ? -1 : 1;
    if (x->key.low != y->key.low)
        return x->key.low < y->key.low ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static void pack(const gx_wide_pair *item, job *j)
{
    static const size_t size[] = {sizeof(u32), sizeof(u64), sizeof(gx_wide_key), sizeof(gx_wide_key)};
    j->keys = malloc(j->n ? j->n * size[j->kind] : 1);
    j->values = malloc(j->n ? j->n * sizeof(u32) : 1);
    for (u32 i = 0; i < j->n; i++) {
        if (j->kind == KEYS_32)
            ((u32 *)j->keys)[i] = (u32)item[i].key.low;
        else if (j->kind == KEYS_64)
            ((u64 *)j->keys)[i] = item[i].key.low;
        else
            ((gx_wide_key *)j->keys)[i] = item[i].key;
        j->values[i] = item[i].value;
    }
}

static gx_wide_pair unpacked(const job *j, u32 i)
{
    gx_wide_pair x = {{0, 0}, 0};
    if (j->kind == KEYS_32)
        x.key.low = ((u32 *)j->keys)[i];
    else if (j->kind == KEYS_64)
        x.key.low = ((u64 *)j->keys)[i];
    else
        x.key = ((gx_wide_key *)j->keys)[i];
    x.value = j->values[i];
    return x;
}

static void check(gx_wide_pair *item, u32 kind, u32 n, u32 members, const char *what)
{
    job j = {kind, n, NULL, NULL};
    pack(item, &j);
    run(&j, members);
    qsort(item, n, sizeof *item, compare);
    for (u32 i = 0; i < n; i++) {
        const gx_wide_pair x = unpacked(&j, i);
        if (compare(&x, &item[i]))
            fail_msg("%s, %s, %u items, %u members: place %u", what, kind_names[kind], n, members, i);
    }
    free(j.keys);
    free(j.values);
}

static void fill(gx_wide_pair *item, u32 kind, u32 shape, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        const u64 x = item_of(shape, i, n);
        item[i].key.high = kind < KEYS_128 ? 0 : shape == RANDOM ? x % 3 : x;
        item[i].key.low = kind == KEYS_32 ? (u32)x : shape == FEW ? x & 1 : x;
        item[i].value = kind == PAIRS ? (u32)(random_u64() % 1000) : 0;
    }
}

static void lengths_and_shapes(void **state)
{
    static const char *const shapes[] = {"random", "few", "ascending", "descending", "same"};
    static const u32 lengths[] = {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 1023, 1024, 1025, 2047, 2049, 5000, 16385, 100003};
    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (u32 k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        gx_wide_pair *item = malloc((lengths[k] + 1) * sizeof *item);
        for (u32 kind = 0; kind < N_KINDS; kind++)
            for (u32 shape = 0; shape < N_SHAPES; shape++) {
                fill(item, kind, shape, lengths[k]);
                check(item, kind, lengths[k], 1 + k % MOST_MEMBERS, shapes[shape]);
            }
        free(item);
    }
}

/* A network that sorts all sequences of zeros and ones sorts everything. */
static void zeros_and_ones(void **state)
{
    gx_wide_pair item[11];
    (void)state;
    for (u32 n = 0; n <= 11; n++)
        for (u32 bits = 0; bits < 1u << n; bits++) {
            for (u32 i = 0; i < n; i++)
                item[i] = (gx_wide_pair){{0, bits >> i & 1}, 0};
            check(item, KEYS_32, n, 1, "zeros and ones");
        }
}

/* Around a tile and its multiples, where passes change: one zero among ones, at each place that matters */
static void one_less(void **state)
{
    (void)state;
    for (u32 n = 4094; n <= 4099; n++)
        for (u32 at = 0; at < n; at += at % 512 < 2 || at % 512 > 509 ? 1 : 97) {
            gx_wide_pair *item = calloc(n, sizeof *item);
            for (u32 i = 0; i < n; i++)
                item[i].key.low = i != at;
            check(item, KEYS_64, n, 1, "one less");
            free(item);
        }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int bench(void)
{
    printf("%-22s %9s %9s %9s\n", "Mitems/s", "items", "bitonic", "qsort");
    for (u32 kind = 0; kind < N_KINDS; kind++)
        for (u32 n = 1u << 10; n <= 1u << 20; n <<= 5) {
            gx_wide_pair *item = malloc(n * sizeof *item);
            double best = 1e9, best_qsort = 1e9;
            for (u32 turn = 0; turn < 5; turn++) {
                job j = {kind, n, NULL, NULL};
                fill(item, kind, RANDOM, n);
                pack(item, &j);
                const double from = seconds();
                run(&j, MOST_MEMBERS);
                const double between = seconds();
                qsort(item, n, sizeof *item, compare);
                const double to = seconds();
                best = between - from < best ? between - from : best;
                best_qsort = to - between < best_qsort ? to - between : best_qsort;
                free(j.keys);
                free(j.values);
            }
            printf("%-22s %9u %9.2f %9.2f\n", kind_names[kind], n, n / best / 1e6, n / best_qsort / 1e6);
            free(item);
        }
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_and_ones), cmocka_unit_test(one_less), cmocka_unit_test(lengths_and_shapes),
    };
    if (argc > 1 && !strcmp(argv[1], "--bench"))
        return bench();
    return cmocka_run_group_tests_name("bitonic", tests, NULL, NULL);
}
