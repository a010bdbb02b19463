/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.c -- bytes on their way out (writer.h)
 *
 * Escaping copies while it looks: 16 bytes are loaded, stored and compared at once; the store is taken back as far as
 * the first byte that needs more. So clean text costs little more than memcpy. Without SSE2 the same loop runs
 * bytewise.
 *
 * Invariant: buf <= at <= end + GX_WRITER_SLACK; SLACK more bytes than that are allocated, so a 16-byte store at `at`
 * is safe whenever at < end + GX_WRITER_SLACK.
 */
#include <errno.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include "machine/text.h"
#include "writer.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A writer with its buffer, and room behind it for what is copied in whole words. sink NULL: the buffer is what is
 * wanted, and grows. */
gx_status gx_writer_open(gx_writer *w, gx_sink sink, void *ctx, u64 limit)
{
    u32 size = sink ? GX_WRITER_SIZE : 256;
    memset(w, 0, sizeof *w);
    w->buf = malloc(size + 2 * GX_WRITER_SLACK);
    if (!w->buf)
        return GX_ENOMEM;
    w->at = w->buf;
    w->end = w->buf + size;
    w->sink = sink;
    w->ctx = ctx;
    w->limit = limit ? limit : (u64)-1;
    w->char_max = 0x10ffff;
    return GX_OK;
}

static void *open_iconv(const char *to, const char *from)
{
    iconv_t cd = iconv_open(to, from);
    return cd == (iconv_t)-1 ? NULL : (void *)cd;
}

static int close_iconv(gx_writer *w)
{
    gx_recoding *r = w->recoding;
    if (r && r->cd)
        iconv_close((iconv_t)r->cd);
    if (r && r->probe)
        iconv_close((iconv_t)r->probe);
    if (r && r->back)
        iconv_close((iconv_t)r->back);
    free(r);
    w->recoding = NULL;
    w->encoding = GX_ENC_UTF8;
    return 0;
}

void gx_writer_close(gx_writer *w)
{
    free(w->buf);
    w->buf = NULL;
    close_iconv(w);
}

/* ---- UTF-8 ------------------------------------------------------------------------------------------------------- */

/* One character of n > 0 bytes of UTF-8; *used bytes. Malformed input gives U+FFFD and one byte. */
static u32 decode(const char *text, size_t n, u32 *used)
{
    const unsigned char *p = (const unsigned char *)text;
    u32 c = p[0];
    u32 len = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : (c & 0xf0) == 0xe0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
    *used = 1;
    if (len == 1)
        return c;
    if (!len || len > n)
        return 0xfffd;
    c &= 0x7fu >> len;
    for (u32 i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0xfffd;
        c = c << 6 | (p[i] & 0x3f);
    }
    *used = len;
    return c > 0x10ffff ? 0xfffd : c;
}

/* What iconv makes of one character from its first state to its last, into out[32]; how many bytes; 0: nothing, or not
 * exactly that */
static size_t convert(void *cd, char *in, size_t n_in, char *out)
{
    char *to = out;
    size_t n_out = 32;
    iconv((iconv_t)cd, NULL, NULL, NULL, NULL);
    if (iconv((iconv_t)cd, &in, &n_in, &to, &n_out) || iconv((iconv_t)cd, NULL, NULL, &to, &n_out))
        return 0;
    return (size_t)(to - out);
}

/* Has the encoding the character? Only if a reader gets it back: some encodings of iconv's put U+001A or what looks
 * alike without a word. And not as the byte of one of ASCII: Shift_JIS's yen, which most take for a backslash. */
static int representable(gx_writer *w, u32 c)
{
    if (w->encoding != GX_ENC_ICONV)
        return c <= w->char_max;
    gx_recoding *r = w->recoding;
    u32 slot = (c ^ c >> 8) & 255;
    if (r->cache[slot].c != c) {
        char in[4], out[32], again[32];
        size_t n_in = gx_utf8_encode(c, in), n = convert(r->probe, in, n_in, out);
        if (c < 0x80 && n == 1)
            r->is_ascii[(u8)*out] = 1;
        r->cache[slot].ok = n && (c < 0x80 || (!(n == 1 && r->is_ascii[(u8)*out])
                                               && convert(r->back, out, n, again) == n_in && !memcmp(in, again, n_in)));
        r->cache[slot].c = c;
    }
    return (int)r->cache[slot].ok;
}

