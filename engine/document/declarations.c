/* SPDX-License-Identifier: Apache-2.0 */
/*
 * declarations.c -- Expat's events of the document type declaration
 *
 * Expat reads every declaration. What it declares is kept for the scanner, which goes on behind it (dtd.c), and what
 * the block needs of it: unparsed entities. A document is not allowed to make the declaration itself costly: a chain of
 * entities within entities is at most ENTITY_NESTING long, and what declarations add counts as growth (fail.h).
 */
#include <stdlib.h>
#include <string.h>
/* Expat 2.9 deprecates positions that are a long, for systems where that has 32 bits, and a salt of 64 bits, which is
 * what our seed has */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "declarations.h"
#include "expat_at.h"
#include "fail.h"
#include "files/uri.h"
#include "references.h"

#define ENTITY_NESTING 256      /* entities whose text refers to further entities: a chain of them is as long at most */

void gx_on_xml_decl(void *user, const XML_Char *version, const XML_Char *encoding, int standalone)
{
    gx_parser *p = user;
    (void)encoding;
    if (standalone == 1)        /* an external entity has such a declaration, too, but it does not say this */
        p->standalone = 1;
    /* XML 1.0 5th edition, 2.8: any 1.x is parsed as 1.0 */
    if (version && (strncmp(version, "1.", 2) != 0 || version[2 + strspn(version + 2, "0123456789")] || !version[2]))
        FAIL(p, GX_EXML, "XML version \"%.20s\" is not supported", version);
}

/* Namespaces in XML, 7: names of entities and notations have no colon. 0 after failing. */
static int is_without_colon(gx_parser *p, const char *name, const char *what)
{
    return !strchr(name, ':') || NAMESPACE_ERROR(p, "the %s name \"%.100s\" has a colon", what, name);
}

void gx_on_notation_decl(void *user, const XML_Char *name, const XML_Char *base, const XML_Char *system_id,
    const XML_Char *public_id)
{
    gx_parser *p = user;
    (void)base, (void)system_id, (void)public_id;
    if (!gx_parser_is_late_here(p, 1))
        is_without_colon(p, name, "notation");
}

/* An entity's declaration (XML 1.0, 4.2). A general entity's name is noted, and what its text refers to; for the
 * scanner the text is kept if it is text alone (dtd.h); of an unparsed one the block gets name and absolute URI (XSLT
 * 1.0, 12.4). value: NULL for external ones, else value_len bytes. All strings are Expat's and are copied. Fails where
 * entities refer to others in too many links (Expat's stack), and where declarations make more of strs than
 * `amplification` allows. */
void gx_on_entity_decl(void *user, const XML_Char *name, int is_parameter, const XML_Char *value, int value_len,
                           const XML_Char *base, const XML_Char *system_id, const XML_Char *public_id,
                           const XML_Char *notation)
{
    gx_parser *p = user;
    (void)public_id;
    if (p->is_spelled) {
        char *own = gx_parser_as_written(p, name, strlen(name)), *text = own && value ? gx_parser_as_written(p, value,
            (size_t)value_len) : NULL;
        char *system = own && system_id ? gx_parser_as_written(p, system_id, strlen(system_id)) : NULL;
        p->is_spelled = 0;
        if (!p->status)
            gx_on_entity_decl(p, own, is_parameter, text, text ? (int)strlen(text) : 0, base, system, public_id,
                              notation);
        p->is_spelled = 1;
        free(own);
        free(text);
        free(system);
        return;
    }
    if (gx_parser_is_late_here(p, 1))
        return;
    /* Expat's C stack grows with entities within entities: a chain has no more links than there are entities with
     * references. (The large DTDs that go beyond it are one's own.) */
    if (value && !gx_parser_is_own(p) && !p->external_depth
        && memchr(value, is_parameter ? '%' : '&', (size_t)value_len) && ++p->nested_entities > ENTITY_NESTING)
        return FAIL(p, GX_ELIMIT, "more than %d entities refer to other entities", ENTITY_NESTING);
    if (!is_without_colon(p, name, "entity"))
        return;
    p->other_entities |= is_parameter || p->external_depth;
    if (is_parameter)
        return;
    u32 index = gx_parser_find_name(p, name, "the entity");
    if (index == GX_NONE)
        return;
    GX_BUF_AT(&p->names.names, gx_name)[index].flags |= GX_NAME_ENTITY;
    if (value) {
        if (p->may_switch) {
            const u32 number = gx_dtd_add_entity(&p->dtd, value, (u32)value_len);
            if (number == GX_NONE)
                return gx_parser_fail_memory(p);
            GX_BUF_AT(&p->names.names, gx_name)[index].entity = number;
        }
        gx_refers(p, value, (size_t)value_len, gx_note_reference);
        return;
    }
    if (!notation)
        return;
    /* unparsed: XSLT 1.0, 12.4 wants the URI absolute */
    const char *doc = base ? base : p->options.base_uri ? p->options.base_uri : "";
    size_t room = strlen(doc) + strlen(system_id) + 2;
    if (room > p->limits.text)
        return gx_parser_fail_limit(p, "text", p->limits.text, "a system identifier longer than");
    if (gx_parser_room(p, &p->names.strs, room))
        return;
    gx_doc_entity *entity = gx_buf_push(&p->entities, sizeof *entity);
    if (!entity)
        return gx_parser_fail_memory(p);
    u32 off = (u32)p->names.strs.n;
    gx_uri_resolve(doc, system_id, p->names.strs.at + off);
    u32 len = (u32)strlen(p->names.strs.at + off);
    const gx_name *n = &GX_BUF_AT(&p->names.names, gx_name)[index];
    *entity = (gx_doc_entity){ n->off, n->len, off, len };
    p->names.strs.n += len;
    if (p->values.n + p->names.strs.n > GX_FREE_GROWTH && p->names.strs.n / p->limits.amplification > p->n_input)
        gx_parser_fail_limit(p, "amplification", p->limits.amplification,
                             "entity declarations expand the document by more than");
}

