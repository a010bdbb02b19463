/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.c -- XML text to a document block, by Expat
 *
 *   bytes --(encoding)--> UTF-8 --Expat--> handlers --> columns in the parser's own arrays --assemble--> one block
 *   (doc.h)
 *
 * The parser keeps its arrays, its tables (names.h) and its Expat between documents: a small document allocates nothing
 * but its block. Expat runs without namespace processing: prefixes, declarations and lists of what is in scope are
 * needed as they stand, and a name that repeats in the same scope costs one hash lookup here.
 *
 * What a stranger's document may not do: open anything (external entities and parameter entities are never read, and
 * what XHTML's DTDs declare is known, entities.c; a *reference* to any other, or to an entity that is not declared, is
 * an error unless options.external_ignore; options.external is for documents of one's own, whose entities and DTD files
 * are read through its loader), grow without bound (every array grows under a limit of gx_limits, which the error
 * names; with what its entities expand to it is not larger than limits.input, or twice what was read), take long
 * (entities and attribute defaults are much work for few bytes: options.timeout_us), or recurse (Expat nests C calls
 * for entities within entities only: ENTITY_NESTING). Expat must be 2.6 or have 2.6's reparse deferral, or a huge token
 * in small pieces costs quadratic time.
 *
 * Invariants while parsing: frames[0] is the root, frames[sp] the innermost open element; text[text_start..n) is the
 * text node that is being collected, adjacent character data, CDATA and entity text alike.
 *
 * Cost: Expat plus about a third; one copy of everything when the block is assembled. Memory: the arrays of a large
 * document are given back one by
 * one as they are copied, so that at most one of them is there twice.
 */
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>
#include "parser.h"
#if XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION < 4
#error "mod_gpuxml needs Expat 2.4 or newer: those before it let a few entities grow to gigabytes"
#endif
/* Expat 2.9 deprecates positions that are a long, for systems where that has 32 bits, and a salt of 64 bits, which is
 * what our seed has */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "clock.h"
#include "diagnose.h"
#include "doc_layout.h"
#include "edition.h"
#include "entities.h"
#include "expat_at.h"
#include "files/uri.h"
#include "parts.h"

/* Expat 2.7.2, or Debian's 2.5: memory beyond 64 MiB and a hundred times the input is no memory */
extern XML_Bool XML_SetAllocTrackerMaximumAmplification(XML_Parser, float) __attribute__((weak));

#define BATCH_BYTES (4u << 20)  /* pieces wait for each other up to this much, see to_expat */
#define EXPAT_BYTES (1u << 30)  /* Expat counts in int */
#define EXTERNAL_NESTING 20     /* files of external entities within each other */
#define ENTITY_NESTING 256      /* entities whose text refers to further entities: a chain of them is as long at most */
#define FREE_GROWTH (1u << 20)  /* entity and default-attribute text below this is never an attack */
#define OWN_GROWTH (64u << 20)  /* the same for documents of one's own: DTD files count as growth */
#define LOOK 1024u              /* at the clock: every so many events and attributes */

#define BUFFERS(p) \
    { \
        &(p)->text, &(p)->values, &(p)->frames, &(p)->scope_changes, &(p)->attributes, &(p)->declared, &(p)->ids, \
            &(p)->odd, &(p)->bases, &(p)->entities, &(p)->entity_refs \
    } /* and `waiting`, which is the source's */

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

/* By how much entities may expand what has been read: a start tag's attributes are in memory before anybody sees one of
 * them, so that they stay below the largest document that there may be. Twice is always good: what comes first may have
 * most of them. */
static int is_own(const gx_parser *p) { return p->options.external && !p->options.is_foreign; }

static u64 growth(const gx_parser *p)
{
    const u64 most = is_own(p) ? ~0ull : p->limits.input / (p->n_input + 1), least = most < 2 ? 2 : most;
    return least < p->limits.amplification ? least : p->limits.amplification;
}

/* ---- errors ---- */

/* Where Expat or the scanner stands, from 1 */
static void current_position(gx_parser *p, u32 *line, u32 *column)
{
    if (!p->uses_expat) {
        gx_scan_position(p, line, column);
        return;
    }
    *line = (u32)gx_expat_line(p->expat);
    *column = (u32)gx_expat_column(p->expat) + 1;
}


static void handlers_off(gx_parser *p)
{
    XML_SetElementHandler(p->expat, NULL, NULL);
    XML_SetCharacterDataHandler(p->expat, NULL);
    XML_SetProcessingInstructionHandler(p->expat, NULL);
    XML_SetCommentHandler(p->expat, NULL);
    XML_SetEntityDeclHandler(p->expat, NULL);
    XML_SetNotationDeclHandler(p->expat, NULL);
    XML_SetAttlistDeclHandler(p->expat, NULL);
    XML_SetSkippedEntityHandler(p->expat, NULL);
    XML_SetDoctypeDeclHandler(p->expat, NULL, NULL);
    XML_SetXmlDeclHandler(p->expat, NULL);
}

/* Ends the document at the current event's position. Expat may still deliver an end tag or two after a stop: nobody
 * listens. */
#define FAIL(p, status, ...) fail_at(p, gx_fail((p)->err, status, (p)->options.file, 0, 0, __VA_ARGS__))

static void fail_at(gx_parser *p, gx_status status)
{
    i64 byte = p->uses_expat ? gx_expat_byte(p->expat) : (i64)(p->scan.base + p->scan.at);
    if (p->err) {
        current_position(p, &p->err->line, &p->err->column);
        p->err->byte = byte < 0 ? p->n_input : (u64)byte;
    }
    p->status = status;
    if (!p->uses_expat)
        return;
    handlers_off(p);
    XML_StopParser(p->expat, XML_FALSE);
}

static void fail_memory(gx_parser *p) { FAIL(p, GX_ENOMEM, "out of memory"); }

