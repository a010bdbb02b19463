/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h -- a document's names while it is being parsed: strings, labels, namespaces in scope
 *
 *   "dc:title" --gx_names_find--> gx_name --(scope)--> label --> gx_label_info
 *
 * Every distinct string that can name something (qualified names as written, namespace URIs) is interned once; its
 * bytes stand in `strs`, which becomes the block's string heap: prefix and local part are slices of the qualified name.
 *
 * A scope is a list of namespaces (gx_ns_list); elements without declarations share their parent's, equal lists are one
 * list. A name remembers the label it got in the scope it was last seen in, so an element that repeats costs one hash
 * lookup.
 *
 * The tables are hashed with a seed of the parser's own: who writes the document cannot choose names that collide.
 *
 * Documents of one kind have the same names in the same order. So the last document's names and labels stay in their
 * arrays, behind those of this one, and the next of them is only counted again if it is the one that is asked for:
 *
 *   names    | rss | channel | title | link | item |      kept_names = 5: so far each was the one kept there
 *                              ^ n: is "title" asked for? Then it need not be hashed, copied or looked at
 */
#ifndef GX_NAMES_H
#define GX_NAMES_H

#include <string.h>
#include "buf.h"
#include "gx.h"
#include "machine/text.h"

enum {                          /* gx_name.flags */
    GX_NAME_BAD = 1,            /* not a QName: two colons, nothing before or after one, "a:1" */
    GX_NAME_XMLNS = 2,          /* xmlns or xmlns:p */
    GX_NAME_SPACE = 4,          /* xml:space */
    GX_NAME_ID = 8,             /* xml:id */
    GX_NAME_ENTITY = 16,        /* a general entity of this name is declared */
    GX_NAME_WARNED = 32         /* lenient: it was told that this is no name by Namespaces in XML */
};

typedef struct gx_name {
    u64 hash;
    u32 off, len;               /* in strs */
    u32 prefix_len;             /* 0 = no prefix */
    u32 local;                  /* offset of the local part in strs; it ends with the name */
    u32 flags;
    u32 elem_scope, elem_label; /* the scope this name was last resolved in as an element's, and the answer */
    u32 attr_scope, attr_label;
    u8 elem_odd, attr_odd;      /* its prefix is not the one the label was first seen with */
    u32 entity;                 /* the scanner's: number of the general entity of this name, if it is text (dtd.h); 0 */
    u32 seen;                   /* the element that last had an attribute of this name: the scanner's */
    u32 value_at;               /* namespace nodes: where this URI stands in the value heap; GX_NONE */
} gx_name;

typedef struct gx_label_state {
    u64 hash;
    u32 uri;                    /* name index */
    u32 seen;                   /* the element that last had an attribute of this label */
    u8 strip;                   /* elements: white space children are stripped */
} gx_label_state;

typedef struct gx_binding { u32 name, uri; } gx_binding;        /* name indexes: of the attribute (xmlns:p), of the URI
                                                                   */

typedef struct gx_names {
    u64 seed;                   /* of the hashes, and the document's */
    gx_buf strs;
    gx_buf names;               /* gx_name */
    gx_buf labels;              /* gx_label_info */
    gx_buf states;              /* gx_label_state, parallel to labels */
    gx_buf scopes;              /* gx_ns_list: ranges of bindings */
    gx_buf bindings;            /* gx_binding */
    gx_buf name_slots, label_slots, scope_slots;        /* u32: index + 1; 0 = free. A power of two of them */
    u32 name_mask, label_mask, scope_mask;
    gx_buf kept_name_slots, kept_label_slots;           /* the last document's, as gx_names_exchange has left them */
    u32 changes;                /* names and labels that were new or given back */
    u32 n_answers;              /* gx_names_element, gx_names_attribute */
    u32 kept_names, kept_labels;        /* the first so many are the last document's, those behind n too */
    u64 kept_seed;              /* that they were hashed with */
    u32 hashed_uri, uri_hash;   /* the URI (a name index, or GX_NONE) of the last new label, and its hash */
    const gx_program *spaces;
} gx_names;

#define GX_NAMES_EMPTY 0u       /* the name "" (no namespace) */
#define GX_NAMES_XML 1u         /* the URI of the prefix xml */
#define GX_NAMES_XMLNS 2u       /* the URI of xmlns */
#define GX_SCOPE_ANY 0xfffffffeu        /* unprefixed attributes: the same label in every scope */

/* Empties the tables and fills in what is always there. spaces may be NULL. 0, or -1 without memory. */
int gx_names_reset(gx_names *t, const gx_program *spaces);
void gx_names_free(gx_names *t);
u64 gx_names_bytes(const gx_names *t);

