/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.c -- asking stored documents (ask.h): the index, then the engine, part by part or over the whole
 */
#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ask.h"
#include "head.h"
#include "join.h"

/* The answer of one block */
static gx_status ask_block(const gxs_question *q, const gx_doc *doc, gx_sink sink, void *ctx, gx_error *err)
{
    gx_evaluation ev = { .program = q->program, .doc = doc };
    if (q->ranking)
        return gxs_ranking_add(q->ranking, q->program, doc, q->evaluate, q->ctx, q->serialize, q->as_xml, err);
    GX_TRY(q->evaluate(q->ctx, &ev, err));
    return gx_serialize_selection(&ev, q->serialize, q->as_xml, NULL, sink, ctx, NULL, err);
}

typedef struct digits {
    char at[40];
    size_t n;
} digits;

static int put_digits(void *ctx, const char *bytes, size_t n)
{
    digits *d = ctx;
    if (n >= sizeof d->at - d->n)
        return 1;
    memcpy(d->at + d->n, bytes, n);
    d->n += n;
    d->at[d->n] = 0;
    return 0;
}

/* How a document's parts are read: those that the index has found (NULL: all), of them the records alone */
typedef struct reading {
    const gxs_found *found;
    const gxs_plan *plan; /* is_path: has the names that there must be */
    int by_record, is_count;
    gxs_shape shape; /* by_record: names that a record must have */
    gx_buf records;
    const gxs_plan *guards; /* NULL, or the plan whose guards count, */
    const char *guarded[2]; /* for elements of these names: lists, or NULL */
} reading;

/* The next part's block, or *block NULL: nothing in it was found */
static gx_status read_part(const gxs_view *v, u32 part, reading *r, gxs_room *room, gxs_counts *counts, gx_doc **block,
                           gx_error *err)
{
    const u64 uid = v->parts[part].uid;
    const u32 *records;
    u32 n;
    *block = NULL;
    if (r->found && r->by_record && gxs_found_records(r->found, uid, &r->shape, &r->records, &records, &n)) {
        counts->read += n != 0;
        counts->records += n;
        return n ? gxs_part_read_records(v, part, records, n, room, block, err) : GX_OK;
    }
    if (r->found && !gxs_found_part(r->found, uid))
        return GX_OK;
    if (r->plan->is_path && r->plan->n_names) {
        const gx_status status =
            gxs_part_read_named(v, part, r->plan->names, r->plan->n_names, r->by_record, room, block, err);
        counts->read += *block != NULL;
        return status;
    }
    counts->read++;
    return gxs_part_read(v, part, room, block, err);
}

/* Is a piece of the part, or all of it, to be read? *n: how many records, GX_NONE: not by records */
static int is_wanted(const gxs_view *v, u32 part, reading *r, const u32 **records, u32 *n)
{
    const u64 uid = v->parts[part].uid;
    *n = GX_NONE;
    if (r->by_record && gxs_found_records(r->found, uid, &r->shape, &r->records, records, n))
        return *n != 0;
    return !r->found || gxs_found_part(r->found, uid);
}

static int is_power(u32 x) { return !(x & (x - 1)); } /* of two, or 0 */

/* A part's front, then its pieces: each would be waited for, some 200 us of a local disk. So all are asked for first,
 * if a sample of the parts is not in the page cache. */
static void read_ahead(const gxs_view *v, const gxs_doc *doc, reading *r, gxs_room *room)
{
    const u32 end = doc->first_part + doc->n_parts;
    const u32 *records;
    u32 n, wanted = 0, far = 0;
    if (!r->by_record && !r->plan->n_names)
        return;
    for (u32 i = doc->first_part; i < end; i++)
        if (is_wanted(v, i, r, &records, &n) && is_power(wanted++))
            far += !gxs_part_is_near(v, i);
    if (wanted < 2 || !far)
        return;
    for (u32 i = doc->first_part; i < end; i++)
        if (is_wanted(v, i, r, &records, &n))
            gxs_front_ahead(v, i);
    for (u32 i = doc->first_part; i < end; i++)
        if (is_wanted(v, i, r, &records, &n) && n != GX_NONE)
            gxs_records_ahead(v, i, records, n, room);
}

static int is_guard(const gxs_plan *p, u32 name, const char *value, u32 len)
{
    for (u32 i = 0; i < p->n_guards; i++)
        if (p->guards[i].name == name && p->guards[i].value_len == len && !memcmp(p->guards[i].value, value, len))
            return 1;
    return 0;
}

