/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terms.h -- in which parts does a term stand? A store's index
 *
 * A term is a value (the string-value of an element, or of an attribute, with its name) or a word (machine/word.h), as
 * a hash of 32 bits. The index answers with parts; two terms of one hash share their parts, so an answer may have too
 * many and never too few. The engine then evaluates the query over these parts, and is exact.
 *
 *   a segment, of the parts uid first .. first + n:
 *     gxs_terms_head | begins: u32[2^bits + 1] | postings
 *   a bucket's postings, of the hashes with these upper bits: for each hash, in order, LEB128:
 *     (what it is more than the one before) x 2 + 1, part            it stands in one part
 *     (what it is more than the one before) x 2, n, part, more, ...  in n
 *
 * Values are of at most GXS_VALUE bytes: of longer ones the index knows nothing. Of a word the first GXS_WORD
 * characters count. An element may begin or end within a word of the text as a whole (<b>foo</b>bar): what it has of it
 * is a term, too.
 */
#ifndef GXS_TERMS_H
#define GXS_TERMS_H

#include "store.h"

enum { GXS_VALUE = 200, GXS_WORD = 64 };
enum { GXS_HAS_VALUES = 1, GXS_HAS_WORDS = 2 };

typedef struct gxs_terms_head {
    u32 flags, bits, n_parts, reserved;
} gxs_terms_head;

/* The terms' hashes. uri, local: of the element, or attribute */
u32 gxs_value_hash(int is_attribute, const char *uri, u32 uri_len, const char *local, u32 local_len, const char *value,
                   u32 len);
u32 gxs_word_hash(const char *word, u32 len);

/* ---- making ---- */

typedef struct gxs_terms gxs_terms;
gxs_terms *gxs_terms_create(u32 flags); /* NULL: no memory */
void gxs_terms_free(gxs_terms *t);
/* The terms of the next part. GX_ENOMEM. */
gx_status gxs_terms_add(gxs_terms *t, const gx_doc *doc);
u32 gxs_terms_parts(const gxs_terms *t); /* that were added since the last gxs_terms_write */
int gxs_terms_full(const gxs_terms *t);  /* is it time to write them? Memory is 16 bytes a term and part */
/* Appends the segment to out, and forgets its terms. GX_ENOMEM. */
gx_status gxs_terms_write(gxs_terms *t, gx_buf *out);

/* ---- asking ---- */

/* Which parts may have all the terms asked for: a bit a uid from `first` on. Zeros to begin with, then gxs_parts_all.
 */
typedef struct gxs_parts {
    u64 *bits, first, n;
} gxs_parts;
gx_status gxs_parts_all(const gxs_view *v, gxs_parts *parts, gx_error *err);
void gxs_parts_free(gxs_parts *parts);
static inline int gxs_parts_has(const gxs_parts *p, u64 uid)
{
    return uid < p->first || uid - p->first >= p->n || p->bits[(uid - p->first) / 64] >> (uid - p->first) % 64 & 1;
}
/* Keeps those that have the term too; flag: which of GXS_HAS_*. Parts that no segment knows are kept. GX_EBAD, GX_EIO,
 * GX_ENOMEM. */
gx_status gxs_parts_with(const gxs_view *v, u32 flag, u32 hash, gxs_parts *parts, gx_error *err);

#endif
