/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cut.c -- cutting a document into parts (cut.h)
 *
 *   window:  | used up, or room | head | the part: start ...... cut | tail | what was read behind it |
 *
 * The head (declaration, DOCTYPE, the spine's start tags) is written over what has been used up, the tail (end tags)
 * over what comes next, which is put back afterwards: a part is parsed where it lies.
 */
#include <apr_strings.h>
#include <errno.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include "cut.h"

enum { PIECE = 1 << 20, DEEPEST = 1 << 16, MOST_TORN = 4096 };

typedef struct tag {
    size_t at, n, name;
} tag; /* a start tag: its bytes in `tags`, length, its name's length */

typedef struct cutter {
    gxs_cut *o;
    apr_pool_t *pool;
    gx_error *err;
    gx_buf window, prolog; /* prolog: XML declaration and DOCTYPE */
    gx_buf tags, spine;    /* bytes of start tags; tag[]: open where the part begins */
    gx_buf saved, torn;
    size_t start;      /* of the part, in the window */
    u64 lines;         /* before it */
    u32 part;          /* number of the part, from 0 */
    int is_over;       /* all is read */
    u32 wrong_guesses; /* in a row */
} cutter;

static gx_status no_memory(cutter *c)
{
    return gx_fail(c->err, GX_ENOMEM, c->o->file, 0, 0, "not enough memory to split it");
}

static gx_status put(cutter *c, gx_buf *b, const char *bytes, size_t n)
{
    char *to = gx_buf_push(b, n + 1);
    if (!to)
        return no_memory(c);
    if (n)
        memcpy(to, bytes, n);
    b->n--;
    return GX_OK;
}

/* One piece more behind the window's end. Used-up bytes go first, as far as the head does not need their room. */
static gx_status read_more(cutter *c, size_t head)
{
    gx_buf *w = &c->window;
    if (c->start > head + 4 * (size_t)PIECE) {
        const size_t gone = c->start - head;
        memmove(w->at + head, w->at + c->start, w->n - c->start);
        w->n -= gone;
        c->start = head;
    }
    if (w->n - c->start > c->o->part_bytes && w->n - c->start - c->o->part_bytes > c->o->most)
        return gx_fail(c->err, GX_ELIMIT, c->o->file, 0, 0,
                       "no <%s> begins within %llu bytes behind line %llu: split at another element", c->o->element,
                       (unsigned long long)c->o->most, (unsigned long long)c->lines + 1);
    if (gx_buf_room(w, PIECE + 4096))
        return no_memory(c);
    const i64 n = c->o->read(c->o->ctx, w->at + w->n, PIECE);
    if (n < 0)
        return gx_fail(c->err, GX_EIO, c->o->file, 0, 0, "cannot be read: %s", strerror(errno));
    w->n += (size_t)n;
    c->is_over = n == 0;
    return GX_OK;
}

/* ---- tags, exactly ---- */

static const char *find(const char *from, const char *end, const char *s)
{
    const char *at = from < end ? memmem(from, (size_t)(end - from), s, strlen(s)) : NULL;
    return at ? at + strlen(s) : NULL;
}

/* Behind a tag's ">", which is not in an attribute's value */
static const char *tag_end(const char *s, const char *end)
{
    for (char quote = 0; s < end; s++) {
        if (quote)
            quote = *s == quote ? 0 : quote;
        else if (*s == '"' || *s == '\'')
            quote = *s;
        else if (*s == '>')
            return s + 1;
    }
    return NULL;
}

/* Behind a document type declaration (XML 1.0, 2.8) with its internal subset, from its "<"; NULL: its end is not there
 * yet. Quoted strings, comments and processing instructions are skipped, as they may have any of the characters that
 * count. */
static const char *doctype_end(const char *s, const char *end)
{
    int depth = 0, subset = 0;
    for (char quote = 0; s && s < end; s++) {
        if (quote)
            quote = *s == quote ? 0 : quote;
        else if (end - s >= 4 && !memcmp(s, "<!--", 4)) {
            if (!(s = find(s + 4, end, "-->")))
                return NULL;
            s--;
        } else if (end - s >= 2 && !memcmp(s, "<?", 2)) {
            if (!(s = find(s + 2, end, "?>")))
                return NULL;
            s--;
        } else if (*s == '"' || *s == '\'')
            quote = *s;
        else if (*s == '[' && depth == 1)
            subset = 1;
        else if (*s == ']' && depth == 1)
            subset = 0;
        else if (*s == '<')
            depth++;
        else if (*s == '>' && --depth == 0 && !subset)
            return s + 1;
    }
    return NULL;
}

typedef enum kind { START, END, EMPTY, DOCTYPE, DECLARATION, OTHER } kind;

/* Behind the token that begins with the "<" at s; NULL: it is not all there. */
static const char *token_end(const char *s, const char *end, kind *k)
{
    const size_t n = (size_t)(end - s);
    *k = OTHER;
    if (n < 10)
        return NULL;
    if (!memcmp(s, "<!--", 4))
        return find(s + 4, end, "-->");
    if (!memcmp(s, "<![CDATA[", 9))
        return find(s + 9, end, "]]>");
    if (s[1] == '?') {
        *k = !memcmp(s, "<?xml", 5) && memchr(" \t\r\n", s[5], 4) ? DECLARATION : OTHER;
        return find(s + 2, end, "?>");
    }
    if (s[1] == '!') {
        *k = DOCTYPE;
        return doctype_end(s, end);
    }
    *k = s[1] == '/' ? END : START;
    const char *to = tag_end(s, end);
    if (to && *k == START && to[-2] == '/')
        *k = EMPTY;
    return to;
}

static size_t name_length(const char *s, size_t n)
{
    size_t i = 0;
    while (i < n && !strchr(" \t\r\n/>", s[i]))
        i++;
    return i;
}

static gx_status open_tag(cutter *c, gx_buf *stack, const char *s, size_t n)
{
    const tag t = { c->tags.n, n, name_length(s + 1, n - 1) };
    if (stack->n / sizeof t >= DEEPEST)
        return gx_fail(c->err, GX_ELIMIT, c->o->file, 0, 0, "elements are nested too deeply");
    GX_TRY(put(c, &c->tags, s, n));
    return put(c, stack, (const char *)&t, sizeof t);
}

/* Is a name, which ends before `end` or what cannot be in one, an element's to split at? */
static int is_split_name(const cutter *c, const char *name, const char *end)
{
    for (const char *e = c->o->element; *e; e += strspn(e, "|")) {
        const size_t n = strcspn(e, "|");
        if (n && (size_t)(end - name) > n && !memcmp(name, e, n) && strchr(" \t\r\n/>", name[n]))
            return 1;
        e += n;
    }
    return 0;
}

static int is_split(const cutter *c, const char *s, const char *end) { return is_split_name(c, s + 1, end); }

/* Is an element to split at open? What is in it stays in one part. */
static int is_within(const cutter *c, const gx_buf *open)
{
    const tag *t = GX_BUF_AT(open, tag);
    for (u32 i = 0; i < GX_BUF_N(open, tag); i++)
        if (is_split_name(c, c->tags.at + t[i].at + 1, c->tags.at + t[i].at + t[i].n))
            return 1;
    return 0;
}

/* Walks all tags from the part's beginning on: *cut is the first start tag to split at behind so many bytes, or the
 * window's end at the document's; `open`: the elements that are open there. The part's own spine is `open` to begin
 * with. */
static gx_status cut_exactly(cutter *c, gx_buf *open, size_t head, size_t *cut)
{
    size_t at = 0; /* from the part's start */
    for (;;) {
        const char *from = c->window.at + c->start, *end = c->window.at + c->window.n, *s = from + at, *to;
        kind k;
        s = s < end ? memchr(s, '<', (size_t)(end - s)) : NULL;
        to = s ? token_end(s, end, &k) : NULL;
        if (!to && !c->is_over) {
            at = s ? (size_t)(s - from) : (size_t)(end - from);
            GX_TRY(read_more(c, head));
            continue;
        }
        if (!to) { /* what is left has no tag, or half of one: the parser will say so */
            *cut = c->window.n;
            return GX_OK;
        }
        at = (size_t)(s - from);
        if ((k == START || k == EMPTY) && at && at >= c->o->part_bytes && open->n && is_split(c, s, end)
            && !is_within(c, open)) {
            *cut = c->start + at;
            return GX_OK;
        }
        if (k == START)
            GX_TRY(open_tag(c, open, s, (size_t)(to - s)));
        else if (k == END && open->n)
            open->n -= sizeof(tag);
        else if ((k == DOCTYPE || k == DECLARATION) && !open->n && c->part == 0)
            GX_TRY(put(c, &c->prolog, s, (size_t)(to - s)));
        at = (size_t)(to - from);
    }
}

/* The same by a look at what might be one; 0: there is none, or the document ends. */
static gx_status cut_by_name(cutter *c, size_t head, size_t *cut)
{
    size_t at = c->o->part_bytes < 1 ? 1 : c->o->part_bytes; /* behind the tag that the part begins with */
    const size_t n = strlen(c->o->element) + 2;              /* at least what tells such a tag */
    *cut = 0;
    for (;;) {
        const char *from = c->window.at + c->start, *end = c->window.at + c->window.n, *s = from + at;
        for (; s < end && (s = memchr(s, '<', (size_t)(end - s))) != NULL; s++)
            if (is_split(c, s, end)) {
                *cut = (size_t)(s - c->window.at);
                return GX_OK;
            }
        if (c->is_over)
            return GX_OK;
        at = (size_t)(end - from) > at + n ? (size_t)(end - from) - n : at;
        GX_TRY(read_more(c, head));
    }
}

/* ---- parts ---- */

/* Line feeds. One by one they would take a twelfth of the time that adding takes, by 16 and 64 bytes they take a
 * hundredth. */
static u64 lines_of(const char *s, size_t n)
{
    u64 lines = 0;
#ifdef __SSE2__
    const __m128i feed = _mm_set1_epi8('\n'), zero = _mm_setzero_si128();
    while (n >= 64) {
        __m128i sums[4] = { zero, zero, zero, zero }; /* of each of the places, below 256 */
        for (u32 k = 0; k < 255 && n >= 64; k++, s += 64, n -= 64)
            for (u32 i = 0; i < 4; i++)
                sums[i] = _mm_sub_epi8(
                    sums[i], _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)(s + 16 * i)), feed));
        for (u32 i = 0; i < 4; i++) {
            const __m128i sum = _mm_sad_epu8(sums[i], zero);
            lines += (u64)_mm_cvtsi128_si64(sum) + (u64)_mm_cvtsi128_si64(_mm_unpackhi_epi64(sum, sum));
        }
    }
