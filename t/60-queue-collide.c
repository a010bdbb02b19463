/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 60-queue-collide.c -- two documents, and two stylesheets, with the same gx_digest: nothing takes them for each other
 *
 *   build/t/60-queue-collide DIR    writes DIR/a.xml, b.xml, a.xsl and b.xsl: for t/61-worker.t and t/71-http-collide.t
 *
 * A block of 16 bytes (x, y) takes the lanes (a, b) to
 *
 *   a' = fold(a ^ x, y ^ C1) + (b ^ y)      b' = fold(b ^ y ^ C2, x + C3) + rot(a) + x
 *
 * x = a makes the first product 0: y chooses a'. x = a' does so in the next block, where y chooses the lane after it,
 * and the other lane follows from these two. So two blocks lead from any text to chosen lanes, the same for both texts.
 * They are ASCII where the lanes before them are, which some changes to the texts' ends bring about, and for some of
 * the choices.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <apr_general.h>
#include <apr_strings.h>
#include "gx.h"
#include "digest.h"
#include "queue.h"
#include "../queue/memory.h"

#define TRIES (1u << 28)
#define JOINT 16u               /* bytes of each text whose last eight are changed */
#define END 32u                 /* bytes that are put behind it */

static char folder[4096] = "/tmp/gx-collide-XXXXXX";
static int stays;               /* the folder is the caller's */

static int may_byte(u64 c) { return c >= 0x20 && c < 0x7f && !strchr("&<>-'\"\\", (int)c); }

static int may_stand(u64 word)
{
    for (int i = 0; i < 64; i += 8)
        if (!may_byte(word >> i & 255))
            return 0;
    return 1;
}

/* Changes the last bytes of a text of n, a multiple of 16, so that its lanes are ASCII: of the second, almost. */
static gx_digesting put_joint(char *text, size_t n)
{
    gx_digesting before, h;
    u32 i = 0;
    gx_digest_begin(&before);
    gx_digest_add(&before, text, n - JOINT);
    do {
        for (int k = 0; k < 8; k++)
            text[n - 8 + (size_t)k] = (char)('a' + (i >> 4 * k & 15));
        h = before;
        gx_digest_add(&h, text + n - JOINT, JOINT);
    } while (++i < TRIES && !(may_stand(h.a) && !(h.b & 0x8080808080808080ull)));
    assert_true(i < TRIES);
    return h;
}

/* A byte that may stand in the text (any, if it need not), as may the two when it is xored with them; 0: none */
static u64 between(u64 x, u64 y, int stands, u32 *seed)
{
    for (int i = 0; i < 2000; i++) {
        const u64 c = (*seed = *seed * 1103515245u + 12345u) >> 16 & 255;
        if ((!stands || may_byte(c)) && may_byte(x ^ c) && may_byte(y ^ c))
            return c | 256;
    }
    return 0;
}

static int word_between(u64 x, u64 y, int stands, u32 *seed, u64 *out)
{
    *out = 0;
    for (int k = 0; k < 64; k += 8) {
        const u64 c = between(x >> k & 255, y >> k & 255, stands, seed);
        if (!c)
            return 0;
        *out |= (c & 255) << k;
    }
    return 1;
}

/* Two texts of n bytes, a multiple of 16, with room for END more: with these they have the same digest. */
static void collide(char *x, char *y, size_t n)
{
    const gx_digesting at[2] = { put_joint(x, n), put_joint(y, n) };
    char *const end[2] = { x + n, y + n };
    u64 first, second;
    u32 seed = 1;
    for (u32 i = 0; i < TRIES; i++) {
        gx_digesting after[2] = { at[0], at[1] };
        assert_true(word_between(at[0].b, at[1].b, 1, &seed, &first));
        for (int k = 0; k < 2; k++) {
            const u64 words[] = { at[k].a, at[k].b ^ first };
            memcpy(end[k], words, 16);
            gx_digest_add(&after[k], words, 16);
            assert_true(after[k].a == first);
        }
        if (((after[0].b ^ after[1].b) & 0x8080808080808080ull)
            || !word_between(after[0].b, after[1].b, 0, &seed, &second))
            continue;
        for (int k = 0; k < 2; k++) {
            const u64 words[] = { first, after[k].b ^ second };
            memcpy(end[k] + 16, words, 16);
        }
        return;
    }
    fail();
}

static void put_file(const char *name, const char *bytes, size_t n)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* ---- documents ---- */

static void test_documents(void **state)
{
    (void)state;
    char text[2][129];
    for (int i = 0; i < 2; i++) {
        memset(text[i], ' ', sizeof text[i]);
        memcpy(text[i], i ? "<a>another one<!--" : "<a>one<!--", i ? 18 : 10);
    }
    collide(text[0], text[1], 64);
    for (int i = 0; i < 2; i++)
        memcpy(text[i] + 64 + END, "--></a>", 8);
    assert_true(strlen(text[0]) == strlen(text[1]) && strcmp(text[0], text[1]) != 0);
    assert_true(gx_digest_is_same(gx_digest_of(text[0], strlen(text[0])), gx_digest_of(text[1], strlen(text[1]))));
    put_file("a.xml", text[0], strlen(text[0]));
    put_file("b.xml", text[1], strlen(text[1]));
}

