/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.c -- blocks to stored bytes and back (pack.h)
 *
 * Packing: a chunk at a time, one pass for each of its columns, which also proves that unpacking will make the same
 * block. Unpacking: one pass that writes all columns, with the path of open elements in an array by depth. Cost: about
 * 2 and 5 ns a node.
 */
#include <string.h>
#include "document/doc_check.h"
#include "document/doc_layout.h"
#include "number.h"
#include "pack.h"

enum { WIDE = 255, CHUNK = 4096 };

/* Tables that are copied as they are, in their order */
typedef struct table {
    u64 at, bytes;
} table;
enum { N_TABLES = 8 };
/* The tables that a document has once, in the order in which they are stored. */
static void tables_of(const gx_doc *d, table t[N_TABLES])
{
    const table all[N_TABLES] = {
        { d->labels, d->n_labels * sizeof(gx_label_info) },
        { d->ns_lists, d->n_ns_lists * sizeof(gx_ns_list) },
        { d->ns_decls, d->n_ns_decls * sizeof(gx_ns_decl) },
        { d->ids, d->n_ids * sizeof(gx_doc_id) },
        { d->entities, d->n_entities * sizeof(gx_doc_entity) },
        { d->odd, d->n_odd * sizeof(gx_doc_odd) },
        { d->bases, d->n_bases * sizeof(gx_doc_base) },
        { d->strs, d->strs_size },
    };
    memcpy(t, all, sizeof all);
}

/* What they take, with what keeps the places of chunks behind them aligned */
static u64 tables_bytes(const gx_doc *d)
{
    table t[N_TABLES];
    u64 sum = 0;
    tables_of(d, t);
    for (u32 i = 0; i < N_TABLES; i++)
        sum += t[i].bytes;
    return (sum + 7) & ~7ull;
}

static u32 label_bytes(const gx_doc *d) { return d->n_labels <= 256 ? 1 : d->n_labels <= 65536 ? 2 : 4; }

/* ---- packing ---- */

/* A chunk's nodes: the spine's, then from .. to */
typedef struct nodes {
    const u32 *spine;
    u32 n_spine, from, to, n;
} nodes;
static inline u32 node_at(const nodes *s, u32 k) { return k < s->n_spine ? s->spine[k] : s->from + (k - s->n_spine); }

typedef struct packer {
    const gx_doc *d;
    gx_buf *out;
    gxs_chunk_head h; /* of the chunk */
    u32 text, values; /* bytes of both heaps so far */
    u64 names;        /* of the chunk */
} packer;

/* The labels of a chunk's nodes, spine first, in as few bytes each as the document's number of labels needs. p->names:
 * a bit for each label modulo 64, by which a reader leaves out chunks without a name. 0: out of memory. */
static int put_labels(packer *p, const nodes *s)
{
    const u32 *label = GX_DOC_COL(p->d, u32, label), width = label_bytes(p->d);
    char *to = gx_buf_push(p->out, (size_t)s->n * width);
    if (!to)
        return 0;
    p->names = 0;
    for (u32 i = 0; i < s->n; i++)
        p->names |= 1ull << (GX_LABEL_ID(label[node_at(s, i)]) & 63);
    if (width == 1)
        for (u32 i = 0; i < s->n; i++)
            to[i] = (char)GX_LABEL_ID(label[node_at(s, i)]);
    else
        for (u32 i = 0; i < s->n; i++) {
            const u32 id = GX_LABEL_ID(label[node_at(s, i)]);
            memcpy(to + (size_t)i * width, &id, width);
        }
    return 1;
}

/* How many elements end before each node, which is what depth says: a byte, or 255 and two bytes in a list behind.
 * Depths are within 65,535. 0: out of memory. */
static int put_ups(packer *p, const nodes *s)
{
    const u16 *depth = GX_DOC_COL(p->d, u16, depth);
    u8 *to = gx_buf_push(p->out, s->n);
    u32 before = 0;
    if (!to)
        return 0;
    to[0] = 0;
    for (u32 i = 1; i < s->n; i++) {
        const u32 now = depth[node_at(s, i)], up = before + 1 - now;
        to[i] = (u8)(up < WIDE ? up : WIDE);
        p->h.n_wides += up >= WIDE;
        before = now;
    }
    if (!p->h.n_wides)
        return 1;
    char *wide = gx_buf_push(p->out, p->h.n_wides * sizeof(u16));
    before = 0;
    for (u32 i = 1; wide && i < s->n; i++) {
        const u16 now = depth[node_at(s, i)], up = (u16)(before + 1 - now);
        if (up >= WIDE) {
            memcpy(wide, &up, sizeof up);
            wide += sizeof up;
        }
        before = now;
    }
    return wide != NULL;
}

