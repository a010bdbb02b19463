/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libxslt.c -- the peer: libxslt in process, timed the same way as gpuxslt --timing --json --repeat N
 *
 *   libxslt style.xsl doc.xml N      one JSON object on standard output: medians of N rounds of parse, transform,
 * serialise, free
 *
 * The stylesheet is compiled once, the document's bytes are in memory and are parsed anew for every round. Freeing the
 * two trees is part of the work (the engine frees nothing) and is reported by itself. External entities and DTDs are
 * not loaded.
 */
#include <libexslt/exslt.h>
#include <libxml/parser.h>
#include <libxslt/transform.h>
#include <libxslt/xsltutils.h>
#include <stdio.h>
#include <stdlib.h>
#include "../tools/timing.h"

static char *read_file(const char *name, int *size)
{
    FILE *f = fopen(name, "rb");
    if (!f || fseek(f, 0, SEEK_END))
        return NULL;
    long n = ftell(f);
    rewind(f);
    char *at = n >= 0 && n < 1 << 30 ? malloc((size_t)n + 1) : NULL;
    if (at && fread(at, 1, (size_t)n, f) != (size_t)n)
        return NULL;
    fclose(f);
    *size = (int)n;
    return at;
}

static unsigned long long peak_bytes(void)
{
    char line[256];
    unsigned long long kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "VmHWM: %llu kB", &kb) != 1)
        ;
    if (f)
        fclose(f);
    return kb * 1024;
}

int main(int argc, char **argv)
{
    enum { PARSE, TRANSFORM, SERIALIZE, FREE, N_STEPS };
    int n = argc == 4 ? atoi(argv[3]) : 0, size = 0, length = 0;
    if (n < 1)
        return fprintf(stderr, "usage: libxslt style.xsl doc.xml N\n"), 1;
    exsltRegisterAll();
    xsltStylesheetPtr sheet = xsltParseStylesheetFile((const xmlChar *)argv[1]);
    char *bytes = read_file(argv[2], &size);
    double *t[N_STEPS];
    for (int k = 0; k < N_STEPS; k++)
        t[k] = malloc(sizeof **t * (size_t)n);
    if (!sheet || !bytes)
        return fprintf(stderr, "libxslt: cannot read %s\n", sheet ? argv[2] : argv[1]), 2;
    for (int i = 0; i < n; i++) {
        double t0 = now_us();
        xmlDocPtr doc = xmlReadMemory(bytes, size, argv[2], NULL,
                                      XML_PARSE_NOENT | XML_PARSE_NOCDATA | XML_PARSE_NONET | XML_PARSE_HUGE
                                      | XML_PARSE_COMPACT);
        if (!doc)
            return 3;
        double t1 = now_us();
        xmlDocPtr result = xsltApplyStylesheet(sheet, doc, NULL);
        if (!result)
            return 4;
        double t2 = now_us();
        xmlChar *out = NULL;
        if (xsltSaveResultToString(&out, &length, result, sheet) < 0)
            return 5;
        double t3 = now_us();
        xmlFree(out);
        xmlFreeDoc(result);
        xmlFreeDoc(doc);
        double t4 = now_us();
        t[PARSE][i] = t1 - t0;
        t[TRANSFORM][i] = t2 - t1;
        t[SERIALIZE][i] = t3 - t2;
        t[FREE][i] = t4 - t3;
    }
    printf("{\"parse_us\":%.2f,\"evaluate_us\":%.2f,\"serialize_us\":%.2f,\"free_us\":%.2f,\"output_bytes\":%d,"
           "\"peak_bytes\":%llu,\"repeat\":%d}\n",
           median(t[PARSE], n), median(t[TRANSFORM], n), median(t[SERIALIZE], n), median(t[FREE], n), length,
           peak_bytes(), n);
    return 0;
}
