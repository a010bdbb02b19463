/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c -- the slow half of names.h: what happens the first time a name, a label or a scope is seen
 *
 * Three open-addressing tables of u32 (index + 1), at most half full. Each costs O(1) a lookup; a new scope costs its
 * length.
 */
#include <assert.h>
#include <sys/random.h>
#include <time.h>
#include "name_chars.h"
#include "names.h"
#include "spaces.h"

/* `first` slots, all free. */
static int slots_reset(gx_buf *slots, u32 *mask, u32 first)
{
    gx_buf_rewind(slots);
    if (gx_buf_room(slots, first * sizeof(u32)))
        return -1;
    slots->n = first * sizeof(u32);
    gx_buf_clear(slots->at, slots->n);
    *mask = first - 1;
    return 0;
}

static void slots_put(gx_buf *slots, u32 mask, u64 hash, u32 index)
{
    u32 *slot = GX_BUF_AT(slots, u32), i = (u32)hash & mask;
    while (slot[i])
        i = (i + 1) & mask;
    slot[i] = index + 1;
}

/* Twice as many slots; the caller puts its n entries in again. Doubling counts only when it succeeded. */
static int slots_double(gx_buf *slots, u32 *mask)
{
    size_t n = ((size_t)*mask + 1) * 2;
    if (n > (1u << 30) || gx_buf_room(slots, n * sizeof(u32) - slots->n))
        return -1;
    slots->n = n * sizeof(u32);
    memset(slots->at, 0, slots->n);
    *mask = (u32)n - 1;
    return 0;
}

/* inline: most sizes are known to the caller */
static inline __attribute__((always_inline)) int append(gx_buf *b, const void *bytes, size_t n)
{
    void *at = gx_buf_push(b, n);
    if (!at)
        return -1;
    if (n)
        memcpy(at, bytes, n);
    return 0;
}

/* The tables for a new document: the empty name, XML's two namespaces, the labels of root, text and comments, the empty
 * scope. Names and labels of the last document stay behind the ends of their tables, and are taken as they come again
 * in the same order (gx_names_add_kept), which documents of one kind do. The seed of the hashes is chance. -1: out of
 * memory. */
int gx_names_reset(gx_names *t, const gx_program *spaces)
{
    if (!t->seed && getrandom(&t->seed, sizeof t->seed, GRND_NONBLOCK) != sizeof t->seed) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        t->seed = gx_fold((u64)now.tv_nsec ^ (u64)(uintptr_t)t, 0xd6e8feb86659fd93ull ^ (u64)now.tv_sec);
    }
    const u32 n_names = GX_BUF_N(&t->names, gx_name), n_labels = GX_BUF_N(&t->labels, gx_label_info);
    gx_buf_rewind(&t->strs);
    gx_buf_rewind(&t->names);
    gx_buf_rewind(&t->labels);
    gx_buf_rewind(&t->states);
    gx_buf_rewind(&t->scopes);
    gx_buf_rewind(&t->bindings);
    const int is_kept = t->kept_seed == t->seed && t->strs.at && t->names.at && t->labels.at && t->states.at;
    t->kept_seed = t->seed;
    t->kept_names = is_kept ? n_names : 0;
    t->kept_labels = is_kept ? n_labels : 0;
    t->hashed_uri = GX_NONE;
    t->spaces = spaces && spaces->spaces.n ? spaces : NULL;
    if (gx_buf_room(&t->strs, 1))          /* the empty string has an address, too */
        return -1;
    if (slots_reset(&t->name_slots, &t->name_mask, 256) || slots_reset(&t->label_slots, &t->label_mask, 256) ||
        slots_reset(&t->scope_slots, &t->scope_mask, 32))
        return -1;
    if (gx_names_find(t, "", 0) != GX_NAMES_EMPTY || gx_names_find(t, GX_XML_URI, sizeof GX_XML_URI - 1) != GX_NAMES_XML
        || gx_names_find(t, GX_XMLNS_URI, sizeof GX_XMLNS_URI - 1) != GX_NAMES_XMLNS)
        return -1;
    /* labels 0, 1, 2 are root, text, comment; they are never looked up by name */
    static const u32 kinds[3] = { GX_KIND_ROOT, GX_KIND_TEXT, GX_KIND_COMMENT };
    for (int i = 0; i < 3; i++) {
        gx_label_info info = { .kind = kinds[i], .hash = gx_name_hash("", 0, "", 0) };
        gx_label_state state = { .seen = GX_NONE };
        if (append(&t->labels, &info, sizeof info) || append(&t->states, &state, sizeof state))
            return -1;
    }
    return append(&t->scopes, &(gx_ns_list){ 0, 0 }, sizeof(gx_ns_list));
}

