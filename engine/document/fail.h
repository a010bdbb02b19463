/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail.h -- how a document ends before its end: errors and warnings with their place, limits, the clock (fail.c)
 */
#ifndef GX_FAIL_H
#define GX_FAIL_H

#include "parser.h"

#define GX_FREE_GROWTH (1u << 20)  /* entity and default-attribute text below this is never an attack */

/* Ends the document at the current event's position. Expat may still deliver an end tag or two after a stop: nobody
 * listens. */
#define FAIL(p, status, ...) gx_parser_fail_at(p, gx_fail((p)->err, status, (p)->options.file, 0, 0, __VA_ARGS__))

void gx_parser_fail_at(gx_parser *p, gx_status status);
/* Without a place: before the document's first byte */
gx_status gx_parser_begin_failed(gx_parser *p);
void gx_parser_fail_memory(gx_parser *p);
/* More than `value`, the limit named key; what: the sentence's beginning */
void gx_parser_fail_limit(gx_parser *p, const char *key, u64 value, const char *what);
/* What entities and defaults add is more than growth() allows. */
void gx_parser_fail_growth(gx_parser *p, const char *what);
/* The document goes on. */
void gx_parser_warn(gx_parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds to the error that the document, leniently read, would not have it. 0 */
int gx_parser_name_leniency(gx_parser *p);

/* What breaks Namespaces in XML ends the document, or is a warning and 1. The scanner leaves such documents to Expat,
 * lest they be warned of twice. */
#define NAMESPACE_ERROR(p, ...) \
    ((p)->options.lenient && (p)->uses_expat ? (gx_parser_warn(p, __VA_ARGS__), 1) \
                                             : (FAIL(p, GX_EXML, __VA_ARGS__), gx_parser_name_leniency(p)))

/* Where Expat or the scanner stands, from 1 */
void gx_parser_position(gx_parser *p, u32 *line, u32 *column);

/* The document is one of the site's own, so its files may declare as much as they like. */
static inline int gx_parser_is_own(const gx_parser *p) { return p->options.external && !p->options.is_foreign; }

/* By how much entities may expand what has been read: a start tag's attributes are in memory before anybody sees one of
 * them, so that they stay below the largest document that there may be. Twice is always good: what comes first may have
 * most of them. */
u64 gx_parser_growth(const gx_parser *p);

#define GX_LOOK 1024u   /* at the clock: every so many events and attributes */

/* As gx_parser_is_late, for events: the look at the clock alone is a call. */
int gx_parser_look(gx_parser *p);
static inline int gx_parser_is_late_here(gx_parser *p, u32 work)
{
    p->work += work;
    return __builtin_expect(p->work >= GX_LOOK, 0) && gx_parser_look(p);
}

#endif
