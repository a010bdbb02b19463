/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes_context.h -- what every byte is part of: text, a tag, a quoted value, a comment, ...
 *
 *   chunk         64 bytes             64 bytes             64 bytes      at multiples of 64
 *   turns         f0                   f1                   f2            where each of eight states leads
 *   state         TEXT                 f0(TEXT)             f1(f0(TEXT))
 *   marks         <...<.....           .text..&..           ...           what becomes of each byte, a bit each
 *
 * No chunk knows what stands before it. So it says for each state that it may begin in which one it ends in: eight
 * states, a function in eight nibbles. Functions compose, and the composition of all before a chunk tells its state.
 * With that it is walked through once: its marks say where tokens and attributes begin, and which bytes are text.
 * What closes a comment, a section or a PI is told by the bytes just before it, and what opens one by those behind:
 * `<!-->` closes too early here, and its token is refused later for being too short.
 */
#ifndef GX_BYTES_CONTEXT_H
#define GX_BYTES_CONTEXT_H

#include "bytes.h"
#include "machine/words.h"

#if GX_CHUNK_BYTES != GX_WORDS_BYTES
#error "a chunk is what is loaded at once"
#endif
#define GX_CHUNK_REFERENCE 12u  /* bytes of a reference; longer ones (&#000000065;) are refused */

/* OPEN: in `<![CDATA[` */
enum { GX_IN_TEXT, GX_IN_TAG, GX_IN_DOUBLE, GX_IN_SINGLE, GX_IN_COMMENT, GX_IN_PI, GX_IN_CDATA, GX_IN_OPEN };
#define GX_TURNS_NONE 0x76543210u
#define GX_TURNS_EACH 0x11111111u

/* 15 in the nibbles of f that are `state` */
GX_OP u32 gx_turns_in(u32 f, u32 state)
{
    const u32 x = f ^ state * GX_TURNS_EACH;
    return (~(x | x >> 1 | x >> 2 | x >> 3) & GX_TURNS_EACH) * 15;
}
GX_OP u32 gx_turns_to(u32 f, u32 in, u32 state) { return (f & ~in) | (in & state * GX_TURNS_EACH); }
GX_OP u32 gx_turns_of(u32 f, u32 state) { return f >> 4 * state & 15; }
/* first, then g */
GX_OP u32 gx_turns_compose(u32 first, u32 g)
{
    u32 f = 0;
    for (u32 k = 0; k < 32; k += 4)
        f |= gx_turns_of(g, first >> k & 15) << k;
    return f;
}

/* The state behind '<' at i, seen in text */
GX_OP u32 gx_bytes_opens(const gx_bytes *b, u32 i)
{
    const u32 c = gx_bytes_at(b, i + 1);
    if (c == '?')
        return GX_IN_PI;
    return c != '!'                            ? GX_IN_TAG
        : gx_bytes_are(b, i + 2, "--", 2)      ? GX_IN_COMMENT
        : gx_bytes_are(b, i + 2, "[CDATA[", 7) ? GX_IN_OPEN
                                               : GX_IN_TAG;
}
GX_OP int gx_bytes_ends(const gx_bytes *b, u32 i, u32 c) { return i >= 2 && b->s[i - 1] == c && b->s[i - 2] == c; }
GX_OP int gx_bytes_opened(const gx_bytes *b, u32 i) { return i >= 8 && gx_bytes_are(b, i - 8, "<![CDATA[", 9); }

/* Chunks begin at multiples of GX_CHUNK_BYTES; the first one's bytes before b->from are no part of it */
GX_OP u32 gx_chunk_from(const gx_bytes *b, u32 chunk)
{
    const u32 at = chunk * GX_CHUNK_BYTES;
    return at > b->from ? at : b->from;
}
GX_OP u32 gx_chunk_to(const gx_bytes *b, u32 chunk)
{
    const u32 at = chunk * GX_CHUNK_BYTES, to = b->n - at < GX_CHUNK_BYTES ? b->n : at + GX_CHUNK_BYTES;
    return to > b->from ? to : b->from;
}

/*
 * Where in a chunk something may happen, a bit for each byte. ends: `<`, `>`, quotes and brackets (and & # Y _, which
 * share bits with them). others: controls but tab and line feed. wide: not ASCII.
 */
typedef struct gx_chunk_bits { u64 ends, others, wide; } gx_chunk_bits;

