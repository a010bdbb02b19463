/* SPDX-License-Identifier: Apache-2.0 */
/*
 * declarations.h -- Expat's handlers for the XML declaration and the document type declaration (declarations.c);
 * user is the gx_parser
 */
#ifndef GX_DECLARATIONS_H
#define GX_DECLARATIONS_H

#include "parser.h"

void gx_on_xml_decl(void *user, const XML_Char *version, const XML_Char *encoding, int standalone);
void gx_on_notation_decl(void *user, const XML_Char *name, const XML_Char *base, const XML_Char *system_id,
    const XML_Char *public_id);
void gx_on_entity_decl(void *user, const XML_Char *name, int is_parameter, const XML_Char *value, int value_len,
                           const XML_Char *base, const XML_Char *system_id, const XML_Char *public_id,
                           const XML_Char *notation);
void gx_on_attlist_decl(void *user, const XML_Char *element, const XML_Char *attribute, const XML_Char *type,
                            const XML_Char *value, int required);
void gx_on_doctype_start(void *user, const XML_Char *name, const XML_Char *system_id, const XML_Char *public_id,
                             int internal);
void gx_on_doctype_end(void *user);
void gx_on_skipped_entity(void *user, const XML_Char *name, int is_parameter);

#endif
