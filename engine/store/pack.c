/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.c -- blocks to stored bytes and back (pack.h)
 *
 * Packing: one pass over the nodes, which also proves that unpacking will make the same block. Unpacking: one pass that
 * writes all columns, with the path of open elements in an array by depth. Cost: about 2 and 5 ns a node.
 */
#include <string.h>
#include "document/doc_check.h"
#include "document/doc_layout.h"
#include "number.h"
#include "pack.h"

enum { WIDE = 255 };

/* Tables that are copied as they are, in their order */
typedef struct table {
    u64 at, bytes;
} table;
enum { N_TABLES = 10 };
static void tables_of(const gx_doc *d, table t[N_TABLES])
{
    const table all[N_TABLES] = {
        { d->ns_lists, d->n_ns_lists * sizeof(gx_ns_list) },
        { d->ns_decls, d->n_ns_decls * sizeof(gx_ns_decl) },
        { d->ids, d->n_ids * sizeof(gx_doc_id) },
        { d->entities, d->n_entities * sizeof(gx_doc_entity) },
        { d->odd, d->n_odd * sizeof(gx_doc_odd) },
        { d->bases, d->n_bases * sizeof(gx_doc_base) },
        { d->labels, d->n_labels * sizeof(gx_label_info) },
        { d->text, d->text_size },
        { d->values, d->values_size },
        { d->strs, d->strs_size },
    };
    memcpy(t, all, sizeof all);
}

static u32 label_bytes(const gx_doc *d) { return d->n_labels <= 256 ? 1 : d->n_labels <= 65536 ? 2 : 4; }

/* ---- packing ---- */

static int put_labels(const gx_doc *d, gx_buf *out)
{
    const u32 *label = GX_DOC_COL(d, u32, label), width = label_bytes(d);
    char *to = gx_buf_push(out, (size_t)d->n_nodes * width);
    if (!to)
        return 0;
    for (u32 i = 0; i < d->n_nodes; i++) {
        const u32 id = GX_LABEL_ID(label[i]);
        memcpy(to + (size_t)i * width, &id, width);
    }
    return 1;
}

/* 0: no memory */
static int put_ups(const gx_doc *d, gx_buf *out, gxs_packed *h)
{
    const u16 *depth = GX_DOC_COL(d, u16, depth);
    u8 *to = gx_buf_push(out, d->n_nodes);
    u32 before = 0;
    if (!to)
        return 0;
    to[0] = 0;
    for (u32 i = 1; i < d->n_nodes; i++) {
        const u32 up = before + 1 - depth[i];
        to[i] = (u8)(up < WIDE ? up : WIDE);
        h->n_wides += up >= WIDE;
        before = depth[i];
    }
    if (!h->n_wides)
        return 1;
    u16 *wide = gx_buf_push(out, h->n_wides * sizeof *wide);
    before = 0;
    for (u32 i = 1, n = 0; wide && i < d->n_nodes; i++) {
        const u16 up = (u16)(before + 1 - depth[i]);
        if (up >= WIDE)
            memcpy(&wide[n++], &up, sizeof up);
        before = depth[i];
    }
    return wide != NULL;
}

/* Strings of nodes that are no elements: 1, 0 no memory, -1 where they do not lie one after the other */
static int put_lengths(const gx_doc *d, gx_buf *out, gxs_packed *h)
{
    const u32 *label = GX_DOC_COL(d, u32, label), *off = GX_DOC_COL(d, u32, text_off),
              *len = GX_DOC_COL(d, u32, text_len);
    u32 text = 0, value = 0;
    if (gx_buf_room(out, (size_t)d->n_nodes * 5))
        return 0;
    char *from = out->at + out->n, *to = from;
    for (u32 i = 0; i < d->n_nodes; i++) {
        const u32 kind = GX_LABEL_KIND(label[i]);
        u32 *at = kind <= GX_KIND_TEXT ? &text : &value;
        if (off[i] != *at)
            return -1;
        if (kind <= GX_KIND_ELEM)
            continue;
        to = gxs_number_put(to, len[i]);
        *at += len[i];
    }
    h->lengths_bytes = (u64)(to - from);
    out->n += h->lengths_bytes;
    return text == d->text_size && value == d->values_size ? 1 : -1;
}

