/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xinclude.c -- XInclude 1.0: a document with what it includes in the place of its xi:include elements
 *
 *   document block --written as XML, what is included in its place--> bytes --parser--> document block
 *
 * The document is written anew and parsed once more, so what is included is subject to the same limits, rules for white
 * space and namespaces as if it had stood there. What only a DTD told is gone then: IDs other than xml:id, and unparsed
 * entities.
 *
 * parse="xml" and "text", encoding, fallback; xpointer is a shorthand pointer or element(); accept and accept-language
 * mean nothing without a network. A reference is read as document() reads it: it is a resource of the loader's site, or
 * else a file. What the site answers may be written by strangers, so it includes nothing but other answers. xml:base is
 * added where the reference has a directory in it (as libxml2 does), xml:lang where the languages differ.
 *
 * Errors (XInclude, 4.4): what cannot be read, or a pointer that finds nothing, is a resource error, for which there is
 * xi:fallback; what is read and is not well-formed, a loop and wrong attributes are fatal. Cost: as parsing twice. All
 * that is read, and all that is written, is bounded by limits.input, inclusions within each other by NESTING, and all
 * of it together by options.timeout_us: a thousand xi:include of an empty file read and write nothing, and a pointer
 * into the document itself is looked for in all of it.
 */
#include <stdlib.h>
#include <string.h>
#include <apr_strings.h>
#include "buf.h"
#include "clock.h"
#include "encoding.h"
#include "files/uri.h"
#include "xinclude.h"

#define XI "http://www.w3.org/2001/XInclude"
#define NESTING 40u
#define DEPTH 2000u /* elements within each other, where limits.depth allows more: the C stack grows with them */

/* A document that is being written, and the one around it */
typedef struct source {
    const gx_doc *doc;
    const char *path;           /* base URI */
    const char *pointer;        /* "": all of it */
    const gx_loader *loader;    /* what it may include */
    const struct source *around;
} source;

typedef struct includer {
    const gx_parse_options *options;
    gx_loader answers;          /* the loader's site without its files: what an answer of the site may include */
    gx_limits limits;
    gx_parser *parser;          /* of what is included */
    apr_pool_t *pool;
    gx_error *err;
    gx_buf out;
    u64 n_read, deadline_us;    /* 0: none */
    u32 depth, elements;        /* within each other: inclusions; elements */
} includer;

/* Where an element is written: the namespaces in scope, and what its first attributes are to be */
typedef struct place {
    const gx_doc *doc;
    u32 list; /* GX_NONE: none */
    const char *base, *lang; /* to be added, NULL */
} place;

static gx_status write_children(includer *x, const source *s, u32 node, const place *at);

static gx_status fail_size(includer *x, const char *what)
{
    gx_fail(x->err, GX_ELIMIT, x->options->file, 0, 0, "%s larger than input=%llu", what,
            (unsigned long long)x->limits.input);
    x->err->limit = "input";
    return GX_ELIMIT;
}

/* What is left of the time, 0 where there is no end; or GX_ETIME. */
static gx_status time_left(const includer *x, u64 *left_us, gx_error *err)
{
    const u64 now = x->deadline_us ? gx_now_us() : 0;
    *left_us = x->deadline_us - now;
    if (x->deadline_us && now >= x->deadline_us)
        return gx_fail(err, GX_ETIME, x->options->file, 0, 0, "XInclude takes longer than the time that it has");
    return GX_OK;
}

/* Appends to the new document, whose size is a limit like any source's. */
static gx_status put(includer *x, const char *bytes, size_t n)
{
    char *to;
    if (x->out.n + n > x->limits.input)
        return fail_size(x, "the document with what it includes is");
    to = gx_buf_push(&x->out, n);
    if (!to)
        return gx_fail(x->err, GX_ENOMEM, x->options->file, 0, 0, "out of memory");
    if (n)
        memcpy(to, bytes, n);
    return GX_OK;
}

static gx_status put_string(includer *x, const char *s) { return put(x, s, strlen(s)); }

