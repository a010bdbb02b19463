/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz.h -- what the fuzz targets share: pool, arena, fixed documents, a run from program to bytes
 *
 * A target is one file with LLVMFuzzerTestOneInput. Everything that must hold whatever the bytes are is said with
 * FUZZ_ASSERT, which ends the process, so that libFuzzer keeps the input. The limits are small: an input that needs
 * long is a finding.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <apr_general.h>
#include <apr_pools.h>
#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "engine/gx.h"

#define FUZZ_ASSERT(x) do { \
    if (!(x)) { fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #x); abort(); } \
} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_MAX_OUTPUT = 1 << 20, FUZZ_TIMEOUT_US = 2000000, FUZZ_MARGIN_US = 3000000 };

/* Decisions out of the input's bytes; 0 when they are used up. */
typedef struct fuzz_bytes { const uint8_t *at, *end; } fuzz_bytes;
static inline __attribute__((unused)) u32 fuzz_byte(fuzz_bytes *b) { return b->at < b->end ? *b->at++ : 0; }
static inline __attribute__((unused)) u32 fuzz_word(fuzz_bytes *b)
{
    u32 x = fuzz_byte(b);
    x |= fuzz_byte(b) << 8;
    x |= fuzz_byte(b) << 16;
    return x | fuzz_byte(b) << 24;
}

typedef struct fuzz_output { char *at; size_t n; } fuzz_output;
static inline __attribute__((unused)) int fuzz_sink(void *ctx, const char *bytes, size_t n)
{
    fuzz_output *o = ctx;
    if (n > FUZZ_MAX_OUTPUT - o->n)
        return 1;
    if (n)
        memcpy(o->at + o->n, bytes, n);
    o->n += n;
    return 0;
}

/* A copy of a block with nothing after it: AddressSanitizer sees the first byte beyond. The caller frees it. */
static inline __attribute__((unused)) void *fuzz_copy(const void *block, u64 size)
{
    void *at;
    FUZZ_ASSERT(posix_memalign(&at, 64, size) == 0);
    return memcpy(at, block, size);
}

static apr_pool_t *fuzz_pool;           /* cleared before each run */
static gx_parser *fuzz_parser;
static gx_arena *fuzz_arena;
static gx_limits fuzz_limits;

static inline __attribute__((unused)) void fuzz_start(void)
{
    gx_error err;
    if (fuzz_pool) {
        apr_pool_clear(fuzz_pool);
        return;
    }
    FUZZ_ASSERT(apr_initialize() == APR_SUCCESS && apr_pool_create(&fuzz_pool, NULL) == APR_SUCCESS);
    FUZZ_ASSERT(gx_parser_create(&fuzz_parser, &err) == GX_OK && gx_arena_create(16 << 20, &fuzz_arena, &err) == GX_OK);
    fuzz_limits.input = 1 << 20;
    fuzz_limits.output = FUZZ_MAX_OUTPUT;
    fuzz_limits.arena = 16 << 20;
    fuzz_limits.steps = 1000000;
    fuzz_limits.recursion = 300;
    gx_limits_default(&fuzz_limits);
}

static inline u64 fuzz_clock_us(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (u64)t.tv_sec * 1000000 + (u64)t.tv_nsec / 1000;
}
static inline __attribute__((unused)) u64 fuzz_now_us(void) { return fuzz_clock_us(CLOCK_MONOTONIC); }
static inline __attribute__((unused)) u64 fuzz_cpu_us(void) { return fuzz_clock_us(CLOCK_PROCESS_CPUTIME_ID); }

static inline __attribute__((unused)) gx_doc *fuzz_parse(const char *xml, size_t n,
                                                         const gx_program *program, u32 flags)
{
    gx_error err;
    gx_doc *doc;
    gx_parse_options o;
    memset(&o, 0, sizeof o);
    o.limits = &fuzz_limits;
    o.spaces = program;
    o.base_uri = "/fuzz/doc.xml";
    o.flags = flags | (program && (program->flags & GX_P_NAMESPACE_AXIS) ? GX_DOC_NAMESPACES : 0);
    return gx_parse(fuzz_parser, &o, xml, n, &doc, &err) == GX_OK ? doc : NULL;
}

/* Evaluates and serialises; *out has what was written (malloc'd once, FUZZ_MAX_OUTPUT). The status of whichever
 * failed. */
