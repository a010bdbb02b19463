/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc_check.h -- may this block be followed? By one thread (check.c), or by the many of a GPU (kernels/)
 *
 * A document block may come from another process. When nothing is wrong with it, every offset, count and index in it is
 * in range, the trees are properly nested, the columns are in document order and the heaps are UTF-8 with slices that
 * cut no character: whoever walks the block then needs no checks of its own. (A wrong hash or a name listed twice is
 * left alone: lookups may miss it, no more.)
 *
 * A block is of parts, a part of items; each item is looked at by itself, in any order, and never follows what it has
 * not looked at. So there is nothing to wait for and nothing to remember, and no branch that depends on the document's
 * shape. That a forest nests is seen so: a node's first child says that it is its parent; what stands where a subtree
 * ends, before its parent's does, says that it has the same parent; subtrees end within their parent's. From the root
 * down each subtree is then tiled by its children's.
 */
#ifndef GX_DOC_CHECK_H
#define GX_DOC_CHECK_H

#include "doc.h"
#include "machine/text.h"

/* The parts; before all others the header, without which none may be looked at */
#define GX_EACH_PART(x) \
    x(GX_PART_HEADER) x(GX_PART_ASCII_TEXT) x(GX_PART_ASCII_VALUES) x(GX_PART_TEXT) x(GX_PART_VALUES) x(GX_PART_STRS) \
        x(GX_PART_LABELS) x(GX_PART_NS_LISTS) x(GX_PART_NS_DECLS) x(GX_PART_IDS) x(GX_PART_ENTITIES) x(GX_PART_ODD) \
            x(GX_PART_BASES) x(GX_PART_ROOTS) x(GX_PART_INDEX_START) x(GX_PART_INDEX) x(GX_PART_NESTING) \
                x(GX_PART_VALUE) x(GX_PART_PLACE)
#define GX_PART_NAME(part) part,
enum { GX_EACH_PART(GX_PART_NAME) GX_PARTS };
#undef GX_PART_NAME
#define GX_PIECE 64u                    /* bytes of a heap: an item of three of the parts */

/* A block whose header has been looked at, n: items of each part */
typedef struct gx_checked {
    const gx_doc *d;
    const u32 *label, *parent, *next, *text_off, *text_len, *ns, *index_start, *index, *roots;
    const u16 *depth;
    const gx_label_info *labels;
    const gx_ns_list *ns_lists;
    const gx_ns_decl *ns_decls;
    const gx_doc_id *ids;
    const gx_doc_entity *entities;
    const gx_doc_odd *odd;
    const gx_doc_base *bases;
    const u8 *text, *values, *strs;
    int ascii;                          /* text and values, as it says */
    u32 n[GX_PARTS];
} gx_checked;

/* Are n elements of `size` bytes at offset `at` inside the block, and aligned? */
GX_FN int gx_inside(const gx_doc *d, u64 at, u64 n, u64 size)
{
    return at >= sizeof *d && (at & 15) == 0 && at <= d->size && n <= (d->size - at) / size;
}

/* Each of these says 0, or 1 and the number of the sentence for what is wrong (check.c) */
#define GX_WRONG(is, sentence) do { if (is) return 1 + (sentence); } while (0)

/* The header, by which all else is found: counts in their ranges, every column, table and heap aligned and within
 * `size`. Which sentence of GX_PART_HEADER is wrong, + 1; 0: none. Reads nothing but the header, `size` of which are
 * there. */
