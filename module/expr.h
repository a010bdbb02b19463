/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr.h -- httpd's expressions in our directives, and what a page that reads one depends on
 */
#ifndef GXM_EXPR_H
#define GXM_EXPR_H

#include <httpd.h>
#include <http_config.h>
#include <ap_expr.h>

/* What a value depends on beside the URL, the method and the configuration. NULLs: on nothing. */
typedef struct gxm_reads {
    const char *hidden;         /* the first thing that no cache sees: an address, a user, ...; for the log */
    apr_array_header_t *env;    /* const char *: names of environment variables */
    apr_array_header_t *headers;        /* const char *: request headers; not of env */
    int has_computed;           /* headers whose names are computed: evaluating tells which */
} gxm_reads;

typedef struct gxm_expr {
    ap_expr_info_t *info;
    gxm_reads reads;
} gxm_expr;

/* As ap_expr_parse_cmd. NULL: *err says why. */
gxm_expr *gxm_expr_parse(cmd_parms *cmd, const char *text, unsigned flags, const char **err);
/* What it gives; *err afterwards: why it could not be evaluated, or NULL. The response depends on what it reads then
 * (gxm_depend). */
const char *gxm_expr_string(request_rec *r, const gxm_expr *expr, const char **err);
int gxm_expr_is_true(request_rec *r, const gxm_expr *expr, const char **err);
/* Is it surely false? The response does not depend on it for that: it is asked again. */
int gxm_expr_is_false_now(request_rec *r, const gxm_expr *expr);

/* check_config, when ap_conftree is complete: where the variables come from that expressions and we read (origin.c). */
void gxm_origins_find(apr_pool_t *pconf, apr_pool_t *ptemp);
/* Whether requests may set the variable at all: not only SetEnv. *hidden, *headers: as in gxm_reads. */
int gxm_origin_of(const char *variable, const char **hidden, const apr_array_header_t **headers);
/* The variable is to be looked for. */
void gxm_origin_want(apr_pool_t *pconf, const char *variable);
void gxm_origins_reset(void);           /* what the last reading of the configuration wanted is forgotten */

/* Adds to reads what an expression's text reads, without compiling it for good (reads.c). NULL, or why it is none. */
const char *gxm_reads_of(apr_pool_t *p, apr_pool_t *ptemp, const char *text, gxm_reads *reads);
/* The same for who parses by himself: between these two calls, the second with NULLs, the thread's look-ups are noted;
 * names are copied to the pool. */
void gxm_reads_begin(gxm_reads *reads, apr_pool_t *pool);
int gxm_reads_look_up(ap_expr_lookup_parms *parms);

#endif
