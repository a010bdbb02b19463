/* SPDX-License-Identifier: Apache-2.0 */
/* bytes_threads.c -- the team's parser for N pthreads */
#define GX_TEAM_THREADS
#include "bytes_parse.h"
#include "bytes_run.h"
#include "machine/team_threads.h"

typedef struct parsing { const gx_bytes_request *request; gx_doc *doc; } parsing;

static gx_status work(const gx_team *t, void *ctx)
{
    parsing *all = ctx;
    gx_bytes b;
    memset(&b, 0, sizeof b);
    b.t = *t;
    const gx_status status = gx_bytes_parse(&b, all->request);
    if (status == GX_OK && team_rank(t) == 0)
        all->doc = b.doc;
    return status;
}

gx_status gx_bytes_run_threads(const gx_bytes_request *r, u32 members, gx_doc **doc)
{
    parsing all = { r, NULL };
    const gx_status status = gx_team_threads(members, work, &all);
    if (status == GX_OK)
        *doc = all.doc;
    return status;
}
