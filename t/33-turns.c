/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 33-turns.c -- one thread and a team of threads evaluate in turn, and the result is that of the thread alone
 *
 * Each case of t/cases is evaluated alone, and by both: the team takes over before each instruction that the thread
 * comes to, and gives back after a few. The clock says which instructions are long and which are short, so here all are
 * long for the thread and short for the team.
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
#include "engine/gx.h"
#include "engine/machine/result.h"

#define ARENA (64u << 20)
#define MOST_STEPS 200u                 /* of a case: on a busy machine each sync takes milliseconds */
static const gx_team_turns always = { 0, 0, 1000000000 }, never = { 1000000000, 0, 0 };

static u32 asked;
static u32 one_core(void) { asked++; return 1; }
static u32 two_cores(void) { asked++; return 2; }

typedef struct page { char at[1u << 20]; size_t n; } page;
static page alone, in_turn;
static char text[1u << 20];
static gx_arena *arena;
static int taken_over, wanted;
static u64 steps;

static int append(void *ctx, const char *bytes, size_t n)
{
    page *p = ctx;
    if (n > sizeof p->at - p->n)
        return 1;
    memcpy(p->at + p->n, bytes, n);
    p->n += n;
    return 0;
}

/* The page, or what is wrong */
static void transform(const gx_program *program, const gx_doc *doc, apr_pool_t *pool, gx_team_spec team, page *to)
{
    gx_error err = { 0 };
    gx_limits limits = { 0 };
    gx_serialize_options o = { .limits = &limits };
    gx_media media;
    gx_limits_default(&limits);
    gx_evaluation ev = {
        .program = program, .doc = doc, .limits = &limits, .team = team, .arena = arena, .pool = pool
    };
    to->n = 0;
    gx_status status = gx_evaluate(&ev, &err);
    taken_over += ev.by_team;
    steps = ((const gx_result *)ev.base)->steps;
    assert_true(team.turns == &always || !ev.by_team);
    if (status == GX_OK)
        status = gx_serialize(&ev, &o, append, to, &media, &err);
    if (status != GX_OK)
        append(to, err.text, strlen(err.text));
}

static int same_page(const char *sheet, const char *document, apr_pool_t *pool)
{
    gx_error err;
    gx_compile_options compile = { 0 };
    gx_program *program;
    gx_parser *parser;
    gx_doc *doc;
    int compared = 0;
    FILE *f = fopen(document, "rb");
    if (!f)
        return 0;
    const size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    if (gx_compile(sheet, &compile, pool, &program, &err) != GX_OK)
        return 0;
    gx_parse_options options = { .spaces = program };
    options.flags = program->flags & GX_P_NAMESPACE_AXIS ? GX_DOC_NAMESPACES : 0;
    assert_int_equal(gx_parser_create(&parser, &err), GX_OK);
    const int is_fixed = !strstr(sheet, "date") && !strstr(sheet, "random");
    if (is_fixed && gx_parse(parser, &options, text, n, &doc, &err) == GX_OK) {
        transform(program, doc, pool, (gx_team_spec){ .kind = GX_TEAM_KIND_SOLO, .members = 1 }, &alone);
        if (steps && steps < MOST_STEPS) {
            gx_team_spec team = { GX_TEAM_KIND_THREADS, 2, &always, two_cores };
            transform(program, doc, pool, team, &in_turn);
            if (in_turn.n != alone.n || memcmp(in_turn.at, alone.at, alone.n))
                fail_msg("%s: threads in turn give another page", sheet);
            /* cores are counted once, where the team is wanted; with one of them there is none */
            const int by_both = taken_over;
            asked = 0;
            team.free_cores = one_core;
            transform(program, doc, pool, team, &in_turn);
            assert_int_equal(in_turn.n, alone.n);
            assert_int_equal(taken_over, by_both);
            wanted += asked;
            assert_true(asked <= 1);
            asked = 0;
            team.turns = &never;
            transform(program, doc, pool, team, &in_turn);
            assert_int_equal(in_turn.n, alone.n);
            assert_int_equal(asked, 0);
            compared = 1;
        }
        free(doc);
    }
    gx_parser_free(parser);
    free(program);
    return compared;
}

static void cases(void **state)
{
    gx_error err;
    (void)state;
    assert_int_equal(gx_arena_create(ARENA, &arena, &err), GX_OK);
    const int compared = over_cases(same_page);
    gx_arena_free(arena);
    print_message("# %d cases, %d by both\n", compared, taken_over);
    assert_true(compared > 100);
    assert_true(wanted >= taken_over);
    assert_true(taken_over > compared / 2);     /* not of those that begin with an error */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(cases) };
    apr_initialize();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
