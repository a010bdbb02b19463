/* SPDX-License-Identifier: Apache-2.0 */
/*
 * javascript.c -- JavaScript's regular expressions in PCRE2's words
 *
 * EXSLT's regular expressions are JavaScript's. PCRE2 has another grammar: it gives a meaning to escapes that have none
 * there (\A, \h, \K), knows other groups, possessive quantifiers and classes by name, and its \s, \v, "." and "$" are
 * others. So a pattern is read by JavaScript's grammar (ECMA-262, 22.2.1 and annex B.1.2) and written anew, each atom
 * in a form that has one meaning in PCRE2:
 *
 *   \s      [\x{9}-\x{d} \x{a0}\x{1680}...]    \v, \cX, \0, octals    \x{..}        [^], []    (?s:.), (?!)
 *   .       [^\n\r\x{2028}\x{2029}]            $                      \z            (?<name>   (  and \k<name>  \g{1}
 *
 * What is not so here: characters are code points, as with JavaScript's flag u, not halves of pairs (a class that has
 * surrogates has the characters beyond U+FFFF).
 *
 * Some constructs mean something else to PCRE2 in whatever words: a turn of a repetition forgets what its groups had,
 * and may not be empty; (?<=...) matches backwards. The pattern's tokens are for backtrack.c, which knows where that
 * counts.
 *
 * Case (22.2.2.7.3): without the flag u JavaScript compares what toUpperCase makes of both, and nothing outside ASCII
 * is an ASCII letter. PCRE2 takes the long s for an s and the Kelvin sign for a k: `loose` lists what it has beyond
 * JavaScript, which is taken out again where it counts. With the flag u JavaScript folds case as PCRE2 does, and these
 * two belong to \w as well (22.2.2.9.3).
 *
 * Cost: one pass, at most some 200 bytes a character, PATTERN_BYTES in all.
 */
#include <stdio.h>
#include <string.h>
#include "javascript.h"
#include "machine/text.h"

#define PATTERN_BYTES (1u << 20)
#define NAME_WORK (1u << 27)     /* bytes of patterns read to find the groups of \k<name> */
#define DEPTH 250               /* PCRE2's own limit for groups inside each other */
#define SPACES "\\x{9}-\\x{d} \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}"
#define NO_SPACES \
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}" \
    "\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}" \
    "\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}"
#define WORDS "\\w\\x{17f}\\x{212a}"       /* \w and \W within a class, with the flags i and u */
#define NO_WORDS \
    "\\x{0}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{5e}\\x{60}\\x{7b}-\\x{17e}\\x{180}-\\x{2129}\\x{212b}-\\x{10ffff}"
#define LINE_ENDS "\\n\\r\\x{2028}\\x{2029}"

/* Characters that PCRE2 takes for the same as their partners, lower and upper case, and JavaScript does not */
static const struct { u32 c, lower, upper;
} loose[] = { { 0x17f, 's', 'S' },      { 0x212a, 'k', 'K' },   { 0x1e9e, 0xdf, 0xdf },
              { 0x2126, 0x3c9, 0x3a9 }, { 0x212b, 0xe5, 0xc5 }, { 0x3f4, 0x3b8, 0x398 } };
enum { N_LOOSE = sizeof loose / sizeof loose[0] };

typedef struct js {
    const char *s;
    u32 n, i;                   /* s[i] is read next */
    int flags;
    u32 groups, depth;
    u64 name_work;              /* bytes read so far to find groups by name */
    u8 kinds[DEPTH];            /* of the open groups */
    int is_named;               /* there are named groups */
    gx_buf *out, *tokens;
    u32 group, place;           /* of the last atom: the group that it refers to; '^', '$', 'b' or 'B' */
    const char *wrong;
    u32 wrong_at;
} js;

static int fail(js *p, const char *why, u32 at)
{
    if (!p->wrong) {
        p->wrong = why;
        p->wrong_at = at;
    }
    return 0;
}

/* Appends to the pattern that is written, PATTERN_BYTES at most. */
static void put(js *p, const char *s)
{
    const size_t n = strlen(s);
    if (!n)
        return;
    if (p->out->n + n > PATTERN_BYTES)
        fail(p, "the pattern is too long", p->i);
    else if (gx_buf_room(p->out, n))
        fail(p, "there is no memory for the pattern", p->i);
    else {
        memcpy(p->out->at + p->out->n, s, n);
        p->out->n += n;
    }
}

