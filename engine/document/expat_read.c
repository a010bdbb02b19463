/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expat_read.c -- Expat reads a document: its memory, its errors, the files of external entities
 *
 *   bytes (UTF-8, or as they came) --Expat--> handlers: events.c, declarations.c, external entities (here)
 *
 * Expat runs without namespace processing: prefixes, declarations and lists of what is in scope are needed as they
 * stand, and a name that repeats in the same scope costs one hash lookup here. One Expat serves all documents of a
 * parser; it is reset, not made anew. Expat must be 2.6 or have 2.6's reparse deferral, or a huge token in small pieces
 * costs quadratic time.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "parser.h"
#if XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION < 4
#error "mod_gpuxml needs Expat 2.4 or newer: those before it let a few entities grow to gigabytes"
#endif
/* Expat 2.9 deprecates positions that are a long, for systems where that has 32 bits, and a salt of 64 bits, which is
 * what our seed has */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "declarations.h"
#include "diagnose.h"
#include "entities.h"
#include "expat_at.h"
#include "expat_read.h"
#include "fail.h"
#include "references.h"

/* Expat 2.7.2, or Debian's 2.5: memory beyond 64 MiB and a hundred times the input is no memory */
extern XML_Bool XML_SetAllocTrackerMaximumAmplification(XML_Parser, float) __attribute__((weak));

#define EXTERNAL_NESTING 20     /* files of external entities within each other */
#define OWN_GROWTH (64u << 20)  /* the same as GX_FREE_GROWTH, for documents of one's own: DTD files count as growth */

/* ---- Expat's memory: it keeps what its longest token and attribute needed, and does not say how much that is ---- */

static __thread u64 *expat_bytes;       /* of the parser that this thread is in */
static __thread int no_memory;          /* it was told so; else Expat says so of itself: more than it allows */

static void *expat_realloc(void *at, size_t size)
{
    const u64 had = at ? malloc_usable_size(at) : 0;
    void *new = realloc(at, size);
    if (new)
        *expat_bytes += malloc_usable_size(new) - had;
    else
        no_memory = 1;
    return new;
}

static void *expat_malloc(size_t size) { return expat_realloc(NULL, size); }

/* XML_ParserReset frees each place of its tables, of which most are empty. */
static void expat_free(void *at)
{
    if (!at)
        return;
    *expat_bytes -= malloc_usable_size(at);
    free(at);
}

int gx_expat_create(gx_parser *p)
{
    gx_expat_enter(p);
    p->expat = XML_ParserCreate_MM(NULL, &(XML_Memory_Handling_Suite){ expat_malloc, expat_realloc, expat_free }, NULL);
    return p->expat ? 0 : -1;
}

void gx_expat_free(gx_parser *p)
{
    gx_expat_enter(p);
    XML_ParserFree(p->expat);
}

void gx_expat_forget(gx_parser *p)
{
    const XML_Parser before = p->expat;
    if (p->expat_bytes < GX_LARGE || gx_expat_create(p)) {
        p->expat = before;
        return;
    }
    XML_ParserFree(before);
    p->expat_used = 0;
}

void gx_expat_enter(gx_parser *p) { expat_bytes = &p->expat_bytes; }

/* ---- errors ---- */

/* The line in which the innermost open element begins, if that is among the bytes that Expat still has; 0 */
static u32 open_line(const gx_parser *p, const gx_diagnosis *d)
{
    const u64 here = (u64)gx_expat_byte(p->expat), before = here - d->at;
    const u64 start = GX_BUF_N(&p->starts, u64) > p->sp && !p->external_depth ? GX_BUF_AT(&p->starts, u64)[p->sp] : 0;
    if (!start || !d->bytes || start - 1 < before || start - 1 > here)
        return 0;
    u32 line = (u32)gx_expat_line(p->expat);
    for (const char *at = d->bytes + (start - 1 - before); at < d->bytes + d->at; at++)
        line -= *at == '\n' || (*at == '\r' && at + 1 < d->bytes + d->n && at[1] != '\n');
    return line;
}

