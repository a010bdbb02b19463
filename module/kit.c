/*
 * kit.c -- what a thread keeps warm between requests
 *
 * Parser buffers, the evaluation's arena and the document's block are large and the same for every request: a thread takes its
 * kit when a response begins and gives it back when the page is made, so nothing on that way calls malloc. A filter may begin
 * while another of the same thread is still collecting (SSI in an XML page): it finds the thread's place empty and makes a kit
 * of its own. A kit that grew beyond GXM_KEEP_BYTES is not kept, else one large document a thread would hold memory for ever.
 *
 * An arena is address space, of which most pages touch little. Where that is counted (ulimit -v, vm.overcommit_memory 2) and hundreds of
 * threads use it up, a thread does with a small one, and only what needs more fails. Small: httpd itself ends when it gets no memory.
 */
#include <pthread.h>
#include <stdlib.h>
#include "module.h"

#define ARENA_WARM ((u64)64 << 20)     /* cap of the arena that a thread keeps */
#define ARENA_LEAST ((u64)2 << 20)

static pthread_key_t key;
static int key_made;

static void kit_free(void *data)
{
    gxm_kit *kit = data;
    if (kit->parser)
        gx_parser_free(kit->parser);
    if (kit->arena)
        gx_arena_free(kit->arena);
    free(kit->block);
    free(kit);
}

/* The destructor's code goes when httpd unloads the module: threads that end later must not call it. */
static apr_status_t key_delete(void *data)
{
    (void)data;
    gxm_kit *kit = pthread_getspecific(key);
    if (kit)
        kit_free(kit);
    pthread_key_delete(key);
    key_made = 0;
    return APR_SUCCESS;
}

gx_status gxm_kit_arena(gxm_kit *kit, u64 bytes, gx_error *err)
{
    gx_arena_free(kit->arena);
    kit->arena = NULL;
    kit->arena_bytes = bytes;
    return gx_arena_create(bytes, &kit->arena, err);
}

void gxm_kit_init(apr_pool_t *pool)
{
    if (!key_made && pthread_key_create(&key, kit_free) == 0) {
        key_made = 1;
        apr_pool_cleanup_register(pool, NULL, key_delete, apr_pool_cleanup_null);
    }
}

gxm_kit *gxm_kit_take(void)
{
    gxm_kit *kit = key_made ? pthread_getspecific(key) : NULL;
    gx_error err;
    if (kit) {
        pthread_setspecific(key, NULL);
        return kit;
    }
    kit = calloc(1, sizeof *kit);
    if (!kit)
        return NULL;
    if (gx_parser_create(&kit->parser, &err) != GX_OK
        || (gxm_kit_arena(kit, ARENA_WARM, &err) != GX_OK && gxm_kit_arena(kit, ARENA_LEAST, &err) != GX_OK)) {
        kit_free(kit);
        return NULL;
    }
    return kit;
}

void gxm_kit_give(gxm_kit *kit)
{
    if (!key_made || kit->is_large || kit->block_size > GXM_KEEP_BYTES || pthread_getspecific(key) || pthread_setspecific(key, kit) != 0)
        kit_free(kit);
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
