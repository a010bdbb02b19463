/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dtd.c -- declarations for the scanner (dtd.h)
 *
 * Cost: of a declaration its bytes; of a tag its attributes, and the defaults that its element has.
 */
#include <string.h>
#include "dtd.h"
#include "machine/text.h"

#define BUFFERS(d) \
    { &(d)->text, &(d)->entities, &(d)->attributes, &(d)->elements, &(d)->attribute_places, &(d)->element_places }
#define FEWEST_PLACES 64u

void gx_dtd_reset(gx_dtd *d, u64 seed)
{
    d->seed = seed;
    if (!d->used)
        return;
    gx_buf *all[] = BUFFERS(d);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gx_buf_rewind(all[i]);
    d->used = 0;
}

void gx_dtd_free(gx_dtd *d)
{
    gx_buf *all[] = BUFFERS(d);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gx_buf_free(all[i]);
}

u64 gx_dtd_bytes(const gx_dtd *d)
{
    const gx_buf *all[] = BUFFERS(d);
    u64 n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        n += all[i]->cap;
    return n;
}

/* n bytes and a NUL; where they stand, or GX_NONE */
static u32 add_text(gx_dtd *d, const char *s, size_t n)
{
    const size_t at = d->text.n;
    char *to = n < GX_NONE - 1 - at ? gx_buf_push(&d->text, n + 1) : NULL;
    if (!to)
        return GX_NONE;
    d->used = 1;
    memcpy(to, s, n);
    to[n] = 0;
    return (u32)at;
}

/* A general entity of plain text: its number, 0 for one that has markup, which Expat expands, GX_NONE: out of
 * memory. */
u32 gx_dtd_add_entity(gx_dtd *d, const char *value, u32 len)
{
    /* a carriage return in it, from a reference, is one in an attribute's value and a line feed in text: Expat's to
     * know */
    for (u32 i = 0; i < len; i++)
        if (value[i] == '<' || value[i] == '&' || value[i] == '\r' || value[i] == ']')
            return 0;
    const u32 text = add_text(d, value, len);
    gx_dtd_entity *e = text == GX_NONE ? NULL : gx_buf_push(&d->entities, sizeof *e);
    if (!e)
        return GX_NONE;
    *e = (gx_dtd_entity){ text, len };
    return GX_BUF_N(&d->entities, gx_dtd_entity);
}

const gx_dtd_entity *gx_dtd_entity_of(const gx_dtd *d, u32 number)
{
    return &GX_BUF_AT(&d->entities, gx_dtd_entity)[number - 1];
}

/* ---- elements and attributes ---- */

static u32 first_at(const gx_buf *places, u32 hash)
{
    const u32 n = (u32)GX_BUF_N(places, u32);
    return n ? GX_BUF_AT(places, u32)[hash & (n - 1)] : 0;
}

static gx_dtd_key *key_at(const gx_buf *entries, size_t size, u32 index)
{
    return (gx_dtd_key *)(entries->at + index * size);
}

/* The last of `entries`, `size` bytes each with a gx_dtd_key first, is found by its hash from now on. `places` are
 * twice as many when they are full, and all entries chained anew: amortised constant. -1 without memory. */
static int put_key(gx_buf *places, const gx_buf *entries, size_t size, u32 hash)
{
    const u32 n = (u32)(entries->n / size);
    u32 n_places = (u32)GX_BUF_N(places, u32), from = n - 1;
    key_at(entries, size, n - 1)->hash = hash;
    if (n > n_places) {                 /* twice as many places, and all entries anew */
        n_places = n_places ? n_places * 2 : FEWEST_PLACES;
        places->n = 0;
        u32 *empty = gx_buf_push(places, n_places * sizeof *empty);
        if (!empty)
            return -1;
        memset(empty, 0, n_places * sizeof *empty);
        from = 0;
    }
    for (u32 i = from; i < n; i++) {
        gx_dtd_key *key = key_at(entries, size, i);
        u32 *place = &GX_BUF_AT(places, u32)[key->hash & (n_places - 1)];
        key->next = *place;
        *place = i + 1;
    }
    return 0;
}

static u32 element_hash(const gx_dtd *d, const char *s, size_t len) { return (u32)gx_text_hash(d->seed, s, (u32)len); }

/* An element type's declarations by name, or NULL. Chains by hash, with the parser's seed. */
static gx_dtd_element *find(const gx_dtd *d, const char *s, size_t len)
{
    gx_dtd_element *all = GX_BUF_AT(&d->elements, gx_dtd_element);
    const u32 hash = element_hash(d, s, len);
    for (u32 i = first_at(&d->element_places, hash); i; i = all[i - 1].key.next)
        if (all[i - 1].key.hash == hash && strncmp(d->text.at + all[i - 1].name, s, len) == 0
            && !d->text.at[all[i - 1].name + len])
            return &all[i - 1];
    return NULL;
}

static u32 attribute_hash(const gx_dtd *d, u32 element, const char *name)
{
    return (u32)gx_text_hash(d->seed + element, name, (u32)strlen(name));
}

/* The declaration of an element type's attribute, or NULL. By a hash with the parser's seed and the element's index. */
static const gx_dtd_attribute *find_attribute(const gx_dtd *d, u32 element, const char *name)
{
    const gx_dtd_attribute *all = GX_BUF_AT(&d->attributes, gx_dtd_attribute);
    const u32 hash = attribute_hash(d, element, name);
    for (u32 i = first_at(&d->attribute_places, hash); i; i = all[i - 1].key.next)
        if (all[i - 1].key.hash == hash && all[i - 1].element == element
            && strcmp(d->text.at + all[i - 1].name, name) == 0)
            return &all[i - 1];
    return NULL;
}

