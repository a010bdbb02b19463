/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.c -- XML text to a document block: the calls of gx.h, encodings, and who reads
 *
 *   bytes --(encoding.c)--> UTF-8 --+--> scanner (scan.c) --+--> events.c --> columns.c --> block.c: one block (doc.h)
 *                                   +--> Expat (expat_read.c)
 *
 * The scanner begins; Expat reads a document type declaration, and the whole document where the scanner refuses it.
 * Each file calls only those before it:
 *
 *   fail columns place references events scan scan_*.c scan_choose declarations expat_read parser parts block parse
 *
 * What a stranger's document may not do: open anything (external entities and parameter entities are never read, and
 * what XHTML's DTDs declare is known, entities.c; a *reference* to any other, or to an entity that is not declared, is
 * an error unless options.external_ignore; options.external is for documents of one's own, whose entities and DTD files
 * are read through its loader), grow without bound (every array grows under a limit of gx_limits, which the error
 * names; with what its entities expand to it is not larger than limits.input, or twice what was read), take long
 * (entities and attribute defaults are much work for few bytes: options.timeout_us), or recurse (Expat nests C calls
 * for entities within entities only: ENTITY_NESTING).
 *
 * Cost: Expat plus about a third, where Expat reads; one copy of everything when the block is assembled.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include "block.h"
#include "clock.h"
#include "edition.h"
#include "expat_read.h"
#include "fail.h"
#include "parts.h"

#define BATCH_BYTES (4u << 20)  /* pieces wait for each other up to this much, see to_expat */

/* ---- encodings (encoding.c) ---- */

/* RFC 7303, 3: the charset of the transport counts, whatever the document says of itself. Where they differ, an error
 * in the bytes is told with that. */
static void note_overridden(gx_parser *p, const char *bytes, size_t n, const char *chosen)
{
    size_t skip;
    const char *own;
    p->overridden[0] = 0;
    if (!p->options.charset || chosen != p->options.charset)
        return;
    own = gx_encoding_choose(bytes, n, NULL, p->overridden, &skip);
    if (!own || own != p->overridden || strcasecmp(own, chosen) == 0)
        p->overridden[0] = 0;
}

/* Decides the encoding by a byte order mark, the charset that the caller gives, and the declaration
 * (gx_encoding_choose). *skip: bytes of a byte order mark. Built-in ones need nothing more; another is opened with
 * iconv, kept for the next document, and the document is UTF-8 from there on. GX_EXML: it is not known, or the bytes
 * are not what the declaration says. */
static gx_status choose_encoding(gx_parser *p, const char *bytes, size_t n, size_t *skip)
{
    char declared[GX_ENCODING_BYTES];
    const char *name = gx_encoding_choose(bytes, n, p->options.charset, declared, skip),
               *own = name ? gx_encoding_own(name) : "UTF-8";
    p->decided = 1;
    note_overridden(p, bytes, n, name);
    if (own) {
        p->utf8 = strcmp(own, "ISO-8859-1") != 0;
        p->encoding = name ? own : NULL;
        return GX_OK;
    }
    /* it could be read as ASCII, so it is not what it says */
    if (name == declared && (strncasecmp(name, "utf-16", 6) == 0 || strncasecmp(name, "utf-32", 6) == 0 ||
                             strncasecmp(name, "ucs-", 4) == 0 || strncasecmp(name, "iso-10646-ucs-", 14) == 0))
        return p->status = gx_fail(p->err, GX_EXML, p->options.file, 1, 1,
                                   "the document says that it is %.40s, but it is not", name);
    if (p->iconv == (iconv_t)-1 || strcmp(p->iconv_name, name) != 0) {
        if (p->iconv != (iconv_t)-1)
            iconv_close(p->iconv);
        p->iconv = strlen(name) < sizeof p->iconv_name ? gx_encoding_open(name) : (iconv_t)-1;
        if (p->iconv == (iconv_t)-1)
            return p->status =
                       gx_fail(p->err, GX_EXML, p->options.file, 1, 1, "the encoding \"%.60s\" is not known", name);
        strcpy(p->iconv_name, name);
    }
    iconv(p->iconv, NULL, NULL, NULL, NULL);
    p->transcode = p->utf8 = 1;
    p->encoding = "UTF-8";
    return GX_OK;
}