static void put_code(js *p, u32 c)
{
    char text[16];
    if ((c | 32) - 'a' < 26u || c - '0' < 10u)
        snprintf(text, sizeof text, "%c", (char)c);
    else
        snprintf(text, sizeof text, "\\x{%x}", c);
    put(p, text);
}

static void token(js *p, int kind, u32 a, u32 b)
{
    gx_js_token *t = gx_buf_push(p->tokens, sizeof *t);
    if (!t) {
        fail(p, "there is no memory for the pattern", p->i);
        return;
    }
    t->kind = (u8)kind;
    t->lazy = 0;
    t->a = a;
    t->b = b;
}

/* Both i and u: then case is folded as PCRE2 does, and \w has two characters that are not ASCII. */
static int is_folded(const js *p) { return p->flags & GX_JS_NOCASE && p->flags & GX_JS_UNICODE; }
/* Only i: what PCRE2 takes for equal beyond JavaScript is to be taken out. */
static int is_mended(const js *p) { return p->flags & GX_JS_NOCASE && !(p->flags & GX_JS_UNICODE); }
static int is_surrogate(u32 c) { return c - 0xd800 < 0x800u; }
static int peek(const js *p, u32 ahead) { return p->i + ahead < p->n ? (u8)p->s[p->i + ahead] : -1; }
static int is_digit(int c) { return c >= '0' && c <= '9'; }
static int hex(int c) { return is_digit(c) ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1; }

/* n hexadecimal digits from s[i + ahead] on; 0: they are not there */
static int hex_digits(const js *p, u32 ahead, u32 n, u32 *out)
{
    u32 c = 0;
    for (u32 k = 0; k < n; k++) {
        const int digit = hex(peek(p, ahead + k));
        if (digit < 0)
            return 0;
        c = c * 16 + (u32)digit;
    }
    *out = c;
    return 1;
}

/* Behind "\u" (RegExpUnicodeEscapeSequence): XXXX, a pair of surrogates as two such escapes, or with the flag u
 * {X...}. 1: *out is the code and p->i behind it. 0: it is no such escape, and p->i is where it was; braces without a
 * character in them are an error. */
static int unicode_escape(js *p, u32 *out)
{
    u32 c, low;
    if (p->flags & GX_JS_UNICODE && peek(p, 0) == '{') {
        u32 k = 1;
        for (c = 0; hex(peek(p, k)) >= 0 && c <= 0x10ffff; k++)
            c = c * 16 + (u32)hex(peek(p, k));
        if (k == 1 || peek(p, k) != '}' || c > 0x10ffff)
            return fail(p, "\\u{...} is no character", p->i);
        p->i += k + 1;
        *out = c;
        return 1;
    }
    if (!hex_digits(p, 0, 4, &c))
        return 0;
    p->i += 4;
    if (c - 0xd800 < 0x400u && peek(p, 0) == '\\' && peek(p, 1) == 'u' && hex_digits(p, 2, 4, &low)
        && low - 0xdc00 < 0x400u) {
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        p->i += 6;
    }
    *out = c;
    return 1;
}

/* LegacyOctalEscapeSequence (B.1.2): up to three digits, below 256. */
static u32 octal(js *p)
{
    u32 c = 0;
    for (u32 k = 0; k < 3 && peek(p, 0) >= '0' && peek(p, 0) <= '7' && c * 8 + (u32)(peek(p, 0) - '0') < 256; k++)
        c = c * 8 + (u32)(p->s[p->i++] - '0');
    return c;
}

/* The character that an escape stands for, inside a class or out of it; s[i] is behind the backslash. */
static u32 character_escape(js *p, int in_class)
{
    u32 c;
    const int e = peek(p, 0), next = peek(p, 1);
    switch (e) {
    case 'f': p->i++; return 0xc;
    case 'n': p->i++; return 0xa;
    case 'r': p->i++; return 0xd;
    case 't': p->i++; return 0x9;
    case 'v': p->i++; return 0xb;
    case 'c':
        if (((next | 32) >= 'a' && (next | 32) <= 'z') || (in_class && (is_digit(next) || next == '_'))) {
            p->i += 2;
            return (u32)next % 32;
        }
        return '\\';                            /* B.1.2: the backslash is one, and the c follows */
    case 'x':
        p->i++;
        if (!hex_digits(p, 0, 2, &c))
            return 'x';
        p->i += 2;
        return c;
    case 'u':
        p->i++;
        return unicode_escape(p, &c) ? c : 'u';
    case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7':
        return octal(p);
    default:
        p->i += gx_utf8_decode(p->s + p->i, p->n - p->i, &c);
        return c;
    }
}

