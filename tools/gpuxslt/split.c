/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split.c -- gpuxslt --each --split-at ELEMENT: the parts of one large document, each as a document of its own
 *
 *   <!DOCTYPE d [ ... ]> <d xmlns="u" xml:lang="de"> <part id="1">...</part> <part id="2">...</part> </d>
 *
 *   part 1:  <!DOCTYPE d [ ... ]><part xmlns="u" xml:lang="de" id="1">...</part>
 *
 * Expat reads the document a piece at a time and says where parts begin and end; a part's own bytes are copied as they
 * stand, in the document's encoding. What the part would lose is written into its start tag: namespaces that are in
 * scope, xml:lang, xml:space, xml:base. An element inside a part is a part of that part.
 *
 * Memory: one part, and a piece of 1 MiB. Cost: Expat's, some 250 MB/s.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "document/expat_at.h"
#include "each.h"

enum { PIECE = 1 << 20, MOST_DEPTH = 1 << 16 };

typedef struct text { char *at; size_t n, room; } text;
/* an attribute that elements below are given */
typedef struct inherited { u32 depth; char *name, *value; } inherited;

typedef struct split_input {
    each_input base;
    FILE *file;
    const char *name, *element;
    u64 most, n_parts;
    XML_Parser parser;
    text window;                    /* the document's bytes from window_at on */
    u64 window_at, seen;            /* seen: where the last event was */
    u32 depth, inside;              /* inside: depth of the part that is open; 0: none */
    u64 start;                      /* of that part, or of the DOCTYPE */
    text head, doctype, encoding;   /* of parts: what their start tags get; the internal subset; the XML declaration */
    inherited *scope;
    size_t n_scope, room_scope;
    text *ready;                    /* parts that are complete */
    size_t n_ready, at_ready, room_ready;
    i64 time_ns;
    int is_over;
    char wrong[400];
} split_input;

static int put(text *t, const char *bytes, size_t n)
{
    if (t->room - t->n < n + 1) {
        const size_t room = 2 * (t->room + n + 64);
        char *more = realloc(t->at, room);
        if (!more)
            return 0;
        t->at = more;
        t->room = room;
    }
    memcpy(t->at + t->n, bytes, n);
    t->n += n;
    t->at[t->n] = 0;
    return 1;
}

static int put_str(text *t, const char *s) { return put(t, s, strlen(s)); }

static void fail(split_input *s, const char *sentence)
{
    if (!*s->wrong)
        snprintf(s->wrong, sizeof s->wrong, "%s:%lu:%lu: %s", s->name,
                 (unsigned long)gx_expat_line(s->parser),
                 (unsigned long)gx_expat_column(s->parser) + 1, sentence);
    XML_StopParser(s->parser, XML_FALSE);
}

static u64 here(split_input *s)
{
    s->seen = (u64)gx_expat_byte(s->parser);
    return s->seen;
}

static const char *bytes_at(const split_input *s, u64 at) { return s->window.at + (at - s->window_at); }

/* ---- what a part inherits ---- */

static int is_inherited(const char *name)
{
    return !strcmp(name, "xmlns") || !strncmp(name, "xmlns:", 6) || !strcmp(name, "xml:lang")
        || !strcmp(name, "xml:space") || !strcmp(name, "xml:base");
}

static void inherit(split_input *s, const char *name, const char *value)
{
    if (s->n_scope == s->room_scope) {
        s->room_scope = 2 * s->room_scope + 16;
        inherited *more = realloc(s->scope, s->room_scope * sizeof *more);
        if (!more) {
            fail(s, "not enough memory");
            return;
        }
        s->scope = more;
    }
    s->scope[s->n_scope++] = (inherited){ s->depth, strdup(name), strdup(value) };
}

static void disinherit(split_input *s)
{
    while (s->n_scope && s->scope[s->n_scope - 1].depth == s->depth) {
        s->n_scope--;
        free(s->scope[s->n_scope].name);
        free(s->scope[s->n_scope].value);
    }
}

static int has(const char **atts, const char *name)
{
    for (; *atts; atts += 2)
        if (!strcmp(*atts, name))
            return 1;
    return 0;
}

/* Expat's UTF-8 as an attribute's value in any encoding that has ASCII */
static void put_value(text *t, const char *s)
{
    for (; *s; s++) {
        const u8 c = (u8)*s;
        char ref[16];
        if (c < 0x80 && c >= ' ' && c != '&' && c != '<' && c != '"')
            put(t, s, 1);
        else {
            u32 code = c, more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
            code = more == 3 ? c & 7 : more == 2 ? c & 15 : more == 1 ? c & 31 : c;
            for (; more; more--)
                code = code << 6 | ((u8)*++s & 63);
            snprintf(ref, sizeof ref, "&#%u;", code);
            put_str(t, ref);
        }
    }
}

