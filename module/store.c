/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c -- programs that children have compiled since httpd (re)started, for their siblings
 *
 * A memfd that all children of all generations inherit:
 *
 *   FOUND_PLACES places of stylesheets that only requests name | a larger place for each that configurations name
 *
 * The former are found by name: the first of WAYS places, from where its digest says on, that has it or is free; where
 * none is, the one compiled longest ago goes. None becomes free again.
 *
 * It takes as much memory as was written. A program is one block without pointers; it is checked when it comes from
 * here, as anything that a child wrote. Nobody locks: two that write the same place at once write the same file's
 * program nearly always, else the digest tells.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "store.h"
#include "version.h"

#define FOUND_PLACES 256u
#define WAYS 16u
#define FOUND_PLACE_BYTES ((u64)256 << 10)
#define PLACE_BYTES ((u64)16 << 20)

static int store = -1;

void gxm_store_start(int *fd)
{
    if (*fd < 0)
        *fd = memfd_create("gpuxml-stylesheets", MFD_CLOEXEC);
    store = *fd;
}

gxm_place gxm_store_place(u32 n)
{
    return (gxm_place){ (off_t)(FOUND_PLACES * FOUND_PLACE_BYTES + n * PLACE_BYTES), PLACE_BYTES, 0, { { 0 } } };
}

gxm_place gxm_store_place_by_name(const gxm_sha *name)
{
    return (gxm_place){ 0, FOUND_PLACE_BYTES, WAYS, *name };
}

static int read_head(off_t at, gxm_stored *head)
{
    return store >= 0 && pread(store, head, sizeof *head, at) == (ssize_t)sizeof *head && head->size;
}

/* Where the program stands, and what is there; 0: it is not in the store, *at: where it would come, after what is
 * *head, which is cleared if nothing. */
static int look_up(const gxm_place *place, off_t *at, gxm_stored *head)
{
    gxm_stored there;
    *at = place->at;
    if (!place->ways && read_head(*at, head))
        return 1;
    memset(head, 0, sizeof *head);
    for (u32 k = 0; k < place->ways; k++) {
        const off_t here = (off_t)((place->name.word[0] + k) % FOUND_PLACES * place->bytes);
        const int is_taken = read_head(here, &there);
        if (is_taken && gx_sha256_is_same(&there.name, &place->name)) {
            *at = here;
            *head = there;
            return 1;
        }
        if (!is_taken || k == 0 || there.made_us < head->made_us) {
            *at = here;
            memset(head, 0, sizeof *head);
            if (!is_taken)
                break;
            *head = there;
        }
    }
    return 0;
}

void gxm_store_put(const gxm_place *place, const gxm_version *version)
{
    const gxm_stored head = { version->made_us, version->program->size, version->queued.digest, place->name };
    gxm_stored old;
    off_t at;
    if (store < 0 || head.size + sizeof head > place->bytes)
        return;
    if (look_up(place, &at, &old) && (old.made_us > head.made_us || gx_sha256_is_same(&old.program, &head.program)))
        return;
    if (pwrite(store, version->program, head.size, at + (off_t)sizeof head) == (ssize_t)head.size)
        (void)!pwrite(store, &head, sizeof head, at);
}

/* Whether it is the program of the stylesheet at path. A child that was taken over may have written another one. */
static int is_of(const gx_program *program, const char *path)
{
    const gx_lit lit = GX_LIT(program, GX_PROG_TAB(program, u32, files)[0]);
    return lit.len == strlen(path) && memcmp((const char *)program + lit.off, path, lit.len) == 0;
}

/* The program at this place that is newer than made_us, which another process has compiled: read, compared with its
 * hash and checked as any block of others. NULL: there is none, or not of this path. */
gxm_version *gxm_store_get(const gxm_place *place, const char *path, u64 made_us)
{
    gx_program *program;
    gx_error err;
    gxm_stored head;
    off_t at;
    if (!place->bytes || !look_up(place, &at, &head) || head.size > place->bytes - sizeof head
        || head.made_us <= made_us)
        return NULL;
    program = malloc(head.size);
    if (!program)
        return NULL;
    if (pread(store, program, head.size, at + (off_t)sizeof head) == (ssize_t)head.size) {
        const gxm_sha sha = gx_sha256_of(program, head.size);
        if (gx_sha256_is_same(&sha, &head.program)
            && gx_program_check(program, head.size, &err) == GX_OK && program->files.n && is_of(program, path))
            return gxm_version_create(program, 0, head.made_us);
    }
    free(program);
    return NULL;
}
