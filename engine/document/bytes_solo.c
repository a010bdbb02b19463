/* SPDX-License-Identifier: Apache-2.0 */
/* bytes_solo.c -- the team's parser for one thread */
#define GX_TEAM_SOLO
#include "bytes_parse.h"
#include "bytes_run.h"

gx_status gx_bytes_run_solo(const gx_bytes_request *r, gx_doc **doc)
{
    gx_bytes b;
    memset(&b, 0, sizeof b);
    const gx_status status = gx_bytes_parse(&b, r);
    if (status == GX_OK)
        *doc = b.doc;
    return status;
}

void gx_bytes_run_turns(const char *bytes, u32 n, u32 from, u32 to, u32 *turns)
{
    gx_bytes_turns_of(bytes, n, from, to, 0, 1, turns);
}
