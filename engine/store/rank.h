/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank.h -- results in the order of a number: how well each fits
 *
 *   query    //article[gx:contains-word(title, 'secure index')]
 *   rank     gx:score(title, 'secure index')                       evaluated with each result as the context node
 *
 * gx:score() is BM25 (machine/word.h). A word's weight is ln(1 + (N - n + 0.5) / (n + 0.5)) for n of N records that
 * have it, in text or attributes, and the average length is that of a record's string-value: the index's statistics, of
 * all documents of the store, and of removed ones until it is compacted.
 */
#ifndef GXS_RANK_H
#define GXS_RANK_H

#include "store.h"

/* ---- statistics ---- */

typedef struct gxs_statistics {
    const gxs_view *v;
    apr_pool_t *pool;
    gx_error err; /* of the first failure; status GX_OK: there was none */
} gxs_statistics; /* v and pool are the caller's */
/* gx_compile_options.word_statistics, with a gxs_statistics as its ctx. NULL: no index of words, or an error */
const char *gxs_word_statistics(void *statistics, const char *words);

/* ---- ranking ---- */

typedef struct gxs_ranking gxs_ranking;
/* Keeps the `most` best results, 0: all. `rank`: an XPath expression with a result as its context node, greater numbers
 * first, NaN last, others in the order in which they come. options: namespaces, word statistics. GX_ESTYLE, GX_ENOMEM.
 */
gx_status gxs_ranking_create(const char *expression, const char *rank, const gx_compile_options *options, u64 most,
                             apr_pool_t *pool, gxs_ranking **out, gx_error *err);
void gxs_ranking_free(gxs_ranking *r);
/* The results of `program`, the expression, in one block. evaluate: as gxs_question has it */
gx_status gxs_ranking_add(gxs_ranking *r, const gx_program *program, const gx_doc *doc,
                          gx_status (*evaluate)(void *ctx, gx_evaluation *ev, gx_error *err), void *ctx,
                          const gx_serialize_options *serialize, int as_xml, gx_error *err);
/* All that is kept, the best first. GX_ECANCEL: the sink would not */
gx_status gxs_ranking_write(gxs_ranking *r, gx_sink sink, void *ctx);

#endif
