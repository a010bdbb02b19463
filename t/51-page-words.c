/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 51-page-words.c -- a page's text by the word as a GPU's thread moves and escapes it, on a CPU
 *
 * words.h and page_value.h have code of their own for a GPU: aligned loads, which reach beyond what they are for, and
 * words put together of two. Here that code is compiled for the CPU, with the few functions of CUDA that it calls, and
 * compared with bytes one by one: every length and place of source and target up to some words, every byte at every
 * place, alone and among others that are escaped. The source ends or begins where a page of memory does that nobody may
 * touch, and the target has marks around it.
 */
#define GX_TEAM_SOLO
#include "engine/output/page_team.h"

typedef struct __attribute__((may_alias, aligned(16))) uint4 { u32 x, y, z, w; } uint4;
static inline uint4 make_uint4(u32 x, u32 y, u32 z, u32 w) { return (uint4){ x, y, z, w }; }
static inline u32 __funnelshift_r(u32 low, u32 high, u32 shift)
{
    return (u32)(((u64)high << 32 | low) >> (shift & 31));
}
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline __attribute__((unused)) int __popcll(u64 x) { return __builtin_popcountll(x); }

#ifdef GX_WORDS_H
#error "words.h was compiled as for a CPU already"
#endif
#define __CUDACC__ 1
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "engine/output/page_value.h"
#undef __CUDACC__

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

enum { MOST = 150, AROUND = 32 };

static char *floor_at, *ceiling;        /* a page that may be read, between two that may not */

static int set_up(void **state)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *all = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    if (all == MAP_FAILED || mprotect(all + page, page, PROT_READ | PROT_WRITE))
        return -1;
    floor_at = all + page;
    ceiling = floor_at + page;
    return 0;
}

/* The n bytes, `beside` bytes from the page's end, or from its beginning */
static char *source(int at_end, u32 beside, u32 n) { return at_end ? ceiling - beside - n : floor_at + beside; }

/* Is `to` n bytes of want, with marks around them? */
static void check(const char *all, u32 off, const char *want, u64 n, const char *what, u32 a, u32 b)
{
    for (u32 i = 0; i < AROUND + off; i++)
        if (all[i] != '#')
            fail_msg("%s: %u bytes before the target, %u and %u", what, AROUND + off - i, a, b);
    if (memcmp(all + AROUND + off, want, n) != 0)
        fail_msg("%s: other bytes, %u and %u", what, a, b);
    for (u32 i = 0; i < AROUND; i++)
        if (all[AROUND + off + n + i] != '#')
            fail_msg("%s: %u bytes behind the target, %u and %u", what, i, a, b);
}

static void test_move(void **state)
{
    static _Alignas(16) char to[AROUND * 3 + MOST];
    (void)state;
    for (u32 end = 0; end < 2; end++)
        for (u32 beside = 0; beside < 20; beside++)
            for (u32 n = 0; n < MOST; n++)
                for (u32 off = 0; off < 16; off++) {
                    char *from = source((int)end, beside, n);
                    for (u32 i = 0; i < n; i++)
                        from[i] = (char)('A' + (i * 7 + n) % 57);
                    memset(to, '#', sizeof to);
                    gx_move(to + AROUND + off, from, n);
                    check(to, off, from, n, "gx_move", beside, n);
                    memset(to, '#', sizeof to);
                    gx_move_long(to + AROUND + off, from, n);
                    check(to, off, from, n, "gx_move_long", beside, n);
                }
}

/* As gx_page_escape, byte by byte */
static u64 escape_bytes(char *to, const char *s, u32 n, u32 where)
{
    u64 len = 0;
    for (u32 i = 0; i < n; i++) {
        u32 k;
        gx_page_escape_one((u8)s[i], i + 1 < n ? (u8)s[i + 1] : 0, where, to + len, &k);
        if (!k)
            to[len] = s[i];
        len += k ? k : 1;
    }
    return len;
}

static void one(const char *s, u32 n, u32 where, u32 off, const char *what, u32 a)
{
    static _Alignas(16) char to[AROUND * 3 + MOST * 6];
    static char want[MOST * 6 + 8];
    const u64 len = escape_bytes(want, s, n, where);
    memset(to, '#', sizeof to);
    assert_int_equal(gx_page_escape(NULL, s, n, where), len);
    assert_int_equal(gx_page_escape(to + AROUND + off, s, n, where), len);
    check(to, off, want, len, what, a, where);
}

/* Each of 256 bytes at each place of texts of a few lengths, alone and before "{" */
static void test_each_byte(void **state)
{
    static const u32 lengths[] = { 1, 2, 15, 16, 17, 31, 33, 48 };
    (void)state;
    for (u32 l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (u32 where = 0; where <= GX_PAGE_RAW; where++)
            for (u32 c = 0; c < 256; c++)
                for (u32 i = 0; i < lengths[l]; i++) {
                    const u32 n = lengths[l];
                    char *s = source((int)(c & 1), (i + where) & 15, n);
                    memset(s, 'x', n);
                    s[i] = (char)c;
                    one(s, n, where, i & 3, "a byte", c);
                    if (i + 1 < n) {
                        s[i + 1] = '{';
                        one(s, n, where, i & 7, "a byte before {", c);
                    }
                }
}

/* What is escaped, and its neighbours in the code, in any order, at every place of source and target */
static void test_mixed(void **state)
{
    static const char some[] = "&<>\"\t\n\r%'{=?;\xa6\xbc\x80\xff\x1f\x7f ";
    u32 seed = 1;
    (void)state;
    for (u32 dense = 1; dense <= 16; dense *= 4)
        for (u32 end = 0; end < 2; end++)
            for (u32 beside = 0; beside < 16; beside++)
                for (u32 n = 0; n < MOST; n += 1 + n / 40)
                    for (u32 where = 0; where <= GX_PAGE_RAW; where++) {
                        char *s = source((int)end, beside, n);
                        for (u32 i = 0; i < n; i++) {
                            seed = seed * 1664525u + 1013904223u;
                            s[i] = (seed >> 24) % dense ? (char)('a' + (seed >> 16) % 26)
                                                        : some[(seed >> 8 & 0xffff) % (sizeof some - 1)];
                        }
                        one(s, n, where, (beside * 5 + n) & 15, "mixed", n);
                    }
}

/* Sets of 64 bytes, of which fewer may be there */
static void test_load(void **state)
{
    (void)state;
    for (u32 n = 0; n <= GX_WORDS_BYTES; n++) {
        char *s = source(1, (16 - (n & 15)) & 15, n);       /* aligned */
        gx_words w;
        for (u32 i = 0; i < n; i++)
            s[i] = (char)(i + 1);
        gx_words_load(&w, (const u8 *)s, n);
        assert_memory_equal(&w, s, n);
    }
    for (u32 i = 0; i < 64; i++)
        for (u32 more = i; more < 64; more++)
            assert_int_equal(gx_bits_first(1ull << i | 1ull << more), i);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_move), cmocka_unit_test(test_each_byte),
                                        cmocka_unit_test(test_mixed), cmocka_unit_test(test_load) };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
