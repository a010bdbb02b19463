/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes_token.h -- tags, comments and processing instructions, a member each
 *
 *   <a b="1" c='2'>      kind START, name 1 + 1, attributes first_attr[m] .. first_attr[m + 1] - 1
 *
 * gx_bytes_marks has counted them, so each member knows where its token's attributes go.
 */
#ifndef GX_BYTES_TOKEN_H
#define GX_BYTES_TOKEN_H

#include "bytes_strings.h"
#include "name_chars.h"

/* Where the Name ends that begins at i (XML 1.0, fifth edition, 2.3); i: none does */
GX_OP u32 gx_bytes_name(const gx_bytes *b, u32 i)
{
    const u32 from = i;
    while (i < b->n) {
        const u32 c = b->s[i];
        u32 code, len = 1;
        if (c >= 0x80) {
            len = gx_utf8_decode((const char *)b->s + i, b->n - i, &code);
            if (!(i == from ? gx_is_name_start(code) : gx_is_name_char(code)))
                break;
        } else if (!((c | 32) - 'a' < 26u || c == '_' || c == ':'
                     || (i > from && (c - '0' < 10u || c == '-' || c == '.'))))
            break;
        i += len;
    }
    return i;
}
GX_OP u32 gx_bytes_blanks(const gx_bytes *b, u32 i)
{
    while (i < b->n && gx_bytes_is_blank(b->s[i]))
        i++;
    return i;
}

/* name="value" at i, behind white space: *value and *len; what is behind it, or 0 */
GX_OP u32 gx_bytes_pseudo(const gx_bytes *b, u32 i, const char *name, u32 name_len, u32 *value, u32 *len)
{
    u32 at = gx_bytes_blanks(b, i);
    if (at == i || !gx_bytes_are(b, at, name, name_len))
        return 0;
    at = gx_bytes_blanks(b, at + name_len);
    if (gx_bytes_at(b, at) != '=')
        return 0;
    at = gx_bytes_blanks(b, at + 1);
    const u32 quote = gx_bytes_at(b, at);
    if (quote != '"' && quote != '\'')
        return 0;
    *value = ++at;
    while (at < b->n && b->s[at] != quote && at - *value < 40)
        at++;
    *len = at - *value;
    return gx_bytes_at(b, at) == quote ? at + 1 : 0;
}

/* b->from: behind a byte order mark and the XML declaration, which may say UTF-8 (XML 1.0, 2.8). Is it another one? */
GX_OP_BIG int gx_bytes_declaration(gx_bytes *b)
{
    u32 at = gx_bytes_are(b, 0, "\xef\xbb\xbf", 3) ? 3 : 0, value, len, next;

    b->from = at;
    if (!gx_bytes_are(b, at, "<?xml", 5) || !gx_bytes_is_blank(gx_bytes_at(b, at + 5)))
        return 0;
    next = gx_bytes_pseudo(b, at + 5, "version", 7, &value, &len);
    if (!next || !(gx_bytes_are(b, value, "1.0", 3) && len == 3))
        return 1;
    at = next;
    next = gx_bytes_pseudo(b, at, "encoding", 8, &value, &len);
    if (next) {
        const char name[] = "utf-8";
        if (len != 5)
            return 1;
        for (u32 i = 0; i < 5; i++)
            if ((b->s[value + i] | (i == 3 || i == 4 ? 0 : 32)) != (u8)name[i])
                return 1;
        at = next;
    }
    next = gx_bytes_pseudo(b, at, "standalone", 10, &value, &len);
    if (next) {
        if (!(len == 3 && gx_bytes_are(b, value, "yes", 3)) && !(len == 2 && gx_bytes_are(b, value, "no", 2)))
            return 1;
        at = next;
    }
    at = gx_bytes_blanks(b, at);
    b->from = at + 2;
    return !gx_bytes_are(b, at, "?>", 2);
}

/* An attribute's value from..to, normalised (XML 1.0, 3.3.3), to out; returns how many bytes */
GX_OP_BIG u32 gx_bytes_value(const gx_bytes *b, u32 from, u32 to, char *out)
{
    u32 n = 0;
    for (u32 i = from; i < to; ) {
        const u32 c = b->s[i];
        char bytes[4] = { (char)c };
        u32 len = 1;
        if (c == '&')
            len = gx_bytes_reference(b, i, &i, bytes);
        else if (gx_bytes_is_blank(c)) {
            bytes[0] = ' ';
            i += c == '\r' && b->s[i + 1] == '\n' ? 2 : 1;
        } else
            i++;
        for (u32 k = 0; k < len; k++)
            out[n++] = bytes[k];
    }
    return n;
}

