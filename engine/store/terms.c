/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terms.c -- the index: what a record's terms are, and segments of them (terms.h)
 *
 * A term goes to the list that a segment is sorted from unless it was met in the same record just before; what remains
 * of repetitions goes when the list has been sorted. Cost: about 2 ns a byte of text, 3 a value, 12 a term and record.
 */
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
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
enum { KNOWN = 256 };         /* sets of a part's labels whose shape is remembered */

struct gxs_terms {
    u32 flags, n_parts, n_records;
    u64 n_words;
    gx_buf first;   /* u32: the parts' first records */
    gx_buf pairs;   /* u64: hash << 32 | record */
    gx_buf sorted;
    gx_buf shape;   /* u8: the records' shapes */
    gxs_shape shapes[GXS_ANY_SHAPE];
    u32 n_shapes;
    struct {
        u64 labels;
        u32 shape; /* and 1; 0: nothing */
    } known[KNOWN]; /* of this part */
    u64 seen[SEEN]; /* pairs that were put, by hash */
    u8 class[256]; /* of a byte: lower case of ASCII's letters and digits, 0: in no word, 1: of a longer character */
};

/* ---- hashes ---- */

/* A word's hash is that of its folded characters, eight bytes at a time, the last ones with zeros behind them: one byte
 * of ASCII, else four. */
static inline u64 word_mix(u64 h, u64 eight)
{
    h = (h ^ eight) * WORD_STEP;
    return h ^ h >> 32;
}
static inline u32 word_end(u64 h) { return (u32)(h * WORD_STEP >> 32); }

typedef struct word {
    char bytes[4 * GXS_WORD + 8];
    u32 n, chars;
} word; /* zeros to begin with */

static inline void put_char(word *w, u32 folded)
{
    if (w->chars++ >= GXS_WORD)
        return;
    memcpy(w->bytes + w->n, &folded, 4);
    w->n += folded < 128 ? 1 : 4;
}

static u32 word_hash(const word *w)
{
    u64 h = WORD_START, x;
    for (u32 i = 0; i < w->n; i += 8) {
        memcpy(&x, w->bytes + i, 8);
        h = word_mix(h, x);
    }
    return word_end(h);
}

/* The hash of a word as the index has it: folded, at most GXS_WORD characters of it. */
u32 gxs_word_hash(const char *s, u32 len)
{
    word w = { 0 };
    u32 folded;
    for (u32 i = 0; i < len && w.chars < GXS_WORD;) {
        i += gx_word_char(s + i, len - i, &folded);
        put_char(&w, folded);
    }
    return word_hash(&w);
}

static inline u32 value_hash(int is_attribute, u32 name, const char *value, u32 len)
{
    const u64 h = gx_text_hash(SEED, value, len) ^ (u64)name * WORD_STEP ^ (u64)is_attribute;
    return (u32)((h ^ h >> 31) * WORD_STEP >> 32);
}

u32 gxs_named_value_hash(int is_attribute, u32 name, const char *value, u32 len)
{
    return value_hash(is_attribute, name, value, len);
}

u32 gxs_value_hash(int is_attribute, const char *uri, u32 uri_len, const char *local, u32 local_len, const char *value,
                   u32 len)
{
    return gxs_named_value_hash(is_attribute, gx_name_hash(uri, uri_len, local, local_len), value, len);
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
    gx_buf_free(&t->shape);
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

/* The word that begins at s[i], if any; returns what is behind it and the character that ends it. */
static u32 add_word(gxs_terms *t, const char *s, u32 n, u32 i)
{
    u32 folded = 1, size = 0;
    word w = { 0 };
    for (; i < n && folded; i += size) {
        size = gx_word_char(s + i, n - i, &folded);
        if (folded)
            put_char(&w, folded);
    }
    t->n_words += w.n != 0;
    if (w.n)
        add(t, word_hash(&w));
    return i;
}

#ifdef __SSE2__
/* Of 64 bytes: which are letters and digits of ASCII; *others: which are no ASCII */
static inline u64 word_bytes(const char *s, u64 *others)
{
    u64 words = 0, high = 0;
    for (u32 k = 0; k < 4; k++) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(s + 16 * k));
        const __m128i letter = _mm_sub_epi8(_mm_or_si128(v, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
        const __m128i digit = _mm_sub_epi8(v, _mm_set1_epi8('0'));
        const __m128i is = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(25)), letter),
                                        _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit));
        words |= (u64)(u32)_mm_movemask_epi8(is) << 16 * k;
        high |= (u64)(u32)_mm_movemask_epi8(v) << 16 * k;
    }
    *others = high;
    return words;
}

/* The hash of a word of n letters and digits of ASCII, behind which 8 bytes can be read */
static inline u32 ascii_hash(const char *s, u32 n)
{
    const u64 lower = 0x2020202020202020ull; /* digits have that bit, too */
    u64 h = WORD_START, x;
    for (; n > 8; s += 8, n -= 8) {
        memcpy(&x, s, 8);
        h = word_mix(h, x | lower);
    }
    memcpy(&x, s, 8);
    return word_end(word_mix(h, (x | lower) & ~0ull >> (64 - 8 * n)));
}
#endif

