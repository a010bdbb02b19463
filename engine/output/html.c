/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html.c -- what HTML 4 says about its elements and attributes, and HTML 5 where that adds names
 *
 * Names compare without case. Tables are sorted; a look-up is a binary search over a few dozen short names, made once a
 * name: at compile time for literal elements, once a label for copied ones.
 */
#include <stdlib.h>
#include <string.h>
#include "output.h"

typedef struct entry { const char *name; u32 flags; } entry;
/* What is not here is inline and nothing else: to a user agent an element that it does not know is so, too. */
static const entry elements[] = { { "a", GX_E_INLINE | GX_E_ANCHOR },
                                  { "address", 0 },
                                  { "area", GX_E_VOID | GX_E_INLINE },
                                  { "article", 0 },
                                  { "aside", 0 },
                                  { "base", GX_E_VOID },
                                  { "basefont", GX_E_VOID | GX_E_INLINE },
                                  { "blockquote", 0 },
                                  { "body", 0 },
                                  { "br", GX_E_VOID | GX_E_INLINE },
                                  { "caption", 0 },
                                  { "center", 0 },
                                  { "col", GX_E_VOID },
                                  { "colgroup", 0 },
                                  { "dd", 0 },
                                  { "details", 0 },
                                  { "dialog", 0 },
                                  { "dir", 0 },
                                  { "div", 0 },
                                  { "dl", 0 },
                                  { "dt", 0 },
                                  { "embed", GX_E_VOID | GX_E_INLINE },
                                  { "fieldset", 0 },
                                  { "figcaption", 0 },
                                  { "figure", 0 },
                                  { "footer", 0 },
                                  { "form", 0 },
                                  { "frame", GX_E_VOID },
                                  { "frameset", 0 },
                                  { "h1", 0 },
                                  { "h2", 0 },
                                  { "h3", 0 },
                                  { "h4", 0 },
                                  { "h5", 0 },
                                  { "h6", 0 },
                                  { "head", GX_E_HEAD },
                                  { "header", 0 },
                                  { "hgroup", 0 },
                                  { "hr", GX_E_VOID },
                                  { "html", 0 },
                                  { "iframe", GX_E_INLINE | GX_E_TEXT },
                                  { "img", GX_E_VOID | GX_E_INLINE },
                                  { "input", GX_E_VOID | GX_E_INLINE },
                                  { "isindex", GX_E_VOID },
                                  { "legend", 0 },
                                  { "li", 0 },
                                  { "link", GX_E_VOID },
                                  { "main", 0 },
                                  { "menu", 0 },
                                  { "meta", GX_E_VOID | GX_E_META },
                                  { "nav", 0 },
                                  { "noembed", GX_E_TEXT },
                                  { "noframes", GX_E_TEXT },
                                  { "noscript", GX_E_INLINE | GX_E_TEXT },
                                  { "ol", 0 },
                                  { "optgroup", 0 },
                                  { "option", 0 },
                                  { "p", 0 },
                                  { "param", GX_E_VOID | GX_E_INLINE },
                                  { "pre", GX_E_PRE },
                                  { "script", GX_E_RAW | GX_E_INLINE | GX_E_PRE | GX_E_TEXT },
                                  { "search", 0 },
                                  { "section", 0 },
                                  { "source", GX_E_VOID | GX_E_INLINE },
                                  { "style", GX_E_RAW | GX_E_PRE | GX_E_TEXT },
                                  { "summary", 0 },
                                  { "table", 0 },
                                  { "tbody", 0 },
                                  { "td", 0 },
                                  { "textarea", GX_E_INLINE | GX_E_PRE | GX_E_TEXT },
                                  { "tfoot", 0 },
                                  { "th", 0 },
                                  { "thead", 0 },
                                  { "title", GX_E_TEXT },
                                  { "tr", 0 },
                                  { "track", GX_E_VOID | GX_E_INLINE },
                                  { "ul", 0 },
                                  { "wbr", GX_E_VOID | GX_E_INLINE } };
