/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encoding.c -- which encoding are these bytes in: a byte order mark, else the transport's charset, else the
 * declaration
 */
#include <string.h>
#include <strings.h>
#include "encoding.h"
#include "gx.h"

const char *gx_encoding_own(const char *name)
{
    static const struct { const char *alias, *name;
    } table[] = {
        { "utf-8", "UTF-8" },           { "utf8", "UTF-8" },
        { "us-ascii", "US-ASCII" },     { "ascii", "US-ASCII" },
        { "iso-8859-1", "ISO-8859-1" }, { "iso8859-1", "ISO-8859-1" },
        { "iso_8859-1", "ISO-8859-1" }, { "latin1", "ISO-8859-1" },
        { "latin-1", "ISO-8859-1" },    { "l1", "ISO-8859-1" },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcasecmp(name, table[i].alias) == 0)
            return table[i].name;
    return NULL;
}

/* The name in the encoding declaration (XML 1.0, 4.3.3), if the n bytes begin with an XML declaration in ASCII: 1, and
 * the name with its end in `name`, of `size` bytes. 0: there is none, it is malformed, which Expat will say, or longer
 * than any encoding's. */
static int declared_encoding(const char *s, size_t n, char *name, size_t size)
{
    if (n < 6 || memcmp(s, "<?xml", 5) != 0 || !gx_is_space(s[5]))
        return 0;
    const char *end = memchr(s, '>', n);
    if (!end)
        return 0;
    for (s += 5; s + 9 < end; s++) {
        if (!gx_is_space(*s) || memcmp(s + 1, "encoding", 8) != 0)
            continue;
        for (s += 9; s < end && gx_is_space(*s); s++)
            ;
        if (s == end || *s++ != '=')
            return 0;
        for (; s < end && gx_is_space(*s); s++)
            ;
        const char *close = s < end && (*s == '"' || *s == '\'') ? memchr(s + 1, *s, (size_t)(end - s - 1)) : NULL;
        if (!close || close == s + 1 || (size_t)(close - s - 1) >= size)
            return 0;
        memcpy(name, s + 1, (size_t)(close - s - 1));
        name[close - s - 1] = 0;
        return 1;
    }
    return 0;
}

typedef u8 sixteen __attribute__((vector_size(16), aligned(1), may_alias));

/* n bytes of ISO-8859-1 as UTF-8 to `to`, which has room for 2 n. Returns how many bytes they are there. Sixteen at a
 * time that are ASCII are copied as they are. */
size_t gx_encoding_latin_1(char *to, const char *from, size_t n)
{
    char *const first = to;
    size_t i = 0;
    while (i < n) {
        if (n - i >= 16) {              /* ASCII, most of the time: as it is */
            u64 half[2];
            memcpy(half, from + i, 16);
            if (!((half[0] | half[1]) & 0x8080808080808080ull)) {
                *(sixteen *)(void *)to = *(const sixteen *)(const void *)(from + i);
                to += 16;
                i += 16;
                continue;
            }
        }
        for (const size_t end = n - i < 16 ? n : i + 16; i < end; i++) {
            const u8 c = (u8)from[i];
            *to = (char)(c < 0x80 ? c : 0xc0 | c >> 6);
            to += c >= 0x80;
            *to++ = (char)(c & (c < 0x80 ? 0x7f : 0xbf));
        }
    }
    return (size_t)(to - first);
}

/* iconv takes more than names ("//IGNORE", paths); this lets only names through. */
iconv_t gx_encoding_open(const char *name)
{
    return name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:")] || !*name
        ? (iconv_t)-1
        : iconv_open("UTF-8", name);
}

/* XML 1.0, appendix F, and RFC 7303, 3: a byte order mark comes before the transport's charset, and that before the
 * declaration. Without any of them the first bytes of a '<' tell UTF-16 and UTF-32. */
const char *gx_encoding_choose(const char *bytes, size_t n, const char *charset, char declared[GX_ENCODING_BYTES],
                               size_t *skip)
{
    static const struct { const char *bytes; u8 n, skip; const char *name;
    } marks[] = {
        { "\xff\xfe\0\0", 4, 4, "UTF-32LE" }, { "\0\0\xfe\xff", 4, 4, "UTF-32BE" }, { "\xef\xbb\xbf", 3, 0, "UTF-8" },
        { "\xff\xfe", 2, 2, "UTF-16LE" }, { "\xfe\xff", 2, 2, "UTF-16BE" },
    }, guesses[] = {
        { "<\0\0\0", 4, 0, "UTF-32LE" }, { "\0\0\0<", 4, 0, "UTF-32BE" }, { "<\0", 2, 0, "UTF-16LE" },
        { "\0<", 2, 0, "UTF-16BE" },
    };
    const char *guess = NULL;
    *skip = 0;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (n >= marks[i].n && memcmp(bytes, marks[i].bytes, marks[i].n) == 0)
            return *skip = marks[i].skip, marks[i].name;
    for (size_t i = 0; i < sizeof guesses / sizeof *guesses && !guess; i++)
        if (n >= guesses[i].n && memcmp(bytes, guesses[i].bytes, guesses[i].n) == 0)
            guess = guesses[i].name;
    if (charset && *charset)
        /* "UTF-16" alone does not say which end comes first; without a mark the first '<' does, else RFC 2781 says
         * big */
        return strcasecmp(charset, "utf-16") == 0 ? guess ? guess : "UTF-16BE" :
               strcasecmp(charset, "utf-32") == 0 ? guess ? guess : "UTF-32BE" : charset;
    return guess ? guess : declared_encoding(bytes, n, declared, GX_ENCODING_BYTES) ? declared : NULL;
}