GX_FN u32 gx_wrong_header(const gx_doc *d, u64 size)
{
    const u64 n = d->n_nodes;

    GX_WRONG(d->magic != GX_DOC_MAGIC || d->size != size, 0);
    GX_WRONG(d->flags & ~(u32)(GX_DOC_ASCII | GX_DOC_LINES | GX_DOC_NAMESPACES), 1);
    GX_WRONG(n == 0 || n == GX_NONE || d->n_labels < 3 || d->n_labels > 0x0fffffffu || d->n_roots == 0
                 || d->n_ns_lists == 0 || d->max_depth > 0xffff,
             2);
    GX_WRONG(!gx_inside(d, d->label, n, 4) || !gx_inside(d, d->parent, n, 4) || !gx_inside(d, d->next, n, 4)
                 || !gx_inside(d, d->depth, n, 2) || !gx_inside(d, d->text_off, n, 4)
                 || !gx_inside(d, d->text_len, n, 4) || (d->ns && !gx_inside(d, d->ns, n, 4))
                 || !gx_inside(d, d->index_start, d->n_labels + 1ull, 4) || !gx_inside(d, d->index, n, 4),
             3);
    GX_WRONG(((d->flags & GX_DOC_LINES) != 0) != (d->line != 0) || ((d->flags & GX_DOC_LINES) != 0) != (d->column != 0)
        || (d->line && (!gx_inside(d, d->line, n, 4) || !gx_inside(d, d->column, n, 4))), 4);
    GX_WRONG(!gx_inside(d, d->labels, d->n_labels, sizeof(gx_label_info))
                 || !gx_inside(d, d->ns_lists, d->n_ns_lists, sizeof(gx_ns_list))
                 || !gx_inside(d, d->ns_decls, d->n_ns_decls, sizeof(gx_ns_decl))
                 || !gx_inside(d, d->ids, d->n_ids, sizeof(gx_doc_id))
                 || !gx_inside(d, d->entities, d->n_entities, sizeof(gx_doc_entity))
                 || !gx_inside(d, d->odd, d->n_odd, sizeof(gx_doc_odd))
                 || (d->n_bases && !gx_inside(d, d->bases, d->n_bases, sizeof(gx_doc_base)))
                 || !gx_inside(d, d->roots, d->n_roots, 4),
             5);
    GX_WRONG(!gx_inside(d, d->text, d->text_size, 1) || !gx_inside(d, d->values, d->values_size, 1)
                 || !gx_inside(d, d->strs, d->strs_size, 1) || d->text_size > GX_NONE || d->values_size > GX_NONE
                 || d->strs_size > GX_NONE,
             6);
    return 0;
}

/* Pointers to the parts of a block, and how many items each has, so that gx_wrong() need not follow the header again.
 * The header must have been found right. */
GX_FN gx_checked gx_checked_of(const gx_doc *d)
{
    gx_checked c;

    c.d = d;
    c.label = GX_DOC_COL(d, u32, label);
    c.parent = GX_DOC_COL(d, u32, parent);
    c.next = GX_DOC_COL(d, u32, next);
    c.text_off = GX_DOC_COL(d, u32, text_off);
    c.text_len = GX_DOC_COL(d, u32, text_len);
    c.ns = d->ns ? GX_DOC_COL(d, u32, ns) : NULL;
    c.index_start = GX_DOC_COL(d, u32, index_start);
    c.index = GX_DOC_COL(d, u32, index);
    c.roots = GX_DOC_COL(d, u32, roots);
    c.depth = GX_DOC_COL(d, u16, depth);
    c.labels = GX_DOC_COL(d, gx_label_info, labels);
    c.ns_lists = GX_DOC_COL(d, gx_ns_list, ns_lists);
    c.ns_decls = GX_DOC_COL(d, gx_ns_decl, ns_decls);
    c.ids = GX_DOC_COL(d, gx_doc_id, ids);
    c.entities = GX_DOC_COL(d, gx_doc_entity, entities);
    c.odd = GX_DOC_COL(d, gx_doc_odd, odd);
    c.bases = d->n_bases ? GX_DOC_COL(d, gx_doc_base, bases) : NULL;
    c.text = GX_DOC_COL(d, u8, text);
    c.values = GX_DOC_COL(d, u8, values);
    c.strs = GX_DOC_COL(d, u8, strs);
    c.ascii = (d->flags & GX_DOC_ASCII) != 0;
    c.n[GX_PART_HEADER] = 1;
    c.n[GX_PART_ASCII_TEXT] = c.ascii ? (u32)((d->text_size + 7) / 8) : 0;
    c.n[GX_PART_ASCII_VALUES] = c.ascii ? (u32)((d->values_size + 7) / 8) : 0;
    c.n[GX_PART_TEXT] = c.ascii ? 0 : (u32)((d->text_size + GX_PIECE - 1) / GX_PIECE);
    c.n[GX_PART_VALUES] = c.ascii ? 0 : (u32)((d->values_size + GX_PIECE - 1) / GX_PIECE);
    c.n[GX_PART_STRS] = (u32)((d->strs_size + GX_PIECE - 1) / GX_PIECE);
    c.n[GX_PART_LABELS] = d->n_labels;
    c.n[GX_PART_NS_LISTS] = d->n_ns_lists;
    c.n[GX_PART_NS_DECLS] = d->n_ns_decls;
    c.n[GX_PART_IDS] = d->n_ids;
    c.n[GX_PART_ENTITIES] = d->n_entities;
    c.n[GX_PART_ODD] = d->n_odd;
    c.n[GX_PART_BASES] = d->n_bases;
    c.n[GX_PART_ROOTS] = d->n_roots;
    c.n[GX_PART_INDEX_START] = d->n_labels;
    c.n[GX_PART_INDEX] = c.n[GX_PART_NESTING] = c.n[GX_PART_VALUE] = c.n[GX_PART_PLACE] = d->n_nodes;
    return c;
}

