/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xpath.h -- inside the XPath compiler: tokens and the syntax tree
 *
 *   text --token.c, parse.c--> gx_syntax --plan/build.c--> gx_plan --plan/rules.c--> gx_plan --plan/lower.c--> gx_op[]
 *
 * The syntax tree says what stands in the text and nothing about how it is evaluated: no types, no rewriting. Prefixes
 * of node tests are resolved here, as they are part of reading a name; variables and functions are looked up by
 * plan/build.c.
 */
#ifndef GX_XPATH_H
#define GX_XPATH_H

#include "program/builder.h"

/* Nesting of the tree and of the parser's calls, arguments of one call, parts of one attribute value template. */
#define GX_XPATH_DEPTH 1000u

typedef enum gx_syntax_kind {
    GX_S_NUMBER,            /* num */
    GX_S_LITERAL,           /* local: the text */
    GX_S_VARIABLE,          /* prefix, local */
    GX_S_CALL,              /* prefix, local; kids: the arguments */
    GX_S_CONTEXT,           /* what a relative path begins with */
    GX_S_ROOT,              /* "/" */
    GX_S_STEP,              /* kids: the input. axis, test, name; deep: "//" before it; preds */
    GX_S_FILTER,            /* kids: the input. An expression with predicates, or one that a path begins with; preds:
                               perhaps none */
    GX_S_UNION,             /* kids: two */
    GX_S_BINARY,            /* kids: two; op: gx_xop */
    GX_S_NEGATE             /* kids: one; op: how many "-", 1 or 2 for odd and even */
} gx_syntax_kind;

typedef struct gx_syntax gx_syntax;
struct gx_syntax {
    u8 kind;                /* gx_syntax_kind */
    u8 op, axis, test, deep;
    u32 name;               /* STEP: pname of the test */
    u32 undeclared_at;      /* STEP: where its prefix stands, if that is not declared */
    u32 n;                  /* kids */
    u32 at;                 /* byte in the text, for messages */
    u32 depth;              /* of the tree below, 1 = a leaf */
    double num;
    const char *prefix, *local;     /* STEP: prefix is one that is not declared, or NULL */
    gx_syntax *kids, *last; /* operands in order, linked by next */
    gx_syntax *preds, *last_pred;
    gx_syntax *next;
};

typedef enum gx_xtoken {
    GX_XT_END, GX_XT_NUM, GX_XT_STR,
    GX_XT_NAME,             /* QName as a node test */
    GX_XT_NS_STAR,          /* p:* */
    GX_XT_STAR,             /* * as a node test */
    GX_XT_FUNC, GX_XT_NODE_TYPE,        /* a name before "(" */
    GX_XT_AXIS,             /* name and "::" */
    GX_XT_VAR,
    GX_XT_SLASH, GX_XT_SLASHES, GX_XT_LPAR, GX_XT_RPAR, GX_XT_LBRACKET, GX_XT_RBRACKET, GX_XT_DOT, GX_XT_DOTS, GX_XT_AT,
    GX_XT_COMMA, GX_XT_PIPE,
    GX_XT_OP                /* any other binary operator */
} gx_xtoken;

typedef struct gx_xparse {
    const gx_xpath_env *env;
    apr_pool_t *pool;
    const char *noun;       /* "expression" or "pattern", for messages */
    const char *text;
    u32 len, pos;           /* pos: after the current token */
    u32 nest;               /* calls of the parser into itself */
    const char *undeclared; /* the prefix of the last node test, if that is not declared; NULL: it is, or there is none
                               */
    u32 undeclared_at;
    /* the current token */
    gx_xtoken kind;
    u32 start;
    u8 op, precedence;      /* GX_XT_OP: gx_xop; AXIS: gx_axis; NODE_TYPE: gx_test */
    const char *prefix, *local;     /* names; prefix "" = none. STR: local is the text */
    double num;
} gx_xparse;

/* Reads the first token. text must live as long as the tree. */
gx_status gx_xparse_begin(gx_xparse *p, const gx_xpath_env *env, const char *noun, const char *text, u32 len);
gx_status gx_xparse_next(gx_xparse *p);
/* GX_ESTYLE with the sentence, the quoted text and the character's number. */
gx_status gx_xparse_fail(const gx_xparse *p, u32 at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A slip that is tolerated (gx_xpath_env.slip). */
gx_status gx_xparse_slip(gx_xparse *p, u32 at, const char *sentence);
/* The same of what is no expression: without somebody to tell it is an error. */
gx_status gx_xparse_loose(gx_xparse *p, u32 at, const char *sentence);
gx_status gx_xparse_expr(gx_xparse *p, gx_syntax **out);
/* The whole text as one expression, to its end. */
gx_status gx_xparse_all(gx_xparse *p, const gx_xpath_env *env, const char *text, u32 len, gx_syntax **out);
/* The URI that a prefix stands for: "" for no prefix, NULL if it is not declared. */
const char *gx_xparse_uri(const gx_xparse *p, const char *prefix);
/* A node test on an axis: *test, and *name as gx_op.b of a step; p->undeclared. */
gx_status gx_xparse_test(gx_xparse *p, u32 axis, u32 *test, u32 *name);
/* Zero or more [predicate]s, appended to step's. */
gx_status gx_xparse_predicates(gx_xparse *p, gx_syntax *step);
gx_syntax *gx_syntax_make(gx_xparse *p, gx_syntax_kind kind, u32 at);
void gx_syntax_adopt(gx_syntax *parent, gx_syntax *kid);        /* appends an operand */
void gx_syntax_add_predicate(gx_syntax *step, gx_syntax *pred);

/* system-property(): "1" where it is the number of xsl:version; "" for none. Static, or one of those given. */
const char *gx_xpath_system_property(const char *uri, const char *local, const char *vendor, const char *vendor_url);
/* function-available(): is there a function of that expanded name? */
int gx_xpath_function_available(const char *uri, const char *local);

/* The local name of a function of gx_func ("?": none has that number) and its EXSLT module's ("math"; "": none), both
 * static. */
const char *gx_function_name(u32 func, const char **module);
/* What its value depends on beside its arguments: GX_DEP_* */
u32 gx_function_deps(u32 func);

#endif
