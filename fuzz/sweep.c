/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep.c -- every word of every program, document and result of t/cases, and of some selections, changed to each of
 * some values: whatever passes the checks is safe
 *
 *   build/asan/fuzz/sweep [NAME]      from the root of the tree; NAME: only stylesheets whose path, selections whose
 * expression has it
 *
 * block.c changes words at random and seldom meets the one field whose check is missing; this one meets them all. A
 * process for each program, as many at a time as there are cores; a crash costs the rest of its program only, and
 * names the word.
 */
#include <glob.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fuzz.h"

enum { STEPS = 20000, RECURSION = 40, ARENA = 300000, MAX_DOCUMENT = 6000, MAX_RESULT = 40000 };

/* what GPUXPATH asks for: a value of each type, and nodes of each kind */
static const char *const selections[] = {
    "//*[@*][position() < 3]/@*", "//text() | //comment() | //processing-instruction()", "/*/namespace::*", "/",
        "sum(//*[. > 1]) div 2",
    "concat(name(//*[last()]), translate(/*, 'abc', 'AB'))", "boolean(//*[not(*)] = /*/*[2]) or count(//*[last()]) > 2"
};
enum { N_SELECTIONS = sizeof selections / sizeof *selections };

static char doing[500];                 /* for the report of a crash */
static u64 n_changed, n_evaluated;

/* called by the sanitizers before they print */
#define HOOK __attribute__((visibility("default"))) void
HOOK __asan_on_error(void);
HOOK __asan_on_error(void) { fprintf(stderr, "%s\n", doing); }
HOOK __ubsan_on_report(void);
HOOK __ubsan_on_report(void) { fprintf(stderr, "%s\n", doing); }

static gx_doc *parse(const char *xsl, const gx_program *p)
{
    static char bytes[MAX_DOCUMENT];
    if (p->flags & GX_P_XPATH)
        return fuzz_parse(fuzz_documents[1], strlen(fuzz_documents[1]), p, 0);
    const char *paths[2] = { apr_pstrcat(fuzz_pool, apr_pstrndup(fuzz_pool, xsl, strlen(xsl) - 4), ".xml", NULL),
                             apr_pstrcat(fuzz_pool, apr_pstrndup(fuzz_pool, xsl, (size_t)(strrchr(xsl, '/') - xsl)),
                                         "/doc.xml", NULL) };
    gx_doc *doc = NULL;
    for (int i = 0; i < 2 && !doc; i++) {
        FILE *f = fopen(paths[i], "rb");
        size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
        if (f)
            fclose(f);
        if (n && n < sizeof bytes)
            doc = fuzz_parse(bytes, n, p, 0);
    }
    return doc ? doc : fuzz_parse(fuzz_documents[1], strlen(fuzz_documents[1]), p, 0);
}

static void tried(int is_evaluated)
{
    n_changed++;
    n_evaluated += is_evaluated != 0;
    apr_pool_clear(fuzz_pool);
}

/* Word w of the program, or of the document. */
static void evaluate(const gx_program *p0, const gx_doc *d0, int in_doc, u64 w, u32 value)
{
    static fuzz_output out;
    gx_error err;
    gx_program *p = fuzz_copy(p0, p0->size);
    gx_doc *d = fuzz_copy(d0, d0->size);
    ((u32 *)(in_doc ? (void *)d : (void *)p))[w] = value;
    const int good = gx_program_check(p, p0->size, &err) == GX_OK && gx_doc_check(d, d0->size, &err) == GX_OK;
    if (good)
        fuzz_run(p, d, NULL, 0, 1, ARENA, &out, &err);
    free(p);
    free(d);
    tried(good);
}

/* Word w of an answer of the worker's, as gx_queue_wait hands it on: a private copy whose `used` is not beyond its
 * end. */
static void serialize(const gx_program *p, const gx_doc *d, const void *image, u64 size, u64 w, u32 value)
{
    static fuzz_output out;
    gx_error err;
    gx_media media;
    gx_serialize_options so;
    gx_evaluation ev;
    const gx_doc *docs[1] = { d };
    u32 base[1] = { 0 };
    u32 *copy = fuzz_copy(image, size);
    copy[w] = value;
    memset(&so, 0, sizeof so);
    memset(&ev, 0, sizeof ev);
    so.limits = &fuzz_limits;
    ev.program = p;
    ev.doc = d;
    ev.limits = &fuzz_limits;
    ev.base = copy;
    ev.docs = docs;
    ev.doc_base = base;
    ev.n_docs = 1;
    ev.pool = fuzz_pool;
    if (!out.at)
        FUZZ_ASSERT((out.at = malloc(FUZZ_MAX_OUTPUT)) != NULL);
    out.n = 0;
    const int good = ((const gx_result *)copy)->used <= size;
    if (good && p->flags & GX_P_XPATH)
        gx_serialize_selection(&ev, &so, 1, "r", fuzz_sink, &out, &media, &err);
    else if (good) {
        gx_doc *made;
        gx_serialize(&ev, &so, fuzz_sink, &out, &media, &err);
        if (gx_result_as_source(&ev, &so, p, &made, &err) == GX_OK) {
            FUZZ_ASSERT(gx_doc_check(made, made->size, &err) == GX_OK);
            free(made);
        }
    }
    free(copy);
    tried(good);
}

