/*
 * doc.c -- may this block be followed?
 *
 * A document block may come from another process. After gx_doc_check, every offset, count and index in it is in range, the trees
 * are properly nested, the columns are in document order and the heaps are UTF-8 with slices that cut no character: whoever walks
 * the block then needs no checks of its own. (A wrong hash or a name listed twice is left alone: lookups may miss it, no more.)
 *
 * One pass over each column, no memory, no recursion: O(size).
 */
#include <string.h>
#include "gx.h"

#define BAD(...) return gx_fail(err, GX_EBAD, NULL, 0, 0, "document block: " __VA_ARGS__)

/* Are n elements of `size` bytes at offset `at` inside the block, and aligned? */
static int inside(const gx_doc *d, u64 at, u64 n, u64 size)
{
    return at >= sizeof *d && (at & 15) == 0 && at <= d->size && n <= (d->size - at) / size;
}

static int slice(u64 heap, u32 at, u32 len) { return at <= heap && len <= heap - at; }

static int is_ascii(const u8 *s, u64 n)
{
    u8 all = 0;
    for (u64 i = 0; i < n; i++)         /* vectorised */
        all |= s[i];
    return all < 0x80;
}

/* Well-formed UTF-8 as Unicode's table 3-7 has it. */
static int is_utf8(const u8 *s, u64 n)
{
    u64 i = 0;
    while (i < n) {
        if (i + 8 <= n) {
            u64 w;
            memcpy(&w, s + i, 8);
            if (!(w & 0x8080808080808080ull)) {
                i += 8;
                continue;
            }
        }
        u8 c = s[i];
        u32 more = c < 0x80 ? 0 : c >= 0xc2 && c < 0xe0 ? 1 : (c & 0xf0) == 0xe0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : 9;
        if (more > n - i - 1)
            return 0;
        u8 low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80, high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
        for (u32 k = 1; k <= more; k++, low = 0x80, high = 0xbf)
            if (s[i + k] < low || s[i + k] > high)
                return 0;
        i += more + 1;
    }
    return 1;
}

/* Does a character start, or the heap end, at `at`? */
static int boundary(const u8 *heap, u64 size, u64 at) { return at >= size || (heap[at] & 0xc0) != 0x80; }

static int text_slice(const u8 *heap, u64 size, u32 at, u32 len)
{
    return slice(size, at, len) && boundary(heap, size, at) && boundary(heap, size, (u64)at + len);
}

/* Trees: parent, next, depth and order; the slices of every node. */
static gx_status check_nodes(const gx_doc *d, gx_error *err)
{
    const u32 *label = GX_DOC_COL(d, u32, label), *parent = GX_DOC_COL(d, u32, parent), *next = GX_DOC_COL(d, u32, next);
    const u32 *text_off = GX_DOC_COL(d, u32, text_off), *text_len = GX_DOC_COL(d, u32, text_len);
    const u32 *roots = GX_DOC_COL(d, u32, roots), *ns = d->ns ? GX_DOC_COL(d, u32, ns) : NULL;
    const u16 *depth = GX_DOC_COL(d, u16, depth);
    const gx_label_info *labels = GX_DOC_COL(d, gx_label_info, labels);
    const u8 *text = GX_DOC_COL(d, u8, text), *values = GX_DOC_COL(d, u8, values);
    u32 n = d->n_nodes, open = GX_NONE, n_roots = 0, max_depth = 0;
    u64 at = 0;                         /* where the next text node's characters stand, at the earliest */
    for (u32 i = 0; i < n; i++) {
        u32 kind = GX_LABEL_KIND(label[i]), id = GX_LABEL_ID(label[i]);
        if (id >= d->n_labels || labels[id].kind != kind)
            BAD("node %u has no label of its kind", i);
        /* `open` is the innermost node whose subtree i may lie in: each is left once */
        while (open != GX_NONE && next[open] == i)
            open = parent[open];
        if (kind == GX_KIND_ROOT) {
            if (open != GX_NONE || parent[i] != GX_NONE || depth[i] != 0 || n_roots >= d->n_roots || roots[n_roots] != i)
                BAD("node %u is no root in its place", i);
            n_roots++;
        } else {
            if (open == GX_NONE || parent[i] != open || depth[i] != depth[open] + 1u)
                BAD("node %u does not nest", i);
        }
        if (depth[i] > max_depth)
            max_depth = depth[i];
        u32 end = open == GX_NONE ? n : next[open];
        int nests = kind == GX_KIND_ROOT || kind == GX_KIND_ELEM;
        if (next[i] <= i || next[i] > end || (!nests && next[i] != i + 1))
            BAD("node %u has a wrong end", i);
        if (GX_IS_ATTACHED(kind)) {
            /* behind its element, namespace nodes first */
            u32 before = GX_LABEL_KIND(label[i - 1]);
            if (GX_LABEL_KIND(label[open]) != GX_KIND_ELEM ||
                (i - 1 != open && before != GX_KIND_NS && (kind == GX_KIND_NS || before != GX_KIND_ATTR)))
                BAD("node %u is out of order", i);
            if (kind == GX_KIND_NS && !(d->flags & GX_DOC_NAMESPACES))
                BAD("node %u is a namespace node", i);
        }
        if (nests || kind == GX_KIND_TEXT) {
            if (!text_slice(text, d->text_size, text_off[i], text_len[i]))
                BAD("node %u has no text there", i);
            if (open != GX_NONE && text_len[i] &&
                (text_off[i] < text_off[open] || text_off[i] + (u64)text_len[i] > text_off[open] + (u64)text_len[open]))
                BAD("the text of node %u is not within its parent's", i);
            if (kind == GX_KIND_TEXT && text_len[i]) {
                if (text_off[i] < at)
                    BAD("the text of node %u is out of order", i);
                at = text_off[i] + (u64)text_len[i];
            }
        } else if (!text_slice(values, d->values_size, text_off[i], text_len[i])) {
            BAD("node %u has no value there", i);
        }
        if (ns && ns[i] >= d->n_ns_lists)
            BAD("node %u has no namespace list", i);
        if (nests)
            open = i;
    }
    while (open != GX_NONE && next[open] == n)
        open = parent[open];
    if (open != GX_NONE || n_roots != d->n_roots || max_depth != d->max_depth)
        BAD("its trees do not add up");
    return GX_OK;
}

