/* SPDX-License-Identifier: Apache-2.0 */
/*
 * each.h -- gpuxslt --each: many documents, one stylesheet
 *
 *   input.c, split.c   what is to be transformed:  files, a list, a tar, records, the parts of one large document
 *         |  each_item, in order
 *   each.c             threads that parse, evaluate and serialise; progress; what failed
 *         |  bytes
 *   output.c           a directory of files, a tar, or records: complete or absent
 *
 * Memory is bounded: at most EACH_AHEAD items and EACH_BYTES bytes are read ahead of what has been written.
 */
#ifndef EACH_H
#define EACH_H

#include <stdio.h>
#include "kit.h"

enum { EACH_AHEAD = 4096, EACH_PLACES = 64, EACH_BYTES = 256 << 20 };

typedef struct each_item {
    u64 number;             /* 1, 2, ... */
    char *name;             /* of the file, entry, part or record: for messages, and the output's name. Malloc'd */
    char *bytes;            /* malloc'd; NULL: the file `name` is to be read */
    size_t n;
    i64 time_ns;            /* when the source was last written; 0: not known */
    char *wrong;            /* why there are no bytes; malloc'd. NULL: nothing is wrong */
} each_item;

typedef enum { EACH_FRAMES_NONE, EACH_FRAMES_NUL, EACH_FRAMES_LENGTH } each_frames;

/* Where items come from. next: 1 and *item, 0 at the end, -1 and *why (a sentence) when reading cannot go on. For one
 * thread. */
typedef struct each_input {
    int (*next)(struct each_input *in, each_item *item, char why[400]);
    void (*close)(struct each_input *in);
    u64 total;              /* items, 0: not known yet; may become known while reading */
    u64 total_bytes, read_bytes;        /* of a file that is read from its beginning to its end; 0: not known */
} each_input;

each_input *each_open_files(const char *const *names, int n);
/* A list of file names, one a line; "-": standard input. NULL and *why. */
each_input *each_open_list(const char *name, char why[400]);
each_input *each_open_tar(const char *name, u64 most, char why[400]);
each_input *each_open_records(each_frames frames, u64 most);
/* Each `element` (a QName as written) of a document that may be larger than memory, as a document of its own, with the
 * namespaces, xml: attributes and internal subset that it was in. */
each_input *each_open_split(const char *name, const char *element, u64 most, char why[400]);
/* An item's bytes came from nowhere: its error instead. */
void each_item_free(each_item *item);

/* Where results go. Any thread. */
typedef struct each_output each_output;
/* A directory (made if it is not there), a file whose name ends with .tar, or "-" for a tar or records on standard
 * output. */
each_output *each_open_output(const char *name, each_frames frames, const char *suffix, char why[400]);
int each_output_is_directory(const each_output *out);
/* Was this item's result written after its source (or the stylesheet: newest_ns) last was? Directories only. */
int each_output_is_done(each_output *out, const each_item *item, i64 newest_ns);
/* Writes a result, or, for an item that failed (bytes == NULL), nothing but an empty record. 0, or -1 and *why; *full:
 * no other can be written either. Streams have results in the order of the items. */
int each_output_put(each_output *out, const each_item *item, const char *bytes, size_t n, char why[400], int *full);
/* Items whose results a stream has, in order. A directory says: all. */
u64 each_output_written(each_output *out);
/* What was begun shall not be: a tar that is a file is removed by each_close_output. */
void each_output_abandon(each_output *out);
int each_close_output(each_output *out, char why[400]);

typedef struct each_options {
    const gx_program *program;
    const gx_limits *limits;
    const gx_param *params;
    int n_params;
    const char *encoding;
    gx_catalog *(*open_catalog)(apr_pool_t *pool);      /* one a thread; NULL: none */
    struct remote *remote;              /* the worker that transforms, with EACH_PLACES seats a job; NULL: the threads
                                           do */
    kit_source source;
    gx_loader loader;                   /* but for the catalog */
    int jobs, again;                    /* again: what is done is done again */
    i64 newest_ns;                      /* of the stylesheet's files */
    const char *report;                 /* a file for what failed; NULL: standard error has it alone */
} each_options;

/* Transforms all of `in` to `out`. 0: all done; 6: some failed, which were named; 11: results could not be written;
 * 130: interrupted. */
int each_run(const each_options *o, each_input *in, each_output *out);

#endif
