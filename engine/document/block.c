/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.c -- the parser's columns, heaps and tables become one block (doc.h)
 *
 * Cost: one copy of everything, unless it stays where it was read (place.h). Memory: the arrays of a large document are
 * given back one by one as they are copied, so that at most one of them is there twice.
 */
#include <stdlib.h>
#include <string.h>
#include "block.h"
#include "doc_layout.h"
#include "parts.h"

#define ONCE_LEAST (16u << 10)  /* bytes of an array that a parser of one document frees when they have been copied */

static int compare_ids(const void *a, const void *b)
{
    const gx_doc_id *x = a, *y = b;
    return x->hash != y->hash ? x->hash < y->hash ? -1 : 1 : x->node < y->node ? -1 : x->node > y->node;
}

/* Four words at once, where compilers do not see that they could be. aligned(1): anywhere */
typedef u32 four __attribute__((vector_size(16), aligned(1), may_alias));

/* Copies n bytes to offset `at` (from NULL: they are there) and zeroes what is left of 16 after them: blocks are the
 * same to the byte. */
static __attribute__((noinline)) void put(char *block, u64 at, const void *from, u64 n)
{
    if (from && n) {
        if (n & 15)             /* all of the last 16 at once, before the bytes: there is room for them */
            memset(block + at + (n & ~15ull), 0, 16);
        memcpy(block + at, from, n);
        return;
    }
    static const u32 ones_and_zeros[8] = { ~0u, ~0u, ~0u, ~0u };
    if (n & 15)
        *(four *)(void *)(block + at + (n & ~15ull)) &=
            *(const four *)(const void *)((const char *)ones_and_zeros + 16 - (n & 15));
}

/* Of an array that has been copied into the block: is it given back? A large one is, or all of the document would be
 * there twice; its pages are then touched anew for the next one, which costs about a tenth of the parsing. */
static int is_given_back(const gx_parser *p, u64 n) { return n >= (p->options.once ? ONCE_LEAST : GX_LARGE); }

static void put_column(const gx_parser *p, char *block, u64 at, void *column, u64 n)
{
    void **from = column;
    if (*from == block + at) {          /* it was read there (place.h) */
        put(block, at, NULL, n);
        return;
    }
    gx_pages_ready(block + at, n);
    put(block, at, *from, n);
    if (is_given_back(p, n) && !p->is_lent) {
        free(*from);
        *from = NULL;
    }
}

static void put_buf(const gx_parser *p, char *block, u64 at, gx_buf *from)
{
    if (from->at == block + at) {
        put(block, at, NULL, from->n);
        return;
    }
    gx_pages_ready(block + at, from->n);
    put(block, at, from->at, from->n);
    if (is_given_back(p, from->n))
        gx_buf_free(from);
}

static void put_scopes(const gx_parser *p, const gx_doc *d, char *block)
{
    gx_ns_list *lists = (gx_ns_list *)(void *)(block + d->ns_lists);
    const gx_binding *b = GX_BUF_AT(&p->names.bindings, gx_binding);
    const gx_name *names = GX_BUF_AT(&p->names.names, gx_name);
    put(block, d->ns_lists, p->names.scopes.at, d->n_ns_lists * sizeof *lists);
    gx_ns_decl *decls = (gx_ns_decl *)(void *)(block + d->ns_decls);
    for (u32 i = 0; i < d->n_ns_decls; i++) {
        const gx_name *name = &names[b[i].name], *uri = &names[b[i].uri];
        u32 len = name->prefix_len ? name->off + name->len - name->local : 0;
        decls[i] = (gx_ns_decl){ len ? name->local : 0, len, uri->off, uri->len };
    }
    if (!d->ns)
        return;
    /* elements from one change to the next have the scope of the first of the two */
    u32 *ns = (u32 *)(void *)(block + d->ns), at = 0, scope = 0;
    const gx_scope_change *c = GX_BUF_AT(&p->scope_changes, gx_scope_change);
    for (u32 i = 0, n = GX_BUF_N(&p->scope_changes, gx_scope_change); i <= n; i++) {
        const u32 until = i < n ? c[i].node : d->n_nodes;
        const four four_of_it = { scope, scope, scope, scope };
        for (; at < until && at + 8 <= d->n_nodes; at += 8) {   /* some more, which the next change overwrites */
            four *const to = (four *)(void *)&ns[at];
            to[0] = to[1] = four_of_it;
        }
        for (; at < until; at++)
            ns[at] = scope;
        at = until;
        if (i < n)
            scope = c[i].scope;
    }
    put(block, d->ns, NULL, (u64)d->n_nodes * 4);
}

