/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t/45-store.c -- the document store: what is packed comes back to the byte; a power cut at any write loses nothing
 * that was acknowledged; damage is found and named; strangers' bytes do no harm
 *
 *   45-store                 some hundred power cuts; POINTS=10000 SEED=n 45-store: as many
 */
#include <apr_general.h>
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "engine/store/ask.h"
#include "engine/store/pack.h"

static gx_parser *parser;
static u32 seed = 1;
static char path[64];

static u32 chance(u32 n)
{
    seed = seed * 1664525u + 1013904223u;
    return n ? (seed >> 8) % n : 0;
}

static gx_doc *parse(const char *s, size_t n, u32 flags)
{
    const gx_parse_options o = { .flags = flags, .seed = 7, .external_ignore = 1, .lenient = 1 };
    gx_error err;
    gx_doc *doc;
    return gx_parse(parser, &o, s, n, &doc, &err) == GX_OK ? doc : NULL;
}

static char *slurp(const char *name, size_t *n)
{
    FILE *f = fopen(name, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    char *s = malloc(*n + 1);
    assert_int_equal(fread(s, 1, *n, f), *n);
    fclose(f);
    return s;
}

/* ---- packing ---- */

/* The same block, column by column: offsets may differ where a table is empty */
static void same_block(const gx_doc *a, const gx_doc *b)
{
    const u64 n = a->n_nodes;
    assert_int_equal(a->n_nodes, b->n_nodes);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->seed, b->seed);
#define SAME(name, bytes) assert_memory_equal((const char *)a + a->name, (const char *)b + b->name, bytes)
    SAME(label, n * 4);
    SAME(parent, n * 4);
    SAME(next, n * 4);
    SAME(depth, n * 2);
    SAME(text_off, n * 4);
    SAME(text_len, n * 4);
    assert_int_equal(!a->ns, !b->ns);
    if (a->ns)
        SAME(ns, n * 4);
    SAME(index_start, (a->n_labels + 1ull) * 4);
    SAME(index, n * 4);
    SAME(labels, a->n_labels * sizeof(gx_label_info));
    SAME(ns_lists, a->n_ns_lists * sizeof(gx_ns_list));
    SAME(ns_decls, a->n_ns_decls * sizeof(gx_ns_decl));
    SAME(ids, a->n_ids * sizeof(gx_doc_id));
    SAME(entities, a->n_entities * sizeof(gx_doc_entity));
    SAME(odd, a->n_odd * sizeof(gx_doc_odd));
    SAME(text, a->text_size);
    SAME(values, a->values_size);
    SAME(strs, a->strs_size);
#undef SAME
}

static void packed_comes_back(void **state)
{
    gx_buf packed = { 0 }, block = { 0 };
    gxs_records records = { 0 };
    glob_t g;
    u32 n = 0, plain = 0;
    (void)state;
    assert_int_equal(glob("t/cases/*/*.xml", 0, NULL, &g), 0);
    for (size_t i = 0; i < 2 * g.gl_pathc; i++) {
        size_t bytes;
        char *s = slurp(g.gl_pathv[i / 2], &bytes);
        gx_doc *doc = parse(s, bytes, i & 1 ? GX_DOC_NAMESPACES : 0), *back;
        gx_error err = { 0 };
        free(s);
        if (!doc)
            continue;
        packed.n = 0;
        assert_true(gxs_records_find(&records, doc, 0, NULL));
        assert_int_equal(gxs_pack(doc, &records, &packed, &err), GX_OK);
        assert_int_equal(gxs_unpack(packed.at, packed.n, &block, &back, &err), GX_OK);
        same_block(doc, back);
        assert_int_equal(gx_doc_check(back, back->size, &err), GX_OK);
        plain += !(i & 1) && ((const gxs_packed *)(const void *)packed.at)->is_plain;
        n++;
        for (u32 k = 0; k < 40; k++) { /* what a stranger's bytes unpack to is a block, or nothing is */
            gx_buf bad = { 0 };
            assert_non_null(gx_buf_push(&bad, packed.n));
            memcpy(bad.at, packed.at, packed.n);
            for (u32 c = 1 + chance(3); c; c--)
                bad.at[k & 1 ? chance((u32)bad.n) : chance(sizeof(gxs_packed))] =
                    (char)(chance(4) ? chance(256) : 255 * chance(2));
            if (gxs_unpack(bad.at, chance(9) ? bad.n : chance((u32)bad.n), &block, &back, &err) == GX_OK
                && gx_doc_check(back, back->size, &err) != GX_OK)
                fail_msg("%s", err.text);
            gx_buf_free(&bad);
        }
        free(doc);
    }
    globfree(&g);
    print_message("# %u blocks\n", n);
    assert_true(n > 200);
    assert_int_equal(plain, 0); /* only namespace nodes, which share strings, need it */
    gx_buf_free(&packed);
    gx_buf_free(&block);
    gxs_records_free(&records);
}

