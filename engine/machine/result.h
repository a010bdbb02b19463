/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result.h -- what an evaluation leaves in the arena: the frame table
 *
 * There is no result tree. A *group* is a set of frames of one body; each instruction that has a dynamic part left a
 * column of it in one of the group's slots. Serialising starts with row 0 of the root chunk's group and walks depth
 * first: the program's instructions of the group's body in order, literal output as it stands, dynamic parts from the
 * row of the slot's column, child frames through the kid columns.
 *
 * A *chunk* names n frames made together (the kids of one instruction for one rule). Chunks of one template may be
 * merged into one group: row r of a chunk is row chunk.row0 + r of its group.
 *
 * References (all `u32`s called ref) count 4-byte words from the arena's start; 0 = absent. Strings are gx_str.
 */
#ifndef GX_RESULT_H
#define GX_RESULT_H

#include "base.h"

#define GX_RESULT_MAGIC 0x32525847u     /* "GXR2" */
#define GX_REF(base, type, ref) ((type *)((char *)(base) + (u64)(ref) * 4))

/* Column tags: the GX_T_* of program.h (BOOL NUM STR SET RTF NODE), then kids. A slot of type 0 is empty: no output, no
 * kids. */
enum {
    GX_C_KID_ROW = 16,  /* frame i's only kid is row i of chunk a */
    GX_C_KID_OPT,       /* u32 b[n]: row in chunk a, or GX_NONE */
    GX_C_KID_RANGE,     /* u32 b[n + 1]: frame i's kids are rows b[i] .. b[i+1]-1 of chunk a */
    GX_C_KID_LIST,      /* u32 b[n + 1]: frame i's kids are pairs b[i] .. b[i+1]-1 of gx_kid a[] */
    GX_C_KID_PAIR       /* gx_kid a[n]: the only kid, or chunk GX_NONE */
};

/* chunk: ref of a gx_chunk, or one of these, which have no frame:
 *   GX_NONE       nothing
 *   GX_KID_TEXT   the built-in rule for text and attributes: `row` is a node id whose string-value is written as text
 *   GX_KID_COPY   templates that only copy (machine/copies.h): the node `row` is copied with all below it */
typedef struct gx_kid { u32 chunk, row; } gx_kid;
#define GX_KID_TEXT 0xfffffffeu
#define GX_KID_COPY 0xfffffffdu
#define GX_KID_HAS_FRAME(kid) ((kid).chunk < GX_KID_COPY)

/* is_const: one value at index 0 stands for every row.
 *   BOOL a: u8[]       NUM a: double[]     STR a: gx_str[]      NODE a: u32 node id[] or GX_NONE (its string-value; ""
 *                                                               for none)
 *   SET  a: u32 start[] (ref of the first id), b: u32 count[]; ids are u32 in document order. (Where each row has one
 *   node: a NODE) RTF  a: gx_kid[] of frames of the content body, or 0: text only, b has all. b: gx_str[]
 *   string-values, or 0: not computed.
 *        Most variables' rows have the frame of their own number, many the same text, few a message: flags */
typedef struct gx_col { u8 type, is_const, flags, pad; u32 n, a, b; } gx_col;
enum {
    GX_C_OWN_ROWS = 1,  /* RTF: a is a chunk, row i has its frame i */
    GX_C_ONE_TEXT = 2,  /* RTF: b has one gx_str, of all rows */
    GX_C_QUIET = 4      /* RTF: there is no message in the frames, nor in fragments that they copy: nobody need walk
                           them for that */
};

typedef struct gx_group {
    u32 body, n;
    u32 rule;           /* rule whose template this is (apply-imports, messages), GX_NONE */
    u32 parent;         /* ref of the lexical parent group, 0 for templates */
    u32 parent_row;     /* ref u32[n]: row in it; 0 = identity */
    u32 context;        /* ref u32[n]: context node = current node */
    u32 position, size; /* ref u32[n], 0 = not stored because nothing reads it */
    u32 slots;          /* ref gx_col[body.n_slots] */
    u32 vars;           /* ref gx_col[body.n_vars] */
    u32 params;         /* ref of the parameters passed, 0 = none (machine) */
    u32 depth;          /* template instantiation depth */
    u32 caller;         /* ref of the group that made it, for the template stack in messages; 0 at the top */
    u32 made;           /* machine: the group made before this one in the same level */
    u32 len, at;        /* machine: scratch of string-values */
} gx_group;

typedef struct gx_chunk {
    u32 group;          /* ref; 0 while pending */
    u32 row0, n;
    u32 next;           /* machine: pending list */
} gx_chunk;

/* Frames of a function that no instruction refers to, but whose messages are output */
typedef struct gx_said { u32 chunk, n, next, pad; } gx_said;    /* next: ref, in the order of the calls; 0 = the last */

typedef struct gx_result {      /* at the arena's start */
    u32 magic;
    u32 status;         /* gx_status */
    u32 where;          /* gx_where of an error */
    u32 error;          /* gx_run_error (machine/machine.h): which sentence */
    gx_str error_text;  /* its argument */
    u32 error_group;    /* ref: for the template stack */
    u32 root;           /* ref of the root chunk (one frame), 0 = nothing; for a GX_P_XPATH program ref of the gx_col
                           with one row */
    u64 used;           /* bytes of the arena from its start that the result needs */
    u64 steps;
    u32 n_docs;
    u32 said;           /* ref of the first gx_said */
} gx_result;

#endif
