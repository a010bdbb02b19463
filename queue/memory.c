/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c -- the shared memory itself: made, mapped, given out in runs of units
 *
 * Small runs are looked for from the slot's home on, so a slot keeps meeting the same, warm units and its neighbours do
 * not disturb it; homes lie in the first half. Runs over a megabyte are looked for from the end backwards: the two
 * kinds meet only when the memory is nearly full, and a large document finds its run while hundreds of small ones are
 * under way.
 *
 * Taking a run is one compare-and-swap a unit. Whoever loses one on the way gives back what it had and looks on behind
 * it. Cost: 10 ns a unit when free ones are near; a walk over all owner words (16,384 for 256 MiB: 10 us) when there
 * are none.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gx.h"
#include "memory.h"

#define LARGE_UNITS 64u         /* runs of more are "large" */
#define MAX_BYTES (1ull << 40)
#define ALIGN(n, to) (((n) + (to) - 1) / (to) * (to))

/* ---- runs ---- */

static u64 units_of(u64 size) { return (size + GX_QUEUE_UNIT - 1) / GX_QUEUE_UNIT; }

/* Takes units first .. first + n - 1. Returns n, or how many came before one that somebody else has (then none is
 * taken). */
static u32 claim(gx_queue *q, u32 first, u32 n, u64 owner)
{
    for (u32 i = 0; i < n; i++)
        if (!gx_swap(&q->owners[first + i], 0, owner)) {
            for (u32 k = 0; k < i; k++)
                (void)gx_swap(&q->owners[first + k], owner, 0);
            return i;
        }
    return n;
}

static u32 find_up(gx_queue *q, u32 from, u32 to, u32 n, u64 owner)
{
    for (u32 at = from; at + n <= to;) {
        u32 k = 0;
        while (k < n && gx_load(&q->owners[at + k]) == 0)
            k++;
        if (k == n && (k = claim(q, at, n, owner)) == n)
            return at;
        at += k + 1;            /* unit at + k is taken: the next run can begin behind it */
    }
    return GX_NONE;
}

static u32 find_down(gx_queue *q, u32 n, u64 owner)
{
    for (u32 end = q->n_units; end >= n;) {
        u32 k = 0;
        while (k < n && gx_load(&q->owners[end - 1 - k]) == 0)
            k++;
        if (k < n)
            end -= k + 1;
        else {
            k = claim(q, end - n, n, owner);
            if (k == n)
                return end - n;
            end = end - n + k;  /* unit end - n + k is taken */
        }
    }
    return GX_NONE;
}

u32 gx_run_home(const gx_queue *q, u32 slot) { return (u32)((u64)slot * (q->n_units / 2) / q->n_slots); }

int gx_run_alloc(gx_queue *q, u64 owner, u64 size, u32 home, gx_q_run *out)
{
    if (size == 0 || size > (u64)q->n_units * GX_QUEUE_UNIT)
        return 0;
    u32 n = (u32)units_of(size), at;
    if (n > LARGE_UNITS)
        at = find_down(q, n, owner);
    else {
        at = find_up(q, home, q->n_units, n, owner);
        if (at == GX_NONE)
            at = find_up(q, 0, home + n - 1 < q->n_units ? home + n - 1 : q->n_units, n, owner);
    }
    if (at == GX_NONE)
        return 0;
    out->off = q->data + (u64)at * GX_QUEUE_UNIT;
    out->size = size;
    return 1;
}

int gx_run_valid(const gx_queue *q, gx_q_run run)
{
    return run.size > 0 && run.off >= q->data && run.off < q->size && run.size <= q->size - run.off
        && (run.off - q->data) % GX_QUEUE_UNIT == 0;
}

void gx_run_free(gx_queue *q, gx_q_run run, u64 owner)
{
    if (!gx_run_valid(q, run))
        return;
    u32 first = (u32)((run.off - q->data) / GX_QUEUE_UNIT), n = (u32)units_of(run.size);
    for (u32 i = first; i < first + n; i++)
        if (gx_load(&q->owners[i]) == owner)
            (void)gx_swap(&q->owners[i], owner, 0);
}

/* ---- the memory ---- */

/* Where everything lies, from the three counts alone. */
static void lay_out(gx_queue *q)
{
    u64 slots = ALIGN(sizeof(gx_q_header), 128);
    u64 pending = slots + (u64)q->n_slots * sizeof(gx_q_slot);
    u64 owners = ALIGN(pending + ALIGN((u64)q->n_slots, 64) / 8, 128);
    u64 programs = ALIGN(owners + (u64)q->n_units * 8, 128);
    q->data = ALIGN(programs + (u64)q->n_programs * sizeof(gx_q_program), GX_QUEUE_UNIT);
    q->size = q->data + (u64)q->n_units * GX_QUEUE_UNIT;
    q->header = (gx_q_header *)q->base;
    q->slots = (gx_q_slot *)(q->base + slots);
    q->pending = (u64 *)(q->base + pending);
    q->owners = (u64 *)(q->base + owners);
    q->programs = (gx_q_program *)(q->base + programs);
}

static gx_queue *new_view(void)
{
    gx_queue *q = (gx_queue *)calloc(1, sizeof *q);
    if (q) {
        q->fd = q->lifeline[0] = q->lifeline[1] = -1;
        q->many_cores = gx_cores() > 1;
    }
    return q;
}