/* Has an element that lies in several parts, or beside others of which only some are read, a value that it may not? */
static int breaks_guard(const reading *r, const gx_doc *d)
{
    const u32 *label = GX_DOC_COL(d, u32, label), *parent = GX_DOC_COL(d, u32, parent),
              *off = GX_DOC_COL(d, u32, text_off), *len = GX_DOC_COL(d, u32, text_len);
    const gx_label_info *info = GX_DOC_COL(d, gx_label_info, labels);
    for (u32 i = 1; i < d->n_nodes; i++) {
        if (GX_LABEL_KIND(label[i]) != GX_KIND_ATTR
            || !is_guard(r->guards, info[GX_LABEL_ID(label[i])].hash, GX_DOC_COL(d, char, values) + off[i], len[i]))
            continue;
        const gx_label_info *element = &info[GX_LABEL_ID(label[parent[i]])];
        for (u32 k = 0; k < 2; k++)
            if (r->guarded[k] && gxs_is_listed(r->guarded[k], strlen(r->guarded[k]),
                                               GX_DOC_COL(d, char, strs) + element->local, element->local_len))
                return 1;
    }
    return 0;
}

/* *broken: a guard is, and what went to sink is not the answer */
static gx_status ask_each(const gxs_view *v, const gxs_doc *doc, const gxs_question *q, reading *r, gxs_room *room,
                          gx_sink sink, void *ctx, gxs_counts *counts, int *broken, gx_error *err)
{
    unsigned long long sum = 0;
    read_ahead(v, doc, r, room);
    for (u32 i = doc->first_part; i < doc->first_part + doc->n_parts; i++) {
        gx_doc *block;
        digits d = { "", 0 };
        GX_TRY(read_part(v, i, r, room, counts, &block, err));
        if (!block)
            continue;
        counts->nodes += block->n_nodes;
        if (r->guards && (*broken = breaks_guard(r, block)))
            return GX_OK;
        GX_TRY(ask_block(q, block, r->is_count ? put_digits : sink, r->is_count ? (void *)&d : ctx, err));
        sum += strtoull(d.at, NULL, 10);
    }
    if (r->is_count) {
        digits d;
        d.n = (size_t)snprintf(d.at, sizeof d.at, "%llu\n", sum);
        if (sink(ctx, d.at, d.n))
            return GX_ECANCEL;
    }
    return GX_OK;
}

gx_status gxs_whole(const gxs_view *v, const gxs_doc *doc, u64 memory, const char *why, gxs_room *room, gx_buf *whole,
                    gx_doc **out, gx_error *err)
{
    const u64 bytes = gxs_join_bytes(v, doc);
    if (doc->n_parts == 1)
        return gxs_part_read(v, doc->first_part, room, out, err);
    if (bytes > memory)
        return gx_fail(
            err, GX_ELIMIT, v->path, 0, 0,
            "document \"%.*s\" is in %u parts and needed whole (%s), which takes more memory than is allowed: %llu MB",
            doc->name_len < 200 ? (int)doc->name_len : 200, v->names + doc->name, doc->n_parts, why,
            (unsigned long long)(bytes >> 20) + 1);
    return gxs_join(v, doc, room, whole, out, err);
}

static gx_status ask_whole(const gxs_view *v, const gxs_doc *doc, const gxs_question *q, const char *why,
                           gxs_room *room, gx_sink sink, void *ctx, gxs_counts *counts, gx_error *err)
{
    gx_buf whole = { 0 };
    gx_doc *block;
    gx_status status = gxs_whole(v, doc, q->memory, why, room, &whole, &block, err);
    counts->read += doc->n_parts;
    counts->joined++;
    counts->nodes += status == GX_OK ? block->n_nodes : 0;
    if (status == GX_OK)
        status = ask_block(q, block, sink, ctx, err);
    gx_buf_free(&whole);
    return status;
}

/* The names of elements in several parts, of a split document; NULL */
static const char *torn_of(const gxs_view *v, const gxs_doc *doc, apr_pool_t *pool)
{
    const char *split = v->names + doc->split, *blank = memchr(split, ' ', doc->split_len);
    return blank ? apr_pstrmemdup(pool, blank, (apr_size_t)(split + doc->split_len - blank)) : NULL;
}

/* How deep the deepest element is that lies in several parts: each of them is open where some part begins. */
static u32 deepest_spine(const gxs_view *v, const gxs_doc *doc)
{
    u32 most = 0;
    for (u32 i = doc->first_part; i < doc->first_part + doc->n_parts; i++)
        most = v->parts[i].spine > most ? v->parts[i].spine : most;
    return most;
}

gx_status gxs_ask_way(const gxs_view *v, const gxs_doc *doc, const gxs_question *q, apr_pool_t *pool, gxs_plan *plan,
                      gx_error *err)
{
    const char *torn = doc->n_parts > 1 ? torn_of(v, doc, pool) : NULL;
    return gxs_plan_make(q->expression, q->options, torn, deepest_spine(v, doc), pool, plan, err);
}

