/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terms.c -- the index: what a part's terms are, and segments of them (terms.h)
 *
 * A part's terms go into a set first, which most repetitions do not leave; what is new goes to the list that a segment
 * is sorted from. Cost: about 3 ns a byte of text, 15 a value.
 */
#include <stdlib.h>
#include <string.h>
#include "machine/text.h"
#include "machine/word.h"
#include "number.h"
#include "terms.h"

#define SEED 0x5bd1e9955bd1e995ull /* of the file's format */
#define WORD_START 0x2545f4914f6cdd1dull
#define WORD_STEP 0x9e3779b97f4a7c15ull
enum { FULL = 6 << 20 }; /* terms x parts of one segment */

struct gxs_terms {
    u32 flags, n_parts;
    gx_buf pairs;      /* u64: hash << 32 | part */
    u32 *set, mask, n; /* of the part that is being added; 0: empty */
    u8 class[256]; /* of a byte: lower case of ASCII's letters and digits, 0: in no word, 1: of a longer character */
};

/* ---- hashes ---- */

static u64 word_start(void) { return WORD_START; }
static inline u64 word_step(u64 h, u32 folded) { return (h ^ folded) * WORD_STEP; }
static inline u32 word_end(u64 h) { return (u32)((h ^ h >> 29) * WORD_STEP >> 32); }

u32 gxs_word_hash(const char *word, u32 len)
{
    u64 h = word_start();
    u32 folded;
    for (u32 i = 0, n = 0; i < len && n < GXS_WORD; n++) {
        i += gx_word_char(word + i, len - i, &folded);
        h = word_step(h, folded);
    }
    return word_end(h);
}

static inline u32 value_hash(u32 name, int is_attribute, const char *value, u32 len)
{
    const u64 h = gx_text_hash(SEED, value, len) ^ (u64)name * WORD_STEP ^ (u64)is_attribute;
    return (u32)((h ^ h >> 31) * WORD_STEP >> 32);
}

u32 gxs_value_hash(int is_attribute, const char *uri, u32 uri_len, const char *local, u32 local_len, const char *value,
                   u32 len)
{
    return value_hash(gx_name_hash(uri, uri_len, local, local_len), is_attribute, value, len);
}

/* ---- the set ---- */

gxs_terms *gxs_terms_create(u32 flags)
{
    gxs_terms *t = calloc(1, sizeof *t);
    if (t) {
        t->flags = flags;
        t->mask = (1u << 14) - 1;
        for (u32 c = 0; c < 256; c++) {
            u32 folded = 1;
            if (c < 128)
                gx_word_char(&(char){ (char)c }, 1, &folded);
            t->class[c] = (u8)folded;
        }
        t->set = calloc(t->mask + 1ull, sizeof *t->set);
    }
    if (t && t->set)
        return t;
    free(t);
    return NULL;
}

void gxs_terms_free(gxs_terms *t)
{
    if (!t)
        return;
    free(t->set);
    gx_buf_free(&t->pairs);
    free(t);
}

u32 gxs_terms_parts(const gxs_terms *t) { return t->n_parts; }
int gxs_terms_full(const gxs_terms *t) { return t->pairs.n / sizeof(u64) >= FULL; }

static int grow(gxs_terms *t)
{
    const u32 mask = 2 * t->mask + 1;
    u32 *set = calloc(mask + 1ull, sizeof *set);
    if (!set)
        return 0;
    for (u32 i = 0; i <= t->mask; i++) {
        u32 at = t->set[i] & mask;
        if (!t->set[i])
            continue;
        while (set[at])
            at = (at + 1) & mask;
        set[at] = t->set[i];
    }
    free(t->set);
    t->set = set;
    t->mask = mask;
    return 1;
}

/* Before so many terms more */
static int room_for(gxs_terms *t, u32 more)
{
    while ((u64)t->n + more > t->mask / 2)
        if (!grow(t))
            return 0;
    return 1;
}

static inline void add(gxs_terms *t, u32 hash)
{
    hash += !hash;
    for (u32 at = hash & t->mask;; at = (at + 1) & t->mask) {
        if (t->set[at] == hash)
            return;
        if (!t->set[at]) {
            t->set[at] = hash;
            t->n++;
            return;
        }
    }
}

/* ---- a part's terms ---- */

/* All words of s[0 .. n) */
static int add_words(gxs_terms *t, const char *s, u32 n)
{
    const u8 *class = t->class;
    for (u32 i = 0; i < n;) {
        const u32 stop = n - i > 4096 ? i + 4096 : n;
        if (!room_for(t, 4096))
            return 0;
        while (i < stop) {
            u64 h = word_start();
            u32 len = 0, c, folded = 1;
            while (i < n && (c = class[(u8)s[i]]) != 0) {
                u32 size = 1;
                if (c == 1) {
                    size = gx_word_char(s + i, n - i, &folded);
                    if (!folded)
                        break;
                    c = folded;
                }
                i += size;
                if (len++ < GXS_WORD)
                    h = word_step(h, c);
            }
            if (len)
                add(t, word_end(h));
            if (i < n)
                i += !folded ? gx_word_char(s + i, n - i, &folded) : 1;
        }
    }
    return 1;
}