/* Strings of nodes that are no elements: 1, 0 no memory, -1 where they do not lie one after the other */
static int put_lengths(packer *p, const nodes *s)
{
    const gx_doc *d = p->d;
    const u32 *label = GX_DOC_COL(d, u32, label), *off = GX_DOC_COL(d, u32, text_off),
              *len = GX_DOC_COL(d, u32, text_len);
    if (gx_buf_room(p->out, (size_t)s->n * 5))
        return 0;
    char *from = p->out->at + p->out->n, *to = from;
    for (u32 k = 0; k < s->n_spine; k++)
        if (GX_LABEL_KIND(label[s->spine[k]]) > GX_KIND_ELEM) {
            to = gxs_number_put(to, len[s->spine[k]]);
            p->h.spine_values += len[s->spine[k]];
        }
    p->h.spine_lengths = (u32)(to - from);
    u32 text = p->text, value = p->values;
    for (u32 i = s->from; i < s->to; i++) {
        const u32 kind = GX_LABEL_KIND(label[i]);
        u32 *at = kind <= GX_KIND_TEXT ? &text : &value;
        if (off[i] != *at)
            return -1;
        if (kind <= GX_KIND_ELEM)
            continue;
        to = gxs_number_put(to, len[i]);
        *at += len[i];
    }
    p->h.lengths_bytes = (u32)(to - from);
    p->h.text_bytes = text - p->text;
    p->h.values_bytes = p->h.spine_values + (value - p->values);
    p->out->n += p->h.lengths_bytes;
    return 1;
}

/* Scopes as runs: how many nodes, which scope, in bytes of seven bits. A document without namespaces has none. */
static int put_scopes(packer *p, const nodes *s)
{
    const u32 *ns = GX_DOC_COL(p->d, u32, ns);
    const size_t before = p->out->n;
    for (u32 i = 0, end; p->d->ns && i < s->n; i = end) {
        for (end = i + 1; end < s->n && ns[node_at(s, end)] == ns[node_at(s, i)]; end++)
            ;
        if (gx_buf_room(p->out, 10))
            return 0;
        char *to = gxs_number_put(gxs_number_put(p->out->at + p->out->n, end - i), ns[node_at(s, i)]);
        p->out->n = (size_t)(to - p->out->at);
    }
    p->h.scopes_bytes = (u32)(p->out->n - before);
    return 1;
}

/* The chunk's own part of both heaps, as it stands, and before it the values of the spine's attributes, which each
 * chunk repeats. Moves p->text and p->values on. 0: out of memory. */
static int put_strings(packer *p, const nodes *s)
{
    const gx_doc *d = p->d;
    const u32 *label = GX_DOC_COL(d, u32, label), *off = GX_DOC_COL(d, u32, text_off),
              *len = GX_DOC_COL(d, u32, text_len), own = p->h.values_bytes - p->h.spine_values;
    char *to = gx_buf_push(p->out, (size_t)p->h.text_bytes + p->h.values_bytes);
    if (!to)
        return 0;
    memcpy(to, GX_DOC_COL(d, char, text) + p->text, p->h.text_bytes);
    to += p->h.text_bytes;
    for (u32 k = 0; k < s->n_spine; k++)
        if (GX_LABEL_KIND(label[s->spine[k]]) > GX_KIND_ELEM) {
            memcpy(to, GX_DOC_COL(d, char, values) + off[s->spine[k]], len[s->spine[k]]);
            to += len[s->spine[k]];
        }
    memcpy(to, GX_DOC_COL(d, char, values) + p->values, own);
    p->text += p->h.text_bytes;
    p->values += own;
    return 1;
}

/* Where the records first[0 .. n) begin, if all of them have the same parent. 0: no memory */
static int put_starts(packer *p, const u32 *first, u32 n)
{
    const u32 *parent = GX_DOC_COL(p->d, u32, parent);
    for (u32 i = 0; i < n; i++)
        if (!first[i] || first[i] - first[0] > UINT16_MAX || parent[first[i]] != parent[first[0]])
            return 1;
    char *to = gx_buf_push(p->out, n * sizeof(u16));
    if (!to)
        return 0;
    for (u32 i = 0; i < n; i++, to += sizeof(u16)) {
        const u16 start = (u16)(first[i] - first[0]);
        memcpy(to, &start, sizeof start);
    }
    p->h.n_starts = n;
    return 1;
}

/* The chunk of the records first[0 .. n) */
static int put_chunk(packer *p, const nodes *s, const u32 *first, u32 n)
{
    const size_t at = p->out->n;
    int made;
    memset(&p->h, 0, sizeof p->h);
    p->h.n_nodes = s->n;
    p->h.n_spine = s->n_spine;
    p->h.depth = GX_DOC_COL(p->d, u16, depth)[s->from];
    if (!gx_buf_push(p->out, sizeof p->h) || !put_labels(p, s) || !put_ups(p, s) || !put_starts(p, first, n))
        return 0;
    if ((made = put_lengths(p, s)) != 1)
        return made;
    if (!put_scopes(p, s) || !put_strings(p, s))
        return 0;
    memcpy(p->out->at + at, &p->h, sizeof p->h);
    return 1;
}

/* The elements that node i lies in, from the root on, each with what is attached to it, as ids in `spine`. O(depth and
 * attributes). 0: no memory. */
