/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes_names.h -- names to labels
 *
 *   "p:item" at many places --strings--> one slot --(slot, scope)--> labels --> number of its label
 *
 * Three hash tables of claimed slots: strings (names as they are written, namespace names), scopes (the declarations of
 * a tag, and the scope around it), labels (kind, string, scope). Which member gets a slot is chance; where its key is
 * seen first is not, and numbers are given by that, so they are those that the scanner gives. A table holds what is
 * distinct, which is little, and what is numbered costs the square of that.
 *
 * Each has a bound on its size and on the looks a key may cost: a document of too many names, or of names that somebody
 * made collide, is refused.
 */
#ifndef GX_BYTES_NAMES_H
#define GX_BYTES_NAMES_H

#include "bytes_tree.h"
#include "spaces.h"

#define GX_STRINGS_OWN 3u               /* "", the namespace of xml, that of xmlns: always interned first (names.h) */

#define GX_SCOPE_ROOT GX_BYTES_SCOPES   /* around the document element */
#define GX_SCOPE_ALL 511u               /* of names that mean the same everywhere */

/* ---- strings ---- */

/* What a name as it is written says by itself: its prefix, and whether it is xmlns, xml:space or xml:id. 1: it is no
 * QName (Namespaces in XML, 3): two colons, one at an end, or a local part that cannot begin so. Each distinct name
 * once. O(bytes). */
GX_OP_BIG int gx_string_read(const gx_bytes *b, gx_bytes_string *s)
{
    const u32 end = s->at + s->len;
    u32 colon = GX_NONE, code;

    s->prefix_len = s->flags = 0;
    for (u32 i = s->at; i < end; i++)
        if (b->s[i] == ':') {
            if (colon != GX_NONE)
                return 1;
            colon = i;
        }
    if (colon == GX_NONE) {
        s->flags = s->len == 5 && gx_bytes_are(b, s->at, "xmlns", 5) ? GX_STRING_XMLNS : 0;
        return 0;
    }
    if (colon == s->at || colon + 1 == end)
        return 1;
    gx_utf8_decode((const char *)b->s + colon + 1, end - colon - 1, &code);
    if (!gx_is_name_start(code))
        return 1;
    s->prefix_len = colon - s->at;
    if (s->prefix_len == 5 && gx_bytes_are(b, s->at, "xmlns", 5))
        s->flags = GX_STRING_XMLNS;
    else if (s->prefix_len == 3 && gx_bytes_are(b, s->at, "xml", 3))
        s->flags = s->len == 9 && gx_bytes_are(b, colon + 1, "space", 5) ? GX_STRING_SPACE :
            s->len == 6 && gx_bytes_are(b, colon + 1, "id", 2) ? GX_STRING_ID : 0;
    return 0;
}

/* The strings that the slots have found, numbered in the order in which the document first has them, into b->string,
 * and each slot's number into b->string_id. Names are split at their colon; a string that is no name is marked, as it
 * may be a namespace's. GX_EXML where an element's or attribute's name is none. Uniform. */
GX_OP_BIG gx_status gx_bytes_strings(gx_bytes *b)
{
    u32 *list, count;
    int wrong = 0;

    GX_BYTES_TRY(
        gx_slots_order(b, b->strings, b->strings_first, b->n_slots, b->n_slots / 2, &list, &count));
    b->n_strings = count;
    GX_BYTES_ROOM(b, b->string, gx_bytes_string, count);
    TEAM_FOR(&b->t, i, count) {
        gx_bytes_string s = {
            (u32)(b->strings[list[i]] >> 32) - 1, (u32)b->strings[list[i]], 0, 0, 0, b->strings_first[list[i]]
        };
        const int is_name = (u32)s.order == 0;
        if (gx_string_read(b, &s)) {    /* a namespace name may be no name at all */
            wrong |= is_name;
            s.prefix_len = s.flags = 0;
            s.flags = GX_STRING_BAD;
        }
        b->string[i] = s;
        b->string_id[list[i]] = i + GX_STRINGS_OWN;
    }
    return gx_bytes_agree(b, wrong);
}

/* ---- scopes ---- */

/* The string of a slot */
GX_OP const gx_bytes_string *gx_string_of(const gx_bytes *b, u32 slot)
{
    return &b->string[b->string_id[slot] - GX_STRINGS_OWN];
}