/* A bit for each byte of the chunk that may end a state ('<', '>', quotes, '[' and what shares bits with them), is a
 * control, or is not ASCII; bytes outside of the document's are none. 16 words of four bytes, without a branch. */
GX_OP gx_chunk_bits gx_chunk_look(const gx_bytes *b, u32 chunk)
{
    const u32 base = chunk * GX_CHUNK_BYTES;
    const u64 mine = gx_bits_between(gx_chunk_from(b, chunk) - base, gx_chunk_to(b, chunk) - base);
    gx_chunk_bits bits = { 0, 0, 0 };
    gx_words words;

    gx_words_load(&words, b->s + base, b->n - base);
#ifdef __CUDACC__
#pragma unroll
#endif
    for (u32 k = 0; k < GX_WORDS; k++) {
        const u32 x = words.w[k];
        u32 others = gx_word_controls(x);
        if (others)
            others &= ~(gx_word_is(x, 0xff, '\t') | gx_word_is(x, 0xff, '\n'));
        bits.ends |= (u64)gx_word_bits(gx_word_is(x, 0xfd, '<') | gx_word_is(x, 0xfa, '"') | gx_word_is(x, 0xf9, 'Y'))
            << 4 * k;
        bits.others |= (u64)gx_word_bits(others) << 4 * k;
        bits.wide |= (u64)gx_word_bits(x & 0x80808080u) << 4 * k;
    }
    bits.ends &= mine;
    bits.others &= mine;
    bits.wide &= mine;
    return bits;
}

/* Where each of the eight states leads over this chunk, a nibble each. Only the bytes that may end a state are looked
 * at, in their order, each for all states at once. O(bytes that may end one). */
GX_OP u32 gx_chunk_turns(const gx_bytes *b, u32 chunk)
{
    u32 f = GX_TURNS_NONE;

    for (u64 ends = gx_chunk_look(b, chunk).ends; ends; ends &= ends - 1) {
        const u32 i = chunk * GX_CHUNK_BYTES + gx_bits_first(ends), c = b->s[i];
        if (c == '<')
            f = gx_turns_to(f, gx_turns_in(f, GX_IN_TEXT), gx_bytes_opens(b, i));
        else if (c == '>') {
            u32 in = gx_turns_in(f, GX_IN_TAG);
            if (i && b->s[i - 1] == '?')
                in |= gx_turns_in(f, GX_IN_PI);
            else if (gx_bytes_ends(b, i, '-'))
                in |= gx_turns_in(f, GX_IN_COMMENT);
            else if (gx_bytes_ends(b, i, ']'))
                in |= gx_turns_in(f, GX_IN_CDATA);
            f = gx_turns_to(f, in, GX_IN_TEXT);
        } else if (c == '"')            /* 1 and 2 change places */
            f ^= (gx_turns_in(f, GX_IN_TAG) | gx_turns_in(f, GX_IN_DOUBLE)) & 3 * GX_TURNS_EACH;
        else if (c == '\'')             /* 1 and 3 */
            f ^= (gx_turns_in(f, GX_IN_TAG) | gx_turns_in(f, GX_IN_SINGLE)) & 2 * GX_TURNS_EACH;
        else if (c == '[' && gx_bytes_opened(b, i))
            f = gx_turns_to(f, gx_turns_in(f, GX_IN_OPEN), GX_IN_CDATA);
    }
    return f;
}

/* ---- characters ---- */

/* Is the byte at i part of a character that XML allows? (XML 1.0, 2.2; UTF-8 without overlong forms and surrogates) */
GX_OP_BIG int gx_bytes_is_wide(const gx_bytes *b, u32 i)
{
    u32 at = i, code, len;

    while (i - at < 3 && at > b->from && (b->s[at] & 0xc0) == 0x80)
        at--;
    const u32 c = b->s[at];
    len = c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    if (i - at >= len || b->n - at < len)
        return 0;
    for (u32 k = 1; k < len; k++)
        if ((b->s[at + k] & 0xc0) != 0x80)
            return 0;
    gx_utf8_decode((const char *)b->s + at, len, &code);
    return gx_utf8_size(code) == len && gx_is_xml_char(code);
}
GX_OP int gx_bytes_is_char(const gx_bytes *b, u32 i)
{
    const u32 c = b->s[i];
    return c >= 0x80 ? gx_bytes_is_wide(b, i) : c >= 0x20 || gx_bytes_is_blank(c);
}

