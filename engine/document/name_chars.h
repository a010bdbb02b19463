/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_chars.h -- the characters of names (XML 1.0, fifth edition, 2.3), but for the colon, which namespaces took away
 */
#ifndef GX_NAME_CHARS_H
#define GX_NAME_CHARS_H

#include "base.h"

GX_FN int gx_is_name_start(u32 c)
{
    if (c < 0xc0)
        return (c | 32) - 'a' < 26u || c == '_';
    if (c < 0x2000)
        return c != 0xd7 && c != 0xf7 && (c < 0x300 || c > 0x36f) && c != 0x37e;
    return c - 0x200c < 2u || (c >= 0x2070 && c <= 0x218f) || (c >= 0x2c00 && c <= 0x2fef)
        || (c >= 0x3001 && c <= 0xd7ff) || (c >= 0xf900 && c <= 0xfdcf) || (c >= 0xfdf0 && c <= 0xfffd)
        || (c >= 0x10000 && c <= 0xeffff);
}
GX_FN int gx_is_name_char(u32 c)
{
    return gx_is_name_start(c) || c == '-' || c == '.' || c - '0' < 10u || c == 0xb7 || (c >= 0x300 && c <= 0x36f)
        || c == 0x203f || c == 0x2040;
}

#endif
