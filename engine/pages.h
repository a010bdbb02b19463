/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.h -- fresh memory before it is written
 *
 * The first write to each page of fresh memory is an exception, which takes 0.1 us by itself and 1 to 15 us under a
 * hypervisor: more than parsing what goes there, so that a large document's first reading takes ten times as long as
 * its second. One call makes many pages ready for a twentieth of that.
 */
#ifndef GX_PAGES_H
#define GX_PAGES_H

#include <sys/mman.h>
#include "base.h"

#ifndef MADV_POPULATE_WRITE             /* Linux 5.14; older kernels refuse it, and nothing else changes */
#define MADV_POPULATE_WRITE 23
#endif
#define GX_PAGES_LEAST (256u << 10)     /* bytes: less comes from the heap, mostly from pages that are ready */
#define GX_PAGES_HUGE (4u << 20)        /* bytes: some pages of 2 MiB are in it wherever it begins */

/* An array that had `had` bytes has n now, and nearly all of the new ones are going to be written. Memory that was used
 * before is left as it is: its last page tells.
 *
 * Advice is given for all pages of the array. A mapping of which only a part has it is two to the kernel, and mremap()
 * moves one: then each realloc() would copy, and need the memory of both. */
static inline void gx_pages_grown(void *at, size_t had, size_t n)
{
    const size_t page = 4096, begin = (size_t)at, end = begin + n, mask = ~(page - 1);
    const size_t from = (begin + had + page - 1) & mask, to = end & mask;
    unsigned char is_there = 0;
    if (n < had + GX_PAGES_LEAST || to <= from || (mincore((void *)(to - page), page, &is_there) == 0 && is_there & 1))
        return;
    if (n >= had + GX_PAGES_HUGE)
        madvise((void *)(begin & mask), ((end + page - 1) & mask) - (begin & mask), MADV_HUGEPAGE);
    madvise((void *)from, to - from, MADV_POPULATE_WRITE);
}

/* n bytes at `at`, which do not grow, are going to be written. */
static inline void gx_pages_ready(void *at, size_t n) { gx_pages_grown(at, 0, n); }

/* The next size of an array of `size` bytes that grows: twice as much while it is small, then a quarter more, because
 * all of it is made ready. SIZE_MAX: there is none. */
static inline size_t gx_pages_more(size_t size)
{
    const size_t more = size < 4 * GX_PAGES_LEAST ? size : size / 4;
    return size > SIZE_MAX - more ? SIZE_MAX : size + more;
}

/* .. that has n of its `size` bytes, not 0, and is to have room for so many more */
static inline size_t gx_pages_for(size_t size, size_t n, size_t more)
{
    while (size != SIZE_MAX && size - n < more)
        size = gx_pages_more(size);
    return size;
}

#endif
