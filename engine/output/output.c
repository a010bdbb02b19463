/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.c -- result tree events, made well-formed and written as XSLT 1.0, section 16 says (output.h)
 *
 * Namespaces. `bound` is a stack of the declarations in scope; `ctx` numbers the stack's states, so that "is this list
 * of declarations in scope here?" is answered from list_ctx with one comparison after the first time. The open start
 * tag has `needs`: (prefix, uri) pairs that must hold for it, each prefix once. A need that the scope does not fulfil
 * becomes a declaration. The element's own name comes first, then copied namespaces, then attributes, which alone can
 * take another prefix.
 *
 * Attributes wait in `attrs` with their values in `vals`, which also takes what is captured: attribute, comment and PI
 * content. Only one capture can be open, because in a capture nothing but text counts: that of elements, too.
 *
 * xml indenting. Whether an element has text among its children is known at its end only. White space goes into the
 * buffer as it comes and is remembered in `marks`; a text taken into the element takes its white space back out, with
 * that inside its children, which stand among words too. The marks of an element's content are the last ones, as far as
 * they are deeper than the one before its start tag. A flush makes all marks final, so only an element whose first text
 * comes more than a buffer after its first child keeps white space.
 */
#include <stdio.h>
#include <stdlib.h>
#include "output.h"
#include "machine/text.h"

/* Room for n elements of `size` bytes in *at, doubling; 0 and a sticky status when there is no memory, and the array is
 * as it was. Amortised O(1) an element. */
static int grow(gx_out *o, void *at, u32 *cap, u64 n, size_t size)
{
    void **array = at;
    if (n <= *cap)
        return 1;
    u64 want = *cap ? (u64)*cap * 2 : 16;
    while (want < n)
        want *= 2;
    void *larger = want > 0x7fffffffu ? NULL : realloc(*array, want * size);
    if (!larger) {
        o->status = GX_ENOMEM;
        return 0;
    }
    *array = larger;
    *cap = (u32)want;
    return 1;
}

#define GROW(o, array, n) grow(o, &(o)->array, &(o)->cap_##array, n, sizeof *(o)->array)

#define SCANNED_MOST 8u         /* that many are looked through, more found by hash */

/* n entries, the last of which is new, are to be chained from here on: the last, or all when the table begins or
 * doubles; n without memory */
static u32 heads_room(gx_out *o, gx_heads *h, u32 n)
{
    if (n <= h->mask)
        return n - 1;
    if (!grow(o, &h->at, &h->cap, 4 * (u64)n, sizeof *h->at)) {
        h->mask = 0;
        return n;
    }
    for (h->mask = 4 * SCANNED_MOST - 1; h->mask < n; h->mask = 2 * h->mask + 1)
        ;
    memset(h->at, 0, (h->mask + 1) * sizeof *h->at);
    return 0;
}

static int same(const char *a, u32 a_len, const char *b, u32 b_len)
{
    return a_len == b_len && (a == b || !memcmp(a, b, a_len));
}

static const char *lit(const gx_program *p, u32 i, u32 *len)
{
    *len = GX_LIT(p, i).len;
    return GX_LIT_AT(p, i);
}

gx_status gx_out_open(gx_out *o, const gx_program *program, gx_sink sink, void *ctx, u64 limit)
{
    memset(o, 0, sizeof *o);
    o->program = program;
    o->method = GX_METHOD_XML;
    o->attr_limit = 100000;
    o->encoding = "UTF-8";
    o->encoding_len = 5;
    return gx_writer_open(&o->w, sink, ctx, limit);
}

void gx_out_text_only(gx_out *o)
{
    o->method = GX_METHOD_TEXT;
    o->flat = o->flat_base = 1;
}

/* Frees what o has. The last bytes are the writer's: gx_out_finish() has written them, or nobody wants them. */
void gx_out_close(gx_out *o)
{
    gx_writer_close(&o->w);
    free(o->elems);
    free(o->bound.at);
    free(o->bound.heads.at);
    free(o->needs.at);
    free(o->needs.heads.at);
    free(o->attrs);
    free(o->heads.at);
    free(o->vals);
    free(o->prelude);
    free(o->marks);
    free(o->list_ctx);
    for (u32 i = 0; i < o->n_generated; i++)
        free(o->gen[i]);
    free(o->gen);
}

/* ---- namespaces in scope ----------------------------------------------------------------------------------------- */

/* find() by the hash chains, whose heads are the innermost declarations: the first match is the one in force. */
static u32 find_many(gx_out *o, const gx_prefixes *s, const char *prefix, u32 len)
{
    u32 i = s->heads.at[gx_text_hash(o->seed, prefix, len) & s->heads.mask];
    for (; i && !same(s->at[i - 1].prefix, s->at[i - 1].prefix_len, prefix, len); o->work++)
        i = s->at[i - 1].next;
    return i;
}

/* Index + 1 of the innermost one with this prefix; 0: none has it. */
static inline u32 find(gx_out *o, const gx_prefixes *s, const char *prefix, u32 len)
{
    u32 i = s->n;
    if (s->heads.mask)
        return find_many(o, s, prefix, len);
    while (i && !same(s->at[i - 1].prefix, s->at[i - 1].prefix_len, prefix, len))
        i--;
    return i;
}

/* Puts the last of many, just pushed, at the head of its chain; all of them where the table begins or doubles. Chains
 * go from the innermost declaration outwards. */
static void hash(gx_out *o, gx_prefixes *s)
{
    for (u32 i = heads_room(o, &s->heads, s->n); i < s->n; i++) {
        gx_bound *b = &s->at[i];
        b->hash = (u32)gx_text_hash(o->seed, b->prefix, b->prefix_len);
        b->next = s->heads.at[b->hash & s->heads.mask];
        s->heads.at[b->hash & s->heads.mask] = i + 1;
    }
}

/* found: what find says of its prefix */
static inline void push(gx_out *o, gx_prefixes *s, const char *prefix, u32 len, const char *uri, u32 uri_len, u32 found)
{
    if (!grow(o, &s->at, &s->cap, s->n + 1, sizeof *s->at))
        return;
    gx_bound *b = &s->at[s->n];
    b->prefix = prefix;
    b->uri = uri;
    b->prefix_len = len;
    b->uri_len = uri_len;
    b->outer = found;
    b->hidden = 0;
    if (found)
        s->at[found - 1].hidden = 1;
    if (++s->n > SCANNED_MOST)
        hash(o, s);
}

/* Takes the stack back to n declarations: what they had hidden is in force again, and each leaves its hash chain, of
 * which it is the head. O(declarations taken). */