static gx_status check_index(const gx_doc *d, gx_error *err)
{
    const u32 *start = GX_DOC_COL(d, u32, index_start), *index = GX_DOC_COL(d, u32, index), *label = GX_DOC_COL(d, u32, label);
    if (start[0] != 0 || start[d->n_labels] != d->n_nodes)
        BAD("the name index is not of its nodes");
    for (u32 k = 0; k < d->n_labels; k++) {
        if (start[k + 1] < start[k] || start[k + 1] > d->n_nodes)
            BAD("the name index of label %u is out of order", k);
        /* n_nodes entries, each in its label's list and none twice: every node is there */
        for (u32 i = start[k]; i < start[k + 1]; i++)
            if (index[i] >= d->n_nodes || GX_LABEL_ID(label[index[i]]) != k || (i > start[k] && index[i] <= index[i - 1]))
                BAD("entry %u of the name index is wrong", i);
    }
    return GX_OK;
}

static gx_status check_tables(const gx_doc *d, gx_error *err)
{
    u64 strs_size = d->strs_size;
    const u8 *strs = GX_DOC_COL(d, u8, strs);
    const gx_label_info *labels = GX_DOC_COL(d, gx_label_info, labels);
#define STR(at, len) text_slice(strs, strs_size, at, len)
    for (u32 i = 0; i < d->n_labels; i++) {
        const gx_label_info *l = &labels[i];
        int fixed = l->kind == GX_KIND_ROOT || l->kind == GX_KIND_TEXT || l->kind == GX_KIND_COMMENT;
        if (!GX_IS_KIND(l->kind) || fixed != (i < 3) || !STR(l->uri, l->uri_len) || !STR(l->local, l->local_len) ||
            !STR(l->prefix, l->prefix_len))
            BAD("label %u is wrong", i);
    }
    if (labels[0].kind != GX_KIND_ROOT || labels[1].kind != GX_KIND_TEXT || labels[2].kind != GX_KIND_COMMENT)
        BAD("labels 0, 1, 2 are not root, text, comment");
    const gx_ns_list *lists = GX_DOC_COL(d, gx_ns_list, ns_lists);
    for (u32 i = 0; i < d->n_ns_lists; i++)
        if (!slice(d->n_ns_decls, lists[i].first, lists[i].n) || (i == 0 && lists[i].n))
            BAD("namespace list %u is wrong", i);
    const gx_ns_decl *decls = GX_DOC_COL(d, gx_ns_decl, ns_decls);
    for (u32 i = 0; i < d->n_ns_decls; i++)
        if (!STR(decls[i].prefix, decls[i].prefix_len) || !STR(decls[i].uri, decls[i].uri_len))
            BAD("namespace declaration %u is wrong", i);
    const u32 *label = GX_DOC_COL(d, u32, label);
    const gx_doc_id *ids = GX_DOC_COL(d, gx_doc_id, ids);
    for (u32 i = 0; i < d->n_ids; i++)
        if (!STR(ids[i].value, ids[i].value_len) || ids[i].node >= d->n_nodes || GX_LABEL_KIND(label[ids[i].node]) != GX_KIND_ELEM ||
            (i && (ids[i].hash < ids[i - 1].hash || (ids[i].hash == ids[i - 1].hash && ids[i].node < ids[i - 1].node))))
            BAD("ID %u is wrong", i);
    const gx_doc_entity *entities = GX_DOC_COL(d, gx_doc_entity, entities);
    for (u32 i = 0; i < d->n_entities; i++)
        if (!STR(entities[i].name, entities[i].name_len) || !STR(entities[i].uri, entities[i].uri_len))
            BAD("entity %u is wrong", i);
    const gx_doc_odd *odd = GX_DOC_COL(d, gx_doc_odd, odd);
    for (u32 i = 0; i < d->n_odd; i++)
        if (odd[i].node >= d->n_nodes || !STR(odd[i].prefix, odd[i].prefix_len) || (i && odd[i].node <= odd[i - 1].node))
            BAD("prefix exception %u is wrong", i);
    if (!STR(d->base_uri, d->base_uri_len))
        BAD("the base URI is wrong");
#undef STR
    return GX_OK;
}