/* ---- heaps ---- */

/* How long a character is that begins with c; 0: none does (Unicode, table 3-7) */
GX_FN u32 gx_utf8_length(u8 c)
{
    return c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : (c & 0xf0) == 0xe0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
}

/* The characters that begin in s[at .. end) of a heap of n bytes; one that began before ends where it says */
GX_FN u32 gx_wrong_utf8(const u8 *s, u64 n, u64 at, u64 end)
{
    for (u32 back = 1; back < 4 && (s[at] & 0xc0) == 0x80; back++) {
        const u8 c = back <= at ? s[at - back] : 0;
        if ((c & 0xc0) == 0x80)
            continue;
        if (gx_utf8_length(c) <= back)
            return 1;
        at += gx_utf8_length(c) - back;
        break;
    }
    while (at < end) {
        if ((at & 7) == 0 && at + 8 <= n && !(*(const u64 *)(s + at) & 0x8080808080808080ull)) {
            at += 8;
            continue;
        }
        const u8 c = s[at];
        const u32 length = gx_utf8_length(c);
        u8 low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80, high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
        if (length == 0 || length > n - at)
            return 1;
        for (u32 k = 1; k < length; k++, low = 0x80, high = 0xbf)
            if (s[at + k] < low || s[at + k] > high)
                return 1;
        at += length;
    }
    return 0;
}
/* Piece i of a heap of n bytes */
GX_FN u32 gx_wrong_piece(const u8 *s, u64 n, u32 i)
{
    const u64 at = (u64)i * GX_PIECE;
    return gx_wrong_utf8(s, n, at, n - at < GX_PIECE ? n : at + GX_PIECE);
}
/* Eight bytes of a heap that is ASCII, from i x 8 on; heaps are 16-byte aligned */
GX_FN u32 gx_wrong_ascii(const u8 *s, u64 n, u32 i)
{
    u64 high = 0;

    if ((u64)i * 8 + 8 <= n)
        return (((const u64 *)s)[i] & 0x8080808080808080ull) != 0;
    for (u64 k = (u64)i * 8; k < n; k++)
        high |= s[k] & 0x80;
    return high != 0;
}

/* Does a character start, or the heap end, at `at`? */
GX_FN int gx_char_starts(const u8 *heap, u64 size, u64 at) { return at >= size || gx_utf8_is_start((char)heap[at]); }
GX_FN int gx_fits(u64 size, u32 at, u32 len) { return at <= size && len <= size - at; }
GX_FN int gx_text_slice(const u8 *heap, u64 size, u32 at, u32 len)
{
    return gx_fits(size, at, len) && gx_char_starts(heap, size, at) && gx_char_starts(heap, size, (u64)at + len);
}

/* ---- tables ---- */