/* Have the tags m and o the same declarations? */
GX_OP int gx_bytes_same_declarations(const gx_bytes *b, u32 m, u32 o)
{
    u32 i = b->first_attr[m], k = b->first_attr[o];
    const u32 i_end = b->first_attr[m + 1], k_end = b->first_attr[o + 1];

    for (;;) {
        while (i < i_end && b->attr_uri[i] == GX_URI_NONE)
            i++;
        while (k < k_end && b->attr_uri[k] == GX_URI_NONE)
            k++;
        if (i == i_end || k == k_end)
            return i == i_end && k == k_end;
        if (b->attr_name[i] != b->attr_name[k] || b->attr_uri[i] != b->attr_uri[k])
            return 0;
        i++, k++;
    }
}

/* The slot of the scope that token m's declarations make within `parent`; GX_NONE: there are too many */
GX_OP_BIG u32 gx_scopes_put(gx_bytes *b, u32 m)
{
    u64 hash = b->r->seed ^ b->outer[m];
    for (u32 k = b->first_attr[m]; k < b->first_attr[m + 1]; k++)
        if (b->attr_uri[k] != GX_URI_NONE)
            hash = gx_fold(hash ^ b->attr_name[k], b->r->seed ^ ((u64)b->attr_uri[k] << 16 | 1));
    u32 slot = (u32)(hash ^ hash >> 32) % GX_BYTES_SCOPES;
    for (u32 looks = 0; looks < GX_BYTES_PROBES; looks++, slot = (slot + 1) % GX_BYTES_SCOPES) {
        u64 has = TEAM_LOAD(&b->scopes[slot]);
        if (!has)
            has = team_claim(&b->scopes[slot], (u64)m + 1);
        if (!has || (b->outer[has - 1] == b->outer[m] && gx_bytes_same_declarations(b, (u32)has - 1, m))) {
            team_least(&b->scopes_first[slot], m);
            return slot;
        }
    }
    return GX_NONE;
}

/*
 * One member: the list of namespaces of each scope, in the order in which they were first seen; equal lists are one
 * (gx_names_scope). Lists stand one behind the other in b->binding. Returns whether there are too many.
 */
GX_OP_BIG int gx_scopes_number(gx_bytes *b, const u32 *order, u32 n)
{
    u32 used = 0;

    b->ns_list[0].first = b->ns_list[0].n = 0;
    b->n_scopes = 1;
    for (u32 i = 0; i < n; i++) {
        const u32 m = (u32)b->scopes[order[i]] - 1, outer = b->outer[m];
        const gx_ns_list base = b->ns_list[outer == GX_SCOPE_ROOT ? 0 : b->scope_number[outer]];
        gx_binding_of *list = b->binding + used;
        u32 count = base.n, kept = 0, same;
        if (used + base.n + GX_BYTES_ATTRIBUTES > GX_BYTES_BINDINGS)
            return 1;
        for (u32 k = 0; k < base.n; k++)
            list[k] = b->binding[base.first + k];
        for (u32 k = b->first_attr[m]; k < b->first_attr[m + 1]; k++) {
            if (b->attr_uri[k] == GX_URI_NONE)
                continue;
            const u32 name = b->string_id[b->attr_name[k]],
                      uri = b->attr_uri[k] == GX_URI_EMPTY ? 0 : b->string_id[b->attr_uri[k]];
            u32 at = 0;
            while (at < count && list[at].name != name)
                at++;
            count += at == count;
            list[at].name = name;
            list[at].uri = uri;
        }
        for (u32 k = 0; k < count; k++)
            if (list[k].uri)            /* xmlns="" */
                list[kept++] = list[k];
        if (kept > b->r->limits.attributes)
            return 1;
        for (same = 0; same < b->n_scopes; same++) {
            u32 k = 0;
            if (b->ns_list[same].n != kept)
                continue;
            while (k < kept && b->binding[b->ns_list[same].first + k].name == list[k].name
                   && b->binding[b->ns_list[same].first + k].uri == list[k].uri)
                k++;
            if (k == kept)
                break;
        }
        if (same == b->n_scopes) {
            b->ns_list[same].first = used;
            b->ns_list[same].n = kept;
            used += kept;
            b->n_scopes++;
        }
        b->scope_number[order[i]] = same;
    }
    b->n_bindings = used;
    return 0;
}

/* scope_of of each tag that begins an element, the scopes numbered, their lists. Documents without a declaration have
 * none. */