/* From i on, by the word: the first byte that is the quote, '<', '&', a control or not ASCII; at most b->n */
GX_OP u32 gx_bytes_plain(const gx_bytes *b, u32 i, u32 quote)
{
    while (i < b->n) {
        const u32 x = gx_word_at(b->s, i, b->n), stop = gx_word_controls(x) | (x & 0x80808080u)
            | gx_word_is(x, 0xff, quote) | gx_word_is(x, 0xff, '<') | gx_word_is(x, 0xff, '&');
        if (stop) {
            i += gx_bits_first(stop) / 8;
            break;
        }
        i += 4;
    }
    return i < b->n ? i : b->n;
}

/* An attribute's value, which begins at i: where it ends. *size: its bytes when it is normalised; *flags: ATTR_WORK,
 * ATTR_WIDE. 0: wrong */
GX_OP u32 gx_bytes_value_end(const gx_bytes *b, u32 i, u32 quote, u32 *size, u32 *flags)
{
    const u32 from = i;
    char any[4];

    *size = *flags = 0;
    for (;;) {
        const u32 at = gx_bytes_plain(b, i, quote), x = gx_bytes_at(b, at);
        *size += at - i;
        i = at;
        if (at >= b->n || x == '<' || at - from > GX_BYTES_TOKEN)
            return 0;
        if (x == quote)
            return at;
        u32 len = 1;
        if (x == '&') {
            len = gx_bytes_reference(b, at, &i, any);
            if (!len)
                return 0;
            *flags |= GX_ATTR_WORK | (len > 1 ? GX_ATTR_WIDE : 0);
        } else {
            *flags |= x < ' ' ? GX_ATTR_WORK : GX_ATTR_WIDE;
            i += x == '\r' && gx_bytes_at(b, at + 1) == '\n' ? 2 : 1;
        }
        *size += len;
    }
}

/* The characters of a comment or processing instruction, whose line ends become LF */
GX_OP_BIG u32 gx_bytes_lines(const gx_bytes *b, u32 from, u32 to, char *out, u32 *wide)
{
    u32 n = 0;
    for (u32 i = from; i < to; i++) {
        const u32 c = b->s[i];
        if (c == '\n' && i > from && b->s[i - 1] == '\r')
            continue;
        *wide |= c & 0x80u;
        if (out)
            out[n] = (char)(c == '\r' ? '\n' : c);
        n++;
    }
    return n;
}

/* Where a comment's or processing instruction's characters are */
GX_OP void gx_bytes_content(const gx_bytes *b, u32 m, u32 *from, u32 *to)
{
    const int is_pi = (b->kind[m] & GX_TOKEN_KIND) == GX_TOKEN_PI;
    *from = is_pi ? gx_bytes_blanks(b, b->at[m] + 2 + b->name_len[m]) : b->at[m] + 4;
    *to = b->end[m] - (is_pi ? 2 : 3);
    if (*from > *to)
        *from = *to;
}

/* Is the attribute's name xmlns, or xmlns:p? */
GX_OP int gx_bytes_declares(const gx_bytes *b, u32 name, u32 len)
{
    return len >= 5 && gx_bytes_are(b, name, "xmlns", 5) && (len == 5 || b->s[name + 5] == ':');
}

/* Names in Namespaces 3: may this prefix be declared so? (xmlns:xml is the scanner's) */
GX_OP int gx_bytes_may_declare(const gx_bytes *b, u32 k)
{
    const u32 prefix = b->attr_name[k] + 6, len = b->attr_len[k] == 5 ? 0 : b->attr_len[k] - 6, uri = b->attr_value[k],
              n = b->attr_size[k];
    const u32 xml = sizeof GX_XML_URI - 1, xmlns = sizeof GX_XMLNS_URI - 1;
    if (len
        && (!n || (len == 3 && gx_bytes_are(b, prefix, "xml", 3)) || (len == 5 && gx_bytes_are(b, prefix, "xmlns", 5))))
        return 0;
    return !(n == xml && gx_bytes_are(b, uri, GX_XML_URI, xml))
        && !(n == xmlns && gx_bytes_are(b, uri, GX_XMLNS_URI, xmlns));
}

/* The attributes of token m, from i behind its name. *count: those that become nodes; *bytes: of their values. Returns
 * what is behind the tag; 0: wrong */
