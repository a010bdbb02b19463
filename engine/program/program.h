/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h -- a compiled stylesheet: one relocatable block
 *
 * compile (xslt/compile.c, plan/compile.c) writes it, the machine (machine/) evaluates it, serialize.c walks it beside
 * the result. All tables are arrays inside the block; references between them are indexes. Offsets in the header are
 * bytes from the start.
 *
 * Bodies. A body is a run of instructions that one group of frames executes together: a template's body, or a nested
 * body (for-each, the branches of if and choose, the content of a variable or parameter). Elements, attributes,
 * comments, messages are NOT bodies: their content stands inline between the opening instruction and its GX_I_END, in
 * the same frame. A nested body's frames come from frames of its lexical parent body; the variables of lexical
 * ancestors are reached by (hops, slot). A template's body has no lexical parent: it sees its own parameters and
 * variables, and globals.
 *
 * Expressions are linear postfix code for a stack of columns; see ops.def.
 */
#ifndef GX_PROGRAM_H
#define GX_PROGRAM_H

#include "base.h"
#include "program/function.h"

#define GX_PROG_MAGIC 0x33505847u       /* "GXP3" */

/* ---- strings and names ------------------------------------------------------------------------------------------ */

typedef struct gx_lit { u32 off, len; } gx_lit;         /* bytes of the block: program + off. Interned: equal text,
                                                           equal index */

/* An expanded name that tests and patterns look for. Entry 0 is "any name not in this table". */
typedef struct gx_pname { u32 uri, local; u32 hash; u32 pad; } gx_pname;     /* gx_lit indexes; gx_name_hash */

/* A name to be written: literal result elements and attributes, static xsl:element names, params. */
/* gx_lit indexes (index 0 is the empty string) */
typedef struct gx_qname { u32 prefix, local, uri; u32 pad; } gx_qname;

typedef struct gx_nsdecl { u32 prefix, uri; } gx_nsdecl;                     /* gx_lit indexes */
typedef struct gx_nslist { u32 first, n; } gx_nslist;                        /* range of gx_nsdecl */

typedef struct gx_where { u32 file, line, column; } gx_where;                /* file: gx_lit index. Entry 0 = unknown */

/* ---- expressions ------------------------------------------------------------------------------------------------ */

typedef enum gx_type {          /* static types, and tags of columns */
    GX_T_ANY = 0,               /* static only: known when it runs (parameters, extension results) */
    GX_T_BOOL, GX_T_NUM, GX_T_STR,
    GX_T_SET,                   /* node-set */
    GX_T_RTF,                   /* result tree fragment */
    GX_T_NODE                   /* column tag only: at most one node per row (the first of a node-set) */
} gx_type;

/* The type of a function's value, as functions.def has it */
GX_FN u8 gx_function_type(u32 func)
{
    switch (func) {
#define FUNCTION(name, args, least, most, type, traits) case GX_F_##name: return GX_T_##type;
#include "program/functions.def"
#undef FUNCTION
    default: return GX_T_ANY;
    }
}

/* The operators, each with what it takes and makes: ops.def */
typedef enum gx_xop {
#define OPERATOR(name, word, pops, pushes, scope) GX_X_##name,
#include "program/ops.def"
#undef OPERATOR
    GX_N_XOPS
} gx_xop;

/* What an operator is among scopes: ops.def */
enum { GX_SCOPE_LEAF, GX_SCOPE_OPENS, GX_SCOPE_OWNS, GX_SCOPE_CLOSES, GX_SCOPE_TURNS, GX_SCOPE_COUNTS };
GX_FN u32 gx_op_scope(u32 op)
{
    switch (op) {
#define OPERATOR(name, word, pops, pushes, scope) case GX_X_##name: return GX_SCOPE_##scope;
#include "program/ops.def"
#undef OPERATOR
    default: return GX_SCOPE_LEAF;
    }
}
GX_FN int gx_op_opens(u32 op) { return gx_op_scope(op) == GX_SCOPE_OPENS || gx_op_scope(op) == GX_SCOPE_OWNS; }

typedef struct gx_op { u8 op; u8 type; u16 a; u32 b; } gx_op;    /* type: static gx_type of what it pushes */

