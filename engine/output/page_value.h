/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_value.h -- values of columns as bytes, escaped for where they stand (writer.c)
 */
#ifndef GX_PAGE_VALUE_H
#define GX_PAGE_VALUE_H

#include "page_team.h"
#include "escape_where.h"
#include "machine/words.h"

/* What stands for byte c, before `next`, there: *n bytes of to (6 at most). *n 0: the byte itself */
GX_OP void gx_page_escape_one(u32 c, u32 next, u32 where, char *to, u32 *n)
{
    const char *s = NULL;
    *n = 0;
    switch (c) {
    case '&':
        if (where == GX_PAGE_RAW || (where >= GX_ESC_HTML_ATTR && next == '{'))
            return;
        s = "&amp;";
        break;
    case '<': s = where <= GX_ESC_ATTR ? "&lt;" : NULL; break;
    case '>': s = where <= GX_ESC_ATTR ? "&gt;" : NULL; break;
    case '"': s = where != GX_ESC_TEXT && where != GX_PAGE_RAW ? "&quot;" : NULL; break;
    case '\t': s = where == GX_ESC_ATTR ? "&#9;" : NULL; break;
    case '\n': s = where == GX_ESC_ATTR ? "&#10;" : NULL; break;
    case '\r': s = where != GX_PAGE_RAW ? "&#13;" : NULL; break;
    default:
        if (where == GX_ESC_HTML_URI && c >= 0x80) {
            to[0] = '%';
            to[1] = (char)((c >> 4) < 10 ? '0' + (c >> 4) : 'A' + (c >> 4) - 10);
            to[2] = (char)((c & 15) < 10 ? '0' + (c & 15) : 'A' + (c & 15) - 10);
            *n = 3;
        }
        return;
    }
    for (; s && s[*n]; ++*n)
        to[*n] = s[*n];
}

/*
 * Of the bytes from s[at] on, *some of them (64 at most): a bit for each that may stand for more than itself there.
 * On a GPU they are those of four aligned loads, which may begin before s and end behind s + n: all are under way
 * before the first is looked at.
 */
GX_OP u64 gx_page_care(const char *s, u32 at, u32 n, u32 where, u32 *some)
{
    u32 off = 0;
    u64 set = 0;
    gx_words x;
#ifdef __CUDACC__
    off = (u32)(size_t)(s + at) & 15;
#endif
    const u32 all = n - at < GX_WORDS_BYTES - off ? n - at + off : GX_WORDS_BYTES;
    gx_words_load(&x, (const u8 *)s + at - off, all);
    *some = all - off;
#ifdef __CUDACC__
#pragma unroll
#endif
    for (u32 k = 0; k < GX_WORDS; k += 4) {
        u32 bits = 0;
        if (k * 4 >= all)
            continue;
        for (u32 j = k; j < k + 4; j++) {
            u32 marks = gx_word_is(x.w[j], 0xff, '&');
            if (where <= GX_ESC_ATTR)
                marks |= gx_word_is(x.w[j], 0xfd, '<');         /* and ">" */
            marks |= where == GX_ESC_TEXT ? gx_word_is(x.w[j], 0xff, '\r')
                                          : gx_word_controls(x.w[j]) | gx_word_is(x.w[j], 0xff, '"');
            if (where == GX_ESC_HTML_URI)
                marks |= x.w[j] & 0x80808080u;
            bits |= gx_word_bits(marks) << 4 * (j - k);
        }
        set |= (u64)bits << 4 * k;
    }
    return (set & gx_bits_between(off, all)) >> off;
}

/* n bytes, escaped: how many that are; they go to `to`, unless that is NULL. One member. What needs no care is moved
 * by the word. */
