/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h -- a large document by several threads: each scans a part of its bytes (parts.c)
 */
#ifndef GX_PARTS_H
#define GX_PARTS_H

#include "parser.h"

/* Where the columns and heaps of a document go */
typedef struct gx_columns {
    u32 *label, *parent, *next, *text_off, *text_len;
    u16 *depth;
    char *text, *values;
} gx_columns;

/* May the document be read in parts? n: its bytes, which are all here */
int gx_parts_wanted(const gx_parser *p, size_t n);
/* Reads the document's bytes: as gx_scan_feed of all of them. Parts that have been joined stand in their own parsers
 * until gx_parts_put copies them. */
int gx_parts_read(gx_parser *p, const u8 *s, size_t n);

/* How much stands in other parsers; nothing where parts is NULL or none has been joined */
typedef struct gx_parts_sum { u32 nodes; u64 text, values; } gx_parts_sum;
gx_parts_sum gx_parts_total(const gx_parts *parts);
/* 1: the heaps of what stands there are ASCII */
int gx_parts_are_ascii(const gx_parts *parts);
/* n bytes that are to be copied; memory that is fresh is made ready for them. */
typedef struct gx_copy { void *to; const void *from; size_t n; } gx_copy;
/* The columns of what has been joined go to their place, by the parts' threads. Whichever thread has no more to do
 * takes one of the caller's copies, of which there are n; they stay until the end. Between begin and end the caller
 * makes the name index. */
void gx_parts_put_begin(gx_parts *parts, const gx_columns *to, const gx_copy *copies, u32 n);
/* All has been copied. Returns the greatest depth of the parts. */
u32 gx_parts_put_end(gx_parts *parts);
/* As gx_scan_index, of all parts */
void gx_parts_index(const gx_parser *p, u32 *start, u32 *index);
/* What has been joined is none any more. */
void gx_parts_forget(gx_parts *parts);
/* What documents in parts needed is given back: this one is read by one thread. */
void gx_parts_give_back(gx_parts *parts);
void gx_parts_free(gx_parts *parts);
u64 gx_parts_bytes(const gx_parts *parts);

#endif
