/* SPDX-License-Identifier: Apache-2.0 */
/*
 * add.c -- gpuxml-store add: files become documents of a store, all of them in one commit
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "engine/store/cut.h"
#include "tool.h"

typedef struct adding {
    tool *t;
    gxs_writer *w;
    const char *file;
    int fd;
    u64 total, done, parts; /* bytes of the file, 0: not known */
    double start_us;
} adding;

static void show(adding *a)
{
    const double s = ((double)gx_now_us() - a->start_us) / 1e6;
    if (a->total)
        tool_progress(a->t, "%s: %llu of %llu MB, %.0f MB/s", a->file, (unsigned long long)a->done / 1000000,
                      (unsigned long long)a->total / 1000000, s > 0 ? (double)a->done / 1e6 / s : 0);
    else
        tool_progress(a->t, "%s: %llu MB", a->file, (unsigned long long)a->done / 1000000);
}

static i64 read_file(void *ctx, char *to, size_t n)
{
    adding *a = ctx;
    ssize_t got;
    do
        got = read(a->fd, to, n);
    while (got < 0 && errno == EINTR);
    a->done += got > 0 ? (u64)got : 0;
    show(a);
    return got;
}

static gx_status put_document(adding *a, const char *bytes, size_t n, u32 spine, u64 source, int is_guess,
                              gx_error *err)
{
    gx_doc *doc;
    GX_TRY(kit_parse(&a->t->kit, &a->t->source, a->file, a->file, bytes, n, NULL, &doc, err));
    if (is_guess && !gxs_cut_holds(doc, spine))
        return GX_EXML;
    return gxs_put_part(a->w, doc, spine, source, err);
}

/* A part of a split document; messages name lines of the file. */
static gx_status put_part(void *ctx, const char *bytes, size_t n, u32 spine, size_t own, u64 lines, int is_guess,
                          gx_error *err)
{
    adding *a = ctx;
    u32 repeated = 0;
    a->t->kit.warning = is_guess ? NULL : tool_warning;
    const gx_status status = put_document(a, bytes, n, spine, n - own, is_guess, err);
    a->parts += status == GX_OK;
    for (size_t i = 0; status != GX_OK && i < own; i++)
        repeated += bytes[i] == '\n';
    if (status != GX_OK && err->line > repeated && !strcmp(err->file, a->file))
        err->line += (u32)lines - repeated;
    return status;
}

static gx_status add_split(adding *a, gx_error *err)
{
    gxs_cut cut = { .element = a->t->split_at,
                    .part_bytes = a->t->part_bytes,
                    .most = a->t->limits.input,
                    .read = read_file,
                    .part = put_part,
                    .ctx = a,
                    .file = a->file };
    GX_TRY(gxs_cut_all(&cut, a->t->pool, err));
    if (a->parts == 1 && a->done > 4 * a->t->part_bytes)
        fprintf(stderr, "warning: %s: there is no <%s> below another element: the document was not split\n", a->file,
                a->t->split_at);
    return gxs_put_end(a->w, cut.torn, err);
}

static gx_status add_whole(adding *a, gx_error *err)
{
    gx_buf bytes = { 0 };
    gx_status status = GX_OK;
    if (a->total && gx_buf_room(&bytes, a->total + 1))
        status = gx_fail(err, GX_ENOMEM, a->file, 0, 0, "not enough memory to read it: --split-at ELEMENT needs less");
    while (status == GX_OK) {
        if (gx_buf_room(&bytes, 65536)) {
            status =
                gx_fail(err, GX_ENOMEM, a->file, 0, 0, "not enough memory to read it: --split-at ELEMENT needs less");
            break;
        }
        const i64 n = read_file(a, bytes.at + bytes.n, bytes.cap - bytes.n < 1 << 24 ? bytes.cap - bytes.n : 1 << 24);
        if (n < 0)
            status = gx_fail(err, GX_EIO, a->file, 0, 0, "cannot be read: %s", strerror(errno));
        if (n <= 0)
            break;
        bytes.n += (size_t)n;
    }
    if (status == GX_OK)
        status = put_document(a, bytes.at, bytes.n, 0, bytes.n, 0, err);
    gx_buf_free(&bytes);
    return status == GX_OK ? gxs_put_end(a->w, NULL, err) : status;
}

static gx_status add_file(tool *t, gxs_writer *w, const char *file, gx_error *err)
{
    adding a = { .t = t, .w = w, .file = file, .start_us = (double)gx_now_us() };
    const char *name = t->name ? t->name : !strncmp(file, "./", 2) ? file + 2 : file;
    struct stat st;
    a.fd = strcmp(file, "-") ? open(file, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (a.fd < 0)
        return gx_fail(err, GX_EIO, file, 0, 0, "cannot be opened: %s", strerror(errno));
    if (fstat(a.fd, &st) == 0 && S_ISREG(st.st_mode))
        a.total = (u64)st.st_size;
    t->kit.warning = tool_warning;
    gx_status status = gxs_put_begin(w, name, t->split_at, err);
    if (status == GX_OK)
        status = t->split_at ? add_split(&a, err) : add_whole(&a, err);
    if (a.fd != STDIN_FILENO)
        close(a.fd);
    return status;
}

/* A seed of the documents' hashes: one for all parts, or they could not be put together */
static u64 draw_seed(void)
{
    u64 seed = 0;
    FILE *f = fopen("/dev/urandom", "rb");
    if (!f || fread(&seed, sizeof seed, 1, f) != 1)
        seed = (u64)(double)gx_now_us() * 0x9e3779b97f4a7c15ull ^ (u64)getpid() << 32;
    if (f)
        fclose(f);
    return seed | 1;
}

int tool_add(tool *t)
{
    gxs_writer *w;
    gx_error err = { 0 };
    if (gxs_writer_open(t->store, 1, t->index, NULL, &w, &err) != GX_OK)
        return tool_report(&err);
    t->source.seed = draw_seed();
    gx_status status = GX_OK;
    for (int i = 0; i < t->n_args && status == GX_OK; i++)
        status = add_file(t, w, t->args[i], &err);
    if (status == GX_OK)
        status = gxs_commit(w, &err);
    tool_progress(t, NULL);
    gxs_writer_close(w);
    return status == GX_OK ? EXIT_DONE : tool_report(&err);
}