static void cut(gx_prefixes *s, u32 n)
{
    while (s->n > n) {
        const gx_bound *b = &s->at[--s->n];
        if (s->heads.mask)
            s->heads.at[b->hash & s->heads.mask] = b->next;
        if (b->outer)
            s->at[b->outer - 1].hidden = 0;
    }
    if (n <= SCANNED_MOST)
        s->heads.mask = 0;
}

static const gx_bound *lookup(gx_out *o, const char *prefix, u32 len)
{
    u32 i = find(o, &o->bound, prefix, len);
    return i ? &o->bound.at[i - 1] : NULL;
}

/* Does the prefix mean uri here ("" for the default namespace when undeclared)? */
static int is_bound(gx_out *o, const char *prefix, u32 len, const char *uri, u32 uri_len)
{
    if (len == 3 && !memcmp(prefix, "xml", 3))
        return 1;
    const gx_bound *b = o->bound.n ? lookup(o, prefix, len) : NULL;
    return b ? same(b->uri, b->uri_len, uri, uri_len) : !len && !uri_len;
}

static int reserved(const gx_outname *n)
{
    return (n->prefix_len == 3 && !memcmp(n->prefix, "xml", 3))
        || (n->prefix_len == 5 && !memcmp(n->prefix, "xmlns", 5));
}

/* The open tag needs prefix to mean uri. 0: it already needs it to mean something else. */
static int need(gx_out *o, const char *prefix, u32 len, const char *uri, u32 uri_len)
{
    u32 i = o->needs.n ? find(o, &o->needs, prefix, len) : 0;
    if (i)
        return same(o->needs.at[i - 1].uri, o->needs.at[i - 1].uri_len, uri, uri_len);
    push(o, &o->needs, prefix, len, uri, uri_len, 0);
    return o->status == GX_OK;
}

static void add_ns(gx_out *o, const char *prefix, u32 prefix_len, const char *uri, u32 uri_len)
{
    if (!prefix_len && !o->name.uri_len)
        return;                                 /* an element in no namespace cannot have a default one */
    gx_outname n = { prefix, "", uri, prefix_len, 0, uri_len };
    if (!reserved(&n))
        need(o, prefix, prefix_len, uri, uri_len);  /* a clash: the element's own name wins */
}

/* A namespace node for the open tag. Names that prepared bytes already have with another meaning of the prefix win. */
void gx_out_ns(gx_out *o, const char *prefix, u32 prefix_len, const char *uri, u32 uri_len)
{
    if (o->ignore || o->flat || o->cap || !o->open || o->sealed)
        return;
    if (o->flags & GX_E_FIXED && (!prefix_len || lookup(o, prefix, prefix_len))
        && !is_bound(o, prefix, prefix_len, uri, uri_len))
        return;                                 /* the names in prepared bytes matter more than a namespace that no name
                                                   has */
    add_ns(o, prefix, prefix_len, uri, uri_len);
}

int gx_out_is_bound(gx_out *o, const char *prefix, u32 prefix_len, const char *uri, u32 uri_len)
{
    return is_bound(o, prefix, prefix_len, uri, uri_len);
}

int gx_out_has_default(gx_out *o) { return o->bound.n && !is_bound(o, "", 0, "", 0); }

/* Will the open tag declare something, so that what is in scope is not yet what its content sees? Its attributes'
 * prefixes are settled later, so one whose prefix does not mean its namespace here counts as a declaration. O(needs +
 * attributes). */
static int is_declaring(gx_out *o)
{
    for (u32 i = 0; o->open && i < o->needs.n; i++) {
        const gx_bound *b = &o->needs.at[i];
        if (!is_bound(o, b->prefix, b->prefix_len, b->uri, b->uri_len))
            return 1;
    }
    for (u32 i = 0; o->open && i < o->n_attrs; i++) {
        const gx_outname *n = &o->attrs[i].name;
        if (n->uri_len && !is_bound(o, n->prefix, n->prefix_len, n->uri, n->uri_len))
            return 1;
    }
    return 0;
}

/* Are all declarations of this list in force here, and no default namespace but one of the list's? "Yes" is remembered
 * for the state of the stack (ctx), so that elements one behind the other ask one comparison. O(declarations x depth of
 * the stack) the first time. */
int gx_out_covers(gx_out *o, u32 list)
{
    const gx_program *p = o->program;
    const gx_nslist *l = &GX_PROG_TAB(p, gx_nslist, nslists)[list];
    int has_default = 0;
    if (is_declaring(o))
        return 0;
    if (o->list_ctx && o->list_ctx[list] == o->ctx + 1)
        return 1;
    for (u32 i = 0; i < l->n; i++) {
        const gx_nsdecl *d = &GX_PROG_TAB(p, gx_nsdecl, nsdecls)[l->first + i];
        u32 n, uri_n;
        const char *prefix = lit(p, d->prefix, &n), *uri = lit(p, d->uri, &uri_n);
        o->work++;
        if (!is_bound(o, prefix, n, uri, uri_n))
            return 0;
        has_default |= !n;
    }
    if (!has_default && !is_bound(o, "", 0, "", 0))
        return 0;
    if (!o->list_ctx)
        o->list_ctx = calloc(p->nslists.n, sizeof *o->list_ctx);
    if (o->list_ctx)
        o->list_ctx[list] = o->ctx + 1;
    return 1;
}

/* A literal element's namespaces: those of the list that the scope has not become needs of the open tag. Nearly always
 * the list is covered, and nothing is done. */
void gx_out_nslist(gx_out *o, u32 list)
{
    const gx_program *p = o->program;
    if (o->ignore || o->flat || o->cap || !o->open || list >= p->nslists.n)
        return;
    /* covered: each of its needs is fulfilled. The element's own prefix must not be rebound by then: need() checks it
     * below */
    if (o->needs.n <= 1 && gx_out_covers(o, list) &&
        is_bound(o, o->name.prefix, o->name.prefix_len, o->name.uri, o->name.uri_len))
        return;
    const gx_nslist *l = &GX_PROG_TAB(p, gx_nslist, nslists)[list];
    for (u32 i = 0; i < l->n; i++) {
        const gx_nsdecl *d = &GX_PROG_TAB(p, gx_nsdecl, nsdecls)[l->first + i];
        u32 n, uri_n;
        const char *prefix = lit(p, d->prefix, &n), *uri = lit(p, d->uri, &uri_n);
        add_ns(o, prefix, n, uri, uri_n);
    }
}

/* "ns0", "ns1", ...: the first that is neither in scope nor needed, for an attribute whose own prefix cannot be used
 * (XSLT 1.0, 7.1.3). The strings live as long as the output, as names must. *len 0: no memory. O(prefixes tried), each
 * a look-up. */
