/* SPDX-License-Identifier: Apache-2.0 */
/* bytes_threads.c -- the team's parser for N pthreads */
#define GX_TEAM_THREADS
#include "bytes_parse.h"
#include "bytes_run.h"
#include "machine/team_threads.h"

typedef struct member { gx_team team; const gx_bytes_request *request; gx_bytes b; gx_status status; } member;

static void work(void *arg)
{
    member *me = arg;
    me->b.t = me->team;
    me->status = gx_bytes_parse(&me->b, me->request);
}

gx_status gx_bytes_run_threads(const gx_bytes_request *r, u32 members, gx_doc **doc)
{
    member all[TEAM_MAX_MEMBERS];
    members = members > TEAM_MAX_MEMBERS ? TEAM_MAX_MEMBERS : members;
    memset(all, 0, members * sizeof *all);
    for (u32 i = 0; i < members; i++)
        all[i].request = r;
    if (!gx_team_threads(all, sizeof *all, members, work))
        return GX_ENOMEM;
    if (all[0].status == GX_OK)
        *doc = all[0].b.doc;
    return all[0].status;
}
