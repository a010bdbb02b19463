/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_walk.h -- the scanner's two stages, compiled once for each instruction set
 *
 *   <a x="1">hi &amp; bye</a>        stage 1: positions of < & CR and of the > of ]]>, GX_SCAN_WINDOW bytes at a time
 *   ^          ^         ^           walk: from position to position, one node after the other into the columns
 *
 * The including file defines ISA(name) and these, for bytes that may be anywhere:
 *
 *   u64 in64(const u8 *table, const u8 *s)         bit i: s[i] is in the set (gx_scan_tables), of 64 bytes; in32: of 32
 *   u64 is64(const u8 *s, u8 c)                    bit i: s[i] == c
 *   u32 differ32(const u8 *a, const u8 *b)         bit i: a[i] != b[i]
 *   void copy64(u8 *to, const u8 *from), copy32
 *   block classify(const u8 *s)                    what stage 1 wants to know of 64 bytes
 *   u32 *flatten(u32 *to, u64 bits, u32 base)      appends base + i for each bit i; may write up to 64 more
 *   int utf8_wrong(const u8 *s)                    64 bytes, of which no character is wrong, and the three before; a
 *                                                  character that goes on
 *                                                  behind them is not wrong
 *
 * The end of a piece cuts through a token: the walk stops in front of it (*used), and what it had written of that token
 * does not count. Reading goes up to GX_SCAN_PAD bytes beyond the piece. Writing goes up to 64 bytes beyond what
 * counts: gx_scan_room sees to that before each window.
 *
 * Positions are taken before the walk knows whether they lie in a comment or in a tag: there they are skipped, since
 * the walk has gone past them.
 *
 * Cost: about 20 cycles a node and a tenth of a cycle a byte of text.
 */
#include <string.h>
#include "parser.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define ALL_NONE GX_NONE, GX_NONE, GX_NONE, GX_NONE, GX_NONE, GX_NONE, GX_NONE, GX_NONE
#define INLINE static inline __attribute__((always_inline))

INLINE int is_blank(u8 c)
{
    return c <= ' ' && (1ull << c & (1ull << ' ' | 1ull << '\t' | 1ull << '\n' | 1ull << '\r'));
}
INLINE u64 low_bits(u64 x, u32 n) { return x & ((1ull << n) - 1); }        /* n < 64 */
INLINE u64 load8(const u8 *s) { u64 x; memcpy(&x, s, sizeof x); return x; }

/* ---- stage 1 ---- */

/* What is rare: ], control characters, what is not ASCII. 0, or -1: bytes that are no characters. */
static __attribute__((noinline)) int look_closer(gx_scan *c, const u8 *b, u64 *special, u64 brackets, u64 high,
                                                 u64 controls)
{
    if (brackets | c->brackets) {
        *special |= is64(b, '>') & (brackets << 1 | c->brackets >> 1) & (brackets << 2 | c->brackets);
        c->brackets = brackets >> 62;
    }
    if (controls || (high && c->ascii))
        return -1;
    c->high |= high != 0;
    if (high || c->cut) {
        if (utf8_wrong(b))
            return -1;
        c->cut = b[63] >= 0xc0 || b[62] >= 0xe0 || b[61] >= 0xf0;
    }
    return 0;
}

/* The positions of the next window, and behind them its end. NULL: bytes that are no characters. */
static u32 *stage_1(gx_scan *c, const u8 *s, size_t n)
{
    u32 *to = GX_BUF_AT(&c->positions, u32);
    const size_t end = n - c->done > GX_SCAN_WINDOW ? c->done + GX_SCAN_WINDOW : n;
    size_t at = c->done;
    for (; at < end; at += 64) {
        const u8 *b = s + at;
        u8 edge[64 + 64 + 64] __attribute__((aligned(64)));
        if (UNLIKELY(at == 0 || at + 64 > n)) {     /* what is before and behind the piece is no part of it */
            memset(edge, ' ', 64);
            if (at >= 3)
                memcpy(edge + 61, b - 3, 3);
            copy64(edge + 64, b);
            if (n - at < 64)
                memset(edge + 64 + (n - at), ' ', 64);
            b = edge + 64;
        }
        block k = classify(b);
        if (UNLIKELY(k.any) || UNLIKELY(c->brackets | c->cut))
            if (look_closer(c, b, &k.special, k.brackets, k.high, k.controls))
                return NULL;
        to = flatten(to, k.special, (u32)at);
    }
    c->done = at < n ? at : n;
    if (c->done == n && c->cut)
        return NULL;
    *to++ = (u32)c->done;
    return to;
}