#endif
    for (size_t i = 0; i < n; i++)
        lines += s[i] == '\n';
    return lines;
}

/* Bytes of what stands before a part that is not the first */
static size_t head_bytes(const cutter *c)
{
    size_t n = c->part ? c->prolog.n : 0;
    for (u32 i = 0; c->part && i < GX_BUF_N(&c->spine, tag); i++)
        n += GX_BUF_AT(&c->spine, tag)[i].n;
    return n;
}

/* Hands over window[start .. cut), with head and tail; open: what is open at cut. */
static gx_status hand_over(cutter *c, size_t cut, const gx_buf *open, int is_guess)
{
    const size_t head = head_bytes(c), own = cut - c->start;
    const tag *spine = GX_BUF_AT(&c->spine, tag), *last = GX_BUF_AT(open, tag);
    const u32 n_last = cut < c->window.n || !c->is_over ? GX_BUF_N(open, tag) : 0;
    size_t tail = 0;
    for (u32 i = 0; i < n_last; i++)
        tail += last[i].name + 3;
    const size_t behind = c->window.n - cut;
    if (gx_buf_room(&c->window, tail) || c->start < head)
        return no_memory(c);
    char *from = c->window.at + c->start, *to = from - head, *end = c->window.at + cut;
    c->saved.n = 0;
    GX_TRY(put(c, &c->saved, end, tail < behind ? tail : behind));
    if (head && c->prolog.n)
        memcpy(to, c->prolog.at, c->prolog.n);
    to += head ? c->prolog.n : 0;
    for (u32 i = 0; head && i < GX_BUF_N(&c->spine, tag); to += spine[i++].n)
        memcpy(to, c->tags.at + spine[i].at, spine[i].n);
    for (u32 i = n_last; i-- > 0;) {
        memcpy(end, "</", 2);
        memcpy(end + 2, c->tags.at + last[i].at + 1, last[i].name);
        end[2 + last[i].name] = '>';
        end += last[i].name + 3;
    }
    const gx_status status = c->o->part(c->o->ctx, from - head, head + own + tail,
                                        c->part ? GX_BUF_N(&c->spine, tag) : 0, head, c->lines, is_guess, c->err);
    memcpy(c->window.at + cut, c->saved.at, c->saved.n);
    return status;
}

