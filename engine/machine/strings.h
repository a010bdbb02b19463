/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strings.h -- string-values of result tree fragments
 *
 * A fragment is frames, not text. Its string-value is needed when a variable with content is used as a string. Two
 * passes over the groups that the content made, each row for itself:
 *   lengths, last made first (kids are made after their parents): a row's length, and the only piece if there is just
 *   one bytes, first made first: a row knows where its text begins and hands places to its kids
 * Fragments whose rows have one piece each (a choice of literals, one value-of: most of them) are slices; nothing is
 * copied.
 */
#ifndef GX_MACHINE_STRINGS_H
#define GX_MACHINE_STRINGS_H

#include "column.h"
#include "machine.h"
#include "memory.h"
#include "nodes.h"
#include "result.h"
#include "value.h"

/* len bytes in pieces; the first one that has any lies at `at`: first bytes, which is len when it is the only one */
typedef struct gx_piece { u64 at; u32 len, first; } gx_piece;

GX_OP void gx_piece_add(gx_piece *p, u64 at, u32 first, u32 len)
{
    if (!p->len) {
        p->at = at;
        p->first = first;
    }
    p->len = gx_len_add(p->len, len);
}

/* text of a column that a value-of or copy-of left: copy-of takes all nodes, value-of has made them NODE */
typedef struct gx_text_sink { gx_piece *piece; char *out; } gx_text_sink;
GX_OP void gx_text_put(const gx_m *m, gx_text_sink *sink, gx_str s)
{
    if (sink->piece)
        gx_piece_add(sink->piece, s.at, s.len, s.len);
    else if (s.len) {
        const char *bytes = gx_bytes(m, s);
        if (sink->out != bytes)             /* gx_grow: it may be in its place */
            memcpy(sink->out, bytes, s.len);
        sink->out += s.len;
    }
}

/* Does a copy of the node add to the string-value of what it is copied into? */
GX_OP int gx_has_text(const gx_view *v, u32 node) { return gx_kind(v, node) <= GX_KIND_TEXT; }

GX_OP void gx_text_column(const gx_m *m, const gx_col *c, int copied, u32 row, gx_text_sink *sink)
{
    gx_v v;

    gx_v_load(m, c, &v);
    if (c->type == GX_T_NODE && !copied) {
        u32 node = ((const u32 *)v.data)[GX_ROW(&v, row)];
        if (node != GX_NONE)
            gx_text_put(m, sink, gx_node_str(gx_view_of(m, node), node));
    } else if (v.type == GX_T_SET) {
        u32 b, e;
        gx_v_range(&v, row, &b, &e);
        for (u32 k = b; k < e; k++) {
            u32 node = ((const u32 *)v.data)[k];
            const gx_view *w = gx_view_of(m, node);
            if (gx_has_text(w, node))
                gx_text_put(m, sink, gx_node_str(w, node));
        }
    } else
        gx_text_put(m, sink, gx_row_str(m, &v, row));
}

/* The nested frames that an instruction made for a row: those from .. to - 1 of a chunk, or of a list */
typedef struct gx_row_kids { const gx_kid *list; u32 chunk, from, to; } gx_row_kids;

GX_OP gx_row_kids gx_kids_of_row(const gx_m *m, const gx_col *slot, u32 row)
{
    gx_row_kids k;

    k.list = NULL;
    k.chunk = slot->a;
    k.from = row;
    k.to = row + 1;
    if (slot->type == GX_C_KID_OPT) {
        k.from = GX_PTR(m, const u32, slot->b)[row];
        k.to = k.from == GX_NONE ? k.from : k.from + 1;
    } else if (slot->type == GX_C_KID_RANGE || slot->type == GX_C_KID_LIST) {
        k.from = GX_PTR(m, const u32, slot->b)[row];
        k.to = GX_PTR(m, const u32, slot->b)[row + 1];
    }
    if (slot->type == GX_C_KID_LIST || slot->type == GX_C_KID_PAIR)
        k.list = GX_PTR(m, const gx_kid, slot->a);
    return k;
}
GX_OP gx_kid gx_kid_at(const gx_row_kids *kids, u32 k)
{
    gx_kid one;

    if (kids->list)
        return kids->list[k];
    one.chunk = kids->chunk;
    one.row = k;
    return one;
}

