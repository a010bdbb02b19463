/* SPDX-License-Identifier: Apache-2.0 */
/*
 * twig_join.h -- the edges of a tree pattern by joins of its streams (stack-tree joins and TwigStack; Jordan 2010)
 *
 * An edge joins two streams, `above` and `below`, that are merged in document order. A stack holds the nodes of `above`
 * that the place in `below` lies in:
 *
 *   above   a1( a2( )   a3(   a4( ) b ))      at b the stack is a1 a3: a2 and a4 have ended. b's parent, if it is in
 *                                             `above`, is the top
 *
 *   a[b]      the top, where it is b's parent, is flagged        gx_join_edge
 *   a[.//b]   of each a: does the next b begin before it ends?   gx_join_edge
 *   a/b       b is flagged where the top is its parent           gx_join_child
 *   a//b      b is flagged where something encloses it           gx_join_inside
 *
 * Partitions (SPX): one of the two streams is cut into parts of one length, and the other's part follows from the
 * document's ranges. An ancestor that lies in an earlier part belongs to every part that it reaches into. It is looked
 * up when the first node asks for it, and is the bottom of the stack from then on. Where a merge meets a long piece of
 * `above` that it has no use for it leaps over that, and goes on as at a part's beginning.
 *
 * Cost: O(above + below) an edge, less where one stream is much shorter, and a search for each part's beginning. No
 * searches besides, as bits have for each node. Memory: a stack of the document's depth for each part.
 */
#ifndef GX_MACHINE_TWIG_JOIN_H
#define GX_MACHINE_TWIG_JOIN_H

#include "twig_stream.h"

#ifndef GX_JOIN_PART
#define GX_JOIN_PART 64u                /* nodes of a part, at least */
#define GX_JOIN_WALK 8u                 /* nodes of `above`: a search costs more than to walk over them */
#endif

typedef struct gx_open { u32 at, id, end; } gx_open;            /* a node of `above`, its place there and its end */

/* The parts of a team's joins */
typedef struct gx_joins {
    gx_open *stacks;                    /* depth of each part */
    u32 depth, parts;                   /* parts: at most */
} gx_joins;

/* A merge's place in `above` */
typedef struct gx_merging {
    gx_stream above;
    gx_open *stack;
    u32 n, depth;                       /* on the stack */
    u32 walk;                           /* so many of `above` are walked over before a leap */
    u32 at;                             /* the next of `above` */
    u32 known;                          /* what lies before this place is not on the stack unless it was looked up */
    u32 parent, found;                  /* the last parent that was asked for, and its place */
} gx_merging;

GX_OP u32 gx_joins_most(const gx_m *m, const gx_view *v, u32 n)
{
    const u32 parts = n / (GX_JOIN_PART + v->doc->max_depth) + 1;

    return parts < team_size(&m->t) ? parts : team_size(&m->t);
}

/* Room for the joins of streams of up to n nodes */
GX_OP u64 gx_joins_room(const gx_m *m, const gx_view *v, u32 n)
{
    return (u64)gx_joins_most(m, v, n) * (v->doc->max_depth + 2) * sizeof(gx_open) + 16;
}
GX_OP_BIG gx_status gx_joins_make(gx_m *m, const gx_twig_run *r, gx_joins *j)
{
    u32 most = 0;

    for (u32 q = 1; q < r->n; q++)
        most = r->stream[q].n > most ? r->stream[q].n : most;
    j->depth = r->v->doc->max_depth + 2;
    j->parts = gx_joins_most(m, r->v, most);
    GX_TMP(m, j->stacks, gx_open, (u64)j->parts * j->depth);
    return GX_OK;
}

/* How many parts n nodes make, and where the i-th begins */
GX_OP u32 gx_joins_parts(const gx_joins *j, u32 n)
{
    const u32 parts = n / GX_JOIN_PART + 1;

    return parts < j->parts ? parts : j->parts;
}
GX_OP u32 gx_joins_first(u32 n, u32 parts, u32 i) { return (u32)((u64)n * i / parts); }

GX_OP void gx_merging_begin(gx_merging *x, const gx_joins *j, u32 part, gx_stream above, u32 first, u32 walk)
{
    x->above = above;
    x->stack = j->stacks + (u64)part * j->depth;
    x->n = 0;
    x->depth = j->depth;
    x->walk = walk;
    x->at = x->known = gx_stream_lower(above, first);
    x->parent = x->found = GX_NONE;
}

/* The stack: what encloses id, of what is known. A long way to it is a leap */
GX_OP void gx_merging_go(gx_merging *x, const gx_view *v, u32 id, gx_watch *watch)
{
    u32 walked = 0;

    while (x->n && x->stack[x->n - 1].end <= id)
        x->n--;
    while (x->at < x->above.n && x->above.at[x->at] < id) {
        gx_open o;
        if (walked++ == x->walk) {
            const u32 to = gx_stream_from(x->above, x->at, id);
            if (to - x->at > x->walk) {
                x->at = x->known = to;
                x->n = 0;
                break;
            }
        }
        o.at = x->at;
        o.id = x->above.at[x->at++];
        o.end = v->next[o.id];
        if (o.end > id && x->n < x->depth)
            x->stack[x->n++] = o;
    }
    watch->work += walked;
}

