/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes_block.h -- tokens to the columns of the block
 *
 * The nodes of token m: the text before it, if there is any that is kept, then the element with its attributes, the
 * comment, or the PI. Their number is counted, and the sums say where each member writes its token's.
 */
#ifndef GX_BYTES_BLOCK_H
#define GX_BYTES_BLOCK_H

#include "bytes_names.h"
#include "doc_layout.h"

#define GX_BYTES_IDS 1024u      /* IDs: they are sorted by counting */
#define GX_BYTES_COUNTERS (1u << 21)    /* of the name index, most */
#define GX_BYTES_PIECE 64u      /* bytes that a member copies at a time */

GX_OP int gx_token_is_element(const gx_bytes *b, u32 m) { return (b->kind[m] & GX_TOKEN_KIND) <= GX_TOKEN_EMPTY; }
GX_OP int gx_token_has_text(const gx_bytes *b, u32 m) { return (b->kind[m] & GX_TOKEN_TEXT) != 0; }
/* Bytes of text before token m, within the document element */
GX_OP u32 gx_token_text(const gx_bytes *b, u32 m) { return b->depth[m] ? b->text[m] - b->text[m - 1] : 0; }
GX_OP u32 gx_token_element(const gx_bytes *b, u32 m) { return b->node[m] + (u32)gx_token_has_text(b, m); }
GX_OP u32 gx_token_parent(const gx_bytes *b, u32 m) { return b->depth[m] ? gx_token_element(b, b->parent[m]) : 0; }

/* ---- white space ---- */

/* Is xml:space="preserve" in force for the content of the start tag m? The nearest "preserve" or "default" decides. */
GX_OP_BIG int gx_token_preserves(const gx_bytes *b, u32 m)
{
    for (; m != GX_NONE; m = b->parent[m])
        for (u32 k = b->first_attr[m]; k < b->first_attr[m + 1]; k++) {
            const u32 slot = b->attr_name[k];
            if (slot & GX_ATTR_DECLARES || !(b->label_bits[slot] & GX_STRING_SPACE))
                continue;
            if (b->attr_size[k] == 8 && gx_bytes_are(b, b->attr_value[k], "preserve", 8))
                return 1;
            if (b->attr_size[k] == 7 && gx_bytes_are(b, b->attr_value[k], "default", 7))
                return 0;
        }
    return 0;
}

/* The raw text heap, all of it, of which the block gets what is kept: white space alone is dropped */
typedef struct gx_raw { char *text; u32 n; } gx_raw;

/*
 * Which tokens have a text node in front of them (TOKEN_TEXT), and heap[m]: where the text heap stands behind that.
 *
 * Without stripping every text is kept, and heap[m] follows from the chunks' counts. With it (r->spaces: some element's
 * white space may be dropped) all text is written once into raw->text, since references have to be resolved before one
 * can say that a text is white space; what is kept is copied from there. raw->text NULL: nothing may be dropped.
 *
 * O(tokens), with stripping O(bytes of text). Complete for everyone. GX_EXML also for a text longer than the limit,
 * which the scanner words; GX_EARENA.
 */
GX_OP_BIG gx_status gx_bytes_spaces(gx_bytes *b, gx_raw *raw)
{
    const u32 n = b->n_tokens, first = b->text[b->root];
    u32 strips = 0;
    int wrong = 0;

    GX_BYTES_ROOM(b, b->heap, u32, n + 1);
    raw->text = NULL;
    raw->n = b->text[n];
    if (b->r->spaces)
        TEAM_FOR(&b->t, m, n)
            strips |= gx_token_is_element(b, m) && b->label_bits[b->name[m]] & GX_LABEL_STRIP;
    strips = (u32)team_any(&b->t, strips != 0);
    if (strips) {
        GX_BYTES_ROOM(b, raw->text, char, raw->n);
        const gx_text_out out = { raw->text, 0, raw->n };
        TEAM_FOR(&b->t, k, b->n_chunks)
            gx_chunk_write(b, k, &out);
        team_sync(&b->t);
    }
    TEAM_FOR(&b->t, m, n) {
        const u32 len = gx_token_text(b, m);
        u32 keeps = len != 0;
        if (strips && keeps && b->label_bits[b->name[b->parent[m]]] & GX_LABEL_STRIP) {
            const char *s = raw->text + b->text[m - 1];
            u32 i = 0;
            while (i < len && gx_bytes_is_blank((u8)s[i]))
                i++;
            keeps = i < len || gx_token_preserves(b, b->parent[m]);
        }
        wrong |= keeps && len > b->r->limits.text;
        if (keeps)
            b->kind[m] |= GX_TOKEN_TEXT;
        b->heap[m] = strips ? (keeps ? len : 0) : b->text[m] - first;
    }
    if (strips) {               /* sums, and each entry that of its own as well */
        u32 *sums;
        GX_BYTES_ROOM(b, sums, u32, n + 1);
        TEAM_FOR(&b->t, m, n)
            sums[m] = b->heap[m];
        team_scan(&b->t, sums, n);
        TEAM_FOR(&b->t, m, n)
            b->heap[m] = sums[m + 1];
    }
    return gx_bytes_agree(b, wrong);
}

