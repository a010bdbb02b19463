/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes_come.h -- tokens of a document that is still on its way
 *
 *   pieces      |  <a> text <b at|tr="1"> ...  |
 *   places      the tokens that begin in the piece, behind those before it
 *   read         ^the last one before .. ^  but the last one, whose end nobody knows before the next begins
 *
 * A token that has a successor is there, all of it: what goes beyond the next one's beginning is refused. Its columns
 * have room for as many tokens as documents usually have; who has more is read again when all is there.
 */
#ifndef GX_BYTES_COME_H
#define GX_BYTES_COME_H

#include "bytes_token.h"

/* Is there room for these? */
GX_OP int gx_come_fits(const gx_come *c, gx_chunk_counts all) { return all.tokens <= c->most && all.attrs <= c->most; }

/* b of a request, of which some bytes are there: what chunks are looked at with. Is the beginning no document's? */
GX_OP int gx_come_begin(gx_bytes *b, const gx_bytes_request *r)
{
    b->s = (const u8 *)r->bytes;
    b->n = (u32)r->n;
    b->wide = 0;
    return gx_bytes_declaration(b) || b->from >= b->n;
}
/* .. and where the columns of its chunks and tokens are, so that tokens can be read before the document is all there.
 */
GX_OP void gx_come_columns(gx_bytes *b, const gx_bytes_request *r)
{
    const gx_come *const c = &r->chunks.come;

    b->r = r;
    b->n = (u32)r->n;
    b->n_chunks = (b->n + GX_CHUNK_BYTES - 1) / GX_CHUNK_BYTES;
    b->chunks = r->chunks.all;
    b->at = c->at;
    b->text = c->text;
    b->first_attr = c->first_attr;
    b->end = c->end;
    b->name = c->name;
    b->name_len = c->name_len;
    b->node = c->node;
    b->value = c->value;
    b->depth = c->depth;
    b->attr_name = c->attr_name;
    b->attr_len = c->attr_len;
    b->attr_value = c->attr_value;
    b->attr_size = c->attr_size;
    b->attr_uri = c->attr_uri;
    b->kind = c->kind;
    b->strings = c->strings;
    b->strings_first = c->strings_first;
    b->n_slots = GX_BYTES_STRINGS;
}

/* The tokens that can be read when the chunks [from, to) have come: *first .. *end - 1. 0: there is no room for all */
GX_OP int gx_come_tokens(const gx_bytes_request *r, u32 from, u32 to, u32 *first, u32 *end)
{
    const gx_chunk_counts before = r->chunks.before[from / GX_CHUNK_GROUP],
                          all = r->chunks.before[gx_chunk_groups(to)];

    *first = before.tokens ? before.tokens - 1 : 0;
    *end = (u64)to * GX_CHUNK_BYTES >= r->n || !all.tokens ? all.tokens : all.tokens - 1;
    return gx_come_fits(&r->chunks.come, all);
}

#endif