/* TWIG's gx_twig, whose number a holds */
#define GX_TWIGS_MOST 0xffffu
#define GX_JOIN_TWO(a) ((u32)(a) >> 8 & 0x3f)   /* its op, 0: there is none */
#define GX_NUM_KEY 1u                   /* NUM's a: the key's name that the call behind it looks up in. An index that is
                                           not there is asked for here, before the call's value is evaluated */
#define GX_JOIN_UNORDERED 0x4000u           /* its nodes may be in any order: rows share the list that the order made */
#define GX_JOIN_N(b) ((b) & 0xffu)      /* JOIN_END's b: at most GX_JOIN_MOST of a row's nodes; 0: all */
#define GX_JOIN_MOST 8u
#define GX_JOIN_LAST 0x100u             /* ... the last of them */
#define GX_JOIN_OF_EACH 0x200u          /* ... of each parent's; or all, where that is less work */
#define GX_JOIN_ONE_USE 0x8000u         /* the second use is the first one's expression */
#define GX_JOIN_STARTS 0x40u            /* use starts with value */
#define GX_JOIN_CONTAINS 0x41u
#define GX_JOIN_NONE_UNEQUAL 0x42u      /* not(use != value) */
#define GX_JOIN_TURNED 0x80u            /* value starts with use, contains it */
/* CHOICE: the set is what a look-up or join gives: ask each of its nodes, or join once more */
#define GX_CHOICE_FOUND 1u
#define GX_CHOICE_NONE 2u              /* the first way is for an empty set */
/* DOMAIN's a: how many values it pops, and which of them (a bit each) are sets whose place is meant, not their
 * string */
#define GX_DOMAIN_N(a) ((u32)(a) & 0xf)
#define GX_DOMAIN_PLACES(a) ((u32)(a) >> 4)
#define GX_DOMAIN_MOST 4u
#define GX_FILTER_TOGETHER 1u   /* those of one parent stand together */
#define GX_FILTER_APART 2u      /* perhaps not */
#define GX_AT_ANY 1u            /* [$i] where $i is a parameter: a number, or a condition that all meet or none */
#define GX_AT_EQUAL 2u          /* [position() = $i]: as "=" compares it, whatever $i is */
#define GX_PLACES_OF_EACH 4u /* of a SET, which are children of several nodes perhaps: among those of each of these */
#define GX_AT_FROM_END 8u       /* of a SET: the place is counted from the last node, which is 1 */
#define GX_BETWEEN_ABOVE 1u     /* not those at the first number itself: [position() > $n] */
#define GX_BETWEEN_BELOW 2u     /* not those at the second */
#define GX_CALL_PLACES 0x8000u  /* some function asks for position() or last() of its call: they must be at hand */
#define GX_CALL_ARGC(a) ((a) & 0x7fffu)

/*
 * What two numbers are to each other in a comparison with a third:
 *
 *   MULTIPLIED  x * y
 *   DIVIDED     x div y
 *   DIVIDING    y div d, where x = gx_reciprocal_place(d): y div d rises with that where y > 0, though not with d
 */
enum { GX_FACTOR_MULTIPLIED, GX_FACTOR_DIVIDED, GX_FACTOR_DIVIDING, GX_FACTOR_KINDS };
#define GX_FACTOR(op, kind) ((u32)((op) - GX_X_EQ) | (u32)(kind) << 3)

typedef enum gx_axis {
    GX_AXIS_SELF = 0,
    GX_AXIS_CHILD,
    GX_AXIS_DESCENDANT,
    GX_AXIS_DESCENDANT_OR_SELF,
    GX_AXIS_ATTRIBUTE,
    GX_AXIS_NAMESPACE,
    GX_AXIS_FOLLOWING,
    GX_AXIS_FOLLOWING_SIBLING,
    GX_AXIS_PARENT,
    GX_AXIS_ANCESTOR,
    GX_AXIS_ANCESTOR_OR_SELF,
    GX_AXIS_PRECEDING,
    GX_AXIS_PRECEDING_SIBLING
} gx_axis;
#define GX_AXIS_IS_REVERSE(axis) ((axis) >= GX_AXIS_PARENT)

