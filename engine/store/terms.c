/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terms.c -- the index: what a record's terms are, and segments of them (terms.h)
 *
 * A term goes to the list that a segment is sorted from unless it was met in the same record just before; what remains
 * of repetitions goes when the list has been sorted. Cost: about 2 ns a byte of text, 3 a value, 12 a term and record.
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
/* Terms x records of one segment: their list and its sorted copy stay in a far cache, and in pages that were touched */
enum { FULL = 2 << 20 };
enum { SEEN = 1024 };         /* terms of the record that are remembered */

struct gxs_terms {
    u32 flags, n_parts, n_records;
    gx_buf first;   /* u32: the parts' first records */
    gx_buf pairs;   /* u64: hash << 32 | record */
    gx_buf sorted;
    u64 seen[SEEN]; /* pairs that were put, by hash */
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

/* ---- the list ---- */

gxs_terms *gxs_terms_create(u32 flags)
{
    gxs_terms *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->flags = flags;
    memset(t->seen, 0xff, sizeof t->seen);
    for (u32 c = 0; c < 256; c++) {
        u32 folded = 1;
        if (c < 128)
            gx_word_char(&(char){ (char)c }, 1, &folded);
        t->class[c] = (u8)folded;
    }
    return t;
}

void gxs_terms_free(gxs_terms *t)
{
    if (!t)
        return;
    gx_buf_free(&t->first);
    gx_buf_free(&t->pairs);
    gx_buf_free(&t->sorted);
    free(t);
}

u32 gxs_terms_parts(const gxs_terms *t) { return t->n_parts; }
int gxs_terms_full(const gxs_terms *t) { return t->pairs.n / sizeof(u64) >= FULL; }

/* Before so many terms more */
static inline int room_for(gxs_terms *t, u64 more) { return !gx_buf_room(&t->pairs, more * sizeof(u64)); }

/* A term of the newest record; there is room for it */
static inline void add(gxs_terms *t, u32 hash)
{
    const u64 pair = (u64)hash << 32 | t->n_records;
    u64 *seen = &t->seen[hash % SEEN];
    if (*seen == pair)
        return;
    *seen = pair;
    memcpy(t->pairs.at + t->pairs.n, &pair, sizeof pair);
    t->pairs.n += sizeof pair;
}

/* ---- a part's terms ---- */

/* All words of s[0 .. n) that begin before `stop`; there is room */
static u32 add_words(gxs_terms *t, const char *s, u32 n, u32 i, u32 stop)
{
    const u8 *class = t->class;
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
    return i;
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

/* Values of the nodes from .. to, and words that are not seen in the text as a whole */
static int add_nodes(gxs_terms *t, const gx_doc *d, u32 from, u32 to)
{
    const u32 *label = GX_DOC_COL(d, u32, label), *off = GX_DOC_COL(d, u32, text_off),
              *len = GX_DOC_COL(d, u32, text_len);
    const gx_label_info *info = GX_DOC_COL(d, gx_label_info, labels);
    const char *text = GX_DOC_COL(d, char, text), *values = GX_DOC_COL(d, char, values);
    const int words = t->flags & GXS_HAS_WORDS, has_values = t->flags & GXS_HAS_VALUES;
    if (!room_for(t, 3ull * (to - from)))
        return 0;
    for (u32 i = from; i < to; i++) {
        const u32 kind = GX_LABEL_KIND(label[i]);
        const int is_attribute = kind == GX_KIND_ATTR;
        if (kind > GX_KIND_TEXT && !is_attribute)
            continue;
        if (has_values && len[i] <= GXS_VALUE && kind != GX_KIND_TEXT && kind != GX_KIND_ROOT)
            add(t, value_hash(info[GX_LABEL_ID(label[i])].hash, is_attribute, (is_attribute ? values : text) + off[i],
                              len[i]));
        if (!words || !len[i])
            continue;
        if (is_attribute) {
            if (!room_for(t, 3ull * (to - i) + len[i] / 2 + 1))
                return 0;
            add_words(t, values + off[i], len[i], 0, len[i]);
        } else
            add_cut_words(t, text, (u32)d->text_size, off[i], len[i]);
    }
    return 1;
}

gx_status gxs_terms_add(gxs_terms *t, const gx_doc *d, const gxs_records *records)
{
    const u32 *first = GX_BUF_AT(&records->first, u32), *off = GX_DOC_COL(d, u32, text_off), n = gxs_records_n(records);
    const char *text = GX_DOC_COL(d, char, text);
    if (!t->flags)
        return GX_OK;
    u32 *part = gx_buf_push(&t->first, sizeof *part);
    if (!part)
        return GX_ENOMEM;
    *part = t->n_records;
    for (u32 r = 0, at = 0; r < n; r++, t->n_records++) {
        const u32 from = first[r], to = r + 1 < n ? first[r + 1] : d->n_nodes,
                  stop = r + 1 < n ? off[to] : (u32)d->text_size;
        if (t->flags & GXS_HAS_WORDS && at < stop) {
            if (!room_for(t, (stop - at) / 2 + 1))
                return GX_ENOMEM;
            at = add_words(t, text, (u32)d->text_size, at, stop);
        }
        if (!add_nodes(t, d, from, to))
            return GX_ENOMEM;
    }
    t->n_parts++;
    return GX_OK;
}

/* ---- a segment ---- */

/* By their hashes: first into 1024 heaps by its upper bits, each of which fits into a near cache, then each of these by
 * twice 11 bits more. Records are in order already, and stay so. */
static void sort_heap(u64 *a, u64 *b, size_t n, u32 *start)
{
    for (u32 pass = 0; pass < 2; pass++) {
        const u32 shift = 32 + 11 * pass;
        u32 sum = 0;
        memset(start, 0, 2048 * sizeof *start);
        for (size_t i = 0; i < n; i++)
            start[a[i] >> shift & 2047]++;
        for (u32 k = 0; k < 2048; k++) {
            const u32 count = start[k];
            start[k] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            b[start[a[i] >> shift & 2047]++] = a[i];
        u64 *other = a;
        a = b;
        b = other;
    }
}

/* t->pairs in t->sorted. 0: no memory */
static int sort(gxs_terms *t)
{
    const size_t n = t->pairs.n / sizeof(u64);
    u64 *from = GX_BUF_AT(&t->pairs, u64), *to;
    size_t *ends = calloc(1025, sizeof *ends);
    u32 *start = malloc(2048 * sizeof *start);
    t->sorted.n = 0;
    to = gx_buf_push(&t->sorted, (n + 1) * sizeof *to);
    const int ok = to && ends && start;
    if (ok) {
        for (size_t i = 0; i < n; i++)
            ends[(from[i] >> 54) + 1]++;
        for (u32 k = 0; k < 1024; k++)
            ends[k + 1] += ends[k];
        for (size_t i = 0; i < n; i++)
            to[ends[from[i] >> 54]++] = from[i];
        for (u32 k = 0; k < 1024; k++) { /* ends[k]: now where heap k ends; there, and back */
            const size_t begin = k ? ends[k - 1] : 0;
            sort_heap(to + begin, from + begin, ends[k] - begin, start);
        }
    }
    free(ends);
    free(start);
    return ok;
}

/* One hash's records, p[0 .. n), without repetitions. to: where its postings begin, with room for all */
static char *put_postings(char *to, u64 hash_more, const u64 *p, size_t n)
{
    u32 record = (u32)p[0];
    if ((u32)p[n - 1] == record)
        return gxs_number_put(gxs_number_put(to, hash_more * 2 + 1), record);
    to = gxs_number_put(to, hash_more * 2);
    char *from = to + 10, *at = gxs_number_put(from, record); /* behind room for how many bytes they have */
    for (size_t i = 1; i < n; i++) {
        if ((u32)p[i] != record)
            at = gxs_number_put(at, (u32)p[i] - record);
        record = (u32)p[i];
    }
    to = gxs_number_put(to, (u64)(at - from));
    memmove(to, from, (size_t)(at - from));
    return to + (at - from);
}

gx_status gxs_terms_write(gxs_terms *t, gx_buf *out)
{
    const size_t n = t->pairs.n / sizeof(u64);
    gxs_terms_head h = { t->flags, 0, t->n_parts, t->n_records };
    while (h.bits < 24 && n >> h.bits > 64)
        h.bits++;
    const size_t start = out->n, begins_at = sizeof h + (t->n_parts + 1ull) * 4, buckets = (size_t)1 << h.bits;
    u32 *all = gx_buf_push(&t->first, sizeof *all);
    if (!all || !sort(t) || !gx_buf_push(out, begins_at + (buckets + 1) * 4))
        return GX_ENOMEM;
    *all = t->n_records;
    memcpy(out->at + start, &h, sizeof h);
    memcpy(out->at + start + sizeof h, t->first.at, (t->n_parts + 1ull) * 4);
    const u64 *p = GX_BUF_AT(&t->sorted, u64);
    size_t i = 0;
    for (size_t b = 0; b <= buckets; b++) {
        u32 before = h.bits ? (u32)(b << (32 - h.bits)) : 0, at = (u32)(out->n - start);
        if (out->n - start > 0xffffffffu)
            return GX_ELIMIT;
        memcpy(out->at + start + begins_at + 4 * b, &at, 4);
        while (b < buckets && i < n && (h.bits ? (u32)(p[i] >> 32) >> (32 - h.bits) : 0) == b) {
            const u32 hash = (u32)(p[i] >> 32);
            size_t end = i + 1;
            while (end < n && (u32)(p[end] >> 32) == hash)
                end++;
            if (gx_buf_room(out, 32 + 5 * (end - i)))
                return GX_ENOMEM;
            out->n = (size_t)(put_postings(out->at + out->n, hash - before, p + i, end - i) - out->at);
            before = hash;
            i = end;
        }
    }
    t->pairs.n = t->first.n = 0;
    t->n_parts = t->n_records = 0;
    memset(t->seen, 0xff, sizeof t->seen);
    return GX_OK;
}