/* The character at p, of *used bytes, if the encoding lacks it; else 0. n > 0 bytes are there. */
static u32 lacking(gx_writer *w, const char *p, size_t n, u32 *used)
{
    u32 c = (u8)*p < 0x80 ? *used = 1, 0 : decode(p, n, used);
    return c && !representable(w, c) ? c : 0;
}

/* ---- encodings --------------------------------------------------------------------------------------------------- */

#define ENCODING_SIZE 40u       /* of a name, with its 0 */

static int named(const char *name, u32 len, const char *const *names)
{
    for (; *names; names++)
        if (strlen(*names) == len && !strncasecmp(*names, name, len))
            return 1;
    return 0;
}

/* Has the encoding, which is not built in, all of ASCII? National variants lack some: in names and markup nothing can
 * stand for them. Fills is_ascii. A thread remembers the last that has: pages are in the same encoding again and again,
 * and asking takes 5 to 9 us. */
static int has_ascii(gx_writer *w, const char *name)
{
    static __thread struct { char name[ENCODING_SIZE]; u8 is_ascii[sizeof w->recoding->is_ascii]; } last;
    if (strcmp(name, last.name) == 0) {
        memcpy(w->recoding->is_ascii, last.is_ascii, sizeof last.is_ascii);
        return 1;
    }
    for (u32 c = ' '; c < 0x7f; c++)
        if (!representable(w, c))
            return 0;
    strcpy(last.name, name);
    memcpy(last.is_ascii, w->recoding->is_ascii, sizeof last.is_ascii);
    return 1;
}

/* The encoding of all bytes to come, by name. UTF-8, UTF-16 (little-endian, with a mark), ISO-8859-1 and US-ASCII are
 * built in; others are iconv's, if it knows them and they have all of ASCII. 0: none such, and the writer stays with
 * UTF-8. Opening an iconv encoding takes microseconds (has_ascii). `limited`: characters may be lacking, which become
 * references. */
