/* SPDX-License-Identifier: Apache-2.0 */
/*
 * results.h -- GPUXMLResultCache: pages in an object cache of httpd's, for all children, or for several hosts
 */
#ifndef GXM_RESULTS_H
#define GXM_RESULTS_H

#include "module.h"

/* The directive's provider ("shmcb:path(bytes)") or option ("max=64K"); NULL, or what is wrong. */
const char *gxm_results_set(cmd_parms *cmd, const char *text);
void gxm_results_reset(apr_pool_t *pconf);      /* pre_config */
/* post_config: OK, or an error that is logged. */
int gxm_results_start(apr_pool_t *pconf, server_rec *s);
void gxm_results_child_init(apr_pool_t *pchild, server_rec *s);
/* Is there a cache? */
int gxm_results_are_kept(void);
/* Looks for the page with this ETag. 1: its bytes, *n of them, are added to bb, *type is its Content-Type (of the
 * request's pool). 0: it is not there, or the cache cannot be asked; then nothing has changed. */
int gxm_result_find(request_rec *r, const char *etag, apr_bucket_brigade *bb, u64 *n, const char **type);
/* Keeps the page: the n bytes of bb's data buckets, which stay the caller's. */
void gxm_result_keep(request_rec *r, const char *etag, apr_bucket_brigade *bb, u64 n, const char *type);

#endif
