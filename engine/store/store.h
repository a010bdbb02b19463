/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h -- the document store: documents that were parsed once, in one file
 *
 *   page 0, 1   gxs_head, each with a generation: the newer one whose checksum is right counts
 *   page 2 ...  extents of whole pages, each written once and never changed while a reader may need it:
 *
 *     a part (pack.h)      | crc32c of each of its pages, u32 each | packed bytes ..... |
 *     an index segment     | the same                              | (terms.h) ........ |
 *     the catalog, twice   | gxs_catalog  docs[]  parts[]  segments[]  frees[]  names |
 *
 * Of the pages that have checksums the bytes behind these count. A part's checksums and its front share a page, so a
 * reader of a piece waits for the disk once before. A checksum of each extent's checksums stands in the catalog, the
 * catalog's in the head: what a reader follows has been verified from the head down. All numbers are little-endian.
 *
 * A commit writes extents where no reader looks, and a new catalog; syncs; writes the older head; syncs. So a crash at
 * any point leaves the generation before or the one after it (t/45-store.c cuts the power at each write). One process
 * writes: it holds a lock (OFD, one byte at GXS_LOCKS - 1). A reader of generation g holds a shared lock on the byte
 * GXS_LOCKS + g; space that was freed by generation f is used again when no reader has a generation below f. So readers
 * never wait, and see one generation until they open the next. Locks need a file system that has them (local ones; NFS
 * 4).
 *
 * A document is one part, or, added with an element to split at, many: each is a document by itself, of the elements
 * that are open where it begins (its spine, with their attributes) and what follows. Split documents are read part by
 * part, or put together in memory (join.h).
 *
 * Views do not change; threads may share them. A writer is for one thread.
 */
#ifndef GXS_STORE_H
#define GXS_STORE_H

#include "gx.h"
#include "document/buf.h"

#define GXS_MAGIC 0x34535847u /* "GXS4" */
#define GXS_PAGE 4096u
#define GXS_LOCKS ((u64)1 << 60)
#define GXS_NAME 1024u /* most bytes of a document's name */

typedef struct gxs_head {
    u32 magic, page_bytes;
    u64 generation;
    u64 n_pages;                   /* the file's, as far as it is used */
    u64 catalog[2], catalog_bytes; /* the pages that its copies begin at */
    u32 catalog_crc, crc;          /* crc: of this head before it */
} gxs_head;

typedef struct gxs_catalog {
    u32 n_docs, n_parts, n_segments, n_frees;
    u64 next_uid, names_bytes;
} gxs_catalog;

typedef struct gxs_doc {
    u64 version;                          /* the generation that it was added by */
    u64 source_bytes, n_nodes;            /* nodes: those that a spine repeats counted again */
    u32 name, name_len, split, split_len; /* slices of names. split: the elements, then the local names of those that
                                             lie in several parts, each behind a blank; split_len 0: it was not split */
    u32 frames, frames_len; /* slice of names: the local names of all frames of its parts (records.h), each behind a
                               blank; none: its parts are read whole */
    u32 first_part, n_parts;
} gxs_doc; /* sorted by name, bytewise */

typedef struct gxs_part {
    u64 page, bytes, uid; /* uid: of no other part, in the order of adding */
    u64 block_bytes;      /* of the document block that it is unpacked to */
    u32 crc, spine;       /* spine: how many elements were open where it begins */
} gxs_part;

typedef struct gxs_segment {
    u64 page, bytes, first_uid;
    u32 crc, n_uids;
} gxs_segment;
typedef struct gxs_free {
    u64 page, n, since;
} gxs_free; /* since: the first generation that does not need it */

/* Where a writer's bytes go: pwrite and fdatasync, or a test's recorder of them. 0, or an errno. */
typedef struct gxs_disk {
    int (*write)(void *ctx, int fd, u64 at, const void *bytes, size_t n);
    int (*sync)(void *ctx, int fd);
    void *ctx;
} gxs_disk;

/* ---- reading (view.c) ---- */

typedef struct gxs_view {
    int fd;
    char *path;
    gxs_head head;
    char *bytes; /* the catalog */
    const gxs_catalog *catalog;
    const gxs_doc *docs;
    const gxs_part *parts;
    const gxs_segment *segments;
    const gxs_free *frees;
    const char *names;
} gxs_view; /* read freely */

/* The newest generation of the store `path`. GX_EIO: no such file, no store; GX_EBAD: damaged; GX_ENOMEM. */
gx_status gxs_view_open(const char *path, gxs_view **out, gx_error *err);
void gxs_view_close(gxs_view *v);
/* Is there no newer generation at its path? One look at the file's head; 0 also where that cannot be read. */
int gxs_view_is_newest(const gxs_view *v);
/* By its name; NULL: there is none. */
const gxs_doc *gxs_view_find(const gxs_view *v, const char *name);
/* The document that a part is of */
const gxs_doc *gxs_view_doc_of(const gxs_view *v, u32 part);

/* What a thread reads parts with: buffers that are kept. Zeros to begin with. */
typedef struct gxs_room {
    gx_buf raw, block;
    gx_buf sums, pieces; /* checksums; which chunks, and where they are */
} gxs_room;
void gxs_room_free(gxs_room *room);
/* Reads, verifies and unpacks a part. *doc: a block in room, until the next part is read with it. GX_EBAD names the
 * damaged page, the document and the part; GX_EIO, GX_ENOMEM. */