/* ---- classes ---- */

/* bit k: loose[k] and its partners are in it */
typedef struct set { u32 has_loose, has_partner; int has_any; } set;

/* A range of a class, without surrogates, as PCRE2 writes it. A range of UTF-16's code units that has surrogates has
 * the characters beyond U+FFFF, whose halves they are; with the flag u, or where it ends beyond U+FFFF, it is one of
 * characters. Which of the characters that only PCRE2 takes for equal without case are in it, and which of their
 * partners, is noted for the class's end. */
static void range(js *p, set *s, u32 from, u32 to)
{
    for (u32 k = 0; k < N_LOOSE; k++) {
        s->has_loose |= (u32)(loose[k].c >= from && loose[k].c <= to) << k;
        s->has_partner |=
            (u32)((loose[k].lower >= from && loose[k].lower <= to) || (loose[k].upper >= from && loose[k].upper <= to))
            << k;
    }
    const int has_halves = !(p->flags & GX_JS_UNICODE) && from < 0xe000 && to >= 0xd800 && to < 0x10000;
    const u32 parts[3][2] = { { from, to < 0xd7ff ? to : 0xd7ff },
                              { from > 0xe000 ? from : 0xe000, to },
                              { 0x10000, has_halves ? 0x10ffff : 0 } };
    for (u32 k = 0; k < (from == to && is_surrogate(from) ? 0u : 3u); k++) {
        if (parts[k][0] > parts[k][1])
            continue;
        put_code(p, parts[k][0]);
        if (parts[k][0] < parts[k][1]) {
            put(p, "-");
            put_code(p, parts[k][1]);
        }
        s->has_any = 1;
    }
}

/* What of a class is more than one character, in PCRE2's words; NULL: it is one, *code. in: s[i] is its first byte. */
static const char *class_atom(js *p, u32 *code)
{
    *code = 0;
    if (peek(p, 0) != '\\') {
        p->i += gx_utf8_decode(p->s + p->i, p->n - p->i, code);
        return NULL;
    }
    p->i++;
    const int e = peek(p, 0);
    const char *many = e == 'd' ? "\\d"
        : e == 'D'              ? "\\D"
        : e == 'w'              ? is_folded(p) ? WORDS : "\\w"
        : e == 'W'              ? is_folded(p) ? NO_WORDS : "\\W"
        : e == 's'              ? SPACES
        : e == 'S'              ? NO_SPACES
                                : NULL;
    if (many)
        p->i++;
    else if (e == 'b') {
        p->i++;
        *code = 8;
    } else if (e < 0)
        fail(p, "\\ at the end of the pattern", p->i - 1);
    else
        *code = character_escape(p, 1);
    return many;
}

/* A class such as \w or \S within a set. What it has of the characters that need mending is noted. */
static void put_many(js *p, set *s, const char *many)
{
    put(p, many);
    s->has_any = 1;
    if (many[0] == '\\' && many[1] == 'w')
        s->has_partner |= 3;                    /* s and k */
    else if ((many[0] == '\\' && (many[1] == 'W' || many[1] == 'D')) || !strcmp(many, NO_SPACES))
        s->has_loose = (1u << N_LOOSE) - 1;
    if ((many[0] == '\\' && many[1] == 'D') || !strcmp(many, NO_SPACES))
        s->has_partner = (1u << N_LOOSE) - 1;
    else if (many[0] == '\\' && many[1] == 'W')
        s->has_partner |= ((1u << N_LOOSE) - 1) & ~3u;          /* all but s and k */
}

/* The characters of which PCRE2, without regard to case, would say something else than JavaScript; 0: there are none */
static u32 loose_in(const set *s) { return s->has_loose ^ s->has_partner; }

/* The characters of a set that PCRE2 would match without case and JavaScript does not, or the other way round, as a set
 * that minds the case. */
