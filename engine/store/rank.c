/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank.c -- results in the order of a number (rank.h)
 *
 * A block is evaluated twice: the expression for its results' bytes, and a stylesheet that walks the same nodes for
 * their numbers. What is not among the best goes now and then. Memory: twice the results that are kept.
 */
#include <apr_strings.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/word.h"
#include "rank.h"
#include "terms.h"

/* ---- statistics ---- */

const char *gxs_word_statistics(void *statistics, const char *words)
{
    gxs_statistics *s = statistics;
    const u32 n = (u32)strlen(words);
    const char *out = NULL;
    for (u32 at = 0, len; (len = gx_word_next(words, n, &at)) != 0; at += len) {
        u64 with, records, all;
        if (gxs_count_word(s->v, gxs_word_hash(words + at, len), &with, &records, &all, &s->err) != GX_OK)
            return NULL;
        s->err.status = GX_OK;
        if (!records)
            return NULL;
        if (!out)
            out = apr_psprintf(s->pool, "%.12f", (double)all / (double)records);
        out = apr_psprintf(s->pool, "%s %.12f", out,
                           log(1 + ((double)(records - with) + 0.5) / ((double)with + 0.5)));
    }
    return out;
}

/* ---- ranking ---- */

typedef struct item {
    double score;
    u64 number; /* in the order in which they came */
    size_t at, n;
} item; /* bytes of `bytes` */

struct gxs_ranking {
    gx_program *scores; /* a stylesheet: a number a line */
    u64 most, n_seen;
    gx_buf items, bytes;
};

/* The stylesheet's text so far. failed: there was no memory for some of it, so it says something else */
typedef struct text {
    gx_buf bytes;
    int failed;
} text;

static void put_bytes(text *to, const char *s, size_t n) { to->failed |= gx_buf_put(&to->bytes, s, n); }
static void put(text *to, const char *s) { put_bytes(to, s, strlen(s)); }

static void put_escaped(text *to, const char *s)
{
    for (; *s; s++) {
        char c[8];
        const int special = strchr("<>&\"'\n\t\r", *s) != NULL;
        const int n = special ? snprintf(c, sizeof c, "&#%d;", *s) : snprintf(c, sizeof c, "%c", *s);
        put_bytes(to, c, (size_t)n);
    }
}

/* The numbers are computed by a stylesheet that is written here: the expression in a for-each, the rank as a line of
 * text. So both are compiled by themselves first, and escaped: neither can end what the other stands in. */
gx_status gxs_ranking_create(const char *expression, const char *rank, const gx_compile_options *options, u64 most,
                             apr_pool_t *pool, gxs_ranking **out, gx_error *err)
{
    gx_compile_options o = *options;
    text xsl = { { 0 }, 0 };
    gx_program *test;
    /* both must be expressions by themselves: what is wrong with one is told of it, and none closes the other */
    GX_TRY(gx_compile_select(rank, options, pool, &test, err));
    free(test);
    gxs_ranking *r = calloc(1, sizeof *r);
    if (!r)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory");
    put(&xsl, "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'");
    for (int i = 0; i < o.n_namespaces; i++)
        if (strcmp(o.namespaces[i].name, "xsl") != 0 && strcmp(o.namespaces[i].name, "xml") != 0) {
            put(&xsl, " xmlns:");
            put(&xsl, o.namespaces[i].name);
            put(&xsl, "=\"");
            put_escaped(&xsl, o.namespaces[i].value);
            put(&xsl, "\"");
        }
    put(&xsl, "><xsl:output method='text' encoding='UTF-8'/><xsl:template match='/'><xsl:for-each select=\"");
    put_escaped(&xsl, expression);
    put(&xsl, "\"><xsl:value-of select=\"number(");
    put_escaped(&xsl, rank);
    put(&xsl, ")\"/><xsl:text>&#10;</xsl:text></xsl:for-each></xsl:template></xsl:stylesheet>");
    o.bytes = xsl.bytes.at;
    o.n_bytes = xsl.bytes.n;
    r->most = most;
    const gx_status status = xsl.failed ? gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory")
                                        : gx_compile("--rank", &o, pool, &r->scores, err);
    gx_buf_free(&xsl.bytes);
    if (status == GX_OK && !(r->scores->flags & GX_P_NAMESPACE_AXIS)) {
        *out = r;
        return GX_OK;
    }
    gxs_ranking_free(r);
    return status != GX_OK ? status
                           : gx_fail(err, GX_ESTYLE, "--rank", 0, 0,
                                     "stored documents have no namespace nodes: it uses the namespace axis");
}

void gxs_ranking_free(gxs_ranking *r)
{
    if (!r)
        return;
    free(r->scores);
    gx_buf_free(&r->items);
    gx_buf_free(&r->bytes);
    free(r);
}

