/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_kept.c -- the last document's names, taken over all at once
 *
 * A parser reads one feed after the other, and they have the same names in the same order. Where an element's name is
 * new and the last document had it at this place, too, all names and labels that it had from here on become this
 * document's, with the answers that hold in this scope. Then the walk finds them as if it had seen them before.
 *
 *   names   title  link  href | description  guid          labels   title  link  @href | description  guid
 *           used so far       ^ next_taken                 lists    full   full  full  | empty: the next node of
 *                                                                                        another label is out of order
 *
 * A document's names and labels are numbered in the order of first use, so that order must be the same. That costs the
 * walk nothing: the list of a label without a node seems to have no room, so its first node comes to gx_scan_list_grow,
 * which knows the label that must be next. If it is another one, or anything else would make a name known, what has
 * not been used is given back (gx_scan_leave), and the tag is read the slow way.
 *
 * Only labels of elements and attributes are taken whose namespaces this scope binds, and only names that have one: so
 * the labels' order is the names' order.
 *
 * If that document had taken them over, too, at the same place, and has used them all without making another name
 * known, they stand as they must, slots and all, so nothing is looked at again (gx_scan_keep, take_again), if the rules
 * for white space are the same.
 *
 * Cost: 250 instructions a name that is looked at, instead of 800 for one that becomes known with its label; else none.
 */
#include <string.h>
#include "parser.h"

#define UNUSED (GX_SCAN_LIST - 1)       /* the tail of a list without a node: see gx_scan_list_grow */

/* Is the label that the name had in the last document right here, too? uri: what the scope binds its prefix to */
static int holds(const gx_parser *p, const gx_name *n, u32 label, u32 kind, u32 uri)
{
    const gx_names *t = &p->names;
    const u32 id = GX_LABEL_ID(label), first = GX_BUF_N(&t->labels, gx_label_info);
    if (GX_LABEL_KIND(label) != kind || id < first || id >= t->kept_labels || id >= GX_SCAN_LABELS)
        return 0;
    const gx_label_info *l = &GX_BUF_AT(&t->labels, gx_label_info)[id];
    return l->kind == kind && GX_BUF_AT(&t->states, gx_label_state)[id].uri == uri && l->local == n->local
        && l->local_len == n->off + n->len - n->local && l->prefix_len == n->prefix_len
        && l->prefix == (n->prefix_len ? n->off : 0);
}

/* The lesser of the name's labels if it and its entry can be taken in this scope, else GX_NONE */
static u32 can_take(const gx_parser *p, const gx_scan_name *e, u32 index, u32 off, u32 scope)
{
    const gx_scan *c = &p->scan;
    const gx_names *t = &p->names;
    const gx_name *n = &GX_BUF_AT(&t->names, gx_name)[index];
    u64 key[2];
    u32 uri, own = GX_NAMES_EMPTY, least = GX_NONE;
    if (e->name != index || e->off != off || n->off != off || e->len != n->len || n->flags || n->elem_odd || n->attr_odd
        || n->len > p->limits.name || n->off + n->len + 16ull > t->strs.cap)
        return GX_NONE;
    if ((u32)gx_scan_hash(c, (const u8 *)t->strs.at + off, n->len, key) != e->hash
        || (n->len <= 16 && (key[0] != e->key[0] || key[1] != e->key[1])))
        return GX_NONE;
    if (!gx_names_bound(t, scope, t->strs.at + off, n->prefix_len, &uri))
        return GX_NONE;
    if (n->prefix_len)
        own = uri;
    if (n->elem_scope != GX_NONE) {
        if (!holds(p, n, n->elem_label, GX_KIND_ELEM, uri))
            return GX_NONE;
        least = GX_LABEL_ID(n->elem_label);
    }
    if (n->attr_scope != GX_NONE) {
        if (!holds(p, n, n->attr_label, GX_KIND_ATTR, own))
            return GX_NONE;
        least = GX_LABEL_ID(n->attr_label) < least ? GX_LABEL_ID(n->attr_label) : least;
    }
    return least;
}

/* Labels from `first` on have lists without a node, in which there is room. */
static void empty_lists(gx_scan *c, u32 first, u32 end)
{
    for (u32 i = first; i < end; i++)
        GX_BUF_AT(&c->tails, u32)[i] = GX_BUF_AT(&c->firsts, u32)[i] * GX_SCAN_LIST;
}

