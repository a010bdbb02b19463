/* SPDX-License-Identifier: Apache-2.0 */
/* number.h -- numbers in a store's bytes: LEB128, seven bits a byte, the lowest first; 5 bytes hold 32 bits */
#ifndef GXS_NUMBER_H
#define GXS_NUMBER_H

#include "base.h"

/* Returns what is behind it. The caller has seen to the room. */
static inline char *gxs_number_put(char *to, u64 x)
{
    for (; x >= 128; x >>= 7)
        *to++ = (char)(x | 128);
    *to++ = (char)x;
    return to;
}

/* A number of at most 42 bits from *at on, which moves behind it; one that goes beyond the end, or is longer, is 0 and
 * sets *wrong. */
static inline u64 gxs_number_get(const u8 **at, const u8 *end, int *wrong)
{
    u64 x = 0;
    for (u32 shift = 0; *at < end && shift < 42; shift += 7) {
        const u8 c = *(*at)++;
        x |= (u64)(c & 127) << shift;
        if (c < 128)
            return x;
    }
    *wrong = 1;
    return 0;
}

#endif