/* ---- Expat and the scanner take turns ---- */

/* Empty columns and tables, with the root in them: the document begins. */
static gx_status begin_columns(gx_parser *p)
{
    gx_parts_forget(p->parts);
    return gx_parser_begin_columns(p);
}

/* The error is at the document's byte, not at the one that was spelled out, and says the name as the document has
 * it. */
static void mend_error(gx_parser *p, const char *from, size_t size)
{
    gx_error *e = p->err;
    if (!e)
        return;
    e->text[gx_edition_read(p->names.seed, e->text, strlen(e->text))] = 0;
    const size_t at = gx_edition_place(from, size, e->byte);
    size_t line = at;
    while (line && from[line - 1] != '\n' && from[line - 1] != '\r')
        line--;
    e->column = gx_text_length(from + line, (u32)(at - line)) + 1;
    e->byte = at;
}

/* Expat has refused the document, or passed its declaration over. Is it for names that it does not know? Then it
 * reads the declaration with them spelled out, up to where the scanner goes on (switch_at); or, without may_switch, all
 * of the document, for the scanner's error behind it. Else the error stays. */
static gx_status run_spelled(gx_parser *p, const char *from, size_t size, int final, int may_switch, gx_status status)
{
    gx_buf *to = &p->spelled;
    to->n = 0;
    if (status != GX_EXML || (p->encoding && strcmp(p->encoding, "UTF-8")) || gx_edition_spell(p->names.seed, from,
        size, to) != 1)
        return status;
    GX_TRY(begin_columns(p));
    GX_TRY(gx_expat_begin(p));
    p->n_parsed = p->switch_at = 0;
    p->is_quiet = p->is_spelled = 1;
    p->may_switch = (u8)may_switch;
    status = gx_expat_run(p, to->at, to->n, final);
    p->is_spelled = 0;
    if (p->switch_at) {
        p->switch_at = gx_edition_place(from, size, p->switch_at);
        return status;
    }
    if (status) {
        mend_error(p, from, size);
        return status;
    }
    GX_TRY(begin_columns(p));           /* all of it has been read, spelled as it is */
    GX_TRY(gx_expat_begin(p));
    p->n_parsed = 0;
    p->is_quiet = 1;
    return gx_expat_run(p, from, size, final);
}

/* By several threads, if all of the document is here and large */
static int scan(gx_parser *p, const char *bytes, size_t n, int final)
{
    if (!final || p->waiting.n || !gx_parts_wanted(p, n)) {
        gx_parts_give_back(p->parts);
        return gx_scan_feed(p, bytes, n, final);
    }
    const int rc = gx_parts_read(p, (const u8 *)bytes, n);
    if (rc != GX_SCAN_AGAIN)
        return rc;
    return begin_columns(p) || gx_scan_begin(p) ? GX_SCAN_REFUSED : gx_scan_feed(p, bytes, n, final);
}

/* What waits is all of the document again. */
static gx_status fetch_gone(gx_parser *p)
{
    gx_buf *wait = &p->waiting;
    const size_t gone = p->gone;
    if (!gone)
        return GX_OK;
    if (gx_buf_room(wait, gone)) {
        gx_parser_fail_memory(p);
        return p->status;
    }
    wait->n += gone;
    p->gone = 0;
    if (p->options.again(p->options.again_ctx, p->skipped, wait->at, wait->n))
        return p->status = gx_fail(p->err, GX_EIO, p->options.file, 0, 0, "the document cannot be read again");
    return GX_OK;
}