int gx_writer_encoding(gx_writer *w, const char *name, u32 len)
{
    static const char *const utf8[] = { "UTF-8", "UTF8", NULL }, *const utf16[] = { "UTF-16", "UTF16", NULL },
        *const latin1[] = { "ISO-8859-1", "ISO_8859-1", "ISO8859-1", "LATIN1", "L1", NULL },
        *const ascii[] = { "US-ASCII", "ASCII", "ANSI_X3.4-1968", "ISO646-US", NULL };
    char z[ENCODING_SIZE];
    if (named(name, len, utf8))
        return 1;
    if (named(name, len, utf16)) {
        w->encoding = GX_ENC_UTF16;
        w->bom_due = 1;
        return 1;
    }
    if (named(name, len, latin1) || named(name, len, ascii)) {
        w->encoding = named(name, len, ascii) ? GX_ENC_ASCII : GX_ENC_LATIN1;
        w->char_max = w->encoding == GX_ENC_ASCII ? 0x7f : 0xff;
        w->limited = 1;
        return 1;
    }
    if (!len || len >= sizeof z)
        return 0;
    for (u32 i = 0; i < len; i++) {     /* EncName only: iconv_open would take "//TRANSLIT" and more */
        char c = name[i];
        if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')
              || (i && ((c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-'))))
            return 0;
    }
    memcpy(z, name, len);
    z[len] = 0;
    gx_recoding *r = w->recoding = calloc(1, sizeof *r);
    if (!r || !(r->cd = open_iconv(z, "UTF-8")) || !(r->probe = open_iconv(z, "UTF-8"))
        || !(r->back = open_iconv("UTF-8", z)))
        return close_iconv(w);
    w->encoding = GX_ENC_ICONV;
    if (!has_ascii(w, z))
        return close_iconv(w);
    w->limited = 1;
    return 1;
}

int gx_encoding_known(const char *name)
{
    gx_writer w;
    memset(&w, 0, sizeof w);
    int known = gx_writer_encoding(&w, name, (u32)strlen(name));
    gx_writer_close(&w);
    return known;
}

/* A name: a character that the encoding lacks cannot be written as a reference there, and is an error. */
void gx_writer_name(gx_writer *w, const char *p, size_t n)
{
    u32 used = 0, c;
    for (size_t i = 0; w->limited && i < n; i += used)
        if ((c = lacking(w, p + i, n - i, &used)) && w->status == GX_OK) {
            w->missing = c;
            w->status = GX_EDYNAMIC;
        }
    gx_put(w, p, n);
}

/* ---- to the sink ------------------------------------------------------------------------------------------------- */

/* Gives bytes to the sink; one that refuses ends the output with GX_ECANCEL. */
static void sink(gx_writer *w, const char *p, size_t n)
{
    if (n && w->status == GX_OK && w->sink(w->ctx, p, n))
        w->status = GX_ECANCEL;
}

u32 gx_xml_char(const char *s, size_t n)
{
    u32 used, c = decode(s, n, &used);
    return gx_is_xml_char(c) && used == gx_utf8_size(c) ? used : 0;      /* not in more bytes than it needs */
}

/* What stands for a character that the encoding lacks where there are no references */
static char lose(gx_writer *w, u32 c)
{
    w->lost = w->lost ? w->lost : c;
    return '?';
}

/* 16 ASCII characters of p in the encoding, which is no iconv's, to out: how many bytes; 0: there are others among
 * them. Without SSE2: always. */
static inline u32 transcode_ascii(const gx_writer *w, const char *p, char *out)
{
#ifdef __SSE2__
    const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p), zero = _mm_setzero_si128();
    __m128i *to = (__m128i *)(void *)out;
    if (_mm_movemask_epi8(v))
        return 0;
    if (w->encoding != GX_ENC_UTF16) {
        _mm_storeu_si128(to, v);
        return 16;
    }
    _mm_storeu_si128(to, _mm_unpacklo_epi8(v, zero));
    _mm_storeu_si128(to + 1, _mm_unpackhi_epi8(v, zero));
    return 32;
#else
    (void)w, (void)p, (void)out;
    return 0;
#endif
}

/* Converts what it can of n UTF-8 bytes and gives it to the sink; returns the bytes used (all but a cut last
 * character). */
static size_t transcode(gx_writer *w, const char *p, size_t n)
{
    char out[4096];
    size_t used = 0, at = 0;
    if (w->bom_due) {
        out[at++] = (char)0xff;
        out[at++] = (char)0xfe;
        w->bom_due = 0;
    }
    while (used < n) {
        if (at + 64 > sizeof out) {
            sink(w, out, at);
            at = 0;
        }
        if (w->encoding == GX_ENC_ICONV) {
            char *from = (char *)(uintptr_t)(p + used), *to = out + at;
            size_t n_in = n - used, n_out = sizeof out - at;
            size_t rc = iconv((iconv_t)w->recoding->cd, &from, &n_in, &to, &n_out);
            at = sizeof out - n_out;
            used = n - n_in;
            if (rc != (size_t)-1 || errno == E2BIG)
                continue;
            if (errno == EINVAL)
                break;                          /* cut character: with the next flush */
            u32 len;
            char mark = lose(w, decode(p + used, n - used, &len)), *q = &mark;
            used += len;
            size_t one = 1;
            to = out + at;
            n_out = sizeof out - at;
            if (iconv((iconv_t)w->recoding->cd, &q, &one, &to, &n_out) == (size_t)-1)
                continue;
            at = sizeof out - n_out;
            continue;
        }
        u32 made = n - used >= 16 ? transcode_ascii(w, p + used, out + at) : 0;
        if (made) {
            at += made;
            used += 16;
            continue;
        }
        const unsigned char *s = (const unsigned char *)p + used;
        u32 len = 1, need = *s < 0x80 ? 1 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4;
        if (need > n - used && n - used < 4)
            break;
        u32 c = decode((const char *)s, n - used, &len);
        used += len;
        if (w->encoding != GX_ENC_UTF16)
            out[at++] = c <= w->char_max ? (char)c : lose(w, c);
        else if (c < 0x10000) {
            out[at++] = (char)c;
            out[at++] = (char)(c >> 8);
        }
        else {
            u32 hi = 0xd800 + ((c - 0x10000) >> 10), lo = 0xdc00 + ((c - 0x10000) & 0x3ff);
            out[at++] = (char)hi;
            out[at++] = (char)(hi >> 8);
            out[at++] = (char)lo;
            out[at++] = (char)(lo >> 8);
        }
    }
    sink(w, out, at);
    return used;
}

/*
 * Empties the buffer into the sink, converted to the encoding; or, without a sink, doubles it. Behind it at < end,
 * whatever happened. A character that is cut by the buffer's end stays for the next flush.
 *
 * The limit counts UTF-8 bytes before conversion (sunk). Once w->status is set nothing goes out any more, and flushing
 * only drops: callers may write on and look at the status later. GX_ELIMIT, GX_ENOMEM, GX_ECANCEL. O(bytes).
 */
void gx_writer_flush(gx_writer *w)
{
    size_t n = (size_t)(w->at - w->buf), used = n;
    if (w->status == GX_OK && w->sunk + n > w->limit)
        w->status = GX_ELIMIT;
    if (w->status != GX_OK) {
        w->at = w->buf;
        w->flushes++;
        return;
    }
    if (!w->sink) {                             /* grows: only what is really there is worth a larger buffer */
        size_t size = (size_t)(w->end - w->buf) * 2;
        char *larger = realloc(w->buf, size + 2 * GX_WRITER_SLACK);
        if (!larger) {
            w->status = GX_ENOMEM;
            w->at = w->buf;
            w->flushes++;
            return;
        }
        w->buf = larger;
        w->at = larger + n;
        w->end = larger + size;
        return;
    }
    if (w->encoding == GX_ENC_UTF8)
        sink(w, w->buf, n);
    else
        used = transcode(w, w->buf, n);
    memmove(w->buf, w->buf + used, n - used);
    w->at = w->buf + (n - used);
    w->sunk += used;
    w->flushes++;
}

/* The last bytes, and what ends the encoding's shift state. */
void gx_writer_finish(gx_writer *w)
{
    gx_writer_flush(w);
    if (w->at > w->buf && w->status == GX_OK)
        sink(w, "?", 1);                        /* a character cut by the end: not from our input */
    if (w->encoding == GX_ENC_ICONV) {
        char out[64], *to = out;
        size_t n_out = sizeof out;
        iconv((iconv_t)w->recoding->cd, NULL, NULL, &to, &n_out);
        sink(w, out, sizeof out - n_out);
    }
}

/* n bytes that do not fit, in pieces of the buffer. */
void gx_writer_put_slow(gx_writer *w, const char *p, size_t n)
{
    while (n) {
        if (w->at >= w->end)
            gx_writer_flush(w);
        if (w->status != GX_OK)
            return;
        size_t part = (size_t)(w->end - w->at);
        if (part > n)
            part = n;
        memcpy(w->at, p, part);
        w->at += part;
        p += part;
        n -= part;
    }
}

/* ---- escaping ---------------------------------------------------------------------------------------------------- */

/* Bits: 1 << GX_ESC_* where the byte needs looking at; HIGH: beyond ASCII; from STANDS on: what stands for it. */
#define T (1 << GX_ESC_TEXT)
#define A (1 << GX_ESC_ATTR)
#define H (1 << GX_ESC_HTML_ATTR | 1 << GX_ESC_HTML_URI)
#define HIGH 16
#define STANDS 5
enum { S_TAB = 1, S_LF, S_CR, S_QUOT, S_AMP, S_LT, S_GT };
static const u8 special[256] = {
    ['\t'] = A | S_TAB << STANDS, ['\n'] = A | S_LF << STANDS, ['\r'] = T | A | H | S_CR << STANDS,
    ['"'] = A | H | S_QUOT << STANDS, ['&'] = T | A | H | S_AMP << STANDS, ['<'] = T | A | S_LT << STANDS,
    ['>'] = T | A | S_GT << STANDS, [0x80 ... 0xff] = HIGH
};
static const struct { char s[8]; u8 n; } stands[] = {
    [S_TAB] = { "&#9;", 4 }, [S_LF] = { "&#10;", 5 }, [S_CR] = { "&#13;", 5 }, [S_QUOT] = { "&quot;", 6 },
    [S_AMP] = { "&amp;", 5 }, [S_LT] = { "&lt;", 4 }, [S_GT] = { "&gt;", 4 }
};
#undef T
#undef A
#undef H

/* Writes what stands for the special byte or character at p, at most 16 bytes, and returns how many bytes it stands
 * for: an entity, a character reference, %HH in HTML's URIs (XSLT 1.0, 16.2), or the character itself if the encoding
 * has it. n > 0 bytes are there. */
static u32 escape_one(gx_writer *w, const char *p, size_t n, int where)
{
    const u32 k = special[(u8)*p] >> STANDS;
    u32 used = 1;
    if (k == S_AMP && where >= GX_ESC_HTML_ATTR && n > 1 && p[1] == '{') {
        *w->at++ = '&';                         /* HTML 4.0, B.7.1: script macros stay as they are */
        return 1;
    }
    if (k) {
        gx_put(w, stands[k].s, stands[k].n);
        return 1;
    }
    if (where == GX_ESC_HTML_URI) {                                 /* XSLT 1.0, 16.2: %HH of the UTF-8 bytes */
        static const char hex[] = "0123456789ABCDEF";
        *w->at++ = '%';
        *w->at++ = hex[(u8)*p >> 4];
        *w->at++ = hex[*p & 15];
        return 1;
    }
    u32 c = decode(p, n, &used);
    if (representable(w, c)) {
        memcpy(w->at, p, used);
        w->at += used;
    }
    else
        w->at += snprintf(w->at, 16, "&#%u;", c);
    return used;
}

#ifdef __SSE2__
/* Bit i: byte i of v needs looking at. */
static inline __attribute__((always_inline)) u32 hits(__m128i v, const int where, const int high)
{
    __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('&')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\r')));
    if (where <= GX_ESC_ATTR)
        hit = _mm_or_si128(hit,
                           _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('<')), _mm_cmpeq_epi8(v, _mm_set1_epi8('>'))));
    if (where >= GX_ESC_ATTR)
        hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
    if (where == GX_ESC_ATTR)
        hit =
            _mm_or_si128(hit,
                         _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\t')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'))));
    if (high)
        hit = _mm_or_si128(hit, v);             /* movemask takes the top bits */
    return (u32)_mm_movemask_epi8(hit);
}