/* ---- pieces of a tag ---- */

INLINE void copy_text(u8 *to, const u8 *from, size_t n)
{
    copy64(to, from);
    if (UNLIKELY(n > 64))
        for (size_t i = 64; i < n; i += 64)
            copy64(to + i, from + i);
}

INLINE u64 hash_of(const gx_scan *c, u64 a, u64 b)
{
    const unsigned __int128 m = (unsigned __int128)(a ^ c->seed[0]) * (b ^ c->seed[1]);
    return (u64)m ^ (u64)(m >> 64);
}

/* The name of len <= 16 bytes, if its hash finds it at once; else one that is no name's. */
INLINE gx_scan_name *look_up(const gx_scan *c, gx_scan_name *entries, const u32 *slots, const u8 *s, u32 len)
{
    const u64 a = load8(s) & gx_scan_table.key_mask[len][0], b = load8(s + 8) & gx_scan_table.key_mask[len][1];
    const u32 slot = (u32)hash_of(c, a, b) & c->mask;
    gx_scan_name *e = &entries[slots[slot]];
    if (LIKELY(((e->key[0] ^ a) | (e->key[1] ^ b)) == 0))
        return e;
    e = &entries[slots[(slot + 1) & c->mask]];
    return LIKELY(((e->key[0] ^ a) | (e->key[1] ^ b)) == 0) ? e : &entries[0];
}

/* What the scope's prefixes are bound to, as far as is known: a label whose namespace its prefix is bound to here is
 * right here, too. Valid until a name becomes known. */
INLINE const u32 *bound_in(const gx_scan *c, u32 scope)
{
    static const u32 nothing[GX_SCAN_ROW] = { ALL_NONE, ALL_NONE, ALL_NONE, ALL_NONE };
    const size_t at = (size_t)scope * GX_SCAN_ROW;
    return at < c->bound.n / sizeof(u32) ? GX_BUF_AT(&c->bound, u32) + at : nothing;
}

/* The label of an attribute that is not resolved yet: 0, or -1 if it is not known in this scope. */
INLINE int label_in(gx_parser *p, gx_scan_name *t, u32 scope, const u32 *bound, u32 *label)
{
    if (t->attr_scope != scope && t->attr_scope != GX_SCOPE_ANY) {
        if (bound[t->prefix] != t->attr_uri && !gx_scan_recall(p, t, scope, 1))
            return -1;
        t->attr_scope = scope;
    }
    *label = t->attr_label;
    return 0;
}

/* A declaration joins the tag's. -1: the tag must go the slow way. A URI that is new is interned behind the names of
 * all attributes, so there. */
static __attribute__((noinline)) int add_declaration(gx_parser *p, gx_scan_name *t, u32 stamp, const u8 *uri, u32 len,
    gx_binding *to, u32 *n)
{
    if (*n == GX_SCAN_DECLARED || t->seen == stamp || len > p->limits.text)
        return -1;
    if (p->scan.is_taken) {             /* the URI would be looked for among names that are not this document's */
        gx_scan_leave(p);
        return -1;
    }
    const gx_name *last = &GX_BUF_AT(&p->names.names, gx_name)[t->attr_label];
    t->seen = stamp;
    to->name = t->name;
    ++*n;
    if (last->len == len && memcmp(p->names.strs.at + last->off, uri, len) == 0) {
        to->uri = t->attr_label;
        return 0;
    }
    to->uri = gx_names_known(&p->names, (const char *)uri, len, gx_text_hash(p->names.seed, (const char *)uri, len));
    if (to->uri == GX_NONE)
        return -1;
    t->attr_label = to->uri;
    return 0;
}