/* What an element has of the words that begin before it, or end behind it */
static void add_cut_words(gxs_terms *t, const char *text, u32 size, u32 off, u32 len)
{
    const u32 end = off + len;
    u32 at = off, has;
    if (off && t->class[(u8)text[off - 1]] && t->class[(u8)text[off]] && (has = gx_word_next(text, end, &at)) != 0)
        add(t, gxs_word_hash(text + at, has));
    if (end < size && t->class[(u8)text[end]] && t->class[(u8)text[end - 1]]) {
        u32 from = end, folded = 1;
        for (u32 n = 0; from > off; n++) { /* text[from .. end) is in the word */
            u32 back = from - 1;
            while (back > off && ((u8)text[back] & 0xc0) == 0x80)
                back--;
            gx_word_char(text + back, end - back, &folded);
            if (!folded)
                break;
            from = back;
        }
        if (from < end)
            add(t, gxs_word_hash(text + from, end - from));
    }
}

gx_status gxs_terms_add(gxs_terms *t, const gx_doc *d)
{
    const u32 *label = GX_DOC_COL(d, u32, label), *off = GX_DOC_COL(d, u32, text_off),
              *len = GX_DOC_COL(d, u32, text_len);
    const gx_label_info *info = GX_DOC_COL(d, gx_label_info, labels);
    const char *text = GX_DOC_COL(d, char, text), *values = GX_DOC_COL(d, char, values);
    const int words = t->flags & GXS_HAS_WORDS, has_values = t->flags & GXS_HAS_VALUES;
    if (!t->flags)
        return GX_OK;
    if (words && !add_words(t, text, (u32)d->text_size))
        return GX_ENOMEM;
    for (u32 i = 0; i < d->n_nodes; i++) {
        const u32 kind = GX_LABEL_KIND(label[i]);
        const int is_attribute = kind == GX_KIND_ATTR;
        if (kind > GX_KIND_TEXT && !is_attribute)
            continue;
        if (!room_for(t, 4))
            return GX_ENOMEM;
        if (has_values && len[i] <= GXS_VALUE && (kind == GX_KIND_ELEM || is_attribute))
            add(t, value_hash(info[GX_LABEL_ID(label[i])].hash, is_attribute, (is_attribute ? values : text) + off[i],
                              len[i]));
        if (!words || !len[i])
            continue;
        if (is_attribute) {
            if (!add_words(t, values + off[i], len[i]))
                return GX_ENOMEM;
        } else
            add_cut_words(t, text, (u32)d->text_size, off[i], len[i]);
    }
    u64 *to = gx_buf_push(&t->pairs, t->n * sizeof *to + 1);
    if (!to)
        return GX_ENOMEM;
    t->pairs.n--;
    for (u32 i = 0; i <= t->mask; i++)
        if (t->set[i]) {
            *to++ = (u64)t->set[i] << 32 | t->n_parts;
            t->set[i] = 0;
        }
    t->n = 0;
    t->n_parts++;
    return GX_OK;
}

/* ---- a segment ---- */

/* By their upper halves; parts are in order already. Three passes over the upper 33 bits of interest: 11 each. */
static int sort(gx_buf *pairs)
{
    const size_t n = pairs->n / sizeof(u64);
    u64 *from = GX_BUF_AT(pairs, u64), *to = malloc((n + 1) * sizeof *to), *own = to;
    size_t *start = malloc(2048 * sizeof *start);
    for (u32 pass = 0; own && start && pass < 3; pass++) {
        const u32 shift = 32 + 11 * pass;
        size_t sum = 0;
        memset(start, 0, 2048 * sizeof *start);
        for (size_t i = 0; i < n; i++)
            start[from[i] >> shift & 2047]++;
        for (u32 k = 0; k < 2048; k++) {
            const size_t count = start[k];
            start[k] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            to[start[from[i] >> shift & 2047]++] = from[i];
        u64 *other = from;
        from = to;
        to = other;
    }
    if (own && start)
        memcpy(pairs->at, from, from == own ? n * sizeof *from : 0);
    const int ok = own && start;
    free(own);
    free(start);
    return ok;
}

gx_status gxs_terms_write(gxs_terms *t, gx_buf *out)
{
    const size_t n = t->pairs.n / sizeof(u64);
    gxs_terms_head h = { t->flags, 0, t->n_parts, 0 };
    const u64 *p = GX_BUF_AT(&t->pairs, u64);
    while (h.bits < 24 && n >> h.bits > 64)
        h.bits++;
    const size_t start = out->n, begins_at = start + sizeof h, buckets = (size_t)1 << h.bits;
    if (!sort(&t->pairs) || !gx_buf_push(out, sizeof h + (buckets + 1) * 4))
        return GX_ENOMEM;
    memcpy(out->at + start, &h, sizeof h);
    size_t i = 0;
    for (size_t b = 0; b < buckets; b++) {
        u32 before = h.bits ? (u32)(b << (32 - h.bits)) : 0, at = (u32)(out->n - start);
        memcpy(out->at + begins_at + 4 * b, &at, 4);
        while (i < n && (h.bits ? (u32)(p[i] >> 32) >> (32 - h.bits) : 0) == b) {
            const u32 hash = (u32)(p[i] >> 32);
            size_t end = i + 1;
            while (end < n && (u32)(p[end] >> 32) == hash)
                end++;
            if (gx_buf_room(out, 16 + 5 * (end - i)))
                return GX_ENOMEM;
            char *to = gxs_number_put(out->at + out->n, (u64)(hash - before) * 2 + (end - i == 1));
            if (end - i > 1)
                to = gxs_number_put(to, end - i);
            for (u32 part = 0; i < end; i++) {
                to = gxs_number_put(to, (u32)p[i] - part);
                part = (u32)p[i];
            }
            out->n = (size_t)(to - out->at);
            before = hash;
        }
    }
    const u32 at = (u32)(out->n - start);
    memcpy(out->at + begins_at + 4 * buckets, &at, 4);
    t->pairs.n = 0;
    t->n_parts = 0;
    return GX_OK;
}
