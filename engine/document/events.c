/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c -- what an event adds to the columns: start tags, end tags, comments, processing instructions
 *
 *   Expat (expat_read.c) --+
 *                          +--> gx_parser_start(name, attributes), gx_parser_end() ... --> names.c: labels, scopes
 *   scanner (scan.c) ------+                                                          --> columns.c: nodes, text
 *
 * Both readers call the same functions in the same order, so a document's block is the same to the byte whoever read
 * it.
 * Invariants: frames[0] is the root, frames[sp] the innermost open element; text[text_start..n) is the text node that
 * is being collected, adjacent character data, CDATA and entity text alike.
 */
#include <stdlib.h>
#include <string.h>
/* Expat 2.9 deprecates positions that are a long, for systems where that has 32 bits, and a salt of 64 bits, which is
 * what our seed has */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "expat_at.h"
#include "fail.h"
#include "references.h"

/* ---- elements ---- */

/* Copies into the value heap: its offset there, or GX_NONE after failing. */
static inline u32 add_value(gx_parser *p, const char *s, size_t len)
{
    if (len > p->limits.text) {
        gx_parser_fail_limit(p, "text", p->limits.text, "an attribute, comment or processing instruction longer than");
        return GX_NONE;
    }
    if (gx_parser_room(p, &p->values, len))
        return GX_NONE;
    u32 off = (u32)p->values.n;
    memcpy(p->values.at + off, s, len);
    p->values.n += len;
    return off;
}

static inline int flush_text(gx_parser *p) { return p->text.n != p->text_start ? gx_parser_end_text(p) : 0; }

/* The interned name, checked. GX_NONE after failing. */
u32 gx_parser_find_name(gx_parser *p, const char *s, const char *what)
{
    size_t len = strlen(s);
    if (len > p->limits.name) {
        gx_parser_fail_limit(p, "name", p->limits.name, "a name longer than");
        return GX_NONE;
    }
    u32 name = gx_names_find(&p->names, s, (u32)len);
    if (name == GX_NONE)
        gx_parser_fail_memory(p);
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
        gx_parser_fail_memory(p);
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
        return gx_parser_fail_memory(p), -1;
    for (u32 i = 0; i < n; i++) {
        u32 name = GX_BUF_AT(&p->attributes, u32)[i];
        const gx_name *a = &GX_BUF_AT(&p->names.names, gx_name)[name];
        if (!(a->flags & GX_NAME_XMLNS))
            continue;
        const char *uri_text = atts[2 * i + 1];
        size_t len = strlen(uri_text);
        if (len > p->limits.text)
            return gx_parser_fail_limit(p, "text", p->limits.text, "a namespace name longer than"), -1;
        u32 prefixed = a->prefix_len;
        u32 uri = gx_names_find(&p->names, uri_text, (u32)len);
        if (uri == GX_NONE)
            return gx_parser_fail_memory(p), -1;
        if (is_binding(p, prefixed ? atts[2 * i] + 6 : "", uri))
            GX_BUF_AT(&p->declared, gx_binding)[n_declared++] = (gx_binding){ name, uri };
    }
    if (n_declared == 0 || p->status != GX_OK)
        return p->status == GX_OK ? 0 : -1;
    if (gx_names_scope(&p->names, f->scope, GX_BUF_AT(&p->declared, gx_binding), n_declared, &scope))
        return gx_parser_fail_memory(p), -1;
    /* every list is stored in full: without these two a nest of declarations would cost memory by its square */
    if (GX_BUF_AT(&p->names.scopes, gx_ns_list)[scope].n > p->limits.attributes)
        return gx_parser_fail_limit(p, "attributes", p->limits.attributes, "more namespaces in scope than"), -1;
    if (GX_BUF_N(&p->names.bindings, gx_binding) > p->limits.nodes)
        return gx_parser_fail_limit(p, "nodes", p->limits.nodes, "more namespaces in all scopes together than"), -1;
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

/* The namespace nodes of the element f (XPath 1.0, 5.4): that of the prefix xml, then one for each declaration in
 * scope, in the order of the scope's list. Only documents with GX_DOC_NAMESPACES have them. O(declarations in scope),
 * so a deep document under many is long: `nodes` limits it. -1 after failing. */
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
                return gx_parser_fail_memory(p), -1;
            name->attr_scope = GX_SCOPE_ANY;
            name->attr_label = label;
        }
        if (add_namespace(p, f->node, name->attr_label, b.uri))
            return -1;
    }
    return 0;
}