gx_status gxs_part_read(const gxs_view *v, u32 part, gxs_room *room, gx_doc **doc, gx_error *err);
/* A document of the part's records with these numbers, ascending, and sometimes of others that are stored beside them:
 * of pieces, as gxs_unpack_pieces says. The whole part where that is not more. */
gx_status gxs_part_read_records(const gxs_view *v, u32 part, const u32 *records, u32 n, gxs_room *room, gx_doc **doc,
                                gx_error *err);
/* A name that nodes have */
enum { GXS_NAMES = 16 }; /* most that are asked for */
typedef struct gxs_name {
    u32 kind, hash; /* GX_KIND_ELEM or GX_KIND_ATTR; gx_name_hash */
} gxs_name;
/* A document with all of the part's records, or of the whole part, that may have nodes of all these names: by_record:
 * of chunks, as above. *doc NULL: the part has none. */
gx_status gxs_part_read_named(const gxs_view *v, u32 part, const gxs_name *names, u32 n, int by_record, gxs_room *room,
                              gx_doc **doc, gx_error *err);
/* What will be read by the two above: the kernel reads all of it at once, while the caller waits for one piece after
 * the other. First each part's front, then, of these records, its chunks. */
void gxs_front_ahead(const gxs_view *v, u32 part);
void gxs_records_ahead(const gxs_view *v, u32 part, const u32 *records, u32 n, gxs_room *room);
int gxs_part_is_near(const gxs_view *v, u32 part); /* does it begin in the page cache? */
/* What a part says of its size: nodes, bytes of both heaps. Not verified: room for it, not more. */
gx_status gxs_part_sizes(const gxs_view *v, u32 part, u64 *nodes, u64 *text, u64 *values, gx_error *err);
/* Looks at every page that is in use, and at each part's block. told: of each thing that is wrong. Returns how many;
 * progress: after each part, if not NULL. */
u32 gxs_view_check(const gxs_view *v, void (*told)(void *ctx, const gx_error *what),
                   void (*progress)(void *ctx, u32 done, u32 all), void *ctx);

/* ---- writing (writer.c, commit.c) ---- */

typedef struct gxs_writer gxs_writer;
/* create: makes the file if there is none. index: GXS_HAS_* of terms.h, of what is put: what it is found by. disk: NULL
 * = pwrite and fdatasync. GX_EBUSY: another process writes; GX_EIO, GX_EBAD, GX_ENOMEM. */
gx_status gxs_writer_open(const char *path, int create, u32 index, const gxs_disk *disk, gxs_writer **out,
                          gx_error *err);
/* A new store in a file that must not be there, of that generation (1: a new one's). GX_EIO ... */
gx_status gxs_writer_create(const char *path, u64 generation, u32 index, gxs_writer **out, gx_error *err);
/* Makes a file's name durable. 0, or errno. */
int gxs_sync_folder(const char *path);
/* What was not committed never was. */
void gxs_writer_close(gxs_writer *w);
/* Begins a document; one of this name is replaced when it ends. split: NULL, or the element it is split at, or several
 * with | between them. GX_ESTYLE: no such name. */
gx_status gxs_put_begin(gxs_writer *w, const char *name, const char *split, gx_error *err);
/* Its next part; source_bytes: what it was parsed from. GX_EIO: the disk is full ... */
gx_status gxs_put_part(gxs_writer *w, const gx_doc *doc, u32 spine, u64 source_bytes, gx_error *err);
/* torn: NULL, or the local names of the elements that lie in several of its parts (cut.h) */
gx_status gxs_put_end(gxs_writer *w, const char *torn, gx_error *err);
void gxs_put_abandon(gxs_writer *w);             /* the document that was begun, if any, is not added */
int gxs_remove(gxs_writer *w, const char *name); /* 0: there is none */
/* All that was put and removed becomes the newest generation, at once and durably. After an error nothing of it has,
 * and the writer can only be closed. */
gx_status gxs_commit(gxs_writer *w, gx_error *err);
u64 gxs_writer_generation(const gxs_writer *w); /* that the next commit will be */

/* ---- checksums (crc.c) ---- */

/* CRC-32C of n bytes that follow those whose CRC is crc (0: none) */
u32 gxs_crc(u32 crc, const void *bytes, size_t n);
static inline u64 gxs_pages(u64 bytes) { return (bytes + GXS_PAGE - 1) / GXS_PAGE; }
/* Bytes of the checksums of an extent with so many bytes behind them: a multiple of 8, for all of its pages */
static inline u64 gxs_sums_bytes(u64 bytes)
{
    u64 n = gxs_pages(bytes), sums;
    while (sums = (4 * n + 7) & ~7ull, gxs_pages(sums + bytes) > n)
        n = gxs_pages(sums + bytes);
    return sums;
}
/* Bytes of an extent with its checksums */
static inline u64 gxs_extent_bytes(u64 bytes) { return gxs_sums_bytes(bytes) + bytes; }
/* The checksum of a page of an extent of `all` bytes, of which `sums` are checksums. bytes: the extent's from byte
 * `first` on */
static inline u32 gxs_page_crc(const char *bytes, u64 first, u64 page, u64 sums, u64 all)
{
    const u64 from = page * GXS_PAGE < sums ? sums : page * GXS_PAGE,
              end = (page + 1) * GXS_PAGE < all ? (page + 1) * GXS_PAGE : all;
    return from < end ? gxs_crc(0, bytes + (from - first), end - from) : 0;
}

#endif
