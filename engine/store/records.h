/* SPDX-License-Identifier: Apache-2.0 */
/*
 * records.h -- what of a part can be read by itself
 *
 *   <bib> <group n="1"> <rec/> <rec/> </group> <group n="2"> <rec/> </group> </bib>
 *   frames: bib, group, group                records: | <rec/> | <rec/> </group> <group n="2"> | <rec/></group></bib> |
 *
 * A frame is an element that may be long: the document's element, each element that an element to split at lies in, and
 * a child of a frame that is a list: the only element of its name in the part, with many nodes and children, and not to
 * split at (people of an auction site that is split at item).
 * Every other child of a frame begins a record if it is an element. All nodes are in exactly one record: what stands
 * before the first one belongs to it, anything else to the record before. So a record's subtree is whole, and the
 * elements that are open where it begins are frames.
 */
#ifndef GXS_RECORDS_H
#define GXS_RECORDS_H

#include "document/buf.h"
#include "document/doc.h"

typedef struct gxs_records {
    gx_buf first;  /* u32: the node that each record begins with, 0 the first of them */
    gx_buf frames; /* u32: the frames */
} gxs_records;     /* zeros to begin with; kept between documents */

/* spine: how many elements were open where the part begins; split: QNames as written, with | between them, NULL or "":
 * none. 0: no memory */
int gxs_records_find(gxs_records *r, const gx_doc *doc, u32 spine, const char *split);
void gxs_records_free(gxs_records *r);
static inline u32 gxs_records_n(const gxs_records *r) { return GX_BUF_N(&r->first, u32); }

#endif
