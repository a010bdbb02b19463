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

/* The work of one step of a document that comes in pieces, on one thread: chunks from .. to are marked, the state and
 * the counts before them (tokens, attributes, bytes of text) carried on, and the tokens that are complete now are read.
 * c->found collects what is wrong, and whether there is more than ASCII. The same steps as kernels/bytes_grid.cu, here
 * without a card. */
void gx_bytes_run_chunks(const gx_bytes_request *r, u32 from, u32 to)
{
    const gx_coming *const c = &r->chunks;
    const gx_chunks *const all = &c->all;
    gx_chunk_counts before = c->before[from / GX_CHUNK_GROUP];
    u32 first, end;
    gx_bytes b;
    int wrong = 0;

    if (to <= from)
        return;
    memset(&b, 0, sizeof b);
    wrong = gx_come_begin(&b, r);
    gx_come_columns(&b, r);
    for (u32 k = from, state = c->state[from / GX_CHUNK_GROUP]; k < to; k++) {
        wrong |= gx_chunk_mark_in(&b, k, state, all, &b.wide);
        state = gx_turns_of(gx_chunk_turns(&b, k), state);
        if (k + 1 == to || (k + 1) % GX_CHUNK_GROUP == 0)
            c->state[gx_chunk_groups(k + 1)] = state;
        const gx_chunk_counts of = { all->tokens[k], all->attrs[k], all->text[k] };
        all->tokens[k] = before.tokens;
        all->attrs[k] = before.attrs;
        all->text[k] = before.text;
        before.tokens += of.tokens;
        before.attrs += of.attrs;
        before.text += of.text;
        if (gx_come_fits(&c->come, before))
            gx_chunk_places(&b, k);
    }
    c->before[gx_chunk_groups(to)] = before;
    if (to == b.n_chunks) {
        all->tokens[to] = before.tokens;
        all->attrs[to] = before.attrs;
        all->text[to] = before.text;
        if (gx_come_fits(&c->come, before))
            gx_places_end(&b, before);
    }
    if (!wrong && gx_come_tokens(r, from, to, &first, &end))
        for (u32 m = first; m < end && !wrong; m++)
            wrong = gx_bytes_token(&b, m) || gx_bytes_token_more(&b, m);
    c->found[0] |= (u32)wrong;
    c->found[1] |= b.wide;
}
