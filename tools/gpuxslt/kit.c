/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kit.c -- reading and evaluating one document after another (kit.h)
 */
#include <stdlib.h>
#include "engine/files/unpack.h"
#include "engine/clock.h"
#include "kit.h"

enum { FIRST_ARENA = 64 << 20 };

gx_status kit_unpack(const char *name, u64 limit, char **at, size_t *n, size_t *cap, gx_error *err)
{
    char *plain;
    size_t n_plain;
    if (*n > limit || !gx_is_packed(*at, *n))
        return GX_OK;
    const char *wrong = gx_unpack(*at, *n, limit, &plain, &n_plain);
    if (wrong)
        return gx_fail(err, GX_EXML, name, 0, 0, "%s", wrong);
    free(*at);
    *at = plain;
    *n = *cap = n_plain;
    return GX_OK;
}

gx_status kit_open(kit *k, const gx_limits *limits, gx_error *err)
{
    k->arena_cap = limits->arena < FIRST_ARENA ? limits->arena : FIRST_ARENA;
    return gx_parser_create(&k->parser, err);
}

static void *block_of(void *ctx, u64 size)
{
    kit *k = ctx;
    if (size > k->block_cap) {
        free(k->block);
        k->block_cap = 0;
        k->block = aligned_alloc(64, (size + 63) & ~(u64)63);
        if (k->block)
            k->block_cap = size;
    }
    return k->block;
}

gx_status kit_parse(kit *k, const kit_source *how, const char *name, const char *base, const char *bytes, size_t n,
                    const gx_program *program, gx_doc **doc, gx_error *err)
{
    gx_parse_options o = {.limits = how->limits,
                          .file = name,
                          .base_uri = base,
                          .spaces = program,
                          .flags = (program && (program->flags & GX_P_NAMESPACE_AXIS) ? GX_DOC_NAMESPACES : 0)
                                   | (how->xinclude ? GX_DOC_LINES : 0),
                          .lenient = 1,
                          .missing_is_empty = 1,
                          .warning = k->warning,
                          .warning_ctx = k->warning_ctx,
                          .external_ignore = how->external_ignore,
                          .html_entities = how->html_entities,
                          .no_subset = how->no_subset,
                          .timeout_us = (u64)how->timeout_ms * 1000,
                          .external = how->external_ignore ? NULL : &k->loader,
                          .threads = how->threads,
                          .in_place = how->in_place && !how->xinclude,
                          .once = how->once,
                          .is_read = how->is_read,
                          .is_read_ctx = how->is_read_ctx,
                          .seed = how->seed,
                          .alloc = block_of,
                          .alloc_ctx = k};
    const gx_status status = gx_parse(k->parser, &o, bytes ? bytes : "", n, doc, err);
    return status == GX_OK && how->xinclude ? gx_xinclude(k->parser, &o, &k->loader, doc, NULL, NULL, err) : status;
}

gx_parse_options kit_documents(const kit *k, const kit_source *how)
{
    return (gx_parse_options){ .xinclude = how->xinclude, .lenient = 1, .missing_is_empty = 1, .warning = k->warning,
                               .warning_ctx = k->warning_ctx };
}

gx_status kit_evaluate(kit *k, gx_evaluation *ev, int timeout_ms, gx_error *err)
{
    for (;;) {
        if (!k->arena)
            GX_TRY(gx_arena_create(k->arena_cap, &k->arena, err));
        apr_pool_clear(k->run_pool);
        ev->arena = k->arena;
        ev->deadline_us = timeout_ms ? gx_now_us() + (u64)timeout_ms * 1000 : 0;
        const gx_status status = gx_evaluate(ev, err);
        if (status != GX_EARENA || k->arena_cap >= ev->limits->arena)
            return status;
        gx_arena_free(k->arena);
        k->arena = NULL;
        k->arena_cap = k->arena_cap < ev->limits->arena / 4 ? 4 * k->arena_cap : ev->limits->arena;
    }
}

void kit_close(kit *k)
{
    free(k->block);
    if (k->arena)
        gx_arena_free(k->arena);
    if (k->parser)
        gx_parser_free(k->parser);
}
