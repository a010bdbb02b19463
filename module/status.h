/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.h -- the status page: what its two files share
 */
#ifndef GXM_STATUS_H
#define GXM_STATUS_H

#include "module.h"

/* The state of the server as XML (status.c): *n bytes in pool. */
const char *gxm_status_xml(apr_pool_t *pool, size_t *n);
typedef const char *gxm_status_writer(apr_pool_t *pool, size_t *n);
/* What the writer says, as a page that this module's own stylesheet makes (status_page.c): *n bytes in r's pool; NULL:
 * logged. */
const char *gxm_status_page(request_rec *r, gxm_status_writer *state, size_t *n);

#endif
