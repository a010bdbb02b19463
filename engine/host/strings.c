/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strings.c -- EXSLT's str:tokenize, split and replace: strings to trees
 *
 * All rows of a call make one document, a tree each:
 *     tokenize('a b')               root( token(a) token(b) )
 *     replace('a-b', '-', $nodes)   root( "a" copy-of-node "b" )
 * The compiler appends child::node() to the call. Text beside text is one text node, so replacing strings by strings
 * leaves one.
 *
 * Cost: tokenize and split O(string x separator), replace O(search strings x string). Bounds: limits.nodes nodes and
 * limits.arena bytes a call, the deadline is looked at every LOOKS pieces.
 */
#include <stdlib.h>
#include <string.h>
#include <apr_strings.h>
#include "host.h"
#include "machine/nodes.h"
#include "machine/text.h"
#include "output/output.h"

#define LOOKS 4096u
#define NODE_BYTES 32u          /* of a document, at least, for each node */
#define COMMON "http://exslt.org/common"

/* ---- trees ---- */

gx_status gx_host_trees_begin(host *h, gx_host_trees *t)
{
    memset(t, 0, sizeof *t);
    t->h = h;
    if (gx_tree_create(&t->tree, h->ev, NULL) != GX_OK)
        return gx_fail(&h->error, GX_ENOMEM, "", 0, 0, "no memory for a tree");
    return GX_OK;
}

/* A failed call of tree.c as this step's error. */
static gx_status made(gx_host_trees *t, gx_status status)
{
    if (status == GX_OK)
        return GX_OK;
    return gx_fail(&t->h->error, status, "", 0, 0, "%s", status == GX_ENOMEM ? "no memory for a tree"
        : status == GX_ETIME ? GX_LATE : "a tree is too large");
}

static gx_status look(gx_host_trees *t, u32 work)
{
    t->looks += work;
    if (t->looks < LOOKS)
        return GX_OK;
    t->looks = 0;
    return gx_host_look(t->h);
}

static gx_status spend(gx_host_trees *t, u64 bytes)
{
    const gx_limits *limits = t->h->ev->limits;
    t->bytes += bytes;
    if (t->nodes > limits->nodes) {
        gx_fail(&t->h->error, GX_ELIMIT, "", 0, 0, "a string makes more than nodes=%u nodes", limits->nodes);
        t->h->error.limit = "nodes";
        return GX_ELIMIT;
    }
    if (t->bytes + (u64)t->nodes * NODE_BYTES > limits->arena) {
        gx_fail(&t->h->error, GX_ELIMIT, "", 0, 0,
                "a string makes more than arena=%llu bytes of nodes (raise it with GPUXMLLimit arena=N)",
                (unsigned long long)limits->arena);
        t->h->error.limit = "arena";
        return GX_ELIMIT;
    }
    return look(t, 1);
}

gx_status gx_host_trees_next(gx_host_trees *t)
{
    t->nodes++;
    GX_TRY(spend(t, 0));
    return made(t, gx_tree_root(t->tree));
}

static gx_status add_text(gx_host_trees *t, const char *text, u64 n)
{
    if (!n)
        return GX_OK;
    t->nodes++;
    GX_TRY(spend(t, n));
    return made(t, gx_tree_leaf(t->tree, GX_KIND_TEXT, "", 0, text, (u32)n));
}

static gx_status element(gx_host_trees *t, const gx_outname *name, const gx_bound *scope, const char *text, u64 n)
{
    t->nodes++;
    GX_TRY(made(t, gx_tree_start(t->tree, name, scope, scope != NULL, scope == NULL)));
    GX_TRY(add_text(t, text, n));
    gx_tree_end(t->tree);
    return spend(t, 0);
}

gx_status gx_host_trees_element(gx_host_trees *t, const char *name, const char *text, u64 n)
{
    const gx_outname plain = { "", name, "", 0, (u32)strlen(name), 0 };
    return element(t, &plain, NULL, text, n);
}

gx_status gx_host_trees_value(gx_host_trees *t, const char *kind, const char *text, u64 n)
{
    const gx_outname name = { "exsl", kind, COMMON, 4, (u32)strlen(kind), sizeof COMMON - 1 };
    const gx_bound scope = { .prefix = "exsl", .uri = COMMON, .prefix_len = 4, .uri_len = sizeof COMMON - 1 };
    return element(t, &name, &scope, text, n);
}