/* The document goes on. */
static void warn(gx_parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void warn(gx_parser *p, const char *fmt, ...)
{
    char text[sizeof p->err->text];
    gx_error what;
    va_list args;
    if (!p->options.warning || p->is_quiet)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    gx_fail(&what, GX_EXML, p->options.file, 0, 0, "%s", text);
    current_position(p, &what.line, &what.column);
    p->options.warning(p->options.warning_ctx, &what);
}

/* The document that failed would not have, leniently read. */
static int name_leniency(gx_parser *p)
{
    const size_t n = p->err ? strlen(p->err->text) : 0;
    if (p->err && !p->options.fixed_limits)
        snprintf(p->err->text + n, sizeof p->err->text - n, " (GPUXMLNamespaces lenient accepts it)");
    return 0;
}

/* What breaks Namespaces in XML ends the document, or is a warning and 1. The scanner leaves such documents to Expat,
 * lest they be warned of twice. */
#define NAMESPACE_ERROR(p, ...) \
    ((p)->options.lenient && (p)->uses_expat ? (warn(p, __VA_ARGS__), 1) \
                                             : (FAIL(p, GX_EXML, __VA_ARGS__), name_leniency(p)))

static void fail_limit(gx_parser *p, const char *key, u64 value, const char *what)
{
    if (p->options.fixed_limits) {
        FAIL(p, GX_ELIMIT, "%s %s=%llu (fixed for stylesheets and catalogs)", what, key, (unsigned long long)value);
        return;
    }
    if (gx_limits_is_most(key, value)) {
        FAIL(p, GX_ELIMIT, "%s %s=%llu (there can be no more)", what, key, (unsigned long long)value);
        return;
    }
    FAIL(p, GX_ELIMIT, "%s %s=%llu (raise it with GPUXMLLimit %s=N)", what, key, (unsigned long long)value, key);
    if (p->err)
        p->err->limit = key;
}

static void fail_growth(gx_parser *p, const char *what)
{
    if (growth(p) < p->limits.amplification)
        fail_limit(p, "input", p->limits.input, "the document with what its declarations add is larger than");
    else
        fail_limit(p, "amplification", p->limits.amplification, what);
}

/* After so much work: is the time up? Then the document has failed. */
static inline int is_late(gx_parser *p, u32 work)
{
    p->work += work;
    if (__builtin_expect(p->work < LOOK, 1))
        return 0;
    p->work = 0;
    if (p->is_cancelled && __atomic_load_n(p->is_cancelled, __ATOMIC_RELAXED))
        return p->status = GX_ECANCEL, 1;
    if (!p->options.timeout_us || gx_now_us() <= p->due_us)
        return 0;
    FAIL(p, GX_ETIME, "reading the document takes longer than GPUXMLTimeout allows");
    return 1;
}

int gx_parser_is_late(gx_parser *p, u32 work) { return is_late(p, work); }

/* ---- columns ---- */

/* A column of `had` nodes gets room for n. */
static int grow_column(void *column, size_t size, u32 had, u32 n)
{
    char **at = column, *grown = realloc(*at, size * n);
    if (!grown)
        return -1;
    if (n > had)
        gx_pages_ready(grown + size * had, size * (n - had));
    *at = grown;
    return 0;
}

/* The next size of columns of n nodes */
static u32 more_nodes(u32 n)
{
    const size_t more = gx_pages_more((size_t)n * sizeof(u32)) / sizeof(u32);
    return !n ? 1024 : more > 0xfffffff0u ? 0xfffffff0u : (u32)more;
}

static int grow_lines(gx_parser *p, u32 n)
{
    if (n > p->allocated_lines) {
        if (grow_column(&p->line, 4, p->allocated_lines, n) || grow_column(&p->column, 4, p->allocated_lines, n))
            return -1;
        p->allocated_lines = n;
    }
    return 0;
}

/* Memory for n nodes at least; room is not changed by it. */
static int allocate(gx_parser *p, u32 n)
{
    const u32 had = p->allocated;
    if (grow_column(&p->label, 4, had, n) || grow_column(&p->parent, 4, had, n) || grow_column(&p->next, 4, had, n)
        || grow_column(&p->text_off, 4, had, n) || grow_column(&p->text_len, 4, had, n)
        || grow_column(&p->depth, 2, had, n))
        return -1;
    p->allocated = n;
    return 0;
}

int gx_parser_columns(gx_parser *p, u32 more)
{
    if (p->allocated - p->n >= more)
        return 0;
    const u32 least = p->n + more, next = more_nodes(p->allocated);
    if (least < more || allocate(p, least > next ? least : next) || (p->lines && grow_lines(p, p->allocated)))
        return -1;
    p->room = p->allocated < p->limits.nodes ? p->allocated : p->limits.nodes;
    return 0;
}

/* Room for one node more: -1 after failing. */
int gx_parser_grow(gx_parser *p)
{
    if (p->n >= p->limits.nodes) {
        fail_limit(p, "nodes", p->limits.nodes, "more nodes than");
        return -1;
    }
    u32 n = p->allocated;
    if (p->room == n) {
        n = more_nodes(n);
        if (allocate(p, n)) {
            fail_memory(p);
            return -1;
        }
    }
    if (p->lines && grow_lines(p, n)) {
        fail_memory(p);
        return -1;
    }
    p->room = n < p->limits.nodes ? n : p->limits.nodes;
    return 0;
}

int gx_parser_heap_full(gx_parser *p, gx_buf *heap, size_t more)
{
    if (heap->n + more > GX_MAX_HEAP)
        FAIL(p, GX_ELIMIT, "more than 4 GiB of text, values or names");
    else if (gx_buf_room(heap, more))
        fail_memory(p);
    else
        return 0;
    return -1;
}

/* Copies into the value heap: its offset there, or GX_NONE after failing. */
static inline u32 add_value(gx_parser *p, const char *s, size_t len)
{
    if (len > p->limits.text) {
        fail_limit(p, "text", p->limits.text, "an attribute, comment or processing instruction longer than");
        return GX_NONE;
    }
    if (gx_parser_room(p, &p->values, len))
        return GX_NONE;
    u32 off = (u32)p->values.n;
    memcpy(p->values.at + off, s, len);
    p->values.n += len;
    return off;
}

/* ---- text ---- */

/* Ends the collected text node. -1 after failing. */
int gx_parser_end_text(gx_parser *p)
{
    const gx_frame *f = &GX_BUF_AT(&p->frames, gx_frame)[p->sp];
    u32 start = p->text_start, len = (u32)p->text.n - start;
    if (f->strip) {
        const char *s = p->text.at + start;
        u32 i = 0;
        while (i < len && gx_is_space(s[i]))
            i++;
        if (i == len) {
            p->text.n = start;
            return 0;
        }
    }
    if (len > p->limits.text) {
        fail_limit(p, "text", p->limits.text, "a text node longer than");
        return -1;
    }
    p->text_start = (u32)p->text.n;
    u32 id = gx_parser_add_node(p, GX_LABEL_TEXT, f->node, p->sp + 1, start, len);
    if (id == GX_NONE)
        return -1;
    if (p->lines)
        gx_parser_set_position(p, id, p->text_line, p->text_column);
    return 0;
}

static inline int flush_text(gx_parser *p) { return p->text.n != p->text_start ? gx_parser_end_text(p) : 0; }

static void on_text(void *user, const XML_Char *s, int n)
{
    gx_parser *p = user;
    size_t len = (size_t)n;
    if (__builtin_expect(p->lines, 0) && p->text.n == p->text_start)
        current_position(p, &p->text_line, &p->text_column);
    if (is_late(p, 1) || gx_parser_room(p, &p->text, len))
        return;
    char *to = p->text.at + p->text.n;
    if (len == 1)               /* line ends and entities come one by one */
        *to = *s;
    else
        memcpy(to, s, len);
    p->text.n += len;
}

/* ---- elements ---- */

/* The interned name, checked. GX_NONE after failing. */
static inline u32 find_name(gx_parser *p, const char *s, const char *what)
{
    size_t len = strlen(s);
    if (len > p->limits.name) {
        fail_limit(p, "name", p->limits.name, "a name longer than");
        return GX_NONE;
    }
    u32 name = gx_names_find(&p->names, s, (u32)len);
    if (name == GX_NONE)
        fail_memory(p);
    else if (__builtin_expect(GX_BUF_AT(&p->names.names, gx_name)[name].flags & GX_NAME_BAD, 0)) {
        gx_name *bad = &GX_BUF_AT(&p->names.names, gx_name)[name];
        if (!(bad->flags & GX_NAME_WARNED)
            && !NAMESPACE_ERROR(p, "%s name \"%.100s\" is not a qualified name", what, s))
            return GX_NONE;
        bad->flags |= GX_NAME_WARNED;
    }
    return name;
}

/* The label of a name in a scope is looked for, as an element's or attribute's. -1 after failing. */
static int resolve(gx_parser *p, u32 index, u32 scope, int is_attribute, const char *qname)
{
    const u32 flags = GX_BUF_AT(&p->names.names, gx_name)[index].flags;
    int rc = GX_NAMES_UNDECLARED;
    if (!(flags & GX_NAME_BAD)
        && (is_attribute || !(flags & GX_NAME_XMLNS) || !GX_BUF_AT(&p->names.names, gx_name)[index].prefix_len))
        rc = is_attribute ? gx_names_attribute(&p->names, index, scope) : gx_names_element(&p->names, index, scope);
    if (rc == GX_NAMES_UNDECLARED) {
        if (!(flags & GX_NAME_WARNED) && !NAMESPACE_ERROR(p, "the prefix of \"%.100s\" is not declared", qname))
            return -1;
        GX_BUF_AT(&p->names.names, gx_name)[index].flags |= GX_NAME_WARNED;
        rc = is_attribute ? gx_names_attribute_as_written(&p->names, index, scope)
                          : gx_names_element_as_written(&p->names, index, scope);
    }
    if (rc == GX_NAMES_NOMEM)
        fail_memory(p);
    return rc ? -1 : 0;
}

/* Namespaces in XML 1.0, 3 and 5: is a prefix ("": the default) to be bound to the namespace? Else it is bound already,
 * or the declaration is passed over, or the document has failed. */
static int is_binding(gx_parser *p, const char *prefix, u32 uri)
{
    const int xml = strcmp(prefix, "xml") == 0;
    if (*prefix && uri == GX_NAMES_EMPTY)
        NAMESPACE_ERROR(p, "the prefix \"%.100s\" is declared with an empty namespace name", prefix);
    else if (strcmp(prefix, "xmlns") == 0)
        NAMESPACE_ERROR(p, "the prefix \"xmlns\" must not be declared");
    else if (xml != (uri == GX_NAMES_XML))
        NAMESPACE_ERROR(p, "the prefix \"xml\" and the namespace %s belong to each other only", GX_XML_URI);
    else if (uri == GX_NAMES_XMLNS)
        NAMESPACE_ERROR(p, "the namespace %s must not be declared", GX_XMLNS_URI);
    else
        return !xml;
    return 0;
}

/* The frame's scope becomes the parent's and the declarations among the n attributes. -1 after failing. */
static int declare(gx_parser *p, gx_frame *f, const char **atts, u32 n)
{
    u32 scope, n_declared = 0;
    p->declared.n = 0;
    p->work += n * (1 + GX_BUF_AT(&p->names.scopes, gx_ns_list)[f->scope].n / 8);      /* gx_names_scope */
    if (gx_buf_room(&p->declared, n * sizeof(gx_binding)))
        return fail_memory(p), -1;
    for (u32 i = 0; i < n; i++) {
        u32 name = GX_BUF_AT(&p->attributes, u32)[i];
        const gx_name *a = &GX_BUF_AT(&p->names.names, gx_name)[name];
        if (!(a->flags & GX_NAME_XMLNS))
            continue;
        const char *uri_text = atts[2 * i + 1];
        size_t len = strlen(uri_text);
        if (len > p->limits.text)
            return fail_limit(p, "text", p->limits.text, "a namespace name longer than"), -1;
        u32 prefixed = a->prefix_len;
        u32 uri = gx_names_find(&p->names, uri_text, (u32)len);
        if (uri == GX_NONE)
            return fail_memory(p), -1;
        if (is_binding(p, prefixed ? atts[2 * i] + 6 : "", uri))
            GX_BUF_AT(&p->declared, gx_binding)[n_declared++] = (gx_binding){ name, uri };
    }
    if (n_declared == 0 || p->status != GX_OK)
        return p->status == GX_OK ? 0 : -1;
    if (gx_names_scope(&p->names, f->scope, GX_BUF_AT(&p->declared, gx_binding), n_declared, &scope))
        return fail_memory(p), -1;
    /* every list is stored in full: without these two a nest of declarations would cost memory by its square */
    if (GX_BUF_AT(&p->names.scopes, gx_ns_list)[scope].n > p->limits.attributes)
        return fail_limit(p, "attributes", p->limits.attributes, "more namespaces in scope than"), -1;
    if (GX_BUF_N(&p->names.bindings, gx_binding) > p->limits.nodes)
        return fail_limit(p, "nodes", p->limits.nodes, "more namespaces in all scopes together than"), -1;
    f->scope = scope;
    return 0;
}

/* One namespace node; its URI is stored once a document, however many nodes have it. */
static int add_namespace(gx_parser *p, u32 element, u32 label, u32 uri)
{
    gx_name *u = &GX_BUF_AT(&p->names.names, gx_name)[uri];
    if (u->value_at == GX_NONE) {
        u->value_at = add_value(p, p->names.strs.at + u->off, u->len);
        if (u->value_at == GX_NONE)
            return -1;
    }
    u32 id = gx_parser_add_node(p, label, element, p->sp + 1, u->value_at, u->len);
    if (id == GX_NONE)
        return -1;
    if (p->lines)
        gx_parser_set_position(p, id, p->line[element], p->column[element]);
    return 0;
}

static int add_namespaces(gx_parser *p, const gx_frame *f)
{
    const gx_ns_list list = GX_BUF_AT(&p->names.scopes, gx_ns_list)[f->scope];
    if (add_namespace(p, f->node, p->xml_ns_label, GX_NAMES_XML))
        return -1;
    for (u32 i = 0; i < list.n; i++) {
        const gx_binding b = GX_BUF_AT(&p->names.bindings, gx_binding)[list.first + i];
        gx_name *name = &GX_BUF_AT(&p->names.names, gx_name)[b.name];
        if (name->attr_scope != GX_SCOPE_ANY) {         /* a declaration is never an attribute node: its cache is free
                                                           for this */
            u32 label;
            if (gx_names_label(&p->names, GX_KIND_NS, b.name, &label))
                return fail_memory(p), -1;
            name->attr_scope = GX_SCOPE_ANY;
            name->attr_label = label;
        }
        if (add_namespace(p, f->node, name->attr_label, b.uri))
            return -1;
    }
    return 0;
}

static int add_id(gx_parser *p, u32 element, const char *s, int normalize)
{
    size_t len = strlen(s);
    if (normalize) {                    /* xml:id, 4: as if it were declared; Expat has turned line ends and tabs into
                                           spaces */
        while (len && *s == ' ')
            s++, len--;
        while (len && s[len - 1] == ' ')
            len--;
    }
    if (gx_parser_room(p, &p->names.strs, len))
        return -1;
    gx_doc_id *id = gx_buf_push(&p->ids, sizeof *id);
    if (!id)
        return fail_memory(p), -1;
    *id = (gx_doc_id){ (u32)gx_text_hash(p->names.seed, s, (u32)len), (u32)p->names.strs.n, (u32)len, element };
    memcpy(p->names.strs.at + p->names.strs.n, s, len);
    p->names.strs.n += len;
    return 0;
}

static int add_odd(gx_parser *p, u32 node, const gx_name *name)
{
    gx_doc_odd *odd = gx_buf_push(&p->odd, sizeof *odd);
    if (!odd)
        return fail_memory(p), -1;
    *odd = (gx_doc_odd){ node, name->prefix_len ? name->off : 0, name->prefix_len };
    return 0;
}

/* Attribute nodes of the element that was just added, n of them, named by p->attributes. */
static int add_attributes(gx_parser *p, const gx_frame *f, const char **atts, u32 n)
{
    const int id_at = !p->doctype ? -1 : p->uses_expat ? XML_GetIdAttributeIndex(p->expat) : p->id_at;
    for (u32 i = 0; i < n; i++) {
        u32 index = GX_BUF_AT(&p->attributes, u32)[i];
        const gx_name *name = &GX_BUF_AT(&p->names.names, gx_name)[index];
        if (name->flags & GX_NAME_XMLNS)
            continue;
        if (name->attr_scope != f->scope && name->attr_scope != GX_SCOPE_ANY) {
            if (resolve(p, index, f->scope, 1, atts[2 * i]))
                return -1;
            name = &GX_BUF_AT(&p->names.names, gx_name)[index];
        }
        if (name->prefix_len) {         /* Expat has compared the names as written; two prefixes may mean one namespace
                                           */
            gx_label_state *state = &GX_BUF_AT(&p->names.states, gx_label_state)[GX_LABEL_ID(name->attr_label)];
            if (state->seen == f->node) {
                if (!NAMESPACE_ERROR(p, "the attribute \"%.100s\" is there twice, under two prefixes of one namespace",
                                     atts[2 * i]))
                    return -1;
                continue;               /* the first one counts */
            }
            state->seen = f->node;
        }
        const char *value = atts[2 * i + 1];
        size_t len = strlen(value);
        u32 off = add_value(p, value, len);
        if (off == GX_NONE)
            return -1;
        u32 id = gx_parser_add_node(p, name->attr_label, f->node, p->sp + 1, off, len);
        if (id == GX_NONE)
            return -1;
        if (p->lines)
            gx_parser_set_position(p, id, p->line[f->node], p->column[f->node]);
        if (name->attr_odd && add_odd(p, id, name))
            return -1;
        int xml_id = (name->flags & GX_NAME_ID) != 0;
        if ((xml_id || id_at == (int)(2 * i)) && add_id(p, f->node, value, xml_id))
            return -1;
    }
    return 0;
}

static int check_references(gx_parser *p);

/* Names of the attributes into p->attributes; what xmlns and xml:space say into the frame. -1 after failing. */
static int read_attributes(gx_parser *p, gx_frame *f, const char **atts, u32 *count)
{
    u32 n = 0, flags = 0;
    p->attributes.n = 0;
    for (; atts[2 * n]; n++) {
        if (n >= p->limits.attributes)
            return fail_limit(p, "attributes", p->limits.attributes, "more attributes on one element than"), -1;
        u32 name = find_name(p, atts[2 * n], "the attribute");
        if (name == GX_NONE)
            return -1;
        u32 *to = gx_buf_push(&p->attributes, sizeof *to);
        if (!to)
            return fail_memory(p), -1;
        *to = name;
        u32 own = GX_BUF_AT(&p->names.names, gx_name)[name].flags;
        flags |= own;
        if (own & GX_NAME_SPACE)        /* XSLT 1.0, 3.4: the nearest "preserve" or "default" decides */
            f->preserve = strcmp(atts[2 * n + 1], "preserve") == 0 ? 1
                : strcmp(atts[2 * n + 1], "default") == 0          ? 0
                                                                   : f->preserve;
    }
    *count = n;
    if (is_late(p, n))
        return -1;
    if (p->doctype && p->uses_expat && check_references(p))
        return -1;
    return flags & GX_NAME_XMLNS ? declare(p, f, atts, n) : 0;
}

/* Attributes from ATTLIST defaults cost the document no bytes: Expat does not count them as entity text, so they are
 * counted here. */
static int check_growth(gx_parser *p)
{
    if (p->external_depth)
        return 0;
    u64 heaps = (u64)p->text.n + p->values.n;
    const i64 at = p->uses_expat ? gx_expat_byte(p->expat) : (i64)(p->scan.base + p->scan.at);
    if (heaps > FREE_GROWTH && at >= 0 && heaps / growth(p) > (u64)at)
        return fail_growth(p, "attribute defaults expand the document by more than"), -1;
    return 0;
}

/* For the sentence about an element that is not closed. An external entity's bytes are others; without memory nobody is
 * told. */
static void note_start(gx_parser *p)
{
    const size_t at = p->sp * sizeof(u64);
    if (p->starts.n < at + sizeof(u64)) {
        if (gx_buf_room(&p->starts, at + sizeof(u64) - p->starts.n))
            return;
        memset(p->starts.at + p->starts.n, 0, at + sizeof(u64) - p->starts.n);
        p->starts.n = at + sizeof(u64);
    }
    GX_BUF_AT(&p->starts, u64)[p->sp] = p->external_depth ? 0 : (u64)gx_expat_byte(p->expat) + 1;
}

static void on_start(void *user, const XML_Char *qname, const XML_Char **atts)
{
    gx_parser *p = user;
    if (!p->sp && p->names_sheet < 0)
        p->names_sheet = 0;
    /* for each start tag Expat walks all attributes that its element type declares, at 2 ns each; how many those are at
     * most is known here */
    if (is_late(p, 1 + p->n_declared / 32) || flush_text(p))
        return;
    if (p->sp >= p->limits.depth)
        return fail_limit(p, "depth", p->limits.depth, "element nesting deeper than");
    if (__builtin_expect((p->sp + 2) * sizeof(gx_frame) > p->frames.cap, 0)) {
        p->frames.n = (p->sp + 1) * sizeof(gx_frame);
        if (gx_buf_room(&p->frames, sizeof(gx_frame)))
            return fail_memory(p);
    }
    gx_frame *f = &GX_BUF_AT(&p->frames, gx_frame)[p->sp + 1];
    u32 n_atts = 0, parent = f[-1].node, index = find_name(p, qname, "the element");
    if (index == GX_NONE)
        return;
    p->element = index;
    f->scope = f[-1].scope;
    f->preserve = f[-1].preserve;
    if (atts[0] && read_attributes(p, f, atts, &n_atts))
        return;
    const gx_name *name = &GX_BUF_AT(&p->names.names, gx_name)[index];
    if (name->elem_scope != f->scope) {
        if (resolve(p, index, f->scope, 0, qname))
            return;
        name = &GX_BUF_AT(&p->names.names, gx_name)[index];
    }
    f->node = gx_parser_add_node(p, name->elem_label, parent, p->sp + 1, p->text.n, 0);
    if (f->node == GX_NONE)
        return;
    f->strip = !f->preserve && GX_BUF_AT(&p->names.states, gx_label_state)[GX_LABEL_ID(name->elem_label)].strip;
    if (p->lines)
        current_position(p, &p->line[f->node], &p->column[f->node]);
    if (name->elem_odd && add_odd(p, f->node, name))
        return;
    if (f->scope != p->last_scope) {
        gx_scope_change *change = gx_buf_push(&p->scope_changes, sizeof *change);
        if (!change)
            return fail_memory(p);
        *change = (gx_scope_change){ f->node, f->scope };
        p->last_scope = f->scope;
    }
    p->sp++;
    if (p->uses_expat)
        note_start(p);
    if ((p->options.flags & GX_DOC_NAMESPACES) && add_namespaces(p, f))
        return;
    if (n_atts) {
        if (add_attributes(p, f, atts, n_atts))
            return;
        if (p->doctype && (p->uses_expat ? (u32)XML_GetSpecifiedAttributeCount(p->expat) : p->n_written) < 2 * n_atts)
            check_growth(p);
    }
}

static void on_end(void *user, const XML_Char *qname)
{
    gx_parser *p = user;
    (void)qname;
    if (flush_text(p))
        return;
    u32 node = GX_BUF_AT(&p->frames, gx_frame)[p->sp].node;
    p->next[node] = p->n;
    p->text_len[node] = (u32)p->text.n - p->text_off[node];
    p->sp--;
}

void gx_parser_start(gx_parser *p, const char *qname, const char **atts) { on_start(p, qname, atts); }
void gx_parser_end(gx_parser *p) { on_end(p, NULL); }

/* ---- comments, processing instructions: not those in the document type declaration (XPath 1.0, 5.5 and 5.6) ---- */

static void add_leaf(gx_parser *p, u32 label, const char *s)
{
    size_t len = strlen(s);
    u32 off = add_value(p, s, len);
    if (off == GX_NONE)
        return;
    u32 id = gx_parser_add_node(p, label, GX_BUF_AT(&p->frames, gx_frame)[p->sp].node, p->sp + 1, off, len);
    if (id != GX_NONE && p->lines)
        current_position(p, &p->line[id], &p->column[id]);
}

/* n bytes that Expat passed on, with a NUL behind them, as the document has them; NULL after failing. To be freed. */
static char *as_written(gx_parser *p, const char *s, size_t n)
{
    char *copy = malloc(n + 1);
    if (!copy)
        return fail_memory(p), NULL;
    memcpy(copy, s, n);
    copy[gx_edition_read(p->names.seed, copy, n)] = 0;
    return copy;
}

static void on_comment(void *user, const XML_Char *s)
{
    gx_parser *p = user;
    if (p->is_spelled) {
        char *text = as_written(p, s, strlen(s));
        p->is_spelled = 0;
        if (text)
            on_comment(p, text);
        p->is_spelled = 1;
        free(text);
        return;
    }
    if (!is_late(p, 1) && !p->in_doctype && !flush_text(p))
        add_leaf(p, GX_LABEL_COMMENT, s);
}

static void on_pi(void *user, const XML_Char *target, const XML_Char *s)
{
    gx_parser *p = user;
    u32 name, label;
    if (p->is_spelled) {
        char *own_target = as_written(p, target, strlen(target)), *own = own_target ? as_written(p, s,
            strlen(s)) : NULL;
        p->is_spelled = 0;
        if (own)
            on_pi(p, own_target, own);
        p->is_spelled = 1;
        free(own_target);
        free(own);
        return;
    }
    if (strchr(target, ':'))
        if (!NAMESPACE_ERROR(p, "the processing instruction's target \"%.100s\" has a colon", target))
            return;
    if (is_late(p, 1) || p->in_doctype || flush_text(p)
        || (name = find_name(p, target, "the processing instruction's")) == GX_NONE)
        return;
    if (gx_names_label(&p->names, GX_KIND_PI, name, &label))
        return fail_memory(p);
    if (p->names_sheet < 0 && strcmp(target, "xml-stylesheet") == 0)
        p->names_sheet = 1;
    add_leaf(p, label, s);
}

void gx_parser_comment(gx_parser *p, const char *text) { on_comment(p, text); }
void gx_parser_pi(gx_parser *p, const char *target, const char *text) { on_pi(p, target, text); }

/* ---- the document type declaration and entities ---- */

static void on_xml_decl(void *user, const XML_Char *version, const XML_Char *encoding, int standalone)
{
    gx_parser *p = user;
    (void)encoding;
    if (standalone == 1)        /* an external entity has such a declaration, too, but it does not say this */
        p->standalone = 1;
    /* XML 1.0 5th edition, 2.8: any 1.x is parsed as 1.0 */
    if (version && (strncmp(version, "1.", 2) != 0 || version[2 + strspn(version + 2, "0123456789")] || !version[2]))
        FAIL(p, GX_EXML, "XML version \"%.20s\" is not supported", version);
}

/* Expat drops undeclared entities without a word when there is an external subset it was not given, in attribute values
 * even without a skipped-entity event. So with a DOCTYPE the references in tags are looked up here. */
static int refers(gx_parser *p, const char *s, size_t n, int (*each)(gx_parser *, const char *, size_t))
{
    const char *end = s + n;
    while ((s = memchr(s, '&', (size_t)(end - s)))) {
        s++;
        const char *semicolon = s < end ? memchr(s, ';', (size_t)(end - s)) : NULL;
        if (!semicolon)
            return 0;
        if (*s == '#')
            continue;
        if (each(p, s, (size_t)(semicolon - s)))
            return 1;
        s = semicolon + 1;
        if (s >= end)
            return 0;
    }
    return 0;
}

static int is_predefined(const char *s, size_t n)
{
    return (n == 2 && (memcmp(s, "lt", 2) == 0 || memcmp(s, "gt", 2) == 0)) ||
           (n == 3 && memcmp(s, "amp", 3) == 0) || (n == 4 && (memcmp(s, "apos", 4) == 0 || memcmp(s, "quot", 4) == 0));
}

/* A reference that nothing declares is empty in a document of one's own, if a DTD that is not all there may have
 * declared it: XML 1.0, 4.1, makes that no error of well-formedness, and libxml2 goes on. Returns 0 then, else 1 after
 * failing. */
static int fail_entity(gx_parser *p, const char *name, size_t n)
{
    const int len = n > 100 ? 100 : (int)n;
    if (p->options.missing_is_empty) {
        warn(p, "the entity \"%.*s\" is not declared, and left empty", len, name);
        return 0;
    }
    if (!p->options.external)
        FAIL(
            p, GX_EXML,
            "reference to the entity \"%.*s\", which is not declared in this document (external declarations are never read)",
            len, name);
    else if (*p->unread)
        FAIL(p, GX_EXML,
             "reference to the entity \"%.*s\", which is not declared in what could be read of the DTD (%s)", len, name,
             p->unread);
    else
        FAIL(p, GX_EXML, "reference to the entity \"%.*s\", which is not declared", len, name);
    return 1;
}

static int check_reference(gx_parser *p, const char *s, size_t n)
{
    if (p->is_spelled) {
        char *own = as_written(p, s, n);
        p->is_spelled = 0;
        const int failed = !own || check_reference(p, own, strlen(own));
        p->is_spelled = 1;
        free(own);
        return failed;
    }
    if (is_predefined(s, n) || n > p->limits.name)
        return 0;
    if (!p->utf8)                       /* declared names are UTF-8, these bytes may not be */
        for (size_t i = 0; i < n; i++)
            if (s[i] & 0x80)
                return 0;
    u32 name = gx_names_find(&p->names, s, (u32)n);
    if (name == GX_NONE)
        return fail_memory(p), 1;
    if (GX_BUF_AT(&p->names.names, gx_name)[name].flags & GX_NAME_ENTITY)
        return 0;
    return fail_entity(p, s, n);
}

/* The bytes of the event that Expat stands at, or of the literal right behind it. NULL when they cannot be seen. */
static const char *event_bytes(gx_parser *p, int literal, size_t *size)
{
    int offset = 0, end = 0, n = gx_expat_count(p->expat);
    const char *bytes = gx_expat_context(p->expat, &offset, &end);
    if (!bytes || n < 0 || offset < 0 || offset > end || n > end - offset)
        return NULL;
    if (!literal)
        return *size = (size_t)n, bytes + offset;
    const char *at = bytes + offset + n, *close;
    if (n == end - offset || (*at != '"' && *at != '\'')
        || !(close = memchr(at + 1, *at, (size_t)(bytes + end - at - 1))))
        return NULL;
    *size = (size_t)(close - at);
    return at;
}

/* The references in the tag that has begun. -1 after failing. */
static int check_references(gx_parser *p)
{
    size_t n;
    const char *bytes = p->options.external_ignore ? NULL : event_bytes(p, 0, &n);
    if (!bytes || n == 0)
        return 0;
    if (*bytes != '&')
        return refers(p, bytes, n, check_reference) ? -1 : 0;
    /* the event is a reference: the tag comes from an entity's text, which cannot be seen here */
    if (p->incomplete_entities && p->options.missing_is_empty)
        warn(p, "an entity's text refers to an entity that is not declared, and left empty");
    else if (p->incomplete_entities)
        return FAIL(p, GX_EXML, "an entity's text has a tag, and refers to an entity that is not declared"), -1;
    return 0;
}

static int note_reference(gx_parser *p, const char *s, size_t n)
{
    if (is_predefined(s, n) || n > p->limits.name)
        return 0;
    u32 name = gx_names_find(&p->names, s, (u32)n);
    u32 *ref = name == GX_NONE ? NULL : gx_buf_push(&p->entity_refs, sizeof *ref);
    if (!ref)
        return fail_memory(p), 1;
    *ref = name;
    return 0;
}

/* Namespaces in XML, 7: names of entities and notations have no colon. 0 after failing. */
static int is_without_colon(gx_parser *p, const char *name, const char *what)
{
    return !strchr(name, ':') || NAMESPACE_ERROR(p, "the %s name \"%.100s\" has a colon", what, name);
}

static void on_notation_decl(void *user, const XML_Char *name, const XML_Char *base, const XML_Char *system_id,
    const XML_Char *public_id)
{
    gx_parser *p = user;
    (void)base, (void)system_id, (void)public_id;
    if (!is_late(p, 1))
        is_without_colon(p, name, "notation");
}

static void on_entity_decl(void *user, const XML_Char *name, int is_parameter, const XML_Char *value, int value_len,
                           const XML_Char *base, const XML_Char *system_id, const XML_Char *public_id,
                           const XML_Char *notation)
{
    gx_parser *p = user;
    (void)public_id;
    if (p->is_spelled) {
        char *own = as_written(p, name, strlen(name)), *text = own && value ? as_written(p, value,
            (size_t)value_len) : NULL;
        char *system = own && system_id ? as_written(p, system_id, strlen(system_id)) : NULL;
        p->is_spelled = 0;
        if (!p->status)
            on_entity_decl(p, own, is_parameter, text, text ? (int)strlen(text) : 0, base, system, public_id, notation);
        p->is_spelled = 1;
        free(own);
        free(text);
        free(system);
        return;
    }
    if (is_late(p, 1))
        return;
    /* Expat's C stack grows with entities within entities: a chain has no more links than there are entities with
     * references. (The large DTDs that go beyond it are one's own.) */
    if (value && !is_own(p) && !p->external_depth && memchr(value, is_parameter ? '%' : '&', (size_t)value_len)
        && ++p->nested_entities > ENTITY_NESTING)
        return FAIL(p, GX_ELIMIT, "more than %d entities refer to other entities", ENTITY_NESTING);
    if (!is_without_colon(p, name, "entity"))
        return;
    p->other_entities |= is_parameter || p->external_depth;
    if (is_parameter)
        return;
    u32 index = find_name(p, name, "the entity");
    if (index == GX_NONE)
        return;
    GX_BUF_AT(&p->names.names, gx_name)[index].flags |= GX_NAME_ENTITY;
    if (value) {
        if (p->may_switch) {
            const u32 number = gx_dtd_add_entity(&p->dtd, value, (u32)value_len);
            if (number == GX_NONE)
                return fail_memory(p);
            GX_BUF_AT(&p->names.names, gx_name)[index].entity = number;
        }
        refers(p, value, (size_t)value_len, note_reference);
        return;
    }
    if (!notation)
        return;
    /* unparsed: XSLT 1.0, 12.4 wants the URI absolute */
    const char *doc = base ? base : p->options.base_uri ? p->options.base_uri : "";
    size_t room = strlen(doc) + strlen(system_id) + 2;
    if (room > p->limits.text)
        return fail_limit(p, "text", p->limits.text, "a system identifier longer than");
    if (gx_parser_room(p, &p->names.strs, room))
        return;
    gx_doc_entity *entity = gx_buf_push(&p->entities, sizeof *entity);
    if (!entity)
        return fail_memory(p);
    u32 off = (u32)p->names.strs.n;
    gx_uri_resolve(doc, system_id, p->names.strs.at + off);
    u32 len = (u32)strlen(p->names.strs.at + off);
    const gx_name *n = &GX_BUF_AT(&p->names.names, gx_name)[index];
    *entity = (gx_doc_entity){ n->off, n->len, off, len };
    p->names.strs.n += len;
    if (p->values.n + p->names.strs.n > FREE_GROWTH && p->names.strs.n / p->limits.amplification > p->n_input)
        fail_limit(p, "amplification", p->limits.amplification, "entity declarations expand the document by more than");
}

static void on_attlist_decl(void *user, const XML_Char *element, const XML_Char *attribute, const XML_Char *type,
                            const XML_Char *value, int required)
{
    gx_parser *p = user;
    size_t n;
    (void)required;
    if (p->is_spelled && !p->status) {
        char *own = as_written(p, element, strlen(element)), *name = own ? as_written(p, attribute,
            strlen(attribute)) : NULL;
        char *text = name && value ? as_written(p, value, strlen(value)) : NULL;
        if (!p->status && p->may_switch && gx_dtd_add_attribute(&p->dtd, own, name, type, text))
            fail_memory(p);
        free(own);
        free(name);
        free(text);
    } else if (p->may_switch && gx_dtd_add_attribute(&p->dtd, element, attribute, type, value))
        return fail_memory(p);
    p->n_declared += p->n_declared < GX_NONE;
    /* Expat looks through all of the element's attributes for each that has a default, and for each ID */
    if (is_late(p, 1 + (value || strcmp(type, "ID") == 0 ? p->n_declared / 32 : 0)))
        return;
    const char *literal = value && !p->options.external_ignore ? event_bytes(p, 1, &n) : NULL;
    if (literal)
        refers(p, literal, n, check_reference);
}

static void on_doctype_start(void *user, const XML_Char *name, const XML_Char *system_id, const XML_Char *public_id,
                             int internal)
{
    gx_parser *p = user;
    (void)name, (void)system_id, (void)public_id, (void)internal;
    p->doctype = p->in_doctype = 1;
    if (p->options.no_doctype)
        FAIL(p, GX_EDOCTYPE, "a document type declaration, which is not allowed here");
}

static void on_doctype_end(void *user)
{
    gx_parser *p = user;
    p->in_doctype = 0;
    p->is_quiet = 0;
    const u32 *refs = GX_BUF_AT(&p->entity_refs, u32);
    for (u32 i = 0; i < GX_BUF_N(&p->entity_refs, u32); i++)
        if (!(GX_BUF_AT(&p->names.names, gx_name)[refs[i]].flags & GX_NAME_ENTITY))
            p->incomplete_entities = 1;
    /* in a standalone document an entity that is declared elsewhere must not be used */
    if (!p->may_switch || p->status || (p->standalone && p->other_entities))
        return;
    const i64 at = gx_expat_byte(p->expat);
    if (at >= 0) {
        p->switch_at = (u64)at + 1;
        XML_StopParser(p->expat, XML_TRUE);
    }
}

static void on_skipped_entity(void *user, const XML_Char *name, int is_parameter)
{
    gx_parser *p = user;
    if (!is_parameter && !p->options.external_ignore)
        fail_entity(p, name, strlen(name));
}

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

/* ---- external entities ---- */

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

static void diagnose(gx_parser *p, enum XML_Error code)
{
    gx_diagnosis d = { .code = (int)code,
                       .is_utf8 = p->utf8,
                       .is_ascii = !p->external_depth && p->encoding && strcmp(p->encoding, "US-ASCII") == 0,
                       .is_dtd = p->in_doctype || (p->external_depth && !p->sp),
                       .has_root = p->n > 1,
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
        const int n_prefix = l->prefix_len > 50 ? 50 : (int)l->prefix_len,
                  n_local = l->local_len > 100 ? 100 : (int)l->local_len;
        snprintf(name, sizeof name, "%.*s%s%.*s", n_prefix, p->names.strs.at + l->prefix, n_prefix ? ":" : "", n_local,
                 p->names.strs.at + l->local);
        d.open = name;
        d.open_len = (u32)strlen(name);
        d.open_line = open_line(p, &d);
    }
    gx_diagnose(&d, text, sizeof text);
    FAIL(p, GX_EXML, "%s", text);
}

static gx_status expat_failed(gx_parser *p)
{
    if (p->status)
        return p->status;
    enum XML_Error code = XML_GetErrorCode(p->expat);
    if (code == XML_ERROR_NO_MEMORY && no_memory) {
        fail_memory(p);
    } else if (code == XML_ERROR_AMPLIFICATION_LIMIT_BREACH || code == XML_ERROR_NO_MEMORY) {
        fail_growth(p, "entities expand the document by more than");
    } else {
        diagnose(p, code);
    }
    return p->status;
}

/* The bytes of an external entity as UTF-8 or as Expat can take them, into out (from the caller's loader: a file). */
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
        return fail_memory(p), -1;
    }
    memcpy(out->at, "\xef\xbb\xbf", 3);       /* Expat passes one byte order mark over: a second one is a character */
    out->n = 3;
    char *in = (char *)*bytes + skip;
    size_t left = *n - skip;
    while (left) {
        if (gx_buf_room(out, 4096)) {
            iconv_close(cd);
            return fail_memory(p), -1;
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
        return fail_memory(p), -1;
    const gx_name *n = &GX_BUF_AT(&p->names.names, gx_name)[name];
    *(gx_doc_base *)(void *)(p->bases.at + p->bases.n) = (gx_doc_base){ p->n, n->off, n->len };
    p->bases.n += sizeof(gx_doc_base);
    return 0;
}

/* Parses an external entity's text in place of the reference: the handlers' events go on as if it stood there. */
static int read_external(gx_parser *p, XML_Parser outer, const char *context, const char *path, const char *bytes,
                         size_t n)
{
    if (context && add_base(p, path))
        return -1;
    XML_Parser inner = XML_ExternalEntityParserCreate(outer, context, NULL);
    if (!inner)
        return fail_memory(p), -1;
    const char *file = p->options.file;
    u8 utf8 = p->utf8;
    gx_buf decoded = { NULL, 0, 0 };
    p->expat = inner;
    p->options.file = path;
    p->external_depth++;
    XML_SetBase(inner, path);
    if (n > EXPAT_BYTES)
        FAIL(p, GX_EXML, "too large");
    else if (entity_bytes(p, &bytes, &n, &decoded) == 0 && XML_Parse(inner, bytes, (int)n, 1) != XML_STATUS_OK)
        expat_failed(p);
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

static int is_not_predefined(gx_parser *p, const char *s, size_t n) { (void)p; return !is_predefined(s, n); }

/* Declarations take 50 us. 0: nothing from here on refers to any. (Where all of it cannot be seen they are read; then
 * the block holds their names, which nothing points to. UTF-16 and ISO-8859-1 are searched as they are: what looks like
 * a reference is taken for one.) */
static int may_refer(gx_parser *p)
{
    int offset = 0, size = 0;
    const char *bytes =
        p->whole && !p->external_depth && !p->entity_refs.n ? gx_expat_context(p->expat, &offset, &size) : NULL;
    return !bytes || refers(p, bytes + offset, (size_t)(size - offset), is_not_predefined);
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
        return fail_memory(p), GX_OK;
    p->asked = 1;
    gx_status status = gx_load(p->options.external, pool, public_id ? public_id : "", system_id, base, &p->limits,
                               &path, &bytes, &n, why);
    expat_bytes = &p->expat_bytes;              /* a catalog has been parsed, perhaps */
    if (status == GX_OK) {
        if (p->options.read)
            p->options.read(p->options.read_ctx, path);
        p->n_input += n;
        p->external_bytes += n;
        if (!is_own(p))                         /* what the site's own files have is no growth; what refers to it again
                                                   and again is */
            XML_SetBillionLaughsAttackProtectionActivationThreshold(p->root, FREE_GROWTH + p->external_bytes);
        if (p->n_input > p->limits.input)
            fail_limit(p, "input", p->limits.input, "the document and its entities are larger than");
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
        return warn(p, "the entity \"%.*s\" is left empty: %s", n > 100 ? 100 : n, context, why), 1;
    if (context[n])
        FAIL(p, GX_EXML, "reference to an external entity (\"%.200s\"): %s", system_id ? system_id : "", why);
    else
        FAIL(p, GX_EXML, "reference to the external entity \"%.100s\" (\"%.200s\"): %s", context,
             system_id ? system_id : "", why);
    return 0;
}

/* context: NULL for a parameter entity or the external subset, else the names of the open entities */
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
        return !is_late(p, (u32)n / 32) && read_external(p, expat, NULL, p->options.file, known, n) == 0;
    if (context)
        return without_entity(p, context, system_id, why.text);
    /* Without declarations a document may still be whole: a reference to what they declare fails later. Of one's own
     * the other declarations hold, as if this file were empty: a DTD's conditional section may need them. */
    if (is_wanted && !is_refused && !known) {
        warn(p, "%s", why.text);
        return read_external(p, expat, NULL, p->options.file, "\n", 1) == 0;
    }
    return 1;
}

int gx_parser_asked(const gx_parser *p) { return p->asked; }

/* ---- a document begins ---- */

static gx_status begin_failed(gx_parser *p)
{
    return p->status = gx_fail(p->err, GX_ENOMEM, p->options.file, 0, 0, "out of memory");
}

/* Empty columns and tables, with the root in them: the document begins. */
static gx_status begin_columns(gx_parser *p)
{
    p->status = GX_OK;
    p->standalone = p->other_entities = p->is_quiet = p->may_switch = 0;
    p->id_at = -1;
    gx_dtd_reset(&p->dtd, p->names.seed);
    gx_parts_forget(p->parts);
    p->names_sheet = -1;
    p->in_doctype = p->incomplete_entities = 0;
    p->doctype = p->options.html_entities != 0;
    *p->unread = 0;
    p->asked = 0;
    p->external_bytes = 0;
    p->n = 0;
    p->work = 0;
    p->text_start = p->sp = p->last_scope = p->nested_entities = p->n_declared = 0;
    gx_buf *all[] = BUFFERS(p);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gx_buf_rewind(all[i]);
    if (gx_names_reset(&p->names, p->options.spaces) || gx_buf_room(&p->frames, sizeof(gx_frame))
        || gx_buf_room(&p->text, 1) || gx_buf_room(&p->values, 1))
        return begin_failed(p);
    p->room = p->allocated < p->limits.nodes ? p->allocated : p->limits.nodes;
    if (p->lines && grow_lines(p, p->allocated))
        return begin_failed(p);
    GX_BUF_AT(&p->frames, gx_frame)[0] = (gx_frame){ 0 };
    if (gx_parser_add_node(p, GX_LABEL_ROOT, GX_NONE, 0, 0, 0) == GX_NONE)
        return p->status;
    if (p->lines)
        gx_parser_set_position(p, 0, 1, 1);
    if ((p->options.flags & GX_DOC_NAMESPACES)) {
        u32 xml = gx_names_find(&p->names, "xmlns:xml", 9);
        if (xml == GX_NONE || gx_names_label(&p->names, GX_KIND_NS, xml, &p->xml_ns_label))
            return begin_failed(p);
    }
    return GX_OK;
}

/* From here on Expat reads the document. */
static gx_status begin_expat(gx_parser *p)
{
    p->uses_expat = 1;
    if (p->expat_used)
        XML_ParserReset(p->expat, NULL);
    p->expat_used = 1;
    /* a salt of ours saves Expat a system call a document; it comes from the same secret as our own tables */
    XML_SetHashSalt(p->expat, (unsigned long)gx_fold(p->names.seed, 0x9e3779b97f4a7c15ull) | 1);
    XML_SetUserData(p->expat, p);
    XML_SetElementHandler(p->expat, on_start, on_end);
    XML_SetCharacterDataHandler(p->expat, on_text);
    XML_SetCommentHandler(p->expat, on_comment);
    XML_SetProcessingInstructionHandler(p->expat, on_pi);
    XML_SetXmlDeclHandler(p->expat, on_xml_decl);
    XML_SetDoctypeDeclHandler(p->expat, on_doctype_start, on_doctype_end);
    XML_SetEntityDeclHandler(p->expat, on_entity_decl);
    XML_SetNotationDeclHandler(p->expat, on_notation_decl);
    XML_SetAttlistDeclHandler(p->expat, on_attlist_decl);
    XML_SetSkippedEntityHandler(p->expat, on_skipped_entity);
    XML_SetExternalEntityRefHandler(p->expat, on_external_entity);
    /* internal parameter entities are expanded only so; on_external_entity reads no others */
    XML_SetParamEntityParsing(p->expat, XML_PARAM_ENTITY_PARSING_ALWAYS);
    if (p->options.html_entities)
        XML_UseForeignDTD(p->expat, XML_TRUE);
    if (XML_SetAllocTrackerMaximumAmplification && p->limits.amplification > 100)
        XML_SetAllocTrackerMaximumAmplification(p->expat, (float)p->limits.amplification);
    XML_SetBillionLaughsAttackProtectionActivationThreshold(p->expat, is_own(p) ? OWN_GROWTH : FREE_GROWTH);
    p->root = p->expat;
    if (p->options.external) {
        const char *base = p->options.external_base       ? p->options.external_base
            : p->options.base_uri && *p->options.base_uri ? p->options.base_uri
                                                          : p->options.file;
        if (base && *base && XML_SetBase(p->expat, base) != XML_STATUS_OK)
            return begin_failed(p);
    }
    if (p->encoding && XML_SetEncoding(p->expat, p->encoding) != XML_STATUS_OK)
        return begin_failed(p);
    return GX_OK;
}

/* ---- feeding ---- */

static gx_status run_expat(gx_parser *p, const char *bytes, size_t n, int final)
{
    no_memory = 0;
    p->n_parsed += n;
    p->whole = final && p->n_parsed == n && n <= EXPAT_BYTES;
    XML_SetBillionLaughsAttackProtectionMaximumAmplification(p->expat, (float)growth(p));
    do {
        size_t piece = n < EXPAT_BYTES ? n : EXPAT_BYTES;
        const enum XML_Status status = XML_Parse(p->expat, bytes, (int)piece, final && piece == n);
        if (status == XML_STATUS_SUSPENDED && p->switch_at && !p->status)
            return GX_OK;
        if (status != XML_STATUS_OK || p->status)
            return expat_failed(p);
        bytes += piece;
        n -= piece;
        /* what is not whole yet calls nobody who looks at the clock, and is read again with the next piece */
        if (!final && is_late(p, LOOK))
            return p->status;
    } while (n);
    return GX_OK;
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
    GX_TRY(begin_expat(p));
    p->n_parsed = p->switch_at = 0;
    p->is_quiet = p->is_spelled = 1;
    p->may_switch = (u8)may_switch;
    status = run_expat(p, to->at, to->n, final);
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
    GX_TRY(begin_expat(p));
    p->n_parsed = 0;
    p->is_quiet = 1;
    return run_expat(p, from, size, final);
}

/* By several threads, if all of the document is here and large */
static int scan(gx_parser *p, const char *bytes, size_t n, int final)
{
    if (!final || p->waiting.n || !gx_parts_wanted(p, n))
        return gx_scan_feed(p, bytes, n, final);
    const int rc = gx_parts_read(p, (const u8 *)bytes, n);
    if (rc != GX_SCAN_AGAIN)
        return rc;
    return begin_columns(p) || gx_scan_begin(p) ? GX_SCAN_REFUSED : gx_scan_feed(p, bytes, n, final);
}

static gx_status to_scanner(gx_parser *p, const char *bytes, size_t n, int final)
{
    if (scan(p, bytes, n, final) == GX_SCAN_OK)
        return GX_OK;
    if (p->status == GX_ETIME || p->status == GX_ENOMEM)
        return p->status;
    /* Expat reads the document from its beginning, and words the error if there is one */
    const char *from = p->waiting.n ? p->waiting.at : bytes;
    const size_t size = p->waiting.n ? p->waiting.n : n;
    int spelled = 0;
    for (int may_switch = p->scan.at_doctype && !p->scan.begun_late; ; may_switch = 0) {
        const int again = p->scan.begun_late;
        GX_TRY(begin_columns(p));
        GX_TRY(begin_expat(p));
        p->is_quiet = (u8)again;
        p->may_switch = (u8)may_switch;
        p->n_parsed = p->switch_at = 0;
        gx_status status = run_expat(p, from, size, final);
        if (status && (may_switch || spelled)) {
            status = run_spelled(p, from, size, final, may_switch, status);
            spelled = !status && p->switch_at;
        }
        if (status || !p->switch_at) {
            p->may_switch = 0;
            /* of the document as it came: a byte a character */
            if (status && p->latin_1 && p->err && p->err->byte <= size)
                p->err->byte = gx_text_length(from, (u32)p->err->byte);
            p->waiting.n = 0;
            return status;
        }
        p->uses_expat = p->may_switch = 0;
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
        return run_expat(p, bytes, n, final);
    if (!final && wait->n + n > batch) {
        gx_status status = run_expat(p, wait->at, wait->n, 0);
        wait->n = 0;
        return status ? status : to_expat(p, bytes, n, 0);
    }
    if (gx_buf_room(wait, n)) {
        fail_memory(p);
        return p->status;
    }
    memcpy(wait->at + wait->n, bytes, n);
    wait->n += n;
    return final ? run_expat(p, wait->at, wait->n, 1) : GX_OK;
}

/* Expat takes what waits first: its position is where the last of the good bytes are, and an error among them comes
 * before this one. */
static gx_status bad_bytes(gx_parser *p)
{
    if (!p->uses_expat) {
        GX_TRY(begin_columns(p));
        GX_TRY(begin_expat(p));
        p->n_parsed = 0;
    }
    if (p->waiting.n && run_expat(p, p->waiting.at, p->waiting.n, 0))
        return p->status;
    FAIL(p, GX_EXML, "after this position, bytes that are not valid in the encoding %s%s%s%s", p->iconv_name,
         p->overridden[0] ? " of Content-Type (the document declares " : "", p->overridden,
         p->overridden[0] ? ")" : "");
    return p->status;
}

/* Through iconv, piece by piece; what a piece's end cuts off waits in p->tail. */
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
    GX_TRY(choose_encoding(p, bytes, n, skip));
    if (expat_only || p->options.expat || p->doctype)
        return begin_expat(p);
    if (!p->utf8) {             /* the scanner reads UTF-8 only */
        p->latin_1 = p->transcode = p->utf8 = 1;
        p->encoding = "UTF-8";
    }
    return GX_OK;
}

static gx_status feed_piece(gx_parser *p, const char *bytes, size_t n, int final)
{
    expat_bytes = &p->expat_bytes;
    p->n_input += n;
    if (p->n_input > p->limits.input) {
        fail_limit(p, "input", p->limits.input, "the document is larger than");
        return p->status;
    }
    if (!p->decided) {
        size_t skip;
        if (p->n_head == 0 && (n >= GX_HEAD_BYTES || final)) {
            if (decide_encoding(p, bytes, n, &skip))
                return p->status;
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

/* ---- the block ---- */

static int compare_ids(const void *a, const void *b)
{
    const gx_doc_id *x = a, *y = b;
    return x->hash != y->hash ? x->hash < y->hash ? -1 : 1 : x->node < y->node ? -1 : x->node > y->node;
}

/* Copies n bytes to offset `at` (from NULL: they are there) and zeroes what is left of 16 after them: blocks are the
 * same to the byte. */
static void put(char *block, u64 at, const void *from, u64 n)
{
    if (from && n) {
        if (n & 15)             /* all of the last 16 at once, before the bytes: there is room for them */
            memset(block + at + (n & ~15ull), 0, 16);
        memcpy(block + at, from, n);
        return;
    }
    memset(block + at + n, 0, (16 - (n & 15)) & 15);
}

static void free_columns(gx_parser *p)
{
    void **all[] = { (void **)&p->label,    (void **)&p->parent, (void **)&p->next, (void **)&p->text_off,
                     (void **)&p->text_len, (void **)&p->depth,  (void **)&p->line, (void **)&p->column };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(*all[i]);
        *all[i] = NULL;
    }
    p->allocated = p->allocated_lines = 0;
}

/* Of an array that has been copied into the block: is it given back? A large one is, or all of the document would be
 * there twice; its pages are then touched anew for the next one, which costs about a tenth of the parsing. */
static int is_given_back(const gx_parser *p, u64 n) { return n >= (p->options.once ? GX_PAGES_LEAST : GX_LARGE); }

static void put_column(const gx_parser *p, char *block, u64 at, void *column, u64 n)
{
    void **from = column;
    gx_pages_ready(block + at, n);
    put(block, at, *from, n);
    if (is_given_back(p, n)) {
        free(*from);
        *from = NULL;
    }
}

static void put_buf(const gx_parser *p, char *block, u64 at, gx_buf *from)
{
    gx_pages_ready(block + at, from->n);
    put(block, at, from->at, from->n);
    if (is_given_back(p, from->n))
        gx_buf_free(from);
}

static void put_scopes(const gx_parser *p, const gx_doc *d, char *block)
{
    gx_ns_list *lists = (gx_ns_list *)(void *)(block + d->ns_lists);
    const gx_binding *b = GX_BUF_AT(&p->names.bindings, gx_binding);
    const gx_name *names = GX_BUF_AT(&p->names.names, gx_name);
    put(block, d->ns_lists, p->names.scopes.at, d->n_ns_lists * sizeof *lists);
    gx_ns_decl *decls = (gx_ns_decl *)(void *)(block + d->ns_decls);
    for (u32 i = 0; i < d->n_ns_decls; i++) {
        const gx_name *name = &names[b[i].name], *uri = &names[b[i].uri];
        u32 len = name->prefix_len ? name->off + name->len - name->local : 0;
        decls[i] = (gx_ns_decl){ len ? name->local : 0, len, uri->off, uri->len };
    }
    if (!d->ns)
        return;
    /* elements from one change to the next have the scope of the first of the two */
    u32 *ns = (u32 *)(void *)(block + d->ns), at = 0, scope = 0;
    const gx_scope_change *c = GX_BUF_AT(&p->scope_changes, gx_scope_change);
    for (u32 i = 0, n = GX_BUF_N(&p->scope_changes, gx_scope_change); i <= n; i++) {
        for (u32 until = i < n ? c[i].node : d->n_nodes; at < until; at++)
            ns[at] = scope;
        if (i < n)
            scope = c[i].scope;
    }
    put(block, d->ns, NULL, (u64)d->n_nodes * 4);
}

/* Columns and name index */
static void put_nodes(gx_parser *p, const gx_doc *d, char *block)
{
    const u64 n = d->n_nodes;
    put_column(p, block, d->label, &p->label, n * 4);
    put_column(p, block, d->parent, &p->parent, n * 4);
    put_column(p, block, d->next, &p->next, n * 4);
    put_column(p, block, d->depth, &p->depth, n * 2);
    put_column(p, block, d->text_off, &p->text_off, n * 4);
    put_column(p, block, d->text_len, &p->text_len, n * 4);
    if (p->lines) {
        put_column(p, block, d->line, &p->line, n * 4);
        put_column(p, block, d->column, &p->column, n * 4);
    }
    if (!p->label)
        free_columns(p);
    gx_pages_ready(block + d->index, n * 4);
    if (!p->uses_expat && p->scan.is_listed)
        gx_scan_index(p, (u32 *)(void *)(block + d->index_start), (u32 *)(void *)(block + d->index));
    else
        gx_doc_index((gx_doc *)(void *)block);
    put(block, d->index_start, NULL, (d->n_labels + 1ull) * 4);
    put(block, d->index, NULL, n * 4);
}

void gx_parser_give_back(gx_parser *p, size_t least)
{
    if (p->allocated * sizeof *p->label >= least)
        free_columns(p);
    if (p->text.cap >= least)
        gx_buf_free(&p->text);
    if (p->values.cap >= least)
        gx_buf_free(&p->values);
}

/* The same of a document that was read in parts, heaps too: each part's thread copies what it has read. */
static void put_nodes_of_parts(gx_parser *p, const gx_doc *d, char *block)
{
    const u64 n = d->n_nodes, own = p->n;
    u32 *start = (u32 *)(void *)(block + d->index_start), *index = (u32 *)(void *)(block + d->index);
    const gx_columns to = { (u32 *)(void *)(block + d->label),    (u32 *)(void *)(block + d->parent),
                            (u32 *)(void *)(block + d->next),     (u32 *)(void *)(block + d->text_off),
                            (u32 *)(void *)(block + d->text_len), (u16 *)(void *)(block + d->depth),
                            block + d->text,                      block + d->values };
    gx_pages_ready(block, d->size);
    gx_parts_put_begin(p->parts, &to);
    memcpy(to.label, p->label, own * 4);
    memcpy(to.parent, p->parent, own * 4);
    memcpy(to.next, p->next, own * 4);
    memcpy(to.depth, p->depth, own * 2);
    memcpy(to.text_off, p->text_off, own * 4);
    memcpy(to.text_len, p->text_len, own * 4);
    memcpy(to.text, p->text.at, p->text.n);
    memcpy(to.values, p->values.at, p->values.n);
    start[d->n_labels] = 0;
    if (p->scan.is_listed)
        gx_parts_index(p, start, index);
    const u32 depth = gx_parts_put_end(p->parts);
    gx_doc *made = (gx_doc *)(void *)block;
    made->max_depth = depth > made->max_depth ? (u16)depth : made->max_depth;
    const u64 columns[] = { d->label, d->parent, d->next, d->text_off, d->text_len, d->index };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        put(block, columns[i], NULL, n * 4);
    put(block, d->depth, NULL, n * 2);
    put(block, d->text, NULL, d->text_size);
    put(block, d->values, NULL, d->values_size);
    gx_parser_give_back(p, GX_LARGE);
    if (start[d->n_labels] != d->n_nodes)
        gx_doc_index(made);             /* the parts' lists were not complete */
    put(block, d->index_start, NULL, (d->n_labels + 1ull) * 4);
}

static gx_status assemble(gx_parser *p, gx_doc **out)
{
    const gx_parts_sum parts = gx_parts_total(p->parts);
    const u32 n = p->n + parts.nodes;
    gx_doc d;
    memset(&d, 0, sizeof d);
    const char *base = p->options.base_uri ? p->options.base_uri : "";
    size_t base_len = strlen(base);
    if (gx_parser_room(p, &p->names.strs, base_len))
        return p->status;
    d.base_uri = (u32)p->names.strs.n;
    d.base_uri_len = (u32)base_len;
    memcpy(p->names.strs.at + p->names.strs.n, base, base_len);
    p->names.strs.n += base_len;

    d.magic = GX_DOC_MAGIC;
    d.seed = p->names.seed;
    d.flags = p->options.flags & (GX_DOC_LINES | GX_DOC_NAMESPACES);
    const gx_scan *scan = p->uses_expat ? NULL : &p->scan;
    if ((scan && !scan->high) || (gx_is_ascii(p->text.at, p->text.n) && gx_is_ascii(p->values.at, p->values.n)
                                  && gx_parts_are_ascii(p->parts)))
        d.flags |= GX_DOC_ASCII;
    d.n_nodes = n;
    d.n_labels = GX_BUF_N(&p->names.labels, gx_label_info);
    d.n_roots = 1;
    d.n_ns_lists = GX_BUF_N(&p->names.scopes, gx_ns_list);
    d.n_ns_decls = GX_BUF_N(&p->names.bindings, gx_binding);
    d.n_ids = GX_BUF_N(&p->ids, gx_doc_id);
    d.n_entities = GX_BUF_N(&p->entities, gx_doc_entity);
    d.n_odd = GX_BUF_N(&p->odd, gx_doc_odd);
    d.n_bases = GX_BUF_N(&p->bases, gx_doc_base);
    d.max_depth = scan ? scan->max_depth : 0;
    for (u32 i = 0; i < n && !scan; i++)
        if (p->depth[i] > d.max_depth)
            d.max_depth = p->depth[i];
    d.text_size = p->text.n + parts.text;
    d.values_size = p->values.n + parts.values;
    d.strs_size = p->names.strs.n;
    gx_doc_layout(&d, p->scope_changes.n != 0, p->lines);

    char *block = p->options.alloc ? p->options.alloc(p->options.alloc_ctx, d.size) : malloc(d.size);
    if (!block)
        return p->status = gx_fail(p->err, GX_ENOMEM, p->options.file, 0, 0,
                                   "out of memory for a document of %llu bytes", (unsigned long long)d.size);
    if (d.n_ids > 1)
        qsort(p->ids.at, d.n_ids, sizeof(gx_doc_id), compare_ids);
    put(block, 0, &d, sizeof d);
    if (parts.nodes) {
        put_nodes_of_parts(p, &d, block);
    } else {                            /* the longest first, while there is least of the block */
        put_buf(p, block, d.text, &p->text);
        put_buf(p, block, d.values, &p->values);
        put_nodes(p, &d, block);
    }
    put(block, d.labels, p->names.labels.at, p->names.labels.n);
    put_scopes(p, &d, block);
    put(block, d.ids, p->ids.at, p->ids.n);
    put(block, d.entities, p->entities.at, p->entities.n);
    put(block, d.odd, p->odd.at, p->odd.n);
    put(block, d.bases, p->bases.at, p->bases.n);
    put(block, d.roots, &(u32){ 0 }, 4);
    put(block, d.strs, p->names.strs.at, p->names.strs.n);
    *out = (gx_doc *)(void *)block;
    return GX_OK;
}

/* ---- the calls of gx.h ---- */

gx_status gx_parser_create(gx_parser **out, gx_error *err)
{
    gx_parser *p = calloc(1, sizeof *p);
    if (p) {
        p->iconv = (iconv_t)-1;
        expat_bytes = &p->expat_bytes;
        p->expat =
            XML_ParserCreate_MM(NULL, &(XML_Memory_Handling_Suite){ expat_malloc, expat_realloc, expat_free }, NULL);
    }
    if (!p || !p->expat) {
        free(p);
        return gx_fail(err, GX_ENOMEM, NULL, 0, 0, "out of memory");
    }
    *out = p;
    return GX_OK;
}

void gx_parser_free(gx_parser *p)
{
    if (!p)
        return;
    gx_buf *all[] = BUFFERS(p);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gx_buf_free(all[i]);
    gx_buf_free(&p->waiting);
    gx_parts_free(p->parts);
    gx_scan_free(&p->scan);
    gx_buf_free(&p->starts);
    gx_buf_free(&p->spelled);
    gx_dtd_free(&p->dtd);
    free_columns(p);
    gx_names_free(&p->names);
    if (p->iconv != (iconv_t)-1)
        iconv_close(p->iconv);
    expat_bytes = &p->expat_bytes;
    XML_ParserFree(p->expat);
    free(p);
}

u64 gx_parser_bytes(const gx_parser *p)
{
    const gx_buf *all[] = BUFFERS(p);
    u64 n = p->expat_bytes + gx_names_bytes(&p->names) + gx_scan_bytes(&p->scan) + gx_dtd_bytes(&p->dtd)
        + gx_parts_bytes(p->parts) + p->waiting.cap + p->starts.cap + p->spelled.cap
        + (u64)p->allocated * (6 * sizeof *p->label + sizeof *p->depth) + (u64)p->allocated_lines * 2 * sizeof *p->line;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        n += all[i]->cap;
    return n;
}

gx_status gx_parser_begin(gx_parser *p, const gx_parse_options *options, gx_error *err)
{
    static const gx_parse_options none;
    static const gx_limits defaults;
    expat_bytes = &p->expat_bytes;
    p->err = err;
    p->status = GX_OK;
    p->begun = 0;
    p->options = options ? *options : none;
    p->limits = p->options.limits ? *p->options.limits : defaults;
    gx_limits_default(&p->limits);
    if (p->limits.depth > 65533)
        p->limits.depth = 65533;        /* the depth column is 16 bits wide */
    if (p->limits.nodes > 0xfffffff0u)
        p->limits.nodes = 0xfffffff0u;
    p->decided = p->transcode = p->latin_1 = p->uses_expat = 0;
    p->overridden[0] = 0;
    p->starts.n = 0;
    gx_buf_rewind(&p->spelled);
    p->encoding = NULL;
    p->utf8 = 1;
    p->lines = (p->options.flags & GX_DOC_LINES) != 0;
    if (p->allocated > (1u << 18) && p->n < p->allocated / 16)
        free_columns(p);                /* as gx_buf_rewind */
    p->left_us = p->options.timeout_us;
    p->n_head = p->n_tail = 0;
    p->n_input = p->n_parsed = 0;
    gx_buf_rewind(&p->waiting);
    if (p->options.seed)
        p->names.seed = p->options.seed;
    GX_TRY(begin_columns(p));
    if (gx_scan_begin(p))
        return begin_failed(p);
    p->begun = 1;
    return GX_OK;
}

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
    return assemble(p, doc);
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
