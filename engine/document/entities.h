/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entities.h -- entities.c: declarations that need not be read from a file
 */
#ifndef GX_ENTITIES_H
#define GX_ENTITIES_H

#include <stddef.h>

/* The entity declarations that a public identifier of XHTML's DTDs, or of its and HTML 4's entity sets, stands for:
 * *size bytes of a DTD's text, static, in ASCII. NULL: none that is known. */
const char *gx_entities_known(const char *public_id, size_t *size);
/* The character that one of them stands for; 0: there is no such entity. */
int gx_entities_code(const char *name, size_t len, unsigned *code);
/* All of them. */
const char *gx_entities_all(size_t *size);

#endif
