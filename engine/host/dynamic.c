/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dynamic.c -- EXSLT's dynamic module: expressions that are strings (dyn:evaluate, map, closure, min, max, sum)
 *
 * An expression is compiled as a program of its own and evaluated by the solo machine (machine/solo.h) over the same
 * arena:
 *
 *   own program           names bound to the run's documents once more, by this program's numbers; literals
 *   shared with the run   documents and node ids, the groups (local variables by hops and slot), global variables, kept
 *                         memory
 *
 * A call evaluates each distinct string once, for the rows that have it. The rows make one column: node-sets if all of
 * them are; their type if it is one; else each becomes a string. A string that is no expression gives the empty
 * node-set and a warning (EXSLT). A global variable that is not there yet is GX_NEED, as in any expression.
 *
 * current() is the context node. There are no keys and, but for the default one, no decimal formats.
 *
 * Programs are kept for the evaluation, KEPT of them for each depth of expressions within expressions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <apr_hash.h>
#include <apr_strings.h>
#include "host.h"
#include "program/builder.h"
#include "machine/host_functions.h"
#include "machine/solo.h"
#include "machine/start.h"

#define DEPTH 8u                        /* dyn:evaluate("dyn:evaluate(...)") */
#define KEPT 256u /* programs from call to call; with many documents, to each of which each is bound (1 KB), fewer: */
#define KEPT_MANY 16u
#define BOUND 4096u
#define MANY 10000u                     /* different expressions in one call */
#define FOUND (1u << 24)                /* nodes that dyn:closure() finds, in all rows of a call */
#define FOUND_BYTES 24u                 /* each: a node, and two places of the table */

typedef struct expression {
    struct expression *next;            /* of those that this call evaluates */
    const char *text;
    gx_program *program;                /* NULL: it is no expression */
    gx_run run;                         /* of the program; views up to run.n_docs */
    u64 call;                           /* that it was last used in, by number */
    u32 first, last, n;                 /* its rows, a list; GX_NONE */
    u32 *rows;
    gx_v value;
} expression;

typedef struct kept {
    apr_pool_t *pool;
    apr_hash_t *by_text;
    u64 bound /* documents, by all of its expressions */, held;
} kept;
struct dynamic { u32 depth; u64 calls; kept at[DEPTH]; };

#define LOOK_BYTES (1u << 22)
typedef struct call {
    host *h;
    gx_dynamic *d;
    kept *k;
    apr_pool_t *pool;                   /* the call's, and what of the host's memory is in it */
    u64 held;
    gx_m m;                             /* memory and registers; m.run is the expression's while that runs */
    gx_run *run;                        /* the caller's */
    u32 n;                              /* rows: of the scope, or pairs of row and node (map) */
    const u32 *context, *position, *size, *group_row, *text_row;        /* by row; NULL as in gx_dynamic */
    expression *first;
    char *key;                          /* find's, used again */
    u64 key_room, looked;               /* looked: bytes since the clock was looked at */
} call;

/* Memory of the call's pool, counted. */
static gx_status take(call *c, u64 bytes, void *out)
{
    GX_TRY(gx_host_take(c->h, bytes));
    c->held += bytes;
    void *at = apr_palloc(c->pool, bytes);
    memcpy(out, &at, sizeof at);
    return GX_OK;
}

/* The call's pool has been cleared. */
static void give(call *c)
{
    gx_host_give(c->h, c->held);
    c->held = 0;
}

/* The result in kept memory. */
static gx_status keep(call *c, u64 bytes, void *out)
{
    void *at = gx_keep(&c->m, bytes);
    memcpy(out, &at, sizeof at);
    return at ? GX_OK : gx_fail(&c->h->error, GX_EARENA, "", 0, 0, "the arena is full");
}

/* ---- compiling ---- */

typedef struct names { const host *h; const gx_dynamic *d; const char *in_scope; } names;

static int lit_is(const gx_program *p, u32 lit, const char *s) { return !strcmp(GX_LIT_AT(p, lit), s); }

/* A variable by name: a line of in_scope whose slot there is, else a global of the stylesheet. The text comes from the
 * program. */
