/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ours.h -- is a response for us, and what of the client's request does its handler see?
 */
#ifndef GXM_OURS_H
#define GXM_OURS_H

#include "depend.h"
#include "module.h"

/* ---- before the handler runs ---- */

/* Does the section make pages? */
int gxm_is_active(const gxm_dir *conf);
/* Only documents may name stylesheets (GPUXMLStylesheetPI): no source is kept from anybody, each may go out as it
 * is. */
int gxm_is_by_pi(const gxm_dir *conf);
/* What is asked for is no file that is sent as it is: another server or a program makes the response. */
int gxm_is_made(const request_rec *r);
/* A static file whose type is known before it is read: its conditions and ranges are left to the default handler. */
int gxm_is_other_file(request_rec *r, const gxm_dir *conf);

/* The handler has run: from here on the request's headers are the client's again, also for mod_cache, which asks
 * ap_meets_conditions. The first returns whether any were hidden. */
int gxm_restore_headers(request_rec *r);
/* What a client asks for of the page, and is no affair of a subrequest's: conditions, ranges, encodings */
void gxm_drop_conditions(request_rec *r);
void gxm_restore_codings(request_rec *r);

/* ---- when the response is there ---- */

/* NULL: it is for us. Else why not: a static string that becomes GPUXML_CODE, or one of the two that are errors.
 * *coding: the source's Content-Encoding, NULL: it has none. */
const char *gxm_not_for_us(request_rec *r, const gxm_dir *conf, const char **coding);
extern const char gxm_when_failed[], gxm_is_part[];
/* The Content-Encoding of a response, without what changes nothing; NULL: it has none. */
const char *gxm_coding_of(request_rec *r);
/* Is it a type that GPUXMLTypes names? content_type NULL: no */
int gxm_is_xml_type(apr_pool_t *p, const gxm_dir *conf, const char *content_type);
/* One that we can decode? */
int gxm_is_coding(const char *coding);

/* Before its headers go out: a response that is private says so, and to all caches. Not of subrequests. */
void gxm_put_private(request_rec *r, const gxm_dir *conf);
int gxm_is_private(const request_rec *r, const gxm_dir *conf);

#endif
