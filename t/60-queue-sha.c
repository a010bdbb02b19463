/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 60-queue-sha.c -- SHA-256: digests that are known (FIPS 180-4's examples, a million of "a"), and both variants agree
 * on all lengths to 300 and some long ones
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

static void test_both(void **state)
{
    unsigned char *bytes = malloc(MANY);
    u32 seed = 1;
    (void)state;
    for (u32 i = 0; i < MANY; i++)
        bytes[i] = (unsigned char)((seed = seed * 1103515245u + 12345u) >> 16);
    for (u32 n = 0; n < MANY; n = n < 300 ? n + 1 : n * 3) {
        const gx_sha256 a = gx_sha256_of(bytes + n % 7, n), b = gx_sha256_plain(bytes + n % 7, n);
        assert_true(gx_sha256_is_same(&a, &b));
        bytes[n % 7 + n / 2] ^= n > 0;
        const gx_sha256 c = gx_sha256_of(bytes + n % 7, n);
        assert_true(n == 0 || !gx_sha256_is_same(&a, &c));
    }
    free(bytes);
}

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
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_known), cmocka_unit_test(test_both) };
    if (argc > 1 && strcmp(argv[1], "--bench") == 0) {
        bench(gx_sha256_of, "sha256");
        bench(gx_sha256_plain, "plain");
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
