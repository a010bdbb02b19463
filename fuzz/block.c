/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.c -- fuzzing the checks of shared memory: what passes gx_program_check and gx_doc_check must be safe to
 * evaluate
 *
 * Input: a byte that chooses the stylesheet, one that chooses the document, one of options (5 bits; 3 more of the
 * stylesheet), then words to overwrite: (where: 4 bytes, modulo the block's words; new value: 4 bytes). As a hostile
 * client of the worker would send them, except that most of the block is sound, which gets much deeper than noise. The
 * stylesheets are those of t/cases, from the root of the tree.
 */
#include <glob.h>
#include "fuzz.h"

static gx_program *programs[2048];       /* as many as can be chosen */
static u32 n_programs;

static void compile_all(void)
{
    static const gx_loader anywhere;
    gx_compile_options o;
    glob_t g;
    memset(&o, 0, sizeof o);
    o.loader = &anywhere;
    FUZZ_ASSERT(glob("t/cases/*/*.xsl", 0, NULL, &g) == 0);
    FUZZ_ASSERT(g.gl_pathc <= sizeof programs / sizeof *programs);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        gx_error err;
        if (gx_compile(g.gl_pathv[i], &o, fuzz_pool, &programs[n_programs], &err) == GX_OK)
            n_programs++;
    }
    globfree(&g);
}

static void overwrite(void *block, u64 size, fuzz_bytes *b, u32 times)
{
    for (u32 i = 0; i < times && b->at < b->end; i++) {
        u32 where = fuzz_word(b), how = where >> 28, *at = (u32 *)block + (where & 0x0fffffff) % (size / 4),
            value = fuzz_word(b);
        *at = how & 1 ? value : how & 2 ? *at + (u32)(i32)(int8_t)value : how & 4 ? *at ^ 1u << (value & 31)
            : value & 255;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fuzz_output out;
    static gx_doc *docs[FUZZ_N_DOCUMENTS][2];
    gx_error err;
    fuzz_bytes b = { data, data + size };
    fuzz_start();
    if (!n_programs) {
        compile_all();
        for (u32 i = 0; i < FUZZ_N_DOCUMENTS; i++)
            for (u32 k = 0; k < 2; k++)
                docs[i][k] = fuzz_parse(fuzz_documents[i], strlen(fuzz_documents[i]), NULL, k ? GX_DOC_NAMESPACES : 0);
    }
    const u32 sheet = fuzz_byte(&b), document = fuzz_byte(&b), options = fuzz_byte(&b);
    const gx_program *p0 = programs[(sheet | (options >> 5) << 8) % n_programs];
    const gx_doc *d0 = docs[document % FUZZ_N_DOCUMENTS][p0->flags & GX_P_NAMESPACE_AXIS ? 1 : 0];
    gx_program *program = fuzz_copy(p0, p0->size);
    gx_doc *doc = fuzz_copy(d0, d0->size);
    u64 program_size = program->size, doc_size = doc->size;
    if (options & 3)
        overwrite(program, program_size, &b, options & 2 ? 1000 : 4);
    if (!(options & 3) || (options & 4))
        overwrite(doc, doc_size, &b, 1000);
    if (gx_program_check(program, program_size, &err) == GX_OK && gx_doc_check(doc, doc_size, &err) == GX_OK) {
        /* the serialiser's own code is made anew by whoever serialises: a worker only evaluates */
        fuzz_run(program, doc, NULL, options & 8 ? 3 : 0, 1, options & 16 ? 0 : 300000, &out, &err);
    }
    free(program);
    free(doc);
    apr_pool_clear(fuzz_pool);          /* APR's memory is mapped, where LeakSanitizer does not look for references */
    return 0;
}
