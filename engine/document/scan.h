/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.h -- bytes of UTF-8 straight into the parser's columns
 *
 *   bytes --stage 1: where are < & CR ]]>, and are they characters?--> positions --walk--> columns
 *
 * The scanner accepts nothing that it is not sure of. What it does not know (a DOCTYPE, entities with markup) and what
 * is wrong it refuses; then Expat reads the document from its beginning and words the error. Behind a DOCTYPE that
 * Expat has read the scanner goes on.
 *
 * Stage 1 and the walk are one source (scan_walk.h), compiled for each instruction set; gx_scan_begin takes what this
 * processor has.
 */
#ifndef GX_SCAN_H
#define GX_SCAN_H

#include "names.h"

#ifndef GX_SCAN_WINDOW
#define GX_SCAN_WINDOW \
    8192u /* bytes that stage 1 looks at before the walk does: any of 4 to 64 KiB is as good, it must stay in L1 */
#endif
#define GX_SCAN_PAD 256u        /* bytes behind a piece that may be read, whatever they are */
#define GX_SCAN_AHEAD 1024u     /* bytes of a tag behind its window that still go the fast way */
#define GX_SCAN_LIST 64u        /* ids in a piece of a label's list */
#define GX_SCAN_LABELS 4096u    /* labels that have a list: with more of them the name index is made by counting */
#define GX_SCAN_NEVER 0xfffffffdu       /* no scope: a tag of this name is never an everyday one */
#define GX_SCAN_DECLARES 0xfffffffau    /* no scope: an attribute that declares a namespace */
#define GX_SCAN_PREFIXES 31u    /* prefixes that have a number; it is that of all others */
#define GX_SCAN_ROW (GX_SCAN_PREFIXES + 1)      /* the last one is bound to nothing */
#define GX_SCAN_SCOPES 1024u    /* scopes whose prefixes are remembered */
#define GX_SCAN_DECLARED 8u     /* declarations of a tag that still goes the fast way */
#define GX_SCAN_SEEN (64u << 10)        /* bytes at least that tell how many nodes all will have */
#define GX_SCAN_RECALLED 64u    /* answers that are remembered, of names and of declarations: a power of two */

/* What was taken over from the last document, and where (scan_kept.c): if it is so again, nothing need be looked at */
typedef struct gx_scan_taken {
    u32 entry, name, label;     /* so many there were before */
    u32 n, end;                 /* names; and behind the last label */
    u32 scope, n_bindings, n_prefixes, name_limit, n_changes, n_answers, n_scopes;
    u32 masks[3];               /* of the slots: the scanner's, names', labels' */
    gx_binding bindings[GX_SCAN_DECLARED];      /* of the scope */
} gx_scan_taken;

/* What the document's bytes up to its root element's content have made (scan_head.c) */
#define GX_SCAN_HEAD_ARRAYS 10u
typedef struct gx_scan_head {
    gx_buf bytes, made;
    u32 from[GX_SCAN_HEAD_ARRAYS], to[GX_SCAN_HEAD_ARRAYS];     /* bytes of each array before, and behind it */
    u32 n_names, n_labels, n_entries, masks;    /* before */
    u32 n_nodes;                /* behind it */
    gx_limits limits;
    const char *encoding;
    u8 is_declared;             /* the encoding follows from these bytes */
    u8 high;
    u8 is_mine, is_last;        /* this document has begun so; the last one has, and the scanner has read all of it */
    u8 is_kept;                 /* is_last for the next one */
} gx_scan_head;

/* A name that has been seen, as the walk finds it: one cache line. Its first 32 bytes decide, the others answer. */
typedef struct gx_scan_name {
    u64 key[2];                 /* the first 16 bytes, zeros behind a shorter one */
    u32 off;                    /* of the name, in strs */
    /* is_declared: an element of this name has attributes by declaration; prefix: its number, or GX_SCAN_PREFIXES */
    u8 len, is_declared, prefix, none;
    u32 elem_scope, elem_label; /* as in gx_name, but GX_SCAN_NEVER where more must be done: see remember() in scan.c */
    /* attr_label of an attribute that declares: the namespace that was declared last, a name's index */
    u32 attr_scope, attr_label;
    u32 elem_bits;              /* gx_frame.bits */
    u32 seen;                   /* the tag that last had this attribute */
    u32 elem_uri, attr_uri;     /* the namespaces of the two labels: names' indexes */
    u32 hash;
    u32 name;                   /* index in names */
} gx_scan_name;

