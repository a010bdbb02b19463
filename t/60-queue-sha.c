/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 60-queue-sha.c -- SHA-256: digests that are known (FIPS 180-4's examples, a million of "a"), and both variants agree
 * on all lengths to 300 and some long ones; likewise of sixteen lanes of BLAKE3's compression function
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "lanes.h"

#define MANY 1000000u

static void is_hex(gx_sha256 sha, const char *want)
{
    char hex[65];
    for (int i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", ((const unsigned char *)&sha)[i]);
    assert_string_equal(hex, want);
}

static void test_known(void **state)
{
    static const struct { const char *text, *want; } table[] = {
        { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
        { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        is_hex(gx_sha256_of(table[i].text, strlen(table[i].text)), table[i].want);
        is_hex(gx_sha256_plain(table[i].text, strlen(table[i].text)), table[i].want);
    }
    char *many = malloc(MANY);
    memset(many, 'a', MANY);
    is_hex(gx_sha256_of(many, MANY), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    is_hex(gx_sha256_plain(many, MANY), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(many);
}

/* MANY of them, the same for a seed wherever this runs */
static unsigned char *random_bytes(u32 seed)
{
    unsigned char *bytes = malloc(MANY);
    for (u32 i = 0; i < MANY; i++)
        bytes[i] = (unsigned char)((seed = seed * 1103515245u + 12345u) >> 16);
    return bytes;
}

static void test_both(void **state)
{
    unsigned char *bytes = random_bytes(1);
    (void)state;
    for (u32 n = 0; n < MANY; n = n < 300 ? n + 1 : n * 3) {
        const gx_sha256 a = gx_sha256_of(bytes + n % 7, n), b = gx_sha256_plain(bytes + n % 7, n);
        assert_true(gx_sha256_is_same(&a, &b));
        bytes[n % 7 + n / 2] ^= n > 0;
        const gx_sha256 c = gx_sha256_of(bytes + n % 7, n);
        assert_true(n == 0 || !gx_sha256_is_same(&a, &c));
    }
    free(bytes);
}

static gx_sha256 lanes_of(const void *bytes, size_t n, size_t piece, int without)
{
    gx_lanes l;
    gx_lanes_begin(&l);
    l.without = without;
    for (size_t i = 0; i < n; i += piece)
        gx_lanes_add(&l, (const char *)bytes + i, n - i < piece ? n - i : piece);
    return gx_lanes_end(&l);
}

static void test_lanes(void **state)
{
    unsigned char *bytes = random_bytes(7);
    (void)state;
    /* counted by another program, whose compression makes BLAKE3's digests of short texts: ETags are the same after a
     * restart, and on other hosts */
    is_hex(lanes_of("", 0, 1, 0), "469cf8b419356b1bc067fc3834799afb8ba89b8de0da7b74d1f469284faa71ae");
    is_hex(lanes_of(bytes, 1023, 1023, 0), "7f018f49f3547e4f11379db4aec92c12cdc07cfc640505c4290bd4071620f0ed");
    is_hex(lanes_of(bytes, 1024, 1024, 0), "9bc815c6c5ddc81fbd616a544df1f5acea13cedad84a78dc2df7dca9bdafd6f1");
    is_hex(lanes_of(bytes, 5000, 5000, 0), "42e829ec09def208cbd905670428ee3242a428991563e6f32d51bfa0c2b8ef6f");
    for (u32 n = 0; n < MANY; n = n < 2100 ? n + 1 : n * 3) {
        const gx_sha256 a = lanes_of(bytes + n % 7, n, n + 1, 0), c = lanes_of(bytes + n % 7, n, 1 + n % 1500, 0);
        assert_true(gx_sha256_is_same(&a, &c));
        for (int without = 2; without <= 6; without += 2) {
            const gx_sha256 b = lanes_of(bytes + n % 7, n, n + 1, without);
            assert_true(gx_sha256_is_same(&a, &b));
        }
        bytes[n % 7 + n / 2] ^= n > 0;
        const gx_sha256 d = lanes_of(bytes + n % 7, n, n + 1, 0), e = lanes_of(bytes + n % 7, n + 1, n + 1, 0);
        assert_true(n == 0 || !gx_sha256_is_same(&a, &d));
        assert_false(gx_sha256_is_same(&d, &e));
    }
    free(bytes);
}

static gx_sha256 lanes(const void *bytes, size_t n) { return lanes_of(bytes, n, n, 0); }
static gx_sha256 lanes_plain(const void *bytes, size_t n) { return lanes_of(bytes, n, n, 6); }

/* --bench: nanoseconds a byte */
static void bench(gx_sha256 (*of)(const void *, size_t), const char *name)
{
    struct timespec a, b;
    char *bytes = calloc(1, MANY);
    u64 best = ~0ull;
    for (int i = 0; i < 20; i++) {
        clock_gettime(CLOCK_MONOTONIC, &a);
        bytes[0] = (char)of(bytes, MANY).word[0];
        clock_gettime(CLOCK_MONOTONIC, &b);
        const u64 ns = (u64)(b.tv_sec - a.tv_sec) * 1000000000u + (u64)b.tv_nsec - (u64)a.tv_nsec;
        best = ns < best ? ns : best;
    }
    printf("# %s: %.2f ns a byte\n", name, (double)best / MANY);
    free(bytes);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_known), cmocka_unit_test(test_both),
                                        cmocka_unit_test(test_lanes) };
    if (argc > 1 && strcmp(argv[1], "--bench") == 0) {
        bench(gx_sha256_of, "sha256");
        bench(gx_sha256_plain, "plain");
        bench(lanes, "lanes");
        bench(lanes_plain, "lanes, plain");
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
