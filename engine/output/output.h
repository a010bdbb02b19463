/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.h -- the result tree as events, made well-formed, to bytes or to a document block
 *
 *   serialize.c (walks the result)  --events-->  output.c (names, namespaces, attributes, methods)  --bytes-->
 *   writer.c
 *                                                                                                \--nodes-->  tree.c
 *
 * A start tag stays open (`open`) until its first child or its end: attributes and namespaces may still come. Only then
 * are namespaces fixed up and the tag written. begin/end pairs nest; what may not stand where it stands (a comment
 * inside an attribute, ...) is ignored together with its content, as XSLT 1.0 allows for recovery. Of an element there
 * the text counts, as libxslt and Saxon have it.
 */
#ifndef GX_OUTPUT_H
#define GX_OUTPUT_H

#include <string.h>
#include "prepared.h"
#include "writer.h"

/* A name to be written. The strings must live until the element's end. */
typedef struct gx_outname {
    const char *prefix, *local, *uri;
    u32 prefix_len, local_len, uri_len;
} gx_outname;

/* The attribute xml:space? */
static inline int gx_is_xml_space(const gx_outname *name)
{
    return name->prefix_len == 3 && !memcmp(name->prefix, "xml", 3) && name->local_len == 5
        && !memcmp(name->local, "space", 5);
}

/* What is special about an element; of html (html.c), or of the stylesheet (CDATA). */
enum {
    GX_E_VOID = 1,              /* html: no end tag */
    GX_E_RAW = 2,               /* html: script and style, whose text is not escaped */
    GX_E_INLINE = 4,            /* html: no line breaks around it */
    GX_E_PRE = 8,               /* html: no line breaks inside */
    GX_E_HEAD = 16,
    GX_E_META = 32,
    GX_E_HTML = 64,             /* in html's way: method html, no namespace or XHTML's */
    GX_E_CDATA = 128,           /* its text stands in CDATA sections */
    GX_E_MIXED = 256,           /* xml: text inside, do not indent */
    GX_E_KIDS = 512,            /* xml: an indented child was written */
    GX_E_FIXED = 1024,          /* no prefix in scope may be given another meaning: prepared bytes inside count on them
                                   */
    GX_E_ANCHOR = 2048,         /* html: a, whose name is written as in URIs */
    GX_E_PAIR = 4096,           /* xml: two tags also when it is empty */
    GX_E_TEXT = 8192,           /* html: browsers take what is inside for text, up to its end tag */
    GX_E_UNKNOWN = 0x8000,      /* not looked up yet */
    GX_A_BOOLEAN = 0x10000,     /* of the name as an attribute's in html: its value is its name or nothing */
    GX_A_URI = 0x20000          /* likewise: its value is escaped as in URIs */
};
#define GX_E_INHERITED (GX_E_PRE | GX_E_MIXED | GX_E_TEXT)
#define GX_E_DYNAMIC (GX_E_RAW | GX_E_CDATA | GX_E_PRE | GX_E_TEXT)     /* prepared bytes cannot stand inside */

typedef struct gx_outelem {
    const char *prefix, *local;
    u32 prefix_len, local_len, n_bound, ctx, flags, pad;
} gx_outelem;
typedef struct gx_bound { const char *prefix, *uri; u32 prefix_len, uri_len, hash, next, outer, hidden; } gx_bound;
/* Where chains begin, by hash: index + 1 of the entry added last, whose `next` is the one before. mask 0: not in use,
 * as long as there are few */
typedef struct gx_heads { u32 *at, cap, mask; } gx_heads;
/* Prefixes with what they mean, a stack. outer: index + 1 of an earlier one with the same prefix, which is hidden
 * then. */
typedef struct gx_prefixes { gx_bound *at; u32 n, cap; gx_heads heads; } gx_prefixes;
/* kind: GX_A_*, or GX_E_UNKNOWN */
typedef struct gx_outattr { gx_outname name; u32 kind, at, len, hash, next; } gx_outattr;

enum { GX_CAP_NONE = 0, GX_CAP_ATTR, GX_CAP_SKIP, GX_CAP_COMMENT, GX_CAP_PI };

