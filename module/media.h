/* SPDX-License-Identifier: Apache-2.0 */
/*
 * media.h -- media types as headers have them (RFC 9110, 8.3.1)
 */
#ifndef GXM_MEDIA_H
#define GXM_MEDIA_H

#include <apr_pools.h>
#include <apr_tables.h>

typedef struct gxm_media_param {
    const char *name;           /* as written; NULL: nothing stands between two semicolons */
    const char *value;          /* without its quotes and what they escape */
    const char *written;        /* the value as it was written, quotes included */
} gxm_media_param;

typedef struct gxm_media_type {
    const char *type;           /* type/subtype, as written */
    apr_array_header_t *params; /* gxm_media_param, each with a name */
} gxm_media_type;

/* NULL, or why text is no media type: a sentence's end. *out is complete only on success; all strings are p's. */
const char *gxm_media_parse(apr_pool_t *p, const char *text, gxm_media_type *out);
/* want: a type, or a suffix with its plus ("+xml"). With parameters it is only such types that have all of these. */
int gxm_media_is(apr_pool_t *p, const char *content_type, const char *want);
/* The charset that a Content-Type has; NULL: it names none. Senders write much that is no media type; what can be read
 * of it is. */
const char *gxm_charset_of(apr_pool_t *p, const char *content_type);
/* A Content-Type of type, whose own charset (people write "text/html; charset=utf-8") gives way to charset, if that is
 * not NULL. NULL: one of the two cannot stand in a header. */
const char *gxm_content_type(apr_pool_t *p, const char *type, const char *charset);

#endif
