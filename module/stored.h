/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stored.h -- SetHandler gpuxml-store: documents of document stores (engine/store/store.h), which are not parsed again
 */
#ifndef GXM_STORED_H
#define GXM_STORED_H

#include "cache.h"

/* A store that GPUXMLStore names */
typedef struct gxm_document_store {
    const char *name, *path;
    struct gxm_store_view *view; /* the newest that this process has opened: stored.c's */
} gxm_document_store;

/* A document of a store from which GPUXMLSelect's expression needs only what the store's index finds: no document is
 * made of it. It lives as long as the request. */
typedef struct gxm_selected {
    gxm_sha sha;                /* tells the document from others */
    u64 source_bytes;
    struct gxm_selecting *how;  /* stored.c's */
} gxm_selected;

int gxm_stored_handler(request_rec *r);
/* NULL: the brigade begins with something else. */
const gxm_selected *gxm_stored_selected(const apr_bucket_brigade *bb);
/* What the expression selects. ev: all of the evaluation but its document; wrapper: as for gx_serialize_selection.
 * *nodes: of the parts, or pieces of them, that were looked at. Errors: those of gxs_ask; GX_ELIMIT, GX_ETIME. */
gx_status gxm_selected_write(const gxm_selected *s, const gx_evaluation *ev, const gx_serialize_options *options,
                             int as_xml, const char *wrapper, gx_sink sink, void *ctx, u32 *nodes, gx_error *err);
/* The document that the brigade stands for, if it begins with a stored one; it lives as long as the request. NULL: it
 * does not. The bucket's bytes are the document's XML, made when somebody reads it. */
gxm_cached *gxm_stored_doc(const apr_bucket_brigade *bb);

#endif