static int find_variable(void *ctx, const char *uri, const char *local, gx_variable *out)
{
    const names *n = ctx;
    const gx_run *r = n->h->run;
    const gx_program *p = n->h->ev->program;
    const char *name = apr_psprintf(n->h->ev->pool, "{%s}%s", uri, local), *line = n->in_scope, *end;
    for (; n->d->group && (end = strchr(line, '\n')); line = end + 1) {
        unsigned hops, slot;
        int at = 0;
        if (sscanf(line, "%u %u %n", &hops, &slot, &at) < 2 || !at || strlen(name) != (size_t)(end - line - at)
            || strncmp(name, line + at, strlen(name)))
            continue;
        const gx_group *g = GX_REF(n->h->base, const gx_group, n->d->group);
        for (u32 k = hops; k && g; k--)
            g = g->parent ? GX_REF(n->h->base, const gx_group, g->parent) : NULL;
        if (!g || slot >= r->bodies[g->body].n_vars)
            return 0;
        memset(out, 0, sizeof *out);
        out->index = slot;
        out->hops = hops;
        return 1;
    }
    for (u32 k = 0; k < p->globals.n; k++) {
        const gx_qname *q = GX_PROG_TAB(p, gx_qname, qnames) + GX_PROG_TAB(p, gx_global, globals)[k].name;
        if (p->flags & GX_P_XPATH || !lit_is(p, q->local, local) || !lit_is(p, q->uri, uri))
            continue;
        memset(out, 0, sizeof *out);
        out->global = 1;
        out->index = k;
        return 1;
    }
    return 0;
}

/* ---- the program's own run ---- */

/* Names of x's program bound to document k, in memory of the pool. */
static gx_status bind_names(host *h, apr_pool_t *pool, expression *x, const gx_doc *doc, u32 k)
{
    u64 names_n = x->program->pnames.n, size = 64 + 4 * (16 + 16 * names_n + 2 * (u64)doc->n_labels);
    gx_m m;
    memset(&m, 0, sizeof m);
    m.base = apr_palloc(pool, 2 * size);        /* both halves: which of them the arrays are in is bind.h's affair */
    m.run = &x->run;
    m.result = (gx_result *)h->base;
    m.top_end = m.tmp = size;
    m.tmp_end = 2 * size;
    return gx_solo_bind(&m, doc, k);
}

/* The expression's run becomes a copy of the stylesheet's, but for the program's own tables, and its names are bound
 * to those documents that have come since the last call. O(documents that are new); nothing where none is. */
static gx_status prepare(host *h, kept *in, expression *x)
{
    const gx_program *p = x->program;
    gx_run *r = &x->run;
    u32 n_docs = r->n_docs;
    gx_view *views = r->views;
    u32 *doc_refs = r->doc_refs;
    *r = *h->run;
    r->program = p;
    r->lits = GX_PROG_TAB(p, gx_lit, lits);
    r->ops = GX_PROG_TAB(p, gx_op, ops);
    r->exprs = GX_PROG_TAB(p, gx_expr, exprs);
    r->nums = GX_PROG_TAB(p, double, nums);
    r->psteps = GX_PROG_TAB(p, gx_pstep, psteps);
    r->patterns = GX_PROG_TAB(p, gx_pattern, patterns);
    r->keys = GX_PROG_TAB(p, gx_key, keys);
    r->lit_at = GX_STR_AT(GX_SPACE_ARENA, (const char *)p - h->base);
    r->views = views;
    r->doc_refs = doc_refs;
    r->n_docs = n_docs;
    r->onces = NULL;
    for (u32 k = n_docs; k < h->run->n_docs; k++) {
        gx_host_room(r, in->pool);
        GX_TRY(bind_names(h, in->pool, x, h->ev->docs[k], k));
        in->bound++;
    }
    r->n_nodes = h->run->n_nodes;
    return GX_OK;
}

/* ---- evaluating ---- */

/* The program goes to kept memory: its literals are strings like others. */
static gx_status compile(call *c, const char *in_scope, const char *base, expression *x)
{
    host *h = c->h;
    const gx_dynamic *d = c->d;
    const gx_program *p = h->run->program;         /* where the call stands, itself perhaps an expression */
    const gx_nslist *list = GX_PROG_TAB(p, gx_nslist, nslists) + d->nslist;
    const gx_nsdecl *decls = GX_PROG_TAB(p, gx_nsdecl, nsdecls);
    names n = { h, d, in_scope };
    gx_select_scope scope = { find_variable, &n, in_scope, base };
    gx_compile_options options;
    apr_pool_t *work;
    gx_error err;
    memset(&options, 0, sizeof options);
    memset(&err, 0, sizeof err);
    apr_pool_create(&work, c->pool);
    gx_param *spaces = apr_pcalloc(work, (list->n + 1) * sizeof *spaces);
    for (u32 i = 0; d->nslist < p->nslists.n && i < list->n; i++) {
        spaces[i].name = GX_LIT_AT(p, decls[list->first + i].prefix);
        spaces[i].value = GX_LIT_AT(p, decls[list->first + i].uri);
        options.n_namespaces++;
    }
    options.namespaces = spaces;
    options.vendor = GX_LIT_AT(p, p->vendor);
    options.vendor_url = GX_LIT_AT(p, p->vendor_url);
    gx_program *block;
    gx_status status = gx_select_compile(x->text, &options, &scope, work, &block, &err);
    apr_pool_destroy(work);
    if (status == GX_OK) {
        if ((status = keep(c, block->size, &x->program)) == GX_OK)
            memcpy(x->program, block, block->size);
        free(block);
        return status;
    }
    if (status == GX_ENOMEM) {
        h->error = err;
        return status;
    }
    if (h->ev->warning)
        h->ev->warning(h->ev->warning_ctx, &err);
    return GX_OK;
}

