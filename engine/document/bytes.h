/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes.h -- the bytes of a document to its columns, by all members of a team
 *
 *   bytes --context--> marks of every chunk --token--> tags, attributes, strings --tree--> depths, enclosing
 *         elements --names--> scopes, labels --block--> doc.h
 *
 * One source for all teams, as the machine has it: the blocks and the grid of a GPU parse with it, the solo and the
 * threads team are its checked twin. The block is the scanner's (scan.c) to the byte.
 *
 * It accepts nothing that it is not sure of. What it does not know (a document type declaration, an encoding other than
 * UTF-8, tokens of more than GX_BYTES_TOKEN bytes) and what is wrong it refuses with GX_EXML; then the scanner reads
 * the document, and words the error.
 *
 * Every array is sized by a count that was made before it is filled, so a document of any density fits or is refused
 * where it is counted. (Tokens that are read while the document comes have room for an estimate; of more than that
 * none is used, and all are read when they have been counted: bytes_come.h.) All memory is one arena of the caller's;
 * the block stands in it, too.
 *
 * Cost: the bytes are read four times (turns, marks, tokens, text), tokens four times.
 */
#ifndef GX_BYTES_H
#define GX_BYTES_H

#include "bytes_request.h"
#include "doc.h"
#include "machine/team.h"
#include "machine/text.h"

#define GX_BYTES_MOST 0x7ffffff0u       /* bytes of a document: positions are u32, one bit is used */
#define GX_BYTES_TOKEN 65536u           /* bytes of a tag, comment or processing instruction: one member reads it */
#define GX_BYTES_ATTRIBUTES 64u         /* attributes of a tag: they are compared in pairs */
#define GX_BYTES_STRINGS_LEAST 64u      /* of GX_BYTES_STRINGS: as many as a document may need, a power of 2 */
#define GX_BYTES_SCOPES 256u            /* slots of that of declarations */
#define GX_BYTES_NESTING 32u            /* elements with declarations within each other */
#define GX_BYTES_BINDINGS 8192u         /* namespaces in scope, of all scopes together */
#define GX_BYTES_PROBES 64u             /* looks at a table, then the document is refused */

/* A token that ends a text node: a tag, a comment, a processing instruction. CDATA sections are text. */
enum { GX_TOKEN_START, GX_TOKEN_EMPTY, GX_TOKEN_END, GX_TOKEN_COMMENT, GX_TOKEN_PI };
/* declares namespaces; a text node stands before it */
enum { GX_TOKEN_KIND = 7, GX_TOKEN_DECLARES = 8, GX_TOKEN_TEXT = 16 };

/* Minima of 32 entries of a column, of 32 of these, ... (bytes_tree.h) */
typedef struct gx_minima { u32 *level[8]; } gx_minima;

/* numbers of strings: of the attribute (xmlns:p), of the URI */
typedef struct gx_binding_of { u32 name, uri; } gx_binding_of;

/* A distinct name as it is written, or namespace name */
enum { GX_STRING_BAD = 1, GX_STRING_XMLNS = 2, GX_STRING_SPACE = 4, GX_STRING_ID = 8 };
typedef struct gx_bytes_string {
    u32 at, len;                /* in the source */
    u32 off;                    /* in strs */
    u32 prefix_len, flags;
    u64 order;                  /* where it is seen first (bytes_names.h) */
} gx_bytes_string;

/* A distinct expanded name: `string` is the name as it is written first, of which local begins the local part; uri: a
 * string's number */
enum { GX_LABEL_ODD = 1, GX_LABEL_STRIP = 2 };  /* .. and STRING_SPACE, STRING_ID: of a slot */
typedef struct gx_bytes_label { u32 kind, string, uri, prefix_len, local; u64 hash; } gx_bytes_label;
#define GX_ATTR_DECLARES 0x80000000u
/* of attr_size: the value has references, line ends or tabs; what is not ASCII */
#define GX_ATTR_WORK 0x80000000u
#define GX_ATTR_WIDE 0x40000000u

