/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.h -- a document block as it lies in a store: what follows from the rest is left out, and pieces of it can be
 * read
 *
 *   gxs_packed | tables: labels, ns_lists, ns_decls, ids, entities, odd, bases, strs: as in the block
 *              | gxs_chunk[n_chunks + 1] | chunks
 *
 *   a chunk: some 4 KB of records (records.h)
 *     gxs_chunk_head | labels | ups | wides | starts | lengths | scopes | text | values
 *
 *   labels    a node's label id, 1, 2 or 4 bytes each: the label table says its kind
 *   ups       depth of the node before + 1 - its own, a byte a node: how many subtrees end before it; 255: see wides
 *   wides     u16 each
 *   starts    u16: the chunk's records by the number of their first node behind the spine. None where a record has
 *             other ancestors than the spine
 *   lengths   of the string-values of all that are no elements, LEB128: they lie one after the other in their heap
 *   scopes    runs of the ns column: nodes, list, LEB128 each
 *   text, values   the chunk's slices of both heaps
 *
 * A chunk begins with its spine: copies of the elements that are open there, with their attributes. So it is a document
 * by itself, and with `starts` so is each of its records. Unpacking all of the part leaves the spines out.
 *
 * parent, next, depth, text_off, the name index and the strings of elements follow. A bibliography's block of 2.7 bytes
 * for each byte of its source takes 0.9, and is unpacked in a third of the time that checking it would take: what
 * unpacking makes nests and is in order whatever the bytes are, so only heaps and tables are left to check.
 *
 * A block that is not made as a parser makes them (heaps with gaps, several roots), or has namespace nodes, which share
 * strings, is stored as it is: is_plain.
 */
#ifndef GXS_PACK_H
#define GXS_PACK_H

#include "records.h"
#include "store.h"

#define GXS_PACKED 0x34505847u /* "GXP4" */

typedef struct gxs_packed {
    u32 magic, is_plain;
    u32 label_bytes, n_chunks;
    u32 has_scopes, reserved;
    u64 block_bytes;
    gx_doc doc; /* counts and sizes count; offsets do not */
} gxs_packed;

typedef struct gxs_chunk {
    u64 at;           /* in the packed bytes */
    u32 record, node; /* the first of both that is its own */
    u64 names;        /* bit k: a node of it, or of its spine, has a label k, k + 64, ... */
} gxs_chunk;          /* one more than there are: where the last one ends */

typedef struct gxs_chunk_head {
    u32 n_nodes, n_spine; /* n_nodes: with those of the spine */
    u32 depth;            /* of the first node of its own */
    u32 n_wides, lengths_bytes, scopes_bytes, text_bytes, values_bytes;
    u32 spine_lengths, spine_values; /* bytes of these that are the spine's */
    u32 n_starts;                    /* 0, or the chunk's records */
} gxs_chunk_head;

/* Appends the packed block to out. GX_ENOMEM. */
gx_status gxs_pack(const gx_doc *doc, const gxs_records *records, gx_buf *out, gx_error *err);
/* The block of n packed bytes, which nobody vouches for: checked, as gx_doc_check says, in `block` from its start on.
 * GX_EBAD, GX_ENOMEM. */
gx_status gxs_unpack(const char *packed, u64 n, gx_buf *block, gx_doc **doc, gx_error *err);

/* ---- pieces ---- */

/* Bytes of a part before its chunks; `all`: the part's. first: its first sizeof(gxs_packed) bytes. 0: it has none, or
 * is wrong */
u64 gxs_front_bytes(const char *first, u64 all);
/* The chunks' places in a front. NULL: they are wrong */
const gxs_chunk *gxs_chunks(const char *front, u64 all);
/* The chunks that may have all of these names, each one for itself; returns how many. out: room for all chunks */
u32 gxs_chunks_named(const char *front, const gxs_chunk *c, const gxs_name *names, u32 n, u32 *out);
/* May the part have all of these names? */
int gxs_has_names(const char *front, const gxs_chunk *c, const gxs_name *names, u32 n);
/* A chunk, or some of its records */
typedef struct gxs_piece {
    const char *bytes; /* the chunk's */
    u32 chunk;         /* its number */
    u32 from, to;      /* records, counted from the chunk's first one; to GX_NONE: all of it */
} gxs_piece;

/* A document of some pieces, in order. Its nodes are those of the pieces and of their spines, without IDs, base URIs
 * and entities. Of a chunk without starts it has all, once. As gxs_unpack. */
gx_status gxs_unpack_pieces(const char *front, u64 all, const gxs_piece *pieces, u32 n, gx_buf *block, gx_doc **doc,
                            gx_error *err);

#endif