/* The local names of the elements that are open at a cut join c->torn, " a b c", each once: an expression that asks
 * for one of them cannot be answered part by part. GX_ELIMIT: MOST_TORN bytes. O(open elements x names). */
static gx_status note_torn(cutter *c, const gx_buf *open)
{
    const tag *t = GX_BUF_AT(open, tag);
    for (u32 i = 0; i < GX_BUF_N(open, tag); i++) {
        const char *name = c->tags.at + t[i].at + 1, *colon = memchr(name, ':', t[i].name);
        const size_t skip = colon ? (size_t)(colon + 1 - name) : 0, n = t[i].name - skip;
        const char *at = c->torn.at, *end = at + c->torn.n;
        for (; at && at < end; at += strcspn(at + 1, " ") + 1)
            if ((size_t)(end - at) > n && !memcmp(at + 1, name + skip, n) && (at + 1 + n == end || at[1 + n] == ' '))
                break;
        if (at && at < end)
            continue;
        if (c->torn.n + n > MOST_TORN)
            return gx_fail(c->err, GX_ELIMIT, c->o->file, 0, 0,
                           "too many different elements have <%s> below them to split there", c->o->element);
        GX_TRY(put(c, &c->torn, " ", 1));
        GX_TRY(put(c, &c->torn, name + skip, n));
        c->torn.at[c->torn.n] = 0;
    }
    return GX_OK;
}