#define BUFFERS(t) { &(t)->strs, &(t)->names, &(t)->labels, &(t)->states, &(t)->scopes, &(t)->bindings, \
                     &(t)->name_slots, &(t)->label_slots, &(t)->scope_slots, &(t)->kept_name_slots, \
                     &(t)->kept_label_slots }

/* Bytes of the name without colon that text begins with, by XML 1.0's fifth edition. */
u32 gx_ncname_length(const char *text, u32 n)
{
    u32 at = 0;
    while (at < n) {
        u32 c, len = gx_utf8_decode(text + at, n - at, &c);
        if (!(at ? gx_is_name_char(c) : gx_is_name_start(c)))
            break;
        at += len;
    }
    return at;
}

u32 gx_name_length(const char *text, u32 n, int first)
{
    u32 c, len = gx_utf8_decode(text, n, &c);
    return c == ':' || (first ? gx_is_name_start(c) : gx_is_name_char(c)) ? len : 0;
}

u64 gx_names_bytes(const gx_names *t)
{
    const gx_buf *all[] = BUFFERS(t);
    u64 n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        n += all[i]->cap;
    return n;
}

void gx_names_free(gx_names *t)
{
    gx_buf *all[] = BUFFERS(t);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gx_buf_free(all[i]);
}

/* ---- names ---- */

/* Expat's tokeniser takes ':' as any other name character, so it has checked all of a name but what follows the
 * colon. */
static int starts_name(const char *s, u32 len)
{
    u32 c;
    return len && gx_utf8_decode(s, len, &c) && gx_is_name_start(c);
}

/* What a name's spelling says: that it declares a namespace, is xml:space or xml:id, or is no QName (GX_NAME_BAD).
 * *prefix_len: bytes before the colon. */
static u32 name_flags(const char *s, u32 len, u32 *prefix_len)
{
    const char *colon = memchr(s, ':', len);
    *prefix_len = 0;
    if (!colon)
        return len == 5 && memcmp(s, "xmlns", 5) == 0 ? GX_NAME_XMLNS : 0;
    u32 at = (u32)(colon - s), rest = len - at - 1;
    if (at == 0 || memchr(colon + 1, ':', rest) || !starts_name(colon + 1, rest))
        return GX_NAME_BAD;
    *prefix_len = at;
    if (at == 5 && memcmp(s, "xmlns", 5) == 0)
        return GX_NAME_XMLNS;
    if (at == 3 && memcmp(s, "xml", 3) == 0)
        return rest == 5 && memcmp(colon + 1, "space", 5) == 0 ? GX_NAME_SPACE :
               rest == 2 && memcmp(colon + 1, "id", 2) == 0 ? GX_NAME_ID : 0;
    return 0;
}

/* Slots for the names from..to, which have none. The tables are large enough. */
static void put_names(gx_names *t, u32 from, u32 to)
{
    for (u32 i = from; i < to; i++)
        slots_put(&t->name_slots, t->name_mask, GX_BUF_AT(&t->names, gx_name)[i].hash, i);
}

/* .. for the labels from..to */
static void put_labels(gx_names *t, u32 from, u32 to)
{
    for (u32 i = from; i < to; i++)
        slots_put(&t->label_slots, t->label_mask, GX_BUF_AT(&t->states, gx_label_state)[i].hash, i);
}

