/*
 * prepared.h -- the serialiser's own code in program.prepared
 *
 * u32 words. `entry[pc]` is the word where the code for the instructions from pc on starts, 0 = none; its first word is the
 * nslist that must be in scope there (GX_NONE = whatever is), then operators up to GX_SO_END or GX_SO_GOTO:
 *
 *   BYTES off len first last   literal output from byte `off` of the blob. first: GX_LAST_BLOCK when a line break belongs before it
 *                              after a block; last: the new `last`. GX_SO_OPENS in last: ends with a start tag; GX_SO_CLOSES in first:
 *                              begins with its end tag. When nothing came between, that is "/>" in xml, and there is no line break.
 *                              Indented xml, in first: GX_SO_CHILD: begins with a start tag, which has white space before it,
 *                              GX_SO_DEEPER: and children, GX_SO_UP: begins with its end tag
 *   TEXT slot                  a value, escaped as text            RAW slot    unescaped
 *   ATTR slot where            a value, escaped as where (GX_ESC_*) says
 *   KIDS pc                    the child frames of instruction pc
 *   GEN pc stop                instructions pc .. stop-1 one by one, as events
 *   GOTO pc                    leave the code: go on one by one at pc
 *   END                        end of the body
 */
#ifndef GX_PREPARED_H
#define GX_PREPARED_H

#include "base.h"

#define GX_PREPARED_MAGIC 0x30505347u

enum { GX_SO_OPENS = 2, GX_SO_CLOSES = 2, GX_SO_CHILD = 4, GX_SO_DEEPER = 8, GX_SO_UP = 16 };
enum { GX_SO_END = 0, GX_SO_BYTES, GX_SO_TEXT, GX_SO_RAW, GX_SO_ATTR, GX_SO_KIDS, GX_SO_GEN, GX_SO_GOTO };

typedef struct gx_prepared {
    u32 magic, size;
    u32 n_instrs, n_bodies, n_qnames;
    u32 method;             /* GX_METHOD_* it was made for */
    u32 ascii;              /* the literal bytes are ASCII: good for every encoding */
    u32 messages;           /* some body has a message */
    u32 entry;              /* word offsets: u32[n_instrs] */
    u32 elem_flags;         /* u32[n_qnames]: GX_E_* of the name as an element's */
    u32 body_flags;         /* u32[n_bodies]: GX_PB_* */
    u32 code;               /* words */
    u32 bytes;              /* byte offset of the literal bytes */
} gx_prepared;

enum { GX_PB_MESSAGE = 1, GX_PB_ATTR = 2 };     /* of a body or the frames below it: has a message; may make attributes at its top */

#endif