/* The expression of a row's text, from those that are kept, or compiled now. A key is the text, and all that its
 * meaning depends on: namespaces, variables in scope, base URI. *out lives as long as the kept ones. A text that is
 * no expression is kept, too (program NULL), so that it is warned of once. Fails with GX_ELIMIT at MANY, and as
 * compiling does. */
static gx_status find(call *c, u32 row, expression **out)
{
    host *h = c->h;
    gx_str s = gx_host_row(&c->d->text, c->text_row ? c->text_row[row] : row), scope = c->d->in_scope,
           base = c->d->base;
    const char *text = gx_host_bytes(h, s), *in_scope = gx_host_bytes(h, scope);
    /* the same text elsewhere may mean other variables, namespaces and documents */
    u32 key_len = (u32)(s.len + 1 + sizeof c->d->nslist + scope.len + base.len);
    expression *x;
    char *key;
    if (c->text_row == NULL && c->d->text.is_const && c->first) {
        *out = c->first;
        return GX_OK;
    }
    if (key_len > c->key_room) {
        GX_TRY(take(c, 2 * (u64)key_len, &c->key));
        c->key_room = 2 * (u64)key_len;
    }
    if ((c->looked += key_len) > LOOK_BYTES) {
        c->looked = 0;
        GX_TRY(gx_host_look(h));
    }
    key = c->key;
    memcpy(key, text, s.len);
    key[s.len] = 0;
    memcpy(key + s.len + 1, &c->d->nslist, sizeof c->d->nslist);
    memcpy(key + s.len + 1 + sizeof c->d->nslist, in_scope, scope.len);
    memcpy(key + s.len + 1 + sizeof c->d->nslist + scope.len, gx_host_bytes(h, base), base.len);
    x = apr_hash_get(c->k->by_text, key, key_len);
    if (!x) {
        if (apr_hash_count(c->k->by_text) >= KEPT + MANY)
            return gx_fail(&h->error, GX_ELIMIT, "", 0, 0, "more than %u different expressions at once", MANY);
        GX_TRY(gx_host_look(h));
        const u64 size = sizeof *x + (u64)s.len + scope.len + key_len;
        GX_TRY(gx_host_take(h, size));
        c->k->held += size;
        x = apr_pcalloc(c->k->pool, sizeof *x);
        x->text = apr_pstrmemdup(c->k->pool, text, s.len);
        if (strlen(x->text) == s.len)
            GX_TRY(compile(c, apr_pstrmemdup(c->k->pool, in_scope, scope.len),
                           apr_pstrmemdup(c->k->pool, gx_host_bytes(h, base), base.len), x));
        apr_hash_set(c->k->by_text, apr_pmemdup(c->k->pool, key, key_len), key_len, x);
    }
    *out = x;
    return GX_OK;
}

/* Which rows have which expression: lists in row order, and the expressions in the order of their first rows. */
static gx_status group_rows(call *c)
{
    u32 *next;
    expression *tail = NULL;
    GX_TRY(take(c, ((u64)c->n + 1) * sizeof *next, &next));
    for (u32 i = 0; i < c->n; i++) {
        expression *x = NULL;
        GX_TRY(find(c, i, &x));
        next[i] = GX_NONE;
        if (x->call != c->h->dynamic->calls) {
            x->call = c->h->dynamic->calls;
            x->first = i;
            x->n = 0;
            x->next = NULL;
            if (tail)
                tail->next = x;
            else
                c->first = x;
            tail = x;
        } else {
            next[x->last] = i;
        }
        x->last = i;
        x->n++;
    }
    for (expression *x = c->first; x; x = x->next) {
        GX_TRY(take(c, (u64)x->n * sizeof *x->rows, &x->rows));
        for (u32 i = x->first, k = 0; i != GX_NONE; i = next[i])
            x->rows[k++] = i;
    }
    return GX_OK;
}