/* The character that the reference at i stands for, to out; returns its bytes, 0: it is none that is known. *after:
 * what is behind the ';' */
GX_OP_BIG u32 gx_bytes_reference(const gx_bytes *b, u32 i, u32 *after, char out[4])
{
    u32 k = i + 1, code = 0;

    if (gx_bytes_at(b, k) == '#') {
        const u32 hex = gx_bytes_at(b, ++k) == 'x', first = k += hex;
        for (; k < b->n && k - i < GX_CHUNK_REFERENCE - 1 && b->s[k] != ';'; k++) {
            const u32 digit = b->s[k] - (u32)'0', letter = (b->s[k] | 32u) - 'a';
            if (digit > 9 && !(hex && letter < 6))
                return 0;
            code = hex ? code << 4 | (digit > 9 ? letter + 10 : digit) : code * 10 + digit;
            if (code > 0x10ffff)
                return 0;
        }
        if (k == first || gx_bytes_at(b, k) != ';' || !gx_is_xml_char(code))
            return 0;
        *after = k + 1;
        return gx_utf8_encode(code, out);
    }
    const u32 len = gx_bytes_are(b, k, "lt;", 3) || gx_bytes_are(b, k, "gt;", 3) ? 3
        : gx_bytes_are(b, k, "amp;", 4)                                          ? 4
        : gx_bytes_are(b, k, "quot;", 5) || gx_bytes_are(b, k, "apos;", 5)       ? 5
                                                                                 : 0;
    if (!len)
        return 0;
    *after = k + len;
    const u32 c = b->s[k];
    out[0] = c == 'l' ? '<' : c == 'g' ? '>' : c == 'q' ? '"' : len == 4 ? '&' : '\'';
    return 1;
}

/* Where the reference ends that i, in text, is within; i: it is in none */
GX_OP u32 gx_bytes_in_reference(const gx_bytes *b, u32 i)
{
    for (u32 k = i; k > b->from && i - k < GX_CHUNK_REFERENCE - 1; ) {
        const u32 c = b->s[--k];
        if (c == ';' || c == '<' || c == '>')
            break;
        if (c == '&') {
            while (i < b->n && i - k < GX_CHUNK_REFERENCE && b->s[i] != ';')
                i++;
            return i + 1;
        }
    }
    return i;
}

/* ---- marks ---- */

/*
 * A chunk that begins in `state`: its marks, what it has of each, and whether some of its text is not ASCII. Returns
 * whether something is wrong.
 */
