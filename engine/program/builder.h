/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builder.h -- inside the compiler: the program builder, and XPath as the stylesheet compiler sees it
 *
 * A gx_builder holds each of the program's tables as a growing array in a pool and interns strings and names;
 * gx_builder_pack lays them out as one block. plan/compile.c appends expressions and patterns to it, xslt/ everything
 * else.
 */
#ifndef GX_COMPILE_H
#define GX_COMPILE_H

#include <apr_hash.h>
#include <apr_pools.h>
#include "gx.h"

typedef struct gx_vec { char *at; u32 n, cap, size; } gx_vec;       /* n elements of `size` bytes */
#define GX_VEC_AT(vec, type, i) (&((type *)(vec)->at)[i])           /* not across a push: the array may move */

/* Does an instruction have content up to a GX_I_END? Its c is that one's pc, a of the GX_I_END its own. */
static inline int gx_iop_has_end(u32 op)
{
    return op == GX_I_ELEM || op == GX_I_ELEM_DYN || op == GX_I_ATTR || op == GX_I_ATTR_DYN || op == GX_I_COMMENT
        || op == GX_I_PI || op == GX_I_COPY || op == GX_I_MESSAGE;
}

typedef struct gx_builder {
    apr_pool_t *pool;
    gx_error *err;
    u32 flags;                  /* GX_P_* */
    const struct gx_compile_options *options;   /* whose planned is told; NULL: nobody is */
    gx_rule_set rules_off;      /* those of plan/rules.c's that are not to be applied */
    u32 start_mode;
    u32 vendor, vendor_url;     /* lit */
    gx_vec lits, pnames, qnames, nsdecls, nslists, wheres, nums, ops, exprs, twigs, twig_nodes, psteps, patterns, rules,
        candidates, dispatch, modes, instrs, bodies, branches, with_params, sorts, numbers, globals, functions,
        keys, key_names,
        decimal_formats, spaces, cdata, output, files, own_docs;
    gx_vec lit_bytes;           /* lits' off counts from here until packed */
    /* gx_builder_limit's */
    u64 memory, time_us, deadline_us;
    u64 charged;                /* bytes */
    u32 charges;                /* calls: now and then one looks at the clock */
    gx_status stopped;          /* GX_ELIMIT, GX_ETIME: a limit is reached */
    apr_hash_t *lit_index, *pname_index, *qname_index, *num_index, *nslist_index;
    apr_hash_t *join_index;     /* what a key of the compiler's making looks up -> its number + 1 (plan/join.c) */
} gx_builder;

gx_builder *gx_builder_create(apr_pool_t *pool,
                              gx_error *err); /* lit 0 = "", pname 0 = other, where 0 = unknown are there */
/* What system-property() says of xsl:vendor and xsl:vendor-url, NULL = ours; without this call there are no such
 * properties. */
void gx_builder_vendor(gx_builder *b, const char *vendor, const char *url);
/* How much memory and time compiling may take from now on, 0 = no limit. */
void gx_builder_limit(gx_builder *b, u64 memory, u64 time_us);
/* Memory is about to be taken from the pool. Whoever makes something in a loop asks gx_builder_go_on() in it, too. */
void gx_builder_charge(gx_builder *b, u64 bytes);
gx_status gx_builder_stop(gx_builder *b, const char *file, u32 line, u32 column);
/* GX_OK, or the error that a limit is reached, at this place. */
static inline gx_status gx_builder_go_on(gx_builder *b, const char *file, u32 line, u32 column)
{
    return b->stopped ? gx_builder_stop(b, file, line, column) : GX_OK;
}
u32 gx_builder_push(gx_builder *b, gx_vec *vec, const void *element);   /* its index */
u32 gx_builder_lit(gx_builder *b, const char *s, size_t n);             /* interned */
u32 gx_builder_pname(gx_builder *b, const char *uri, const char *local);    /* interned; uri "" = none */
u32 gx_builder_qname(gx_builder *b, const char *prefix, const char *local, const char *uri);   /* interned */
u32 gx_builder_num(gx_builder *b, double value);
u32 gx_builder_where(gx_builder *b, const char *file, u32 line, u32 column);
/* decls: pairs (prefix, uri) as lit indexes; interned by content */
u32 gx_builder_nslist(gx_builder *b, const gx_nsdecl *decls, u32 n);
/* What xsl:decimal-format says where it says nothing (12.3), without a name. */
gx_decimal_format gx_builder_decimal_format(gx_builder *b);
const char *gx_builder_lit_text(const gx_builder *b, u32 lit, size_t *n);
/* Is it a pattern that format-number() can use with this decimal format? */
int gx_builder_picture(const gx_builder *b, const char *pattern, u32 format);
/* One malloc'd block (free() it), with gx_serialize_prepare's code added. */
gx_status gx_builder_pack(gx_builder *b, gx_program **out);
/* Appends n bytes to a packed program, which moves: *off is where they are, a multiple of 16. *program stays the
 * caller's also when this fails. */
gx_status gx_builder_append(gx_builder *b, gx_program **program, const void *bytes, size_t n, u32 *off);

/* a function of the stylesheet; places: GX_CALL_PLACES */
typedef struct gx_callee { u32 index, n_params; int places; } gx_callee;

typedef struct gx_variable {
    int global;
    u32 index; /* global, or slot */
    u32 hops;
    u8 type; /* static gx_type or ANY */
    u8 again; /* of a loop around, or a parameter: frames with other values of it may have the same context node */
    const struct gx_plan *plan; /* what the same expression here would be planned as; NULL: it would be another */
} gx_variable;

