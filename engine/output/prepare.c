/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prepare.c -- compiles bodies to the serialiser's code (prepared.h): literal output becomes ready bytes
 *
 *   <tr class="{@c}"><td>Name: <xsl:value-of select="n"/></td></tr>
 *     BYTES `<tr class="`   ATTR slot   BYTES `"><td>Name: `   TEXT slot   BYTES `</td></tr>`
 *
 * Code is made for one method and, at each entry, one list of namespaces in scope: literal elements of one stylesheet
 * have nearly always the same, so nothing need be declared inside. What bytes cannot express stays with the
 * instructions (GX_SO_GEN): elements whose attributes may still come from elsewhere, which need cdata sections, script
 * and pre elements, and so on.
 *
 * Indented xml: how deep a tag stands, and whether its element has turned out mixed, is known when it is written, so
 * tags are runs of their own with a sign for the white space before them. An element with text alone (GX_SO_CHILD
 * without DEEPER) needs no more. Text beside elements goes by events.
 *
 * A body's code starts at its first instruction. When that entry cannot be taken (the document element, new
 * namespaces), the elements at the body's top are started by events, and code for their content is entered after that.
 *
 * Cost: two passes over the instructions, and one over the calls for each level that a property travels up.
 */
#include <stdlib.h>
#include "output.h"
#include "prepared.h"

enum { M_NONE = 0, M_BYTES, M_EMPTY /* the start tag was all */, M_EVENTS };

typedef struct prep {
    const gx_program *p;
    const gx_instr *instrs;
    const gx_output *spec;
    u8 method, lines;           /* lines: html with line breaks between blocks */
    u8 indented;                /* xml */
    u8 xhtml;
    u8 failed;
    u32 *words, n_words, cap_words;
    gx_writer bytes;
    u32 *entry, *elem_flags, *body_flags;
    u8 *mode;                   /* by pc of an ELEM: M_* */
    u32 *outer;                 /* by pc of an ELEM: the list around it */
    u8 *closes;                 /* by pc of an entry: GX_ENTRY_CLOSES */
    u8 late;                    /* in the code that is being made events may add to an open tag */
    u32 messages;               /* some body has one */
    u32 list;                   /* in scope where code is being made; GX_NONE = not settled yet */
    u32 settled;                /* the entry's list */
    u32 useful;                 /* operators that are not GEN */
    u32 run, first, last;       /* the open run of bytes: where it starts; see BYTES */
    u32 tag_end;                /* where the last start tag ends */
    u32 leaf;                   /* indented: where the last element ends that has text alone */
    u32 last_gen;               /* word of the last operator if it is a GEN, else 0 */
    /* pages (below) */
    u32 *page_entry;
    u8 page;                    /* the code that is being made is for pages */
    u8 before;                  /* .. and the document element has not begun */
    u8 unfit;                   /* .. and is of no use */
    u32 root_end;               /* pc of the end of the document element that began here; GX_NONE: it did not */
    u32 open;                   /* pc of the innermost element that is open; GX_NONE: none began in this body */
    u32 *up;                    /* by pc of an ELEM: `open` around it */
    u32 head, head_len;
} prep;

enum { LAST_UNKNOWN = 2 };

static void word(prep *c, u32 w)
{
    if (c->n_words == c->cap_words) {
        u32 cap = c->cap_words ? c->cap_words * 2 : 1024;
        u32 *more = realloc(c->words, cap * sizeof *more);
        if (!more) {
            c->failed = 1;
            return;
        }
        c->words = more;
        c->cap_words = cap;
    }
    c->words[c->n_words++] = w;
}

static u32 n_bytes(const prep *c) { return (u32)(c->bytes.at - c->bytes.buf); }

/* Ends the run of bytes. */
static void end_run(prep *c)
{
    u32 n = n_bytes(c) - c->run;
    if (n) {
        word(c, GX_SO_BYTES);
        word(c, c->run);
        word(c, n);
        word(c, c->first);
        word(c, (c->last == GX_LAST_BLOCK) | (n_bytes(c) == c->tag_end ? GX_SO_OPENS : 0));
        c->useful++;
        c->last_gen = 0;
    }
    c->run = n_bytes(c);
    c->first = 0;
    c->last = LAST_UNKNOWN;
}

/* A block's tag comes next (html with line breaks). */
static void block_tag(prep *c, u32 flags)
{
    if (c->lines && !(flags & GX_E_INLINE)) {
        if (c->last == GX_LAST_BLOCK)
            gx_putc(&c->bytes, '\n');
        else if (c->last == LAST_UNKNOWN && n_bytes(c) == c->run)
            c->first = GX_LAST_BLOCK;
    }
}

/* Instructions pc .. stop are run as events. A stretch that follows the last one goes on with it. */
static void gen(prep *c, u32 pc, u32 stop)
{
    end_run(c);
    if (c->last_gen && c->words[c->last_gen + 2] == pc) {
        c->words[c->last_gen + 2] = stop;
        return;
    }
    c->last_gen = c->n_words;
    word(c, GX_SO_GEN);
    word(c, pc);
    word(c, stop);
}

static void op(prep *c, u32 code, u32 a)
{
    end_run(c);
    word(c, code);
    word(c, a);
    c->last_gen = 0;
    c->useful++;
}

/* A tag comes next (indented xml): a run of its own, whose first word has the sign that says something about it. */
static void tag(prep *c, u32 sign)
{
    if (c->indented && sign) {
        end_run(c);
        c->first |= sign;
    }
}

/* ---- what bodies do ---------------------------------------------------------------------------------------------- */

static u32 flags_of(const prep *c, u32 body) { return body < c->p->bodies.n ? c->body_flags[body] : 0; }