gx_status gx_host_trees_end(gx_host_trees *t, gx_status status, u32 *roots, u32 n)
{
    gx_doc *doc;
    if (status == GX_OK && (status = made(t, gx_tree_finish(t->tree, &doc))) == GX_OK)
        status = gx_host_add(t->h, doc, roots, n);
    gx_tree_free(t->tree);
    return status;
}

/* ---- tokenize and split ---- */

/* Bytes of the character at s; of what is no UTF-8, one. */
static u32 character(const char *s, u32 n)
{
    u32 code, len = gx_utf8_decode(s, n, &code);
    return len ? len : 1;
}

/* Does a separator begin at s? Its length, or 0. tokenize: one character of sep; split: sep itself. */
static u32 separator(int tokenize, const char *s, u32 n, const char *sep, u32 n_sep)
{
    if (!tokenize)
        return n >= n_sep && !memcmp(s, sep, n_sep) ? n_sep : 0;
    u32 len = character(s, n);
    for (u32 i = 0; i < n_sep; i += character(sep + i, n_sep - i))
        if (len <= n_sep - i && !memcmp(sep + i, s, len))
            return len;
    return 0;
}

/* Tokens are what stands between separators, empty ones left out; no separator at all: each character is a token. */
static gx_status tokens(gx_host_trees *t, int tokenize, const char *s, u32 n, const char *sep, u32 n_sep)
{
    u32 from = 0, i = 0;
    while (i < n) {
        u32 step = character(s + i, n - i), len = n_sep ? separator(tokenize, s + i, n - i, sep, n_sep) : 0;
        if (len && i > from)
            GX_TRY(gx_host_trees_element(t, "token", s + from, i - from));
        if (len)
            from = i + len;
        else if (!n_sep) {
            GX_TRY(gx_host_trees_element(t, "token", s + i, step));
            from = i + step;
        }
        GX_TRY(look(t, 1 + n_sep / 16));
        i += len ? len : step;
    }
    return n > from ? gx_host_trees_element(t, "token", s + from, n - from) : GX_OK;
}

/* ---- replace ---- */

/* A copy of a node and what is in it: into the open element, or the tree's root. Attributes and namespace nodes become
 * their text. */
static gx_status copy_node(gx_host_trees *t, u32 node)
{
    const gx_run *r = t->h->run;
    const gx_view *v = &r->views[gx_view_find(r->views, r->n_docs, node)];
    const char *heap = GX_DOC_COL(v->doc, char, strs);
    const gx_ns_list *lists = GX_DOC_COL(v->doc, gx_ns_list, ns_lists);
    const gx_ns_decl *decls = GX_DOC_COL(v->doc, gx_ns_decl, ns_decls);
    u32 first = node - v->base, last = v->next[first], base = v->depth[first], open = 0;
    if (GX_LABEL_KIND(v->label[first]) == GX_KIND_ROOT)
        first++, base++;
    for (u32 i = first; i < last; i++) {
        u32 kind = GX_LABEL_KIND(v->label[i]), len;
        const char *text = gx_node_bytes(v, i + v->base, &len);
        const gx_label_info *l = &v->labels[GX_LABEL_ID(v->label[i])];
        const gx_outname name = { heap + l->prefix, heap + l->local, heap + l->uri,
                                  l->prefix_len,    l->local_len,    l->uri_len };
        for (; open > v->depth[i] - base; open--)
            gx_tree_end(t->tree);
        t->nodes++;
        GX_TRY(spend(t, kind == GX_KIND_ELEM ? 0 : len));
        if (kind == GX_KIND_ELEM) {
            gx_ns_list list = lists[v->ns ? v->ns[i] : 0];
            /* in the evaluation's pool: not given back */
            GX_TRY(gx_host_take(t->h, (list.n + 1) * sizeof(gx_bound)));
            gx_bound *scope = apr_palloc(t->h->ev->pool, (list.n + 1) * sizeof *scope);
            for (u32 d = 0; d < list.n; d++)
                scope[d] = (gx_bound){ .prefix = heap + decls[list.first + d].prefix,
                                       .uri = heap + decls[list.first + d].uri,
                                       .prefix_len = decls[list.first + d].prefix_len,
                                       .uri_len = decls[list.first + d].uri_len };
            GX_TRY(made(t, gx_tree_start(t->tree, &name, scope, list.n, list.n == 0)));
            open++;
        } else if (kind == GX_KIND_ATTR && open) {
            GX_TRY(made(t, gx_tree_attr(t->tree, &name, text, len)));
        } else if (kind == GX_KIND_COMMENT || kind == GX_KIND_PI) {
            GX_TRY(made(t, gx_tree_leaf(t->tree, kind, name.local, name.local_len, text, len)));
        } else if (kind != GX_KIND_NS || !open) {       /* an element's namespace nodes came with its list */
            GX_TRY(add_text(t, text, len));
        }
    }
    for (; open; open--)
        gx_tree_end(t->tree);
    return GX_OK;
}

