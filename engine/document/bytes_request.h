/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes_request.h -- what a team's parser is asked for (bytes.h)
 */
#ifndef GX_BYTES_REQUEST_H
#define GX_BYTES_REQUEST_H

#include "program/program.h"

#define GX_CHUNK_BYTES 64u      /* what a member looks at at a time */
#define GX_CHUNK_AHEAD 16u      /* bytes behind it that tell what it opens */
#define GX_CHUNK_GROUP 128u     /* chunks that are looked at together when they come */

/* What becomes of a chunk's bytes, a bit each (bytes_context.h): a token begins; an attribute's value is opened; a byte
 * of text; such a byte that is not itself: a reference's '&', whose text takes as many bits, or a carriage return */
typedef struct gx_chunk_marks { u64 starts, opens, texts, odd; } gx_chunk_marks;

/* Columns of chunks: what each has, then what those before it have (an entry more: all). turns, group and state: of
 * those that are looked at as they come: where a chunk, or a group, leads; the state where a group begins (an entry
 * more). found: something is wrong; text is not ASCII */
typedef struct gx_chunks {
    gx_chunk_marks *marks;
    u32 *tokens, *attrs, *text;
    u32 *turns, *group, *state, *found;
} gx_chunks;

GX_FN u32 gx_chunk_groups(u32 n_chunks) { return (n_chunks + GX_CHUNK_GROUP - 1) / GX_CHUNK_GROUP; }

/* The columns for n bytes, at `at`, which is 16-byte aligned; NULL: it is only asked how much they take. found and
 * state[0] are to be zeros. */
static inline u64 gx_chunks_lay(gx_chunks *c, char *at, u64 n)
{
    const u64 chunks = (n + GX_CHUNK_BYTES - 1) / GX_CHUNK_BYTES, groups = chunks / GX_CHUNK_GROUP + 2;
    u32 *words = (u32 *)(void *)(at ? at + chunks * sizeof(gx_chunk_marks) : NULL);
    const u64 size = chunks * sizeof(gx_chunk_marks) + (4 * (chunks + 1) + 2 * groups + 2) * sizeof(u32);
    if (!at)
        return size;
    c->marks = (gx_chunk_marks *)(void *)at;
    c->state = words;
    c->found = words += groups;
    c->group = words += 2;
    c->turns = words += groups;
    c->tokens = words += chunks + 1;
    c->attrs = words += chunks + 1;
    c->text = words + chunks + 1;
    return size;
}

/* Chunks that can be looked at when so many of n bytes are there: whole groups, but for the last */
static inline u32 gx_chunks_known(u64 there, u64 n)
{
    return (u32)(there >= n ? (n + GX_CHUNK_BYTES - 1) / GX_CHUNK_BYTES
                     : there < GX_CHUNK_AHEAD
                     ? 0
                     : (there - GX_CHUNK_AHEAD) / GX_CHUNK_BYTES / GX_CHUNK_GROUP * GX_CHUNK_GROUP);
}

typedef struct gx_bytes_limits { u64 text; u32 depth, nodes, attributes, name; } gx_bytes_limits;

/* What to parse, where to. The same for all members, and nobody writes it. */
typedef struct gx_bytes_request {
    const char *bytes;          /* on a GPU 16-byte aligned */
    u64 n;
    u64 seed;                   /* of the document's hashes */
    const gx_program *spaces;   /* its rules for white space (XSLT 1.0, 3.4); NULL = nothing is stripped */
    const char *base_uri;
    u32 base_uri_len;
    gx_bytes_limits limits;
    char *arena;                /* 16-byte aligned */
    u64 arena_bytes;
    gx_chunks chunks;           /* of all, marked as they came; marks is NULL: nothing is known yet */
} gx_bytes_request;

#endif