/* Slots for one name more; -1 without memory */
static int name_slot(gx_names *t, u32 index)
{
    if ((index + 1) * 2ull <= t->name_mask)
        return 0;
    if (slots_double(&t->name_slots, &t->name_mask))
        return -1;
    put_names(t, 0, index);
    return 0;
}

/* The last document's next name is this one's, too: it is entered with all it was but what it meant. GX_NONE: out of
 * memory. */
u32 gx_names_add_kept(gx_names *t)
{
    const u32 index = GX_BUF_N(&t->names, gx_name);
    if (name_slot(t, index))
        return GX_NONE;
    gx_name *n = &GX_BUF_AT(&t->names, gx_name)[index];
    n->flags &= GX_NAME_BAD | GX_NAME_XMLNS | GX_NAME_SPACE | GX_NAME_ID;
    n->elem_scope = n->attr_scope = n->seen = n->value_at = GX_NONE;
    n->elem_label = n->attr_label = n->entity = 0;
    n->elem_odd = n->attr_odd = 0;
    t->strs.n += n->len;
    t->names.n += sizeof *n;
    slots_put(&t->name_slots, t->name_mask, n->hash, index);
    return index;
}

/* A new name: its bytes, its flags, its place in the table. What was kept of the last document behind it is given up.
 * GX_NONE: out of memory, or more than 2^28 names or 4 GB of them. */
u32 gx_names_add(gx_names *t, const char *s, u32 len, u64 hash)
{
    u32 index = GX_BUF_N(&t->names, gx_name);
    if (t->strs.n + len > 0xfffffff0u || index >= 1u << 28 || gx_buf_room(&t->names, sizeof(gx_name)) ||
        name_slot(t, index))
        return GX_NONE;
    t->kept_names = t->kept_names < index ? t->kept_names : index;
    t->changes++;
    gx_name n = { .hash = hash,
                  .off = (u32)t->strs.n,
                  .len = len,
                  .elem_scope = GX_NONE,
                  .attr_scope = GX_NONE,
                  .seen = GX_NONE,
                  .value_at = GX_NONE };
    n.flags = name_flags(s, len, &n.prefix_len);
    n.local = n.off + (n.prefix_len ? n.prefix_len + 1 : 0);
    if (append(&t->strs, s, len))
        return GX_NONE;
    append(&t->names, &n, sizeof n);
    slots_put(&t->name_slots, t->name_mask, hash, index);
    return index;
}

/* ---- labels ---- */

/* Many labels of one namespace become known one after the other; its name is the longest part of what is hashed. */
static u32 hash_of_uri(gx_names *t, u32 uri)
{
    if (t->hashed_uri != uri) {
        const gx_name *u = &GX_BUF_AT(&t->names, gx_name)[uri];
        t->uri_hash = gx_name_hash_uri(t->strs.at + u->off, u->len);
        t->hashed_uri = uri;
    }
    return t->uri_hash;
}

/* Slots for one label more; -1 without memory */
static int label_slot(gx_names *t, u32 id)
{
    if ((id + 1) * 2ull <= t->label_mask)
        return 0;
    if (slots_double(&t->label_slots, &t->label_mask))
        return -1;
    put_labels(t, 3, id);
    return 0;
}

/* Must white space be stripped from elements of this label? */
static u8 is_stripped(const gx_names *t, u32 kind, const gx_name *uri, u32 local, u32 local_len)
{
    return kind == GX_KIND_ELEM && t->spaces
        && gx_space_is_stripped(t->spaces, t->strs.at + uri->off, uri->len, t->strs.at + local, local_len);
}

/* *label: the label of (kind, namespace, local name), made if it is new: looked for first where the last document had
 * it next, then by hash. A new one's hash for programs (gx_name_hash) and whether its text is stripped are computed
 * once here. OK or NOMEM. */
