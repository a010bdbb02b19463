/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xpath.c -- fuzzing XPath: an expression is refused with a sentence, or is a sound program that runs on every document
 *
 * Input: the expression. What one thread and a team of three make of it must be the same.
 */
#include "fuzz.h"

static int ignore(void *ctx, const char *bytes, size_t n) { (void)ctx; (void)bytes; (void)n; return 0; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const gx_param names[] = { { "n", "urn:n" }, { "d", "urn:d" }, { "exsl", "http://exslt.org/common" },
        { "str", "http://exslt.org/strings" }, { "math", "http://exslt.org/math" },
        { "set", "http://exslt.org/sets" } };
    static fuzz_output out[2];
    gx_compile_options o;
    gx_program *program;
    gx_error err;
    if (size > 4096)
        return 0;
    fuzz_start();
    memset(&err, 0, sizeof err);
    memset(&o, 0, sizeof o);
    o.namespaces = names;
    o.n_namespaces = sizeof names / sizeof *names;
    gx_status status = gx_compile_select(apr_pstrmemdup(fuzz_pool, (const char *)data, size), &o, fuzz_pool,
                                         &program, &err);
    if (status != GX_OK) {
        FUZZ_ASSERT(status == err.status && err.text[0]);
        return 0;
    }
    FUZZ_ASSERT(gx_program_check(program, program->size, &err) == GX_OK);
    void gx_explain_expr(const gx_program *, u32, gx_sink, void *);
    gx_explain_expr(program, GX_PROG_TAB(program, gx_global, globals)[0].expr, ignore, NULL);
    for (u32 i = 0; i < FUZZ_N_DOCUMENTS; i++) {
        gx_doc *doc = fuzz_parse(fuzz_documents[i], strlen(fuzz_documents[i]), program, 0);
        status = fuzz_run(program, doc, NULL, 0, 0, 0, &out[0], &err);
        gx_status again = fuzz_run(program, doc, NULL, 3, 0, 0, &out[1], &err);
        if (!fuzz_varies(program) && status != GX_EARENA && again != GX_EARENA && status != GX_ETIME
            && again != GX_ETIME)
            FUZZ_ASSERT(status == again && out[0].n == out[1].n && !memcmp(out[0].at, out[1].at, out[0].n));
        free(doc);
    }
    free(program);
    apr_pool_clear(fuzz_pool);          /* APR's memory is mapped, where LeakSanitizer does not look for references */
    return 0;
}
