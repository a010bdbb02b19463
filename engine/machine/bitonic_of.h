/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bitonic_of.h -- the functions of bitonic.h for one kind of item; bitonic.h includes it once for each
 *
 * It defines first:
 *   BITONIC(name)          the functions' names
 *   BITONIC_ITEM           one item, key and value
 *   BITONIC_COLUMNS        where the items lie; BITONIC_LOAD(c, i), BITONIC_STORE(c, i, x)
 *   BITONIC_LESS(a, b)     the order of two items
 *   BITONIC_HELD           the binary logarithm of how many items a member copies at once
 */

/* x[a] and x[b] in order, a < b. Items from `have` on are beyond the end of the columns. */
GX_OP void BITONIC(exchange)(BITONIC_ITEM *x, u32 a, u32 b, u32 have)
{
    if (b < have && BITONIC_LESS(x[b], x[a])) {
        const BITONIC_ITEM less = x[b];
        x[b] = x[a];
        x[a] = less;
    }
}

/* Steps over 2^n_steps items. crossed: the first compares x[0] with the last item, x[1] with the one before it, ... */
GX_OP void BITONIC(steps)(BITONIC_ITEM *x, u32 n_steps, int crossed, u32 have)
{
    const u32 n = 1u << n_steps;
    u32 apart = n / 2;

    if (crossed) {
        for (u32 a = 0; a < apart; a++)
            BITONIC(exchange)(x, a, n - 1 - a, have);
        apart /= 2;
    }
    for (; apart; apart /= 2)
        for (u32 a = 0; a < n; a++)
            if (!(a & apart))
                BITONIC(exchange)(x, a, a + apart, have);
}

/*
 * n_steps steps of a merge of blocks of 2^block items, for the group-th set of 2^n_steps items that these steps
 * exchange with each other only: items `2^(block - n_steps)` apart, `at` from the start. If the first step is crossed,
 * those of the block's upper half are as far from the end.
 *
 *    block 4, n_steps 2, at 1    . x . . . x . . . x . . . x . .     crossed: . x . . . x . . . . x . . . x .
 */
GX_OP void BITONIC(group)(BITONIC_COLUMNS c, u32 n, u32 block, u32 n_steps, int crossed, u32 group)
{
    BITONIC_ITEM x[1u << BITONIC_HELD] = { 0 };         /* gcc 14 does not see that only what is loaded is compared */
    const u32 apart = block - n_steps, many = 1u << n_steps, last = (1u << apart) - 1, at = group & last;
    const u64 low = ((u64)(group >> apart) << block) + at, high = crossed ? low - at + (last - at) : low;
    u32 have = 0;

    for (u32 i = 0; i < many; i++) {                /* in ascending order, so those before the end come first */
        const u64 from = (i < many / 2 ? low : high) + ((u64)i << apart);
        if (from < n) {
            x[i] = BITONIC_LOAD(c, from);
            have = i + 1;
        }
    }
    if (have < 2)
        return;
    BITONIC(steps)(x, n_steps, crossed, have);
    for (u32 i = 0; i < many; i++) {
        const u64 to = (i < many / 2 ? low : high) + ((u64)i << apart);
        if (to < n)
            BITONIC_STORE(c, to, x[i]);
    }
}

/* The same with an n_steps that is known when it is compiled, so that loops can be unrolled */
GX_OP void BITONIC(group_of)(BITONIC_COLUMNS c, u32 n, u32 block, u32 n_steps, int crossed, u32 group)
{
    switch (n_steps) {
    case 1: BITONIC(group)(c, n, block, 1, crossed, group); break;
    case 2: BITONIC(group)(c, n, block, 2, crossed, group); break;
    default: BITONIC(group)(c, n, block, BITONIC_HELD, crossed, group);
    }
}

/* The last `steps` steps of a merge, which stay within a tile, by one member */
GX_OP void BITONIC(within)(BITONIC_COLUMNS c, u32 n, u32 tile, u32 steps, int crossed)
{
    for (u32 block = steps; block;) {
        const u32 n_steps = block < BITONIC_HELD ? block : BITONIC_HELD, sets = GX_BITONIC_TILE - n_steps;
        for (u32 g = 0; g < 1u << sets; g++)
            BITONIC(group_of)(c, n, block, n_steps, crossed, (tile << sets) + g);
        block -= n_steps;
        crossed = 0;
    }
}

GX_OP_BIG void BITONIC(sort)(gx_team *t, BITONIC_COLUMNS c, u32 n)
{
    const u32 tiles = (u32)(((u64)n + (1u << GX_BITONIC_TILE) - 1) >> GX_BITONIC_TILE);

    TEAM_FOR(t, first, tiles)
        for (u32 merge = 1; merge <= GX_BITONIC_TILE; merge++)
            BITONIC(within)(c, n, first, merge, 1);
    team_sync(t);
    for (u32 merge = GX_BITONIC_TILE + 1; (u64)1 << (merge - 1) < n; merge++) {
        int crossed = 1;
        for (u32 block = merge; block > GX_BITONIC_TILE; crossed = 0) {
            const u32 left = block - GX_BITONIC_TILE, n_steps = left < BITONIC_HELD ? left : BITONIC_HELD;
            const u32 groups = (u32)((((u64)n + ((u64)1 << block) - 1) >> block) << (block - n_steps));
            TEAM_FOR(t, g, groups)
                BITONIC(group_of)(c, n, block, n_steps, crossed, g);
            team_sync(t);
            block -= n_steps;
        }
        TEAM_FOR(t, tile, tiles)
            BITONIC(within)(c, n, tile, GX_BITONIC_TILE, 0);
        team_sync(t);
    }
}

#undef BITONIC
#undef BITONIC_ITEM
#undef BITONIC_COLUMNS
#undef BITONIC_LOAD
#undef BITONIC_STORE
#undef BITONIC_LESS
#undef BITONIC_HELD
