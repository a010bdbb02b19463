/*
 * xpath.h -- inside the XPath compiler: the parser's tree, and what xpath/pattern.c borrows
 *
 *   text --parse.c--> gx_xnode tree, typed and rewritten --plan/lower.c--> gx_op[] in the builder
 *
 * A node is named after the gx_xop that computes it. Everything that is decided about it (static type, what it depends on,
 * whether its sets are ordered) is known when it is made, from its operands: there is no second pass over the tree.
 */
#ifndef GX_XPATH_H
#define GX_XPATH_H

#include "program/builder.h"

/* Nesting of the tree and of the parser's calls, arguments of one call, parts of one attribute value template. */
#define GX_XPATH_DEPTH 1000u

/* What is known of a node-set, for every row of it: */
enum {
    GX_XS_SINGLE = 1,       /* at most one node */
    GX_XS_FLAT = 2          /* no node is an ancestor of another (implied by SINGLE, and set with it) */
};

/* Of a set whose rows may each have a good part of the tree's nodes: */
enum {
    GX_XW_WIDE = 1,
    GX_XW_FILTERED = 2      /* predicates leave fewer of them */
};

typedef struct gx_xnode gx_xnode;
struct gx_xnode {
    u8 op;                  /* gx_xop */
    u8 type;                /* static gx_type */
    u8 deps;                /* GX_DEP_* */
    u8 set;                 /* GX_XS_* */
    u8 calls;               /* calls a function of the stylesheet, which may not end for rows that have nothing to ask */
    u8 hosted;              /* asks the process for something */
    u8 fails;               /* may be an error where it is evaluated: a value is no node-set, a function or key is not there */
    u8 wide;                /* GX_XW_*: of a SET; of another value: of the sets that it is made of */
    u8 shared;              /* has steps to nodes that other rows' steps lead to as well */
    u8 heavy;               /* walks the document or calls a function: worth evaluating for fewer rows */
    u16 a;                  /* operands as in gx_op */
    u32 b;
    u32 depth;              /* of the tree below, 1 = a leaf */
    u32 at;                 /* byte in the text, for messages */
    double num;             /* GX_X_NUM */
    const char *str;        /* GX_X_STR */
    gx_xnode *kids, *last;  /* operands in order, linked by next; STEP and FILTER: the input */
    gx_xnode *preds;        /* STEP, FILTER: in order. A predicate is any node but SET, or a GX_X_NTH or GX_X_RANGE */
    gx_xnode *next;
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
    u32 source;             /* text, as a literal of the program; GX_NONE: no expression of it has been emitted */
    u32 nest;               /* calls of the parser into itself */
    u32 predicates;         /* predicates around this place: 0 = current() is the context node */
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
gx_status gx_xparse_expr(gx_xparse *p, gx_xnode **out);
/* The whole text as one expression, to its end. */
gx_status gx_xparse_all(gx_xparse *p, const gx_xpath_env *env, const char *text, u32 len, gx_xnode **out);
/* The URI that a prefix stands for ("" for no prefix), or the error that it is not declared. */
gx_status gx_xparse_uri(const gx_xparse *p, const char *prefix, u32 at, const char **uri);
/* A node test on an axis: *test, and *name as gx_op.b of a step. */
gx_status gx_xparse_test(gx_xparse *p, u32 axis, u32 *test, u32 *name);
/* Zero or more [predicate]s as a list; *positional: one of them depends on position() or last(), or may be a number. */
gx_status gx_xparse_predicates(gx_xparse *p, gx_xnode **list, int *positional);
/* What is an error where it is evaluated (gx_xpath_env.late); xpath/functions.c. */
gx_status gx_xparse_late(gx_xparse *p, u32 at, const char *sentence, gx_xnode **out);
/* A call of a function with n arguments (a list); xpath/functions.c. */
gx_status gx_xparse_call(gx_xparse *p, const char *prefix, const char *local, u32 at, gx_xnode *args, u32 n, gx_xnode **out);

gx_xnode *gx_xnode_make(gx_xparse *p, u32 op, u32 type, u32 at);
gx_xnode *gx_xnode_num(gx_xparse *p, double value, u32 at);
gx_xnode *gx_xnode_bool(gx_xparse *p, int value, u32 at);
gx_xnode *gx_xnode_context(gx_xparse *p, u32 at);
gx_xnode *gx_xnode_root(gx_xparse *p, u32 at);
gx_xnode *gx_xnode_str(gx_xparse *p, const char *s, u32 at);
void gx_xnode_adopt(gx_xnode *parent, gx_xnode *kid);       /* appends an operand */
gx_xnode *gx_xnode_convert(gx_xparse *p, gx_xnode *node, u32 type);     /* to BOOL, NUM or STR */
/* node, a set of which only the first in document order is wanted: key() need find no more, //x[p][1] is descendant::x[p] */
gx_xnode *gx_xnode_first(gx_xparse *p, gx_xnode *node);
/* node, a set of which any node will do, or the first in document order: what is searched for ends with the first on the axis, where that is one */
gx_xnode *gx_xnode_found(gx_xparse *p, gx_xnode *node, int any);
/* Is node a step to nodes that other rows' steps lead to as well, of which the first that meets some conditions is wanted? */
int gx_xnode_in_rounds(const gx_xnode *node);
/* Is node a step without predicates that gives no node twice, whatever its contexts are? */
int gx_xnode_is_disjoint(const gx_xnode *node);
/* *node becomes a SET, checked when it runs where that is not known; what can never be one is an error. */
gx_status gx_xnode_to_set(gx_xparse *p, gx_xnode **node, const char *what);
gx_xnode *gx_xnode_step(gx_xparse *p, gx_xnode *input, u32 axis, u32 test, u32 name, gx_xnode *preds, u32 at);

gx_xnode *gx_xnode_filter(gx_xparse *p, gx_xnode *input, gx_xnode *preds, u32 at);     /* input itself without predicates */
/* The step, or a look-up by key that finds the same nodes; plan/join.c. */
gx_xnode *gx_xnode_join(gx_xparse *p, gx_xnode *step);
/* set[preds] by a comparison of its nodes with something of the row's (JOIN), or NULL; plan/join.c. */
gx_xnode *gx_xnode_choose(gx_xparse *p, gx_xnode *set, gx_xnode *preds, u32 at);
/* A JOIN of which only is asked how many nodes it has */
gx_xnode *gx_xnode_count_join(gx_xnode *join);
/* "left = right" where it searches an axis for a value, as a look-up, else NULL. */
gx_xnode *gx_xnode_join_equal(gx_xparse *p, gx_xnode *left, gx_xnode *right, u32 at);
/* A set of what is before or behind of which only a number is wanted, as the part of what all nodes share, else set itself; plan/beside.c. */
gx_xnode *gx_xnode_beside(gx_xparse *p, gx_xnode *set);
/* A look-up on an axis of which only the first node in document order is wanted, or any: the nearest, where that is one. Else node as it is. */
gx_xnode *gx_xnode_nearest(gx_xnode *node, int any);
/* not() of a BOOL */
gx_xnode *gx_xnode_not(gx_xparse *p, gx_xnode *truth, u32 at);
/* The comparison that has its operands the other way round */
u32 gx_xop_turned(u32 op);
/* "left op right" where it asks whether a node is in a set, as a test of that, else NULL; plan/member.c. */
gx_xnode *gx_xnode_member(gx_xparse *p, u32 op, gx_xnode *left, gx_xnode *right, u32 at);
/* Does node depend on the context node by way of its parent alone, and lead to nodes that its siblings' do? */
int gx_xnode_of_parent(const gx_xnode *node);
/* Does a predicate count positions, or might it? */
int gx_xnode_is_positional(const gx_xnode *pred);

/* Appends the code of a tree, converted to `want`, to the builder. source: the text for messages and --explain. */
gx_status gx_xnode_emit(gx_xparse *p, gx_xnode *node, u32 want, u32 *expr);

/* node as a string where that is not its value's string: str:replace of strings (no tree is made for it), date:leap-year ("NaN", which
 * no boolean is). Else NULL. */
gx_xnode *gx_xnode_string_of_call(gx_xparse *p, gx_xnode *node);

/* system-property(): "1" where it is the number of xsl:version; "" for none. Static. */
const char *gx_xpath_system_property(const char *uri, const char *local);
/* function-available(): is there a function of that expanded name? */
int gx_xpath_function_available(const char *uri, const char *local);

/* Arguments and result of an EXSLT function (func >= GX_F_EXSLT) with n arguments on the stack: a letter an argument as in
 * xpath/functions.c, the last one repeated. *host: it is a host step. NULL: no such function with so many arguments. */
const char *gx_function_signature(u32 func, u32 n, u8 *type, int *host);

/* The local name of a function of gx_func ("?": none has that number) and its EXSLT module's ("math"; "": none), both static. */
const char *gx_function_name(u32 func, const char **module);

#endif
