/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.h -- profiles in files
 *
 *   # a comment
 *   %namespace dc http://purl.org/dc/elements/1.1/       of the lines that follow, in this file and those it includes
 *   %include more.txt                                    relative to this file
 *   cheap<TAB>//item[price < 10]
 *
 * or, in a file that begins with "<", as XML, where prefixes are those in scope:
 *
 *   <profiles xmlns:dc="..."><include href="more.txt"/><profile id="cheap">//item[price &lt; 10]</profile></profiles>
 *
 * A line that is no profile, an id that is there already, a file that cannot be included: each is told, and left out.
 */
#ifndef GXP_LIST_H
#define GXP_LIST_H

#include <apr_hash.h>
#include "document/buf.h"
#include "match.h"

typedef struct gxp_list {
    apr_pool_t *pool;           /* texts live here */
    const gx_loader *loader;
    const gx_limits *limits;    /* of a file: input */
    void (*wrong)(void *ctx, const gx_error *what);
    void *ctx;
    void (*read)(void *ctx, const char *path);      /* is told of each file; NULL = nobody is */
    gx_param *namespaces;       /* prefix, uri: in scope where the first file begins */
    int n_namespaces;
    gx_buf profiles;            /* gxp_profile */
    u32 n_bad;
    apr_hash_t *ids;
} gxp_list;

void gxp_list_begin(gxp_list *l, apr_pool_t *pool, const gx_loader *loader, const gx_limits *limits);
/* Appends what the file has. GX_EIO: it cannot be read; GX_EXML: it is XML and no list of profiles; GX_ENOMEM. */
gx_status gxp_list_read(gxp_list *l, const char *file, gx_error *err);
/* The same, with these bytes in the file's place; path: as errors and %include have it */
gx_status gxp_list_read_bytes(gxp_list *l, const char *path, const char *bytes, size_t n, gx_error *err);
void gxp_list_free(gxp_list *l);
static inline u32 gxp_list_n(const gxp_list *l) { return GX_BUF_N(&l->profiles, gxp_profile); }
static inline const gxp_profile *gxp_list_at(const gxp_list *l) { return GX_BUF_AT(&l->profiles, gxp_profile); }

#endif