/* ---- power cuts ---- */

/* What a writer does to the file, in order: a write, or (bytes NULL) a sync */
typedef struct event {
    u64 at;
    size_t n;
    char *bytes;
    u32 acknowledged;
} event;
static event *events;
static u32 n_events, room_events, acknowledged; /* commits so far */

static void record(u64 at, const void *bytes, size_t n)
{
    if (n_events == room_events)
        assert_non_null(events = realloc(events, (room_events = 2 * room_events + 64) * sizeof *events));
    event *e = &events[n_events++];
    *e = (event){ at, n, NULL, acknowledged };
    if (bytes) {
        assert_non_null(e->bytes = malloc(n));
        memcpy(e->bytes, bytes, n);
    }
}

static int recorded_write(void *ctx, int fd, u64 at, const void *bytes, size_t n)
{
    (void)ctx;
    record(at, bytes, n);
    return pwrite(fd, bytes, n, (off_t)at) == (ssize_t)n ? 0 : 5;
}

static int recorded_sync(void *ctx, int fd)
{
    (void)ctx, (void)fd;
    record(0, NULL, 0);
    return 0;
}

enum { COMMITS = 30, DOCS = 6 };
/* After commit k document d is of version has[k][d]; 0: it is not there */
static u32 has[COMMITS + 1][DOCS];

static size_t document_of(u32 d, u32 version, char *to, size_t room)
{
    size_t n = (size_t)snprintf(to, room, "<d n='%u' v='%u'>", d, version);
    for (u32 i = 0; i < 10 + (d * 37 + version * 101) % 400 && n + 64 < room; i++)
        n += (size_t)snprintf(to + n, room - n, "<e>word%u and %u</e>", version, i * version);
    return n + (size_t)snprintf(to + n, room - n, "</d>");
}

static void change(u32 commit, const gxs_disk *disk)
{
    gx_error err = { 0 };
    gxs_writer *w;
    char name[8], source[32768];
    assert_int_equal(gxs_writer_open(path, 1, GXS_HAS_VALUES | GXS_HAS_WORDS, disk, &w, &err), GX_OK);
    memcpy(has[commit], has[commit - 1], sizeof has[0]);
    for (u32 k = 1 + chance(3); k; k--) {
        const u32 d = chance(DOCS);
        snprintf(name, sizeof name, "%u", d);
        if (has[commit][d] && chance(3) == 0) {
            assert_true(gxs_remove(w, name));
            has[commit][d] = 0;
            continue;
        }
        gx_doc *doc = parse(source, document_of(d, commit, source, sizeof source), 0);
        assert_int_equal(gxs_put_begin(w, name, NULL, &err), GX_OK);
        assert_int_equal(gxs_put_part(w, doc, 0, 1, &err), GX_OK);
        assert_int_equal(gxs_put_end(w, NULL, &err), GX_OK);
        free(doc);
        has[commit][d] = commit;
    }
    assert_int_equal(gxs_commit(w, &err), GX_OK);
    acknowledged = commit;
    gxs_writer_close(w);
}

static void told(void *ctx, const gx_error *what)
{
    (void)ctx;
    print_message("# %s\n", what->text);
}