/* Bit i: byte i of v may need looking at in an attribute's value, whatever the place: controls, '&' and '"', '<' and
 * '>', in a URI also what is beyond ASCII. */
static inline u32 hits_attr(__m128i v, int where)
{
    const __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v),
                  quotes = _mm_cmpeq_epi8(_mm_and_si128(v, _mm_set1_epi8((char)0xfb)), _mm_set1_epi8('"')),
                  angles = _mm_cmpeq_epi8(_mm_and_si128(v, _mm_set1_epi8((char)0xfd)), _mm_set1_epi8('<'));
    return (u32)_mm_movemask_epi8(_mm_or_si128(controls, _mm_or_si128(quotes, angles)))
        | (where == GX_ESC_HTML_URI ? (u32)_mm_movemask_epi8(v) : 0);
}

/* Copies 4 to 15 bytes: the first 8 and the last, or 4, which may have some in common. Bit i: byte i needs looking
 * at; any_attr: it may need that, where the place is an attribute's value and no constant. */
static inline __attribute__((always_inline)) u32 copy_few(char *out, const char *p, u32 n, const int where,
                                                          const int high, const int any_attr)
{
    u32 first, last, bits;
    if (n >= 8) {
        __m128i a = _mm_loadl_epi64((const __m128i *)(const void *)p),
                b = _mm_loadl_epi64((const __m128i *)(const void *)(p + n - 8));
        _mm_storel_epi64((__m128i *)(void *)out, a);
        _mm_storel_epi64((__m128i *)(void *)(out + n - 8), b);
        const __m128i v = _mm_unpacklo_epi64(a, b);
        bits = any_attr ? hits_attr(v, where) : hits(v, where, high);
        return (bits & 0xff) | bits >> 8 << (n - 8);
    }
    memcpy(&first, p, 4);
    memcpy(&last, p + n - 4, 4);
    memcpy(out, &first, 4);
    memcpy(out + n - 4, &last, 4);
    const __m128i v = _mm_unpacklo_epi32(_mm_cvtsi32_si128((int)first), _mm_cvtsi32_si128((int)last));
    bits = (any_attr ? hits_attr(v, where) : hits(v, where, high)) & 0xff;      /* behind them are zeros */
    return (bits & 15) | bits >> 4 << (n - 4);
}
#endif

