/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h -- programs that children have compiled since httpd (re)started, for their siblings
 */
#ifndef GXM_STORE_H
#define GXM_STORE_H

#include <sys/types.h>
#include "module.h"

/* Where a stylesheet's program has its place; ways: 0, or among how many it is looked for by its name. bytes 0: it has
 * none */
typedef struct gxm_place { off_t at; u64 bytes; u32 ways; gxm_sha name; } gxm_place;
/* before the program in its place */
typedef struct gxm_stored { u64 made_us, size; gxm_sha program, name; } gxm_stored;

/* post_config. *fd: kept over restarts; -1: it is made now, and stays so if that fails. */
void gxm_store_start(int *fd);
gxm_place gxm_store_place(u32 n);                   /* a place of its own, for the n-th stylesheet that configurations
                                                       have named */
gxm_place gxm_store_place_by_name(const gxm_sha *name);     /* a smaller one, which others may take */

/* Unless there is a newer one, or it is too large for the place. */
void gxm_store_put(const gxm_place *place, const gxm_version *version);
/* What a sibling made of the stylesheet at path after made_us; NULL: nothing. It counts as stale: its files are not
 * what it was made of. */
gxm_version *gxm_store_get(const gxm_place *place, const char *path, u64 made_us);

#endif
