/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.c -- pages that another process makes from their source's bytes (queue/queue.h): which programs have such, and
 * what they are to be declared as
 *
 * That process has no files, no log and no clock of ours, and it writes UTF-8. All of this is known of a program before
 * any document is read.
 */
#include <strings.h>
#include "output.h"
#include "prepared.h"

/* The encoding that xsl:output names, or UTF-8; 0-terminated, in the program or static */
static const char *encoding_of(const gx_program *p)
{
    const gx_output *spec = GX_PROG_TAB(p, gx_output, output);
    return spec->encoding != GX_NONE ? GX_LIT_AT(p, spec->encoding) : "UTF-8";
}

/* NULL: there is nothing prepared */
static const gx_prepared *prepared_of(const gx_program *p)
{
    const gx_prepared *prepared = (const gx_prepared *)(const void *)((const char *)p + p->prepared.off);
    return p->prepared.n < sizeof *prepared || prepared->magic != GX_PREPARED_MAGIC ? NULL : prepared;
}

int gx_page_is_portable(const gx_program *p)
{
    const u32 never = GX_P_HOST | GX_P_XPATH | GX_P_NAMESPACE_AXIS;
    const gx_prepared *prepared = prepared_of(p);
    return !(p->flags & never) && p->output.n && prepared && !prepared->messages
        && strcasecmp(encoding_of(p), "utf-8") == 0;
}

u32 gx_page_method(const gx_program *p)
{
    const gx_prepared *prepared = prepared_of(p);
    return gx_page_is_portable(p) && prepared->page_flags & GX_PP_PAGE ? prepared->method : 0;
}

void gx_page_media(const gx_program *p, u32 method, gx_media *out)
{
    const gx_output *spec = GX_PROG_TAB(p, gx_output, output);
    const int has_type = spec->media_type != GX_NONE;
    out->type = gx_out_media_type(has_type ? GX_LIT_AT(p, spec->media_type) : NULL,
                                  has_type ? GX_LIT(p, spec->media_type).len : 0, method);
    out->charset = encoding_of(p);
    out->method = method;
}
