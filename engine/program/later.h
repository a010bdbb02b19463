/* SPDX-License-Identifier: Apache-2.0 */
/*
 * later.h -- which later version a name that XSLT 1.0 does not have belongs to, and which name somebody may have meant
 */
#ifndef GX_LATER_H
#define GX_LATER_H

/* "XSLT 2.0" and the like, static; NULL: of no version that we know. element, attribute: of xsl:*. function: without a
 * prefix. */
const char *gx_later_element(const char *local);
const char *gx_later_attribute(const char *local);
const char *gx_later_function(const char *local);

/* Is one a slip of the pen for the other: a character too much, too little, another one, or two in the wrong order? */
int gx_name_near(const char *a, const char *b);

#endif
