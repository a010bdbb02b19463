/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes_context.h -- what every byte is part of: text, a tag, a quoted value, a comment, ...
 *
 *   chunk         64 bytes             64 bytes             64 bytes      at multiples of 64
 *   turns         f0                   f1                   f2            where each of eight states leads
 *   composed      -> f0                -> f1 after f0       ...           in a tree of 32 chunks a node, up and down
 *                                                                         again
 *   state         TEXT                 f0(TEXT)             f1(f0(TEXT))
 *
 * No chunk knows what stands before it. So it says for each state that it may begin in which one it ends in: eight
 * states, a function in eight nibbles. Functions compose, and the composition of all before a chunk tells its state.
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
#define GX_CHUNK_FAN 32u        /* of the tree */
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

/* Of a document that is still on its way: the turns of the chunks [from, to), which need no more than
 * GX_CHUNK_AHEAD bytes behind them. This member's of so many */
GX_OP void gx_bytes_turns_of(const char *bytes, u32 n, u32 from, u32 to, u32 member, u32 members, u32 *turns)
{
    gx_bytes b;
    b.s = (const u8 *)bytes;
    b.n = n;
    b.from = 0;
    for (u32 k = from + member; k < to; k += members)
        turns[k] = gx_chunk_turns(&b, k);
}