typedef enum gx_test {
    GX_TEST_NODE = 0,   /* node() */
    GX_TEST_NAME,       /* principal kind with expanded name b (pname) */
    GX_TEST_ANY,        /* *: any node of the principal kind */
    GX_TEST_NS,         /* p:*: principal kind, namespace of pname b (whose local is ignored: made with local = "*") */
    GX_TEST_TEXT, GX_TEST_COMMENT,
    GX_TEST_PI,         /* processing-instruction() */
    GX_TEST_PI_NAME,    /* processing-instruction('b'): pname b with no uri */
    GX_TEST_ROOT,       /* patterns only: the root node */
    GX_TEST_NEVER       /* can match nothing (e.g. attribute::text()) */
} gx_test;

#define GX_STEP_AXIS(a) ((a) & 15u)
#define GX_STEP_TEST(a) (((a) >> 4) & 15u)
#define GX_STEP_PREDS 0x100u    /* predicates follow: push candidates per context node in axis order, STEP_END closes */
#define GX_STEP_SORTED \
    0x200u /* proved by the compiler: from a duplicate-free ordered input the output is ordered and duplicate-free */
#define GX_STEP_SOME \
    0x400u /* only whether there is a node is asked: a row's set may be any that is empty when the step's is */
/* No more nodes of a context are looked for than so many, in axis order with PREDS, else in document order; 0: all. Up
 * to 8 as they are asked for, then the next of 16, 32, ... 1024. */
#define GX_STEP_MOST(a) (((a) >> 12) <= 8 ? (u32)(a) >> 12 : 1u << (((a) >> 12) - 5))
#define GX_STEP_MOST_MAX 1024u
#define GX_STEP_MAKE(axis, test) ((u16)((axis) | (test) << 4))

/* What an expression depends on (gx_expr.deps): nothing at all = the same for every frame of a run. */
enum {
    GX_DEP_CONTEXT = 1,
    GX_DEP_POSITION = 2,
    GX_DEP_LAST = 4,
    GX_DEP_LOCAL = 8 /* local variables */,
    GX_DEP_CURRENT = 16,
    GX_DEP_TREE = 32 /* only the tree of the context node: absolute paths, id(), key() */
};

typedef struct gx_expr {
    u32 first, n;       /* range of ops (without END) */
    u8 type;            /* static gx_type */
    u8 deps;            /* GX_DEP_* */
    u16 max_stack;      /* columns on the stack at most */
    u16 max_scope;      /* predicate / once / outer nesting at most */
    u16 pad;
    u32 where;          /* gx_where */
    u32 source;         /* lit: the expression's text, for messages and --explain */
} gx_expr;

/* ---- tree patterns ----------------------------------------------------------------------------------------------- */

/*
 * A twig: a tree of node tests with child, attribute and descendant edges, whose root is a context node. The answer is
 * the set of nodes that its node `answer` can stand for, where all others stand for nodes as well.
 *
 *   //a[b[c]//d]/e      node    0 context   1 //a   2 b   3 c   4 //d   5 e      `answer` is 5
 *                       parent      -         0     1     2     2       1
 *                       end         6         6     5     4     5       6
 *
 * Nodes stand in preorder, predicates before the node that the path goes on with; those from the context to the answer
 * are the spine.
 */
typedef struct gx_twig_node {
    u8 axis;            /* GX_AXIS_CHILD, GX_AXIS_ATTRIBUTE, GX_AXIS_DESCENDANT; of node 0 GX_AXIS_SELF */
    u8 test;            /* GX_TEST_* */
    u8 spine, pad;
    u32 name;           /* as GX_X_STEP's b */
    u32 parent, end;    /* in the twig; what is below it ends before `end` */
} gx_twig_node;
typedef struct gx_twig { u32 first, n, answer, flags; } gx_twig;       /* range of gx_twig_node */
#define GX_TWIG_NODES 64u               /* of a twig, at most */
#define GX_TWIG_SOME 1u                 /* flags: only whether there is an answer is asked */

/* How a twig is found (machine/twig.h); no result depends on it */
enum {
    GX_STRATEGY_AUTO = 0,       /* what costs least */
    GX_STRATEGY_STEPS,          /* one step after the other, predicates for each candidate */
    GX_STRATEGY_BITS,           /* bits for the nodes of each test, bottom up, then answers top down */
    GX_STRATEGY_LEVELS,         /* an automaton that goes through all nodes level by level */
    GX_STRATEGY_TWIG,           /* a stack join of the tests' streams */
    GX_N_STRATEGIES
};

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

