/* SPDX-License-Identifier: Apache-2.0 */
/* expat_at.h -- where Expat's parser stands: by the names of 2.9.0, which deprecates the older ones */
#ifndef GX_EXPAT_AT_H
#define GX_EXPAT_AT_H

#include <expat.h>
#include "base.h"

#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
static inline i64 gx_expat_byte(XML_Parser p) { return XML_GetCurrentByteIndex64(p); }
static inline u64 gx_expat_line(XML_Parser p) { return XML_GetCurrentLineNumber64(p); }
static inline u64 gx_expat_column(XML_Parser p) { return XML_GetCurrentColumnNumber64(p); }
static inline int gx_expat_count(XML_Parser p) { return (int)XML_GetCurrentByteCount64(p); }
/* Input comes in pieces of less than 2 GiB */
static inline const char *gx_expat_context(XML_Parser p, int *offset, int *size)
{
    int64_t at = 0;
    uint64_t n = 0;
    const char *bytes = XML_GetInputContext64(p, &at, &n);
    *offset = (int)at;
    *size = (int)n;
    return bytes;
}
#else
static inline i64 gx_expat_byte(XML_Parser p) { return XML_GetCurrentByteIndex(p); }
static inline u64 gx_expat_line(XML_Parser p) { return XML_GetCurrentLineNumber(p); }
static inline u64 gx_expat_column(XML_Parser p) { return XML_GetCurrentColumnNumber(p); }
static inline int gx_expat_count(XML_Parser p) { return XML_GetCurrentByteCount(p); }
static inline const char *gx_expat_context(XML_Parser p, int *offset, int *size)
{
    return XML_GetInputContext(p, offset, size);
}
#endif

#endif
