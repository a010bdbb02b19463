/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uri.h -- references against a base (RFC 3986, 5.2), for URIs and plain paths alike
 */
#ifndef GX_URI_H
#define GX_URI_H

#include <stddef.h>

/* Length of the scheme at the start of s, without the colon; 0 = none. */
size_t gx_uri_scheme(const char *s);
/* ref without a "file:" that no '/' follows: what is relative in spite of its scheme. RFC 3986, 5.2.2, lets a processor
 * ignore the scheme of such a reference when the base has the same one (and all our bases are files). */
const char *gx_uri_reference(const char *ref);
/* base, ref: NUL-terminated, base may be NULL or "" (then the answer is ref). out has room for strlen(base) +
 * strlen(ref) + 2. */
void gx_uri_resolve(const char *base, const char *ref, char *out);
/* Removes "." and ".." segments from the n bytes at path, in place; returns the new length. "/.." is "/"; a relative
 * path keeps the ".." that lead out of it. */
size_t gx_uri_remove_dots(char *path, size_t n);
/* Writes s, and what may not stand in a URI (XML Catalogs, 6.3) as %XX, also those of the characters `also`, to out: of
 * 3 * strlen(s) + 1 bytes. */
void gx_uri_escape(const char *s, const char *also, char *out);
/* Undoes %XX in place; 0, or -1 for a malformed escape or one that stands for NUL. */
int gx_uri_unescape(char *s);

#endif