/* One alternative of a pattern (unions are split). Steps stand from the last (the node itself) to the first. */
typedef struct gx_pstep {
    u8 axis;            /* GX_AXIS_CHILD, GX_AXIS_ATTRIBUTE or GX_AXIS_NAMESPACE: says the principal kind */
    u8 test;
    u8 up;              /* how the step to the left is reached: GX_UP_* */
    u8 positional;      /* a predicate uses position() or last(), or is a number */
    u32 name;           /* pname */
    u32 set_expr;       /* GX_NONE without predicates. Positional: an expression `child::test[p1][p2]` to be evaluated
                           with the parent as context; the node matches when it is in the result */
    u32 bool_expr;      /* not positional: all predicates and-ed, a BOOL expression with the node as context node; else
                           GX_NONE */
} gx_pstep;
enum { GX_UP_END = 0,   /* leftmost step of a relative pattern: no more conditions */
       GX_UP_PARENT,    /* "/": the next step must match the parent */
       GX_UP_ANCESTOR,  /* "//": the next step must match some ancestor */
       GX_UP_ROOT,      /* leftmost of "/a": the parent is the root node */
       GX_UP_ROOT_DESC, /* leftmost of "//a": the tree's root is a root node (always true for parsed documents) */
       GX_UP_HEAD_PARENT, GX_UP_HEAD_ANCESTOR };  /* id()/key(): the parent / an ancestor is in pattern.head's result. A
                                                     pattern that is only id()/key() has n == 0 and matches the nodes in
                                                     head's result */
typedef struct gx_pattern {
    u32 first, n;       /* range of pstep; n == 0: only the head */
    u32 head;           /* expr of id()/key() or GX_NONE */
    u32 simple;         /* 1: the label alone decides (one step, no predicate, GX_UP_END) */
    u32 where;
} gx_pattern;

/* Has it states in the automaton of its mode (machine/classify.h)? last: its step for the node itself */
#define GX_PATTERN_CLIMBS(p, last) \
    (!(p)->simple && (p)->head == GX_NONE && (p)->n && (p)->n <= 64 && ((p)->n > 1 || (last)->up != GX_UP_END))

/* A template rule: one pattern alternative of one template in one mode, ordered by rank. */
typedef struct gx_rule {
    u32 pattern, body;
    u32 precedence;     /* import precedence number, larger wins */
    u32 import_low;     /* apply-imports from this rule considers rules with import_low <= precedence < this rule's
                           precedence */
    double priority;
    u32 mode, where;
    u32 copies;         /* GX_COPIES_*: the template only copies its node and goes on below it (xslt/copies.c) */
    u32 pad;
} gx_rule;
/* 0: it does something else. COPIES_LEAF: it copies nodes that are no element and no root. Else 2 x (1 + the mode in
 * which templates are applied to the children), plus COPIES_ATTRS when they are applied to attributes, too, which
 * else are copied. */
enum { GX_COPIES_NOT = 0, GX_COPIES_LEAF = 1, GX_COPIES_ATTRS = 1 };
#define GX_COPIES_MODE(copies) ((copies) / 2 - 1)       /* of an element's; GX_NONE: LEAF or NOT */

/* A mode's rules, best first (precedence, priority, last in the stylesheet). dispatch: for kinds ELEM and ATTR a table
 * by pname, for the others one entry; each entry a range of `candidates` (rule indexes, best first) that could match
 * such a node:
 *   elem[p] = dispatch[elem + p], attr[p] = dispatch[attr + p] for p in 0..n_pnames-1; kind k else: dispatch[other + k]
 *   */
typedef struct gx_range { u32 first, n; } gx_range;
typedef struct gx_mode {
    u32 name;           /* qname, GX_NONE = default mode */
    u32 elem, attr, other;      /* first entries in the dispatch table (gx_range[]) */
    u32 builtin;        /* body of the built-in rule for elements and the root: apply-templates in this mode */
    u32 states;         /* of the automaton of its patterns that look at ancestors, about; 0: it has none */
} gx_mode;

/* ---- instructions ------------------------------------------------------------------------------------------------ */

