/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.h -- an XPath expression over stored documents: which parts may matter, and how their answers become one
 *
 * A document of one part is evaluated as any other. Of a split one
 *
 *   a path down                    //article[author = 'x']/title      each part's nodes, one part's behind the other's
 *   how many nodes such a path has count(//article[year > 2000])     the sum
 *   anything else                  (//article)[last()]                the whole document, put together in memory, or
 * refused
 *
 * A path may be answered part by part when no node of its result and no node that a predicate looks at can lie in
 * several parts, and no position is counted among the children of an element that does. Expressions are only sorted out
 * by their syntax: what is not surely such a path is evaluated over the whole document. So the answer is that of the
 * document as it was.
 *
 * The same holds for pieces of a part, with its frames (records.h) in the place of elements that lie in several parts:
 * then only records that the index has found are read.
 *
 * The index leaves out parts, or records, that lack what a predicate asks for: [a = 'x'], [@a = 'x'], [. = 'x'],
 * [gx:contains-word(a, 'x y')], [gx:phrase(a, 'x y')], such a path within a predicate, and these joined by "and". Where
 * it says nothing, parts and chunks are left out that lack a name of the path's steps, or of its predicates' ones.
 */
#ifndef GXS_ASK_H
#define GXS_ASK_H

#include "rank.h"
#include "terms.h"

typedef enum gxs_way { GXS_WHOLE, GXS_EACH } gxs_way;

enum { GXS_NEEDS = 32, GXS_GUARDS = 8 };

/* An attribute's value: no element that lies in several parts may have it, or the answer is that of the whole document.
 * Of a step such as *[@key = 'x'], whose elements are not known by name */
typedef struct gxs_guard {
    u32 name, value_len; /* gx_name_hash */
    const char *value;
} gxs_guard;

typedef struct gxs_plan {
    gxs_way way;     /* of split documents */
    const char *why; /* GXS_WHOLE: the reason, static */
    int is_path;     /* a path, or how many nodes one has: parts without the needs have no node of it */
    int is_count;
    u32 n_needs, n_names, n_guards;
    gxs_guard guards[GXS_GUARDS]; /* of GXS_EACH */
    gxs_need needs[GXS_NEEDS];
    gxs_name names[GXS_NAMES]; /* is_path: of nodes without which it has none */
    const char *locals[GXS_NAMES]; /* their local names */
} gxs_plan;

/* What can be done for an expression that compiles. torn: the local names of elements that lie in several parts, each
 * behind a blank; NULL: of documents of one part only. deepest: none of them is deeper (the document's element is 1
 * deep). GX_ESTYLE with the compiler's sentence. */
gx_status gxs_plan_make(const char *expression, const gx_compile_options *options, const char *torn, u32 deepest,
                        apr_pool_t *pool, gxs_plan *plan, gx_error *err);

typedef struct gxs_question {
    const char *expression;
    const gx_compile_options *options;     /* namespaces */
    const gx_program *program;             /* gx_compile_select of both */
    const gx_serialize_options *serialize; /* NULL: defaults */
    int as_xml, no_index;
    u64 memory; /* that a document put together may take */
    gxs_ranking *ranking; /* NULL, or what takes the results: the sink gets nothing */
    /* evaluates, in an arena of the caller's; ev has program and doc, what else it needs is the callee's to fill in */
    gx_status (*evaluate)(void *ctx, gx_evaluation *ev, gx_error *err);
    void *ctx;
} gxs_question;

typedef struct gxs_counts {
    u64 parts, read, joined, records, nodes;
} gxs_counts; /* of the documents asked: parts, those read (of how many only some records: how many of these); documents
                 put together; nodes of all that was looked at */

/* What is the same for all documents: the plan for those that are not split, and what the index leaves */
typedef struct gxs_asked {
    gxs_plan plan;
    gxs_found found; /* is_path: by the index */
} gxs_asked;
gx_status gxs_ask_begin(const gxs_view *v, const gxs_question *q, apr_pool_t *pool, gxs_asked *asked, gx_error *err);
void gxs_ask_end(gxs_asked *asked);
/* The question's answer from one document of v: its bytes go to sink as they come. Errors: GX_ELIMIT where the whole
 * document is needed and larger than `memory`; those of gxs_part_read, evaluation and serialising. */
gx_status gxs_ask(const gxs_view *v, const gxs_doc *doc, const gxs_question *q, const gxs_asked *asked, gxs_room *room,
                  apr_pool_t *pool, gx_sink sink, void *sink_ctx, gxs_counts *counts, gx_error *err);
/* How a document is answered: *plan for its parts, or that of one that is not split, without a look at the index.
 * Errors: gxs_plan_make's. */
gx_status gxs_ask_way(const gxs_view *v, const gxs_doc *doc, const gxs_question *q, apr_pool_t *pool, gxs_plan *plan,
                      gx_error *err);
/* The whole document as one block, in room->block or `whole`: as gxs_join, within q's memory. */
gx_status gxs_whole(const gxs_view *v, const gxs_doc *doc, u64 memory, const char *why, gxs_room *room, gx_buf *whole,
                    gx_doc **out, gx_error *err);

#endif