/* Bytes of the NCName that n bytes of UTF-8 begin with (Namespaces in XML, 4); 0: they begin with none. */
u32 gx_ncname_length(const char *text, u32 n);
/* Bytes of the character that n bytes of UTF-8 begin with, if a Name may have it (XML 1.0, 2.3), there or, if not
 * `first`, later; else 0. */
u32 gx_name_length(const char *text, u32 n, int first);
/* Are they an NCName, all of them? */
static inline int gx_is_ncname(const char *text, u32 n) { return n && gx_ncname_length(text, n) == n; }

/* Slow halves of gx_names_find. */
u32 gx_names_add(gx_names *t, const char *s, u32 len, u64 hash);
u32 gx_names_add_kept(gx_names *t);

/* The label of a name in a scope, remembered in the name. GX_NAMES_*: */
enum { GX_NAMES_OK = 0, GX_NAMES_NOMEM, GX_NAMES_UNDECLARED };
int gx_names_element(gx_names *t, u32 name, u32 scope);
int gx_names_attribute(gx_names *t, u32 name, u32 scope);
/* The same of a name that Namespaces in XML does not allow there: as it is written, colon and all, in no namespace. */
int gx_names_element_as_written(gx_names *t, u32 name, u32 scope);
int gx_names_attribute_as_written(gx_names *t, u32 name, u32 scope);
/* The label of a name without a namespace, of a processing instruction or namespace node; *label only on
 * GX_NAMES_OK. */
int gx_names_label(gx_names *t, u32 kind, u32 name, u32 *label);
/* The label of a namespace and of what begins with the name's byte `local`; prefix_len: of its prefix, where it is
 * new */
int gx_names_label_of(gx_names *t, u32 kind, u32 uri, u32 name, u32 prefix_len, u32 local, u32 *label);
/* The scope of an element in `parent` with n declarations. Later ones of a prefix win (there are none: attributes are
 * unique). */
int gx_names_scope(gx_names *t, u32 parent, const gx_binding *added, u32 n, u32 *scope);

/* The URI bound to prefix in scope: *uri is GX_NAMES_EMPTY for no prefix without a default. 0 = the prefix is not
 * declared. */
int gx_names_bound(const gx_names *t, u32 scope, const char *prefix, u32 len, u32 *uri);

/* The first n_names and n_labels of the last document, which behind those of this one are its next ones, become this
 * one's all at once; the names' answers are the caller's to set. -1: there are too many. gx_names_leave: this document
 * has only so many of them. */
int gx_names_take(gx_names *t, u32 n_names, u32 n_labels);
void gx_names_leave(gx_names *t, u32 n_names, u32 n_labels);
/* The same where the slots of all of them were put aside by gx_names_exchange, which puts them aside, and get back */
void gx_names_take_back(gx_names *t, u32 n_names, u32 n_labels);
void gx_names_exchange(gx_names *t);
/* Names, labels and scopes from these on, which were appended as bytes, can be found; their tables have room. */
void gx_names_enter(gx_names *t, u32 name, u32 label, u32 scope);

/* Index of the string if it is interned, else GX_NONE; hash: gx_text_hash's. */
static inline u32 gx_names_known(const gx_names *t, const char *s, u32 len, u64 hash)
{
    const u32 *slots = GX_BUF_AT(&t->name_slots, u32);
    const gx_name *names = GX_BUF_AT(&t->names, gx_name);
    for (u32 i = (u32)hash & t->name_mask; slots[i]; i = (i + 1) & t->name_mask) {
        const gx_name *n = &names[slots[i] - 1];
        if (n->hash == hash && n->len == len && memcmp(t->strs.at + n->off, s, len) == 0)
            return slots[i] - 1;
    }
    return GX_NONE;
}

/* The last document's next name, if it is this one; else NULL. This document has not had it before. */
static inline const gx_name *gx_names_kept(const gx_names *t, const char *s, u32 len)
{
    const u32 next = GX_BUF_N(&t->names, gx_name);
    if (next >= t->kept_names)
        return NULL;
    const gx_name *n = &GX_BUF_AT(&t->names, gx_name)[next];
    return n->len == len && n->off == t->strs.n && memcmp(t->strs.at + n->off, s, len) == 0 ? n : NULL;
}

/* Index of the interned string; GX_NONE without memory. */
static inline u32 gx_names_find(gx_names *t, const char *s, u32 len)
{
    if (gx_names_kept(t, s, len))
        return gx_names_add_kept(t);
    const u64 hash = gx_text_hash(t->seed, s, len);
    const u32 name = gx_names_known(t, s, len, hash);
    return name == GX_NONE ? gx_names_add(t, s, len, hash) : name;
}

#endif
