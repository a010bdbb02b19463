/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser.c -- a parser's life: made, made ready for a document, freed
 *
 * The parser keeps its arrays, its tables (names.h) and its Expat between documents: a small document allocates nothing
 * but its block. What a large one needed is given back (gx_buf_rewind, gx_parser_give_back). parts.c makes parsers of
 * its own, one a thread: so nothing here knows of parts.
 */
#include <stdlib.h>
#include "expat_read.h"
#include "fail.h"

#define GX_PARSER_BUFFERS(p) \
    { \
        &(p)->text, &(p)->values, &(p)->frames, &(p)->scope_changes, &(p)->attributes, &(p)->declared, &(p)->ids, \
            &(p)->odd, &(p)->bases, &(p)->entities, &(p)->entity_refs \
    } /* and `waiting`, which is the source's */

gx_status gx_parser_open(gx_parser **out, gx_error *err)
{
    gx_parser *p = calloc(1, sizeof *p);
    if (p) {
        p->iconv = (iconv_t)-1;
        gx_scan_choose(&p->scan, GX_SCAN_SETS - 1);
    }
    if (!p || gx_expat_create(p)) {
        free(p);
        return gx_fail(err, GX_ENOMEM, NULL, 0, 0, "out of memory");
    }
    *out = p;
    return GX_OK;
}

void gx_parser_close(gx_parser *p)
{
    gx_buf *all[] = GX_PARSER_BUFFERS(p);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gx_buf_free(all[i]);
    gx_buf_free(&p->waiting);
    gx_scan_free(&p->scan);
    gx_buf_free(&p->starts);
    gx_buf_free(&p->spelled);
    gx_dtd_free(&p->dtd);
    gx_parser_free_columns(p);
    gx_place_free(p);
    gx_names_free(&p->names);
    if (p->iconv != (iconv_t)-1)
        iconv_close(p->iconv);
    gx_expat_free(p);
    free(p);
}

u64 gx_parser_held(const gx_parser *p)
{
    const gx_buf *all[] = GX_PARSER_BUFFERS(p);
    u64 n = p->expat_bytes + gx_names_bytes(&p->names) + gx_scan_bytes(&p->scan) + gx_dtd_bytes(&p->dtd)
        + p->waiting.cap + p->starts.cap + p->spelled.cap
        + (p->is_lent ? 0 : (u64)p->allocated * (6 * sizeof *p->label + sizeof *p->depth))
        + (u64)p->allocated_lines * 2 * sizeof *p->line + p->place.size;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        n += all[i]->is_lent ? 0 : all[i]->cap;
    return n;
}

/* A parser's columns and tables for a document from its beginning: emptied, their memory kept, with the root node in
 * them. Called again where Expat begins anew after the scanner gave up. GX_ENOMEM, or the limit that one node is too
 * many for. */
gx_status gx_parser_begin_columns(gx_parser *p)
{
    p->status = GX_OK;
    p->standalone = p->other_entities = p->is_quiet = p->may_switch = 0;
    p->id_at = -1;
    gx_dtd_reset(&p->dtd, p->names.seed);
    p->names_sheet = -1;
    p->in_doctype = p->incomplete_entities = 0;
    p->doctype = p->options.html_entities != 0;
    *p->unread = 0;
    p->asked = 0;
    p->external_bytes = 0;
    p->n = 0;
    p->work = 0;
    p->text_start = p->sp = p->last_scope = p->nested_entities = p->n_declared = 0;
    gx_place_begin(p);
    gx_buf *all[] = GX_PARSER_BUFFERS(p);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gx_buf_rewind(all[i]);
    if (gx_names_reset(&p->names, p->options.spaces) || gx_buf_room(&p->frames, sizeof(gx_frame))
        || gx_buf_room(&p->text, 1) || gx_buf_room(&p->values, 1))
        return gx_parser_begin_failed(p);
    p->room = p->allocated < p->limits.nodes ? p->allocated : p->limits.nodes;
    if (p->lines && gx_parser_grow_lines(p, p->allocated))
        return gx_parser_begin_failed(p);
    GX_BUF_AT(&p->frames, gx_frame)[0] = (gx_frame){ 0 };
    if (gx_parser_add_node(p, GX_LABEL_ROOT, GX_NONE, 0, 0, 0) == GX_NONE)
        return p->status;
    if (p->lines)
        gx_parser_set_position(p, 0, 1, 1);
    if ((p->options.flags & GX_DOC_NAMESPACES)) {
        u32 xml = gx_names_find(&p->names, "xmlns:xml", 9);
        if (xml == GX_NONE || gx_names_label(&p->names, GX_KIND_NS, xml, &p->xml_ns_label))
            return gx_parser_begin_failed(p);
    }
    return GX_OK;
}

/* A parser for another document: what the last one left is forgotten, options and limits are the new ones (defaults for
 * what is not given, 65,533 levels and 2^32 - 16 nodes at most). Columns that grew large for one document are given
 * back if the last one used little of them. err: where errors are worded until the document ends. GX_ENOMEM. */
gx_status gx_parser_ready(gx_parser *p, const gx_parse_options *options, gx_error *err)
{
    static const gx_parse_options none;
    static const gx_limits defaults;
    gx_expat_enter(p);
    p->err = err;
    p->status = GX_OK;
    p->begun = 0;
    p->options = options ? *options : none;
    p->limits = p->options.limits ? *p->options.limits : defaults;
    gx_limits_default(&p->limits);
    if (p->limits.depth > 65533)
        p->limits.depth = 65533;        /* the depth column is 16 bits wide */
    if (p->limits.nodes > 0xfffffff0u)
        p->limits.nodes = 0xfffffff0u;
    p->decided = p->transcode = p->latin_1 = p->uses_expat = 0;
    p->overridden[0] = 0;
    p->starts.n = 0;
    gx_buf_rewind(&p->spelled);
    p->encoding = NULL;
    p->utf8 = 1;
    p->lines = (p->options.flags & GX_DOC_LINES) != 0;
    if (p->allocated > (1u << 18) && p->n < p->allocated / 16)
        gx_parser_free_columns(p);                /* as gx_buf_rewind */
    p->left_us = p->options.timeout_us;
    p->n_head = p->n_tail = 0;
    p->n_input = p->n_parsed = 0;
    gx_buf_rewind(&p->waiting);
    p->skipped = 0;
    p->gone = 0;
    if (p->options.seed)
        p->names.seed = p->options.seed;
    GX_TRY(gx_parser_begin_columns(p));
    if (gx_scan_begin(p))
        return gx_parser_begin_failed(p);
    p->begun = 1;
    return GX_OK;
}