/* ---- columns ---- */

typedef struct gx_columns {
    u32 *label, *parent, *next, *text_off, *text_len, *ns;
    u16 *depth;
    char *text, *values, *strs;
} gx_columns;

GX_OP void gx_bytes_columns(const gx_doc *d, char *base, gx_columns *c)
{
    c->label = (u32 *)(void *)(base + d->label);
    c->parent = (u32 *)(void *)(base + d->parent);
    c->next = (u32 *)(void *)(base + d->next);
    c->text_off = (u32 *)(void *)(base + d->text_off);
    c->text_len = (u32 *)(void *)(base + d->text_len);
    c->ns = (u32 *)(void *)(base + d->ns);
    c->depth = (u16 *)(void *)(base + d->depth);
    c->text = base + d->text;
    c->values = base + d->values;
    c->strs = base + d->strs;
}

GX_OP void gx_node_put(const gx_columns *c, u32 id, u32 label, u32 parent, u32 next, u32 depth, u32 off, u32 len)
{
    c->label[id] = label;
    c->parent[id] = parent;
    c->next[id] = next;
    c->depth[id] = (u16)depth;
    c->text_off[id] = off;
    c->text_len[id] = len;
}

/* Writes token m's nodes into the columns, and their strings into the heap of values: the text in front of it; a start
 * tag's element and attributes; a comment or processing instruction; for an end tag, next and text_len of its element.
 * All places were computed before (node, value, heap), so members write in any order. O(bytes of the token). */
GX_OP_BIG void gx_token_write(gx_bytes *b, const gx_columns *c, u32 m)
{
    const u32 kind = b->kind[m] & GX_TOKEN_KIND, depth = b->depth[m] + 1, parent = gx_token_parent(b, m),
              id = gx_token_element(b, m);
    u32 value = b->value[m], from, to;

    if (gx_token_has_text(b, m)) {
        const u32 len = gx_token_text(b, m);
        gx_node_put(c, id - 1, GX_LABEL_TEXT, parent, id, depth, b->heap[m] - len, len);
    }
    if (kind == GX_TOKEN_END) {
        const u32 element = gx_token_element(b, b->parent[m]);
        c->next[element] = id;
        c->text_len[element] = b->heap[m] - b->heap[b->parent[m]];
        return;
    }
    if (kind == GX_TOKEN_COMMENT || kind == GX_TOKEN_PI) {
        gx_bytes_content(b, m, &from, &to);
        const u32 len = gx_bytes_lines(b, from, to, c->values + value, &b->wide);
        gx_node_put(c, id, kind == GX_TOKEN_PI ? b->label_of[b->name[m]] : GX_LABEL_COMMENT, parent, id + 1, depth,
                    value, len);
        return;
    }
    c->label[id] = b->label_of[b->name[m]];
    c->parent[id] = parent;
    c->depth[id] = (u16)depth;
    c->text_off[id] = b->heap[m];
    if (kind == GX_TOKEN_EMPTY) {
        c->next[id] = b->node[m + 1];
        c->text_len[id] = 0;
    }
    u32 node = id + 1;
    for (u32 k = b->first_attr[m]; k < b->first_attr[m + 1]; k++) {
        if (b->attr_name[k] & GX_ATTR_DECLARES)
            continue;
        const u32 from = b->attr_value[k], size = b->attr_size[k] & ~(GX_ATTR_WORK | GX_ATTR_WIDE);
        u32 len = size;
        if (b->attr_size[k] & GX_ATTR_WORK)
            len = gx_bytes_value(b, from, from + size, c->values + value);
        else
            gx_move(c->values + value, (const char *)b->s + from, size);
        gx_node_put(c, node, b->label_of[b->attr_name[k]], id, node + 1, depth + 1, value, len);
        value += len;
        node++;
    }
}

