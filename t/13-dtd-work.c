/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 13-dtd-work.c -- what declarations cost, counted: comparisons of names grow with the document, and where Expat's own
 * work grows with the square of the declarations, the clock is looked at all the time
 *
 * This program's strcmp, strncmp and clock_gettime stand before the C library's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "gx.h"

#define N 20000u                /* declarations, or attributes */
#define STEPS_A_LOOK 65536.0    /* of Expat's loop over an element's declarations, some 0.1 ms */

#define OWN __attribute__((visibility("default"), optimize("no-tree-loop-distribute-patterns")))
static u64 n_compared, n_looks;

OWN int strncmp(const char *a, const char *b, size_t n)
{
    n_compared++;
    for (; n && *a && *a == *b; a++, b++, n--)
        ;
    return n ? (unsigned char)*a - (unsigned char)*b : 0;
}

OWN int strcmp(const char *a, const char *b) { return strncmp(a, b, PTRDIFF_MAX); }

OWN int clock_gettime(clockid_t id, struct timespec *out)
{
    n_looks++;
    return (int)syscall(SYS_clock_gettime, id, out);
}

typedef struct kind {
    const char *name, *declared, *element, *written;    /* declared for each of N, %x its number; written in the tag */
    double steps;                                       /* of Expat's, at least */
} kind;

static char *make(const kind *k, size_t *n)
{
    const size_t cap = N * 120 + 1000;
    char *text = malloc(cap);
    *n = (size_t)snprintf(text, cap, "<!DOCTYPE r [%s", k->element ? k->element : "");
    for (u32 i = 0; i < N; i++)
        *n += (size_t)snprintf(text + *n, cap - *n, k->declared, i, i);
    *n += (size_t)snprintf(text + *n, cap - *n, "%s]><r><x", k->element ? ">" : "");
    for (u32 i = 0; k->written && i < N; i++)
        *n += (size_t)snprintf(text + *n, cap - *n, k->written, i);
    *n += (size_t)snprintf(text + *n, cap - *n, "/></r>");
    return text;
}

static void test_work(void **state)
{
    static const kind kinds[] = {
        { "defaults", " a%x CDATA 'v'", "<!ATTLIST x", NULL, N / 2.0 * N },
        { "defaults that are overridden", " a%x NMTOKEN 'v'", "<!ATTLIST x", " a%x='w '", N / 2.0 * N },
        { "types without defaults", " a%x NMTOKEN #IMPLIED", "<!ATTLIST x", " a%x=' w'", 0 },
        { "IDs", " a%x ID #IMPLIED", "<!ATTLIST x", NULL, N / 2.0 * N },
        { "IDs, one of them written", " a%x ID #REQUIRED", "<!ATTLIST x a ID #IMPLIED", NULL, N / 2.0 * N },
        { "the same one", " a CDATA #IMPLIED", "<!ATTLIST x", NULL, 0 },
        { "elements", "<!ATTLIST e%x a NMTOKEN #IMPLIED>", NULL, NULL, 0 },
        { "elements, defaults", "<!ATTLIST e%x a CDATA 'v'><!ATTLIST e%x a CDATA 'w'>", NULL, NULL, 0 },
        { "entities", "<!ENTITY e%x 'v'>", NULL, NULL, 0 },
    };
    gx_limits limits = {
        .attributes = 1u << 30, .name = 1u << 30, .nodes = 1u << 30, .text = 1u << 30, .input = 1u << 30
    };
    gx_parser *parser;
    gx_error err;
    (void)state;
    assert_int_equal(gx_parser_create(&parser, &err), GX_OK);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int expat = 0; expat < 2; expat++) {
            const kind *k = &kinds[i];
            gx_parse_options o = { .limits = &limits, .timeout_us = 3600u * 1000000u, .expat = expat };
            gx_doc *doc = NULL;
            size_t n;
            char *text = make(k, &n);
            n_compared = n_looks = 0;
            const gx_status status = gx_parse(parser, &o, text, n, &doc, &err);
            const u64 compared = n_compared, looks = n_looks;
            printf("# %s: %llu comparisons, %llu looks\n", k->name, (unsigned long long)compared,
                   (unsigned long long)looks);
            if (status != GX_OK)
                fail_msg("%s: %s", k->name, err.text);
            if (compared > 40ull * N)
                fail_msg("%s: %llu comparisons", k->name, (unsigned long long)compared);
            if ((double)looks < k->steps / STEPS_A_LOOK)
                fail_msg("%s: %llu looks at the clock", k->name, (unsigned long long)looks);
            free(doc);
            free(text);
        }
    gx_parser_free(parser);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_work) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