typedef struct gx_bytes {
    gx_team t;
    const gx_bytes_request *r;
    const u8 *s;                /* the request's bytes */
    u32 n, from;                /* their number; the first one behind BOM and XML declaration */
    u64 used;                   /* of the arena */
    gx_status status;           /* the same for all members */

    /* chunks of GX_CHUNK_BYTES */
    u32 n_chunks, n_text;
    gx_chunks chunks;
    u32 wide;                   /* of this member: text or a value that it saw is not ASCII */

    /* tokens */
    u32 n_tokens, root, root_end;       /* the token numbers of the document element's tags */
    u32 *at, *end;              /* '<', and what is behind '>' */
    u32 *text;                  /* bytes of text before it */
    u32 *first_attr;            /* n_tokens + 1 */
    u8 *kind;
    u32 *name, *name_len;       /* where a tag's or target's is, then its slot, but of end tags; its
                                   bytes */
    u32 *depth;                 /* n_tokens + 1: elements open before it; hierarchy of minima behind it */
    gx_minima minima;           /* of depth */
    u32 *parent;                /* token of the start tag that it is in; of an end tag: the one that it ends */
    u32 *node;                  /* n_tokens + 1: nodes before it */
    u32 *value;                 /* n_tokens + 1: bytes of the value heap before it */

    /* attributes */
    u32 n_attrs;
    u32 *attr_name, *attr_len, *attr_value, *attr_size; /* where the name is, then its slot; its bytes; where the value
                                                           is; its bytes as written, and ATTR_ */

    /* names: of slots, and by number (bytes_names.h) */
    u32 n_slots;                        /* of strings, and of labels */
    u64 *strings, *strings_first;       /* place + 1 << 32 | bytes; where it is seen first */
    u32 *string_id, n_strings;          /* of a slot: its number; how many are the document's own */
    gx_bytes_string *string;            /* by number, from GX_STRINGS_OWN */
    u32 *attr_uri;
    u64 *scopes, *scopes_first;         /* token + 1 */
    u32 *scope_of, *outer;              /* of a token: the slot of its scope (NULL: there is one scope); that of the
                                           scope around it */
    u32 *scope_number, n_scopes, n_bindings;
    gx_ns_list *ns_list;                /* by number */
    gx_binding_of *binding;
    u64 *labels, *labels_first;         /* kind << 32 | string's slot << 9 | scope's slot, + 1 */
    u32 *label_of;                      /* of a slot */
    u8 *label_bits;
    gx_bytes_label *label;              /* by number, from 3 */
    u32 n_labels;
    u32 *counts;                        /* of what one member counts for all */

    /* the block */
    u32 *heap;                          /* bytes of the text heap before token m, the text before it included */
    u32 n_nodes, n_ids, n_odd;
    gx_doc *doc;
} gx_bytes;

/* Room for n of a type, 16-byte aligned; all members ask for the same. NULL: b->status is GX_EARENA */
GX_OP void *gx_bytes_room(gx_bytes *b, u64 n, u32 size)
{
    const u64 at = (b->used + 15) & ~15ull;
    if (n > b->r->arena_bytes || at + n * size > b->r->arena_bytes) {
        b->status = GX_EARENA;
        return NULL;
    }
    b->used = at + n * size;
    return b->r->arena + at;
}
/* In a function that returns a status */
#define GX_BYTES_ROOM(b, var, type, n) \
    do { if (((var) = (type *)gx_bytes_room(b, n, sizeof(type))) == NULL) return (b)->status; } while (0)

/* All members, with what each found wrong: GX_OK, or the document is refused. A sync. */
GX_OP gx_status gx_bytes_agree(gx_bytes *b, int wrong)
{
    if (team_any(&b->t, wrong))
        b->status = GX_EXML;
    return b->status;
}
#define GX_BYTES_TRY(call) do { const gx_status status_ = (call); if (status_ != GX_OK) return status_; } while (0)

GX_OP u32 gx_bytes_at(const gx_bytes *b, u32 i) { return i < b->n ? b->s[i] : 0; }
GX_OP int gx_bytes_is_blank(u32 c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
/* Are the bytes at i these? */
GX_OP int gx_bytes_are(const gx_bytes *b, u32 i, const char *what, u32 n)
{
    if (i > b->n || b->n - i < n)
        return 0;
    for (u32 k = 0; k < n; k++)
        if (b->s[i + k] != (u8)what[k])
            return 0;
    return 1;
}

#endif
