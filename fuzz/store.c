/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c -- fuzzing the document store: whatever a part's bytes, or an index's, or a catalog's are, reading them is an
 * answer or an error, and a document that comes of them checks out
 *
 * Documents that are cut in parts come back whole.
 *
 * Input: one byte of which, one of options, then a document. It is stored in a file whose bytes the rest of the input
 * changes, with checksums made right again, as a stranger would.
 */
#include <fcntl.h>
#include <unistd.h>
#include "fuzz.h"
#include "engine/store/ask.h"
#include "engine/store/cut.h"
#include "engine/store/pack.h"

static const char *const QUESTIONS[] = { "//b[c='x']", "count(//*[gx:contains-word(.,'a b')])",
                                         "//b[@k='1'][c]", "(//b)[2]",
                                         "//*" };
static const gx_param NAMESPACES[] = { { "gx", "urn:gpuxml" } };

/* Bytes of the input over those of the block, in places that it names */
static void change(char *at, u64 n, fuzz_bytes *in, u32 times)
{
    for (; n && times && in->at < in->end; times--) {
        const u32 place = fuzz_word(in);
        at[place % n] = (char)fuzz_byte(in);
    }
}

/* A part, changed: whole, and chunks of it */
static void unpack(const gx_doc *doc, const gxs_records *records, fuzz_bytes *in)
{
    gx_buf packed = { 0 }, block = { 0 };
    gx_error err = { 0 };
    gx_doc *back;
    FUZZ_ASSERT(gxs_pack(doc, records, &packed, &err) == GX_OK);
    FUZZ_ASSERT(gxs_unpack(packed.at, packed.n, &block, &back, &err) == GX_OK);
    FUZZ_ASSERT(back->n_nodes == doc->n_nodes && back->text_size == doc->text_size);
    change(packed.at, packed.n, in, 8);
    if (gxs_unpack(packed.at, packed.n, &block, &back, &err) == GX_OK)
        FUZZ_ASSERT(gx_doc_check(back, back->size, &err) == GX_OK);
    const gxs_chunk *c = packed.n >= sizeof(gxs_packed) ? gxs_chunks(packed.at, packed.n) : NULL;
    if (c) {
        const u32 all = ((const gxs_packed *)(const void *)packed.at)->n_chunks;
        gxs_piece pieces[3];
        u32 n = 0;
        for (u32 i = fuzz_byte(in) % 3; i < all && n < 3; i += fuzz_byte(in) % 3) {
            const u32 from = fuzz_byte(in) % 8, before = n && pieces[n - 1].chunk == i ? pieces[n - 1].to : 0;
            if (before == GX_NONE)
                break;
            pieces[n++] = (gxs_piece){ packed.at + c[i].at, i, before + from,
                                       from == 7 ? GX_NONE : before + from + 1 + fuzz_byte(in) % 2 };
        }
        if (n && gxs_unpack_pieces(packed.at, packed.n, pieces, n, &block, &back, &err) == GX_OK)
            FUZZ_ASSERT(gx_doc_check(back, back->size, &err) == GX_OK);
    }
    gx_buf_free(&packed);
    gx_buf_free(&block);
}

static gx_status evaluate(void *ctx, gx_evaluation *ev, gx_error *err)
{
    (void)ctx;
    ev->limits = &fuzz_limits;
    ev->arena = fuzz_arena;
    ev->team = (gx_team_spec){ .kind = GX_TEAM_KIND_SOLO, .members = 1 };
    ev->pool = fuzz_pool;
    ev->deadline_us = 0;
    return gx_evaluate(ev, err);
}

static void told(void *ctx, const gx_error *what)
{
    (void)ctx;
    FUZZ_ASSERT(what->text[0]);
}

static void ask(const gxs_view *v, const char *question)
{
    gx_error err = { 0 };
    const gx_compile_options o = { .namespaces = NAMESPACES, .n_namespaces = 1 };
    gxs_question q = { .expression = question, .options = &o, .memory = 1 << 20, .evaluate = evaluate };
    fuzz_output out = { malloc(FUZZ_MAX_OUTPUT), 0 };
    gx_program *program;
    gxs_asked asked;
    gxs_room room = { 0 };
    gxs_counts counts = { 0 };
    FUZZ_ASSERT(out.at && gx_compile_select(question, &o, fuzz_pool, &program, &err) == GX_OK);
    q.program = program;
    if (gxs_ask_begin(v, &q, fuzz_pool, &asked, &err) == GX_OK) {
        for (u32 i = 0; i < v->catalog->n_docs; i++)
            gxs_ask(v, &v->docs[i], &q, &asked, &room, fuzz_pool, fuzz_sink, &out, &counts, &err);
        gxs_ask_end(&asked);
    }
    gxs_room_free(&room);
    free(out.at);
    free(program);
}

