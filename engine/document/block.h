/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.h -- a document's block is put together (block.c)
 */
#ifndef GX_BLOCK_H
#define GX_BLOCK_H

#include "parser.h"

/* The document has been read: *out is its block, from options.alloc or malloc. The parser's large arrays are given
 * back. */
gx_status gx_parser_assemble(gx_parser *p, gx_doc **out);

#endif