static int put_scopes(const gx_doc *d, gx_buf *out, gxs_packed *h)
{
    const u32 *ns = GX_DOC_COL(d, u32, ns);
    const size_t before = out->n;
    for (u32 i = 0, end; d->ns && i < d->n_nodes; i = end) {
        for (end = i + 1; end < d->n_nodes && ns[end] == ns[i]; end++)
            ;
        if (gx_buf_room(out, 10))
            return 0;
        char *to = gxs_number_put(gxs_number_put(out->at + out->n, end - i), ns[i]);
        out->n = (size_t)(to - out->at);
    }
    h->scopes_bytes = out->n - before;
    return 1;
}

static int pack(const gx_doc *d, gx_buf *out, gxs_packed *h)
{
    table t[N_TABLES];
    int made;
    if (d->n_roots != 1 || d->line)
        return -1;
    if (!put_labels(d, out) || !put_ups(d, out, h))
        return 0;
    if ((made = put_lengths(d, out, h)) != 1)
        return made;
    if (!put_scopes(d, out, h))
        return 0;
    tables_of(d, t);
    for (u32 i = 0; i < N_TABLES; i++) {
        char *to = gx_buf_push(out, t[i].bytes);
        if (!to)
            return 0;
        if (t[i].bytes)
            memcpy(to, (const char *)d + t[i].at, t[i].bytes);
    }
    return 1;
}

gx_status gxs_pack(const gx_doc *doc, gx_buf *out, gx_error *err)
{
    const size_t start = out->n;
    gxs_packed h;
    int made = 0;
    memset(&h, 0, sizeof h);
    h.magic = GXS_PACKED;
    h.label_bytes = label_bytes(doc);
    h.block_bytes = doc->size;
    h.doc = *doc;
    if (gx_buf_push(out, sizeof h) && (made = pack(doc, out, &h)) < 0) {
        out->n = start + sizeof h;
        h.is_plain = 1;
        char *to = gx_buf_push(out, doc->size);
        if ((made = to != NULL))
            memcpy(to, doc, doc->size);
    }
    if (!made) {
        out->n = start;
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory to store a document");
    }
    memcpy(out->at + start, &h, sizeof h);
    return GX_OK;
}

/* ---- unpacking ---- */

/* What is left to read, with bounds: a number beyond the end is 0 and sets `wrong` */
typedef struct source {
    const u8 *at, *end;
    int wrong;
} source;

static inline u32 number_at(source *s)
{
    const u64 x = gxs_number_get(&s->at, s->end, &s->wrong);
    s->wrong |= x > 0xffffffffu;
    return (u32)x;
}

typedef struct columns {
    u32 *label, *parent, *next, *off, *len;
    u16 *depth;
} columns;

/* Where the subtrees of path[depth ..  open) end */
static inline void close_nodes(const columns *c, const u32 *path, u32 from, u32 open, u32 at, u32 text)
{
    for (u32 k = from; k < open; k++) {
        const u32 node = path[k];
        c->next[node] = at;
        if (GX_LABEL_KIND(c->label[node]) <= GX_KIND_ELEM)
            c->len[node] = text - c->off[node];
    }
}

