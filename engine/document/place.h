/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.h -- a document that stays where it was read (gx_parse_options.in_place)
 *
 *   gx_doc | label | parent | next | depth | text_off | text_len | text      | values      | tables, index
 *            room for `nodes` in each                              for `text`  for `values`
 *
 * The memory is laid out for a document somewhat larger than the last one before anything is read: columns and heaps
 * are written where the block has them, and what is behind them follows at the end. If a column or a heap has no room,
 * it moves out, grows as others do, and all is copied into a block as always; then the next document finds more room.
 *
 * Such a block has gaps, with what was there before: it is not sent, stored or compared.
 */
#ifndef GX_PLACE_H
#define GX_PLACE_H

#include "doc.h"

struct gx_parser;
typedef struct gx_place {
    char *at;
    u64 size;
    u32 nodes;                  /* room for so many */
    u64 text, values;           /* bytes of room */
    u32 last_nodes;             /* what the last document had */
    u64 last_text, last_values;
} gx_place;

/* Before a document: its columns and heaps are in the place, if it may stay there, or else are their own. */
void gx_place_begin(struct gx_parser *p);
/* Has all of it had room? Then d's offsets are those of the place, and *block is the place, large enough for d->size.
 * 0: it is to be copied. -1: no memory */
int gx_place_end(struct gx_parser *p, gx_doc *d, char **block);
int gx_place_has(const struct gx_parser *p, const void *block);
void gx_place_free(struct gx_parser *p);

#endif