/* One row of one group, in the order of its instructions. piece: adds up its length, from the pieces of the frames
 * below, whose lengths are known; or out: writes its own bytes and says (group->at) where each frame below writes its
 * own. Nested frames are not walked here, so O(pieces of this row). */
GX_OP_BIG void gx_text_row(const gx_m *m, gx_group *g, u32 row, gx_piece *piece, char *out)
{
    const gx_body *b = &m->run->bodies[g->body];
    gx_text_sink sink;

    sink.piece = piece;
    sink.out = out;
    for (u32 pc = b->first, end = b->first + b->n; pc < end; pc++) {
        const gx_instr *i = &m->run->instrs[pc];
        const gx_col *slot = GX_PTR(m, const gx_col, g->slots) + i->slot;
        switch (i->op) {
        case GX_I_TEXT:
            gx_text_put(m, &sink, gx_lit_str(m, i->a));
            break;
        case GX_I_VALUE: case GX_I_NUMBER: case GX_I_COPY_OF:
            if (slot->type)
                gx_text_column(m, slot, i->op == GX_I_COPY_OF, row, &sink);
            break;
        case GX_I_ATTR: case GX_I_ATTR_DYN: case GX_I_COMMENT: case GX_I_PI: case GX_I_MESSAGE:
            pc = i->c;                  /* not text of the fragment */
            break;
        case GX_I_COPY: {
            u32 node = GX_PTR(m, const u32, g->context)[row];
            u32 kind = gx_kind(gx_view_of(m, node), node);
            if (kind == GX_KIND_TEXT)
                gx_text_put(m, &sink, gx_node_str(gx_view_of(m, node), node));
            if (kind != GX_KIND_ELEM && kind != GX_KIND_ROOT)
                pc = i->c;
            break;
        }
        case GX_I_IF: case GX_I_CHOOSE: case GX_I_FOR_EACH: case GX_I_APPLY: case GX_I_APPLY_IMPORTS: case GX_I_CALL: {
            gx_row_kids kids;
            if (!slot->type)
                break;
            kids = gx_kids_of_row(m, slot, row);
            for (u32 k = kids.from; k < kids.to; k++) {
                const gx_kid one = gx_kid_at(&kids, k);
                u32 r = one.row;
                if (one.chunk == GX_KID_TEXT || (one.chunk == GX_KID_COPY && gx_has_text(gx_view_of(m, r), r))) {
                    gx_text_put(m, &sink, gx_node_str(gx_view_of(m, r), r));
                    continue;
                }
                if (!GX_KID_HAS_FRAME(one) || !one.chunk)
                    continue;
                const gx_chunk *c = GX_PTR(m, const gx_chunk, one.chunk);
                const gx_group *kid = GX_PTR(m, const gx_group, c->group);
                const gx_piece *p = GX_PTR(m, const gx_piece, kid->len) + c->row0 + r;
                if (piece)
                    gx_piece_add(piece, p->at, p->first, p->len);
                else {
                    GX_PTR(m, u64, kid->at)[c->row0 + r] = (u64)(sink.out - m->base);
                    sink.out += p->len;
                }
            }
            break;
        }
        default:
            break;
        }
    }
}

/* text[r] := string-value of row r of chunk, n rows. last: ref of the group made last in the level; the chain of
 * `made` ends at 0. Two walks over the level's groups: lengths from the frames made last to the first (children
 * before parents), then places and bytes the other way round. A text that is one string already is shared. O(frames +
 * bytes). Complete for everyone; scratch is given back. Fails with GX_EARENA. */
