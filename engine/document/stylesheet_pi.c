/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stylesheet_pi.c -- <?xml-stylesheet?>, by which a document names its stylesheet ("Associating Style Sheets with XML
 * documents")
 */
#include <string.h>
#include <apr_strings.h>
#include "doc.h"
#include "gx.h"
#include "machine/text.h"

/* The character that the reference at the ampersand means (XML 1.0, 4.1 and 4.6), *len bytes long with its semicolon;
 * 0: it is none. Reads no further than the reference goes, so that a value of ampersands costs no more than its
 * length. */
static u32 referenced(const char *at, const char *end, size_t *len)
{
    static const struct { const char *ref; char c; } refs[] = { { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' },
                                                                { "&quot;", '"' }, { "&apos;", '\'' } };
    const char *const begin = at;
    u32 code = 0, base = 10;
    for (size_t k = 0; k < sizeof refs / sizeof *refs; k++) {
        *len = strlen(refs[k].ref);
        if ((size_t)(end - at) >= *len && memcmp(at, refs[k].ref, *len) == 0)
            return (u8)refs[k].c;
    }
    if (end - at < 4 || *++at != '#')
        return 0;
    if (*++at == 'x') {
        base = 16;
        at++;
    }
    for (; at < end && *at != ';'; at++) {
        const char letter = (char)(*at | 0x20);
        const u32 digit = *at >= '0' && *at <= '9' ? (u32)(*at - '0')
            : letter >= 'a' && letter <= 'f'       ? (u32)(letter - 'a' + 10)
                                                   : base;
        if (digit >= base)
            return 0;
        code = code < 0x110000 ? code * base + digit : code;
    }
    *len = (size_t)(at + 1 - begin);
    return at < end && gx_is_xml_char(code) ? code : 0;
}

/* A pseudo-attribute's value, up to `end`, with its references resolved, in pool; what is no reference stays. O(its
 * length). */
static char *resolve(apr_pool_t *pool, const char *value, const char *end)
{
    char *out = apr_palloc(pool, (apr_size_t)(end - value) + 1), *to = out;
    while (value < end) {
        size_t len;
        const u32 code = *value == '&' ? referenced(value, end, &len) : 0;
        if (code) {
            to += gx_utf8_encode(code, to);     /* shorter than the reference */
            value += len;
        } else
            *to++ = *value++;
    }
    *to = 0;
    return out;
}

/* The value of a pseudo-attribute of an instruction's data, n bytes, in pool. NULL: it is not there, or what stands
 * before it is not name="value". The first of two counts. */
static char *pseudo_attribute(apr_pool_t *pool, const char *data, size_t n, const char *name)
{
    const char *at = data, *end = data + n;
    while (at < end) {
        while (at < end && gx_is_space(*at))
            at++;
        const char *start = at;
        while (at < end && *at != '=' && !gx_is_space(*at))
            at++;
        const size_t len = (size_t)(at - start);
        while (at < end && (gx_is_space(*at) || *at == '='))
            at++;
        const char *close =
            at < end && (*at == '"' || *at == '\'') ? memchr(at + 1, *at, (size_t)(end - at - 1)) : NULL;
        if (!close)
            return NULL;
        if (len == strlen(name) && memcmp(start, name, len) == 0)
            return resolve(pool, at + 1, close);
        at = close + 1;
    }
    return NULL;
}

/* Its parameters are of no concern. */
static int is_xslt(const char *type)
{
    static const char *const types[] = { "text/xsl", "text/xslt", "application/xslt+xml", "text/xml",
                                         "application/xml" };
    size_t n = strcspn(type, "; \t");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i]) == n && !strncasecmp(type, types[i], n))
            return 1;
    return 0;
}

/* What keeps an instruction from naming a stylesheet for us; NULL: it names one, or one of CSS, which is for others. */
static const char *unusable(apr_pool_t *pool, const char *type, const char *href)
{
    if (!type)
        return "it has no type (text/xsl)";
    if (strncasecmp(type, "text/css", 8) == 0)
        return NULL;
    if (!is_xslt(type))
        return apr_psprintf(pool, "its type is \"%.100s\", not text/xsl", type);
    return href ? NULL : "it has no href";
}

/* Associating Style Sheets with XML documents: the instructions before the document element, in order. The first that
 * names a stylesheet of XSLT and is no alternative counts, else the first alternative. Its href as it is written, in
 * pool, or NULL; *why (NULL: nobody asks): what keeps the first other instruction from being one, unless it is for
 * CSS. */
const char *gx_doc_stylesheet(const gx_doc *doc, apr_pool_t *pool, const char **why)
{
    static const char target[] = "xml-stylesheet";
    const u32 *label = GX_DOC_COL(doc, u32, label), *next = GX_DOC_COL(doc, u32, next);
    const u32 *off = GX_DOC_COL(doc, u32, text_off), *len = GX_DOC_COL(doc, u32, text_len);
    const gx_label_info *labels = GX_DOC_COL(doc, gx_label_info, labels);
    const char *strs = GX_DOC_COL(doc, char, strs), *values = GX_DOC_COL(doc, char, values), *alternative = NULL,
               *reason = NULL;
    if (why)
        *why = NULL;
    for (u32 n = 1; n < doc->n_nodes && GX_LABEL_KIND(label[n]) != GX_KIND_ELEM; n = next[n]) {
        const gx_label_info *info = &labels[GX_LABEL_ID(label[n])];
        if (GX_LABEL_KIND(label[n]) != GX_KIND_PI || info->local_len != sizeof target - 1
            || memcmp(strs + info->local, target, sizeof target - 1) != 0)
            continue;
        const char *type = pseudo_attribute(pool, values + off[n], len[n], "type");
        const char *href = pseudo_attribute(pool, values + off[n], len[n], "href");
        const char *alternate = pseudo_attribute(pool, values + off[n], len[n], "alternate");
        if (!type || !href || !is_xslt(type)) {
            reason = reason ? reason : unusable(pool, type, href);
            continue;
        }
        if (!alternate || strcmp(alternate, "yes") != 0)
            return href;
        if (!alternative)                                   /* for who asks for it; the only choice where there is no
                                                               other */
            alternative = href;
    }
    if (why)
        *why = alternative ? NULL : reason;
    return alternative;
}