/* ---- stylesheets ---- */

#define TEXT 128

/* The program has the letters once, behind what else tells one from the other: its path and what it writes. */
static gx_program *compile(apr_pool_t *pool, const char *name, const char *letters)
{
    gx_compile_options options;
    gx_program *program = NULL;
    gx_error err;
    char path[4200];
    const char *text = apr_pstrcat(
        pool, "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>",
        "<xsl:decimal-format infinity='from ", name, "'/><xsl:template match='/'>",
        "<o><xsl:value-of select='translate(format-number(count(*) div 0, 0), name(*), 1)'/></o></xsl:template>",
        "<xsl:output media-type='application/xml; letters=\"", letters, "\"'/></xsl:stylesheet>", NULL);
    put_file(name, text, strlen(text));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    memset(&options, 0, sizeof options);
    memset(&err, 0, sizeof err);
    if (gx_compile(path, &options, pool, &program, &err) != GX_OK)
        fail_msg("%s", err.text);
    return program;
}

static void make_stylesheets(apr_pool_t *pool, gx_program *program[2])
{
    static const char *const name[] = { "a.xsl", "b.xsl" };
    char letters[2][TEXT + 1];
    size_t n = 0;
    for (int i = 0; i < 2; i++) {
        memset(letters[i], '.', TEXT);
        letters[i][TEXT] = 0;
        program[i] = compile(pool, name[i], letters[i]);
        const char *at = memmem(program[i], program[i]->size, letters[i], TEXT);
        assert_non_null(at);
        assert_true(i == 0 || n == (size_t)(at - (const char *)program[i]));
        n = (size_t)(at - (const char *)program[i]);
    }
    const size_t whole = (n + 48) & ~(size_t)15;
    collide((char *)program[0], (char *)program[1], whole);
    for (int i = 0; i < 2; i++) {
        memcpy(letters[i], (char *)program[i] + n, whole + END - n);
        free(program[i]);
        program[i] = compile(pool, name[i], letters[i]);
    }
}

/* A child that was taken over writes one over the other: that is not what is asked for, then. */
static void test_planted(gx_queue *q, gx_queue_program published[2], gx_program *const program[2])
{
    gx_q_program *e = &q->programs[(u32)published[0].entry];
    gx_queue_job job;
    void *bytes;
    u64 size;
    memset(&job, 0, sizeof job);
    memcpy(q->base + e->block.off, program[1], program[1]->size);
    e->digest = published[1].digest;
    job.request.program = (u32)published[0].entry;
    job.request.generation = (u32)(published[0].entry >> 32);
    job.request.digest = published[0].digest;
    assert_int_not_equal(gx_queue_program_copy(q, &job, &bytes, &size), GX_OK);
}

static void test_stylesheets(void **state)
{
    (void)state;
    apr_pool_t *pool;
    gx_program *program[2];
    gx_queue_program published[2];
    gx_queue *q;
    gx_error err;
    apr_pool_create(&pool, NULL);
    make_stylesheets(pool, program);
    assert_int_equal(program[0]->size, program[1]->size);
    assert_memory_not_equal(program[0], program[1], program[0]->size);
    assert_int_equal(gx_queue_create(2, 4 << 20, &q, &err), GX_OK);
    for (int i = 0; i < 2; i++) {
        gx_queue_program_init(&published[i], program[i], program[i]->size);
        assert_int_equal(gx_queue_publish(q, &published[i]), GX_OK);
    }
    assert_true(gx_digest_is_same(gx_digest_of(program[0], program[0]->size),
                                  gx_digest_of(program[1], program[1]->size)));
    assert_false(gx_sha256_is_same(&published[0].digest, &published[1].digest));
    assert_true(published[0].entry != published[1].entry);
    for (int i = 0; i < 2; i++) {
        gx_queue_job job;
        void *bytes;
        u64 size;
        memset(&job, 0, sizeof job);
        job.request.program = (u32)published[i].entry;
        job.request.generation = (u32)(published[i].entry >> 32);
        job.request.digest = published[i].digest;
        assert_int_equal(gx_queue_program_copy(q, &job, &bytes, &size), GX_OK);
        assert_int_equal(size, program[i]->size);
        assert_memory_equal(bytes, program[i], size);
        free(bytes);
    }
    test_planted(q, published, program);
    for (int i = 0; i < 2; i++)
        free(program[i]);
    gx_queue_destroy(q);
    apr_pool_destroy(pool);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_documents), cmocka_unit_test(test_stylesheets) };
    stays = argc > 1;
    if (stays)
        snprintf(folder, sizeof folder, "%s", argv[1]);
    apr_initialize();
    if (!stays && !mkdtemp(folder))
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (!stays && chdir(folder) == 0) {
        unlink("a.xml");
        unlink("b.xml");
        unlink("a.xsl");
        unlink("b.xsl");
        rmdir(folder);
    }
    return failed;
}