static int find_spine(const gx_doc *d, u32 i, gx_buf *spine)
{
    const u32 *parent = GX_DOC_COL(d, u32, parent), *label = GX_DOC_COL(d, u32, label);
    const u32 depth = GX_DOC_COL(d, u16, depth)[i];
    u32 path[UINT16_MAX + 1];
    spine->n = 0;
    for (u32 k = depth, p = i; k-- > 0;)
        path[k] = p = parent[p];
    for (u32 k = 0; k < depth; k++) {
        u32 node = path[k];
        do {
            u32 *to = gx_buf_push(spine, sizeof *to);
            if (!to)
                return 0;
            *to = node++;
        } while (GX_IS_ATTACHED(GX_LABEL_KIND(label[node])));
    }
    return 1;
}

/* The record that a chunk ends before, which begins with record r */
static u32 chunk_end(const gx_doc *d, const gxs_records *records, u32 r, const gx_buf *spine)
{
    const u32 *first = GX_BUF_AT(&records->first, u32), *off = GX_DOC_COL(d, u32, text_off),
              *len = GX_DOC_COL(d, u32, text_len), n = gxs_records_n(records);
    const u32 start = first[r];
    u64 least = 0;
    for (u32 k = 0; k < GX_BUF_N(spine, u32); k++) /* a spine takes a quarter of its chunk at most */
        least += 8 + (GX_LABEL_KIND(GX_DOC_COL(d, u32, label)[GX_BUF_AT(spine, u32)[k]]) > GX_KIND_ELEM
                          ? len[GX_BUF_AT(spine, u32)[k]]
                          : 0);
    least = 4 * least > CHUNK ? 4 * least : CHUNK;
    for (r++; r < n && 8ull * (first[r] - start) + (off[first[r]] - off[start]) < least; r++)
        ;
    return r;
}

/* All chunks to p->out, whole records each, and their places: where a chunk begins, counted from `start`, its first
 * record and node, a bit for each name; one place more for the end. A chunk but the first begins with its spine, so
 * that it can be read alone. 1, 0, -1 as put_lengths. */
static int put_chunks(packer *p, const gxs_records *records, gx_buf *places, size_t start)
{
    const u32 *first = GX_BUF_AT(&records->first, u32), n = gxs_records_n(records);
    gx_buf spine = { 0 };
    int made = 1;
    for (u32 r = 0, end = 0; made == 1; r = end) {
        gxs_chunk *place = gx_buf_push(places, sizeof *place);
        if (!place || (r < n && r && !find_spine(p->d, first[r], &spine))) {
            made = 0;
            break;
        }
        *place = (gxs_chunk){ p->out->n - start, r, r < n ? first[r] : p->d->n_nodes, 0 };
        if (r == n)
            break;
        end = chunk_end(p->d, records, r, &spine);
        nodes s = { GX_BUF_AT(&spine, u32), GX_BUF_N(&spine, u32), first[r], end < n ? first[end] : p->d->n_nodes, 0 };
        s.n = s.n_spine + (s.to - s.from);
        made = put_chunk(p, &s, first + r, end - r);
        place->names = p->names;
    }
    gx_buf_free(&spine);
    return made == 1 && (p->text != p->d->text_size || p->values != p->d->values_size) ? -1 : made;
}

/* Tables, places, chunks behind what `out` has; h->n_chunks is set. Places come before the chunks, whose number is
 * known last, so the chunks move once. 1, 0, -1 as put_lengths; a block with several trees or lines is -1 at once. */
static int pack(const gx_doc *d, const gxs_records *records, gx_buf *out, size_t start, gxs_packed *h)
{
    packer p = { .d = d, .out = out };
    gx_buf places = { 0 };
    table t[N_TABLES];
    if (d->n_roots != 1 || d->line)
        return -1;
    tables_of(d, t);
    const u64 bytes = tables_bytes(d);
    char *to = gx_buf_push(out, bytes);
    if (!to)
        return 0;
    memset(to, 0, bytes);
    for (u32 i = 0; i < N_TABLES; to += t[i++].bytes)
        if (t[i].bytes)
            memcpy(to, (const char *)d + t[i].at, t[i].bytes);
    const size_t at = out->n;
    int made = put_chunks(&p, records, &places, start);
    if (made == 1) {
        h->n_chunks = GX_BUF_N(&places, gxs_chunk) - 1;
        const size_t chunks_bytes = out->n - at;
        if (!gx_buf_push(out, places.n))
            made = 0;
        else {
            memmove(out->at + at + places.n, out->at + at, chunks_bytes);
            for (u32 i = 0; i <= h->n_chunks; i++)
                GX_BUF_AT(&places, gxs_chunk)[i].at += places.n;
            memcpy(out->at + at, places.at, places.n);
        }
    }
    gx_buf_free(&places);
    return made;
}

/* A block to stored bytes behind what `out` has. What packing cannot give back to the byte, as pack() finds out while
 * it packs, is stored as it is (is_plain): larger, and never wrong. GX_ENOMEM: out is as before. */