static inline __attribute__((unused)) gx_status fuzz_run(const gx_program *program, const gx_doc *doc,
                                                         const gx_loader *loader,
                                                         int threads, int evaluate_only, u64 arena_bytes,
                                                         fuzz_output *out, gx_error *err)
{
    gx_limits limits = fuzz_limits;
    gx_evaluation ev;
    gx_serialize_options so;
    gx_media media;
    u64 from = fuzz_now_us(), cpu = fuzz_cpu_us();
    if (arena_bytes)
        limits.arena = arena_bytes;
    memset(&ev, 0, sizeof ev);
    memset(&so, 0, sizeof so);
    memset(err, 0, sizeof *err);
    ev.program = program;
    ev.doc = doc;
    ev.limits = so.limits = &limits;
    ev.loader = loader;
    ev.team.kind = threads ? GX_TEAM_KIND_THREADS : GX_TEAM_KIND_SOLO;
    ev.team.members = threads;
    ev.arena = fuzz_arena;
    ev.pool = fuzz_pool;
    ev.deadline_us = from + FUZZ_TIMEOUT_US;
    if (!out->at)
        FUZZ_ASSERT((out->at = malloc(FUZZ_MAX_OUTPUT)) != NULL);
    out->n = 0;
    gx_status status = gx_evaluate(&ev, err);
    /* an operator that does not look at the clock takes far more; of the cores' time, since other work may have the
     * machine */
    FUZZ_ASSERT(fuzz_cpu_us() - cpu < (FUZZ_TIMEOUT_US + FUZZ_MARGIN_US) * (u64)(threads ? threads : 1));
    if (status == GX_OK && !evaluate_only)
        status = program->flags & GX_P_XPATH ? gx_serialize_selection(&ev, &so, 1, "r", fuzz_sink, out, &media, err)
                                             : gx_serialize(&ev, &so, fuzz_sink, out, &media, err);
    FUZZ_ASSERT(status == GX_OK || status == err->status || status == GX_ECANCEL);
    /* the source of the same stylesheet once more */
    if (status == GX_OK && !evaluate_only && !(program->flags & GX_P_XPATH)) {
        gx_doc *made;
        gx_error why;
        memset(&why, 0, sizeof why);
        const gx_status as_source = gx_result_as_source(&ev, &so, program, &made, &why);
        FUZZ_ASSERT(as_source == GX_OK || as_source == why.status);
        if (as_source == GX_OK) {
            FUZZ_ASSERT(gx_doc_check(made, made->size, &why) == GX_OK);
            free(made);
        }
    }
    FUZZ_ASSERT(status != GX_NEED && status != GX_EHOST);
    return status;
}

/* Whether a program of the process's own says something else each time: what the clock, a generator of random numbers
 * says. */
static inline __attribute__((unused)) int fuzz_varies(const gx_program *p)
{
    const gx_op *ops = GX_PROG_TAB(p, gx_op, ops);
    for (u32 i = 0; i < p->ops.n; i++)
        if (ops[i].op == GX_X_FUNC && (ops[i].a == GX_F_MATH_RANDOM || ops[i].a == GX_F_DATE_NOW))
            return 1;
    return 0;
}

/* Documents that have a little of everything. */
static const char *const fuzz_documents[] = {
    "<r/>",
    "<a x='1' y='two'><b>3</b><c x='4'>five<d/>six</c><?p q?><!--co--><b x='7'>8 9</b><c/></a>",
    ("<!DOCTYPE l [<!ATTLIST i id ID #IMPLIED>]>\n<l xmlns:n='urn:n' xml:lang='en'><i id='k1' n:g='1'>10</i><i "
     "id='k2'>9</i>\n"
    "<n:i xml:lang='de-AT'>\xc3\xa4\xc3\xb6\xe2\x82\xac</n:i><i id='k3'><i><i>-1.5e</i></i> x </i></l>"),
    "<x:a xmlns:x='urn:n' xmlns='urn:d'><b xmlns=''><c x:k='v'/><!-- --></b><b> 1 </b><x:b>2</x:b>\xf0\x9f\x98\x80 "
    "&lt;]]&gt;</x:a>",
    "<s><p n='b'>1</p><p n='a'>2</p><p n='B'>1</p><p n='A'>NaN</p><p n=''/><p n='c'>1</p><p>-0</p><p n='a'>1e3</p></s>"
};
enum { FUZZ_N_DOCUMENTS = sizeof fuzz_documents / sizeof *fuzz_documents };

#endif