/* The name's answers are those of its labels before `end`. */
static void set_answers(gx_parser *p, gx_scan_name *e, u32 scope, u32 end)
{
    gx_name *n = &GX_BUF_AT(&p->names.names, gx_name)[e->name];
    if (n->elem_scope != GX_NONE)
        n->elem_scope = GX_LABEL_ID(n->elem_label) < end ? scope : GX_NONE;
    if (n->attr_scope != GX_NONE)
        n->attr_scope = GX_LABEL_ID(n->attr_label) < end ? n->prefix_len ? scope : GX_SCOPE_ANY : GX_NONE;
    gx_scan_set_entry(p, e);
}

/* The scope's declarations; *n: how many */
static const gx_binding *bindings_of(const gx_names *t, u32 scope, u32 *n)
{
    const gx_ns_list *list = &GX_BUF_AT(&t->scopes, gx_ns_list)[scope];
    *n = list->n;
    return GX_BUF_AT(&t->bindings, gx_binding) + list->first;
}

/* The rules for white space by which labels were marked, in bytes: of each its kind, answer and names. 0: no memory.
 * O(rules), a few in most stylesheets. */
static int put_rules(gx_buf *to, const gx_program *p)
{
    to->n = 0;
    for (u32 i = 0; p && i < p->spaces.n; i++) {
        const gx_space *rule = &GX_PROG_TAB(p, gx_space, spaces)[i];
        const gx_lit uri = GX_LIT(p, rule->uri), local = GX_LIT(p, rule->local);
        const u32 head[4] = { rule->test, rule->strip, uri.len, local.len };
        char *at = gx_buf_push(to, sizeof head + uri.len + local.len);
        if (!at)
            return 0;
        memcpy(at, head, sizeof head);
        memcpy(at + sizeof head, GX_LIT_AT(p, rule->uri), uri.len);
        memcpy(at + sizeof head + uri.len, GX_LIT_AT(p, rule->local), local.len);
    }
    return 1;
}

/* has_same_rules: those that the last document's labels were marked by are this one's, too. Else this one's are kept
 * for the next. */
void gx_scan_begin_rules(gx_parser *p)
{
    gx_scan *c = &p->scan;
    const int ok = put_rules(&c->new_rules, p->names.spaces);
    c->has_same_rules = ok && c->new_rules.n == c->n_rules && c->n_rules <= c->rules.cap
        && (!c->n_rules || memcmp(c->new_rules.at, c->rules.at, c->n_rules) == 0);
    if (c->has_same_rules)
        return;
    const gx_buf last = c->rules;
    c->rules = c->new_rules;
    c->new_rules = last;
    c->n_rules = ok ? c->rules.n : SIZE_MAX;
}

/* What must be so again */
static void note_taken(gx_parser *p, u32 scope)
{
    gx_scan *c = &p->scan;
    gx_scan_taken *k = &c->taken;
    const gx_binding *b = bindings_of(&p->names, scope, &k->n_bindings);
    k->scope = scope;
    k->masks[0] = c->mask;
    k->masks[1] = p->names.name_mask;
    k->masks[2] = p->names.label_mask;
    k->n_prefixes = GX_BUF_N(&c->prefixes, u32);
    k->name_limit = p->limits.name;
    k->n_changes = p->names.changes;
    k->n_answers = p->names.n_answers;
    k->n_scopes = GX_BUF_N(&p->scope_changes, gx_scope_change);
    if (k->n_bindings && k->n_bindings <= GX_SCAN_DECLARED)
        memcpy(k->bindings, b, k->n_bindings * sizeof *b);
}

/* At the end of a document: were all its names those of the last one, with the same answers and nothing else? Then the
 * hash slots are kept as they are, so that the next document may take them over by one exchange (take_again). */
void gx_scan_keep(gx_parser *p)
{
    gx_scan *c = &p->scan;
    const gx_scan_taken *k = &c->taken;
    c->head.is_kept = c->head.is_mine;
    c->is_as_before = c->was_taken && k->n_bindings <= GX_SCAN_DECLARED && k->n_changes == p->names.changes
        && k->n_answers == p->names.n_answers && k->n_scopes == GX_BUF_N(&p->scope_changes, gx_scope_change)
        && k->end == GX_BUF_N(&p->names.labels, gx_label_info)
        && k->name + k->n == GX_BUF_N(&p->names.names, gx_name)
        && k->entry + k->n == GX_BUF_N(&c->entries, gx_scan_name);
    if (!c->is_as_before)
        return;
    const gx_buf slots = c->slots;
    c->slots = c->kept_slots;
    c->kept_slots = slots;
    gx_names_exchange(&p->names);
}

