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

int gxm_stored_handler(request_rec *r);
/* The document that the brigade stands for, if it begins with a stored one; it lives as long as the request. NULL: it
 * does not. The bucket's bytes are the document's XML, made when somebody reads it. */
gxm_cached *gxm_stored_doc(const apr_bucket_brigade *bb);

#endif