static int by_score(const void *a, const void *b)
{
    const item *x = a, *y = b;
    const int nan_x = isnan(x->score) != 0, nan_y = isnan(y->score) != 0;
    if (nan_x != nan_y)
        return nan_x - nan_y;
    if (!nan_x && x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* The items in order, the best first; if there are more than `most`, the others go, and the bytes of those that stay
 * are put together anew. O(n log n + bytes that stay). 0: no memory, and nothing is lost. */
static int keep_best(gxs_ranking *r)
{
    gx_buf kept = { 0 };
    item *it = GX_BUF_AT(&r->items, item);
    if (!r->items.n)
        return 1;
    qsort(it, GX_BUF_N(&r->items, item), sizeof *it, by_score);
    if (!r->most || GX_BUF_N(&r->items, item) <= r->most)
        return 1;
    r->items.n = r->most * sizeof *it;
    for (u64 i = 0; i < r->most; i++) {
        char *to = gx_buf_push(&kept, it[i].n);
        if (!to) {
            gx_buf_free(&kept);
            return 0;
        }
        memcpy(to, r->bytes.at + it[i].at, it[i].n);
        it[i].at = kept.n - it[i].n;
    }
    gx_buf_free(&r->bytes);
    r->bytes = kept;
    return 1;
}

/* A block's results: their bytes behind each other, and where each one ends */
typedef struct results {
    gx_buf *bytes, ends;
    int failed;
} results;

static int take(void *ctx, const char *bytes, size_t n)
{
    return gx_buf_put(((results *)ctx)->bytes, bytes, n);
}

static void end_of_one(void *ctx)
{
    results *r = ctx;
    size_t *end = gx_buf_push(&r->ends, sizeof *end);
    if (end)
        *end = r->bytes->n;
    r->failed |= !end;
}

/* The numbers of a block's nodes, a line each */
static gx_status find_scores(const gxs_ranking *r, const gx_doc *doc,
                             gx_status (*evaluate)(void *ctx, gx_evaluation *ev, gx_error *err), void *ctx,
                             const gx_serialize_options *serialize, gx_buf *lines, gx_error *err)
{
    gx_evaluation ev = { .program = r->scores, .doc = doc };
    results to = { .bytes = lines };
    gx_serialize_options o = *serialize;
    gx_media media;
    o.encoding = "UTF-8";
    o.selected = NULL;
    GX_TRY(evaluate(ctx, &ev, err));
    GX_TRY(gx_serialize(&ev, &o, take, &to, &media, err));
    return gx_buf_put(lines, "", 1) ? gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory") : GX_OK;
}

/* Evaluates twice over the block: the results, whose bytes go behind those that are there, and their numbers, a line
 * each, in the same order. When there are twice as many as are wanted the others are dropped, so memory is in
 * proportion to `most`. GX_ENOMEM, or what evaluating failed with; the ranking can then only be freed. */
gx_status gxs_ranking_add(gxs_ranking *r, const gx_program *program, const gx_doc *doc,
                          gx_status (*evaluate)(void *ctx, gx_evaluation *ev, gx_error *err), void *ctx,
                          const gx_serialize_options *serialize, int as_xml, gx_error *err)
{
    gx_evaluation ev = { .program = program, .doc = doc };
    gx_buf lines = { 0 };
    results found = { .bytes = &r->bytes };
    gx_serialize_options o = *serialize;
    size_t at = r->bytes.n;
    o.selected = end_of_one;
    o.selected_ctx = &found;
    GX_TRY(evaluate(ctx, &ev, err));
    gx_status status = gx_serialize_selection(&ev, &o, as_xml, NULL, take, &found, NULL, err);
    const u32 n = GX_BUF_N(&found.ends, size_t);
    if (status == GX_OK && n)
        status = find_scores(r, doc, evaluate, ctx, serialize, &lines, err);
    char *line = lines.at;
    int ok = !found.failed;
    for (u32 i = 0; i < n && status == GX_OK && ok; i++) {
        const size_t end = GX_BUF_AT(&found.ends, size_t)[i];
        item *to = gx_buf_push(&r->items, sizeof *to);
        char *feed = line ? strchr(line, '\n') : NULL;
        if ((ok = to && feed)) {
            *to = (item){ gx_number_parse(line, (u32)(feed - line)), r->n_seen++, at, end - at };
            line = feed + 1;
            at = end;
        }
    }
    const u64 limit = r->most < 512 ? 1024 : 2 * r->most;
    if (status == GX_OK && ok && r->most && GX_BUF_N(&r->items, item) > limit)
        ok = keep_best(r);
    gx_buf_free(&lines);
    gx_buf_free(&found.ends);
    return status == GX_ECANCEL || (status == GX_OK && !ok) ? gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory")
                                                             : status;
}

gx_status gxs_ranking_write(gxs_ranking *r, gx_sink sink, void *ctx)
{
    if (!keep_best(r))
        return GX_ENOMEM;
    for (u32 i = 0; i < GX_BUF_N(&r->items, item); i++)
        if (sink(ctx, r->bytes.at + GX_BUF_AT(&r->items, item)[i].at, GX_BUF_AT(&r->items, item)[i].n))
            return GX_ECANCEL;
    return GX_OK;
}
