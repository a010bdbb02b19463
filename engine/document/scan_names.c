/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_names.c -- what the scanner knows of a name: its entry, where that is found, its label's list; sets of bytes
 *
 *   name --hash--> slot --> entry: key, label and scope as an element's and as an attribute's --label--> list of nodes
 *
 * scan.c makes entries, scan_kept.c takes over those of the last document.
 */
#include <string.h>
#include "parser.h"

#define LISTS_AT_ONCE 32u       /* labels that get a list at a time: a power of two */

#define X 0xff
#define ROW(...) { __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__ }
#define LOW(n) ((n) >= 8 ? ~0ull : (1ull << ((n) * 8 & 63)) - 1)
#define MASK(n) { LOW(n), (n) > 8 ? LOW((n) - 8) : 0 }
/* Not constant: the compiler would make each vector anew, by three instructions, wherever it is used */
gx_scan_tables gx_scan_table
    __attribute__((aligned(64))) = { .name = ROW(' ', X, X, X, X, X, X, X, X, '\t', '\n', X, X, '=', '>', '/'),
                                     .stop = ROW(X, X, X, X, X, X, '&', X, X, '\t', '\n', X, '<', '\r', X, 0),
                                     .dquote = ROW(X, X, '"', X, X, X, '&', X, X, '\t', '\n', X, '<', '\r', X, 0),
                                     .squote = ROW(X, X, X, X, X, X, '&', '\'', X, '\t', '\n', X, '<', '\r', X, 0),
                                     .special = ROW(X, X, X, X, X, X, '&', X, X, X, X, X, '<', '\r', X, X),
                                     .line = ROW(X, X, X, X, X, X, X, X, X, '\t', '\n', X, X, '\r', X, X),
                                     .space = ROW(' ', X, X, X, X, X, X, X, X, '\t', '\n', X, X, '\r', X, X),
                                     .key_mask = { MASK(0), MASK(1), MASK(2), MASK(3), MASK(4), MASK(5), MASK(6),
                                                   MASK(7), MASK(8), MASK(9), MASK(10), MASK(11), MASK(12), MASK(13),
                                                   MASK(14), MASK(15), MASK(16) } };

static u64 load8(const u8 *s) { u64 x; memcpy(&x, s, sizeof x); return x; }

/* The hash by which names are found, as scan_walk.h has it for short ones. len <= SHORT_NAME; bytes up to s[16) can be
 * read. */
u64 gx_scan_hash(const gx_scan *c, const u8 *s, u32 len, u64 key[2])
{
    const u32 n = len < 16 ? len : 16;
    key[0] = load8(s) & gx_scan_table.key_mask[n][0];
    key[1] = load8(s + 8) & gx_scan_table.key_mask[n][1];
    u64 hash = gx_fold(key[0] ^ c->seed[0], key[1] ^ c->seed[1]);
    if (len > 16)
        hash = gx_fold(hash ^ load8(s + len - 16) ^ len, load8(s + len - 8) ^ c->seed[1]);
    return hash;
}

void gx_scan_put(gx_scan *c, u32 entry)
{
    u32 *slots = GX_BUF_AT(&c->slots, u32), i = (u32)GX_BUF_AT(&c->entries, gx_scan_name)[entry].hash & c->mask;
    while (slots[i])
        i = (i + 1) & c->mask;
    slots[i] = entry;
}

/* May the fast way read this name's declarations? Those of xml and xmlns are looked at by gx_parser_start. */
static int is_plain_declaration(const gx_parser *p, const gx_name *name)
{
    const char *local = p->names.strs.at + name->local;
    const u32 len = name->off + name->len - name->local;
    return !name->prefix_len || !((len == 3 && memcmp(local, "xml", 3) == 0) ||
        (len == 5 && memcmp(local, "xmlns", 5) == 0));
}

/* What an entry says of its name */
void gx_scan_set_entry(const gx_parser *p, gx_scan_name *e)
{
    const gx_name *name = &GX_BUF_AT(&p->names.names, gx_name)[e->name];
    const gx_label_state *states = GX_BUF_AT(&p->names.states, gx_label_state);
    const int is_xmlns = name->flags & GX_NAME_XMLNS, is_known = name->elem_scope != GX_NONE;
    e->elem_scope =
        is_xmlns || e->is_declared || name->elem_odd || (is_known && GX_LABEL_ID(name->elem_label) >= GX_SCAN_LABELS)
        ? GX_SCAN_NEVER
        : name->elem_scope;
    e->elem_label = name->elem_label;
    e->elem_bits = name->len;
    if (is_known && states[GX_LABEL_ID(name->elem_label)].strip)
        e->elem_bits |= (gx_frame){ .strip = 1 }.bits;
    e->attr_scope = is_xmlns ? is_plain_declaration(p, name) ? GX_SCAN_DECLARES : GX_SCAN_NEVER
        : name->attr_odd || (name->flags & (GX_NAME_SPACE | GX_NAME_ID))
            || (name->attr_scope != GX_NONE && GX_LABEL_ID(name->attr_label) >= GX_SCAN_LABELS)
        ? GX_SCAN_NEVER
        : name->attr_scope;
    e->attr_label = is_xmlns ? GX_NAMES_EMPTY : name->attr_label;
    e->elem_uri = e->elem_scope < GX_SCAN_DECLARES ? states[GX_LABEL_ID(name->elem_label)].uri : GX_SCAN_NEVER;
    e->attr_uri = e->attr_scope < GX_SCAN_DECLARES ? states[GX_LABEL_ID(name->attr_label)].uri : GX_SCAN_NEVER;
}

