/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terms.h -- in which records does a term stand? A store's index
 *
 * A term is a value (the string-value of an element, or of an attribute, with its name) or a word (machine/word.h), as
 * a hash of 32 bits. The index answers with records (records.h); two terms of one hash share theirs, so an answer may
 * have too many and never too few. The engine then evaluates the query over these records, and is exact.
 *
 *   a segment, of the parts uid first .. first + n:
 *     gxs_terms_head | u32[n + 1]: the number of each part's first record | begins: u32[2^bits + 1] | postings
 *                    | gxs_shape[n_shapes] | u8[n_records]: each record's shape, GXS_ANY_SHAPE: not known
 *   a bucket's postings, of the hashes with these upper bits: for each hash, in order, LEB128:
 *     (what it is more than the one before) x 2 + 1, record                   it stands in one record
 *     (what it is more than the one before) x 2, bytes, record, more, ...     in several; these numbers' bytes
 *
 * Values are of at most GXS_VALUE bytes: of longer ones the index knows nothing. Of a word the first GXS_WORD
 * characters count. An element may begin or end within a word of the text as a whole (<b>foo</b>bar): what it has of it
 * is a term, too.
 *
 * A record's shape is which names its nodes have. There are few: books have these fields, or those. So of the records
 * that have an author, articles are told from books.
 */
#ifndef GXS_TERMS_H
#define GXS_TERMS_H

#include "records.h"
#include "store.h"

enum { GXS_VALUE = 200, GXS_WORD = 64 };
enum { GXS_HAS_VALUES = 1, GXS_HAS_WORDS = 2 };

typedef struct gxs_terms_head {
    u32 flags, bits, n_parts, n_records;
    u32 shapes_at, n_shapes; /* shapes_at: in the segment */
    u64 n_words;             /* of the records' text, one that stands there twice counted twice */
} gxs_terms_head;

/* A set of names: two bits each, which others may share */
enum { GXS_ANY_SHAPE = 255 };
typedef struct gxs_shape {
    u64 names[4];
} gxs_shape;
static inline void gxs_shape_add(gxs_shape *s, u32 kind, u32 hash)
{
    const u64 h = (hash ^ (u64)kind << 32) * 0x9e3779b97f4a7c15ull;
    s->names[h >> 62] |= 1ull << (h >> 56 & 63);
    s->names[h >> 54 & 3] |= 1ull << (h >> 48 & 63);
}
static inline int gxs_shape_has(const gxs_shape *s, const gxs_shape *names)
{
    u64 missing = 0;
    for (u32 k = 0; k < 4; k++)
        missing |= names->names[k] & ~s->names[k];
    return !missing;
}

/* The terms' hashes. uri, local: of the element, or attribute */
u32 gxs_value_hash(int is_attribute, const char *uri, u32 uri_len, const char *local, u32 local_len, const char *value,
                   u32 len);
u32 gxs_named_value_hash(int is_attribute, u32 name, const char *value, u32 len); /* name: gx_name_hash of both */
u32 gxs_word_hash(const char *word, u32 len);

/* ---- making ---- */

typedef struct gxs_terms gxs_terms;
gxs_terms *gxs_terms_create(u32 flags); /* NULL: no memory */
void gxs_terms_free(gxs_terms *t);
/* The terms of the next part. GX_ENOMEM. */
gx_status gxs_terms_add(gxs_terms *t, const gx_doc *doc, const gxs_records *records);
u32 gxs_terms_parts(const gxs_terms *t); /* that were added since the last gxs_terms_write */
int gxs_terms_full(const gxs_terms *t);  /* is it time to write them? Memory is 16 bytes a term and record */
/* Appends the segment to out, and forgets its terms. GX_ENOMEM; GX_ELIMIT: one part has too many. */
gx_status gxs_terms_write(gxs_terms *t, gx_buf *out);

/* ---- asking (lookup.c) ---- */

typedef struct gxs_need {
    u32 flag, hash;
} gxs_need; /* flag: which of GXS_HAS_* */

/* What has all the terms asked for, of one segment: parts that have each of them, and records that do */
typedef struct gxs_found_segment {
    u64 first_uid;
    u32 n_uids;
    int all;      /* the segment knows nothing of any of the terms */
    u8 *parts;    /* 1: the part has all */
    u32 *first;   /* the numbers of the parts' first records, and one more */
    u32 *records; /* ascending */
    u32 n_records;
    u64 shapes_at;
    u32 n_shapes, all_records; /* of the segment */
    gxs_shape *shapes;         /* NULL: not looked at */
    u8 *shape;                 /* of each of `records` */
} gxs_found_segment;
typedef struct gxs_found {
    gxs_found_segment *segments;
    u32 n;
} gxs_found;

/* with_shapes: gxs_found_records will be asked for names. GX_EBAD, GX_EIO, GX_ENOMEM. Without needs, all parts and
 * records are found. */
gx_status gxs_find(const gxs_view *v, const gxs_need *needs, u32 n, int with_shapes, gxs_found *found, gx_error *err);
/* Of all segments that know words: records that have the word of this hash, all records, and words of their text */
gx_status gxs_count_word(const gxs_view *v, u32 hash, u64 *with, u64 *records, u64 *words, gx_error *err);
void gxs_found_free(gxs_found *found);
/* Was the part found? Those that no segment knows are. */
int gxs_found_part(const gxs_found *found, u64 uid);
/* Numbers of the part's records that were found and may have these names (NULL: any), counted from its first one, in
 * *records, which is `room`'s; returns 0 if all are to be read */
int gxs_found_records(const gxs_found *found, u64 uid, const gxs_shape *names, gx_buf *room, const u32 **records,
                      u32 *n);

#endif
