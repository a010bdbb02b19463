/* SPDX-License-Identifier: Apache-2.0 */
/* writer.h -- a writer, as its files share it: writer.c documents, space.c pages, commit.c the catalog */
#ifndef GXS_WRITER_H
#define GXS_WRITER_H

#include <apr_hash.h>
#include <apr_pools.h>
#include "records.h"
#include "store.h"
#include "terms.h"

typedef struct gxs_entry { /* a document of the catalog that is being made */
    gxs_doc doc;
    const char *name, *split, *frames; /* in the writer's pool, as parts */
    gxs_part *parts;
    u32 n_parts;
    int is_long; /* a part has several chunks */
} gxs_entry;

struct gxs_writer {
    int fd;
    const char *path;
    gxs_disk disk;
    apr_pool_t *pool;
    gxs_head head;          /* of the newest generation */
    apr_hash_t *docs;       /* name -> gxs_entry */
    gx_buf segments, frees; /* gxs_segment, gxs_free */
    u64 oldest;             /* generation that a reader may have */
    u64 n_pages, next_uid;
    gxs_entry *open;       /* the document that is being put */
    gx_buf open_parts; /* gxs_part */
    gx_buf frames;     /* the local names of its frames, each behind a blank */
    gxs_records records;
    gx_buf scratch;
    gxs_terms *terms; /* of parts that no segment has yet */
    int is_over;
};

/* Nothing can be committed any more. Both return the status. */
gx_status gxs_writer_failed(gxs_writer *w, const char *what, int number, gx_error *err);
gx_status gxs_writer_no_memory(gxs_writer *w, gx_error *err);
/* n pages that no reader needs: the first that fit, or at the file's end */
u64 gxs_take_pages(gxs_writer *w, u64 n);
/* since: the first generation that does not need them */
void gxs_give_pages(gxs_writer *w, u64 page, u64 n, u64 since);
/* The bytes of w->scratch, with their checksums, in an extent of their own */
gx_status gxs_put_extent(gxs_writer *w, u64 *page, u64 *bytes, u32 *crc, gx_error *err);
/* What the terms of the parts so far are found by */
gx_status gxs_put_segment(gxs_writer *w, gx_error *err);

#endif
