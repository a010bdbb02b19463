/*
 * scan_both.h -- one document by the scanner and by Expat: the same block, or the same refusal. Shared by t/12-scan.c and fuzz/scan.c
 */
#ifndef SCAN_BOTH_H
#define SCAN_BOTH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "document/parser.h"
#include "document/doc_check.h"

/* How a document reaches the parser: whole (0), or in pieces of so many bytes; cut once: at that byte */
typedef struct both_way { size_t piece, cut; } both_way;

static gx_status both_parse(gx_parser *p, const gx_parse_options *o, const char *xml, size_t n, both_way way, gx_doc **doc, gx_error *err)
{
    if (!way.piece && !way.cut)
        return gx_parse(p, o, xml, n, doc, err);
    gx_status status = gx_parser_begin(p, o, err);
    for (size_t at = 0; at < n && !status; ) {
        const size_t most = way.piece ? way.piece : at ? n : way.cut, size = n - at < most ? n - at : most;
        /* a piece of its own: AddressSanitizer sees the first byte beyond */
        char *piece = malloc(size);
        memcpy(piece, xml + at, size);
        status = gx_parser_feed(p, piece, size, err);
        free(piece);
        at += size;
    }
    return status ? status : gx_parser_finish(p, doc, err);
}

/* A name that is not ASCII: Expat's are of an earlier edition of XML */
static int both_new_names(const gx_doc *d)
{
    const char *strs = GX_DOC_COL(d, char, strs);
    for (u64 i = 0; i < d->strs_size; i++)
        if (strs[i] & 0x80)
            return 1;
    return 0;
}

/* NULL, or what is wrong. *scanned: the scanner read the document */
static const char *both_compare(gx_parser *p, const gx_parse_options *options, const char *xml, size_t n, both_way way, int *scanned)
{
    static char what[2000];
    gx_parse_options o = *options;
    gx_error err[2];
    gx_doc *doc[2] = { NULL, NULL };
    gx_status status[2];
    const char *wrong = NULL;
    int latin_1 = 0;            /* Expat has its own names there, and shows bytes as they are */
    memset(err, 0, sizeof err);
    for (int expat = 0; expat < 2; expat++) {
        o.expat = expat;
        status[expat] = both_parse(p, &o, xml, n, way, &doc[expat], &err[expat]);
        if (!expat) {
            *scanned = !p->uses_expat;
            latin_1 = p->latin_1;
        }
    }
    if (status[0] == GX_OK && status[1] == GX_OK) {
        gx_error why;
        if (doc[0]->size != doc[1]->size || memcmp(doc[0], doc[1], doc[0]->size))
            wrong = "the blocks differ";
        else if (gx_doc_check(doc[0], doc[0]->size, &why))
            wrong = "the block does not check out";
    } else if (status[0] == GX_OK) {
        if (!both_new_names(doc[0]))
            snprintf(what, sizeof what, "Expat refuses it: %u:%u: %s", err[1].line, err[1].column, err[1].text), wrong = what;
    } else if (status[1] == GX_OK) {
        if (!latin_1 || !both_new_names(doc[1]))
            snprintf(what, sizeof what, "refused, and Expat accepts it: %u:%u: %s", err[0].line, err[0].column, err[0].text), wrong = what;
    } else if (status[0] != status[1] || err[0].limit != err[1].limit || (!latin_1 && !way.piece && !way.cut && strcmp(err[0].text, err[1].text)) ||
               (!latin_1 && (err[0].line != err[1].line || err[0].column != err[1].column || err[0].byte != err[1].byte))) {
        /* in pieces Expat may not see all that the sentence could be about, so that is shorter */
        snprintf(what, sizeof what, "%u:%u byte %llu: %s; by Expat %u:%u byte %llu: %s", err[0].line, err[0].column, (unsigned long long)err[0].byte,
                 err[0].text, err[1].line, err[1].column, (unsigned long long)err[1].byte, err[1].text), wrong = what;
    }
    free(doc[0]);
    free(doc[1]);
    return wrong;
}

#endif