/* Characters as they stand in text, or in an attribute's value with quotes around it */
static gx_status put_escaped(includer *x, const char *s, size_t n, int is_attribute)
{
    size_t from = 0;
    for (size_t i = 0; i < n; i++) {
        const char *ref = s[i] == '&' ? "&amp;"
            : s[i] == '<'             ? "&lt;"
            : s[i] == '>'             ? "&gt;"
            : s[i] == '\r'            ? "&#13;"
            : !is_attribute           ? NULL
            : s[i] == '"'             ? "&quot;"
            : s[i] == '\n'            ? "&#10;"
            : s[i] == '\t'            ? "&#9;"
                                      : NULL;
        if (!ref)
            continue;
        GX_TRY(put(x, s + from, i - from));
        GX_TRY(put_string(x, ref));
        from = i + 1;
    }
    return put(x, s + from, n - from);
}

/* ---- what a document says ---- */

static const gx_label_info *label_of(const gx_doc *d, u32 node)
{
    return GX_DOC_COL(d, gx_label_info, labels) + GX_LABEL_ID(GX_DOC_COL(d, u32, label)[node]);
}
static u32 kind_of(const gx_doc *d, u32 node) { return GX_LABEL_KIND(GX_DOC_COL(d, u32, label)[node]); }
static const char *strs(const gx_doc *d) { return GX_DOC_COL(d, char, strs); }
static u32 list_of(const gx_doc *d, u32 node) { return d->ns ? GX_DOC_COL(d, u32, ns)[node] : 0; }

static int is_name(const gx_doc *d, const gx_label_info *l, const char *uri, const char *local)
{
    return l->local_len == strlen(local) && !memcmp(strs(d) + l->local, local, l->local_len)
        && l->uri_len == strlen(uri) && !memcmp(strs(d) + l->uri, uri, l->uri_len);
}

static int is_element(const gx_doc *d, u32 node, const char *local)      /* of XInclude */
{
    return kind_of(d, node) == GX_KIND_ELEM && is_name(d, label_of(d, node), XI, local);
}

int gx_xinclude_wanted(const gx_doc *d)
{
    for (u32 i = 0; i < d->n_labels; i++)
        if (GX_DOC_COL(d, gx_label_info, labels)[i].kind == GX_KIND_ELEM
            && is_name(d, GX_DOC_COL(d, gx_label_info, labels) + i, XI, "include"))
            return 1;
    return 0;
}

static u32 first_child(const gx_doc *d, u32 node)
{
    u32 at = node + 1;
    while (at < GX_DOC_COL(d, u32, next)[node] && GX_IS_ATTACHED(kind_of(d, at)))
        at++;
    return at;
}

/* An attribute's value, in pool; NULL: it is not there. */
static const char *attribute(apr_pool_t *pool, const gx_doc *d, u32 node, const char *uri, const char *local)
{
    for (u32 at = node + 1, end = first_child(d, node); at < end; at++)
        if (kind_of(d, at) == GX_KIND_ATTR && is_name(d, label_of(d, at), uri, local))
            return apr_pstrmemdup(pool, GX_DOC_COL(d, char, values) + GX_DOC_COL(d, u32, text_off)[at],
                                  GX_DOC_COL(d, u32, text_len)[at]);
    return NULL;
}

/* A node's name as it was written: its own prefix if it is an odd one. */
static gx_status put_name(includer *x, const gx_doc *d, u32 node)
{
    const gx_label_info *l = label_of(d, node);
    u32 prefix = l->prefix, len = l->prefix_len;
    const gx_doc_odd *odd = GX_DOC_COL(d, gx_doc_odd, odd);
    u32 lo = 0, hi = d->n_odd;
    while (lo < hi) {                       /* odd[lo - 1].node < node <= odd[hi].node */
        const u32 mid = (lo + hi) / 2;
        if (odd[mid].node < node)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo < d->n_odd && odd[lo].node == node) {
        prefix = odd[lo].prefix;
        len = odd[lo].prefix_len;
    }
    GX_TRY(put(x, strs(d) + prefix, len));
    if (len)
        GX_TRY(put(x, ":", 1));
    return put(x, strs(d) + l->local, l->local_len);
}