static int label_find(gx_names *t, u32 kind, u32 uri, const gx_name *name, u32 prefix_len, u32 local, u32 local_len,
                      u32 *label)
{
    const u32 next = GX_BUF_N(&t->labels, gx_label_info);
    const gx_name *names = GX_BUF_AT(&t->names, gx_name);
    if (next < t->kept_labels && uri < t->kept_names && (u32)(name - names) < t->kept_names) {
        /* as for names: the last document's next label, made of the same two names */
        const gx_label_info *info = &GX_BUF_AT(&t->labels, gx_label_info)[next];
        gx_label_state *state = &GX_BUF_AT(&t->states, gx_label_state)[next];
        if (info->kind == kind && state->uri == uri && info->local == local && info->local_len == local_len
            && info->prefix_len == prefix_len && info->prefix == (prefix_len ? name->off : 0)) {
            if (label_slot(t, next))
                return GX_NAMES_NOMEM;
            state->seen = GX_NONE;
            state->strip = is_stripped(t, kind, &names[uri], local, local_len);
            t->labels.n += sizeof *info;
            t->states.n += sizeof *state;
            slots_put(&t->label_slots, t->label_mask, state->hash, next);
            *label = GX_LABEL(kind, next);
            return GX_NAMES_OK;
        }
    }
    t->changes++;
    u64 hash = gx_fold(gx_text_hash(t->seed, t->strs.at + local, local_len) ^ kind, t->seed ^ ((u64)uri << 8 | 1));
    const u32 *slots = GX_BUF_AT(&t->label_slots, u32);
    const gx_label_info *labels = GX_BUF_AT(&t->labels, gx_label_info);
    const gx_label_state *states = GX_BUF_AT(&t->states, gx_label_state);
    for (u32 i = (u32)hash & t->label_mask; slots[i]; i = (i + 1) & t->label_mask) {
        u32 id = slots[i] - 1;
        if (states[id].hash == hash && labels[id].kind == kind && states[id].uri == uri
            && labels[id].local_len == local_len
            && memcmp(t->strs.at + labels[id].local, t->strs.at + local, local_len) == 0) {
            *label = GX_LABEL(kind, id);
            return GX_NAMES_OK;
        }
    }
    const u32 id = next;
    if (id >= 0x0ffffff0u || label_slot(t, id))
        return GX_NAMES_NOMEM;
    t->kept_labels = t->kept_labels < id ? t->kept_labels : id;
    const gx_name *u = &names[uri];
    gx_label_info info = { .kind = kind, .local = local, .local_len = local_len,
                           .uri = u->len ? u->off : 0, .uri_len = u->len,
                           .prefix = prefix_len ? name->off : 0, .prefix_len = prefix_len,
                           .hash = gx_name_hash_add(hash_of_uri(t, uri), t->strs.at + local, local_len) };
    gx_label_state state = { .hash = hash, .uri = uri, .seen = GX_NONE };
    state.strip = is_stripped(t, kind, u, local, local_len);
    if (gx_buf_room(&t->states, sizeof state) || append(&t->labels, &info, sizeof info))
        return GX_NAMES_NOMEM;
    append(&t->states, &state, sizeof state);
    slots_put(&t->label_slots, t->label_mask, hash, id);
    *label = GX_LABEL(kind, id);
    return GX_NAMES_OK;
}

/* *uri: the namespace of a prefix in a scope. 1; 0 where the prefix is not declared (without one: no namespace is
 * meant). O(declarations in scope). */
int gx_names_bound(const gx_names *t, u32 scope, const char *prefix, u32 len, u32 *uri)
{
    if (len == 3 && memcmp(prefix, "xml", 3) == 0) {
        *uri = GX_NAMES_XML;
        return 1;
    }
    const gx_ns_list *list = &GX_BUF_AT(&t->scopes, gx_ns_list)[scope];
    const gx_binding *b = GX_BUF_AT(&t->bindings, gx_binding) + list->first;
    for (u32 i = 0; i < list->n; i++, b++) {
        const gx_name *name = &GX_BUF_AT(&t->names, gx_name)[b->name];
        u32 n = name->prefix_len ? name->len - 6 : 0;       /* after "xmlns:" */
        if (n == len && memcmp(t->strs.at + name->local, prefix, len) == 0) {
            *uri = b->uri;
            return 1;
        }
    }
    *uri = GX_NAMES_EMPTY;
    return len == 0;
}