static int keep(void *ctx, const char *bytes, size_t n)
{
    char *to = gx_buf_push(ctx, n + 1);
    if (!to)
        return 1;
    memcpy(to, bytes, n);
    ((gx_buf *)ctx)->n--;
    return 0;
}

/* The answer is kept until no guard is broken; else it is that of the whole. */
static gx_status ask_guarded(const gxs_view *v, const gxs_doc *doc, const gxs_question *q, reading *r, gxs_room *room,
                             gx_sink sink, void *ctx, gxs_counts *counts, gx_error *err)
{
    gx_buf answer = { 0 };
    int broken = 0;
    if (q->ranking) /* what it has taken it does not give back */
        return ask_whole(v, doc, q, "a * may be an element that lies in several parts", room, sink, ctx, counts, err);
    gx_status status = ask_each(v, doc, q, r, room, keep, &answer, counts, &broken, err);
    if (status == GX_ECANCEL)
        status = gx_fail(err, GX_ENOMEM, v->path, 0, 0, "not enough memory");
    if (status == GX_OK && broken)
        status = ask_whole(v, doc, q, "an element that lies in several parts has the value asked for", room, sink, ctx,
                           counts, err);
    else if (status == GX_OK && answer.n && sink(ctx, answer.at, answer.n))
        status = GX_ECANCEL;
    gx_buf_free(&answer);
    return status;
}

/* Names that are in the record itself: those of frames are in its spine. Not where a guard's attribute must be seen: a
 * frame may have it, and any record shows it. */
static void note_shape(reading *r, const char *frames)
{
    for (u32 i = 0; i < r->plan->n_names; i++)
        if (!gxs_is_listed(frames, strlen(frames), r->plan->locals[i], strlen(r->plan->locals[i])))
            gxs_shape_add(&r->shape, r->plan->names[i].kind, r->plan->names[i].hash);
}

/* One question about one document, by the cheapest way that gives the same answer: its parts one after the other, only
 * the records that the index names, or the whole document put together. counts: how many parts and records were read.
 * Results go to the sink in document order. */
gx_status gxs_ask(const gxs_view *v, const gxs_doc *doc, const gxs_question *q, const gxs_asked *asked, gxs_room *room,
                  apr_pool_t *pool, gx_sink sink, void *sink_ctx, gxs_counts *counts, gx_error *err)
{
    gxs_plan plan, by_record;
    reading r = { .found = asked->plan.is_path ? &asked->found : NULL,
                  .plan = &asked->plan,
                  .is_count = asked->plan.is_count };
    counts->parts += doc->n_parts;
    if (doc->n_parts > 1) {
        r.guarded[0] = torn_of(v, doc, pool);
        GX_TRY(gxs_ask_way(v, doc, q, pool, &plan, err));
        if (plan.way == GXS_WHOLE)
            return ask_whole(v, doc, q, plan.why, room, sink, sink_ctx, counts, err);
        r.guards = plan.n_guards ? &plan : NULL;
    }
    if (r.found && (r.found->n || asked->plan.n_names) && doc->frames_len) {
        const char *frames = apr_pstrmemdup(pool, v->names + doc->frames, doc->frames_len);
        GX_TRY(gxs_plan_make(q->expression, q->options, frames, GX_NONE, pool, &by_record, err));
        r.by_record = by_record.way == GXS_EACH;
        r.guarded[1] = r.by_record ? frames : NULL;
        if (r.by_record && by_record.n_guards)
            r.guards = &by_record;
        else if (r.by_record && !r.guards)
            note_shape(&r, frames);
    }
    int broken;
    const gx_status status = r.guards ? ask_guarded(v, doc, q, &r, room, sink, sink_ctx, counts, err)
                                      : ask_each(v, doc, q, &r, room, sink, sink_ctx, counts, &broken, err);
    gx_buf_free(&r.records);
    return status;
}

gx_status gxs_ask_begin(const gxs_view *v, const gxs_question *q, apr_pool_t *pool, gxs_asked *asked, gx_error *err)
{
    asked->found = (gxs_found){ 0 };
    GX_TRY(gxs_plan_make(q->expression, q->options, NULL, 0, pool, &asked->plan, err));
    const int uses = asked->plan.is_path && !q->no_index;
    return gxs_find(v, asked->plan.needs, uses ? asked->plan.n_needs : 0, asked->plan.n_names != 0, &asked->found, err);
}

void gxs_ask_end(gxs_asked *asked) { gxs_found_free(&asked->found); }