/*
 * Bytes of UTF-8 or ISO-8859-1 go to the scanner. When it gives up (an error, a limit, or what it leaves to Expat),
 * Expat reads the document from its beginning: from p->waiting, where all that came is kept, or from this piece if it
 * is all.
 *
 * If the scanner gave up at a document type declaration, Expat may stop behind that (switch_at) and the scanner goes on
 * with what was declared. If it gives up a second time, Expat reads all of it, quietly, since what it had to say was
 * said. Names that only XML's fifth edition has are spelled otherwise for Expat (run_spelled), wherever there is a
 * declaration: the scanner may have stopped before it met that. GX_OK: the bytes are read, by whichever; else as Expat
 * words it, GX_ETIME or GX_ENOMEM.
 */
static gx_status to_scanner(gx_parser *p, const char *bytes, size_t n, int final)
{
    if (scan(p, bytes, n, final) == GX_SCAN_OK)
        return GX_OK;
    if (p->status == GX_ETIME || p->status == GX_ENOMEM)
        return p->status;
    /* Expat reads the document from its beginning, and words the error if there is one */
    for (int may_switch = p->scan.at_doctype && !p->scan.begun_late; ; may_switch = 0) {
        const int again = p->scan.begun_late;
        GX_TRY(fetch_gone(p));
        const char *from = p->waiting.n ? p->waiting.at : bytes;
        const size_t size = p->waiting.n ? p->waiting.n : n;
        GX_TRY(begin_columns(p));
        GX_TRY(gx_expat_begin(p));
        p->is_quiet = (u8)again;
        p->may_switch = (u8)may_switch;
        p->n_parsed = p->switch_at = 0;
        gx_status status = gx_expat_run(p, from, size, final);
        if (status && memmem(from, size, "<!DOCTYPE", 9))
            status = run_spelled(p, from, size, final, may_switch, status);
        if (status || !p->switch_at) {
            p->may_switch = 0;
            /* of the document as it came: a byte a character */
            if (status && p->latin_1 && p->err && p->err->byte <= size)
                p->err->byte = gx_text_length(from, (u32)p->err->byte);
            p->waiting.n = 0;
            return status;
        }
        p->uses_expat = p->may_switch = 0;
        gx_expat_forget(p);
        if (p->switch_at <= size && from[p->switch_at - 1] == '>'
            && gx_scan_resume(p, from, size, final, p->switch_at) == GX_SCAN_OK)
            return GX_OK;
        if (p->status == GX_ETIME || p->status == GX_ENOMEM)
            return p->status;
        p->scan.begun_late = 1;
    }
}

/* After every piece but the last, Expat reads it once more to count lines: that makes parsing 1.7 times slower. So
 * pieces are collected, and only a document that is larger than BATCH_BYTES is parsed while it arrives; or its
 * beginning (at_once), each time as much as all before, or a comment there would be read again and again. */
static gx_status to_expat(gx_parser *p, const char *bytes, size_t n, int final)
{
    gx_buf *wait = &p->waiting;
    if (!p->uses_expat)
        return to_scanner(p, bytes, n, final);
    const size_t batch =
        p->options.at_once && p->names_sheet < 0 && p->n_parsed < BATCH_BYTES ? p->n_parsed : BATCH_BYTES;
    if (wait->n == 0 && (final || n >= batch))
        return gx_expat_run(p, bytes, n, final);
    if (!final && wait->n + n > batch) {
        gx_status status = gx_expat_run(p, wait->at, wait->n, 0);
        wait->n = 0;
        return status ? status : to_expat(p, bytes, n, 0);
    }
    if (gx_buf_room(wait, n)) {
        gx_parser_fail_memory(p);
        return p->status;
    }
    memcpy(wait->at + wait->n, bytes, n);
    wait->n += n;
    return final ? gx_expat_run(p, wait->at, wait->n, 1) : GX_OK;
}

/* Expat takes what waits first: its position is where the last of the good bytes are, and an error among them comes
 * before this one. */
