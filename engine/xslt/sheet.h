/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sheet.h -- inside the stylesheet compiler
 *
 *   xslt/compile.c  gx_compile: the passes one after the other; globals, keys, attribute sets, rules
 *   xslt/link.c     rules to modes and dispatch tables; what is known only when every body is compiled
 *   xslt/declare.c  top-level declarations: names to tables
 *   xslt/body.c     templates' contents to instructions
 *   xslt/scope.c    what an expression sees where it stands
 *   xslt/module.c   files as documents: names, attributes, white space, the import tree
 *
 * Each file calls only those below it.
 *
 * A *module* is a file (or an element of one) that is a stylesheet. A *level* is a node of the import tree: a module
 * together with what it includes; its number in post-order is the import precedence. Declarations are listed by
 * ascending precedence and, within a level, in document order with included modules in the place of their xsl:include:
 * so "the last one wins" is XSLT's rule for everything that can be declared twice.
 */
#ifndef GX_SHEET_H
#define GX_SHEET_H

#include <string.h>
#include "program/builder.h"

#define GX_FUNC_URI "http://exslt.org/functions"

#define GX_SHEET_DEPTH 512u         /* element nesting in a stylesheet: the compiler recurses over it */
#define GX_SHEET_MODULES 1000u      /* imports and includes together; a module counts as often as it is named */
#define GX_SHEET_NODES \
    (1u << 20) /* of all modules, likewise: half a GB and a second or two to compile (DocBook to html: 93,000) */
#define GX_SHEET_SLOTS 65535u       /* gx_instr.slot is a u16 */
#define GX_SHEET_SCOPE \
    4096u /* variables that an instruction sees; parameters that it gives, each of which is compared with all */
#define GX_SHEET_COPIED (2u << 20)  /* namespaces in all different lists that literal result elements copy */
#define GX_SHEET_CDATA 1000u        /* cdata-section-elements: each element that is written is compared with them */
#define GX_SHEET_SLIPS 100u         /* slips that the caller gets to see; the others are counted */

/* The elements of the XSLT namespace, in the order of element_specs[] in xslt/module.c. */
typedef enum gx_xsl {
    GX_XSL_NONE = 0, /* not in the XSLT namespace */
    GX_XSL_UNKNOWN, /* in it, but not of XSLT 1.0 */
    GX_XSL_APPLY_IMPORTS,
    GX_XSL_APPLY_TEMPLATES,
    GX_XSL_ATTRIBUTE,
    GX_XSL_ATTRIBUTE_SET,
    GX_XSL_CALL_TEMPLATE,
    GX_XSL_CHOOSE,
    GX_XSL_COMMENT,
    GX_XSL_COPY,
    GX_XSL_COPY_OF,
    GX_XSL_DECIMAL_FORMAT,
    GX_XSL_ELEMENT,
    GX_XSL_FALLBACK,
    GX_XSL_FOR_EACH,
    GX_XSL_IF,
    GX_XSL_IMPORT,
    GX_XSL_INCLUDE,
    GX_XSL_KEY,
    GX_XSL_MESSAGE,
    GX_XSL_NAMESPACE_ALIAS,
    GX_XSL_NUMBER,
    GX_XSL_OTHERWISE,
    GX_XSL_OUTPUT,
    GX_XSL_PARAM,
    GX_XSL_PRESERVE_SPACE,
    GX_XSL_PI,
    GX_XSL_SORT,
    GX_XSL_STRIP_SPACE,
    GX_XSL_STYLESHEET,
    GX_XSL_TEMPLATE,
    GX_XSL_TEXT,
    GX_XSL_TRANSFORM,
    GX_XSL_VALUE_OF,
    GX_XSL_VARIABLE,
    GX_XSL_WHEN,
    GX_XSL_WITH_PARAM,
    GX_N_XSL
} gx_xsl;

/* A label of a module's document, as C strings. */
typedef struct gx_sheet_name {
    const char *uri, *local, *prefix;
    gx_xsl xsl;
} gx_sheet_name;

typedef struct gx_uris { const char *uri; u32 lit; const struct gx_uris *next; } gx_uris;       /* each URI once */

/* What an element of a stylesheet passes on to its content. */
typedef struct gx_within {
    u8 forwards;                /* 2.5: the version in force is not 1.0 */
    u8 preserve;                /* xml:space="preserve" */
    const gx_uris *excluded;    /* namespaces that literal result elements do not copy; extension namespaces are among
                                   them */
    const gx_uris *extension;
} gx_within;

