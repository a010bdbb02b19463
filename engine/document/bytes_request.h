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
#define GX_BYTES_STRINGS 4096u  /* slots of the tables of names and namespaces, and of labels, at most; half of them may
                                   be taken */

/* What becomes of a chunk's bytes, a bit each (bytes_context.h): a token begins; an attribute's value is opened; a byte
 * of text; such a byte that is not itself: a reference's '&', whose text takes as many bits, or a carriage return */
typedef struct gx_chunk_marks { u64 starts, opens, texts, odd; } gx_chunk_marks;

typedef struct gx_chunk_counts { u32 tokens, attrs, text; } gx_chunk_counts;

/* Tokens that are read as they come, and the strings that they have: columns of gx_bytes (bytes.h), for `most` tokens
 * and as many attributes. A document that has more is read again when it is there. */
typedef struct gx_come {
    u32 most;
    u32 *at, *text, *first_attr, *end, *name, *name_len, *node, *value, *depth;
    u32 *attr_name, *attr_len, *attr_value, *attr_size, *attr_uri;
    u8 *kind;
    u64 *strings, *strings_first;       /* GX_BYTES_STRINGS */
} gx_come;
#define GX_COME_COLUMNS 14u     /* of u32 */
#define GX_COME_TOKEN_BYTES 16u /* of a source that has as many tokens as there is room for */

/* Columns of chunks: what each has, then what those before it have (an entry more: all) */
typedef struct gx_chunks {
    gx_chunk_marks *marks;
    u32 *tokens, *attrs, *text;
    u32 *turns;                 /* where a chunk leads; then where those before it do */
} gx_chunks;

/* Chunks that are looked at as they come. group, counts, state and before: where a group leads; what it has; the state
 * where one begins (an entry more), and what is before it (of the first of a piece; and behind all). found: something
 * is wrong; text is not ASCII */
typedef struct gx_coming {
    gx_chunks all;
    u32 *group, *state, *found;
    gx_chunk_counts *counts, *before;
    gx_come come;
} gx_coming;

GX_FN u32 gx_chunk_groups(u32 n_chunks) { return (n_chunks + GX_CHUNK_GROUP - 1) / GX_CHUNK_GROUP; }

/* The columns for n bytes and `most` tokens (0: none is read), at `at`, which is 16-byte aligned; NULL: it is only
 * asked how much they take. found, state[0], before[0] and strings are to be zeros, strings_first ones. */
static inline u64 gx_chunks_lay(gx_coming *c, char *at, u64 n, u32 most)
{
    const u64 chunks = (n + GX_CHUNK_BYTES - 1) / GX_CHUNK_BYTES, groups = chunks / GX_CHUNK_GROUP + 2,
              column = (most + 4ull) & ~3ull;
    const u64 words = 8 + 5 * groups + 3 * groups + 4 * (chunks + 1) + GX_COME_COLUMNS * column + column / 4;
    u64 tables = 2 * GX_BYTES_STRINGS * sizeof(u64), marks = chunks * sizeof(gx_chunk_marks);

    tables = most ? tables : 0;
    if (!at)
        return tables + marks + words * sizeof(u32);
    c->come.strings = (u64 *)(void *)at;
    c->come.strings_first = c->come.strings + GX_BYTES_STRINGS;
    c->all.marks = (gx_chunk_marks *)(void *)(at + tables);
    u32 *w = (u32 *)(void *)(at + tables + marks);
    c->found = w;
    c->state = w += 2;
    c->before = (gx_chunk_counts *)(void *)(w += groups);
    c->counts = (gx_chunk_counts *)(void *)(w += 3 * groups);
    c->group = w += 3 * groups;
    c->all.turns = w += groups;
    c->all.tokens = w += chunks + 1;
    c->all.attrs = w += chunks + 1;
    c->all.text = w += chunks + 1;
    w += chunks + 1;
    u32 **const columns[] = { &c->come.at, &c->come.text, &c->come.first_attr, &c->come.end, &c->come.name,
                              &c->come.name_len, &c->come.node, &c->come.value, &c->come.depth, &c->come.attr_name,
                              &c->come.attr_len, &c->come.attr_value, &c->come.attr_size, &c->come.attr_uri };
    for (u32 i = 0; i < GX_COME_COLUMNS; i++, w += column)
        *columns[i] = w;
    c->come.kind = (u8 *)w;
    c->come.most = most;
    return tables + marks + words * sizeof(u32);
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
    gx_coming chunks;           /* of all, looked at as they came; all.marks is NULL: nothing is known yet */
} gx_bytes_request;

#endif