static const char *generate_prefix(gx_out *o, u32 *len)
{
    for (u32 k = 0; ; k++) {
        if (k == o->n_generated) {
            char **more = realloc(o->gen, (k + 1) * sizeof *more);
            if (more)
                o->gen = more;
            if (!more || !(o->gen[k] = malloc(16))) {
                o->status = GX_ENOMEM;
                *len = 0;
                return "";
            }
            snprintf(o->gen[k], 16, "ns%u", k);
            o->n_generated++;
        }
        u32 n = (u32)strlen(o->gen[k]);
        o->work++;
        if (!find(o, &o->bound, o->gen[k], n) && !find(o, &o->needs, o->gen[k], n)) {
            *len = n;
            return o->gen[k];
        }
    }
}

/* Settles an attribute's prefix when its start tag is written: its own if that can mean its namespace here, else
 * another one that the tag needs, else one in scope that nothing hides, else a new one. An attribute in no namespace
 * has none; the default namespace is nothing to it (Namespaces in XML, 6.2). O(needs + declarations in scope), which
 * are work. */
static void attribute_prefix(gx_out *o, gx_outname *name)
{
    if (!name->uri_len) {
        name->prefix_len = 0;
        return;
    }
    if (same(name->uri, name->uri_len, GX_XML_URI, sizeof GX_XML_URI - 1)) {
        name->prefix = "xml";
        name->prefix_len = 3;
        return;
    }
    const gx_bound *outer = o->flags & GX_E_FIXED ? lookup(o, name->prefix, name->prefix_len) : NULL;
    if (name->prefix_len && !reserved(name) && (!outer || same(outer->uri, outer->uri_len, name->uri, name->uri_len)) &&
        need(o, name->prefix, name->prefix_len, name->uri, name->uri_len))
        return;
    for (u32 i = 0; i < o->needs.n; i++, o->work++) {
        const gx_bound *b = &o->needs.at[i];
        if (b->prefix_len && same(b->uri, b->uri_len, name->uri, name->uri_len)) {
            name->prefix = b->prefix;
            name->prefix_len = b->prefix_len;
            return;
        }
    }
    for (u32 i = o->bound.n; i-- > 0; o->work++) {
        const gx_bound *b = &o->bound.at[i];
        if (b->prefix_len && !b->hidden && same(b->uri, b->uri_len, name->uri, name->uri_len) &&
            need(o, b->prefix, b->prefix_len, b->uri, b->uri_len)) {
            name->prefix = b->prefix;
            name->prefix_len = b->prefix_len;
            return;
        }
    }
    name->prefix = generate_prefix(o, &name->prefix_len);
    if (name->prefix_len)
        need(o, name->prefix, name->prefix_len, name->uri, name->uri_len);
}

/* ---- the head of the document ------------------------------------------------------------------------------------ */

/* A string of xsl:output, from the program, or from a file's own attributes; NULL: it was not given. */
static const char *spec_lit(const gx_out *o, u32 i, u32 *len)
{
    *len = 0;
    if (i == GX_NONE)
        return NULL;
    if (!o->strings)
        return lit(o->program, i, len);
    *len = (u32)strlen(o->strings[i]);
    return o->strings[i];
}

static int is_html_type(const gx_out *o)
{
    u32 n;
    const char *type = spec_lit(o, o->spec->media_type, &n);
    return type && n >= 9 && gx_ascii_equal(type, 9, "text/html") && (n == 9 || type[9] == ';' || gx_is_space(type[9]));
}

const char *gx_out_media_type(const char *given, u32 n, u32 method)
{
    return given && n ? given
        : method == GX_METHOD_HTML ? "text/html"
        : method == GX_METHOD_TEXT ? "text/plain"
                                   : "text/xml";
}

/* The output method is known: the first element or text has come, or xsl:output says it (XSLT 1.0, 16). Sets what
 * depends on it, tells media type and encoding (media_out), writes the XML declaration, and then what was held back
 * before it, in its order: comments, processing instructions and white space (defer). */
static void decide(gx_out *o, u8 method)
{
    const gx_output *s = o->spec;
    u32 n;
    const char *p;
    o->method = method;
    o->indent = method != GX_METHOD_TEXT && (s->indent == 1 || (s->indent == 2 && method == GX_METHOD_HTML));
    o->as_html = method == GX_METHOD_HTML || (method == GX_METHOD_XML && (o->xhtml || is_html_type(o)));
    o->prepared_ok = o->prepared_method == method;
    if (method == GX_METHOD_TEXT) {
        gx_out_text_only(o);
        o->plain_ready = o->prepared_ok;
    }
    if (o->media_out) {
        p = spec_lit(o, s->media_type, &n);
        o->media_out->type = gx_out_media_type(p, n, method);
        o->media_out->charset = o->encoding;
        o->media_out->method = method;
    }
    if (method == GX_METHOD_XML && s->omit_declaration != 1) {
        GX_PUTS(
            &o->w,
            "<?xml version=\"1.0\" encoding=\""); /* whatever xsl:output asks for: what is written is XML 1.0 (16.1) */
        gx_put(&o->w, o->encoding, o->encoding_len);
        GX_PUTS(&o->w, "\"");
        if (s->standalone <= 1)
            s->standalone ? GX_PUTS(&o->w, " standalone=\"yes\"") : GX_PUTS(&o->w, " standalone=\"no\"");
        GX_PUTS(&o->w, "?>\n");
    }
    /* what came before the decision, in order */
    char *prelude = o->prelude;
    u32 n_prelude = o->n_prelude;
    o->n_prelude = 0;
    for (u32 at = 0; at < n_prelude; ) {
        u32 head[3];
        memcpy(head, prelude + at, sizeof head);
        const char *name = prelude + at + sizeof head, *value = name + head[1];
        at += (u32)sizeof head + head[1] + head[2];
        if (head[0] == GX_KIND_TEXT)
            gx_out_text(o, value, head[2], 0);
        else if (head[0] == GX_KIND_COMMENT) {
            gx_out_comment_begin(o);
            gx_out_text(o, value, head[2], 0);
            gx_out_comment_end(o);
        }
        else {
            gx_out_pi_begin(o, name, head[1]);
            gx_out_text(o, value, head[2], 0);
            gx_out_pi_end(o);
        }
    }
}

/* The output properties are known. With an output method they decide at once; without one the first element does. */
void gx_out_begin(gx_out *o, const gx_output *spec)
{
    o->spec = spec;
    u32 n;
    const char *public_id = spec_lit(o, spec->doctype_public, &n);
    o->xhtml = (u8)(public_id && gx_html_is_xhtml_id(public_id, n));
    o->method = GX_METHOD_UNSET;
    if (spec->method != GX_METHOD_UNSET)
        decide(o, spec->method);
}