/* Catalog and head say that what was changed is right */
static void make_right(char *file, size_t n)
{
    gxs_head h[2];
    for (u32 i = 0; i < 2 && n >= 2 * GXS_PAGE; i++) {
        memcpy(&h[i], file + i * GXS_PAGE, sizeof h[i]);
        const u64 at = h[i].catalog[0] * GXS_PAGE;
        if (h[i].magic == GXS_MAGIC && at < n && h[i].catalog_bytes <= n - at)
            h[i].catalog_crc = gxs_crc(0, file + at, h[i].catalog_bytes);
        h[i].crc = gxs_crc(0, &h[i], offsetof(gxs_head, crc));
        memcpy(file + i * GXS_PAGE, &h[i], sizeof h[i]);
    }
}

/* A file, changed */
static void read_file(const gx_doc *doc, fuzz_bytes *in, const char *question)
{
    char path[64];
    gx_error err = { 0 };
    gxs_writer *w;
    gxs_view *v;
    snprintf(path, sizeof path, "/dev/shm/gxs-fuzz-%ld", (long)getpid());
    unlink(path);
    if (gxs_writer_open(path, 1, GXS_HAS_VALUES | GXS_HAS_WORDS, NULL, &w, &err) != GX_OK)
        return; /* no such folder */
    FUZZ_ASSERT(gxs_put_begin(w, "d", "b", &err) == GX_OK && gxs_put_part(w, doc, 0, 1, &err) == GX_OK
                && gxs_put_end(w, " a", &err) == GX_OK && gxs_commit(w, &err) == GX_OK);
    gxs_writer_close(w);
    FILE *f = fopen(path, "r+b");
    FUZZ_ASSERT(f && fseek(f, 0, SEEK_END) == 0);
    const size_t n = (size_t)ftell(f);
    char *file = malloc(n);
    rewind(f);
    FUZZ_ASSERT(file && fread(file, 1, n, f) == n);
    change(file, n, in, 4);
    make_right(file, n);
    rewind(f);
    FUZZ_ASSERT(fwrite(file, 1, n, f) == n && fclose(f) == 0);
    free(file);
    if (gxs_view_open(path, &v, &err) == GX_OK) {
        gxs_view_check(v, told, NULL, NULL);
        ask(v, question);
        gxs_view_close(v);
    }
    unlink(path);
}

/* ---- cutting ---- */

typedef struct cutting {
    const char *at, *end;
    u32 flags;          /* of parsing: the whole document's */
    gxs_writer *w;
} cutting;

static i64 read_piece(void *ctx, char *to, size_t n)
{
    cutting *c = ctx;
    n = (size_t)(c->end - c->at) < n ? (size_t)(c->end - c->at) : n;
    n = n < 64 ? n : 64;
    memcpy(to, c->at, n);
    c->at += n;
    return (i64)n;
}

static gx_status put_piece(void *ctx, const char *bytes, size_t n, u32 spine, size_t own, u64 lines, int is_guess,
                           gx_error *err)
{
    cutting *c = ctx;
    const gx_parse_options o = { .limits = &fuzz_limits, .seed = 7, .flags = c->flags };
    gx_doc *doc;
    (void)own;
    (void)lines;
    gx_status status = gx_parse(fuzz_parser, &o, bytes, n, &doc, err);
    if (status != GX_OK)
        return status;
    status = is_guess && !gxs_cut_holds(doc, spine) ? GX_EXML : gxs_put_part(c->w, doc, spine, n, err);
    free(doc);
    return status;
}

/* Nodes and their strings are the same. Attributes' values may lie apart: each part has those of what is open where it
 * begins once more. */