GX_OP_BIG u64 gx_page_escape(char *to, const char *s, u32 n, u32 where)
{
    u64 len = 0;
    u32 done = 0, some;                 /* s[0 .. done) is written */
    for (u32 at = 0; where != GX_PAGE_RAW && at < n; at += some)
        for (u64 set = gx_page_care(s, at, n, where, &some); set; set &= set - 1) {
            const u32 i = at + gx_bits_first(set);
            char stands[6];
            u32 k;
            gx_page_escape_one((u8)s[i], i + 1 < n ? (u8)s[i + 1] : 0, where, stands, &k);
            if (!k)
                continue;
            if (to)
                gx_move_long(to + len, s + done, i - done);
            len += i - done;
            for (u32 j = 0; to && j < k; j++)
                to[len + j] = stands[j];
            len += k;
            done = i + 1;
        }
    if (to)
        gx_move_long(to + len, s + done, n - done);
    return len + (n - done);
}

/* Does '&' end the bytes, where a '{' behind them, of another part of the value, would leave it as it is? The page is
 * refused then: parts are escaped apart, and the serialiser escapes the whole value. */
GX_OP int gx_page_may_be_macro(const char *s, u32 n, u32 where)
{
    return n && (where == GX_ESC_HTML_ATTR || where == GX_ESC_HTML_URI) && s[n - 1] == '&';
}

GX_OP const void *gx_page_at(const gx_page *pg, u32 ref) { return pg->base + (u64)ref * 4; }

GX_OP void gx_page_node_text(const gx_page *pg, u32 id, const char **p, u32 *n)
{
    const gx_doc *d = pg->doc;
    const u32 kind = GX_LABEL_KIND(GX_DOC_COL(d, u32, label)[id]);
    const int in_text = kind == GX_KIND_TEXT || kind == GX_KIND_ELEM || kind == GX_KIND_ROOT;
    *p = (in_text ? GX_DOC_COL(d, char, text) : GX_DOC_COL(d, char, values)) + GX_DOC_COL(d, u32, text_off)[id];
    *n = GX_DOC_COL(d, u32, text_len)[id];
}

GX_OP void gx_page_string(const gx_page *pg, gx_str s, const char **p, u32 *n)
{
    const u32 space = GX_STR_SPACE(s.at);
    *p = (space == GX_SPACE_PROG ? (const char *)pg->p : space == GX_SPACE_ARENA ? pg->base : (const char *)pg->doc)
        + GX_STR_OFF(s.at);
    *n = space ? s.len : 0;
}

/* The string-value of a column's row; num: room for a number, 16-byte aligned. 0: nobody has computed it. */
GX_OP_BIG int gx_page_value(const gx_page *pg, const gx_col *c, u32 row, char *num, const char **p, u32 *n)
{
    const u32 i = c->is_const ? 0 : row;
    *p = "";
    *n = 0;
    switch (c->type) {
    case GX_T_BOOL: {
        const char *const word = ((const u8 *)gx_page_at(pg, c->a))[i] ? "true" : "false";
        for (; word[*n]; ++*n)          /* not the constant itself, which may end within a word */
            num[*n] = word[*n];
        *p = num;
        return 1;
    }
    case GX_T_NUM:
        *n = gx_number_format(((const double *)gx_page_at(pg, c->a))[i], num);
        *p = num;
        return 1;
    case GX_T_STR:
        gx_page_string(pg, ((const gx_str *)gx_page_at(pg, c->a))[i], p, n);
        return 1;
    case GX_T_NODE:
    case GX_T_SET: {
        u32 node = ((const u32 *)gx_page_at(pg, c->a))[i];
        if (c->type == GX_T_SET) {
            if (!((const u32 *)gx_page_at(pg, c->b))[i])
                return 1;
            node = *(const u32 *)gx_page_at(pg, node);
        }
        if (node != GX_NONE)
            gx_page_node_text(pg, node, p, n);
        return 1;
    }
    case GX_T_RTF:
        if (!c->b)
            return 0;
        gx_page_string(pg, ((const gx_str *)gx_page_at(pg, c->b))[c->flags & GX_C_ONE_TEXT ? 0 : i], p, n);
        return 1;
    }
    return 1;
}

#endif