typedef enum gx_iop {
    GX_I_END = 0,       /* closes the nearest open ELEM .. MESSAGE. a: pc (absolute instr index) of the opening one */
    /* output. "slot": index of the group's slots where the dynamic part is stored (first of n_slots used) */
    GX_I_TEXT,          /* a: lit. flags DOE, CDATA never */
    GX_I_VALUE,         /* expr, slot. flags DOE. xsl:value-of, text parts of attribute value templates */
    GX_I_ELEM,          /* literal result element or xsl:element with a static name. a: qname, b: nslist to have in
                           scope (namespace nodes to copy; without excluded ones), c: pc of END. flags LRE */
    GX_I_ELEM_DYN,      /* xsl:element. expr: name (STR) -> slot; a: namespace expr or GX_NONE -> slot+1; b: nslist that
                           resolves prefixes; c */
    GX_I_ATTR,          /* a: qname (static name, uri resolved), c: pc of END. content inline. flags LRE */
    GX_I_ATTR_DYN,      /* as ELEM_DYN. A prefix in the name may be replaced when it clashes */
    GX_I_COMMENT,       /* c */
    GX_I_PI,            /* expr: name -> slot; c */
    GX_I_COPY,          /* xsl:copy of the context node; c. Content is inline and was evaluated for every frame; for
                           nodes other than root and elements the serialiser skips it. (The compiler puts content that
                           is not known to be harmless and finite for those into an IF body.) */
    GX_I_COPY_OF,       /* expr (any type) -> slot */
    GX_I_MESSAGE,       /* c. flags TERMINATE. With DOCUMENT it is a file beside the result (exsl:document): the first
                           instruction in it is an ELEM with DOCUMENT, whose attributes say where and how, and whose b
                           resolves prefixes; what follows is the file's content */
    GX_I_ERROR,         /* a: lit: a dynamic error when the serialiser reaches it (unknown extension element without
                           fallback, ...) */
    /* frames */
    GX_I_IF,            /* expr (BOOL), a: body -> slot KID_OPT */
    GX_I_CHOOSE,        /* a: first branch, b: n branches -> slot KID_LIST with exactly one or no kid a row */
    GX_I_FOR_EACH,      /* expr (SET), a: body, b: first sort, c: n sorts; d, e: the first and last place of the nodes
                           for which the body does something, GX_NONE both: the last node's, d 0: all -> slot
                           KID_RANGE */
    GX_I_APPLY,         /* expr (SET), a: mode, b: first with-param, c: n; d: first sort, e: n -> slot KID_RANGE or
                           KID_LIST */
    GX_I_APPLY_IMPORTS, /* b: first with-param, c: n -> slot */
    GX_I_CALL,          /* a: body (template, or attribute set), b: first with-param, c: n -> slot KID_ROW */
    /* variables */
    GX_I_VAR,           /* b: variable slot in this body; expr, or a: content body. flags STRING */
    GX_I_PARAM,         /* as VAR, d: qname index of the parameter: bound if the caller passed it, else the default */
    GX_I_NUMBER,        /* a: number spec -> slot (STR) */
    GX_I_RESULT,        /* func:result. expr (any type) -> slot. With content: the variable before it has that */
    GX_N_IOPS
} gx_iop;

enum {                  /* gx_instr.flags */
    GX_IF_DOE = 1,          /* disable-output-escaping */
    GX_IF_TERMINATE = 2,
    GX_IF_LRE = 4,          /* from a literal result element */
    GX_IF_STRING = 8,       /* VAR/PARAM with content: its string-value is used somewhere (else only copied; gx_run_var)
                               */
    GX_IF_TEXT_ONLY = 16,   /* VAR/PARAM with content: the body makes only text nodes */
    GX_IF_DOCUMENT = 64,    /* MESSAGE, and ELEM in it */
    GX_IF_WARNING = 32      /* MESSAGE: what is recovered from; the place stands before it */
};

typedef struct gx_instr {
    u8 op, flags;
    u16 slot;
    u32 expr;           /* GX_NONE if none */
    u32 a, b, c, d, e;
    u32 where;
} gx_instr;

