/* SPDX-License-Identifier: Apache-2.0 */
/*
 * team.h -- who evaluates: the primitives that differ between teams, and nothing else
 *
 * The machine (machine/) is compiled once for each team; the including file says which by one of
 *   GX_TEAM_SOLO      one member: loops are loops, sync is nothing
 *   GX_TEAM_THREADS   N pthreads and a barrier
 *   GX_TEAM_LANE      one CUDA thread; the lanes of its warp are other requests           (kernels/)
 *   GX_TEAM_BLOCK     the threads of one CUDA block       (kernels/)
 *   GX_TEAM_GRID      all blocks of a cooperative launch  (kernels/)
 *
 * All members call every primitive together, with the same arguments, and get the same answer. Control state is
 * replicated: each member holds its own copy of the machine's registers and computes the same; only columns in the
 * arena are shared. A column is complete for everyone after the next team_sync.
 *
 *   GX_OP, GX_OP_BIG, GX_OP_ONCE     what an operator's function is: small; a function also where it is compiled; one,
 *                                    but where it is called once and a
 *                             call costs more than that is worth
 *   TEAM_FOR(t, i, n)         for each i < n that is mine; contiguous parts on threads (cache lines), strided on a GPU
 *                             (coalescing)
 *   team_scan(t, a, n)        exclusive prefix sums in place, and in a[n] the total, which it returns too (64 bits:
 *                             check it). Syncs before and after
 *   team_scan_complete(t, a, n)      of a column that is complete for everyone already. Syncs after
 *   team_scan_all(t, a, k, n, totals)   the same of k columns of n, at most TEAM_SCANS, at the syncs of one; complete
 *                             for everyone already. Syncs after
 *   team_scan_by(t, a, n, join, none)   in place, what join makes of all entries before each one, from the left, and in
 *                             a[n] of all, which it returns; join is associative, none its neutral value. Syncs before
 *                             and after
 *   team_equal(a, b, n)       are n bytes equal
 *   team_sum, team_min, team_any(t, x)   reductions of one value per member; each is a sync
 *   Of candidates k < n, `see` loads what needs nothing but k, so that many loads are under way before the first is
 *   looked at, and find(ctx, k, seen) says the id that k is for, or GX_NONE:
 *   team_count(t, n, see, find, ctx, &before)        how many there are; before: what team_fill needs
 *   team_fill(t, n, see, find, id_of, ctx, before, out)   those ids, in k's order. Syncs behind. By find once more, or
 *                                                         by id_of, which says the
 *                             same for k that find has an id for: who has kept which those are need not look again
 *   team_map(t, n, see, find, ctx, out)              out[k] := the id, whatever it is
 *   team_flag(t, n, see, find, ctx, out)             out[k] := is there one, 0 or 1
 *   team_put(t, n, see, find, ctx, at, out)          out[at[k]] := those ids
 *   team_mark(t, n, see, find, ctx, base, mark)      mark[id - base] := 1 for each of those ids
 *   team_claim(p, v)          *p := v if it was 0; returns what it was. One of the members that want a place gets it
 *   team_least(p, v)          *p := v if that is less. The result does not depend on who comes first
 *   team_add(p, v), team_or(p, v)    *p += v, *p |= v, for several members
 *   team_parts(t)             into how many parts team_tally takes a column: members, on a GPU warps. Not of lanes
 *   team_tally(t, key, mask, keys, n, parts, counts, out)       of each entry i < n, in its part p, one after the
 *                             other: c = counts[(key[i] & mask) * parts + p]++; and out[c] := i, unless out is NULL.
 *                             key[i] & mask < keys. Once to count, then sums of the counts, then once to place: entries
 *                             by key, in their order
 *   team_bytes, team_numbers(t, n, of, ctx, out)     out[k] := of(ctx, k); not TEAM_FOR, where a load of k + 1 waits
 *                                                    for the store of k
 */