/* The store at `name` is as after commit `least`, or the one behind it; or, before the first commit, not there */
static void is_as_after(const char *name, u32 least)
{
    gx_error err = { 0 };
    gxs_view *v;
    gxs_room room = { 0 };
    char source[32768];
    assert_int_equal(gxs_view_open(name, &v, &err), GX_OK);
    const u32 commit = (u32)v->head.generation - 1;
    assert_in_range(commit, least, least + 1);
    assert_int_equal(gxs_view_check(v, told, NULL, NULL), 0);
    for (u32 d = 0, there = 0; d < DOCS; d++) {
        char label[8];
        snprintf(label, sizeof label, "%u", d);
        const gxs_doc *of = gxs_view_find(v, label);
        assert_int_equal(of != NULL, has[commit][d] != 0);
        there += of != NULL;
        if (of) {
            gx_doc *doc, *want = parse(source, document_of(d, has[commit][d], source, sizeof source), 0);
            assert_int_equal(gxs_part_read(v, of->first_part, &room, &doc, &err), GX_OK);
            same_block(want, doc);
            free(want);
        }
        if (d == DOCS - 1)
            assert_int_equal(there, v->catalog->n_docs);
    }
    gxs_room_free(&room);
    gxs_view_close(v);
}

/* What a write that was not synced leaves, sector by sector: all, nothing, or some of it */
static void leave(char *image, const event *e)
{
    const u32 way = chance(3);
    for (size_t at = 0; at < e->n; at += 512)
        if (way == 0 || (way == 1 && chance(2)))
            memcpy(image + e->at + at, e->bytes + at, e->n - at < 512 ? e->n - at : 512);
}

static void power_cuts(void **state)
{
    const gxs_disk disk = { recorded_write, recorded_sync, NULL };
    const u32 points = getenv("POINTS") ? (u32)atoi(getenv("POINTS")) : 400;
    char cut[80];
    struct stat st;
    (void)state;
    unlink(path);
    for (u32 k = 1; k <= COMMITS; k++)
        change(k, &disk);
    is_as_after(path, COMMITS);
    assert_int_equal(stat(path, &st), 0);
    const size_t size = (size_t)st.st_size;
    char *image = malloc(size);
    snprintf(cut, sizeof cut, "%s.cut", path);
    /* the first write and sync made the file, under another name: no store was there before */
    for (u32 p = 0; p < points; p++) {
        const u32 end = 2 + chance(n_events - 2); /* the power goes within event `end` */
        u32 synced = 0;
        for (u32 i = 0; i < end; i++)
            synced = events[i].bytes ? synced : i;
        memset(image, 0, size);
        for (u32 i = 0; i < synced; i++)
            if (events[i].bytes)
                memcpy(image + events[i].at, events[i].bytes, events[i].n);
        for (u32 i = synced; i <= end; i++)
            if (events[i].bytes)
                leave(image, &events[i]);
        FILE *f = fopen(cut, "wb");
        assert_non_null(f);
        assert_int_equal(fwrite(image, 1, size, f), size);
        fclose(f);
        is_as_after(cut, events[end].acknowledged);
    }
    unlink(cut);
    free(image);
    for (u32 i = 0; i < n_events; i++)
        free(events[i].bytes);
    free(events);
}

/* ---- readers, writers, damage ---- */