GX_OP_BIG u32 gx_bytes_attributes(gx_bytes *b, u32 m, u32 i, u32 *count, u32 *bytes)
{
    const u32 first = b->first_attr[m], last = b->first_attr[m + 1];

    for (u32 k = first;; k++) {
        const u32 at = gx_bytes_blanks(b, i), c = gx_bytes_at(b, at);
        if (c == '>' || (c == '/' && gx_bytes_at(b, at + 1) == '>')) {
            if (c == '/')
                b->kind[m] = (u8)(b->kind[m] + GX_TOKEN_EMPTY - GX_TOKEN_START);
            return k == last && k - first <= b->r->limits.attributes && k - first <= GX_BYTES_ATTRIBUTES
                ? at + (c == '/' ? 2 : 1)
                : 0;
        }
        const u32 end = gx_bytes_name(b, at), equals = gx_bytes_blanks(b, end);
        if (at == i || end == at || end - at > b->r->limits.name || gx_bytes_at(b, equals) != '=' || k == last)
            return 0;
        const u32 open = gx_bytes_blanks(b, equals + 1), quote = gx_bytes_at(b, open);
        if (quote != '"' && quote != '\'')
            return 0;
        u32 size, flags;
        const u32 close = gx_bytes_value_end(b, open + 1, quote, &size, &flags);
        if (!close || close - b->at[m] > GX_BYTES_TOKEN || size > b->r->limits.text)
            return 0;
        b->attr_name[k] = at;
        b->attr_len[k] = end - at;
        b->attr_value[k] = open + 1;
        b->attr_size[k] = (close - open - 1) | flags;
        if (gx_bytes_declares(b, at, end - at)) {
            b->attr_size[k] = close - open - 1;
            b->kind[m] |= GX_TOKEN_DECLARES;
        } else {
            b->wide |= flags & GX_ATTR_WIDE;
            *bytes += size;
            (*count)++;
        }
        i = close + 1;
    }
}

/*
 * One token: its kind, name, attributes and end, and how many nodes and bytes of values it will have. In: at[m], where
 * it begins, and first_attr[m], both known from the chunks' states. Is it wrong, or longer than GX_BYTES_TOKEN? Then
 * the whole document goes to the scanner.
 *
 * The states have found where markup begins by looking for quotes and brackets alone; here each rule of XML 1.0 about
 * the token is checked (2.5 comments, 2.6 processing instructions, 3.1 tags). By one member. O(bytes of the token).
 */
GX_OP_BIG int gx_bytes_token(gx_bytes *b, u32 m)
{
    const u32 at = b->at[m], c = gx_bytes_at(b, at + 1), most = b->at[m + 1];
    u32 end = 0, nodes = 0, bytes = 0, from, to;

    b->name[m] = at + 1 + (c == '/' || c == '?');
    b->name_len[m] = gx_bytes_name(b, b->name[m]) - b->name[m];
    if (c == '!') {
        b->kind[m] = GX_TOKEN_COMMENT;
        b->name_len[m] = 0;
        /* <!--> would be closed by the states already */
        if (!gx_bytes_are(b, at + 2, "--", 2) || gx_bytes_at(b, at + 4) == '>' || gx_bytes_are(b, at + 4, "->", 2))
            return 1;
        for (end = at + 4; !gx_bytes_are(b, end, "--", 2); end++)
            if (end >= b->n || end - at > GX_BYTES_TOKEN)
                return 1;
        if (gx_bytes_at(b, end + 2) != '>')
            return 1;
        end += 3;
    } else if (!b->name_len[m] || b->name_len[m] > b->r->limits.name)
        return 1;
    else if (c == '?') {
        b->kind[m] = GX_TOKEN_PI;
        const u8 *name = b->s + b->name[m];
        if (b->name_len[m] == 3 && (name[0] | 32) == 'x' && (name[1] | 32) == 'm' && (name[2] | 32) == 'l')
            return 1;
        end = b->name[m] + b->name_len[m];
        if (!gx_bytes_is_blank(gx_bytes_at(b, end)) && gx_bytes_at(b, end) != '?')
            return 1;
        for (; !gx_bytes_are(b, end, "?>", 2); end++)
            if (end >= b->n || end - at > GX_BYTES_TOKEN)
                return 1;
        if (end != b->name[m] + b->name_len[m] && !gx_bytes_is_blank(b->s[b->name[m] + b->name_len[m]]))
            return 1;
        end += 2;
    } else if (c == '/') {
        b->kind[m] = GX_TOKEN_END;
        end = gx_bytes_blanks(b, b->name[m] + b->name_len[m]) + 1;
        if (gx_bytes_at(b, end - 1) != '>')
            return 1;
    } else {
        b->kind[m] = GX_TOKEN_START;
        end = gx_bytes_attributes(b, m, b->name[m] + b->name_len[m], &nodes, &bytes);
        if (!end)
            return 1;
        nodes++;
    }
    b->end[m] = end;
    if (c == '!' || c == '?') {
        gx_bytes_content(b, m, &from, &to);
        bytes = gx_bytes_lines(b, from, to, NULL, &b->wide);
        if (bytes > b->r->limits.text)
            return 1;
        nodes = 1;
    }
    b->value[m] = bytes;
    b->node[m] = nodes;
    return end > most;
}