/* The scope of every node: that of the last element that began before it */
GX_OP_BIG void gx_bytes_write_scopes(gx_bytes *b, const gx_columns *c)
{
    TEAM_FOR(&b->t, m, b->n_tokens) {
        if (!gx_token_is_element(b, m))
            continue;
        u32 next = m + 1;
        while (next < b->n_tokens && !gx_token_is_element(b, next))
            next++;
        const u32 end = next < b->n_tokens ? gx_token_element(b, next) : b->n_nodes,
                  scope = b->scope_number[b->scope_of[m]];
        if (m == b->root)
            for (u32 id = 0; id < gx_token_element(b, m); id++)
                c->ns[id] = 0;
        for (u32 id = gx_token_element(b, m); id < end; id++)
            c->ns[id] = scope;
    }
}

/* The text heap of `size` bytes: the chunks' characters, or, where white space is dropped, pieces of the heap, each
 * member finding the first token of its piece by halving and copying from the raw heap. O(bytes). Complete after the
 * next sync. */
GX_OP_BIG void gx_bytes_write_text(gx_bytes *b, const gx_raw *raw, const gx_columns *c, u32 size)
{
    if (!raw->text) {
        const u32 first = b->text[b->root];
        const gx_text_out out = { c->text, first, first + size };
        TEAM_FOR(&b->t, k, b->n_chunks)
            if (b->chunks.text[k + 1] > first && b->chunks.text[k] < first + size)
                gx_chunk_write(b, k, &out);
        return;
    }
    TEAM_FOR(&b->t, piece, size / GX_BYTES_PIECE + 1) {
        u32 at = piece * GX_BYTES_PIECE, lo = 0, hi = b->n_tokens;
        const u32 end = size - at < GX_BYTES_PIECE ? size : at + GX_BYTES_PIECE;
        while (lo < hi) {       /* the first token whose text goes beyond `at` */
            const u32 mid = (lo + hi) / 2;
            if (b->heap[mid] > at)
                hi = mid;
            else
                lo = mid + 1;
        }
        for (u32 m = lo; at < end; m++) {
            if (!gx_token_has_text(b, m))
                continue;
            const u32 stop = end < b->heap[m] ? end : b->heap[m];
            gx_move(c->text + at, raw->text + b->text[m] - b->heap[m] + at, stop - at);
            at = stop;
        }
    }
}

/* Each label's nodes in document order: each part of the nodes is counted by itself */
GX_OP_BIG gx_status gx_bytes_write_index(gx_bytes *b, const gx_columns *c, u32 *start, u32 *index)
{
    const u32 n = b->n_nodes, labels = b->n_labels, most = GX_BYTES_COUNTERS / labels + 1;
    u32 parts = n / 16 + 1, *counts;

    parts = parts < team_parts(&b->t) ? parts : team_parts(&b->t);
    parts = parts < most ? parts : most;
    const u32 all = labels * parts;
    GX_BYTES_ROOM(b, counts, u32, all + 1);
    TEAM_FOR(&b->t, i, all)
        counts[i] = 0;
    team_sync(&b->t);
    team_tally(&b->t, c->label, GX_LABEL_ID(~0u), labels, n, parts, counts, NULL);
    team_scan(&b->t, counts, all);
    TEAM_FOR(&b->t, k, labels + 1)
        start[k] = counts[k * parts];
    team_sync(&b->t);
    team_tally(&b->t, c->label, GX_LABEL_ID(~0u), labels, n, parts, counts, index);
    return GX_OK;
}

/* ---- strings, IDs ---- */

/* An xml:id, without the blanks around it; one with references or other white space is the scanner's */
typedef struct gx_bytes_id { u64 order; u32 at, len, node; } gx_bytes_id;

/* Before names are laid out: how many IDs there are, and odd prefixes; columns of their sums */
typedef struct gx_extras { u32 *ids, *odd, id_bytes; gx_bytes_id *id; } gx_extras;

/* How many IDs and odd prefixes each token has, as sums before it, so that each member writes its own (x->ids, x->odd,
 * n + 1 each). Nearly no document has any: then one pass over flags and no room. GX_EXML for more than GX_BYTES_IDS:
 * the CPU's parser takes the document. */
