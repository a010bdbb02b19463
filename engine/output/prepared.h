/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prepared.h -- the serialiser's own code in program.prepared
 *
 * u32 words. `entry[pc]` is the word where the code for the instructions from pc on starts, 0 = none; its first word is
 * the nslist that must be in scope there (GX_NONE = whatever is), then operators up to GX_SO_END or GX_SO_GOTO:
 *
 *   BYTES off len first last   literal output from byte `off` of the blob. first: GX_LAST_BLOCK when a line break
 *                              belongs before it
 *                              after a block; last: the new `last`. GX_SO_OPENS in last: ends with a start tag;
 *                              GX_SO_CLOSES in first: begins with its end tag. When nothing came between, that is "/>"
 *                              in xml, and there is no line break. Indented xml, in first: GX_SO_CHILD: begins with a
 *                              start tag, which has white space before it, GX_SO_DEEPER: and children, GX_SO_UP: begins
 *                              with its end tag
 *   TEXT slot                  a value, escaped as text            RAW slot    unescaped
 *   ATTR slot where            a value, escaped as where (GX_ESC_*) says
 *   KIDS pc                    the child frames of instruction pc
 *   GEN pc stop                instructions pc .. stop-1 one by one, as events
 *   VALUE pc stop              likewise, as the value of an attribute whose name was written: their text is collected
 *   VALUE_END where qname      it is complete: written, escaped as where says; qname: its name, if html has it
 *                              boolean, else GX_NONE
 *   ATTR_KIDS pc where         the child frames of instruction pc, within an attribute's value
 *   COPIES slot                xsl:copy-of: the column's nodes, fragment or value
 *
 * The last two are of pages only: that is other code for the same bodies, which a team runs for all frames at once
 * (page_team.h). It has nothing left to events but what the team refuses (GEN, GOTO), and knows the document element:
 * of each body there is code for where that has begun, and for where it has not.
 *
 *   GOTO pc                    leave the code: go on one by one at pc
 *   END                        end of the body
 */
#ifndef GX_PREPARED_H
#define GX_PREPARED_H

#include "base.h"

/* In an entry: the code begins with an element, and no tag in it stays open for attributes or namespaces of events,
 * of which code drops those that take a prefix. So the tag around it may be closed first, and the code be entered where
 * what that tag declares would keep it out. */
#define GX_ENTRY_CLOSES 0x80000000u
#define GX_PREPARED_MAGIC 0x31505347u
#define GX_PREPARED_SLACK 64u   /* bytes behind the literal ones that may be read: short pieces are a few moves */

/* html, indent: the last thing written was a block's start or end tag */
enum { GX_LAST_OTHER = 0, GX_LAST_BLOCK = 1 };
enum { GX_SO_OPENS = 2, GX_SO_CLOSES = 2, GX_SO_CHILD = 4, GX_SO_DEEPER = 8, GX_SO_UP = 16 };
enum { GX_SO_END = 0, GX_SO_BYTES, GX_SO_TEXT, GX_SO_RAW, GX_SO_ATTR, GX_SO_KIDS, GX_SO_GEN, GX_SO_GOTO,
       GX_SO_ATTR_KIDS, GX_SO_COPIES, GX_SO_VALUE, GX_SO_VALUE_END };

typedef struct gx_prepared {
    u32 magic, size;
    u32 n_instrs, n_bodies, n_qnames;
    u32 method;             /* GX_METHOD_* it was made for */
    u32 ascii;              /* the literal bytes are ASCII: good for every encoding */
    u32 messages;           /* some body has a message */
    u32 entry;              /* word offsets: u32[n_instrs] */
    u32 elem_flags;         /* u32[n_qnames]: GX_E_* of the name as an element's, GX_A_* as an attribute's */
    u32 body_flags;         /* u32[n_bodies]: GX_PB_* */
    u32 code;               /* words */
    u32 bytes;              /* byte offset of the literal bytes, which are the block's last, but for the slack */
    u32 page; /* u32[2 * n_bodies]: words where a body's code for pages begins, inside the document element
                 and before it, as `entry`; 0 = none */
    u32 page_flags;         /* GX_PP_* */
    u32 head, head_len;     /* of the literal bytes: what stands before a document element that is copied */
} gx_prepared;

enum {
    GX_PP_PAGE = 1,         /* there is code for pages */
    GX_PP_COPY = 2,         /* elements of documents may be copied into them */
    GX_PP_LINE = 4,         /* a page ends with a line break */
    GX_PP_BY_NAME = 8       /* the method goes by the document element's name */
};

/* of a body or the frames below it: has a message; may make attributes at its top; may copy some there */
enum { GX_PB_MESSAGE = 1, GX_PB_ATTR = 2, GX_PB_COPY = 4 };

#endif