/* An entry of the document's table of IDs: `s` into strs, with the hash of it. normalize: it is an xml:id, of which
 * leading and trailing spaces go; what is between them stays as it is. Two elements may have one ID: the first then
 * counts (XPath 1.0, 5.2.1), as the table is sorted by hash and node. -1 after failing. */
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
        return gx_parser_fail_memory(p), -1;
    *id = (gx_doc_id){ (u32)gx_text_hash(p->names.seed, s, (u32)len), (u32)p->names.strs.n, (u32)len, element };
    memcpy(p->names.strs.at + p->names.strs.n, s, len);
    p->names.strs.n += len;
    return 0;
}

/* Notes that this node's prefix is not the one that its label has: a name is printed as it was written. */
static int add_odd(gx_parser *p, u32 node, const gx_name *name)
{
    gx_doc_odd *odd = gx_buf_push(&p->odd, sizeof *odd);
    if (!odd)
        return gx_parser_fail_memory(p), -1;
    *odd = (gx_doc_odd){ node, name->prefix_len ? name->off : 0, name->prefix_len };
    return 0;
}

/* Attribute nodes (XPath 1.0, 5.3) of the element f that was just added: atts has n names and values, p->attributes
 * the names' numbers. Declarations of namespaces are passed over. A name is resolved only if its scope is another than
 * when it was met last; an ID goes into the table. Expat has compared names as written; that two prefixes mean one
 * namespace (Namespaces in XML, 6.3) is found by the label, which notes the element that had it. O(bytes of the
 * values). -1 after failing. */
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

/* Names of a tag's attributes, `atts` up to a NULL, into p->attributes: *count of them. What xmlns says makes the
 * frame's scope, xml:space its `preserve`. With a document type declaration the references in the tag are checked,
 * too. Looks at the clock once a tag. -1 after failing. */
