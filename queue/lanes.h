/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes.h -- a digest of long texts that is as hard to forge as SHA-256 and takes a fifth of its time, or a sixth where
 * the processor has no instructions for SHA-256
 *
 *   bytes:   turn 0 | turn 1 | ... | turn k | rest                          a turn is 16 rows of 16 words of 32 bits
 *
 *              lane 0   lane 1   ...  lane 15
 *   row  0     word 0   word 1   ...  word 15                               a column is a lane's block of 64 bytes
 *   row  1     word 16  word 17  ...  word 31
 *   ...
 *
 *   lanes:   each takes its blocks by BLAKE3's compression function, whose last inputs are the turn's number, 64, and
 *            the lane's number. A rest counts as a turn that is filled with zeros
 *   digest:  SHA-256(states of the lanes, the number of bytes)
 *
 * So two texts of one digest have one length and collide in SHA-256 itself, or in a lane.
 */
#ifndef GX_LANES_H
#define GX_LANES_H

#include "sha256.h"

enum { GX_LANES = 16, GX_LANES_TURN = GX_LANES * 64 };
typedef struct gx_lanes {
    u32 state[8][GX_LANES];     /* word by word */
    u64 n;                      /* bytes so far; those behind the last whole turn are in rest */
    u8 rest[GX_LANES_TURN];
    int without;                /* bits of what the processor is not asked for, to be tried by tests: 2, AVX2; 4,
                                   AVX-512 */
} gx_lanes;

void gx_lanes_begin(gx_lanes *l);
void gx_lanes_add(gx_lanes *l, const void *bytes, size_t n);
gx_sha256 gx_lanes_end(gx_lanes *l);

#endif