/* The result image in memory of its own; NULL: there is none without help of its process, or a large one. */
static void *result_of(const gx_program *p, const gx_doc *d, u64 *size)
{
    gx_evaluation ev;
    gx_error err;
    memset(&ev, 0, sizeof ev);
    ev.program = p;
    ev.doc = d;
    ev.limits = &fuzz_limits;
    ev.team.kind = GX_TEAM_KIND_SOLO;
    ev.team.members = 1;
    ev.arena = fuzz_arena;
    ev.pool = fuzz_pool;
    if (p->flags & GX_P_HOST || gx_evaluate(&ev, &err) != GX_OK || ev.n_docs != 1)
        return NULL;
    *size = ((const gx_result *)ev.base)->used;
    return *size > MAX_RESULT ? NULL : fuzz_copy(ev.base, *size);
}

/* block: of the program, the document, or their result */
static void sweep(const char *xsl, const char *what, const gx_program *p, const gx_doc *d, u32 *block, u64 size)
{
    for (u64 w = 0; w < size / 4; w++) {
        const u32 old = block[w], values[] = { 0, 1, 2, 3, old + 1, old - 1, old + 16, old * 2, old ^ 256,
                                               old ^ 0x80000000u, (u32)(size / 4),
                                               0x7fffffffu, 0xfffffff0u, 0xffffffffu };
        for (u32 k = 0; k < sizeof values / sizeof *values; k++) {
            if (values[k] == old)
                continue;
            snprintf(doing, sizeof doing, "%s: word %llu of the %s, %#x instead of %#x", xsl, (unsigned long long)w,
                     what, values[k], old);
            if (block == (u32 *)p || block == (u32 *)d)
                evaluate(p, d, block == (u32 *)d, w, values[k]);
            else
                serialize(p, d, block, size, w, values[k]);
        }
    }
}

int main(int argc, char **argv)
{
    static const gx_loader anywhere;
    gx_compile_options o;
    glob_t g;
    long cores = sysconf(_SC_NPROCESSORS_ONLN), running = 0;
    size_t ended = 0, bad = 0;
    memset(&o, 0, sizeof o);
    o.loader = &anywhere;
    fuzz_start();
    fuzz_limits.steps = STEPS;
    fuzz_limits.recursion = RECURSION;
    FUZZ_ASSERT(glob("t/cases/*/*.xsl", 0, NULL, &g) == 0);
    for (size_t i = 0; i < g.gl_pathc + N_SELECTIONS || running; ) {
        if (i < g.gl_pathc + N_SELECTIONS && running < cores) {
            const int is_selection = i >= g.gl_pathc;
            const char *name = is_selection ? selections[i - g.gl_pathc] : g.gl_pathv[i];
            i++;
            if (argc > 1 && !strstr(name, argv[1]))
                continue;
            running++;
            if (fork() != 0)
                continue;
            gx_error err;
            gx_program *p;
            apr_pool_t *pool;
            FUZZ_ASSERT(apr_pool_create(&pool, NULL) == APR_SUCCESS);
            if ((is_selection ? gx_compile_select : gx_compile)(name, &o, pool, &p, &err) != GX_OK) {
                FUZZ_ASSERT(!is_selection);
                _exit(0);               /* a case of an error */
            }
            gx_doc *d = parse(name, p);
            sweep(name, "program", p, d, (u32 *)p, p->size);
            sweep(name, "document", p, d, (u32 *)d, d->size);
            u64 size;
            void *result = result_of(p, d, &size);
            if (result)
                sweep(name, "result", p, d, result, size);
            printf("%-50s %9llu changed, %9llu passed the checks and were evaluated\n", name,
                   (unsigned long long)n_changed, (unsigned long long)n_evaluated);
            fflush(stdout);
            _exit(0);
        }
        int status;
        wait(&status);
        running--;
        ended++;
        bad += status != 0;
        if (status)
            printf("FINDING: see above\n");
        fflush(stdout);
    }
    printf("%zu programs, %zu findings\n", ended, bad);
    fflush(stdout);
    _exit(bad != 0);                    /* what was compiled was never given back: not a leak to look for */
}