/*
 * Copies n bytes and escapes what `where` asks for (text, attribute, HTML's attribute or URI); with `high` bytes beyond
 * ASCII are looked at, since the encoding may lack their characters. where and high are constants in each copy of this
 * function.
 *
 * Each round copies 16 bytes at a time until one needs care, takes the store back to that, and lets escape_one() write
 * what stands for it. The buffer may be passed by less than SLACK. Clean text is one load, one compare and one store
 * for 16 bytes. Ends early where the writer has failed.
 */
static inline __attribute__((always_inline)) void escape(gx_writer *w, const char *p, size_t n, const int where,
                                                         const int high)
{
    const u8 mask = (u8)(1 << where | (high ? HIGH : 0));
    const char *stop = p + n;
    while (p < stop) {
        if (w->at >= w->end) {
            gx_writer_flush(w);
            if (w->status != GX_OK)
                return;
        }
        char *out = w->at, *out_stop = w->end;
#ifdef __SSE2__
        u32 bits = 0;
        while (stop - p >= 16 && out < out_stop) {
            __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
            bits = hits(v, where, high);
            _mm_storeu_si128((__m128i *)(void *)out, v);
            if (bits)
                break;
            p += 16;
            out += 16;
        }
        if (!bits && stop - p >= 4 && out < out_stop) {
            bits = copy_few(out, p, (u32)(stop - p), where, high, 0);
            if (!bits) {
                w->at = out + (stop - p);
                return;
            }
        }
        if (bits) {
            u32 clean = (u32)__builtin_ctz(bits);
            p += clean;
            out += clean;
            w->at = out;
            if (where <= GX_ESC_ATTR && (u8)*p < 0x80) {        /* constant size: one move, in the writer's slack */
                const u32 k = special[(u8)*p++] >> STANDS;
                memcpy(out, stands[k].s, sizeof stands[k].s);
                w->at += stands[k].n;
            } else
                p += escape_one(w, p, (size_t)(stop - p), where);
            continue;
        }
        if (stop - p >= 8) {                            /* the buffer is full */
            w->at = out;
            continue;
        }
#endif
        if (p < stop && stop - p < 4 && out < out_stop) {       /* the first, the middle and the last: all of them */
            const u32 n = (u32)(stop - p);
            const char a = p[0], b = p[n / 2], c = p[n - 1];
            if (!((special[(u8)a] | special[(u8)b] | special[(u8)c]) & mask)) {
                out[0] = a;
                out[n / 2] = b;
                out[n - 1] = c;
                w->at = out + n;
                return;
            }
        }
        while (p < stop && out < out_stop && !(special[(u8)*p] & mask))
            *out++ = *p++;
        w->at = out;
        /* `end` may have been passed by less than SLACK: 16 bytes still fit */
        if (p < stop && special[(u8)*p] & mask)
            p += escape_one(w, p, (size_t)(stop - p), where);
    }
}

