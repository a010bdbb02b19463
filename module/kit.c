/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kit.c -- what requests find warm: parser, arena, document buffer
 *
 * Parser buffers, the evaluation's arena and the document's block are large and the same for every request: a thread
 * takes a kit when a response begins and gives it back when the page is made, so nothing on that way calls malloc. (SSI
 * in an XML page: a filter may begin while another of the same thread is still collecting. It takes a second kit.)
 *
 * The kits that nobody has are a list. A thread takes the one that its core used last, whose memory is in the caches of
 * that core, or else the last one given back. (httpd's threads take turns: if each had its own kit, a request found
 * memory that was last used 64 requests ago.) All of them together keep at most KEPT_BYTES, above which those that were
 * not used for longest go; what is measured is what they hold, since a document that failed may have been a large one,
 * too. (With a kit a thread, 25 idle threads held 0.2 to 0.7 GB after documents of 1 to 3.5 MB.)
 *
 * An arena is address space, of which most pages touch little. Where that is counted (ulimit -v, vm.overcommit_memory
 * 2) and hundreds of threads use it up, a thread does with a small one, and only what needs more fails. Small: httpd
 * itself ends when it gets no memory.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "module.h"

#define ARENA_WARM ((u64)64 << 20)     /* cap of the arena of a kit that is kept */
#define ARENA_LEAST ((u64)2 << 20)
#define KEPT_BYTES ((u64)64 << 20)
#define SHORT_US 1000u                  /* an evaluation that takes no longer cannot touch much of the arena */
#define CORES 256u                      /* above that, cores share */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gxm_kit *newest, *oldest;        /* linked through newer, older */
static gxm_kit *empty;                  /* linked through older: what held them is gone, but last_on may still have
                                           them */
static u64 kept_bytes;
static gxm_kit *last_on[CORES];         /* given back by a thread on this core; somebody may have it since */

/* Frees all that the kit has. It may be taken again, as if it were new. */
static void put_empty(gxm_kit *kit)
{
    if (kit->parser)
        gx_parser_free(kit->parser);
    if (kit->arena)
        gx_arena_free(kit->arena);
    gxm_sha_free(&kit->text);
    free(kit->block);
    memset(kit, 0, sizeof *kit);
    pthread_mutex_lock(&lock);
    kit->older = empty;
    empty = kit;
    pthread_mutex_unlock(&lock);
}

gx_status gxm_kit_arena(gxm_kit *kit, u64 bytes, gx_error *err)
{
    gx_arena_free(kit->arena);
    kit->arena = NULL;
    kit->arena_bytes = bytes;
    kit->touched_bytes = 0;
    return gx_arena_create(bytes, &kit->arena, err);
}

/* With the lock held. */
static void take_out(gxm_kit *kit)
{
    *(kit->newer ? &kit->newer->older : &newest) = kit->older;
    *(kit->older ? &kit->older->newer : &oldest) = kit->newer;
    kept_bytes -= kit->kept_bytes;
    kit->is_listed = 0;
}

static u32 core(void) { return (u32)sched_getcpu() % CORES; }

/* A kit for this thread: the last one that was used on this core, as its memory is in that core's cache, else the one
 * given back last, else a new one. Its parser and arena are there. NULL: no memory. To be given back with
 * gxm_kit_give(). */
gxm_kit *gxm_kit_take(void)
{
    const u32 here = core();
    gxm_kit *kit;
    gx_error err;
    pthread_mutex_lock(&lock);
    kit = last_on[here];
    if (!kit || !kit->is_listed || kit->core != here)
        kit = newest;
    if (kit)
        take_out(kit);
    else if (empty) {
        kit = empty;
        empty = kit->older;
    }
    pthread_mutex_unlock(&lock);
    if (!kit)
        kit = calloc(1, sizeof *kit);
    if (kit && !kit->parser
        && (gx_parser_create(&kit->parser, &err) != GX_OK
            || (gxm_kit_arena(kit, ARENA_WARM, &err) != GX_OK && gxm_kit_arena(kit, ARENA_LEAST, &err) != GX_OK))) {
        put_empty(kit);
        kit = NULL;
    }
    return kit;
}

/* What it holds; of one that is not to be kept, more than all may. The arena is counted after long evaluations only:
 * asking the kernel for each of its pages takes 8 us, half of what a small page takes to be made. */
static u64 bytes_of(gxm_kit *kit, u64 eval_us)
{
    if (!kit->arena || kit->arena_bytes > ARENA_WARM)
        return KEPT_BYTES + 1;
    if (eval_us > SHORT_US)
        kit->touched_bytes = gx_arena_bytes(kit->arena);
    return gx_parser_bytes(kit->parser) + kit->block_size + kit->touched_bytes;
}

/* The kit is kept for others, KEPT_BYTES of all kits; those not used for longest lose their memory, outside the lock.
 * One that has grown beyond that loses it at once. eval_us: how long it evaluated; of a short evaluation the arena is
 * not measured. */
void gxm_kit_give(gxm_kit *kit, u64 eval_us)
{
    gxm_kit *gone = NULL, *old;
    kit->kept_bytes = bytes_of(kit, eval_us);
    if (kit->kept_bytes > KEPT_BYTES) {
        put_empty(kit);
        return;
    }
    kit->core = core();
    pthread_mutex_lock(&lock);
    last_on[kit->core] = kit;
    kit->is_listed = 1;
    kit->newer = NULL;
    kit->older = newest;
    *(newest ? &newest->newer : &oldest) = kit;
    newest = kit;
    kept_bytes += kit->kept_bytes;
    while (kept_bytes > KEPT_BYTES) {
        old = oldest;
        take_out(old);
        old->older = gone;              /* freed below, without the lock */
        gone = old;
    }
    pthread_mutex_unlock(&lock);
    while (gone) {
        old = gone->older;
        put_empty(gone);
        gone = old;
    }
}

void gxm_kit_read(gxm_kit *kit, const gx_doc *doc)
{
    gx_parser *other;
    gx_error err;
    if (gx_parser_has(kit->parser, doc) || gx_parser_bytes(kit->parser) <= KEPT_BYTES
        || gx_parser_create(&other, &err) != GX_OK)
        return;
    gx_parser_free(kit->parser);
    kit->parser = other;
}

void *gxm_kit_block(void *ctx, u64 size)
{
    gxm_kit *kit = ctx;
    if (size > kit->block_size) {
        u64 want = (size + size / 4 + 4095) & ~(u64)4095;
        free(kit->block);
        kit->block = aligned_alloc(4096, want);
        kit->block_size = kit->block ? want : 0;
    }
    return kit->block;
}
