/* SPDX-License-Identifier: Apache-2.0 */
/* thread.c -- documents of gpuxml-match, matched by threads (thread.h) */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "engine/clock.h"
#include "thread.h"

void say(const gx_error *err)
{
    char line[1400];
    fprintf(stderr, "%s\n", gx_error_format(err, line, sizeof line));
    if (err->limit)
        fprintf(stderr, "gpuxml-match: --limit %s=VALUE raises this limit\n", err->limit);
    if (err->status == GX_ETIME)
        fprintf(stderr, "gpuxml-match: --timeout MS raises this limit\n");
}

static int status_of(const gx_error *err)
{
    return err->status == GX_ELIMIT || err->status == GX_ENOMEM || err->status == GX_ETIME ? EXIT_RUN : EXIT_DOCUMENT;
}

void warn_of(void *ctx, const gx_error *what)
{
    char line[1400];
    (void)ctx;
    fprintf(stderr, "warning: %s\n", gx_error_format(what, line, sizeof line));
}

/* ---- one document ---- */

static void put_json(FILE *out, const char *s)
{
    putc('"', out);
    for (; *s; s++)
        if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if ((unsigned char)*s < ' ')
            fprintf(out, "\\u%04x", *s);
        else
            putc(*s, out);
    putc('"', out);
}

static void put_result(const tool *t, FILE *out, const char *name, const u32 *ids, u32 n, const char *engine)
{
    if (t->json) {
        fprintf(out, "{\"document\":");
        put_json(out, name);
        if (t->engine != ENGINE_CPU)
            fprintf(out, ",\"engine\":\"%s\"", engine);
        fprintf(out, ",\"matches\":%u", n);
        for (u32 i = 0; i < n && !t->count; i++) {
            fprintf(out, "%s", i ? "," : ",\"ids\":[");
            put_json(out, gxp_id(t->set, ids[i]));
        }
        fprintf(out, "%s}\n", t->count ? "" : n ? "]" : ",\"ids\":[]");
        return;
    }
    if (t->count) {
        t->many ? fprintf(out, "%s\t%u\n", name, n) : fprintf(out, "%u\n", n);
        return;
    }
    if (t->each)
        fprintf(out, "%s\t", name);
    for (u32 i = 0; i < n; i++)
        if (t->each)
            fprintf(out, "%s%s", i ? " " : "", gxp_id(t->set, ids[i]));
        else if (t->many)
            fprintf(out, "%s\t%s\n", name, gxp_id(t->set, ids[i]));
        else
            fprintf(out, "%s\n", gxp_id(t->set, ids[i]));
    if (t->each)
        putc('\n', out);
}

static int to_file(void *out, const char *bytes, size_t n) { return fwrite(bytes, 1, n, out) != n; }

static u64 cpu_ns(void)
{
    struct timespec at;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return (u64)at.tv_sec * 1000000000u + (u64)at.tv_nsec;
}

static gx_status match_bytes(matching *w, const char *name, const char *bytes, size_t n, gx_error *err)
{
    const tool *t = w->t;
    const u32 *ids, times = t->bench ? t->bench : 1;
    u32 n_ids = 0;
    u64 least = UINT64_MAX, least_parse = UINT64_MAX;
    gx_doc *doc;
    for (u32 i = 0; i < times; i++) {
        const u64 from = cpu_ns();
        GX_TRY(kit_parse(&w->kit, &t->source, name, name, bytes, n, NULL, &doc, err));
        const u64 parsed = cpu_ns();
        gxp_matcher_deadline(w->matcher, t->timeout_us ? gx_now_us() + t->timeout_us : 0);
        GX_TRY(gxp_match(w->matcher, doc, &t->limits, warn_of, NULL, &ids, &n_ids, err));
        const u64 took = cpu_ns() - parsed;
        least = took < least ? took : least;
        least_parse = parsed - from < least_parse ? parsed - from : least_parse;
    }
    w->parse_us = (double)least_parse / 1e3;
    w->match_us = (double)least / 1e3;
    w->bytes = n;
    if (t->bench > 1 && !t->many) {
        gxp_cost c;
        gxp_match_cost(w->matcher, &c);
        fprintf(stderr, "%s: %u elements, %u classes, %u formulas held, %u tried, %u programs, %u matches\n", name,
                c.elements, c.classes, c.held, c.tried, c.exact, n_ids);
    }
    if (t->explain)
        gxp_explain(w->matcher, gxp_find(t->set, t->explain), to_file, w->out);
    else
        put_result(t, w->out, name, ids, n_ids, "cpu");
    return GX_OK;
}

