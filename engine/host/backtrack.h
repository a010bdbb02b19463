/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backtrack.h -- JavaScript's regular expressions where PCRE2 means something else by the same words
 */
#ifndef GX_BACKTRACK_H
#define GX_BACKTRACK_H

#include "javascript.h"

typedef struct gx_backtrack gx_backtrack;

/* Memory and time that a match takes are its owner's. */
typedef struct gx_backtrack_owner {
    void *(*alloc)(size_t n, void *ctx);        /* NULL: there is no more */
    void (*release)(void *piece, void *ctx);
    int (*look)(void *ctx);                     /* now and then during a match; other than 0 ends it */
    void *ctx;
} gx_backtrack_owner;

/* *out is made for the pattern whose tokens these are (javascript.h; `words` are what they point into), if PCRE2 would
 * match it otherwise than JavaScript; else it is NULL. 0, or an error code of PCRE2. */
int gx_backtrack_create(gx_backtrack **out, const gx_backtrack_owner *owner, const gx_js_token *tokens, u32 n,
                        const char *words, int flags);
void gx_backtrack_free(gx_backtrack *b);
/* How many groups there are, the match itself being one */
u32 gx_backtrack_groups(const gx_backtrack *b);
/* Whether a match begins at s[at], a character's first byte. 1: *groups are pairs of offsets, PCRE2_UNSET for those
 * that took no part, until the next match. Else an error code of PCRE2: PCRE2_ERROR_NOMATCH;
 * PCRE2_ERROR_MATCHLIMIT after `limit` choices; PCRE2_ERROR_HEAPLIMIT, PCRE2_ERROR_NOMEMORY; PCRE2_ERROR_CALLOUT where
 * look() ended it. */
int gx_backtrack_match(gx_backtrack *b, const char *s, u32 n, u32 at, u32 limit, const size_t **groups);

#endif
