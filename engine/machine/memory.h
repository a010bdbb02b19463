/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h -- the arena: kept memory, scratch, and what happens when either is full
 *
 * gx_keep lasts as long as the result, gx_tmp until the instruction ends. Both give 16-byte aligned room, or NULL, and
 * every member gets the same answer. GX_KEEP and GX_TMP return from the calling operator when there is no room; code
 * that only one member runs uses GX_KEEP_ALONE and GX_TMP_ALONE, since gx_full waits for all members.
 */
#ifndef GX_MACHINE_MEMORY_H
#define GX_MACHINE_MEMORY_H

#include <string.h>
#include "machine.h"
#include "result.h"

#define GX_REF_OF(m, p) ((u32)(((const char *)(p) - (m)->base) >> 2))
#define GX_PTR(m, type, ref) GX_REF((m)->base, type, ref)

/* Zero bytes from offset `at` to the next multiple of 16; that. Kept memory has no others that nobody wrote: a result
 * is handed on as it lies and shows nothing of who had the arena before (t/33-arena.c). */
GX_OP u64 gx_pad(gx_m *m, u64 at)
{
    if (team_rank(&m->t) == 0) {
        for (; at & 3; at++)
            m->base[at] = 0;
        for (; at & 15; at += 4)
            *(u32 *)(m->base + at) = 0;
    }
    return (at + 15) & ~15ull;
}

/* bytes of kept memory, 16-byte aligned, or NULL: full. Every member gets the same answer. */
GX_OP void *gx_keep(gx_m *m, u64 bytes)
{
    const u64 at = m->top;

    if (((bytes + 15) & ~15ull) > m->top_end - at)
        return NULL;
    m->top = bytes & 15 ? gx_pad(m, at + bytes) : at + bytes;
    return m->base + at;
}

/* Gives back what has been kept since m->top was top; no string grows there any more. */
GX_OP void gx_keep_back(gx_m *m, u64 top)
{
    m->top = top;
    if (team_rank(&m->t) == 0)
        for (u32 k = 0; k < GX_ROOMS; k++)
            if (m->run->rooms->at[k].end > top)
                GX_CLEAR(&m->run->rooms->at[k]);
    team_sync(&m->t);
}

GX_OP void *gx_tmp(gx_m *m, u64 bytes)
{
    u64 at = m->tmp;

    bytes = (bytes + 15) & ~15ull;
    if (bytes > m->tmp_end - at)
        return NULL;
    m->tmp = at + bytes;
    return m->base + at;
}

/* memset(p, 0, bytes) for what gx_keep and gx_tmp gave: a compiler that cannot see the alignment writes bytes on a
 * GPU */
GX_OP void gx_zero(void *p, u64 bytes)
{
#ifdef __CUDACC__
    for (u64 i = 0; i < (bytes + 15) / 16; i++)
        ((uint4 *)p)[i] = make_uint4(0, 0, 0, 0);
#else
    memset(p, 0, bytes);
#endif
}

/* The open end of the scratch, for a team of one that appends without counting first: commit with gx_tmp. */
GX_OP u32 *gx_tmp_open(gx_m *m, u64 *cap)
{
    *cap = (m->tmp_end - m->tmp) / 4;
    return (u32 *)(m->base + m->tmp);
}

/* The first error of a run is the one that is told. By one member. */
GX_OP void gx_set_error(gx_m *m, gx_status status, gx_run_error error, gx_str text)
{
    if (m->result->status != GX_OK)
        return;
    m->result->status = status;
    m->result->error = error;
    m->result->error_text = text;
    m->result->where = m->where;
    m->result->error_group = m->group;
}

GX_OP gx_status gx_raise(gx_m *m, gx_status status, gx_run_error error, gx_str text)
{
    team_sync(&m->t);
    if (team_rank(&m->t) == 0)
        gx_set_error(m, status, error, text);
    return status;
}
GX_OP gx_status gx_full(gx_m *m) { return gx_raise(m, GX_EARENA, GX_RE_ARENA, gx_str_none()); }

#define GX_TAKE(m, var, type, n, take, full) \
    do { \
        (var) = (type *)take(m, (u64)(n) * sizeof(type)); \
        if (!(var)) return full(m); \
    } while (0)
#define GX_KEEP(m, var, type, n) GX_TAKE(m, var, type, n, gx_keep, gx_full)
#define GX_TMP(m, var, type, n) GX_TAKE(m, var, type, n, gx_tmp, gx_full)
/* What one member does alone, between two syncs: there gx_full would wait for the others. */
GX_OP gx_status gx_full_alone(gx_m *m)
{
    gx_set_error(m, GX_EARENA, GX_RE_ARENA, gx_str_none());
    return GX_EARENA;
}
#define GX_KEEP_ALONE(m, var, type, n) GX_TAKE(m, var, type, n, gx_keep, gx_full_alone)
#define GX_TMP_ALONE(m, var, type, n) GX_TAKE(m, var, type, n, gx_tmp, gx_full_alone)

#endif
