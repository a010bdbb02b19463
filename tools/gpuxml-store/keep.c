/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keep.c -- gpuxml-store list, remove, check, compact: the store itself
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tool.h"

static void put_json_string(FILE *out, const char *s, u32 n)
{
    fputc('"', out);
    for (u32 i = 0; i < n; i++) {
        if (s[i] == '"' || s[i] == '\\')
            fputc('\\', out);
        fputc(s[i], out);
    }
    fputc('"', out);
}

static u64 stored_bytes(const gxs_view *v, const gxs_doc *d)
{
    u64 sum = 0;
    for (u32 i = 0; i < d->n_parts; i++)
        sum += gxs_pages(gxs_extent_bytes(v->parts[d->first_part + i].bytes)) * GXS_PAGE;
    return sum;
}

static void list_document(const gxs_view *v, const gxs_doc *d, int json, FILE *out)
{
    const char *split = v->names + d->split, *blank = memchr(split, ' ', d->split_len);
    const u32 split_len = blank ? (u32)(blank - split) : d->split_len;
    if (!json) {
        fprintf(out, "%.*s\tversion %llu\t%llu bytes\t%llu stored\t%llu nodes\t%u part%s%s%.*s\n", (int)d->name_len,
                v->names + d->name, (unsigned long long)d->version, (unsigned long long)d->source_bytes,
                (unsigned long long)stored_bytes(v, d), (unsigned long long)d->n_nodes, d->n_parts,
                d->n_parts == 1 ? "" : "s", split_len ? " at " : "", (int)split_len, split);
        return;
    }
    fprintf(out, "{\"name\":");
    put_json_string(out, v->names + d->name, d->name_len);
    fprintf(out,
            ",\"version\":%llu,\"source_bytes\":%llu,\"stored_bytes\":%llu,\"nodes\":%llu,\"parts\":%u,\"split_at\":",
            (unsigned long long)d->version, (unsigned long long)d->source_bytes, (unsigned long long)stored_bytes(v, d),
            (unsigned long long)d->n_nodes, d->n_parts);
    put_json_string(out, split, split_len);
    fprintf(out, "}\n");
}

int tool_list(tool *t)
{
    gxs_view *v;
    gx_error err = { 0 };
    if (gxs_view_open(t->store, &v, &err) != GX_OK)
        return tool_report(&err);
    for (u32 i = 0; i < v->catalog->n_docs; i++)
        list_document(v, &v->docs[i], t->json, stdout);
    if (!t->quiet && !t->json) {
        u64 index = 0, unused = 0;
        for (u32 i = 0; i < v->catalog->n_segments; i++)
            index += v->segments[i].bytes;
        for (u32 i = 0; i < v->catalog->n_frees; i++)
            unused += v->frees[i].n * GXS_PAGE;
        fprintf(stderr, "%u documents, generation %llu, %llu bytes, of which index %llu and free %llu\n",
                v->catalog->n_docs, (unsigned long long)v->head.generation,
                (unsigned long long)v->head.n_pages * GXS_PAGE, (unsigned long long)index, (unsigned long long)unused);
    }
    gxs_view_close(v);
    return tool_finish_output(t);
}

int tool_remove(tool *t)
{
    gxs_writer *w;
    gx_error err = { 0 };
    gx_status status = gxs_writer_open(t->store, 0, 0, NULL, &w, &err);
    if (status != GX_OK)
        return tool_report(&err);
    for (int i = 0; i < t->n_args && status == GX_OK; i++)
        if (!gxs_remove(w, t->args[i]))
            status = gx_fail(&err, GX_EIO, t->store, 0, 0, "there is no document \"%.300s\": nothing was removed",
                             t->args[i]);
    if (status == GX_OK)
        status = gxs_commit(w, &err);
    gxs_writer_close(w);
    return status == GX_OK ? EXIT_DONE : tool_report(&err);
}

static void told(void *ctx, const gx_error *what)
{
    tool_progress(ctx, NULL);
    tool_report(what);
}

