/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.c -- gpuxml-store query, transform, export: what is read from stored documents
 */
#include <stdlib.h>
#include <string.h>
#include "tool.h"

typedef struct asking {
    tool *t;
    const gx_parse_options *documents;
} asking;

static gx_status evaluate(void *ctx, gx_evaluation *ev, gx_error *err)
{
    const asking *a = ctx;
    tool *t = a->t;
    ev->params = t->string_params;
    ev->n_params = t->n_string_params;
    ev->limits = &t->limits;
    ev->loader = &t->kit.loader;
    ev->documents = a->documents;
    ev->team = (gx_team_spec){ .kind = GX_TEAM_KIND_SOLO, .members = 1 };
    ev->pool = t->kit.run_pool;
    ev->warning = tool_warning;
    return kit_evaluate(&t->kit, ev, t->source.timeout_ms, err);
}

static const gxs_doc *find(const gxs_view *v, const char *name, gx_error *err)
{
    const gxs_doc *doc = gxs_view_find(v, name);
    if (!doc)
        gx_fail(err, GX_EIO, v->path, 0, 0, "there is no document \"%.300s\"", name);
    return doc;
}

/* Asks the documents named behind the first `skip` arguments, or all. */
static gx_status ask_documents(tool *t, const gxs_view *v, gxs_question *q, int skip, gxs_counts *counts, gx_error *err)
{
    gxs_room room = { 0 };
    gxs_asked asked;
    const u32 n = t->n_args > skip ? (u32)(t->n_args - skip) : v->catalog->n_docs;
    GX_TRY(gxs_ask_begin(v, q, t->pool, &asked, err));
    gx_status status = GX_OK;
    for (u32 i = 0; i < n && status == GX_OK; i++) {
        const gxs_doc *doc = t->n_args > skip ? find(v, t->args[skip + (int)i], err) : &v->docs[i];
        status = doc ? gxs_ask(v, doc, q, &asked, &room, t->pool, tool_write, t, counts, err) : GX_EIO;
        tool_progress(t, "%u of %u documents", i + 1, n);
    }
    tool_progress(t, NULL);
    gxs_ask_end(&asked);
    gxs_room_free(&room);
    return status;
}

static void print_timing(const tool *t, const gxs_counts *c, double open_us, double ask_us)
{
    if (!t->timing)
        return;
    fprintf(stderr,
            t->json ? "{\"open_us\":%.1f,\"ask_us\":%.1f,\"parts\":%llu,\"read\":%llu,\"records\":%llu,\"joined\":%llu,"
                      "\"nodes\":%llu}\n"
                    : "open %.1f us, ask %.1f us; %llu parts, %llu read, of them %llu records alone; %llu "
                      "documents put "
                      "together, %llu nodes\n",
            open_us, ask_us, (unsigned long long)c->parts, (unsigned long long)c->read, (unsigned long long)c->records,
            (unsigned long long)c->joined, (unsigned long long)c->nodes);
}

/* The program of the expression, and of --rank what ranks its results. 0 or an exit number */
static int compile_query(tool *t, const gx_compile_options *o, gx_program **program, gxs_ranking **ranking)
{
    gx_error err = { 0 };
    if (gx_compile_select(t->args[0], o, t->pool, program, &err) != GX_OK) {
        tool_report(&err);
        return EXIT_EXPRESSION;
    }
    if ((*program)->flags & GX_P_NAMESPACE_AXIS) {
        fprintf(stderr,
                "gpuxml-store: stored documents have no namespace nodes: this expression uses the namespace axis\n");
        return EXIT_EXPRESSION;
    }
    if (t->rank && gxs_ranking_create(t->args[0], t->rank, o, t->top, t->pool, ranking, &err) != GX_OK) {
        tool_report(&err);
        return EXIT_EXPRESSION;
    }
    return 0;
}

static int query(tool *t, const gxs_view *v, double open_us)
{
    gx_error err = { 0 };
    gx_program *program = NULL;
    gxs_ranking *ranking = NULL;
    gxs_counts counts = { 0 };
    gxs_statistics statistics = { v, t->pool, { 0 } };
    const gx_parse_options documents = kit_documents(&t->kit, &t->source);
    asking a = { t, &documents };
    const gx_compile_options o = { .loader = &t->kit.loader,
                                   .namespaces = t->namespaces,
                                   .n_namespaces = t->n_namespaces,
                                   .word_statistics = gxs_word_statistics,
                                   .word_ctx = &statistics };
    const gx_serialize_options s = { .limits = &t->limits, .encoding = t->encoding };
    int number = compile_query(t, &o, &program, &ranking);
    if (!number && statistics.err.status != GX_OK)
        number = tool_report(&statistics.err);
    if (!number) {
        gxs_question q = { .expression = t->args[0],
                           .options = &o,
                           .program = program,
                           .serialize = &s,
                           .as_xml = t->as_xml,
                           .no_index = t->no_index,
                           .memory = t->memory,
                           .ranking = ranking,
                           .evaluate = evaluate,
                           .ctx = &a };
        const double start = (double)gx_now_us();
        gx_status status = ask_documents(t, v, &q, 1, &counts, &err);
        if (status == GX_OK && ranking && (status = gxs_ranking_write(ranking, tool_write, t)) == GX_ENOMEM)
            gx_fail(&err, status, t->store, 0, 0, "not enough memory");
        print_timing(t, &counts, open_us, (double)gx_now_us() - start);
        number = status == GX_OK || status == GX_ECANCEL ? tool_finish_output(t) : tool_report(&err);
    }
    gxs_ranking_free(ranking);
    free(program);
    return number;
}