/* Keeps a comment, a processing instruction or white space that came before the method is known, as (kind, lengths,
 * name, bytes) one behind the other. As much as the result may have at most: GX_ELIMIT. */
static void defer(gx_out *o, u32 kind, const char *name, u32 name_len, const char *p, u32 n)
{
    u32 head[3] = { kind, name_len, n };
    u64 size = sizeof head + (u64)name_len + n;
    if (o->n_prelude + size > o->w.limit) {
        o->w.status = GX_ELIMIT;
        return;
    }
    if (!GROW(o, prelude, o->n_prelude + size))
        return;
    memcpy(o->prelude + o->n_prelude, head, sizeof head);
    if (name_len)                       /* a comment has no name, and an empty one perhaps no bytes */
        memcpy(o->prelude + o->n_prelude + sizeof head, name, name_len);
    if (n)
        memcpy(o->prelude + o->n_prelude + sizeof head + name_len, p, n);
    o->n_prelude += (u32)size;
}

/* <!DOCTYPE> in front of the document's element, where xsl:output names a system identifier, or, of html, a public one
 * or version 5. The system identifier's quote is the one that it does not contain. */
static void doctype(gx_out *o, const gx_outname *name)
{
    const gx_output *s = o->spec;
    u32 n_public, n_system;
    const char *pub = spec_lit(o, s->doctype_public, &n_public), *sys = spec_lit(o, s->doctype_system, &n_system);
    int html = o->method == GX_METHOD_HTML;
    u32 n_version;
    const char *version = spec_lit(o, s->version, &n_version);
    int html5 = html && !sys && !pub && version && n_version && version[0] == '5';
    if (!sys && !(html && pub) && !html5)
        return;
    GX_PUTS(&o->w, "<!DOCTYPE ");
    if (html)
        GX_PUTS(&o->w, "html");                 /* 16.2: whatever the element is called */
    else {
        gx_put(&o->w, name->prefix, name->prefix_len);
        name->prefix_len ? GX_PUTS(&o->w, ":") : (void)0;
        gx_put(&o->w, name->local, name->local_len);
    }
    if (pub) {
        GX_PUTS(&o->w, " PUBLIC \"");
        gx_put(&o->w, pub, n_public);
        GX_PUTS(&o->w, "\"");
    }
    else if (sys)
        GX_PUTS(&o->w, " SYSTEM");
    if (sys) {
        char quote = memchr(sys, '"', n_system) ? '\'' : '"';
        gx_putc(&o->w, ' ');
        gx_putc(&o->w, quote);
        gx_put(&o->w, sys, n_system);
        gx_putc(&o->w, quote);
    }
    GX_PUTS(&o->w, ">\n");
}

/* ---- white space ------------------------------------------------------------------------------------------------- */

/* A new line and two columns of white space a level, up to 32 levels, before a start tag or (closing) an end tag;
 * remembered in `marks`, so that text that comes later in the same element can take it back. Not in mixed content. A
 * flush in between forgets the marks: what is written stays. */
void gx_out_indent(gx_out *o, int closing)
{
    static const char spaces[] = "\n                                                                ";
    u32 depth = o->n_elems - (closing ? 1 : 0);
    if (o->flags & GX_E_MIXED)
        return;
    if (!o->n_elems) {
        o->n_marks = 0;
        if (o->w.at > o->w.buf && o->w.at[-1] != '\n')
            gx_putc(&o->w, '\n');
        return;
    }
    u32 n = 1 + (depth < 32 ? depth * 2 : 64);
    if (o->w.at + n >= o->w.end)
        gx_writer_flush(&o->w);
    if (o->marks_flushes != o->w.flushes) {
        o->n_marks = 0;
        o->marks_flushes = o->w.flushes;
    }
    if (o->n_marks == o->cap_marks && !GROW(o, marks, o->n_marks + 1))
        return;
    o->marks[o->n_marks].at = (u32)(o->w.at - o->w.buf);
    o->marks[o->n_marks].len = n;
    o->marks[o->n_marks++].depth = o->n_elems;
    o->flags |= GX_E_KIDS;
    gx_put(&o->w, spaces, n);
}

/* Text has come: the innermost element is mixed. Takes the white space of its content back out, in one pass. */
static void unindent(gx_out *o)
{
    u32 first = o->n_marks;
    o->flags |= GX_E_MIXED;
    if (!(o->flags & GX_E_KIDS) || o->marks_flushes != o->w.flushes)
        return;
    while (first > 0 && o->marks[first - 1].depth >= o->n_elems)
        first--;
    if (first == o->n_marks)
        return;
    char *to = o->w.buf + o->marks[first].at;
    for (u32 i = first; i < o->n_marks; i++) {
        char *from = o->w.buf + o->marks[i].at + o->marks[i].len;
        char *stop = i + 1 < o->n_marks ? o->w.buf + o->marks[i + 1].at : o->w.at;
        memmove(to, from, (size_t)(stop - from));
        to += stop - from;
    }
    o->w.at = to;
    o->n_marks = first;
    o->tag_end = 0;                     /* what was written is not that far any more */
}

void gx_out_deeper(gx_out *o)
{
    if (!GROW(o, elems, o->n_elems + 1))
        return;
    o->elems[o->n_elems++].flags = o->flags;
    o->flags &= GX_E_INHERITED;
}

void gx_out_xml_space(gx_out *o, const char *value, u32 len)
{
    if (o->flags & GX_E_MIXED)
        o->n_marks = 0;                 /* no mark stands before its start tag */
    o->flags = (o->flags & ~(u32)GX_E_MIXED) | (same(value, len, "preserve", 8) ? GX_E_MIXED : 0);
}

