/* SPDX-License-Identifier: Apache-2.0 */
/*
 * each_xpath.c -- libxml2 evaluates one profile after the other: a peer of gpuxml-match
 *
 *   build/bench/each_xpath ROUNDS PROFILES DOCUMENT ...
 *
 * Expressions are compiled before, documents parsed before. Writes the least CPU time of ROUNDS for a document, in
 * microseconds, and how many profiles match one.
 */
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
    static char line[1 << 16];
    FILE *f = argc > 3 ? fopen(argv[2], "r") : NULL;
    xmlXPathCompExprPtr *profiles = NULL;
    int n = 0, n_docs = argc - 3, rounds = argc > 1 ? atoi(argv[1]) : 0;
    double least = 0, matches = 0;
    if (!f)
        return 1;
    while (fgets(line, sizeof line, f)) {
        char *tab = strchr(line, '\t');
        line[strcspn(line, "\n")] = 0;
        if (!(n & (n - 1)))
            profiles = realloc(profiles, (n ? 2 * (size_t)n : 1) * sizeof *profiles);
        if (!profiles || !tab || !(profiles[n++] = xmlXPathCompile((const xmlChar *)tab + 1)))
            return 2;
    }
    fclose(f);
    for (int i = 0; i < n_docs; i++) {
        xmlDocPtr doc = xmlReadFile(argv[3 + i], NULL, XML_PARSE_HUGE);
        xmlXPathContextPtr c = doc ? xmlXPathNewContext(doc) : NULL;
        double best = 0;
        if (!c)
            return 3;
        for (int round = 0; round < rounds; round++) {
            const double from = now_us();
            int found = 0;
            c->node = (xmlNodePtr)doc;
            for (int k = 0; k < n; k++)
                found += xmlXPathCompiledEvalToBoolean(profiles[k], c) == 1;
            const double took = now_us() - from;
            best = !round || took < best ? took : best;
            matches += round ? 0 : found;
        }
        least += best;
        xmlXPathFreeContext(c);
        xmlFreeDoc(doc);
    }
    printf("%.1f us, %.0f matches\n", least / n_docs, matches / n_docs);
    return 0;
}