static int read_attributes(gx_parser *p, gx_frame *f, const char **atts, u32 *count)
{
    u32 n = 0, flags = 0;
    p->attributes.n = 0;
    for (; atts[2 * n]; n++) {
        if (n >= p->limits.attributes)
            return gx_parser_fail_limit(p, "attributes", p->limits.attributes, "more attributes on one element than"),
                   -1;
        u32 name = gx_parser_find_name(p, atts[2 * n], "the attribute");
        if (name == GX_NONE)
            return -1;
        u32 *to = gx_buf_push(&p->attributes, sizeof *to);
        if (!to)
            return gx_parser_fail_memory(p), -1;
        *to = name;
        u32 own = GX_BUF_AT(&p->names.names, gx_name)[name].flags;
        flags |= own;
        if (own & GX_NAME_SPACE)        /* XSLT 1.0, 3.4: the nearest "preserve" or "default" decides */
            f->preserve = strcmp(atts[2 * n + 1], "preserve") == 0 ? 1
                : strcmp(atts[2 * n + 1], "default") == 0          ? 0
                                                                   : f->preserve;
    }
    *count = n;
    if (gx_parser_is_late_here(p, n))
        return -1;
    if (p->doctype && p->uses_expat && gx_check_references(p))
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
    if (heaps > GX_FREE_GROWTH && at >= 0 && heaps / gx_parser_growth(p) > (u64)at)
        return gx_parser_fail_growth(p, "attribute defaults expand the document by more than"), -1;
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

/* A start tag: its element node with namespace and attribute nodes, and a frame on the stack of open elements. qname
 * and atts (name, value, ..., NULL; in document order, defaults behind) are the caller's and are copied. Order
 * matters: text before the tag ends first, declarations count for the tag's own names, and `n` grows by the element
 * before its attributes. After a failure p->status is set and columns may have half an element, which nobody reads.
 * O(bytes of the tag), if its names have been seen in this scope. */
void gx_parser_start(gx_parser *p, const char *qname, const char **atts)
{
    if (!p->sp && p->names_sheet < 0)
        p->names_sheet = 0;
    /* for each start tag Expat walks all attributes that its element type declares, at 2 ns each; how many those are at
     * most is known here */
    if (gx_parser_is_late_here(p, 1 + p->n_declared / 32) || flush_text(p))
        return;
    if (p->sp >= p->limits.depth)
        return gx_parser_fail_limit(p, "depth", p->limits.depth, "element nesting deeper than");
    if (__builtin_expect((p->sp + 2) * sizeof(gx_frame) > p->frames.cap, 0)) {
        p->frames.n = (p->sp + 1) * sizeof(gx_frame);
        if (gx_buf_room(&p->frames, sizeof(gx_frame)))
            return gx_parser_fail_memory(p);
    }
    gx_frame *f = &GX_BUF_AT(&p->frames, gx_frame)[p->sp + 1];
    u32 n_atts = 0, parent = f[-1].node, index = gx_parser_find_name(p, qname, "the element");
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
        gx_parser_position(p, &p->line[f->node], &p->column[f->node]);
    if (name->elem_odd && add_odd(p, f->node, name))
        return;
    if (f->scope != p->last_scope) {
        gx_scope_change *change = gx_buf_push(&p->scope_changes, sizeof *change);
        if (!change)
            return gx_parser_fail_memory(p);
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

/* An end tag: `next` and the length of the element's text are known now. */
void gx_parser_end(gx_parser *p)
{
    if (flush_text(p))
        return;
    u32 node = GX_BUF_AT(&p->frames, gx_frame)[p->sp].node;
    p->next[node] = p->n;
    p->text_len[node] = (u32)p->text.n - p->text_off[node];
    p->sp--;
}

/* ---- comments, processing instructions: not those in the document type declaration (XPath 1.0, 5.5 and 5.6) ---- */

/* A comment or a processing instruction as a node, its content among the values. */
static void add_leaf(gx_parser *p, u32 label, const char *s)
{
    size_t len = strlen(s);
    u32 off = add_value(p, s, len);
    if (off == GX_NONE)
        return;
    u32 id = gx_parser_add_node(p, label, GX_BUF_AT(&p->frames, gx_frame)[p->sp].node, p->sp + 1, off, len);
    if (id != GX_NONE && p->lines)
        gx_parser_position(p, &p->line[id], &p->column[id]);
}

/* A comment. As it is written, where names were spelled otherwise for Expat (edition.h). */
void gx_parser_comment(gx_parser *p, const char *s)
{
    if (p->is_spelled) {
        char *text = gx_parser_as_written(p, s, strlen(s));
        p->is_spelled = 0;
        if (text)
            gx_parser_comment(p, text);
        p->is_spelled = 1;
        free(text);
        return;
    }
    if (!gx_parser_is_late_here(p, 1) && !p->in_doctype && !flush_text(p))
        add_leaf(p, GX_LABEL_COMMENT, s);
}

/* A processing instruction as a node (XPath 1.0, 5.5), none within the document type declaration. Its target may have
 * no colon (Namespaces in XML, 7). Before the first tag, xml-stylesheet is noted for who asks early. Where names were
 * spelled otherwise for Expat (edition.h), as it was written. */
void gx_parser_pi(gx_parser *p, const char *target, const char *s)
{
    u32 name, label;
    if (p->is_spelled) {
        char *own_target = gx_parser_as_written(p, target, strlen(target));
        char *own = own_target ? gx_parser_as_written(p, s, strlen(s)) : NULL;
        p->is_spelled = 0;
        if (own)
            gx_parser_pi(p, own_target, own);
        p->is_spelled = 1;
        free(own_target);
        free(own);
        return;
    }
    if (strchr(target, ':'))
        if (!NAMESPACE_ERROR(p, "the processing instruction's target \"%.100s\" has a colon", target))
            return;
    if (gx_parser_is_late_here(p, 1) || p->in_doctype || flush_text(p)
        || (name = gx_parser_find_name(p, target, "the processing instruction's")) == GX_NONE)
        return;
    if (gx_names_label(&p->names, GX_KIND_PI, name, &label))
        return gx_parser_fail_memory(p);
    if (p->names_sheet < 0 && strcmp(target, "xml-stylesheet") == 0)
        p->names_sheet = 1;
    add_leaf(p, label, s);
}