int gxs_cut_holds(const gx_doc *doc, u32 spine)
{
    const u32 *label = GX_DOC_COL(doc, u32, label), *next = GX_DOC_COL(doc, u32, next);
    for (u32 i = 1, k = 0; k < spine; i++) {
        if (i >= doc->n_nodes || (GX_LABEL_KIND(label[i]) == GX_KIND_ELEM && next[i] != doc->n_nodes))
            return 0;
        k += GX_LABEL_KIND(label[i]) == GX_KIND_ELEM;
    }
    return 1;
}

/* One part, by a guess where the last one was right, else exactly. */
static gx_status next_part(cutter *c, gx_buf *open)
{
    const size_t head = head_bytes(c);
    size_t cut;
    gx_status status = GX_EXML;
    if (c->part && c->wrong_guesses < 3) {
        GX_TRY(cut_by_name(c, head, &cut));
        open->n = 0;
        GX_TRY(put(c, open, c->spine.at, c->spine.n));
        if (cut)
            status = hand_over(c, cut, open, 1);
        if (status != GX_OK && status != GX_EXML)
            return status;
        c->wrong_guesses = status == GX_OK ? 0 : c->wrong_guesses + (cut != 0);
    }
    if (status != GX_OK) {
        open->n = 0;
        GX_TRY(put(c, open, c->spine.at, c->spine.n));
        GX_TRY(cut_exactly(c, open, head, &cut));
        GX_TRY(hand_over(c, cut, open, 0));
    }
    c->lines += lines_of(c->window.at + c->start, cut - c->start);
    c->start = cut;
    c->part++;
    return GX_OK;
}

/* Tags of elements that are closed go. */
static gx_status keep_open_tags(cutter *c, const gx_buf *open)
{
    gx_buf kept = { 0 };
    c->spine.n = 0;
    GX_TRY(put(c, &c->spine, open->at, open->n));
    for (u32 i = 0; i < GX_BUF_N(&c->spine, tag); i++) {
        tag *t = &GX_BUF_AT(&c->spine, tag)[i];
        const size_t at = kept.n;
        if (put(c, &kept, c->tags.at + t->at, t->n) != GX_OK) {
            gx_buf_free(&kept);
            return GX_ENOMEM;
        }
        t->at = at;
    }
    gx_buf_free(&c->tags);
    c->tags = kept;
    return GX_OK;
}

static gx_status cut_all(cutter *c, gx_buf *open)
{
    GX_TRY(read_more(c, 0));
    const char *s = c->window.at;
    if (c->window.n >= 2 && (!s[0] || !s[1] || !memcmp(s, "\xfe\xff", 2) || !memcmp(s, "\xff\xfe", 2)))
        return gx_fail(c->err, GX_EXML, c->o->file, 1, 1,
                       "the document's encoding does not keep ASCII as it is: convert it to UTF-8 first");
    do {
        GX_TRY(next_part(c, open));
        if (c->start == c->window.n && c->is_over)
            break;
        GX_TRY(note_torn(c, open));
        GX_TRY(keep_open_tags(c, open));
    } while (1);
    c->o->torn = apr_pstrmemdup(c->pool, c->torn.at ? c->torn.at : "", c->torn.n);
    return GX_OK;
}

gx_status gxs_cut_all(gxs_cut *cut, apr_pool_t *pool, gx_error *err)
{
    cutter c = { .o = cut, .pool = pool, .err = err };
    gx_buf open = { 0 };
    const gx_status status = cut_all(&c, &open);
    gx_buf *all[] = { &c.window, &c.prolog, &c.tags, &c.spine, &c.saved, &c.torn, &open };
    for (u32 i = 0; i < sizeof all / sizeof *all; i++)
        gx_buf_free(all[i]);
    return status;
}
