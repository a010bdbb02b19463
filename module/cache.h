/*
 * cache.h -- documents kept by the identity of the file that they were parsed from
 */
#ifndef GXM_CACHE_H
#define GXM_CACHE_H

#include "module.h"

typedef struct gxm_file_key {
    u64 dev, ino;
    gxm_digest options;         /* what of the request changes parsing */
    u64 size;                   /* from here on: the state that the file was in */
    i64 mtime_ns, ctime_ns;
    i64 seen_ns;                /* the wall clock then: no part of the key */
} gxm_file_key;

typedef struct gxm_cached {     /* read only but for resident */
    gx_doc *doc;
    gxm_hash source;            /* of the bytes that were parsed */
    u64 in_bytes;
    u64 resident;               /* atomic: the worker's name for it (gx_queue_request) */
    /* cache.c's */
    gxm_file_key key;
    unsigned refs;
    struct gxm_cached *next, *newer, *older;
} gxm_cached;

/* The brigade is one whole file, unchanged, and its end: fills in all of *key but the options; *fd is open as long as the request. */
int gxm_file_whole(apr_bucket_brigade *bb, gxm_file_key *key, int *fd);
int gxm_file_state(int fd, gxm_file_key *key);
/* is_coded: the bytes are inflated before they are parsed */
gxm_digest gxm_parsing_digest(const gx_parse_options *options, int is_coded);

/* The document, counted, or NULL. */
gxm_cached *gxm_cache_find(const gxm_file_key *key);
/* Keeps a copy of a document that was parsed from fd, whose state before was *key. Returns it, counted; NULL: it is not one to keep. */
gxm_cached *gxm_cache_put(const gxm_file_key *key, int fd, const gx_doc *doc, const gxm_hash *source, u64 in_bytes);
void gxm_cache_release(gxm_cached *cached);     /* NULL is fine */
void gxm_cache_child_init(apr_pool_t *pchild);

#endif
