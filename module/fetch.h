/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fetch.h -- what document() asks this server for
 */
#ifndef GXM_FETCH_H
#define GXM_FETCH_H

#include "module.h"

/* "http://host:port" of the request, as its client knows it; in pool */
const char *gxm_site(const request_rec *r, apr_pool_t *pool);
/* gx_loader.fetch; ctx: the request whose page asks */
gx_status gxm_fetch(void *ctx, apr_pool_t *pool, const char *uri, const gx_limits *limits, const char **bytes,
                    size_t *n, const char **charset, gx_error *err);
void gxm_fetch_register(void);

#endif