#ifndef GX_TEAM_H
#define GX_TEAM_H

#include "base.h"

typedef struct gx_seen { u32 x, y; } gx_seen;
typedef gx_seen (*gx_see)(const void *ctx, size_t k);
typedef u32 (*gx_find)(const void *ctx, size_t k, gx_seen seen);
typedef u8 (*gx_byte_of)(const void *ctx, size_t k);
typedef double (*gx_number_of)(const void *ctx, size_t k);
typedef u32 (*gx_then)(u32 first, u32 then);
#define TEAM_SCANS 3

#if defined GX_TEAM_SOLO || defined GX_TEAM_THREADS
#include <string.h>
static inline __attribute__((unused)) int team_equal(const char *a, const char *b, size_t n)
{
    return memcmp(a, b, n) == 0;
}
#endif

#if defined GX_TEAM_SOLO

#define TEAM_IS_SOLO 1
#define TEAM_IS_CPU 1
#define GX_OP static inline __attribute__((unused))
#define GX_OP_BIG static __attribute__((unused, noinline))
#define GX_OP_ONCE GX_OP_BIG
#include "team_one.h"
#define TEAM_STORE(p, v) (*(p) = (v))
#define TEAM_LOAD(p) (*(p))
GX_OP u64 team_claim(u64 *p, u64 v)
{
    const u64 was = *p;
    if (!was)
        *p = v;
    return was;
}
GX_OP void team_least(u64 *p, u64 v) { *p = v < *p ? v : *p; }
GX_OP u32 team_add(u32 *p, u32 v) { const u32 was = *p; *p = was + v; return was; }
GX_OP void team_or(u64 *p, u64 v) { *p |= v; }

#elif defined GX_TEAM_THREADS

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TEAM_IS_SOLO 0
#define TEAM_IS_CPU 1
#define GX_OP static inline __attribute__((unused))
#define GX_OP_BIG static __attribute__((unused, noinline))
#define GX_OP_ONCE GX_OP_BIG
#define TEAM_MAX_MEMBERS 64
#define TEAM_SPIN_LEAST 200u            /* looks before one sleeps .. */
#define TEAM_SPIN_MOST 20000u           /* .. some tens of us, as long as falling asleep and waking takes */

typedef struct gx_team_shared {         /* one for the team */
    _Atomic u32 arrived, round, sleeping;
    u64 cell[2][TEAM_MAX_MEMBERS];      /* reductions: two sets in turn, so that one sync a reduction is enough */
} gx_team_shared;
typedef struct gx_team { gx_team_shared *shared; u32 rank, size; u32 turn, spin; } gx_team;

GX_OP u32 team_rank(const gx_team *t) { return t->rank; }
GX_OP u32 team_size(const gx_team *t) { return t->size; }

/*
 * Waits until *at is not `is`: looks *spin times, then sleeps; next time it looks longer if that was enough, else not
 * so long, since who is waited for may stand in line for this very core. Whoever changes *at wakes those who sleep
 * (team_wake). Nobody yields: beside others who want the cores, a member that yields is back when all of them have had
 * their turn, milliseconds later, at every sync; one that is woken is back at once (16,000 syncs of two members beside
 * ten busy processes on two cores: 2 s, by yielding more than 25).
 */
GX_OP void team_wait(_Atomic u32 *at, u32 is, _Atomic u32 *sleeping, u32 *spin)
{
    for (u32 looks = 0; looks < *spin; looks++)
        if (atomic_load_explicit(at, memory_order_acquire) != is) {
            *spin = *spin < TEAM_SPIN_MOST ? *spin * 2 : TEAM_SPIN_MOST;
            return;
        }
    *spin = *spin > TEAM_SPIN_LEAST ? *spin / 2 : TEAM_SPIN_LEAST;
    atomic_fetch_add(sleeping, 1);
    while (atomic_load(at) == is)
        syscall(SYS_futex, at, FUTEX_WAIT_PRIVATE, is, NULL, NULL, 0);
    atomic_fetch_sub(sleeping, 1);
}

