/*
 * html.c -- what HTML 4 says about its elements and attributes, and HTML 5 where that adds names
 *
 * Names compare without case. Tables are sorted; a look-up is a binary search over a few dozen short names, made once a name:
 * at compile time for literal elements, once a label for copied ones.
 */
#include <stdlib.h>
#include <string.h>
#include "output.h"

typedef struct entry { const char *name; u32 flags; } entry;
static const entry elements[] = {
    { "a", GX_E_INLINE | GX_E_ANCHOR }, { "abbr", GX_E_INLINE }, { "acronym", GX_E_INLINE }, { "applet", GX_E_INLINE }, { "area", GX_E_VOID },
    { "audio", GX_E_INLINE }, { "b", GX_E_INLINE }, { "base", GX_E_VOID }, { "basefont", GX_E_VOID | GX_E_INLINE },
    { "bdi", GX_E_INLINE }, { "bdo", GX_E_INLINE }, { "big", GX_E_INLINE }, { "br", GX_E_VOID | GX_E_INLINE },
    { "button", GX_E_INLINE }, { "canvas", GX_E_INLINE }, { "cite", GX_E_INLINE }, { "code", GX_E_INLINE }, { "col", GX_E_VOID },
    { "data", GX_E_INLINE }, { "datalist", GX_E_INLINE }, { "del", GX_E_INLINE }, { "dfn", GX_E_INLINE }, { "em", GX_E_INLINE },
    { "embed", GX_E_VOID | GX_E_INLINE }, { "font", GX_E_INLINE }, { "frame", GX_E_VOID }, { "head", GX_E_HEAD }, { "hr", GX_E_VOID },
    { "i", GX_E_INLINE }, { "iframe", GX_E_INLINE }, { "img", GX_E_VOID | GX_E_INLINE }, { "input", GX_E_VOID | GX_E_INLINE },
    { "ins", GX_E_INLINE }, { "isindex", GX_E_VOID }, { "kbd", GX_E_INLINE }, { "label", GX_E_INLINE }, { "link", GX_E_VOID },
    { "map", GX_E_INLINE }, { "mark", GX_E_INLINE }, { "meta", GX_E_VOID | GX_E_META }, { "meter", GX_E_INLINE },
    { "noscript", GX_E_INLINE }, { "object", GX_E_INLINE }, { "output", GX_E_INLINE }, { "param", GX_E_VOID },
    { "picture", GX_E_INLINE }, { "pre", GX_E_PRE }, { "progress", GX_E_INLINE }, { "q", GX_E_INLINE }, { "rp", GX_E_INLINE },
    { "rt", GX_E_INLINE }, { "ruby", GX_E_INLINE }, { "s", GX_E_INLINE }, { "samp", GX_E_INLINE },
    { "script", GX_E_RAW | GX_E_INLINE | GX_E_PRE }, { "select", GX_E_INLINE }, { "slot", GX_E_INLINE }, { "small", GX_E_INLINE },
    { "source", GX_E_VOID }, { "span", GX_E_INLINE }, { "strike", GX_E_INLINE }, { "strong", GX_E_INLINE },
    { "style", GX_E_RAW | GX_E_PRE }, { "sub", GX_E_INLINE }, { "sup", GX_E_INLINE },
    { "template", GX_E_INLINE }, { "textarea", GX_E_INLINE | GX_E_PRE }, { "time", GX_E_INLINE }, { "track", GX_E_VOID },
    { "tt", GX_E_INLINE }, { "u", GX_E_INLINE }, { "var", GX_E_INLINE }, { "video", GX_E_INLINE }, { "wbr", GX_E_VOID | GX_E_INLINE }
};
static const entry booleans[] = {
    { "async", 0 }, { "autofocus", 0 }, { "autoplay", 0 }, { "checked", 0 }, { "compact", 0 }, { "controls", 0 }, { "declare", 0 },
    { "default", 0 }, { "defer", 0 }, { "disabled", 0 }, { "formnovalidate", 0 }, { "hidden", 0 }, { "inert", 0 }, { "ismap", 0 },
    { "itemscope", 0 }, { "loop", 0 }, { "multiple", 0 }, { "muted", 0 }, { "nohref", 0 }, { "nomodule", 0 }, { "noresize", 0 },
    { "noshade", 0 }, { "novalidate", 0 }, { "nowrap", 0 }, { "open", 0 }, { "playsinline", 0 }, { "readonly", 0 }, { "required", 0 },
    { "reversed", 0 }, { "selected", 0 }
};
static const entry uris[] = {
    { "action", 0 }, { "archive", 0 }, { "background", 0 }, { "cite", 0 }, { "classid", 0 }, { "codebase", 0 }, { "data", 0 },
    { "formaction", 0 }, { "href", 0 }, { "longdesc", 0 }, { "poster", 0 }, { "profile", 0 }, { "src", 0 }, { "usemap", 0 }
};

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
 * By the html method XSLT 1.0, 16.2, wants elements with a namespace written as XML. For those of XHTML, which stylesheets of feeds and
 * sitemaps make by <html xmlns="...">, that would give "&gt;" in style sheets and "&amp;&amp;" in scripts, where parsers of HTML resolve
 * nothing: they are HTML's, as in XSLT 3.0.
 *
 * To those parsers "<p/>" is a start tag. They get XHTML too, as often as its media type is text/html, and whatever else stands in a page
 * of html: what may be empty there but is not always so has both its tags (XHTML 1.0, C.3), which to an XML parser is the same element.
 */
u32 gx_html_element(u8 method, int xhtml, const char *uri, u32 uri_len, const char *name, u32 len)
{
    static const char XHTML[] = "http://www.w3.org/1999/xhtml";
    int html = method == GX_METHOD_HTML, is_xhtml = uri_len == sizeof XHTML - 1 && !memcmp(uri, XHTML, uri_len);
    if (!html && !(uri_len ? is_xhtml : xhtml))
        return 0;
    const entry *e = FIND(elements, name, len);
    if (html && (!uri_len || is_xhtml))
        return GX_E_HTML | (e ? e->flags : 0);
    return e && e->flags & GX_E_VOID ? 0 : GX_E_PAIR;
}

int gx_html_is_xhtml(const gx_program *p, const gx_output *spec)
{
    static const char START[] = "-//W3C//DTD XHTML ";
    u32 i = spec->doctype_public;
    return i != GX_NONE && GX_LIT(p, i).len >= sizeof START - 1 && !memcmp(GX_LIT_AT(p, i), START, sizeof START - 1);
}

int gx_html_boolean(const char *name, u32 len) { return FIND(booleans, name, len) != NULL; }

/* HTML 4.01, B.2.1: "The same conversion based on UTF-8 should be applied to values of the name attribute for the A element." */
int gx_html_uri(u32 element, const char *name, u32 len)
{
    return FIND(uris, name, len) != NULL || (element & GX_E_ANCHOR && gx_ascii_equal(name, len, "name"));
}