/* Has the document element begun? Before it there are comments and processing instructions only. */
static u8 has_root(const gx_parser *p)
{
    u32 i = 1;
    while (i < p->n && (GX_LABEL_KIND(p->label[i]) == GX_KIND_COMMENT || GX_LABEL_KIND(p->label[i]) == GX_KIND_PI))
        i++;
    return i < p->n;
}

/* The sentence for an error of Expat's, with the place where Expat stands: what diagnose.c has to know is taken from
 * the parser's state and from the bytes that Expat still has. Those may be none, or begin far behind the document's.
 * Ends the document with GX_EXML. */
static void diagnose(gx_parser *p, enum XML_Error code)
{
    gx_diagnosis d = { .code = (int)code,
                       .is_utf8 = p->utf8,
                       .is_ascii = !p->external_depth && p->encoding && strcmp(p->encoding, "US-ASCII") == 0,
                       .is_dtd = p->in_doctype || (p->external_depth && !p->sp),
                       .has_root = has_root(p),
                       .overridden = p->overridden,
                       .charset = p->options.charset };
    int at = 0, n = 0;
    char name[160], text[400];
    d.bytes = gx_expat_context(p->expat, &at, &n);
    d.n = d.bytes ? (size_t)n : 0;
    d.at = d.bytes && at <= n ? (size_t)at : d.n;
    d.is_start = d.bytes && (i64)d.at == gx_expat_byte(p->expat);
    if (d.n == 0 && code == XML_ERROR_NO_ELEMENTS && p->n_input)
        d.n = d.at = 1;                         /* not empty, though Expat has let go of it */
    if (p->sp) {
        const gx_label_info *l =
            &GX_BUF_AT(&p->names.labels,
                       gx_label_info)[GX_LABEL_ID(p->label[GX_BUF_AT(&p->frames, gx_frame)[p->sp].node])];
        const char *prefix = p->names.strs.at + l->prefix, *local = p->names.strs.at + l->local;
        const int n_prefix = (int)gx_diagnosis_cut(prefix, l->prefix_len, 50),
                  n_local = (int)gx_diagnosis_cut(local, l->local_len, 100);
        snprintf(name, sizeof name, "%.*s%s%.*s", n_prefix, prefix, n_prefix ? ":" : "", n_local, local);
        d.open = name;
        d.open_len = (u32)strlen(name);
        d.open_line = open_line(p, &d);
    }
    gx_diagnose(&d, text, sizeof text);
    FAIL(p, GX_EXML, "%s", text);
}

/* Expat has stopped: why? What a handler has said before counts. Else no memory means ours (GX_ENOMEM), or that
 * Expat's own limits are reached, which is growth (GX_ELIMIT); all others are errors in the document. */
static gx_status expat_failed(gx_parser *p)
{
    if (p->status)
        return p->status;
    enum XML_Error code = XML_GetErrorCode(p->expat);
    if (code == XML_ERROR_NO_MEMORY && no_memory) {
        gx_parser_fail_memory(p);
    } else if (code == XML_ERROR_AMPLIFICATION_LIMIT_BREACH || code == XML_ERROR_NO_MEMORY) {
        gx_parser_fail_growth(p, "entities expand the document by more than");
    } else {
        diagnose(p, code);
    }
    return p->status;
}

/* ---- external entities ---- */

/* The encoding of an external entity (XML 1.0, 4.3.3): what Expat cannot decode is converted to UTF-8 in `out`, to
 * which *bytes and *n then point; the caller frees it. At most three times as large. -1 after failing: an encoding
 * that iconv does not know, bytes that it does not have, no memory. */
