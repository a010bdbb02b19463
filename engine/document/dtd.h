/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dtd.h -- what a document type declaration declares, as the scanner needs it: entities that are text, and elements'
 * attributes
 *
 * Expat reads the declarations and tells them one by one. Its rules are kept: the first declaration of an entity
 * counts, and of an attribute.
 */
#ifndef GX_DTD_H
#define GX_DTD_H

#include "buf.h"

/* Elements and attributes are found by hash tables that grow: a place has the last one's index + 1, 0 = none. */
typedef struct gx_dtd_key { u32 hash, next; } gx_dtd_key;       /* the first of an entry; next: of the same place */

typedef struct gx_dtd_attribute {
    gx_dtd_key key;             /* of its name and its element's index */
    u32 element;
    u32 name;                   /* in text, as all strings: with a NUL behind it */
    u32 value;                  /* its default; GX_NONE */
    u32 next, nth;              /* of the same element's that have a default; GX_NONE */
    u8 is_cdata;
} gx_dtd_attribute;

typedef struct gx_dtd_element {
    gx_dtd_key key;
    u32 name;
    u32 first, last, n_defaults;        /* attributes that have a default */
    u32 id;                     /* the one that is the ID; GX_NONE */
    u32 matters;                /* a tag with no more than is written in it, as it is written, is not all: there are
                                   defaults, types or an ID */
} gx_dtd_element;

typedef struct gx_dtd_entity { u32 text, len; } gx_dtd_entity;

typedef struct gx_dtd {
    gx_buf text;
    gx_buf entities;            /* gx_dtd_entity */
    gx_buf attributes, elements;
    gx_buf attribute_places, element_places;    /* u32 */
    u64 seed;
    u8 used;
} gx_dtd;

void gx_dtd_reset(gx_dtd *d, u64 seed);
void gx_dtd_free(gx_dtd *d);
u64 gx_dtd_bytes(const gx_dtd *d);

/* The number, from 1, of an entity whose text is text and nothing else; 0 if there is markup or a reference in it;
 * GX_NONE without memory. */
u32 gx_dtd_add_entity(gx_dtd *d, const char *value, u32 len);
const gx_dtd_entity *gx_dtd_entity_of(const gx_dtd *d, u32 number);
/* type: as in the declaration; value may be NULL. -1 without memory. */
int gx_dtd_add_attribute(gx_dtd *d, const char *element, const char *name, const char *type, const char *value);
/* NULL: nothing that matters is declared for it */
const gx_dtd_element *gx_dtd_find(const gx_dtd *d, const char *element, size_t len);

/* The attributes of a tag, n strings (a name, its value, ...) in `strings`, as the declarations make them: values of
 * other types than CDATA are normalised in place, defaults added behind. Returns how many strings there are now, or -1
 * without memory; *id: the ID's number among them, or -1. */
i64 gx_dtd_complete(const gx_dtd *d, const gx_dtd_element *e, gx_buf *strings, size_t first, i32 *id);

#endif
