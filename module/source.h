/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.h -- a response's source: bytes that come bucket by bucket, and the document that they are
 */
#ifndef GXM_SOURCE_H
#define GXM_SOURCE_H

#include "cache.h"
#include "document/buf.h"

struct z_stream_s;

typedef struct gxm_source {
    /* from the filter, before it begins */
    request_rec *r;
    gxm_kit *kit;
    int is_kept;                /* it may be needed again, as it is or parsed anew */
    int wants_sha;              /* gxm_source_sha may be called */
    int is_by_pi;               /* it alone may name a stylesheet; else it goes out as it is, whatever is in it */
    gx_limits limits;
    void (*warning)(void *ctx, const gx_error *what);   /* as gx_parse_options' */
    void *warning_ctx;
    const char *path;           /* the file that it is, "" = none */
    const gx_program *program;  /* whose rules for white space hold; NULL: none */
    gxm_cached *stored;         /* the document of a store that the response stands for (stored.h); NULL: none */
    const struct gxm_selected *selected; /* the same, of which no document is made: nobody calls gxm_source_doc; NULL */
    int may_wait;               /* the page may be made without a parser of ours: what is not too long is collected and,
                                   unless its document is kept, or is to be, not parsed before gxm_source_doc */
    /* for the filter */
    gx_parse_options options;   /* what of the request changes parsing */
    gxm_cached *cached;         /* its document, if that is kept: there is nothing to read then */
    u64 came, in_bytes;         /* bytes: of the response, of XML */
    int names_sheet;            /* gx_parser_names_sheet of what was parsed so far */
    const char *bad_coding;     /* why it cannot be decoded; then a call's status is GX_EXML, and no error is written */
    apr_bucket_brigade *kept;   /* all of it if is_kept, else what the parser has not seen */
    struct z_stream_s *inflate; /* NULL: it is not compressed */
    /* source.c's */
    gx_buf *into;               /* gxm_source_bytes: decoded bytes go here, not to the parser */
    size_t room;                /* of the last bucket made for it */
    int inflated;               /* its end was seen */
    u64 coded_bytes;
    int known;                  /* BY_... */
    int collects;               /* what comes is put aside until the end, or until it is too much */
    int looks;                  /* BY_BYTES_LATER: for names_sheet the parser gets what comes all the same */
    int is_file, file;          /* the response is a whole file, which is open */
    gxm_key key;
    int has_sha;                /* key.sha is known */
    int is_again;               /* BY_BYTES: not for the first time */
    gx_digesting collected;     /* of the bytes as they came */
    gxm_sha sha;                /* gxm_source_sha's, if sha_state says so */
    int sha_state;              /* SHA_... */
    gx_loader *loader;          /* of its external entities; made when it is needed */
    int asked;      /* files of other names may have had a part in its document that gxm_source_sha knows nothing of */
    int includes;   /* its document has files in the place of xi:include */
    int fails_to_include;       /* gxm_source_doc, _again: it was parsed, but what it includes is at fault */
    int waits;                  /* all of it is in kept, and nothing of it was parsed */
} gxm_source;

/* Another heap bucket at bb's end, empty, for n bytes or more: the first one from the connection's free list, the
 * following ones double up to 1 MiB. *size: of the last one, 0 before the first. NULL: no memory. */
apr_bucket *gxm_make_room(apr_bucket_brigade *bb, size_t *size, size_t n);
/* The next bytes of the bucket, as apr_bucket_read. */
apr_status_t gxm_source_read(apr_bucket *e, const char **data, apr_size_t *n);
/* first: the response's first brigade; is_coded: its bytes are gzip or deflate. */
gx_status gxm_source_begin(gxm_source *s, apr_bucket_brigade *first, int is_coded, gx_error *err);
/* The next bucket, of n bytes at data (of a cached document 0: nobody has to read it), which it takes. */
gx_status gxm_source_add(gxm_source *s, apr_bucket *e, const char *data, size_t n, gx_error *err);
/* There is no more. */
gx_status gxm_source_end(gxm_source *s, gx_error *err);
/* After its end, where it waits: the pieces of its bytes, in the request's pool, as long as it waits. 0: it does not,
 * or they cannot be had. */
u32 gxm_source_pieces(gxm_source *s, const gx_queue_piece **pieces);
/* Once after its end: the document, which lives as long as the kit's next one, or as cached. */
gx_status gxm_source_doc(gxm_source *s, gx_doc **doc, gx_error *err);
/* The document of a source that is kept, as another program, which is in its place now, wants it; *doc stays what it is
 * where that wants the same. The one before must still be there. */
gx_status gxm_source_again(gxm_source *s, gx_doc **doc, gx_error *err);
/* Of the bytes that its document was parsed from, files that it includes among them. 0: no memory */
int gxm_source_sha(gxm_source *s, gxm_sha *out);
/* The decoded bytes of a source that is kept and has been parsed; in the request's pool. */
gx_status gxm_source_bytes(gxm_source *s, const char **bytes, size_t *n, gx_error *err);
/* Lets go of what it holds, the kit included. eval_us: as for gxm_kit_give. May be called again. */
void gxm_source_done(gxm_source *s, u64 eval_us);

#endif
