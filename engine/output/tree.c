/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c -- results as a document block: fragments (exsl:node-set), or the source of the next stylesheet
 *
 * Takes the events of output.c in document order, one tree after another, and appends to the columns of doc.h; nothing
 * is ever moved but once, into the finished block. Elements are open on `open`: node id and namespace list.
 *
 *   start  id = next node; attributes and namespace nodes follow at once; text is appended to the text heap
 *   end    next[id] and the string-value's length are now known
 *
 * What the next stylesheet strips (XSLT 1.0, 3.4) is seen when something else follows it, and taken back.
 *
 * Names are found by a hash table over (kind, uri, local). Namespace lists are shared by elements that declare nothing.
 *
 * Cost: O(bytes) but for elements that declare namespaces: they list all that are in scope, MAX_DECLS in a block at
 * most.
 */
#include "document/buf.h"
#include "document/doc_layout.h"
#include "document/names.h"
#include "document/spaces.h"
#include "output.h"
#include "machine/text.h"

#define MAX_DECLS (1u << 22)
#define MAX_NODES 0x10000000u
#define NODE_BYTES 30u          /* all columns */
#define LOOK 0x10000u           /* at the clock: every so many nodes */

typedef struct open_elem { u32 node, list; int strip, preserve; } open_elem;      /* preserve: xml:space */

struct gx_tree {
    u32 flags, n, max_depth;
    gx_buf label, parent, next, depth, text_off, text_len, ns;      /* columns; u32 but depth, u16 */
    gx_buf labels, lists, decls, odd, roots, open;
    gx_buf text, values, strs;
    gx_buf slots;               /* u32: label + 1, open addressing */
    u32 mask;
    const gx_evaluation *ev;
    const gx_program *next_program;     /* that the document is the source of; NULL: of none */
    u64 bytes, most;            /* of text and nodes */
    int any_list;               /* an element has another list than 0 */
    gx_status status;           /* sticky: what comes after an error is ignored, there may be no element that it would
                                   be in */
};

static gx_status push_u32(gx_buf *b, u32 value)
{
    u32 *at = gx_buf_push(b, sizeof value);
    if (!at)
        return GX_ENOMEM;
    *at = value;
    return GX_OK;
}

/* Bytes behind those of a heap: *off. GX_ELIMIT beyond 2 GB. */
static gx_status push_bytes(gx_buf *b, const char *p, u32 n, u32 *off)
{
    if (b->n + (u64)n > 0x7fffffffu)
        return GX_ELIMIT;
    char *at = gx_buf_push(b, n);
    if (!at && n)
        return GX_ENOMEM;
    *off = (u32)(b->n - n);
    if (n)
        memcpy(at, p, n);
    return GX_OK;
}

#define U32(b) GX_BUF_AT(&(b), u32)
#define LABELS(t) GX_BUF_AT(&(t)->labels, gx_label_info)
#define OPEN(t) GX_BUF_AT(&(t)->open, open_elem)
#define N_OPEN(t) GX_BUF_N(&(t)->open, open_elem)

static gx_status add_label(gx_tree *t, u32 kind, const gx_outname *name)
{
    gx_label_info *l = gx_buf_push(&t->labels, sizeof *l);
    if (!l)
        return GX_ENOMEM;
    memset(l, 0, sizeof *l);
    l->kind = kind;
    l->hash = gx_name_hash(name->uri, name->uri_len, name->local, name->local_len);
    l->uri_len = name->uri_len;
    l->local_len = name->local_len;
    l->prefix_len = name->prefix_len;
    GX_TRY(push_bytes(&t->strs, name->uri, name->uri_len, &l->uri));
    GX_TRY(push_bytes(&t->strs, name->local, name->local_len, &l->local));
    return push_bytes(&t->strs, name->prefix, name->prefix_len, &l->prefix);
}

static u32 slot_of(const gx_tree *t, const char *uri, u32 uri_len, const char *local, u32 local_len)
{
    return (u32)gx_text_hash(gx_text_hash(t->ev->doc->seed, uri, uri_len), local, local_len) & t->mask;
}

