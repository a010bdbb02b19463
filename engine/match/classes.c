/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classes.c -- from a document to its classes (classes.h)
 */
#include <string.h>
#include "classes.h"
#include "machine/number.h"
#include "machine/text.h"

/* ---- names ---- */

/* The name test that a label of the document passes, or GX_NONE: by the label's hash, which its block has. */
static u32 find_test(const gxp_set *s, const gx_doc *d, u32 kind, const gx_label_info *name)
{
    const char *strs = GX_DOC_COL(d, char, strs), *uri = strs + name->uri, *local = strs + name->local;
    const u32 local_len = kind == GXP_NS ? 0 : name->local_len;
    const u32 hash = (kind == GXP_NS ? gx_name_hash(uri, name->uri_len, "", 0) : name->hash) + kind;
    for (u32 at = hash & s->label_mask; s->labels[at].test; at = (at + 1) & s->label_mask) {
        const gxp_test *t = gxp_set_test(s, s->labels[at].test - 1);
        if (s->labels[at].hash == hash && t->kind == kind && t->uri_len == name->uri_len && t->local_len == local_len
            && !memcmp(s->strs.at + t->uri, uri, t->uri_len) && !memcmp(s->strs.at + t->local, local, local_len))
            return s->labels[at].test - 1;
    }
    return GX_NONE;
}

/* Which tests each label passes, once a document: elements have two, their name's and their namespace's. -1: out of
 * memory. */
static int bind_names(gxp_classes *c)
{
    const gx_label_info *names = GX_DOC_COL(c->doc, gx_label_info, labels);
    gx_buf_rewind(&c->label);
    gxp_bound *b = gx_buf_push(&c->label, (c->doc->n_labels + 1ull) * sizeof *b);
    if (!b)
        return -1;
    for (u32 i = 0; i < c->doc->n_labels; i++) {
        b[i] = (gxp_bound){ GX_NONE, GX_NONE };
        if (names[i].kind == GX_KIND_ELEM)
            b[i] = (gxp_bound){ find_test(c->set, c->doc, GXP_NAME, &names[i]),
                                find_test(c->set, c->doc, GXP_NS, &names[i]) };
        else if (names[i].kind == GX_KIND_ATTR)
            b[i].name = find_test(c->set, c->doc, GXP_ATTR, &names[i]);
    }
    return 0;
}

/* ---- items ---- */

/* One more item in the list of a node: a link before the others. */
static void put_item(gxp_classes *c, u32 node, u32 item)
{
    u32 *head = GX_BUF_AT(&c->head, u32) + node;
    gxp_item *link = gx_buf_push(&c->links, sizeof *link);
    if (!link) {
        c->no_memory = 1;
        return;
    }
    *link = (gxp_item){ item, *head };
    *head = GX_BUF_N(&c->links, gxp_item) - 1;
}

/* What a group's atoms say of one value of an element's attribute or text: items for those that hold. "=" by a hash
 * look-up of strings no longer than the longest asked for, starts-with and contains one by one, numbers by the place
 * among the sorted bounds. group GX_NONE: nobody asks for the value, only the planner does, perhaps. c->over: limits.
 * O(bytes), for each search. */
static void put_value(gxp_classes *c, u32 node, u32 group, const char *s, u32 n)
{
    const gxp_values *v = &c->set->values;
    if (group == GX_NONE)
        return;
    const gxp_group *g = gxp_group_at(v, group);
    if (g->has != GX_NONE)
        put_item(c, node, g->has);
    if (g->n_bounds || (g->n_eq && n <= g->longest))
        c->work += n / 64;      /* the string-values of nested elements are nested, too */
    if (g->n_eq && n <= g->longest) {
        const u32 atom = gxp_atom_find(v, group, s, n);
        if (atom != GX_NONE)
            put_item(c, node, atom);
    }
    for (u32 i = 0; i < g->n_parts && c->over == GX_OK; i++) {
        const u32 atom = GX_BUF_AT(&v->lists, u32)[g->parts + i];
        const gxp_atom *a = gxp_atom_at(v, atom);
        const char *part = v->strs.at + a->text;
        c->work += 1 + (a->op == GXP_CONTAINS ? n / 16 : 0);
        if (a->op == GXP_STARTS ? a->len <= n && !memcmp(s, part, a->len) : memmem(s, n, part, a->len) != NULL)
            put_item(c, node, atom);
        c->over = gxp_look(c->work, c->most_work, c->deadline_us, &c->next_look);
    }
    if (c->over == GX_OK)
        c->over = gxp_look(c->work, c->most_work, c->deadline_us, &c->next_look);
    if (g->n_bounds) {
        const double num = gx_number_parse(s, n);
        if (!gx_is_nan(num))
            put_item(c, node, GX_BUF_N(&v->atoms, gxp_atom) + g->first_position + gxp_position(v, g, num));
    }
}

