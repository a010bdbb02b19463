/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serialize.c -- walks the frame table beside the program and makes events or bytes of it
 *
 * The walk is depth first with its own stack, one `frame` for each run of rows being written:
 *
 *   frame: group, row .. row_stop | where in the body: instruction pc, or prepared code | kids still to be entered
 *
 * Two ways to run a body, with the same output: instruction by instruction as events for output.c (first element,
 * indented xml, attributes' content, script elements, ...), or prepared code (prepared.h), which copies ready bytes. A
 * frame is in one of them at any time; code can lend a stretch of instructions to the event way (GX_SO_GEN) and is
 * entered where `entry` has one and the namespaces in scope are those that it was made for.
 *
 * The result may come from another process: no reference, row, node id or string is followed before it is checked. A
 * frame's group is always another than its ancestors', so the stack cannot be deeper than there are groups; work that
 * writes nothing is counted and limited (`work`).
 *
 * Cost: one frame (100 bytes) of stack a level; the writer's buffer; nothing else grows but attribute values and
 * messages.
 */
#include <stdio.h>
#include <stdlib.h>
#include "document/names.h"
#include "machine/number.h"
#include "beside.h"
#include "output.h"
#include "prepared.h"

#define XMLNS_URI "http://www.w3.org/2000/xmlns/"
#define MAX_MESSAGES 64         /* messages inside messages */
#define WORK_PER_RUN (1ull << 26)
#define LOOK (1u << 20)         /* at the clock: every so many rows */
#define VIEWS 16u               /* in a piece of the table of views */

/* A document and what is known of its labels as far as they were written. */
typedef struct tag {
    u8 state, start_len, end_len, any_default : 1, pair : 1, space : 1;
    char start[30], end[30];
} tag; /* "<name" or " name=\"", "</name>" */
enum { TAG_UNKNOWN = 0, TAG_EASY, TAG_HARD };     /* any_default: the name does not depend on the default namespace;
                                                     pair: GX_E_PAIR; space: xml:space */

typedef struct view {
    const gx_doc *doc;
    const u32 *label, *parent, *next, *ns, *text_off, *text_len;
    const gx_label_info *labels;
    const gx_ns_list *ns_lists;
    const gx_ns_decl *ns_decls;
    const char *text, *values, *strs;
    u32 base, n;
    tag *tags;
    u32 listed, listed_ctx;     /* 1 + namespace list known to be in scope in ctx */
} view;

typedef struct frame {
    const gx_group *g;
    const gx_col *slots;
    const u32 *code;            /* next operator; NULL: events from pc on */
    const gx_kid *kid, *kid_stop;
    u32 body, row, row_stop;
    u32 pc, stop;               /* events up to here; then code again, or the body ends */
    u32 after;                  /* when the frame is done, what was begun for it ends: */
} frame;
enum {
    AFTER_NOTHING = 0,
    AFTER_IGNORE = 1,
    AFTER_FLAT = 2,
    AFTER_QUIET = 4,
    AFTER_SEALED = 8,
    AFTER_LEAF = 16 /* text inside tags that are bytes */
};

typedef struct walker {
    const gx_evaluation *ev;
    const gx_program *p;
    const gx_instr *instrs;
    const gx_body *bodies;
    const gx_prepared *prepared;
    const u32 *words, *entry;   /* of prepared */
    const gx_serialize_options *options;
    const char *base;           /* the arena */
    u64 used;
    gx_out *o;                  /* where events go: the result, or the innermost message */
    gx_out *outs[MAX_MESSAGES + 1];
    gx_beside *besides[MAX_MESSAGES + 1];       /* of a file beside the result, once its attributes are known; else NULL
                                                   */
    u32 n_outs;
    u32 quiet;                  /* > 0: the messages met here were given before */
    u8 *told;                   /* by instruction: tell_late has; NULL: of none */
    u64 *spoken;                /* hash set of fragments whose messages were given: chunk and row, 0 = free */
    u32 n_spoken, cap_spoken;
    frame *frames;
    u32 n_frames, cap_frames, max_frames;
    view source;                /* the source document's */
    view **views;               /* the others', VIEWS in a piece; all made as they are met: of thousands of documents a
                                   fragment has nodes of few */
    view *met;                  /* the last one; NULL: none yet */
    u64 work_limit;
    u32 rows;
    gx_error *err;
    gx_status status;
} walker;

/* The result, or what it refers to, is damaged: the walk ends with GX_EBAD. The first error is the one that is told. */
static void bad(walker *w, const char *what)
{
    if (w->status == GX_OK)
        w->status = gx_fail(w->err, GX_EBAD, "", 0, 0, "the result does not check out: %s", what);
}

/* gx_fail with the place of an instruction; n bytes of arg in the sentence */
static gx_status say_at(const walker *w, gx_error *err, gx_status status, u32 where, const char *fmt, const char *arg,
                        u32 n)
{
    const gx_where *at = where < w->p->wheres.n ? GX_PROG_TAB(w->p, gx_where, wheres) + where : NULL;
    return gx_fail(err, status, at ? GX_LIT_AT(w->p, at->file) : "", at ? at->line : 0, at ? at->column : 0, fmt,
                   (int)n, arg);
}

static gx_status fail_at(walker *w, gx_status status, u32 where, const char *fmt, const char *arg, u32 n)
{
    if (w->status == GX_OK)
        w->status = say_at(w, w->err, status, where, fmt, arg, n);
    return w->status;
}

/* gx_error_format of a sentence, with where it is about; n bytes of name in it */
static void sentence_at(const walker *w, u32 where, const char *sentence, const char *name, u32 n, char *text,
                        size_t size)
{
    gx_error what;
    say_at(w, &what, GX_EDYNAMIC, where, sentence, name, n < 100 ? n : 100);
    gx_error_format(&what, text, size);
}

/* What the specification lets us recover from, as a message: where, the sentence, and the name that it is about */
static void warn(walker *w, u32 where, const char *sentence, const char *name, u32 n)
{
    char text[1200];
    if (!w->options->message || w->quiet)
        return;
    sentence_at(w, where, sentence, name, n, text, sizeof text);
    w->options->message(w->options->message_ctx, text, (u32)strlen(text));
}

/* Says once for each instruction, not for each of a million nodes, that what it wrote was ignored; not where its
 * element found no memory. */
static void tell_late(walker *w, const gx_instr *in)
{
    const u32 k = (u32)(in - w->instrs);
    if (!w->o->late)
        return;
    w->o->late = 0;
    if (w->o->status != GX_OK)
        return;
    if (!w->told && !(w->told = calloc(w->p->instrs.n, 1)))
        return;
    if (!w->told[k])
        warn(w, in->where, "an attribute comes after its element's children, or has no element: it is ignored%.*s", "",
             0);
    w->told[k] = 1;
}

/* ---- references -------------------------------------------------------------------------------------------------- */

/* Element i of an array of the arena, or NULL when it does not lie in it. */
static const void *at(const walker *w, u32 ref, u64 i, u32 size)
{
    u64 off = (u64)ref * 4 + i * size;
    return ref && off + size <= w->used ? w->base + off : NULL;
}

/* n elements of an array of the arena from `first` on, or NULL when they do not lie in it. All are of 32 bits, so
 * nothing overflows. */
static const void *range(const walker *w, u32 ref, u32 first, u32 n, u32 size)
{
    const u64 off = (u64)ref * 4 + (u64)first * size;
    return ref && off + (u64)n * size <= w->used ? w->base + off : NULL;
}

/* The columns of a document as pointers. The document has been checked; ids are offsets from base. */
static void open_view(view *v, const gx_doc *d, u32 base)
{
    v->doc = d;
    v->label = GX_DOC_COL(d, u32, label);
    v->parent = GX_DOC_COL(d, u32, parent);
    v->next = GX_DOC_COL(d, u32, next);
    v->ns = d->ns ? GX_DOC_COL(d, u32, ns) : NULL;
    v->text_off = GX_DOC_COL(d, u32, text_off);
    v->text_len = GX_DOC_COL(d, u32, text_len);
    v->labels = GX_DOC_COL(d, gx_label_info, labels);
    v->ns_lists = GX_DOC_COL(d, gx_ns_list, ns_lists);
    v->ns_decls = GX_DOC_COL(d, gx_ns_decl, ns_decls);
    v->text = GX_DOC_COL(d, char, text);
    v->values = GX_DOC_COL(d, char, values);
    v->strs = GX_DOC_COL(d, char, strs);
    v->base = base;
    v->n = d->n_nodes;
}

/* view_of another document than the last one's: O(log documents). Views are made as they are met. */
static __attribute__((noinline)) view *other_view(walker *w, u32 node)
{
    const gx_evaluation *ev = w->ev;
    u32 lo = 0, hi = ev->n_docs;
    while (hi - lo > 1) {                       /* doc_base[lo] <= node < doc_base[hi] */
        u32 mid = (lo + hi) / 2;
        if (ev->doc_base[mid] <= node)
            lo = mid;
        else
            hi = mid;
    }
    u32 base = ev->doc_base ? ev->doc_base[lo] : 0;
    if (!ev->n_docs || node < base || node - base >= ev->docs[lo]->n_nodes) {
        bad(w, "a node id");
        return NULL;
    }
    view *v = &w->source;
    if (lo) {
        if (!w->views)
            w->views = calloc(ev->n_docs / VIEWS + 1, sizeof *w->views);
        if (w->views && !w->views[lo / VIEWS])
            w->views[lo / VIEWS] = calloc(VIEWS, sizeof **w->views);
        if (!w->views || !w->views[lo / VIEWS]) {
            if (w->status == GX_OK)
                w->status = gx_fail(w->err, GX_ENOMEM, "", 0, 0, "no memory for the serialiser");
            return NULL;
        }
        v = &w->views[lo / VIEWS][lo % VIEWS];
    }
    if (!v->doc)
        open_view(v, ev->docs[lo], base);
    return w->met = v;
}

/* The view of the document that has this node; NULL: no document has it (the result is damaged), or no memory. Nodes
 * come one behind the other, so the last view is tried first. */
static inline view *view_of(walker *w, u32 node)
{
    return w->met && node - w->met->base < w->met->n ? w->met : other_view(w, node);
}

/* *p, *n: the bytes of a string's reference, in the program, in the arena or in a document. Whatever the reference
 * says, the bytes lie within that. 0: they do not, and the walk ends as damaged. */
static int string(walker *w, const void *ref, const char **p, u32 *n)
{
    gx_str s;
    memcpy(&s, ref, sizeof s);                  /* a damaged reference may be unaligned */
    u32 space = GX_STR_SPACE(s.at);
    u64 off = GX_STR_OFF(s.at), size;
    const char *start = "";
    if (space == 0)
        off = size = 0;
    else if (space == GX_SPACE_PROG) {
        start = (const char *)w->p;
        size = w->p->size;
    }
    else if (space == GX_SPACE_ARENA) {
        start = w->base;
        size = w->used;
    }
    else if (space - GX_SPACE_DOC < w->ev->n_docs) {
        start = (const char *)w->ev->docs[space - GX_SPACE_DOC];
        size = w->ev->docs[space - GX_SPACE_DOC]->size;
    }
    else
        size = 0;
    if ((space == 0 && s.len) || off + s.len > size) {
        bad(w, "a string");
        return 0;
    }
    *p = start + off;
    *n = s.len;
    return 1;
}

/* *p, *n: the string-value of node id, which is the document's own number; a slice of one of the document's heaps. 0:
 * it does not lie within that. */
static inline int node_text(walker *w, const view *v, u32 id, const char **p, u32 *n)
{
    u32 kind = GX_LABEL_KIND(v->label[id]);
    int in_text = kind == GX_KIND_TEXT || kind == GX_KIND_ELEM || kind == GX_KIND_ROOT;
    if ((u64)v->text_off[id] + v->text_len[id] > (in_text ? v->doc->text_size : v->doc->values_size)) {
        bad(w, "a node's text");
        return 0;
    }
    *p = (in_text ? v->text : v->values) + v->text_off[id];
    *n = v->text_len[id];
    return 1;
}

/* *p, *n: as they are where there is no node */
static inline int text_of_node(walker *w, u32 node, const char **p, u32 *n)
{
    if (node == GX_NONE)
        return 1;
    const view *v = view_of(w, node);
    return v && node_text(w, v, node - v->base, p, n);
}

/* value_text of what is neither a string nor a node a row */
static __attribute__((noinline)) int other_text(walker *w, const gx_col *c, u32 i, char *num, const char **p, u32 *n)
{
    const void *x = NULL;
    switch (c->type) {
    case GX_T_BOOL:
        if (!(x = at(w, c->a, i, 1)))
            break;
        *p = *(const u8 *)x ? "true" : "false";
        *n = *(const u8 *)x ? 4 : 5;
        return 1;
    case GX_T_NUM: {
        double v;
        if (!(x = at(w, c->a, i, sizeof v)))
            break;
        memcpy(&v, x, sizeof v);
        *n = gx_number_format(v, num);
        *p = num;
        return 1;
    }
    case GX_T_SET: {
        const u32 *first = at(w, c->a, i, 4), *count = at(w, c->b, i, 4);
        if (!first || !count)
            break;
        if (!*count)
            return 1;
        if (!(first = at(w, *first, 0, 4)))
            break;
        return text_of_node(w, *first, p, n);
    }
    case GX_T_RTF:
        if (!c->b)
            return 2;
        if (!(x = at(w, c->b, c->flags & GX_C_ONE_TEXT ? 0 : i, sizeof(gx_str))))
            break;
        return string(w, x, p, n);
    default:
        return 1;                               /* never evaluated: nothing to say */
    }
    bad(w, "a value");
    return 0;
}

/* *p, *n: the string-value of a column's row, where it is; num (GX_NUMBER_CHARS) is where numbers are written, and *p
 * may point there. 1: here it is; 0: failed; 2: a fragment whose string was not computed, so the frames must be walked
 * for it. O(1), O(log documents) for a node. */
static inline int value_text(walker *w, const gx_col *c, u32 row, char *num, const char **p, u32 *n)
{
    const u32 i = c->is_const ? 0 : row;
    *p = "";
    *n = 0;
    if (c->type == GX_T_NODE || c->type == GX_T_STR) {         /* nearly all */
        const void *x = at(w, c->a, i, c->type == GX_T_STR ? sizeof(gx_str) : 4);
        if (x)
            return c->type == GX_T_STR ? string(w, x, p, n) : text_of_node(w, *(const u32 *)x, p, n);
        bad(w, "a value");
        return 0;
    }
    return other_text(w, c, i, num, p, n);
}

/* value_text, for values that are nodes of the last view with less ado */
static inline int value_here(walker *w, const gx_col *c, u32 row, char *num, const char **p, u32 *n)
{
    if (c->type == GX_T_NODE && w->met) {
        const u32 *node = at(w, c->a, c->is_const ? 0 : row, 4);
        if (node && *node - w->met->base < w->met->n)
            return node_text(w, w->met, *node - w->met->base, p, n);
    }
    return value_text(w, c, row, num, p, n);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* *name of node id of v. Nodes whose prefix is another than the first one with their name had are found in the list of
 * odd ones by halving. 0: the label or the name lies outside of the document's tables. */
static int label_name(walker *w, const view *v, u32 id, gx_outname *name)
{
    u32 k = GX_LABEL_ID(v->label[id]);
    if (k >= v->doc->n_labels) {
        bad(w, "a label");
        return 0;
    }
    const gx_label_info *l = &v->labels[k];
    u64 size = v->doc->strs_size;
    u32 prefix = l->prefix, prefix_len = l->prefix_len;
    if (v->doc->n_odd && l->uri_len) {
        const gx_doc_odd *odd = GX_DOC_COL(v->doc, gx_doc_odd, odd);
        u32 lo = 0, hi = v->doc->n_odd;
        while (lo < hi) {                       /* odd[< lo].node < id <= odd[>= hi].node */
            u32 mid = (lo + hi) / 2;
            if (odd[mid].node < id)
                lo = mid + 1;
            else
                hi = mid;
        }
        if (lo < v->doc->n_odd && odd[lo].node == id) {
            prefix = odd[lo].prefix;
            prefix_len = odd[lo].prefix_len;
        }
    }
    if ((u64)l->uri + l->uri_len > size || (u64)l->local + l->local_len > size || (u64)prefix + prefix_len > size) {
        bad(w, "a name");
        return 0;
    }
    name->uri = v->strs + l->uri;
    name->uri_len = l->uri_len;
    name->local = v->strs + l->local;
    name->local_len = l->local_len;
    name->prefix = v->strs + prefix;
    name->prefix_len = prefix_len;
    return 1;
}

/* The namespaces of an element's list, for the open start tag. A list that was found to be in scope is remembered with
 * the state of the output's stack (ctx), so siblings with the same list cost one comparison. O(declarations) else. */
static void node_namespaces(walker *w, view *v, u32 id)
{
    gx_out *o = w->o;
    u32 list = v->ns ? v->ns[id] : 0;
    const gx_ns_list *l = &v->ns_lists[list];
    if (o->ignore || o->cap || o->flat || !o->open)
        return;
    if (!list)
        return;
    if (v->listed == list + 1 && v->listed_ctx == o->ctx && o->needs.n <= 1)
        return;
    if (list >= v->doc->n_ns_lists || (u64)l->first + l->n > v->doc->n_ns_decls) {
        bad(w, "a namespace list");
        return;
    }
    int bound = 1;
    for (u32 i = 0; i < l->n; i++) {
        const gx_ns_decl *d = &v->ns_decls[l->first + i];
        if ((u64)d->prefix + d->prefix_len > v->doc->strs_size || (u64)d->uri + d->uri_len > v->doc->strs_size) {
            bad(w, "a namespace");
            return;
        }
        gx_out_ns(o, v->strs + d->prefix, d->prefix_len, v->strs + d->uri, d->uri_len);
        bound = bound && gx_out_is_bound(o, v->strs + d->prefix, d->prefix_len, v->strs + d->uri, d->uri_len);
    }
    o->work += l->n;
    if (bound) {                                /* so it is for those that follow in this one's place */
        v->listed = list + 1;
        v->listed_ctx = o->ctx;
    }
}

static int list_has_default(const view *v, u32 list)
{
    const gx_ns_list *l = list < v->doc->n_ns_lists ? &v->ns_lists[list] : NULL;
    for (u32 i = 0; l && (u64)l->first + l->n <= v->doc->n_ns_decls && i < l->n; i++)
        if (!v->ns_decls[l->first + i].prefix_len)
            return 1;
    return 0;
}

/* Inside a copied tree: xmlns="" on an element with a prefix, too. What it has in scope is then what its content was
 * written for. */
static void copy_undeclared(walker *w, view *v, u32 id)
{
    const u32 *ns = v->ns, up = v->parent[id];
    if (ns && ns[id] != ns[up] && gx_out_has_default(w->o) && !list_has_default(v, ns[id])
        && list_has_default(v, ns[up]))
        gx_out_ns(w->o, "", 0, "", 0);
}

/* An element's start and its namespaces; not its attributes. */
static void copy_start(walker *w, view *v, u32 id)
{
    gx_outname name;
    if (!label_name(w, v, id, &name))
        return;
    gx_out_start(w->o, &name, GX_E_UNKNOWN);
    node_namespaces(w, v, id);
}

/* A node that is neither a root nor an element, as an event by what it is: text, attribute, comment, processing
 * instruction or namespace. The output decides whether it may stand there. */
static void copy_leaf(walker *w, view *v, u32 id)
{
    gx_out *o = w->o;
    const char *p;
    u32 n;
    gx_outname name;
    if (!node_text(w, v, id, &p, &n))
        return;
    switch (GX_LABEL_KIND(v->label[id])) {
    case GX_KIND_TEXT:
        gx_out_text(o, p, n, 0);
        break;
    case GX_KIND_ATTR:
        if (label_name(w, v, id, &name))
            gx_out_attr(o, &name, p, n);
        break;
    case GX_KIND_COMMENT:
        gx_out_comment_begin(o);
        gx_out_text(o, p, n, 0);
        gx_out_comment_end(o);
        break;
    case GX_KIND_PI:
        if (label_name(w, v, id, &name)) {
            gx_out_pi_begin(o, name.local, name.local_len);
            gx_out_text(o, p, n, 0);
            gx_out_pi_end(o);
        }
        break;
    case GX_KIND_NS:
        if (label_name(w, v, id, &name))
            gx_out_ns(o, name.local, name.local_len, p, n);
        break;
    }
}

static int is_ascii(const char *s, u32 n)
{
    for (u32 i = 0; i < n; i++)
        if ((u8)s[i] >= 0x80)
            return 0;
    return 1;
}

/*
 * What can be written for an element or attribute label without asking, as ready bytes: its start tag's beginning and
 * its end tag, at most 30 bytes each. Kept by document and label, so a name is put together once. TAG_HARD: it must go
 * by events, since its name is long, its prefix varies from node to node, or the encoding may lack a character of it.
 *
 * Called for a label's first node. Without memory the walk ends: an end tag must not be easy where the start tag was
 * hard.
 */
static const tag *find_tag(walker *w, view *v, u32 id)
{
    u32 k = GX_LABEL_ID(v->label[id]);
    static const tag hard = { TAG_HARD, 0, 0, 0, 0, 0, "", "" };
    gx_outname name;
    if (k >= v->doc->n_labels)
        return &hard;
    if (!v->tags && !(v->tags = calloc(v->doc->n_labels, sizeof *v->tags))) {
        if (w->status == GX_OK)         /* and the end: an end tag must not be easy where the start tag was hard */
            w->status = gx_fail(w->err, GX_ENOMEM, "", 0, 0, "no memory for the serialiser");
        return &hard;
    }
    tag *t = &v->tags[k];
    if (t->state != TAG_UNKNOWN)
        return t;
    t->state = TAG_HARD;
    if (!label_name(w, v, id, &name))
        return t;
    t->space = gx_is_xml_space(&name) != 0;
    if ((name.uri_len && v->doc->n_odd) || name.prefix_len + name.local_len > sizeof t->start - 5)
        return t;
    if (name.prefix_len && !name.uri_len)
        return t;
    if (w->o->w.limited && !(is_ascii(name.prefix, name.prefix_len) && is_ascii(name.local, name.local_len)))
        return t;                               /* the encoding may lack it */
    t->state = TAG_EASY;
    char *s = t->start, *e = t->end;
    *s++ = GX_LABEL_KIND(v->label[id]) == GX_KIND_ATTR ? ' ' : '<';
    *e++ = '<';
    *e++ = '/';
    if (name.prefix_len) {
        memcpy(s, name.prefix, name.prefix_len);
        memcpy(e, name.prefix, name.prefix_len);
        s += name.prefix_len;
        e += name.prefix_len;
        *s++ = *e++ = ':';
    }
    memcpy(s, name.local, name.local_len);
    memcpy(e, name.local, name.local_len);
    s += name.local_len;
    e += name.local_len;
    *e++ = '>';
    if (t->start[0] == ' ') {
        *s++ = '=';
        *s++ = '"';
    }
    t->any_default = name.uri_len != 0;
    t->pair =
        (gx_html_element(w->o->method, w->o->xhtml, name.uri, name.uri_len, name.local, name.local_len) & GX_E_PAIR)
        != 0;
    t->start_len = (u8)(s - t->start);
    t->end_len = (u8)(e - t->end);
    return t;
}

/* find_tag, whose answer is known for all nodes with a label but the first */
static inline const tag *tag_of(walker *w, view *v, u32 id)
{
    const u32 k = GX_LABEL_ID(v->label[id]);
    return v->tags && k < v->doc->n_labels && v->tags[k].state != TAG_UNKNOWN ? &v->tags[k] : find_tag(w, v, id);
}

/* Appends ready bytes of a tag: 30 are copied whatever len is. */
static inline void put_tag(gx_writer *w, const char *s, u32 len)
{
    if (w->at >= w->end)
        gx_writer_flush(w);
    memcpy(w->at, s, 30);                       /* constant size: two moves; the writer has 64 bytes of slack */
    w->at += len;
}

/* Can an element inside the copied tree be written as bytes? Asked again for its end tag: the answer depends on the
 * document only. */
enum { ALL_EVENTS = 0, BYTES, BYTES_DEFAULT /* a default namespace is in scope: elements in none are not easy */ };
static inline const tag *easy(walker *w, view *v, u32 id, int bytes)
{
    if (!bytes || (v->ns && v->ns[id] != v->ns[v->parent[id]]))
        return NULL;
    const tag *t = tag_of(w, v, id);
    return t->state == TAG_EASY && (bytes == BYTES || t->any_default) ? t : NULL;
}

/* The attributes of the open element, from *id on, as events; *id: the first node behind them. Namespace nodes are
 * passed over: node_namespaces() has declared them. */
static void copy_attributes(walker *w, view *v, u32 *id, u32 stop)
{
    u32 i = *id;
    for (; i < stop && GX_IS_ATTACHED(GX_LABEL_KIND(v->label[i])); i++)
        if (GX_LABEL_KIND(v->label[i]) == GX_KIND_ATTR)
            copy_leaf(w, v, i);
    *id = i;
}

/* An element's start tag as ready bytes, with its attributes, which are the nodes behind *id; *id: behind them, at most
 * stop. Attributes whose names need care are written by their parts. Namespace nodes are skipped: the caller has seen
 * that none is needed. O(bytes). */
static void put_start(walker *w, view *v, const tag *t, u32 *id, u32 stop)
{
    gx_writer *out = &w->o->w;
    u32 i = *id;
    put_tag(out, t->start, t->start_len);
    for (; i < stop && GX_IS_ATTACHED(GX_LABEL_KIND(v->label[i])); i++) {
        const tag *a;
        const char *p;
        u32 n;
        gx_outname name;
        if (GX_LABEL_KIND(v->label[i]) == GX_KIND_NS)
            continue;
        if (!node_text(w, v, i, &p, &n))
            return;
        if ((a = tag_of(w, v, i))->state == TAG_EASY)
            put_tag(out, a->start, a->start_len);
        else if (label_name(w, v, i, &name)) {
            gx_putc(out, ' ');
            gx_writer_name(out, name.prefix, name.prefix_len);
            name.prefix_len ? gx_putc(out, ':') : (void)0;
            gx_writer_name(out, name.local, name.local_len);
            GX_PUTS(out, "=\"");
        }
        gx_writer_escape(out, p, n, GX_ESC_ATTR);
        gx_putc(out, '"');
        if (a->space)
            gx_out_xml_space(w->o, p, n);
    }
    *id = i;
}

/*
 * The subtree of an element. Linear in its nodes: the ids run on, and what must be closed before a node are the
 * elements from the last one written up to the node's parent.
 *
 * Inside the top element, elements with the same namespaces in scope as their parent are written as ready bytes
 * ("easy") when the output is plain xml. They do not stand on the output's stack of elements, unless it indents:
 * nothing else that is inside can tell.
 *
 * of_templates: for GX_KID_COPY. It differs from xsl:copy-of in what xmlns="" is written for: copy_undeclared.
 */
static void copy_tree(walker *w, view *v, u32 top, int of_templates)
{
    gx_out *o = w->o;
    u32 id = top + 1, stop = v->next[top], cur = top;
    if (stop > v->n || stop <= top) {
        bad(w, "a subtree");
        return;
    }
    if (o->flat || o->cap) {                    /* only text counts: that is one slice */
        const char *p;
        u32 n;
        if (node_text(w, v, top, &p, &n))
            gx_out_text(o, p, n, 0);
        return;
    }
    o->work += (stop - top) / 4;
    const int plain = !o->tree && !o->cap && !(o->spec && o->spec->n_cdata) && !(o->flags & GX_E_DYNAMIC);
    copy_start(w, v, top);
    copy_attributes(w, v, &id, stop);
    int bytes = plain && o->method == GX_METHOD_XML;    /* the first element has decided the method */
    if (id < stop) {
        gx_out_close_tag(o);
        v->listed = (v->ns ? v->ns[top] : 0) + 1;
        v->listed_ctx = o->ctx;
    }
    if (bytes && gx_out_has_default(o))
        bytes = BYTES_DEFAULT;
    for (;;) {
        u32 up = id < stop ? v->parent[id] : top;
        const tag *t;
        while (cur != up) {
            if (cur <= top || v->parent[cur] >= cur || v->parent[cur] < top) {
                bad(w, "a parent");
                return;
            }
            if ((t = easy(w, v, cur, bytes))) {
                if (o->indent)
                    gx_out_up(o);
                put_tag(&o->w, t->end, t->end_len);
            } else
                gx_out_end(o);
            cur = v->parent[cur];
        }
        if (id >= stop || w->status != GX_OK || gx_out_failed(o))
            break;
        u32 kind = GX_LABEL_KIND(v->label[id]);
        if (kind == GX_KIND_ELEM) {
            u32 me = id++;
            if ((t = easy(w, v, me, bytes))) {
                if (o->open)
                    gx_out_close_tag(o);
                if (o->indent) {
                    gx_out_indent(o, 0);
                    gx_out_deeper(o);
                }
                put_start(w, v, t, &id, stop);
                if (v->next[me] <= id && !t->pair) {
                    GX_PUTS(&o->w, "/>");
                    if (o->indent)
                        gx_out_up(o);
                    continue;
                }
                gx_putc(&o->w, '>');
            }
            else {
                copy_start(w, v, me);
                if (!of_templates)
                    copy_undeclared(w, v, me);
                copy_attributes(w, v, &id, stop);
            }
            cur = me;
        }
        else if (kind == GX_KIND_TEXT && bytes && !o->indent) {
            const char *p;
            u32 n;
            if (!node_text(w, v, id, &p, &n))
                return;
            if (o->open)
                gx_out_close_tag(o);
            gx_writer_escape(&o->w, p, n, GX_ESC_TEXT);
            id++;
        }
        else
            copy_leaf(w, v, id++);
    }
    gx_out_end(o);
}

/* xsl:copy-of of a node, or of a root's children: each subtree by copy_tree(), leaves by copy_leaf(). of_templates: it
 * stands for identity templates (GX_KID_COPY). O(nodes), each of which is work. */
static void copy_node(walker *w, u32 node, int of_templates)
{
    view *v = view_of(w, node);
    w->o->work++;
    if (!v || w->o->ignore)
        return;
    u32 id = node - v->base, stop = id + 1;
    if (GX_LABEL_KIND(v->label[id]) == GX_KIND_ROOT)    /* its children */
        stop = v->next[id++];
    while (id < stop && w->status == GX_OK && !gx_out_failed(w->o)) {
        if (id >= v->n) {
            bad(w, "a subtree");
            return;
        }
        u32 elem = GX_LABEL_KIND(v->label[id]) == GX_KIND_ELEM;
        w->o->work++;
        elem ? copy_tree(w, v, id, of_templates) : copy_leaf(w, v, id);
        id = elem ? v->next[id] : id + 1;
    }
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

/* On to code where there is some for f->pc, made for what is in scope; 0: there is none, and events go on. */
static inline int take_entry(walker *w, frame *f)
{
    const u32 at = w->entry[f->pc] & ~GX_ENTRY_CLOSES;
    if (!at || (w->words[at] != GX_NONE && !gx_out_has_list(w->o, w->words[at])))
        return 0;
    f->code = w->words + at + 1;
    f->stop = f->pc;
    if (w->o->open)
        w->o->flags |= GX_E_FIXED;              /* attributes may still come */
    return 1;
}

/* Where a row of a body begins: in code if there is some and it may run here. */
static inline void begin_row(walker *w, frame *f)
{
    const gx_body *b = &w->bodies[f->body];
    f->pc = b->first;
    f->stop = b->first + b->n;
    f->code = NULL;
    f->kid = f->kid_stop = NULL;
    if (b->n && w->entry && gx_out_plain(w->o))
        take_entry(w, f);
}

/* What is on for as long as a frame lives (AFTER_*) */
static void switch_on(walker *w, u32 after)
{
    if (after & AFTER_IGNORE)
        w->o->ignore++;
    if (after & AFTER_FLAT)
        w->o->flat++;
    if (after & AFTER_QUIET)
        w->quiet++;
    if (after & AFTER_SEALED)
        w->o->sealed = 1;
    if (after & AFTER_LEAF)
        w->o->flags |= GX_E_MIXED;
}

static void switch_off(walker *w, u32 after)
{
    if (after & AFTER_IGNORE)
        w->o->ignore--;
    if (after & AFTER_FLAT)
        w->o->flat--;
    if (after & AFTER_QUIET)
        w->quiet--;
    if (after & AFTER_SEALED)
        w->o->sealed = 0;
    if (after & AFTER_LEAF)
        w->o->flags &= ~(u32)GX_E_MIXED;
}

/*
 * Pushes a frame: rows row .. row_stop-1 of a chunk are written next. after: what is switched on for as long as the
 * frame lives (AFTER_*), and off by walk() when it is done. Nothing happens for no rows.
 *
 * The chunk, its group, its body and its columns are checked here, once for all rows; values are checked as they are
 * read. w->frames may move. Fails with GX_EBAD where something does not check out, the stack is deeper than there are
 * groups (frames that hold themselves), or with GX_ENOMEM. O(1) amortised.
 */
static void enter(walker *w, u32 chunk_ref, u64 row, u64 row_stop, u32 after)
{
    const gx_chunk *c = at(w, chunk_ref, 0, sizeof *c);
    if (row == row_stop && c)
        return;
    if (!c || row_stop > c->n || row > row_stop) {
        bad(w, "a chunk");
        return;
    }
    const gx_group *g = at(w, c->group, 0, sizeof *g);
    if (!g || g->body >= w->p->bodies.n || row_stop + c->row0 > g->n) {
        bad(w, "a group");
        return;
    }
    const gx_body *b = &w->bodies[g->body];
    if (b->n_slots && !range(w, g->slots, 0, b->n_slots, sizeof(gx_col))) {
        bad(w, "a group's columns");
        return;
    }
    if (w->n_frames >= w->max_frames) {
        bad(w, "frames inside themselves");
        return;
    }
    if (w->n_frames == w->cap_frames) {
        u32 cap = w->cap_frames ? w->cap_frames * 2 : 64;
        frame *more = realloc(w->frames, cap * sizeof *more);
        if (!more) {
            w->status = gx_fail(w->err, GX_ENOMEM, "", 0, 0, "no memory for the serialiser's stack");
            return;
        }
        w->frames = more;
        w->cap_frames = cap;
    }
    if (after)
        switch_on(w, after);
    frame *f = &w->frames[w->n_frames++];
    f->g = g;
    f->slots = b->n_slots ? (const gx_col *)(const void *)(w->base + (u64)g->slots * 4) : NULL;
    f->body = g->body;
    f->row = (u32)row + c->row0;
    f->row_stop = (u32)row_stop + c->row0;
    f->after = after;
    begin_row(w, f);
}

/* One gx_kid: a frame, or a node whose string-value is text, or that is copied. */
static void enter_kid(walker *w, const gx_kid *kid, u32 after)
{
    const char *p;
    u32 n;
    if (kid->chunk == GX_NONE)
        return;
    if (kid->chunk == GX_KID_TEXT) {
        const view *v = view_of(w, kid->row);
        w->o->work++;
        if (v && node_text(w, v, kid->row - v->base, &p, &n))
            gx_out_text(w->o, p, n, 0);
        return;
    }
    if (kid->chunk == GX_KID_COPY) {
        copy_node(w, kid->row, 1);
        return;
    }
    enter(w, kid->chunk, kid->row, (u64)kid->row + 1, after);
}

/*
 * The child frames of an instruction for f's row, by the kind of its column (result.h): KID_ROW the same row of a
 * chunk, KID_OPT one or none, KID_RANGE rows b[0] .. b[1] - 1, KID_PAIR a chunk and row of its own, KID_LIST several of
 * these.
 *
 * A list is not entered here: f->kid and f->kid_stop say what walk() enters one after the other, so that the stack has
 * one frame a level. f may move where one is entered.
 */
static void enter_kids(walker *w, frame *f, const gx_col *c)
{
    u32 row = f->row, i = c->is_const ? 0 : row;
    const u32 *b;
    const gx_kid *kid;
    switch (c->type) {
    case GX_C_KID_ROW:
        enter(w, c->a, row, (u64)row + 1, AFTER_NOTHING);
        return;
    case GX_C_KID_OPT:
        if (!(b = at(w, c->b, i, 4)))
            break;
        if (*b != GX_NONE)
            enter(w, c->a, *b, (u64)*b + 1, AFTER_NOTHING);
        return;
    case GX_C_KID_RANGE:
        if (!(b = range(w, c->b, i, 2, 4)) || b[0] > b[1])
            break;
        if (b[0] < b[1])
            enter(w, c->a, b[0], b[1], AFTER_NOTHING);
        return;
    case GX_C_KID_LIST:
        if (!(b = range(w, c->b, i, 2, 4)) || b[0] > b[1])
            break;
        if (b[0] == b[1])
            return;
        if (!(kid = range(w, c->a, b[0], b[1] - b[0], sizeof *kid)))
            break;
        f->kid = kid;
        f->kid_stop = kid + (b[1] - b[0]);
        return;
    case GX_C_KID_PAIR:
        if (!(kid = at(w, c->a, i, sizeof *kid)))
            break;
        enter_kid(w, kid, AFTER_NOTHING);
        return;
    case GX_T_ANY:                              /* an empty body: nothing was made */
        return;
    }
    bad(w, "child frames");
}

/* ---- one instruction at a time ----------------------------------------------------------------------------------- */

/* GX_E_* and GX_A_* of a name of the program, found when the stylesheet was compiled; GX_E_UNKNOWN: the output must
 * look at the name, since bytes were prepared for another method. */
static u32 name_flags(const walker *w, u32 i)
{
    return w->o->prepared_ok ? w->words[w->prepared->elem_flags + i] : (u32)GX_E_UNKNOWN;
}

static void qname(const walker *w, u32 i, gx_outname *out)
{
    const gx_qname *q = &GX_PROG_TAB(w->p, gx_qname, qnames)[i];
    out->prefix = GX_LIT_AT(w->p, q->prefix);
    out->prefix_len = GX_LIT(w->p, q->prefix).len;
    out->local = GX_LIT_AT(w->p, q->local);
    out->local_len = GX_LIT(w->p, q->local).len;
    out->uri = GX_LIT_AT(w->p, q->uri);
    out->uri_len = GX_LIT(w->p, q->uri).len;
}

/* What is wrong with the expanded name that in (xsl:element or xsl:attribute) has computed from s, else NULL: a
 * sentence with %.*s */
static const char *name_error(walker *w, const frame *f, const gx_instr *in, const char *s, u32 n, gx_outname *out)
{
    const gx_program *p = w->p;
    char num[GX_NUMBER_CHARS];
    u32 colon = 0;
    const int is_attr = in->op == GX_I_ATTR_DYN;
    memset(out, 0, sizeof *out);
    out->uri = out->prefix = "";
    while (colon < n && s[colon] != ':')
        colon++;
    out->local = s;
    out->local_len = n;
    if (colon < n) {
        out->prefix = s;
        out->prefix_len = colon;
        out->local = s + colon + 1;
        out->local_len = n - colon - 1;
    }
    if (!gx_is_ncname(out->local, out->local_len) || (colon < n && !gx_is_ncname(out->prefix, out->prefix_len))
        || (is_attr && n == 5 && !memcmp(s, "xmlns", 5)))
        return is_attr ? "xsl:attribute: \"%.*s\" is not a name that it can have"
                       : "xsl:element: \"%.*s\" is not a name that it can have";
    if (in->a != GX_NONE) {
        if (value_text(w, &f->slots[in->slot + 1], f->row, num, &out->uri, &out->uri_len) != 1 || out->uri == num)
            bad(w, "a namespace");
        else if (out->uri_len == sizeof XMLNS_URI - 1 && !memcmp(out->uri, XMLNS_URI, out->uri_len))
            return is_attr ? "xsl:attribute: \"%.*s\" cannot be in the namespace " XMLNS_URI
                           : "xsl:element: \"%.*s\" cannot be in the namespace " XMLNS_URI;
        return NULL;
    }
    if (out->prefix_len == 3 && !memcmp(out->prefix, "xml", 3)) {
        out->uri = GX_XML_URI;
        out->uri_len = 36;
    }
    else if (out->prefix_len || !is_attr) {
        int found = !out->prefix_len;
        if (in->b < p->nslists.n) {
            const gx_nslist *l = &GX_PROG_TAB(p, gx_nslist, nslists)[in->b];
            for (u32 i = 0; i < l->n; i++) {
                const gx_nsdecl *d = &GX_PROG_TAB(p, gx_nsdecl, nsdecls)[l->first + i];
                gx_lit prefix = GX_LIT(p, d->prefix);
                if (prefix.len == out->prefix_len && !memcmp((const char *)p + prefix.off, out->prefix, prefix.len)) {
                    out->uri = GX_LIT_AT(p, d->uri);
                    out->uri_len = GX_LIT(p, d->uri).len;
                    found = 1;
                }
            }
        }
        if (!found)
            return is_attr ? "xsl:attribute: the prefix of \"%.*s\" is not declared"
                           : "xsl:element: the prefix of \"%.*s\" is not declared";
    }
    return NULL;
}

/* The name of xsl:element or xsl:attribute. 0: failed, or there is none, which is warned of where the element or
 * attribute begins. */
static int dynamic_name(walker *w, const frame *f, const gx_instr *in, int begins, gx_outname *out)
{
    char num[GX_NUMBER_CHARS];
    const char *s;
    u32 n;
    /* num would not outlive this call */
    if (value_text(w, &f->slots[in->slot], f->row, num, &s, &n) != 1 || s == num) {
        bad(w, "a name");
        return 0;
    }
    const char *wrong = name_error(w, f, in, s, n, out);
    if (wrong && begins)
        warn(w, in->where, wrong, s, n);
    return !wrong && w->status == GX_OK;
}

/* The sticky status of an output, worded */
static gx_status out_failure(const walker *w, const gx_out *o)
{
    const gx_status s = o->status != GX_OK ? o->status : o->w.status;
    if (s == GX_ELIMIT) {
        gx_fail(w->err, s, "", 0, 0, "the result reaches the limit \"%s\"", o->limit ? o->limit : "output");
        w->err->limit = o->limit ? o->limit : "output";
    }
    else if (s == GX_ETIME)
        gx_fail(w->err, s, "", 0, 0, "%s", GX_LATE);
    else if (s == GX_ECANCEL)
        gx_fail(w->err, s, "", 0, 0, "the receiver takes no more of the result");
    else if (s == GX_EDYNAMIC)
        gx_fail(w->err, s, "", 0, 0, "the output encoding %.*s has no U+%04X, which stands in a name",
                (int)o->encoding_len, o->encoding ? o->encoding : "", o->w.missing);
    else if (s != GX_OK)
        gx_fail(w->err, s, "", 0, 0, "no memory for the result");
    return s;
}

/* Another output on the stack, opened for a fragment; NULL after failing. */
static gx_out *push_out(walker *w, const gx_instr *in)
{
    gx_out *o = NULL;
    if (w->n_outs > MAX_MESSAGES) {
        fail_at(w, GX_EDYNAMIC, in->where, "more than 64 messages or documents inside each other%.*s", "", 0);
        return NULL;
    }
    if (!(o = malloc(sizeof *o)) || gx_out_open(o, w->p, NULL, NULL, w->outs[0]->w.limit) != GX_OK) {
        free(o);
        w->status = gx_fail(w->err, GX_ENOMEM, "", 0, 0, "no memory for a message or document");
        return NULL;
    }
    o->attr_limit = w->outs[0]->attr_limit;
    o->seed = w->outs[0]->seed;
    w->besides[w->n_outs] = NULL;
    w->outs[w->n_outs++] = o;
    w->o = o;
    return o;
}

/* Back to the output around a message or a file. Its work counts for the whole walk, so that many small messages are
 * not free. */
static void pop_out(walker *w)
{
    gx_out *o = w->outs[--w->n_outs];
    w->outs[0]->work += o->work + 16;
    gx_out_close(o);
    free(o);
    gx_beside_free(w->besides[w->n_outs]);
    w->besides[w->n_outs] = NULL;
    w->o = w->outs[w->n_outs - 1];
}

static int add_bytes(void *beside, const char *bytes, size_t n)
{
    return gx_buf_put(&((gx_beside *)beside)->bytes, bytes, n);
}

/* The attributes of a file beside the result are complete (the element that has them, in, ends): its content
 * follows. */
static void beside_begin(walker *w, const gx_instr *in)
{
    const char *around = NULL, *why, *encoding = "UTF-8";
    gx_out *o = w->o;
    if (w->n_outs < 2 || w->besides[w->n_outs - 1] || !o->open) {
        bad(w, "a document");
        return;
    }
    if ((w->status = out_failure(w, o)) != GX_OK)
        return;
    for (u32 i = w->n_outs - 1; i-- > 1 && !around; )
        around = w->besides[i] ? w->besides[i]->href : NULL;
    gx_beside *b = gx_beside_create(o, in->b, around, &why);
    if (!b && why)
        fail_at(w, GX_EDYNAMIC, in->where, "a document beside the result: %.*s", why, (u32)strlen(why));
    else if (!b)
        w->status = gx_fail(w->err, GX_ENOMEM, "", 0, 0, "no memory for a document");
    if (!b)
        return;
    const u64 limit = w->outs[0]->w.limit, work = o->work;
    const gx_output *spec = b->is_own ? &b->spec : GX_PROG_TAB(w->p, gx_output, output);
    w->besides[w->n_outs - 1] = b;
    gx_out_close(o);
    if (gx_out_open(o, w->p, add_bytes, b, limit) != GX_OK) {
        w->status = gx_fail(w->err, GX_ENOMEM, "", 0, 0, "no memory for a document");
        return;
    }
    o->attr_limit = w->outs[0]->attr_limit;
    o->seed = w->outs[0]->seed;
    o->work = work;
    o->strings = b->is_own ? b->strings : NULL;
    o->cdata_names = b->cdata_names;
    if (b->is_own && b->strings[1])
        encoding = b->strings[1];
    else if (!b->is_own && spec->encoding != GX_NONE)
        encoding = GX_LIT_AT(w->p, spec->encoding);
    if (!gx_writer_encoding(&o->w, encoding, (u32)strlen(encoding))) {
        warn(w, in->where, "this encoding is not known here, UTF-8 is used instead: %.*s", encoding,
             (u32)strlen(encoding));
        encoding = "UTF-8";
    }
    o->encoding = encoding;
    o->encoding_len = (u32)strlen(encoding);
    gx_out_begin(o, spec);
}

/* A file beside the result is complete: its bytes go to options->document with the name that its attributes said. What
 * that answers becomes the walk's error, or a warning at the instruction. The output around it goes on. */
static void beside_end(walker *w, const gx_instr *in)
{
    gx_beside *b = w->besides[w->n_outs - 1];
    if (!b) {
        bad(w, "a document");
        return;
    }
    gx_out_finish(w->o);
    if (w->status == GX_OK)
        w->status = out_failure(w, w->o);
    if (w->status == GX_OK) {
        gx_error what;
        memset(&what, 0, sizeof what);
        const gx_status status = w->options->document(w->options->document_ctx, b->href,
                                                      b->bytes.at ? b->bytes.at : "", b->bytes.n, &what);
        if (status != GX_OK)
            fail_at(w, status, in->where, "%.*s", what.text, (u32)strlen(what.text));
        else if (*what.text)
            warn(w, in->where, "%.*s", what.text, (u32)strlen(what.text));
    }
    pop_out(w);
}

/* A message is its content's string-value, as other processors show it: XSLT 1.0, 13, leaves that open, and what a
 * person or a program reads has no use for "&lt;". */
static void message_begin(walker *w, const gx_instr *in)
{
    gx_out *o = push_out(w, in);
    if (!o || in->flags & GX_IF_DOCUMENT)       /* its attributes come first */
        return;
    gx_out_text_only(o);
    if (in->flags & GX_IF_WARNING) {
        char text[1200];
        sentence_at(w, in->where, "%.*s", "", 0, text, sizeof text);
        gx_out_text(o, text, (u32)strlen(text), 0);
    }
}

/* An xsl:message, or a file, ends: its text goes to options->message. With terminate="yes" it becomes the error that
 * the walk ends with, up to 700 bytes of it. */
static void message_end(walker *w, const gx_instr *in)
{
    if (in->flags & GX_IF_DOCUMENT) {
        beside_end(w, in);
        return;
    }
    gx_out *o = w->o;
    gx_out_close_tag(o);
    u32 n = (u32)(o->w.at - o->w.buf);
    if (w->status == GX_OK)
        w->status = out_failure(w, o);
    if (w->status == GX_OK && w->options->message)
        w->options->message(w->options->message_ctx, o->w.buf, n);
    if (in->flags & GX_IF_TERMINATE && w->status == GX_OK) {
        fail_at(w, GX_ETERMINATE, in->where, "%.*s", n ? o->w.buf : "terminated by an empty xsl:message",
                n && n < 700 ? n : 700);
        w->err->told = n && w->options->message;
    }
    w->outs[0]->work += n;
    pop_out(w);
}

/* The frame of a row of an RTF column; 0: that column is damaged */
static int fragment_of(walker *w, const gx_col *c, u32 row, gx_kid *kid)
{
    const u32 i = c->is_const ? 0 : row;
    if (c->flags & GX_C_OWN_ROWS || !c->a) {
        *kid = (gx_kid){ c->a ? c->a : GX_NONE, i };
        return 1;
    }
    const gx_kid *listed = at(w, c->a, i, sizeof *listed);
    if (!listed) {
        bad(w, "a fragment");
        return 0;
    }
    *kid = *listed;
    return 1;
}

/* The group of a fragment whose content has messages, else NULL. */
static const gx_group *speaker(walker *w, const gx_kid *kid)
{
    if (!w->prepared || !w->prepared->messages || !GX_KID_HAS_FRAME(*kid))
        return NULL;
    const gx_chunk *chunk = at(w, kid->chunk, 0, sizeof *chunk);
    const gx_group *g = chunk ? at(w, chunk->group, 0, sizeof *g) : NULL;
    return g && g->body < w->p->bodies.n && (w->words + w->prepared->body_flags)[g->body] & GX_PB_MESSAGE ? g : NULL;
}

/* A fragment, of column c (NULL: of none), is made once and may be copied often: AFTER_QUIET where its messages were
 * given before, else 0, and now they are. */
static u32 silence(walker *w, const gx_col *c, const gx_kid *kid)
{
    u64 key = (u64)kid->chunk << 32 | kid->row;
    if ((c && c->flags & GX_C_QUIET) || !speaker(w, kid))
        return 0;
    if (w->n_spoken * 2 >= w->cap_spoken) {
        u32 cap = w->cap_spoken ? w->cap_spoken * 2 : 64;
        u64 *larger = calloc(cap, sizeof *larger);
        if (!larger) {
            w->status = gx_fail(w->err, GX_ENOMEM, "", 0, 0, "no memory for the serialiser's messages");
            return AFTER_QUIET;
        }
        for (u32 i = 0; i < w->cap_spoken; i++)
            if (w->spoken[i]) {
                u32 to = (u32)(w->spoken[i] * 0x9e3779b97f4a7c15ull >> 32) & (cap - 1);
                while (larger[to])
                    to = (to + 1) & (cap - 1);
                larger[to] = w->spoken[i];
            }
        free(w->spoken);
        w->spoken = larger;
        w->cap_spoken = cap;
    }
    u32 slot = (u32)(key * 0x9e3779b97f4a7c15ull >> 32) & (w->cap_spoken - 1);
    for (; w->spoken[slot]; slot = (slot + 1) & (w->cap_spoken - 1))
        if (w->spoken[slot] == key)
            return AFTER_QUIET;
    w->spoken[slot] = key;
    w->n_spoken++;
    return 0;
}

/* Messages in a variable's content are met when the variable is: its content is walked, and its output dropped. */
static void variable_messages(walker *w, frame *f, const gx_instr *in)
{
    const gx_body *b = &w->bodies[f->body];
    const gx_col *c;
    gx_kid kid;
    if (in->b >= b->n_vars || !f->g->vars || !(c = at(w, f->g->vars, in->b, sizeof *c)))
        return;
    if (c->type != GX_T_RTF || c->flags & GX_C_QUIET || !fragment_of(w, c, f->row, &kid))
        return;
    const gx_group *g = speaker(w, &kid);
    if (!g)
        return;
    if (g->body == in->a)                       /* its own content, not what a caller handed over */
        enter_kid(w, &kid, AFTER_IGNORE | silence(w, c, &kid));
}

/* xsl:copy-of for the frame's row, whatever its value turned out to be: nodes are copied; a fragment's frames are
 * entered as if they stood here; other values are text. tell_late() afterwards: what came too late for it, such as an
 * attribute behind a child, is an error or a warning at this instruction. */
static void copy_of(walker *w, frame *f, const gx_instr *in)
{
    const gx_col *c = &f->slots[in->slot];
    u32 i = c->is_const ? 0 : f->row;
    char num[GX_NUMBER_CHARS];
    const char *p;
    u32 n;
    if (c->type == GX_T_SET) {
        const u32 *first = at(w, c->a, i, 4), *count = at(w, c->b, i, 4), *ids = NULL;
        if (!first || !count || (*count && !(ids = range(w, *first, 0, *count, 4)))) {
            bad(w, "a node-set");
            return;
        }
        for (u32 k = 0; k < *count && w->status == GX_OK && !gx_out_failed(w->o); k++)
            copy_node(w, ids[k], 0);
        tell_late(w, in);
        return;
    }
    if (c->type == GX_T_NODE) {
        const u32 *node = at(w, c->a, i, 4);
        if (!node)
            bad(w, "a node");
        else if (*node != GX_NONE)
            copy_node(w, *node, 0);
        tell_late(w, in);
        return;
    }
    if (c->type == GX_T_RTF && c->a) {
        gx_kid kid;                             /* in a fragment in a fragment the tag was sealed by the outer one */
        if (fragment_of(w, c, f->row, &kid))
            enter_kid(w, &kid, silence(w, c, &kid) | (w->o->open && !w->o->sealed ? AFTER_SEALED : 0));
        return;
    }
    if (value_text(w, c, f->row, num, &p, &n) == 1)
        gx_out_text(w->o, p, n, 0);
}

/* A value as text; a fragment's string that nobody computed is its frames' text. */
static void value_out(walker *w, frame *f, const gx_instr *in)
{
    const gx_col *c = &f->slots[in->slot];
    char num[GX_NUMBER_CHARS];
    const char *p;
    u32 n;
    int got = value_text(w, c, f->row, num, &p, &n);
    if (got == 1)
        gx_out_text(w->o, p, n, in->flags & GX_IF_DOE);
    else if (got == 2) {
        gx_kid kid;
        if (fragment_of(w, c, f->row, &kid))
            enter_kid(w, &kid, AFTER_FLAT | silence(w, c, &kid));
    }
}

static u32 context_of(walker *w, const frame *f)
{
    const u32 *node = at(w, f->g->context, f->row, 4);
    if (!node)
        bad(w, "a context node");
    return node ? *node : GX_NONE;
}

/* xsl:copy. 1: its content follows; 0: the node was all. */
static int copy_begin(walker *w, const frame *f, const gx_instr *in)
{
    u32 node = context_of(w, f);
    view *v = w->status == GX_OK ? view_of(w, node) : NULL;
    if (!v)
        return 0;
    u32 id = node - v->base, kind = GX_LABEL_KIND(v->label[id]);
    if (kind == GX_KIND_ROOT)
        return 1;
    if (kind != GX_KIND_ELEM) {
        copy_leaf(w, v, id);
        tell_late(w, in);
        return 0;
    }
    copy_start(w, v, id);
    return 1;
}

static void copy_end(walker *w, const frame *f)
{
    u32 node = context_of(w, f);
    const view *v = w->status == GX_OK ? view_of(w, node) : NULL;
    if (v && GX_LABEL_KIND(v->label[node - v->base]) == GX_KIND_ELEM)
        gx_out_end(w->o);
}

/* xsl:processing-instruction with its name, which the machine evaluated: what cannot be a name is an error at the
 * instruction. */
static void pi_begin(walker *w, frame *f, const gx_instr *in)
{
    const char *p;
    char num[GX_NUMBER_CHARS];
    u32 n;
    if (value_text(w, &f->slots[in->slot], f->row, num, &p, &n) != 1 || p == num) {
        bad(w, "a name");
        return;
    }
    if (!gx_is_ncname(p, n) || (n == 3 && gx_ascii_equal(p, n, "xml")))
        fail_at(w, GX_EDYNAMIC, in->where, "xsl:processing-instruction: \"%.*s\" cannot be a name", p,
                n < 100 ? n : 100);
    gx_out_pi_begin(w->o, p, n);
}

/* GX_I_END of the instruction begun; w->o may be another one then. */
static void end_event(walker *w, frame *f, const gx_instr *begun)
{
    gx_outname name;
    switch ((gx_iop)begun->op) {
    case GX_I_ELEM:
        if (begun->flags & GX_IF_DOCUMENT)
            beside_begin(w, begun);
        else
            gx_out_end(w->o);
        break;
    case GX_I_ELEM_DYN:
        if (dynamic_name(w, f, begun, 0, &name))
            gx_out_end(w->o);
        break;
    case GX_I_ATTR: case GX_I_ATTR_DYN: gx_out_attr_end(w->o); break;
    case GX_I_COMMENT: gx_out_comment_end(w->o); break;
    case GX_I_PI: gx_out_pi_end(w->o); break;
    case GX_I_COPY: copy_end(w, f); break;
    case GX_I_MESSAGE: message_end(w, begun); break;
    default: break;
    }
}

/*
 * Instructions from f->pc on as events for output.c, until a child frame is entered, f->stop is reached, or prepared
 * code can take over. An element's start and its END are instructions of one body, so a frame that is left in between
 * (for its children) finds its place by f->pc.
 *
 * Depth first needs no order of its own: each instruction's children are walked before the next one is looked at. w->o
 * changes where a message or a file begins or ends. Fails through w->status: messages that terminate, errors of
 * instructions, names that cannot be.
 */
static void run_events(walker *w, frame *f)
{
    gx_out *o = w->o;
    u32 n_frames = w->n_frames;
    gx_outname name;
    while (f->pc < f->stop && w->status == GX_OK) {
        const gx_instr *in = &w->instrs[f->pc];
        if (w->entry && w->entry[f->pc] && !f->code) {
            if (w->entry[f->pc] & GX_ENTRY_CLOSES && o->open && !(o->ignore | o->cap | o->flat))
                gx_out_close_tag(o);            /* as the element would */
            if (gx_out_plain(o) && take_entry(w, f))
                return;
        }
        f->pc++;
        switch ((gx_iop)in->op) {
        case GX_I_TEXT:
            gx_out_text(o, GX_LIT_AT(w->p, in->a), GX_LIT(w->p, in->a).len, in->flags & GX_IF_DOE);
            break;
        case GX_I_VALUE:
        case GX_I_NUMBER:
            value_out(w, f, in);
            break;
        case GX_I_ELEM:
            qname(w, in->a, &name);
            if (in->flags & GX_IF_DOCUMENT) {
                gx_out_start(o, &name, GX_E_FIXED);
                break;
            }
            gx_out_start(o, &name, (name_flags(w, in->a) & ~(GX_A_BOOLEAN | GX_A_URI)) | (f->code ? GX_E_FIXED : 0));
            if (in->b != GX_NONE)
                gx_out_nslist(o, in->b);
            break;
        case GX_I_ELEM_DYN:
            if (dynamic_name(w, f, in, 1, &name))
                gx_out_start(o, &name, GX_E_UNKNOWN);
            else if (o->open && !o->ignore && !o->cap && !o->flat)
                gx_out_close_tag(o);            /* 7.1.2: the content stands for it, without its attributes */
            break;
        case GX_I_ATTR:
            qname(w, in->a, &name);
            gx_out_attr_begin(o, &name, name_flags(w, in->a) & (GX_A_BOOLEAN | GX_A_URI | GX_E_UNKNOWN));
            tell_late(w, in);
            break;
        case GX_I_ATTR_DYN:
            gx_out_attr_begin(o, dynamic_name(w, f, in, 1, &name) ? &name : NULL, GX_E_UNKNOWN);
            tell_late(w, in);
            break;
        case GX_I_COMMENT:
            gx_out_comment_begin(o);
            break;
        case GX_I_PI:
            pi_begin(w, f, in);
            break;
        case GX_I_COPY:
            if (!copy_begin(w, f, in))
                f->pc = in->c + 1;
            break;
        case GX_I_COPY_OF:
            copy_of(w, f, in);
            break;
        case GX_I_MESSAGE:
            if (w->quiet || (in->flags & GX_IF_DOCUMENT && !w->options->document)) {
                f->pc = in->c + 1;
                break;
            }
            message_begin(w, in);
            o = w->o;
            break;
        case GX_I_ERROR:
            fail_at(w, GX_EDYNAMIC, in->where, "%.*s", GX_LIT_AT(w->p, in->a), GX_LIT(w->p, in->a).len);
            break;
        case GX_I_IF: case GX_I_CHOOSE: case GX_I_FOR_EACH: case GX_I_APPLY: case GX_I_APPLY_IMPORTS: case GX_I_CALL:
            enter_kids(w, f, &f->slots[in->slot]);
            if (w->n_frames != n_frames || f->kid < f->kid_stop)
                return;
            break;
        case GX_I_VAR: case GX_I_PARAM:
            if (w->prepared && w->prepared->messages && !w->quiet)
                variable_messages(w, f, in);
            break;
        case GX_I_END:
            end_event(w, f, &w->instrs[in->a]);
            o = w->o;
            break;
        default:
            break;
        }
        if (w->n_frames != n_frames)            /* f may have moved */
            return;
    }
}

static inline u64 written(const gx_out *o) { return o->w.sunk + (u64)(o->w.at - o->w.buf); }

/* What comes before n prepared bytes, by the signs of their operator: white space, a line break. Returns how many of
 * the bytes are not written: of an end tag where its element turns out empty. */
static __attribute__((noinline)) u32 bytes_begin(gx_out *o, u32 signs, const char *s, u32 n)
{
    if (signs & GX_SO_CHILD)
        gx_out_indent(o, 0);
    if (signs & GX_SO_DEEPER)
        gx_out_deeper(o);
    if (signs & GX_SO_UP)
        gx_out_up(o);
    if (signs & GX_SO_CLOSES && written(o) == o->tag_end && o->w.status == GX_OK) {
        if (o->method != GX_METHOD_XML)
            return 0;
        o->w.at[-1] = '/';          /* a full buffer is flushed before more is put into it, so the '>' is still there */
        return (u32)((const char *)memchr(s, '>', n) - s);
    }
    if (signs & o->last)
        gx_putc(&o->w, '\n');
    return 0;
}

/*
 * Prepared code (prepared.h) from f->code on, until a child frame is entered, a stretch of instructions is wanted as
 * events, or the body ends. Literal tags and text are bytes that lie ready: one copy for a run of them.
 *
 * Two things are known only now. Whether an element is empty: its end tag's run has CLOSES, and if nothing was written
 * since tag_end, the start tag's ">" becomes "/>". And, indented, whether its element is mixed. f->code is stored where
 * a child's frame may move f. O(bytes written), and value_text() for each value.
 */
static inline __attribute__((always_inline)) void run_code(walker *w, frame *f, char *num)
{
    const gx_prepared *p = w->prepared;
    const char *bytes = (const char *)p + p->bytes;
    gx_out *o = w->o;
    const u32 *code = f->code;
    u32 n_frames = w->n_frames;
    const char *s;
    u32 n;
    for (;;) {
        switch (*code) {
        case GX_SO_BYTES:
            if (o->open)
                gx_out_close_tag(o);
            s = bytes + code[1];
            n = code[2];
            if (code[3]) {
                const u32 skip = bytes_begin(o, code[3], s, n);
                s += skip;
                n -= skip;
            }
            if (n <= GX_PREPARED_SLACK && o->w.at < o->w.end) {         /* constant sizes: a few moves */
                memcpy(o->w.at, s, GX_PREPARED_SLACK / 2);
                if (n > GX_PREPARED_SLACK / 2)
                    memcpy(o->w.at + GX_PREPARED_SLACK / 2, s + GX_PREPARED_SLACK / 2, GX_PREPARED_SLACK / 2);
                o->w.at += n;
            } else
                gx_put(&o->w, s, n);
            if (code[4] & GX_SO_OPENS)
                o->tag_end = written(o);
            o->last = code[4] & GX_LAST_BLOCK;
            code += 5;
            break;
        case GX_SO_TEXT:
        case GX_SO_RAW: {
            int got = value_here(w, &f->slots[code[1]], f->row, num, &s, &n);
            if (got == 1 && n) {
                if (o->open)
                    gx_out_close_tag(o);
                *code == GX_SO_TEXT ? gx_writer_escape(&o->w, s, n, GX_ESC_TEXT)
                    : o->method == GX_METHOD_TEXT ? gx_put(&o->w, s, n) : gx_writer_unescaped(&o->w, s, n);
                o->last = GX_LAST_OTHER;
            }
            code += 2;
            if (got == 1)
                break;
            f->code = code;
            const gx_col *c = &f->slots[code[-1]];
            gx_kid kid;
            if (got == 2 && fragment_of(w, c, f->row, &kid))
                enter_kid(w, &kid, AFTER_FLAT | silence(w, c, &kid) | (o->flags & GX_E_MIXED ? 0 : AFTER_LEAF));
            return;
        }
        case GX_SO_ATTR:
            if (value_here(w, &f->slots[code[1]], f->row, num, &s, &n) != 1) {
                bad(w, "a value");
                return;
            }
            gx_writer_escape(&o->w, s, n, (int)code[2]);
            code += 3;
            break;
        case GX_SO_KIDS:
            f->code = code + 2;
            enter_kids(w, f, &f->slots[w->instrs[code[1]].slot]);
            if (w->n_frames != n_frames || f->kid < f->kid_stop || w->status != GX_OK)
                return;
            code += 2;
            break;
        case GX_SO_GEN:
            f->pc = code[1];
            f->stop = code[2];
            f->code = code + 3;
            return;
        case GX_SO_VALUE:
            gx_out_value_begin(o);
            f->pc = code[1];
            f->stop = code[2];
            f->code = code + 3;
            return;
        case GX_SO_VALUE_END:
            gx_out_value_end(o, (int)code[1],
                             code[2] == GX_NONE ? NULL : &GX_PROG_TAB(w->p, gx_qname, qnames)[code[2]]);
            code += 3;
            break;
        case GX_SO_GOTO:
            f->pc = code[1];
            f->stop = w->bodies[f->body].first + w->bodies[f->body].n;
            f->code = NULL;
            return;
        default:
            f->pc = f->stop = 0;
            f->code = NULL;
            return;
        }
    }
}

/* Until no frame is left, or something failed. Each turn does one thing to the top frame, in this order: enters a kid,
 * runs instructions as events, runs prepared code, goes to the next row, or pops the frame and takes back what it had
 * switched (AFTER_*). A row that writes nothing is work, and limited in proportion to what was written: a damaged table
 * of frames may refer to the same frames many times. Every LOOK rows the clock is looked at. */
static void walk(walker *w)
{
    char num[GX_NUMBER_CHARS];
    while (w->n_frames && w->status == GX_OK) {
        frame *f = &w->frames[w->n_frames - 1];
        if (f->kid < f->kid_stop) {
            enter_kid(w, f->kid++, AFTER_NOTHING);
            continue;
        }
        if (f->pc < f->stop) {
            run_events(w, f);
            continue;
        }
        if (f->code) {
            run_code(w, f, num);
            continue;
        }
        if (gx_out_failed(w->o))
            return;
        gx_out *o = w->outs[0];
        if (++o->work > w->work_limit + 16 * written(o)) {
            w->status = gx_fail(w->err, GX_ELIMIT, "", 0, 0, "the result has too many parts that write nothing");
            return;
        }
        if (++w->rows % LOOK == 0 && gx_evaluation_is_late(w->ev))      /* who writes is looked at by the sink */
            w->status = gx_fail(w->err, GX_ETIME, "", 0, 0, "%s", GX_LATE);
        if (++f->row < f->row_stop) {
            begin_row(w, f);
            continue;
        }
        if (f->after)
            switch_off(w, f->after);
        w->n_frames--;
    }
}

/* ---- public calls ------------------------------------------------------------------------------------------------ */

/* Frees what the walk has, also when walker_open() failed halfway: outputs that are still open, tags by document,
 * stacks. */
static void walker_close(walker *w)
{
    while (w->n_outs) {
        gx_out *o = w->outs[--w->n_outs];
        gx_out_close(o);
        gx_beside_free(w->besides[w->n_outs]);
        if (w->n_outs)
            free(o);
    }
    for (u32 i = 0; w->views && i <= w->ev->n_docs / VIEWS; i++) {
        for (u32 k = 0; w->views[i] && k < VIEWS; k++)
            free(w->views[i][k].tags);
        free(w->views[i]);
    }
    free(w->views);
    free(w->source.tags);
    free(w->spoken);
    free(w->told);
    free(w->frames);
}

/* A walker over the result of ev: `used` bytes of its arena count, and nothing beyond them is read. o is the result's
 * output; the caller's, opened. The block of prepared code is used if its head fits this program: it was made by
 * gx_serialize_prepare(), and is not checked further (program/check.c). GX_EBAD: the result has no head. */
static gx_status walker_open(walker *w, const gx_evaluation *ev, u64 used, const gx_serialize_options *options,
                             gx_out *o, gx_error *err)
{
    memset(w, 0, sizeof *w);
    w->err = err;
    w->outs[0] = w->o = o;
    w->n_outs = 1;
    if (used < sizeof(gx_result))
        return gx_fail(err, GX_EBAD, "", 0, 0, "the result does not check out: its head");
    w->ev = ev;
    w->options = options;
    w->p = ev->program;
    w->instrs = GX_PROG_TAB(w->p, gx_instr, instrs);
    w->bodies = GX_PROG_TAB(w->p, gx_body, bodies);
    w->base = ev->base;
    w->used = used;
    w->max_frames = (u32)(w->used / sizeof(gx_group) < 1u << 28 ? w->used / sizeof(gx_group) : 1u << 28) + 16;
    w->work_limit = WORK_PER_RUN + (w->used < WORK_PER_RUN ? w->used : WORK_PER_RUN);
    const gx_prepared *p = (const gx_prepared *)(const void *)((const char *)w->p + w->p->prepared.off);
    if (w->p->prepared.n >= sizeof *p && p->magic == GX_PREPARED_MAGIC && p->size == w->p->prepared.n &&
        p->n_instrs == w->p->instrs.n && p->n_bodies == w->p->bodies.n && p->n_qnames == w->p->qnames.n) {
        w->prepared = p;
        w->words = (const u32 *)(const void *)p;
        w->entry = w->words + p->entry;
    }
    return GX_OK;
}

static u64 used_of(const gx_evaluation *ev)
{
    const gx_result *r = ev->base;
    return r->magic == GX_RESULT_MAGIC ? r->used : 0;
}

/* A host step's arena is this process's own and not complete: its end is not known here, and only the frames' shape is
 * checked. */
#define UNFINISHED (1ull << 40)

/* Where the walk stopped: in the result, or in a message that failed. */
static gx_status verdict(walker *w)
{
    const gx_out *o = w->o;
    const gx_status s = w->status != GX_OK ? w->status : out_failure(w, o);
    if (s == GX_OK && o->w.lost && w->options->message) {       /* 16.3: "should signal an error" */
        char text[160];
        int n = snprintf(
            text, sizeof text,
            "the output encoding %.*s has not all characters of the result: '?' stands for U+%04X, perhaps for others",
            (int)(o->encoding_len < 40 ? o->encoding_len : 40), o->encoding ? o->encoding : "", o->w.lost);
        w->options->message(w->options->message_ctx, text, (u32)n);
    }
    return s;
}

/* An output for the whole result, with the source document's seed for its hash tables and the user's limits. */
static gx_status open_out(gx_out *o, const gx_evaluation *ev, const gx_serialize_options *options, gx_sink sink,
                          void *ctx, gx_error *err)
{
    if (gx_out_open(o, ev->program, sink, ctx, options->limits ? options->limits->output : 0) != GX_OK)
        return gx_fail(err, GX_ENOMEM, "", 0, 0, "no memory for the serialiser");
    o->seed = ev->doc->seed;
    if (options->limits && options->limits->attributes)
        o->attr_limit = options->limits->attributes;
    return GX_OK;
}

static const gx_serialize_options no_options;

/* Messages of functions. Nothing of the output says where a function was called, so they come first, in the order of
 * the calls. */
static void function_messages(walker *w)
{
    for (u32 ref = ((const gx_result *)w->base)->said; ref && w->status == GX_OK; ) {
        const gx_said *said = at(w, ref, 0, sizeof *said);
        if (!said || (said->next && said->next <= ref)) {      /* memory only grows: there are no circles */
            bad(w, "a function's messages");
            return;
        }
        for (u32 row = 0; row < said->n && w->status == GX_OK; row++) {
            gx_kid kid = { said->chunk, row };
            if (!speaker(w, &kid))
                break;
            enter_kid(w, &kid, AFTER_IGNORE | silence(w, NULL, &kid));
            walk(w);
        }
        ref = said->next;
    }
}

/* All of the result: messages of functions, then the frames from the root on. */
static void write_result(walker *w)
{
    const u32 root = ((const gx_result *)w->base)->root;
    function_messages(w);
    if (root)                           /* else the first template's body is empty */
        enter(w, root, 0, 1, AFTER_NOTHING);
    walk(w);
}

/*
 * The result's bytes, to sink, in pieces of a buffer. options: NULL, or encoding, limits, and who takes messages and
 * files; media: NULL, or room for media type and charset, which are known when the first bytes are written. The result
 * may come from a process that is not trusted.
 *
 * Messages of functions come first, then the walk writes all, depth first. O(bytes written + frames). Fails with
 * GX_EBAD, GX_ELIMIT, GX_ETIME, GX_ENOMEM, GX_ECANCEL where the sink takes no more, GX_ETERMINATE and GX_EDYNAMIC;
 * bytes that the sink has taken by then are its own to drop. *err says what and where.
 */
gx_status gx_serialize(const gx_evaluation *ev, const gx_serialize_options *options, gx_sink sink, void *ctx,
                       gx_media *media, gx_error *err)
{
    walker w;
    gx_out o;
    const gx_output *spec = GX_PROG_TAB(ev->program, gx_output, output);
    gx_status s;
    if (!options)
        options = &no_options;
    if ((s = open_out(&o, ev, options, sink, ctx, err)) != GX_OK)
        return s;
    if ((s = walker_open(&w, ev, used_of(ev), options, &o, err)) == GX_OK) {
        const char *encoding = options->encoding ? options->encoding
            : spec->encoding != GX_NONE          ? GX_LIT_AT(w.p, spec->encoding)
                                                 : "UTF-8";
        if (gx_writer_encoding(&o.w, encoding, (u32)strlen(encoding))) {
            o.encoding = encoding;
            o.encoding_len = (u32)strlen(encoding);
        }
        else if (options->message) {
            static const char unknown[] = "this encoding is not known here, UTF-8 is used instead: ";
            char text[160];
            u32 n = (u32)strlen(encoding) < 90 ? (u32)strlen(encoding) : 90;
            memcpy(text, unknown, sizeof unknown - 1);
            memcpy(text + sizeof unknown - 1, encoding, n);
            options->message(options->message_ctx, text, sizeof unknown - 1 + n);
        }
        if (w.prepared && (w.prepared->ascii || o.w.encoding == GX_ENC_UTF8 || o.w.encoding == GX_ENC_UTF16))
            o.prepared_method = (u8)w.prepared->method;
        o.media_out = media;
        gx_out_begin(&o, spec);
        write_result(&w);
        if (w.status == GX_OK && !gx_out_failed(w.o))
            gx_out_finish(&o);
        s = verdict(&w);
    }
    walker_close(&w);
    return s;
}

/* One selected node, on a line of its own: its string-value, or as_xml a copy; an attribute or namespace node then as
 * name="value", which is no document but what a reader expects. options->selected is told after each, so that nodes can
 * be told apart in the bytes. */
static void select_node(walker *w, u32 node, int as_xml)
{
    const view *v = view_of(w, node);
    gx_out *o = w->o;
    const char *p;
    u32 n;
    if (!v || !node_text(w, v, node - v->base, &p, &n))
        return;
    u32 kind = GX_LABEL_KIND(v->label[node - v->base]);
    gx_outname name;
    if (!as_xml)
        gx_put(&o->w, p, n);
    else if (!GX_IS_ATTACHED(kind))
        copy_node(w, node, 0);
    else if (label_name(w, v, node - v->base, &name)) {
        if (kind == GX_KIND_NS)
            name.local_len ? GX_PUTS(&o->w, "xmlns:") : GX_PUTS(&o->w, "xmlns");
        else if (name.prefix_len) {
            gx_writer_name(&o->w, name.prefix, name.prefix_len);
            gx_putc(&o->w, ':');
        }
        gx_writer_name(&o->w, name.local, name.local_len);
        GX_PUTS(&o->w, "=\"");
        gx_writer_escape(&o->w, p, n, GX_ESC_ATTR);
        gx_putc(&o->w, '"');
    }
    gx_putc(&o->w, '\n');
    if (w->options->selected) {
        gx_writer_flush(&o->w);
        w->options->selected(w->options->selected_ctx);
    }
}

/* A selection, one node or value a line: the nodes of the one set, or the one value's text. as_xml: escaped. */
static void select_all(walker *w, const gx_col *c, int as_xml)
{
    char num[GX_NUMBER_CHARS];
    const char *p;
    u32 n;
    if (c->type == GX_T_SET || c->type == GX_T_NODE) {
        const u32 *first = at(w, c->a, 0, 4), *count = c->type == GX_T_SET ? at(w, c->b, 0, 4) : NULL, *ids = first;
        n = first && *first != GX_NONE;
        if (c->type == GX_T_SET) {
            n = count ? *count : 0;
            ids = first && n ? range(w, *first, 0, n, 4) : first;
        }
        if (!ids || (c->type == GX_T_SET && !count)) {
            bad(w, "the selection");
            return;
        }
        for (u32 i = 0; i < n && w->status == GX_OK && !gx_out_failed(w->o); i++)
            select_node(w, ids[i], as_xml);
        return;
    }
    if (value_text(w, c, 0, num, &p, &n) != 1)
        return;
    as_xml ? gx_writer_escape(&w->o->w, p, n, GX_ESC_TEXT) : gx_put(&w->o->w, p, n);
    gx_putc(&w->o->w, '\n');
}

/* The result of a program that is one expression (GX_P_XPATH), a node or value a line, to sink. as_xml: markup,
 * escaped; wrapper: NULL, or the name of an element around all lines, for as_xml only. media, options and errors as in
 * gx_serialize(); GX_EDYNAMIC where the wrapper cannot be a name. O(bytes). */
gx_status gx_serialize_selection(const gx_evaluation *ev, const gx_serialize_options *options, int as_xml,
                                 const char *wrapper, gx_sink sink, void *ctx, gx_media *media, gx_error *err)
{
    walker w;
    gx_out o;
    gx_status s;
    if (!options)
        options = &no_options;
    const char *encoding = options->encoding ? options->encoding : "UTF-8";
    if (!as_xml)
        wrapper = NULL;
    if (wrapper && !gx_is_ncname(wrapper, (u32)strlen(wrapper)))
        return gx_fail(err, GX_EDYNAMIC, "", 0, 0, "\"%.100s\" is not a name for an element", wrapper);
    if ((s = open_out(&o, ev, options, sink, ctx, err)) != GX_OK)
        return s;
    if ((s = walker_open(&w, ev, used_of(ev), options, &o, err)) == GX_OK) {
        if (!gx_writer_encoding(&o.w, encoding, (u32)strlen(encoding)))
            encoding = "UTF-8";
        o.encoding = encoding;
        o.encoding_len = (u32)strlen(encoding);
        if (media) {
            media->type = as_xml ? "application/xml" : "text/plain";
            media->charset = encoding;
        }
        const gx_col *c = at(&w, ((const gx_result *)ev->base)->root, 0, sizeof *c);
        if (wrapper) {
            GX_PUTS(&o.w, "<?xml version=\"1.0\" encoding=\"");
            gx_put(&o.w, encoding, strlen(encoding));
            GX_PUTS(&o.w, "\"?>\n<");
            gx_writer_name(&o.w, wrapper, strlen(wrapper));
            GX_PUTS(&o.w, ">\n");
        }
        if (c)
            select_all(&w, c, as_xml);
        else
            bad(&w, "the selection");
        if (wrapper) {
            GX_PUTS(&o.w, "</");
            gx_writer_name(&o.w, wrapper, strlen(wrapper));
            GX_PUTS(&o.w, ">\n");
        }
        if (w.status == GX_OK && !gx_out_failed(w.o))
            gx_out_finish(&o);
        s = verdict(&w);
    }
    walker_close(&w);
    return s;
}

/*
 * exsl:node-set(): a document of n trees, one for each kid or text, while the machine still runs: the arena has no end
 * yet (UNFINISHED), but it is this process's own. *doc: the caller's to free. Messages inside are not given here: they
 * are met when the result is written. Values have no bytes yet, so all goes by events. O(nodes made). Fails with
 * GX_ENOMEM, GX_ELIMIT (arena), or as the frames do.
 */
gx_status gx_result_to_doc(const gx_evaluation *ev, const gx_kid *kids, const gx_str *texts, u32 n, gx_doc **doc,
                           gx_error *err)
{
    walker w;
    gx_out o;
    gx_status s = open_out(&o, ev, &no_options, NULL, NULL, err);
    if (s != GX_OK)
        return s;
    if ((s = walker_open(&w, ev, UNFINISHED, &no_options, &o, err)) == GX_OK) {
        if (gx_tree_create(&o.tree, ev, NULL) != GX_OK)
            o.status = GX_ENOMEM;
        o.limit = "arena";
        w.prepared = NULL;
        w.entry = NULL;                      /* messages are the output's, and nothing here is bytes */
        for (u32 i = 0; i < n && w.status == GX_OK && !gx_out_failed(&o); i++) {
            const char *p;
            u32 len;
            gx_out_document(&o);
            if (kids) {
                enter_kid(&w, &kids[i], AFTER_NOTHING);
                walk(&w);
            }
            else if (texts && string(&w, &texts[i], &p, &len))
                gx_out_text(&o, p, len, 0);
        }
        if (w.status == GX_OK && !gx_out_failed(w.o))
            o.status = gx_tree_finish(o.tree, doc);
        s = verdict(&w);
        if (o.tree)
            gx_tree_free(o.tree);
    }
    walker_close(&w);
    return s;
}

/* The result as the source document of the next stylesheet, without bytes in between: the same walk, with events into a
 * tree; white space is stripped as `next` says. *doc: the caller's to free, checked like any document from another
 * process. O(nodes). Fails as gx_serialize(). */
gx_status gx_result_as_source(const gx_evaluation *ev, const gx_serialize_options *options, const gx_program *next,
                              gx_doc **doc, gx_error *err)
{
    walker w;
    gx_out o;
    gx_doc *made = NULL;
    gx_status s;
    if (!options)
        options = &no_options;
    if ((s = open_out(&o, ev, options, NULL, NULL, err)) != GX_OK)
        return s;
    if ((s = walker_open(&w, ev, used_of(ev), options, &o, err)) == GX_OK) {
        if (gx_tree_create(&o.tree, ev, next) != GX_OK)
            o.status = GX_ENOMEM;
        o.limit = "arena";
        w.entry = NULL;                      /* nothing here is bytes */
        if (o.tree)
            gx_out_document(&o);
        write_result(&w);
        if (w.status == GX_OK && !gx_out_failed(&o))
            gx_out_finish(&o);
        if (w.status == GX_OK && !gx_out_failed(&o))
            o.status = gx_tree_finish(o.tree, &made);
        s = verdict(&w);
        if (o.tree)
            gx_tree_free(o.tree);
        /* the result may be a worker's, who is not trusted: half a character can be written (U+FFFD), but not
         * evaluated */
        if (s == GX_OK && (s = gx_doc_check(made, made->size, err)) == GX_OK)
            *doc = made;
        else
            free(made);
    }
    walker_close(&w);
    return s;
}