/* A module: a document of the pool and the element in it that is the stylesheet. Columns as doc.h. */
typedef struct gx_module {
    const char *path;           /* absolute; the base URI too */
    const gx_doc *doc;
    const u32 *label, *parent, *next, *text_off, *text_len, *ns, *line, *column;
    const char *text, *values, *strs;
    const gx_sheet_name *names; /* by label id */
    const char *bytes;          /* of the file; or fetched, or given by who compiles */
    size_t n_bytes;
    int is_foreign;             /* no file: strangers may have written it */
    const char *charset;        /* of the transport, NULL */
    apr_hash_t *ns_lists;       /* (excluded, list) -> nslist index + 1 */
    apr_hash_t **prefixes;      /* by list, if it is long: prefix -> gx_ns_decl; NULL = not made yet */
    u32 top;                    /* xsl:stylesheet, or the literal result element of a simplified stylesheet */
    gx_within within;           /* of `top`'s content */
} gx_module;

typedef struct gx_declaration {
    gx_module *module;
    u32 node;
    u32 precedence, low;        /* of its level; low: the lowest precedence in the level's subtree of the import tree */
} gx_declaration;

/* Is it the literal result element that is a whole stylesheet (2.3)? */
static inline int gx_sheet_is_simplified(const gx_declaration *d) { return d->node == d->module->top; }

#define GX_SHEET_HEADS 256u

typedef struct gx_scoped {      /* a variable in scope within the template being compiled */
    const char *uri, *local;
    struct gx_body_state *body;
    u32 slot, instr;
    u32 head, outer;            /* of s->scoped; 1 + the one before it in that chain */
    u8 type;                    /* static gx_type */
    u8 is_param;
    u8 is_asked, is_used;       /* somebody was told its plan; some code refers to it, or may when it runs */
    const struct gx_plan *plan; /* of its value, if that may be planned once more in its place; else NULL */
    u8 as_string;               /* some reference is not the whole select of an xsl:copy-of, or that is in a variable's
                                   content */
} gx_scoped;

/* A body being compiled. Its instructions lie here until it is complete, as bodies nest but their ranges must not. */
typedef struct gx_body_state {
    struct gx_body_state *up;   /* lexical parent */
    u32 index, kind, where, template_name;
    gx_vec instrs;
    u32 n_slots, n_vars;
    u8 deps;                    /* GX_DEP_POSITION, GX_DEP_LAST of its own expressions */
    gx_vec text;                /* literal text not yet emitted: adjacent pieces become one GX_I_TEXT */
    u8 text_flags;
    u32 text_where;
} gx_body_state;

typedef struct gx_template {    /* one xsl:template, or the whole of a simplified stylesheet */
    gx_declaration at;
    u32 body;
    u32 name;                   /* qname or GX_NONE */
} gx_template;

typedef struct gx_user_function {       /* a func:function; its index is that of b->functions */
    gx_declaration at;
    u32 body, n_params;
} gx_user_function;

typedef struct gx_alias { const char *prefix, *uri; } gx_alias;
typedef struct gx_edge { u32 from, to; } gx_edge;

