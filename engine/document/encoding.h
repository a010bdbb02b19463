/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encoding.h -- which encoding are these bytes in
 *
 * Expat decodes UTF-8, US-ASCII and ISO-8859-1 itself; everything else goes through iconv to UTF-8. The
 * scanner takes UTF-8 and US-ASCII, so ISO-8859-1 is converted for it, by gx_encoding_latin_1.
 */
#ifndef GX_ENCODING_H
#define GX_ENCODING_H

#include <iconv.h>
#include <stddef.h>
#include "base.h"

#define GX_ENCODING_BYTES 48            /* an encoding's name, with its NUL */

/* The encoding of a document or entity, by its first n bytes (all there are, or 1 KiB at least); NULL = nothing says,
 * so UTF-8. Points to a constant, to charset or to declared. *skip: bytes of a byte order mark that iconv must not see.
 * */
const char *gx_encoding_choose(const char *bytes, size_t n, const char *charset, char declared[GX_ENCODING_BYTES],
                               size_t *skip);
/* Expat's own name for an encoding that it decodes itself; NULL for others. */
const char *gx_encoding_own(const char *name);
/* n bytes of ISO-8859-1 as UTF-8, at most twice as many; returns how many. */
size_t gx_encoding_latin_1(char *to, const char *from, size_t n);
/* From `name` to UTF-8; (iconv_t)-1 if iconv does not know it. */
iconv_t gx_encoding_open(const char *name);

#endif