GX_OP_BIG gx_status gx_fragment_strings(gx_m *m, u32 chunk, u32 n, u32 last, gx_str *text)
{
    u32 count = 0, *list, many = 0, *at;
    gx_group *root = GX_PTR(m, gx_group, GX_PTR(m, gx_chunk, chunk)->group);
    const gx_piece *pieces;
    char *bytes;
    u64 mark = m->tmp;

    for (u32 ref = last; ref; ref = GX_PTR(m, gx_group, ref)->made)
        count++;
    GX_TMP(m, list, u32, count);
    if (team_rank(&m->t) == 0) {
        u32 k = 0;
        for (u32 ref = last; ref; ref = GX_PTR(m, gx_group, ref)->made)
            list[k++] = ref;                    /* last made first */
    }
    team_sync(&m->t);
    for (u32 k = 0; k < count; k++) {
        gx_group *g = GX_PTR(m, gx_group, list[k]);
        gx_piece *p;
        GX_TMP(m, p, gx_piece, g->n);
        if (team_rank(&m->t) == 0)
            g->len = GX_REF_OF(m, p);
        team_sync(&m->t);
        TEAM_FOR(&m->t, r, g->n) {
            gx_piece x;
            x.at = 0;
            x.len = x.first = 0;
            gx_text_row(m, g, r, &x, NULL);
            p[r] = x;
        }
        team_sync(&m->t);
    }
    pieces = GX_PTR(m, const gx_piece, root->len);
    TEAM_FOR(&m->t, r, n) {
        text[r] = pieces[r].len && pieces[r].first == pieces[r].len ? gx_str_make(pieces[r].at, pieces[r].len)
                                                                    : gx_str_none();
        many |= pieces[r].first != pieces[r].len;
    }
    if (!team_any(&m->t, (int)many)) {
        m->tmp = mark;
        return GX_OK;
    }
    GX_TMP(m, at, u32, n + 1);
    TEAM_FOR(&m->t, r, n)
        at[r] = pieces[r].len;
    if (n == 1 && pieces[0].first >= GX_GROW_LEAST) {
        GX_TRY(gx_grow(m, 0, gx_str_make(pieces[0].at, pieces[0].first), pieces[0].len - pieces[0].first, &bytes));
        if (team_rank(&m->t) == 0) {
            at[0] = 0;
            at[1] = pieces[0].len;
        }
        team_sync(&m->t);
    } else
        GX_TRY(gx_build(m, at, n, &bytes));
    for (u32 k = count; k-- > 0;) {
        gx_group *g = GX_PTR(m, gx_group, list[k]);
        u64 *where;
        GX_TMP(m, where, u64, g->n);
        if (team_rank(&m->t) == 0)
            g->at = GX_REF_OF(m, where);
        TEAM_FOR(&m->t, r, g->n)
            where[r] = 0;                       /* rows that no kid refers to: nothing is written for them */
        team_sync(&m->t);
    }
    TEAM_FOR(&m->t, r, n)
        GX_PTR(m, u64, root->at)[r] = (u64)(bytes + at[r] - m->base);
    team_sync(&m->t);
    for (u32 k = count; k-- > 0;) {
        gx_group *g = GX_PTR(m, gx_group, list[k]);
        const gx_piece *p = GX_PTR(m, const gx_piece, g->len);
        const u64 *where = GX_PTR(m, const u64, g->at);
        TEAM_FOR(&m->t, r, g->n)
            if (where[r] && p[r].len)
                gx_text_row(m, g, r, NULL, m->base + where[r]);
        team_sync(&m->t);
    }
    TEAM_FOR(&m->t, r, n)
        if (pieces[r].first != pieces[r].len)
            text[r] = gx_arena_str(m, bytes + at[r], at[r + 1] - at[r]);
    team_sync(&m->t);
    m->tmp = mark;
    return GX_OK;
}

#endif