static const entry booleans[] = { { "async", 0 },    { "autofocus", 0 },   { "autoplay", 0 },       { "checked", 0 },
                                  { "compact", 0 },  { "controls", 0 },    { "declare", 0 },        { "default", 0 },
                                  { "defer", 0 },    { "disabled", 0 },    { "formnovalidate", 0 }, { "hidden", 0 },
                                  { "inert", 0 },    { "ismap", 0 },       { "itemscope", 0 },      { "loop", 0 },
                                  { "multiple", 0 }, { "muted", 0 },       { "nohref", 0 },         { "nomodule", 0 },
                                  { "noresize", 0 }, { "noshade", 0 },     { "novalidate", 0 },     { "nowrap", 0 },
                                  { "open", 0 },     { "playsinline", 0 }, { "readonly", 0 },       { "required", 0 },
                                  { "reversed", 0 }, { "selected", 0 } };
static const entry uris[] = { { "action", 0 },  { "archive", 0 },  { "background", 0 }, { "cite", 0 },
                              { "classid", 0 }, { "codebase", 0 }, { "data", 0 },       { "formaction", 0 },
                              { "href", 0 },    { "longdesc", 0 }, { "poster", 0 },     { "profile", 0 },
                              { "src", 0 },     { "usemap", 0 } };

/* Is a, in either case, the lower-case word b? */
int gx_ascii_equal(const char *a, u32 a_len, const char *b)
{
    for (u32 i = 0; i < a_len; i++) {
        char c = a[i] >= 'A' && a[i] <= 'Z' ? (char)(a[i] + 32) : a[i];
        if (!b[i] || c != b[i])
            return 0;
    }
    return b[a_len] == 0;
}

typedef struct key { const char *name; u32 len; } key;

static int compare(const void *k, const void *e)
{
    const key *a = k;
    const char *b = ((const entry *)e)->name;
    for (u32 i = 0; i < a->len; i++) {
        int c = a->name[i] >= 'A' && a->name[i] <= 'Z' ? a->name[i] + 32 : (unsigned char)a->name[i];
        if (!b[i] || c != b[i])
            return b[i] ? c - b[i] : 1;
    }
    return b[a->len] ? -1 : 0;
}

static const entry *find(const entry *table, size_t n, const char *name, u32 len)
{
    key k = { name, len };
    return len < 16 ? bsearch(&k, table, n, sizeof *table, compare) : NULL;
}
#define FIND(table, name, len) find(table, sizeof table / sizeof *table, name, len)

/*
 * By the html method XSLT 1.0, 16.2, wants elements with a namespace written as XML. For those of XHTML, which
 * stylesheets of feeds and sitemaps make by <html xmlns="...">, that would give "&gt;" in style sheets and "&amp;&amp;"
 * in scripts, where parsers of HTML resolve nothing: they are HTML's, as in XSLT 3.0.
 *
 * To those parsers "<p/>" is a start tag. They get XHTML too, as often as its media type is text/html, and whatever
 * else stands in a page of html: what may be empty there but is not always so has both its tags (XHTML 1.0, C.3), which
 * to an XML parser is the same element.
 */
u32 gx_html_element(u8 method, int xhtml, const char *uri, u32 uri_len, const char *name, u32 len)
{
    static const char XHTML[] = "http://www.w3.org/1999/xhtml";
    int html = method == GX_METHOD_HTML, is_xhtml = uri_len == sizeof XHTML - 1 && !memcmp(uri, XHTML, uri_len);
    if (!html && !(uri_len ? is_xhtml : xhtml))
        return 0;
    const entry *e = FIND(elements, name, len);
    if (html && (!uri_len || is_xhtml))
        return GX_E_HTML | (e ? e->flags : GX_E_INLINE);
    return (html ? GX_E_INLINE : 0) | (e && e->flags & GX_E_VOID ? 0 : GX_E_PAIR);
}

int gx_html_is_xhtml_id(const char *public_id, size_t n)
{
    static const char START[] = "-//W3C//DTD XHTML ";
    return n >= sizeof START - 1 && !memcmp(public_id, START, sizeof START - 1);
}

int gx_html_is_xhtml(const gx_program *p, const gx_output *spec)
{
    u32 i = spec->doctype_public;
    return i != GX_NONE && gx_html_is_xhtml_id(GX_LIT_AT(p, i), GX_LIT(p, i).len);
}

int gx_html_boolean(const char *name, u32 len) { return FIND(booleans, name, len) != NULL; }

/* HTML 4.01, B.2.1: "The same conversion based on UTF-8 should be applied to values of the name attribute for the A
 * element." */
int gx_html_uri(u32 element, const char *name, u32 len)
{
    return FIND(uris, name, len) != NULL || (element & GX_E_ANCHOR && gx_ascii_equal(name, len, "name"));
}
