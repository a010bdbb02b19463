/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser.h -- what Expat and the scanner share: the parser's state, its columns, and what an event does to them
 *
 *   bytes --scanner, or Expat--> gx_parser_start, _end, ... --> columns in the parser's arrays --> block (doc.h)
 *
 * Whichever of the two reads a document, names, labels and scopes are made by the same functions in the same order, so
 * the block is the same to the byte. The scanner goes past these functions only where a tag has nothing that was not
 * seen before.
 */
#ifndef GX_PARSER_H
#define GX_PARSER_H

#define XML_DTD /* expat.h declares the amplification settings only so; Debian's Expat is built with it */
#include <expat.h>
#include "dtd.h"
#include "encoding.h"
#include "names.h"
#include "place.h"
#include "scan.h"

#define GX_HEAD_BYTES 1024      /* an encoding declaration must lie within these */
#define GX_MAX_HEAP 0xfffffff0u /* slices are u32 */

typedef struct gx_frame {       /* an open element */
    u32 node, scope;
    u32 name;                   /* in strs: what its end tag must say. Only the scanner fills this and what follows */
    union {
        struct {
            u32 name_len : 29;
            u32 special : 1;    /* its end tag is not an everyday one: see scan.c */
            u32 strip : 1;      /* white-space-only text is dropped: rule of its name, unless xml:space="preserve" */
            u32 preserve : 1;   /* xml:space in force */
        };
        u32 bits;
    };
} gx_frame;

typedef struct gx_scope_change { u32 node, scope; } gx_scope_change;  /* elements from here on have this scope */

typedef struct gx_parts gx_parts;       /* parts.h */

struct gx_parser {
    XML_Parser expat;           /* the one whose event is being handled */
    u64 expat_bytes;            /* that it holds */
    gx_names names;
    gx_parse_options options;
    gx_limits limits;
    gx_error *err;              /* of the call that is running */
    gx_status status;           /* not GX_OK: the document is over */
    u32 external_depth;         /* expat is the parser of an external entity that deep */
    u8 asked;                   /* gx_parser_asked */
    XML_Parser root;            /* the document's own, when expat is an entity's */
    u64 external_bytes;         /* of files */
    /* whole: Expat has all of the document at once */
    u8 begun, whole, doctype, in_doctype, utf8, lines, expat_used, incomplete_entities;
    signed char names_sheet;    /* gx_parser_names_sheet */
    char unread[256];           /* why the last of the DTD's files that could not be read could not, else "" */

    gx_place place;
    u8 is_lent;                 /* the columns but lines are in it */
    /* columns: n nodes of room */
    u32 n, room;
    u32 *label, *parent, *next, *text_off, *text_len, *line, *column;
    u16 *depth;
    u32 allocated;              /* nodes that the arrays have memory for; room is less under a limit */
    u32 allocated_lines;

    gx_buf text, values;
    u32 text_start;
    u32 text_line, text_column;
    gx_buf frames;
    u32 sp;
    gx_buf starts;              /* u64, by depth: the byte at which the open element begins; only where Expat reads.
                                   What is missing is 0 */
    gx_buf scope_changes;
    u32 last_scope;
    u32 element;                /* the name of the last element that began */
    gx_buf attributes;          /* u32: names of the current element's attributes */
    gx_buf declared;            /* gx_binding: its declarations */
    gx_buf ids, odd, bases, entities;   /* as in the block */
    gx_buf entity_refs;         /* u32: names that entities' texts refer to */
    u32 nested_entities;
    u32 n_declared;             /* attributes, of all element types */
    u32 xml_ns_label, xml_ns_value;

    /* encoding */
    char head[GX_HEAD_BYTES];
    u32 n_head;
    u8 decided;                 /* the encoding is known */
    char overridden[GX_ENCODING_BYTES]; /* the encoding that the document declares, where options.charset is another; ""
                                         */
    iconv_t iconv;              /* (iconv_t)-1 = none open */
    char iconv_name[GX_ENCODING_BYTES];
    u8 transcode;
    u8 latin_1;                 /* transcoded, but not by iconv */
    gx_buf waiting;             /* UTF-8 (or Latin-1) that Expat has not been given yet */
    u32 skipped;                /* bytes fed before the first of these: a byte order mark */
    u64 gone;                   /* bytes that stood before these, and that can be had again (options.again) */
    char tail[16];              /* an incomplete character at the end of a piece */
    u32 n_tail;
    u64 n_input, n_parsed;      /* bytes fed, and given to Expat (in UTF-8, or as they came) */