#define GX_STR(c, at, len) gx_text_slice((c)->strs, (c)->d->strs_size, at, len)
GX_FN u32 gx_wrong_label(const gx_checked *c, u32 i)
{
    const gx_label_info *l = &c->labels[i];
    const int fixed = l->kind == GX_KIND_ROOT || l->kind == GX_KIND_TEXT || l->kind == GX_KIND_COMMENT;
    const u32 first = i == 0 ? GX_KIND_ROOT : i == 1 ? GX_KIND_TEXT : GX_KIND_COMMENT;

    return !GX_IS_KIND(l->kind) || fixed != (i < 3) || (i < 3 && l->kind != first) || !GX_STR(c, l->uri, l->uri_len)
        || !GX_STR(c, l->local, l->local_len) || !GX_STR(c, l->prefix, l->prefix_len);
}
GX_FN u32 gx_wrong_ns_list(const gx_checked *c, u32 i)
{
    return !gx_fits(c->d->n_ns_decls, c->ns_lists[i].first, c->ns_lists[i].n) || (i == 0 && c->ns_lists[i].n);
}
GX_FN u32 gx_wrong_ns_decl(const gx_checked *c, u32 i)
{
    const gx_ns_decl *d = &c->ns_decls[i];
    return !GX_STR(c, d->prefix, d->prefix_len) || !GX_STR(c, d->uri, d->uri_len);
}
GX_FN u32 gx_wrong_id(const gx_checked *c, u32 i)
{
    const gx_doc_id *id = &c->ids[i];
    return !GX_STR(c, id->value, id->value_len) || id->node >= c->d->n_nodes
        || GX_LABEL_KIND(c->label[id->node]) != GX_KIND_ELEM
        || (i && (id->hash < id[-1].hash || (id->hash == id[-1].hash && id->node < id[-1].node)));
}
GX_FN u32 gx_wrong_entity(const gx_checked *c, u32 i)
{
    const gx_doc_entity *e = &c->entities[i];
    return !GX_STR(c, e->name, e->name_len) || !GX_STR(c, e->uri, e->uri_len);
}
GX_FN u32 gx_wrong_odd(const gx_checked *c, u32 i)
{
    const gx_doc_odd *o = &c->odd[i];
    return o->node >= c->d->n_nodes || !GX_STR(c, o->prefix, o->prefix_len) || (i && o->node <= o[-1].node);
}

GX_FN u32 gx_wrong_base(const gx_checked *c, u32 i)
{
    const gx_doc_base *b = &c->bases[i];
    return !GX_STR(c, b->uri, b->uri_len) || (i && b->node < b[-1].node);
}

/* ---- the name index: each node is in its label's list, the roots in the first ---- */

GX_FN u32 gx_wrong_index_start(const gx_checked *c, u32 i)
{
    const u32 from = c->index_start[i], to = c->index_start[i + 1], n = c->d->n_nodes;
    return from > to || to > n || (i == 0 && from != 0) || (i + 1 == c->d->n_labels && to != n)
        || (i == 0 && to != c->d->n_roots);
}
GX_FN u32 gx_wrong_root(const gx_checked *c, u32 i) { return i >= c->d->n_nodes || c->roots[i] != c->index[i]; }
/* Entry i. Lists are of different nodes, so as many entries as nodes are all nodes: this looks at their labels too. */
GX_FN u32 gx_wrong_entry(const gx_checked *c, u32 i)
{
    const u32 n = c->d->n_nodes, at = c->index[i], node = at < n ? at : 0, label = c->label[node],
              id = GX_LABEL_ID(label);
    const u32 known = id < c->d->n_labels ? id : 0, first = c->index_start[known], before = c->index[i - (i != 0)];

    if ((at >= n) | (id >= c->d->n_labels) | (c->labels[known].kind != GX_LABEL_KIND(label)) | (i < first)
        | (i >= c->index_start[known + 1]) | ((i > first) & (before >= at)))
        return 1;
    /* texts one behind the other in the heap: what the string-values of elements are made of */
    return label == GX_LABEL_TEXT && i > first && c->text_off[at] < (u64)c->text_off[before] + c->text_len[before] ? 2
                                                                                                                   : 0;
}

/* ---- nodes ---- */

