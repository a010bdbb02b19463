/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cut.h -- a document of any size, cut into documents
 *
 *   <!DOCTYPE d [...]><d k="1"> <a>1</a> <a>2</a> | <a>3</a> <a>4</a> | <a>5</a> </d>
 *
 *   part 1   <!DOCTYPE d [...]><d k="1"> <a>1</a> <a>2</a> </d>
 *   part 2   <!DOCTYPE d [...]><d k="1"><a>3</a> <a>4</a> </d>         spine 1: d
 *   part 3   <!DOCTYPE d [...]><d k="1"><a>5</a> </d>                  spine 1: d
 *
 * A part begins at a start tag of an element to split at, with the start tags of all elements that are open there (its
 * spine) as they were written, and ends with their end tags. Each byte of the document is in one part, but for those
 * start tags, the XML declaration and the internal subset. So the parts are well-formed if and only if the document is,
 * and say the same.
 *
 * Where to cut: the next such start tag behind so many bytes, by a look at each "<". That it is no such tag (in
 * a comment, say), or that other elements are open there, shows when the part is parsed: it is not well-formed then, or
 * its spine ends before its end. Only then are all tags of the part looked at. Memory: a part and a piece.
 */
#ifndef GXS_CUT_H
#define GXS_CUT_H

#include "store.h"

typedef struct gxs_cut {
    const char *element; /* a QName as written, or several with | between them */
    size_t part_bytes;   /* a part has so many at least */
    u64 most;            /* and at most, with one element more than there must be */
    /* Up to n bytes: how many; 0 at the end, -1 and errno */
    i64 (*read)(void *ctx, char *to, size_t n);
    /* A part: GX_OK, GX_EXML where it is not well-formed or its spine does not hold; is_guess: another will come in its
     * place then, so nobody is told of it. lines: of the document that stand before its `own`th byte, where what is not
     * repeated begins */
    gx_status (*part)(void *ctx, const char *bytes, size_t n, u32 spine, size_t own, u64 lines, int is_guess,
                      gx_error *err);
    void *ctx;
    const char *file; /* for messages */
    const char
        *torn; /* out: the local names of elements that are in several parts, each behind a blank; as long as pool */
} gxs_cut;

/* Is each element of a part's spine open to its end? A guess must have it so: </g><g> would end one element and begin
 * another one of the same name. */
int gxs_cut_holds(const gx_doc *doc, u32 spine);
/* Cuts the whole document. Errors: those of part; GX_EIO, GX_ENOMEM, GX_ELIMIT; GX_EXML: an encoding without ASCII's
 * bytes. */
gx_status gxs_cut_all(gxs_cut *cut, apr_pool_t *pool, gx_error *err);

#endif