GX_OP_BIG gx_status gx_bytes_scopes(gx_bytes *b)
{
    const u32 n = b->n_tokens;
    gx_minima minima;
    u32 *nesting, declares = 0, deepest = 0, *order, count;
    int wrong = 0;

    GX_BYTES_ROOM(b, b->scope_number, u32, GX_BYTES_SCOPES + 1);
    GX_BYTES_ROOM(b, b->ns_list, gx_ns_list, GX_BYTES_SCOPES / 2 + 1);
    GX_BYTES_ROOM(b, b->counts, u32, 4);
    b->scope_of = NULL;
    b->n_scopes = 1;
    b->n_bindings = 0;
    TEAM_FOR(&b->t, m, n)
        declares |= b->kind[m] & GX_TOKEN_DECLARES;
    if (!team_any(&b->t, declares != 0)) {
        if (team_rank(&b->t) == 0) {
            b->ns_list[0].first = b->ns_list[0].n = 0;
            b->scope_number[GX_SCOPE_ROOT] = 0;
        }
        return GX_OK;
    }
    GX_BYTES_ROOM(b, nesting, u32, n + 1);
    GX_BYTES_ROOM(b, b->scope_of, u32, n);
    GX_BYTES_ROOM(b, b->outer, u32, n);
    GX_BYTES_ROOM(b, b->binding, gx_binding_of, GX_BYTES_BINDINGS);
    GX_BYTES_TRY(gx_slots_make(b, &b->scopes, &b->scopes_first, GX_BYTES_SCOPES));
    TEAM_FOR(&b->t, m, n) {
        const u32 kind = b->kind[m], start = (kind & GX_TOKEN_KIND) == GX_TOKEN_END ? b->kind[b->parent[m]] : 0;
        nesting[m] = kind == (GX_TOKEN_START | GX_TOKEN_DECLARES) ? 1u : start & GX_TOKEN_DECLARES ? GX_NONE : 0u;
    }
    team_scan(&b->t, nesting, n);
    GX_BYTES_TRY(gx_minima_make(b, &minima, nesting, n));
    TEAM_FOR(&b->t, m, n)
        if (b->kind[m] & GX_TOKEN_DECLARES && nesting[m] > deepest)
            deepest = nesting[m];
    deepest = ~team_min(&b->t, ~deepest);
    if (deepest >= GX_BYTES_NESTING)
        return b->status = GX_EXML;
    /* from the outside in: a scope is that of what is around it, and its declarations */
    for (u32 level = 0; level <= deepest; level++) {
        TEAM_FOR(&b->t, m, n)
            if (b->kind[m] & GX_TOKEN_DECLARES && nesting[m] == level)
                b->outer[m] = level ? b->scope_of[gx_minima_before(&minima, m)] : GX_SCOPE_ROOT;
        team_sync(&b->t);
        TEAM_FOR(&b->t, m, n)
            if (b->kind[m] & GX_TOKEN_DECLARES && nesting[m] == level && !wrong) {
                b->scope_of[m] = gx_scopes_put(b, m);
                wrong |= b->scope_of[m] == GX_NONE;
            }
        GX_BYTES_TRY(gx_bytes_agree(b, wrong));
    }
    TEAM_FOR(&b->t, m, n)
        if ((b->kind[m] & GX_TOKEN_KIND) <= GX_TOKEN_EMPTY && !(b->kind[m] & GX_TOKEN_DECLARES))
            b->scope_of[m] = nesting[m] ? b->scope_of[gx_minima_before(&minima, m)] : GX_SCOPE_ROOT;
    GX_BYTES_TRY(gx_slots_order(b, b->scopes, b->scopes_first, GX_BYTES_SCOPES, GX_BYTES_SCOPES / 2, &order, &count));
    if (team_rank(&b->t) == 0) {
        b->scope_number[GX_SCOPE_ROOT] = 0;
        wrong = gx_scopes_number(b, order, count);
        b->counts[0] = b->n_scopes;
        b->counts[1] = b->n_bindings;
    }
    GX_BYTES_TRY(gx_bytes_agree(b, wrong));
    b->n_scopes = b->counts[0];
    b->n_bindings = b->counts[1];
    return GX_OK;
}

/* ---- labels ---- */

