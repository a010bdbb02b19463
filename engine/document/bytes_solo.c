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

void gx_bytes_run_chunks(const char *bytes, u32 n, u32 from, u32 to, gx_chunks *all)
{
    gx_bytes b;
    if (to <= from)
        return;
    memset(&b, 0, sizeof b);
    b.s = (const u8 *)bytes;
    b.n = n;
    all->found[0] |= gx_bytes_declaration(&b) || b.from >= n;
    for (u32 k = from, state = all->state[from / GX_CHUNK_GROUP]; k < to; k++) {
        all->found[0] |= (u32)gx_chunk_mark_in(&b, k, state, all, &all->found[1]);
        state = gx_turns_of(gx_chunk_turns(&b, k), state);
        if (k + 1 == to || (k + 1) % GX_CHUNK_GROUP == 0)
            all->state[gx_chunk_groups(k + 1)] = state;
    }
}
