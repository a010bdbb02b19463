/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diagnose.c -- what is wrong with a document, in words for who wrote it
 *
 * A parser says where it stopped and by which rule; Expat has one sentence, "not well-formed (invalid token)", for
 * twenty different slips. Here the bytes around the place tell which one it is: the byte itself (no UTF-8, a control
 * character), then the token that it stands in, which begins at the last '<' or '&' before it.
 *
 * Bytes are whatever somebody sent: nothing is written into a sentence but names, and single characters that can be
 * printed.
 */
#define XML_DTD
#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "diagnose.h"
#include "entities.h"
#include "gx.h"
#include "machine/text.h"

#define NAME_BYTES 60           /* of a name in a sentence */
#define BACK 4096               /* bytes looked back for the token's beginning */

typedef struct text { char *at; size_t size; const gx_diagnosis *d; } text;

static void say(text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends to the sentence, which is cut where the caller's room ends. */
static void say(text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(t->at, t->size, fmt, args);
    va_end(args);
    const size_t used = n < 0 ? 0 : (size_t)n < t->size ? (size_t)n : t->size - 1;
    t->at += used;
    t->size -= used;
}

static int peek(const gx_diagnosis *d, size_t i) { return i < d->n ? (u8)d->bytes[i] : -1; }
static int is_name_byte(int c)
{
    return c >= 0x80 || ((c | 32) >= 'a' && (c | 32) <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == ':'
        || c == '-' || c == '.';
}
static int is_name_start(int c) { return is_name_byte(c) && c != '-' && c != '.' && !(c >= '0' && c <= '9'); }
static int starts(const gx_diagnosis *d, size_t i, const char *s)
{
    return i <= d->n && d->n - i >= strlen(s) && !memcmp(d->bytes + i, s, strlen(s));
}

/* Bytes of the name at i, up to NAME_BYTES and whole characters. */
static u32 name_length(const gx_diagnosis *d, size_t i)
{
    u32 n = 0;
    while (n < NAME_BYTES && is_name_byte(peek(d, i + n)))
        n++;
    if (n == NAME_BYTES && d->is_utf8)          /* not half a character */
        while (n && (peek(d, i + n) & 0xc0) == 0x80)
            n--;
    return n;
}

/* The character at bytes[i]: itself if ASCII can print it, else its number, so that no log's line is broken. */
static void say_character(text *t, size_t i)
{
    if (i >= t->d->n) {
        say(t, "nothing");
        return;
    }
    u32 c = (u8)t->d->bytes[i];
    if (c >= 0x80 && t->d->is_utf8)
        gx_utf8_decode(t->d->bytes + i, (u32)(t->d->n - i < 4 ? t->d->n - i : 4), &c);
    if (c > 0x20 && c < 0x7f)
        say(t, "'%c'", (char)c);
    else if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
        say(t, "white space");
    else
        say(t, "U+%04X", c);
}

/* Says what is wrong with the byte where the parser stands, if it is the byte: a control character, no UTF-8 (then
 * which encoding it may be: bytes 0x80 to 0x9f are letters in windows-1252 only), a surrogate, U+FFFE. 0: nothing is,
 * and nothing has been said. */
static int diagnose_byte(text *t)
{
    const gx_diagnosis *d = t->d;
    const int c = peek(d, d->at);
    if (c < 0)
        return 0;
    if (c == 0)
        say(t, "a byte 0x00, which no text in UTF-8 has; is the document UTF-16 without a byte order mark?");
    else if (c < 0x20 && c != '\n' && c != '\t' && c != '\r')
        say(t, "the control character U+%04X is not allowed in XML", (u32)c);
    else if (c >= 0x80 && d->is_ascii) {
        say(t, "byte 0x%02X is not ASCII; is the document %s?", (u32)c,
            gx_xml_char(d->bytes + d->at, d->n - d->at) ? "UTF-8" : c < 0xa0 ? "windows-1252" : "ISO-8859-1");
        if (d->charset)
            say(t, " (Content-Type says %.40s, which counts)", d->charset);
        else
            say(t, " (it declares us-ascii)");
    } else if (c >= 0x80 && d->is_utf8 && !gx_xml_char(d->bytes + d->at, d->n - d->at)) {
        u32 code = 0;
        if (starts(d, d->at, "\xef\xbf\xbe") || starts(d, d->at, "\xef\xbf\xbf")
            || (c == 0xed && (peek(d, d->at + 1) & 0xe0) == 0xa0))
            gx_utf8_decode(d->bytes + d->at, d->n - d->at < 3 ? (u32)(d->n - d->at) : 3, &code);
        if (c == 0xef && code)
            say(t, "U+%04X is no character of XML", code);
        else if (c == 0xed && code)
            say(t, "half a character of UTF-16 (a surrogate) in UTF-8");
        else if ((c == 0xff || c == 0xfe) && d->at == 0 && d->is_start)
            say(t, "byte 0x%02X is not UTF-8; is the document UTF-16?", (u32)c);
        else
            say(t, "byte 0x%02X is not UTF-8; is the document %s?", (u32)c, c < 0xa0 ? "windows-1252" : "ISO-8859-1");
        if (d->overridden && *d->overridden)
            say(t, " (it declares %.40s, but Content-Type says %.40s, which counts)", d->overridden, d->charset);
    } else
        return 0;
    return 1;
}

/* The last '<', '&' or '>' before bytes[at], at most BACK before it, and which one, in *what; n: there is none. */
static size_t token_start(const gx_diagnosis *d, char *what)
{
    for (size_t i = d->at, steps = 0; i > 0 && steps < BACK; steps++) {
        const char c = d->bytes[--i];
        if (c == '<' || c == '&' || c == '>') {
            *what = c;
            return i;
        }
    }
    return d->n;
}

/* bytes[from] is an '&', or behind it stands what is no reference. */
static void diagnose_reference(text *t, size_t from)
{
    const gx_diagnosis *d = t->d;
    const u32 name = name_length(d, from + 1);
    if (peek(d, from + 1) == '#') {
        const u32 digits = name_length(d, from + 2);
        say(t, "\"&#%.*s\" is no reference to a character: write &#160; or &#xA0;", (int)digits, d->bytes + from + 2);
    } else if (!name || !is_name_start(peek(d, from + 1)))
        say(t, "'&' is not followed by a name; write &amp;");
    else
        say(t, "the reference \"&%.*s\" is not ended by ';'; if the '&' is only a character, write &amp;", (int)name,
            d->bytes + from + 1);
}

/* Says what is wrong with the start tag (XML 1.0, 3.1) whose '<' is bytes[from]. Its attributes are read again up to
 * where the parser stands: that is behind the last one that is right. O(bytes of the tag up to there). */
static void diagnose_tag(text *t, size_t from)
{
    const gx_diagnosis *d = t->d;
    const u32 element = name_length(d, from + 1);
    size_t i = from + 1 + element, name = 0;
    u32 len = 0;
    while (i < d->at) {
        while (i < d->at && gx_is_space(d->bytes[i]))
            i++;
        name = i;
        len = name_length(d, i);
        i += len;
        while (i < d->at && gx_is_space(d->bytes[i]))
            i++;
        if (!len || i >= d->at || d->bytes[i] != '=')
            break;
        for (i++; i < d->at && gx_is_space(d->bytes[i]); i++)
            ;
        if (i >= d->at) {
            say(t, "the value of the attribute \"%.*s\" is not in quotes", (int)len, d->bytes + name);
            return;
        }
        const char *quote = memchr(d->bytes + i + 1, d->bytes[i], d->at - i - 1);
        if (!quote) {
            if (peek(d, d->at) == '<')
                say(t,
                    "'<' is not allowed in the value of the attribute \"%.*s\"; write &lt; (or is its quote not "
                    "closed?)",
                    (int)len, d->bytes + name);
            else
                say(t, "the value of the attribute \"%.*s\" is malformed", (int)len, d->bytes + name);
            return;
        }
        i = (size_t)(quote - d->bytes) + 1;
        if (i == d->at && is_name_byte(peek(d, i))) {
            say(t, "white space is missing behind the value of the attribute \"%.*s\"", (int)len, d->bytes + name);
            return;
        }
        len = 0;
    }
    if (d->at && d->bytes[d->at - 1] == '/')
        say(t, "the '/' in the tag of \"%.*s\" is not followed by '>'", (int)element, d->bytes + from + 1);
    else if (len && name != d->at && peek(d, d->at) != '=')
        say(t, "the attribute \"%.*s\" has no value: write %.*s=\"...\"", (int)len, d->bytes + name, (int)len,
            d->bytes + name);
    else {
        say(t, "the tag of \"%.*s\" goes on with ", (int)element, d->bytes + from + 1);
        say_character(t, d->at);
        say(t, ", where an attribute, '>' or \"/>\" is expected");
    }
}

/* Is bytes[at] within the quotes of an attribute? The '<' of its tag; n: it is not */
static size_t unclosed_value(const gx_diagnosis *d)
{
    size_t from = d->at;
    while (from > 0 && d->at - from < BACK && d->bytes[from - 1] != '<')
        from--;
    if (from == 0 || d->bytes[from - 1] != '<' || !is_name_start(peek(d, from)))
        return d->n;
    char quote = 0;
    for (size_t i = from; i < d->at; i++) {
        const char c = d->bytes[i];
        if (!quote && c == '>')
            return d->n;
        if (!quote ? (c == '"' || c == '\'') && d->bytes[i - 1] == '=' : c == quote)
            quote = quote ? 0 : c;
    }
    return quote ? from - 1 : d->n;
}

/* What comes where a document must begin: text before the XML declaration, or before the document element. */
static void diagnose_syntax(text *t)
{
    const gx_diagnosis *d = t->d;
    if (d->is_dtd)
        say(t, "syntax error in the document type declaration");
    else if (!d->has_root && peek(d, d->at) >= 0) {
        size_t i = d->at;
        while (i < d->n && d->n - i >= 5 && i < d->at + BACK && memcmp(d->bytes + i, "<?xml", 5))
            i++;
        if (starts(d, i, "<?xml"))
            say(t, "text before the XML declaration");
        else
            say(t, "text before the document element: is this XML?");
    } else
        say(t, "syntax error");
}

/* The token in which an invalid one was met, in the order of what is likeliest: a value that was not closed, a
 * reference behind the end, a reference, "]]>" in text, then by the bytes that the token begins with. Looks back for
 * the last '<' or '&', at most BACK bytes. */
static void diagnose_token(text *t)
{
    const gx_diagnosis *d = t->d;
    char what = 0;
    const int c = peek(d, d->at);
    size_t from;
    if (c == '<' && (from = unclosed_value(d)) != d->n) {
        diagnose_tag(t, from);
        return;
    }
    if (!d->is_dtd && !d->open && d->has_root && (c == '&' || token_start(d, &what) < d->n)
        && (c == '&' || what == '&')) {
        say(t, "a reference behind the document element");
        return;
    }
    if (c == '&' || (d->at && d->bytes[d->at - 1] == '&')) {
        diagnose_reference(t, c == '&' ? d->at : d->at - 1);
        return;
    }
    for (size_t k = 0; k < 3 && k <= d->at; k++)
        if (starts(d, d->at - k, "]]>")) {
            say(t, "\"]]>\" is not allowed in text; write ]]&gt;");
            return;
        }
    from = token_start(d, &what);
    if (from == d->n || what == '>') {
        if (!d->has_root && !d->is_dtd) {
            diagnose_syntax(t);
            return;
        }
        say_character(t, d->at);
        say(t, " is not allowed here");
    } else if (what == '&')
        diagnose_reference(t, from);
    else if (starts(d, from, "<!--"))
        say(t, "\"--\" is not allowed within a comment");
    else if (starts(d, from, "<![") && !d->is_dtd)
        say(t, "\"<![\" does not begin a CDATA section: write <![CDATA[");
    else if (starts(d, from, "<!") && d->has_root)
        say(t, "\"<!\" begins neither a comment (<!--) nor a CDATA section (<![CDATA[); for a '<' write &lt;");
    else if (starts(d, from, "<!"))
        say(t, "a declaration is malformed");
    else if (starts(d, from, "<?")) {
        if (name_length(d, from + 2) == 3 && strncasecmp(d->bytes + from + 2, "xml", 3) == 0)
            say(t, "a processing instruction cannot have the name \"%.3s\": it is reserved", d->bytes + from + 2);
        else
            say(t, "%s",
                is_name_start(peek(d, from + 2)) ? "the processing instruction is malformed"
                                                 : "\"<?\" is not followed by a name");
    } else if (starts(d, from, "</")) {
        if (d->has_root && !d->open)
            say(t, "an end tag behind the document element, which is closed already");
        else if (!is_name_start(peek(d, from + 2)))
            say(t, "\"</\" is not followed by a name");
        else
            say(t, "the end tag \"</%.*s\" goes on where '>' is expected", (int)name_length(d, from + 2),
                d->bytes + from + 2);
    } else if (!is_name_start(peek(d, from + 1)))
        say(t, "'<' is not followed by a name; write &lt;");
    else
        diagnose_tag(t, from);
}

/* The document ends, or goes on, where the token that it stands in does not. */
static void diagnose_unclosed(text *t)
{
    const gx_diagnosis *d = t->d;
    const char *token = "a token";
    char what = 0;
    size_t from = peek(d, d->at) == '<' || peek(d, d->at) == '&' ? d->at : token_start(d, &what);
    if (from < d->n)
        token = d->bytes[from] == '&'      ? "a reference"
            : starts(d, from, "<!--")      ? "a comment"
            : starts(d, from, "<![CDATA[") ? "a CDATA section"
            : starts(d, from, "<?")        ? "a processing instruction"
            : starts(d, from, "</")        ? "an end tag"
            : starts(d, from, "<!")        ? "a declaration"
                                           : "a tag";
    say(t, "unclosed token: the document ends within %s that begins here", token);
}

/* "<?xml" that is not at the document's beginning (XML 1.0, 2.8): what stands before it? */
static void diagnose_xml_pi(text *t)
{
    const gx_diagnosis *d = t->d;
    size_t i = 0;
    while (i < d->at && gx_is_space(d->bytes[i]))
        i++;
    if (d->is_start && i == d->at && !d->has_root)
        say(t, "white space before the XML declaration: it must be the first thing in the document");
    else if (!d->has_root)
        say(t, "text before the XML declaration: it must be the first thing in the document");
    else
        say(t, "an XML declaration (\"<?xml\") within the document: it may stand at the beginning only");
}

/* An end tag of another name than the element's that is open, with the line where that began. */
static void diagnose_mismatch(text *t)
{
    const gx_diagnosis *d = t->d;
    const size_t at = starts(d, d->at, "</") ? d->at + 2 : d->at;
    const u32 len = d->bytes ? name_length(d, at) : 0;
    say(t, "mismatched tag: ");
    if (len)
        say(t, "</%.*s> ", (int)len, d->bytes + at);
    say(t, "where the element \"%.*s\" is open", (int)gx_diagnosis_cut(d->open, d->open_len, NAME_BYTES), d->open);
    if (d->open_line)
        say(t, ", since line %u", d->open_line);
}

static int is_predefined(const char *name, u32 len)
{
    static const char *const names[] = { "amp", "lt", "gt", "quot", "apos" };
    for (size_t i = 0; i < 5; i++)
        if (strlen(names[i]) == len && !memcmp(names[i], name, len))
            return 1;
    return 0;
}

/* The name of an entity that is not declared, and what to write in its place. Expat stands at the tag if it is in an
 * attribute's value: the first reference there that is not XML's own. */
static void diagnose_entity(text *t)
{
    const gx_diagnosis *d = t->d;
    u32 code, len = 0;
    size_t at = d->at;
    say(t, "undefined entity");
    /* for an attribute's value the parser stands at its tag: the first that XML itself does not have */
    for (; at < d->n && d->bytes[at] != '>' && !len; at++) {
        len = d->bytes[at] == '&' && is_name_start(peek(d, at + 1)) ? name_length(d, at + 1) : 0;
        if (len && (peek(d, at + 1 + len) != ';' || (peek(d, d->at) != '&' && is_predefined(d->bytes + at + 1, len))))
            len = 0;
        if (peek(d, d->at) == '&')
            break;
    }
    if (!len)
        return;
    const char *name = d->bytes + at - (peek(d, d->at) != '&') + 1;
    say(t, " at &%.*s;", (int)len, name);
    if (gx_entities_code(name, len, &code))
        say(t, ": write &#%u;, or allow HTML's entities (GPUXMLDTD entities=html, gpuxslt --html-entities)", code);
    else
        say(t, ": declare it, or write &amp; for a '&'");
}

/* The sentence for one error of a parser's, by its code, out of the bytes around the place where they are known; else
 * Expat's own. At most `size` bytes with the end. Bounded work whatever the document: names up to NAME_BYTES, BACK
 * bytes backwards. */
void gx_diagnose(const gx_diagnosis *d, char *out, size_t size)
{
    text t = { out, size, d };
    const int known = d->bytes != NULL;
    const u32 name = known ? name_length(d, d->at) : 0;
    switch (d->code) {
    case XML_ERROR_INVALID_TOKEN:
        if (known && (diagnose_byte(&t) || (diagnose_token(&t), 1)))
            return;
        break;
    case XML_ERROR_PARTIAL_CHAR:
        say(&t, "the document ends within a character");
        return;
    case XML_ERROR_UNCLOSED_TOKEN:
        if (known) {
            diagnose_unclosed(&t);
            return;
        }
        break;
    case XML_ERROR_SYNTAX:
        if (known && (diagnose_byte(&t) || (diagnose_syntax(&t), 1)))
            return;
        break;
    case XML_ERROR_MISPLACED_XML_PI:
        if (known) {
            diagnose_xml_pi(&t);
            return;
        }
        break;
    case XML_ERROR_TAG_MISMATCH:
        if (d->open) {
            diagnose_mismatch(&t);
            return;
        }
        break;
    case XML_ERROR_NO_ELEMENTS:
        if (d->open) {
            say(&t, "the document ends within an element: \"%.*s\"",
                (int)gx_diagnosis_cut(d->open, d->open_len, NAME_BYTES), d->open);
            if (d->open_line)
                say(&t, " of line %u", d->open_line);
            say(&t, " is not closed");
        } else
            say(&t, "no element found: the document %s", d->n ? "has no document element" : "is empty");
        return;
    case XML_ERROR_DUPLICATE_ATTRIBUTE:
        if (name) {
            say(&t, "duplicate attribute: \"%.*s\" occurs twice", (int)name, d->bytes + d->at);
            return;
        }
        break;
    case XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
        if (known && diagnose_byte(&t))
            return;
        if (peek(d, d->at) == '<' && is_name_start(peek(d, d->at + 1)))
            say(&t, "a second document element, \"%.*s\": there may be only one", (int)name_length(d, d->at + 1),
                d->bytes + d->at + 1);
        else if (known && starts(d, d->at, "</"))
            say(&t, "an end tag behind the document element, which is closed already");
        else
            say(&t, "text behind the document element");
        return;
    case XML_ERROR_UNDEFINED_ENTITY:
        diagnose_entity(&t);
        return;
    case XML_ERROR_BAD_CHAR_REF:
        if (peek(d, d->at) == '&' && peek(d, d->at + 1) == '#') {
            say(&t, "the reference &#%.*s; is to no character of XML", (int)name_length(d, d->at + 2),
                d->bytes + d->at + 2);
            return;
        }
        break;
    case XML_ERROR_UNCLOSED_CDATA_SECTION:
        say(&t, "the document ends within a CDATA section");
        return;
    case XML_ERROR_XML_DECL:
        say(&t, "the XML declaration is malformed: <?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        return;
    default:
        break;
    }
    say(&t, "%s", XML_ErrorString((enum XML_Error)d->code));
}
