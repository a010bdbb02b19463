/* SPDX-License-Identifier: Apache-2.0 */
/* page_threads.c -- pages written by N pthreads (page_team.h) */
#define GX_TEAM_THREADS
#include "page_write.h"
#include "machine/team_threads.h"

typedef struct writing { const gx_page_request *request; const char *out; u32 size; } writing;

static gx_status work(const gx_team *t, void *ctx)
{
    writing *all = ctx;
    gx_page pg;
    memset(&pg, 0, sizeof pg);
    pg.t = *t;
    const gx_status status = gx_page_make(&pg, all->request);
    if (status == GX_OK && team_rank(t) == 0) {
        all->out = pg.out;
        all->size = pg.size;
    }
    return status;
}

gx_status gx_page_run_threads(const gx_page_request *r, u32 members, const char **out, u32 *size)
{
    writing all = { r, NULL, 0 };
    const gx_status status = gx_team_threads(members, work, &all);
    if (status == GX_OK) {
        *out = all.out;
        *size = all.size;
    }
    return status;
}
