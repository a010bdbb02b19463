/*
 * dtd.c -- declarations for the scanner (dtd.h)
 *
 * Cost: a tag whose element has declarations is compared with them one by one, as Expat does it.
 */
#include <string.h>
#include "dtd.h"
#include "machine/text.h"

#define BUFFERS(d) { &(d)->text, &(d)->entities, &(d)->attributes, &(d)->elements }

void gx_dtd_reset(gx_dtd *d, u64 seed)
{
    d->seed = seed;
    if (!d->used)
        return;
    gx_buf *all[] = BUFFERS(d);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gx_buf_rewind(all[i]);
    memset(d->heads, 0, sizeof d->heads);
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

u32 gx_dtd_add_entity(gx_dtd *d, const char *value, u32 len)
{
    /* a carriage return in it, from a reference, is one in an attribute's value and a line feed in text: Expat's to know */
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

const gx_dtd_entity *gx_dtd_entity_of(const gx_dtd *d, u32 number) { return &GX_BUF_AT(&d->entities, gx_dtd_entity)[number - 1]; }

static u32 head_of(const gx_dtd *d, const char *s, size_t len) { return (u32)gx_text_hash(d->seed, s, (u32)len) % GX_DTD_HEADS; }

static gx_dtd_element *find(const gx_dtd *d, const char *s, size_t len)
{
    gx_dtd_element *all = GX_BUF_AT(&d->elements, gx_dtd_element);
    for (u32 i = d->heads[head_of(d, s, len)]; i; i = all[i - 1].next)
        if (strncmp(d->text.at + all[i - 1].name, s, len) == 0 && !d->text.at[all[i - 1].name + len])
            return &all[i - 1];
    return NULL;
}

const gx_dtd_element *gx_dtd_find(const gx_dtd *d, const char *element, size_t len)
{
    const gx_dtd_element *e = d->used ? find(d, element, len) : NULL;
    return e && e->matters ? e : NULL;
}

int gx_dtd_add_attribute(gx_dtd *d, const char *element, const char *name, const char *type, const char *value)
{
    const size_t len = strlen(element);
    gx_dtd_element *e = find(d, element, len);
    if (!e) {
        const u32 text = add_text(d, element, len);
        if (text == GX_NONE || !(e = gx_buf_push(&d->elements, sizeof *e)))
            return -1;
        u32 *head = &d->heads[head_of(d, element, len)];
        *e = (gx_dtd_element){ text, *head, GX_NONE, GX_NONE, GX_NONE, 0 };
        *head = GX_BUF_N(&d->elements, gx_dtd_element);
    }
    /* an ID must not have a default (XML 1.0, 3.3.1): with one Expat takes it for no ID */
    const int is_id = !value && strcmp(type, "ID") == 0, is_cdata = strcmp(type, "CDATA") == 0;
    const gx_dtd_attribute *all = GX_BUF_AT(&d->attributes, gx_dtd_attribute);
    if (value || is_id)
        for (u32 i = e->first; i != GX_NONE; i = all[i].next)
            if (strcmp(d->text.at + all[i].name, name) == 0)
                return 0;
    const u32 its_name = add_text(d, name, strlen(name)), its_value = value ? add_text(d, value, strlen(value)) : GX_NONE;
    gx_dtd_attribute *a = its_name == GX_NONE || (value && its_value == GX_NONE) ? NULL : gx_buf_push(&d->attributes, sizeof *a);
    if (!a)
        return -1;
    const u32 index = GX_BUF_N(&d->attributes, gx_dtd_attribute) - 1;
    *a = (gx_dtd_attribute){ its_name, its_value, GX_NONE, (u8)is_cdata, (u8)is_id };
    if (e->first == GX_NONE)
        e->first = index;
    else
        GX_BUF_AT(&d->attributes, gx_dtd_attribute)[e->last].next = index;
    e->last = index;
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

i64 gx_dtd_complete(const gx_dtd *d, const gx_dtd_element *e, gx_buf *strings, size_t first, i32 *id)
{
    const gx_dtd_attribute *all = GX_BUF_AT(&d->attributes, gx_dtd_attribute);
    size_t n = GX_BUF_N(strings, char *) - first;
    char **s = GX_BUF_AT(strings, char *) + first;
    for (size_t i = 0; i < n; i += 2)
        for (u32 k = e->first; k != GX_NONE; k = all[k].next)
            if (strcmp(d->text.at + all[k].name, s[i]) == 0) {
                if (!all[k].is_cdata)
                    collapse(s[i + 1]);
                break;
            }
    *id = e->id == GX_NONE ? -1 : has((const char *const *)s, n, d->text.at + all[e->id].name);
    for (u32 k = e->first; k != GX_NONE; k = all[k].next) {
        char *name = d->text.at + all[k].name;
        if (all[k].value == GX_NONE || has((const char *const *)s, n, name) >= 0)
            continue;
        char **two = gx_buf_push(strings, 2 * sizeof *two);
        if (!two)
            return -1;
        two[0] = name;
        two[1] = d->text.at + all[k].value;
        s = GX_BUF_AT(strings, char *) + first;
        n += 2;
    }
    return (i64)n;
}