/* ---- Expat's events ---- */

static void on_start(void *ctx, const char *name, const char **atts)
{
    split_input *s = ctx;
    const u64 at = here(s);
    if (++s->depth > MOST_DEPTH) {
        fail(s, "elements are nested too deeply");
        return;
    }
    if (s->inside)
        return;
    if (strcmp(name, s->element) != 0) {
        for (const char **a = atts; *a; a += 2)
            if (is_inherited(*a))
                inherit(s, a[0], a[1]);
        return;
    }
    if (!gx_expat_count(s->parser)) {
        fail(s, "the element to split at stands in an entity");
        return;
    }
    s->inside = s->depth;
    s->start = at;
    s->head.n = 0;
    for (size_t i = s->n_scope; i-- > 0;) {
        const inherited *in = &s->scope[i];
        int is_newer = has(atts, in->name);
        for (size_t k = i + 1; k < s->n_scope && !is_newer; k++)
            is_newer = !strcmp(s->scope[k].name, in->name);
        if (is_newer || (!*in->value && !strcmp(in->name, "xmlns")))
            continue;
        put(&s->head, " ", 1);
        put_str(&s->head, in->name);
        put_str(&s->head, "=\"");
        put_value(&s->head, in->value);
        put(&s->head, "\"", 1);
    }
}

static void finish_part(split_input *s, u64 end)
{
    const size_t n = (size_t)(end - s->start), name = 1 + strlen(s->element);
    const char *raw = bytes_at(s, s->start);
    text part = { 0 };
    if (s->n_ready == s->room_ready) {
        text *more = realloc(s->ready, (2 * s->room_ready + 16) * sizeof *more);
        if (!more) {
            fail(s, "not enough memory");
            return;
        }
        s->ready = more;
        s->room_ready = 2 * s->room_ready + 16;
    }
    if (n > s->most || n < name || memcmp(raw + 1, s->element, name - 1) != 0) {
        fail(s,
             n > s->most ? "a part is larger than the limit input allows"
                         : "the document's encoding does not keep ASCII as it is: convert it to UTF-8 first");
        return;
    }
    if (!put(&part, s->encoding.at ? s->encoding.at : "", s->encoding.n)
        || !put(&part, s->doctype.at ? s->doctype.at : "", s->doctype.n) || !put(&part, raw, name)
        || !put(&part, s->head.at ? s->head.at : "", s->head.n) || !put(&part, raw + name, n - name)) {
        free(part.at);
        fail(s, "not enough memory");
        return;
    }
    s->ready[s->n_ready++] = part;
}

static void on_end(void *ctx, const char *name)
{
    split_input *s = ctx;
    const u64 at = here(s);
    (void)name;
    if (s->inside == s->depth) {
        s->inside = 0;
        finish_part(s, at + (u64)gx_expat_count(s->parser));
    } else if (!s->inside)
        disinherit(s);
    s->depth--;
}

static void on_other(void *ctx, const char *bytes, int n)
{
    (void)bytes, (void)n;
    here(ctx);
}

static void on_declaration(void *ctx, const char *version, const char *encoding, int standalone)
{
    split_input *s = ctx;
    (void)standalone;
    here(s);
    if (!encoding || !version)
        return;
    put_str(&s->encoding, "<?xml version=\"1.0\" encoding=\"");
    put_str(&s->encoding, encoding);
    put_str(&s->encoding, "\"?>");
}

static void on_doctype(void *ctx, const char *name, const char *system_id, const char *public_id, int has_subset)
{
    split_input *s = ctx;
    s->start = here(s);                     /* the "[" */
    if (!has_subset)
        return;
    put_str(&s->doctype, "<!DOCTYPE ");
    put_str(&s->doctype, name);
    if (system_id) {
        put_str(&s->doctype, public_id ? " PUBLIC \"" : " SYSTEM");
        put_str(&s->doctype, public_id ? public_id : "");
        put_str(&s->doctype, public_id ? "\"" : "");
        put_str(&s->doctype, strchr(system_id, '"') ? " '" : " \"");
        put_str(&s->doctype, system_id);
        put_str(&s->doctype, strchr(system_id, '"') ? "'" : "\"");
    }
    s->inside = UINT32_MAX;                 /* its bytes are kept */
}

static void on_doctype_end(void *ctx)
{
    split_input *s = ctx;
    const u64 end = here(s) + (u64)gx_expat_count(s->parser);
    s->inside = 0;
    if (s->doctype.n && !put(&s->doctype, bytes_at(s, s->start), (size_t)(end - s->start)))
        fail(s, "not enough memory");
}

