/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc.h -- the document block: columns, no pointers
 *
 *   <a x="1">hi<b/></a><?p q?>      node id = position in document order
 *
 *   id   label      parent next depth  string-value
 *   0    root       -      6    0      "hi"        text heap [0,2)
 *   1    elem a     0      5    1      "hi"        text heap [0,2)
 *   2    attr x     1      3    2      "1"         value heap
 *   3    text       1      4    2      "hi"        text heap [0,2)
 *   4    elem b     1      5    2      ""          text heap [2,2)
 *   5    pi p       0      6    1      "q"         value heap
 *
 * An element is followed by its namespace nodes (only when parsed with GX_DOC_NAMESPACES), then its attributes, then
 * its children. next[n] is the first node after n's subtree: descendants and attributes of n are the ids n+1 ..
 * next[n]-1; an attribute's, text's, ... next is its id + 1. For an attribute or namespace node parent is its element.
 *
 * A label is kind << 28 | index into the label table: one u32 compare tests kind and expanded name at once. Labels are
 * dense: 0 root, 1 text, 2 comment are always there; each further distinct (kind, uri, local) adds one.
 *
 * Text nodes' characters stand in document order in the text heap, so the string-value of any element or root is one
 * slice. Attributes, comments, PIs and namespace nodes have theirs in the value heap. text_off is relative to the
 * node's heap.
 *
 * A block may hold several trees one after another (result tree fragments turned into node-sets): n_roots roots, each
 * with parent GX_NONE. All offsets in the header are bytes from the block's start, columns are 16-byte aligned.
 */
#ifndef GX_DOC_H
#define GX_DOC_H

#include "base.h"

#define GX_DOC_MAGIC 0x35445847u        /* "GXD5" */

/* Bit 3: attached to an element and on no axis but their own, so that "any node" is one comparison too */
enum {
    GX_KIND_ROOT = 0,
    GX_KIND_ELEM,
    GX_KIND_TEXT,
    GX_KIND_COMMENT,
    GX_KIND_PI,
    GX_KIND_ATTR = 8,
    GX_KIND_NS,
    GX_N_KINDS
};
#define GX_IS_ATTACHED(kind) ((kind) >= GX_KIND_ATTR)
#define GX_IS_KIND(kind) ((kind) <= GX_KIND_PI || (kind) == GX_KIND_ATTR || (kind) == GX_KIND_NS)
#define GX_LABEL(kind, id) ((u32)(kind) << 28 | (u32)(id))
#define GX_LABEL_KIND(label) ((label) >> 28)
#define GX_LABEL_ID(label) ((label) & 0x0fffffffu)
#define GX_LABEL_ROOT GX_LABEL(GX_KIND_ROOT, 0)
#define GX_LABEL_TEXT GX_LABEL(GX_KIND_TEXT, 1)
#define GX_LABEL_COMMENT GX_LABEL(GX_KIND_COMMENT, 2)
#define GX_LABEL_NOTHING 0xffffffffu    /* a name that this document does not have: equals no node's label */

/* header flags */
enum {
    GX_DOC_ASCII = 1,           /* both heaps are pure ASCII: characters are bytes */
    GX_DOC_LINES = 2,           /* the line and column columns are there (stylesheets) */
    GX_DOC_NAMESPACES = 4       /* namespace nodes are there (programs that use the namespace axis) */
};

/* One distinct (kind, expanded name). Strings are slices of the block's string heap (header.strs). */
typedef struct gx_label_info {
    u32 kind;
    u32 uri, uri_len;           /* namespace URI; len 0 = none */
    u32 local, local_len;       /* local part; PI target; prefix of a namespace node ("" = default) */
    u32 prefix, prefix_len;     /* the prefix first seen with this name; nodes that differ are listed in `odd` */
    u32 hash;                   /* gx_name_hash(uri, local) */
} gx_label_info;

/* One list of namespaces in scope; ns column values index ns_lists. List 0 is always the one with only "xml" (not
 * listed). */
typedef struct gx_ns_list { u32 first, n; } gx_ns_list;                         /* range of gx_ns_decl */
/* slices of the string heap; every prefix at most once in a list, an undeclared default is not listed */
typedef struct gx_ns_decl { u32 prefix, prefix_len, uri, uri_len; } gx_ns_decl;
/* an ID attribute's value (string heap) and its element; sorted by hash (gx_text_hash), then node. First in document
 * order wins */