gx_status gxs_pack(const gx_doc *doc, const gxs_records *records, gx_buf *out, gx_error *err)
{
    const size_t start = out->n;
    gxs_packed h;
    int made = 0;
    memset(&h, 0, sizeof h);
    h.magic = GXS_PACKED;
    h.label_bytes = label_bytes(doc);
    h.has_scopes = doc->ns != 0;
    h.block_bytes = doc->size;
    h.doc = *doc;
    if (gx_buf_push(out, sizeof h) && (made = pack(doc, records, out, start, &h)) < 0) {
        out->n = start + sizeof h;
        h.is_plain = 1;
        h.n_chunks = 0;
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

/* What is made of chunks so far */
typedef struct unpacker {
    const gxs_packed *h;
    gx_doc *d;
    columns c;
    u32 *path, open; /* path[0 .. open): the node before and its ancestors; room for max_depth + 2 */
    u32 n;           /* nodes */
    u64 text, value;
} unpacker;

/* A chunk's head and its columns. NULL, or what is wrong. */
typedef struct chunk {
    gxs_chunk_head h;
    const u8 *labels, *ups, *wides, *starts;
    source lengths, scopes;
    const char *text, *values;
} chunk;
/* A chunk's columns, as pointers into its n bytes. All sizes add up to n, so a column ends where the next one begins;
 * what stands in the columns is checked as it is read. NULL, or what is wrong. */
static const char *open_chunk(const gxs_packed *h, const char *bytes, u64 n, chunk *c)
{
    if (n < sizeof c->h)
        return "a chunk is cut off";
    memcpy(&c->h, bytes, sizeof c->h);
    const u64 labels = (u64)c->h.n_nodes * h->label_bytes;
    if (sizeof c->h + labels + c->h.n_nodes + 2ull * c->h.n_wides + 2ull * c->h.n_starts + c->h.lengths_bytes
                + c->h.scopes_bytes + c->h.text_bytes + c->h.values_bytes
            != n
        || !c->h.n_nodes || c->h.n_spine >= c->h.n_nodes || c->h.spine_lengths > c->h.lengths_bytes
        || c->h.spine_values > c->h.values_bytes)
        return "a chunk's sizes are wrong";
    c->labels = (const u8 *)bytes + sizeof c->h;
    c->ups = c->labels + labels;
    c->wides = c->ups + c->h.n_nodes;
    c->starts = c->wides + 2ull * c->h.n_wides;
    const u8 *lengths = c->starts + 2ull * c->h.n_starts, *scopes = lengths + c->h.lengths_bytes;
    c->lengths = (source){ lengths, scopes, 0 };
    c->scopes = (source){ scopes, scopes + c->h.scopes_bytes, 0 };
    c->text = (const char *)c->scopes.end;
    c->values = c->text + c->h.text_bytes;
    return NULL;
}

/* Nodes of a chunk that are left out of a document: all of its spine where it follows the chunk before it (is_next),
 * else the root, but for the first one */
static u32 left_out(const unpacker *u, const chunk *c, int is_next) { return !u->n ? 0 : is_next ? c->h.n_spine : 1; }

/* The nodes of a chunk but the first `skip`, behind those that u has: all columns but ns, and the path of open
 * elements. first_depth: the depth of the first of them. What the block's invariants want is checked node by node
 * before it is written: labels in range, nesting, order of what is attached, strings within their heaps. Writes no
 * further than d->n_nodes. NULL, or what is wrong. O(nodes). */
static const char *unpack_nodes(unpacker *u, chunk *k, u32 skip, u32 first_depth)
{
    const columns c = u->c;
    gx_doc *d = u->d;
    const gx_label_info *info = GX_DOC_COL(d, gx_label_info, labels);
    const u32 n = k->h.n_nodes - skip, width = u->h->label_bytes, begin = u->n;
    const u8 *labels = k->labels + (size_t)skip * width, *ups = k->ups + skip;
    u32 *path = u->path;
    u32 open = u->open, wide = 0;
    u64 text = u->text, value = u->value;
    if (n > d->n_nodes - begin || (begin && (first_depth == 0 || first_depth > open)))
        return "a chunk does not follow the one before it";
    for (u32 i = begin, id; i < begin + n; i++, labels += width) {
        u32 up = *ups++;
        if (width == 1)
            id = *labels;
        else
            memcpy((id = 0, &id), labels, width);
        if (id >= d->n_labels)
            return "a label is out of range";
        const u32 kind = info[id].kind;
        if (up == WIDE) {
            u16 w;
            if (wide >= k->h.n_wides)
                return "a depth is missing";
            memcpy(&w, k->wides + 2 * (size_t)wide++, sizeof w);
            up = w;
        }
        if (i == begin && i)
            up = open - first_depth;
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
        c.off[i] = (u32)(kind <= GX_KIND_TEXT ? text : value);
        if (kind > GX_KIND_ELEM) {
            const u32 len = number_at(&k->lengths);
            u64 *heap = kind == GX_KIND_TEXT ? &text : &value;
            c.len[i] = len;
            *heap += len;
            if (k->lengths.wrong || text > d->text_size || value > d->values_size)
                return "a string is out of its heap";
        }
        path[depth] = i;
        open = depth + 1;
    }
    u->n = begin + n;
    u->open = open;
    u->text = text;
    u->value = value;
    return k->lengths.at == k->lengths.end ? NULL : "lengths of no node";
}

/* Namespace lists of n nodes, into the column from `at` on. Scopes are runs (how many, which list) over the chunk's
 * nodes: those of `skip` nodes before and of `behind` after are read over. All must be used up, and none be missing. */
static const char *unpack_scopes(gx_doc *d, source scopes, u32 at, u32 n, u32 skip, u32 behind)
{
    u32 *ns = (u32 *)(void *)((char *)d + d->ns);
    if (!d->ns)
        return scopes.at == scopes.end ? NULL : "scopes of no column";
    while (skip || n || behind) {
        u32 run = number_at(&scopes);
        const u32 list = number_at(&scopes), out = run < skip ? run : skip;
        if (scopes.wrong || !run || list >= d->n_ns_lists)
            return "a scope is out of range";
        skip -= out;
        run -= out;
        if (run > n) {
            if (run - n > behind)
                return "a scope is out of range";
            behind -= run - n;
            run = n;
        }
        n -= run;
        for (u32 end = at + run; at < end; at++)
            ns[at] = list;
    }
    return scopes.at == scopes.end ? NULL : "scopes of no node";
}

/* One chunk more. is_next: it follows the chunk before it. */
static const char *unpack_chunk(unpacker *u, const char *bytes, u64 n, int is_next)
{
    chunk k;
    const char *wrong = open_chunk(u->h, bytes, n, &k);
    if (wrong)
        return wrong;
    const u32 skip = left_out(u, &k, is_next), at = u->n, all = skip && skip == k.h.n_spine;
    const u64 text = u->text, value = u->value, values = k.h.values_bytes - (all ? k.h.spine_values : 0);
    if (all)
        k.lengths.at += k.h.spine_lengths;
    if ((wrong = unpack_nodes(u, &k, skip, is_next ? k.h.depth : 1))
        || (wrong = unpack_scopes(u->d, k.scopes, at, u->n - at, skip, 0)))
        return wrong;
    if (u->text - text != k.h.text_bytes || u->value - value != values)
        return "strings do not fill their heap";
    memcpy((char *)u->d + u->d->text + text, k.text, k.h.text_bytes);
    memcpy((char *)u->d + u->d->values + value, k.values + (k.h.values_bytes - values), values);
    return NULL;
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

/* The end of all nodes, the name index, and whether it is all right */
static const char *finish(unpacker *u)
{
    close_nodes(&u->c, u->path, 0, u->open, u->n, (u32)u->text);
    if (u->n != u->d->n_nodes || u->text != u->d->text_size || u->value != u->d->values_size)
        return "its chunks are not all of it";
    *(u32 *)(void *)((char *)u->d + u->d->roots) = 0;
    gx_doc_index(u->d);
    return check_rest(u->d);
}

/* ---- the front ---- */

/* all: bytes of the part; the block's bytes must be in proportion to them */
static const char *front_wrong(const gxs_packed *h, u64 all)
{
    const gx_doc *d = &h->doc;
    if (h->magic != GXS_PACKED || h->is_plain || all < sizeof *h || d->magic != GX_DOC_MAGIC || d->n_nodes == 0
        || d->n_roots != 1 || d->n_labels < 3 || d->n_labels > 0x0fffffffu || d->max_depth > 0xffff
        || d->flags & ~(u32)(GX_DOC_ASCII | GX_DOC_NAMESPACES) || h->label_bytes != label_bytes(d) || !h->n_chunks
        || h->has_scopes > 1)
        return "its header is wrong";
    if (d->text_size > all || d->values_size > all || d->strs_size > all || d->n_nodes > all || h->n_chunks > all
        || tables_bytes(d) + (h->n_chunks + 1ull) * sizeof(gxs_chunk) > all - sizeof *h)
        return "its sizes are wrong";
    return NULL;
}

u64 gxs_front_bytes(const char *first, u64 all)
{
    gxs_packed h;
    memcpy(&h, first, sizeof h);
    return front_wrong(&h, all) ? 0
                                : sizeof h + tables_bytes(&h.doc) + (h.n_chunks + 1ull) * sizeof(gxs_chunk);
}

/* The chunk table of a stored document, or NULL: it is plain, or the chunks do not lie one behind the other and cover
 * all nodes. */
const gxs_chunk *gxs_chunks(const char *front, u64 all)
{
    const u64 bytes = gxs_front_bytes(front, all);
    gxs_packed h;
    memcpy(&h, front, sizeof h);
    if (!bytes)
        return NULL;
    const gxs_chunk *c = (const gxs_chunk *)(const void *)(front + bytes) - (h.n_chunks + 1ull);
    u64 at = bytes;
    for (u32 i = 0; i < h.n_chunks; at = c[++i].at)
        if (c[i].at != at || c[i + 1].at <= at || c[i + 1].at > all || c[i + 1].record <= c[i].record
            || c[i + 1].node <= c[i].node)
            return NULL;
    return at == all && !c[0].record && !c[0].node && c[h.n_chunks].node == h.doc.n_nodes ? c : NULL;
}

/* For each name the bits that chunks with it have, in `has`; returns how many chunks there are. */
static u32 bits_of(const char *front, const gxs_name *names, u32 n, u64 has[GXS_NAMES])
{
    const gx_label_info *info = (const gx_label_info *)(const void *)(front + sizeof(gxs_packed));
    gxs_packed h;
    memcpy(&h, front, sizeof h);
    for (u32 i = 0; i < n; i++) {
        has[i] = 0;
        for (u32 k = 0; k < h.doc.n_labels; k++)
            if (info[k].hash == names[i].hash && info[k].kind == names[i].kind)
                has[i] |= 1ull << (k & 63);
    }
    return h.n_chunks;
}

/* Chunks that may have all these names, by a bit of 64 for each: out and how many. One may have none of them after
 * all. */
u32 gxs_chunks_named(const char *front, const gxs_chunk *c, const gxs_name *names, u32 n, u32 *out)
{
    u64 has[GXS_NAMES];
    const u32 all = bits_of(front, names, n, has);
    u32 found = 0;
    for (u32 k = 0; k < all; k++) {
        u32 i = 0;
        while (i < n && c[k].names & has[i])
            i++;
        if (i == n)
            out[found++] = k;
    }
    return found;
}

/* May the document have all these names? As gxs_chunks_named(). */
int gxs_has_names(const char *front, const gxs_chunk *c, const gxs_name *names, u32 n)
{
    u64 has[GXS_NAMES], names_of_all = 0;
    const u32 all = bits_of(front, names, n, has);
    u32 i = 0;
    for (u32 k = 0; k < all; k++)
        names_of_all |= c[k].names;
    while (i < n && names_of_all & has[i])
        i++;
    return i == n;
}

/* Makes `block` room for the document d, of these counts, with its header and tables in place, and behind it the path
 * that unpacking needs; u's pointers lead into it. Tables that are left out (n_ids 0) are not copied. The counts are
 * in proportion to the part's bytes (front_wrong). GX_ENOMEM. */
static gx_status begin(unpacker *u, const char *front, gx_doc *d, gx_buf *block, gx_error *err)
{
    table from[N_TABLES], to[N_TABLES];
    const char *at = front + sizeof(gxs_packed);
    tables_of(&u->h->doc, from);
    gx_doc_layout(d, u->h->has_scopes != 0, 0);
    const u64 path_at = (d->size + 15) & ~15ull;
    block->n = 0;
    if (gx_buf_room(block, path_at + (d->max_depth + 2ull) * 4))
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory for a document");
    memcpy(block->at, d, sizeof *d);
    tables_of(d, to);
    for (u32 i = 0; i < N_TABLES; at += from[i++].bytes)
        if (to[i].bytes == from[i].bytes && to[i].bytes)
            memcpy(block->at + to[i].at, at, to[i].bytes);
    u->d = (gx_doc *)(void *)block->at;
    u->path = (u32 *)(void *)(block->at + path_at);
    u->c = (columns){ (u32 *)(void *)(block->at + d->label),    (u32 *)(void *)(block->at + d->parent),
                      (u32 *)(void *)(block->at + d->next),     (u32 *)(void *)(block->at + d->text_off),
                      (u32 *)(void *)(block->at + d->text_len), (u16 *)(void *)(block->at + d->depth) };
    return GX_OK;
}

static gx_status wrong_part(const char *wrong, gx_error *err)
{
    return gx_fail(err, GX_EBAD, "", 0, 0, "stored document: %s", wrong);
}

/* All of a stored document to a block in `block`, which is reused. A plain one is copied and checked; else each chunk
 * is unpacked behind the one before, and the columns' sizes must come out as the header says. The bytes may be a
 * stranger's: GX_EBAD with what is wrong, and nothing outside of the block was written. */
gx_status gxs_unpack(const char *packed, u64 n, gx_buf *block, gx_doc **doc, gx_error *err)
{
    gxs_packed h;
    if (n < sizeof h || (memcpy(&h, packed, sizeof h), h.magic != GXS_PACKED))
        return gx_fail(err, GX_EBAD, "", 0, 0, "no stored document");
    block->n = 0;
    if (h.is_plain) {
        if (gx_buf_room(block, n - sizeof h))
            return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory for a document");
        memcpy(block->at, packed + sizeof h, n - sizeof h);
        GX_TRY(gx_doc_check(block->at, n - sizeof h, err));
    } else {
        const char *wrong = front_wrong(&h, n);
        const gxs_chunk *c = wrong ? NULL : gxs_chunks(packed, n);
        unpacker u = { .h = &h };
        gx_doc d = h.doc;
        if (!c)
            return wrong_part(wrong ? wrong : "its chunks are wrong", err);
        GX_TRY(begin(&u, packed, &d, block, err));
        for (u32 i = 0; i < h.n_chunks && !wrong; i++)
            wrong = unpack_chunk(&u, packed + c[i].at, c[i + 1].at - c[i].at, 1);
        if (wrong || (wrong = finish(&u)))
            return wrong_part(wrong, err);
    }
    *doc = (gx_doc *)(void *)block->at;
    return GX_OK;
}

/* ---- some chunks, or records of them ---- */

/* What a piece has: the spine's nodes and own ones, from .. to behind it; all of it where is_all. What is skipped of
 * the chunk's columns is before its own. */
typedef struct slice {
    chunk k;
    const u8 *wides; /* of own nodes */
    source lengths;  /* of own nodes */
    u32 from, to, at; /* own nodes; at: the first of them in the document that is made */
    u32 text_at, text, values_at, values;
    int is_all, is_left_out;
} slice;

static inline u32 label_at(const u8 *labels, u32 width, u32 i)
{
    u32 id = 0;
    memcpy(&id, labels + (size_t)i * width, width);
    return id;
}

/* Own nodes from .. to of a chunk: how many depths are wide, bytes of both heaps; the lengths are read over. */
static const char *walk(const gxs_packed *h, const gx_label_info *info, const chunk *k, u32 from, u32 to,
                        source *lengths, u32 *wides, u64 *text, u64 *values)
{
    *wides = 0;
    *text = *values = 0;
    for (u32 i = k->h.n_spine + from; i < k->h.n_spine + to; i++) {
        const u32 id = h->label_bytes == 1 ? k->labels[i] : label_at(k->labels, h->label_bytes, i);
        if (id >= h->doc.n_labels)
            return "a label is out of range";
        *wides += k->ups[i] == WIDE;
        if (info[id].kind <= GX_KIND_ELEM)
            continue;
        *(info[id].kind == GX_KIND_TEXT ? text : values) += number_at(lengths);
    }
    return lengths->wrong || *text > k->h.text_bytes || *values > k->h.values_bytes ? "a string is out of its heap"
                                                                                   : NULL;
}

static u32 start_of(const chunk *k, u32 record)
{
    u16 start;
    if (record >= k->h.n_starts)
        return k->h.n_nodes - k->h.n_spine;
    memcpy(&start, k->starts + 2ull * record, sizeof start);
    return start;
}

/* Opens piece p, of `bytes` bytes, and finds what of its chunk it has: which own nodes, and where their wide depths,
 * lengths and strings begin, which takes reading all nodes before them. before: the piece before it, or NULL; two
 * pieces of a chunk that is taken whole are one. NULL, or what is wrong: then s is not to be used. */
static const char *cut_slice(const gxs_packed *h, const gx_label_info *info, const gxs_piece *p, u64 bytes,
                             const gxs_piece *before, slice *s)
{
    const char *wrong = open_chunk(h, p->bytes, bytes, &s->k);
    u64 text, values;
    u32 wides, skipped;
    if (wrong)
        return wrong;
    const chunk *k = &s->k;
    s->is_all = p->to == GX_NONE || !k->h.n_starts;
    s->is_left_out = s->is_all && before && before->chunk == p->chunk; /* which then was all of it, too */
    s->from = 0;
    s->to = k->h.n_nodes - k->h.n_spine;
    s->text = k->h.text_bytes;
    s->values = k->h.values_bytes;
    if (s->is_all)
        return NULL;
    s->from = start_of(k, p->from);
    s->to = start_of(k, p->to);
    if (s->from >= s->to || s->to > k->h.n_nodes - k->h.n_spine)
        return "a record is out of its chunk";
    source lengths = k->lengths;
    lengths.at += k->h.spine_lengths;
    if ((wrong = walk(h, info, k, 0, s->from, &lengths, &skipped, &text, &values)))
        return wrong;
    s->text_at = (u32)text;
    s->values_at = k->h.spine_values + (u32)values;
    s->lengths = (source){ lengths.at, k->lengths.end, 0 };
    if ((wrong = walk(h, info, k, s->from, s->to, &lengths, &wides, &text, &values)))
        return wrong;
    s->lengths.end = lengths.at;
    s->wides = k->wides + 2ull * skipped;
    if (skipped + wides > k->h.n_wides || s->text_at + text > k->h.text_bytes
        || s->values_at + values > k->h.values_bytes)
        return "strings do not fill their heap";
    s->text = (u32)text;
    s->values = (u32)values;
    return NULL;
}

/* A record or some, behind their spine: the chunk that they would be by themselves, in two pieces, the spine's nodes
 * and the records'. The chunk's columns are shared, each with its own bounds. NULL, or what is wrong. */
static const char *unpack_slice(unpacker *u, slice *s)
{
    const chunk *all = &s->k;
    chunk spine = *all, own = *all;
    const u32 skip = left_out(u, all, 0), at = u->n, n_spine = all->h.n_spine, width = u->h->label_bytes;
    const u64 text = u->text, value = u->value;
    const char *wrong;
    spine.h.n_nodes = n_spine;
    spine.lengths.end = spine.lengths.at + all->h.spine_lengths;
    own.h.n_nodes = s->to - s->from;
    own.labels += (size_t)(n_spine + s->from) * width;
    own.ups += n_spine + s->from;
    own.wides = s->wides;
    own.h.n_wides -= (u32)(s->wides - all->wides) / 2;
    own.lengths = s->lengths;
    if ((n_spine > skip && (wrong = unpack_nodes(u, &spine, skip, 1)))
        || (wrong = unpack_nodes(u, &own, 0, all->h.depth)))
        return wrong;
    const u32 in_spine = n_spine > skip ? n_spine - skip : 0;
    if ((wrong = unpack_scopes(u->d, all->scopes, at, in_spine, skip, all->h.n_nodes - in_spine - skip))
        || (wrong = unpack_scopes(u->d, all->scopes, at + in_spine, s->to - s->from, n_spine + s->from,
                                  all->h.n_nodes - n_spine - s->to)))
        return wrong;
    if (u->text - text != s->text || u->value - value != (u64)all->h.spine_values + s->values)
        return "strings do not fill their heap";
    memcpy((char *)u->d + u->d->text + text, all->text + s->text_at, s->text);
    memcpy((char *)u->d + u->d->values + value, all->values, all->h.spine_values);
    memcpy((char *)u->d + u->d->values + value + all->h.spine_values, all->values + s->values_at, s->values);
    return NULL;
}

/* Exceptions of prefixes of those nodes that the n pieces have, renumbered, to `to`; to NULL: only counted. How many.
 * Exceptions and pieces both ascend by node: one pass over either. */
static u32 pick_odd(const gxs_packed *h, const gxs_chunk *c, const gx_doc_odd *odd, const gxs_piece *p, const slice *s,
                    u32 n, gx_doc_odd *to)
{
    u32 found = 0;
    for (u32 i = 0, k = 0; i < h->doc.n_odd; i++) {
        while (k < n && (s[k].is_left_out || c[p[k].chunk].node + s[k].to <= odd[i].node))
            k++;
        if (k == n)
            break;
        const u32 first = c[p[k].chunk].node + s[k].from;
        if (odd[i].node < first)
            continue;
        if (to) {
            to[found] = odd[i];
            to[found].node = odd[i].node - first + s[k].at;
        }
        found++;
    }
    return found;
}

static const gx_doc_odd *odd_of(const char *front, const gx_doc *d)
{
    table t[N_TABLES];
    const char *at = front + sizeof(gxs_packed);
    tables_of(d, t);
    for (u32 i = 0; i < N_TABLES && t[i].at != d->odd; i++)
        at += t[i].bytes;
    return (const gx_doc_odd *)(const void *)at;
}

/* All n pieces to s, each with its place in the document that is made, and that one's counts to d. A piece but the
 * first shares the root. NULL, or what is wrong. */
static const char *cut_slices(const gxs_packed *h, const char *front, const gxs_chunk *c, const gxs_piece *p, u32 n,
                              slice *s, gx_doc *d)
{
    const gx_label_info *info = (const gx_label_info *)(const void *)(front + sizeof *h);
    const char *wrong;
    u64 nodes = 0, text = 0, values = 0;
    for (u32 i = 0; i < n; i++) {
        if ((wrong = cut_slice(h, info, &p[i], c[p[i].chunk + 1].at - c[p[i].chunk].at, i ? &p[i - 1] : NULL, &s[i])))
            return wrong;
        if (s[i].is_left_out)
            continue;
        const u32 skip = nodes != 0;
        s[i].at = (u32)nodes + s[i].k.h.n_spine - skip;
        nodes += s[i].k.h.n_spine - skip + (s[i].to - s[i].from);
        text += s[i].text;
        values += s[i].values + (s[i].is_all ? 0ull : s[i].k.h.spine_values);
    }
    if (nodes >= GX_NONE || text >= GX_NONE || values >= GX_NONE)
        return "its chunks are too large";
    d->n_nodes = (u32)nodes;
    d->text_size = text;
    d->values_size = values;
    return NULL;
}

/* A document of some records: the pieces that were read, each a chunk or a part of one, in order, with the spine around
 * them. IDs, bases and entities are left out, since an answer does not need them. O(nodes of the pieces). */
gx_status gxs_unpack_pieces(const char *front, u64 all, const gxs_piece *pieces, u32 n, gx_buf *block, gx_doc **doc,
                            gx_error *err)
{
    gxs_packed h;
    const gxs_chunk *c = gxs_chunks(front, all);
    memcpy(&h, front, sizeof h);
    if (!c)
        return wrong_part("its chunks are wrong", err);
    gx_doc d = h.doc;
    unpacker u = { .h = &h };
    slice *s = malloc((n + 1ull) * sizeof *s);
    if (!s)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory for a document");
    const char *wrong = cut_slices(&h, front, c, pieces, n, s, &d);
    d.n_ids = d.n_bases = d.n_entities = 0;
    if (!wrong)
        d.n_odd = pick_odd(&h, c, odd_of(front, &h.doc), pieces, s, n, NULL);
    gx_status status = wrong ? wrong_part(wrong, err) : begin(&u, front, &d, block, err);
    if (status == GX_OK) {
        pick_odd(&h, c, odd_of(front, &h.doc), pieces, s, n, (gx_doc_odd *)(void *)(block->at + d.odd));
        for (u32 i = 0; i < n && !wrong; i++)
            if (!s[i].is_left_out)
                wrong = s[i].is_all ? unpack_chunk(&u, pieces[i].bytes,
                                                   c[pieces[i].chunk + 1].at - c[pieces[i].chunk].at, 0)
                                    : unpack_slice(&u, &s[i]);
        if (wrong || (wrong = finish(&u)))
            status = wrong_part(wrong, err);
    }
    free(s);
    if (status == GX_OK)
        *doc = (gx_doc *)(void *)block->at;
    return status;
}
