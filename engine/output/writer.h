/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.h -- bytes on their way out: a buffer, escaping, character encodings
 *
 * Everything is written into the buffer as UTF-8; a flush hands it to the sink, converted when the encoding is another
 * one. Characters that the encoding lacks become character references in text and attribute values (only there they
 * may). In a name they are an error (XSLT 1.0, 16.1), in comments, processing instructions, scripts and plain text they
 * become '?'. Errors stick in `status`; writing goes on harmlessly after one.
 */
#ifndef GX_WRITER_H
#define GX_WRITER_H

#include <string.h>
#include "gx.h"
#include "escape_where.h"

enum { GX_ENC_UTF8 = 0, GX_ENC_UTF16, GX_ENC_LATIN1, GX_ENC_ASCII, GX_ENC_ICONV };

#define GX_WRITER_SLACK 64u             /* bytes behind `end` that short writes may use without asking */
#ifndef GX_WRITER_SIZE                  /* what is checked has a small one */
#define GX_WRITER_SIZE (64u << 10)
#endif

/* What an encoding that is not built in needs: 2.4 KB, which pages in UTF-8 do not clear */
typedef struct gx_recoding {
    void *cd, *probe, *back;    /* iconv_t: of the output; of one character, and back */
    struct { u32 c; u32 ok; } cache[256];       /* answers of `probe` */
    u8 is_ascii[256];           /* by byte: it is a character of ASCII in this encoding */
} gx_recoding;

typedef struct gx_writer {
    char *at, *end;             /* next free byte; from here on a flush is due */
    char *buf;
    gx_sink sink;               /* NULL: the buffer grows instead */
    void *ctx;
    u64 sunk, limit;            /* UTF-8 bytes flushed; at most */
    u32 flushes;                /* offsets in the buffer remembered under another count are gone */
    gx_status status;
    u8 encoding;
    u8 limited;                 /* 1: characters above ASCII are looked at one by one while escaping */
    u8 bom_due;
    u32 char_max;               /* largest character the built-in encoding has */
    u32 missing;                /* the character of a name that the encoding lacks, with GX_EDYNAMIC in status */
    u32 lost;                   /* the first that became '?'; 0 = none */
    gx_recoding *recoding;      /* of GX_ENC_ICONV; else NULL */
} gx_writer;

typedef struct gx_cdata { u32 open, brackets; } gx_cdata;     /* a section is open; the "]" that stand last in it */

gx_status gx_writer_open(gx_writer *w, gx_sink sink, void *ctx, u64 limit);
void gx_writer_close(gx_writer *w);
/* 1, or 0: no such encoding (UTF-8 stays). */
int gx_writer_encoding(gx_writer *w, const char *name, u32 len);
void gx_writer_flush(gx_writer *w);
void gx_writer_finish(gx_writer *w);            /* the last flush: ends shift states, too */
void gx_writer_put_slow(gx_writer *w, const char *p, size_t n);
/* Writes n bytes escaped for where they stand. Cost: one pass, 16 bytes a step where nothing needs escaping. */
void gx_writer_escape(gx_writer *w, const char *p, size_t n, int where);
/* Writes n bytes as they are, but for characters that the encoding lacks: those are references even so (XSLT 1.0,
 * 16.4). */
void gx_writer_unescaped(gx_writer *w, const char *p, size_t n);
/* Characters of CDATA sections: one is opened where there is something for it, "]]>" is split between two; characters
 * that the encoding lacks, and carriage returns, which would be read as line feeds, stand as references outside.
 * gx_writer_cdata_end closes the one that is open, if any. */
void gx_writer_cdata(gx_writer *w, const char *p, size_t n, gx_cdata *c);
void gx_writer_cdata_end(gx_writer *w, gx_cdata *c);

/* A name, or a part of it. GX_EDYNAMIC when the encoding cannot have it: another name would be another document. */
void gx_writer_name(gx_writer *w, const char *p, size_t n);

static inline void gx_put(gx_writer *w, const char *p, size_t n)
{
    if (n > (size_t)(w->end + GX_WRITER_SLACK - w->at)) {
        gx_writer_put_slow(w, p, n);
        return;
    }
    memcpy(w->at, p, n);
    w->at += n;
}
static inline void gx_putc(gx_writer *w, char c)
{
    if (w->at >= w->end)
        gx_writer_flush(w);
    *w->at++ = c;
}
#define GX_PUTS(w, literal) gx_put(w, literal, sizeof (literal) - 1)

#endif
