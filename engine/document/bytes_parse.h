/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes_parse.h -- the team's parser, all of it (bytes.h)
 */
#ifndef GX_BYTES_PARSE_H
#define GX_BYTES_PARSE_H

#include "bytes_block.h"

/* name="value" at i, behind white space: *value and *len; what is behind it, or 0 */
GX_OP u32 gx_bytes_pseudo(const gx_bytes *b, u32 i, const char *name, u32 name_len, u32 *value, u32 *len)
{
    u32 at = gx_bytes_blanks(b, i);
    if (at == i || !gx_bytes_are(b, at, name, name_len))
        return 0;
    at = gx_bytes_blanks(b, at + name_len);
    if (gx_bytes_at(b, at) != '=')
        return 0;
    at = gx_bytes_blanks(b, at + 1);
    const u32 quote = gx_bytes_at(b, at);
    if (quote != '"' && quote != '\'')
        return 0;
    *value = ++at;
    while (at < b->n && b->s[at] != quote && at - *value < 40)
        at++;
    *len = at - *value;
    return gx_bytes_at(b, at) == quote ? at + 1 : 0;
}

/* b->from: behind a byte order mark and the XML declaration, which may say UTF-8 (XML 1.0, 2.8). Is it another one? */
GX_OP_BIG int gx_bytes_declaration(gx_bytes *b)
{
    u32 at = gx_bytes_are(b, 0, "\xef\xbb\xbf", 3) ? 3 : 0, value, len, next;

    b->from = at;
    if (!gx_bytes_are(b, at, "<?xml", 5) || !gx_bytes_is_blank(gx_bytes_at(b, at + 5)))
        return 0;
    next = gx_bytes_pseudo(b, at + 5, "version", 7, &value, &len);
    if (!next || !(gx_bytes_are(b, value, "1.0", 3) && len == 3))
        return 1;
    at = next;
    next = gx_bytes_pseudo(b, at, "encoding", 8, &value, &len);
    if (next) {
        const char name[] = "utf-8";
        if (len != 5)
            return 1;
        for (u32 i = 0; i < 5; i++)
            if ((b->s[value + i] | (i == 3 || i == 4 ? 0 : 32)) != (u8)name[i])
                return 1;
        at = next;
    }
    next = gx_bytes_pseudo(b, at, "standalone", 10, &value, &len);
    if (next) {
        if (!(len == 3 && gx_bytes_are(b, value, "yes", 3)) && !(len == 2 && gx_bytes_are(b, value, "no", 2)))
            return 1;
        at = next;
    }
    at = gx_bytes_blanks(b, at);
    b->from = at + 2;
    return !gx_bytes_are(b, at, "?>", 2);
}

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
    GX_BYTES_TRY(gx_bytes_places(b));
    GX_BYTES_TRY(gx_bytes_table(b));
    GX_BYTES_TRY(gx_bytes_tokens(b));
    GX_BYTES_TRY(gx_bytes_tree(b));
    GX_BYTES_TRY(gx_bytes_strings(b));
    GX_BYTES_TRY(gx_bytes_scopes(b));
    GX_BYTES_TRY(gx_bytes_labels(b));
    return gx_bytes_write(b);
}

#endif
