/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalog.c -- fuzzing XML catalogs: a file, and what it says of some names, the same each time
 *
 * Input: the catalog entry file. Others that it names are read too, wherever they are.
 */
#include <sys/mman.h>
#include <unistd.h>
#include "engine/files/catalog.h"
#include "fuzz.h"

static void warning(void *ctx, const gx_error *what)
{
    ++*(u32 *)ctx;
    FUZZ_ASSERT(what->status != GX_OK && what->text[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct { const char *public_id, *uri; } names[] = {
        { NULL, "http://a/x" }, { NULL, "" }, { NULL, "urn:publicid:-:A+B%2B;C%" }, { "", "http://a/x" },
            { " -//A  B//EN", "x y\xc3\xa4.dtd" },
        { "-//P", "urn:publicid:-:P" }, { "urn:publicid:%:::", "http://a/b/" },
    };
    char path[40];
    const char *file = path;
    u32 n[2] = { 0, 0 };
    gx_error err;
    if (size > 65536)
        return 0;
    fuzz_start();
    int fd = memfd_create("catalog", MFD_CLOEXEC);
    FUZZ_ASSERT(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    sprintf(path, "/proc/self/fd/%d", fd);
    gx_catalog *c[2] = { gx_catalog_create(fuzz_pool, &file, 1, warning, &n[0]),
                         gx_catalog_create(fuzz_pool, &file, 1, warning, &n[1]) };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *one = gx_catalog_find(c[0], fuzz_pool, names[i].public_id, names[i].uri);
        const char *two = gx_catalog_find(c[1], fuzz_pool, names[i].public_id, names[i].uri);
        FUZZ_ASSERT(!one == !two && (!one || !strcmp(one, two)));
    }
    FUZZ_ASSERT(n[0] == n[1]);
    FUZZ_ASSERT(gx_catalog_check(fuzz_pool, file, &err) == GX_OK || err.text[0]);
    close(fd);
    return 0;
}