/* Nothing of this document has had the names and labels that are taken over: their marks of the last one go. */
static void unmark(gx_names *t, u32 name, u32 n_names, u32 label, u32 n_labels)
{
    gx_name *names = GX_BUF_AT(&t->names, gx_name);
    gx_label_state *states = GX_BUF_AT(&t->states, gx_label_state);
    for (u32 i = name; i < n_names; i++) {
        names[i].seen = names[i].value_at = GX_NONE;
        names[i].entity = 0;
    }
    for (u32 i = label; i < n_labels; i++)
        states[i].seen = GX_NONE;
}

/* 1: what the last document has taken over is this one's, too. */
static int take_again(gx_parser *p, u32 entry, u32 name, u32 label, u32 scope)
{
    gx_scan *c = &p->scan;
    const gx_names *t = &p->names;
    const gx_scan_taken *k = &c->taken;
    const u32 masks[3] = { c->mask, t->name_mask, t->label_mask };
    u32 n;
    const gx_binding *b = bindings_of(t, scope, &n);
    const int is_here = k->entry == entry && k->name == name && k->label == label && k->scope == scope;
    const int is_same = k->n_changes == t->changes && c->kept >= entry + k->n && t->kept_names >= name + k->n
        && t->kept_labels >= k->end && memcmp(k->masks, masks, sizeof masks) == 0;
    const int means_the_same = c->may_take_again && k->n_bindings == n
        && (!n || memcmp(k->bindings, b, n * sizeof *b) == 0) && k->name_limit == p->limits.name;
    if (!is_here || !is_same || !means_the_same || !c->has_same_rules || gx_scan_lists(c, k->end))
        return 0;
    const gx_buf slots = c->slots;
    c->slots = c->kept_slots;
    c->kept_slots = slots;
    gx_names_take_back(&p->names, name + k->n, k->end);
    unmark(&p->names, name, name + k->n, label, k->end);
    c->slots.n = (c->mask + 1ull) * sizeof(u32);        /* forgotten when the next document began */
    c->entries.n += k->n * sizeof(gx_scan_name);
    c->prefixes.n = k->n_prefixes * sizeof(u32);
    for (u32 i = label; i < k->end; i++)
        GX_BUF_AT(&c->tails, u32)[i] = UNUSED;
    c->is_taken = c->was_taken = 1;
    c->next_taken = label;
    note_taken(p, scope);
    return 1;
}

/* The name at s is new, and the last document had it here: takes over from there on all names whose labels come in this
 * order, and answers what they mean in this scope. The entry of the name, or NULL: it is another name, or nothing can
 * be taken. O(names taken), once a document. */