/* All columns but ns and the name index. NULL, or what is wrong. path: room for max_depth + 2. */
static const char *unpack_nodes(const gxs_packed *h, gx_doc *d, const u8 *labels, const u8 *ups, const u8 *wides,
                                source lengths, u32 *path)
{
    char *base = (char *)d;
    const columns c = { (u32 *)(void *)(base + d->label),    (u32 *)(void *)(base + d->parent),
                        (u32 *)(void *)(base + d->next),     (u32 *)(void *)(base + d->text_off),
                        (u32 *)(void *)(base + d->text_len), (u16 *)(void *)(base + d->depth) };
    const gx_label_info *info = GX_DOC_COL(d, gx_label_info, labels);
    const u32 n = d->n_nodes, width = h->label_bytes;
    u32 open = 0, wide = 0; /* path[0 .. open): the node before and its ancestors */
    u64 text = 0, value = 0;
    for (u32 i = 0; i < n; i++) {
        u32 id = 0, up = ups[i];
        memcpy(&id, labels + (size_t)i * width, width);
        if (id >= d->n_labels)
            return "a label is out of range";
        const u32 kind = info[id].kind;
        if (up == WIDE) {
            u16 w;
            if (wide >= h->n_wides)
                return "a depth is missing";
            memcpy(&w, wides + 2 * (size_t)wide++, sizeof w);
            up = w;
        }
        if (i && up >= open)
            return "a subtree ends twice";
        const u32 depth = i ? open - up : 0;
        close_nodes(&c, path, depth, open, i, (u32)text);
        if ((kind == GX_KIND_ROOT) != (i == 0) || depth > d->max_depth
            || (i && GX_LABEL_KIND(c.label[path[depth - 1]]) > GX_KIND_ELEM))
            return "a node does not nest";
        if (GX_IS_ATTACHED(kind)) { /* behind its element: namespace nodes, then attributes */
            const u32 before = GX_LABEL_KIND(c.label[i - 1]);
            if (before != GX_KIND_ELEM && before != GX_KIND_NS && (before != GX_KIND_ATTR || kind == GX_KIND_NS))
                return "an attribute is out of order";
            if (kind == GX_KIND_NS && !(d->flags & GX_DOC_NAMESPACES))
                return "a namespace node is not announced";
        }
        c.label[i] = GX_LABEL(kind, id);
        c.parent[i] = i ? path[depth - 1] : GX_NONE;
        c.depth[i] = (u16)depth;
        if (kind <= GX_KIND_TEXT)
            c.off[i] = (u32)text;
        else
            c.off[i] = (u32)value;
        if (kind > GX_KIND_ELEM) {
            const u32 len = number_at(&lengths);
            u64 *heap = kind == GX_KIND_TEXT ? &text : &value;
            c.len[i] = len;
            *heap += len;
            if (lengths.wrong || text > d->text_size || value > d->values_size)
                return "a string is out of its heap";
        }
        path[depth] = i;
        open = depth + 1;
    }
    close_nodes(&c, path, 0, open, n, (u32)text);
    return text == d->text_size && value == d->values_size && lengths.at == lengths.end
               ? NULL
               : "strings do not fill their heap";
}

static const char *unpack_scopes(gx_doc *d, source scopes)
{
    u32 *ns = (u32 *)(void *)((char *)d + d->ns), at = 0;
    if (!d->ns)
        return scopes.at == scopes.end ? NULL : "scopes of no column";
    while (at < d->n_nodes) {
        const u32 run = number_at(&scopes), list = number_at(&scopes);
        if (scopes.wrong || !run || run > d->n_nodes - at || list >= d->n_ns_lists)
            return "a scope is out of range";
        for (u32 end = at + run; at < end; at++)
            ns[at] = list;
    }
    return scopes.at == scopes.end ? NULL : "scopes of no node";
}

/* The parts of gx_doc_check that unpacking has not ensured */
static const char *check_rest(const gx_doc *d)
{
    static const u32 always[] = { GX_PART_HEADER,   GX_PART_ASCII_TEXT, GX_PART_ASCII_VALUES, GX_PART_TEXT,
                                  GX_PART_VALUES,   GX_PART_STRS,       GX_PART_LABELS,       GX_PART_NS_LISTS,
                                  GX_PART_NS_DECLS, GX_PART_IDS,        GX_PART_ENTITIES,     GX_PART_ODD,
                                  GX_PART_BASES };
    if (gx_wrong_header(d, d->size))
        return "its counts are wrong";
    const gx_checked c = gx_checked_of(d);
    for (size_t k = 0; k < sizeof always / sizeof *always; k++)
        for (u32 i = 0; i < c.n[always[k]]; i++)
            if (gx_wrong(&c, always[k], i))
                return "a table or heap is wrong";
    for (u32 i = 0; !c.ascii && i < d->n_nodes; i++)
        if (gx_wrong_value(&c, i))
            return "a string begins within a character";
    return NULL;
}