/* *at := to; whoever waits for that wakes. Both sides write their word before they look at the other's, in one order
 * for all (sequentially consistent), so that nobody sleeps on. */
GX_OP void team_wake(_Atomic u32 *at, u32 to, _Atomic u32 *sleeping)
{
    atomic_store(at, to);
    if (atomic_load(sleeping))
        syscall(SYS_futex, at, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Sense by round number */
GX_OP void team_sync(gx_team *t)
{
    gx_team_shared *s = t->shared;
    u32 round = atomic_load_explicit(&s->round, memory_order_relaxed);

    if (atomic_fetch_add_explicit(&s->arrived, 1, memory_order_acq_rel) + 1 == t->size) {
        atomic_store_explicit(&s->arrived, 0, memory_order_relaxed);
        team_wake(&s->round, round + 1, &s->sleeping);
        return;
    }
    team_wait(&s->round, round, &s->sleeping, &t->spin);
}
#define TEAM_FOR(t, i, n) for (u32 i##_n_ = (n), i = (u32)((u64)i##_n_ * (t)->rank / (t)->size), \
    i##_end_ = (u32)((u64)i##_n_ * ((t)->rank + 1) / (t)->size); i < i##_end_; i++)
GX_OP u64 *team_cells(gx_team *t, u64 x)
{
    u64 *cell = t->shared->cell[t->turn ^= 1];

    cell[t->rank] = x;
    team_sync(t);
    return cell;
}
GX_OP u64 team_sum(gx_team *t, u64 x)
{
    u64 *cell = team_cells(t, x), sum = 0;
    for (u32 i = 0; i < t->size; i++)
        sum += cell[i];
    return sum;
}
GX_OP u32 team_min(gx_team *t, u32 x)
{
    u64 *cell = team_cells(t, x);
    u32 least = x;
    for (u32 i = 0; i < t->size; i++)
        if (cell[i] < least)
            least = (u32)cell[i];
    return least;
}
GX_OP int team_any(gx_team *t, int x) { return team_sum(t, x != 0) != 0; }
GX_OP u64 team_scan_complete(gx_team *t, u32 *a, u32 n)
{
    u64 sum = 0, before = 0, total = 0;
    u64 *cell;

    TEAM_FOR(t, i, n)
        sum += a[i];
    cell = team_cells(t, sum);
    for (u32 r = 0; r < t->size; r++) {
        if (r < t->rank)
            before += cell[r];
        total += cell[r];
    }
    TEAM_FOR(t, k, n) {
        u32 x = a[k];
        a[k] = (u32)before;
        before += x;
    }
    if (t->rank == 0)
        a[n] = (u32)total;
    team_sync(t);
    return total;
}
GX_OP u64 team_scan(gx_team *t, u32 *a, u32 n)
{
    team_sync(t);
    return team_scan_complete(t, a, n);
}
GX_OP void team_scan_all(gx_team *t, u32 *const *columns, u32 k, u32 n, u64 *totals)
{
    for (u32 i = 0; i < k; i++)
        totals[i] = team_scan_complete(t, columns[i], n);
}
GX_OP u32 team_scan_by(gx_team *t, u32 *a, u32 n, gx_then join, u32 none)
{
    u32 mine = none, before = none, all = none;

    team_sync(t);
    TEAM_FOR(t, i, n)
        mine = join(mine, a[i]);
    const u64 *cell = team_cells(t, mine);
    for (u32 r = 0; r < t->size; r++) {
        before = r == t->rank ? all : before;
        all = join(all, (u32)cell[r]);
    }
    TEAM_FOR(t, k, n) {
        const u32 x = a[k];
        a[k] = before;
        before = join(before, x);
    }
    if (t->rank == 0)
        a[n] = all;
    team_sync(t);
    return all;
}
GX_OP u64 team_count(gx_team *t, u32 n, gx_see see, gx_find find, const void *ctx, u64 *before)
{
    u64 sum = 0, total = 0, *cell;

    TEAM_FOR(t, k, n)
        sum += find(ctx, k, see(ctx, k)) != 0xffffffffu;
    cell = team_cells(t, sum);
    *before = 0;
    for (u32 r = 0; r < t->size; r++) {
        if (r < t->rank)
            *before += cell[r];
        total += cell[r];
    }
    return total;
}
GX_OP void team_fill(gx_team *t, u32 n, gx_see see, gx_find find, gx_find id_of, const void *ctx, u64 before, u32 *out)
{
    (void)id_of;
    TEAM_FOR(t, k, n) {
        const u32 id = find(ctx, k, see(ctx, k));
        if (id != 0xffffffffu)
            out[before++] = id;
    }
    team_sync(t);
}
GX_OP void team_map(gx_team *t, u32 n, gx_see see, gx_find find, const void *ctx, u32 *out)
{
    TEAM_FOR(t, k, n)
        out[k] = find(ctx, k, see(ctx, k));
}
GX_OP void team_flag(gx_team *t, u32 n, gx_see see, gx_find find, const void *ctx, u32 *out)
{
    TEAM_FOR(t, k, n)
        out[k] = find(ctx, k, see(ctx, k)) != 0xffffffffu;
}
GX_OP void team_put(gx_team *t, u32 n, gx_see see, gx_find find, const void *ctx, const u32 *at, u32 *out)
{
    TEAM_FOR(t, k, n) {
        const u32 id = find(ctx, k, see(ctx, k));
        if (id != 0xffffffffu)
            out[at[k]] = id;
    }
}
GX_OP void team_bytes(gx_team *t, u32 n, gx_byte_of of, const void *ctx, u8 *out)
{
    TEAM_FOR(t, k, n)
        out[k] = of(ctx, k);
}
GX_OP void team_numbers(gx_team *t, u32 n, gx_number_of of, const void *ctx, double *out)
{
    TEAM_FOR(t, k, n)
        out[k] = of(ctx, k);
}
/* Several members may store the same value at the same place. */
#define TEAM_STORE(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define TEAM_LOAD(p) __atomic_load_n((p), __ATOMIC_RELAXED)
GX_OP u64 team_claim(u64 *p, u64 v)
{
    u64 was = 0;
    return __atomic_compare_exchange_n(p, &was, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ? 0 : was;
}
GX_OP void team_least(u64 *p, u64 v)
{
    u64 was = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (v < was && !__atomic_compare_exchange_n(p, &was, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}
GX_OP u32 team_add(u32 *p, u32 v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
GX_OP void team_or(u64 *p, u64 v) { __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }
GX_OP void team_mark(gx_team *t, u32 n, gx_see see, gx_find find, const void *ctx, u32 base, u8 *mark)
{
    TEAM_FOR(t, k, n) {
        const u32 id = find(ctx, k, see(ctx, k));
        if (id != 0xffffffffu)
            TEAM_STORE(&mark[id - base], (u8)1);
    }
}

#elif defined GX_TEAM_LANE || defined GX_TEAM_BLOCK || defined GX_TEAM_GRID
#include "../../kernels/team_cuda.h"
#else
#error "say which team"
#endif

#if TEAM_IS_CPU
GX_OP u32 team_parts(const gx_team *t) { return team_size(t); }
GX_OP void team_tally(gx_team *t, const u32 *key, u32 mask, u32 keys, u32 n, u32 parts, u32 *counts, u32 *out)
{
    const u32 size = (n + parts - 1) / parts;
    (void)t, (void)keys;
    TEAM_FOR(t, part, parts)
        for (u32 i = part * size; i < n && i < (part + 1) * size; i++) {
            const u32 c = counts[(key[i] & mask) * parts + part]++;
            if (out)
                out[c] = i;
        }
}
#endif

#endif