static int same(const gx_doc *a, const gx_doc *b)
{
    if (a->n_nodes != b->n_nodes || a->text_size != b->text_size || a->values_size < b->values_size
        || a->max_depth != b->max_depth)
        return 0;
    for (u32 i = 0; i < a->n_nodes; i++) {
        const u32 kind = GX_LABEL_KIND(GX_DOC_COL(a, u32, label)[i]), len = GX_DOC_COL(a, u32, text_len)[i];
        const int of_text = kind <= GX_KIND_TEXT;
        const char *x = of_text ? GX_DOC_COL(a, char, text) : GX_DOC_COL(a, char, values);
        const char *y = of_text ? GX_DOC_COL(b, char, text) : GX_DOC_COL(b, char, values);
        if (kind != GX_LABEL_KIND(GX_DOC_COL(b, u32, label)[i]) || len != GX_DOC_COL(b, u32, text_len)[i]
            || GX_DOC_COL(a, u32, parent)[i] != GX_DOC_COL(b, u32, parent)[i]
            || GX_DOC_COL(a, u32, next)[i] != GX_DOC_COL(b, u32, next)[i]
            || memcmp(x + GX_DOC_COL(a, u32, text_off)[i], y + GX_DOC_COL(b, u32, text_off)[i], len))
            return 0;
    }
    return 1;
}

/* A document in parts, put together, is the document. */
static void cut(const gx_doc *doc, const char *bytes, size_t n, u32 flags, u32 part_bytes)
{
    char path[64];
    gx_error err = { 0 };
    gxs_view *v;
    cutting c = { bytes, bytes + n, flags, NULL };
    gxs_cut how = { .element = "b|c", .part_bytes = part_bytes, .most = 1 << 20, .read = read_piece, .part = put_piece,
                    .ctx = &c, .file = "" };
    snprintf(path, sizeof path, "/dev/shm/gxs-fuzz-%ld", (long)getpid());
    unlink(path);
    if (gxs_writer_open(path, 1, GXS_HAS_VALUES | GXS_HAS_WORDS, NULL, &c.w, &err) != GX_OK)
        return;
    FUZZ_ASSERT(gxs_put_begin(c.w, "d", how.element, &err) == GX_OK);
    if (gxs_cut_all(&how, fuzz_pool, &err) == GX_OK) {
        gxs_room room = { 0 };
        gx_buf whole = { 0 };
        gx_doc *back;
        FUZZ_ASSERT(gxs_put_end(c.w, how.torn, &err) == GX_OK && gxs_commit(c.w, &err) == GX_OK
                    && gxs_view_open(path, &v, &err) == GX_OK);
        FUZZ_ASSERT(gxs_whole(v, &v->docs[0], ~(u64)0, "", &room, &whole, &back, &err) == GX_OK);
        FUZZ_ASSERT(gx_doc_check(back, back->size, &err) == GX_OK);
        FUZZ_ASSERT(same(back, doc));
        gx_buf_free(&whole);
        gxs_room_free(&room);
        gxs_view_close(v);
    } else
        FUZZ_ASSERT(strstr(err.text, "encoding") != NULL);
    gxs_writer_close(c.w);
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gx_error err = { 0 };
    gx_doc *doc;
    gxs_records records = { 0 };
    if (size < 4)
        return 0;
    fuzz_start();
    const size_t n = 4 + data[2] * 256u + data[3] < size ? data[2] * 256u + data[3] : size - 4;
    fuzz_bytes in = { data + 4 + n, data + size };
    const gx_parse_options o = { .limits = &fuzz_limits, .seed = 7, .flags = data[1] & 1 ? GX_DOC_NAMESPACES : 0 };
    if (gx_parse(fuzz_parser, &o, (const char *)data + 4, n, &doc, &err) != GX_OK)
        return 0;
    FUZZ_ASSERT(gxs_records_find(&records, doc, 0, data[1] & 2 ? "b" : NULL));
    if ((data[0] & 3) == 3)
        cut(doc, (const char *)data + 4, n, o.flags, data[0] >> 2);
    else if (data[0] & 1)
        unpack(doc, &records, &in);
    else
        read_file(doc, &in, QUESTIONS[(data[1] >> 2) % (sizeof QUESTIONS / sizeof *QUESTIONS)]);
    gxs_records_free(&records);
    free(doc);
    return 0;
}
