/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.c -- a large document by several threads: each scans a part of its bytes
 *
 *   <r><a>..<b>.. | ..</b><b/>..</a><a>.. | ..</a></r>        cut at a '<' that begins a tag
 *      the caller's   a part: it knows the root element's start tag, and nothing else of what is open where it begins
 *
 * A part is scanned by a parser of its own. In place of all elements that are open where it begins there is the root
 * element (`root`): nodes in them are its children, and end tags that close them are listed (gx_scan_close). So a part
 * becomes segments from one such end tag to the next; in each, one element of those before the cut is the parent, and
 * depths are off by one number.
 *
 * A cut may lie in a comment or a CDATA section. Then the parser of the bytes before it does not stop there, the part
 * is not joined, and the caller scans on by itself. The same holds wherever the part met an error, declares what the
 * join cannot repeat (an ID, a label's second prefix), or began in another scope than the root element's. So nothing
 * depends on the cut but time, and the first error is found by the one parser that knows all of what comes before.
 *
 * So a cut is made where an element like the root's first child begins, if there is one near: records may declare
 * namespaces, and no declaration is open between them.
 *
 * Joining repeats what a part's names, scopes and labels did to its tables, in their order, on the caller's: the block
 * is the same to the byte as one thread's. Columns are copied when the block is assembled, straight to their place, by
 * one thread a part; which thread copies the caller's own is decided meanwhile (take_copies).
 *
 * Cost: a part's thread reads the prolog again, and turns its columns' numbers into the document's: about 4 ns a node.
 * Memory: each part's arrays.
 */
#include <pthread.h>
#include "parts.h"

#define MOST_PARTS 8u           /* the caller's is none of them */
#define LEAST_BYTES (1u << 20)  /* of a part: below 2 MiB a document gains nothing from a second thread */
#define RECORD_NAME 64u         /* bytes of a tag that a record begins with, and of what is searched for one */
#define RECORD_BYTES (64u << 10)
#define MOST_PROLOG (64u << 10) /* bytes up to the root element's content */

typedef struct segment {
    u32 n, parent;
    i32 deeper;
} segment; /* nodes before n; their parent where it is the root; depths */

typedef struct part {
    gx_parser *parser;
    const gx_parser *of;        /* the caller's, whose options hold */
    const u8 *s;                /* the document */
    size_t size, from, to;      /* its bytes; the part's */
    gx_buf closes;              /* gx_scan_close */
    pthread_t thread;
    const int *is_cancelled;
    struct gx_parts *parts;     /* that it is one of */
    u8 is_running, is_read;     /* all of it, without an error */
    u32 root;                   /* node; its content begins with node `first`, behind so many bytes of values */
    u32 first, first_value;
    u32 n;                      /* nodes and bytes that are the document's */
    u64 text, values;
    u32 id_at, text_at, value_at;       /* where the first of them goes */
    gx_buf segments;            /* segment */
    gx_buf labels;              /* u32: of the part's labels, the document's */
    gx_columns columns;         /* of the document */
    u32 max_depth;
} part;

struct gx_parts {
    part all[MOST_PARTS];
    u32 n, n_joined;
    int is_cancelled;
    const gx_copy *copies;      /* the caller's; whoever takes one counts it */
    u32 n_copies, n_taken;
};

static u32 parts_of(const gx_parser *p, size_t n)
{
    const size_t least = p->options.part_bytes ? p->options.part_bytes : LEAST_BYTES, most = n / least;
    const u32 threads = p->options.threads > MOST_PARTS + 1 ? MOST_PARTS + 1 : p->options.threads;
    return threads < 2 || most < 2 || n <= GX_SCAN_PAD ? 0 : most < threads ? (u32)most - 1 : threads - 1;
}

int gx_parts_wanted(const gx_parser *p, size_t n)
{
    /* white space that a rule strips depends on the element that it is in, which a part does not know */
    return parts_of(p, n) && !p->scan.careful && !p->names.spaces && !p->doctype && !p->uses_expat;
}

/* Where part i begins, about: the caller has a twentieth more than each, since it begins while their threads are made.
 * What is to be copied afterwards is shared out while it is done (take_copies). */
static size_t share(size_t n, u32 i, u32 parts) { return (size_t)((double)n * (21 + 20 * i) / (21 + 20 * parts)); }

/* ---- a part's thread ---- */

/* Where the root element's content begins; 0: nowhere near, or there is a document type declaration. What is wrong is
 * found by the scanner. */
static size_t content_at(const u8 *s, size_t n)
{
    size_t at = n >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    const size_t end = n < MOST_PROLOG ? n : MOST_PROLOG;
    while (at + 4 < end) {
        const char *close = s[at] != '<' ? NULL : s[at + 1] == '?' ? "?>" : memcmp(s + at, "<!--", 4) == 0 ? "-->" : "";
        if (!close) {
            at++;
            continue;
        }
        if (*close) {
            const u8 *found = memmem(s + at + 2, end - at - 2, close, strlen(close));
            if (!found)
                return 0;
            at = (size_t)(found - s) + strlen(close);
            continue;
        }
        for (u8 quote = 0; at < end; at++) {
            const u8 c = s[at];
            if (quote ? c == quote : c == '"' || c == '\'')
                quote = quote ? 0 : c;
            else if (c == '>' && !quote)
                return at + 1;
        }
    }
    return 0;
}

/* A '<' from `at` on that begins a tag, if it is markup at all; what precedes it does not wait for what follows. 0:
 * there is none near. */
static size_t cut_at(const u8 *s, size_t at, size_t end)
{
    while (at + 1 < end) {
        const u8 *found = memchr(s + at, '<', end - at - 1);
        if (!found)
            break;
        at = (size_t)(found - s);
        if (at && s[at + 1] != '!' && s[at + 1] != '?' && s[at - 1] != ']' && s[at - 1] != '\r')
            return at;
        at++;
    }
    return 0;
}

/* The root element's first child, as its tag begins: mostly records are alike, and where one begins no declaration of
 * the one before is open, which would make the part useless. The length; 0: there is none */
static size_t record_tag(const u8 *s, size_t n, const u8 **tag)
{
    const size_t content = content_at(s, n);
    const u8 *at = content ? memchr(s + content, '<', n - content) : NULL;
    const size_t most = at ? (size_t)(s + n - at) : 0;
    size_t len = 1;
    while (len < most && len <= RECORD_NAME && !memchr(" \t\r\n/>!?", at[len], 8))
        len++;
    *tag = at;
    return len > 1 && len < most && len <= RECORD_NAME ? len : 0;
}

/* As cut_at, but at a record if one begins soon */
static size_t cut_near(const u8 *s, size_t at, size_t end, const u8 *tag, size_t len)
{
    const size_t until = end > at && end - at > RECORD_BYTES ? at + RECORD_BYTES : end;
    for (size_t i = at; len && i + len < until; i++) {
        const u8 *found = memmem(s + i, until - i - 1, tag, len);
        if (!found)
            break;
        i = (size_t)(found - s);
        if (i && memchr(" \t\r\n/>", s[i + len], 6) && s[i - 1] != ']' && s[i - 1] != '\r')
            return i;
    }
    return cut_at(s, at, end);
}

/* The part's own bytes, behind which gx_scan_piece may read: the document's last are copied first. */
static int scan_part(part *a)
{
    gx_parser *q = a->parser;
    size_t at = a->from, used;
    q->scan.scanned = at;
    if (a->to + GX_SCAN_PAD > a->size) {
        const size_t until = a->size > GX_SCAN_PAD + at ? a->size - GX_SCAN_PAD : at;
        if (until > at) {
            if (gx_scan_piece(q, a->s + at, until - at, &used))
                return 0;
            at += used;
        }
        const size_t rest = a->to - at;
        if (gx_buf_room(&q->waiting, rest + GX_SCAN_PAD))
            return 0;
        memcpy(q->waiting.at, a->s + at, rest);
        memset(q->waiting.at + rest, 0, GX_SCAN_PAD);
        if (gx_scan_piece(q, (const u8 *)q->waiting.at, rest, &used))
            return 0;
        /* what the piece's end cut off is the caller's, behind the root element */
        return a->to == a->size || used == rest;
    }
    return gx_scan_piece(q, a->s + at, a->to - at, &used) == GX_SCAN_OK && used == a->to - at;
}

/* One thread's part, with a parser of its own that has the root element's start tag and nothing else open. 1: all its
 * columns are made. 0: an error, or something that only a parser from the beginning knows; the caller then reads these
 * bytes itself. */
static int read_part(part *a)
{
    gx_parser *q = a->parser;
    const gx_parser *p = a->of;
    gx_parse_options o = p->options;
    gx_error err;
    size_t used;
    if (!q && gx_parser_open(&a->parser, &err))
        return 0;
    q = a->parser;
    o.threads = 0;
    o.in_place = 0;
    o.seed = p->names.seed;
    o.limits = &p->limits;
    o.warning = NULL;
    o.is_read = NULL;
    a->closes.n = 0;
    q->scan.closes = NULL;
    q->is_cancelled = a->is_cancelled;
    if (gx_parser_ready(q, &o, &err))
        return 0;
    q->decided = 1;
    q->encoding = p->encoding;
    q->n_input = p->n_input;
    q->left_us = p->left_us;
    q->due_us = p->due_us;
    const size_t content = content_at(a->s, a->from);
    if (!content || gx_scan_piece(q, a->s, content, &used) || used != content || q->sp != 1 || q->text.n || q->ids.n
        || q->odd.n)
        return 0;
    a->root = GX_BUF_AT(&q->frames, gx_frame)[1].node;
    a->first = q->n;
    a->first_value = (u32)q->values.n;
    q->scan.closes = &a->closes;
    q->scan.began = a->from;
    q->scan.until = a->to;
    if (!scan_part(a))
        return 0;
    const u32 n = q->n;
    if (q->text.n != q->text_start && (gx_parser_end_text(q) || gx_scan_list(q, n)))
        return 0;
    return !q->status && !q->ids.n && !q->odd.n;
}

/* A thread's whole work: what belongs to the caller's document is taken out of the parser again. */
static void *run_part(void *arg)
{
    part *a = arg;
    a->is_read = (u8)read_part(a);
    if (a->parser) {
        a->parser->scan.closes = NULL;
        a->parser->is_cancelled = NULL;
        a->parser->err = NULL;
    }
    return NULL;
}

static int is_waited_for(part *a)
{
    if (a->is_running)
        pthread_join(a->thread, NULL);
    a->is_running = 0;
    return a->is_read;
}

/* ---- joining ---- */

/* Index of the part's name that has this byte of strs */
static u32 name_with(const gx_names *t, u32 off)
{
    const gx_name *names = GX_BUF_AT(&t->names, gx_name);
    u32 lo = 0, hi = GX_BUF_N(&t->names, gx_name);
    while (hi - lo > 1) {               /* names[lo].off <= off, and off < names[hi].off */
        const u32 mid = lo + (hi - lo) / 2;
        if (names[mid].off <= off)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* The part's names, scopes and labels become the document's, as if it had been scanned here. 0, or -1: they cannot.
 * names, scopes: of each of the part's, the document's; labels too. */
static int join_names(gx_parser *p, part *a, u32 *names, u32 *scopes)
{
    gx_names *t = &p->names;
    const gx_names *u = &a->parser->names;
    const gx_label_info *labels = GX_BUF_AT(&u->labels, gx_label_info);
    for (u32 i = 0; i < GX_BUF_N(&u->names, gx_name); i++) {
        const gx_name *name = &GX_BUF_AT(&u->names, gx_name)[i];
        if ((names[i] = gx_names_find(t, u->strs.at + name->off, name->len)) == GX_NONE)
            return -1;
    }
    scopes[0] = 0;
    for (u32 i = 1; i < GX_BUF_N(&u->scopes, gx_ns_list); i++) {
        const gx_ns_list list = GX_BUF_AT(&u->scopes, gx_ns_list)[i];
        a->segments.n = 0;              /* free until segments are made */
        for (u32 k = 0; k < list.n; k++) {
            const gx_binding b = GX_BUF_AT(&u->bindings, gx_binding)[list.first + k];
            gx_binding *to = gx_buf_push(&a->segments, sizeof *to);
            if (!to)
                return -1;
            *to = (gx_binding){ names[b.name], names[b.uri] };
        }
        if (gx_names_scope(t, 0, GX_BUF_AT(&a->segments, gx_binding), list.n, &scopes[i]))
            return -1;
    }
    if (GX_BUF_N(&t->bindings, gx_binding) > p->limits.nodes)
        return -1;
    u32 *map = GX_BUF_AT(&a->labels, u32);
    map[0] = GX_LABEL_ROOT, map[1] = GX_LABEL_TEXT, map[2] = GX_LABEL_COMMENT;
    for (u32 i = 3; i < GX_BUF_N(&u->labels, gx_label_info); i++) {
        const u32 name = name_with(u, labels[i].local_len ? labels[i].local : 0);
        const u32 uri = names[GX_BUF_AT(&u->states, gx_label_state)[i].uri];
        if (!labels[i].local_len
            || gx_names_label_of(t, labels[i].kind, uri, names[name], labels[i].prefix_len,
                                 labels[i].local - GX_BUF_AT(&u->names, gx_name)[name].off, &map[i]))
            return -1;
        const gx_label_info *known = &GX_BUF_AT(&t->labels, gx_label_info)[GX_LABEL_ID(map[i])];
        if (known->prefix_len != labels[i].prefix_len
            || memcmp(t->strs.at + known->prefix, u->strs.at + labels[i].prefix, known->prefix_len))
            return -1;                  /* the part took another prefix for the usual one */
    }
    return 0;
}

/* The element's end tag: where the node behind it is, and its text's end. Elements of a joined part stand in its
 * parser, by its own numbers. */
static void end_element(gx_parser *p, u32 node, u32 next, u32 text_end)
{
    gx_parts *parts = p->parts;
    for (u32 i = 0; i < parts->n_joined; i++) {
        const part *b = &parts->all[i];
        const u32 own = node - b->id_at + b->first;
        if (node < b->id_at || own >= b->n)
            continue;
        b->parser->next[own] = next - b->id_at + b->first;
        b->parser->text_len[own] = text_end - b->text_at - b->parser->text_off[own];
        return;
    }
    p->next[node] = next;
    p->text_len[node] = text_end - p->text_off[node];
}

/* The part's end tags close what is open here, and its elements that are open stay so, with names and scopes numbered
 * as this parser has them. a->segments: which nodes of the part are children of which element here. -1: an end tag does
 * not end the element that is open, or no memory: the part is dropped, and the first parser reads on. O(end tags + open
 * elements). */
static int join_tags(gx_parser *p, part *a, const u32 *names, const u32 *scopes)
{
    const gx_parser *q = a->parser;
    const u32 n_closes = GX_BUF_N(&a->closes, gx_scan_close);
    a->segments.n = 0;
    for (u32 k = 0; k <= n_closes; k++) {
        const gx_frame *f = &GX_BUF_AT(&p->frames, gx_frame)[p->sp];
        const gx_scan_close *close = k < n_closes ? &GX_BUF_AT(&a->closes, gx_scan_close)[k] : NULL;
        segment *to = gx_buf_push(&a->segments, sizeof *to);
        if (!to)
            return -1;
        *to = (segment){ close ? close->n_nodes : a->n, f->node, (i32)p->sp - 1 };
        if (!close)
            break;
        if (close->name_len != f->name_len || memcmp(a->s + close->name, p->names.strs.at + f->name, f->name_len))
            return -1;
        end_element(p, f->node, a->id_at + close->n_nodes - a->first, a->text_at + (u32)close->text);
        p->sp--;
    }
    p->frames.n = (p->sp + 1) * sizeof(gx_frame);
    if (gx_buf_room(&p->frames, q->sp * sizeof(gx_frame)))
        return -1;
    for (u32 i = 2; i <= q->sp; i++) {
        gx_frame f = GX_BUF_AT(&q->frames, gx_frame)[i];
        const u32 name = name_with(&q->names, f.name);
        f.node += a->id_at - a->first;
        f.scope = scopes[f.scope];
        f.name = GX_BUF_AT(&p->names.names, gx_name)[names[name]].off;
        GX_BUF_AT(&p->frames, gx_frame)[++p->sp] = f;
    }
    return 0;
}

/* Elements from here on have these scopes. */
static int join_scopes(gx_parser *p, const part *a, const u32 *scopes, u32 outer)
{
    const gx_parser *q = a->parser;
    const gx_scope_change *c = GX_BUF_AT(&q->scope_changes, gx_scope_change);
    u32 n = GX_BUF_N(&q->scope_changes, gx_scope_change), i = 0, first = a->first;
    while (first < a->n && GX_LABEL_KIND(q->label[first]) != GX_KIND_ELEM)
        first++;
    while (i < n && c[i].node < a->first)
        i++;
    if (first < a->n && (i == n || c[i].node > first) && gx_scan_note(p, a->id_at + first - a->first, outer))
        return -1;
    for (; i < n && c[i].node < a->n; i++)
        if (gx_scan_note(p, a->id_at + c[i].node - a->first, scopes[c[i].scope]))
            return -1;
    return 0;
}

enum { NOT_JOINED = 1, HALF_JOINED = 2 };

/* What the part read is the document's from here on. 0; NOT_JOINED: the caller may go on as if there were no part;
 * HALF_JOINED: there are names that no node has yet, so the caller must begin anew. */
static int join(gx_parser *p, part *a, size_t *at)
{
    if (!is_waited_for(a))
        return NOT_JOINED;
    const gx_parser *q = a->parser;
    const gx_frame *f = GX_BUF_AT(&p->frames, gx_frame);
    const u32 n_closes = GX_BUF_N(&a->closes, gx_scan_close), sp = p->sp;
    if (*at != a->from || !sp || n_closes > sp)
        return NOT_JOINED;
    const u32 outer = f[1].scope, n_labels = GX_BUF_N(&q->names.labels, gx_label_info);
    for (u32 i = 1; i <= sp; i++)
        if (f[i].scope != outer)
            return NOT_JOINED;
    /* the root element ends in the last part; what stands behind it is the caller's */
    const gx_scan_close *last = n_closes == sp ? &GX_BUF_AT(&a->closes, gx_scan_close)[n_closes - 1] : NULL;
    if ((a->to == a->size) != (last != NULL) || (last && q->sp != 1))
        return NOT_JOINED;
    a->n = last ? last->n_nodes : q->n;
    a->text = last ? last->text : q->text.n;
    a->values = last ? last->values : q->values.n;
    const gx_parts_sum before = gx_parts_total(p->parts);
    a->id_at = p->n + before.nodes;
    a->text_at = (u32)(p->text.n + before.text);
    a->value_at = (u32)(p->values.n + before.values);
    if ((u64)a->id_at + a->n - a->first > p->limits.nodes || a->text_at + a->text > GX_MAX_HEAP
        || a->value_at + a->values > GX_MAX_HEAP || q->scan.max_depth + sp > p->limits.depth)
        return NOT_JOINED;
    const u32 n_names = GX_BUF_N(&q->names.names, gx_name), n_scopes = GX_BUF_N(&q->names.scopes, gx_ns_list);
    a->labels.n = 0;
    u32 *labels = gx_buf_push(&a->labels, n_labels * sizeof *labels);
    u32 *names = malloc((n_names + n_scopes) * sizeof *names), *scopes = names + (names ? n_names : 0);
    const int is_good = labels && names && !join_names(p, a, names, scopes)
        && scopes[GX_BUF_AT(&q->frames, gx_frame)[1].scope] == outer && !gx_scan_list(p, p->n)
        && !join_scopes(p, a, scopes, outer) && !join_tags(p, a, names, scopes);
    free(names);
    if (!is_good)
        return HALF_JOINED;
    p->scan.high |= q->scan.high;
    p->scan.is_listed &= q->scan.is_listed & (n_labels <= GX_SCAN_LABELS);
    p->parts->n_joined++;
    *at = last ? last->behind : a->to;
    return 0;
}

/* ---- columns to their place ---- */

typedef u32 eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef u16 eight_depths __attribute__((vector_size(16), aligned(2), may_alias));

/* Each number of the column and so much: n of them */
static void add_all(u32 *to, const u32 *from, u32 n, u32 more)
{
    u32 i = 0;
    for (; i + 8 <= n; i += 8)
        *(eight *)(void *)(to + i) = *(const eight *)(const void *)(from + i) + more;
    for (; i < n; i++)
        to[i] = from[i] + more;
}

/* Parents: the root is in place of another; 8 at a time */
static void put_parents(u32 *to, const u32 *from, u32 n, u32 more, u32 root, u32 parent)
{
    u32 i = 0;
    for (; i + 8 <= n; i += 8) {
        const eight v = *(const eight *)(const void *)(from + i), is_root = (eight)(v == root);
        *(eight *)(void *)(to + i) = ((v + more) & ~is_root) | (is_root & parent);
    }
    for (; i < n; i++)
        to[i] = from[i] == root ? parent : from[i] + more;
}

static u32 put_depths(u16 *to, const u16 *from, u32 n, i32 more)
{
    u32 i = 0, most = 0;
    eight_depths deepest = { 0 };
    for (; i + 8 <= n; i += 8) {
        const eight_depths v = *(const eight_depths *)(const void *)(from + i) + (u16)more,
                           is_more = (eight_depths)(v > deepest);
        *(eight_depths *)(void *)(to + i) = v;
        deepest = (v & is_more) | (deepest & ~is_more);
    }
    for (; i < n; i++) {
        to[i] = (u16)(from[i] + more);
        most = to[i] > most ? to[i] : most;
    }
    for (u32 k = 0; k < 8; k++)
        most = deepest[k] > most ? deepest[k] : most;
    return most;
}

/* Where the part's columns and heaps go: what is fresh of it */
static void make_ready(const part *a, const gx_columns *to)
{
    const size_t n = a->n - a->first;
    u32 *const columns[] = { to->label, to->parent, to->next, to->text_off, to->text_len };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        gx_pages_ready(columns[i] + a->id_at, n * sizeof **columns);
    gx_pages_ready(to->depth + a->id_at, n * sizeof *to->depth);
    gx_pages_ready(to->text + a->text_at, a->text);
    gx_pages_ready(to->values + a->value_at, a->values - a->first_value);
}

/* A part's nodes into the document's columns from id_at on: labels translated to the document's, offsets and ids moved
 * by what stands before, parents and depths by segment. Afterwards the part's own columns are given back, unless the
 * document stays in its place. O(nodes + bytes), on the part's own thread. */
static void put_part(part *a, const gx_columns *to)
{
    gx_parser *q = a->parser;
    const u32 n = a->n - a->first, id = a->id_at, *labels = GX_BUF_AT(&a->labels, u32);
    const u32 text_more = a->text_at, value_more = a->value_at - a->first_value;
    make_ready(a, to);
    for (u32 i = 0; i < n; i++) {
        const u32 label = q->label[a->first + i], kind = GX_LABEL_KIND(label);
        to->label[id + i] = labels[GX_LABEL_ID(label)];
        to->text_off[id + i] = q->text_off[a->first + i]
            + (kind == GX_KIND_ELEM || kind == GX_KIND_TEXT ? text_more : value_more);
    }
    add_all(to->next + id, q->next + a->first, n, id - a->first);
    memcpy(to->text_len + id, q->text_len + a->first, n * sizeof(u32));
    a->max_depth = 0;
    for (u32 k = 0, at = a->first; k < GX_BUF_N(&a->segments, segment); k++) {
        const segment s = GX_BUF_AT(&a->segments, segment)[k];
        put_parents(to->parent + id + at - a->first, q->parent + at, s.n - at, id - a->first, a->root, s.parent);
        const u32 depth = put_depths(to->depth + id + at - a->first, q->depth + at, s.n - at, s.deeper);
        a->max_depth = depth > a->max_depth ? depth : a->max_depth;
        at = s.n;
    }
    if (a->text)
        memcpy(to->text + a->text_at, q->text.at, a->text);
    if (a->values > a->first_value)
        memcpy(to->values + a->value_at, q->values.at + a->first_value, a->values - a->first_value);
    if (!a->of->is_lent)                /* as the caller's: what the next document is read into stays warm */
        gx_parser_give_back(q, GX_LARGE);
}

/* Those of the caller's copies that nobody has taken yet */
static void take_copies(gx_parts *parts)
{
    u32 i;
    while ((i = __atomic_fetch_add(&parts->n_taken, 1, __ATOMIC_RELAXED)) < parts->n_copies) {
        const gx_copy *copy = &parts->copies[i];
        if (!copy->n || copy->to == copy->from)         /* read where it stays (place.h) */
            continue;
        gx_pages_ready(copy->to, copy->n);
        memcpy(copy->to, copy->from, copy->n);
    }
}

static void *run_put(void *arg)
{
    part *a = arg;
    put_part(a, &a->columns);
    take_copies(a->parts);
    return NULL;
}

/* Starts a thread for each part that was joined, which puts its nodes into the document's columns, and takes pieces of
 * `copies`. */
void gx_parts_put_begin(gx_parts *parts, const gx_columns *to, const gx_copy *copies, u32 n)
{
    parts->copies = copies;
    parts->n_copies = n;
    parts->n_taken = 0;
    for (u32 i = 0; i < parts->n_joined; i++) {
        part *a = &parts->all[i];
        a->columns = *to;
        a->parts = parts;
        a->is_running = pthread_create(&a->thread, NULL, run_put, a) == 0;
    }
}

/* Waits for all threads that put their parts; those that got none are put here. The deepest depth of all. */
u32 gx_parts_put_end(gx_parts *parts)
{
    u32 most = 0;
    take_copies(parts);
    for (u32 i = 0; i < parts->n_joined; i++) {
        part *a = &parts->all[i];
        if (a->is_running)
            pthread_join(a->thread, NULL);
        else
            put_part(a, &a->columns);   /* there was no thread to be had */
        a->is_running = 0;
        most = a->max_depth > most ? a->max_depth : most;
    }
    return most;
}

/* How much the joined parts add to each column and heap. */
gx_parts_sum gx_parts_total(const gx_parts *parts)
{
    gx_parts_sum sum = { 0 };
    for (u32 i = 0; parts && i < parts->n_joined; i++) {
        const part *a = &parts->all[i];
        sum.nodes += a->n - a->first;
        sum.text += a->text;
        sum.values += a->values - a->first_value;
    }
    return sum;
}

int gx_parts_are_ascii(const gx_parts *parts)
{
    for (u32 i = 0; parts && i < parts->n_joined; i++) {
        const part *a = &parts->all[i];
        if (!gx_is_ascii(a->parser->text.at, a->text)
            || !gx_is_ascii(a->parser->values.at + a->first_value, a->values - a->first_value))
            return 0;
    }
    return 1;
}

/* The part's nodes of one of its labels, or text nodes, behind the others. Returns their number. */
static u32 put_ids(const part *a, const u32 *ids, u32 n, u32 *to)
{
    u32 k = 0;
    for (u32 i = 0; i < n; i++) {
        to[k] = ids[i] - a->first + a->id_at;
        k += ids[i] >= a->first && ids[i] < a->n;
    }
    return k;
}

/* The name index of a document in parts: of each label the lists of the first parser, then those of each part, whose
 * ids were moved. As gx_scan_index(); out of memory start[n_labels] is 0, and the caller sorts the columns instead. */
void gx_parts_index(const gx_parser *p, u32 *start, u32 *index)
{
    const gx_parts *parts = p->parts;
    const u32 n_labels = GX_BUF_N(&p->names.labels, gx_label_info);
    u32 at = 1, *reverse = malloc(((size_t)n_labels * parts->n_joined + 1) * sizeof *reverse);
    if (!reverse) {                     /* by counting, when all columns are there */
        start[n_labels] = 0;
        return;
    }
    memset(reverse, 0, ((size_t)n_labels * parts->n_joined + 1) * sizeof *reverse);
    for (u32 k = 0; k < parts->n_joined; k++) {
        const part *a = &parts->all[k];
        for (u32 i = 3; i < GX_BUF_N(&a->labels, u32); i++)
            reverse[(size_t)k * n_labels + GX_LABEL_ID(GX_BUF_AT(&a->labels, u32)[i])] = i;
        reverse[(size_t)k * n_labels + 2] = 2;
    }
    start[0] = index[0] = 0;
    start[1] = 1;
    if (p->scan.texts.n)
        memcpy(index + at, p->scan.texts.at, p->scan.texts.n);
    at += GX_BUF_N(&p->scan.texts, u32);
    for (u32 k = 0; k < parts->n_joined; k++)
        at += put_ids(&parts->all[k], GX_BUF_AT(&parts->all[k].parser->scan.texts, u32),
                      GX_BUF_N(&parts->all[k].parser->scan.texts, u32), index + at);
    for (u32 label = 2; label < n_labels; label++) {
        const u32 *ids;
        u32 piece = GX_NONE, n;
        start[label] = at;
        while ((n = gx_scan_listed(p, label, &piece, &ids))) {
            memcpy(index + at, ids, n * sizeof *ids);
            at += n;
        }
        for (u32 k = 0; k < parts->n_joined; k++) {
            const u32 own = reverse[(size_t)k * n_labels + label];
            for (piece = GX_NONE; own && (n = gx_scan_listed(parts->all[k].parser, own, &piece, &ids)); )
                at += put_ids(&parts->all[k], ids, n, index + at);
        }
    }
    start[n_labels] = at;
    free(reverse);
}

/* Parts into the caller's own arrays: it goes on behind them. */
static int settle(gx_parser *p)
{
    const gx_parts_sum sum = gx_parts_total(p->parts);
    if (!p->parts->n_joined)
        return 0;
    if (gx_parser_columns(p, sum.nodes + 1) || gx_buf_room(&p->text, sum.text + 1)
        || gx_buf_room(&p->values, sum.values + 1))
        return -1;
    gx_parts_put_begin(p->parts, &(gx_columns){ p->label, p->parent, p->next, p->text_off, p->text_len, p->depth,
                                                p->text.at, p->values.at }, NULL, 0);
    const u32 depth = gx_parts_put_end(p->parts);
    p->scan.max_depth = depth > p->scan.max_depth ? (u16)depth : p->scan.max_depth;
    p->scan.is_listed = 0;
    p->n += sum.nodes;
    p->text.n += sum.text;
    p->values.n += sum.values;
    p->text_start = (u32)p->text.n;
    p->parts->n_joined = 0;
    return 0;
}

/* ---- the whole ---- */

/* Cuts the document near equal shares, each at a record's tag if one is near, and begins a thread for each part behind
 * the first cut. Returns the first cut, up to which the caller's parser reads itself; 0: no place to cut, nothing has
 * begun. A part whose thread cannot be started counts as not read. GX_SCAN_PAD bytes behind a cut may be read. */
static size_t begin_parts(gx_parser *p, const u8 *s, size_t n)
{
    const u32 wanted = parts_of(p, n);
    if (!p->parts && !(p->parts = calloc(1, sizeof *p->parts)))
        return 0;
    gx_parts *parts = p->parts;
    const size_t most = n - GX_SCAN_PAD;        /* behind a cut so many bytes may be read */
    const u8 *tag;
    const size_t len = record_tag(s, most, &tag);
    size_t from = cut_near(s, share(n, 0, wanted), most, tag, len), first = from;
    parts->is_cancelled = 0;
    for (parts->n = 0; parts->n < wanted && from; parts->n++) {
        part *a = &parts->all[parts->n];
        const size_t next = parts->n + 1 < wanted ? cut_near(s, share(n, parts->n + 1, wanted), most, tag, len)
                                                   : 0;
        a->of = p;
        a->s = s;
        a->size = n;
        a->from = from;
        a->to = next > from ? next : n;
        a->is_read = 0;
        a->is_cancelled = &parts->is_cancelled;
        a->is_running = pthread_create(&a->thread, NULL, run_part, a) == 0;
        from = next > from ? next : 0;
    }
    return first;
}

static void end_parts(gx_parts *parts)
{
    __atomic_store_n(&parts->is_cancelled, 1, __ATOMIC_RELAXED);
    for (u32 i = 0; i < parts->n; i++)
        is_waited_for(&parts->all[i]);
}

/* The document s, n bytes from the caller's place on: this thread reads up to the first cut, the others their parts,
 * which are joined in order as long as they fit; the rest is scanned here. OK, REFUSED, AGAIN (from the beginning,
 * without parts). The result does not depend on the cuts. */
int gx_parts_read(gx_parser *p, const u8 *s, size_t n)
{
    const size_t cut = begin_parts(p, s, n);
    size_t at = 0;
    p->scan.until = cut;
    int rc = cut ? gx_scan_piece(p, s, cut, &at) : GX_SCAN_OK, joined = rc ? NOT_JOINED : 0;
    if (cut && !rc && at == cut && p->text.n != p->text_start) {        /* a tag follows */
        const u32 before = p->n;
        rc = gx_parser_end_text(p) || gx_scan_list(p, before) ? GX_SCAN_REFUSED : GX_SCAN_OK;
        p->scan.max_depth = p->sp + 1 > p->scan.max_depth ? (u16)(p->sp + 1) : p->scan.max_depth;
    }
    for (u32 i = 0; cut && !rc && !joined && i < p->parts->n; i++)
        joined = join(p, &p->parts->all[i], &at);
    if (p->parts)
        end_parts(p->parts);
    if (rc)
        return rc;
    if (joined == HALF_JOINED)
        return GX_SCAN_AGAIN;
    p->scan.scanned = at;
    if (p->parts && p->parts->n_joined && !p->sp) {
        size_t end = at;
        while (end < n && (s[end] == ' ' || s[end] == '\n' || s[end] == '\t' || s[end] == '\r'))
            end++;
        if (end == n)
            return GX_SCAN_OK;
    }
    return p->parts && settle(p) ? GX_SCAN_REFUSED : gx_scan_rest(p, s + at, n - at);
}

void gx_parts_forget(gx_parts *parts)
{
    if (parts)
        parts->n_joined = 0;
}

void gx_parts_give_back(gx_parts *parts)
{
    for (u32 i = 0; parts && i < MOST_PARTS; i++)
        if (parts->all[i].parser)
            gx_parser_give_back(parts->all[i].parser, GX_LARGE);
}

void gx_parts_free(gx_parts *parts)
{
    for (u32 i = 0; parts && i < MOST_PARTS; i++) {
        part *a = &parts->all[i];
        if (a->parser)
            gx_parser_close(a->parser);
        gx_buf_free(&a->closes);
        gx_buf_free(&a->segments);
        gx_buf_free(&a->labels);
    }
    free(parts);
}

u64 gx_parts_bytes(const gx_parts *parts)
{
    u64 n = parts ? sizeof *parts : 0;
    for (u32 i = 0; parts && i < MOST_PARTS; i++) {
        const part *a = &parts->all[i];
        n += (a->parser ? gx_parser_held(a->parser) : 0) + a->closes.cap + a->segments.cap + a->labels.cap;
    }
    return n;
}
