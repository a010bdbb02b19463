/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c -- a document's block for teams (flat.h), from its nodes and their items (classes.h)
 */
#include <stdlib.h>
#include <string.h>
#include "classes.h"
#include "flat.h"

#define TO(tree, type, column) ((type *)(void *)((char *)(tree) + (tree)->column))

static int is_element(const u32 *label, u32 i)
{
    return GX_LABEL_KIND(label[i]) == GX_KIND_ELEM || GX_LABEL_KIND(label[i]) == GX_KIND_ROOT;
}

/* number[node]: the how manieth element it is */
static void count_elements(const gx_doc *d, u32 *number)
{
    const u32 *label = GX_DOC_COL(d, u32, label);
    u32 n = 0;
    for (u32 i = 0; i < d->n_nodes; i++) {
        number[i] = n;
        n += (u32)is_element(label, i);
    }
}

/* Of each element its parent, its name test, its namespace's test and where its items begin. O(nodes + items). */
static void put_elements(const gxp_classes *c, gxp_tree *to, const u32 *number)
{
    const gx_doc *d = c->doc;
    const u32 *label = GX_DOC_COL(d, u32, label), *parent = GX_DOC_COL(d, u32, parent);
    const u32 *head = GX_BUF_AT(&c->head, u32);
    const gxp_bound *bound = GX_BUF_AT(&c->label, gxp_bound);
    const gxp_item *links = GX_BUF_AT(&c->links, gxp_item);
    u16 *item_at = TO(to, u16, item_at), *ns = TO(to, u16, ns);
    u32 *node = TO(to, u32, node), *item = TO(to, u32, item), n = 0;
    for (u32 i = 0; i < d->n_nodes; i++) {
        if (!is_element(label, i))
            continue;
        const u32 k = number[i];
        const int is_root = GX_LABEL_KIND(label[i]) == GX_KIND_ROOT;
        const gxp_bound b = is_root ? (gxp_bound){ GXP_TEST_ROOT, GX_NONE } : bound[GX_LABEL_ID(label[i])];
        node[k] = (is_root ? GXP_NO_NODE : number[parent[i]]) | b.name << 16;
        ns[k] = (u16)b.ns;
        to->has_ns |= b.ns != GX_NONE;
        item_at[k] = (u16)n;
        for (u32 at = head[i]; at != GX_NONE; at = links[at].next)
            item[n++] = links[at].item;
    }
    item_at[to->n] = (u16)n;
}

/* at[k + 1]: how many have the key k; becomes where the first of them goes, a multiple of `unit`. Once all were put,
 * at[k + 1] is where they end. */
static void places(u32 *at, u32 n, u32 unit)
{
    u32 sum = 0;
    for (u32 k = 0; k <= n; k++) {
        const u32 here = at[k];
        sum = (sum + unit - 1) & ~(unit - 1);
        at[k] = sum;
        sum += here;
    }
}

/* For each name test the elements that pass it, in document order, by counting: two passes over the elements. */
static void put_tests(gxp_tree *to, u32 n_tests)
{
    const u32 *node = TO(to, u32, node);
    const u16 *ns = TO(to, u16, ns);
    u32 *at = TO(to, u32, test_at);
    u16 *list = TO(to, u16, test);
    memset(at, 0, (n_tests + 2ull) * sizeof *at);
    for (u32 k = 1; k < to->n; k++) {
        if (node[k] >> 16 != GXP_NO_NODE)
            at[(node[k] >> 16) + 1]++;
        if (ns[k] != GXP_NO_NODE)
            at[ns[k] + 1]++;
    }
    places(at, n_tests, 4);
    for (u32 k = 1; k < to->n; k++) {
        if (node[k] >> 16 != GXP_NO_NODE)
            list[at[(node[k] >> 16) + 1]++] = (u16)k;
        if (ns[k] != GXP_NO_NODE)
            list[at[ns[k] + 1]++] = (u16)k;
    }
}

static void put_groups(gxp_tree *to, u32 n_groups, const u32 *group_of)
{
    const u16 *item_at = TO(to, u16, item_at);
    const u32 *item = TO(to, u32, item);
    u32 *at = TO(to, u32, group_at), *items = TO(to, u32, group_item);
    u16 *nodes = TO(to, u16, group_node);
    memset(at, 0, (n_groups + 2ull) * sizeof *at);
    for (u32 i = 0; i < to->n_items; i++)
        at[group_of[item[i]] + 1]++;
    places(at, n_groups, 1);
    for (u32 k = 0; k < to->n; k++)
        for (u32 i = item_at[k]; i < item_at[k + 1]; i++) {
            const u32 place = at[group_of[item[i]] + 1]++;
            items[place] = item[i];
            nodes[place] = (u16)k;
        }
}