/* Doubles the table of labels by name. */
static gx_status rehash(gx_tree *t)
{
    u32 n = GX_BUF_N(&t->labels, gx_label_info), size = (t->mask + 1) * 2;
    t->slots.n = 0;
    if (!gx_buf_push(&t->slots, (size_t)size * 4))
        return GX_ENOMEM;
    memset(t->slots.at, 0, (size_t)size * 4);
    t->mask = size - 1;
    for (u32 k = 3; k < n; k++) {
        const gx_label_info *l = &LABELS(t)[k];
        u32 i = slot_of(t, t->strs.at + l->uri, l->uri_len, t->strs.at + l->local, l->local_len);
        while (U32(t->slots)[i])
            i = (i + 1) & t->mask;
        U32(t->slots)[i] = k + 1;
    }
    return GX_OK;
}

/* *label: the label of a name, made if it is new. A label has the prefix of the first node with the name; a node with
 * another one goes to `odd`. Found by seeded hashes: O(bytes of the name). GX_ENOMEM, GX_ELIMIT. */
static gx_status find_label(gx_tree *t, u32 kind, const gx_outname *name, u32 node, u32 *label)
{
    u32 n = GX_BUF_N(&t->labels, gx_label_info), i = slot_of(t, name->uri, name->uri_len, name->local, name->local_len),
        k;
    for (; (k = U32(t->slots)[i]); i = (i + 1) & t->mask) {
        const gx_label_info *l = &LABELS(t)[--k];
        if (l->kind == kind && l->uri_len == name->uri_len && l->local_len == name->local_len
            && !memcmp(t->strs.at + l->uri, name->uri, l->uri_len)
            && !memcmp(t->strs.at + l->local, name->local, l->local_len))
            break;
    }
    if (!U32(t->slots)[i]) {
        k = n;
        if (n >= MAX_NODES - 1)
            return GX_ELIMIT;
        GX_TRY(add_label(t, kind, name));
        U32(t->slots)[i] = k + 1;
        if (n * 2 > t->mask)
            GX_TRY(rehash(t));
    } else if (LABELS(t)[k].prefix_len != name->prefix_len
               || memcmp(t->strs.at + LABELS(t)[k].prefix, name->prefix, name->prefix_len)) {
        gx_doc_odd *o = gx_buf_push(&t->odd, sizeof *o);
        if (!o)
            return GX_ENOMEM;
        o->node = node;
        o->prefix_len = name->prefix_len;
        GX_TRY(push_bytes(&t->strs, name->prefix, name->prefix_len, &o->prefix));
    }
    *label = GX_LABEL(kind, k);
    return GX_OK;
}

/* Counts bytes of nodes and text against the arena's limit: what host steps make counts as if it were in the arena.
 * GX_ELIMIT. */
static gx_status spend(gx_tree *t, u64 bytes)
{
    t->bytes += bytes;
    return t->bytes > t->most ? GX_ELIMIT : GX_OK;
}

/* Appends a node to all columns; off and len are its text's. */
static gx_status add_node(gx_tree *t, u32 label, u32 off, u32 len, u32 list)
{
    GX_TRY(spend(t, NODE_BYTES));
    if (t->n % LOOK == LOOK - 1 && gx_evaluation_is_late(t->ev))
        return GX_ETIME;
    u32 depth = N_OPEN(t);
    u16 *d = gx_buf_push(&t->depth, sizeof *d);
    if (!d)
        return GX_ENOMEM;
    if (t->n >= MAX_NODES || depth > 0xffff)
        return GX_ELIMIT;
    *d = (u16)depth;
    if (depth > t->max_depth)
        t->max_depth = depth;
    GX_TRY(push_u32(&t->label, label));
    GX_TRY(push_u32(&t->parent, depth ? OPEN(t)[depth - 1].node : GX_NONE));
    GX_TRY(push_u32(&t->next, t->n + 1));
    GX_TRY(push_u32(&t->text_off, off));
    GX_TRY(push_u32(&t->text_len, len));
    GX_TRY(push_u32(&t->ns, list));
    t->n++;
    return GX_OK;
}

