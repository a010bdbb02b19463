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

/*
 * A digest that is as hard to forge as SHA-256 and takes 0.6 of its time (0.3 where the processor has
 * no instructions for it): eight lanes of it at once.
 *
 *   bytes:   block 0 | block 1 | ... | block 7 | block 8 | ...             of 64 bytes
 *   lanes:      0         1               7         0
 *   digest:  SHA-256(states of the lanes, the bytes behind the last whole turn, how many bytes there are)
 *
 * The count says how many blocks each lane has had, so lanes need no end of their own: two texts of one digest are two
 * of one length that collide in SHA-256 itself, or in a lane.
 */
enum { GX_LANES = 8, GX_LANES_TURN = GX_LANES * 64 };
typedef struct gx_lanes {
    u32 state[8][GX_LANES];     /* word by word */
    u64 n;                      /* bytes so far; those behind the last whole turn are in rest */
    u8 rest[GX_LANES_TURN];
    int without;                /* bits of what the processor is not asked for, to be tried by tests: 2, its
                                   instructions for SHA-256; 4, AVX2; 8, AVX-512 */
} gx_lanes;

void gx_lanes_begin(gx_lanes *l);
void gx_lanes_add(gx_lanes *l, const void *bytes, size_t n);
gx_sha256 gx_lanes_end(const gx_lanes *l);

static inline int gx_sha256_is_same(const gx_sha256 *a, const gx_sha256 *b)
{
    return ((a->word[0] ^ b->word[0]) | (a->word[1] ^ b->word[1]) | (a->word[2] ^ b->word[2])
            | (a->word[3] ^ b->word[3])) == 0;
}

#endif
