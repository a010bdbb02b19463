/* SPDX-License-Identifier: Apache-2.0 */
/*
 * beside.h -- files beside the result (exsl:document, xsl:document of XSLT 1.1, redirect:write): what their attributes
 * say
 *
 *   serialize.c: GX_I_MESSAGE with GX_IF_DOCUMENT --> a gx_out that collects the attributes of an element
 *   --gx_beside_create--> the same gx_out, opened anew for the content --> bytes --> gx_serialize_options.document
 */
#ifndef GX_BESIDE_H
#define GX_BESIDE_H

#include "document/buf.h"
#include "output.h"

typedef struct gx_beside {
    char *href;                 /* resolved against that of the file around it */
    gx_output spec;             /* strings: indexes of `strings`; but of redirect:write the program's own */
    const char *strings[5];     /* version, encoding, doctype-public, doctype-system, media-type; NULL: not given */
    int is_own;                 /* spec and strings hold; else it is written as the program's xsl:output says */
    gx_outname *cdata_names;
    gx_buf bytes;               /* of the file */
    gx_buf text;                /* the attributes' values */
} gx_beside;

/* What the attributes of the element that is open in o say. list: the namespaces that resolve prefixes; around: href of
 * the file around it, or NULL. On failure *why is a sentence (GX_EDYNAMIC), or NULL: no memory. */
gx_beside *gx_beside_create(const gx_out *o, u32 list, const char *around, const char **why);
void gx_beside_free(gx_beside *b);

#endif