/* The search strings of a row: of each node of a set, or one. */
static u32 n_strings(const gx_v *v, u32 row)
{
    u32 b = 0, e = 1;
    if (v->type == GX_T_SET)
        gx_v_range(v, row, &b, &e);
    return e - b;
}

/* The i-th string of a row: a node's of its set, or the row's own. */
static const char *string_at(const host *h, const gx_v *v, u32 row, u32 i, u32 *len)
{
    if (v->type == GX_T_SET) {
        u32 b, e;
        gx_v_range(v, row, &b, &e);
        const u32 node = ((const u32 *)v->data)[b + i];
        return gx_node_bytes(&h->run->views[gx_view_find(h->run->views, h->run->n_docs, node)], node, len);
    }
    gx_str s = gx_host_row(v, row);
    *len = s.len;
    return gx_host_bytes(h, s);
}

/* Text as it is, then what search string `which` is replaced by: the node or string of that number, or nothing. */
static gx_status put_replacement(gx_host_trees *t, const char *text, u32 n, const gx_v *by, u32 row, u32 which)
{
    u32 len;
    GX_TRY(add_text(t, text, n));
    if (which >= n_strings(by, row))
        return GX_OK;
    if (by->type == GX_T_SET) {
        u32 b, e;
        gx_v_range(by, row, &b, &e);
        return copy_node(t, ((const u32 *)by->data)[b + which]);
    }
    const char *s = string_at(t->h, by, row, which, &len);
    return add_text(t, s, len);
}

typedef struct { const char *s; u32 len, characters, number; } search_string;

/* Search string `number` stands at byte `at`. */
typedef struct { u32 at, len, number; } found;

/* What is replaced, in the order of the string; nothing overlaps. */
typedef struct { found *at; u32 n, cap; } finds;