/* A name whose prefix is bound to this namespace has this label; and one declaration makes this scope of the one
 * outside. The name is an entry's index times 2, and 1 for an attribute; 0: nothing is remembered here. */
typedef struct gx_scan_meaning { u32 name, uri, label, bits; } gx_scan_meaning;
typedef struct gx_scan_scope_of { u32 outer, name, uri, scope; } gx_scan_scope_of;

struct gx_parser;
typedef int gx_scan_run(struct gx_parser *p, const u8 *s, size_t n, size_t *used);

typedef struct gx_scan {
    gx_scan_run *run[3];        /* the walk: GX_SCAN_FAST, ... */
    gx_buf entries;             /* gx_scan_name; the first equals no key */
    u32 kept;                   /* entries of the last document, from the first on: its next ones stand behind n */
    gx_buf slots;               /* u32: entry's index; 0 = free. A power of two of them */
    u32 mask;
    u64 seed[2];
    gx_buf positions;           /* u32: of stage 1 */
    gx_buf scratch;             /* a tag's strings */
    gx_buf pointers;            /* to them */
    gx_buf prefixes;            /* u32: a name that has the prefix with this number */
    /* u32 a scope and prefix: the URI that it is bound to, a name's index; GX_NONE: not looked up yet */
    gx_buf bound;
    gx_binding added[GX_SCAN_DECLARED];     /* the last tag's declarations, the scope outside, the one that they made */
    u32 n_added, added_to, added_scope;
    gx_buf texts;               /* u32: ids of text nodes */
    gx_buf tails, firsts;       /* u32 a label: where in `lists` its next id goes; its first piece */
    gx_buf lists, links;        /* u32: ids, in pieces of GX_SCAN_LIST; the piece behind each piece */
    u8 is_listed;               /* all nodes are in these lists: the name index is a copy of them */
    u8 high;                    /* there may be something else than ASCII in the heaps */
    gx_scan_taken taken;
    u32 next_taken;             /* the label that must be used next */
    u8 may_take, is_taken;      /* is_taken: there are labels that have not been used */
    u8 was_taken, is_as_before; /* by this document; all stands as it has left it */
    u8 may_take_again;          /* is_as_before of the last one */
    gx_buf kept_slots;          /* the last document's, if so: c->slots is another buffer */
    gx_buf rules, new_rules;    /* for white space: what labels were last marked by, and this document's */
    size_t n_rules;             /* bytes of `rules` that say so; SIZE_MAX: nothing does */
    u8 has_same_rules;          /* this document's are the last one's */
    gx_scan_head head;
    u16 max_depth;
    u32 stamp;                  /* of tags with attributes that went the fast way */
    u8 begun, has_root, careful, ascii, final;  /* ascii: nothing else may be there; final: the piece is the last */
    u8 at_doctype;              /* refused for a document type declaration */
    u8 begun_late;              /* behind one, or it was tried */
    gx_buf *closes; /* gx_scan_close: this is a part (parts.c), so end tags of the root element are listed here; or
                       NULL */
    u64 expanded;               /* bytes that declared entities stood for */

    /* the piece that is being read */
    const u8 *s;
    size_t at;                  /* of the token, in s */
    u64 base;                   /* s[0] is this byte of the document */
    size_t counted;             /* line and column are those of s[counted], from 0 */
    u32 line, column;

    /* stage 1 */
    size_t done;                /* bytes of s that it has looked at */
    u64 brackets;               /* bit 0: the byte before the last was ], bit 1: the last */
    u8 cut;                     /* a character goes on behind what it has looked at */

    /* pieces */
    u64 scanned;                /* bytes of the document */
    u64 began, until;           /* of those that are read now; until: 0: it is not known where they end */
    size_t enough;              /* so many new bytes are looked at */

    u8 has_recalled;            /* there are some of these: found by gx_scan_place */
    gx_scan_meaning meanings[GX_SCAN_RECALLED];
    gx_scan_scope_of scopes_of[GX_SCAN_RECALLED];
} gx_scan;

