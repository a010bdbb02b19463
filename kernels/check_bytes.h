/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_bytes.h -- bytes that grow, and files read into them: what the checks of the kernels share
 */
#ifndef GX_CHECK_BYTES_H
#define GX_CHECK_BYTES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bytes { char *at; size_t n, cap; } bytes;

/* A gx_sink's function; ctx: bytes. 0, or 1: no memory */
static int append(void *ctx, const char *p, size_t n)
{
    bytes *b = ctx;
    if (b->n + n > b->cap) {
        char *more = realloc(b->at, (b->n + n) * 2);
        if (!more)
            return 1;
        b->at = more;
        b->cap = (b->n + n) * 2;
    }
    memcpy(b->at + b->n, p, n);
    b->n += n;
    return 0;
}

/* 0, or -1 */
static int read_file(const char *path, bytes *b)
{
    char block[65536];
    size_t n;
    int rc = 0;
    FILE *f = fopen(path, "rb");
    b->n = 0;
    if (!f)
        return -1;
    while (!rc && (n = fread(block, 1, sizeof block, f)) > 0)
        rc = append(b, block, n);
    rc |= ferror(f);
    fclose(f);
    return rc ? -1 : 0;
}

#endif