static gx_status bad_bytes(gx_parser *p)
{
    if (!p->uses_expat) {
        GX_TRY(begin_columns(p));
        GX_TRY(gx_expat_begin(p));
        p->n_parsed = 0;
    }
    if (p->waiting.n && gx_expat_run(p, p->waiting.at, p->waiting.n, 0))
        return p->status;
    FAIL(p, GX_EXML, "after this position, bytes that are not valid in the encoding %s%s%s%s", p->iconv_name,
         p->overridden[0] ? " of Content-Type (the document declares " : "", p->overridden,
         p->overridden[0] ? ")" : "");
    return p->status;
}

/* Converts bytes to UTF-8 for Expat, ISO-8859-1 by our own loop and the rest by iconv, in pieces of 16 KiB. What a
 * piece's end cuts off a character waits in p->tail, and the next bytes are added one by one until it is whole. Fails
 * as Expat does, or where the bytes are none of the encoding's. O(n). */
static gx_status transcode(gx_parser *p, const char *bytes, size_t n, int final)
{
    char out[16 << 10];
    while (p->latin_1 && n) {
        const size_t piece = n < sizeof out / 2 ? n : sizeof out / 2;
        GX_TRY(to_expat(p, out, gx_encoding_latin_1(out, bytes, piece), 0));
        bytes += piece;
        n -= piece;
    }
    while (n) {
        char joined[sizeof p->tail + 1], *in;
        size_t in_left;
        if (p->n_tail) {                /* byte by byte until the cut character is whole */
            memcpy(joined, p->tail, p->n_tail);
            joined[p->n_tail] = *bytes;
            in = joined;
            in_left = p->n_tail + 1;
            bytes++, n--;
        } else {
            in = (char *)bytes;
            in_left = n;
            n = 0;
        }
        p->n_tail = 0;
        while (in_left) {
            char *to = out;
            size_t to_left = sizeof out;
            size_t rc = iconv(p->iconv, &in, &in_left, &to, &to_left);
            int why = rc == (size_t)-1 ? errno : 0;
            if (to > out) {
                gx_status status = to_expat(p, out, (size_t)(to - out), 0);
                if (status)
                    return status;
            }
            if (why == EINVAL) {
                if (in_left >= sizeof p->tail)
                    return bad_bytes(p);
                memcpy(p->tail, in, in_left);
                p->n_tail = (u32)in_left;
                break;
            }
            if (why && why != E2BIG)
                return bad_bytes(p);
        }
    }
    if (!final)
        return GX_OK;
    if (p->n_tail)
        return bad_bytes(p);
    return to_expat(p, "", 0, 1);
}

static gx_status feed_decided(gx_parser *p, const char *bytes, size_t n, int final)
{
    return p->transcode ? transcode(p, bytes, n, final) : to_expat(p, bytes, n, final);
}

static int expat_only;

void gx_parser_expat_only(int on) { expat_only = on; }

static gx_status decide_encoding(gx_parser *p, const char *bytes, size_t n, size_t *skip)
{
    const gx_scan_head *head = &p->scan.head;
    if (!p->options.charset && head->is_declared && head->bytes.n >= 4 && gx_scan_head_is(&p->scan, bytes, n)) {
        p->decided = 1;                 /* as for the last document, which began with the same bytes */
        p->encoding = head->encoding;
        *skip = 0;
    } else
        GX_TRY(choose_encoding(p, bytes, n, skip));
    if (expat_only || p->options.expat || p->doctype)
        return gx_expat_begin(p);
    if (!p->utf8) {             /* the scanner reads UTF-8 only */
        p->latin_1 = p->transcode = p->utf8 = 1;
        p->encoding = "UTF-8";
    }
    return GX_OK;
}

/* A piece of the source, of any size. Until the encoding is decided the first GX_HEAD_BYTES are collected, as the
 * declaration may be cut; then they go on together. final: nothing follows. The limit "input" counts bytes as they
 * come. Fails as the parsers do. */
