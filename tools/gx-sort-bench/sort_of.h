/* SPDX-License-Identifier: Apache-2.0 */
/* sort_of.h -- a job by the team that the including file names: bitonic sort, or the engine's merge of row numbers */
#include "engine/machine/bitonic.h"
#include "engine/machine/merge.h"
#include "sort.h"

static __device__ int key_before(const void *keys, u32 a, u32 b)
{
    const gx_wide_key *k = (const gx_wide_key *)keys;
    return gx_wide_key_less(k[a], k[b]) || (!gx_wide_key_less(k[b], k[a]) && a < b);
}
template <u32 KIND> static __device__ void sort_by_bitonic(gx_team *t, void *keys, u32 *values, u32 n)
{
    if (KIND == SORT_32)
        gx_bitonic_32_sort(t, (u32 *)keys, n);
    else if (KIND == SORT_64)
        gx_bitonic_64_sort(t, (u64 *)keys, n);
    else if (KIND == SORT_128)
        gx_bitonic_128_sort(t, (gx_wide_key *)keys, n);
    else {
        gx_wide_pairs pairs;
        pairs.key = (gx_wide_key *)keys;
        pairs.value = values;
        gx_bitonic_pairs_sort(t, pairs, n);
    }
}
/* off: two words of device memory that nobody reads yet */
static __device__ void sort_by_merge(gx_m *m, const void *keys, u32 *perm, u32 n, u32 *off)
{
    if (team_rank(&m->t) == 0) {
        off[0] = 0;
        off[1] = n;
    }
    const u32 *sorted = gx_merge(m, key_before, keys, perm, perm + n, off, NULL, 1, n);
    if (sorted != perm)
        TEAM_FOR(&m->t, i, n)
            perm[i] = sorted[i];
}