/* An attribute's declaration (XML 1.0, 3.3), for the scanner: type and default. References in the default are checked
 * as those in tags are. Counts as work what Expat does for it: it looks through all attributes of the element type for
 * each that has a default. */
void gx_on_attlist_decl(void *user, const XML_Char *element, const XML_Char *attribute, const XML_Char *type,
                            const XML_Char *value, int required)
{
    gx_parser *p = user;
    size_t n;
    (void)required;
    if (p->is_spelled && !p->status) {
        char *own = gx_parser_as_written(p, element, strlen(element)), *name = own ? gx_parser_as_written(p, attribute,
            strlen(attribute)) : NULL;
        char *text = name && value ? gx_parser_as_written(p, value, strlen(value)) : NULL;
        if (!p->status && p->may_switch && gx_dtd_add_attribute(&p->dtd, own, name, type, text))
            gx_parser_fail_memory(p);
        free(own);
        free(name);
        free(text);
    } else if (p->may_switch && gx_dtd_add_attribute(&p->dtd, element, attribute, type, value))
        return gx_parser_fail_memory(p);
    p->n_declared += p->n_declared < GX_NONE;
    /* Expat looks through all of the element's attributes for each that has a default, and for each ID */
    if (gx_parser_is_late_here(p, 1 + (value || strcmp(type, "ID") == 0 ? p->n_declared / 32 : 0)))
        return;
    const char *literal = value && !p->options.external_ignore ? gx_event_bytes(p, 1, &n) : NULL;
    if (literal)
        gx_refers(p, literal, n, gx_check_reference);
}

void gx_on_doctype_start(void *user, const XML_Char *name, const XML_Char *system_id, const XML_Char *public_id,
                             int internal)
{
    gx_parser *p = user;
    (void)name, (void)system_id, (void)public_id, (void)internal;
    p->doctype = p->in_doctype = 1;
    if (p->options.no_doctype)
        FAIL(p, GX_EDOCTYPE, "a document type declaration, which is not allowed here");
}

/* The document type declaration ends. Which entities that texts refer to were declared is known now. Where the scanner
 * may go on Expat is suspended here, and p->switch_at says how far it has read, + 1. */
void gx_on_doctype_end(void *user)
{
    gx_parser *p = user;
    p->in_doctype = 0;
    p->is_quiet = 0;
    const u32 *refs = GX_BUF_AT(&p->entity_refs, u32);
    for (u32 i = 0; i < GX_BUF_N(&p->entity_refs, u32); i++)
        if (!(GX_BUF_AT(&p->names.names, gx_name)[refs[i]].flags & GX_NAME_ENTITY))
            p->incomplete_entities = 1;
    /* in a standalone document an entity that is declared elsewhere must not be used */
    if (!p->may_switch || p->status || (p->standalone && p->other_entities))
        return;
    const i64 at = gx_expat_byte(p->expat);
    if (at >= 0) {
        p->switch_at = (u64)at + 1;
        XML_StopParser(p->expat, XML_TRUE);
    }
}

void gx_on_skipped_entity(void *user, const XML_Char *name, int is_parameter)
{
    gx_parser *p = user;
    if (!is_parameter && !p->options.external_ignore)
        gx_fail_entity(p, name, strlen(name));
}
