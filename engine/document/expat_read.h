/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expat_read.h -- Expat reads a document (expat_read.c)
 */
#ifndef GX_EXPAT_READ_H
#define GX_EXPAT_READ_H

#include "parser.h"

#define GX_EXPAT_BYTES (1u << 30)  /* Expat counts in int */

/* p->expat is made, or -1. */
int gx_expat_create(gx_parser *p);
void gx_expat_free(gx_parser *p);
/* Expat is not wanted any more. Where it has kept much, such as all that stands behind the declaration at which it
 * stopped, it is made anew. */
void gx_expat_forget(gx_parser *p);
/* This thread's Expat is p's from here on: what it allocates counts as p's. */
void gx_expat_enter(gx_parser *p);
/* From here on Expat reads the document. */
gx_status gx_expat_begin(gx_parser *p);
/* n more bytes, the last with `final`. GX_OK with p->switch_at: the document type declaration ends there. */
gx_status gx_expat_run(gx_parser *p, const char *bytes, size_t n, int final);

#endif