/* The name index has been made of them. */
static void give_back_lists(gx_parser *p)
{
    gx_buf *all[] = { &p->scan.lists, &p->scan.texts };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (is_given_back(p, all[i]->cap))
            gx_buf_free(all[i]);
}

/* Columns and name index */
static void put_nodes(gx_parser *p, const gx_doc *d, char *block)
{
    const u64 n = d->n_nodes;
    put_column(p, block, d->label, &p->label, n * 4);
    put_column(p, block, d->parent, &p->parent, n * 4);
    put_column(p, block, d->next, &p->next, n * 4);
    put_column(p, block, d->depth, &p->depth, n * 2);
    put_column(p, block, d->text_off, &p->text_off, n * 4);
    put_column(p, block, d->text_len, &p->text_len, n * 4);
    if (p->lines) {
        put_column(p, block, d->line, &p->line, n * 4);
        put_column(p, block, d->column, &p->column, n * 4);
    }
    if (!p->label)
        gx_parser_free_columns(p);
    gx_pages_ready(block + d->index, n * 4);
    if (!p->uses_expat && p->scan.is_listed)
        gx_scan_index(p, (u32 *)(void *)(block + d->index_start), (u32 *)(void *)(block + d->index));
    else
        gx_doc_index((gx_doc *)(void *)block);
    put(block, d->index_start, NULL, (d->n_labels + 1ull) * 4);
    put(block, d->index, NULL, n * 4);
    give_back_lists(p);
}

/* put_nodes() of a document that was read in parts, heaps too: each part's thread copies what it has read to its place,
 * ids and offsets moved by what stands before it. The name index is put together from the parts' lists, or made anew
 * where these are not complete. */
static void put_nodes_of_parts(gx_parser *p, const gx_doc *d, char *block)
{
    const u64 n = d->n_nodes, own = p->n;
    u32 *start = (u32 *)(void *)(block + d->index_start), *index = (u32 *)(void *)(block + d->index);
    const gx_columns to = { (u32 *)(void *)(block + d->label),    (u32 *)(void *)(block + d->parent),
                            (u32 *)(void *)(block + d->next),     (u32 *)(void *)(block + d->text_off),
                            (u32 *)(void *)(block + d->text_len), (u16 *)(void *)(block + d->depth),
                            block + d->text,                      block + d->values };
    const gx_copy copies[] = { { to.text, p->text.at, p->text.n },   { to.values, p->values.at, p->values.n },
                               { to.label, p->label, own * 4 },      { to.parent, p->parent, own * 4 },
                               { to.next, p->next, own * 4 },        { to.text_off, p->text_off, own * 4 },
                               { to.text_len, p->text_len, own * 4 }, { to.depth, p->depth, own * 2 } };
    gx_parts_put_begin(p->parts, &to, copies, sizeof copies / sizeof *copies);
    put_scopes(p, d, block);
    gx_pages_ready(index, n * 4);
    start[d->n_labels] = 0;
    if (p->scan.is_listed)
        gx_parts_index(p, start, index);
    const u32 depth = gx_parts_put_end(p->parts);
    gx_doc *made = (gx_doc *)(void *)block;
    made->max_depth = depth > made->max_depth ? (u16)depth : made->max_depth;
    const u64 columns[] = { d->label, d->parent, d->next, d->text_off, d->text_len, d->index };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        put(block, columns[i], NULL, n * 4);
    put(block, d->depth, NULL, n * 2);
    put(block, d->text, NULL, d->text_size);
    put(block, d->values, NULL, d->values_size);
    gx_parser_give_back(p, GX_LARGE);
    if (start[d->n_labels] != d->n_nodes)
        gx_doc_index(made);             /* the parts' lists were not complete */
    put(block, d->index_start, NULL, (d->n_labels + 1ull) * 4);
}