static int view_tables(gx_queue *q)
{
    q->held = (gx_slot *)calloc(q->n_slots, sizeof *q->held);
    q->seen = (struct gx_seen *)calloc((size_t)q->n_slots + q->n_programs, sizeof *q->seen);
    q->taken = (u64 *)calloc(q->n_slots, sizeof *q->taken);
    q->taking = (u32 *)calloc(q->n_slots, sizeof *q->taking);
    if (!q->held || !q->seen || !q->taken || !q->taking)
        return 0;
    for (u32 i = 0; i < q->n_slots; i++) {
        q->held[i].q = q;
        q->held[i].index = i;
        q->held[i].spin_us = 20;
    }
    return 1;
}

gx_status gx_queue_create(u32 slots, u64 bytes, gx_queue **out, gx_error *err)
{
    if (slots == 0 || slots > GX_QUEUE_MAX_SLOTS)
        return gx_fail(err, GX_EBAD, "", 0, 0, "%u queue slots: must be 1 to %u", slots, GX_QUEUE_MAX_SLOTS);
    if (bytes < (1u << 20) || bytes > MAX_BYTES)
        return gx_fail(err, GX_EBAD, "", 0, 0, "%llu bytes of shared memory: must be 1 MiB to 1 TiB",
                       (unsigned long long)bytes);
    gx_queue *q = new_view();
    if (!q)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "no memory for the queue");
    q->n_slots = slots;
    q->n_units = (u32)(bytes / GX_QUEUE_UNIT);
    q->n_programs = GX_QUEUE_PROGRAMS;
    lay_out(q);                                     /* for the size; again below, with the base */
    u64 left = gx_memory_left();
    const char *what = "mapped";
    struct rlimit files;
    int rc = 0;
    if (left < q->size) {
        rc = ENOMEM;
        goto no_memory;
    }
    /* ftruncate would end this process: SIGXFSZ */
    if (getrlimit(RLIMIT_FSIZE, &files) == 0 && files.rlim_cur < q->size) {
        rc = EFBIG;
        what = "larger than files may be (ulimit -f)";
        goto no_memory;
    }
    q->fd = memfd_create("gpuxml", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (q->fd < 0) {
        rc = errno;
        what = "created";
        goto no_memory;
    }
    /* fallocate makes every page now and says so if it cannot; a mapping would find out by SIGBUS */
    if (ftruncate(q->fd, (off_t)q->size) != 0 || fallocate(q->fd, 0, 0, (off_t)q->size) != 0) {
        rc = errno;
        what = "allocated";
        goto no_memory;
    }
    if (fcntl(q->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        rc = errno;
        what = "sealed";
        goto no_memory;
    }
    q->base = (char *)mmap(NULL, q->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, q->fd, 0);
    if (q->base == MAP_FAILED) {
        rc = errno;
        q->base = NULL;
        goto no_memory;
    }
    lay_out(q);
    if (!view_tables(q) || pipe2(q->lifeline, O_CLOEXEC) != 0) {
        gx_queue_destroy(q);
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "no memory or file descriptor for the queue: %s", strerror(errno));
    }
    *out = q;
    return GX_OK;

no_memory:
    {
        u64 size = q->size;
        gx_queue_destroy(q);
        return gx_fail(err, GX_ENOMEM, "", 0, 0,
                       "shared memory of %llu bytes (%u slots, %llu bytes of data) cannot be %s: %s;"
                       " this machine or container has %llu bytes left",
                       (unsigned long long)size, slots, (unsigned long long)bytes, what, strerror(rc),
                       (unsigned long long)left);
    }
}

gx_queue_shape gx_queue_shape_of(const gx_queue *q)
{
    const gx_queue_shape shape = { GX_QUEUE_LAYOUT, q->n_slots, q->n_units };
    return shape;
}

gx_status gx_queue_attach(int fd, const gx_queue_shape *shape, gx_queue **out, gx_error *err)
{
    struct stat st;
    int seals = fcntl(fd, F_GET_SEALS);
    if (shape->layout != GX_QUEUE_LAYOUT || shape->slots == 0 || shape->slots > GX_QUEUE_MAX_SLOTS || shape->units == 0)
        return gx_fail(err, GX_EBAD, "", 0, 0, "the shared memory was made by another version of gpuxml");
    gx_queue *q = new_view();
    if (!q)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "no memory for the queue");
    q->n_slots = shape->slots;
    q->n_units = shape->units;
    q->n_programs = GX_QUEUE_PROGRAMS;
    lay_out(q);
    if (fstat(fd, &st) != 0 || seals < 0 || (seals & (F_SEAL_SHRINK | F_SEAL_GROW)) != (F_SEAL_SHRINK | F_SEAL_GROW)
        || (u64)st.st_size != q->size) {
        gx_queue_destroy(q);
        return gx_fail(err, GX_EBAD, "", 0, 0, "file descriptor %d is no sealed shared memory of gpuxml of this size",
                       fd);
    }
    q->base = (char *)mmap(NULL, q->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (q->base == MAP_FAILED) {
        const int error = errno;
        q->base = NULL;
        gx_queue_destroy(q);
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "shared memory of %llu bytes cannot be mapped: %s",
                       (unsigned long long)st.st_size, strerror(error));
    }
    lay_out(q);
    if (!view_tables(q)) {
        gx_queue_destroy(q);
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "no memory for the queue");
    }
    q->fd = fd;
    *out = q;
    return GX_OK;
}

void gx_queue_destroy(gx_queue *q)
{
    if (!q)
        return;
    if (q->base)
        munmap(q->base, q->size);
    int fds[3] = { q->fd, q->lifeline[0], q->lifeline[1] };
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    for (u32 i = 0; q->held && i < q->n_slots; i++)
        free(q->held[i].image);
    free(q->held);
    free(q->seen);
    free(q->taken);
    free(q->taking);
    free(q);
}

u64 gx_queue_size(const gx_queue *q) { return q->size; }
void *gx_queue_base(const gx_queue *q) { return q->base; }