/* What xml:base and xml:lang make of a node's: the nearest one's value, "" = none. */
static const char *language(includer *x, const gx_doc *d, u32 node)
{
    for (; node != GX_NONE && kind_of(d, node) == GX_KIND_ELEM; node = GX_DOC_COL(d, u32, parent)[node]) {
        const char *lang = attribute(x->pool, d, node, GX_XML_URI, "lang");
        if (lang)
            return lang;
    }
    return "";
}

/* The base URI of a node: its source's path, with each xml:base on the way down. Recursion: the document's depth. */
static const char *base_of(includer *x, const source *s, u32 node)
{
    if (node == GX_NONE || kind_of(s->doc, node) != GX_KIND_ELEM)
        return s->path;
    const char *outer = base_of(x, s, GX_DOC_COL(s->doc, u32, parent)[node]),
               *own = attribute(x->pool, s->doc, node, GX_XML_URI, "base");
    if (!own)
        return outer;
    char *base = apr_palloc(x->pool, strlen(outer) + strlen(own) + 2);
    gx_uri_resolve(outer, own, base);
    return base;
}

static u32 line_of(const source *s, u32 node) { return s->doc->line ? GX_DOC_COL(s->doc, u32, line)[node] : 0; }
static u32 column_of(const source *s, u32 node) { return s->doc->column ? GX_DOC_COL(s->doc, u32, column)[node] : 0; }

/* ---- writing ---- */

/* The declaration of a prefix in a list of another document, or NULL. */
static const gx_ns_decl *find_decl(const gx_doc *d, u32 list, const gx_doc *of, const gx_ns_decl *prefix)
{
    if (list == GX_NONE || !d->n_ns_lists)
        return NULL;
    const gx_ns_list *l = GX_DOC_COL(d, gx_ns_list, ns_lists) + list;
    const gx_ns_decl *decl = GX_DOC_COL(d, gx_ns_decl, ns_decls) + l->first;
    for (u32 i = 0; i < l->n; i++)
        if (decl[i].prefix_len == prefix->prefix_len
            && !memcmp(strs(d) + decl[i].prefix, strs(of) + prefix->prefix, prefix->prefix_len))
            return decl + i;
    return NULL;
}

/* Declarations that the element has in its own document and that do not hold where it is written to; xmlns="" where
 * only the place has a default namespace. */
static gx_status put_namespaces(includer *x, const gx_doc *d, u32 list, const place *at)
{
    static const gx_ns_decl no_prefix;
    const gx_ns_list *l = d->n_ns_lists ? GX_DOC_COL(d, gx_ns_list, ns_lists) + list : NULL;
    const gx_ns_decl *decl = GX_DOC_COL(d, gx_ns_decl, ns_decls) + (l ? l->first : 0);
    if (at->doc == d && at->list == list)
        return GX_OK;
    for (u32 i = 0; l && i < l->n; i++) {
        const gx_ns_decl *outer = find_decl(at->doc, at->list, d, decl + i);
        if (outer && outer->uri_len == decl[i].uri_len
            && !memcmp(strs(at->doc) + outer->uri, strs(d) + decl[i].uri, outer->uri_len))
            continue;
        GX_TRY(put_string(x, decl[i].prefix_len ? " xmlns:" : " xmlns"));
        GX_TRY(put(x, strs(d) + decl[i].prefix, decl[i].prefix_len));
        GX_TRY(put_string(x, "=\""));
        GX_TRY(put_escaped(x, strs(d) + decl[i].uri, decl[i].uri_len, 1));
        GX_TRY(put_string(x, "\""));
    }
    if (find_decl(at->doc, at->list, d, &no_prefix) && !find_decl(d, list, d, &no_prefix))
        return put_string(x, " xmlns=\"\"");
    return GX_OK;
}

static gx_status put_attribute(includer *x, const char *name, const char *value)
{
    GX_TRY(put_string(x, apr_pstrcat(x->pool, " ", name, "=\"", NULL)));
    GX_TRY(put_escaped(x, value, strlen(value), 1));
    return put_string(x, "\"");
}

/* An element with its attributes and all below it. At the top of what is included xml:base and xml:lang are added where
 * they differ from the place's. GX_ELIMIT deeper than `depth`, which is bounded since this recurses. */
