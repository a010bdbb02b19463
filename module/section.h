/* SPDX-License-Identifier: Apache-2.0 */
/*
 * section.h -- <If> sections: pages that depend on what chooses among the directives that make them
 */
#ifndef GXM_SECTION_H
#define GXM_SECTION_H

#include "module.h"

void gxm_sections_reset(void);
/* check_config, when ap_conftree is complete and before gxm_origins_find. */
void gxm_sections_find(apr_pool_t *pconf, apr_pool_t *ptemp);
/* Was a section tried for this request that has directives of ours? */
int gxm_sections_matter(request_rec *r);
/* The response depends on what the conditions of such sections read (gxm_depend). */
void gxm_sections_depend(request_rec *r);

#endif
