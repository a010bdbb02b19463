/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.c -- the scanner's slow half: pieces, names seen for the first time, and tokens that are not everyday ones
 *
 *   feed --piece--> run --> walk (scan_walk.h) --new name, declaration, comment, CDATA ...--> here --> gx_parser_start,
 *   ...
 *
 * A tag goes the fast way when its name and all of its attributes' have been seen, in the scope that it is in, and mean
 * nothing more than a label: remember() decides that. All other tags are read here, as Expat would read them, and
 * become the event that Expat would have sent. So strings, labels and scopes are made in the order in which they always
 * were.
 *
 * Cost of a name that is new: about 50 ns. Memory: 64 bytes a name, 32 KiB of positions, and what the longest tag
 * takes.
 */
#include <string.h>
#include <strings.h>
#include "parser.h"

#define SMALL (8u << 10)        /* a whole document up to this is copied, so that it may be read beyond its end */
#define ENOUGH (64u << 10)      /* new bytes that a walk is begun for */
#define MOST_BYTES (1u << 30)   /* of one run: positions are u32 */
#define MOST_EXPANDED (1u << 19)        /* bytes that entities may stand for, however little is written */
#define LONG (512u << 10)       /* bytes of a document whose arrays begin so large that each is a mapping of its own:
                                   else the heap keeps the sizes that they grow from */
#define SHORT_NAME 31u          /* bytes; longer ones are always looked up here */

#define BUFFERS(c) { &(c)->entries, &(c)->slots, &(c)->positions, &(c)->scratch, &(c)->pointers, &(c)->prefixes, \
                     &(c)->bound, &(c)->texts, &(c)->tails, &(c)->firsts, &(c)->lists, &(c)->links, &(c)->kept_slots, \
                     &(c)->rules, &(c)->new_rules }
#define HEAD_BUFFERS(c) { &(c)->head.bytes, &(c)->head.made }

/* A new document for the scanner: tables and lists are emptied, their memory and the entries of the last document stay
 * (scan_kept.c), as far as the seed of the hashes is the same. -1: out of memory. */
int gx_scan_begin(gx_parser *p)
{
    gx_scan *c = &p->scan;
    gx_buf *all[] = BUFFERS(c);
    const u32 n_entries = GX_BUF_N(&c->entries, gx_scan_name);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gx_buf_rewind(all[i]);
    c->kept = c->entries.at && c->seed[0] == p->names.seed ? n_entries : 0;
    gx_scan_name *none = gx_buf_push(&c->entries, sizeof *none);
    u32 *slots = gx_buf_push(&c->slots, 512 * sizeof *slots);
    u32 *no_prefix = gx_buf_push(&c->prefixes, sizeof *no_prefix);
    if (!none || !slots || !no_prefix || gx_buf_room(&c->positions, (GX_SCAN_WINDOW + 128) * sizeof(u32)))
        return -1;
    *no_prefix = GX_NAMES_EMPTY;
    *none = (gx_scan_name){ .key = { ~0ull, ~0ull }, .elem_scope = GX_SCAN_NEVER, .attr_scope = GX_SCAN_NEVER };
    gx_buf_clear(slots, 512 * sizeof *slots);
    c->mask = 511;
    c->seed[0] = p->names.seed;
    c->seed[1] = gx_fold(p->names.seed, 0xd6e8feb86659fd93ull) | 1;
    if (c->stamp >> 31)                         /* else entries that are taken over need not be told */
        c->stamp = c->is_as_before = c->head.is_kept = 0;
    c->head.is_last = c->head.is_kept;
    c->head.is_mine = c->head.is_kept = 0;
    gx_scan_begin_rules(p);
    c->may_take_again = c->is_as_before;
    c->is_as_before = 0;
    c->n_added = 0;
    if (c->has_recalled) {
        memset(c->meanings, 0, sizeof c->meanings);
        memset(c->scopes_of, 0, sizeof c->scopes_of);
        c->has_recalled = 0;
    }
    c->may_take = c->is_taken = c->was_taken = 0;
    c->begun = c->has_root = c->at_doctype = c->begun_late = 0;
    c->began = c->until = 0;
    c->expanded = 0;
    c->careful = p->lines || (p->options.flags & GX_DOC_NAMESPACES);
    c->s = NULL;
    c->at = c->counted = c->done = 0;
    c->base = c->scanned = 0;
    c->line = c->column = 0;
    c->enough = 0;
    c->high = 0;
    c->max_depth = 0;
    c->is_listed = !c->careful;
    return gx_scan_list(p, 1);
}

void gx_scan_free(gx_scan *c)
{
    gx_buf *all[] = BUFFERS(c), *head[] = HEAD_BUFFERS(c);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gx_buf_free(all[i]);
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        gx_buf_free(head[i]);
}

u64 gx_scan_bytes(const gx_scan *c)
{
    const gx_buf *all[] = BUFFERS(c);
    u64 n = c->head.bytes.cap + c->head.made.cap;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        n += all[i]->cap;
    return n;
}

/* ---- names ---- */

/* A name's entry, or NULL; key and hash for entering it. Open addressing, at most half full. */
static gx_scan_name *find(const gx_parser *p, const u8 *s, u32 len, u64 key[2], u32 *hash)
{
    const gx_scan *c = &p->scan;
    gx_scan_name *entries = GX_BUF_AT(&c->entries, gx_scan_name);
    const u32 *slots = GX_BUF_AT(&c->slots, u32);
    *hash = (u32)gx_scan_hash(c, s, len, key);
    for (u32 i = *hash & c->mask; slots[i]; i = (i + 1) & c->mask) {
        gx_scan_name *e = &entries[slots[i]];
        if (e->hash == *hash && e->len == len && memcmp(p->names.strs.at + e->off, s, len) == 0)
            return e;
    }
    return NULL;
}

/* Twice as many slots */
static int grow(gx_scan *c)
{
    const u32 n = (c->mask + 1) * 2;
    if (gx_buf_room(&c->slots, n * sizeof(u32) - c->slots.n))
        return -1;
    c->slots.n = n * sizeof(u32);
    c->mask = n - 1;
    memset(c->slots.at, 0, c->slots.n);
    for (u32 k = 1; k < GX_BUF_N(&c->entries, gx_scan_name); k++)
        gx_scan_put(c, k);
    return 0;
}

/* ---- the name index while it grows: of each label the ids so far, in pieces ---- */

static int new_piece(gx_scan *c, u32 *piece)
{
    const u32 n = GX_BUF_N(&c->links, u32);
    if (gx_buf_room(&c->links, sizeof n) || gx_buf_room(&c->lists, GX_SCAN_LIST * sizeof n))
        return -1;
    GX_BUF_AT(&c->links, u32)[n] = GX_NONE;
    c->links.n += sizeof n;
    c->lists.n += GX_SCAN_LIST * sizeof n;
    *piece = n;
    return 0;
}