/* Does the label go by another prefix than this name's? */
static u8 is_odd(const gx_names *t, u32 label, const gx_name *name)
{
    const gx_label_info *info = &GX_BUF_AT(&t->labels, gx_label_info)[GX_LABEL_ID(label)];
    return info->prefix_len != name->prefix_len
        || memcmp(t->strs.at + info->prefix, t->strs.at + name->off, name->prefix_len) != 0;
}

/* Has this label, from another scope, the same namespace? Then it is the same label here. */
static int same_namespace(const gx_names *t, u32 label, u32 uri)
{
    return GX_BUF_AT(&t->states, gx_label_state)[GX_LABEL_ID(label)].uri == uri;
}

/* What name `index` is as an element's in `scope`: its label and whether its prefix is another than the label's first
 * one (odd). Kept with the name until the scope is another; then the namespace is compared, before anything is looked
 * up. OK, UNDECLARED, NOMEM. */
int gx_names_element(gx_names *t, u32 index, u32 scope)
{
    t->n_answers++;
    gx_name *name = &GX_BUF_AT(&t->names, gx_name)[index];
    u32 uri, label;
    if (!gx_names_bound(t, scope, t->strs.at + name->off, name->prefix_len, &uri))
        return GX_NAMES_UNDECLARED;
    if (name->elem_scope != GX_NONE && same_namespace(t, name->elem_label, uri)) {
        name->elem_scope = scope;
        return GX_NAMES_OK;
    }
    int rc = label_find(t, GX_KIND_ELEM, uri, name, name->prefix_len, name->local, name->off + name->len - name->local,
                        &label);
    if (rc)
        return rc;
    name->elem_scope = scope;
    name->elem_label = label;
    name->elem_odd = is_odd(t, label, name);
    return GX_NAMES_OK;
}

/* The same for an attribute's name. Without a prefix it has no namespace in any scope (Namespaces in XML, 6.2). */
int gx_names_attribute(gx_names *t, u32 index, u32 scope)
{
    t->n_answers++;
    gx_name *name = &GX_BUF_AT(&t->names, gx_name)[index];
    u32 uri = GX_NAMES_EMPTY, label;
    /* Namespaces in XML, 6.2: the default namespace does not apply to attributes */
    if (name->prefix_len && !gx_names_bound(t, scope, t->strs.at + name->off, name->prefix_len, &uri))
        return GX_NAMES_UNDECLARED;
    if (name->prefix_len && name->attr_scope != GX_NONE && same_namespace(t, name->attr_label, uri)) {
        name->attr_scope = scope;
        return GX_NAMES_OK;
    }
    int rc = label_find(t, GX_KIND_ATTR, uri, name, name->prefix_len, name->local, name->off + name->len - name->local,
                        &label);
    if (rc)
        return rc;
    name->attr_scope = name->prefix_len ? scope : GX_SCOPE_ANY;
    name->attr_label = label;
    name->attr_odd = is_odd(t, label, name);
    return GX_NAMES_OK;
}

/* A name whose prefix is not declared, where that is tolerated: the whole of it is the local name, in no namespace. */
int gx_names_element_as_written(gx_names *t, u32 index, u32 scope)
{
    gx_name *name = &GX_BUF_AT(&t->names, gx_name)[index];
    u32 label;
    int rc = label_find(t, GX_KIND_ELEM, GX_NAMES_EMPTY, name, 0, name->off, name->len, &label);
    if (rc)
        return rc;
    name->elem_scope = scope;
    name->elem_label = label;
    name->elem_odd = 0;
    return GX_NAMES_OK;
}