/* All words of s[0 .. n) that begin before `stop`, from i on, which is within none; there is room. `readable` bytes of
 * s can be read. Returns where to go on: within no word. Words of ASCII that lie in 64 bytes are found by masks, in two
 * fifths of the time that a character at a time takes. */
static u32 add_words(gxs_terms *t, const char *s, u32 n, u64 readable, u32 i, u32 stop)
{
    while (i < stop) {
#ifdef __SSE2__
        if (i + 72ull <= readable) {
            u64 others, words = word_bytes(s + i, &others);
            const u64 inside = n - i < 64 ? (1ull << (n - i)) - 1 : ~0ull;
            words &= inside;
            others &= inside;
            const u32 end = others ? (u32)__builtin_ctzll(others) : n - i < 64 ? n - i : 64, from = i;
            int by_char = others != 0;
            words &= end < 64 ? (1ull << end) - 1 : ~0ull;
            i = from + end;
            while (words) {
                const u32 b = (u32)__builtin_ctzll(words);
                const u64 behind = ~(words >> b);
                const u32 len = behind ? (u32)__builtin_ctzll(behind) : 64;
                if (from + b >= stop)
                    return from + b;
                if (b + len == end && from + end < n) { /* it may go on */
                    i = from + b;
                    by_char = b == 0;
                    break;
                }
                t->n_words++;
                add(t, ascii_hash(s + from + b, len));
                if (b + len == end)
                    break;
                words &= ~0ull << (b + len);
            }
            if (!by_char)
                continue;
        }
#endif
        i = add_word(t, s, n, i);
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

/* The shape of a record with these labels: bit k for k, k + 64, ... */
static u8 find_shape(gxs_terms *t, const gx_doc *d, u64 labels)
{
    const gx_label_info *info = GX_DOC_COL(d, gx_label_info, labels);
    gxs_shape s = { { 0 } };
    u32 k = 0;
    for (u32 i = 0; i < d->n_labels; i++)
        if (labels >> (i & 63) & 1)
            gxs_shape_add(&s, info[i].kind, info[i].hash);
    while (k < t->n_shapes && memcmp(&t->shapes[k], &s, sizeof s) != 0)
        k++;
    if (k == GXS_ANY_SHAPE)
        return GXS_ANY_SHAPE;
    if (k == t->n_shapes)
        t->shapes[t->n_shapes++] = s;
    return (u8)k;
}

/* The record's shape, the set of labels that it has, as a byte: shapes that were seen lately are known by one look. */
static int add_shape(gxs_terms *t, const gx_doc *d, u64 labels)
{
    const u32 place = (u32)(labels * WORD_STEP >> 56);
    u8 *to = gx_buf_push(&t->shape, 1);
    if (!to)
        return 0;
    if (t->known[place].labels != labels || !t->known[place].shape) {
        t->known[place].labels = labels;
        t->known[place].shape = find_shape(t, d, labels) + 1u;
    }
    *to = (u8)(t->known[place].shape - 1);
    return 1;
}

/* Values of the nodes from .. to, and words that are not seen in the text as a whole; the record's shape */
static int add_nodes(gxs_terms *t, const gx_doc *d, u32 from, u32 to)
{
    const u32 *label = GX_DOC_COL(d, u32, label), *off = GX_DOC_COL(d, u32, text_off),
              *len = GX_DOC_COL(d, u32, text_len);
    const gx_label_info *info = GX_DOC_COL(d, gx_label_info, labels);
    const char *text = GX_DOC_COL(d, char, text), *values = GX_DOC_COL(d, char, values);
    const int words = t->flags & GXS_HAS_WORDS, has_values = t->flags & GXS_HAS_VALUES;
    u64 labels = 0;
    if (!room_for(t, 3ull * (to - from)))
        return 0;
    for (u32 i = from; i < to; i++) {
        const u32 kind = GX_LABEL_KIND(label[i]);
        labels |= 1ull << (GX_LABEL_ID(label[i]) & 63);
        const int is_attribute = kind == GX_KIND_ATTR;
        if (kind > GX_KIND_TEXT && !is_attribute)
            continue;
        if (has_values && len[i] <= GXS_VALUE && kind != GX_KIND_TEXT && kind != GX_KIND_ROOT)
            add(t, value_hash(is_attribute, info[GX_LABEL_ID(label[i])].hash, (is_attribute ? values : text) + off[i],
                              len[i]));
        if (!words || !len[i])
            continue;
        if (is_attribute) {
            if (!room_for(t, 3ull * (to - i) + len[i] / 2 + 1))
                return 0;
            const u64 n_words = t->n_words; /* of the text alone */
            add_words(t, values + off[i], len[i], d->values_size - off[i], 0, len[i]);
            t->n_words = n_words;
        } else
            add_cut_words(t, text, (u32)d->text_size, off[i], len[i]);
    }
    return add_shape(t, d, labels);
}

/* A part's terms: of each record its words, and its elements and attributes with their values. Pairs (hash, record) are
 * appended, not sorted. O(bytes). */
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
    memset(t->known, 0, sizeof t->known);
    for (u32 r = 0, at = 0; r < n; r++, t->n_records++) {
        const u32 from = first[r], to = r + 1 < n ? first[r + 1] : d->n_nodes,
                  stop = r + 1 < n ? off[to] : (u32)d->text_size;
        if (t->flags & GXS_HAS_WORDS && at < stop) {
            if (!room_for(t, (stop - at) / 2 + 1))
                return GX_ENOMEM;
            at = add_words(t, text, (u32)d->text_size, d->text_size, at, stop);
        }
        if (!add_nodes(t, d, from, to))
            return GX_ENOMEM;
    }
    t->n_parts++;
    return GX_OK;
}

/* ---- a segment ---- */

enum { HEAP_BITS = 8, HEAPS = 1 << HEAP_BITS, DIGIT_BITS = 12, DIGITS = 1 << DIGIT_BITS };

/* Counts to beginnings */
static void add_up(u32 *count, u32 n)
{
    for (u32 k = 0, sum = 0; k < n; k++) {
        const u32 one = count[k];
        count[k] = sum;
        sum += one;
    }
}

/* a[0 .. n) by the lower 24 bits of their hashes, through b; start: u32[2][DIGITS] */
static void sort_heap(u64 *a, u64 *b, size_t n, u32 *start)
{
    u32 *low = start, *high = start + DIGITS;
    memset(start, 0, 2 * DIGITS * sizeof *start);
    for (size_t i = 0; i < n; i++) {
        low[a[i] >> 32 & (DIGITS - 1)]++;
        high[a[i] >> (32 + DIGIT_BITS) & (DIGITS - 1)]++;
    }
    add_up(low, DIGITS);
    add_up(high, DIGITS);
    for (size_t i = 0; i < n; i++)
        b[low[a[i] >> 32 & (DIGITS - 1)]++] = a[i];
    for (size_t i = 0; i < n; i++)
        a[high[b[i] >> (32 + DIGIT_BITS) & (DIGITS - 1)]++] = b[i];
}

/* t->pairs in t->sorted, by their hashes: first into heaps by the upper bits, few enough for the TLB; a heap and its
 * copy stay in a near cache, and are sorted by two digits more. Records are in order already, and stay so. 0: no
 * memory */
static int sort(gxs_terms *t)
{
    const size_t n = t->pairs.n / sizeof(u64);
    u64 *from = GX_BUF_AT(&t->pairs, u64), *to;
    u32 ends[HEAPS] = { 0 }, *start = malloc(2 * DIGITS * sizeof *start);
    t->sorted.n = 0;
    to = gx_buf_push(&t->sorted, (n + 1) * sizeof *to);
    const int ok = to && start && n < GX_NONE;
    if (ok) {
        for (size_t i = 0; i < n; i++)
            ends[from[i] >> (64 - HEAP_BITS)]++;
        add_up(ends, HEAPS);
        for (size_t i = 0; i < n; i++)
            to[ends[from[i] >> (64 - HEAP_BITS)]++] = from[i];
        for (u32 k = 0; k < HEAPS; k++) { /* ends[k]: now where heap k ends; there, and back */
            const size_t begin = k ? ends[k - 1] : 0;
            sort_heap(to + begin, from + begin, ends[k] - begin, start);
        }
    }
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

/* The segment: head, the first record of each part, begins of the buckets, postings by ascending hash, shapes. Buckets
 * are the hash's first bits, about 64 terms each. Pairs are sorted here; then everything is emptied for the next
 * segment. GX_ELIMIT: the segment would have more than 4 GB. */
gx_status gxs_terms_write(gxs_terms *t, gx_buf *out)
{
    const size_t n = t->pairs.n / sizeof(u64);
    gxs_terms_head h = { t->flags, 0, t->n_parts, t->n_records, 0, t->n_shapes, t->n_words };
    while (h.bits < 24 && n >> h.bits > 64)
        h.bits++;
    const size_t start = out->n, begins_at = sizeof h + (t->n_parts + 1ull) * 4, buckets = (size_t)1 << h.bits;
    u32 *all = gx_buf_push(&t->first, sizeof *all);
    if (!all || !sort(t) || !gx_buf_push(out, begins_at + (buckets + 1) * 4))
        return GX_ENOMEM;
    *all = t->n_records;
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
    h.shapes_at = (u32)(out->n - start);
    char *shapes = gx_buf_push(out, t->n_shapes * sizeof *t->shapes + t->shape.n);
    if (!shapes)
        return GX_ENOMEM;
    memcpy(shapes, t->shapes, t->n_shapes * sizeof *t->shapes);
    if (t->shape.n)
        memcpy(shapes + t->n_shapes * sizeof *t->shapes, t->shape.at, t->shape.n);
    memcpy(out->at + start, &h, sizeof h);
    t->pairs.n = t->first.n = t->shape.n = 0;
    t->n_parts = t->n_records = t->n_shapes = 0;
    t->n_words = 0;
    memset(t->seen, 0xff, sizeof t->seen);
    return GX_OK;
}
