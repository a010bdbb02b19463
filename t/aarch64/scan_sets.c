/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_sets.c -- random documents by the scanner's plain walk and by the one for this processor: the same block, or
 * both refuse
 *
 *   scan_sets DOCUMENTS SEED        t/13-scan-aarch64.t compiles it for aarch64 and runs it in an emulator
 *
 * There is no Expat for that machine where this is tested: in its place stands a function that refuses, so a document
 * that the scanner does not take is refused without a sentence. Printed: how many were taken and refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "document/parser.h"

static u64 state;
static u32 chance(u32 n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (u32)(state >> 33) % n;
}

/* Pieces that are well-formed one behind the other within an element, and some that are not */
static const char *const good[] = {
    "text ", "\xc3\xa9\xe4\xb8\x80\xf0\x90\x80\x80", "\r\n", "\r", "&amp;", "&#x20ac;", "]] >", "<!-- c -->",
    "<?pi data?>", "<![CDATA[a<b]]>", "<b/>", "<b x='1' y=\"2\"/>", "<b y=\"a&lt;b\" x=\"\xe4\xb8\x80\"></b>",
    "<i><b>x</b>\n</i>", "<n:e xmlns:n='urn:n' n:a=\"1\"><n:f/></n:e>",
    "<longer-than-sixteen-bytes a-name-of-some-length=\"v\"/>",
    "a text of more than sixty-four bytes, so that what copies it has to go on with a second block of them ",
    "<b x=\"a value of more than sixty-four bytes, which is copied by the same means as such texts are\"/>",
    "<\xc3\xa9l\xc3\xa9ment>\xe2\x82\xac</\xc3\xa9l\xc3\xa9ment>", "\t \n"
};
static const char *const bad[] = { "\x01", "\xff", "\xed\xa0\x80", "\xef\xbf\xbe", "\xc0\x80", "\xf4\x90\x80\x80",
                                   "\xe2\x82", "]]>", "<b", "</c>", "&", "<b x='<'/>", "<b x='1' x='2'/>", "\x80",
                                   "\xf0\x80\x80\x80" };

static size_t make(char *to)
{
    const u32 n = 1 + chance(chance(8) ? 30 : 400);
    const u32 wrong = chance(3) ? n : chance(n);
    char *at = to + sprintf(to, "<r>%*s", (int)chance(70), "");
    for (u32 i = 0; i < n; i++) {
        const char *piece =
            i == wrong ? bad[chance(sizeof bad / sizeof *bad)] : good[chance(sizeof good / sizeof *good)];
        at += sprintf(at, "%s", piece);
    }
    at += sprintf(at, "</r>");
    if (chance(8) == 0)
        to[chance((u32)(at - to))] = (char)chance(256);
    return (size_t)(at - to);
}

int main(int argc, char **argv)
{
    static char xml[1 << 17];
    gx_parser *p;
    gx_error err;
    u32 n_taken = 0, n_refused = 0;
    const u32 count = argc > 1 ? (u32)atoi(argv[1]) : 1000;
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (gx_parser_create(&p, &err))
        return 2;
    for (u32 k = 0; k < count; k++) {
        const size_t n = make(xml);
        gx_parse_options o;
        gx_doc *doc[2] = { NULL, NULL };
        memset(&o, 0, sizeof o);
        o.seed = 1 + k;
        o.flags = chance(8) ? 0 : GX_DOC_LINES;
        for (u32 set = 0; set < 2; set++) {
            gx_scan_choose(&p->scan, set ? GX_SCAN_SETS - 1 : 0);
            if (gx_parser_begin(p, &o, &err) || gx_scan_feed(p, xml, n, 1))
                continue;
            if (gx_parse(p, &o, xml, n, &doc[set], &err))
                doc[set] = NULL;
        }
        if (!doc[0] != !doc[1] || (doc[0] && (doc[0]->size != doc[1]->size || memcmp(doc[0], doc[1], doc[0]->size)))) {
            printf("document %u: %s\n%.*s\n", k, !doc[0] != !doc[1] ? "one refuses it" : "the blocks differ", (int)n,
                   xml);
            return 1;
        }
        n_taken += doc[0] != NULL;
        n_refused += !doc[0];
        free(doc[0]);
        free(doc[1]);
    }
    printf("%u taken, %u refused\n", n_taken, n_refused);
    return n_taken > count / 3 && n_refused > count / 20 ? 0 : 1;
}