gx_status gx_tree_create(gx_tree **out, const gx_evaluation *ev, const gx_program *next)
{
    static const gx_outname none = { "", "", "", 0, 0, 0 };
    gx_tree *t = calloc(1, sizeof *t);
    if (!t)
        return GX_ENOMEM;
    t->ev = ev;
    t->most = ev->limits && ev->limits->arena ? ev->limits->arena : ~0ull;
    t->next_program = next;
    t->flags = (next ? next : ev->program)->flags & GX_P_NAMESPACE_AXIS ? GX_DOC_NAMESPACES : 0;
    t->mask = 31;
    /* strs: names are compared there, an empty one (of a damaged program) before there are bytes */
    if (rehash(t) != GX_OK || gx_buf_room(&t->strs, 1) || add_label(t, GX_KIND_ROOT, &none) != GX_OK
        || add_label(t, GX_KIND_TEXT, &none) != GX_OK || add_label(t, GX_KIND_COMMENT, &none) != GX_OK
        || !gx_buf_push(&t->lists, sizeof(gx_ns_list))) {
        gx_tree_free(t);
        return GX_ENOMEM;
    }
    memset(t->lists.at, 0, sizeof(gx_ns_list));
    *out = t;
    return GX_OK;
}

void gx_tree_free(gx_tree *t)
{
    gx_buf *all[] = { &t->label, &t->parent, &t->next,   &t->depth, &t->text_off, &t->text_len,
                      &t->ns,    &t->labels, &t->lists,  &t->decls, &t->odd,      &t->roots,
                      &t->open,  &t->text,   &t->values, &t->strs,  &t->slots };
    for (u32 i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]->at);
    free(t);
}

/* Is the last node text of the innermost open element? */
static int ends_in_text(const gx_tree *t)
{
    const u32 depth = N_OPEN(t);
    return depth && U32(t->label)[t->n - 1] == GX_LABEL_TEXT && U32(t->parent)[t->n - 1] == OPEN(t)[depth - 1].node;
}

/* Before what follows in the innermost open element, its end included: the text in front of it is complete. */
static void strip_space(gx_tree *t)
{
    const open_elem *e = t->next_program && N_OPEN(t) ? &OPEN(t)[N_OPEN(t) - 1] : NULL;
    if (!e || !e->strip || e->preserve || !ends_in_text(t))
        return;
    const u32 at = U32(t->text_off)[t->n - 1];
    for (u64 i = at; i < t->text.n; i++)
        if (!gx_is_space(t->text.at[i]))
            return;
    gx_buf *const columns[] = { &t->label, &t->parent, &t->next, &t->text_off, &t->text_len, &t->ns };
    for (u32 i = 0; i < sizeof columns / sizeof *columns; i++)
        columns[i]->n -= sizeof(u32);
    t->depth.n -= sizeof(u16);
    t->text.n = at;
    t->n--;
}

/* The open element ends: white space that is stripped goes, next and the length of its text are known. */
void gx_tree_end(gx_tree *t)
{
    u32 n = N_OPEN(t);
    if (!n || t->status != GX_OK)
        return;
    strip_space(t);
    u32 id = OPEN(t)[n - 1].node;
    U32(t->next)[id] = t->n;
    U32(t->text_len)[id] = (u32)t->text.n - U32(t->text_off)[id];
    t->open.n -= sizeof(open_elem);
}

/* Another tree of the document: what is open is closed first. */
static gx_status add_root(gx_tree *t)
{
    while (N_OPEN(t))
        gx_tree_end(t);
    u32 id = t->n;
    GX_TRY(push_u32(&t->roots, id));
    GX_TRY(add_node(t, GX_LABEL_ROOT, (u32)t->text.n, 0, 0));
    open_elem *e = gx_buf_push(&t->open, sizeof *e);
    if (!e)
        return GX_ENOMEM;
    memset(e, 0, sizeof *e);
    e->node = id;
    e->strip = 1;               /* around the document element of a source there is none */
    return GX_OK;
}

gx_status gx_tree_root(gx_tree *t) { return t->status != GX_OK ? t->status : (t->status = add_root(t)); }

/* A list of what is in scope: the innermost binding of each prefix, all others are hidden. in_scope has the innermost
 * last. */