/* column[rows[i]] for the n rows of an expression, in scratch; NULL stays NULL. */
static gx_status gather(call *c, const expression *x, const u32 *column, const u32 **out)
{
    u32 *to = NULL;
    if (column) {
        to = gx_tmp(&c->m, (u64)x->n * sizeof *to);
        if (!to)
            return gx_fail(&c->h->error, GX_EARENA, "", 0, 0, "the arena is full");
        for (u32 i = 0; i < x->n; i++)
            to[i] = column[x->rows[i]];
    }
    *out = to;
    return GX_OK;
}

/* Documents that an expression's own host steps have loaded become the run's. */
static gx_status adopt_documents(call *c)
{
    for (u32 k = c->run->n_docs; k < c->h->ev->n_docs; k++) {
        gx_m m = c->m;                          /* its scratch is in use up to tmp */
        gx_host_room(c->run, c->h->ev->pool);
        if (gx_solo_bind(&m, c->h->ev->docs[k], k) != GX_OK)
            return gx_fail(&c->h->error, GX_EARENA, "", 0, 0, "the arena is full");
        c->m.top = m.top;
    }
    c->m.n_docs = c->run->n_docs;
    return GX_OK;
}

/* x->value := the expression's value for its own rows: the call's columns are gathered for them, and the solo machine
 * runs over the same arena. Documents that it loads are adopted by the stylesheet's run even where it ends with
 * GX_NEED. */
static gx_status evaluate(call *c, expression *x)
{
    host *h = c->h;
    gx_env env;
    x->value = gx_v_make(GX_T_SET, 1, h->run->zero);
    x->value.off = h->run->zero;
    x->value.cnt = h->run->zero;
    x->value.is_const = 1;
    if (!x->program)
        return GX_OK;
    memset(&env, 0, sizeof env);
    env.scope.n = x->n;
    GX_TRY(gather(c, x, c->context, &env.scope.context));
    GX_TRY(gather(c, x, c->position, &env.scope.position));
    GX_TRY(gather(c, x, c->size, &env.scope.size));
    GX_TRY(gather(c, x, c->group_row, &env.group_row));
    if (!env.group_row && x->n != c->n)
        env.group_row = x->rows;
    GX_TRY(prepare(h, c->k, x));
    c->m.run = h->run = &x->run;                /* its host steps add documents there */
    c->m.n_docs = x->run.n_docs;
    gx_status status = gx_solo_eval(&c->m, GX_PROG_TAB(x->program, gx_global, globals)[0].expr, &env, &x->value);
    h->run = c->run;
    c->m.run = c->run;
    /* also when a value is wanted first: what the expression made until then stays in its run, under these numbers */
    gx_status adopted = adopt_documents(c);
    return status == GX_OK ? adopted : status;
}

static gx_status strings(call *c, expression *x, gx_str *out)
{
    GX_TRY(gx_solo_strings(&c->m, &x->value, x->n));
    for (u32 i = 0; i < x->n; i++)
        out[x->rows[i]] = gx_row_str(&c->m, &x->value, i);
    return GX_OK;
}

/* *out: the node-sets of all expressions as one column, by row; ids are kept. O(nodes). */
static gx_status sets(call *c, gx_v *out)
{
    u32 *off, *cnt, *ids;
    u64 total = 0, at = 0;
    for (expression *x = c->first; x; x = x->next)
        for (u32 i = 0; i < x->n; i++) {
            u32 b, e;
            gx_v_range(&x->value, i, &b, &e);
            total += e - b;
        }
    if (total >= 0xfffffff0u)
        return gx_fail(&c->h->error, GX_EARENA, "", 0, 0, "the arena is full");
    GX_TRY(keep(c, (u64)c->n * sizeof *off, &off));
    GX_TRY(keep(c, (u64)c->n * sizeof *cnt, &cnt));
    GX_TRY(keep(c, total * sizeof *ids, &ids));
    for (expression *x = c->first; x; x = x->next)
        for (u32 i = 0; i < x->n; i++) {
            u32 b, e;
            gx_v_range(&x->value, i, &b, &e);
            off[x->rows[i]] = (u32)at;
            cnt[x->rows[i]] = e - b;
            for (u32 k = b; k < e; k++)
                ids[at++] = ((const u32 *)x->value.data)[k];
        }
    *out = gx_v_make(GX_T_SET, c->n, ids);
    out->off = off;
    out->cnt = cnt;
    return GX_OK;
}

