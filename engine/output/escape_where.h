/* SPDX-License-Identifier: Apache-2.0 */
/* escape_where.h -- where escaped text stands: writer.h, page_value.h */
#ifndef GX_ESCAPE_WHERE_H
#define GX_ESCAPE_WHERE_H

enum { GX_ESC_TEXT = 0, GX_ESC_ATTR, GX_ESC_HTML_ATTR, GX_ESC_HTML_URI };

#endif
