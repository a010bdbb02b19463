/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns.c -- the parser's columns and heaps grow, each under its limit; text nodes end
 *
 *   node:      0     1     2    ...  n       room      allocated
 *   label   [  #  |  #  |  #  | ... |         |            ]     n nodes are there, room more may come, under
 *   parent  [  #  |  #  |  #  | ... |         |            ]     limits.nodes; memory for `allocated`
 *   ...
 *
 * A node's text is a slice of p->text, an attribute's value one of p->values; both heaps end at 4 GiB.
 * Cost: amortised a copy of each byte, or none where the kernel moves pages (gx_pages_more).
 */
#include <stdlib.h>
#include <string.h>
#include "fail.h"
#include "spaces.h"

/* A column of `had` nodes gets room for n. */
static int grow_column(void *column, size_t size, u32 had, u32 n)
{
    char **at = column, *grown = realloc(*at, size * n);
    if (!grown)
        return -1;
    if (n > had)
        gx_pages_grown(grown, size * had, size * n);
    *at = grown;
    return 0;
}

/* The next size of columns of n nodes */
static u32 more_nodes(u32 n)
{
    const size_t more = gx_pages_more((size_t)n * sizeof(u32)) / sizeof(u32);
    return !n ? 1024 : more > 0xfffffff0u ? 0xfffffff0u : (u32)more;
}

int gx_parser_grow_lines(gx_parser *p, u32 n)
{
    if (n > p->allocated_lines) {
        if (grow_column(&p->line, 4, p->allocated_lines, n) || grow_column(&p->column, 4, p->allocated_lines, n))
            return -1;
        p->allocated_lines = n;
    }
    return 0;
}

/* The columns, which are in the parser's place, get memory of their own for n nodes. */
static int move_out(gx_parser *p, u32 n)
{
    void **const columns[] = { (void **)&p->label,    (void **)&p->parent,   (void **)&p->next,
                               (void **)&p->text_off, (void **)&p->text_len, (void **)&p->depth };
    void *to[6];
    for (int i = 0; i < 6; i++) {
        const size_t size = i < 5 ? sizeof *p->label : sizeof *p->depth;
        to[i] = malloc(size * n);
        if (!to[i]) {
            while (i--)
                free(to[i]);
            return -1;
        }
        gx_pages_ready(to[i], size * n);
        memcpy(to[i], *columns[i], size * p->allocated);
    }
    for (int i = 0; i < 6; i++)
        *columns[i] = to[i];
    p->is_lent = 0;
    p->allocated = n;
    return 0;
}

/* Memory for n nodes at least; room is not changed by it. */
static int allocate(gx_parser *p, u32 n)
{
    const u32 had = p->allocated;
    if (p->is_lent)
        return move_out(p, n);
    if (grow_column(&p->label, 4, had, n) || grow_column(&p->parent, 4, had, n) || grow_column(&p->next, 4, had, n)
        || grow_column(&p->text_off, 4, had, n) || grow_column(&p->text_len, 4, had, n)
        || grow_column(&p->depth, 2, had, n))
        return -1;
    p->allocated = n;
    return 0;
}

int gx_parser_columns(gx_parser *p, u32 more)
{
    if (p->allocated - p->n >= more)
        return 0;
    const u32 least = p->n + more;
    const size_t expected = gx_scan_expected(&p->scan, p->n);
    u32 next = more_nodes(p->allocated);
    next = next < expected ? next : (u32)expected;
    if (least < more || allocate(p, least > next ? least : next) || (p->lines && gx_parser_grow_lines(p, p->allocated)))
        return -1;
    p->room = p->allocated < p->limits.nodes ? p->allocated : p->limits.nodes;
    return 0;
}

/* Room for one node more, and for its line if lines are kept: p->room becomes larger, up to limits.nodes. -1 after
 * failing: the limit, or no memory. Amortised constant. */
int gx_parser_grow(gx_parser *p)
{
    if (p->n >= p->limits.nodes) {
        gx_parser_fail_limit(p, "nodes", p->limits.nodes, "more nodes than");
        return -1;
    }
    u32 n = p->allocated;
    if (p->room == n) {
        n = more_nodes(n);
        if (allocate(p, n)) {
            gx_parser_fail_memory(p);
            return -1;
        }
    }
    if (p->lines && gx_parser_grow_lines(p, n)) {
        gx_parser_fail_memory(p);
        return -1;
    }
    p->room = n < p->limits.nodes ? n : p->limits.nodes;
    return 0;
}

int gx_parser_heap_full(gx_parser *p, gx_buf *heap, size_t more)
{
    if (heap->n + more > GX_MAX_HEAP)
        FAIL(p, GX_ELIMIT, "more than 4 GiB of text, values or names");
    else if (gx_buf_room(heap, more))
        gx_parser_fail_memory(p);
    else
        return 0;
    return -1;
}

/* Ends the collected text node: adds its node, unless it is white space that the element strips, which goes from the
 * heap again. -1 after failing: longer than the limit, or no memory. O(leading white space). */
int gx_parser_end_text(gx_parser *p)
{
    const gx_frame *f = &GX_BUF_AT(&p->frames, gx_frame)[p->sp];
    u32 start = p->text_start, len = (u32)p->text.n - start;
    if (f->strip) {
        const char *s = p->text.at + start;
        u32 i = 0;
        while (i < len && gx_is_space(s[i]))
            i++;
        if (i == len) {
            p->text.n = start;
            return 0;
        }
    }
    if (len > p->limits.text) {
        gx_parser_fail_limit(p, "text", p->limits.text, "a text node longer than");
        return -1;
    }
    p->text_start = (u32)p->text.n;
    u32 id = gx_parser_add_node(p, GX_LABEL_TEXT, f->node, p->sp + 1, start, len);
    if (id == GX_NONE)
        return -1;
    if (p->lines)
        gx_parser_set_position(p, id, p->text_line, p->text_column);
    return 0;
}

static void fit_buf(gx_buf *b)
{
    char *at = b->n && !b->is_lent && b->cap - b->n >= GX_PAGES_LEAST ? realloc(b->at, b->n) : NULL;
    if (!at)
        return;
    b->at = at;
    b->cap = b->n;
}

void gx_parser_fit(gx_parser *p)
{
    fit_buf(&p->text);
    fit_buf(&p->values);
    if (!p->is_lent && (p->allocated - p->n) * sizeof *p->label >= GX_PAGES_LEAST && !allocate(p, p->n))
        p->room = p->allocated < p->limits.nodes ? p->allocated : p->limits.nodes;
}

void gx_parser_free_columns(gx_parser *p)
{
    void **all[] = { (void **)&p->label,    (void **)&p->parent, (void **)&p->next, (void **)&p->text_off,
                     (void **)&p->text_len, (void **)&p->depth,  (void **)&p->line, (void **)&p->column };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!p->is_lent || i >= 6)
            free(*all[i]);
        *all[i] = NULL;
    }
    p->allocated = p->allocated_lines = p->is_lent = 0;
}

void gx_parser_give_back(gx_parser *p, size_t least)
{
    if (p->allocated * sizeof *p->label >= least)
        gx_parser_free_columns(p);
    if (p->text.cap >= least)
        gx_buf_free(&p->text);
    if (p->values.cap >= least)
        gx_buf_free(&p->values);
}