GX_OP_BIG gx_status gx_bytes_extras(gx_bytes *b, gx_extras *x)
{
    const u32 n = b->n_tokens;
    u32 ids = 0, odd = 0;

    x->ids = x->odd = NULL;
    x->id = NULL;
    x->id_bytes = 0;
    TEAM_FOR(&b->t, m, n) {
        odd |= gx_token_is_element(b, m) && b->label_bits[b->name[m]] & GX_LABEL_ODD;
        for (u32 k = b->first_attr[m]; k < b->first_attr[m + 1]; k++)
            if (!(b->attr_name[k] & GX_ATTR_DECLARES)) {
                ids |= b->label_bits[b->attr_name[k]] & GX_STRING_ID;
                odd |= b->label_bits[b->attr_name[k]] & GX_LABEL_ODD;
            }
    }
    ids = (u32)team_any(&b->t, ids != 0);
    odd = (u32)team_any(&b->t, odd != 0);
    b->n_ids = b->n_odd = 0;
    if (!ids && !odd)
        return GX_OK;
    GX_BYTES_ROOM(b, x->ids, u32, n + 1);
    GX_BYTES_ROOM(b, x->odd, u32, n + 1);
    TEAM_FOR(&b->t, m, n) {
        u32 of_ids = 0, of_odd = gx_token_is_element(b, m) && b->label_bits[b->name[m]] & GX_LABEL_ODD ? 1 : 0;
        for (u32 k = b->first_attr[m]; k < b->first_attr[m + 1]; k++)
            if (!(b->attr_name[k] & GX_ATTR_DECLARES)) {
                of_ids += (b->label_bits[b->attr_name[k]] & GX_STRING_ID) != 0;
                of_odd += (b->label_bits[b->attr_name[k]] & GX_LABEL_ODD) != 0;
            }
        x->ids[m] = of_ids;
        x->odd[m] = of_odd;
    }
    b->n_ids = (u32)team_scan(&b->t, x->ids, n);
    b->n_odd = (u32)team_scan(&b->t, x->odd, n);
    return b->n_ids > GX_BYTES_IDS ? (b->status = GX_EXML) : GX_OK;
}

/* The values of all xml:id attributes, in document order, without the spaces around them (xml:id, 4), into x->id.
 * GX_EXML, for another parser to read, where one has a reference or a control character, which would have to be
 * resolved. O(attributes and the IDs' bytes). Uniform; complete after gx_bytes_agree. */
GX_OP_BIG gx_status gx_ids_read(gx_bytes *b, gx_extras *x)
{
    int wrong = 0;

    GX_BYTES_ROOM(b, x->id, gx_bytes_id, b->n_ids);
    TEAM_FOR(&b->t, m, b->n_tokens) {
        gx_bytes_id *to = x->id + x->ids[m];
        for (u32 k = b->first_attr[m]; k < b->first_attr[m + 1]; k++) {
            const u32 slot = b->attr_name[k];
            u32 from = b->attr_value[k], end = from + (b->attr_size[k] & ~(GX_ATTR_WORK | GX_ATTR_WIDE));
            if (slot & GX_ATTR_DECLARES || !(b->label_bits[slot] & GX_STRING_ID))
                continue;
            for (u32 i = from; i < end; i++)
                wrong |= b->s[i] == '&' || b->s[i] < ' ';
            while (from < end && b->s[from] == ' ')
                from++;
            while (from < end && b->s[end - 1] == ' ')
                end--;
            const gx_bytes_id id = { GX_ORDER_ID(b->end[m] - 1, b->attr_value[k]), from, end - from,
                                     gx_token_element(b, m) };
            *to++ = id;
        }
    }
    return gx_bytes_agree(b, wrong);
}

/* The nodes of token m, the element and its attributes in their order, whose prefix is not their label's, to `to`,
 * which has room for x->odd of them. By one member. */
GX_OP_BIG void gx_token_odd(const gx_bytes *b, u32 m, gx_doc_odd *to)
{
    u32 node = gx_token_element(b, m);
    const gx_bytes_string *s;
    if (b->label_bits[b->name[m]] & GX_LABEL_ODD) {
        s = gx_string_of(b, (u32)(b->labels[b->name[m]] - 1) >> 9);
        to->node = node;
        to->prefix = s->prefix_len ? s->off : 0;
        to->prefix_len = s->prefix_len;
        to++;
    }
    for (u32 k = b->first_attr[m]; k < b->first_attr[m + 1]; k++) {
        const u32 slot = b->attr_name[k];
        if (slot & GX_ATTR_DECLARES)
            continue;
        node++;
        if (!(b->label_bits[slot] & GX_LABEL_ODD))
            continue;
        s = gx_string_of(b, (u32)(b->labels[slot] - 1) >> 9);
        to->node = node;
        to->prefix = s->prefix_len ? s->off : 0;
        to->prefix_len = s->prefix_len;
        to++;
    }
}