static gx_status write_element(includer *x, const source *s, u32 node, const place *at)
{
    const gx_doc *d = s->doc;
    const place inside = { d, list_of(d, node), NULL, NULL };
    const u32 first = first_child(d, node);
    const u32 depth = x->limits.depth < DEPTH ? x->limits.depth : DEPTH;
    if (++x->elements > depth) {
        gx_fail(x->err, GX_ELIMIT, s->path, line_of(s, node), column_of(s, node),
                "with what it includes the document nests deeper than depth=%u%s", depth,
                depth < DEPTH ? "" : " (fixed for XInclude)");
        x->err->limit = depth < DEPTH ? "depth" : NULL;
        return GX_ELIMIT;
    }
    GX_TRY(put_string(x, "<"));
    GX_TRY(put_name(x, d, node));
    GX_TRY(put_namespaces(x, d, inside.list, at));
    for (u32 a = node + 1; a < first; a++) {
        if (kind_of(d, a) != GX_KIND_ATTR || (at->base && is_name(d, label_of(d, a), GX_XML_URI, "base")))
            continue;
        GX_TRY(put_string(x, " "));
        GX_TRY(put_name(x, d, a));
        GX_TRY(put_string(x, "=\""));
        GX_TRY(put_escaped(x, GX_DOC_COL(d, char, values) + GX_DOC_COL(d, u32, text_off)[a],
                           GX_DOC_COL(d, u32, text_len)[a], 1));
        GX_TRY(put_string(x, "\""));
    }
    if (at->base) {
        const char *own = attribute(x->pool, d, node, GX_XML_URI, "base");
        char *base = apr_palloc(x->pool, strlen(at->base) + (own ? strlen(own) : 0) + 2);
        gx_uri_resolve(at->base, own ? own : "", base);
        GX_TRY(put_attribute(x, "xml:base", base));
    }
    if (at->lang && !attribute(x->pool, d, node, GX_XML_URI, "lang") && strcmp(at->lang, language(x, d, node)) != 0)
        GX_TRY(put_attribute(x, "xml:lang", language(x, d, node)));
    GX_TRY(put_string(x, ">"));
    GX_TRY(write_children(x, s, node, &inside));
    x->elements--;
    GX_TRY(put_string(x, "</"));
    GX_TRY(put_name(x, d, node));
    return put_string(x, ">");
}

/* ---- including ---- */

static gx_status fatal(includer *x, const source *s, u32 node, const char *href, const char *why)
{
    return gx_fail(x->err, GX_EXML, s->path, line_of(s, node), column_of(s, node), "xi:include of \"%.200s\": %.400s",
                   href, why);
}

static gx_status fallback(includer *x, const source *s, u32 node, const place *at, const char *href, const char *why)
{
    for (u32 c = first_child(s->doc, node); c < GX_DOC_COL(s->doc, u32, next)[node];
         c = GX_DOC_COL(s->doc, u32, next)[c])
        if (is_element(s->doc, c, "fallback"))
            return write_children(x, s, c, at);
    return fatal(x, s, node, href, apr_psprintf(x->pool, "%s (and there is no xi:fallback)", why));
}

/* What is wrong with the children of an xi:include, or NULL (XInclude, 3.1). Elements of its namespace that XInclude
 * does not know are an error, too, which libxml2 passes over: so is it here. */
static const char *wrong_children(const gx_doc *d, u32 node)
{
    int n_fallbacks = 0;
    for (u32 c = first_child(d, node); c < GX_DOC_COL(d, u32, next)[node]; c = GX_DOC_COL(d, u32, next)[c])
        if (is_element(d, c, "fallback"))
            n_fallbacks++;
        else if (is_element(d, c, "include"))
            return "it may have no xi:include as a child, but in its xi:fallback";
    return n_fallbacks > 1 ? "it may have one xi:fallback only" : NULL;
}

