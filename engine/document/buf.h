/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf.h -- an array of bytes that grows: the parser's memory, kept between documents, and that of trees
 *
 * n and cap count bytes. A failed grow leaves the array as it was.
 */
#ifndef GX_BUF_H
#define GX_BUF_H

#include <stdlib.h>
#include <string.h>
#include "pages.h"

typedef struct gx_buf {
    char *at;
    size_t n, cap;
    u32 is_lent;                /* the memory is another's: it is not freed, and an array that grows moves out of it */
} gx_buf;

#define GX_BUF_AT(buf, type) ((type *)(void *)(buf)->at)
#define GX_BUF_N(buf, type) ((u32)((buf)->n / sizeof(type)))

/* gx_buf_room_of where there is none: apart, so that what only looks is part of its caller. */
__attribute__((noinline, unused)) static int gx_buf_grow(gx_buf *b, size_t more, size_t expected)
{
    size_t cap = gx_pages_for(b->cap ? b->cap : 1024, b->n, more);
    if (cap == SIZE_MAX)
        return -1;
    expected = expected < b->n + more ? b->n + more : expected;
    cap = cap < expected ? cap : expected;
    char *at = b->is_lent ? malloc(cap) : realloc(b->at, cap);
    if (!at)
        return -1;
    gx_pages_grown(at, b->is_lent ? 0 : b->cap, cap);
    if (b->is_lent)
        memcpy(at, b->at, b->cap);
    b->is_lent = 0;
    b->at = at;
    b->cap = cap;
    return 0;
}

/* Room for `more` bytes after the n there are, which will be about `expected` at last: 0, or -1 without memory. */
static inline int gx_buf_room_of(gx_buf *b, size_t more, size_t expected)
{
    return more <= b->cap - b->n ? 0 : gx_buf_grow(b, more, expected);
}

/* Room for `more` bytes after the n there are: 0, or -1 without memory. */
static inline int gx_buf_room(gx_buf *b, size_t more) { return gx_buf_room_of(b, more, SIZE_MAX); }

/* Room for size bytes at the end, which belong to the array now; NULL without memory. */
static inline void *gx_buf_push(gx_buf *b, size_t size)
{
    if (gx_buf_room(b, size))
        return NULL;
    void *at = b->at + b->n;
    b->n += size;
    return at;
}

/* n bytes at the end: 0, or -1 without memory. */
static inline int gx_buf_put(gx_buf *b, const void *bytes, size_t n)
{
    void *to = n ? gx_buf_push(b, n) : NULL;
    if (to)
        memcpy(to, bytes, n);
    return n && !to ? -1 : 0;
}

/* n zeros. By libc: where compilers know about how many there are, they take an instruction that is slow to begin. */
static inline void gx_buf_clear(void *at, size_t n)
{
    __asm__("" : "+r"(n));
    memset(at, 0, n);
}

/* n = 0. Memory that the last use did not need a sixteenth of is given back, so one large document does not stay paid
 * for. */
static inline void gx_buf_rewind(gx_buf *b)
{
    if (b->cap > (1u << 20) && b->n < b->cap / 16 && !b->is_lent) {
        free(b->at);
        b->at = NULL;
        b->cap = 0;
    }
    b->n = 0;
}

static inline void gx_buf_free(gx_buf *b)
{
    if (!b->is_lent)
        free(b->at);
    *b = (gx_buf){ 0 };
}

#endif