/* off of every string: behind the strings and IDs that come before it. Returns the bytes of all. */
GX_OP_BIG u32 gx_strings_place(gx_bytes *b, const gx_extras *x)
{
    const u32 own = sizeof GX_XML_URI - 1 + sizeof GX_XMLNS_URI - 1;
    u32 size = own;

    for (u32 i = 0; i < b->n_strings; i++)
        size += b->string[i].len;
    TEAM_FOR(&b->t, i, b->n_strings) {
        u32 off = own;
        for (u32 k = 0; k < i; k++)
            off += b->string[k].len;
        for (u32 k = 0; k < b->n_ids && x->id[k].order < b->string[i].order; k++)
            off += x->id[k].len;
        b->string[i].off = off;
    }
    for (u32 k = 0; k < b->n_ids; k++)
        size += x->id[k].len;
    team_sync(&b->t);
    return size;
}

/* IDs into the block: in strs behind what comes before them, in the table by hash and node */
GX_OP_BIG void gx_ids_write(gx_bytes *b, const gx_extras *x, const gx_columns *c, gx_doc_id *ids)
{
    TEAM_FOR(&b->t, i, b->n_ids) {
        const gx_bytes_id id = x->id[i];
        u32 off = sizeof GX_XML_URI - 1 + sizeof GX_XMLNS_URI - 1, place = 0;
        for (u32 k = 0; k < b->n_strings && b->string[k].order < id.order; k++)
            off += b->string[k].len;
        for (u32 k = 0; k < i; k++)
            off += x->id[k].len;
        const u32 hash = (u32)gx_text_hash(b->r->seed, (const char *)b->s + id.at, id.len);
        for (u32 k = 0; k < b->n_ids; k++) {
            const u32 other = (u32)gx_text_hash(b->r->seed, (const char *)b->s + x->id[k].at, x->id[k].len);
            place +=
                other < hash || (other == hash && (x->id[k].node < id.node || (x->id[k].node == id.node && k < i)));
        }
        for (u32 k = 0; k < id.len; k++)
            c->strs[off + k] = (char)b->s[id.at + k];
        const gx_doc_id entry = { hash, off, id.len, id.node };
        ids[place] = entry;
    }
}

GX_OP u32 gx_string_off(const gx_bytes *b, u32 number)
{
    return number < GX_STRINGS_OWN ? (number == 2 ? (u32)sizeof GX_XML_URI - 1 : 0)
                                   : b->string[number - GX_STRINGS_OWN].off;
}

/* The tables of labels, namespace lists and declarations, and the heap of strings but for the IDs' values. Labels 0 to
 * 2 are the root's, text's and comments'. Every offset was given before (gx_strings_place). O(labels + declarations +
 * bytes of names). Complete after the next sync. */