/* A fragment that a variable holds is what exsl:node-set() makes of it: its tree's root. */
static gx_status fragments(call *c, expression *x)
{
    u32 n = gx_v_rows(&x->value, x->n), *roots = NULL;
    u8 is_const = x->value.is_const;
    GX_TRY(gx_solo_fragments(&c->m, &x->value, n));
    GX_TRY(keep(c, (u64)n * sizeof *roots, &roots));
    gx_host_begin(&c->m);
    gx_status status = c->run->host->node_set(c->h, x->value.data, x->value.str, n, roots);
    gx_docs_changed(&c->m);
    GX_TRY(status);
    x->value = gx_v_make(GX_T_SET, n, roots);
    x->value.is_const = is_const;
    return GX_OK;
}

/* The one column of all rows. want: GX_T_ANY, or the type that each value is converted to. */
static gx_status column(call *c, u8 want, gx_v *out)
{
    u8 type = want;
    for (expression *x = c->first; x && !want; x = x->next) {
        if (x->value.type == GX_T_RTF)
            GX_TRY(fragments(c, x));
        u8 has = x->value.type;
        type = x == c->first || type == has ? has : GX_T_STR;
    }
    if (type == GX_T_SET)
        return sets(c, out);
    u32 size = type == GX_T_BOOL ? 1 : type == GX_T_NUM ? sizeof(double) : sizeof(gx_str);
    void *data;
    GX_TRY(keep(c, (u64)c->n * size, &data));
    for (expression *x = c->first; x; x = x->next) {
        if (type == GX_T_STR) {
            GX_TRY(strings(c, x, data));
            continue;
        }
        for (u32 i = 0; i < x->n; i++)
            if (type == GX_T_NUM)
                ((double *)data)[x->rows[i]] = gx_row_num(&c->m, &x->value, i);
            else
                ((u8 *)data)[x->rows[i]] = (u8)gx_row_bool(&c->m, &x->value, i);
    }
    *out = gx_v_make(type, c->n, data);
    return GX_OK;
}

/* ---- map: what is no node-set becomes elements ---- */

/* dyn:map() whose values are no node-sets: a tree for each of the scope's rows, with an exsl:number, exsl:string or
 * exsl:boolean element for each node of its set, in their order. *out: these elements. The trees are documents of the
 * run, so host_top moves. */
static gx_status elements(call *c, const gx_v *pairs, const u32 *off, gx_v *out)
{
    static const char *const kinds[] = { [GX_T_BOOL] = "boolean", [GX_T_NUM] = "number", [GX_T_STR] = "string" };
    u32 n = c->d->n, *roots, *from, *cnt, *ids, at = 0;
    gx_v text = *pairs;
    gx_host_trees t;
    GX_TRY(gx_solo_strings(&c->m, &text, c->n));
    GX_TRY(keep(c, (u64)n * sizeof *roots, &roots));
    GX_TRY(keep(c, (u64)n * sizeof *from, &from));
    GX_TRY(keep(c, (u64)n * sizeof *cnt, &cnt));
    GX_TRY(keep(c, (u64)c->n * sizeof *ids, &ids));
    c->run->host_top = c->m.top;                /* the document's names are bound behind it */
    GX_TRY(gx_host_trees_begin(c->h, &t));
    gx_status status = GX_OK;
    for (u32 i = 0; i < n && status == GX_OK; i++) {
        status = gx_host_trees_next(&t);
        for (u32 k = off[i]; k < off[i + 1] && status == GX_OK; k++) {
            gx_str s = gx_row_str(&c->m, &text, k);
            if (pairs->type == GX_T_BOOL && !gx_row_bool(&c->m, pairs, k))         /* false is the empty element */
                s = gx_str_none();
            status = gx_host_trees_value(&t, kinds[pairs->type], gx_bytes(&c->m, s), s.len);
        }
    }
    GX_TRY(gx_host_trees_end(&t, status, roots, n));
    c->m.top = c->run->host_top;
    c->m.n_docs = c->run->n_docs;
    for (u32 i = 0; i < n; i++) {
        const gx_view *v = gx_view_of(&c->m, roots[i]);
        from[i] = at;
        for (u32 node = roots[i] + 1; node < gx_next(v, roots[i]); node = gx_next(v, node))
            ids[at++] = node;
        cnt[i] = at - from[i];
    }
    *out = gx_v_make(GX_T_SET, n, ids);
    out->off = from;
    out->cnt = cnt;
    return GX_OK;
}