GX_OP_BIG u32 gx_labels_put(gx_bytes *b, u32 kind, u32 name, u32 scope, u32 order)
{
    const u64 key = (u64)kind << 32 | name << 9 | scope;
    const u64 hash = gx_fold(key ^ b->r->seed, 0x9e3779b97f4a7c15ull);
    u32 slot = (u32)(hash ^ hash >> 32) & (b->n_slots - 1);

    for (u32 looks = 0; looks < GX_BYTES_PROBES; looks++, slot = (slot + 1) & (b->n_slots - 1)) {
        u64 has = TEAM_LOAD(&b->labels[slot]);
        if (!has)
            has = team_claim(&b->labels[slot], key + 1);
        if (!has || has == key + 1) {
            team_least(&b->labels_first[slot], order);
            return slot;
        }
    }
    return GX_NONE;
}

/* The number of the namespace name that the string's prefix stands for in a scope; GX_NONE: it is not declared */
GX_OP_BIG u32 gx_scope_uri(const gx_bytes *b, const gx_bytes_string *s, u32 scope)
{
    const gx_ns_list list = b->ns_list[scope];

    if (s->prefix_len == 3 && gx_bytes_are(b, s->at, "xml", 3))
        return 1;
    for (u32 k = 0; k < list.n; k++) {
        const gx_bytes_string *name = &b->string[b->binding[list.first + k].name - GX_STRINGS_OWN];
        const u32 len = name->prefix_len ? name->len - 6 : 0;
        if (len == s->prefix_len
            && gx_text_equal((const char *)b->s + name->at + 6, len, (const char *)b->s + s->at, len))
            return b->binding[list.first + k].uri;
    }
    return s->prefix_len ? GX_NONE : 0;
}

GX_OP const char *gx_string_bytes(const gx_bytes *b, u32 number, u32 *len)
{
    if (number < GX_STRINGS_OWN) {
        *len = number == 0 ? 0 : number == 1 ? sizeof GX_XML_URI - 1 : sizeof GX_XMLNS_URI - 1;
        return number == 2 ? GX_XMLNS_URI : GX_XML_URI;
    }
    *len = b->string[number - GX_STRINGS_OWN].len;
    return (const char *)b->s + b->string[number - GX_STRINGS_OWN].at;
}

/* What a taken slot of the labels means; is its prefix not declared? */
GX_OP_BIG int gx_label_read(const gx_bytes *b, u32 slot, gx_bytes_label *l)
{
    const u64 key = b->labels[slot] - 1;
    const u32 scope = (u32)key & 511, name = (u32)key >> 9;
    const gx_bytes_string *s = gx_string_of(b, name);
    const u32 plain = key >> 32 == GX_KIND_PI;

    l->kind = (u32)(key >> 32);
    l->string = b->string_id[name];
    l->prefix_len = plain ? 0 : s->prefix_len;
    l->local = l->prefix_len ? l->prefix_len + 1 : 0;
    l->uri = plain || (l->kind == GX_KIND_ATTR && !s->prefix_len)
        ? 0
        : gx_scope_uri(b, s, scope == GX_SCOPE_ALL ? 0 : b->scope_number[scope]);
    l->hash = gx_fold(gx_text_hash(b->r->seed, (const char *)b->s + s->at + l->local, s->len - l->local) ^ l->kind,
                      b->r->seed ^ ((u64)l->uri << 8 | 1));
    return l->uri == GX_NONE || s->flags & GX_STRING_BAD
        || (s->flags & GX_STRING_XMLNS && (l->kind == GX_KIND_ATTR || s->prefix_len)) || (plain && s->prefix_len);
}
GX_OP_BIG int gx_label_same(const gx_bytes *b, const gx_bytes_label *x, const gx_bytes_label *y)
{
    u32 x_len, y_len;
    if (x->hash != y->hash || x->kind != y->kind || x->uri != y->uri)
        return 0;
    const char *x_name = gx_string_bytes(b, x->string, &x_len), *y_name = gx_string_bytes(b, y->string, &y_len);
    return gx_text_equal(x_name + x->local, x_len - x->local, y_name + y->local, y_len - y->local);
}

/* Numbers of the labels whose keys are `order`: b->label_of a slot, b->label of the n_labels - 3, and what else is to
 * be known of a slot */
