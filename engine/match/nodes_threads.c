/* SPDX-License-Identifier: Apache-2.0 */
/* nodes_threads.c -- lists of elements by N pthreads (nodes.h) */
#define GX_TEAM_THREADS
#include "nodes.h"
#include "machine/team_threads.h"

static gx_status work(const gx_team *t, void *ctx)
{
    gxp_run r;
    memset(&r, 0, sizeof r);
    r.t = *t;
    gxp_run_begin(&r, ctx, (gxp_near){ NULL, NULL, NULL, NULL });
    return gxp_nodes_run(&r);
}

int gxp_nodes_run_threads(const gxp_request *q, u32 members)
{
    return (int)gx_team_threads(members, work, (void *)q);
}
