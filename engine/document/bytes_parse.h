/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes_parse.h -- the team's parser, all of it (bytes.h)
 */
#ifndef GX_BYTES_PARSE_H
#define GX_BYTES_PARSE_H

#include "bytes_block.h"
#include "bytes_come.h"

/*
 * b->doc := the request's document, in its arena. b->t: this member's place in its team; all of a team call it, each
 * with a gx_bytes of its own. GX_EXML: refused, read it with the scanner. GX_EARENA: the arena is too small. Bytes
 * behind the document's last are read, 15 at most on a GPU and eight elsewhere, and nothing depends on them.
 */
GX_OP_BIG gx_status gx_bytes_parse(gx_bytes *b, const gx_bytes_request *r)
{
    b->r = r;
    b->s = (const u8 *)r->bytes;
    b->used = 0;
    b->wide = 0;
    b->status = GX_OK;
    if (r->n > GX_BYTES_MOST || r->n == 0)
        return b->status = GX_EXML;
    b->n = (u32)r->n;
    if (gx_bytes_declaration(b) || b->from >= b->n)
        return b->status = GX_EXML;
    b->n_chunks = (b->n + GX_CHUNK_BYTES - 1) / GX_CHUNK_BYTES;
    GX_BYTES_TRY(gx_bytes_marks(b));
    const gx_chunk_counts all = { b->n_tokens, b->n_attrs, b->n_text };
    if (r->chunks.all.marks && gx_come_fits(&r->chunks.come, all)) {        /* and tokens were read */
        gx_come_columns(b, r);
        GX_BYTES_ROOM(b, b->string_id, u32, b->n_slots);
    } else {
        GX_BYTES_TRY(gx_bytes_places(b));
        GX_BYTES_TRY(gx_bytes_table(b));
        GX_BYTES_TRY(gx_bytes_tokens(b));
    }
    GX_BYTES_TRY(gx_bytes_tree(b));
    GX_BYTES_TRY(gx_bytes_strings(b));
    GX_BYTES_TRY(gx_bytes_scopes(b));
    GX_BYTES_TRY(gx_bytes_labels(b));
    return gx_bytes_write(b);
}

#endif
