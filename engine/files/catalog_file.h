/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalog_file.h -- a catalog and its entry files: what look-ups (catalog.c) and the reader (catalog_read.c) share
 *
 * Look-ups stand below load.c, which asks them; the reader stands above the parser, which loads files. So look-ups call
 * the reader through the catalog.
 */
#ifndef GX_CATALOG_FILE_H
#define GX_CATALOG_FILE_H

#include <apr_hash.h>
#include <apr_tables.h>
#include "catalog.h"

enum part { SYSTEM, PUBLIC, URI, N_PARTS, NEXT = N_PARTS }; /* of a name, in the order in which they are asked for */
enum how { SAME, START, END, DELEGATE, N_HOW };                 /* likewise */

typedef struct gx_catalog_entry {
    u8 part, how;
    u8 prefers_system;          /* a public identifier counts only where there is no system identifier */
    const char *match;          /* normalised */
    size_t n;                   /* its length */
    const char *to;             /* absolute URI */
} gx_catalog_entry;

typedef struct gx_catalog_file {
    apr_array_header_t *entries;        /* gx_catalog_entry; NULL: it cannot be used */
    u64 seen;                           /* number of the list that it was last looked through in */
} gx_catalog_file;

struct gx_catalog {
    apr_pool_t *pool;
    apr_array_header_t *named;          /* const char *: URIs */
    apr_hash_t *files;                  /* by URI */
    apr_array_header_t *read;           /* const char *: paths */
    u64 lists;                          /* lists of files that have been walked along */
    void (*read_file)(gx_catalog *c, const char *uri, gx_catalog_file *f);      /* catalog_read.c */
    void (*warning)(void *ctx, const gx_error *what);
    void *warning_ctx;
    gx_error refused;                   /* gx_catalog_refused; status GX_OK: none */
};

/* Percent-escaped as URIs in entries are compared (6.3), and also the characters `also`; in pool */
char *gx_catalog_escape(apr_pool_t *pool, const char *s, const char *also);
/* White space in a public identifier: one space within, none around (6.2). In pool */
char *gx_catalog_public(apr_pool_t *pool, const char *s);
/* The file with that URI, read if it was not; NULL: there are too many. */
gx_catalog_file *gx_catalog_get(gx_catalog *c, const char *uri);
void gx_catalog_warn(const gx_catalog *c, const gx_error *what);

#endif
