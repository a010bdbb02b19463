/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c -- may a document block be followed? doc_check.h by the calling thread, and what is said of a block that may
 * not
 */
#include <stdio.h>
#include "gx.h"
#include "doc_check.h"

static const char *const sentences[GX_PARTS][8] = {
    [GX_PART_HEADER] = { "no document", "unknown flags", "counts out of range", "a column is out of range",
                         "the line numbers are out of range", "a table is out of range", "a heap is out of range",
                         "the base URI is wrong" },
    [GX_PART_ASCII_TEXT] = { "byte 8 x %u of its text is not ASCII, as it says" },
    [GX_PART_ASCII_VALUES] = { "byte 8 x %u of its values is not ASCII, as it says" },
    [GX_PART_TEXT] = { "its text is not UTF-8 near byte 64 x %u" },
    [GX_PART_VALUES] = { "its values are not UTF-8 near byte 64 x %u" },
    [GX_PART_STRS] = { "its names are not UTF-8 near byte 64 x %u" },
    [GX_PART_LABELS] = { "label %u is wrong" },
    [GX_PART_NS_LISTS] = { "namespace list %u is wrong" },
    [GX_PART_NS_DECLS] = { "namespace declaration %u is wrong" },
    [GX_PART_IDS] = { "ID %u is wrong" },
    [GX_PART_ENTITIES] = { "entity %u is wrong" },
    [GX_PART_ODD] = { "prefix exception %u is wrong" },
    [GX_PART_BASES] = { "base URI %u is wrong" },
    [GX_PART_ROOTS] = { "root %u is not in its place" },
    [GX_PART_INDEX_START] = { "the name index of label %u is out of order" },
    [GX_PART_INDEX] = { "entry %u of the name index is wrong",
                        "the text of entry %u of the name index is out of order" },
    [GX_PART_NESTING] = { "node %u does not nest", "node %u has a wrong end" },
    [GX_PART_VALUE] = { "node %u has no text there", "the text of node %u is not within its parent's" },
    [GX_PART_PLACE] = { "node %u has no namespace list", "node %u is a namespace node", "node %u is out of order" },
};

/* The quick look by ranges (gx_doc_wrong) says whether anything is wrong; only then all items are looked at one by one
 * for the first that is, which the sentence names. A block that is not aligned to 16 bytes, or shorter than a header,
 * is no document. O(block). */
gx_status gx_doc_check(const void *block, u64 size, gx_error *err)
{
    const gx_doc *d = block;
    if (!block || ((uintptr_t)block & 15) || size < sizeof *d)
        return gx_fail(err, GX_EBAD, NULL, 0, 0, "document block: %s", sentences[GX_PART_HEADER][0]);
    if (!gx_doc_wrong(d, size, 0, 1))
        return GX_OK;
    u32 wrong = gx_wrong_header(d, size);
    if (wrong)
        return gx_fail(err, GX_EBAD, NULL, 0, 0, "document block: %s", sentences[GX_PART_HEADER][wrong - 1]);
    const gx_checked c = gx_checked_of(d);
    for (u32 part = 0; part < GX_PARTS; part++)
        for (u32 i = 0; i < c.n[part]; i++)
            if ((wrong = gx_wrong(&c, part, i)) != 0) {
                char what[120];
                snprintf(what, sizeof what, sentences[part][wrong - 1], i);
                return gx_fail(err, GX_EBAD, NULL, 0, 0, "document block: %s", what);
            }
    return GX_EBAD;
}