typedef struct gx_doc_id { u32 hash, value, value_len, node; } gx_doc_id;
/* unparsed entity: name, absolute system id */
typedef struct gx_doc_entity { u32 name, name_len, uri, uri_len; } gx_doc_entity;
/* sorted by node: prefix differs from the label's */
typedef struct gx_doc_odd { u32 node, prefix, prefix_len; } gx_doc_odd;
/* sorted by node: elements and PIs from here on are from this file, an external entity or, behind one, what refers to
 * it */
typedef struct gx_doc_base { u32 node, uri, uri_len; } gx_doc_base;

typedef struct gx_doc {
    u32 magic, flags;
    u64 size;                   /* bytes of the whole block */
    u64 seed;                   /* of the hashes of its strings: drawn by chance where it was parsed, never shown
                                   (gx_text_hash) */
    u32 n_nodes, n_labels;
    u32 n_roots, n_ns_lists;
    u32 n_ns_decls, n_ids;
    u32 n_entities, n_odd;
    u32 max_depth, n_bases;
    /* columns of n_nodes */
    u64 label;                  /* u32 */
    u64 parent;                 /* u32, GX_NONE for a root */
    u64 next;                   /* u32 */
    u64 depth;                  /* u16 */
    u64 text_off, text_len;     /* u32 each */
    u64 ns;                     /* u32 index into ns_lists, 0 offset = column absent: every element has list 0 */
    u64 line, column;           /* u32 each, with GX_DOC_LINES; offset 0 = absent */
    /* name index: nodes of label id k in document order are index[index_start[k] .. index_start[k+1]) */
    u64 index_start;            /* u32[n_labels + 1] */
    u64 index;                  /* u32[n_nodes] */
    /* tables */
    u64 labels;                 /* gx_label_info[n_labels] */
    u64 ns_lists, ns_decls;
    u64 ids;
    u64 entities;
    u64 odd;
    u64 bases;                  /* documents with external entities only */
    u64 roots;                  /* u32[n_roots] */
    /* heaps */
    u64 text, text_size;
    u64 values, values_size;
    u64 strs, strs_size;
    u32 base_uri, base_uri_len; /* slice of strs: where the document came from ("" = unknown) */
} gx_doc;

#define GX_DOC_COL(doc, type, name) ((const type *)((const char *)(doc) + (doc)->name))

/* A node's base URI (XSLT 3.2), a slice of strs: of the entity that its element, or processing instruction, is in */
GX_FN void gx_doc_base_of(const gx_doc *d, u32 node, u32 *uri, u32 *uri_len)
{
    const u32 kind = GX_LABEL_KIND(GX_DOC_COL(d, u32, label)[node]);
    u32 lo = 0, hi = d->n_bases;

    *uri = d->base_uri;
    *uri_len = d->base_uri_len;
    if (kind > GX_KIND_ELEM && kind != GX_KIND_PI)
        node = GX_DOC_COL(d, u32, parent)[node];
    while (lo < hi) {                       /* bases[lo - 1].node <= node < bases[hi].node */
        const u32 mid = (lo + hi) / 2;
        if (GX_DOC_COL(d, gx_doc_base, bases)[mid].node <= node)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo) {
        *uri = GX_DOC_COL(d, gx_doc_base, bases)[lo - 1].uri;
        *uri_len = GX_DOC_COL(d, gx_doc_base, bases)[lo - 1].uri_len;
    }
}

/* Bytes join a hash. */
GX_FN u32 gx_name_hash_add(u32 h, const char *s, u32 len)
{
    for (u32 i = 0; i < len; i++)
        h = (h ^ (u8)s[i]) * 16777619u;
    return h;
}

/* The hash of what a namespace's names begin with: the URI, and an end */
GX_FN u32 gx_name_hash_uri(const char *uri, u32 len) { return gx_name_hash_add(2166136261u, uri, len) * 16777619u; }

/* FNV-1a over uri, one 0 byte, local: a document's names are bound by it to a program's (machine/bind.h), which were
 * hashed when nobody knew the document. Who writes the document can make its names collide, so no table of those goes
 * by it. */
GX_FN u32 gx_name_hash(const char *uri, u32 uri_len, const char *local, u32 local_len)
{
    return gx_name_hash_add(gx_name_hash_uri(uri, uri_len), local, local_len);
}

#endif
