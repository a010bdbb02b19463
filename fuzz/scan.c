/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.c -- fuzzing the scanner beside Expat: the same block or the same refusal, on each instruction set, however the
 * bytes arrive (whole, cut once, in pieces of one size or of any), by one thread and by several (scan_both.h)
 *
 * Input: one byte of options, one byte of pieces and instruction set, then the document. The parser is kept from one
 * document to the next, as httpd's are: what one leaves behind must not show in another.
 */
#include "fuzz.h"
#include "t/scan_both.h"

enum { ONE_IN = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gx_parse_options o;
    int scanned;
    if (size < 2)
        return 0;
    fuzz_start();
    both_one_in = ONE_IN;
    gx_limits limits = fuzz_limits;
    if (data[0] & 64) {
        limits.depth = 5;
        limits.nodes = 40;
        limits.attributes = 3;
        limits.name = 8;
        limits.text = 50;
    }
    memset(&o, 0, sizeof o);
    o.limits = &limits;
    o.base_uri = "/fuzz/doc.xml";
    o.flags = (data[0] & 1 ? GX_DOC_LINES : 0) | (data[0] & 2 ? GX_DOC_NAMESPACES : 0);
    o.no_doctype = data[0] >> 3 & 1;
    o.at_once = data[0] >> 4 & 1;
    gx_scan_choose(&fuzz_parser->scan, data[1] >> 6);
    const u32 size_or_cut = data[1] % 32;
    const both_way way = { data[1] & 32 ? size_or_cut : 0, data[1] & 32 ? 0 : size_or_cut,
                           data[0] & 4 ? 1 + data[1] % 64u : 0 };
    const char *wrong = both_compare(fuzz_parser, &o, (const char *)data + 2, size - 2, way, &scanned);
    if (wrong)
        fprintf(stderr, "%s\n", wrong);
    FUZZ_ASSERT(!wrong);
    return 0;
}