static void put_self(gxp_classes *c, u32 node, u32 test)
{
    const u32 group = test == GX_NONE ? GX_NONE : gxp_set_test(c->set, test)->group;
    if (group != GX_NONE)       /* most have none */
        put_value(c, node, group, GX_DOC_COL(c->doc, char, text) + GX_DOC_COL(c->doc, u32, text_off)[node],
                  GX_DOC_COL(c->doc, u32, text_len)[node]);
}

/* ---- classes ---- */

/* item[0 .. n-1], whose marks are the stamp, as those of the class? */
static int same_items(const gxp_classes *c, const gxp_class *k, u32 n)
{
    const u32 *items = GX_BUF_AT(&c->items, u32) + k->items, *mark = GX_BUF_AT(&c->mark, u32);
    if (k->n_items != n)
        return 0;
    for (u32 i = 0; i < n; i++)
        if (mark[items[i]] != c->stamp)
            return 0;
    return 1;
}

/* The class of an element or the root: its name, namespace and the set of its listed items, each once, in any order
 * (hashes are added). Found by a seeded hash, compared item by item, or made. 0 without memory. O(items). */
static u32 class_of(gxp_classes *c, u32 node, u32 name, u32 ns)
{
    const u64 seed = c->set->values.seed | 1;
    const u32 first = GX_BUF_N(&c->items, u32), n_classes = gxp_n_classes(c);
    u32 *mark = GX_BUF_AT(&c->mark, u32), *table = GX_BUF_AT(&c->table, u32), n = 0;
    const u32 mask = GX_BUF_N(&c->table, u32) - 1;
    u64 hash = gx_fold(name ^ (u64)ns << 32, seed);
    c->stamp++;
    for (u32 at = GX_BUF_AT(&c->head, u32)[node]; at != GX_NONE; at = GX_BUF_AT(&c->links, gxp_item)[at].next) {
        const u32 item = GX_BUF_AT(&c->links, gxp_item)[at].item;
        u32 *to;
        if (mark[item] == c->stamp)
            continue;
        mark[item] = c->stamp;
        hash += gx_fold(item + seed, seed); /* in whatever order they come */
        if ((to = gx_buf_push(&c->items, sizeof *to)))
            *to = item;
        else
            c->no_memory = 1;
        n++;
    }
    if (c->no_memory)
        return 0;
    hash = gx_fold(hash, seed);
    u32 at = (u32)hash & mask;
    for (; table[at]; at = (at + 1) & mask) {
        const gxp_class *k = GX_BUF_AT(&c->classes, gxp_class) + table[at] - 1;
        if (k->hash == hash && k->name == name && k->ns == ns && same_items(c, k, n)) {
            c->items.n = (size_t)first * sizeof(u32);
            return table[at] - 1;
        }
    }
    gxp_class *fresh = gx_buf_push(&c->classes, sizeof *fresh);
    if (!fresh) {
        c->no_memory = 1;
        return 0;
    }
    *fresh = (gxp_class){ hash, name, ns, first, n };
    table[at] = n_classes + 1;
    return n_classes;
}

/* ---- the document ---- */

/* A buffer of n bytes, all of them `byte` */
static int filled(gx_buf *b, size_t n, int byte)
{
    gx_buf_rewind(b);
    if (!gx_buf_push(b, n))
        return -1;
    memset(b->at, byte, n);
    return 0;
}

/* Marks of all items; what was marked for other documents is older than the stamp. */
static int marks(gxp_classes *c, u32 n_elements)
{
    const size_t bytes = ((size_t)gxp_first_class_item(c->set) + n_elements + 1) * sizeof(u32), old = c->mark.n;
    if (bytes > old && !gx_buf_push(&c->mark, bytes - old))
        return -1;
    if (bytes > old)
        memset(c->mark.at + old, 0, bytes - old);
    if (c->stamp > UINT32_MAX - n_elements - 2) {
        memset(c->mark.at, 0, c->mark.n);
        c->stamp = 0;
    }
    return 0;
}