/* An end tag of what was open before a part begins: where its name is and what follows it, bytes of the document; what
 * there is before it */
typedef struct gx_scan_close { u64 name, behind; u32 name_len, n_nodes; u64 text, values; } gx_scan_close;

#define GX_SCAN_NOTE 0xfffffffcu
#define GX_SCAN_SLOWLY 0xfffffffbu      /* no name has this scope: all tags go the slow way */
enum { GX_SCAN_FAST, GX_SCAN_CHECKED, GX_SCAN_CAREFUL };
enum { GX_SCAN_OK = 0, GX_SCAN_INCOMPLETE, GX_SCAN_REFUSED, GX_SCAN_AGAIN };

/* Which instruction set the walk is compiled for: what this processor has, but no more than `most`, of 0 ..
 * GX_SCAN_SETS - 1 (tests compare them) */
#define GX_SCAN_SETS 3u
void gx_scan_choose(gx_scan *c, u32 most);
/* 0, or -1 without memory */
int gx_scan_begin(struct gx_parser *p);
void gx_scan_free(gx_scan *c);
u64 gx_scan_bytes(const gx_scan *c);
/* n more bytes, the last with `final`: GX_SCAN_OK, or GX_SCAN_REFUSED: the document is Expat's, unless p->status says
 * that it is over. All of them are in p->waiting, but for the p->gone first ones; or they are these alone. */
int gx_scan_feed(struct gx_parser *p, const char *bytes, size_t n, int final);
/* The scanner goes on at bytes[at], behind the document type declaration that Expat has read: as gx_scan_feed. bytes:
 * p->waiting, or the document. */
int gx_scan_resume(struct gx_parser *p, const char *bytes, size_t n, int final, u64 at);
/* What parts are made of. A piece that is not the last: *used of its bytes have been read, GX_SCAN_PAD behind it can
 * be; and the document's last bytes */
int gx_scan_piece(struct gx_parser *p, const u8 *s, size_t n, size_t *used);
int gx_scan_rest(struct gx_parser *p, const u8 *s, size_t n);
/* Line and column, from 1, and byte of the token that is being read */
void gx_scan_position(struct gx_parser *p, u32 *line, u32 *column);

/* ---- between the walk and scan.c: tokens that are not everyday ones. s[at] begins one, it ends before s[n]; *to: what
 * is behind it  */

int gx_scan_tag(struct gx_parser *p, const u8 *s, size_t at, size_t n, size_t *to);
int gx_scan_end_tag(struct gx_parser *p, const u8 *s, size_t at, size_t n, size_t *to);
int gx_scan_bang(struct gx_parser *p, const u8 *s, size_t at, size_t n, size_t *to);
int gx_scan_pi(struct gx_parser *p, const u8 *s, size_t at, size_t n, size_t *to);
int gx_scan_entity(struct gx_parser *p, const u8 *s, size_t at, size_t n, size_t *to);
/* A reference: its characters to out, at most 4 bytes; *out_len */
int gx_scan_reference(const u8 *s, size_t at, size_t n, size_t *to, u8 *out, u32 *out_len);
/* A tag's name that is not where its hash says first, and if it was never seen, learns it; NULL: it must go the slow
 * way */
gx_scan_name *gx_scan_find(struct gx_parser *p, const u8 *s, u32 len);
/* The same of an element in the scope, which may be none: labels and their lists may be more afterwards. */
gx_scan_name *gx_scan_find_element(struct gx_parser *p, const u8 *s, u32 len, u32 scope);
/* The nodes from..n get into the lists, and labels that are new get one. 0, or -1 without memory */
int gx_scan_list(struct gx_parser *p, u32 from);
int gx_scan_list_grow(gx_scan *c, u32 label);    /* 1: the label was taken over, and another one should come first */
int gx_scan_lists(gx_scan *c, u32 n_labels);
/* The name index out of the lists */
void gx_scan_index(const struct gx_parser *p, u32 *start, u32 *index);
/* The label's nodes, some at a time: *piece is GX_NONE at first. Returns how many; 0: that was all */
u32 gx_scan_listed(const struct gx_parser *p, u32 label, u32 *piece, const u32 **ids);
/* A tag without declarations of names that are known, but not in this scope: the element id has its attributes up to
 * node `end`; those whose label is none yet have their entry's index instead. 0, or -1: it must go the slow way. */