static gx_status feed_piece(gx_parser *p, const char *bytes, size_t n, int final)
{
    gx_expat_enter(p);
    p->n_input += n;
    if (p->n_input > p->limits.input) {
        gx_parser_fail_limit(p, "input", p->limits.input, "the document is larger than");
        return p->status;
    }
    if (!p->decided) {
        size_t skip;
        if (p->n_head == 0 && (n >= GX_HEAD_BYTES || final)) {
            if (decide_encoding(p, bytes, n, &skip))
                return p->status;
            p->skipped = (u32)skip;
            return feed_decided(p, bytes + skip, n - skip, final);
        }
        size_t take = GX_HEAD_BYTES - p->n_head < n ? GX_HEAD_BYTES - p->n_head : n;
        if (take)
            memcpy(p->head + p->n_head, bytes, take);
        p->n_head += (u32)take;
        if (p->n_head < GX_HEAD_BYTES && !final)
            return GX_OK;
        if (decide_encoding(p, p->head, p->n_head, &skip))
            return p->status;
        p->skipped = (u32)skip;
        gx_status status = feed_decided(p, p->head + skip, p->n_head - skip, final && take == n);
        if (status || take == n)
            return status;
        bytes += take;
        n -= take;
    }
    return feed_decided(p, bytes, n, final);
}

static gx_status feed(gx_parser *p, const char *bytes, size_t n, int final)
{
    u64 start = p->options.timeout_us ? gx_now_us() : 0;
    p->due_us = start + p->left_us;
    gx_status status = feed_piece(p, bytes, n, final);
    u64 end = p->options.timeout_us ? gx_now_us() : 0;
    p->left_us = end < p->due_us ? p->due_us - end : 0;
    return status;
}

/* ---- the calls of gx.h ---- */

gx_status gx_parser_create(gx_parser **out, gx_error *err) { return gx_parser_open(out, err); }

void gx_parser_free(gx_parser *p)
{
    if (!p)
        return;
    gx_parts_free(p->parts);
    gx_parser_close(p);
}

u64 gx_parser_bytes(const gx_parser *p) { return gx_parser_held(p) + gx_parts_bytes(p->parts); }

int gx_parser_has(const gx_parser *p, const gx_doc *doc) { return gx_place_has(p, doc); }

gx_status gx_parser_begin(gx_parser *p, const gx_parse_options *options, gx_error *err)
{
    gx_parts_forget(p->parts);
    return gx_parser_ready(p, options, err);
}

int gx_parser_asked(const gx_parser *p) { return p->asked; }

/* GX_OK, or why p takes no bytes: no document was begun, or it has ended already. */
static gx_status ended(const gx_parser *p, gx_error *err)
{
    if (p->begun && !p->status)
        return GX_OK;
    return gx_fail(err, p->status ? p->status : GX_EXML, p->options.file, 0, 0,
                   "no document was begun, or it has failed already");
}

static gx_status finish(gx_parser *p, const char *bytes, size_t n, gx_doc **doc, gx_error *err)
{
    gx_status status = ended(p, err);
    if (status)
        return status;
    p->err = err;
    p->begun = 0;
    status = feed(p, bytes, n, 1);
    if (status)
        return status;
    const gx_parts_sum parts = gx_parts_total(p->parts);
    p->next[0] = p->n + parts.nodes;
    p->text_len[0] = (u32)(p->text.n + parts.text);
    if (p->waiting.cap >= GX_LARGE)
        gx_buf_free(&p->waiting);
    if (p->options.is_read)
        p->options.is_read(p->options.is_read_ctx);
    return gx_parser_assemble(p, doc);
}

gx_status gx_parser_feed(gx_parser *p, const char *bytes, size_t n, gx_error *err)
{
    gx_status status = ended(p, err);
    if (status)
        return status;
    p->err = err;
    return n ? feed(p, bytes, n, 0) : GX_OK;
}

int gx_parser_names_sheet(const gx_parser *p) { return p->names_sheet; }

gx_status gx_parser_finish(gx_parser *p, gx_doc **doc, gx_error *err) { return finish(p, "", 0, doc, err); }

gx_status gx_parse(gx_parser *p, const gx_parse_options *options, const char *bytes, size_t n, gx_doc **doc,
                   gx_error *err)
{
    gx_status status = gx_parser_begin(p, options, err);
    return status ? status : finish(p, bytes, n, doc, err);
}