/* b->state of all chunks. At the end is text, or the document is refused. */
GX_OP_BIG gx_status gx_bytes_states(gx_bytes *b)
{
    u32 *turns[8], size[8], levels = 1;
    u8 *state[8];

    size[0] = b->n_chunks;
    turns[0] = b->r->turns;
    /* known: but what stands before b->from is none of it */
    const u32 left = b->from / GX_CHUNK_BYTES + 1, open = turns[0] && left < size[0] ? left : size[0];
    if (!turns[0])
        GX_BYTES_ROOM(b, turns[0], u32, size[0]);
    GX_BYTES_ROOM(b, b->state, u8, size[0] + 1);
    state[0] = b->state;
    TEAM_FOR(&b->t, k, open)
        turns[0][k] = gx_chunk_turns(b, k);
    for (; size[levels - 1] > 1; levels++) {
        const u32 below = size[levels - 1], *f = turns[levels - 1];
        size[levels] = (below + GX_CHUNK_FAN - 1) / GX_CHUNK_FAN;
        GX_BYTES_ROOM(b, turns[levels], u32, size[levels]);
        GX_BYTES_ROOM(b, state[levels], u8, size[levels]);
        u32 *const up = turns[levels];
        team_sync(&b->t);
        TEAM_FOR(&b->t, k, size[levels]) {
            u32 g = GX_TURNS_NONE;
            for (u32 i = k * GX_CHUNK_FAN; i < below && i < (k + 1) * GX_CHUNK_FAN; i++)
                g = gx_turns_compose(g, f[i]);
            up[k] = g;
        }
    }
    team_sync(&b->t);
    const u32 last = gx_turns_of(turns[levels - 1][0], GX_IN_TEXT);
    if (team_rank(&b->t) == 0)
        state[levels - 1][0] = GX_IN_TEXT;
    for (u32 level = levels - 1; level; level--) {
        const u32 below = size[level - 1], *f = turns[level - 1];
        const u8 *up = state[level];
        u8 *down = state[level - 1];
        team_sync(&b->t);
        TEAM_FOR(&b->t, k, size[level]) {
            u32 s = up[k];
            for (u32 i = k * GX_CHUNK_FAN; i < below && i < (k + 1) * GX_CHUNK_FAN; i++) {
                down[i] = (u8)s;
                s = gx_turns_of(f[i], s);
            }
        }
    }
    return gx_bytes_agree(b, last != GX_IN_TEXT);
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

/* ---- the walk ---- */

enum { GX_WALK_COUNT, GX_WALK_TOKENS, GX_WALK_TEXT };
/* text: bytes of the heap so far, of which TEXT writes those of first..end - 1; wide: one of these is not ASCII */
typedef struct gx_chunk { u32 tokens, attrs, text, first, end, wide; } gx_chunk;

GX_OP void gx_chunk_put(gx_chunk *c, char *heap, u32 byte)
{
    if (c->text >= c->first && c->text < c->end) {
        heap[c->text - c->first] = (char)byte;
        c->wide |= byte & 0x80;
    }
    c->text++;
}

/* Text from..to - 1, in which nothing happens; bits: the chunk's, which begins at base */
GX_OP void gx_chunk_run(const gx_bytes *b, gx_chunk *c, u32 from, u32 to, const gx_chunk_bits *bits, u32 base,
                        char *heap)
{
    const u32 n = to - from;
    if (heap && c->text < c->end && c->text + n > c->first) {
        const u32 before = c->text < c->first ? c->first - c->text : 0,
                  behind = c->text + n > c->end ? c->text + n - c->end : 0;
        gx_move(heap + (c->text + before - c->first), (const char *)b->s + from + before, n - before - behind);
        c->wide |= (bits->wide & gx_bits_between(from + before - base, to - behind - base)) != 0;
    }
    c->text += n;
}

/*
 * A chunk's bytes, whose state is known; *c is counted up. COUNT: is each a character? TOKENS: at, text and first_attr
 * of each token. TEXT: the characters to `heap`. Returns whether something is wrong.
 */
GX_OP int gx_chunk_walk(gx_bytes *b, u32 chunk, u32 what, gx_chunk *c, char *heap)
{
    const u32 from = gx_chunk_from(b, chunk), to = gx_chunk_to(b, chunk), base = chunk * GX_CHUNK_BYTES;
    const gx_chunk_bits bits = gx_chunk_look(b, chunk);
    u64 events = bits.ends | bits.others | (what == GX_WALK_COUNT ? bits.wide : 0);
    u32 state = b->state[chunk], skip = state == GX_IN_TEXT ? gx_bytes_in_reference(b, from) : from, i = from,
        before = from && from < to ? b->s[from - 1] : 0;
    int wrong = 0;

    for (;;) {
        const u32 at = events ? base + gx_bits_first(events) : to;
        events &= events - 1;
        if (state == GX_IN_TEXT || state == GX_IN_CDATA) {
            /* XML 1.0, 2.11: CR LF is LF */
            i = skip > i ? skip : i < at && before == '\r' && b->s[i] == '\n' ? i + 1 : i;
            if (i < at)
                gx_chunk_run(b, c, i, at, &bits, base, heap);
        }
        if (at >= to)
            return wrong;
        const u32 x = b->s[at];
        int is_text = 0;
        i = at;
        if (what == GX_WALK_COUNT)
            wrong |= !gx_bytes_is_char(b, i);
        switch (state) {
        case GX_IN_TEXT:
            if (i < skip)
                break;
            if (x == '<') {
                state = gx_bytes_opens(b, i);
                if (state == GX_IN_OPEN)
                    break;
                if (what == GX_WALK_TOKENS) {
                    b->at[c->tokens] = i;
                    b->text[c->tokens] = c->text;
                    b->first_attr[c->tokens] = c->attrs;
                }
                c->tokens++;
            } else if (x == '&') {
                char bytes[4];
                const u32 len = gx_bytes_reference(b, i, &skip, bytes);
                wrong |= !len;
                for (u32 k = 0; k < len && what == GX_WALK_TEXT; k++)
                    gx_chunk_put(c, heap, (u8)bytes[k]);
                c->text += what == GX_WALK_TEXT ? 0 : len;
            } else {
                wrong |= x == ']' && gx_bytes_are(b, i, "]]>", 3);
                is_text = 1;
            }
            break;
        case GX_IN_CDATA:
            if (x == '>' && gx_bytes_ends(b, i, ']'))
                state = GX_IN_TEXT, skip = i + 1;
            else
                is_text = x != ']' || !(gx_bytes_are(b, i, "]]>", 3) || gx_bytes_are(b, i - 1, "]]>", 3));
            break;
        case GX_IN_TAG:
            c->attrs += x == '"' || x == '\'';
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
        if (is_text) {                  /* a lone CR is LF, too */
            if (what == GX_WALK_TEXT)
                gx_chunk_put(c, heap, x == '\r' ? '\n' : x);
            else
                c->text++;
        }
        before = x;
        i++;
    }
}

/* Counts what every chunk has; then at, text and first_attr of the tokens */
GX_OP_BIG gx_status gx_bytes_chunks(gx_bytes *b)
{
    const u32 n = b->n_chunks;
    int wrong = 0;

    GX_BYTES_ROOM(b, b->chunk_tokens, u32, n + 1);
    GX_BYTES_ROOM(b, b->chunk_attrs, u32, n + 1);
    GX_BYTES_ROOM(b, b->chunk_text, u32, n + 1);
    TEAM_FOR(&b->t, k, n) {
        gx_chunk c = { 0, 0, 0, 0, 0, 0 };
        wrong |= gx_chunk_walk(b, k, GX_WALK_COUNT, &c, NULL);
        b->chunk_tokens[k] = c.tokens;
        b->chunk_attrs[k] = c.attrs;
        b->chunk_text[k] = c.text;
    }
    GX_BYTES_TRY(gx_bytes_agree(b, wrong));
    b->n_tokens = (u32)team_scan(&b->t, b->chunk_tokens, n);
    b->n_attrs = (u32)team_scan(&b->t, b->chunk_attrs, n);
    team_scan(&b->t, b->chunk_text, n);
    GX_BYTES_ROOM(b, b->at, u32, b->n_tokens + 1);
    GX_BYTES_ROOM(b, b->text, u32, b->n_tokens + 1);
    GX_BYTES_ROOM(b, b->first_attr, u32, b->n_tokens + 1);
    TEAM_FOR(&b->t, k, n) {
        gx_chunk c = { b->chunk_tokens[k], b->chunk_attrs[k], b->chunk_text[k], 0, 0, 0 };
        gx_chunk_walk(b, k, GX_WALK_TOKENS, &c, NULL);
    }
    if (team_rank(&b->t) == 0) {
        b->at[b->n_tokens] = b->n;
        b->text[b->n_tokens] = b->chunk_text[n];
        b->first_attr[b->n_tokens] = b->n_attrs;
    }
    team_sync(&b->t);
    return GX_OK;
}

#endif
