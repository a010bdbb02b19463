/* SPDX-License-Identifier: Apache-2.0 */
/* The latency table: every value is found again, percentiles are as exact as the buckets, names are bounded, threads
 * lose nothing. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>
#include "../module/measure.c"

static gxm_measure m;

static gxm_request_facts page(const char *sheet, u64 total_us)
{
    gxm_request_facts f;
    memset(&f, 0, sizeof f);
    f.sheet = sheet;
    f.by_worker = -1;
    f.us[GXM_AT_TOTAL] = total_us;
    return f;
}

static void buckets(void **state)
{
    (void)state;
    for (u32 i = 0; i < GXM_BUCKETS; i++) {
        assert_int_equal(bucket_of(bucket_start(i)), i);
        if (i)
            assert_int_equal(bucket_of(bucket_start(i) - 1), i - 1);
    }
    assert_int_equal(bucket_of(UINT64_MAX), GXM_BUCKETS - 1);
    assert_int_equal(bucket_start(GXM_BUCKETS - 1), 7 << 22);
}

/* Against sorting, for values of every size */
static void percentiles(void **state)
{
    enum { N = 10000 };
    static u64 value[N];
    gxm_histogram h;
    u64 seed = 7;
    (void)state;
    memset(&h, 0, sizeof h);
    assert_true(gxm_percentile(&h, 0.5) == 0);
    for (u32 i = 0; i < N; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        value[i] = (seed >> 33) >> (seed >> 28 & 15) & 0xffffff;
        put(&h, value[i]);
    }
    assert_int_equal(gxm_histogram_count(&h), N);
    for (u32 log2 = 0; log2 < 24; log2++) {
        u64 below = 0;
        for (u32 i = 0; i < N; i++)
            below += value[i] < (u64)1 << log2;
        assert_int_equal(gxm_histogram_below(&h, log2), below);
    }
    for (u32 i = 1; i < N; i++)
        for (u32 k = i; k && value[k] < value[k - 1]; k--) {
            const u64 t = value[k];
            value[k] = value[k - 1];
            value[k - 1] = t;
        }
    for (double part = 0.01; part < 1; part += 0.01) {
        const double want = (double)value[(u32)(part * N)], got = gxm_percentile(&h, part);
        assert_true(got <= want * 1.26 + 1 && got >= want / 1.26 - 1);
    }
}

static void rows(void **state)
{
    gxm_stripe sum;
    char text[64];
    u32 used = 0;
    (void)state;
    memset(&m, 0, sizeof m);
    for (u32 i = 0; i < 500; i++) {
        char name[200];
        snprintf(name, sizeof name, "sheet-%u-%0100u.xsl", i % 100, 0u);
        gxm_request_facts f = page(name, i);
        f.why = "thread: cheaper";
        gxm_measure_add(&m, &f);
    }
    for (u32 r = 1; r < GXM_ROWS; r++) {
        gxm_measure_name(&m, r, text);
        assert_int_equal(strlen(text), 63);
        assert_int_equal(strncmp(text, "sheet-", 6), 0);
        gxm_measure_why(&m, r, text);
        assert_string_equal(text, "thread: cheaper");
        gxm_measure_sum(&m, r, &sum);
        assert_int_equal(sum.done, 5);
        used++;
    }
    assert_int_equal(used, 63);
    gxm_measure_sum(&m, 0, &sum);
    assert_int_equal(sum.done, 37 * 5);
    gxm_measure_name(&m, 0, text);
    assert_string_equal(text, "(other)");
    gxm_measure_sum(&m, GXM_ROWS, &sum);
    assert_int_equal(sum.done, 500);
    assert_int_equal(sum.stage[GXM_AT_TOTAL].sum_us, 499 * 250);
}

static void *many(void *name)
{
    gxm_request_facts f = page(name, 100);
    f.us[GXM_AT_PARSE] = 20;
    f.us[GXM_AT_EVALUATE] = 60;
    f.us[GXM_AT_WRITE] = 20;
    f.by_worker = 0;
    f.reason = GXM_CHEAPER;
    f.in_bytes = 5000;
    f.out_bytes = 3000;
    for (u32 i = 0; i < 100000; i++)
        gxm_measure_add(&m, &f);
    return NULL;
}

static void threads(void **state)
{
    static const char *const names[] = { "a.xsl", "b.xsl", "a.xsl", "c.xsl" };
    pthread_t t[4];
    gxm_stripe sum;
    struct timespec a, b;
    (void)state;
    memset(&m, 0, sizeof m);
    for (u32 i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, many, (void *)names[i]);
    for (u32 i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    gxm_measure_sum(&m, GXM_ROWS, &sum);
    assert_int_equal(sum.done, 400000);
    assert_int_equal(sum.by_cpu, 400000);
    assert_int_equal(sum.chosen[0][GXM_CHEAPER], 400000);
    assert_int_equal(sum.chosen[1][GXM_CHEAPER] + sum.chosen[0][GXM_NOT_CHOSEN], 0);
    assert_int_equal(gxm_histogram_count(&sum.stage[GXM_AT_EVALUATE]), 400000);
    assert_int_equal(gxm_histogram_count(&sum.stage[GXM_AT_WAIT]), 0);
    clock_gettime(CLOCK_MONOTONIC, &a);
    many((void *)"a.xsl");
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("# %.0f ns a request\n", ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / 100000);
}

static void samples(void **state)
{
    gxm_sample_facts facts;
    (void)state;
    memset(&facts, 0, sizeof facts);
    facts.now_us = facts.wall_us = 1;
    facts.n_devices = 2;
    facts.memory = 200;
    facts.memory_used = 50;
    memset(&m, 0, sizeof m);
    for (u32 i = 0; i < 1000; i++) {
        gxm_request_facts f = page("a.xsl", i < 500 ? 1000 : 8000);
        gxm_measure_add(&m, &f);
        facts.now_us += 10000000;
        facts.wall_us = facts.now_us;
        facts.cache_hits++;
        facts.busy_us = i == 900 ? 0 : facts.busy_us + 5000010;         /* another worker begins anew */
        facts.batches += 2;
        facts.batch_requests += 10;
        gxm_measure_sample(&m, &facts);
        facts.now_us += 1;
        gxm_measure_sample(&m, &facts);         /* too early */
    }
    assert_int_equal(m.n_samples, 1000);
    for (u32 i = 0; i < GXM_SAMPLES; i++) {
        assert_int_equal(m.sample[i].done, 1);
        assert_int_equal(m.sample[i].cache_hits, 1);
        assert_int_equal(m.sample[i].busy, i == 900 % GXM_SAMPLES ? 0 : 250);
        assert_int_equal(m.sample[i].memory_used, 50);
        assert_int_equal(m.sample[i].batches, 2);
        assert_int_equal(m.sample[i].batch_requests, 10);
        assert_true(m.sample[i].p50_us > 6500 && m.sample[i].p50_us < 8200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(buckets), cmocka_unit_test(percentiles),
                                        cmocka_unit_test(rows),
                                        cmocka_unit_test(threads), cmocka_unit_test(samples) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