static gx_status add_list(gx_tree *t, const gx_bound *in_scope, u32 n, u32 *list)
{
    u32 first = GX_BUF_N(&t->decls, gx_ns_decl);
    for (u32 i = n; i-- > 0; ) {
        const gx_bound *b = &in_scope[i];
        if (b->hidden || !b->uri_len)           /* an undeclared default hides one, that is all */
            continue;
        if (GX_BUF_N(&t->decls, gx_ns_decl) >= MAX_DECLS)
            return GX_ELIMIT;
        gx_ns_decl *d = gx_buf_push(&t->decls, sizeof *d);
        if (!d)
            return GX_ENOMEM;
        d->prefix_len = b->prefix_len;
        d->uri_len = b->uri_len;
        GX_TRY(push_bytes(&t->strs, b->prefix, b->prefix_len, &d->prefix));
        GX_TRY(push_bytes(&t->strs, b->uri, b->uri_len, &d->uri));
    }
    const u32 stop = GX_BUF_N(&t->decls, gx_ns_decl);
    *list = 0;
    if (stop == first)
        return GX_OK;
    gx_ns_list *l = gx_buf_push(&t->lists, sizeof *l);
    if (!l)
        return GX_ENOMEM;
    l->first = first;
    l->n = stop - first;
    *list = GX_BUF_N(&t->lists, gx_ns_list) - 1;
    return GX_OK;
}

/* An attribute, a namespace node or a processing instruction: a node whose value goes to the heap of values. */
static gx_status add_value_node(gx_tree *t, u32 kind, const gx_outname *name, const char *value, u32 len)
{
    u32 off, label;
    GX_TRY(spend(t, len));
    GX_TRY(find_label(t, kind, name, t->n, &label));
    GX_TRY(push_bytes(&t->values, value, len, &off));
    return add_node(t, label, off, len, 0);
}

/*
 * Opens an element: its node, its list of namespaces in scope (the parent's where it declares nothing), whether the
 * next stylesheet strips white space in it, and, where a program looks at the namespace axis, its namespace nodes,
 * "xml" among them (XPath 1.0, 5.4).
 *
 * in_scope: all n bindings, the innermost last. O(bytes of the name), O(n) where it declares something. Fails with
 * GX_ENOMEM, GX_ELIMIT, GX_ETIME.
 */
static gx_status add_element(gx_tree *t, const gx_outname *name, const gx_bound *in_scope, u32 n, int same_as_parent)
{
    strip_space(t);
    u32 label, id = t->n, depth = N_OPEN(t), list = depth ? OPEN(t)[depth - 1].list : 0;
    const int preserve = depth && OPEN(t)[depth - 1].preserve;
    GX_TRY(find_label(t, GX_KIND_ELEM, name, id, &label));
    if (!same_as_parent)
        GX_TRY(add_list(t, in_scope, n, &list));
    t->any_list |= list != 0;
    GX_TRY(add_node(t, label, (u32)t->text.n, 0, list));
    open_elem *e = gx_buf_push(&t->open, sizeof *e);
    if (!e)
        return GX_ENOMEM;
    e->node = id;
    e->list = list;
    e->preserve = preserve;
    e->strip = t->next_program
        && gx_space_is_stripped(t->next_program, name->uri, name->uri_len, name->local, name->local_len);
    if (t->flags & GX_DOC_NAMESPACES) {
        gx_outname prefix = { "", "xml", "", 0, 3, 0 };
        GX_TRY(add_value_node(t, GX_KIND_NS, &prefix, GX_XML_URI, sizeof GX_XML_URI - 1));
        gx_ns_list l = GX_BUF_AT(&t->lists, gx_ns_list)[list];
        for (u32 i = 0; i < l.n; i++) {
            const gx_ns_decl d = GX_BUF_AT(&t->decls, gx_ns_decl)[l.first + i];
            u32 off, label_ns;
            /* its bytes are not moved while they are copied */
            GX_TRY(gx_buf_room(&t->strs, d.prefix_len) ? GX_ENOMEM : GX_OK);
            prefix.local = t->strs.at + d.prefix;
            prefix.local_len = d.prefix_len;
            GX_TRY(find_label(t, GX_KIND_NS, &prefix, t->n, &label_ns));
            GX_TRY(push_bytes(&t->values, t->strs.at + d.uri, d.uri_len, &off));
            GX_TRY(add_node(t, label_ns, off, d.uri_len, 0));
        }
    }
    return GX_OK;
}

gx_status gx_tree_start(gx_tree *t, const gx_outname *name, const gx_bound *in_scope, u32 n, int same_as_parent)
{
    return t->status != GX_OK ? t->status : (t->status = add_element(t, name, in_scope, n, same_as_parent));
}

gx_status gx_tree_attr(gx_tree *t, const gx_outname *name, const char *value, u32 len)
{
    if (t->status == GX_OK && t->next_program && gx_is_xml_space(name))
        OPEN(t)[N_OPEN(t) - 1].preserve = len == 8 && memcmp(value, "preserve", 8) == 0;
    return t->status != GX_OK ? t->status : (t->status = add_value_node(t, GX_KIND_ATTR, name, value, len));
}