/* The element that an ID, steps (/1/2) or both lead to; GX_NONE: none. */
static u32 element_at(const gx_doc *d, const char *s)
{
    const size_t id = strcspn(s, "/");
    u32 node = id || !*s ? GX_NONE : 0;
    for (u32 i = 0; id && i < d->n_ids; i++) {
        const gx_doc_id *one = GX_DOC_COL(d, gx_doc_id, ids) + i;
        if (one->value_len == id && !memcmp(strs(d) + one->value, s, id) && (node == GX_NONE || one->node < node))
            node = one->node;
    }
    for (s += id; node != GX_NONE && *s; ) {
        char *end;
        unsigned long which = s[1] >= '1' && s[1] <= '9' ? strtoul(s + 1, &end, 10) : 0;
        u32 child = first_child(d, node), stop = GX_DOC_COL(d, u32, next)[node];
        if (*s != '/' || !which)
            return GX_NONE;
        for (; child < stop; child = GX_DOC_COL(d, u32, next)[child])
            if (kind_of(d, child) == GX_KIND_ELEM && --which == 0)
                break;
        node = child < stop ? child : GX_NONE;
        s = end;
    }
    return node;
}

/* The end of what stands behind a '(': its ')'. NULL: there is none. "^(", "^)" and "^^" are characters. */
static const char *closing(const char *s)
{
    for (int open = 1; *s; s++)
        if (*s == '^' && s[1])
            s++;
        else if (*s == '(')
            open++;
        else if (*s == ')' && --open == 0)
            return s;
    return NULL;
}

/* The element that the pointer leads to; GX_NONE: none. Of several scheme parts the first that finds something counts,
 * and those of other schemes than element() are passed over (XPointer Framework, 3.3). */
static u32 pointed(includer *x, const gx_doc *d, const char *pointer)
{
    u32 node = GX_NONE;
    const char *end;
    if (!strchr(pointer, '('))
        return strchr(pointer, '/') ? GX_NONE : element_at(d, pointer);
    for (const char *s = pointer; node == GX_NONE && *(s += strspn(s, " \t\r\n")); s = end + 1) {
        const size_t name = strcspn(s, "(");
        end = s[name] ? closing(s + name + 1) : NULL;
        if (!end)
            return GX_NONE;
        if (name == 7 && !memcmp(s, "element", 7))
            node = element_at(d, apr_pstrmemdup(x->pool, s + 8, (apr_size_t)(end - s - 8)));
    }
    return node;
}

/* A text file's n bytes as UTF-8: *bytes and *n become those in *out, which the caller frees, or stay where they are. A
 * byte order mark comes before what `encoding` says (NULL: UTF-8). 1; 0: they are no characters of XML (2.2) in that
 * encoding; -1: no memory. O(n). */
static int decode(const char *encoding, const char **bytes, size_t *n, gx_buf *out)
{
    if (*n >= 2 && (!memcmp(*bytes, "\xff\xfe", 2) || !memcmp(*bytes, "\xfe\xff", 2)))
        encoding = "UTF-16";
    else if (*n >= 3 && !memcmp(*bytes, "\xef\xbb\xbf", 3)) {
        *bytes += 3;
        *n -= 3;
        encoding = "UTF-8";
    }
    if (encoding && strcasecmp(encoding, "UTF-8") != 0) {
        iconv_t cd = gx_encoding_open(encoding);
        char *in = (char *)*bytes;
        size_t left = *n, rc = 0;
        if (cd == (iconv_t)-1)
            return 0;
        while (left) {
            if (gx_buf_room(out, 4096)) {
                iconv_close(cd);
                return -1;
            }
            char *to = out->at + out->n;
            size_t room = out->cap - out->n;
            rc = iconv(cd, &in, &left, &to, &room);
            out->n = (size_t)(to - out->at);
            if (rc == (size_t)-1 && room > 16)
                break;
        }
        iconv_close(cd);
        if (left)
            return 0;
        *bytes = out->at ? out->at : "";
        *n = out->n;
    }
    for (size_t i = 0; i < *n; ) {
        const u32 len = gx_xml_char(*bytes + i, *n - i);
        if (!len)
            return 0;
        i += len;
    }
    return 1;
}

