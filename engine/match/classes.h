/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classes.h -- a document's elements, those together that no formula can tell apart
 *
 *   <r><a k="1"><b/></a><a k="2"><b/></a><a><b/><b/></a></r>      profiles ask for @k = '1'
 *
 *   class 0: b      1: a {b}      2: a {b, @k = '1'}      3: r {1, 2}      4: the root {3}
 *
 * Formulas look downwards and count nothing. So elements are of one class when they pass the same name tests, the same
 * comparisons hold for their values, and their children are of the same classes. Records that differ in values which
 * nobody asks about are one class, and so are a record's three authors.
 *
 * One pass from the document's end to its start: a node comes before its parent, so a class's number is below those of
 * the classes that have it as a child. The last class is the root's, the one before it the document element's.
 *
 * What tells classes apart are items: atoms that hold (numbers below n_atoms), positions of numbers among bounds
 * (value.h), classes of children.
 */
#ifndef GXP_CLASSES_H
#define GXP_CLASSES_H

#include "clock.h"
#include "set.h"

typedef struct gxp_class {
    u64 hash;
    u32 name, ns;       /* tests that it passes, GX_NONE: no profile has such a one. The root: GXP_TEST_ROOT, GX_NONE */
    u32 items, n_items; /* in gxp_classes.items */
} gxp_class;

typedef struct gxp_item {
    u32 item, next;
} gxp_item;

typedef struct gxp_classes {
    const gxp_set *set;
    gx_buf classes, items;      /* gxp_class, u32 */
    u32 n_elements;
    u64 work;                   /* comparisons, and bytes that were searched */
    u64 most_work, deadline_us; /* 0 = any */
    u64 next_look;              /* at these, when so much work is done */
    gx_status over;             /* GX_ELIMIT: most_work; GX_ETIME */
    /* while they are made */
    const gx_doc *doc;
    gx_buf label;               /* gxp_bound, of each label of the document */
    gx_buf head, links;         /* of each node that is open: its items, a list */
    gx_buf table;               /* classes + 1 by hash */
    gx_buf mark;                /* of each item: the element that had it last */
    u32 stamp;
    int no_memory;
} gxp_classes;

/* What a label of a document is for profiles: an element's tests, or an attribute's in `name`; GX_NONE */
typedef struct gxp_bound {
    u32 name, ns;
} gxp_bound;

/* GX_ENOMEM; GX_OK, and what `over` says: it is not complete then */
gx_status gxp_classes_make(gxp_classes *c, const gx_doc *doc, gx_error *err);
/* The elements' items alone, in head and links: for flat.h */
gx_status gxp_items_make(gxp_classes *c, const gx_doc *doc, gx_error *err);
void gxp_classes_free(gxp_classes *c);

/* Is it over? The clock is read when so much work has been done since it was. */
static inline gx_status gxp_look(u64 work, u64 most_work, u64 deadline_us, u64 *next_look)
{
    if (most_work && work > most_work)
        return GX_ELIMIT;
    if (work < *next_look)
        return GX_OK;
    *next_look = work + 4096;
    return deadline_us && gx_now_us() > deadline_us ? GX_ETIME : GX_OK;
}

static inline u32 gxp_n_classes(const gxp_classes *c) { return GX_BUF_N(&c->classes, gxp_class); }
static inline u32 gxp_first_class_item(const gxp_set *s)
{
    return GX_BUF_N(&s->values.atoms, gxp_atom) + s->values.n_positions;
}

#endif