static void checked(void *ctx, u32 done, u32 all) { tool_progress(ctx, "checked %u of %u parts", done, all); }

int tool_check(tool *t)
{
    gxs_view *v;
    gx_error err = { 0 };
    if (gxs_view_open(t->store, &v, &err) != GX_OK)
        return tool_report(&err);
    const u32 wrong = gxs_view_check(v, told, checked, t);
    tool_progress(t, NULL);
    if (!t->quiet)
        fprintf(stderr, "%s: %u documents in %u parts, generation %llu: %u wrong\n", t->store, v->catalog->n_docs,
                v->catalog->n_parts, (unsigned long long)v->head.generation, wrong);
    gxs_view_close(v);
    return wrong ? EXIT_DAMAGED : EXIT_DONE;
}

/* ---- compacting: a new file in the old one's place ---- */

static gx_status copy_document(tool *t, const gxs_view *v, const gxs_doc *d, gxs_room *room, gxs_writer *to,
                               gx_error *err)
{
    const char *split = v->names + d->split, *blank = memchr(split, ' ', d->split_len);
    const size_t split_len = blank ? (size_t)(blank - split) : d->split_len;
    char name[GXS_NAME + 1], *element = strndup(split, split_len),
                             *torn = blank ? strndup(blank, d->split_len - split_len) : NULL;
    memcpy(name, v->names + d->name, d->name_len);
    name[d->name_len] = 0;
    gx_status status = gxs_put_begin(to, name, element && *element ? element : NULL, err);
    for (u32 i = d->first_part; i < d->first_part + d->n_parts && status == GX_OK; i++) {
        gx_doc *doc;
        status = gxs_part_read(v, i, room, &doc, err);
        if (status == GX_OK)
            status = gxs_put_part(to, doc, v->parts[i].spine, i == d->first_part ? d->source_bytes : 0, err);
        tool_progress(t, "copied %u of %u parts", i + 1, v->catalog->n_parts);
    }
    if (status == GX_OK)
        status = gxs_put_end(to, torn, err);
    free(element);
    free(torn);
    return status;
}

static gx_status copy_all(tool *t, const gxs_view *v, const char *name, gx_error *err)
{
    gxs_room room = { 0 };
    gxs_writer *to;
    GX_TRY(gxs_writer_create(name, v->head.generation, t->index, &to, err));
    gx_status status = GX_OK;
    for (u32 i = 0; i < v->catalog->n_docs && status == GX_OK; i++)
        status = copy_document(t, v, &v->docs[i], &room, to, err);
    if (status == GX_OK)
        status = gxs_commit(to, err);
    gxs_writer_close(to);
    gxs_room_free(&room);
    return status;
}

/* Readers keep the old file until they open the store again. The writer's lock is held until the new one has the name.
 */
int tool_compact(tool *t)
{
    gxs_writer *lock;
    gxs_view *v = NULL;
    gx_error err = { 0 };
    struct stat st;
    char *name = NULL;
    if (gxs_writer_open(t->store, 0, 0, NULL, &lock, &err) != GX_OK)
        return tool_report(&err);
    gx_status status = gxs_view_open(t->store, &v, &err);
    if (status == GX_OK && asprintf(&name, "%s.compact-%ld", t->store, (long)getpid()) < 0)
        status = gx_fail(&err, GX_ENOMEM, t->store, 0, 0, "not enough memory");
    if (status == GX_OK)
        status = copy_all(t, v, name, &err);
    tool_progress(t, NULL);
    if (status == GX_OK && (fstat(v->fd, &st) < 0 || chmod(name, st.st_mode & 07777) < 0 || rename(name, t->store) < 0))
        status = gx_fail(&err, GX_EIO, t->store, 0, 0, "cannot be replaced: %s", strerror(errno));
    if (status == GX_OK)
        gxs_sync_folder(t->store);
    else if (name)
        unlink(name);
    free(name);
    if (v)
        gxs_view_close(v);
    gxs_writer_close(lock);
    return status == GX_OK ? EXIT_DONE : tool_report(&err);
}
