/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document.c -- fuzzing the document parser: bytes in, a block that checks out, the same however the bytes arrive
 *
 * Input: one byte of options, one byte of where to cut, then the document.
 */
#include "fuzz.h"

static gx_status parse(const gx_parse_options *o, const uint8_t *data, size_t n, size_t piece, gx_doc **doc,
                       gx_error *err)
{
    gx_status status = gx_parser_begin(fuzz_parser, o, err);
    for (size_t at = 0; at < n && status == GX_OK; at += piece)
        status = gx_parser_feed(fuzz_parser, (const char *)data + at, n - at < piece ? n - at : piece, err);
    return status == GX_OK ? gx_parser_finish(fuzz_parser, doc, err) : status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const charsets[] = { NULL, "utf-8", "iso-8859-1", "utf-16" };
    gx_error err[2];
    gx_doc *doc[2] = { NULL, NULL };
    gx_parse_options o;
    if (size < 2)
        return 0;
    fuzz_start();
    gx_limits limits = fuzz_limits;
    if (data[0] & 64) {
        limits.depth = 5;
        limits.nodes = 40;
        limits.attributes = 3;
        limits.name = 8;
        limits.text = 50;
    }
    memset(&o, 0, sizeof o);
    memset(err, 0, sizeof err);
    o.limits = &limits;
    o.flags = (data[0] & 1 ? GX_DOC_LINES : 0) | (data[0] & 2 ? GX_DOC_NAMESPACES : 0);
    o.external_ignore = data[0] >> 2 & 1;
    o.no_doctype = data[0] >> 3 & 1;
    o.html_entities = data[0] >> 7;
    o.charset = charsets[data[0] >> 4 & 3];
    gx_status whole = gx_parse(fuzz_parser, &o, (const char *)data + 2, size - 2, &doc[0], &err[0]);
    gx_status pieces = parse(&o, data + 2, size - 2, data[1] % 16 + 1, &doc[1], &err[1]);
    FUZZ_ASSERT(whole == GX_OK ? doc[0] != NULL : whole == err[0].status && err[0].text[0]);
    FUZZ_ASSERT(whole == pieces);
    if (whole == GX_OK) {
        FUZZ_ASSERT(gx_doc_check(doc[0], doc[0]->size, &err[0]) == GX_OK);
        FUZZ_ASSERT(doc[0]->size == doc[1]->size && !memcmp(doc[0], doc[1], doc[0]->size));
    }
    free(doc[0]);
    free(doc[1]);
    return 0;
}