/* Does the name mean in `scope` what it meant in an earlier scope that binds its prefix to the same namespace? Then its
 * entry answers for this scope, 1. One look into two small tables that overwrite themselves; 0 is only slower. */
int gx_scan_recall(gx_parser *p, gx_scan_name *e, u32 scope, int is_attribute)
{
    gx_scan *c = &p->scan;
    const size_t at = (size_t)scope * GX_SCAN_ROW + e->prefix;
    if (e->prefix >= GX_SCAN_PREFIXES || at >= GX_BUF_N(&c->bound, u32))
        return 0;
    const u32 name = (u32)(e - GX_BUF_AT(&c->entries, gx_scan_name)) * 2 + (u32)is_attribute;
    const u32 uri = GX_BUF_AT(&c->bound, u32)[at];
    const gx_scan_meaning *m = &c->meanings[gx_scan_place(name, uri)];
    if (m->name != name || m->uri != uri)
        return 0;
    p->names.n_answers++;
    if (is_attribute) {
        e->attr_scope = scope;
        e->attr_label = m->label;
        e->attr_uri = uri;
        return 1;
    }
    e->elem_scope = scope;
    e->elem_label = m->label;
    e->elem_bits = m->bits;
    e->elem_uri = uri;
    return 1;
}

/* The number of the name's prefix, of which there are a few; GX_SCAN_PREFIXES. No prefix is number 0. */
u32 gx_scan_prefix(gx_parser *p, const gx_name *name)
{
    gx_buf *known = &p->scan.prefixes;
    const u32 n = GX_BUF_N(known, u32);
    if (!name->prefix_len)
        return 0;
    for (u32 i = 1; i < n; i++) {
        const gx_name *k = &GX_BUF_AT(&p->names.names, gx_name)[GX_BUF_AT(known, u32)[i]];
        if (k->prefix_len == name->prefix_len && memcmp(p->names.strs.at + k->off, p->names.strs.at + name->off,
            k->prefix_len) == 0)
            return i;
    }
    u32 *new = n < GX_SCAN_PREFIXES ? gx_buf_push(known, sizeof *new) : NULL;
    if (!new)
        return GX_SCAN_PREFIXES;
    *new = (u32)(name - GX_BUF_AT(&p->names.names, gx_name));
    return n;
}

typedef u32 four __attribute__((vector_size(16), aligned(4), may_alias));

/* Labels up to n, and some more, get their first pieces: those are the pieces behind all others. */
int gx_scan_lists(gx_scan *c, u32 n)
{
    const u32 had = GX_BUF_N(&c->tails, u32), piece = GX_BUF_N(&c->links, u32);
    if (n <= had)
        return 0;
    const u32 more = ((n - had) | (LISTS_AT_ONCE - 1)) + 1;
    if (gx_buf_room(&c->tails, more * sizeof n) || gx_buf_room(&c->firsts, more * sizeof n)
        || gx_buf_room(&c->links, more * sizeof n) || gx_buf_room(&c->lists, more * GX_SCAN_LIST * sizeof n))
        return -1;
    u32 *firsts = GX_BUF_AT(&c->firsts, u32) + had, *tails = GX_BUF_AT(&c->tails, u32) + had;
    u32 *links = GX_BUF_AT(&c->links, u32) + piece;
    four id = { piece, piece + 1, piece + 2, piece + 3 };
    for (u32 k = 0; k < more; k += 4) {
        *(four *)(void *)(firsts + k) = id;
        *(four *)(void *)(tails + k) = id * GX_SCAN_LIST;
        id += 4;
    }
    memset(links, 0xff, more * sizeof n);       /* GX_NONE */
    c->tails.n += more * sizeof n;
    c->firsts.n += more * sizeof n;
    c->links.n += more * sizeof n;
    c->lists.n += more * GX_SCAN_LIST * sizeof n;
    return 0;
}