/* The five entities that everybody has, else by gx_scan_reference */
INLINE int reference(const u8 *s, size_t at, size_t n, size_t *to, u8 *out, u32 *len)
{
    const u64 w = load8(s + at + 1);
    u32 size;
    *len = 1;
    if ((w & 0xffffffff) == ('a' | 'm' << 8 | 'p' << 16 | (u32)';' << 24))
        *out = '&', size = 5;
    else if ((w & 0xffffff) == ('l' | 't' << 8 | ';' << 16))
        *out = '<', size = 4;
    else if ((w & 0xffffff) == ('g' | 't' << 8 | ';' << 16))
        *out = '>', size = 4;
    else if ((w & 0xffffffffff) == ('q' | 'u' << 8 | 'o' << 16 | (u32)'t' << 24 | (u64)';' << 32))
        *out = '"', size = 6;
    else if ((w & 0xffffffffff) == ('a' | 'p' << 8 | 'o' << 16 | (u32)'s' << 24 | (u64)';' << 32))
        *out = '\'', size = 6;
    else
        return gx_scan_reference(s, at, n, to, out, len);
    *to = at + size;
    return at + size <= n ? GX_SCAN_OK : GX_SCAN_INCOMPLETE;
}

/* An attribute's value from s[at] on, of which values has v bytes: up to the quote. *end: where that is; 0: the value
 * ends not before s[n], or is none. */
static __attribute__((noinline)) size_t read_value(gx_parser *p, const u8 *s, size_t at, size_t n, u8 quote, size_t v,
                                                   size_t *end)
{
    const u8 *table = quote == '"' ? gx_scan_table.dquote : gx_scan_table.squote;
    *end = 0;
    for (;;) {
        p->values.n = v;
        if (UNLIKELY(at >= n) || UNLIKELY(v > GX_MAX_HEAP - 256) || gx_buf_room(&p->values, 128))
            return 0;
        u8 *to = (u8 *)p->values.at + v;
        copy32(to, s + at);
        const u32 stops = in32(table, s + at);
        if (!stops) {
            at += 32;
            v += 32;
            continue;
        }
        const u32 k = (u32)__builtin_ctz(stops);
        at += k;
        v += k;
        to += k;
        if (UNLIKELY(at >= n))
            return 0;
        if (s[at] == quote) {
            *end = at;
            return v;
        }
        if (s[at] == '&') {
            u32 len;
            if (reference(s, at, n, &at, to, &len))
                return 0;
            p->scan.high |= *to >= 0x80;
            v += len;
        } else if (s[at] == '\t' || s[at] == '\n' || s[at] == '\r') {
            at += s[at] == '\r' && s[at + 1] == '\n' ? 2 : 1;
            *to = ' ';
            v++;
        } else
            return 0;
    }
}

/* Of the nodes of a window, eight at a time while they are in L1: next, which is id + 1 of all but elements, and the
 * greatest depth. May write up to seven behind the last; their depths are looked at, too, so they must be there. */
typedef u32 eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef u16 eight_depths __attribute__((vector_size(16), aligned(2), may_alias));
/* The columns next and depth of the nodes from .. to, eight at a time: next[i] of a node that is no element is i + 1
 * (an element's was written at its end tag), and the deepest of all depths is c->max_depth. Reads and writes up to
 * seven nodes behind `to`, for which there is room. O(nodes / 8). */
INLINE u32 finish_nodes(gx_scan *c, u32 *next, const u32 *label, u16 *depth, u32 from, u32 to)
{
    eight id = { from + 1, from + 2, from + 3, from + 4, from + 5, from + 6, from + 7, from + 8 };
    eight_depths deepest = { 0 };
    if (from < to)
        memset(depth + to, 0, 8 * sizeof *depth);
    for (u32 i = from; i < to; i += 8) {
        eight *at = (eight *)(void *)(next + i);
        const eight is = (eight)((*(const eight *)(const void *)(label + i) & 0xf0000000u) == (u32)GX_KIND_ELEM << 28);
        *at = (*at & is) | (id & ~is);
        id += 8;
        const eight_depths d = *(const eight_depths *)(const void *)(depth + i), more = (eight_depths)(d > deepest);
        deepest = (d & more) | (deepest & ~more);
    }
    for (u32 k = 0; k < 8; k++)
        c->max_depth = deepest[k] > c->max_depth ? deepest[k] : c->max_depth;
    return to;
}

/* Is it all white space? n > 0 */
INLINE int all_blank(const u8 *s, u32 n)
{
    if (LIKELY(s[0] > ' '))
        return 0;
    for (u32 i = 0; i < n; i += 64) {
        const u64 blank = in64(gx_scan_table.space, s + i);
        if (n - i < 64)
            return low_bits(~blank, n - i) == 0;
        if (~blank)
            return 0;
    }
    return 1;
}

/* ---- the walk ---- */