typedef struct gx_sheet {
    const struct gx_plan *planned;      /* of the expression that compile_expr compiled last */
    u32 elsewhere;              /* what is compiled is evaluated for other nodes than the body's frames': sort keys,
                                   patterns */
    gx_builder *b;
    apr_pool_t *pool;
    gx_error *err;
    const gx_compile_options *options;
    gx_parser *parser;
    apr_hash_t *documents;      /* path -> gx_module with top == GX_NONE */
    apr_hash_t *own;            /* path -> gx_module whose document the program is to bring along (gx_own_doc) */
    u32 n_modules;
    u64 n_bytes, n_nodes;       /* of all documents; the nodes as often as they are named */
    u32 n_levels;
    apr_hash_t *slips;          /* the lines of those that were told of */
    u32 n_slips;                /* different ones, told of or not */
    gx_vec declarations;        /* gx_declaration */
    /* names -> index + 1; keyed by "{uri}local" */
    apr_hash_t *modes, *globals, *named, *keys, *decimal_formats, *attribute_sets, *functions;
    apr_hash_t *aliases;        /* stylesheet URI -> gx_alias */
    apr_hash_t *uris;           /* lists of URIs made: (lit, next) -> gx_uris */
    gx_vec decls;               /* gx_nsdecl: the list being made */
    gx_vec is_marked;           /* u8 by lit: it is in `marked`, gx_sheet_has_lit's last list */
    const gx_uris *marked;
    gx_vec templates;           /* gx_template */
    gx_vec global_at;           /* gx_declaration by global index */
    gx_vec user_functions;      /* gx_user_function */
    int places;                 /* a function may ask for position() or last() of its call */
    u32 messages;               /* xsl:messages around the instruction being compiled */
    gx_vec set_bodies;          /* u32 by attribute set */
    gx_vec set_uses, global_uses, key_uses;     /* gx_edge: which attribute set, global, key refers to which */
    u32 compiling_global, compiling_set, compiling_key;     /* index or GX_NONE */
    u8 *unasked_keys;           /* by index: an xsl:key may not ask for it */
    u8 at_once;                 /* no error of the expression being compiled is for when it is reached */
    u8 enclosed;                /* libxslt reads the expression being compiled as the argument of a call */
    u8 copying;                 /* the expression being compiled is the select of an xsl:copy-of that is one variable */
    u32 node_select;            /* expr child::node() or GX_NONE; shared by all apply-templates without select */
    u32 element_test;           /* expr: the context node is an element; GX_NONE until needed */
    u32 copy_test;              /* expr: the context node is the root or an element; GX_NONE until needed */
    /* where an expression being compiled stands */
    gx_module *module;
    u32 node;
    gx_body_state *body;
    gx_vec scope;               /* gx_scoped, innermost last */
    u32 scoped[GX_SHEET_HEADS]; /* by a name's hash: 1 + the innermost in scope; 0 = none */
    const char *in_scope;       /* gx_xpath_env's, of this body; NULL = scope has changed */
    gx_body_state *in_scope_body;
} gx_sheet;

/* ---- xslt/module.c ---- */

/* Adds the documents of s->own to the packed program, which moves. */
gx_status gx_sheet_add_own(gx_sheet *s, gx_program **program);
/* Reads the stylesheet at path and everything it imports and includes into s->declarations, lowest precedence first. */
gx_status gx_sheet_load(gx_sheet *s, const char *path);

static inline const gx_sheet_name *gx_sheet_name_of(const gx_module *m, u32 node)
{
    return &m->names[GX_LABEL_ID(m->label[node])];
}
static inline u32 gx_sheet_kind(const gx_module *m, u32 node) { return GX_LABEL_KIND(m->label[node]); }
/* The first child of an element, which may be its end: children are `for (c = first(m, n); c < m->next[n]; c =
 * m->next[c])`. */
u32 gx_sheet_first(const gx_module *m, u32 node);
/* First attribute (expanded name) or GX_NONE; value of one; value by name or NULL (uri "" = none). Strings in
 * s->pool. */
u32 gx_sheet_attribute_node(const gx_module *m, u32 node, const char *uri, const char *local);
const char *gx_sheet_value(const gx_sheet *s, const gx_module *m, u32 attribute);
const char *gx_sheet_attribute(const gx_sheet *s, const gx_module *m, u32 node, const char *uri, const char *local);
const char *gx_sheet_prefix(const gx_sheet *s, const gx_module *m, u32 node);
/* A text node that is not white space alone. */
int gx_sheet_is_words(const gx_module *m, u32 node);
/* Bytes of the first character, 0 = none. */
size_t gx_sheet_first_character(const char *text);
/* The URI bound to a prefix at an element ("" = default namespace), NULL if there is none. */
const char *gx_sheet_uri(const gx_sheet *s, const gx_module *m, u32 node, const char *prefix);
/* A QName. With default_ns an unprefixed name takes the default namespace. Sets *uri ("" = none), *local, *prefix. */
gx_status gx_sheet_qname(gx_sheet *s, gx_module *m, u32 node, const char *text, const char *attribute, int default_ns,
                         const char **prefix, const char **uri, const char **local);
/* The same of a name that libxslt compares as it is: what is no QName is a slip, and a name in no namespace that
 * nothing else has; so is one with an undeclared prefix where prefix_too, else that is an error. */
gx_status gx_sheet_loose_name(gx_sheet *s, gx_module *m, u32 node, const char *text, const char *attribute,
                              int prefix_too, const char **uri, const char **local);