/* A label's piece of GX_SCAN_LIST nodes is full: it gets another one, linked behind it. The first time a label that was
 * taken over from the last document is met, its own first piece. 0, 1: the label is not the one that was expected next,
 * so nothing more is taken over; -1: out of memory. */
int gx_scan_list_grow(gx_scan *c, u32 label)
{
    u32 *tail = &GX_BUF_AT(&c->tails, u32)[label], piece;
    const u32 full = (*tail - 1) / GX_SCAN_LIST;
    if (full == 0 && label) {           /* the root's piece, which no node needs: its label's first node */
        if (label != c->next_taken) {
            *tail = GX_SCAN_LIST - 1;
            return 1;
        }
        c->is_taken = ++c->next_taken < c->taken.end;
        *tail = GX_BUF_AT(&c->firsts, u32)[label] * GX_SCAN_LIST + 1;
        GX_BUF_AT(&c->lists, u32)[*tail - 1] = GX_BUF_AT(&c->lists, u32)[GX_SCAN_LIST - 1];
        return 0;
    }
    if (new_piece(c, &piece))
        return -1;
    GX_BUF_AT(&c->links, u32)[full] = piece;
    *tail = piece * GX_SCAN_LIST;
    return 0;
}

/* The nodes from `from` on into the lists by label, which become the block's name index (gx_scan_index): for nodes that
 * the slow half made. Of more than GX_SCAN_LABELS labels no lists are kept. O(nodes). -1: out of memory. */
int gx_scan_list(gx_parser *p, u32 from)
{
    gx_scan *c = &p->scan;
    const u32 n_labels = GX_BUF_N(&p->names.labels, gx_label_info);
    const u32 listed = n_labels < GX_SCAN_LABELS ? n_labels : GX_SCAN_LABELS;
    if (gx_scan_lists(c, listed))
        return -1;
    c->is_listed &= n_labels <= GX_SCAN_LABELS;
    for (u32 i = from; i < p->n && c->is_listed; i++) {
        const u32 k = GX_LABEL_ID(p->label[i]);
        if (p->label[i] == GX_LABEL_TEXT) {
            u32 *text = gx_buf_push(&c->texts, sizeof *text);
            if (!text)
                return -1;
            *text = i;
            continue;
        }
        u32 *tail = &GX_BUF_AT(&c->tails, u32)[k];
        GX_BUF_AT(&c->lists, u32)[(*tail)++] = i;
        if (*tail % GX_SCAN_LIST == 0 && gx_scan_list_grow(c, k))
            return -1;
    }
    return 0;
}

/* A label's nodes piece by piece: *piece GX_NONE begins. How many are in this piece, 0: there are no more. */
u32 gx_scan_listed(const gx_parser *p, u32 label, u32 *piece, const u32 **ids)
{
    const gx_scan *c = &p->scan;
    const u32 *links = GX_BUF_AT(&c->links, u32), tail = GX_BUF_AT(&c->tails, u32)[label];
    if (*piece != GX_NONE && links[*piece] == GX_NONE)
        return 0;
    *piece = *piece == GX_NONE ? GX_BUF_AT(&c->firsts, u32)[label] : links[*piece];
    *ids = GX_BUF_AT(&c->lists, u32) + (size_t)*piece * GX_SCAN_LIST;
    return links[*piece] == GX_NONE ? tail - *piece * GX_SCAN_LIST : GX_SCAN_LIST;
}

/* The name index of the block out of the lists: start[k] .. start[k + 1] are label k's nodes in document order. One
 * copy of each node's number, O(nodes + labels), where sorting them would read every label again. May write 28 bytes
 * behind the index, where the block has its labels. */
void gx_scan_index(const gx_parser *p, u32 *start, u32 *index)
{
    const gx_scan *c = &p->scan;
    const u32 n_labels = GX_BUF_N(&p->names.labels, gx_label_info), *links = GX_BUF_AT(&c->links, u32);
    u32 to = 1 + GX_BUF_N(&c->texts, u32);
    start[0] = index[0] = 0;
    start[1] = 1;
    if (to > 1)
        memcpy(index + 1, c->texts.at, c->texts.n);
    for (u32 k = 2; k < n_labels; k++) {
        const u32 tail = GX_BUF_AT(&c->tails, u32)[k];
        start[k] = to;
        for (u32 piece = GX_BUF_AT(&c->firsts, u32)[k]; piece != GX_NONE; piece = links[piece]) {
            const u32 n = links[piece] == GX_NONE ? tail - piece * GX_SCAN_LIST : GX_SCAN_LIST;
            const u32 *from = GX_BUF_AT(&c->lists, u32) + (size_t)piece * GX_SCAN_LIST;
            for (u32 i = 0; i < n; i += 8)      /* up to seven more, which the next ones, or the labels, overwrite */
                memcpy(index + to + i, from + i, 8 * sizeof n);
            to += n;
        }
    }
    start[n_labels] = to;
}

/* ---- names again ---- */

/* Is it a Name (XML 1.0, fifth edition)? Colons are looked at when it becomes known. */
static int is_name(const char *s, u32 len)
{
#define LETTERS_OF(c) [(c) + 1 ... (c) + 26] = 1
    static const u8 kind[128] = { LETTERS_OF('@'),   LETTERS_OF('`'), ['_'] = 1, [':'] = 1,
                                  ['0' ... '9'] = 2, ['-'] = 2,       ['.'] = 2 };
    u32 at = 0;
    while (at < len) {
        const u8 c = (u8)s[at];
        const u32 n = c < 0x80 ? kind[c] == 1 || (at && kind[c]) : gx_name_length(s + at, len - at, at == 0);
        if (!n)
            return 0;
        at += n;
    }
    return len > 0;
}

