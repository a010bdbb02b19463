/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.h -- documents for teams that match them (flat.h), and what is left to do when a team has
 *
 *   gx_doc --gxp_pack--> gxp_tree --team (nodes.h)--> a bit for each profile --gxp_match_bits--> ids
 */
#ifndef GXP_PACK_H
#define GXP_PACK_H

#include "flat.h"
#include "match.h"

/* What one thread packs documents with. flat: NULL for trees that are sent to another process (gxp_tree_complete) */
typedef struct gxp_packer gxp_packer;
gx_status gxp_packer_create(const gxp_set *set, const gxp_flat *flat, gxp_packer **out, gx_error *err);
void gxp_packer_free(gxp_packer *p);
u64 gxp_packer_bytes(const gxp_packer *p);      /* of memory that it has, more or less */
/* A document's block, of *size bytes, until the next one is packed; NULL: it has too many elements. most_work,
 * deadline_us: as a matcher has them */
gx_status gxp_pack(gxp_packer *p, const gx_doc *doc, u64 most_work, u64 deadline_us, const gxp_tree **out, u64 *size,
                   gx_error *err);

/* gxp_match, for whose formulas a team has said what matches (n_profiles / 64 + 1 words, which may be written) */
gx_status gxp_match_bits(gxp_matcher *m, const gx_doc *doc, const gx_limits *limits, const u64 *matched,
                         void (*warning)(void *ctx, const gx_error *what), void *ctx, const u32 **ids, u32 *n,
                         gx_error *err);
/* The same, where a worker has sent these bits, or, where they are NULL, the numbers of those profiles, each below
 * n_profiles */
typedef struct gxp_found {
    const u64 *matched;
    const u32 *ids;
    u32 n;
} gxp_found;
gx_status gxp_match_found(gxp_matcher *m, const gx_doc *doc, const gx_limits *limits, const gxp_found *found,
                          void (*warning)(void *ctx, const gx_error *what), void *ctx, const u32 **ids, u32 *n,
                          gx_error *err);

#endif