static void put_loose(js *p, const set *s)
{
    put(p, "(?-i:[");
    for (u32 k = 0; k < N_LOOSE; k++)
        if (loose_in(s) >> k & 1) {
            if (!(s->has_loose >> k & 1))
                put_code(p, loose[k].c);
            else {
                put_code(p, loose[k].lower);
                put_code(p, loose[k].upper);
            }
        }
    put(p, "])");
}

/* CharacterClass; s[i] is behind the '['. Reads up to the ']' and writes a set of PCRE2's. Its items are collected
 * first, as what is in the set decides how it is written: nothing at all ([] fails, [^] is any character), and without
 * regard to case a look-ahead or an alternative for the characters of `loose` that the set has without their partners.
 */
static void class(js *p)
{
    const u32 begin = p->i - 1;
    const int negated = peek(p, 0) == '^';
    gx_buf items = { 0 }, *out = p->out;
    set s = { 0, 0, 0 };
    p->i += (u32)negated;
    p->out = &items;
    while (peek(p, 0) != ']' && !p->wrong) {
        u32 from, to;
        if (p->i >= p->n) {
            fail(p, "the class is not closed", begin);
            break;
        }
        const u32 at = p->i;
        const char *many = class_atom(p, &from), *more = NULL;
        if (peek(p, 0) != '-' || peek(p, 1) == ']' || peek(p, 1) < 0) {
            many ? put_many(p, &s, many) : range(p, &s, from, from);
            continue;
        }
        p->i++;
        more = class_atom(p, &to);
        if (!many && !more) {
            from <= to ? range(p, &s, from, to) : (void)fail(p, "the range of a class is out of order", at);
            continue;
        }
        many ? put_many(p, &s, many) : range(p, &s, from, from);        /* B.1.2: no range, but three items */
        range(p, &s, '-', '-');
        more ? put_many(p, &s, more) : range(p, &s, to, to);
    }
    p->out = out;
    p->i++;
    const int mend = is_mended(p) && loose_in(&s);
    if (!s.has_any)
        put(p, negated ? "(?s:.)" : "(?!)");
    else if (!p->wrong && !gx_buf_room(&items, 1)) {
        items.at[items.n] = 0;
        put(p, mend ? negated ? "(?:" : "(?:(?!" : "");
        if (mend && !negated) {
            put_loose(p, &s);
            put(p, ")");
        }
        put(p, negated ? "[^" : "[");
        put(p, items.at);
        put(p, "]");
        if (mend && negated) {
            put(p, "|");
            put_loose(p, &s);
        }
        put(p, mend ? ")" : "");
    }
    gx_buf_free(&items);
}

/* ---- atoms ---- */

/* One character as itself. Without regard to case, where PCRE2 would match more than JavaScript, as a set that minds
 * the case: the character alone if it is one of `loose`, else its two cases. */
static void literal(js *p, u32 c)
{
    set s = { 0, 0, 0 };
    if (is_surrogate(c)) {
        put(p, "(?!)");                         /* no character is one */
        return;
    }
    for (u32 k = 0; is_mended(p) && k < N_LOOSE; k++) {
        s.has_loose |= (u32)(loose[k].c == c) << k;
        s.has_partner |= (u32)(loose[k].lower == c || loose[k].upper == c) << k;
    }
    for (u32 k = 0; k < N_LOOSE; k++)
        if (loose_in(&s) >> k & 1) {
            put(p, "(?-i:[");
            put_code(p, s.has_loose ? c : loose[k].lower);
            put_code(p, s.has_loose ? c : loose[k].upper);
            put(p, c == 0x3b8 || c == 0x398 ? "\\x{3d1}])" : "])");
            return;
        }
    put_code(p, c);
}

static void reference(js *p, u32 group)
{
    char text[24];
    snprintf(text, sizeof text, "\\g{%u}", group);
    put(p, text);
    p->group = group;
}

/* How many groups the pattern has that take part in numbering. *named: the number of the first that has the name, of
 * `len` bytes; of the first that has any name, if `name` is NULL; 0: none. Reads the n bytes as far as escapes,
 * classes and parentheses go: whether they are well-formed is found later. */