static int entity_bytes(gx_parser *p, const char **bytes, size_t *n, gx_buf *out)
{
    char declared[GX_ENCODING_BYTES];
    size_t skip;
    const char *name = gx_encoding_choose(*bytes, *n, NULL, declared, &skip),
               *own = name ? gx_encoding_own(name) : "UTF-8";
    p->utf8 = !own || strcmp(own, "ISO-8859-1") != 0;
    if (name)
        XML_SetEncoding(p->expat, own ? own : "UTF-8");
    if (own)
        return 0;
    iconv_t cd = gx_encoding_open(name);
    if (cd == (iconv_t)-1)
        return FAIL(p, GX_EXML, "the encoding \"%.60s\" is not known", name), -1;
    if (gx_buf_room(out, 4096)) {
        iconv_close(cd);
        return gx_parser_fail_memory(p), -1;
    }
    memcpy(out->at, "\xef\xbb\xbf", 3);       /* Expat passes one byte order mark over: a second one is a character */
    out->n = 3;
    char *in = (char *)*bytes + skip;
    size_t left = *n - skip;
    while (left) {
        if (gx_buf_room(out, 4096)) {
            iconv_close(cd);
            return gx_parser_fail_memory(p), -1;
        }
        char *to = out->at + out->n;
        size_t room = out->cap - out->n, rc = iconv(cd, &in, &left, &to, &room);
        out->n = (size_t)(to - out->at);
        if (rc == (size_t)-1 && errno != E2BIG) {
            iconv_close(cd);
            return FAIL(p, GX_EXML, "bytes that are not valid in the encoding %.60s", name), -1;
        }
    }
    iconv_close(cd);
    *bytes = out->at;
    *n = out->n;
    return 0;
}

/* What comes from here on is of this file. -1 after failing. */
static int add_base(gx_parser *p, const char *path)
{
    const u32 name = gx_names_find(&p->names, path, (u32)strlen(path));
    if (name == GX_NONE || gx_buf_room(&p->bases, sizeof(gx_doc_base)))
        return gx_parser_fail_memory(p), -1;
    const gx_name *n = &GX_BUF_AT(&p->names.names, gx_name)[name];
    *(gx_doc_base *)(void *)(p->bases.at + p->bases.n) = (gx_doc_base){ p->n, n->off, n->len };
    p->bases.n += sizeof(gx_doc_base);
    return 0;
}

/* Parses an external entity's text, n bytes, in place of the reference: the handlers' events go on as if it stood
 * there, with places within `path`. context: as Expat has it; NULL: declarations. While it runs p->expat is an inner
 * parser, which ends with it. -1 after failing. Recursion: entities within it, EXTERNAL_NESTING. */
static int read_external(gx_parser *p, XML_Parser outer, const char *context, const char *path, const char *bytes,
                         size_t n)
{
    if (context && add_base(p, path))
        return -1;
    XML_Parser inner = XML_ExternalEntityParserCreate(outer, context, NULL);
    if (!inner)
        return gx_parser_fail_memory(p), -1;
    const char *file = p->options.file;
    u8 utf8 = p->utf8;
    gx_buf decoded = { 0 };
    p->expat = inner;
    p->options.file = path;
    p->external_depth++;
    XML_SetBase(inner, path);
    if (n > GX_EXPAT_BYTES)
        FAIL(p, GX_EXML, "too large");
    else if (entity_bytes(p, &bytes, &n, &decoded) == 0) {
        if (n > GX_EXPAT_BYTES)                 /* of a byte in another encoding there are up to three in UTF-8 */
            FAIL(p, GX_EXML, "too large");
        else if (XML_Parse(inner, bytes, (int)n, 1) != XML_STATUS_OK)
            expat_failed(p);
    }
    XML_ParserFree(inner);
    gx_buf_free(&decoded);
    p->expat = outer;
    p->options.file = file;
    p->utf8 = utf8;
    p->external_depth--;
    if (context && !p->status)
        add_base(p, XML_GetBase(outer) ? XML_GetBase(outer) : "");
    return p->status ? -1 : 0;
}

/* Does Expat stand at %name;, and not at the end of the document type declaration, where the external subset
 * belongs? */
static int is_parameter_reference(XML_Parser expat)
{
    int offset = 0, size = 0;
    const char *bytes = gx_expat_context(expat, &offset, &size);
    return bytes && offset < size && bytes[offset] == '%';
}

static int is_not_predefined(gx_parser *p, const char *s, size_t n) { (void)p; return !gx_is_predefined(s, n); }

