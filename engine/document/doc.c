/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc.c -- documents as blocks: what block.c and tree.c, which make them, have in common
 */
#include <string.h>
#include "gx.h"
#include "doc.h"

typedef u64 two __attribute__((vector_size(16), aligned(1), may_alias));

/* Are all n bytes of s ASCII? Memory's speed, and no more than 1 KiB is read behind the first that is not. */
int gx_is_ascii(const char *s, size_t n)
{
    const u64 tops = 0x8080808080808080ull;
    while (n) {                 /* a part at a time: what is not ASCII comes early, mostly */
        const size_t part = n < 1024 ? n : 1024;
        two all = { 0, 0 };
        size_t i = 0;
        for (; i + 64 <= part; i += 64) {
            const two *at = (const two *)(const void *)(s + i);
            all |= (at[0] | at[1]) | (at[2] | at[3]);
        }
        for (; i < part; i++)
            all[0] |= (u8)s[i];
        if ((all[0] | all[1]) & tops)
            return 0;
        s += part;
        n -= part;
    }
    return 1;
}

/* The name index of a block whose labels are in place: a counting sort of the nodes by label, stable, so each label's
 * nodes are in document order. Two passes over n_nodes. */
void gx_doc_index(gx_doc *d)
{
    const u32 *label = GX_DOC_COL(d, u32, label);
    u32 *start = (u32 *)(void *)((char *)d + d->index_start), *index = (u32 *)(void *)((char *)d + d->index);
    memset(start, 0, (d->n_labels + 1ull) * sizeof *start);
    for (u32 i = 0; i < d->n_nodes; i++)
        start[GX_LABEL_ID(label[i]) + 1]++;
    for (u32 k = 0; k < d->n_labels; k++)
        start[k + 1] += start[k];
    for (u32 i = 0; i < d->n_nodes; i++)        /* start[k] moves to where the label's ids end, which is where the next
                                                   one's begin */
        index[start[GX_LABEL_ID(label[i])]++] = i;
    memmove(start + 1, start, d->n_labels * sizeof *start);
    start[0] = 0;
}