const gx_dtd_element *gx_dtd_find(const gx_dtd *d, const char *element, size_t len)
{
    const gx_dtd_element *e = d->used ? find(d, element, len) : NULL;
    return e && e->matters ? e : NULL;
}

static gx_dtd_element *add_element(gx_dtd *d, const char *name, size_t len)
{
    const u32 text = add_text(d, name, len);
    gx_dtd_element *e = text == GX_NONE ? NULL : gx_buf_push(&d->elements, sizeof *e);
    if (!e)
        return NULL;
    *e = (gx_dtd_element){ { 0, 0 }, text, GX_NONE, GX_NONE, 0, GX_NONE, 0 };
    return put_key(&d->element_places, &d->elements, sizeof *e, element_hash(d, name, len)) ? NULL : e;
}

/* XML 1.0, 3.3: of several declarations of an attribute the first counts, so a later one changes nothing. An attribute
 * with a default joins its element's list, in the order of declaration, in which Expat adds them. Whether the element
 * `matters` is for tags that say all: only defaults, types and IDs change what is written. */
int gx_dtd_add_attribute(gx_dtd *d, const char *element, const char *name, const char *type, const char *value)
{
    const size_t len = strlen(element);
    gx_dtd_element *e = find(d, element, len);
    if (!e && !(e = add_element(d, element, len)))
        return -1;
    const u32 its_element = (u32)(e - GX_BUF_AT(&d->elements, gx_dtd_element));
    if (find_attribute(d, its_element, name))
        return 0;
    /* an ID must not have a default (XML 1.0, 3.3.1): with one Expat takes it for no ID */
    const int is_id = !value && strcmp(type, "ID") == 0, is_cdata = strcmp(type, "CDATA") == 0;
    const u32 its_name = add_text(d, name, strlen(name)),
              its_value = value ? add_text(d, value, strlen(value)) : GX_NONE;
    gx_dtd_attribute *a =
        its_name == GX_NONE || (value && its_value == GX_NONE) ? NULL : gx_buf_push(&d->attributes, sizeof *a);
    if (!a)
        return -1;
    const u32 index = GX_BUF_N(&d->attributes, gx_dtd_attribute) - 1;
    *a = (gx_dtd_attribute){ { 0, 0 }, its_element, its_name, its_value, GX_NONE, e->n_defaults, (u8)is_cdata };
    if (put_key(&d->attribute_places, &d->attributes, sizeof *a, attribute_hash(d, its_element, name)))
        return -1;
    if (value) {
        if (e->first == GX_NONE)
            e->first = index;
        else
            GX_BUF_AT(&d->attributes, gx_dtd_attribute)[e->last].next = index;
        e->last = index;
        e->n_defaults++;
    }
    const int is_xmlns = strncmp(name, "xmlns", 5) == 0 && (!name[5] || name[5] == ':');
    if (is_id && e->id == GX_NONE && !is_xmlns)
        e->id = index;
    e->matters |= value || !is_cdata;
    return 0;
}

/* Leading, trailing and double spaces go (XML 1.0, 3.3.3) */
static void collapse(char *s)
{
    char *to = s;
    for (const char *from = s; *from; from++)
        if (*from != ' ' || (to > s && to[-1] != ' '))
            *to++ = *from;
    if (to > s && to[-1] == ' ')
        to--;
    *to = 0;
}

static int has(const char *const *strings, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i += 2)
        if (strcmp(strings[i], name) == 0)
            return (int)i;
    return -1;
}

/* What XML 1.0, 3.3.2 and 3.3.3, make of a tag's attributes: of types other than CDATA values are collapsed in place,
 * defaults that the tag does not have are added behind, as pointers into d->text. strings[first ..] are the tag's; the
 * array may move. A byte for each default says whether it is there, in room behind the strings that may come, so that
 * this is O(attributes + defaults), not their product. Returns how many strings there are, -1 without memory. */
i64 gx_dtd_complete(const gx_dtd *d, const gx_dtd_element *e, gx_buf *strings, size_t first, i32 *id)
{
    const gx_dtd_attribute *all = GX_BUF_AT(&d->attributes, gx_dtd_attribute);
    const u32 element = (u32)(e - GX_BUF_AT(&d->elements, gx_dtd_element));
    const size_t added = 2 * (size_t)e->n_defaults;
    size_t n = GX_BUF_N(strings, char *) - first;
    /* behind the strings that may be added: whether a default's attribute is in the tag */
    if (gx_buf_room(strings, added * sizeof(char *) + e->n_defaults))
        return -1;
    char **s = GX_BUF_AT(strings, char *) + first, *is_there = (char *)(s + n + added);
    if (e->n_defaults)
        memset(is_there, 0, e->n_defaults);
    for (size_t i = 0; i < n; i += 2) {
        const gx_dtd_attribute *a = find_attribute(d, element, s[i]);
        if (a && !a->is_cdata)
            collapse(s[i + 1]);
        if (a && a->value != GX_NONE)
            is_there[a->nth] = 1;
    }
    *id = e->id == GX_NONE ? -1 : has((const char *const *)s, n, d->text.at + all[e->id].name);
    for (u32 k = e->first; k != GX_NONE; k = all[k].next) {
        if (is_there[all[k].nth])
            continue;
        char **two = gx_buf_push(strings, 2 * sizeof *two);
        if (!two)
            return -1;
        two[0] = d->text.at + all[k].name;
        two[1] = d->text.at + all[k].value;
        n += 2;
    }
    return (i64)n;
}