/* Declarations take 50 us. 0: nothing from here on refers to any. (Where all of it cannot be seen they are read; then
 * the block holds their names, which nothing points to. UTF-16 and ISO-8859-1 are searched as they are: what looks like
 * a reference is taken for one.) */
static int may_refer(gx_parser *p)
{
    int offset = 0, size = 0;
    const char *bytes =
        p->whole && !p->external_depth && !p->entity_refs.n ? gx_expat_context(p->expat, &offset, &size) : NULL;
    return !bytes || gx_refers(p, bytes + offset, (size_t)(size - offset), is_not_predefined);
}

/* Reads the file of an external entity through the loader and parses it. GX_OK also where that failed (p->status);
 * GX_EIO: there is none that may be read, and *why says so. */
static gx_status load_external(gx_parser *p, XML_Parser expat, const char *context, const char *base,
                               const char *system_id, const char *public_id, gx_error *why)
{
    const char *path, *bytes;
    apr_pool_t *pool;
    size_t n;
    if (p->external_depth >= EXTERNAL_NESTING)
        return FAIL(p, GX_EXML, "external entities within external entities, more than %d deep", EXTERNAL_NESTING),
               GX_OK;
    if (apr_pool_create(&pool, NULL))
        return gx_parser_fail_memory(p), GX_OK;
    p->asked = 1;
    gx_status status = gx_load(p->options.external, pool, public_id ? public_id : "", system_id, base, &p->limits,
                               &path, &bytes, &n, why);
    gx_expat_enter(p);                          /* a catalog has been parsed, perhaps */
    if (status == GX_OK) {
        if (p->options.read)
            p->options.read(p->options.read_ctx, path);
        p->n_input += n;
        p->external_bytes += n;
        /* what the site's own files have is no growth; what refers to it again and again is */
        if (!gx_parser_is_own(p))
            XML_SetBillionLaughsAttackProtectionActivationThreshold(p->root, GX_FREE_GROWTH + p->external_bytes);
        if (p->n_input > p->limits.input)
            gx_parser_fail_limit(p, "input", p->limits.input, "the document and its entities are larger than");
        if (!p->status)
            read_external(p, expat, context, path, bytes, n);
    }
    apr_pool_destroy(pool);
    if (status == GX_EBUSY || status == GX_ENOMEM)      /* it may be there another time, and make another document of
                                                           this one */
        return FAIL(p, status, "external entity \"%.200s\": %s", system_id, why->text), GX_OK;
    return status == GX_OK ? GX_OK : GX_EIO;
}

/* An external entity in text is not read: it is left empty, or an error. Returns as on_external_entity. */
static int without_entity(gx_parser *p, const char *context, const char *system_id, const char *why)
{
    const int n = (int)strcspn(context, "\f");
    if (p->options.external_ignore)
        return 1;
    if (p->asked && p->options.missing_is_empty)
        return gx_parser_warn(p, "the entity \"%.*s\" is left empty: %s", n > 100 ? 100 : n, context, why), 1;
    if (context[n])
        FAIL(p, GX_EXML, "reference to an external entity (\"%.200s\"): %s", system_id ? system_id : "", why);
    else
        FAIL(p, GX_EXML, "reference to the external entity \"%.100s\" (\"%.200s\"): %s", context,
             system_id ? system_id : "", why);
    return 0;
}

/* Expat's event for an external entity or subset (XML 1.0, 4.2.2). context: the names of the open entities, NULL for a
 * parameter entity or the subset. In this order: the file, if the caller's loader has it; of declarations those of
 * XHTML that the engine knows by their public identifier, or all of HTML's; else it is left empty, with a warning, or
 * an error by the options. Returns 0 to stop Expat, with p->status set. */
