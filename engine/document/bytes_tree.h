/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes_tree.h -- who is in whom: depths, and the last token before that lies less deep
 *
 *   token    <a>  <b>  </b>  <c/>  </a>
 *   depth     0    1    2     1     1    0        elements open before it; at the end none may be
 *   parent    -    0    1     0     0             the last one before with a smaller depth: of an end tag its start
 *                                   tag, of others their parent
 *
 * The last smaller one is found in a hierarchy of minima of 32: up while there is none, then down. O(log n) and no
 * array of levels, at any depth.
 */
#ifndef GX_BYTES_TREE_H
#define GX_BYTES_TREE_H

#include "bytes_token.h"

#define GX_MINIMA_FAN 32u

/* Minima over level[0], which the caller has filled; complete for all members behind it */
GX_OP_BIG gx_status gx_minima_make(gx_bytes *b, gx_minima *t, u32 *values, u32 n)
{
    u32 below = n, levels = 1;

    t->level[0] = values;
    for (; below > 1; levels++) {
        const u32 size = (below + GX_MINIMA_FAN - 1) / GX_MINIMA_FAN, *from = t->level[levels - 1];
        u32 *up;
        GX_BYTES_ROOM(b, up, u32, size);
        t->level[levels] = up;
        team_sync(&b->t);
        TEAM_FOR(&b->t, k, size) {
            u32 least = GX_NONE;
            for (u32 i = k * GX_MINIMA_FAN; i < below && i < (k + 1) * GX_MINIMA_FAN; i++)
                least = from[i] < least ? from[i] : least;
            up[k] = least;
        }
        below = size;
    }
    team_sync(&b->t);
    return GX_OK;
}

/* The last entry before m that is less than entry m; GX_NONE: none is. Of depths that is the start tag around token m.
 * Goes up the levels of minima until a group before m has a smaller one, then down to the last entry that is: O(log n)
 * with a factor of the fan-out. By one member. */
GX_OP_BIG u32 gx_minima_before(const gx_minima *t, u32 m)
{
    const u32 than = t->level[0][m];
    u32 level = 0, i = m;

    if (!than)
        return GX_NONE;
    for (;;) {                  /* nothing from i to m is less */
        const u32 low = i & ~(GX_MINIMA_FAN - 1), *v = t->level[level];
        while (i > low && v[i - 1] >= than)
            i--;
        if (i > low)
            break;
        if (!low)
            return GX_NONE;
        i = low / GX_MINIMA_FAN;
        level++;
    }
    for (i--; level; ) {        /* v[i] is, and of its entries below the last one that is */
        level--;
        i = i * GX_MINIMA_FAN + GX_MINIMA_FAN;          /* all of a node before another are there */
        for (const u32 *v = t->level[level]; v[i - 1] >= than; )
            i--;
        i--;
    }
    return i;
}

/* Is all blank between the token before m and m? */
GX_OP int gx_bytes_is_between(const gx_bytes *b, u32 m)
{
    const u32 from = m ? b->end[m - 1] : b->from;
    return gx_bytes_blanks(b, from) >= b->at[m];
}

/*
 * depth and parent of all tokens, the root's first and last token; wrong: the tags do not nest, or something is outside
 * the root that may not be (XML 1.0, 2.1).
 *
 * In: depth[m] is how much token m changes the depth, +1, -1 or 0. A scan makes the depth before each token; a token's
 * parent is then the last one before it with a smaller depth, found by the tree of minima, so members need no common
 * stack. Each end tag's name is compared with its start tag's bytes. O(n log n), n tokens. Complete for everyone. Fails
 * with GX_EXML where it is wrong, GX_EARENA.
 */
GX_OP_BIG gx_status gx_bytes_tree(gx_bytes *b)
{
    const u32 n = b->n_tokens;
    u32 root = GX_NONE, last = GX_NONE, n_roots = 0;
    int wrong = 0;

    GX_BYTES_ROOM(b, b->parent, u32, n + 1);
    team_scan_complete(&b->t, b->depth, n);
    wrong = b->depth[n] != 0;
    TEAM_FOR(&b->t, m, n) {
        const u32 kind = b->kind[m] & GX_TOKEN_KIND, depth = b->depth[m];
        if (depth > b->r->limits.depth || (kind == GX_TOKEN_END && !depth)
            || (kind <= GX_TOKEN_EMPTY && depth == b->r->limits.depth))
            wrong = 1;
        if (depth == 0) {
            wrong |= !gx_bytes_is_between(b, m);
            if (kind <= GX_TOKEN_EMPTY) {
                n_roots++;
                root = m;
                last = kind == GX_TOKEN_EMPTY ? m : last;
            }
        } else if (kind == GX_TOKEN_END && depth == 1)
            last = m;
    }
    if (n)
        wrong |= gx_bytes_blanks(b, b->end[n - 1]) < b->n;
    GX_BYTES_TRY(gx_bytes_agree(b, wrong));
    if (team_sum(&b->t, n_roots) != 1)
        return b->status = GX_EXML;
    b->root = team_min(&b->t, root);
    b->root_end = team_min(&b->t, last);
    GX_BYTES_TRY(gx_minima_make(b, &b->minima, b->depth, n));
    TEAM_FOR(&b->t, m, n) {
        const u32 start = gx_minima_before(&b->minima, m);
        b->parent[m] = start;
        if ((b->kind[m] & GX_TOKEN_KIND) == GX_TOKEN_END) {
            const u64 name = b->strings[b->name[start]];
            wrong |= b->name_len[m] != (u32)name
                || !gx_text_equal((const char *)b->s + b->name[m], b->name_len[m],
                                  (const char *)b->s + (name >> 32) - 1, (u32)name);
        }
    }
    return gx_bytes_agree(b, wrong);
}

#endif
