/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes_request.h -- what a team's parser is asked for (bytes.h)
 */
#ifndef GX_BYTES_REQUEST_H
#define GX_BYTES_REQUEST_H

#include "program/program.h"

#define GX_CHUNK_BYTES 64u      /* what a member looks at at a time */
#define GX_CHUNK_AHEAD 16u      /* bytes behind it that tell what it opens */
/* Chunks whose turns are known when so many of n bytes are there */
static inline u32 gx_chunks_known(u64 there, u64 n)
{
    return (u32)(there >= n ? (n + GX_CHUNK_BYTES - 1) / GX_CHUNK_BYTES
                     : there < GX_CHUNK_AHEAD ? 0 : (there - GX_CHUNK_AHEAD) / GX_CHUNK_BYTES);
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
    u32 *turns;                 /* of all chunks, each chunk's (bytes_context.h); NULL: not known yet */
} gx_bytes_request;

#endif