/* The place of id's parent in `above`, or GX_NONE. Ids ascend from call to call */
GX_OP u32 gx_merging_parent(gx_merging *x, const gx_view *v, u32 id, gx_watch *watch)
{
    const u32 parent = v->parent[id];

    if (parent == x->parent)
        return x->found;
    gx_merging_go(x, v, id, watch);
    x->parent = parent;
    x->found = GX_NONE;
    if (x->n)                           /* what has not been looked up encloses this */
        x->found = x->stack[x->n - 1].id == parent ? x->stack[x->n - 1].at : GX_NONE;
    else if (x->known && parent != GX_NONE) {
        const u32 i = gx_index_lower(x->above.at, 0, x->known, parent);
        if (i < x->known && x->above.at[i] == parent) {
            x->found = i;
            x->stack[0].at = i;
            x->stack[0].id = parent;
            x->stack[0].end = v->next[parent];
            x->n = 1;
        }
    }
    return x->found;
}

/* Is there an ancestor in `above`? *end: where it ends */
GX_OP int gx_merging_inside(gx_merging *x, const gx_view *v, u32 id, u32 *end, gx_watch *watch)
{
    gx_merging_go(x, v, id, watch);
    if (x->n) {
        *end = x->stack[0].end;
        return 1;
    }
    for (u32 up = x->known ? v->parent[id] : GX_NONE, i = 1; i && up != GX_NONE; up = v->parent[up]) {
        i = gx_index_lower(x->above.at, 0, x->known, up);
        watch->work += 2;
        if (i < x->known && x->above.at[i] == up) {
            *end = v->next[up];
            return 1;
        }
    }
    x->known = 0;       /* whatever encloses the nodes behind it from there would enclose this one, too */
    return 0;
}

/* Of the nodes of q's stream with flag e, those that have a kept c get e + 1. Complete after the next sync */
GX_OP_BIG gx_status gx_join_edge(gx_m *m, const gx_twig_run *r, const gx_joins *j, u32 q, u32 c, u32 e, u8 *flag)
{
    const gx_view *v = r->v;
    const gx_stream above = r->stream[q], below = r->stream[c];
    const int inside = r->node[c].axis == GX_AXIS_DESCENDANT;
    const u32 n = inside ? above.n : below.n, parts = gx_joins_parts(j, n);
    gx_watch watch = gx_watch_start();

    TEAM_FOR(&m->t, part, parts) {
        const u32 end = gx_joins_first(n, parts, part + 1);
        u32 k = gx_joins_first(n, parts, part);
        if (inside)
            for (u32 i = gx_stream_lower(below, above.at[k]); k < end && !gx_watch_late(m, &watch, 1); k++) {
                i = gx_stream_from(below, i, above.at[k] + 1);
                if (i < below.n && below.at[i] < v->next[above.at[k]] && flag[k] == e)
                    flag[k] = (u8)(e + 1);
            }
        else {
            gx_merging x;
            gx_merging_begin(&x, j, part, above, below.at[k], GX_JOIN_WALK);
            for (; k < end && !gx_watch_late(m, &watch, 1); k++) {
                const u32 i = gx_merging_parent(&x, v, below.at[k], &watch);
                if (i != GX_NONE && TEAM_LOAD(&flag[i]) == e)       /* several parts may have children of one node */
                    TEAM_STORE(&flag[i], (u8)(e + 1));
            }
        }
    }
    return gx_watch_end(m, &watch);
}

/* flag := is its parent in `above`? For each node of `below` */
GX_OP_BIG gx_status gx_join_child(gx_m *m, const gx_view *v, const gx_joins *j, gx_stream above, gx_stream below,
                                  u8 *flag)
{
    const u32 parts = gx_joins_parts(j, below.n);
    gx_watch watch = gx_watch_start();

    TEAM_FOR(&m->t, part, parts) {
        const u32 end = gx_joins_first(below.n, parts, part + 1);
        u32 k = gx_joins_first(below.n, parts, part);
        gx_merging x;
        gx_merging_begin(&x, j, part, above, below.at[k], GX_JOIN_WALK);
        for (; k < end && !gx_watch_late(m, &watch, 1); k++)
            flag[k] = gx_merging_parent(&x, v, below.at[k], &watch) != GX_NONE;
    }
    return gx_watch_end(m, &watch);
}

/* flag := 1 for the nodes of `below` inside a node of `above`; it is 0 before */
GX_OP_BIG gx_status gx_join_inside(gx_m *m, const gx_view *v, const gx_joins *j, gx_stream above, gx_stream below,
                                   u8 *flag)
{
    const u32 parts = gx_joins_parts(j, below.n);
    gx_watch watch = gx_watch_start();

    TEAM_FOR(&m->t, part, parts) {
        const u32 end = gx_joins_first(below.n, parts, part + 1);
        u32 k = gx_joins_first(below.n, parts, part), covered = 0;      /* nodes before it are inside */
        gx_merging x;
        gx_merging_begin(&x, j, part, above, below.at[k], GX_JOIN_WALK * j->depth);
        for (; k < end && !gx_watch_late(m, &watch, 1); k++)
            if (below.at[k] < covered || gx_merging_inside(&x, v, below.at[k], &covered, &watch))
                flag[k] = 1;
    }
    return gx_watch_end(m, &watch);
}

#endif