/* "{uri}local", the key of the name tables. */
const char *gx_sheet_key(const gx_sheet *s, const char *uri, const char *local);
/* Next white-space separated word of *list, or NULL. */
const char *gx_sheet_token(const gx_sheet *s, const char **list);
int gx_sheet_is_ncname(const char *text);
int gx_sheet_is_blank(const char *text);
/* What element `node` passes on, given what it was passed. */
gx_status gx_sheet_within(gx_sheet *s, gx_module *m, u32 node, gx_within *w);
/* Every attribute of an XSLT element is allowed (13: or of another namespace), every required one is there. Others are
 * slips, as are the absence of those that libxslt can do without: *complete is 0 then, and the element says nothing
 * (NULL: not asked). */
gx_status gx_sheet_check_attributes(gx_sheet *s, gx_module *m, u32 node, const gx_within *w, int *complete);
/* A slip where is_slip, else GX_ESTYLE, unless the element has no content at all. */
gx_status gx_sheet_check_empty(gx_sheet *s, gx_module *m, u32 node, const gx_within *w, int is_slip);
/* GX_ESTYLE where an element of a subtree that is passed over stands where libxslt does not tolerate it, passed over or
 * not. */
gx_status gx_sheet_check_places(gx_sheet *s, const gx_module *m, u32 node);
/* *yes by the attribute if it is there. Another value is a slip where is_slip, and *yes stays. */
gx_status gx_sheet_yes_no(gx_sheet *s, gx_module *m, u32 node, const gx_within *w, const char *attribute, int is_slip,
                          int *yes);