static u32 count_groups(const char *s, u32 n, const char *name, u32 len, u32 *named)
{
    u32 groups = 0;
    int in_class = 0;
    *named = 0;
    for (u32 i = 0; i < n; i++) {
        if (s[i] == '\\')
            i++;
        else if (s[i] == '[' || s[i] == ']')
            in_class = in_class ? s[i] != ']' : s[i] == '[';
        else if (s[i] == '(' && !in_class) {
            const int has_name = n - i > 3 && s[i + 1] == '?' && s[i + 2] == '<' && s[i + 3] != '=' && s[i + 3] != '!';
            if (i + 1 < n && s[i + 1] == '?' && !has_name)
                continue;
            groups++;
            const char *end = has_name ? memchr(s + i + 3, '>', n - i - 3) : NULL;
            if (has_name && !*named
                && (!name || (end && (u32)(end - (s + i + 3)) == len && !memcmp(s + i + 3, name, len))))
                *named = groups;
        }
    }
    return groups;
}

u32 gx_javascript_group(const char *s, u32 n, const char *name, u32 len)
{
    u32 named;
    count_groups(s, n, name, len, &named);
    return named;
}

/* Behind "\k", where there are named groups. Each reads the whole pattern for its name, NAME_WORK bytes in all: a
 * pattern of more than 20 KB may have too many. */
static void named_reference(js *p)
{
    if ((p->name_work += p->n) > NAME_WORK) {
        fail(p, "there are too many \\k<...> for so long a pattern", p->i);
        return;
    }
    const char *end = peek(p, 0) == '<' ? memchr(p->s + p->i, '>', p->n - p->i) : NULL;
    const u32 group = end ? gx_javascript_group(p->s, p->n, p->s + p->i + 1, (u32)(end - (p->s + p->i + 1))) : 0;
    if (!group) {
        fail(p, "\\k<...> names no group", p->i);
        return;
    }
    reference(p, group);
    p->i = (u32)(end - p->s) + 1;
}

/* With the flag u: \p{...}, whose properties' names PCRE2 knows but for what stands before them */
static void property(js *p, int e)
{
    const char *end = peek(p, 0) == '{' ? memchr(p->s + p->i, '}', p->n - p->i) : NULL, *name = p->s + p->i + 1,
               *equals;
    char text[80];
    if (!end || end - name > 60 || end == name) {
        fail(p, "\\p wants a property in braces", p->i);
        return;
    }
    equals = memchr(name, '=', (size_t)(end - name));
    name = equals ? equals + 1 : name;
    snprintf(text, sizeof text, "\\%c{%.*s}", (char)e, (int)(end - name), name);
    put(p, text);
    p->i = (u32)(end - p->s) + 1;
}

/* AtomEscape (22.2.1, B.1.2); s[i] is behind the backslash, out of a class. Writes it and moves behind it. A number is
 * a reference if there are so many groups, in front or behind, else an octal or a digit. Returns whether what was
 * written may be repeated; p->group and p->place say for the token what it was, if it was no character. */
static int escape(js *p)
{
    const int e = peek(p, 0);
    if (e < 0)
        return fail(p, "\\ at the end of the pattern", p->i - 1);
    switch (e) {
    case 'd': put(p, "\\d"); break;
    case 'D': put(p, "\\D"); break;
    case 'w': put(p, is_folded(p) ? "[" WORDS "]" : "\\w"); break;
    case 'W': put(p, is_folded(p) ? "[^" WORDS "]" : "\\W"); break;
    case 's': put(p, "[" SPACES "]"); break;
    case 'S': put(p, "[^" SPACES "]"); break;
    case 'b': case 'B':
        if (is_folded(p))
            put(p, e == 'b' ? "(?:(?<=[" WORDS "])(?![" WORDS "])|(?<![" WORDS "])(?=[" WORDS "]))"
                            : "(?:(?<=[" WORDS "])(?=[" WORDS "])|(?<![" WORDS "])(?![" WORDS "]))");
        else
            put(p, e == 'b' ? "\\b" : "\\B");
        p->place = (u32)e;
        p->i++;
        return 0;
    case 'k':
        if (!p->is_named) {
            literal(p, 'k');
            break;
        }
        p->i++;
        named_reference(p);
        return 1;
    case 'p': case 'P':
        if (!(p->flags & GX_JS_UNICODE)) {
            put(p, e == 'p' ? "p" : "P");
            break;
        }
        p->i++;
        property(p, e);
        return 1;
    case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9': {
        u32 group = 0, k = 0;
        for (; is_digit(peek(p, k)) && group < 100000; k++)
            group = group * 10 + (u32)(peek(p, k) - '0');
        if (group <= p->groups) {
            reference(p, group);
            p->i += k;
        } else
            literal(p, character_escape(p, 0));
        return 1;
    }
    default:
        literal(p, character_escape(p, 0));
        return 1;
    }
    p->i++;
    return 1;
}