/*
 * The document block from a parser's columns, in the layout of doc.h; *out: from options.alloc, or malloc's. Where the
 * columns already lie in their block (place.c) only what is around them is put there; else each column is copied.
 *
 * Label tables, IDs (sorted by hash, as look-ups want them), entities, odd prefixes and base URIs follow. d.max_depth
 * is the scanner's, or looked for where Expat read. O(bytes of the block). GX_ENOMEM.
 */
gx_status gx_parser_assemble(gx_parser *p, gx_doc **out)
{
    const gx_parts_sum parts = gx_parts_total(p->parts);
    const u32 n = p->n + parts.nodes;
    gx_doc d;
    gx_buf_clear(&d, sizeof d);
    const char *base = p->options.base_uri ? p->options.base_uri : "";
    size_t base_len = strlen(base);
    if (gx_parser_room(p, &p->names.strs, base_len))
        return p->status;
    if (p->options.once && !parts.nodes)
        gx_parser_fit(p);
    d.base_uri = (u32)p->names.strs.n;
    d.base_uri_len = (u32)base_len;
    memcpy(p->names.strs.at + p->names.strs.n, base, base_len);
    p->names.strs.n += base_len;

    d.magic = GX_DOC_MAGIC;
    d.seed = p->names.seed;
    d.flags = p->options.flags & (GX_DOC_LINES | GX_DOC_NAMESPACES);
    const gx_scan *scan = p->uses_expat ? NULL : &p->scan;
    if ((scan && !scan->high) || (gx_is_ascii(p->text.at, p->text.n) && gx_is_ascii(p->values.at, p->values.n)
                                  && gx_parts_are_ascii(p->parts)))
        d.flags |= GX_DOC_ASCII;
    d.n_nodes = n;
    d.n_labels = GX_BUF_N(&p->names.labels, gx_label_info);
    d.n_roots = 1;
    d.n_ns_lists = GX_BUF_N(&p->names.scopes, gx_ns_list);
    d.n_ns_decls = GX_BUF_N(&p->names.bindings, gx_binding);
    d.n_ids = GX_BUF_N(&p->ids, gx_doc_id);
    d.n_entities = GX_BUF_N(&p->entities, gx_doc_entity);
    d.n_odd = GX_BUF_N(&p->odd, gx_doc_odd);
    d.n_bases = GX_BUF_N(&p->bases, gx_doc_base);
    d.max_depth = scan ? scan->max_depth : 0;
    for (u32 i = 0; i < n && !scan; i++)
        if (p->depth[i] > d.max_depth)
            d.max_depth = p->depth[i];
    d.text_size = p->text.n + parts.text;
    d.values_size = p->values.n + parts.values;
    d.strs_size = p->names.strs.n;
    d.ns = p->scope_changes.n != 0;
    char *block = NULL;
    if (!p->options.in_place || !gx_place_end(p, &d, &block)) {
        gx_doc_layout(&d, p->scope_changes.n != 0, p->lines);
        block = p->options.alloc ? p->options.alloc(p->options.alloc_ctx, d.size) : malloc(d.size);
    }
    if (!block)
        return p->status = gx_fail(p->err, GX_ENOMEM, p->options.file, 0, 0,
                                   "out of memory for a document of %llu bytes", (unsigned long long)d.size);
    if (d.n_ids > 1)
        qsort(p->ids.at, d.n_ids, sizeof(gx_doc_id), compare_ids);
    put(block, 0, &d, sizeof d);
    if (parts.nodes) {
        put_nodes_of_parts(p, &d, block);
    } else {                            /* the longest first, while there is least of the block */
        put_buf(p, block, d.text, &p->text);
        put_buf(p, block, d.values, &p->values);
        put_nodes(p, &d, block);
        put_scopes(p, &d, block);
    }
    put(block, d.labels, p->names.labels.at, p->names.labels.n);
    put(block, d.ids, p->ids.at, p->ids.n);
    put(block, d.entities, p->entities.at, p->entities.n);
    put(block, d.odd, p->odd.at, p->odd.n);
    put(block, d.bases, p->bases.at, p->bases.n);
    put(block, d.roots, &(u32){ 0 }, 4);
    put(block, d.strs, p->names.strs.at, p->names.strs.n);
    *out = (gx_doc *)(void *)block;
    return GX_OK;
}