static int is_blank(u8 c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/* Remembers that the prefix is bound to the URI in the scope. */
static void bind_prefix(gx_scan *c, u32 scope, u32 prefix, u32 uri)
{
    const size_t have = c->bound.n, need = (scope + 1) * GX_SCAN_ROW * sizeof(u32);
    if (prefix >= GX_SCAN_PREFIXES || scope >= GX_SCAN_SCOPES || uri == GX_SCAN_NEVER)
        return;
    if (have < need) {
        if (gx_buf_room(&c->bound, need - have))
            return;
        memset(c->bound.at + have, 0xff, need - have);
        c->bound.n = need;
    }
    GX_BUF_AT(&c->bound, u32)[scope * GX_SCAN_ROW + prefix] = uri;
}

/* The scope within `outer` with n declarations more: the number that gx_names_scope() gives. The last one, and single
 * declarations that were seen before, are known without a look into the tables. GX_SCAN_NEVER: the declarations are an
 * error or a limit, which the slow half finds and words. */
u32 gx_scan_declare(gx_parser *p, u32 outer, const gx_binding *added, u32 n)
{
    gx_scan *c = &p->scan;
    u32 scope;
    gx_scan_scope_of *known = &c->scopes_of[gx_scan_place(added->uri, added->name ^ outer << 8)];
    gx_scan_leave(p);
    if (n == 1 && known->name == added->name && known->uri == added->uri && known->outer == outer) {
        p->work++;
        return known->scope;
    }
    p->work += n * (1 + GX_BUF_AT(&p->names.scopes, gx_ns_list)[outer].n / 8);
    if (n == c->n_added && outer == c->added_to && memcmp(added, c->added, n * sizeof *added) == 0)
        return c->added_scope;
    for (u32 i = 0; i < n; i++)
        if (added[i].uri == GX_NAMES_XML || added[i].uri == GX_NAMES_XMLNS ||
            (added[i].uri == GX_NAMES_EMPTY && GX_BUF_AT(&p->names.names, gx_name)[added[i].name].prefix_len))
            return GX_SCAN_NEVER;
    if (gx_names_scope(&p->names, outer, added, n, &scope) || GX_BUF_AT(&p->names.scopes,
        gx_ns_list)[scope].n > p->limits.attributes ||
        GX_BUF_N(&p->names.bindings, gx_binding) > p->limits.nodes)
        return GX_SCAN_NEVER;
    memcpy(c->added, added, n * sizeof *added);
    c->n_added = n;
    c->added_to = outer;
    if (n == 1) {
        *known = (gx_scan_scope_of){ outer, added->name, added->uri, scope };
        c->has_recalled = 1;
    }
    return c->added_scope = scope;
}

/* From node `id` on another scope is in force: a change is noted, not a column a node. -1: out of memory. */
int gx_scan_note(gx_parser *p, u32 id, u32 scope)
{
    if (scope == p->last_scope)
        return 0;
    gx_scope_change *change = gx_buf_push(&p->scope_changes, sizeof *change);
    if (!change)
        return -1;
    *change = (gx_scope_change){ id, scope };
    p->last_scope = scope;
    return 0;
}

/* The name has this label wherever its prefix is bound to this namespace. */
static void recall_later(gx_scan *c, u32 name, u32 uri, u32 label, u32 bits)
{
    c->meanings[gx_scan_place(name, uri)] = (gx_scan_meaning){ name, uri, label, bits };
    c->has_recalled = 1;
}

/* Gives the nodes id .. end of a tag their labels where its scope is another one than when its names were seen last:
 * the tag's entry, and its attributes', whose label columns hold their entries for so long. What a name means in this
 * scope is remembered. -1: it means an error, or more than a label: the slow half reads the tag. */
int gx_scan_resolve(gx_parser *p, u32 entry, u32 scope, u32 id, u32 end)
{
    gx_scan_name *entries = GX_BUF_AT(&p->scan.entries, gx_scan_name), *e = &entries[entry];
    if (p->scan.is_taken) {
        gx_scan_leave(p);
        return -1;
    }
    if (GX_BUF_AT(&p->names.names, gx_name)[e->name].elem_scope != scope && gx_names_element(&p->names, e->name, scope))
        return -1;
    gx_scan_set_entry(p, e);
    if (e->elem_scope != scope)
        return -1;
    bind_prefix(&p->scan, scope, e->prefix, e->elem_uri);
    recall_later(&p->scan, entry * 2, e->elem_uri, e->elem_label, e->elem_bits);
    for (u32 i = id + 1; i < end; i++) {
        if (GX_LABEL_KIND(p->label[i]) == GX_KIND_ATTR)
            continue;
        gx_scan_name *a = &entries[p->label[i]];
        const u32 known = GX_BUF_AT(&p->names.names, gx_name)[a->name].attr_scope;
        if (known != scope && known != GX_SCOPE_ANY && gx_names_attribute(&p->names, a->name, scope))
            return -1;
        gx_scan_set_entry(p, a);
        if (a->attr_scope == GX_SCAN_NEVER)
            return -1;
        p->label[i] = a->attr_label;
        if (a->attr_scope != GX_SCOPE_ANY) {
            bind_prefix(&p->scan, scope, a->prefix, a->attr_uri);
            recall_later(&p->scan, (u32)(a - entries) * 2 + 1, a->attr_uri, a->attr_label, 0);
        }
    }
    return gx_scan_list(p, p->n);
}

/* A name without an entry gets one. NULL without memory. */
static gx_scan_name *add_entry(gx_parser *p, u32 index, u32 hash, const u64 key[2])
{
    gx_scan *c = &p->scan;
    const gx_name *name = &GX_BUF_AT(&p->names.names, gx_name)[index];
    if (GX_BUF_N(&c->entries, gx_scan_name) * 2 > c->mask && grow(c))
        return NULL;
    const u32 k = GX_BUF_N(&c->entries, gx_scan_name);
    gx_scan_name *e = gx_buf_push(&c->entries, sizeof *e);
    if (!e)
        return NULL;
    if (k < c->kept && (e->hash != hash || e->name != index || e->off != name->off))
        c->kept = k;
    /* what is found by the walk has its 16 bytes as the key; a longer name must equal none of them */
    const int is_long = name->len > 16;
    *e = (gx_scan_name){ .key = { is_long ? ~0ull : key[0], is_long ? ~0ull : key[1] }, .len = (u8)name->len,
                         .off = name->off, .hash = hash, .name = index };
    e->prefix = (u8)gx_scan_prefix(p, name);
    gx_scan_put(c, k);
    e->is_declared = p->doctype && gx_dtd_find(&p->dtd, p->names.strs.at + name->off, name->len);
    gx_scan_set_entry(p, e);
    return e;
}

/* The entry of a name that was resolved tells so. 0, or -1 without memory. */
static int remember(gx_parser *p, u32 index)
{
    const gx_name *name = &GX_BUF_AT(&p->names.names, gx_name)[index];
    u64 key[2];
    u32 hash;
    u8 bytes[SHORT_NAME + 17] = { 0 };
    if (name->len > SHORT_NAME)
        return 0;
    memcpy(bytes, p->names.strs.at + name->off, name->len);
    gx_scan_name *e = find(p, bytes, name->len, key, &hash);
    if (!e)
        return add_entry(p, index, hash, key) ? 0 : -1;
    gx_scan_set_entry(p, e);
    return 0;
}

/* A tag without attributes has this name, which no element had before: it is resolved at once. The names of its
 * attributes would have to be known first, and what it declares. What fails here fails again where the tag is read. */
static void resolve_early(gx_parser *p, gx_scan_name *e, u32 scope)
{
    if (gx_names_element(&p->names, e->name, scope))
        return;
    gx_scan_set_entry(p, e);
    bind_prefix(&p->scan, scope, e->prefix, e->elem_uri);
    if (gx_scan_list(p, p->n))
        e->elem_scope = GX_SCAN_NEVER;
}

/* The name that the last document had here (names.h), with its entry, which says that it is a Name and not a
 * namespace's. NULL: it is another, or without memory. */
static gx_scan_name *add_kept(gx_parser *p, const u8 *s, u32 len)
{
    gx_scan *c = &p->scan;
    const u32 k = GX_BUF_N(&c->entries, gx_scan_name);
    gx_scan_name *e = GX_BUF_AT(&c->entries, gx_scan_name) + k;
    if (k >= c->kept || k * 2 > c->mask || e->name != GX_BUF_N(&p->names.names, gx_name) || p->doctype)
        return NULL;
    const gx_name *name = gx_names_kept(&p->names, (const char *)s, len);
    if (!name || e->len != len || e->off != name->off
        || gx_names_add_kept(&p->names) == GX_NONE)
        return NULL;
    gx_scan_put(c, k);
    c->entries.n += sizeof *e;
    e->prefix = (u8)gx_scan_prefix(p, name);
    e->seen = e->is_declared = 0;
    if (name->flags)
        gx_scan_set_entry(p, e);
    else {                      /* not resolved yet, as gx_names_add_kept has left it */
        e->elem_scope = e->attr_scope = GX_NONE;
        e->elem_uri = e->attr_uri = GX_SCAN_NEVER;
    }
    return e;
}

/* Names become known here in the order in which gx_parser_start would make them known, if the tag turned out to be
 * its. The walk reads a little behind the last of them. */
gx_scan_name *gx_scan_find(gx_parser *p, const u8 *s, u32 len)
{
    u64 key[2];
    u32 hash;
    if (len - 1 >= SHORT_NAME || p->scan.careful || len > p->limits.name || gx_buf_room(&p->names.strs, len + 64))
        return NULL;
    gx_scan_name *kept = p->scan.is_taken ? NULL : add_kept(p, s, len);
    if (kept)
        return kept;
    gx_scan_name *e = find(p, s, len, key, &hash);
    if (e)
        return e;
    if (p->scan.is_taken) {             /* the tag's other names may not have been used before */
        gx_scan_leave(p);
        return NULL;
    }
    if (!is_name((const char *)s, len))
        return NULL;
    const u32 index = gx_names_find(&p->names, (const char *)s, len);
    if (index == GX_NONE || GX_BUF_AT(&p->names.names, gx_name)[index].flags & GX_NAME_BAD)
        return NULL;
    return add_entry(p, index, hash, key);
}

/* An element's name: taken over from the last document where that is possible, else by hash. What it means in this
 * scope is asked at once where its tag ends behind the name. */
gx_scan_name *gx_scan_find_element(gx_parser *p, const u8 *s, u32 len, u32 scope)
{
    gx_scan_name *e = p->scan.may_take && scope < GX_SCAN_DECLARES ? gx_scan_take(p, s, len, scope) : NULL;
    if (e)
        return e;
    e = gx_scan_find(p, s, len);
    if (e && !p->scan.is_taken && s[len] == '>' && e->elem_scope == GX_NONE && scope < GX_SCAN_DECLARES)
        resolve_early(p, e, scope);
    return e;
}

/* The scope that the walk works in, or one of the marks: SLOWLY, all tags are read the slow way; NOTE, the scope must
 * be noted at the next start tag. */
u32 gx_scan_scope(const gx_parser *p)
{
    const gx_frame *f = &GX_BUF_AT(&p->frames, gx_frame)[p->sp];
    /* a scope that another element has left is noted at the next start tag; an element in xml:space="preserve" has its
     * own rule */
    return p->scan.careful || !p->sp || (f->preserve && p->names.spaces) ? GX_SCAN_SLOWLY
        : f->scope != p->last_scope                                      ? GX_SCAN_NOTE
                                                                         : f->scope;
}

/* ---- room ---- */

/* Room in a heap or list, which grows to what is expected of it */
static int room(const gx_scan *c, gx_buf *b, size_t more)
{
    return more <= b->cap - b->n ? 0 : gx_buf_room_of(b, more, gx_scan_expected(c, b->n));
}

/* Room in all columns for whatever GX_SCAN_WINDOW bytes can make, so that the walk asks once a window and not once a
 * node. -1: out of memory, or a limit is so close that the slow half must count. */
int gx_scan_room(gx_parser *p)
{
    const gx_scan *c = &p->scan;
    const u32 n_nodes = GX_SCAN_WINDOW / 2 + GX_SCAN_AHEAD + 16, deepest = p->sp + GX_SCAN_WINDOW / 3 + 4;
    if (p->text.n > GX_MAX_HEAP - 8 * GX_SCAN_WINDOW || p->values.n > GX_MAX_HEAP - 8 * GX_SCAN_WINDOW
        || p->n > p->limits.nodes)
        return -1;
    p->frames.n = (p->sp + 1) * sizeof(gx_frame);
    return gx_parser_columns(p, n_nodes) || room(c, &p->text, GX_SCAN_WINDOW + 256)
            || room(c, &p->values, GX_SCAN_WINDOW + GX_SCAN_AHEAD + 512)
            || room(c, &p->scan.texts, n_nodes * sizeof(u32))
            || gx_buf_room(&p->frames, (deepest - p->sp) * sizeof(gx_frame)) || gx_buf_room(&p->names.strs, 64)
        ? -1
        : 0;
}

/* ---- references ---- */

/* &#...; at s[at], which has been seen to begin so */
static int number(const u8 *s, size_t at, size_t n, size_t *to, u8 *out, u32 *out_len)
{
    size_t i = at + 2;
    const int hex = i < n && s[i] == 'x';
    u32 code = 0;
    i += (size_t)hex;
    const size_t first = i;
    for (; i < n && s[i] != ';'; i++) {
        const u32 decimal = s[i] - (u32)'0', letter = (s[i] | 32u) - 'a';
        if (decimal > 9 && !(hex && letter < 6))
            return GX_SCAN_REFUSED;
        code = hex ? code << 4 | (decimal > 9 ? letter + 10 : decimal) : code * 10 + decimal;
        if (code > 0x10ffff)
            return GX_SCAN_REFUSED;
    }
    if (i >= n)
        return GX_SCAN_INCOMPLETE;
    if (i == first || !gx_is_xml_char(code))
        return GX_SCAN_REFUSED;
    *out_len = gx_utf8_encode(code, (char *)out);
    *to = i + 1;
    return GX_SCAN_OK;
}

/* The reference at s[at], '&': the character's bytes to out, *to behind the ';'. OK, INCOMPLETE where more bytes may
 * make it one, REFUSED for every other entity, which Expat knows. */
int gx_scan_reference(const u8 *s, size_t at, size_t n, size_t *to, u8 *out, u32 *out_len)
{
    static const struct {
        char text[5];
        u8 n, c;
    } known[] = { { "lt;", 3, '<' }, { "gt;", 3, '>' }, { "amp;", 4, '&' }, { "apos;", 5, '\'' }, { "quot;", 5, '"' } };
    const u8 *b = s + at + 1;
    const size_t have = n - at - 1;
    if (have && *b == '#')
        return number(s, at, n, to, out, out_len);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (have >= known[i].n && memcmp(b, known[i].text, known[i].n) == 0) {
            *out = known[i].c;
            *out_len = 1;
            *to = at + 1 + known[i].n;
            return GX_SCAN_OK;
        }
    return memchr(b, ';', have) ? GX_SCAN_REFUSED : GX_SCAN_INCOMPLETE;
}

/* ---- start tags ---- */

static size_t blanks(const u8 *s, size_t at, size_t n)
{
    while (at < n && is_blank(s[at]))
        at++;
    return at;
}

static size_t name_end(const u8 *s, size_t at, size_t n)
{
    while (at < n && !is_blank(s[at]) && s[at] != '>' && s[at] != '/' && s[at] != '=')
        at++;
    return at;
}

/* n bytes and a NUL to the tag's strings; their place is noted. NULL without memory. */
static char *add_string(gx_scan *c, const void *s, size_t n)
{
    u64 *place = gx_buf_push(&c->pointers, sizeof *place);
    if (!place)
        return NULL;
    *place = c->scratch.n;
    char *at = gx_buf_push(&c->scratch, n + 1);
    if (!at)
        return NULL;
    memcpy(at, s, n);
    at[n] = 0;
    return at;
}

/* The declared entity that s[at] refers to, if it is text; NULL: it is Expat's. What they stand for is not much more
 * than what is written: more is Expat's to allow. */
static const gx_dtd_entity *entity_at(gx_parser *p, const u8 *s, size_t at, size_t n, size_t *to)
{
    gx_scan *c = &p->scan;
    const u8 *end = p->doctype ? memchr(s + at, ';', n - at) : NULL;
    if (!end || end - s - at > p->limits.name || end == s + at + 1)
        return NULL;
    const u32 name = gx_names_find(&p->names, (const char *)s + at + 1, (u32)(end - s - at) - 1);
    const u32 number = name == GX_NONE ? 0 : GX_BUF_AT(&p->names.names, gx_name)[name].entity;
    if (!number)
        return NULL;
    const gx_dtd_entity *e = gx_dtd_entity_of(&p->dtd, number);
    c->expanded += e->len;
    if (c->expanded > MOST_EXPANDED && c->expanded > (c->base + at) / 2)
        return NULL;
    c->high = 1;
    *to = (size_t)(end + 1 - s);
    return e;
}

/* An entity of the DTD whose text has no markup: its text as it is. */
int gx_scan_entity(gx_parser *p, const u8 *s, size_t at, size_t n, size_t *to)
{
    const gx_dtd_entity *e = entity_at(p, s, at, n, to);
    if (!e || gx_parser_room(p, &p->text, e->len + 64))
        return GX_SCAN_REFUSED;
    memcpy(p->text.at + p->text.n, p->dtd.text.at + e->text, e->len);
    p->text.n += e->len;
    return GX_SCAN_OK;
}

/* The value between the quotes at `at`, normalised (XML 1.0, 3.3.3) */
static int add_value(gx_parser *p, const u8 *s, size_t at, size_t n, size_t *to)
{
    gx_scan *c = &p->scan;
    const u8 quote = s[at++], *end = memchr(s + at, quote, n - at);
    if (!end)
        return GX_SCAN_INCOMPLETE;
    const size_t close = (size_t)(end - s);
    u64 *place = gx_buf_push(&c->pointers, sizeof *place);
    if (!place || gx_buf_room(&c->scratch, close - at + 8))
        return GX_SCAN_REFUSED;
    *place = c->scratch.n;
    u8 *out = (u8 *)c->scratch.at + c->scratch.n;
    while (at < close) {
        const u8 b = s[at];
        u32 len = 1;
        if (b == '<')
            return GX_SCAN_REFUSED;
        if (is_blank(b)) {
            at += b == '\r' && s[at + 1] == '\n' ? 2 : 1;
            *out = ' ';
        } else if (b != '&') {
            *out = b;
            at++;
        } else if (gx_scan_reference(s, at, close, &at, out, &len) == GX_SCAN_OK) {
            c->high |= *out >= 0x80;
        } else {
            const gx_dtd_entity *e = entity_at(p, s, at, close, &at);
            c->scratch.n = (size_t)(out - (u8 *)c->scratch.at);
            if (!e || gx_buf_room(&c->scratch, e->len + close - at + 8))
                return GX_SCAN_REFUSED;
            out = (u8 *)c->scratch.at + c->scratch.n;
            for (len = 0; len < e->len; len++)
                out[len] = is_blank((u8)p->dtd.text.at[e->text + len]) ? ' ' : (u8)p->dtd.text.at[e->text + len];
        }
        out += len;
    }
    *out++ = 0;
    c->scratch.n = (size_t)(out - (u8 *)c->scratch.at);
    *to = close + 1;
    return GX_SCAN_OK;
}

/* The tag's strings, in the order of Expat's event: the name; each attribute's name, then its value. */
static int read_tag(gx_parser *p, const u8 *s, size_t at, size_t n, size_t *to, int *is_empty)
{
    gx_scan *c = &p->scan;
    c->scratch.n = c->pointers.n = 0;
    for (u32 k = 0; ; k++) {
        size_t begin = k ? blanks(s, at, n) : at + 1;
        if (begin == n)
            return GX_SCAN_INCOMPLETE;
        if (k && (s[begin] == '>' || s[begin] == '/')) {
            *is_empty = s[begin] == '/';
            if (*is_empty && begin + 1 == n)
                return GX_SCAN_INCOMPLETE;
            if (*is_empty && s[begin + 1] != '>')
                return GX_SCAN_REFUSED;
            *to = begin + 1 + (size_t)*is_empty;
            return GX_SCAN_OK;
        }
        if (k && begin == at)
            return GX_SCAN_REFUSED;
        const size_t end = name_end(s, begin, n);
        if (end == n)
            return GX_SCAN_INCOMPLETE;
        const char *name = add_string(c, s + begin, end - begin);
        if (!name || end - begin > GX_MAX_HEAP / 2 || !is_name(name, (u32)(end - begin)))
            return GX_SCAN_REFUSED;
        at = end;
        if (!k)
            continue;
        at = blanks(s, at, n);
        if (at == n)
            return GX_SCAN_INCOMPLETE;
        if (s[at] != '=')
            return GX_SCAN_REFUSED;
        at = blanks(s, at + 1, n);
        if (at == n)
            return GX_SCAN_INCOMPLETE;
        if (s[at] != '"' && s[at] != '\'')
            return GX_SCAN_REFUSED;
        const int rc = add_value(p, s, at, n, &at);
        if (rc)
            return rc;
    }
}

/* The element has been made: are two of its attributes the same? Then its names are remembered. */
static int after_start(gx_parser *p, u32 n_atts)
{
    gx_frame *f = &GX_BUF_AT(&p->frames, gx_frame)[p->sp];
    const u32 name = p->element;
    for (u32 i = 0; i < n_atts; i++) {
        gx_name *a = &GX_BUF_AT(&p->names.names, gx_name)[GX_BUF_AT(&p->attributes, u32)[i]];
        if (a->seen == f->node)
            return GX_SCAN_REFUSED;
        a->seen = f->node;
    }
    f->name = GX_BUF_AT(&p->names.names, gx_name)[name].off;
    f->name_len = GX_BUF_AT(&p->names.names, gx_name)[name].len;
    /* behind its end tag another scope holds, or another xml:space: gx_scan_scope is asked */
    f->special = f->name_len > SHORT_NAME || p->sp == 1 || f->scope != f[-1].scope || f->preserve != f[-1].preserve;
    if (p->scan.careful)
        return GX_SCAN_OK;
    for (u32 i = 0; i < n_atts; i++)
        if (remember(p, GX_BUF_AT(&p->attributes, u32)[i]))
            return GX_SCAN_REFUSED;
    return remember(p, name) ? GX_SCAN_REFUSED : GX_SCAN_OK;
}

/* A start tag that is not an everyday one: read as strings, completed from the DTD (defaults, ID), and given to
 * gx_parser_start(), as Expat gives it. OK, INCOMPLETE or REFUSED: then Expat judges the document. */
int gx_scan_tag(gx_parser *p, const u8 *s, size_t at, size_t n, size_t *to)
{
    gx_scan *c = &p->scan;
    gx_scan_leave(p);
    int is_empty, rc = read_tag(p, s, at, n, to, &is_empty);
    if (rc)
        return rc;
    const int is_head = c->may_take && p->n == 1 && !is_empty;
    if (is_head)
        gx_scan_head_begin(p);
    u32 n_strings = GX_BUF_N(&c->pointers, u64);
    if (gx_buf_room(&c->pointers, sizeof(u64)))
        return GX_SCAN_REFUSED;
    for (u32 i = 0; i < n_strings; i++) {
        const u64 place = GX_BUF_AT(&c->pointers, u64)[i];
        GX_BUF_AT(&c->pointers, const char *)[i] = c->scratch.at + place;
    }
    const char *name = *GX_BUF_AT(&c->pointers, const char *);
    const gx_dtd_element *declared = p->doctype ? gx_dtd_find(&p->dtd, name, strlen(name)) : NULL;
    p->n_written = n_strings - 1;
    p->id_at = -1;
    if (declared) {
        if (gx_dtd_complete(&p->dtd, declared, &c->pointers, 1, &p->id_at) < 0
            || gx_buf_room(&c->pointers, sizeof(char *)))
            return GX_SCAN_REFUSED;
        n_strings = GX_BUF_N(&c->pointers, u64);
    }
    const char **strings = GX_BUF_AT(&c->pointers, const char *);
    strings[n_strings] = NULL;
    gx_parser_start(p, strings[0], strings + 1);
    if (p->status || (rc = after_start(p, n_strings / 2)))
        return GX_SCAN_REFUSED;
    if (is_head)
        gx_scan_head_note(p, s, *to);
    if (is_empty)
        gx_parser_end(p);
    return p->status ? GX_SCAN_REFUSED : GX_SCAN_OK;
}

/* ---- other markup ---- */

/* The end tag of an element that began before this part: whether it is that one's is seen when the part is joined. */
static int end_tag_outside(gx_parser *p, const u8 *s, size_t name, size_t close)
{
    const gx_scan *c = &p->scan;
    const size_t end = name_end(s, name, close);
    gx_scan_close *to = gx_buf_push(c->closes, sizeof *to);
    if (!to || blanks(s, end, close) != close)
        return GX_SCAN_REFUSED;
    *to = (gx_scan_close){ c->base + name, c->base + close + 1, (u32)(end - name), p->n, p->text.n, p->values.n };
    return GX_SCAN_OK;
}

/* An end tag that the walk did not take: its name must be the open element's, byte by byte; white space may follow. In
 * a part of a document (parts.c) one that closes an element from before the part is listed. */
int gx_scan_end_tag(gx_parser *p, const u8 *s, size_t at, size_t n, size_t *to)
{
    const gx_frame *f = &GX_BUF_AT(&p->frames, gx_frame)[p->sp];
    const u8 *end = n - at > 2 ? memchr(s + at + 2, '>', n - at - 2) : NULL;
    if (!end)
        return GX_SCAN_INCOMPLETE;
    const size_t name = at + 2, close = (size_t)(end - s);
    *to = close + 1;
    if (p->scan.closes && p->sp == 1)
        return end_tag_outside(p, s, name, close);
    if (close - name < f->name_len || memcmp(s + name, p->names.strs.at + f->name, f->name_len)
        || blanks(s, name + f->name_len, close) != close)
        return GX_SCAN_REFUSED;
    gx_parser_end(p);
    return p->status ? GX_SCAN_REFUSED : GX_SCAN_OK;
}

/* Where the three bytes `what` begin, the first two of which are the same, from `at` on; n: nowhere */
static size_t find_end(const u8 *s, size_t at, size_t n, const char *what)
{
    while (at + 2 < n) {
        const u8 *found = memchr(s + at, what[0], n - at - 2);
        if (!found)
            break;
        at = (size_t)(found - s);
        if (s[at + 1] == (u8)what[1] && s[at + 2] == (u8)what[2])
            return at;
        at++;
    }
    return n;
}

/* n bytes with line ends as XML has them (2.11). Returns how many. */
static size_t copy_lines(char *to, const u8 *s, size_t n)
{
    char *const first = to;
    while (n) {
        const u8 *cr = memchr(s, '\r', n);
        const size_t before = cr ? (size_t)(cr - s) : n;
        memcpy(to, s, before);
        to += before;
        s += before;
        n -= before;
        if (n) {
            const size_t both = n > 1 && s[1] == '\n' ? 2 : 1;
            *to++ = '\n';
            s += both;
            n -= both;
        }
    }
    return (size_t)(to - first);
}

/* A string for an event */
static char *add_lines(gx_scan *c, const u8 *s, size_t n)
{
    char *at = add_string(c, s, n);
    if (at)
        at[copy_lines(at, s, n)] = 0;
    return at;
}

/* A CDATA section's content is text like any other, without references; lines end in LF. O(bytes). */
static int cdata(gx_parser *p, const u8 *s, size_t from, size_t n, size_t *to)
{
    const size_t end = find_end(s, from, n, "]]>");
    if (end == n)
        return GX_SCAN_INCOMPLETE;
    if (end > from && p->lines && p->text.n == p->text_start) {
        p->scan.at = from;
        gx_scan_position(p, &p->text_line, &p->text_column);
    }
    if (gx_parser_room(p, &p->text, end - from))
        return GX_SCAN_REFUSED;
    p->text.n += copy_lines(p->text.at + p->text.n, s + from, end - from);
    *to = end + 3;
    return GX_SCAN_OK;
}

static int comment(gx_parser *p, const u8 *s, size_t from, size_t n, size_t *to)
{
    gx_scan *c = &p->scan;
    size_t end = from;
    for (;; end++) {
        const u8 *dash = n - end > 2 ? memchr(s + end, '-', n - end - 2) : NULL;
        if (!dash)
            return GX_SCAN_INCOMPLETE;
        end = (size_t)(dash - s);
        if (s[end + 1] == '-')
            break;
    }
    if (s[end + 2] != '>')
        return GX_SCAN_REFUSED;
    c->scratch.n = c->pointers.n = 0;
    const char *text = add_lines(c, s + from, end - from);
    if (!text || strlen(text) > end - from)
        return GX_SCAN_REFUSED;
    gx_parser_comment(p, text);
    *to = end + 3;
    return p->status ? GX_SCAN_REFUSED : GX_SCAN_OK;
}

/* Does s[at..n) begin with the text, as far as it goes? */
static int begins(const u8 *s, size_t at, size_t n, const char *text)
{
    const size_t len = strlen(text), have = n - at;
    return memcmp(s + at, text, have < len ? have : len) == 0;
}

/* Does the document type declaration at s[at] end before s[n]? A guess that costs nothing but waiting if it is
 * wrong. */
static int ends_doctype(const u8 *s, size_t at, size_t n)
{
    u32 depth = 0;
    for (size_t i = at + 2; i < n; i++) {
        const u8 b = s[i];
        if (b == '"' || b == '\'' || begins(s, i, n, "<!--") || begins(s, i, n, "<?")) {
            const char *close = b == '"' ? "\"" : b == '\'' ? "'" : s[i + 1] == '!' ? "-->" : "?>";
            const u8 *end = memmem(s + i + 1, n - i - 1, close, strlen(close));
            if (!end)
                return 0;
            i = (size_t)(end - s) + strlen(close) - 1;
        } else if (b == '[')
            depth++;
        else if (b == ']')
            depth--;
        else if (b == '>' && !depth)
            return 1;
    }
    return 0;
}

/* "<!": a comment, a CDATA section, or the DTD, which is Expat's. */
int gx_scan_bang(gx_parser *p, const u8 *s, size_t at, size_t n, size_t *to)
{
    const size_t have = n - at;
    if (begins(s, at, n, "<!--"))
        return have < 4 ? GX_SCAN_INCOMPLETE : comment(p, s, at + 4, n, to);
    if (p->sp && begins(s, at, n, "<![CDATA["))
        return have < 9 ? GX_SCAN_INCOMPLETE : cdata(p, s, at + 9, n, to);
    if (!p->sp && !p->scan.has_root && begins(s, at, n, "<!DOCTYPE")) {
        if (!p->scan.final && !p->options.no_doctype && !ends_doctype(s, at, n))
            return GX_SCAN_INCOMPLETE;
        p->scan.at_doctype = 1;
    }
    return GX_SCAN_REFUSED;
}

int gx_scan_pi(gx_parser *p, const u8 *s, size_t at, size_t n, size_t *to)
{
    gx_scan *c = &p->scan;
    size_t end = at + 2;
    gx_scan_leave(p);
    for (;; end++) {
        const u8 *mark = n > end + 1 ? memchr(s + end, '?', n - end - 1) : NULL;
        if (!mark)
            return GX_SCAN_INCOMPLETE;
        end = (size_t)(mark - s);
        if (s[end + 1] == '>')
            break;
    }
    size_t target_end = at + 2;
    while (target_end < end && !is_blank(s[target_end]))
        target_end++;
    const size_t data = blanks(s, target_end, end);
    c->scratch.n = c->pointers.n = 0;
    const size_t target_len = target_end - at - 2;
    if (target_len > GX_MAX_HEAP / 2 || !add_string(c, s + at + 2, target_len) || !add_lines(c, s + data, end - data))
        return GX_SCAN_REFUSED;
    const char *target = c->scratch.at, *text = c->scratch.at + target_len + 1;
    if (!is_name(target, (u32)target_len) || (target_len == 3 && strncasecmp(target, "xml", 3) == 0))
        return GX_SCAN_REFUSED;
    gx_parser_pi(p, target, text);
    *to = end + 2;
    return p->status ? GX_SCAN_REFUSED : GX_SCAN_OK;
}

/* ---- a document's beginning ---- */

/* S name S? = S? quoted value, at `at` of n bytes. 1, 0: no such attribute, or -1: one that is wrong. */
static int pseudo_attribute(const u8 *s, size_t *at, size_t n, const char *name, const u8 **value, size_t *len)
{
    size_t i = blanks(s, *at, n);
    const size_t name_len = strlen(name);
    if (i == *at || n - i < name_len || memcmp(s + i, name, name_len))
        return 0;
    i = blanks(s, i + name_len, n);
    if (i == n || s[i] != '=')
        return -1;
    i = blanks(s, i + 1, n);
    if (i == n || (s[i] != '"' && s[i] != '\''))
        return -1;
    const u8 *end = memchr(s + i + 1, s[i], n - i - 1);
    if (!end)
        return -1;
    *value = s + i + 1;
    *len = (size_t)(end - *value);
    *at = (size_t)(end + 1 - s);
    return 1;
}

static int is_of(const u8 *s, size_t n, const char *set)
{
    for (size_t i = 0; i < n; i++)
        if (!s[i] || !strchr(set, s[i]))
            return 0;
    return n > 0;
}

/* s[at..n) is what stands between <?xml and ?>. What is unusual is Expat's, such as an encoding that encoding.c did not
 * find. */
static int is_declaration(const gx_parser *p, const u8 *s, size_t at, size_t n)
{
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    const u8 *v;
    size_t len;
    int rc = pseudo_attribute(s, &at, n, "version", &v, &len);
    if (rc != 1 || len < 3 || v[0] != '1' || v[1] != '.' || !is_of(v + 2, len - 2, "0123456789"))
        return 0;
    rc = pseudo_attribute(s, &at, n, "encoding", &v, &len);
    if (rc < 0 || (rc && (!p->encoding || !is_of(v, len, LETTERS "0123456789._-") || !is_of(v, 1, LETTERS))))
        return 0;
    rc = pseudo_attribute(s, &at, n, "standalone", &v, &len);
    if (rc < 0 || (rc && !(len == 3 && memcmp(v, "yes", 3) == 0) && !(len == 2 && memcmp(v, "no", 2) == 0)))
        return 0;
    return blanks(s, at, n) == n;
}

/* Byte order mark and XML declaration: *at is behind them */
static int begin_document(gx_parser *p, const u8 *s, size_t n, int final, size_t *at)
{
    size_t from = 0;
    if (!final && n < 9)
        return GX_SCAN_INCOMPLETE;
    if (n >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0)
        from = 3;
    if (n - from >= 6 && memcmp(s + from, "<?xml", 5) == 0 && is_blank(s[from + 5])) {
        size_t end = from + 5;
        while (end + 1 < n && !(s[end] == '?' && s[end + 1] == '>'))
            end++;
        if (end + 1 >= n)
            return GX_SCAN_INCOMPLETE;
        if (!is_declaration(p, s, from + 5, end))
            return GX_SCAN_REFUSED;
        from = end + 2;
    }
    p->scan.begun = 1;
    *at = from;
    return GX_SCAN_OK;
}

/* ---- pieces ---- */

/* A piece's length without what the next one may go on with: a part of a character, CR, ] */
static size_t whole_characters(const u8 *s, size_t n)
{
    size_t lead = n;
    while (lead && n - lead < 4 && (s[lead - 1] & 0xc0) == 0x80)
        lead--;
    if (lead && n - lead < 4 && s[lead - 1] >= 0xc0) {
        const u32 size = s[lead - 1] >= 0xf0 ? 4 : s[lead - 1] >= 0xe0 ? 3 : 2;
        if (n - lead + 1 < size)
            n = lead - 1;
    }
    while (n && (s[n - 1] == '\r' || s[n - 1] == ']'))
        n--;
    return n;
}

/* s[0..n) goes on where *used of the run before ended; GX_SCAN_PAD bytes behind it can be read. */
static int run(gx_parser *p, const u8 *s, size_t n, int final, size_t *used)
{
    gx_scan *c = &p->scan;
    c->s = s;
    c->base = c->scanned;
    c->at = c->counted = c->done = 0;
    c->brackets = c->cut = 0;
    *used = 0;
    c->final = (u8)final;
    c->ascii = p->encoding && strcmp(p->encoding, "US-ASCII") == 0;
    if (!final)
        n = whole_characters(s, n);
    const int is_whole = final && !c->base && !c->careful && !p->doctype && !c->closes;
    const int taken = !c->begun && is_whole ? gx_scan_head_take(p, s, n, used) : 0;
    if (taken < 0 || (taken && gx_scan_list(p, 1)))
        return GX_SCAN_REFUSED;
    if (!c->begun) {
        const int rc = begin_document(p, s, n, final, used);
        if (rc)
            return rc == GX_SCAN_INCOMPLETE && !final ? GX_SCAN_OK : GX_SCAN_REFUSED;
    }
    if (n == *used)
        return final && !(c->has_root && !p->sp) ? GX_SCAN_REFUSED : GX_SCAN_OK;
    c->may_take = is_whole && c->kept > 1;
    const int mode = c->careful                                        ? GX_SCAN_CAREFUL
        : p->names.spaces || p->doctype || p->n_input > p->limits.text ? GX_SCAN_CHECKED
                                                                       : GX_SCAN_FAST;
    if (c->run[mode](p, s, n, used) || p->status || p->n > p->limits.nodes)
        return GX_SCAN_REFUSED;
    if (final && (*used != n || !c->has_root || p->sp))
        return GX_SCAN_REFUSED;
    gx_scan_leave(p);
    if (final)
        gx_scan_keep(p);
    if (c->careful) {
        u32 line, column;
        c->at = *used;
        gx_scan_position(p, &line, &column);
    }
    c->scanned += *used;
    return GX_SCAN_OK;
}

/* The whole document: in place, but for its end, which is copied to where more can be read. */
static int run_whole(gx_parser *p, const u8 *s, size_t n)
{
    gx_buf *tail = &p->waiting;
    size_t used;
    p->scan.began = p->scan.scanned;
    p->scan.until = p->scan.scanned + n;
    /* without memory the document fails where it wants some */
    if (n >= LONG && p->allocated < LONG / 16
        && (gx_parser_columns(p, LONG / 16) || gx_buf_room(&p->text, LONG / 4) || gx_buf_room(&p->scan.lists, LONG / 4)
            || gx_buf_room(&p->scan.texts, LONG / 4)))
        return GX_SCAN_REFUSED;
    while (n > SMALL) {
        const size_t most = n - GX_SCAN_PAD < MOST_BYTES ? n - GX_SCAN_PAD : MOST_BYTES;
        if (run(p, s, most, 0, &used))
            return GX_SCAN_REFUSED;
        s += used;
        n -= used;
        if (!used || most < MOST_BYTES)
            break;
    }
    if (n > MOST_BYTES || gx_buf_room(tail, n + GX_SCAN_PAD))
        return GX_SCAN_REFUSED;
    if (n)
        memcpy(tail->at, s, n);
    gx_buf_clear(tail->at + n, GX_SCAN_PAD);
    return run(p, (const u8 *)tail->at, n, 1, &used);       /* tail->n stays 0: nothing waits */
}

int gx_scan_piece(gx_parser *p, const u8 *s, size_t n, size_t *used) { return run(p, s, n, 0, used); }
int gx_scan_rest(gx_parser *p, const u8 *s, size_t n) { return run_whole(p, s, n); }

/* What the walk has passed goes, if it can be had again: a window of the document stays in the caches, all of it does
 * not. */
static void slide(gx_parser *p)
{
    gx_buf *wait = &p->waiting;
    const size_t passed = p->scan.scanned - p->gone;
    if (!passed || !p->options.again || p->transcode)
        return;
    memmove(wait->at, wait->at + passed, wait->n - passed);
    wait->n -= passed;
    p->gone += passed;
}

int gx_scan_feed(gx_parser *p, const char *bytes, size_t n, int final)
{
    gx_scan *c = &p->scan;
    gx_buf *wait = &p->waiting;
    size_t used;
    if (final && wait->n == 0)
        return run_whole(p, (const u8 *)bytes, n);
    slide(p);
    if (gx_buf_room(wait, n + GX_SCAN_PAD))
        return GX_SCAN_REFUSED;
    if (n)
        memcpy(wait->at + wait->n, bytes, n);
    wait->n += n;
    gx_buf_clear(wait->at + wait->n, GX_SCAN_PAD);
    const int soon = p->options.at_once && p->names_sheet < 0;
    const size_t passed = c->scanned - p->gone, left = wait->n - passed;
    if (!final && left < (soon ? c->enough : c->enough > ENOUGH ? c->enough : ENOUGH))
        return GX_SCAN_OK;
    if (left > MOST_BYTES || run(p, (const u8 *)wait->at + passed, left, final, &used))
        return GX_SCAN_REFUSED;
    c->enough = 2 * (left - used);      /* a token that is not whole yet is not read again for every byte of it */
    if (!used && gx_parser_is_late(p, (u32)(left / 8)))         /* in vain, but not for nothing */
        return GX_SCAN_REFUSED;
    return GX_SCAN_OK;
}

/* Goes on as the scanner at byte `at`, behind what Expat has read (an XML declaration, a DTD). */
int gx_scan_resume(gx_parser *p, const char *bytes, size_t n, int final, u64 at)
{
    gx_scan *c = &p->scan;
    u32 line, column;
    if (gx_scan_begin(p))
        return GX_SCAN_REFUSED;
    c->begun = c->begun_late = c->high = 1;     /* what stands before the declaration has not been looked at */
    c->max_depth = p->n > 1;
    c->s = (const u8 *)bytes;
    c->at = at;
    gx_scan_position(p, &line, &column);
    c->scanned = at;
    if (p->waiting.n)
        return gx_scan_feed(p, "", 0, final);
    return run_whole(p, (const u8 *)bytes + at, n - at);
}