typedef struct gx_body {
    u32 first, n;       /* range of instrs */
    u32 n_slots;        /* output slots */
    u32 n_vars;
    u32 parent;         /* lexical parent body, GX_NONE for templates, globals, keys */
    u32 template_name;  /* qname of the named template or function, GX_NONE */
    u32 where;
    u8 uses_position, uses_last;        /* by this body or a nested one that inherits them (if, choose) */
    u8 empty;           /* no instruction at all: frames of it need not exist */
    u8 kind;            /* GX_B_* */
} gx_body;
enum { GX_B_TEMPLATE = 0, GX_B_FOR_EACH, GX_B_BRANCH, GX_B_CONTENT /* of a variable */, GX_B_ATTRIBUTE_SET,
       GX_B_FUNCTION };

typedef struct gx_branch { u32 expr; u32 body; } gx_branch;     /* expr GX_NONE = otherwise */
/* name: qname index (interned). With content, that is a VAR before the instruction, and expr refers to it */
typedef struct gx_with_param { u32 name, expr, where; } gx_with_param;
typedef struct gx_sort {        /* all are expr indexes */
    u32 select;                 /* STR, or NUM where the type is statically number */
    u32 data_type, order, lang, case_order;     /* STR exprs, GX_NONE = default */
    u8 number, descending, upper_first, pad;    /* of attributes that are literals. upper_first: 0 none given, 1
                                                   upper-first, 2 lower-first */
    u32 where;
} gx_sort;

typedef struct gx_number {      /* xsl:number */
    u8 level;                   /* 0 single, 1 multiple, 2 any */
    u8 has_value, pad[2];
    u32 value;                  /* NUM expr if has_value */
    u32 count, n_count;         /* range of patterns (alternatives), n 0 = default count */
    u32 from, n_from;
    u32 format, lang, letter_value, grouping_separator, grouping_size;  /* STR exprs, GX_NONE = default */
    u32 where;
} gx_number;

typedef struct gx_global {      /* top-level variable or parameter */
    u32 name;                   /* qname */
    u32 expr, body;             /* one of them, or both GX_NONE = empty string */
    u32 is_param, flags;        /* flags as GX_I_VAR's */
    u32 where;
} gx_global;

/* A function of the stylesheet (EXSLT's func:function). Its body begins with n_params GX_I_PARAMs, in the order of the
 * arguments. */
typedef struct gx_function {
    u32 name /* qname */, body, n_params, where, speaks /* its frames may have messages */;
} gx_function;

typedef struct gx_key {         /* one xsl:key alternative */
    u32 name;                   /* key name number: keys of one name share it */
    u32 pattern;                /* one pattern alternative */
    u32 use;                    /* expr, any type */
    u32 where;
    u32 siblings;               /* a parent's nodes are indexed together, and looked up by it (GX_F_KEY_AXIS): else
                                   those below them are in the way */
} gx_key;

typedef struct gx_decimal_format {      /* UTF-8 of one character each, as lit indexes; infinity and nan are strings */
    u32 name;                           /* qname, GX_NONE = the default one */
    u32 decimal_separator, grouping_separator, infinity, minus_sign, nan, percent, per_mille, zero_digit, digit,
        pattern_separator;
} gx_decimal_format;

enum {
    GX_METHOD_UNSET = 0 /* html if the document element is html in no namespace, else xml */,
    GX_METHOD_XML,
    GX_METHOD_HTML,
    GX_METHOD_TEXT
};
typedef struct gx_output {
    u8 method, indent /* 0 no 1 yes 2 unset: yes for html */, omit_declaration /* 0, 1, 2 unset */,
        standalone /* 0 no 1 yes 2 unset */;
    u32 version, encoding, doctype_public, doctype_system, media_type;  /* lit, GX_NONE = not given */
    u32 cdata, n_cdata;         /* range of qnames */
} gx_output;

/* xsl:strip-space / preserve-space, best first (import precedence, then priority). parse.c matches element names from
 * the front. */
typedef struct gx_space {
    u32 uri, local;
    u8 test; /* GX_TEST_NAME, GX_TEST_NS, GX_TEST_ANY */
    u8 strip;
    u16 pad;
} gx_space;

/* A module of the stylesheet as a document block (doc.h), size bytes from off on: what document('') means in an
 * expression of that module. Parsed as a source is, with this program's white space rules. path: the module's, its base
 * URI. */
typedef struct gx_own_doc { u32 path /* lit */, off, size, pad; } gx_own_doc;