gx_status gx_doc_check(const void *block, u64 size, gx_error *err)
{
    const gx_doc *d = block;
    if (!block || ((uintptr_t)block & 15) || size < sizeof *d || d->magic != GX_DOC_MAGIC || d->size != size)
        BAD("no document");
    if (d->flags & ~(u32)(GX_DOC_ASCII | GX_DOC_LINES | GX_DOC_NAMESPACES))
        BAD("unknown flags");
    if (d->n_nodes == 0 || d->n_nodes == GX_NONE || d->n_labels < 3 || d->n_labels > 0x0fffffffu || d->n_roots == 0 || d->n_ns_lists == 0)
        BAD("counts out of range");
    u64 n = d->n_nodes;
    if (!inside(d, d->label, n, 4) || !inside(d, d->parent, n, 4) || !inside(d, d->next, n, 4) || !inside(d, d->depth, n, 2) ||
        !inside(d, d->text_off, n, 4) || !inside(d, d->text_len, n, 4) || (d->ns && !inside(d, d->ns, n, 4)) ||
        !inside(d, d->index_start, d->n_labels + 1ull, 4) || !inside(d, d->index, n, 4))
        BAD("a column is out of range");
    if (((d->flags & GX_DOC_LINES) != 0) != (d->line != 0) || ((d->flags & GX_DOC_LINES) != 0) != (d->column != 0) ||
        (d->line && (!inside(d, d->line, n, 4) || !inside(d, d->column, n, 4))))
        BAD("the line numbers are out of range");
    if (!inside(d, d->labels, d->n_labels, sizeof(gx_label_info)) || !inside(d, d->ns_lists, d->n_ns_lists, sizeof(gx_ns_list)) ||
        !inside(d, d->ns_decls, d->n_ns_decls, sizeof(gx_ns_decl)) || !inside(d, d->ids, d->n_ids, sizeof(gx_doc_id)) ||
        !inside(d, d->entities, d->n_entities, sizeof(gx_doc_entity)) || !inside(d, d->odd, d->n_odd, sizeof(gx_doc_odd)) ||
        !inside(d, d->roots, d->n_roots, 4))
        BAD("a table is out of range");
    if (!inside(d, d->text, d->text_size, 1) || !inside(d, d->values, d->values_size, 1) || !inside(d, d->strs, d->strs_size, 1) ||
        d->text_size > GX_NONE || d->values_size > GX_NONE || d->strs_size > GX_NONE)
        BAD("a heap is out of range");
    const u8 *text = GX_DOC_COL(d, u8, text), *values = GX_DOC_COL(d, u8, values);
    int ascii = is_ascii(text, d->text_size) && is_ascii(values, d->values_size);
    if ((d->flags & GX_DOC_ASCII) && !ascii)
        BAD("not ASCII as it says");
    if (!ascii && (!is_utf8(text, d->text_size) || !is_utf8(values, d->values_size)))
        BAD("its text is not UTF-8");
    if (!is_utf8(GX_DOC_COL(d, u8, strs), d->strs_size))
        BAD("its names are not UTF-8");
    gx_status status = check_tables(d, err);
    if (!status)
        status = check_nodes(d, err);
    return status ? status : check_index(d, err);
}
