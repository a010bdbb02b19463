/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.h -- the order of each row's entries, by comparison: merge sort of their numbers
 *
 * One member merges runs of a row. Several merge together, all rows at once: each looks up, by binary search in the
 * other run, where its entries go, so that a level of a hundred thousand entries costs the time of a few comparisons.
 */
#ifndef GX_MACHINE_MERGE_H
#define GX_MACHINE_MERGE_H

#include "machine.h"

typedef int gx_before(const void *ctx, u32 a, u32 b);       /* a total order */
#define GX_MERGE_RUN 8u

/* perm[i .. e) in order, by insertion */
GX_OP void gx_order_few(gx_before *before, const void *ctx, u32 *perm, u32 i, u32 e)
{
    for (u32 j = i + 1; j < e; j++) {
        u32 x = perm[j], k = j;
        for (; k > i && before(ctx, x, perm[k - 1]); k--)
            perm[k] = perm[k - 1];
        perm[k] = x;
    }
}

#if TEAM_IS_SOLO
GX_OP const u32 *gx_merge(gx_m *m, gx_before *before, const void *ctx, u32 *perm, u32 *aux, const u32 *off,
                          const u32 *rows, u32 n, u32 total)
{
    (void)m;
    (void)rows;
    for (u32 i = 0; i < total; i++)
        perm[i] = i;
    for (u32 r = 0; r < n; r++) {
        const u32 b = off[r], e = off[r + 1];
        u32 *from = perm, *to = aux;
        for (u32 i = b; i < e; i += GX_MERGE_RUN)
            gx_order_few(before, ctx, perm, i, e - i > GX_MERGE_RUN ? i + GX_MERGE_RUN : e);
        for (u32 width = GX_MERGE_RUN; width < e - b; width *= 2) {
            for (u32 i = b; i < e; i += 2 * width) {
                u32 l = i, lend = i + width < e ? i + width : e, right = lend,
                    rend = lend + width < e ? lend + width : e;
                for (u32 k = i; k < rend; k++)
                    if (l < lend && (right >= rend || !before(ctx, from[right], from[l])))
                        to[k] = from[l++];
                    else
                        to[k] = from[right++];
            }
            u32 *x = from;
            from = to;
            to = x;
        }
        if (from != perm)
            for (u32 i = b; i < e; i++)
                perm[i] = from[i];
    }
    return perm;
}
#else
/*
 * The numbers 0 .. total in order row by row, in perm or aux (as large): returned. Row r has off[r] .. off[r + 1);
 * rows: the row of an entry, NULL: there is one row. Syncs before and behind.
 */
GX_OP const u32 *gx_merge(gx_m *m, gx_before *before, const void *ctx, u32 *perm, u32 *aux, const u32 *off,
                          const u32 *rows, u32 n, u32 total)
{
    u32 *from = perm, *to = aux, longest = 0;

    team_sync(&m->t);
    TEAM_FOR(&m->t, r, n)
        longest = off[r + 1] - off[r] > longest ? off[r + 1] - off[r] : longest;
    longest = ~team_min(&m->t, ~longest);
    TEAM_FOR(&m->t, i, total) {
        const u32 r = rows ? rows[i] : 0, e = off[r + 1];
        if ((i - off[r]) % GX_MERGE_RUN == 0) {
            const u32 end = e - i > GX_MERGE_RUN ? i + GX_MERGE_RUN : e;
            for (u32 k = i; k < end; k++)
                perm[k] = k;
            gx_order_few(before, ctx, perm, i, end);
        }
    }
    team_sync(&m->t);
    for (u32 width = GX_MERGE_RUN; width < longest; width *= 2) {
        TEAM_FOR(&m->t, k, total) {
            const u32 r = rows ? rows[k] : 0, b = off[r], e = off[r + 1],
                      first = b + (k - b) / (2 * width) * (2 * width), x = from[k];
            const u32 second = e - first > width ? first + width : e,
                      end = e - first > 2 * width ? first + 2 * width : e;
            const u32 other = k < second ? second : first;
            u32 lo = other, hi = k < second ? end : second;
            while (lo < hi) {                   /* those of the other run that come before x */
                const u32 mid = lo + (hi - lo) / 2;
                if (before(ctx, from[mid], x))
                    lo = mid + 1;
                else
                    hi = mid;
            }
            to[(k < second ? k : k - (second - first)) + (lo - other)] = x;
        }
        team_sync(&m->t);
        u32 *x = from;
        from = to;
        to = x;
    }
    return from;
}
#endif

#endif