    gx_scan scan;
    gx_parts *parts;            /* what other threads scan; NULL until a document is large enough */
    const int *is_cancelled;    /* a part's: not NULL, and it is no more needed when this is not 0 */
    gx_dtd dtd;
    /* what Expat is given in the place of a document whose names it does not know: edition.h */
    gx_buf spelled;
    u8 is_spelled;              /* it is being given that */
    u8 may_switch;              /* when Expat has read the document type declaration, the scanner goes on */
    u8 is_quiet;                /* what is read once more has been warned of */
    u8 standalone, other_entities;      /* the XML declaration says so; there are parameter entities or an external
                                           subset */
    u64 switch_at;              /* where; 0: not yet */
    i32 id_at;                  /* the scanner's: which of the tag's strings is its ID attribute's name, or -1 */
    u32 n_written;              /* ... how many of them are in the source */
    const char *encoding;       /* what XML_SetEncoding is told; NULL = nothing */
    u8 uses_expat;              /* Expat reads this document: else the scanner does, and Expat has not begun */

    u64 left_us, due_us;        /* of options.timeout_us: before this call; when it ends */
    u32 work;                   /* since the last look at the clock */
};


/* Each ends the document and returns -1 when it fails; p->status says why. */
int gx_parser_grow(gx_parser *p);                                   /* columns: one node more */
/* memory for so many more nodes, whatever the limit; fails silently */
int gx_parser_columns(gx_parser *p, u32 more);
int gx_parser_heap_full(gx_parser *p, gx_buf *heap, size_t more);
int gx_parser_end_text(gx_parser *p);                               /* the text node that was collected */
#define GX_LARGE (8u << 20)    /* bytes of an array that is not kept for the next document: block.c, put_column */
/* arrays of so many bytes and more are freed: the document has been copied */
void gx_parser_give_back(gx_parser *p, size_t least);
int gx_parser_is_late(gx_parser *p, u32 work);                      /* after so much work: is the time up? */
int gx_parser_grow_lines(gx_parser *p, u32 n);                      /* memory for n lines and columns; fails silently */
void gx_parser_free_columns(gx_parser *p);
/* The document has ended, and its large arrays will be freed: what they have not needed is given back first. */
void gx_parser_fit(gx_parser *p);
/* The interned name, checked; what: how a sentence calls it. GX_NONE after failing. */
u32 gx_parser_find_name(gx_parser *p, const char *s, const char *what);

/* A parser's life, without what other threads read for it (parts.c): gx_parser_create, _free, _bytes and _begin of gx.h
 * add that. */
gx_status gx_parser_open(gx_parser **out, gx_error *err);
void gx_parser_close(gx_parser *p);
u64 gx_parser_held(const gx_parser *p);
gx_status gx_parser_ready(gx_parser *p, const gx_parse_options *options, gx_error *err);
/* Empty columns and tables, with the root in them: the document begins. */
gx_status gx_parser_begin_columns(gx_parser *p);

/* Events. Strings end with NUL; a failure is in p->status. */
void gx_parser_start(gx_parser *p, const char *qname, const char **atts);
void gx_parser_end(gx_parser *p);
void gx_parser_comment(gx_parser *p, const char *text);
void gx_parser_pi(gx_parser *p, const char *target, const char *text);

/* GX_NONE after failing. next is right for all but elements. */
static inline u32 gx_parser_add_node(gx_parser *p, u32 label, u32 parent, u32 depth, size_t off, size_t len)
{
    u32 id = p->n;
    if (__builtin_expect(id >= p->room, 0) && gx_parser_grow(p))
        return GX_NONE;
    p->label[id] = label;
    p->parent[id] = parent;
    p->next[id] = id + 1;
    p->depth[id] = (u16)depth;
    p->text_off[id] = (u32)off;
    p->text_len[id] = (u32)len;
    p->n = id + 1;
    return id;
}

static inline void gx_parser_set_position(gx_parser *p, u32 id, u32 line, u32 column)
{
    p->line[id] = line;
    p->column[id] = column;
}

static inline int gx_parser_room(gx_parser *p, gx_buf *heap, size_t more)
{
    return __builtin_expect(heap->cap - heap->n < more, 0) || heap->n + more > GX_MAX_HEAP
        ? gx_parser_heap_full(p, heap, more)
        : 0;
}

#endif