/* The flags of the frames that an instruction makes. mode_flags: by mode; the last one: of all rules. */
static u32 kid_flags(const prep *c, const gx_instr *in, const u32 *mode_flags)
{
    u32 f = 0;
    switch (in->op) {
    case GX_I_IF: case GX_I_FOR_EACH: case GX_I_CALL:
        return flags_of(c, in->a);
    case GX_I_CHOOSE:
        for (u32 i = 0; i < in->b; i++)
            f |= flags_of(c, GX_PROG_TAB(c->p, gx_branch, branches)[in->a + i].body);
        return f;
    case GX_I_APPLY:
        return in->a < c->p->modes.n ? mode_flags[in->a] : 0;
    case GX_I_APPLY_IMPORTS:
        return mode_flags[c->p->modes.n];
    }
    return 0;
}

/* The flags of the content of the global variable that an expression is, 0: it is none. */
static u32 copied_flags(const prep *c, u32 expr)
{
    const gx_expr *x = GX_PROG_TAB(c->p, gx_expr, exprs) + expr;
    const gx_op *op = GX_PROG_TAB(c->p, gx_op, ops) + x->first;
    if (x->n != 1 || op->op != GX_X_GLOBAL)
        return 0;
    return flags_of(c, GX_PROG_TAB(c->p, gx_global, globals)[op->b].body);
}

/* What a body may write at its top, as far as it is known of the bodies that it calls: flags only grow, so rounds
 * over all bodies end (analyse). */
static u32 body_now(const prep *c, const gx_body *b, const u32 *mode_flags)
{
    u32 f = 0, depth = 0;
    for (u32 pc = b->first; pc < b->first + b->n; pc++) {
        const gx_instr *in = &c->instrs[pc];
        u32 kids = kid_flags(c, in, mode_flags);
        switch (in->op) {
        case GX_I_MESSAGE:
            f |= GX_PB_MESSAGE;
            depth++;
            break;
        case GX_I_ERROR:                        /* to be met in the content of a variable, too, of which only the string
                                                   is used */
            f |= GX_PB_MESSAGE;
            break;
        case GX_I_ATTR: case GX_I_ATTR_DYN:
            if (!depth)
                f |= GX_PB_ATTR;
            depth++;
            break;
        case GX_I_ELEM: case GX_I_ELEM_DYN: case GX_I_COMMENT: case GX_I_PI:
            depth++;
            break;
        case GX_I_COPY_OF:
            f |= copied_flags(c, in->expr) & GX_PB_MESSAGE;
            /* fall through */
        case GX_I_COPY:                         /* of the root: its content is at the top, too */
            if (!depth)
                f |= GX_PB_COPY;
            break;
        case GX_I_END:
            if (depth && c->instrs[in->a].op != GX_I_COPY)
                depth--;
            break;
        case GX_I_VAR: case GX_I_PARAM:
            if (in->expr == GX_NONE)
                f |= flags_of(c, in->a) & GX_PB_MESSAGE;
            break;
        }
        f |= depth ? kids & GX_PB_MESSAGE : kids;
    }
    return f;
}

#define ROUNDS 100u /* calls in an order that takes more are nobody's stylesheet: then anything may be in any body */