/* Locals to the parser, and back: around whatever may move or change it */
#define SPILL() \
    (c->texts.n = (size_t)((char *)texts - c->texts.at), p->n = n_nodes, p->text.n = h, p->text_start = ts, \
     p->values.n = v, p->sp = (u32)(fp - GX_BUF_AT(&p->frames, gx_frame)), c->at = at)
#define RELOAD() \
    (label = p->label, parent = p->parent, next = p->next, text_off = p->text_off, text_len = p->text_len, \
     depth = p->depth, text = (u8 *)p->text.at, values = (u8 *)p->values.at, strs = (const u8 *)p->names.strs.at, \
     texts = (u32 *)(void *)(c->texts.at + c->texts.n), tails = GX_BUF_AT(&c->tails, u32), \
     lists = GX_BUF_AT(&c->lists, u32), entries = GX_BUF_AT(&c->entries, gx_scan_name), \
     slots = GX_BUF_AT(&c->slots, u32), n_nodes = p->n, h = (u32)p->text.n, ts = p->text_start, v = (u32)p->values.n, \
     fp = GX_BUF_AT(&p->frames, gx_frame) + p->sp, deepest = GX_BUF_AT(&p->frames, gx_frame) + most_depth, \
     inner = p->sp + 1, scope = gx_scan_scope(p), bound = bound_in(c, scope))
#define RELOAD_NAMES() \
    (strs = (const u8 *)p->names.strs.at, entries = GX_BUF_AT(&c->entries, gx_scan_name), \
     slots = GX_BUF_AT(&c->slots, u32), bound = bound_in(c, scope))
/* Whatever is not an everyday token: by a function of scan.c, which leaves behind it */
#define SLOWLY(call) \
    do { \
        size_t to_ = at; \
        const u32 before_ = n_nodes; \
        SPILL(); \
        const int rc_ = (call)(p, s, at, n, &to_); \
        if (UNLIKELY(rc_ == GX_SCAN_INCOMPLETE)) goto stop; \
        if (UNLIKELY(rc_) || UNLIKELY(gx_scan_room(p)) \
            || (mode != GX_SCAN_CAREFUL && UNLIKELY(gx_scan_list(p, before_)))) \
            return GX_SCAN_REFUSED; \
        at = to_; \
        RELOAD(); \
    } while (0)
/* The node gets into its label's list; first: of the tag's nodes */
#define LIST(label_, id_, first_) do { \
        const u32 k_ = GX_LABEL_ID(label_), t_ = tails[k_]; \
        lists[t_] = (id_); \
        tails[k_] = t_ + 1; \
        if (UNLIKELY(((t_ + 1) & (GX_SCAN_LIST - 1)) == 0)) { \
            const int rc_ = gx_scan_list_grow(c, k_); \
            if (UNLIKELY(rc_ < 0)) \
                return GX_SCAN_REFUSED; \
            if (UNLIKELY(rc_)) { \
                gx_scan_unlist(p, first_, id_); \
                goto slow_tag; \
            } \
            lists = GX_BUF_AT(&c->lists, u32); \
        } \
    } while (0)
/* The node is written before it is known whether there is text: without a branch */
#define END_TEXT() do { \
        const u32 have_ = h - ts; \
        if (mode == GX_SCAN_CAREFUL) { \
            if (have_) { \
                SPILL(); \
                if (gx_parser_end_text(p)) \
                    return GX_SCAN_REFUSED; \
                RELOAD(); \
            } \
        } else if (mode == GX_SCAN_CHECKED && have_ && fp->strip && all_blank(text + ts, have_)) { \
            h = ts; \
        } else { \
            if (mode == GX_SCAN_CHECKED && UNLIKELY(have_ > p->limits.text)) \
                return GX_SCAN_REFUSED; \
            const u32 is_ = have_ != 0; \
            label[n_nodes] = GX_LABEL_TEXT; \
            parent[n_nodes] = fp->node; \
            depth[n_nodes] = (u16)inner; \
            text_off[n_nodes] = ts; \
            text_len[n_nodes] = have_; \
            *texts = n_nodes; \
            texts += is_; \
            n_nodes += is_; \
            ts = h; \
        } \
    } while (0)
#define TEXT_BEGINS() do { \
        if (mode == GX_SCAN_CAREFUL && h == ts && p->lines) { \
            c->at = at; \
            gx_scan_position(p, &p->text_line, &p->text_column); \
        } \
    } while (0)

