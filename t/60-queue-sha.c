/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 60-queue-sha.c -- SHA-256: digests that are known (FIPS 180-4's examples, a million of "a"), and both variants agree
 * on all lengths to 300 and some long ones; likewise of eight lanes
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
#include "sha256.h"

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
    /* counted by another program, from the definitions: ETags are the same after a restart, and on other hosts */
    is_hex(lanes_of("", 0, 1, 0), "fd0e28746fca5a355a4823ddec21f1ffc2f2a64dd111f70ac3666af7d83755ba");
    is_hex(lanes_of(bytes, 511, 511, 0), "9aea02497af01be1ee9581c232171e3d5d98a4ae16b29ec87946dabc4369e826");
    is_hex(lanes_of(bytes, 512, 512, 0), "1deba16565803b8324e12280dafbb8b1e441dc6eb1341975c63de7e9bfc22f5c");
    is_hex(lanes_of(bytes, 5000, 5000, 0), "24bfc43668655c3bdfb21bdb84bd69a4d827d68276020f7fc10f7e88f68d4d8c");
    for (u32 n = 0; n < MANY; n = n < 1100 ? n + 1 : n * 3) {
        const gx_sha256 a = lanes_of(bytes + n % 7, n, n + 1, 0), c = lanes_of(bytes + n % 7, n, 1 + n % 700, 0);
        assert_true(gx_sha256_is_same(&a, &c));
        for (int without = 2; without <= 14; without += 2) {
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
static gx_sha256 lanes_plain(const void *bytes, size_t n) { return lanes_of(bytes, n, n, 14); }

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
