/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crc.c -- CRC-32C (Castagnoli), with the processor's instruction where it has one
 *
 * Cost: 8 bytes in 3 cycles with SSE 4.2, some 8 GB/s; bit by bit without it.
 */
#include <string.h>
#include "store.h"

static u32 crc_plain(u32 crc, const u8 *s, size_t n)
{
    for (; n; n--) {
        crc ^= *s++;
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (0x82f63b78u & (0u - (crc & 1)));
    }
    return crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) static u32 crc_sse(u32 crc, const u8 *s, size_t n)
{
    u64 c = crc, word;
    for (; n >= 8; s += 8, n -= 8) {
        memcpy(&word, s, 8);
        c = __builtin_ia32_crc32di(c, word);
    }
    for (; n; n--)
        c = __builtin_ia32_crc32qi((u32)c, *s++);
    return (u32)c;
}
#endif

u32 gxs_crc(u32 crc, const void *bytes, size_t n)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("sse4.2"))
        return ~crc_sse(~crc, bytes, n);
#endif
    return ~crc_plain(~crc, bytes, n);
}