int gx_names_attribute_as_written(gx_names *t, u32 index, u32 scope)
{
    gx_name *name = &GX_BUF_AT(&t->names, gx_name)[index];
    u32 label;
    int rc = label_find(t, GX_KIND_ATTR, GX_NAMES_EMPTY, name, 0, name->off, name->len, &label);
    if (rc)
        return rc;
    name->attr_scope = scope;
    name->attr_label = label;
    name->attr_odd = 0;
    return GX_NAMES_OK;
}

int gx_names_label(gx_names *t, u32 kind, u32 index, u32 *label)
{
    const gx_name *name = &GX_BUF_AT(&t->names, gx_name)[index];
    if (kind == GX_KIND_NS) {       /* xmlns:p stands for the namespace node p, xmlns for the one without a name */
        u32 len = name->prefix_len ? name->off + name->len - name->local : 0;
        return label_find(t, kind, GX_NAMES_EMPTY, name, 0, name->local, len, label);
    }
    return label_find(t, kind, GX_NAMES_EMPTY, name, 0, name->off, name->len, label);
}

int gx_names_label_of(gx_names *t, u32 kind, u32 uri, u32 index, u32 prefix_len, u32 local, u32 *label)
{
    const gx_name *name = &GX_BUF_AT(&t->names, gx_name)[index];
    return label_find(t, kind, uri, name, prefix_len, name->off + local, name->len - local, label);
}

static void take(gx_names *t, u32 n_names, u32 n_labels)
{
    const gx_name *last = GX_BUF_AT(&t->names, gx_name) + n_names - 1;
    t->strs.n = last->off + last->len;
    t->names.n = n_names * sizeof *last;
    t->labels.n = n_labels * sizeof(gx_label_info);
    t->states.n = n_labels * sizeof(gx_label_state);
}

/* The next names and labels of the last document, up to these numbers, are this one's: entered all at once, when the
 * scanner has seen that a document begins as the last one did. -1: the tables are too small for them. */
int gx_names_take(gx_names *t, u32 n_names, u32 n_labels)
{
    const gx_name *names = GX_BUF_AT(&t->names, gx_name);
    const gx_label_info *labels = GX_BUF_AT(&t->labels, gx_label_info);
    gx_label_state *states = GX_BUF_AT(&t->states, gx_label_state);
    if (n_names * 2ull > t->name_mask || n_labels * 2ull > t->label_mask)
        return -1;
    const u32 label = GX_BUF_N(&t->labels, gx_label_info);
    put_names(t, GX_BUF_N(&t->names, gx_name), n_names);
    for (u32 i = label; i < n_labels; i++) {
        states[i].seen = GX_NONE;
        states[i].strip = is_stripped(t, labels[i].kind, &names[states[i].uri], labels[i].local, labels[i].local_len);
    }
    put_labels(t, label, n_labels);
    take(t, n_names, n_labels);
    return 0;
}

void gx_names_exchange(gx_names *t)
{
    const gx_buf names = t->name_slots, labels = t->label_slots;
    t->name_slots = t->kept_name_slots;
    t->label_slots = t->kept_label_slots;
    t->kept_name_slots = names;
    t->kept_label_slots = labels;
}

void gx_names_take_back(gx_names *t, u32 n_names, u32 n_labels)
{
    gx_names_exchange(t);
    take(t, n_names, n_labels);
}

/* Only the first n_names and n_labels of what was taken are this document's: the rest is taken out. O(size of the
 * tables). */
void gx_names_leave(gx_names *t, u32 n_names, u32 n_labels)
{
    const gx_name *names = GX_BUF_AT(&t->names, gx_name);
    t->changes++;
    memset(t->name_slots.at, 0, t->name_slots.n);
    memset(t->label_slots.at, 0, t->label_slots.n);
    put_names(t, 0, n_names);
    put_labels(t, 3, n_labels);
    if (n_names < GX_BUF_N(&t->names, gx_name))
        t->strs.n = names[n_names].off;
    t->names.n = n_names * sizeof *names;
    t->labels.n = n_labels * sizeof(gx_label_info);
    t->states.n = n_labels * sizeof(gx_label_state);
}