struct gx_tree;
typedef struct gx_out {
    gx_writer w;
    struct gx_tree *tree;       /* the nodes go here, not to w */
    const gx_program *program;
    const gx_output *spec;      /* xsl:output; NULL: a fragment (messages, selections) */
    const char *const *strings; /* spec's strings are indexes of these, not the program's literals; NULL: they are those
                                   */
    const gx_outname *cdata_names;      /* likewise its n_cdata names */
    gx_status status;           /* sticky, with w.status */
    const char *limit;          /* which limit GX_ELIMIT in status is about */
    u8 method;                  /* UNSET until the first element or text decides */
    u8 indent;                  /* xml: by depth; html: line breaks between blocks */
    u8 doctype_done;
    u8 xhtml;                   /* the document type is XHTML: elements without a namespace are meant to be its */
    u8 as_html;                 /* browsers read it as HTML: by its method, document type or media type */
    u8 open, cap, last;
    u8 sealed;                  /* a fragment is being copied into the open element: attributes at its root are no
                                   element's (7.1.3) */
    u8 prepared_method;         /* the method that the prepared bytes were made for; UNSET: they cannot be used */
    u8 prepared_ok;             /* it is the output's */
    u8 plain_ready;             /* prepared_ok and the first element was written */
    u8 late;                    /* an attribute was ignored: it came after children, or in no element; who tells of it
                                   clears this */
    gx_cdata cdata;
    u32 ignore;                 /* begins whose ends are still to come and that are ignored */
    u32 flat, flat_base;        /* flat > 0: only text counts (method text: flat_base 1; string-value of a fragment) */
    u32 flags;                  /* of the innermost element */
    u32 attr_limit;
    u64 work;                   /* steps that wrote nothing so far */
    u64 tag_end;                /* bytes written when prepared bytes ended with a start tag: if no more come the element
                                   is empty */
    u64 seed;                   /* of the hashes: the source document's */
    /* open elements */
    gx_outelem *elems; u32 n_elems, cap_elems;
    gx_prefixes bound;          /* declarations in scope, innermost last */
    u32 ctx, next_ctx;          /* number of the set of declarations in scope: 0 = none */
    /* the open start tag */
    gx_outname name;
    gx_prefixes needs;
    gx_outattr *attrs; u32 n_attrs, cap_attrs;
    gx_heads heads;             /* of attrs */
    gx_outattr pending;         /* the attribute (comment, PI) being captured */
    char *vals; u32 n_vals, cap_vals;
    /* nodes before the method is decided: u32 kind, length of the name, length of the text; then both */
    char *prelude; u32 n_prelude, cap_prelude;
    /* xml indenting: where white space was put for elements that may still turn out mixed */
    struct gx_mark { u32 at, len, depth; } *marks; u32 n_marks, cap_marks, marks_flushes;
    char **gen; u32 n_generated; /* "ns0", "ns1", ...: never move */
    u32 *list_ctx;              /* per nslist: 1 + a ctx in which all of it is declared */
    const char *encoding; u32 encoding_len;
    gx_media *media_out;
} gx_out;

gx_status gx_out_open(gx_out *o, const gx_program *program, gx_sink sink, void *ctx, u64 limit);
void gx_out_close(gx_out *o);
/* The result is written as spec says; without this call it is a fragment in the manner of xml. */
void gx_out_begin(gx_out *o, const gx_output *spec);
/* xsl:output's media type, of n bytes; without one (n 0) that of the method */
const char *gx_out_media_type(const char *given, u32 n, u32 method);
void gx_out_text_only(gx_out *o);       /* instead of it: only text counts, and it is written as it is */
void gx_out_finish(gx_out *o);          /* decides what is undecided, writes the rest */

