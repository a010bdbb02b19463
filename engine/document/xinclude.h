/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xinclude.h -- XInclude 1.0
 */
#ifndef GX_XINCLUDE_H
#define GX_XINCLUDE_H

#include "gx.h"

/* Has the document an xi:include? */
int gx_xinclude_wanted(const gx_doc *doc);

#endif