GX_OP_BIG void gx_bytes_write_names(gx_bytes *b, const gx_columns *c, const gx_doc *d)
{
    char *const base = (char *)b->doc;
    gx_label_info *labels = (gx_label_info *)(void *)(base + d->labels);
    gx_ns_list *lists = (gx_ns_list *)(void *)(base + d->ns_lists);
    gx_ns_decl *decls = (gx_ns_decl *)(void *)(base + d->ns_decls);
    u32 len, uri_len;

    TEAM_FOR(&b->t, k, b->n_labels) {
        gx_label_info info = { 0, 0, 0, 0, 0, 0, 0, 0 };
        if (k < 3) {
            info.kind = k == 0 ? GX_KIND_ROOT : k == 1 ? GX_KIND_TEXT : GX_KIND_COMMENT;
            info.hash = gx_name_hash("", 0, "", 0);
        } else {
            const gx_bytes_label *l = &b->label[k - 3];
            const u32 off = gx_string_off(b, l->string);
            const char *name = gx_string_bytes(b, l->string, &len), *uri = gx_string_bytes(b, l->uri, &uri_len);
            info.kind = l->kind;
            info.uri = uri_len ? gx_string_off(b, l->uri) : 0;
            info.uri_len = uri_len;
            info.local = off + l->local;
            info.local_len = len - l->local;
            info.prefix = l->prefix_len ? off : 0;
            info.prefix_len = l->prefix_len;
            info.hash = gx_name_hash(uri, uri_len, name + l->local, len - l->local);
        }
        labels[k] = info;
    }
    TEAM_FOR(&b->t, k, b->n_scopes)
        lists[k] = b->ns_list[k];
    TEAM_FOR(&b->t, k, b->n_bindings) {
        const gx_bytes_string *name = &b->string[b->binding[k].name - GX_STRINGS_OWN];
        const u32 prefix = name->prefix_len ? name->len - 6 : 0;
        gx_string_bytes(b, b->binding[k].uri, &uri_len);
        const gx_ns_decl decl = { prefix ? name->off + 6 : 0, prefix, gx_string_off(b, b->binding[k].uri), uri_len };
        decls[k] = decl;
    }
    TEAM_FOR(&b->t, k, b->n_strings + 3) {
        const char *s = k < 2 ? gx_string_bytes(b, k + 1, &len) : k == 2 ? b->r->base_uri : gx_string_bytes(b, k, &len);
        const u32 off = k < 2 ? gx_string_off(b, k + 1) : k == 2 ? d->base_uri : gx_string_off(b, k);
        if (k == 2)
            len = b->r->base_uri_len;
        for (u32 i = 0; i < len; i++)
            c->strs[off + i] = s[i];
    }
}

/* Zeros behind a part, up to 16 bytes */
GX_OP void gx_part_end(gx_doc *d, u64 at, u64 n)
{
    for (u64 i = at + n; i & 15; i++)
        ((char *)d)[i] = 0;
}
/* The bytes between the end of each column and the next multiple of 16 are zeroed: the block is the same bytes whoever
 * made it, and checks may read whole words. */
GX_OP_BIG void gx_bytes_write_ends(gx_doc *d)
{
    const u64 n = d->n_nodes;
    const u64 columns[] = { d->label, d->parent, d->next, d->text_off, d->text_len, d->index };

    for (u32 i = 0; i < sizeof columns / sizeof *columns; i++)
        gx_part_end(d, columns[i], n * 4);
    if (d->ns)
        gx_part_end(d, d->ns, n * 4);
    gx_part_end(d, d->depth, n * 2);
    gx_part_end(d, d->index_start, (d->n_labels + 1ull) * 4);
    gx_part_end(d, d->labels, d->n_labels * sizeof(gx_label_info));
    gx_part_end(d, d->ns_lists, d->n_ns_lists * sizeof(gx_ns_list));
    gx_part_end(d, d->ns_decls, d->n_ns_decls * sizeof(gx_ns_decl));
    gx_part_end(d, d->ids, d->n_ids * sizeof(gx_doc_id));
    gx_part_end(d, d->odd, d->n_odd * sizeof(gx_doc_odd));
    gx_part_end(d, d->roots, 4);
    gx_part_end(d, d->text, d->text_size);
    gx_part_end(d, d->values, d->values_size);
    gx_part_end(d, d->strs, d->strs_size);
    gx_part_end(d, 0, sizeof *d);
}

/* ---- all of it ---- */

/* Numbers of nodes and values before each token */
GX_OP_BIG gx_status gx_bytes_number(gx_bytes *b)
{
    const u32 n = b->n_tokens;

    TEAM_FOR(&b->t, m, n)
        b->node[m] += (u32)gx_token_has_text(b, m) + (m == 0);         /* the root node */
    u32 *const columns[] = { b->node, b->value };
    u64 sums[2];
    team_sync(&b->t);
    team_scan_all(&b->t, columns, 2, n, sums);
    const u64 nodes = sums[0], values = sums[1];
    if (nodes > b->r->limits.nodes || nodes >= GX_NONE || values > GX_BYTES_MOST)
        return b->status = GX_EXML;
    if (team_rank(&b->t) == 0)
        b->node[0] = 1;
    team_sync(&b->t);
    b->n_nodes = (u32)nodes;
    return GX_OK;
}

/* All parts of the block at b->doc, whose header but for the flags is d: nodes, text, scopes, names, IDs, odd prefixes,
 * the name index, and last the header. O(bytes). Complete for everyone. GX_EARENA. */