gx_scan_name *gx_scan_take(gx_parser *p, const u8 *s, u32 len, u32 scope)
{
    gx_scan *c = &p->scan;
    gx_names *t = &p->names;
    const u32 entry = GX_BUF_N(&c->entries, gx_scan_name), name = GX_BUF_N(&t->names, gx_name);
    const u32 label = GX_BUF_N(&t->labels, gx_label_info);
    const u32 most = t->kept_labels < GX_SCAN_LABELS ? t->kept_labels : GX_SCAN_LABELS;
    gx_scan_name *entries = GX_BUF_AT(&c->entries, gx_scan_name);
    gx_name *names = GX_BUF_AT(&t->names, gx_name);
    u32 n = 0, end = label, before = label - 1;
    const gx_name *kept = gx_names_kept(t, (const char *)s, len);
    if (!kept || entry >= c->kept || label >= most)
        return NULL;
    c->may_take = 0;
    if (take_again(p, entry, name, label, scope))
        return &entries[entry];
    if (gx_scan_lists(c, most))
        return NULL;
    u32 *tails = GX_BUF_AT(&c->tails, u32);
    for (u32 off = kept->off; entry + n < c->kept && name + n < t->kept_names; n++) {
        const u32 least = can_take(p, &entries[entry + n], name + n, off, scope);
        if (least == GX_NONE || least <= before)
            break;
        before = entries[entry + n].seen = least;
        if (names[name + n].elem_scope != GX_NONE)
            tails[GX_LABEL_ID(names[name + n].elem_label)] = UNUSED;
        if (names[name + n].attr_scope != GX_NONE)
            tails[GX_LABEL_ID(names[name + n].attr_label)] = UNUSED;
        off += names[name + n].len;
    }
    while (end < most && tails[end] == UNUSED)  /* a label that no name has ends it */
        end++;
    while (n && entries[entry + n - 1].seen >= end)
        n--;
    empty_lists(c, end, most);
    if (!n || (entry + n) * 2ull > c->mask || gx_names_take(t, name + n, end)) {
        empty_lists(c, label, end);
        return NULL;
    }
    c->entries.n += n * sizeof *entries;
    for (u32 i = 0; i < n; i++) {
        gx_scan_name *e = &entries[entry + i];
        names[name + i].seen = names[name + i].value_at = GX_NONE;
        names[name + i].entity = 0;
        e->seen = e->is_declared = 0;
        e->prefix = (u8)gx_scan_prefix(p, &names[name + i]);
        set_answers(p, e, scope, end);
        gx_scan_put(c, entry + i);
    }
    c->is_taken = c->was_taken = 1;
    c->next_taken = label;
    c->taken = (gx_scan_taken){ .entry = entry, .name = name, .label = label, .n = n, .end = end };
    note_taken(p, scope);
    return &entries[entry];
}

/* Gives back what was taken over and has not been used: called before anything makes a name or label known out of that
 * order. What was used keeps its number. O(names). */
void gx_scan_leave(gx_parser *p)
{
    gx_scan *c = &p->scan;
    gx_scan_name *entries = GX_BUF_AT(&c->entries, gx_scan_name);
    const u32 n = GX_BUF_N(&c->entries, gx_scan_name), end = c->next_taken;
    u32 k = c->taken.entry;
    if (__builtin_expect(!c->is_taken, 1))
        return;
    c->is_taken = 0;
    for (; k < n; k++) {
        gx_name *its = &GX_BUF_AT(&p->names.names, gx_name)[entries[k].name];
        const int has_elem = its->elem_scope != GX_NONE && GX_LABEL_ID(its->elem_label) < end,
                  has_attr = its->attr_scope != GX_NONE && GX_LABEL_ID(its->attr_label) < end;
        if (!has_elem && !has_attr)
            break;
        its->elem_scope = has_elem ? its->elem_scope : GX_NONE;
        its->attr_scope = has_attr ? its->attr_scope : GX_NONE;
        gx_scan_set_entry(p, &entries[k]);
    }
    const u32 n_names = k < n ? entries[k].name : entries[n - 1].name + 1;
    gx_names_leave(&p->names, n_names, end);
    c->entries.n = k * sizeof *entries;
    memset(c->slots.at, 0, c->slots.n);
    for (u32 i = 1; i < k; i++)
        gx_scan_put(c, i);
    const u32 *prefixes = GX_BUF_AT(&c->prefixes, u32);
    while (GX_BUF_N(&c->prefixes, u32) > 1 && prefixes[GX_BUF_N(&c->prefixes, u32) - 1] >= n_names)
        c->prefixes.n -= sizeof *prefixes;
    empty_lists(c, end, c->taken.end);
}

/* Takes nodes from .. to, the last ones, out of their labels' lists again: their tag has to be read the slow way. */
void gx_scan_unlist(gx_parser *p, u32 from, u32 to)
{
    gx_scan *c = &p->scan;
    u32 *tails = GX_BUF_AT(&c->tails, u32), *links = GX_BUF_AT(&c->links, u32);
    while (to > from) {
        const u32 k = GX_LABEL_ID(p->label[--to]), first = GX_BUF_AT(&c->firsts, u32)[k];
        if (tails[k] % GX_SCAN_LIST == 0) {     /* the piece before is full no more */
            u32 piece = first;
            while (links[piece] != tails[k] / GX_SCAN_LIST)
                piece = links[piece];
            links[piece] = GX_NONE;
            tails[k] = (piece + 1) * GX_SCAN_LIST;
        }
        if (--tails[k] == first * GX_SCAN_LIST && k >= c->taken.label)
            c->next_taken = k;
    }
    gx_scan_leave(p);
}
