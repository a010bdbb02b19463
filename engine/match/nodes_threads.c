/* SPDX-License-Identifier: Apache-2.0 */
/* nodes_threads.c -- lists of elements by N pthreads (nodes.h) */
#define GX_TEAM_THREADS
#include "nodes.h"
#include "machine/team_threads.h"

typedef struct member {
    gx_team team;
    const gxp_request *request;
    gx_status status;
} member;

static void work(void *arg)
{
    member *me = arg;
    gxp_run r;
    memset(&r, 0, sizeof r);
    r.t = me->team;
    gxp_run_begin(&r, me->request, (gxp_near){ NULL, NULL, NULL, NULL });
    me->status = gxp_nodes_run(&r);
}

int gxp_nodes_run_threads(const gxp_request *q, u32 members)
{
    member all[TEAM_MAX_MEMBERS];
    members = members > TEAM_MAX_MEMBERS ? TEAM_MAX_MEMBERS : members;
    memset(all, 0, members * sizeof *all);
    for (u32 i = 0; i < members; i++)
        all[i].request = q;
    if (!gx_team_threads(all, sizeof *all, members, work))
        return GX_ENOMEM;
    return (int)all[0].status;
}