/* Where the columns lie, of so many elements and items; flat: NULL, of a sent tree, which ends behind `ns` */
static gxp_tree layout(u64 n, u64 n_items, const gxp_flat *flat)
{
    gxp_tree head = { .size = sizeof head, .n = (u32)n, .n_items = (u32)n_items };
    head.node = gxp_place(&head.size, n * 4);
    head.item_at = gxp_place(&head.size, n * 2 + 2);
    head.item = gxp_place(&head.size, n_items * 4);
    head.hot_end = head.size;
    head.ns = gxp_place(&head.size, n * 2);
    if (!flat)
        return head;
    head.all = gxp_place(&head.size, n * 2 + 8);
    head.test_at = gxp_place(&head.size, (flat->n_tests + 2ull) * 4);
    head.test = gxp_place(&head.size, n * 4 + flat->n_tests * 6ull + 8);
    head.group_at = gxp_place(&head.size, (flat->n_groups + 2ull) * 4);
    head.group_item = gxp_place(&head.size, n_items * 4);
    head.group_node = gxp_place(&head.size, n_items * 2);
    return head;
}

/* The lists, of what the elements are */
static void put_lists(gxp_tree *to, const gxp_flat *flat)
{
    u16 *all = TO(to, u16, all);
    for (u32 k = 0; k < to->n; k++)
        all[k] = (u16)k;
    put_tests(to, flat->n_tests);
    put_groups(to, flat->n_groups, GXP_COL(flat, u32, group_of));
}

/* A document as a block at out, of `room` bytes. Bytes that it took; more than room: so many are needed; 0: the
 * document is too large for 16-bit numbers, or has several roots. */
u64 gxp_tree_make(const gxp_classes *c, const gxp_flat *flat, char *out, u64 room)
{
    const gx_doc *d = c->doc;
    const u64 n = c->n_elements + 1ull, n_items = GX_BUF_N(&c->links, gxp_item);
    if (n > GXP_FLAT_NODES || n_items > GXP_FLAT_NODES || d->n_roots != 1)
        return 0;
    const gxp_tree head = layout(n, n_items, flat);
    const u64 work = d->n_nodes * sizeof(u32);
    if (head.size + work > room)
        return head.size + work;
    gxp_tree *to = (gxp_tree *)(void *)out;
    u32 *number = (u32 *)(void *)(out + head.size);
    *to = head;
    count_elements(d, number);
    put_elements(c, to, number);
    if (flat)
        put_lists(to, flat);
    return head.size;
}

/* Is every element's parent before it, and what it passes and has known to the set? */
static int is_sound(const gxp_tree *t, const gxp_flat *flat)
{
    const u32 *node = GXP_COL(t, u32, node), *item = GXP_COL(t, u32, item);
    const u16 *item_at = GXP_COL(t, u16, item_at), *ns = GXP_COL(t, u16, ns);
    const u64 n_kinds = (flat->size - flat->group_of) / sizeof(u32);
    u32 wrong = (node[0] & 0xffff) != GXP_NO_NODE || item_at[0] != 0 || item_at[t->n] != t->n_items;
    for (u32 k = 0; k < t->n; k++) {
        const u32 name = node[k] >> 16;
        wrong |= (k && (node[k] & 0xffff) >= k) || (name != GXP_NO_NODE && name >= flat->n_tests)
                 || (ns[k] != GXP_NO_NODE && ns[k] >= flat->n_tests) || item_at[k] > item_at[k + 1];
    }
    for (u32 i = 0; i < t->n_items; i++)
        wrong |= item[i] >= n_kinds;
    return !wrong;
}

/* A block that another process has sent, checked, with the lists that are not sent. GX_EBAD for sizes, numbers or an
 * order that no document gives. */
int gxp_tree_complete(const void *sent, u64 size, const gxp_flat *flat, gxp_tree **out)
{
    gxp_tree head;
    if (size < sizeof head)
        return GX_EBAD;
    memcpy(&head, sent, sizeof head);
    if (!head.n || head.n > GXP_FLAT_NODES || head.n_items > GXP_FLAT_NODES)
        return GX_EBAD;
    const u32 has_ns = head.has_ns != 0;
    if (size != layout(head.n, head.n_items, NULL).size)
        return GX_EBAD;
    head = layout(head.n, head.n_items, flat);
    head.has_ns = has_ns;
    gxp_tree *to = malloc(head.size);
    if (!to)
        return GX_ENOMEM;
    *to = head;
    memcpy((char *)to + sizeof head, (const char *)sent + sizeof head, size - sizeof head);
    if (!is_sound(to, flat)) {
        free(to);
        return GX_EBAD;
    }
    put_lists(to, flat);
    *out = to;
    return GX_OK;
}