GX_OP int gx_chunk_mark(const gx_bytes *b, u32 chunk, u32 state, gx_chunk_marks *m, gx_chunk_counts *c, u32 *wide)
{
    const u32 from = gx_chunk_from(b, chunk), to = gx_chunk_to(b, chunk), base = chunk * GX_CHUNK_BYTES;
    const gx_chunk_bits bits = gx_chunk_look(b, chunk);
    u64 events = bits.ends | bits.others | bits.wide;
    u32 skip = state == GX_IN_TEXT ? gx_bytes_in_reference(b, from) : from, i = from,
        before = from && from < to ? b->s[from - 1] : 0, over = 0;
    int wrong = 0;

    m->starts = m->opens = m->texts = m->odd = 0;
    for (;;) {
        const u32 at = events ? base + gx_bits_first(events) : to;
        events &= events - 1;
        if (state == GX_IN_TEXT || state == GX_IN_CDATA) {
            /* XML 1.0, 2.11: CR LF is LF */
            i = skip > i ? skip : i < at && before == '\r' && b->s[i] == '\n' ? i + 1 : i;
            if (i < at)
                m->texts |= gx_bits_between(i - base, at - base);
        }
        if (at >= to)
            break;
        const u32 x = b->s[at];
        const u64 bit = 1ull << (at - base);
        i = at;
        wrong |= !gx_bytes_is_char(b, i);
        switch (state) {
        case GX_IN_TEXT:
            if (i < skip)
                break;
            if (x == '<') {
                state = gx_bytes_opens(b, i);
                m->starts |= state == GX_IN_OPEN ? 0 : bit;
            } else if (x == '&') {
                char bytes[4];
                const u32 len = gx_bytes_reference(b, i, &skip, bytes);
                wrong |= !len;
                m->odd |= bit;
                m->texts |= ((1ull << len) - 1) << (at - base);
                over = at - base + len > GX_CHUNK_BYTES ? at - base + len - GX_CHUNK_BYTES : 0;
                *wide |= len > 1;
            } else {
                wrong |= x == ']' && gx_bytes_are(b, i, "]]>", 3);
                m->texts |= bit;
                m->odd |= x == '\r' ? bit : 0;
            }
            break;
        case GX_IN_CDATA:
            if (x == '>' && gx_bytes_ends(b, i, ']'))
                state = GX_IN_TEXT, skip = i + 1;
            else if (x != ']' || !(gx_bytes_are(b, i, "]]>", 3) || gx_bytes_are(b, i - 1, "]]>", 3))) {
                m->texts |= bit;
                m->odd |= x == '\r' ? bit : 0;
            }
            break;
        case GX_IN_TAG:
            m->opens |= x == '"' || x == '\'' ? bit : 0;
            state = x == '>' ? GX_IN_TEXT : x == '"' ? GX_IN_DOUBLE : x == '\'' ? GX_IN_SINGLE : GX_IN_TAG;
            break;
        case GX_IN_DOUBLE:
            state = x == '"' ? GX_IN_TAG : GX_IN_DOUBLE;
            break;
        case GX_IN_SINGLE:
            state = x == '\'' ? GX_IN_TAG : GX_IN_SINGLE;
            break;
        case GX_IN_COMMENT:
            state = x == '>' && gx_bytes_ends(b, i, '-') ? GX_IN_TEXT : GX_IN_COMMENT;
            break;
        case GX_IN_PI:
            state = x == '>' && b->s[i - 1] == '?' ? GX_IN_TEXT : GX_IN_PI;
            break;
        default:
            state = x == '[' && gx_bytes_opened(b, i) ? GX_IN_CDATA : GX_IN_OPEN;
        }
        before = x;
        i++;
    }
    *wide |= (bits.wide & m->texts) != 0;
    c->tokens = gx_bits_count(m->starts);
    c->attrs = gx_bits_count(m->opens);
    c->text = gx_bits_count(m->texts) + over;
    return wrong;
}

/* .. into the columns */
GX_OP int gx_chunk_mark_in(const gx_bytes *b, u32 chunk, u32 state, const gx_chunks *all, u32 *wide)
{
    gx_chunk_counts c;
    gx_chunk_marks m;
    const int wrong = gx_chunk_mark(b, chunk, state, &m, &c, wide);
    all->marks[chunk] = m;
    all->tokens[chunk] = c.tokens;
    all->attrs[chunk] = c.attrs;
    all->text[chunk] = c.text;
    return wrong;
}

/* ---- text ---- */

/* Of a heap: its bytes first .. end - 1 are written, to heap[0] and on */
typedef struct gx_text_out { char *heap; u32 first, end; } gx_text_out;

GX_OP void gx_text_put(const gx_text_out *to, u32 at, char byte)
{
    if (at >= to->first && at < to->end)
        to->heap[at - to->first] = byte;
}

/* The chunk's characters of text, to their places in the heap, as far as these lie in to->first .. to->end. texts has a
 * bit for each byte that is text, odd one for those that are not copied as they stand: line ends (XML 1.0, 2.11) and
 * references. Runs between these are moved whole. By one member. O(bytes of the chunk). */
GX_OP void gx_chunk_write(const gx_bytes *b, u32 chunk, const gx_text_out *to)
{
    const u32 base = chunk * GX_CHUNK_BYTES;
    const u64 odd = b->chunks.marks[chunk].odd;
    u64 texts = b->chunks.marks[chunk].texts;
    u32 at = b->chunks.text[chunk];

    while (texts) {
        const u32 i = gx_bits_first(texts);
        u32 n = 1, after;
        if (!(odd >> i & 1)) {
            const u64 stop = (~texts | odd) >> i;
            n = stop ? gx_bits_first(stop) : GX_CHUNK_BYTES - i;
            const u32 before = at < to->first ? to->first - at : 0, behind = at + n > to->end ? at + n - to->end : 0;
            if (before + behind < n)
                gx_move(to->heap + (at + before - to->first), (const char *)b->s + base + i + before,
                        n - before - behind);
        } else if (b->s[base + i] == '\r')
            gx_text_put(to, at, '\n');         /* a lone one is LF, too */
        else {
            char bytes[4];
            n = gx_bytes_reference(b, base + i, &after, bytes);
            for (u32 k = 0; k < n; k++)
                gx_text_put(to, at + k, bytes[k]);
        }
        at += n;
        texts &= ~gx_bits_between(i, i + n);
    }
}