static void readers_keep_their_generation(void **state)
{
    gx_error err = { 0 };
    gxs_view *v;
    gxs_writer *one, *two;
    gxs_room room = { 0 };
    gx_doc *doc;
    (void)state;
    acknowledged = 0;
    assert_int_equal(gxs_view_open(path, &v, &err), GX_OK);
    assert_true(gxs_view_is_newest(v));
    for (u32 k = 1; k <= COMMITS; k++) {
        has[0][0] = has[0][1] = has[0][2] = 0;
        gxs_view *now;
        assert_int_equal(gxs_view_open(path, &now, &err), GX_OK);
        for (u32 d = 0; d < DOCS; d++) {
            char name[8];
            snprintf(name, sizeof name, "%u", d);
            has[k - 1][d] = gxs_view_find(now, name) != NULL;
        }
        gxs_view_close(now);
        change(k, NULL);
        for (u32 i = 0; i < v->catalog->n_parts; i++)
            assert_int_equal(gxs_part_read(v, i, &room, &doc, &err), GX_OK);
    }
    assert_false(gxs_view_is_newest(v));
    const u64 before = v->head.n_pages;
    gxs_view_close(v);
    for (u32 k = 1; k <= COMMITS; k++) { /* what nobody reads is used again: the file does not grow for ever */
        memcpy(has[k - 1], has[k == 1 ? COMMITS : k - 1], sizeof has[0]);
        change(k, NULL);
    }
    assert_int_equal(gxs_view_open(path, &v, &err), GX_OK);
    assert_true(v->head.n_pages < before + 2000);
    gxs_view_close(v);
    assert_int_equal(gxs_writer_open(path, 0, 0, NULL, &one, &err), GX_OK);
    assert_int_equal(gxs_writer_open(path, 0, 0, NULL, &two, &err), GX_EBUSY);
    assert_non_null(strstr(err.text, "another process is changing this store"));
    gxs_writer_close(one);
    gxs_room_free(&room);
}

static u32 wrong;
static char last[800];
static void count_wrong(void *ctx, const gx_error *what)
{
    (void)ctx;
    wrong++;
    snprintf(last, sizeof last, "%s", what->text);
}

static void damage_is_named(void **state)
{
    gx_error err = { 0 };
    gxs_view *v;
    size_t size;
    char *whole = slurp(path, &size), cut[80];
    u64 pages = 0;
    (void)state;
    snprintf(cut, sizeof cut, "%s.cut", path);
    for (u64 page = 0; page < size / GXS_PAGE; page++) {
        FILE *f = fopen(cut, "wb");
        assert_non_null(f);
        const size_t at = page * GXS_PAGE + 40;
        whole[at] ^= 0x10;
        assert_int_equal(fwrite(whole, 1, size, f), size);
        whole[at] ^= 0x10;
        fclose(f);
        wrong = 0;
        if (gxs_view_open(cut, &v, &err) != GX_OK)
            continue; /* the newer head: then the one before it counts, or nothing is readable */
        if (gxs_view_check(v, count_wrong, NULL, NULL) && page > 1) {
            char number[32];
            snprintf(number, sizeof number, "page %llu", (unsigned long long)page);
            assert_int_equal(wrong, 1); /* the rest is whole */
            assert_non_null(strstr(last, number));
            pages++;
        }
        gxs_view_close(v);
    }
    assert_true(pages >= DOCS / 2);
    for (u32 i = 0; i < 300; i++) { /* any bytes anywhere, and cut off anywhere: no crash, no endless loop */
        FILE *f = fopen(cut, "wb");
        char *copy = malloc(size);
        assert_true(f && copy);
        memcpy(copy, whole, size);
        for (u32 k = chance(20); k; k--)
            copy[chance(chance(2) ? (u32)size : 3 * GXS_PAGE)] = (char)chance(256);
        assert_true(fwrite(copy, 1, chance(4) ? size : chance((u32)size), f) <= size);
        fclose(f);
        free(copy);
        if (gxs_view_open(cut, &v, &err) == GX_OK) {
            gxs_view_check(v, count_wrong, NULL, NULL);
            gxs_view_close(v);
        }
    }
    unlink(cut);
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(packed_comes_back), cmocka_unit_test(power_cuts),
                                        cmocka_unit_test(readers_keep_their_generation),
                                        cmocka_unit_test(damage_is_named) };
    gx_error err;
    apr_initialize();
    if (getenv("SEED"))
        seed = (u32)atoi(getenv("SEED"));
    print_message("# SEED=%u\n", seed);
    snprintf(path, sizeof path, "%s/gxs-test-%ld", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
    if (gx_parser_create(&parser, &err) != GX_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    gx_parser_free(parser);
    return failed;
}