static int longer_first(const void *a, const void *b)
{
    const search_string *x = a, *y = b;
    if (x->characters != y->characters)
        return x->characters > y->characters ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* One more place where str:replace() found something. The array doubles, counted; its length is a limit of nodes. */
static gx_status finds_add(gx_host_trees *t, finds *f, found one)
{
    if (f->n == f->cap) {
        const u32 cap = f->cap ? 2 * f->cap : 64;
        GX_TRY(gx_host_take(t->h, (u64)(cap - f->cap) * sizeof one));
        found *more = realloc(f->at, cap * sizeof *more);
        if (!more)
            return gx_fail(&t->h->error, GX_ENOMEM, "", 0, 0, "no memory for what str:replace finds");
        f->at = more;
        f->cap = cap;
    }
    f->at[f->n++] = one;
    return f->n < t->h->ev->limits->nodes ? GX_OK : spend(t, t->h->ev->limits->arena + 1);
}

/* out: what is in `in`, and between it where `what` stands in s. */
static gx_status find(gx_host_trees *t, const char *s, u32 n, const search_string *what, const finds *in, finds *out)
{
    out->n = 0;
    for (u32 k = 0, from = 0; k <= in->n; k++) {
        const u32 to = k < in->n ? in->at[k].at : n;
        const char *at;
        GX_TRY(look(t, 1 + (to - from) / 64));
        for (; (at = memmem(s + from, to - from, what->s, what->len)) != NULL; from = (u32)(at - s) + what->len)
            GX_TRY(finds_add(t, out, (found){ (u32)(at - s), what->len, what->number }));
        if (k < in->n) {
            GX_TRY(finds_add(t, out, in->at[k]));
            from = to + in->at[k].len;
        }
    }
    return GX_OK;
}

/* "The longest search strings are replaced first", of equally long ones the first in the list. An empty one stands
 * between every two characters that nothing else takes. */
static gx_status replace(gx_host_trees *t, const char *s, u32 n, const gx_v *search, const gx_v *by, u32 row)
{
    const u32 n_search = n ? n_strings(search, row) : 0;
    finds all = { NULL, 0, 0 }, more = { NULL, 0, 0 };
    GX_TRY(gx_host_take(t->h, ((u64)n_search + 1) * sizeof(search_string)));
    search_string *strings = malloc(((u64)n_search + 1) * sizeof *strings);
    gx_status status = strings ? GX_OK : gx_fail(&t->h->error, GX_ENOMEM, "", 0, 0, "no memory for search strings");
    u32 from = 0, k = 0;

    for (; k < n_search && status == GX_OK; k++) {
        strings[k].s = string_at(t->h, search, row, k, &strings[k].len);
        strings[k].characters = gx_text_length(strings[k].s, strings[k].len);
        strings[k].number = k;
    }
    if (status == GX_OK)
        qsort(strings, n_search, sizeof *strings, longer_first);
    for (k = 0; k < n_search && status == GX_OK && strings[k].len; k++) {
        const finds before = all;
        status = find(t, s, n, &strings[k], &before, &more);
        all = more;
        more = before;
    }
    const u32 empty = k < n_search && status == GX_OK ? strings[k].number : GX_NONE;
    k = 0;
    for (u32 i = 0; i < n && status == GX_OK;) {
        const u32 next = k < all.n ? all.at[k].at : n;
        if (i == next) {
            status = put_replacement(t, s + from, i - from, by, row, all.at[k].number);
            i = from = i + all.at[k++].len;
        } else if (empty == GX_NONE) {
            i = next;
        } else if ((i += character(s + i, n - i)) < n) {
            status = put_replacement(t, s + from, i - from, by, row, empty);
            from = i;
        }
    }
    gx_host_give(t->h, ((u64)n_search + 1) * sizeof *strings + ((u64)all.cap + more.cap) * sizeof *all.at);
    free(strings);
    free(all.at);
    free(more.at);
    return status == GX_OK ? add_text(t, s + from, n - from) : status;
}

/* The string-value of each tree, and no document. */
static gx_status take_strings(gx_host_trees *t, gx_status status, u32 n, gx_str *out)
{
    gx_doc *doc;
    if (status == GX_OK && (status = made(t, gx_tree_finish(t->tree, &doc))) == GX_OK) {
        const u32 *roots = GX_DOC_COL(doc, u32, roots), *off = GX_DOC_COL(doc, u32, text_off),
                  *len = GX_DOC_COL(doc, u32, text_len);
        for (u32 i = 0; i < n && status == GX_OK; i++)
            status = gx_host_string(t->h, GX_DOC_COL(doc, char, text) + off[roots[i]], len[roots[i]], &out[i]);
        free(doc);
    }
    gx_tree_free(t->tree);
    return status;
}

gx_status gx_host_cut(host *h, u32 func, const gx_v *args, u32 n, void *out)
{
    gx_host_trees t;
    gx_status status = GX_OK;
    GX_TRY(gx_host_trees_begin(h, &t));
    for (u32 i = 0; i < n && status == GX_OK; i++) {
        gx_str s = gx_host_row(&args[0], i);
        if ((status = gx_host_trees_next(&t)) != GX_OK)
            break;
        if (func == GX_F_STR_REPLACE || func == GX_F_STR_REPLACED) {
            status = replace(&t, gx_host_bytes(h, s), s.len, &args[1], &args[2], i);
        } else {
            gx_str sep = gx_host_row(&args[1], i);
            status = tokens(&t, func == GX_F_STR_TOKENIZE, gx_host_bytes(h, s), s.len, gx_host_bytes(h, sep), sep.len);
        }
    }
    return func == GX_F_STR_REPLACED ? take_strings(&t, status, n, out) : gx_host_trees_end(&t, status, out, n);
}
