/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 33-arena.c -- a result depends on nothing that was in the arena before, and has no byte that nobody wrote
 *
 * Each case of t/cases runs twice in one arena, filled with zeros first and then with another byte: the images must be
 * equal. What a kernel pushes to shared memory is such an image. And a program that nobody compiled, but that passes
 * the check, reads nothing beside its documents.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <apr_general.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cases.h"
#include "engine/machine/arena.h"

#define ARENA (64u << 20)
#define DIRTY (4u << 20)                /* of each half; no case needs more */

static gx_arena *arena;
static char image[DIRTY], text[1u << 20];

/* For AddressSanitizer, whose stand-ins for stack frames lie elsewhere at each call: gx_run, in the image, points to
 * its caller's host. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_stack_use_after_return=0"; }

static u64 evaluate(const gx_program *program, const gx_doc *doc, apr_pool_t *pool, int byte, const void **base)
{
    gx_error err;
    gx_limits limits;
    gx_evaluation ev;
    memset(arena->base, byte, DIRTY);
    memset(arena->base + arena->cap, byte, DIRTY);
    memset(&limits, 0, sizeof limits);
    gx_limits_default(&limits);
    memset(&ev, 0, sizeof ev);
    ev.program = program;
    ev.doc = doc;
    ev.limits = &limits;
    ev.team.members = 1;
    ev.arena = arena;
    ev.pool = pool;
    if (gx_evaluate(&ev, &err) != GX_OK)
        return 0;
    *base = ev.base;
    return ((const gx_result *)ev.base)->used;
}

/* 1: compared. 0: has no result without help of its process, or none at all. */
static int same_image(const char *sheet, const char *document, apr_pool_t *pool)
{
    gx_error err;
    gx_compile_options compile;
    gx_parse_options options;
    gx_program *program;
    gx_parser *parser;
    gx_doc *doc;
    const void *base = NULL;
    FILE *f = fopen(document, "rb");
    if (!f)
        return 0;
    const size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    memset(&compile, 0, sizeof compile);
    if (gx_compile(sheet, &compile, pool, &program, &err) != GX_OK)
        return 0;
    assert_int_equal(gx_program_check(program, program->size, &err), GX_OK);    /* what a worker asks first */
    if (program->flags & GX_P_HOST) {
        free(program);
        return 0;
    }
    memset(&options, 0, sizeof options);
    options.spaces = program;
    options.flags = program->flags & GX_P_NAMESPACE_AXIS ? GX_DOC_NAMESPACES : 0;
    assert_int_equal(gx_parser_create(&parser, &err), GX_OK);
    int compared = 0;
    if (gx_parse(parser, &options, text, n, &doc, &err) == GX_OK) {
        u64 used = evaluate(program, doc, pool, 0, &base);
        if (used && used <= sizeof image) {
            memcpy(image, base, used);
            assert_int_equal(evaluate(program, doc, pool, 0xa5, &base), used);
            for (u64 i = 0; i < used; i++)
                if (image[i] != ((const char *)base)[i])
                    fail_msg("%s: byte %llu of %llu was not written", sheet, (unsigned long long)i,
                             (unsigned long long)used);
            compared = 1;
        }
        free(doc);
    }
    gx_parser_free(parser);
    free(program);
    return compared;
}

static void images(void **state)
{
    gx_error err;
    (void)state;
    assert_int_equal(gx_arena_create(ARENA, &arena, &err), GX_OK);
    const int compared = over_cases(same_image);
    gx_arena_free(arena);
    assert_true(compared > 100);
}

/* sum(preceding::b) of a program in which the set is not that of the node's document: what is before the node is then
 * of another one. */
static void other_documents_nodes(void **state)
{
    static const char sheet[] = "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform' "
                                "xmlns:e='http://exslt.org/common'>"
        "<xsl:variable name='f'><b><c/></b></xsl:variable><xsl:variable name='all' select='//b | "
        "e:node-set($f)//b'/><xsl:template match='/'>"
        "<xsl:value-of select='count($all)'/><xsl:for-each select='e:node-set($f)//c'><xsl:value-of "
        "select='sum(preceding::b)'/></xsl:for-each></xsl:template></xsl:stylesheet>";
    static const char document[] = "<r><b>1</b><b>2</b></r>";
    char path[] = "/tmp/gx-arena-XXXXXX";
    gx_error err;
    gx_compile_options compile;
    gx_parse_options options;
    gx_program *program;
    gx_parser *parser;
    gx_doc *doc;
    apr_pool_t *pool;
    const void *base;
    u32 global = GX_NONE, forged = 0;
    const int fd = mkstemp(path);
    (void)state;
    assert_int_equal(write(fd, sheet, sizeof sheet - 1), sizeof sheet - 1);
    close(fd);
    apr_pool_create(&pool, NULL);
    memset(&compile, 0, sizeof compile);
    assert_int_equal(gx_compile(path, &compile, pool, &program, &err), GX_OK);
    unlink(path);
    gx_op *ops = (gx_op *)GX_PROG_TAB(program, gx_op, ops);
    for (u32 i = 0; i < program->ops.n; i++)
        if (ops[i].op == GX_X_GLOBAL && ops[i].type == GX_T_SET)
            global = ops[i].b;
    assert_int_not_equal(global, GX_NONE);
    for (u32 i = 0; i + 4 < program->ops.n; i++)    /* once( root descendant::b ) context preceding beside */
        if (ops[i].op == GX_X_ROOT && ops[i + 2].op == GX_X_ONCE_END && ops[i + 5].op == GX_X_FUNC
            && ops[i + 5].a == GX_F_AXIS_RANGE) {
            ops[i].op = GX_X_GLOBAL;
            ops[i].b = global;
            ops[i + 1].a = GX_STEP_MAKE(GX_AXIS_SELF, GX_TEST_NODE) | GX_STEP_SORTED;
            forged++;
        }
    assert_int_equal(forged, 1);
    assert_int_equal(gx_program_check(program, program->size, &err), GX_OK);
    memset(&options, 0, sizeof options);
    assert_int_equal(gx_parser_create(&parser, &err), GX_OK);
    assert_int_equal(gx_parse(parser, &options, document, sizeof document - 1, &doc, &err), GX_OK);
    assert_int_equal(gx_arena_create(ARENA, &arena, &err), GX_OK);
    assert_true(evaluate(program, doc, pool, 0, &base) > 0);
    gx_arena_free(arena);
    free(doc);
    gx_parser_free(parser);
    free(program);
    apr_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(images), cmocka_unit_test(other_documents_nodes) };
    apr_initialize();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
