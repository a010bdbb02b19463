/* SPDX-License-Identifier: Apache-2.0 */
/* page_solo.c -- pages written by one thread (page_team.h) */
#define GX_TEAM_SOLO
#include "page_write.h"

gx_status gx_page_run_solo(const gx_page_request *r, const char **out, u32 *size)
{
    gx_page pg;
    memset(&pg, 0, sizeof pg);
    const gx_status status = gx_page_make(&pg, r);
    if (status == GX_OK) {
        *out = pg.out;
        *size = pg.size;
    }
    return status;
}