static int on_external_entity(XML_Parser expat, const XML_Char *context, const XML_Char *base,
                              const XML_Char *system_id, const XML_Char *public_id)
{
    gx_parser *p = XML_GetUserData(expat);
    gx_error why = { .text = "external entities are never read" };
    const int is_subset = !context && !is_parameter_reference(expat), is_wanted = p->options.external && system_id;
    const int is_refused = is_subset && p->options.no_subset;
    const char *known = NULL;
    size_t n;
    if (is_refused)
        snprintf(why.text, sizeof why.text, "the external subset was not to be read");
    else if (is_wanted && load_external(p, expat, context, base, system_id, public_id, &why) == GX_OK)
        return p->status == GX_OK;
    if ((!context || p->options.external_ignore) && is_wanted)
        snprintf(p->unread, sizeof p->unread, "%.255s", why.text);
    if (!context && !is_refused)
        known = gx_entities_known(public_id, &n);
    if (!known && is_subset && p->options.html_entities)
        known = gx_entities_all(&n);
    /* behind a parameter entity that is not read Expat passes over declarations (XML 1.0, 5.1); behind the subset there
     * are none */
    if (known && (!is_subset || may_refer(p)))
        /* of what is declared again Expat tells nobody */
        return !gx_parser_is_late_here(p, (u32)n / 32) && read_external(p, expat, NULL, p->options.file, known, n) == 0;
    if (context)
        return without_entity(p, context, system_id, why.text);
    /* Without declarations a document may still be whole: a reference to what they declare fails later. Of one's own
     * the other declarations hold, as if this file were empty: a DTD's conditional section may need them. */
    if (is_wanted && !is_refused && !known) {
        gx_parser_warn(p, "%s", why.text);
        return read_external(p, expat, NULL, p->options.file, "\n", 1) == 0;
    }
    return 1;
}

/* ---- events ---- */

static void add_text(gx_parser *p, const char *s, size_t len)
{
    if (__builtin_expect(p->lines, 0) && p->text.n == p->text_start)
        gx_parser_position(p, &p->text_line, &p->text_column);
    if (gx_parser_is_late_here(p, 1) || gx_parser_room(p, &p->text, len))
        return;
    char *to = p->text.at + p->text.n;
    if (len == 1)               /* line ends and entities come one by one */
        *to = *s;
    else
        memcpy(to, s, len);
    p->text.n += len;
}

/* What was spelled out (edition.c) is read back: limits are for what the document has. */
static void add_text_as_written(gx_parser *p, const char *s, size_t n)
{
    char *own = gx_parser_as_written(p, s, n);
    if (own)
        add_text(p, own, strlen(own));
    free(own);
}

/* A start tag whose names and values were spelled otherwise for Expat: read back into copies, which live for the
 * event. */
static void start_as_written(gx_parser *p, const char *qname, const char **atts)
{
    size_t n = 0;
    while (atts[n])
        n++;
    char **own = calloc(n + 2, sizeof *own);
    if (!own)
        return gx_parser_fail_memory(p);
    int is_good = (own[0] = gx_parser_as_written(p, qname, strlen(qname))) != NULL;
    for (size_t i = 0; is_good && i < n; i++)
        is_good = (own[i + 1] = gx_parser_as_written(p, atts[i], strlen(atts[i]))) != NULL;
    if (is_good)
        gx_parser_start(p, own[0], (const char **)own + 1);
    for (size_t i = 0; i <= n; i++)
        free(own[i]);
    free(own);
}

static void on_text(void *user, const XML_Char *s, int n)
{
    gx_parser *p = user;
    if (__builtin_expect(p->is_spelled, 0))
        add_text_as_written(p, s, (size_t)n);
    else
        add_text(p, s, (size_t)n);
}

static void expat_start(void *user, const char *qname, const char **atts)
{
    gx_parser *p = user;
    if (__builtin_expect(p->is_spelled, 0))
        start_as_written(p, qname, atts);
    else
        gx_parser_start(p, qname, atts);
}
static void expat_end(void *user, const XML_Char *qname) { (void)qname; gx_parser_end(user); }
static void expat_comment(void *user, const XML_Char *s) { gx_parser_comment(user, s); }
static void expat_pi(void *user, const XML_Char *target, const XML_Char *s) { gx_parser_pi(user, target, s); }

/* ---- a document ---- */

/* Expat is set up for a new document: handlers, a salt out of the parser's seed, its limits of growth out of `limits`,
 * the base of external entities. GX_ENOMEM, or GX_OK. */
