/* SPDX-License-Identifier: Apache-2.0 */
/*
 * javascript.h -- JavaScript's regular expressions in PCRE2's words
 */
#ifndef GX_JAVASCRIPT_H
#define GX_JAVASCRIPT_H

#include "document/buf.h"

enum { GX_JS_GLOBAL = 1, GX_JS_NOCASE = 2, GX_JS_LINES = 4, GX_JS_DOT_ALL = 8, GX_JS_UNICODE = 16, GX_JS_STICKY = 32 };

/* The flags g, i, m, s, u, y and d (which changes nothing here), each once; -1: they are none. */
int gx_javascript_flags(const char *s, u32 n);

/* What a pattern consists of */
enum { GX_JS_CHARACTER, GX_JS_REFERENCE, GX_JS_PLACE, GX_JS_OPEN, GX_JS_CLOSE, GX_JS_OR, GX_JS_REPEAT };
enum { GX_JS_GROUP, GX_JS_CAPTURE, GX_JS_AHEAD, GX_JS_NOT_AHEAD, GX_JS_BEHIND, GX_JS_NOT_BEHIND };
typedef struct gx_js_token {
    u8 kind, lazy;
    u32 a, b;           /* CHARACTER: from, to in PCRE2's words; REFERENCE: the group; PLACE: '^', '$', 'b' or 'B';
                           OPEN: the kind of group; REPEAT: least, most (~0: without end) */
} gx_js_token;

/* Appends to out what PCRE2 is to compile for the pattern, which is UTF-8, and to tokens its tokens. NULL, or a static
 * sentence what is wrong at byte *at. */
const char *gx_javascript_pattern(const char *s, u32 n, int flags, gx_buf *out, gx_buf *tokens, u32 *at);
/* PCRE2 takes these two characters for the same but for case, and JavaScript does not. */
int gx_javascript_differs(u32 a, u32 b);
/* The number of the group with this name, 0 if there is none; name NULL: of any name. */
u32 gx_javascript_group(const char *s, u32 n, const char *name, u32 len);

#endif