GX_OP_BIG gx_status gx_labels_number(gx_bytes *b, const u32 *order, u32 n)
{
    gx_bytes_label *all;
    u32 *same, *is_first;
    int wrong = 0;

    GX_BYTES_ROOM(b, all, gx_bytes_label, n);
    GX_BYTES_ROOM(b, same, u32, n);
    GX_BYTES_ROOM(b, is_first, u32, n + 1);
    TEAM_FOR(&b->t, i, n)
        wrong |= gx_label_read(b, order[i], &all[i]);
    GX_BYTES_TRY(gx_bytes_agree(b, wrong));
    TEAM_FOR(&b->t, i, n) {
        u32 k = 0;
        while (k < i && !gx_label_same(b, &all[k], &all[i]))
            k++;
        same[i] = k;
        is_first[i] = k == i;
    }
    b->n_labels = 3 + (u32)team_scan(&b->t, is_first, n);
    GX_BYTES_ROOM(b, b->label, gx_bytes_label, b->n_labels - 3);
    TEAM_FOR(&b->t, i, n) {
        const gx_bytes_label *l = &all[same[i]];
        const u32 number = 3 + is_first[same[i]];
        u32 bits = 0, uri_len, l_len, o_len;
        const char *l_name = gx_string_bytes(b, l->string, &l_len), *o_name = gx_string_bytes(b, all[i].string, &o_len);
        const char *uri = gx_string_bytes(b, l->uri, &uri_len);
        if (!gx_text_equal(l_name, l->prefix_len, o_name, all[i].prefix_len))
            bits |= GX_LABEL_ODD;
        if (l->kind == GX_KIND_ELEM && b->r->spaces
            && gx_space_is_stripped(b->r->spaces, uri, uri_len, l_name + l->local, l_len - l->local))
            bits |= GX_LABEL_STRIP;
        bits |= b->string[all[i].string - GX_STRINGS_OWN].flags & (GX_STRING_SPACE | GX_STRING_ID);
        b->label_of[order[i]] = GX_LABEL(l->kind, number);
        b->label_bits[order[i]] = (u8)bits;
        if (same[i] == i)
            b->label[number - 3] = *l;
    }
    team_sync(&b->t);
    return GX_OK;
}

/* The slots of the labels of tokens and attributes, in name[m] and attr_name[k] (of a declaration: what it was, and
 * GX_ATTR_DECLARES) */
GX_OP_BIG gx_status gx_bytes_labels(gx_bytes *b)
{
    u32 *order, count;
    int wrong = 0;

    GX_BYTES_TRY(gx_slots_make(b, &b->labels, &b->labels_first, b->n_slots));
    GX_BYTES_ROOM(b, b->label_of, u32, b->n_slots);
    GX_BYTES_ROOM(b, b->label_bits, u8, b->n_slots);
    TEAM_FOR(&b->t, m, b->n_tokens) {
        const u32 kind = b->kind[m] & GX_TOKEN_KIND, first = b->first_attr[m];
        if (kind == GX_TOKEN_END || kind == GX_TOKEN_COMMENT)
            continue;
        const u32 scope = kind == GX_TOKEN_PI || !b->scope_of ? GX_SCOPE_ALL : b->scope_of[m];
        /* an element comes before its attributes, and they in their order */
        b->name[m] = gx_labels_put(b, kind == GX_TOKEN_PI ? GX_KIND_PI : GX_KIND_ELEM, b->name[m], scope, b->at[m]);
        wrong |= b->name[m] == GX_NONE;
        for (u32 k = first; k < b->first_attr[m + 1] && !wrong; k++) {
            const u32 name = b->attr_name[k];
            if (b->attr_uri[k] != GX_URI_NONE)
                b->attr_name[k] = name | GX_ATTR_DECLARES;
            else {
                b->attr_name[k] =
                    gx_labels_put(b, GX_KIND_ATTR, name, gx_string_of(b, name)->prefix_len ? scope : GX_SCOPE_ALL,
                                  b->attr_value[k]);
                wrong |= b->attr_name[k] == GX_NONE;
            }
        }
    }
    GX_BYTES_TRY(gx_bytes_agree(b, wrong));
    GX_BYTES_TRY(gx_slots_order(b, b->labels, b->labels_first, b->n_slots, b->n_slots / 2, &order, &count));
    GX_BYTES_TRY(gx_labels_number(b, order, count));
    /* XML 1.0, 3.1 and Namespaces, 6.3: no attribute twice */
    TEAM_FOR(&b->t, m, b->n_tokens)
        for (u32 k = b->first_attr[m]; k < b->first_attr[m + 1]; k++)
            for (u32 i = b->first_attr[m]; i < k; i++) {
                const u32 x = b->attr_name[i], y = b->attr_name[k];
                wrong |= x == y || (!((x | y) & GX_ATTR_DECLARES) && b->label_of[x] == b->label_of[y]);
            }
    return gx_bytes_agree(b, wrong);
}

#endif