gx_status gx_expat_begin(gx_parser *p)
{
    p->uses_expat = 1;
    p->scan.is_as_before = 0;
    if (p->expat_used)
        XML_ParserReset(p->expat, NULL);
    p->expat_used = 1;
    /* a salt of ours saves Expat a system call a document; it comes from the same secret as our own tables */
    XML_SetHashSalt(p->expat, (unsigned long)gx_fold(p->names.seed, 0x9e3779b97f4a7c15ull) | 1);
    XML_SetUserData(p->expat, p);
    XML_SetElementHandler(p->expat, expat_start, expat_end);
    XML_SetCharacterDataHandler(p->expat, on_text);
    XML_SetCommentHandler(p->expat, expat_comment);
    XML_SetProcessingInstructionHandler(p->expat, expat_pi);
    XML_SetXmlDeclHandler(p->expat, gx_on_xml_decl);
    XML_SetDoctypeDeclHandler(p->expat, gx_on_doctype_start, gx_on_doctype_end);
    XML_SetEntityDeclHandler(p->expat, gx_on_entity_decl);
    XML_SetNotationDeclHandler(p->expat, gx_on_notation_decl);
    XML_SetAttlistDeclHandler(p->expat, gx_on_attlist_decl);
    XML_SetSkippedEntityHandler(p->expat, gx_on_skipped_entity);
    XML_SetExternalEntityRefHandler(p->expat, on_external_entity);
    /* internal parameter entities are expanded only so; on_external_entity reads no others */
    XML_SetParamEntityParsing(p->expat, XML_PARAM_ENTITY_PARSING_ALWAYS);
    if (p->options.html_entities)
        XML_UseForeignDTD(p->expat, XML_TRUE);
    if (XML_SetAllocTrackerMaximumAmplification && p->limits.amplification > 100)
        XML_SetAllocTrackerMaximumAmplification(p->expat, (float)p->limits.amplification);
    XML_SetBillionLaughsAttackProtectionActivationThreshold(p->expat,
                                                            gx_parser_is_own(p) ? OWN_GROWTH : GX_FREE_GROWTH);
    p->root = p->expat;
    if (p->options.external) {
        const char *base = p->options.external_base       ? p->options.external_base
            : p->options.base_uri && *p->options.base_uri ? p->options.base_uri
                                                          : p->options.file;
        if (base && *base && XML_SetBase(p->expat, base) != XML_STATUS_OK)
            return gx_parser_begin_failed(p);
    }
    if (p->encoding && XML_SetEncoding(p->expat, p->encoding) != XML_STATUS_OK)
        return gx_parser_begin_failed(p);
    return GX_OK;
}

/* n more bytes of the document, in pieces of GX_EXPAT_BYTES; `final`: the last ones. Growth by entities is limited by
 * what has come so far. GX_OK with p->switch_at: the document type declaration has ended, Expat is suspended there and
 * is not called again. Else p->status. Between pieces the clock is looked at: a huge token calls no handler that
 * would. */
gx_status gx_expat_run(gx_parser *p, const char *bytes, size_t n, int final)
{
    no_memory = 0;
    p->n_parsed += n;
    p->whole = final && p->n_parsed == n && n <= GX_EXPAT_BYTES;
    XML_SetBillionLaughsAttackProtectionMaximumAmplification(p->expat, (float)gx_parser_growth(p));
    do {
        size_t piece = n < GX_EXPAT_BYTES ? n : GX_EXPAT_BYTES;
        const enum XML_Status status = XML_Parse(p->expat, bytes, (int)piece, final && piece == n);
        if (status == XML_STATUS_SUSPENDED && p->switch_at && !p->status)
            return GX_OK;
        if (status != XML_STATUS_OK || p->status)
            return expat_failed(p);
        bytes += piece;
        n -= piece;
        /* what is not whole yet calls nobody who looks at the clock, and is read again with the next piece */
        if (!final && gx_parser_is_late_here(p, GX_LOOK))
            return p->status;
    } while (n);
    return GX_OK;
}