/* A group's beginning; s[i] is behind the '('. Writes it, without its name, as PCRE2 has the number by itself, and
 * puts its kind on the stack of open groups, DEPTH at most. */
static void open_group(js *p)
{
    static const struct {
        const char *text;
        u8 kind;
    } kinds[] = { { "?:", GX_JS_GROUP },
                  { "?=", GX_JS_AHEAD },
                  { "?!", GX_JS_NOT_AHEAD },
                  { "?<=", GX_JS_BEHIND },
                  { "?<!", GX_JS_NOT_BEHIND } };
    u8 kind = GX_JS_CAPTURE;
    if (p->depth == DEPTH) {
        fail(p, "too many groups inside each other", p->i - 1);
        return;
    }
    put(p, "(");
    if (peek(p, 0) == '?') {
        u32 k = 0;
        while (k < 5
               && (p->n - p->i < strlen(kinds[k].text) || memcmp(p->s + p->i, kinds[k].text, strlen(kinds[k].text))))
            k++;
        if (k < 5) {
            put(p, kinds[k].text);
            kind = kinds[k].kind;
            p->i += (u32)strlen(kinds[k].text);
        } else {
            const char *end = peek(p, 1) == '<' ? memchr(p->s + p->i, '>', p->n - p->i) : NULL;
            const int first = peek(p, 2);
            if (!end || end == p->s + p->i + 2 || is_digit(first)) {
                fail(p, "there is no such kind of group", p->i);
                return;
            }
            p->i = (u32)(end - p->s) + 1;
        }
    }
    p->kinds[p->depth++] = kind;
    token(p, GX_JS_OPEN, kind, 0);
}

/* At '{': the length of a quantifier, with its numbers; 0: it is none, and the brace a character */
static u32 braces(const js *p, u64 *least, u64 *most)
{
    u32 k = 1;
    *least = *most = 0;
    if (!is_digit(peek(p, k)))
        return 0;
    for (; is_digit(peek(p, k)); k++)
        *least = *least < 1000000 ? *least * 10 + (u64)(peek(p, k) - '0') : *least;
    *most = *least;
    if (peek(p, k) == ',') {
        *most = is_digit(peek(p, ++k)) ? 0 : ~0ull;
        for (; is_digit(peek(p, k)); k++)
            *most = *most < 1000000 ? *most * 10 + (u64)(peek(p, k) - '0') : *most;
    }
    return peek(p, k) == '}' ? k + 1 : 0;
}

/* A quantifier of `len` bytes at s[i], and the '?' behind it if it is lazy. least, most: of one in braces, else they
 * are made of the character. PCRE2 counts to 65,535: more at most is no limit, more at least is refused. */
static void quantifier(js *p, int can_repeat, u32 len, u64 least, u64 most)
{
    char text[48];
    if (!can_repeat) {
        fail(p, "there is nothing to repeat", p->i);
        return;
    }
    if (len == 1)
        snprintf(text, sizeof text, "%c", p->s[p->i]);
    else if (least > most)
        fail(p, "the numbers in braces are out of order", p->i);
    else if (least > 65535)
        fail(p, "more than 65535 repetitions", p->i);
    else if (most > 65535)
        snprintf(text, sizeof text, "{%u,}", (u32)least);
    else
        snprintf(text, sizeof text, "{%u,%u}", (u32)least, (u32)most);
    if (p->wrong)
        return;
    const u32 c = (u8)p->s[p->i], lazy = p->i + len < p->n && p->s[p->i + len] == '?';
    put(p, text);
    put(p, lazy ? "?" : "");
    p->i += len + lazy;
    if (len == 1) {
        least = c == '+';
        most = c == '?' ? 1 : ~0ull;
    }
    token(p, GX_JS_REPEAT, (u32)least, most > 65535 ? ~0u : (u32)most);
    if (!p->wrong)
        GX_BUF_AT(p->tokens, gx_js_token)[GX_BUF_N(p->tokens, gx_js_token) - 1].lazy = (u8)lazy;
}

