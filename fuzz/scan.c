/*
 * scan.c -- fuzzing the scanner beside Expat: the same block or the same refusal, on each instruction set, however the bytes arrive
 *
 * Input: one byte of options, one byte of pieces and instruction set, then the document.
 */
#include "fuzz.h"
#include "t/scan_both.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gx_parse_options o;
    int scanned;
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
    o.limits = &limits;
    o.base_uri = "/fuzz/doc.xml";
    o.flags = (data[0] & 1 ? GX_DOC_LINES : 0) | (data[0] & 2 ? GX_DOC_NAMESPACES : 0);
    o.no_doctype = data[0] >> 3 & 1;
    o.at_once = data[0] >> 4 & 1;
    gx_scan_choose(&fuzz_parser->scan, data[1] >> 6);
    const both_way way = { data[1] & 32 ? data[1] % 32 : 0, data[1] & 32 ? 0 : data[1] % 32 };
    const char *wrong = both_compare(fuzz_parser, &o, (const char *)data + 2, size - 2, way, &scanned);
    if (wrong)
        fprintf(stderr, "%s\n", wrong);
    FUZZ_ASSERT(!wrong);
    return 0;
}
