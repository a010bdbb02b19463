/*
 * javascript.h -- JavaScript's regular expressions in PCRE2's words
 */
#ifndef GX_JAVASCRIPT_H
#define GX_JAVASCRIPT_H

#include "document/buf.h"

enum { GX_JS_GLOBAL = 1, GX_JS_NOCASE = 2, GX_JS_LINES = 4, GX_JS_DOT_ALL = 8, GX_JS_UNICODE = 16, GX_JS_STICKY = 32 };

/* The flags g, i, m, s, u, y and d (which changes nothing here), each once; -1: they are none. */
int gx_javascript_flags(const char *s, u32 n);
/* Appends to out what PCRE2 is to compile for the pattern, which is UTF-8. NULL, or a static sentence what is wrong at byte *at. */
const char *gx_javascript_pattern(const char *s, u32 n, int flags, gx_buf *out, u32 *at);
/* The number of the group with this name, 0 if there is none; name NULL: of any name. */
u32 gx_javascript_group(const char *s, u32 n, const char *name, u32 len);

#endif