#define GX_KEY_ITSELF 0xfffffffeu       /* the key that the expression is part of, or one that asks for it */

/* What an expression stands in. All callbacks get ctx. */
typedef struct gx_xpath_env {
    gx_builder *b;
    const char *file;
    u32 line, column;           /* where the attribute (or option) stands: errors name it and quote the expression */
    void *ctx;
    /* URI of a prefix, or NULL if it is not declared. Never asked for the default namespace: XPath does not use it. */
    const char *(*namespace_uri)(void *ctx, const char *prefix);
    /* 1 and *out, or 0: no such variable in scope. NULL: variables are not allowed here, as no_variables says. */
    int (*variable)(void *ctx, const char *uri, const char *local, gx_variable *out);
    /* The code refers to a local variable. NULL = nobody wants to know. */
    void (*refers)(void *ctx, u32 hops, u32 slot);
    /* Where the plan of a variable's value is put; NULL = it is not kept. */
    const struct gx_plan **plan;
    /* Local variables in scope, for what is compiled when it runs: a line each, "hops slot {uri}local", the innermost
     * first. In b->pool. NULL = there are none. */
    const char *(*in_scope)(void *ctx);
    const char *no_variables;   /* the sentence; NULL = a general one */
    u32 (*key)(void *ctx, const char *uri, const char *local);      /* key name number, GX_NONE, GX_KEY_ITSELF */
    u32 (*decimal_format)(void *ctx, const char *uri, const char *local);    /* index, GX_NONE */
    /* 1 and *out, or 0: the stylesheet has no such function. NULL = there are none. */
    int (*function)(void *ctx, const char *uri, const char *local, gx_callee *out);
    int (*element_available)(void *ctx, const char *uri, const char *local);
    /* The expression may ask for the document that it stands in (document('')). NULL = there is none. */
    void (*asks_own)(void *ctx);
    const char *base_uri;       /* of the stylesheet's node, for document() */
    const char *document_uri;   /* of its document, for document(''); NULL = the same */
    u32 nslist;                 /* namespaces in scope, for functions that get a QName at run time */
    int only_string;            /* only the value's string counts (xsl:value-of) */
    int any_order;              /* a set's nodes may come in any order (they are sorted) */
    u32 first_of;               /* of a set's nodes so many are wanted, GX_NONE: the last one; 0: all */
    /* What is an error only where it is evaluated: b->err says what. NULL = it is one at once, as a pattern's is that
     * cannot be read. */
    void (*late)(void *ctx);
    /* b->err is a slip that is tolerated: GX_OK, or the error that it is in strict mode. NULL = nobody is told. */
    gx_status (*slip)(void *ctx);
    int forwards;               /* forwards-compatible: `late` is not told */
    int no_current;             /* current() is not allowed (patterns) */
    u8 enclosed;                /* libxslt puts the text between "number(" and ")": its end ends nothing */
} gx_xpath_env;

/* want: GX_T_ANY, or BOOL NUM STR SET: a conversion is appended where the static type is another (SET: checked).
 * *expr: index in b->exprs. Errors: GX_ESTYLE, "file:line:col: ... in expression "..." at character N". */
gx_status gx_xpath_compile(const gx_xpath_env *env, const char *text, u32 want, u32 *expr);

/* gx_compile_select (gx.h) where variables are in scope: of an evaluation that runs, whose slots and globals `variable`
 * knows. */
typedef struct gx_select_scope {
    int (*variable)(void *ctx, const char *uri, const char *local, gx_variable *out);
    void *ctx;
    const char *in_scope;       /* as gx_xpath_env's, for expressions within expressions */
    const char *base_uri;
} gx_select_scope;
gx_status gx_select_compile(const char *expression, const gx_compile_options *options, const gx_select_scope *scope,
                            apr_pool_t *pool, gx_program **out, gx_error *err);

/* A pattern: n alternatives in b->patterns from *first; priority[i] are their default priorities (XSLT 1.0, 5.5), in
 * b->pool. *n is 0 where a slip makes it match nothing. */
gx_status gx_pattern_compile(const gx_xpath_env *env, const char *text, u32 *first, u32 *n, double **priority);

/* A pattern that matches the nodes of a set, whichever node is the context: one with an absolute path. */
gx_status gx_pattern_of_set(const gx_xpath_env *env, const char *text, u32 *first);

/* An attribute value template as parts: each a literal (lit != GX_NONE) or an expression (STR or NUM or
 * NODE-convertible: any type that GX_I_VALUE takes). "{{" and "}}" are resolved, empty literals left out. */
typedef struct gx_avt_part { u32 lit, expr; } gx_avt_part;
gx_status gx_avt_compile(const gx_xpath_env *env, const char *text, gx_avt_part **parts, u32 *n);
/* The same as one STR expression (CONCAT of the parts); *literal != NULL (in b->pool) when it has no expression. */
gx_status gx_avt_expr(const gx_xpath_env *env, const char *text, u32 *expr, const char **literal);

/* explain.c: an expression's code as one line of text, for tests and --explain. */
void gx_explain_expr(const gx_program *program, u32 expr, gx_sink sink, void *ctx);
/* .. with the time and rows of operators that took much of it */
void gx_explain_times(const gx_program *program, const gx_profile *profile, u32 expr, gx_sink sink, void *ctx);
/* a literal, on one line */
void gx_explain_text(const gx_program *program, u32 lit, char quote, gx_sink sink, void *ctx);

#endif