/* min, max: NaN for none or when one is not a number; sum: in the order of the nodes. */
static double fold(u32 func, const double *values, u32 n)
{
    double so_far = func == GX_F_DYN_SUM ? 0 : gx_nan();
    for (u32 i = 0; i < n; i++) {
        if (gx_is_nan(values[i]))
            return values[i];
        if (func == GX_F_DYN_SUM)
            so_far += values[i];
        else if (!i || (func == GX_F_DYN_MAX ? values[i] > so_far : values[i] < so_far))
            so_far = values[i];
    }
    return so_far;
}

/* Each row's nodes in document order, once; at: where they begin, and the end. Both in kept memory. */
static gx_status in_order(call *c, u32 *at, u32 *ids, gx_v *out)
{
    const u32 n = c->d->n;
    gx_v all = gx_v_make(GX_T_SET, n, ids);
    all.off = at;
    GX_TRY(gx_solo_order(&c->m, &all));
    u32 *kept_ids, n_ids = all.off[n];
    GX_TRY(keep(c, (u64)n_ids * sizeof *kept_ids, &kept_ids));
    memcpy(kept_ids, all.data, (u64)n_ids * sizeof *kept_ids);
    memmove(at, all.off, ((u64)n + 1) * sizeof *at);
    *out = gx_v_make(GX_T_SET, n, kept_ids);
    out->off = at;
    return GX_OK;
}

/* From a value for each pair of row and node to a value for each row: pairs off[i] .. off[i + 1] are row i's.
 * dyn:map() unites node-sets and makes elements of all else; min, max and sum give a number. */
static gx_status fold_rows(call *c, const gx_v *pairs, const u32 *off, gx_v *out)
{
    const gx_dynamic *d = c->d;
    if (d->func == GX_F_DYN_MAP && pairs->type != GX_T_SET)
        return elements(c, pairs, off, out);
    if (d->func == GX_F_DYN_MAP) {              /* the union of each row's sets: pairs of a row lie together */
        u32 *at, *ids, total = 0;
        GX_TRY(keep(c, ((u64)d->n + 1) * sizeof *at, &at));
        for (u32 k = 0; k < c->n; k++)
            total += pairs->cnt[k];
        GX_TRY(keep(c, (u64)total * sizeof *ids, &ids));
        total = 0;
        for (u32 i = 0; i < d->n; i++) {
            at[i] = total;
            for (u32 k = off[i]; k < off[i + 1]; k++)
                for (u32 j = 0; j < pairs->cnt[k]; j++)
                    ids[total++] = ((const u32 *)pairs->data)[pairs->off[k] + j];
        }
        at[d->n] = total;
        return in_order(c, at, ids, out);
    }
    double *values;
    GX_TRY(keep(c, (u64)d->n * sizeof *values, &values));
    for (u32 i = 0; i < d->n; i++)
        values[i] = fold(d->func, (const double *)pairs->data + off[i], off[i + 1] - off[i]);
    *out = gx_v_make(GX_T_NUM, d->n, values);
    return GX_OK;
}

/* Rows of the expressions: of the scope, or with a set each of its nodes. */
static gx_status rows(call *c, u32 **off)
{
    const gx_dynamic *d = c->d;
    u32 *group_row = NULL;
    u64 total = 0;
    if (d->map || d->group_row) {
        GX_TRY(take(c, ((u64)d->n + 1) * sizeof *group_row, &group_row));
        for (u32 i = 0; i < d->n; i++) {
            u32 r = d->map ? d->map[i] : i;
            group_row[i] = d->group_row ? d->group_row[r] : r;
        }
    }
    c->n = d->n;
    c->context = d->context;
    c->position = d->position;
    c->size = d->size;
    c->group_row = group_row;
    *off = NULL;
    if (d->func == GX_F_DYN_EVALUATE)
        return GX_OK;
    GX_TRY(take(c, ((u64)d->n + 1) * sizeof **off, off));
    for (u32 i = 0; i < d->n; i++) {
        u32 b, e;
        gx_v_range(&d->set, i, &b, &e);
        (*off)[i] = (u32)total;
        total += e - b;
        if (total >= 0x10000000u)
            return gx_fail(&c->h->error, GX_ELIMIT, "", 0, 0, "too many nodes at once");
    }
    (*off)[d->n] = (u32)total;
    u32 *all;
    GX_TRY(take(c, (5 * total + 1) * sizeof *all, &all));
    u32 *context = all, *position = all + total, *size = all + 2 * total, *to_group = all + 3 * total,
        *text_row = all + 4 * total;
    for (u32 i = 0; i < d->n; i++) {
        u32 b, e;
        gx_v_range(&d->set, i, &b, &e);
        for (u32 k = b, to = (*off)[i]; k < e; k++, to++) {
            context[to] = ((const u32 *)d->set.data)[k];
            position[to] = k - b + 1;
            size[to] = e - b;
            to_group[to] = group_row ? group_row[i] : i;
            text_row[to] = i;
        }
    }
    c->n = (u32)total;
    c->context = context;
    c->position = position;
    c->size = size;
    c->group_row = to_group;
    c->text_row = text_row;
    return GX_OK;
}