u32 gx_sheet_where(gx_sheet *s, const gx_module *m, u32 node);
/* The file that a node is in, its base URI: an external entity's, else the module's own. */
const char *gx_sheet_file(const gx_sheet *s, const gx_module *m, u32 node);
/* GX_OK, or the error that compiling reached a limit, at this place. */
gx_status gx_sheet_go_on(gx_sheet *s, const gx_module *m, u32 node);
gx_status gx_sheet_fail(gx_sheet *s, const gx_module *m, u32 node, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* A slip that libxslt tolerates, and so does the compiler: the caller tells of it (gx_compile_options.slip) and goes on
 * when this is GX_OK. In strict mode it is GX_ESTYLE as gx_sheet_fail's. */
gx_status gx_sheet_slip(gx_sheet *s, const gx_module *m, u32 node, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The same of the sentence in s->err, whose status is GX_OK afterwards. */
gx_status gx_sheet_slipped(gx_sheet *s);
/* Tells how many slips were not told of. */
void gx_sheet_slips_end(gx_sheet *s, const char *path);
/* A sentence for an XSLT element that is none of XSLT 1.0: known ones of later versions are named as such. */
const char *gx_sheet_unknown_element(const gx_sheet *s, const gx_sheet_name *name);
int gx_sheet_is_instruction(gx_xsl xsl);
/* element-available(): is it an instruction? */
int gx_sheet_element_available(const char *uri, const char *local, int writes);
/* An instruction that writes a file beside the result, of whichever processor; NULL: it is none. */
typedef struct gx_beside_spec {
    const char *uri, *local;
    int is_redirect; /* file= and select=, no attributes of xsl:output */
} gx_beside_spec;
const gx_beside_spec *gx_sheet_beside(const char *uri, const char *local);
/* Is it EXSLT's func:function or func:result ("function", "result")? */
static inline int gx_sheet_is_func(const gx_sheet_name *name, const char *local)
{
    return !strcmp(name->local, local) && !strcmp(name->uri, GX_FUNC_URI);
}
/* A func: element has no attributes without a namespace but this one. */
gx_status gx_sheet_check_func(gx_sheet *s, gx_module *m, u32 node, const char *attribute);
int gx_sheet_has_uri(const gx_uris *list, const char *uri);
/* The same by the URI's literal: O(1) while it is the same list, or one that was made of it by an addition. */
int gx_sheet_has_lit(gx_sheet *s, const gx_uris *list, u32 lit);

/* ---- xslt/scope.c ---- */

/* Whether errors that count only where they are reached are for the run; if so, s->err is one: s->options->warning is
 * told. */
int gx_sheet_is_late(const gx_sheet *s);
void gx_sheet_late(void *sheet);
/* The innermost local variable of that name, NULL; which chain of s->scoped it would be in. */
gx_scoped *gx_sheet_scoped(gx_sheet *s, const char *uri, const char *local);
u32 gx_sheet_head(const char *uri, const char *local);
/* The env of an expression that stands at an element of s->module, in s->body (NULL: only globals are visible). Local
 * variables are those of s->scope. Remembers the element for the callbacks: an env is good until the next one is made.
 * */
gx_xpath_env gx_sheet_env(gx_sheet *s, u32 node, const gx_within *w);
/* The env of an expression that stands outside of the stylesheet, such as a parameter: without variables.
 * file: for messages. While s->module is NULL no prefix is bound. */
gx_xpath_env gx_sheet_bare_env(gx_sheet *s, const char *path);
/* While a key is compiled the env has no variables. */
void gx_sheet_forbid_variables(gx_sheet *s, gx_xpath_env *env);
gx_status gx_sheet_compile_pattern(gx_sheet *s, u32 node, const gx_within *w, const char *text, u32 *first, u32 *n,
                                   double **priority);
/* The namespaces in scope at an element; literal: those that a literal result element copies (7.1.1), else all. */
u32 gx_sheet_nslist(gx_sheet *s, u32 node, const gx_within *w, int literal);
/* What a literal result element's or attribute's name becomes (7.1.1, xsl:namespace-alias). */
void gx_sheet_alias(const gx_sheet *s, const char **prefix, const char **uri);
/* The number of a mode, which is made when its name is new. NULL = the default mode. */
gx_status gx_sheet_mode(gx_sheet *s, u32 node, const gx_within *w, const char *name, u32 *mode);
u32 gx_sheet_find(const gx_sheet *s, apr_hash_t *table, const char *uri, const char *local);     /* index or GX_NONE */
void gx_sheet_enter(const gx_sheet *s, apr_hash_t *table, const char *uri, const char *local, u32 index);
u32 gx_sheet_new_mode(gx_sheet *s, u32 name);   /* name: qname; GX_NONE: the default mode */

/* ---- xslt/body.c: all of it compiles elements of s->module ---- */

u32 gx_sheet_reserve_body(gx_sheet *s);         /* an index in b->bodies, to be filled in later */
gx_status gx_sheet_compile_template(gx_sheet *s, const gx_template *t);
/* name: qname. EXSLT functions, func:function. */
gx_status gx_sheet_compile_function(gx_sheet *s, const gx_user_function *f, u32 name);
/* The value of a variable or parameter: *expr, or *body of its content; the other one is GX_NONE. */
gx_status gx_sheet_compile_value(gx_sheet *s, u32 node, const gx_within *w, u32 *expr, u32 *body);
/* The body of one attribute set from its n definitions, lowest precedence first. */
gx_status gx_sheet_compile_attribute_set(gx_sheet *s, const gx_declaration *definitions, u32 n, u32 body);
/* A template's body that applies templates to the children: the built-in rule of a mode. */
gx_status gx_sheet_compile_builtin(gx_sheet *s, u32 mode, u32 body);
/* A template's body to begin with: n global variables are copied into a variable that nobody reads, so that what they
 * have to say is met (serialize.c), then templates are applied to the root. */
gx_status gx_sheet_compile_start(gx_sheet *s, const u32 *globals, u32 n, u32 body);

/* ---- xslt/copies.c ---- */

/* Fills rules' `copies`; the rules and their bodies are complete. */
void gx_sheet_find_copies(gx_sheet *s);

/* ---- xslt/declare.c ---- */

typedef struct gx_named_declaration { u32 index; gx_declaration at; } gx_named_declaration;
/* Keys and attribute sets: gx_named_declaration, by ascending precedence; how many names there are. */
typedef struct gx_collected { gx_vec keys, sets; u32 n_keys, n_sets; } gx_collected;

/* Enters the names of s->declarations into the tables; *c is for compile.c. */
gx_status gx_sheet_collect(gx_sheet *s, gx_collected *c);

/* ---- xslt/link.c ---- */

/* Sorts the rules, makes dispatch tables, finishes bodies' and variables' flags, sets the program's flags. */
gx_status gx_sheet_link(gx_sheet *s);
/* A node on a cycle of the graph, or GX_NONE. O(n + edges). */
u32 gx_sheet_cycle(const gx_sheet *s, const gx_edge *edges, u32 n_edges, u32 n);
/* Marks the nodes that edges lead back to: without those edges the graph has no cycle. How many nodes. O(n + edges). */
u32 gx_sheet_back_edges(const gx_sheet *s, const gx_edge *edges, u32 n_edges, u32 n, u8 *marked);

#endif