/* The block's bytes must be in proportion to those that it is made of */
static const char *sizes_wrong(const gxs_packed *h, u64 n)
{
    const gx_doc *d = &h->doc;
    const u64 most = n - sizeof *h;
    table t[N_TABLES];
    u64 sum;
    if (d->magic != GX_DOC_MAGIC || d->n_nodes == 0 || d->n_roots != 1 || d->n_labels < 3 || d->n_labels > 0x0fffffffu
        || d->max_depth > 0xffff || d->flags & ~(u32)(GX_DOC_ASCII | GX_DOC_NAMESPACES)
        || h->label_bytes != label_bytes(d))
        return "its header is wrong";
    if (d->text_size > most || d->values_size > most || d->strs_size > most || h->lengths_bytes > most
        || h->scopes_bytes > most)
        return "its sizes are wrong";
    sum = (u64)d->n_nodes * (h->label_bytes + 1) + 2ull * h->n_wides + h->lengths_bytes + h->scopes_bytes;
    tables_of(d, t);
    for (u32 i = 0; i < N_TABLES; i++)
        sum += t[i].bytes;
    return sum == most ? NULL : "its sizes are wrong";
}

static const char *unpack(const char *packed, const gxs_packed *h, gx_doc *d, u32 *path)
{
    const u64 n = d->n_nodes;
    const u8 *labels = (const u8 *)packed + sizeof *h, *ups = labels + n * h->label_bytes, *wides = ups + n,
             *lengths = wides + 2ull * h->n_wides, *scopes = lengths + h->lengths_bytes, *at = scopes + h->scopes_bytes;
    const char *wrong;
    table t[N_TABLES];
    tables_of(d, t);
    for (u32 i = 0; i < N_TABLES; at += t[i++].bytes)
        if (t[i].bytes)
            memcpy((char *)d + t[i].at, at, t[i].bytes);
    if ((wrong = unpack_nodes(h, d, labels, ups, wides, (source){ lengths, scopes, 0 }, path))
        || (wrong = unpack_scopes(d, (source){ scopes, scopes + h->scopes_bytes, 0 })))
        return wrong;
    *(u32 *)(void *)((char *)d + d->roots) = 0;
    gx_doc_index(d);
    return check_rest(d);
}

gx_status gxs_unpack(const char *packed, u64 n, gx_buf *block, gx_doc **doc, gx_error *err)
{
    gxs_packed h;
    const char *wrong = NULL;
    if (n < sizeof h || (memcpy(&h, packed, sizeof h), h.magic != GXS_PACKED))
        return gx_fail(err, GX_EBAD, "", 0, 0, "no stored document");
    block->n = 0;
    if (h.is_plain) {
        if (gx_buf_room(block, n - sizeof h))
            return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory for a document");
        memcpy(block->at, packed + sizeof h, n - sizeof h);
        GX_TRY(gx_doc_check(block->at, n - sizeof h, err));
    } else {
        if ((wrong = sizes_wrong(&h, n)))
            return gx_fail(err, GX_EBAD, "", 0, 0, "stored document: %s", wrong);
        gx_doc d = h.doc;
        gx_doc_layout(&d, h.scopes_bytes != 0, 0);
        const u64 path_at = (d.size + 15) & ~15ull;
        if (gx_buf_room(block, path_at + (d.max_depth + 2ull) * 4))
            return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory for a document");
        memcpy(block->at, &d, sizeof d);
        if ((wrong = unpack(packed, &h, (gx_doc *)(void *)block->at, (u32 *)(void *)(block->at + path_at))))
            return gx_fail(err, GX_EBAD, "", 0, 0, "stored document: %s", wrong);
    }
    *doc = (gx_doc *)(void *)block->at;
    return GX_OK;
}
