/*
 * 33-arena.c -- a result depends on nothing that was in the arena before, and has no byte that nobody wrote
 *
 * Each case of t/cases runs twice in one arena, filled with zeros first and then with another byte: the images must be equal. What a
 * kernel pushes to shared memory is such an image.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <apr_general.h>
#include <glob.h>
#include <stdio.h>
#include <unistd.h>
#include "../engine/run.c"              /* struct gx_arena */

#define ARENA (64u << 20)
#define DIRTY (4u << 20)                /* of each half; no case needs more */

static gx_arena *arena;
static char image[DIRTY], text[1u << 20];

/* For AddressSanitizer, whose stand-ins for stack frames lie elsewhere at each call: gx_run, in the image, points to its caller's host. */
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
                    fail_msg("%s: byte %llu of %llu was not written", sheet, (unsigned long long)i, (unsigned long long)used);
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
    glob_t sheets;
    apr_pool_t *pool;
    int compared = 0;
    (void)state;
    assert_int_equal(glob("t/cases/*/*.xsl", 0, NULL, &sheets), 0);
    assert_int_equal(gx_arena_create(ARENA, &arena, &err), GX_OK);
    apr_pool_create(&pool, NULL);
    for (size_t i = 0; i < sheets.gl_pathc; i++) {
        const char *sheet = sheets.gl_pathv[i], *slash = strrchr(sheet, '/');
        char path[3][512];
        snprintf(path[0], sizeof path[0], "%.*s.xml", (int)strlen(sheet) - 4, sheet);
        snprintf(path[1], sizeof path[1], "%.*s/doc.xml", (int)(slash - sheet), sheet);
        snprintf(path[2], sizeof path[2], "t/cases/doc.xml");
        for (int k = 0; k < 3; k++)
            if (access(path[k], R_OK) == 0) {
                compared += same_image(sheet, path[k], pool);
                break;
            }
        apr_pool_clear(pool);
    }
    globfree(&sheets);
    gx_arena_free(arena);
    apr_pool_destroy(pool);
    assert_true(compared > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(images) };
    apr_initialize();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