/* ---- the block --------------------------------------------------------------------------------------------------- */

enum {                          /* gx_program.flags */
    GX_P_NAMESPACE_AXIS = 1,    /* parse documents with GX_DOC_NAMESPACES */
    GX_P_HOST = 2,              /* has host steps: cannot run on a GPU team */
    GX_P_XPATH = 4,             /* a bare selection: global 0 is its value, no templates */
    GX_P_LATE = 8,              /* has what is an error where it is reached: a call of a template that is nowhere, an
                                   undeclared variable */
    GX_P_WRITES = 64,           /* was compiled for who writes files beside the result: exsl:document is available */
    GX_P_FETCHED = 16,          /* modules were fetched (gx_loader.fetch): they may have changed since, and no file
                                   tells */
    GX_P_COPIES = 128,          /* some template only copies: gx_rule.copies */
    GX_P_STRICT = 32            /* a malformed pattern of format-number() is an error; else the number is written
                                   plainly */
};
#define GX_P_STRATEGY(flags) ((flags) >> 8 & 7u)        /* of every twig: GX_STRATEGY_* */
#define GX_P_WITH_STRATEGY(strategy) ((u32)(strategy) << 8)

typedef struct gx_table { u32 off, n; } gx_table;

typedef struct gx_program {
    u32 magic, flags;
    u64 size;
    gx_table lits;              /* gx_lit; lit 0 is "" */
    gx_table pnames;            /* gx_pname; 0 = other */
    gx_table qnames, nsdecls, nslists, wheres;
    gx_table nums;              /* double */
    gx_table ops, exprs;
    gx_table twigs, twig_nodes;
    gx_table psteps, patterns;
    gx_table rules;             /* gx_rule by mode, best first */
    gx_table candidates;        /* u32 rule indexes */
    gx_table dispatch;          /* gx_range */
    gx_table modes;             /* mode 0 is the default mode */
    gx_table instrs, bodies, branches, with_params, sorts, numbers;
    gx_table globals, functions;
    gx_table keys, key_names;   /* key_names: qname */
    gx_table decimal_formats;   /* 0 is the default one */
    gx_table spaces;
    gx_table cdata;             /* u32 qname */
    gx_table output;            /* gx_output[1] */
    gx_table files;             /* u32 lit: every file it was made from, the stylesheet first (for reloading) */
    gx_table own_docs;          /* gx_own_doc: modules whose expressions may ask for their own document */
    gx_table prepared;          /* serialize.c's own code, made by gx_serialize_prepare; n bytes */
    u32 start_mode;             /* mode of the initial apply-templates to the root */
    u32 n_key_names;
    u32 vendor, vendor_url;     /* lit: system-property('xsl:vendor') and ('xsl:vendor-url') */
} gx_program;

/* The tables and what they hold: T(name, type) for each but prepared, which is not an array. */
#define GX_EACH_TABLE(T) \
    T(lits, gx_lit) \
    T(pnames, gx_pname) T(qnames, gx_qname) T(nsdecls, gx_nsdecl) T(nslists, gx_nslist) T(wheres, gx_where) \
        T(nums, double) T(ops, gx_op) T(exprs, gx_expr) T(twigs, gx_twig) T(twig_nodes, gx_twig_node) \
            T(psteps, gx_pstep) T(patterns, gx_pattern) T(rules, gx_rule) \
            T(candidates, u32) T(dispatch, gx_range) T(modes, gx_mode) T(instrs, gx_instr) T(bodies, gx_body) \
                T(branches, gx_branch) T(with_params, gx_with_param) T(sorts, gx_sort) T(numbers, gx_number) \
                    T(globals, gx_global) T(functions, gx_function) T(keys, gx_key) T(key_names, u32) \
                        T(decimal_formats, gx_decimal_format) T(spaces, gx_space) T(cdata, u32) T(output, gx_output) \
                            T(files, u32) T(own_docs, gx_own_doc)

#define GX_PROG_TAB(p, type, table) ((const type *)((const char *)(p) + (p)->table.off))
#define GX_LIT(p, i) (GX_PROG_TAB(p, gx_lit, lits)[i])
#define GX_LIT_AT(p, i) ((const char *)(p) + GX_LIT(p, i).off)

#endif