/* What the attribute k of token m declares: its slot; is it wrong? A namespace name of other characters than those
 * that stand for themselves is the scanner's. */
GX_OP_BIG int gx_bytes_declare(gx_bytes *b, u32 m, u32 k)
{
    const u32 value = b->attr_value[k], size = b->attr_size[k];
    int wrong = !gx_bytes_may_declare(b, k);

    for (u32 i = 0; i < size; i++)
        wrong |= b->s[value + i] <= ' ' || b->s[value + i] == '&';
    b->attr_uri[k] = size ? gx_strings_put(b, value, size, GX_ORDER_URI(b->end[m] - 1, value)) : GX_URI_EMPTY;
    return wrong || b->attr_uri[k] == GX_NONE;
}

/* The names of token m, no end tag, which is not wrong: their slots instead of where they are. Is one wrong? */
GX_OP_BIG int gx_bytes_token_names(gx_bytes *b, u32 m)
{
    int wrong = 0;

    b->name[m] = gx_strings_put(b, b->name[m], b->name_len[m], GX_ORDER_NAME(b->name[m]));
    wrong = b->name[m] == GX_NONE;
    for (u32 k = b->first_attr[m]; k < b->first_attr[m + 1] && !wrong; k++) {
        const u32 at = b->attr_name[k];
        b->attr_uri[k] = GX_URI_NONE;
        if (b->kind[m] & GX_TOKEN_DECLARES && gx_bytes_declares(b, at, b->attr_len[k]))
            wrong |= gx_bytes_declare(b, m, k);
        b->attr_name[k] = gx_strings_put(b, at, b->attr_len[k], GX_ORDER_NAME(at));
        wrong |= b->attr_name[k] == GX_NONE;
    }
    return wrong;
}

/* What else is known of token m, which is not wrong, from its bytes. Is its name, or an attribute's, wrong? */
GX_OP int gx_bytes_token_more(gx_bytes *b, u32 m)
{
    const u32 kind = b->kind[m] & GX_TOKEN_KIND;

    b->depth[m] = kind == GX_TOKEN_START ? 1u : kind == GX_TOKEN_END ? GX_NONE : 0u;        /* begins, ends */
    return kind != GX_TOKEN_END && kind != GX_TOKEN_COMMENT && gx_bytes_token_names(b, m);
}

/* All columns of tokens and attributes that come from the bytes alone; node, value and depth: counts, not yet sums */
GX_OP_BIG gx_status gx_bytes_tokens(gx_bytes *b)
{
    const u32 n = b->n_tokens;
    int wrong = 0;

    GX_BYTES_ROOM(b, b->end, u32, n + 1);
    GX_BYTES_ROOM(b, b->kind, u8, n + 1);
    GX_BYTES_ROOM(b, b->name, u32, n + 1);
    GX_BYTES_ROOM(b, b->name_len, u32, n + 1);
    GX_BYTES_ROOM(b, b->node, u32, n + 1);
    GX_BYTES_ROOM(b, b->value, u32, n + 1);
    GX_BYTES_ROOM(b, b->attr_name, u32, b->n_attrs);
    GX_BYTES_ROOM(b, b->attr_len, u32, b->n_attrs);
    GX_BYTES_ROOM(b, b->attr_value, u32, b->n_attrs);
    GX_BYTES_ROOM(b, b->attr_size, u32, b->n_attrs);
    GX_BYTES_ROOM(b, b->attr_uri, u32, b->n_attrs);
    GX_BYTES_ROOM(b, b->depth, u32, n + 1);
    TEAM_FOR(&b->t, m, n)
        wrong |= gx_bytes_token(b, m);
    /* a member's own again; in one loop with the above fewer of its threads would be at one place */
    TEAM_FOR(&b->t, k, wrong ? 0 : n)
        wrong |= gx_bytes_token_more(b, k);
    return gx_bytes_agree(b, wrong);
}

#endif
