/* SPDX-License-Identifier: Apache-2.0 */
/*
 * records.c -- finding a part's frames and records (records.h)
 *
 * Cost: a look at each element to split at and each record. Records are stepped over by `next`.
 */
#include <stdlib.h>
#include <string.h>
#include "records.h"

enum { LIST_NODES = 1024, LIST_CHILDREN = 16 }; /* such an element takes several chunks of 4 KB (pack.h) */

static int push(gx_buf *to, u32 x)
{
    u32 *at = gx_buf_push(to, sizeof *at);
    if (at)
        *at = x;
    return at != NULL;
}

/* Is one of `names`, as written, with | between them, the label's name? */
static int is_named(const gx_doc *d, const gx_label_info *l, const char *names)
{
    const char *strs = GX_DOC_COL(d, char, strs);
    if (l->kind != GX_KIND_ELEM)
        return 0;
    for (; *names; names += strspn(names, "|")) {
        const size_t n = strcspn(names, "|");
        const char *colon = memchr(names, ':', n), *local = colon ? colon + 1 : names;
        names += n;
        if ((size_t)(names - local) == l->local_len && !memcmp(strs + l->local, local, l->local_len))
            return 1;
    }
    return 0;
}

static int by_node(const void *a, const void *b)
{
    const u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return x < y ? -1 : x > y;
}

/* All elements of these names in document order, in `to`. A prefix is not looked at: one frame too many does no
 * harm. */
static int find_named(const gx_doc *d, const char *name, gx_buf *to)
{
    const gx_label_info *info = GX_DOC_COL(d, gx_label_info, labels);
    const u32 *start = GX_DOC_COL(d, u32, index_start), *index = GX_DOC_COL(d, u32, index);
    u32 n_labels = 0;
    to->n = 0;
    for (u32 k = 0; k < d->n_labels; k++) {
        if (!is_named(d, &info[k], name))
            continue;
        const size_t bytes = (start[k + 1] - start[k]) * sizeof *index;
        void *more = gx_buf_push(to, bytes);
        if (!more)
            return 0;
        memcpy(more, index + start[k], bytes);
        n_labels++;
    }
    if (n_labels > 1)
        qsort(to->at, GX_BUF_N(to, u32), sizeof(u32), by_node);
    return 1;
}

/* The document's element and the spine, which hold each other: nodes that follow attributes only */
static int find_spine(gx_buf *frames, const gx_doc *d, u32 spine)
{
    const u32 *label = GX_DOC_COL(d, u32, label);
    const u32 *next = GX_DOC_COL(d, u32, next);
    u32 found = 0;
    for (u32 i = 1; i < d->n_nodes && found < (spine ? spine : 1);) {
        const u32 kind = GX_LABEL_KIND(label[i]);
        if (kind == GX_KIND_ELEM && !push(frames, i))
            return 0;
        found += kind == GX_KIND_ELEM;
        i = kind == GX_KIND_ELEM ? i + 1 : next[i];
    }
    return 1;
}

/* What the elements `named` lie in, and is no frame yet. stack: the frames that are open at the element, each in the
 * one before. */
static int find_ancestors(gx_buf *frames, const gx_doc *d, const gx_buf *named, gx_buf *stack)
{
    const u32 *parent = GX_DOC_COL(d, u32, parent), *next = GX_DOC_COL(d, u32, next), *s = GX_BUF_AT(named, u32);
    void *open = gx_buf_push(stack, frames->n + 1);
    if (!open)
        return 0;
    memcpy(open, frames->at, frames->n);
    stack->n = frames->n;
    for (u32 i = 0, end = 0; i < GX_BUF_N(named, u32); i++) {
        u32 depth = GX_BUF_N(stack, u32), up = 0;
        if (s[i] < end) /* within another one */
            continue;
        end = next[s[i]];
        while (depth && next[GX_BUF_AT(stack, u32)[depth - 1]] <= s[i])
            depth--;
        stack->n = depth * sizeof(u32);
        const u32 top = depth ? GX_BUF_AT(stack, u32)[depth - 1] : 0;
        for (u32 p = parent[s[i]]; p != GX_NONE && p > top; p = parent[p], up++)
            if (!push(stack, p))
                return 0;
        for (u32 k = 0; k < up / 2; k++) { /* the outermost first */
            u32 *a = GX_BUF_AT(stack, u32) + depth + k, *b = GX_BUF_AT(stack, u32) + depth + up - 1 - k, other = *a;
            *a = *b;
            *b = other;
        }
        for (u32 k = 0; k < up; k++)
            if (!push(frames, GX_BUF_AT(stack, u32)[depth + k]))
                return 0;
    }
    return 1;
}

/* Is element i, a child of a frame, a list, whose children are records? Its name may not be met again, or queries for
 * elements of that name could not be answered by records. */
static int is_list(const gx_doc *d, u32 i, const char *split)
{
    const u32 *label = GX_DOC_COL(d, u32, label), *next = GX_DOC_COL(d, u32, next),
              *start = GX_DOC_COL(d, u32, index_start), id = GX_LABEL_ID(label[i]);
    const gx_label_info *info = GX_DOC_COL(d, gx_label_info, labels);
    u32 children = 0;
    if (next[i] - i < LIST_NODES || start[id + 1] - start[id] > 1 || (split && *split && is_named(d, &info[id], split)))
        return 0;
    for (u32 k = i + 1; k < next[i] && children < LIST_CHILDREN; k = next[k])
        children += GX_LABEL_KIND(label[k]) == GX_KIND_ELEM;
    return children >= LIST_CHILDREN;
}

/* Where records begin, ids into r->first, which ascend: the first at the root, and each element that is no frame.
 * Frames are elements around records, those that r->frames has or that look like a list; what stands between records
 * belongs to the one before. One pass from frame to record, over records at once. 0: no memory. */
static int find_records(gxs_records *r, const gx_doc *d, const char *split)
{
    const u32 *label = GX_DOC_COL(d, u32, label), *next = GX_DOC_COL(d, u32, next);
    const u32 n_frames = GX_BUF_N(&r->frames, u32);
    u32 frame = 0;
    int begun = 0;
    if (!push(&r->first, 0))
        return 0;
    for (u32 i = 1; i < d->n_nodes;) {
        if (GX_LABEL_KIND(label[i]) != GX_KIND_ELEM) {
            i++;
            continue;
        }
        if (frame < n_frames && GX_BUF_AT(&r->frames, u32)[frame] == i) {
            frame++;
            i++;
            continue;
        }
        if (is_list(d, i, split)) {
            if (!push(&r->frames, i))
                return 0;
            i++;
            continue;
        }
        if (begun && !push(&r->first, i))
            return 0;
        begun = 1;
        i = next[i];
    }
    return 1;
}

int gxs_records_find(gxs_records *r, const gx_doc *doc, u32 spine, const char *split)
{
    gx_buf named = { 0 }, stack = { 0 };
    r->first.n = r->frames.n = 0;
    if (doc->n_roots != 1) /* of no parser: one record */
        return push(&r->first, 0);
    const int ok = find_spine(&r->frames, doc, spine)
                   && (!split || !*split
                       || (find_named(doc, split, &named) && find_ancestors(&r->frames, doc, &named, &stack)))
                   && find_records(r, doc, split);
    gx_buf_free(&named);
    gx_buf_free(&stack);
    return ok;
}

void gxs_records_free(gxs_records *r)
{
    gx_buf_free(&r->first);
    gx_buf_free(&r->frames);
}