/* parse="text": decoded and escaped. Bytes that are none of the encoding's characters are fatal. */
static gx_status include_text(includer *x, const source *s, u32 node, const char *href, const char *encoding,
                              const char *bytes, size_t n)
{
    gx_buf decoded = { 0 };
    gx_status status;
    const int is_text = decode(encoding, &bytes, &n, &decoded);
    if (is_text < 0)
        status = gx_fail(x->err, GX_ENOMEM, s->path, 0, 0, "out of memory");
    else if (is_text)
        status = put_escaped(x, bytes, n, 0);
    else
        status = fatal(x, s, node, href,
                       apr_psprintf(x->pool, "it is not text in the encoding %s", encoding ? encoding : "UTF-8"));
    gx_buf_free(&decoded);
    return status;
}

/* What of the document is pointed to comes in the place of the xi:include `node` of s. */
static gx_status include_nodes(includer *x, const source *s, u32 node, const place *at, const char *href,
                               const source *from)
{
    place here = *at;
    const u32 root = *from->pointer ? pointed(x, from->doc, from->pointer) : 0;
    if (root == GX_NONE)
        return fallback(x, s, node, at, href,
                        apr_psprintf(x->pool, "xpointer=\"%.100s\" finds nothing (#ID and element() are known)",
                                     from->pointer));
    for (const source *around = s; around; around = around->around)
        if (strcmp(around->path, from->path) == 0 && (!*around->pointer || strcmp(around->pointer, from->pointer) == 0)
            && around->doc != from->doc)
            return fatal(x, s, node, href, "it includes itself");
    here.base = strchr(href, '/') ? href : NULL;
    here.lang = language(x, s->doc, node);
    if (x->depth >= NESTING)
        return fatal(x, s, node, href, "inclusions within each other are too deep");
    x->depth++;
    gx_status status = root ? write_element(x, from, root, &here) : write_children(x, from, 0, &here);
    x->depth--;
    return status;
}

/* What a reference names, read */
typedef struct resource {
    const char *path;           /* a file's, or the URI of an answer */
    const char *charset;        /* of an answer, as its Content-Type has it; NULL = not known */
    const char *bytes;
    size_t n;
    int is_answer;
} resource;

/* parse="xml": parses the resource and writes what the pointer chooses. The chain of sources around it finds loops, by
 * path and pointer together. What this server answers is written by strangers perhaps: it includes answers only. */
static gx_status include_xml(includer *x, const source *s, u32 node, const place *at, const char *href,
                             const char *pointer, const resource *what)
{
    const char *path = what->path;
    gx_parse_options o = {.limits = &x->limits,
                          .file = path,
                          .base_uri = path,
                          .charset = what->charset,
                          .flags = GX_DOC_LINES,
                          .external = what->is_answer ? NULL : x->options->external,
                          .is_foreign = x->options->is_foreign,
                          .lenient = x->options->lenient,
                          .missing_is_empty = x->options->missing_is_empty,
                          .html_entities = x->options->html_entities,
                          .warning = x->options->warning,
                          .warning_ctx = x->options->warning_ctx};
    source from = { NULL, path, pointer, what->is_answer ? &x->answers : s->loader, s };
    gx_doc *doc;
    for (const source *around = s; around; around = around->around)
        if (strcmp(around->path, path) == 0 && strcmp(around->pointer, pointer) == 0)
            return fatal(x, s, node, href, "it includes itself");
    GX_TRY(time_left(x, &o.timeout_us, x->err));
    GX_TRY(gx_parse(x->parser, &o, what->bytes, what->n, &doc, x->err));
    from.doc = doc;
    gx_status status = include_nodes(x, s, node, at, href, &from);
    free(doc);
    return status;
}

/* Another element of the document itself */
static gx_status include_own(includer *x, const source *s, u32 node, const place *at, const char *pointer)
{
    u64 left_us;
    GX_TRY(time_left(x, &left_us, x->err));
    const source from = { s->doc, s->path, pointer, s->loader, s };
    const u32 root = pointed(x, s->doc, pointer);
    for (const source *around = s; around; around = around->around)
        if (around->doc == s->doc && strcmp(around->pointer, pointer) == 0)
            return fatal(x, s, node, pointer, "it includes itself");
    if (root != GX_NONE && root <= node && node < GX_DOC_COL(s->doc, u32, next)[root])
        return fatal(x, s, node, pointer, "it includes itself");
    return include_nodes(x, s, node, at, "", &from);
}