/* To the fixpoint; leaves mode_flags for the second pass. */
static void analyse(prep *c, u32 *mode_flags)
{
    const gx_program *p = c->p;
    const gx_body *bodies = GX_PROG_TAB(p, gx_body, bodies);
    const gx_mode *modes = GX_PROG_TAB(p, gx_mode, modes);
    const gx_rule *rules = GX_PROG_TAB(p, gx_rule, rules);
    int changed = 1;
    for (u32 round = 0; changed; round++) {     /* flags only come, and each round adds one or is the last */
        changed = 0;
        for (u32 i = 0; round == ROUNDS && i < p->bodies.n; i++)
            c->body_flags[i] = GX_PB_ATTR | GX_PB_COPY | GX_PB_MESSAGE;
        for (u32 i = 0; i < p->modes.n; i++) {
            mode_flags[i] |= flags_of(c, modes[i].builtin);
            mode_flags[p->modes.n] |= mode_flags[i];
        }
        for (u32 i = 0; i < p->rules.n; i++)
            if (rules[i].mode < p->modes.n)
                mode_flags[rules[i].mode] |= flags_of(c, rules[i].body);
        for (u32 i = p->bodies.n; i-- > 0; ) {
            u32 f = c->body_flags[i] | body_now(c, &bodies[i], mode_flags);
            changed |= f != c->body_flags[i];
            c->body_flags[i] = f;
        }
    }
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static const gx_qname *qname(const prep *c, u32 i) { return &GX_PROG_TAB(c->p, gx_qname, qnames)[i]; }

/* Does the name need nothing beyond the list, with no other default namespace than the list's in scope? (the builder
 * interned all literals) */
static int in_list(const prep *c, const gx_qname *q, u32 list, int is_attr)
{
    u32 prefix = GX_LIT(c->p, q->prefix).len, uri = GX_LIT(c->p, q->uri).len;
    if (is_attr && !uri)
        return !prefix;
    if (is_attr && !prefix)
        return 0;
    if (!uri && prefix)
        return 0;
    if (list < c->p->nslists.n) {
        const gx_nslist *l = &GX_PROG_TAB(c->p, gx_nslist, nslists)[list];
        for (u32 i = 0; i < l->n; i++) {
            const gx_nsdecl *d = &GX_PROG_TAB(c->p, gx_nsdecl, nsdecls)[l->first + i];
            if (d->prefix == q->prefix)
                return d->uri == q->uri;
        }
    }
    return !uri && !prefix;
}

static int has_default(const prep *c, u32 list)
{
    const gx_nslist *l = &GX_PROG_TAB(c->p, gx_nslist, nslists)[list];
    for (u32 i = 0; i < l->n; i++)
        if (!GX_LIT(c->p, GX_PROG_TAB(c->p, gx_nsdecl, nsdecls)[l->first + i].prefix).len)
            return 1;
    return 0;
}

static void put_qname(prep *c, const gx_qname *q)
{
    gx_lit prefix = GX_LIT(c->p, q->prefix), local = GX_LIT(c->p, q->local);
    if (prefix.len) {
        gx_put(&c->bytes, (const char *)c->p + prefix.off, prefix.len);
        gx_putc(&c->bytes, ':');
    }
    gx_put(&c->bytes, (const char *)c->p + local.off, local.len);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

#define MANY_ATTRIBUTES 256u            /* are too many to compare each with all */

/* May an attribute's value consist of this? */
static int is_value_part(const prep *c, const gx_instr *in)
{
    switch (in->op) {
    case GX_I_TEXT: case GX_I_VALUE: case GX_I_NUMBER:
        return 1;
    case GX_I_VAR: case GX_I_PARAM: case GX_I_IF: case GX_I_CHOOSE: case GX_I_FOR_EACH: case GX_I_APPLY:
    case GX_I_APPLY_IMPORTS: case GX_I_CALL:
        return c->page;
    }
    return 0;
}

/* Literal text that ends with '&', which html leaves as it is before a '{': its pages are left to the serialiser */
static int may_be_macro(const prep *c, const gx_instr *in)
{
    const u32 n = in->op == GX_I_TEXT ? GX_LIT(c->p, in->a).len : 0;
    return n && c->method == GX_METHOD_HTML && GX_LIT_AT(c->p, in->a)[n - 1] == '&';
}

/* The pc after the element's first attributes; *simple: each is unlike the others; in a page also: made of text, values
 * and child frames only, of which no boolean one of html. */
static u32 after_attributes(const prep *c, u32 pc, u32 list, int *simple)
{
    const gx_instr *elem = &c->instrs[pc];
    u32 at = pc + 1, n = 0, html = c->elem_flags[elem->a] & GX_E_HTML;
    *simple = 1;
    while (at < elem->c && c->instrs[at].op == GX_I_ATTR) {
        const gx_instr *a = &c->instrs[at];
        const gx_qname *q = qname(c, a->a);
        const int boolean = html && gx_html_boolean(GX_LIT_AT(c->p, q->local), GX_LIT(c->p, q->local).len);
        *simple = *simple && in_list(c, q, list, 1) && ++n <= MANY_ATTRIBUTES;
        for (u32 i = at + 1; c->page && i < a->c && *simple; i++)
            *simple = boolean ? c->instrs[i].op == GX_I_TEXT
                : is_value_part(c, &c->instrs[i]) && !(i + 1 < a->c && may_be_macro(c, &c->instrs[i]));
        for (u32 i = pc + 1; i < at && *simple; i = c->instrs[i].c + 1) {
            const gx_qname *other = qname(c, c->instrs[i].a);
            *simple = !(other->local == q->local && other->uri == q->uri);
        }
        at = a->c + 1;
    }
    return at;
}

/* May something between here and the first sure child add an attribute to the open tag? (A page that copies one is
 * refused when that is known.) */
static int attributes_may_come(const prep *c, u32 pc, const u32 *mode_flags)
{
    for (;; pc++) {
        const gx_instr *in = &c->instrs[pc];
        switch (in->op) {
        case GX_I_END: case GX_I_ELEM: case GX_I_ELEM_DYN: case GX_I_COMMENT: case GX_I_PI:
            return 0;
        case GX_I_TEXT:
            if (GX_LIT(c->p, in->a).len)
                return 0;
            break;
        case GX_I_ATTR: case GX_I_ATTR_DYN: case GX_I_COPY:
            return 1;
        case GX_I_COPY_OF:
            if (!c->page)
                return 1;
            break;
        case GX_I_MESSAGE:
            pc = in->c;
            break;
        default:
            if (kid_flags(c, in, mode_flags) & (c->page ? GX_PB_ATTR : GX_PB_ATTR | GX_PB_COPY))
                return 1;
        }
    }
}

/* Does the element have attributes of its own that may need a namespace declared, even another one for a prefix in
 * scope? */
static int declares(const prep *c, u32 pc, u32 list)
{
    u32 stop = c->instrs[pc].c;
    for (pc++; pc < stop; pc++) {
        const gx_instr *in = &c->instrs[pc];
        if ((in->op == GX_I_ATTR && !in_list(c, qname(c, in->a), list, 1))
            || (in->op == GX_I_ATTR_DYN && in->a != GX_NONE))
            return 1;
        if (in->op == GX_I_ATTR || in->op == GX_I_ATTR_DYN || in->op == GX_I_MESSAGE)
            pc = in->c;
        else if (in->op == GX_I_ELEM || in->op == GX_I_ELEM_DYN || in->op == GX_I_COMMENT || in->op == GX_I_PI)
            return 0;
    }
    return 0;
}

/* Is there nothing but text from pc to stop? */
static int is_leaf(const prep *c, u32 pc, u32 stop)
{
    while (pc < stop
           && (c->instrs[pc].op == GX_I_TEXT || c->instrs[pc].op == GX_I_VALUE || c->instrs[pc].op == GX_I_NUMBER))
        pc++;
    return pc == stop;
}

/* Is the attribute's value, which begins at pc, literal text alone? */
static int is_literal(const prep *c, const gx_instr *a, u32 pc)
{
    while (pc < a->c && c->instrs[pc].op == GX_I_TEXT)
        pc++;
    return pc == a->c;
}

/* An attribute of a start tag: bytes for what is literal, an operator for each value. Where anything else makes the
 * value (child frames, messages), or decides whether there is one (html: a boolean attribute that is named as it is
 * valued is written by its name alone), the value is collected as events first; but not in a page. URIs of html are
 * escaped. */
static void put_attribute(prep *c, const gx_instr *a, u32 pc, u32 element)
{
    const gx_qname *q = qname(c, a->a);
    gx_lit local = GX_LIT(c->p, q->local);
    const char *name = (const char *)c->p + local.off;
    u32 where = !(element & GX_E_HTML) || GX_LIT(c->p, q->uri).len ? GX_ESC_ATTR
              : gx_html_uri(element, name, local.len) ? GX_ESC_HTML_URI : GX_ESC_HTML_ATTR;
    const int boolean = where != GX_ESC_ATTR && gx_html_boolean(name, local.len);
    gx_putc(&c->bytes, ' ');
    put_qname(c, q);
    if (!c->page && !(boolean ? is_literal(c, a, pc + 1) : is_leaf(c, pc + 1, a->c))) {
        const u32 last = c->last;
        c->last = GX_LAST_OTHER;
        op(c, GX_SO_VALUE, pc + 1);
        word(c, a->c);
        op(c, GX_SO_VALUE_END, where);
        word(c, boolean ? a->a : GX_NONE);
        c->last = last;
        return;
    }
    if (boolean) {                              /* its value is all text: after_attributes() saw to it in a page */
        u32 len = 0;
        int same = 1;
        for (u32 i = pc + 1; i < a->c; i++) {
            gx_lit t = GX_LIT(c->p, c->instrs[i].a);
            same = same && len + t.len <= local.len && !strncasecmp((const char *)c->p + t.off, name + len, t.len);
            len += t.len;
        }
        if (!len || (same && len == local.len))
            return;
    }
    GX_PUTS(&c->bytes, "=\"");
    for (u32 i = pc + 1; i < a->c; i++) {
        const gx_instr *in = &c->instrs[i];
        if (in->op == GX_I_TEXT)
            gx_writer_escape(&c->bytes, GX_LIT_AT(c->p, in->a), GX_LIT(c->p, in->a).len, (int)where);
        else if (in->op != GX_I_VAR && in->op != GX_I_PARAM) {
            const int is_value = in->op == GX_I_VALUE || in->op == GX_I_NUMBER;
            u32 last = c->last;
            c->last = GX_LAST_OTHER;            /* inside a tag: the run's end says nothing about lines */
            op(c, is_value ? GX_SO_ATTR : GX_SO_ATTR_KIDS, is_value ? in->slot : i);
            word(c, where);
            c->last = last;
        }
    }
    gx_putc(&c->bytes, '"');
}

/* ---- elements of pages ------------------------------------------------------------------------------------------- */

/* A meta element that says what we have said ourselves in its head is not written. 1: this one is; 0: it is not; -1:
 * nobody knows. */
static int keeps_meta(const prep *c, u32 pc)
{
    const gx_instr *elem = &c->instrs[pc];
    for (u32 at = pc + 1; at < elem->c && c->instrs[at].op == GX_I_ATTR; at = c->instrs[at].c + 1) {
        const gx_qname *q = qname(c, c->instrs[at].a);
        const gx_instr *text = &c->instrs[at + 1];
        if (!gx_ascii_equal(GX_LIT_AT(c->p, q->local), GX_LIT(c->p, q->local).len, "http-equiv"))
            continue;
        if (c->instrs[at].c != at + 2 || text->op != GX_I_TEXT)
            return -1;
        if (!gx_ascii_equal(GX_LIT_AT(c->p, text->a), GX_LIT(c->p, text->a).len, "content-type"))
            return 1;
        return c->open == GX_NONE ? -1 : !(c->elem_flags[c->instrs[c->open].a] & GX_E_HEAD);
    }
    return 1;
}

/* Is all that stands inside literal text, which needs no care in an element whose text is not escaped? */
static int is_raw_leaf(const prep *c, u32 pc, u32 stop)
{
    for (; pc < stop; pc++) {
        const gx_instr *in = &c->instrs[pc];
        if (in->op != GX_I_TEXT)
            return 0;
        const char *s = GX_LIT_AT(c->p, in->a);
        for (u32 i = 0, n = GX_LIT(c->p, in->a).len; i < n; i++)
            if (s[i] == '<')
                return 0;
    }
    return 1;
}

/* Events into a buffer, for a page's first bytes. 0: no memory. */
static int open_events(const prep *c, gx_out *o)
{
    if (gx_out_open(o, c->p, NULL, NULL, 0) != GX_OK)
        return 0;
    o->encoding = c->spec->encoding != GX_NONE ? GX_LIT_AT(c->p, c->spec->encoding) : "UTF-8";
    o->encoding_len = (u32)strlen(o->encoding);
    gx_out_begin(o, c->spec);
    return 1;
}

/* What events make of the document element's start tag, or of a head's, without attributes: the bytes before its '>',
 * or behind it too. */
static void by_events(prep *c, const gx_qname *q, u32 list, int is_head)
{
    static const gx_outname html = { "", "html", "", 0, 4, 0 };
    const gx_outname name = { GX_LIT_AT(c->p, q->prefix), GX_LIT_AT(c->p, q->local), GX_LIT_AT(c->p, q->uri),
                              GX_LIT(c->p, q->prefix).len, GX_LIT(c->p, q->local).len, GX_LIT(c->p, q->uri).len };
    gx_out o;
    u32 from = 0;
    if (!open_events(c, &o)) {
        c->failed = 1;
        return;
    }
    if (is_head) {
        gx_out_start(&o, &html, GX_E_UNKNOWN);
        gx_out_close_tag(&o);
        o.last = GX_LAST_OTHER;
        from = (u32)(o.w.at - o.w.buf);
    }
    gx_out_start(&o, &name, GX_E_UNKNOWN);
    gx_out_nslist(&o, list);
    gx_out_close_tag(&o);
    if (o.status == GX_OK && o.w.status == GX_OK)
        gx_put(&c->bytes, o.w.buf + from, (size_t)(o.w.at - o.w.buf) - from - !is_head);
    else
        c->failed = 1;
    gx_out_close(&o);
}

/*
 * The element at pc, for pages: returns the pc to go on at. A page is written by a team from code alone, so an element
 * is bytes, whole, or nothing is: what cannot be known now makes the element a GEN, at which a page is refused, and
 * before the document element the code unfit.
 *
 * Known must be: its namespaces (the list in scope, nothing declared), its attributes (values of text, values and child
 * frames), that no others can come, whether its text is escaped, whether a meta element is kept, and, where the method
 * depends on the document element, that it is the one guessed. The document element's start tag and a head's are made
 * by output.c itself (by_events), with all that stands before or behind them. O(instructions of its attributes and up
 * to its first child).
 */
static u32 page_element(prep *c, u32 pc, const u32 *mode_flags)
{
    const gx_instr *in = &c->instrs[pc];
    const gx_qname *q = qname(c, in->a);
    const u32 flags = c->elem_flags[in->a], list = in->b, html = flags & GX_E_HTML;
    int fit;
    const u32 content = after_attributes(c, pc, list, &fit);
    const int leaf = is_leaf(c, content, in->c), meta = flags & GX_E_META ? keeps_meta(c, pc) : 1;
    /* their content is written in another way, unless it is so simple. (GX_E_TEXT alone is about comments.) */
    const u32 special = flags & GX_E_DYNAMIC & ~(u32)GX_E_TEXT;
    const int is_html = !GX_LIT(c->p, q->uri).len
        && gx_ascii_equal(GX_LIT_AT(c->p, q->local), GX_LIT(c->p, q->local).len, "html");
    const int raw = special & GX_E_RAW && is_raw_leaf(c, content, in->c);
    if (meta == 0)
        return in->c + 1;
    if (!fit || meta < 0 || list >= c->p->nslists.n || !in_list(c, q, list, 0) || declares(c, pc, list)
        || (special & GX_E_RAW ? !raw : special & GX_E_CDATA || (special && !leaf))
        || (c->list != GX_NONE && list != c->list) || (flags & GX_E_VOID && content != in->c)
        || (c->method == GX_METHOD_HTML && !html) || attributes_may_come(c, content, mode_flags)
        || (flags & GX_E_HEAD && content != pc + 1) || (c->before && flags & (GX_E_HEAD | GX_E_META))
        || (c->before && c->spec->method == GX_METHOD_UNSET && is_html != (c->method == GX_METHOD_HTML))) {
        c->unfit |= c->before;
        gen(c, pc, in->c + 1);
        return in->c + 1;
    }
    if (c->list == GX_NONE)
        c->list = c->settled = list;
    c->outer[pc] = c->list;
    block_tag(c, flags);
    if (c->before)
        c->root_end = in->c;
    if (c->before || flags & GX_E_HEAD)
        by_events(c, q, list, !c->before);
    else {
        gx_putc(&c->bytes, '<');
        put_qname(c, q);
    }
    c->before = 0;
    c->last = flags & GX_E_INLINE ? GX_LAST_OTHER : GX_LAST_BLOCK;
    for (u32 i = pc + 1; i < content; i = c->instrs[i].c + 1)
        put_attribute(c, &c->instrs[i], i, flags);
    c->mode[pc] = M_BYTES;
    c->up[pc] = c->open;
    c->open = pc;
    if (flags & GX_E_HEAD) {            /* behind it stands a meta element */
        c->tag_end = n_bytes(c);
        return content;
    }
    if (content == in->c && (html ? flags & GX_E_VOID : !(flags & GX_E_PAIR))) {
        html ? GX_PUTS(&c->bytes, ">") : GX_PUTS(&c->bytes, "/>");
        c->mode[pc] = M_EMPTY;
        return content;
    }
    gx_putc(&c->bytes, '>');
    c->tag_end = n_bytes(c);
    for (u32 i = content; raw && i < in->c; i++) {
        gx_put(&c->bytes, GX_LIT_AT(c->p, c->instrs[i].a), GX_LIT(c->p, c->instrs[i].a).len);
        c->last = GX_LIT(c->p, c->instrs[i].a).len ? GX_LAST_OTHER : c->last;
    }
    return raw ? in->c : content;
}

/*
 * The element at pc: returns the pc to go on at. Three ways, the best that is sure (c->mode):
 *
 *   M_BYTES, M_EMPTY   start tag and attributes are bytes, with operators for values in between
 *   M_EVENTS           the start tag goes by events, its content is code again: other namespaces, attributes that come
 *                      from elsewhere
 *   none               the whole element goes by events: script, cdata sections, meta, declarations
 *
 * O(instructions of its attributes and up to its first child).
 */
static u32 element(prep *c, u32 pc, const u32 *mode_flags)
{
    const gx_instr *in = &c->instrs[pc];
    const gx_qname *q = qname(c, in->a);
    u32 flags = c->elem_flags[in->a], list = in->b, html = flags & GX_E_HTML;
    int simple;
    u32 content = after_attributes(c, pc, list, &simple);
    const int leaf = is_leaf(c, content, in->c);        /* GX_E_TEXT alone is about comments */
    const u32 special = flags & (GX_E_DYNAMIC | GX_E_META) & ~(leaf ? (u32)GX_E_TEXT : 0u);
    const int whole = special || list >= c->p->nslists.n || !in_list(c, q, list, 0) || declares(c, pc, list)
        || (list != c->list && c->list != GX_NONE && GX_LIT(c->p, q->prefix).len && !has_default(c, list));
    c->late |= !simple || attributes_may_come(c, content, mode_flags) || (whole && !leaf);
    /* whole as events: also a prefixed element that leaves an inherited default namespace as it is, which is not known
     * here */
    if (whole) {
        gen(c, pc, in->c + 1);
        return in->c + 1;
    }
    if (c->list == GX_NONE)
        c->list = c->settled = list;
    c->outer[pc] = c->list;
    if (list != c->list || !simple || flags & GX_E_HEAD || (flags & GX_E_VOID && content != in->c) ||
        (c->method == GX_METHOD_HTML && !html) || attributes_may_come(c, content, mode_flags)) {
        c->mode[pc] = M_EVENTS;
        c->list = list;
        gen(c, pc, content);
        return content;
    }
    block_tag(c, flags);
    if (leaf)
        c->leaf = in->c;
    tag(c, c->leaf == in->c ? GX_SO_CHILD : GX_SO_CHILD | GX_SO_DEEPER);
    gx_putc(&c->bytes, '<');
    put_qname(c, q);
    c->last = flags & GX_E_INLINE ? GX_LAST_OTHER : GX_LAST_BLOCK;
    for (u32 i = pc + 1; i < content; i = c->instrs[i].c + 1)
        put_attribute(c, &c->instrs[i], i, flags);
    c->mode[pc] = M_BYTES;
    if (content == in->c && (html ? flags & GX_E_VOID : !(flags & GX_E_PAIR))) {
        html ? GX_PUTS(&c->bytes, ">") : GX_PUTS(&c->bytes, "/>");
        c->mode[pc] = M_EMPTY;
    }
    else {
        gx_putc(&c->bytes, '>');
        c->tag_end = n_bytes(c);
    }
    return content;
}

/* The end of an element that began as bytes, or by events. An element that turns out empty gets "/>" in the place of
 * its start tag's ">". */
static void element_end(prep *c, u32 pc)
{
    u32 start = c->instrs[pc].a;
    const gx_instr *in = &c->instrs[start];
    u32 flags = c->elem_flags[in->a];
    if (c->page)
        c->open = c->up[start];
    if (c->mode[start] == M_EVENTS) {
        gen(c, pc, pc + 1);
        c->list = c->outer[start];
    }
    else if (c->mode[start] == M_BYTES) {
        if (n_bytes(c) == c->run || n_bytes(c) != c->tag_end)
            block_tag(c, flags);                /* not between the tags of an empty element */
        tag(c, c->leaf == pc ? 0 : GX_SO_UP);
        if (n_bytes(c) == c->run)               /* of html only the line break is asked for */
            c->first |= flags & GX_E_PAIR || (c->method == GX_METHOD_HTML && !c->first) ? 0 : GX_SO_CLOSES;
        /* what is inside writes nothing: xsl:variable */
        else if (!(flags & (GX_E_HTML | GX_E_PAIR)) && n_bytes(c) == c->tag_end) {
            c->bytes.at[-1] = '/';
            gx_putc(&c->bytes, '>');
            return;
        }
        GX_PUTS(&c->bytes, "</");
        put_qname(c, qname(c, in->a));
        gx_putc(&c->bytes, '>');
        c->last = flags & GX_E_INLINE ? GX_LAST_OTHER : GX_LAST_BLOCK;
    }
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

/* Is the instruction at pc all that the body writes, and may it make the document element? */
static int passes_on(const prep *c, u32 pc, u32 stop)
{
    const gx_instr *in = &c->instrs[pc];
    if (in->op == GX_I_TEXT || in->op == GX_I_VALUE || in->op == GX_I_NUMBER
        || !(is_value_part(c, in) || in->op == GX_I_COPY_OF))
        return 0;
    while (++pc < stop && (c->instrs[pc].op == GX_I_VAR || c->instrs[pc].op == GX_I_PARAM))
        ;
    return pc == stop;
}

/* Code for the instructions pc .. stop - 1, one after the other. What bytes and operators cannot say becomes GEN,
 * which sends the serialiser to the instructions for as long as that lasts. */
static void code(prep *c, u32 pc, u32 stop, const u32 *mode_flags)
{
    int text = c->method == GX_METHOD_TEXT;
    while (pc < stop && !c->failed && !c->unfit) {
        const gx_instr *in = &c->instrs[pc];
        /* what comes before the document element, or may make it */
        if (c->before && in->op != GX_I_ELEM && in->op != GX_I_VAR && in->op != GX_I_PARAM && !passes_on(c, pc, stop))
            c->unfit = 1;
        /* .. or behind it, where its namespaces are not in scope any more */
        if (c->page && pc > c->root_end && in->op != GX_I_VAR && in->op != GX_I_PARAM)
            c->unfit = 1;
        if (c->page && in->op == GX_I_COPY_OF) {
            op(c, GX_SO_COPIES, in->slot);
            pc++;
            continue;
        }
        if (c->indented && pc >= c->leaf && (in->op == GX_I_TEXT || in->op == GX_I_VALUE || in->op == GX_I_NUMBER)) {
            gen(c, pc, pc + 1);
            pc++;
            continue;
        }
        switch ((gx_iop)in->op) {
        case GX_I_TEXT:
            if (text || in->flags & GX_IF_DOE)
                gx_put(&c->bytes, GX_LIT_AT(c->p, in->a), GX_LIT(c->p, in->a).len);
            else
                gx_writer_escape(&c->bytes, GX_LIT_AT(c->p, in->a), GX_LIT(c->p, in->a).len, GX_ESC_TEXT);
            if (GX_LIT(c->p, in->a).len)
                c->last = GX_LAST_OTHER;
            pc++;
            break;
        case GX_I_VALUE: case GX_I_NUMBER:
            op(c, text || in->flags & GX_IF_DOE ? GX_SO_RAW : GX_SO_TEXT, in->slot);
            pc++;
            break;
        case GX_I_ELEM:
            pc = text ? pc + 1 : c->page ? page_element(c, pc, mode_flags) : element(c, pc, mode_flags);
            break;
        case GX_I_END:
            if (!text)
                element_end(c, pc);
            pc++;
            break;
        case GX_I_IF: case GX_I_CHOOSE: case GX_I_FOR_EACH: case GX_I_APPLY: case GX_I_APPLY_IMPORTS: case GX_I_CALL:
            op(c, GX_SO_KIDS, pc);
            pc++;
            break;
        case GX_I_VAR: case GX_I_PARAM:
            if (in->expr == GX_NONE && flags_of(c, in->a) & GX_PB_MESSAGE)
                gen(c, pc, pc + 1);
            pc++;
            break;
        case GX_I_ATTR:
        case GX_I_ATTR_DYN:
        case GX_I_COMMENT:
        case GX_I_PI:
        case GX_I_ELEM_DYN:
        case GX_I_COPY:
        case GX_I_MESSAGE:
            c->late = 1;
            gen(c, pc, in->c + 1);
            pc = in->c + 1;
            break;
        default:
            gen(c, pc, pc + 1);
            pc++;
        }
    }
    end_run(c);
}

/* Code for pc .. stop-1, entered at pc; then `final`. list: in scope there, GX_NONE = to be settled by the first
 * element. */
static void entry(prep *c, u32 pc, u32 stop, u32 list, u32 final, const u32 *mode_flags)
{
    u32 start = c->n_words;
    c->list = c->settled = list;
    c->useful = c->last_gen = c->leaf = c->late = 0;
    c->run = n_bytes(c);
    c->first = 0;
    c->last = LAST_UNKNOWN;
    word(c, GX_NONE);
    code(c, pc, stop, mode_flags);
    word(c, final);
    if (final == GX_SO_GOTO)
        word(c, stop);
    if (c->failed)
        return;
    if (!c->useful) {
        c->n_words = start;
        return;
    }
    c->words[start] = c->settled;
    c->entry[pc] = start;
    c->closes[pc] = !c->late && c->instrs[pc].op == GX_I_ELEM;
}

/* An entry for each body, and one for the content of each element that may have to be started by events: code goes on
 * there. */
static void bodies(prep *c, const u32 *mode_flags)
{
    const gx_body *b = GX_PROG_TAB(c->p, gx_body, bodies);
    for (u32 i = 0; i < c->p->bodies.n; i++, b++) {
        if (!b->n)
            continue;
        entry(c, b->first, b->first + b->n, GX_NONE, GX_SO_END, mode_flags);
        if (c->method == GX_METHOD_TEXT)
            continue;
        for (u32 pc = b->first; pc < b->first + b->n; pc++) {
            const gx_instr *in = &c->instrs[pc];
            int simple;
            if (in->op == GX_I_ELEM && in->b < c->p->nslists.n && !(c->elem_flags[in->a] & (GX_E_DYNAMIC | GX_E_META))
                && in_list(c, qname(c, in->a), in->b, 0)) {
                u32 content = after_attributes(c, pc, in->b, &simple);
                if (content < in->c)
                    entry(c, content, in->c, in->b, GX_SO_GOTO, mode_flags);
            }
            if (in->op == GX_I_ELEM || in->op == GX_I_ELEM_DYN || in->op == GX_I_ATTR || in->op == GX_I_ATTR_DYN
                || in->op == GX_I_COMMENT || in->op == GX_I_PI || in->op == GX_I_COPY || in->op == GX_I_MESSAGE)
                pc = in->c;
        }
    }
}

/* Code for pages, of each body twice: as a part of the page, and (`before`) as what makes the document element. Entries
 * that turn out unfit are taken back. Indented xml is not for pages. O(instructions). */
static void pages(prep *c, const u32 *mode_flags)
{
    const gx_body *b = GX_PROG_TAB(c->p, gx_body, bodies);
    c->page = 1;
    for (u32 i = 0; i < 2 * c->p->bodies.n && !c->failed; i++) {
        const gx_body *body = &b[i / 2];
        const u32 start = c->n_words;
        c->before = i % 2;
        c->unfit = 0;
        c->root_end = c->open = GX_NONE;
        if (c->method == GX_METHOD_TEXT && c->before)
            continue;
        c->list = c->settled = GX_NONE;
        c->useful = c->last_gen = c->leaf = 0;
        c->run = n_bytes(c);
        c->first = c->tag_end = 0;
        c->last = LAST_UNKNOWN;
        word(c, GX_NONE);
        code(c, body->first, body->first + body->n, mode_flags);
        word(c, GX_SO_END);
        if (c->unfit)
            c->n_words = start;
        else if (!c->failed) {
            c->words[start] = c->settled;
            c->page_entry[i] = start;
        }
    }
    c->page = c->before = 0;
}

/* Which pages a team may write (page_team.h): those whose bytes follow from the frames alone. */
static u32 page_flags(const prep *c)
{
    const gx_output *s = c->spec;
    const int is_xml = c->method == GX_METHOD_XML;
    u32 n;
    const char *type = s->media_type != GX_NONE ? GX_LIT_AT(c->p, s->media_type) : "";
    n = (u32)strlen(type);
    if (c->indented)
        return 0;
    return GX_PP_PAGE | (s->method == GX_METHOD_UNSET ? GX_PP_BY_NAME : 0)
        | (is_xml && !c->xhtml && s->doctype_system == GX_NONE && !s->n_cdata
                   && !(n >= 9 && gx_ascii_equal(type, 9, "text/html"))
               ? GX_PP_COPY
               : 0)
        | (c->method != GX_METHOD_TEXT && s->indent != 0 ? GX_PP_LINE : 0);
}

/* What stands before a document element that is a copy: the XML declaration */
static void copy_head(prep *c)
{
    static const gx_outname name = { "", "a", "", 0, 1, 0 };
    gx_out o;
    if (c->method != GX_METHOD_XML)
        return;
    if (!open_events(c, &o)) {
        c->failed = 1;
        return;
    }
    gx_out_start(&o, &name, GX_E_UNKNOWN);
    c->head = n_bytes(c);
    c->head_len = (u32)(o.w.at - o.w.buf);
    gx_put(&c->bytes, o.w.buf, c->head_len);
    c->failed |= o.w.status != GX_OK;
    gx_out_close(&o);
}

/* What html and cdata-section-elements make of an element of this name (GX_E_*), for the method that is guessed. */
static u32 element_flags(const prep *c, const gx_qname *q)
{
    u32 flags = gx_html_element(c->method, c->xhtml, GX_LIT_AT(c->p, q->uri), GX_LIT(c->p, q->uri).len,
                                GX_LIT_AT(c->p, q->local), GX_LIT(c->p, q->local).len);
    if (!(flags & GX_E_HTML))
        for (u32 i = 0; i < c->spec->n_cdata; i++) {
            const gx_qname *d = qname(c, GX_PROG_TAB(c->p, u32, cdata)[c->spec->cdata + i]);
            if (d->local == q->local && d->uri == q->uri)
                flags |= GX_E_CDATA;
        }
    return flags;
}

static u32 attribute_flags(const prep *c, const gx_qname *q)
{
    const char *name = GX_LIT_AT(c->p, q->local);
    const u32 n = GX_LIT(c->p, q->local).len;
    return (gx_html_boolean(name, n) ? GX_A_BOOLEAN : 0) | (gx_html_uri(0, name, n) ? GX_A_URI : 0);
}

/* The method for which bytes are prepared: what xsl:output says, else what the first literal element makes likely. If
 * it comes out otherwise, the events write everything. */
static u8 guess_method(const prep *c)
{
    if (c->spec->method != GX_METHOD_UNSET)
        return c->spec->method;
    for (u32 i = 0; i < c->p->instrs.n; i++)
        if (c->instrs[i].op == GX_I_ELEM) {
            const gx_qname *q = qname(c, c->instrs[i].a);
            if (!GX_LIT(c->p, q->uri).len
                && gx_ascii_equal(GX_LIT_AT(c->p, q->local), GX_LIT(c->p, q->local).len, "html"))
                return GX_METHOD_HTML;
        }
    return GX_METHOD_XML;
}

/*
 * The block as prepared.h draws it, in one piece:
 *
 *     | head | entry, by instruction | flags, by name | flags, by body | pages, 2 by body | code, words | bytes, 64 |
 *
 * Entries become places in the block; 0: there is no code. *out is the caller's to free.
 */
static gx_status pack(prep *c, void **out, size_t *n)
{
    const gx_program *p = c->p;
    gx_prepared head = { 0 };
    u32 at = (u32)(sizeof head / 4), bytes_n = n_bytes(c);
    head.magic = GX_PREPARED_MAGIC;
    head.n_instrs = p->instrs.n;
    head.n_bodies = p->bodies.n;
    head.n_qnames = p->qnames.n;
    head.method = c->method;
    head.entry = at;
    head.elem_flags = at += p->instrs.n;
    head.body_flags = at += p->qnames.n;
    head.page = at += p->bodies.n;
    head.code = at += 2 * p->bodies.n;
    head.bytes = (at + c->n_words) * 4;
    head.page_flags = page_flags(c);
    head.head = c->head;
    head.head_len = c->head_len;
    head.size = head.bytes + bytes_n + GX_PREPARED_SLACK;
    head.ascii = 1;
    for (u32 i = 0; i < bytes_n; i++)
        head.ascii &= (u8)c->bytes.buf[i] < 0x80;
    head.messages = c->messages;
    char *block = malloc(head.size);
    if (!block)
        return GX_ENOMEM;
    u32 *words = (u32 *)(void *)block;
    memcpy(block, &head, sizeof head);
    for (u32 i = 0; i < p->instrs.n; i++)
        words[head.entry + i] = c->entry[i] ? (c->entry[i] + head.code) | (c->closes[i] ? GX_ENTRY_CLOSES : 0) : 0;
    for (u32 i = 0; i < p->qnames.n; i++)
        words[head.elem_flags + i] = c->elem_flags[i] | attribute_flags(c, qname(c, i));
    memcpy(words + head.body_flags, c->body_flags, p->bodies.n * 4);
    for (u32 i = 0; i < 2 * p->bodies.n; i++)
        words[head.page + i] = c->page_entry[i] ? c->page_entry[i] + head.code : 0;
    memcpy(words + head.code, c->words, c->n_words * 4);
    memcpy(block + head.bytes, c->bytes.buf, bytes_n);
    memset(block + head.bytes + bytes_n, 0, GX_PREPARED_SLACK);
    *out = block;
    *n = head.size;
    return GX_OK;
}

/* All of it, for the method that the output will most likely have. A stylesheet for which nothing can be prepared
 * gets no block, and is written by its instructions. Costs two passes over the program; fails with GX_ENOMEM alone. */
gx_status gx_serialize_prepare(const gx_program *p, void **out, size_t *n)
{
    prep c;
    gx_status status = GX_ENOMEM;
    *out = NULL;
    *n = 0;
    if (p->flags & GX_P_XPATH || !p->bodies.n || !p->instrs.n || !p->output.n)
        return GX_OK;
    memset(&c, 0, sizeof c);
    c.p = p;
    c.instrs = GX_PROG_TAB(p, gx_instr, instrs);
    c.spec = GX_PROG_TAB(p, gx_output, output);
    c.method = guess_method(&c);
    c.xhtml = (u8)gx_html_is_xhtml(p, c.spec);
    c.lines = c.method == GX_METHOD_HTML && c.spec->indent != 0;
    c.indented = c.method == GX_METHOD_XML && c.spec->indent == 1;
    c.entry = calloc(p->instrs.n, 4);
    c.outer = calloc(p->instrs.n, 4);
    c.up = calloc(p->instrs.n, 4);
    c.mode = calloc(p->instrs.n, 1);
    c.closes = calloc(p->instrs.n, 1);
    c.elem_flags = calloc(p->qnames.n + 1, 4);
    c.body_flags = calloc(p->bodies.n, 4);
    c.page_entry = calloc(p->bodies.n, 8);
    u32 *mode_flags = calloc(p->modes.n + 1, 4);
    if (c.entry && c.outer && c.up && c.mode && c.closes && c.elem_flags && c.body_flags && c.page_entry && mode_flags
        && gx_writer_open(&c.bytes, NULL, NULL, 0) == GX_OK) {
        word(&c, 0);                            /* so that no entry is word 0 */
        for (u32 i = 0; i < p->qnames.n; i++)
            c.elem_flags[i] = element_flags(&c, qname(&c, i));
        analyse(&c, mode_flags);
        for (u32 i = 0; i < p->bodies.n; i++)
            c.messages |= c.body_flags[i] & GX_PB_MESSAGE;
        bodies(&c, mode_flags);
        if (page_flags(&c) & GX_PP_PAGE) {
            pages(&c, mode_flags);
            copy_head(&c);
        }
        if (!c.failed && c.bytes.status == GX_OK)
            status = pack(&c, out, n);
        gx_writer_close(&c.bytes);
    }
    free(c.entry);
    free(c.outer);
    free(c.up);
    free(c.mode);
    free(c.closes);
    free(c.elem_flags);
    free(c.body_flags);
    free(c.page_entry);
    free(c.words);
    free(mode_flags);
    return status;
}
