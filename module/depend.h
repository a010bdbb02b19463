/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depend.h -- what we keep of a request, and what its response depends on
 */
#ifndef GXM_DEPEND_H
#define GXM_DEPEND_H

#include "expr.h"
#include "module.h"

/* Of each request in whose chain we are. */
typedef struct gxm_state {
    int is_taken;               /* one of our filters has the response: the first in the chain */
    int had_local_copy;         /* r->no_local_copy was set by us, not by somebody before */
    apr_table_t *held;          /* the client's headers that are hidden from the handler; NULL: none */
    const char *codings;        /* the client's Accept-Encoding, where a back end sees another one; NULL: it does not */
    const char *hidden;         /* the response depends on this, which no cache sees; NULL: on nothing such */
    /* for an error of ours */
    const char *vary;
    int is_busy;                /* there was no room: Retry-After */
    const char *why;            /* GPUXMLDebug headers; else NULL */
} gxm_state;

gxm_state *gxm_state_if_any(const request_rec *r);      /* NULL: our filter is not in its chain */
gxm_state *gxm_state_of(request_rec *r);

/* The response depends on what an expression reads: vary, the headers that httpd met (with commas; NULL: none), and
 * those that set variables join Vary; by what no cache sees it becomes private. So do the pages that it is a part of.
 * */
void gxm_depend(request_rec *r, const gxm_reads *reads, const char *vary);
void gxm_vary_by(request_rec *r, const char *header);
/* It depends on what a variable says, if it is there (gxm_reads.env). */
void gxm_depend_on_variable(request_rec *r, const char *name);

#endif