GX_OP_BIG gx_status gx_bytes_fill(gx_bytes *b, gx_doc *d, const gx_extras *x, const gx_raw *raw)
{
    char *const base = (char *)b->doc;
    gx_columns c;

    gx_bytes_columns(d, base, &c);
    TEAM_FOR(&b->t, m, b->n_tokens)
        gx_token_write(b, &c, m);
    if (team_rank(&b->t) == 0) {
        gx_node_put(&c, 0, GX_LABEL_ROOT, GX_NONE, b->n_nodes, 0, 0, (u32)d->text_size);
        *(u32 *)(void *)(base + d->roots) = 0;
    }
    gx_bytes_write_text(b, raw, &c, (u32)d->text_size);
    if (d->ns)
        gx_bytes_write_scopes(b, &c);
    gx_bytes_write_names(b, &c, d);
    gx_ids_write(b, x, &c, (gx_doc_id *)(void *)(base + d->ids));
    if (b->n_odd)
        TEAM_FOR(&b->t, m, b->n_tokens)
            if (x->odd[m + 1] != x->odd[m])
                gx_token_odd(b, m, (gx_doc_odd *)(void *)(base + d->odd) + x->odd[m]);
    team_sync(&b->t);
    GX_BYTES_TRY(gx_bytes_write_index(b, &c, (u32 *)(void *)(base + d->index_start), (u32 *)(void *)(base + d->index)));
    if (!team_any(&b->t, b->wide != 0))
        d->flags = GX_DOC_ASCII;
    if (team_rank(&b->t) == 0) {
        *b->doc = *d;
        gx_bytes_write_ends(b->doc);
    }
    team_sync(&b->t);
    return GX_OK;
}

/*
 * The block, at the arena's end: b->doc. White space is decided, nodes are numbered, tables are counted, then all sizes
 * are known and the block is laid out and filled in place (gx_bytes_fill): nothing is moved afterwards. The block is
 * the scanner's to the byte (block.c).
 *
 * O(bytes). Complete for everyone. Fails with GX_EXML, GX_EARENA; what fails goes to the scanner, which words it.
 */
GX_OP_BIG gx_status gx_bytes_write(gx_bytes *b)
{
    u32 deepest = 0, has_ns = 0;
    gx_extras x;
    gx_raw raw;
    gx_doc d;

    GX_BYTES_TRY(gx_bytes_spaces(b, &raw));
    GX_BYTES_TRY(gx_bytes_number(b));
    GX_BYTES_TRY(gx_bytes_extras(b, &x));
    if (b->n_ids)
        GX_BYTES_TRY(gx_ids_read(b, &x));
    TEAM_FOR(&b->t, m, b->n_tokens) {
        u32 depth = b->depth[m] + (gx_token_has_text(b, m) || (b->kind[m] & GX_TOKEN_KIND) != GX_TOKEN_END);
        if (gx_token_is_element(b, m)) {
            has_ns |= b->scope_of && b->scope_number[b->scope_of[m]];
            for (u32 k = b->first_attr[m]; k < b->first_attr[m + 1]; k++)
                if (!(b->attr_name[k] & GX_ATTR_DECLARES))
                    depth = b->depth[m] + 2;
        }
        deepest = depth > deepest ? depth : deepest;
    }
    deepest = ~team_min(&b->t, ~deepest);
    has_ns = (u32)team_any(&b->t, has_ns != 0);
    GX_CLEAR(&d);
    d.magic = GX_DOC_MAGIC;
    d.seed = b->r->seed;
    d.n_nodes = b->n_nodes;
    d.n_labels = b->n_labels;
    d.n_roots = 1;
    d.n_ns_lists = b->n_scopes;
    d.n_ns_decls = b->n_bindings;
    d.n_ids = b->n_ids;
    d.n_odd = b->n_odd;
    d.max_depth = deepest;
    d.text_size = b->heap[b->root_end];
    d.values_size = b->value[b->n_tokens];
    d.base_uri = gx_strings_place(b, &x);
    d.base_uri_len = b->r->base_uri_len;
    d.strs_size = (u64)d.base_uri + d.base_uri_len;
    gx_doc_layout(&d, (int)has_ns, 0);
    char *block;
    GX_BYTES_ROOM(b, block, char, d.size);
    b->doc = (gx_doc *)(void *)block;
    return gx_bytes_fill(b, &d, &x, &raw);
}

#endif
