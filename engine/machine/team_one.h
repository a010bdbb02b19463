/* SPDX-License-Identifier: Apache-2.0 */
/*
 * team_one.h -- the primitives of a team of one: the solo team and the lane team (team.h; kernels/team_cuda.h), which
 * say what GX_OP is
 */
#ifndef GX_TEAM_ONE_H
#define GX_TEAM_ONE_H

typedef struct gx_team { u32 unused; } gx_team;
GX_OP u32 team_rank(const gx_team *t) { (void)t; return 0; }
GX_OP u32 team_size(const gx_team *t) { (void)t; return 1; }
GX_OP void team_sync(gx_team *t) { (void)t; }
#define TEAM_FOR(t, i, n) for (u32 i = 0, i##_end_ = (n); i < i##_end_; i++)
GX_OP u64 team_scan(gx_team *t, u32 *a, u32 n)
{
    u64 sum = 0;
    (void)t;
    for (u32 i = 0; i < n; i++) {
        u32 x = a[i];
        a[i] = (u32)sum;
        sum += x;
    }
    a[n] = (u32)sum;
    return sum;
}
GX_OP u64 team_scan_complete(gx_team *t, u32 *a, u32 n) { return team_scan(t, a, n); }
GX_OP void team_scan_all(gx_team *t, u32 *const *columns, u32 k, u32 n, u64 *totals)
{
    for (u32 i = 0; i < k; i++)
        totals[i] = team_scan(t, columns[i], n);
}
GX_OP u32 team_scan_by(gx_team *t, u32 *a, u32 n, gx_then join, u32 none)
{
    u32 all = none;
    (void)t;
    for (u32 i = 0; i < n; i++) {
        const u32 x = a[i];
        a[i] = all;
        all = join(all, x);
    }
    return a[n] = all;
}
GX_OP u64 team_sum(gx_team *t, u64 x) { (void)t; return x; }
GX_OP u32 team_min(gx_team *t, u32 x) { (void)t; return x; }
GX_OP int team_any(gx_team *t, int x) { (void)t; return x; }
GX_OP u64 team_count(gx_team *t, u32 n, gx_see see, gx_find find, const void *ctx, u64 *before)
{
    u64 sum = 0;
    (void)t;
    for (u32 k = 0; k < n; k++)
        sum += find(ctx, k, see(ctx, k)) != 0xffffffffu;
    *before = 0;
    return sum;
}
GX_OP void team_fill(gx_team *t, u32 n, gx_see see, gx_find find, gx_find id_of, const void *ctx, u64 before, u32 *out)
{
    (void)t;
    (void)id_of;
    for (u32 k = 0; k < n; k++) {
        const u32 id = find(ctx, k, see(ctx, k));
        if (id != 0xffffffffu)
            out[before++] = id;
    }
}
GX_OP void team_bytes(gx_team *t, u32 n, gx_byte_of of, const void *ctx, u8 *out)
{
    (void)t;
    for (u32 k = 0; k < n; k++)
        out[k] = of(ctx, k);
}
GX_OP void team_numbers(gx_team *t, u32 n, gx_number_of of, const void *ctx, double *out)
{
    (void)t;
    for (u32 k = 0; k < n; k++)
        out[k] = of(ctx, k);
}
GX_OP void team_mark(gx_team *t, u32 n, gx_see see, gx_find find, const void *ctx, u32 base, u8 *mark)
{
    (void)t;
    for (u32 k = 0; k < n; k++) {
        const u32 id = find(ctx, k, see(ctx, k));
        if (id != 0xffffffffu)
            mark[id - base] = 1;
    }
}

#endif