static gx_status read_file(matching *w, const char *name, gx_error *err)
{
    FILE *f = strcmp(name, "-") ? fopen(name, "rb") : stdin;
    size_t n;
    if (!f)
        return gx_fail(err, GX_EIO, name, 0, 0, "cannot be opened: %s", strerror(errno));
    w->file.n = 0;
    do {
        if (w->file.cap - w->file.n < 65536) {
            const size_t cap = 2 * (w->file.cap + 65536);
            char *more = realloc(w->file.at, cap);
            if (!more) {
                n = 0;
                errno = ENOMEM;
                break;
            }
            w->file.at = more;
            w->file.cap = cap;
        }
        errno = 0;
        n = fread(w->file.at + w->file.n, 1, w->file.cap - w->file.n, f);
        w->file.n += n;
    } while (n && w->file.n <= w->t->limits.input);
    const int wrong = ferror(f) || errno == ENOMEM ? (errno ? errno : EIO) : 0;
    if (f != stdin)
        fclose(f);
    if (wrong)
        return gx_fail(err, GX_EIO, name, 0, 0, "cannot be read: %s", strerror(wrong));
    return kit_unpack(name, w->t->limits.input, &w->file.at, &w->file.n, &w->file.cap, err);
}

gx_status read_document(matching *w, const each_item *item, const char **name, const char **bytes, size_t *n,
                        gx_error *err)
{
    if (item->wrong)
        return gx_fail(err, GX_EIO, item->name, 0, 0, "%s", item->wrong);
    *name = strcmp(item->name, "-") ? item->name : "standard input";
    *bytes = item->bytes;
    *n = item->n;
    if (item->bytes)
        return GX_OK;
    GX_TRY(read_file(w, item->name, err));
    *bytes = w->file.at;
    *n = w->file.n;
    return GX_OK;
}

static gx_status no_result(gx_error *err)
{
    return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory for the result");
}

gx_status match_here(matching *w, document *d, gx_error *err)
{
    const char *name, *bytes;
    size_t n;
    GX_TRY(read_document(w, &d->item, &name, &bytes, &n, err));
    w->out = open_memstream(&d->result, &d->n);
    if (!w->out)
        return no_result(err);
    const gx_status status = match_bytes(w, name, bytes, n, err);
    return fclose(w->out) && status == GX_OK ? no_result(err) : status;
}

gx_status make_result(matching *w, document *d, const char *name, const u32 *ids, u32 n, gx_error *err)
{
    FILE *out = open_memstream(&d->result, &d->n);
    if (!out)
        return no_result(err);
    put_result(w->t, out, name, ids, n, "gpu");
    return fclose(out) ? no_result(err) : GX_OK;
}

void in_turn(matching *w, document *d, gx_status status, gx_error *err)
{
    tool *t = w->t;
    if (status != GX_OK && !err->file[0])
        snprintf(err->file, sizeof err->file, "%s", d->item.name);
    pthread_mutex_lock(&t->lock);
    while (t->turn != d->number)
        pthread_cond_wait(&t->turn_is, &t->lock);
    if (status != GX_OK) {
        say(err);
        t->status = status_of(err);
    } else {
        fwrite(d->result, 1, d->n, stdout);
        t->parse_us += w->parse_us;
        t->match_us += w->match_us;
        t->documents++;
        t->bytes += w->bytes;
    }
    t->turn++;
    pthread_cond_broadcast(&t->turn_is);
    pthread_mutex_unlock(&t->lock);
    free(d->result);
    each_item_free(&d->item);
}

int take(tool *t, document *d)
{
    memset(d, 0, sizeof *d);
    pthread_mutex_lock(&t->lock);
    if (t->came > 0)
        t->came = t->in->next(t->in, &d->item, t->why);
    const int came = t->came;
    d->number = t->taken;
    t->taken += came > 0;
    pthread_mutex_unlock(&t->lock);
    return came > 0;
}

void *match_documents(void *ctx)
{
    matching *w = ctx;
    document d;
    while (take(w->t, &d)) {
        gx_error err = { .status = GX_OK };
        const gx_status status = match_here(w, &d, &err);
        in_turn(w, &d, status, &err);
    }
    return NULL;
}
