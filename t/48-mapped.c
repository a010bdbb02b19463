/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 48-mapped.c -- tree patterns and template rules over a document that lies in a file, mapped for reading alone
 *
 * The streams of labels that joins, bits and the automata read are slices of the document's own columns. The file is
 * mapped without the right to write, so that an operator that writes into a stream ends with a signal. Every strategy,
 * on one thread and on four, gives the bytes that it gives from memory, and the file is the same afterwards.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <apr_general.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "engine/gx.h"
#include "engine/program/program.h"

static gx_arena *arena;
static gx_parser *parser;
static apr_pool_t *pool;
static char text[1u << 20], want[1u << 22], got[1u << 22];
static size_t n_got;

static int put(void *ctx, const char *at, size_t n)
{
    (void)ctx;
    assert_true(n_got + n <= sizeof got);
    memcpy(got + n_got, at, n);
    n_got += n;
    return 0;
}

/* Labels that nest, and rare ones */
static size_t write_source(void)
{
    size_t n = 0;
    n += (size_t)sprintf(text + n, "<r>");
    for (u32 i = 0; i < 3000; i++)
        n += (size_t)sprintf(text + n, "<a x='%u'><b>%s<a><c>t%u</c></a></b>%s</a>", i % 7, i % 11 ? "" : "<d/>", i,
                             i % 5 ? "<c/>" : "<b><d/></b>");
    return n + (size_t)sprintf(text + n, "</r>");
}

/* got := the answer */
static void evaluate(const gx_program *program, const gx_doc *doc, int members)
{
    gx_error err;
    gx_limits limits;
    gx_evaluation ev;
    gx_serialize_options so;
    gx_media media;
    memset(&limits, 0, sizeof limits);
    gx_limits_default(&limits);
    memset(&ev, 0, sizeof ev);
    ev.program = program;
    ev.doc = doc;
    ev.limits = &limits;
    ev.team.kind = members > 1 ? GX_TEAM_KIND_THREADS : GX_TEAM_KIND_SOLO;
    ev.team.members = members;
    ev.arena = arena;
    ev.pool = pool;
    memset(&so, 0, sizeof so);
    n_got = 0;
    assert_int_equal(gx_evaluate(&ev, &err), GX_OK);
    assert_int_equal(program->flags & GX_P_XPATH ? gx_serialize_selection(&ev, &so, 1, NULL, put, NULL, &media, &err)
                                                 : gx_serialize(&ev, &so, put, NULL, &media, &err),
                     GX_OK);
}

/* The document's block as a file that is mapped for reading */
static const gx_doc *mapped(const gx_doc *doc, int *fd)
{
    char path[] = "/tmp/gpuxml-mapped-XXXXXX";
    *fd = mkstemp(path);
    assert_true(*fd >= 0);
    unlink(path);
    for (u64 at = 0; at < doc->size; ) {
        const ssize_t n = write(*fd, (const char *)doc + at, doc->size - at);
        assert_true(n > 0);
        at += (u64)n;
    }
    const void *at = mmap(NULL, doc->size, PROT_READ, MAP_SHARED, *fd, 0);
    assert_ptr_not_equal(at, MAP_FAILED);
    return at;
}

static void check(const char *what, const char *sheet, const gx_doc *doc, const gx_doc *file)
{
    gx_error err;
    size_t n_want = 0;

    for (u32 strategy = 0; gx_strategy_name(strategy); strategy++) {
        gx_compile_options co;
        gx_program *program;
        memset(&co, 0, sizeof co);
        co.strategy = strategy;
        assert_int_equal(sheet ? gx_compile(sheet, &co, pool, &program, &err)
                               : gx_compile_select(what, &co, pool, &program, &err),
                         GX_OK);
        for (int members = 1; members <= 4; members += 3) {
            evaluate(program, doc, members);
            if (!n_want) {
                n_want = n_got;
                memcpy(want, got, n_got);
                assert_true(n_want > 0);
            }
            for (int from_file = 0; from_file < 2; from_file++) {
                if (from_file)
                    evaluate(program, file, members);
                if (n_got != n_want || memcmp(got, want, n_want))
                    fail_msg("%s, %s, %d threads, %s: other bytes", what, gx_strategy_name(strategy), members,
                             from_file ? "mapped" : "in memory");
            }
        }
        free(program);
    }
}

static void strategies(void **state)
{
    static const char *const paths[] = { "//a[b//d]/c",  "//a//a/c",   "/r/a[@x]/b[d]",
                                         "//a[.//d][c]", "//b[a/c]/d", "//a[b]//c" };
    gx_error err;
    gx_parse_options options;
    gx_doc *doc;
    int fd;
    (void)state;
    const size_t n = write_source();
    memset(&options, 0, sizeof options);
    assert_int_equal(gx_parse(parser, &options, text, n, &doc, &err), GX_OK);
    const gx_doc *file = mapped(doc, &fd);
    assert_int_equal(gx_doc_check(file, doc->size, &err), GX_OK);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        check(paths[i], NULL, doc, file);

    char sheet[] = "/tmp/gpuxml-mapped-XXXXXX";
    FILE *f = fdopen(mkstemp(sheet), "w");
    assert_non_null(f);
    fprintf(f, "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
               "<xsl:template match='*'><xsl:copy><xsl:apply-templates/></xsl:copy></xsl:template>"
               "<xsl:template match='a//c'>1</xsl:template><xsl:template match='/r/a/c'>2</xsl:template>"
               "<xsl:template match='a[@x = 3]/b//d'>3</xsl:template></xsl:stylesheet>");
    fclose(f);
    check("template rules", sheet, doc, file);
    unlink(sheet);

    assert_memory_equal(file, doc, doc->size);
    munmap((void *)(uintptr_t)file, doc->size);
    close(fd);
    free(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(strategies) };
    gx_error err;
    apr_initialize();
    apr_pool_create(&pool, NULL);
    if (gx_parser_create(&parser, &err) != GX_OK || gx_arena_create((u64)256 << 20, &arena, &err) != GX_OK)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
