/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha256.h -- SHA-256 of a block: its name in shared memory, which a process that was taken over cannot give to another
 * block
 */
#ifndef GX_SHA256_H
#define GX_SHA256_H

#include <stddef.h>
#include "../engine/base.h"

typedef struct gx_sha256 { u64 word[4]; } gx_sha256;    /* the digest's 32 bytes in their order; word[0]: a key for
                                                           tables */

gx_sha256 gx_sha256_of(const void *bytes, size_t n);
/* The same without the processor's instructions for it */
gx_sha256 gx_sha256_plain(const void *bytes, size_t n);

static inline int gx_sha256_is_same(const gx_sha256 *a, const gx_sha256 *b)
{
    return ((a->word[0] ^ b->word[0]) | (a->word[1] ^ b->word[1]) | (a->word[2] ^ b->word[2])
            | (a->word[3] ^ b->word[3])) == 0;
}

#endif