void gx_out_up(gx_out *o)
{
    if (o->flags & GX_E_KIDS)
        gx_out_indent(o, 1);
    if (o->n_elems)
        o->flags = o->elems[--o->n_elems].flags;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* The seeded hash of an expanded name: an author of a document cannot choose names that collide. */
static u32 attr_hash(const gx_out *o, const gx_outname *n)
{
    const u64 seed = n->uri_len ? gx_text_hash(o->seed, n->uri, n->uri_len) : o->seed;
    return (u32)gx_text_hash(seed, n->local, n->local_len);
}

/* The open tag's attribute of this expanded name, or NULL: one after the other up to SCANNED_MOST, by hash beyond. */
static gx_outattr *attr_find(gx_out *o, const gx_outname *name, u32 hash)
{
    const u32 mask = o->heads.mask;
    for (u32 i = mask ? o->heads.at[hash & mask] : o->n_attrs; i; i = mask ? o->attrs[i - 1].next : i - 1) {
        gx_outattr *a = &o->attrs[i - 1];
        o->work++;
        if (a->hash == hash && same(a->name.local, a->name.local_len, name->local, name->local_len) &&
            same(a->name.uri, a->name.uri_len, name->uri, name->uri_len))
            return a;
    }
    return NULL;
}

/* The attribute whose value is vals[at..): replaces an earlier one of its name. */
static void attr_add(gx_out *o, gx_outattr *a)
{
    a->hash = attr_hash(o, &a->name);
    gx_outattr *old = attr_find(o, &a->name, a->hash);
    if (old) {
        old->at = a->at;
        old->len = a->len;
        return;
    }
    if (o->n_attrs >= o->attr_limit) {
        o->status = GX_ELIMIT;
        o->limit = "attributes";
        return;
    }
    if (!GROW(o, attrs, o->n_attrs + 1))
        return;
    o->attrs[o->n_attrs++] = *a;
    for (u32 i = o->n_attrs > SCANNED_MOST ? heads_room(o, &o->heads, o->n_attrs) : o->n_attrs; i < o->n_attrs; i++) {
        u32 *head = &o->heads.at[o->attrs[i].hash & o->heads.mask];
        o->attrs[i].next = *head;
        *head = i + 1;
    }
}

static void put_name(gx_writer *w, const char *prefix, u32 prefix_len, const char *local, u32 local_len)
{
    if (prefix_len) {
        gx_writer_name(w, prefix, prefix_len);
        gx_putc(w, ':');
    }
    gx_writer_name(w, local, local_len);
}

/* An attribute's value behind its name; boolean: html has its name so, and where the value says no more than the name
 * (or nothing) the name is all. */
static void put_value(gx_writer *w, const char *v, u32 len, int where, int boolean, const char *name, u32 name_len)
{
    if (boolean && (!len || (len == name_len && !strncasecmp(v, name, len))))
        return;
    GX_PUTS(w, "=\"");
    gx_writer_escape(w, v, len, where);
    gx_putc(w, '"');
}

static int is_boolean(const gx_outattr *a)
{
    return a->kind & GX_E_UNKNOWN ? gx_html_boolean(a->name.local, a->name.local_len) : (a->kind & GX_A_BOOLEAN) != 0;
}

static int is_uri(const gx_out *o, const gx_outattr *a)
{
    return a->kind & GX_A_URI || (a->kind & GX_E_UNKNOWN || o->flags & GX_E_ANCHOR
                                  ? gx_html_uri(o->flags, a->name.local, a->name.local_len) : 0);
}

/* One attribute as the method writes it: of HTML boolean ones without a value, and URIs with their bytes escaped
 * (16.2). */
static void put_attr(gx_out *o, const gx_outattr *a)
{
    int html = (o->flags & GX_E_HTML) && !a->name.uri_len;
    gx_putc(&o->w, ' ');
    put_name(&o->w, a->name.prefix, a->name.prefix_len, a->name.local, a->name.local_len);
    put_value(&o->w, o->vals + a->at, a->len, !html ? GX_ESC_ATTR : is_uri(o, a) ? GX_ESC_HTML_URI : GX_ESC_HTML_ATTR,
              html && is_boolean(a), a->name.local, a->name.local_len);
}

/* The declarations that the needs ask for, pushed on bound. */
static void bind_needs(gx_out *o)
{
    u32 first = o->bound.n;
    for (u32 i = 0; i < o->needs.n; i++) {
        const gx_bound *b = &o->needs.at[i];
        o->work++;
        if (!is_bound(o, b->prefix, b->prefix_len, b->uri, b->uri_len))
            push(o, &o->bound, b->prefix, b->prefix_len, b->uri, b->uri_len,
                 find(o, &o->bound, b->prefix, b->prefix_len));
    }
    if (o->bound.n > first)
        o->ctx = ++o->next_ctx;
}

/* The start tag as an event for a tree (tree.h) instead of bytes: the name, what is in scope, and whether that is the
 * parent's, then the attributes. Fails as gx_tree_start(). */
static gx_status to_tree(gx_out *o)
{
    u32 first = o->elems[o->n_elems - 1].n_bound;
    gx_status s = gx_tree_start(o->tree, &o->name, o->bound.at, o->bound.n, o->bound.n == first);
    for (u32 i = 0; i < o->n_attrs && s == GX_OK; i++)
        s = gx_tree_attr(o->tree, &o->attrs[i].name, o->vals + o->attrs[i].at, o->attrs[i].len);
    return s;
}

/* A meta element of the stylesheet that says what we have said ourselves in this head. */
static int is_content_type(const gx_out *o)
{
    if (!(o->spec && o->flags & GX_E_META && o->flags & GX_E_HTML && o->elems[o->n_elems - 1].flags & GX_E_HEAD))
        return 0;
    for (u32 i = 0; i < o->n_attrs; i++)
        if (gx_ascii_equal(o->attrs[i].name.local, o->attrs[i].name.local_len, "http-equiv"))
            return gx_ascii_equal(o->vals + o->attrs[i].at, o->attrs[i].len, "content-type");
    return 0;
}

/*
 * Writes the start tag but for its last '>'; 0: the element is not to be written at all (a meta element that repeats
 * what put_meta() says). In this order, since each step may add needs to the one behind it: attributes settle their
 * prefixes, needs become declarations on `bound`, then the doctype, white space, name, declarations and attributes are
 * bytes.
 *
 * Into a tree it is one event and no bytes. Indented xml moves the parent's flags for a moment: white space before the
 * tag is the parent's content. O(needs x look-up + attributes + bytes). Fails through o->status or the writer's.
 */
static int put_start(gx_out *o)
{
    gx_writer *w = &o->w;
    u32 first = o->bound.n;
    o->open = 0;
    for (u32 i = 0; i < o->n_attrs; i++)
        attribute_prefix(o, &o->attrs[i].name);
    if (o->needs.n)
        bind_needs(o);
    if (o->tree) {
        gx_status s = to_tree(o);
        if (s != GX_OK)
            o->status = s;
        return 1;
    }
    if (is_content_type(o))
        return 0;
    if (o->indent) {
        if (o->method == GX_METHOD_XML) {
            u32 own = o->flags;                 /* gx_out_indent is about the parent */
            o->flags = o->elems[o->n_elems - 1].flags;
            o->n_elems--;
            gx_out_indent(o, 0);
            o->n_elems++;
            o->elems[o->n_elems - 1].flags = o->flags;
            o->flags = own | (o->flags & GX_E_MIXED);
            for (u32 i = 0; i < o->n_attrs; i++)
                if (gx_is_xml_space(&o->attrs[i].name))
                    gx_out_xml_space(o, o->vals + o->attrs[i].at, o->attrs[i].len);
        }
        else if (!(o->flags & GX_E_INLINE)) {
            if (o->last == GX_LAST_BLOCK && !(o->elems[o->n_elems - 1].flags & GX_E_PRE))
                gx_putc(w, '\n');
        }
    }
    if (o->n_elems == 1 && o->spec && !o->doctype_done) {
        o->doctype_done = 1;
        doctype(o, &o->name);
    }
    gx_putc(w, '<');
    put_name(w, o->name.prefix, o->name.prefix_len, o->name.local, o->name.local_len);
    for (u32 i = first; i < o->bound.n; i++) {
        const gx_bound *b = &o->bound.at[i];
        GX_PUTS(w, " xmlns");
        if (b->prefix_len) {
            gx_putc(w, ':');
            gx_writer_name(w, b->prefix, b->prefix_len);
        }
        GX_PUTS(w, "=\"");
        gx_writer_escape(w, b->uri, b->uri_len, GX_ESC_ATTR);
        gx_putc(w, '"');
    }
    for (u32 i = 0; i < o->n_attrs; i++)
        put_attr(o, &o->attrs[i]);
    o->last = o->flags & GX_E_INLINE ? GX_LAST_OTHER : GX_LAST_BLOCK;
    return 1;
}

/* The start tag is written: its attributes, their values and its needs are forgotten, their memory is kept. */
static void start_done(gx_out *o)
{
    o->n_attrs = o->n_vals = 0;
    o->needs.n = o->needs.heads.mask = 0;       /* none of them hides another */
    o->heads.mask = 0;
    o->sealed = 0;
    o->plain_ready = o->prepared_ok;
}

static u32 skip_spaces(const char *s, u32 n)
{
    u32 i = 0;
    while (i < n && gx_is_space(s[i]))
        i++;
    return i;
}

/* The media type; its own charset gives way to the page's, which follows. */
static void put_type(gx_out *o, const char *type, u32 n)
{
    int parts = 0;
    for (u32 at = 0, end; at < n; at = end + 1) {
        for (end = at; end < n && type[end] != ';'; end++)
            ;
        at += skip_spaces(type + at, end - at);
        if (at == end || (end - at >= 8 && strncasecmp(type + at, "charset=", 8) == 0))
            continue;
        if (parts++)
            GX_PUTS(&o->w, "; ");
        gx_writer_escape(&o->w, type + at, end - at, GX_ESC_HTML_ATTR);
    }
    if (!parts)
        GX_PUTS(&o->w, "text/html");
}

/* HTML's meta element with type and encoding, behind the start tag of head (16.2). */
static void put_meta(gx_out *o)
{
    if (o->indent)
        gx_putc(&o->w, '\n');
    GX_PUTS(&o->w, "<meta http-equiv=\"Content-Type\" content=\"");
    u32 n;
    const char *type = spec_lit(o, o->spec->media_type, &n);
    put_type(o, type, n);
    GX_PUTS(&o->w, "; charset=");
    gx_put(&o->w, o->encoding, o->encoding_len);
    GX_PUTS(&o->w, "\">");
}

/* The open start tag is complete: nothing more can be added to it. */
void gx_out_close_tag(gx_out *o)
{
    if (!o->open)
        return;
    if (put_start(o) && !o->tree) {
        gx_putc(&o->w, '>');
        if (o->flags & GX_E_HEAD && o->spec)
            put_meta(o);
    }
    start_done(o);
}

/* An element's start: the tag before it is closed, the method decided if it was not, the kind of element looked up
 * where the compiler did not know the name. It stays open for namespaces and attributes until something else comes. A
 * stack entry keeps what the end tag needs: name, flags and how many declarations were in scope. In a captured value,
 * or where only text counts, nothing happens. O(1) beside cdata-section-elements. */
void gx_out_start(gx_out *o, const gx_outname *name, u32 flags)
{
    if (o->ignore) {
        o->ignore++;
        return;
    }
    if (o->flat || o->cap)              /* its text counts */
        return;
    if (o->open)
        gx_out_close_tag(o);
    if (o->method == GX_METHOD_UNSET)
        decide(o,
               !name->uri_len && gx_ascii_equal(name->local, name->local_len, "html") ? GX_METHOD_HTML : GX_METHOD_XML);
    gx_writer_cdata_end(&o->w, &o->cdata);
    if (flags & GX_E_UNKNOWN)
        flags = (flags & GX_E_FIXED) |
            gx_html_element(o->method, o->xhtml, name->uri, name->uri_len, name->local, name->local_len);
    if (o->spec && o->spec->n_cdata && !(flags & GX_E_HTML)) {
        const u32 *cdata = GX_PROG_TAB(o->program, u32, cdata) + o->spec->cdata;
        for (u32 i = 0; i < o->spec->n_cdata && o->cdata_names; i++) {
            const gx_outname *q = &o->cdata_names[i];
            if (same(q->local, q->local_len, name->local, name->local_len)
                && same(q->uri, q->uri_len, name->uri, name->uri_len))
                flags |= GX_E_CDATA;
        }
        for (u32 i = 0; i < o->spec->n_cdata && !o->cdata_names; i++) {
            const gx_qname *q = &GX_PROG_TAB(o->program, gx_qname, qnames)[cdata[i]];
            u32 n, n_uri;
            const char *local = lit(o->program, q->local, &n), *uri = lit(o->program, q->uri, &n_uri);
            if (same(local, n, name->local, name->local_len) && same(uri, n_uri, name->uri, name->uri_len))
                flags |= GX_E_CDATA;
        }
    }
    if (!GROW(o, elems, o->n_elems + 1))
        return;
    gx_outelem *e = &o->elems[o->n_elems++];
    o->name = *name;
    /* no other prefix may mean it (Namespaces in XML, 3) */
    if (same(name->uri, name->uri_len, GX_XML_URI, sizeof GX_XML_URI - 1)) {
        o->name.prefix = "xml";
        o->name.prefix_len = 3;
    } else if (!name->uri_len || reserved(name))
        o->name.prefix_len = 0;
    e->prefix = o->name.prefix;
    e->prefix_len = o->name.prefix_len;
    e->local = name->local;
    e->local_len = name->local_len;
    e->n_bound = o->bound.n;
    e->ctx = o->ctx;
    e->flags = o->flags;
    o->flags = flags | (o->flags & GX_E_INHERITED);
    o->open = 1;
    if (o->bound.n || name->uri_len)
        need(o, o->name.prefix, o->name.prefix_len, name->uri, name->uri_len);
}

/* An element's end: "/>" or an end tag, as the method wants it for this element, indented if its children were; the
 * scope is what it was before the start. */
void gx_out_end(gx_out *o)
{
    gx_writer *w = &o->w;
    if (o->ignore) {
        o->ignore--;
        return;
    }
    if (o->flat || o->cap || !o->n_elems)
        return;
    gx_outelem *e = &o->elems[o->n_elems - 1];
    u32 void_html = (o->flags & (GX_E_VOID | GX_E_HTML)) == (GX_E_VOID | GX_E_HTML);
    gx_writer_cdata_end(w, &o->cdata);
    if (o->open) {
        int written = put_start(o);
        if (o->tree)
            gx_tree_end(o->tree);
        else if (written && !(o->flags & (GX_E_HTML | GX_E_PAIR)))
            GX_PUTS(w, "/>");
        else if (written) {
            gx_putc(w, '>');
            if (o->flags & GX_E_HEAD && o->spec)
                put_meta(o);
            if (!void_html) {
                GX_PUTS(w, "</");
                put_name(w, e->prefix, e->prefix_len, e->local, e->local_len);
                gx_putc(w, '>');
            }
        }
        start_done(o);
    }
    else if (o->tree)
        gx_tree_end(o->tree);
    else if (!void_html) {
        if (o->indent) {
            if (o->method == GX_METHOD_XML) {
                if (o->flags & GX_E_KIDS)
                    gx_out_indent(o, 1);
            }
            else if (o->last == GX_LAST_BLOCK && !(o->flags & (GX_E_INLINE | GX_E_PRE)))
                gx_putc(w, '\n');
        }
        GX_PUTS(w, "</");
        put_name(w, e->prefix, e->prefix_len, e->local, e->local_len);
        gx_putc(w, '>');
    }
    o->last = o->flags & GX_E_INLINE ? GX_LAST_OTHER : GX_LAST_BLOCK;
    if (o->bound.n > e->n_bound)
        cut(&o->bound, e->n_bound);
    o->ctx = e->ctx;
    o->flags = e->flags;
    o->n_elems--;
}

/* ---- what is captured -------------------------------------------------------------------------------------------- */

/* 1: ignored, and its end will be. */
static int capture_begin(gx_out *o, u8 cap)
{
    if (o->ignore || o->cap || o->flat) {
        o->ignore++;
        return 1;
    }
    if (cap >= GX_CAP_COMMENT && o->open)
        gx_out_close_tag(o);
    o->cap = cap;
    o->pending.at = o->n_vals;
    return 0;
}

/* Ends a capture: pending has its bytes. 1: it was within something ignored. */
static int capture_end(gx_out *o)
{
    if (o->ignore) {
        o->ignore--;
        return 1;
    }
    o->cap = GX_CAP_NONE;
    o->pending.len = o->n_vals - o->pending.at;
    return 0;
}

/* Appends to the captured value, which may be as long as a whole result: GX_ELIMIT beyond. */
static void capture_text(gx_out *o, const char *p, u32 n)
{
    if (o->n_vals + (u64)n > o->w.limit) {
        o->w.status = GX_ELIMIT;
        return;
    }
    if (!GROW(o, vals, o->n_vals + (u64)n + 1))
        return;
    memcpy(o->vals + o->n_vals, p, n);
    o->n_vals += n;
}

/* An attribute whose value follows as text. What cannot become one is captured and dropped (SKIP), since its content
 * may still have messages. */
void gx_out_attr_begin(gx_out *o, const gx_outname *name, u32 kind)
{
    /* after children, not in an element, or with no name that it can have: ignored (XSLT 1.0, 7.1.3) */
    if (!capture_begin(o, o->open && !o->sealed && name ? GX_CAP_ATTR : GX_CAP_SKIP) && name) {
        o->late |= !o->open;
        o->pending.name = *name;
        o->pending.kind = kind;
    }
}

/* The value is complete: the attribute replaces one of its name. */
void gx_out_attr_end(gx_out *o)
{
    int skip = o->cap == GX_CAP_SKIP;
    if (capture_end(o))
        return;
    if (skip)
        o->n_vals = o->pending.at;
    else
        attr_add(o, &o->pending);
}

/* An attribute with its value, as copying makes it. */
void gx_out_attr(gx_out *o, const gx_outname *name, const char *value, u32 len)
{
    if (o->ignore || o->cap || o->flat)
        return;
    o->late |= !o->open;
    if (!o->open || o->sealed)
        return;
    o->pending.name = *name;
    o->pending.kind = GX_E_UNKNOWN;
    o->pending.at = o->n_vals;
    capture_text(o, value, len);
    o->pending.len = o->n_vals - o->pending.at;         /* none of it, where there was no room */
    attr_add(o, &o->pending);
}

void gx_out_value_begin(gx_out *o) { capture_begin(o, GX_CAP_ATTR); }

void gx_out_value_end(gx_out *o, int where, const gx_qname *boolean)
{
    u32 len = 0;
    const char *name = boolean ? lit(o->program, boolean->local, &len) : "";
    if (capture_end(o))
        return;
    put_value(&o->w, o->vals + o->pending.at, o->pending.len, where, boolean != NULL, name, len);
    o->n_vals = o->pending.at;
}

void gx_out_comment_begin(gx_out *o) { capture_begin(o, GX_CAP_COMMENT); }

/* A comment or PI is about to be written. 0: it was put off. */
static int leaf_begin(gx_out *o, u32 kind, const char *name, u32 name_len)
{
    const char *p = o->vals + o->pending.at;
    u32 n = o->pending.len;
    if (o->tree) {
        gx_status s = gx_tree_leaf(o->tree, kind, name, name_len, p, n);
        if (s != GX_OK)
            o->status = s;
        return 0;
    }
    if (o->method == GX_METHOD_UNSET) {
        defer(o, kind, name, name_len, p, n);
        return 0;
    }
    gx_writer_cdata_end(&o->w, &o->cdata);
    if (o->indent && o->method == GX_METHOD_XML)
        gx_out_indent(o, 0);
    o->last = GX_LAST_OTHER;
    return 1;
}

/* XSLT 1.0, 7.4: a space goes between "--" and behind a last "-". Where browsers read it they take "<!-->" and "<!--->"
 * for a whole comment (HTML, 13.2.5.43), what follows for markup: a space goes before a first ">" or "->". Inside an
 * element whose content they take for text a comment is none, and an end tag in it would end the element: "</" is
 * parted. */
static void put_comment(gx_out *o, const char *p, const char *stop)
{
    const char *from = p;
    const int in_text = o->as_html && o->flags & GX_E_TEXT;
    GX_PUTS(&o->w, "<!--");
    if (o->as_html && p < stop && (*p == '>' || (*p == '-' && stop - p > 1 && p[1] == '>')))
        gx_putc(&o->w, ' ');
    for (; p < stop; p++)
        if ((*p == '-' && (p + 1 == stop || p[1] == '-')) || (in_text && *p == '<' && p + 1 < stop && p[1] == '/')) {
            gx_put(&o->w, from, (size_t)(p + 1 - from));
            gx_putc(&o->w, ' ');
            from = p + 1;
        }
    if (from < stop)
        gx_put(&o->w, from, (size_t)(stop - from));
    GX_PUTS(&o->w, "-->");
}

void gx_out_comment_end(gx_out *o)
{
    if (capture_end(o))
        return;
    if (leaf_begin(o, GX_KIND_COMMENT, "", 0))
        put_comment(o, o->vals + o->pending.at, o->vals + o->pending.at + o->pending.len);
    o->n_vals = o->pending.at;
}

void gx_out_pi_begin(gx_out *o, const char *target, u32 len)
{
    if (capture_begin(o, GX_CAP_PI))
        return;
    o->pending.name.local = target;
    o->pending.name.local_len = len;
}

/* 7.3: a space parts "?>". To browsers all of it is a comment that the first ">" ends, so that is "&gt;" there. */
static void put_pi(gx_out *o, const char *p, const char *stop)
{
    const char *from = p;
    GX_PUTS(&o->w, "<?");
    gx_writer_name(&o->w, o->pending.name.local, o->pending.name.local_len);
    if (p < stop)
        gx_putc(&o->w, ' ');
    for (; p < stop; p++) {
        const int is_end = o->as_html ? *p == '>' : *p == '?' && p + 1 < stop && p[1] == '>';
        if (!is_end)
            continue;
        gx_put(&o->w, from, (size_t)(p + !o->as_html - from));
        if (o->as_html)
            GX_PUTS(&o->w, "&gt;");
        else
            gx_putc(&o->w, ' ');
        from = p + 1;
    }
    if (from < stop)
        gx_put(&o->w, from, (size_t)(stop - from));
    o->method == GX_METHOD_HTML ? GX_PUTS(&o->w, ">") : GX_PUTS(&o->w, "?>");
}

void gx_out_pi_end(gx_out *o)
{
    if (capture_end(o))
        return;
    if (leaf_begin(o, GX_KIND_PI, o->pending.name.local, o->pending.name.local_len))
        put_pi(o, o->vals + o->pending.at, o->vals + o->pending.at + o->pending.len);
    o->n_vals = o->pending.at;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* Does the n bytes' beginning say "/name", or as much of it as there is? */
static int is_end_tag(const char *p, u32 n, const char *name, u32 len)
{
    u32 i = 0;
    if (!n || *p != '/')
        return 0;
    while (i < len && i + 1 < n && (p[i + 1] | 32) == (name[i] | 32))
        i++;
    return i == len || i + 1 == n;
}

/* Text of script and style, which is not escaped (16.2). "</script" would end the element, and what follows would be
 * markup: "<\\/script" is the same to JavaScript, JSON and CSS, which may have it in strings alone. A text may come in
 * pieces: the end of one, and the '<' before one, count, too. */
static void put_raw(gx_out *o, const char *p, u32 n)
{
    const gx_outelem *e = &o->elems[o->n_elems - 1];
    const char *from = p, *stop = p + n, *at = p;
    if (o->w.at > o->w.buf && o->w.at[-1] == '<' && is_end_tag(p, n, e->local, e->local_len))
        gx_putc(&o->w, '\\');
    while ((at = memchr(at, '<', (size_t)(stop - at))) != NULL) {
        at++;
        if (!is_end_tag(at, (u32)(stop - at), e->local, e->local_len))
            continue;
        gx_put(&o->w, from, (size_t)(at - from));
        gx_putc(&o->w, '\\');
        from = at;
    }
    if (from < stop)
        gx_put(&o->w, from, (size_t)(stop - from));
}

/* n bytes of text, which need not be a whole text node: escaped as the place asks (raw: disable-output-escaping).
 * Captured content collects it, a tree makes a node of it, before the method is known white space waits and anything
 * else decides. O(n). */
void gx_out_text(gx_out *o, const char *p, u32 n, int raw)
{
    if (!n || o->ignore)
        return;
    if (o->cap) {
        capture_text(o, p, n);
        return;
    }
    if (o->open)
        gx_out_close_tag(o);
    if (o->tree) {
        gx_status s = gx_tree_leaf(o->tree, GX_KIND_TEXT, "", 0, p, n);
        if (s != GX_OK)
            o->status = s;
        return;
    }
    if (o->method == GX_METHOD_UNSET) {
        if (skip_spaces(p, n) == n) {
            defer(o, GX_KIND_TEXT, "", 0, p, n);
            return;
        }
        decide(o, GX_METHOD_XML);
    }
    if (o->indent && o->method == GX_METHOD_XML && o->n_elems && !(o->flags & GX_E_MIXED))
        unindent(o);
    o->last = GX_LAST_OTHER;
    if (o->flags & GX_E_RAW)
        put_raw(o, p, n);
    else if (o->method == GX_METHOD_TEXT)
        gx_put(&o->w, p, n);
    else if (raw) {
        gx_writer_cdata_end(&o->w, &o->cdata);
        gx_writer_unescaped(&o->w, p, n);
    }
    else if (o->flags & GX_E_CDATA)
        gx_writer_cdata(&o->w, p, n, &o->cdata);
    else
        gx_writer_escape(&o->w, p, n, GX_ESC_TEXT);
}

void gx_out_document(gx_out *o)
{
    gx_status s = gx_tree_root(o->tree);
    if (s != GX_OK)
        o->status = s;
}

/* Ends the result: a tag that is open, a method that nothing has decided, the last new line, the writer's bytes. */
void gx_out_finish(gx_out *o)
{
    if (o->open)
        gx_out_close_tag(o);
    if (o->method == GX_METHOD_UNSET)
        decide(o, GX_METHOD_XML);
    if (o->tree)
        return;
    if (o->spec && o->method != GX_METHOD_TEXT && o->spec->indent != 0 && (o->w.at > o->w.buf || o->w.flushes))
        if (o->w.at == o->w.buf || o->w.at[-1] != '\n')
            gx_putc(&o->w, '\n');
    gx_writer_finish(&o->w);
}