/* Stage 2: from one position of stage 1 to the next. More than 100 lines: the columns' and heaps' ends stay in
 * registers between its tokens, and a function of its own for a token would store and load all of them. */
INLINE int walk(gx_parser *p, const u8 *s, const size_t n, size_t *used, const int mode)
{
    gx_scan *c = &p->scan;
    u32 *label, *parent, *next, *text_off, *text_len, n_nodes, h, ts, v, inner, scope, finished = p->n, *tails,
                                                                                            *lists, *texts;
    u16 *depth;
    u8 *text, *values;
    const u8 *strs;
    gx_scan_name *entries;
    const u32 *slots, *ip, *ip_end, *bound;
    gx_frame *fp, *deepest;
    const u32 most_depth = p->limits.depth;
    size_t at = *used, fast_end;

/* The positions of the next window. What the last one brought gets its `next`. */
#define MORE() do { \
        if (gx_parser_is_late(p, GX_SCAN_WINDOW / 8)) \
            return GX_SCAN_REFUSED; \
        SPILL(); \
        if (UNLIKELY(gx_scan_room(p))) \
            return GX_SCAN_REFUSED; \
        RELOAD(); \
        finished = finish_nodes(c, next, label, depth, finished, n_nodes); \
        ip_end = stage_1(c, s, n); \
        if (UNLIKELY(!ip_end)) \
            return GX_SCAN_REFUSED; \
        ip = GX_BUF_AT(&c->positions, u32); \
        fast_end = c->done + GX_SCAN_AHEAD < n ? c->done + GX_SCAN_AHEAD : n; \
    } while (0)

    RELOAD();
    MORE();
    if (fp->node)
        goto content;

misc:                           /* outside the root element */
    while (at < n && is_blank(s[at]))
        at++;
    if (at + 1 >= n)
        goto stop;
    if (s[at] != '<')
        return GX_SCAN_REFUSED;
    if (s[at + 1] == '?')
        SLOWLY(gx_scan_pi);
    else if (s[at + 1] == '!')
        SLOWLY(gx_scan_bang);
    else {
        if (c->has_root)
            return GX_SCAN_REFUSED;
        SLOWLY(gx_scan_tag);
        c->has_root = 1;
    }
    if (!fp->node)
        goto misc;

