/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join.h -- the parts of a document as one document block
 *
 * The block has the same nodes, in the same order, as the document would have if it had been parsed whole: of each part
 * but the first, the spine is left out. Labels, namespace lists and strings are those of the parts, each once.
 *
 * Memory: the block, and one part. Cost: that of unpacking the parts, and a copy.
 */
#ifndef GXS_JOIN_H
#define GXS_JOIN_H

#include "store.h"

/* Bytes that the block will have at most */
u64 gxs_join_bytes(const gxs_view *v, const gxs_doc *doc);
/* *out: in `block`. room: for the parts. Errors: gxs_part_read's; GX_ELIMIT: more nodes, or text, than a block can
 * have. */
gx_status gxs_join(const gxs_view *v, const gxs_doc *doc, gxs_room *room, gx_buf *block, gx_doc **out, gx_error *err);

#endif