/* Where a look is not called for it is at i itself: no load has a condition, and there is one branch */
GX_FN u32 gx_wrong_nesting(const gx_checked *c, u32 i)
{
    const u32 n = c->d->n_nodes, kind = GX_LABEL_KIND(c->label[i]), parent = c->parent[i], end = c->next[i],
              depth = c->depth[i];
    const u32 up = parent < i ? parent : i, up_kind = GX_LABEL_KIND(c->label[up]), limit = up == i ? n : c->next[up];
    const int root = kind == GX_KIND_ROOT, nests = kind <= GX_KIND_ELEM;
    const u32 child = (nests & (end > i + 1) & (end <= n)) ? i + 1 : i,
              sibling = ((end > i) & (end < limit) & (end < n)) ? end : i;
    const int nested = (root ? (parent == GX_NONE) & (depth == 0)
                             : (parent < i) & (up_kind <= GX_KIND_ELEM) & (depth == c->depth[up] + 1u))
        & ((child == i) | (c->parent[child] == i)) & (c->parent[sibling] == parent);
    const int ends = (end > i) & (end <= limit) & (end <= n) & (nests | (end == i + 1)) & (depth <= c->d->max_depth);

    return nested & ends ? 0 : !nested ? 1 : 2;
}
GX_FN u32 gx_wrong_value(const gx_checked *c, u32 i)
{
    const u32 kind = GX_LABEL_KIND(c->label[i]), parent = c->parent[i], off = c->text_off[i], len = c->text_len[i],
              up = parent < i ? parent : i;
    const int in_text = kind <= GX_KIND_TEXT;
    const u64 size = in_text ? c->d->text_size : c->d->values_size;
    const int slice =
        gx_fits(size, off, len) && (c->ascii || gx_text_slice(in_text ? c->text : c->values, size, off, len));
    const int within =
        !in_text | (len == 0) | ((off >= c->text_off[up]) & ((u64)off + len <= (u64)c->text_off[up] + c->text_len[up]));

    return slice & within ? 0 : !slice ? 1 : 2;
}
/* What is attached is behind its element, namespace nodes first; the namespaces in scope */
GX_FN u32 gx_wrong_place(const gx_checked *c, u32 i)
{
    const u32 kind = GX_LABEL_KIND(c->label[i]), before = i ? GX_LABEL_KIND(c->label[i - 1]) : GX_KIND_ROOT;

    if (c->ns && c->ns[i] >= c->d->n_ns_lists)
        return 1;
    if (!GX_IS_ATTACHED(kind))
        return 0;
    if (kind == GX_KIND_NS && !(c->d->flags & GX_DOC_NAMESPACES))
        return 2;
    return before == GX_KIND_NS || before == GX_KIND_ELEM || (before == GX_KIND_ATTR && kind == GX_KIND_ATTR) ? 0 : 3;
}

/* Item i of a part: a constant, so that each loop has its own code */
GX_FN u32 gx_wrong(const gx_checked *c, u32 part, u32 i)
{
    switch (part) {
    case GX_PART_HEADER: return !GX_STR(c, c->d->base_uri, c->d->base_uri_len) ? 8 : 0;
    case GX_PART_ASCII_TEXT: return gx_wrong_ascii(c->text, c->d->text_size, i);
    case GX_PART_ASCII_VALUES: return gx_wrong_ascii(c->values, c->d->values_size, i);
    case GX_PART_TEXT: return gx_wrong_piece(c->text, c->d->text_size, i);
    case GX_PART_VALUES: return gx_wrong_piece(c->values, c->d->values_size, i);
    case GX_PART_STRS: return gx_wrong_piece(c->strs, c->d->strs_size, i);
    case GX_PART_LABELS: return gx_wrong_label(c, i);
    case GX_PART_NS_LISTS: return gx_wrong_ns_list(c, i);
    case GX_PART_NS_DECLS: return gx_wrong_ns_decl(c, i);
    case GX_PART_IDS: return gx_wrong_id(c, i);
    case GX_PART_ENTITIES: return gx_wrong_entity(c, i);
    case GX_PART_ODD: return gx_wrong_odd(c, i);
    case GX_PART_BASES: return gx_wrong_base(c, i);
    case GX_PART_ROOTS: return gx_wrong_root(c, i);
    case GX_PART_INDEX_START: return gx_wrong_index_start(c, i);
    case GX_PART_INDEX: return gx_wrong_entry(c, i);
    case GX_PART_NESTING: return gx_wrong_nesting(c, i);
    case GX_PART_VALUE: return gx_wrong_value(c, i);
    default: return gx_wrong_place(c, i);
    }
}

/* What one of so many members looks at, of the block of `size` bytes at d (16-byte aligned, size >= sizeof *d): 0 if
 * nothing of it is wrong. When it is 0 for all of them the block may be followed. */
GX_FN u32 gx_doc_wrong(const gx_doc *d, u64 size, u32 rank, u32 members)
{
    u32 wrong = gx_wrong_header(d, size);

    if (!wrong) {
        const gx_checked c = gx_checked_of(d);
#define GX_CHECK_PART(part) \
        for (u32 i = rank; i < c.n[part]; i += members) \
            wrong |= gx_wrong(&c, part, i);
        GX_EACH_PART(GX_CHECK_PART)
#undef GX_CHECK_PART
    }
    return wrong;
}

#endif