int tool_query(tool *t)
{
    gxs_view *v;
    gx_error err = { 0 };
    const double t0 = (double)gx_now_us();
    if (gxs_view_open(t->store, &v, &err) != GX_OK)
        return tool_report(&err);
    const int status = query(t, v, (double)gx_now_us() - t0);
    gxs_view_close(v);
    return status;
}
/* ---- whole documents ---- */

static int message(void *ctx, const char *text, size_t n)
{
    (void)ctx;
    if (n) {
        fwrite(text, 1, n, stderr);
        if (text[n - 1] != '\n')
            fputc('\n', stderr);
    }
    return 0;
}

static int append(void *ctx, const char *bytes, size_t n)
{
    char *to = gx_buf_push(ctx, n + 1);
    if (!to)
        return 1;
    ((gx_buf *)ctx)->n--;
    memcpy(to, bytes, n);
    return 0;
}

/* The document as XML */
static gx_status write_xml(tool *t, const gx_doc *doc, gx_sink sink, void *ctx, gx_error *err)
{
    gx_program *all;
    gx_evaluation ev = { .doc = doc };
    asking a = { t, NULL };
    const gx_serialize_options s = { .limits = &t->limits, .encoding = t->encoding };
    GX_TRY(gx_compile_select("/", NULL, t->pool, &all, err));
    ev.program = all;
    gx_status status = evaluate(&a, &ev, err);
    if (status == GX_OK)
        status = gx_serialize_selection(&ev, &s, 1, NULL, sink, ctx, NULL, err);
    free(all);
    return status;
}

/* A stylesheet that strips white space, or asks for namespace nodes, needs the document parsed for it: from its XML.
 * What only a document type declaration says would be lost. */
static gx_status parse_again(tool *t, const char *name, const gx_program *program, gx_doc **doc, gx_error *err)
{
    gx_buf xml = { 0 };
    const gx_doc *stored = *doc;
    gx_status status = stored->n_ids || stored->n_entities || stored->n_bases
                           ? gx_fail(err, GX_EDYNAMIC, name, 0, 0,
                                     "the stylesheet strips white space or uses the namespace axis, and the stored "
                                     "document has IDs, unparsed entities or "
                                     "external entities that its XML alone does not say: transform the file itself")
                           : write_xml(t, stored, append, &xml, err);
    if (status == GX_OK)
        status = kit_parse(&t->kit, &t->source, name, name, xml.at, xml.n, program, doc, err);
    gx_buf_free(&xml);
    return status;
}

static gx_status transform(tool *t, const gxs_view *v, const gxs_doc *d, const gx_program *program, gx_error *err)
{
    gxs_room room = { 0 };
    gx_buf whole = { 0 };
    gx_doc *doc;
    const gx_parse_options documents = kit_documents(&t->kit, &t->source);
    asking a = { t, &documents };
    const gx_serialize_options s = { .limits = &t->limits, .encoding = t->encoding, .message = message };
    gx_status status = gxs_whole(v, d, t->memory, "a stylesheet may look anywhere", &room, &whole, &doc, err);
    if (status == GX_OK && (program->spaces.n || program->flags & GX_P_NAMESPACE_AXIS))
        status = parse_again(t, t->args[1], program, &doc, err);
    gx_evaluation ev = { .program = program, .doc = doc };
    gx_media media;
    gx_buf result = { 0 };
    if (status == GX_OK)
        status = evaluate(&a, &ev, err);
    if (status == GX_OK)
        status = gx_serialize(&ev, &s, append, &result, &media, err);
    if (status == GX_OK && tool_write(t, result.at ? result.at : "", result.n))
        status = GX_ECANCEL;
    gx_buf_free(&result);
    gx_buf_free(&whole);
    gxs_room_free(&room);
    return status;
}

static int transform_named(tool *t, const gxs_view *v)
{
    gx_error err = { 0 };
    gx_program *program;
    gxs_statistics statistics = { v, t->pool, { 0 } };
    const gx_compile_options o = { .loader = &t->kit.loader,
                                   .xpath_params = t->xpath_params,
                                   .n_xpath_params = t->n_xpath_params,
                                   .warning = tool_warning,
                                   .slip = tool_warning,
                                   .word_statistics = gxs_word_statistics,
                                   .word_ctx = &statistics };
    if (gx_compile(t->args[0], &o, t->pool, &program, &err) != GX_OK) {
        tool_report(&err);
        return EXIT_EXPRESSION;
    }
    gx_status status = statistics.err.status;
    if (status == GX_OK) {
        const gxs_doc *d = find(v, t->args[1], &err);
        status = d ? transform(t, v, d, program, &err) : GX_EIO;
    } else
        err = statistics.err;
    free(program);
    return status == GX_OK || status == GX_ECANCEL ? tool_finish_output(t) : tool_report(&err);
}

int tool_transform(tool *t)
{
    gxs_view *v;
    gx_error err = { 0 };
    if (gxs_view_open(t->store, &v, &err) != GX_OK)
        return tool_report(&err);
    const int status = transform_named(t, v);
    gxs_view_close(v);
    return status;
}

int tool_export(tool *t)
{
    gxs_view *v;
    gxs_room room = { 0 };
    gx_buf whole = { 0 };
    gx_error err = { 0 };
    gx_doc *doc;
    gx_status status = gxs_view_open(t->store, &v, &err);
    if (status != GX_OK)
        return tool_report(&err);
    const gxs_doc *d = find(v, t->args[0], &err);
    status = d ? gxs_whole(v, d, t->memory, "to write it as one", &room, &whole, &doc, &err) : GX_EIO;
    if (status == GX_OK)
        status = write_xml(t, doc, tool_write, t, &err);
    gx_buf_free(&whole);
    gxs_room_free(&room);
    gxs_view_close(v);
    return status == GX_OK || status == GX_ECANCEL ? tool_finish_output(t) : tool_report(&err);
}