static u32 elements_of(const gx_doc *d)
{
    const gx_label_info *names = GX_DOC_COL(d, gx_label_info, labels);
    const u32 *start = GX_DOC_COL(d, u32, index_start);
    u32 n = 0;
    for (u32 i = 0; i < d->n_labels; i++)
        if (names[i].kind == GX_KIND_ELEM)
            n += start[i + 1] - start[i];
    return n;
}

/* Lists every node's items with its parent, from the last node to the first: children have greater numbers, so an
 * element's items are complete when it is met, and, with classes, its class becomes an item of its parent. O(nodes +
 * work of their values). Ends early at a limit (c->over). */
static void each_node(gxp_classes *c, int classes)
{
    const gx_doc *d = c->doc;
    const u32 *label = GX_DOC_COL(d, u32, label), *parent = GX_DOC_COL(d, u32, parent);
    const u32 *off = GX_DOC_COL(d, u32, text_off), *len = GX_DOC_COL(d, u32, text_len);
    const char *text = GX_DOC_COL(d, char, text), *values = GX_DOC_COL(d, char, values);
    const gxp_bound *bounds = GX_BUF_AT(&c->label, gxp_bound);
    const u32 first_class = gxp_first_class_item(c->set);
    for (u32 i = d->n_nodes; i-- > 0 && !c->no_memory && c->over == GX_OK;) {
        const gxp_bound *b = &bounds[GX_LABEL_ID(label[i])];
        switch (GX_LABEL_KIND(label[i])) {
        case GX_KIND_ATTR:
            if (b->name != GX_NONE)
                put_value(c, parent[i], gxp_set_test(c->set, b->name)->group, values + off[i], len[i]);
            break;
        case GX_KIND_TEXT:
            put_value(c, parent[i], c->set->text_group, text + off[i], len[i]);
            break;
        case GX_KIND_ELEM:
            put_self(c, i, GXP_TEST_ANY);
            put_self(c, i, b->name);
            put_self(c, i, b->ns);
            if (classes)
                put_item(c, parent[i], first_class + class_of(c, i, b->name, b->ns));
            break;
        case GX_KIND_ROOT:
            if (classes)
                class_of(c, i, GXP_TEST_ROOT, GX_NONE);
            break;
        default: break;
        }
    }
}

/* A new document: lists emptied, their memory kept. -1: out of memory. */
static int begin(gxp_classes *c, const gx_doc *doc)
{
    c->doc = doc;
    c->work = c->next_look = 0;
    c->over = GX_OK;
    c->no_memory = 0;
    c->n_elements = elements_of(doc);
    gx_buf_rewind(&c->classes);
    gx_buf_rewind(&c->items);
    gx_buf_rewind(&c->links);
    return bind_names(c) || filled(&c->head, (size_t)doc->n_nodes * sizeof(u32), 0xff) ? -1 : 0;
}

static gx_status end(const gxp_classes *c, gx_error *err)
{
    return c->no_memory ? gx_fail(err, GX_ENOMEM, "", 0, 0, "not enough memory to match the document") : GX_OK;
}

/* The classes of a document: elements whose subtrees no profile can tell apart are one. Expected O(nodes + values).
 * Work, time and memory are limits of the matcher's. */
gx_status gxp_classes_make(gxp_classes *c, const gx_doc *doc, gx_error *err)
{
    u32 slots = 16;
    if (begin(c, doc))
        c->no_memory = 1;
    while (slots < 2 * (c->n_elements + 2))
        slots *= 2;
    if (!c->no_memory && !filled(&c->table, slots * sizeof(u32), 0) && !marks(c, c->n_elements + 1))
        each_node(c, 1);
    else
        c->no_memory = 1;
    return end(c, err);
}

gx_status gxp_items_make(gxp_classes *c, const gx_doc *doc, gx_error *err)
{
    if (begin(c, doc))
        c->no_memory = 1;
    else
        each_node(c, 0);
    return end(c, err);
}

void gxp_classes_free(gxp_classes *c)
{
    gx_buf *const all[] = { &c->classes, &c->items, &c->label, &c->head, &c->links, &c->table, &c->mark };
    for (u32 i = 0; i < sizeof all / sizeof *all; i++)
        gx_buf_free(all[i]);
}