/* A reference as document() reads it: what this server answers, if it is the site's, else a file beneath the roots. */
static gx_status read_resource(includer *x, const gx_loader *loader, const char *href, const char *base, resource *what,
                               gx_error *err)
{
    memset(what, 0, sizeof *what);
    what->path = gx_load_site(loader, x->pool, href, base);
    what->is_answer = what->path != NULL;
    if (what->is_answer)
        return loader->fetch(loader->fetch_ctx, x->pool, what->path, &x->limits, &what->bytes, &what->n, &what->charset,
                             err);
    return gx_load(loader, x->pool, NULL, href, base, &x->limits, &what->path, &what->bytes, &what->n, err);
}

/* Reads a reference and includes it as XML or as text. A resource that cannot be read takes the fallback (GX_EIO);
 * every other error ends the document. */
static gx_status include_other(includer *x, const source *s, u32 node, const place *at, const char *href,
                               const char *pointer, int is_text)
{
    u64 left_us;
    gx_error why;
    resource what;
    memset(&why, 0, sizeof why);
    GX_TRY(time_left(x, &left_us, x->err));
    const gx_status status = read_resource(x, s->loader, href, base_of(x, s, node), &what, &why);
    if (status == GX_EIO)
        return fallback(x, s, node, at, href, why.text);
    if (status != GX_OK) {
        *x->err = why;
        return status;
    }
    x->n_read += what.n;
    if (x->n_read > x->limits.input)
        return fail_size(x, "the files that the document includes are");
    if (!is_text)
        return include_xml(x, s, node, at, href, pointer, &what);
    return include_text(x, s, node, href,       /* XInclude, 4.3: what the server says comes before the attribute */
                        what.charset ? what.charset : attribute(x->pool, s->doc, node, "", "encoding"), what.bytes,
                        what.n);
}

/* Not inlined: write_children and write_element, which call each other as deep as the document is, have none of this on
 * the stack. What is allocated on the way is freed behind it: a document may have very many. */
static __attribute__((noinline)) gx_status include(includer *x, const source *s, u32 node, const place *at)
{
    apr_pool_t *outer = x->pool;
    gx_status status;
    if (apr_pool_create(&x->pool, outer) != APR_SUCCESS) {
        x->pool = outer;
        return gx_fail(x->err, GX_ENOMEM, s->path, 0, 0, "out of memory");
    }
    const char *href = attribute(x->pool, s->doc, node, "", "href"),
               *parse = attribute(x->pool, s->doc, node, "", "parse");
    const char *pointer = attribute(x->pool, s->doc, node, "", "xpointer");
    const char *wrong = wrong_children(s->doc, node);
    const int is_text = parse && strcmp(parse, "text") == 0;
    href = href ? href : "";
    pointer = pointer ? pointer : "";
    if (wrong)
        status = fatal(x, s, node, href, wrong);
    else if (parse && !is_text && strcmp(parse, "xml") != 0)
        status = fatal(x, s, node, href, "parse must be \"xml\" or \"text\"");
    else if (is_text && *pointer)
        status = fatal(x, s, node, href, "parse=\"text\" has no xpointer");
    else if (strchr(href, '#'))
        status = fatal(x, s, node, href, "href has no fragment identifier: xpointer is for that");
    else if (!*href && (is_text || !*pointer))
        status = fatal(x, s, node, href, "it includes itself");
    else
        status = *href ? include_other(x, s, node, at, href, pointer, is_text) : include_own(x, s, node, at, pointer);
    apr_pool_destroy(x->pool);
    x->pool = outer;
    return status;
}

static gx_status fail_place(includer *x, const source *s, u32 node)
{
    return gx_fail(x->err, GX_EXML, s->path, line_of(s, node), column_of(s, node),
                   "xi:fallback must be a child of xi:include");
}

