/* SPDX-License-Identifier: Apache-2.0 */
/*
 * references.h -- references to entities that nothing declares (references.c). Each returns 1 after failing, if not
 * said otherwise
 */
#ifndef GX_REFERENCES_H
#define GX_REFERENCES_H

#include "parser.h"

/* each() is called with the name of every reference in s, until it returns 1: then that is the answer. */
int gx_refers(gx_parser *p, const char *s, size_t n, int (*each)(gx_parser *, const char *, size_t));
int gx_is_predefined(const char *s, size_t n);     /* lt, gt, amp, apos, quot */
/* Is it declared, or may it be missing? */
int gx_check_reference(gx_parser *p, const char *s, size_t n);
/* The same of all references in the tag that has begun. -1 after failing */
int gx_check_references(gx_parser *p);
/* p->entity_refs has it: is it declared when the document type declaration ends? */
int gx_note_reference(gx_parser *p, const char *s, size_t n);
/* Nothing declares it: 1 after failing, 0 where it is left empty */
int gx_fail_entity(gx_parser *p, const char *name, size_t n);

/* The bytes of the event that Expat stands at, or of the literal right behind it. NULL when they cannot be seen. */
const char *gx_event_bytes(gx_parser *p, int literal, size_t *size);
/* n bytes that Expat passed on, with a NUL behind them, as the document has them; NULL after failing. To be freed. */
char *gx_parser_as_written(gx_parser *p, const char *s, size_t n);

#endif
