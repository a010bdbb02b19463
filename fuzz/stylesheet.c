/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stylesheet.c -- fuzzing the stylesheet compiler with files, and running what it makes
 *
 * Input: the stylesheet. The file system it sees is a directory with nothing but that file.
 */
#include <fcntl.h>
#include <unistd.h>
#include "fuzz.h"

static char dir[64], path[96];

static void remove_files(void)
{
    unlink(path);
    rmdir(dir);
}

static void fuzz_warning(void *ctx, const gx_error *what)
{
    (void)ctx;
    FUZZ_ASSERT(what->status == GX_ESTYLE && what->text[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *root = dir;
    static const gx_loader loader = { .roots = &root, .n_roots = 1 };
    static fuzz_output out;
    gx_compile_options o;
    gx_program *program;
    gx_error err;
    if (!*dir) {
        strcpy(dir, "/tmp/gpuxml-fuzz-XXXXXX");
        FUZZ_ASSERT(mkdtemp(dir));
        sprintf(path, "%s/style.xsl", dir);
        atexit(remove_files);
    }
    if (size > 65536)
        return 0;
    fuzz_start();
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    FUZZ_ASSERT(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    close(fd);
    memset(&err, 0, sizeof err);
    memset(&o, 0, sizeof o);
    o.loader = &loader;
    if (size & 1)
        o.warning = fuzz_warning;
    gx_status status = gx_compile(path, &o, fuzz_pool, &program, &err);
    if (status != GX_OK) {
        FUZZ_ASSERT(status == err.status && err.text[0]);
        return 0;
    }
    FUZZ_ASSERT(gx_program_check(program, program->size, &err) == GX_OK);
    for (u32 i = 0; i < FUZZ_N_DOCUMENTS; i++) {
        gx_doc *doc = fuzz_parse(fuzz_documents[i], strlen(fuzz_documents[i]), program, 0);
        fuzz_run(program, doc, &loader, 0, 0, 0, &out, &err);
        free(doc);
    }
    free(program);
    apr_pool_clear(fuzz_pool);          /* APR's memory is mapped, where LeakSanitizer does not look for references */
    return 0;
}
