/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha.h -- SHA-256, for what is trusted to be the same because its digest is: bytes that a stranger may have chosen
 *
 * A gx_digest is for hints and accidents only: whoever knows how it is made finds two texts with the same one at once.
 */
#ifndef GXM_SHA_H
#define GXM_SHA_H

#include "document/buf.h"
#include "../queue/lanes.h"             /* of long texts that come in pieces */
#include "../queue/sha256.h"            /* of bytes in one piece: gx_sha256_of; gx_sha256_is_same */

typedef gx_sha256 gxm_sha;

/* One digest at a time, again and again. All zeros: nothing is held yet. */
typedef struct gxm_shaing {
    gx_buf text;                /* what was added */
    int is_bad;
} gxm_shaing;

void gxm_sha_begin(gxm_shaing *h);
void gxm_sha_add(gxm_shaing *h, const void *bytes, size_t n);
/* A string with its length, so that "ab","c" and "a","bc" differ. NULL and "" are the same. */
void gxm_sha_str(gxm_shaing *h, const char *s);
/* 0: no memory, since begin. *out is all zeros then. */
int gxm_sha_end(gxm_shaing *h, gxm_sha *out);
void gxm_sha_free(gxm_shaing *h);               /* what it holds; all zeros again */

#endif
