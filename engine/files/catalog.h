/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalog.h -- XML Catalogs inside the engine: gx.h has how they are named
 */
#ifndef GX_CATALOG_H
#define GX_CATALOG_H

#include "gx.h"

/* What the catalogs have instead of an external identifier (public_id "" where it has a system identifier alone) or,
 * with public_id NULL, of a URI reference: an absolute URI, in pool. NULL: nothing, or there are no catalogs. */
const char *gx_catalog_find(gx_catalog *catalog, apr_pool_t *pool, const char *public_id, const char *uri);
/* The file: URI of an absolute path, in pool. */
char *gx_catalog_uri(apr_pool_t *pool, const char *path);
/* Why a catalog entry file could not be read for now (GX_EBUSY, GX_ENOMEM): what gx_catalog_find says may be wrong.
 * NULL: none such. */
const gx_error *gx_catalog_refused(const gx_catalog *catalog);
/* Tells the path of each catalog entry file that was read, in that order. catalog may be NULL. */
void gx_catalog_files(const gx_catalog *catalog, void (*each)(void *ctx, const char *path), void *ctx);

#endif