/* Writes one atom, assertion, or what stands between them, which began with the character c; s[i] is behind it. A
 * token is appended for it. Returns whether a quantifier may follow: behind an assertion only where annex B says so,
 * behind "|" and "(" never. */
static int item(js *p, u32 c)
{
    const u64 from = p->out->n;
    int can_repeat = 1;
    p->group = p->place = 0;
    switch (c) {
    case '\\': can_repeat = escape(p); break;
    case '[': class(p); break;
    case '.': put(p, p->flags & GX_JS_DOT_ALL ? "(?s:.)" : "[^" LINE_ENDS "]"); break;
    case '^': case '$':
        put(p,
            p->flags & GX_JS_LINES ? c == '^' ? "(?<![^" LINE_ENDS "])" : "(?![^" LINE_ENDS "])"
                : c == '^'         ? "^"
                                   : "\\z");
        p->place = c;
        can_repeat = 0;
        break;
    case '|':
        put(p, "|");
        token(p, GX_JS_OR, 0, 0);
        return 0;
    case '(': open_group(p); return 0;
    case ')':
        if (!p->depth)
            return fail(p, "the parenthesis closes no group", p->i - 1);
        p->depth--;
        put(p, ")");
        token(p, GX_JS_CLOSE, 0, 0);
        return p->kinds[p->depth] != GX_JS_BEHIND && p->kinds[p->depth] != GX_JS_NOT_BEHIND;
    default: literal(p, c);
    }
    if (p->group)
        token(p, GX_JS_REFERENCE, p->group, 0);
    else if (p->place)
        token(p, GX_JS_PLACE, p->place, 0);
    else
        token(p, GX_JS_CHARACTER, (u32)from, (u32)p->out->n);
    return can_repeat;
}

/* One pass over the pattern, but for a first one that counts the groups: whether \1 is a reference depends on it.
 * After an error the pass stops, and *at is the byte of its first. O(n), and O(n) for each \k<name>. */
const char *gx_javascript_pattern(const char *s, u32 n, int flags, gx_buf *out, gx_buf *tokens, u32 *at)
{
    js p = { .s = s, .n = n, .flags = flags, .out = out, .tokens = tokens };
    u32 named, c, len;
    u64 least = 0, most = 0;
    int can_repeat = 0;
    p.groups = count_groups(s, n, NULL, 0, &named);
    p.is_named = named != 0;
    while (p.i < n && !p.wrong) {
        c = (u8)s[p.i];
        if (c == '*' || c == '+' || c == '?' || (c == '{' && braces(&p, &least, &most))) {
            len = c == '{' ? braces(&p, &least, &most) : 1;
            quantifier(&p, can_repeat, len, least, most);
            can_repeat = 0;
            continue;
        }
        p.i += gx_utf8_decode(s + p.i, n - p.i, &c);
        can_repeat = item(&p, c);
    }
    if (p.depth)
        fail(&p, "a group is not closed", n);
    *at = p.wrong_at;
    return p.wrong;
}

int gx_javascript_differs(u32 a, u32 b)
{
    for (u32 k = 0; k < N_LOOSE; k++)
        if ((a == loose[k].c && (b == loose[k].lower || b == loose[k].upper))
            || (b == loose[k].c && (a == loose[k].lower || a == loose[k].upper)))
            return 1;
    return 0;
}

/* The flags as bits. -1: one is unknown, or there twice. */
int gx_javascript_flags(const char *s, u32 n)
{
    static const struct {
        char c;
        u8 bit;
    } known[] = { { 'g', GX_JS_GLOBAL },  { 'i', GX_JS_NOCASE }, { 'm', GX_JS_LINES }, { 's', GX_JS_DOT_ALL },
                  { 'u', GX_JS_UNICODE }, { 'y', GX_JS_STICKY }, { 'd', 64 } };
    int flags = 0;
    for (u32 i = 0, k; i < n; i++) {
        for (k = 0; k < sizeof known / sizeof known[0] && known[k].c != s[i]; k++)
            ;
        if (k == sizeof known / sizeof known[0] || flags & known[k].bit)
            return -1;
        flags |= known[k].bit;
    }
    return flags;
}