/* Groups the rows by expression, so that each distinct text is compiled and evaluated once for all its rows. */
static gx_status evaluate_all(call *c)
{
    c->h->dynamic->calls++;
    c->first = NULL;
    GX_TRY(group_rows(c));
    for (expression *x = c->first; x; x = x->next) {
        GX_TRY(gx_host_look(c->h));
        GX_TRY(evaluate(c, x));
    }
    return GX_OK;
}

/* ---- closure ---- */

/* Not apr_hash, which takes about four times as much a node, and there may be FOUND of them. */
typedef struct found {
    u64 *node, *slot;                   /* row << 32 | id, as they came; open addressing, index into node + 1. On the
                                           heap */
    u64 n, room;                        /* room: of node, half of slot's; a power of two */
} found;

static u64 *slot_of(const found *f, u64 node)
{
    const u64 mask = 2 * f->room - 1;
    u64 at = node * 0x9e3779b97f4a7c15ull >> 20 & mask;
    while (f->slot[at] && f->node[f->slot[at] - 1] != node)
        at = (at + 1) & mask;
    return &f->slot[at];
}

/* Adds a node to those found, once. An open hash table of twice as many slots as nodes, doubled when it is half full,
 * which is counted against the process's share of memory. */
static gx_status add_found(call *c, found *f, u64 node)
{
    if (f->n == f->room) {
        found more = { NULL, NULL, f->n, f->room ? 2 * f->room : 64 };
        if (more.room > FOUND)
            return gx_fail(&c->h->error, GX_ELIMIT, "", 0, 0, "too many nodes at once");
        GX_TRY(gx_host_take(c->h, (more.room - f->room) * FOUND_BYTES));
        more.node = realloc(f->node, more.room * sizeof *more.node);
        if (!more.node)
            return gx_fail(&c->h->error, GX_ENOMEM, "", 0, 0, "no memory for dyn:closure()");
        f->node = more.node;
        more.slot = calloc(2 * more.room, sizeof *more.slot);
        if (!more.slot)
            return gx_fail(&c->h->error, GX_ENOMEM, "", 0, 0, "no memory for dyn:closure()");
        for (u64 k = 0; k < f->n; k++)
            *slot_of(&more, f->node[k]) = k + 1;
        free(f->slot);
        *f = more;
    }
    u64 *slot = slot_of(f, node);
    if (!*slot) {
        f->node[f->n] = node;
        *slot = ++f->n;
    }
    return GX_OK;
}

/* What was found from the first on, as a column. */
static gx_status found_set(call *c, const found *f, u64 first, gx_v *out)
{
    const u32 n = c->d->n;
    u32 *at, *ids;
    GX_TRY(keep(c, ((u64)n + 1) * sizeof *at, &at));
    GX_TRY(keep(c, (f->n - first) * sizeof *ids, &ids));
    memset(at, 0, ((u64)n + 1) * sizeof *at);
    for (u64 k = first; k < f->n; k++)
        at[(f->node[k] >> 32) + 1]++;
    for (u32 i = 0; i < n; i++)
        at[i + 1] += at[i];
    for (u64 k = first; k < f->n; k++)
        ids[at[f->node[k] >> 32]++] = (u32)f->node[k];
    memmove(at + 1, at, (u64)n * sizeof *at);
    at[0] = 0;
    return in_order(c, at, ids, out);
}

/* The expression for each node, for those that it gave and were not there before, and so on, until there is none or it
 * gives no node-set. */
