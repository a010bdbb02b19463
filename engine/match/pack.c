/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.c -- documents for teams that match them (pack.h)
 */
#include <stdlib.h>
#include <string.h>
#include "classes.h"
#include "pack.h"

struct gxp_packer {
    gxp_classes classes;        /* of which the items alone are made */
    const gxp_flat *flat;
    gx_buf tree;
};

gx_status gxp_packer_create(const gxp_set *set, const gxp_flat *flat, gxp_packer **out, gx_error *err)
{
    gxp_packer *p = calloc(1, sizeof *p);
    if (!p)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory for a matcher");
    p->classes.set = set;
    p->flat = flat;
    *out = p;
    return GX_OK;
}

void gxp_packer_free(gxp_packer *p)
{
    if (!p)
        return;
    gxp_classes_free(&p->classes);
    gx_buf_free(&p->tree);
    free(p);
}

u64 gxp_packer_bytes(const gxp_packer *p)
{
    const gxp_classes *c = &p->classes;
    return p->tree.cap + c->label.cap + c->head.cap + c->links.cap + c->mark.cap + c->table.cap + c->items.cap;
}

/* Makes the document's items (classes.h), then its tree into the packer's memory, which is used again: a second time
 * if the first shows that it needs more. *out NULL: the matcher will say why it is too much (work, time), or it has
 * too many elements for teams. */
gx_status gxp_pack(gxp_packer *p, const gx_doc *doc, u64 most_work, u64 deadline_us, const gxp_tree **out, u64 *size,
                   gx_error *err)
{
    p->classes.most_work = most_work;
    p->classes.deadline_us = deadline_us;
    GX_TRY(gxp_items_make(&p->classes, doc, err));
    *out = NULL;
    if (p->classes.over != GX_OK)       /* the matcher will say so */
        return GX_OK;
    gx_buf_rewind(&p->tree);
    u64 room = p->tree.cap;
    *size = gxp_tree_make(&p->classes, p->flat, p->tree.at, room);
    if (*size > room) {
        room = *size;
        if (gx_buf_room(&p->tree, room))
            return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory to match the document");
        *size = gxp_tree_make(&p->classes, p->flat, p->tree.at, room);
    }
    p->tree.n = *size;
    *out = *size ? (const gxp_tree *)(const void *)p->tree.at : NULL;
    return GX_OK;
}