/* ---- reading ---- */

/* The window keeps what an event may still ask for: an open part, or the bytes since the last event. */
static void slide(split_input *s)
{
    const u64 keep = s->inside ? s->start : s->seen;
    const size_t gone = (size_t)(keep - s->window_at);
    if (gone < PIECE && gone < s->window.n)
        return;
    memmove(s->window.at, s->window.at + gone, s->window.n - gone);
    s->window.n -= gone;
    s->window_at = keep;
}

static int read_piece(split_input *s, char why[400])
{
    char *piece;
    slide(s);
    piece = XML_GetBuffer(s->parser, PIECE);
    if (!piece) {
        snprintf(why, 400, "%s: not enough memory", s->name);
        return -1;
    }
    errno = 0;
    const size_t n = fread(piece, 1, PIECE, s->file);
    if (n < PIECE && ferror(s->file)) {
        snprintf(why, 400, "%s: cannot be read: %s", s->name, strerror(errno ? errno : EIO));
        return -1;
    }
    if (!put(&s->window, piece, n)) {
        snprintf(why, 400, "%s: not enough memory", s->name);
        return -1;
    }
    s->base.read_bytes += n;
    s->is_over = n == 0;
    if (s->inside && s->inside != UINT32_MAX && s->window_at + s->window.n - s->start > s->most + PIECE) {
        snprintf(why, 400, "%s:%lu: the part that begins before here is larger than the limit input allows", s->name,
                 (unsigned long)gx_expat_line(s->parser));
        return -1;
    }
    if (XML_ParseBuffer(s->parser, (int)n, n == 0) != XML_STATUS_OK) {
        if (!*s->wrong)
            fail(s, XML_ErrorString(XML_GetErrorCode(s->parser)));
        snprintf(why, 400, "%s", s->wrong);
        return -1;
    }
    return 0;
}

static int next_part(each_input *in, each_item *item, char why[400])
{
    split_input *s = (split_input *)in;
    while (s->at_ready == s->n_ready) {
        s->at_ready = s->n_ready = 0;
        if (*s->wrong) {
            snprintf(why, 400, "%s", s->wrong);
            return -1;
        }
        if (s->is_over)
            return 0;
        if (read_piece(s, why) < 0) {
            if (!s->n_ready)
                return -1;
            snprintf(s->wrong, sizeof s->wrong, "%s", why);     /* first the parts that came before it */
        }
    }
    const text *part = &s->ready[s->at_ready++];
    item->bytes = part->at;
    item->n = part->n;
    item->time_ns = s->time_ns;
    if (asprintf(&item->name, "%s-%08llu", s->element, (unsigned long long)++s->n_parts) < 0)
        item->name = NULL;
    for (char *c = item->name; c && *c; c++)
        if (*c == ':')
            *c = '_';
    return 1;
}

static void close_split(each_input *in)
{
    split_input *s = (split_input *)in;
    if (s->file != stdin)
        fclose(s->file);
    s->depth = 0;
    for (size_t i = 0; i < s->n_scope; i++) {
        free(s->scope[i].name);
        free(s->scope[i].value);
    }
    for (size_t i = s->at_ready; i < s->n_ready; i++)
        free(s->ready[i].at);
    free(s->scope);
    free(s->ready);
    free(s->window.at);
    free(s->head.at);
    free(s->doctype.at);
    free(s->encoding.at);
    XML_ParserFree(s->parser);
    free(s);
}

each_input *each_open_split(const char *name, const char *element, u64 most, char why[400])
{
    split_input *s = calloc(1, sizeof *s);
    struct stat st;
    if (!s || !(s->parser = XML_ParserCreate(NULL)) || !(s->file = strcmp(name, "-") ? fopen(name, "rb") : stdin)) {
        snprintf(why, 400, "%s: cannot be opened: %s", name, strerror(errno));
        if (s && s->parser)
            XML_ParserFree(s->parser);
        free(s);
        return NULL;
    }
    s->base = (each_input){ next_part, close_split, 0, 0, 0 };
    s->name = name;
    s->element = element;
    s->most = most;
    if (fstat(fileno(s->file), &st) == 0 && S_ISREG(st.st_mode)) {
        s->base.total_bytes = (u64)st.st_size;
        s->time_ns = (i64)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    }
    XML_SetUserData(s->parser, s);
    XML_SetElementHandler(s->parser, on_start, on_end);
    XML_SetDefaultHandlerExpand(s->parser, on_other);
    XML_SetXmlDeclHandler(s->parser, on_declaration);
    XML_SetDoctypeDeclHandler(s->parser, on_doctype, on_doctype_end);
    return &s->base;
}
