/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_head.c -- a document that begins with the same bytes as the last one
 *
 *   <?xml version="1.0"?><rss version="2.0" xmlns:dc="...">   <channel> ...
 *   `---------------- head.bytes ------------------------'
 *
 * Feeds and answers of one program have the same XML declaration and the same root element, mostly with declarations of
 * namespaces, so that tag goes the slow way. All that it adds to the parser's arrays depends on these bytes, the
 * limits and the rules for white space alone. So the arrays' new ends are kept (head.made), and appended again where
 * the next document has the same bytes; then the walk begins behind them.
 *
 *   head.made:   strs | names | labels | ... | prefixes | nodes 1.. | frame       of each array bytes from[i] .. to[i]
 *
 * Nothing may stand between declaration and root element. A tag that means more than names, scopes, nodes and values
 * (xml:space, xml:id, warnings) is not kept. The last document must have been read to its end by the scanner, or what
 * is kept of it behind these names (names.h) might be another one's.
 *
 * Cost: 600 instructions instead of 6,000 for a tag with an attribute and a declaration; noting it takes 700.
 */
#include "parser.h"

#define MOST_BYTES 2048u        /* of a head that is kept */

#define ARRAYS(p) { &(p)->names.strs, &(p)->names.names, &(p)->names.labels, &(p)->names.states, &(p)->names.scopes, \
                    &(p)->names.bindings, &(p)->scope_changes, &(p)->values, &(p)->scan.entries, &(p)->scan.prefixes }

typedef struct node { u32 label, parent, next, text_off, text_len, depth; } node;

static u32 sum_of_masks(const gx_parser *p) { return p->scan.mask + p->names.name_mask + p->names.label_mask; }

/* The root element's tag comes next, and nothing was before it. */
void gx_scan_head_begin(gx_parser *p)
{
    gx_scan_head *h = &p->scan.head;
    const gx_buf *const arrays[] = ARRAYS(p);
    for (u32 i = 0; i < GX_SCAN_HEAD_ARRAYS; i++)
        h->from[i] = (u32)arrays[i]->n;
    h->n_names = GX_BUF_N(&p->names.names, gx_name);
    h->n_labels = GX_BUF_N(&p->names.labels, gx_label_info);
    h->n_entries = GX_BUF_N(&p->scan.entries, gx_scan_name);
    h->masks = sum_of_masks(p);
}

/* Has the tag done nothing but what is kept? */
static int is_plain(const gx_parser *p)
{
    const gx_name *names = GX_BUF_AT(&p->names.names, gx_name);
    for (u32 i = p->scan.head.n_names; i < GX_BUF_N(&p->names.names, gx_name); i++)
        if (names[i].flags & ~(u32)(GX_NAME_XMLNS | GX_NAME_BAD))       /* a bad one: a namespace's */
            return 0;
    return p->sp == 1 && !p->options.lenient && !p->ids.n && !p->odd.n && !p->scan.bound.n && !p->scan.has_recalled
        && p->scan.head.masks == sum_of_masks(p);
}

/* s[0..n), up to the root element's content, has been read: what it made is kept. Without memory it is not. */
void gx_scan_head_note(gx_parser *p, const u8 *s, size_t n)
{
    gx_scan_head *h = &p->scan.head;
    const gx_buf *const arrays[] = ARRAYS(p);
    h->is_mine = h->is_last = 0;
    if (n > MOST_BYTES || !is_plain(p))
        return;
    h->bytes.n = h->made.n = 0;
    int failed = gx_buf_put(&h->bytes, s, n);
    for (u32 i = 0; i < GX_SCAN_HEAD_ARRAYS; i++) {
        h->to[i] = (u32)arrays[i]->n;
        failed |= gx_buf_put(&h->made, arrays[i]->at + h->from[i], h->to[i] - h->from[i]);
    }
    for (u32 i = 1; i < p->n; i++) {
        const node its = { p->label[i], p->parent[i], p->next[i], p->text_off[i], p->text_len[i], p->depth[i] };
        failed |= gx_buf_put(&h->made, &its, sizeof its);
    }
    failed |= gx_buf_put(&h->made, GX_BUF_AT(&p->frames, gx_frame) + 1, sizeof(gx_frame));
    h->n_nodes = p->n;
    h->high = p->scan.high;
    h->limits = p->limits;
    h->encoding = p->encoding;
    h->is_declared = !p->options.charset && !p->transcode;
    h->is_mine = !failed;
}

/* Does the document begin as the last one did? Then its encoding is that one's, unless it comes from elsewhere. */
int gx_scan_head_is(const gx_scan *c, const char *s, size_t n)
{
    const gx_scan_head *h = &c->head;
    return h->is_last && n > h->bytes.n && memcmp(s, h->bytes.at, h->bytes.n) == 0;
}

/* Nodes and the frame behind the arrays' ends */
static void put_nodes(gx_parser *p, const char *at)
{
    const gx_scan_head *h = &p->scan.head;
    for (; p->n < h->n_nodes; p->n++, at += sizeof(node)) {
        node its;
        memcpy(&its, at, sizeof its);
        p->label[p->n] = its.label;
        p->parent[p->n] = its.parent;
        p->next[p->n] = its.next;
        p->text_off[p->n] = its.text_off;
        p->text_len[p->n] = its.text_len;
        p->depth[p->n] = (u16)its.depth;
        p->scan.max_depth = its.depth > p->scan.max_depth ? (u16)its.depth : p->scan.max_depth;
    }
    memcpy(GX_BUF_AT(&p->frames, gx_frame) + 1, at, sizeof(gx_frame));
}

/* If the document s[0..n) begins as the last one did, all is as behind the root element's start tag: *used is where its
 * content begins. 1: its nodes are to be listed; 0: it begins otherwise, and nothing has changed; -1: out of memory.
 * O(bytes of the head). */
int gx_scan_head_take(gx_parser *p, const u8 *s, size_t n, size_t *used)
{
    gx_scan *c = &p->scan;
    gx_scan_head *h = &c->head;
    gx_buf *const arrays[] = ARRAYS(p);
    const u32 n_scopes = GX_BUF_N(&p->names.scopes, gx_ns_list);
    if (!gx_scan_head_is(c, (const char *)s, n) || !c->has_same_rules || h->masks != sum_of_masks(p)
        || !p->encoding != !h->encoding || memcmp(&h->limits, &p->limits, sizeof h->limits))
        return 0;
    if (p->names.kept_names < h->to[1] / sizeof(gx_name) || p->names.kept_labels < h->to[2] / sizeof(gx_label_info)
        || c->kept < h->to[8] / sizeof(gx_scan_name))
        return 0;
    for (u32 i = 0; i < GX_SCAN_HEAD_ARRAYS; i++)
        if (arrays[i]->n != h->from[i])
            return 0;
    if (p->n != 1 || gx_parser_columns(p, h->n_nodes) || gx_buf_room(&p->frames, 2 * sizeof(gx_frame)))
        return p->n != 1 ? 0 : -1;
    const char *made = h->made.at;
    for (u32 i = 0; i < GX_SCAN_HEAD_ARRAYS; i++) {
        if (gx_buf_put(arrays[i], made, h->to[i] - h->from[i]))
            return -1;
        made += h->to[i] - h->from[i];
    }
    gx_names_enter(&p->names, h->n_names, h->n_labels, n_scopes);
    for (u32 i = h->n_entries; i < GX_BUF_N(&c->entries, gx_scan_name); i++)
        gx_scan_put(c, i);
    put_nodes(p, made);
    p->sp = 1;
    p->last_scope = GX_BUF_AT(&p->frames, gx_frame)[1].scope;
    p->names_sheet = 0;
    c->high |= h->high;
    c->begun = c->has_root = h->is_mine = 1;
    *used = h->bytes.n;
    return 1;
}