/* ---- all chunks ---- */

/* b->chunks: marks, and the sums of what the chunks before each one have; b->wide. At the end is text, or the document
 * is refused. */
GX_OP_BIG gx_status gx_bytes_marks(gx_bytes *b)
{
    const u32 n = b->n_chunks;
    gx_chunks *const all = &b->chunks;
    u64 totals[3];
    int wrong = 0;

    *all = b->r->chunks.all;
    if (all->marks) {                   /* they were looked at as they came */
        const gx_coming *const c = &b->r->chunks;
        const gx_chunk_counts of_all = c->before[gx_chunk_groups(n)];
        wrong = c->found[0] || c->state[gx_chunk_groups(n)] != GX_IN_TEXT;
        b->wide |= c->found[1];
        b->n_tokens = of_all.tokens;
        b->n_attrs = of_all.attrs;
        b->n_text = of_all.text;
        return gx_bytes_agree(b, wrong);
    }
    GX_BYTES_ROOM(b, all->turns, u32, n + 1);
    GX_BYTES_ROOM(b, all->marks, gx_chunk_marks, n);
    GX_BYTES_ROOM(b, all->tokens, u32, n + 1);
    GX_BYTES_ROOM(b, all->attrs, u32, n + 1);
    GX_BYTES_ROOM(b, all->text, u32, n + 1);
    TEAM_FOR(&b->t, k, n)
        all->turns[k] = gx_chunk_turns(b, k);
    const u32 last = team_scan_by(&b->t, all->turns, n, gx_turns_compose, GX_TURNS_NONE);
    wrong = gx_turns_of(last, GX_IN_TEXT) != GX_IN_TEXT;
    TEAM_FOR(&b->t, k, n)
        wrong |= gx_chunk_mark_in(b, k, gx_turns_of(all->turns[k], GX_IN_TEXT), all, &b->wide);
    GX_BYTES_TRY(gx_bytes_agree(b, wrong));
    u32 *const columns[] = { all->tokens, all->attrs, all->text };
    team_scan_all(&b->t, columns, 3, n, totals);
    b->n_tokens = (u32)totals[0];
    b->n_attrs = (u32)totals[1];
    b->n_text = (u32)totals[2];
    return GX_OK;
}

/* at, text and first_attr of the tokens that begin in the chunk */
GX_OP void gx_chunk_places(const gx_bytes *b, u32 k)
{
    const gx_chunk_marks m = b->chunks.marks[k];
    u32 token = b->chunks.tokens[k];

    for (u64 starts = m.starts; starts; starts &= starts - 1, token++) {
        const u64 before = (starts & -starts) - 1;
        b->at[token] = k * GX_CHUNK_BYTES + gx_bits_first(starts);
        b->text[token] = b->chunks.text[k] + gx_bits_count(m.texts & before);
        b->first_attr[token] = b->chunks.attrs[k] + gx_bits_count(m.opens & before);
    }
}
/* .. and what is behind the last one */
GX_OP void gx_places_end(const gx_bytes *b, gx_chunk_counts all)
{
    b->at[all.tokens] = b->n;
    b->text[all.tokens] = all.text;
    b->first_attr[all.tokens] = all.attrs;
}
/* .. of all tokens */
GX_OP_BIG gx_status gx_bytes_places(gx_bytes *b)
{
    GX_BYTES_ROOM(b, b->at, u32, b->n_tokens + 1);
    GX_BYTES_ROOM(b, b->text, u32, b->n_tokens + 1);
    GX_BYTES_ROOM(b, b->first_attr, u32, b->n_tokens + 1);
    TEAM_FOR(&b->t, k, b->n_chunks)
        gx_chunk_places(b, k);
    if (team_rank(&b->t) == 0) {
        const gx_chunk_counts all = { b->n_tokens, b->n_attrs, b->n_text };
        gx_places_end(b, all);
    }
    team_sync(&b->t);
    return GX_OK;
}

#endif
