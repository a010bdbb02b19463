/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.h -- inside the evaluation on a CPU: the host steps' own state, shared by the files of this room
 *
 * A host step runs in the evaluation's thread while the team waits, so nothing here is shared between threads. Memory:
 * the evaluation's pool, or the arena's kept half from run->host_top up to host_end. What a step takes from the heap or
 * a pool in proportion to its input it counts first (gx_host_take): documents and these bytes together may not be more
 * than limits.arena.
 */
#ifndef GX_HOST_H
#define GX_HOST_H

#define GX_TEAM_SOLO            /* a host step that uses operators is a team of one */
#include <apr_hash.h>
#include "gx.h"
#include "machine/column.h"

typedef struct host {
    gx_evaluation *ev;
    gx_run *run;
    char *base;
    gx_parser *parser;
    apr_hash_t *by_path;                /* document(): absolute path -> root's node + 1 */
    apr_hash_t *by_frame;               /* exsl:node-set(): gx_kid of a fragment -> its tree */
    struct regexps *regexps;            /* compiled patterns; host/regexp.c */
    struct dynamic *dynamic;            /* host/dynamic.c */
    u64 doc_bytes;                      /* of all documents that were added */
    u64 held;                           /* other memory that steps have taken and not given back */
    gx_str now;                         /* date:date-time(), once it was asked for */
    u64 random;                         /* math:random()'s state; 0 = not seeded */
    gx_error error;                     /* of the step that failed */
} host;

/* The steps that a team may ask for, h their context (host/steps.c). */
void gx_host_steps(host *h, gx_host *steps);

/* ---- host/host.c: what steps share ---- */

static inline const char *gx_host_bytes(const host *h, gx_str s)
{
    return gx_space_at(h->run, GX_STR_SPACE(s.at)) + GX_STR_OFF(s.at);
}
/* A row of a STR column. */
static inline gx_str gx_host_row(const gx_v *v, u32 row) { return ((const gx_str *)v->data)[GX_ROW(v, row)]; }
/* The string in pool, NUL-terminated. */
char *gx_host_copy(host *h, apr_pool_t *pool, gx_str s);
/* A copy of n bytes in the arena. GX_EARENA. */
gx_status gx_host_string(host *h, const char *bytes, u64 n, gx_str *out);
/* A solo machine over the part of the arena that a step may take. */
gx_m gx_host_machine(host *h);
/* Lists the document for the caller, who finds it in ev->docs; base: its first node's id. */
void gx_host_list(gx_evaluation *ev, const gx_doc *doc, u32 base);
/* Room for the run's next document in its tables. What they were stays in the pool: operators may be reading there. */
void gx_host_room(gx_run *r, apr_pool_t *pool);
/* The document becomes one of the run's, where it stays as long as the evaluation. GX_ELIMIT, GX_EARENA. */
gx_status gx_host_bind(host *h, const gx_doc *doc);
/* Likewise; the document is freed with it, also when this fails; roots[i]: node of its tree i, for n trees (NULL:
 * not wanted). GX_ELIMIT, GX_EARENA. */
gx_status gx_host_add(host *h, gx_doc *doc, u32 *roots, u32 n);
/* Counts memory beside the arena before it is allocated; GX_ELIMIT: it would be too much. give: it has been freed. */
gx_status gx_host_take(host *h, u64 bytes);
static inline void gx_host_give(host *h, u64 bytes) { h->held -= bytes < h->held ? bytes : h->held; }
/* GX_ETIME when the evaluation's time is up: between the rows of a step, and within long ones. */
gx_status gx_host_look(host *h);

/*
 * Functions, each for n rows of its arguments' columns, types as program.h says. On failure h->error says why.
 * Trees: roots[i] := root of the tree made for row i, all of them one document.
 */
/* host/documents.c; ctx: the host */
gx_status gx_host_document(void *ctx, gx_str uri, gx_str base, u32 from, u32 *node);
/* host/math.c; GX_OK always */
gx_status gx_host_math(host *h, u32 func, const gx_v *args, u32 n, double *out);
gx_status gx_host_now(host *h, u32 n, gx_str *out);                                        /* host/now.c; GX_EARENA */
/* host/strings.c: tokenize, split, replace */
gx_status gx_host_cut(host *h, u32 func, const gx_v *args, u32 n, void *out);
gx_status gx_host_regexp(host *h, u32 func, const gx_v *args, u32 n, void *out);           /* host/regexp.c */
void gx_host_regexp_free(host *h);
/* host/dynamic.c; ctx: the host */
gx_status gx_host_dynamic(void *ctx, gx_dynamic *d);

/* ---- trees of text, one a row (host/strings.c) ---- */

struct gx_tree;
typedef struct gx_host_trees { host *h; struct gx_tree *tree; u64 bytes; u32 nodes, looks; } gx_host_trees;
gx_status gx_host_trees_begin(host *h, gx_host_trees *t);
gx_status gx_host_trees_next(gx_host_trees *t);                 /* the next row's tree */
/* <name>text</name>, in no namespace */
gx_status gx_host_trees_element(gx_host_trees *t, const char *name, const char *text, u64 n);
/* <exsl:kind>, EXSLT's common namespace */
gx_status gx_host_trees_value(gx_host_trees *t, const char *kind, const char *text, u64 n);
/* A failed status is handed on; else the trees become a document. Frees what begin took. */
gx_status gx_host_trees_end(gx_host_trees *t, gx_status status, u32 *roots, u32 n);

#endif