/* Children as XML; xi:include and its misplaced xi:fallback are met here. */
static gx_status write_children(includer *x, const source *s, u32 node, const place *at)
{
    const gx_doc *d = s->doc;
    const u32 *next = GX_DOC_COL(d, u32, next), *off = GX_DOC_COL(d, u32, text_off),
              *len = GX_DOC_COL(d, u32, text_len);
    const char *text = GX_DOC_COL(d, char, text), *values = GX_DOC_COL(d, char, values);
    for (u32 c = first_child(d, node); c < next[node]; c = next[c])
        switch (kind_of(d, c)) {
        case GX_KIND_TEXT:
            GX_TRY(put_escaped(x, text + off[c], len[c], 0));
            break;
        case GX_KIND_COMMENT:
            GX_TRY(put_string(x, "<!--"));
            GX_TRY(put(x, values + off[c], len[c]));
            GX_TRY(put_string(x, "-->"));
            break;
        case GX_KIND_PI:
            GX_TRY(put_string(x, "<?"));
            GX_TRY(put_name(x, d, c));
            GX_TRY(put_string(x, " "));
            GX_TRY(put(x, values + off[c], len[c]));
            GX_TRY(put_string(x, "?>"));
            break;
        default:
            GX_TRY(is_element(d, c, "include")    ? include(x, s, c, at)
                   : is_element(d, c, "fallback") ? fail_place(x, s, c)
                                                  : write_element(x, s, c, at));
        }
    return GX_OK;
}

/* What was written becomes the document. */
static gx_status parse_again(includer *x, gx_parser *parser, gx_doc **made)
{
    gx_parse_options again = *x->options;
    gx_status status;
    GX_TRY(time_left(x, &again.timeout_us, x->err));
    again.charset = "UTF-8";
    again.no_doctype = 0;
    again.flags &= ~(u32)GX_DOC_LINES;
    again.is_read = NULL;                   /* nor is this the caller's source */
    again.warning = NULL;                   /* it was told when each of its parts was parsed */
    status = gx_parse(parser, &again, x->out.at ? x->out.at : "", x->out.n, made, x->err);
    if (status == GX_ELIMIT)                /* nobody has the text that line and column are of */
        x->err->line = x->err->column = 0;
    return status;
}

/* What references in the source are relative to */
static const char *path_of_source(includer *x, const gx_loader *loader)
{
    const gx_parse_options *o = x->options;
    const char *uri = o->base_uri && *o->base_uri ? o->base_uri : NULL;
    const char *path = o->external_base && !(uri && gx_load_site(loader, x->pool, "", uri)) ? o->external_base : uri;
    return path ? path : o->file ? o->file : "";
}

/* *doc := the document with everything included, if it includes anything: the old block is freed, or left to the
 * caller's allocator. sees: is told the bytes that the new block was parsed of. On failure there is no document. */
gx_status gx_xinclude(gx_parser *parser, const gx_parse_options *options, const gx_loader *loader, gx_doc **doc,
                      void (*sees)(void *ctx, const void *bytes, size_t n), void *ctx, gx_error *err)
{
    includer x = { .options = options, .err = err };
    const place at = { *doc, GX_NONE, NULL, NULL };
    gx_doc *made = NULL;
    if (!gx_xinclude_wanted(*doc))
        return GX_OK;
    if (options->limits)
        x.limits = *options->limits;
    gx_limits_default(&x.limits);
    x.answers = gx_load_answers(loader);
    x.deadline_us = options->timeout_us ? gx_now_us() + options->timeout_us : 0;
    if (apr_pool_create(&x.pool, NULL) != APR_SUCCESS)
        return gx_fail(err, GX_ENOMEM, options->file, 0, 0, "out of memory");
    const source s = { *doc, path_of_source(&x, loader), "", loader, NULL };
    gx_status status = gx_parser_create(&x.parser, err);
    if (status == GX_OK) {
        status = write_children(&x, &s, 0, &at);
        gx_parser_free(x.parser);
    }
    apr_pool_destroy(x.pool);
    if (!options->alloc) {
        free(*doc);
        *doc = NULL;
    }
    if (status == GX_OK && (status = parse_again(&x, parser, &made)) == GX_OK) {
        *doc = made;
        if (sees)
            sees(ctx, x.out.at, x.out.n);
    }
    gx_buf_free(&x.out);
    return status;
}
