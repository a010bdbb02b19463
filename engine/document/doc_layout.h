/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc_layout.h -- where the parts of a block stand (doc.h)
 *
 * Counts and sizes in the header are filled in; has_ns, has_lines: are these columns there?
 */
#ifndef GX_DOC_LAYOUT_H
#define GX_DOC_LAYOUT_H

#include "doc.h"

/* A part of so many bytes behind the others */
GX_FN u64 gx_doc_place(u64 *size, u64 bytes)
{
    const u64 at = (*size + 15) & ~15ull;
    *size = at + bytes;
    return at;
}
/* The index of labels and the tables, behind size bytes */
GX_FN void gx_doc_layout_tables(gx_doc *d, u64 *size)
{
    d->index_start = gx_doc_place(size, (d->n_labels + 1ull) * 4);
    d->index = gx_doc_place(size, d->n_nodes * 4ull);
    d->labels = gx_doc_place(size, d->n_labels * sizeof(gx_label_info));
    d->ns_lists = gx_doc_place(size, d->n_ns_lists * sizeof(gx_ns_list));
    d->ns_decls = gx_doc_place(size, d->n_ns_decls * sizeof(gx_ns_decl));
    d->ids = gx_doc_place(size, d->n_ids * sizeof(gx_doc_id));
    d->entities = gx_doc_place(size, d->n_entities * sizeof(gx_doc_entity));
    d->odd = gx_doc_place(size, d->n_odd * sizeof(gx_doc_odd));
    d->bases = gx_doc_place(size, d->n_bases * sizeof(gx_doc_base));
    d->roots = gx_doc_place(size, d->n_roots * 4ull);
}
/* Offsets of all columns, tables and heaps, and the block's size, from the counts and sizes that d has. Each begins at
 * a multiple of 16. Sizes are 64 bits wide: counts of 32 bits cannot overflow them. Nothing is allocated or moved. */
GX_FN void gx_doc_layout(gx_doc *d, int has_ns, int has_lines)
{
    const u64 n = d->n_nodes;
    u64 size = sizeof *d;

    d->label = gx_doc_place(&size, n * 4);
    d->parent = gx_doc_place(&size, n * 4);
    d->next = gx_doc_place(&size, n * 4);
    d->depth = gx_doc_place(&size, n * 2);
    d->text_off = gx_doc_place(&size, n * 4);
    d->text_len = gx_doc_place(&size, n * 4);
    d->ns = has_ns ? gx_doc_place(&size, n * 4) : 0;
    d->line = has_lines ? gx_doc_place(&size, n * 4) : 0;
    d->column = has_lines ? gx_doc_place(&size, n * 4) : 0;
    gx_doc_layout_tables(d, &size);
    d->text = gx_doc_place(&size, d->text_size);
    d->values = gx_doc_place(&size, d->values_size);
    d->strs = gx_doc_place(&size, d->strs_size);
    d->size = (size + 15) & ~15ull;
}

#endif
