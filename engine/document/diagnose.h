/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diagnose.h -- what is wrong with a document, in words for who wrote it
 */
#ifndef GX_DIAGNOSE_H
#define GX_DIAGNOSE_H

#include <stddef.h>
#include "base.h"

typedef struct gx_diagnosis {
    int code;                   /* XML_ERROR_* of Expat */
    const char *bytes;          /* around the error, as they were parsed; NULL: they are not known */
    size_t n, at;               /* bytes[at] is where the parser stands; n: the end */
    int is_start;               /* bytes[0] is the document's first byte */
    int is_utf8;
    int is_ascii;               /* the document, or Content-Type, says so */
    int is_dtd;                 /* inside the document type declaration */
    int has_root;               /* the document element has begun */
    const char *open;           /* name of the innermost open element, or NULL */
    u32 open_len, open_line;    /* line 0: unknown */
    const char
        *overridden; /* the encoding that the document declares, where the transport's charset won; "" or NULL: none */
    const char *charset;        /* that one */
} gx_diagnosis;

/* How many of a name's n bytes of UTF-8 a sentence has: at most `most`, and no part of a character. */
static inline u32 gx_diagnosis_cut(const char *name, u32 n, u32 most)
{
    if (n <= most)
        return n;
    for (n = most; n && ((u8)name[n] & 0xc0) == 0x80; n--)
        ;
    return n;
}

/* Writes the sentence, ended by NUL and cut to fit. Cost: linear in what of the bytes before the error belongs to the
 * same token. */
void gx_diagnose(const gx_diagnosis *d, char *text, size_t size);

#endif
