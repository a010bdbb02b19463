/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.h -- matching documents of responses and requests with the section's profiles
 */
#ifndef GXM_MATCH_H
#define GXM_MATCH_H

#include "profiles.h"

/* One document's matching: a state of the section's set, and a matcher of it */
typedef struct gxm_matching {
    request_rec *r;
    gxm_profile_set *set;       /* NULL: there is none */
    gxp_matcher *matcher;
    int is_explained;           /* the matcher is asked for reasons: no device has them */
    const u32 *ids;             /* of profiles, until it ends */
    u32 n;
    const char *where;          /* "cpu", "gpu" */
} gxm_matching;

/* GX_EBUSY: the set could not be loaded. Whatever happens, gxm_matching_end follows; it may be called again. */
gx_status gxm_matching_begin(gxm_matching *m, request_rec *r, gx_error *err);
gx_status gxm_matching_run(gxm_matching *m, const gx_doc *doc, const gx_limits *limits, u64 deadline_us,
                           gx_error *err);
void gxm_matching_end(gxm_matching *m);
/* The variables: GPUXML_MATCHES, GPUXML_MATCH_COUNT, GPUXML_MATCH_ENGINE */
void gxm_matching_tell(const gxm_matching *m);

/* A document that comes in a request: its bytes go to a parser */
typedef struct gxm_body {
    request_rec *r;
    gxm_kit *kit;
    gx_limits limits;
    gx_parse_options options;
    u64 n, parse_us;
} gxm_body;

/* Has it a Content-Encoding that nothing takes away? */
int gxm_body_is_coded(const request_rec *r);
/* Has the request a body of a type that GPUXMLTypes names, and that can be read? OK, or a status. */
int gxm_body_type(request_rec *r, const gxm_dir *conf);
gx_status gxm_body_begin(gxm_body *b, request_rec *r, gx_error *err);
gx_status gxm_body_add(gxm_body *b, const char *bytes, size_t n, gx_error *err);
gx_status gxm_body_doc(gxm_body *b, gx_doc **doc, gx_error *err);
void gxm_body_end(gxm_body *b);

int gxm_match_handler(request_rec *r);          /* SetHandler gpuxml-match (matcher.c) */
int gxm_match_early(request_rec *r);            /* hook translate_name */
int gxm_match_fixups(request_rec *r);           /* hook fixups */
void gxm_match_redirected(request_rec *r);      /* post_read_request of an internal redirect */
void gxm_match_register(void);

#endif