/* escape() compiled for each place and for encodings with and without a limit. */
static __attribute__((noinline)) void escape_any(gx_writer *w, const char *p, size_t n, int where)
{
    switch (where) {
    case GX_ESC_TEXT: w->limited ? escape(w, p, n, GX_ESC_TEXT, 1) : escape(w, p, n, GX_ESC_TEXT, 0); break;
    case GX_ESC_ATTR: w->limited ? escape(w, p, n, GX_ESC_ATTR, 1) : escape(w, p, n, GX_ESC_ATTR, 0); break;
    case GX_ESC_HTML_ATTR:
        w->limited ? escape(w, p, n, GX_ESC_HTML_ATTR, 1) : escape(w, p, n, GX_ESC_HTML_ATTR, 0);
        break;
    default: escape(w, p, n, GX_ESC_HTML_URI, 1);
    }
}

/* Half of all values are short and clean: for them it is a few loads and stores, without a loop's registers to save. */
void gx_writer_escape(gx_writer *w, const char *p, size_t n, int where)
{
#ifdef __SSE2__
    if (n < 16 && !w->limited && w->at < w->end) {
        if (n < 4) {
            const u8 mask = (u8)(1 << where | (where == GX_ESC_HTML_URI ? HIGH : 0));
            if (!n)
                return;
            const char a = p[0], b = p[n / 2], c = p[n - 1];
            if (!((special[(u8)a] | special[(u8)b] | special[(u8)c]) & mask)) {
                w->at[0] = a;
                w->at[n / 2] = b;
                w->at[n - 1] = c;
                w->at += n;
                return;
            }
        } else if (!(where == GX_ESC_TEXT ? copy_few(w->at, p, (u32)n, GX_ESC_TEXT, 0, 0)
                                          : copy_few(w->at, p, (u32)n, where, 0, 1))) {
            w->at += n;
            return;
        }
    }
#endif
    escape_any(w, p, n, where);
}

