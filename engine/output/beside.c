/* SPDX-License-Identifier: Apache-2.0 */
/*
 * beside.c -- files beside the result: from the attributes of exsl:document, as they came out, to what a gx_out is
 * begun with
 *
 * Defaults are those of xsl:output, not what the stylesheet's own xsl:output says (XSLT 1.1, 16.1, and libxslt);
 * redirect:write, which has no such attributes, is written as the result is (Xalan). It cannot be known before the
 * attributes are evaluated what they say, so all that is wrong with them is an error of the transformation.
 */
#include <stdlib.h>
#include "files/uri.h"
#include "beside.h"

enum { VERSION = 0, ENCODING, PUBLIC, SYSTEM, MEDIA };

/* The value of the attribute as a string of b->text; NULL: it is not there, or (*no_memory) there is no memory. */
static const char *value(const gx_out *o, const char *name, gx_beside *b)
{
    for (u32 i = 0; i < o->n_attrs; i++) {
        const gx_outattr *a = &o->attrs[i];
        if (a->name.uri_len || a->name.local_len != strlen(name) || memcmp(a->name.local, name, a->name.local_len))
            continue;
        char *to = gx_buf_push(&b->text, (size_t)a->len + 1);   /* there is room: the buffer does not move */
        if (a->len)
            memcpy(to, o->vals + a->at, a->len);
        to[a->len] = 0;
        return memchr(to, 0, a->len) ? "" : to;
    }
    return NULL;
}

static const char *yes_no(const gx_out *o, const char *name, gx_beside *b, u8 *to)
{
    const char *s = value(o, name, b);
    if (!s)
        return NULL;
    if (strcmp(s, "yes") != 0 && strcmp(s, "no") != 0)
        return "indent, omit-xml-declaration and standalone must be \"yes\" or \"no\"";
    *to = *s == 'y';
    return NULL;
}

static int set_method(const char *s, gx_output *spec)
{
    static const char *const names[] = { "xml", "html", "text" };
    static const u8 methods[] = { GX_METHOD_XML, GX_METHOD_HTML, GX_METHOD_TEXT };
    for (int i = 0; i < 3; i++)
        if (strcmp(s, names[i]) == 0) {
            spec->method = methods[i];
            return 1;
        }
    if (strcmp(s, "xhtml") != 0 && !strchr(s, ':'))
        return 0;
    spec->method = GX_METHOD_XML;                               /* of a method that is not known here */
    return 1;
}

/* cdata-section-elements: QNames, the default namespace among what resolves them. Points into s, which stays. */
static const char *set_cdata(const gx_program *p, u32 list, const char *s, gx_beside *b)
{
    const gx_nslist *in = list < p->nslists.n ? GX_PROG_TAB(p, gx_nslist, nslists) + list : NULL;
    const gx_nsdecl *decls = GX_PROG_TAB(p, gx_nsdecl, nsdecls);
    b->cdata_names = calloc(strlen(s) / 2 + 1, sizeof *b->cdata_names);
    if (!b->cdata_names)
        return "no memory for the names of cdata-section-elements";
    while (*(s += strspn(s, " \t\r\n"))) {
        const size_t n = strcspn(s, " \t\r\n");
        const char *colon = memchr(s, ':', n), *local = colon ? colon + 1 : s;
        const u32 prefix_len = colon ? (u32)(colon - s) : 0;
        gx_outname *name = &b->cdata_names[b->spec.n_cdata++];
        int found = !prefix_len;
        name->local = local;
        name->local_len = (u32)(s + n - local);
        name->uri = "";
        for (u32 i = 0; in && i < in->n; i++) {
            const gx_lit *prefix = &GX_LIT(p, decls[in->first + i].prefix), *uri = &GX_LIT(p, decls[in->first + i].uri);
            if (prefix->len != prefix_len || memcmp((const char *)p + prefix->off, s, prefix_len))
                continue;
            name->uri = (const char *)p + uri->off;
            name->uri_len = uri->len;
            found = 1;
        }
        if (!found)
            return "a prefix in cdata-section-elements is not declared";
        s += n;
    }
    return NULL;
}

/* href, resolved; "select" of redirect:write comes before it, where it is not empty. */
static const char *set_href(const gx_out *o, const char *around, gx_beside *b)
{
    const char *selected = value(o, "select", b), *href = value(o, "href", b);
    if (selected && *selected)
        href = selected;
    if (!href || !*href)
        return "it names no file";
    b->href = malloc(strlen(href) + (around ? strlen(around) : 0) + 2);
    if (b->href)
        gx_uri_resolve(around, href, b->href);
    return b->href ? NULL : "no memory for its name";
}

static const char *fill(const gx_out *o, u32 list, const char *around, gx_beside *b)
{
    static const char *const strings[] = { "version", "encoding", "doctype-public", "doctype-system", "media-type" };
    u32 *const lits[] = { &b->spec.version, &b->spec.encoding, &b->spec.doctype_public, &b->spec.doctype_system,
                          &b->spec.media_type };
    const char *s, *wrong;
    for (u32 i = 0; i < 5; i++)
        *lits[i] = (b->strings[i] = value(o, strings[i], b)) != NULL ? i : GX_NONE;
    b->spec.indent = b->spec.omit_declaration = b->spec.standalone = 2;
    if ((wrong = yes_no(o, "indent", b, &b->spec.indent))
        || (wrong = yes_no(o, "omit-xml-declaration", b, &b->spec.omit_declaration))
        || (wrong = yes_no(o, "standalone", b, &b->spec.standalone)))
        return wrong;
    if ((s = value(o, "method", b)) && !set_method(s, &b->spec))
        return "method must be xml, html or text";
    if ((s = value(o, "cdata-section-elements", b)) && (wrong = set_cdata(o->program, list, s, b)))
        return wrong;
    return set_href(o, around, b);
}

gx_beside *gx_beside_create(const gx_out *o, u32 list, const char *around, const char **why)
{
    gx_beside *b = calloc(1, sizeof *b);
    *why = NULL;
    if (!b || gx_buf_room(&b->text, (size_t)o->n_vals + 16 * ((size_t)o->n_attrs + 1))) {
        gx_beside_free(b);
        return NULL;
    }
    b->is_own = 1;
    for (u32 i = 0; i < o->n_attrs; i++)
        b->is_own &= o->attrs[i].name.local_len != 4 || memcmp(o->attrs[i].name.local, "file", 4) != 0;
    *why = fill(o, list, around, b);
    if (!*why)
        return b;
    gx_beside_free(b);
    return NULL;
}

void gx_beside_free(gx_beside *b)
{
    if (!b)
        return;
    gx_buf_free(&b->bytes);
    gx_buf_free(&b->text);
    free(b->cdata_names);
    free(b->href);
    free(b);
}