void gx_out_start(gx_out *o, const gx_outname *name, u32 flags);
/* to have in scope of the open tag */
void gx_out_ns(gx_out *o, const char *prefix, u32 prefix_len, const char *uri, u32 uri_len);
void gx_out_nslist(gx_out *o, u32 list);                /* a literal element's, all at once */
/* Does the prefix mean that around the open tag? */
int gx_out_is_bound(gx_out *o, const char *prefix, u32 prefix_len, const char *uri, u32 uri_len);
int gx_out_has_default(gx_out *o);                      /* is a default namespace in scope? */
void gx_out_end(gx_out *o);
void gx_out_attr_begin(gx_out *o, const gx_outname *name, u32 kind);    /* kind: as gx_outattr's */
void gx_out_attr_end(gx_out *o);
void gx_out_attr(gx_out *o, const gx_outname *name, const char *value, u32 len);
/* An attribute's value where its tag is bytes: collected from events as between gx_out_attr_begin() and _end(), then
 * written behind its name, escaped as `where` (GX_ESC_*) says. boolean: the name if html has it boolean, else NULL. */
void gx_out_value_begin(gx_out *o);
void gx_out_value_end(gx_out *o, int where, const gx_qname *boolean);
void gx_out_comment_begin(gx_out *o);
void gx_out_comment_end(gx_out *o);
void gx_out_pi_begin(gx_out *o, const char *target, u32 len);
void gx_out_pi_end(gx_out *o);
void gx_out_text(gx_out *o, const char *p, u32 n, int raw);
void gx_out_close_tag(gx_out *o);                       /* the open start tag gets no more attributes */
void gx_out_document(gx_out *o);                        /* tree: the next root */
/* Indented xml by others than events: white space before a child of the innermost open element, or (closing) before its
 * end tag. An element whose tags the caller writes is opened; it has that attribute; its end tag is next, with white
 * space before it if there were children. */
void gx_out_indent(gx_out *o, int closing);
void gx_out_deeper(gx_out *o);
void gx_out_xml_space(gx_out *o, const char *value, u32 len);
void gx_out_up(gx_out *o);

#define gx_out_failed(o) ((o)->status != GX_OK || (o)->w.status != GX_OK)

/* May prepared bytes be written now (the open start tag closed first)? And are all of nslist's namespaces in scope? */
static inline int gx_out_plain(const gx_out *o)
{
    return o->plain_ready && !(o->ignore | o->cap | (o->flat ^ o->flat_base) | (o->flags & GX_E_DYNAMIC));
}
int gx_out_covers(gx_out *o, u32 list);
static inline int gx_out_has_list(gx_out *o, u32 list)          /* the same: what is remembered is asked first */
{
    return (!o->open && o->list_ctx && o->list_ctx[list] == o->ctx + 1) || gx_out_covers(o, list);
}

/* ---- html.c ---- */
/* GX_E_*; xhtml as in gx_out */
u32 gx_html_element(u8 method, int xhtml, const char *uri, u32 uri_len, const char *name, u32 len);
int gx_html_is_xhtml(const gx_program *p, const gx_output *spec);
int gx_html_is_xhtml_id(const char *public_id, size_t n);
int gx_html_boolean(const char *name, u32 len);         /* attribute whose value is its name or nothing */
int gx_html_uri(u32 element, const char *name, u32 len);        /* attribute whose value is escaped as in URIs; element:
                                                                   its GX_E_* */
int gx_ascii_equal(const char *a, u32 a_len, const char *b);   /* ignoring ASCII case; b is lower-case, 0-terminated */

/* ---- tree.c ---- */
typedef struct gx_tree gx_tree;
/* Of at most as many bytes as the evaluation's arena may have, GX_ELIMIT; and by its deadline, GX_ETIME. next: the
 * program that the document is for, whose rules for white space hold; NULL: ev's, for which it is as it was made */
gx_status gx_tree_create(gx_tree **out, const gx_evaluation *ev, const gx_program *next);
void gx_tree_free(gx_tree *t);
gx_status gx_tree_root(gx_tree *t);                     /* closes the previous tree, starts the next */
gx_status gx_tree_start(gx_tree *t, const gx_outname *name, const gx_bound *in_scope, u32 n, int same_as_parent);
gx_status gx_tree_attr(gx_tree *t, const gx_outname *name, const char *value, u32 len);
/* text is merged */
gx_status gx_tree_leaf(gx_tree *t, u32 kind, const char *name, u32 name_len, const char *p, u32 n);
void gx_tree_end(gx_tree *t);
gx_status gx_tree_finish(gx_tree *t, gx_doc **doc);

#endif
