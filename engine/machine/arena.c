/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.c -- the arena of a CPU's teams: address space whose first pages stay
 *
 * An arena is address space, twice its cap (kept memory, scratch), of which pages are taken as they are touched.
 * Between evaluations it keeps the first pages, so that a thread that serves small requests makes no page faults, and
 * gives back what a large one took.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "arena.h"

#define WARM_BYTES (8u << 20)           /* of each half of the arena stays with the thread */

gx_status gx_arena_create(u64 cap, gx_arena **out, gx_error *err)
{
    gx_arena *a = malloc(sizeof *a);
    void *p;

    if (cap > GX_ARENA_MAX)
        cap = GX_ARENA_MAX;
    cap = (cap + 0xffff) & ~0xffffull;
    p = a ? mmap(NULL, 2 * cap, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
          : MAP_FAILED;
    if (p == MAP_FAILED) {
        free(a);
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "no address space for an arena of %llu bytes",
                       (unsigned long long)cap);
    }
    a->base = p;
    a->cap = cap;
    a->used = 0;
    *out = a;
    return GX_OK;
}

void gx_arena_free(gx_arena *arena)
{
    if (!arena)
        return;
    munmap(arena->base, 2 * arena->cap);
    free(arena);
}

u64 gx_arena_bytes(const gx_arena *arena)
{
    const u64 page = (u64)sysconf(_SC_PAGESIZE), all = 2 * arena->cap;
    unsigned char in[4096];
    u64 n = 0, size;

    for (u64 at = 0; at < all; at += size) {
        size = all - at < sizeof in * page ? all - at : sizeof in * page;
        if (mincore(arena->base + at, size, in) == 0)
            for (u64 i = 0; i < size / page; i++)
                n += in[i] & 1;
    }
    return n * page;
}

static u64 pages(u64 bytes) { return (bytes + 0xffff) & ~(u64)0xffff; }

void gx_arena_begin(gx_arena *a)
{
    if (a->used > WARM_BYTES)
        madvise(a->base + WARM_BYTES, pages(a->used) - WARM_BYTES, MADV_DONTNEED);
    a->used = 0;
}

void gx_arena_end(gx_arena *a, u64 used, int large)
{
    a->used = used;
    if (!large && used <= WARM_BYTES)
        return;
    u64 from = used > WARM_BYTES ? pages(used) : WARM_BYTES;
    if (from < a->cap)
        madvise(a->base + from, a->cap - from, MADV_DONTNEED);
    if (WARM_BYTES < a->cap)
        madvise(a->base + a->cap + WARM_BYTES, a->cap - WARM_BYTES, MADV_DONTNEED);
}