static void reference(gx_writer *w, u32 c)
{
    char ref[16];
    gx_put(w, ref, (size_t)snprintf(ref, sizeof ref, "&#%u;", c));
}

/* Text with disable-output-escaping: only characters that the encoding lacks become references. */
void gx_writer_unescaped(gx_writer *w, const char *p, size_t n)
{
    size_t from = 0;
    u32 used = 0, c;
    for (size_t i = 0; w->limited && i < n; i += used)
        if ((c = lacking(w, p + i, n - i, &used))) {
            gx_put(w, p + from, i - from);
            reference(w, c);
            from = i + used;
        }
    gx_put(w, p + from, n - from);
}

/* n characters of a section, which is opened for them */
static void section(gx_writer *w, gx_cdata *c, const char *p, size_t n)
{
    if (n && !c->open) {
        GX_PUTS(w, "<![CDATA[");
        c->open = 1;
    }
    gx_put(w, p, n);
}

void gx_writer_cdata_end(gx_writer *w, gx_cdata *c)
{
    if (c->open)
        GX_PUTS(w, "]]>");
    c->open = 0;
    c->brackets = 0;
}

/* n bytes of a cdata section (XSLT 1.0, 16.1), which goes on over several calls (c). "]]>" is split over two sections,
 * even where it comes in several calls; a character that the encoding lacks, and a carriage return, which a parser
 * would turn into a new line, stand between two sections as references. O(n). */
void gx_writer_cdata(gx_writer *w, const char *p, size_t n, gx_cdata *c)
{
    size_t from = 0;
    for (size_t i = 0; i < n && w->status == GX_OK; i++) {
        u32 used = 1, apart;
        if (p[i] == ']') {
            c->brackets++;
            continue;
        }
        if (p[i] == '>' && c->brackets >= 2) {
            section(w, c, p + from, i - from);
            GX_PUTS(w, "]]><![CDATA[");
            from = i;
        }
        else if ((apart = p[i] == '\r' ? '\r' : w->limited ? lacking(w, p + i, n - i, &used) : 0)) {
            section(w, c, p + from, i - from);
            gx_writer_cdata_end(w, c);
            reference(w, apart);
            from = i + used;
        }
        i += used - 1;
        c->brackets = 0;
    }
    if (w->status == GX_OK)
        section(w, c, p + from, n - from);
}