/* Text, a comment or a processing instruction. Adjacent texts become one node (XPath 1.0, 5.7), whose bytes lie at the
 * end of the heap already. White space in front of a comment or processing instruction may be stripped now, since the
 * text before it is complete. */
static gx_status add_leaf(gx_tree *t, u32 kind, const char *name, u32 name_len, const char *p, u32 n)
{
    u32 off;
    gx_outname target = { "", name, "", 0, name_len, 0 };
    if (kind != GX_KIND_PI)
        GX_TRY(spend(t, n));
    if (kind != GX_KIND_TEXT)
        strip_space(t);
    if (kind == GX_KIND_PI)
        return add_value_node(t, kind, &target, p, n);
    if (kind == GX_KIND_COMMENT) {
        GX_TRY(push_bytes(&t->values, p, n, &off));
        return add_node(t, GX_LABEL_COMMENT, off, n, 0);
    }
    GX_TRY(push_bytes(&t->text, p, n, &off));
    if (ends_in_text(t)) {              /* one text node */
        U32(t->text_len)[t->n - 1] += n;
        return GX_OK;
    }
    return add_node(t, GX_LABEL_TEXT, off, n, 0);
}

gx_status gx_tree_leaf(gx_tree *t, u32 kind, const char *name, u32 name_len, const char *p, u32 n)
{
    return t->status != GX_OK ? t->status : (t->status = add_leaf(t, kind, name, name_len, p, n));
}

/* The block: all columns and heaps copied behind one head, and the name index made. Open elements are closed; no tree
 * at all becomes an empty one. *doc: the caller's to free. O(bytes). GX_ENOMEM, or the error that an event had met. The
 * tree stays the caller's (gx_tree_free). */
gx_status gx_tree_finish(gx_tree *t, gx_doc **doc)
{
    GX_TRY(t->status);
    if (!t->n)
        GX_TRY(gx_tree_root(t));                   /* no fragment at all: one empty tree, as a block must have */
    while (N_OPEN(t))
        gx_tree_end(t);
    gx_doc h;
    memset(&h, 0, sizeof h);
    h.magic = GX_DOC_MAGIC;
    h.seed = t->ev->doc->seed;
    h.flags = (t->flags & GX_DOC_NAMESPACES)
        | (gx_is_ascii(t->text.at, t->text.n) && gx_is_ascii(t->values.at, t->values.n) ? GX_DOC_ASCII : 0);
    h.n_nodes = t->n;
    h.n_labels = GX_BUF_N(&t->labels, gx_label_info);
    h.n_roots = GX_BUF_N(&t->roots, u32);
    h.n_ns_lists = GX_BUF_N(&t->lists, gx_ns_list);
    h.n_ns_decls = GX_BUF_N(&t->decls, gx_ns_decl);
    h.n_odd = GX_BUF_N(&t->odd, gx_doc_odd);
    h.max_depth = t->max_depth;
    h.text_size = t->text.n;
    h.values_size = t->values.n;
    h.strs_size = t->strs.n;
    gx_doc_layout(&h, t->any_list, 0);
    const struct {
        u64 *off;
        const gx_buf *from;
    } parts[] = { { &h.label, &t->label },    { &h.parent, &t->parent },     { &h.next, &t->next },
                  { &h.depth, &t->depth },    { &h.text_off, &t->text_off }, { &h.text_len, &t->text_len },
                  { &h.ns, &t->ns },          { &h.labels, &t->labels },     { &h.ns_lists, &t->lists },
                  { &h.ns_decls, &t->decls }, { &h.odd, &t->odd },           { &h.roots, &t->roots },
                  { &h.text, &t->text },      { &h.values, &t->values },     { &h.strs, &t->strs } };
    u32 n_parts = sizeof parts / sizeof *parts;
    char *block = malloc(h.size);
    if (!block)
        return GX_ENOMEM;
    for (u32 i = 0; i < n_parts; i++)
        if (*parts[i].off && parts[i].from->n)
            memcpy(block + *parts[i].off, parts[i].from->at, parts[i].from->n);
    memcpy(block, &h, sizeof h);
    gx_doc_index((gx_doc *)(void *)block);
    *doc = (gx_doc *)(void *)block;
    return GX_OK;
}