int gx_scan_resolve(struct gx_parser *p, u32 entry, u32 scope, u32 id, u32 end);
/* The same of one name, where its prefix is bound to a namespace that it has had in another scope. 1: its entry has the
 * label of that one now. 0: it is not known. */
int gx_scan_recall(struct gx_parser *p, gx_scan_name *e, u32 scope, int is_attribute);
/* The scope that n declarations make of `outer`; GX_SCAN_NEVER: the tag must go the slow way. */
u32 gx_scan_declare(struct gx_parser *p, u32 outer, const gx_binding *added, u32 n);
/* Elements from id on have this scope. 0, or -1 without memory */
int gx_scan_note(struct gx_parser *p, u32 id, u32 scope);
/* Room for what a window may add to heaps and columns */
int gx_scan_room(struct gx_parser *p);
/* The n that there are so far will be about so many when all bytes are read, as a sixteenth of these tells, and some
 * more; SIZE_MAX: that is not known yet */
static inline size_t gx_scan_expected(const gx_scan *c, size_t n)
{
    const u64 all = c->until - c->began, read = c->base + c->done - c->began;
    return c->until > c->began && read >= GX_SCAN_SEEN && read >= all / 16 && read <= all
        ? (size_t)((double)n * (double)all / (double)read * 1.02) + GX_SCAN_SEEN / 16
        : SIZE_MAX;
}
/* The scope in which tags go the fast way; GX_SCAN_NOTE: its next element must be noted; GX_SCAN_SLOWLY */
u32 gx_scan_scope(const struct gx_parser *p);

/* ---- names of the last document, taken over all at once (scan_kept.c) ---- */

/* The element's name s is new: if the last document had it here, all that it had from here on. The name's entry, or
 * NULL */
gx_scan_name *gx_scan_take(struct gx_parser *p, const u8 *s, u32 len, u32 scope);
/* What this document has not used of them is none of its names: before anything else makes a name known. */
void gx_scan_leave(struct gx_parser *p);
/* The document has been read. */
void gx_scan_keep(struct gx_parser *p);
/* A document begins: are its rules for white space those of the last one? */
void gx_scan_begin_rules(struct gx_parser *p);
/* The nodes from..to go out of their labels' lists, since what the next one has is out of order; then gx_scan_leave */
void gx_scan_unlist(struct gx_parser *p, u32 from, u32 to);
static inline u32 gx_scan_place(u32 a, u32 b)
{
    return (a * 0x9e3779b1u ^ b * 0x85ebca6bu) >> 16 & (GX_SCAN_RECALLED - 1);
}

/* ---- the last document's first bytes (scan_head.c) ---- */

void gx_scan_head_begin(struct gx_parser *p);
void gx_scan_head_note(struct gx_parser *p, const u8 *s, size_t n);
int gx_scan_head_is(const gx_scan *c, const char *s, size_t n);
int gx_scan_head_take(struct gx_parser *p, const u8 *s, size_t n, size_t *used);

/* ---- the scanner's names ---- */

u64 gx_scan_hash(const gx_scan *c, const u8 *s, u32 len, u64 key[2]);
void gx_scan_put(gx_scan *c, u32 entry);
void gx_scan_set_entry(const struct gx_parser *p, gx_scan_name *e);
u32 gx_scan_prefix(struct gx_parser *p, const gx_name *name);

/* Bytes of a set, found by their low nibble: table[b & 15] == b. 64 bytes, so that any vector can be loaded. */
typedef struct gx_scan_tables {
    u8 name[64], stop[64], dquote[64], squote[64], special[64], line[64], space[64];
    u64 key_mask[17][2];
} gx_scan_tables;
/* hidden: else each load of a table would load its address first */
extern gx_scan_tables gx_scan_table __attribute__((visibility("hidden")));

#endif
