/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exslt.h -- EXSLT's str: functions that make one string of others: encode-uri, decode-uri, padding, align
 *
 * Writers as in format.h: at most `cap` bytes go to out, the answer is how many there are. NULL and 0 only count, for
 * the first of two phases. Strings are UTF-8 slices; characters are code points. No allocation.
 */
#ifndef GX_MACHINE_EXSLT_H
#define GX_MACHINE_EXSLT_H

#include "base.h"
#include "format.h"
#include "text.h"

GX_FN gx_sprint gx_sprint_to(char *out, u32 cap)
{
    gx_sprint p;
    p.out = out;
    p.cap = cap;
    p.len = 0;
    return p;
}

/* ---- URIs -------------------------------------------------------------------------------------------------------- */

GX_FN i32 gx_hex_value(char c)                  /* -1: not a hexadecimal digit */
{
    const u32 digit = (u32)(u8)c - '0', letter = ((u32)(u8)c | 32) - 'a';
    return digit < 10 ? (i32)digit : letter < 6 ? (i32)letter + 10 : -1;
}

GX_FN int gx_is_escape(const char *s, u32 n)
{
    return n >= 3 && s[0] == '%' && gx_hex_value(s[1]) >= 0 && gx_hex_value(s[2]) >= 0;
}

/* str:encode-uri(s, escape_reserved) in UTF-8: RFC 2396 as of 2732, but "@" always stays, as stylesheets know it from
 * libxslt (no part of a URI that such a string becomes takes it for a delimiter). Escapes that are already there stay;
 * without escape_reserved the reserved characters do, too. At most 3 n bytes: n is below 2^32 / 3, or the caller's
 * limit on text is too high. */
GX_FN_BIG u32 gx_text_encode_uri(const char *s, u32 n, int escape_reserved, char *out, u32 cap)
{
    static const char marks[11] = "-_.!~*'()@", reserved[12] = ";/?:&=+$,[]", hex[17] = "0123456789ABCDEF";
    gx_sprint p = gx_sprint_to(out, cap);
    for (u32 i = 0; i < n; i++) {
        const u32 c = (u8)s[i];
        int stays = (c | 32) - 'a' < 26u || c - '0' < 10u;
        for (u32 k = 0; k < 10; k++)
            stays |= s[i] == marks[k];
        for (u32 k = 0; !escape_reserved && k < 11; k++)
            stays |= s[i] == reserved[k];
        if (c >= 0x80)
            stays = 0;
        if (gx_is_escape(s + i, n - i))
            stays = 1;
        if (stays) {
            gx_sprint_bytes(&p, s + i, 1);
        } else {
            char escape[3];
            escape[0] = '%';
            escape[1] = hex[c >> 4];
            escape[2] = hex[c & 15];
            gx_sprint_bytes(&p, escape, 3);
        }
    }
    return p.len;
}

/* One decoded byte of s at *i, which moves on */
GX_FN u32 gx_uri_next_byte(const char *s, u32 n, u32 *i)
{
    if (gx_is_escape(s + *i, n - *i)) {
        const u32 byte = (u32)gx_hex_value(s[*i + 1]) << 4 | (u32)gx_hex_value(s[*i + 2]);
        *i += 3;
        return byte;
    }
    return (u8)s[(*i)++];
}

/* str:decode-uri(s) in UTF-8. What does not decode to UTF-8 of characters that XML has gives the empty string, as EXSLT
 * wants. */
GX_FN_BIG u32 gx_text_decode_uri(const char *s, u32 n, char *out, u32 cap)
{
    gx_sprint p = gx_sprint_to(out, cap);
    for (u32 i = 0; i < n;) {
        const u32 lead = gx_uri_next_byte(s, n, &i);
        const u32 more = lead < 0x80 ? 0 : lead < 0xc2 || lead > 0xf4 ? 9 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
        u32 code = more == 0 ? lead : lead & (0x3f >> more);
        if (more == 9)
            return 0;
        for (u32 k = 0; k < more; k++) {
            const u32 byte = i < n ? gx_uri_next_byte(s, n, &i) : 0;
            if ((byte & 0xc0) != 0x80)
                return 0;
            code = code << 6 | (byte & 0x3f);
        }
        /* no control characters, surrogates or overlong forms */
        if (!gx_is_xml_char(code) || gx_utf8_size(code) != more + 1)
            return 0;
        gx_sprint_code(&p, code);
    }
    return p.len;
}

/* ---- padding ----------------------------------------------------------------------------------------------------- */

/* str:padding(count, pad): the characters of pad again and again until there are `count`; nothing when pad is empty.
 * The caller checks the answer against its limit on text before the second phase. */
GX_FN_BIG u64 gx_text_padding(double count, const char *pad, u32 n, char *out, u32 cap)
{
    const double whole = gx_number_round(count);
    if (!(whole >= 1) || n == 0)
        return 0;
    const u64 wanted = whole < 4294967295.0 ? (u64)whole : 4294967295u, each = gx_text_length(pad, n);
    if (each == 0)
        return 0;
    const u64 length = wanted / each * n + gx_text_offset(pad, n, (u32)(wanted % each));
    const u64 end = length < cap ? length : cap;
    u64 have = n < end ? n : end, more;
    if (have)
        memcpy(out, pad, have);
    for (; have < end; have += more) {
        more = have < end - have ? have : end - have;
        memcpy(out + have, out, more);
    }
    return length;
}

/* str:align(s, pad, how): s laid over pad, which gives the length in characters; longer strings are cut. */
enum { GX_ALIGN_LEFT = 0, GX_ALIGN_RIGHT, GX_ALIGN_CENTER };
GX_FN_BIG u32 gx_text_align(const char *s, u32 n, const char *pad, u32 m, int how, char *out, u32 cap)
{
    const u32 s_chars = gx_text_length(s, n), pad_chars = gx_text_length(pad, m);
    gx_sprint p = gx_sprint_to(out, cap);
    if (s_chars >= pad_chars) {
        gx_sprint_bytes(&p, s, gx_text_offset(s, n, pad_chars));
        return p.len;
    }
    const u32 spare = pad_chars - s_chars,
              before = how == GX_ALIGN_LEFT ? 0
        : how == GX_ALIGN_RIGHT             ? spare
                                            : spare / 2;
    const u32 from = gx_text_offset(pad, m, before), to = gx_text_offset(pad, m, before + s_chars);
    gx_sprint_bytes(&p, pad, from);
    gx_sprint_bytes(&p, s, n);
    gx_sprint_bytes(&p, pad + to, m - to);
    return p.len;
}

#endif