content:
    {
        size_t q;
        while (UNLIKELY((q = *ip++) < at))
            if (UNLIKELY(ip == ip_end))
                MORE();
        if (mode == GX_SCAN_CAREFUL && q > at)
            TEXT_BEGINS();
        copy_text(text + h, s + at, q - at);
        h += (u32)(q - at);
        at = q;
    }
    if (UNLIKELY(ip == ip_end)) {
        if (at == n)
            goto stop;
        MORE();
        if (s[at] != '<')
            goto content;
    }
    if (UNLIKELY(s[at] != '<')) {
        TEXT_BEGINS();
        if (s[at] == '&') {
            u32 len;
            size_t to = at;
            const int rc = reference(s, at, n, &to, text + h, &len);
            if (rc == GX_SCAN_INCOMPLETE)
                goto stop;
            if (rc) {
                SLOWLY(gx_scan_entity);
                goto content;
            }
            c->high |= text[h] >= 0x80;
            h += len;
            at = to;
        } else if (s[at] == '\r') {
            text[h++] = '\n';
            at += at + 1 < n && s[at + 1] == '\n' ? 2 : 1;
        } else if (s[at] == '>')
            return GX_SCAN_REFUSED;         /* ]]> */
        goto content;
    }
    {
        const u8 kind = s[at + 1];
        if (UNLIKELY(kind <= '?' && kind != '/')) {     /* else a letter, mostly */
            if (at + 1 >= n)
                goto stop;
            if (kind == '!') {
                SLOWLY(gx_scan_bang);
                goto content;
            }
            if (kind == '?') {
                END_TEXT();
                SLOWLY(gx_scan_pi);
                goto content;
            }
        }
        END_TEXT();
        if (kind == '/') {
            /* The start tag's name has been checked, so the end tag's is the same bytes. Names of more than 31, the
             * root element and elements with declarations have a bit in name_len's place that makes them fail the one
             * test. */
            const u32 differ = differ32(s + at + 2, strs + fp->name), len = fp->bits & 0x3fffffffu;
            if (UNLIKELY(len > 31) || UNLIKELY(low_bits(differ, len)) || UNLIKELY(s[at + 2 + len] != '>')
                || UNLIKELY(at + 2 + len >= n)) {
                const u32 name_len = fp->name_len;
                if (fp->special && fp[-1].node && name_len <= 31 && !low_bits(differ, name_len) &&
                    s[at + 2 + name_len] == '>' && at + 2 + name_len < n) {
                    at += 3 + name_len;         /* one that has declared namespaces */
                    next[fp->node] = n_nodes;
                    text_len[fp->node] = h - text_off[fp->node];
                    fp--;
                    inner--;
                    p->sp = (u32)(fp - GX_BUF_AT(&p->frames, gx_frame));
                    scope = mode != GX_SCAN_FAST         ? gx_scan_scope(p)
                        : fp->scope != p->last_scope ? GX_SCAN_NOTE
                                                     : fp->scope;
                    bound = bound_in(c, scope);
                    goto content;
                }
                SLOWLY(gx_scan_end_tag);
                if (!fp->node)
                    goto misc;
                goto content;
            }
            at += 3 + len;
            next[fp->node] = n_nodes;
            text_len[fp->node] = h - text_off[fp->node];
            fp--;
            inner--;
            goto content;
        }
    }
    {                           /* a start tag */
        const u8 *const name = s + at + 1;
        /* 32: it is longer than 31 */
        const u32 len = (u32)__builtin_ctzll((u64)in32(gx_scan_table.name, name) | 1ull << 32);
        gx_scan_name *e = LIKELY(len <= 16) ? look_up(c, entries, slots, name, len) : &entries[0];
        if (UNLIKELY(e == entries)) {
            e = gx_scan_find_element(p, name, len, scope);
            if (!e)
                goto slow_tag;
            RELOAD_NAMES();
            tails = GX_BUF_AT(&c->tails, u32);
            lists = GX_BUF_AT(&c->lists, u32);
        }
        const u32 id = n_nodes;
        size_t to = at + 1 + len;
        u8 ch = s[to];
        u32 unresolved = 0;
        if (UNLIKELY(fp >= deepest))
            goto slow_tag;
        if (UNLIKELY(e->elem_scope != scope)) {         /* so if the scope is one of the marks, too */
            if (scope == GX_SCAN_SLOWLY || e->elem_scope == GX_SCAN_NEVER)
                goto slow_tag;
            if (scope == GX_SCAN_NOTE) {
                if (gx_scan_note(p, id, fp->scope))
                    return GX_SCAN_REFUSED;
                scope = fp->scope;
                bound = bound_in(c, scope);
            }
            if (e->elem_scope != scope && (bound[e->prefix] == e->elem_uri || gx_scan_recall(p, e, scope, 0)))
                e->elem_scope = scope;
            unresolved = e->elem_scope != scope;
        }
        label[id] = e->elem_label;
        parent[id] = fp->node;
        depth[id] = (u16)inner;
        text_off[id] = h;
        if (LIKELY(ch == '>') && LIKELY(!unresolved)) {
            if (UNLIKELY(to >= n))
                goto slow_tag;
            LIST(e->elem_label, id, id);
            n_nodes = id + 1;
            at = to + 1;
            fp++;
            inner++;
            fp->node = id;
            fp->scope = scope;
            fp->name = e->off;
            fp->bits = e->elem_bits;
            goto content;
        }
        u32 a = id + 1, value = v, n_prefixed = 0, n_declared = 0, own = scope;
        gx_binding declared[GX_SCAN_DECLARED];
        const u32 stamp = ++c->stamp;
        if (ch == ' ') {
            /* Everyday attributes, name="value" after one space: the quotes of 64 bytes at once, so that where one
             * begins does not wait for where the one before ended. Whatever is not so goes by the loop below. */
            u64 quotes = 0, stops = 0;
            size_t base = to;
            for (;;) {
                u64 rest = quotes & (quotes - 1);
                if (!rest) {
                    if (UNLIKELY(to >= fast_end))
                        break;
                    base = to;
                    quotes = is64(s + to, '"');
                    stops = in64(gx_scan_table.stop, s + to);
                    rest = quotes & (quotes - 1);
                    if (UNLIKELY(!rest))
                        break;
                }
                const u32 q1 = (u32)__builtin_ctzll(quotes), q2 = (u32)__builtin_ctzll(rest),
                          name_len = q1 - (u32)(to - base) - 2;
                if (UNLIKELY(name_len > 16) || UNLIKELY(s[base + q1 - 1] != '=') || UNLIKELY(low_bits(stops, q2) >> q1))
                    break;
                gx_scan_name *t = look_up(c, entries, slots, s + to + 1, name_len);
                u32 its_label = t->attr_label;
                if (LIKELY(t->attr_scope == GX_SCOPE_ANY)) {
                    if (UNLIKELY(t->seen == stamp))
                        goto slow_tag;
                    t->seen = stamp;
                } else if (LIKELY(t->attr_scope == scope) && !n_declared) {
                    n_prefixed++;
                } else if (t->attr_scope < GX_SCAN_DECLARES) {
                    if (UNLIKELY(t->seen == stamp))
                        goto slow_tag;
                    t->seen = stamp;
                    n_prefixed++;
                    if (!n_declared && bound[t->prefix] == t->attr_uri) {
                        t->attr_scope = scope;
                    } else {
                        unresolved = 1;
                        its_label = (u32)(t - entries);
                    }
                } else if (t->attr_scope == GX_SCAN_DECLARES && !n_prefixed) {
                    if (add_declaration(p, t, stamp, s + base + q1 + 1, q2 - q1 - 1, declared + n_declared,
                        &n_declared))
                        goto slow_tag;
                    to = base + q2 + 1;
                    ch = s[to];
                    if (ch != ' ')
                        break;
                    quotes = rest & (rest - 1);
                    continue;
                } else
                    break;
                const u32 value_len = q2 - q1 - 1;
                label[a] = its_label;
                parent[a] = id;
                depth[a] = (u16)(inner + 1);
                text_off[a] = value;
                text_len[a] = value_len;
                a++;
                copy64(values + value, s + base + q1 + 1);
                value += value_len;
                to = base + q2 + 1;
                ch = s[to];
                if (ch != ' ')
                    break;
                quotes = rest & (rest - 1);
            }
        }
        for (;;) {              /* attributes however they are written, of names that have been seen */
            if (LIKELY(ch == '>' || ch == '/'))
                break;
            if (UNLIKELY(!is_blank(ch)))
                goto slow_tag;
            do
                ch = s[++to];
            while (is_blank(ch) && to < fast_end);
            if (ch == '>' || ch == '/')
                break;
            if (UNLIKELY(to >= fast_end))
                goto slow_tag;
            const u32 name_len = (u32)__builtin_ctzll((u64)in32(gx_scan_table.name, s + to) | 1ull << 32);
            gx_scan_name *t = LIKELY(name_len <= 16) ? look_up(c, entries, slots, s + to, name_len) : &entries[0];
            if (UNLIKELY(t == entries)) {
                const u32 entry = (u32)(e - entries);
                t = gx_scan_find(p, s + to, name_len);
                if (!t)
                    goto slow_tag;
                RELOAD_NAMES();
                e = entries + entry;
            }
            u32 its_label = t->attr_label;
            const u32 declares = t->attr_scope == GX_SCAN_DECLARES;
            if (UNLIKELY(declares)) {
                if (n_prefixed)         /* whose prefix may be declared here */
                    goto slow_tag;
            } else if (t->attr_scope == GX_SCOPE_ANY) {
                if (UNLIKELY(t->seen == stamp))
                    goto slow_tag;
                t->seen = stamp;
            } else if (LIKELY(t->attr_scope == scope) && !n_declared) {
                n_prefixed++;
            } else if (t->attr_scope == GX_SCAN_NEVER) {
                goto slow_tag;
            } else {
                if (UNLIKELY(t->seen == stamp))
                    goto slow_tag;
                t->seen = stamp;
                n_prefixed++;
                unresolved = 1;
                its_label = (u32)(t - entries);
            }
            to += name_len;
            const u8 quote = s[to + 1];
            if (UNLIKELY(s[to] != '=') || UNLIKELY(quote != '"' && quote != '\''))
                goto slow_tag;
            to += 2;
            u32 value_len;
            const u64 ends = in64(quote == '"' ? gx_scan_table.dquote : gx_scan_table.squote, s + to);
            const u32 k = ends ? (u32)__builtin_ctzll(ends) : 64;
            copy64(values + value, s + to);
            if (LIKELY(ends && s[to + k] == quote)) {
                value_len = k;
                to += k + 1;
            } else {
                size_t end;
                const size_t until = read_value(p, s, to, n, quote, value, &end);
                values = (u8 *)p->values.at;
                if (!end)
                    goto slow_tag;
                value_len = (u32)until - value;
                to = end + 1;
            }
            if (UNLIKELY(declares)) {
                if (add_declaration(p, t, stamp, values + value, value_len, declared + n_declared, &n_declared))
                    goto slow_tag;
                ch = s[to];
                continue;
            }
            label[a] = its_label;
            parent[a] = id;
            depth[a] = (u16)(inner + 1);
            text_off[a] = value;
            text_len[a] = value_len;
            a++;
            value += value_len;
            p->values.n = value;
            if (UNLIKELY(p->values.cap - value < 512)) {
                if (gx_buf_room(&p->values, GX_SCAN_WINDOW))
                    return GX_SCAN_REFUSED;
                values = (u8 *)p->values.at;
            }
            ch = s[to];
        }
        const u32 is_empty = ch == '/';
        if (UNLIKELY(is_empty && s[to + 1] != '>') || UNLIKELY(to + is_empty >= n) ||
            UNLIKELY(a - id - 1 + n_declared > p->limits.attributes))
            goto slow_tag;
        if (UNLIKELY(n_declared)) {
            own = gx_scan_declare(p, fp->scope, declared, n_declared);
            if (own == GX_SCAN_NEVER)
                goto slow_tag;
            strs = (const u8 *)p->names.strs.at;
            bound = bound_in(c, own);
            unresolved = 1;
        }
        if (UNLIKELY(unresolved)) {
            u32 known = e->elem_scope == own || bound[e->prefix] == e->elem_uri || gx_scan_recall(p, e, own, 0);
            for (u32 i = id + 1; i < a && known; i++)
                known = GX_LABEL_KIND(label[i]) == GX_KIND_ATTR
                    || !label_in(p, &entries[label[i]], own, bound, &label[i]);
            if (known) {
                e->elem_scope = own;
                label[id] = e->elem_label;
            } else {
                SPILL();
                const u32 entry = (u32)(e - entries);
                if (gx_scan_resolve(p, entry, own, id, a))
                    goto slow_tag;
                RELOAD();
                e = entries + entry;
                label[id] = e->elem_label;
                bound = bound_in(c, own);
            }
            if (own != p->last_scope && gx_scan_note(p, id, own))
                return GX_SCAN_REFUSED;
            scope = own;
        }
        if (UNLIKELY(n_prefixed > 1)) {         /* two prefixes may mean one namespace: then the labels are the same */
            if (a - id > 16)
                goto slow_tag;
            for (u32 i = id + 2; i < a; i++)
                for (u32 k = id + 1; k < i; k++)
                    if (label[i] == label[k])
                        goto slow_tag;
        }
        if (mode == GX_SCAN_CHECKED)
            for (u32 i = id + 1; i < a; i++)
                if (text_len[i] > p->limits.text)
                    goto slow_tag;
        for (u32 i = id; i < a; i++)
            LIST(label[i], i, id);
        n_nodes = a;
        v = value;
        at = to + 1 + is_empty;
        if (is_empty) {
            next[id] = a;
            text_len[id] = 0;
            if (UNLIKELY(own != fp->scope))
                scope = GX_SCAN_NOTE;
            goto content;
        }
        fp++;
        inner++;
        fp->node = id;
        fp->scope = own;
        fp->name = e->off;
        fp->bits = e->elem_bits | (own != fp[-1].scope ? (gx_frame){ .special = 1 }.bits : 0);
        goto content;
    }

slow_tag:
    SLOWLY(gx_scan_tag);
    goto content;

stop:
    SPILL();
    while (c->done < at)        /* the walk may have been faster */
        if (!stage_1(c, s, n))
            return GX_SCAN_REFUSED;
    finish_nodes(c, next, label, depth, finished, n_nodes);
    *used = at;
    return GX_SCAN_OK;
}

int ISA(fast)(gx_parser *p, const u8 *s, size_t n, size_t *used) { return walk(p, s, n, used, GX_SCAN_FAST); }
int ISA(checked)(gx_parser *p, const u8 *s, size_t n, size_t *used) { return walk(p, s, n, used, GX_SCAN_CHECKED); }
int ISA(careful)(gx_parser *p, const u8 *s, size_t n, size_t *used) { return walk(p, s, n, used, GX_SCAN_CAREFUL); }
