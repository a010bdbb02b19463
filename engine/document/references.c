/* SPDX-License-Identifier: Apache-2.0 */
/*
 * references.c -- references to entities that nothing declares, and the bytes of Expat's event
 */
#include <stdlib.h>
#include <string.h>
/* Expat 2.9 deprecates positions that are a long, for systems where that has 32 bits, and a salt of 64 bits, which is
 * what our seed has */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "edition.h"
#include "expat_at.h"
#include "fail.h"
#include "references.h"

/* n bytes that Expat passed on, with a NUL behind them, as the document has them; NULL after failing. To be freed. */
char *gx_parser_as_written(gx_parser *p, const char *s, size_t n)
{
    char *copy = malloc(n + 1);
    if (!copy)
        return gx_parser_fail_memory(p), NULL;
    memcpy(copy, s, n);
    copy[gx_edition_read(p->names.seed, copy, n)] = 0;
    return copy;
}

int gx_is_predefined(const char *s, size_t n)
{
    return (n == 2 && (memcmp(s, "lt", 2) == 0 || memcmp(s, "gt", 2) == 0)) ||
           (n == 3 && memcmp(s, "amp", 3) == 0) || (n == 4 && (memcmp(s, "apos", 4) == 0 || memcmp(s, "quot", 4) == 0));
}

/* Expat drops undeclared entities without a word when there is an external subset it was not given, in attribute
 * values even without a skipped-entity event. So with a DOCTYPE the references in tags are looked up here. Goes
 * through n bytes of markup or of an entity's text: each '&' up to its ';'. References to characters are passed over.
 * O(n), but for what each() does. */
int gx_refers(gx_parser *p, const char *s, size_t n, int (*each)(gx_parser *, const char *, size_t))
{
    const char *end = s + n;
    while ((s = memchr(s, '&', (size_t)(end - s)))) {
        s++;
        if (s < end && *s == '#')               /* before its end is looked for: many may have one end, far away */
            continue;
        const char *semicolon = s < end ? memchr(s, ';', (size_t)(end - s)) : NULL;
        if (!semicolon)
            return 0;
        if (each(p, s, (size_t)(semicolon - s)))
            return 1;
        s = semicolon + 1;
        if (s >= end)
            return 0;
    }
    return 0;
}

/* A reference that nothing declares is empty in a document of one's own, if a DTD that is not all there may have
 * declared it: XML 1.0, 4.1, makes that no error of well-formedness, and libxml2 goes on. Returns 0 then, else 1 after
 * failing. */
int gx_fail_entity(gx_parser *p, const char *name, size_t n)
{
    const int len = n > 100 ? 100 : (int)n;
    if (p->options.missing_is_empty) {
        gx_parser_warn(p, "the entity \"%.*s\" is not declared, and left empty", len, name);
        return 0;
    }
    if (!p->options.external)
        FAIL(
            p, GX_EXML,
            "reference to the entity \"%.*s\", which is not declared in this document "
            "(external declarations are never read)",
            len, name);
    else if (*p->unread)
        FAIL(p, GX_EXML,
             "reference to the entity \"%.*s\", which is not declared in what could be read of the DTD (%s)", len, name,
             p->unread);
    else
        FAIL(p, GX_EXML, "reference to the entity \"%.*s\", which is not declared", len, name);
    return 1;
}

/* May the name of n bytes be referred to (XML 1.0, 4.1, Entity Declared)? 0: it is declared, predefined, or cannot be
 * compared, being longer than any name or not in UTF-8; what gx_fail_entity says if it is not declared. */
int gx_check_reference(gx_parser *p, const char *s, size_t n)
{
    if (p->is_spelled) {
        char *own = gx_parser_as_written(p, s, n);
        p->is_spelled = 0;
        const int failed = !own || gx_check_reference(p, own, strlen(own));
        p->is_spelled = 1;
        free(own);
        return failed;
    }
    if (gx_is_predefined(s, n) || n > p->limits.name)
        return 0;
    if (!p->utf8)                       /* declared names are UTF-8, these bytes may not be */
        for (size_t i = 0; i < n; i++)
            if (s[i] & 0x80)
                return 0;
    u32 name = gx_names_find(&p->names, s, (u32)n);
    if (name == GX_NONE)
        return gx_parser_fail_memory(p), 1;
    if (GX_BUF_AT(&p->names.names, gx_name)[name].flags & GX_NAME_ENTITY)
        return 0;
    return gx_fail_entity(p, s, n);
}

/* The bytes of the event that Expat stands at, or of the literal right behind it. NULL when they cannot be seen. */
const char *gx_event_bytes(gx_parser *p, int literal, size_t *size)
{
    int offset = 0, end = 0, n = gx_expat_count(p->expat);
    const char *bytes = gx_expat_context(p->expat, &offset, &end);
    if (!bytes || n < 0 || offset < 0 || offset > end || n > end - offset)
        return NULL;
    if (!literal)
        return *size = (size_t)n, bytes + offset;
    const char *at = bytes + offset + n, *close;
    if (n == end - offset || (*at != '"' && *at != '\'')
        || !(close = memchr(at + 1, *at, (size_t)(bytes + end - at - 1))))
        return NULL;
    *size = (size_t)(close - at);
    return at;
}

/* The references in the tag that has begun. -1 after failing. */
int gx_check_references(gx_parser *p)
{
    size_t n;
    const char *bytes = p->options.external_ignore ? NULL : gx_event_bytes(p, 0, &n);
    if (!bytes || n == 0)
        return 0;
    if (*bytes != '&')
        return gx_refers(p, bytes, n, gx_check_reference) ? -1 : 0;
    /* the event is a reference: the tag comes from an entity's text, which cannot be seen here */
    if (p->incomplete_entities && p->options.missing_is_empty)
        gx_parser_warn(p, "an entity's text refers to an entity that is not declared, and left empty");
    else if (p->incomplete_entities)
        return FAIL(p, GX_EXML, "an entity's text has a tag, and refers to an entity that is not declared"), -1;
    return 0;
}

int gx_note_reference(gx_parser *p, const char *s, size_t n)
{
    if (gx_is_predefined(s, n) || n > p->limits.name)
        return 0;
    u32 name = gx_names_find(&p->names, s, (u32)n);
    u32 *ref = name == GX_NONE ? NULL : gx_buf_push(&p->entity_refs, sizeof *ref);
    if (!ref)
        return gx_parser_fail_memory(p), 1;
    *ref = name;
    return 0;
}