/* ---- scopes ---- */

static u64 scope_hash(const gx_names *t, const gx_binding *list, u32 n)
{
    return gx_text_hash(t->seed, (const char *)list, n * (u32)sizeof *list);
}

/* Slots for the scopes from..to, as put_names() */
static void put_scopes(gx_names *t, u32 from, u32 to)
{
    const gx_ns_list *scopes = GX_BUF_AT(&t->scopes, gx_ns_list);
    for (u32 i = from; i < to; i++)
        slots_put(&t->scope_slots, t->scope_mask,
                  scope_hash(t, GX_BUF_AT(&t->bindings, gx_binding) + scopes[i].first, scopes[i].n), i);
}

/* *scope: the list of declarations in force within `parent` with these n more. Equal lists are one scope, found by
 * hash. The list is built behind the others and stays there only if it is new; xmlns="" takes the default namespace
 * out. O(length of the list). NOMEM. */
int gx_names_scope(gx_names *t, u32 parent, const gx_binding *added, u32 n, u32 *scope)
{
    const gx_ns_list base = GX_BUF_AT(&t->scopes, gx_ns_list)[parent];
    u32 first = GX_BUF_N(&t->bindings, gx_binding), count = base.n;
    if (gx_buf_room(&t->bindings, ((size_t)base.n + n) * sizeof(gx_binding))
        || gx_buf_room(&t->scopes, sizeof(gx_ns_list)))
        return GX_NAMES_NOMEM;
    /* the new list is built behind the others, and stays there only if there is none like it */
    gx_binding *all = GX_BUF_AT(&t->bindings, gx_binding), *list = all + first;
    if (base.n)
        memcpy(list, all + base.first, base.n * sizeof *list);
    for (u32 i = 0; i < n; i++) {
        u32 at = 0;
        while (at < count && list[at].name != added[i].name)
            at++;
        if (at == count)
            count++;
        list[at] = added[i];
    }
    u32 kept = 0;
    for (u32 i = 0; i < count; i++)
        if (list[i].uri != GX_NAMES_EMPTY)      /* xmlns="" */
            list[kept++] = list[i];
    const u64 hash = scope_hash(t, list, kept);
    const gx_ns_list *scopes = GX_BUF_AT(&t->scopes, gx_ns_list);
    if (kept == 0) {
        *scope = 0;
        return GX_NAMES_OK;
    }
    const u32 *slots = GX_BUF_AT(&t->scope_slots, u32);
    for (u32 i = (u32)hash & t->scope_mask; slots[i]; i = (i + 1) & t->scope_mask) {
        const gx_ns_list *s = &scopes[slots[i] - 1];
        if (s->n == kept && memcmp(all + s->first, list, kept * sizeof *list) == 0) {
            *scope = slots[i] - 1;
            return GX_NAMES_OK;
        }
    }
    u32 index = GX_BUF_N(&t->scopes, gx_ns_list);
    if ((index + 1) * 2ull > t->scope_mask) {
        if (slots_double(&t->scope_slots, &t->scope_mask))
            return GX_NAMES_NOMEM;
        put_scopes(t, 1, index);
    }
    t->bindings.n += kept * sizeof *list;
    append(&t->scopes, &(gx_ns_list){ first, kept }, sizeof(gx_ns_list));
    slots_put(&t->scope_slots, t->scope_mask, hash, index);
    *scope = index;
    return GX_NAMES_OK;
}

void gx_names_enter(gx_names *t, u32 name, u32 label, u32 scope)
{
    put_names(t, name, GX_BUF_N(&t->names, gx_name));
    put_labels(t, label, GX_BUF_N(&t->states, gx_label_state));
    put_scopes(t, scope, GX_BUF_N(&t->scopes, gx_ns_list));
}
