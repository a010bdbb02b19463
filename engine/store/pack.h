/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.h -- a document block as it lies in a store: what follows from the rest is left out
 *
 *   gxs_packed | labels | ups | wides | lengths | scopes | tables ... | text | values | strs
 *
 *   labels    a node's label id, 1, 2 or 4 bytes each: the label table says its kind
 *   ups       depth of the node before + 1 - its own, a byte a node: how many subtrees end before it; 255: see wides
 *   wides     u16 each
 *   lengths   of the string-values of all that are no elements, LEB128: they lie one after the other in their heap
 *   scopes    runs of the ns column: nodes, list, LEB128 each
 *   tables    ns_lists, ns_decls, ids, entities, odd, bases, labels: as in the block
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

#include "store.h"

#define GXS_PACKED 0x31505847u /* "GXP1" */

typedef struct gxs_packed {
    u32 magic, is_plain;
    u32 label_bytes, n_wides;
    u64 lengths_bytes, scopes_bytes;
    u64 block_bytes;
    gx_doc doc; /* counts and sizes count; offsets do not */
} gxs_packed;

/* Appends the packed block to out. GX_ENOMEM. */
gx_status gxs_pack(const gx_doc *doc, gx_buf *out, gx_error *err);
/* The block of n packed bytes, which nobody vouches for: checked, as gx_doc_check says, in `block` from its start on.
 * GX_EBAD, GX_ENOMEM. */
gx_status gxs_unpack(const char *packed, u64 n, gx_buf *block, gx_doc **doc, gx_error *err);

#endif
