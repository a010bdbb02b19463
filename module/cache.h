/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h -- documents kept by what they were parsed from: a file's identity, or a digest of the bytes
 */
#ifndef GXM_CACHE_H
#define GXM_CACHE_H

#include "module.h"

typedef struct gxm_key {
    int is_file;
    u64 id[2];                  /* a file's device and inode; other bytes' gx_digest, a hint */
    gxm_sha options;            /* what of the request changes parsing */
    u64 size;                   /* from here on: the state that the file was in */
    i64 mtime_ns, ctime_ns;
    gxm_sha sha;                /* of bytes that are no file's */
    i64 seen_ns;                /* the wall clock then: no part of the key */
} gxm_key;

typedef struct gxm_cached {     /* read only but for kept */
    gx_doc *doc;
    gxm_sha source;             /* of the bytes that were parsed */
    u64 in_bytes;
    gx_queue_kept kept;         /* of doc, by the worker: the queue's to write */
    /* cache.c's */
    gxm_key key;
    unsigned refs;
    struct gxm_cached *next, *newer, *older;
} gxm_cached;

/* The brigade is one whole file, unchanged, and its end: fills in all of *key but the options; *fd is open as long as
 * the request. (A file that was replaced since httpd looked at its length: the length is mended, r's Content-Length
 * too.) */
int gxm_file_whole(request_rec *r, apr_bucket_brigade *bb, gxm_key *key, int *fd);
/* Of what of the request changes parsing; is_coded: the bytes are inflated before they are parsed. 0: no memory */
int gxm_parsing_sha(gxm_shaing *h, const gx_parse_options *options, int is_coded, gxm_sha *out);
/* Bytes that are no file's: all of *key but the options and the strong digest. */
void gxm_bytes_key(gxm_key *key, const gx_digesting *bytes);
/* The digest (gx_lanes) of the brigade's bytes into key->sha. 0: they cannot be read. */
int gxm_bytes_sha(gxm_key *key, apr_bucket_brigade *bytes);

/* Were these bytes asked for before, as far as anyone remembers? From now on they were. If not: counted as a miss,
 * nothing to find. */
int gxm_cache_seen(const gxm_key *key);
/* The document, counted, or NULL. */
gxm_cached *gxm_cache_find(const gxm_key *key);
/* Keeps a copy of a document that was parsed from fd, whose state before was *key, or from bytes that *key tells (fd is
 * not looked at). Returns it, counted; NULL: it is not one to keep. */
gxm_cached *gxm_cache_put(const gxm_key *key, int fd, const gx_doc *doc, const gxm_sha *source, u64 in_bytes);
/* A copy that is not in the cache, counted; NULL: no memory. */
gxm_cached *gxm_cache_alone(const gx_doc *doc, const gxm_sha *source, u64 in_bytes);
gxm_cached *gxm_cache_hold(gxm_cached *cached); /* the same, counted once more */
void gxm_cache_release(gxm_cached *cached);     /* NULL is fine */

#endif
