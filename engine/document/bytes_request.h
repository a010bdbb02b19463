/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes_request.h -- what a team's parser is asked for (bytes.h)
 */
#ifndef GX_BYTES_REQUEST_H
#define GX_BYTES_REQUEST_H

#include "program/program.h"

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
} gx_bytes_request;

#endif
