/* SPDX-License-Identifier: Apache-2.0 */
/* page_threads.c -- pages written by N pthreads (page_team.h) */
#define GX_TEAM_THREADS
#include "page_write.h"
#include "machine/team_threads.h"

typedef struct member { gx_team team; const gx_page_request *request; gx_page pg; gx_status status; } member;

static void work(void *arg)
{
    member *me = arg;
    me->pg.t = me->team;
    me->status = gx_page_make(&me->pg, me->request);
}

gx_status gx_page_run_threads(const gx_page_request *r, u32 members, const char **out, u32 *size)
{
    member all[TEAM_MAX_MEMBERS];
    members = members > TEAM_MAX_MEMBERS ? TEAM_MAX_MEMBERS : members;
    memset(all, 0, members * sizeof *all);
    for (u32 i = 0; i < members; i++)
        all[i].request = r;
    if (!gx_team_threads(all, sizeof *all, members, work))
        return GX_ENOMEM;
    if (all[0].status == GX_OK) {
        *out = all[0].pg.out;
        *size = all[0].pg.size;
    }
    return all[0].status;
}