static gx_status levels(call *c, found *f)
{
    const u64 tmp = c->m.tmp;
    u32 *off;
    for (;;) {
        const u64 level = f->n;
        apr_pool_clear(c->pool);
        give(c);
        c->key_room = 0;
        GX_TRY(rows(c, &off));
        if (!c->n)
            return GX_OK;
        c->m.tmp = tmp;
        GX_TRY(evaluate_all(c));
        for (expression *x = c->first; x; x = x->next) {
            for (u32 i = 0; x->value.type == GX_T_SET && i < x->n; i++) {
                u32 b, e;
                gx_v_range(&x->value, i, &b, &e);
                for (u32 k = b; k < e; k++)
                    GX_TRY(add_found(c, f, (u64)c->text_row[x->rows[i]] << 32 | ((const u32 *)x->value.data)[k]));
            }
        }
        if (f->n == level)
            return GX_OK;
        GX_TRY(found_set(c, f, level, &c->d->set));
    }
}

/* dyn:closure(): levels of nodes until one has no new ones, of all rows together; found nodes by hash. */
static gx_status closure(call *c)
{
    const gx_v first = c->d->set;
    apr_pool_t *pool = c->pool;
    found f = { NULL, NULL, 0, 0 };
    apr_pool_create(&c->pool, pool);
    gx_status status = levels(c, &f);
    apr_pool_destroy(c->pool);
    c->pool = pool;
    c->d->set = first;
    if (status == GX_OK)
        status = found_set(c, &f, 0, &c->d->value);
    free(f.node);
    free(f.slot);
    gx_host_give(c->h, f.room * FOUND_BYTES);
    return status;
}

/* The four functions of the module as one: rows, expressions, and how a row's values make its own. */
static gx_status run_call(call *c)
{
    gx_dynamic *d = c->d;
    u32 *off;
    gx_v pairs;
    if (d->func == GX_F_DYN_CLOSURE)
        return closure(c);
    GX_TRY(rows(c, &off));
    GX_TRY(evaluate_all(c));
    if (d->func == GX_F_DYN_EVALUATE)
        return column(c, GX_T_ANY, &d->value);
    if (!c->n)                          /* no node for anybody: nothing says of which type */
        pairs = gx_v_make(d->func == GX_F_DYN_MAP ? GX_T_SET : GX_T_NUM, 0, c->run->zero);
    else
        GX_TRY(column(c, d->func == GX_F_DYN_MAP ? GX_T_ANY : GX_T_NUM, &pairs));
    return fold_rows(c, &pairs, off, &d->value);
}

/* One call, for all rows of its scope. Kept programs are forgotten all at once, when there are too many; those of a
 * deeper level (an expression within an expression) are others', since the outer ones are in use. What the call made
 * is in kept memory, from host_top on. */
gx_status gx_host_dynamic(void *ctx, gx_dynamic *d)
{
    host *h = ctx;
    call c;
    if (!h->dynamic)
        h->dynamic = apr_pcalloc(h->ev->pool, sizeof *h->dynamic);
    struct dynamic *all = h->dynamic;
    if (all->depth == DEPTH)
        return gx_fail(&h->error, GX_ELIMIT, "", 0, 0, "dyn:evaluate within dyn:evaluate deeper than %u", DEPTH);
    memset(&c, 0, sizeof c);
    c.h = h;
    c.d = d;
    c.run = h->run;
    c.k = &all->at[all->depth];
    if (c.k->by_text
        && (apr_hash_count(c.k->by_text) >= KEPT || c.k->bound > BOUND + KEPT_MANY * (u64)h->run->n_docs)) {
        apr_pool_clear(c.k->pool);
        c.k->by_text = NULL;
        c.k->bound = 0;
        gx_host_give(h, c.k->held);
        c.k->held = 0;
    }
    if (!c.k->pool)
        apr_pool_create(&c.k->pool, h->ev->pool);
    if (!c.k->by_text)
        c.k->by_text = apr_hash_make(c.k->pool);
    apr_pool_create(&c.pool, h->ev->pool);
    gx_m_start(&c.m, h->base, h->run->host_top, h->run->host_end, h->run->host_tmp, h->run->host_tmp_end,
               h->run->n_docs);
    c.m.run = h->run;
    c.m.steps = d->steps;
    c.m.where = d->where;
    c.m.group = d->group;
    c.m.g = d->group ? GX_PTR(&c.m, gx_group, d->group) : NULL;
    all->depth++;
    gx_status status = run_call(&c);
    all->depth--;
    apr_pool_destroy(c.pool);
    give(&c);
    d->steps = c.m.steps;
    d->need_kind = c.m.need_kind;
    d->need_index = c.m.need_index;
    d->need_body = c.m.need_body;
    d->need_flags = c.m.need_flags;
    c.run->host_top = c.m.top;
    return status;
}
